"""A mock model whose probabilities are known, so that what is collected from it can be compared with the truth.

It understands nothing: it looks a question up in a table, draws an answer, and states what the table says. It is
Inspect's own mock model (mockllm) with outputs of ours.
"""

import hashlib
import json
import math
import random
import re
from collections import Counter

import pandas as pd
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    Logprob,
    Logprobs,
    ModelOutput,
    ModelUsage,
    TopLogprob,
    get_model,
)
from scipy.special import expit, logit

from helpers.checks import check_count, check_probabilities

__all__ = ["known_answers", "known_model"]

COLUMNS = ["question", "meaning", "text", "probability", "correct", "is_true", "verbalised"]

SPELLINGS = (("{}", 0.5), ("the answer is {}", 0.15), ("It is {}.", 0.15), ("{lower}", 0.1), ("{upper}", 0.1))

ONE_WORD = (("{}", 0.6), (" {}", 0.15), ("{lower}", 0.15))  # the other tenth says something else

TOKEN = re.compile(r"\s*\S{1,5}|\s+$")

_FIELD = re.compile(r"^(Question|Proposed answer|Reference answer|Case|Options|Answers):[ \t]*", re.MULTILINE)

_NUMBERED = re.compile(r"^\s*(\d+)\.[ \t]*(.*)$", re.MULTILINE)


def _random(*parts):
    """Random numbers that depend on nothing but the parts."""
    digest = hashlib.sha256(json.dumps(parts).encode()).digest()
    return random.Random(int.from_bytes(digest[:8], "big"))


def known_answers(questions, references, *, n_meanings=4, overconfidence=1.5, seed=0):
    """Everything the mock model may say to some questions, with probabilities: one row a text.

    Parameters
    ----------
    questions : (Q,) list of str
        Each once.
    references : (Q,) list of str
        Right answers; the wrong ones are those of other questions.
    n_meanings : int, default 4
        Most meanings a question has, 2 or more.
    overconfidence : float, default 1.5
        The right meaning is drawn with probabilities proportional to p^(1/overconfidence): with 1 the frequencies of
        the answers are calibrated, above 1 they claim too much.
    seed : int, default 0
        The rows of a question depend on it, on the question and on the references alone.

    Returns
    -------
    DataFrame
        A row a text: question, meaning, text (a spelling of the meaning), probability (of the text; those of a question
        sum to 1), correct, is_true (normalised probability of True when asked about the meaning: it knows more than the
        frequencies do, and is too mild), verbalised (the stated confidence, a log-odds of 1.5 too high, in steps of
        0.05).

    Examples
    --------
    >>> known = known_answers(["Capital of France?", "Capital of Italy?"], ["Paris", "Rome"])
    >>> known.groupby("question")["probability"].sum().round(9).tolist()
    [1.0, 1.0]
    """
    check_count(n_meanings, "n_meanings", least=2)
    if not overconfidence > 0:
        raise ValueError(f"overconfidence must be a positive number, but it is {overconfidence}.")
    if len(references) != len(questions):
        raise ValueError(f"references must be one a question, but they are {len(references)} for {len(questions)}.")
    rows = []
    for question, reference in zip(questions, references, strict=True):
        rng = _random("question", seed, question)
        largest = rng.randint(30, 95)
        cuts = [0, *sorted(rng.randint(0, 100 - largest) for _ in range(n_meanings - 2)), 100 - largest]
        shares = [largest, *(high - low for low, high in zip(cuts, cuts[1:], strict=False))]
        shares = sorted((share / 100 for share in shares if share), reverse=True)
        right = rng.choices(range(len(shares)), [share ** (1 / overconfidence) for share in shares])[0]
        others = [other for other in sorted(set(references)) if other != reference]
        others += [f"something else {number}" for number in range(len(shares) - len(others))]
        meanings = rng.sample(others, len(shares))
        meanings[right] = reference
        for place, (meaning, p) in enumerate(zip(meanings, shares, strict=True)):
            is_true = round(float(expit(0.8 * logit(p) + (0.8 if place == right else -0.4))), 4)
            stated = round(20 * expit(logit(p) + 1.5)) / 20
            spelled = Counter()
            for pattern, share in SPELLINGS:
                spelled[pattern.format(meaning, lower=meaning.lower(), upper=meaning.upper())] += share
            rows += [[question, meaning, text, p * s, place == right, is_true, stated] for text, s in spelled.items()]
    return pd.DataFrame(rows, columns=COLUMNS)


