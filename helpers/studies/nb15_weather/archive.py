"""A weather archive of any size with known truth, and what can happen to it: drift, storms, damage, killed workers.

The archive is made on the fly: `weather_chunk` makes the same rows in every process. Stated probabilities of rain are
right on average in every month, and still too high or too low at some places (see `true_loss`).
"""

import logging
import multiprocessing
import os
import signal
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from helpers.calibration import PlattCalibrator
from helpers.checks import check_count
from helpers.chunks import read_chunks
from helpers.chunks.sums import RegionSums
from helpers.chunks.tables import import_dask
from helpers.partition.checked import with_score_column
from helpers.studies.nb15_weather.weather import weather_chunk


def weather_chunks(n_chunks, rows, *, months=(1, 12), killer=None, **options):
    """The archive in pieces, made on the fly by dask's workers each time they are read; both months are whole."""
    dd = import_dask()
    first, last = ((month - shift) * n_chunks // 12 for month, shift in zip(months, (1, 0), strict=True))
    made = partial(_weather_or_death, n_chunks // 2, killer, rows=rows, n_chunks=n_chunks, **options)
    meta = weather_chunk(0, 1, n_chunks=n_chunks)
    return read_chunks(dd.from_map(made, range(first, last), meta=meta, enforce_metadata=False))


def _weather_or_death(fatal, killer, number, **options):
    if killer is not None and number == fatal and not os.path.exists(killer):
        Path(killer).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return weather_chunk(number, **options)


def write_archive(folder, n_chunks, rows, **options):
    """The archive as Parquet files, one a month, one row group a chunk; never more than one chunk in memory."""
    import pyarrow as pa
    from pyarrow import parquet

    paths = [Path(folder) / f"month-{month:02d}.parquet" for month in range(1, 13)]
    each = check_count(n_chunks, "n_chunks") // 12
    if each * 12 != n_chunks:
        raise ValueError(f"n_chunks must be a multiple of 12, one file for each month, but it is {n_chunks}.")
    for k, path in enumerate(paths):
        tables = (
            pa.Table.from_pandas(weather_chunk(k * each + j, rows, n_chunks=n_chunks, **options), preserve_index=False)
            for j in range(each)
        )
        first = next(tables)
        with parquet.ParquetWriter(path, first.schema, write_page_checksum=True) as file:
            file.write_table(first, row_group_size=rows)
            for table in tables:
                file.write_table(table, row_group_size=rows)
    return paths


def damage(path, group):
    """Overwrite one row group of a Parquet file, as a failing disk does; returns what the file held before."""
    from pyarrow.parquet import ParquetFile

    path = Path(path)
    metadata = ParquetFile(path).metadata.row_group(group)
    before = path.read_bytes()
    columns = [metadata.column(k) for k in range(metadata.num_columns)]
    start = min(column.dictionary_page_offset or column.data_page_offset for column in columns)
    size = sum(column.total_compressed_size for column in columns)
    path.write_bytes(before[:start] + b"\xff" * size + before[start + size :])
    return before


def sums_by(chunks, partition, by):
    """Sums of the rows with each value of a column; added up, they are those of all rows."""
    sums = {}
    for frame in chunks:
        for value, rows in frame.groupby(by):
            sums[value] = sums.get(value, 0) + partition.sums(rows)
    return dict(sorted(sums.items()))


def refitted(partition, chunks):
    """The partition with its Platt calibrator fitted to all rows of the chunks, in one pass."""
    counts = pd.concat([frame.groupby([partition.score, partition.label]).size() for frame in chunks])
    counts = counts.groupby(level=[0, 1]).sum()
    p, y = (counts.index.get_level_values(level).to_numpy(float) for level in (0, 1))
    return replace(partition, calibrator=PlattCalibrator().fit(p, y, counts.to_numpy(float)))


def captured_truth(frames, partition):
    """What an estimate should say, luck aside: sum of p_j r_j^2 over regions with the true r = q - c of these rows."""
    total = sum(_true_sums(frame, partition) for frame in frames if len(frame))
    return float((total.moments[0] ** 2 / np.maximum(total.count, 1)).sum() / total.count.sum())


def _true_sums(frame, partition):
    p = frame["score"].to_numpy()
    c = p if partition.calibrator is None else partition.calibrator.predict(p)
    region = partition.tree.apply(with_score_column(frame[list(partition.kinds)], p))
    return RegionSums.of(frame["truth"].to_numpy() - c, region, partition.tree.n_regions_)


@contextmanager
def two_workers():
    """A dask cluster of two worker processes on this machine, connected and silent; only this machine may connect."""
    from dask import config
    from distributed import Client, LocalCluster
    from distributed.utils import get_mp_context

    method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": "127.0.0.1:0"}
    with config.set({"distributed.worker.multiprocessing-method": method}):
        if method == "forkserver":  # what workers import is imported once, not by each of them
            get_mp_context().set_forkserver_preload(["distributed", __name__])
        silent = LocalCluster(**options, host="127.0.0.1", silence_logs=logging.CRITICAL)
        with silent as cluster, Client(cluster) as client:
            yield client
