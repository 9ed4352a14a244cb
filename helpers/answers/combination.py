"""Several confidences in the same answers made one: a logistic regression that never saw the question it speaks of."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from helpers.calibration.calibrators import clipped_logit
from helpers.checks import (
    check_count,
    check_groups,
    check_labels,
    check_numbers,
    check_rng,
    check_same_length,
    raise_first,
)


@dataclass(frozen=True)
class CombinedConfidence:
    """A learned combination of confidences, out of fold.

    Parameters
    ----------
    confidence : ndarray, shape (n,)
        Chance that each answer is right, learned from the other folds.
    weights : DataFrame
        A row a fold: slope of each confidence, in log-odds a standard deviation of its own log-odds; columns that end
        in " missing" belong to rows without that confidence.
    fold : ndarray of int, shape (n,)
        The fold of each answer.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> chance = rng.random(400)
    >>> combined = combine_confidences(rng.random(400) < chance, {"good": chance, "useless": rng.random(400)}, rng=0)
    >>> print(combined)
    combination of 2 confidences, out of 5 folds, n = 400; mean weights: good 1.9, useless 0.2
    """

    confidence: np.ndarray = field(repr=False)
    weights: pd.DataFrame = field(repr=False)
    fold: np.ndarray = field(repr=False)

    def __str__(self):
        weights = ", ".join(f"{name} {weight:.1f}" for name, weight in self.weights.mean().items())
        n_confidences = sum(not name.endswith(MISSING) for name in self.weights)
        return (
            f"combination of {n_confidences} confidences, out of {len(self.weights)} folds, "
            f"n = {self.confidence.size:,}; mean weights: {weights}"
        )


MISSING = " missing"  # ends the name of a column that marks rows without a confidence


def combine_confidences(correct, confidences, *, groups=None, n_folds=5, rng=None):
    """One confidence learned from several: logistic regression on their log-odds, each answer from the other folds.

    Columns are centred and scaled on the rows that are learned from; the penalty is scikit-learn's default. A
    confidence that is missing counts as the mean of the others, with a mark of its own. Folds hold right and wrong
    answers in equal shares as far as whole groups allow.

    Parameters
    ----------
    correct : array_like of 0/1, shape (n,)
        Whether each answer is right.
    confidences : dict of str to array_like, shape (n,)
        Name and values in [0, 1], NaN where missing; log-odds are taken of values clipped to [1e-6, 1 - 1e-6].
    groups : array_like, shape (n,), optional
        Labels of questions: answers to one question stay in one fold, or the combination would learn the question.
    n_folds : int, default 5
        Folds, at least 2.
    rng : int, Generator or None, default None
        Decides which answers share a fold.

    Returns
    -------
    CombinedConfidence
        One more confidence, for `helpers.selective.compare_systems` beside its parts.

    Raises
    ------
    ValueError
        For values outside [0, 1], lengths that differ, a confidence without any value, fewer groups, right answers or
        wrong answers than folds, or a fold whose other answers are all right or all wrong.

    References
    ----------
    Wolpert (1992), stacked generalization.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> chance = rng.random(400)
    >>> correct = rng.random(400) < chance
    >>> timid = combine_confidences(correct, {"timid": 0.4 + 0.2 * chance}, rng=0).confidence  # spreads from .4 to .6
    >>> round(float(timid[chance < 0.05].mean()), 2), round(float(timid[chance > 0.95].mean()), 2)
    (0.07, 0.93)
    """
    correct = check_labels(correct, "correct", both=True)
    columns = _check_confidences(confidences)
    groups = np.arange(correct.size) if groups is None else check_groups(groups)
    names = {f"confidences[{name!r}]": values for name, values in columns.items()}
    check_same_length(correct=correct, groups=groups, **names)
    check_count(n_folds, "n_folds", least=2)
    n_groups = np.unique(groups).size
    if n_groups < n_folds:
        raise ValueError(f"groups must be at least as many as n_folds, {n_folds}, but there are {n_groups}.")
    for value, word in enumerate(("wrong", "right")):
        n_answers = int((correct == value).sum())
        if n_answers < n_folds:
            raise ValueError(f"correct must hold at least n_folds {word} answers, {n_folds}, but it holds {n_answers}.")
    features = _features(columns)
    seed = int(check_rng(rng).integers(2**32))
    combined = np.empty(correct.size)
    fold = np.empty(correct.size, dtype=int)
    weights = []
    splits = StratifiedGroupKFold(n_folds, shuffle=True, random_state=seed)
    for k, (learn, rest) in enumerate(_splits_of(splits, correct, groups)):
        model = make_pipeline(StandardScaler(), LogisticRegression())
        model.fit(_filled(features, learn)[learn], correct[learn])
        combined[rest] = model.predict_proba(_filled(features, learn)[rest])[:, 1]
        weights.append(model[-1].coef_[0])
        fold[rest] = k
    return CombinedConfidence(combined, pd.DataFrame(weights, columns=list(features)), fold)


def _check_confidences(confidences):
    """{name: (n,) float array in [0, 1] or NaN}; ValueError for anything else."""
    if not hasattr(confidences, "items") or not confidences:
        raise ValueError("confidences must be a dict of name: values, with at least one confidence.")
    checked = {}
    for name, values in confidences.items():
        label = f"confidences[{name!r}]"
        values = check_numbers(values, label)
        if values.ndim != 1:
            raise ValueError(f"{label} must be one column, but its shape is {values.shape}.")
        missing = np.isnan(values)
        bad = ~(missing | ((values >= 0) & (values <= 1)))
        if bad.any():
            raise_first(label, "lie in [0, 1], or be NaN where missing", values, bad)
        if missing.all():
            raise ValueError(f"{label} must hold a number, but all {values.size:,} are missing.")
        checked[str(name)] = values
    return checked


def _features(columns):
    """DataFrame of log-odds, NaN where missing, and a column of 0 and 1 for each confidence that lacks some."""
    features = {name: clipped_logit(values) for name, values in columns.items()}
    features |= {
        name + MISSING: np.isnan(values).astype(float) for name, values in columns.items() if np.isnan(values).any()
    }
    return pd.DataFrame(features)


def _filled(features, learn):
    """Table with what is missing replaced by the mean of the rows that are learned from, 0 if they have none."""
    return features.fillna(features.iloc[learn].mean()).fillna(0.0).to_numpy()


def _splits_of(splits, correct, groups):
    """(rows to learn from, rows to predict) of each fold; ValueError where there is only one class to learn from."""
    for learn, rest in splits.split(correct, correct, groups):
        if np.unique(correct[learn]).size < 2:
            raise ValueError(
                "correct must hold right and wrong answers outside each fold, but outside one all are "
                f"{'right' if correct[learn][0] else 'wrong'}: take fewer folds, or more questions."
            )
        yield learn, rest
