"""Claims that bind a notebook's prose to numbers, and numbers for metrics.json."""

import math
import numbers
from functools import cache

import numpy as np

from helpers.checks import nearest_name
from helpers.notebook.display import KEY, emit

_MISSING = object()


class ClaimFailed(AssertionError):
    """A number that the notebook's text states did not come out."""


def _plain(value):
    """A number, text, list or None as JSON can hold it; numbers that are not finite become texts."""
    value = value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise ValueError(
        f"a recorded value must be a number, a text, None or a list of these, but it is a {type(value).__name__}."
    )


def record(**numbers):
    """Keep numbers for metrics.json, in the metadata of an output that nobody sees.

    Parameters
    ----------
    **numbers : float, int, str, None, or a short list or array of these
        What is kept, by name.

    Raises
    ------
    ValueError
        For a value of another type.
    """
    emit(
        {"text/html": "<!-- numbers recorded for metrics.json -->"},
        {KEY: {"metrics": {k: _plain(v) for k, v in numbers.items()}}},
    )


def recorded_claims(entry):
    """The claims in our entry of an output's metadata: none, one, or those of a fold."""
    return [entry] if "claim" in entry else entry.get("claims", [])


def _largest_gap(got, want):
    """Largest |got - want|; NaN if one is NaN, 0 for equal infinities; of things that are not numbers 0 or infinity."""
    got = np.asarray(got)
    want = np.asarray(want)
    if got.shape != want.shape:
        raise ValueError(f"got and want must have the same shape, but theirs are {got.shape} and {want.shape}.")
    if not got.size:
        raise ValueError("got and want must not be empty: a claim about nothing always holds.")
    if not {got.dtype.kind, want.dtype.kind} <= set("biuf"):
        return 0.0 if np.all(got == want) else math.inf
    with np.errstate(invalid="ignore"):
        gap = np.abs(got.astype(float) - want.astype(float))
    return float(np.max(np.where(got == want, 0.0, gap)))


def _same(got, other):
    """Whether two arguments are one object, or two names of the same numbers in memory."""
    if other is _MISSING or other is None or isinstance(got, (bool, int, str, np.bool_)):
        return False  # Python keeps one copy of small numbers and texts
    mine = np.asarray(got)
    theirs = np.asarray(other)
    return got is other or mine.ndim > 0 and mine.__array_interface__ == theirs.__array_interface__


def _fixed(value, unit):
    """`value` with as many decimals as `unit` has up to its second digit; far below a tiny `unit` it is 0."""
    if not isinstance(value, numbers.Real) or isinstance(value, (bool, np.bool_)):
        return str(value)
    if not math.isfinite(value) or isinstance(value, numbers.Integral) and not unit:
        return f"{value:,}"
    if unit < 1e-6:
        return "0" if abs(value) <= 1e-9 else f"{value:.4g}"
    return f"{value:,.{max(0, 1 - math.floor(math.log10(unit)))}f}"


def _compared(got, want, tol):
    """(holds, what the line says, what is recorded) of a claim with a value."""
    if tol is None and "f" in (np.asarray(got).dtype.kind, np.asarray(want).dtype.kind):
        raise ValueError("tol must be given where numbers are not whole.")
    tol = 0.0 if tol is None else tol
    if not (isinstance(tol, numbers.Real) and 0 <= tol < math.inf):
        raise ValueError(f"tol must be a finite number, not negative, but it is {tol!r}.")
    gap = _largest_gap(got, want)
    if np.ndim(got):
        allowed = f"allowed {tol:.2g}" if tol else "none allowed"
        line = f"{np.size(got):,} values, largest deviation {_fixed(gap, tol)}, {allowed}"
        return gap <= tol, line, {"gap": gap, "tol": tol, "n": np.size(got)}
    got = np.asarray(got).item()
    want = np.asarray(want).item()
    line = f"got {_fixed(got, tol)}, want {_fixed(want, tol)}" + (f" +- {tol:.2g}" if tol else "")
    if isinstance(got, numbers.Real):
        return gap <= tol, line, {"got": got, "want": want, "gap": gap, "tol": tol}
    return gap <= tol, line, {"got": str(got), "want": str(want)}


@cache
def _ids():
    """The ids of the ledger."""
    from helpers.datasets import load_claims

    return list(load_claims()["id"])


def _bounded(got, low, high):
    """(holds, what the line says, what is recorded) of a claim with bounds."""
    if not np.size(got):
        raise ValueError("got must not be empty: a claim about nothing always holds.")
    sides = [("at least", low, np.min), ("at most", high, np.max)]
    sides = [(side, bound, float(worst(got))) for side, bound, worst in sides if bound is not None]
    for side, bound, _ in sides:
        if not (np.ndim(bound) == 0 and float(bound) == float(bound)):
            raise ValueError(f"{side.replace(' ', '_')} must be a number, but it is {bound!r}.")
    holds = all(worst <= bound if side == "at most" else worst >= bound for side, bound, worst in sides)
    lines = []
    for side, bound, worst in sides:
        tiny = holds and 0 < abs(bound) < 1e-6  # the digits of a rounding error differ between machines
        value = "" if tiny else f"{_fixed(worst, abs(float(bound)) / 10)} is "
        lines.append(f"{value}{side} {bound:,.3g}")
    details = {"got": [worst for _, _, worst in sides], "bounds": [float(bound) for _, bound, _ in sides]}
    return holds, " and ".join(lines), details


def claim(id, got, want=_MISSING, tol=None, *, at_most=None, at_least=None, text=""):
    """Assert one row of the ledger, print one rounded line, and record the exact numbers in the output's metadata.

    Parameters
    ----------
    id : str
        The row of data/claims.csv.
    got : float or array
        The number or numbers that came out; other values are compared for equality.
    want : float or array, optional
        What must come out, of the same shape.
    tol : float, optional
        Largest absolute difference allowed; may be left out for whole numbers, booleans and texts.
    at_most, at_least : float, optional
        Bounds instead of `want`; of an array, every entry obeys them. NaN obeys nothing.
    text : str, optional
        A few words added to the line.

    Raises
    ------
    ClaimFailed
        An AssertionError, if it does not hold.
    ValueError
        For an unknown id, different shapes, or a claim that compares a thing with itself.
    """
    if id not in _ids():
        _ids.cache_clear()  # the ledger may have grown since
    if id not in _ids():
        raise ValueError(f"the ledger data/claims.csv has no claim {id!r}; {nearest_name(id, _ids(), 'claim')}")
    if (want is _MISSING) == (at_most is None and at_least is None):
        raise ValueError("a claim needs either want (with tol) or bounds (at_most, at_least).")
    if any(_same(got, other) for other in (want, at_most, at_least)):
        raise ValueError(f"claim {id!r} compares a thing with itself, so it always holds.")
    outcome = _bounded(got, at_least, at_most) if want is _MISSING else _compared(got, want, tol)
    holds, values, details = outcome
    line = f"{id} {'holds' if holds else 'FAILS'}: {values}" + (f" ({text})" if text else "")
    details = {name: _plain(value) for name, value in details.items()}
    emit({"text/plain": line}, {KEY: {"claim": id, "holds": bool(holds), "text": text, **details}})
    if not holds:
        raise ClaimFailed(f"{line}\n" + ", ".join(f"{name} {value!r}" for name, value in details.items()))
