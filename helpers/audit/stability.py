"""Does a misjudged subgroup come back when other rows choose?"""

import numpy as np

from helpers.audit.tree import tree_groups
from helpers.checks import MOST_DRAWS, check_count, check_groups, check_rng, check_same_length, check_weights
from helpers.partition.checked import check_table

HALF = 0.5  # overlap from which two subgroups are taken for the same


def group_stability(audit, y, p, X, *, calibrated=None, sample_weight=None, groups=None, n_repeats=20, rng=None):
    """How often each subgroup of an audit comes back when the audit is rerun with other random halves.

    Each rerun draws new halves and searches with the settings of `audit`. A subgroup has come back if a significantly
    misjudged one of the rerun errs in the same direction and overlaps with it by at least one half: rows in both over
    rows in either (Jaccard), by weight. Reruns use the same rows in new roles, so new people would agree somewhat less.

    Parameters
    ----------
    audit : GroupAudit
        Of `tree_groups`.
    y : array of {0, 1}, shape (n,)
        Labels that `tree_groups` was given.
    p : array of float, shape (n,)
        Stated probabilities that it was given.
    X : DataFrame, shape (n, d)
        Features that it was given.
    calibrated : array of float, shape (n,), optional
        Scores after recalibration that it was given.
    sample_weight : array of float, shape (n,), optional
        Sampling weights that it was given.
    groups : array, shape (n,), optional
        Labels of dependent rows that it was given.
    n_repeats : int, default 20
        Reruns.
    rng : int, Generator or None, default None
        Source of the halves.

    Returns
    -------
    DataFrame
        One row for each row of `audit.table`: rule, n, gap (after recalibration if such gaps were sought), significant,
        back (share of reruns in which it came back; 1 is best), overlap (mean over the reruns of the largest overlap).

    Raises
    ------
    ValueError
        For an `audit` of another table, or input that `tree_groups` refuses.

    References
    ----------
    Ours; Melo et al. (2026), section 4.2, name groups of one split.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"age": np.tile(np.arange(20, 60), 50)})
    >>> y = np.random.default_rng(0).random(2000) < np.where(X["age"] < 40, 0.3, 0.7)
    >>> audit = tree_groups(y, np.full(2000, 0.5), X, max_depth=1, rng=0)
    >>> group_stability(audit, y, np.full(2000, 0.5), X, n_repeats=5, rng=1)[["rule", "significant", "back"]]
             rule  significant  back
    0  age <= 39         True   1.0
    1   age > 39         True   1.0
    """
    X = check_table(X)
    weight = check_weights(sample_weight)
    check_same_length(y=y, X=X, sample_weight=weight, groups=check_groups(groups))
    weight = np.ones(len(X)) if weight is None else weight
    check_count(n_repeats, "n_repeats", most=MOST_DRAWS)
    column = "residual_gap" if audit.settings["against"] == "calibrated" else "gap"
    subgroup = audit.apply(X)
    sign = np.sign(audit.table[column].to_numpy())
    columns = {"calibrated": calibrated, "sample_weight": sample_weight, "groups": groups}
    overlaps = []
    for seed in check_rng(rng).spawn(n_repeats):
        rerun = tree_groups(y, p, X, rng=seed, **columns, **audit.settings)
        overlap = _overlap(subgroup, rerun.apply(X), weight, (sign.size, len(rerun.table)))
        same_sign = sign[:, None] == np.sign(rerun.table[column].to_numpy())
        significant = rerun.table.index.isin(rerun.significant.index)
        overlaps.append(np.where(same_sign & significant, overlap, 0.0).max(axis=1))
    overlaps = np.array(overlaps)
    significant = audit.table.index.isin(audit.significant.index)
    table = audit.table[["rule", "n"]].assign(gap=audit.table[column], significant=significant)
    return table.assign(back=(overlaps >= HALF).mean(axis=0), overlap=overlaps.mean(axis=0))


def _overlap(subgroup, other, weight, shape):
    """Weighted Jaccard index of every subgroup with every one of another audit; -1 is none."""
    cells = np.zeros((shape[0] + 1, shape[1] + 1))
    np.add.at(cells, (subgroup, other), weight)  # -1 is the last row and column
    both = cells[:-1, :-1]
    either = cells.sum(axis=1)[:-1, None] + cells.sum(axis=0)[None, :-1] - both
    return np.divide(both, either, out=np.zeros(shape), where=either > 0)
