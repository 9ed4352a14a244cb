"""Rows of a file of sampled answers: opened, columns found, spread out where a row holds many answers, and checked."""

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from helpers.answers.counts import first_repeat, sample_numbers
from helpers.checks import check_columns, nearest_name
from helpers.tables.files import EXTENSIONS, JSON_LINES, Table, checksum, find_table, open_table
from helpers.tables.logs import LOGS, open_log

FORMATS = EXTENSIONS + JSON_LINES

MANY = (list, tuple, np.ndarray)

DEFAULTS = {
    "question": "question", "sample": "sample", "answer": "answer", "confidence": "confidence",
    "reference": "reference",
}  # fmt: skip

OPTIONAL = ("sample", "confidence", "reference")

WITHOUT = {
    "sample": "no column {!r}, so answers are taken in the order of the rows",
    "confidence": "no column {!r}, so no confidence is stated",
    "reference": "no column {!r}, so no right answer is known",
}

MOST_COUNTED = 1e6  # answers in one dictionary of counts, which become as many rows

MOST_CELLS = 2e8  # questions times the most answers to one of them: 1.6 GB


@dataclass
class Source(Table):
    """A table of answers, or some rows of it, whose cells are read as texts, lists, dictionaries or None."""

    table: Table = field(repr=False)
    sha256: str = ""
    rows: np.ndarray | None = field(default=None, repr=False)  # those that count; None for all
    more_notes: tuple = ()

    @property
    def name(self):
        """Name of the file."""
        return self.table.name

    @property
    def names(self):
        """Names of the columns."""
        return self.table.names

    @property
    def notes(self):
        """What a reader should know about the file."""
        return [*self.table.notes, *self.more_notes]

    def only(self, rows, note=""):
        """The same file with some of its rows."""
        rows = rows if self.rows is None else self.rows[rows]
        return replace(self, rows=rows, more_notes=(*self.more_notes, *([note] if note else [])))

    def read(self, columns):
        """Some columns as objects: texts, lists or dictionaries as they are, None where a cell is empty."""
        frame = self.table.texts(columns)
        return frame if self.rows is None else frame.iloc[self.rows].reset_index(drop=True)

    def where(self, row):
        """How an error names a row."""
        return self.table.where(row if self.rows is None else int(self.rows[row]))


def open_answers(path, **options):
    """The file or the DataFrame as a `Source`, also a log of an evaluation, which `open_log` reads with these options;
    ValueError if it is not there, empty, cut off, or in another format.
    """
    if isinstance(path, pd.DataFrame):
        return Source(open_table(path))
    path = find_table(path, FORMATS + LOGS)
    table = open_log(path, **options) or open_table(path)
    table.name = path.name
    return Source(table, checksum(path))


