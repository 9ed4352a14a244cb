"""Inputs turned into clean arrays, or a ValueError that names the argument, the rule and the first offender.

Every public function of the package calls these once, on entry. None of them changes the caller's data. They are
for the package's own use, so that their docstrings are short: arrays are (n,) unless it says otherwise, `name` is how
the error calls the argument.
"""

import difflib
import numbers
import os
import re

import numpy as np
import pandas as pd

LEAST_SHARE = 1e-100  # of the largest weight: cubes of smaller ones cannot be told from 0

# One heavy row among 400, worth 142, 24, 5 or 2 rows of equal weight: 95 % intervals of the grouping loss held the
# truth in 96, 86, 66 and 21 % of 200 draws without loss. Log-normal weights worth 28 rows: in 95 %.
LEAST_EFFECTIVE = 30

MOST_LOST = 4  # times fewer effective rows than rows, in samples too small for 30: a design effect of no survey

# Of 600 rows in 2, 3, 4 or 5 groups that are alike inside, 95 % intervals of the calibration error held the truth in
# 60, 82, 86 and 91 % of 100 draws, bootstrap intervals of a mean in 49, 72, 77 and 87 %.
LEAST_GROUPS = 5

MOST_DRAWS = 1_000_000  # resamples and simulations: their error is then a thousandth of what they measure

SLACK = 1e-6  # by which probabilities may leave [0, 1], and their sum 1: the rounding of single precision

LARGEST = 1e100  # cost, price or weight of a file; sums and products of larger ones are no numbers

_KEY = re.compile(
    r"(?<![A-Za-z0-9])(?:(?:sk|pk|rk|gsk|xai|hf|ghp|github_pat|glpat)[-_][\w-]*?(?=[A-Za-z]*\d)[A-Za-z0-9]{16}|Bearer\s+\S{8})"
)

_SECRET_FIELD = re.compile(
    r"(.*[-_])?(api[-_]?key|secret|password|authorization|(access|auth)[-_]?token)", re.IGNORECASE
)

_SECRET_VARIABLE = re.compile(r".*(KEY|TOKEN|SECRET|PASSWORD)")


def find_secret(value, name):
    """Which part of an argument holds a key, by its form, its field's name or the environment's keys; "" for none.

    >>> find_secret({"effort": "low", "api_key": "hunter2"}, "extra_body")
    "extra_body['api_key']"
    >>> find_secret("data/sk-learn_results.csv", "path")
    ''
    """
    if isinstance(value, str):
        known = [text for key, text in os.environ.items() if len(text) >= 16 and _SECRET_VARIABLE.fullmatch(key)]
        return name if _KEY.search(value) or any(secret in value for secret in known) else ""
    if isinstance(value, dict):
        named = [key for key, entry in value.items() if entry and _SECRET_FIELD.fullmatch(str(key))]
        places = [f"{name}[{key!r}]" for key in named]
        places += [find_secret(entry, f"{name}[{key!r}]") for key, entry in value.items()]
        return next(filter(None, places), "")
    if isinstance(value, list | tuple):
        return next(filter(None, [find_secret(entry, f"{name}[{k}]") for k, entry in enumerate(value)]), "")
    return ""


def nearest_name(name, names, what="name"):
    """A sentence that names the closest of `names` to `name`, for error messages.

    >>> nearest_name("aeg", ["age", "sex"], "column")
    "did you mean 'age'?"
    """
    names = [str(other) for other in names]
    close = difflib.get_close_matches(str(name), names, n=1, cutoff=0.5)
    close = close or [other for other in names if other.lower() == str(name).lower()]
    if close:
        return f"did you mean {close[0]!r}?"
    shown = ", ".join(repr(other) for other in names[:12])
    return f"the {what}s are {shown}{', …' if len(names) > 12 else ''}."


def as_frame(table):
    """The DataFrame of a table of polars (which needs pyarrow for it), pyarrow and others; anything else as it is."""
    return table.to_pandas() if hasattr(table, "to_pandas") and not isinstance(table, pd.DataFrame) else table


def check_column(column, names, table, role=""):
    """ValueError unless a column is among the `names` of a table; the nearest is named."""
    if column not in names:
        role = f" ({role})" if role else ""
        raise ValueError(f"{table} has no column {column!r}{role}; {nearest_name(column, names, 'column')}")


