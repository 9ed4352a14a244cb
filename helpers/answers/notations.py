"""A text that is one number, date, letter, quantity or formula, as the one spelling of its value; None for another.

The whole text is read or nothing is: what a notation does not cover never becomes another value. `spelling` finds the
text in a reply.
"""

import logging
import math
import re
import unicodedata
from functools import cache

MISSING = 'pip install "honest-confidence[answers]"'  # with the extra that reads quantities, formulas, other languages

# ---- what all notations share --------------------------------------------------------------------------------------

_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-") | {"\u2044": "/"})

_RAISED = {"⁰": "0", "¹": "1", "²": "2", "³": "3", "⁴": "4", "⁵": "5", "⁶": "6", "⁷": "7", "⁸": "8", "⁹": "9", "⁻": "-"}

_RAISED_RUN = re.compile(f"[{''.join(_RAISED)}]+")

_UNICODE_FRACTION = re.compile(r"(?<=\d)(?=[¼-¾⅐-⅞])")

_LATEX = (  # what is only typesetting, and how numbers, units and operators look without it
    (r"\\left(?![a-z])|\\right(?![a-z])|\\displaystyle|\\[!,;: ]|\\(?:q?quad|hspace\{[^{}]*\})", ""),
    (r"(?<=\{)~|~(?=\\)", " "),
    (r"\\(?:text|textbf|textit|mathrm|mathbf|mbox|operatorname|bf|rm)\s*\{([^{}]*)\}", r" \1"),
    (r"\\([$%#&])", r"\1"),
    (r"\{,\}", ","),
    (r"\\[dtc]frac", r"\\frac"),
    (r"(?<=\d)\s*\\frac(?:\{(\d+)\}\{(\d+)\}|(\d)(\d))", r" \1\3/\2\4"),
    (r"\\frac\{(\d+(?:\.\d+)?)\}\{(\d+(?:\.\d+)?)\}|\\frac(\d)(\d)", r"\1\3/\2\4"),
    (r"\\(?:times|cdot)(?![a-z])", "×"),
    (r"\\pm(?![a-z])", "±"),
    (r"\\(?:approx|sim)(?![a-z])", "≈"),
    (r"\^\s*(?:\\circ|\{\\circ\})|\\degree", "°"),
    (r"(?<=\d)\s*\^\s*\{(-?\d+)\}", r"^\1"),
)

_LATEX = tuple((re.compile(pattern), new) for pattern, new in _LATEX)

MATHEMATICS = re.compile(
    r"\$\$(.+?)\$\$|(?<![\\\w])\$(?=\S)([^$\n]*[^\s$\\])\$(?!\d)|\\\((.+?)\\\)|\\\[(.+?)\\\]", re.S
)


