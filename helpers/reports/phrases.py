"""Numbers as readers of a report meet them: points, percent, spans, chances; no more digits than the uncertainty
allows, so that every machine writes the same.
"""

import numpy as np

from helpers.notebook.display import emit, escape


def say(*paragraphs):
    """Show sentences as running text; each argument is a paragraph.

    >>> say("The scores are fine.")
    The scores are fine.
    """
    body = "\n".join(f"<p>{escape(text)}</p>" for text in paragraphs)
    emit({"text/plain": "\n\n".join(paragraphs), "text/html": f'<div class="honest-say">\n{body}\n</div>'})


def digits(error):
    """Decimals that an uncertainty allows.

    >>> digits(0.02), digits(0.3), digits(5)
    (2, 1, 0)
    """
    return int(np.clip(np.ceil(-np.log10(3 * error)), 0, 6)) if error > 0 and np.isfinite(error) else 0


def points(x, error=0.01, *, sign=False):
    """A difference of probabilities in percentage points.

    >>> points(0.1234, 0.02), points(0.0123, 0.0004), points(0.1234, 0.02, sign=True)
    ('12', '1.2', '+12')
    """
    text = f"{100 * x:{'+' if sign else ''}.{min(digits(100 * error), 3)}f}"
    return text.lstrip("+-") if float(text) == 0 else text


def in_points(x, error=0.01):
    """As `points`, with the word: '1 point', '3 points'."""
    text = points(x, error)
    return f"{text} point{'s' * (text != '1')}"


def many(count, noun, verb=""):
    """A count with its noun, and the verb in two forms 'is/are'.

    >>> many(1, "group"), many(3, "group", "is/are")
    ('1 group', '3 groups are')
    """
    words = [f"{count:,}", noun + "s" * (count != 1)]
    return " ".join(words + [verb.split("/")[count != 1]] if verb else words)


def span(low, high, error=0.01, *, sign=False):
    """An interval in points: '2 to 5'."""
    return f"{points(low, error, sign=sign)} to {points(high, error, sign=sign)}"


def percent(x, error=0.01):
    r"""A share or probability in percent; near 0 and 100 with as many digits as it takes to tell it from them.

    >>> [percent(*given).replace("\N{NO-BREAK SPACE}", " ") for given in [(0.675,), (0.0031,), (0.25, 0.001), (1e-9,)]]
    ['68 %', '0.31 %', '25.0 %', '0 %']
    """
    rare = min(x, 1 - x)
    if rare < 5e-7:
        return f"{100 * round(x)}\N{NO-BREAK SPACE}%"
    need = int(np.ceil(-np.log10(100 * rare))) + 1 if 100 * rare < 2 else 0
    return f"{100 * x:.{min(max(need, digits(100 * error)), 4)}f}\N{NO-BREAK SPACE}%"


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


def listed(names, most=6):
    """Names in a sentence; of more than `most`, the number of the others.

    >>> listed(["a", "b", "c"]), listed("abc", most=1)
    ('a, b and c', 'a and 2 more')
    """
    names = [str(name) for name in names]
    shown = names[:most] + [f"{len(names) - most:,} more"] * (len(names) > most)
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
