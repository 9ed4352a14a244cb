"""Printed tables: shipped as printed, and what follows from printed numbers alone is true of all data behind them."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from helpers.datasets import load_ecuas_table
from helpers.selective import aurc, confidence_auc
from helpers.studies.nb10_ecuas_real import (
    best_methods,
    check_aurc,
    disagreement,
    possible_sizes,
    rank_changes,
)
from helpers.studies.nb10_ecuas_real.printed import aurc_limits, paired_limits

METRICS = ["error_rate", "ece", "auc", "ce", "brier", "aurc", "ecuas_0", "ecuas_1", "ecuas_128"]
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


def test_rank_changes_by_hand():
    table = TOY.iloc[:3].assign(er_llm=[0.1, 0.2, 0.3], er_human=[0.3, 0.1, 0.2])
    changes = rank_changes(table, ["er"]).iloc[0]
    assert changes["most_moved"] == "a / x" and changes["places"] == -2
    better = rank_changes(table.assign(auc_llm=table["er_llm"], auc_human=table["er_human"]), ["auc"]).iloc[0]
    assert better["most_moved"] == "a / x" and better["places"] == 2  # of AUC more is better
    assert changes["swapped"] == pytest.approx(2 / 3) and changes["kendall"] == pytest.approx(-1 / 3)


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


def test_one_printed_aurc_cannot_be_and_two_lie_beyond_their_band():
    """Ministral, verbalised: 0.673 printed, at most 0.570 for any order of answers with 23.1 % errors."""
    table = check_aurc(load_ecuas_table(5).table.drop_duplicates(ignore_index=True))
    kinds = table.set_index(["model", "method"])["kind"]
    assert kinds["Ministral-3-8B-Instruct-2512"].tolist() == ["beyond its band", "possible", "impossible"]
    assert kinds.value_counts().to_dict() == {"possible": 18, "beyond its band": 2, "impossible": 1}
    assert aurc_limits(0.231)[1] == pytest.approx(0.5703, abs=1e-4)
    toy = pd.DataFrame({"error_rate": [0.2] * 3, "auc": [0.9] * 3, "aurc": [0.05, 0.3, 0.6]})
    assert check_aurc(toy)["kind"].tolist() == ["possible", "beyond its band", "impossible"]


# ---------------------------------------------------------------- counts behind shares


def test_sizes_by_hand_and_of_the_paper():
    assert possible_sizes([0.5], range(1, 7)) == [2, 4, 6]
    assert possible_sizes([0.333, 0.25], range(1, 30)) == [12, 24]
    shares = load_ecuas_table(6).table[["er_llm", "er_human"]].to_numpy().ravel()
    sizes = possible_sizes(shares, range(300, 500))
    assert sizes == [455]


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
