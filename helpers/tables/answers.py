"""A user's file of sampled answers, read and checked before anything is computed from it.

One row an answer, with columns for question, sample, answer and, where there are any, confidence and reference; or one
row a question, with a list of answers, a dictionary of counts, or a column of counts for each class. CSV, Parquet,
Feather or JSON lines; or a log of Inspect or lm-evaluation-harness. Nothing is ever written.
"""

import re
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from helpers.answers import RULES, GroupedAnswers, parse_confidences, spell_answers
from helpers.answers.confidence import check_counts
from helpers.answers.counts import AnswerRows, count_classes, first_contradiction
from helpers.checks import check_one_of
from helpers.tables import answer_layouts as layouts
from helpers.tables.answer_layouts import DEFAULTS, RECORDED
from helpers.tables.log_table import about_confidences, grade_value
from helpers.tables.question_columns import question_columns

SHIPPED = "data/digit_answers.csv.gz"

NEARLY_ALL = 0.95  # of the right answers, which must be of the kind wholly

MOST = 0.8  # of the answers, in which the kind must be found

_NUMBER = re.compile(r"[-+]?\W?\d[\d,]*(?:\.\d+)?\s*(?:%|[^\W\d]{1,3})?\.?")

_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]*\.?"

_DATE = re.compile(
    rf"\d{{1,2}}/\d{{1,2}}/\d{{4}}|\d{{4}}-\d{{1,2}}-\d{{1,2}}|{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{4}}"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH},?\s+\d{{4}}"
)

_LETTER = re.compile(r"\(?[A-J][).]?", re.IGNORECASE)

KINDS = {"date": _DATE, "numeric": _NUMBER, "letter": _LETTER}


@dataclass(frozen=True)
class AnswerTable:
    """A checked file of sampled answers."""

    name: str  # of the file
    grouped: GroupedAnswers = field(repr=False)  # answers sorted into classes
    rule: str  # when two answers are the same
    columns: dict  # {role: column} of the columns that were used
    notes: tuple = ()  # what a reader should know
    sha256: str = ""  # of the file
    features: pd.DataFrame = field(default_factory=pd.DataFrame, repr=False)  # a row a question, such as its topic

    @property
    def n_questions(self):
        return len(self.grouped.counts)

    @property
    def n_answers(self):
        return int(self.grouped.n_answers.sum())

    @property
    def graded(self):
        """(Q,) bool: whether the right answer is known."""
        return self.grouped.graded

    @property
    def stated(self):
        """(Q,) bool: whether a confidence was stated."""
        return np.isfinite(self.grouped.confidence)

    def __str__(self):
        return (
            f"{self.name}: {self.n_answers:,} answers to {self.n_questions:,} questions; right answer known for "
            f"{self.graded.sum():,}, confidence stated for {self.stated.sum():,}"
        )


