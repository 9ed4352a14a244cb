"""What is concluded from numbers: consistent whatever the numbers are, and each kind from numbers that call for it."""

from itertools import chain, combinations
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from helpers.reports import score_findings as conclude
from helpers.reports.findings import Finding, Severity, as_json, steps_of, table_of
from helpers.reports.score_page import FIGURES, KINDS, PARTS
from helpers.tables import ScoreTable


def interval(rng, size=0.1):
    """A number near zero or not, with ends around it."""
    value = rng.normal(0, size)
    reach = abs(rng.normal(0, size))
    return value, value - reach, value + reach


def an_average(rng):
    observed = rng.choice([0.004, 0.3, 0.97])
    gap, low, high = interval(rng)
    is_off = bool(rng.random() < 0.7)
    size = abs(rng.normal(0, 0.05))
    kind = rng.choice(["platt", "isotonic"])
    slope, slope_low, slope_high = (1 + x for x in interval(rng, 0.8))
    return SimpleNamespace(
        rates={"stated": observed + gap / 9, "observed": observed, "gap": gap, "low": low, "high": high},
        size=size,
        low=size / 2,
        high=2 * size,
        se=size / 3 + 1e-6,
        p_value=0.01 if is_off else 0.3,
        is_miscalibrated=is_off,
        is_worth_mending=is_off and size > 0.01,
        scale=max(min(observed, 1 - observed, 0.1) * 10, 1e-3),
        direction="" if not is_off or low <= 0 <= high else "low" if low > 0 else "high",
        has_log_odds=kind == "platt",
        calibrator=SimpleNamespace(intercept_=0.2, slope_=slope),
        slope=slope if kind == "platt" and is_off and not slope_low <= 1 <= slope_high else None,
        line=SimpleNamespace(slope_interval=(slope_low, slope_high), p_value=0.001),
        is_bent=kind == "isotonic",
        bend_p_value=0.001,
        no_curve_fits=bool(rng.random() < 0.2),
        residual_p_value=0.001,
    )


def some_groups(rng):
    """What a search may say: none, or up to fifteen groups with any gaps as stated and after recalibration."""
    rows = []
    for k in range(int(rng.integers(0, 16) * (rng.random() < 0.7))):
        gap, low, high = interval(rng)
        shift = rng.choice([0, rng.normal(0, 0.1)])
        low, high = (max(low, 0), high) if gap > 0 else (low, min(high, 0))
        ends = {"gap": gap + shift, "low": low + shift, "high": high + shift}
        rates = {"stated": 0.4, "observed": 0.4 + gap + shift, "calibrated": 0.4 + shift, "share": rng.random()}
        after = {"residual_gap": gap, "residual_low": low, "residual_high": high, "adjusted": 0.01}
        rows.append({"rule": f"a is {k}", "n": 30 + k, **rates, **ends, **after})
    significant = pd.DataFrame(rows, columns=None if rows else ["rule", "gap", "low", "high", "residual_gap"])
    odd = significant.iloc[: int(rng.integers(0, 2))]
    search = SimpleNamespace(table=range(400), smallest=0.02, p_value=rng.random(), family=SimpleNamespace(warnings=[]))
    if rng.random() < 0.2:
        search.family.warnings = ["the column b was pooled"]
    return SimpleNamespace(
        significant=significant,
        suspicious=odd,
        search=search,
        detectable={} if rng.random() < 0.3 else {0.1: 0.05, 0.02: 0.1},
        share=lambda groups: float(min(len(groups) / 10, 1)),
        hottest=lambda factor: None if significant.empty or factor != conclude.HOTTER else significant.iloc[-1],
        to_add=["a"] if len(significant) > len(odd) else [],
        to_check=["b"] if len(odd) else [],
    )


