"""Systems compared: paired differences, intervals that cover, what cannot be compared."""

import numpy as np
import pandas as pd
import pytest

from helpers import selective
from helpers.calibration import calibration_error
from helpers.resampling import resampled_rows
from helpers.selective import compare as selective_systems
from helpers.selective import compare_systems, confidence_metrics, measure_systems
from helpers.selective import metrics as confidence_scores
from tests.selective.drawn import draw

METRICS = [*selective.METRICS, "ecuas_0", "ecuas_1", "ecuas_128"]


def systems(n=300):
    correct, confidence = draw(n, ties=True)
    other = draw(n, seed=1)
    return {"a": (correct, confidence), "sure": (correct, np.clip(confidence + 0.2, 0, 0.97)), "b": other}


def test_measures_are_those_of_one_system():
    table = measure_systems(systems(), n_resamples=50, rng=0)
    assert list(table) == ["system", "metric", "value", "low", "high"] and len(table) == 3 * len(METRICS)
    for name, answers in systems().items():
        mine = table[table["system"] == name].set_index("metric")
        pd.testing.assert_series_equal(mine["value"], confidence_metrics(*answers), check_names=False, rtol=1e-12)
        inside = mine["value"].between(mine["low"], mine["high"])
        assert inside.all(), f"{list(mine.index[~inside])}: outside its bootstrap interval; give the Metric an interval"


@pytest.mark.parametrize("grouped", [False, True])
def test_draws_are_resampled_rows(grouped):
    """Counting rows gives what drawing the rows themselves gives."""
    groups = np.arange(300) // 4 if grouped else None
    drawn = selective_systems._draw(systems(), confidence_scores.metrics_of(), 25, groups, 7)[1]
    for name, (correct, confidence) in systems().items():
        for k, rows in enumerate(resampled_rows(300, 25, groups=groups, rng=7)):
            want = confidence_metrics(correct[rows], confidence[rows])
            np.testing.assert_allclose(drawn[name].iloc[k], want, rtol=1e-10, atol=1e-12)


def test_identical_systems_do_not_differ():
    answers = draw(200, ties=True)
    table = compare_systems({"a": answers, "b": answers}, n_resamples=50, rng=0)
    assert table["comparable"].all() and (table["difference"] == 0).all()
    rest = table[table["metric"] != "ece"]
    assert (rest[["low", "high"]] == 0).all(axis=None) and (rest["p_value"] == 1).all()


def test_every_two_are_compared_on_the_same_draws():
    every = compare_systems(systems(), n_resamples=40, rng=3)
    pairs = every[["system", "against"]].drop_duplicates().agg(" ".join, axis=1)
    assert pairs.tolist() == ["a sure", "a b", "sure b"]
    against = compare_systems(systems(), against="b", n_resamples=40, rng=3)
    assert (against["against"] == "b").all()
    same = every[every["against"] == "b"].reset_index(drop=True)
    pd.testing.assert_frame_equal(same, against)


def test_differences_are_paired():
    table = compare_systems(systems(), against="a", n_resamples=150, rng=0).set_index(["system", "metric"])
    values = measure_systems(systems(), n_resamples=50, rng=0).set_index(["system", "metric"])["value"]
    for name in ("sure", "b"):
        gap = (values[name] - values["a"]).to_numpy()
        np.testing.assert_allclose(table.loc[name, "difference"], gap, rtol=1e-10, atol=1e-14)
    same = table.loc["sure"]
    assert same.loc["er", "low"] == same.loc["er", "high"] == 0  # the same answers
    assert same.loc["ecuas_1", "low"] > 0 and same.loc["ecuas_1", "p_value"] < 0.01  # too sure costs
    one_sided = measure_systems(systems(), n_resamples=150, rng=0).set_index(["system", "metric"])
    width = one_sided["high"] - one_sided["low"]
    paired = same["high"] - same["low"]
    assert paired["brier"] < 0.7 * width["sure"]["brier"]


def test_measures_of_the_confidence_are_marked_where_answers_differ():
    table = compare_systems(systems(), against="a", n_resamples=20, rng=0).set_index(["system", "metric"])
    assert table.loc["sure", "comparable"].all()
    marked = table.loc["b", "comparable"]
    assert {"ece", "auc", "ce", "brier", "prr"} <= set(marked[~marked].index)
    assert marked[["er", "aurc", "ecuas_0", "ecuas_1", "ecuas_128"]].all()
    differ = int((systems()["a"][0] != systems()["b"][0]).sum())
    assert table.loc[("b", "auc"), "remark"] == f"other labels: correctness differs in {differ} of 300 rows"
    assert table.loc["b", "remark"][marked].eq("").all()


