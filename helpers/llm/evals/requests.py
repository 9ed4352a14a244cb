"""How a model of Inspect is asked with our prompts, and what of its reply is read."""

import math
from collections import defaultdict

import anyio
from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser, GenerateConfig, ResponseSchema
from inspect_ai.util import JSONSchema

from helpers.llm.confidences import sequence_posterior

ROLES = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}

MOST_ASKS = 4  # of a judge: once, and three times more if the reply keeps no form


def messages_of(prompt, **values):
    """A prompt's messages as Inspect's."""
    return [ROLES[message["role"]](content=message["content"]) for message in prompt.messages(**values)]


def schema_of(schema):
    """A JSON schema, or None, as Inspect's option of a request."""
    return schema and ResponseSchema(name="reply", json_schema=JSONSchema.model_validate(schema))


class Once:
    """What was asked once is not asked again: replies by their key, for the length of one run."""

    def __init__(self):
        self.locks = defaultdict(anyio.Lock)
        self.replies = {}

    async def __call__(self, key, ask):
        """The reply to `key`, from `ask()` where there is none yet."""
        async with self.locks[key]:
            if key not in self.replies:
                self.replies[key] = await ask()
            return self.replies[key]


def first_tokens(output):
    """{token: log-probability} of the likeliest first tokens of a reply, None where the server gives none."""
    logprobs = output.choices[0].logprobs if output.choices else None
    if logprobs is None or not logprobs.content or not logprobs.content[0].top_logprobs:
        return None
    return {token.token: token.logprob for token in logprobs.content[0].top_logprobs}


def posterior_of(output):
    """Probability of the whole reply, NaN where the server gives no log-probabilities."""
    logprobs = output.choices[0].logprobs if output.choices else None
    return sequence_posterior([token.logprob for token in logprobs.content]) if logprobs else math.nan


async def ask_judge(model, prompt, schema, read, *, max_tokens, **values):
    """(verdict, "") from a judge that is held to a JSON schema, or (None, why) if four replies keep no form."""
    config = GenerateConfig(temperature=0.0, max_tokens=max_tokens, response_schema=schema_of(schema))
    for ask in range(MOST_ASKS):
        if ask:
            config = config.merge(GenerateConfig(temperature=1.0))  # the same request would bring the same reply
        verdict, why = read((await model.generate(messages_of(prompt, **values), config=config)).completion)
        if not why:
            break
    return verdict, why
