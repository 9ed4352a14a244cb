"""Names in figures are no formulas."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.cbook import is_math_text
from matplotlib.text import Text

from helpers import plotting
from helpers.calibration import reliability_curve
from helpers.selective import expected_cost_at, risk_coverage_curve
from helpers.simulation import Sigmoid


def curve(n_bins=5):
    sample = Sigmoid().sample(500, rng=0)
    return reliability_curve(sample.y, sample.p, n_bins=n_bins)


NAMES = ["income_$", "debt (% of $)", "$0-$999", r"$\input{/etc/passwd}$"]
DRAWN = {
    "groups": lambda names: plotting.plot_groups(
        pd.DataFrame({"rule": names, "n": 5, "gap": 0.1, "low": 0.0, "high": 0.2, "adjusted": 0.01})
    ),
    "repeated": lambda names: plotting.plot_repeated(pd.DataFrame({"estimator": names, "n": 10, "value": 0.1})),
    "before and after": lambda names: plotting.plot_before_after(
        pd.DataFrame({"before": 0.4, "value": 0.2, "low": 0.1, "high": 0.3}, index=names), words=("before", "after")
    ),
    "ranks": lambda names: plotting.plot_ranks(pd.DataFrame({"a": range(4), "b": range(4)}, index=names)),
    "measured": lambda names: plotting.plot_measured(
        pd.DataFrame({"value": 0.2, "low": 0.1, "high": 0.3}, index=names)
    ),
    "risk and coverage": lambda names: plotting.plot_risk_coverage(
        dict.fromkeys(names, risk_coverage_curve([1, 0], [0.9, 0.2]))
    ),
    "confidences": lambda names: plotting.plot_confidences(dict.fromkeys(names, curve())),
    "cost and accuracy": lambda names: plotting.plot_cost_accuracy(points=dict.fromkeys(names, (1.0, 0.5))),
    "stated": lambda names: plotting.plot_stated_observed(dict.fromkeys(names, curve(1))),
    "abstention": lambda names: plotting.plot_abstention_costs(
        dict.fromkeys(names, expected_cost_at([1, 0], [0.9, 0.2], [0.1, 0.5])), fee=0.3
    ),
    "scores and truth": lambda names: plotting.plot_scores_and_truth(
        Sigmoid().sample(50, rng=0), people=dict.fromkeys(names, (0.2, 0.3))
    ),
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


@pytest.mark.parametrize("p, sides", [(0.9, ["left", "right"]), (0.1, ["right", "left"])])
def test_numbers_stand_at_their_marks_on_the_outer_side(p, sides):
    """What was stated beside its diamond, and what was observed beside its dot, so that close ones do not touch."""
    one = reliability_curve([0, 1, 0, 1], [p] * 4, n_bins=1)
    texts = plotting.plot_stated_observed({"a": one}, numbers=True).texts
    assert [text.get_text() for text in texts] == [f"{100 * p:.0f} %", "50 %"]
    assert [text.xy[0] for text in texts] == pytest.approx([p, 0.5])
    assert [text.get_ha() for text in texts] == sides
    assert not plotting.plot_stated_observed({"a": one}).texts
