"""Standardised gaps of tables in which nobody is misjudged, drawn from the recalibrated scores."""

import numpy as np

from helpers import _progress

BLOCK = 64  # tables drawn at once, fewer where there are many rows or segments


def drawn_gaps(gaps, n_draws, rng, redrawn=None):
    """Standardised gaps of drawn tables, in blocks (segments, draws); the calibrator takes one step in each table.

    `redrawn(block, rng)` gives residuals of drawn labels, (n, block); by default `redrawn_residuals`. Where rows depend
    on each other in groups, the residuals of the table keep or change their sign by groups instead.
    """
    n_drawn = 0
    for block in _block_sizes(gaps, n_draws):
        _progress.part(f"search for groups, {n_drawn:,} of {n_draws:,} drawn tables")
        n_drawn += block
        if gaps.groups is not None:
            yield gaps.standardised(after_one_step(gaps, signed_residuals(gaps, block, rng))[0])
            continue
        residual = redrawn_residuals(gaps.c, block, rng) if redrawn is None else redrawn(block, rng)
        sums, growth = after_one_step(gaps, residual)
        yield gaps.standardised(sums, np.exp(growth))


def redrawn_residuals(c, block, rng):
    """(n, block) residuals of labels drawn from c."""
    c = c.astype(np.float32)[:, None]
    # table by table, so that a draw does not depend on how many are made at once
    drawn = np.ascontiguousarray(rng.random((block, c.size), dtype=np.float32).T)
    return np.subtract(drawn < c, c, out=drawn)


def signed_residuals(gaps, block, rng):
    """(n, block) residuals of the table, those of a group with one random sign."""
    signs = rng.integers(0, 2, (block, gaps.groups.max() + 1), dtype=np.int8).T.astype(np.float32) * 2 - 1
    return signs[gaps.groups] * (gaps.y - gaps.c).astype(np.float32)[:, None]


def after_one_step(gaps, residual):
    """G_S of drawn residuals after one Newton step of the calibrator, and by what factor (log) the variance grows."""
    sums = gaps.sums
    step = (sums.inverse @ ((sums.Z * sums.w[:, None]).astype(np.float32).T @ residual)).astype(np.float32)
    if (sums.w != 1).any():
        residual = residual * sums.w.astype(np.float32)[:, None]
    G = gaps.family.sums(residual)
    G -= sums.a.astype(np.float32) @ step
    return G, sums.growth.astype(np.float32) @ step


def _block_sizes(gaps, n_draws):
    """Numbers of tables that are drawn at once."""
    most = max(gaps.c.size, gaps.n.size)
    size = int(np.clip(4_000_000 // most, 8, BLOCK))
    return [min(size, n_draws - first) for first in range(0, n_draws, size)]
