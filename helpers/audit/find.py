"""Who is misjudged: groups of people whose stated probabilities are too high or too low, in words and with
intervals.
"""

import re
from dataclasses import dataclass, field
from numbers import Real

import numpy as np
import pandas as pd

from helpers.audit.merging import merge_siblings
from helpers.audit.rates import holm, measure_groups
from helpers.checks import (
    check_count,
    check_groups,
    check_labels,
    check_one_of,
    check_probabilities,
    check_same_length,
    check_weights,
)
from helpers.partition import HonestTree, split_rows
from helpers.partition.encoder import check_table

EVENTS = 10  # cases of the rarer label that a group should hold, so that its interval means something


@dataclass(frozen=True)
class GroupAudit:
    """Groups chosen on one half of the rows and measured on the other.

    table : one row a group, most overstated first: rule (words), n (rows that measured it), share (of the weight),
        stated (mean p), observed (rate of y), gap = observed - stated (negative: the model overstates), low, high (95 %
        interval of the gap), p_value, adjusted (Holm, over all groups looked at); with `calibrated` also calibrated
        (mean of it), left = observed - calibrated (the gap that recalibration leaves), left_p_value, left_low,
        left_high, left_adjusted
    leaf : (rows of the table,) the tree's number of each group
    tree : the `HonestTree` that tells the groups apart
    settings : the options of `find_groups` that say which groups are sought
    """

    table: pd.DataFrame
    leaf: np.ndarray = field(repr=False)
    tree: HonestTree = field(repr=False)
    settings: dict = field(default_factory=dict, repr=False)

    @property
    def sure(self):
        """Rows of the table whose gap stands after the adjustment for all groups looked at (5 % family-wise).

        Groups sought `against="calibrated"` are judged by the gap that recalibration leaves.
        """
        after = self.settings.get("against") == "calibrated"
        return self.table[self.table["left_adjusted" if after else "adjusted"] < 0.05]

    @property
    def remaining(self):
        """Those of `sure` whose gap would stand after recalibration; without calibrated scores, `sure`."""
        return self.sure[self.sure["left_adjusted"] < 0.05] if "left" in self.table else self.sure

    @property
    def features(self):
        """Features that set the remaining groups (or, if there are none, all groups) apart, the most telling first."""
        weight = self.tree.tree_.compute_feature_importances()
        names = [self.tree.encoder_.columns_[j].name for j in np.argsort(-weight, kind="stable") if weight[j] > 0]
        rules = self.remaining["rule"] if len(self.remaining) else self.table["rule"]
        named = [rules.str.contains(rf"(?<!\w){re.escape(name)}(?!\w)").any() for name in names]
        return [name for name, found in zip(names, named, strict=True) if found]

    def apply(self, X):
        """Row of `table` that each row of `X` belongs to, (n,) int; -1 for a group that no row measured."""
        row_of = np.full(self.tree.n_regions_, -1)
        row_of[self.leaf] = np.arange(self.leaf.size)
        return row_of[self.tree.apply(X)]

    def __str__(self):
        return f"{len(self.table)} groups, {len(self.sure)} of them surely misjudged"


def audit_groups(y, p, X, **options):
    """Groups that a shallow honest tree finds, as a table: `find_groups(y, p, X, **options).table`.

    See `find_groups` for the options, and `GroupAudit` for the columns.

    >>> X = pd.DataFrame({"age": np.tile(np.arange(20, 60), 50)})
    >>> y = np.random.default_rng(0).random(2000) < np.where(X["age"] < 40, 0.3, 0.7)
    >>> audit_groups(y, np.full(2000, 0.5), X, max_depth=1, rng=0)["rule"].tolist()
    ['age <= 39', 'age > 39']
    """
    return find_groups(y, p, X, **options).table


