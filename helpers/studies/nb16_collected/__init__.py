"""Notebook 16: collected shares beside known probabilities, and figures."""

from helpers.studies.nb16_collected.figures import plot_known_shares, plot_read_out
from helpers.studies.nb16_collected.frequencies import (
    CONFIDENCES,
    answers_of,
    compare_frequencies,
    match_known,
    read_out,
    tokens_of,
)

__all__ = [
    "CONFIDENCES", "answers_of", "compare_frequencies", "match_known", "plot_known_shares", "plot_read_out",
    "read_out", "tokens_of",
]  # fmt: skip
