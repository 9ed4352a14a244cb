"""Bounds of the biases and errors of Sem1 and Sem2: the theorems of Wang et al. (2026) as functions."""

import numpy as np

from helpers.answers.exact import probability_rows
from helpers.answers.leading_terms import margins_of
from helpers.checks import check_count, check_not_negative, check_numbers, check_one_of


def bias_bound(pi, n, *, constant=1.0):
    """Bound of the bias of Sem1 or Sem2 (theorem 5.1 and equation 6 of Wang et al., 2026).

    min of C sqrt(log(2 K) / (2 n)) and (K - 1) exp(-n margin**2 / (2 top_two_mass)).

    The paper leaves C open and proves 1 for Sem1, 2 for Sem2. C = 1 serves both, and even their sum, with log K for
    log(2 K): E Sem1 - E Sem2 = E[share - probability of the winner] <= E max_k (share - probability).
    Plain: `helpers.papers.semece2026.theorem_5_1`.

    Parameters
    ----------
    pi, n : array of float, shape (K,) or (Q, K), and int
        Answer probabilities, a row a question, and the answers in the selection block.
    constant : float, default 1.0
        C.

    Returns
    -------
    float or array of float, shape (Q,)
        In units of probability.

    Examples
    --------
    >>> float(bias_bound([0.55, 0.45], 50).round(4))
    0.1177
    """
    rows, single = probability_rows(pi)
    n = check_count(n, "n")
    uniform = constant * np.sqrt(np.log(2 * rows.shape[1]) / (2 * n))
    bound = np.minimum(uniform, _selection_bound(rows, n))
    return bound[0] if single else bound


def selection_error_bound(pi, n, *, kind="paper"):
    """Bound of the chance that the class selected is not the mode.

    The proof by Chernoff: E exp(t (N_k - N_1)) at its best t is the n-th power of 1 - (sqrt p_1 - sqrt p_k)**2, and
    (sqrt a + sqrt b)**2 <= 2 (a + b). Wang et al. (2026), lemma A.1.
    Plain: `helpers.papers.semece2026.lemma_a_1`.

    Parameters
    ----------
    pi, n : array of float, shape (K,) or (Q, K), and int
        Answer probabilities, a row a question, and the answers in the selection block.
    kind : {"paper", "chernoff", "bernstein"}, default "paper"
        "paper": (K - 1) exp(-n margin**2 / (2 top_two_mass)), lemma A.1;
        "chernoff": sum over rivals of (1 - (sqrt p_1 - sqrt p_k)**2)**n, never above the first;
        "bernstein": (K - 1) times what Bernstein's inequality gives for the closest rival, with the exact variance
        p - margin**2 and range 1 + margin, above the first whenever margin < 1/2.

    Returns
    -------
    float or array of float, shape (Q,)
        May exceed 1.

    Examples
    --------
    >>> [float(selection_error_bound([0.6, 0.4], 50, kind=k).round(3)) for k in ("chernoff", "paper", "bernstein")]
    [0.36, 0.368, 0.382]
    """
    check_one_of(kind, "kind", ("paper", "chernoff", "bernstein"))
    rows, single = probability_rows(pi)
    bound = _selection_bound(rows, check_count(n, "n"), kind)
    return bound[0] if single else bound


def _selection_bound(rows, n, kind="paper"):
    """`selection_error_bound` of probabilities and options that were checked, (Q,)."""
    margin, mass, m = margins_of(rows, n)
    rivals = rows.shape[1] - 1
    if kind == "paper":
        return rivals * np.exp(-(m**2) / 2)
    if kind == "bernstein":
        room = mass - margin**2 + (1 + margin) * margin / 3
        return rivals * np.exp(-n * margin**2 / (2 * room))
    root = np.sqrt(np.sort(rows, axis=1))
    return ((1 - (root[:, -1:] - root[:, :-1]) ** 2) ** n).sum(axis=1)


def confidence_error_bound(pi, n, *, n_held_out=None):
    """Bound of E |confidence - c*| for each question (theorems 5.3 and 5.4 of Wang et al., 2026).

    Plain: `helpers.papers.semece2026.theorem_5_3`, `helpers.papers.semece2026.theorem_5_4`.

    Parameters
    ----------
    pi, n : array of float, shape (K,) or (Q, K), and int
        Answer probabilities, a row a question, and the answers in the selection block.
    n_held_out : int or None, default None
        Answers in the held-out block of Sem2; None for Sem1.

    Returns
    -------
    float or array of float, shape (Q,)
        In units of probability.

    Examples
    --------
    >>> float(confidence_error_bound([0.6, 0.4], 50).round(4))
    0.1177
    """
    rows, single = probability_rows(pi)
    n = check_count(n, "n")
    held_out = n if n_held_out is None else check_count(n_held_out, "n_held_out")
    top = rows.max(axis=1)
    bound = np.sqrt(top * (1 - top) / held_out) + _selection_bound(rows, n)
    if n_held_out is None:
        bound = np.minimum(bound, np.sqrt(np.log(2 * rows.shape[1]) / (2 * n)))
    return bound[0] if single else bound


def ece_bound(confidence_error, selection_error, *, eta=None, near_edge=None, density=None, n_bins=10):
    """Bound of |ECE - oracle ECE| (theorem 5.2, equation 7 of Wang et al., 2026).

    delta + eps + 2 (eps / eta + P(c* within eta of an edge)), or, if c* has a density of at most M,
    delta + eps + 4 sqrt(2 M (L - 1) eps).
    Plain: `helpers.papers.semece2026.theorem_5_2`, `helpers.papers.semece2026.theorem_5_2_density`.

    Parameters
    ----------
    confidence_error, selection_error : float
        The eps = E |confidence - c*|, and the delta = P(answer and oracle answer differ in truth).
    eta, near_edge : float, optional
        A distance > 0, and the share of questions with c* within eta of an inner edge.
    density : float, optional
        M, in place of eta and near_edge.
    n_bins : int, default 10
        L, read with `density`.

    Returns
    -------
    float
        In units of probability; may exceed 1.

    Examples
    --------
    >>> ece_bound(0.01, 0.02, eta=0.05, near_edge=0.1)
    0.63
    """
    if (density is None) == (eta is None) or (eta is None) != (near_edge is None):
        raise ValueError("ece_bound needs either eta and near_edge, or density, but not both.")
    given = {"confidence_error": confidence_error, "selection_error": selection_error, "near_edge": near_edge}
    given |= {"eta": eta, "density": density}
    for name, value in given.items():
        if value is not None:
            check_not_negative(check_numbers(value, name), name)
    if density is None:
        if not eta > 0:
            raise ValueError(f"eta must be positive, but it is {eta!r}.")
        return float(selection_error + confidence_error + 2 * (confidence_error / eta + near_edge))
    inner = check_count(n_bins, "n_bins") - 1
    return float(selection_error + confidence_error + 4 * np.sqrt(2 * density * inner * confidence_error))
