"""Scores recalibrated and repaired out of fold, so that labels can judge them: parts of their loss, and what they cost
today, after recalibration and after repair, in the unit of the user's costs.
"""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd
from scipy.stats import norm

from helpers.calibration.calibrators import calibrate_rows
from helpers.decisions import best_decision, expected_cost, optimal_threshold
from helpers.decisions.estimator import plausible_values
from helpers.decisions.risks import excess_risk
from helpers.grouping.stacked import random_folds
from helpers.practice.repair import Recalibrator
from helpers.practice.reports.drift import Later, parts_that_matter, split_over_time
from helpers.resampling import mean_and_variance

FOLDS = 5
FOLDINGS = 5  # whose mean is taken, so that a result does not hang on one division into folds
FEW_ROWS = 20_000  # up to which that costs little
MOST_ROWS = 12_000  # by which a repair is learned, in about ten seconds
MOST_JUDGED = 100_000  # by which it is judged: what has not taught it is predicted, in a tenth of a millisecond each
MOST_SHUFFLED = 500  # by which it is told which columns a repair hangs on
QUANTILE = float(norm.ppf(0.975))


@dataclass(frozen=True)
class Judged:
    """Scores of the rows that judge what decisions cost."""

    rows: np.ndarray
    recalibrated: np.ndarray  # of these rows
    repaired: np.ndarray


@dataclass(frozen=True)
class Repaired:
    """Scores by labels that they have not seen."""

    recalibrated: np.ndarray  # of all rows, out of fold
    rows: np.ndarray  # rows that are repaired: all of them, or about 100,000 of a larger table
    repaired: np.ndarray  # out of fold; as `recalibrated` where nothing is repaired
    se: np.ndarray  # standard error of what the repair changed
    model: Recalibrator | None  # for new cases, taught by all rows; None where a repair was not possible
    later: Later | None = None  # where rows have a date
    by_later: Judged | None = None  # scores of later rows, by a model with the same columns that early ones have taught

    @property
    def judged(self):
        """The rows that judge, and their scores: later ones where there are enough, else all out of fold."""
        return self.by_later or Judged(self.rows, self.recalibrated[self.rows], self.repaired)


def repair_scores(table, calibrator, *, can_repair=True, rng=None):
    """Recalibrate and repair the scores of a table out of fold; where rows have a date, also later ones by early ones.

    No repair learns from columns in which new rows lie beyond those of the table.
    """
    rng = np.random.default_rng(rng)
    of_time = rng.spawn(2)
    later = split_over_time(table, of_time[0])
    by_later = None
    calendar = {}
    whole = table
    if later is not None:
        table = replace(table, X=table.X.drop(columns=list(later.beyond)))
        if can_repair and not later.too_few:
            by_later, calendar = judge_later(whole, table, later, calibrator, of_time[1])
            table = replace(table, X=table.X.assign(**{name: whole.X[name] for name in calendar}))
    scores = _repair_out_of_fold(table, calibrator, calendar, can_repair, rng)
    return replace(scores, later=later, by_later=by_later)


def judge_later(whole, table, later, calibrator, rng):
    """Later rows `Judged` by a repair that the earlier ones have taught, and the parts of the date that it sees.

    whole, table : with the columns in which later rows lie beyond, and without
    """
    teach = later.teach[rows_of_whole_groups(table.take(later.teach), MOST_ROWS, rng)]
    judge = later.judge[rows_of_whole_groups(table.take(later.judge), MOST_JUDGED, rng)]
    seed = int(rng.integers(2**31))
    teaching = whole.take(teach)
    judging = whole.take(judge)
    model = Recalibrator(calibrator, rng=seed)
    out_of_fold = model.fit_rows(table.take(teach))
    recalibrated = model.calibrated(judging.p)
    repaired = _predict(model, judging)
    parts = parts_that_matter(replace(teaching, p=out_of_fold), later.column)
    if not parts:
        return Judged(judge, recalibrated, repaired), {}
    calendar = {later.column: parts}
    model = Recalibrator(calibrator, calendar=calendar, rng=seed)
    model.fit_rows(replace(teaching, X=teaching.X[[*table.features, later.column]]))
    by_calendar = _predict(model, judging)
    gain = (judging.y - repaired) ** 2 - (judging.y - by_calendar) ** 2
    if mean_of(judging, "gain", gain)["gain_low"] > 0:
        return Judged(judge, recalibrated, by_calendar), calendar
    return Judged(judge, recalibrated, repaired), {}