def known_model(known=None, *, cases=None, option="Yes", seed=0, vague=0.0):
    """Inspect's mock model with known probabilities, for `inspect_ai.eval(..., model=known_model(known))`.

    Texts are drawn with probabilities proportional to p^(1/temperature), and log p is reported, as most servers do. It
    knows what a prompt of ours wants from its line `Task: ...` and its fields, and as a judge it never errs.

    Parameters
    ----------
    known : DataFrame, optional
        From `known_answers`, or with the same columns.
    cases : dict, optional
        {text of a case: probability of `option`}.
    option : str, default "Yes"
        The option that these probabilities are of.
    seed : int, default 0
        What is drawn depends on it, on what is asked, and on the `seed` of the request, or without one on how often the
        same was asked before.
    vague : float, default 0
        Probability that a stated confidence is put in words instead of a number.

    Returns
    -------
    inspect_ai.model.Model
        Tokens are counted, so that what a run takes can be compared with what was expected.

    Examples
    --------
    >>> known_model(known_answers(["Capital of France?"], ["Paris"])).name
    'known'
    """
    if known is None:
        known = pd.DataFrame(columns=COLUMNS)
    else:
        check_probabilities(known["probability"], "probability")
    total = known.groupby("question")["probability"].sum().astype(float)
    if ((total - 1).abs() > 1e-6).any():
        raise ValueError(f"probabilities of a question must sum to 1, but those of {total.idxmin()!r} do not.")
    if cases:
        check_probabilities(list(cases.values()), "cases")
    return get_model("mockllm/known", custom_outputs=_Known(known, cases or {}, option, seed, vague))


class _Known:
    """The function that Inspect's mock model calls for each request."""

    def __init__(self, known, cases, option, seed, vague):
        self.texts = {question: rows.set_index("text") for question, rows in known.groupby("question")}
        self.cases = cases
        self.option = option
        self.seed = seed
        self.vague = vague
        self.asked = Counter()

    def __call__(self, messages, tools, tool_choice, config):
        task = re.search(r"^Task: (\w+)", "\n".join(message.text for message in messages), re.MULTILINE)[1]
        pieces = _FIELD.split(messages[-1].text)[1:]
        fields = dict(zip(pieces[::2], map(str.strip, pieces[1::2]), strict=True))
        key = json.dumps([task, fields])
        rng = _random(self.seed, key, config.seed if config.seed is not None else f"time {self.asked[key]}")
        self.asked[key] += 1
        tokens = getattr(self, task)(fields, rng, config)
        n_read = sum(len(TOKEN.findall(message.text)) + 4 for message in messages)
        usage = ModelUsage(input_tokens=n_read, output_tokens=len(tokens), total_tokens=n_read + len(tokens))
        message = ChatMessageAssistant(content="".join(token.token for token in tokens))
        logprobs = Logprobs(content=tokens) if config.logprobs else None
        choice = ChatCompletionChoice(message=message, stop_reason="stop", logprobs=logprobs)
        return ModelOutput(model="known", choices=[choice], usage=usage)

    def _drawn(self, fields, rng, config):
        """(a text, its row of the table)."""
        table = self.texts[fields["Question"]]
        heat = 1.0 if config.temperature is None else config.temperature
        text = rng.choices(table.index, (table["probability"] / table["probability"].max()) ** (1 / heat))[0]
        return text, table.loc[text]

    def answer(self, fields, rng, config):
        """A text, whose probability is spread over its tokens by their length."""
        text, row = self._drawn(fields, rng, config)
        share = math.log(row["probability"]) / len(text)
        return [Logprob(token=piece, logprob=share * len(piece)) for piece in TOKEN.findall(text)]

    def verbalised(self, fields, rng, config):
        """A stated confidence, with an answer where none was proposed."""
        reply = {}
        row = self.texts[fields["Question"]].loc[fields["Proposed answer"]] if "Proposed answer" in fields else None
        if row is None:
            reply["answer"], row = self._drawn(fields, rng, config)
        stated = round(100 * float(row["verbalised"]), 9)
        return _certain(reply | {"confidence": "quite sure" if rng.random() < self.vague else stated})

    def is_true(self, fields, rng, config):
        """True or False."""
        row = self.texts[fields["Question"]].loc[fields["Proposed answer"]]
        return _one_word({"True": row["is_true"], "False": 1 - row["is_true"]}, rng)

    def options(self, fields, rng, config):
        """One of two options, whatever their order."""
        p = self.cases[fields["Case"]]
        names = fields["Options"].split(", ")
        return _one_word({name: p if name == self.option else 1 - p for name in names}, rng)

    def partition(self, fields, rng, config):
        """The true classes of some answers."""
        listed = dict(_NUMBERED.findall(fields["Answers"]))
        meanings = [self.texts[fields["Question"]]["meaning"].get(text, text) for text in listed.values()]
        labels = [1 + meanings.index(meaning) for meaning in meanings]
        return _certain({"classes": dict(zip(listed, labels, strict=True))})

    def grade(self, fields, rng, config):
        """The true grade of an answer."""
        right = self.texts[fields["Question"]]["correct"].get(fields["Proposed answer"], False)
        return _certain({"grade": "correct" if right else "incorrect"})


def _certain(value):
    """A JSON object as a reply without alternatives."""
    return [Logprob(token=piece, logprob=0.0) for piece in TOKEN.findall(json.dumps(value))]


def _one_word(shares, rng):
    """A reply in one word: several spellings of each, beside tokens that are neither."""
    masses = {"I": 0.06, "The": 0.04}
    for word, p in shares.items():
        for pattern, share in ONE_WORD:
            if p > 0:
                masses[pattern.format(word, lower=word.lower())] = p * share
    top = [TopLogprob(token=token, logprob=math.log(mass)) for token, mass in masses.items()]
    token = rng.choices(list(masses), list(masses.values()))[0]
    return [Logprob(token=token, logprob=math.log(masses[token]), top_logprobs=top)]
