"""Notebook 09: departments with known beliefs, and figures of costs."""

from helpers.studies.nb09_ecuas.departments import (
    Department,
    simplex_grid,
    smallest_gain,
    stated_costs,
)
from helpers.studies.nb09_ecuas.figures import (
    plot_drawn_fees,
    plot_simplex,
    plot_simplex_costs,
)
