"""Tables on disk: their column names and their columns, or a ValueError that says what is wrong with the file.

Files of JSON lines: one object a line, such as scripts that ask language models write.
"""

import csv
import gzip
import io
import json
import zlib
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd

from helpers.checks import nearest_name

EXTENSIONS = (".csv", ".csv.gz", ".parquet", ".feather")

JSON_LINES = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")

BLOCK = 1 << 22  # bytes

# "None" and "none" are answers in surveys, so they stay words.
MISSING = ["", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL"]


def find_file(path, folders, extensions=EXTENSIONS):
    """The first existing file among `path` and `path` inside `folders`; ValueError if there is none or no table."""
    path = Path(path).expanduser()
    if not path.name.lower().endswith(extensions):
        raise ValueError(f"{path.name} must be a table in one of the formats {', '.join(extensions)}.")
    places = [path] if path.is_absolute() else [path, *(Path(folder) / path for folder in folders)]
    for place in places:
        if place.is_file():
            return place
    if any(place.is_dir() for place in places):
        raise ValueError(f"{path.name} is a folder, not a table.")
    siblings = {
        file.name for place in places for file in place.parent.glob("*") if file.name.lower().endswith(extensions)
    }
    hint = nearest_name(path.name, sorted(siblings), "table")
    raise ValueError(f"{path.name} does not exist{'; ' + hint if hint.startswith('did') else '.'}")


def read_bytes(path):
    """Content of a text file, plain or gz, without byte order mark; ValueError if it is cut off, empty or not text."""
    try:
        with (gzip.open if path.name.lower().endswith(".gz") else open)(path, "rb") as file:
            data = file.read()
    except (EOFError, zlib.error):
        raise ValueError(f"{path.name} is cut off in the middle: its compressed data end too early.") from None
    except gzip.BadGzipFile:
        raise ValueError(f"{path.name} is not a gzip file, although its name ends in .gz.") from None
    if not data.strip():
        raise ValueError(f"{path.name} is empty.")
    if b"\0" in data[:4096]:
        raise ValueError(f"{path.name} is not a text file in UTF-8; save it again as {kind_of(path)} (UTF-8).")
    return data.removeprefix(b"\xef\xbb\xbf")


def kind_of(path):
    """The format of a text file as errors call it."""
    return "CSV" if ".csv" in path.name.lower() else "JSON lines"


def open_table(path):
    """A reader of CSV, Parquet, Feather or JSON lines, chosen by the name of the file.

    It has `.names` (the columns), `.read(columns)` (a DataFrame of some of them) and `.note` (what to know about it).
    """
    name = path.name.lower()
    kind = CsvTable if name.endswith((".csv", ".csv.gz")) else JsonLines if name.endswith(JSON_LINES) else ArrowTable
    try:
        reader = kind(path)
    except PermissionError:
        raise ValueError(f"{path.name} cannot be read: permission denied.") from None
    doubled = [name for name, count in Counter(reader.names).items() for _ in range(count - 1)]
    if doubled:
        raise ValueError(
            f"{path.name} has more than one column named {doubled[0]!r}"
            f"{f' (and {len(doubled) - 1} more doubled names)' if doubled[1:] else ''}; rename them."
        )
    return reader


class CsvTable:
    """A CSV file, read into memory once; every line must have as many fields as the header."""

    def __init__(self, path):
        self.path = path
        self.note = ""
        self.data = read_bytes(path)
        self.names = self._header()
        self._check_lines()
        if not self.data.endswith((b"\n", b"\r")):
            self.note = "the last line has no line end: check that the file is complete"

    def _header(self):
        try:
            names = next(row for row in self._rows() if row)
        except UnicodeDecodeError:
            raise ValueError(f"{self.path.name} is not a text file in UTF-8; save it again as CSV (UTF-8).") from None
        for mark, word in ((";", "semicolons"), ("\t", "tabs")):
            if len(names) == 1 and mark in names[0]:
                raise ValueError(f"{self.path.name} has {word} between its columns; save it with commas.")
        return [name if name.strip() else f"Unnamed: {i}" for i, name in enumerate(names)]

    def _rows(self):
        return csv.reader(io.TextIOWrapper(io.BytesIO(self.data), encoding="utf-8", newline=""))

    def _fields(self):
        """Number of fields and line number of every line that is not blank."""
        if b'"' in self.data:
            reader = self._rows()
            pairs = [(len(row), reader.line_num) for row in reader if row]
            fields, lines = (np.array(column) for column in zip(*pairs, strict=True))
            return fields, lines
        blocks = []
        start = 0
        while start < len(self.data):  # block by block, because numpy counts in eight bytes a letter
            end = self.data.rfind(b"\n", start, start + BLOCK) + 1 or self.data.find(b"\n", start) + 1 or len(self.data)
            blocks.append(_count_fields(np.frombuffer(self.data[start:end], np.uint8)))
            start = end
        fields = np.concatenate(blocks)
        return fields[fields > 0], 1 + np.flatnonzero(fields)

    def _check_lines(self):
        fields, lines = self._fields()
        if len(fields) < 2:
            raise ValueError(f"{self.path.name} has a header but no rows.")
        bad = np.flatnonzero(fields != len(self.names))
        if not bad.size:
            return
        first = bad[0]
        if bad.size == 1 and first == len(fields) - 1 and fields[first] < len(self.names):
            raise ValueError(
                f"{self.path.name} is cut off in the middle: its last line ({lines[first]:,}) has "
                f"{fields[first]} of {len(self.names)} fields."
            )
        more = f" (and {bad.size - 1:,} more lines differ)" if bad.size > 1 else ""
        raise ValueError(
            f"{self.path.name} must have {len(self.names)} fields in every line, as in its header, but line "
            f"{lines[first]:,} has {fields[first]}{more}."
        )

    def read(self, columns, dtype=None):
        """Some columns as a DataFrame; their type is guessed if `dtype` is not given."""
        try:
            frame = pd.read_csv(
                io.BytesIO(self.data), names=self.names, header=0, usecols=list(columns), index_col=False, dtype=dtype,
                keep_default_na=False, na_values=MISSING, low_memory=False,
            )  # fmt: skip
        except UnicodeDecodeError:
            raise ValueError(f"{self.path.name} is not a text file in UTF-8; save it again as CSV (UTF-8).") from None
        except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
            raise ValueError(f"{self.path.name} cannot be read as CSV: {error}".strip()) from None
        return frame[list(columns)]


def _count_fields(letters):
    """Number of fields in each line of a text without quotes, 0 for a blank line."""
    starts = np.r_[0, np.flatnonzero(letters == ord("\n")) + 1]
    starts = starts[starts < letters.size]
    length = np.diff(np.r_[starts, letters.size])
    first = letters[starts]
    blank = (first == ord("\n")) | ((first == ord("\r")) & (length <= 2))
    return np.where(blank, 0, 1 + np.add.reduceat(letters == ord(","), starts, dtype=np.int64))


class ArrowTable:
    """A Parquet or Feather file, read with pyarrow."""

    note = ""

    def __init__(self, path):
        self.path = path
        try:
            import pyarrow
            import pyarrow.ipc
            import pyarrow.parquet
        except ImportError:
            raise ImportError(f"{path.name} needs the package pyarrow: install it, or save the table as CSV.") from None
        if not path.stat().st_size:
            raise ValueError(f"{path.name} is empty.")
        self._errors = (pyarrow.ArrowException, OSError)
        try:
            if path.name.lower().endswith(".parquet"):
                self._file = pyarrow.parquet.ParquetFile(path)
                self.names = list(self._file.schema_arrow.names)
                self._read = lambda columns: self._file.read(columns=columns)
            else:
                self._file = pyarrow.ipc.open_file(path)
                self.names = list(self._file.schema.names)
                self._read = lambda columns: self._file.read_all().select(columns)
        except PermissionError:
            raise
        except self._errors:
            raise ValueError(self._damaged()) from None

    def read(self, columns):
        """Some columns as a DataFrame."""
        try:
            return self._read(list(columns)).to_pandas(ignore_metadata=True)
        except self._errors:
            raise ValueError(self._damaged()) from None

    def _damaged(self):
        kind = self.path.suffix[1:].title()
        return f"{self.path.name} is damaged or cut off in the middle: it cannot be read as {kind}."


class JsonLines:
    """A file of JSON lines, read into memory once; every line that is not blank must be one object {...}.

    `names` are the keys of all lines in order of first appearance; `lines` the line number of each row, from 1; `note`
    what a reader should know.
    """

    def __init__(self, path):
        self.path = path
        data = read_bytes(path)
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = 1 + data[: error.start].count(b"\n")
            raise ValueError(
                f"{path.name} is not a text file in UTF-8 (line {line:,}); save it again as JSON lines (UTF-8)."
            ) from None
        texts = text.split("\n")
        self.lines = [number for number, line in enumerate(texts, 1) if line.strip()]
        try:
            self.records = [json.loads(texts[number - 1]) for number in self.lines]
        except ValueError:
            self.records = []
        if set(map(type, self.records)) != {dict}:
            self.records = [self._record(texts[number - 1], number) for number in self.lines]
        kinds = dict.fromkeys(map(tuple, self.records))  # in most files all lines have the same keys
        self.names = list(dict.fromkeys(name for kind in kinds for name in kind))
        ends = data.endswith((b"\n", b"\r"))
        self.note = "" if ends else "the last line has no line end: check that the file is complete"

    def _record(self, text, number):
        """The object in one line; ValueError that names the line."""
        try:
            record = json.loads(text)
        except ValueError as error:
            first = text.lstrip()[0]
            if number == self.lines[0] and first == "[":
                raise ValueError(f"{self.path.name} holds one JSON list; write one object a line.") from None
            if number == self.lines[0] and text.strip() == "{":
                raise ValueError(f"{self.path.name} spreads an object over several lines; write one a line.") from None
            if number == self.lines[-1] and first == "{" and not text.rstrip().endswith("}"):
                raise ValueError(
                    f"{self.path.name} is cut off in the middle: its last line ({number:,}) ends inside an object."
                ) from None
            why = f"{error.msg}, at character {error.pos + 1:,}" if isinstance(error, json.JSONDecodeError) else error
            raise ValueError(f"{self.path.name}: line {number:,} is not JSON ({why}).") from None
        if not isinstance(record, dict):
            raise ValueError(
                f"{self.path.name} must hold one object {{...}} a line, but line {number:,} is {_shown(record)}."
            )
        return record

    def read(self, columns):
        """The columns as a DataFrame of objects; None where a line lacks the key."""
        cells = {name: [record.get(name) for record in self.records] for name in columns}
        return pd.DataFrame({name: pd.Series(column, dtype=object) for name, column in cells.items()})


def _shown(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:37] + "..."
