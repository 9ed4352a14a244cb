"""Regions and a calibrator from a sample, applied to other rows chunk by chunk."""

from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import pandas as pd

from helpers.binning import uniform_edges
from helpers.calibration.calibrators import make_calibrator
from helpers.checks import check_column, check_labels, check_probabilities, check_weights, raise_first_row
from helpers.partition import HonestTree
from helpers.partition.checked import with_score_column
from helpers.partition.kinds import as_numbers
from helpers.partition.levels import pooled_note
from helpers.practice.chunks.cells import LARGEST, is_weight
from helpers.practice.chunks.platt import PlattStart, PlattSums
from helpers.practice.chunks.sums import EvaluationSums, RegionSums, ReliabilitySums, ScoreSums
from helpers.scoring import BRIER, LOG

LABELS = ("hold labels 0 and 1", lambda y: (y == 0) | (y == 1))
PROBABILITIES = ("hold probabilities in [0, 1]", lambda p: (p >= 0) & (p <= 1))
WEIGHTS = (f"hold weights that are 0 or lie in [{1 / LARGEST:g}, {LARGEST:g}]", is_weight)
MISSING_TYPES = {"numbers": float, "booleans": float, "dates": "datetime64[ns]", "durations": "timedelta64[ns]"}


@dataclass(frozen=True)
class SampledPartition:
    """Regions and a calibrator that a sample chose; `sums(frame)` says what other rows add to the evaluation."""

    tree: HonestTree = field(repr=False)
    calibrator: object = field(repr=False)
    label: str
    score: str
    weight: str | None
    group: str | None
    kinds: dict = field(repr=False)  # what each feature held in the sample
    edges: np.ndarray = field(repr=False)  # bins of the reliability curve
    n: int  # rows of the sample

    def __str__(self):
        size = f"{self.tree.n_regions_:,} regions from a sample of {self.n:,} rows, {len(self.kinds)} features"
        return f"{size}{pooled_note(self.tree.encoder_.pooled_)}"

    @property
    def platt_columns(self):
        """Columns that a calibrator needs."""
        return tuple(name for name in (self.label, self.score, self.weight) if name is not None)

    @property
    def columns(self):
        """All columns that are read."""
        return (*self.platt_columns, *([] if self.group is None else [self.group]), *self.kinds)

    @property
    def has_platt(self):
        """Whether the calibrator is Platt's."""
        return hasattr(self.calibrator, "slope_")

    def with_calibrator(self, intercept, slope, levels=(np.nan, np.nan)):
        """A copy with other values of its Platt calibrator, for log-odds and for scores of 0 and 1."""
        calibrator = deepcopy(self.calibrator)
        calibrator.intercept_, calibrator.slope_ = float(intercept), float(slope)
        calibrator.certain_scores_ = np.array(levels, dtype=float)
        return replace(self, calibrator=calibrator)

    def refit(self, chunks):
        """A copy with the Platt calibrator of all rows of the chunks, in one pass or one for each Newton step."""
        parts = chunks.parts(self.platt_columns)

        def total_at(*place):
            return chunks.total(partial(self.platt_sums, place or None), parts, self.platt_columns)

        try:
            line, levels = total_at().fit(total_at)
        except np.linalg.LinAlgError:
            raise ValueError("calibrator cannot be fitted on all rows of the chunks; try refit=False.") from None
        return self.with_calibrator(*line, levels)

    def platt_sums(self, place, frame, name="chunk"):
        """`PlattSums` of a frame where a Newton step starts, or `PlattStart` without a place; errors call it `name`."""
        y, p, weight, _, _ = self._checked(frame, name)
        return PlattStart.of(y, p, weight) if place is None else PlattSums.of(y, p, weight, *place)

    def sums(self, frame, name="chunk", *, scores=None):
        """`EvaluationSums` of a frame that did not choose the regions; rows of weight 0, not sampled, are left out."""
        y, p, weight, groups, frame = self._checked(frame, name)
        table = check_kinds(frame, self.kinds, name)
        c = p if self.calibrator is None or not p.size else self.calibrator.predict(p)
        scores = {"brier": BRIER.score, "log score": LOG.score} | (scores or {})
        losses = {name: score(y, p) if p.size else p for name, score in scores.items()}
        if self.calibrator is not None:
            losses |= {"brier calibrated": (c - y) ** 2, "calibration loss": (p - c) ** 2}
        region = self.tree.apply(with_score_column(table, p)) if p.size else np.zeros(0, np.int64)
        options = {"sample_weight": weight, "groups": groups}
        return EvaluationSums(
            RegionSums.of(y - c, region, self.tree.n_regions_, **options),
            ReliabilitySums.of(y, p, self.edges, **options),
            ScoreSums.of(losses, **options),
        )

    def _checked(self, frame, name):
        weight = None
        if self.weight is not None:
            weight = _numbers(frame, self.weight, name, *WEIGHTS)
            if not weight.all():
                frame = frame[weight > 0]
                weight = weight[weight > 0]
        y = _numbers(frame, self.label, name, *LABELS)
        p = _numbers(frame, self.score, name, *PROBABILITIES)
        groups = None
        if self.group is not None and self.group in frame.columns:
            groups = frame[self.group]
            if groups.isna().any():
                _reject(frame, self.group, name, "name the group of every row", groups.isna().to_numpy())
        return y, p, weight, groups, frame


