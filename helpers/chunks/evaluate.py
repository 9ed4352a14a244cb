"""Tables that do not fit into memory: regions from a sample, judged on everything else chunk by chunk.

Three steps, in bounded memory:

- `read_chunks` names the source: Parquet row groups, pieces of a CSV, DataFrames, partitions of a dask DataFrame
- `split_chunks` draws the sample that may choose regions; its rows are left out of the evaluation
- `fit_partition` chooses regions on the sample, `evaluate_in_chunks` sums up the other rows

Chunks, row groups and rows in errors count from 0.
"""

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from helpers.checks import check_count
from helpers.chunks.runs import Chunks, Run, each
from helpers.chunks.score_sums import PlattStart
from helpers.chunks.sources import (
    check_files,
    check_kinds,
    chunks_of_dask,
    chunks_of_files,
    chunks_of_frame,
    chunks_of_frames,
    count_of_files,
    kind_of_column,
)


def read_chunks(source, *, columns=None, rows=100_000, dtype=None):
    """A table in pieces, none of which is read yet.

    Parameters
    ----------
    source : path, list of paths, DataFrame, list of DataFrame, callable or dask DataFrame
        Files: .parquet (one chunk for each row group), .csv or .csv.gz (`rows` lines each). DataFrames: slices of
        `rows` rows of one, the items of a list, or what a function without arguments returns: an iterable of them.
        Of dask its partitions, computed on the cluster that is connected, or else one after another.
    columns : list of str, optional
        Names of the columns to read; None for all.
    rows : int, default 100_000
        Rows of a chunk, where the source does not say it.
    dtype : type or dict, optional
        Of CSV columns, as in `pandas.read_csv`; without it each chunk guesses for itself.

    Returns
    -------
    Chunks
        Errors while reading are ValueErrors that name the file and the row group or chunk.

    Examples
    --------
    >>> table = pd.DataFrame({"label": [0, 1, 1], "score": [0.2, 0.6, 0.9]})
    >>> [len(frame) for frame in read_chunks(table, rows=2)]
    [2, 1]
    """
    rows = check_count(rows, "rows")
    columns = None if columns is None else tuple(columns)
    if hasattr(source, "to_delayed"):
        parts = source.npartitions
        return Chunks(partial(chunks_of_dask, source), columns, on_dask=True, count=lambda: parts)
    if isinstance(source, pd.DataFrame):
        parts = -(-len(source) // rows)
        return Chunks(partial(chunks_of_frame, source, rows), columns, count=lambda: parts)
    if callable(source):
        return Chunks(partial(chunks_of_frames, source), columns)
    paths = [source] if isinstance(source, str | Path) else source
    if not isinstance(paths, list | tuple):
        raise ValueError(
            f"source must be a path, a list, a DataFrame or a function that returns an iterable of them "
            f"(it is read more than once), but it is a {type(source).__name__}."
        )
    if not paths:
        raise ValueError("source must name at least one table, but the list is empty.")
    if isinstance(paths[0], str | Path):
        paths = check_files(paths)
        source = partial(chunks_of_files, paths, rows, dtype)
        return Chunks(source, columns, count=partial(count_of_files, paths))
    return Chunks(partial(chunks_of_frames, paths), columns, count=lambda: len(paths))


def split_chunks(chunks, share, *, group=None, rng=None, n_jobs=None):
    """A random sample in memory and the chunks without it, so that regions are never judged on rows that chose them.

    Parameters
    ----------
    chunks : Chunks
        All rows.
    share : float
        Every row is drawn with this probability, whatever chunk it is in.
    group : str, optional
        Name of a column: every group is drawn with that probability, with all its rows in all chunks.
    rng : int, Generator, optional
        Decides what is drawn.
    n_jobs : int, optional
        Workers; None for those of `joblib.parallel_config`.

    Returns
    -------
    sample : DataFrame
        The rows that were drawn.
    others : Chunks
        All others: the rows of the sample are left out when the chunks are read again.

    Raises
    ------
    ValueError
        Unless 0 < share < 1, or where chunks differ in their columns or in what these hold.

    Examples
    --------
    >>> table = pd.DataFrame({"score": np.arange(1000.0)})
    >>> sample, others = split_chunks(read_chunks(table, rows=100), 0.2, rng=0)
    >>> len(sample) + sum(len(frame) for frame in others)
    1000
    """
    if not 0 < share < 1:
        raise ValueError(f"share must lie between 0 and 1, but it is {share!r}.")
    split = (float(share), int(np.random.default_rng(rng).integers(2**31)), group)
    parts = []
    kinds = {}
    for name, frame in each(replace(chunks, held_out=(*split, True)), _itself, n_jobs=n_jobs):
        if not parts:
            kinds = dict.fromkeys(frame.columns)
        if set(frame.columns) != set(kinds) and len(frame):
            other = sorted(set(map(str, frame.columns)) ^ set(map(str, kinds)))
            raise ValueError(f"{name} must have the columns of the first chunk, but only one of them has {other[0]!r}.")
        parts.append(check_kinds(frame, kinds, name) if len(frame) else frame)
        kinds |= {column: kind_of_column(frame[column]) for column in frame.columns if kinds[column] is None}
    parts = [part for part in parts if len(part)]
    if not parts:
        raise ValueError(f"share must leave at least one row in the sample, but it is {share:g} and no row was drawn.")
    return pd.concat(parts, ignore_index=True), replace(chunks, held_out=(*split, False))


def _itself(frame, name):
    return frame


def evaluate_in_chunks(chunks, partition, *, refit=True, scores=None, n_jobs=None, verbose=False):
    """Sums of all rows of the chunks over the regions of a partition: grouping loss, calibration error, mean scores.

    The result equals that of the rows in memory up to rounding (1e-12), for any chunks in any order and any number of
    workers. Memory holds a few chunks for each worker, and the sums.

    Parameters
    ----------
    chunks : Chunks
        Rows that did not choose the regions (second result of `split_chunks`).
    partition : SampledPartition
        Regions and a calibrator (result of `fit_partition`).
    refit : bool, default True
        Fit a Platt calibrator on all these rows first, as `grouping_loss` does: five to eight passes over two
        columns. The sample's calibrator has noise of its own, which counts as grouping loss: it raises false alarms as
        soon as the chunks hold many more rows than the sample.
    scores : dict of str to callable, optional
        Functions of labels and stated probabilities that return an (n,) score each; adds their means.
    n_jobs : int, optional
        Workers, None for those of `joblib.parallel_config`; dask partitions use the connected cluster instead.
    verbose : bool, default False
        A progress bar on stderr.

    Returns
    -------
    EvaluationSums
        What all rows say.

    Raises
    ------
    ValueError
        Names the file and the row group, or the chunk and the row, that is damaged or breaks a rule.

    Examples
    --------
    >>> from helpers.chunks import fit_partition
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame({"age": rng.random(9000), "score": rng.choice([0.4, 0.6], 9000)})
    >>> table["label"] = (rng.random(9000) < table["score"] + np.where(table["age"] > 0.5, 0.2, -0.2)).astype(int)
    >>> sample, others = split_chunks(read_chunks(table, rows=1000), 0.3, rng=0)
    >>> partition = fit_partition(sample, max_depth=2, rng=0)
    >>> print(evaluate_in_chunks(others, partition))
    grouping loss ...
    """
    if partition.group is not None and chunks.held_out is not None and chunks.group != partition.group:
        raise ValueError(
            f"chunks must be split by the group of the partition, {partition.group!r}, or rows of one group are in the "
            f"sample and in the chunks; but they are split by {chunks.group!r}."
        )
    run = Run(chunks, n_jobs=n_jobs, verbose=verbose)
    if refit and partition.has_platt:
        partition = _refitted(run, partition)
    work = partial(partition.sums, scores=scores)
    return run.total(work, partition.columns, work(partition.no_rows()), what="regions and scores")


def _refitted(run, partition):
    """`partition` with the Platt calibrator of all rows: one pass for each of its Newton steps."""
    columns = partition.platt_columns
    start = run.total(partition.platt_start, columns, PlattStart.of([], []), what="calibrator, pass 1")

    def evaluate(*place):
        work = partial(partition.platt_sums, place)
        what = f"calibrator, pass {run.passes + 1}"
        return run.total(work, columns, partition.platt_sums(place, partition.no_rows()), what=what)

    try:
        return partition.with_calibrator(*start.fit(evaluate))
    except np.linalg.LinAlgError:
        raise ValueError("calibrator cannot be fitted on all rows of the chunks; try refit=False.") from None
