"""K-class scores reduced to one probability a row."""

import numpy as np

from helpers.checks import check_classes, check_same_length, check_simplex


def top_label(proba, y):
    """The binary problem behind top-label calibration: was the predicted class right, and how sure was the score?

    Parameters
    ----------
    proba : (n, K) stated probabilities, rows sum to 1; of tied classes the lowest is predicted
    y : (n,) classes 0 .. K-1

    Returns
    -------
    correct (n,) of 0.0 and 1.0, confidence (n,) = the highest stated probability

    Raises
    ------
    ValueError for rows off the simplex, classes that are no column of `proba`, or lengths that differ.

    Source: Perez-Lebel et al. (2023), definition 3.3 and appendix C.9.

    >>> top_label([[0.2, 0.8], [0.5, 0.5]], [1, 1])
    (array([1., 0.]), array([0.8, 0.5]))
    """
    proba = check_simplex(proba)
    y = check_classes(y, proba.shape[1])
    check_same_length(proba=proba, y=y)
    predicted = proba.argmax(axis=1)
    return (predicted == y).astype(float), proba[np.arange(y.size), predicted]
