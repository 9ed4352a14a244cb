"""Rows of a file of sampled answers: those of one system, columns found, spread out where a row holds many, checked."""

import ast
import json
import re
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from helpers.answers import RULES
from helpers.answers.counts import first_repeat, sample_numbers
from helpers.checks import check_columns, check_one_of, nearest_name
from helpers.datasets.recorded_model import recorded_answers
from helpers.practice.tables.logs import open_answers

UNPARSED = ("class", "singletons", "drop")

MANY = (list, tuple, np.ndarray)

DEFAULTS = {
    "question": "question", "sample": "sample", "answer": "answer", "confidence": "confidence",
    "reference": "reference",
}  # fmt: skip

WITHOUT = {
    "sample": "no column {!r}, so answers are taken in the order of the rows",
    "confidence": "no column {!r}, so no confidence is stated",
    "reference": "no column {!r}, so no right answer is known",
}


# ---- a file ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OpenedAnswers:
    """A file whose rows were checked, before its answers are read."""

    source: object  # the `Table`
    columns: dict
    notes: list
    frame: pd.DataFrame  # a row an answer
    place: np.ndarray  # numbers that order the answers to a question
    rule: str
    unparsed: str
    scale: object  # of stated confidences
    used: set  # columns that are not about whole questions, or have a role


def open_rows(
    path, question="question", sample="sample", answer="answer", confidence="confidence", reference="reference",
    correct="", counts=(), rule="auto", unparsed="class", options="", scale="auto", failed="left out",
):  # fmt: skip
    """`OpenedAnswers` of a file: its layout, its columns, its rows; options as in `read_answers`."""
    check_one_of(rule, "rule", ("auto", *RULES))
    check_one_of(unparsed, "unparsed", UNPARSED)
    graded = bool(correct) or reference == DEFAULTS["reference"]
    source = open_systems(path, correct, graded, failed)
    names = systems_of(source)
    if len(names) > 1:
        source = of_system(source, "", names[0])
    if set(RECORDED) <= set(source.names):
        given = {"answer": answer, "confidence": confidence, "correct": correct, "reference": reference, "rule": rule}
        given |= recorded_roles(given)
        answer, confidence, correct, rule = (given[name] for name in RECORDED_ROLES)
    if source.is_log:  # graded by what graded the log, if it tells for each answer
        correct = "correct" if "correct" in source.names else ""
        reference = "target" if graded else reference
    if len(counts):
        if question == DEFAULTS["question"] and question not in source.names:
            question = ""
        source, answer, question = with_counts(source, list(counts), question, reference)
        sample = correct = ""
        rule = "class"
    roles = {"answer": answer, "sample": sample, "correct": correct, "question": question, "confidence": confidence}
    roles["options"] = options
    columns, notes = find_columns(source, roles | {"reference": "" if correct else reference})
    known = "target" if source.is_log else reference
    meant = {"meant": known} if correct and known in source.names and known not in columns.values() else {}
    for role in ("question", "answer"):
        if role not in columns:
            raise ValueError(f"{role} must name a column of {source.name}, but it is not given.")
    frame = long_rows(source, columns | meant)
    place = check_rows(source, columns, frame)
    used = {question, sample, answer, confidence, reference, correct, *counts, *columns.values()}
    if "options" in columns:
        _check_options(source, options, frame)
    if frame["row"].duplicated().any():  # lists or counts number their answers themselves
        columns = {role: name for role, name in columns.items() if role != "sample"}
        notes = [note for note in notes if "'sample'" not in note]
    if set(RECORDED) <= set(source.names):
        used |= set(source.names) - {"kind"}  # of the question; the others are about answers
    if source.is_log:
        used |= set(source.names) - {"subject"}  # the others are about answers
    return OpenedAnswers(source, columns, notes, frame, place, rule, unparsed, scale, used)


def _check_options(source, column, frame):
    """ValueError unless each cell holds a list of two options or more."""
    wrong = frame["options"].map(lambda cell: not (isinstance(cell, tuple) and len(cell) > 1)).to_numpy()
    if wrong.any():
        source.reject(column, "hold a list of two options or more", wrong, frame["options"], rows=frame["row"])


# ---- systems --------------------------------------------------------------------------------------------------

RECORDED = ("prompt", "sample", "spelling", "references", "correct", "posterior", "is_true")  # and only there
RECORDED_LINE = {"prompt", "question", "references", "answers", "ratings"}
RECORDED_SYSTEM = "prompt"
RECORDED_ROLES = {"answer": "spelling", "confidence": "is_true", "correct": "correct", "rule": "class"}


