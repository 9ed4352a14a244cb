"""Logs of evaluations as tables of answers or of scores, recognised by what is in the file.

Inspect (`.eval` and `.json`, which it reads itself: extra `llm`) and lm-evaluation-harness (`samples_*.jsonl`).
"""

import gzip
import json
import zlib

from helpers.tables.files import JSON_LINES, JsonLines, read_bytes
from helpers.tables.harness_logs import read_harness, read_options
from helpers.tables.inspect_logs import read_case_scores, read_inspect
from helpers.tables.log_table import ARCHIVE

LOGS = (".eval", ".json")

HARNESS = {"doc_id", "resps"}


def kind_of_log(path):
    """ "archive", "inspect" or "harness" for a log, "" for any other table; ValueError for JSON that is neither."""
    name = path.name.lower()
    try:
        with path.open("rb") as file:
            if name.endswith(LOGS) and file.read(len(ARCHIVE)) == ARCHIVE:
                return "archive"
        if name.endswith(JSON_LINES):
            return "harness" if HARNESS <= set(_object(_first_line(path))) else ""
        if not name.endswith(LOGS):
            return ""
        data = read_bytes(path)
    except PermissionError:
        raise ValueError(f"{path.name} cannot be read: permission denied.") from None
    record = _object(data.split(b"\n", 1)[0]) or _object(data)
    if HARNESS <= set(record):
        return "harness"
    if {"version", "eval"} <= set(record):
        return "inspect"
    hint = "a table in JSON has one object a line and a name that ends in .jsonl."
    if {"results", "configs"} <= set(record):
        hint = "it is a summary of the latter, without answers: use --log_samples and give samples_….jsonl."
    raise ValueError(f"{path.name} must be a log of Inspect or lm-evaluation-harness, but it is none; {hint}")


def _first_line(path):
    """The first line of a text file, plain or gz; nothing if it is damaged, which its reader will say."""
    try:
        with (gzip.open if path.name.lower().endswith(".gz") else open)(path, "rb") as file:
            return file.readline()
    except (EOFError, zlib.error, gzip.BadGzipFile):
        return b""


def _object(data):
    """The JSON object in some bytes; empty if there is none."""
    try:
        record = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def open_log(path, grade="", graded=True):
    """Answers of a log as a `LogTable`; None if the file is no log.

    Its columns are question, sample, answer, reply (the whole text), target, correct (if `graded` and the log can tell
    for each answer), likelihood (if the log holds log-probabilities) and numbers that Inspect's scorer stored. `grade`
    names the scorer, or the metric; "" takes the first.
    """
    kind = kind_of_log(path)
    if kind == "harness":
        return read_harness(JsonLines(path), grade, graded)
    return read_inspect(path, grade, graded) if kind else None


def open_score_log(path):
    """Scores in a log of the task `risk_scores`, or of options in one of lm-evaluation-harness, as a `LogTable`; None
    if the file is no log.
    """
    kind = kind_of_log(path)
    if kind == "harness":
        return read_options(JsonLines(path))
    return read_case_scores(path) if kind else None
