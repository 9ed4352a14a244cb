"""Any table: an error names its argument, or the result is finite, in range, and the same under other names of the
columns in another order.
"""

import re

import numpy as np
import pandas as pd
import pytest
from strategies import frames, samples, tries

from helpers.audit import search_segments
from helpers.calibration import calibration_error
from helpers.decisions import RiskEstimator
from helpers.grouping import binned_grouping_loss, grouping_loss, stacked_grouping_loss
from helpers.partition import HonestTree
from helpers.practice.repair import Recalibrator

AGES = np.arange(100) % 60

SAMPLE = (np.arange(100) * 7 % 11 < 5, np.linspace(0.2, 0.8, 100), pd.DataFrame({"age": AGES}), {})

COST = [[0.0, 5.0], [1.0, 0.0]]


def told(error, *arguments):
    """The error is a sentence about an argument, which it names first."""
    text = str(error)
    names = ("y", "p", "X", "groups", "sample_weight", *arguments)
    assert re.match(rf"({'|'.join(names)})\b", text), text
    assert text.rstrip().endswith((".", "?", ")")), text


def loss_of(function):
    """Value, interval and test, all checked."""

    def numbers(y, p, X, options):
        loss = function(y, p, X, rng=0, **options)
        if np.isnan(loss.se):  # every bin is one region
            return loss.value, str(loss)
        assert np.isfinite([loss.value, loss.low, loss.high, loss.se]).all(), loss
        assert loss.low <= loss.value + 1e-12 and loss.value <= loss.high + 1e-12, loss
        assert -1 <= loss.value <= 1
        if hasattr(loss, "p_value"):
            assert 0 <= loss.p_value <= 1
            assert (loss.low > 0) == (loss.p_value < 0.025)
        return loss.value, loss.low, loss.high

    return numbers


def search(y, p, X, options):
    found = search_segments(y, p, X, n_draws=19, rng=0, **options)
    assert 0 <= found.p_value <= 1
    assert found.table["adjusted"].between(0, 1).all()
    gap = found.table["gap"]
    assert np.isfinite(found.table[["gap", "low", "high"]].to_numpy()).all()
    assert (found.table["low"] <= gap).all() and (gap <= found.table["high"]).all()
    return found.p_value, tuple(gap), tuple(found.selected["gap"])


def tree(y, p, X, options):
    options = {name: value for name, value in options.items() if name == "sample_weight"}
    fitted = HonestTree(min_samples_leaf=10, rng=0).fit(X, np.asarray(y, float) - np.asarray(p, float), **options)
    region = fitted.apply(X)
    assert region.shape == (len(X),)
    return tuple(region)


def risk(y, p, X, options):
    model = RiskEstimator(COST, n_halvings=1, rng=0).fit(X, y, p, **options)
    predicted = np.asarray(model.predict(X, p))
    assert predicted.shape == (len(X),) and np.isfinite(predicted).all() and (predicted >= 0).all()
    return tuple(predicted)


def repair(y, p, X, options):
    model = Recalibrator(n_folds=2, rng=0).fit(X, y, p, **options)
    repaired = np.asarray(model.predict(X, p))
    assert repaired.shape == (len(X),) and (repaired >= 0).all() and (repaired <= 1).all()
    return tuple(repaired.round(9))


ESTIMATORS = {
    "tree": (tree, 40),
    "loss": (loss_of(grouping_loss), 40),
    "binned": (loss_of(binned_grouping_loss), 30),
    "risk": (risk, 30),
    "search": (search, 15),
    "stack": (loss_of(stacked_grouping_loss), 8),
    "repair": (repair, 4),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ESTIMATORS)
def test_any_table(name):
    estimate, number = ESTIMATORS[name]
    computed = []

    @tries(number, samples(), always=[(SAMPLE,)])
    def holds(sample):
        y, p, X, options = sample
        before = X.copy(deep=True)
        try:
            numbers = estimate(y, p, X, options)
        except ValueError as error:
            told(error, "residual", "min_samples_leaf")
            return
        finally:
            pd.testing.assert_frame_equal(X, before)
        place = {column: k for k, column in enumerate(sorted(X.columns) if name == "search" else X.columns[::-1])}
        names = [f"{place[column]} {column}" for column in X.columns]  # a search sorts them
        other = X.set_axis(names, axis=1).set_axis(np.arange(len(X))[::-1] * 3, axis=0)
        assert estimate(y, p, other[names[::-1]], options) == numbers
        computed.append(numbers)

    holds()
    assert computed


@tries(60, samples())
def test_any_scores(sample):
    y, p, _, options = sample
    try:
        error = calibration_error(y, p, **options)
    except ValueError as problem:
        told(problem)
        return
    assert np.isfinite([error.value, error.debiased, error.low, error.high]).all()
    assert 0 <= error.value <= 1 and error.low <= error.high
    assert 0 <= error.p_value <= 1


@tries(20, frames(least=1))
def test_a_frame_of_any_kind_is_not_mutated_by_a_refusal(X):
    before = X.copy(deep=True)
    with pytest.raises(ValueError, match="^(X|y) must"):
        grouping_loss(np.full(len(X), 2), np.full(len(X), 0.5), X)
    pd.testing.assert_frame_equal(X, before)
