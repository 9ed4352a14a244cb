"""A user's table of scores, read and checked before anything is computed from it.

One row a case: what happened (`label`, 0 or 1), what the model said (`score`, the stated probability of 1), and what is
known about the case (the features: columns that a tree can take, with reasons for those left out). Nothing is ever
written.
"""

import os
import re
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from helpers.checks import check_count, check_probabilities, check_same_length
from helpers.partition.checked import check_rows
from helpers.partition.class_rows import check_class_scores
from helpers.practice.tables import columns
from helpers.practice.tables.features import notes_of_rare_levels, tidy_features
from helpers.practice.tables.logs import open_scores
from helpers.practice.tables.score_layout import as_name, find_layout
from helpers.practice.tables.single_answers import has_single_answers, on_scale, score_single_answers

INDEX = re.compile(r"__index_level_\d+__")

UNNAMED = re.compile(r"Unnamed: \d+")


ANSWER = "answer of the model"

SAYS_NOTHING = ("constant", "all missing", "a row number")  # why a column is left out that tells no rows apart

OTHER = "a class without a score"


@dataclass(frozen=True)
class ClassScores:
    """Labels and scores of several classes: `y` holds names of classes, `P` a column for each of them."""

    y: np.ndarray
    P: pd.DataFrame
    columns: dict  # {class: its column in the file}, without a class that has none

    def take(self, rows):
        return ClassScores(self.y[rows], self.P.iloc[rows], self.columns)


@dataclass(frozen=True)
class ScoreTable:
    """A table of scores; those that readers give have features that a tree can take, `checked` makes the rest so."""

    name: str  # of the file
    label: str  # columns that y and p come from
    score: str
    y: np.ndarray = field(repr=False)  # what happened: 0 or 1
    p: np.ndarray = field(repr=False)  # stated probability of 1
    X: pd.DataFrame = field(repr=False)  # features
    weight: np.ndarray | None = field(default=None, repr=False)  # of sampling
    groups: np.ndarray | None = field(default=None, repr=False)  # codes of people, or other dependent rows
    dropped: dict = field(default_factory=dict)  # {column: why it is not a feature}
    note: str = ""  # what a reader should know
    sha256: str = ""  # of the file
    row: np.ndarray | None = field(default=None, repr=False)  # numbers of the rows in the file, from 1; None: all
    left_out: int = 0  # rows of weight 0 that are not there any more
    before: np.ndarray | None = field(default=None, repr=False)  # another score of the cases, to compare p with
    before_name: str = ""
    group_name: str = ""  # the column that `groups` comes from
    # of scores with a column for each class; y then says whether the class with the largest score came, p is that score
    classes: ClassScores | None = field(default=None, repr=False)
    others: pd.DataFrame | None = field(default=None, repr=False)  # columns that are no features, as `dropped` says
    known: tuple = ()  # columns of which somebody says that they are known before the outcome
    are_independent: bool = False  # whether somebody says that no rows belong together
    alerts: tuple = ()  # what `checked` has found odd about the rows and columns

    @property
    def n(self):
        return len(self.y)

    @property
    def weights(self):
        """Sampling weights, (n,): ones where none are given."""
        return np.ones(self.n) if self.weight is None else self.weight

    @property
    def n_unweighted(self):
        """Number of rows of weight 0, which no estimate uses, here or left out."""
        return self.left_out + self.n_unsampled

    @property
    def n_unsampled(self):
        """Rows of weight 0 that are here."""
        return 0 if self.weight is None else int((np.asarray(self.weight) == 0).sum())

    @property
    def features(self):
        return list(self.X)

    def checked(self):
        """The table as estimators compute with it: without rows of weight 0, each copy once, float columns, weights as
        shares of the largest, codes of groups from 0; ValueError for columns that break a rule or differ in length.
        """
        X = self.X if len(self.X.columns) else pd.DataFrame({self.score: self.p})  # features may be none
        groups = np.arange(self.n) if self.are_independent else self.groups
        rows = check_rows(self.y, self.p, X, self.weight, groups, others=self.others, known=self.known, warn=False)
        number = np.arange(1, rows.kept.size + 1) if self.row is None else self.row
        before = self.before
        if before is not None:
            before = check_probabilities(before, "before")
            check_same_length(before=before, p=rows.kept)
            before = before[rows.kept]
        return replace(
            self,
            y=rows.y,
            p=rows.p,
            X=rows.X if len(self.X.columns) else rows.X.iloc[:, :0],
            weight=rows.weight,
            groups=None if self.are_independent else rows.groups,
            row=number[rows.kept],
            left_out=self.left_out + self.n_unsampled,
            before=before,
            classes=None if self.classes is None else self.classes.take(rows.kept),
            others=None if self.others is None else self.others[rows.kept],
            alerts=rows.alerts,
        )

    def take(self, rows):
        """Some rows of a checked table."""
        return replace(
            self,
            y=self.y[rows],
            p=self.p[rows],
            X=self.X.iloc[rows],
            weight=None if self.weight is None else self.weight[rows],
            groups=None if self.groups is None else pd.factorize(self.groups[rows])[0],
            row=self.row[rows],
            before=None if self.before is None else self.before[rows],
            classes=None if self.classes is None else self.classes.take(rows),
            others=None if self.others is None else self.others.iloc[rows],
        )

    def __str__(self):
        weighted = "" if self.weight is None else ", weighted"
        grouped = "" if self.groups is None else f" in {self.groups.max() + 1:,} groups"
        size = f"{self.n:,} rows{grouped}{weighted}, {len(self.features)} features"
        return f"{self.name}: {size}; {100 * self.y.mean():.1f} % positive"


