"""What a class has answered on the pages: the files that readers save there, put together, and what was learned.

``python -m helpers.notebook.marks FOLDER`` prints it. A file has a line of JSON for each item that was answered.
"""

import argparse
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import t

from helpers._result import Result
from helpers.checks import check_level
from helpers.notebook.display import show, table
from helpers.notebook.guard import WORDS, fits
from helpers.resampling import exact_interval

FIELDS = {"who": str, "page": str, "item": str, "right": bool, "tries": int, "answer": str}

BEFORE, AFTER = "concept_test_before", "concept_test_after"  # pages, as site/live/marks.js names them


def _mark(line, place):
    """One line as a dict of `FIELDS`."""
    try:
        mark = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"{place} must be a line of JSON, but it is not ({error.msg}).") from None
    if not isinstance(mark, dict):
        raise ValueError(f"{place} must hold one item with its names, but it is {line[:40]!r}.")
    for name, kind in FIELDS.items():
        if not fits(mark.get(name), kind):
            raise ValueError(f"{place}: {name} must be {WORDS[kind]}, but it is {mark.get(name)!r}.")
    for name in ("who", "page", "item"):
        if not mark[name].strip():
            raise ValueError(f"{place}: {name} must not be empty.")
    if mark["tries"] < 1:
        raise ValueError(f"{place}: tries must be at least 1, but it is {mark['tries']}.")
    return {name: mark[name] for name in FIELDS} | {"place": place}


