"""Tables in which subgroups are misjudged, or nobody is: who finds them, and who names somebody where there is nobody.

The five shapes are those of `SHAPES`. The first three were used while the search was built; "band" and "slope in some"
were written down, with their strengths, before anything was tried on them.
"""

import numpy as np
import pandas as pd
from scipy.special import expit

REGIONS = ["centre", "east", "north", "south", "west"]
REGION_SHARES = [0.30, 0.25, 0.20, 0.15, 0.10]


def people(n, rng):
    """Six features of n people (a column of text, two of yes or no, three numbers, one with gaps), and log-odds."""
    age = np.clip(np.round(rng.normal(48, 17, n)), 18, 95)
    income = np.exp(rng.normal(10, 0.6, n))
    X = pd.DataFrame({
        "sex": rng.choice(["female", "male"], n),
        "age": age,
        "region": rng.choice(REGIONS, n, p=REGION_SHARES),
        "income": np.where(rng.random(n) < 0.05, np.nan, income),
        "bmi": rng.normal(26, 4, n),
        "smoker": rng.random(n) < 0.25,
    })  # fmt: skip
    odds = -0.4 + 0.8 * (age - 48) / 17 + 0.5 * X["smoker"] - 0.5 * (np.log(income) - 10) / 0.6
    return X, odds.to_numpy()


def pocket(X):
    """Women over 65."""
    return ((X["sex"] == "female") & (X["age"] > 65)).to_numpy(float)


def exclusive_or(X):
    """Women with a low and men with a high body mass index; the others the other way."""
    return np.where((X["sex"] == "female") == (X["bmi"] < 26), 1.0, -1.0)


def slope(X):
    """More with every point of the body mass index."""
    return ((X["bmi"] - 26) / 4).to_numpy()


def band(X):
    """Middle incomes: from the 30th to the 60th percentile of the population."""
    standard = (np.log(X["income"]) - 10) / 0.6
    return standard.between(-0.5244, 0.2533).to_numpy(float)


def slope_in_some(X):
    """More with every year of age, in the north and in the south only."""
    return np.where(X["region"].isin(["north", "south"]), (X["age"] - 48) / 17, 0.0)


STRENGTH = {"band": 0.4, "slope in some": 0.5}  # what is added to the log-odds, times the shape
SHAPES = {
    "pocket": pocket,
    "exclusive-or": exclusive_or,
    "slope": slope,
    "band": band,
    "slope in some": slope_in_some,
}


def misjudged(shape, n, rng, strength=None):
    """y, p, X of n people whose scores miss one shape."""
    X, odds = people(n, rng)
    shift = STRENGTH[shape] if strength is None else strength
    y = (rng.random(n) < expit(odds + shift * SHAPES[shape](X))).astype(int)
    return y, expit(odds), X