def read_answers(
    path=SHIPPED, *, question="question", sample="sample", answer="answer", confidence="confidence",
    reference="reference", correct="", counts=(), rule="auto", scale="auto", failed="left out",
):  # fmt: skip
    """Read a file of sampled answers; a ValueError names the file, the column, the rule and the first row.

    Parameters
    ----------
    path : str, Path or DataFrame, default "data/digit_answers.csv.gz"
        A table with one row an answer, or a file as for `read_scores`.
        Or a log of Inspect (`.eval`, `.json`) or lm-evaluation-harness (`samples_*.jsonl`), known by its content, with
        the columns question, sample, answer (as its scorer read it), reply (the whole text), target and, if it holds
        log-probabilities, likelihood (of the reply). The recorded log `data/smollm2_answers.jsonl.gz`, or the table of
        `helpers.datasets.load_smollm2_answers`, brings its own classes, grades, and P(True) as confidence.
    question, sample, answer, confidence, reference : str, default their own names
        Names of columns. "" stands for none; sample, confidence and reference may also be absent under these default
        names, and a note says so. `answer` may hold lists (of the answers to a question) or dictionaries
        {answer: count}.
    correct : str, default ""
        Column of grades 0 and 1 that a judge gave to each answer, instead of a reference; "" for none. In a log the
        name of a scorer, or of a metric and filter such as "exact_match,strict-match"; "" for the first, unless
        `reference` is "target" or "".
    counts : list of str, default ()
        Columns with counts, one for each class, in a file with one row a question; `reference` then names one of
        them, and `sample`, `answer` and `correct` are not used.
    rule : str, default "auto"
        When two answers are the same, see `helpers.answers.spell_answers`; "auto" looks whether nearly all right
        answers, or all answers, are numbers, dates or letters of options.
    scale : str, number or dict, default "auto"
        What a stated confidence without a sign means: "share", "percent", the highest step of a scale such as 10, or
        {word: share}, see `helpers.answers.parse_confidences`.
    failed : {"left out", "wrong"}, default "left out"
        What becomes of answers that a log did not grade (an error, no score) or that were withdrawn afterwards. A note
        says how many, and the share that is right either way.

    Returns
    -------
    AnswerTable
        With `grouped` (a `GroupedAnswers`), `features` (further columns about whole questions) and `notes`. Answers
        that the rule cannot read count as answers of their own; missing references and confidences are counted. Empty
        cells and null are missing, in CSV also NA and NaN.

    Examples
    --------
    >>> print(read_answers())
    digit_answers.csv.gz: 6,250 answers to 250 questions; right answer known for 250, confidence stated for 250
    >>> read_answers(answer="anwser")
    Traceback (most recent call last):
    ValueError: digit_answers.csv.gz has no column 'anwser' (answer); did you mean 'answer'?
    """
    check_one_of(rule, "rule", ("auto", *RULES))
    graded = bool(correct) or reference == DEFAULTS["reference"]
    source = layouts.open_systems(path, correct, graded, failed)
    names = layouts.systems_of(source)
    if len(names) > 1:
        source = layouts.of_system(source, "", names[0])
    if set(RECORDED) <= set(source.names):
        given = {"answer": answer, "confidence": confidence, "correct": correct, "reference": reference, "rule": rule}
        given |= layouts.recorded_roles(given)
        answer, confidence, correct, rule = (given[name] for name in layouts.RECORDED_ROLES)
    if source.is_log:  # graded by what graded the log, if it tells for each answer
        correct = "correct" if "correct" in source.names else ""
        reference = "target" if graded else reference
    if len(counts):
        if question == DEFAULTS["question"] and question not in source.names:
            question = ""
        source, answer, question = layouts.with_counts(source, list(counts), question, reference)
        sample = correct = ""
        rule = "class"
    roles = {"answer": answer, "sample": sample, "correct": correct, "question": question, "confidence": confidence}
    columns, notes = layouts.find_columns(source, roles | {"reference": "" if correct else reference})
    for role in ("question", "answer"):
        if role not in columns:
            raise ValueError(f"{role} must name a column of {source.name}, but it is not given.")
    table = _from_rows(source, columns, notes, rule, scale)
    if source.is_log:  # its other columns are not about whole questions
        return table
    used = {question, sample, answer, confidence, reference, correct, *counts, *table.columns.values()}
    if set(RECORDED) <= set(source.names):
        used |= set(source.names) - {"kind"}  # of the question; the others are about answers
    return replace(table, features=question_columns(source, question, used, table.grouped.questions))


