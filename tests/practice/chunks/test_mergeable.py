"""Sums that can be added: any split, any order, any association says what all rows at once say."""

from dataclasses import fields
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refuses

from helpers.binning import uniform_edges
from helpers.calibration import PlattCalibrator, reliability_curve
from helpers.grouping.region_statistics import region_statistics
from helpers.practice.chunks import EvaluationSums, ReliabilitySums
from helpers.practice.chunks.cells import group_labels
from helpers.practice.chunks.platt import PlattStart, PlattSums
from helpers.practice.chunks.sums import RegionSums, ScoreSums
from helpers.scoring import LOG

EDGES = uniform_edges(5)
KINDS = [(False, False), (True, False), (False, True), (True, True)]  # weights, groups
each_kind = pytest.mark.parametrize(("weighted", "grouped"), KINDS, ids=["plain", "weights", "groups", "both"])


def rows(n, rng, *, weighted, grouped, names="numbers"):
    """y, p, region and the options of n rows; groups meet several regions."""
    rng = np.random.default_rng(rng)
    q = rng.random(n).round(1)
    options = {}
    if weighted:
        options["sample_weight"] = rng.choice([0.0, 0.5, 1.0, 3.0, 5.0], n) * 80
    if grouped:
        codes = rng.integers(0, max(n // 3, 2), n)
        options["groups"] = codes if names == "numbers" else np.array([f"person {code}" for code in codes])
    return (rng.random(n) < q).astype(float), q, rng.integers(0, 4, n), options


def take(options, part):
    return {name: column[part] for name, column in options.items()}


def all_sums(y, p, region, options):
    """One of each kind for these rows."""
    return EvaluationSums(
        RegionSums.of(y - p, region, 4, **options),
        ReliabilitySums.of(y, p, EDGES, **options),
        ScoreSums.of({"brier": (y - p) ** 2, "cost": 3 * y + p}, **options),
    )


def merge_somehow(sums, rng):
    """Neighbours added in a random association."""
    sums = list(sums)
    while len(sums) > 1:
        k = rng.integers(len(sums) - 1)
        sums[k : k + 2] = [sums[k] + sums[k + 1]]
    return sums[0]


def same(got, want, scale=1.0):
    np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12 * scale)


def test_four_rows_in_two_parts():
    r = np.array([0.5, -0.5])
    first = RegionSums.of(r, [0, 1], 2)
    total = first + RegionSums.of(r, [0, 1], 2)
    powers = [[1, -1], [0.5, 0.5], [0.25, -0.25], [0.125, 0.125]]
    labels = [[0.5, 0.5], [0.125, 0.125], [1 / 32, 1 / 32], [0, 0], [0, 0]]  # of variance 1/4, not skewed
    assert total.count.tolist() == [2, 2] and total.moments.tolist() == powers + labels
    assert total.grouping_loss().value == 0.25 and first.count.tolist() == [1, 1]
    halves = [ReliabilitySums.of(y, [0.1, 0.9], [0, 0.5, 1]) for y in ([0, 1], [1, 1])]
    curve = sum(halves).curve()
    assert curve.observed.tolist() == [0.5, 1] and curve.count.tolist() == [2, 2]


def test_a_group_in_two_parts_has_no_pair_with_itself():
    half = np.full(2, 0.5)
    region = np.zeros(2, int)
    parts = [RegionSums.of(half[:n], region[:n], 1, groups=["ann", "ben"][:n]) for n in (2, 1)]
    total = sum(parts)
    assert total.cells.labels.tolist() == ["ann", "ben"]
    assert total.cells.sums[:2].tolist() == [[2, 1], [1, 0.5]] and total.cells.sums[2].tolist() == [0.5, 0.25]
    assert total.statistics().value == pytest.approx(0.25) == (1.5**2 - 1 - 0.25) / (9 - 4 - 1)
    with pytest.raises(ValueError, match="groups must hold .* 'ann'"):
        parts[1].grouping_loss()


def test_scores_have_the_mean_and_the_standard_error_of_their_rows():
    s = np.array([0.0, 1.0, 0.25, 0.5])
    w = np.array([1.0, 2.0, 1.0, 4.0])
    total = ScoreSums.of({"s": s[:1]}, sample_weight=w[:1]) + ScoreSums.of({"s": s[1:]}, sample_weight=w[1:])
    mean = np.average(s, weights=w)
    assert total.mean["s"] == pytest.approx(mean) and total.count == 4
    assert total.se["s"] == pytest.approx(np.sqrt((w**2 * (s - mean) ** 2).sum()) / 8)
    assert str(total) == f"s {mean:.4f} [{mean - 1.96 * total.se['s']:.4f}, {mean + 1.96 * total.se['s']:.4f}], n = 4"


def test_scores_of_people_with_several_rows_vary_as_people_do():
    s = np.array([0.0, 1.0, 0.25, 0.5, 0.75, 1.0])
    person = np.array([0, 1, 2, 3, 4, 0])
    total = sum(ScoreSums.of({"s": s[k::2]}, groups=person[k::2]) for k in range(2))
    excess = np.bincount(person, s - s.mean())
    assert total.mean["s"] == pytest.approx(s.mean())
    assert total.se["s"] == pytest.approx(np.sqrt((excess**2).sum()) / 6)


def test_an_infinite_score_stays_infinite():
    certain = ScoreSums.of({"log": LOG.score([0, 1], [1.0, 0.5])}) + ScoreSums.of({"log": LOG.score([1], [0.5])})
    assert certain.mean["log"] == np.inf and np.isnan(certain.se["log"])
    unseen = ScoreSums.of({"log": [np.inf, 1.0]}, sample_weight=np.array([0, 1]))
    assert unseen.mean["log"] == 1.0 and unseen.count == 1


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    st.integers(24, 60),
    st.sampled_from(KINDS),
    st.integers(1, 6),
    st.integers(0, 10**6),
    st.sampled_from(["numbers", "text"]),
)
def test_any_split_order_and_association_says_the_same(n, kind, n_parts, seed, names):
    rng = np.random.default_rng(seed)
    y, p, region, options = rows(n, seed, weighted=kind[0], grouped=kind[1], names=names)
    part_of = rng.integers(0, n_parts, n)
    order = rng.permutation(n)
    parts = [order[part_of[order] == k] for k in range(n_parts)]  # some may be empty
    total = merge_somehow([all_sums(y[i], p[i], region[i], take(options, i)) for i in parts], rng)
    if kind[0] and not options["sample_weight"].any():
        return
    once = all_sums(y, p, region, options)
    codes = np.unique(options["groups"], return_inverse=True)[1] if kind[1] else None
    want = region_statistics(y - p, region, options.get("sample_weight"), codes)
    for sums in (total, once):
        got = sums.regions.statistics()
        for name in (field.name for field in fields(want)):
            value = getattr(got, name)
            right = getattr(want, name)
            same(value if np.ndim(value) == 0 else value[: len(right)], right)
        curve = reliability_curve(y, p, n_bins=5, **options)
        for name in ("count", "stated", "observed", "effective", "low", "high", "weight"):
            same(getattr(sums.reliability.curve(), name), getattr(curve, name), scale=n)
    for name in ("mean", "se"):
        same(list(getattr(total.scores, name).values()), list(getattr(once.scores, name).values()))
    same(total.scores.mean["brier"], np.average((y - p) ** 2, weights=options.get("sample_weight")))


