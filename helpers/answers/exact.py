"""Exact expectations for known answer probabilities: of Sem1, Sem2 and any estimator that reads counts of answers."""

from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations

import numpy as np
import pandas as pd
from scipy.special import gammaln, xlog1py, xlogy

from helpers._result import Result
from helpers.answers.polynomials import CHUNK, cut_product, tie_rule
from helpers.checks import check_count, check_one_of, check_probabilities, check_simplex, check_vector


def probability_rows(pi, name="pi"):
    """Answer probabilities as a (Q, K) table whose rows sum to 1, and whether one vector (K,) was given."""
    single = np.ndim(pi) == 1
    table = check_simplex([pi] if single else pi, name)
    return table / table.sum(axis=1, keepdims=True), single


def winner_law(pi, n, *, ties="first"):
    """Probability that class k is the most frequent of n answers and has v copies.

    Answers are n independent draws from `pi`. For class k with v copies the others have at most v (later) or v - 1
    (earlier) copies:  (n pi_k)^v e^(-n pi_k) / v! * [t^(n - v)] prod_j sum_(x <= limit_j) Poisson(x; n pi_j) t^x
    divided by Poisson(n; n). All terms are positive, so small probabilities keep their leading digits. Work grows like
    Q K n**3. Exact form of equations 1 and 3 of Wang et al. (2026).
    Plain: `helpers.papers.semece2026.section_3_law`.

    Parameters
    ----------
    pi, n : array of float, shape (K,) or (Q, K), and int
        Answer probabilities, a row a question, and the number of answers.
    ties : {"average", "first"}, default "first"
        "first", the lower index wins, or "average", all tied classes are equally likely (which is what the order of
        first appearance among the n answers amounts to): the mean over y of a weight y for each tied class.

    Returns
    -------
    array of float, shape (K, n + 1) or (Q, K, n + 1)
        Sums to 1 for each question.

    Examples
    --------
    >>> winner_law([0.5, 0.5], 2)  # two answers: (0, 2), (1, 1) or (2, 0) copies of the first class
    array([[0.  , 0.5 , 0.25],
           [0.  , 0.  , 0.25]])
    """
    rows, single = probability_rows(pi)
    law = law_of_winner(rows, check_count(n, "n"), ties)
    return law[0] if single else law


