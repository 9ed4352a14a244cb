"""Notebook 09: departments with known beliefs, and figures of costs."""

from helpers.studies.nb09_ecuas.departments import (
    Department,
    bills_at_drawn_fees,
    integrate_over_fees,
    simplex_grid,
    smallest_gain,
    spelled_answers,
    stated_costs,
    tuned_threshold,
)
from helpers.studies.nb09_ecuas.figures import (
    plot_confidence_costs,
    plot_confidence_panels,
    plot_drawn_fees,
    plot_measured_panels,
    plot_reject_weights,
    plot_score_lines,
    plot_simplex,
    plot_simplex_costs,
)
