"""Bad inputs x functions: each pair raises a ValueError that names the argument, before anything is computed."""

import pickle
import re
from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refuses
from sklearn.base import clone

from helpers.answers.combination import combine_confidences
from helpers.audit import holm, measure_columns, measure_groups, search_segments, tree_groups
from helpers.binning import assign_bins, quantile_edges
from helpers.calibration import (
    IsotonicCalibrator,
    PlattCalibrator,
    calibration_error,
    calibration_line,
    cross_calibrate,
    monotone_curve,
    reliability_curve,
    running_curve,
)
from helpers.decisions import RiskEstimator, bayes_decision, calibration_risk, expected_cost, grouping_risk, oracle_risk
from helpers.grouping import (
    binned_grouping_loss,
    binned_grouping_loss_from_regions,
    exact_decomposition,
    grouping_loss,
    grouping_loss_from_regions,
    stacked_grouping_loss,
)
from helpers.grouping.truth import captured_loss
from helpers.partition import BinnedTree, HonestTree
from helpers.practice.chunks import fit_partition
from helpers.practice.repair import Recalibrator
from helpers.resampling import bootstrap_interval, paired_difference
from helpers.routing import (
    TreeRouter,
    certified_threshold,
    evaluate_policies,
    oracle_route,
    single_model,
    sweep_cascades,
)
from helpers.scoring import BRIER, LOG, decompose, top_label
from helpers.selective import (
    aurc,
    certified_precision,
    chow_cost,
    compare_systems,
    confidence_auc,
    confidence_metrics,
    ecuas,
    expected_cost_at,
    general_ecuas,
    measure_systems,
    normalized_ecuas,
    normalized_of_confidence,
    selective_metrics,
)
from helpers.simulation import SemiSynthetic

N = 120
RNG = np.random.default_rng(0)
GOOD = {
    "p": RNG.random(N),
    "q": RNG.random(N),
    "c": RNG.random(N),
    "X": pd.DataFrame({"a": RNG.normal(size=N), "b": RNG.choice(["u", "v"], N)}),
    "residual": RNG.uniform(-1, 1, N),
    "region": np.arange(N) % 5,
    "sample_weight": RNG.uniform(0.5, 2, N),
    "groups": np.arange(N) // 3,
    "edges": np.array([0, 0.5, 1]),
    "a": RNG.random(N),
    "b": RNG.random(N),
}
GOOD["y"] = (RNG.random(N) < GOOD["p"]).astype(int)
GOOD |= {"correct": GOOD["y"], "confidence": GOOD["p"], "at": np.arange(N) / N}
GOOD["proba"] = np.column_stack([1 - GOOD["p"], GOOD["p"]])

TREE = HonestTree(min_samples_leaf=5, rng=0).fit(GOOD["X"], GOOD["residual"])
BINNED = BinnedTree(n_bins=2, rng=0).fit(GOOD["X"], GOOD["y"], GOOD["p"])
PLATT, ISOTONIC = (fit().fit(GOOD["p"], GOOD["y"]) for fit in (PlattCalibrator, IsotonicCalibrator))
COST = [[0, 2], [1, 0]]
TREES = RiskEstimator(COST, min_samples_leaf=5, rng=0)
RISK = clone(TREES).fit(GOOD["X"], GOOD["y"], GOOD["p"])
POLICIES = {"zeros": single_model(np.zeros((1, N), int), [1.0], 0)}
ANSWERS = GOOD["y"], GOOD["p"]
SYSTEMS = {name: (GOOD["y"], GOOD[name]) for name in ("a", "b")}


def zeros(_):
    return POLICIES["zeros"]


@cache
def repair():
    return Recalibrator(alpha=1.0, n_folds=2, rng=0).fit(GOOD["X"], GOOD["y"], GOOD["p"])


def on(names, function, **options):
    """`function` as a call of the columns in `names` alone."""

    def call(**columns):
        return function(**columns, **options)

    call.names = names.split()
    return call


