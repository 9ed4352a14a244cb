"""Figures draw what they are given: they return what they drew on, change no input, and need no colour to be read."""

import numpy as np
import pandas as pd
import pytest

from helpers import plotting
from helpers.calibration import reliability_curve
from helpers.simulation import Sigmoid
from helpers.studies import nb05_partitions


def curve(n_bins=5):
    sample = Sigmoid().sample(500, rng=0)
    return reliability_curve(sample.y, sample.p, n_bins=n_bins)


def estimates():
    rows = [(name, n, 1 / n, 0.1 / n, 0.5) for name in ("a", "b") for n in (100, 1000)]
    return pd.DataFrame(rows, columns=["estimator", "n", "value", "error", "rmse"])


def test_convergence_draws_one_line_each_and_the_truths():
    table = estimates()
    before = table.copy()
    ax = plotting.plot_convergence(table, {"truth": 0.2, "target": 0.3}, ymin=0)
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert sorted(words) == ["a", "b", "target", "truth"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["100", "1,000"]
    assert ax.get_ylim()[0] == 0
    pd.testing.assert_frame_equal(table, before)


def test_convergence_lines_differ_without_colour():
    ax = plotting.plot_convergence(estimates(), error=None)
    lines = ax.get_lines()
    assert len({line.get_marker() for line in lines}) == len({line.get_linestyle() for line in lines}) == 2


def test_convergence_takes_a_number_or_nothing_as_truth():
    assert len(plotting.plot_convergence(estimates(), 0.2, error=None).get_lines()) == 3
    assert len(plotting.plot_convergence(estimates(), error=None).get_lines()) == 2


def test_race_has_two_panels_and_one_legend():
    fig = nb05_partitions.plot_race(estimates(), {"truth": 0.2})
    assert len(fig.axes) == 2 and len(fig.legends) == 1
    assert [ax.get_legend() for ax in fig.axes] == [None, None]


def test_draws_shows_every_value_and_the_truth():
    draws = {"plug-in": np.linspace(1, 2, 50), "debiased": np.linspace(0, 1, 50)}
    ax = nb05_partitions.plot_draws(draws, 0.5)
    places = [line.get_xdata()[0] for line in ax.get_lines()]
    assert places == [1.5, 0.5, 0.5]
    assert ax.get_xlim()[0] <= 0 and ax.get_xlim()[1] >= 2


def test_stated_observed_names_groups_with_their_rows():
    ax = plotting.plot_stated_observed({"old": curve(1), "young": curve(1)})
    assert [label.get_text() for label in ax.get_yticklabels()] == ["old\n(500)", "young\n(500)"]


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
