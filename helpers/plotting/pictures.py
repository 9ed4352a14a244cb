"""Pictures of single things: cards with the answers they got, products of pairs."""

import matplotlib.pyplot as plt
import numpy as np

from helpers.plotting.style import DOWN, GREY, NARROW, TEXT, UP, WIDE, as_written, axes_for, ink


def plot_cards(images, answers, truth):
    """Cards and the answers they got: a column a pile, a row a card, bars in blue for the right digit.

    Above the highest bar stands its share of the answers.

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
    fig, axes = plt.subplots(len(truth), len(images), figsize=(WIDE, 1.35 * len(truth)), squeeze=False)
    for column, (pile, pictures) in zip(axes.T, images.items(), strict=True):
        column[0].set_title(as_written(pile))
        for ax, image, given, digit in zip(column, pictures, answers[pile], truth, strict=True):
            share = np.bincount(given, minlength=10) / len(given)
            looks = [UP if k == digit else DOWN for k in range(10)]
            ax.bar(range(10), share, 0.8, color=[look.color for look in looks])
            for k in range(10):
                ax.text(k, -0.05, k, ha="center", va="top", color=ink(looks[k].color) if share[k] else GREY)
            most = share.argmax()
            ax.text(most, share[most] + 0.03, f"{share[most]:.0%}", ha="center", color=ink(looks[most].color))
            ax.set(xlim=(-5.2, 9.6), ylim=(-0.32, 1.25))
            ax.set_axis_off()
            card = ax.inset_axes([0, 0.1, 0.3, 0.8])
            card.imshow(image, cmap="Greys")
            card.set(xticks=[], yticks=[])
            card.spines[:].set_visible(True)  # where the card ends, so that a slip is seen
    return fig


def plot_products(parts, ax=None):
    """All products of two residuals as a mosaic, with the mean of each block of parts; squares are hatched.

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
        strength = 0.1 + 0.6 * abs(products[i, j]) / largest
        ax.fill_between([j, j + 1], i, i + 1, color=look.color, alpha=strength, linewidth=0)
    ends = np.cumsum([0, *map(len, parts.values())])
    for end in ends:
        ax.plot([0, n], [end, end], [end, end], [0, n], color="black", linewidth=2, clip_on=False)
    middle = (ends[1:] + ends[:-1]) / 2
    paper = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 3}
    for i, j in np.ndindex(len(parts), len(parts)):
        block = products[ends[i] : ends[i + 1], ends[j] : ends[j + 1]]
        words = f"mean {np.nanmean(block):.3f}" if block.size > 1 else "no pair"
        ax.text(middle[j], middle[i], words, size=TEXT + 3, ha="center", va="center", bbox=paper)
    ax.set_xticks(middle, map(as_written, parts))
    ax.set_yticks(middle, map(as_written, parts), rotation=90, va="center")
    ax.tick_params(length=0)
    ax.set(xlim=(0, n), ylim=(n, 0), aspect="equal")
    ax.spines[:].set_visible(False)
    return ax