def _lines(path):
    """(where it stands, text) of each line of a file that is not empty."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path.name} must be a text file, but its bytes are none.") from None
    return [(f"{path.name}, line {n}", line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]


def read_marks(folder):
    """Read all files of a class.

    Whoever saves twice hands in an item twice: the line with more tries is the later one, and stays.

    Parameters
    ----------
    folder : str or Path
        Folder of the files, which end in ``.jsonl``.

    Returns
    -------
    DataFrame
        A row for each person and item: who, page, item, right (at the end), tries, answer (a letter, or "").

    Raises
    ------
    ValueError
        For a folder without such files or marks, a line that is broken (it names file and line), and two lines of one
        person that contradict one another: then two people have the same code, or somebody began anew.
    """
    paths = sorted(Path(folder).glob("*.jsonl"))
    if not paths:
        raise ValueError(f"folder must hold files that end in .jsonl, but {str(folder)!r} has none.")
    marks = {}
    for path in paths:
        for place, line in _lines(path):
            mark = _mark(line, place)
            mark["who"] = mark["who"].strip()
            key = mark["who"], mark["page"], mark["item"]
            other = marks.setdefault(key, mark)
            if mark["tries"] == other["tries"] and (mark["right"], mark["answer"]) != (other["right"], other["answer"]):
                raise ValueError(
                    f"{place}: {key[0]!r} has answered {key[2]!r} of {key[1]!r} otherwise in {other['place']}. "
                    "If these are two people, give one another code in the file; if it is one, remove a file."
                )
            if mark["tries"] > other["tries"]:
                marks[key] = mark
    if not marks:
        raise ValueError(f"folder must hold marks, but all files in {str(folder)!r} are empty.")
    return pd.DataFrame(marks.values())[list(FIELDS)]


@dataclass(frozen=True)
class Gain(Result):
    """What a class has gained between two tests, as shares of right answers, from 0 to 1.

    Parameters
    ----------
    value, se, low, high : float
        Mean gain of a person, its standard error, and the ends of the interval of Student's t.
    before, after : float
        Mean shares of right answers.
    level, n : float and int
        Coverage aimed at, and people.
    gains : ndarray
        The gain of each person.

    Examples
    --------
    See `mean_gain`.
    """

    value: float
    se: float
    low: float
    high: float
    before: float
    after: float
    level: float
    n: int
    gains: np.ndarray = field(repr=False)

    def __str__(self):
        before, after, gain, low, high = (
            f"{100 * share:.1f}" for share in (self.before, self.after, self.value, self.low, self.high)
        )
        return f"right before {before} %, after {after} %: gain {gain} points [{low}, {high}], n = {self.n:,}"


def _answers(marks, page):
    """People x items of a page: 1 right, 0 wrong, NaN without an answer."""
    rows = marks[marks["page"] == page]
    return rows.pivot(index="who", columns="item", values="right").astype(float)


def _twice(marks):
    """(before, after) of those who took both tests, with the same items; one that was left out is not right."""
    before = _answers(marks, BEFORE)
    after = _answers(marks, AFTER)
    people = before.index.intersection(after.index)
    items = before.columns.union(after.columns)
    return [each.reindex(index=people, columns=items).fillna(0.0) for each in (before, after)]


def mean_gain(marks, level=0.95):
    """Mean gain in the concept test of those who took it before and after the course.

    A question that was left out is not right, as in an exam. The interval is that of Student's t over people, because
    a class is small, and the percentiles of a bootstrap are too narrow there.

    Parameters
    ----------
    marks : DataFrame
        As from `read_marks`.
    level : float, default 0.95
        Coverage aimed at, in (0, 1).

    Returns
    -------
    Gain
        Above 0 if more is right afterwards.

    Raises
    ------
    ValueError
        If fewer than two people took the test twice.

    Examples
    --------
    >>> marks = pd.DataFrame({"who": ["a", "b", "c"] * 2, "page": [BEFORE] * 3 + [AFTER] * 3, "item": "question 1",
    ...                       "right": [False, False, True, True, True, True]})
    >>> print(mean_gain(marks))
    right before 33.3 %, after 100.0 %: gain 66.7 points [-76.8, 210.1], n = 3
    """
    check_level(level)
    before, after = _twice(marks)
    n = len(before)
    if n < 2:
        raise ValueError(f"marks must hold at least two people who took the test before and after, but {n} did.")
    gains = (after.mean(axis=1) - before.mean(axis=1)).to_numpy()
    value = float(gains.mean())
    se = float(gains.std(ddof=1) / n**0.5)
    reach = float(t.ppf((1 + level) / 2, n - 1)) * se
    means = float(before.to_numpy().mean()), float(after.to_numpy().mean())
    return Gain(value, se, value - reach, value + reach, *means, level, n, gains)


def in_order(name):
    """Key by which "question 2" comes before "question 10"."""
    words, _, number = name.rpartition(" ")
    return (words, int(number)) if number.isdigit() else (name, 0)


def share_right(marks, level=0.95):
    """Share of right answers to each item.

    On a page that says at once what is right, the first answer counts; in the concept test, which does not, the last.

    Parameters
    ----------
    marks : DataFrame
        As from `read_marks`.
    level : float, default 0.95
        Coverage of the exact intervals, at least.

    Returns
    -------
    DataFrame
        A row for each page and item: n who answered, share who was right, low, high, and tries, their mean number.

    Examples
    --------
    >>> marks = pd.DataFrame({"who": ["a", "b"], "page": "03", "item": "quiz 1", "right": True, "tries": [1, 2]})
    >>> share_right(marks).round(2)
      page    item  n  share   low  high  tries
    0   03  quiz 1  2    0.5  0.01  0.99    1.5
    """
    counts = marks["page"].isin([BEFORE, AFTER]) | (marks["tries"] == 1)
    items = marks.assign(hit=marks["right"] & counts).groupby(["page", "item"])
    items = items.agg(n=("hit", "size"), share=("hit", "mean"), hits=("hit", "sum"), tries=("tries", "mean"))
    low, high = exact_interval(items.pop("hits"), items["n"], level)
    items.insert(2, "low", low)
    items.insert(3, "high", high)
    return items.sort_index(key=lambda names: names.map(in_order)).reset_index()


def report(marks):
    """Show what the files of a class hold: the gain, and the share of right answers to each item."""
    who = marks["who"].nunique()
    show(f"{len(marks):,} marks of {who:,} {'person' if who == 1 else 'people'}.")
    items = share_right(marks)
    right = [f"{100 * row.share:.0f} [{100 * row.low:.0f}, {100 * row.high:.0f}]" for row in items.itertuples()]
    items = items.assign(right=right)
    is_test = items["page"].isin([BEFORE, AFTER])
    if is_test.any():
        show("")
        try:
            show(f"Concept test: {mean_gain(marks)}")
        except ValueError as error:
            show(f"Concept test: {error}")
        once = sorted({*_answers(marks, BEFORE).index} ^ {*_answers(marks, AFTER).index})
        if once:
            show(f"Not in the gain, because they took it once: {', '.join(once)}")
        test = items[is_test].set_index("item")[["page", "n", "right"]]
        before, after = (test[test["page"] == page].drop(columns="page") for page in (BEFORE, AFTER))
        both = before.add_suffix(" before").join(after.add_suffix(" after"), how="outer").rename_axis("question")
        table(both.sort_index(key=lambda names: names.map(in_order)), "\nRight in %, with exact 95 % intervals")
    if not is_test.all():
        caption = "\nRight at the first try in %, with exact 95 % intervals, and the mean number of tries"
        table(items.loc[~is_test, ["page", "item", "n", "right", "tries"]], caption, {"tries": ".1f"})


def main(arguments=None):
    """Command line; returns the exit status."""
    parser = argparse.ArgumentParser("python -m helpers.notebook.marks", description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="folder of the files that students saved (marks_*.jsonl)")
    chosen = parser.parse_args(arguments)
    try:
        report(read_marks(chosen.folder))
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
