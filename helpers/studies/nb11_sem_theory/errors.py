"""Studies of calibration errors where the truth is known: torn questions, protocols, edge rules, real readers."""

import numpy as np
import pandas as pd
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression

from helpers.answers import (
    AnswerPopulation,
    estimator_moments,
    sem1,
    sem2,
    sem2_spread,
    split_bias_corrected,
    theory,
    winner_law,
)
from helpers.checks import check_count, check_vector
from helpers.datasets import fetch_scores, load_digits


def torn(m, n, right):
    """Two-class questions of standardised margin m for n answers; `right`: 0 mode, 1 runner-up, -1 neither.

    >>> print(torn(0, 25, [0, 1, -1]))
    3 questions, 2 classes: oracle confidence 0.500, accuracy of the mode 0.333
    """
    right = check_vector(right, "right")
    base = AnswerPopulation.with_margins(np.full(right.size, m / check_count(n, "n") ** 0.5))
    return AnswerPopulation(base.pi, right[:, None] == [0, 1])


def ece_gap(population, n, n_bins=1, *, n_held_out=None):
    """sqrt(n) times (Sem1-ECE - Sem2-ECE), exactly, and its leading term by theorem 5.6, (2,)."""
    exact = population.calibration(n, n_held_out=n_held_out, n_bins=n_bins, ties="lot")
    return n**0.5 * np.array([exact.sem1 - exact.sem2, theory.direct_gap_leading(population.pi, n)])


def oracle_distances(population, n):
    """sqrt(n) times the difference of the distances to the oracle, one bin: by equation 12, exactly for mean
    confidences, exactly for ECEs; and how much accuracy the selected answer loses on the mode. A dict.
    """
    c, scale = population.calibration(n, n_bins=1), n**0.5
    means = abs(c.confidence1 - c.oracle_confidence) - abs(c.confidence2 - c.oracle_confidence)
    eces = abs(c.sem1 - c.oracle) - abs(c.sem2 - c.oracle)
    row = {"(12)": scale * theory.oracle_gap_leading(population.pi, n), "means": scale * means, "ECEs": scale * eces}
    return row | {"accuracy lost": c.oracle_accuracy - c.accuracy}


def two_protocols(m, n=25):
    """Sem1-ECE less Sem2-ECE on over-confident two-class questions in one bin: as in theorem 5.6 (n answers each), and
    as in the experiments (Sem1 of all 2 n answers, Sem2 of n and n; both graded by the mode of all). A dict.
    """
    questions = torn(m, n, [-1])
    small, large = questions.calibration(n, n_bins=1), questions.calibration(2 * n, n_bins=1)
    ways = {f"theorem: n = {n}": small.confidence1, f"experiment: {2 * n}, {n} + {n}": large.confidence1}
    return {name: first - small.confidence2 for name, first in ways.items()}


