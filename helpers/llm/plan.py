"""What a collection will ask, how often, and what that is likely to cost; nothing is sent here."""

import math
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers.checks import check_count, check_one_of
from helpers.llm.client import Request
from helpers.llm.endpoint import Endpoint
from helpers.llm.prompts import load_prompt
from helpers.llm.questions import read_questions, text_key

CONFIDENCES = ("posterior", "is_true", "verbalised")

MOST_CHOICES = 16  # answers asked for in one request

FEW_TOKENS = 3  # of a reply in one word

STATED_TOKENS = 16  # of a reply with a number

BYTES_A_TOKEN = (5.0, 2.5)  # few and many tokens

SECONDS = (0.3, 5.0)  # of one request: a quick and a slow server

JUDGE_LETTERS = 600  # of a judge's prompt

ANSWER = "(an answer of the model)"  # stands in a preview for what is not known yet


@dataclass(frozen=True)
class CollectionPlan:
    """Questions, settings and prompts of a collection, with what it will take; low and high ends of each range.

    Parameters
    ----------
    questions : DataFrame
        From `read_questions`.
    endpoint : Endpoint
        The model that is asked.
    n_answers : int
        Answers to each question.
    temperature : float
        Of their sampling.
    max_tokens : int
        The longest answer.
    confidences : tuple of str
        Any of "posterior", "is_true" and "verbalised".
    prompts : dict
        {"answer", "is_true", "verbalised": Prompt}.
    seed : int or None
        Sent to servers that can repeat a draw.
    judge : Endpoint or None
        The model that will sort the answers.

    Examples
    --------
    >>> endpoint = Endpoint("http://localhost:8000/v1", "qwen3", price_in=0.0, price_out=0.0)
    >>> plan = plan_answers(["What is 6 x 7?"], endpoint, n_answers=5, confidences=["posterior"])
    >>> plan.requests, plan.preview()["text"].iloc[-1]
    ((1, 5), 'Question: What is 6 x 7?')
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
        """As `table`, for a collection that has begun.

        Parameters
        ----------
        n_missing : int
            Answers that are missing.
        n_open : int, optional
            Answers whose confidences are open; those that are missing by default.

        Returns
        -------
        DataFrame
            A row a step.
        """
        n_open = n_missing if n_open is None else n_open
        n_questions = len(self.questions)
        letters = np.mean([len(text.encode()) for text in self.questions["question"]])
        requests = (math.ceil(n_missing / min(self.n_answers, MOST_CHOICES)), n_missing)
        rows = [self._row("answer", requests, (2 * n_missing, self.max_tokens * n_missing), letters)]
        asked = (math.ceil(n_open / self.n_answers), n_open)
        for name, tokens in (("is_true", FEW_TOKENS), ("verbalised", STATED_TOKENS)):
            if self.asks(name) and n_open:
                rows.append(self._row(name, asked, (asked[0], tokens * n_open), letters, n_shown=1))
        if self.judge is not None:
            most = math.ceil(n_questions * (n_missing / (n_questions * self.n_answers)))
            written = (0, 10 * self.n_answers * most)
            rows.append(self._row("judge", (0, most), written, letters, n_shown=self.n_answers))
        return pd.DataFrame(rows)

    def _row(self, step, requests, written, letters, n_shown=0):
        """One step: how many requests, tokens and money, low and high.

        A request shows `letters` of a question and `n_shown` answers.
        """
        endpoint = self.judge if step == "judge" else self.endpoint
        letters += JUDGE_LETTERS if step == "judge" else len(self.prompts[step].text)
        letters += n_shown * self.max_tokens
        read = tuple(math.ceil(n * letters / size) for n, size in zip(requests, BYTES_A_TOKEN, strict=True))
        cost = tuple(map(endpoint.cost, read, written))
        columns = {"requests": requests, "tokens_in": read, "tokens_out": written, "cost": cost}
        ends = {f"{name}_low": low for name, (low, _) in columns.items()}
        return {"step": step} | ends | {f"{name}_high": high for name, (_, high) in columns.items()}

    def asks(self, name):
        """Whether a confidence needs requests of its own.

        Parameters
        ----------
        name : {"is_true", "verbalised"}
            The confidence.

        Returns
        -------
        bool
            False if it is not wanted, or stated beside the answer.
        """
        stated = name == "verbalised" and self.prompts["answer"].states_confidence
        return name in self.confidences and not stated

    def range(self, name, steps=None):
        """Low and high end over all steps.

        Parameters
        ----------
        name : {"requests", "tokens_in", "tokens_out", "cost"}
            What is counted.
        steps : DataFrame, optional
            As `table`, which is the default.

        Returns
        -------
        tuple of float
            Low and high.
        """
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
        """The very messages that would be sent for the first questions; nothing is sent.

        Parameters
        ----------
        k : int, default 1
            How many questions.

        Returns
        -------
        DataFrame
            A row a message: step, n (answers that are asked for), role, text.
        """
        rows = []
        for question in self.questions["question"].head(check_count(k, "k")):
            requests = [self.request("answer", question, range(min(self.n_answers, MOST_CHOICES)))]
            requests += [self.request(name, question, (0,), ANSWER) for name in CONFIDENCES[1:] if self.asks(name)]
            for request in requests:
                for message in request.messages:
                    rows.append((request.kind, len(request.samples), message["role"], message["content"]))
        return pd.DataFrame(rows, columns=["step", "n", "role", "text"])

    def request(self, step, question, samples, answer=None):
        """The request of one step for one question.

        Parameters
        ----------
        step : {"answer", "is_true", "verbalised"}
            What is asked.
        question : str
            As it stands in `questions`.
        samples : sequence of int
            Numbers of the answers that are asked for, from 0.
        answer : str, optional
            The answer whose confidence is asked for.

        Returns
        -------
        Request
            What `collect_answers` sends.
        """
        values = {"question": question} if answer is None else {"question": question, "answer": answer}
        match step:
            case "answer":
                options = {
                    "temperature": self.temperature,
                    "max_tokens": self.max_tokens,
                    "logprobs": "posterior" in self.confidences,
                }
            case "is_true":
                options = {"temperature": 1.0, "max_tokens": FEW_TOKENS, "top": self.endpoint.top_logprobs}
            case "verbalised":
                options = {"temperature": 0.0, "max_tokens": STATED_TOKENS}
        if step != "is_true":
            options["schema"] = self.prompts[step].schema
        messages = self.prompts[step].messages(**values)
        key = text_key(*values.values())
        return Request(step, key, messages, tuple(samples), seed=self.seed, about=values, **options)

    def __str__(self):
        low, high = self.cost
        cost = "cost unknown" if np.isnan(high) else f"cost {low:.2g} to {high:.2g}"
        quick, slow = self.seconds
        return (
            f"{self.n_answers:,} answers to each of {len(self.questions):,} questions by {self.endpoint.name}, with "
            f"{', '.join(self.confidences) or 'no confidence'}: {span(*self.requests)} requests, "
            f"{span(*self.tokens_in)} tokens read, {span(*self.tokens_out)} written; {cost}; "
            f"{duration(quick)} to {duration(slow)}"
        )


def plan_answers(
    questions, endpoint, *, n_answers=10, temperature=1.0, max_tokens=64, prompt="answer", confidences=CONFIDENCES,
    is_true_prompt="is_true", verbalised_prompt="verbalised", seed=None, judge=None,
):  # fmt: skip
    """Plan a collection of sampled answers with confidences: what will be sent, how often, for how much. Sends nothing.

    "is_true" and "verbalised" are asked once for each distinct answer to a question.

    Parameters
    ----------
    questions : str, Path, DataFrame or list of str
        See `read_questions`.
    endpoint : Endpoint
        The model that is asked.
    n_answers : int, default 10
        Answers to each question.
    temperature : float, default 1.0
        Of their sampling.
    max_tokens : int, default 64
        The longest answer.
    prompt : str or Path, default "answer"
        Name of a prompt of ours ("answer", "choice", "answer_with_confidence") or path of your own with {question}.
    confidences : sequence of str
        Any of "posterior" (probability of the text), "is_true" (probability of True when asked if the answer is right)
        and "verbalised" (the number that the model states when asked; with a prompt that asks for a line
        "Confidence: ..." beside the answer, the one stated there); all three by default. The first two need
        log-probabilities.
    is_true_prompt, verbalised_prompt : str or Path
        As `prompt`, with {question} and {answer}.
    seed : int, optional
        Sent to servers that can repeat a draw.
    judge : Endpoint, optional
        The model that will sort the answers, to count its requests too.

    Returns
    -------
    CollectionPlan
        Print it, look at `.table` and `.preview()`, then `collect_answers(plan, path)`.

    Raises
    ------
    ValueError
        For questions that cannot be asked, an unknown prompt or confidence, or numbers that break a rule.

    Examples
    --------
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
    names = {"answer": prompt, "is_true": is_true_prompt, "verbalised": verbalised_prompt}
    prompts = {step: load_prompt(name, step) for step, name in names.items()}
    if prompts["answer"].states_confidence and "posterior" in confidences:
        raise ValueError(
            f'confidences must not hold "posterior" with prompt {prompts["answer"].name}: its replies hold a '
            "confidence beside the answer, so their probability is not that of the answer."
        )
    return CollectionPlan(
        questions,
        endpoint,
        n_answers=n_answers,
        temperature=float(temperature),
        max_tokens=max_tokens,
        confidences=tuple(dict.fromkeys(confidences)),
        prompts=prompts,
        seed=seed,
        judge=judge,
    )


def span(low, high):
    """A range in words, one number if both ends are equal."""
    return f"{low:,.0f}" if low == high else f"{low:,.0f} to {high:,.0f}"


def duration(seconds):
    """Seconds in the unit that suits them."""
    for size, word in ((86400, "days"), (3600, "hours"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {word}"
    return f"{seconds:,.0f} s"
