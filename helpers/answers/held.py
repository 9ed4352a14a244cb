"""Answers that count as wrong and hold the right value all the same: was it the reading that was wrong?"""

import re
import unicodedata

from helpers.answers.notations import DATE, plain, read_number, spell_date, without_layout
from helpers.answers.spelling import final_part, read_runs, reference_part, spell_text, without_thoughts

LONGEST_END = 300  # characters of a reply in which its answer may stand

_SMALL_WORDS = frozenset({"a", "i", "in", "is", "it", "no", "not", "of", "on", "or", "the", "to", "yes"})

_TWINS = {"yes": "true", "true": "yes", "no": "false", "false": "no"}

_FENCED = re.compile(r"\s*```[\w+-]*\n(.*?)```\s*", re.DOTALL)

_CLAUSE_ENDS = re.compile(r"(?<=[.!?,;])\s+")

_OPTION_BEFORE = re.compile(r"\s*\(?[A-P][).:]\s+")


def holds_value(answer, references, rule, is_read=True):
    """Whether a wrong answer, in which the rule read another value or none, holds a right one where its own may stand.

    The end of a reply is looked at, of numbers its last clause: those with the digits of the right one (20 % where it
    is 20), and those that are rounded to it. A whole reply may also differ in white space, or be a part of the right
    answer.
    """
    text = without_thoughts(str(answer))
    part, is_stated = final_part(text)
    lines = [line for line in part.splitlines() if line.strip()]
    end = (lines[0 if is_stated else -1] if lines else "")[-LONGEST_END:]
    if is_read and rule in ("numeric", "quantity"):
        end = _CLAUSE_ENDS.split(end.strip())[0 if is_stated else -1]  # where the number stands that was read
    rights = [reference_part(str(reference)) for reference in references]
    return any(_is_part(text, right, rule) or _holds(end, right, rule, is_read) for right in rights)


def _folded(text):
    """The words of a text without case and accents."""
    bare = "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))
    return (spell_text(bare, "normalized") or "").split()


def _is_part(text, reference, rule):
    """Whether a whole reply is the right answer but for white space and fences, or a part of it."""
    if rule not in ("normalized", "letter", "math"):
        return False
    fenced = _FENCED.fullmatch(text)
    code, right = ("".join(part.split()).casefold() for part in (fenced[1] if fenced else text, reference))
    if code and code == right and rule != "letter":
        return True
    words = _folded(text)
    whole = "".join(words)
    if sum(map(str.isalpha, whole)) < 3 or whole in _SMALL_WORDS:
        return False
    first, *others = map(_folded, re.split(r"[|;]", _OPTION_BEFORE.sub("", reference, count=1)))
    return words == first[: len(words)] or words in others


def _holds(end, reference, rule, is_read):
    """Whether the end of a reply holds a right answer."""
    if rule in ("date", "day-first"):
        right = spell_text(reference, rule)
        dates = list(DATE.finditer(without_layout(end)))
        return any(right in (spell_date(match), spell_date(match, day_first=True)) for match in dates)
    if rule in ("numeric", "quantity"):
        parts = [part for run in read_runs(end) for part in (run, *re.findall(r"[\d.,]+", run))]
        right = _digits(re.match(r"[^A-Za-zµ°Ω]*", reference)[0])
        return bool(right) and (right in map(_digits, parts) or any(_rounds_to(part, reference) for part in parts))
    if rule == "letter":
        letter = spell_text(reference, "letter")
        return not is_read and bool(re.search(rf"\b{letter}\b(?! [a-z])", end))
    if rule == "math":
        return re.sub(r"[\s$]", "", reference) in re.sub(r"[\s$]", "", end)
    right = _folded(reference)
    words = _folded(end)
    if not right:
        return False
    if len(right) == 1 and right[0] in _TWINS and words[:1] == [_TWINS[right[0]]]:
        return True
    if len(right) == 1 and right[0] in _SMALL_WORDS:
        return words[:1] == right
    return any(words[place : place + len(right)] == right for place in range(len(words)))


def _rounds_to(text, reference):
    """Whether a number with more digits behind its point than the right one is the right one when rounded."""
    value, right = read_number(text), read_number(reference)
    if value is None or right is None:
        return False
    n_digits = len(right.partition(".")[2])
    return value != right and "e" not in right and round(float(value), n_digits) == float(right)


def _digits(text):
    """The digits of a number, without zeros that do not count."""
    digits = re.sub(r"\.0+$", "", plain(text).replace(",", "."))
    return re.sub(r"\D", "", digits).lstrip("0")
