"""A file of sampled answers, opened: its columns as texts, and errors that name a row."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers.tables import files as _json_lines
from helpers.tables.files import EXTENSIONS, CsvTable, open_table
from helpers.tables.scores import find_table

FORMATS = EXTENSIONS + _json_lines.JSON_LINES

MANY = (list, tuple, np.ndarray)


@dataclass
class Source:
    """An opened file: `file` its name, `names` its columns, `read(columns)` a DataFrame of texts, lists or None."""

    file: str
    names: list
    reader: object = field(repr=False)

    def read(self, columns):
        """Some columns as objects: texts, lists or dictionaries as they are, None where a cell is empty."""
        if isinstance(self.reader, CsvTable):
            frame = self.reader.read(columns, dtype=str)
            return frame.astype(object).where(frame.notna(), None)
        frame = self.reader.read(columns)
        return pd.DataFrame({name: texts(frame[name]) for name in columns})

    def where(self, row):
        """How an error names a row: "row 5", or "line 5" in a file of JSON lines."""
        lines = getattr(self.reader, "lines", None)
        return f"row {row + 1:,}" if lines is None else f"line {lines[row]:,}"

    def reject(self, column, rule, bad, values, hint="", rows=None):
        """Raise the error for the first of `bad`, counting the others; `rows` are their rows, if not 0, 1, …"""
        bad = np.asarray(bad, bool)
        first, more = int(np.argmax(bad)), int(bad.sum()) - 1
        row = first if rows is None else rows.iloc[first]
        value = list(values)[first]
        found = "is missing" if _is_missing(value) else f"is {short(value)}"
        rest = f" (and in {more:,} more rows)" if more else ""
        place = f"in {self.where(row)} it {found}{rest}."
        raise ValueError(f"{self.file}: column {column!r} must {rule}, but {place}{f' {hint}' if hint else ''}")


def open_answers(path):
    """The file as a `Source`; ValueError if it is not there, empty, cut off, or in another format or encoding."""
    path = find_table(path, FORMATS)
    if path.name.lower().endswith(_json_lines.JSON_LINES):
        reader = _json_lines.JsonLines(path)
    else:
        reader = open_table(path)
    return Source(path.name, list(reader.names), reader)


def texts(values):
    """A column as objects: texts, whole numbers without a point, lists and dictionaries, None where it is empty."""
    if isinstance(values.dtype, pd.StringDtype):
        return values.astype(object).where(values.notna() & (values != ""), None)
    values = values.astype(object)
    if set(map(type, values)) <= {str, type(None)}:
        return values.where(values != "", None)
    return pd.Series([_text(value) for value in values], index=values.index, dtype=object)


def _text(value):
    if isinstance(value, (str, dict)):
        return value if value != "" else None
    if isinstance(value, MANY):
        return [_text(entry) for entry in value]
    if _is_missing(value):
        return None
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def _is_missing(value):
    return value is None or (not isinstance(value, (dict, *MANY)) and bool(pd.isna(value)))


def short(value):
    """A value as errors show it, at most 60 characters."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
