"""Cases on pairs of systems, on sampled answers and on cascades."""

from itertools import combinations

import numpy as np
from contest import OURS, Case, Contestant

# ---- resampling -------------------------------------------------------------------------------------------------


def two_losses(n):
    rng = np.random.default_rng(5)
    a = rng.gamma(2.0, size=n)
    return a, a + rng.normal(size=n)


def bootstrap_ours(data):
    from helpers.resampling import paired_difference

    return lambda: paired_difference(*data, n_resamples=1000, rng=0).se


def bootstrap_scipy(data):
    from scipy.stats import bootstrap

    gap = data[0] - data[1]
    options = {"n_resamples": 1000, "method": "percentile", "batch": 50, "rng": 0}
    return lambda: bootstrap((gap,), np.mean, **options).standard_error


def bootstrap_reference(data):
    return np.std(data[0] - data[1]) / np.sqrt(data[0].size)


def two_systems(n):
    rng = np.random.default_rng(6)
    correct = (rng.random(n) < 0.7).astype(float)
    noise = rng.normal(size=(2, n)) * [[0.25], [0.15]]
    return correct, *(np.clip(0.5 + 0.2 * correct + noise, 0.01, 0.99).round(2))


def systems_ours(data):
    from helpers.selective import compare_systems

    correct, old, new = data
    systems = {"old": (correct, old), "new": (correct, new)}
    return lambda: compare_systems(systems, against="old", n_resamples=200, rng=0).set_index("metric")


def systems_sklearn(data):
    """Three measures of scikit-learn, rows drawn again."""
    from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

    correct, old, new = data

    def measures(rows):
        return [
            measure(correct[rows], new[rows]) - measure(correct[rows], old[rows])
            for measure in (roc_auc_score, log_loss, brier_score_loss)
        ]

    def call():
        rng = np.random.default_rng(0)
        drawn = np.array([measures(rng.integers(correct.size, size=correct.size)) for _ in range(200)])
        return measures(slice(None))[0], *np.quantile(drawn[:, 0], [0.025, 0.975])

    return call


def auc_reference(data):
    from scipy.stats import mannwhitneyu

    right = data[0] == 1
    pairs = right.sum() * (~right).sum()
    return (mannwhitneyu(data[2][right], data[2][~right])[0] - mannwhitneyu(data[1][right], data[1][~right])[0]) / pairs


# ---- sampled answers --------------------------------------------------------------------------------------------


def counts_of_fifty(n):
    """Fifty answers to each question, three classes."""
    rng = np.random.default_rng(7)
    return rng.multinomial(50, rng.dirichlet([2.0, 1.5, 1.0], size=n))


def sem2_by_enumeration(counts, each=False):
    """All ways to draw 25 of the 50 answers, with their probabilities; ties go to the earlier class."""
    from scipy.special import gammaln

    def log_choose(n, k):
        with np.errstate(divide="ignore", invalid="ignore"):
            inside = (k >= 0) & (k <= n)
            return np.where(inside, gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1), -np.inf)

    found = np.zeros(len(counts))
    for a in range(26):
        for b in range(26 - a):
            drawn = np.array([a, b, 25 - a - b])
            chosen = drawn.argmax()
            share = (counts[:, chosen] - drawn[chosen]) / 25
            found += share * np.exp(log_choose(counts, drawn).sum(axis=1) - log_choose(50.0, 25.0))
    return found if each else found.mean()


def sem2_note(result, counts):
    rms = np.sqrt(np.mean((result - sem2_by_enumeration(counts, each=True)) ** 2))
    return f"error of one question {rms:.2g} (root mean square)"


def sem2_ours(counts):
    from helpers.answers import sem2

    return lambda: sem2(counts)


def sem2_ours_splits(counts):
    from helpers.answers import sem2_splits

    return lambda: sem2_splits(counts, rng=0)


def sem2_ten_splits(counts):
    """Ten shuffles of each question's answers: the first half selects, the second half measures."""
    answers = [np.repeat(np.arange(3), row) for row in counts]

    def share(rng, row):
        shuffled = rng.permutation(row)
        return np.mean(shuffled[25:] == np.bincount(shuffled[:25]).argmax())

    def call():
        rng = np.random.default_rng(0)
        return np.array([np.mean([share(rng, row) for _ in range(10)]) for row in answers])

    return call


# ---- cascades ---------------------------------------------------------------------------------------------------

PRICES = np.array([1.0, 3.0, 10.0, 30.0])
THRESHOLDS = np.linspace(0, 0.5, 50)
POOLS = [pool for size in range(1, 5) for pool in combinations(range(4), size)]


def four_models(n):
    rng = np.random.default_rng(8)
    y, ability = rng.integers(2, size=n), np.array([[0.7], [0.78], [0.85], [0.9]])
    return rng.beta(1, 4, size=(4, n)), np.where(rng.random((4, n)) < ability, y, 1 - y), PRICES, y


def sweep_ours(data):
    from helpers.routing import sweep_cascades

    return lambda: sweep_cascades(*data, thresholds=THRESHOLDS, pools=POOLS)["accuracy"].mean()


def sweep_each(data):
    """One pool and one threshold at a time, in plain numpy."""
    risk, prediction, prices, y = data

    def accuracy(pool, threshold):
        good, chosen = risk[pool] <= threshold, prediction[pool]
        stop = np.where(good.any(axis=0), good.argmax(axis=0), risk[pool].argmin(axis=0))
        money = np.cumsum(prices[pool])[np.where(good.any(axis=0), stop, len(pool) - 1)].mean()
        return np.mean(chosen[stop, np.arange(y.size)] == y), money

    return lambda: np.mean([accuracy(list(pool), threshold)[0] for pool in POOLS for threshold in THRESHOLDS])


# ---- the cases --------------------------------------------------------------------------------------------------

CASES = (
    Case(
        "paired-mean", "mean difference, 1,000 resamples: standard error", (10_000,), (100_000,), two_losses,
        {
            "ours": Contestant(OURS, bootstrap_ours),
            "scipy, bootstrap in batches of 50": Contestant("scipy", bootstrap_scipy),
        },
        bootstrap_reference,
    ),
    Case(
        "two-systems", "paired systems, 200 resamples: difference of AUC", (2_000,), (10_000,), two_systems,
        {
            "ours, nine measures": Contestant(
                OURS, systems_ours, lambda table: table.loc["auc", "difference"],
                lambda table, data: "interval [{low:.4f}, {high:.4f}]".format(**table.loc["auc"]),
            ),
            "scikit-learn, three measures": Contestant(
                "scikit-learn", systems_sklearn, lambda found: found[0],
                lambda found, data: f"interval [{found[1]:.4f}, {found[2]:.4f}]",
            ),
        },
        auc_reference,
    ),
    Case(
        "sem2", "Sem2 of questions with 50 answers", (1_000,), (10_000,), counts_of_fifty,
        {
            "ours, all splits": Contestant(OURS, sem2_ours, np.mean, sem2_note),
            "ours, ten random splits": Contestant(OURS, sem2_ours_splits, np.mean, sem2_note),
            "ten random splits, one by one": Contestant("numpy", sem2_ten_splits, np.mean, sem2_note),
        },
        sem2_by_enumeration, warm_up=50,
    ),
    Case(
        "cascades", "cascades: 50 thresholds, 15 pools of four models: mean accuracy",
        (10_000,), (100_000,), four_models,
        {
            "ours, one pass": Contestant(OURS, sweep_ours),
            "one pool and threshold at a time": Contestant("numpy", sweep_each),
        },
        lambda data: sweep_each(data)(),
    ),
)  # fmt: skip
