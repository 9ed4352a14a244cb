"""Studies of the biases of Sem1 and Sem2: grids against bounds, contests that stay equally hard, borders."""

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.stats import binom

from helpers.answers import binomial_law, exact_bias, theory, winner_law
from helpers.answers.exact import count_vectors, largest_deviation
from helpers.checks import check_count, check_vector


def probability_grid(n_classes, parts):
    """All answer probabilities in multiples of 1 / parts that have one mode, in every order, (rows, K).

    >>> probability_grid(2, 3).round(2).tolist()
    [[0.0, 1.0], [0.33, 0.67], [0.67, 0.33], [1.0, 0.0]]
    """
    pi = count_vectors(parts, n_classes) / parts
    return pi[theory.standardized(pi, 1)[0] > 1e-9]


def bound_ratios(pi, n):
    """Largest ratios of exact values to bounds over the rows of pi, a dict: theorem 5.1, lemma A.1, the constant C
    that each estimator needs, and both biases together against sqrt(log K / (2 n)).

    >>> {name: round(float(ratio), 2) for name, ratio in bound_ratios(probability_grid(2, 10), 2).items()}
    {'5.1, Sem1': 0.27, '5.1, Sem2': 0.37, 'A.1': 0.67, 'C for Sem1': 0.27, 'C for Sem2': 0.37, 'both': 0.71}
    """
    bias, bound, K = exact_bias(pi, n), theory.bias_bound(pi, n), np.shape(pi)[1]
    up, down = np.maximum(bias.sem1 - 1e-12, 0), -bias.sem2  # 1e-12: rounding in a difference of two means
    room = np.sqrt(np.log(2 * K) / (2 * n))
    ratios = {"5.1, Sem1": up / bound, "5.1, Sem2": down / bound}
    ratios["A.1"] = bias.wrong / theory.selection_error_bound(pi, n)
    ratios |= {"C for Sem1": up / room, "C for Sem2": down / room}
    ratios["both"] = (up + down) / np.sqrt(np.log(K) / (2 * n))
    return {name: ratio.max() for name, ratio in ratios.items()}


def lemma_steps(pi, n):
    """Exact chance to miss the mode, Chernoff's bound and that of lemma A.1 for each question, three (Q,) arrays."""
    bounds = (theory.selection_error_bound(pi, n, kind=kind) for kind in ("chernoff", "paper"))
    return exact_bias(pi, n).wrong, *bounds


def deviation_ratios(n=(5, 20, 50)):
    """E max_k |share - pi_k| over its bound sqrt(log(2 K) / (2 n)), equation 13, for three questions and each n."""
    cases = [(pi, size) for pi in ([1 / 3] * 3, [0.7, 0.2, 0.1], [0.25] * 4) for size in n]
    return np.array([largest_deviation(pi, m) / np.sqrt(np.log(2 * len(pi)) / (2 * m)) for pi, m in cases])


def confidence_errors(pi, n):
    """E |confidence - c*| of Sem1 and of Sem2 (n answers held out) for each question, two (Q,) arrays, exactly."""
    law, share = winner_law(pi, n), np.arange(n + 1) / n
    away = np.abs(share - np.max(pi, axis=1)[:, None, None])
    return (law * away).sum(axis=(1, 2)), (law.sum(axis=2)[:, :, None] * binomial_law(pi, n) * away).sum(axis=(1, 2))


def contest(behind, n):
    """Answer probabilities whose classes are `behind` the leader by so many standard deviations sqrt(1 / (K n)) of a
    share, at every n: a question that stays equally hard.

    >>> contest([0, 1], 50).round(3)
    array([0.55, 0.45])
    """
    behind = check_vector(behind, "behind", finite=True)
    unit = 1 / np.sqrt(behind.size * check_count(n, "n"))
    return 1 / behind.size + unit * (behind.mean() - behind)


def expansion_curve(rivals, sizes, behind=0.8):
    """sqrt(n) times the bias of Sem1, exact and by both expansions, with equally close rivals: a table with a line for
    each n and kind.
    """
    rows = []
    for n in sizes:
        pi = contest([0] + [behind] * rivals, n)
        kinds = {"exact": exact_bias(pi, n), "equation 9": theory.leading_bias(pi, n)}
        kinds["all near classes"] = theory.leading_bias_all(pi, n)
        rows += [{"rivals": rivals, "n": n, "estimator": k, "value": n**0.5 * b.sem1} for k, b in kinds.items()]
    return pd.DataFrame(rows)


