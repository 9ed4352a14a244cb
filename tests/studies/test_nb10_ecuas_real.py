"""ECUAS of networks, of digits whose truth is known, of a language model, and in the paper's tables."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax
from scipy.stats import binomtest
from scripts import load_script

from helpers.datasets import DATA_FOLDER, load_ecuas_table, score_systems
from helpers.selective import aurc, confidence_auc, ecuas, selective_metrics
from helpers.studies.nb10_ecuas_real import (
    against_printed,
    best_methods,
    check_aurc,
    disagreement,
    draw_population,
    measure_draws,
    measure_networks,
    sampled_answer_costs,
    score_maps,
    with_intervals,
)
from helpers.studies.nb10_ecuas_real import language_model as greedy
from helpers.studies.nb10_ecuas_real.digits import population_ecuas
from helpers.studies.nb10_ecuas_real.networks import all_measures, single_precision
from helpers.studies.nb10_ecuas_real.printed import aurc_limits, paired_limits

KEYS = ["system", "scores", "metric"]
CACHED = set(score_systems().query("cached")["name"])


@pytest.fixture(scope="module")
def shipped():
    return pd.read_csv(DATA_FOLDER / "network_ecuas.csv", keep_default_na=True).fillna({"minus": ""})


@pytest.fixture(scope="module")
def sampled():
    return pd.read_csv(DATA_FOLDER / "network_ecuas_sampled.csv")


# ---------------------------------------------------------------- the shipped tables


def test_a_wrong_number_would_be_seen(shipped):
    bent = shipped[shipped["minus"] == ""].copy()
    bent.loc[(bent["metric"] == "n_ce") & (bent["system"] == "sst2_gpt2"), "value"] += 0.001
    assert (against_printed(bent, load_ecuas_table(3).table)["kind"] == "unexplained").sum() == 2


@pytest.mark.skipif("pneumoniamnist_resnet50" not in CACHED, reason="the scores are not in the cache")
def test_measuring_again_gives_the_shipped_values(shipped):
    again, missing = measure_networks(["pneumoniamnist_resnet50"])
    both = again.merge(shipped[shipped["minus"] == ""], on=KEYS)
    assert missing == [] and len(both) == 3 * 17 + 5
    assert np.allclose(both["value_x"], both["value_y"], atol=2e-5)


@pytest.mark.slow
@pytest.mark.skipif(not {"sst2_gpt2", "sst2_gpt2_4shot"} <= CACHED, reason="the scores are not in the cache")
def test_the_script_makes_these_rows(shipped, sampled):
    module = load_script("make_network_ecuas")
    measures, curves = module.make_tables({"SST-2": module.TEST_SETS["SST-2"]}, n_resamples=20)
    old = shipped[shipped["test_set"] == "SST-2"].reset_index(drop=True)
    new = measures.fillna({"minus": ""})
    pd.testing.assert_frame_equal(new[[*KEYS, "minus", "n"]], old[[*KEYS, "minus", "n"]])
    assert np.allclose(new["value"], old["value"], atol=2e-5)
    again = sampled[sampled["test_set"] == "SST-2"].reset_index(drop=True)
    pd.testing.assert_frame_equal(curves, again, atol=2e-5, rtol=0, check_dtype=False)


# ---------------------------------------------------------------- measures and their intervals


def small(n=300, n_classes=4, seed=0, sharpness=2.0):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(n, n_classes))
    return sharpness * scores, (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)


def test_all_measures_by_hand():
    proba = np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.45, 0.55]])
    y = np.array([0, 1, 1, 1])
    found = all_measures(y, proba, reject_costs=(0.05, 0.2, 0.4))
    assert found["brier_confidence"] == pytest.approx(np.mean([0.01, 0.36, 0.04, 0.2025]))
    assert found["n_cost_0.05"] == pytest.approx(1) and found["n_cost_0.2"] == pytest.approx(2 * 0.2 / 4 / 0.2)
    assert found["n_cost_0.4"] == pytest.approx((0 + 1 + 0 + 0.4) / 4 / 0.25)  # always class 1 costs 0.25
    assert found[:11].equals(selective_metrics(y, proba))


@pytest.mark.slow
def test_draws_are_paired_and_repeatable():
    scores, y = small()
    maps = {"a": softmax(scores, axis=1), "b": softmax(scores, axis=1), "c": softmax(scores / 2, axis=1)}
    draws = measure_draws(maps, y, n_resamples=40, rng=3)
    table = with_intervals(draws, [("b", "a"), ("c", "a")])
    same = table[table["minus"] == "a"].set_index(["scores", "metric"])
    assert (same.loc["b", ["value", "low", "high"]].drop("ece") == 0).all(axis=None)
    assert same.loc[("c", "ece"), ["low", "high"]].isna().all() and same.loc[("c", "ece"), "value"] != 0
    one = draws["c"]["n_ce"] - draws["a"]["n_ce"]
    assert same.loc[("c", "n_ce"), "value"] == one[0] and same.loc[("c", "n_ce"), "low"] in set(one[1:])
    assert measure_draws(maps, y, n_resamples=40, rng=3)["c"].equals(draws["c"])


@pytest.mark.slow
def test_intervals_are_as_wide_as_the_spread_of_new_samples():
    width = []
    values = []
    for seed in range(25):
        scores, y = small(seed=seed)
        draws = measure_draws({"a": softmax(scores, axis=1)}, y, n_resamples=20, rng=seed)["a"][["n_ecuas_1", "n_er"]]
        values.append(draws.iloc[0])
        width.append(draws.iloc[1:].std())
    ratio = np.mean(width, axis=0) / np.std(values, axis=0, ddof=1)
    assert (np.abs(ratio - 1) < 4 / np.sqrt(2 * 25)).all()


# ---------------------------------------------------------------- known truths


@pytest.mark.parametrize("n", [0.5, 1, 2, 7])
def test_population_cost_of_a_perfect_model_in_closed_form(n):
    """u = 1 - confidence is uniform on (0, 1/2): the integral of u C(right) + ... is elementary."""
    alpha = (n + 1) * 2 ** (n + 1)
    m = 0.5 ** (n + 2)
    expected = 2 * (alpha / (n + 1) * m / (n + 2) + alpha / n * (m / 2 - m / (n + 2)))
    assert population_ecuas(n=n) == pytest.approx(expected, abs=1e-9)


def test_population_cost_at_0_and_at_the_limit():
    assert population_ecuas(n=0) == pytest.approx(0.75, abs=1e-9)
    assert population_ecuas(n=np.inf, sharpness=3) == pytest.approx(2 * 0.25, abs=1e-9)  # error rate 1/4, over 1/2


@pytest.mark.parametrize("sharpness", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("n", [0, 1, 128])
def test_samples_cost_what_the_population_does(sharpness, n):
    scores, y = draw_population(40_000, sharpness=sharpness, rng=5)
    proba = softmax(scores, axis=1)
    cost = ecuas(proba.argmax(axis=1) == y, proba.max(axis=1), n=n, n_classes=2)
    assert abs(cost.mean() - population_ecuas(sharpness=sharpness, n=n)) < 4 * cost.std() / 200


def test_properness_in_the_population():
    """Only the true confidence is cheapest, for every n; n = 0 punishes being too sure more than being too timid."""
    for n in (0, 1, 5):
        honest, timid, bold = (population_ecuas(sharpness=s, n=n) for s in (1, 0.5, 2))
        assert honest < min(timid, bold) - 1e-4
    assert population_ecuas(sharpness=3, n=0) > population_ecuas(sharpness=1 / 3, n=0)


def test_calibration_repairs_a_sharpened_model_and_leaves_a_perfect_one():
    for sharpness in (1.0, 3.0):
        scores, y = draw_population(20_000, sharpness=sharpness, rng=6)
        proba = score_maps(scores, y)["calibrated"]
        cost = ecuas(proba.argmax(axis=1) == y, proba.max(axis=1), n=0, n_classes=2)
        assert abs(cost.mean() - 0.75) < 4 * cost.std() / np.sqrt(20_000)


# ---------------------------------------------------------------- sampled answers


def test_sampled_answers_by_hand():
    """K = 2, n = 1: the answer .8 costs .16 if right, the answer .2 is below 1/2 and costs 1."""
    found = sampled_answer_costs([[0.8, 0.2], [0.8, 0.2]], [0, 1], [0, 1, 1e9], n=1)
    wrong = 0.16 + 2 * (1 - 0.4) * 2  # r = u / u_M = .4
    assert np.allclose(found, [[0.16, 0.8 * 0.16 + 0.2, 0.58], [wrong, 0.8 * wrong + 0.2, (wrong + 1) / 2]])


def test_temperature_0_is_the_answer_of_the_argmax_and_sampling_agrees():
    scores, y = small(400, 5)
    proba = softmax(scores, axis=1)
    for n in (0, 1, 128):
        cold, warm = sampled_answer_costs(proba, y, [0, 1.5], n=n).T
        assert np.allclose(cold, ecuas(proba.argmax(axis=1) == y, proba.max(axis=1), n=n, n_classes=5))
        rng = np.random.default_rng(0)
        drawn = []
        share = softmax(np.log(proba) / 1.5, axis=1)
        for _ in range(400):
            answer = (share.cumsum(axis=1) > rng.random(400)[:, None]).argmax(axis=1)
            stated = np.maximum(proba[np.arange(400), answer], 0.2)
            drawn.append(ecuas(answer == y, stated, n=n, n_classes=5).mean())
        assert abs(np.mean(drawn) - warm.mean()) < 4 * np.std(drawn) / 20


# ---------------------------------------------------------------- precision


def test_single_precision_ties_the_answers_that_were_most_sure():
    scores, y = small(500, sharpness=30.0)
    single = single_precision(scores, y)
    double = selective_metrics(y, softmax(scores, axis=1))
    assert single["n_ecuas_0"] < double["n_ecuas_0"] and single["aurc_low"] < single["aurc"] < single["aurc_high"]
    order = np.random.default_rng(0).permutation(500)
    assert np.allclose(single_precision(scores[order], y[order]), single, atol=1e-6)


TOY = pd.DataFrame(
    {
        "model": ["a", "a", "a", "b", "b"],
        "method": ["x", "y", "z", "x", "y"],
        "er": [0.1, 0.1, 0.2, 0.3, 0.2],
        "auc": [0.9, 0.8, 0.7, 0.6, 0.5],
    }
)


# ---------------------------------------------------------------- the tables


@pytest.mark.parametrize(("number", "rows", "decimals"), [(3, 30, 4), (4, 21, 3), (5, 22, 3), (6, 21, 3)])
def test_tables_are_complete_and_possible(number, rows, decimals):
    printed = load_ecuas_table(number)
    numbers = printed.table.iloc[:, 2:]
    assert len(printed.table) == rows and not printed.table.isna().any(axis=None)
    assert np.allclose(numbers, numbers.round(decimals), atol=1e-12) and printed.rounding == 0.5 * 10.0**-decimals
    assert (numbers >= 0).all(axis=None) and "2605.20490" in printed.citation and printed.licence == "CC BY 4.0"
    shares = [name for name in numbers if name.split("_")[0] in ("auc", "er", "error", "ece", "aurc")]
    assert len(shares) >= 3 and (numbers[shares] <= 1).all(axis=None)


def test_table_6_repeats_what_table_5_says():
    five, six = (load_ecuas_table(number).table.drop_duplicates() for number in (5, 6))
    both = five.merge(six, on=["model", "method"])
    pairs = {"error_rate": "er", "ece": "ece", "auc": "auc", "aurc": "aurc", "ecuas_0": "ecuas0"}
    assert len(both) == 21
    for name, short in pairs.items():
        assert both[name if name in both else f"{name}_x"].equals(both[f"{short}_human"].rename(name)), name


def test_each_call_reads_anew_and_bad_tables_are_refused():
    printed = load_ecuas_table()
    printed.table["auc"] = 0.0
    assert load_ecuas_table().table["auc"].min() > 0.5 and str(printed).startswith("30 rows, 11 measures")
    with pytest.raises(dataclasses.FrozenInstanceError):
        printed.rounding = 1.0
    for bad in (1, 2, 7, "3", None):
        with pytest.raises(ValueError, match="table must"):
            load_ecuas_table(bad)


# ---------------------------------------------------------------- who is best


def test_best_methods_by_hand():
    best = best_methods(TOY, ["er", "auc"])
    assert best.loc["a"].tolist() == [{"x", "y"}, {"x"}] and best.loc["b"].tolist() == [{"y"}, {"x"}]
    assert disagreement(best).to_numpy().tolist() == [[0, 0.5], [0.5, 0]]
    other = best_methods(TOY.assign(er=[0.2, 0.3, 0.1, 0.3, 0.2]), ["er", "auc"])
    assert disagreement(best, other).to_dict() == {"er": 0.5, "auc": 0.0}


# ---------------------------------------------------------------- which AURC can be


@given(st.integers(0, 10**6))
def test_every_aurc_lies_within_its_limits(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(200, 400))
    correct = rng.random(n) < rng.uniform(0.05, 0.95)
    confidence = (rng.random(n), rng.integers(0, 4, n) / 4, correct * 0.5, 1 - correct * 0.5)[rng.integers(4)]
    confidence = np.clip(confidence + rng.choice([0, 1]) * (correct - 0.5) * rng.uniform(-0.5, 0.5), 0, 1)
    if correct.all() or not correct.any():
        return
    found = aurc(correct, confidence)
    wrong = 1 - correct.mean()
    low, high = aurc_limits(wrong, rounding=0)
    assert low - 1e-9 <= found <= high + 1e-9
    low, high = aurc_limits(wrong, confidence_auc(correct, confidence), rounding=0)
    assert low - 2 / n <= found <= high + 2 / n


@pytest.mark.parametrize("wrong", [0.05, 0.3, 0.8])
@pytest.mark.parametrize("auc", [0.1, 0.5, 0.9])
def test_the_limits_are_reached(wrong, auc):
    n = 20_000
    bad = round(n * wrong)
    first = round(bad * (1 - auc))
    largest = np.r_[np.ones(first), np.zeros(n - bad), np.ones(bad - first)]
    before = round((n - bad) * auc)
    smallest = np.r_[np.zeros(before), np.ones(bad), np.zeros(n - bad - before)]
    order = np.linspace(1, 0, n)
    for errors, limit in zip((smallest, largest), aurc_limits(wrong, auc, rounding=0), strict=True):
        assert confidence_auc(1 - errors, order) == pytest.approx(auc, abs=1e-3)
        assert aurc(1 - errors, order) == pytest.approx(limit, abs=1e-3)


def test_rounding_widens_the_limits_and_edges_are_finite():
    tight = aurc_limits(0.2, 0.7, rounding=0)
    wide = aurc_limits(0.2, 0.7, rounding=0.01)
    assert wide[0] < tight[0] < tight[1] < wide[1]
    assert aurc_limits(0.0)[0] == 0 and aurc_limits(1.0, rounding=0) == (1.0, 1.0)
    assert np.isfinite([aurc_limits(e, a) for e in (0, 0.5, 1) for a in (None, 0, 1)]).all()


def test_what_an_aurc_can_be():
    toy = pd.DataFrame({"error_rate": [0.2] * 3, "auc": [0.9] * 3, "aurc": [0.05, 0.3, 0.6]})
    assert check_aurc(toy)["kind"].tolist() == ["possible", "beyond its band", "impossible"]


# ---------------------------------------------------------------- counts behind shares


def all_p(first, second, reviewed):
    """p values of McNemar's test for every overlap the counts allow."""
    found = []
    for both in range(max(0, first + second - reviewed), min(first, second) + 1):
        only = first - both, second - both
        found.append(binomtest(only[0], sum(only)).pvalue if sum(only) else 1.0)
    return found