def a_pair(rng):
    names = ["squared error", "squared error if both are recalibrated"]
    ends = pd.DataFrame([interval(rng) for _ in names], index=names, columns=["difference", "low", "high"])
    row = ends.iloc[0]
    n = int(rng.integers(0, 12))
    groups = pd.DataFrame([interval(rng) for _ in range(n)], columns=["gain", "low", "high"])
    groups = groups.assign(rule=[f"b is {k}" for k in range(n)], n=50)
    verdict = "better" if row["high"] < 0 else "worse" if row["low"] > 0 else "unclear"
    sides = {"losers": groups[groups["high"] < 0], "gainers": groups[groups["low"] > 0]}
    return SimpleNamespace(old="old", new="new", table=ends, verdict=verdict, n_groups=n, **sides)


NAMES = ("cost", "saved", "over_rule", "more_misses", "more_false_alarms")


def some_money(rng):
    policies = ["stated", "recalibrated", "repaired", "always yes", "always no"]
    columns = [f"{name}{end}" for name in NAMES for end in ("", "_low", "_high")]
    costs = pd.DataFrame([np.concatenate([interval(rng) for _ in NAMES]) for _ in policies], policies, columns)
    return SimpleNamespace(
        costs=costs.assign(yes=0.3), threshold=0.3, n=900, changed=bool(rng.random() < 0.7),
        saves=lambda policy: costs.loc[policy, "saved_low"] > 0,
    )  # fmt: skip


