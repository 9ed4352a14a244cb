"""Logs of evaluations as tables of answers or of scores.

Inspect (`.eval` and `.json`, which it reads itself: extra `llm`) and lm-evaluation-harness (`samples_*.jsonl`, known by
its keys; several of them, one a subject, are one table). Other `.json` files hold rows.
"""

import glob
import gzip
import hashlib
import json
import os
import zlib
from functools import partial
from pathlib import Path

import pandas as pd

from helpers.checks import check_one_of
from helpers.practice.tables.files import EXTENSIONS, JSON_LINES, Table, find_table, open_table, read_text
from helpers.practice.tables.harness_logs import read_harness, read_harness_scores
from helpers.practice.tables.inspect_logs import read_inspect, read_inspect_scores
from helpers.practice.tables.log_table import FAILED

LOGS = (".eval", ".json")

SAMPLES = "samples_*.jsonl"


def open_answers(source, *, grade="", graded=True, failed="left out"):
    """A table of answers, a file or a log as a `Table` of texts, lists and dictionaries.

    A log is graded by its scorer or metric `grade`, "" for the first, unless it is not `graded`.
    """
    check_one_of(failed, "failed", FAILED)
    options = {"grade": grade, "graded": graded, "failed": failed}
    return _open(source, partial(_read, read_inspect, read_harness, **options), as_text=True)


def open_scores(source, *, label="label", score="score", failed="left out", scale="auto"):
    """A table of scores, a file or a log as a `Table`; a log has the columns that `label` and `score` ask for."""
    check_one_of(failed, "failed", FAILED)
    options = {"label": label, "score": score, "failed": failed, "scale": scale}
    return _open(source, partial(_read, read_inspect_scores, read_harness_scores, **options))


def kind_of_log(path):
    """ "inspect" or "harness" for a log, "" for any other table."""
    name = path.name.lower()
    if name.endswith(JSON_LINES):
        return "harness" if _is_sample(_first_record(path)) else ""
    if not name.endswith(".json"):
        return "inspect" if name.endswith(".eval") else ""
    content = _content(path)
    if isinstance(content, list):
        return "harness" if content and isinstance(content[0], dict) and _is_sample(content[0]) else ""
    return "inspect" if isinstance(content, dict) and {"version", "eval"} <= set(content) else ""


def _read(inspect, harness, paths, **options):
    """The `Table` of a log by the reader of its kind, or of rows in JSON; None for another format."""
    kind = kind_of_log(paths[0])
    if kind == "harness":
        return harness(paths, **options)
    return inspect(paths[0], **options) if kind else _rows_of(paths[0])


# ---- files ----------------------------------------------------------------------------------------------------


def _open(source, reader, **options):
    """A `Table` of one file or table, or of several files of samples."""
    paths = _several(source)
    if not paths:
        return open_table(source, EXTENSIONS + LOGS, reader=lambda path: reader([path]), **options)
    for path in paths:
        if kind_of_log(path) != "harness":
            raise ValueError(
                f"path may name several files of samples of lm-evaluation-harness, but {path.name} is none."
            )
    table = reader(paths) if len(paths) > 1 else open_table(paths[0], reader=lambda path: reader([path]), **options)
    if len(paths) > 1:
        table.as_text = options.get("as_text", False)
        table.sha256 = hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()
    return table


def _several(source):
    """The files that a list, a folder or a pattern such as samples_mmlu_*.jsonl names; none for a table or a file."""
    if isinstance(source, list | tuple):
        return [find_table(path, EXTENSIONS + LOGS) for path in source]
    if not isinstance(source, str | os.PathLike):
        return []
    path = Path(os.path.expanduser(source))
    if path.is_dir():
        paths = sorted(path.glob(SAMPLES))
        if not paths:
            raise ValueError(f"{path.name} is no file, and a folder without files of samples ({SAMPLES}).")
        return paths
    if path.is_file() or not glob.has_magic(str(path)):
        return []
    paths = sorted(map(Path, glob.glob(str(path))))
    if not paths:
        raise ValueError(f"path is a pattern, but no file is called {path.name} in its folder.")
    return paths


def _is_sample(record):
    return {"doc_id", "resps"} <= set(record)


def _first_record(path):
    """The object in the first line of a text file, plain or gz; empty if it is damaged, which its reader will say."""
    try:
        with (gzip.open if path.name.lower().endswith(".gz") else open)(path, "rb") as file:
            record = json.loads(file.readline())
    except (EOFError, zlib.error, gzip.BadGzipFile, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


# ---- other JSON -----------------------------------------------------------------------------------------------


def _content(path):
    """What a JSON file holds; ValueError if it holds none."""
    data, _ = read_text(path)
    try:
        return json.loads(data)
    except ValueError as error:
        reason = f"{path.name} is not JSON ({error}), and no log of Inspect; one object a line is a file called .jsonl."
        raise ValueError(reason) from None


def _rows_of(path):
    """The `Table` in a JSON file: an array of rows, or columns as pandas writes them; None for another format."""
    if not path.name.lower().endswith(".json"):
        return None
    content = _content(path)
    if isinstance(content, list) and content and all(isinstance(row, dict) for row in content):
        return Table(path.name, pd.DataFrame(content, dtype=object))
    if isinstance(content, dict) and _are_alike(list(content.values())):
        by_row = all(name.isdigit() for name in content)
        frame = pd.DataFrame.from_dict(content, orient="index" if by_row else "columns", dtype=object)
        return Table(path.name, frame.reset_index(drop=True))
    raise ValueError(
        f"{path.name} must be a log of Inspect, an array of rows [{{...}}, ...], or columns {{name: {{row: value}}}}, "
        "but it is none of these. lm-evaluation-harness writes its samples with --log_samples, into files that end in "
        ".jsonl."
    )


def _are_alike(columns):
    """Whether these are two dictionaries or more, with the same names and not empty."""
    if len(columns) < 2 or not all(isinstance(column, dict) and column for column in columns):
        return False
    return len({tuple(column) for column in columns}) == 1