def law_of_winner(rows, n, ties="first"):
    """`winner_law` of probabilities and a number that were checked, (Q, K, n + 1)."""
    check_one_of(ties, "ties", ("first", "average"))
    classes = rows.shape[1]
    law = np.zeros((*rows.shape, n + 1))
    copies = np.arange(n + 1)
    majority = copies[n // 2 + 1 :]  # with so many copies a class wins, whoever has the others
    for start in range(0, len(rows), CHUNK):
        mean = n * rows[start : start + CHUNK].T
        f = _poisson(copies, mean)  # f[k, v] = Poisson(v; n pi_k)
        part = law[start : start + CHUNK].transpose(1, 2, 0)
        part[:, majority] = f[:, majority] * _poisson(n - majority, (1 - np.eye(classes)) @ mean)
        for v in range(-(-n // classes), n // 2 + 1):
            rule = tie_rule(ties, min(n // v, classes))
            others = sum(weight * _share_of_others(f, v, n - v, early, late) for early, late, weight in rule)
            part[:, v] = others * f[:, v]
    return law / np.exp(xlogy(n, n) - n - gammaln(n + 1))


def _share_of_others(f, v, rest, early, late):
    """[t^rest] prod_(j != k) sum_(x <= v) f_j(x) t^x for each class k, (K, Q), from f (K, n + 1, Q).

    A class with exactly v copies brings the factor `early` if it stands before class k, `late` if after it.
    """
    # products from both ends: of the classes before k, and of those after it
    upto = f[:, : min(v, rest) + 1].copy()
    below = upto.copy()
    upto[:, v:] *= late
    below[:, v:] *= early
    prefix = [np.ones((1, f.shape[2]))]
    suffix = [np.ones((1, f.shape[2]))]
    for to_come in range(len(f) - 2, -1, -1):  # classes that are in neither product and hold at most v each
        low = max(rest - to_come * v, 0)
        prefix.append(cut_product(prefix[-1], below[len(prefix) - 1], rest + 1, low))
        suffix.append(cut_product(suffix[-1], upto[-len(suffix)], rest + 1, low))
    pairs = ((a, b, rest + 1 - len(b)) for a, b in zip(prefix, suffix[::-1], strict=True))
    return np.array([(a[first:] * b[::-1][: max(len(a) - first, 0)]).sum(axis=0) for a, b, first in pairs])


def _poisson(x, mean):
    """(K, X, Q) chances of x, (X,), for means (K, Q)."""
    return np.exp(xlogy(x[:, None], mean[:, None]) - mean[:, None] - gammaln(x + 1)[:, None])


@dataclass(frozen=True)
class ExactBias(Result):
    """Exact biases of Sem1 and Sem2 as estimates of the probability of the mode."""

    pi: np.ndarray = field(repr=False)  # (K,) or (Q, K) answer probabilities
    n: int  # answers in the selection block
    law: np.ndarray = field(repr=False)  # (..., K, n + 1) of `winner_law`

    @cached_property
    def target(self):
        """Oracle confidence c*, the largest probability, (...)."""
        return self.pi.max(axis=-1)

    @cached_property
    def selection(self):
        """(..., K) chance that class k is selected."""
        return self.law.sum(axis=-1)

    @cached_property
    def sem1(self):
        """E Sem1 - c*, never negative (equation 2)."""
        return (self.law * np.arange(self.n + 1)).sum(axis=(-2, -1)) / self.n - self.target

    @cached_property
    def sem2(self):
        """E Sem2 - c*, never positive (equation 5); the size of the held-out block plays no part."""
        return -(self.selection * (self.target[..., None] - self.pi)).sum(axis=-1)

    @cached_property
    def wrong(self):
        """Chance that the class selected is not the mode (the first class with the largest probability)."""
        mode = self.pi.argmax(axis=-1)[..., None]
        others = np.where(np.arange(self.pi.shape[-1]) == mode, 0, self.selection)
        return others.sum(axis=-1)

    def to_frame(self):
        """A row a question: target, sem1, sem2, wrong."""
        columns = ("target", "sem1", "sem2", "wrong")
        return pd.DataFrame({name: np.atleast_1d(getattr(self, name)) for name in columns})

    def __str__(self):
        many = "" if self.pi.ndim == 1 else f"mean of {len(self.pi):,} questions, "
        return (
            f"{many}n = {self.n}: Sem1 {np.mean(self.sem1):+z.4f}, Sem2 {np.mean(self.sem2):+z.4f}, "
            f"mode missed {100 * np.mean(self.wrong):.1f} %"
        )


def exact_bias(pi, n, *, ties="first"):
    """Exact biases of Sem1 and Sem2: the expectations in equations 2 and 5 of Wang et al. (2026).

    Plain: `helpers.papers.semece2026.equation_2`, `helpers.papers.semece2026.equation_5`.

    Parameters
    ----------
    pi, n : array of float, shape (K,) or (Q, K), and int
        Answer probabilities, a row a question, and the answers in the selection block.
    ties : {"average", "first"}, default "first"
        As in `winner_law`; Sem1 does not depend on it.

    Returns
    -------
    ExactBias
        Biases `sem1` and `sem2` in units of probability, `selection` (chance of each class), and `wrong` (to miss the
        mode).

    Examples
    --------
    >>> print(exact_bias([0.55, 0.45], 25))
    n = 25: Sem1 +0.0401, Sem2 -0.0306, mode missed 30.6 %
    """
    rows, single = probability_rows(pi)
    n = check_count(n, "n")
    law = law_of_winner(rows, n, ties)
    return ExactBias(rows[0], n, law[0]) if single else ExactBias(rows, n, law)


def largest_deviation(pi, n):
    """E max_k |share of class k - pi_k| for n answers, exactly; left side of equation 13, Wang et al. (2026).

    Plain: `helpers.papers.semece2026.equation_13`.
    """
    rows, single = probability_rows(pi)
    if not single:
        raise ValueError(f"pi must be one vector, but its shape is {rows.shape}.")
    n = check_count(n, "n")
    x = np.arange(n + 1)
    pi = rows[0]
    term = np.exp(xlogy(x, n * pi[:, None]) - n * pi[:, None] - gammaln(x + 1))
    away = np.abs(x / n - pi[:, None]).round(12)
    levels = np.unique(np.append(away, 0.0))
    inside = []
    for level in levels:
        poly = np.ones(1)
        for row in np.where(away <= level, term, 0):
            poly = np.convolve(poly, row)[: n + 1]
        inside.append(poly[n] if poly.size > n else 0.0)
    outside = 1 - np.array(inside) / np.exp(xlogy(n, n) - n - gammaln(n + 1))
    return float((outside[:-1] * np.diff(levels)).sum())


def binomial_law(pi, m):
    """Chance that w = 0 .. m of m held-out answers are of a class.

    Plain: `helpers.papers.semece2026.section_3_law`.

    Parameters
    ----------
    pi : float or array of float, shape (...)
        Probability of the class.
    m : int
        Held-out answers.

    Returns
    -------
    array of float, shape (..., m + 1)
        Sums to 1 along the last axis.

    Examples
    --------
    >>> binomial_law(0.5, 2)
    array([0.25, 0.5 , 0.25])
    """
    w = np.arange(check_count(m, "m", least=0, most=2**20) + 1)
    pi = check_probabilities(pi, "pi", ndim=np.ndim(pi))[..., None]
    ways = gammaln(m + 1) - gammaln(w + 1) - gammaln(m - w + 1)
    return np.exp(ways + xlogy(w, pi) + xlog1py(m - w, -pi))


def count_vectors(n, n_classes):
    """All ways to share n answers among the classes, (C(n + K - 1, K - 1), K) whole numbers."""
    n = check_count(n, "n")
    check_count(n_classes, "n_classes", least=2)
    table = np.arange(n + 1)[:, None]
    for _ in range(n_classes - 2):
        ways = n - table.sum(axis=1) + 1  # of the next class: 0 .. answers not yet shared
        start = np.repeat(np.cumsum(ways) - ways, ways)
        table = np.column_stack([np.repeat(table, ways, axis=0), np.arange(ways.sum()) - start])
    return np.column_stack([table, n - table.sum(axis=1)])


def count_probabilities(counts, pi):
    """Multinomial probability of each count vector, (rows,), with answer probabilities pi, (K,)."""
    pi = probability_rows([pi])[0][0]
    counts = np.asarray(counts)
    if counts.ndim != 2 or counts.shape[1] != pi.size:
        raise ValueError(f"counts must have {pi.size} columns, one a class, but its shape is {counts.shape}.")
    return np.exp(gammaln(counts.sum(axis=1) + 1) + (xlogy(counts, pi) - gammaln(counts + 1)).sum(axis=1))


def orders_of_appearance(counts):
    """[(counts with columns permuted, (rows,) chance that this is the order of first appearance)] of count vectors."""
    # Answers come in random order, so the next class to appear is class k with chance c_k / (answers of classes not yet
    # seen). Classes without answers come last, in any order.
    counts = np.asarray(counts)
    pairs = []
    for order in permutations(range(counts.shape[1])):
        table = counts[:, order]
        unseen = table[:, ::-1].cumsum(axis=1)[:, ::-1]
        absent = 1.0 / np.arange(counts.shape[1], 0, -1)
        step = np.where(unseen > 0, table / np.maximum(unseen, 1), absent)
        pairs.append((table, step.prod(axis=1)))
    return pairs


@dataclass(frozen=True)
class EstimatorMoments(Result):
    """Exact mean and variance of an estimator of c*, the probability of the mode, over all samples of n answers."""

    mean: float
    variance: float
    target: float  # c*
    n: int

    @property
    def bias(self):
        """Mean less c*."""
        return self.mean - self.target

    @property
    def mse(self):
        """Mean squared error, bias**2 + variance."""
        return self.bias**2 + self.variance

    def __str__(self):
        return f"n = {self.n}: bias {self.bias:+z.4f}, sd {self.variance**0.5:.4f}, root mse {self.mse**0.5:.4f}"


def estimator_moments(estimator, pi, n, *, order="index"):
    """Exact mean and variance of an estimator over all samples of n answers.

    Work grows like n**(K - 1), and with order="appearance" like K! times that.

    Parameters
    ----------
    estimator : function
        Of a (rows, K) table of counts; returns (rows,) numbers.
    pi, n : array of float, shape (K,), and int
        Answer probabilities and the number of answers.
    order : {"index", "appearance"}, default "index"
        "index", columns are the classes of `pi`; "appearance", columns in order of first appearance, each order
        weighted by its chance, as in sampled answers.

    Returns
    -------
    EstimatorMoments
        Numbers `mean`, `variance`, and for c* `bias` and `mse`.

    Examples
    --------
    >>> print(estimator_moments(lambda counts: counts.max(axis=1) / 25, [0.55, 0.45], 25))
    n = 25: bias +0.0401, sd 0.0655, root mse 0.0768
    """
    check_one_of(order, "order", ("index", "appearance"))
    pi = probability_rows([check_vector(pi, "pi")])[0][0]
    n = check_count(n, "n")
    counts = count_vectors(n, pi.size)
    chance = count_probabilities(counts, pi)
    pairs = [(counts, np.ones(len(counts)))] if order == "index" else orders_of_appearance(counts)
    weights = np.concatenate([chance * share for _, share in pairs])
    values = np.concatenate([check_vector(estimator(table), "estimator") for table, _ in pairs])
    mean = (weights * values).sum()
    variance = (weights * (values - mean) ** 2).sum()
    return EstimatorMoments(float(mean), float(variance), float(pi.max()), n)
