"""Answers that are not samples: the same ones again in the same order."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

LOOKED_AT = 200  # places at the most, because every two of them are compared

SURE = 6.0  # standard errors, so that no file of independent answers is accused, however many places it has

COPIED = 0.98  # share of the questions in which two places are equal, to be called copies

SORTED = 0.95  # share of questions whose equal answers stand together, from which the order says nothing

NOTED = 0.25  # share of repeated answers, beyond chance, that is worth a word


@dataclass(frozen=True)
class Repeats:
    """Places of samples whose answers are equal far more often than independent ones would be."""

    # columns: places first and second (from 1), n (questions that have both), share equal of these, share expected if
    # the answers to a question came in random order, z

    pairs: pd.DataFrame

    @property
    def equal_pairs(self):
        """The pairs that are equal in nearly all questions."""
        return self.pairs[self.pairs["equal"] >= COPIED]

    @property
    def copies(self):
        """Places that are equal to an earlier one in nearly all questions."""
        return np.unique(self.equal_pairs["second"].to_numpy(int))

    @property
    def firsts(self):
        """The places that they repeat."""
        return np.setdiff1d(self.equal_pairs["first"].to_numpy(int), self.copies)

    def __str__(self):
        same = self.equal_pairs
        if len(same):
            return (
                f"answers {_spans(self.copies)} repeat earlier ones ({_spans(self.firsts)}) in at least "
                f"{np.floor(100 * same['equal'].min()):.0f}% of {same['n'].max():,} questions"
            )
        worst = self.pairs.loc[self.pairs["equal"].idxmax()]
        return (
            f"answers {worst['first']:.0f} and {worst['second']:.0f} are equal in {worst['equal']:.0%} of "
            f"{worst['n']:,.0f} questions, where chance allows {worst['expected']:.0%}"
        )


def _spans(places):
    """Places in words: '5 to 8, 12'."""
    parts = np.split(places, np.flatnonzero(np.diff(places) != 1) + 1)
    return ", ".join(f"{part[0]} to {part[-1]}" if len(part) > 1 else f"{part[0]}" for part in parts)


def find_repeats(question, place, text):
    """`Repeats` of the answers to questions, or None; `place` orders the answers to a question."""
    # Every two places are compared in all questions that have both. If the answers to a question are independent, they
    # could have come in any order: two of them are equal with the share of equal pairs among all its pairs.
    number = pd.factorize(question)[0]
    order = np.lexsort([place, number])
    row = number[order]
    code = pd.factorize(np.asarray(text, dtype=object)[order])[0]
    start = np.flatnonzero(np.diff(row, prepend=-1))
    at = np.arange(row.size) - np.repeat(start, np.diff(np.r_[start, row.size]))
    size = np.bincount(row)
    n_codes = code.max() + 2
    given, times = np.unique(row.astype(np.int64) * n_codes + code + 1, return_counts=True)
    asked = given // n_codes
    same = np.bincount(asked, times * (times - 1.0), minlength=size.size)
    chance = same / np.maximum(size * (size - 1.0), 1)
    width = int(min(size.max(), LOOKED_AT))
    runs = np.bincount(row, (np.diff(code, prepend=-1) != 0) | (at == 0))
    n_classes = np.bincount(asked, minlength=size.size)
    several = n_classes > 1
    if width < 3 or (several.any() and (runs == n_classes)[several].mean() > SORTED):
        return None  # sorted by answer: the order is not that in which they were given
    kept = at < width
    grid = np.full((size.size, width), -2)
    grid[row[kept], at[kept]] = code[kept]
    lines = []
    for gap in range(1, width):
        both = grid[:, gap:] > -2
        equal = (grid[:, gap:] == grid[:, :-gap]) & both
        n = both.sum(axis=0)
        expected = (both * chance[:, None]).sum(axis=0)
        sd = np.sqrt((both * (chance * (1 - chance))[:, None]).sum(axis=0))
        with np.errstate(divide="ignore", invalid="ignore"):
            z = (equal.sum(axis=0) - expected) / sd
            beyond = (equal.sum(axis=0) - expected) / (n - expected)
        for first in np.flatnonzero((sd > 0) & (z > SURE) & (beyond > NOTED)):
            share = equal[:, first].sum() / n[first]
            lines.append((first + 1, first + 1 + gap, n[first], share, expected[first] / n[first], z[first]))
    if not lines:
        return None
    return Repeats(pd.DataFrame(lines, columns=["first", "second", "n", "equal", "expected", "z"]))