@each_kind
def test_no_rows_are_neutral_on_both_sides(weighted, grouped):
    y, p, region, options = rows(30, 0, weighted=weighted, grouped=grouped)
    total = all_sums(y, p, region, options)
    nothing = all_sums(y[:0], p[:0], region[:0].astype(int), take(options, slice(0, 0)))
    for sums in (total + nothing, nothing + total, sum([total]), 0 + total, nothing + nothing + total):
        assert np.array_equal(sums.regions.moments, total.regions.moments)
        assert str(sums.scores) == str(total.scores) and sums.n == 30
        assert str(sums.grouping_loss()) == str(total.grouping_loss()) == str(sums)
    assert str(nothing) == "no rows"
    for call in (nothing.grouping_loss, nothing.calibration_error, lambda: nothing.scores.mean):
        with pytest.raises(ValueError, match="must (leave|hold)"):
            call()


def test_groups_are_numbers_or_text_of_any_type():
    codes = np.array([3, 1, 3, 2])
    for groups in (codes, pd.Series(codes, dtype="Int64"), pd.Series([Decimal(int(code)) for code in codes])):
        assert group_labels(groups).tolist() == [3, 1, 3, 2]
    for groups in (list("abac"), pd.Series(list("abac")), pd.Categorical(list("abac"))):
        assert group_labels(groups).tolist() == list("abac")
    for groups in (pd.to_datetime(["2024-01-01"]), ["a", 1], [1, None]):
        with pytest.raises(ValueError, match="^groups"):
            group_labels(groups)


