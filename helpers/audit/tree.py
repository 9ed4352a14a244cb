"""Who is misjudged: subgroups whose stated probabilities are too high or too low, in words and with intervals."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers._result import Result
from helpers.audit.rates import holm, table_of_gaps
from helpers.checks import check_count, check_one_of, check_probabilities, check_rng, check_same_length
from helpers.partition import HonestTree, split_rows
from helpers.partition.checked import check_rows
from helpers.partition.levels import pooled_note

EVENTS = 10  # cases of the rarer label that a subgroup should hold, so that its interval means something


@dataclass(frozen=True)
class GroupAudit(Result):
    """Subgroups chosen on one half of the rows and measured on the other.

    Parameters
    ----------
    table : DataFrame
        One row a subgroup, most overstated first: rule (words), n (rows that measured it), share (of the weight),
        stated (mean p), observed (rate of y), gap = observed - stated (negative: the model overstates), low, high (95 %
        interval of the gap), p_value, adjusted (Holm, over all subgroups looked at); with calibrated scores also
        calibrated (their mean), residual_gap = observed - calibrated (the gap that recalibration leaves) with
        residual_p_value, residual_low, residual_high, residual_adjusted.
    leaf : array of int, shape (rows of the table,)
        The tree's number of each subgroup.
    tree : HonestTree
        The tree that tells the subgroups apart.
    against : str
        Scores from which y differs in the subgroups sought, "stated" or "calibrated".

    Examples
    --------
    See `tree_groups`.
    """

    table: pd.DataFrame
    leaf: np.ndarray = field(repr=False)
    tree: HonestTree = field(repr=False)
    against: str = "stated"

    @property
    def pooled(self):
        """Columns of which rare levels were one, a tuple of `helpers.partition.levels.Pooled`."""
        return self.tree.encoder_.pooled_

    @property
    def significant(self):
        """Rows of the table whose gap stands after the adjustment for all subgroups looked at (5 % family-wise).

        Subgroups sought `against="calibrated"` are judged by the gap that recalibration leaves.
        """
        column = "residual_adjusted" if self.against == "calibrated" else "adjusted"
        return self.table[self.table[column] < 0.05]

    def apply(self, X):
        """Row of `table` that each row belongs to.

        Parameters
        ----------
        X : DataFrame, shape (n, d)
            Features, as in `tree_groups`.

        Returns
        -------
        array of int, shape (n,)
            Row numbers; -1 for a subgroup that no row measured.
        """
        row_of = np.full(self.tree.n_regions_, -1)
        row_of[self.leaf] = np.arange(self.leaf.size)
        return row_of[self.tree.apply(X)]

    def __str__(self):
        return f"{len(self.table)} groups, {len(self.significant)} of them significant{pooled_note(self.pooled)}"


def tree_groups(
    y,
    p,
    X,
    *,
    calibrated=None,
    against="stated",
    max_depth=3,
    min_rows=None,
    sample_weight=None,
    groups=None,
    rng=None,
):
    """Subgroups that a shallow honest tree finds: chosen on one half of the rows, measured on the other.

    Parameters
    ----------
    y, p : array_like, shape (n,)
        Labels 0/1; stated probabilities of class 1.
    X : DataFrame, shape (n, d)
        Features in the user's words.
    calibrated : array of float, shape (n,), optional
        Scores after recalibration; adds what recalibration leaves of each gap.
    against : {"stated", "calibrated"}, default "stated"
        Scores from which y differs in the subgroups sought; "calibrated" is the paper's choice.
    max_depth : int, default 3
        Questions that define a subgroup, at most.
    min_rows : int, optional
        Rows that a subgroup needs in each half; by default the largest of 50, 2 % of the rows, and the rows that hold
        10 cases of the rarer label, but at most a quarter of the rows.
    sample_weight, groups : array_like, shape (n,), optional
        Sampling weights; labels of people, hospitals, … that are never split.
    rng : int, Generator or None, default None
        Source of the halves.

    Returns
    -------
    GroupAudit
        The subgroups, most overstated first.

    References
    ----------
    The honest groups of Melo et al. (2026), section 4.2; intervals and adjustment are ours.
    Plain: `helpers.papers.melo2026.section_4_2_audit`, `helpers.papers.melo2026.section_4_2_holm`.

    Examples
    --------
    >>> X = pd.DataFrame({"age": np.tile(np.arange(20, 60), 50)})
    >>> y = np.random.default_rng(0).random(2000) < np.where(X["age"] < 40, 0.3, 0.7)
    >>> tree_groups(y, np.full(2000, 0.5), X, max_depth=1, rng=0).apply(X)[[0, 39]]
    array([0, 1])
    """
    rows = check_rows(y, p, X, sample_weight, groups)
    calibrated = None if calibrated is None else check_probabilities(calibrated, "calibrated")
    check_same_length(y=rows.kept, calibrated=calibrated)
    calibrated = _rows_of(calibrated, rows.kept)
    target = _target(rows.p, calibrated, against)
    n = rows.y.size
    min_rows = _default_min_rows(rows.y) if min_rows is None else check_count(min_rows, "min_rows", least=10)
    if n < 4 * min_rows:
        raise ValueError(f"y must have at least 4 * min_rows = {4 * min_rows:,} rows, but it has {n:,}.")
    rng = check_rng(rng)
    choose, measure = split_rows(rows.y, rows.groups, (0.5,), rng)
    tree = HonestTree(min_samples_leaf=min_rows, max_depth=max_depth, rng=rng)
    residual = (rows.y - target)[choose]
    tree.fit(rows.X.iloc[choose], residual, rows.weights[choose], _rows_of(rows.groups, choose))
    table = _measured(tree, rows, calibrated, measure)
    table = table.sort_values("gap" if against == "stated" else "residual_gap", kind="stable")
    return GroupAudit(table.reset_index(drop=True), table.index.to_numpy(), tree, against)


def _measured(tree, rows, calibrated, measure):
    """The table of the leaves, measured on rows that did not choose them; leaves without rows are left out."""
    table = table_of_gaps(
        rows.y[measure],
        rows.p[measure],
        tree.apply(rows.X.iloc[measure]),
        rows.weights[measure],
        calibrated=_rows_of(calibrated, measure),
        groups=_rows_of(rows.groups, measure),
        size=tree.n_regions_,
    )
    table.insert(0, "rule", tree.rules())
    table = table[table["share"] > 0].copy()
    table["adjusted"] = holm(table["p_value"])
    if calibrated is not None:
        table["residual_adjusted"] = holm(table["residual_p_value"])
    return table


def _rows_of(column, rows):
    """Some rows of a column that may be None."""
    return None if column is None else column[rows]


def _target(p, calibrated, against):
    """The scores against which subgroups are sought."""
    check_one_of(against, "against", ("stated", "calibrated"))
    if against == "calibrated" and calibrated is None:
        raise ValueError("calibrated must be given where groups are sought against calibrated scores, but it is None.")
    return p if against == "stated" else calibrated


def _default_min_rows(y):
    """Rows that a subgroup needs in each half."""
    rarer = min(y.mean(), 1 - y.mean())
    return max(50, min(max(y.size // 50, int(np.ceil(EVENTS / rarer))), y.size // 4))
