"""A table of embeddings, scores and labels, read and checked."""

import zipfile
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers.checks import check_count
from helpers.practice.tables import columns
from helpers.practice.tables.columns import check_roles
from helpers.practice.tables.files import EXTENSIONS, Table, open_table


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


def _open_npz(path):
    """The arrays of an npz file as a `Table`: a vector keeps its name, the columns of a table get numbers."""
    if path.suffix.lower() != ".npz":
        return None
    try:
        with path.open("rb") as content, np.load(content, allow_pickle=False) as file:
            arrays = dict(file)
    except (OSError, ValueError, TypeError, zipfile.BadZipFile):
        raise ValueError(f"{path.name} cannot be read as npz: damaged, or it holds objects.") from None
    n_rows = max((len(array) for array in arrays.values() if array.ndim), default=0)
    columns = {}
    for name, array in arrays.items():
        if array.ndim not in (1, 2) or len(array) != n_rows:
            raise ValueError(
                f"{path.name} must hold vectors and tables with one row a case, but {name!r} is {array.shape}."
            )
        columns |= {name: array} if array.ndim == 1 else {f"{name}_{j}": part for j, part in enumerate(array.T)}
    return Table(path.name, pd.DataFrame(columns))


def read_embeddings(path, label="label", score="score", *, kind=None, group=None, min_rows=200):
    """Read a table of labels, scores and features of a network's last hidden layer; a ValueError says what to mend.

    Parameters
    ----------
    path : str, Path or DataFrame
        A table, or a file as for `read_scores`, or npz, in which arrays (n,) are columns and a table (n, d) holds d.
        All columns without a role are features and must be numbers, finite in every row.
    label : str, default "label"
        Column with 0/1: is the class 1, or for several classes, is the predicted class right.
    score : str, default "score"
        Column with the stated probability of that.
    kind : str, optional
        Column with known kinds of cases ("sketch", "tattoo").
    group : str, optional
        Column with ids of rows that belong together (crops of one image).
    min_rows : int, default 200
        Fewest rows to accept.

    Returns
    -------
    Embeddings
        With `y`, `p`, `X` and, where they are asked for, `kind` and `groups`.

    Examples
    --------
    >>> data = read_embeddings("data/rand_scores.csv.gz", kind="health", group="person")
    Traceback (most recent call last):
    ValueError: rand_scores.csv.gz: column 'sex' must hold finite numbers, but in row 1 it is 'male' ...
    """
    check_count(min_rows, "min_rows")
    table = open_table(path, (*EXTENSIONS, ".npz"), reader=_open_npz)
    roles = check_roles(table, {"label": label, "score": score, "kind": kind, "group": group})
    features = [name for name in table.names if name not in roles.values()]
    if not features:
        raise ValueError(f"{table.name} must have at least one feature column beside {', '.join(roles.values())}.")
    frame = table.read([*roles.values(), *features])
    if len(frame) < min_rows:
        raise ValueError(f"{table.name} has {len(frame):,} rows, but at least {min_rows:,} are needed.")
    y = columns.labels(table, label, frame[label])
    p = columns.scores(table, score, frame[score])
    X = {name: columns.numbers(table, name, frame[name], "hold finite numbers") for name in features}
    for name, values in X.items():
        if not np.isfinite(values).all():
            table.reject(name, "hold finite numbers", ~np.isfinite(values), values)
    if kind is not None and frame[kind].isna().any():
        table.reject(kind, "name a kind in every row", frame[kind].isna(), frame[kind])
    kinds = None if kind is None else frame[kind].astype(str).to_numpy(dtype=object)
    groups = None if group is None else columns.groups(table, group, frame[group])
    return Embeddings(table.name, y.astype(int), p, pd.DataFrame(X), kinds, groups)
