"""Numbers printed in papers, shipped as they are printed (public through `helpers.datasets`)."""

from dataclasses import dataclass, field

import pandas as pd

from helpers.checks import check_one_of
from helpers.datasets.download import DATA_FOLDER

_COLUMNS = {
    "cl": "calibration",
    "cl_recalibrated": "calibration_after",
    "gl_lb": "grouping",
    "gl_lb_recalibrated": "grouping_after",
    "accuracy_percent": "accuracy",
}


@dataclass(frozen=True)
class PrintedTable:
    """A table of a paper; the truth lies within `rounding` of what is printed."""

    table: pd.DataFrame = field(repr=False)
    content: str  # what the rows are, in words
    rounding: float  # half a unit of the last printed digit
    source: str  # paper and number of the table
    citation: str = field(repr=False)
    licence: str

    def __str__(self):
        return f"{self.content} ({self.source})"


def load_ecuas_table(table=3):
    """Printed measures of classifiers (table 3) and of language models (tables 4, 5, 6) with their confidences.

    Parameters
    ----------
    table : {3, 4, 5, 6}, default 3
        Of Estienne, Ernst et al. (2026). 3: fifteen classifiers, raw and calibrated; 4: MMLU; 5: TriviaQA; 6: TriviaQA,
        graded by a model (`_llm`) and by people (`_human`). Tables 1 and 2 are rows of tables 3 and 5. Table 5 is
        shipped with the row that the paper prints twice: `.drop_duplicates()` before counting.

    Returns
    -------
    PrintedTable
        A `table` with one row for each system, and the `rounding`: half a unit of the last printed digit.

    Examples
    --------
    >>> print(load_ecuas_table())
    30 rows, 11 measures (Estienne et al. 2026, table 3)
    """
    check_one_of(table, "table", (3, 4, 5, 6))
    measures = pd.read_csv(DATA_FOLDER / f"ecuas2026_table{table}.csv").rename(columns={"confidence": "method"})
    return PrintedTable(
        table=measures,
        content=f"{len(measures):,} rows, {measures.shape[1] - 2} measures",
        rounding=0.00005 if table == 3 else 0.0005,
        source=f"Estienne et al. 2026, table {table}",
        citation="Estienne, Ernst, Vera, Piantanida & Ferrer (2026), ECUAS_n, arXiv:2605.20490.",
        licence="CC BY 4.0",
    )


def load_network_losses(table=2):
    """Calibration loss and estimated lower bound of the grouping loss of pretrained networks, as printed.

    The columns are dataset, network, calibration, grouping (as the network says it), calibration_after, grouping_after
    (after isotonic recalibration; squared probability, smaller is better), and accuracy (percent). "-0.000" is kept as
    minus zero: below zero, but rounded (`np.signbit` sees it). Top-label view, Brier score.

    Parameters
    ----------
    table : {1, 2}, default 2
        Of Perez-Lebel et al. (2023). 2: 27 image networks on four test sets; 1: 15 of them on ImageNet-R, and a
        language model on two sets.

    Returns
    -------
    PrintedTable
        A `table` with one row for each network and test set.

    Examples
    --------
    >>> print(load_network_losses())
    27 networks on 4 test sets, 108 rows (Perez-Lebel et al. 2023, table 2)
    """
    check_one_of(table, "table", (1, 2))
    losses = pd.read_csv(DATA_FOLDER / f"perezlebel2023_table{table}.csv").rename(columns=_COLUMNS)
    networks = losses["network"].nunique()
    test_sets = losses["dataset"].nunique()
    return PrintedTable(
        table=losses,
        content=f"{networks} networks on {test_sets} test sets, {len(losses):,} rows",
        rounding=0.0005,
        source=f"Perez-Lebel et al. 2023, table {table}",
        citation="Perez-Lebel, Le Morvan & Varoquaux (2023), Beyond calibration, ICLR; https://hal.science/hal-03829870v4",
        licence="CC BY 4.0",
    )


def load_model_list():
    """The 27 language models that Melo et al. (2026) audited, table 1.

    Returns
    -------
    DataFrame
        Columns family, size, billions (of parameters), company, type; `type` is "instruct" or "base" ("Non Instruct" in
        the paper, distilled and fine-tuned models among them).

    Examples
    --------
    >>> len(load_model_list())
    27
    """
    return pd.read_csv(DATA_FOLDER / "melo2026_table1.csv")
