"""Tables on disk or in memory: names of columns and columns, or a ValueError that says what is wrong with the file.

pandas reads. What is looked at here is what it has to be told (encoding, separator, decimal sign), and what it lets
pass: short lines, names that occur twice, other formats under the name of a table.
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
from pathlib import Path

import numpy as np
import pandas as pd

from helpers.checks import nearest_name, raise_first_row
from helpers.datasets import DATA_FOLDER

TEXTS = (".csv", ".csv.gz", ".tsv", ".tsv.gz")

EXTENSIONS = (*TEXTS, ".parquet", ".feather", ".xlsx")

JSON_LINES = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")

# "None" and "none" are answers in surveys, so they stay words.
MISSING = ["", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL"]

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}

LOOKED_AT = 100  # lines of a CSV, from which its separator and its decimal sign are known

EXACT = {} if pd.__version__ >= "3.1" else {"float_precision": "round_trip"}  # what pandas does from then on

OTHER_FORMATS = {
    rb"PK\x03\x04": "a zip archive or an Excel workbook",
    rb"\xd0\xcf\x11\xe0": "an old Excel workbook (.xls)",
    rb"PAR1": "a Parquet file",
    rb"\x1f\x8b": "compressed by gzip",
    rb"\s*<(!doctype|html|\?xml|table)": "a page of HTML or XML",
    rb"\s*[\[{]\s*[\[{\"]": "JSON",
}

DECIMAL_COMMA = r"^\s*([-+]?\d+),(\d+(?:[eE][-+]?\d+)?\s*%?)\s*$"

NOT_THOUSANDS = r"^\s*[-+]?(?:0,\d+|\d+,(?:\d{1,2}|\d{4,}))(?:[eE][-+]?\d+)?\s*%?\s*$"  # unlike 1,234

DECIMAL_POINT = r"^\s*[-+]?\d*\.\d+(?:[eE][-+]?\d+)?\s*%?\s*$"


def find_table(path, extensions=EXTENSIONS):
    """Find a table: as given, else inside the repository or the shipped data.

    Parameters
    ----------
    path : str or Path
        Name of the file.
    extensions : tuple of str, default EXTENSIONS
        Ends of names that are tables.

    Returns
    -------
    Path
        Where the file is.

    Raises
    ------
    ValueError
        If it is not there, a folder, or in another format.

    Examples
    --------
    >>> find_table("data/rand_scores.csv.gz").name
    'rand_scores.csv.gz'
    """
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
    if any(place.exists() for place in places):
        raise ValueError(f"{path.name} must be a file, but it is a folder or the like.")
    siblings = {file.name for place in places for file in place.parent.glob("*")}
    tables = sorted(name for name in siblings if name.lower().endswith(extensions))
    hint = nearest_name(path.name, tables, "table")
    raise ValueError(f"{path.name} does not exist{'; ' + hint if hint.startswith('did') else '.'}")


def read_bytes(path):
    """Content of a text file, plain or gz, without byte order mark, from UTF-16 turned into UTF-8."""
    try:
        with (gzip.open if path.name.lower().endswith(".gz") else open)(path, "rb") as file:
            data = file.read()
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"{path.name} {gzip_fault(error)}") from None
    if not data or data.isspace():
        raise ValueError(f"{path.name} is empty.")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        data = data.decode("utf-16", errors="replace").encode("utf-8", errors="replace")
    if b"\0" in data[:4096]:
        kind = _other_format(data) or "not a text file"
        raise ValueError(f"{path.name} is {kind}; give it its own ending, or save it again as text (UTF-8).")
    return data.removeprefix(codecs.BOM_UTF8)


def read_text(path):
    """(content in UTF-8, notes on it); text that is not in UTF-8 is taken for what Western Windows writes."""
    data = read_bytes(path)
    notes = []
    if not data.endswith((b"\n", b"\r")):
        notes.append("the last line has no line end: check that the file is complete")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        data = data.decode("cp1252", errors="replace").encode("utf-8")
        notes.append("the text is not in UTF-8 and was read as Windows-1252: check letters such as é")
    return data, notes


def _other_format(data):
    """What the first bytes of a file say that it is, if they do."""
    return next((kind for start, kind in OTHER_FORMATS.items() if re.match(start, data[:200], re.IGNORECASE)), "")


def checksum(path):
    """SHA-256 of a file."""
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def gzip_fault(error):
    """What is wrong with a gz file, by the error of Python's reader."""
    if isinstance(error, EOFError):
        return "is cut off in the middle: its compressed data end too early."
    if isinstance(error, gzip.BadGzipFile) and "Not a gzipped file" in str(error):
        return "is not a gzip file, although its name ends in .gz."
    return "is damaged: its compressed data are not what was written."


