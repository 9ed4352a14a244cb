"""All cases, in the order in which they are measured. A contestant is a function of the data that returns the call."""

import importlib.util
from pathlib import Path

import numpy as np
import systems
from scipy.special import expit, log_softmax, xlogy
from worker import Case, Contestant, ours

from helpers import calibration, grouping, partition, selective
from helpers.papers import ecuas2026


def interval(result, data):
    return f"interval [{result.low:.4f}, {result.high:.4f}]"


def estimate(result):
    return result.value


# ---- grouping loss ----------------------------------------------------------------------------------------------


def people(n):
    """Calibrated scores that the sign of a second feature tells apart; ten features."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 10))
    p = expit(X[:, 0])
    q = p + np.sign(X[:, 1]) * np.minimum(p, 1 - p) / 2
    return (rng.random(n) < q).astype(float), p, X


def true_grouping_loss(data):
    """E min(p, 1 - p)^2 / 4, by quadrature."""
    from scipy.integrate import quad
    from scipy.stats import norm

    return quad(lambda x: norm.pdf(x) * expit(-abs(x)) ** 2 / 4, -9, 9, points=[0], epsabs=1e-12)[0]


def bin_free(large=True, **options):
    prepare = lambda data: lambda: grouping.grouping_loss(*data, rng=0, **options)  # noqa: E731
    return ours(prepare, estimate, interval, large=large)


def glest(data):
    from glest import GLEstimator

    y, p, X = data
    return lambda: GLEstimator(p, random_state=0).fit(X, y).GL("brier") / 2  # it sums over two classes


def torch_uncertainty(data):
    """Its metric of the top label; the module alone, since the package imports torchvision and Lightning, too."""
    import torch

    package = Path(importlib.util.find_spec("torch_uncertainty").origin).parent
    spec = importlib.util.spec_from_file_location("metric", package / "metrics/classification/grouping_loss.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    y, p, X = data
    rows = torch.tensor(np.column_stack([1 - p, p])), torch.tensor(y.astype(int)), torch.tensor(X)

    def call():
        metric = module.GroupingLoss()
        metric.estimator.random_state = 0  # of glest, which it calls
        metric.update(*rows)
        return metric.compute() / 2  # of two classes

    return call


def regions_of(n):
    """Rows, their residuals, a tree chosen on 100,000 others, and the region that it gives each row."""
    y, p, X = people(n + 100_000)
    tree = partition.HonestTree(rng=0).fit(X[n:], y[n:] - p[n:])
    table = X[:n].copy()
    return table, y[:n] - p[:n], tree, tree.apply(table)


def means_of_regions(data):
    return lambda: grouping.grouping_loss_from_regions(data[1], data[3])


def means_of_new_rows(data):
    table, residual, tree, _ = data
    return lambda: grouping.grouping_loss_from_regions(residual, tree.apply(table))


def copied(*columns):
    prepare = lambda data: lambda: [data[k].copy() for k in columns]  # noqa: E731
    return Contestant("numpy", prepare, lambda arrays: pairs_by_sorting((None, arrays[-2], None, arrays[-1])))


def pairs_by_sorting(data):
    """Mean product of two rows of a region, regions weighted by their rows."""
    order = np.argsort(data[3], kind="stable")
    residual = data[1][order]
    region = data[3][order]
    start = np.flatnonzero(np.r_[True, region[1:] > region[:-1]])
    count = np.diff(np.r_[start, region.size])
    sums = np.add.reduceat(residual, start)
    squares = np.add.reduceat(residual**2, start)
    kept = count > 1
    return ((sums**2 - squares)[kept] / (count[kept] - 1)).sum() / residual.size


# ---- scores and labels ------------------------------------------------------------------------------------------


def scores(n):
    """Labels and scores that are too extreme."""
    rng = np.random.default_rng(2)
    score = rng.normal(size=n) * 1.5
    return (rng.random(n) < expit(0.8 * score + 0.2)).astype(float), expit(score)


def ece_by_masks(data):
    """Fifteen bins of equal width, one after the other."""
    y, p = data
    rows = [(p >= b / 15) & (p < (b + 1) / 15) for b in range(15)]
    return sum(abs((y[row] - p[row]).sum()) for row in rows) / p.size


def ece_curve(data):
    def call():
        curve = calibration.reliability_curve(*data)
        return curve.weight @ np.abs(curve.observed - curve.stated)

    return call


def ece_note(result, data):
    return f"a perfect model shows {result.null:.4f}; debiased {result.debiased:.4f} " + interval(result, data)[9:]


def ece_netcal(data):
    from netcal.metrics import ECE

    return lambda: ECE(15).measure(data[1], data[0])


def ece_sklearn(data):
    from sklearn.calibration import calibration_curve

    y, p = data

    def call():
        rate, stated = calibration_curve(y, p, n_bins=15)
        count = np.histogram(p, np.linspace(0, 1, 16))[0]
        return np.abs(rate - stated) @ count[count > 0] / p.size

    return call


# ---- answers and confidences ------------------------------------------------------------------------------------


def stated_answers(n):
    """Right or wrong, and confidences in eleven steps from 0.5 to 1: many ties."""
    rng = np.random.default_rng(3)
    confidence = rng.integers(10, 21, n) / 20
    return (rng.random(n) < 0.9 * confidence).astype(float), confidence


def ecuas_integral(data):
    """The definition: Chow costs at 400 rejection costs, averaged (for n = 1 all of them weigh 2)."""
    correct, confidence = data
    u = 1 - confidence
    costs = (np.arange(400) + 0.5) / 400
    return lambda: 2 * np.mean([np.where(u <= cost, 1 - correct, cost).mean() for cost in costs])


# ---- thresholds with a promise, and bias ------------------------------------------------------------------------

PRECISION = 0.9


def sure_answers(n):
    """Right or wrong, and confidences c of which 0.7 + 0.3 c are right: from 1/3 on, 90 %."""
    rng = np.random.default_rng(9)
    confidence = rng.random(n)
    return (rng.random(n) < 0.7 + 0.3 * confidence).astype(int), confidence


def certified_ours(data):
    return lambda: selective.certified_precision(*data, precision=PRECISION).threshold


def certified_mapie(data):
    from mapie.risk_control import BinaryClassificationController

    correct, confidence = data
    options = {"confidence_level": 0.95, "list_predict_params": np.arange(99, -1, -1) / 100}
    state = lambda X: np.column_stack([1 - X, X])  # noqa: E731
    control = lambda: BinaryClassificationController(  # noqa: E731
        state, "precision", PRECISION, fwer_method="fixed_sequence", **options
    )
    return lambda: control().calibrate(confidence[:, None], correct).best_predict_param


def kept_promise(threshold, data):
    """True share of right answers from a threshold on, and how many are given."""
    return f"true precision {0.85 + 0.15 * threshold:.4f}, answers {np.mean(data[1] >= threshold):.1%}"


def bias_ours(data):
    def call():
        curve = calibration.reliability_curve(*data, n_bins=10, strategy="quantile")
        return curve.weight @ np.abs(curve.observed - curve.stated)

    return call


def bias_diagnostics(data):
    from model_diagnostics.calibration import compute_bias

    y, p = data

    def call():
        table = compute_bias(y, p, feature=p, n_bins=10, bin_method="quantile")
        return np.average(np.abs(table["bias_mean"].to_numpy()), weights=table["bias_count"].to_numpy())

    return call


def bias_by_sorting(data):
    """Tenths of the rows in the order of their scores."""
    order = np.argsort(data[1], kind="stable")
    return sum(abs(part.sum()) for part in np.array_split((data[0] - data[1])[order], 10)) / order.size


# ---- maps fitted to scores --------------------------------------------------------------------------------------


def log_loss(y, p):
    return -np.mean(xlogy(y, p) + xlogy(1 - y, 1 - p))


def platt_ours(data):
    y, p = data
    return lambda: log_loss(y, calibration.PlattCalibrator().fit(p, y).predict(p))


def platt_netcal(data):
    from netcal.scaling import LogisticCalibration

    y, p = data
    return lambda: log_loss(y, LogisticCalibration().fit(p, y).transform(p).ravel())


def platt_sklearn(data):
    from sklearn.calibration import CalibratedClassifierCV

    y, p = data
    column = p[:, None]
    return lambda: log_loss(y, CalibratedClassifierCV(as_given(y)).fit(column, y).predict_proba(column)[:, 1])


def as_given(y):
    """A fitted scikit-learn classifier whose decision function is the table it is given."""
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.frozen import FrozenEstimator

    class AsGiven(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.classes_ = np.unique(y)
            return self

        def decision_function(self, X):
            return X[:, 0] if X.shape[1] == 1 else X

        def predict(self, X):
            return self.classes_[np.argmax(X, axis=1)]

    return FrozenEstimator(AsGiven().fit(None, y))


def log_scores(n):
    """Ten-class log scores that are too sure and lean to some classes, with labels."""
    rng = np.random.default_rng(4)
    truth = log_softmax(rng.normal(size=(n, 10)) * 2, axis=1)
    y = (truth + rng.gumbel(size=truth.shape)).argmax(axis=1)
    return log_softmax(1.7 * (truth + np.linspace(-0.5, 0.5, 10)), axis=1), y


def mean_log_loss(log_proba, y):
    return -np.mean(np.asarray(log_proba)[np.arange(y.size), y])


def affine_ours(bias):
    def prepare(data):
        fit = lambda: calibration.AffineCalibrator(bias=bias).fit(*data)  # noqa: E731
        return lambda: mean_log_loss(np.log(fit().predict_proba(data[0])), data[1])

    return ours(prepare)


def affine_psrcal(bias):
    def prepare(data):
        import torch
        from psrcal.calibration import AffineCalLogLoss, calibrate

        scores, y = map(torch.tensor, data)
        fit = lambda: calibrate(scores, y, scores, AffineCalLogLoss, bias=bias)[0]  # noqa: E731
        return lambda: mean_log_loss(fit().detach().numpy(), data[1])

    return Contestant("psrcal", prepare)


def temperature_netcal(data):
    from netcal.scaling import TemperatureScaling

    proba = np.exp(data[0])
    return lambda: mean_log_loss(np.log(TemperatureScaling().fit(proba, data[1]).transform(proba)), data[1])


def temperature_sklearn(data):
    from sklearn.calibration import CalibratedClassifierCV

    scores, y = data
    fit = lambda: CalibratedClassifierCV(as_given(y), method="temperature").fit(scores, y)  # noqa: E731
    return lambda: mean_log_loss(np.log(fit().predict_proba(scores)), y)


# ---- the cases --------------------------------------------------------------------------------------------------

CASES = {
    "grouping-loss": Case(
        "grouping loss, rows × 10 columns", (3_000, 10_000, 30_000),
        (10_000, 30_000, 100_000, 300_000, 1_000_000, 10_000_000), people,
        {
            "ours, bin-free, cross-fitted": bin_free(),
            "ours, bin-free, as printed": bin_free(large=False, method="paper"),
            "ours, binned": ours(lambda data: lambda: grouping.binned_grouping_loss(*data, rng=0), estimate, interval),
            "glest, binned": Contestant("glest", glest),
            "torch-uncertainty, binned, top label": Contestant("torch-uncertainty", torch_uncertainty),
        },
        true_grouping_loss, growth=True,
    ),
    "after-tree": Case(
        "after the tree, rows × 10 columns", (100_000,), (1_000_000,), regions_of,
        {
            "ours, squared means of the regions": ours(means_of_regions, estimate, interval),
            "one pass: residuals and regions copied": copied(1, 3),
            "ours, regions looked up as well": ours(means_of_new_rows, estimate, interval),
            "one pass: table, residuals and regions copied": copied(0, 1, 3),
        },
        pairs_by_sorting, yardstick=True,
    ),
    "ece": Case(
        "calibration error, 15 bins", (100_000,), (1_000_000,), scores,
        {
            "ours, value alone": ours(ece_curve),
            "ours, with null value and interval": ours(
                lambda data: lambda: calibration.calibration_error(*data, rng=0), estimate, ece_note
            ),
            "netcal": Contestant("netcal", ece_netcal),
            "scikit-learn, calibration_curve and counts": Contestant("scikit-learn", ece_sklearn),
        },
        ece_by_masks,
    ),
    "ecuas": Case(
        "ECUAS with n = 1, one cost a row", (100_000,), (1_000_000,), stated_answers,
        {
            "ours": ours(lambda data: lambda: selective.ecuas(*data, n=1).mean()),
            "the definition, 400 rejection costs": Contestant("numpy", ecuas_integral),
        },
        lambda data: ecuas2026.equation_17(1 - data[0], data[1], 1, np.inf).mean(),
    ),
    "certified": Case(
        "lowest confidence from which 90 % are right, for certain (truth 1/3)", (5_000,), (50_000,), sure_answers,
        {
            "ours, all thresholds, fallback": ours(certified_ours, float, kept_promise),
            "MAPIE, 100 thresholds, fixed sequence": Contestant("mapie", certified_mapie, float, kept_promise),
        },
        lambda data: 1 / 3,
    ),
    "bias": Case(
        "mean bias of tenths of the scores", (100_000,), (1_000_000,), scores,
        {
            "ours, reliability curve": ours(bias_ours),
            "model-diagnostics, compute_bias": Contestant("model-diagnostics", bias_diagnostics),
        },
        bias_by_sorting,
    ),
    "platt": Case(
        "Platt scaling: log loss of the fitted rows", (100_000,), (300_000,), scores,
        {
            "ours": ours(platt_ours),
            "netcal": Contestant("netcal", platt_netcal),
            "scikit-learn, on the raw probability": Contestant("scikit-learn", platt_sklearn),
        },
        "lowest",
    ),
    "temperature": Case(
        "temperature scaling, 10 classes: log loss of the fitted rows", (10_000,), (100_000,), log_scores,
        {
            "ours": affine_ours(bias=False),
            "psrcal": affine_psrcal(bias=False),
            "netcal": Contestant("netcal", temperature_netcal),
            "scikit-learn": Contestant("scikit-learn", temperature_sklearn),
        },
        "lowest",
    ),
    "affine": Case(
        "affine calibration, 10 classes: log loss of the fitted rows", (10_000,), (100_000,), log_scores,
        {"ours": affine_ours(bias=True), "psrcal": affine_psrcal(bias=True)}, "lowest",
    ),
} | systems.CASES  # fmt: skip
