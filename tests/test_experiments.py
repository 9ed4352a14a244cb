"""Repeated experiments: one table for any number of workers, summaries by hand, verdicts; controls of known truth."""

import os

import joblib
import numpy as np
import pandas as pd
import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

from helpers.experiments import comparison, each_estimator, improvement, repeat, summarise, verdict
from helpers.grouping import captured_loss, grouping_loss
from helpers.simulation import Sigmoid, controls


def tosses(n, bias, rng):
    return [{"estimator": name, "value": rng.binomial(n, bias) / n} for name in ("a", "b")]


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # what "multiprocessing" does on newer Pythons
def test_a_table_is_the_same_for_any_workers():
    cases = {"n": [10, 1000], "bias": [0.2, 0.5]}
    alone = repeat(tosses, cases, 3, rng=7)
    for backend, n_jobs in (("threading", 2), ("threading", 3), ("loky", 2), ("multiprocessing", 2)):
        with joblib.parallel_config(backend=backend, n_jobs=n_jobs):
            pd.testing.assert_frame_equal(repeat(tosses, cases, 3, rng=7), alone)
    assert len(alone) == 2 * 2 * 3 * 2 and list(alone) == ["n", "bias", "repeat", "estimator", "value"]
    assert not repeat(tosses, cases, 3, rng=8).equals(alone)
    assert alone.loc[alone["n"] == 1000, "value"].nunique() > 6  # every run has its own seed


def threads(rng):
    return [{"threads": max(library["num_threads"] for library in ThreadpoolController().info()), "pid": os.getpid()}]


@pytest.mark.slow
def test_processes_are_the_default_and_matrix_libraries_have_one_thread_inside():
    with threadpool_limits(2):
        with joblib.parallel_config(n_jobs=2):
            found = repeat(threads, {}, 6, rng=0)
        assert os.getpid() not in set(found["pid"]) and set(found["threads"]) == {1}
        with joblib.parallel_config(backend="threading", n_jobs=2):
            assert set(repeat(threads, {}, 20, rng=0)["threads"]) == {1}
        assert set(repeat(threads, {}, 2, rng=0)["threads"]) == {1}
        assert threads(0)[0]["threads"] == 2  # as it was


def fails(n, rng):
    raise (ValueError if n == 1 else KeyError)("no luck")


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_an_error_names_the_run(n_jobs):
    with joblib.parallel_config(n_jobs=n_jobs), pytest.raises(ValueError, match="^n = 1, repeat [01]: no luck"):
        repeat(fails, {"n": [1, 2]}, 2, rng=0)
    with joblib.parallel_config("threading", n_jobs=n_jobs):  # the error ended the workers of "loky"
        with pytest.raises(RuntimeError, match="^n = 2, repeat [01]: KeyError: 'no luck'"):
            repeat(fails, {"n": [2]}, 2, rng=0)


def test_no_repetition_is_refused():
    with pytest.raises(ValueError, match="n_repeats"):
        repeat(tosses, {"n": [5], "bias": [0.5]}, 0)


def test_each_estimator_hands_in_options_and_sees_one_sample():
    ways = {"fitted": {}, "known": {"p": lambda a: a.c, "calibrator": "none"}, "truth": lambda a, rng: a.grouping_loss}
    rows = each_estimator(Sigmoid().sample, ways)(400, np.random.default_rng(3))
    rng = np.random.default_rng(3)
    a = Sigmoid().sample(400, rng)
    first = grouping_loss(a.y, a.p, a.X, rng=rng)
    assert [row["estimator"] for row in rows] == list(ways)
    assert rows[0]["value"] == first.value and rows[0]["p_value"] == first.p_value
    assert rows[2]["value"] == a.grouping_loss
    assert list(ways["known"]) == ["p", "calibrator"]  # untouched


def test_summary_by_hand():
    runs = pd.DataFrame({"n": [9, 9, 9, 1], "value": [0.1, 0.3, np.nan, 0.4]})
    runs["p_value"] = [0.01, 0.2, np.nan, 0.5]
    runs["se"] = [0.1, 0.2, np.nan, 0.3]
    nine = summarise(runs, ["n"], truth=0.2).iloc[0]
    assert nine["draws"] == 3 and nine["stopped"] == pytest.approx(1 / 3)
    assert nine["value"] == pytest.approx(0.2) and nine["rmse"] == pytest.approx(0.1)
    assert nine["sd"] == pytest.approx(0.02**0.5) and nine["se"] == pytest.approx(0.1)
    assert nine["reported"] == pytest.approx(0.15)
    assert nine["alarms"] == 0.5 and nine["alarms_se"] == pytest.approx((0.25 / 2) ** 0.5)
    one = summarise(runs, ["n"]).iloc[1]
    assert one["alarms"] == 0 and one["alarms_se"] == pytest.approx(0.0475**0.5) and "rmse" not in one
    with pytest.raises(ValueError, match="'m'"):
        summarise(runs, ["m"])


def test_verdicts():
    assert verdict(1, 2, at_least=0) == "agrees" and verdict(-2, -1, at_least=0) == "differs"
    assert verdict(-1, 1, at_least=0) == "cannot tell" == verdict(np.nan, np.nan, at_least=0)
    assert verdict(1, 2, at_least=0, at_most=0) == "differs"
    with pytest.raises(ValueError, match="low"):
        verdict(2, 1)
    row = comparison("bias", "0", -0.0001, 0.1, at_least=0, at_most=0)
    assert row["ours"] == "0.000" and row["verdict"] == "agrees" and row["95 % interval"] == "-0.200 to 0.200"
    assert comparison("skewed", "0", 0.1, ends=(0.05, 0.4), at_most=0)["95 % interval"] == "0.050 to 0.400"


def test_improvement_by_hand():
    gain, se = improvement([0.4, 0.6, 9.0, 0.1, 0.3], np.array([1, 1, 2, 3, 3]))
    assert gain == pytest.approx(0.3) and se == pytest.approx((0.1**2 + 0.1**2) ** 0.5)


@pytest.mark.parametrize("draw", [controls.perfect, controls.xor_interaction, controls.same_people])
def test_controls_are_calibrated(draw):
    a = draw(4000, 5)
    for part in (a.p < 0.5, a.p >= 0.5):
        noise = (a.q * (1 - a.q) + (a.q - a.c) ** 2)[part]
        assert abs((a.y - a.p)[part].sum()) < 4 * (4 * noise.sum()) ** 0.5
    assert draw(50, 1).y.tolist() == draw(50, 1).y.tolist()


def test_four_rows_captured():
    missed = np.array([0.1, 0.3, -0.2, -0.2])
    assert captured_loss([0, 0, 1, 1], missed) == pytest.approx((0.04 + 0.04) / 2)
    assert captured_loss([0, 0, 0, 0], missed) == pytest.approx(0)


def test_crowd_has_the_loss_of_its_population():
    assert controls.sobol_sample(Sigmoid(), 3).grouping_loss == pytest.approx(Sigmoid().grouping_loss, rel=0.01)
