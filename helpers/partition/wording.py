"""What is named: codes of a column in the words of a rule."""

import numpy as np

NAMED = 3  # levels of an ordered category that a rule names one by one


def words_of(column, first, last, missing):
    """The rows with codes first .. last (and the missing ones, if `missing`) in words; "" if that is all of them."""
    name = column.name
    top = column.levels.size - 1
    if first > last:
        return f"{name} is missing"
    if first == 0 and last == top:
        return f"{name} is not missing" if column.missing and not missing else ""
    if column.kind == "category":
        inside = column.levels[first : last + 1]
        outside = np.r_[column.levels[:first], column.levels[last + 1 :]]
        new_ones = first <= column.pool <= last if column.n_pooled else missing  # go here, too
        if new_ones and len(outside) < len(inside):
            return f"{name} is not {_names(column, outside)}"
        return f"{name} is {_names(column, inside)}"
    if column.kind == "boolean":
        text = f"{name} is {bool(column.levels[first])}"
    elif column.kind == "ordered" and last - first < NAMED:  # "health > good" would be read as "better than good"
        text = f"{name} is {_join(column.levels[first : last + 1], 'or')}"
    elif first == last and _is_one_value(column, first):
        text = f"{name} is {_spell(column, first)}"
    elif first > 0 and last < top:
        ends = [_spell(column, first - 1), _spell(column, last)]
        if ends[0] == ends[1]:
            ends = [_spell(column, first - 1, 17), _spell(column, last, 17)]
        text = f"{ends[0]} < {name} <= {ends[1]}"
    else:
        text = f"{name} > {_spell(column, first - 1)}" if first > 0 else f"{name} <= {_spell(column, last)}"
    return f"({text} or missing)" if column.missing and missing else text


def _spell(column, code, digits=4):
    level = column.levels[code]
    if column.kind == "date":
        moment = np.datetime64(round(level * 86_400), "s")
        only_days = (column.levels == np.round(column.levels)).all()
        return str(moment.astype("datetime64[D]")) if only_days else str(moment).replace("T", " ")
    if column.kind == "ordered":
        return str(level)
    return f"{level:.0f}" if column.kind == "whole" else f"{level:.{digits}g}"


def _is_one_value(column, code):
    """Whether no other value, in other rows, can have this code."""
    if column.kind != "whole" or not column.exact:
        return False
    between = 0 < code < column.levels.size - 1 and column.levels[code] - column.levels[code - 1] == 1
    return between or np.array_equal(column.levels, [0, 1])


def _names(column, levels):
    """Categories in words, the rare ones last."""
    names = [level for level in levels if level is not None]
    rare = [f"one of {column.n_pooled:,} rare levels"] if len(names) < len(levels) else []
    return _join([*_shortened(sorted(names)), *rare], "or")


def _join(words, last):
    words = [str(word) for word in words]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def _shortened(words):
    """The first of more than 20 words, and how many there are more."""
    return words if len(words) <= 20 else [*words[:10], f"{len(words) - 10:,} more"]
