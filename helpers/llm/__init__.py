"""A language model's answers and how sure it is of them.

- `confidences`, `prompts`: the arithmetic and the wording, without a model
- `evals`: tasks, scorers and metrics for Inspect, which asks the model (extra `llm`)
- `local`: a small model on this machine (extra `local`)
"""

from helpers.llm.confidences import is_true_probability, option_masses, parse_verbalised, sequence_posterior

__all__ = ["is_true_probability", "option_masses", "parse_verbalised", "sequence_posterior"]
