"""The grouping diagram draws every region that has rows, none that has not, and computes nothing."""

import numpy as np
import pytest
from matplotlib.collections import LineCollection, PathCollection

from helpers import plotting
from helpers.grouping import binned_grouping_loss
from helpers.simulation import Sigmoid


def points(ax):
    """Offsets of all marks, (m, 2)."""
    return np.concatenate([c.get_offsets() for c in ax.collections if isinstance(c, PathCollection)])


def areas(ax):
    return np.concatenate([c.get_sizes() for c in ax.collections if isinstance(c, PathCollection)])


@pytest.mark.parametrize("ratio", [30, 6])
def test_a_real_result_is_drawn_whole_also_with_hundreds_of_regions(ratio):
    sample = Sigmoid().sample(6000, rng=0)
    found = binned_grouping_loss(sample.y, sample.p, sample.X, region_ratio=ratio, rng=0)
    before = found.rate.copy()
    ax = plotting.plot_grouping_diagram(found)
    drawn = points(ax)
    assert len(drawn) == (found.count > 0).sum() > (200 if ratio == 6 else 50)
    np.testing.assert_allclose(np.sort(drawn[:, 1]), np.sort(found.rate[found.count > 0]))
    np.testing.assert_array_equal(found.rate, before)
    assert areas(ax).max() <= plotting.grouping.FULL_AREA


def test_a_bare_diagram_has_all_marks_and_the_intervals_of_the_significant_ones_only():
    sample = Sigmoid().sample(6000, rng=0)
    found = binned_grouping_loss(sample.y, sample.p, sample.X, rng=0)
    shown, center = found.count > 0, found.bin_rate[found.region_bin]
    off = shown & ((found.rate_low > center) | (found.rate_high < center))
    bare, whole = (plotting.plot_grouping_diagram(found, legend=False, bare=bare) for bare in (True, False))
    lines = {
        ax: sum(len(one.get_segments()) for one in ax.collections if isinstance(one, LineCollection))
        for ax in (bare, whole)
    }
    assert 0 < off.sum() < shown.sum()
    assert (lines[bare], lines[whole]) == (off.sum(), shown.sum())
    assert len(points(bare)) == len(points(whole)) == shown.sum()
    assert not bare.child_axes and whole.child_axes
    assert "bars" not in bare.get_xlabel()
