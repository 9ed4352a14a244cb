"""Probabilities repaired by what the features say beyond the score, and left alone where they say nothing.

- `recalibrator`: `Recalibrator`, out-of-fold learners of several kinds behind a joint test
- `classifier`: `RepairedClassifier`, the same around a classifier of scikit-learn
- `saved`: a fitted repair on disk; the learners are those of `helpers.grouping.learners`
"""

from helpers.repair.classifier import RepairedClassifier
from helpers.repair.recalibrator import Recalibrator
from helpers.repair.saved import load, save

__all__ = ["Recalibrator", "RepairedClassifier", "load", "save"]