@given(st.integers(0, 40), st.integers(0, 40), st.integers(40, 60))
def test_limits_of_a_paired_test_are_those_of_all_overlaps(first, second, reviewed):
    limits = paired_limits(first, second, 100, reviewed=reviewed)
    p = all_p(first, second, reviewed)
    assert limits["p_smallest"] == pytest.approx(min(p)) and limits["p_largest"] == pytest.approx(max(p))
    assert limits["difference"] == pytest.approx((first - second) / 100)
    assert limits["verdict"] == ("differ" if max(p) < 0.05 else "no evidence" if min(p) >= 0.05 else "unknown")


def test_a_text_without_its_end_takes_the_probabilities_of_a_whole_one():
    rows = pd.DataFrame({
        "question": ["a", "a", "a", "b", "a"], "answer": ["1", "1", "port", "port", "rome"],
        "logprobs": [(-0.1,), (-0.1, -4.0), (-2.0,), (-2.0, -0.3), (-3.0,)],
        "end_missing": [True, False, True, False, False],
    })  # fmt: skip
    completed = greedy._with_ends(rows)
    assert completed["logprobs"].tolist() == [(-0.1, -4.0), (-0.1, -4.0), None, (-2.0, -0.3), (-3.0,)]
    wanted = [np.exp(-4.1), np.exp(-4.1), np.nan, np.exp(-2.3), np.exp(-3.0)]  # "port" of b says nothing of a
    assert completed["posterior"].to_numpy() == pytest.approx(wanted, nan_ok=True)


