"""Studies of sampled answers: real readers of digits, answers cut into halves, fewer answers, judges that err."""

import numpy as np
from scipy.special import ndtr
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from helpers.answers import AnswerPopulation
from helpers.answers.confidence import check_counts
from helpers.answers.splits import random_blocks
from helpers.binning import assign_bins, uniform_edges
from helpers.calibration import reliability
from helpers.checks import check_count
from helpers.datasets import load_digits

READERS = ("pixels", "densities", "neighbours", "forest", "tree")

CARDS = ("clean", "smudged", "slipped")

_HEAT = {"pixels": 2.0, "densities": 6.0, "forest": 0.7}  # temperature at which a reader answers

_TRAINING = 797


def card_readers(n_questions=1000, *, rng=None):
    """{(cards, reader): AnswerPopulation}: five real classifiers read digits on clean, smudged and slipped cards."""
    rng = np.random.default_rng(rng)
    if check_count(n_questions, "n_questions") > 1000:
        raise ValueError(f"n_questions must be at most 1,000, but it is {n_questions:,}.")
    data = load_digits()
    images = data.X.to_numpy().reshape(-1, 8, 8)
    order = rng.permutation(len(data.y))
    learnt = order[:_TRAINING]
    asked = order[_TRAINING:][:n_questions]
    smudged = images[asked].copy()
    for image, row, column in zip(smudged, *rng.integers(0, 6, (2, n_questions)), strict=True):
        image[row : row + 3, column : column + 3] = rng.integers(0, 17, (3, 3))
    piles = {"clean": images[asked], "smudged": smudged, "slipped": np.roll(images[asked], 1, axis=2)}
    readers = {
        "pixels": BernoulliNB(binarize=8),
        "densities": GaussianNB(var_smoothing=0.01),
        "neighbours": KNeighborsClassifier(15, algorithm="kd_tree"),  # ties do not depend on the number of threads
        "forest": RandomForestClassifier(60, random_state=0),
        "tree": DecisionTreeClassifier(min_samples_leaf=8, random_state=0),
    }
    for reader in readers.values():
        reader.fit(images[learnt].reshape(-1, 64), data.y[learnt])
    return {
        (cards, name): AnswerPopulation(_heated(reader.predict_proba(pile.reshape(-1, 64)), name), data.y[asked])
        for cards, pile in piles.items()
        for name, reader in readers.items()
    }


def _heated(proba, name):
    """Probabilities at the reader's temperature, rounded so that every machine draws the same answers."""
    logs = np.log(np.maximum(proba, 1e-12)) / _HEAT.get(name, 1.0)
    heated = np.exp(logs - logs.max(axis=1, keepdims=True))
    heated = np.round(heated / heated.sum(axis=1, keepdims=True), 6)
    return heated / heated.sum(axis=1, keepdims=True)


def mode_correct(counts, correct):
    """Whether the most frequent answer to each question is right; of tied answers the one in the earlier column."""
    return np.take_along_axis(np.asarray(correct), np.argmax(counts, axis=1)[:, None], axis=1)[:, 0]


def half_split_gap(margin, mass, n_answers):
    """Sem1 - Sem2 of N answers cut into halves, to leading order, in units of probability."""
    margin = np.asarray(margin, dtype=float)
    unit = np.sqrt(np.asarray(mass, dtype=float) / n_answers)
    m = margin / unit
    return unit * (np.exp(-(m**2) / 2) / np.sqrt(2 * np.pi) + m * ndtr(-m))


def thin(counts, n, *, rng=None):
    """n of the answers to each question, drawn without replacement; columns in their order."""
    table = check_counts(counts, least=check_count(n, "n"))
    return random_blocks(table, np.full(len(table), n), rng=rng)[0]


def misjudge(counts, correct, *, merge=0.0, split=0.0, rng=None):
    """What a judge that errs makes of answer classes: some split in two, some thrown together."""
    rng = np.random.default_rng(rng)
    table = np.array(counts)
    cut = (rng.random(table.shape) < split) & (table >= 2)
    part = np.where(cut, rng.binomial(table, 0.5), 0)
    table = np.hstack([table - part, part])
    right = np.hstack([correct, correct])
    largest = table.copy()
    for j in range(1, table.shape[1]):
        joins = (table[:, j] > 0) & (rng.random(len(table)) < merge)
        earlier = np.where(table[:, :j] > 0, rng.random((len(table), j)), -1.0)
        target = earlier.argmax(axis=1)
        rows = np.flatnonzero(joins & (earlier.max(axis=1) >= 0))
        bigger = rows[largest[rows, j] > largest[rows, target[rows]]]
        right[bigger, target[bigger]] = right[bigger, j]
        largest[bigger, target[bigger]] = largest[bigger, j]
        table[rows, target[rows]] += table[rows, j]
        table[rows, j] = 0
    return table, right


def binned_error(correct, confidence, *, n_bins=10, closed="left"):
    """Binned calibration error sum_s |sum over bin s of (correct - confidence)| / n, without interval or null value."""
    place = np.round(np.asarray(confidence), 12)
    gaps = np.subtract(correct, confidence)
    bins = assign_bins(place if closed == "left" else np.nextafter(place, 0.0), uniform_edges(n_bins))
    return reliability.binned_error(np.asarray(gaps), bins)
