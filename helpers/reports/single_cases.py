"""Single cases in a report: how far they are from the rate of their score, and where to look first."""

from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from helpers.audit.rates import gap_errors
from helpers.calibration.calibrators import calibrate_rows
from helpers.grouping.crossfit import loss_of_rows
from helpers.grouping.stacked import stacked_loss_of_rows
from helpers.partition import HonestTree, split_rows
from helpers.partition.checked import CheckedTable, Rows

STACK_ROWS = 20_000  # up to which the stack is fast enough

TREE_SPLITS = 5  # of the rows for the tree, up to as many rows as that takes seconds

MOST_SPLIT_ROWS = 200_000

ALPHA = 0.05  # of the test of a lead on cases that have not chosen it

DEPTH = 3  # conditions of a lead

FEWEST_ROWS = 20  # of a lead in each half

SMALLEST = 0.02  # share of a half that a lead holds

MOST_LETTERS = 120  # of its rule: nobody acts on a list of 41 airports


def measure_loss(table, calibrator, *, by_tree=None, n_splits=None, rng=None):
    """Estimate the grouping loss of a table: by several learners up to 20,000 rows, by a tree above.

    On the ten populations of `bench/populations.py` the lower end of the stack's interval is 27 % of the loss at 1,000
    rows and 52 % at 4,000, that of the tree with five splits 13 and 36 %; neither was ever above the loss. Of the
    samples of 1,000 rows the stack certifies 72 %, the tree 54 %, and of tables without a loss 2 % and 0 %. One folding
    is enough: other foldings move the stack's value by half of a standard error, other halves the tree's by a whole
    one.
    """
    if by_tree is None:
        by_tree = table.n > STACK_ROWS
    if not by_tree:
        rows = Rows.of_all(table.y, table.p, table.X, table.weight, table.groups)
        return stacked_loss_of_rows(rows, calibrator=calibrator, rng=rng)
    if n_splits is None:
        n_splits = TREE_SPLITS if table.n <= MOST_SPLIT_ROWS else 1
    return loss_of_rows(table, calibrator=calibrator, n_splits=n_splits, rng=rng)


@dataclass(frozen=True)
class Lead:
    """Where to look first, if cases with one score surely differ but no group can be named."""

    rule: str  # which cases
    n: int  # number of cases that judged it
    # calibrated, observed: mean of their recalibrated scores, and rate of what happened
    calibrated: float
    observed: float
    # low, high: interval of observed - calibrated: 95 % for what is said of the lead
    low: float
    high: float
    p_value: float  # Of "these recalibrated scores are right", for all that was looked at
    # true for a region that one half of the cases has chosen and the other half, which has not, shows beyond chance;
    # False for the strongest of all segments, chosen and judged by the same cases
    is_confirmed: bool

    @property
    def gap(self):
        """Observed - calibrated."""
        return self.observed - self.calibrated


def find_lead(table, calibrator, calibrated, search, *, rng=None):
    """Find where a reader should look first when the joint search names nobody.

    A tree of depth three chooses a region on one half of the cases, the other half judges it, and the halves change
    their roles; two tests, so that each has half of the 5 %. If neither is passed, the lead is the segment with the
    smallest p-value of the joint search, which is no finding.
    """
    rng = np.random.default_rng(rng)
    halves = split_rows(table.y, table.groups, (0.5,), rng)
    leads = [
        _judged_region(table, calibrator, calibrated, *order, rng) for order in (tuple(halves), tuple(reversed(halves)))
    ]
    lead = min((lead for lead in leads if lead is not None), key=lambda lead: lead.p_value, default=None)
    if lead is not None and lead.is_confirmed:
        return lead
    row = search.table.iloc[0]
    ends = {"low": float(row["low"]), "high": float(row["high"]), "p_value": float(row["adjusted"])}
    rates = {name: float(row[name]) for name in ("calibrated", "observed")}
    return Lead(row["rule"], int(row["n"]), **rates, **ends, is_confirmed=False)


def _judged_region(table, calibrator, calibrated, choosing, judging, rng):
    """The region that some rows choose, as other rows see it, with a p-value for two such looks; None without one."""
    weight = table.weights
    stated = calibrate_rows(calibrator, table.p[choosing], table.y[choosing], weight[choosing], table.p[choosing])
    distance = table.y[choosing] - stated
    if table.n <= STACK_ROWS:  # what learners make of these labels is less noisy than the labels
        distance = measure_loss(table.take(choosing), calibrator, by_tree=False, rng=rng).residual
    least = max(FEWEST_ROWS, int(SMALLEST * choosing.size))
    tree = HonestTree(min_samples_leaf=least, max_depth=DEPTH, rng=rng)
    tree.fit(CheckedTable(table.X, choosing), distance, weight[choosing])
    rules = tree.rules()
    is_short = np.array([len(rule) <= MOST_LETTERS for rule in rules])
    if tree.n_regions_ == 1 or not is_short.any():
        return None
    chosen = _errors(table, stated, tree, choosing, weight)
    best = int(np.argmax(np.where(is_short, np.abs(chosen["gap"]) / chosen["se"], -1)))
    judged = {name: values[best] for name, values in _errors(table, calibrated[judging], tree, judging, weight).items()}
    if not judged["n"] >= FEWEST_ROWS / 2:
        return None
    p_value = min(4 * student.sf(abs(judged["gap"]) / judged["se"], judged["freedom"]), 1.0)
    half_width = student.ppf(1 - ALPHA / 4, judged["freedom"]) * judged["se"]
    return Lead(
        rule=rules[best],
        n=int(judged["n"]),
        calibrated=float(judged["stated"]),
        observed=float(judged["observed"]),
        low=float(judged["gap"] - half_width),
        high=float(judged["gap"] + half_width),
        p_value=float(p_value),
        is_confirmed=bool(p_value < ALPHA),
    )


def _errors(table, c, tree, rows, weight):
    """Gaps of the regions of a tree on some rows with scores `c`."""
    groups = None if table.groups is None else np.unique(table.groups[rows], return_inverse=True)[1]
    region = tree.apply(CheckedTable(table.X, rows))
    return gap_errors(table.y[rows], c, region, weight[rows], groups=groups, size=tree.n_regions_)
