"""The bounds hold on a grid of questions."""

import itertools

import numpy as np
import pytest
from scipy.stats import binom

from helpers.answers import bias_bound, confidence_error_bound, ece_bound, exact_bias, selection_error_bound


def grid(classes, parts):
    """All probability vectors with entries in 1/parts and a unique mode; the mode first, then the mode last."""
    rows = [row for row in itertools.product(range(parts + 1), repeat=classes) if sum(row) == parts]
    rows = np.unique(-np.sort(-np.array(rows), axis=1), axis=0)
    rows = rows[rows[:, 0] > rows[:, 1]] / parts
    return np.vstack([rows, rows[:, ::-1]])


@pytest.mark.parametrize(
    "classes, parts, sizes", [(2, 100, (1, 2, 5, 25, 100)), (3, 20, (1, 2, 5, 25)), (4, 12, (1, 2, 10))]
)
def test_bounds_hold_on_a_grid(classes, parts, sizes):
    pi = grid(classes, parts)
    for n in sizes:
        bias = exact_bias(pi, n)
        bound = bias_bound(pi, n)
        assert (bias.sem1 <= bound + 1e-12).all() and (-bias.sem2 <= bound + 1e-12).all()
        paper, chernoff = (selection_error_bound(pi, n, kind=kind) for kind in ("paper", "chernoff"))
        assert (bias.wrong <= chernoff + 1e-13).all() and (chernoff <= paper * (1 + 1e-12)).all()
        v = np.arange(n + 1)
        target = pi.max(axis=1)[:, None, None]
        error1 = (bias.law * np.abs(v / n - target)).sum(axis=(1, 2))
        held = binom.pmf(np.arange(8), 7, pi[:, :, None])
        error2 = (bias.selection[:, :, None] * held * np.abs(np.arange(8) / 7 - target)).sum(axis=(1, 2))
        assert (error1 <= confidence_error_bound(pi, n) + 1e-12).all()
        assert (error2 <= confidence_error_bound(pi, n, n_held_out=7) + 1e-12).all()


def test_ece_bound():
    assert ece_bound(0.01, 0.02, eta=0.1, near_edge=0.3) == pytest.approx(0.02 + 0.01 + 2 * (0.1 + 0.3))
    best = min(ece_bound(0.01, 0.02, eta=eta, near_edge=2 * 1.5 * 9 * eta) for eta in np.geomspace(1e-4, 1, 4001))
    assert ece_bound(0.01, 0.02, density=1.5) == pytest.approx(best, rel=1e-4)  # its eta is the best one
