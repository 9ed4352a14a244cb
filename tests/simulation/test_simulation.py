"""Populations do what they say: reference values, calibration, and rates of the drawn labels."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import linprog
from scipy.special import expit
from scipy.stats import norm

from helpers.scoring import decompose
from helpers.simulation import BlindSpot, FinitePopulation, Links, SemiSynthetic, Sigmoid, largest_grouping_loss

STEEP = Links(lambda p: np.minimum(1, 2 * p))
WORST = Links(lambda p: 0 * p + 0.5, other=lambda p: p > 0.5, accurate=True)
TILTED_COVARIANCE = np.array([[2.0, 0.6, 0.0], [0.6, 1.0, 0.3], [0.0, 0.3, 0.5]])


def towards_half(p):
    return p + 0.6 * (0.5 - p)


POPULATIONS = {
    "sigmoid": Sigmoid(),
    "accurate sigmoid": Sigmoid(accurate=True),
    "weak sigmoid": Sigmoid(strength=0.3),
    "no loss": Sigmoid(strength=0),
    "steep link": STEEP,
    "uniform link": Links(lambda p: np.minimum(1, 2 * p), inputs="uniform"),
    "accurate link": Links(
        lambda p: p + 0.8 * np.minimum(np.minimum(p, 1 - p), np.abs(p - 0.5)), inputs="uniform", accurate=True
    ),
    "reweighted link": Links(lambda p: p**2, other=lambda p: p**2 < p),
    "reweighted accurate link": Links(towards_half, other=lambda p: towards_half(p) < p, accurate=True),
    "worst accurate link": WORST,
    "three dimensions": BlindSpot([1, -2, 0.5], psi=np.sin),
    "oblique": BlindSpot([1, 1, 0], covariance=TILTED_COVARIANCE, link=norm.cdf, accurate=True, strength=0.9),
    "named directions": BlindSpot([0, 2], [3, 0], covariance=np.diag([0.5, 4]), psi=np.sign),
}
ACCURATE = ["accurate sigmoid", "accurate link", "reweighted accurate link", "worst accurate link", "oblique"]
each_population = pytest.mark.parametrize("population", POPULATIONS.values(), ids=POPULATIONS)


def test_reference_values():
    population = Sigmoid()
    assert population.grouping_loss == pytest.approx(0.02535948084, abs=1e-10)
    assert population.irreducible_loss == pytest.approx(0.0849351616, abs=1e-9)
    assert population.grouping_loss + population.irreducible_loss == pytest.approx(0.1102946424, abs=1e-9)
    assert Sigmoid(accurate=True).grouping_loss == pytest.approx(0.007683939163, abs=1e-10)
    assert Sigmoid(strength=0.5).grouping_loss == pytest.approx(0.02535948084 / 4, abs=1e-10)
    assert Links(lambda p: p).grouping_loss == 0


def test_four_rows_by_hand():
    q = Sigmoid().truth([[0, 0], [0, 50], [0, -50], [np.log(3), 50]])
    assert np.allclose(q, [0.5, 1, 0, 1])
    x = np.sqrt(np.log(2)) / 0.9
    assert np.allclose(STEEP.truth([x, -x, 0]), [1, 0, 0]) and np.allclose(STEEP.stated([x, -x, 0]), [0.5, 0.5, 0])


@pytest.mark.slow
@each_population
def test_labels_follow_q_the_score_is_calibrated_and_the_loss_is_the_mean(population):
    """40,000 rows, each mean within 4 standard errors, overall and in ten bins of the score."""
    s = population.sample(40_000, rng=0)
    assert ((s.q >= 0) & (s.q <= 1)).all() and set(np.unique(s.y)) <= {0, 1} and np.array_equal(s.p, s.c)
    loss = (s.q - s.c) ** 2
    assert abs(loss.mean() - population.grouping_loss) <= 4 * loss.std() / 200
    assert s.grouping_loss == pytest.approx(loss.mean())
    region = np.minimum((s.p * 10).astype(int), 9)
    size = np.maximum(np.bincount(region, minlength=10), 1)
    for residual, variance in ((s.y - s.q, s.q * (1 - s.q)), (s.q - s.c, loss)):
        z = np.bincount(region, residual, 10) / np.sqrt(np.bincount(region, variance, 10) + 1e-12 * size)
        assert np.abs(z).max() < 4.5  # ten bins at once
    assert decompose(s.q, s.p, s.c).calibration == 0


@pytest.mark.slow
@each_population
def test_three_losses_are_the_expected_brier_score(population):
    """Grouping and irreducible loss by quadrature against labels: 40,000 rows, 4 standard errors."""
    s = population.sample(40_000, rng=1)
    brier = (s.p - s.y) ** 2
    assert abs(brier.mean() - population.grouping_loss - population.irreducible_loss) <= 4 * brier.std() / 200
    assert population.irreducible_loss >= -1e-12


@each_population
def test_stated_true_and_calibrated_are_functions_of_the_features(population):
    s = population.sample(500, rng=2)
    X = s.X["x"] if list(s.X) == ["x"] else s.X
    for found, drawn in ((population.stated(X), s.p), (population.truth(X), s.q), (population.calibrated(X), s.c)):
        assert np.allclose(found, drawn, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ACCURATE)
def test_accurate_populations_never_change_the_decision(name):
    s = POPULATIONS[name].sample(20_000, rng=0)
    tie = np.abs(s.q - 0.5) < 1e-12  # either decision is as good
    assert np.array_equal(s.p[~tie] >= 0.5, s.q[~tie] >= 0.5)
    assert s.accuracy_lost < 1e-12


# ---- shifted shares: figure 10, right --------------------------------------------------------------------------


@pytest.mark.slow
@given(st.floats(0, 1), st.sampled_from(["normal", "uniform"]))
@settings(max_examples=10)
def test_any_bent_link_is_calibrated_once_the_density_is_tilted(bend, inputs):
    def link(p):
        return p + bend * (0.5 - p)

    population = Links(link, other=lambda p: link(p) < p, inputs=inputs, accurate=True)
    x = np.linspace(0.01, 1.99, 50)
    right, left = population.density(x), population.density(-x)
    assert np.allclose(right * population.truth(x) + left * population.truth(-x), (right + left) * population.stated(x))
    top = 2 if inputs == "uniform" else 12
    assert quad(population.density, -top, top, points=[-0.93, 0, 0.93], limit=200)[0] == pytest.approx(1, abs=1e-6)
    assert population.grouping_loss <= WORST_OF[inputs] * (1 + 1e-9)


WORST_OF = {
    inputs: Links(WORST.link, other=WORST.other, inputs=inputs, accurate=True).grouping_loss
    for inputs in ("normal", "uniform")
}


def test_sides_are_drawn_with_their_shares():
    population = POPULATIONS["reweighted link"]
    s = population.sample(40_000, rng=3)
    right = s.X["x"].to_numpy() > 0
    share = population.right_share(s.p)
    z = np.bincount((s.p * 10).astype(int), right - share, 10)
    z /= np.sqrt(np.bincount((s.p * 10).astype(int), share * (1 - share), 10) + 1e-12)
    assert np.abs(z).max() < 4.5


def test_shares_of_one_half_when_the_other_link_is_the_mirror():
    link = POPULATIONS["accurate link"].link
    mirrored = Links(link, other=lambda p: 2 * p - link(p), inputs="uniform", accurate=True)
    p = np.linspace(0, 1, 101)
    assert np.allclose(mirrored.right_share(p), 0.5)
    assert mirrored.grouping_loss == pytest.approx(POPULATIONS["accurate link"].grouping_loss, abs=1e-12)


# ---- the largest grouping loss ---------------------------------------------------------------------------------


@pytest.mark.parametrize("threshold", [None, 0.5, 0.1])
@pytest.mark.parametrize("p", [0.0, 0.05, 0.25, 0.4, 0.5, 0.75, 1.0])
def test_the_largest_loss_is_what_a_linear_programme_finds(p, threshold):
    """Weights on a grid of true probabilities, mean p, on p's side of the threshold, largest variance."""
    q = np.linspace(0, 1, 101)
    if threshold is not None:
        q = q[q <= threshold + 1e-9] if p < threshold else q[q >= threshold - 1e-9]
    best = linprog(-((q - p) ** 2), A_eq=[np.ones(q.size), q], b_eq=[1, p])
    assert best.status == 0
    assert largest_grouping_loss([p], threshold=threshold)[0] == pytest.approx(-best.fun, abs=1e-9)