def read_systems(path, *, system="", systems=(), against="", **columns):
    """Read the answers of one system, or of two to compare: from one file with a column of systems, or from two files.

    Parameters
    ----------
    path : str, Path or DataFrame
        As in `read_answers`.
    system : str, default ""
        Column that tells systems apart; "" for one system. The recorded log tells its two prompts apart.
    systems : list of str, default ()
        The two to compare, the one to audit first; () for all, which may be two at the most.
    against : str or Path, default ""
        A second file with the same columns, instead of a column of systems; "" for none.
    **columns
        As in `read_answers`.

    Returns
    -------
    dict of str to AnswerTable
        One or two, the one to audit first.

    Examples
    --------
    >>> rows = {"question": ["a", "a", "b", "b"] * 2, "answer": list("xxyzxyzz"), "model": ["new"] * 4 + ["old"] * 4}
    >>> list(read_systems(pd.DataFrame(rows), system="model"))
    ['new', 'old']
    """
    systems = [systems] if isinstance(systems, str) else list(systems)
    if str(against):
        if system or systems:
            raise ValueError("against names a second file, so system and systems must be empty.")
        first = read_answers(path, **columns)
        second = read_answers(against, **columns)
        return {first.name: first, second.name if second.name != first.name else f"{second.name} (2)": second}
    graded = bool(columns.get("correct")) or columns.get("reference", "reference") == "reference"
    source = layouts.open_systems(path, columns.get("correct", ""), graded, columns.get("failed", "left out"))
    names = layouts.systems_of(source, system)
    for name in systems:
        if not names:
            raise ValueError(f"systems names {name!r}, but system names no column that tells systems apart.")
        check_one_of(str(name), "systems", names)
    chosen = list(dict.fromkeys(map(str, systems))) or names
    if not chosen:
        return {"": read_answers(source, **columns)}
    if len(chosen) > 2:
        raise ValueError(f"systems must name two at the most, but there are {len(chosen)}: {', '.join(chosen)}.")
    return {name: read_answers(layouts.of_system(source, system, name), **columns) for name in chosen}


def table_of_counts(counts, correct=None, *, confidence=None, name="simulated"):
    """Make an `AnswerTable` of counts without a file, for simulations.

    Parameters
    ----------
    counts : (Q, C) int array
        How often each class was the answer to each question, at least twice together.
    correct : (Q, C) array of 0, 1 and -1, optional
        Whether the class is right; -1 for unknown, which all are by default.
    confidence : (Q,) array, optional
        Stated confidences in [0, 1]; NaN for none, which all are by default.
    name : str, default "simulated"
        Name of the table.

    Returns
    -------
    AnswerTable
        Its questions are numbered.

    Examples
    --------
    >>> print(table_of_counts([[3, 1], [2, 2]], [[1, 0], [0, 1]]))
    simulated: 8 answers to 2 questions; right answer known for 2, confidence stated for 0
    """
    counts = check_counts(counts, least=2)
    stated = np.full(len(counts), np.nan) if confidence is None else np.array(confidence, dtype=float)
    correct = np.full(counts.shape, -1) if correct is None else np.array(correct, dtype=int)
    names = tuple(tuple(range(int(np.flatnonzero(row)[-1]) + 1)) for row in counts)
    n_answers = counts.sum(axis=1)
    n_stated = np.isfinite(stated).astype(int)
    n_unread = np.zeros(len(counts), dtype=int)
    order = np.zeros((len(counts), 0), dtype=int)
    questions = np.arange(len(counts))
    grouped = GroupedAnswers(counts, names, questions, n_answers, correct, stated, n_stated, n_unread, order, {})
    return AnswerTable(name, grouped, "class", {})


