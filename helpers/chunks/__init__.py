"""Tables larger than memory: read piece by piece, summed by any number of workers, resumable after a failure.

- `sources`: Parquet row groups, CSV, DataFrames, dask; `runs`: the passes over them
- `partition`: regions and a calibrator from a sample; `sums`, `score_sums`, `cells`: statistics that add up
- `evaluate`: the estimates of all rows
"""

from helpers.chunks.cells import Sums
from helpers.chunks.evaluate import evaluate_in_chunks, read_chunks, split_chunks
from helpers.chunks.partition import SampledPartition, fit_partition
from helpers.chunks.runs import Chunks
from helpers.chunks.score_sums import PlattStart, PlattSums, ScoreSums
from helpers.chunks.sums import EvaluationSums, RegionSums, ReliabilitySums

__all__ = [
    "Chunks",
    "EvaluationSums",
    "PlattStart",
    "PlattSums",
    "RegionSums",
    "ReliabilitySums",
    "SampledPartition",
    "ScoreSums",
    "Sums",
    "evaluate_in_chunks",
    "fit_partition",
    "read_chunks",
    "split_chunks",
]
