"""How far single cases are from the rate of their score."""

from helpers.grouping.crossfit import loss_of_rows
from helpers.grouping.stacked import stacked_loss_of_rows
from helpers.partition.checked import Rows

STACK_ROWS = 20_000  # up to which the stack is fast enough
TREE_SPLITS = 5  # of the rows for the tree, up to as many rows as that takes seconds
MOST_SPLIT_ROWS = 200_000


def measure_loss(table, calibrator, *, by_tree=None, rng=None):
    """Estimate the grouping loss of a table: by several learners up to 20,000 rows, by a tree above.

    On the ten populations of `bench/populations.py` the lower end of the stack's interval is 27 % of the loss at 1,000
    rows and 52 % at 4,000, that of the tree with five splits 13 and 36 %; neither was ever above the loss. Of the
    samples of 1,000 rows the stack certifies 72 %, the tree 54 %, and of tables without a loss 2 % and 0 %. One folding
    is enough: other foldings move the stack's value by half of a standard error, other halves the tree's by a whole
    one.
    """
    if by_tree is None:
        by_tree = table.n > STACK_ROWS
    if by_tree:
        n_splits = TREE_SPLITS if table.n <= MOST_SPLIT_ROWS else 1
        return loss_of_rows(table, calibrator=calibrator, n_splits=n_splits, rng=rng)
    rows = Rows.of_all(table.y, table.p, table.X, table.weight, table.groups)
    return stacked_loss_of_rows(rows, calibrator=calibrator, rng=rng)
