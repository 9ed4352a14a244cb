"""Notebook 11: biases of contests that stay equally hard, and a real reader of blurred digits."""

import numpy as np
import pandas as pd
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression

from helpers.answers import AnswerPopulation, exact_bias, leading_bias, leading_bias_multiclass
from helpers.checks import check_count
from helpers.datasets import load_digits


def contested_probabilities(behind, n):
    """Answer probabilities of a question that stays equally hard at every n."""
    behind = np.asarray(behind)
    unit = 1 / np.sqrt(behind.size * n)
    return 1 / behind.size + unit * (behind.mean() - behind)


def scaled_sem1_biases(rivals, sizes):
    """Bias of Sem1 times sqrt(n), exact and by both expansions, with `rivals` classes 0.8 behind the leader."""
    rows = []
    for n in sizes:
        pi = contested_probabilities([0] + [0.8] * rivals, n)
        biases = {"exact": exact_bias(pi, n), "equation 9": leading_bias(pi, n)}
        biases["all near classes"] = leading_bias_multiclass(pi, n)
        for kind, bias in biases.items():
            rows.append({"rivals": rivals, "n": n, "estimator": kind, "value": n**0.5 * bias.sem1})
    return pd.DataFrame(rows)


def blurred_digits(n_questions=300, *, rng=None):
    """{temperature: AnswerPopulation} of a real classifier that reads digits from four grey values, at 1 and 1/2."""
    rng = np.random.default_rng(rng)
    data = load_digits()
    if check_count(n_questions, "n_questions") > 897:
        raise ValueError(f"n_questions must be at most 897, but it is {n_questions:,}.")
    ink = data.X.to_numpy().reshape(-1, 2, 4, 2, 4).mean(axis=(2, 4)).reshape(-1, 4) / 16
    order = rng.permutation(len(ink))
    learn, ask = order[:900], order[900 : 900 + n_questions]
    reader = LogisticRegression(solver="newton-cholesky", C=10, tol=1e-10).fit(ink[learn], data.y[learn])
    logits = reader.decision_function(ink[ask])
    readers = {}
    for heat in (1.0, 0.5):
        proba = softmax(logits / heat, axis=1).round(4)
        readers[heat] = AnswerPopulation(proba / proba.sum(axis=1, keepdims=True), data.y[ask])
    return readers
