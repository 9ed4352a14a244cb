"""Tables on disk or in memory as a `Table`, or a ValueError that says what is wrong with the file.

pandas reads. What is looked at here is what it has to be told (encoding, separator, decimal sign), and what it lets
pass: short lines and names that occur twice.
"""

import codecs
import csv
import gzip
import hashlib
import io
import itertools
import json
import os
import re
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd

from helpers.checks import as_frame, nearest_name, raise_first_row
from helpers.datasets import DATA_FOLDER
from helpers.partition.kinds import MISSING_WORDS

TEXTS = (".csv", ".csv.gz", ".tsv", ".tsv.gz")

JSON_LINES = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")

EXTENSIONS = (*TEXTS, ".parquet", ".feather", ".xlsx", *JSON_LINES)

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}

LOOKED_AT = 100  # lines of a CSV, from which its separator and its decimal sign are known

EXACT = {} if pd.__version__ >= "3.1" else {"float_precision": "round_trip"}  # what pandas does from then on

DECIMAL_COMMA = r"^\s*([-+]?\d+),(\d+(?:[eE][-+]?\d+)?\s*%?)\s*$"

NOT_THOUSANDS = r"^\s*[-+]?(?:0,\d+|\d+,(?:\d{1,2}|\d{4,}))(?:[eE][-+]?\d+)?\s*%?\s*$"  # unlike 1,234

DECIMAL_POINT = r"^\s*[-+]?\d*\.\d+(?:[eE][-+]?\d+)?\s*%?\s*$"


@dataclass
class Table:
    """A table in memory whose errors name the file, the column and the row."""

    name: str
    frame: pd.DataFrame = field(repr=False)
    notes: list = field(default_factory=list)
    # number in the file of each row, from 1, or how errors name it
    places: Sequence | None = field(default=None, repr=False)
    unit: str = "row"
    sha256: str = ""
    as_text: bool = False  # whether cells are read as texts, lists and dictionaries, None where empty, as answers are
    is_log: bool = False

    def __post_init__(self):
        names = list(map(str, self.frame.columns))
        check_names(self.name, names)
        if not len(self.frame):
            raise ValueError(f"{self.name} must have at least one row, but it has none.")
        self.frame = self.frame.set_axis(names, axis=1).reset_index(drop=True)
        self.places = range(1, len(self.frame) + 1) if self.places is None else self.places

    @property
    def names(self):
        return list(self.frame)

    def read(self, columns):
        frame = self.frame[list(columns)]
        if not self.as_text:
            return frame.infer_objects()
        return pd.DataFrame({name: as_texts(frame[name]) for name in columns}, index=frame.index)

    def only(self, rows, note):
        """Some of its rows, with a note on that; in errors they keep their places."""
        places = [self.places[row] for row in rows]
        return replace(self, frame=self.frame.iloc[rows], places=places, notes=[*self.notes, note])

    def where(self, row):
        place = self.places[row]
        return place if isinstance(place, str) else f"{self.unit} {place:,}"

    def reject(self, column, rule, bad, values, hint="", rows=None):
        """Raise the error for the first of `bad`, counting the others; `rows` are their rows, if not 0, 1, …"""

        def row(k):
            return self.where(k if rows is None else rows.iloc[k])

        raise_first_row(self.name, column, rule, values, np.asarray(bad), row, hint)


def check_names(table, names):
    """ValueError if two columns have one name; `table` is how the error calls what they belong to."""
    doubled = [name for name, count in Counter(names).items() if count > 1]
    if doubled:
        more = f" (and {len(doubled) - 1:,} more names occur twice)" if doubled[1:] else ""
        raise ValueError(f"{table} has more than one column named {doubled[0]!r}{more}; rename them.")


