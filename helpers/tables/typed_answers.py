"""Answers of a model that states a probability for each option of a question: yes-no, choice, ordered score.

One JSON object a line: `question` (its name), `type`, `options`, `probabilities` in their order, and `truth`, the
option that was right. Whatever else is there is known about the case.
"""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers.checks import check_columns
from helpers.tables.files import JSON_LINES, open_table

TYPES = ("yes-no", "choice", "score")

NEEDED = ("question", "type", "options", "probabilities", "truth")

ROUNDED = 5e-4  # half of the third decimal: how far a probability may be off that was rounded for writing

MOST_ROUNDED = 0.01  # how far the sum of many of them may be off


@dataclass(frozen=True)
class TypedAnswers:
    """The answers to one question, one row a case.

    Parameters
    ----------
    question : str
        Name of the question.
    type : {"yes-no", "choice", "score"}
        What is asked; the options of a score are ordered, lowest first.
    y : (n,) int array
        The option that was right, from 0.
    P : (n, K) DataFrame
        Stated probabilities; the columns are the options.
    X : (n, d) DataFrame
        What else is known about the cases.

    Examples
    --------
    >>> answers = read_typed_answers("data/sparrow_answers.jsonl.gz")
    >>> print(answers["liked"])
    liked (yes-no): 1,200 answers, 2 options; 51.2% right
    """

    question: str
    type: str
    y: np.ndarray = field(repr=False)
    P: pd.DataFrame = field(repr=False)
    X: pd.DataFrame = field(repr=False)

    @property
    def options(self):
        """The options, in their order."""
        return list(self.P)

    @property
    def confidence(self):
        """Stated probability of the likeliest option, (n,)."""
        return self.P.to_numpy().max(axis=1)

    @property
    def correct(self):
        """1 where the likeliest option was right, else 0, (n,); of equally likely ones the first is the answer."""
        return (self.P.to_numpy().argmax(axis=1) == self.y).astype(int)

    def __str__(self):
        size = f"{len(self.y):,} answers, {len(self.options)} options"
        return f"{self.question} ({self.type}): {size}; {self.correct.mean():.1%} right"


def read_typed_answers(source):
    """Read answers with a probability for each option, one JSON object a line.

    Parameters
    ----------
    source : str, Path or DataFrame
        File (.jsonl, .jsonl.gz) or table with the columns question, type ("yes-no", "choice" or "score"), options (a
        list), probabilities (a list in the same order) and truth (one of the options). A question has the same type and
        the same options in every row.

    Returns
    -------
    dict
        {question: TypedAnswers}, in order of first appearance. Probabilities that were rounded for writing (to three
        decimals or more) are divided by their sum.

    Raises
    ------
    ValueError
        For a missing column, type, question, option or truth, a truth that is no option, probabilities outside [0, 1],
        too few or too many, or with a sum that is not 1; it names the first row and counts the others.

    Examples
    --------
    >>> rows = {"question": "late", "type": "yes-no", "options": [["no", "yes"]] * 2}
    >>> table = pd.DataFrame(rows | {"probabilities": [[0.9, 0.1], [0.4, 0.6]], "truth": ["no", "no"]})
    >>> answers = read_typed_answers(table)["late"]
    >>> answers.y, answers.correct
    (array([0, 0]), array([1, 0]))
    """
    table = open_table(source, JSON_LINES, as_text=True)
    check_columns(table.name, table.names, {f"column {k}": name for k, name in enumerate(NEEDED, 1)})
    frame = table.read(NEEDED)
    _check_questions(table, frame)
    frame["probabilities"] = _checked_probabilities(table, frame)
    _check_truth(table, frame)
    known = table.frame.drop(columns=list(NEEDED)).infer_objects()
    return {name: _one_question(name, rows, known) for name, rows in frame.groupby("question", sort=False)}


def _demand(table, column, rule, right, shown=None):
    """ValueError for the first row that is not `right`, counting the others; `shown` are the values it may name."""
    bad = ~np.array(list(right), dtype=bool)
    if bad.any():
        table.reject(column, rule, bad, table.frame[column] if shown is None else shown)


def _check_questions(table, frame):
    """ValueError unless each row has a question, a type and a list of options: those of the question's first row."""
    question, kind, options = frame["question"], frame["type"], frame["options"]
    _demand(table, "question", "name a question", [isinstance(name, str) for name in question])
    _demand(table, "type", f"be one of {', '.join(TYPES)}", [value in TYPES for value in kind])
    _demand(table, "options", "be a list of two or more different options", map(_are_options, options))
    sizes = zip(kind, options, strict=True)
    _demand(table, "options", "be two where the type is yes-no", [k != "yes-no" or len(o) == 2 for k, o in sizes])
    first = (~question.duplicated()).groupby(question).transform("idxmax")
    for column in ("type", "options"):
        pairs = zip(frame[column], frame[column].loc[first], strict=True)
        _demand(table, column, "be the same in every row of a question", [value == other for value, other in pairs])


def _are_options(options):
    """Whether this is a list of two or more texts, none twice."""
    if not isinstance(options, list) or not all(isinstance(option, str) for option in options):
        return False
    return len(options) >= 2 and len(set(options)) == len(options)


def _checked_probabilities(table, frame):
    """Probabilities of each row as an array that sums to 1; ValueError if they are no probabilities of its options."""
    column = "probabilities"
    rows = list(map(_as_numbers, frame[column]))
    sizes = zip(rows, frame["options"], strict=True)
    _demand(table, column, "have one number for each option", [row.shape == (len(options),) for row, options in sizes])
    _demand(table, column, "lie in [0, 1]", [((row >= 0) & (row <= 1)).all() for row in rows])
    total = [float(row.sum().round(6)) for row in rows]
    tolerance = [min(ROUNDED * len(row), MOST_ROUNDED) for row in rows]
    _demand(table, column, "sum to 1", np.abs(np.subtract(total, 1)) <= tolerance, total)
    return pd.Series([row / row.sum() for row in rows], index=frame.index)


def _as_numbers(values):
    """A list as an array of numbers; empty if it is none."""
    try:
        return np.array(values if isinstance(values, list) else [], dtype=float)
    except (TypeError, ValueError):
        return np.empty(0)


def _check_truth(table, frame):
    """ValueError unless the truth of each row is there, and one of its options."""
    _demand(table, "truth", "be known for every answer", frame["truth"].notna())
    pairs = zip(frame["truth"], frame["options"], strict=True)
    _demand(table, "truth", "be one of the options", [truth in options for truth, options in pairs])


def _one_question(name, rows, known):
    """The answers to one question from its checked rows."""
    options = rows["options"].iloc[0]
    return TypedAnswers(
        question=name,
        type=rows["type"].iloc[0],
        y=np.array([options.index(truth) for truth in rows["truth"]]),
        P=pd.DataFrame(np.stack(rows["probabilities"].to_list()), columns=options),
        X=known.loc[rows.index].reset_index(drop=True),
    )
