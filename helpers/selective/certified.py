"""Which answers may be used: a threshold of confidence above which a share of right answers is certain."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy.stats import binom

from helpers.checks import check_count, check_labels, check_level, check_numbers, check_probabilities, check_same_length

MOST_TIMES = 50  # the questions that there are: beyond it nobody asks how many would do

STARTS = (50, 150, 450)  # answers kept where the search starts anew, each time with its part of the error

EQUAL = 1e-9  # confidences that differ by less are the same: a share of 9 in 10 reaches 0.9


@dataclass(frozen=True)
class CertifiedPrecision:
    """The lowest threshold of confidence above which enough answers are surely right, or word that there is none.

    Parameters
    ----------
    threshold : float
        Answer from this confidence on; NaN if not `certified`.
    certified : bool
        Whether any threshold keeps the promise.
    precision : float
        The promise: at least this share of the answers that are given is right.
    level : float
        How often the promise holds, at least.
    n : int
        Questions.
    n_kept : int
        Those that are answered, 0 if not certified.
    n_right : int
        Those of them that were right.
    rows_needed : float
        About how many questions would certify the most promising threshold, if what was observed is the truth;
        infinite if it misses the promise everywhere, NaN when certified.
    table : DataFrame
        Threshold, kept, right, p_value, error (at which it was tested) and certified, in the order tried.

    Examples
    --------
    >>> print(certified_precision([1, 1, 1, 0] * 5, [0.9, 0.8, 0.8, 0.2] * 5))
    cannot be certified with 20 questions: at least 90% right with 95% confidence; about 68 would do
    """

    threshold: float
    certified: bool
    precision: float
    level: float
    n: int
    n_kept: int
    n_right: int
    rows_needed: float
    table: pd.DataFrame = field(repr=False)

    @property
    def coverage(self):
        """Share of the questions that are answered."""
        return self.n_kept / self.n

    def __str__(self):
        promise = f"at least {self.precision:.0%} right with {self.level:.0%} confidence"
        if self.certified:
            share = f"{self.n_right:,} of {self.n_kept:,} were right, {self.coverage:.0%} of the questions"
            return f"answer from a confidence of {shown_threshold(self.threshold):g} on: {promise} ({share})"
        refusal = f"cannot be certified with {self.n:,} questions: {promise}"
        return f"{refusal}; about {self.rows_needed:,.0f} would do" if np.isfinite(self.rows_needed) else refusal


def shown_threshold(threshold):
    """A threshold cut to four digits after the point, never rounded up: whoever reaches it is kept.

    >>> shown_threshold(2 / 3), shown_threshold(0.29), shown_threshold(0.9549)
    (0.6666, 0.29, 0.9549)
    """
    return float(np.floor(threshold * 1e4 + 1e-6) / 1e4)


def certified_precision(correct, confidence, *, precision=0.9, level=0.95, starts=STARTS):
    """Find the lowest confidence from which on at least a share `precision` of the answers is right, for certain.

    For each confidence t that occurs, from the highest to the lowest, it is tested whether fewer are right among the
    answers with t or more. Given the confidences, each answer is right with a chance of its own, so the number of right
    ones is a sum of unequal coins; its tail is at most the binomial one, which makes the test valid, also with ties.
    The allowed error 1 - level is divided equally among several starts, the thresholds that keep about 50, 150 and 450
    answers. A threshold that passes hands its error on to the next lower one, where it is added to what starts there
    (the fallback procedure); one that fails loses it. So with probability `level` or more no threshold passes whose
    promise is broken, and the lowest that passed may be used. To start at the very top would be to fail there, because
    few answers prove nothing.

    Parameters
    ----------
    correct : array of 0/1, shape (n,)
        Whether each answer is right; questions are independent.
    confidence : array, shape (n,)
        Confidences in [0, 1] that do not come from these labels.
    precision : float, default 0.9
        Share of right answers that is promised, in (0, 1).
    level : float, default 0.95
        How often the promise must hold, in (0, 1): over questions with these confidences, and so nearly over new ones.
    starts : sequence of int, default (50, 150, 450)
        Numbers of answers kept at which the search starts; those above n are left out, but for the first.

    Returns
    -------
    CertifiedPrecision
        The lowest threshold that passed, or about how many questions would be needed.

    Raises
    ------
    ValueError
        For labels other than 0 and 1, and confidences, shares or starts outside their range.

    References
    ----------
    Hoeffding (1956), On the distribution of the number of successes in independent trials; Wiens (2003), A fixed
    sequence Bonferroni procedure for testing multiple endpoints; Angelopoulos et al. (2025), Learn then test.

    Examples
    --------
    >>> sure = np.repeat([0.95, 0.7, 0.3], 200)
    >>> result = certified_precision(np.arange(600) % 20 > np.repeat([0, 0, 9], 200), sure)
    >>> result.threshold, result.n_kept, result.n_right
    (0.7, 400, 380)
    """
    correct = check_labels(correct, "correct")
    confidence = check_probabilities(confidence, "confidence")
    check_same_length(correct=correct, confidence=confidence)
    precision = float(check_numbers(precision, "precision"))
    if not 0 < precision < 1:
        raise ValueError(f"precision must lie strictly between 0 and 1, but it is {precision:g}.")
    level = check_level(level, "level")
    starts = [check_count(start, "starts", least=1) for start in starts]
    if not starts:
        raise ValueError("starts must hold at least one number of answers, but it is empty.")
    return certify_rows(correct, confidence, precision, level, starts)


def certify_rows(correct, confidence, precision, level, starts=STARTS):
    """`certified_precision` of columns that were checked."""
    order = np.argsort(-confidence, kind="stable")
    ordered = confidence[order]
    last = np.flatnonzero(np.append(np.diff(ordered) < -EQUAL, True))  # of each block of ties
    threshold = ordered[last]
    kept = last + 1
    right = np.cumsum(correct[order])[last].astype(int)
    p_value, error, passed = _tested(kept, right, precision, level, starts)
    columns = {"threshold": threshold, "kept": kept, "right": right, "p_value": p_value, "error": error}
    table = pd.DataFrame(columns | {"certified": passed})
    certified = bool(passed.any())
    lowest = int(np.flatnonzero(passed)[-1]) if certified else -1
    return CertifiedPrecision(
        threshold=float(threshold[lowest]) if certified else float("nan"),
        certified=certified,
        precision=precision,
        level=level,
        n=correct.size,
        n_kept=int(kept[lowest]) if certified else 0,
        n_right=int(right[lowest]) if certified else 0,
        rows_needed=float("nan") if certified else _rows_needed(kept, right, precision, level, starts),
        table=table,
    )


def _tested(kept, right, precision, level, starts):
    """P-value, error that may be spent, and verdict of each threshold, from the highest on; `kept` ends with all."""
    # fallback testing, derived in site/derivations/fallback.md
    p_value = binom.cdf(kept - right, kept, 1 - precision)
    usable = sorted({min(start, kept[-1]) for start in starts if start <= kept[-1] or start == min(starts)})
    part = np.bincount(np.searchsorted(kept, usable), minlength=kept.size) * (1 - level) / len(usable)
    error = np.zeros(kept.size)
    passed = np.zeros(kept.size, bool)
    handed = 0.0
    for k in range(kept.size):
        error[k] = handed + part[k]
        passed[k] = p_value[k] <= error[k]
        handed = error[k] if passed[k] else 0.0
    return p_value, error, passed


def _rows_needed(kept, right, precision, level, starts):
    """Questions with which a threshold passes if the same is seen again and again, up to fifty times as many."""
    if not ((right > precision * kept) & (kept >= min(10, kept[-1]))).any():  # of fewer the share says nothing
        return float("inf")
    for times in np.geomspace(1, MOST_TIMES, 100)[1:]:
        seen = np.rint(times * kept).astype(int)
        if _tested(seen, np.rint(times * right).astype(int), precision, level, starts)[2].any():
            return float(seen[-1])
    return float(MOST_TIMES * kept[-1])
