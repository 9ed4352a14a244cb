"""Answers of a model that states a probability for each option of a question: yes-no, choice, ordered score.

One JSON object a line: `question` (its name), `type`, `options`, `probabilities` in their order, and `truth`, the
option that was right. Whatever else is there is known about the case.
"""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers.checks import check_columns
from helpers.practice.tables.files import JSON_LINES, open_table

TYPES = ("yes-no", "choice", "score")

NEEDED = ("question", "type", "options", "probabilities", "truth")

ROUNDED = 5e-4  # half of the third decimal: how far a probability may be off that was rounded for writing

MOST_ROUNDED = 0.01  # how far the sum of many of them may be off


@dataclass(frozen=True)
class TypedAnswers:
    """The answers to one question, one row a case."""

    question: str
    type: str  # the options of a score are ordered, lowest first
    y: np.ndarray = field(repr=False)  # (n,) the option that was right, from 0
    P: pd.DataFrame = field(repr=False)  # (n, K) stated probabilities; the columns are the options
    X: pd.DataFrame = field(repr=False)  # what else is known about the cases

    @property
    def options(self):
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
        return f"{self.question} ({self.type}): {size}; {100 * self.correct.mean():.1f} % right"


def read_typed_answers(source):
    """Read answers with a probability for each option, one JSON object a line.

    Parameters
    ----------
    source : str, Path or DataFrame
        File (.jsonl, .jsonl.gz) or table with the columns question, type ("yes-no", "choice" or "score"), options (a
        list; those of a score are ordered), probabilities (a list in the same order) and truth (one of the options). A
        question has the same type and the same options in every row.

    Returns
    -------
    dict
        {question: TypedAnswers}, in order of first appearance: `y` (the option that was right, from 0), `P` (a column
        an option), `X` (what else the file holds), `confidence` and `correct` of the likeliest option. Probabilities
        that were rounded for writing (to three decimals or more) are divided by their sum.

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

    def demand(column, rule, right, values=table.frame):
        """ValueError for the first row that is not right, counting the others."""
        bad = ~np.array(right, dtype=bool)
        if bad.any():
            table.reject(column, rule, bad, values[column])

    question, kind, options = frame["question"], frame["type"], frame["options"]
    demand("question", "name a question", [isinstance(name, str) for name in question])
    demand("type", f"be one of {', '.join(TYPES)}", [value in TYPES for value in kind])
    demand("options", "be a list of two or more different options", list(map(_are_options, options)))
    sizes = options.map(len)
    demand("options", "be two where the type is yes-no", (kind != "yes-no") | (sizes == 2))
    for column in ("type", "options"):
        first = dict(zip(reversed(question.tolist()), reversed(frame[column].tolist()), strict=True))
        same = [value == first[name] for name, value in zip(question, frame[column], strict=True)]
        demand(column, "be the same in every row of a question", same)
    P = frame["probabilities"].map(_as_numbers)
    demand("probabilities", "have one number for each option", P.map(np.shape) == sizes.map(lambda n: (n,)))
    demand("probabilities", "lie in [0, 1]", [((row >= 0) & (row <= 1)).all() for row in P])
    total = pd.DataFrame({"probabilities": [float(row.sum().round(6)) for row in P]})
    near = np.abs(total["probabilities"] - 1) <= np.minimum(ROUNDED * sizes.to_numpy(), MOST_ROUNDED)
    demand("probabilities", "sum to 1", near, total)
    frame["probabilities"] = [row / row.sum() for row in P]
    demand("truth", "be known for every answer", frame["truth"].notna())
    demand(
        "truth", "be one of the options", [value in some for value, some in zip(frame["truth"], options, strict=True)]
    )
    known = table.frame.drop(columns=list(NEEDED)).infer_objects()
    return {name: _one_question(name, rows, known) for name, rows in frame.groupby("question", sort=False)}


def _are_options(options):
    """Whether this is a list of two or more texts, none twice."""
    if not isinstance(options, list) or not all(isinstance(option, str) for option in options):
        return False
    return len(options) >= 2 and len(set(options)) == len(options)


def _as_numbers(values):
    """A list as an array of numbers; empty if it is none."""
    try:
        return np.array(values if isinstance(values, list) else [], dtype=float)
    except (TypeError, ValueError):
        return np.empty(0)


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
