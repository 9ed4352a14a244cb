"""The language of all figures: a look for each role, sizes, and what names and scales need.

A figure draws from roles (`OURS.line()`, `OBSERVED.dots()`), not from colours, so that a mark means
one thing everywhere.
"""

from contextlib import contextmanager
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns
from matplotlib.colors import to_rgb
from matplotlib.ticker import FuncFormatter, PercentFormatter
from scipy.optimize import isotonic_regression

BLUE, ORANGE, GREEN, RED, GREY = (sns.color_palette("colorblind")[i] for i in (0, 1, 2, 3, 7))

COLOURS = (BLUE, ORANGE, GREEN, RED, GREY, "black")
MARKERS = ("o", "s", "^", "D", "v", "P")
LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 2)))

TEXT = 11  # points: with `NARROW`, ten pixels on a telephone
NARROW, WIDE = 5.2, 7.6  # inches: one panel, and panels side by side, which the site stacks on a telephone


@dataclass(frozen=True)
class Look:
    """How one role looks: as a line (`ax.plot(x, y, **OURS.line())`) and as marks (`**OBSERVED.dots()`)."""

    color: object
    marker: str
    linestyle: object
    filled: bool = True

    def line(self, **more):
        """Keywords for a line without marks."""
        return {"color": self.color, "linestyle": self.linestyle, "linewidth": 2} | more

    def dots(self, **more):
        """Keywords for marks without a line, for `plot` and `errorbar`."""
        style = {"color": self.color, "marker": self.marker, "linestyle": "none", "markersize": 7}
        style |= {"markersize": 14, "markeredgewidth": 2} if self.marker == "|" else {}
        return style | ({} if self.filled else {"markerfacecolor": "white"}) | more

    def both(self, **more):
        """Keywords for a line with its marks."""
        return self.dots() | self.line() | more


STATED = Look("black", "D", "--", filled=False)  # what the model says
OBSERVED = Look(BLUE, "o", "-")  # what came, with its interval
TRUE = Look("black", "|", "-")  # what is known because it was made
UP = Look(BLUE, "^", "-")  # more comes than is stated
DOWN = Look(ORANGE, "v", "--")  # less comes than is stated
UNSURE = Look(GREY, "o", ":", filled=False)  # what cannot be told from nothing
NAIVE = Look(GREY, "s", "--")  # the obvious way, which errs
OURS = Look(BLUE, "o", "-")
RIVAL, SECOND_RIVAL = Look(GREEN, "P", "-."), Look(RED, "X", ":")
SEM1, SEM2 = Look(ORANGE, "s", "--"), Look(BLUE, "o", "-")


def series(k):
    """The look of the k-th of several things of one kind, which have no role of their own.

    Parameters
    ----------
    k : int
        Number of the thing, from 0; after six of them the looks come again.

    Returns
    -------
    Look
        Its colour, mark and line.
    """
    return Look(COLOURS[k % len(COLOURS)], MARKERS[k % len(MARKERS)], LINES[k % len(LINES)])


def use_style():
    """Figure defaults of every notebook: one size of text, one resolution, colours that survive colour blindness."""
    sns.set_theme(context="notebook", style="ticks", palette="colorblind")
    plt.rcParams.update(
        {
            "figure.figsize": (NARROW, 3.6),
            "figure.dpi": 110,
            "savefig.dpi": 110,
            "figure.constrained_layout.use": True,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "legend.frameon": False,
        }
    )
    sizes = ("font.size", "axes.titlesize", "axes.labelsize", "xtick.labelsize", "ytick.labelsize", "legend.fontsize")
    plt.rcParams.update(dict.fromkeys(sizes, TEXT))


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


def percent(*axes, decimals=0):
    """Numbers along axes as per cent.

    Parameters
    ----------
    *axes : matplotlib.axis.Axis
        Such as `ax.xaxis` and `ax.yaxis`, whose numbers are probabilities.
    decimals : int or None, default 0
        Digits behind the point; None for as many as it takes.
    """
    for axis in axes:
        axis.set_major_formatter(PercentFormatter(1, decimals=decimals, symbol=" %"))


def settings_along(ax, settings):
    """The settings of an experiment, and no other numbers, along a logarithmic x axis."""
    ax.set_xticks(settings, [f"{setting:,}" for setting in settings])
    ax.minorticks_off()


def diagonal(ax, **style):
    """A thin dashed line from (0, 0) to (1, 1), for what is compared with a probability."""
    ax.plot([0, 1], [0, 1], **{"color": "black", "linewidth": 1, "linestyle": "--"} | style)


