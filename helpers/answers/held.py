"""Answers that count as wrong and hold the right value all the same: was it the reading that was wrong?"""

import re

from helpers.answers.notations import DATE, plain, spell_date, without_layout
from helpers.answers.spelling import final_part, read_runs, spell_text, without_thoughts

LONGEST_END = 300  # characters of a reply in which its answer may stand

_SMALL_WORDS = frozenset({"a", "i", "in", "is", "it", "no", "not", "of", "on", "or", "the", "to", "yes"})


def holds_value(answer, references, rule, is_read=True):
    """Whether a wrong answer, in which the rule read another value or none, holds a right one where its own may stand.

    The end of a reply is looked at. Of numbers, those with the digits of the right one: 20 % where it is 20.
    """
    text = without_thoughts(str(answer))
    part, is_stated = final_part(text)
    lines = [line for line in part.splitlines() if line.strip()]
    end = (lines[0 if is_stated else -1] if lines else "")[-LONGEST_END:]
    return any(_holds(end, str(reference), rule, is_read) for reference in references)


def _holds(end, reference, rule, is_read):
    """Whether the end of a reply holds a right answer."""
    if rule in ("date", "day-first"):
        right = spell_text(reference, rule)
        dates = list(DATE.finditer(without_layout(end)))
        return any(right in (spell_date(match), spell_date(match, day_first=True)) for match in dates)
    if rule in ("numeric", "quantity"):
        runs = read_runs(end)
        if is_read:
            runs = runs[-1:]  # the one that was read
        right = _digits(re.match(r"[^A-Za-zµ°Ω]*", reference)[0])
        return bool(right) and right in [_digits(part) for run in runs for part in (run, *re.findall(r"[\d.,]+", run))]
    if rule == "letter":
        letter = spell_text(reference, "letter")
        return not is_read and bool(re.search(rf"\b{letter}\b(?! [a-z])", end))
    if rule == "math":
        return re.sub(r"[\s$]", "", reference) in re.sub(r"[\s$]", "", end)
    right = (spell_text(reference, "normalized") or "").split()
    words = (spell_text(end, "normalized") or "").split()
    if not right:
        return False
    if len(right) == 1 and right[0] in _SMALL_WORDS:
        return words[:1] == right
    return any(words[place : place + len(right)] == right for place in range(len(words)))


def _digits(text):
    """The digits of a number, without zeros that say nothing."""
    digits = re.sub(r"\.0+$", "", plain(text).replace(",", "."))
    return re.sub(r"\D", "", digits).lstrip("0")