def _predict(model, table):
    parts = in_parts(np.arange(table.n))
    return np.concatenate([model.predict(table.X.iloc[some], table.p[some]) for some in parts])


def _repair_out_of_fold(table, calibrator, calendar, can_repair, rng):
    recalibrated = out_of_fold(table, calibrator, rng)
    rows = rows_of_whole_groups(table, MOST_ROWS, rng)
    repaired = recalibrated[rows]
    se = np.zeros(rows.size)
    model = None
    if can_repair:
        some = table if rows.size == table.n else table.take(rows)
        model = Recalibrator(calibrator, calendar=calendar, rng=rng)
        out_of_sample = model.fit_rows(some)
        if model.changed_:
            repaired = out_of_sample
            se = model.predict(some.X, some.p, return_std=True)[1]
    learned = Repaired(recalibrated, rows, repaired, se, model)
    if rows.size == table.n:
        return learned
    judged = np.union1d(rows, rows_of_whole_groups(table, MOST_JUDGED, rng))
    if model is None or not model.changed_:
        return replace(learned, rows=judged, repaired=recalibrated[judged], se=np.zeros(judged.size))
    repaired, se = repair_all(table, learned, judged)
    return replace(learned, rows=judged, repaired=repaired, se=se)


def repair_all(table, scores, rows=None):
    """Repaired scores of rows (of all by default) and their errors: of a larger table, most are new to the repair."""
    rows = np.arange(table.n) if rows is None else rows
    repaired = np.empty(table.n)
    se = np.empty(table.n)
    new = np.setdiff1d(rows, scores.rows)
    for some in in_parts(new):
        repaired[some], se[some] = scores.model.predict(table.X.iloc[some], table.p[some], return_std=True)
    repaired[scores.rows] = scores.repaired
    se[scores.rows] = scores.se
    return repaired[rows], se[rows]


