"""What language models answered about people of a census survey, recorded once: one row an answer."""

from pathlib import Path

import numpy as np
import pandas as pd

from helpers.checks import check_column, check_one_of
from helpers.datasets.cells import check_cells, numbers_of, read_parts, together
from helpers.datasets.download import DATA_FOLDER

TASKS = ("income", "employment", "travel_time")

WAYS = ("choice", "choice_examples", "numeric")

_SHIPPED = ("acs12_answers.csv.gz", "acs12_answers_2.csv.gz")

_NEEDED = ("person", "model", "task", "way", "y", "p", "other")

TOLD = {
    "income": ["age", "gender", "race", "edu", "married", "hrs_work", "lang", "citizen"],
    "employment": ["age", "gender", "race", "edu", "married", "lang", "citizen", "disability"],
    "travel_time": ["age", "gender", "race", "edu", "married", "hrs_work", "lang", "citizen", "disability"],
}


def who_is_asked(people):
    """{task: (who is asked, who is a yes)}, both true or false for each of people in the form of `load_acs12`."""
    older = people["age"] > 16
    earns = (people["income"] > 100) & (people["hrs_work"] > 0)
    can_say = (people["age"] < 90) & people["employment"].notna()
    return {
        "income": (older & earns, people["income"] > 50_000),
        "employment": (older & can_say, people["employment"] == "employed"),
        "travel_time": (older & people["time_to_work"].notna(), people["time_to_work"] > 20),
    }


def load_acs12():
    """People of the American Community Survey of 2012, 2,000 of them, one row a person.

    Returns
    -------
    DataFrame
        With the index `person`: income (dollars a year), employment, hrs_work (hours a week), race, age, gender,
        citizen, time_to_work (minutes), lang (spoken at home), married, edu, disability, birth_qrtr. Answers that were
        not asked for or not given are missing. Education is an ordered category.

    References
    ----------
    United States Census Bureau, American Community Survey; this extract: `acs12` of the R package openintro.

    Examples
    --------
    >>> people = load_acs12()
    >>> len(people), int(people["age"].median())
    (2000, 40)
    """
    people = pd.read_csv(DATA_FOLDER / "acs12_people.csv", index_col="person")
    people["edu"] = pd.Categorical(people["edu"], ["hs or lower", "college", "grad"], ordered=True)
    return people


def read_survey_answers(path=None, *, task=None, way=None, parts=1):
    """What language models stated about people of this survey: one row a person, model, task and way of asking.

    Parameters
    ----------
    path : str or Path, optional
        Table of `data/scripts/make_acs12_tables.py` with answers of your own model; without, the shipped answers.
    task : {"income", "employment", "travel_time"}, optional
        Only this question: more than $50,000 a year; has a job; more than 20 minutes to work.
    way : {"choice", "choice_examples", "numeric"}, optional
        Only this way of asking: yes or no without and with six examples (p is P(yes) / (P(yes) + P(no)) of the first
        token, as in Melo et al., section 4.2); a number that the model writes after "0.".
    parts : {1, 2}, default 1
        Of the shipped answers the first part, on which the lessons stand, or both: the second has more people of
        `income` without examples, and the way `numeric`.

    Returns
    -------
    DataFrame
        Columns person, model, task, way, y (0 or 1), p (probability of 1; NaN where neither yes nor no, or no number,
        was among the 20 likeliest tokens), other (probability of first tokens that are neither; for numeric those that
        are no number), and what the model was told about the person, in the columns of `load_acs12`. People come in the
        order in which they were asked about, drawn once by chance.

    Raises
    ------
    ValueError
        For another task, way or number of parts, missing columns, people who are not in the survey, an answer that
        occurs twice, or cells that break a rule.

    References
    ----------
    Melo, Varoquaux & Le Morvan (2026), section 4.2; Cruz et al. (2024), folktexts.

    Examples
    --------
    >>> answers = read_survey_answers(task="income")
    >>> sorted(answers["model"].unique())
    ['gemma3-270m', 'qwen2.5-coder-0.5b', 'qwen2.5-coder-1.5b', 'smollm2-135m']
    """
    check_one_of(task, "task", (None, *TASKS))
    check_one_of(way, "way", (None, *WAYS))
    check_one_of(parts, "parts", (1, 2))
    paths = [DATA_FOLDER / file for file in _SHIPPED[:parts]] if path is None else [Path(path).expanduser()]
    table = _checked(paths[0].name, read_parts(paths))
    if len(paths) > 1:
        table = together(table, ["task", "way", "model"])
    if task is not None:
        table = table[table["task"] == task]
    if way is not None:
        table = table[table["way"] == way]
    told = TOLD[task] if task is not None else sorted({name for names in TOLD.values() for name in names})
    return table.join(load_acs12()[told], on="person").reset_index(drop=True)


def _checked(name, table):
    """The needed columns of a table, with the first cell that breaks a rule named."""
    for column in _NEEDED:
        check_column(column, list(table), name)
    table = table[list(_NEEDED)]
    y, p, other = (numbers_of(table[column]) for column in ("y", "p", "other"))
    unknown = ~table["person"].isin(load_acs12().index)
    check_cells(name, "person", "be a number of the survey, 1 to 2,000", table["person"], unknown)
    check_cells(name, "task", f"be one of {', '.join(TASKS)}", table["task"], ~table["task"].isin(TASKS))
    check_cells(name, "way", f"be one of {', '.join(WAYS)}", table["way"], ~table["way"].isin(WAYS))
    check_cells(name, "y", "be 0 or 1", table["y"], ~np.isin(y, [0, 1]))
    check_cells(name, "p", "hold probabilities in [0, 1]", table["p"], (p < 0) | (p > 1))
    check_cells(name, "other", "hold probabilities in [0, 1]", table["other"], ~((other >= 0) & (other <= 1)))
    twice = table.duplicated(["person", "model", "task", "way"])
    check_cells(name, "person", "come once for a model, task and way", table["person"], twice)
    return table.assign(y=y.astype(int), p=p, other=other)