def find_groups(
    y,
    p,
    X,
    *,
    calibrated=None,
    against="stated",
    max_depth=3,
    min_rows=None,
    merge=None,
    sample_weight=None,
    groups=None,
    rng=None,
):
    """Groups that a shallow honest tree finds: chosen on one half of the rows, measured on the other.

    Parameters
    ----------
    y : (n,) labels 0/1; p : (n,) stated probabilities of class 1; X : (n, d) features in the user's words
    calibrated : (n,) scores after recalibration or None; adds what recalibration leaves of each gap
    against : groups are sought where y differs from the "stated" or from the "calibrated" scores (the paper's choice)
    max_depth : questions that define a group, at most
    min_rows : rows that a group needs in each half; default the largest of 50, 2 % of the rows, and the rows that hold
        10 cases of the rarer label, but at most a quarter of the rows
    merge : neighbouring leaves whose gaps do not differ become one group, so that fewer, shorter rules are left: the
        p-value below which a difference counts (0.2 is a good choice), or None to keep every leaf. Decided on the
        half that chooses, with an adjustment for its search
    sample_weight : (n,) sampling weights; groups : (n,) labels of people, hospitals, … that are never split
    rng : int, Generator or None

    Returns
    -------
    GroupAudit

    Raises
    ------
    ValueError for input that breaks a rule or too few rows for two groups.

    Source: the honest groups of Melo et al. (2026), section 4.2; intervals and adjustment are ours.
    """
    y, p, X = check_labels(y, both=True), check_probabilities(p), check_table(X)
    weight, groups = check_weights(sample_weight), check_groups(groups)
    calibrated = None if calibrated is None else check_probabilities(calibrated, "calibrated")
    check_same_length(y=y, p=p, X=X, calibrated=calibrated, sample_weight=weight, groups=groups)
    settings = {"against": against, "max_depth": max_depth, "min_rows": min_rows, "merge": merge}
    target = _target(p, calibrated, against)
    _check_merge(merge)
    min_rows = _enough(y) if min_rows is None else check_count(min_rows, "min_rows", least=10)
    if y.size < 4 * min_rows:
        raise ValueError(f"y must have at least 4 * min_rows = {4 * min_rows:,} rows, but it has {y.size:,}.")
    rng = np.random.default_rng(rng)
    fit, rest = split_rows(y, groups, (0.5,), rng)
    w = np.ones_like(y) if weight is None else weight
    tree = HonestTree(min_samples_leaf=min_rows, max_depth=max_depth, rng=rng)
    tree.fit(X.iloc[fit], (y - target)[fit], w[fit])

    def of(rows):
        columns = {"calibrated": calibrated, "sample_weight": w, "groups": groups}
        return {name: None if column is None else column[rows] for name, column in columns.items()}

    if merge is not None:
        options = {name: column for name, column in of(fit).items() if name != "calibrated"}
        tree = merge_siblings(tree, X.iloc[fit], y[fit], target[fit], level=merge, **options)
    table = measure_groups(y[rest], p[rest], tree.apply(X.iloc[rest]), size=tree.n_regions_, **of(rest))
    table.insert(0, "rule", tree.rules())
    table = table[table["share"] > 0].sort_values("gap" if against == "stated" else "left", kind="stable")
    leaf = table.index.to_numpy()
    table = table.reset_index(drop=True)
    table["adjusted"] = holm(table["p_value"])
    if calibrated is not None:
        table["left_adjusted"] = holm(table["left_p_value"])
    return GroupAudit(table, leaf, tree, settings)


def _target(p, calibrated, against):
    """The scores against which groups are sought."""
    check_one_of(against, "against", ("stated", "calibrated"))
    if against == "calibrated" and calibrated is None:
        raise ValueError("calibrated must be given where groups are sought against calibrated scores, but it is None.")
    return p if against == "stated" else calibrated


def _check_merge(merge):
    if merge is not None and (isinstance(merge, bool) or not isinstance(merge, Real) or not 0 < merge <= 1):
        raise ValueError(f"merge must be None or a p-value in (0, 1], but it is {merge!r}.")


def _enough(y):
    """Rows that a group needs in each half."""
    rare = min(y.mean(), 1 - y.mean())
    return max(50, min(max(y.size // 50, int(np.ceil(EVENTS / rare))), y.size // 4))
