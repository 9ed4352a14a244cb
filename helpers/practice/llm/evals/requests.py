"""How a model of Inspect is asked with our prompts, and what of its reply is read."""

from collections import defaultdict

import anyio
from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser, GenerateConfig, ResponseSchema
from inspect_ai.util import JSONSchema

from helpers.answers.token_confidences import read_object, sequence_posterior
from helpers.practice.llm.prompts import object_schema

ROLES = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}

MOST_ASKS = 4  # of a judge: once, and three times more if the reply keeps no form

GRADE_SCHEMA = object_schema(grade={"type": "string", "enum": ["correct", "incorrect"]})


def partition_schema(size):
    """JSON schema of the classes of `size` answers: a number for each, so that what keeps the form is a partition."""
    numbers = list(range(1, size + 1))
    return object_schema(classes=object_schema(**{str(k): {"type": "integer", "enum": numbers} for k in numbers}))


def keeps(value, schema):
    """Whether a reply keeps a schema of `object_schema` whose values are enumerated."""
    if "enum" in schema:
        return value in schema["enum"] and not isinstance(value, bool)  # True would be 1
    properties = schema["properties"]
    same = isinstance(value, dict) and value.keys() == properties.keys()
    return same and all(keeps(value[name], properties[name]) for name in properties)


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


def _tokens(output):
    """The tokens of a reply with their log-probabilities, empty where the server gives none."""
    logprobs = output.choices[0].logprobs if output.choices else None
    return logprobs.content if logprobs else []


def first_tokens(output):
    """{token: log-probability} of the likeliest first tokens of a reply."""
    return {top.token: top.logprob for token in _tokens(output)[:1] for top in token.top_logprobs or []}


def posterior_of(output):
    """Probability of the whole reply, NaN where the server gives no log-probabilities."""
    return sequence_posterior([token.logprob for token in _tokens(output)])


async def ask_judge(model, prompt, schema, *, max_tokens, **values):
    """The JSON object of a judge that is held to a schema; None if four replies do not keep it."""
    config = GenerateConfig(temperature=0.0, max_tokens=max_tokens, response_schema=schema_of(schema))
    for _ in range(MOST_ASKS):
        verdict = read_object((await model.generate(messages_of(prompt, **values), config=config)).completion)
        if keeps(verdict, schema):
            return verdict
        config = config.merge(GenerateConfig(temperature=1.0))  # the same request would bring the same reply
    return None
