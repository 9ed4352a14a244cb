"""Who finds misjudged subgroups, and who names somebody where there is nobody to name.

python bench/subgroups.py [--tables 100] [--null 400]: every table is added to build/bench/subgroups_draws.csv at once,
and a second call goes on where the first one ended; the summary is bench/subgroups.csv. MCGrad is asked where it is
installed (without its dependencies: mcgrad, lightgbm, plotly, psutil); a call from such an environment adds its rows.

The five shapes are those of `SHAPES`. The first three were used while the search was built, with strengths at which a
ten-line prototype finds a quarter to a half; "band" and "slope in some" were written down, with their strengths, before
anything was tried on them.
"""

import argparse
import sys
import time
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import expit, logit
from scipy.stats import norm
from templates import render
from tqdm import tqdm

from helpers.audit import search_segments, tree_groups
from helpers.calibration import PlattCalibrator
from helpers.resampling import exact_interval

HERE = Path(__file__).resolve().parent
DRAWS = HERE.parent / "build" / "bench" / "subgroups_draws.csv"
SUMMARY = HERE / "subgroups.csv"
KEYS = ["table", "seed", "method"]
ROWS = 2000
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


# ---- misjudged ------------------------------------------------------------------------------------------------


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


STRENGTH = {"pocket": 1.0, "exclusive-or": 0.37, "slope": 0.22, "band": 0.4, "slope in some": 0.5}
SHAPES = {
    "pocket": pocket,
    "exclusive-or": exclusive_or,
    "slope": slope,
    "band": band,
    "slope in some": slope_in_some,
}


def misjudged(shape, n, rng, strength=None):
    """y, p, X of n people whose scores miss one shape: on the log-odds, what is added is the strength times it."""
    X, odds = people(n, rng)
    shift = STRENGTH[shape] if strength is None else strength
    y = (rng.random(n) < expit(odds + shift * SHAPES[shape](X))).astype(int)
    return y, expit(odds), X


# ---- nobody misjudged -----------------------------------------------------------------------------------------


def calibrated(n, rng):
    """Scores that are right for everybody."""
    return misjudged("slope", n, rng, 0.0)


def rare(n, rng):
    """About three events in a hundred rows."""
    X, odds = people(n, rng)
    c = expit(odds - 3.3)
    return (rng.random(n) < c).astype(int), c, X


def distorted(n, rng):
    """Scores that Platt scaling makes right."""
    y, c, X = calibrated(n, rng)
    return y, expit((logit(c) + 0.3) * 1.5), X


def two_values(n, rng):
    """A score of two values, right on average among the people of each."""
    X, odds = people(n, rng)
    p = np.where(rng.random(n) < expit(3 * odds), 0.7, 0.2)
    return (rng.random(n) < p).astype(int), p, X


def weights(n, rng):
    """Sampling weights that differ twentyfold and more."""
    y, c, X = calibrated(n, rng)
    return y, c, X, {"sample_weight": np.exp(rng.normal(0, 0.8, n))}


def clusters(n, rng, shift=0.0):
    """Rows of ten in a place: region and smoking are of the place, and so is a good part of the luck."""
    places = n // 10
    X, odds = people(n, rng)
    place = np.repeat(np.arange(places), 10)
    first = place * 10
    X["region"] = X["region"].to_numpy()[first]
    smoker = X["smoker"].to_numpy()
    odds = odds + 0.5 * (smoker[first].astype(float) - smoker)
    X["smoker"] = smoker[first]
    c = expit(odds + shift)
    luck = np.sqrt(0.3) * rng.normal(size=places)[place] + np.sqrt(0.7) * rng.normal(size=n)
    return (luck < norm.ppf(c)).astype(int), c, X, {"groups": place}


def rare_clusters(n, rng):
    """Rows of ten in a place, about five events in a hundred rows."""
    return clusters(n, rng, -2.7)


NULL = {
    "calibrated": calibrated,
    "rare events": rare,
    "off by a Platt curve": distorted,
    "two values": two_values,
    "weights": weights,
    "clusters": clusters,
    "rare in clusters": rare_clusters,
}


# ---- methods --------------------------------------------------------------------------------------------------


def prototype(y, p, X, least=20, bins=5, draws=100, rng=None):
    """The ten lines that the search began with: p-value of the largest gap over all cells of one and two columns."""
    rng = np.random.default_rng(rng)
    codes = [pd.qcut(X[k], bins, labels=False).fillna(bins) if X[k].dtype == float else X[k] for k in X]
    codes = [pd.factorize(column)[0] for column in codes]
    cells = codes + [a * (b.max() + 1) + b for a, b in combinations(codes, 2)]
    inside = np.hstack([cell[:, None] == np.arange(cell.max() + 1) for cell in cells]).astype(np.float32)
    inside = inside[:, inside.sum(axis=0) >= least]

    def largest(y):
        c = PlattCalibrator().fit(p, y).predict(p)
        return np.abs((y - c) @ inside / np.sqrt((c * (1 - c)) @ inside)).max(), c

    top, c = largest(y)
    null = [largest((rng.random(y.size) < c).astype(int))[0] for _ in range(draws)]
    return (1 + np.sum(np.array(null) >= top)) / (1 + draws)


def mcgrad_p_value(y, p, X):
    """P-value of MCGrad's multicalibration error, of recalibrated scores."""
    from mcgrad.metrics import MulticalibrationError

    text = [name for name in X if X[name].dtype != float]
    c = PlattCalibrator().fit(p, y).predict(p)
    table = X.assign(**{name: X[name].astype(str) for name in text}, label=y, score=c)
    columns = {"categorical_segment_columns": text, "numerical_segment_columns": [k for k in X if k not in text]}
    return float(MulticalibrationError(table, "label", "score", **columns).mce_pvalue)


