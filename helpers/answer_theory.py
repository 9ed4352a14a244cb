"""The theorems on Sem1 and Sem2 as functions: leading constants, regimes, bounds, expansions."""

import numpy as np

from helpers.answer_biases import probability_rows
from helpers.answer_expansions import (
    CRITICAL_HALF_MARGIN,
    LeadingBias,
    critical_half_margin,
    direct_gap,
    direct_gap_leading,
    jensen_bias,
    leading_bias,
    leading_bias_all,
    oracle_gap,
    oracle_gap_leading,
    selection_bias,
    standardized,
)
from helpers.checks import check_count, check_one_of

__all__ = [
    "CRITICAL_HALF_MARGIN", "REGIMES", "LeadingBias", "bias_bound", "confidence_error_bound", "critical_half_margin",
    "direct_gap", "direct_gap_leading", "ece_bound", "jensen_bias", "leading_bias", "leading_bias_all", "oracle_gap",
    "oracle_gap_leading", "regime", "selection_bias", "selection_error_bound", "standardized",
]  # fmt: skip

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
