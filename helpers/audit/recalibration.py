"""Recalibrated scores of a search, and the directions in which their fit can move them."""

import numpy as np
from scipy.special import expit, logit

from helpers.calibration.calibrators import LEAST_SPAN, calibrate_rows, clipped_logit, newton, platt_directions

STEPS = 12  # levels of an isotonic curve that count as fitted anew in each draw


def recalibrated(y, p, weight, calibrator):
    """Recalibrated scores c, (n,), and the directions Z in which the fit can move them on the log-odds, (n, q)."""
    if calibrator == "none":
        return p, np.empty((y.size, 0))
    if np.ptp(clipped_logit(p)) < LEAST_SPAN:  # a constant score has no slope
        return np.full(y.size, np.average(y, weights=weight)), np.ones((y.size, 1))
    c = calibrate_rows(calibrator, p, y, weight, p)
    if calibrator == "platt":
        return c, platt_directions(p, y)
    start = np.unique(np.quantile(c, np.arange(STEPS) / STEPS, method="lower"))
    step = np.searchsorted(start, c, side="right") - 1
    return c, np.eye(start.size)[step]


def refitted(y, c, Z, weight):
    """Scores moved along some directions of the log-odds to the maximum of the likelihood."""
    start = logit(np.clip(c, 1e-6, 1 - 1e-6))
    ridge = 1e-9 * np.eye(Z.shape[1])  # directions may say the same

    def terms(beta):
        odds = start + Z @ beta
        c = expit(odds)
        curved = Z * (weight * c * (1 - c))[:, None]
        loss = weight @ (np.logaddexp(0, odds) - y * odds)
        return loss, Z.T @ (weight * (c - y)), Z.T @ curved + ridge

    return expit(start + Z @ newton(terms, np.zeros(Z.shape[1])))