def plain(text):
    """Compatibility forms resolved (full-width letters, ligatures), lower case, one kind of dash."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return folded.translate(_DASHES)


def without_layout(text):
    """A text without what only sets it: LaTeX around numbers, emphasis, small digits (m² is m^2), other dashes."""
    if not text.isascii():
        text = _UNICODE_FRACTION.sub(" ", text)  # 2½
        text = _RAISED_RUN.sub(lambda run: "^" + "".join(map(_RAISED.get, run[0])), text)
        text = unicodedata.normalize("NFKC", text).translate(_DASHES)
    text = MATHEMATICS.sub(lambda match: next(group for group in match.groups() if group is not None), text)
    text = re.sub(r"(?<=\d)\*\*(?=-?\d)", "^", text)
    text = re.sub(r"\*\*|__|`", "", text)
    if "\\" in text or "{" in text:
        for pattern, new in _LATEX:
            text = pattern.sub(new, text)
    return text


# ---- numbers -------------------------------------------------------------------------------------------------------

_POWERS_OF_TEN = {
    2: "hundred", 3: "thousand tausend mille mil", 5: "lakh", 7: "crore",
    6: "million millions millionen millón millones",
    9: "billion billions milliard milliards milliarde milliarden", 12: "trillion trillions",
}  # fmt: skip

SCALES = {word: 10.0**power for power, words in _POWERS_OF_TEN.items() for word in words.split()}

CURRENCIES = frozenset("$€£¥₹₩₽₺฿₫₪") | {"USD", "EUR", "GBP", "CHF", "JPY", "CNY", "INR", "dollars", "euros", "euro"}

# A letter for a power of ten is one beside a currency alone: 5 K may be kelvin, 6 B may be bytes.
_SHORT_SCALES = {"k": 1e3, "m": 1e6, "mn": 1e6, "mio": 1e6, "b": 1e9, "bn": 1e9, "mrd": 1e9, "t": 1e12}

_PERCENT = re.compile(r"\b(?:per ?cent|percent|pct|prozent|pour ?cent|por ?ciento)\b\.?", re.IGNORECASE)

_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()

_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()

NUMBER_WORDS = {word: value for value, word in enumerate(_WORDS)}
NUMBER_WORDS |= {ten: 10 * place for place, ten in enumerate(_TENS, 2)}
NUMBER_WORDS |= {
    f"{ten}{join}{_WORDS[one]}": NUMBER_WORDS[ten] + one for ten in _TENS for one in range(1, 10) for join in "- "
}

_CODES = "USD|EUR|GBP|CHF|JPY|CNY|INR"

_AMOUNT = re.compile(
    rf"(?P<sign>[-+])?(?P<before>[A-Z]{{0,2}}[$€£¥₹₩₽₺฿₫₪]|{_CODES})?\s?(?P<sign_after>[-+])?"
    r"(?P<digits>\d[\d.,'’_ ]*|\.\d+)"
    r"(?:[eE](?P<exponent>[-+]?\d+)|\s?[×x*·]\s?10\^\{?(?P<power>-?\d+)\}?)?"
    rf"(?:\s?(?P<percent>%)|\s?(?P<after>[$€£¥₹₩₽₺฿₫₪]|(?:{_CODES}|dollars?|euros?|pounds?|cents?)\b))?"
    r"(?:[\s-]?(?P<unit>[^\W\d_°]+(?:\^-?\d+)?(?:[/·*][^\W\d_]+(?:\^-?\d+)?)*|°[CFKcf]?))?\.?"
)

_FRACTION = re.compile(
    r"(?P<sign>[-+])?(?:(?P<whole>\d+) )?(?P<above>\d+(?:\.\d+)?)\s?/\s?(?P<below>\d+(?:\.\d+)?)(?P<percent>\s?%)?"
)

_POWER = re.compile(r"(?P<base>\d+(?:\.\d+)?)\^(?P<power>-?\d{1,3})")

_ENGLISH = re.compile(
    r"\d+(?:\.\d+)?\.?|\.\d+|(?:\d{1,3}(?:([, '’_])\d{3})(?:\1\d{3})*|\d{1,2}(?:,\d{2})+,\d{3})(?:\.\d+)?"
)

_CONTINENTAL = re.compile(r"\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}|\d{1,3}(?:([ '’])\d{3})(?:\1\d{3})*,\d{1,2}")

_DECIMAL_COMMA = re.compile(r"\d+,\d{1,2}")  # certain only beside a currency, a unit or a percent sign: 3,5 may be two

_NO_UNITS = frozenset("xyzXYZKMBTπ") | set(
    "pi bn mn mio mrd Mio Mrd k b squared cubed factorial dozen tenths hundredths".split()
)

_ORDINALS = frozenset({"st", "nd", "rd", "th"})


_LEFT_SIDE = re.compile(r"\s*(?:[^\W\d_]\w*|[\d\s+\-*/×÷^().,%$€£]+)\s*")  # of "=": a name, or what was computed

_REMARKS = (
    (_PERCENT, "%"),
    (re.compile(r"\b(?:minus|negative)\s+(?=[\d.$€£])", re.IGNORECASE), "-"),
    (re.compile(r"\b(?:(?:less|fewer|more|greater) than|at (?:least|most)|up to)\s+(?=[\d.$€£])", re.IGNORECASE), "<"),
)


def with_signs(text):
    """A text with %, - and < (for all bounds, none of which is a number) in place of their words."""
    for pattern, sign in _REMARKS:
        text = pattern.sub(sign, text)
    return text


def shown(value):
    """A number as the spelling of its class; None if it is not finite."""
    return f"{value + 0.0:.12g}" if math.isfinite(value) else None


def _digits(digits, is_beside):
    """The value of digits with separators; None if they may be read in two ways. `is_beside` a currency, unit or %."""
    digits = digits.strip().rstrip(",")
    if _ENGLISH.fullmatch(digits):
        return float(re.sub(r"[, '’_]", "", digits))
    if _CONTINENTAL.fullmatch(digits) or (is_beside and _DECIMAL_COMMA.fullmatch(digits)):
        return float(re.sub(r"[. '’]", "", digits).replace(",", "."))
    return None


def read_number(text, *, units=True):
    """The value of a text that is one number; with `units`, one behind it does not count.

    1,000 = 1 000 = 1.000,0; 5 % = 0.05; 2 1/2; 10^3; 1.2 × 10^3; $2 million; $5k; 5th; seven. None for ranges, sums, ±,
    several numbers, and for what may be read in two ways: 3,5 and 6 B.
    """
    left, _, text = with_signs(without_layout(text)).rpartition("=")
    if left and not _LEFT_SIDE.fullmatch(left):
        return None
    text = re.sub(r"^\s*[-•]\s+", "", text).strip(" \t\n()[]{}\"'“”‘’≈~:;!?#*").rstrip(".,")
    word = text.lower()
    if word in NUMBER_WORDS:
        return shown(NUMBER_WORDS[word])
    if match := _FRACTION.fullmatch(text):
        above, below = float(match["above"]), float(match["below"])
        if below == 0 or (match["whole"] and above >= below):
            return None
        value = float(match["whole"] or 0) + above / below
        return shown(value * (-1 if match["sign"] == "-" else 1) / (100 if match["percent"] else 1))
    if match := _POWER.fullmatch(text):
        try:
            return shown(float(match["base"]) ** int(match["power"]))
        except (OverflowError, ZeroDivisionError):
            return None
    match = _AMOUNT.fullmatch(text)
    return match and _amount(match, units)


def _amount(match, units):
    """The value of a number with what stands before and behind it."""
    digits, unit = match["digits"], match["unit"] or ""
    currency = match["before"] or match["after"]
    scale = SCALES.get(unit.lower())
    if scale is None and currency:
        scale = _SHORT_SCALES.get(unit.lower())
    is_unit = unit and scale is None and unit not in _ORDINALS
    if is_unit and (not units or unit in _NO_UNITS or re.fullmatch(r"\d+0", digits) and unit == "s"):  # 1990s
        return None
    if currency and re.fullmatch(r"\d{1,3}\.\d{3}", digits.strip()):
        return None  # 2.000 € may be two or two thousand
    value = _digits(digits, currency or unit or match["percent"])
    if value is None:
        return None
    try:
        value *= 10.0 ** int(match["exponent"] or match["power"] or 0)
    except OverflowError:
        return None
    value *= (scale or 1.0) * (0.01 if match["percent"] else 1.0)
    return shown(-value if "-" in (match["sign"], match["sign_after"]) else value)


# ---- dates ---------------------------------------------------------------------------------------------------------

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_ENGLISH_MONTH = re.compile(
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?"
)

_LANGUAGES = ("de", "fr", "es", "it", "nl", "pt")

DATE = re.compile(
    r"(?<!\d)(?P<slashed>\d{1,2}/\d{1,2}/\d{4})(?!\d)"
    r"|(?<![\d/.-])(?P<iso>\d{4}-\d{1,2}-\d{1,2}|\d{4}/\d{1,2}/\d{1,2}|\d{4}年\d{1,2}月\d{1,2}日?)(?![\d/]|[.-]\d)"
    r"|(?<![\d/.-])(?P<dashed>\d{1,2}-\d{1,2}-\d{4})(?![\d/]|[.-]\d)"
    r"|(?<![\d/.-])(?P<dotted>\d{1,2}\.\s?\d{1,2}\.\s?\d{4})(?![\d/]|[.-]\d)"
    r"|(?<![\d/.-])(?P<day_first>\d{1,2}(?:st|nd|rd|th|er|\.?º|\.)?\s+(?:of\s+|de\s+)?"
    r"(?P<word>[^\W\d_]{3,12})\.?,?\s+(?:de\s+|del\s+)?\d{4})(?!\d)"
    r"|\b(?P<month_first>(?P<first_word>[^\W\d_]{3,12})\.?\s+\d{1,2}(?:st|nd|rd|th)?,?\s+\d{4})(?!\d)",
    re.IGNORECASE,
)


@cache
def _month(word):
    """1 to 12 for the name of a month, in the languages that dateparser knows if it is installed; else None."""
    word = plain(word)
    if _ENGLISH_MONTH.fullmatch(word):
        return _MONTHS.index(word[:3]) + 1
    try:
        import dateparser
    except ImportError:
        return None
    settings = {"PARSERS": ["absolute-time"], "REQUIRE_PARTS": ["day", "month", "year"], "STRICT_PARSING": True}
    date = dateparser.parse(f"20 {word} 2000", languages=_LANGUAGES, settings=settings)
    return date.month if date is not None and (date.day, date.year) == (20, 2000) else None


def spell_date(match, day_first=False):
    """MM/DD/YYYY of a match of `DATE`; None if there is no such month or day, or either may be the month.

    What stands first in 3/5/1914 is the month, and in 31/1/1914 no month that there is; unless `day_first`. In 3.5.1914
    and 25-5-1914 it is the day.
    """
    kind = next(kind for kind in ("slashed", "iso", "dashed", "dotted", "day_first", "month_first") if match[kind])
    numbers = [int(part) for part in re.findall(r"\d+", match[kind])]
    if kind == "iso":
        year, month, day = numbers
    elif kind in ("day_first", "month_first"):
        day, year = numbers
        month = _month(match["word"] or match["first_word"])
    else:
        month, day, year = numbers
        if kind == "dashed" and max(month, day) <= 12 and month != day:
            return None
        if kind == "dotted" or (kind == "dashed" and month > 12) or (day_first and day <= 12):
            day, month = month, day
        if kind == "slashed" and not day_first:
            return f"{month:02d}/{day:02d}/{year:04d}"
    if month is None or not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return f"{month:02d}/{day:02d}/{year:04d}"


def either_way(text):
    """+1 if a date such as 25/5/1914 in a text has the day first, -1 the month, 0 if 3/5/1914 may have either; None."""
    slashed = [match["slashed"] for match in DATE.finditer(text) if match["slashed"]]
    if not slashed:
        return None
    first, second, _ = map(int, slashed[-1].split("/"))
    if first == second:
        return None
    return 1 if first > 12 else -1 if second > 12 else 0


def read_date(text, day_first=False):
    """A text that is one date, as MM/DD/YYYY; None for another."""
    match = DATE.fullmatch(without_layout(text).strip(" \t\n()[]{}\"'.,;!?*"))
    return spell_date(match, day_first) if match else None


# ---- letters -------------------------------------------------------------------------------------------------------

_ALONE = re.compile(r"\W*(?:(?:the )?(?:correct )?(?:option|choice|answer)(?: is)?:?\s*)?\W*([A-P])\W*", re.IGNORECASE)


def read_letter(text):
    """A text that is the letter of an option, A to P, whatever stands around it: (b), **B**, option B."""
    match = _ALONE.fullmatch(without_layout(text))
    return match[1].upper() if match else None


# ---- quantities ----------------------------------------------------------------------------------------------------


@cache
def _registry():
    """Pint's units; ImportError with one sentence where it is not installed."""
    try:
        import pint
    except ImportError as error:
        raise ImportError(f"Reading quantities with units needs Pint: {MISSING}") from error
    return pint.UnitRegistry(autoconvert_offset_to_baseunit=True)


