"""Populations do what they say: reference values, calibration, and rates of the drawn labels."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from helpers.scoring import decompose
from helpers.simulation import Links, SemiSynthetic, Sigmoid

STEEP = Links(lambda p: np.minimum(1, 2 * p))
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
}
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
    assert decompose(s.p, s.q, s.c).calibration == 0


@pytest.mark.parametrize("population", [Sigmoid(accurate=True), POPULATIONS["accurate link"]])
def test_accurate_populations_never_change_the_decision(population):
    s = population.sample(20_000, rng=0)
    assert np.array_equal(s.p >= 0.5, s.q >= 0.5)


WIDEST = Links(lambda p: p + np.minimum(p, 1 - p)).grouping_loss


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
        (lambda p: p * 3, {}, r"link must keep h\(p\) between"),
        (lambda p: p * np.nan, {}, r"h\(0.0000\) is nan"),
        (lambda p: 0.5, {}, "link must return one value for each p"),
        (lambda p: p[:3], {}, "link must return one value for each p"),
        (lambda p: np.minimum(1, 2 * p), {"accurate": True}, "side of 1/2"),
        (lambda p: p, {"inputs": "gauss"}, "inputs must be one of"),
    ],
)
def test_links_that_are_none(link, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        Links(link, **options)


@pytest.mark.parametrize("strength", [-0.1, 1.1, np.nan, "strong", None])
def test_strengths_that_are_none(strength):
    with pytest.raises(ValueError, match="strength must"):
        Sigmoid(strength=strength)


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
    assert decompose(population.c, population.q, population.c).calibration == 0


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
        ({"score": p[:5]}, "X and score must have the same length"),
        ({"score": p * 2}, r"score must lie in \[0, 1\]"),
        ({"score": lambda rows: np.full(3, 0.5)}, "q and score must have the same length"),
        ({"y": np.zeros(len(y))}, "y must hold both classes"),
        ({"y": y[:9]}, "X and y must have the same length"),
        ({"X": X.to_numpy()[:, :0]}, "X must have at least one row and one column"),
        ({"neighbors": 1}, "neighbors must be a whole number of at least 2"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            SemiSynthetic(**({"X": X, "y": y, "score": p, "rng": 0} | change))


@pytest.mark.parametrize("population", [Sigmoid(), STEEP], ids=["sigmoid", "links"])
def test_same_seed_same_rows_and_global_state_untouched(population):
    np.random.seed(0)  # noqa: NPY002 the state that must not move
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    a, b, c = (population.sample(50, rng=rng) for rng in (3, np.random.default_rng(3), 4))
    assert a.X.equals(b.X) and np.array_equal(a.y, b.y) and not a.X.equals(c.X)
    assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002
    for n in (0, -1, 2.5, True):
        with pytest.raises(ValueError, match="n must be a whole number"):
            population.sample(n)