def open_table(table):
    """A reader of a file, chosen by its name, or of a DataFrame."""
    if isinstance(table, pd.DataFrame):
        return FrameTable(table)
    name = table.name.lower()
    kind = CsvTable if name.endswith(TEXTS) else JsonLines if name.endswith(JSON_LINES) else ArrowTable
    try:
        reader = open_excel(table) if name.endswith(".xlsx") else kind(table)
    except PermissionError:
        raise ValueError(f"{table.name} cannot be read: permission denied.") from None
    check_names(table, reader.names)
    return reader


def check_names(path, names):
    """ValueError if two columns have one name."""
    doubled = [name for name, count in Counter(names).items() if count > 1]
    if doubled:
        more = f" (and {len(doubled) - 1:,} more names occur twice)" if doubled[1:] else ""
        raise ValueError(f"{path.name} has more than one column named {doubled[0]!r}{more}; rename them.")


class Table:
    """What readers have: `name` of the file, `names` of its columns, `notes` for a reader, and these calls."""

    name = "the table"
    names = ()
    notes = ()

    def read(self, columns):
        """Some columns as a DataFrame."""
        raise NotImplementedError

    def texts(self, columns):
        """Some columns as objects: texts, lists or dictionaries as they are, None where a cell is empty."""
        frame = self.read(columns)
        return pd.DataFrame({name: as_texts(frame[name]) for name in columns})

    def where(self, row):
        """How an error names a row."""
        return f"row {row + 1:,}"

    def reject(self, column, rule, bad, values, hint="", rows=None):
        """Raise the error for the first of `bad`, counting the others; `rows` are their rows, if not 0, 1, …"""

        def row(k):
            return self.where(k if rows is None else rows.iloc[k])

        raise_first_row(self.name, column, rule, values, np.asarray(bad), row, hint)


class FrameTable(Table):
    """A table in memory."""

    def __init__(self, frame, name="the table", notes=()):
        self.name = name
        self.notes = list(notes)
        self.names = list(map(str, frame.columns))
        check_names(self, self.names)
        if not len(frame):
            raise ValueError(f"{name} must have at least one row, but it is empty.")
        self._frame = frame.set_axis(self.names, axis=1).reset_index(drop=True)

    def read(self, columns):
        """Some columns as a DataFrame."""
        return self._frame[list(columns)]


# ---- text -----------------------------------------------------------------------------------------------------


class CsvTable(Table):
    """A CSV file, read into memory once; its separator and its decimal sign are known from its first lines."""

    def __init__(self, path):
        self.path = path
        self.name = path.name
        self.data, self.notes = read_text(path)
        if kind := _other_format(self.data):
            raise ValueError(f"{path.name} is {kind}, although its name says CSV; save it again as CSV.")
        self.separator, rows = _first_rows(self.data)
        if len(rows) < 2:
            raise ValueError(f"{path.name} has a header but no rows.")
        self.names = _names(rows[0][1])
        if len(rows[1][1]) != len(self.names):
            check_csv(path, io.BytesIO(self.data), self.separator)
        cells = [cell for _, row in rows for cell in row]
        commas = self.separator != "," and any(re.match(NOT_THOUSANDS, cell) for cell in cells)
        self.decimal = "," if commas and not any(re.match(DECIMAL_POINT, cell) for cell in cells) else "."
        if self.separator != "," and ".tsv" not in path.name.lower():
            self.notes.append(f"columns are separated by {SEPARATORS[self.separator]}")
        if self.decimal == ",":
            self.notes.append("numbers are written with a decimal comma")

    def read(self, columns, dtype=None):
        """Some columns as a DataFrame; their type is guessed if `dtype` is not given."""
        dtype = dtype and dict.fromkeys(columns, dtype)
        try:
            frame = self._parsed(dtype=dtype, na_values=MISSING)
        except pd.errors.ParserError as error:
            check_csv(self.path, io.BytesIO(self.data), self.separator)
            reason = str(error).strip().removeprefix("Error tokenizing data. C error: ")
            raise ValueError(f"{self.name} cannot be read as CSV: {reason}.") from None
        n_separators = self.data.count(self.separator.encode())
        whole = b'"' not in self.data and n_separators == (len(self.names) - 1) * (len(frame) + 1)
        if not whole and frame.iloc[:, -1].isna().any():  # pandas fills up lines that are too short
            check_csv(self.path, io.BytesIO(self.data), self.separator)
        return frame[list(columns)]

    def _parsed(self, **options):
        return pd.read_csv(
            io.BytesIO(self.data), sep=self.separator, decimal=self.decimal, names=self.names, header=0,
            index_col=False, keep_default_na=False, low_memory=False, **EXACT, **options,
        )  # fmt: skip

    def texts(self, columns):
        """Some columns as texts, None where a cell is empty."""
        frame = self.read(columns, dtype=str)
        if self.decimal == ",":
            frame = frame.replace(DECIMAL_COMMA, r"\1.\2", regex=True)
        return frame.astype(object).where(frame.notna(), None)

    def missing_words(self, columns):
        """A note for each of some columns in which words such as "NA" were read as missing."""
        words = self._parsed(dtype=str, na_values=[""], usecols=list(columns)) if columns else {}
        notes = []
        for name in columns:
            counts = words[name][words[name].isin(MISSING)].value_counts()
            if counts.size:
                shown = " and ".join(f"{word!r} ({count:,} times)" for word, count in counts.items())
                notes.append(f"in {name!r}, {shown} {'was' if counts.size == 1 else 'were'} read as missing")
        return notes


