"""Studies of the biases of Sem1 and Sem2: grids against bounds, contests that stay equally hard, borders."""

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.stats import binom

from helpers.answers import (
    CRITICAL_HALF_MARGIN,
    bias_bound,
    binomial_law,
    critical_half_margin,
    direct_gap,
    exact_bias,
    leading_bias,
    leading_bias_all,
    selection_error_bound,
    standardized,
    winner_law,
)
from helpers.answers.exact import count_vectors, largest_deviation


def probability_grid(n_classes, parts):
    """All answer probabilities in multiples of 1 / parts that have one mode, in every order, (rows, K).

    >>> probability_grid(2, 3).round(2).tolist()
    [[0.0, 1.0], [0.33, 0.67], [0.67, 0.33], [1.0, 0.0]]
    """
    pi = count_vectors(parts, n_classes) / parts
    margin = standardized(pi, 1)[0]
    return pi[margin > 1e-9]


def worst_bound_ratios(pi, n):
    """Largest ratios of exact values to bounds over some questions (Q, K).

    Theorem 5.1, the constant C that each estimator needs, both biases together against sqrt(log K / (2 n)), lemma A.1.

    >>> {name: round(float(ratio), 2) for name, ratio in worst_bound_ratios(probability_grid(2, 10), 2).items()}
    {'5.1, Sem1': 0.27, '5.1, Sem2': 0.37, 'A.1': 0.67, 'C for Sem1': 0.27, 'C for Sem2': 0.37, 'both': 0.71}
    """
    n_classes = np.shape(pi)[1]
    bias = exact_bias(pi, n)
    bound = bias_bound(pi, n)
    upward = np.maximum(bias.sem1 - 1e-12, 0)  # 1e-12: rounding in a difference of two means
    downward = -bias.sem2
    uniform = np.sqrt(np.log(2 * n_classes) / (2 * n))
    ratios = {
        "5.1, Sem1": upward / bound,
        "5.1, Sem2": downward / bound,
        "A.1": bias.wrong / selection_error_bound(pi, n),
        "C for Sem1": upward / uniform,
        "C for Sem2": downward / uniform,
        "both": (upward + downward) / np.sqrt(np.log(n_classes) / (2 * n)),
    }
    return {name: ratio.max() for name, ratio in ratios.items()}


def deviation_ratios(n=(5, 20, 50)):
    """E max_k |share - pi_k| over its bound sqrt(log(2 K) / (2 n)), equation 13, for three questions and each n."""
    questions = ([1 / 3] * 3, [0.7, 0.2, 0.1], [0.25] * 4)
    return np.array([
        largest_deviation(pi, size) / np.sqrt(np.log(2 * len(pi)) / (2 * size)) for pi in questions for size in n
    ])  # fmt: skip


def confidence_errors(pi, n):
    """Exact E |confidence - c*| of Sem1 and of Sem2 (n answers held out) for each question, (Q,) each."""
    law = winner_law(pi, n)
    held_out_law = law.sum(axis=2)[:, :, None] * binomial_law(pi, n)
    distance = np.abs(np.arange(n + 1) / n - np.max(pi, axis=1)[:, None, None])
    return (law * distance).sum(axis=(1, 2)), (held_out_law * distance).sum(axis=(1, 2))


def contested_probabilities(behind, n):
    """Answer probabilities of a question that stays equally hard at every n.

    Its classes are `behind` the leader by so many standard deviations sqrt(1 / (K n)) of a share.

    >>> contested_probabilities([0, 1], 50).round(3)
    array([0.55, 0.45])
    """
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


def scaled_expansion_errors(behind, n):
    """Distance of `leading_bias_all` to the exact biases of Sem1 and Sem2, times sqrt(n)."""
    pi = contested_probabilities(behind, n)
    exact = exact_bias(pi, n, ties="lot")
    leading = leading_bias_all(pi, n)
    return n**0.5 * np.abs([exact.sem1 - leading.sem1, exact.sem2 - leading.sem2])


def exact_critical_margin(rivals, n):
    """Standardised margin, to four digits, at which the exact biases of Sem1 and Sem2 are equal."""

    def balance(m):
        bias = exact_bias(contested_probabilities([0] + [np.sqrt(2) * m] * rivals, n), n, ties="lot")
        return bias.sem1 + bias.sem2

    return brentq(balance, 0.3, 1.2, xtol=1e-4)


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


def miss_chances_and_bounds(margins, n):
    """Chance that n answers miss the mode of two classes (ties count against it) and its bounds, a row a margin."""
    margins = np.asarray(margins)
    pi = np.column_stack([(1 - margins) / 2, (1 + margins) / 2])
    columns = {"margin": margins, "exact": exact_bias(pi, n).wrong}
    kinds = {"Chernoff": "chernoff", "lemma A.1": "paper", "Bernstein": "bernstein"}
    for name, kind in kinds.items():
        columns[name] = selection_error_bound(pi, n, kind=kind)
    return pd.DataFrame(columns)


def regime_borders(classes):
    """{border: standardised margins}, printed (by number of classes) and redrawn (by number near the top)."""
    classes = np.asarray(classes, dtype=float)
    two_classes = {"m = 0.612, as printed": np.full(classes.size, 2 * CRITICAL_HALF_MARGIN)}
    printed = two_classes | {
        "m = sqrt(log K), as printed": np.sqrt(np.log(classes)),
        "m = sqrt(2 log(K - 1)): the bound reaches 1": np.sqrt(2 * np.log(classes - 1)),
    }
    ours = np.array([2 * critical_half_margin(int(k) - 1) for k in classes])
    return printed, two_classes | {"both biases equal (ours)": ours}


def gap_at_large_margin_border(classes):
    """What share of g_A is left at the printed border to large margins, m**2 = log K; bound: the exponential one."""
    classes = np.asarray(classes, dtype=float)
    m = np.sqrt(np.log(classes))
    bound = (classes - 1) / np.sqrt(classes)
    gap_left = direct_gap(m / 2) / direct_gap(0)
    return pd.DataFrame({"K": classes.astype(int), "m": m, "bound": bound, "gap left": gap_left})


def scaled_chance_to_leave_bin(n):
    """Chance that a share falls sqrt(log log n / n) or more below c* = 1/2, times sqrt(n).

    It would have to vanish for assumption 8.
    """
    n = np.asarray(n, dtype=float)
    below = 0.5 - np.sqrt(np.log(np.log(n)) / n)
    return n**0.5 * binom.cdf(np.floor(n * below), n, 0.5)