def test_the_worst_link_reaches_the_largest_loss_and_half_of_the_brier_score_is_never_passed():
    worst = quad(lambda x: 2 * norm.pdf(x) * largest_grouping_loss([WORST.stated(x)], threshold=0.5)[0], 0, 9)[0]
    assert WORST.grouping_loss == pytest.approx(worst, abs=1e-7)
    p = np.linspace(0, 1, 1001)
    assert (largest_grouping_loss(p, threshold=0.5) <= p * (1 - p) / 2 + 1e-15).all()
    for name in ACCURATE:
        assert POPULATIONS[name].grouping_loss <= POPULATIONS[name].irreducible_loss


@pytest.mark.parametrize(
    ("p", "threshold", "name"), [([1.1], 0.5, "p"), ([0.1], 2, "threshold"), ([0.1], "a", "thres")]
)
def test_largest_loss_bad_inputs(p, threshold, name):
    with pytest.raises(ValueError, match=f"{name}.* must"):
        largest_grouping_loss(p, threshold=threshold)


WIDEST = Links(lambda p: p + np.minimum(p, 1 - p)).grouping_loss


@pytest.mark.slow
@given(st.floats(-1, 1))
@settings(max_examples=10)
def test_any_link_between_its_bounds_is_calibrated(tilt):
    def link(p):
        return p + tilt * np.minimum(p, 1 - p)

    population = Links(link)
    x = np.linspace(0.01, 3, 50)
    assert np.allclose((population.truth(x) + population.truth(-x)) / 2, population.stated(x))
    assert population.grouping_loss == pytest.approx(tilt**2 * WIDEST, abs=1e-12)


