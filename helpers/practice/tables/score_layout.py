"""Which columns of a table of scores have which role: label, score or scores, weight, group, and features."""

import numbers
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from helpers.checks import check_columns
from helpers.practice.tables.columns import check_roles

MOST_FEATURES = 1000

NO_GROUP = "none"  # given in place of a column: no rows belong together


@dataclass(frozen=True)
class ScoreLayout:
    """Names of the columns of a table of scores by their roles; None for a role that no column has."""

    label: str
    score: str  # of several classes the names of their columns, with commas
    features: list
    of_class: dict = field(default_factory=dict)  # {class: the column of its score} of three classes or more
    old: str | None = None  # a second score
    weight: str | None = None
    group: str | None = None
    known: list = field(default_factory=list)  # columns that are known before the outcome
    takes_all: bool = True  # whether features are all columns without another role
    are_independent: bool = False  # whether somebody says that no rows belong together

    @property
    def columns(self):
        """All columns with a role."""
        scores = self.of_class.values() or [self.score]
        roles = [self.label, *scores, self.old, self.weight, self.group, *self.features]
        return [name for name in roles if name is not None]


def find_layout(table, label, score, *, features=None, weight=None, group=None, known=()):
    """The `ScoreLayout` of a `Table`, arguments as in `read_scores`; ValueError for a column that is not there, has two
    roles or is one feature of too many.
    """
    weight, group = as_name(weight), as_name(group)
    of_class = _class_columns(score, table.names, table.name)
    score, old = (None, None) if of_class else _two_scores(score, table.names)
    are_independent = group == NO_GROUP and NO_GROUP not in table.names
    group = None if are_independent else group
    known = listed(known, table.names) if known else []
    check_columns(table.name, table.names, {f"known[{k}]": name for k, name in enumerate(known)})
    scores = {f"score of {name}": column for name, column in of_class.items()} or {"score": score}
    roles = {"label": label} | scores | {"old score": old, "weight": weight, "group": group}
    roles = check_roles(table, roles)
    names = _feature_names(table, features, roles)
    if len(names) > MOST_FEATURES:
        raise ValueError(f"features: {table.name} has {len(names):,}, but at most {MOST_FEATURES:,} are looked at.")
    score = ", ".join(of_class.values()) if of_class else score
    return ScoreLayout(label, score, names, of_class, old, weight, group, known, features is None, are_independent)


def as_name(name):
    """A column of a DataFrame that is called by a number is called by its word here."""
    return str(name) if isinstance(name, numbers.Integral) and not isinstance(name, bool) else name


def listed(given, names):
    """Names that are given in a list, or in one text: a column, or several with commas."""
    if not isinstance(given, str):
        return list(given)
    return [given] if given in names else [name.strip() for name in given.split(",")]


def _two_scores(score, columns):
    """The column of the score and, of two names with a comma, that of the old one (else None)."""
    if not isinstance(score, str) or score in columns or "," not in score:
        return score, None
    names = listed(score, columns)
    if len(names) > 2 or not all(names):
        raise ValueError(f"score must name one column, or two with a comma (old,new), but it is {score!r}.")
    return names[1], names[0]


def _class_columns(score, names, file):
    """{class: its column} where `score` names three columns or more, by a list, commas or a pattern; else empty."""
    if isinstance(score, str) and score not in names and "*" in score:
        before, after = score.split("*", 1)
        found = [name for name in names if fnmatchcase(name, score)]
        if len(found) < 3:
            raise ValueError(f"{file} must have three columns or more that match {score!r} (score), but has {found}.")
        return {name[len(before) : len(name) - len(after)]: name for name in found}
    if isinstance(score, str):
        score = listed(score, names)
    if len(score) < 3:
        return {}
    return {name: name for name in score}


def _feature_names(table, features, roles):
    """Names of the features; ValueError for one that is not there, has another role or is named twice."""
    if features is None:
        return [name for name in table.names if name not in roles.values()]
    features = listed(features, table.names)
    check_columns(table.name, table.names, roles | {f"features[{k}]": name for k, name in enumerate(features)})
    return features
