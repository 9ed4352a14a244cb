"""Colours, marks and sizes that all figures share."""

from contextlib import contextmanager

import matplotlib.pyplot as plt
import seaborn as sns
from matplotlib.ticker import PercentFormatter

BLUE, ORANGE, GREEN, RED, GREY = (sns.color_palette("colorblind")[i] for i in (0, 1, 2, 3, 7))

COLOURS = (BLUE, ORANGE, GREEN, RED, GREY, "black")

MARKERS = ("o", "s", "^", "D", "v", "P")

LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 2)))


def use_style():
    """Figure defaults of every notebook: one size, one resolution, colours that survive colour blindness."""
    sns.set_theme(context="notebook", style="ticks", palette="colorblind")
    plt.rcParams.update(
        {
            "figure.figsize": (6.4, 4.0),
            "figure.dpi": 110,
            "savefig.dpi": 110,
            "figure.constrained_layout.use": True,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.titlesize": "medium",
            "legend.frameon": False,
            "font.size": 10,
            "axes.labelsize": 10,
            "xtick.labelsize": 9,
            "ytick.labelsize": 9,
            "legend.fontsize": 9,
        }
    )


@contextmanager
def own_style():
    """Our figure defaults for a while: a program that draws figures of its own keeps its style."""
    with plt.rc_context():
        use_style()
        yield


def axes_for(ax=None, figsize=None):
    """`ax`, or the axes of a new figure."""
    return plt.subplots(figsize=figsize)[1] if ax is None else ax


def as_written(name):
    """A name out of somebody's data for a figure, where dollar signs would begin a formula."""
    return str(name).replace("$", r"\$")


def percent(*axes):
    """Numbers along an axis, `ax.xaxis` or `ax.yaxis`, as whole per cent."""
    for axis in axes:
        axis.set_major_formatter(PercentFormatter(1, decimals=0))


def diagonal(ax, **style):
    """A thin dashed line from (0, 0) to (1, 1), for what is compared with a probability."""
    ax.plot([0, 1], [0, 1], **{"color": "black", "linewidth": 1, "linestyle": "--"} | style)


def legend_on_top(ax, ncols=2, **place):
    """The legend above the axes, where it hides nothing."""
    ax.legend(**{"loc": "lower center", "bbox_to_anchor": (0.5, 1.0), "ncols": ncols} | place)


def legend_of_panels(fig, ncols=2, **style):
    """One legend above a figure with what its panels show, each entry once."""
    entries = {}
    for ax in fig.axes:
        entries |= dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
    fig.legend(entries.values(), entries, loc="outside upper center", ncols=ncols, **style)


def panels(count=2, *, figsize=(10, 4.2), **options):
    """A figure with panels side by side, for the `ax` of the functions above.

    Parameters
    ----------
    count, figsize : int and (float, float), default 2 and (10, 4.2)
        Number of panels, and inches.
    **options
        Passed to `matplotlib.pyplot.subplots`.

    Returns
    -------
    fig, axes : matplotlib.figure.Figure, and array of matplotlib.axes.Axes
        The new figure, and one for each panel.
    """
    return plt.subplots(1, count, figsize=figsize, **options)
