"""Which of several significant segments is selected, of gaps given by hand."""

from types import SimpleNamespace

import numpy as np

from helpers.audit.selection import select_segments


def test_of_two_conditions_that_are_nearly_as_strong_alone_the_stronger_is_selected():
    family = SimpleNamespace(pairs=np.array([False, False, True]), parents=lambda pair: [0, 1])
    null = SimpleNamespace(
        family=family,
        z=np.array([4.45, 4.5, 4.6]),
        n=np.array([50, 40, 30]),
        y=np.zeros(200),
        sums=SimpleNamespace(residual=np.array([5.0, 6.0, 7.0])),
        z_after=lambda selected: np.zeros(3),
    )
    bonus = np.array([0.2, 0.2, 0.0])
    assert select_segments(null, [0, 1], 3.0, bonus) == [1]
    null.z[2] = 4.8  # now the pair is the strongest, but adds no more than the choice among pairs
    assert select_segments(null, [0, 1, 2], 3.0, bonus) == [1]
    null.z[2] = 5.5
    assert select_segments(null, [0, 1, 2], 3.0, bonus) == [2]
