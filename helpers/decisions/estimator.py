"""The risk of one decision: what deciding by a stated probability costs more than deciding by the truth, per row.

With a truth `q` the risk is exact (`oracle_risk`); without one `RiskEstimator` puts a corrected probability in its
place.
"""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
from scipy.stats import norm
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from helpers._parallel import side_by_side
from helpers.calibration.calibrators import make_calibrator
from helpers.checks import check_count, check_one_of, check_probabilities, check_rng, check_same_length
from helpers.decisions.costs import best_decision, check_costs, check_threshold, decision_names, expected_cost
from helpers.decisions.risks import calibration_risk, excess_risk, grouping_risk
from helpers.partition import HonestTree, split_rows
from helpers.partition.checked import CheckedTable, TakesTables, as_column, check_rows, with_score_column
from helpers.partition.levels import most_pooled
from helpers.profile.alerts import no_table_warnings
from helpers.resampling import mean_and_variance

ERRORS = norm.ppf((np.arange(20) + 0.5) / 20) * 2**0.5  # of a repaired probability, in its jackknife standard errors

METHODS = ("fit_predict", "predict")  # of a repair

DEFAULTS = {  # of options whose work a repair does
    "method": "crossfit", "calibrator": "platt", "residual": "tree", "min_samples_leaf": None, "max_depth": None,
}  # fmt: skip


