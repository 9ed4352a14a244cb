"""Several confidences in the same answers made one: a logistic regression that never saw the question it speaks of."""

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from helpers.calibration.calibrators import clipped_logit
from helpers.checks import check_count, check_groups, check_labels, check_probabilities, check_rng, check_same_length


def combine_confidences(correct, confidences, *, groups=None, n_folds=5, rng=None):
    """One confidence learned from several: logistic regression on their log-odds, each answer from the other folds.

    Columns are centred and scaled on the rows that are learned from; the penalty is scikit-learn's default. A
    confidence that is missing counts as the mean of the others, with a mark of its own. Folds hold right and wrong
    answers in equal shares as far as whole groups allow. ValueError for fewer groups, right answers or wrong answers
    than folds. Wolpert (1992), stacked generalization.

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
    ndarray, shape (n,)
        Chance that each answer is right: one more confidence for `helpers.selective.compare_systems`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> chance = rng.random(400)
    >>> timid = combine_confidences(rng.random(400) < chance, {"timid": 0.4 + 0.2 * chance}, rng=0)  # from .4 to .6
    >>> round(float(timid[chance < 0.05].mean()), 2), round(float(timid[chance > 0.95].mean()), 2)
    (0.07, 0.93)
    """
    correct = check_labels(correct, "correct", both=True)
    columns = _check_confidences(confidences)
    groups = np.arange(correct.size) if groups is None else check_groups(groups)
    check_same_length(correct=correct, groups=groups, **columns)
    check_count(n_folds, "n_folds", least=2)
    n_groups = np.unique(groups).size
    if n_groups < n_folds:
        raise ValueError(f"groups must be at least as many as n_folds, {n_folds}, but there are {n_groups}.")
    for value, word in enumerate(("wrong", "right")):
        n_answers = int((correct == value).sum())
        if n_answers < n_folds:
            raise ValueError(f"correct must hold at least n_folds {word} answers, {n_folds}, but it holds {n_answers}.")
    X = np.column_stack([clipped_logit(values) for values in columns.values()])
    model = make_pipeline(
        SimpleImputer(add_indicator=True, keep_empty_features=True), StandardScaler(), LogisticRegression()
    )
    folds = StratifiedGroupKFold(n_folds, shuffle=True, random_state=int(check_rng(rng).integers(2**32)))
    return cross_val_predict(model, X, correct, groups=groups, cv=folds, method="predict_proba")[:, 1]


def _check_confidences(confidences):
    """{name: (n,) float array in [0, 1] or NaN}; ValueError for anything else."""
    if not hasattr(confidences, "items") or not confidences:
        raise ValueError("confidences must be a dict of name: values, with at least one confidence.")
    names = {f"confidences[{name!r}]": values for name, values in confidences.items()}
    checked = {name: check_probabilities(values, name, missing=True) for name, values in names.items()}
    for name, values in checked.items():
        if np.isnan(values).all():
            raise ValueError(f"{name} must hold a number, but all {values.size:,} are missing.")
    return checked