def expansion_remainder(behind, n):
    """sqrt(n) times |exact - `leading_bias_all`| for Sem1 and Sem2, (2,)."""
    pi = contest(behind, n)
    exact, every = exact_bias(pi, n, ties="lot"), theory.leading_bias_all(pi, n)
    return n**0.5 * np.abs([exact.sem1 - every.sem1, exact.sem2 - every.sem2])


def exact_border(rivals, n):
    """Standardised margin at which the exact biases of Sem1 and Sem2 are equal, with equally close rivals."""

    def balance(m):
        bias = exact_bias(contest([0] + [np.sqrt(2) * m] * rivals, n), n, ties="lot")
        return bias.sem1 + bias.sem2

    return brentq(balance, 0.3, 1.2, xtol=1e-4)


def expansions(pi, n, *, names=None):
    """Exact biases, equation 9 and all near classes side by side: a table with a line a question, named or not."""
    exact, two, every = exact_bias(pi, n, ties="lot"), theory.leading_bias(pi, n), theory.leading_bias_all(pi, n)
    columns = {"Sem1": exact.sem1, "(9)": two.sem1, "ours": every.sem1}
    columns |= {"Sem2": exact.sem2, "(9) ": two.sem2, "ours ": every.sem2}
    return pd.DataFrame(columns, index=None if names is None else pd.Index(list(names), name="question"))


def sampling_errors(questions, n, n_draws=40_000, *, rng=None):
    """Means of Sem1 and Sem2 over random samples less their exact values, in standard errors, (questions, 2)."""
    rng, off = np.random.default_rng(rng), []
    for pi in questions:
        counts, fresh = rng.multinomial(n, pi, n_draws), rng.multinomial(n, pi, n_draws)
        choice, exact = counts.argmax(axis=1)[:, None], exact_bias(pi, n)
        drawn = counts.max(axis=1) / n, np.take_along_axis(fresh, choice, axis=1)[:, 0] / n
        biases = zip(drawn, (exact.sem1, exact.sem2), strict=True)
        off.append([(one.mean() - exact.target - bias) / (one.std() / n_draws**0.5) for one, bias in biases])
    return np.array(off)


def miss_chances(margins, n):
    """Chance that n answers miss the mode of two classes (ties count against it) and its bounds: a line a margin."""
    margins = check_vector(margins, "margins")
    pi = np.column_stack([(1 - margins) / 2, (1 + margins) / 2])
    columns = {"margin": margins, "exact": exact_bias(pi, n).wrong}
    names = {"Chernoff": "chernoff", "lemma A.1": "paper", "Bernstein": "bernstein"}
    bounds = {name: theory.selection_error_bound(pi, n, kind=kind) for name, kind in names.items()}
    return pd.DataFrame(columns | bounds)


def regime_borders(classes):
    """Borders of the regimes as printed (by number of classes), and redrawn (by number of classes near the top)."""
    classes = check_vector(classes, "classes")
    first = {"m = 0.612, as printed": np.full(classes.size, 2 * theory.CRITICAL_HALF_MARGIN)}
    printed = first | {"m = sqrt(log K), as printed": np.sqrt(np.log(classes))}
    printed |= {"m = sqrt(2 log(K - 1)): the bound reaches 1": np.sqrt(2 * np.log(classes - 1))}
    ours = np.array([2 * theory.critical_half_margin(int(k) - 1) for k in classes])
    return printed, first | {"both biases equal (ours)": ours}


def at_crossover(classes):
    """At the printed border m**2 = log K: margin, exponential bound, and share of g_A that is left: a line a K."""
    classes = check_vector(classes, "classes")
    m = np.sqrt(np.log(classes))
    left = theory.direct_gap(m / 2) / theory.direct_gap(0)
    bound = (classes - 1) / np.sqrt(classes)
    return pd.DataFrame({"K": classes.astype(int), "m": m, "bound": bound, "gap left": left})


def leaving_chance(n):
    """sqrt(n) times the chance that a share of n answers with c* = 1/2 falls sqrt(log log n / n) or more below it."""
    n = check_vector(n, "n")
    return n**0.5 * binom.cdf(np.floor(n * (0.5 - np.sqrt(np.log(np.log(n)) / n))), n, 0.5)
