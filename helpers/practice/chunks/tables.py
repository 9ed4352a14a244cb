"""Tables in pieces that dask reads and works on: none is in memory before it is needed, and few are at a time."""

from dataclasses import dataclass, field, replace
from functools import partial
from numbers import Real
from pathlib import Path

import numpy as np
import pandas as pd

from helpers._parallel import one_thread
from helpers.checks import check_column, check_count, check_rng
from helpers.partition.notation import MISSING_WORDS
from helpers.practice.tables.files import check_names

CSV_BYTES = 2**24  # of a piece of a CSV file

ADDED_AT_ONCE = 8  # sums wait for so many others, not for all


class ChunkError(ValueError):
    """An error whose words name the chunk."""


@dataclass(frozen=True)
class Chunks:
    """A table in pieces; iterating computes them one after another."""

    frames: dict = field(repr=False)  # {what errors call a table, "" for the only one: dask DataFrame}
    held_out: tuple | None = None  # share, seed, group and side of `split_chunks`, or None

    def __iter__(self):
        parts = self.parts()
        for task, part in zip(self.tasks(_itself, parts), parts, strict=True):
            yield self.compute([task], [part])[0]

    @property
    def group(self):
        """Column by which the chunks were split, or None."""
        return None if self.held_out is None else self.held_out[2]

    def parts(self, columns=None):
        """(name, delayed DataFrame) of each chunk; of `columns` and the group of the split, if any are named."""
        if columns is not None and self.group is not None:
            columns = dict.fromkeys((*columns, self.group))
        found = []
        for table, frame in self.frames.items():
            chosen = frame if columns is None else frame[_checked_columns(frame, columns, table)]
            # Not `optimize`: it makes larger partitions where fewer columns are read, and rows are drawn by partition.
            delayed = chosen.simplify().to_delayed(optimize_graph=False)
            found += [(f"{table}{', ' if table else ''}chunk {k}", part) for k, part in enumerate(delayed)]
        return found

    def tasks(self, work, parts, columns=None):
        """`work(frame, name)` of each chunk, delayed; of `columns` and of the rows of this side of the split."""
        import dask

        work = dask.delayed(partial(_one_chunk, work, columns, self.held_out), pure=False, traverse=False)
        return [work(part, number, name) for number, (name, part) in enumerate(parts)]

    def compute(self, tasks, parts):
        """Results of tasks by dask's workers; a ValueError names the chunk that cannot be read."""
        import dask

        try:
            with one_thread():  # workers of a cluster have one each
                return dask.compute(*tasks)
        except ChunkError:
            raise
        except (OSError, ValueError):
            for name, part in parts:
                try:
                    part.compute()
                except (OSError, ValueError) as error:
                    reason = " ".join(str(error).split()).rstrip(".")
                    raise ChunkError(f"{name}: it cannot be read ({type(error).__name__}: {reason}).") from error
            raise

    def total(self, work, parts, columns):
        """Sum of `work(frame, name)` of all chunks: neighbours are added first, so any workers give the same bits."""
        import dask

        add = dask.delayed(sum, pure=False)
        tasks = self.tasks(work, parts, columns)
        while len(tasks) > 1:
            tasks = [add(tasks[k : k + ADDED_AT_ONCE]) for k in range(0, len(tasks), ADDED_AT_ONCE)]
        with dask.config.set({"optimization.fuse.delayed": True}):  # one message for all that is done to a chunk
            return self.compute(tasks, parts)[0]


def _itself(frame, name):
    return frame


def _one_chunk(work, columns, held_out, frame, number, name):
    """The work on one chunk, in whatever process; its rows are numbered from 0."""
    frame = frame.reset_index(drop=True)
    try:
        if held_out is not None:
            frame = frame[_drawn(frame, number, held_out)]
        return work(frame if columns is None else frame[list(columns)], name)
    except ValueError as error:
        text = str(error)
        raise ChunkError(text if text.startswith(name) else f"{name}: {text}") from None


