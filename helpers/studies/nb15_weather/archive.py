"""A weather archive of any size with known truth, and what can happen to it: drift, storms, damage, killed workers.

The archive is made on the fly: `weather_chunk` makes the same rows in every process. Stated probabilities of rain are
right on average in every month, and still too high or too low at some places (see `true_loss`).
"""

import logging
import os
import signal
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from helpers.calibration import PlattCalibrator
from helpers.checks import check_count, check_same_length, check_vector
from helpers.chunks import RegionSums, read_chunks
from helpers.datasets import DATA_FOLDER
from helpers.partition.encoder import with_score
from helpers.studies.nb15_weather.weather import weather_chunk


def weather_chunks(n_chunks, rows, *, months=(1, 12), **options):
    """`Chunks` of the archive, made on the fly each time they are read; `months` first and last, both whole.

    >>> sum(len(frame) for frame in weather_chunks(24, 100, months=(9, 12)))
    800
    """
    first, last = ((month - shift) * n_chunks // 12 for month, shift in zip(months, (1, 0), strict=True))
    made = partial(weather_chunk, rows=rows, n_chunks=n_chunks, **options)
    return read_chunks(partial(map, made, range(first, last)))


def write_archive(folder, n_chunks, rows, **options):
    """The archive as Parquet files, one a month, one row group a chunk; never more than one chunk in memory.

    Parameters
    ----------
    folder : where to write; n_chunks : a multiple of 12; rows, options : as for `weather_chunk`

    Returns
    -------
    list of 12 paths; ImportError without pyarrow
    """
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
    """Overwrite all columns of one row group of a Parquet file, as a failing disk does; returns its old bytes."""
    from pyarrow.parquet import ParquetFile

    path = Path(path)
    group, before = ParquetFile(path).metadata.row_group(group), path.read_bytes()
    columns = [group.column(k) for k in range(group.num_columns)]
    start = min(column.dictionary_page_offset or column.data_page_offset for column in columns)
    size = sum(column.total_compressed_size for column in columns)
    path.write_bytes(before[:start] + b"\xff" * size + before[start + size :])
    return before


def sums_by(chunks, partition, by):
    """{value: `EvaluationSums`} of the rows with each value of the column `by`; added up, they are those of all rows.

    The calibrator of the partition is used as it is: see `refitted`.
    """
    found = {}
    for frame in chunks:
        for value, rows in frame.groupby(by):
            found[value] = found.get(value, 0) + partition.sums(rows)
    return dict(sorted(found.items()))


def refitted(partition, chunks):
    """The partition with its Platt calibrator fitted to all rows of the chunks, in one pass.

    Scores on a grid are needed: rows are counted by score and label, and these few counts are the weights of the fit.
    """
    counts = pd.concat([frame.groupby([partition.score, partition.label]).size() for frame in chunks])
    counts = counts.groupby(level=[0, 1]).sum()
    p, y = (counts.index.get_level_values(level).to_numpy(float) for level in (0, 1))
    return replace(partition, calibrator=PlattCalibrator().fit(p, y, counts.to_numpy(float)))


def captured_truth(frames, partition):
    """Sum of p_j r_j^2 over regions with the true r = q - c of these rows: what an estimate should say, luck aside."""
    total = sum(_true_sums(frame, partition) for frame in frames if len(frame))
    return float((total.moments[0] ** 2 / np.maximum(total.count, 1)).sum() / total.count.sum())


def _true_sums(frame, partition):
    p = frame["score"].to_numpy()
    c = p if partition.calibrator is None else partition.calibrator.predict(p)
    region = partition.tree.apply(with_score(frame[list(partition.kinds)], p))
    return RegionSums.of(frame["truth"].to_numpy() - c, region, partition.tree.n_regions_)


def scale_installed():
    """Whether dask, distributed and pyarrow, the extra `scale`, are there."""
    return all(find_spec(name) is not None for name in ("dask", "distributed", "pyarrow"))


@contextmanager
def two_workers():
    """A dask cluster of two worker processes on this machine, connected and silent; closed at the end.

    Only this machine may connect. ImportError without the extra `scale`.
    """
    from distributed import Client, LocalCluster

    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(**options, host="127.0.0.1", silence_logs=logging.CRITICAL) as cluster, Client(cluster) as client:
        yield client


def weather_on_dask(n_chunks, rows, *, killer=None, **options):
    """`Chunks` of the archive as a dask DataFrame: its partitions are made by the workers, nothing is sent to them.

    With `killer`, the path of a file that is not there yet, the process that is first to work on a chunk in the middle
    is killed, as if somebody had pulled its plug. The file says that this has happened.
    """
    import dask.dataframe as dd

    made = partial(_weather_or_death, n_chunks // 2, killer, rows=rows, n_chunks=n_chunks, **options)
    meta = weather_chunk(0, 1, n_chunks=n_chunks)
    return read_chunks(dd.from_map(made, range(n_chunks), meta=meta, enforce_metadata=False))


def _weather_or_death(fatal, killer, number, **options):
    if killer is not None and number == fatal and not os.path.exists(killer):
        Path(killer).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return weather_chunk(number, **options)


def load_weather_run():
    """The shipped table `weather_run.csv`: time and memory of runs over 1 to 16 million rows, as measured once.

    >>> int(load_weather_run()["rows"].max())
    16128000
    """
    return pd.read_csv(DATA_FOLDER / "weather_run.csv")


@dataclass(frozen=True)
class Growth:
    """How seconds grow with rows: `exponent` of a power law with its standard error, `line` (rows, seconds) to draw it.

    `at` uses a straight line, fixed seconds plus seconds a row: fixed seconds push the exponent below 1, and a power
    law drawn on with such an exponent promises too little.
    """

    exponent: float
    se: float
    line: tuple
    straight: np.ndarray
    covariance: np.ndarray
    variance: float
    freedom: int

    def at(self, rows):
        """(seconds, low, high) at some number of rows, with the 95 % interval for one run."""
        x = np.array([1.0, rows])
        middle, spread = x @ self.straight, np.sqrt(self.variance + x @ self.covariance @ x)
        reach = stats.t.ppf(0.975, self.freedom) * spread
        return float(middle), float(middle - reach), float(middle + reach)

    def __str__(self):
        return f"seconds grow like rows to the power {self.exponent:.2f} (standard error {self.se:.2f})"


def growth(rows, seconds):
    """`Growth`: least squares of log seconds on log rows, and of seconds on rows; one mark a run.

    ValueError unless there are at least three runs with different numbers of rows and positive seconds.

    >>> fit = growth([1e6, 2e6, 4e6], [1.0, 2.0, 4.0])
    >>> print(fit)
    seconds grow like rows to the power 1.00 (standard error 0.00)
    >>> round(fit.at(8e6)[0], 6)
    8.0
    """
    rows, seconds = check_vector(rows, "rows", finite=True), check_vector(seconds, "seconds", finite=True)
    check_same_length(rows=rows, seconds=seconds)
    if np.unique(rows).size < 3 or rows.min() <= 0 or seconds.min() <= 0:
        raise ValueError("rows and seconds must be positive, with at least three different numbers of rows.")
    power = stats.linregress(np.log(rows), np.log(seconds))
    drawn = np.exp(power.intercept + power.slope * np.log(rows))
    X = np.column_stack([np.ones_like(rows), rows])
    straight = np.linalg.lstsq(X, seconds)[0]
    variance = float(((seconds - X @ straight) ** 2).sum() / (rows.size - 2))
    covariance = variance * np.linalg.inv(X.T @ X)
    slope, se = float(power.slope), float(power.stderr)
    return Growth(slope, se, (rows, drawn), straight, covariance, variance, rows.size - 2)
