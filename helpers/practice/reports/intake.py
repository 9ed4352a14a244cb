"""A user's table before the audit: read, looked at for repeated people, and checked for what it can certify."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.isotonic import IsotonicRegression

from helpers.audit.columns import levels_of_columns
from helpers.checks import MOST_DRAWS, check_column, check_count, check_numbers
from helpers.practice.reports.phrases import round_up
from helpers.practice.tables import read_scores
from helpers.practice.tables.files import find_table
from helpers.profile.clusters import find_clusters
from helpers.profile.columns import coded, days, days_of_calendar

LEAST_ROWS = 300
LEAST_EVENTS = 20
LEAST_GROUPS = 40
MOST_LEVELS = 50  # of a column to check, so that a page can show them all
SHIPPED = "data/rand_scores.csv.gz"

LATER = "perhaps known only with the outcome"
TELLS = "tells the outcome"
SAME_FEATURES = "all features"  # what rows of one group have in common where no column says who they are

NAMES_OF_GROUPS = (
    r"(.*[_ ])?(id|person|patient|subject|customer|user|household|family|hospital|clinic|site|school|teacher|store|"
    r"flight|cluster|village|ward)([_ ].*)?"
)


def read_table(
    path, label="label", score="score", *, event=None, features=None, weight=None, group=None, known=(), scale="auto",
    failed="left out",
):  # fmt: skip
    """Read a table as `helpers.practice.tables.read_scores` does, where "" and [] stand for "not given".

    The shipped table is grouped by family.

    Parameters
    ----------
    path, label, score, event, features, weight, group, known, scale, failed : optional
        As in `helpers.practice.tables.read_scores`.

    Returns
    -------
    ScoreTable
        The checked table.

    Examples
    --------
    >>> print(read_table("data/rand_scores.csv.gz"))
    rand_scores.csv.gz: 10,025 rows in 1,214 groups, 13 features; 69.0 % positive
    """
    used = {label, weight, *(features or []), *np.atleast_1d(score)}
    if not group and "family" not in used and _is_shipped(path):
        group = "family"
    event = None if event == "" else event
    options = {"features": features or None, "weight": weight or None, "group": group or None, "known": known}
    return read_scores(path, label=label, score=score, event=event, scale=scale, failed=failed, **options)


def _is_shipped(path):
    """Whether a path leads to the book's table, and not to one of the same name."""
    named = isinstance(path, str | Path) and Path(path).name == Path(SHIPPED).name
    return named and find_table(path).resolve() == find_table(SHIPPED).resolve()


def cost_pair(costs):
    """Say what is wrong with the parameter `cost`, the extra costs of a false alarm and of a miss.

    Parameters
    ----------
    costs : list of float
        The value that a user gave.

    Returns
    -------
    str or None
        The rule that is broken; None if none is.

    Examples
    --------
    >>> cost_pair([1, 5]), cost_pair([1, -5])
    (None, 'must be two costs above 0 (both 0 where none are given)')
    """
    are_numbers = isinstance(costs, list) and all(isinstance(cost, int | float) for cost in costs)
    fine = are_numbers and len(costs) == 2 and (min(costs) > 0 or not any(costs)) and max(costs) < float("inf")
    return None if fine else "must be two costs above 0 (both 0 where none are given)"


def check_terms(reject_cost=None, price=None, n_resamples=1000, precision=0.9):
    """Check the terms of an audit of answers; None and 0 stand for costs that are not given."""
    reject_cost = 0 if reject_cost is None else reject_cost
    price = 0 if price is None else price
    if not 0 <= check_numbers(reject_cost, "reject_cost") < 1:
        raise ValueError(f"reject_cost must lie between 0 and 1 (a wrong answer costs 1), but it is {reject_cost}.")
    if not 0 <= check_numbers(price, "price") < np.inf:
        raise ValueError(f"price must be at least 0 and finite (a wrong answer costs 1), but it is {price}.")
    if price and not reject_cost:
        raise ValueError("price is given without reject_cost: what a sample is worth depends on both.")
    check_count(n_resamples, "n_resamples", least=100, most=MOST_DRAWS)
    if not 0 < check_numbers(precision, "precision") < 1:
        raise ValueError(f"precision must lie between 0 and 1, but it is {precision}.")


def relabelled(table, labels, check):
    """A checked table with the names that its page shows, {feature: name}, and the columns to check by these names."""
    check = [check] if isinstance(check, str) else list(check)
    labels = _mapping(labels)
    known = [*table.features, *table.dropped, table.label, table.score, table.before_name]
    for name, shown in labels.items():
        check_column(name, known, "labels name columns, but the table")
        if not isinstance(shown, str) or not shown.strip():
            raise ValueError(f"labels must be texts, but that of {name!r} is {shown!r}.")
    names = [labels.get(name, name) for name in table.features]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(f"labels must tell the columns apart, but two would be called {twice[0]!r}.")
    table = replace(
        table,
        X=table.X.set_axis(names, axis=1),
        label=labels.get(table.label, table.label),
        score=labels.get(table.score, table.score),
        before_name=labels.get(table.before_name, table.before_name),
        dropped={labels.get(name, name): why for name, why in table.dropped.items()},
    )
    return table, labels, [labels.get(name, name) for name in check]


def _mapping(labels):
    """Labels as a dictionary, also out of a YAML file."""
    if isinstance(labels, str | Path) and str(labels):
        import yaml  # of the extra `notebooks`

        path = Path(labels)
        try:
            labels = yaml.safe_load(path.read_text(encoding="utf-8"))
        except (OSError, yaml.YAMLError, UnicodeDecodeError) as error:
            reason = " ".join(str(error).split())
            raise ValueError(f"labels must be a dictionary or a YAML file, but {path} is none: {reason}") from None
    if not isinstance(labels or {}, dict):
        raise ValueError(f"labels must be pairs 'column: name', but they are {type(labels).__name__}.")
    return {str(name): shown for name, shown in (labels or {}).items()}


