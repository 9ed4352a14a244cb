"""Studies of the audit itself: groups looked at twice, planted groups, tables in which it must stay silent."""

import tempfile

import numpy as np
import pandas as pd
from scipy.stats import norm

from helpers.audit import find_groups, holm, measure_groups
from helpers.checks import check_count, nearest_name
from helpers.partition import HonestTree
from helpers.resampling import exact_interval
from helpers.simulation import perfect
from helpers.studies.nb07_audit.folktexts import simulate_folktexts
from helpers.tables import read_folktexts


def same_terms(X, columns, person, *, most=40):
    """Numbers of families, (n,) int: rows that agree in all of `columns`; where more than `most` rows agree, persons.

    >>> X = pd.DataFrame({"plan": [1, 1, 2, 2, 2]})
    >>> same_terms(X, ["plan"], [7, 8, 9, 9, 3], most=2)
    array([0, 0, 1, 1, 2])
    """
    cell = X.groupby(list(columns), dropna=False).ngroup().to_numpy()
    person = pd.factorize(np.asarray(person))[0]
    crowd = np.bincount(cell)[cell] > check_count(most, "most")
    return pd.factorize(np.where(crowd, cell.max() + 1 + person, cell))[0]


def second_look(y, p, X, searched, *, min_rows=30, most=8, rng=None):
    """The groups with the largest gaps among many small ones, and their gaps in the rows that were not searched.

    Parameters
    ----------
    y, p, X : (n,) labels, (n,) stated probabilities, (n, d) features; searched : (n,) bool
    min_rows : rows that a group has in either part; most : groups to name; rng : int, Generator or None

    Returns
    -------
    DataFrame, largest gap first: rule, first and second (observed - stated in the two parts)
    """
    searched = np.asarray(searched, dtype=bool)
    tree = HonestTree(min_samples_leaf=min_rows, rng=rng).fit(X[searched], (y - p)[searched])
    parts = (searched, ~searched)
    one, two = (measure_groups(y[k], p[k], tree.apply(X[k]), size=tree.n_regions_) for k in parts)
    table = pd.DataFrame({"rule": tree.rules(), "first": one["gap"], "second": two["gap"]})[two["n"] >= min_rows]
    named = table["first"].abs().sort_values(ascending=False, kind="stable").index[:most]
    return table.loc[named].reset_index(drop=True)


def planted_study(pool, planted, n):
    """A study for `repeat`, with the case `merge`: what the audit makes of n rows of a pool's first model.

    `planted` : {words: (column, level)} of the groups that it misjudges. Each result has `groups`, `sure`, `covered`
    (share of groups whose interval holds the true gap), `conditions` (of a rule, on average), and for each planted
    group the overlap with the sure group that is most like it: rows in both over rows in either.
    """

    def study(merge, rng):
        a = pool.sample(n, rng)
        audit = find_groups(a.y, a.p[0], a.X, merge=None if merge == "no" else merge, rng=rng)
        table, group = audit.table, audit.apply(a.X)
        truth = pd.Series(a.q - a.p[0]).groupby(group).mean().reindex(table.index)
        row = {"groups": len(table), "conditions": table["rule"].str.count(" and ").mean() + 1, "sure": len(audit.sure)}
        row["covered"] = ((table["low"] <= truth) & (truth <= table["high"])).mean()
        for words, (column, level) in planted.items():
            inside = (a.X[column] == level).to_numpy()
            shares = [(inside & (group == k)).sum() / (inside | (group == k)).sum() for k in audit.sure.index]
            row[f"overlap, {words}"] = max(shares, default=0.0)
        return [row]

    return study


