"""Numbers of the report on answers: confidences, groups, close and wrong questions, votes, two systems."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers.answers.splits import chances_to_win
from helpers.audit import search_segments
from helpers.practice.reports.phrases import points_apart, short
from helpers.profile.alerts import no_table_warnings
from helpers.resampling import exact_interval, percentile_ends, resampled_means, with_ends

ALPHA = 0.05  # chance that a confidence that tells the truth is called wrong, shared by two tests
NO_GAP = 1e-9
REDRAWS = 400  # of the answers to a question
SEARCH_DRAWS = 999


def over_confidence(sources, correct, n_resamples, rng):
    """How far the mean confidence of each source lies above the share of right answers, a row a source.

    With its mean where the answer is right and where it is wrong, and the interval of their difference (apart_low,
    apart_high), NaN where all are right or all wrong. `biased`: the 97.5 % interval of the first leaves out 0.
    """
    lines = []
    for name, confidence in sources.items():
        rows = (correct >= 0) & np.isfinite(confidence)
        p, y = confidence[rows], correct[rows]
        drawn = resampled_means(np.column_stack([p - y, y, y * p, (1 - y) * p]), n_resamples, rng=rng)
        low, high = percentile_ends(drawn[:, 0])
        least, most = percentile_ends(drawn[:, 0], 1 - ALPHA / 2)
        line = {"source": name, "n": rows.sum(), "confidence": p.mean(), "right": y.mean()}
        line |= {"over": (p - y).mean(), "low": low, "high": high, "biased": least > 0 or most < 0}
        line |= dict.fromkeys(("if_right", "if_wrong", "apart_low", "apart_high"), np.nan)
        if 0 < y.mean() < 1:  # some are fractions, of tied answers
            drawn = drawn[(drawn[:, 1] > 0) & (drawn[:, 1] < 1)]
            difference = drawn[:, 2] / drawn[:, 1] - drawn[:, 3] / (1 - drawn[:, 1])
            line |= {"if_right": np.average(p, weights=y), "if_wrong": np.average(p, weights=1 - y)}
            line["apart_low"], line["apart_high"] = percentile_ends(difference)
        lines.append(line)
    return pd.DataFrame(lines)


# ---- groups of questions --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class QuestionGroups:
    """Groups of questions in which a confidence is off by more than one curve for all questions can mend."""

    # A row a group: rule, n, stated, calibrated, observed, low, high (shares of right answers; the intervals of all
    # groups hold together), adjusted; None where no group could be looked at
    table: pd.DataFrame | None
    notes: tuple = ()  # what was left out, and why
    inside: np.ndarray = field(default=None, repr=False)  # (Q, groups) bool
    right: np.ndarray = field(default=None, repr=False)  # (Q,) 1, 0 or -1: not known

    @property
    def is_less(self):
        """(groups,) bool: whether fewer are right than expected."""
        return (self.table["observed"] < self.table["calibrated"]).to_numpy()

    def wrong_in(self, used, share):
        """(words, (Q,) bool) of groups with fewer right answers, less than `share` of the used ones for certain."""
        words, outside = [], np.zeros(used.size, bool)
        if self.table is None:
            return words, outside
        for k in np.flatnonzero(self.is_less):
            rows = used & ~outside & self.inside[:, k] & (self.right >= 0)
            if rows.any() and exact_interval(self.right[rows].sum(), rows.sum())[1] < share:
                words.append(f"not where {self.table['rule'].iloc[k]}")
                outside |= self.inside[:, k]
        return words, outside


def find_groups(columns, correct, confidence, rng):
    """`QuestionGroups` by a table of columns (a row a question)."""
    rows = np.flatnonzero((correct >= 0) & np.isfinite(confidence))
    y = correct[rows]
    if not len(columns.columns) or not y.any() or y.all():
        return QuestionGroups(None)
    X = columns.iloc[rows].reset_index(drop=True)
    try:
        with no_table_warnings():  # what is known of a question may tell whether it is answered rightly
            search = search_segments(y, confidence[rows], X, n_draws=SEARCH_DRAWS, rng=rng)
    except ValueError as error:  # everything else was checked: no group of enough questions
        return QuestionGroups(None, (str(error).partition(", but ")[2].rstrip("."),))
    named = search.selected.sort_values("observed", kind="stable")
    table = named[["rule", "n", "stated", "calibrated", "observed", "adjusted"]].assign(
        low=(named["low"] + named["calibrated"]).clip(0, 1),
        high=(named["high"] + named["calibrated"]).clip(0, 1),
    )
    inside = search.family.members(named.index, columns).astype(bool)
    return QuestionGroups(table.reset_index(drop=True), search.notes, inside, correct)


# ---- close and wrong questions --------------------------------------------------------------------------------


def chance_of_another(counts, rng=None):
    """(Q,) chance that as many new answers, given as often as those in the file, would choose another answer."""
    rng = np.random.default_rng(rng)
    chance = np.zeros(len(counts))
    for row, given in enumerate(np.sort(counts, axis=1)):  # the draws do not depend on the order of the columns
        given = given[given > 0]
        if given.size > 1:
            votes = rng.multinomial(given.sum(), given / given.sum(), REDRAWS)
            chance[row] = 1 - (chances_to_win(votes) @ chances_to_win(given)).mean()
    return chance


def closest_votes(gap, most=10):
    """Rows of the questions with the largest gaps, without those that have none."""
    order = np.argsort(-gap, kind="stable")[:most]
    return order[gap[order] > NO_GAP]


def sure_but_wrong(correct, confidence, most=10):
    """Rows of the wrong answers with the highest confidence; of equal ones the first."""
    wrong = np.flatnonzero((correct == 0) & np.isfinite(confidence))
    return wrong[np.argsort(-confidence[wrong], kind="stable")[:most]]


def describe(grouped, rows):
    """Table of some questions with their answers (the most frequent ones first) and the right one, as texts."""
    lines = []
    for row in rows:
        counts, names = grouped.counts[row], grouped.labels[row]
        classes = sorted(np.flatnonzero(counts), key=lambda k: (-counts[k], str(names[k])))
        answers = [f"{short(names[k], 24)} ({counts[k]})" for k in classes if names[k] is not None]
        n_unread = sum(counts[k] for k in classes if names[k] is None)
        answers += [f"unreadable ({n_unread})"] if n_unread else []
        right = [short(names[k], 24) for k in classes if grouped.correct[row, k] == 1]
        is_graded = (grouped.correct[row, classes] >= 0).all()
        n_more = len(answers) - 5
        lines.append({
            "question": short(grouped.questions[row], 60),
            "answers, how often": ", ".join(answers[:5]) + (f" and {n_more} more" if n_more > 0 else ""),
            "right answer": right[0] if right else "never given" if is_graded else "not known",
        })  # fmt: skip
    return pd.DataFrame(lines, columns=["question", "answers, how often", "right answer"])


# ---- votes of fewer answers -----------------------------------------------------------------------------------------

SIZES = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000)
ENOUGH = 0.9  # share of the questions that must have as many answers as the largest vote
DRAWS = 100  # of the answers to a question, for each size


def common_size(n_answers):
    """Largest number of answers that at least 90 % of the questions have."""
    ordered = np.sort(n_answers)
    return int(ordered[int(np.floor((1 - ENOUGH) * ordered.size + 1e-9))])


def vote_chances(counts, correct, rng=None):
    """(sizes (S,), same (q, S), right (q, S)) of votes of 1, 2, 3, 5, ... answers drawn from those to a question."""
    rng = np.random.default_rng(rng)
    counts = np.asarray(counts)
    correct = np.asarray(correct)
    most = common_size(counts.sum(axis=1))
    rows = np.flatnonzero(counts.sum(axis=1) >= most)
    sizes = np.array([size for size in SIZES if size < most] + [most])
    same = np.empty((rows.size, sizes.size))
    right = np.empty_like(same)
    for i, row in enumerate(rows):
        order = np.lexsort([correct[row], counts[row]])  # the draws do not depend on the order of the columns
        order = order[counts[row, order] > 0]
        given = counts[row, order]
        votes = np.tile(given, (sizes.size, DRAWS, 1))
        for k, size in enumerate(sizes):
            if size < given.sum():
                votes[k] = rng.multivariate_hypergeometric(given, size, DRAWS)
        chance = chances_to_win(votes).mean(axis=1)
        same[i] = chance[:, given == given.max()].sum(axis=1).round(12)
        right[i] = (chance @ correct[row, order]).round(12)
    return sizes, same, right


def compare_votes(counts, correct, *, n_resamples, votes_rng, rng):
    """Table of votes, one row a size, with 95 % intervals from questions drawn with replacement."""
    sizes, same, right = vote_chances(
        counts, np.full(np.shape(counts), np.nan) if correct is None else correct, votes_rng
    )
    drawn = resampled_means(right, n_resamples, rng=rng)
    columns = {"size": sizes, "same": same.mean(axis=0), **with_ends("right", right.mean(axis=0), drawn)}
    if np.isin(right[:, -1], (0, 1)).all():  # a share of whole questions, as everywhere in the report
        columns["right_low"][-1], columns["right_high"][-1] = exact_interval(right[:, -1].sum(), len(right))
    columns |= with_ends("gain", columns["right"][-1] - columns["right"], drawn[:, [-1]] - drawn)
    return pd.DataFrame(columns)


# ---- two systems ----------------------------------------------------------------------------------------------------

MEASURES = {
    "right": "right answers, in %",
    "confidence": "agreement on average, in %",
    "over": "agreement minus right answers, in points",
}


@dataclass(frozen=True)
class AnswerPair:
    """Paired differences of two systems."""

    names: tuple  # the one that was audited, and the other
    n: int  # questions that are graded for both
    measures: pd.DataFrame = field(repr=False)  # a row a measure: first, second, difference (first less second), ends
    only: tuple  # how many questions are answered right by the first alone, and by the second alone
    misread: tuple = ()  # names of those of whose wrong answers many hold the right value

    @property
    def table(self):
        """The measures as texts."""
        sides = (100 * self.measures[["first", "second"]]).map("{:z.1f}".format).set_axis(self.names, axis=1)
        rows = self.measures[["difference", "low", "high"]].to_numpy()
        return sides.assign(difference=[points_apart(*row) for row in rows]).rename(MEASURES).rename_axis("measure")


def compare_pair(names, tables, confidences, corrects, n_resamples, rng):
    """`AnswerPair` of two tables, with the agreement and correctness (-1 unknown) of their questions."""
    sides = []
    for table, confidence, correct in zip(tables, confidences, corrects, strict=True):
        side = pd.DataFrame({"right": correct, "confidence": confidence}, dtype=float)
        side.index = np.asarray(table.grouped.questions).astype(str)
        sides.append(side.assign(over=confidence - correct)[correct >= 0])
    first, second = sides
    first = first[first.index.isin(second.index)]
    n = len(first)
    if n < 2:
        raise ValueError(
            f"{tables[0].name} and {tables[1].name} must share at least two graded questions to be compared, but they "
            f"share {n}; questions are matched by their names."
        )
    second = second.loc[first.index]
    difference = first - second
    low, high = percentile_ends(resampled_means(difference.to_numpy(), n_resamples, rng=rng))
    columns = {"first": first.mean(), "second": second.mean(), "difference": difference.mean(), "low": low}
    only = tuple(int((difference["right"] == sign).sum()) for sign in (1, -1))
    return AnswerPair(tuple(names), n, pd.DataFrame(columns | {"high": high}), only)
