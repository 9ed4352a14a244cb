"""What a collection will ask, how often, and what that is likely to cost; nothing is sent here."""

import math
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers.checks import check_count, check_one_of
from helpers.llm.endpoint import Endpoint
from helpers.llm.prompts import load_prompt
from helpers.llm.questions import read_questions, text_key
from helpers.llm.send import Request

CONFIDENCES = ("posterior", "is_true", "verbalised")

MOST_CHOICES = 16  # answers asked for in one request

FEW_TOKENS = 3  # of a reply in one word

STATED_TOKENS = 16  # of a reply with a number

BYTES_A_TOKEN = (5.0, 2.5)  # few and many tokens

SECONDS = (0.3, 5.0)  # of one request: a quick and a slow server

ANSWER = "(an answer of the model)"  # stands in a preview for what is not known yet


@dataclass(frozen=True)
class CollectionPlan:
    """Questions, settings and prompts of a collection, with what it will take; low and high ends of each range.

    questions : DataFrame of `read_questions`
    prompts : {"answer", "is_true", "verbalised": Prompt}
    requests, tokens_in, tokens_out, cost, seconds : (low, high); cost NaN where prices are unknown
    """

    questions: pd.DataFrame = field(repr=False)
    endpoint: Endpoint
    n_answers: int
    temperature: float
    max_tokens: int
    confidences: tuple
    prompts: dict = field(repr=False)
    seed: int | None = None
    judge: Endpoint | None = None

    @property
    def header(self):
        """What the first line of the file says, without the format."""
        return {
            "kind": "answers",
            "model": self.endpoint.name,
            "prompts": {step: prompt.sha256 for step, prompt in self.prompts.items()},
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "seed": self.seed,
            "extra": self.endpoint.extra_digest,
            "questions": text_key(*self.questions["question"]),
            "n_questions": len(self.questions),
            "n_answers": self.n_answers,
        }

    @property
    def table(self):
        """DataFrame of the steps: requests, tokens in and out, cost, with low and high ends."""
        return self.steps(len(self.questions) * self.n_answers)

    def steps(self, n_missing, n_open=None):
        """As `table`, where `n_missing` answers are missing and confidences in `n_open` further ones."""
        n_open = n_missing if n_open is None else n_open
        per_question = self.n_answers or 1
        lengths = np.array([len(text.encode()) for text in self.questions["question"]])
        share = n_missing / (len(lengths) * per_question)
        rows = [self._row("answer", (math.ceil(n_missing / min(per_question, MOST_CHOICES)), n_missing), n_missing,
                          (2, self.max_tokens), lengths.mean())]  # fmt: skip
        asked = (math.ceil(n_open / per_question), n_open)
        for name, tokens in (("is_true", FEW_TOKENS), ("verbalised", STATED_TOKENS)):
            if self.asks(name) and n_open:
                rows.append(self._row(name, asked, None, (1, tokens), lengths.mean()))
        if self.judge is not None:
            most = math.ceil(len(lengths) * share)
            rows.append(self._row("judge", (0, most), None, (5, 10 * per_question), lengths.mean(), self.judge))
        return pd.DataFrame(rows)

    def _row(self, step, requests, answers, tokens, letters, endpoint=None):
        """One step: how many requests, tokens and money, low and high."""
        prompt = self.prompts.get(step)
        letters = letters + (len(prompt.text) if prompt else 600)
        letters += self.max_tokens * (self.n_answers if step == "judge" else step != "answer")
        read = [math.ceil(n * letters / size) for n, size in zip(requests, BYTES_A_TOKEN, strict=True)]
        written = [(answers or n) * size for n, size in zip(requests, tokens, strict=True)]
        cost = [(endpoint or self.endpoint).cost(a, b) for a, b in zip(read, written, strict=True)]
        names = ("requests", "tokens_in", "tokens_out", "cost")
        ends = {f"{name}_{end}": values[k] for k, end in enumerate(("low", "high"))
                for name, values in zip(names, (requests, read, written, cost), strict=True)}  # fmt: skip
        return {"step": step} | ends

    def asks(self, name):
        """Whether a confidence needs requests of its own."""
        stated = name == "verbalised" and self.prompts["answer"].states_confidence
        return name in self.confidences and not stated

    def range(self, name, steps=None):
        """(low, high) of requests, tokens_in, tokens_out or cost over all steps."""
        steps = self.table if steps is None else steps
        return tuple(steps[f"{name}_{end}"].sum(skipna=False).item() for end in ("low", "high"))

    @property
    def requests(self):
        """(low, high) number of requests: n honoured and few distinct answers, or neither."""
        return self.range("requests")

    @property
    def tokens_in(self):
        """(low, high) tokens read."""
        return self.range("tokens_in")

    @property
    def tokens_out(self):
        """(low, high) tokens written; the high end is where every reply is as long as it may be."""
        return self.range("tokens_out")

    @property
    def cost(self):
        """(low, high) price in the currency of the endpoint, NaN where a price is unknown."""
        return self.range("cost")

    @property
    def seconds(self):
        """(low, high) seconds, if a request takes 0.3 s or 5 s."""
        return tuple(n * s / self.endpoint.concurrency for n, s in zip(self.requests, SECONDS, strict=True))

    def preview(self, k=1):
        """The very messages that would be sent for the first `k` questions, one a row; nothing is sent."""
        rows = []
        for question in self.questions["question"].head(check_count(k, "k")):
            requests = [self.request("answer", question, range(min(self.n_answers, MOST_CHOICES)))]
            requests += [self.request(name, question, (0,), ANSWER) for name in CONFIDENCES[1:] if self.asks(name)]
            for request in requests:
                rows += [{"step": request.kind, "n": len(request.samples), "role": message["role"],
                          "text": message["content"]} for message in request.messages]  # fmt: skip
        return pd.DataFrame(rows)

    def request(self, step, question, samples, answer=None):
        """The request of one step for one question."""
        key, about = text_key(question), {"question": question}
        values = {"question": question} if answer is None else {"question": question, "answer": answer}
        about |= {} if answer is None else {"answer": answer}
        messages, base = self.prompts[step].messages(**values), {"seed": self.seed, "about": about}
        if step == "answer":
            wanted = "posterior" in self.confidences
            base |= {"temperature": self.temperature, "max_tokens": self.max_tokens, "logprobs": wanted}
        else:
            key, is_true = text_key(question, answer), step == "is_true"
            base |= {"temperature": float(is_true), "max_tokens": FEW_TOKENS if is_true else STATED_TOKENS}
            base |= {"top": self.endpoint.top_logprobs if is_true else 0}
        return Request(step, key, messages, tuple(samples), **base)

    def __str__(self):
        low, high = self.requests
        first = (
            f"{self.n_answers:,} answers to each of {len(self.questions):,} questions by {self.endpoint.name}, with "
            f"{', '.join(self.confidences) or 'no confidence'}: {span(low, high)} requests, "
            f"{span(*self.tokens_in)} tokens read, {span(*self.tokens_out)} written"
        )
        cost = self.cost
        money = "cost unknown" if np.isnan(cost[1]) else f"cost {cost[0]:.2g} to {cost[1]:.2g}"
        return f"{first}; {money}; {duration(self.seconds[0])} to {duration(self.seconds[1])}"


