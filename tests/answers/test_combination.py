"""A learned combination of confidences: as good as the truth allows, nothing where nothing is, no question learned."""

import numpy as np
import pytest
from scipy.special import expit

from helpers.answers import combine_confidences
from helpers.selective import confidence_auc


def two_signals(n, rng):
    """Answers whose log-odds are the sum of two independent signals; each confidence shows one of them, distorted."""
    one, other = rng.normal(0, 1.5, (2, n))
    correct = (rng.random(n) < expit(one + other)).astype(float)
    return correct, expit(one + other), {"one": expit(3 * one + 2), "other": expit(0.3 * other - 1)}


@pytest.mark.slow
def test_nothing_is_found_where_nothing_is():
    """The mean AUC of useless confidences is within four standard errors of chance."""
    correct = np.arange(200) < 60.0
    areas = []
    for seed in range(10):
        useless = dict(zip("ab", np.random.default_rng(seed).random((2, 200)), strict=True))
        areas.append(confidence_auc(correct, combine_confidences(correct, useless, rng=seed)))
    assert abs(np.mean(areas) - 0.5) < 4 * np.std(areas) / 10**0.5


def test_answers_to_one_question_stay_together():
    """The confidence tells which question it is and nothing else: whoever splits questions finds a signal, falsely."""
    rng = np.random.default_rng(3)
    question = np.repeat(np.arange(40), 25)
    right = rng.permutation(40) % 2
    parts = {f"bit {k}": np.where((np.arange(40) // 2**k % 2)[question] == 1, 0.9, 0.1) for k in range(5)}
    parts["code"] = rng.random(40)[question]
    correct = right[question].astype(float)
    honest = combine_confidences(correct, parts, groups=question, rng=0)
    split = combine_confidences(correct, parts, n_folds=2, rng=0)
    assert confidence_auc(correct, split) > confidence_auc(correct, honest) + 0.1


def test_two_halves_of_the_truth_make_it_whole_and_missing_ones_are_marked():
    """Both distortions are taken back. Wrong answers state less, so that "missing" says something."""
    correct, truth, parts = two_signals(400, np.random.default_rng(5))
    whole = combine_confidences(correct, parts, rng=0)
    assert confidence_auc(correct, whole) == pytest.approx(confidence_auc(correct, truth), abs=0.02)
    assert np.abs(whole - truth).mean() < 0.05 and (combine_confidences(correct, parts, rng=1) != whole).any()
    absent = np.random.default_rng(6).random(400) < np.where(correct == 1, 0.1, 0.5)
    filled = combine_confidences(correct, parts | {"other": np.where(absent, 0.3, parts["other"])}, rng=0)
    marked = combine_confidences(correct, parts | {"other": np.where(absent, np.nan, parts["other"])}, rng=0)
    assert np.isfinite(marked).all() and confidence_auc(correct, marked) > confidence_auc(correct, filled) + 0.01


def test_a_confidence_that_all_but_one_answer_lack_changes_next_to_nothing():
    """From the folds that lack it whole, too, the others are learned as without it."""
    correct, _, parts = two_signals(400, np.random.default_rng(5))
    rare = np.full(400, np.nan)
    rare[17] = 0.9
    with_it = combine_confidences(correct, parts | {"rare": rare}, rng=0)
    others = np.arange(400) != 17
    np.testing.assert_allclose(with_it[others], combine_confidences(correct, parts, rng=0)[others], atol=0.02)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"confidences": {}}, "confidences must"),
        ({"confidences": [0.5] * 20}, "confidences must"),
        ({"confidences": {"a": [0.5] * 19 + [1.5]}}, r"confidences\['a'\] must"),
        ({"confidences": {"a": [np.nan] * 20}}, "must hold a number, but all 20 are missing"),
        ({"groups": np.arange(20) // 4, "n_folds": 6}, "groups must"),
        ({"groups": np.arange(19)}, "correct and groups"),
        ({"n_folds": 1}, "n_folds must"),
        ({"correct": [1] * 3 + [0] * 17}, "correct must .* right .* 3"),
        ({"correct": [0] * 3 + [1] * 17}, "correct must .* wrong .* 3"),
    ],
)
def test_bad_inputs(change, message):
    inputs = {"correct": [0, 1] * 10, "confidences": {"a": np.linspace(0, 1, 20)}, "rng": 0} | change
    with pytest.raises(ValueError, match=message):
        combine_confidences(inputs.pop("correct"), inputs.pop("confidences"), **inputs)
