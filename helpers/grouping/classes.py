"""The grouping loss of scores for several classes.

A row has a vector of residuals: one for the class that came, zero for the others, minus the calibrated scores. Where
people with one stated vector differ, residuals of two of them point in one direction, and their mean inner product is
the loss: the same U-statistic as for two classes, with inner products in place of products.
"""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.tree import DecisionTreeRegressor

from helpers._parallel import side_by_side
from helpers.binning import cross_cells, group_sums
from helpers.calibration.affine import calibrate_classes, information_of_line, log_of_stated
from helpers.checks import check_one_of
from helpers.grouping.fitted_scores import LEAST_RATIO, NO_FIT, FitEffect
from helpers.grouping.null_moments import products_of_groups
from helpers.grouping.region_statistics import RegionStatistics
from helpers.grouping.region_values import RegionValues, quotient
from helpers.grouping.region_variance import bessel_correction, influence_factors, variances
from helpers.grouping.result import combine
from helpers.grouping.splits import repeat_splits
from helpers.partition import HonestTree, split_rows
from helpers.partition.checked import CheckedTable
from helpers.partition.class_rows import with_class_scores
from helpers.partition.content_order import order_of_content
from helpers.partition.encoder import TableEncoder
from helpers.partition.kinds import as_numbers, text_as_values

MAPS = {"platt": calibrate_classes, "none": None}

BLOCK = 2_000_000  # numbers of one table of K x K covariances at a time


def check_calibrator(calibrator):
    """ValueError for another name than those of `MAPS`."""
    check_one_of(calibrator, "calibrator", tuple(MAPS))


def yes_or_no(rows, given):
    """`Rows` of the question that is asked where people share one score; None where they share the whole vector."""
    if rows.ordered:
        check_one_of(given, "given of ordered classes", ("joint",))
    if given == "top":
        answer = rows.P.argmax(axis=1)
        return rows.one_of_two(rows.y == answer, rows.P.max(axis=1))
    if given != "joint":
        names = [str(name) for name in rows.classes]
        check_one_of(str(given), "given", ("joint", "top", *names))
        k = names.index(str(given))
        return rows.one_of_two(rows.y == k, rows.P[:, k])
    return None


def loss_of_vectors(rows, *, calibrator="platt", tree=None, n_splits=1, rng=None):
    """The loss of three or more classes, E sum_k (q_k - c_k)**2 among people with one vector; `tree` is unfitted."""
    tree = HonestTree(min_samples_leaf=15) if tree is None else tree
    least = 4 * tree.min_samples_leaf
    if rows.y.size < least:
        raise ValueError(f"y must have at least 4 * min_samples_leaf = {least} rows, but it has {rows.y.size}.")
    c = rows.calibrated(MAPS[calibrator])
    table = CheckedTable(with_class_scores(rows.X, rows.P, rows.classes))
    return repeat_splits(partial(_loss_of_split, rows, calibrator, tree, table, c), n_splits, rng)


def loss_of_two(rows, loss):
    """The loss of two classes from that of the second: both have the same, and in order there is one question."""
    if rows.ordered:
        return replace(loss, mean=-loss.mean[:, None], by_class=_by_class(rows, np.array([loss.value])))
    by_class = _by_class(rows, np.array([loss.value, loss.value]))
    return _doubled(loss, np.column_stack([-loss.mean, loss.mean]), 2 * loss.variance, by_class, 2)


def _doubled(loss, mean, variance, by_class, calibration=1):
    """The loss summed over classes, from half of it: that of one class where there are two."""
    names = ("value", "se", "low", "high", "null_se", "plugin", "bias", "splits")
    changes = {name: 2 * getattr(loss, name) for name in names}
    changes |= {name: calibration * getattr(loss, name) for name in ("calibration_loss", "recalibration_gain")}
    return replace(loss, **changes, mean=mean, variance=variance, by_class=by_class)


def _by_class(rows, value):
    weight = rows.weights
    columns = {
        "observed": np.average(rows.asked.T[rows.y], axis=0, weights=weight),
        "stated": np.average(rows.P @ rows.asked.T, axis=0, weights=weight),
        "value": value,
    }
    return pd.DataFrame(columns, index=pd.Index(rows.asked_names, name="class", dtype=object))


