"""Tables of Estienne, Ernst et al. (2026), shipped as they are printed (public through `helpers.datasets`)."""

from dataclasses import dataclass, field

import pandas as pd

from helpers._download import DATA_FOLDER
from helpers.checks import check_one_of


@dataclass(frozen=True)
class EcuasTable:
    """Printed measures, one row for each system; the truth lies within `rounding` of what is printed."""

    table: pd.DataFrame = field(repr=False)
    rounding: float
    source: str
    citation: str = field(repr=False)
    licence: str

    def __str__(self):
        return f"{len(self.table):,} rows, {self.table.shape[1] - 2} measures ({self.source})"


def load_ecuas_table(table=3):
    """Printed measures of classifiers (table 3) and of language models (tables 4, 5, 6) with their confidences.

    Parameters
    ----------
    table : 3: fifteen classifiers, raw and calibrated; 4: MMLU; 5: TriviaQA; 6: TriviaQA, graded by a model (`_llm`)
        and by people (`_human`). Tables 1 and 2 are rows of tables 3 and 5. Table 5 is shipped with the row that the
        paper prints twice: `.drop_duplicates()` before counting.

    Raises
    ------
    ValueError for another table.

    Source: Estienne, Ernst et al. (2026).

    >>> print(load_ecuas_table())
    30 rows, 11 measures (Estienne et al. 2026, table 3)
    """
    check_one_of(table, "table", (3, 4, 5, 6))
    return EcuasTable(
        table=pd.read_csv(DATA_FOLDER / f"ecuas2026_table{table}.csv").rename(columns={"confidence": "method"}),
        rounding=0.00005 if table == 3 else 0.0005,
        source=f"Estienne et al. 2026, table {table}",
        citation="Estienne, Ernst, Vera, Piantanida & Ferrer (2026), ECUAS_n, arXiv:2605.20490.",
        licence="CC BY 4.0",
    )
