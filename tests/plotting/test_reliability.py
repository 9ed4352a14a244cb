"""Reliability figures draw on the axes they are given."""

import pandas as pd
import pytest

from helpers import plotting
from helpers.calibration import reliability_curve
from helpers.simulation import Sigmoid


def curve(n_bins=5):
    sample = Sigmoid().sample(500, rng=0)
    return reliability_curve(sample.y, sample.p, n_bins=n_bins)


@pytest.mark.parametrize("as_frame", [True, False])
def test_residuals_have_a_mark_for_each_sign(as_frame):
    X = pd.DataFrame({"age": [1.0, 2.0, 3.0], "dose": [0.0, 1.0, 0.0]})
    ax = plotting.plot_residuals(X if as_frame else X.to_numpy(), [0.1, -0.2, 0.0])
    assert [len(points.get_offsets()) for points in ax.collections] == [2, 1]
    assert ax.get_xlabel() == ("age" if as_frame else "x1")


def test_given_axes_are_used_and_returned():
    fig, (left, right) = plotting.panels(2)
    assert plotting.plot_reliability(curve(), left) is left
    assert plotting.plot_scores_and_truth(Sigmoid().sample(50, rng=0), right) is right
    assert len(fig.axes) == 2
