"""Studies of the audit itself: subgroups looked at twice, planted ones, tables in which it must stay silent."""

import tempfile

import numpy as np
import pandas as pd
from scipy.stats import norm

from helpers.audit import search_segments, tree_groups
from helpers.resampling import exact_interval
from helpers.simulation import perfect
from helpers.studies.nb07_audit.folktexts import simulate_folktexts
from helpers.tables import read_folktexts


def planted_study(pool, planted, n):
    """A study for `repeat`: what the audit makes of n rows of a pool's first model."""

    def study(rng):
        a = pool.sample(n, rng)
        audit = tree_groups(a.y, a.p[0], a.X, rng=rng)
        table = audit.table
        subgroup = audit.apply(a.X)
        truth = pd.Series(a.q - a.p[0]).groupby(subgroup).mean().reindex(table.index)
        row = {"groups": len(table), "conditions": table["rule"].str.count(" and ").mean() + 1}
        row["significant"] = len(audit.significant)
        row["covered"] = ((table["low"] <= truth) & (truth <= table["high"])).mean()
        for words, (column, level) in planted.items():
            inside = (a.X[column] == level).to_numpy()
            shares = [
                (inside & (subgroup == k)).sum() / (inside | (subgroup == k)).sum() for k in audit.significant.index
            ]
            row[f"overlap, {words}"] = max(shares, default=0.0)
        return [row]

    return study


def figure1_study(n, audit):
    """A study for `repeat`: whether an audit names the two subgroups of `simulate_folktexts` in a new table."""

    def study(rng):
        with tempfile.TemporaryDirectory() as folder:
            scores = read_folktexts(*simulate_folktexts(folder, n, rng=rng))
        X = scores.X
        audited = audit(scores)
        table = audited.table
        advanced = X["education"].isin(["master's", "professional degree", "doctorate"])
        women = X["sex"] == "female"
        young = women & (X["age"] <= 24) & advanced
        older = women & (X["age"] >= 37) & (X["education"] == "professional degree")
        subgroup = audited.apply(X)
        lowest = table["residual_gap"].idxmin()
        highest = table["residual_gap"].idxmax()
        row = {
            "over-confident, share": young[subgroup == lowest].mean(),
            "over-confident, edge": -table["residual_high"][lowest],
            "under-confident, share": older[subgroup == highest].mean(),
            "under-confident, edge": table["residual_low"][highest],
        }
        return [row]

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
    misjudged = a.X["x3"] > norm.ppf(0.75)
    return a.X, a.p, np.minimum(a.q + 0.1 * misjudged, 1).to_numpy(), None


def alarm_study(sources, n, *, method="segments", **options):
    """A study for `repeat`, with the case `kind`: whether an audit finds a significant subgroup."""

    search = {"segments": search_segments, "tree": tree_groups}[method]

    def study(kind, rng):
        X, p, q, groups = sources[kind](n, rng)
        y = (rng.random(len(p)) < q).astype(int)
        return [{"alarm": len(search(y, p, X, groups=groups, rng=rng, **options).significant) > 0}]

    return study


def alarm_shares(runs):
    """Share of runs with an alarm for each `kind`, with its exact 95 % interval (Clopper-Pearson).

    >>> runs = pd.DataFrame({"kind": ["a"] * 10, "alarm": [True] + [False] * 9})
    >>> alarm_shares(runs).round(3).loc["a"].tolist()
    [0.1, 0.003, 0.445, 10.0]
    """
    alarms = runs.groupby("kind", sort=False)["alarm"]
    hits = alarms.sum().astype(int)
    n = alarms.size()
    low, high = exact_interval(hits, n)
    return pd.DataFrame({"share": hits / n, "low": low, "high": high, "runs": n})
