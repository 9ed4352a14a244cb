"""Small populations with known truth that show where a loss comes from, and what the word "calibrated" can mean.

Figures of losses: their three parts side by side, and how they change.
"""

from itertools import permutations

import numpy as np
import pandas as pd

from helpers.plotting import BLUE, GREY, ORANGE
from helpers.plotting.style import axes_for, legend_on_top

VIEWS = ("joint", "classwise", "top-label")


def three_towns():
    """{town: ((4,) p, (4,) q)}: scores with one Brier score, 0.2, and one bill, for four equally common kinds of call.

    Arden's score is too timid (all that can be avoided is calibration loss), Birch's mixes kinds of call (grouping
    loss), Corrie's is the truth (nothing can be avoided). Every p is at least 0.2.

    >>> from helpers.scoring import decompose
    >>> {town: round(decompose(q, p).total, 3) for town, (p, q) in three_towns().items()}
    {'Arden': 0.2, 'Birch': 0.2, 'Corrie': 0.2}
    """
    right = 0.5 + np.array([-1, -1, 1, 1]) * 0.05**0.5  # 0.276 and 0.724: p (1 - p) = 0.2
    truth = np.array([0.1, 0.1, 0.9, 0.9])
    timid = truth + np.array([1, 1, -1, -1]) * 0.11**0.5  # 0.2 = 0.11 + 0.1 * 0.9
    mixed = right + 0.27 * np.array([-1, 1, -1, 1])
    return {"Arden": (timid, truth), "Birch": (right, mixed), "Corrie": (right, right.copy())}


def four_wards(rng=None, *, kinds=25):
    """Stated and true probabilities, (48 * kinds, 4) each: 48 different rows of scores, the truth drawn around them."""
    rng = np.random.default_rng(rng)
    patterns = [(0.5, 0.3, 0.15, 0.05), (0.7, 0.15, 0.1, 0.05)]
    S = np.repeat([order for pattern in patterns for order in permutations(pattern)], kinds, axis=0)
    return S, np.vstack([rng.dirichlet(0.3 + 2 * row) for row in S])


def three_meanings():
    """{view: (S, Q)}: calibrated in one sense and in no stronger one (Perez-Lebel et al. 2023, definitions 3.1 to 3.3).

    >>> S, Q = three_meanings()["top-label"]
    >>> S[0].tolist(), Q[0].round(1).tolist()
    ([0.6, 0.3, 0.1], [0.6, 0.1, 0.3])
    """
    S = np.array([*permutations((0.6, 0.3, 0.1))])
    turn = np.array([1, -1, -1, 1, 1, -1])[:, None]  # even and odd orders
    push = np.where(S == 0.6, 0.1, -0.05)
    return {
        # two kinds for each row of scores, off in opposite directions
        "joint": (np.vstack([S, S]), np.vstack([S + push, S - push])),
        # three rows off in one direction and three in the other, so that it cancels for each class
        "classwise": (S, S + turn * push),
        # the two lower scores exchanged
        "top-label": (S, np.where(S == 0.6, S, 0.4 - S)),
    }


def calibration_gaps(S, Y, view):
    """Observed minus stated rate for each score that occurs, in standard errors; Y has rows of zeros with a one.

    >>> calibration_gaps([[0.5, 0.5]] * 4, [[1, 0], [1, 0], [1, 0], [0, 1]], "classwise").tolist()
    [1.0, -1.0]
    """
    S = np.asarray(S)
    Y = np.asarray(Y)
    n, n_classes = S.shape
    column = np.tile(np.arange(n_classes), (n, 1))
    pattern = np.repeat(np.unique(S, axis=0, return_inverse=True)[1].reshape(-1, 1), n_classes, axis=1)
    use = column == S.argmax(axis=1)[:, None] if view == "top-label" else np.full(S.shape, True)
    keys = {"joint": [pattern, column], "classwise": [column, S], "top-label": [S]}[view]
    cells = pd.DataFrame({"gap": (Y - S)[use], "variance": (S * (1 - S))[use]})
    sums = cells.groupby([key[use] for key in keys]).sum()
    return (sums["gap"] / np.sqrt(sums["variance"])).to_numpy()


def plot_changes(changes, intervals, ax=None, *, within=0.0, xlabel="change", mark=()):
    """{group: Series by network} as points, their means {group: Interval} below; grey: what rounding alone may do."""
    ax = axes_for(ax, (7.6, 0.95 * len(changes) + 1.2))
    ax.axvspan(-within, within, color=GREY, alpha=0.22, linewidth=0, label="rounding alone")
    ax.axvline(0, color=GREY, linewidth=1, linestyle="--")
    for row, (name, values) in enumerate(changes.items()):
        y = len(changes) - 1 - row
        mean = intervals[name]
        order = values.groupby(values.round(9)).cumcount()
        order = order * min(0.06, 0.75 / max(order.max(), 1))  # as high as there is room
        dots = {"color": BLUE, "markersize": 4, "alpha": 0.75, "linewidth": 0}
        ax.plot(values, y + 0.02 + order, "o", label="one network" if not row else None, **dots)
        ends = [[mean.value - mean.low], [mean.high - mean.value]]
        bar = {"fmt": "D", "color": ORANGE, "capsize": 3, "markersize": 5}
        ax.errorbar(mean.value, y - 0.15, xerr=ends, label="mean, 95 % interval" if not row else None, **bar)
        for who in mark:
            if who in values:
                spot = (values[who], y + 0.02 + order[who])
                ax.annotate(who, spot, xytext=(0, 7), textcoords="offset points", ha="center", fontsize=9)
    ax.set_yticks(range(len(changes)), list(changes)[::-1])
    ax.set(xlabel=xlabel, ylim=(-0.5, len(changes) + 0.1))
    legend_on_top(ax, 3)
    return ax
