"""Features of real rows, a truth of ours."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from helpers.scoring import decompose
from helpers.simulation import SemiSynthetic


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
        ({"score": p * 2}, "score must"),
        ({"score": lambda rows: np.full(3, 0.5)}, "q and score must"),
        ({"y": np.zeros(len(y))}, "y must"),
        ({"neighbors": 1}, "neighbors must"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            SemiSynthetic(**({"X": X, "y": y, "score": p, "rng": 0} | change))
