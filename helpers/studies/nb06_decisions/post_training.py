"""Does the estimated risk of a model's decisions foretell what post-training will save? Real tasks, four models.

The experiment of Melo et al. (2026), appendix C.1, on data that are shipped: a model is given, other rows recalibrate
and fine-tune it, and the rows that are left show what either saves.
"""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.feature_selection import SelectKBest, VarianceThreshold
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from helpers.calibration import PlattCalibrator
from helpers.calibration.calibrators import clipped_logit
from helpers.checks import check_count, check_groups
from helpers.datasets import load_acs12, load_breast_cancer, load_digits, load_fair, load_rand_hie
from helpers.datasets.survey_answers import TOLD, who_is_asked
from helpers.decisions import RiskEstimator, best_decision, cost_matrix, excess_risk, expected_cost, grouping_risk
from helpers.decisions.costs import check_costs
from helpers.partition import BinnedTree, split_rows
from helpers.partition.checked import check_table
from helpers.partition.kinds import as_numbers
from helpers.resampling import percentile_ends, resampled_rows

SHARES = (0.2, 0.6)  # rows that train the model end here, those that tune it there, the others test


def models(rng=None):
    """Classifiers of four kinds, not fitted."""
    seed = int(np.random.default_rng(rng).integers(2**31))
    return {
        "one feature": make_pipeline(VarianceThreshold(), SelectKBest(k=1), StandardScaler(), LogisticRegression()),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        "naive Bayes": GaussianNB(var_smoothing=1e-6),
        "tree": DecisionTreeClassifier(max_depth=3, random_state=seed),
    }


def real_tasks(max_rows=3000, *, digits=range(10), rng=None):
    """Yes-or-no questions about four real data sets; of larger ones `max_rows` rows are drawn at random, whole people.

    RAND: at least 1, 2, 5, 10 visits to a doctor in the year; Fair: any affair; breast cancer: malignant; and for each
    of `digits`: this digit or another (constant pixels are left out).
    """
    rng = np.random.default_rng(rng)
    check_count(max_rows, "max_rows", least=200)
    tasks = {f"RAND, {k} or more visits": load_rand_hie(k) for k in (1, 2, 5, 10)} | {"Fair": load_fair()}
    cancer = load_breast_cancer()
    tasks["cancer"] = replace(cancer, y=1 - cancer.y)
    images = load_digits()
    ink = images.X.loc[:, images.X.nunique() > 1]
    tasks |= {f"digit {k}": replace(images, X=ink, y=(images.y == k).astype(int)) for k in digits}
    return {name: _thinned(data, max_rows, rng) for name, data in tasks.items()}


@dataclass(frozen=True)
class SurveyTask:
    """A question about people of the survey: what is known of them, and the answers."""

    X: pd.DataFrame
    y: np.ndarray
    groups: None = None
    name: str = "acs12"


def survey_tasks():
    """The three questions that language models were asked about people of the survey, with what they were told."""
    people = load_acs12()
    return {
        task: SurveyTask(people.loc[rows, TOLD[task]].reset_index(drop=True), label[rows].to_numpy(int))
        for task, (rows, label) in who_is_asked(people).items()
    }


def _thinned(data, max_rows, rng):
    """People drawn at random, with all their rows, until there are `max_rows`."""
    if len(data.y) <= max_rows:
        return data
    unit = np.arange(len(data.y)) if data.groups is None else np.unique(data.groups, return_inverse=True)[1]
    order = rng.permutation(unit.max() + 1)
    kept = np.isin(unit, order[np.cumsum(np.bincount(unit)[order]) <= max_rows])
    groups = None if data.groups is None else data.groups[kept]
    return replace(data, X=data.X[kept].reset_index(drop=True), y=data.y[kept], groups=groups)


def as_matrix(X):
    """A table as finite floats for scikit-learn: text as one column a category, medians where a number is missing.

    >>> as_matrix(pd.DataFrame({"age": [20.0, None, 40.0], "sex": ["f", "m", "f"]})).tolist()
    [[20.0, 1.0, 0.0], [30.0, 0.0, 1.0], [40.0, 1.0, 0.0]]
    """
    X = check_table(X)
    columns = []
    for name in X.columns:
        numbers = as_numbers(X[name])
        if numbers is None:
            columns.append(pd.get_dummies(X[name]).to_numpy(float))
        else:
            columns.append(np.where(np.isnan(numbers), np.nanmedian(numbers), numbers)[:, None])
    return np.hstack(columns)


