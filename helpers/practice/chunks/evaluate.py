"""Tables that do not fit into memory: regions from a sample, judged on everything else chunk by chunk.

Three steps, in bounded memory:

- `read_chunks` names the source: Parquet row groups, pieces of a CSV, DataFrames, partitions of a dask DataFrame
- `split_chunks` draws the sample that may choose regions; its rows are left out of the evaluation
- `fit_partition` chooses regions on the sample, `evaluate_in_chunks` sums up the other rows

Chunks, row groups and rows in errors count from 0.
"""

from functools import partial

from helpers.practice.chunks.partition import SampledPartition
from helpers.practice.chunks.tables import check_chunks


def evaluate_in_chunks(chunks, partition, *, refit=True, scores=None):
    """Sums of all rows of the chunks over the regions of a partition: grouping loss, calibration error, mean scores.

    The result equals that of the rows in memory up to rounding (1e-12), for any chunks in any order, and is the same to
    the last bit for any workers. Memory holds a few chunks for each worker, and the sums.

    Workers are dask's: threads of this computer unless a ``distributed.Client`` is connected or ``dask.config`` says
    otherwise. ``with dask.diagnostics.ProgressBar():`` around the call shows how far threads are. A worker that dies is
    replaced; a run that was killed starts anew, because it cannot know that its data are the same.

    Parameters
    ----------
    chunks : Chunks
        Rows that did not choose the regions (second result of `split_chunks`).
    partition : SampledPartition
        Regions and a calibrator (result of `fit_partition`).
    refit : bool, default True
        Fit a Platt calibrator on all these rows first, as `grouping_loss` does: one pass over two columns, six to nine
        of a score with more than a thousand values. The sample's calibrator has noise of its own, which counts as
        grouping loss: it raises false alarms as soon as the chunks hold many more rows than the sample.
    scores : dict of str to callable, optional
        Functions of labels and stated probabilities that return an (n,) score each; adds their means.

    Returns
    -------
    EvaluationSums
        What all rows say.

    Raises
    ------
    ValueError
        Names the file and the chunk that cannot be read, or the chunk and the row that breaks a rule.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from helpers.practice.chunks import fit_partition, read_chunks, split_chunks
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame({"age": rng.random(9000), "score": rng.choice([0.4, 0.6], 9000)})
    >>> table["label"] = (rng.random(9000) < table["score"] + np.where(table["age"] > 0.5, 0.2, -0.2)).astype(int)
    >>> sample, others = split_chunks(read_chunks(table, rows=1000), 0.3, rng=0)
    >>> partition = fit_partition(sample, max_depth=2, rng=0)
    >>> print(evaluate_in_chunks(others, partition))
    grouping loss ...
    """
    check_chunks(chunks)
    if not isinstance(partition, SampledPartition):
        raise ValueError(f"partition must come from fit_partition, but it is a {type(partition).__name__}.")
    if scores is not None and not (isinstance(scores, dict) and all(map(callable, scores.values()))):
        raise ValueError(f"scores must be a dict of names to functions of labels and scores, but it is {scores!r}.")
    if partition.group is not None and chunks.held_out is not None and chunks.group != partition.group:
        raise ValueError(
            f"chunks must be split by the group of the partition, {partition.group!r}, or rows of one group are in the "
            f"sample and in the chunks; but they are split by {chunks.group!r}."
        )
    parts = chunks.parts(partition.columns)
    if refit and partition.has_platt:
        partition = partition.refit(chunks)
    return chunks.total(partial(partition.sums, scores=scores), parts, partition.columns)
