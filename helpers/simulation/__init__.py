"""Populations whose truth is known: what an estimator should find, and what it should not."""

from helpers.simulation.blind_spot import BlindSpot, Sigmoid
from helpers.simulation.controls import equal_parts, perfect, same_people, sobol_sample, xor_interaction
from helpers.simulation.links import Links
from helpers.simulation.pools import model_pool
from helpers.simulation.populations import FinitePopulation, Sample, largest_grouping_loss
from helpers.simulation.semisynthetic import SemiSynthetic

__all__ = [
    "BlindSpot", "FinitePopulation", "Links", "Sample", "SemiSynthetic", "Sigmoid",
    "equal_parts", "sobol_sample", "largest_grouping_loss", "model_pool", "perfect", "same_people", "xor_interaction",
]  # fmt: skip
