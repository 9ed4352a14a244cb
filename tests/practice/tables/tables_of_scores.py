"""A small table of scores in which everything is right."""

import numpy as np
import pandas as pd


def good(n=60, seed=0):
    """Labels, scores and three features."""
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.05, 0.95, n).round(4)
    return pd.DataFrame({
        "age": rng.integers(18, 90, n),
        "income": rng.normal(30, 5, n).round(2),
        "school": rng.choice(["high, school", "college"], n),
        "label": np.r_[0, 1, (rng.random(n - 2) < p[2:]).astype(int)],
        "score": p,
    })  # fmt: skip
