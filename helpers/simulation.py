"""Populations whose truth is known: what an estimator should find, and what it should not."""

from helpers._answer_population import AnswerPopulation
from helpers._blind_spot import BlindSpot, Sigmoid
from helpers._links import Links
from helpers._model_pool import ModelPool, PoolSample, model_pool
from helpers._populations import Cells, Sample, largest_grouping_loss
from helpers._semisynthetic import SemiSynthetic

__all__ = [
    "AnswerPopulation", "BlindSpot", "Cells", "Links", "ModelPool", "PoolSample", "Sample", "SemiSynthetic", "Sigmoid",
    "largest_grouping_loss", "model_pool",
]  # fmt: skip