class RiskEstimator(TakesTables):
    """What single decisions by a stated probability cost more than the best possible ones, for rows without labels.

    risk(x) = `excess_risk(c(p) + r(x, p), p, cost, t)`: c recalibrates the score, r is what the features say beyond it:
    the mean residual y - c among people like x. Some rows choose the regions of honest trees, others give these their
    means, and a rule in words says who they are (`to_frame`). Melo et al. (2026), proposition 6, equation 8 and
    algorithm 1; the cross-fitted form is ours. Plain, by the paper's method: `helpers.papers.melo2026.equation_8` and
    `helpers.papers.melo2026.algorithm_1`.

    A `repair` gives probabilities in the place of c + r. They are shrunk and uncertain, and the risk is convex in the
    probability: the risk of its mean is less than the mean of its risk (Jensen). So the risk is then the mean over
    normal errors around the repaired probability, whose variance is about twice the square of its standard error: for
    what shrinkage holds back, and for what moves with the sample. If nothing is repaired, no error is added.

    Over eight populations with known truth the root mean squared error of trees was 0.5, 0.4 and 0.3 times that of the
    paper's method at 1,000, 4,000 and 16,000 rows (geometric means). What no feature tells is missing from every
    estimate: on nine populations at 4,000 rows, two draws each, the mean risk with a `Recalibrator` was 0.68 to 1.04
    times the true one, 0.90 in geometric mean; 0.46 to 0.92, and 0.74, if the repaired probability is taken to be the
    truth.

    Parameters
    ----------
    cost : array_like or DataFrame, shape (D, 2)
        A row for each decision, a column for each truth (`cost_matrix` builds a labelled one).
    t : float, optional
        Threshold in use on the stated score, default the optimal one; two decisions only.
    method : {"crossfit", "paper"}, default "crossfit"
        "crossfit": all rows calibrate; trees in random halves, one chooses by the features and the score, the other
        gives the means, then the roles change; r is the mean over `n_halvings` such pairs of trees. "paper": one tree;
        10 % of the rows calibrate, 40 % choose by the features alone, 50 % give the means.
    calibrator : {"platt", "isotonic", "none"}, default "platt"
        How scores are recalibrated; "platt" on log-odds.
    residual : "tree" or regressor, default "tree"
        A scikit-learn regressor of the residual (appendix C.8) is fitted on each half; it is given the table `X` with
        the score as a last column, so text needs a pipeline.
    repair : object, optional
        What gives probabilities in the place of calibrator and trees, whose options stay at their defaults then:
        `fit_predict(X, y, p, sample_weight, groups)` learns from rows and returns their probabilities, each from
        learners that have not seen its label; `predict(X, p, return_std=True)` returns those of new rows and their
        standard errors; and `calibrator_`, once fitted, maps scores alone by `predict(p)`. It is cloned, not changed.
        `helpers.practice.repair.Recalibrator` is one.
    min_samples_leaf : int, optional
        Of trees: rows a region needs when it is chosen; default 15 for the paper's method, else max(15, sqrt(n)), or
        the rows of sqrt(G) of G groups: regions whose means rest on ever more people, without which the risk of single
        decisions does not converge.
    max_depth : int, optional
        Depth limit of the trees.
    n_halvings : int, default 4
        Random halvings for trees or regressors; more of them take longer and err less.
    rng : int, Generator or None, default None
        Source of the random halves and trees; a repair has its own.

    Attributes
    ----------
    repair_ : object
        With a repair: its fitted clone.
    saved_, saved_se_ : float
        With a repair: what the rows of the fit would have saved, by their own labels, had the repaired probability
        decided, a row, and its standard error. These probabilities are out of fold, so that this mean is not flattered
        by luck, as a mean of estimated risks is; it is at most the risk there is.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = pd.DataFrame({"age": rng.integers(20, 80, 4000)})
    >>> y = rng.random(4000) < np.where(X["age"] < 50, 0.4, 0.8)
    >>> model = RiskEstimator([[0, 1], [1, 0]], calibrator="none", rng=0).fit(X, y, np.full(4000, 0.6))
    >>> model.predict(pd.DataFrame({"age": [30, 70]}), [0.6, 0.6]).round(1)
    array([0.2, 0. ])
    """

    def __init__(
        self,
        cost,
        t=None,
        *,
        method="crossfit",
        calibrator="platt",
        residual="tree",
        repair=None,
        min_samples_leaf=None,
        max_depth=None,
        n_halvings=4,
        rng=None,
    ):
        self.cost = cost
        self.t = t
        self.method = method
        self.calibrator = calibrator
        self.residual = residual
        self.repair = repair
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.n_halvings = n_halvings
        self.rng = rng

    def fit(self, X, y, p=None, sample_weight=None, groups=None):
        """Learn from labelled rows, at least 4 * min_samples_leaf.

        Parameters
        ----------
        X : DataFrame or array_like, shape (n, d)
            Features, see `helpers.partition.encoder`.
        y : array_like of 0/1, shape (n,)
            Labels.
        p : array_like, shape (n,), optional
            Stated probabilities of class 1; without them everybody's is the base rate of `y`, and nothing recalibrates.
        sample_weight, groups : array_like, shape (n,), optional
            Sampling weights (rows of weight 0 teach nothing and are judged as new ones), and labels of people,
            hospitals, …, which are never split into halves.

        Returns
        -------
        RiskEstimator
            Itself.
        """
        if self.repair is not None:
            self._fit_repair(X, y, p, sample_weight, groups)
            return self
        rows, leaf = self._checked(X, y, p, sample_weight, groups)
        y, p, X, weight, groups = rows.y, rows.p, rows.X, rows.weight, rows.groups
        rng = check_rng(self.rng)
        everybody = np.arange(y.size)
        if self.method == "paper":
            calibrate, *pair = split_rows(y, groups, (0.1, 0.5), rng)
            pairs = [pair]
        else:
            calibrate = everybody
            halves = [split_rows(y, groups, (0.5,), rng) for _ in range(self.n_halvings)]
            pairs = [pair for a, b in halves for pair in ((a, b), (b, a))]
        w = None if weight is None else weight[calibrate]
        self.calibrator_ = make_calibrator(self._calibrator).fit(p[calibrate], y[calibrate], w)
        residual = y - self.calibrated(p)
        trees = self._has_trees
        table = CheckedTable(self._table(X, p)) if trees else self._table(X, p)
        learn = self._tree if trees else self._regressor
        seeds = rng.integers(2**31, size=len(pairs))
        jobs = [
            partial(learn, table, residual, weight, groups, *pair, leaf, int(seed))
            for pair, seed in zip(pairs, seeds, strict=True)
        ]
        self.models_ = side_by_side(jobs, y.size)
        used = [pair[1 if trees else 0] for pair in pairs]  # rows whose labels are in the model's values
        given = np.flatnonzero(rows.kept)  # which of the rows given these are
        first = rows.with_copies(np.arange(rows.kept.size))  # a copy is seen with its first
        self._unseen = np.array([~np.isin(first, given[part]) for part in used])
        return self

    def calibrated(self, p):
        """Calibrated scores c(p), (n,)."""
        self._check_fitted()
        return self.calibrator_.predict(p)

    def corrected(self, X, p=None):
        """Corrected probability c + r of each row, which may leave [0, 1], or the repaired one."""
        return self._corrected(*self._rows(X, p))[0]

    def predict(self, X, p=None):
        """Estimated risk of each decision; 0: nobody would decide better.

        For rows of the fit use `fit_predict`: their own labels are in these means.

        Parameters
        ----------
        X, p : DataFrame or array_like, shape (n, d) and (n,)
            Features, and stated probabilities if `fit` had them.

        Returns
        -------
        ndarray, shape (n,)
            In the unit of the costs.
        """
        X, p = self._rows(X, p)
        return self._risk(p, *self._corrected(X, p))

    def fit_corrected(self, X, y, p=None, sample_weight=None, groups=None):
        """Fit, and return c + r of the same rows, each from learners or means that do not know its own label."""
        if self.method == "paper":
            raise ValueError('method must be "crossfit" here: half of the rows have no mean without their own label.')
        if self.repair is not None:
            rows, repaired = self._fit_repair(X, y, p, sample_weight, groups)
            if rows.kept.all():
                return repaired
            every = self.corrected(X, p)
            every[rows.kept] = repaired
            return rows.with_copies(every)
        self.fit(X, y, p, sample_weight, groups)
        X, p = self._rows(X, p)
        each = self._each(X, p)
        return self.calibrated(p) + np.where(self._unseen, each, 0).sum(axis=0) / self._unseen.sum(axis=0)

    def fit_predict(self, X, y, p=None, sample_weight=None, groups=None):
        """Fit, and return the risk of the same rows, judged by other people's labels (`fit_corrected`)."""
        corrected = self.fit_corrected(X, y, p, sample_weight, groups)
        X, p = self._rows(X, p)
        error = None if self.repair is None else self._corrected(X, p)[1]
        return self._risk(p, corrected, error)

    def to_frame(self, X, p=None):
        """Everything about each row as a table.

        Parameters
        ----------
        X, p : DataFrame or array_like, shape (n, d) and (n,)
            Features, and stated probabilities if `fit` had them.

        Returns
        -------
        DataFrame
            With the index of `X`. Columns: stated, calibrated, corrected; decision and best_decision (by the corrected
            probability) in the words of the cost matrix; risk, calibration_risk, grouping_risk; and, from the tree
            whose mean is nearest to that of all trees, region (number), rule (people like this one) and rows (that
            gave its mean). Without trees these are -1, "" and 0.
        """
        X, p = self._rows(X, p)
        corrected, error = self._corrected(X, p)
        c = self.calibrated(p)
        names = np.array(decision_names(self.cost), dtype=object)
        frame = pd.DataFrame({"stated": p, "calibrated": c, "corrected": corrected}, index=X.index)
        frame["decision"] = names[best_decision(p, self.cost, self.t)]
        frame["best_decision"] = names[best_decision(corrected, self.cost)]
        frame["risk"] = self._risk(p, corrected, error)
        frame["calibration_risk"] = calibration_risk(c, p, self.cost, self.t)
        frame["grouping_risk"] = np.mean(
            [grouping_risk(c, q, self.cost) for q in plausible_values(corrected, error)], axis=0
        )
        frame["region"] = -1
        frame["rule"] = ""
        frame["rows"] = 0
        if self._has_trees:
            table = self._table(X, p)
            each = self._each(X, p)
            nearest = np.abs(each - each.mean(axis=0)).argmin(axis=0)
            first = np.cumsum([0, *(tree.n_regions_ for tree in self.models_)])
            for k in np.unique(nearest):
                rows = nearest == k
                tree = self.models_[k]
                region = tree.apply(table[rows])
                frame.loc[rows, "region"] = first[k] + region
                frame.loc[rows, "rule"] = np.array(tree.rules(), dtype=object)[region]
                frame.loc[rows, "rows"] = tree.count_[region]
        return frame

    @property
    def pooled_(self):
        """Columns of which trees took rare levels together, a tuple of `helpers.partition.levels.Pooled`."""
        return most_pooled(tree.encoder_.pooled_ for tree in self.models_) if self._has_trees else ()

    @property
    def _calibrator(self):
        return "none" if self.base_rate_ is not None else self.calibrator  # one score for all has no curve

    @property
    def _has_trees(self):
        return self.repair is None and self.residual == "tree"

    def _fit_repair(self, X, y, p, weight, groups):
        """Fit the repair; return the rows that count and their out-of-fold probabilities."""
        rows, _ = self._checked(X, y, p, weight, groups)
        self.repair_ = clone(self.repair, safe=False)
        with no_table_warnings():  # they were given on entry
            repaired = self.repair_.fit_predict(rows.X, rows.y, rows.p, rows.weight, rows.groups)
        self.calibrator_ = self.repair_.calibrator_
        self._realise(rows, repaired)
        return rows, repaired

    def _realise(self, rows, repaired):
        """What deciding by the repaired probabilities would have saved, by the labels."""
        by_score = expected_cost(best_decision(rows.p, self.cost, self.t), rows.y, self.cost)
        saved = by_score - expected_cost(best_decision(repaired, self.cost), rows.y, self.cost)
        self.saved_, variance = mean_and_variance(saved, rows.weights, rows.groups)
        self.saved_se_ = float(np.sqrt(variance))

    def _check_fitted(self):
        check_is_fitted(self, "calibrator_", msg="This %(name)s has learned nothing yet: call fit first.")

    def _rows(self, X, p):
        """Checked rows to predict for: their table and stated probabilities."""
        self._check_fitted()
        X = self._check_columns(X)
        if (p is None) != (self.base_rate_ is not None):
            raise ValueError(f"p must {'not ' if p is not None else ''}be given, as in fit.")
        p = np.full(len(X), self.base_rate_) if p is None else check_probabilities(p)
        check_same_length(p=p, X=X)
        return X, p

    def _corrected(self, X, p):
        """c + r and, for a repair, its standard error (None for trees and regressors)."""
        if self.repair is not None:
            return self.repair_.predict(X, p, return_std=True)
        return self.calibrated(p) + self._each(X, p).mean(axis=0), None

    def _each(self, X, p):
        """Residual that each tree or regressor says, (models, n)."""
        table = self._table(X, p)
        if self._has_trees:
            table = CheckedTable(table)
            return np.array([tree.value_[tree.apply(table)] for tree in self.models_])
        return np.array([model.predict(table) for model in self.models_])

    def _risk(self, p, corrected, error):
        """Mean of the excess risks by what the probabilities may be."""
        return np.mean([excess_risk(q, p, self.cost, self.t) for q in plausible_values(corrected, error)], axis=0)

    def _tree(self, table, residual, weight, groups, choose, judge, leaf, seed):
        w_choose, w_judge = (None, None) if weight is None else (weight[choose], weight[judge])
        groups = None if groups is None else groups[choose]
        tree = HonestTree(min_samples_leaf=leaf, max_depth=self.max_depth, rng=seed)
        tree.fit(CheckedTable(table, choose), residual[choose], w_choose, groups)
        return tree.estimate_regions(tree.apply(CheckedTable(table, judge)), residual[judge], w_judge)

    def _leaf(self, n, n_units):
        if self.min_samples_leaf is not None:
            return check_count(self.min_samples_leaf, "min_samples_leaf")
        return 15 if self.method == "paper" else max(15, int(min(n / n_units**0.5, n / 8)))

    def _regressor(self, table, residual, weight, _groups, learn, other, leaf, seed):
        model = clone(self.residual)
        states = [name for name, value in model.get_params().items() if name.endswith("random_state") and value is None]
        model.set_params(**dict.fromkeys(states, seed))
        options = {} if weight is None else {"sample_weight": weight[learn]}
        return model.fit(table.iloc[learn], residual[learn], **options)

    def _table(self, X, p):
        return X if self.method == "paper" else with_score_column(X, p)

    def _checked(self, X, y, p, weight, groups):
        named = hasattr(X, "columns")
        y = as_column(y)
        stated = np.full(np.shape(y)[:1], 0.5) if p is None else p
        rows = check_rows(y, stated, X, weight, groups)
        self._check_options()
        self.base_rate_ = float(np.average(rows.y, weights=rows.weight)) if p is None else None
        if p is None:
            rows = replace(rows, p=np.full(rows.y.size, self.base_rate_))
        self._remember_columns(rows.X, named)
        n = rows.y.size
        leaf = self._leaf(n, n if rows.groups is None else rows.groups.max() + 1)
        if self._has_trees and n < 4 * leaf:
            raise ValueError(f"y must have at least 4 * min_samples_leaf = {4 * leaf} rows, but it has {n}.")
        return rows, leaf

    def _check_options(self):
        check_costs(self.cost)
        if self.t is not None:
            check_threshold(self.t, self.cost)
        check_one_of(self.method, "method", ("crossfit", "paper"))
        make_calibrator(self.calibrator)
        check_count(self.n_halvings, "n_halvings")
        if self.max_depth is not None:
            check_count(self.max_depth, "max_depth")
        if self.residual != "tree" and not (hasattr(self.residual, "fit") and hasattr(self.residual, "predict")):
            raise ValueError(f"residual must be 'tree' or a scikit-learn regressor, but it is {self.residual!r}.")
        if self.repair is not None:
            self._check_repair()

    def _check_repair(self):
        """ValueError unless the repair has the methods of one, and no other option is asked to do its work."""
        absent = [name for name in METHODS if not hasattr(self.repair, name)]
        if absent or isinstance(self.repair, type):
            raise ValueError(
                f"repair must be an object with the methods {' and '.join(METHODS)}, such as a Recalibrator, but it is "
                f"{self.repair!r}."
            )
        for name, default in DEFAULTS.items():
            if getattr(self, name) != default:
                raise ValueError(
                    f"{name} must stay {default!r} beside a repair, which does this work itself, but it is "
                    f"{getattr(self, name)!r}."
                )


def plausible_values(corrected, error):
    """Equally likely values of the probabilities, [(n,)], given standard errors; `corrected` alone without errors."""
    if error is None or not error.any():
        return [corrected]
    return [np.clip(corrected + k * error, 0, 1) for k in ERRORS]
