"""Columns of a table as features that a tree can take, with reasons for those that are left out."""

import numpy as np
import pandas as pd

from helpers.audit.segments import SegmentFamily, fewest_rows
from helpers.partition.kinds import plain_values, text_as_values
from helpers.partition.levels import RARE, Pooled, rare_levels
from helpers.tables.columns import in_percent

GIVES_AWAY = "gives the outcome away"  # why a column is left out

COMMAS = r"\s*[-+]?\d[\d.]*(,\d+)+(\.\d+)?\s*"

LIKE_A_DATE = r"\s*(\d{4}[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.]\d{2,4})(\D.*)?"


def tidy_features(frame, y, known=()):
    """Features as numbers, booleans, dates and categories; a dict of the columns left out and why; notes.

    Columns that are `known` before the outcome stay, whatever they tell about it.
    """
    kept = {}
    dropped = {}
    infinite = []
    notes = []
    for name in frame:
        values = _tidy(frame[name])
        if in_percent(frame[name]):
            notes.append(f"{name!r} is read as numbers, in percent")
        notes += _nearly_values(name, values)
        reason = _useless(values)
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


def _tidy(values):
    """Text as numbers, dates or categories, objects as what they stand for; None for what is none of these."""
    values = text_as_values(plain_values(values))
    if values.dtype.kind in "biufM" or isinstance(values.dtype, pd.CategoricalDtype | pd.DatetimeTZDtype):
        return values
    kind = pd.api.types.infer_dtype(values, skipna=True)
    return values.astype("category") if kind in ("boolean", "empty", "string") else None


def _nearly_values(name, values):
    """A note on text of which at least half would be numbers, or dates, but for some words, in a list, else []."""
    if values is None or not isinstance(values.dtype, pd.CategoricalDtype) or values.cat.ordered:
        return []
    text = pd.Series([word for word in values.cat.categories if isinstance(word, str)], dtype=str)
    commas = text.str.fullmatch(COMMAS)
    numbers = pd.to_numeric(text.str.replace(r"\s*%\s*$", "", regex=True), errors="coerce").notna()
    dates = text.str.fullmatch(LIKE_A_DATE)
    if not numbers.all() and (numbers | commas).mean() >= 0.5:
        hint = " (write decimals with a point, and thousands without a comma)" if commas.any() else ""
        return [f"{name!r} is no column of numbers, because of {_first_of(text[~numbers])}{hint}"]
    if dates.mean() >= 0.5:
        why = f"of {_first_of(text[~dates])}" if not dates.all() else "they can be read in no way, or in more than one"
        return [f"{name!r} is no column of dates, because {why} (write dates as 2024-01-31)"]
    return []


def _first_of(words):
    return f"{words.iloc[0]!r}" + (f" and {len(words) - 1:,} more" if len(words) > 1 else "")


def _useless(values):
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
    return ""
