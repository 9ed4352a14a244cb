"""One function a figure: each draws a result on `ax` and returns it; nothing is computed here."""

from helpers.plotting.estimates import plot_convergence, plot_draws, plot_groups, plot_race
from helpers.plotting.scores import (
    plot_reliability,
    plot_reliability_close,
    plot_residuals,
    plot_scores_and_truth,
    plot_stated_observed,
)
from helpers.plotting.style import BLUE, GREEN, GREY, LINES, MARKERS, ORANGE, RED, panels, use_style

__all__ = [
    "BLUE", "GREEN", "GREY", "LINES", "MARKERS", "ORANGE", "RED",
    "panels", "plot_convergence", "plot_draws", "plot_groups", "plot_race", "plot_reliability",
    "plot_reliability_close", "plot_residuals", "plot_scores_and_truth", "plot_stated_observed", "use_style",
]  # fmt: skip
