"""Tables on disk: their column names and their columns, or a ValueError that says what is wrong with the file.

Files of JSON lines: one object a line, such as scripts that ask language models write.
"""

import csv
import gzip
import io
import itertools
import json
import os
import re
import zlib
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd

from helpers.checks import nearest_name

EXTENSIONS = (".csv", ".csv.gz", ".parquet", ".feather")

JSON_LINES = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")

BLOCK = 1 << 22  # bytes

MOST_GB = 2.0  # that a compressed text may unfold to; HONEST_MOST_GB in the environment sets another limit

LONGEST_FIELD = 2**31 - 1  # bytes; Python's reader of CSV takes 131,072, and long answers have more

# "None" and "none" are answers in surveys, so they stay words.
MISSING = ["", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL"]

MISSING_WORD = re.compile(
    rb'(?m)(?:^|,)"?(?:' + b"|".join(re.escape(word.encode()) for word in MISSING[1:]) + rb')"?\r?(?:,|$)'
)


def find_file(path, folders, extensions=EXTENSIONS):
    """The first existing file among `path` and `path` inside `folders`; ValueError if there is none or no table."""
    path = Path(os.path.expanduser(path))
    if not path.name.lower().endswith(extensions):
        raise ValueError(f"{path.name} must be a table in one of the formats {', '.join(extensions)}.")
    places = [path] if path.is_absolute() else [path, *(Path(folder) / path for folder in folders)]
    for place in places:
        if place.is_file():
            return place
    for place in places:
        if place.exists():
            raise ValueError(f"{path.name} is {'a folder' if place.is_dir() else 'no regular file'}, not a table.")
    siblings = {
        file.name for place in places for file in place.parent.glob("*") if file.name.lower().endswith(extensions)
    }
    hint = nearest_name(path.name, sorted(siblings), "table")
    raise ValueError(f"{path.name} does not exist{'; ' + hint if hint.startswith('did') else '.'}")


def read_bytes(path):
    """Content of a text file, plain or gz, without byte order mark; ValueError if it is cut off, empty or not text."""
    if path.name.lower().endswith(".gz"):
        data = _unpack(path)
    else:
        with open(path, "rb") as file:
            data = file.read()
    if not data or data.isspace():
        raise ValueError(f"{path.name} is empty.")
    if b"\0" in data[:4096]:
        raise ValueError(f"{path.name} is not a text file in UTF-8; save it again as {kind_of(path)} (UTF-8).")
    return data.removeprefix(b"\xef\xbb\xbf")


def _unpack(path):
    """Content of a gz file; ValueError if it is damaged, or so large that it may be made to fill the memory."""
    most = most_gigabytes()
    blocks = []
    try:
        with gzip.open(path, "rb") as file:
            while block := file.read(BLOCK):
                blocks.append(block)
                if len(blocks) * BLOCK > most * 1e9:
                    raise ValueError(
                        f"{path.name} unfolds to more than {most:g} GB; if that is right, raise the limit with the "
                        "environment variable HONEST_MOST_GB."
                    )
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"{path.name} {gzip_fault(error)}") from None
    return b"".join(blocks)


def most_gigabytes():
    """What compressed files may unfold to, in GB."""
    return float(os.environ.get("HONEST_MOST_GB", MOST_GB))


def gzip_fault(error):
    """What is wrong with a gz file, by the error of Python's reader."""
    if isinstance(error, EOFError):
        return "is cut off in the middle: its compressed data end too early."
    if isinstance(error, gzip.BadGzipFile) and "Not a gzipped file" in str(error):
        return "is not a gzip file, although its name ends in .gz."
    return "is damaged: its compressed data are not what was written."


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
    check_names(path, reader.names)
    return reader


def check_names(path, names):
    """ValueError if two columns have one name."""
    doubled = [name for name, count in Counter(names).items() for _ in range(count - 1)]
    if doubled:
        raise ValueError(
            f"{path.name} has more than one column named {doubled[0]!r}"
            f"{f' (and {len(doubled) - 1} more doubled names)' if doubled[1:] else ''}; rename them."
        )


class CsvTable:
    """A CSV file, read into memory once; every line must have as many fields as the header."""

    def __init__(self, path):
        self.path = path
        self.data = read_bytes(path)
        self.names = check_csv(path, io.BytesIO(self.data))
        ends = self.data.endswith((b"\n", b"\r"))
        self.note = "" if ends else "the last line has no line end: check that the file is complete"

    def read(self, columns, dtype=None, missing=MISSING):
        """Some columns as a DataFrame; their type is guessed if `dtype` is not given."""
        try:
            frame = pd.read_csv(
                io.BytesIO(self.data), names=self.names, header=0, usecols=list(columns), index_col=False, dtype=dtype,
                keep_default_na=False, na_values=missing, low_memory=False,
            )  # fmt: skip
        except UnicodeDecodeError:
            raise ValueError(f"{self.path.name} is not a text file in UTF-8; save it again as CSV (UTF-8).") from None
        except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
            raise ValueError(f"{self.path.name} cannot be read as CSV: {error}".strip()) from None
        return frame[list(columns)]

    def missing_words(self, columns):
        """A note for each of some columns in which words such as "NA" were read as missing."""
        if not columns or not MISSING_WORD.search(self.data):
            return []
        words = self.read(columns, str, missing=[""])
        notes = []
        for name in columns:
            counts = words[name][words[name].isin(MISSING)].value_counts()
            if counts.size:
                shown = " and ".join(f"{word!r} ({count:,} times)" for word, count in counts.items())
                notes.append(f"in {name!r}, {shown} {'was' if counts.size == 1 else 'were'} read as missing")
        return notes