def test_confidences_of_greedy_answers(answers):
    table = greedy.greedy_confidences(answers, "plain", rng=0)
    columns = ["sequence", "per token", "meaning", "is it true", "both orders", "verbalised", "learned"]
    assert list(table) == ["question", "correct", *columns] and len(table) == 120
    chance = table["is it true"]
    assert table["sequence"].to_numpy() == pytest.approx(0.6 * chance)
    assert table["per token"].to_numpy() == pytest.approx(np.sqrt(0.6 * chance))
    both = answers[answers["answer"] == "Yes"]["question"].unique()
    seen = table["question"].isin(both)
    assert table["meaning"].to_numpy() == pytest.approx(np.where(seen, chance, 0.6 * chance))
    assert table["both orders"].to_numpy() == pytest.approx(0.75 * chance)
    whole = answers["answer"] != "Yes"  # an unknown spelling adds nothing, and no question is lost
    unknown = greedy.greedy_confidences(answers.assign(end_missing=~whole), "plain", rng=0)
    assert unknown["meaning"].to_numpy() == pytest.approx(0.6 * chance)
    without = answers.assign(verbalised=np.nan, is_true=answers["is_true"].where(answers["question"] != "q3"))
    fewer = greedy.greedy_confidences(without, "plain", rng=0)
    assert "verbalised" not in fewer and len(fewer) == 119  # a column that is empty goes, a row that lacks one too


