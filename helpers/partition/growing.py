"""A regression tree from many coded rows: histograms divide the large nodes, scikit-learn's exact trees the small ones.

The splits are those of `DecisionTreeRegressor` (but for ties), which sorts every column in every node and takes more
than twice as long where columns have few distinct values.
"""

import numpy as np
from sklearn.tree import DecisionTreeRegressor

SMALL = 2048  # rows below which sorting is faster

WIDEST = 4096  # codes of a column up to which histograms are


def grow_tree(codes, target, weight=None, *, min_samples_leaf, max_depth=None, seed=0, small=SMALL):
    """Grow a tree on codes."""

    def exact(rows, depth):
        limit = None if max_depth is None else max_depth - depth
        stop = {"min_samples_split": rows.size + 1} if limit == 0 else {"max_depth": limit}
        tree = DecisionTreeRegressor(min_samples_leaf=min_samples_leaf, random_state=seed, **stop)
        return tree.fit(codes[rows], target[rows], None if weight is None else weight[rows], check_input=False).tree_

    missing = int(np.nanmax(codes, initial=0)) + 1  # their bin, the last one
    whole = np.arange(target.size)
    if missing > WIDEST:
        return exact(whole, 0)
    bins = np.empty(codes.shape[::-1], np.uint16)
    for column, code in zip(bins, codes.T, strict=True):
        column[:] = np.where(np.isnan(code), missing, code)
    columns = [target] if weight is None else [weight * target, weight]
    template = exact(whole[:1], 0)
    nodes = []
    values = []
    count = 0
    deepest = 0
    stack = [(whole, _histograms(bins, missing, columns, whole), 0, None, None)]
    while stack:
        rows, histograms, depth, parent, side = stack.pop()
        if parent is not None:
            parent[side] = count
        large = rows.size >= small and depth != max_depth
        split = _best_split(histograms, rows.size, min_samples_leaf) if large else None
        if split is None:
            state = exact(rows, depth).__getstate__()
            part = state["nodes"]
            inner = part["left_child"] >= 0
            part["left_child"][inner] += count
            part["right_child"][inner] += count
            value = state["values"]
            deepest = max(deepest, depth + state["max_depth"])
        else:
            j, cut, threshold, missing_left = split
            code = bins[j, rows]
            left = (code <= cut) | (missing_left & (code == missing))
            sides = rows[left], rows[~left]
            part, value = _node(template, target[rows], None if weight is None else weight[rows])
            part["feature"] = j
            part["threshold"] = threshold
            part["missing_go_to_left"] = missing_left if histograms[0][j, -1] else sides[0].size > sides[1].size
            few = int(sides[1].size < sides[0].size)
            of_few = _histograms(bins, missing, columns, sides[few])
            of_many = [own - other for own, other in zip(histograms, of_few, strict=True)]
            both = (of_many, of_few) if few else (of_few, of_many)
            stack.append((sides[1], both[1], depth + 1, part, "right_child"))
            stack.append((sides[0], both[0], depth + 1, part, "left_child"))
        nodes.append(part)
        values.append(value)
        count += len(part)
    tree = type(template)(codes.shape[1], np.ones(1, np.intp), 1)
    state = {"max_depth": deepest, "node_count": count, "nodes": np.concatenate(nodes)}
    tree.__setstate__(state | {"values": np.concatenate(values)})
    return tree


def _histograms(bins, missing, columns, rows):
    """Rows in each bin of each column, (d, missing + 1), and the sums of `columns` there."""
    columns = [column[rows] for column in columns]
    histograms = [np.empty((len(bins), missing + 1)) for _ in range(1 + len(columns))]
    for j, column in enumerate(bins):
        code = column[rows].astype(np.intp)
        histograms[0][j] = np.bincount(code, minlength=missing + 1)
        for histogram, content in zip(histograms[1:], columns, strict=True):
            histogram[j] = np.bincount(code, content, missing + 1)
    return histograms


def _best_split(histograms, size, least):
    """Column, last bin on the left, threshold and whether missing values go left; None where no split is allowed."""
    count, sums, *weights = histograms
    weights = weights[0] if weights else count
    total = weights[0].sum()
    moment = sums[0].sum()
    best = -np.inf
    for missing_left in (False, True) if count[:, -1].any() else (False,):
        n, below, s = (np.cumsum(part[:, :-1], axis=1) + missing_left * part[:, -1:] for part in (count, weights, sums))
        allowed = (count[:, :-1] > 0) & (n >= least) & (size - n >= least) & (below > 0) & (total > below)
        with np.errstate(divide="ignore", invalid="ignore"):
            gain = np.where(allowed, s**2 / below + (moment - s) ** 2 / (total - below), -np.inf)
        j, k = np.unravel_index(np.argmax(gain), gain.shape)
        if gain[j, k] > best:
            best = gain[j, k]
            split = j, k, missing_left
    if best <= moment**2 / total * (1 + 1e-12):  # all alike
        return None
    j, k, missing_left = split
    above = np.flatnonzero(count[j, k + 1 : -1])
    return j, k, k + (above[0] + 1) / 2 if above.size else np.inf, missing_left


def _node(template, target, weight):
    """Record of an inner node without its split, and its mean."""
    mean = np.average(target, weights=weight)
    part = template.__getstate__()["nodes"].copy()
    part["impurity"] = np.average((target - mean) ** 2, weights=weight)
    part["n_node_samples"] = target.size
    part["weighted_n_node_samples"] = target.size if weight is None else weight.sum()
    return part, np.full((1, 1, 1), mean)
