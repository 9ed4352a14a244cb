"""Result tables on disk: CSV or JSON lines, never over a file that is there unless told so."""

import csv
import gzip
import json
import os
from pathlib import Path

EXTENSIONS = (".csv", ".csv.gz", ".jsonl", ".jsonl.gz")


def save_table(frame, path, overwrite=False):
    """Write a table; a file appears under its name only once it is whole.

    Raises
    ------
    ValueError for another format, a folder that is not there, or, without `overwrite`, a file that is there.
    """
    path = Path(path).expanduser()
    kind = path.name.lower()
    if not kind.endswith(EXTENSIONS):
        raise ValueError(f"{path.name} must end in one of {', '.join(EXTENSIONS)}.")
    if not path.parent.is_dir():
        raise ValueError(f"path must name a file in a folder that exists, but the folder of {path.name} does not.")
    if path.exists() and not overwrite:
        raise ValueError(f"{path.name} is there already; give another path, or overwrite=True.")
    partial = path.with_name(f".{path.name}.partial")
    compression = {"method": "gzip", "mtime": 0} if kind.endswith(".gz") else None
    try:
        if ".csv" in kind:
            quoting = csv.QUOTE_NONNUMERIC  # else a carriage return inside a text would end its line
            frame.to_csv(partial, index=False, compression=compression, lineterminator="\n", quoting=quoting)
        else:
            rows = frame.astype(object).where(frame.notna(), None)
            text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows.to_dict("records"))
            partial.write_bytes(gzip.compress(text.encode(), mtime=0) if compression else text.encode())
        os.replace(partial, path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise OSError(f"{path.name} cannot be written: {error.strerror}.") from None