def check_csv(path, file):
    """Names of the columns of an open CSV file; ValueError unless every line has a field for each of them."""
    csv.field_size_limit(LONGEST_FIELD)
    try:
        names = _header(path, file)
        file.seek(0)
        _check_lines(path, file, len(names))
    except csv.Error as error:
        raise ValueError(f"{path.name} {error}.") from None
    return names


def _header(path, file):
    text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
    try:
        names = next((row for row in csv.reader(text) if row), [])
    except UnicodeDecodeError:
        raise ValueError(f"{path.name} is not a text file in UTF-8; save it again as CSV (UTF-8).") from None
    finally:
        text.detach()
    for mark, word in ((";", "semicolons"), ("\t", "tabs")):
        if len(names) == 1 and mark in names[0]:
            raise ValueError(f"{path.name} has {word} between its columns; save it with commas.")
    return [name if name.strip() else f"Unnamed: {i}" for i, name in enumerate(names)]


def _check_lines(path, file, n_names):
    n_lines = n_bad = 0
    first = last = (0, 0)  # fields and number of a line
    for fields, lines in _fields(file):
        bad = np.flatnonzero(fields != n_names)
        if bad.size and not n_bad:
            first = fields[bad[0]], lines[bad[0]]
        n_bad += bad.size
        n_lines += fields.size
        last = (fields[-1], lines[-1]) if fields.size else last
    if n_lines < 2:
        raise ValueError(f"{path.name} has a header but no rows.")
    if n_bad == 1 and first == last and last[0] < n_names:
        raise ValueError(
            f"{path.name} is cut off in the middle: its last line ({last[1]:,}) has {last[0]} of {n_names} fields."
        )
    if n_bad:
        more = f" (and {n_bad - 1:,} more lines differ)" if n_bad > 1 else ""
        raise ValueError(
            f"{path.name} must have {n_names} fields in every line, as in its header, but line {first[1]:,} has "
            f"{first[0]}{more}."
        )


def _fields(file):
    """Blocks of the lines of an open CSV file that are not blank: number of fields, and number of the line."""
    start = 0
    line = 1
    rest = b""
    while block := file.read(BLOCK):  # block by block, because numpy counts in eight bytes a letter
        block = rest + block
        if b'"' in block:
            yield from _quoted_fields(file, start, line)
            return
        end = block.rfind(b"\n") + 1
        rest = block[end:]
        if end:
            fields = _count_fields(np.frombuffer(block[:end], np.uint8))
            yield fields[fields > 0], line + np.flatnonzero(fields)
            line += fields.size
            start += end
    if rest:
        fields = _count_fields(np.frombuffer(rest, np.uint8))
        yield fields[fields > 0], line + np.flatnonzero(fields)


def _quoted_fields(file, start, line):
    """The same from a place on from which a line may end inside a field; its number is that of its end."""
    file.seek(start)
    text = io.TextIOWrapper(file, encoding="utf-8", errors="replace", newline="")
    ends = [line - 1]
    row = []
    pairs = []
    try:
        reader = csv.reader(itertools.chain(text, ["\n"]))  # the row [], unless a quote is still open
        for row in reader:
            ends = [ends[-1], line - 1 + reader.line_num]
            if row:
                pairs.append((len(row), ends[-1]))
            if len(pairs) == BLOCK // 64:
                yield np.array(pairs).T
                pairs = []
    finally:
        text.detach()
    if pairs:
        yield np.array(pairs).T
    if row:
        raise csv.Error(f"is cut off in the middle, or the quote that line {ends[0] + 1:,} opens is never closed")


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
        pyarrow = import_pyarrow(path)
        if not path.stat().st_size:
            raise ValueError(f"{path.name} is empty.")
        self._errors = (pyarrow.ArrowException, OSError)
        if path.name.lower().endswith(".parquet"):
            self._file = open_parquet(path)
            self.names = list(self._file.schema_arrow.names)
            self._read = lambda columns: self._file.read(columns=columns)
            return
        try:
            self._file = pyarrow.ipc.open_file(path)
        except PermissionError:
            raise
        except self._errors:
            raise ValueError(_damaged(path)) from None
        self.names = list(self._file.schema.names)
        self._read = lambda columns: self._file.read_all().select(columns)

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
        except (ValueError, RecursionError):
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
        except RecursionError:
            raise ValueError(f"{self.path.name}: line {number:,} is nested too deeply.") from None
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
