"""Studies of calibration errors where the truth is known: torn questions, protocols, edge rules, real readers."""

import numpy as np
import pandas as pd
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression

from helpers.answers import (
    AnswerPopulation,
    direct_gap_leading,
    estimator_moments,
    sem1,
    sem2,
    sem2_spread,
    split_bias_corrected,
)
from helpers.checks import check_count
from helpers.datasets import load_digits


def contested_questions(m, n, right):
    """Two-class questions of standardised margin m for n answers; right: 0 the mode, 1 the runner-up, -1 neither."""
    right = np.asarray(right)
    base = AnswerPopulation.with_margins(np.full(right.size, m / n**0.5))
    return AnswerPopulation(base.pi, right[:, None] == [0, 1])


def scaled_ece_gap(population, n, n_bins=1, *, n_held_out=None):
    """Sem1-ECE less Sem2-ECE times sqrt(n), exactly, and its leading term by theorem 5.6 (equation 11)."""
    exact = population.calibration(n, n_held_out=n_held_out, n_bins=n_bins, ties="lot")
    return n**0.5 * (exact.sem1 - exact.sem2), n**0.5 * direct_gap_leading(population.pi, n)


def compare_estimators(margins, n_answers=50):
    """Sem1, exact Sem2, Sem2 of ten random splits, and the mixture, on two-class questions, all exactly."""
    estimators = {"Sem1": sem1, "exact Sem2": sem2, "mixture": split_bias_corrected}
    rows = {"bias": [], "rmse": [], "splits": []}
    for margin in margins:
        pi = [(1 + margin) / 2, (1 - margin) / 2]
        moments = {name: estimator_moments(estimator, pi, n_answers) for name, estimator in estimators.items()}
        noise = estimator_moments(lambda counts: sem2_spread(counts) ** 2, pi, n_answers).mean / 10
        exact = moments["exact Sem2"]
        rmse = {name: moment.mse**0.5 for name, moment in moments.items()}
        rows["bias"].append({name: moment.bias for name, moment in moments.items()})
        rows["rmse"].append(rmse | {"Sem2, ten splits": (exact.mse + noise) ** 0.5})
        rows["splits"].append({"sd": noise**0.5, "share of the variance": noise / (noise + exact.variance)})
    return {name: pd.DataFrame(part, index=pd.Index(margins, name="margin")) for name, part in rows.items()}


def blurred_digits(n_questions=300, *, rng=None):
    """{temperature: AnswerPopulation} of a real classifier that reads digits from four grey values, at 1 and 1/2."""
    rng = np.random.default_rng(rng)
    data = load_digits()
    if check_count(n_questions, "n_questions") > 897:
        raise ValueError(f"n_questions must be at most 897, but it is {n_questions:,}.")
    ink = data.X.to_numpy().reshape(-1, 2, 4, 2, 4).mean(axis=(2, 4)).reshape(-1, 4) / 16
    order = rng.permutation(len(ink))
    learn = order[:900]
    ask = order[900 : 900 + n_questions]
    reader = LogisticRegression(solver="newton-cholesky", C=10, tol=1e-10).fit(ink[learn], data.y[learn])
    logits = reader.decision_function(ink[ask])
    readers = {}
    for heat in (1.0, 0.5):
        proba = softmax(logits / heat, axis=1).round(4)
        readers[heat] = AnswerPopulation(proba / proba.sum(axis=1, keepdims=True), data.y[ask])
    return readers
