"""The profile of a table: all that is looked for, in one pass over its columns."""

from dataclasses import dataclass, field

import numpy as np
from sklearn.isotonic import IsotonicRegression

from helpers.profile.alerts import Alert
from helpers.profile.clusters import find_clusters, find_same_rows
from helpers.profile.columns import as_days, coded, days_of_calendar
from helpers.profile.copies import find_copies, find_near_copies
from helpers.profile.leaks import find_afterwards, find_leaks


@dataclass(frozen=True)
class Profile:
    """What `profile_table` has found.

    Parameters
    ----------
    alerts : tuple of Alert
        What changes the meaning of the numbers, copies first.
    copy : array of int, shape (n,), or None
        Rows with one number are copies of one row; None where there are no copies.

    Examples
    --------
    See `profile_table`.
    """

    alerts: tuple[Alert, ...] = ()
    copy: np.ndarray | None = field(default=None, repr=False)

    def of(self, *kinds):
        """The alerts of some kinds.

        Parameters
        ----------
        *kinds : str
            See `Alert`.

        Returns
        -------
        list of Alert
            In the order in which they were found.
        """
        return [alert for alert in self.alerts if alert.kind in kinds]


def profile_table(y, p, X, *, sample_weight=None, groups=None, others=None, known=(), scores=None):
    """Look at a table for copies of rows, rows of one event, and columns that know the outcome.

    Parameters
    ----------
    y : array of {0, 1}, shape (n,)
        Labels.
    p : array of float, shape (n,)
        Stated probabilities of class 1.
    X : DataFrame, shape (n, d)
        Features.
    sample_weight, groups : array_like, shape (n,), optional
        Sampling weights; codes of people, events, … Where groups are given, none are looked for.
    others : DataFrame, shape (n, e), optional
        Columns that are no features, such as identities, but may say which rows belong together.
    known : list of str, default ()
        Columns that are known before the outcome, whatever they tell about it.
    scores : array of float, shape (n, K), optional
        Of several classes, all scores, where p is that of the answer and y whether it was right.

    Returns
    -------
    Profile
        `alerts`, and which rows are copies.

    Examples
    --------
    >>> import pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> X = pd.DataFrame({"age": rng.normal(50, 10, 400), "event": rng.integers(0, 200, 400)})
    >>> p = rng.random(400)
    >>> twice = profile_table(np.tile(rng.random(400) < p, 2), np.tile(p, 2), pd.concat([X, X]))
    >>> [(alert.kind, alert.n, alert.value) for alert in twice.alerts]
    [('copies', 800, 2.0)]
    """
    y = np.asarray(y, dtype=float)
    p = np.asarray(p, dtype=float)
    columns = coded(X)
    c = IsotonicRegression(y_min=0, y_max=1).fit(p, y, sample_weight).predict(p)
    stated = p if scores is None else np.asarray(scores)
    alert, copy = find_copies(columns, stated, y, c, groups)
    alerts = [] if alert is None else [alert]
    if copy is not None:  # what follows looks at each row once
        X, others, y, c, stated, sample_weight = _once(copy, X, others, y, c, stated, sample_weight)
        columns = coded(X)
    alerts += find_leaks([column for column in columns if column.name not in known], y, c)
    alerts += find_afterwards(columns, known)
    if groups is None:
        leaked = {name for alert in alerts for name in alert.columns}
        near, case = find_near_copies(columns, stated, y, c, sample_weight)
        if near is not None:
            X, others, y, c, sample_weight = _once(case, X, others, y, c, sample_weight)
            columns = coded(X)
        candidates = [as_days(column) for column in columns if column.name not in leaked]
        calendar = days_of_calendar(X[[name for name in X if str(name) not in leaked]])
        candidates += [] if calendar is None else [calendar]
        clusters = find_clusters(candidates + ([] if others is None else coded(others)), y, c, sample_weight)
        same = near if clusters or near is not None else find_same_rows(columns, y, c, sample_weight)
        alerts += clusters + ([] if same is None else [same])
    return Profile(tuple(alerts), copy)


def _once(copy, X, others, *values):
    """The first row of each copy."""
    _, rows = np.unique(copy, return_index=True)
    rows.sort()
    values = (None if value is None else np.asarray(value)[rows] for value in values)
    return X.iloc[rows], None if others is None else others.iloc[rows], *values
