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
    """Decimals that an uncertainty allows."""
    return int(np.clip(np.ceil(-np.log10(3 * error)), 0, 6)) if error > 0 and np.isfinite(error) else 0


def without_minus_zero(text):
    """The text of a number; "0.0" for "-0.0" and "+0.0"."""
    return text.lstrip("+-") if float(text) == 0 else text


def commas(count):
    """A whole number with its thousands set apart: '10,052'."""
    return f"{count:,}"


def round_up(count):
    """A number of cases that would do, with two digits: 9,300, and not 9,211."""
    step = 10 ** max(int(np.log10(max(count, 1))) - 1, 0)
    return int(np.ceil(count / step - 1e-9) * step)


def points(x, error=0.01, *, sign=False):
    """A difference of probabilities in percentage points."""
    return without_minus_zero(f"{100 * x:{'+' if sign else ''}.{min(digits(100 * error), 3)}f}")


def as_shown(x, error=0.01):
    """A difference in points as a page shows it, as a number: what is compared with a limit that is shown, too."""
    return float(points(x, error))


def in_points(x, error=0.01):
    """As `points`, with the word: '1 point', '3 points'."""
    text = points(x, error)
    return f"{text} point{'' if text == '1' else 's'}"


def many(count, noun, verb=""):
    """A count with its noun, and the verb in two forms 'is/are'."""
    text = f"{count:,} {noun}{'' if count == 1 else 's'}"
    if not verb:
        return text
    singular, plural = verb.split("/")
    return f"{text} {singular if count == 1 else plural}"


def percent(x, error=0.01):
    """A share or probability in percent; near 0 and 100 with as many digits as it takes to tell it from them."""
    rare = min(x, 1 - x)
    if rare < 5e-7:
        return f"{100 * round(x)}{NBSP}%"
    need = int(np.ceil(-np.log10(100 * rare))) + 1 if 100 * rare < 2 else 0
    return f"{100 * x:.{min(max(need, digits(100 * error)), 4)}f}{NBSP}%"


def from_percent(threshold):
    """A threshold of confidence in percent, with as many of four digits as it has; `percent` might round it a lot."""
    return f"{100 * shown_threshold(threshold):.6g}{NBSP}%"


def chance(p):
    """A p-value that no line breaks, coarse enough to be the same on every machine."""
    least = 0.001 if p < 0.001 else 0.01
    text = f"p < {least}" if p < least else f"p = {p:.2f}" if p < 0.095 else f"p = {p:.1f}"
    return text.replace(" ", NBSP)


def drawn_chance(p):
    """A p-value that rests on a thousand draws, or stands beside one that does: none is below one in a thousand."""
    return chance(max(p, 0.001))


def root(x):
    """Square root of a squared error, 0 where it is negative: a typical distance."""
    return float(np.sqrt(max(x, 0)))


def bracketed(low, high):
    """An interval in brackets that no line breaks."""
    return f"({low} to {high})".replace(" ", NBSP)


def number(x, error, *, sign=False, least=2):
    """A number with the decimals that its standard error allows, at least `least` and at most four."""
    if np.isnan(x):
        return "–"
    if np.isinf(x):
        return "infinite" if x > 0 else "infinitely less"
    return without_minus_zero(f"{x:{'+' if sign else ''}.{min(max(digits(error), least), 4)}f}")


def measured(value, low, high, *, sign=False, least=2):
    """A number with its 95 % interval; without one where it is infinite or undefined, or has no width."""
    if not np.isfinite([value, low, high]).all():
        return number(value, 1.0)
    if high - low < 1e-9:  # the same in every case, but for rounding
        return number(value, 1.0, sign=sign, least=least)
    value, low, high = (number(x, (high - low) / 4, sign=sign, least=least) for x in (value, low, high))
    return f"{value} {bracketed(low, high)}"


def points_apart(value, low, high):
    """A difference in points with its interval."""
    value, low, high = (without_minus_zero(f"{100 * x:+.1f}") for x in (value, low, high))
    return f"{value} {bracketed(low, high)}"


def apart(gap, low, high):
    """A gap in points, with its interval and as many decimals as tell the ends apart.

    An end that is as far from 0 as the gap surely is, is rounded towards 0: 4.88 points are not surely 5.
    """
    fine = (high - low) / 8
    step = 0.01 * 10.0 ** -min(digits(100 * fine), 3)
    if low > 0:
        low = step * np.floor(low / step + 1e-9)
    if high < 0:
        high = step * np.ceil(high / step - 1e-9)
    ends = (points(end, fine, sign=True) for end in (low, high))
    return f"{points(gap, fine, sign=True)} {bracketed(*ends)}".replace(" ", NBSP)


def typically(value, low, high):
    """A distance in points with its interval; of a lower end above 0, no 0 is left."""
    fine = min((high - low) / 8, low * 2 / 3) if low > 0 else (high - low) / 8
    return f"{in_points(value, fine)} {bracketed(points(low, fine), points(high, fine))}"


def rate(x, low, high):
    """A rate in percent, with the decimals that the interval of its gap has."""
    return percent(x, (high - low) / 8)


def of_hundred(value, low, high, *, sign=False):
    """A cost of a case, or a share, stated for 100 cases with its interval."""
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


def listed(names, most=6):
    """Names in a sentence; of more than `most`, the number of the others."""
    names = [str(name) for name in names]
    shown = names[:most]
    if len(names) > most:
        shown.append(f"{len(names) - most:,} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def either(rules, most=3):
    """Rules of groups after "where": "a is 1, or where b is 2"; of more than `most`, the number of the others."""
    text = ", or where ".join(rules[:most])
    return f"{text}, or in {many(len(rules) - most, 'more group')}" if len(rules) > most else text


def with_reasons(reasons):
    return [f"{name} ({reason})" for name, reason in reasons.items()]


def first_up(text):
    return text[0].upper() + text[1:]


def short(text, most=40):
    """A text of a table's cell, cut after `most` letters."""
    missing = text is None or (not isinstance(text, str) and pd.isna(text))
    text = "–" if missing else " ".join(str(text).split())
    return text if len(text) <= most else text[:most].rstrip(" ,;:.") + "…"


PHRASES = [
    commas, points, in_points, many, percent, from_percent, chance, drawn_chance, root,
    measured, with_span, shares, points_apart, listed, either,
    with_reasons, first_up, apart, typically, rate, of_hundred, number, bracketed,
]  # fmt: skip
