"""People with a group whom the score misjudges."""

import numpy as np
import pandas as pd


def older_people(n, rng, *, effect=0.3):
    """People over 50 have a higher risk than stated, others a lower one."""
    X = pd.DataFrame({"age": rng.integers(20, 80, n), "job": rng.choice(["cook", "smith", "clerk"], n)})
    p = rng.uniform(0.35, 0.65, n)
    q = p + np.where(X["age"] > 50, effect, -effect)
    return X, p, q, (rng.random(n) < q).astype(int)
