"""What a decision costs more than the best one, row by row: from the truth, or from what stands in its place."""

import numpy as np

from helpers.checks import check_probabilities, check_same_length, check_vector
from helpers.decisions.costs import check_costs, check_threshold, steps


def excess_risk(reference, p, cost, t=None):
    """What deciding by `p` costs more than deciding by `reference`, if the reference is right, row by row.

    cost gap * |reference - t*| where reference >= t* and p >= t differ, else 0. For D decisions: the sum of this over
    their thresholds, which is ours. Melo et al. (2026), equations 7, 8, 52 and 98. Plain:
    `helpers.papers.melo2026.equation_8`.

    Parameters
    ----------
    reference, p : array_like, shape (n,)
        What the probability is taken to be (the truth, a calibrated score c, or c + r, never clipped), and the stated
        one.
    cost : array_like or DataFrame, shape (D, 2)
        `cost[d, j]` of decision d when the truth is j.
    t : float, optional
        Threshold in use, default the optimal one (two decisions only).

    Returns
    -------
    ndarray, shape (n,)
        In the unit of the costs; 0 is best.

    Examples
    --------
    >>> excess_risk([0.9, 0.4, 0.6], [0.2, 0.2, 0.7], [[0, 1], [1, 0]]).round(3)
    array([0.8, 0. , 0. ])
    """
    reference = check_vector(reference, "reference", finite=True)
    p = check_probabilities(p)
    cost = check_costs(cost)
    check_same_length(reference=reference, p=p)
    _, thresholds, gaps = steps(cost)
    used = thresholds if t is None else [check_threshold(t, cost)]
    risk = np.zeros(p.size)
    for best_from, used_from, gap in zip(thresholds, used, gaps, strict=True):
        apart = (reference >= best_from) != (p >= used_from)
        risk[apart] += gap * np.abs(reference[apart] - best_from)
    return risk


def oracle_risk(q, p, cost, t=None):
    """Excess risk of each decision by `p` when the true probability is `q`: what nobody can compute on real data.

    Melo et al. (2026), proposition 5, equation 7. Plain: `helpers.papers.melo2026.proposition_5` by expected costs,
    `helpers.papers.melo2026.equation_7` in closed form.

    Parameters
    ----------
    q, p : array_like, shape (n,)
        True and stated probabilities, in [0, 1].
    cost, t : array_like or DataFrame, and float, optional
        As in `excess_risk`.

    Returns
    -------
    ndarray, shape (n,)
        In the unit of the costs.

    Examples
    --------
    >>> oracle_risk([0.1, 0.3], [0.15, 0.15], [[0, 4], [1, 0]])
    array([0. , 0.5])
    """
    q = check_probabilities(q, "q")
    p = check_probabilities(p)
    check_same_length(q=q, p=p)
    return excess_risk(q, p, cost, t)


def calibration_risk(c, p, cost, t=None):
    """Part of the risk that recalibration would remove: `excess_risk` with the calibrated score as reference.

    It is right on average over the people with one score, not for each of them. Perez-Lebel et al. (2025); Melo et al.
    (2026), proposition 8, equation 97. Plain: `helpers.papers.melo2026.proposition_8`.

    Parameters
    ----------
    c, p : array_like, shape (n,)
        Calibrated scores and stated probabilities, in [0, 1].
    cost, t : array_like or DataFrame, and float, optional
        As in `excess_risk`.

    Returns
    -------
    ndarray, shape (n,)
        In the unit of the costs.

    Examples
    --------
    >>> calibration_risk([0.3], [0.6], [[0, 1], [1, 0]])
    array([0.4])
    """
    c = check_probabilities(c, "c")
    p = check_probabilities(p)
    check_same_length(c=c, p=p)
    return excess_risk(c, p, cost, t)


def grouping_risk(c, corrected, cost):
    """Part of the risk that recalibration leaves: `excess_risk` of deciding by `c` if `corrected` = c + r is right.

    Melo et al. (2026), definition 4, equation 98. Plain: `helpers.papers.melo2026.definition_4`.

    Parameters
    ----------
    c, corrected : array_like, shape (n,)
        Calibrated scores in [0, 1], and these plus residuals, which may leave [0, 1].
    cost : array_like or DataFrame, shape (D, 2)
        As in `excess_risk`.

    Returns
    -------
    ndarray, shape (n,)
        In the unit of the costs.

    Examples
    --------
    >>> grouping_risk([0.6], [0.25], [[0, 1], [1, 0]])
    array([0.5])
    """
    c = check_probabilities(c, "c")
    corrected = check_vector(corrected, "corrected", finite=True)
    check_same_length(c=c, corrected=corrected)
    return excess_risk(corrected, c, cost)
