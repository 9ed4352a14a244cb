"""Answers sorted into classes and graded: by rule where a rule can, else by a model whose replies are checked.

As in Wang et al. (2026, section 6.1), with the rules before the model: fewer requests, and no judge's error where the
wording already settles the question.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from helpers.answers import spell_answers
from helpers.checks import check_one_of, nearest_name
from helpers.llm.answers import CollectedAnswers, save_table
from helpers.llm.client import Request
from helpers.llm.endpoint import Endpoint
from helpers.llm.prompts import load_prompt
from helpers.llm.questions import text_key
from helpers.llm.runner import Usage, ask
from helpers.llm.verdicts import GRADE_SCHEMA, partition_schema, read_grade, read_partition

JUDGE_RULES = ("exact", "normalized", "numeric", "date")

MOST_ASKS = 4  # of one partition or grade: once, and three times more if the reply is invalid

A_NUMBER = 8  # tokens of a number in a reply

A_GRADE = 32  # tokens of a grade


@dataclass(frozen=True)
class JudgedAnswers:
    """Answers with their classes, or their grades.

    Parameters
    ----------
    what : str
        What was judged, in words.
    answers : DataFrame
        The table that was given. From `judge_classes` with `answer` the first wording of its class, `given` the
        wording itself and `judge`; from `grade_answers` with `correct` 1, 0 or NaN, `graded_by` "rule", "model" or
        None, and `grader`. Judge and grader hold the model and the hash of the prompt.
    by_rule, by_model : int
        Questions (classes) or distinct answers (grades) that the rule settled, and those that the model settled.
    reported : DataFrame
        Those that nobody settled, with why; classes by rule stay as they are there.
    invalid : dict
        Replies that were no partition or grade, {reason: count}.
    usage : Usage
        Of the file.
    prompt_hash : str
        Of the judge's prompt.
    notes : tuple of str
        What a reader should know about the file.

    Examples
    --------
    A rule alone settles answers that differ in capitals only, so nothing is sent:

    >>> answers = pd.DataFrame({"question": ["q", "q"], "answer": ["Paris", "paris"]})
    >>> judge_classes(answers, Endpoint("http://localhost:8000/v1", "qwen3"), "classes.jsonl").by_rule
    1
    """

    what: str
    answers: pd.DataFrame = field(repr=False)
    by_rule: int
    by_model: int
    reported: pd.DataFrame = field(repr=False)
    invalid: dict
    usage: Usage
    prompt_hash: str
    notes: tuple = ()

    def log(self):
        """One line of what happened.

        Returns
        -------
        str
            Who settled how many, invalid replies by reason, and what it took.
        """
        settled = f"{self.by_rule:,} by rule, {self.by_model:,} by the model, {len(self.reported):,} by neither"
        parts = [f"{self.what}: {settled}"]
        if self.invalid:
            reasons = ", ".join(f"{count:,} x {why}" for why, count in sorted(self.invalid.items()))
            parts.append(f"invalid replies: {reasons}")
        return "; ".join([*parts, str(self.usage), *self.notes])

    def save_answers(self, path, *, overwrite=False):
        """Write the table for `helpers.tables.read_answers`, with rule="class" or correct="correct".

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


