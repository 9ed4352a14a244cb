"""Does a misjudged group come back when other rows choose?"""

import numpy as np

from helpers.audit.find import find_groups
from helpers.checks import check_count, check_groups, check_same_length, check_weights
from helpers.partition.encoder import check_table

HALF = 0.5  # overlap from which two groups are taken for the same


def group_stability(audit, y, p, X, *, calibrated=None, sample_weight=None, groups=None, n_repeats=20, rng=None):
    """How often each group of an audit comes back when the audit is rerun with other random halves.

    Each rerun draws new halves and searches with the settings of `audit`. A group has come back if a surely misjudged
    group of the rerun errs in the same direction and overlaps with it by at least one half: rows in both over rows in
    either (Jaccard), by weight. Reruns use the same rows in new roles, so new people would agree somewhat less.

    Parameters
    ----------
    audit : `GroupAudit`, from `find_groups`
    y, p, X, calibrated, sample_weight, groups : the columns that `find_groups` was given
    n_repeats : reruns; rng : int, Generator or None

    Returns
    -------
    DataFrame, one row for each row of `audit.table`: rule, n, gap (after recalibration if such gaps were sought), sure,
        back (share of reruns in which it came back; 1 is best), overlap (mean over the reruns of the largest overlap)

    Raises
    ------
    ValueError for an `audit` of another table, or input that `find_groups` refuses.

    Source: ours; Melo et al. (2026), section 4.2, name groups of one split.

    >>> import pandas as pd
    >>> X = pd.DataFrame({"age": np.tile(np.arange(20, 60), 50)})
    >>> y = np.random.default_rng(0).random(2000) < np.where(X["age"] < 40, 0.3, 0.7)
    >>> audit = find_groups(y, np.full(2000, 0.5), X, max_depth=1, rng=0)
    >>> group_stability(audit, y, np.full(2000, 0.5), X, n_repeats=5, rng=1)[["rule", "sure", "back"]]
             rule  sure  back
    0  age <= 39  True   1.0
    1   age > 39  True   1.0
    """
    X, weight, codes = check_table(X), check_weights(sample_weight), check_groups(groups)
    check_same_length(y=y, X=X, sample_weight=weight, groups=codes)
    weight = np.ones(len(X)) if weight is None else weight
    column = "left" if audit.settings["against"] == "calibrated" else "gap"
    group, sign = audit.apply(X), np.sign(audit.table[column].to_numpy())
    columns = {"calibrated": calibrated, "sample_weight": sample_weight, "groups": groups}
    found = np.zeros((check_count(n_repeats, "n_repeats"), sign.size))
    for best, seed in zip(found, np.random.default_rng(rng).spawn(n_repeats), strict=True):
        rerun = find_groups(y, p, X, rng=seed, **columns, **audit.settings)
        overlap = _overlap(group, rerun.apply(X), weight, (sign.size, len(rerun.table)))
        same = sign[:, None] == np.sign(rerun.table[column].to_numpy())
        sure = rerun.table.index.isin(rerun.sure.index)
        best[:] = np.where(same & sure, overlap, 0.0).max(axis=1)
    table = audit.table[["rule", "n"]].assign(gap=audit.table[column], sure=audit.table.index.isin(audit.sure.index))
    return table.assign(back=(found >= HALF).mean(axis=0), overlap=found.mean(axis=0))


def _overlap(one, two, weight, shape):
    """Weighted Jaccard index of every group of `one` with every group of `two`; -1 is no group."""
    cells = np.zeros((shape[0] + 1, shape[1] + 1))
    np.add.at(cells, (one, two), weight)  # -1 is the last row and column
    both = cells[:-1, :-1]
    either = cells.sum(axis=1)[:-1, None] + cells.sum(axis=0)[None, :-1] - both
    return np.divide(both, either, out=np.zeros(shape), where=either > 0)
