"""Which answers may be used: a threshold of confidence above which a share of right answers is certain."""

import numpy as np

from helpers.certificates import certify, mean_p_value
from helpers.checks import check_count, check_labels, check_level, check_numbers, check_probabilities, check_same_length

MAX_FACTOR = 50  # by which the questions are multiplied, at most, in the search for the number that would do

STARTS = (50, 150, 450)  # answers kept where the search starts anew, each time with its part of the error

LEAST_SEEN = 10  # answers: with fewer the share that is right is no guide

EQUAL = 1e-9  # confidences that differ by less are the same: a share of 9 in 10 reaches 0.9


def shown_threshold(threshold):
    """A threshold cut to four digits after the point, never rounded up: whoever reaches it is kept."""
    return float(np.floor(threshold * 1e4 + 1e-6) / 1e4)


def certified_precision(correct, confidence, *, precision=0.9, level=0.95, starts=STARTS):
    """Find the lowest confidence from which on at least a share `precision` of the answers is right, for certain.

    For each confidence t that occurs, from the highest to the lowest, it is tested whether fewer are right among the
    answers with t or more. Given the confidences, each answer is right with a chance of its own, so the number of right
    ones is a sum of unequal coins; its tail is at most the binomial one (Hoeffding, 1956), which makes the test valid,
    also with ties. The allowed error 1 - level is divided equally among the `starts`: to start at the very top would be
    to fail there, because few answers prove nothing. A threshold that passes hands its error on to the next lower one
    (the fallback procedure: Wiens, 2003; Angelopoulos et al., 2025); one that fails loses it. So with probability
    `level` or more no threshold passes whose promise is broken, and the lowest that passed may be used.

    Parameters
    ----------
    correct, confidence : array, shape (n,)
        Whether each answer is right, 0/1, and confidences in [0, 1] that do not come from these labels; questions are
        independent.
    precision : float, default 0.9
        Share of right answers that is promised, in (0, 1).
    level : float, default 0.95
        How often the promise must hold: over questions with these confidences, and so nearly over new ones.
    starts : sequence of int, default (50, 150, 450)
        Numbers of answers kept at which the search starts; those above n are left out, but for the first.

    Returns
    -------
    Certificate
        The lowest threshold that passed, or about how many questions would be needed. Its loss is the share wrong, so
        its target is 1 - precision.

    Examples
    --------
    >>> sure = np.repeat([0.95, 0.7, 0.3], 200)
    >>> print(certified_precision(np.arange(600) % 20 > np.repeat([0, 0, 9], 200), sure))
    threshold 0.7: share wrong at most 0.1 with 95 % confidence; observed 0.05 in 400 of 600 rows
    """
    correct = check_labels(correct, "correct")
    confidence = check_probabilities(confidence, "confidence")
    check_same_length(correct=correct, confidence=confidence)
    precision = float(check_numbers(precision, "precision"))
    if not 0 < precision < 1:
        raise ValueError(f"precision must lie strictly between 0 and 1, but it is {precision:g}.")
    level = check_level(level)
    starts = [check_count(start, "starts", least=1) for start in starts]
    if not starts:
        raise ValueError("starts must hold at least one number of answers, but it is empty.")
    return certify_rows(correct, confidence, precision, level, starts)


def certify_rows(correct, confidence, precision, level, starts=STARTS):
    """`certified_precision` of columns that were checked."""
    order = np.argsort(-confidence, kind="stable")
    ordered = confidence[order]
    last = np.flatnonzero(np.append(np.diff(ordered) < -EQUAL, True))  # of each block of ties
    kept = last + 1
    right = np.cumsum(correct[order])[last].astype(int)

    def test(times):
        n = np.rint(times * kept).astype(int)
        usable = sorted({min(start, n[-1]) for start in starts if start <= n[-1] or start == min(starts)})
        part = np.bincount(np.searchsorted(n, usable), minlength=n.size) * (1 - level) / len(usable)
        tried = slice(None) if times == 1 else part > 0  # of more rows only the starts, without which none passes
        return mean_p_value((n - np.rint(times * right))[tried], n[tried], 1 - precision, exact=True), part[tried]

    return certify(
        {"threshold": ordered[last], "accepted": kept, "loss": 1 - right / kept},
        test,
        what="share wrong",
        target=1 - precision,
        level=level,
        n=correct.size,
        attainable=bool(((right > precision * kept) & (kept >= min(LEAST_SEEN, kept[-1]))).any()),
        max_factor=MAX_FACTOR,
    )
