"""A language model's answers and how sure it is of them.

- `confidences`, `prompts`: the arithmetic and the wording, without a model
- `evals`: tasks, scorers and metrics for Inspect, which asks the model (extra `llm`)
- `local`: a small model on this machine (extra `local`)
"""

from helpers.llm.confidences import (
    is_true_probability,
    length_normalised_posterior,
    option_masses,
    parse_verbalised,
    sequence_posterior,
)
from helpers.llm.prompts import prompt_names, prompt_text

__all__ = [
    "is_true_probability", "length_normalised_posterior", "option_masses", "parse_verbalised", "prompt_names",
    "prompt_text", "sequence_posterior",
]  # fmt: skip