_UNIT = re.compile(
    r"(?:(?:square|cubic) )?[^\W\d_°]+(?:\^-?\d)?"
    r"(?:(?:\s?[/·*×]\s?| per )[^\W\d_°]+(?:\^-?\d)?| [^\W\d_°]+\^-?\d)*|°[CF]?"
)

_DEGREES = re.compile(r"^(?:degrees?|deg\.?|°) ?(C|F)(?:elsius|ahrenheit)?$")


@cache
def unit_of(text):
    """A unit of Pint; None for another text, and where Pint would guess: cats as centi-at-s, pinch as pico-inch."""
    text = _DEGREES.sub(r"deg\1", text.strip().rstrip("."))
    if not _UNIT.fullmatch(text):
        return None
    registry = _registry()
    words = text.replace("·", "*").replace("×", "*").replace("^", "**").replace(" per ", "/")
    words = re.sub(r"^(square|cubic) (\w+)", lambda match: f"{match[2]}**{2 if match[1] == 'square' else 3}", words)
    if not all(_is_unit(name, registry) for name in re.findall(r"[^\W\d_]+", words)):
        return None
    try:
        unit = registry.parse_units(re.sub(r"(?<=[\w]) (?=\w)", "*", words))
    except Exception:  # of Pint, of its tokenizer
        return None
    return None if unit.dimensionless and not str(unit) else unit


