"""What a policy did with each question: the answer it gave, whose answer it was, and what was paid.

Tables are (models, rows), models in order of cost. Prices are one number for each model or one for each model and row.
"""

from dataclasses import dataclass
from numbers import Number

import numpy as np
import pandas as pd

from helpers._result import Result
from helpers.checks import check_not_negative, check_numbers, check_vector, raise_first


@dataclass(frozen=True)
class Routed(Result):
    """What a policy did with n rows.

    Parameters
    ----------
    prediction, model, paid : array, shape (n,)
        Answers that were given (classes or texts), whose they are, and the price of all models that were asked.

    Examples
    --------
    >>> print(Routed(np.array([0, 1]), np.array([0, 1]), np.array([1.0, 11.0])))
    2 rows, 6 paid a row; answered 50 % by model 0, 50 % by model 1
    """

    prediction: np.ndarray
    model: np.ndarray
    paid: np.ndarray

    def __str__(self):
        answered = np.bincount(self.model)
        shares = enumerate(100 * answered / answered.sum())
        shares = ", ".join(f"{share:.0f} % by model {k}" for k, share in shares if share)
        return f"{self.model.size:,} rows, {self.paid.mean():.4g} paid a row; answered {shares}"


def check_predictions(prediction, name="prediction"):
    """Copy of a (models, rows) table of answers (classes or texts); ValueError if one is missing."""
    try:
        array = np.array(prediction.tolist() if isinstance(prediction, np.ma.MaskedArray) else prediction)
    except ValueError as error:
        raise ValueError(f"{name} must have rows of equal length, but {error}") from None
    if array.ndim != 2 or not array.size:
        raise ValueError(f"{name} must be a table (models, rows), not empty, but its shape is {array.shape}.")
    bad = np.asarray(pd.isna(array))
    if bad.any():
        model = int(np.argmax(bad.any(axis=1)))
        rule = "hold an answer of every model in every row"
        raise_first(name, rule, array, bad, f"; model {model} lacks {bad[model].sum():,}")
    if array.dtype.kind in "cmMV":
        raise ValueError(f"{name} must hold classes or texts, but its type is {array.dtype}.")
    if array.dtype.kind == "U" and any(np.asarray(row).dtype.kind not in "UO" for row in prediction):
        raise ValueError(f"{name} must hold either classes or texts, but some of its rows hold numbers, others texts.")
    return array


def check_model_table(values, shape, name, *, least=0.0, most=np.inf):
    """Float copy of a (models, rows) table; ValueError for another shape than `shape` or entries out of bounds."""
    array = check_numbers(values, name)
    if array.shape != shape:
        raise ValueError(f"{name} must have the shape (models, rows) = {shape} of the rest, but it is {array.shape}.")
    bad = ~((array >= least) & (array <= most) & np.isfinite(array))
    if bad.any():
        model = int(np.argmax(bad.any(axis=1)))
        rule = f"lie in [{least:g}, {most:g}]" if np.isfinite(most) else f"be finite and at least {least:g}"
        raise_first(name, rule, array, bad, f"; model {model} has {bad[model].sum():,} of them")
    return array


def check_prices(cost, shape, name="cost"):
    """Float copy of prices, (models,) or (models, rows); ValueError unless finite, >= 0 and in order of (mean) cost."""
    array = check_numbers(cost, name)
    if array.shape not in (shape[:1], shape):
        raise ValueError(
            f"{name} must hold one price for each of the {shape[0]} models, or a table (models, rows) = {shape}, "
            f"but its shape is {array.shape}."
        )
    check_not_negative(array, name)
    price = mean_price(array)
    falls = np.flatnonzero(np.diff(price) < -1e-12 * price.max(initial=0.0))
    if falls.size:
        k = int(falls[0])
        raise ValueError(
            f"{name} must not fall from one model to the next: put the models of all tables in order of cost, "
            f"but model {k} costs {price[k]:g} and model {k + 1} costs {price[k + 1]:g}."
        )
    return array


