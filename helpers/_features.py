"""Columns of a user's table made into features a tree can take, and the reasons why some are left out."""

import numpy as np
import pandas as pd


def tidy_features(frame, y):
    """Features as numbers, booleans, dates and categories; a dict of the columns left out and why; notes."""
    kept, dropped, infinite = {}, {}, []
    for name in frame:
        values = _tidy(frame[name])
        reason = _useless(values, y)
        if reason:
            dropped[name] = reason
            continue
        if values.dtype.kind == "f" and np.isinf(values.to_numpy()).any():
            infinite.append(name)
            values = values.replace([np.inf, -np.inf], np.nan)
        kept[name] = values
    said = f"infinite values read as missing in {', '.join(map(repr, infinite))}"
    return pd.DataFrame(kept, index=frame.index), dropped, [said] if infinite else []


def _tidy(values):
    """Text as categories or dates, objects as what they are; None for what is none of these."""
    if values.dtype.kind in "biufM" or isinstance(values.dtype, pd.CategoricalDtype | pd.DatetimeTZDtype):
        return values
    kind = pd.api.types.infer_dtype(values, skipna=True)
    if kind == "decimal":
        return values.astype(float)
    if kind in ("date", "datetime"):
        return pd.to_datetime(values)
    if kind in ("boolean", "empty"):
        return values.astype("category")
    if kind != "string":
        return None
    present = values.dropna()
    if present.iloc[:20].str.match(r"\d{4}-\d\d-\d\d").all():
        try:
            dates = pd.to_datetime(values, format="ISO8601", errors="coerce")
        except ValueError:  # several time zones
            return values.astype("category")
        if dates.notna().sum() == len(present):
            return dates
    return values.astype("category")


def _useless(values, y):
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
    if values.dtype.kind in "biuf" and ((codes == y).all() or (codes == 1 - y).all()):
        return "equal to the label"
    return ""
