"""Words and numbers that the report on sampled answers shares between its sections."""

import numpy as np
import pandas as pd

from helpers.reports.phrases import digits, percent, points

NAMES = {"sem1": "agreement (Sem1)", "sem2": "held-out agreement (Sem2)", "stated": "stated confidence"}

RULES_IN_WORDS = {
    "exact": "Two answers are the same if they are spelled the same, letter for letter.",
    "normalized": "Two answers are the same if they differ only in case, punctuation, articles or spaces.",
    "numeric": "Two answers are the same if the last number in them is the same.",
    "date": "Two answers are the same if the last date in them is the same.",
    "class": "Two answers are the same if they are in the same class; the file names the classes.",
}


def bracketed(low, high):
    """An interval in brackets that no line breaks.

    >>> bracketed("5", "14").replace("\N{NO-BREAK SPACE}", " ")
    '(5 to 14)'
    """
    return f"({low} to {high})".replace(" ", "\N{NO-BREAK SPACE}")


def number(x, error, *, sign=False, least=2):
    """A number with the decimals that its standard error allows, at least `least` and at most four.

    >>> number(0.38026, 0.04), number(float("inf"), 0.1), number(-0.00003, 0.001)
    ('0.38', 'infinite', '0.000')
    """
    if not np.isfinite(x):
        return "–" if np.isnan(x) else "infinite" if x > 0 else "infinitely less"
    text = f"{x:{'+' if sign else ''}.{min(max(digits(error), least), 4)}f}"
    return text.lstrip("+-") if float(text) == 0 else text


def measured(value, low, high, *, sign=False, least=2):
    """A number with its 95 % interval; without one where it is infinite or undefined.

    >>> measured(0.3803, 0.3065, 0.46).replace("\N{NO-BREAK SPACE}", " ")
    '0.38 (0.31 to 0.46)'
    """
    if not np.isfinite([value, low, high]).all():
        return number(value, 1.0)
    options = {"sign": sign, "least": least}
    value, low, high = (number(x, (high - low) / 4, **options) for x in (value, low, high))
    return f"{value} {bracketed(low, high)}"


def points_apart(value, low, high):
    """A difference in points with its interval.

    >>> points_apart(-0.0102, -0.0135, -0.0073).replace("\N{NO-BREAK SPACE}", " ")
    '-1.0 (-1.4 to -0.7)'
    """
    texts = [f"{100 * x:+.1f}" for x in (value, low, high)]
    value, low, high = (text.lstrip("+-") if float(text) == 0 else text for text in texts)
    return f"{value} {bracketed(low, high)}"


def whole(share):
    """A share in whole percent.

    >>> whole(0.994).replace("\N{NO-BREAK SPACE}", " ")
    '99 %'
    """
    return f"{100 * share:.0f}\N{NO-BREAK SPACE}%"


def with_span(value, low, high, error):
    """Points with their interval: '9 (5 to 14)'."""
    return f"{points(value, error)} {bracketed(points(low, error), points(high, error))}"


def shares(value, low, high):
    """A share with its interval in percent: '76 % (70 to 81)'; a dash where there is none."""
    if np.isnan(value):
        return "–"
    text = percent(value)
    places = len(text.removesuffix("\N{NO-BREAK SPACE}%").partition(".")[2])
    return f"{text} {bracketed(*(f'{100 * x:.{places}f}' for x in (low, high)))}"


def hundred(cost):
    """A cost per question, told for 100 questions in wrong answers.

    >>> hundred(0.1376), hundred(0.002), hundred(0.00004), hundred(0)
    ('13.8', '0.2', '0.004', '0.0')
    """
    return f"{100 * cost:.1g}" if 0 < 100 * cost < 0.095 else f"{100 * cost:z.1f}"


def a_sample(cost):
    """What a sample costs or saves, for 100 questions in wrong answers, with two decimals.

    >>> a_sample(0.0016), a_sample(0.00001)
    ('0.16', '0.001')
    """
    return f"{100 * cost:.1g}" if 0 < 100 * cost < 0.0095 else f"{100 * cost:z.2f}"


def short(text, most=40):
    """A text of a table's cell, cut after `most` letters.

    >>> short("What is the capital of France, and since when?", 20)
    'What is the capital…'
    """
    text = "–" if text is None or (not isinstance(text, str) and pd.isna(text)) else " ".join(str(text).split())
    return text if len(text) <= most else text[:most].rstrip(" ,;:.") + "…"
