"""ECUAS of networks, of digits whose truth is known, of a language model, and in the paper's tables."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import softmax
from scripts import load_script

from helpers.datasets import DATA_FOLDER, load_ecuas_table, read_survey_answers, score_systems
from helpers.papers.ecuas2026 import appendix_b_1
from helpers.selective import ecuas, selective_metrics
from helpers.studies.nb10_ecuas_real import all_measures, sampled_answer_costs
from helpers.studies.nb10_ecuas_real import language_model as greedy
from helpers.studies.nb10_ecuas_real.networks import single_precision

SCRIPT = load_script("make_network_ecuas")
KEYS = ["system", "scores", "metric"]
CACHED = set(score_systems().query("cached")["name"])


@pytest.fixture(scope="module")
def shipped():
    return pd.read_csv(DATA_FOLDER / "network_ecuas.csv", keep_default_na=True).fillna({"minus": ""})


@pytest.fixture(scope="module")
def sampled():
    return pd.read_csv(DATA_FOLDER / "network_ecuas_sampled.csv")


@pytest.mark.slow
@pytest.mark.skipif(not {"sst2_gpt2", "sst2_gpt2_4shot"} <= CACHED, reason="the scores are not in the cache")
def test_the_script_makes_these_rows(shipped, sampled):
    measures, curves = SCRIPT.make_tables({"SST-2": SCRIPT.TEST_SETS["SST-2"]}, n_resamples=20)
    old = shipped[shipped["test_set"] == "SST-2"].reset_index(drop=True)
    new = measures.fillna({"minus": ""})
    pd.testing.assert_frame_equal(new[[*KEYS, "minus", "n"]], old[[*KEYS, "minus", "n"]])
    assert np.allclose(new["value"], old["value"], atol=2e-5)
    again = sampled[sampled["test_set"] == "SST-2"].reset_index(drop=True)
    pd.testing.assert_frame_equal(curves, again, atol=2e-5, rtol=0, check_dtype=False)


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
    draws = SCRIPT.measure_draws(maps, y, n_resamples=10, rng=3)
    table = SCRIPT.with_intervals(draws, [("b", "a"), ("c", "a")])
    same = table[table["minus"] == "a"].set_index(["scores", "metric"])
    assert (same.loc["b", ["value", "low", "high"]].drop("ece") == 0).all(axis=None)
    assert same.loc[("c", "ece"), ["low", "high"]].isna().all() and same.loc[("c", "ece"), "value"] != 0
    one = draws["c"]["n_ce"] - draws["a"]["n_ce"]
    assert same.loc[("c", "n_ce"), "value"] == one[0] and same.loc[("c", "n_ce"), "low"] in set(one[1:])
    assert SCRIPT.measure_draws(maps, y, n_resamples=10, rng=3)["c"].equals(draws["c"])


@pytest.mark.slow
def test_intervals_are_as_wide_as_the_spread_of_new_samples():
    width = []
    values = []
    for seed in range(25):
        scores, y = small(seed=seed)
        draws = SCRIPT.measure_draws({"a": softmax(scores, axis=1)}, y, n_resamples=12, rng=seed)["a"][
            ["n_ecuas_1", "n_er"]
        ]
        values.append(draws.iloc[0])
        width.append(draws.iloc[1:].std())
    ratio = np.mean(width, axis=0) / np.std(values, axis=0, ddof=1)
    assert (np.abs(ratio - 1) < 4 / np.sqrt(2 * 25)).all()


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


def test_single_precision_ties_the_answers_that_were_most_sure():
    scores, y = small(500, sharpness=30.0)
    single = single_precision(scores, y)
    double = selective_metrics(y, softmax(scores, axis=1))
    assert single["n_ecuas_0"] < double["n_ecuas_0"] and single["aurc_low"] < single["aurc"] < single["aurc_high"]
    order = np.random.default_rng(0).permutation(500)
    assert np.allclose(single_precision(scores[order], y[order]), single, atol=1e-6)


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


@pytest.mark.slow
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


def test_drawn_survey_answers_cost_what_the_plain_formula_says():
    rows = greedy.sampled_survey_answers()
    answers = read_survey_answers(task="income", way="choice_examples")
    for model, table in rows[rows["scores"] == "raw"].groupby("model"):
        asked = answers[answers["model"] == model]
        p = np.clip(asked["p"], 1e-5, 1 - 1e-5)
        plain = appendix_b_1(np.column_stack([1 - p, p]), asked["y"].to_numpy(), 0.5, 1).mean()
        found = table[(table["temperature"] == 0.5) & (table["n"] == 1)]
        assert found["value"].item() == pytest.approx(plain)
        assert found["people"].item() == len(asked)
    coldest = rows[(rows["temperature"] == 0) & (rows["scores"] == "calibrated") & (rows["n"] == 1)]
    assert (coldest["value"] < 1).all()  # as good as a constant answer, or better
