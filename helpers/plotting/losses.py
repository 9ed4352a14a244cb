"""A loss of squares drawn as squares: the steps from a score to its cases, and the parts that tile the whole."""

import numpy as np
from matplotlib.patches import Rectangle

from helpers.plotting.style import (
    OBSERVED,
    STATED,
    TRUE,
    as_written,
    axes_for,
    diagonal,
    ink,
    percent,
    series,
    settings_along,
)

PARTS = {"calibration": series(1), "grouping": series(0), "irreducible": series(4)}


def _square(ax, corner, width, height, look, **style):
    """A filled rectangle in the colour of a part."""
    style = {"facecolor": look.color, "alpha": 0.3, "edgecolor": "none"} | style
    ax.add_patch(Rectangle(corner, width, height, **style))


def plot_loss_steps(stated, rate, true, ax=None):
    """Squares on the steps from the diagonal to the rate of a score, and from there to each case.

    Parameters
    ----------
    stated, rate, true : array of float, shape (n,)
        Score of each case, mean truth of all cases with this score, and truth of the case.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax)
    diagonal(ax)
    for p, c, q in np.unique(np.column_stack([stated, rate, true]), axis=0):
        # Equal sides: an upward step has its square on the left, a downward one on the right, and both stay inside.
        for start, end, name in ((p, c, "calibration"), (c, q, "grouping")):
            _square(ax, (p, start), start - end, end - start, PARTS[name])
            ax.plot([p, p], [start, end], color=PARTS[name].color, linewidth=3)
        ax.plot([p - 0.06, p + 0.06], [c, c], **TRUE.line())
        ax.plot(p, p, **STATED.dots(markersize=9))
        ax.plot(p, q, **OBSERVED.dots(markersize=5))
    ax.set(xlim=(0, 1), ylim=(-0.03, 1.03), aspect="equal", xlabel="stated", ylabel="true")
    ax.set(xticks=[0, 0.5, 1], yticks=[0, 0.5, 1])
    percent(ax.xaxis, ax.yaxis)
    return ax


def plot_loss_parts(parts, ax=None):
    """One square as large as the whole loss, with the calibration and the grouping loss as squares inside.

    A square's side is the root of its loss, a typical distance.

    Parameters
    ----------
    parts : Series or dict of str to float
        Losses "calibration", "grouping" and "irreducible"; the roots of the first two must fit side by side.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax)
    side = sum(parts[name] for name in PARTS) ** 0.5
    chance = PARTS["irreducible"]
    _square(ax, (0, 0), side, side, chance)
    words = {"ha": "center", "va": "center"}
    ax.text(side / 2, 0.89 * side, f"chance {parts['irreducible']:.3f}", color=ink(chance.color), **words)
    for name in ("calibration", "grouping"):
        root = parts[name] ** 0.5
        start = 0 if name == "calibration" else side - root
        if root > 0.02 * side:
            _square(ax, (start, 0), root, root, PARTS[name], alpha=0.6)
            text = f"{as_written(name)}\n{parts[name]:.3f}\n{100 * root:.0f} points"
            ax.text(start + root / 2, root / 2, text, color="black", **words)
    ax.add_patch(Rectangle((0, 0), side, side, facecolor="none", edgecolor="black", linewidth=1.5))
    ax.set(xlim=(-0.01, side + 0.01), ylim=(-0.01, side + 0.01), aspect="equal")
    ax.set_axis_off()
    return ax


def plot_loss_stack(table, ax=None):
    """Parts of a loss on one another along the index of a table, which has a log scale; the upper edge is their sum.

    Parameters
    ----------
    table : DataFrame
        Columns named as in "calibration", "grouping" and "irreducible", from the foot up.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax)
    top = table.cumsum(axis=1)
    for name in table:
        look, low = PARTS[name], top[name] - table[name]
        ax.fill_between(table.index, low, top[name], color=look.color, alpha=0.4, linewidth=0)
        thickest = table[name].argmax()
        place = {0: "left", len(table) - 1: "right"}.get(thickest, "center")
        middle = (low + table[name] / 2).iloc[thickest]
        near = {"xytext": ({"left": 6, "right": -6}.get(place, 0), 0), "textcoords": "offset points"}
        ax.annotate(name, (table.index[thickest], middle), ha=place, va="center", color=ink(look.color), **near)
    ax.plot(table.index, top.iloc[:, -1], **TRUE.line())
    ax.set(xscale="log", xlim=(table.index[0], table.index[-1]), ylabel="loss")
    ax.set_ylim(bottom=0)
    settings_along(ax, table.index[::2])
    return ax
