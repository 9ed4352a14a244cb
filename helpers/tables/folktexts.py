"""Answers of language models about people of a census survey, as the folktexts benchmark writes them.

The benchmark (Cruz et al. 2024) writes one CSV a model: the row label of the person, `risk_score` and `label`. Who the
person is stands in another table, that of folktables (Ding et al. 2021), under the same row labels. An audit needs
both.
"""

import numpy as np
import pandas as pd

from helpers.checks import check_groups, check_labels, check_probabilities, check_weights, nearest_name
from helpers.tables.features import notes_of_rare_levels, tidy_features
from helpers.tables.scores import ScoreTable, find_table

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
    weight : str, optional
        Column of `people` with sampling weights (PWGTP).
    group : str, optional
        Column of `people` with households (SERIALNO).

    Returns
    -------
    ScoreTable
        Education is an ordered category, other codes with words are categories.

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
    stated, file = _indexed(predictions, ("risk_score", "label"))
    who, home = _indexed(people, [name for name in (weight, group, *(features or [])) if name is not None])
    absent = ~stated.index.isin(who.index)
    if absent.any():
        row = stated.index[absent].tolist()[0]
        raise ValueError(
            f"{home} must have a row for each person of {file}, but {row!r} (and {absent.sum() - 1:,} more) is absent."
        )
    who = who.loc[stated.index]
    y = check_labels(stated["label"], "label", both=True)
    p = check_probabilities(stated["risk_score"], "risk_score")
    weights = None if weight is None else who[weight].to_numpy(float)
    check_weights(weights, weight)
    columns = [name for name in (features or who.columns) if name not in (weight, group)]
    X, dropped, notes = tidy_features(_in_words(who[columns]).reset_index(drop=True), y)
    notes += notes_of_rare_levels(X)
    return ScoreTable(
        name=file,
        label="label",
        score="risk_score",
        y=y.astype(np.int8),
        p=p,
        X=X,
        weight=weights,
        groups=None if group is None else check_groups(who[group], group),
        dropped=dropped,
        note="; ".join(["predictions of the folktexts benchmark, joined with " + home, *notes]),
    )


def _indexed(path, needed):
    """A CSV with distinct row labels in its first column, and its name."""
    path = find_table(path)
    table = pd.read_csv(path, index_col=0)
    for name in needed:
        if name not in table:
            raise ValueError(f"{path.name} has no column {name!r}; {nearest_name(name, list(table), 'column')}")
    if not table.index.is_unique:
        twice = table.index[table.index.duplicated()].tolist()
        raise ValueError(
            f"{path.name} must name each row once, but {twice[0]!r} (and {len(twice) - 1:,} more) is twice."
        )
    return table, path.name


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