def _is_unit(name, registry):
    """Whether a word is a unit of Pint in one way, with its prefix in full, or as letter with the unit's letters."""
    kinds = registry.parse_unit_name(name)
    if not kinds or not kinds[0][0]:
        return bool(kinds)
    prefix, unit, _ = kinds[0]
    return len(kinds) == 1 and (
        len(name) < 4 or name.startswith(prefix) or name == registry.get_symbol(prefix + unit)
    )  # fmt: skip


def read_quantity(text):
    """A text that is a number with a unit, in base units: 5 km = 5000 m. None without a unit."""
    text = with_signs(without_layout(text)).strip(" \t\n()[]\"'≈~:;,!?*").rstrip(".")
    match = re.fullmatch(r"(?P<number>[-+]?[\d.][\d.,'’ /^×x*eE+-]*?)[\s-]?(?P<unit>[^\W\d_].*|°.*)", text, re.DOTALL)
    if not match:
        return None
    unit = unit_of(match["unit"])
    number = unit is not None and (read_number(match["number"]) or read_number(f"{match['number']} u"))
    if not number:
        return None
    quantity = _registry().Quantity(float(number), unit).to_base_units()
    return f"{quantity.magnitude + 0.0:.12g} {quantity.units}"


# ---- formulas ------------------------------------------------------------------------------------------------------

