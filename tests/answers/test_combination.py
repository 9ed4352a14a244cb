"""A learned combination of confidences: as good as the truth allows, nothing where nothing is, no question learned."""

import numpy as np
import pytest
from scipy.special import expit, logit

from helpers.answers import combine_confidences
from helpers.selective import confidence_auc


def two_signals(n, rng):
    """Answers whose log-odds are the sum of two independent signals; each confidence shows one of them, distorted."""
    one, other = rng.normal(0, 1.5, (2, n))
    correct = (rng.random(n) < expit(one + other)).astype(float)
    return correct, expit(one + other), {"one": expit(3 * one + 2), "other": expit(0.3 * other - 1)}


def test_two_halves_of_the_truth_make_it_whole():
    correct, truth, parts = two_signals(4000, np.random.default_rng(0))
    combined = combine_confidences(correct, parts, rng=0)
    alone = max(confidence_auc(correct, values) for values in parts.values())
    whole = confidence_auc(correct, combined.confidence)
    assert whole > alone + 0.05
    assert whole == pytest.approx(confidence_auc(correct, truth), abs=0.005)
    assert np.abs(combined.confidence - truth).mean() < 0.02  # the distortions are taken back
    weights = combined.weights / combined.weights.sum(axis=1).mean()
    assert weights.to_numpy() == pytest.approx(0.5, abs=0.05)


@pytest.mark.slow
def test_nothing_is_found_where_nothing_is():
    """20 tables of useless confidences: the mean AUC within four standard errors of chance."""
    areas = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        correct = (np.arange(200) < 60).astype(float)
        useless = {"a": rng.random(200), "b": rng.random(200)}
        areas.append(confidence_auc(correct, combine_confidences(correct, useless, rng=seed).confidence))
    assert abs(np.mean(areas) - 0.5) < 4 * np.std(areas) / 20**0.5


def test_answers_to_one_question_stay_together():
    """The confidence tells which question it is and nothing else: whoever splits questions finds a signal, falsely."""
    rng = np.random.default_rng(3)
    question = np.repeat(np.arange(40), 25)
    right = rng.permutation(40) % 2
    code = rng.random(40)
    parts = {f"bit {k}": np.where((np.arange(40) // 2**k % 2)[question] == 1, 0.9, 0.1) for k in range(5)}
    parts["code"] = code[question]
    correct = right[question].astype(float)
    honest = combine_confidences(correct, parts, groups=question, rng=0)
    split = combine_confidences(correct, parts, rng=0)
    assert all(np.unique(honest.fold[question == q]).size == 1 for q in range(40))
    assert confidence_auc(correct, split.confidence) > confidence_auc(correct, honest.confidence) + 0.1


def test_each_answer_is_predicted_by_the_other_folds():
    correct, _, parts = two_signals(300, np.random.default_rng(4))
    combined = combine_confidences(correct, parts, n_folds=3, rng=1)
    assert np.bincount(combined.fold).tolist() == [100, 100, 100] and len(combined.weights) == 3
    mine = combined.fold == 0
    turned = np.where(mine, 1 - correct, correct)
    again = combine_confidences(turned, parts, n_folds=3, rng=1)
    if (again.fold == combined.fold).all():  # the folds look at the labels, so they may move
        assert (again.confidence[mine] == combined.confidence[mine]).all()
    same = combine_confidences(correct, parts, n_folds=3, rng=1)
    assert (same.confidence == combined.confidence).all() and (same.fold == combined.fold).all()
    assert (combine_confidences(correct, parts, n_folds=3, rng=2).fold != combined.fold).any()


def test_missing_confidences_are_marked():
    correct, _, parts = two_signals(2000, np.random.default_rng(5))
    absent = np.random.default_rng(6).random(2000) < np.where(correct == 1, 0.1, 0.5)  # wrong answers state less
    parts["other"] = np.where(absent, np.nan, parts["other"])
    combined = combine_confidences(correct, parts, rng=0)
    assert combined.weights.columns.tolist() == ["one", "other", "other missing"]
    assert (combined.weights["other missing"] < -0.3).all() and np.isfinite(combined.confidence).all()
    assert "combination of 2 confidences, out of 5 folds, n = 2,000" in str(combined)


def test_one_confidence_keeps_its_order_in_a_fold():
    correct, _, parts = two_signals(400, np.random.default_rng(7))
    combined = combine_confidences(correct, {"one": parts["one"]}, rng=0)
    for fold in range(5):
        mine = combined.fold == fold
        order = np.argsort(parts["one"][mine])
        assert (np.diff(combined.confidence[mine][order]) >= 0).all()
    x = logit(parts["one"][combined.fold == 0])
    assert np.polyfit(x, logit(combined.confidence[combined.fold == 0]), 1, full=True)[1] < 1e-18


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"correct": [0, 1, 2, 1] * 5}, "correct must"),
        ({"correct": [1] * 20}, "correct must"),
        ({"confidences": {}}, "confidences must"),
        ({"confidences": [0.5] * 20}, "confidences must"),
        ({"confidences": {"a": [0.5] * 19 + [1.5]}}, r"confidences\['a'\] must"),
        ({"confidences": {"a": [np.nan] * 20}}, "must hold a number, but all 20 are missing"),
        ({"confidences": {"a": np.full((20, 2), 0.5)}}, "must be one column"),
        ({"confidences": {"a": ["high"] * 20}}, "must hold numbers"),
        ({"confidences": {"a": [0.5] * 19}}, "same length"),
        ({"groups": np.arange(20) // 4, "n_folds": 6}, "groups must"),
        ({"groups": ["q"] * 20}, "groups must"),
        ({"n_folds": 1}, "n_folds must be"),
        ({"correct": [1] * 3 + [0] * 17}, "correct must"),
        ({"correct": [0] * 15 + [1] * 5, "groups": np.r_[np.arange(15) % 4, np.full(5, 4)]}, "correct must"),
    ],
)
def test_bad_inputs(change, message):
    inputs = {"correct": [0, 1] * 10, "confidences": {"a": np.linspace(0, 1, 20)}, "rng": 0} | change
    with pytest.raises(ValueError, match=message):
        combine_confidences(inputs.pop("correct"), inputs.pop("confidences"), **inputs)