def test_the_better_confidence_is_found_and_the_same_one_is_not(answers):
    table = greedy.greedy_confidences(answers, "plain", rng=0)
    table["noise"] = np.random.default_rng(1).random(len(table))
    gaps = greedy.compare_confidences(table, ("meaning", "noise", "both orders"), n_resamples=200, rng=0)
    sides = gaps.query("first == 'meaning' and second == 'noise'").set_index("metric")["better"]
    assert (sides[["auc", "brier", "ecuas_1"]] == "first").all() and not (sides == "second").any()
    twin = greedy.compare_confidences(table.assign(noise=table["meaning"]), ("meaning", "noise"), n_resamples=50, rng=0)
    assert (twin["better"] == "").all() and (twin["difference"] == 0).all()
    assert not gaps["metric"].isin(["er", "ece"]).any()
    fig = greedy.plot_confidence_differences({"plain": gaps}, {"auc": "AUC", "brier": "Brier score"}, against="meaning")
    drawn = -gaps.query("metric == 'auc' and first == 'meaning'")["difference"].to_numpy()
    assert fig.axes[0].containers[0].lines[0].get_xdata() == pytest.approx(drawn)
    endless = gaps.assign(difference=gaps["difference"].mask(gaps["second"] == "noise", np.inf))
    ax = greedy.plot_confidence_differences({"plain": endless}, {"auc": "AUC", "prr": "PRR"}, against="meaning").axes[0]
    rest = [name.get_text() for name in ax.get_yticklabels()].index("both orders")  # it keeps the place of its name
    assert ax.containers[0].lines[0].get_ydata() == pytest.approx([ax.get_yticks()[rest] + 0.12])