def short(value):
    """A value as errors show it, at most 60 characters."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def find_columns(source, roles):
    """({role: column}, notes): the columns that are there; ValueError for one that is asked for and is not.

    An optional column under its default name may be absent, and a note says so.
    """
    columns = {}
    notes = []
    for role, name in roles.items():
        if name not in source.names and role in OPTIONAL and name == DEFAULTS[role]:
            free = [other for other in source.names if other not in {*roles.values(), *DEFAULTS}]
            near = nearest_name(name, free, "column")
            notes += [f"{WITHOUT[role].format(name)}{'; ' + near if near.startswith('did') else ''}"]
        elif name:
            columns[role] = name
    check_columns(source.name, source.names, columns)
    return columns, notes


def long_rows(source, columns):
    """(frame, layout): one row an answer with columns question, sample, answer, confidence, reference and row.

    `row` is where the answer stands in the file. A cell of `answer` may hold a list of answers, or a dictionary of
    counts {answer: count}; then all cells must, and `layout` is "lists" or "counts", else "answers".
    """
    frame = source.read(list(columns.values())).rename(columns={name: role for role, name in columns.items()})
    frame["row"] = np.arange(len(frame))
    kinds = _kinds(frame["answer"])
    layout = next((kind for kind in ("lists", "counts") if (kinds == kind).any()), "answers")
    if layout == "answers":
        return frame, layout
    if (kinds != layout).any():
        rule = f"hold {'a list of answers' if layout == 'lists' else 'counts'} in every row if it does in one"
        source.reject(columns["answer"], rule, kinds != layout, frame["answer"])
    return _spread(source, columns, frame, layout), layout


def _kinds(cells):
    """What each cell holds: "lists", "counts" or "" for a text or nothing."""
    kinds = {kind: "lists" if issubclass(kind, MANY) else "counts" for kind in set(map(type, cells))}
    kinds = {kind: name for kind, name in kinds.items() if issubclass(kind, (dict, *MANY))}
    if not kinds:
        return pd.Series("", index=cells.index, dtype=object)
    return pd.Series([kinds.get(type(cell), "") for cell in cells], index=cells.index, dtype=object)


def _spread(source, columns, frame, layout):
    """One row an answer, from one row a question."""
    cells = frame["answer"].tolist()
    answers = cells
    if layout == "counts":
        answers = [_repeated(source, columns["answer"], row, cell) for row, cell in enumerate(cells)]
    size = np.array([len(cell) for cell in answers])
    if not size.all():
        source.reject(columns["answer"], "hold at least two answers", size == 0, cells)
    row = np.repeat(frame["row"].to_numpy(), size)
    long = frame.drop(columns=["answer", "sample"], errors="ignore").iloc[row].reset_index(drop=True)
    long["answer"] = pd.Series([entry for cell in answers for entry in cell], dtype=object)
    long["sample"] = np.arange(row.size) - np.repeat(np.cumsum(size) - size, size) + 1
    for role in ("confidence", "correct"):
        if role in frame and (_kinds(frame[role]) == "lists").any():
            pairs = zip(frame[role], size, strict=True)
            entries = [cell if isinstance(cell, MANY) else [cell] * n for cell, n in pairs]
            odd = np.array([len(cell) for cell in entries]) != size
            if odd.any():
                source.reject(columns[role], "hold as many entries as there are answers", odd, frame[role])
            long[role] = pd.Series([entry for cell in entries for entry in cell], dtype=object)
    return long


def _repeated(source, column, row, counts):
    """The answers of a dictionary of counts, each as often as it says."""
    for answer, count in counts.items():
        if isinstance(count, bool) or not isinstance(count, (int, float)) or count < 0 or count != int(count):
            raise ValueError(
                f"{source.name}: column {column!r} must hold counts that are whole and not negative, but in "
                f"{source.where(row)} the count of {short(answer)} is {count!r}."
            )
    if sum(counts.values()) > MOST_COUNTED:
        raise ValueError(
            f"{source.name}: column {column!r} must count at most {MOST_COUNTED:,.0f} answers to a question, but "
            f"{source.where(row)} counts {sum(counts.values()):,.0f}."
        )
    return [answer for answer, count in counts.items() for _ in range(int(count))]


def check_rows(source, columns, frame):
    """Numbers that order the answers to a question; ValueError for rows without a question, one sample number twice,
    or a single answer to half of the questions or more.
    """
    if "question" in columns and frame["question"].isna().any():
        bad = frame["question"].isna().to_numpy()
        source.reject(
            columns["question"], "name the question of every answer", bad, frame["question"], rows=frame["row"]
        )
    single = [role for role in ("question", "sample", "reference") if role in columns]
    listed = [role for role in single if (_kinds(frame[role]) != "").any()]
    if listed:
        values = frame[listed[0]]
        rule = "hold one text or number in each cell"
        source.reject(columns[listed[0]], rule, _kinds(values) != "", values, rows=frame["row"])
    if "sample" in columns and frame["sample"].isna().any():
        source.reject(columns["sample"], "number every answer", frame["sample"].isna().to_numpy(), frame["sample"])
    place = sample_numbers(frame["sample"]) if "sample" in frame else np.arange(len(frame))
    if "sample" in columns:
        _check_samples(source, columns["sample"], frame, place)
    size = frame.groupby("question", sort=False)["row"].agg(["size", "first"])
    few = size[size["size"] < 2]
    if 2 * len(few) >= len(size):
        more = f" (and {len(few) - 1:,} more questions)" if len(few) > 1 else ""
        raise ValueError(
            f"{source.name}: most questions must have at least two answers, but question "
            f"{short(few.index[0])} ({source.where(few['first'].iloc[0])}) has one{more}."
        )
    most = int(size["size"].max())
    if len(size) * most > MOST_CELLS:
        longest = size["size"].idxmax()
        place = source.where(size.loc[longest, "first"])
        raise ValueError(
            f"{source.name}: question {short(longest)} ({place}) has {most:,} answers, "
            f"where half of the {len(size):,} questions have {size['size'].median():,.0f} or fewer: too many for one "
            "table. Is this the column of questions?"
        )
    if len(size) < 2:
        raise ValueError(f"{source.name} must hold at least two questions, but all {len(frame):,} answers are to one.")
    return place


def _check_samples(source, column, frame, place):
    repeat = first_repeat(frame["question"], place)
    if repeat is not None:
        *rows, more = repeat
        places = " and ".join(source.where(frame["row"].iloc[k]) for k in rows)
        raise ValueError(
            f"{source.name}: column {column!r} must number the answers to a question, but {places} are both sample "
            f"{frame['sample'].iloc[rows[0]]} of question {short(frame['question'].iloc[rows[0]])}"
            f"{f' (and {more:,} more rows repeat one)' if more else ''}."
        )


def count_columns(source, names):
    """(Q, C) counts of a file with one row a question; ValueError for one that is negative, not whole or no number."""
    for name in names:
        check_columns(source.name, source.names, {"counts": name})
        if list(names).count(name) > 1:
            raise ValueError(f"counts must name each column once, but {name!r} occurs {list(names).count(name)} times.")
    if len(names) < 2:
        raise ValueError(f"counts must name at least two columns, one for each class, but it is {list(names)}.")
    frame = source.read(list(names))
    counts = {}
    for name in names:
        number = pd.to_numeric(frame[name], errors="coerce").to_numpy(float)
        bad = ~((number >= 0) & (number == np.floor(number)) & (number < 2**53))
        if bad.any():
            hint = "Write 0 where a class was not given." if frame[name].isna()[bad].any() else ""
            source.reject(name, "hold counts (whole numbers, not negative)", bad, frame[name], hint)
        counts[name] = number.astype(np.int64)
    return pd.DataFrame(counts)
