"""When two answers are the same: texts turned into one spelling, or into nothing."""

import math
import re
import unicodedata

import numpy as np
import pandas as pd

from helpers.checks import check_one_of

RULES = ("exact", "normalized", "numeric", "date", "letter", "class")

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_MONTH = (
    "(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?)"
)

_SLASHED = re.compile(r"(?<!\d)(\d{1,2})/(\d{1,2})/(\d{4})(?!\d)")

_ISO = re.compile(r"(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)")

_MONTH_FIRST = re.compile(rf"\b{_MONTH}\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+(\d{{4}})(?!\d)")

_DAY_FIRST = re.compile(rf"(?<!\d)(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}\.?,?\s+(\d{{4}})(?!\d)")

_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}

_NUMBER = re.compile(
    r"((?<![\w)])[-+][^\w\s.,+-]?)?(?<![\d.])(\d[\d,]*(?:\.\d+)?|\.\d+)(e[-+]?\d+)?(?:\s?/\s?(\d+(?:\.\d+)?))?"
    r"\s*(%|percent\b|per cent\b|thousand\b|million\b|billion\b|trillion\b)?"
)

_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?: \d{3})+(?![\d])")

_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")

_OPTION = re.compile(r"\W*([A-Ja-j])\W*")

_OPTION_FIRST = re.compile(r"\W*([A-J])[).:]\s")

_OPTION_NAMED = re.compile(r"(?:\b(?:[Aa]nswer|[Oo]ption|[Cc]hoice)(?:\s+is)?:?\s*\W{0,3}|\()([A-J])(?![\w'’])")

_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-") | {"\u2044": "/"})

_SILENT = re.compile(r"['’‘`´\"“”„«»]|(?<=[^\W\d])\.|\.(?!\d)")

_SPACED = re.compile(r"[!?;()\[\]{}*_~|\\…·¿¡]|(?<!\d)[,:/\-]|[,:/](?!\d)|(?<=\d)-(?!\d)")

_MINUS = re.compile(r"(?<![\w)])\s*-(?=[\d.])")

_ARTICLE = re.compile(r"\b(?:a|an|the)\s+(?=\S)")


def plain(text):
    """Compatibility forms resolved (full-width letters, ligatures), lower case, one kind of dash."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return folded.translate(_DASHES)


def _normalized(text):
    """Without case, punctuation, leading articles and superfluous white space; None if nothing remains."""
    text = _MINUS.sub(" \0", plain(text))
    text = _SPACED.sub(" ", _SILENT.sub("", text)).replace("\0", "-")
    return " ".join(_ARTICLE.sub("", text).split()) or None


def _numeric(text):
    """The last number; None where there is none or it may be read in two ways."""
    if not text.isascii():
        neighbours = zip(" " + text, text, strict=False)
        small = {sign: before for before, sign in neighbours if unicodedata.category(sign) == "No"}
        if any(before.isdecimal() for before in small.values()):
            return None  # a power or a mixed fraction: 10², 2½
        text = "".join("" if small.get(sign, " ").isalpha() else sign for sign in text)  # 25 m²
    numbers = _NUMBER.findall(_THOUSANDS.sub(lambda match: match[0].replace(" ", ""), plain(text)))
    if not numbers:
        return None
    sign, digits, exponent, below, unit = numbers[-1]
    digits = digits.rstrip(",")
    if "," in digits and not _GROUPED.fullmatch(digits):
        return None  # "3,5" may be one number or two
    if below == "0":
        return None
    value = float(digits.replace(",", "") + exponent) / (float(below) if below else 1.0)
    value *= _SCALES.get(unit, 0.01 if unit else 1.0) * (-1 if "-" in sign else 1)
    return f"{value + 0.0:.12g}" if math.isfinite(value) else None


def _date(text):
    """The last date as MM/DD/YYYY, or None."""
    if slashed := _SLASHED.findall(text):
        month, day, year = slashed[-1]
        return f"{int(month):02d}/{int(day):02d}/{year}"
    text = plain(text)
    dates = [(m.start(), m[2], m[3], m[1]) for m in _ISO.finditer(text)]
    dates += [(m.start(), _MONTHS.index(m[1][:3]) + 1, m[2], m[3]) for m in _MONTH_FIRST.finditer(text)]
    dates += [(m.start(), _MONTHS.index(m[2][:3]) + 1, m[1], m[3]) for m in _DAY_FIRST.finditer(text)]
    if not dates:
        return None
    _, month, day, year = max(dates)
    return f"{int(month):02d}/{int(day):02d}/{year}"


def _letter(text):
    """The letter of an option, A to J: alone, before the answer, or the last that the text names; None without one."""
    alone = _OPTION.fullmatch(text) or _OPTION_FIRST.match(text)
    if alone:
        return alone[1].upper()
    named = _OPTION_NAMED.findall(text)
    return named[-1] if named else None


_SPELLINGS = {
    "exact": lambda text: text, "normalized": _normalized, "numeric": _numeric, "date": _date, "letter": _letter,
}  # fmt: skip


def spell_answers(answers, rule="normalized"):
    """Each answer in the one spelling of its class; None where the rule finds no answer.

    Parameters
    ----------
    answers : array of str or numbers, shape (n,)
        Missing and blank ones hold no answer under any rule.
    rule : {"exact", "normalized", "numeric", "date", "letter", "class"} or function, default "normalized"
        "exact" (the text as it is), "class" (the same, for labels that a judge has given),
        "normalized" (case, Unicode compatibility forms, punctuation, leading articles and white space do not count;
        signs right before a digit, decimal points and symbols such as % + # do),
        "numeric" (the last number: 1,000 = 1000.0, 5 % = 0.05, 1/4 = 0.25, $2 million = 2000000; currencies and units
        do not count; a comma that does not set off three digits makes it unreadable),
        "date" (the last MM/DD/YYYY; where there is none, the last YYYY-MM-DD or date with an English month),
        "letter" (of an option, A to J: alone as in "(b)", before the answer as in "B) Paris", else the last that is
        named as in "the answer is (B)"),
        or a function of one text that returns its spelling, or None; it is called once for each distinct text.

    Returns
    -------
    array of object, shape (n,)
        Spellings.

    Examples
    --------
    >>> spell_answers(["The Eiffel Tower.", "eiffel  tower", "C++", " "]).tolist()
    ['eiffel tower', 'eiffel tower', 'c++', None]
    >>> spell_answers(["about $1,000", 1000.0, "5%", "3,5"], "numeric").tolist()
    ['1000', '1000', '0.05', None]
    """
    if not callable(rule):
        check_one_of(rule, "rule", RULES)
    try:
        codes, distinct = pd.factorize(pd.Series(answers, dtype=None if len(answers) else object))
    except (TypeError, ValueError) as error:
        raise ValueError(f"answers must be texts or numbers, one a row, but {str(error).rstrip('.')}.") from None
    spell = rule if callable(rule) else _SPELLINGS.get(rule, _SPELLINGS["exact"])
    spelled = [spell(text) if (text := _text(value)).strip() else None for value in distinct]
    spelled = [None if pd.isna(spelling) else spelling for spelling in spelled]
    return np.array([*spelled, None], dtype=object)[codes]  # a missing answer has code -1


def _text(value):
    """A number as a reader would write it (5.0 as 5), anything else as it is."""
    if isinstance(value, float | np.floating):
        return f"{value:.15g}"
    return str(value)
