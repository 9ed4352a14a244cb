"""Probabilities repaired by what the features say beyond the score, and left alone where they say nothing.

- `recalibrator`: `Recalibrator`, out-of-fold learners of several kinds behind a joint test
- `classes`: `ClassRecalibrator`, the same for the probabilities of several classes
- `classifier`: `RepairedClassifier`, the same around a classifier of scikit-learn
- `saved`: a fitted repair on disk; the learners are those of `helpers.grouping.learners`
"""

from helpers.practice.repair.classes import ClassRecalibrator
from helpers.practice.repair.classifier import RepairedClassifier
from helpers.practice.repair.recalibrator import Recalibrator
from helpers.practice.repair.saved import load, save

__all__ = ["ClassRecalibrator", "Recalibrator", "RepairedClassifier", "load", "save"]
