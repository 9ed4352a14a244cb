"""The grouping loss where scikit-learn asks for `scoring`."""

import numpy as np

from helpers.grouping.crossfit import grouping_loss


def neg_grouping_loss(estimator, X, y, *, rng=0, **options):
    """Minus the grouping loss of a fitted classifier on some rows: a scorer, of which larger is better.

    Parameters
    ----------
    estimator : classifier
        Fitted, of two classes, with `predict_proba`.
    X : DataFrame or array_like, shape (n, d)
        Features, of rows that it was not fitted to.
    y : array_like, shape (n,)
        Their labels.
    rng : int, Generator or None, default 0
        As in `grouping_loss`; by default all candidates are judged by the same halves.
    **options : dict
        Further arguments of `grouping_loss`, bound beforehand: `functools.partial(neg_grouping_loss, n_splits=5)`.

    Returns
    -------
    float
        At most about 0; a little above 0 by luck.

    Raises
    ------
    ValueError
        For another number of classes than two, and for what `grouping_loss` refuses.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_validate
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 2))
    >>> y = rng.random(1000) < np.where(X[:, 0] * X[:, 1] > 0, 0.8, 0.2)  # no line can say that
    >>> cross_validate(LogisticRegression(), X, y, scoring=neg_grouping_loss, cv=2)["test_score"] < -0.01
    array([ True,  True])
    """
    if len(estimator.classes_) != 2:
        raise ValueError(f"estimator must have two classes, but it has {len(estimator.classes_)}.")
    p = estimator.predict_proba(X)[:, 1]
    return -grouping_loss(np.asarray(y) == estimator.classes_[1], p, X, rng=rng, **options).value