def check_columns(table, names, roles):
    """ValueError unless each column of {role: column} is among `names` of `table`, and none has two roles."""
    taken = {}
    for role, column in roles.items():
        check_column(column, names, table, role)
        if column in taken:
            raise ValueError(f"{taken[column]} and {role} must be different columns, but both are {column!r}.")
        taken[column] = role


def raise_first_row(table, column, rule, values, bad, row, hint=""):
    """Raise the error for the first True of `bad` in a column, counting the others; `row(k)` names the k-th row."""
    first = int(np.argmax(bad))
    value = list(values)[first]
    shown = repr(value) if isinstance(value, str) else str(value)
    shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
    state = "is missing" if pd.api.types.is_scalar(value) and pd.isna(value) else f"is {shown}"
    more = int(np.sum(bad)) - 1
    others = f" (and in {more:,} more rows)" if more else ""
    hint = f" {hint}" if hint else ""
    raise ValueError(f"{table}: column {column!r} must {rule}, but in {row(first)} it {state}{others}.{hint}")


def check_numbers(values, name):
    """Float copy of an array of any shape, masked entries as NaN; ValueError for text (also "0") and ragged lists."""
    if isinstance(values, np.ma.MaskedArray):
        values = values.astype(float).filled(np.nan)
    try:
        array = np.asarray(values)
        wrong = np.full(array.shape, array.dtype.kind not in "biufO")
        if array.dtype.kind == "O":
            wrong = np.reshape(
                [value is pd.NA or isinstance(value, str | bytes | complex) for value in array.flat], array.shape
            )
        if not wrong.any():
            return np.array(array, dtype=float)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name} must hold numbers, but {str(error).rstrip('.')}.") from None
    raise_first(name, "hold numbers", array, wrong)


def check_vector(values, name, *, finite=False):
    """One-dimensional float copy, not empty; with `finite`, ValueError where one is NaN or infinite."""
    array = check_numbers(values, name)
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension, but its shape is {array.shape}.")
    if not array.size:
        raise ValueError(f"{name} must not be empty.")
    if finite and not np.isfinite(array).all():
        raise_first(name, "be finite", array, ~np.isfinite(array))
    return array


def check_residuals(values):
    """Float copy of residuals, labels less stated probabilities; ValueError unless all are in [-1, 1]."""
    residual = check_vector(values, "residual", finite=True)
    outside = np.abs(residual) > 1
    if outside.any():
        raise_first("residual", "lie in [-1, 1] (label 0 or 1 minus score)", residual, outside)
    return residual


def raise_first(name, rule, array, bad, hint=""):
    """Raise the error for the first True of `bad`, counting the others."""
    first = np.unravel_index(np.argmax(bad), bad.shape)
    place = f"[{', '.join(str(i) for i in first)}]" if first else ""
    more = int(bad.sum()) - 1
    shown = repr(str(array[first])) if isinstance(array[first], str) else array[first]
    others = f" (and {more:,} more)" if more else ""
    raise ValueError(f"{name} must {rule}, but {name}{place} is {shown}{others}{hint}.")


def check_not_negative(array, name, *, most=LARGEST):
    """ValueError unless all entries are finite, at least 0, and small enough for sums of them to be numbers."""
    bad = ~((array >= 0) & np.isfinite(array))
    if bad.any():
        raise_first(name, "be finite and not negative", array, bad)
    if (array > most).any():
        raise_first(name, f"be at most {most:g}", array, array > most)


def check_labels(y, name="y", *, both=False):
    """Float copy of 0/1 labels (booleans are welcome, NaN is not); ValueError with `both` also if one class is absent.

    >>> check_labels([1, 2, 2])
    Traceback (most recent call last):
    ValueError: y must be 0 or 1, but y[1] is 2.0 (and 1 more).
    """
    try:
        array = check_vector(y, name)
        bad = ~((array == 0) | (array == 1))
        if bad.any():
            raise_first(name, "be 0 or 1", array, bad)
    except ValueError as error:
        raise ValueError(f"{error}{_of_several_classes(y, name)}") from None
    if both and (array == array[0]).all():
        raise ValueError(
            f"{name} must hold both classes, but all {array.size:,} labels are of one class, {array[0]:.0f}."
        )
    return array


