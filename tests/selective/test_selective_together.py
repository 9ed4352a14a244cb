"""Bad inputs of all functions of `helpers.selective`: a ValueError names the argument."""

import inspect

import numpy as np
import pytest

from helpers import selective
from helpers.decisions import bayes_decision, largest_uncertainty
from helpers.scoring import BRIER
from helpers.selective import confidence_auc, normalized_of_confidence

PROBA = np.array([[0.2, 0.8], [0.6, 0.4], [0.5, 0.5]])
GOOD = {
    "correct": [1, 0, 1],
    "confidence": [0.8, 0.6, 0.5],
    "n": 1,
    "n_classes": 2,
    "incurred": [0, 1, 0],
    "uncertainty": [0.2, 0.4, 0.5],
    "largest": 0.5,
    "y": [1, 0, 1],
    "proba": PROBA,
    "cost": [[0, 1], [1, 0]],
    "reject_cost": 0.2,
    "reject_costs": [0.1, 0.2],
    "sample_weight": [1, 2, 1],
    "paper_scale": True,
    "precision": 0.9,
    "level": 0.95,
    "starts": [50, 150],
}
BAD = {
    "correct": [[1, 0, 2], [1, 0]],
    "confidence": [[0.8, 1.1, 0.5], [0.8, 0.6]],
    "n": [-1, np.nan, "1", [[1]], [0, -1]],
    "n_classes": [1, 2.5],
    "incurred": [[0, -1, 0], [0, np.nan, 0], [0, np.inf, 0], [0, 1], []],
    "uncertainty": [[0.2, -0.4, 0.5], [0.2, np.nan, 0.5], [0.2, 0.4], []],
    "largest": [0, -1, np.nan, np.inf, [1, 2]],
    "y": [[1, 0, 2], [1, 0, -1], [1, 0, 0.5], [1, 0, np.nan], [1, 0], []],
    "proba": [PROBA[:2], PROBA[:, :1], PROBA[:, 0], PROBA * 1.1],
    "cost": [[[0], [1]], [[0, 1, 1], [1, 0, 1]], [[0, -1], [1, 0]], [0, 1]],
    "reject_cost": [-0.1, np.nan, np.inf, [0.1, -0.2], "free"],
    "reject_costs": [[-0.1], [0.2, np.nan], [], 0.1, [np.inf]],
    "sample_weight": [[1, -2, 0], [0, 0, 0], [1, np.nan, 1], [1, np.inf, 1], [1, 2], []],
    "paper_scale": [],
    "precision": [0, 1, -0.1, np.nan, np.inf, "a lot", None],
    "level": [0, 1, -0.1, np.nan, np.inf, "a lot", None],
    "starts": [[0, 50], [-1], [50.5], [np.nan], []],
}  # fmt: skip
COUNTS_ROWS = ("aurc", "confidence_metrics", "risk_coverage_curve", "selective_metrics")


def normalized_confidence(correct, confidence, *, sample_weight):
    return normalized_of_confidence(BRIER.score, correct, confidence, sample_weight=sample_weight)


OURS = (bayes_decision, largest_uncertainty, normalized_confidence)
SKIPPED = ("compare_systems", "measure_systems", "normalized_of_confidence")
THEIRS = [getattr(selective, name) for name in selective.__all__ if name not in SKIPPED]
FUNCTIONS = {function.__name__: function for function in [*OURS, *filter(inspect.isfunction, THEIRS)]}
CASES = [
    (name, argument) for name, function in FUNCTIONS.items() for argument in inspect.signature(function).parameters
]
NOTHING_TO_DIFFER_FROM = [("largest_uncertainty", "cost", (2, 3)), ("bayes_decision", "proba", (2, 2))]


def call(name, **changes):
    parameters = inspect.signature(FUNCTIONS[name]).parameters
    values = {key: GOOD[key] for key in parameters} | changes
    positional = [values.pop(key) for key, spec in parameters.items() if spec.kind == spec.POSITIONAL_OR_KEYWORD]
    return FUNCTIONS[name](*positional, **values)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_good_inputs_pass_and_stay(name):
    lists = {key: value for key, value in GOOD.items() if isinstance(value, list | np.ndarray)}
    arrays = {key: np.array(lists[key], float) for key in inspect.signature(FUNCTIONS[name]).parameters if key in lists}
    before = {key: array.copy() for key, array in arrays.items()}
    state = repr(np.random.get_state())  # noqa: NPY002 the state that must not move
    call(name, **{key: array for key, array in arrays.items() if key != "starts"})
    assert repr(np.random.get_state()) == state  # noqa: NPY002
    for key, array in arrays.items():
        np.testing.assert_array_equal(array, before[key])


@pytest.mark.parametrize("name, argument", CASES)
def test_each_function_names_each_bad_input(name, argument):
    for bad in BAD[argument]:
        if (name, argument, np.shape(bad)) not in NOTHING_TO_DIFFER_FROM:
            with pytest.raises(ValueError, match=argument.rstrip("s")):
                call(name, **{argument: bad})


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if "n" in inspect.signature(FUNCTIONS[name]).parameters])
def test_several_exponents_are_for_measures_of_systems(name):
    if name in COUNTS_ROWS:
        call(name, n=[0, 1])
    else:
        with pytest.raises(ValueError, match="n must"):
            call(name, n=[0, 1])


@pytest.mark.parametrize("name", COUNTS_ROWS)
def test_fractions_of_rows_are_refused_where_aurc_counts_rows(name):
    words = r"whole numbers .*how often each row occurs.*sample_weight\[1\] is 0.5"
    with pytest.raises(ValueError, match=words):
        call(name, sample_weight=[1, 0.5, 1])
    assert confidence_auc([1, 0, 1], [0.8, 0.6, 0.5], sample_weight=[1, 0.5, 1]) == 0.5
