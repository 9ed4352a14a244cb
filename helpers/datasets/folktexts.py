"""Answers of language models about people of a census survey, as the folktexts benchmark writes them.

The benchmark (Cruz et al. 2024) writes one CSV a model: the row label of the person, `risk_score` and `label`. Who the
person is stands in another table, that of folktables (Ding et al. 2021), under the same row labels. An audit needs
both.
"""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from helpers.checks import check_column
from helpers.datasets.cells import check_cells, labels_and_scores

# Words for the codes of the survey (public use microdata sample, code lists of 2018).
SCHOOLING = [
    "no schooling", "nursery school", "kindergarten", *(f"grade {k}" for k in range(1, 12)), "grade 12", "high school",
    "GED", "some college", "college, no degree", "associate's", "bachelor's", "master's", "professional degree",
    "doctorate",
]  # fmt: skip

MARRIAGE = ["married", "widowed", "divorced", "separated", "never married"]

WORK = [
    "private employee", "nonprofit employee", "city employee", "state employee", "federal employee", "self-employed",
    "own company", "unpaid in family", "unemployed",
]  # fmt: skip

RACE = [
    "White", "Black", "American Indian", "Alaska Native", "American Indian or Alaska Native tribe", "Asian",
    "Pacific Islander", "other race", "two or more races",
]  # fmt: skip

WORDS = {
    "AGEP": ("age", None),
    "SCHL": ("education", SCHOOLING),
    "SEX": ("sex", ["male", "female"]),
    "MAR": ("marriage", MARRIAGE),
    "COW": ("work", WORK),
    "RAC1P": ("race", RACE),
    "WKHP": ("weekly_hours", None),
}


@dataclass(frozen=True)
class ScoredPeople:
    """People about whom a language model has stated a probability.

    Parameters
    ----------
    name : str
        Name of the file of predictions.
    y, p : (n,) arrays
        What is true, 0 or 1, and the stated probability of 1.
    X : (n, d) DataFrame
        Who they are.

    Examples
    --------
    >>> print(ScoredPeople("my.csv", np.array([0, 1]), np.array([0.2, 0.9]), pd.DataFrame({"age": [30, 40]})))
    my.csv: 2 rows, 1 features; 50.0 % positive
    """

    name: str
    y: np.ndarray = field(repr=False)
    p: np.ndarray = field(repr=False)
    X: pd.DataFrame = field(repr=False)

    def __str__(self):
        return f"{self.name}: {self.y.size:,} rows, {self.X.shape[1]} features; {100 * self.y.mean():.1f} % positive"


def read_folktexts(predictions, people):
    """Read predictions of the folktexts benchmark, joined with the people they are about; codes become words.

    Parameters
    ----------
    predictions : str or Path
        CSV with row labels in its first column, and `risk_score`, `label`.
    people : str or Path
        CSV with the same row labels in its first column; more rows are fine. Of its columns AGEP, SCHL, SEX, MAR, COW,
        RAC1P and WKHP are features; others, among them the answer itself (PINCP where the question is income), are not.

    Returns
    -------
    ScoredPeople
        In the order of the predictions. Education is an ordered category, sex, marriage, work and race are categories;
        a code outside its list is missing.

    Raises
    ------
    ValueError
        For missing columns, row labels that are missing or occur twice, scores or labels that break a rule.

    References
    ----------
    Cruz et al. (2024), the benchmark; Ding et al. (2021), the people.

    Examples
    --------
    >>> import tempfile
    >>> from helpers.studies.nb07_audit import simulate_folktexts
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     people = read_folktexts(*simulate_folktexts(folder, 500, rng=0))
    >>> print(people)
    ACSIncome_predictions.csv: 500 rows, 5 features; 40.4 % positive
    """
    stated_in, described_in = Path(predictions).name, Path(people).name
    stated, who = _indexed(predictions), _indexed(people)
    for column in ("risk_score", "label"):
        check_column(column, list(stated), stated_in)
    y, p = labels_and_scores(stated_in, stated, "label", "risk_score")
    known = [name for name in who if name in WORDS]
    if not known:
        raise ValueError(f"{described_in} must have one of the columns {', '.join(WORDS)}, but it has none.")
    absent = ~stated.index.isin(who.index)
    if absent.any():
        more = f" (and {absent.sum() - 1:,} more)" if absent.sum() > 1 else ""
        raise ValueError(
            f"{described_in} must have a row for each person of {stated_in}, but "
            f"{stated.index[absent].tolist()[0]!r}{more} is absent."
        )
    return ScoredPeople(stated_in, y, p, _in_words(who.loc[stated.index, known]))


def _indexed(path):
    """The table of a file by the row labels in its first column."""
    name = Path(path).name
    try:
        table = pd.read_csv(path, index_col=0)
    except ValueError as error:
        raise ValueError(f"{name} cannot be read: {error}") from None
    column = table.index.name or "row label"
    check_cells(name, column, "name each row once", table.index, table.index.duplicated())
    return table


def _in_words(table):
    """Columns with readable names and levels; a code outside its list becomes missing."""
    columns = {}
    for name in table:
        new, words = WORDS[name]
        values = table[name]
        if words is not None:
            code = pd.to_numeric(values, errors="coerce")
            place = code.where(code.isin(range(1, len(words) + 1)), 0).astype(int) - 1
            values = pd.Series(pd.Categorical.from_codes(place, words, ordered=name == "SCHL"), index=table.index)
        columns[new] = values
    return pd.DataFrame(columns)