def open_systems(path, grade="", graded=True, failed="left out"):
    """The file as a `Table`; the recorded log has a row an answer, and no greedy answers."""
    table = open_answers(path, grade=grade, graded=graded, failed=failed)
    if RECORDED_LINE <= set(table.names):
        frame = recorded_answers(table.frame.to_dict("records"))
        table = replace(table, frame=frame, places=None, unit="row")
    if set(RECORDED) <= set(table.names):
        greedy = (pd.to_numeric(table.frame["sample"], errors="coerce") == 0).to_numpy()
        if greedy.any():
            note = f"sample 0, not drawn at random, is left out: {greedy.sum():,} answers, one to a question and prompt"
            return table.only(np.flatnonzero(~greedy), note)
    return table


def recorded_roles(given):
    """{parameter: value} for the recorded log, of those at their defaults; none if it shall be graded anew."""
    if given["correct"] or given["reference"] != DEFAULTS["reference"]:
        return {}
    defaults = {**DEFAULTS, "correct": "", "rule": "auto"}
    return {name: value for name, value in RECORDED_ROLES.items() if given[name] == defaults[name]}


def systems_of(table, system=""):
    """Names of the systems in a file in order of appearance; none where no column tells them apart."""
    if not system and not set(RECORDED) <= set(table.names):
        return []
    column = system or RECORDED_SYSTEM
    check_columns(table.name, table.names, {"system": column})
    values = table.read([column])[column]
    if values.isna().any():
        table.reject(column, "name the system of every answer", values.isna().to_numpy(), values)
    return list(dict.fromkeys(map(str, values)))


def of_system(table, system, name):
    column = system or RECORDED_SYSTEM
    values = table.read([column])[column].map(str)
    return table.only(np.flatnonzero(values == name), f"this is about the answers where {column} is {name!r}")


# ---- rows -----------------------------------------------------------------------------------------------------


def short(value):
    return f"{value!r:.60}"


def find_columns(table, roles):
    """({role: column}, notes): the columns that are there; ValueError for one that is asked for and is not."""
    columns = {}
    notes = []
    for role, name in roles.items():
        if name not in table.names and role in WITHOUT and name == DEFAULTS[role]:
            free = [other for other in table.names if other not in {*roles.values(), *DEFAULTS}]
            near = nearest_name(name, free, "column")
            # an optional column under its default name may be absent
            notes += [f"{WITHOUT[role].format(name)}{'; ' + near if near.startswith('did') else ''}"]
        elif name:
            columns[role] = name
    check_columns(table.name, table.names, columns)
    return columns, notes


def long_rows(table, columns):
    """One row an answer with columns question, sample, answer, confidence, reference and row (its place in the file).

    If a cell of `answer` holds a list, or counts {answer: count}, all must.
    """
    frame = table.read(list(columns.values())).rename(columns={name: role for role, name in columns.items()})
    frame["row"] = np.arange(len(frame))
    for role in {"reference", "meant", "options"} & set(frame):
        frame[role] = frame[role].map(_listed)
    kinds = _kinds(frame["answer"])
    layout = next((kind for kind in ("lists", "counts") if (kinds == kind).any()), "")
    if not layout:
        return frame
    if (kinds != layout).any():
        rule = f"hold {'a list of answers' if layout == 'lists' else 'counts'} in every row if it does in one"
        table.reject(columns["answer"], rule, kinds != layout, frame["answer"])
    return _spread(table, columns, frame, layout)


def _kinds(cells):
    """What each cell holds: "lists", "counts" or "" for a text or nothing."""
    return cells.map(lambda cell: "lists" if isinstance(cell, MANY) else "counts" if isinstance(cell, dict) else "")


def _is_listed(cell):
    return isinstance(cell, MANY) or isinstance(cell, dict)


def _listed(cell):
    """A list as a tuple, also one of texts that a CSV file holds, in JSON or Python; another cell as it is."""
    if isinstance(cell, str) and cell.lstrip().startswith(('["', "['")):
        try:
            cell = _list_of(cell.strip())
        except (ValueError, SyntaxError):
            return cell
    if not isinstance(cell, MANY):
        return cell
    return tuple(one for one in cell if one is not None and one == one) or None  # NaN is not itself


def _list_of(text):
    """The list that a text shows; ValueError or SyntaxError for another, as of an array, which has no commas."""
    try:
        return json.loads(text)
    except ValueError:
        if re.search(r"""['"]\s+['"]""", text):
            raise
        return ast.literal_eval(text)


def _spread(table, columns, frame, layout):
    """One row an answer, from one row a question."""
    if layout == "counts":
        cells = [_repeated(table, columns["answer"], row, cell) for row, cell in enumerate(frame["answer"])]
        frame = frame.assign(answer=pd.Series(cells, dtype=object))
    size = frame["answer"].map(len)
    if layout == "lists" and not size.all():
        table.reject(columns["answer"], "hold at least two answers", size == 0, frame["answer"])
    several = ["answer"]
    for role in ("confidence", "correct"):
        if role in frame and (_kinds(frame[role]) == "lists").any():
            several.append(role)
            frame[role] = [
                cell if isinstance(cell, MANY) else [cell] * n for cell, n in zip(frame[role], size, strict=True)
            ]
            odd = frame[role].map(len) != size
            if odd.any():
                table.reject(columns[role], "hold as many entries as there are answers", odd, frame[role])
    frame = frame.explode(several, ignore_index=True)
    return frame.assign(sample=frame.groupby("row").cumcount() + 1)


