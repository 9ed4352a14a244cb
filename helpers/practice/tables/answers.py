"""A user's file of sampled answers, read and checked before anything is computed from it.

One row an answer, with columns for question, sample, answer and, where there are any, confidence and reference; or one
row a question, with a list of answers, a dictionary of counts, or a column of counts for each class. CSV, Parquet,
Feather or JSON lines; or a log of Inspect or lm-evaluation-harness. Nothing is ever written.
"""

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from helpers.answers import GroupedAnswers, parse_confidences, spell_answers
from helpers.answers.confidence import check_counts
from helpers.answers.counts import AnswerRows, count_classes, first_contradiction, is_right
from helpers.answers.held import holds_value
from helpers.answers.spelling import first_is_day, letter_of, rule_of_answers, rules_of, spell_references
from helpers.checks import check_one_of
from helpers.practice.tables.answer_layouts import long_rows, of_system, open_rows, open_systems, systems_of
from helpers.practice.tables.log_table import about_confidences, grade_value
from helpers.practice.tables.question_columns import question_columns

SHIPPED = "data/digit_answers.csv.gz"


@dataclass(frozen=True)
class AnswerTable:
    """A checked file of sampled answers."""

    name: str  # of the file
    grouped: GroupedAnswers = field(repr=False)  # answers sorted into classes
    rule: str  # when two answers are the same; "mixed" if questions have several
    columns: dict  # {role: column} of the columns that were used
    notes: tuple = ()  # what a reader should know
    sha256: str = ""  # of the file
    features: pd.DataFrame = field(default_factory=pd.DataFrame, repr=False)  # a row a question, such as its topic
    # How answers were read, a row a rule: questions, answers, none (answers that hold nothing that it reads), and of
    # the answers to questions with a known right one: graded, right, without (none), held (wrong, but they hold the
    # right value); empty for a simulation
    reading: pd.DataFrame = field(default_factory=pd.DataFrame, repr=False)
    rules: np.ndarray | None = field(default=None, repr=False)  # (Q,) rule of each question; None for a simulation

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
    reference="reference", correct="", counts=(), rule="auto", unparsed="class", options="", scale="auto",
    failed="left out",
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
        When two answers are the same, see `helpers.answers.spell_answers`. For "auto" the right answers say it,
        question by question: one that is a date, a number, a number with a unit, or a formula is read as such, letters
        if all are; all else is "normalized". Where no right answer is known the answers decide, for all. Notes say
        what was assumed.
    unparsed : {"class", "singletons", "drop"}, default "class"
        Answers in which the rule finds nothing, such as refusals: they are one answer, which is never right; each is
        another one; or they are left out, and questions without any other.
    options : str, default ""
        Column that holds the list of options of each question, or "": its answers are then letters, A for the first;
        the text of an option counts as its letter, in answers and right answers.
    scale : str, number or dict, default "auto"
        What a stated confidence without a sign means: "share", "percent", the highest step of a scale such as 10, or
        {word: share}, see `helpers.answers.parse_confidences`.
    failed : {"left out", "wrong"}, default "left out"
        What becomes of answers that a log did not grade (an error, no score) or that were withdrawn afterwards. A note
        says how many, and the share that is right either way.

    Returns
    -------
    AnswerTable
        With `grouped` (a `GroupedAnswers`), `features` (further columns about whole questions), `reading` (how answers
        were read, and how many are right) and `notes`. Missing references and confidences are counted. Empty cells and
        null are missing, in CSV also NA and NaN.

    Examples
    --------
    >>> print(read_answers())
    digit_answers.csv.gz: 6,250 answers to 250 questions; right answer known for 250, confidence stated for 250
    >>> read_answers(answer="anwser")
    Traceback (most recent call last):
    ValueError: digit_answers.csv.gz has no column 'anwser' (answer); did you mean 'answer'?
    """
    names = {"question": question, "sample": sample, "answer": answer, "confidence": confidence}
    names |= {"reference": reference, "correct": correct, "counts": counts, "rule": rule, "unparsed": unparsed}
    names |= {"options": options, "scale": scale, "failed": failed}
    opened = open_rows(path, **names)
    return _read([opened])[0]


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
        One or two, the one to audit first; their answers are read by the same rules.

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
        first, second = _read([open_rows(path, **columns), open_rows(against, **columns)])
        return {first.name: first, second.name if second.name != first.name else f"{second.name} (2)": second}
    graded = bool(columns.get("correct")) or columns.get("reference", "reference") == "reference"
    source = open_systems(path, columns.get("correct", ""), graded, columns.get("failed", "left out"))
    names = systems_of(source, system)
    for name in systems:
        if not names:
            raise ValueError(f"systems names {name!r}, but system names no column that tells systems apart.")
        check_one_of(str(name), "systems", names)
    chosen = list(dict.fromkeys(map(str, systems))) or names
    if not chosen:
        return {"": _read([open_rows(source, **columns)])[0]}
    if len(chosen) > 2:
        raise ValueError(f"systems must name two at the most, but there are {len(chosen)}: {', '.join(chosen)}.")
    opened = [open_rows(of_system(source, system, name), **columns) for name in chosen]
    return dict(zip(chosen, _read(opened), strict=True))


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


def _read(opened):
    """`AnswerTable`s of files that are compared, by one choice of rules."""
    rules, notes = _choose_rules(opened[0].rule, [one.frame for one in opened])
    return [_table_of(one, rules, notes) for one in opened]


def _choose_rules(rule, frames):
    """(rules by question, or one for all; notes), from the right answers of all files together, else from the answers.

    Whether an answer is right has no part in it. A file with grades may hold right answers as well (column "meant").
    """
    if rule != "auto":
        return rule, []
    answers = pd.concat([frame["answer"] for frame in frames], ignore_index=True)
    known = [
        frame[["question", name]].dropna().set_axis(["question", "reference"], axis=1)
        for frame in frames
        for name in ("reference", "meant")
        if name in frame
    ]
    if not sum(map(len, known)) and any("options" in frame for frame in frames):
        return "letter", []
    if not sum(map(len, known)):
        rule, note = rule_of_answers(answers)
        return rule, [note]
    right = pd.concat(known, ignore_index=True).explode("reference").dropna()
    several = right.groupby("question", sort=False)["reference"].agg(lambda cells: list(dict.fromkeys(cells)))
    kinds, notes = rules_of(several)
    rules = pd.Series(kinds, several.index, dtype=object)
    for frame in frames:
        if "options" in frame:
            rules[rules.index.isin(frame["question"])] = "letter"
    if (rules == "date").any():
        day_first, n_either = first_is_day(answers.dropna().map(str), right["reference"].map(str))
        if day_first:
            rules[rules == "date"] = "day-first"
        if n_either:
            first, other = ("day", "date") if day_first else ("month", "day-first")
            notes.append(
                f"{n_either:,} dates such as 5/3/1914 are read with the {first} first; rule {other!r} does not"
            )
    unknown = {name for frame in frames for name in frame["question"]} - set(rules.index)
    commonest = rules.value_counts().idxmax()
    if unknown and rules.nunique() > 1:
        notes.append(f"{len(unknown):,} questions without a right answer are read by the commonest rule, {commonest!r}")
    return pd.concat([rules, pd.Series(commonest, list(unknown), dtype=object)]), notes


def _by_row(rules, question):
    """The rule of each row, from rules by question or one for all."""
    return np.asarray(question.map(rules) if isinstance(rules, pd.Series) else [rules] * len(question), object)


def _table_of(opened, rules, notes):
    """`AnswerTable` of a file with an answer, a list or a dictionary of counts in each row, by rules."""
    source, columns, frame = opened.source, opened.columns, opened.frame
    notes = [*opened.notes, *notes]
    by_row = _by_row(rules, frame["question"])
    spelled = _spell(source, columns, frame, by_row)
    if opened.rule == "auto" and "correct" in columns:  # a judge may have read what the rule does not
        as_texts = spell_answers(frame["answer"])
        spelled = np.where(pd.isna(spelled), as_texts, spelled)
    right = _read_references(source, columns["reference"], frame, by_row) if "reference" in columns else None
    if "reference" in columns:
        is_list = frame["reference"].map(lambda cell: isinstance(cell, tuple))
        n_several = frame.loc[is_list, "question"].nunique()
        if n_several:
            notes.append(f"{n_several:,} question{'s have' if n_several > 1 else ' has'} several right answers")
    grades = _grades(source, columns["correct"], frame["correct"], frame["row"]) if "correct" in columns else None
    reading = _reading(frame, by_row, spelled, right, grades)
    kept = np.full(len(frame), True)
    if opened.unparsed == "drop":
        kept = ~pd.isna(spelled)
        notes += _about_dropped(frame, kept)
    size = frame["question"][kept].groupby(frame["question"]).transform("size").reindex(frame.index, fill_value=0)
    single = kept & (size == 1).to_numpy()
    if single.any():
        notes.append(f"{single.sum():,} question{'s' if single.sum() > 1 else ''} with a single answer left out")
    kept &= ~single
    if frame["question"][kept].nunique() < 2:
        raise ValueError(
            f"{source.name} must hold two questions with several answers that can be read, but it holds "
            f'{frame["question"][kept].nunique()}; unparsed="class" keeps the others.'
        )
    confidence = None
    if "confidence" in columns:
        confidence = _confidences(source, columns["confidence"], frame["confidence"][kept], opened.scale)
        then = "; the mean of their question leaves them out"
        notes += about_confidences(int(kept.sum()), confidence, opened.scale, then)
    rows = AnswerRows(
        question=frame["question"][kept].reset_index(drop=True),
        place=opened.place[kept],
        answer=spelled[kept],
        reference=None if right is None else right[kept],
        has_reference=None if right is None else frame["reference"].notna().to_numpy()[kept],
        confidence=confidence,
        grade=None if grades is None else grades[kept],
    )
    grouped = count_classes(rows, "singletons" if opened.unparsed == "singletons" else "class")
    rule = by_row[0] if len(reading) == 1 else "mixed"
    by_question = pd.Series(by_row).groupby(frame["question"].to_numpy()).first()
    table = AnswerTable(
        source.name, grouped, rule, columns, (*notes, *source.notes), source.sha256, reading=reading,
        rules=by_question.reindex(grouped.questions).to_numpy(),
    )  # fmt: skip
    return replace(table, features=question_columns(source, columns["question"], opened.used, grouped.questions))


def grade_single(source):
    """(1.0, 0.0 or NaN for each row, notes) of the columns `answer` and `reference` of a table, read as answers are."""
    columns = {"answer": "answer", "reference": "reference"}
    frame = long_rows(replace(source, as_text=True), columns)
    frame["question"] = frame["row"]
    rules, notes = _choose_rules("auto", [frame])
    by_row = _by_row(rules, frame["question"])
    spelled = _spell(source, columns, frame, by_row)
    right = _read_references(source, "reference", frame, by_row)
    pairs = zip(spelled, right, strict=True)
    grades = [np.nan if known is None else float(is_right(given, known)) for given, known in pairs]
    reading = _reading(frame, by_row, spelled, right, None)
    shown = ", ".join(f"{row.questions:,} by rule {row.rule!r}" for row in reading.itertuples())
    notes.append(f"answers are compared with their references: {shown}")
    for count, what in (("without", "hold none that could be read"), ("held", "hold the right value")):
        number = int(reading[count].sum())
        notes += [f"{number:,} of the answers that are wrong {what}"] if number else []
    return np.array(grades), notes


def _about_dropped(frame, kept):
    """Notes on answers that are left out, because nothing can be read in them."""
    n_lost = frame["question"].nunique() - frame["question"][kept].nunique()
    lost = f", and {n_lost:,} questions without any other" if n_lost else ""
    return [f"{(~kept).sum():,} answers that hold none are left out{lost}"] if not kept.all() else []


def _spell(source, columns, frame, by_row):
    """Answers in the spelling of their rules; ValueError if they read none of them."""
    spelled = _as_options(frame, "answer", by_row, spell_answers(frame["answer"], by_row))
    if pd.isna(spelled).all():
        first = frame["answer"].dropna()
        shown = f"; the first is {first.iloc[0]!r}" if len(first) else ""
        names = " or ".join(repr(name) for name in dict.fromkeys(by_row))
        raise ValueError(
            f"{source.name}: column {columns['answer']!r} must hold answers that rule {names} can read, but it reads "
            f"none of the {len(frame):,}{shown}. Give another `rule`, `options` (a column of lists whose letters are "
            "meant) or `correct` (a column of grades)."
        )
    return spelled


def _as_options(frame, role, by_row, spelled):
    """Spellings, with the letters of options where letters are read and the file has options."""
    if "options" not in frame:
        return spelled
    rows = np.flatnonzero((by_row == "letter") & frame[role].notna().to_numpy())
    pairs = list(zip(frame[role].iloc[rows], frame["options"].iloc[rows], strict=True))
    letters = {}
    for cell, options in dict.fromkeys(pairs):
        named = [letter_of(str(text), options) for text in (cell if isinstance(cell, tuple) else (cell,))]
        several = frozenset(named) - {None}
        letters[cell, options] = (several or None) if isinstance(cell, tuple) else named[0]
    spelled = spelled.copy()
    spelled[rows] = np.fromiter((letters[pair] for pair in pairs), object, len(pairs))
    return spelled


def _read_references(source, column, frame, by_row):
    """Spelled right answers; ValueError for a question with two, naming both rows."""
    spelled = _as_options(frame, "reference", by_row, spell_references(frame["reference"], by_row))
    rows = first_contradiction(frame["question"], spelled)
    if rows is not None:
        cells = [list(cell) if isinstance(cell, tuple) else cell for cell in frame["reference"].iloc[list(rows)]]
        places = [source.where(frame["row"].iloc[k]) for k in rows]
        both = " and ".join(f"{cell!r} in {place}" for cell, place in zip(cells, places, strict=True))
        raise ValueError(
            f"{source.name}: column {column!r} must hold one right answer to a question, but to "
            f"{frame['question'].iloc[rows[0]]!r} it is {both}; if both are right, give a list in each row."
        )
    return spelled


def _reading(frame, by_row, spelled, right, grades):
    """How answers were read, a row a rule; see `AnswerTable.reading`."""
    none = pd.isna(spelled)
    held = np.full(len(frame), False)
    if right is not None:
        first = pd.Series(right, dtype=object).groupby(pd.factorize(frame["question"])[0]).transform("first")
        graded = first.notna().to_numpy()
        correct = np.array([is_right(*pair) for pair in zip(spelled, first, strict=True)]) & graded & ~none
        texts = frame["reference"].groupby(frame["question"]).transform("first")
        held = _held(frame["answer"], texts, by_row, ~none, graded & ~correct)
    elif grades is not None:
        graded = ~np.isnan(grades)
        correct = grades == 1
    else:
        graded = correct = np.full(len(frame), False)
    rows = pd.DataFrame({"answers": 1, "none": none, "graded": graded, "right": correct, "without": graded & none})
    rows = rows.assign(held=held).astype(int)
    table = rows.groupby(by_row, sort=False).sum().rename_axis("rule")
    table.insert(0, "questions", frame["question"].groupby(by_row, sort=False).nunique())
    return table.reset_index().sort_values("questions", ascending=False, kind="stable", ignore_index=True)


def _held(answers, references, by_row, is_read, wrong):
    """(n,) whether an answer counts as wrong and holds the right value; each pair is looked at once."""
    rows = np.flatnonzero(wrong & answers.notna().to_numpy() & ~np.isin(by_row, ("class", "exact")))
    each = zip(answers.iloc[rows], references.iloc[rows], by_row[rows], is_read[rows], strict=True)
    pairs = [
        (answer, right if isinstance(right, tuple) else (right,), rule, read) for answer, right, rule, read in each
    ]
    holds = {pair: holds_value(*pair) for pair in dict.fromkeys(pairs)}
    held = np.full(len(answers), False)
    held[rows] = [holds[pair] for pair in pairs]
    return held


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
