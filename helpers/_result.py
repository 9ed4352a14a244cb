"""What the package's results have in common: they print as one line, show themselves in Jupyter, and go to pandas."""

from dataclasses import fields
from html import escape

import pandas as pd

MOST_ROWS = 10  # of a table under the line


class Result:
    """Base of dataclasses that hold what was found."""

    def to_frame(self):
        """Give the numbers as a table.

        Returns
        -------
        DataFrame
            The table behind the result if it has one, else one row with its numbers, else its arrays as columns.
        """
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        for value in values.values():
            if isinstance(value, pd.DataFrame):
                return value.copy()
        numbers = {
            name: [value] for name, value in values.items() if pd.api.types.is_scalar(value) and value is not None
        }
        return pd.DataFrame(numbers or values)

    def _repr_html_(self):
        table = self.to_frame().to_html(index=False, border=0, max_rows=MOST_ROWS)
        return f"<p>{escape(str(self))}</p>\n{table}"
