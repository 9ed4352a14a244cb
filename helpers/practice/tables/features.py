"""Columns of a table as features that a tree can take, with reasons for those that are left out."""

import re

import numpy as np
import pandas as pd

from helpers.audit.segments import SegmentFamily, fewest_rows
from helpers.partition.column_notes import notes_on_column
from helpers.partition.kinds import plain_values, text_as_values
from helpers.partition.levels import RARE, Pooled, rare_levels

GIVES_AWAY = "gives the outcome away"  # why a column is left out

# Names of row numbers, for columns of whole numbers.
ROW_NUMBER = re.compile(
    r"(.*[_ .]|case|patient|person|record|subject|user)?(id|index|key|nr|no|number|obs|row(names?)?)"
)


def tidy_features(frame, y, known=(), decimal=""):
    """Features as numbers, booleans, dates and categories; a dict of the columns left out and why; notes.

    Columns that are `known` before the outcome stay, whatever they tell about it; `decimal` is the sign before decimals
    in the file that they come from, if that is known.
    """
    kept = {}
    dropped = {}
    infinite = []
    notes = []
    for name in frame:
        plain = plain_values(frame[name])
        values = _tidy(plain, decimal)
        notes += notes_on_column(name, plain, decimal)
        reason = _useless(name, values)
        if reason:
            dropped[name] = reason
            continue
        if values.dtype.kind == "f" and np.isinf(values.to_numpy()).any():
            infinite.append(name)
            values = values.replace([np.inf, -np.inf], np.nan)
        kept[name] = values
    if infinite:
        notes.insert(0, f"infinite values read as missing in {', '.join(map(repr, infinite))}")
    X = pd.DataFrame(kept, index=frame.index)
    asked = X.drop(columns=[name for name in known if name in X])
    telling = SegmentFamily(asked, y, fewest_rows(len(y)), 1).given_away
    return X.drop(columns=telling), dropped | dict.fromkeys(telling, GIVES_AWAY), notes


def notes_of_rare_levels(X):
    """A note for each column of which estimates take rare levels together."""
    notes = []
    for name in X.select_dtypes("category"):
        count = X[name].value_counts()
        count = count[count > 0].to_numpy()
        rare = rare_levels(count)
        if not X[name].cat.ordered and rare.any():
            pooled = Pooled(name, int(rare.sum()), count.size)
            notes.append(f"{pooled}, because they have fewer than {RARE} rows")
    return notes


def _tidy(values, decimal):
    """Text as numbers, dates or categories; None for what is none of these."""
    values = text_as_values(values, decimal)
    if values.dtype.kind in "biufM" or isinstance(values.dtype, pd.CategoricalDtype | pd.DatetimeTZDtype):
        return values
    kind = pd.api.types.infer_dtype(values, skipna=True)
    return values.astype("category") if kind in ("boolean", "empty", "string") else None


def _useless(name, values):
    """Why a feature is left out, or ''."""
    if values is None:
        return "neither numbers, text nor dates"
    present = int(values.notna().sum())
    if not present:
        return "all missing"
    categories = isinstance(values.dtype, pd.CategoricalDtype)
    codes = values.cat.codes.to_numpy() if categories else values.to_numpy()
    if present == len(codes) and (codes == codes[0]).all():
        return "constant"
    if categories and present > 50 and values.nunique() > 0.9 * present:
        return "its own text in nearly every row"
    if values.dtype.kind in "iuf" and np.isfinite(codes).all() and (np.diff(codes) == 1).all():
        return "a row number"
    if values.dtype.kind in "iu" and ROW_NUMBER.fullmatch(name.lower()) and values.is_unique:
        return "a row number"
    return ""
