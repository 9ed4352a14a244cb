"""Reliability figures draw on the axes they are given."""

from helpers import plotting
from helpers.calibration import reliability_curve
from helpers.simulation import Sigmoid


def curve(n_bins=5):
    sample = Sigmoid().sample(500, rng=0)
    return reliability_curve(sample.y, sample.p, n_bins=n_bins)


def test_given_axes_are_used_and_returned():
    fig, (left, right) = plotting.panels(2)
    assert plotting.plot_reliability(curve(), left) is left
    assert plotting.plot_scores_and_truth(Sigmoid().sample(50, rng=0), right) is right
    assert len(fig.axes) == 2
