"""The grouping diagram draws every region that has rows, none that has not, and computes nothing."""

from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.collections import PathCollection

from helpers import plotting
from helpers.grouping import binned_grouping_loss
from helpers.simulation import Sigmoid


def by_hand(count=(40, 60, 0, 10), rate=(0.2, 0.8, np.nan, 0.5), n_bins=3):
    """A result with two regions in the first bin, an empty one in the second, a small one in the last."""
    count = np.array(count)
    rate = np.array(rate)
    reach = np.array([0.1, 0.1, np.nan, 0.3])[: count.size]
    return SimpleNamespace(
        edges=np.arange(n_bins + 1) / n_bins,
        region_bin=np.array([0, 0, 1, 2])[: count.size],
        count=count,
        rate=rate,
        rate_low=rate - reach,
        rate_high=rate + reach,
        stated=np.array([0.2, 0.2, np.nan, 0.9])[: count.size],
        bin_count=np.array([100, 0, 10]),
        bin_rate=np.array([0.56, np.nan, 0.5]),
        bin_stated=np.array([0.2, np.nan, 0.9]),
    )


def points(ax):
    """Offsets of all marks, (m, 2)."""
    return np.concatenate([c.get_offsets() for c in ax.collections if isinstance(c, PathCollection)])


def areas(ax):
    return np.concatenate([c.get_sizes() for c in ax.collections if isinstance(c, PathCollection)])


def test_every_region_with_rows_is_a_mark_in_its_bin_whose_area_is_its_rows():
    ax = plotting.plot_grouping_diagram(by_hand())
    x, rate = points(ax).T
    place = dict(zip(rate, x, strict=True))
    assert sorted(rate) == [0.2, 0.5, 0.8] and 0 <= place[0.2] < place[0.8] <= 1 / 3
    assert place[0.5] == pytest.approx(0.9)
    area = dict(zip(rate, areas(ax), strict=True))
    assert [area[0.8] / area[0.2], area[0.5] / area[0.2]] == pytest.approx([60 / 40, 10 / 40])


def test_regions_above_and_below_their_bin_are_told_apart():
    ax = plotting.plot_grouping_diagram(by_hand())
    words = {c.get_label(): c for c in ax.collections if len(getattr(c, "get_offsets", list)())}
    marks = [words[f"{side} its bin"] for side in ("above", "below")] + [words["cannot be told from the bin"]]
    assert [mark.get_offsets()[0][1] for mark in marks] == [0.8, 0.2, 0.5]


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
