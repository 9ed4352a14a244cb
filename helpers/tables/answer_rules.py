"""Which rule a file of answers asks for, found by looking at its right answers, or at the answers without them."""

import re

import numpy as np
import pandas as pd

from helpers.answers import spell_answers

NEARLY_ALL = 0.95  # of the right answers, which must be of the kind wholly

MOST = 0.8  # of the answers, in which the kind must be found

_NUMBER = re.compile(r"[-+]?\W?\d[\d,]*(?:\.\d+)?\s*(?:%|[^\W\d]{1,3})?\.?")

_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]*\.?"

_DATE = re.compile(
    rf"\d{{1,2}}/\d{{1,2}}/\d{{4}}|\d{{4}}-\d{{1,2}}-\d{{1,2}}|{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{4}}"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH},?\s+\d{{4}}"
)

_LETTER = re.compile(r"\(?[A-J][).]?", re.IGNORECASE)

KINDS = {"date": (_DATE, "dates"), "numeric": (_NUMBER, "numbers"), "letter": (_LETTER, "letters of options")}


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
