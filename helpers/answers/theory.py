"""Leading terms of the biases of Sem1 and Sem2: two classes in contest (as printed) and any number of them (ours).

The theorems on Sem1 and Sem2 as functions: leading constants, regimes, bounds, expansions.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr

from helpers.answers.exact import probability_rows
from helpers.checks import check_count, check_numbers, check_one_of


def _half_margin(half_margin):
    array = check_numbers(half_margin, "half_margin")
    if not (array >= 0).all():
        raise ValueError(f"half_margin must not be negative, but its smallest entry is {array.min()}.")
    return array


def _density(x):
    return np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)


def jensen_bias(half_margin):
    """J = phi(2 l) - 2 l Phi(-2 l): the upward bias of Sem1 in units of sqrt(p_q / n), two classes in contest.

    Parameters
    ----------
    half_margin : l >= 0, half of the standardised margin, any shape

    Source: Wang et al. (2026), below equation 9.

    >>> float(jensen_bias(0).round(4))
    0.3989
    """
    u = 2 * _half_margin(half_margin)
    return _density(u) - u * ndtr(-u)


def selection_bias(half_margin):
    """S = 2 l Phi(-2 l): the downward bias of Sem2 in units of sqrt(p_q / n), two classes in contest.

    Source: Wang et al. (2026), below equation 9.

    >>> float(selection_bias(0.3).round(4))
    0.1646
    """
    u = 2 * _half_margin(half_margin)
    return u * ndtr(-u)


def direct_gap(half_margin):
    """g_A = J + S = phi(2 l) > 0: how far Sem1 stands above Sem2, in units of sqrt(p_q / n).

    Source: Wang et al. (2026), equation 10.

    >>> float((direct_gap(0.3) - jensen_bias(0.3) - selection_bias(0.3)).round(12))
    0.0
    """
    return _density(2 * _half_margin(half_margin))


def oracle_gap(half_margin):
    """g_B = J - S: positive where the bias of Sem1 is the larger one (equation 10); one root.

    Source: Wang et al. (2026), equation 10 and appendix A.8.

    >>> float(oracle_gap(0.3) > 0), float(oracle_gap(0.31) > 0)
    (1.0, 0.0)
    """
    u = 2 * _half_margin(half_margin)
    return _density(u) - 2 * u * ndtr(-u)


def standardized(pi, n):
    """Margin, top-two mass and standardised margin of each question, three arrays.

    Parameters
    ----------
    pi : (K,) answer probabilities or a (Q, K) table; n : answers in the selection block

    Returns
    -------
    margin : best minus second-best probability; top_two_mass : their sum; m : margin / sqrt(top_two_mass / n)

    Source: Wang et al. (2026), section 3.

    >>> [round(float(x), 4) for x in standardized([0.55, 0.4, 0.05], 50)]
    [0.15, 0.95, 1.0882]
    """
    rows, single = probability_rows(pi)
    n = check_count(n, "n")
    second, best = np.partition(rows, -2, axis=1)[:, -2:].T
    columns = best - second, best + second, (best - second) * np.sqrt(n / (best + second))
    return tuple(column[0] if single else column for column in columns)


@dataclass(frozen=True)
class LeadingBias:
    """Leading terms of the two biases and of the chance of each class to be selected.

    Attributes
    ----------
    sem1, sem2 : (...) leading terms of E Sem1 - c* (upward) and E Sem2 - c* (downward)
    selection : (..., K) leading chance that class k is selected
    n : answers in the selection block
    """

    sem1: np.ndarray
    sem2: np.ndarray
    selection: np.ndarray
    n: int

    def __str__(self):
        return f"n = {self.n}: Sem1 {np.mean(self.sem1):+z.4f}, Sem2 {np.mean(self.sem2):+z.4f} to leading order"


def leading_bias(pi, n):
    """Equation 9 as printed: the two most likely classes only, `LeadingBias`.

    sqrt(p_q / n) J and -sqrt(p_q / n) S. Right where no third class is near the top; where one is, wrong at every n
    (`leading_bias_all`).

    Parameters
    ----------
    pi : (K,) answer probabilities or a (Q, K) table; n : answers in the selection block

    Source: Wang et al. (2026), equation 9 and appendix A.5.

    >>> print(leading_bias([1 / 3, 1 / 3, 1 / 3], 400))  # exactly +0.0245
    n = 400: Sem1 +0.0163, Sem2 +0.0000 to leading order
    """
    rows, single = probability_rows(pi)
    _, mass, m = standardized(rows, n)
    scale = np.sqrt(mass / n)
    order = np.argsort(-rows, axis=1, kind="stable")[:, :2]
    selection = np.zeros(rows.shape)
    np.put_along_axis(selection, order, np.column_stack([ndtr(m), ndtr(-m)]), axis=1)
    sem1, sem2 = scale * jensen_bias(m / 2), -scale * selection_bias(m / 2)
    if single:
        return LeadingBias(sem1[0], sem2[0], selection[0], int(n))
    return LeadingBias(sem1, sem2, selection, int(n))


def leading_bias_all(pi, n, *, n_panels=96):
    """Leading term of both biases with every class in the contest, `LeadingBias`.

    Shares are pi_k + (W_k - pi_k W) / sqrt(n) with independent W_k ~ N(0, pi_k) and W their sum. Among the classes
    that can win, pi_k W is c* W but for O(n**-1/2): a common shift with mean 0 that changes no winner. So

        E Sem1 - c* = E max_k N(pi_k, pi_k / n) - c* + o(n**-1/2),   E Sem2 - c* = -sum_k (c* - pi_k) P(k wins)

    for independent normals. With F_k their distribution functions, F = prod_k F_k and one-dimensional integrals
    E max - c* = int_c*^inf (1 - F) - int_-inf^c* F and P(k wins) = int f_k prod_(j != k) F_j. Two classes give
    equation 9 exactly.

    Parameters
    ----------
    pi : (K,) answer probabilities or a (Q, K) table; n : answers in the selection block
    n_panels : panels of eight Gauss-Legendre nodes

    Source: ours; it replaces the reduction to two classes in appendix A.5 of Wang et al. (2026).

    >>> print(leading_bias_all([1 / 3, 1 / 3, 1 / 3], 400))  # exactly +0.0245
    n = 400: Sem1 +0.0244, Sem2 +0.0000 to leading order
    """
    rows, single = probability_rows(pi)
    n = check_count(n, "n")
    top = rows.max(axis=1, keepdims=True)
    unit = np.sqrt(top / n)
    behind, width = (top - rows) / unit, np.sqrt(rows / top)
    result = [_normal_contest(b, w, n_panels) for b, w in zip(behind, width, strict=True)]
    gain, selection = np.array([r[0] for r in result]), np.array([r[1] for r in result])
    sem1, sem2 = gain * unit[:, 0], -(selection * (top - rows)).sum(axis=1)
    if single:
        return LeadingBias(sem1[0], sem2[0], selection[0], n)
    return LeadingBias(sem1, sem2, selection, n)


def _normal_contest(behind, width, n_panels=96, reach=10.0, copies=1):
    """E max of independent N(-behind_k, width_k**2), and P(k wins), for widths up to 1 and a leader at 0; each class
    `copies` times, all of them near.
    """
    near = (width > 0) & (behind < reach * (1 + width))  # others never win, or with a chance below 1e-20
    selection = np.zeros(behind.size)
    behind, width = behind[near], width[near]
    node, weight = np.polynomial.legendre.leggauss(8)
    marks = np.linspace(-reach, reach, n_panels + 1)
    narrow = width < 0.2
    steps = -behind[narrow, None] + width[narrow, None] * np.array([-8, -4, -2, -1, 0, 1, 2, 4, 8])
    marks = np.unique(np.concatenate([marks, np.clip(steps, -reach, reach).ravel()]))
    middle, half = (marks[1:] + marks[:-1]) / 2, np.diff(marks) / 2
    x, dx = (middle[:, None] + half[:, None] * node).ravel(), (half[:, None] * weight).ravel()
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

    Below it Sem2 has the smaller bias, above it Sem1. One rival: the root of g_B, 0.3060. More rivals push it out.

    Source: definition 5.5 and appendix A.8 of Wang et al. (2026) for one rival; ours for more.

    >>> [round(critical_half_margin(r), 4) for r in (1, 2, 9)]
    [0.306, 0.3259, 0.3855]
    """
    n_rivals = check_count(n_rivals, "n_rivals")
    if n_rivals == 1:
        return float(brentq(lambda half: float(oracle_gap(half)), 0, 2, xtol=1e-15))

    def gap(half):
        behind = np.array([0.0, 2 * np.sqrt(2) * half])  # m = behind / sqrt(2), since p is twice c*
        gain, selection = _normal_contest(behind, np.ones(2), copies=np.array([1, n_rivals]))
        return gain - behind[1] * selection[1]

    return float(brentq(gap, 0, 3, xtol=1e-13))


