"""For which questions a confidence is off: groups by further columns of the file, such as a topic."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from helpers.audit import search_segments
from helpers.reports.phrases import percent, shares
from helpers.resampling import exact_interval

DRAWS = 999


@dataclass(frozen=True)
class QuestionGroups:
    """Groups of questions in which a confidence is off by more than one curve for all questions can mend.

    table : a row a group: rule, n, stated, calibrated, observed, low, high (shares of right answers; the intervals of
        all groups hold together), adjusted (p-value), and of its questions that are used n_used and n_right; None where
        no column has a group of enough questions
    notes : what was left out, and why
    n_rest, n_right_rest : questions, and right answers, outside of the groups in which fewer are right
    """

    table: pd.DataFrame | None
    notes: tuple = ()
    n_rest: int = 0
    n_right_rest: int = 0


def find_groups(features, correct, confidence, used, rng):
    """Search for groups of questions in which a confidence is off.

    Parameters
    ----------
    features : DataFrame, a row a question; correct : (Q,) 1, 0 or -1; confidence : (Q,), NaN where there is none
    used : (Q,) bool, questions that may be answered with a promise
    rng : source of the draws

    Returns
    -------
    QuestionGroups, or None where the file has no further columns
    """
    rows = np.flatnonzero((correct >= 0) & np.isfinite(confidence))
    y = correct[rows]
    if features.empty or not 0 < y.mean() < 1:
        return None
    X = features.iloc[rows].reset_index(drop=True)
    try:
        search = search_segments(y, confidence[rows], X, n_draws=DRAWS, rng=rng)
    except ValueError as error:  # everything else was checked: no group of enough questions
        return QuestionGroups(None, (str(error).partition(", but ")[2].rstrip("."),))
    named = search.selected
    inside = search.family.members(named.index, X).astype(bool)
    answered = inside & used[rows][:, None]
    table = named[["rule", "n", "stated", "calibrated", "observed", "adjusted"]].assign(
        low=(named["low"] + named["calibrated"]).clip(0, 1),
        high=(named["high"] + named["calibrated"]).clip(0, 1),
        n_used=answered.sum(axis=0),
        n_right=(answered & (y == 1)[:, None]).sum(axis=0),
    )
    fewer = (table["observed"] < table["calibrated"]).to_numpy()
    rest = ~inside[:, fewer].any(axis=1)
    table = table.sort_values("observed", kind="stable").reset_index(drop=True)
    return QuestionGroups(table, search.notes, int(rest.sum()), int(y[rest].sum()))


def breaks_promise(group, precision):
    """Whether surely fewer of the used answers of a group are right than are promised for all."""
    return exact_interval(int(group.n_right), int(group.n_used))[1] < precision if group.n_used else False


def print_groups(groups):
    """The table of `QuestionGroups` as texts."""
    lines = {
        row.rule: {
            "questions": f"{row.n:,}",
            "confidence": percent(row.stated),
            "right over all at such values": percent(row.calibrated),
            "right here": shares(row.observed, row.low, row.high),
        }
        for row in groups.itertuples()
    }
    return pd.DataFrame(lines).T.rename_axis("group")
