"""Studies of the audit: witnesses, second looks, planted groups, silence where nothing is to be found."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from helpers.audit import tree_groups
from helpers.calibration import PlattCalibrator
from helpers.experiments import repeat
from helpers.simulation import model_pool
from helpers.studies import nb07_audit


def test_second_look_finds_a_gap_twice_and_luck_once():
    rng = np.random.default_rng(0)
    n = 6000
    X = pd.DataFrame({"town": rng.random(n) < 0.05, "z": rng.normal(size=n)})
    y = (rng.random(n) < np.where(X["town"], 0.9, 0.5)).astype(int)
    letter = nb07_audit.second_look(y, np.full(n, 0.5), X, rng.random(n) < 0.5, rng=0)
    real = letter["rule"].str.contains("town is True")
    assert real.any() and (letter.loc[real, "second"] > 0.2).all()
    luck = letter[~real]
    assert luck["first"].abs().min() > 0.1  # largest of many
    towards = np.sign(luck["first"]) * luck["second"]
    assert abs(towards.mean()) < 3 * 0.5 / np.sqrt(30 * len(luck))  # each group has at least 30 rows in the other part
    assert letter["first"].abs().is_monotonic_decreasing and len(letter) == 8


def test_planted_study_reports_overlap_and_coverage():
    pool = model_pool([1], grouping_error=0, group_bias={("job", "care"): 2.0}, rng=0)
    runs = repeat(nb07_audit.planted_study(pool, {"care": ("job", "care")}, 4000), {"merge": ["no", 0.2]}, 4, rng=0)
    by = runs.groupby("merge", sort=False).mean()
    assert list(runs)[2:] == ["groups", "conditions", "significant", "covered", "overlap, care"]
    assert by.loc[0.2, "groups"] < by.loc["no", "groups"] and by.loc[0.2, "overlap, care"] > 0.8
    assert runs["covered"].between(0, 1).all() and runs["covered"].mean() > 0.7


def test_sources_keep_their_promise():
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"a": np.arange(50)})
    c = np.linspace(0.1, 0.9, 50)
    rows, p, q, groups = nb07_audit.redrawn(X, c, np.arange(50) // 2)(20, rng)
    np.testing.assert_array_equal(p, c[rows["a"]])
    np.testing.assert_array_equal(groups, rows["a"] // 2)
    assert np.array_equal(p, q) and len(set(rows["a"])) == 20
    rows, p, q, groups = nb07_audit.quarter_too_low(4000, rng)
    off = q - p
    assert groups is None and 0.2 < (off > 0).mean() < 0.3 and off.max() <= 0.1 + 1e-12 and (q <= 1).all()


@pytest.mark.slow
def test_alarms_at_the_promised_level_and_where_they_should_be():
    sources = {"null": nb07_audit.perfect_score, "planted": nb07_audit.quarter_too_low}
    runs = repeat(nb07_audit.alarm_study(sources, 2000, method="tree", merge=0.2), {"kind": list(sources)}, 30, rng=0)
    table = nb07_audit.alarm_shares(runs)
    assert table.loc["null", "share"] < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 30)
    assert table.loc["planted", "share"] > 0.3


def test_exact_intervals():
    """Clopper-Pearson: the ends are the shares at which so many hits, or so few, have a probability of 2.5 %."""
    hits = {"none": 0, "half": 5, "all": 10}
    runs = pd.DataFrame([(kind, k < n) for kind, n in hits.items() for k in range(10)], columns=["kind", "alarm"])
    found = nb07_audit.alarm_shares(runs)
    assert found.loc["none", "low"] == 0 and found.loc["all", "high"] == 1
    assert (1 - found.loc["none", "high"]) ** 10 == pytest.approx(0.025)
    assert found.loc["all", "low"] ** 10 == pytest.approx(0.025)
    assert binom.sf(4, 10, found.loc["half", "low"]) == pytest.approx(0.025)
    assert binom.cdf(5, 10, found.loc["half", "high"]) == pytest.approx(0.025)


def test_figure_one_is_named_and_a_blind_audit_is_told_so():
    def audit(scores, blind=False):
        c = PlattCalibrator().fit(scores.p, scores.y).predict(scores.p)
        X = scores.X.assign(sex=pd.Categorical(["female"] * scores.n, ["male", "female"])) if blind else scores.X
        options = {"calibrated": c, "against": "calibrated", "max_depth": 4, "merge": 0.2, "rng": 0}
        return tree_groups(scores.y, scores.p, X, **options)

    seen = repeat(nb07_audit.figure1_study(8000, audit), {}, 3, rng=0).mean()
    assert seen.filter(like="share").min() > 0.5 and seen.filter(like="edge").min() > 0.05
    blind = repeat(nb07_audit.figure1_study(8000, lambda scores: audit(scores, blind=True)), {}, 3, rng=0).mean()
    assert blind["over-confident, share"] < 0.7 * seen["over-confident, share"]