def test_newton_steps_on_sums_reach_the_calibrator_of_all_rows():
    rng = np.random.default_rng(0)
    p = rng.random(4000)
    y = (rng.random(4000) < p**2).astype(float)
    w = rng.uniform(0.5, 2, 4000)
    ends = np.where(rng.random(4000) < 0.2, rng.random(4000) < p, p)  # a fifth are 0 or 1
    decisions = (p > 0.4) * 1.0
    cases = [(y, p, None), (y, p, w), (p > 0.3, p, None), (y, ends, None), (y, ends, w), (y, ends.round(1), w)]
    for labels, p, weight in [*cases, (y, decisions, None)]:
        whole = PlattCalibrator().fit(p, labels, weight)
        parts = [[labels[i::3], p[i::3], None if weight is None else weight[i::3]] for i in range(3)]

        def evaluate(*place):
            return sum(PlattSums.of(*part, *place) for part in parts)  # noqa: B023

        line, levels = sum(PlattStart.of(*part) for part in parts).fit(evaluate)
        assert whole.separated_ == (labels.dtype == bool)
        same(line, [whole.intercept_, whole.slope_])
        assert levels == pytest.approx(whole.certain_scores_, nan_ok=True)


PLAIN = RegionSums.of(np.array([0.5, -0.5]), [0, 1], 2)


def region_sums(residual, n_regions, **options):
    return RegionSums.of(np.array(residual), np.zeros(len(residual), int), n_regions, **options)


test_bad_input_is_named = refuses(
    (lambda: region_sums([0.5], 1).grouping_loss(), "two independent rows"),
    (lambda: region_sums([0.5, 0], 1, sample_weight=np.zeros(2)).grouping_loss(), "two independent rows"),
    (lambda: PLAIN + region_sums([0.5], 3), "their count differ"),
    (lambda: PLAIN + region_sums([0.5], 2, sample_weight=np.ones(1)), "their moments differ"),
    (lambda: PLAIN + region_sums([0.5], 2, groups=[1]), "their moments differ"),
    (lambda: ReliabilitySums.of([1], [0.5], EDGES, sample_weight=[-1]), r"^sample_weight .*sample_weight\[0\]"),
    (lambda: ReliabilitySums.of([1, 1], [0.5, 0.5], EDGES, groups=["a", 1]), r"^groups .*groups\[1\]"),
    (lambda: ReliabilitySums.of([1], [0.5], [0.2, 1]), "^edges"),
    (lambda: ReliabilitySums.of([1], [0.5], EDGES) + ReliabilitySums.of([1], [0.5], EDGES**2), "their edges agree"),
    (lambda: ScoreSums.of({"a": [1.0]}) + ScoreSums.of({"b": [1.0]}), "their names agree"),
    (lambda: ScoreSums.of({"a": ["x"]}), "^a "),
)