def read_scores(
    path, label="label", score="score", *, event=None, features=None, weight=None, group=None, known=(), min_rows=50,
    scale="auto", failed="left out",
):  # fmt: skip
    """Read a table of labels, scores and features; a ValueError names the file, the column, the rule and the first row.

    Parameters
    ----------
    path : str, Path or DataFrame
        A table in memory (also of polars or pyarrow), or a file, here or in the shipped data: CSV (also `.tsv` and
        `.gz`), Parquet, Feather, Excel (`.xlsx`, its first sheet), JSON lines or a JSON array of rows. Or a log with
        one answer a question, of Inspect or lm-evaluation-harness (`samples_*.jsonl`): was the answer right, and how
        sure was the model; several files of samples (a list, a folder, or a pattern such as "samples_mmlu_*.jsonl")
        get a column `subject`. Or a table with one answer a question, see below.
    label : str, default "label"
        Column of labels (0/1, False/True), or of the names of classes. In a log the name of a scorer, or of a metric
        and filter; "label" for the first.
    score : str or list of str, default "score"
        Column of stated probabilities of 1; two names with a comma, "old,new", read a second score to compare with. Of
        three classes or more a column for each: a pattern such as "p_*", whose star is the name of the class, or their
        names, in a list or with commas. In a log what the scorer stored, or "likelihood"; "score" for the first that
        is there of a stated confidence and the likelihood.
    event : str or number, optional
        The value of `label` that counts as 1, such as "yes", where labels are not 0 and 1; all others count as 0.
    features : list of str or str, optional
        Column names (a list, or one text with commas); None takes all but those with another role.
    weight, group : str, optional
        Columns of sampling weights and of people; the group "none" says that no rows belong together.
    known : list of str or str, default ()
        Columns that are known before the outcome, whatever they tell about it.
    min_rows : int, default 50
        Fewest rows to accept.
    scale : str, number or dict, default "auto"
        What a stated confidence of an answer without a sign means, see `helpers.answers.parse_confidences`. For other
        scores "auto": they are probabilities.
    failed : {"left out", "wrong"}, default "left out"
        What becomes of answers that a log did not grade, as in `read_answers`.

    Returns
    -------
    ScoreTable
        With `y`, `p`, `X` and, where they are there, `weight` and `groups`. Text becomes numbers where all of a column
        is written in one way ("1.299,99 €", "$1,200.50", "12 %"), dates (2024-01-31, 31.1.2024 14:05, 31 Jan 2024, or
        with the month or the day first where only one of the two fits), else categories. Empty cells, NA, N/A, NaN and
        null are missing; rows without a label are left out. `.note` says that, how a file was read that is not written
        as usual, and what was nearly a number. Of several classes, `y` is whether the class with the largest score
        came (a class without a score never does), which class that was is a feature, and all labels and scores are in
        `.classes`, divided by their sum where rounding has moved it from 1.
        Features are left out, and listed in `.dropped`, if they are constant, all missing, row numbers or labels, names
        of the members of the groups, text of its own in nearly every row, give the outcome away, or are neither
        numbers, text nor dates.
        A table with the columns `answer`, `confidence` and `correct` or `reference`, and none called `label` or
        `score`, is one of answers: the label is whether the answer is right (as `read_answers` compares them), the
        score is the confidence, and neither the answer nor the right one is a feature.

    Examples
    --------
    >>> table = read_scores("data/rand_scores.csv.gz", group="family")
    >>> print(table)
    rand_scores.csv.gz: 10,025 rows in 1,214 groups, 13 features; 69.0 % positive
    >>> read_scores("data/rand_scores.csv.gz", score="scores")
    Traceback (most recent call last):
    ValueError: rand_scores.csv.gz has no column 'scores' (score); did you mean 'score'?
    """
    check_count(min_rows, "min_rows")
    table, label, score = _open(path, as_name(label), as_name(score), scale, failed)
    layout = find_layout(table, label, score, features=features, weight=weight, group=group, known=known)
    table, row = _with_labels(table, layout.label)
    frame = table.read(layout.columns)
    if len(frame) < min_rows:
        raise ValueError(f"{table.name} has {len(frame):,} rows, but at least {min_rows:,} are needed.")
    arrays, names, frame = _read_columns(table, layout, frame, event)
    X, dropped, notes = _read_features(table, layout, frame[names], arrays["y"], arrays["groups"])
    others = [name for name, why in dropped.items() if name in frame and why not in SAYS_NOTHING]
    return ScoreTable(
        name=table.name,
        label=layout.label,
        score=layout.score,
        X=X,
        dropped=dropped,
        note="; ".join([*table.notes, *notes]),
        sha256=table.sha256,
        row=row,
        before_name=layout.old or "",
        group_name=layout.group or "",
        others=frame[others] if others else None,
        known=tuple(layout.known),
        are_independent=layout.are_independent,
        **arrays,
    )