def _loss_of_split(rows, calibrator, tree, table, c, rng, tail):
    """The grouping loss by one random split into two halves."""
    seeds = rng.integers(2**31, size=2)
    a, b = _halves(rows, rng)
    jobs = [
        partial(_part, rows, c, clone(tree).set_params(rng=seed), table, calibrator, fit, evaluate)
        for seed, fit, evaluate in zip(seeds, (a, b), (b, a), strict=True)
    ]
    parts, trees, means, values, regions = zip(*side_by_side(jobs, rows.y.size), strict=True)
    if not all(part.n_regions for part in parts):
        raise ValueError("groups must leave two of them in at least one region of each part, but a part has no pair.")
    calibration = gain = float("nan")
    fit = NO_FIT
    if calibrator != "none":
        labels, stated, fitted = rows.asked.T[rows.y], rows.P @ rows.asked.T, c @ rows.asked.T
        squares = [((stated - fitted) ** 2).sum(axis=1)]
        squares.append(((stated - labels) ** 2 - (fitted - labels) ** 2).sum(axis=1))
        calibration, gain = (float(np.average(square, weights=rows.weight)) for square in squares)
        fit = _effect_of_fit(rows, c, list(zip((b, a), regions, strict=True)))
    loss = combine(parts, calibration, trees, tail, fit, gain)
    return _doubled(loss, np.vstack(means), 2 * loss.variance, _by_class(rows, np.mean(values, axis=0)))


def _halves(rows, rng):
    """Two random halves that hold every class."""
    common = (rows.y == np.bincount(rows.y).argmax()).astype(float)
    for _ in range(100):
        halves = split_rows(common, rows.groups, (0.5,), rng)
        if all(np.unique(rows.y[half]).size == rows.classes.size for half in halves):
            return halves
    rarest = rows.classes[np.bincount(rows.y).argmin()]
    raise ValueError(f"y must hold every class in each of two random halves, but {rarest} is too rare.")


def _part(rows, c, tree, table, calibrator, fit, evaluate):
    """Statistics of the rows `evaluate` in regions found on the rows `fit`; tree, region means, loss of each class."""
    weight = (None, None) if rows.weight is None else (rows.weight[fit], rows.weight[evaluate])
    of_fit, groups = (None, None) if rows.groups is None else (rows.groups[fit], rows.groups[evaluate])
    labels = np.eye(rows.classes.size)
    stated = rows.calibrated(MAPS[calibrator], fit, fit)
    residual = (labels[rows.y[fit]] - stated) @ rows.asked.T
    tree = _grown(tree, CheckedTable(table, fit), residual, weight[0], of_fit)
    region = tree.apply(CheckedTable(table, evaluate))
    residual = (labels[rows.y[evaluate]] - c[evaluate]) @ rows.asked.T
    return (*squared_vectors(residual, c[evaluate], region, weight[1], groups, tree, rows.asked), region)


def _grown(tree, X, residual, weight, groups):
    """An `HonestTree` whose regions tell vectors of residuals apart, (n, K); it has no values."""
    # sums over classes end in other digits in another order, and these decide between splits that are equally good
    residual = residual[:, order_of_content(residual, np.zeros(len(residual)), lambda k: (k,))]
    tree.encoder_ = TableEncoder(max_bins=1024)
    codes = tree.encoder_.fit_transform(X, residual @ _direction(X, residual), weight, groups)
    model = DecisionTreeRegressor(
        min_samples_leaf=tree.min_samples_leaf, max_depth=tree.max_depth, random_state=int(tree.rng)
    )
    tree.tree_ = model.fit(codes, np.round(residual, 9), weight).tree_
    leaves = np.flatnonzero(tree.tree_.children_left < 0)
    tree.n_regions_ = leaves.size
    tree.region_nodes_ = leaves
    tree.region_of_node_ = np.full(tree.tree_.node_count, -1)
    tree.region_of_node_[leaves] = np.arange(leaves.size)
    tree.n_features_in_ = len(X.columns)
    return tree


def _direction(X, residual):
    """The direction in which residuals differ most between categories: by it the encoder puts them in order."""
    between = np.zeros((residual.shape[1],) * 2)
    for name in X.columns:
        values = text_as_values(X[name])
        if as_numbers(values) is None:
            _, level = np.unique(values.astype(str), return_inverse=True)
            count, *sums = group_sums(level, *residual.T)
            sums = np.column_stack(sums)
            between += (sums / count[:, None]).T @ sums
    return np.linalg.eigh(between if between.any() else residual.T @ residual)[1][:, -1]