@pytest.mark.parametrize(
    ("link", "options", "sentence"),
    [
        (lambda p: p * 3, {}, "link must"),
        (lambda p: p * np.nan, {}, r"link\(0.0000\) is nan"),
        (lambda p: p * np.nan, {"other": lambda p: p}, "link must"),
        (lambda p: p * np.nan, {"other": 1}, "other must"),
        (0.5, {}, "link must"),
        (lambda p: p**2, {"other": lambda p: p**2}, "other must"),
        (lambda p: p**2, {"other": lambda p: p**3}, "other must"),
        (lambda p: p**2, {"other": lambda p: p + 0.5}, "other must"),
        (lambda p: p**2, {"other": lambda p: p**2 < p, "accurate": True}, "side of 1/2"),
        (lambda p: 0.5, {}, "link must"),
        (lambda p: p[:3], {}, "link must"),
        (lambda p: np.minimum(1, 2 * p), {"accurate": True}, "side of 1/2"),
        (lambda p: p, {"inputs": "gauss"}, "inputs must"),
    ],
)
def test_links_that_are_none(link, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        Links(link, **options)


@pytest.mark.parametrize("strength", [-0.1, 1.1, np.nan, "strong", None])
def test_strengths_that_are_none(strength):
    with pytest.raises(ValueError, match="strength must"):
        Sigmoid(strength=strength)


# ---- the blind spot in d dimensions ----------------------------------------------------------------------------


def test_the_plane_is_the_sigmoid_population():
    plane = BlindSpot([1, 0], [0, 1], covariance=np.diag([10, 1]))
    assert plane.grouping_loss == Sigmoid().grouping_loss
    a = plane.sample(100, rng=0)
    b = Sigmoid().sample(100, rng=0)
    assert a.X.equals(b.X) and np.array_equal(a.q, b.q) and np.array_equal(a.y, b.y)


def test_only_the_scales_of_the_two_directions_matter():
    """weights . X has variance 10 and direction . X variance 1 in five dimensions, turned and stretched."""
    rng = np.random.default_rng(0)
    factor = rng.normal(size=(5, 5))
    covariance = factor @ factor.T + np.eye(5)
    weights = rng.normal(size=5)
    weights *= np.sqrt(10 / (weights @ covariance @ weights))
    turned = BlindSpot(weights, covariance=covariance, accurate=True)
    assert abs(turned.direction @ covariance @ weights) < 1e-9
    assert turned.direction @ covariance @ turned.direction == pytest.approx(1)
    assert turned.grouping_loss == pytest.approx(0.007683939163, abs=1e-9)
    X = turned.sample(40_000, rng=0).X.to_numpy()
    products = X[:, :, None] * X[:, None, :]
    assert (np.abs(products.mean(axis=0) - covariance) < 4.5 * products.std(axis=0) / 200).all()


def test_weights_need_not_be_eigenvectors():
    """Independence is what calibration needs: an oblique direction, orthogonal in the sense of the covariance only."""
    image = TILTED_COVARIANCE @ [1, 1, 0]
    direction = np.array([image[1], -image[0], 0])
    s = BlindSpot([1, 1, 0], direction, covariance=TILTED_COVARIANCE).sample(40_000, rng=0)
    assert abs(direction @ [1, 1, 0]) > 0.5
    region = np.minimum((s.p * 10).astype(int), 9)
    z = np.bincount(region, s.q - s.p, 10) / np.sqrt(np.bincount(region, (s.q - s.p) ** 2, 10))
    assert np.abs(z).max() < 4.5


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"weights": [1]}, "weights must"),
        ({"weights": [0, 0]}, "weights must"),
        ({"weights": [1, np.nan]}, "weights must"),
        ({"direction": [1, 1]}, "direction must"),
        ({"direction": [0, 0]}, "direction must"),
        ({"direction": [0, 1, 0]}, "direction must"),
        ({"covariance": [1, 1]}, "covariance must"),
        ({"covariance": [[1, 2], [2, 1]]}, "covariance must"),
        ({"covariance": [[1, 0.5], [0, 1]]}, "covariance must"),
        ({"covariance": [[1, np.nan], [np.nan, 1]]}, "covariance must"),
        ({"link": lambda t: t}, "link must"),
        ({"link": 1}, "link must"),
        ({"psi": np.cos}, "psi must"),
        ({"psi": lambda t: 2 * np.tanh(t)}, "psi must"),
        ({"psi": lambda t: 0.0}, "psi must"),
        ({"strength": 2}, "strength must"),
    ],
)
def test_blind_spots_that_are_none(change, sentence):
    with pytest.raises(ValueError, match=sentence):
        BlindSpot(**({"weights": [1, 0]} | change))