LONGEST_FORMULA = 200  # characters; none is longer that is an answer

_FORMULA = re.compile(
    r"\\[a-zA-Z]|\^|\bsqrt\s*\(|[√π]|\b\d*pi\b|\d[a-z]?\s*[-+*/]\s*\d*[a-z]\b|[a-z]\s*[-+*/]\s*\d"
    r"|[\[({]\s*-?[\d.]+\s*(?:,\s*-?[\d./]+\s*)+\\?[\])}]"
)

_FUNCTIONS = "sqrt|sin|cos|tan|log|ln|exp|and|or|pi"

_NO_MATHEMATICS = re.compile(rf"(?<![a-zA-Z])(?!(?:{_FUNCTIONS})(?![a-zA-Z]))[a-zA-Z]{{3,}}")

_COMMANDS = re.compile(r"\\(?:begin|end)\{\w+\}|\\[a-zA-Z]+")

_POINTS = (0.6180339887, 1.4142135623)  # where formulas with letters are compared


@cache
def _latex():
    """(function from LaTeX to sympy, sympy); ImportError with one sentence where math-verify is not installed."""
    try:
        import sympy
        from latex2sympy2_extended import NormalizationConfig, latex2sympy, normalize_latex  # of math-verify
    except ImportError as error:
        raise ImportError(f"Reading mathematical answers needs math-verify: {MISSING}") from error
    rules = NormalizationConfig(True, False, True, False, "none", False)  # LaTeX and its \frac12, nothing dropped
    logging.getLogger("latex2sympy2_extended").setLevel(logging.ERROR)

    def parse(text):
        return latex2sympy(normalize_latex(text, rules), normalization_config=None)

    return parse, sympy


