"""What the columns of chunks hold, and whether chunks agree in it (for `helpers.chunks.evaluate`).

Where chunks of a table come from: row groups, pieces of a CSV, frames, partitions (for `helpers.chunks.evaluate`).
"""

import gzip
import os
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
import pandas as pd

from helpers.checks import nearest_name
from helpers.partition.encoder import as_numbers
from helpers.tables.files import MISSING, check_csv, check_names, gzip_fault, import_pyarrow, open_parquet


def kind_of_column(values):
    """What a column holds, so that chunks can be compared: None where every value is missing."""
    dtype = values.dtype
    if isinstance(dtype, pd.CategoricalDtype) and dtype.ordered:
        return "ordered categories"
    if not values.notna().any():
        return None
    if pd.api.types.is_bool_dtype(dtype):
        return "booleans"
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return "dates"
    if pd.api.types.is_timedelta64_dtype(dtype):
        return "durations"
    values = values.infer_objects()
    return "text" if as_numbers(values) is None else "booleans" if values.dtype == bool else "numbers"


def check_kinds(frame, kinds, name):
    """`frame` with the columns `kinds` in their order; ValueError naming chunk and column where the kinds differ.

    A column of a chunk in which every value is missing fits any kind; `kinds` may hold None where nothing is known.
    """
    for column, wanted in kinds.items():
        if column not in frame.columns:
            hint = nearest_name(column, frame.columns, "column")
            raise ValueError(f"{name} must have the columns of the sample, but {column!r} is absent; {hint}")
        found = kind_of_column(frame[column]) if len(frame) else None
        if found is not None and wanted is not None and found != wanted:
            raise ValueError(
                f"{name} must hold in each column what the sample holds, but column {column!r} holds {found} "
                f"({frame[column].dtype}) and not {wanted}."
            )
    frame = frame[list(kinds)]
    absent = {
        column: np.nan if wanted in ("numbers", "booleans") else pd.NaT
        for column, wanted in kinds.items()
        if wanted in ("numbers", "booleans", "dates", "durations") and not frame[column].notna().any()
    }
    if not absent or not len(frame):
        return frame
    dtypes = {"numbers": float, "booleans": float, "dates": "datetime64[ns]", "durations": "timedelta64[ns]"}
    empty = {column: pd.Series(value, frame.index, dtypes[kinds[column]]) for column, value in absent.items()}
    return frame.assign(**empty)


@dataclass(frozen=True)
class Chunk:
    """One piece of a table: its name in errors, and `reader(columns)`, which makes a DataFrame or raises an error."""

    name: str
    reader: Callable

    def read(self, columns=None):
        """Its rows as a DataFrame with the numbers 0 .. n-1 of the rows in this chunk as index."""
        try:
            frame = self.reader(columns)
        except ValueError as error:
            text = str(error)
            raise ValueError(text if self.name in text else f"{self.name}: {text}") from None
        if not isinstance(frame, pd.DataFrame):
            raise ValueError(f"{self.name} must be a DataFrame, but it is a {type(frame).__name__}.")
        if columns is not None:
            absent = [column for column in columns if column not in frame.columns]
            if absent and not len(frame):
                frame = frame.reindex(columns=list(columns))
            elif absent:
                hint = nearest_name(absent[0], frame.columns, "column")
                raise ValueError(f"{self.name} has no column {absent[0]!r}; {hint}")
            frame = frame[list(columns)]
        return frame.reset_index(drop=True)


def chunks_of_frame(frame, rows, columns=None):
    """Slices of a DataFrame."""
    for k, start in enumerate(range(0, len(frame), rows)):
        yield Chunk(f"chunk {k}", partial(_given, frame.iloc[start : start + rows]))


def chunks_of_frames(frames, columns=None):
    """The frames of an iterable, or of a function that makes one."""
    for k, frame in enumerate(frames() if callable(frames) else frames):
        yield Chunk(f"chunk {k}", partial(_given, frame))


def _given(frame, columns):
    return frame


def numbered(chunks, skip):
    """(number, chunk) pairs of the chunks that are not named in `skip`; an error of the source itself is raised where
    its chunk would be read, in its turn.
    """
    chunks = iter(chunks)
    number = 0
    while True:
        try:
            chunk = next(chunks)
        except StopIteration:
            return
        except Exception as error:
            yield number, Chunk(f"chunk {number}", partial(_fail, error))
            return
        if chunk.name not in skip:
            yield number, chunk
        number += 1


