"""Answers sorted into classes and graded: by rule where a rule can, else by a model whose replies are checked.

As in Wang et al. (2026, section 6.1), with the rules before the model: fewer requests, and no judge's error where the
wording already settles the question.
"""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers.answers import spell_answers
from helpers.checks import check_one_of, nearest_name
from helpers.llm.answers import CollectedAnswers, save_table
from helpers.llm.endpoint import Endpoint
from helpers.llm.prompts import load_prompt
from helpers.llm.questions import text_key
from helpers.llm.runner import Usage, ask
from helpers.llm.send import Request
from helpers.llm.verdicts import MOST_ASKS, Verdicts, again, read_grade, read_partition

JUDGE_RULES = ("exact", "normalized", "numeric", "date")

A_NUMBER, A_GRADE = 8, 32  # tokens of a reply


@dataclass(frozen=True)
class JudgedAnswers:
    """Answers with their classes, or their grades.

    answers : the table that was given, with `answer` the first wording of its class, `given` the wording itself and
        `judge` (`judge_classes`), or with `correct` 1, 0 or NaN, `graded_by` "rule", "model" or None, and `grader`
        (`grade_answers`); judge and grader hold model and hash of the prompt
    by_rule, by_model : questions (classes) or distinct answers (grades) that were settled by the rule, by the model
    reported : DataFrame of those that nobody settled, with why; classes by rule stay as they are there
    invalid : replies that were no partition or grade, by reason
    prompt_hash : of the judge's prompt
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
        """One line of what happened."""
        invalid = ", ".join(f"{count:,} x {why}" for why, count in sorted(self.invalid.items()))
        invalid = f"; invalid replies: {invalid}" * bool(invalid)
        notes = "".join(f"; {note}" for note in self.notes)
        settled = f"{self.by_rule:,} by rule, {self.by_model:,} by the model, {len(self.reported):,} by neither"
        return f"{self.what}: {settled}{invalid}; {self.usage}{notes}"

    def save_answers(self, path, *, overwrite=False):
        """Write the table for `helpers.tables.read_answers` (rule="class", or correct="correct") as CSV or JSON
        lines. ValueError if the file is there, unless `overwrite`.
        """
        save_table(self.answers, path, overwrite)

    def __str__(self):
        return self.log()


def judge_classes(
    answers, endpoint, path, *, rule="normalized", prompt="partition", question="question", answer="answer",
    spend_limit=1.0, confirm=None, progress=True,
):  # fmt: skip
    """Sort the answers to each question into classes of the same meaning: by rule, then what is left by a model.

    Parameters
    ----------
    answers : CollectedAnswers, or a DataFrame with one row an answer
    endpoint : `Endpoint` of the model that judges
    path : file of JSON lines, new or begun with the same model, prompt and rule; more answers than then are fine
    rule : "exact", "normalized", "numeric" or "date", see `helpers.answers.spell_answers`; answers that it cannot read
        are compared as "normalized"
    prompt : "partition" or a path of your own with {question} and {answers}
    question, answer : names of the columns
    spend_limit, confirm, progress : see `collect_answers`

    Returns
    -------
    JudgedAnswers. The model sees one wording of each class by rule, numbered; its partition must hold every number
    once. An invalid one is asked again up to three times; then the classes by rule stay, and the question is reported.
    Empty answers belong to no class.

    Raises
    ------
    As `collect_answers`, and for a table without these columns.
    """
    table, texts = _opened(answers, question, answer, endpoint)
    check_one_of(rule, "rule", JUDGE_RULES)
    prompt = load_prompt(prompt, "partition")
    groups, spelled = {}, _spelled(texts, rule)
    for asked, text, spelling in zip(table[question], texts, spelled, strict=True):
        groups.setdefault(asked, {}).setdefault(spelling, text)
    wordings = {asked: [text for spelling, text in found.items() if spelling] for asked, found in groups.items()}
    keys = {asked: text_key(str(asked), *found) for asked, found in wordings.items() if len(found) > 1}
    sizes = {key: len(wordings[asked]) for asked, key in keys.items()}

    def read(key, text):
        return read_partition(text, sizes[key])

    def missing(records):
        verdicts = Verdicts(_known(records, sizes), read)
        return verdicts.open([_partition(prompt, asked, wordings[asked], key) for asked, key in keys.items()])

    header = _header("classes", endpoint, {"partition": prompt.sha256}, rule)
    sent = {"spend_limit": spend_limit, "confirm": confirm, "progress": progress, "most_asks": MOST_ASKS}
    records, usage, notes = ask(endpoint, path, header, "partitions", missing, after=again(read), **sent)
    verdicts = Verdicts(_known(records, sizes), read)
    classes = {}
    for asked, key in keys.items():
        found = wordings[asked]
        for one in verdicts.found.get(key, [[number] for number in range(len(found))]):
            classes |= {(asked, found[number]): found[min(one)] for number in one}
    table["given"], table["judge"] = texts, f"{endpoint.name} {prompt.sha256}"
    rows = zip(table[question], spelled, strict=True)
    first = [groups[asked][spelling] if spelling else None for asked, spelling in rows]
    rows = zip(table[question], first, strict=True)
    table[answer] = pd.Series([classes.get(row, row[1]) for row in rows], index=table.index, dtype=object)
    lost = [(asked, verdicts.why(key)) for asked, key in keys.items() if key not in verdicts.found]
    reported = pd.DataFrame(lost, columns=["question", "why"])
    counts = len(groups) - len(keys), len(keys) - len(lost)
    what = f"classes of the answers to {len(groups):,} questions"
    return JudgedAnswers(what, table, *counts, reported, dict(verdicts.invalid), usage, prompt.sha256, notes)


def _partition(prompt, asked, wordings, key):
    """The request for a partition of some wordings."""
    lines = "\n".join(f"{number}. {' '.join(text.split())}" for number, text in enumerate(wordings, 1))
    messages = prompt.messages(question=asked, answers=lines)
    about = {"question": str(asked), "answers": wordings}
    return Request("partition", key, messages, max_tokens=A_GRADE + A_NUMBER * len(wordings), about=about)


def grade_answers(
    answers, endpoint, path, *, rule="normalized", prompt="grade", question="question", answer="answer",
    reference="reference", spend_limit=1.0, confirm=None, progress=True,
):  # fmt: skip
    """Grade answers against the right ones: correct if the rule says they are the same, else as a model says.

    Parameters
    ----------
    answers : CollectedAnswers or JudgedAnswers, or a DataFrame with one row an answer
    reference : name of the column of right answers
    prompt : "grade" or a path of your own with {question}, {answer} and {reference}
    endpoint, path, rule, question, answer, spend_limit, confirm, progress : see `judge_classes`

    Returns
    -------
    JudgedAnswers with the columns `correct` and `graded_by`. An empty answer is wrong; one without a reference has no
    grade. Every distinct answer to a question is asked once, and up to three times more if the reply is invalid; then
    it has no grade and is reported.

    Raises
    ------
    As `judge_classes`.
    """
    table, texts = _opened(answers, question, answer, endpoint, reference)
    check_one_of(rule, "rule", JUDGE_RULES)
    prompt = load_prompt(prompt, "grade")
    right = _texts(table[reference])
    same = _spelled(texts, rule), _spelled(right, rule)
    requests, rows = {}, []
    for asked, text, truth, *spelled in zip(table[question], texts, right, *same, strict=True):
        settled = None if truth is None else 1.0 if spelled[0] == spelled[1] else 0.0 if text is None else None
        key = text_key(str(asked), spelled[0] or "", truth or "")
        rows.append((settled, key, truth))
        if settled is None and truth is not None and key not in requests:
            requests[key] = _grade(prompt, asked, text, truth, key)

    def read(key, text):
        return read_grade(text)

    def missing(records):
        return Verdicts(_known(records, requests), read).open(requests.values())

    header = _header("grades", endpoint, {"grade": prompt.sha256}, rule)
    sent = {"spend_limit": spend_limit, "confirm": confirm, "progress": progress, "most_asks": MOST_ASKS}
    records, usage, notes = ask(endpoint, path, header, "grades", missing, after=again(read), **sent)
    verdicts = Verdicts(_known(records, requests), read)
    table["correct"] = [float(verdicts.found.get(key, np.nan)) if one is None else one for one, key, _ in rows]
    by = ["rule" if one is not None else "model" if key in verdicts.found else None for one, key, _ in rows]
    table["graded_by"] = pd.Series(by, index=table.index, dtype=object)
    table["grader"] = f"{endpoint.name} {prompt.sha256}"
    lost = [(one.about["question"], one.about["answer"], verdicts.why(key)) for key, one in requests.items()
            if key not in verdicts.found]  # fmt: skip
    reported = pd.DataFrame(lost, columns=["question", "answer", "why"])
    absent = len({asked for asked, (_, _, truth) in zip(table[question], rows, strict=True) if truth is None})
    notes += (f"{absent:,} questions have no reference",) * bool(absent)
    counts = len({key for one, key, _ in rows if one is not None}), len(requests) - len(lost)
    what = f"grades of {counts[0] + len(requests):,} distinct answers"
    return JudgedAnswers(what, table, *counts, reported, dict(verdicts.invalid), usage, prompt.sha256, notes)


def _grade(prompt, asked, text, truth, key):
    """The request for one grade."""
    about = {"question": str(asked), "answer": text, "reference": truth}
    messages = prompt.messages(question=asked, answer=text, reference=truth)
    return Request("grade", key, messages, max_tokens=A_GRADE, about=about)


def _known(records, keys):
    """The records about these keys; a file may hold others, of answers that are no longer in the table."""
    return [record for record in records if record["key"] in keys]


def _header(kind, endpoint, prompts, rule):
    """What the first line of a file of judgements says, without the format."""
    return {"kind": kind, "model": endpoint.name, "prompts": prompts, "rule": rule, "extra": endpoint.extra_digest}


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
    taken = ("correct", "graded_by", "grader") if reference else ("given", "judge")
    for name in taken:
        if name in table:
            raise ValueError(f"The table has a column {name!r} already, which would be written here; rename it.")
    return table.copy(), _texts(table[answer])


def _texts(values):
    """A column as texts, None where it is missing or blank."""
    return [None if pd.isna(one) or not str(one).strip() else str(one).strip() for one in values]


def _spelled(texts, rule):
    """Each text in the spelling of its class by rule, as "normalized" where the rule reads nothing, "" for none."""
    column = pd.Series(texts, dtype=object)
    first, plain, own = spell_answers(column, rule), spell_answers(column, "normalized"), column
    rows = zip(first, plain, own, strict=True)
    return [next((f"{k} {one}" for k, one in enumerate(row) if isinstance(one, str)), "") for row in rows]