def legend_on_top(ax, ncols=2, **place):
    """The legend above the axes, where it hides nothing."""
    ax.legend(**{"loc": "lower center", "bbox_to_anchor": (0.5, 1.0), "ncols": ncols} | place)


def ink(color):
    """A colour for words: darker, so that it can be read.

    Parameters
    ----------
    color : matplotlib colour
        That of the mark or line which the words name.

    Returns
    -------
    tuple of float
        Red, green and blue, from 0 to 1.
    """
    return tuple(0.62 * part for part in to_rgb(color))


def name_lines(ax, *, gap=6):
    """The labels of lines at their right ends, in their colours, in place of a legend; call it when all is drawn.

    Names that would touch one another are pushed apart.

    Parameters
    ----------
    ax : Axes
        Its lines with a label get names.
    gap : float, default 6
        Distance between a line and its name, in typographic points.
    """
    ax.figure.draw_without_rendering()  # which settles the limits
    named = [line for line in ax.get_lines() if not line.get_label().startswith("_")]
    ends = []
    for line in named:
        x, y = (np.asarray(part, dtype=float) for part in line.get_data())
        last = np.flatnonzero(np.isfinite(x) & np.isfinite(y))[-1]
        ends.append((ax.transData.transform((x[last], y[last]))[1], line, x[last]))
    ends = sorted(ends, key=lambda one: one[0])
    heights = [1.25 * TEXT * ax.figure.dpi / 72 * (1 + line.get_label().count("\n")) for _, line, _ in ends]
    places = _apart([place for place, *_ in ends], heights)
    for (_, line, x), place in zip(ends, places, strict=True):
        y = ax.transData.inverted().transform((0, place))[1]
        style = {"xytext": (gap, 0), "textcoords": "offset points", "va": "center", "color": ink(line.get_color())}
        ax.annotate(line.get_label(), (x, y), annotation_clip=False, **style)


def _apart(places, heights):
    """Sorted middles of names, moved as little as needs be, so that names of these heights do not touch."""
    below = np.cumsum(heights) - np.asarray(heights) / 2  # where the middles are if all names are stacked from zero
    if not len(places):
        return below
    return isotonic_regression(np.asarray(places) - below).x + below


def points(axis, *, sign=False):
    """Numbers along an axis of probabilities or gaps in points, hundredths of one.

    Parameters
    ----------
    axis : matplotlib.axis.Axis
        Such as `ax.xaxis`.
    sign : bool, default False
        Whether positive numbers get a sign, +3.
    """
    written = "{:+.3g}" if sign else "{:.3g}"

    def number(gap, _):
        return FuncFormatter.fix_minus(written.format(100 * gap)) if abs(gap) > 1e-9 else "0"

    axis.set_major_formatter(FuncFormatter(number))


def typical_error_beside(ax, axis="y", label="typical error, in points"):
    """Roots beside the numbers of an axis of a grouping loss, in points: what one feels.

    Parameters
    ----------
    ax : Axes
        Its `axis` is a mean of squared differences of probabilities.
    axis : str, default "y"
        "y", with the scale on the right, or "x", on top.
    label : str, optional
        Words on the second scale.

    Returns
    -------
    matplotlib.axes.Axes
        The second scale.
    """
    second = ax.secondary_yaxis("right") if axis == "y" else ax.secondary_xaxis("top")
    roots = FuncFormatter(lambda loss, _: f"{float(f'{100 * max(loss, 0) ** 0.5:.2g}'):g}" if loss > -1e-9 else "")
    getattr(second, f"{axis}axis").set_major_formatter(roots)
    second.set(**{f"{axis}label": label})
    return second


def panels(count=2, *, rows=1, figsize=(WIDE, 3.6), **options):
    """A figure with panels side by side, for the `ax` of the functions above.

    Each keeps the numbers along its own axes, so that the site can stack them on a telephone.

    Parameters
    ----------
    count, rows : int, default 2 and 1
        Number of panels side by side, and of such rows.
    figsize : (float, float), default (7.6, 3.6)
        Inches.
    **options
        Passed to `matplotlib.pyplot.subplots`.

    Returns
    -------
    fig, axes : matplotlib.figure.Figure, and array of matplotlib.axes.Axes
        The new figure, and one for each panel.
    """
    fig, axes = plt.subplots(rows, count, figsize=figsize, **options)
    for ax in np.ravel(axes):
        ax.tick_params(labelleft=True, labelbottom=True)
    return fig, axes