def squared_vectors(residual, c, region, weight, groups, tree, asked):
    """`RegionStatistics` of half the loss, the tree, mean residuals of the regions (J, Q), and each question's loss."""
    own = np.ones(region.size) if weight is None else weight
    half = residual / np.sqrt(2)  # of two classes, it is then that of one
    size = int(region.max()) + 1
    units = _units(half, own, region, groups)
    unit_weight, unit_sum, unit_region, _ = units
    columns = (unit_weight, unit_weight**2, *unit_sum.T, *(unit_sum**2).T)
    total, squared_weights, *sums = group_sums(unit_region, *columns, size=size)[1:]
    sums, squares = np.split(np.column_stack(sums), 2, axis=1)
    products = sums**2 - squares  # of different rows, one column a question
    regions = RegionValues.of(total, squared_weights, products.sum(axis=1))
    by_class = 2 * regions.pair_weight @ products

    mean = np.divide(sums, total[:, None], out=np.zeros_like(sums), where=total[:, None] > 0)
    changes = _variances_of_vectors(regions, mean, sums, squared_weights, units)
    noise = changes["noise_variance"]
    null_variance, null_third = _known_moments(c, own, region, regions.pair_weight, asked)
    if groups is not None and noise > null_variance:
        # the scores do not say how alike the rows of a group are, so their residuals do
        null_third *= (noise / null_variance) ** 1.5 if null_variance > 0 else 0.0
        null_variance = noise
    count, squares = group_sums(region, own * (half**2).sum(axis=1), size=size)
    length = np.sqrt((sums**2).sum(axis=1))
    of_length = quotient(length, total)
    within = squares - of_length * length
    part = RegionStatistics.of_regions(regions, count, of_length, within, changes, (null_variance, null_third))
    return replace(part, mean=mean), tree, np.sqrt(2) * mean, by_class


def _units(residual, weight, region, groups):
    """Weight, weighted residuals, region and group of each independent row, or of each (region, group) cell."""
    if groups is None:
        row = np.arange(region.size)
        return weight, weight[:, None] * residual, region, row
    cell, cell_region, cell_group = cross_cells(region, groups)
    _, cell_weight, *sums = group_sums(cell, weight, *(weight[:, None] * residual).T)
    return cell_weight, np.column_stack(sums), cell_region, cell_group


def _variances_of_vectors(regions, mean, sums, squared_weights, units):
    """`helpers.grouping.region_variance.variances` of vectors: squared lengths and inner products take their places."""
    weight, unit_sum, region, group = units
    size, n_questions = mean.shape
    deviation = unit_sum - weight[:, None] * mean[region]
    squared_deviations = group_sums(region, (deviation**2).sum(axis=1), size=size)[1]
    correction = bessel_correction(regions)
    entry = deviation * np.sqrt(regions.pair_weight * correction)[region, None]
    column = region[:, None] * n_questions + np.arange(n_questions)
    noise = 2 * products_of_groups(entry.ravel(), column.ravel(), np.repeat(group, n_questions))
    of_products, of_weight = influence_factors(regions, squared_weights)
    products = (unit_sum * (sums[region] - unit_sum)).sum(axis=1)
    products -= regions.square[region] * weight * (regions.total[region] - weight)
    influence = of_products[region] * products + of_weight[region] * weight
    influences = float((np.bincount(group, influence) ** 2).sum())
    # A loss in one direction varies with the noise in that direction, not with that of all classes; which one it is
    # nobody knows, so directions count by their noise.
    covariances = _squared_covariances(deviation, region, size)
    along = quotient(covariances, squared_deviations)
    return variances(regions, squared_deviations, noise, influences) | {
        "noise_ceiling": max(noise, 2 * float(regions.pair_weight**2 * correction @ covariances)),
        "unit_variance": 4 * float(correction @ along) / regions.total.sum() ** 2,
    }


def _squared_covariances(deviation, region, size):
    """Sum of the squared entries of each region's sum of d d', (J,)."""
    squared = np.zeros(size)
    for k, column in enumerate(deviation.T):
        for other, times in [(column, 1), *((other, 2) for other in deviation.T[k + 1 :])]:
            squared += times * group_sums(region, column * other, size=size)[1] ** 2
    return squared