CRITICAL_HALF_MARGIN = critical_half_margin()


def direct_gap_leading(pi, n):
    """Theorem 5.6: mean over questions of sqrt(p_q / n) g_A, the leading term of Sem1-ECE - Sem2-ECE.

    Parameters
    ----------
    pi : (Q, K) answer probabilities; n : answers in the selection block

    Source: Wang et al. (2026), equation 11; right for one bin that is over-confident and two classes in contest.

    >>> round(direct_gap_leading([[0.5, 0.5], [0.55, 0.45]], 25), 4)
    0.0751
    """
    _, mass, m = standardized(pi, n)
    return float(np.mean(np.sqrt(mass / n) * direct_gap(m / 2)))


def oracle_gap_leading(pi, n):
    """Theorem 5.7: mean over questions of sqrt(p_q / n) g_B, the leading term of the difference of the distances
    |E Sem1 - E c*| - |E Sem2 - E c*|.

    Source: Wang et al. (2026), equation 12; the ECEs themselves also hold the gap between oracle and deployed accuracy.

    >>> round(oracle_gap_leading([[0.5, 0.5], [0.55, 0.45]], 25), 4)
    0.0442
    """
    _, mass, m = standardized(pi, n)
    return float(np.mean(np.sqrt(mass / n) * oracle_gap(m / 2)))


