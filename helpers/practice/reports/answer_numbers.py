"""Numbers of the report on answers: confidences, promises, groups, close and wrong ones, votes, costs, two systems."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from helpers.answers.splits import chances_to_win
from helpers.audit import search_segments
from helpers.calibration import PlattCalibrator
from helpers.practice.reports.phrases import NAMES, from_percent, of_hundred, percent, points_apart, short
from helpers.profile.alerts import no_table_warnings
from helpers.resampling import exact_interval, percentile_ends, resampled_means, with_ends
from helpers.selective.certified import certify_rows

ALPHA = 0.05  # chance that a confidence that tells the truth is called wrong, shared by two tests
NO_GAP = 1e-9
REDRAWS = 400  # of the answers to a question
SAME = 1e-9  # shares of votes that differ by less are equal
LEVEL = 0.95  # at which all promises of one share hold together, by whichever confidence
PROMISES = (0.95, 0.9, 0.8, 0.7, 0.5)  # shares of right answers whose certificates are shown together
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


# ---- promises -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Promises:
    """What can be certified by each confidence."""

    tried: dict = field(repr=False)  # {share of right answers: {source: Certificate}}, sem1 first
    precision: float  # the share that was asked for
    used: np.ndarray = field(repr=False)  # (Q,) bool: may be answered with that promise

    @property
    def certificates(self):
        """{source: Certificate} of the share that was asked for."""
        return self.tried[self.precision]

    @cached_property
    def source(self):
        """The confidence by which most answers are certified; "" where none is."""
        kept = {name: one.n_accepted for name, one in self.certificates.items() if one.certified}
        return max(kept, key=kept.get) if kept else ""

    @property
    def certificate(self):
        """The certificate of `source`; the first one where nothing is certified."""
        return self.certificates[self.source or next(iter(self.certificates))]

    @property
    def table(self):
        """All that was tried, as texts: a row a share, a column a confidence."""
        lines = {}
        for share, certificates in self.tried.items():
            lines[f"at least {percent(share)}"] = {
                f"answer where {NAMES[name]} is at least": f"{from_percent(one.threshold)} ({percent(one.coverage)} of "
                "the questions)" if one.certified else "cannot be promised"
                for name, one in certificates.items()
            }  # fmt: skip
        return pd.DataFrame(lines).T.rename_axis("right")


def promise(sources, correct, precision):
    """`Promises` by confidences {name: (Q,)}, NaN for none, of right (1), wrong (0) and other (-1) answers.

    Questions with several most frequent answers have a confidence of 0 here, and count as wrong unless all are right.
    """
    # Each of k confidences gets the k-th part of the error, so that all promises of one share hold together, and the
    # one that certifies most may be chosen afterwards.
    each = 1 - (1 - LEVEL) / len(sources)
    tried = {share: {} for share in sorted({*PROMISES, precision}, reverse=True)}
    for name, confidence in sources.items():
        rows = (correct >= 0) & np.isfinite(confidence)
        for share in tried:
            tried[share][name] = certify_rows(np.floor(correct[rows]), confidence[rows], share, each)
    promises = Promises(tried, precision, np.zeros(correct.size, bool))
    if not promises.source:
        return promises
    return Promises(tried, precision, sources[promises.source] >= promises.certificate.threshold - SAME)


# ---- groups of questions --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class QuestionGroups:
    """Groups of questions in which a confidence is off by more than one curve for all questions can mend."""

    # A row a group: rule, n, stated, calibrated, observed, low, high (shares of right answers; the intervals of all
    # groups hold together), adjusted, and of its questions that are used n_used and n_right; None without any group
    table: pd.DataFrame | None
    notes: tuple = ()  # what was left out, and why
    rest: np.ndarray = field(default=(), repr=False)  # whether answers are right, outside of the groups with fewer


def find_groups(features, correct, confidence, used, rng):
    """`QuestionGroups` by a table of features (a row a question); None where the file has no further columns."""
    rows = np.flatnonzero((correct >= 0) & np.isfinite(confidence))
    y = correct[rows]
    if features.empty or not y.any() or y.all():
        return None
    X = features.iloc[rows].reset_index(drop=True)
    try:
        with no_table_warnings():  # what is known of a question may tell whether it is answered rightly
            search = search_segments(y, confidence[rows], X, n_draws=SEARCH_DRAWS, rng=rng)
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
    return QuestionGroups(table, search.notes, y[rest])


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


# ---- costs ----------------------------------------------------------------------------------------------------------

N_FOLDS = 10
POLICIES = {  # name of a row: its words
    "cut": "where an answer is expected to pay",
    "certified": "with the promise",
    "all": "every answer",
    "none": "none: hand over every question",
}


def chance_right(confidence, correct):
    """Function from a confidence to the chance that its answer is right: Platt's curve if it rises, else a constant.

    The curve is that of the questions with one most frequent answer.
    """
    clear = np.isin(correct, (0, 1))
    if clear.any() and np.ptp(correct[clear]) and np.ptp(confidence[clear]) > 1e-6:
        curve = PlattCalibrator().fit(confidence[clear], correct[clear])
        if curve.rises(confidence[clear]):
            return curve.predict
    return lambda given: np.full(given.shape, correct.mean())


def price_answers(confidence, correct, used, *, reject_cost, samples, n_resamples, rng):
    """(lowest confidence that pays, infinite if none does; costs of each of `POLICIES`) of right and wrong answers.

    A wrong answer costs 1, a hand-over `reject_cost`, all samples of a question `samples`. Whether an answer pays is
    judged by the curve of other questions. What is saved is beside the cheaper one of "all" and "none".
    """
    y = correct.astype(float)
    fold = np.random.default_rng(rng).permutation(y.size) % N_FOLDS
    chance = np.empty(y.size)
    for k in range(N_FOLDS):
        chance[fold == k] = chance_right(confidence[fold != k], y[fold != k])(confidence[fold == k])
    cut = chance >= 1 - reject_cost
    answered = pd.DataFrame({"cut": cut, "certified": used, "all": True, "none": False}, index=range(y.size))
    costs = answered.apply(lambda rows: np.where(rows, 1 - y, reject_cost))
    costs[["cut", "certified", "all"]] += samples
    plain = costs[["all", "none"]].mean().idxmin()
    saved = -costs.sub(costs[plain], axis=0)
    table = pd.DataFrame({
        "answered": answered.mean(),
        "wrong": [1 - y[rows].mean() if rows.any() else np.nan for rows in answered.to_numpy().T],
    })  # fmt: skip
    for name, values in {"cost": costs, "saved": saved}.items():
        ends = percentile_ends(resampled_means(values.to_numpy(), n_resamples, rng=rng))
        table[[name, f"{name}_low", f"{name}_high"]] = np.column_stack([values.mean(), *ends])
    pays = chance_right(confidence, y)(confidence) >= 1 - reject_cost
    return float(confidence[pays].min(initial=np.inf)), table


def cost_table(prices):
    """A table of costs as texts, of 100 questions."""
    rows = {
        POLICIES[row.Index]: {
            "cost of 100": of_hundred(row.cost, row.cost_low, row.cost_high),
            "answered": percent(row.answered),
            "wrong among answers": "–" if np.isnan(row.wrong) else percent(row.wrong),
        }
        for row in prices.itertuples()
        if row.answered or row.Index != "certified"
    }
    return pd.DataFrame(rows).T.rename_axis("answer")


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
