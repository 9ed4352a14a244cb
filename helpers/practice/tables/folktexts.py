"""Answers of language models about people of a census survey, as the folktexts benchmark writes them.

The benchmark (Cruz et al. 2024) writes one CSV a model: the row label of the person, `risk_score` and `label`. Who the
person is stands in another table, that of folktables (Ding et al. 2021), under the same row labels. An audit needs
both.
"""

import numpy as np
import pandas as pd

from helpers.checks import check_columns
from helpers.practice.tables.files import Table, open_table
from helpers.practice.tables.scores import read_scores

# Words for the codes of the survey (public use microdata sample, code lists of 2018); other columns stay numbers.
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


def read_folktexts(predictions, people, *, features=None, weight=None, group=None):
    """Read predictions of the folktexts benchmark, joined with the people they are about; codes become words.

    Parameters
    ----------
    predictions : str or Path
        CSV with row labels in its first column, and `risk_score`, `label`.
    people : str or Path
        CSV with the same row labels in its first column, and columns such as AGEP, SCHL, SEX; more rows are fine.
    features : list of str, optional
        Columns of `people` that the audit may use; None takes all but weight and group. Leave out the answer itself
        (such as PINCP where the question is income).
    weight, group : str, optional
        Columns of `people` with sampling weights (PWGTP) and with households (SERIALNO).

    Returns
    -------
    ScoreTable
        As of `read_scores`. Education is an ordered category, other codes with words are categories.

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
    ...     table = read_folktexts(*simulate_folktexts(folder, 500, rng=0))
    >>> print(table)
    ACSIncome_predictions.csv: 500 rows, 5 features; 40.4% positive
    """
    stated, answers = _indexed(predictions, ["risk_score", "label"])
    who, home = _indexed(people, features, weight, group)
    absent = ~stated.index.isin(who.index)
    if absent.any():
        first = stated.index[absent].tolist()[0]
        raise ValueError(
            f"{home.name} must have a row for each person of {answers.name}, but {first!r} (and {absent.sum() - 1:,} "
            "more) is absent."
        )
    who = who.loc[stated.index]
    roles = [name for name in (weight, group) if name is not None]
    frame = pd.concat([stated, who[roles], _in_words(who.drop(columns=roles))], axis=1)
    table = Table(answers.name, frame, [f"predictions of the folktexts benchmark, joined with {home.name}"])
    return read_scores(table, score="risk_score", weight=weight, group=group, min_rows=1)


def _indexed(path, names, *more):
    """(columns of a file by the row labels in its first one, its reader); `names` None stands for all."""
    table = open_table(path)
    index, *others = table.names
    names = list(dict.fromkeys([*(others if names is None else names), *filter(None, more)]))
    check_columns(table.name, table.names, {f"column {k}": name for k, name in enumerate(names, 1)})
    frame = table.read([index, *names]).set_index(index)
    if not frame.index.is_unique:
        table.reject(index, "name each row once", frame.index.duplicated(), frame.index)
    return frame, table


def _in_words(table):
    """Known columns with readable names and levels; a code outside its list becomes missing."""
    columns = {}
    for name in table:
        new, words = WORDS.get(name, (name, None))
        values = table[name]
        if words is not None:
            place = pd.to_numeric(values, errors="coerce").fillna(0).to_numpy()
            place = np.where((place >= 1) & (place <= len(words)) & (place == place.round()), place, 0).astype(int) - 1
            values = pd.Series(pd.Categorical.from_codes(place, words, ordered=name == "SCHL"), index=table.index)
        columns[new] = values
    return pd.DataFrame(columns)