def _repeated(table, column, row, counts):
    """The answers of a dictionary of counts, each as often as it says."""
    for answer, count in counts.items():
        if isinstance(count, bool) or not isinstance(count, int | float) or count < 0 or count != int(count):
            raise ValueError(
                f"{table.name}: column {column!r} must hold counts that are whole and not negative, but in "
                f"{table.where(row)} the count of {short(answer)} is {count!r}."
            )
    return [answer for answer, count in counts.items() for _ in range(int(count))]


def check_rows(table, columns, frame):
    """Numbers that order the answers to a question; ValueError for no question, a sample twice, few answers."""
    for role in [role for role in ("question", "sample") if role in columns]:
        missing = frame[role].isna().to_numpy()
        if missing.any():
            table.reject(columns[role], f"name the {role} of every answer", missing, frame[role], rows=frame["row"])
    for role in [role for role in ("question", "sample", "reference") if role in columns]:
        cells = frame[role]
        if role == "reference":  # one list of texts or numbers is fine
            cells = cells.map(lambda cell: next(filter(_is_listed, cell), "") if isinstance(cell, tuple) else cell)
        listed = (_kinds(cells) != "").to_numpy()
        if listed.any():
            rule = "hold one text or number in each cell"
            table.reject(columns[role], rule, listed, frame[role], rows=frame["row"])
    place = sample_numbers(frame["sample"]) if "sample" in frame else np.arange(len(frame))
    repeat = first_repeat(frame["question"], place)
    if repeat is not None:
        *rows, more = repeat
        places = " and ".join(table.where(frame["row"].iloc[k]) for k in rows)
        raise ValueError(
            f"{table.name}: column {columns.get('sample', columns['question'])!r} must number the answers to a "
            f"question, but {places} are both sample {frame['sample'].iloc[rows[0]]} of question "
            f"{short(frame['question'].iloc[rows[0]])}{f' (and {more:,} more rows repeat one)' if more else ''}."
        )
    size = frame.groupby("question", sort=False)["row"].agg(["size", "first"])
    few = size[size["size"] < 2]
    if 2 * len(few) >= len(size):
        more = f" (and {len(few) - 1:,} more questions)" if len(few) > 1 else ""
        raise ValueError(
            f"{table.name}: most questions must have at least two answers, but question "
            f"{short(few.index[0])} ({table.where(few['first'].iloc[0])}) has one{more}. {_door_of_scores(table)}"
        )
    if len(size) < 2:
        raise ValueError(f"{table.name} must hold at least two questions, but all {len(frame):,} answers are to one.")
    return place


def _door_of_scores(table):
    """Who reads a table with one answer a question, and what its columns must be called."""
    is_ready = {"answer", "confidence"} <= set(table.names) and {"correct", "reference"} & set(table.names)
    form = "as it is" if is_ready else "if its columns are called answer, confidence, and reference or correct"
    return f"With one answer a question the report on scores reads it {form} (notebook 13, read_scores)."


def with_counts(table, names, question, reference):
    """(the table with a dictionary of counts in each row, the name of its column, that of the questions).

    The table has one row a question and a column of counts for each class; without names, questions are numbered.
    """
    if len(names) < 2:
        raise ValueError(f"counts must name at least two columns, one for each class, but it is {names}.")
    roles = {role: name for role, name in (("question", question), ("reference", reference)) if name in table.names}
    check_columns(table.name, table.names, roles | {f"counts[{k}]": name for k, name in enumerate(names)})
    frame = table.read(names)
    counts = frame.apply(pd.to_numeric, errors="coerce")
    for name in names:
        bad = ~((counts[name] >= 0) & (counts[name] % 1 == 0))
        if bad.any():
            hint = "Write 0 where a class was not given." if frame[name].isna()[bad].any() else ""
            table.reject(name, "hold counts (whole numbers, not negative)", bad, frame[name], hint)
    if "reference" in roles:
        right = table.read([reference])[reference]
        wrong = right.notna() & ~right.isin(names)
        if wrong.any():
            table.reject(reference, f"name one of the columns {', '.join(names)}", wrong, right)
    answer = f"counts of {', '.join(names)}"
    made = table.frame.assign(**{answer: counts.astype(int).to_dict("records")})
    if not question:
        made = made.assign(question=np.arange(len(made)))
    return replace(table, frame=made), answer, question or "question"
