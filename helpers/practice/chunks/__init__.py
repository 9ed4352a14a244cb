"""Tables larger than memory: dask reads them piece by piece and its workers add up what is needed.

- `tables`: Parquet row groups, CSV, DataFrames, dask DataFrames as chunks
- `partition`: regions and a calibrator from a sample; `evaluate`: the estimates of all other rows
- `sums`, `cells`, `platt`: what adds up, and the calibrator of all rows
"""

from helpers.practice.chunks.evaluate import evaluate_in_chunks
from helpers.practice.chunks.partition import fit_partition
from helpers.practice.chunks.sums import EvaluationSums, ReliabilitySums
from helpers.practice.chunks.tables import read_chunks, split_chunks

__all__ = ["EvaluationSums", "ReliabilitySums", "evaluate_in_chunks", "fit_partition", "read_chunks", "split_chunks"]