def test_ece_has_the_interval_of_reliability_and_no_paired_one():
    table = measure_systems(systems(), n_resamples=20, rng=0).set_index(["system", "metric"])
    full = calibration_error(*systems()["a"], n_bins=10, rng=int(np.random.default_rng(0).integers(2**32)))
    assert tuple(table.loc[("a", "ece"), ["low", "high"]]) == (full.low, full.high)
    other = measure_systems(systems(), level=0.9, n_resamples=20, rng=0).set_index(["system", "metric"])
    assert other.loc[("a", "ece"), ["low", "high"]].isna().all()
    gaps = compare_systems(systems(), against="a", n_resamples=20, rng=0).set_index(["system", "metric"])
    row = gaps.loc[("sure", "ece")]
    assert row[["low", "high", "p_value"]].isna().all() and "no interval" in row["remark"] and row["comparable"]


def test_infinite_measures_stay_infinite():
    certain = {"a": ([1, 0, 1, 1] * 20, [1.0, 1.0, 0.9, 0.6] * 20), "b": ([1, 0, 1, 1] * 20, [0.9, 0.8, 0.9, 0.6] * 20)}
    table = measure_systems(certain, n_resamples=50, rng=0).set_index(["system", "metric"])
    assert table.loc[("a", "ecuas_0"), ["value", "low", "high"]].tolist() == [np.inf] * 3
    assert np.isfinite(table.loc[("b", "ecuas_0"), ["value", "low", "high"]].astype(float)).all()
    rare = {"a": ([0] + [1] * 99, [1.0] * 50 + [0.7] * 50)}  # the certain error is missing from a third of the draws
    row = measure_systems(rare, n_resamples=200, rng=0).set_index("metric").loc["ce"]
    assert np.isfinite(row["low"]) and row["high"] == np.inf
    gaps = compare_systems(certain, against="a", n_resamples=50, rng=0).set_index(["system", "metric"])
    assert gaps.loc[("b", "ce"), "difference"] == -np.inf and gaps.loc[("b", "ce"), "p_value"] < 0.05
    both = compare_systems(rare | {"c": rare["a"]}, against="a", n_resamples=50, rng=0).set_index("metric").loc["ce"]
    assert both[["difference", "low", "high", "p_value"]].isna().all() and "infinite in both" in both["remark"]


def test_draws_without_an_error_have_no_auc_and_are_left_out():
    correct = np.ones(40)
    confidence = np.linspace(0.5, 0.9, 40)
    correct[3] = 0
    row = measure_systems({"a": (correct, confidence)}, n_resamples=100, rng=0).set_index("metric").loc["auc"]
    assert 0 < row["low"] <= row["value"] <= row["high"] <= 1
    row = measure_systems({"a": [np.ones(40), confidence]}, n_resamples=100, rng=0).set_index("metric").loc["auc"]
    assert row.isna()[["value", "low", "high"]].all()


@pytest.mark.slow
def test_intervals_cover_and_grouped_rows_widen_them():
    """95 % intervals of ECUAS_1 hold the truth, 4 E[c (1 - c)] for c uniform on [1/2, 1], in 25 of 30 or more
    (p < 0.004 else).
    """
    hits = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        confidence = rng.uniform(0.5, 1, 150)
        correct = (rng.random(150) < confidence).astype(float)
        row = measure_systems({"a": (correct, confidence)}, n=1, n_classes=2, n_resamples=60, rng=seed).iloc[-1]
        hits += row["low"] <= 2 / 3 <= row["high"]
    assert hits >= 25
    copies = {"a": (correct.repeat(5), confidence.repeat(5))}
    naive, honest = (
        measure_systems(copies, n=1, n_resamples=100, groups=groups, rng=0).iloc[-1]
        for groups in (None, np.arange(150).repeat(5))
    )
    assert 1.8 < (honest["high"] - honest["low"]) / (naive["high"] - naive["low"]) < 2.8  # sqrt(5) = 2.24


ONE = ([1, 0, 1], [0.8, 0.6, 0.5])


@pytest.mark.parametrize(
    "made, options, words",
    [
        ({}, {}, "systems must"),
        ({"a": [1, 0, 1]}, {}, r"systems\['a'\] must"),
        ({"a": ([1, 0, 2], [0.8, 0.6, 0.5])}, {}, r"systems\['a'\]\[0\] must"),
        ({"a": ONE, "b": ([1, 0], [0.8, 0.6])}, {}, r"systems\['a'\]\[0\] and systems\['b'\]\[0\] must have the same"),
        ({"a": ONE}, {"groups": range(5)}, "systems and groups must"),
        ({"a": ONE}, {"n_resamples": 5}, "n_resamples must be"),
        ({"a": ONE}, {"level": 95}, "level must"),
    ],
)
def test_bad_systems(made, options, words):
    with pytest.raises(ValueError, match=words):
        measure_systems(made, **options)
    with pytest.raises(ValueError, match=words):
        compare_systems(made if not isinstance(made, dict) or not made else made | {"z": ONE}, against="a", **options)


def test_bad_opponents():
    with pytest.raises(ValueError, match="against must .*did you mean 'a'"):
        compare_systems({"a": ONE, "b": ONE}, against="A")
    with pytest.raises(ValueError, match="at least two systems"):
        compare_systems({"a": ONE}, against="a")