ROWS = "y p sample_weight groups"
TABLE = "y p X sample_weight groups"
SEEDED = {"rng": 0}
FUNCTIONS = {
    "brier score": on("p y", BRIER.score),
    "log score": on("p y", LOG.score),
    "divergence": on("p q", LOG.divergence),
    "entropy": on("q", BRIER.entropy),
    "decompose": on("p q c sample_weight", decompose),
    "quantile edges": on("p", quantile_edges, n_bins=5),
    "assign bins": on("p edges", assign_bins),
    "platt": on("p y sample_weight", lambda **of: PlattCalibrator().fit(*of.values())),
    "isotonic": on("p y sample_weight", lambda **of: IsotonicCalibrator().fit(*of.values())),
    "platt predict": on("p", lambda p: PLATT.predict(p)),
    "isotonic predict": on("p", lambda p: ISOTONIC.predict(p)),
    "reliability": on(ROWS, reliability_curve),
    "calibration error": on(ROWS, calibration_error, n_simulations=100, **SEEDED),
    "calibration line": on(ROWS, calibration_line),
    "monotone curve": on(ROWS, monotone_curve),
    "subgroups that are given": on(ROWS, lambda y, p, **of: measure_groups(y, p, np.arange(N) % 2, **of)),
    "columns that are given": on(TABLE, lambda y, p, X, **of: measure_columns(y, p, X, "b", **of)),
    "segments": on(TABLE, search_segments, n_draws=19, **SEEDED),
    "leaves": on(TABLE, tree_groups, min_rows=10, **SEEDED),
    "stacked grouping loss": on(TABLE, stacked_grouping_loss, n_folds=2, **SEEDED),
    "router": on("X groups", TreeRouter(n_halvings=1, rng=0).fit, correct=[GOOD["y"], 1 - GOOD["y"]]),
    "policies": on("groups", evaluate_policies, policies=POLICIES, y=GOOD["y"], n_resamples=20, **SEEDED),
    "threshold": on("groups", certified_threshold, policy=zeros, thresholds=[0.0], y=GOOD["y"], target=0.9),
    "systems": on("groups", measure_systems, systems=SYSTEMS, n_resamples=20, **SEEDED),
    "pairs of systems": on("groups", compare_systems, systems=SYSTEMS, against="a", n_resamples=20, **SEEDED),
    "confidences together": on(
        "groups", combine_confidences, correct=GOOD["y"], confidences={"a": GOOD["p"]}, n_folds=2, **SEEDED
    ),
    "tree fit": on("X residual sample_weight", lambda **of: HonestTree(rng=0).fit(*of.values())),
    "tree estimate": on("X residual sample_weight", lambda **of: TREE.estimate(*of.values())),
    "tree apply": on("X", lambda X: TREE.apply(X)),
    "regions": on("residual region sample_weight groups", grouping_loss_from_regions),
    "grouping loss": on(TABLE, grouping_loss, **SEEDED),
    "grouping loss of the paper": on(TABLE, grouping_loss, method="paper", calibrator="isotonic", **SEEDED),
    "running curve": on("p y at", running_curve),
    "top label": on("proba y", top_label),
    "binned tree fit": on("X p y", lambda X, p, y: BinnedTree(n_bins=3, rng=0).fit(X, y, p)),
    "binned tree apply": on("X p", lambda X, p: BINNED.apply(X, p)),
    "binned grouping loss": on(TABLE, binned_grouping_loss, n_bins=2, **SEEDED),
    "binned grouping loss by regions": on(
        "y p region sample_weight groups", binned_grouping_loss_from_regions, n_bins=2, **SEEDED
    ),
    "known parts": on("p q c sample_weight", exact_decomposition),
    "ecuas": on("correct confidence", ecuas),
    "chow": on("correct confidence", chow_cost, reject_cost=0.2),
    "cost at": on("correct confidence sample_weight", expected_cost_at, reject_costs=[0.1, 0.2]),
    "auc": on("correct confidence sample_weight", confidence_auc),
    "aurc": on("correct confidence", aurc),
    "metrics": on("correct confidence", confidence_metrics),
    "of confidence": on("correct confidence sample_weight", normalized_of_confidence, score=BRIER.score),
    "certified": on("correct confidence", certified_precision),
    "general ecuas": on("y proba", general_ecuas, cost=COST),
    "normalized ecuas": on("y proba sample_weight", normalized_ecuas),
    "table of the paper": on("y proba", selective_metrics),
    "bayes decision": on("proba", bayes_decision, cost=COST),
    "oracle risk": on("q p", oracle_risk, cost=COST),
    "calibration risk": on("c p", calibration_risk, cost=COST),
    "grouping risk": on("c", grouping_risk, corrected=np.full(N, 0.5), cost=COST),
    "expected cost": on("q", expected_cost, decision=np.zeros(N, int), cost=COST),
    "risk fit": on(TABLE, lambda **of: RiskEstimator(COST, min_samples_leaf=5, rng=0).fit(**of)),
    "risk of own rows": on("X p y groups", lambda **of: TREES.fit_predict(**of)),
    "risk predict": on("X p", lambda X, p: RISK.predict(X, p)),
    "repair fit": on(TABLE, lambda **of: Recalibrator(rng=0).fit(**of)),
    "repair of own rows": on("X p y groups", lambda **of: Recalibrator(fast=True, rng=0).fit_predict(**of)),
    "repair predict": on("X p", lambda X, p: repair().predict(X, p)),
    "risk table": on("X p", lambda X, p: RISK.to_frame(X, p)),
    "bootstrap": on("a groups", lambda a, groups: bootstrap_interval(np.mean, a, n_resamples=20, groups=groups, rng=0)),
    "paired difference": on("a b groups", paired_difference, n_resamples=20, **SEEDED),
    "semi-synthetic": on("X y p", lambda X, y, p: SemiSynthetic(X, y, p, rng=0)),
}


