"""Result tables on disk: CSV or JSON lines, never over a file that is there unless told so.

Sampled answers and confidences collected from a model, and the table that `helpers.tables.answers` reads.
"""

import csv
import gzip
import json
import os
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from helpers.llm.confidences import is_true_probability, parse_verbalised, sequence_posterior
from helpers.llm.log import ResponseLog
from helpers.llm.plan import MOST_CHOICES, CollectionPlan
from helpers.llm.progress import Progress
from helpers.llm.questions import text_key
from helpers.llm.runner import Tally, Usage, check_spending, count_usage, run
from helpers.llm.send import Sender

EXTENSIONS = (".csv", ".csv.gz", ".jsonl", ".jsonl.gz")


def save_table(frame, path, overwrite=False):
    """Write a table; a file appears under its name only once it is whole.

    Raises
    ------
    ValueError for another format, a folder that is not there, or, without `overwrite`, a file that is there.
    """
    path = Path(path).expanduser()
    kind = path.name.lower()
    if not kind.endswith(EXTENSIONS):
        raise ValueError(f"{path.name} must end in one of {', '.join(EXTENSIONS)}.")
    if not path.parent.is_dir():
        raise ValueError(f"path must name a file in a folder that exists, but the folder of {path.name} does not.")
    if path.exists() and not overwrite:
        raise ValueError(f"{path.name} is there already; give another path, or overwrite=True.")
    partial = path.with_name(f".{path.name}.partial")
    compression = {"method": "gzip", "mtime": 0} if kind.endswith(".gz") else None
    try:
        if ".csv" in kind:
            quoting = csv.QUOTE_NONNUMERIC  # else a carriage return inside a text would end its line
            frame.to_csv(partial, index=False, compression=compression, lineterminator="\n", quoting=quoting)
        else:
            rows = frame.astype(object).where(frame.notna(), None)
            text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows.to_dict("records"))
            partial.write_bytes(gzip.compress(text.encode(), mtime=0) if compression else text.encode())
        os.replace(partial, path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise OSError(f"{path.name} cannot be written: {error.strerror}.") from None


STEPS = {"answer": "answers", "is_true": 'confidences "is_true"', "verbalised": 'confidences "verbalised"'}


@dataclass(frozen=True)
class CollectedAnswers:
    """What a collection has brought so far.

    answers : DataFrame, a row an answer: question, sample (from 1), answer (None if empty), posterior, is_true,
        verbalised (NaN where missing or not asked for), reference, finish_reason, model (as the server names it),
        prompt_hash
    missing : DataFrame, a row for each answer or confidence that was planned and is not there: question, sample, step,
        why
    usage : `Usage` of the file
    notes : what a reader should know
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
        """One line of what happened."""
        lost = "none missing" if self.complete else f"{len(self.missing):,} answers or confidences missing"
        notes = "".join(f"; {note}" for note in self.notes)
        what = f"{len(self.answers):,} answers to {self.answers['question'].nunique():,} questions"
        return f"{what}, {lost}; {self.usage}{notes}"

    def save_answers(self, path, *, overwrite=False):
        """Write the table for `helpers.tables.read_answers` and notebook 14, as CSV or JSON lines (by the name).

        Its column of confidences is chosen there, such as confidence="is_true". ValueError if the file is there, unless
        `overwrite`.
        """
        save_table(self.answers, path, overwrite)

    def __str__(self):
        return self.log()


def collect_answers(plan, path, *, spend_limit=1.0, confirm=None, progress=True):
    """Send what a plan asks for and is not yet in the file; every response is on the disk before the next is asked.

    Parameters
    ----------
    plan : `CollectionPlan`
    path : file of JSON lines, new or begun by the same plan. More answers (`n_answers`) or other `confidences` than
        when it was begun are fine, and the rest is asked
    spend_limit : the most that this start may cost; where a price is unknown, 1,000 requests count as the limit
    confirm : function of the plan that says whether to go beyond the limit, or None
    progress : whether to tell on stderr how far it is

    Returns
    -------
    CollectedAnswers. A request that failed in all its tries is listed in `.missing`; the next start asks it again.
    Ctrl-C waits for the requests under way, which are paid for, and writes them down.

    Raises
    ------
    ValueError for a file of another model, prompt, temperature or list of questions, one that is in use, a limit that
    would be passed, a key or model that the server refuses, or missing log-probabilities that "posterior" or "is_true"
    need. CollectionStopped if the disk is full, the limit is passed, or the server is down. What was received is in the
    file in every case.
    """
    if not isinstance(plan, CollectionPlan):
        raise ValueError("plan must be a CollectionPlan; make one with plan_answers(questions, endpoint).")
    tally = Tally()
    with ResponseLog(path, plan.header, keep=_slim) as log:
        book = _Book(plan, log.records)
        to_ask, to_rate = book.count_missing()
        if to_ask or to_rate:
            steps = plan.steps(to_ask, to_ask + to_rate)
            most, dearest = plan.range("requests", steps)[1], plan.range("cost", steps)[1]
            limit = check_spending(plan, most, dearest, spend_limit, confirm)
            with Sender(plan.endpoint) as sender:
                for step, what in STEPS.items():
                    requests = book.requests(step)
                    if requests:
                        told = Progress(progress, what, plan.endpoint)
                        try:
                            run(sender, log, requests, tally, progress=told, spend_limit=limit)
                        finally:
                            told.end()
                    book = _Book(plan, log.records)
        answers, missing = book.tables()
        usage = count_usage(log.records, tally, plan.endpoint)
        return CollectedAnswers(plan, answers, missing, usage, tuple(log.notes + _remarks(answers)))


def _remarks(answers):
    """What a reader should know about the answers themselves."""
    cut, empty = (answers["finish_reason"] == "length").sum(), answers["answer"].isna().sum()
    cut_off = f"{cut:,} answers were cut at max_tokens; their posterior is that of a beginning"
    return [cut_off] * bool(cut) + [f"{empty:,} answers are empty"] * bool(empty)


class _Book:
    """The records of a file by what they answer: the first record for each sample counts."""

    def __init__(self, plan, records):
        self.plan, self.answers = plan, defaultdict(dict)
        self.ratings, self.why = {"is_true": {}, "verbalised": {}}, {}
        for record in records:
            kind, key = record["kind"], record["key"]
            if kind == "failed":
                self.why |= {(record["of"], key, sample): record["why"] for sample in record["samples"]}
            elif kind == "answer":
                for sample, choice in zip(record["samples"], record["choices"], strict=True):
                    self.answers[key].setdefault(sample, choice | {"model": record["model"]})
            else:
                self.ratings[kind].setdefault(key, record["choices"][0])

    def _read(self, choice):
        """(answer, stated probability) of a choice; the answer None if it is empty."""
        text = (choice["text"] or "").strip() or None
        if self.plan.prompts["answer"].states_confidence:
            return parse_verbalised(text)
        return text, np.nan

    def _samples(self):
        """(question, key, sample, choice or None) of every answer that the plan asks for."""
        for question in self.plan.questions["question"]:
            key = text_key(question)
            there = self.answers.get(key, {})
            for sample in range(self.plan.n_answers):
                yield question, key, sample, there.get(sample)

    def count_missing(self):
        """(answers that are missing, answers that are there but lack a confidence)."""
        asked = [name for name in self.ratings if self.plan.asks(name)]
        absent = unrated = 0
        for question, _, _, choice in self._samples():
            text = choice and self._read(choice)[0]
            absent += choice is None
            unrated += bool(text) and any(text_key(question, text) not in self.ratings[name] for name in asked)
        return absent, unrated

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
        wanted = dict.fromkeys(
            (question, self._read(choice)[0]) for question, _, _, choice in self._samples() if choice is not None
        )
        return [
            self.plan.request(step, question, (0,), text)
            for question, text in wanted
            if text and text_key(question, text) not in self.ratings[step]
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
        rows, missing = [], []
        reference = dict(self.plan.questions.itertuples(index=False))
        wording = self.plan.prompts["answer"].sha256
        for question, key, sample, choice in self._samples():
            if choice is None:
                why = self.why.get(("answer", key, sample), "not asked yet")
                missing.append((question, sample + 1, "answer", why))
                continue
            text, stated = self._read(choice)
            found = {"posterior": choice["posterior"], "is_true": np.nan, "verbalised": stated}
            for name in self.ratings:
                rating = self.ratings[name].get(text_key(question, text)) if text else None
                if rating is not None and self.plan.asks(name):
                    found[name] = rating
                elif text and self.plan.asks(name):
                    why = self.why.get((name, text_key(question, text), 0), "not asked yet")
                    missing.append((question, sample + 1, name, why))
            wanted = self.plan.confidences if text else ()  # no answer, no confidence
            found |= {name: np.nan for name in found if name not in wanted}
            more = reference[question], choice["reason"], choice["model"] or self.plan.endpoint.name, wording
            rows.append((question, sample + 1, text, *found.values(), *more))
        names = ["question", "sample", "answer", "posterior", "is_true", "verbalised", "reference", "finish_reason"]
        answers = pd.DataFrame(rows, columns=[*names, "model", "prompt_hash"])
        for name in ("posterior", "is_true", "verbalised"):
            answers[name] = answers[name].astype(float)
        return answers, pd.DataFrame(missing, columns=["question", "sample", "step", "why"])


def _slim(record):
    """What is needed of a record, with numbers in place of lists of log-probabilities: there may be a million."""
    if record["kind"] == "failed":
        return record
    choices = []
    for choice in record["choices"]:
        if record["kind"] == "answer":
            found = {"posterior": sequence_posterior(choice.get("logprobs")), "reason": choice["finish_reason"]}
            choices.append({"text": choice["text"]} | found)
        else:
            choices.append(_confidence(record["kind"], choice))
    names = ("kind", "key", "samples", "model", "tokens_in", "tokens_out", "retries")
    return {name: record[name] for name in names} | {"choices": choices}


def _confidence(name, choice):
    """The confidence that the reply to a question about an answer holds."""
    if name == "verbalised":
        return parse_verbalised(choice["text"])[1]
    return is_true_probability(choice["top"])
