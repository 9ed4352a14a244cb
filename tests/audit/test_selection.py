"""Which of several significant segments is selected, of gaps given by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from helpers.audit.selection import select_segments

BONUS = np.array([0.2, 0.2, 0.0])


def gaps(z, n=(50, 40, 30), residual=(5.0, 6.0, 7.0)):
    """Two conditions and their pair, in a table of 100 rows; with one selected, none is left."""
    family = SimpleNamespace(pairs=np.array([False, False, True]), parents=lambda pair: [0, 1])
    sums = SimpleNamespace(residual=np.array(residual))
    after = SimpleNamespace(family=family, z=np.array(z), n=np.array(n), y=np.zeros(100), sums=sums)
    after.z_after = lambda selected: np.zeros(3)
    return after


@pytest.mark.parametrize(
    ("z", "selected"),
    [
        ([4.45, 4.5, 4.6], 1), ([3.0, 3.0, 3.1], 0),  # of two that are nearly as strong alone the stronger
        ([-4.5, -4.45, -4.8], 0), ([4.5, 4.5, 4.9], 0),  # the pair adds no more than the choice among pairs
        ([4.5, -4.6, 4.9], 0), ([4.45, 4.5, 4.91], 2), ([4.45, 2.0, 4.8], 0), ([2.85, 0.0, 3.2], 2),  # significance
        ([4.5, 4.5 + 1e-12, 4.8], 0), ([4.5, 4.5 + 1e-12, 3.5], 0), ([4.5, 4.6, 3.5], 1),  # equal but for a sum
    ],
)  # fmt: skip
def test_the_strongest_segment_or_its_condition(z, selected):
    assert select_segments(gaps(z), [0, 1, 2], 3.1, BONUS) == [selected]


def test_only_significant_segments_beyond_the_limit_are_selected():
    null = gaps([4.0, 5.0, 3.0])
    assert select_segments(null, [0], 3.1, BONUS) == [0] and select_segments(null, [], 3.1, BONUS) == []
    assert select_segments(null, [2], 3.1, BONUS) == []
    null.z_after = lambda selected: np.where(np.isin(np.arange(3), selected), 0, null.z)
    assert select_segments(null, [0, 1, 2], 3.1, BONUS) == [1, 0]
    null.z_after = lambda selected: np.array([-9.0, 0.0, 3.2])  # a gap that the others' repair has turned round
    assert select_segments(null, [0, 1, 2], 3.1, BONUS) == [1, 2]
    many = gaps(np.full(10, 4.0), np.arange(10), np.ones(10))
    many.family.pairs = np.zeros(10, bool)
    many.z_after = lambda selected: many.z
    assert select_segments(many, range(10), 3.1, np.zeros(10)) == [*range(8)]  # no more than a reader takes in


@pytest.mark.parametrize(
    ("n", "residual", "selected"),
    [
        ((40, 60, 30), (-6.0, 6.0, 1.0), 0),  # the same gap, seen from outside
        ((40, 60, 30), (-6e6, 6e6 + 1e-3, 1.0), 0), ((40, 60, 30), (6.0, -6.0, 1.0), 0),
        ((60, 40, 30), (-6.0, 6.0, 1.0), 1), ((50, 50, 30), (-6.0, 6.0, 1.0), 1),
        ((39, 60, 30), (-6.0, 6.0, 1.0), 1), ((40, 60, 30), (-5.9, 6.0, 1.0), 1), ((40, 60, 30), (6.0, 6.0, 1.0), 1),
    ],
)  # fmt: skip
def test_of_two_halves_the_smaller_is_selected(n, residual, selected):
    assert select_segments(gaps([-4.4, 4.5, 0.0], n, residual), [0, 1], 3.1, BONUS) == [selected]
    weak = gaps([-2.0, 4.5, 0.0], n, residual)
    assert select_segments(weak, [0, 1], 3.1, BONUS) == [1]