def _from_rows(source, columns, notes, rule, scale):
    """`AnswerTable` of a file with an answer, a list or a dictionary of counts in each row."""
    frame = layouts.long_rows(source, columns)
    if frame["row"].duplicated().any():  # lists or counts number their answers themselves
        columns = {role: name for role, name in columns.items() if role != "sample"}
        notes = [note for note in notes if "'sample'" not in note]
    place = layouts.check_rows(source, columns, frame)
    several = (frame.groupby("question", sort=False)["row"].transform("size") > 1).to_numpy()
    if not several.all():
        n_single = int((~several).sum())
        notes.append(f"{n_single:,} question{'s' if n_single > 1 else ''} with a single answer left out")
        frame = frame[several].reset_index(drop=True)
        place = place[several]
    read = {}
    if "confidence" in columns:
        read["confidence"] = _confidences(source, columns["confidence"], frame["confidence"], scale)
        notes += about_confidences(len(frame), read["confidence"], scale)
    if "correct" in columns:
        read["grade"] = _grades(source, columns["correct"], frame["correct"], frame["row"])
    if rule == "auto":
        rule = look_for_rule(frame["answer"], frame.get("reference"))
    grouped = _grouped(source, columns, frame, place, rule, read)
    return AnswerTable(source.name, grouped, rule, columns, (*notes, *source.notes), source.sha256)


def look_for_rule(answers, references=None):
    """The rule for numbers, dates or letters if nearly all right answers (or answers) are such; else "normalized"."""
    given = pd.Series(answers if references is None or not references.notna().any() else references).dropna()
    texts = given.map(lambda value: str(value).strip()).unique()
    if not len(texts):
        return "normalized"
    for rule, pattern in KINDS.items():
        fits = [bool(pattern.fullmatch(text if rule == "letter" else text.lower())) for text in texts]
        if np.mean(fits) >= NEARLY_ALL and pd.notna(spell_answers(answers, rule)).mean() >= MOST:
            return rule if rule != "letter" or len({text.strip("().").upper() for text in texts}) > 1 else "normalized"
    return "normalized"


def _grouped(source, columns, frame, place, rule, read):
    """Answers sorted into classes by a rule; ValueError if it reads none of them."""
    spelled = spell_answers(frame["answer"], rule)
    if pd.isna(spelled).all():
        first = frame["answer"].dropna()
        shown = f"; the first is {first.iloc[0]!r}" if len(first) else ""
        raise ValueError(
            f"{source.name}: column {columns['answer']!r} must hold answers that rule {rule!r} can read, but it reads "
            f"none of the {len(frame):,}{shown}."
        )
    right = {}
    if "reference" in columns:
        right["reference"] = _read_references(source, columns["reference"], frame, rule)
        right["has_reference"] = frame["reference"].notna().to_numpy()
    return count_classes(AnswerRows(frame["question"], place, spelled, **right, **read))


def _read_references(source, column, frame, rule):
    """Spelled right answers; ValueError for a question with two, naming both rows."""
    spelled = spell_answers(frame["reference"], rule)
    rows = first_contradiction(frame["question"], spelled)
    if rows is not None:
        both = " and ".join(f"{frame['reference'].iloc[k]!r} in {source.where(frame['row'].iloc[k])}" for k in rows)
        raise ValueError(
            f"{source.name}: column {column!r} must hold one right answer to a question, but to "
            f"{frame['question'].iloc[rows[0]]!r} it is {both}."
        )
    return spelled


def _grades(source, column, values, rows):
    """Grades 0, 1 or NaN as floats; ValueError for another value."""
    grades = [grade_value(value) for value in values]
    wrong = [grade is None for grade in grades]
    if any(wrong):
        source.reject(column, "hold grades 0 and 1 (or false and true)", wrong, values, rows=rows)
    return np.array(grades, dtype=float)


def _confidences(source, column, values, scale):
    """`StatedConfidences` of a column; ValueError if there are some and none can be read."""
    try:
        read = parse_confidences(values, scale=scale)
    except ValueError as error:
        raise ValueError(f"{source.name}: column {column!r}: {error}") from None
    if read.n_unread and not np.isfinite(read.values).any():
        first = values.dropna().iloc[0]
        raise ValueError(
            f"{source.name}: column {column!r} must hold confidences such as 0.95 or 95%, but none of the "
            f"{read.n_unread:,} can be read; the first is {first!r}. Words need a scale, such as low=0.2,high=0.9. If "
            'there are none, set confidence to "".'
        )
    return read