def fit_partition(
    sample,
    *,
    label="label",
    score="score",
    features=None,
    weight=None,
    group=None,
    calibrator="platt",
    min_samples_leaf=15,
    max_depth=None,
    n_bins=15,
    rng=None,
):
    """Regions whose residuals agree in a sample, and a calibrator of its scores, to be judged on other rows.

    Parameters
    ----------
    sample : DataFrame
        A row a case; it must not be evaluated afterwards (see `split_chunks`).
    label, score : str
        Columns with labels 0/1 and stated probabilities of 1.
    features : list of str, optional
        Columns that may shape regions, beside the score; None for all that have no other role.
    weight, group : str, optional
        Columns with sampling weights and with people, hospitals, ….
    calibrator : {"platt", "isotonic", "none"}, default "platt"
        See `helpers.grouping.grouping_loss`.
    min_samples_leaf, max_depth : int
        Of the tree; 15 and no limit by default.
    n_bins : int, default 15
        Bins of equal width of the reliability curve.
    rng : int, Generator, optional
        Decides ties of the tree.

    Returns
    -------
    SampledPartition
        For `evaluate_in_chunks`.

    Raises
    ------
    ValueError
        For columns that are absent, and for labels, scores, weights or features that break a rule.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> sample = pd.DataFrame({"age": rng.random(600), "score": rng.random(600), "label": rng.random(600) < 0.5})
    >>> print(fit_partition(sample, max_depth=2, rng=0))
    4 regions from a sample of 600 rows, 1 features
    """
    if not isinstance(sample, pd.DataFrame):
        raise ValueError(f"sample must be a DataFrame (`split_chunks` gives one), but it is {type(sample).__name__}.")
    unfitted = make_calibrator(calibrator)
    roles = {"label": label, "score": score, "weight": weight, "group": group}
    names = [name for name in roles.values() if name is not None]
    features = [name for name in sample.columns if name not in names] if features is None else list(features)
    for name in [*names, *features]:
        check_column(name, sample.columns, "sample")
    if len(set(names)) < len(names) or set(names) & set(features):
        raise ValueError(f"label, score, weight, group and features must be different columns, but they are {names}.")
    y = check_labels(sample[label], label, both=True)
    p = check_probabilities(sample[score], score)
    w = None if weight is None else check_weights(sample[weight], weight)
    if w is not None and not w.all():  # rows that were not sampled
        sample, y, p, w = (column[w > 0] for column in (sample, y, p, w))
        check_labels(y, label, both=True)
    kinds = {name: kind_of_column(sample[name]) for name in features}
    fitted = None if calibrator == "none" else unfitted.fit(p, y, w)
    residual = y - (p if fitted is None else fitted.predict(p))
    tree = HonestTree(min_samples_leaf=min_samples_leaf, max_depth=max_depth, rng=rng)
    tree.fit(with_score_column(sample[features], p), residual, w, None if group is None else sample[group])
    return SampledPartition(tree, fitted, label, score, weight, group, kinds, uniform_edges(n_bins), len(sample))


def _numbers(frame, column, name, rule, good):
    """Float array of a column; ValueError that names the chunk and the first row where it is not `good`."""
    check_column(column, frame.columns, name)
    values = pd.to_numeric(frame[column], errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    bad = ~good(values)
    if bad.any():
        _reject(frame, column, name, rule, bad)
    return values


def _reject(frame, column, name, rule, bad):
    """Raise the error for the first True of `bad`; rows have the numbers of the index."""
    raise_first_row(name, column, rule, frame[column], bad, lambda k: f"row {frame.index[k]}")


def kind_of_column(values):
    """What a column holds, so that chunks can be compared: None where every value is missing."""
    dtype = values.dtype
    if isinstance(dtype, pd.CategoricalDtype) and dtype.ordered:
        return "ordered categories"
    if not values.notna().any():
        return None
    if pd.api.types.is_bool_dtype(dtype):
        return "booleans"
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return "dates"
    if pd.api.types.is_timedelta64_dtype(dtype):
        return "durations"
    values = values.infer_objects()
    return "text" if as_numbers(values) is None else "booleans" if values.dtype == bool else "numbers"


def check_kinds(frame, kinds, name):
    """`frame` with the columns `kinds` in their order; ValueError naming chunk and column where the kinds differ."""
    # a column of a chunk in which every value is missing fits any kind; None in `kinds`: nothing is known
    for column, wanted in kinds.items():
        check_column(column, frame.columns, name)
        found = kind_of_column(frame[column]) if len(frame) else None
        if found is not None and wanted is not None and found != wanted:
            raise ValueError(
                f"{name} must hold in each column what the sample holds, but column {column!r} holds {found} "
                f"({frame[column].dtype}) and not {wanted}."
            )
    blank = {
        column: pd.Series(index=frame.index, dtype=MISSING_TYPES[wanted])
        for column, wanted in kinds.items()
        if wanted in MISSING_TYPES and len(frame) and not frame[column].notna().any()
    }
    return frame[list(kinds)].assign(**blank)