# ---- finite populations ----------------------------------------------------------------------------------------


def test_cells_by_hand():
    """Scores 0.2 and 0.7, the second one stated as 0.6; figure 2 of the paper is the second half."""
    cells = FinitePopulation(p=[0.2, 0.2, 0.6, 0.6], q=[0.1, 0.3, 0.6, 0.8], share=[0.25, 0.25, 0.1, 0.4])
    assert np.allclose(cells.c, [0.2, 0.2, 0.76, 0.76])
    assert cells.calibration_loss == pytest.approx(0.5 * 0.16**2)
    assert cells.grouping_loss == pytest.approx(0.5 * 0.01 + 0.1 * 0.16**2 + 0.4 * 0.04**2)
    assert cells.irreducible_loss == pytest.approx(0.25 * (0.09 + 0.21) + 0.1 * 0.24 + 0.4 * 0.16)
    assert cells.accuracy_lost == 0
    assert FinitePopulation([0.7, 0.7], [0.45, 0.95]).accuracy_lost == pytest.approx(0.5 * 0.1)
    assert FinitePopulation([0.7, 0.7], [0.6, 0.8]).grouping_loss == pytest.approx(0.01)


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.25, 0.7, 1.0]), st.floats(0, 1), st.floats(0.01, 1)), min_size=1))
def test_the_parts_of_cells_add_up_in_any_order(rows):
    p, q, weight = np.transpose(rows)
    cells = FinitePopulation(p, q, weight / weight.sum())
    parts = cells.calibration_loss + cells.grouping_loss + cells.irreducible_loss
    assert parts == pytest.approx(cells.share @ ((p - q) ** 2 + q * (1 - q)), abs=1e-12)
    back = FinitePopulation(p[::-1], q[::-1], weight[::-1] / weight.sum())
    assert np.allclose(back.c[::-1], cells.c) and back.grouping_loss == pytest.approx(cells.grouping_loss, abs=1e-12)
    split = FinitePopulation(np.tile(p, 2), np.tile(q, 2), np.tile(weight, 2) / (2 * weight.sum()))
    assert split.grouping_loss == pytest.approx(cells.grouping_loss, abs=1e-12)


