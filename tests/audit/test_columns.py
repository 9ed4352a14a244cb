"""Columns that are named: every level, however small, with intervals that hold."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta

from helpers.audit import measure_columns


@pytest.mark.parametrize("dependent", [False, True])
def test_every_level_has_its_rates_and_the_exact_interval_of_its_effective_rows(dependent):
    rng = np.random.default_rng(24)
    X = pd.DataFrame({
        "sex": rng.permutation(["male"] * 200 + ["female"] * 197 + [None] * 3),
        "age": rng.integers(20, 80, 400),
        "few": rng.choice([1, 2, 3, 4, 5, np.nan], 400),
        "same": 1,
    })  # fmt: skip
    person = np.arange(400) // 4
    p = rng.uniform(0.2, 0.5, 400)
    y = np.repeat(rng.random(100) < 0.5, 4) & X["sex"].notna()
    weight = rng.choice([1, 3], 400)
    options = {"groups": person} if dependent else {}
    table = measure_columns(y, p, X, [*X, "sex"], sample_weight=weight, **options)
    fifths = np.quantile(X["age"], [0.2, 0.4, 0.6, 0.8], method="inverted_cdf")
    rules = ["sex is female", "sex is male", "sex is missing", f"age <= {fifths[0]}"]
    rules += [f"{low} < age <= {high}" for low, high in pairwise(fifths)] + [f"age > {fifths[-1]}"]
    rules += ["few <= 1", "few is 2", "few is 3", "few is 4", "few > 4", "few is missing", "same (all rows alike)"]
    assert table["rule"].tolist() == rules
    wanted = []
    for level in (X["sex"].fillna("missing"), np.searchsorted(fifths, X["age"]), X["few"].fillna(9), X["same"]):
        rows = pd.DataFrame({"level": np.asarray(level), "person": person, "w": weight, "p": p, "y": y})
        parts = [part for _, part in rows.groupby("level")]
        residuals = [part.w * (part.y - part.p - np.average(part.y - part.p, weights=part.w)) for part in parts]
        together = sum((r.groupby(part.person).sum() ** 2).sum() for r, part in zip(residuals, parts, strict=True))
        effect = max(1, together / sum((r**2).sum() for r in residuals)) if dependent else 1
        for part in parts:
            observed, stated = np.average(part[["y", "p"]].astype(float), weights=part.w, axis=0)
            n = part.w.sum() ** 2 / (part.w**2).sum() / effect
            low, high = beta.ppf([0.025, 0.975], n * observed + [0, 1], n * (1 - observed) + [1, 0])
            low = low if observed else 0
            share = part.w.sum() / weight.sum()
            wanted.append([len(part), share, stated, observed, observed - stated, low - stated, high - stated])
    np.testing.assert_allclose(table[["n", "share", "stated", "observed", "gap", "low", "high"]], wanted)


@pytest.mark.parametrize(
    ("ones", "n", "p", "remark"),
    [
        (30, 60, 0.3, "too low"), (0, 60, 0.3, "too high"), (100, 200, 0.5, "no gap seen"),
        (45, 90, 0.5, "too few to say"), (40, 1000, 0.04, "no gap seen"),  # 10 points are not ruled out
        (2, 80, 0.04, "too few to say"), (78, 80, 0.96, "too few to say"),  # twice as much is not
        (0, 3, 0.05, "too few to say"), (3, 3, 0.95, "too few to say"),
        (60, 60, 1.0, "too few to say"), (0, 60, 0.0, "too few to say"),
    ],
)  # fmt: skip
def test_what_is_said_of_a_level(ones, n, p, remark):
    y = np.r_[np.arange(n) < ones, 0, 1]
    X = pd.DataFrame({"kind": ["here"] * n + ["there"] * 2})
    table = measure_columns(y, np.r_[np.full(n, p), 0.5, 0.5], X, "kind")
    assert table["remark"].tolist() == [remark, "too few to say"]


@pytest.mark.parametrize("check", ["aeg", []])
def test_columns_that_do_not_exist(check):
    X = pd.DataFrame({"age": np.arange(100)})
    assert not measure_columns(np.zeros(100), np.full(100, 0.3), X, "age")["observed"].any()  # one label is enough
    with pytest.raises(ValueError, match="check must"):
        measure_columns([0, 1] * 50, np.full(100, 0.3), X, check)


def test_a_row_of_weight_0_is_none():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=400), "b": rng.choice(["u", "v"], 400)})
    y, p, weight = rng.integers(0, 2, 400), rng.random(400), rng.random(400) * (np.arange(400) < 300)
    X.loc[300:, "b"] = "w"
    some = measure_columns(y[:300], p[:300], X[:300], ["a", "b"], sample_weight=weight[:300])
    pd.testing.assert_frame_equal(measure_columns(y, p, X, ["a", "b"], sample_weight=weight), some)