def _open(path, label, score, scale, failed):
    """The file as a `Table` of scores, and the columns of label and score that were asked for or are taken instead."""
    table = open_scores(path, label=label, score=score, failed=failed, scale=scale)
    if has_single_answers(table, label, score):
        table = score_single_answers(table, scale)
    elif scale != "auto" and not table.is_log:
        table = on_scale(table, score, scale)
    by_default = (label, score) == ("label", "score") and "score" not in table.names
    if by_default and {"label", "risk_score"} <= set(table.names):
        score = "risk_score"
        table.notes.append("read as predictions of the folktexts benchmark: the score is the column 'risk_score'")
    return table, label, score


def _with_labels(table, label):
    """The rows that have a label, and their numbers in the file; None for all."""
    missing = table.frame[label].isna().to_numpy()
    kept = np.flatnonzero(~missing)
    if not missing.any():
        return table, None
    if kept.size:
        table = table.only(kept, f"left out without a label: {missing.sum():,} of {missing.size:,} rows")
    return table, kept + 1


def _read_columns(table, layout, frame, event):
    """The columns with a role as arrays of a `ScoreTable`, the features, and the frame that holds these."""
    arrays = dict.fromkeys(("classes", "before", "weight", "groups"))
    names = layout.features
    if layout.of_class:
        if event is not None:
            raise ValueError("event is given, but of several classes each is one: name the column of its score.")
        arrays["classes"], arrays["y"], arrays["p"], answer = _read_classes(table, frame, layout.label, layout.of_class)
        frame = frame.assign(**{ANSWER: answer})
        names = [*names, ANSWER] if layout.takes_all else names
    else:
        arrays["y"] = columns.labels(table, layout.label, frame[layout.label], event, frame[layout.score])
        arrays["p"] = columns.scores(table, layout.score, frame[layout.score])
    if layout.old is not None:
        arrays["before"] = columns.scores(table, layout.old, frame[layout.old])
    if layout.weight is not None:
        arrays["weight"] = columns.weights(table, layout.weight, frame[layout.weight])
    if layout.group is not None:
        arrays["groups"] = columns.groups(table, layout.group, frame[layout.group])
    return arrays, names, frame