def by_search(y, p, X, seed, **dependent):
    """P-values of the search, and of Bonferroni's rule over the same segments."""
    search = search_segments(y, p, X, rng=seed, **dependent)
    alone = 2 * norm.sf(search.table["z"].abs().max())
    return {"search": search.p_value, "Bonferroni": min(1.0, alone * len(search.table))}


def by_tree(y, p, X, seed, **dependent):
    """Smallest adjusted p-value of the leaves of an honest tree, for what recalibration leaves."""
    c = PlattCalibrator().fit(p, y, dependent.get("sample_weight")).predict(p)
    audit = tree_groups(y, p, X, calibrated=c, against="calibrated", rng=seed, **dependent)
    return {"tree": audit.table["residual_adjusted"].min()}


METHODS = {
    "search": by_search,
    "tree": by_tree,
    "prototype": lambda y, p, X, seed, **rows: {"prototype": prototype(y, p, X, rng=seed)},
    "MCGrad": lambda y, p, X, seed, **rows: {"MCGrad": mcgrad_p_value(y, p, X)},
}


# ---- the study ------------------------------------------------------------------------------------------------


def tables(n_tables, n_null):
    """(name, seed) of all tables, every kind once before any a second time."""
    for seed in range(max(n_tables, n_null)):
        yield from ((name, seed) for name in SHAPES if seed < n_tables)
        yield from ((name, seed) for name in NULL if seed < n_null)


def draw(name, seed):
    """y, p, X and what is to be known of dependent rows, of one table."""
    rng = np.random.default_rng([seed, sum(map(ord, name))])
    y, p, X, *rows = misjudged(name, ROWS, rng) if name in SHAPES else NULL[name](ROWS, rng)
    return y, p, X, rows[0] if rows else {}


def measure(path, todo, methods, most):
    """Append what is missing to the file of draws; slow methods are given `most` tables of a kind of `NULL`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    done = set(pd.read_csv(path)[KEYS].itertuples(index=False, name=None)) if path.exists() else set()
    for name, seed in tqdm(list(todo)):
        few = {"prototype": most, "MCGrad": most} if name in NULL else {}
        missing = [who for who in methods if (name, seed, who) not in done and seed < few.get(who, seed + 1)]
        y, p, X, rows = draw(name, seed) if missing else (None, None, None, None)
        for who in missing:
            clock = time.process_time()
            values = METHODS[who](y, p, X, seed, **rows)
            seconds = round(time.process_time() - clock, 3)
            lines = [dict(zip(KEYS, (name, seed, key), strict=True)) | {"p_value": p} for key, p in values.items()]
            frame = pd.DataFrame(lines).assign(seconds=seconds)
            frame.to_csv(path, mode="a", header=not path.exists(), index=False, float_format="%.6g")


def summarise(draws):
    """One line for each kind of table and method: share of alarms at 5 % with its exact interval, seconds."""
    by = draws.assign(alarm=draws["p_value"] < 0.05).groupby(["table", "method"])
    table = by.agg(tables=("alarm", "size"), alarms=("alarm", "sum"), seconds=("seconds", "median")).reset_index()
    table["low"], table["high"] = exact_interval(table["alarms"].to_numpy(), table["tables"].to_numpy())
    order = {"table": [*NULL, *SHAPES], "method": [*METHODS, "Bonferroni"]}
    keys = [table[key].map(values.index) for key, values in order.items()]
    return table.iloc[np.lexsort(keys[::-1])].reset_index(drop=True)


def section(path=SUMMARY):
    """The summary as Markdown for the page of measurements (`subgroups.md.j2`)."""
    table = pd.read_csv(path).set_index(["table", "method"])
    methods = [who for who in (*METHODS, "Bonferroni") if who in table.index.get_level_values("method")]

    def cells(name):
        rows = [table.loc[(name, who)] if (name, who) in table.index else None for who in methods]
        return ["" if row is None else _share(row) for row in rows]

    return render(
        "subgroups.md.j2",
        rows=ROWS,
        methods=methods,
        null={name: cells(name) for name in NULL},
        shapes={name: cells(name) for name in SHAPES},
        seconds=[f"{who} {table.xs(who, level='method')['seconds'].median():.2g}" for who in METHODS if who in methods],
    )


def _share(row):
    """Share of alarms with its interval and the number of tables."""
    return f"{row.alarms / row.tables:.0%} [{row.low:.0%}, {row.high:.0%}] of {row.tables:.0f}"


def main(arguments=None):
    """Command line; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tables", type=int, default=100, help="of each shape (default 100)")
    parser.add_argument("--null", type=int, default=400, help="of each kind with nobody misjudged (default 400)")
    parser.add_argument("--slow", type=int, default=40, help="null tables for prototype and MCGrad (default 40)")
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS))
    parser.add_argument("--draws", type=Path, default=DRAWS, help="file of single tables")
    given = parser.parse_args(arguments)
    methods = [who for who in given.methods if who != "MCGrad" or find_spec("mcgrad")]
    measure(given.draws, tables(given.tables, given.null), methods, given.slow)
    summarise(pd.read_csv(given.draws)).to_csv(SUMMARY, index=False, float_format="%.4g")
    print(f"written: {SUMMARY}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
