"""Tables on disk or in memory as a `Table`, or a ValueError that says what is wrong with the file.

pandas reads. What is looked at here is what it has to be given (encoding, lines above the header, separator, decimal
sign), and what it lets pass: short lines, names that occur twice, a header without names, and thousands that it takes
for decimals.
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
from helpers.partition.notation import MISSING_WORDS, decimal_sign, may_be_undecided

TEXTS = (".csv", ".csv.gz", ".tsv", ".tsv.gz")

JSON_LINES = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")

EXTENSIONS = (*TEXTS, ".parquet", ".feather", ".xlsx", *JSON_LINES)

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}

LOOKED_AT = 100  # lines of a CSV, from which its separator and its decimal sign are known

EXACT = {} if pd.__version__ >= "3.1" else {"float_precision": "round_trip"}  # what pandas does from then on

DECIMAL_COMMA = r"^\s*([-+]?\d+),(\d+(?:[eE][-+]?\d+)?\s*%?)\s*$"

NUMBER = r"\s*[-+]?\d*[.,]?\d+([eE][-+]?\d+)?\s*"

ENCODINGS = {  # that are told apart where a text is not in UTF-8
    "cp1252": "Windows-1252", "cp932": "Shift-JIS", "gb18030": "GB18030", "big5": "Big5", "cp949": "Korean (CP949)",
    "euc_jp": "EUC-JP",
}  # fmt: skip

TRIED = 2000  # lines with other letters than ASCII, from which the encoding is known


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
    decimal: str = ""  # the sign before decimals in its texts, if that is known

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
        check_header(table, names, doubled)
        more = f" (and {len(doubled) - 1:,} more names occur twice)" if doubled[1:] else ""
        raise ValueError(f"{table} has more than one column named {doubled[0]!r}{more}; rename them.")


def check_header(table, names, suspects):
    """ValueError if one of some `suspects` among the names of columns is a number: then they are no names."""
    numbers = [name for name in suspects if re.fullmatch(NUMBER, name)]
    if numbers:
        raise ValueError(
            f"{table} must name its {len(names):,} columns in its first line, but {numbers[0]!r} stands there; "
            "write a line of names above the others, such as label,score,age."
        )


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
    """(content of a text file in UTF-8, notes on it), plain or gz; what is not in UTF-8 is recognised, and noted."""
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
        encoding = _encoding(data)
        data = data.decode(encoding or "cp1252", errors="replace").encode("utf-8")
        state = "was read as" if encoding else "is in an unknown encoding, read as"
        name = ENCODINGS[encoding or "cp1252"]
        return data, [f"the text is not in UTF-8 and {state} {name}: save it in UTF-8 if its letters are wrong"]
    return data, []


def _encoding(data):
    """Which of `ENCODINGS` a text is written in, None for none of them."""
    from charset_normalizer import from_bytes

    lines = itertools.islice((line for line in data.splitlines() if not line.isascii()), TRIED)
    best = from_bytes(b"\n".join(lines), cp_isolation=list(ENCODINGS)).best()
    return best.encoding if best and best.encoding in ENCODINGS else None


def open_csv(path, as_text):
    """A CSV file as a `Table`; its header, its separator and its decimal sign are known from its first lines."""
    data, notes = read_text(path)
    looks = {separator: _without_titles(_lines(data, separator)) for separator in SEPARATORS}
    separator = max(looks, key=lambda one: _fields([row for _, row in looks[one]]))
    look = looks[separator]
    if len(look) < 2:
        raise ValueError(f"{path.name} has a header but no rows.")
    header, *rows = [row for _, row in look]
    above = look[0][0] - 1  # lines, also blank ones
    titles = data[: LOOKED_AT**2].decode(errors="replace").strip().splitlines() if above else []
    if above and [*look[0][1]] != next(csv.reader(titles, delimiter=separator)):
        notes.append(f"left out above the header: {titles[0].strip(f' {separator}'):.60}")
    decimal = decimal_sign([cell for row in rows for cell in row])
    if separator != "," and ".tsv" not in path.name.lower():
        notes.append(f"columns are separated by {SEPARATORS[separator]}")
    if decimal == "," and separator != ",":
        notes.append("numbers are written with a decimal comma")
    if not data.endswith((b"\n", b"\r")):
        notes.append("the file does not end with the end of a line: if it was cut off, its last row may be wrong")
    check_names(path.name, [name for name in header if name.strip()])  # pandas would rename them
    options = {"sep": separator, "skiprows": above, "index_col": False, "keep_default_na": False, **EXACT}
    options |= {"na_values": MISSING_WORDS, "low_memory": False, "decimal": "." if separator == "," else decimal or "."}
    try:
        with warnings.catch_warnings(action="error", category=pd.errors.ParserWarning):
            frame = pd.read_csv(io.BytesIO(data), dtype=str if as_text else None, **options)
    except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
        _check_lines(path.name, data, separator, above)
        raise ValueError(f"{path.name} cannot be read as CSV: {' '.join(str(error).split())}.") from None
    if frame.iloc[:, -1:].isna().any(axis=None):  # pandas fills up lines that are too short
        _check_lines(path.name, data, separator, above)
    if as_text and options["decimal"] == ",":
        frame = frame.replace(DECIMAL_COMMA, r"\1.\2", regex=True)
    # pandas makes 2.0 of "2.000", though it may be 2,000, and 1.2024 of the month "01.2024"
    places = [
        place
        for place, cells in enumerate(zip(*rows, strict=False))
        if frame.dtypes.iloc[place].kind == "f" and may_be_undecided(cells)
    ]
    if places:
        frame[frame.columns[places]] = pd.read_csv(io.BytesIO(data), dtype=str, usecols=places, **options)
    return Table(path.name, frame, notes, decimal=decimal)


def _without_titles(lines):
    """The first lines of a CSV, without those above its header that have text in one cell only."""
    look = list(itertools.islice(lines, LOOKED_AT))
    n_cells = [sum(bool(cell.strip()) for cell in row) for _, row in look]
    first = next((k for k, n in enumerate(n_cells) if n > 1), 0)
    header, *rows = [row for _, row in look[first:]] or [[]]
    has_names = not any(re.fullmatch(NUMBER, name) for name in header)
    return look[first:] if rows and has_names and {len(row) for row in rows} == {len(header)} else look


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


def _check_lines(name, data, separator, above):
    """ValueError for the first line that has not as many fields as the header, which stands below some lines."""
    lines = itertools.dropwhile(lambda line: line[0] <= above, _lines(data, separator))
    first, header = next(lines)
    for line, row in lines:
        if len(row) != len(header):
            hint = f" Is line {first:,} no header but a title? Then delete it." if len(row) > len(header) else ""
            if len(row) == len(header) + 1 > 2:
                hint = f" Has a column no name in line {first:,}? Then write one."
            raise ValueError(
                f"{name} must have {len(header)} fields in every line, as in its header, "
                f"but line {line:,} has {len(row)}.{hint}"
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
    notes = [f"the first of {len(sheets)} sheets, {sheets[0]!r}, was read"] if sheets[1:] else []
    first = int((cells.notna().sum(axis=1) > 1).argmax())  # below titles, which have text in one cell only
    if first and len(cells) > first + 1:
        notes.append(f"left out above the header: {cells.iloc[0].dropna().iloc[0]!s:.60}")
        cells = cells[first:]
    header = [f"Unnamed: {k}" if pd.isna(cells.iloc[0, k]) else str(cells.iloc[0, k]) for k in range(cells.shape[1])]
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
