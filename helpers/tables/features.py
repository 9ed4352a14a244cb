"""Columns of a table as features that a tree can take, with reasons for those that are left out."""

import numpy as np
import pandas as pd

COMMAS = r"\s*[-+]?\d[\d.]*(,\d+)+(\.\d+)?\s*"


def tidy_features(frame, y):
    """Features as numbers, booleans, dates and categories; a dict of the columns left out and why; notes."""
    kept = {}
    dropped = {}
    infinite = []
    notes = []
    for name in frame:
        values = _tidy(frame[name])
        notes += _nearly_numbers(name, values)
        reason = _useless(values, y)
        if reason:
            dropped[name] = reason
            continue
        if values.dtype.kind == "f" and np.isinf(values.to_numpy()).any():
            infinite.append(name)
            values = values.replace([np.inf, -np.inf], np.nan)
        kept[name] = values
    if infinite:
        notes.insert(0, f"infinite values read as missing in {', '.join(map(repr, infinite))}")
    return pd.DataFrame(kept, index=frame.index), dropped, notes


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


def _nearly_numbers(name, values):
    """A note on text of which at least half would be numbers but for some words or commas, in a list, else []."""
    if values is None or not isinstance(values.dtype, pd.CategoricalDtype) or values.cat.ordered:
        return []
    words = pd.Series([word for word in values.cat.categories if isinstance(word, str)], dtype=object)
    commas = words.astype(str).str.fullmatch(COMMAS)
    numbers = pd.to_numeric(words, errors="coerce").notna()
    if numbers.all() or (numbers | commas).mean() < 0.5:
        return []
    first = values[values.isin(words[~numbers])].iloc[0]
    others = (~numbers).sum() - 1
    more = f" and {others:,} other values are" if others else " is"
    hint = " (write decimals with a point, and thousands without a comma)" if commas.any() else ""
    return [f"{name!r} is no column of numbers, because {first!r}{more} none{hint}"]


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
