"""What belongs to a sweep as a whole: a folder name for each run, and the table of all results."""

import hashlib
import json
import os
import re
from collections import Counter
from pathlib import Path

from helpers._streams import ESCAPES, escaped

LONGEST = 150  # signs of a folder name; file systems take 255 bytes

NOT_FINITE = ("nan", "inf", "-inf", "NaN", "Infinity", "-Infinity")  # how metrics.json writes them

COUNTS = ("claims_held", "claims_failed", "seconds")


def _folder_name(swept):
    """ "seed=1" or "seed=1,n_rows=300"; other signs than letters, digits and .+- become _."""
    return ",".join(f"{name}={re.sub(r'[^A-Za-z0-9.+-]+', '_', text)[:60]}" for name, text in swept.items())


def word_of(value):
    """A value as a folder name shows it.

    Examples
    --------
    >>> word_of(True), word_of(1e-3), word_of([20, 30]), word_of(None)
    ('true', '0.001', '20_30', 'none')
    """
    if isinstance(value, (list, tuple)):
        return "_".join(map(word_of, value)) or "empty"
    if isinstance(value, dict):
        return json.dumps(value, sort_keys=True)
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)


def folder_names(texts):
    """A name for each run, readable and unlike all others, also where upper and lower case are one.

    A name that is too long or not alone gets eight signs that stand for all of its values.

    Parameters
    ----------
    texts : list of dict
        For each run {name: text}, no two alike.

    Returns
    -------
    list of str
        A name a run.

    Examples
    --------
    >>> folder_names([{"seed": "1"}, {"path": "a/b"}, {"path": "a?b"}])
    ['seed=1', 'path=a_b~d62eb9bd', 'path=a_b~5aa9d930']
    """
    names = [_folder_name(each) for each in texts]
    count = Counter(name.lower() for name in names)
    marks = [hashlib.sha256(json.dumps(each, sort_keys=True).encode()).hexdigest()[:8] for each in texts]
    return [
        f"{name[:LONGEST]}~{mark}" if len(name) > LONGEST or count[name.lower()] > 1 else name
        for name, mark in zip(names, marks, strict=True)
    ]


def foreign_table(folder):
    """A table in the folder that no sweep wrote, or None."""
    table = Path(folder) / "metrics.csv"
    if table.exists() and not table.read_text(encoding="utf-8", errors="replace").startswith("run,"):
        return table
    table = Path(folder) / "summary.parquet"
    if table.exists():
        try:
            from pyarrow import ArrowException, parquet
        except ImportError:
            return None
        try:
            return None if parquet.read_schema(table).names[:1] == ["run"] else table
        except (ArrowException, OSError):
            return table
    return None


def write_tables(folder, runs, swept):
    """Write metrics.csv and summary.parquet: one row a run, the same in both.

    Columns: the run's name, the swept parameters, all numbers that the runs recorded, claims held and failed, seconds.

    Parameters
    ----------
    folder : str or Path
        Where the tables go.
    runs : list of Run
        Finished runs, in the order of the rows.
    swept : list of str
        Names of the swept parameters.

    Returns
    -------
    paths : list of Path
        The tables written.
    missing : str
        A sentence about the table that was not written, or "".
    """
    import pandas as pd

    rows = []
    for run in runs:
        content = json.loads(run.metrics.read_text(encoding="utf-8"))
        held = sum(claim["holds"] for claim in content["claims"])
        counts = (held, len(content["claims"]) - held, content["seconds"])
        rows.append({"run": run.label} | run.swept | content["metrics"] | dict(zip(COUNTS, counts, strict=True)))
    recorded = [name for row in rows for name in row if name not in COUNTS]
    names = list(dict.fromkeys(["run", *swept, *recorded, *COUNTS]))
    table = Path(folder) / "metrics.csv"
    partial = table.with_suffix(".csv.tmp")
    pd.DataFrame(rows, columns=names, dtype=object).to_csv(partial, index=False, lineterminator="\n", errors=ESCAPES)
    os.replace(partial, table)
    summary = Path(folder) / "summary.parquet"
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        older = "; the one in the folder is older" if summary.exists() else ""
        return [table], (
            "summary.parquet was not written, because pyarrow is not installed (pip install pyarrow)"
            f"{older}. metrics.csv holds the same table."
        )
    columns = {name: _column([row.get(name) for row in rows], pa, words=name in swept) for name in names}
    partial = summary.with_suffix(".parquet.tmp")
    with partial.open("wb") as file:  # pyarrow takes no path whose bytes are no text
        parquet.write_table(pa.table(columns), file)
    os.replace(partial, summary)
    return [table, summary], ""


def _column(values, pa, words):
    """Values of one column with one type: numbers if all are, lists if all are, otherwise text.

    `words` says that "nan" is a word here and not how metrics.json writes the number.
    """
    if not words and {type(v) for v in values if v not in NOT_FINITE} <= {int, float, type(None)}:
        values = [float(v) if v in NOT_FINITE else v for v in values]
    values = [escaped(v) if isinstance(v, str) else v for v in values]
    kinds = {type(v) for v in values if v is not None}
    if kinds == {int, float}:
        values = [None if v is None else float(v) for v in values]
    try:
        if len(kinds) < 2 or kinds == {int, float}:
            return pa.array([json.dumps(v) if isinstance(v, dict) else v for v in values])
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        pass  # lists of several kinds, whole numbers of more than 64 bits
    return pa.array([v if v is None or isinstance(v, str) else json.dumps(v) for v in values], pa.string())
