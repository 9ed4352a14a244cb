"""How far single cases are from the rate of their score."""

from helpers.grouping.crossfit import loss_of_rows
from helpers.grouping.stacked import stacked_loss_of_rows
from helpers.partition.checked import Rows

STACK_ROWS = 20_000  # up to which the stack is fast enough
TREE_SPLITS = 5  # of the rows for the tree, up to as many rows as that takes seconds
MOST_SPLIT_ROWS = 200_000


def measure_loss(table, calibrator, *, by_tree=None, rng=None):
    """Estimate the grouping loss of a table: by several learners up to 20,000 rows, by a tree above."""
    if by_tree is None:
        by_tree = table.n > STACK_ROWS
    if by_tree:
        n_splits = TREE_SPLITS if table.n <= MOST_SPLIT_ROWS else 1
        return loss_of_rows(table, calibrator=calibrator, n_splits=n_splits, rng=rng)
    rows = Rows.of_all(table.y, table.p, table.X, table.weight, table.groups)
    return stacked_loss_of_rows(rows, calibrator=calibrator, rng=rng)
