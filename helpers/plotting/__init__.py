"""One function a figure: each draws a result on `ax` and returns it; nothing is computed here.

Figures that one notebook alone needs are in `helpers.studies`.
"""

from helpers.plotting.answers import legend_above, plot_confidences, plot_kept, plot_votes
from helpers.plotting.audit import plot_groups, plot_rows_needed
from helpers.plotting.experiments import plot_before_after
from helpers.plotting.grouping import plot_grouping_diagram
from helpers.plotting.losses import plot_loss_parts, plot_loss_stack
from helpers.plotting.papers import (
    plot_both_shares,
    plot_by_size,
    plot_foretold,
    plot_margin_errors,
    plot_network_losses,
    plot_pool_gains,
    plot_rate,
)
from helpers.plotting.pictures import plot_cards, plot_products
from helpers.plotting.reliability import (
    plot_reliability,
    plot_residuals,
    plot_scores_and_truth,
    plot_stated_observed,
)
from helpers.plotting.repeated import plot_repeated, plot_twice
from helpers.plotting.reports import plot_reliability_close
from helpers.plotting.routing import plot_cost_accuracy
from helpers.plotting.selective import plot_abstention_costs, plot_measured, plot_ranks, plot_risk_coverage
from helpers.plotting.style import (
    BLUE,
    DOWN,
    GREEN,
    GREY,
    LINES,
    MARKERS,
    NAIVE,
    NARROW,
    OBSERVED,
    ORANGE,
    OURS,
    RED,
    RIVAL,
    SECOND_RIVAL,
    SEM1,
    SEM2,
    STATED,
    TRUE,
    UNSURE,
    UP,
    WIDE,
    ink,
    name_lines,
    panels,
    percent,
    points,
    series,
    typical_error_beside,
    use_style,
)

__all__ = [
    "BLUE", "DOWN", "GREEN", "GREY", "LINES", "MARKERS", "NAIVE", "NARROW", "OBSERVED", "ORANGE", "OURS", "RED",
    "RIVAL", "SECOND_RIVAL", "SEM1", "SEM2", "STATED", "TRUE", "UNSURE", "UP", "WIDE", "ink", "legend_above",
    "name_lines", "panels", "percent", "plot_abstention_costs", "plot_before_after", "plot_both_shares", "plot_by_size",
    "plot_cards", "plot_confidences", "plot_cost_accuracy", "plot_foretold", "plot_grouping_diagram", "plot_groups",
    "plot_kept", "plot_loss_parts", "plot_loss_stack", "plot_margin_errors", "plot_measured",
    "plot_network_losses", "plot_pool_gains", "plot_products", "plot_ranks", "plot_rate", "plot_reliability",
    "plot_reliability_close", "plot_repeated", "plot_residuals", "plot_risk_coverage", "plot_rows_needed",
    "plot_scores_and_truth", "plot_stated_observed", "plot_twice", "plot_votes", "points", "series",
    "typical_error_beside", "use_style",
]  # fmt: skip
