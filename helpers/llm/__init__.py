"""A language model's answers and how sure it is of them.

- `confidences`, `prompts`, `verdicts`: the arithmetic and the wording, without a model
- `evals`: tasks, scorers and metrics for Inspect, which asks the model (extra `llm`)
- `local`: a small model on this machine (extra `local`)
"""

from helpers.llm.confidences import (
    is_true_probability,
    length_normalised_posterior,
    option_masses,
    parse_verbalised,
    sequence_posterior,
    swapped_is_true_probability,
)
from helpers.llm.prompts import prompt_names, prompt_text
from helpers.llm.questions import read_questions

__all__ = [
    "is_true_probability", "length_normalised_posterior", "option_masses", "parse_verbalised", "prompt_names",
    "prompt_text", "read_questions", "sequence_posterior", "swapped_is_true_probability",
]  # fmt: skip
