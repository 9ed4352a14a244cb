"""Notebook 16: collected shares beside known probabilities, and figures."""

from helpers.studies.nb16_collected.figures import plot_known_shares, plot_read_out
from helpers.studies.nb16_collected.frequencies import (
    CONFIDENCES,
    Frequencies,
    agreement_by_rule,
    answers_of,
    compare_frequencies,
    match_known,
    overconfidence,
    read_out,
    tokens_of,
    votes,
    wordings,
)

__all__ = [
    "CONFIDENCES", "Frequencies", "agreement_by_rule", "answers_of", "compare_frequencies", "match_known",
    "overconfidence", "plot_known_shares", "plot_read_out", "read_out", "tokens_of", "votes", "wordings",
]  # fmt: skip
