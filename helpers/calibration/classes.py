"""Scores of several classes: which column is which class, and Platt's line for all of them."""

import numpy as np
import pandas as pd
from scipy.special import softmax
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from helpers.calibration.calibrators import CLIP
from helpers.checks import check_same_length, check_simplex, check_weights

LONGEST_STEP = 3.0  # of Newton's method, in log-odds


def check_class_scores(y, P, y_name="y", name="p"):
    """Codes of the labels, scores (n, K) and the classes, from a table whose columns are named by class.

    An array has the classes of `numpy.unique(y)` for columns, as `predict_proba` of scikit-learn has.

    >>> check_class_scores(["b", "a"], pd.DataFrame({"a": [0.2, 0.6], "b": [0.8, 0.4]}))[0]
    array([1, 0])
    """
    y = pd.Series(np.asarray(y).ravel())
    if y.isna().any():
        row = int(np.argmax(y.isna()))
        raise ValueError(f"{y_name} must name a class in every row, but {y_name}[{row}] is missing.")
    table = P if isinstance(P, pd.DataFrame) else None
    scores = check_simplex(P if table is None else table.to_numpy(), name)
    seen = pd.unique(y)
    if table is None:
        classes = np.sort(seen)
        if classes.size != scores.shape[1]:
            raise ValueError(
                f"{name} must have a column for each class of {y_name}, but it has {scores.shape[1]} for "
                f"{classes.size} classes that occur; pass a DataFrame whose columns are named by class."
            )
    else:
        classes = np.asarray(table.columns, object)
        if not set(seen) <= set(classes):  # numbers that a file has read as words, or the other way round
            y, classes = y.astype(str), classes.astype(str)
        if len(set(classes)) < classes.size:
            twice = pd.Series(classes)[pd.Series(classes).duplicated()].iloc[0]
            raise ValueError(f"{name} must have one column for each class, but {twice!r} has two.")
    check_same_length(**{y_name: y, name: scores})
    code = pd.Index(classes).get_indexer(y)
    if (code < 0).any():
        row = int(np.argmax(code < 0))
        raise ValueError(
            f"{name} must have a column for each class of {y_name}, but {y_name}[{row}] is {y.iloc[row]!r} and the "
            f"columns are {', '.join(map(repr, list(classes)[:10]))}{', …' if classes.size > 10 else ''}."
        )
    absent = np.flatnonzero(np.bincount(code, minlength=classes.size) == 0)
    if absent.size:
        raise ValueError(
            f"{y_name} must hold every class of {name}, but {classes[absent[0]]!r} never occurs in {code.size:,} rows"
            f"{f' (nor do {absent.size - 1} others)' if absent.size > 1 else ''}; "
            "leave its column out and divide the others by their sum."
        )
    return code, scores, classes


class ClassCalibrator(BaseEstimator):
    """Platt scaling of K classes: c = softmax(intercept_k + slope * log p_k), by maximum likelihood.

    Of two classes it is `PlattCalibrator`; without intercepts it would be temperature scaling, with slope = 1 /
    temperature.

    Attributes
    ----------
    slope_ : float
        1 (with equal intercepts) leaves the scores alone, below 1 says that they were too extreme.
    intercept_ : ndarray, shape (K,)
        Of each class; their mean is 0.
    classes_ : ndarray, shape (K,)
        Classes in the order of the columns.

    References
    ----------
    Platt (1999) for two classes; Guo, Pleiss, Sun and Weinberger (2017) for temperature and vector scaling.

    Examples
    --------
    >>> P = np.repeat([[0.6, 0.3, 0.1]], 100, axis=0)
    >>> P[50:] = [0.1, 0.3, 0.6]
    >>> y = np.r_[np.repeat([0, 1, 2], [30, 15, 5]), np.repeat([0, 1, 2], [5, 15, 30])]
    >>> ClassCalibrator().fit(P, y).predict_proba([[0.6, 0.3, 0.1]]).round(6)
    array([[0.6, 0.3, 0.1]])
    """

    def fit(self, P, y, sample_weight=None):
        """Learn the line.

        Parameters
        ----------
        P : DataFrame or array_like, shape (n, K)
            Stated probabilities; columns of a table are named by class, those of an array are in the order of
            `numpy.unique(y)`.
        y : array_like, shape (n,)
            Classes, each of which occurs.
        sample_weight : array_like, shape (n,), optional
            Sampling weights.

        Returns
        -------
        ClassCalibrator
            Itself.

        Raises
        ------
        ValueError
            For rows that do not sum to one, and classes without a column or a row.
        """
        code, P, self.classes_ = check_class_scores(y, P)
        weight = check_weights(sample_weight)
        check_same_length(y=code, sample_weight=weight)
        return self.learn(P, code, np.ones(code.size) if weight is None else weight)

    def predict_proba(self, P):
        """Calibrated probabilities.

        Parameters
        ----------
        P : DataFrame or array_like, shape (m, K)
            Stated probabilities, columns as in `fit`.

        Returns
        -------
        ndarray, shape (m, K)
            Rows sum to 1.
        """
        check_is_fitted(self, "slope_")
        P = check_simplex(P.to_numpy() if isinstance(P, pd.DataFrame) else P, "P")
        if P.shape[1] != self.intercept_.size:
            raise ValueError(f"P must have {self.intercept_.size} columns, one for each class, but has {P.shape[1]}.")
        return self.map(P)

    def learn(self, P, code, weight):
        """`fit` of checked scores and codes."""
        # Newton's method; one intercept is free, so the information is singular and its pseudo-inverse is taken
        z = clipped_log(P)
        weight = weight / weight.sum()
        labels = np.eye(z.shape[1])[code]
        line = np.append(np.zeros(z.shape[1]), 1.0)
        move = np.zeros(line.size)
        best = np.inf
        for _ in range(60):
            c = softmax(line[-1] * z + line[:-1], axis=1)
            loss = -float(weight @ np.log(np.maximum(c[np.arange(code.size), code], 1e-300)))
            if loss > best + 1e-12:  # too far
                move /= 2
                line = line - move
                continue
            residual = weight[:, None] * (labels - c)
            slope = np.append(residual.sum(axis=0), (residual * z).sum())
            move = _inverse(information_of_line(z, c, weight)) @ slope
            if best - loss < 1e-15 or np.abs(move).max() < 1e-10:
                break
            best = loss
            move *= min(1.0, LONGEST_STEP / np.abs(move).max())
            line = line + move
        self.slope_ = float(line[-1])
        self.intercept_ = line[:-1] - line[:-1].mean()
        return self

    def map(self, P):
        """`predict_proba` of checked scores."""
        return softmax(self.slope_ * clipped_log(P) + self.intercept_, axis=1)


def clipped_log(P):
    """Logarithms of scores after clipping to [1e-6, 1]."""
    return np.log(np.clip(P, CLIP, 1))


def information_of_line(z, c, weight):
    """Z' W V Z of the K intercepts and the slope, with the covariances V = diag(c) - c c' of the labels."""
    weighted = weight[:, None] * c
    pulled = c * z - c * (c * z).sum(axis=1, keepdims=True)  # V z
    own = np.diag(weighted.sum(axis=0)) - weighted.T @ c
    cross = weight @ pulled
    return np.block([[own, cross[:, None]], [cross[None, :], np.array([[weight @ (pulled * z).sum(axis=1)]])]])


def _inverse(information):
    return np.linalg.pinv(information, rcond=1e-10, hermitian=True)