def judge_classes(
    answers, endpoint, path, *, rule="normalized", prompt="partition", question="question", answer="answer",
    spend_limit=1.0, confirm=None, progress=True,
):  # fmt: skip
    """Sort the answers to each question into classes of the same meaning: by rule, and those that are left by a model.

    The model sees one wording of each class by rule, numbered; its partition must hold every number once. An invalid
    one is asked again up to three times; then the classes by rule stay, and the question is reported. Empty answers
    belong to no class.

    Parameters
    ----------
    answers : CollectedAnswers or DataFrame
        One row an answer.
    endpoint : Endpoint
        The model that judges.
    path : str or Path
        File of JSON lines, new or begun with the same model, prompt and rule; more answers than then are fine.
    rule : {"exact", "normalized", "numeric", "date"}, default "normalized"
        See `helpers.answers.spell_answers`; answers that it cannot read are compared as "normalized".
    prompt : str or Path, default "partition"
        Name of a prompt of ours, or path of your own with {question} and {answers}.
    question, answer : str
        Names of the columns.
    spend_limit : float, default 1.0
        See `collect_answers`.
    confirm : callable, optional
        See `collect_answers`.
    progress : bool, default True
        See `collect_answers`.

    Returns
    -------
    JudgedAnswers
        With the columns `given` and `judge`.

    Raises
    ------
    ValueError
        As `collect_answers`, and for a table without these columns.
    CollectionStopped
        As `collect_answers`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from helpers.llm.testing import stand_in
    >>> answers = pd.DataFrame({"question": ["Capital?"] * 3, "answer": ["Paris", "paris", "Rome"]})
    >>> with stand_in() as server, tempfile.TemporaryDirectory() as folder:
    ...     endpoint = Endpoint(server.base_url, server.model)
    ...     judged = judge_classes(answers, endpoint, pathlib.Path(folder) / "classes.jsonl", progress=False)
    >>> judged.answers["answer"].tolist(), judged.by_model
    (['Paris', 'Paris', 'Rome'], 1)
    """
    table, texts = _opened(answers, question, answer, endpoint)
    check_one_of(rule, "rule", JUDGE_RULES)
    prompt = load_prompt(prompt, "partition")
    spellings = _spelled(texts, rule)
    by_rule = defaultdict(dict)  # {question: {spelling: its first wording}}
    for asked, text, spelling in zip(table[question], texts, spellings, strict=True):
        by_rule[asked].setdefault(spelling, text)
    wordings = {asked: [text for spelling, text in first.items() if spelling] for asked, first in by_rule.items()}
    keys = {asked: text_key(str(asked), *texts) for asked, texts in wordings.items() if len(texts) > 1}
    requests = {key: _partition_request(prompt, asked, wordings[asked], key) for asked, key in keys.items()}

    def read(key, text):
        return read_partition(text, len(requests[key].about["answers"]))

    spending = {"spend_limit": spend_limit, "confirm": confirm, "progress": progress}
    verdicts, usage, notes = _ask_judge("classes", endpoint, path, prompt, rule, requests, read, spending)
    merged = {}  # {(question, wording): the first wording of its class}
    for asked, key in keys.items():
        for numbers in verdicts.valid.get(key, ()):
            merged |= {(asked, wordings[asked][number]): wordings[asked][min(numbers)] for number in numbers}
    firsts = []
    for asked, spelling in zip(table[question], spellings, strict=True):
        first = by_rule[asked][spelling] if spelling else None
        firsts.append(merged.get((asked, first), first))
    table["given"] = texts
    table["judge"] = f"{endpoint.name} {prompt.sha256}"
    table[answer] = pd.Series(firsts, index=table.index, dtype=object)
    unsettled = [(asked, verdicts.why(key)) for asked, key in keys.items() if key not in verdicts.valid]
    into_one = [key for key, classes in verdicts.valid.items() if len(classes) == 1]
    merged_all = [key for key in into_one if len(requests[key].about["answers"]) > 2]
    if merged_all:
        notes += (f"three or more wordings all in one class for {len(merged_all):,} questions: look at some of them",)
    return JudgedAnswers(
        what=f"classes of the answers to {len(by_rule):,} questions",
        answers=table,
        by_rule=len(by_rule) - len(keys),
        by_model=len(keys) - len(unsettled),
        reported=pd.DataFrame(unsettled, columns=["question", "why"]),
        invalid=dict(verdicts.invalid),
        usage=usage,
        prompt_hash=prompt.sha256,
        notes=notes,
    )


def _partition_request(prompt, asked, wordings, key):
    """The request for a partition of some wordings."""
    lines = "\n".join(f"{number}. {' '.join(text.split())}" for number, text in enumerate(wordings, 1))
    messages = prompt.messages(question=asked, answers=lines)
    about = {"question": str(asked), "answers": wordings}
    n_tokens = A_GRADE + A_NUMBER * len(wordings)
    return Request("partition", key, messages, max_tokens=n_tokens, schema=partition_schema(len(wordings)), about=about)