def levels_to_show(table, check):
    """Rates of every level of the columns that a user named, or None for none."""
    names = list(dict.fromkeys(check))
    if not names:
        return None
    tables = [levels_of_columns(table, [name]) for name in names]
    for name, levels in zip(names, tables, strict=True):
        if len(levels) > MOST_LEVELS:
            raise ValueError(
                f"check must name columns of at most {MOST_LEVELS} levels, but {name!r} has {len(levels):,}: "
                "put levels together first."
            )
    return pd.concat(tables, ignore_index=True)


def as_assumed(table):
    """A checked table as its report takes it: (table, the alert that its groups come from or None).

    Columns that tell the outcome are left out until somebody says that they are known before it. Rows that err alike
    are taken as groups where a column says so that is no feature by itself, or that names persons or days; so are rows
    that are equal in all features, or in score and all but one of them. Fewer than forty days, people or places are
    too few for groups: their alerts stay, and raise the question.
    """
    leaking = leaking_columns(table.alerts)
    whys = {name: why for name, why in leaking.items() if name in table.X}
    table = replace(table, X=table.X.drop(columns=list(whys)), dropped=table.dropped | whys)
    for alert in table.alerts:
        if alert.kind in ("same_rows", "near_copies"):
            same = table.X.drop(columns=[name for name in alert.columns if name in table.X])
            if alert.kind == "near_copies":
                same = same.assign(**{table.score: table.p})
            values = pd.util.hash_pandas_object(same, index=False)
            return replace(table, groups=pd.factorize(values)[0], group_name=SAME_FEATURES), alert
        if alert.kind != "cluster" or alert.more["n_levels"] < LEAST_GROUPS:
            continue
        name = ", ".join(alert.columns)
        is_feature = alert.columns[0] in table.X
        if len(alert.columns) > 1:
            values = days_of_calendar(table.X).values
        else:
            values = table.X[name] if is_feature else table.others[name]
        is_day = pd.api.types.is_datetime64_any_dtype(values.dtype)
        if is_feature and not (is_day or alert.more["one_outcome"] or re.fullmatch(NAMES_OF_GROUPS, name.lower())):
            continue
        code = pd.factorize(days(values))[0]
        missing = code < 0
        code[missing] = code.max() + 1 + np.arange(missing.sum())  # each on its own
        X = table.X.drop(columns=name) if is_feature and not is_day else table.X
        return replace(table, X=X, groups=code, group_name=name), alert
    if table.groups is None and not table.are_independent:
        table = replace(table, alerts=(*table.alerts, *few_that_err_alike(table)))
    return table, None


def few_that_err_alike(table):
    """Alerts for columns that by their names are people or places, too few for groups, if rows of one err alike."""
    named = table.X[likely_groups(table)]
    c = IsotonicRegression(y_min=0, y_max=1).fit(table.p, table.y, table.weight).predict(table.p)
    alerts = find_clusters(coded(named), table.y, c, table.weight, few=True)
    return [alert for alert in alerts if alert.more["n_levels"] < LEAST_GROUPS]


def leaking_columns(alerts):
    """{column: why} of the columns that tell the outcome; of a pair, the one that by its name is known only with it."""
    leaking = {alert.columns[0]: LATER for alert in alerts if alert.kind == "afterwards"}
    for alert in alerts:
        if alert.kind == "leak" and (len(alert.columns) == 1 or not leaking.keys() & set(alert.columns)):
            leaking |= dict.fromkeys(alert.columns, TELLS)
    return leaking


def likely_groups(table):
    """Features whose names suggest people or places with several rows each: candidates for `group`."""
    named = [name for name in table.features if re.fullmatch(NAMES_OF_GROUPS, name.lower())]
    return [name for name in named if table.X[name].nunique() >= 10]


def find_limitation(table):
    """Why grouping loss and groups cannot be sought in a table, and what would do; "" twice if they can."""
    weight = table.weights
    used = weight > 0
    n_effective = weight.sum() ** 2 / (weight**2).sum()
    n_ones = int(table.y[used].sum())
    n_events = min(n_ones, int(used.sum()) - n_ones)
    if not table.features:
        why = "The table has no features, so cases with the same score cannot be told apart."
        return why, "columns that describe the cases"
    if n_effective < LEAST_ROWS:
        needed = round_up(LEAST_ROWS * table.n / n_effective)
        worth = ""
        if table.weight is not None:
            worth = (
                f", with their weights worth {n_effective:,.0f} (some {needed:,} of this kind are worth {LEAST_ROWS})"
            )
        why = f"The table has {table.n:,} cases{worth}; below {LEAST_ROWS} they say too little about single people."
        return why, f"at least {needed:,} cases"
    if n_events < LEAST_EVENTS:
        needed = f"about {round_up(LEAST_EVENTS * table.n / n_events):,} cases" if n_events else ""
        rate = f": at this rate, {needed}" if needed else ""
        why = f"Only {n_events} cases have the rarer label; at least {LEAST_EVENTS} are needed{rate}."
        return why, needed or f"at least {LEAST_EVENTS} cases of each label"
    n_groups = LEAST_GROUPS if table.groups is None else np.unique(table.groups[used]).size
    if n_groups < LEAST_GROUPS:
        why = f"The cases come from only {n_groups} people or places; at least {LEAST_GROUPS} are needed."
        return why, f"cases of at least {LEAST_GROUPS} people or places"
    return "", ""
