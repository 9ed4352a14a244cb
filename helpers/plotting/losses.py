"""The parts of a loss of squares: as squares that tile the whole, and on one another."""

from matplotlib.patches import Rectangle

from helpers.plotting.style import (
    TRUE,
    as_written,
    axes_for,
    ink,
    series,
    settings_along,
)

PARTS = {"calibration": series(1), "grouping": series(0), "irreducible": series(4)}


def _square(ax, corner, width, height, look, **style):
    """A filled rectangle in the colour of a part."""
    style = {"facecolor": look.color, "alpha": 0.3, "edgecolor": "none"} | style
    ax.add_patch(Rectangle(corner, width, height, **style))


def plot_loss_parts(parts, ax=None):
    """One square as large as the whole loss, with the calibration and the grouping loss as squares inside.

    A square's side is the root of its loss, a typical distance, which stands in points at its upper edge.

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
    ax.text(side / 2, 0.93 * side, f"chance {parts['irreducible']:.3f}", color="black", **words)
    for name in ("calibration", "grouping"):
        root = parts[name] ** 0.5
        start = 0 if name == "calibration" else side - root
        if root > 0.02 * side:
            _square(ax, (start, 0), root, root, PARTS[name], alpha=0.6)
            text = f"{as_written(name)}\n{parts[name]:.3f}"
            ax.text(start + root / 2, root / 2, text, color="black", **words)
            ends = (start, root + 0.03 * side), (start + root, root + 0.03 * side)
            ax.annotate("", *ends, arrowprops={"arrowstyle": "<->", "shrinkA": 0, "shrinkB": 0, "color": "black"})
            ax.text(start + root / 2, root + 0.09 * side, f"{100 * root:.0f} points", color="black", **words)
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