def _of_several_classes(y, name):
    """What there is for more than two classes, for the error message; nothing where `y` are no classes."""
    labels = np.asarray(y, dtype=object)
    classes = set(labels[[isinstance(label, str | numbers.Real) for label in labels]]) if labels.ndim == 1 else ()
    if len(classes) < 3 or not all(isinstance(label, str) or float(label).is_integer() for label in classes):
        return ""
    return (
        f" Of {len(classes)} classes, take one against the rest (`{name} == label` and its probability), or the class "
        "that was predicted (helpers.scoring.top_label); helpers.decisions.bayes_decision decides between several."
    )


def check_classes(y, n_classes, name="y"):
    """Integer copy of classes 0 .. n_classes - 1, (n,)."""
    array = check_vector(y, name)
    bad = ~((array >= 0) & (array < n_classes) & (array == np.floor(array)))
    if bad.any():
        raise_first(name, f"be a class 0 .. {n_classes - 1}", array, bad)
    return array.astype(int)


def check_probabilities(p, name="p", *, ndim=1, missing=False):
    """Float copy of `p`; ValueError unless every entry lies in [0, 1] (NaN only where some may be `missing`).

    What lies outside by no more than the rounding of single precision, 1e-6, becomes 0 or 1.

    >>> check_probabilities([0.2, 1.5])
    Traceback (most recent call last):
    ValueError: p must lie in [0, 1], but p[1] is 1.5.
    """
    array = check_vector(p, name) if ndim == 1 else check_numbers(p, name)
    if array.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} dimensions, but its shape is {array.shape}.")
    bad = outside_of_range(array) & ~(missing & np.isnan(array))
    if bad.any():
        hint = looks_like(array) if ndim == 1 else ""
        try:
            raise_first(name, "lie in [0, 1]", array, bad)
        except ValueError as error:
            raise ValueError(f"{error}{' ' * bool(hint)}{hint}") from None
    return np.clip(array, 0, 1, out=array)


def outside_of_range(p):
    """Which entries are no probabilities, NaN among them: what leaves [0, 1] by less than `SLACK` is one."""
    return ~((p >= -SLACK) & (p <= 1 + SLACK))


def looks_like(scores):
    """What scores (n,) surely are that are no probabilities, with the cure, for error messages; else ""."""
    present = scores[~np.isnan(scores)]
    if not np.isfinite(present).all() or outside_of_range(present).mean() < 0.5:
        return ""  # most of them are probabilities: a few are wrong
    if (present <= 0).all():
        return "If these are logarithms of probabilities, take exp of them."
    if (present < 0).any():
        return "If these are logits, turn them into probabilities with 1 / (1 + exp(-logit))."
    if (present == np.round(present)).all() and present.max() <= 10:
        return "These look like ranks: give the probability that each of them stands for."
    if 20 < present.max() <= 100:
        return "If these are percentages, divide them by 100."
    return ""


def check_simplex(proba, name="proba", *, tol=SLACK):
    """Float copy of an (n, K) table, K >= 2; ValueError unless rows lie in [0, 1] and sum to 1 within `tol`."""
    array = check_numbers(proba, name)
    try:
        return _check_rows_sum_to_one(array, name, tol)
    except ValueError as error:
        raise ValueError(f"{error}{_of_table(array, name)}") from None


def _check_rows_sum_to_one(array, name, tol):
    """An array in [0, 1]; ValueError unless it is an (n, K) table whose rows lie on the simplex."""
    array = check_probabilities(array, name, ndim=2)
    if not array.shape[0] or array.shape[1] < 2:
        raise ValueError(f"{name} must have at least one row and two columns, but its shape is {array.shape}.")
    total = array.sum(axis=1)
    bad = np.abs(total - 1) > tol
    if bad.any():
        more = int(bad.sum()) - 1
        first = int(np.argmax(bad))
        raise ValueError(
            f"{name} must sum to 1 in every row, but row {first} sums to {total[first]:.6g}"
            f"{f' (and {more:,} more rows)' if more else ''}."
        )
    return array


