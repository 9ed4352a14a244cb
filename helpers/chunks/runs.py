"""Work on chunks by the workers that the caller chose.

Whatever the workers are (this process, joblib's, those of a dask cluster), results come in the order of the chunks: the
sums are the same to the last bit, and an error is that of the first chunk that is wrong.
"""

from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pandas as pd

from helpers._bar import progress_bar
from helpers._parallel import caught, in_order
from helpers.chunks.sources import Chunk, Partition, numbered, unreadable

TRIES = 3  # times that workers may die without a chunk being finished


@dataclass(frozen=True)
class Chunks:
    """A table in pieces; iterating gives DataFrames, again and again unless the source runs dry.

    `columns` are read; `held_out` says which rows are left out: see `split_chunks`
    """

    source: Callable = field(repr=False)
    columns: tuple | None = None
    held_out: tuple | None = None
    on_dask: bool = False
    count: Callable = field(default=lambda: None, repr=False)

    def __iter__(self):
        return (frame for _, frame in each(self, _itself))

    @property
    def group(self):
        """Column by which the chunks were split, or None."""
        return None if self.held_out is None else self.held_out[2]


def _itself(frame, name):
    return frame


class Run:
    """Passes over chunks; a worker process that dies is replaced, and what was finished is not done again."""

    def __init__(self, chunks, *, n_jobs=None, verbose=False):
        self.chunks = chunks
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.passes = 0

    def total(self, work, columns, sums, *, what):
        """`sums`, which say nothing, plus `work(frame, name)` of every chunk."""
        self.passes += 1
        done = []
        failures = 0
        count = self.chunks.count() if self.verbose else None
        with progress_bar(what, count, shown=self.verbose) as bar:
            while True:
                options = {"columns": columns, "skip": frozenset(done), "n_jobs": self.n_jobs}
                try:
                    with closing(each(self.chunks, work, **options)) as parts:
                        for name, part in parts:
                            sums = sums + part
                            done.append(name)
                            failures = 0
                            bar.update()
                    return sums
                except BrokenProcessPool:  # the pool is new the next time
                    failures += 1
                    if failures == TRIES:
                        raise ValueError(
                            f"chunks after {done[-1] if done else 'the start'!r} made the worker processes die "
                            f"{TRIES} times: too little memory? Try smaller chunks or fewer workers."
                        ) from None


def each(chunks, work, *, columns=None, skip=frozenset(), n_jobs=1):
    """(name, `work(frame, name)`) of each chunk, in order; `columns` are read, chunks named in `skip` are not."""
    columns = chunks.columns if columns is None else tuple(columns)
    wanted = columns
    if columns is not None and chunks.group is not None and chunks.group not in columns:
        wanted = (*columns, chunks.group)
    pieces = numbered(chunks.source(wanted), skip)
    work = partial(_one_chunk, chunks.held_out, work, wanted, columns)
    client = _cluster() if chunks.on_dask else None
    if client is None:
        return in_order(work, pieces, n_jobs)
    return _on_cluster(client, pieces, work)


def _one_chunk(held_out, work, wanted, columns, number, chunk):
    """(name, result) of a chunk; a ValueError names it."""
    try:
        frame = chunk.read(wanted)
        if held_out is not None:
            frame = frame[_drawn(frame, number, chunk.name, held_out)]
        return chunk.name, work(frame if columns is None else frame[list(columns)], chunk.name)
    except ValueError as error:
        text = str(error)
        raise ValueError(text if text.startswith(chunk.name) else f"{chunk.name}: {text}") from None


def _drawn(frame, number, name, held_out):
    """Whether each row belongs to this side of the split: the same answer whenever and wherever it is asked."""
    share, seed, group, inside = held_out
    if group is None:
        return (np.random.default_rng([seed, number]).random(len(frame)) < share) == inside
    if group not in frame.columns:
        raise ValueError(f"{name} has no column {group!r} (group).")
    labels = frame[group]
    if labels.isna().any():
        row = int(np.argmax(labels.isna()))
        raise ValueError(f"{name}: column {group!r} must name the group of every row, but in row {row} it is missing.")
    numbers = pd.api.types.is_numeric_dtype(labels.dtype)
    keys = labels.to_numpy(float) if numbers else labels.astype(object).to_numpy()
    mixed = np.random.default_rng(seed).integers(2**63, dtype=np.uint64)
    keys = pd.util.hash_array(pd.util.hash_array(keys, categorize=False) ^ mixed)
    return ((keys >> np.uint64(11)) / 2.0**53 < share) == inside


def _cluster():
    """The dask client that the caller connected, or None."""
    try:
        from distributed import default_client

        return default_client()
    except (ImportError, ValueError):
        return None


def _on_cluster(client, pieces, work):
    """What `_one_chunk` returns for each piece, computed on the cluster; a worker that dies is dask's to replace."""
    import dask

    pieces = list(pieces)
    run = dask.delayed(_one_partition, pure=False)
    shared = dask.delayed(work, pure=False)
    wrong = [
        k for k, (_, chunk) in enumerate(pieces) if not isinstance(chunk.reader, Partition)
    ]  # errors of the source
    good = pieces[: wrong[0]] if wrong else pieces
    futures = client.compute([run(shared, k, chunk.reader.delayed, chunk.name) for k, chunk in good])
    try:
        for k, (_, chunk) in enumerate(good):
            try:
                found, error = futures[k].result()
            except Exception as lost:
                found = None
                error = ValueError(f"{chunk.name}: {unreadable(lost)}")
            if error is not None:
                raise error
            futures[k] = None  # the cluster may forget it
            yield found
    finally:
        client.cancel([future for future in futures if future is not None])
    if wrong:
        work(*pieces[wrong[0]])


def _one_partition(work, number, frame, name):
    return caught(None, work, number, Chunk(name, lambda _: frame))
