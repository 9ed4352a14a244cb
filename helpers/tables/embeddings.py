"""A table of embeddings, scores and labels, read and checked."""

import os
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from helpers.checks import check_columns, check_groups, check_labels, check_numbers, check_probabilities
from helpers.datasets import DATA_FOLDER
from helpers.tables.files import EXTENSIONS, open_table
from helpers.tables.scores import find_table


@dataclass(frozen=True)
class Embeddings:
    """Cases that a network has scored.

    Parameters
    ----------
    name : str
        Name of the file.
    y : (n,) array of 0 and 1
        What happened; for several classes, whether the predicted class is right.
    p : (n,) array
        Stated probability of that.
    X : (n, d) DataFrame
        Features of the network.
    kind : (n,) array of str, optional
        Names of known kinds of cases.
    groups : (n,) int array, optional
        Codes of rows that are not independent (one image several times).

    Examples
    --------
    >>> print(Embeddings("my.npz", np.array([0, 1]), np.array([0.2, 0.9]), pd.DataFrame({"f": [0.1, 0.4]})))
    my.npz: 2 rows, 1 features; 50.0% right at a mean score of 55.0%
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
        return f"{self.name}: {size}; {self.y.mean():.1%} right at a mean score of {self.p.mean():.1%}"


class _NpzTable:
    """The arrays of an npz file as columns: a vector keeps its name, the columns of a table get numbers."""

    def __init__(self, path):
        try:
            with np.load(path, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
        except (OSError, ValueError, EOFError):
            raise ValueError(f"{path.name} cannot be read as npz: damaged, or it holds objects.") from None
        sizes = {name: np.shape(array)[:1] for name, array in arrays.items()}
        wrong = [name for name, array in arrays.items() if array.ndim not in (1, 2)]
        wrong += [name for name in arrays if sizes[name] != sizes[next(iter(arrays))]]
        if wrong or not arrays:
            shape = arrays[wrong[0]].shape if wrong else "missing"
            raise ValueError(
                f"{path.name} must hold vectors and tables with one row a case, but {wrong[:1]} is {shape}."
            )
        self.columns = {}
        for name, array in arrays.items():
            parts = {name: array} if array.ndim == 1 else {f"{name}_{j}": part for j, part in enumerate(array.T)}
            self.columns |= parts
        self.names = list(self.columns)

    def read(self, columns):
        """Some columns as a DataFrame."""
        return pd.DataFrame({name: self.columns[name] for name in columns})


def _open(path):
    path = Path(os.path.expanduser(path))
    if not path.name.lower().endswith((*EXTENSIONS, ".npz")):
        raise ValueError(f"path must end in {', '.join(EXTENSIONS)} or .npz, but it is {path.name!r}.")
    if not path.name.lower().endswith(".npz"):
        path = find_table(path)
        return path.name, open_table(path)
    for place in (path, DATA_FOLDER.parent / path):
        if place.is_file():
            return place.name, _NpzTable(place)
    raise ValueError(f"path must name a file, but {path.name!r} does not exist.")


def read_embeddings(path, label="label", score="score", *, kind=None, group=None, min_rows=200):
    """Read a table with one row for each case: label, score, features of the network's last hidden layer.

    Parameters
    ----------
    path : str or Path
        CSV, CSV.gz, Parquet, Feather or npz file; in an npz file arrays (n,) are columns and a table (n, d) holds d.
        All columns without a role are features and must be numbers, finite in every row.
    label : str, default "label"
        Column with 0/1: is the class 1, or for several classes, is the predicted class right.
    score : str, default "score"
        Column with the stated probability of that, in [0, 1].
    kind : str, optional
        Column with known kinds of cases ("sketch", "tattoo").
    group : str, optional
        Column with ids of rows that belong together (crops of one image).
    min_rows : int, default 200
        Fewest rows to accept.

    Returns
    -------
    Embeddings
        The checked table.

    Raises
    ------
    ValueError
        Names the file, the column, the rule and the first row (counted from 0) that breaks it.

    Examples
    --------
    >>> data = read_embeddings("data/rand_scores.csv.gz", kind="health", group="person")
    Traceback (most recent call last):
    ValueError: the feature 'sex' of rand_scores.csv.gz must hold numbers, but the feature 'sex' of ...
    """
    file, table = _open(path)
    roles = {"label": label, "score": score, "kind": kind, "group": group}
    roles = {role: column for role, column in roles.items() if column is not None}
    check_columns(file, table.names, roles)
    features = [name for name in table.names if name not in roles.values()]
    if not features:
        raise ValueError(f"{file} must have at least one feature column beside {', '.join(roles.values())}.")
    frame = table.read([*roles.values(), *features])
    if len(frame) < min_rows:
        raise ValueError(f"{file} must have at least {min_rows:,} rows, but it has {len(frame):,}.")
    y = check_labels(frame[label], f"column {label!r} of {file}", both=True)
    p = check_probabilities(frame[score], f"column {score!r} of {file}")
    X = pd.DataFrame({name: _numbers(frame[name], f"the feature {name!r} of {file}") for name in features})
    kinds = None if kind is None else frame[kind].astype(str).to_numpy(dtype=object)
    if kind is not None and frame[kind].isna().any():
        first = int(np.argmax(frame[kind].isna()))
        raise ValueError(f"column {kind!r} of {file} must name a kind in every row, but row {first} is empty.")
    groups = None if group is None else check_groups(frame[group].to_numpy(), f"column {group!r} of {file}")
    return Embeddings(file, y.astype(int), p, X, kinds, groups)


def _numbers(values, name):
    values = check_numbers(values, name)
    bad = ~np.isfinite(values)
    if bad.any():
        more = f" (and {bad.sum() - 1:,} more)" if bad.sum() > 1 else ""
        raise ValueError(f"{name} must be finite, but in row {np.argmax(bad)} it is {values[bad][0]}{more}.")
    return values