def is_formula(text):
    """Whether a text looks like mathematics, and not like words or a name such as F-16."""
    looks_so = _FORMULA.search(text) or MATHEMATICS.fullmatch(text.strip())
    return bool(looks_so) and not _NO_MATHEMATICS.search(_COMMANDS.sub(" ", text))


@cache
def read_formula(text):
    """A text that is a mathematical answer, as what it is worth; None for one that math-verify's parser cannot read.

    A number in digits, a formula by its values where its letters have two values each; sets, tuples and intervals part
    by part; an equation that names a letter by its other side. Formulas that are the same have the same spelling.
    """
    number = read_number(text, units=False)
    if number is not None:
        return number
    text = MATHEMATICS.sub(lambda match: next(filter(None, match.groups())), text).strip().rstrip(".,;")
    if not text or len(text) > LONGEST_FORMULA or not is_formula(text) or re.search(r"\d\s+\d|\d:\d|\\text", text):
        return None
    parse, sympy = _latex()
    text = re.sub(r"\bsqrt\s*\(([^()]*)\)", r"\\sqrt{\1}", text)
    text = re.sub(r"√\s*(\d+|\([^()]*\))", r"\\sqrt{\1}", text)
    text = re.sub(r"(?<![\\a-zA-Z])(pi|sin|cos|tan|log|ln)(?![a-zA-Z])|π", lambda m: f"\\{m[1] or 'pi'} ", text)
    try:
        return _value(parse(text), sympy)
    except ImportError:
        raise
    except Exception:  # of the parser, which has no class for them, and of what sympy cannot evaluate
        return None


def _value(made, sympy):
    """The spelling of what sympy made of a formula; None where it has none."""
    if isinstance(made, sympy.MatrixBase):
        parts = [_value(entry, sympy) for entry in made]
        return None if None in parts else f"matrix {made.shape} {', '.join(parts)}"
    if isinstance(made, sympy.Eq):
        return _value(made.rhs, sympy) if made.lhs.is_Symbol else None
    if isinstance(made, sympy.Interval):
        ends = [str(end) if end.is_infinite else _value(end, sympy) for end in (made.start, made.end)]
        left, right = "(" if made.left_open else "[", ")" if made.right_open else "]"
        return None if None in ends else f"{left}{ends[0]}, {ends[1]}{right}"
    if isinstance(made, sympy.Tuple | sympy.FiniteSet) or type(made).__name__ == "FiniteSet":
        parts = [_value(part, sympy) for part in made.args]
        if None in parts:
            return None
        return f"({', '.join(parts)})" if isinstance(made, sympy.Tuple) else f"{{{', '.join(sorted(parts))}}}"
    if not isinstance(made, sympy.Expr):
        return None
    letters = sorted(made.free_symbols, key=str)
    if not letters:
        return _complex(complex(sympy.N(made.doit(), 20)))
    values = []
    for point in _POINTS:
        # each letter has its own value, the same in every formula
        at = {letter: sympy.Float(point + (sum(map(ord, str(letter))) * 0.3819660113) % 1, 30) for letter in letters}
        values.append(_complex(complex(sympy.N(made.doit().subs(at), 20))))
    return None if None in values else f"f({', '.join(map(str, letters))}) = {values[0]}, {values[1]}"


def _complex(value):
    """A number with its imaginary part, if there is one."""
    if abs(value.imag) <= 1e-12 * max(1.0, abs(value.real)):
        return shown(value.real)
    parts = shown(value.real), shown(value.imag)
    return None if None in parts else f"{parts[0]}{'' if parts[1][0] == '-' else '+'}{parts[1]}i"
