"""Measures of real classifiers beside printed ones: raw and calibrated, with intervals, and in single precision."""

import numpy as np
import pandas as pd
from scipy.special import softmax

from helpers.calibration import cross_calibrate
from helpers.checks import check_numbers
from helpers.scoring import BRIER, LOG
from helpers.selective import aurc, chow_cost, confidence_auc, ecuas, normalized_of_confidence, selective_metrics

REJECT_COSTS = (0.01, 0.05, 0.1, 0.2, 0.4)

SATURATED = ("auc", "n_ce_confidence", "aurc", "n_ecuas_0", "certain")  # what single precision changes


def score_maps(log_scores, y):
    """Probabilities from log scores as stated ("raw"), and cross-validated with ("calibrated") and without offsets."""
    scores = check_numbers(log_scores, "log_scores")
    return {
        "raw": softmax(scores, axis=1),
        "temperature": cross_calibrate(scores, y, bias=False),
        "calibrated": cross_calibrate(scores, y),
    }


def all_measures(y, proba, *, reject_costs=REJECT_COSTS, sample_weight=None):
    """`selective_metrics`, the Brier score of the confidence as it is, and Chow's cost at some rejection costs."""
    y = np.asarray(y)
    weight = np.ones(len(y)) if sample_weight is None else sample_weight
    measures = selective_metrics(y, proba, sample_weight=sample_weight).to_dict()
    correct = proba.argmax(axis=1) == y
    confidence = proba.max(axis=1)
    measures["brier_confidence"] = np.average(BRIER.score(correct, confidence), weights=weight)
    rarest = 1 - np.bincount(y, weight).max() / weight.sum()
    for gamma in reject_costs:
        paid = np.average(chow_cost(correct, confidence, gamma), weights=weight)
        measures[f"n_cost_{gamma:g}"] = paid / min(gamma, rarest)
    return pd.Series(measures)


def single_precision(log_scores, y):
    """What changes when a softmax is computed with 24 bits, as the paper's table 3 seems to be."""
    proba = softmax(np.asarray(log_scores, dtype=np.float32), axis=1)
    answer = proba.argmax(axis=1)
    confidence = proba.max(axis=1)
    correct = (answer == y).astype(float)
    n_classes = proba.shape[1]
    cut = np.clip(confidence, np.float32(1e-7), np.float32(1 - 1e-7)).astype(float)
    stated = 1 - ((np.float32(1) - confidence).astype(float) + 1e-7)
    share = np.bincount(y, minlength=n_classes) / len(y)
    naive = ecuas(share.argmax() == y, np.full(len(y), share.max()), n=0, n_classes=n_classes)
    measures = {
        "auc": confidence_auc(correct, confidence),
        "n_ce_confidence": normalized_of_confidence(LOG.score, correct, cut),
        "n_ecuas_0": ecuas(correct, np.maximum(stated, 1 / n_classes), n=0, n_classes=n_classes).mean() / naive.mean(),
        "aurc": aurc(correct, confidence),
        "certain": np.mean(confidence == 1),
    }
    for name, side in (("aurc_low", -correct), ("aurc_high", correct)):
        measures[name] = aurc(correct[np.lexsort((side, -confidence))], np.linspace(1, 0, len(y)))
    return pd.Series(measures)


def saturated_rows(log_scores, y):
    """`single_precision` as rows; the ends are those of the AURC over tie orders."""
    measures = single_precision(log_scores, y)
    table = pd.DataFrame({"metric": SATURATED, "value": measures[list(SATURATED)].to_numpy()})
    ties = table["metric"] == "aurc"
    table["low"] = measures["aurc_low"]
    table["high"] = measures["aurc_high"]
    table[["low", "high"]] = table[["low", "high"]].where(ties)
    return table.assign(scores="single precision", minus="")
