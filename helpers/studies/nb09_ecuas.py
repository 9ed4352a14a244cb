"""Notebook 09: a system that may abstain, where the truth is known."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.stats import beta

from helpers.checks import check_count
from helpers.plotting import DOWN, NAIVE, NARROW, OURS, UNSURE, ink, panels
from helpers.selective import ecuas


@lru_cache(maxsize=1)
def _quadrature():
    return np.polynomial.legendre.leggauss(400)


@dataclass(frozen=True)
class Department:
    """Cases with K possible answers; the system's answer is right with a chance that differs from case to case."""

    n_classes: int = 4
    a: float = 5.0
    b: float = 1.2

    @property
    def accuracy(self):
        """Mean chance of a right answer."""
        return float(self._chance(self.a / (self.a + self.b)))

    def _chance(self, t):
        return 1 / self.n_classes + (1 - 1 / self.n_classes) * t

    def sample(self, n, rng=None):
        """Whether each of n answers is right, and the true chance that it is."""
        rng = np.random.default_rng(rng)
        chance = self._chance(rng.beta(self.a, self.b, check_count(n, "n")))
        return (rng.random(n) < chance).astype(int), chance

    def powered(self, chance, power):
        """Confidence in the same answer if all K probabilities are raised to a power (a temperature of 1 / power)."""
        chance = np.asarray(chance)
        with np.errstate(divide="ignore"):
            odds = ((1 - chance) / (self.n_classes - 1) / chance) ** power
        return 1 / (1 + (self.n_classes - 1) * odds)

    def expected_ecuas(self, power=1.0, *, n=1):
        """Exact mean ECUAS_n of whoever states `powered(chance, power)`, by quadrature (to about 1e-6)."""
        nodes, weights = _quadrature()
        t = (nodes + 1) / 2
        chance = self._chance(t)
        weights = weights * beta(self.a, self.b).pdf(t)
        stated = self.powered(chance, power)
        wrong, right = (ecuas(np.full(t.size, k), stated, n=n, n_classes=self.n_classes) for k in (0, 1))
        return float(weights @ (chance * right + (1 - chance) * wrong) / weights.sum())


def plot_bills(bills):
    """What a patient costs: a bar for each assistant, made of wrong paths and looks, with its sum at the end.

    The name of a part stands in its longest piece.

    Parameters
    ----------
    bills : DataFrame
        A row for each assistant, columns of costs.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    _, ax = panels(1, figsize=(NARROW, 0.45 * len(bills) + 0.9))
    left = np.zeros(len(bills))
    for (name, cost), look in zip(bills.items(), (DOWN, UNSURE), strict=True):
        ax.barh(bills.index, cost, 0.6, left, color=look.color, edgecolor="white")
        row = cost.argmax()
        ax.annotate(name, (left[row], row), xytext=(5, 0), textcoords="offset points", va="center")
        left += cost.to_numpy()
    for k, cost in enumerate(left):
        beside = {"xytext": (5, 0), "textcoords": "offset points", "va": "center", "weight": "bold"}
        ax.annotate(f"{cost:.3f}", (cost, k), **beside)
    ax.invert_yaxis()
    ax.tick_params(axis="y", length=0)
    ax.set(xlabel="cost of a patient (in wrong paths)", xlim=(0, 1.15 * left.max()))
    return ax


def plot_mean_heights(bills, *, most, nothing="refuse everything", mean="mean of {} (ECUAS)"):
    """Bills in fees by fee, each curve with its name and its mean height, which is ECUAS with n = 0.

    A curve that leaves the axes at the top ends there in an arrow, beside its name.

    Parameters
    ----------
    bills : DataFrame
        A row for each fee, evenly spaced; a column for each of two systems, the cheaper one at small fees first.
    most : float
        Where the axis of bills ends.
    nothing : str, default "refuse everything"
        What costs one fee, whatever the fee.
    mean : str, default "mean of {} (ECUAS)"
        Words before a mean height, around the name of its system.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    _, ax = panels(1, figsize=(NARROW, 3.6))
    above = {"textcoords": "offset points", "xytext": (-2, 4), "ha": "right"}
    for (name, bill), look in zip(bills.items(), (OURS, DOWN), strict=True):
        words = {"color": ink(look.color)}
        shown = bill[bill <= most]
        ax.plot(shown, **look.line())
        ax.axhline(bill.mean(), **look.line(linewidth=1.2, linestyle=":"))
        ax.annotate(f"{mean.format(name)}: {bill.mean():.2f}", (bills.index[-1], bill.mean()), **above, **words)
        point, place = (bill <= 0.7).idxmax(), {"xytext": (-4, -12), "ha": "right"}
        if len(shown) < len(bill):
            point, place = shown.index[0], {"xytext": (10, -4), "ha": "left", "va": "center"}
            ax.plot(point, most, "^", color=look.color, markersize=9, clip_on=False)
        ax.annotate(name, (point, shown[point]), textcoords="offset points", weight="bold", **place, **words)
    ax.axhline(1, **NAIVE.line(linewidth=1.5))
    ax.annotate(f"{nothing}: 1", (bills.index[-1], 1), **above)
    ax.set(xlabel="drawn fee (in mistakes)", ylabel="bill, in fees", xlim=(0, bills.index[-1]), ylim=(0, most))
    return ax