WRONGLY = GOOD["y"], GOOD["p"], GOOD["X"]
test_arguments_in_another_order_are_refused_by_name = refuses(
    (lambda: Recalibrator().fit(*WRONGLY), "^X must"),
    (lambda: repair().predict(*WRONGLY[1:]), "^X must"),
    (lambda: RiskEstimator(COST).fit(*WRONGLY), "^X must"),
    (lambda: BinnedTree().fit(*WRONGLY), "^X must"),
    (lambda: grouping_loss(*WRONGLY[::-1]), "^X must"),
    (lambda: running_curve(*WRONGLY[1::-1]), "^y must"),
    (lambda: reliability_curve(*WRONGLY[1::-1]), "^y must"),
)


def changed(name, value, at=7):
    """The good column with one entry replaced."""
    column = GOOD[name].astype(object if isinstance(value, str | complex) or value is None else float)
    column[at] = value
    return column


NOT_NUMBERS = {
    "text": lambda name: GOOD[name].astype(str),
    "one word": lambda name: changed(name, "0.5"),
    "dates": lambda name: np.full(N, "2020-01-01", "M8[D]"),
    "complex": lambda name: changed(name, 1j),
    "masked": lambda name: np.ma.array(GOOD[name], mask=np.arange(N) == 7),
    "missing": lambda name: changed(name, None),
    "nan": lambda name: changed(name, np.nan),
    "infinite": lambda name: changed(name, np.inf),
    "NA": lambda name: pd.Series(GOOD[name], dtype="Float64").mask(np.arange(N) == 7, pd.NA),
}
SHAPES = {
    "empty": lambda name: GOOD[name][:0],
    "short": lambda name: GOOD[name][:-1],
    "table": lambda name: np.column_stack([GOOD[name], GOOD[name]]),
    "column": lambda name: np.asarray(GOOD[name])[:, None],
    "scalar": lambda name: GOOD[name][0],
    "ragged": lambda name: [[1], [1, 2]] * (N // 2),
    "none": lambda name: None,
}
PROBABILITY = (
    NOT_NUMBERS
    | SHAPES
    | {
        "above one": lambda name: changed(name, 1 + 1e-5),
        "negative": lambda name: changed(name, -1e-5),
        "per cent": lambda name: 100 * GOOD[name],
    }
)
GROUPS = {name: SHAPES[name] for name in ("empty", "short", "table", "ragged")} | {
    "missing": lambda name: [None, *[f"p{i}" for i in range(N - 1)]],
    "nan": lambda name: changed(name, np.nan),
    "NA": lambda name: pd.array([pd.NA, *[f"p{i}" for i in range(N - 1)]]),
    "NaT": lambda name: np.r_[np.array(["NaT"], "M8[D]"), np.arange(N - 1).astype("M8[D]")],
    "one": lambda name: ["all"] * N,
    "two": lambda name: np.arange(N) % 2,
    "four": lambda name: np.arange(N) % 4,
    "a number": lambda name: 5,
}
WEIGHTS = (
    NOT_NUMBERS
    | {k: v for k, v in SHAPES.items() if k != "none"}
    | {"negative": lambda name: changed(name, -1), "zero everywhere": lambda name: np.zeros(N)}
)
HEAVY = {
    "one heavy": lambda name: changed(name, 1e6),
    "sixteen powers of ten": lambda name: 10.0 ** np.random.default_rng(0).uniform(-8, 8, N),
}
TABLES = {
    "short": lambda name: GOOD["X"][:-1],
    "no columns": lambda name: GOOD["X"].iloc[:, :0],
    "no rows": lambda name: GOOD["X"][:0],
    "one column": lambda name: GOOD["X"]["a"],
    "cube": lambda name: np.zeros((N, 2, 2)),
    "none": lambda name: None,
    "duplicated": lambda name: pd.concat([GOOD["X"], GOOD["X"]], axis=1),
    "infinite": lambda name: GOOD["X"].assign(a=changed("residual", -np.inf)),
    "complex": lambda name: GOOD["X"].assign(a=1j),
    "lists": lambda name: GOOD["X"].assign(b=[[1]] * N),
    "ragged": lambda name: [[1], [1, 2]] * (N // 2),
}
BAD = {
    "y": PROBABILITY | {"one and two": lambda name: GOOD["y"] + 1, "signs": lambda name: 2 * GOOD["y"] - 1},
    **dict.fromkeys(("p", "q", "confidence"), PROBABILITY),
    "c": {k: v for k, v in PROBABILITY.items() if k != "none"},  # None: computed from q
    "at": {k: v for k, v in PROBABILITY.items() if k not in ("none", "short")},  # None: p; any number of points
    "proba": {k: v for k, v in PROBABILITY.items() if k not in ("table", "column", "masked", "NA")}
    | {
        "one class": lambda name: GOOD[name][:, 1:],
        "one dimension": lambda name: GOOD[name][:, 1],
        "sum above one": lambda name: GOOD[name] + 1e-5,
        "log odds": lambda name: np.log(GOOD[name] / (1 - GOOD[name])),
    },
    "X": TABLES,
    "residual": NOT_NUMBERS | SHAPES,
    "region": SHAPES
    | {
        "negative": lambda name: GOOD["region"] - 1,
        "floats": lambda name: GOOD["region"] + 0.5,
        "words": lambda name: GOOD["region"].astype(str),
        "missing": lambda name: pd.array([None, *GOOD["region"][1:]], dtype="Int64"),
        "huge": lambda name: GOOD["region"] + 10**12,
        "one row each": lambda name: np.arange(N),
    },
    "sample_weight": WEIGHTS | HEAVY,
    "groups": GROUPS,
    "edges": {
        "gap": lambda name: [0, 0.5],
        "tied": lambda name: [0, 0.5, 0.5, 1],
        "nan": lambda name: [0, np.nan, 1],
        "text": lambda name: "ab",
        "none": lambda name: None,
    },
    "a": {k: NOT_NUMBERS[k] for k in ("nan", "infinite")} | {k: SHAPES[k] for k in ("empty", "short", "scalar")},
    "b": {k: NOT_NUMBERS[k] for k in ("nan", "infinite", "text")} | {k: SHAPES[k] for k in ("empty", "short")},
}
BAD["correct"] = BAD["y"]
WORD = {"residual": "residual|y", "a": "a|columns|statistic", "b": "b|statistic", "p": "p|score"}
WITHOUT_LENGTH = {"quantile edges", "assign bins", "platt predict", "isotonic predict", "entropy", "bayes decision"}
TARGETS = {"tree fit", "tree estimate", "risk fit", "risk of own rows"}
WITHOUT_INTERVAL = {"decompose", "known parts", "platt", "isotonic", "tree fit", "tree estimate"}
WITHOUT_INTERVAL |= {"cost at", "auc", "of confidence", "normalized ecuas"}


def is_allowed(function, names, kind, name):
    """Whether what is wrong elsewhere is welcome here: the only column may have any length, a sum any weights,
    estimators take a target (n, 1) with a warning, as scikit-learn's do, and a risk can do without probabilities.
    """
    any_length = function in WITHOUT_LENGTH or names == ["X"]
    is_target = kind == "column" and function in TARGETS and name in ("y", "residual")
    no_score = kind == "none" and name == "p" and function in TARGETS
    return (kind == "short" and any_length) or (kind in HEAVY and function in WITHOUT_INTERVAL) or is_target or no_score


@cache
def made(name, kind):
    """A bad column, once for all functions, and whether it is still what it was."""
    bad = BAD[name][kind](name)
    before = pickle.dumps(bad), repr(bad)  # bytes are quick, but those of masked columns say what was asked
    return bad, lambda: pickle.dumps(bad) == before[0] or repr(bad) == before[1]


def refusal(call, arguments):
    """What the ValueError says; None without one."""
    try:
        call(**arguments)
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_each_function_names_each_bad_input(function):
    call = FUNCTIONS[function]
    names = call.names
    good = {name: GOOD[name] for name in names}
    wrong = []
    for name in names:
        for kind in BAD[name]:
            if not is_allowed(function, names, kind, name):
                bad, is_unchanged = made(name, kind)
                said = refusal(call, good | {name: bad})
                if not re.search(rf"(^|\W)({WORD.get(name, name)})(\W|$)", said or "") or not is_unchanged():
                    wrong.append((name, kind, said))
    assert wrong == []


def numbers(result):
    """The numbers of a result: of a table, of the fields of a result, or of what a fit has learned."""
    if not type(result).__module__.startswith("helpers"):
        return result
    kinds = float | int | np.ndarray | pd.Series | pd.DataFrame
    return {name: value for name, value in vars(result).items() if isinstance(value, kinds)}


SLOW = ("repair fit", "repair of own rows")  # tests/practice/repair fits one twice


@pytest.mark.parametrize("function", FUNCTIONS)
def test_good_inputs_and_the_global_state_stay_untouched_and_a_seed_says_all(function):
    call = FUNCTIONS[function]
    names = call.names
    good = {name: GOOD[name] for name in names}
    copies = {name: GOOD[name].copy() for name in names}
    np.random.seed(1)  # noqa: NPY002 the state that must not move
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    result = numbers(call(**good))
    if function not in SLOW:
        again = numbers(call(**good))
        assert pickle.dumps(again) == pickle.dumps(result) or repr(again) == repr(result)
    assert np.array_equal(state, np.random.get_state()[1])  # noqa: NPY002
    for name, copy in copies.items():
        assert copy.equals(GOOD[name]) if name == "X" else np.array_equal(copy, GOOD[name])


def grouping(**options):
    return grouping_loss(**{name: GOOD[name] for name in ("y", "p", "X")} | {"rng": 0} | options)


def error(**options):
    return calibration_error(GOOD["y"], GOOD["p"], **options)


test_options_and_columns_that_break_a_rule = refuses(
    (lambda: grouping(method="papers"), "method must .*did you mean 'paper'"),
    (lambda: grouping(calibrator="plat"), "calibrator must .*did you mean 'platt'"),
    (lambda: grouping(min_samples_leaf=0), "min_samples_leaf must"),
    (lambda: grouping(min_samples_leaf=N), "y must"),
    (lambda: grouping(max_depth=0), "max_depth must"),
    (lambda: grouping(y=np.ones(N)), "y must"),
    (lambda: grouping(y=np.arange(N) == 3), "y must"),
    (lambda: grouping(p=np.full(N, 0.3)), "p must"),
    (lambda: grouping(p=np.full(N, 0.3), calibrator="isotonic", y=np.ones(N)), "y must"),
    (lambda: grouping(groups=np.arange(N) % 2), "groups must"),
    (lambda: grouping(sample_weight=(GOOD["y"] == 1) * 1.0), "sample_weight must"),
    (lambda: grouping(sample_weight=np.arange(N) < 20), "y must"),
    (lambda: binned_grouping_loss(*ANSWERS, GOOD["X"], correction="bin"), "correction must .*did you mean 'bins'"),
    (lambda: error(n_bins=0), "n_bins must"),
    (lambda: error(strategy="equal"), "strategy must"),
    (lambda: error(n_simulations=10), "n_simulations must"),
    (lambda: HonestTree(min_samples_leaf=0).fit(GOOD["X"], GOOD["residual"]), "min_samples_leaf must be"),
    (lambda: TREE.apply(GOOD["X"][["a"]]), "X must .*'b'"),
    (lambda: HonestTree().predict(GOOD["X"]), "not fitted"),
    (lambda: HonestTree().rules(), "not fitted"),
    (lambda: PlattCalibrator().fit([0.3, 0.3], [0, 1]), "p must"),
    (lambda: PlattCalibrator().fit([0.3, 0.3, 0.8, 0.9], [0, 1, 0, 1], [1, 1, 0, 0]), "p must"),
    (lambda: PlattCalibrator().fit([0.3, 0.8, 0.9], [0, 1, 1], [0, 1, 1]), "sample_weight must"),
    (lambda: grouping(p=100 * GOOD["p"]), "^p must"),
    (lambda: Recalibrator(n_folds=N + 1).fit(GOOD["X"], GOOD["y"], GOOD["p"]), "^n_folds must"),
    (lambda: grouping(X={"a": [1.0] * N}), "^X must"),
    (lambda: error(n_simulations=2**63), "^n_simulations must"),
    (lambda: holm([-0.5, 0.2]), "^p_value must"),
    (lambda: captured_loss([0, 0], [0.1, np.nan]), "^residual must"),
    (lambda: captured_loss([0, -1], [0.1, 0.1]), "^region must"),
    (lambda: cross_calibrate(GOOD["proba"], GOOD["y"], bias=-1), "^bias must"),
    (lambda: confidence_metrics(*ANSWERS, n=[0, -1]), "^n must"),
    (lambda: certified_precision(*ANSWERS, precision=1), "^precision must"),
    (lambda: certified_precision(*ANSWERS, starts=[]), "^starts must"),
    (lambda: bayes_decision(GOOD["proba"], [[0, -1], [1, 0]]), "^cost must"),
    (lambda: aurc([1, 0, 1], [0.8, 0.6, 0.5], sample_weight=[1, 0.5, 1]), "whole numbers .*sample_weight"),
)


CONSTANT = np.full(N, 0.3)
ENTRY_POINTS = {
    "grouping loss": lambda **options: grouping(p=CONSTANT, **options),
    "by the paper": lambda **options: grouping(p=CONSTANT, method="paper", **options),
    "stacked": lambda **options: stacked_grouping_loss(GOOD["y"], CONSTANT, GOOD["X"], n_folds=2, rng=0, **options),
    "risk": lambda **options: RiskEstimator(COST, min_samples_leaf=5, rng=0, **options).fit(
        GOOD["X"], GOOD["y"], CONSTANT
    ),
    "partition for chunks": lambda **options: fit_partition(
        GOOD["X"].assign(label=GOOD["y"], score=CONSTANT), min_samples_leaf=5, rng=0, **options
    ),
}


@pytest.mark.parametrize("entry_point", ENTRY_POINTS)
def test_a_constant_score_has_no_platt_curve_and_the_error_says_what_to_do(entry_point):
    with pytest.raises(ValueError, match='all .* are 0.3; .*: use calibrator="none"'):
        ENTRY_POINTS[entry_point]()
    ENTRY_POINTS[entry_point](calibrator="none")
    ENTRY_POINTS[entry_point](calibrator="isotonic")


ENDS = {  # of results: (low, value, high), and the largest size that the quantity can have
    "reliability": (lambda curve: (curve.low, curve.observed, curve.high), 1),
    "calibration error": (lambda error: (error.low, error.debiased, error.high), 1),
    "calibration line": (lambda line: (line.slope_interval[0], line.slope, line.slope_interval[1]), np.inf),
    "subgroups that are given": (lambda table: (table["low"], table["gap"], table["high"]), 1),
    "columns that are given": (lambda table: (table["low"], table["gap"], table["high"]), 1),
    "segments": (lambda search: (search.table["low"], search.table["gap"], search.table["high"]), 1),
    "leaves": (lambda audit: (audit.table["low"], audit.table["gap"], audit.table["high"]), 1),
}
ENDS |= dict.fromkeys(
    [name for name in FUNCTIONS if "sample_weight" in FUNCTIONS[name].names and "loss" in name]
    + ["regions", "binned grouping loss by regions"],
    (lambda loss: (loss.low, loss.value, loss.high), 1),
)
NO_ENDS = {"monotone curve", "repair fit", "risk fit"}  # a curve's ends may cross; the others have standard errors


def test_every_interval_with_weights_is_looked_at():
    weighted = {name for name, call in FUNCTIONS.items() if "sample_weight" in call.names}
    assert weighted - WITHOUT_INTERVAL == {*ENDS} | NO_ENDS


@st.composite
def weights(draw):
    """Log-normal ones, from alike to extreme, and perhaps one heavy row or some of weight 0."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    weight = np.exp(draw(st.sampled_from([0, 0.5, 1, 2, 10])) * rng.normal(size=N))
    weight[3] *= draw(st.sampled_from([1, 1, 10, 100, 1e3, 1e6, 1e12]))
    weight[: draw(st.sampled_from([0, 0, 5, 60]))] = 0
    return weight


@pytest.mark.parametrize("name", ENDS)
def test_values_lie_in_their_intervals_and_intervals_in_the_range_of_the_quantity(name):
    ends, largest = ENDS[name]
    names = FUNCTIONS[name].names

    @settings(max_examples=3 if name == "stacked grouping loss" else 20, deadline=None)
    @given(weights(), st.booleans())
    def look(weight, grouped):
        options = {"sample_weight": weight, "groups": GOOD["groups"] if grouped else None}
        try:
            result = FUNCTIONS[name](**({other: GOOD[other] for other in names} | options))
        except ValueError as error:
            assert "sample_weight must" in str(error) or "groups must" in str(error) or "must hold both" in str(error)
            return
        low, value, high = map(np.asarray, ends(result))
        assert (low <= value + 1e-12).all() and (value <= high + 1e-12).all()
        assert (low >= -largest).all() and (high <= largest).all()

    look()


@pytest.mark.parametrize(
    "call",
    [
        lambda y: oracle_route(np.zeros((1, N), int), y, [1.0]),
        lambda y: evaluate_policies(POLICIES, y, n_resamples=20, rng=0),
        lambda y: sweep_cascades(np.zeros((1, N)), np.zeros((1, N), int), [1.0], y, thresholds=[0.0]),
        lambda y: certified_threshold(zeros, [0.0], y, target=0.9),
    ],
    ids=["oracle", "policies", "sweep", "threshold"],
)
def test_right_answers_are_compared_by_value_or_refused(call):
    y = GOOD["y"]
    expected = repr(call(y))
    for same in (y.astype(float), y.astype(bool), y.astype(object), pd.Series(y, dtype="Int64"), y.tolist()):
        assert repr(call(same)) == expected
    for other in (y.astype(str), pd.Series(y.astype(str)), np.where(y, "True", "False")):
        with pytest.raises(ValueError, match="^y must"):
            call(other)


@pytest.mark.parametrize(
    "call",
    [
        lambda rng: grouping(rng=rng),
        lambda rng: bootstrap_interval(np.mean, GOOD["p"], rng=rng),
        lambda rng: Recalibrator(rng=rng).fit(GOOD["X"], GOOD["y"], GOOD["p"]),
        lambda rng: RiskEstimator(COST, rng=rng).fit(GOOD["X"], GOOD["y"], GOOD["p"]),
        lambda rng: HonestTree(rng=rng).fit(GOOD["X"], GOOD["residual"]),
        lambda rng: TreeRouter(rng=rng).fit(GOOD["X"], [GOOD["y"]]),
        lambda rng: measure_systems(SYSTEMS, rng=rng),
        lambda rng: cross_calibrate(GOOD["proba"], GOOD["y"], rng=rng),
        lambda rng: combine_confidences(GOOD["y"], {"a": GOOD["p"]}, rng=rng),
    ],
)
def test_random_sources(call):
    for rng in (-1, "0", 1.5):
        with pytest.raises(ValueError, match="^rng must"):
            call(rng)


def test_numbers_of_the_other_byte_order_are_the_same_numbers():
    X = GOOD["X"][["a"]].to_numpy()
    for swapped in (X.astype(">f8"), pd.DataFrame(X.astype(">f8"), columns=["x0"])):
        assert str(grouping(X=swapped)) == str(grouping(X=X))


@pytest.mark.parametrize("y", [np.arange(N) % 3, np.array(["low", "middle", "high"])[np.arange(N) % 3]])
@pytest.mark.parametrize("name", ["platt", "risk fit", "repair fit", "calibration error", "grouping loss"])
def test_three_classes_are_told_what_there_is_for_them(name, y):
    call = FUNCTIONS[name]
    arguments = {argument: GOOD[argument] for argument in call.names} | {"y": y}
    with pytest.raises(ValueError, match="^y must .* Of 3 classes.*top_label.*bayes_decision"):
        call(**arguments)
