"""Answers with confidences whose truth is known."""

import numpy as np


def draw(n=300, seed=0, *, ties=False, shift=0.0):
    rng = np.random.default_rng(seed)
    truth = rng.uniform(0.2, 0.95, n)
    stated = np.clip(truth + shift, 0.05, 0.99)
    return (rng.random(n) < truth).astype(float), np.round(stated, 1) if ties else stated