def test_cells_agree_with_decompose_and_with_their_samples():
    rng = np.random.default_rng(0)
    p = rng.choice([0.1, 0.4, 0.8], 12)
    q = rng.random(12)
    share = rng.dirichlet(np.ones(12))
    X = pd.DataFrame({"place": np.arange(12) / 12, "kind": list("abcdefghijkl")}, index=rng.permutation(12))
    cells = FinitePopulation(p, q, share, X=X)
    parts = decompose(q, p, cells.c, sample_weight=share)
    assert parts.calibration == pytest.approx(cells.calibration_loss)
    assert parts.grouping == pytest.approx(cells.grouping_loss)
    assert parts.irreducible == pytest.approx(cells.irreducible_loss)
    s = cells.sample(40_000, rng=1)
    for loss, exact in [
        ((s.p - s.c) ** 2, cells.calibration_loss),
        ((s.q - s.c) ** 2, cells.grouping_loss),
        (s.q * (1 - s.q), cells.irreducible_loss),
        ((s.p - s.y) ** 2, parts.total),
    ]:
        assert abs(loss.mean() - exact) < 4 * loss.std() / 200
    for level in np.unique(p):  # labels follow c at every score
        y = s.y[s.p == level]
        c = s.c[s.p == level]
        assert abs(y.mean() - c[0]) < 4 * np.sqrt(c[0] * (1 - c[0]) / y.size)
    kind = s.X["kind"].map(dict(zip("abcdefghijkl", q, strict=True)))
    assert np.array_equal(kind, s.q) and list(s.X.index) == list(range(40_000))


def test_cells_without_features_have_their_number():
    cells = FinitePopulation([0.5, 0.5], [0.2, 0.8])
    s = cells.sample(50, rng=0)
    assert np.array_equal(cells.q[s.X["cell"]], s.q) and np.allclose(cells.share, 0.5)
    p = np.array([0.3, 0.3])
    before = p.copy()
    FinitePopulation(p, p).p[0] = 1
    assert np.array_equal(p, before)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"p": [0.5, 1.5]}, "p must"),
        ({"q": [0.5, np.nan]}, "q must"),
        ({"q": [0.5]}, "p and q must"),
        ({"p": [], "q": []}, "p must"),
        ({"share": [0.5, 0.4]}, "share must"),
        ({"share": [1.0, 0.0]}, "share must"),
        ({"share": [0.5, np.inf]}, "share must"),
        ({"share": [0.2, 0.3, 0.5]}, "p and share must"),
        ({"X": [[1], [2], [3]]}, "p and X must have the same length"),
    ],
)
def test_cells_that_are_none(change, sentence):
    with pytest.raises(ValueError, match=sentence):
        FinitePopulation(**({"p": [0.5, 0.5], "q": [0.4, 0.6]} | change))


