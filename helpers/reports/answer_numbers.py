"""Numbers of the report on sampled answers: confidences, promises, groups of questions, close and wrong ones."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers.audit import search_segments
from helpers.reports.phrases import NAMES, from_percent, percent, short
from helpers.resampling import percentile_ends, resampled_means
from helpers.selective.certified import certify_rows

NO_GAP = 1e-9
SAME = 1e-9  # shares of votes that differ by less are equal
LEVEL = 0.95  # at which all promises of one share hold together, by whichever confidence
PROMISES = (0.95, 0.9, 0.8, 0.7, 0.5)  # shares of right answers whose certificates are shown together
SEARCH_DRAWS = 999


def over_confidence(sources, correct, n_resamples, rng):
    """How far the mean confidence of each source lies above the share of right answers, a row a source.

    With its mean where the answer is right and where it is wrong, and the interval of their difference (apart_low,
    apart_high), NaN where all are right or all wrong.
    """
    lines = []
    for name, confidence in sources.items():
        rows = (correct >= 0) & np.isfinite(confidence)
        p = confidence[rows]
        y = correct[rows]
        drawn = resampled_means(np.column_stack([p - y, y, y * p, (1 - y) * p]), n_resamples, rng=rng)
        low, high = percentile_ends(drawn[:, 0])
        line = {"source": name, "n": rows.sum(), "confidence": p.mean(), "right": y.mean()}
        line |= {"over": (p - y).mean(), "low": low, "high": high}
        line |= dict.fromkeys(("if_right", "if_wrong", "apart_low", "apart_high"), np.nan)
        if 0 < y.mean() < 1:
            drawn = drawn[(drawn[:, 1] > 0) & (drawn[:, 1] < 1)]
            difference = drawn[:, 2] / drawn[:, 1] - drawn[:, 3] / (1 - drawn[:, 1])
            line |= {"if_right": p[y == 1].mean(), "if_wrong": p[y == 0].mean()}
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

    @property
    def source(self):
        """The confidence by which most answers are certified; "" where none is."""
        kept = {name: one.n_kept for name, one in self.certificates.items() if one.certified}
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
                f"answer from {NAMES[name]} of": f"{from_percent(one.threshold)} ({percent(one.coverage)} of the "
                "questions)" if one.certified else "cannot be promised"
                for name, one in certificates.items()
            }  # fmt: skip
        return pd.DataFrame(lines).T.rename_axis("right")


def promise(sources, correct, precision):
    """`Promises` by confidences {name: (Q,)}, NaN for none, of right (1), wrong (0) and other (-1) answers."""
    # Each of k confidences gets the k-th part of the error, so that all promises of one share hold together, and the
    # one that certifies most may be chosen afterwards.
    each = 1 - (1 - LEVEL) / len(sources)
    tried = {share: {} for share in sorted({*PROMISES, precision}, reverse=True)}
    for name, confidence in sources.items():
        rows = (correct >= 0) & np.isfinite(confidence)
        for share in tried:
            tried[share][name] = certify_rows(correct[rows], confidence[rows], share, each)
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
    if features.empty or not 0 < y.mean() < 1:
        return None
    X = features.iloc[rows].reset_index(drop=True)
    try:
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
        counts = grouped.counts[row]
        names = grouped.labels[row]
        classes = [k for k in np.argsort(-counts, kind="stable") if counts[k]]
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
