"""Pictures of single things: cards with the answers they got, products of pairs."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import Formatter

from helpers.plotting.style import DOWN, GREY, NARROW, TEXT, UP, as_written, axes_for, ink


def plot_cards(images, answers, truth):
    """Cards and the answers they got: each card once for each pile, bars in blue for the right digit.

    Answers that are fewer than 5 % get no bar; above the highest bar stands its share of the answers.

    Parameters
    ----------
    images : dict of str to array, shape (n, 8, 8)
        The images of a few cards in each pile.
    answers : dict of str to int array, shape (n, k)
        The k answers to each of these cards, digits from 0 to 9.
    truth : int array, shape (n,)
        The digit that is on each card.

    Returns
    -------
    matplotlib.figure.Figure
        The new figure.
    """
    fig, axes = plt.subplots(len(truth) * len(images), figsize=(NARROW, 1.1 * len(truth) * len(images)), squeeze=False)
    shown = [(card, pile) for card in range(len(truth)) for pile in images]
    for ax, (card, pile) in zip(axes[:, 0], shown, strict=True):
        digit, given = truth[card], answers[pile][card]
        share = np.bincount(given, minlength=10) / len(given)
        looks = [UP if k == digit else DOWN for k in range(10)]
        drawn = np.flatnonzero(share >= 0.05)
        ax.bar(drawn, share[drawn], 0.8, color=[looks[k].color for k in drawn])
        for k in range(10):
            ax.text(k, -0.06, k, ha="center", va="top", color=ink(looks[k].color) if k in drawn else GREY)
        most = share.argmax()
        ax.text(most, share[most] + 0.04, f"{share[most]:.0%}", ha="center", color=ink(looks[most].color))
        ax.text(-7.2, 0.45, as_written(pile), ha="left", va="center")
        ax.set(xlim=(-7.2, 9.6), ylim=(-0.36, 1.32))
        ax.set_axis_off()
        image = ax.inset_axes([-4.4, -0.02, 2.9, 1.1], transform=ax.transData)
        image.imshow(images[pile][card], cmap="Greys")
        image.set(xticks=[], yticks=[])
        image.spines[:].set_visible(True)  # where the card ends, so that a slip is seen
    return fig


def plot_products(parts, ax=None):
    """All products of two residuals as a mosaic, with the mean of each block of parts and that of all.

    Squares are hatched, and an orange frame is around the blocks that the last part adds.

    Parameters
    ----------
    parts : dict of str to array of float
        The residuals of each part, in order.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax, (NARROW, 4.15))
    r = np.concatenate(list(parts.values()))
    n = len(r)
    products = np.outer(r, r)
    np.fill_diagonal(products, np.nan)
    largest = np.nanmax(np.abs(products))
    for i, j in np.ndindex(n, n):
        if i == j:
            ax.fill_between([j, j + 1], i, i + 1, facecolor="white", edgecolor=GREY, hatch="////", linewidth=0)
            continue
        look = UP if products[i, j] >= 0 else DOWN
        strength = 0.05 + 0.4 * abs(products[i, j]) / largest
        ax.fill_between([j, j + 1], i, i + 1, color=look.color, alpha=strength, linewidth=0)
    ends = np.cumsum([0, *map(len, parts.values())])
    for end in ends:
        ax.plot([0, n], [end, end], [end, end], [0, n], color="black", linewidth=2, clip_on=False)
    last = ends[-2]
    near, far, cross = 0.06, n - 0.06, last + 0.06
    ax.plot([cross, far, far, near, near, cross, cross], [near, near, far, far, cross, cross, near],
            color=DOWN.color, linewidth=2)  # fmt: skip
    middle = (ends[1:] + ends[:-1]) / 2
    paper = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 3}
    for i, j in np.ndindex(len(parts), len(parts)):
        block = products[ends[i] : ends[i + 1], ends[j] : ends[j + 1]]
        name = f"{as_written(list(parts)[i])} alone" if i == j else "cross"
        words = f"{name}\n{_number(np.nanmean(block))}" if block.size > 1 else "no pair"
        ax.text(middle[j], middle[i], words, size=TEXT + 2, ha="center", va="center", bbox=paper)
    of_all = {"boxstyle": "square,pad=0.3", "facecolor": "white", "edgecolor": "black"}
    words = f"all: {_number(np.nanmean(products))}"
    ax.text(last, last, words, size=TEXT + 2, ha="center", va="center", bbox=of_all)
    ax.set_xticks(middle, map(as_written, parts))
    ax.set_yticks(middle, map(as_written, parts), rotation=90, va="center")
    ax.tick_params(length=0)
    ax.set(xlim=(0, n), ylim=(n, 0), aspect="equal")
    ax.spines[:].set_visible(False)
    return ax


def _number(value):
    return Formatter.fix_minus(f"{value:.3f}")
