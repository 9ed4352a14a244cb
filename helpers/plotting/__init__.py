"""One function a figure: each draws a result on `ax` and returns it; nothing is computed here."""

from helpers.plotting.abstaining import (
    plot_abstention_costs,
    plot_confidence_costs,
    plot_confidence_panels,
    plot_measured,
    plot_measured_panels,
    plot_reject_weights,
    plot_risk_coverage,
    plot_score_lines,
    plot_simplex,
    plot_simplex_costs,
)
from helpers.plotting.abstaining_real import (
    plot_answer_quality,
    plot_aurc_limits,
    plot_calibration_gains,
    plot_deviations,
    plot_disagreement,
    plot_graders,
    plot_reader_costs,
)
from helpers.plotting.answer_report import plot_confidences, plot_kept, plot_votes
from helpers.plotting.answer_theory import (
    plot_estimator_errors,
    plot_gap_constants,
    plot_question_biases,
    plot_regimes,
    plot_reported,
)
from helpers.plotting.answering import (
    legend_above,
    plot_answer_lines,
    plot_boundary,
    plot_by_margin,
    plot_pair_gaps,
    plot_sources,
)
from helpers.plotting.audits import plot_pool, plot_pools, plot_rates, plot_second_look, plot_shares
from helpers.plotting.bins import plot_bounds, plot_spread, plot_stack
from helpers.plotting.collecting import plot_known_shares, plot_planned_counted, plot_read_out, plot_wording_and_meaning
from helpers.plotting.constructions import plot_ceilings, plot_counts, plot_link, plot_links, plot_profile
from helpers.plotting.decisions import plot_below_line, plot_costs, plot_gains, plot_intervals, plot_risk_corners
from helpers.plotting.diagrams import plot_bands, plot_grouping_diagram, plot_lower_bounds
from helpers.plotting.estimates import plot_convergence, plot_draws, plot_groups, plot_race
from helpers.plotting.losses import plot_bars, plot_changes, plot_clouds, plot_parts, plot_stacked_parts
from helpers.plotting.routing import plot_cascade, plot_cost_accuracy, plot_gain_lines, plot_pool_gains
from helpers.plotting.scale import plot_growth, plot_memory, plot_months
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
    "legend_above", "panels", "plot_abstention_costs", "plot_answer_lines", "plot_answer_quality", "plot_aurc_limits",
    "plot_bands", "plot_bars", "plot_below_line", "plot_boundary", "plot_bounds", "plot_by_margin",
    "plot_calibration_gains", "plot_cascade", "plot_ceilings", "plot_changes", "plot_clouds", "plot_confidence_costs",
    "plot_confidence_panels", "plot_confidences", "plot_convergence", "plot_cost_accuracy", "plot_costs", "plot_counts",
    "plot_deviations", "plot_disagreement", "plot_draws", "plot_estimator_errors", "plot_gain_lines", "plot_gains",
    "plot_gap_constants", "plot_graders", "plot_grouping_diagram", "plot_groups", "plot_growth", "plot_intervals",
    "plot_kept", "plot_known_shares", "plot_link", "plot_links", "plot_lower_bounds", "plot_measured",
    "plot_measured_panels", "plot_memory", "plot_months", "plot_pair_gaps", "plot_parts", "plot_planned_counted",
    "plot_pool", "plot_pool_gains", "plot_pools", "plot_profile", "plot_question_biases", "plot_race", "plot_rates",
    "plot_read_out", "plot_reader_costs", "plot_regimes", "plot_reject_weights", "plot_reliability",
    "plot_reliability_close", "plot_reported", "plot_residuals", "plot_risk_corners", "plot_risk_coverage",
    "plot_score_lines", "plot_scores_and_truth", "plot_second_look", "plot_shares", "plot_simplex",
    "plot_simplex_costs", "plot_sources", "plot_spread", "plot_stack", "plot_stacked_parts", "plot_stated_observed",
    "plot_votes", "plot_wording_and_meaning", "use_style",
]  # fmt: skip
