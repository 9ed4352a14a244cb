"""Small populations with known truth that show where a loss comes from, and what the word "calibrated" can mean."""

from itertools import permutations

import numpy as np
import pandas as pd

from helpers.checks import check_one_of, check_same_length, check_simplex

VIEWS = ("joint", "classwise", "top-label")


def three_towns():
    """Three scores with Brier score 0.2 and the same bill, {town: (p, q)}: stated and true probability of four equally
    common kinds of call.

    Arden's score is too timid (all that can be avoided is calibration loss), Birch's mixes kinds of call (grouping
    loss), Corrie's is the truth (nothing can be avoided). Every p is at least 0.2.

    >>> from helpers.scoring import decompose
    >>> {town: round(decompose(p, q).total, 3) for town, (p, q) in three_towns().items()}
    {'Arden': 0.2, 'Birch': 0.2, 'Corrie': 0.2}
    """
    right = 0.5 + np.array([-1, -1, 1, 1]) * 0.05**0.5  # 0.276 and 0.724: p (1 - p) = 0.2
    truth = np.array([0.1, 0.1, 0.9, 0.9])
    timid = truth + np.array([1, 1, -1, -1]) * 0.11**0.5  # 0.2 = 0.11 + 0.1 * 0.9
    mixed = right + 0.27 * np.array([-1, 1, -1, 1])
    return {"Arden": (timid, truth), "Birch": (right, mixed), "Corrie": (right, right.copy())}


def four_wards(rng=None, *, kinds=25):
    """Stated and true probabilities (S, Q) of four wards for kinds of patient, both (48 * kinds, 4).

    48 different rows of scores: (.5, .3, .15, .05) and (.7, .15, .1, .05) in every order, each for `kinds` rows. The
    truth of a kind is drawn around its scores.

    >>> S, Q = four_wards(rng=0)
    >>> S.shape, len(np.unique(S, axis=0))
    ((1200, 4), 48)
    """
    rng = np.random.default_rng(rng)
    patterns = (0.5, 0.3, 0.15, 0.05), (0.7, 0.15, 0.1, 0.05)
    S = np.repeat([order for pattern in patterns for order in permutations(pattern)], kinds, axis=0)
    return S, np.vstack([rng.dirichlet(0.3 + 2 * row) for row in S])


def three_meanings():
    """Populations that are calibrated in one sense and in no stronger one, {view: (S, Q)}, each row equally common.

    The scores are .6, .3, .1 in every order. "joint": two kinds for each row of scores, off in opposite directions;
    "classwise": three of the rows are off in one direction and three in the other, so that it cancels for each class;
    "top-label": the two lower scores are exchanged.

    Source: after Perez-Lebel et al. (2023), definitions 3.1 to 3.3.

    >>> S, Q = three_meanings()["top-label"]
    >>> S[0].tolist(), Q[0].round(1).tolist()
    ([0.6, 0.3, 0.1], [0.6, 0.1, 0.3])
    """
    S = np.array([*permutations((0.6, 0.3, 0.1))])
    turn = np.array([1, -1, -1, 1, 1, -1])[:, None]  # even and odd orders
    push = np.where(S == 0.6, 0.1, -0.05)
    return {
        "joint": (np.vstack([S, S]), np.vstack([S + push, S - push])),
        "classwise": (S, S + turn * push),
        "top-label": (S, np.where(S == 0.6, S, 0.4 - S)),
    }


def calibration_gaps(S, Y, view):
    """Observed minus stated rate for each score, in standard errors: one number for each score that occurs.

    Parameters
    ----------
    S : (n, K) stated probabilities; Y : (n, K) rows of zeros with a one
    view : "joint" (one number for each row of scores and class), "classwise" (for each class and its score) or
        "top-label" (for each highest score; of tied classes the lowest is predicted)

    Raises
    ------
    ValueError for rows off the simplex, unequal lengths, another view.

    Source: Perez-Lebel et al. (2023), definitions 3.1 to 3.3.

    >>> calibration_gaps([[0.5, 0.5]] * 4, [[1, 0], [1, 0], [1, 0], [0, 1]], "classwise").tolist()
    [1.0, -1.0]
    """
    S, Y = check_simplex(S, "S"), check_simplex(Y, "Y")
    check_same_length(S=S, Y=Y)
    check_one_of(view, "view", VIEWS)
    n, n_classes = S.shape
    column = np.tile(np.arange(n_classes), (n, 1))
    whole = np.repeat(np.unique(S, axis=0, return_inverse=True)[1].reshape(-1, 1), n_classes, axis=1)
    use = column == S.argmax(axis=1)[:, None] if view == "top-label" else np.full(S.shape, True)
    keys = {"joint": [whole, column], "classwise": [column, S], "top-label": [S]}[view]
    cells = pd.DataFrame({"gap": (Y - S)[use], "variance": (S * (1 - S))[use]})
    sums = cells.groupby([key[use] for key in keys]).sum()
    return (sums["gap"] / np.sqrt(sums["variance"])).to_numpy()