def _of_table(array, name):
    """What a table of scores surely is, for the error message."""
    if array.ndim == 1:
        return f" For two classes, pass np.column_stack([1 - {name}, {name}])."
    if array.ndim != 2 or not array.size or not np.isfinite(array).all():
        return ""
    total = array.sum(axis=1)
    if (array <= 0).all() and np.abs(np.exp(array).sum(axis=1) - 1).max() < 1e-3:
        return f" These look like log-probabilities: pass scipy.special.softmax({name}, axis=1)."
    if (array >= 0).all() and np.abs(total - 100).max() < 1:
        return f" These look like percentages: pass {name} / 100."
    if outside_of_range(array).mean() >= 0.5:
        return f" These look like logits: pass scipy.special.softmax({name}, axis=1)."
    if (array >= -SLACK).all() and np.abs(total - 1).max() < 0.05:
        return f" These look rounded: pass {name} / {name}.sum(axis=1, keepdims=True)."
    return ""


def check_same_length(**columns):
    """ValueError unless all named columns have the same number of rows; None is left out."""
    sizes = {name: np.shape(column)[0] for name, column in columns.items() if column is not None}
    first, *others = sizes
    for name in others:
        if sizes[name] != sizes[first]:
            raise ValueError(
                f"{first} and {name} must have the same length, "
                f"but they have {sizes[first]:,} and {sizes[name]:,} rows."
            )


def check_broadcast(**columns):
    """Arrays of one shape, as numpy broadcasts them; ValueError unless their shapes fit."""
    try:
        return np.broadcast_arrays(*columns.values())
    except ValueError:
        shapes = ", ".join(f"{name} has shape {column.shape}" for name, column in columns.items())
        raise ValueError(f"{' and '.join(columns)} must be broadcast together, but {shapes}.") from None


def check_weights(weight, name="sample_weight"):
    """Weights as shares of the largest one, or None; none may be so small beside it that its cube vanishes."""
    if weight is None:
        return None
    array = check_vector(weight, name)
    check_not_negative(array, name, most=np.inf)
    _check_some(array, name)
    share = array / array.max()
    vanishing = (array > 0) & (share < LEAST_SHARE)
    if vanishing.any():
        rule = f"be 0 or at least {LEAST_SHARE:g} times the largest weight, {array.max():g}"
        raise_first(name, rule, array, vanishing)
    return share


def unequal(weight):
    """Checked weights, or None where all are equal, which is to say nothing."""
    return None if weight is None or (weight == weight[0]).all() else weight


def sampled_rows(weight, groups, *columns):
    """Checked weights, group codes and columns (or None) without the rows of weight 0, which were not sampled."""
    if weight is None or weight.all():
        return unequal(weight), groups, *columns
    kept = weight > 0
    try:
        groups = None if groups is None else check_groups(groups[kept])
    except ValueError as error:
        raise ValueError(f"sample_weight must leave enough rows with a weight: {error}") from None
    return unequal(weight[kept]), groups, *(None if column is None else column[kept] for column in columns)


def check_frequencies(weight, name="sample_weight"):
    """How often each row occurs, as floats, or None for None; ValueError unless they are whole numbers, not all 0."""
    if weight is None:
        return None
    array = check_vector(weight, name)
    bad = ~((array >= 0) & np.isfinite(array) & (array == np.floor(array)))
    if bad.any():
        raise_first(name, "hold whole numbers of at least 0 (how often each row occurs)", array, bad)
    if array.sum() >= 2**53:
        raise ValueError(f"{name} must sum to less than 2**53, where counts are exact, but it sums to {array.sum():g}.")
    _check_some(array, name)
    return array


def check_effective(weight, groups=None, name="sample_weight"):
    """ValueError where checked weights (or None) leave too few rows for an interval.

    Their effective number (Kish), (sum w)^2 / sum w^2, is then below both 30 and a quarter of what equal weights would
    leave. With integer codes of `groups`, w are the sums of whole groups. Of rows with weight 0 nothing is known.

    >>> check_effective(np.repeat([1.0, 1000.0], [399, 1]))
    Traceback (most recent call last):
    ValueError: sample_weight must leave at least 30 effective rows, ... are worth 1.96: sample_weight[399] alone ...
    """
    if weight is None:
        return
    counts = (weight > 0).astype(float)
    unit = np.arange(weight.size) if groups is None else groups
    total = np.bincount(unit, weight)
    fair = effective_number(np.bincount(unit, counts))
    heaviest = int(np.argmax(weight))
    hint = f": {name}[{heaviest}] alone has {100 * weight[heaviest] / weight.sum():.0f} % of the weight"
    check_effective_number(effective_number(total), fair, name, "rows" if groups is None else "groups", hint)


