"""Tables larger than memory: read piece by piece, summed by any number of workers.

- `sources`: Parquet row groups, CSV, DataFrames, dask; `runs`: the passes over them
- `partition`: regions and a calibrator from a sample; `sums`, `score_sums`, `cells`: statistics that add up
- `evaluate`: the estimates of all rows
"""

from helpers.chunks.evaluate import evaluate_in_chunks, read_chunks, split_chunks
from helpers.chunks.partition import fit_partition
from helpers.chunks.score_sums import ScoreSums
from helpers.chunks.sums import EvaluationSums, RegionSums, ReliabilitySums

__all__ = [
    "EvaluationSums", "RegionSums", "ReliabilitySums", "ScoreSums", "evaluate_in_chunks", "fit_partition",
    "read_chunks", "split_chunks",
]  # fmt: skip
