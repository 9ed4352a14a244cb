"""The confidence of sampled answers: classes, counts, Sem1, Sem2, their calibration, and what theory says of them.

- `spelling`, `stated`, `counts`: a table of answers turned into counts of classes, with stated confidences beside them;
  `notations`: numbers, dates, units and formulas as they are written; `held`: wrong answers that hold the right one
- `confidence`: how sure a model is, from its counts (`splits`: one split or random ones; `all_splits`: their exact
  mean, with `polynomials`); `posterior`: from the probabilities of its texts; `token_confidences`: from the
  log-probabilities and words of one reply
- `combination`: several confidences made one
- `calibration`: how far these confidences are from how often the answers are right
- `exact`, `leading_terms`, `bounds`: biases computed exactly, and the theorems of Wang et al. (2026)
- `population`: questions whose answer probabilities are known
"""

from helpers.answers.bounds import bias_bound, confidence_error_bound, ece_bound, selection_error_bound
from helpers.answers.calibration import SemanticCalibration, sem_ece
from helpers.answers.combination import combine_confidences
from helpers.answers.confidence import (
    oracle_confidence,
    sem1,
    sem2,
    sem2_splits,
    sem2_spread,
    split_bias_corrected,
    top_two_margin,
    top_two_mass,
)
from helpers.answers.counts import GroupedAnswers, group_answers
from helpers.answers.exact import binomial_law, estimator_moments, exact_bias, winner_law
from helpers.answers.leading_terms import (
    CRITICAL_HALF_MARGIN,
    critical_half_margin,
    direct_gap_constant,
    jensen_bias,
    leading_bias,
    leading_bias_multiclass,
    leading_direct_gap,
    leading_oracle_gap,
    oracle_gap_constant,
    selection_bias,
    standardized_margin,
)
from helpers.answers.population import AnswerPopulation
from helpers.answers.posterior import meaning_posterior
from helpers.answers.spelling import RULES, spell_answers
from helpers.answers.stated import parse_confidences
from helpers.answers.token_confidences import (
    is_true_probability,
    option_masses,
    parse_verbalised,
    sequence_posterior,
)

__all__ = [
    "AnswerPopulation", "CRITICAL_HALF_MARGIN", "GroupedAnswers", "RULES",
    "SemanticCalibration", "bias_bound", "binomial_law", "combine_confidences", "confidence_error_bound",
    "critical_half_margin", "direct_gap_constant", "ece_bound", "estimator_moments",
    "exact_bias", "group_answers", "is_true_probability", "jensen_bias", "leading_bias",
    "leading_bias_multiclass", "leading_direct_gap", "leading_oracle_gap", "meaning_posterior",
    "option_masses", "oracle_confidence", "oracle_gap_constant", "parse_confidences",
    "parse_verbalised", "selection_bias",
    "selection_error_bound", "sem1", "sem2", "sem2_splits", "sem2_spread", "sem_ece", "sequence_posterior",
    "spell_answers", "split_bias_corrected", "standardized_margin",
    "top_two_margin", "top_two_mass", "winner_law",
]  # fmt: skip