def _fail(error, columns):
    raise error


def chunks_of_parquet(path, name):
    """One chunk for each row group; opened again by whoever reads it, so that workers share nothing."""
    metadata = open_parquet(path).metadata
    for k in range(metadata.num_row_groups):
        yield Chunk(f"{name}, row group {k}", partial(_read_group, path, k))


def count_of_files(paths):
    """Number of row groups, or None where a file cannot say it."""
    if not all(path.name.lower().endswith(".parquet") for path in paths):
        return None
    try:
        return sum(open_parquet(path).metadata.num_row_groups for path in paths)
    except ValueError:
        return None  # told where the file is read


def _read_group(path, k, columns):
    file = open_parquet(path)
    pyarrow = import_pyarrow(path)
    try:
        present = None if columns is None else [name for name in columns if name in file.schema_arrow.names]
        return file.read_row_group(k, columns=present, use_threads=False).to_pandas(ignore_metadata=True)
    except (pyarrow.ArrowException, OSError) as error:
        raise ValueError(f"it is damaged and cannot be read ({str(error).splitlines()[0].rstrip('.')}).") from None


def chunks_of_csv(path, name, rows, dtype):
    """Pieces of a CSV file, read one after another once all its lines have been counted."""
    k = 0
    try:
        _check_csv(path, path.stat().st_size, path.stat().st_mtime_ns)
        options = {"chunksize": rows, "keep_default_na": False, "na_values": MISSING, "low_memory": False}
        with pd.read_csv(path, dtype=dtype, **options) as pieces:
            for k, frame in enumerate(pieces):
                yield Chunk(f"{name}, chunk {k}", partial(_given, frame))
                k += 1
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError, OSError) as error:
        reason = str(error).strip().rstrip(".")
        raise ValueError(f"{name}, chunk {k}: it cannot be read as CSV ({reason}).") from None


@lru_cache(maxsize=1024)
def _check_csv(path, size, changed):
    """ValueError unless every line of a CSV file has the fields of its header; a file that stays is read once."""
    zipped = path.name.lower().endswith(".gz")
    try:
        with (gzip.open if zipped else open)(path, "rb") as file:
            check_names(path, check_csv(path, file))
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"{path.name} {gzip_fault(error)}") from None


def chunks_of_dask(frame, columns=None):
    """The partitions of a dask DataFrame, of which only `columns` are computed."""
    present = None if columns is None else [name for name in columns if name in frame.columns]
    parts = (frame if present is None else frame[present]).to_delayed()
    for k, part in enumerate(parts):
        yield Chunk(f"partition {k}", Partition(part))


@dataclass(frozen=True)
class Partition:
    """A partition of a dask DataFrame, still to be computed."""

    delayed: object

    def __call__(self, columns):
        """Its rows, computed here."""
        try:
            return self.delayed.compute(scheduler="synchronous")
        except Exception as error:
            raise unreadable(error) from error


def unreadable(error):
    """ValueError that says what dask met."""
    line = (str(error).strip() or "no message").splitlines()[0].rstrip(".")
    return ValueError(f"it cannot be computed ({type(error).__name__}: {line}).")


def names_of(paths):
    """File names, or whole paths where files of two folders have one name."""
    names = [path.name for path in paths]
    if len(set(names)) < len(names):  # year=2024/part-0.parquet, year=2025/part-0.parquet
        names = [str(path) for path in paths]
    return names


def chunks_of_files(paths, rows, dtype, columns=None):
    """The chunks of each file in turn."""
    for path, name in zip(paths, names_of(paths), strict=True):
        if path.name.lower().endswith(".parquet"):
            yield from chunks_of_parquet(path, name)
        else:
            yield from chunks_of_csv(path, name, rows, dtype)


def check_files(paths):
    """Paths of tables that exist; ValueError otherwise."""
    paths = [Path(os.path.expanduser(path)) for path in paths]
    for path in paths:
        if paths.count(path) > 1:
            raise ValueError(f"source must name each table once, but {path.name} occurs {paths.count(path)} times.")
        if not path.name.lower().endswith((".csv", ".csv.gz", ".parquet")):
            raise ValueError(f"{path.name} must be a table in one of the formats .csv, .csv.gz, .parquet.")
        if not path.is_file():
            raise ValueError(f"{path.name} {'is a folder, not a table' if path.is_dir() else 'does not exist'}.")
    return paths
