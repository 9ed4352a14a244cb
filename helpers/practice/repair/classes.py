"""Repair of the probabilities of several classes: one repair a class, and the nearest probabilities to all of them."""

from dataclasses import KW_ONLY, dataclass

import numpy as np
from scipy.stats import chi2
from sklearn.exceptions import NotFittedError

from helpers.calibration.affine import AffineCalibrator, log_of_stated
from helpers.checks import check_columns, check_one_of, check_rng, check_same_length, check_simplex
from helpers.partition.checked import check_table
from helpers.partition.class_rows import check_class_rows, with_class_scores
from helpers.practice.repair.recalibrator import SMALLEST, Recalibrator
from helpers.profile.alerts import no_table_warnings

ROUNDED = 0.05  # by which rounding may move the sum of the scores of a case from 1

OFFSETS = 0.001  # level of the test that asks for an offset a class: where it errs, right scores become worse


@dataclass(eq=False)
class ClassRecalibrator:
    """Repairs the stated probabilities of K classes with features that the scores did not use, or used badly.

    Not an estimator of scikit-learn, because these learn from X and y alone.

    The scores are calibrated (`AffineCalibrator`: one scale, and an offset for each class where a likelihood ratio test
    asks for them at 0.1 %, so that right scores cost no more than temperature scaling). Then a `Recalibrator` asks for
    each class whether the features say more, at `alpha` / K, and the point of the simplex that is nearest to what they
    say is taken. Its squared error is never larger than theirs, because true probabilities lie on the simplex. Where
    nothing is found, the result is the calibrator.

    Parameters
    ----------
    calibrator : {"platt", "none"}, default "platt"
        What comes first.
    alpha : float, default 0.05
        Of the joint test of all classes; 1 repairs in any case.
    n_folds : int, default 5
        Of each class's repair.
    fast : bool, default True
        As in `Recalibrator`.
    rng : int, Generator or None, default None
        Decides the folds and the learners.

    Attributes
    ----------
    classes_ : ndarray, shape (K,)
        Classes in the order of the columns.
    score_columns_ : dict
        {class: its column in tables of scores}, without classes that have none because they were never stated.
    columns_ : list of str
        Features of the fit.
    repairs_ : list of Recalibrator or None
        One for each class; None for one in fewer rows, or groups, than there are folds, which stays as calibrated.
    changed_ : bool
        Whether the features change the probabilities of any class.
    p_value_ : float
        Of "the features say nothing beyond the scores": the smallest of the classes, times K.

    References
    ----------
    Ours.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 2, (900, 1))
    >>> y = np.where(rng.random(900) < 0.3, "c", np.where(rng.random(900) < np.where(X[:, 0], 0.9, 0.1), "a", "b"))
    >>> model = ClassRecalibrator("none", n_folds=2, rng=0).fit(X, y, np.tile([0.35, 0.35, 0.3], (900, 1)))
    >>> model.predict([[0], [1]], np.tile([0.35, 0.35, 0.3], (2, 1))).round(1)
    array([[0.1, 0.6, 0.3],
           [0.6, 0.1, 0.3]])
    """

    calibrator: str = "platt"
    _: KW_ONLY
    alpha: float = 0.05
    n_folds: int = 5
    fast: bool = True
    rng: object = None

    def fit(self, X, y, P, sample_weight=None, groups=None):
        """Learn from labelled rows.

        Parameters
        ----------
        X : DataFrame or array_like, shape (n, d)
            Features.
        y : array_like, shape (n,)
            Classes, each of which occurs.
        P : DataFrame or array_like, shape (n, K)
            Stated probabilities; columns of a table are named by class, those of an array are in the order of
            `numpy.unique(y)`.
        sample_weight : array_like, shape (n,), optional
            Sampling weights.
        groups : array_like, shape (n,), optional
            Labels of people, hospitals, …: never split into folds.

        Returns
        -------
        ClassRecalibrator
            Itself.

        Raises
        ------
        ValueError
            For input or options that break a rule.
        """
        self.fit_rows(check_class_rows(y, P, X, sample_weight, groups))
        return self

    def fit_predict(self, X, y, P, sample_weight=None, groups=None):
        """Fit, and repair the same rows, each by learners that have not seen its label.

        Parameters
        ----------
        X : DataFrame or array_like, shape (n, d)
            Features.
        y : array_like, shape (n,)
            Classes.
        P : DataFrame or array_like, shape (n, K)
            Stated probabilities, columns as in `fit`.
        sample_weight, groups : array_like, shape (n,), optional
            Sampling weights; rows of weight 0 are repaired as new ones; labels of people, hospitals, ….

        Returns
        -------
        ndarray, shape (n, K)
            As `predict`; the calibrator, which has a scale and at most an offset a class, has seen all labels.
        """
        repaired = self.fit_rows(check_class_rows(y, P, X, sample_weight, groups))
        if sample_weight is None or len(repaired) == len(X):
            return repaired
        every = self.predict(X, P)
        every[np.asarray(sample_weight) > 0] = repaired
        return every

    def predict(self, X, P):
        """Repaired probabilities.

        Parameters
        ----------
        X : DataFrame or array_like, shape (m, d)
            Features, columns as in `fit`.
        P : DataFrame or array_like, shape (m, K)
            Stated probabilities, columns as in `fit`; of a repair that a report has saved, the columns of scores as the
            audited file had them. Sums that rounding has moved from 1 are put right.

        Returns
        -------
        ndarray, shape (m, K)
            In the order of `classes_`. Rows sum to 1; each class keeps at least a twentieth of its calibrated
            probability.
        """
        if not hasattr(self, "repairs_"):
            raise NotFittedError("This ClassRecalibrator has learned nothing yet: call fit first.")
        X = check_table(X)
        P = self._stated(P)
        check_same_length(P=P, X=X)
        c = self._calibrated(P)
        if not self.changed_:
            return c
        table = with_class_scores(X, c, self.classes_)
        repairs = enumerate(self.repairs_)
        return _nearest(c, [c[:, k] if one is None else one.predict(table, c[:, k]) for k, one in repairs])

    def fit_rows(self, rows, score_columns=None):
        """`fit_predict` of `helpers.partition.class_rows.ClassRows`; `score_columns`: see `score_columns_`."""
        check_one_of(self.calibrator, "calibrator", ("platt", "none"))
        self.classes_ = rows.classes
        self.score_columns_ = score_columns or {name: name for name in rows.classes}
        self.columns_ = list(rows.X.columns)
        if self.calibrator != "none":
            self.calibrator_ = _line(log_of_stated(rows.P), rows.y, rows.weight)
        c = self._calibrated(rows.P)
        n_classes = rows.classes.size
        table = with_class_scores(rows.X, c, rows.classes)
        seed = int(check_rng(self.rng).integers(2**31))  # one for all classes, whose order then says nothing
        alpha = self.alpha if self.alpha == 1 else self.alpha / n_classes
        options = {"alpha": alpha, "n_folds": self.n_folds, "use_score": False, "fast": self.fast}
        self.repairs_ = []
        found = []
        unit = np.arange(rows.y.size) if rows.groups is None else rows.groups
        for k in range(n_classes):
            if np.unique(unit[rows.y == k]).size < self.n_folds:
                self.repairs_.append(None)
                found.append(c[:, k])
                continue
            repair = Recalibrator("none", **options, rng=seed)
            with no_table_warnings():  # they were given on entry
                found.append(repair.fit_predict(table, rows.y == k, c[:, k], rows.weight, rows.groups))
            self.repairs_.append(repair)
        fitted = [repair for repair in self.repairs_ if repair is not None]
        self.changed_ = any(repair.changed_ for repair in fitted)
        self.p_value_ = min(1.0, n_classes * min(repair.p_value_ for repair in fitted))
        return _nearest(c, found) if self.changed_ else c

    def _stated(self, P):
        """Checked scores, a column for each class."""
        if hasattr(P, "columns"):
            check_columns("P", list(P.columns), {f"class {name}": one for name, one in self.score_columns_.items()})
            P = P[list(self.score_columns_.values())]
        P = check_simplex(P, "P", tol=ROUNDED)
        if P.shape[1] != len(self.score_columns_):
            raise ValueError(
                f"P must have the columns {', '.join(map(str, self.score_columns_.values()))}, but it has {P.shape[1]}."
            )
        stated = np.zeros((len(P), len(self.classes_)))
        stated[:, [name in self.score_columns_ for name in self.classes_]] = P / P.sum(axis=1, keepdims=True)
        return stated

    def _calibrated(self, P):
        return P if self.calibrator == "none" else self.calibrator_.predict_proba(log_of_stated(P))


def _line(log_scores, y, weight):
    """One scale for all classes, with an offset for each where these make the labels more likely than chance does."""
    lines = [AffineCalibrator(bias=bias).fit(log_scores, y, weight) for bias in (False, True)]
    own = 1.0 if weight is None else weight / weight.mean()
    plain, full = (float(np.sum(own * np.log(line.predict_proba(log_scores)[np.arange(y.size), y]))) for line in lines)
    return lines[int(chi2.sf(2 * (full - plain), log_scores.shape[1] - 1) < OFFSETS)]


def _nearest(c, found):
    """The nearest probabilities to what the repairs of all classes say, with a part of the calibrated ones in each."""
    floor = SMALLEST * c
    return floor + _onto_simplex(np.column_stack(found) - floor, 1 - SMALLEST)


def _onto_simplex(values, total):
    """The nearest rows that are nowhere negative and sum to `total`."""
    falling = -np.sort(-values, axis=1)
    excess = np.cumsum(falling, axis=1) - total
    rank = np.arange(1, values.shape[1] + 1)
    kept = (falling * rank > excess).sum(axis=1)
    cut = excess[np.arange(len(values)), kept - 1] / kept
    return np.maximum(values - cut[:, None], 0)
