"""Notebook 16: collected shares beside known probabilities, and figures."""

from helpers.studies.nb16_collected.figures import (
    plot_known_shares,
    plot_planned_counted,
    plot_read_out,
    plot_wording_and_meaning,
)
from helpers.studies.nb16_collected.frequencies import (
    WAYS,
    Frequencies,
    agreement_by_rule,
    believed_errors,
    calibration_table,
    compare_frequencies,
    first_letter,
    match_known,
    read_out,
    votes,
    wordings,
)

__all__ = [
    "Frequencies", "WAYS", "agreement_by_rule", "believed_errors", "calibration_table", "compare_frequencies",
    "first_letter", "match_known", "plot_known_shares", "plot_planned_counted", "plot_read_out",
    "plot_wording_and_meaning", "read_out", "votes", "wordings",
]  # fmt: skip
