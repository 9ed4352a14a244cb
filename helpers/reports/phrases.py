"""Numbers as readers of a report meet them: points, percent, spans, chances; no more digits than the uncertainty
allows, so that every machine writes the same.

Templates use each function of `PHRASES` as a filter, `x | percent`, or call it, `span(low, high)`.
"""

import numpy as np
import pandas as pd

from helpers.selective.certified import shown_threshold

NBSP = "\N{NO-BREAK SPACE}"

NAMES = {"sem1": "agreement", "sem2": "held-out agreement", "stated": "stated confidence"}


def digits(error):
    """Decimals that an uncertainty allows.

    >>> digits(0.02), digits(0.3), digits(5)
    (2, 1, 0)
    """
    return int(np.clip(np.ceil(-np.log10(3 * error)), 0, 6)) if error > 0 and np.isfinite(error) else 0


def without_minus_zero(text):
    """The text of a number; "0.0" for "-0.0" and "+0.0"."""
    return text.lstrip("+-") if float(text) == 0 else text


def commas(count):
    """A whole number with its thousands set apart: '10,052'."""
    return f"{count:,}"


def points(x, error=0.01, *, sign=False):
    """A difference of probabilities in percentage points.

    >>> points(0.1234, 0.02), points(0.0123, 0.0004), points(0.1234, 0.02, sign=True)
    ('12', '1.2', '+12')
    """
    return without_minus_zero(f"{100 * x:{'+' if sign else ''}.{min(digits(100 * error), 3)}f}")


def in_points(x, error=0.01):
    """As `points`, with the word: '1 point', '3 points'."""
    text = points(x, error)
    return f"{text} point{'' if text == '1' else 's'}"


def many(count, noun, verb=""):
    """A count with its noun, and the verb in two forms 'is/are'.

    >>> many(1, "group"), many(3, "group", "is/are")
    ('1 group', '3 groups are')
    """
    text = f"{count:,} {noun}{'' if count == 1 else 's'}"
    if not verb:
        return text
    singular, plural = verb.split("/")
    return f"{text} {singular if count == 1 else plural}"


def span(low, high, error=0.01, *, sign=False):
    """An interval in points: '2 to 5'."""
    return f"{points(low, error, sign=sign)} to {points(high, error, sign=sign)}"


def percent(x, error=0.01):
    r"""A share or probability in percent; near 0 and 100 with as many digits as it takes to tell it from them.

    >>> [percent(*given).replace(NBSP, " ") for given in [(0.675,), (0.0031,), (0.25, 0.001), (1e-9,)]]
    ['68 %', '0.31 %', '25.0 %', '0 %']
    """
    rare = min(x, 1 - x)
    if rare < 5e-7:
        return f"{100 * round(x)}{NBSP}%"
    need = int(np.ceil(-np.log10(100 * rare))) + 1 if 100 * rare < 2 else 0
    return f"{100 * x:.{min(max(need, digits(100 * error)), 4)}f}{NBSP}%"


def from_percent(threshold):
    """A threshold of confidence in percent, with as many of four digits as it has: `percent` might round it down a lot.

    >>> [from_percent(t).replace(NBSP, " ") for t in (0.66, 0.9549, 2 / 3)]
    ['66 %', '95.49 %', '66.66 %']
    """
    return f"{100 * shown_threshold(threshold):.6g}{NBSP}%"


def whole_percent(share):
    """A share in whole percent.

    >>> whole_percent(0.994).replace(NBSP, " ")
    '99 %'
    """
    return f"{100 * share:.0f}{NBSP}%"


def chance(p):
    """A p-value, coarse enough to be the same on every machine.

    >>> chance(0.0002), chance(0.034), chance(0.41)
    ('p < 0.001', 'p = 0.03', 'p = 0.4')
    """
    if p < 0.001:
        return "p < 0.001"
    if p < 0.01:
        return "p < 0.01"
    return f"p = {p:.2f}" if p < 0.095 else f"p = {p:.1f}"


def drawn_chance(p):
    """A p-value that rests on a thousand draws, or stands beside one that does: none is below one in a thousand.

    >>> drawn_chance(0.0), drawn_chance(0.034)
    ('p < 0.01', 'p = 0.03')
    """
    return chance(max(p, 0.001))


def squared(x, error):
    """A squared error with the digits that its standard error allows, at least three.

    >>> squared(0.01052, 0.0015), squared(-0.00001, 0.0015)
    ('0.011', '0.000')
    """
    text = f"{x:.{max(3, digits(error))}f}"
    return text.lstrip("-") if float(text) == 0 else text


def root(x):
    """Square root of a squared error, 0 where it is negative: a typical distance."""
    return float(np.sqrt(max(x, 0)))


def bracketed(low, high):
    """An interval in brackets that no line breaks.

    >>> bracketed("5", "14").replace(NBSP, " ")
    '(5 to 14)'
    """
    return f"({low} to {high})".replace(" ", NBSP)


def number(x, error, *, sign=False, least=2):
    """A number with the decimals that its standard error allows, at least `least` and at most four.

    >>> number(0.38026, 0.04), number(float("inf"), 0.1), number(-0.00003, 0.001)
    ('0.38', 'infinite', '0.000')
    """
    if np.isnan(x):
        return "–"
    if np.isinf(x):
        return "infinite" if x > 0 else "infinitely less"
    return without_minus_zero(f"{x:{'+' if sign else ''}.{min(max(digits(error), least), 4)}f}")


