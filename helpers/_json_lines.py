"""Files of JSON lines: one object a line, such as scripts that ask language models write."""

import json

import pandas as pd

from helpers._readers import read_bytes

EXTENSIONS = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")


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
        self.lines = [number for number, one in enumerate(texts, 1) if one.strip()]
        try:
            self.records = [json.loads(texts[number - 1]) for number in self.lines]
        except ValueError:
            self.records = []
        if set(map(type, self.records)) != {dict}:
            self.records = [self._record(texts[number - 1], number) for number in self.lines]
        kinds = dict.fromkeys(map(tuple, self.records))  # in most files all lines have the same keys
        self.names = list(dict.fromkeys(name for kind in kinds for name in kind))
        whole = data.endswith((b"\n", b"\r"))
        self.note = "" if whole else "the last line has no line end: check that the file is complete"

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
        return pd.DataFrame({name: pd.Series([r.get(name) for r in self.records], dtype=object) for name in columns})


def _shown(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:37] + "..."