def check_truth(y, n, name="y"):
    """Copy of the (n,) right answers, classes or texts; ValueError if one is missing or the length differs."""
    array = check_predictions([y] if np.ndim(y) == 1 else y, name)[0]
    if np.ndim(y) != 1 or array.size != n:
        raise ValueError(
            f"{name} must hold one right answer for each of the {n:,} rows, but its shape is {np.shape(y)}."
        )
    return array


def check_correct(correct, name="correct"):
    """Float copy of a (models, rows) table of numbers in [0, 1], 1 for right and 0 for wrong; ValueError for others."""
    array = check_numbers(correct, name)
    if array.ndim != 2 or not array.size:
        raise ValueError(f"{name} must be a table (models, rows), not empty, but its shape is {array.shape}.")
    return check_model_table(array, array.shape, name, most=1)


def check_thresholds(thresholds, name, *, least, most=np.inf):
    """Float copy of (T,) thresholds; ValueError if one is outside of [least, most] or not a number."""
    array = check_vector(np.atleast_1d(check_numbers(thresholds, name)), name)
    bad = ~((array >= least) & (array <= most))
    if bad.any():
        rule = f"be at least {least:g}" if np.isinf(most) else f"lie in [{least:g}, {most:g}]"
        raise_first(name, rule, array, bad)
    return array


def price_table(cost, shape):
    """Prices (models,) or (models, rows) as a table (models, rows)."""
    return np.broadcast_to(cost[:, None] if cost.ndim == 1 else cost, shape)


def mean_price(cost):
    """Price of each model, on average over rows, (models,)."""
    return cost if cost.ndim == 1 else cost.mean(axis=1)


def price_of(cost, model):
    """Price of asking `model` (n,), one for each row, (n,)."""
    return cost[model] if cost.ndim == 1 else cost[model, np.arange(model.size)]


def ask_one(prediction, cost, model):
    """`Routed` where each row asks just its `model` (n,) and takes the answer."""
    return Routed(prediction[model, np.arange(model.size)], model, price_of(cost, model))


def is_right(prediction, y):
    """Whether each answer is the right one: numbers by value, texts by letters; ValueError for different types."""
    answers = _types(prediction)
    truths = _types(y)
    if not answers & truths:
        pairs = ((truths, y), (answers, prediction))
        shown = [f"{' and '.join(sorted(types))}, such as {a.ravel().tolist()[0]!r}" for types, a in pairs]
        raise ValueError(
            f"y must be of the type of the prediction, but y holds {shown[0]}, and the prediction {shown[1]}."
        )
    return prediction == y


def _types(array):
    """What an array holds: numbers (booleans among them), texts, or the names of other types."""
    if array.dtype.kind in "biuf":
        return {"numbers"}
    return {
        "texts" if issubclass(type_, str) else "numbers" if issubclass(type_, Number | np.bool_) else type_.__name__
        for type_ in set(map(type, array.ravel().tolist()))
    }


def decision_losses(prediction, y, cost=None):
    """Cost of each answer: 1 for a wrong one, or `cost[answer, truth]` of classes 0 .. K-1."""
    if cost is None:
        return (~is_right(prediction, y)).astype(float)
    cost = check_numbers(cost, "cost")
    if cost.ndim != 2 or cost.shape[0] != cost.shape[1] or not np.isfinite(cost).all():
        raise ValueError(
            f"cost must be a finite square table, cost[i, j] for answering i when the truth is j, but it is {cost}."
        )
    answer = _classes(prediction, "prediction", len(cost))
    truth = _classes(y, "y", len(cost))
    return cost[answer, truth]


def _classes(values, name, n_classes):
    """Classes of a cost matrix as integers, of any shape."""
    values = check_numbers(values, name)
    bad = ~((values >= 0) & (values < n_classes) & (values == np.floor(values)))
    if bad.any():
        raise_first(name, f"be a class 0 .. {n_classes - 1} of cost", values, bad)
    return values.astype(int)