def grade_answers(
    answers, endpoint, path, *, rule="normalized", prompt="grade", question="question", answer="answer",
    reference="reference", spend_limit=1.0, confirm=None, progress=True,
):  # fmt: skip
    """Grade answers against the right ones: correct if the rule says they are the same, else as a model says.

    An empty answer is wrong; one without a reference has no grade. Every distinct answer to a question is asked once,
    and up to three times more if the reply is invalid; then it has no grade and is reported.

    Parameters
    ----------
    answers : CollectedAnswers, JudgedAnswers or DataFrame
        One row an answer.
    endpoint : Endpoint
        The model that grades.
    path : str or Path
        File of JSON lines, new or begun with the same model, prompt and rule; more answers than then are fine.
    rule : {"exact", "normalized", "numeric", "date"}, default "normalized"
        As in `judge_classes`.
    prompt : str or Path, default "grade"
        Name of a prompt of ours, or path of your own with {question}, {answer} and {reference}.
    question, answer, reference : str
        Names of the columns; `reference` holds the right answers.
    spend_limit : float, default 1.0
        See `collect_answers`.
    confirm : callable, optional
        See `collect_answers`.
    progress : bool, default True
        See `collect_answers`.

    Returns
    -------
    JudgedAnswers
        With the columns `correct`, `graded_by` and `grader`.

    Raises
    ------
    ValueError
        As `judge_classes`.
    CollectionStopped
        As `collect_answers`.

    Examples
    --------
    >>> answers = pd.DataFrame({"question": ["q", "q"], "answer": ["paris", None], "reference": ["Paris", "Paris"]})
    >>> graded = grade_answers(answers, Endpoint("http://localhost:8000/v1", "qwen3"), "grades.jsonl")
    >>> graded.answers["correct"].tolist(), graded.answers["graded_by"].tolist()
    ([1.0, 0.0], ['rule', 'rule'])
    """
    table, texts = _opened(answers, question, answer, endpoint, reference)
    check_one_of(rule, "rule", JUDGE_RULES)
    prompt = load_prompt(prompt, "grade")
    references = _texts(table[reference])
    spellings = zip(_spelled(texts, rule), _spelled(references, rule), strict=True)
    requests = {}
    keys = []
    by_rule = []
    for asked, text, right, (spelling, right_spelling) in zip(
        table[question], texts, references, spellings, strict=True
    ):
        key = text_key(str(asked), spelling, right or "")
        grade = _grade_by_rule(text, right, spelling == right_spelling)
        keys.append(key)
        by_rule.append(grade)
        if grade is None and right is not None and key not in requests:
            requests[key] = _grade_request(prompt, asked, text, right, key)

    def read(key, text):
        return read_grade(text)

    spending = {"spend_limit": spend_limit, "confirm": confirm, "progress": progress}
    verdicts, usage, notes = _ask_judge("grades", endpoint, path, prompt, rule, requests, read, spending)
    grades = []
    graders = []
    for key, grade in zip(keys, by_rule, strict=True):
        grades.append(float(verdicts.valid.get(key, np.nan)) if grade is None else grade)
        graders.append("rule" if grade is not None else "model" if key in verdicts.valid else None)
    table["correct"] = grades
    table["graded_by"] = pd.Series(graders, index=table.index, dtype=object)
    table["grader"] = f"{endpoint.name} {prompt.sha256}"
    unsettled = [
        (request.about["question"], request.about["answer"], verdicts.why(key))
        for key, request in requests.items()
        if key not in verdicts.valid
    ]
    ungraded = {asked for asked, right in zip(table[question], references, strict=True) if right is None}
    if ungraded:
        notes += (f"{len(ungraded):,} questions have no reference",)
    n_by_rule = len({key for key, grade in zip(keys, by_rule, strict=True) if grade is not None})
    return JudgedAnswers(
        what=f"grades of {n_by_rule + len(requests):,} distinct answers",
        answers=table,
        by_rule=n_by_rule,
        by_model=len(requests) - len(unsettled),
        reported=pd.DataFrame(unsettled, columns=["question", "answer", "why"]),
        invalid=dict(verdicts.invalid),
        usage=usage,
        prompt_hash=prompt.sha256,
        notes=notes,
    )


def _grade_by_rule(text, reference, same):
    """1.0 or 0.0 where no model is needed, else None."""
    if reference is None:
        return None
    if same:
        return 1.0
    return 0.0 if text is None else None


def _grade_request(prompt, asked, text, reference, key):
    """The request for one grade."""
    about = {"question": str(asked), "answer": text, "reference": reference}
    messages = prompt.messages(question=asked, answer=text, reference=reference)
    return Request("grade", key, messages, max_tokens=A_GRADE, schema=GRADE_SCHEMA, about=about)