def find_table(path, extensions=EXTENSIONS):
    """Path of a table: as given, else inside the repository or the shipped data; ValueError if there is none."""
    if not isinstance(path, str | os.PathLike):
        raise ValueError(f"path must name a file, but it is {path!r:.60}.")
    path = Path(os.path.expanduser(path))
    if not path.name.lower().endswith(extensions):
        raise ValueError(f"{path.name} must be a table in one of the formats {', '.join(extensions)}.")
    places = [path, *(folder / path for folder in (DATA_FOLDER.parent, DATA_FOLDER) if not path.is_absolute())]
    if path.parent == Path("data"):
        places.append(DATA_FOLDER / path.name)  # an installed package keeps `data/` under another name
    for place in places:
        if place.is_file():
            return place
    siblings = {file.name for place in places for file in place.parent.glob("*")}
    tables = sorted(name for name in siblings - {path.name} if name.lower().endswith(extensions))
    hint = nearest_name(path.name, tables, "table")
    state = "is no file" if any(place.exists() for place in places) else "does not exist"
    raise ValueError(f"{path.name} {state}{'; ' + hint if hint.startswith('did') else '.'}")


def open_table(source, extensions=EXTENSIONS, *, as_text=False, reader=None):
    """A table in memory or a file as a `Table`; `reader` makes one of a path in a format that it knows, else None."""
    if isinstance(source, Table):
        return source
    source = as_frame(source)
    if isinstance(source, pd.DataFrame):
        return Table("the table", source, as_text=as_text)
    path = find_table(source, extensions)
    table = reader(path) if reader else None
    if table is None:
        name = path.name.lower()
        if name.endswith(TEXTS):
            table = open_csv(path, as_text)
        elif name.endswith(JSON_LINES):
            records, lines, notes = read_json_lines(path)
            table = Table(path.name, pd.DataFrame(records, dtype=object), notes, lines, "line")
        else:
            table = open_excel(path) if name.endswith(".xlsx") else open_arrow(path)
    with path.open("rb") as content:
        table.sha256 = hashlib.file_digest(content, "sha256").hexdigest()
    table.as_text = as_text
    return table


# ---- text -----------------------------------------------------------------------------------------------------


def read_text(path):
    """(content of a text file in UTF-8, notes on it), plain or gz; not in UTF-8, it is what Western Windows writes."""
    try:
        with (gzip.open if path.name.lower().endswith(".gz") else open)(path, "rb") as file:
            data = file.read()
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"{path.name} is damaged, cut off or not compressed by gzip: {error}.") from None
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        data = data.decode("utf-16", errors="replace").encode("utf-8", errors="replace")
    data = data.removeprefix(codecs.BOM_UTF8)
    if not data or data.isspace():
        raise ValueError(f"{path.name} is empty.")
    if b"\0" in data[:4096]:
        raise ValueError(f"{path.name} is not a text file: give a workbook, Parquet or gzip its own ending.")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        data = data.decode("cp1252", errors="replace").encode("utf-8")
        return data, ["the text is not in UTF-8 and was read as Windows-1252: check letters such as é"]
    return data, []


def open_csv(path, as_text):
    """A CSV file as a `Table`; its separator and its decimal sign are known from its first lines."""
    data, notes = read_text(path)
    looks = {separator: list(itertools.islice(_lines(data, separator), LOOKED_AT)) for separator in SEPARATORS}
    separator = max(looks, key=lambda one: _fields([row for _, row in looks[one]]))
    if len(looks[separator]) < 2:
        raise ValueError(f"{path.name} has a header but no rows.")
    cells = [cell for _, row in looks[separator] for cell in row]
    commas = separator != "," and any(re.match(NOT_THOUSANDS, cell) for cell in cells)
    decimal = "," if commas and not any(re.match(DECIMAL_POINT, cell) for cell in cells) else "."
    if separator != "," and ".tsv" not in path.name.lower():
        notes.append(f"columns are separated by {SEPARATORS[separator]}")
    if decimal == ",":
        notes.append("numbers are written with a decimal comma")
    check_names(path.name, [name for name in looks[separator][0][1] if name.strip()])  # pandas would rename them
    try:
        with warnings.catch_warnings(action="error", category=pd.errors.ParserWarning):
            frame = pd.read_csv(
                io.BytesIO(data), sep=separator, decimal=decimal, index_col=False, keep_default_na=False,
                na_values=MISSING_WORDS, low_memory=False, dtype=str if as_text else None, **EXACT,
            )  # fmt: skip
    except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
        _check_lines(path.name, data, separator)
        raise ValueError(f"{path.name} cannot be read as CSV: {' '.join(str(error).split())}.") from None
    if frame.iloc[:, -1:].isna().any(axis=None):  # pandas fills up lines that are too short
        _check_lines(path.name, data, separator)
    words = [name for name in frame if frame[name].dtype.kind not in "biuf"]
    if decimal == "," and words:
        frame[words] = frame[words].replace(DECIMAL_COMMA, r"\1.\2", regex=True)
    return Table(path.name, frame, notes)