def in_parts(rows):
    """Rows in parts that are predicted at a time."""
    return np.array_split(rows, -(-rows.size // MOST_ROWS)) if rows.size else []


def rows_of_whole_groups(table, most, rng, least_groups=0):
    """Rows of randomly chosen groups, in order: at most so many, or those of so many groups if that is more."""
    unit = np.arange(table.n) if table.groups is None else table.groups
    order = rng.permutation(unit.max() + 1)
    cases = np.cumsum(np.bincount(unit)[order])
    n_units = max(int(np.searchsorted(cases, most, "right")), min(order.size, least_groups), 1)
    chosen = np.zeros(order.size, bool)
    chosen[order[:n_units]] = True
    return np.flatnonzero(chosen[unit])


def out_of_fold(table, calibrator, rng, p=None):
    """Recalibrate scores, each by the labels of other folds; by all labels where the rarer one is in few cases."""
    p = table.p if p is None else p
    return by_other_folds(partial(calibrate_rows, calibrator), p, table.y, table.y, table, np.random.default_rng(rng))


def by_other_folds(calibrate, p, y, ones, table, rng):
    """calibrate(p, y, weights, at) at each fold of a table by the others; all by all where these do not suffice.

    ones : labels of which the rows outside each fold hold both, (n,) of 0 and 1
    """
    recalibrated = np.zeros_like(p)
    n_foldings = FOLDINGS if len(p) <= FEW_ROWS else 1
    try:
        for _ in range(n_foldings):
            fold = random_folds(ones, table.groups, FOLDS, rng)
            for j in range(FOLDS):
                inside = fold == j
                learn = ~inside
                recalibrated[inside] += calibrate(p[learn], y[learn], table.weights[learn], p[inside]) / n_foldings
    except ValueError:  # too few cases of one class, or outside of a fold all scores are alike
        return calibrate(p, y, table.weight, p)
    return recalibrated


def mean_of(table, name, values):
    """Mean of a value of each case as `name`, and its 95 % interval as `name`_low and `name`_high."""
    mean, variance = mean_and_variance(values, table.weights, table.groups)
    half_width = QUANTILE * variance**0.5
    return {name: mean, f"{name}_low": mean - half_width, f"{name}_high": mean + half_width}


def parts_of_loss(table, recalibrated):
    """Mean squared error of the stated scores (loss), and what recalibration would save of it (saved, with ends)."""
    loss = (table.y - table.p) ** 2
    saved = mean_of(table, "saved", loss - (table.y - recalibrated) ** 2)
    return {"loss": float(np.average(loss, weights=table.weights))} | saved


# ---- costs ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Money:
    """Costs of deciding by a score, in the unit of the costs for each case."""

    threshold: float  # probability from which yes pays
    # A row a policy: "stated", "recalibrated", "repaired", "always yes", "always no". In shares of the cases: yes,
    # misses, false_alarms. In the unit of the costs: cost, what it saves beside the stated scores (saved), beside the
    # recalibrated ones (over_recalibrated) and beside the cheaper of the last two (over_rule). Each with its ends, _low
    # and _high, which hold what it is on average over cases like these, and not over the next few
    costs: pd.DataFrame
    n: int  # cases that judge: all (later ones where rows have a date), or about 100,000 of a larger table
    changed: bool  # whether a test sees that the features add something to the score
    columns: tuple = ()  # of a repair that saves something: those that move its scores most come first

    def saves(self, policy):
        """Whether a policy, of the index of `costs`, surely saves something (at 95 %, this policy alone)."""
        return bool(self.costs.loc[policy, "saved_low"] > 0)


def count_money(table, scores, cost):
    """Count what a score costs."""
    judged = scores.judged
    table = table if judged.rows.size == table.n else table.take(judged.rows)
    by_score = {"stated": table.p, "recalibrated": judged.recalibrated, "repaired": judged.repaired}
    decisions = {policy: best_decision(score, cost) for policy, score in by_score.items()}
    decisions |= {"always yes": np.ones(table.n, int), "always no": np.zeros(table.n, int)}
    paid = {policy: expected_cost(decision, table.y, cost) for policy, decision in decisions.items()}
    rule = min(("always yes", "always no"), key=lambda policy: np.average(paid[policy], weights=table.weights))
    rows = {}
    for policy, decision in decisions.items():
        columns = {
            "cost": paid[policy],
            "saved": paid["stated"] - paid[policy],
            "over_recalibrated": paid["recalibrated"] - paid[policy],
            "over_rule": paid[rule] - paid[policy],
            "yes": decision.astype(float),
            "misses": (1 - decision) * table.y,
            "false_alarms": decision * (1 - table.y),
        }
        rows[policy] = {k: x for name, values in columns.items() for k, x in mean_of(table, name, values).items()}
    changed = scores.model is not None and scores.model.changed_
    money = Money(optimal_threshold(cost), pd.DataFrame(rows).T, table.n, changed)
    if changed and money.saves("repaired"):
        money = replace(money, columns=tuple(columns_by_effect(scores.model, table)))
    return money


def columns_by_effect(model, table):
    """Columns of a repair, those first that move its scores most where rows get the value of another row."""
    rng = np.random.default_rng(0)
    rows = rng.permutation(table.n)[:MOST_SHUFFLED]
    X = table.X.iloc[rows]
    p = table.p[rows]
    if table.classes is not None:
        p = table.classes.P.iloc[rows][list(model.score_columns_)].rename(columns=model.score_columns_)
    repaired = model.predict(X, p)
    other = rng.permutation(rows.size)
    effect = {}
    for name in model.columns_:
        shuffled = model.predict(X.assign(**{name: X[name].array.take(other)}), p)
        effect[name] = np.mean((shuffled - repaired) ** 2)
    return sorted(effect, key=effect.get, reverse=True)


def expected_excess(repaired, se, p, cost):
    """What deciding by stated scores is expected to cost more than deciding by repaired ones, which err."""
    return np.mean([excess_risk(value, p, cost) for value in plausible_values(repaired, se)], axis=0)
