"""Studies of audits: alarms, coverage, planted groups; pools of models of many sizes."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from helpers.audit import tree_groups
from helpers.calibration import PlattCalibrator
from helpers.datasets import load_model_list
from helpers.experiments import repeat
from helpers.simulation import model_pool
from helpers.studies import nb07_audit
from helpers.studies.nb07_audit import (
    across,
    lowess_trend,
    model_size,
    normalise,
    pool_losses,
    simulate_pool,
    train_pools,
)
from helpers.studies.nb07_audit.model_size import survey_tasks


def test_planted_study_reports_overlap_and_coverage():
    pool = model_pool([1], grouping_error=0, group_bias={("job", "care"): 2.0}, rng=0)
    runs = repeat(nb07_audit.planted_study(pool, {"care": ("job", "care")}, 4000), {}, 4, rng=0)
    assert list(runs)[1:] == ["groups", "conditions", "significant", "covered", "overlap, care"]
    assert runs["overlap, care"].mean() > 0.3
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
    runs = repeat(nb07_audit.alarm_study(sources, 2000, method="tree"), {"kind": list(sources)}, 30, rng=0)
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
        options = {"calibrated": c, "against": "calibrated", "max_depth": 4, "rng": 0}
        return tree_groups(scores.y, scores.p, X, **options)

    seen = repeat(nb07_audit.figure1_study(8000, audit), {}, 3, rng=0).mean()
    assert seen.filter(like="share").min() > 0.5 and seen.filter(like="edge").min() > 0.05
    blind = repeat(nb07_audit.figure1_study(8000, lambda scores: audit(scores, blind=True)), {}, 3, rng=0).mean()
    assert blind["over-confident, share"] < 0.7 * seen["over-confident, share"]


@pytest.fixture(scope="module")
def pools():
    return train_pools(sizes=(50, 400), n_rows=1500, rng=0)


def losses(values, size=None, kind="base", dataset="a"):
    return pd.DataFrame(
        {
            "dataset": dataset,
            "size": np.arange(1, len(values) + 1) if size is None else size,
            "kind": kind,
            "value": values,
        }
    )


def test_list_of_models_as_printed():
    models = load_model_list()
    assert len(models) == 27 and not models.duplicated(["family", "size", "type"]).any()
    companies = {"DeepSeek AI": 2, "Google": 4, "Meta": 15, "Microsoft": 2, "Mistral AI": 4}
    assert models.groupby("company").size().to_dict() == companies
    number = models["size"].str.extract(r"^(\d+)(?:x(\d+))?")
    plain = number[1].isna()
    assert (number.loc[plain, 0].astype(float) == models.loc[plain, "billions"]).all() and (~plain).sum() == 2


def test_normalise_by_hand_and_in_each_data_set():
    table = pd.concat([losses([0.012, 0.004, 0.008]), losses([5.0, 1.0, 2.0], dataset="b")], ignore_index=True)
    before = table.copy()
    np.testing.assert_allclose(normalise(table)["normalised"], [1, 0, 0.5, 1, 0, 0.25])
    pd.testing.assert_frame_equal(table, before)
    np.testing.assert_allclose(
        normalise(table.assign(value=3 - 2 * table["value"]))["normalised"], [0, 1, 0.5, 0, 1, 0.75]
    )


def test_across_by_hand():
    table = pd.concat([losses([1.0, 0.0]), losses([0.5, 0.2], dataset="b")]).rename(columns={"value": "normalised"})
    found = across(table)
    np.testing.assert_allclose(found["value"], [0.75, 0.1])
    np.testing.assert_allclose(found["se"], [0.25, 0.1])  # s.e. of two values: half their distance


@pytest.mark.parametrize("it", [0, 3])
def test_trend_follows_a_line_in_log_size(it):
    size = np.array([1.0, 2, 4, 8, 16, 32, 64, 128])
    table = pd.concat([losses(3 - np.log2(size), size), losses(np.log2(size), size, kind="tuned")])
    trend = lowess_trend(table, it=it)
    for kind, line in {"base": lambda x: 3 - np.log2(x), "tuned": np.log2}.items():
        part = trend[trend["kind"] == kind]
        np.testing.assert_allclose(part["value"], line(part["size"]), atol=1e-8)
        assert part["size"].iloc[[0, -1]].round(6).tolist() == [1, 128]


@pytest.mark.slow
def test_simulated_models_have_the_planted_order():
    found = pd.concat(
        [simulate_pool(50, rng=seed).models.assign(truth=simulate_pool(50, rng=seed).truth) for seed in (0, 1)]
    )
    by = found.groupby(["kind", "size"])["truth"].mean()
    assert (by["base"].loc[1] > by["base"].loc[70]) and (by["tuned"].loc[1] > by["tuned"].loc[70])
    both = by.unstack("kind").dropna()
    assert both["tuned"].mean() < 0.85 * both["base"].mean()
    null = simulate_pool(50, tuned=0.0, rng=0)
    assert null.truth[(null.models["kind"] == "tuned").to_numpy()].max() == 0


@pytest.mark.slow
def test_estimates_are_lower_bounds_and_zero_for_perfect_models():
    pool = simulate_pool(1500, tuned=0.0, rng=1)
    table = pool_losses(pool, rng=0)
    z = (table["value"] - table["truth"]) / table["se"]
    tuned = table["kind"] == "tuned"
    assert z.max() < 4 and abs(z[tuned].mean()) < 3 / np.sqrt(2)  # one table: its luck is shared by the 12 models
    assert z[~tuned].mean() < -1


def test_real_pools_ask_people_who_trained_nothing(monkeypatch):
    used = []
    learned = model_size._learned
    tuned = model_size._tuned

    def learning(codes, y, rows, known, rng):
        used.append(rows)
        return learned(codes, y, rows, known, rng)

    def tuning(codes, odds, y, rows, known):
        used.append(rows)
        return tuned(codes, odds, y, rows, known)

    monkeypatch.setattr(model_size, "_learned", learning)
    monkeypatch.setattr(model_size, "_tuned", tuning)
    one = survey_tasks()["RAND: any visit"]
    monkeypatch.setattr(model_size, "survey_tasks", lambda: {"RAND": one})
    pool = train_pools(sizes=(50, 200), n_tuning=100, n_rows=1000, rng=0)[0]
    assert [rows.size for rows in used] == [50, 200, 100, 100]
    people = one[2]
    assert not set(people[np.concatenate(used)]) & set(pool.groups)
    asked = np.isin(people, pool.groups)
    assert asked.sum() == len(pool.y) >= 1000 and pool.p.shape == (4, len(pool.y))  # whole people


@pytest.mark.slow
def test_more_rows_leave_less_grouping_loss(pools):
    falls = []
    for pool in pools:
        table = pool_losses(pool, rng=0).query("kind == 'base'")
        falls.append((table["value"].iloc[0] - table["value"].iloc[1]) / np.hypot(*table["se"]))
    assert np.mean(falls) > 3 / np.sqrt(5) and len(pools[-1].models) == 4
