"""Sampled answers and confidences collected from a model, and the table that `helpers.tables.read_answers` reads."""

import csv
import gzip
import json
import os
import sys
import warnings
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from helpers.llm.confidences import is_true_probability, parse_verbalised, sequence_posterior
from helpers.llm.plan import CONFIDENCES, MOST_CHOICES, CollectionPlan
from helpers.llm.questions import text_key
from helpers.llm.runner import Usage, collect

EXTENSIONS = (".csv", ".csv.gz", ".jsonl", ".jsonl.gz")

STEPS = {"answer": "answers", "is_true": 'confidences "is_true"', "verbalised": 'confidences "verbalised"'}

RATINGS = ("is_true", "verbalised")  # confidences with requests of their own

COLUMNS = ("question", "sample", "answer", *CONFIDENCES, "reference", "finish_reason", "model", "prompt_hash")


def save_table(frame, path, overwrite=False):
    """Write a table; a file appears under its name only once it is whole.

    ValueError for another format, a folder that is not there, or, without `overwrite`, a file that is there.
    """
    path = Path(os.path.expanduser(path))
    kind = path.name.lower()
    if not kind.endswith(EXTENSIONS):
        raise ValueError(f"{path.name} must end in one of {', '.join(EXTENSIONS)}.")
    if not path.parent.is_dir():
        raise ValueError(f"path must name a file in a folder that exists, but the folder of {path.name} does not.")
    if path.exists() and not overwrite:
        raise ValueError(f"{path.name} is there already; give another path, or overwrite=True.")
    if ".csv" in kind and (rows := _formulas(frame)):
        warnings.warn(
            f"{path.name}: {len(rows):,} rows, the first of them {rows[0] + 1:,}, hold text that spreadsheets take for "
            "a formula; open it elsewhere, or write .jsonl.",
            stacklevel=3,
        )
    partial = path.with_name(f".{path.name}.partial")
    try:
        if ".csv" in kind:
            compression = {"method": "gzip", "mtime": 0} if kind.endswith(".gz") else None
            quoting = csv.QUOTE_NONNUMERIC  # else a carriage return inside a text would end its line
            frame.to_csv(partial, index=False, compression=compression, lineterminator="\n", quoting=quoting)
        else:
            rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
            text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
            partial.write_bytes(gzip.compress(text, mtime=0) if kind.endswith(".gz") else text)
        os.replace(partial, path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise OSError(f"{path.name} cannot be written: {error.strerror}.") from None


def _formulas(frame):
    """Numbers of the rows with a text that spreadsheets would run: one that begins as a formula and is no number."""
    texts = frame.select_dtypes(["object", "string"]).astype(str)
    begins = texts.apply(lambda column: column.str.match(r"\s*[=@]|\s*[-+](?!\s*[\d.,]+\s*%?\s*$)"))
    return np.flatnonzero(begins.any(axis=1).to_numpy(bool)).tolist()


@dataclass(frozen=True)
class CollectedAnswers:
    """What a collection has brought so far.

    Parameters
    ----------
    plan : CollectionPlan
        What was to be collected.
    answers : DataFrame
        A row an answer: question, sample (from 1), answer (None if empty), posterior, is_true, verbalised (NaN where
        missing or not asked for), reference, finish_reason, model (as the server names it), prompt_hash.
    missing : DataFrame
        A row for each answer or confidence that was planned and is not there: question, sample, step, why.
    usage : Usage
        Of the file.
    notes : tuple of str
        What a reader should know.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from helpers.llm import Endpoint, plan_answers
    >>> from helpers.llm.testing import stand_in
    >>> with stand_in() as server, tempfile.TemporaryDirectory() as folder:
    ...     plan = plan_answers(["Why?"], Endpoint(server.base_url, server.model), n_answers=3, confidences=())
    ...     collected = collect_answers(plan, pathlib.Path(folder) / "answers.jsonl", progress=False)
    >>> print(collected)
    3 answers to 1 questions, none missing; 1 requests, 1 of them in this start; ... no try in vain
    """

    plan: CollectionPlan = field(repr=False)
    answers: pd.DataFrame = field(repr=False)
    missing: pd.DataFrame = field(repr=False)
    usage: Usage
    notes: tuple = ()

    @property
    def complete(self):
        """Whether nothing is missing."""
        return self.missing.empty

    def log(self):
        """One line of what happened.

        Returns
        -------
        str
            How many answers there are, how many are missing, and what they took.
        """
        n_questions = self.answers["question"].nunique()
        missing = "none missing" if self.complete else f"{len(self.missing):,} answers or confidences missing"
        line = f"{len(self.answers):,} answers to {n_questions:,} questions, {missing}"
        return "; ".join([line, str(self.usage), *self.notes])

    def save_answers(self, path, *, overwrite=False):
        """Write the table for `helpers.tables.read_answers` and notebook 14, where its column of confidences is chosen.

        Parameters
        ----------
        path : str or Path
            File that ends in .csv, .csv.gz, .jsonl or .jsonl.gz.
        overwrite : bool, default False
            Whether a file that is there may be replaced.

        Raises
        ------
        ValueError
            If the file is there, unless `overwrite`.
        """
        save_table(self.answers, path, overwrite)

    def __str__(self):
        return self.log()


def collect_answers(plan, path, *, spend_limit=1.0, confirm=None, progress=True):
    """Send what a plan asks for and is not yet in the file; every response is on the disk before the next is asked.

    A request that failed in all its tries is listed in `.missing`; the next start asks it again. Ctrl-C waits for the
    requests under way, which are paid for, and writes them down.

    Parameters
    ----------
    plan : CollectionPlan
        From `plan_answers`.
    path : str or Path
        File of JSON lines, new or begun by the same plan. More answers (`n_answers`) or other `confidences` than when
        it was begun are fine, and the rest is asked.
    spend_limit : float, default 1.0
        The most that this start may cost, in the currency of the prices; where a price is unknown, 1,000 requests count
        as the limit.
    confirm : callable, optional
        Function of the plan that says whether to go beyond the limit.
    progress : bool, default True
        Whether to tell on stderr how far it is.

    Returns
    -------
    CollectedAnswers
        All that the file holds of the plan.

    Raises
    ------
    ValueError
        For a file of another model, prompt, temperature or list of questions, one that is in use, a limit that would be
        passed, a key or model that the server refuses, or missing log-probabilities that "posterior" or "is_true" need.
    CollectionStopped
        If the disk is full, the limit is passed, or the server is down. What was received is in the file in every case.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from helpers.llm import Endpoint, plan_answers
    >>> from helpers.llm.testing import stand_in
    >>> with stand_in() as server, tempfile.TemporaryDirectory() as folder:
    ...     plan = plan_answers(["Why?", "How?"], Endpoint(server.base_url, server.model), n_answers=5)
    ...     answers = collect_answers(plan, pathlib.Path(folder) / "answers.jsonl", progress=False).answers
    >>> answers.groupby("question").size().to_dict()
    {'How?': 5, 'Why?': 5}
    """
    if not isinstance(plan, CollectionPlan):
        raise ValueError("plan must be a CollectionPlan; make one with plan_answers(questions, endpoint).")

    def open_work(records):
        n_missing, n_unrated = _Book(plan, records).count_missing()
        if not n_missing and not n_unrated:
            return None
        steps = plan.steps(n_missing, n_missing + n_unrated)
        return plan, plan.range("requests", steps)[1], plan.range("cost", steps)[1]

    steps = {name: _requests_of(plan, step) for step, name in STEPS.items()}
    options = {"spend_limit": spend_limit, "confirm": confirm, "progress": progress, "keep": _slim}
    records, usage, notes = collect(plan.endpoint, path, plan.header, steps, open_work, **options)
    answers, missing = _Book(plan, records).tables()
    return CollectedAnswers(plan, answers, missing, usage, (*notes, *_remarks(answers)))


def _requests_of(plan, step):
    """Function of the records that returns the requests of one step that are not answered yet."""
    return lambda records: _Book(plan, records).requests(step)


def _remarks(answers):
    """What a reader should know about the answers themselves."""
    n_cut = (answers["finish_reason"] == "length").sum()
    n_empty = answers["answer"].isna().sum()
    if n_cut:
        yield f"{n_cut:,} answers were cut at max_tokens; their posterior is that of a beginning"
    if n_empty:
        yield f"{n_empty:,} answers are empty"


class _Book:
    """The records of a file by what they answer: the first record for each sample counts.

    `answers` is {key of a question: {sample: Answer}}; `ratings` {step: {key of question and answer: confidence}};
    `why` {(step, key, sample): why the request failed}.
    """

    def __init__(self, plan, records):
        self.plan = plan
        self.answers = defaultdict(dict)
        self.ratings = {step: {} for step in RATINGS}
        self.why = {}
        for record in records:
            kind = record["kind"]
            key = record["key"]
            if kind == "failed":
                self.why |= {(record["of"], key, sample): record["why"] for sample in record["samples"]}
            elif kind == "answer":
                for sample, choice in zip(record["samples"], record["choices"], strict=True):
                    self.answers[key].setdefault(sample, choice)
            else:
                self.ratings[kind].setdefault(key, record["choices"][0])

    def _read(self, choice):
        """(answer, stated probability) of a choice; the answer None if it is empty."""
        text = (choice.text or "").strip() or None
        if self.plan.prompts["answer"].states_confidence:
            return parse_verbalised(text)
        return text, np.nan

    def _samples(self):
        """(question, its key, sample, choice or None) of every answer that the plan asks for."""
        for question in self.plan.questions["question"]:
            key = text_key(question)
            choices = self.answers.get(key, {})
            for sample in range(self.plan.n_answers):
                yield question, key, sample, choices.get(sample)

    def _unrated(self, step, question, text):
        """Whether an answer lacks a confidence that has to be asked for."""
        return bool(text) and self.plan.asks(step) and text_key(question, text) not in self.ratings[step]

    def count_missing(self):
        """(answers that are missing, answers that are there but lack a confidence)."""
        n_missing = 0
        n_unrated = 0
        for question, _, _, choice in self._samples():
            if choice is None:
                n_missing += 1
            elif any(self._unrated(step, question, self._read(choice)[0]) for step in RATINGS):
                n_unrated += 1
        return n_missing, n_unrated

    def requests(self, step):
        """Requests of one step that are not answered yet."""
        if step == "answer":
            return [
                self.plan.request("answer", question, samples[start : start + MOST_CHOICES])
                for question, samples in self._absent().items()
                for start in range(0, len(samples), MOST_CHOICES)
            ]
        if not self.plan.asks(step):
            return []
        texts = dict.fromkeys(
            (question, self._read(choice)[0]) for question, _, _, choice in self._samples() if choice is not None
        )
        return [
            self.plan.request(step, question, (0,), text)
            for question, text in texts
            if self._unrated(step, question, text)
        ]

    def _absent(self):
        """{question: its samples that are missing}."""
        absent = defaultdict(list)
        for question, _, sample, choice in self._samples():
            if choice is None:
                absent[question].append(sample)
        return absent

    def tables(self):
        """(answers, missing) as DataFrames."""
        columns = {name: [] for name in COLUMNS}  # a list a column needs less than a tuple a row
        missing = []
        reference = dict(self.plan.questions.itertuples(index=False))
        for question, key, sample, choice in self._samples():
            if choice is None:
                missing.append((question, sample + 1, "answer", self.why.get(("answer", key, sample), "not asked yet")))
                continue
            text, stated = self._read(choice)
            rated = text_key(question, text) if text else None
            for step in RATINGS:
                if self._unrated(step, question, text):
                    missing.append((question, sample + 1, step, self.why.get((step, rated, 0), "not asked yet")))
            confidences = self._confidences(choice, text, stated, rated)
            model = choice.model or self.plan.endpoint.name
            wording = self.plan.prompts["answer"].sha256
            row = (question, sample + 1, text, *confidences, reference[question], choice.reason, model, wording)
            for column, value in zip(columns.values(), row, strict=True):
                column.append(value)
        answers = pd.DataFrame(columns).astype(dict.fromkeys(CONFIDENCES, float))
        return answers, pd.DataFrame(missing, columns=["question", "sample", "step", "why"])

    def _confidences(self, choice, text, stated, rated):
        """The confidences in an answer, in the order of `CONFIDENCES`; NaN where there is none, or none is wanted."""
        values = {"posterior": choice.posterior, "is_true": np.nan, "verbalised": stated}
        for step in RATINGS:
            if self.plan.asks(step):
                values[step] = self.ratings[step].get(rated, values[step])
        wanted = self.plan.confidences if text else ()  # no answer, no confidence
        return [values[name] if name in wanted else np.nan for name in CONFIDENCES]


class Answer(NamedTuple):
    """What is needed of one answer, with a number in place of a list of log-probabilities."""

    text: str | None
    posterior: float
    reason: str | None
    model: str | None


class Slim:
    """What is needed of a record, read as a dict is, in a quarter of a dict's memory: there may be ten million."""

    __slots__ = ("kind", "key", "samples", "choices", "tokens_in", "tokens_out", "retries")

    def __init__(self, record, choices):
        self.kind = sys.intern(record["kind"])
        self.key = sys.intern(record["key"])
        self.samples = tuple(record["samples"])
        self.choices = tuple(choices)
        self.tokens_in = record["tokens_in"]
        self.tokens_out = record["tokens_out"]
        self.retries = record["retries"] or None

    def __getitem__(self, name):
        return getattr(self, name)

    def get(self, name, default=None):
        """The value of that name, as a dict gives it."""
        return getattr(self, name, default)


def _slim(record):
    """`Slim` of a record; one of a request that failed as it is."""
    if record["kind"] == "failed":
        return record
    match record["kind"]:
        case "answer":
            choices = (_answer(choice, record["model"]) for choice in record["choices"])
        case "verbalised":
            choices = (parse_verbalised(choice["text"])[1] for choice in record["choices"])
        case _:
            choices = (is_true_probability(choice["top"]) for choice in record["choices"])
    return Slim(record, choices)


def _answer(choice, model):
    """`Answer` of a choice of a record; its words that many answers have are kept once."""
    reason, model = (word and sys.intern(word) for word in (choice["finish_reason"], model))
    return Answer(choice["text"], sequence_posterior(choice.get("logprobs")), reason, model)