def _drawn(frame, number, held_out):
    """Whether each row belongs to this side of the split: the same answer whenever and wherever it is asked."""
    share, seed, group, inside = held_out
    if group is None:
        return (np.random.default_rng([seed, number]).random(len(frame)) < share) == inside
    labels = frame[group]
    if labels.isna().any():
        row = int(np.argmax(labels.isna()))
        raise ValueError(f"column {group!r} must name the group of every row, but in row {row} it is missing.")
    numbers = pd.api.types.is_numeric_dtype(labels.dtype)
    keys = labels.to_numpy(float) if numbers else labels.astype(object).to_numpy()
    mixed = np.random.default_rng(seed).integers(2**63, dtype=np.uint64)
    keys = pd.util.hash_array(pd.util.hash_array(keys, categorize=False) ^ mixed)
    return ((keys >> np.uint64(11)) / 2.0**53 < share) == inside


def read_chunks(source, *, columns=None, rows=100_000):
    """A table in pieces, none of which is read yet.

    Parameters
    ----------
    source : path, list of paths, DataFrame, list of DataFrame or dask DataFrame
        Files: .parquet (one chunk for each row group), .csv (pieces of 16 MB) or .csv.gz (one chunk: unpack a large
        one). A DataFrame is cut into slices of `rows` rows; the items of a list and the partitions of a dask DataFrame
        are chunks. Whatever else dask reads, with options of your own, comes as a dask DataFrame:
        ``read_chunks(dask.dataframe.read_csv("s3://…", dtype={"code": str}))``.
    columns : list of str, optional
        Names of the columns to read; None for all.
    rows : int, default 100_000
        Rows of a chunk of a DataFrame.

    Returns
    -------
    Chunks
        For `split_chunks` and `evaluate_in_chunks`; iterating gives DataFrames.

    Raises
    ------
    ValueError
        For a source of another kind, and for files that are absent, doubled or no tables.
    ImportError
        Without the extra `scale`.

    Examples
    --------
    >>> table = pd.DataFrame({"label": [0, 1, 1], "score": [0.2, 0.6, 0.9]})
    >>> [len(frame) for frame in read_chunks(table, rows=2)]
    [2, 1]
    """
    rows = check_count(rows, "rows")
    if isinstance(columns, str):
        raise ValueError(f"columns must be a list of names, but it is {columns!r}.")
    frames = _frames(source, rows)
    for table, frame in frames.items():
        check_names(table or "source", frame.columns)
    if columns is not None:
        frames = {table: frame[_checked_columns(frame, columns, table)] for table, frame in frames.items()}
    first = next(iter(frames.values()))
    for table, frame in frames.items():
        only = sorted(set(map(str, frame.columns)) ^ set(map(str, first.columns)))
        if only:
            rule = "source must be tables with the same columns"
            raise ValueError(f"{rule}, but of the first and {table} only one has {only[0]!r}.")
    return Chunks(frames)


def _frames(source, rows):
    """{what errors call a table: dask DataFrame} of a source."""
    dd = import_dask()
    if isinstance(source, dd.DataFrame):
        return {"": source}
    if isinstance(source, pd.DataFrame):
        return {"": _in_memory(source, rows)}
    items = [source] if isinstance(source, str | Path) else source
    if isinstance(items, list | tuple) and items:
        if all(isinstance(item, pd.DataFrame) for item in items):
            return {f"table {k}": _in_memory(frame, max(len(frame), 1)) for k, frame in enumerate(items)}
        if all(isinstance(item, str | Path) for item in items):
            paths = check_files(items)
            alike = len({path.name for path in paths}) < len(paths)  # year=2024/part.parquet, year=2025/part.parquet
            return {str(path if alike else path.name): _read_file(path) for path in paths}
    got = f"a {type(source).__name__}"
    if isinstance(items, list | tuple):
        kinds = dict.fromkeys(type(item).__name__ for item in items)
        got = f"a list of {' and '.join(kinds)}" if kinds else "an empty list"
    raise ValueError(
        f"source must be a path, a DataFrame of pandas or dask, or a list of paths or of DataFrames, but it is {got}."
    )


