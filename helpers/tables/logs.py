"""Logs of evaluations as tables of answers or of scores.

Inspect (`.eval` and `.json`, which it reads itself: extra `llm`) and lm-evaluation-harness (`samples_*.jsonl`, known by
its keys).
"""

import gzip
import json
import zlib

from helpers.tables.files import JSON_LINES, read_text
from helpers.tables.harness_logs import read_harness, read_options
from helpers.tables.inspect_logs import read_case_scores, read_inspect

LOGS = (".eval", ".json")


def kind_of_log(path):
    """ "inspect" or "harness" for a log, "" for any other table; ValueError for JSON that is neither."""
    name = path.name.lower()
    if name.endswith(JSON_LINES):
        return "harness" if {"doc_id", "resps"} <= set(_first_record(path)) else ""
    if not name.endswith(".json"):
        return "inspect" if name.endswith(".eval") else ""
    record = _object(read_text(path)[0])
    if {"version", "eval"} <= set(record):
        return "inspect"
    raise ValueError(
        f"{path.name} must be a log of Inspect, but it is none; other tables, and samples that lm-evaluation-harness "
        "writes with --log_samples, are files that end in .jsonl."
    )


def _first_record(path):
    """The object in the first line of a text file, plain or gz; empty if it is damaged, which its reader will say."""
    try:
        with (gzip.open if path.name.lower().endswith(".gz") else open)(path, "rb") as file:
            return _object(file.readline())
    except (EOFError, zlib.error, gzip.BadGzipFile):
        return {}


def _object(data):
    """The JSON object in some bytes; empty if there is none."""
    try:
        record = json.loads(data)
    except ValueError:
        return {}
    return record if isinstance(record, dict) else {}


def open_log(path, grade="", graded=True):
    """Answers of a log as a `Table`, by the scorer or metric `grade`, "" for the first; None if it is no log."""
    kind = kind_of_log(path)
    if kind == "harness":
        return read_harness(path, grade, graded)
    return read_inspect(path, grade, graded) if kind else None


def open_score_log(path):
    """Scores in a log of `risk_scores` or of lm-evaluation-harness as a `Table`; None if the file is no log."""
    kind = kind_of_log(path)
    if kind == "harness":
        return read_options(path)
    return read_case_scores(path) if kind else None