# ---- real features, known truth --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    n = 1200
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "income": np.where(rng.random(n) < 0.2, np.nan, rng.lognormal(size=n)),
            "job": pd.Categorical(rng.choice(["cook", "smith"], n)),
            "town": rng.choice(["Ulm", "Bonn", None], n),
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 999, n), unit="D"),
        },
        index=rng.permutation(n),
    )
    return X, (rng.random(n) < expit((X["age"] - 50) / 10)).to_numpy(int), np.round(rng.random(n), 1)


def test_semi_synthetic_truth_is_the_mean_of_q_given_p(people):
    X, y, p = people
    before = X.copy(deep=True)
    population = SemiSynthetic(X, y, p, neighbors=5, rng=0)
    pd.testing.assert_frame_equal(X, before)
    assert len(population.X) == 600
    for level in np.unique(population.p):
        rows = population.p == level
        assert np.allclose(population.c[rows], population.q[rows].mean())
    assert population.grouping_loss == pytest.approx(np.mean((population.q - population.c) ** 2))
    assert decompose(population.q, population.c, population.c).calibration == 0


def test_semi_synthetic_samples_are_rows_of_the_population(people):
    X, y, p = people
    population = SemiSynthetic(X, y, p, rng=0)
    s = population.sample(30_000, rng=1)
    assert abs((s.y - s.q).mean()) < 4 * np.sqrt((s.q * (1 - s.q)).mean() / 30_000)
    assert abs(s.grouping_loss - population.grouping_loss) < 4 * ((s.q - s.c) ** 2).std() / np.sqrt(30_000)
    known = population.X.assign(q=population.q).drop_duplicates()
    merged = s.X.assign(q=s.q).drop_duplicates()
    assert len(merged.merge(known)) >= len(merged) - 1
    again = population.sample(30_000, rng=1)
    assert np.array_equal(s.y, again.y) and s.X.equals(again.X)


def test_semi_synthetic_scores_may_be_a_function(people):
    X, y, _ = people
    population = SemiSynthetic(X, y, lambda rows: expit((rows["age"].to_numpy() - 50) / 20), rng=0)
    assert population.p.shape == (600,) and 0 <= population.c.min() <= population.c.max() <= 1
    steps = np.diff(population.c[np.argsort(population.p, kind="stable")])
    assert np.abs(steps).max() < 0.1  # smoothed over neighbours


def test_semi_synthetic_bad_inputs(people):
    X, y, p = people
    for change, sentence in [
        ({"score": p[:5]}, "X and score must"),
        ({"score": p * 2}, "score must"),
        ({"score": lambda rows: np.full(3, 0.5)}, "q and score must"),
        ({"y": np.zeros(len(y))}, "y must"),
        ({"y": y[:9]}, "X and y must"),
        ({"X": X.to_numpy()[:, :0]}, "X must"),
        ({"neighbors": 1}, "neighbors must"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            SemiSynthetic(**({"X": X, "y": y, "score": p, "rng": 0} | change))


EACH_KIND = {"sigmoid": Sigmoid(), "links": STEEP, "tilted": WORST, "cells": FinitePopulation([0.2, 0.7], [0.3, 0.6])}


@pytest.mark.parametrize("population", EACH_KIND.values(), ids=EACH_KIND)
def test_same_seed_same_rows_and_global_state_untouched(population):
    np.random.seed(0)  # noqa: NPY002 the state that must not move
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    a, b, c = (population.sample(50, rng=rng) for rng in (3, np.random.default_rng(3), 4))
    assert a.X.equals(b.X) and np.array_equal(a.y, b.y) and not a.X.equals(c.X)
    assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002
    for n in (0, -1, 2.5, True):
        with pytest.raises(ValueError, match="n must"):
            population.sample(n)
