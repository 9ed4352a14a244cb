"""One function a figure: each draws a result on `ax` and returns it; nothing is computed here."""

from helpers.plotting.audits import plot_pool, plot_pools, plot_rates, plot_second_look, plot_shares
from helpers.plotting.bins import plot_bounds, plot_spread, plot_stack
from helpers.plotting.constructions import plot_ceilings, plot_counts, plot_link, plot_links, plot_profile
from helpers.plotting.decisions import plot_below_line, plot_costs, plot_gains, plot_intervals, plot_risk_corners
from helpers.plotting.diagrams import plot_bands, plot_grouping_diagram, plot_lower_bounds
from helpers.plotting.estimates import plot_convergence, plot_draws, plot_groups, plot_race
from helpers.plotting.losses import plot_bars, plot_changes, plot_clouds, plot_parts, plot_stacked_parts
from helpers.plotting.routing import plot_cascade, plot_cost_accuracy, plot_gain_lines, plot_pool_gains
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
    "panels", "plot_bands", "plot_bars", "plot_below_line", "plot_bounds", "plot_cascade", "plot_ceilings",
    "plot_changes", "plot_clouds", "plot_convergence", "plot_cost_accuracy", "plot_costs", "plot_counts",
    "plot_draws", "plot_gain_lines", "plot_gains", "plot_grouping_diagram", "plot_groups", "plot_intervals",
    "plot_link", "plot_links", "plot_lower_bounds", "plot_parts", "plot_pool", "plot_pool_gains", "plot_pools",
    "plot_profile", "plot_race", "plot_rates", "plot_reliability", "plot_reliability_close", "plot_residuals",
    "plot_risk_corners", "plot_scores_and_truth", "plot_second_look", "plot_shares", "plot_spread", "plot_stack",
    "plot_stacked_parts", "plot_stated_observed", "use_style",
]  # fmt: skip
