"""Cases on labels and scores: calibration error, answers with a confidence."""

import numpy as np
from contest import OURS, Case, Contestant

# ---- scores and labels ------------------------------------------------------------------------------------------


def scores(n):
    """Labels and scores that are too extreme."""
    from scipy.special import expit

    rng = np.random.default_rng(2)
    score = rng.normal(size=n) * 1.5
    return (rng.random(n) < expit(0.8 * score + 0.2)).astype(float), expit(score)


def ece_by_masks(data):
    """Fifteen bins of equal width, one after the other."""
    y, p = data
    rows = [(p >= b / 15) & (p < (b + 1) / 15) for b in range(15)]
    return sum(abs((y[row] - p[row]).sum()) for row in rows) / p.size


def curve_ours(data):
    from helpers.calibration import reliability_curve

    def call():
        curve = reliability_curve(*data)
        return curve.weight @ np.abs(curve.observed - curve.stated)

    return call


def ece_ours(data):
    from helpers.calibration import calibration_error

    return lambda: calibration_error(*data, rng=0)


def ece_note(result, data):
    return (
        f"a perfect model shows {result.null:.4f}; debiased {result.debiased:.4f} [{result.low:.4f}, {result.high:.4f}]"
    )


def ece_netcal(data):
    from netcal.metrics import ECE

    y, p = data
    return lambda: ECE(15).measure(p, y)


def ece_torch(data):
    import torch
    from torch_uncertainty.metrics.classification import CalibrationError

    y, p = torch.tensor(data[0]).long(), torch.tensor(data[1])

    def call():
        metric = CalibrationError(task="binary", num_bins=15)
        metric.update(p, y)
        return metric.compute()

    return call


def ece_sklearn(data):
    from sklearn.calibration import calibration_curve

    y, p = data

    def call():
        rate, stated = calibration_curve(y, p, n_bins=15)
        count = np.histogram(p, np.linspace(0, 1, 16))[0]
        return np.abs(rate - stated) @ count[count > 0] / p.size

    return call


# ---- answers and confidences ------------------------------------------------------------------------------------


def answers(n):
    """Right or wrong, and confidences in eleven steps from 0.5 to 1: many ties."""
    rng = np.random.default_rng(3)
    confidence = rng.integers(10, 21, n) / 20
    return (rng.random(n) < 0.9 * confidence).astype(float), confidence


def aurc_by_ranks(data):
    """For each k, the mean of the errors among the first k over the orders of ties."""
    correct, confidence = data
    total, before, lost = 0.0, 0, 0.0
    for level in np.unique(confidence)[::-1]:
        wrong = 1 - correct[confidence == level]
        k = np.arange(1, wrong.size + 1)
        total += ((lost + k * wrong.mean()) / (before + k)).sum()
        before, lost = before + wrong.size, lost + wrong.sum()
    return total / correct.size


def aurc_ours(data):
    from helpers.selective import aurc

    return lambda: aurc(*data)


def aurc_torch(data):
    import torch
    from torch_uncertainty.metrics.classification import AURC

    correct, confidence = (torch.tensor(column) for column in data)
    proba, wrong = torch.stack([confidence, 1 - confidence], dim=1), 1 - correct.long()

    def call(order=slice(None)):
        metric = AURC()
        metric.update(proba[order], wrong[order])
        return metric.compute()

    return call


def aurc_orders(result, data):
    """The peer's values for rows sorted by right and wrong."""
    ends = [aurc_torch([column[order] for column in data])() for order in (np.argsort(-data[0]), np.argsort(data[0]))]
    return f"{float(ends[0]):.4f} to {float(ends[1]):.4f} by the order of the rows"


def ecuas_by_hand(data):
    correct, confidence = data
    return np.mean((1 - confidence) ** 2 + 2 * (1 - correct) * confidence)


def ecuas_ours(data):
    from helpers.selective import ecuas

    return lambda: ecuas(*data, n=1).mean()


def ecuas_integral(data):
    """The definition: Chow costs at 400 rejection costs, averaged (for n = 1 all of them weigh 2)."""
    correct, confidence = data
    u, wrong = 1 - confidence, 1 - correct
    return lambda: 2 * np.mean([np.where(u <= cost, wrong, cost).mean() for cost in (np.arange(400) + 0.5) / 400])


def not_for_this_python(data):
    raise ImportError("needs Python 3.13 only; not measured")


# ---- the cases --------------------------------------------------------------------------------------------------

CASES = (
    Case(
        "ece", "calibration error, 15 bins", (100_000,), (1_000_000,), scores,
        {
            "ours, value alone": Contestant(OURS, curve_ours),
            "ours, with null value and interval": Contestant(OURS, ece_ours, lambda result: result.value, ece_note),
            "netcal": Contestant("netcal", ece_netcal),
            "torch-uncertainty": Contestant("torch-uncertainty", ece_torch),
            "scikit-learn, calibration_curve and counts": Contestant("scikit-learn", ece_sklearn),
        },
        ece_by_masks,
    ),
    Case(
        "aurc", "AURC, eleven distinct confidences", (100_000,), (1_000_000,), answers,
        {
            "ours, averaged over ties": Contestant(OURS, aurc_ours),
            "torch-uncertainty": Contestant("torch-uncertainty", aurc_torch, float, aurc_orders),
        },
        aurc_by_ranks,
    ),
    Case(
        "ecuas", "ECUAS with n = 1, one cost a row", (100_000,), (1_000_000,), answers,
        {
            "ours": Contestant(OURS, ecuas_ours),
            "the definition, 400 rejection costs": Contestant("numpy", ecuas_integral),
            "ecuas": Contestant("ecuas", not_for_this_python),
        },
        ecuas_by_hand,
    ),
)  # fmt: skip
