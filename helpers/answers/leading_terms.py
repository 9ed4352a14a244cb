"""Leading terms of the biases of Sem1 and Sem2: two classes in contest (as printed) and any number of them (ours)."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr

from helpers._result import Result
from helpers.answers.exact import probability_rows
from helpers.checks import check_count, check_not_negative, check_numbers


def _half_margin(half_margin):
    """Float array; ValueError if an entry is negative or not finite."""
    array = check_numbers(half_margin, "half_margin")
    check_not_negative(array, "half_margin")
    return array


def _density(x):
    """Standard normal density."""
    return np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)


def jensen_bias(half_margin):
    """Upward bias of Sem1 with two classes in contest: J = phi(2 l) - 2 l Phi(-2 l).

    Plain: `helpers.papers.semece2026.equation_9_J`.

    Parameters
    ----------
    half_margin : float or array of float
        Half of the standardised margin, l >= 0, any shape.

    Returns
    -------
    float or array of float
        In units of sqrt(p_q / n); Wang et al. (2026), equation 9.

    Examples
    --------
    >>> float(jensen_bias(0).round(4))
    0.3989
    """
    u = 2 * _half_margin(half_margin)
    return _density(u) - u * ndtr(-u)


def selection_bias(half_margin):
    """Downward bias of Sem2 with two classes in contest: S = 2 l Phi(-2 l).

    Plain: `helpers.papers.semece2026.equation_9_S`.

    Parameters
    ----------
    half_margin : float or array of float
        Half of the standardised margin, l >= 0, any shape.

    Returns
    -------
    float or array of float
        In units of sqrt(p_q / n); Wang et al. (2026), equation 9.

    Examples
    --------
    >>> float(selection_bias(0.3).round(4))
    0.1646
    """
    u = 2 * _half_margin(half_margin)
    return u * ndtr(-u)


def direct_gap_constant(half_margin):
    """How far Sem1 stands above Sem2: g_A = J + S = phi(2 l) > 0.

    Plain: `helpers.papers.semece2026.equation_10`.

    Parameters
    ----------
    half_margin : float or array of float
        Half of the standardised margin, l >= 0, any shape.

    Returns
    -------
    float or array of float
        In units of sqrt(p_q / n); Wang et al. (2026), equation 10.

    Examples
    --------
    >>> float(direct_gap_constant(0).round(4))
    0.3989
    """
    return _density(2 * _half_margin(half_margin))


def oracle_gap_constant(half_margin):
    """Difference of the two biases: g_B = J - S, positive where that of Sem1 is the larger one; one root.

    Plain: `helpers.papers.semece2026.equation_10`.

    Parameters
    ----------
    half_margin : float or array of float
        Half of the standardised margin, l >= 0, any shape.

    Returns
    -------
    float or array of float
        In units of sqrt(p_q / n); Wang et al. (2026), equation 10.

    Examples
    --------
    >>> float(oracle_gap_constant(0.3) > 0), float(oracle_gap_constant(0.31) > 0)
    (1.0, 0.0)
    """
    u = 2 * _half_margin(half_margin)
    return _density(u) - 2 * u * ndtr(-u)


def standardized_margin(pi, n):
    """Margin, top-two mass and standardised margin of each question (Wang et al., 2026, section 3).

    Plain: `helpers.papers.semece2026.section_3_standardized_margin`.

    Parameters
    ----------
    pi, n : array of float, shape (K,) or (Q, K), and int
        Answer probabilities, a row a question, and the answers in the selection block.

    Returns
    -------
    margin, top_two_mass, m : float or array of float, shape (Q,)
        Best minus second-best probability, their sum, and margin / sqrt(top_two_mass / n).

    Examples
    --------
    >>> [round(float(x), 4) for x in standardized_margin([0.55, 0.4, 0.05], 50)]
    [0.15, 0.95, 1.0882]
    """
    rows, single = probability_rows(pi)
    columns = margins_of(rows, check_count(n, "n"))
    return tuple(column[0] if single else column for column in columns)


def margins_of(rows, n):
    """`standardized_margin` of probabilities and a number that were checked, each (Q,)."""
    second, best = np.partition(rows, -2, axis=1)[:, -2:].T
    margin = best - second
    mass = best + second
    return margin, mass, margin * np.sqrt(n / mass)


@dataclass(frozen=True)
class LeadingBias(Result):
    """Leading terms of the two biases and of the chance of each class to be selected."""

    sem1: np.ndarray  # (Q,) of E Sem1 - c*, upward, in units of probability
    sem2: np.ndarray  # (Q,) of E Sem2 - c*, downward
    selection: np.ndarray  # (Q, K) chance that class k is selected
    n: int  # answers in the selection block

    def __str__(self):
        return f"n = {self.n}: Sem1 {np.mean(self.sem1):+z.4f}, Sem2 {np.mean(self.sem2):+z.4f} to leading order"


def leading_bias(pi, n):
    """Leading terms of both biases by equation 9 as printed: the two most likely classes only.

    sqrt(p_q / n) J and -sqrt(p_q / n) S. Right where no third class is near the top; where one is, wrong at every n
    (`leading_bias_multiclass`). Wang et al. (2026), equation 9 and appendix A.5.
    Plain: `helpers.papers.semece2026.equation_9`.

    Parameters
    ----------
    pi, n : array of float, shape (K,) or (Q, K), and int
        Answer probabilities, a row a question, and the answers in the selection block.

    Returns
    -------
    LeadingBias
        Biases `sem1` and `sem2` in units of probability, and `selection`, the leading chance of each class to be
        selected.

    Examples
    --------
    >>> print(leading_bias([1 / 3, 1 / 3, 1 / 3], 400))  # exactly +0.0245
    n = 400: Sem1 +0.0163, Sem2 +0.0000 to leading order
    """
    rows, single = probability_rows(pi)
    n = check_count(n, "n")
    _, mass, m = margins_of(rows, n)
    scale = np.sqrt(mass / n)
    order = np.argsort(-rows, axis=1, kind="stable")[:, :2]
    selection = np.zeros(rows.shape)
    np.put_along_axis(selection, order, np.column_stack([ndtr(m), ndtr(-m)]), axis=1)
    sem1 = scale * jensen_bias(m / 2)
    sem2 = -scale * selection_bias(m / 2)
    if single:
        return LeadingBias(sem1[0], sem2[0], selection[0], n)
    return LeadingBias(sem1, sem2, selection, n)


def leading_bias_multiclass(pi, n, *, n_panels=96):
    """Leading terms of both biases with every class in the contest.

    Shares are pi_k + (W_k - pi_k W) / sqrt(n) with independent W_k ~ N(0, pi_k) and W their sum. Among the classes
    that can win, pi_k W is c* W but for O(n**-1/2): a common shift with mean 0 that changes no winner. So

        E Sem1 - c* = E max_k N(pi_k, pi_k / n) - c* + o(n**-1/2),   E Sem2 - c* = -sum_k (c* - pi_k) P(k wins)

    for independent normals. With F_k their distribution functions, F = prod_k F_k and one-dimensional integrals
    E max - c* = int_c*^inf (1 - F) - int_-inf^c* F and P(k wins) = int f_k prod_(j != k) F_j. Two classes, both
    possible, give equation 9 exactly. Ours; it replaces the reduction to two classes in appendix A.5 of Wang et al.
    (2026). Plain, for two contestants: `helpers.papers.semece2026.equation_9`.

    Parameters
    ----------
    pi, n : array of float, shape (K,) or (Q, K), and int
        Answer probabilities, a row a question, and the answers in the selection block.
    n_panels : int, default 96
        Panels of eight Gauss-Legendre nodes.

    Returns
    -------
    LeadingBias
        Both biases in units of probability.

    Examples
    --------
    >>> print(leading_bias_multiclass([1 / 3, 1 / 3, 1 / 3], 400))  # exactly +0.0245
    n = 400: Sem1 +0.0244, Sem2 +0.0000 to leading order
    """
    rows, single = probability_rows(pi)
    n = check_count(n, "n")
    top = rows.max(axis=1, keepdims=True)
    unit = np.sqrt(top / n)
    behind = (top - rows) / unit
    width = np.sqrt(rows / top)
    contests = [_normal_contest(b, w, n_panels) for b, w in zip(behind, width, strict=True)]
    gain = np.array([lead for lead, _ in contests])
    selection = np.array([chance for _, chance in contests])
    sem1 = gain * unit[:, 0]
    sem2 = -(selection * (top - rows)).sum(axis=1)
    if single:
        return LeadingBias(sem1[0], sem2[0], selection[0], n)
    return LeadingBias(sem1, sem2, selection, n)


def _normal_contest(behind, width, n_panels=96, limit=10.0, copies=1):
    """E max of independent N(-behind_k, width_k**2), and P(k wins), for widths up to 1 and a leader at 0."""
    near = (width > 0) & (behind < limit * (1 + width))  # others never win, or with a chance below 1e-20
    selection = np.zeros(behind.size)
    behind = behind[near]
    width = width[near]
    node, weight = np.polynomial.legendre.leggauss(8)
    marks = np.linspace(-limit, limit, n_panels + 1)
    narrow = width < 0.2
    steps = -behind[narrow, None] + width[narrow, None] * np.array([-8, -4, -2, -1, 0, 1, 2, 4, 8])
    marks = np.unique(np.concatenate([marks, np.clip(steps, -limit, limit).ravel()]))
    middle = (marks[1:] + marks[:-1]) / 2
    half = np.diff(marks) / 2
    x = (middle[:, None] + half[:, None] * node).ravel()
    dx = (half[:, None] * weight).ravel()
    z = (x + behind[:, None]) / width[:, None]
    log_each = log_ndtr(z)
    log_all = (np.reshape(copies, (-1, 1)) * log_each).sum(axis=0)
    gain = ((np.where(x > 0, 1.0, 0.0) - np.exp(log_all)) * dx).sum()
    density = _density(z) / width[:, None]
    share = copies * (density * np.exp(np.minimum(log_all - log_each, 0)) * dx).sum(axis=1)
    selection[near] = share / share.sum()
    return gain, selection


def critical_half_margin(n_rivals=1):
    """Half of the standardised margin at which the two biases are equal, with `n_rivals` equally close rivals.

    Below it Sem2 has the smaller bias, above it Sem1. One rival: the root of g_B, 0.3060. More rivals push it out. Wang
    et al. (2026), definition 5.5 and appendix A.8 for one rival; ours for more.
    Plain: `helpers.papers.semece2026.appendix_a_8`.

    Parameters
    ----------
    n_rivals : int, default 1
        Classes that share the second place.

    Returns
    -------
    float
        Half of a standardised margin.

    Examples
    --------
    >>> [round(critical_half_margin(r), 4) for r in (1, 2, 9)]
    [0.306, 0.3259, 0.3855]
    """
    n_rivals = check_count(n_rivals, "n_rivals")
    if n_rivals == 1:
        return float(brentq(lambda half: float(oracle_gap_constant(half)), 0, 2, xtol=1e-15))

    def gap(half):
        behind = np.array([0.0, 2 * np.sqrt(2) * half])  # m = behind / sqrt(2), since p is twice c*
        gain, selection = _normal_contest(behind, np.ones(2), copies=np.array([1, n_rivals]))
        return gain - behind[1] * selection[1]

    return float(brentq(gap, 0, 3, xtol=1e-13))


CRITICAL_HALF_MARGIN = critical_half_margin()


def leading_direct_gap(pi, n):
    """Leading term of Sem1-ECE - Sem2-ECE (theorem 5.6): mean over questions of sqrt(p_q / n) g_A.

    Right for one bin that is over-confident and two classes in contest. Wang et al. (2026), equation 11.
    Plain: `helpers.papers.semece2026.theorem_5_6`.

    Parameters
    ----------
    pi, n : array of float, shape (Q, K), and int
        Answer probabilities, a row a question, and the answers in the selection block.

    Returns
    -------
    float
        In units of probability.

    Examples
    --------
    >>> round(leading_direct_gap([[0.5, 0.5], [0.55, 0.45]], 25), 4)
    0.0751
    """
    _, mass, m = standardized_margin(pi, n)
    return float(np.mean(np.sqrt(mass / n) * direct_gap_constant(m / 2)))


def leading_oracle_gap(pi, n):
    """Leading term of |E Sem1 - E c*| - |E Sem2 - E c*| (theorem 5.7): mean over questions of sqrt(p_q / n) g_B.

    The ECEs themselves also hold the gap between oracle and deployed accuracy. Wang et al. (2026), equation 12.
    Plain: `helpers.papers.semece2026.theorem_5_7`.

    Parameters
    ----------
    pi, n : array of float, shape (Q, K), and int
        Answer probabilities, a row a question, and the answers in the selection block.

    Returns
    -------
    float
        In units of probability.

    Examples
    --------
    >>> round(leading_oracle_gap([[0.5, 0.5], [0.55, 0.45]], 25), 4)
    0.0442
    """
    _, mass, m = standardized_margin(pi, n)
    return float(np.mean(np.sqrt(mass / n) * oracle_gap_constant(m / 2)))