REGIMES = ("jensen", "low", "large")


def regime(pi, n, *, n_classes=None):
    """Regime of each question: "jensen" (m < 2 l*), "low" (m < sqrt(log K)) or "large".

    Parameters
    ----------
    pi : (K,) answer probabilities or a (Q, K) table; n : answers in the selection block
    n_classes : K; default the number of classes with positive probability

    Source: Wang et al. (2026), definition 5.5 and section 5.1, as printed; `critical_half_margin` has the boundary
    for several close rivals.

    >>> [str(regime([0.5 + d, 0.5 - d], 50)) for d in (0.04, 0.05, 0.1)]
    ['jensen', 'low', 'large']
    """
    rows, single = probability_rows(pi)
    m = standardized(rows, n)[2]
    k = (rows > 0).sum(axis=1) if n_classes is None else check_count(n_classes, "n_classes", least=2)
    names = np.where(m < 2 * CRITICAL_HALF_MARGIN, REGIMES[0], np.where(m < np.sqrt(np.log(k)), *REGIMES[1:]))
    return names[0] if single else names


def bias_bound(pi, n, *, constant=1.0):
    """Theorem 5.1: min of C sqrt(log(2 K) / (2 n)) and (K - 1) exp(-n margin**2 / (2 top_two_mass)).

    The paper leaves C open and proves 1 for Sem1, 2 for Sem2. C = 1 serves both, and even their sum, with log K for
    log(2 K): E Sem1 - E Sem2 = E[share - probability of the winner] <= E max_k (share - probability).

    Parameters
    ----------
    pi : (K,) answer probabilities or a (Q, K) table; n : answers in the selection block; constant : C

    Source: Wang et al. (2026), equation 6.

    >>> float(bias_bound([0.55, 0.45], 50).round(4))
    0.1177
    """
    rows, single = probability_rows(pi)
    uniform = constant * np.sqrt(np.log(2 * rows.shape[1]) / (2 * check_count(n, "n")))
    bound = np.minimum(uniform, selection_error_bound(rows, n))
    return bound[0] if single else bound


