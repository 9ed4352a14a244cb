"""Which rule a file of answers asks for, found by looking at its right answers, or at the answers without them."""

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd

from helpers.answers import spell_answers

NEARLY_ALL = 0.95  # of the right answers, which must be of the kind wholly

MOST = 0.8  # of the answers, in which the kind must be found

MOVED = 0.02  # change of the share of right answers, or of the mean agreement, that a reader should know of

_NUMBER = re.compile(r"[-+]?\W?\d[\d,]*(?:\.\d+)?\s*(?:%|[^\W\d]{1,3})?\.?")

_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]*\.?"

_DATE = re.compile(
    rf"\d{{1,2}}/\d{{1,2}}/\d{{4}}|\d{{4}}-\d{{1,2}}-\d{{1,2}}|{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{4}}"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH},?\s+\d{{4}}"
)

_LETTER = re.compile(r"\(?[A-J][).]?", re.IGNORECASE)

KINDS = {"date": (_DATE, "dates"), "numeric": (_NUMBER, "numbers"), "letter": (_LETTER, "letters of options")}


@dataclass(frozen=True)
class RuleMoves:
    """What the rule `by` changes beside the rule `rule`: of which kind answers are, and a measure by either rule."""

    rule: str
    by: str
    kind: str
    measure: str
    value: float
    value_by: float
    chosen: bool  # whether the other rule was chosen, so that `value` is what it replaced

    def __str__(self):
        if self.chosen:
            return (
                f"the rule {self.by!r} was chosen by looking, because the answers are {self.kind}; by {self.rule!r} "
                f"{self.measure} {self.value:.0%} instead of {self.value_by:.0%}"
            )
        return (
            f"the answers look like {self.kind}: by the rule {self.by!r} {self.measure} {self.value_by:.0%} instead of "
            f"{self.value:.0%}"
        )


def look_for_rule(answers, references=None):
    """The rule for numbers, dates or letters if nearly all right answers (or answers) are such; else "normalized"."""
    given = pd.Series(answers if references is None or not references.notna().any() else references).dropna()
    texts = given.map(lambda value: str(value).strip()).unique()
    if not len(texts):
        return "normalized"
    for rule, (pattern, _) in KINDS.items():
        fits = [bool(pattern.fullmatch(text if rule == "letter" else text.lower())) for text in texts]
        if np.mean(fits) >= NEARLY_ALL and pd.notna(spell_answers(answers, rule)).mean() >= MOST:
            return rule if rule != "letter" or len({text.strip("().").upper() for text in texts}) > 1 else "normalized"
    return "normalized"


def outcome(grouped):
    """(share right, mean agreement) of the most frequent answers; NaN where none is graded."""
    chosen = grouped.counts.argmax(axis=1)
    correct = np.take_along_axis(grouped.correct, chosen[:, None], axis=1)[:, 0]
    known = correct >= 0
    right = float(correct[known].mean()) if known.any() else float("nan")
    return right, float((grouped.counts.max(axis=1) / grouped.n_answers).mean())


def rule_moves(rule, grouped, other, by, *, chosen):
    """`RuleMoves` from `rule` to the rule `by`; None where neither measure moves."""
    right, agreement = outcome(grouped)
    right_by, agreement_by = outcome(other)
    if max(abs(agreement - agreement_by), np.nan_to_num(abs(right - right_by))) < MOVED:
        return None
    kind = KINDS[by][1] if by in KINDS else "texts"
    if np.isfinite(right):
        return RuleMoves(rule, by, kind, "the most frequent answer is right in", right, right_by, chosen)
    return RuleMoves(rule, by, kind, "the answers to a question agree to", agreement, agreement_by, chosen)