def post_training(X, y, model, *, groups=None, thresholds=(0.1, 0.3, 0.5, 0.7, 0.9), rng=None):
    """What recalibration and fine-tuning save, and what could be known before: one row for each cost matrix."""
    groups = check_groups(groups)  # numbered anew: drawing people at random left gaps
    rng = np.random.default_rng(rng)
    Z = as_matrix(X)
    train, tune, test = split_rows(y, groups, SHARES, rng)
    p = model.fit(Z[train], y[train]).predict_proba(Z)[:, 1]
    c = PlattCalibrator().fit(p[tune], y[tune]).predict(p)
    stacked = np.column_stack([Z, clipped_logit(c)])
    boosted = GradientBoostingClassifier(n_estimators=40, min_samples_leaf=15, max_features=0.5, random_state=0)
    tuned = boosted.fit(stacked[tune], y[tune]).predict_proba(stacked)[:, 1]

    def estimated(rows):
        people = None if groups is None else groups[rows]
        risk = RiskEstimator(cost_matrix(false_alarm=1, miss=1), n_halvings=2, rng=rng)
        corrected = risk.fit_corrected(X.iloc[rows], y[rows], p[rows], groups=people)
        return p[rows], risk.calibrated(p[rows]), corrected

    def binned(rows):
        """Rates of bins of the score, and of regions inside them as in the 2023 paper, from the other half."""
        people = None if groups is None else check_groups(groups[rows])
        halves = split_rows(y[rows], people, (0.5,), rng)
        rate, inside = np.empty((2, rows.size))
        for choose, judge in (halves, halves[::-1]):
            tree = BinnedTree(rng=rng).fit(X.iloc[rows[choose]], y[rows[choose]], p[rows[choose]])
            region = tree.apply(X.iloc[rows], p[rows])
            of_bin = tree.bin_of_region_[region]
            residual = pd.Series(y[rows] - p[rows])[judge]
            miss = residual.groupby(of_bin[judge]).mean().reindex(of_bin[choose]).fillna(0.0).to_numpy()
            left = residual.groupby(region[judge]).mean().reindex(region[choose]).to_numpy()
            rate[choose] = p[rows[choose]] + miss
            inside[choose] = p[rows[choose]] + np.where(np.isnan(left), miss, left)
        return p[rows], np.clip(rate, 0, 1), inside

    sources = {"": estimated(test), "_elsewhere": estimated(tune), "_binned": binned(test)}
    scores = {"accuracy": np.mean((p[test] >= 0.5) == y[test]), "brier": np.mean((p[test] - y[test]) ** 2)}
    scores["auc"] = roc_auc_score(y[test], p[test])
    lines = []
    for t in thresholds:
        cost = check_costs(cost_matrix(false_alarm=2 * t, miss=2 * (1 - t)))
        line = {"t": t, "n": test.size}
        for name, score in (("cost", p), ("recalibrated", c), ("tuned", tuned)):
            line[name] = expected_cost(best_decision(score[test], cost), y[test], cost).mean()
        for suffix, (stated, calibrated, corrected) in sources.items():
            line[f"risk{suffix}"] = excess_risk(corrected, stated, cost).mean()
            line[f"grouping{suffix or '_risk'}"] = grouping_risk(calibrated, corrected, cost).mean()
        lines.append(line | scores)
    return pd.DataFrame(lines)


def try_all(tasks, classifiers, rng=None):
    """`post_training` of each classifier on each task (one split a task), with what each step saved."""
    seeds = np.random.default_rng(rng).integers(2**31, size=len(tasks))
    parts = []
    for (task, data), seed in zip(tasks.items(), seeds, strict=True):
        for name, model in classifiers.items():
            saved = post_training(data.X, data.y, model, groups=data.groups, rng=int(seed))
            parts.append(saved.assign(task=task, data=data.name, model=name))
    table = pd.concat(parts, ignore_index=True)
    table["recalibration"] = table["cost"] - table["recalibrated"]
    table["fine_tuning"] = table["cost"] - table["tuned"]
    table["after_recalibration"] = table["recalibrated"] - table["tuned"]
    return table


def squared_rank_correlation(a, b):
    """Square of Spearman's correlation with its sign, -1 to 1, of columns `a` with `b`; 0 if one is constant.

    >>> squared_rank_correlation([1, 2, 3, 4], [10, 20, 30, 100]), squared_rank_correlation([1, 2], [5, 4])
    (1.0, -1.0)
    """
    ranks = rankdata(np.vstack([np.transpose(a), b]), axis=1)
    ranks -= ranks.mean(axis=1, keepdims=True)
    size = np.sqrt((ranks**2).sum(axis=1))
    correlation = (ranks[:-1] * ranks[-1]).sum(axis=1) / np.where(size[:-1] * size[-1] > 0, size[:-1] * size[-1], 1)
    squares = np.round(correlation * abs(correlation), 12)
    return squares if np.ndim(a) == 2 else float(squares[0])


def rank_guides(table, outcome, guides, *, n_resamples=200, rng=None):
    """How well each guide {words: column}, known beforehand, ranks an outcome: squared rank correlation, 95 % interval.

    Whole tasks are resampled, because the triplets of one task are not independent.
    """
    a, b = table[list(guides.values())].to_numpy(), table[outcome].to_numpy()
    samples = resampled_rows(len(b), n_resamples, groups=table["task"], rng=rng)
    low, high = percentile_ends([squared_rank_correlation(a[rows], b[rows]) for rows in samples])
    return pd.DataFrame({"value": squared_rank_correlation(a, b), "low": low, "high": high}, list(guides))
