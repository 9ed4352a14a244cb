"""Repair of stated probabilities: a calibrator, and on top of it what learners of several kinds find in the features.

Everything that decides (how much each learner counts, whether anything is changed at all) is measured on rows that the
learners have not seen.
"""

from dataclasses import KW_ONLY, dataclass

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.exceptions import NotFittedError

from helpers.calibration.calibrators import make_calibrator
from helpers.checks import check_count, check_probabilities, check_rng, check_same_length, nearest_name
from helpers.grouping.features import Features
from helpers.grouping.learners import REPAIR_NAMES, Learners, combination, combine_out_of_fold
from helpers.grouping.stacked import LEAST_ROWS, joint_test, label_variance, random_folds
from helpers.partition.checked import check_rows, check_table, with_score_column
from helpers.partition.kinds import text_as_values
from helpers.partition.levels import folds_of_rows
from helpers.resampling import mean_and_variance

FEW_TREES = 10  # of a forest where it must be fast

HOPELESS = 0.5  # p-value of boosted trees from which a fast repair tries nothing else

SMALLEST = 0.05  # share of the calibrated probability, and of its complement, that a repair always leaves


@dataclass(eq=False)
class Recalibrator:
    """Repairs stated probabilities with features that the score did not use, or used badly.

    Not an estimator of scikit-learn, because these learn from X and y alone; `RepairedClassifier` is one.

    repaired = c + shrinkage * v * sum of weights b_k s_k(x, p): c the calibrated score, v = c (1 - c), s_k what
    learner k predicts of (y - c) / v, to first order the change of the log-odds. Folds predict one another's rows; on
    these predictions the b_k >= 0 are fitted, the shrinkage is measured, and two questions decide: if one joint test
    does not reject "the features say nothing beyond the score", or the squared error that the repair takes away out of
    fold is below its standard error, the repair is the calibrator, exactly.

    Parameters
    ----------
    calibrator : {"platt", "isotonic", "none"}, default "platt"
        What comes first, "platt" on log-odds.
    alpha : float, default 0.05
        Of the joint test; 1 repairs in any case, whatever it gains.
    n_folds : int, default 5
        At least 2. New rows get the mean of the folds' learners.
    use_score : bool, default True
        Whether the learners see the score beside the features. False where the score is a function of these features
        that was fitted out of fold on the same labels, see `RepairedClassifier`.
    fast : bool, default False
        Whether forests are a third as large, and nothing more is tried where boosted trees alone find no trace
        (p-value above one half): a third of the time for a few percent of the error.
    calendar : dict, optional
        {column of dates: parts of them, such as "day_of_week", "month" or "hour"}: the learners see these, which come
        again, and not the date, beyond which new rows lie.
    rng : int, Generator or None, default None
        Decides the folds and the learners.

    Attributes
    ----------
    calibrator_ : estimator
        Fitted on all rows.
    p_value_ : float
        One-sided joint test of "the features say nothing beyond the score".
    changed_ : bool
        Whether it rejected and the gain exceeded its standard error; if not, repaired and calibrated probabilities are
        the same.
    weights_ : Series
        Weight of each learner.
    shrinkage_ : float
        In [0, 1]: slope of the residuals y - c on what learners with weights from other folds predict of them, plus
        its standard error (what the weights found is taken back only where rows contradict it).
    gain_ : float
        Estimate of the mean squared error that the repair takes away, E (c - q)**2 - E (repaired - q)**2, out of fold.
    gain_se_ : float
        Its standard error.
    columns_ : list of str
        Features of the fit.
    pooled_ : tuple of Pooled
        Columns of which rare levels are one (`helpers.partition.levels`).

    References
    ----------
    Ours. Weights that are not negative, fitted out of fold: Breiman (1996), Stacked regressions. Beside MCGrad (Tax et
    al., 2026): `bench/repair.csv`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = pd.DataFrame({"age": rng.integers(20, 80, 500)})
    >>> y = rng.random(500) < np.where(X["age"] < 50, 0.4, 0.8)
    >>> model = Recalibrator("none", n_folds=2, rng=0).fit(X, y, np.full(500, 0.6))
    >>> model.predict(pd.DataFrame({"age": [30, 70]}), [0.6, 0.6]).round(1)
    array([0.4, 0.8])
    >>> model.changed_, model.p_value_ < 0.001
    (True, True)
    """

    calibrator: str = "platt"
    _: KW_ONLY
    alpha: float = 0.05
    n_folds: int = 5
    use_score: bool = True
    fast: bool = False
    calendar: dict | None = None
    rng: object = None

    def fit(self, X, y, p, sample_weight=None, groups=None):
        """Learn from labelled rows.

        Parameters
        ----------
        X : DataFrame or array_like, shape (n, d)
            Features (numbers, booleans, categories, text, dates, missing values), see `helpers.partition.encoder`.
        y, p : array_like, shape (n,)
            Labels 0/1; stated probabilities of class 1.
        sample_weight, groups : array_like, shape (n,), optional
            Sampling weights; labels of people, hospitals, …: never split into folds.

        Returns
        -------
        Recalibrator
            Itself.

        Raises
        ------
        ValueError
            For input or options that break a rule, fewer than 60 rows, fewer groups than folds, or too few rows of
            one class.
        """
        self.fit_rows(check_rows(y, p, X, sample_weight, groups))
        return self

    def fit_predict(self, X, y, p, sample_weight=None, groups=None):
        """Fit, and repair the same rows, each by learners and weights that have not seen its label.

        Parameters
        ----------
        X : DataFrame or array_like, shape (n, d)
            Features.
        y, p : array_like, shape (n,)
            Labels 0/1; stated probabilities of class 1.
        sample_weight, groups : array_like, shape (n,), optional
            Sampling weights; rows of weight 0 are repaired as new ones; labels of people, hospitals, ….

        Returns
        -------
        ndarray, shape (n,)
            In [0, 1].
        """
        rows = check_rows(y, p, X, sample_weight, groups)
        out_of_fold = self.fit_rows(rows)
        if rows.kept.all():
            return out_of_fold
        repaired = self.predict(X, p)
        repaired[rows.kept] = out_of_fold
        return rows.with_copies(repaired)

    def calibrated(self, p):
        """Calibrated scores, which the features have not changed.

        Parameters
        ----------
        p : array_like, shape (n,)
            Stated probabilities.

        Returns
        -------
        ndarray, shape (n,)
            In [0, 1].
        """
        if not hasattr(self, "calibrator_"):
            raise NotFittedError("This Recalibrator has learned nothing yet: call fit first.")
        return self.calibrator_.predict(p)

    def predict(self, X, p, return_std=False):
        """Repaired probabilities.

        Parameters
        ----------
        X : DataFrame or array_like, shape (n, d)
            Features: the columns of the fit in any order, others are passed over.
        p : array_like, shape (n,)
            Stated probabilities.
        return_std : bool, default False
            Whether the standard errors are wanted, too.

        Returns
        -------
        repaired : ndarray, shape (n,)
            In [0, 1].
        std : ndarray, shape (n,)
            Only with `return_std`: jackknife standard error of what the features changed, from how far the learners of
            the folds lie apart; 0 where `changed_` is false.
        """
        c, table = self._rows(X, p)
        if not self.changed_:
            return (c, np.zeros(c.size)) if return_std else c
        v = label_variance(c)
        index = self._features.index_of_table(table)
        weights = self.shrinkage_ * self.weights_.to_numpy()
        parts = v * np.array([fold.learners.predict(self._features, index) @ weights for fold in self.folds_])
        repaired = self._repaired(c, parts.mean(axis=0))
        return (repaired, parts.std(axis=0) * (len(parts) - 1) ** 0.5) if return_std else repaired

    def fit_rows(self, rows):
        """`fit_predict` of `helpers.partition.checked.Rows`."""
        check_probabilities([self.alpha], "alpha")
        check_count(self.n_folds, "n_folds", least=2)
        if rows.y.size < LEAST_ROWS:
            raise ValueError(f"y must have at least {LEAST_ROWS} rows, but it has {rows.y.size}.")
        rng = check_rng(self.rng)
        fold = random_folds(rows.y, rows.groups, self.n_folds, rng)
        seeds = rng.integers(2**31, size=self.n_folds)
        weight = rows.weights / rows.weights.mean()
        self.columns_ = list(rows.X.columns)
        self.calibrator_ = make_calibrator(self.calibrator).fit(rows.p, rows.y, weight)
        table = self._seen(rows.X, rows.p)
        self._features, index = Features.of_table(table, weight, int(rng.integers(2**31)))
        self.pooled_ = self._features.encoder_.pooled_
        inner = folds_of_rows(table, rows.groups)  # in which categories of many levels are put in order
        residual = rows.y - self.calibrated(rows.p)

        def learn(models):
            """(learners of each fold, what they predict of its residuals, p-value of the joint test)"""
            folds = Parallel()(
                delayed(_learn)(rows.y, rows.p, index, weight, inner, fold != j, self.calibrator, self._features, model)
                for j, model in enumerate(models)
            )
            columns = np.empty((rows.y.size, len(REPAIR_NAMES)))
            for j, of_fold in enumerate(folds):
                inside = fold == j
                v = label_variance(of_fold.calibrator.predict(rows.p[inside]))
                columns[inside] = v[:, None] * of_fold.learners.predict(self._features, index[inside])
            return folds, columns, joint_test(columns.mean(axis=1), residual, weight, rows.groups)[2]

        if self.fast:
            folds, columns, self.p_value_ = learn([Learners(int(seed), FEW_TREES, n_kinds=1) for seed in seeds])
            # with no trace in the trees the other kinds, which take most of the time, would find none either
            if self.p_value_ <= HOPELESS or self.alpha == 1:
                begun = [of_fold.learners.set_params(n_kinds=None) for of_fold in folds]
                folds, columns, self.p_value_ = learn(begun)
        else:
            folds, columns, self.p_value_ = learn([Learners(int(seed)) for seed in seeds])
        found = self._combine(columns, residual, weight, fold, rows.groups)
        # a small effect may be certain and yet cost new rows more in noise than it brings
        worth = self.p_value_ <= self.alpha and self.gain_ > self.gain_se_
        self.changed_ = bool(worth or self.alpha == 1)
        self.folds_ = folds if self.changed_ else []
        if not self.changed_:
            self.weights_ *= 0
            self.shrinkage_ = self.gain_ = self.gain_se_ = 0.0
        return self._repaired(self.calibrated(rows.p), found)

    def _combine(self, columns, residual, weight, fold, groups):
        """Weights of the learners and shrinkage; returns the out-of-fold prediction of each row's residual."""
        self.weights_ = pd.Series(combination(columns, residual, weight), REPAIR_NAMES)
        found, _ = combine_out_of_fold(columns, residual, weight, fold)
        self.shrinkage_ = _slope(found, residual, weight, groups)
        found = self.shrinkage_ * found
        self.gain_, variance = mean_and_variance(2 * found * residual - found**2, weight, groups)
        self.gain_se_ = float(np.sqrt(variance))
        return found

    def _repaired(self, c, residual):
        return np.clip(c + residual, SMALLEST * c, 1 - SMALLEST * (1 - c)) if self.changed_ else c

    def _rows(self, X, p):
        """Calibrated scores and the table that the learners are asked about."""
        X = check_table(X)
        p = check_probabilities(p)
        check_same_length(p=p, X=X)
        c = self.calibrated(p)
        absent = [column for column in self.columns_ if column not in X.columns]
        if absent:
            hint = nearest_name(absent[0], X.columns, "column")
            raise ValueError(f"X must have the columns of the fit, but {absent[0]!r} is absent; {hint}")
        return c, self._seen(X[self.columns_], p)

    def _seen(self, X, p):
        """What the learners see of the rows."""
        for name, parts in (self.calendar or {}).items():
            times = text_as_values(X[name]).dt
            X = X.drop(columns=name).assign(**{f"{part} of {name}": getattr(times, part) for part in parts})
        return with_score_column(X, p) if self.use_score else X


@dataclass(frozen=True)
class _Fold:
    """What the rows outside a fold have taught."""

    calibrator: object
    learners: Learners


def _learn(y, p, index, weight, inner, train, calibrator, features, learners):
    w = weight[train] / weight[train].mean()
    fitted = make_calibrator(calibrator).fit(p[train], y[train], w)
    c = fitted.predict(p[train])
    v = label_variance(c)
    return _Fold(fitted, learners.fit(features, index[train], (y[train] - c) / v, w * v, inner[train]))


def _slope(found, residual, weight, groups):
    """The largest slope of the residuals on what was found of them, within [0, 1], that the rows do not contradict by
    more than a standard error.
    """
    size = weight @ found**2
    if not size > 0:
        return 0.0
    slope = weight @ (found * residual) / size
    unit = np.arange(residual.size) if groups is None else groups
    sums = np.bincount(unit, weight * found * (residual - slope * found))
    return float(np.clip(slope + np.sqrt(sums @ sums) / size, 0, 1))