def plan_answers(
    questions, endpoint, *, n_answers=10, temperature=1.0, max_tokens=64, prompt="answer", confidences=CONFIDENCES,
    is_true_prompt="is_true", verbalised_prompt="verbalised", seed=None, judge=None,
):  # fmt: skip
    """Plan a collection of sampled answers with confidences: what will be sent, how often, for how much. Sends nothing.

    Parameters
    ----------
    questions : table, path or list, see `read_questions`
    endpoint : `Endpoint`
    n_answers : answers to each question; temperature : of their sampling; max_tokens : the longest answer
    prompt : name of a prompt of ours ("answer", "choice", "answer_with_confidence") or path of your own with {question}
    confidences : any of "posterior" (probability of the text), "is_true" (probability of True when asked if the answer
        is right) and "verbalised" (the number that the model states when asked; with a prompt that asks for a line
        "Confidence: ..." beside the answer, the one stated there). The first two need log-probabilities
    is_true_prompt, verbalised_prompt : as `prompt`, with {question} and {answer}
    seed : whole number sent to servers that can repeat a draw, or None
    judge : `Endpoint` of the model that will sort the answers, to count its requests too, or None

    Returns
    -------
    CollectionPlan; print it, look at `.table` and `.preview()`, then `collect_answers(plan, path)`. "is_true" and
    "verbalised" are asked once for each distinct answer to a question.

    Raises
    ------
    ValueError for questions that cannot be asked, an unknown prompt or confidence, or numbers that break a rule.

    >>> endpoint = Endpoint("http://localhost:8000/v1", "qwen3", price_in=0.0, price_out=0.0)
    >>> plan = plan_answers(["What is 6 x 7?"], endpoint, n_answers=5, confidences=["posterior"])
    >>> plan.requests, plan.preview()["text"].iloc[-1]
    ((1, 5), 'Question: What is 6 x 7?')
    """
    questions = read_questions(questions)
    if not isinstance(endpoint, Endpoint) or not isinstance(judge, Endpoint | None):
        raise ValueError("endpoint must be an Endpoint, and judge an Endpoint or None.")
    check_count(n_answers, "n_answers")
    check_count(max_tokens, "max_tokens")
    if isinstance(temperature, bool) or not isinstance(temperature, int | float) or not 0 <= temperature <= 2:
        raise ValueError(f"temperature must lie between 0 and 2, but it is {temperature!r}.")
    if temperature == 0 and n_answers > 1:
        raise ValueError("temperature must be above 0 for several answers, or they are all the same.")
    confidences = (confidences,) if isinstance(confidences, str) else tuple(confidences)
    for name in confidences:
        check_one_of(name, "confidences", CONFIDENCES)
    if seed is not None:
        check_count(seed, "seed", least=0)
    given = {"answer": prompt, "is_true": is_true_prompt, "verbalised": verbalised_prompt}
    prompts = {step: load_prompt(name, step) for step, name in given.items()}
    if prompts["answer"].states_confidence and "posterior" in confidences:
        raise ValueError(
            f'confidences must not hold "posterior" with prompt {prompts["answer"].name}: its replies hold a '
            "confidence beside the answer, so their probability is not that of the answer."
        )
    confidences = tuple(dict.fromkeys(confidences))
    settings = n_answers, float(temperature), max_tokens, confidences
    return CollectionPlan(questions, endpoint, *settings, prompts, seed, judge)


def span(low, high):
    """A range in words, one number if both ends are equal."""
    return f"{low:,.0f}" if low == high else f"{low:,.0f} to {high:,.0f}"


def duration(seconds):
    """Seconds in the unit that suits them."""
    for size, word in ((86400, "days"), (3600, "hours"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {word}"
    return f"{seconds:,.0f} s"
