"""Figures of decisions: lines where the costs are, risk only in the corners, inputs left alone."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from legends import words

from helpers import plotting
from helpers.decisions import cost_matrix, decision_thresholds, excess_risk
from helpers.studies import nb06_decisions


def test_costs_are_lines_that_say_which_row_they_are():
    cost = pd.DataFrame([[0, 10], [1, 4], [5, 0]], ["wait", "test", "treat"], ["truth 0", "truth 1"])
    ax = plotting.plot_costs(cost, thresholds=decision_thresholds(cost)[1], unit="dollars")
    lines = ax.get_lines()[:6:2]
    assert [list(line.get_ydata()) for line in lines] == cost.to_numpy().tolist()
    assert words(ax) == ["wait", "test", "treat"] and len({line.get_linestyle() for line in lines}) == 3
    assert [text.get_text() for text in ax.texts] == ["14%", "50%"]
    assert "truth 0" in ax.get_xlabel() and ax.get_ylabel() == "expected cost, dollars"


def test_risk_is_drawn_in_the_corners_only():
    cost = cost_matrix(false_alarm=1, miss=2)
    p = np.linspace(0, 1, 101)
    corrected = np.array([p + 0.2, p - 0.2])
    risk = np.array([excess_risk(curve, p, cost) for curve in corrected])
    copies = corrected.copy(), risk.copy()
    ax = nb06_decisions.plot_risk_corners(p, p, corrected, risk, threshold=1 / 3)
    thick = [line for line in ax.get_lines() if line.get_linewidth() > 3]
    for line, size in zip(thick, risk, strict=True):
        drawn = np.isfinite(line.get_ydata())
        assert (drawn == (size > 0)).all() and drawn.any()
    assert words(ax) == ["c + r, one region", "decision with a risk", "calibration curve c"]
    assert [tuple(np.round(image.get_extent(), 6)) for image in ax.get_images()] == [
        (0, 0.333333, 0.333333, 1), (0.333333, 1, 0, 0.333333),
    ]  # fmt: skip
    moved = nb06_decisions.plot_risk_corners(
        p, p, corrected, risk, plt.figure().add_subplot(), threshold=1 / 3, used=0.6
    )
    assert moved.get_images()[0].get_extent()[1] == 0.6
    assert (corrected == copies[0]).all() and (risk == copies[1]).all()


def test_intervals_stand_from_the_top():
    table = pd.DataFrame({"value": [0.5, 0.1], "low": [0.4, 0.15], "high": [0.7, 0.2]}, index=["risk", "AUC"])
    ax = nb06_decisions.plot_intervals(table, marks={"the paper": [0.88, np.nan]})
    assert [label.get_text() for label in ax.get_yticklabels()] == ["risk", "AUC"]
    assert list(ax.get_yticks()) == [1, 0] and words(ax) == ["the paper", "ours, 95 % interval"]
    ends = [path.vertices[:, 0] for path in ax.collections[0].get_paths()]
    assert ends[0].tolist() == pytest.approx([0.4, 0.7]) and ends[1].tolist() == pytest.approx([0.1, 0.2])
