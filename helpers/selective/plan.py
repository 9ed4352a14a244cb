"""Before questions are asked: how many a promise about the selected answers needs."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy.stats import binom, norm

from helpers._result import Result
from helpers.checks import check_broadcast, check_level, check_numbers, raise_first
from helpers.selective.certified import STARTS

LEAST_AHEAD = 0.001  # of the accuracy beyond the promise


@dataclass(frozen=True)
class AnswerPlan(Result):
    """How many questions a promise needs.

    Parameters
    ----------
    table : DataFrame
        One row a case: accuracy, coverage, questions (with a known right answer), selected (of them).
    precision, level, power : float
        Share of right answers that is promised, how often the promise holds at least, and with which probability it
        can be made.

    Examples
    --------
    See `plan_answers`.
    """

    table: pd.DataFrame = field(repr=False)
    precision: float
    level: float
    power: float

    def __str__(self):
        lines = [
            f"{row.questions:,} questions, of which {row.selected:,} are selected and "
            f"{100 * row.accuracy:.1f} % of these right"
            for row in self.table.itertuples()
        ]
        precision, level, power = (f"{100 * share:.0f} %" for share in (self.precision, self.level, self.power))
        promise = f"promise: {precision} right with {level} confidence, power {power}"
        return "\n".join([*lines, promise])


def plan_answers(accuracy, coverage=1.0, *, precision=0.9, level=0.95, power=0.8):
    """How many questions `certified_precision` and a report need to promise a share of right answers.

    The selected answers have one confidence (say, all samples agree), the highest. Of k of them w ~ B(k, 1 - accuracy)
    are wrong, and the promise is made if the binomial tail P(B(k, 1 - precision) <= w) is at most the allowed error:
    (1 - level) times the share of the starts of `certified_precision` that are at most k.

    Where confidences differ within the selection, each of the tests from 50, 150 or 450 answers on must pass with its
    part of the error alone: 450 selected answers do if 95 % of them are right, and fewer may fail.

    How many samples a question gets is not in this formula: it decides which accuracy and coverage are reached. Take
    both from a pilot, whose report shows what fewer samples would do.

    Parameters
    ----------
    accuracy : float or array_like
        Share right of the selected answers, above `precision` by 0.001 at least.
    coverage : float or array_like, default 1
        Share of the questions whose answer is selected, in (0, 1]; broadcast with `accuracy`.
    precision, level : float, default 0.9 and 0.95
        As in `certified_precision`.
    power : float, default 0.8
        Probability that the promise can be made.

    Returns
    -------
    AnswerPlan
        `table` has a row for each case. Any larger number of questions will do as well.

    Raises
    ------
    ValueError
        For numbers outside their bounds.

    Examples
    --------
    >>> print(plan_answers([0.93, 0.96], coverage=0.5))
    1,186 questions, of which 593 are selected and 93.0 % of these right
    300 questions, of which 150 are selected and 96.0 % of these right
    promise: 90 % right with 95 % confidence, power 80 %
    """
    precision, level, power = check_level(precision, "precision"), check_level(level), check_level(power, "power")
    accuracy, coverage = check_numbers(accuracy, "accuracy"), check_numbers(coverage, "coverage")
    outside = ~((accuracy >= precision + LEAST_AHEAD) & (accuracy <= 1))
    if outside.any():
        least = f"be above precision = {precision:g} by {LEAST_AHEAD} at least, and at most 1"
        raise_first("accuracy", least, accuracy, outside)
    outside = ~((coverage > 0) & (coverage <= 1))
    if outside.any():
        raise_first("coverage", "lie in (0, 1]", coverage, outside)
    accuracy, coverage = check_broadcast(accuracy=accuracy, coverage=coverage)
    rows = {"accuracy": accuracy.ravel(), "coverage": coverage.ravel()}
    cases = zip(*rows.values(), strict=True)
    selected = np.array([_selected(*case, precision, level, power) for case in cases], np.int64)
    questions = np.ceil(selected / rows["coverage"] - 1e-9).astype(np.int64)
    return AnswerPlan(pd.DataFrame(rows | {"questions": questions, "selected": selected}), precision, level, power)


def promise_chance(k, accuracy, coverage, precision, level):
    """Chance that the promise can be made with k selected answers, (n,) for k (n,)."""
    starts = np.array(STARTS)
    reached = (starts <= k[:, None]).sum(axis=1)
    usable = np.maximum((starts <= np.ceil(k / coverage)[:, None]).sum(axis=1), 1)
    error = (1 - level) * np.where(k < starts[0], 1, reached) / usable
    wrong = binom.ppf(error, k, 1 - precision)  # the first whose tail reaches the error
    wrong -= binom.cdf(wrong, k, 1 - precision) > error
    return binom.cdf(wrong, k, 1 - accuracy)


def _selected(accuracy, coverage, precision, level, power):
    """Selected answers from which on the promise can be made with this power."""
    # the chance goes up and down with k, since counts are whole: behind the last k at which it is too small
    sd = np.sqrt(precision * (1 - precision))
    z = norm.isf((1 - level) / len(STARTS)) + max(norm.ppf(power), 0)
    most = int(4 * (z * sd / (accuracy - precision)) ** 2) + 4 * STARTS[-1]
    k = np.arange(1, most + 1)
    lacking = promise_chance(k, accuracy, coverage, precision, level) < power
    return int(k[lacking][-1]) + 1 if lacking.any() else 1
