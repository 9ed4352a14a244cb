"""Measures of one system: by hand, as scikit-learn's, one for the naive system."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

from helpers import selective
from helpers.scoring import BRIER, LOG
from helpers.selective import confidence_metrics, normalized_ecuas, normalized_of_confidence, selective_metrics
from tests.selective.drawn import draw

EXPONENTS = [0, 0.25, 0.5, 1, 2, 128]


def test_normalized():
    rng = np.random.default_rng(5)
    proba = rng.dirichlet(np.ones(4), 500)
    y = (rng.random(500)[:, None] > np.cumsum(proba, axis=1)).sum(axis=1)
    share = np.bincount(y, minlength=4) / 500
    for n in EXPONENTS:
        assert normalized_ecuas(y, np.tile(share, (500, 1)), n=n) == pytest.approx(1)
        assert normalized_ecuas(y, np.eye(4)[y], n=n) == 0
        assert normalized_ecuas(y, proba, n=n) < 1
    certain = np.eye(4)[[0, 1, 2]]
    assert normalized_ecuas([0, 1, 3], certain, n=0) == np.inf
    assert normalized_ecuas([0, 1, 3], certain, n=0, sample_weight=[1, 1, 0]) == 0


COLUMNS = ["n_er", "ece", "auc", "n_ce_confidence", "n_brier_confidence", "n_ce", "n_brier", "aurc"]
COLUMNS += ["n_ecuas_0", "n_ecuas_1", "n_ecuas_128"]


def classifier(n=400, n_classes=4, seed=0):
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.full(n_classes, 0.4), n) * 0.98 + 0.02 / n_classes
    return (rng.random(n)[:, None] > np.cumsum(proba, axis=1)).sum(axis=1), proba


def test_four_rows_by_hand():
    answers = [1, 0, 1, 1], [0.6, 0.6, 0.9, 0.9]
    found = confidence_metrics(*answers, n=(1, 0.5))
    assert list(found.index) == [*selective.METRICS, "ecuas_1", "ecuas_0.5"]
    flags = ("needs_same_answers", "larger_is_better", "reported")
    marked = [{name for name in selective.METRICS if getattr(selective.METRICS[name], flag)} for flag in flags]
    assert marked == [{"ece", "auc", "ce", "brier", "prr"}, {"auc", "prr"}, {"aurc"}]
    assert found["er"] == 0.25 and found["ece"] == pytest.approx(0.1) and found["auc"] == pytest.approx(5 / 6)
    assert found["ce"] == pytest.approx(-np.log([0.6, 0.4, 0.9, 0.9]).mean())
    assert found["brier"] == pytest.approx((0.16 + 0.36 + 0.01 + 0.01) / 4)
    assert found["aurc"] == pytest.approx((1 / 2 / 3 + 1 / 4) / 4)
    assert found["ecuas_1"] == pytest.approx((0.16 + 1.36 + 0.01 + 0.01) / 4)


@pytest.mark.parametrize("ties", [False, True])
def test_the_same_as_scikit_learn(ties):
    correct, confidence = draw(1000, ties=ties)
    weight = np.random.default_rng(1).integers(0, 4, 1000)
    y, proba = classifier(1000)
    eye = np.eye(4)[y]
    for w in (None, weight):
        found = confidence_metrics(correct, confidence, sample_weight=w)
        assert found["auc"] == pytest.approx(roc_auc_score(correct, confidence, sample_weight=w), abs=1e-12)
        assert found["auc"] == pytest.approx(selective.confidence_auc(correct, confidence, sample_weight=w), abs=1e-12)
        assert found["brier"] == pytest.approx(brier_score_loss(correct, confidence, sample_weight=w), abs=1e-12)
        assert found["ce"] == pytest.approx(log_loss(correct, confidence, sample_weight=w), abs=1e-12)
        mean = np.average(LOG.score(y, proba), weights=w)
        assert mean == pytest.approx(log_loss(y, proba, sample_weight=w), abs=1e-12)
        assert np.average(BRIER.score(y, proba), weights=w) == pytest.approx(
            np.average(((proba - eye) ** 2).sum(axis=1), weights=w), abs=1e-12
        )


def test_certain_errors_cost_infinity_unless_they_do_not_count():
    answers = [1, 1, 0], [1.0, 0.5, 1.0]
    found = confidence_metrics(*answers)
    assert found["ce"] == found["ecuas_0"] == np.inf and np.isfinite(found.drop(["ce", "ecuas_0"])).all()
    assert np.isfinite(confidence_metrics(*answers, sample_weight=[1, 1, 0]).drop(["auc", "prr"])).all()
    assert LOG.score([1, 0], [1.0, 0.0]).tolist() == [0, 0]


def test_all_right_or_all_wrong_has_no_auc_and_no_naive_confidence():
    for correct in ([1, 1, 1], [0, 0, 0]):
        found = confidence_metrics(correct, [0.3, 0.5, 0.7], n=1)
        assert (
            np.isnan(found["auc"])
            and not found.drop(["auc", "prr"]).isna().any()
            and found["er"] == found["aurc"] == 1 - correct[0]
        )
        assert np.isnan(normalized_of_confidence(BRIER.score, correct, [0.3, 0.5, 0.7]))


def test_normalizers_are_one_for_the_naive_system():
    correct, _ = draw(200)
    y, _ = classifier(200)
    weight = np.random.default_rng(2).integers(1, 4, 200)
    shares = np.bincount(y, weight, 4) / weight.sum()
    base = np.full(200, np.average(correct, weights=weight))
    table = np.tile(shares, (200, 1))
    for score in (BRIER.score, LOG.score):
        assert normalized_of_confidence(score, correct, base, sample_weight=weight) == pytest.approx(1)
    found = selective_metrics(y, table, sample_weight=weight)
    assert found[["n_brier", "n_ce", "n_er"]].to_numpy() == pytest.approx(1)
    found = selective_metrics([0, 1], [[0.8, 0.2], [0.2, 0.8]])
    assert found["n_brier"] == pytest.approx(0.16) and found["n_ce"] == pytest.approx(np.log(0.8) / np.log(0.5))


def test_weights_are_repeated_rows_in_every_measure():
    correct, confidence = draw(200, ties=True)
    y, proba = classifier(200)
    weight = np.random.default_rng(3).integers(0, 4, 200)
    one = confidence_metrics(correct, confidence, sample_weight=weight)
    pd.testing.assert_series_equal(
        one, confidence_metrics(correct.repeat(weight), confidence.repeat(weight)), rtol=1e-12
    )
    one = selective_metrics(y, proba, sample_weight=weight)
    other = selective_metrics(y.repeat(weight), proba.repeat(weight, axis=0))
    pd.testing.assert_series_equal(one, other, rtol=1e-12)
    order = np.random.default_rng(4).permutation(200)
    pd.testing.assert_series_equal(selective_metrics(y, proba), selective_metrics(y[order], proba[order]), rtol=1e-12)


def test_table_columns_and_scales():
    y, proba = classifier()
    found = selective_metrics(y, proba)
    assert list(found.index) == COLUMNS
    half = selective_metrics(y, proba, paper_scale=False)
    assert half["n_brier_confidence"] == found["n_brier_confidence"] / 2
    pd.testing.assert_series_equal(found.drop("n_brier_confidence"), half.drop("n_brier_confidence"))
    y, proba = classifier(n_classes=2)
    two = selective_metrics(y, proba)
    assert two["n_ecuas_1"] == pytest.approx(two["n_brier"], abs=1e-12)  # the same score for two classes
