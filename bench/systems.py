"""Cases on pairs of systems, on sampled answers and on cascades."""

from itertools import combinations

import numpy as np
from scipy.special import gammaln
from worker import Case, Contestant, ours

from helpers import answers, resampling, routing, selective

# ---- pairs of systems -------------------------------------------------------------------------------------------


def two_losses(n):
    rng = np.random.default_rng(5)
    a = rng.gamma(2.0, size=n)
    return a, a + rng.normal(size=n)


def bootstrap_scipy(data):
    from scipy.stats import bootstrap

    options = {"n_resamples": 1000, "method": "percentile", "batch": 50, "rng": 0}
    return lambda: bootstrap((data[0] - data[1],), np.mean, **options).standard_error


def two_systems(n):
    rng = np.random.default_rng(6)
    correct = (rng.random(n) < 0.7).astype(float)
    noise = rng.normal(size=(2, n)) * [[0.25], [0.15]]
    return correct, *(np.clip(0.5 + 0.2 * correct + noise, 0.01, 0.99).round(2))


def systems_ours(data):
    correct, old, new = data
    systems = {"old": (correct, old), "new": (correct, new)}
    compare = lambda: selective.compare_systems(systems, against="old", n_resamples=200, rng=0)  # noqa: E731
    return lambda: compare().set_index("metric").loc["auc"]


def systems_sklearn(data):
    """Three measures of scikit-learn, rows drawn again."""
    from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

    correct, old, new = data

    def differences(rows):
        both = [(correct[rows], new[rows]), (correct[rows], old[rows])]
        return [
            np.subtract(*(measure(*pair) for pair in both)) for measure in (roc_auc_score, log_loss, brier_score_loss)
        ]

    def call():
        rng = np.random.default_rng(0)
        drawn = np.array([differences(rng.integers(correct.size, size=correct.size)) for _ in range(200)])
        low, high = np.quantile(drawn[:, 0], [0.025, 0.975])
        return {"difference": differences(slice(None))[0], "low": low, "high": high}

    return call


def systems_note(result, data):
    return f"interval [{result['low']:.4f}, {result['high']:.4f}]"


def auc_by_ranks(data):
    from scipy.stats import mannwhitneyu

    correct, old, new = data
    right = correct == 1
    old_pairs, new_pairs = (mannwhitneyu(system[right], system[~right])[0] for system in (old, new))
    return (new_pairs - old_pairs) / (right.sum() * (~right).sum())


# ---- sampled answers --------------------------------------------------------------------------------------------


def counts_of_fifty(n):
    """Fifty answers to each question, three classes."""
    rng = np.random.default_rng(7)
    return rng.multinomial(50, rng.dirichlet([2.0, 1.5, 1.0], size=n))


def sem2_by_enumeration(counts):
    """All ways to draw 25 of the 50 answers, with their probabilities; ties go to the earlier class."""

    def log_choose(n, k):
        with np.errstate(divide="ignore", invalid="ignore"):
            inside = (k >= 0) & (k <= n)
            return np.where(inside, gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1), -np.inf)

    total = np.zeros(len(counts))
    for a in range(26):
        for b in range(26 - a):
            drawn = np.array([a, b, 25 - a - b])
            mode = drawn.argmax()
            share = (counts[:, mode] - drawn[mode]) / 25
            total += share * np.exp(log_choose(counts, drawn).sum(axis=1) - log_choose(50.0, 25.0))
    return total


def sem2_note(result, counts):
    rms = np.sqrt(np.mean((result - sem2_by_enumeration(counts)) ** 2))
    return f"error of one question {rms:.2g} (root mean square)"


def sem2_ten_splits(counts):
    """Ten shuffles of each question's answers: the first half selects, the second half measures."""
    sampled = [np.repeat(np.arange(3), row) for row in counts]

    def share(rng, row):
        shuffled = rng.permutation(row)
        return np.mean(shuffled[25:] == np.bincount(shuffled[:25]).argmax())

    def call():
        rng = np.random.default_rng(0)
        return np.array([np.mean([share(rng, row) for _ in range(10)]) for row in sampled])

    return call


# ---- cascades ---------------------------------------------------------------------------------------------------

THRESHOLDS = np.linspace(0, 0.5, 50)
POOLS = [pool for size in range(1, 5) for pool in combinations(range(4), size)]


def four_models(n):
    rng = np.random.default_rng(8)
    y = rng.integers(2, size=n)
    ability = np.array([[0.7], [0.78], [0.85], [0.9]])
    prices = np.array([1.0, 3.0, 10.0, 30.0])
    return rng.beta(1, 4, size=(4, n)), np.where(rng.random((4, n)) < ability, y, 1 - y), prices, y


def sweep_ours(data):
    return lambda: routing.sweep_cascades(*data, thresholds=THRESHOLDS, pools=POOLS)["accuracy"].mean()


def sweep_each(data):
    """One pool and one threshold at a time, in plain numpy."""
    risk, prediction, _, y = data

    def accuracy(pool, threshold):
        good = risk[pool] <= threshold
        stop = np.where(good.any(axis=0), good.argmax(axis=0), risk[pool].argmin(axis=0))
        return np.mean(prediction[pool][stop, np.arange(y.size)] == y)

    return lambda: np.mean([accuracy(list(pool), threshold) for pool in POOLS for threshold in THRESHOLDS])


# ---- the cases --------------------------------------------------------------------------------------------------

CASES = {
    "paired-mean": Case(
        "mean difference, 1,000 resamples: standard error", (10_000,), (100_000,), two_losses,
        {
            "ours": ours(lambda data: lambda: resampling.paired_difference(*data, n_resamples=1000, rng=0).se),
            "scipy, bootstrap in batches of 50": Contestant("scipy", bootstrap_scipy),
        },
        lambda data: np.std(data[0] - data[1]) / np.sqrt(data[0].size),
    ),
    "two-systems": Case(
        "paired systems, 200 resamples: difference of AUC", (2_000,), (10_000,), two_systems,
        {
            "ours, nine measures": ours(systems_ours, lambda row: row["difference"], systems_note),
            "scikit-learn, three measures": Contestant(
                "scikit-learn", systems_sklearn, lambda row: row["difference"], systems_note
            ),
        },
        auc_by_ranks,
    ),
    "sem2": Case(
        "Sem2 of questions with 50 answers", (1_000,), (10_000,), counts_of_fifty,
        {
            "ours, all splits": ours(lambda counts: lambda: answers.sem2(counts, ties="first"), np.mean, sem2_note),
            "ours, ten random splits": ours(
                lambda counts: lambda: answers.sem2_splits(counts, rng=0), np.mean, sem2_note
            ),
            "ten random splits, one by one": Contestant("numpy", sem2_ten_splits, np.mean, sem2_note),
        },
        lambda counts: sem2_by_enumeration(counts).mean(), warm_up=50,
    ),
    "cascades": Case(
        "cascades: 50 thresholds, 15 pools of four models: mean accuracy", (10_000,), (100_000,), four_models,
        {
            "ours, one pass": ours(sweep_ours),
            "one pool and threshold at a time": Contestant("numpy", sweep_each),
        },
        lambda data: sweep_each(data)(),
    ),
}  # fmt: skip
