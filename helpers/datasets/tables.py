"""Tables of rows with labels that are shipped or installed, each with its source and licence."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers.checks import check_count, check_one_of
from helpers.datasets.download import DATA_FOLDER

_RAND_CITATION = (
    "Newhouse & the Insurance Experiment Group (1993), Free for All?; "
    "this extract: Cameron & Trivedi (2005), Microeconometrics."
)

_RAND_SOURCE = "statsmodels.datasets.randhie"

_AVERAGES = np.array([9.967, 10.576, 11.843, 13.732])  # values of `disea` off its grid: filled in, not counted


@dataclass(frozen=True)
class Dataset:
    """Rows with labels, and where they come from.

    Parameters
    ----------
    name : str
        Name of the data.
    X : DataFrame, shape (n, d)
        Features.
    y : array of int, shape (n,)
        Labels.
    label, units : str and dict
        What the label says in words, and column -> unit or meaning.
    source, citation, licence, note : str
        Where the rows come from, and what to know before using them.
    groups : array of int, shape (n,), or None, default None
        Person of each row.
    p : array of float, shape (n,), or None, default None
        Stated probability of y = 1.

    Examples
    --------
    >>> print(load_digits())
    digits: 1,797 rows, 64 features; label: the digit written
    """

    name: str
    X: pd.DataFrame = field(repr=False)
    y: np.ndarray = field(repr=False)
    label: str
    units: dict = field(repr=False)
    source: str
    citation: str = field(repr=False)
    licence: str
    note: str = field(default="", repr=False)
    groups: np.ndarray | None = field(default=None, repr=False)
    p: np.ndarray | None = field(default=None, repr=False)

    def __str__(self):
        people = "" if self.groups is None else f" of {np.unique(self.groups).size:,} groups"
        return f"{self.name}: {len(self.y):,} rows{people}, {self.X.shape[1]} features; label: {self.label}"


def _runs(table):
    """Number of the run of each row: a run is a stretch of neighbouring rows that are equal in every column."""
    values = table.to_numpy()
    starts = np.r_[True, (values[1:] != values[:-1]).any(axis=1)]
    return np.cumsum(starts) - 1


def load_rand_hie(min_visits=1):
    """RAND Health Insurance Experiment: 20,190 years of real people who were assigned an insurance plan at random.

    y = 1 if the person saw a doctor at least `min_visits` times in the year (1: any visit, 69 % of the rows; 5: 20 %).
    The file has no id of the person. Neighbouring rows with the same covariates are one person's years: `groups`
    numbers these runs, 5,294 of them, and 74 % of the rows repeat the row before. Nobody took part for more than five
    years, so the 441 longer runs (19 % of the rows) join people who look alike, as siblings may: the safe mistake.
    Logarithms of the file are undone, and averages it fills in are missing values here.

    Parameters
    ----------
    min_visits : int, default 1
        Visits in a year from which on y = 1.

    Returns
    -------
    Dataset
        With `groups`.

    Examples
    --------
    >>> print(load_rand_hie())
    RAND HIE: 20,190 rows of 5,294 groups, 7 features; label: saw a doctor at least once in the year
    """
    min_visits = check_count(min_visits, "min_visits")
    from statsmodels.datasets import randhie

    raw = randhie.load_pandas().data
    health = np.select([raw["hlthg"] == 1, raw["hlthf"] == 1, raw["hlthp"] == 1], ["good", "fair", "poor"], "excellent")
    averaged = np.isclose(raw["disea"].to_numpy()[:, None], _AVERAGES, atol=5e-4).any(axis=1)
    limited = raw["physlm"].map({0.0: "no", 1.0: "yes"})
    X = pd.DataFrame({
        "coinsurance": np.rint(np.expm1(raw["lncoins"])),
        "deductible_plan": raw["idp"] == 1,
        "incentive": _dollars(raw["lpi"]),
        "free_above": _dollars(raw["fmde"]),
        "limited": pd.Categorical(limited, ["no", "yes"]),
        "chronic": raw["disea"].where(~averaged).round(1),
        "health": pd.Categorical(health, ["excellent", "good", "fair", "poor"], ordered=True),
    })  # fmt: skip
    often = "once" if min_visits == 1 else f"{min_visits} times"
    return Dataset(
        name="RAND HIE",
        X=X,
        y=(raw["mdvis"] >= min_visits).to_numpy().astype(int),
        groups=_runs(raw.drop(columns="mdvis")),
        label=f"saw a doctor at least {often} in the year",
        units={
            "coinsurance": "share of each bill the family pays, percent (0, 25, 50, 95, 100)",
            "deductible_plan": "True for a plan with a deductible for each person",
            "incentive": "yearly payment for taking part, dollars (0 where the file says at most 1)",
            "free_above": "yearly spending after which the plan pays all, dollars (exp of fmde; 0 where fmde is 0)",
            "limited": "physical limitation (missing where the file holds an average: 5 % of the rows)",
            "chronic": "index of chronic diseases, 0 to 58.6 (missing where the file holds an average: 40 %)",
            "health": "the person's own rating",
        },
        source=_RAND_SOURCE,
        citation=_RAND_CITATION,
        licence="public domain",
        note="groups are runs of neighbouring rows with equal covariates; 74 % of the rows repeat the row before.",
    )


def _dollars(logarithm):
    """Undo ln(max(1, dollars)), to the dollar; 0 stays 0 because at most one dollar is meant."""
    return np.where(logarithm > 0, np.rint(np.exp(logarithm)), 0.0)


def load_fair():
    """Fair's survey (1978): 6,366 married women; y = 1 if she reported any time in an extramarital affair (32 %).

    Codes are turned into words; `children` and `married_years` keep the survey's midpoints (5.5 means "5 or more").

    Returns
    -------
    Dataset
        Without groups or scores.

    Examples
    --------
    >>> print(load_fair())
    Fair: 6,366 rows, 8 features; label: any affair reported
    """
    from statsmodels.datasets import fair

    raw = fair.load_pandas().data
    jobs = ["student", "farm or unskilled", "white collar", "skilled or teaching", "business", "professional"]
    X = pd.DataFrame({
        "marriage": _ordered(raw["rate_marriage"], [1, 2, 3, 4, 5], ["very poor", "poor", "fair", "good", "very good"]),
        "age": raw["age"],
        "married_years": raw["yrs_married"],
        "children": raw["children"],
        "religious": _ordered(raw["religious"], [1, 2, 3, 4], ["not", "mildly", "fairly", "strongly"]),
        "school_years": raw["educ"],
        "job": _ordered(raw["occupation"], range(1, 7), jobs, ordered=False),
        "husband_job": _ordered(raw["occupation_husb"], range(1, 7), jobs, ordered=False),
    })  # fmt: skip
    return Dataset(
        name="Fair",
        X=X,
        y=(raw["affairs"] > 0).to_numpy().astype(int),
        label="any affair reported",
        units={
            "marriage": "her rating of the marriage",
            "age": "years (midpoints of classes)",
            "married_years": "years (midpoints of classes)",
            "children": "number (5.5: five or more)",
            "religious": "how religious",
            "school_years": "years of education (9 grade school, 12 high school, 16 college, 20 advanced degree)",
            "job": "her occupation",
            "husband_job": "his occupation",
        },
        source="statsmodels.datasets.fair",
        citation="Fair (1978), A Theory of Extramarital Affairs, Journal of Political Economy 86, 45-61.",
        licence="distributed by statsmodels with the author's permission",
    )


def _ordered(codes, values, words, ordered=True):
    """Codes turned into words."""
    return pd.Categorical(codes.map(dict(zip(values, words, strict=True))), words, ordered=ordered)


def _from_sklearn(bunch, name, label, unit, citation):
    """A data set of scikit-learn whose columns all have one unit."""
    return Dataset(
        name=name,
        X=bunch.data,
        y=bunch.target.to_numpy().astype(int),
        label=label,
        units=dict.fromkeys(bunch.data.columns, unit),
        source=f"sklearn.datasets.load_{name.replace(' ', '_')}",
        citation=citation,
        licence="CC BY 4.0 (UCI Machine Learning Repository)",
    )


def load_digits():
    """Handwritten digits, 1,797 images of 8 x 8 pixels; y = the digit, 0 to 9.

    Returns
    -------
    Dataset
        Ink of each pixel, 0 to 16.

    Examples
    --------
    >>> print(load_digits())
    digits: 1,797 rows, 64 features; label: the digit written
    """
    from sklearn.datasets import load_digits as load

    citation = "Alpaydin & Kaynak (1998), Optical Recognition of Handwritten Digits, UCI Machine Learning Repository."
    return _from_sklearn(load(as_frame=True), "digits", "the digit written", "ink in the pixel, 0 to 16", citation)


def load_breast_cancer():
    """Breast cancer biopsies, 569 women, 30 measurements of cell nuclei; y = 1 for a benign tumour (63 %).

    Returns
    -------
    Dataset
        Without groups or scores.

    Examples
    --------
    >>> print(load_breast_cancer())
    breast cancer: 569 rows, 30 features; label: benign
    """
    from sklearn.datasets import load_breast_cancer as load

    citation = "Wolberg et al. (1993), Breast Cancer Wisconsin (Diagnostic), UCI Machine Learning Repository."
    return _from_sklearn(load(as_frame=True), "breast cancer", "benign", "as measured in the image", citation)


def load_rand_scores(groups="family"):
    """The shipped table `rand_scores.csv.gz`: people of the RAND experiment, scored by a model of other families.

    y = 1 if the person saw a doctor in the year; `p` is what the model said. The model knows the insurance plan only;
    the table also says who the person is: age, sex, income, schooling, health (`make_rand_scores.py`).

    Parameters
    ----------
    groups : {"family", "person"}, default "family"
        What `groups` numbers: families, whose members are alike, or single people, whose years are.

    Returns
    -------
    Dataset
        With `groups` and `p`: 10,025 rows of 2,939 people in 1,214 families, 13 features.

    Examples
    --------
    >>> print(load_rand_scores())
    RAND scores: 10,025 rows of 1,214 groups, 13 features; label: saw a doctor at least once in the year
    """
    check_one_of(groups, "groups", ("family", "person"))
    table = pd.read_csv(DATA_FOLDER / "rand_scores.csv.gz")
    X = table.drop(columns=["person", "family", "label", "score"])
    for column in ("sex", "race", "site", "limited"):
        X[column] = X[column].astype("category")
    X["health"] = pd.Categorical(X["health"], ["excellent", "good", "fair", "poor"], ordered=True)
    return Dataset(
        name="RAND scores",
        X=X,
        y=table["label"].to_numpy().astype(int),
        p=table["score"].to_numpy(),
        groups=np.unique(table[groups], return_inverse=True)[1],
        label="saw a doctor at least once in the year",
        units={
            "age": "years, in that year",
            "sex": "female or male",
            "race": "of the head of the household: black or other",
            "income": "of the family, dollars of the 1970s a year",
            "schooling": "of the family's decision maker, years",
            "site": "one of six places of the study",
            "chronic": "index of chronic diseases, 0 to 48.3 (missing where the source holds an average: 39 %)",
            "limited": "physical limitation (missing where the source holds an average: 6 %)",
            "health": "the person's own rating",
            "coinsurance": "share of each bill the family pays, percent (0, 25, 50, 95, 100)",
            "deductible_plan": "True for a plan with a deductible for each person",
            "incentive": "yearly payment for taking part, dollars",
            "free_above": "yearly spending of the family after which the plan pays all, dollars (0 where care is free)",
        },
        source="data/rand_scores.csv.gz, made by make_rand_scores.py from RandHIE (R package sampleSelection)",
        citation="Newhouse & the Insurance Experiment Group (1993), Free for All?; this table: Deb & Trivedi (2002).",
        licence="public-use data",
        note="members of a family are alike, and years of a person are; judge by family.",
    )


def load_claims():
    """The ledger `data/claims.csv`: one row for every numbered item of the papers.

    Returns
    -------
    DataFrame
        Text: id, paper, item, statement, kind, code, notebook, tolerance, status, remark; code: of `helpers.papers`.

    Examples
    --------
    >>> claims = load_claims()
    >>> list(claims)[:4]
    ['id', 'paper', 'item', 'statement']
    >>> claims.loc[claims["id"] == "melo2026.proposition2", "notebook"].item()
    'checks/05'
    """
    return pd.read_csv(DATA_FOLDER / "claims.csv", dtype=str, keep_default_na=False)