def _first_rows(data):
    """(separator, first rows) of a CSV: what cuts these into equally many fields, and into most of them."""
    looks = []
    for separator in SEPARATORS:
        rows = list(itertools.islice(_rows(_lines(io.BytesIO(data)), separator), LOOKED_AT))
        widths = {len(row) for _, row in rows}
        width = len(rows[0][1]) if rows else 0
        looks.append(((len(widths) == 1 and width > 1, width), separator, rows))
    return max(looks, key=lambda look: look[0])[1:]


def _rows(lines, separator):
    """(number of its first line, fields) of each line of a CSV that is not blank."""
    csv.field_size_limit(2**31 - 1)  # bytes; Python's reader takes 131,072, and long answers have more
    reader = csv.reader(lines, delimiter=separator)
    first = 1
    for row in reader:
        if len(row) > 1 or (row and row[0].strip()):
            yield first, row
        first = reader.line_num + 1


def _names(header):
    return [name if name.strip() else f"Unnamed: {k}" for k, name in enumerate(header)]


def check_csv(path, file, separator=","):
    """Names of the columns of an open CSV file; ValueError unless every line has a field for each of them."""
    text = _lines(file)
    try:
        rows = _rows(text, separator)
        names = _names(next(rows, (1, []))[1])
        for line, row in rows:
            if len(row) != len(names):
                hint = ""
                if len(names) == 1:
                    hint = " Does a title stand above the header?"
                elif next(rows, None) is None:
                    hint = " The file ends there: is it cut off, or is a quote never closed?"
                raise ValueError(
                    f"{path.name} must have {len(names)} fields in every line, as in its header, but line {line:,} has "
                    f"{len(row)}.{hint}"
                )
    finally:
        text.detach()  # so that the caller closes the file
    return names


def _lines(file):
    return io.TextIOWrapper(file, encoding="utf-8-sig", errors="replace", newline="")


class JsonLines(Table):
    """A file of JSON lines: every line that is not blank is one object {...}.

    `names` are the keys of all lines in order of first appearance; `lines` the line number of each row, from 1.
    """

    def __init__(self, path):
        self.path = path
        self.name = path.name
        data, self.notes = read_text(path)
        texts = data.decode("utf-8").split("\n")
        self.lines = [number for number, line in enumerate(texts, 1) if line.strip()]
        self.records = [self._record(texts[number - 1], number) for number in self.lines]
        kinds = dict.fromkeys(map(tuple, self.records))  # in most files all lines have the same keys
        self.names = list(dict.fromkeys(name for kind in kinds for name in kind))

    def _record(self, text, number):
        """The object in one line; ValueError that names the line."""
        last = number == self.lines[-1]
        hint = "the file may be cut off there" if last and number > 1 else "write one object {...} a line"
        try:
            record = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{self.name}: line {number:,} is not JSON ({error}); {hint}.") from None
        if not isinstance(record, dict):
            raise ValueError(f"{self.name} must hold one object {{...}} a line, but line {number:,} is {text:.40}.")
        return record

    def read(self, columns):
        """The columns as a DataFrame of objects; None where a line lacks the key."""
        cells = {name: [record.get(name) for record in self.records] for name in columns}
        return pd.DataFrame({name: pd.Series(column, dtype=object) for name, column in cells.items()})

    def where(self, row):
        """How an error names a row: by its line."""
        return f"line {self.lines[row]:,}"


