"""Functions that a reader hands in: checked on a grid, integrated in pieces so that kinks do no harm."""

import numpy as np
from scipy.integrate import quad

from helpers.checks import check_numbers

SLACK = 1e-12  # what rounding may do


def values_of(function, name, at, of="p"):
    """Values of a vectorised function at the points `at`, (n,); ValueError unless there is one number for each."""
    if not callable(function):
        raise ValueError(f"{name} must be a function of {of}, but it is {function!r}.")
    values = check_numbers(function(at), f"{name}(...)")
    if values.shape != at.shape:
        raise ValueError(
            f"{name} must return one value for each value it is given, but {at.size} values gave shape {values.shape}."
        )
    return values


def check_everywhere(fine, at, values, name, rule):
    """ValueError that names the first point where `fine` is False, for the values of a function called `name`."""
    if not fine.all():
        first, count = int(np.argmin(fine)), int((~fine).sum())
        raise ValueError(
            f"{name} must stay {rule}, but {name}({at[first]:.4f}) is {values[first]:.4f} "
            f"(and {count - 1:,} more of {at.size:,} points)."
        )


def integral(f, edges):
    """Integral of `f` (a vectorised function) over [edges[0], edges[-1]], adaptive between neighbouring edges."""

    def one(x):
        return float(f(np.array([x]))[0])

    return float(sum(quad(one, a, b, epsabs=1e-13)[0] for a, b in zip(edges[:-1], edges[1:], strict=True)))
