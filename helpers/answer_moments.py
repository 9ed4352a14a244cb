"""Exact mean and variance of any estimator that reads the counts of a question's answers."""

from dataclasses import dataclass
from itertools import permutations

import numpy as np
from scipy.special import gammaln, xlogy

from helpers.answer_biases import probability_rows
from helpers.checks import check_count, check_one_of, check_vector


def count_vectors(n, n_classes):
    """All ways to share n answers among the classes, (C(n + K - 1, K - 1), K) whole numbers.

    >>> count_vectors(2, 2)
    array([[0, 2],
           [1, 1],
           [2, 0]])
    """
    n, n_classes = check_count(n, "n"), check_count(n_classes, "n_classes", least=2)
    table = np.arange(n + 1)[:, None]
    for _ in range(n_classes - 2):
        left = n - table.sum(axis=1)
        start = np.repeat(np.cumsum(left + 1) - (left + 1), left + 1)
        table = np.column_stack([np.repeat(table, left + 1, axis=0), np.arange((left + 1).sum()) - start])
    return np.column_stack([table, n - table.sum(axis=1)])


def count_probabilities(counts, pi):
    """Multinomial probability of each count vector, (rows,), with answer probabilities pi, (K,).

    >>> count_probabilities(count_vectors(2, 2), [0.5, 0.5])
    array([0.25, 0.5 , 0.25])
    """
    pi = probability_rows([pi])[0][0]
    counts = np.asarray(counts)
    if counts.ndim != 2 or counts.shape[1] != pi.size:
        raise ValueError(f"counts must have {pi.size} columns, one a class, but its shape is {counts.shape}.")
    return np.exp(gammaln(counts.sum(axis=1) + 1) + (xlogy(counts, pi) - gammaln(counts + 1)).sum(axis=1))


def orders_of_appearance(counts):
    """Every column order of every count vector with its chance to be the order of first appearance.

    Answers come in random order, so the next class to appear is class k with chance c_k / (answers of classes not yet
    seen). Classes without answers come last, in any order.

    Returns
    -------
    list of (counts with columns permuted, (rows,) chances), one pair a permutation; chances of a row sum to 1

    >>> [(c.tolist(), chance.round(3).tolist()) for c, chance in orders_of_appearance([[3, 1]])]
    [([[3, 1]], [0.75]), ([[1, 3]], [0.25])]
    """
    counts = np.asarray(counts)
    result = []
    for order in permutations(range(counts.shape[1])):
        table = counts[:, order]
        left = table[:, ::-1].cumsum(axis=1)[:, ::-1]
        absent = 1.0 / np.arange(counts.shape[1], 0, -1)
        step = np.where(left > 0, table / np.maximum(left, 1), absent)
        result.append((table, step.prod(axis=1)))
    return result


@dataclass(frozen=True)
class EstimatorMoments:
    """Exact mean and variance of an estimator of c*, the probability of the mode.

    Attributes
    ----------
    mean, variance : over all samples of n answers
    target : c*
    n : answers
    """

    mean: float
    variance: float
    target: float
    n: int

    @property
    def bias(self):
        """mean - c*."""
        return self.mean - self.target

    @property
    def mse(self):
        """Mean squared error, bias**2 + variance."""
        return self.bias**2 + self.variance

    def __str__(self):
        return f"n = {self.n}: bias {self.bias:+z.4f}, sd {self.variance**0.5:.4f}, root mse {self.mse**0.5:.4f}"


def estimator_moments(estimator, pi, n, *, order="index"):
    """Exact mean and variance of an estimator over all samples of n answers, `EstimatorMoments`.

    Parameters
    ----------
    estimator : function of a (rows, K) table of counts that returns (rows,) numbers
    pi : (K,) answer probabilities; work grows like n**(K - 1), and with order="appearance" like K! times that
    n : number of answers
    order : "index", columns are the classes of `pi`; "appearance", columns in order of first appearance, each order
        weighted by its chance, as in sampled answers

    Raises
    ------
    ValueError unless pi is one vector of probabilities that sum to 1, and n and `order` are valid.

    >>> print(estimator_moments(lambda counts: counts.max(axis=1) / 25, [0.55, 0.45], 25))
    n = 25: bias +0.0401, sd 0.0655, root mse 0.0768
    """
    check_one_of(order, "order", ("index", "appearance"))
    pi = probability_rows([check_vector(pi, "pi")])[0][0]
    counts = count_vectors(n, pi.size)
    chance = count_probabilities(counts, pi)
    pairs = [(counts, np.ones(len(counts)))] if order == "index" else orders_of_appearance(counts)
    weights = np.concatenate([chance * share for _, share in pairs])
    values = np.concatenate([check_vector(estimator(table), "estimator") for table, _ in pairs])
    mean = (weights * values).sum()
    return EstimatorMoments(float(mean), float((weights * (values - mean) ** 2).sum()), float(pi.max()), int(n))
