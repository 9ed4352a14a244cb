"""Populations of cells by hand, and the largest grouping loss that is possible."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses
from scipy.integrate import quad
from scipy.optimize import linprog
from scipy.stats import norm

from helpers.scoring import decompose
from helpers.simulation import FinitePopulation, largest_grouping_loss
from tests.simulation.known import ACCURATE, POPULATIONS, WORST


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
    for loss, exact in [((s.q - s.c) ** 2, cells.grouping_loss), ((s.p - s.y) ** 2, parts.total)]:
        assert abs(loss.mean() - exact) < 4 * loss.std() / 200
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


test_cells_that_are_none = refuses(
    ({"p": [0.5, 1.5]}, "p must"),
    ({"q": [0.5]}, "p and q must"),
    ({"share": [0.5, 0.4]}, "share must"),
    ({"share": [1.0, 0.0]}, "share must"),
    ({"X": [[1], [2], [3]]}, "p and X must have the same length"),
    of=lambda **change: FinitePopulation(**{"p": [0.5, 0.5], "q": [0.4, 0.6]} | change),
)