def _known_moments(c, weight, region, pair_weight, asked):
    """Second and third central moments of half the loss if the scores are right."""
    # As in `null_moments`, with the covariance of a row's answers, V = A (diag(c) - c c') A', in place of a
    # variance; A holds what is asked of the class. Pairs of rows contribute tr(V V'), triples tr(V V' V''). Of the
    # third moments of one row, those of three different questions are left out: they count only where regions are
    # small and no class is rare.
    size = pair_weight.size
    covariance, square, skewed = (np.zeros((size, len(asked), len(asked))) for _ in range(3))
    singles = np.zeros((3, size))
    times = 3.0 - 2 * np.eye(len(asked))
    for own, starts, names in _blocks(region, c.shape[1]):
        w = weight[own]
        spread = asked @ _covariance(c[own]) @ asked.T
        third = spread * (1 - 2 * (c[own] @ asked.T))[:, :, None]
        squared = spread @ spread
        covariance[names] += np.add.reduceat(spread * w[:, None, None] ** 2, starts)
        square[names] += np.add.reduceat(squared * w[:, None, None] ** 4, starts)
        skewed[names] += np.add.reduceat(third * w[:, None, None] ** 3, starts)
        each = [np.einsum("nkk->n", squared), (squared * spread).sum(axis=(1, 2)), (times * third**2).sum(axis=(1, 2))]
        for line, values, power in zip(singles, each, (4, 6, 6), strict=True):
            line[names] += np.add.reduceat(values * w**power, starts)
    pairs = np.maximum((covariance**2).sum(axis=(1, 2)) - singles[0], 0)
    triples = ((covariance @ covariance - 3 * square) * covariance).sum(axis=(1, 2)) + 2 * singles[1]
    alone = np.maximum((times * skewed**2).sum(axis=(1, 2)) - singles[2], 0)
    variance = 2 * float(pair_weight**2 @ pairs)
    return variance / 4, float(pair_weight**3 @ (8 * np.maximum(triples, 0) + 4 * alone)) / 8


def _blocks(region, n_classes):
    """Rows in the order of their regions, some at a time: rows, where a region starts, which it is."""
    order = np.argsort(region, kind="stable")
    step = max(BLOCK // n_classes**2, 1)
    for first in range(0, order.size, step):
        own = order[first : first + step]
        starts = np.flatnonzero(np.diff(region[own], prepend=-1))
        yield own, starts, region[own][starts]


def _covariance(c):
    """Covariances of the labels of each row, (n, K, K): diag(c) - c c'."""
    spread = -c[:, :, None] * c[:, None, :]
    np.einsum("nkk->nk", spread)[:] += c
    return spread


def _effect_of_fit(rows, c, evaluated):
    """`helpers.grouping.fitted_scores.effect_of_fit` for the line of several classes."""
    weight = rows.weights / rows.weights.mean()
    z = log_of_stated(rows.P)
    z[np.isneginf(z)] = 0.0  # moved by the offsets only
    n_classes = c.shape[1]
    inverse = np.linalg.pinv(information_of_line(z, c, weight), rcond=1e-10, hermitian=True)
    taken = linear = variance = 0.0
    square = np.zeros((n_classes + 1,) * 2)
    for part, region in evaluated:
        size = int(region.max()) + 1
        own, scores, logs = weight[part], c[part], z[part]
        whole = group_sums(region, own, size=size)[1]
        covariance = np.zeros((size, n_classes, n_classes))
        for of_block, starts, names in _blocks(region, n_classes):
            covariance[names] += np.add.reduceat(own[of_block, None, None] * _covariance(scores[of_block]), starts)
        pulled = own[:, None] * (scores * logs - scores * (scores * logs).sum(axis=1, keepdims=True))
        pulled = np.column_stack(group_sums(region, *pulled.T, size=size)[1:])
        sums = rows.asked @ np.concatenate([covariance, pulled[:, :, None]], axis=2)  # (J, Q, K + 1)
        covariance = rows.asked @ covariance @ rows.asked.T
        factor = np.divide(1, whole * own.sum(), out=np.zeros(size), where=whole > 0)
        shared = sums @ inverse @ sums.transpose(0, 2, 1)
        taken += float(factor @ np.einsum("jkk->j", shared))
        linear += float(factor**2 @ (covariance * shared).sum(axis=(1, 2)))
        variance += float(factor**2 @ (covariance**2).sum(axis=(1, 2)))
        square += np.einsum("j,jka,jkb->ab", factor, sums, sums)
    if not variance > 0:
        return NO_FIT
    both = inverse @ square
    ratio = 1 - (2 * linear - np.trace(both @ both)) / variance
    inflation = 1.0
    if rows.groups is not None or rows.weight is not None:
        # the spread of the fitted line over that of independent rows of equal weight
        weighted = weight[:, None] * (np.eye(n_classes)[rows.y] - c)
        scores = np.column_stack([weighted, (weighted * z).sum(axis=1)])
        if rows.groups is not None:
            scores = np.column_stack(group_sums(rows.groups, *scores.T)[1:])
        inflation = float(np.einsum("ia,ab,ib->", scores, inverse, scores)) / n_classes
    shift = -inflation * taken / len(evaluated) / 2
    return FitEffect(shift=shift, variance_ratio=float(np.clip(ratio, LEAST_RATIO, 1.0)))