def _ask_judge(kind, endpoint, path, prompt, rule, requests, read, spending):
    """(`Verdicts`, `Usage`, notes) of a judge who is asked what the file does not say yet.

    `requests` is {key: first request}; `read` a function of a key and a reply that returns (verdict, why invalid).
    """
    step = "partition" if kind == "classes" else "grade"
    header = {
        "kind": kind,
        "model": endpoint.name,
        "prompts": {step: prompt.sha256},
        "rule": rule,
        "extra": endpoint.extra_digest,
    }

    def verdicts(records):  # a file may hold records of answers that are no longer in the table
        return Verdicts([record for record in records if record["key"] in requests], read)

    def missing(records):
        return verdicts(records).open(requests)

    def again(request, record):
        number = request.samples[0] + 1
        why = read(request.key, record["choices"][0]["text"])[1]
        return [_attempt(request, number)] if why and number < MOST_ASKS else []

    options = {"most_asks": MOST_ASKS, "follow_up": again} | spending
    records, usage, notes = ask(endpoint, path, header, f"{step}s", missing, **options)
    return verdicts(records), usage, notes


class Verdicts:
    """What a file of judgements says: by the key of a request, its first valid reply in `valid`.

    `invalid` counts replies by reason, `failed` says why of requests without any reply, `asked` which attempts of a key
    were answered.
    """

    def __init__(self, records, read):
        self.valid = {}
        self.failed = {}
        self.invalid = Counter()
        self.asked = defaultdict(set)
        for record in records:
            key = record["key"]
            if record["kind"] == "failed":
                self.failed[key] = record["why"]
                continue
            verdict, why = read(key, record["choices"][0]["text"])
            self.asked[key].update(record["samples"])
            if why:
                self.invalid[why] += 1
            else:
                self.valid.setdefault(key, verdict)

    def open(self, requests):
        """The requests that are still to be sent, of {key: request}."""
        return [
            _attempt(request, len(self.asked[key]))
            for key, request in requests.items()
            if key not in self.valid and len(self.asked[key]) < MOST_ASKS
        ]

    def why(self, key):
        """Why there is no verdict."""
        if len(self.asked[key]) >= MOST_ASKS:
            return f"{MOST_ASKS} invalid replies"
        return self.failed.get(key, "not asked yet")


def _attempt(request, number):
    """The request as it is sent for the first time (0), at temperature 0, or again, at temperature 1."""
    return replace(request, samples=(number,), temperature=0.0 if number == 0 else 1.0)


def _opened(answers, question, answer, endpoint, reference=None):
    """(copy of the table, its answers as texts or None); ValueError for columns that are not there or taken."""
    if not isinstance(endpoint, Endpoint):
        raise ValueError("endpoint must be an Endpoint.")
    table = answers.answers if isinstance(answers, CollectedAnswers | JudgedAnswers) else answers
    if not isinstance(table, pd.DataFrame) or not len(table):
        raise ValueError("answers must be collected answers, or a DataFrame with at least one row.")
    for role, name in (("question", question), ("answer", answer), ("reference", reference)):
        if name is not None and list(table.columns).count(name) != 1:
            hint = nearest_name(name, table.columns, "column")
            raise ValueError(f"{role} must name one column of the table, but it is {name!r}; {hint}")
    if table[question].isna().any():
        row = int(np.argmax(table[question].isna())) + 1
        raise ValueError(f"{question} must not be missing, but it is in row {row:,}.")
    for name in ("correct", "graded_by", "grader") if reference else ("given", "judge"):
        if name in table:
            raise ValueError(f"The table has a column {name!r} already, which would be written here; rename it.")
    return table.copy(), _texts(table[answer])


def _texts(values):
    """A column as texts, None where it is missing or blank."""
    return [None if pd.isna(value) or not str(value).strip() else str(value).strip() for value in values]


def _spelled(texts, rule):
    """Each text in the spelling of its class by rule, as "normalized" where the rule reads nothing, "" for none."""
    column = pd.Series(texts, dtype=object)
    ways = zip(spell_answers(column, rule), spell_answers(column, "normalized"), column, strict=True)
    return [next((f"{k} {text}" for k, text in enumerate(row) if isinstance(text, str)), "") for row in ways]