def effective_number(total):
    """Number of equal weights whose mean varies as much (Kish)."""
    return float(total.sum() ** 2 / (total @ total))


def check_effective_number(effective, fair, name="sample_weight", units="rows", hint=""):
    """`check_effective` of the effective number, and of that of equal weights."""
    least = min(LEAST_EFFECTIVE, fair / MOST_LOST)
    if effective < least:
        raise ValueError(
            f"{name} must leave at least {least:.3g} effective {units}, (sum w)^2 / sum w^2, for an interval, but its "
            f"{units} are worth {effective:.3g}{hint}."
        )


def _check_some(array, name):
    """ValueError if all weights are 0."""
    if not array.any():
        raise ValueError(f"{name} must not be zero everywhere, but all {array.size:,} entries are 0.")


def check_groups(groups, name="groups"):
    """Integer codes 0 .. G-1 of any labels (people, hospitals, questions), in order of appearance; None for None."""
    if groups is None:
        return None
    shape = np.shape(groups) if hasattr(groups, "shape") else (len(groups),) if np.iterable(groups) else ()
    if len(shape) != 1 or not shape[0]:
        raise ValueError(f"{name} must be one-dimensional and not empty, but its shape is {shape}.")
    try:
        labels = pd.Series(groups)
        codes, names = pd.factorize(labels)
    except TypeError as error:
        raise ValueError(f"{name} must hold labels such as names or numbers, but {error}.") from None
    if (codes < 0).any():
        raise_first(name, "not be missing", labels.to_numpy(object), codes < 0)
    check_enough_groups(names, name)
    return codes


def check_enough_groups(labels, name="groups"):
    """ValueError for fewer than five different labels."""
    if len(labels) < LEAST_GROUPS:
        shown = ", ".join(repr(label) for label in labels.tolist())
        raise ValueError(
            f"{name} must hold at least {LEAST_GROUPS} groups, to tell how unlike they are, but holds {shown}."
        )


def check_regions(region, name="region"):
    """Integer region of each row, (n,); ValueError unless they are whole numbers that count up from 0."""
    try:
        array = np.asarray(region)
    except ValueError as error:
        raise ValueError(f"{name} must hold whole numbers from 0, but {error}") from None
    if array.ndim != 1 or not array.size or array.dtype.kind not in "iu":
        raise ValueError(f"{name} must hold whole numbers from 0, but it is {array.dtype} of shape {array.shape}.")
    if array.min() < 0 or array.max() > 1000 * (1000 + array.size):
        raise ValueError(
            f"{name} must count up from 0 (as np.unique(region, return_inverse=True)[1] does), "
            f"but it runs from {array.min()} to {array.max()}."
        )
    return array.astype(np.int64)


def check_count(value, name, *, least=1, most=None):
    """`value` as an int; ValueError unless it is a whole number of at least `least` and at most `most`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, but it is {value!r}.")
    if most is not None and value > most:
        raise ValueError(f"{name} must be at most {most:,}, but it is {value:,}.")
    return int(value)


def check_rng(rng, name="rng"):
    """Generator from None, a seed or a Generator (which is used itself); ValueError for anything else."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        rule = "be None, a whole number of at least 0 or a numpy Generator"
        raise ValueError(f"{name} must {rule}, but it is {rng!r}.") from None


def check_level(value, name="level"):
    """`value` as a float; ValueError unless it is one number strictly between 0 and 1."""
    level = check_numbers(value, name)
    if level.ndim or not 0 < level < 1:
        raise ValueError(f"{name} must lie strictly between 0 and 1, but it is {value}.")
    return float(level)


def check_one_of(value, name, allowed):
    """ValueError unless `value` is one of `allowed`; the nearest is named."""
    if value not in allowed:
        shown = ", ".join(repr(option) for option in allowed)
        raise ValueError(
            f"{name} must be one of {shown}, but it is {value!r}; {nearest_name(value, allowed, 'option')}"
        )
