"""Notebook 09: a system that may abstain, where the truth is known."""

from dataclasses import dataclass
from functools import lru_cache

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import beta

from helpers.checks import check_count
from helpers.plotting import DOWN, GREY, NAIVE, OURS, WIDE, ink, name_lines, series
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


def plot_drawn_fees(bills, density, means, *, fee):
    """Bills by fee, below them how often each fee is drawn, and at the right what remains of their difference.

    Parameters
    ----------
    bills : DataFrame
        Bill in fees of two assistants, by fee.
    density : DataFrame
        Density of the drawn fees, by fee: a column for each n.
    means : DataFrame
        ECUAS of the two assistants: a row for each n.
    fee : float
        The fee of the story.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.
    """
    options = {"figsize": (WIDE, 4.6), "height_ratios": [2, 1], "width_ratios": [3, 2]}
    fig, axes = plt.subplot_mosaic([["bill", "mean"], ["drawn", "mean"]], **options)
    looks = OURS, DOWN
    for look, shift, (name, bill) in zip(looks, [(-10, -18), (6, 6)], bills.items(), strict=True):
        low = bill <= 2.4
        axes["bill"].plot(bill.index[low], bill[low], **look.line())
        axes["mean"].plot(means[name], np.arange(len(means)), label=name, **look.dots(markersize=9))
        k = np.argmin(np.abs(bill.index - 0.15))
        style = {"color": ink(look.color), "textcoords": "offset points"}
        axes["bill"].annotate(name, (bill.index[k], bill.iloc[k]), xytext=shift, **style)
        axes["mean"].annotate(name, (means[name].iloc[0], 0), xytext=(0, 11), ha="center", **style)
    axes["bill"].axhline(1, **NAIVE.line(linewidth=1.5))
    axes["bill"].annotate(
        "refuse everything", (bills.index[-1], 1), xytext=(0, 4), textcoords="offset points", ha="right"
    )
    axes["bill"].annotate("your fee", (fee, 2.4), xytext=(4, -6), textcoords="offset points", va="top")
    axes["bill"].set(ylabel="bill, in fees", ylim=(0, 2.45))
    for k, (n, drawn) in enumerate(density.items()):
        axes["drawn"].plot(drawn, label=f"n = {n}", **series(k).line(color="black"))
    axes["drawn"].set(xlabel="fee (in mistakes)", ylabel="how often\ndrawn")
    for name in ("bill", "drawn"):
        axes[name].axvline(fee, color="black", linestyle=":", linewidth=1.2)
        axes[name].set_xlim(0, bills.index[-1])
    name_lines(axes["drawn"])
    first, second = means
    axes["mean"].hlines(np.arange(len(means)), means[first], means[second], color=GREY, linewidth=2, zorder=0)
    for y, (more, top) in enumerate(zip(means[second] - means[first], means.max(axis=1), strict=True)):
        axes["mean"].annotate(f"{more:+.2f}", (top, y), xytext=(9, 0), textcoords="offset points", va="center")
    axes["mean"].set_yticks(np.arange(len(means)), [f"n = {n}" for n in means.index])
    axes["mean"].set(xlabel="mean over drawn fees\n(ECUAS)", xlim=(0, 1.3 * means.max().max()))
    axes["mean"].set_ylim(len(means) - 0.5, -0.5)
    return fig
