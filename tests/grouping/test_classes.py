"""The grouping loss of several classes: equal to the binary one, a known truth, nothing where there is nothing."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.special import softmax

from helpers.calibration import affine, calibrators
from helpers.calibration.affine import calibrate_classes
from helpers.grouping import grouping_loss
from helpers.grouping.classes import _direction, _effect_of_fit, _known_moments, squared_vectors
from helpers.grouping.fitted_scores import effect_of_fit
from helpers.grouping.region_statistics import region_statistics
from helpers.partition.checked import check_rows
from helpers.partition.class_rows import check_class_rows

NUMBERS = (
    "value", "null_variance", "noise_variance", "noise_ceiling", "signal_variance", "unit_variance", "plugin", "n",
    "n_regions", "left_out",
)  # fmt: skip


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def population(n_classes, n, rng, shift=0.0):
    """Features, calibrated scores, true probabilities and labels; x2 > 0 moves a share of class 0 to class 1."""
    X = rng.normal(size=(n, 3))
    direction = np.random.default_rng(1).normal(size=(2, n_classes))
    P = softmax(X[:, :2] @ direction - np.linspace(0, 1.5, n_classes), axis=1)
    moved = shift * np.sign(X[:, 2]) * np.minimum(P[:, 0], P[:, 1])
    Q = P.copy()
    Q[:, 0] -= moved
    Q[:, 1] += moved
    y = (rng.random(n)[:, None] > np.cumsum(Q, axis=1)[:, :-1]).sum(axis=1)
    return X, P, Q, y


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
def test_two_classes_are_the_binary_statistics(rng, weighted, grouped):
    n = 2000
    c = rng.beta(2, 5, n)
    y = rng.random(n) < c
    region = rng.integers(0, 40, n)
    weight = rng.gamma(2, size=n) if weighted else None
    groups = rng.integers(0, 200, n) if grouped else None
    one = region_statistics(y - c, region, weight, groups)
    residual = np.column_stack([c - y, y - c])
    two, _, mean, by_class = squared_vectors(
        residual, np.column_stack([1 - c, c]), region, weight, groups, None, np.eye(2)
    )
    # groups: how alike their rows are is given by one correlation there, by the residuals alone here
    for name in NUMBERS if not grouped else [name for name in NUMBERS if name != "null_variance"]:
        assert getattr(two, name) == pytest.approx(getattr(one, name), rel=1e-9), name
    if not grouped:
        assert two.null_third == pytest.approx(one.null_third, rel=1e-9)
    assert two.mean_variance == pytest.approx(one.mean_variance, nan_ok=True)
    assert mean[:, 1] == pytest.approx(one.mean) and mean[:, 0] == pytest.approx(-one.mean)
    assert by_class == pytest.approx([one.value, one.value])


def test_the_fit_of_two_classes_costs_what_it_costs_the_binary_one(rng):
    n = 1500
    p = rng.beta(1, 4, n)
    y = (rng.random(n) < p).astype(float)
    X = pd.DataFrame({"x": rng.normal(size=n)})
    region = rng.integers(0, 25, n)
    halves = [(np.arange(0, n, 2), region[::2]), (np.arange(1, n, 2), region[1::2])]
    P = np.column_stack([1 - p, p])
    two = _effect_of_fit(check_class_rows(y, P, X, None, None), P, halves)
    one = effect_of_fit(check_rows(y, p, X, None, None), p, halves)
    assert (two.shift, two.variance_ratio) == pytest.approx((one.shift, one.variance_ratio), rel=1e-6)


STEPS = np.tril(np.ones((3, 3)))[:-1]
asked_by_both = pytest.mark.parametrize("asked", [np.eye(3), STEPS], ids=["each class", "steps"])


@asked_by_both
def test_known_moments_are_those_of_all_labels_that_may_be_drawn(rng, asked):
    c = rng.dirichlet([4, 2, 0.5], 7)
    weight = rng.gamma(3, size=7)
    region = np.array([0, 1, 0, 1, 0, 1, 0])
    factor = np.array([0.02, 0.05])
    drawn = np.array(list(itertools.product(range(3), repeat=7)))
    chance = c[np.arange(7), drawn].prod(axis=1)
    r = weight[:, None] * (np.eye(3)[drawn] - c) @ asked.T / np.sqrt(2)
    squares = [
        (r[:, region == j].sum(axis=1) ** 2).sum(axis=1) - (r[:, region == j] ** 2).sum(axis=(1, 2)) for j in (0, 1)
    ]
    value = factor @ squares
    assert chance @ value == pytest.approx(0, abs=1e-12)
    variance, third = _known_moments(c, weight, region, factor, asked)
    assert chance @ value**2 == pytest.approx(variance)
    assert chance @ value**3 == pytest.approx(third, rel=0.15)  # that of three different questions is left out


@asked_by_both
@pytest.mark.parametrize("grouped", [False, True])
def test_the_fit_of_three_classes_costs_what_all_covariances_say(rng, asked, grouped):
    n = 90
    P = rng.dirichlet([4, 2, 1], n)
    y = (rng.random(n)[:, None] > np.cumsum(P, axis=1)[:, :-1]).sum(axis=1)
    w = rng.uniform(0.5, 2, n)
    person = np.arange(n) // 3
    half, region = np.arange(n) % 2, np.where(w.argsort().argsort() < 3, 2, rng.integers(0, 2, n))  # one of few rows
    rows = check_class_rows(y, P, P, w, person if grouped else None, asked is STEPS)
    parts = [(np.flatnonzero(half == k), region[half == k]) for k in (0, 1)]
    fit = _effect_of_fit(rows, P, parts)
    w = w / w.mean()
    Z = [np.column_stack([np.eye(3), row]) for row in np.log(P)]
    V = [np.diag(c) - np.outer(c, c) for c in P]
    inverse = np.linalg.pinv(sum(one * z.T @ v @ z for one, z, v in zip(w, Z, V, strict=True)))
    cell, q = 3 * half + region, len(asked)
    moved = np.zeros((6, q, 4))
    known, known_squares, factor = np.zeros((6 * q, 6 * q)), 0.0, np.empty(6)
    for j in range(6):
        own = np.flatnonzero(cell == j)
        moved[j] = asked @ sum(w[i] * V[i] @ Z[i] for i in own)
        block = asked @ sum(w[i] * V[i] for i in own) @ asked.T
        known[q * j : q * j + q, q * j : q * j + q] = block
        factor[j] = 1 / (w[own].sum() * w[half == j // 3].sum())
        known_squares += factor[j] ** 2 * (block**2).sum()
    taken = moved.reshape(-1, 4) @ inverse @ moved.reshape(-1, 4).T
    each = np.repeat(factor, q)
    ratio = (np.outer(each, each) * (known - taken) ** 2).sum() / known_squares
    assert 0.5 < ratio < 1 and fit.variance_ratio == pytest.approx(ratio)
    scores = np.array([one * z.T @ (np.eye(3)[k] - c) for one, z, k, c in zip(w, Z, y, P, strict=True)])
    scores = np.array([scores[person == g].sum(axis=0) for g in range(30)]) if grouped else scores
    inflation = np.trace(scores @ inverse @ scores.T) / 3
    assert fit.shift == pytest.approx(-inflation * each @ np.diag(taken) / 4)


def test_two_columns_are_twice_the_binary_loss(rng):
    X, P, _, y = population(2, 1000, rng, 0.5)
    one = grouping_loss(y, P[:, 1], X, rng=0)
    two = grouping_loss(y, P, X, rng=0)
    assert two.value == 2 * one.value and two.low == 2 * one.low and two.p_value == one.p_value
    assert two.calibration_loss == pytest.approx(2 * one.calibration_loss)
    assert two.by_class["value"].tolist() == [one.value, one.value]


def test_two_classes_in_order_are_the_binary_loss(rng):
    X, P, _, y = population(2, 1000, rng, 0.5)
    one = grouping_loss(y, P[:, 1], X, rng=0)
    two = grouping_loss(y, P, X, ordered=True, rng=0)
    assert (two.value, two.low, two.p_value) == (one.value, one.low, one.p_value)
    assert two.by_class["stated"].tolist() == pytest.approx([1 - P[:, 1].mean()])


@pytest.mark.parametrize("n_classes", [3, 6])
def test_the_loss_of_steps_is_that_of_the_questions_up_to_each(rng, n_classes):
    """Moved from the first class to the second, only the first step errs; from the first to the last, all of them."""
    X, P, Q, y = population(n_classes, 6000, rng, 0.9)
    loss = grouping_loss(y, P, X, ordered=True, rng=0)
    assert loss.by_class.index.tolist() == [f"up to {k}" for k in range(n_classes - 1)]
    assert loss.by_class["value"].sum() == pytest.approx(loss.value)
    assert loss.by_class["value"].iloc[0] > 0.85 * loss.value and loss.p_value < 1e-4
    truth = ((Q - P)[:, 0] ** 2).mean()
    assert 0.7 * truth < loss.value < 1.1 * truth and loss.low < truth
    swap = np.r_[0, 2:n_classes, 1]  # what was moved to class 1 is now moved to the last
    far = grouping_loss(np.argsort(swap)[y], P[:, swap], X, ordered=True, rng=0)
    truth = (np.cumsum((Q - P)[:, swap], axis=1)[:, :-1] ** 2).sum(axis=1).mean()
    assert 0.75 * truth < far.value < 1.1 * truth and far.low < truth


@pytest.mark.parametrize("n_classes", [3, 5])
def test_a_known_loss_is_found(rng, n_classes):
    X, P, Q, y = population(n_classes, 6000, rng, 0.6)
    loss = grouping_loss(y, P, X, rng=0)
    truth = ((Q - P) ** 2).sum(axis=1).mean()
    assert loss.p_value < 1e-4 and loss.low < truth
    assert loss.value > 0.5 * truth
    assert loss.by_class["value"].sum() == pytest.approx(loss.value)
    assert loss.by_class["value"].nlargest(2).index.sort_values().tolist() == [0, 1]


@pytest.mark.nightly
@pytest.mark.parametrize("ordered", [False, True])
def test_nothing_is_found_where_there_is_nothing(rng, ordered):
    """80 populations: within 4 standard errors of 5 % of alarms, and of a mean of 0."""
    z, alarms = [], 0
    for seed in range(80):
        X, P, _, y = population(3, 400, rng)
        loss = grouping_loss(y, P, X, ordered=ordered, rng=seed)
        alarms += loss.p_value < 0.05
        z.append(loss.value / loss.null_se)
    assert alarms <= 11
    assert abs(np.mean(z) + 0.2) < 4 / 80**0.5  # the fit takes a fifth of a standard error
    assert np.std(z) == pytest.approx(1, abs=0.25)


def hard_answers(n, rng):
    """Half of the scores are one-hot and right in 75 %, else it is one neighbour; the features say nothing."""
    _, P, _, _ = population(3, n, rng)
    hot = np.arange(n) % 2 == 0
    P[hot] = np.eye(3)[P[hot].argmax(axis=1)]
    true = np.where(hot[:, None], 0.75 * P + 0.25 * np.roll(P, 1, axis=1), P)
    return rng.normal(size=(n, 2)), P, (true.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)


@pytest.mark.parametrize("clip", [1e-9, 1e-4])
def test_no_verdict_hangs_on_where_scores_count_as_0(rng, clip, monkeypatch):
    X, P, y = hard_answers(600, rng)
    P = np.where(P > 0, np.maximum(P, 1e-3), 0)
    P /= P.sum(axis=1, keepdims=True)
    before = grouping_loss(y, P, X, rng=0)
    for module in (affine, calibrators):
        monkeypatch.setattr(module, "CLIP", clip)
    after = grouping_loss(y, P, X, rng=0)
    assert (after.value, after.p_value, after.low) == (before.value, before.p_value, before.low)


@pytest.mark.slow
def test_nothing_is_found_where_one_hot_scores_are_wrong_at_rates_of_their_own(rng):
    """80 populations: within 4 standard errors of 5 % of alarms."""
    alarms = 0
    for seed in range(80):
        X, P, y = hard_answers(600, rng)
        alarms += grouping_loss(y, P, X, rng=seed).p_value < 0.05
    assert alarms <= 11


def test_what_is_given_decides_the_question(rng):
    X, P, _, y = population(3, 1500, rng, 0.5)
    words = np.array(["no", "perhaps", "yes"])
    table = pd.DataFrame(P, columns=words)
    top = grouping_loss(words[y], table, X, given="top", rng=0)
    assert top.value == grouping_loss(y == P.argmax(axis=1), P.max(axis=1), X, rng=0).value
    yes = grouping_loss(words[y], table[["yes", "no", "perhaps"]], X, given="yes", rng=0)
    assert yes.value == grouping_loss(y == 2, P[:, 2], X, rng=0).value


def test_categories_stand_in_the_direction_in_which_they_differ_most(rng):
    X = pd.DataFrame({"town": list("aabbcc"), "job": list("xyxyxx"), "x": np.arange(6.0)})
    r = rng.normal(size=(6, 3))
    means = [pd.DataFrame(r).groupby(X[name]).transform("mean") for name in ("town", "job")]
    assert abs(_direction(X, r) @ np.linalg.svd(np.vstack(means))[2][0]) == pytest.approx(1)
    assert abs(_direction(X[["x"]], r) @ np.linalg.svd(r)[2][0]) == pytest.approx(1)


def test_a_category_tells_classes_apart_whichever_they_are(rng):
    X, P, Q, y = population(4, 8000, rng)
    town = rng.integers(0, 12, 8000)
    moved = 0.8 * np.where(town % 2, 1, -1) * np.minimum(Q[:, 2], Q[:, 3])
    Q[:, 2] += moved
    Q[:, 3] -= moved
    y = (rng.random(8000)[:, None] > np.cumsum(Q, axis=1)[:, :-1]).sum(axis=1)
    table = pd.DataFrame({"town": np.array(list("abcdefghijkl"))[town], "x": X[:, 0]})
    assert grouping_loss(y, P, table, rng=0).p_value < 1e-4


def test_weights_and_groups(rng):
    X, P, _, y = population(3, 2000, rng, 0.5)
    weight = np.where(X[:, 0] > 0, 2.0, 1.0)
    plain = grouping_loss(y, P, X, rng=0)
    assert grouping_loss(y, P, X, sample_weight=3 * np.ones(2000), rng=0).value == pytest.approx(plain.value)
    weighted = grouping_loss(y, P, X, sample_weight=weight, rng=0)
    c, label = calibrate_classes(P, y, weight, P), np.eye(3)[y]
    gain = ((P - label) ** 2 - (c - label) ** 2).sum(axis=1)
    assert weighted.p_value < 0.01 and weighted.recalibration_gain == pytest.approx(np.average(gain, weights=weight))
    assert weighted.calibration_loss == pytest.approx(np.average(((P - c) ** 2).sum(axis=1), weights=weight))
    grouped = grouping_loss(y, P, X, groups=np.arange(2000) // 4, rng=0)
    assert grouped.p_value < 0.01 and grouped.n == 2000


BAD = {
    "a row": (lambda P, y: (y, P * np.where(np.arange(len(P)) == 3, 0.5, 1)[:, None]), "row 3 sums to 0.5"),
    "never occurs": (
        lambda P, y: (y, pd.DataFrame(np.c_[P, 0 * y], columns=[0, 1, 2, 3])),
        "every class of p, but 3 never occurs",
    ),
    "no column": (lambda P, y: (np.where(y == 2, 7, y), pd.DataFrame(P)), "is 7 and the columns are"),
    "an array": (lambda P, y: (np.minimum(y, 1), P), "3 for 2 classes"),
    "one column": (lambda P, y: (y, P[:, :1]), "two columns"),
    "missing": (lambda P, y: (np.where(np.arange(len(y)) == 5, np.nan, y), P), r"y\[5\] is missing"),
    "two of a name": (lambda P, y: (y, pd.DataFrame(P, columns=[0, 1, 1])), "1 has two"),
    "constant": (lambda P, y: (y, np.tile(P[:1], (len(P), 1))), 'calibrator="none"'),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_named(rng, case):
    X, P, _, y = population(3, 300, rng)
    change, words = BAD[case]
    y, P = change(P, y)
    with pytest.raises(ValueError, match=words):
        grouping_loss(y, P, X)


def test_options_of_several_classes(rng):
    X, P, _, y = population(3, 300, rng)
    for options, words in [
        ({"method": "paper"}, "p must be"), ({"calibrator": "isotonic"}, "platt"), ({"given": "blue"}, "'top'"),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match=words):
            grouping_loss(y, P, X, **options)
    with pytest.raises(ValueError, match="given"):
        grouping_loss(y == 0, P[:, 0], X, given="top")