def any_report(rng):
    """The numbers of a report as they might come out, whether they fit together or not."""
    n = int(rng.choice([200, 1000]))
    obstacle = rng.choice(["", "", "", "The table has 90 cases.", "The cases come from only 8 people or places."])
    p = np.full(n, 0.4) if rng.random() < 0.1 else rng.random(n).round(int(rng.integers(0, 3)))
    dropped = {"c": "gives the outcome away", "d": "constant"} if rng.random() < 0.3 else {}
    more = {"weight": np.ones(n), "groups": np.arange(n) // 2} if rng.random() < 0.3 else {}
    more |= (
        {"before": p, "before_name": "old", "note": "labels of 3 rows were texts", "sha256": "ab" * 32, "left_out": 3}
        if rng.random() < 0.3
        else {}
    )
    y = (rng.random(n) < [p, 1 - p, np.full(n, 0.3)][rng.integers(3)]) * 1.0
    table = ScoreTable("t.csv", "y", "p", y, p, pd.DataFrame({"a": p}), dropped=dropped, **more)
    area, low, high = (0.5 + x for x in interval(rng, 0.2))
    by_tree = bool(rng.random() < 0.3)
    value, low_end, high_end = (0.01 + x for x in interval(rng, 0.01))
    loss = SimpleNamespace(value=value, low=low_end, high=high_end, se=0.002, p_value=rng.random() ** 4, left_out=0.1)
    loss.splits = np.array([0.001, 0.02]) if rng.random() < 0.5 else np.array([])
    drifts = []
    if rng.random() < 0.2:
        periods = pd.DataFrame({"period": ["1 to 2", "3 to 4"], "n": 500, "stated": 0.3, "observed": 0.2})
        periods = periods.assign(gap=rng.normal(size=2), low=-0.1, high=0.1)
        value, least, most = (abs(x) for x in interval(rng, 0.2))
        drifts = [
            SimpleNamespace(column="day", table=periods, p_value=rng.random() / 9, value=value, low=least, high=most)
        ]
    lead = SimpleNamespace(
        rule="a > 3", gap=0.1, low=0.02, high=0.2, p_value=0.01, n=40, observed=0.4, calibrated=0.3,
        is_confirmed=bool(rng.random() < 0.5),
    )  # fmt: skip
    audit = None if obstacle else some_groups(rng)
    money = some_money(rng) if rng.random() < 0.3 else None
    decisions = {"yes": 0.4, "recalibrated": 0.1, "to_yes": 0.02, "to_no": 0.0}
    certified = bool(not obstacle and rng.random() < 0.6 and loss.p_value < 0.05)
    return SimpleNamespace(
        table=table,
        average=an_average(rng),
        order=None if rng.random() < 0.1 else {"area": area, "area_low": low, "area_high": high},
        loss_parts=dict(zip(("saved", "saved_low", "saved_high"), interval(rng, 0.01), strict=True)),
        drifts=drifts,
        loss=None if obstacle else loss,
        certified=certified,
        single_case_p_value=loss.p_value,
        by_tree=by_tree,
        detectable=0.001,
        obstacle=obstacle,
        audit=audit,
        lead=lead if audit is not None and audit.significant.empty and certified else None,
        checked=pd.DataFrame({"remark": ["too low", "", "too few to say"]}) if rng.random() < 0.2 else None,
        pair=a_pair(rng) if rng.random() < 0.4 else None,
        money=money,
        decisions=decisions,
        cost=np.array([[0, 1.0], [2.0, 0]]),
        scores=SimpleNamespace(model=SimpleNamespace(p_value_=0.2)),
        repeats=rng.choice([0, 0.4]),
        likely_groups=["id"] if rng.random() < 0.3 else [],
    )


@pytest.fixture(scope="module")
def conclusions():
    return [conclude.find_all(any_report(np.random.default_rng(seed))) for seed in range(600)]


def test_whatever_the_numbers_are_nothing_is_said_with_what_it_excludes(conclusions):
    for findings in conclusions:
        for one, other in combinations(findings, 2):
            if one.subject == other.subject:
                assert other.kind not in KINDS[one.kind].excludes and one.kind not in KINDS[other.kind].excludes


def test_one_finding_says_whether_the_scores_may_be_used_and_agrees_with_the_others(conclusions):
    for findings in conclusions:
        kinds = {finding.kind for finding in findings}
        (use,) = [finding for finding in findings if KINDS[finding.kind].part == "use"]
        graves = [finding.kind for finding in findings if finding.severity == Severity.GRAVE and finding is not use]
        assert (use.severity == Severity.GRAVE) == bool(graves) and (not graves or use.kind[3:] in graves)
        steps = steps_of(findings, KINDS).index
        mends = {"off_mendable", "off_mendable_curve"} & kinds
        assert bool(mends) == ("Recalibrate the scores." in steps)
        if use.kind == "as_they_are":
            assert not mends | (kinds & {"drifts", "groups_unknown", "constant", "rule_is_cheaper", "repair_saves"})
            groups = [
                one for one in findings if one.kind in conclude.OFF_AS_STATED and one.severity >= Severity.SERIOUS
            ]
            assert not [one for one in groups if one.kind != "hot_group"]
        if "mend" in use.kind or use.kind == "after_recalibration":
            assert mends


def test_a_sentence_on_a_group_has_the_sign_of_the_gap_as_stated(conclusions):
    groups = [one for findings in conclusions for one in findings if one.kind in ("too_low", "too_high", "spoiled")]
    assert len(groups) > 300
    for one in groups:
        if one.kind == "spoiled":
            assert one.low < 0 < one.high
        else:
            assert one.low >= 0 if one.kind == "too_low" else one.high <= 0


def test_every_kind_is_found_and_has_a_sentence(conclusions):
    some = [[one for one in chain(*conclusions) if one.kind == kind][:30] for kind in KINDS]
    said = table_of(list(chain(*some)), KINDS)
    assert set(said["kind"]) == set(KINDS)
    sentences = said["sentence"].drop_duplicates()
    for text in sentences:
        assert 15 < len(text) < 800 and "nan" not in text.split() and "None" not in text and "{" not in text, text
    for findings in conclusions[:40]:
        steps = steps_of(findings, KINDS)
        assert (steps.index.str.len() > 5).all() and (steps["How"].str.len() > 10).all()
        assert len(as_json(findings, KINDS)["findings"]) == len(findings)


def test_kinds_belong_to_parts_and_exclude_kinds():
    assert {kind.part for kind in KINDS.values()} <= {"use", *PARTS}
    for kind in KINDS.values():
        assert set(kind.excludes) <= set(KINDS)
    shown = {item for part in PARTS.values() for item in part.shows}
    assert {item.partition(":")[2] for item in shown if item.startswith("figure:")} == set(FIGURES)


ROW = {"rule": "a", "n": 99, "stated": 0.3, "observed": 0.3, "calibrated": 0.2, "share": 0.1, "adjusted": 0.01}


@pytest.mark.parametrize(
    ("gap", "low", "high", "residual", "mends", "kind", "severity"),
    [
        (0.10, 0.05, 0.15, 0.10, False, "too_low", Severity.SERIOUS),
        (0.01, 0.00, 0.02, 0.01, False, "too_low", Severity.NOTE),
        (-0.10, -0.15, -0.05, 0.03, False, "too_high", Severity.SERIOUS),
        (0.00, -0.02, 0.02, 0.10, True, "spoiled", Severity.SERIOUS),
        (0.00, -0.02, 0.02, 0.10, False, "fine_as_stated", Severity.NOTE),
        (0.08, -0.01, 0.17, 0.10, True, "leans_low", Severity.SERIOUS),
        (-0.08, -0.17, 0.01, -0.10, False, "leans_high", Severity.NOTE),
        (0.02, -0.03, 0.07, -0.10, True, "spoiled", Severity.SERIOUS),
    ],
)
def test_kinds_of_groups_by_hand(gap, low, high, residual, mends, kind, severity):
    ends = {f"residual_{name}": residual for name in ("gap", "low", "high")}
    finding = conclude.of_group(pd.Series(ROW | {"gap": gap, "low": low, "high": high} | ends), 1.0, mends=mends)
    assert (finding.kind, finding.severity, finding.value) == (kind, severity, gap)


@pytest.mark.parametrize(
    ("kinds", "use"),
    [
        ([], "as_they_are"),
        (["off_mendable"], "after_recalibration"),
        (["off_unsure"], "as_they_are"),
        ([("knows_nothing", Severity.GRAVE), "off_and_useless"], "no_knows_nothing"),
        ([("drifts", Severity.GRAVE)], "no_drifts"),
        ([("drifts", Severity.SERIOUS)], "not_over_time"),
        (["drifts"], "as_they_are"),
        (["groups_unknown"], "cannot_be_said"),
        (["groups_unknown", "off_mendable"], "mend_then_unknown"),
        ([("certified_loss", Severity.SERIOUS)], "but_not_single"),
        ([("certified_loss", Severity.SERIOUS), "off_mendable_curve"], "mend_but_not_single"),
        (["certified_loss"], "as_they_are"),
        (["repair_saves", "rule_is_cheaper"], "use_repaired"),
        (["repair_like_rule", "rule_is_cheaper"], "use_rule"),
        (["constant"], "use_as_rate"),
    ],
)
def test_uses_by_hand(kinds, use):
    findings = []
    for kind in kinds:
        name, severity = kind if isinstance(kind, tuple) else (kind, Severity.NOTE)
        findings.append(Finding(name, severity=severity, more={"columns": ["a"]}))
    assert conclude.use_of(findings, 900).kind == use


@pytest.mark.parametrize(
    ("n_serious", "grave", "mends", "use"),
    [
        (0, 0.0, False, "as_they_are"),
        (2, 0.1, False, "but_not_for"),
        (2, 0.1, True, "mend_but_not_for"),
        (2, 0.6, False, "not_for_most"),
        (2, 0.6, True, "mend_but_not_for_most"),
    ],
)
def test_for_whom_they_may_be_used(n_serious, grave, mends, use):
    groups = Finding("named_groups", more={"n_serious": n_serious, "grave": grave, "serious": 0.7})
    findings = [groups, Finding("off_mendable")] if mends else [groups]
    assert conclude.use_of(findings, 900).kind == use
