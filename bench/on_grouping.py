"""Cases on the grouping loss: the estimators and their peer, and what is left to do when the tree stands."""

import numpy as np
from contest import OURS, Case, Contestant

# ---- grouping loss ----------------------------------------------------------------------------------------------


def people(n):
    """Calibrated scores that the sign of a second feature tells apart; ten features."""
    from scipy.special import expit

    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 10))
    p = expit(X[:, 0])
    q = p + np.sign(X[:, 1]) * np.minimum(p, 1 - p) / 2
    return (rng.random(n) < q).astype(float), p, X


def true_grouping_loss(data):
    """E min(p, 1 - p)^2 / 4, by quadrature."""
    from scipy.integrate import quad
    from scipy.special import expit
    from scipy.stats import norm

    return quad(lambda x: norm.pdf(x) * expit(-abs(x)) ** 2 / 4, -9, 9, points=[0], epsabs=1e-12)[0]


def bin_free(large=True, **options):
    def prepare(data):
        from helpers.grouping import grouping_loss

        return lambda: grouping_loss(*data, rng=0, **options)

    return Contestant(OURS, prepare, lambda result: result.value, interval, large)


def binned(data):
    from helpers.grouping import binned_grouping_loss

    return lambda: binned_grouping_loss(*data, rng=0)


def glest(data):
    from glest import GLEstimator

    y, p, X = data
    return lambda: GLEstimator(p, random_state=0).fit(X, y).GL("brier") / 2  # it sums over two classes


def interval(result, data):
    return f"interval [{result.low:.4f}, {result.high:.4f}]"


# ---- after the tree ---------------------------------------------------------------------------------------------


def regions_of(n):
    """Rows, their residuals, a tree chosen on 100,000 others, and the region that it gives each row."""
    from helpers.partition import HonestTree

    y, p, X = people(n + 100_000)
    tree = HonestTree(rng=0).fit(X[n:], y[n:] - p[n:])
    X, residual = X[:n].copy(), y[:n] - p[:n]
    return X, residual, tree, tree.apply(X)


def means_ours(data):
    from helpers.grouping import grouping_loss_from_regions

    return lambda: grouping_loss_from_regions(data[1], data[3])


def means_of_new_rows(data):
    from helpers.grouping import grouping_loss_from_regions

    X, residual, tree, _ = data
    return lambda: grouping_loss_from_regions(residual, tree.apply(X))


def copied(with_table):
    def prepare(data):
        arrays = (data[0], data[1], data[3]) if with_table else (data[1], data[3])
        return lambda: [array.copy() for array in arrays]

    return Contestant("numpy", prepare, lambda arrays: pairs_by_sorting((None, arrays[-2], None, arrays[-1])))


def pairs_by_sorting(data):
    """Mean product of two rows of a region, regions weighted by their rows."""
    order = np.argsort(data[3], kind="stable")
    residual, region = data[1][order], data[3][order]
    start = np.flatnonzero(np.r_[True, region[1:] > region[:-1]])
    count = np.diff(np.r_[start, region.size])
    sums, squares = np.add.reduceat(residual, start), np.add.reduceat(residual**2, start)
    kept = count > 1
    return ((sums**2 - squares)[kept] / (count[kept] - 1)).sum() / residual.size


# ---- the cases --------------------------------------------------------------------------------------------------

CASES = (
    Case(
        "grouping-loss", "grouping loss, rows × 10 columns", (3_000, 10_000, 30_000),
        (10_000, 30_000, 100_000, 300_000, 1_000_000, 10_000_000), people,
        {
            "ours, bin-free, cross-fitted": bin_free(),
            "ours, bin-free, fast tree": bin_free(tree="hist"),
            "ours, bin-free, as printed": bin_free(large=False, method="paper"),
            "ours, binned": Contestant(OURS, binned, lambda result: result.value, interval),
            "glest, binned": Contestant("glest", glest),
        },
        true_grouping_loss, growth=True,
    ),
    Case(
        "after-tree", "after the tree, rows × 10 columns", (100_000,), (1_000_000,), regions_of,
        {
            "ours, squared means of the regions": Contestant(OURS, means_ours, lambda result: result.value, interval),
            "one pass: residuals and regions copied": copied(False),
            "ours, regions looked up as well": Contestant(
                OURS, means_of_new_rows, lambda result: result.value, interval
            ),
            "one pass: table, residuals and regions copied": copied(True),
        },
        pairs_by_sorting, yardstick=True,
    ),
)  # fmt: skip
