"""What the figures of some lessons draw."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from helpers.decisions import cost_matrix, excess_risk
from helpers.studies import nb04_networks, nb05_partitions, nb06_decisions, nb08_cascades, nb09_ecuas


def test_draws_shows_every_value_and_the_truth():
    draws = {"plug-in": np.linspace(1, 2, 50), "debiased": np.linspace(0, 1, 50)}
    ax = nb05_partitions.plot_draws(draws, 0.5)
    places = [line.get_xdata()[0] for line in ax.get_lines()]
    assert places == [1.5, 0.5, 0.5]


def test_drawn_fees_lie_below_the_lines_they_weigh():
    fees = np.array([0.1, 0.3, 0.5])
    ratios = {"a": np.array([2.0, 1.0, 0.5]), "b": np.array([1.0, 0.8, 0.5])}
    ax = nb09_ecuas.plot_drawn_fees(fees, 4 * fees, ratios, {"a": 0.91, "b": 0.7}, 0.2, plt.figure().add_subplot())
    a, mean_a, at_a, b, mean_b, at_b, *_ = ax.lines
    assert a.get_ydata().tolist() == [2.0, 1.0, 0.5] and b.get_ydata().tolist() == [1.0, 0.8, 0.5]
    assert [mean_a.get_ydata()[0], mean_b.get_ydata()[0]] == [0.91, 0.7]
    assert [at_a.get_ydata()[0], at_b.get_ydata()[0]] == pytest.approx([1.5, 0.9])  # at your fee, 0.2
    (drawn,) = ax.collections
    heights = drawn.get_paths()[0].vertices[:, 1]
    assert heights.max() == pytest.approx(2.4 / 8 * 4 * 0.5 * 0.5)


def test_risk_is_drawn_in_the_corners_only():
    cost = cost_matrix(false_alarm=1, miss=2)
    p = np.linspace(0, 1, 101)
    corrected = np.array([p + 0.2, p - 0.2])
    risk = np.array([excess_risk(curve, p, cost) for curve in corrected])
    copies = corrected.copy(), risk.copy()
    ax = nb06_decisions.plot_risk_corners(p, p, corrected, risk, threshold=1 / 3)
    thick = [line for line in ax.get_lines() if line.get_linewidth() > 3]  # drawn where a decision has a risk
    for line, size in zip(thick, risk, strict=True):
        drawn = np.isfinite(line.get_ydata())
        assert (drawn == (size > 0)).all() and drawn.any()
    extents = [tuple(np.round(image.get_extent(), 6)) for image in ax.get_images()]
    assert extents == [(0, 0.333333, 0.333333, 1), (0.333333, 1, 0, 0.333333)]
    assert (corrected == copies[0]).all() and (risk == copies[1]).all()


def test_bands_draw_mean_and_one_standard_deviation():
    rows = [(x, name, 0.02 * k, 0.01) for x in (5, 30, 100) for k, name in enumerate(("plug-in", "lower bound"))]
    table = pd.DataFrame(rows, columns=["ratio", "estimator", "value", "sd"])
    ax = nb04_networks.plot_bands(table, 0.025, x="ratio", xlabel="rows a region", broken=(1, 6))
    means = {line.get_label(): line for line in ax.get_lines()}
    np.testing.assert_allclose(means["lower bound"].get_ydata(), 0.02)
    assert set(means["truth"].get_ydata()) == {0.025}
    band = ax.collections[-1].get_paths()[0].vertices[:, 1]
    assert (band.min(), band.max()) == pytest.approx((0.01, 0.03))


def test_bills_are_stacked_and_summed():
    table = pd.DataFrame({"models": [1.0, 13.0], "mistakes": [74.0, 64.0]}, [0.5, 0.8])
    ax = nb08_cascades.plot_bills(table, xlabel="threshold c", levels={"small": 75.0, "large": 86.0})
    assert [bar.get_height() for bar in ax.containers[1]] == [74, 64]
    assert [bar.get_y() for bar in ax.containers[1]] == [1, 13]
