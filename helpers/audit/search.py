"""A joint search for misjudged subgroups: all segments of one and two columns, judged by one maximum."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers._result import Result
from helpers.audit.classes import audit_class_groups
from helpers.audit.gaps import SegmentGaps
from helpers.audit.intervals import gap_intervals
from helpers.audit.joint import ALPHA, bonus_of_singles, joint_test
from helpers.audit.null import drawn_gaps
from helpers.audit.options import checked_options
from helpers.audit.power import Chances, chances_of
from helpers.audit.recalibration import recalibrated
from helpers.audit.segments import SegmentFamily, canonical_order, family_of
from helpers.audit.selection import select_segments
from helpers.checks import check_rng
from helpers.partition.checked import check_rows, check_table
from helpers.partition.class_rows import has_classes

CLOSE = 3.0  # standard errors of a p-value by which it may differ between draws


@dataclass(frozen=True)
class SegmentSearch(Result):
    """Result of a search over all segments.

    Parameters
    ----------
    table : DataFrame
        One row a segment, the strongest first: rule (words), columns (their number), n (rows), share (of the
        weight), stated (mean p), calibrated (mean score after recalibration), observed (rate of y), gap = observed -
        calibrated, low, high (intervals of the gaps that all hold together with 95 %), z (standardised gap),
        adjusted (p-value, adjusted by the maximum over all segments, step-down).
    selected : DataFrame
        The rows of `table` to act on: of overlapping significant segments the simplest and strongest, and only those
        that the ones selected before do not explain, with gaps that keep their sign once those are set right.
    p_value : float
        Of the whole table: how often scores that need no more than recalibration show a gap as strong as the strongest.
    critical : float
        Standardised gap from which a segment of two columns is significant (5 % for the whole search).
    smallest : float
        Smallest share of the rows that a segment holds.
    notes : tuple of str
        What was left out and why.
    family : SegmentFamily
        The segments, for `apply`.
    chances : Chances
        What the gap of a segment of some size needs to be found; for `detectable`.
    n_draws : int
        Tables that were drawn: `p_value`, `adjusted` and `critical` rest on them, all else on the table alone.

    Examples
    --------
    See `search_segments`.
    """

    table: pd.DataFrame
    selected: pd.DataFrame
    p_value: float
    critical: float
    smallest: float
    notes: tuple = ()
    family: SegmentFamily = field(repr=False, default=None)
    chances: Chances = field(repr=False, default=None)
    n_draws: int = 300

    @property
    def significant(self):
        """Rows of `table` that are significant (5 % for the whole search), however much they overlap."""
        return self.table[self.table["adjusted"] < ALPHA]

    @property
    def p_value_se(self):
        """One standard error by which `p_value` differs between draws."""
        return float(np.sqrt(self.p_value * (1 - self.p_value) / self.n_draws))

    def is_close(self, p_value):
        """Whether p-values are so near 5 % that other draws might put them on the other side.

        Parameters
        ----------
        p_value : float or array of float
            `p_value`, or some of `adjusted`.

        Returns
        -------
        bool or array of bool
            Whether each is within three standard errors between draws.
        """
        return np.abs(p_value - ALPHA) < CLOSE * np.sqrt(ALPHA * (1 - ALPHA) / self.n_draws)

    def detectable(self, share):
        """Gap that is found with a probability of 80 % in a segment of two columns.

        The gap is between what happens in the segment and its scores, when those of all others are right. Recalibration
        spreads share * gap over everybody, so that the table shows about (1 - share) * gap.

        Parameters
        ----------
        share : float
            Share of the rows that the segment holds, in (0, 1).

        Returns
        -------
        float
            More events than stated, as a difference of rates, at the mean score; 1 - mean score if none is enough.
        """
        if not 0 < share < 1:
            raise ValueError(f"share must lie between 0 and 1, but it is {share!r}.")
        return self.chances.detectable(share, self.critical)

    def apply(self, X):
        """Which rows lie in the selected segments.

        Parameters
        ----------
        X : DataFrame, shape (m, d)
            The same rows or new ones, with the columns of the search.

        Returns
        -------
        array of bool, shape (m, selected)
            One column a row of `selected`. A category that the search has not seen lies in no segment of its column.
        """
        return self.family.members(self.selected.index, check_table(X))

    def __str__(self):
        head = f"{len(self.table):,} segments looked at, {len(self.selected)} selected"
        lines = [
            f"{row.rule}: {100 * row.gap:+.1f} ({100 * row.low:+.1f} to {100 * row.high:+.1f}) points"
            for row in self.selected.itertuples()
        ]
        ends = [share for share in (self.smallest, 0.1) if share >= self.smallest]
        missed = ", ".join(
            f"{100 * self.detectable(share):.1f} points in {100 * share:.1f} % of the rows" for share in ends
        )
        return "\n".join([f"{head} (p = {self.p_value:.3f})", *lines, f"would have been found: {missed}", *self.notes])


def audit_groups(y, p, X, *, sample_weight=None, groups=None, rng=None, **options):
    """Who is misjudged: the few subgroups to act on, in words, from a joint search with one test for all.

    Plain, of given subgroups: `helpers.papers.melo2026.section_4_2_joint_test`.

    Parameters
    ----------
    y : array of {0, 1}, shape (n,)
        Labels.
    p : array of float, shape (n,) or (n, K)
        Stated probabilities of class 1; or of each of K classes, in columns named by class, as in `grouping_loss`.
    X : DataFrame, shape (n, d)
        Features in the user's words.
    sample_weight, groups : array_like, shape (n,), optional
        Sampling weights; labels of people, hospitals, … whose rows depend on each other.
    rng : int, Generator or None, default None
        Source of the draws.
    **options : dict
        Further options of `search_segments`; of K classes also `ordered` (bool), as in `grouping_loss`.

    Returns
    -------
    DataFrame
        `SegmentSearch.selected`: one row a subgroup, with rule, n, gap, low, high, adjusted (p-value) and more.
        `search_segments` also gives what could not have been found, and which columns were left out.

        Of K classes: which of them is too high in the subgroup once recalibrated (too_high) and at whose expense
        (too_low); the rates, gap and interval are those of the one whose gap is significant (class), other_gap,
        other_stated and other_observed those of the other; needs are the columns of the rule.
        The p-value is adjusted over all classes and segments. Of classes in order, "up to b" and "above b" stand for
        them.

    Examples
    --------
    >>> X = pd.DataFrame({"age": np.tile(np.arange(20, 60), 50)})
    >>> y = np.random.default_rng(0).random(2000) < np.where(X["age"] < 40, 0.3, 0.7)
    >>> audit_groups(y, np.full(2000, 0.5), X, rng=0)["rule"].tolist()
    ['age <= 39']
    """
    if has_classes(p):
        return audit_class_groups(y, p, X, sample_weight=sample_weight, groups=groups, rng=rng, **options)
    rows = check_rows(y, p, X, sample_weight, groups)
    return search_rows(rows, rng=rng, only_selected=True, **checked_options(**options))


def search_segments(
    y,
    p,
    X,
    *,
    calibrator="platt",
    max_features=2,
    min_rows=None,
    n_draws=300,
    sample_weight=None,
    groups=None,
    rng=None,
):
    """Search all segments of one and two columns for gaps that recalibration leaves; one test for all, on all rows.

    Segments are levels of categories, half-lines and ranges between quantiles of numbers, and missing values, alone
    and in pairs of columns; they overlap. The standardised gap of each (a score test: variance of recalibrated scores,
    less what the fit of the calibrator takes away, corrected for skewness) is compared with the largest of all
    segments in tables whose labels are drawn from the recalibrated scores, with the calibrator fitted anew. So small
    counts and overlaps are accounted for, and no row is spent on choosing.

    Parameters
    ----------
    y, p : array_like, shape (n,)
        Labels 0/1; stated probabilities of class 1.
    X : DataFrame, shape (n, d)
        Features in the user's words.
    calibrator : {"platt", "isotonic", "none"}, default "platt"
        What the scores may need and not count as misjudging; "none" judges them as stated.
    max_features : {1, 2}, default 2
        Columns that a segment may use; 1 in tables of more than 60 columns, with a note.
    min_rows : int, optional
        Rows that a segment needs, at least 5; by default 20, or half a percent of the rows if that is more.
    n_draws : int, default 300
        Tables drawn.
    sample_weight : array of float, shape (n,), optional
        Sampling weights; rows of weight 0 are left out.
    groups : array, shape (n,), optional
        Labels of people, hospitals, … whose rows depend on each other. Then the residuals of a whole group keep or
        change their sign together in each draw, which keeps any dependence inside of it.
    rng : int, Generator or None, default None
        Source of the draws. With one seed, the order of rows and columns does not matter, nor do columns without
        segments. Another seed moves p-values, the critical value and the intervals, and which of the weakest segments
        is selected, but no standardised gap.

    Returns
    -------
    SegmentSearch
        The segments, those to act on, and what could not have been found.

    Raises
    ------
    ValueError
        For input that breaks a rule, or if no column has a segment of `min_rows` rows.

    References
    ----------
    Westfall and Young (1993), Resampling-based multiple testing, for the step-down maximum. Wilson and Hilferty (1931),
    The distribution of chi-square, for the correction for skewness. The choice of segments is ours.
    Plain, for given subgroups: `helpers.papers.melo2026.section_4_2_joint_test`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = pd.DataFrame({"age": rng.integers(20, 60, 2000), "sex": rng.choice(["female", "male"], 2000)})
    >>> risk = np.where((X["age"] >= 50) & (X["sex"] == "female"), 0.6, 0.3)
    >>> search_segments(rng.random(2000) < risk, np.full(2000, 0.35), X, rng=0).selected["rule"].tolist()
    ['age > 48 and sex is female']
    """
    rows = check_rows(y, p, X, sample_weight, groups)
    return search_rows(rows, rng=rng, **checked_options(calibrator, max_features, min_rows, n_draws))


def search_rows(rows, *, calibrator="platt", max_features=2, min_rows=None, n_draws=300, rng=None, only_selected=False):
    """`search_segments` of `helpers.partition.checked.Rows` and options that were checked."""
    family = family_of(rows.X, rows.y, min_rows, max_features)
    weight = rows.weights
    order = canonical_order(family, rows.groups, rows.y, weight, rows.p)
    family = family.take(order)
    y, p, weight = rows.y[order], rows.p[order], weight[order]
    weight = weight / weight.mean()
    groups = None if rows.groups is None else pd.factorize(rows.groups[order])[0]
    rng = check_rng(rng)
    c, directions = recalibrated(y, p, weight, calibrator)
    gaps = SegmentGaps(y, p, c, directions, weight, groups, family)
    bonus = bonus_of_singles(family.pairs)
    test = joint_test(gaps.z, bonus, drawn_gaps(gaps, n_draws, rng))
    selected = select_segments(gaps, np.flatnonzero(test.adjusted < ALPHA), test.critical, bonus)
    if only_selected:  # the other rows of the table take a fourth of the time
        return _table(gaps, test, bonus, np.array(selected, int))
    table = _table(gaps, test, bonus, np.arange(gaps.z.size))
    strongest_first = np.lexsort((np.abs(gaps.gap), test.strength))[::-1]
    return SegmentSearch(
        table=table.iloc[strongest_first],
        selected=table.iloc[selected],
        p_value=test.p_value,
        critical=test.critical,
        smallest=float(table["n"].min() / y.size),
        notes=tuple(family.notes),
        family=family,
        chances=chances_of(gaps),
        n_draws=n_draws,
    )


def _table(gaps, test, bonus, segments):
    """The table of some segments."""
    family = gaps.family
    low, high = gap_intervals(gaps, (test.critical - bonus)[segments], segments)
    columns = {"rule": pd.Series(family.rules(segments), dtype=str), "columns": np.where(family.pairs[segments], 2, 1)}
    rates = ("n", "share", "stated", "calibrated", "observed", "gap")
    columns |= {name: getattr(gaps, name)[segments] for name in rates}
    columns |= {"low": low, "high": high, "z": gaps.z[segments], "adjusted": test.adjusted[segments]}
    return pd.DataFrame(columns).set_index(segments)
