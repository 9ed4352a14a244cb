"""Cases on maps that are fitted to scores: Platt scaling, temperature scaling, affine calibration."""

import numpy as np
from contest import OURS, Case, Contestant
from on_scores import scores

# ---- two classes -------------------------------------------------------------------------------------------------


def platt_ours(data):
    from helpers.calibration import PlattCalibrator

    y, p = data
    return lambda: log_loss(y, PlattCalibrator().fit(p, y).predict(p))


def platt_netcal(data):
    from netcal.scaling import LogisticCalibration

    y, p = data
    return lambda: log_loss(y, LogisticCalibration().fit(p, y).transform(p).ravel())


def platt_sklearn(data):
    from sklearn.calibration import CalibratedClassifierCV

    y, p = data
    return lambda: log_loss(
        y, CalibratedClassifierCV(as_given(p, y)).fit(p[:, None], y).predict_proba(p[:, None])[:, 1]
    )


def as_given(scores, y):
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


def log_loss(y, p):
    from scipy.special import xlogy

    return -np.mean(xlogy(y, p) + xlogy(1 - y, 1 - p))


# ---- ten classes -------------------------------------------------------------------------------------------------


def log_scores(n):
    """Ten-class log scores that are too sure and lean to some classes, with labels."""
    from scipy.special import log_softmax

    rng = np.random.default_rng(4)
    truth = log_softmax(rng.normal(size=(n, 10)) * 2, axis=1)
    y = (truth + rng.gumbel(size=truth.shape)).argmax(axis=1)
    return log_softmax(1.7 * (truth + np.linspace(-0.5, 0.5, 10)), axis=1), y


def mean_log_loss(log_proba, y):
    return -np.mean(np.asarray(log_proba)[np.arange(y.size), y])


def affine_ours(bias):
    def prepare(data):
        from helpers.calibration import AffineCalibrator

        scores, y = data
        return lambda: mean_log_loss(np.log(AffineCalibrator(bias=bias).fit(scores, y).predict_proba(scores)), y)

    return prepare


def affine_psrcal(bias):
    def prepare(data):
        import torch
        from psrcal.calibration import AffineCalLogLoss, calibrate

        scores, y = torch.tensor(data[0]), torch.tensor(data[1])

        def call():
            found, _ = calibrate(scores, y, scores, AffineCalLogLoss, bias=bias)
            return mean_log_loss(found.detach().numpy(), data[1])

        return call

    return prepare


def temperature_netcal(data):
    from netcal.scaling import TemperatureScaling

    proba, y = np.exp(data[0]), data[1]
    return lambda: mean_log_loss(np.log(TemperatureScaling().fit(proba, y).transform(proba)), y)


def temperature_torch(data):
    import torch
    from torch.utils.data import DataLoader, TensorDataset
    from torch_uncertainty.post_processing import TemperatureScaler

    scores, y = torch.tensor(data[0], dtype=torch.float32), torch.tensor(data[1])

    def call():
        scaler = TemperatureScaler()
        scaler.fit(DataLoader(TensorDataset(scores, y), batch_size=10_000), progress=False)
        with torch.no_grad():
            found = torch.log_softmax(scores * scaler.inv_temp, dim=1)
        return mean_log_loss(found.numpy(), data[1])

    return call


def temperature_sklearn(data):
    from sklearn.calibration import CalibratedClassifierCV

    scores, y = data

    def call():
        fitted = CalibratedClassifierCV(as_given(scores, y), method="temperature").fit(scores, y)
        return mean_log_loss(np.log(fitted.predict_proba(scores)), y)

    return call


# ---- the cases --------------------------------------------------------------------------------------------------

CASES = (
    Case(
        "platt", "Platt scaling: log loss of the fitted rows", (100_000,), (300_000,), scores,
        {
            "ours": Contestant(OURS, platt_ours),
            "netcal": Contestant("netcal", platt_netcal),
            "scikit-learn, on the raw probability": Contestant("scikit-learn", platt_sklearn),
        },
        "lowest",
    ),
    Case(
        "temperature", "temperature scaling, 10 classes: log loss of the fitted rows",
        (10_000,), (100_000,), log_scores,
        {
            "ours": Contestant(OURS, affine_ours(False)),
            "psrcal": Contestant("psrcal", affine_psrcal(False)),
            "netcal": Contestant("netcal", temperature_netcal),
            "torch-uncertainty": Contestant("torch-uncertainty", temperature_torch),
            "scikit-learn": Contestant("scikit-learn", temperature_sklearn),
        },
        "lowest",
    ),
    Case(
        "affine", "affine calibration, 10 classes: log loss of the fitted rows",
        (10_000,), (100_000,), log_scores,
        {
            "ours": Contestant(OURS, affine_ours(True)),
            "psrcal": Contestant("psrcal", affine_psrcal(True)),
        },
        "lowest",
    ),
)  # fmt: skip
