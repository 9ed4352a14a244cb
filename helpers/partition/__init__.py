"""Regions of the input space: trees chosen on some rows and valued on others, and the encoder of mixed tables."""

from helpers.partition.binned_tree import BinnedTree
from helpers.partition.honest_tree import HonestTree, split_rows

__all__ = ["BinnedTree", "HonestTree", "split_rows"]
