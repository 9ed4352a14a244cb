"""Rules for using answers: from some confidence on, but not in some groups of questions; what they promise and cost."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import comb

import numpy as np
import pandas as pd
from scipy.special import betaincc

from helpers.audit.segments import family_of
from helpers.certificates import Certificate
from helpers.practice.reports.phrases import NAMES, from_percent, listed, of_hundred, percent
from helpers.profile.alerts import no_table_warnings
from helpers.resampling import percentile_ends, resampled_means
from helpers.selective.certified import EQUAL, certify_rows

LEVEL = 0.95  # at which all promises of one share hold together, by whichever rule
ALPHA = 0.05  # error shared by all groups that a rule by costs might leave out
MOST_LIMITS = 3  # of a rule
WORTH_A_LIMIT = 0.02  # share of the questions that another limit must add to a promise
PROMISES = (0.95, 0.9, 0.8, 0.7, 0.5)  # shares of right answers that are shown together
N_PLACES = 50  # thresholds by which the groups of a promise are compared
N_FOLDS = 10


# ---- groups that a rule may leave out ---------------------------------------------------------------------------


def columns_of(table):
    """What is known of the questions of an `AnswerTable`: columns of the file, words in the question, kind of answer.

    The kind is the rule by which answers to the question are read, where there are several.
    """
    own = {"words in question": [float(len(str(question).split())) for question in table.grouped.questions]}
    if table.rule == "mixed":
        own["kind of answer"] = pd.Categorical(table.rules)
    own = pd.DataFrame(own).drop(columns=table.features.columns, errors="ignore")
    own = own.loc[:, own.nunique() > 1]
    return pd.concat([table.features.reset_index(drop=True), own], axis=1)


@dataclass(frozen=True)
class Limits:
    """Groups of questions that a rule may leave out: those of one column that `search_segments` looks at."""

    words: tuple = ()  # "not where topic is legal", "only where topic is billing"
    outside: np.ndarray = field(default=None, repr=False)  # (Q, m) bool: questions that each leaves out


def limits_of(columns, correct):
    """`Limits` by the columns of questions; which answers are right (-1: unknown) rules out columns that tell it."""
    known = correct >= 0
    y = np.floor(correct[known])
    none = Limits((), np.zeros((correct.size, 0), bool))
    if not len(columns.columns) or not y.any() or y.all():
        return none
    try:
        with no_table_warnings():
            family = family_of(columns[known].reset_index(drop=True), y, None, 1)
    except ValueError:  # no group of enough questions
        return none
    inside = family.members(range(len(family.pairs)), columns)
    words = family.rules()
    levels = [k for k in range(len(words)) if _is_level(*family.conditions(k))]
    words = [*(f"not where {rule}" for rule in words), *(f"only where {words[k]}" for k in levels)]
    return Limits(tuple(words), np.column_stack([inside, ~inside[:, levels]]))


def _is_level(condition):
    """Whether a condition is one of three or more levels of a category."""
    return condition.column.kind == "category" and condition.common is None and condition.column.levels.size > 2


def _ends(ordered):
    """The last place of each run of equal confidences, from the highest to the lowest."""
    return np.flatnonzero(np.append(np.diff(ordered) < -EQUAL, True))


# ---- promises ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Promise:
    """The rule of a confidence by which most answers are certified, or the finding that there is none."""

    source: str
    certificate: Certificate
    limits: tuple  # words of what it leaves out
    used: np.ndarray = field(repr=False)  # (Q,) bool: may be answered with that promise
    right: np.ndarray = field(repr=False)  # (Q,) 1, 0 or -1: not known, or without this confidence

    @property
    def certified(self):
        return self.certificate.certified

    @property
    def threshold(self):
        return self.certificate.threshold

    @property
    def is_every(self):
        """Whether it uses every answer that its limits do not leave out."""
        return self.certified and self.certificate.n_accepted == self.certificate.n

    @property
    def n(self):
        """Questions that were tested."""
        return int((self.right >= 0).sum())

    @property
    def n_accepted(self):
        return int((self.used & (self.right >= 0)).sum())

    @property
    def n_right(self):
        return int((self.used & (self.right == 1)).sum())

    @property
    def coverage(self):
        return self.n_accepted / self.n

    @property
    def rows_needed(self):
        """About how many questions would certify it, see `Certificate`."""
        return self.certificate.rows_needed * self.n / self.certificate.n

    def is_better(self, other):
        """Whether it certifies more answers than one with fewer limits, or seems to need fewer questions."""
        if self.certified:
            return not other.certified or self.coverage > other.coverage + WORTH_A_LIMIT
        seems = self.certificate.table["p_value"].min() <= 1 - LEVEL  # were it the only one that was tried
        return not other.certified and seems and self.rows_needed < other.rows_needed

    def without(self, groups):
        """The promise without groups of which surely fewer are right: they can only lower the share of the others."""
        words, outside = groups.wrong_in(self.used, self.certificate.precision)
        return replace(self, limits=(*self.limits, *words), used=self.used & ~outside)


@dataclass(frozen=True)
class Promises:
    """What can be promised by each confidence."""

    tried: dict = field(repr=False)  # {share of right answers: {source: Promise}}, sem1 first
    precision: float  # the share that was asked for

    @property
    def asked(self):
        """{source: Promise} of the share that was asked for."""
        return self.tried[self.precision]

    @cached_property
    def source(self):
        """The confidence by which most answers are certified; "" where none is."""
        kept = {name: one.n_accepted for name, one in self.asked.items() if one.certified}
        return max(kept, key=kept.get) if kept else ""

    @property
    def best(self):
        """The promise of `source`; the first one where nothing is certified."""
        return self.asked[self.source or next(iter(self.asked))]

    def without(self, groups):
        """The promises of the share that was asked for without groups that break them."""
        asked = {name: one.without(groups) for name, one in self.asked.items()}
        return replace(self, tried=self.tried | {self.precision: asked})

    @property
    def table(self):
        """All that was tried, as texts: a row a share, a column a confidence."""
        lines = {}
        for share, promises in self.tried.items():
            lines[f"at least {percent(share)}"] = {
                f"answer where {NAMES[name]} is at least": ", but ".join(
                    [from_percent(one.threshold), *([listed(one.limits)] if one.limits else [])]
                ) + f" ({percent(one.coverage)} of the questions)" if one.certified else "cannot be promised"
                for name, one in promises.items()
            }  # fmt: skip
        return pd.DataFrame(lines).T.rename_axis("right")


def promise(sources, correct, precision, limits=None):
    """`Promises` by confidences {name: (Q,)}, NaN for none, of right (1), wrong (0) and other (-1) answers.

    Questions with several most frequent answers have a confidence of 0 here, and count as wrong unless all are right.
    The error 1 - 0.95 is shared by all rules that could be found, so that the one that certifies most may be chosen
    afterwards: equally by the confidences; half of each part for rules without a limit, the other half equally for
    those of one, two and three, and equally by all choices of so many (Bonferroni).
    """
    limits = Limits((), np.zeros((correct.size, 0), bool)) if limits is None else limits
    tried = {share: {} for share in sorted({*PROMISES, precision}, reverse=True)}
    for name, confidence in sources.items():
        right = np.where((correct >= 0) & np.isfinite(confidence), np.floor(correct), -1)
        for share in tried:
            tried[share][name] = _promise_by(name, confidence, right, share, limits, (1 - LEVEL) / len(sources))
    return Promises(tried, precision)


def _promise_by(name, confidence, right, share, limits, error):
    """The `Promise` of one confidence for one share of right answers."""
    m = len(limits.words)
    n_limits = min(MOST_LIMITS, m)
    parts = [error / 2 / n_limits / comb(m, k) for k in range(1, n_limits + 1)]
    best = _certified(name, confidence, right, share, limits, [], error / 2 if m else error)
    chosen = []
    for part in parts:
        if best.certified and best.coverage > 1 - WORTH_A_LIMIT:
            break
        limit = _next_limit(confidence, right, share, limits, chosen, part)
        if limit is None:
            break
        chosen.append(limit)
        made = _certified(name, confidence, right, share, limits, chosen, part)
        if made.is_better(best):
            best = made
    return best


def _certified(name, confidence, right, share, limits, chosen, error):
    """The `Promise` with some limits, tested at `error`."""
    keep = ~limits.outside[:, chosen].any(axis=1)
    rows = keep & (right >= 0)
    certificate = certify_rows(right[rows], confidence[rows], share, 1 - error)
    used = keep & (confidence >= certificate.threshold - EQUAL)  # none where there is no threshold
    return Promise(name, certificate, tuple(limits.words[k] for k in chosen), used, right)


def _next_limit(confidence, right, share, limits, chosen, error):
    """Number of the limit with which most answers pass a test at `error`, else most are right beyond the share.

    None where each leaves out all questions, or none that is not left out already.
    """
    rows = np.flatnonzero(~limits.outside[:, chosen].any(axis=1) & (right >= 0))
    rows = rows[np.argsort(-confidence[rows], kind="stable")]
    ends = _ends(confidence[rows])
    ends = ends[np.unique(np.linspace(0, ends.size - 1, N_PLACES).astype(int))]
    inside = ~limits.outside[rows]
    n = np.cumsum(inside, axis=0)[ends]
    wrong = np.cumsum(inside & (right[rows, None] == 0), axis=0)[ends]
    p_value = np.where(wrong < n, betaincc(wrong + 1, np.maximum(n - wrong, 1), 1 - share), 1.0)
    is_new = (n[-1] > 0) & (n[-1] < rows.size)
    passed = np.where((p_value <= error) & is_new, n, 0).max(axis=0)
    beyond = np.where(is_new, (1 - share) * n - wrong, -np.inf).max(axis=0)
    if not is_new.any():
        return None
    return int(passed.argmax() if passed.any() else beyond.argmax())


# ---- costs ------------------------------------------------------------------------------------------------------

POLICIES = {  # name of a row: its words
    "rule": "by the best rule",
    "certified": "with the promise",
    "all": "every answer",
    "none": "none: hand over every question",
}


@dataclass(frozen=True)
class CostRule:
    """The rule by costs, and what it and plain policies cost."""

    source: str
    threshold: float  # lowest confidence at which it uses an answer: infinite if it uses none
    limits: tuple  # words of what it leaves out
    used: np.ndarray = field(repr=False)  # (Q,) bool
    # A row for each of `POLICIES`: answered, wrong, cost, saved (beside the cheaper one of "all" and "none"), with ends
    prices: pd.DataFrame = field(repr=False)

    @property
    def is_own(self):
        """Whether it is neither of the plain policies "all" and "none"."""
        return bool(self.limits) or np.isfinite(self.threshold)

    @property
    def plain(self):
        """The cheaper one of "all" and "none"."""
        return self.prices.loc[["all", "none"], "cost"].idxmin()

    @property
    def is_every(self):
        """Whether it uses every answer that its limits do not leave out."""
        return bool(np.isneginf(self.threshold))

    @property
    def table(self):
        """The prices as texts, of 100 questions."""
        rows = {
            POLICIES[row.Index]: {
                "cost of 100": of_hundred(row.cost, row.cost_low, row.cost_high),
                "answered": percent(row.answered),
                "wrong among answers": "–" if np.isnan(row.wrong) else percent(row.wrong),
            }
            for row in self.prices.itertuples()
            if row.answered or row.Index != "certified"
        }
        return pd.DataFrame(rows).T.rename_axis("answer")


def price_rule(sources, correct, certified, limits, groups, *, reject_cost, samples, n_resamples, rng):
    """`CostRule` of the least cost: a wrong answer costs 1, a hand-over `reject_cost`, all samples of one `samples`.

    Its cost is that of rules which were found in the same way by the questions of other folds. Confidences and
    `correct` are as in `promise`; a question without a confidence is used if every one is.
    """
    sources = {name: np.where(np.isfinite(p), p, -np.inf) for name, p in sources.items()}
    known = np.flatnonzero(correct >= 0)
    y = correct[known].astype(float)
    fold = np.random.default_rng(rng).permutation(y.size) % N_FOLDS
    used = np.empty(y.size, bool)
    for k in range(N_FOLDS):
        found = _cheapest(sources, correct, limits.outside, known[fold != k], reject_cost)
        used[fold == k] = _used(found, sources, limits.outside)[known[fold == k]]
    source, threshold, chosen = found = _cheapest(sources, correct, limits.outside, known, reject_cost)
    final = _used(found, sources, limits.outside)
    words, outside = groups.wrong_in(final, 1 - reject_cost)
    prices = _prices(y, used & ~outside[known], certified[known], reject_cost, samples, n_resamples, rng)
    rule = CostRule(source, threshold, (*(limits.words[k] for k in chosen), *words), final & ~outside, prices)
    if prices.loc["rule", "cost"] <= prices.loc[rule.plain, "cost"]:
        return rule
    every = rule.plain == "all"
    return replace(rule, threshold=-np.inf if every else np.inf, limits=(), used=np.full(final.size, every))


def _prices(y, rule, certified, reject_cost, samples, n_resamples, rng):
    answered = pd.DataFrame({"rule": rule, "certified": certified, "all": True, "none": False}, index=range(y.size))
    costs = answered.apply(lambda rows: np.where(rows, 1 - y, reject_cost))
    costs[["rule", "certified", "all"]] += samples
    plain = costs[["all", "none"]].mean().idxmin()
    saved = -costs.sub(costs[plain], axis=0)
    table = pd.DataFrame({
        "answered": answered.mean(),
        "wrong": [1 - y[rows].mean() if rows.any() else np.nan for rows in answered.to_numpy().T],
    })  # fmt: skip
    for name, values in {"cost": costs, "saved": saved}.items():
        ends = percentile_ends(resampled_means(values.to_numpy(), n_resamples, rng=rng))
        table[[name, f"{name}_low", f"{name}_high"]] = np.column_stack([values.mean(), *ends])
    return table


def _used(found, sources, outside):
    """(Q,) bool: questions that a rule (source, threshold, numbers of limits) uses."""
    source, threshold, chosen = found
    return (sources[source] >= threshold - EQUAL) & ~outside[:, chosen].any(axis=1)


def _cheapest(sources, correct, outside, rows, reject_cost):
    """(source, threshold, numbers of limits): the rule that saves most on some rows.

    Limits come one by one, each with the best threshold anew. One is taken if the answers that it leaves out surely
    cost more than handing over; the error is shared by all limits (Bonferroni).
    """
    sources = {name: p[rows] for name, p in sources.items()}
    y, outside = correct[rows], outside[rows]
    saves = y - (1 - reject_cost)  # by using an answer
    keep = np.ones(y.size, bool)
    best, found = 0.0, (next(iter(sources)), np.inf, [])
    for name, p in sources.items():
        saved, threshold = _best_threshold(p, saves, keep[:, None])
        if saved[0] > best + EQUAL:
            best, found = saved[0], (name, threshold[0], [])
    chosen = []
    for _ in range(min(MOST_LIMITS, outside.shape[1])):
        limit = None
        for name, p in sources.items():
            saved, threshold = _best_threshold(p, saves, keep[:, None] & ~outside)
            lost = keep[:, None] & outside & (p[:, None] >= threshold - EQUAL)
            n, right = lost.sum(axis=0), np.ceil(y @ lost - EQUAL)
            p_value = np.where(right < n, betaincc(right + 1, np.maximum(n - right, 1), 1 - reject_cost), 1.0)
            saved[p_value > ALPHA / outside.shape[1]] = -np.inf
            k = int(saved.argmax())
            if saved[k] > best + EQUAL:
                best, limit, found = saved[k], k, (name, threshold[k], [*chosen, k])
        if limit is None:
            break
        chosen.append(limit)
        keep = keep & ~outside[:, limit]
    return found


def _best_threshold(p, saves, keep):
    """For each column of `keep` (n, m) the largest saving by a threshold of p, and it: infinite if it saves nothing.

    The threshold that uses all rows is minus infinity.
    """
    order = np.argsort(-p, kind="stable")
    ends = _ends(p[order])
    saved = np.cumsum(saves[order, None] * keep[order], axis=0)[ends]
    place = saved.argmax(axis=0)
    most = saved[place, np.arange(place.size)]
    threshold = np.where(place == ends.size - 1, -np.inf, p[order][ends][place])
    return np.maximum(most, 0), np.where(most > EQUAL, threshold, np.inf)