def edge_rules(population, n, n_bins=10):
    """Share of Sem1 confidences on an inner edge of a bin, and Sem1-ECE with bins closed on the left and on the right.

    >>> [round(value, 3) for value in edge_rules(AnswerPopulation([[0.6, 0.4]], [0]), 5).values()]
    [0.912, 0.02, 0.02]
    """
    law, v = winner_law(population.pi, n), np.arange(n + 1)
    gaps = ((population.correct[:, :, None] - v / n) * law).sum(axis=(0, 1)) / len(law)
    inner = (v * n_bins % n == 0) & (v > 0) & (v < n)
    left, right = np.minimum(n_bins * v // n, n_bins - 1), np.maximum(-(-n_bins * v // n) - 1, 0)
    eces = [float(np.abs(np.bincount(bins, gaps, n_bins)).sum()) for bins in (left, right)]
    on_edge = float(law[:, :, inner].sum() / len(law))
    return {"share on an edge": on_edge, "edge in the bin above": eces[0], "edge in the bin below": eces[1]}


def compare_estimators(margins, n_answers=50):
    """Sem1, exact Sem2, Sem2 of ten random splits, and the mixture, on two-class questions, all exactly.

    Parameters
    ----------
    margins : (k,) differences of the two probabilities; n_answers : answers to each question

    Returns
    -------
    {"bias", "rmse"}: tables with a row a margin and a column an estimator; {"splits"}: standard deviation that ten
    random splits add to the mean over all splits, and its share of the variance
    """
    estimators = {"Sem1": sem1, "exact Sem2": sem2, "mixture": split_bias_corrected}
    rows = {"bias": [], "rmse": [], "splits": []}
    for margin in check_vector(margins, "margins"):
        pi = [(1 + margin) / 2, (1 - margin) / 2]
        moments = {name: estimator_moments(f, pi, n_answers) for name, f in estimators.items()}
        noise = estimator_moments(lambda counts: sem2_spread(counts) ** 2, pi, n_answers).mean / 10
        exact = moments["exact Sem2"]
        rows["bias"].append({name: one.bias for name, one in moments.items()})
        rmse = {name: one.mse**0.5 for name, one in moments.items()}
        rows["rmse"].append(rmse | {"Sem2, ten splits": (exact.mse + noise) ** 0.5})
        rows["splits"].append({"sd": noise**0.5, "share of the variance": noise / (noise + exact.variance)})
    return {name: pd.DataFrame(part, index=pd.Index(margins, name="margin")) for name, part in rows.items()}


def blurred_digits(n_questions=300, heats=(1.0, 0.5), *, rng=None):
    """A real classifier that reads digits from four grey values and answers with its softmax at some temperatures.

    A logistic regression learns from 900 images, each reduced to the mean ink of its quarters, and is asked about
    `n_questions` others (at most 897). Probabilities are rounded to four digits, the same on every machine.

    Returns
    -------
    {temperature: AnswerPopulation}

    >>> print(blurred_digits(200, rng=0)[0.5])
    200 questions, 10 classes: oracle confidence 0.597, accuracy of the mode 0.555
    """
    rng, data = np.random.default_rng(rng), load_digits()
    if check_count(n_questions, "n_questions") > 897:
        raise ValueError(f"n_questions must be at most 897, but it is {n_questions:,}.")
    ink = data.X.to_numpy().reshape(-1, 2, 4, 2, 4).mean(axis=(2, 4)).reshape(-1, 4) / 16
    order = rng.permutation(len(ink))
    learn, ask = order[:900], order[900 : 900 + n_questions]
    reader = LogisticRegression(solver="newton-cholesky", C=10, tol=1e-10).fit(ink[learn], data.y[learn])
    logits = reader.decision_function(ink[ask])
    readers = {}
    for heat in heats:
        proba = softmax(logits / heat, axis=1).round(4)
        readers[heat] = AnswerPopulation.from_classifier(proba / proba.sum(axis=1, keepdims=True), data.y[ask])
    return readers


def network_questions(n_questions, *, name="cifar100_vgg19_bn", rng=None):
    """A real network's test images as questions, its softmax as answer probabilities; downloaded once."""
    scores = fetch_scores(name)
    some = np.random.default_rng(rng).choice(len(scores.y), check_count(n_questions, "n_questions"), replace=False)
    return AnswerPopulation.from_classifier(softmax(scores.scores[some].astype(float), axis=1), scores.y[some])


def even_questions(n_questions, dials, *, copies=60, rng=None):
    """{dial: the same random questions on three classes, each `copies` times, with accuracies as the dial says}."""
    seed = np.random.default_rng(rng).integers(2**32)
    make = AnswerPopulation.dirichlet
    return {d: make(n_questions, 3, 1.0, overconfidence=d, copies=copies, rng=seed) for d in dials}


def ece_bounds(population, n, n_bins=10):
    """Exact Sem1-ECE, Sem2-ECE, oracle's, and the smallest bound of theorem 5.2 over 40 distances, a dict."""
    exact = population.calibration(n, n_bins=n_bins)
    inner = np.arange(1, n_bins) / n_bins
    away = np.abs(population.oracle_confidence[:, None] - inner).min(axis=1)
    near = [(eta, np.mean(away <= eta)) for eta in np.geomspace(0.001, 1, 40)]
    line = {"Sem1-ECE": exact.sem1, "Sem2-ECE": exact.sem2, "oracle": exact.oracle}
    for name, error in (("bound 1", exact.confidence_error1), ("bound 2", exact.confidence_error2)):
        line[name] = min(theory.ece_bound(error, exact.selection_error, eta=e, near_edge=s) for e, s in near)
    return line
