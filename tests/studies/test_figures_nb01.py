"""Figures of constructions: every curve is drawn once, two marks tell the sides apart, inputs stay as they are."""

import numpy as np

from helpers.calibration import reliability_curve
from helpers.simulation import Links, largest_grouping_loss
from helpers.studies import nb01_constructions

TOWN = Links(lambda p: np.minimum(1, 2 * p))


def arrays(n=41):
    x = np.linspace(-2, 2, n)
    return x, TOWN.stated(x), TOWN.truth(x)


def line_with(ax, label):
    return next(line for line in ax.get_lines() if line.get_label() == label)


def test_profile_draws_both_curves_and_both_gaps():
    x, stated, true = arrays()
    ax = nb01_constructions.plot_profile(x, stated, true, xlabel="place")
    assert np.array_equal(line_with(ax, "true").get_ydata(), true)
    assert np.array_equal(line_with(ax, "stated").get_ydata(), stated)


def test_link_draws_each_side_in_order_of_the_score():
    x, stated, true = arrays()
    ax = nb01_constructions.plot_link(x, stated, true)
    for name, rows in (("true, x > 0", x > 0), ("true, x < 0", x < 0)):
        line = line_with(ax, name)
        assert np.array_equal(line.get_xdata(), np.sort(stated[rows]))
        assert sorted(line.get_ydata()) == sorted(true[rows])


def test_link_shows_observed_rates():
    sample = TOWN.sample(500, rng=0)
    curve = reliability_curve(sample.y, sample.p, n_bins=5)
    ax = nb01_constructions.plot_link(*arrays(), curve=curve)
    points = next(box for box in ax.containers if box.get_label() == "observed rate, 95 %")
    assert np.array_equal(points.lines[0].get_ydata(), curve.observed)


def test_ceilings_differ_without_colour():
    p = np.linspace(0, 1, 11)
    ceilings = {str(t): largest_grouping_loss(p, threshold=t) for t in (None, 0.5, 0.1)}
    ax = nb01_constructions.plot_ceilings(p, ceilings)
    for line, values in zip(ax.get_lines(), ceilings.values(), strict=True):
        assert np.array_equal(line.get_ydata(), values)


def test_counts_draws_bars_and_diamonds():
    ax = nb01_constructions.plot_counts([0.2, 0.5, 0.3], [0.1, 0.8, 0.1])
    assert [bar.get_height() for bar in ax.patches] == [0.2, 0.5, 0.3]
    assert list(ax.get_lines()[0].get_ydata()) == [0.1, 0.8, 0.1]
