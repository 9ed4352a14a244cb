"""A classifier of scikit-learn whose probabilities are repaired: `CalibratedClassifierCV`, and what features add."""

import warnings

import numpy as np
from scipy.special import expit
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import StratifiedGroupKFold, check_cv, cross_val_predict
from sklearn.preprocessing import LabelEncoder
from sklearn.utils import assert_all_finite, column_or_1d, get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, validate_data

from helpers.checks import check_rng
from helpers.grouping.stacked import LEAST_ROWS
from helpers.partition.checked import check_table
from helpers.practice.repair.recalibrator import Recalibrator
from helpers.profile import profile_table

N_FOLDS = 4  # of the repair

ANY_TABLE = {"dtype": None, "ensure_all_finite": False, "accept_sparse": True}  # text, dates, missing values


def _has_scores(model):
    return any(hasattr(model.estimator, name) for name in ("predict_proba", "decision_function"))


class RepairedClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A classifier whose probabilities are calibrated, and repaired by what the features say beyond them.

    The classifier states probabilities for rows that it has not seen (cross-validation), a `Recalibrator` learns from
    these what to mend, and the classifier is fitted once more on all rows. Where no gain is significant, the
    probabilities are calibrated and nothing else.

    Parameters
    ----------
    estimator : classifier
        Of two classes, with `predict_proba` or `decision_function`; not changed.
    cv : int, cross-validation generator or iterable, default 5
        How the rows are split, each into one test part. An int makes stratified folds, that keep groups together where
        `groups` are given.
    calibrator : {"platt", "isotonic", "none"}, default "platt"
        What comes before the features.
    alpha : float, default 0.05
        Of the test that decides whether the features change anything.
    n_jobs : int or None, default None
        Processes for the cross-validation, as in `cross_val_predict`.
    random_state : int, Generator or None, default None
        Decides the folds and the learners of the repair.

    Attributes
    ----------
    classes_ : ndarray, shape (2,)
        Labels; the probability of the second one is repaired.
    estimator_ : classifier
        Fitted on all rows.
    repair_ : Recalibrator or None
        What was learned of its probabilities; None with fewer than 60 rows, too few to judge a gain.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 2))
    >>> y = rng.random(600) < expit(3 * np.abs(X[:, 0]) - 2)  # no line can say that
    >>> model = RepairedClassifier(LogisticRegression(), random_state=0).fit(X, y)
    >>> low, high = model.predict_proba([[0.0, 0.0], [2.0, 0.0]])[:, 1]
    >>> bool(low < 0.3 < 0.9 < high)
    True
    """

    def __init__(self, estimator, *, cv=5, calibrator="platt", alpha=0.05, n_jobs=None, random_state=None):
        self.estimator = estimator
        self.cv = cv
        self.calibrator = calibrator
        self.alpha = alpha
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None, groups=None, **fit_params):
        """Fit the classifier and its repair.

        Parameters
        ----------
        X : DataFrame or array_like, shape (n, d)
            Features, as the classifier takes them.
        y : array_like, shape (n,)
            Labels of two classes.
        sample_weight : array_like, shape (n,), optional
            Sampling weights, for the repair and for a classifier that takes them.
        groups : array_like, shape (n,), optional
            Labels of people, hospitals, …: never split by a fold.
        **fit_params : dict
            Further arguments of the classifier's `fit`.

        Returns
        -------
        RepairedClassifier
            Itself.

        Raises
        ------
        ValueError
            For labels of one class or of more than two, for a `cv` that has not each row in one test part (a split in
            time, a random or a repeated one), and for what the classifier or the repair refuses.
        """
        validate_data(self, X, **ANY_TABLE, ensure_min_samples=2)
        X, y, sample_weight, groups = indexable(X, y, sample_weight, groups)
        self.classes_, labels = _two_classes(y)
        of_estimator = self._for_estimator(sample_weight, groups, fit_params)
        rng = check_rng(self.random_state)
        self.repair_ = None
        if labels.size < LEAST_ROWS:
            warnings.warn(
                f"A repair needs at least {LEAST_ROWS} rows, but there are {labels.size}: "
                "probabilities stay as they are.",
                stacklevel=2,
            )
        else:
            options = {"method": self._method, "n_jobs": self.n_jobs, "params": of_estimator}
            folds = self._folds(X, labels, _copies(X, labels) if groups is None else groups)
            stated = cross_val_predict(clone(self.estimator), X, y, cv=folds, **options)
            # Beside the features, an out-of-fold probability tells by which fold's model it was stated, and so what
            # the labels of that fold are like: with both in sight the test rejected a right model in 15 of 60 samples.
            self.repair_ = Recalibrator(
                self.calibrator, alpha=self.alpha, n_folds=N_FOLDS, use_score=False, fast=True, rng=rng
            )
            self.repair_.fit(X, labels, self._probability(stated), sample_weight=sample_weight, groups=groups)
        self.estimator_ = clone(self.estimator).fit(X, y, **of_estimator)
        return self

    @available_if(_has_scores)
    def predict_proba(self, X):
        """Repaired probabilities.

        Parameters
        ----------
        X : DataFrame or array_like, shape (n, d)
            Features.

        Returns
        -------
        ndarray, shape (n, 2)
            In the order of `classes_`.
        """
        check_is_fitted(self)
        validate_data(self, X, **ANY_TABLE, reset=False)
        p = self._probability(getattr(self.estimator_, self._method)(X))
        p = p if self.repair_ is None else self.repair_.predict(X, p)
        return np.column_stack([1 - p, p])

    def predict(self, X):
        """The likelier class.

        Parameters
        ----------
        X : DataFrame or array_like, shape (n, d)
            Features.

        Returns
        -------
        ndarray, shape (n,)
            Of `classes_`.
        """
        p = self.predict_proba(X)[:, 1]
        return self.classes_[(p > 0.5).astype(int)]

    def get_metadata_routing(self):
        """Which arguments of `fit` go where; see scikit-learn's user guide on metadata routing.

        Returns
        -------
        MetadataRouter
            `sample_weight` and `groups` are used here; the classifier gets what it requests.
        """
        router = MetadataRouter(owner=self).add_self_request(self)
        return router.add(estimator=self.estimator, method_mapping=MethodMapping().add(caller="fit", callee="fit"))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags

    @property
    def _method(self):
        return "predict_proba" if hasattr(self.estimator, "predict_proba") else "decision_function"

    @staticmethod
    def _probability(scores):
        """Of the second class, from probabilities (n, 2) or values of a decision function (n,)."""
        return scores[:, 1] if scores.ndim == 2 else expit(scores)

    def _for_estimator(self, sample_weight, groups, fit_params):
        if get_config()["enable_metadata_routing"]:
            given = {"sample_weight": sample_weight, "groups": groups, **fit_params}
            given = {name: value for name, value in given.items() if value is not None}
            return process_routing(self, "fit", **given).estimator.fit
        if sample_weight is None:
            return fit_params
        if not has_fit_parameter(self.estimator, "sample_weight"):
            name = type(self.estimator).__name__
            warnings.warn(f"{name} takes no sample_weight: the repair alone uses it.", stacklevel=3)
            return fit_params
        return fit_params | {"sample_weight": sample_weight}

    def _folds(self, X, labels, groups):
        """Pairs of rows to learn from and rows to state for; ValueError unless each is stated for once."""
        if isinstance(self.cv, int) and groups is not None:
            return list(StratifiedGroupKFold(self.cv).split(X, labels, groups))
        folds = list(check_cv(self.cv, labels, classifier=True).split(X, labels, groups))
        times = np.bincount(np.concatenate([stated_for for _, stated_for in folds]), minlength=labels.size)
        if (times != 1).any():
            name = type(self.cv).__name__ if hasattr(self.cv, "split") else "the one given"
            none, several = (times == 0).sum(), (times > 1).sum()
            raise ValueError(
                f"cv must have each row in one test part, but {name} has {none:,} of {labels.size:,} rows in none and "
                f"{several:,} in several; an int does, and KFold(5) keeps neighbours together."
            )
        return folds


def _copies(X, labels):
    """Groups of rows that are copies of each other, which one fold holds; None if there are none."""
    return profile_table(labels, np.full(labels.size, labels.mean()), check_table(X)).copy


def _two_classes(y):
    """The two classes and labels 0 and 1."""
    assert_all_finite(y, input_name="y")
    check_classification_targets(y)
    kind = type_of_target(y, input_name="y", raise_unknown=True)
    y = column_or_1d(y, warn=True)
    encoder = LabelEncoder().fit(y)
    if encoder.classes_.size > 2:
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {kind}; "
            "repair one class against the rest, `y == label`."
        )
    if encoder.classes_.size < 2:
        raise ValueError(f"y must hold two classes, but it holds one class, {encoder.classes_[0]}.")
    return encoder.classes_, encoder.transform(y)
