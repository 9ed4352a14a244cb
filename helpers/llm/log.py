"""The file of a collection: JSON lines, a header and one record a response, each on the disk before the next is sent.

A kill can cost what is under way at that moment, never what was received. A last line that a kill has cut is dropped;
everything else in the file must be whole.
"""

import json
import os
import threading
from pathlib import Path

from helpers._checkpoint import hold
from helpers.llm.client import CollectionStopped
from helpers.llm.reply import count_of_tokens

FORMAT = "honest-confidence collected"

VERSION = 1

_BEGINNING = json.dumps({"format": FORMAT})[:-1].encode()

_WORDS = {
    "kind": "what is collected", "model": "model", "prompts": "prompts", "temperature": "temperature",
    "max_tokens": "max_tokens", "questions": "questions", "seed": "seed", "extra": "extra_body", "rule": "rule",
    "options": "options",
}  # fmt: skip


class ResponseLog:
    """One collection's file, open for this process alone; to be used in a `with` block.

    `keep` is a function of a record that returns what of it stays in memory, or None for all of it; `records` what is
    kept of those that were there, and of those added since; `notes` what a reader should know. ValueError for a path
    that is no file of a collection, one of another model, prompt, temperature or list of questions, or one that another
    process writes to; CollectionStopped if the disk is full.
    """

    def __init__(self, path, header, keep=None):
        self._path = Path(os.path.expanduser(path))
        self.name = self._path.name
        self.header = {"format": FORMAT, "version": VERSION} | header
        self.records = []
        self.notes = []
        self._keep = keep or (lambda record: record)
        self._lock = threading.Lock()
        self._file = None
        self._end = 0  # of what is whole
        self._fresh = True

    def __enter__(self):
        if self._path.exists() and not self._path.is_file():
            what = "a folder" if self._path.is_dir() else "no regular file"
            raise ValueError(f"path must name a file, but {self.name} is {what}.")
        if not self._path.parent.is_dir():
            raise ValueError(f"path must name a file in a folder that exists, but the folder of {self.name} does not.")
        try:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as error:
            raise ValueError(f"{self.name} cannot be opened for writing: {error.strerror}.") from None
        try:
            hold(
                self._file,
                f"{self.name} is in use: another process or notebook is collecting into it. Wait for it, or give "
                "another path.",
            )
            self._read()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error):
        if self._file is not None:
            if self._fresh and not os.fstat(self._file).st_size:
                self._path.unlink(missing_ok=True)  # nothing was asked
            os.close(self._file)
            self._file = None

    def append(self, record):
        """Write one record down for good; safe from several threads."""
        with self._lock:
            if self._file is None:
                raise CollectionStopped(f"{self.name} is closed.")
            if not self._end:
                self._write(self.header)
                _keep_name(self._path.parent)
            self._write(record)
            self.records.append(self._keep(record))

    def _write(self, record):
        line = json.dumps(record, ensure_ascii=False, allow_nan=False).encode() + b"\n"
        try:
            rest = memoryview(line)
            while rest:
                rest = rest[os.write(self._file, rest) :]
            os.fsync(self._file)
        except OSError as error:
            try:
                os.ftruncate(self._file, self._end)  # half a line is worth nothing
            except OSError:
                pass
            raise CollectionStopped(
                f"{self.name} cannot be written any further: {error.strerror}. What was received before is in it; make "
                "room and start again, and only the rest is asked."
            ) from None
        self._end += len(line)

    def _read(self):
        """Fill `records` from the file; its header must be ours, and only its last line may be cut."""
        self._fresh = not os.fstat(self._file).st_size
        cut = False
        with open(os.dup(self._file), "rb") as file:
            file.seek(0)
            for number, line in enumerate(file, 1):
                cut = not line.endswith(b"\n")
                if cut:
                    if number == 1 and not (line.startswith(_BEGINNING) or _BEGINNING.startswith(line)):
                        raise ValueError(_not_ours(self.name))
                    break
                if number == 1:
                    self._check_header(_record(line, self.name, 1))
                else:
                    self.records.append(self._kept(line, number))
                self._end += len(line)
        if cut:
            os.ftruncate(self._file, self._end)
            os.fsync(self._file)
            self.notes.append(f"the last line of {self.name} was cut off; it was dropped and is asked again")

    def _kept(self, line, number):
        """What is kept of a line; ValueError if it is not a record that this module wrote."""
        record = _record(line, self.name, number)
        try:
            for name in ("tokens_in", "tokens_out"):
                if name in record:
                    record[name] = count_of_tokens(record[name])
            if record["kind"] != "failed" and len(record["samples"]) != len(record["choices"]) or not record["key"]:
                raise KeyError
            return self._keep(record)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            raise ValueError(_damaged(self.name, number)) from None

    def _check_header(self, header):
        """ValueError unless the file was begun with the same settings."""
        if header.get("format") != FORMAT:
            raise ValueError(_not_ours(self.name))
        if header.get("version") != VERSION:
            raise ValueError(
                f"{self.name} has version {header.get('version')!r} of the format, but this package writes {VERSION}."
            )
        for name, word in _WORDS.items():
            old = header.get(name)
            new = self.header.get(name)
            if json.dumps(old, sort_keys=True) != json.dumps(new, sort_keys=True):
                raise ValueError(
                    f"{self.name} was begun with other {word} ({_shown(old)}) than this call has ({_shown(new)}). "
                    "Answers of the two must not be mixed: give the path of a new file."
                )
        self.header = header


def _keep_name(folder):
    """Make the name of a new file as lasting as its content, where the system can."""
    try:
        number = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(number)
    except OSError:
        pass
    finally:
        os.close(number)


def _record(line, name, number):
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise ValueError(_not_ours(name) if number == 1 else _damaged(name, number))
    return record


def _damaged(name, number):
    return f"{name} is damaged: line {number:,} is no record. Was it edited? Take it out, or begin a new file."


def _not_ours(name):
    return f"{name} holds something else; give the path of a new file, or of one that was begun."


def _shown(value):
    if isinstance(value, dict) and value and all(isinstance(text, str) for text in value.values()):
        value = ", ".join(f"{name} {text}" for name, text in value.items())
    return value if isinstance(value, str) and value else json.dumps(value)
