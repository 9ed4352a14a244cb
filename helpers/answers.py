"""The confidence of sampled answers: classes, counts, Sem1, Sem2 and their calibration. The door to four modules.

- `answer_classes` (answer_rules): a table of answers turned into counts of classes
- `semantic_confidence` (answer_splits): how sure a model is, from its counts
- `semantic_calibration`: how far these confidences are from how often the answers are right
"""

from helpers.answer_classes import (
    GroupedAnswers,
    counts_from_wide,
    group_answers,
    parse_confidence,
    parse_confidences,
    spell_answers,
)
from helpers.semantic_calibration import SemanticCalibration, sem_ece
from helpers.semantic_confidence import (
    mean_of_selected,
    oracle_confidence,
    sem1,
    sem2,
    sem2_each_split,
    sem2_splits,
    sem2_spread,
    semantic_entropy,
    split_bias_corrected,
    standardized_margin,
    top_two_margin,
    top_two_mass,
)

__all__ = [
    "GroupedAnswers", "SemanticCalibration", "counts_from_wide", "group_answers", "mean_of_selected",
    "oracle_confidence", "parse_confidence", "parse_confidences", "sem1", "sem2", "sem2_each_split", "sem2_splits",
    "sem2_spread", "sem_ece", "semantic_entropy", "spell_answers", "split_bias_corrected", "standardized_margin",
    "top_two_margin", "top_two_mass",
]  # fmt: skip