def _read_features(table, layout, frame, y, groups):
    """Features that a tree can take, {column that was left out: why}, and notes."""
    row_labels = [name for name in frame if layout.takes_all and _are_row_labels(name, frame[name])]
    X, dropped, notes = tidy_features(frame.drop(columns=row_labels), y, layout.known, table.decimal)
    dropped |= dict.fromkeys(row_labels, "row labels that pandas wrote")
    if layout.takes_all and groups is not None:
        members = [name for name in X if _names_members(X[name], groups)]
        X = X.drop(columns=members)
        dropped |= dict.fromkeys(members, f"it only tells the members of a {layout.group!r} apart")
    notes += notes_of_rare_levels(X)
    if not list(X):
        notes.append("no features: groups can only be sought along the score")
    return X, dropped, notes


def _read_classes(table, frame, label, of_class):
    """Scores of all classes, whether the answer was right, its score, and the answer."""
    columns.check_cells(table, label, frame[label])
    P = columns.class_scores(table, of_class, frame)
    y = columns.label_words(frame[label])
    start = os.path.commonprefix(list(P.columns))
    if start and not set(y) <= set(P.columns):  # columns are called p_yes, labels yes
        without = [name.removeprefix(start) for name in P.columns]
        if len(set(y) & set(without)) > len(set(y) & set(P.columns)):
            P = P.set_axis(without, axis=1)
    of_class = dict(zip(P.columns, of_class.values(), strict=True))
    unknown = pd.Series(y)[~np.isin(y, P.columns.to_numpy(object))].value_counts()
    if unknown.sum() == len(y):
        raise ValueError(
            f"{table.name}: column {label!r} must name the classes {', '.join(P.columns)} that have a score, "
            f"but in {table.where(0)} it is {y[0]!r}, and in no row one of them."
        )
    if unknown.sum() == 1:
        row = int(np.argmax(y == unknown.index[0]))
        raise ValueError(
            f"{table.name}: column {label!r} must name classes that have a score, but in {table.where(row)} it is "
            f"{y[row]!r}. Two rows or more without one would count as wrong; leave this one out."
        )
    if unknown.size:
        table.notes.append(f"classes without a score, of which every answer is wrong: {columns.counted(unknown)}")
        P = P.assign(**{OTHER: 0.0})
        y = np.where(np.isin(y, unknown.index.to_numpy(object)), OTHER, y)
    try:
        code, scores, names = check_class_scores(y, P, label, "score")
    except ValueError as error:
        raise ValueError(f"{table.name}: {error}") from None
    best = scores.argmax(axis=1)
    answer = pd.Categorical.from_codes(best, [str(name) for name in names])
    return ClassScores(y, P, of_class), (code == best).astype(float), scores.max(axis=1), answer


def _are_row_labels(name, values):
    """Whether a column is an index that pandas wrote: an own number or word in each row, and no name."""
    if INDEX.fullmatch(name):
        return True
    return bool(UNNAMED.fullmatch(name)) and values.dtype.kind != "f" and values.is_unique


def _names_members(values, groups):
    """Whether a column of text or whole numbers numbers persons: more values than groups, each in one group only."""
    if not (isinstance(values.dtype, pd.CategoricalDtype) or values.dtype.kind in "iu"):
        return False
    if values.nunique() <= groups.max() + 1:
        return False
    return bool(pd.Series(groups).groupby(values.to_numpy()).nunique().max() == 1)