def _in_memory(frame, rows):
    import dask
    import dask.dataframe as dd

    with dask.config.set({"dataframe.convert-string": False}):  # it would make text of truth values
        return dd.from_pandas(frame.reset_index(drop=True), chunksize=rows, sort=False)


def _read_file(path):
    import dask.dataframe as dd

    try:
        if path.name.lower().endswith(".parquet"):
            return dd.read_parquet(path, index=False, split_row_groups=True)
        first_line = pd.read_csv(path, header=None, nrows=1, dtype=str)
        missing = {"keep_default_na": False, "na_values": MISSING_WORDS, "assume_missing": True}
        frame = dd.read_csv(path, blocksize=None if path.suffix.lower() == ".gz" else CSV_BYTES, **missing)
    except (OSError, ValueError, EOFError) as error:
        raise ValueError(f"{path.name} cannot be read: {' '.join(str(error).split()).rstrip('.')}.") from error
    check_names(path.name, first_line.iloc[0])
    return frame


def import_dask():
    """`dask.dataframe`; ImportError with a way out where it is missing."""
    try:
        import dask.dataframe
        import pyarrow  # noqa: F401
    except ImportError:
        raise ImportError("Tables in chunks need dask and pyarrow: pip install 'honest-confidence[scale]'.") from None
    return dask.dataframe


def check_files(paths):
    """Paths of tables that exist; ValueError otherwise."""
    paths = [Path(path).expanduser() for path in paths]
    for path in paths:
        if paths.count(path) > 1:
            raise ValueError(f"source must name each table once, but {path.name} occurs {paths.count(path)} times.")
        if not path.name.lower().endswith((".csv", ".csv.gz", ".parquet")):
            raise ValueError(f"{path.name} must be a table in one of the formats .csv, .csv.gz, .parquet.")
        if not path.is_file():
            raise ValueError(f"{path.name} {'is a folder, not a table' if path.is_dir() else 'does not exist'}.")
    return paths


def _checked_columns(frame, columns, table):
    """Names of columns as a list; ValueError for one that a table lacks."""
    for column in columns:
        check_column(column, frame.columns, table or "source")
    return list(columns)


def check_chunks(chunks):
    """ValueError unless `chunks` are the result of `read_chunks` or `split_chunks`."""
    if not isinstance(chunks, Chunks):
        raise ValueError(f"chunks must come from read_chunks or split_chunks, but they are a {type(chunks).__name__}.")


def split_chunks(chunks, share, *, group=None, rng=None):
    """A random sample in memory and the chunks without it, so that regions are never judged on rows that chose them.

    What is drawn depends on the chunks and on `rng`, not on workers.

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

    Returns
    -------
    sample : DataFrame
        The rows that were drawn.
    others : Chunks
        All others: the rows of the sample are left out when the chunks are read again.

    Raises
    ------
    ValueError
        Unless 0 < share < 1, and where no row is drawn or a group is missing.

    Examples
    --------
    >>> table = pd.DataFrame({"score": np.arange(1000.0)})
    >>> sample, others = split_chunks(read_chunks(table, rows=100), 0.2, rng=0)
    >>> len(sample) + sum(len(frame) for frame in others)
    1000
    """
    check_chunks(chunks)
    if not (isinstance(share, Real) and 0 < share < 1):
        raise ValueError(f"share must lie between 0 and 1, but it is {share!r}.")
    if group is not None:
        for table, frame in chunks.frames.items():
            _checked_columns(frame, [group], table)
    split = (float(share), int(check_rng(rng).integers(2**31)), group)
    drawn = replace(chunks, held_out=(*split, True))
    parts = drawn.parts()
    found = [frame for frame in drawn.compute(drawn.tasks(_itself, parts), parts) if len(frame)]
    if not found:
        raise ValueError(f"share must leave at least one row in the sample, but it is {share:g} and no row was drawn.")
    return pd.concat(found, ignore_index=True), replace(chunks, held_out=(*split, False))
