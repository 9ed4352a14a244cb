"""Every public estimator and measure, asked about a `Sample`, with what it says sorted by how that follows a change."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier

from helpers.answers import sem1, sem2, sem_ece
from helpers.audit import audit_groups, measure_columns, measure_groups, search_segments, tree_groups
from helpers.calibration import (
    AffineCalibrator,
    IsotonicCalibrator,
    PlattCalibrator,
    calibration_error,
    calibration_line,
    monotone_curve,
    reliability_curve,
    running_curve,
)
from helpers.decisions import RiskEstimator, cost_matrix, oracle_risk
from helpers.grouping import (
    binned_grouping_loss,
    binned_grouping_loss_from_regions,
    exact_decomposition,
    grouping_loss,
    grouping_loss_from_regions,
    stacked_grouping_loss,
)
from helpers.partition import HonestTree
from helpers.practice.chunks import evaluate_in_chunks, fit_partition, read_chunks
from helpers.practice.repair import ClassRecalibrator, Recalibrator, RepairedClassifier
from helpers.resampling import bootstrap_interval, paired_difference
from helpers.routing import TreeRouter, cascade, compare_policies, confidence_cascade, evaluate_policies, route
from helpers.scoring import BRIER, LOG, decompose
from helpers.selective import (
    aurc,
    certified_precision,
    compare_systems,
    confidence_auc,
    confidence_metrics,
    ecuas,
    expected_cost_at,
    measure_systems,
    normalized_ecuas,
    normalized_of_confidence,
    risk_coverage_curve,
    selective_metrics,
)

EVEN = cost_matrix(false_alarm=1, miss=1)

PRICES = [1.0, 5.0]


@dataclass(frozen=True)
class EntryPoint:
    """An estimator or a measure.

    Parameters
    ----------
    ask : callable
        Sample -> what is said, by how it follows a change: numbers and words, which stay; bins, which stand the other
        way round if the other class is 1; gaps (low, gap, high) of observed less stated, and chance_ends (low, chance,
        high); rows and chance_rows, one a row. Beside these estimates, which no draw touches, and value with its se.
    takes : set of str
        Of "X", "weight" (sampling weights), "frequency" (how often a row occurs), "groups", "classes" (columns in any
        order), "label" (either of two classes may be 1).
    tries : int
        Examples of each relation, few of what is slow.
    """

    ask: Callable
    takes: frozenset
    tries: int = 2


ENTRY_POINTS = {}


def entry_point(name, *takes, tries=2):
    """Put a function on the list."""

    def listed(ask):
        ENTRY_POINTS[name] = EntryPoint(ask, frozenset(takes), tries)
        return ask

    return listed


def options(s):
    return {"sample_weight": s.weight, "groups": s.groups}


# ---- grouping loss --------------------------------------------------------------------------------------------------


def loss(found):
    ends = [found.value, found.se, found.low, found.high]
    numbers = [*ends, getattr(found, "p_value", 0.0)]
    return {"numbers": numbers, "estimates": [found.value]} | of_value(found.value, found.se)


def of_value(value, se):
    return {"value": value, "se": se}


LOSSES = {
    "grouping_loss": (grouping_loss, {}),
    "grouping_loss, 3 splits": (grouping_loss, {"n_splits": 3}),
    "grouping_loss, isotonic": (grouping_loss, {"calibrator": "isotonic"}),
    "grouping_loss, paper": (grouping_loss, {"method": "paper", "min_samples_leaf": 8}),
    "binned_grouping_loss": (binned_grouping_loss, {"n_bins": 4}),
    "binned_grouping_loss, 3 splits": (binned_grouping_loss, {"n_bins": 4, "n_splits": 3}),
}

for label, (function, given) in LOSSES.items():
    entry_point(label, "X", "weight", "groups", "label", tries=1 if "3" in label else 2)(
        lambda s, function=function, given=given: loss(function(s.y, s.p, s.X, rng=0, **options(s), **given))
    )


@entry_point("stacked_grouping_loss", "X", "weight", "groups", "label", tries=1)
def stacked(s):
    return loss(stacked_grouping_loss(s.y, s.p, s.X, n_folds=2, rng=0, **options(s)))


@entry_point("grouping_loss of classes", "X", "weight", "groups", "classes", tries=1)
def loss_of_classes(s):
    return loss(grouping_loss(s.name, s.P, s.X, rng=0, **options(s)))


@entry_point("grouping_loss_from_regions", "weight", "groups", "label")
def loss_of_regions(s):
    return loss(grouping_loss_from_regions(np.asarray(s.y, float) - np.asarray(s.p), s.region, **options(s)))


@entry_point("binned_grouping_loss_from_regions", "weight", "groups", "label")
def binned_loss_of_regions(s):
    return loss(binned_grouping_loss_from_regions(s.y, s.p, s.region, n_bins=3, rng=0, **options(s)))


@entry_point("exact_decomposition", "weight", "label")
def parts(s):
    known = exact_decomposition(s.q, s.p, s.region, n_bins=3, sample_weight=s.weight)
    return {"numbers": [known.grouping_loss, known.explained, known.induced, known.residual]}


# ---- calibration ----------------------------------------------------------------------------------------------------


def curve(found):
    ends = [found.low, found.observed, found.high]
    if hasattr(found, "count"):
        ends += [found.band_low, found.stated, found.band_high]
        return {"chance_ends": np.reshape(ends, (2, 3, -1)), "bins": [found.weight, found.effective]}
    return {"chance_ends": np.array(ends)[None]}


@entry_point("calibration_error", "weight", "groups", "label")
def binned_error(s):
    error = calibration_error(s.y, s.p, n_bins=4, n_simulations=100, rng=0, **options(s))
    ends = [error.debiased, error.low, error.high, error.null, error.p_value]
    return {"numbers": [error.value, *ends], "estimates": [error.value]}


@entry_point("reliability_curve", "weight", "groups", "label")
def reliability(s):
    return curve(reliability_curve(s.y, s.p, n_bins=4, **options(s)))


@entry_point("calibration_line", "weight", "groups", "label")
def line(s):
    found = calibration_line(s.y, s.p, **options(s))
    low, high = found.intercept_interval
    numbers = [found.slope, *found.slope_interval, found.p_value]
    return {"numbers": numbers, "gaps": [[low, found.intercept, high]], "estimates": [found.slope]}


@entry_point("monotone_curve", "weight", "groups", "label")
def monotone(s):
    found = monotone_curve(s.y, s.p, **options(s))
    distance = np.sort(np.abs(found.observed - found.stated))
    return curve(found) | {"numbers": [found.p_value], "estimates": distance}


@entry_point("running_curve", "label")
def running(s):
    return {"chance_rows": running_curve(s.y, s.p)}


@entry_point("PlattCalibrator", "weight", "label")
def platt(s):
    return {"chance_rows": PlattCalibrator().fit(s.p, s.y, s.weight).predict(s.p)}


@entry_point("IsotonicCalibrator", "weight", "label")
def isotonic(s):
    return {"chance_rows": IsotonicCalibrator().fit(s.p, s.y, s.weight).predict(s.p)}


@entry_point("AffineCalibrator", "weight", "classes")
def affine(s):
    classes = list(s.P.columns)
    log_scores = np.log(s.P.clip(lower=1e-9)).to_numpy()
    codes = pd.Index(classes).get_indexer(s.name)
    proba = AffineCalibrator().fit(log_scores, codes, s.weight).predict_proba(log_scores)
    return {"rows": proba[:, np.argsort(classes)]}


# ---- audit, repair, risk --------------------------------------------------------------------------------------------


def gaps(table):
    """Gaps of groups with their ends, and the strongest one."""
    ends = table[["low", "gap", "high"]].to_numpy(float)
    value = {"value": abs(ends[0, 1]), "se": (ends[0, 2] - ends[0, 0]) / 4} if len(ends) else {}  # nobody is named
    return {"gaps": ends, "estimates": np.abs(ends[:, 1])} | value


@entry_point("search_segments", "X", "weight", "groups", "label", tries=1)
def search(s):
    found = search_segments(s.y, s.p, s.X, n_draws=39, min_rows=30, rng=0, **options(s))
    chosen = found.selected
    return {"words": chosen["rule"].tolist(), "numbers": [found.p_value, *chosen["adjusted"]]} | gaps(chosen)


@entry_point("audit_groups", "X", "weight", "groups", "label", tries=1)
def audit(s):
    chosen = audit_groups(s.y, s.p, s.X, n_draws=39, min_rows=30, rng=0, **options(s))
    return {"words": chosen["rule"].tolist()} | gaps(chosen)


@entry_point("audit_groups of classes", "X", "weight", "groups", "classes", tries=1)
def audit_of_classes(s):
    chosen = audit_groups(s.name, s.P, s.X, n_draws=39, min_rows=30, rng=0, **options(s))
    return {"words": chosen[["rule", "class"]].to_numpy().tolist()} | gaps(chosen)


@entry_point("tree_groups", "X", "weight", "groups", "label")
def groups_of_tree(s):
    table = tree_groups(s.y, s.p, s.X, min_rows=30, rng=0, **options(s)).table.sort_values("rule")
    return {"words": table["rule"].tolist()} | gaps(table)


@entry_point("measure_columns", "X", "weight", "groups", "label", tries=1)
def columns(s):
    table = measure_columns(s.y, s.p, s.X, ["age", "sex", "town", "income"], **options(s))
    return {"words": table["rule"].tolist(), "numbers": table["share"]} | gaps(table)


@entry_point("measure_groups", "weight", "groups", "label")
def given_groups(s):
    table = measure_groups(s.y, s.p, s.region, **options(s))
    return {"numbers": table["share"]} | gaps(table)


@entry_point("HonestTree", "X", "weight", "label")
def tree(s):
    residual = np.asarray(s.y, float) - np.asarray(s.p)
    return {"rows": np.abs(HonestTree(rng=0).fit(s.X, residual, s.weight).predict(s.X))}


def risk(s, **given):
    model = RiskEstimator(EVEN, rng=0, **given)
    if given.get("method") == "paper":
        return model.fit(s.X, s.y, s.p, **options(s)).predict(s.X, s.p)
    return model.fit_predict(s.X, s.y, s.p, **options(s))


for label, given in {"trees": {"n_halvings": 2}, "paper": {"method": "paper"}}.items():

    @entry_point(f"RiskEstimator, {label}", "X", "weight", "groups", "label")
    def risks(s, given=given):
        rows = risk(s, **given)
        return {"rows": rows} | of_value(np.mean(rows), 0.05)


@entry_point("RiskEstimator, repair", "weight", tries=1)
def risks_by_repair(s):
    return {"rows": risk(s, repair=Recalibrator(rng=0))}


@entry_point("Recalibrator", "X", "weight", "groups", "label", tries=1)
def repair(s):
    model = Recalibrator(n_folds=2, alpha=1, fast=True, rng=0)
    repaired = model.fit_predict(s.X, s.y, s.p, **options(s))
    numbers = [model.p_value_, model.gain_, model.gain_se_]
    return {"chance_rows": repaired, "numbers": numbers} | of_value(model.gain_, model.gain_se_)


@entry_point("ClassRecalibrator", "X", "weight", "groups", "classes", tries=1)
def repair_of_classes(s):
    model = ClassRecalibrator(n_folds=2, alpha=1, rng=0)
    repaired = model.fit_predict(s.X, s.name, s.P, **options(s))[:, np.argsort(s.P.columns)]
    return {"rows": repaired} | of_value(repaired[:, 0].mean(), 0.01)


@entry_point("RepairedClassifier", "X", "weight", "groups", "label", tries=1)
def classifier(s):
    numbers = s.X.select_dtypes("number")
    model = RepairedClassifier(HistGradientBoostingClassifier(max_iter=5, random_state=0), cv=2, random_state=0)
    proba = model.fit(numbers, s.y, **options(s)).predict_proba(numbers)[:, 1]
    return {"chance_rows": proba} | of_value(model.repair_.gain_, max(model.repair_.gain_se_, 0.01))


@entry_point("chunks", "X", "weight", "groups", "label", tries=1)
def chunks(s):
    table = s.X.assign(label=np.asarray(s.y, float), score=np.asarray(s.p))
    roles = {name: getattr(s, of) is not None for name, of in (("weight", "weight"), ("group", "groups"))}
    for name in (name for name, given in roles.items() if given):
        table[name] = s.weight if name == "weight" else s.groups
    names = {name: name if given else None for name, given in roles.items()}
    partition = fit_partition(table, **names, max_depth=3, rng=0)
    sums = evaluate_in_chunks(read_chunks(table, rows=100), partition)
    found = sums.grouping_loss()
    numbers = [found.value, found.se, found.low, found.high, sums.scores.mean["brier"], sums.scores.se["brier"]]
    numbers.append(sums.calibration_error(n_simulations=100, rng=0).value)
    return {"numbers": numbers} | of_value(found.value, found.se)


# ---- scores and decisions -------------------------------------------------------------------------------------------


@entry_point("scoring rules", "weight", "label")
def scores(s):
    variance = [rule.variance(s.q, s.weight) for rule in (BRIER, LOG)]
    each = [rule.score(s.y, s.p) for rule in (BRIER, LOG)] + [rule.divergence(s.q, s.p) for rule in (BRIER, LOG)]
    return {"rows": np.column_stack(each), "numbers": variance}


@entry_point("decompose", "weight", "label")
def decomposition(s):
    found = [decompose(s.q, s.p, rule=rule, sample_weight=s.weight) for rule in (BRIER, LOG)]
    return {"numbers": [part for one in found for part in (one.calibration, one.grouping, one.irreducible)]}


@entry_point("decompose of classes", "weight", "classes")
def decomposition_of_classes(s):
    q = s.P.to_numpy() ** 2 / (s.P.to_numpy() ** 2).sum(axis=1, keepdims=True)
    found = decompose(q, s.P, sample_weight=s.weight, view="classwise")
    return {"numbers": [found.calibration, found.grouping, found.irreducible]}


@entry_point("oracle_risk", "label")
def risk_of_truth(s):
    return {"rows": oracle_risk(s.q, s.p, EVEN)}


# ---- answers with a confidence --------------------------------------------------------------------------------------


@entry_point("ecuas")
def costs(s):
    return {"rows": ecuas(s.y, s.p, n=1)}


@entry_point("aurc", "frequency")
def area(s):
    return {"numbers": [aurc(s.y, s.p, sample_weight=s.weight)]}


@entry_point("risk_coverage_curve", "frequency")
def coverage(s):
    found = risk_coverage_curve(s.y, s.p, sample_weight=s.weight)
    return {"bins": [found.threshold, found.coverage, found.risk], "numbers": [found.prr, found.best_aurc]}


@entry_point("METRICS", "frequency")
def metrics(s):
    return {"numbers": confidence_metrics(s.y, s.p, n=[0, 1], sample_weight=s.weight)}


@entry_point("selective_metrics", "frequency", "classes")
def table_3(s):
    codes = s.P.columns.get_indexer(s.name)
    return {"numbers": selective_metrics(codes, s.P, n=[1], sample_weight=s.weight)}


@entry_point("confidence_auc", "weight", "label")
def auc(s):
    return {"numbers": [confidence_auc(s.y, s.p, sample_weight=s.weight)]}


@entry_point("expected_cost_at", "weight")
def cost_at(s):
    return {"numbers": expected_cost_at(s.y, s.p, [0.05, 0.3, 0.6], sample_weight=s.weight).to_numpy().ravel()}


@entry_point("normalized scores", "weight", "classes")
def normalized(s):
    codes = s.P.columns.get_indexer(s.name)
    of_confidence = normalized_of_confidence(BRIER.score, s.y, s.p, sample_weight=s.weight)
    return {"numbers": [of_confidence, normalized_ecuas(codes, s.P, n=1, sample_weight=s.weight)]}


@entry_point("certified_precision")
def certified(s):
    found = certified_precision(s.y, s.p, precision=0.7, starts=[20, 60])
    return {"numbers": [found.threshold, found.n_accepted, found.rows_needed]}


@entry_point("measure_systems", "groups")
def measured(s):
    table = measure_systems({"one": (s.y, s.p)}, n=1, n_resamples=20, groups=s.groups, rng=0)
    return {"numbers": table[["low", "value", "high"]].to_numpy(float).ravel(), "estimates": table["value"]}


@entry_point("compare_systems", "groups")
def compared(s):
    systems = {"one": (s.y, s.p), "two": (s.y, s.other)}
    table = compare_systems(systems, n=1, n_resamples=20, groups=s.groups, rng=0)
    numbers = table.select_dtypes("number")
    return {"numbers": numbers.to_numpy(float).ravel(), "estimates": numbers.iloc[:, 0]}


@entry_point("bootstrap_interval", "groups")
def bootstrap(s):
    found = bootstrap_interval(np.mean, s.p, n_resamples=50, groups=s.groups, rng=0)
    return {"numbers": [found.value, found.low, found.high], "estimates": [found.value]}


@entry_point("paired_difference", "groups", "label")
def paired(s):
    found = paired_difference(s.p, s.other, n_resamples=50, groups=s.groups, rng=0)
    return {"gaps": [[found.low, found.value, found.high]], "estimates": [abs(found.value)]}


# ---- sampled answers ------------------------------------------------------------------------------------------------


@entry_point("sem1", "classes")
def agreement(s):
    return {"rows": sem1(s.counts)}


@entry_point("sem2", "classes")
def held_out_agreement(s):
    return {"rows": sem2(s.counts)}


@entry_point("sem2, averaged over ties", "classes")
def held_out_agreement_by_lot(s):
    return {"rows": sem2(s.counts, ties="average")}


@entry_point("sem_ece", "groups", tries=1)
def semantic(s):
    found = sem_ece(s.counts, np.asarray(s.y, float), stated=s.p, n_resamples=20, groups=s.groups, rng=0)
    numbers = [error.value for error in found.errors.values()]
    ends = found.differences[["low", "high"]].to_numpy(float).ravel()
    return {"numbers": [*numbers, *ends], "estimates": numbers}


# ---- which model answers --------------------------------------------------------------------------------------------


def pool(s):
    stated = np.array([np.asarray(s.p, float), np.asarray(s.other, float)])
    return stated, (stated > 0.5).astype(int)


def routed(found):
    return {"rows": np.column_stack([found.prediction, found.model, found.paid])}


@entry_point("cascade")
def by_risk(s):
    stated, answers = pool(s)
    return routed(cascade(oracle_risk(np.asarray(s.q), s.p, EVEN) * np.ones((2, 1)), answers, PRICES, tau=0.01))


@entry_point("confidence_cascade")
def by_confidence(s):
    return routed(confidence_cascade(*pool(s), PRICES, threshold=0.7))


@entry_point("route")
def by_accuracy(s):
    return routed(route(*pool(s), PRICES, willingness=10))


@entry_point("TreeRouter", "X", "groups", tries=1)
def router(s):
    right = np.array([np.asarray(s.y, float), 1 - np.asarray(s.y, float)])
    rows = TreeRouter(n_halvings=2, rng=0).fit(s.X, right, groups=s.groups).predict(s.X).T
    return {"rows": rows} | of_value(rows[:, 0].mean(), 0.02)


def policies(s):
    names = {"cascade": confidence_cascade(*pool(s), PRICES, threshold=0.7)}
    return names | {"route": route(*pool(s), PRICES, willingness=10)}


@entry_point("evaluate_policies", "groups")
def policies_evaluated(s):
    table = evaluate_policies(policies(s), np.asarray(s.y, int), n_resamples=20, groups=s.groups, rng=0)
    return {"numbers": table.to_numpy().ravel(), "estimates": table[["accuracy", "money"]].to_numpy().ravel()}


@entry_point("compare_policies", "groups")
def policies_compared(s):
    given = {"against": "route", "n_resamples": 20, "groups": s.groups, "rng": 0}
    table = compare_policies(policies(s), np.asarray(s.y, int), **given)
    estimates = table[["accuracy_gain", "cost_change", "money_ratio"]].to_numpy().ravel()
    return {"numbers": table.to_numpy().ravel(), "estimates": estimates}
