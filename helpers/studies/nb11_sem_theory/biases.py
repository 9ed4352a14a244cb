"""Studies of the biases of Sem1 and Sem2: grids against bounds, contests that stay equally hard, borders."""

import numpy as np
import pandas as pd

from helpers.answers import (
    exact_bias,
    leading_bias,
    leading_bias_all,
)


def contested_probabilities(behind, n):
    """Answer probabilities of a question that stays equally hard at every n."""
    behind = np.asarray(behind)
    unit = 1 / np.sqrt(behind.size * n)
    return 1 / behind.size + unit * (behind.mean() - behind)


def scaled_sem1_biases(rivals, sizes):
    """Bias of Sem1 times sqrt(n), exact and by both expansions, with `rivals` classes 0.8 behind the leader."""
    rows = []
    for n in sizes:
        pi = contested_probabilities([0] + [0.8] * rivals, n)
        biases = {
            "exact": exact_bias(pi, n),
            "equation 9": leading_bias(pi, n),
            "all near classes": leading_bias_all(pi, n),
        }
        for kind, bias in biases.items():
            rows.append({"rivals": rivals, "n": n, "estimator": kind, "value": n**0.5 * bias.sem1})
    return pd.DataFrame(rows)


def biases_by_method(pi, n, *, names=None):
    """Exact biases, equation 9 and all near classes side by side: a row a question, Sem1 first, then Sem2."""
    exact = exact_bias(pi, n, ties="lot")
    printed = leading_bias(pi, n)
    ours = leading_bias_all(pi, n)
    columns = {"Sem1": exact.sem1, "(9)": printed.sem1, "ours": ours.sem1}
    columns |= {"Sem2": exact.sem2, "(9) ": printed.sem2, "ours ": ours.sem2}
    return pd.DataFrame(columns, index=None if names is None else pd.Index(list(names), name="question"))


def simulated_bias_errors(questions, n, n_draws=40_000, *, rng=None):
    """Means of Sem1 and Sem2 over random samples less their exact values, in standard errors, (questions, 2)."""
    rng = np.random.default_rng(rng)
    errors = []
    for pi in questions:
        counts = rng.multinomial(n, pi, n_draws)
        fresh = rng.multinomial(n, pi, n_draws)
        choice = counts.argmax(axis=1)[:, None]
        shares = {"sem1": counts.max(axis=1) / n, "sem2": np.take_along_axis(fresh, choice, axis=1)[:, 0] / n}
        exact = exact_bias(pi, n)
        errors.append([
            (share.mean() - exact.target - getattr(exact, name)) / (share.std() / n_draws**0.5)
            for name, share in shares.items()
        ])  # fmt: skip
    return np.array(errors)