def selection_error_bound(pi, n, *, kind="paper"):
    """Bound of the chance that the class selected is not the mode, (...).

    Parameters
    ----------
    pi : (K,) answer probabilities or a (Q, K) table; n : answers in the selection block
    kind : "paper", (K - 1) exp(-n margin**2 / (2 top_two_mass)), lemma A.1;
        "chernoff", sum over rivals of (1 - (sqrt p_1 - sqrt p_k)**2)**n, never above the first;
        "bernstein", (K - 1) times what Bernstein's inequality gives for the closest rival, with the exact variance
        p - margin**2 and range 1 + margin: above the first whenever margin < 1/2

    Raises
    ------
    ValueError unless rows are probabilities that sum to 1, n is a whole number of at least 1, and `kind` is known.

    Source: lemma A.1 of Wang et al. (2026), with the proof by Chernoff: E exp(t (N_k - N_1)) at its best t is the
    n-th power of 1 - (sqrt p_1 - sqrt p_k)**2, and (sqrt a + sqrt b)**2 <= 2 (a + b).

    >>> [float(selection_error_bound([0.6, 0.4], 50, kind=k).round(3)) for k in ("chernoff", "paper", "bernstein")]
    [0.36, 0.368, 0.382]
    """
    check_one_of(kind, "kind", ("paper", "chernoff", "bernstein"))
    rows, single = probability_rows(pi)
    margin, mass, m = standardized(rows, n)
    rivals = rows.shape[1] - 1
    if kind == "paper":
        bound = rivals * np.exp(-(m**2) / 2)
    elif kind == "bernstein":
        room = mass - margin**2 + (1 + margin) * margin / 3
        bound = rivals * np.exp(-n * margin**2 / (2 * room))
    else:
        root = np.sqrt(np.sort(rows, axis=1))
        bound = ((1 - (root[:, -1:] - root[:, :-1]) ** 2) ** n).sum(axis=1)
    return bound[0] if single else bound


def confidence_error_bound(pi, n, *, n_held_out=None):
    """Bound of E |confidence - c*| for each question: theorem 5.3 (Sem1), or 5.4 (Sem2) if `n_held_out` is given.

    Parameters
    ----------
    pi : (K,) answer probabilities or a (Q, K) table; n : answers in the selection block
    n_held_out : m, answers in the held-out block of Sem2; None for Sem1

    Source: Wang et al. (2026), theorems 5.3 and 5.4.

    >>> float(confidence_error_bound([0.6, 0.4], 50).round(4)), float(confidence_error_bound([0.9, 0.1], 50).round(4))
    (0.1177, 0.0424)
    """
    rows, single = probability_rows(pi)
    n, top = check_count(n, "n"), rows.max(axis=1)
    held_out = check_count(n if n_held_out is None else n_held_out, "n_held_out")
    bound = np.sqrt(top * (1 - top) / held_out) + selection_error_bound(rows, n)
    if n_held_out is None:
        bound = np.minimum(bound, np.sqrt(np.log(2 * rows.shape[1]) / (2 * n)))
    return bound[0] if single else bound


def ece_bound(confidence_error, selection_error, *, eta=None, near_edge=None, density=None, n_bins=10):
    """Theorem 5.2: bound of |ECE - oracle ECE|.

    delta + eps + 2 (eps / eta + P(c* within eta of an edge)), or, if c* has a density of at most M,
    delta + eps + 4 sqrt(2 M (L - 1) eps).

    Parameters
    ----------
    confidence_error, selection_error : eps = E |confidence - c*|, delta = P(answer and oracle answer differ in truth)
    eta, near_edge : a distance > 0 and the share of questions with c* that close to an inner edge; or
    density, n_bins : M and the number of bins L

    Raises
    ------
    ValueError unless exactly one of the two forms is asked for, and eta > 0.

    Source: Wang et al. (2026), equation 7 and the line below it.

    >>> ece_bound(0.01, 0.02, eta=0.05, near_edge=0.1)
    0.63
    """
    if (density is None) == (eta is None) or (eta is None) != (near_edge is None):
        raise ValueError("ece_bound needs either eta and near_edge, or density, but not both.")
    if density is None:
        if not eta > 0:
            raise ValueError(f"eta must be positive, but it is {eta!r}.")
        return float(selection_error + confidence_error + 2 * (confidence_error / eta + near_edge))
    inner = check_count(n_bins, "n_bins") - 1
    return float(selection_error + confidence_error + 4 * np.sqrt(2 * density * inner * confidence_error))
