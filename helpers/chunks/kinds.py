"""What the columns of a table hold, and whether chunks agree with the sample in it."""

import pandas as pd

from helpers.checks import check_column
from helpers.partition.kinds import as_numbers

MISSING_TYPES = {"numbers": float, "booleans": float, "dates": "datetime64[ns]", "durations": "timedelta64[ns]"}


def kind_of_column(values):
    """What a column holds, so that chunks can be compared: None where every value is missing."""
    dtype = values.dtype
    if isinstance(dtype, pd.CategoricalDtype) and dtype.ordered:
        return "ordered categories"
    if not values.notna().any():
        return None
    if pd.api.types.is_bool_dtype(dtype):
        return "booleans"
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return "dates"
    if pd.api.types.is_timedelta64_dtype(dtype):
        return "durations"
    values = values.infer_objects()
    return "text" if as_numbers(values) is None else "booleans" if values.dtype == bool else "numbers"


def check_kinds(frame, kinds, name):
    """`frame` with the columns `kinds` in their order; ValueError naming chunk and column where the kinds differ."""
    # a column of a chunk in which every value is missing fits any kind; None in `kinds`: nothing is known
    for column, wanted in kinds.items():
        check_column(column, frame.columns, name)
        found = kind_of_column(frame[column]) if len(frame) else None
        if found is not None and wanted is not None and found != wanted:
            raise ValueError(
                f"{name} must hold in each column what the sample holds, but column {column!r} holds {found} "
                f"({frame[column].dtype}) and not {wanted}."
            )
    blank = {
        column: pd.Series(index=frame.index, dtype=MISSING_TYPES[wanted])
        for column, wanted in kinds.items()
        if wanted in MISSING_TYPES and len(frame) and not frame[column].notna().any()
    }
    return frame[list(kinds)].assign(**blank)