def measured(value, low, high, *, sign=False, least=2):
    """A number with its 95 % interval; without one where it is infinite or undefined.

    >>> measured(0.3803, 0.3065, 0.46).replace(NBSP, " ")
    '0.38 (0.31 to 0.46)'
    """
    if not np.isfinite([value, low, high]).all():
        return number(value, 1.0)
    value, low, high = (number(x, (high - low) / 4, sign=sign, least=least) for x in (value, low, high))
    return f"{value} {bracketed(low, high)}"


def points_apart(value, low, high):
    """A difference in points with its interval.

    >>> points_apart(-0.0102, -0.0135, -0.0073).replace(NBSP, " ")
    '-1.0 (-1.4 to -0.7)'
    """
    value, low, high = (without_minus_zero(f"{100 * x:+.1f}") for x in (value, low, high))
    return f"{value} {bracketed(low, high)}"


def apart(gap, low, high):
    """A gap in points, with its interval and as many decimals as tell the ends apart.

    >>> apart(0.004, -0.001, 0.009).replace(NBSP, " ")
    '+0.4 (-0.1 to +0.9)'
    """
    fine = (high - low) / 8
    return f"{points(gap, fine, sign=True)} ({span(low, high, fine, sign=True)})".replace(" ", NBSP)


def typically(value, low, high):
    """A distance in points with its interval; of a lower end above 0, no 0 is left.

    >>> typically(0.026, 0.012, 0.04).replace(NBSP, " "), typically(0.02, 0.002, 0.03).replace(NBSP, " ")
    ('3 points (1 to 4)', '2.0 points (0.2 to 3.0)')
    """
    fine = min((high - low) / 8, low) if low > 0 else (high - low) / 8
    return f"{in_points(value, fine)} {bracketed(points(low, fine), points(high, fine))}"


def rate(x, low, high):
    """A rate in percent, with the decimals that the interval of its gap has.

    >>> rate(0.0176, -0.001, 0.009).replace(NBSP, " ")
    '1.8 %'
    """
    return percent(x, (high - low) / 8)


def of_hundred(value, low, high, *, sign=False):
    """A cost of a case, or a share, told for 100 cases with its interval.

    >>> of_hundred(0.25, 0.2, 0.3).replace(NBSP, " ")
    '25.0 (20.0 to 30.0)'
    """
    return measured(100 * value, 100 * low, 100 * high, sign=sign, least=1)


def with_span(value, low, high, error):
    """Points with their interval: '9 (5 to 14)'."""
    return f"{points(value, error)} {bracketed(points(low, error), points(high, error))}"


def shares(value, low, high):
    """A share with its interval in percent: '76 % (70 to 81)'; a dash where there is none."""
    if np.isnan(value):
        return "–"
    text = percent(value)
    places = len(text.removesuffix(f"{NBSP}%").partition(".")[2])
    return f"{text} {bracketed(*(f'{100 * x:.{places}f}' for x in (low, high)))}"


def hundred(cost, places=1):
    """A cost per question, told for 100 questions with so many decimals; a smaller one with its first digit.

    >>> hundred(0.1376), hundred(0.002), hundred(0.00004), hundred(0)
    ('13.8', '0.2', '0.004', '0.0')
    >>> hundred(0.0016, 2), hundred(0.00001, 2)
    ('0.16', '0.001')
    """
    cost = round(100 * cost, 9)  # sums in another order round alike
    return f"{cost:.1g}" if 0 < cost < 0.95 * 10**-places else f"{cost:z.{places}f}"


def cost_with_span(cost, low, high):
    """A cost per question, told for 100 questions, with its interval, if it has a width.

    >>> cost_with_span(0.2, 0.2, 0.2), cost_with_span(0.2, 0.1, 0.3).replace(NBSP, " ")
    ('20.0', '20.0 (10.0 to 30.0)')
    """
    ends = [hundred(low), hundred(high)]
    return hundred(cost) if ends[0] == ends[1] else f"{hundred(cost)} {bracketed(*ends)}"


def listed(names, most=6):
    """Names in a sentence; of more than `most`, the number of the others.

    >>> listed(["a", "b", "c"]), listed("abc", most=1)
    ('a, b and c', 'a and 2 more')
    """
    names = [str(name) for name in names]
    shown = names[:most]
    if len(names) > most:
        shown.append(f"{len(names) - most:,} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def with_reasons(reasons):
    """A dictionary {name: reason} as a list of 'name (reason)'."""
    return [f"{name} ({reason})" for name, reason in reasons.items()]


def first_up(text):
    """A text with a capital first letter, the others as they are."""
    return text[0].upper() + text[1:]


def short(text, most=40):
    """A text of a table's cell, cut after `most` letters.

    >>> short("What is the capital of France, and since when?", 20)
    'What is the capital…'
    """
    missing = text is None or (not isinstance(text, str) and pd.isna(text))
    text = "–" if missing else " ".join(str(text).split())
    return text if len(text) <= most else text[:most].rstrip(" ,;:.") + "…"


PHRASES = [
    commas, points, in_points, many, span, percent, from_percent, whole_percent, chance, drawn_chance, squared, root,
    measured, with_span, shares, points_apart, hundred, cost_with_span, listed,
    with_reasons, first_up, apart, typically, rate, of_hundred, number, bracketed,
]  # fmt: skip
