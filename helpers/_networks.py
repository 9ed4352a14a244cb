"""Published losses of pretrained networks, shipped as a table (public through `helpers.datasets`)."""

from dataclasses import dataclass, field

import pandas as pd

from helpers._download import DATA_FOLDER
from helpers.checks import check_one_of

_COLUMNS = {
    "cl": "calibration",
    "cl_recalibrated": "calibration_after",
    "gl_lb": "grouping",
    "gl_lb_recalibrated": "grouping_after",
    "accuracy_percent": "accuracy",
}


@dataclass(frozen=True)
class NetworkLosses:
    """Printed losses, one row for each network and test set; the truth lies within `rounding` of what is printed.

    `table` has the columns dataset, network, calibration, grouping (as the network says it), calibration_after,
    grouping_after (after isotonic recalibration; squared probability, smaller is better), and accuracy (percent).
    "-0.000" is kept as minus zero: below zero, but rounded (`np.signbit` sees it).
    """

    table: pd.DataFrame = field(repr=False)
    rounding: float
    source: str
    citation: str = field(repr=False)
    licence: str

    def __str__(self):
        networks, sets = self.table["network"].nunique(), self.table["dataset"].nunique()
        return f"{networks} networks on {sets} test sets, {len(self.table):,} rows ({self.source})"


def load_network_losses(table=2):
    """Calibration loss and estimated lower bound of the grouping loss of pretrained networks, as printed.

    Parameters
    ----------
    table : 2: 27 image networks on four test sets; 1: 15 of them on ImageNet-R, and a language model on two sets

    Raises
    ------
    ValueError for another table.

    Source: Perez-Lebel et al. (2023), tables 1 and 2: top-label view, Brier score, three decimals.

    >>> losses = load_network_losses()
    >>> print(losses)
    27 networks on 4 test sets, 108 rows (Perez-Lebel et al. 2023, table 2)
    >>> losses.rounding
    0.0005
    """
    check_one_of(table, "table", (1, 2))
    return NetworkLosses(
        table=pd.read_csv(DATA_FOLDER / f"perezlebel2023_table{table}.csv").rename(columns=_COLUMNS),
        rounding=0.0005,
        source=f"Perez-Lebel et al. 2023, table {table}",
        citation="Perez-Lebel, Le Morvan & Varoquaux (2023), Beyond calibration, ICLR; https://hal.science/hal-03829870v4",
        licence="CC BY 4.0",
    )