def figure1_study(n, audit):
    """A study for `repeat`: does an audit name the two groups of `simulate_folktexts`, in a new table of n people?

    `audit` : function of a `ScoreTable` that returns a `GroupAudit` sought against calibrated scores. A result has, for
    the most over- and the most under-confident group, `share` (of its members, in the planted group) and `edge` (how
    far the interval of the gap that recalibration leaves stays away from zero, on the right side).
    """

    def study(rng):
        with tempfile.TemporaryDirectory() as folder:
            scores = read_folktexts(*simulate_folktexts(folder, n, rng=rng))
        X, found = scores.X, audit(scores)
        women, left = X["sex"] == "female", found.table["left"]
        advanced = X["education"].isin(["master's", "professional degree", "doctorate"])
        young = women & (X["age"] <= 24) & advanced
        older = women & (X["age"] >= 37) & (X["education"] == "professional degree")
        group, low, high = found.apply(X), left.idxmin(), left.idxmax()
        row = {
            "over-confident, share": young[group == low].mean(),
            "over-confident, edge": -found.table["left_high"][low],
        }
        row |= {"under-confident, share": older[group == high].mean()}
        return [row | {"under-confident, edge": found.table["left_low"][high]}]

    return study


def redrawn(X, c, groups=None):
    """A source for `alarm_study`: rows of real people, for whom the score `c` is declared to be the truth."""

    def draw(n, rng):
        rows = rng.permutation(len(c))[:n]
        return X.iloc[rows], c[rows], c[rows], None if groups is None else groups[rows]

    return draw


def perfect_score(n, rng):
    """A source for `alarm_study`: a perfect score of two of five normal features."""
    a = perfect(n, rng)
    return a.X, a.p, a.q, None


def quarter_too_low(n, rng):
    """A source for `alarm_study`: a score that is 10 points too low (if there is room) for one person in four."""
    a = perfect(n, rng)
    return a.X, a.p, np.minimum(a.q + 0.1 * (a.X["x3"] > norm.ppf(0.75)), 1).to_numpy(), None


def alarm_study(sources, n, **options):
    """A study for `repeat`, with the case `kind`: does the audit of n rows call a group surely misjudged?

    `sources` : {kind: function (n, rng) that returns features, stated p, true q, and groups or None}; `options` go to
    `find_groups`.

    >>> study = alarm_study({"perfect": perfect_score}, 500)
    >>> list(study("perfect", np.random.default_rng(0))[0])
    ['alarm']
    """

    def study(kind, rng):
        X, p, q, groups = sources[kind](n, rng)
        y = (rng.random(len(p)) < q).astype(int)
        return [{"alarm": len(find_groups(y, p, X, groups=groups, rng=rng, **options).sure) > 0}]

    return study


def fishing_study(n):
    """A study for `repeat`: the rows of a perfect score choose groups and measure them. Is somebody accused?

    `accused`: a group has a p-value below 5 %; `adjusted`: also after Holm's adjustment.
    """

    def study(rng):
        a = perfect(n, rng)
        tree = HonestTree(min_samples_leaf=50, max_depth=3, rng=rng).fit(a.X, a.y - a.p)
        p_value = measure_groups(a.y, a.p, tree.apply(a.X))["p_value"]
        return [{"accused": (p_value < 0.05).any(), "adjusted": (holm(p_value) < 0.05).any()}]

    return study


def alarm_shares(runs, by="kind"):
    """Share of runs with an alarm, with its exact 95 % interval (Clopper-Pearson): a table share, low, high, runs.

    >>> runs = pd.DataFrame({"kind": ["a"] * 10, "alarm": [True] + [False] * 9})
    >>> alarm_shares(runs).round(3).loc["a"].tolist()
    [0.1, 0.003, 0.445, 10.0]
    """
    for name in (by, "alarm"):
        if name not in runs:
            raise ValueError(f"runs must have a column {name!r}; {nearest_name(name, list(runs), 'column')}.")
    groups = runs.groupby(by, sort=False)["alarm"]
    hits, n = groups.sum().astype(int), groups.size()
    low, high = exact_interval(hits, n)
    return pd.DataFrame({"share": hits / n, "low": low, "high": high, "runs": n})