def _fields(rows):
    """Whether the first rows have equally many fields, more than one, and how many the header has."""
    width = len(rows[0]) if rows else 0
    return width > 1 and {len(row) for row in rows} == {width}, width


def _lines(data, separator):
    """(number of its first line, fields) of each line of a CSV that is not blank."""
    csv.field_size_limit(2**31 - 1)  # bytes; Python's reader takes 131,072, and long answers have more
    reader = csv.reader(io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline=""), delimiter=separator)
    first = 1
    for row in reader:
        if len(row) > 1 or (row and row[0].strip()):
            yield first, row
        first = reader.line_num + 1


def _check_lines(name, data, separator):
    """ValueError for the first line that has not as many fields as the header."""
    lines = _lines(data, separator)
    n_fields = len(next(lines)[1])
    for line, row in lines:
        if len(row) != n_fields:
            raise ValueError(
                f"{name} must have {n_fields} fields in every line, as in its header, but line {line:,} has {len(row)}."
            )


def read_json_lines(path):
    """(records, their line numbers, notes) of a file in which every line that is not blank is one object {...}."""
    data, notes = read_text(path)
    lines = {number: line for number, line in enumerate(data.decode("utf-8").split("\n"), 1) if line.strip()}
    records = []
    for number, line in lines.items():
        try:
            record = json.loads(line)
        except ValueError as error:
            raise ValueError(f"{path.name}: line {number:,} is not JSON ({error}).") from None
        if not isinstance(record, dict):
            raise ValueError(f"{path.name} must hold one object {{...}} a line, but line {number:,} is {line:.40}.")
        records.append(record)
    return records, list(lines), notes


# ---- other formats --------------------------------------------------------------------------------------------


def open_excel(path):
    """The first sheet of an Excel workbook that has its columns' names in its first row, as a `Table`."""
    try:
        with warnings.catch_warnings(), pd.ExcelFile(path, engine="openpyxl") as book:
            warnings.simplefilter("ignore", UserWarning)  # of styles and extensions that hold no data
            sheets = book.sheet_names
            cells = pd.read_excel(book, header=None, dtype=object, keep_default_na=False, na_values=MISSING_WORDS)
    except (zipfile.BadZipFile, KeyError, ValueError):
        raise ValueError(f"{path.name} is damaged, locked by a password or no Excel workbook.") from None
    cells = cells.dropna(how="all")
    if len(cells) < 2:
        raise ValueError(f"{path.name} has no rows below a header in its first sheet, {sheets[0]!r}.")
    header = [f"Unnamed: {k}" if pd.isna(cells.iloc[0, k]) else str(cells.iloc[0, k]) for k in range(cells.shape[1])]
    notes = [f"the first of {len(sheets)} sheets, {sheets[0]!r}, was read"] if sheets[1:] else []
    return Table(path.name, cells[1:].set_axis(header, axis=1).infer_objects(), notes)


def open_arrow(path):
    """A Parquet or Feather file as a `Table`; an index that pandas wrote is a column."""
    from pyarrow import ArrowException, feather, parquet

    try:
        if path.name.lower().endswith(".parquet"):
            table = parquet.ParquetFile(path, page_checksum_verification=True).read()
        else:
            table = feather.read_table(path)
    except (ArrowException, OSError) as error:
        raise ValueError(f"{path.name} is empty, damaged or cut off: {error}") from None
    return Table(path.name, table.to_pandas(ignore_metadata=True))


# ---- cells ----------------------------------------------------------------------------------------------------


def as_texts(values):
    """A column as objects: texts, whole numbers without a point, lists and dictionaries, None where it is empty."""
    values = values.astype(object).where(values.notna(), None)
    if set(map(type, values)) <= {str, type(None)}:
        return values.where(values != "", None)
    return pd.Series([_text(value) for value in values], index=values.index, dtype=object)


def _text(value):
    if isinstance(value, str | dict):
        return value if value != "" else None
    if isinstance(value, list | tuple | np.ndarray):
        return [_text(entry) for entry in value]
    if value is None or pd.isna(value):
        return None
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)
