"""Tables larger than memory: dask reads them piece by piece and its workers add up what is needed.

- `tables`: Parquet row groups, CSV, DataFrames, dask DataFrames as chunks; `kinds`: what their columns hold
- `partition`: regions and a calibrator from a sample; `sums`, `score_sums`, `cells`: statistics that add up
- `evaluate`: the estimates of all rows
"""

from helpers.chunks.evaluate import evaluate_in_chunks
from helpers.chunks.partition import fit_partition
from helpers.chunks.score_sums import ScoreSums
from helpers.chunks.sums import EvaluationSums, RegionSums, ReliabilitySums
from helpers.chunks.tables import read_chunks, split_chunks

__all__ = [
    "EvaluationSums", "RegionSums", "ReliabilitySums", "ScoreSums", "evaluate_in_chunks", "fit_partition",
    "read_chunks", "split_chunks",
]  # fmt: skip
