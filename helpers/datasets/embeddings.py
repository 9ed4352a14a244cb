"""Networks as the 2023 paper audits them: a table of embeddings, scores and hits, read from a file of yours."""

import zipfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from helpers.checks import check_columns, check_groups
from helpers.datasets.cells import check_cells, labels_and_scores, numbers_of


@dataclass(frozen=True)
class Embeddings:
    """Cases that a network has scored.

    Parameters
    ----------
    name : str
        Name of the file.
    y, p : (n,) arrays
        What happened, 0 or 1 (for several classes: is the predicted one right), and its stated probability.
    X : (n, d) DataFrame
        Features of the network.
    kind, groups : (n,) arrays, optional
        Names of known kinds of cases; codes of rows that are not independent (one image several times).

    Examples
    --------
    >>> print(Embeddings("my.npz", np.array([0, 1]), np.array([0.2, 0.9]), pd.DataFrame({"f": [0.1, 0.4]})))
    my.npz: 2 rows, 1 features; 50.0 % right at a mean score of 55.0 %
    """

    name: str
    y: np.ndarray = field(repr=False)
    p: np.ndarray = field(repr=False)
    X: pd.DataFrame = field(repr=False)
    kind: np.ndarray | None = field(default=None, repr=False)
    groups: np.ndarray | None = field(default=None, repr=False)

    def __str__(self):
        own = "" if self.groups is None else f" of {np.unique(self.groups).size:,} groups"
        size = f"{self.y.size:,} rows{own}, {self.X.shape[1]} features"
        return f"{self.name}: {size}; {100 * self.y.mean():.1f} % right at a mean score of {100 * self.p.mean():.1f} %"


def read_embeddings(path, *, kind=None, group=None):
    """Read labels, scores and features of a network's last hidden layer.

    Parameters
    ----------
    path : str or Path
        CSV (.csv, .csv.gz), Parquet, or npz, in which arrays (n,) are columns and a table (n, d) holds d. Columns:
        `label`, 0 or 1 (for several classes, is the predicted one right); `score`, the stated probability of that; all
        others are features, which must be numbers, finite in every row.
    kind : str, optional
        Column with known kinds of cases ("sketch", "tattoo").
    group : str, optional
        Column with ids of rows that belong together (crops of one image).

    Returns
    -------
    Embeddings
        With `y`, `p`, `X` and, where they are asked for, `kind` and `groups`.

    Raises
    ------
    ValueError
        For a file that cannot be read, columns that are absent, and the first value that breaks a rule.

    Examples
    --------
    >>> read_embeddings("data/rand_scores.csv.gz", kind="health", group="person")
    Traceback (most recent call last):
    ValueError: rand_scores.csv.gz: column 'sex' must hold finite numbers, but in row 1 it is 'male' (and in ...).
    """
    path = Path(path)
    frame = _read(path)
    roles = {"label": "label", "score": "score"}
    roles |= {role: column for role, column in {"kind": kind, "group": group}.items() if column is not None}
    check_columns(path.name, list(frame), roles)
    X = frame.drop(columns=list(roles.values()))
    if not X.shape[1]:
        raise ValueError(f"{path.name} must have a feature beside its columns {', '.join(roles.values())}.")

    y, p = labels_and_scores(path.name, frame, "label", "score")
    for name in X:
        X[name] = numbers_of(frame[name])
        check_cells(path.name, name, "hold finite numbers", frame[name], ~np.isfinite(X[name]))
    for name in (kind, group):
        if name is not None:
            check_cells(path.name, name, "hold a name in every row", frame[name], frame[name].isna())
    kinds = None if kind is None else frame[kind].astype(str).to_numpy(dtype=object)
    groups = None if group is None else check_groups(frame[group], f"{path.name}: column {group!r}")
    return Embeddings(path.name, y, p, X, kinds, groups)


def _read(path):
    """The table of a file."""
    readers = {".npz": _read_npz, ".parquet": pd.read_parquet, ".csv": pd.read_csv, ".gz": pd.read_csv}
    if path.suffix not in readers:
        raise ValueError(f"{path.name} must end in .csv, .csv.gz, .parquet or .npz.")
    try:
        return readers[path.suffix](path)
    except (ValueError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path.name} cannot be read: {error}") from None


def _read_npz(path):
    """Arrays as a table: a vector keeps its name, the columns of a table get numbers."""
    with path.open("rb") as content, np.load(content, allow_pickle=False) as file:
        arrays = dict(file)
    columns = {}
    for name, array in arrays.items():
        columns |= {name: array} if array.ndim < 2 else {f"{name}_{j}": part for j, part in enumerate(array.T)}
    return pd.DataFrame(columns)