# ---- other formats --------------------------------------------------------------------------------------------


def open_excel(path):
    """The first sheet of an Excel workbook that has its columns' names in its first row."""
    try:
        import openpyxl  # noqa: F401
    except ImportError:
        raise ImportError(f"{path.name} needs the package openpyxl: install it, or save the table as CSV.") from None
    try:
        with warnings.catch_warnings(), pd.ExcelFile(path, engine="openpyxl") as book:
            warnings.simplefilter("ignore", UserWarning)  # of styles and extensions that hold no data
            sheets = list(book.sheet_names)
            cells = pd.read_excel(book, header=None, dtype=object, keep_default_na=False, na_values=MISSING)
    except (zipfile.BadZipFile, KeyError, ValueError):
        raise ValueError(f"{path.name} is damaged, locked by a password or no Excel workbook.") from None
    cells = cells.dropna(how="all")
    if len(cells) < 2:
        raise ValueError(f"{path.name} has no rows below a header in its first sheet, {sheets[0]!r}.")
    header = ["" if pd.isna(name) else str(name) for name in cells.iloc[0]]
    notes = [f"the first of {len(sheets)} sheets, {sheets[0]!r}, was read"] if sheets[1:] else []
    return FrameTable(cells[1:].set_axis(_names(header), axis=1).infer_objects(), path.name, notes)


class ArrowTable(Table):
    """A Parquet or Feather file, read with pyarrow."""

    def __init__(self, path):
        self.path = path
        self.name = path.name
        pyarrow = import_pyarrow(path)
        if not path.stat().st_size:
            raise ValueError(f"{path.name} is empty.")
        self._errors = (pyarrow.ArrowException, OSError)
        if path.name.lower().endswith(".parquet"):
            file = open_parquet(path)
            self.names = list(file.schema_arrow.names)
            self._read = lambda columns: file.read(columns=columns)
            return
        try:
            file = pyarrow.ipc.open_file(path)
        except PermissionError:
            raise
        except self._errors:
            raise ValueError(_damaged(path)) from None
        self.names = list(file.schema.names)
        self._read = lambda columns: file.read_all().select(columns)

    def read(self, columns):
        """Some columns as a DataFrame."""
        try:
            return self._read(list(columns)).to_pandas(ignore_metadata=True)
        except self._errors:
            raise ValueError(_damaged(self.path)) from None


def import_pyarrow(path):
    """The package pyarrow; ImportError with a way out for a file that needs it."""
    try:
        import pyarrow
        import pyarrow.ipc
        import pyarrow.parquet
    except ImportError:
        raise ImportError(f"{path.name} needs the package pyarrow: install it, or save the table as CSV.") from None
    return pyarrow


def open_parquet(path):
    """A Parquet file whose pages are compared with their checksums, where it has some; ValueError if it is damaged."""
    pyarrow = import_pyarrow(path)
    try:
        return pyarrow.parquet.ParquetFile(path, page_checksum_verification=True)
    except PermissionError:
        raise
    except (pyarrow.ArrowException, OSError):
        raise ValueError(_damaged(path)) from None


def _damaged(path):
    return f"{path.name} is damaged or cut off in the middle: it cannot be read as {path.suffix[1:].title()}."


# ---- cells ----------------------------------------------------------------------------------------------------


def as_texts(values):
    """A column as objects: texts, whole numbers without a point, lists and dictionaries, None where it is empty."""
    values = values.astype(object).where(values.notna(), None)
    if set(map(type, values)) <= {str, type(None)}:
        return values.where(values != "", None)
    return pd.Series([_text(value) for value in values], index=values.index, dtype=object)


def _text(value):
    if isinstance(value, (str, dict)):
        return value if value != "" else None
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_text(entry) for entry in value]
    if value is None or pd.isna(value):
        return None
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)
