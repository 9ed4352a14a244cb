"""Figures draw what they are given: they return what they drew on, change no input, and need no colour to be read."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.cbook import is_math_text
from matplotlib.text import Text

from helpers import plotting
from helpers.calibration import reliability_curve
from helpers.selective import risk_coverage_curve
from helpers.simulation import Sigmoid
from helpers.studies import nb05_partitions


def curve(n_bins=5):
    sample = Sigmoid().sample(500, rng=0)
    return reliability_curve(sample.y, sample.p, n_bins=n_bins)


def estimates():
    rows = [(name, n, 1 / n, 0.1 / n, 0.5) for name in ("a", "b") for n in (100, 1000)]
    return pd.DataFrame(rows, columns=["estimator", "n", "value", "se", "rmse"])


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
    ax = plotting.plot_convergence(estimates(), se=None)
    lines = ax.get_lines()
    assert len({line.get_marker() for line in lines}) == len({line.get_linestyle() for line in lines}) == 2


def test_convergence_on_shared_axes_shows_the_highest_of_all():
    _, axes = plotting.panels(2, sharey=True)
    plotting.plot_convergence(estimates(), ax=axes[0])
    plotting.plot_convergence(estimates().assign(value=10.0), ax=axes[1])
    assert axes[0].get_ylim()[1] >= 10


def test_draws_shows_every_value_and_the_truth():
    draws = {"plug-in": np.linspace(1, 2, 50), "debiased": np.linspace(0, 1, 50)}
    ax = nb05_partitions.plot_draws(draws, 0.5)
    places = [line.get_xdata()[0] for line in ax.get_lines()]
    assert places == [1.5, 0.5, 0.5]
    assert ax.get_xlim()[0] <= 0 and ax.get_xlim()[1] >= 2


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


NAMES = ["income_$", "debt (% of $)", "$0-$999", r"$\input{/etc/passwd}$"]


DRAWN = {
    "groups": lambda names: plotting.plot_groups(
        pd.DataFrame({"rule": names, "n": 5, "gap": 0.1, "low": 0.0, "high": 0.2, "adjusted": 0.01})
    ),
    "convergence": lambda names: plotting.plot_convergence(
        pd.DataFrame({"estimator": names, "n": 10, "value": 0.1, "se": 0.1}), se=None
    ),
    "bars": lambda names: plotting.plot_bars(pd.DataFrame([range(4)] * 4, columns=names, index=names)),
    "measured": lambda names: plotting.plot_measured(
        pd.DataFrame({"value": 0.2, "low": 0.1, "high": 0.3}, index=names)
    ),
    "risk and coverage": lambda names: plotting.plot_risk_coverage(
        dict.fromkeys(names, risk_coverage_curve([1, 0], [0.9, 0.2]))
    ),
    "answer lines": lambda names: plotting.plot_answer_lines(
        [1, 2], dict.fromkeys(names, [0.1, 0.2]), xlabel="", ylabel=""
    ),
    "confidences": lambda names: plotting.plot_confidences(dict.fromkeys(names, curve())),
    "costs": lambda names: plotting.plot_costs(pd.DataFrame([[0, 1]] * 4, index=names)),
    "cost and accuracy": lambda names: plotting.plot_cost_accuracy(points=dict.fromkeys(names, (1.0, 0.5))),
    "stated": lambda names: plotting.plot_stated_observed(dict.fromkeys(names, curve(1))),
    "residuals": lambda names: plotting.plot_residuals(pd.DataFrame(np.eye(2), columns=names[:2]), [0.1, -0.1]),
}


@pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN)
def test_dollar_signs_in_names_are_no_formulas(draw):
    """A column `income_$` used to end a report, and a category `$0-$999` was drawn as a difference."""
    ax = draw(NAMES)
    texts = [text.get_text() for text in ax.figure.findobj(Text)]
    assert not any(map(is_math_text, texts))
    assert any(NAMES[0] in text.replace(r"\$", "$") for text in texts)
    if ax.figure.axes[0].get_xscale() == "linear":
        ax.figure.draw_without_rendering()
