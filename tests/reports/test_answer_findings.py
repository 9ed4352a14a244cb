"""What is concluded from the numbers of an audit of answers: each kind where it belongs and nowhere else."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from helpers.answers import AnswerPopulation
from helpers.reports import audit_answers
from helpers.reports.answer_costs import AnswerCosts
from helpers.reports.answer_findings import (
    about_accuracy,
    about_close,
    about_confidence,
    about_costs,
    about_groups,
    about_pair,
    about_promises,
    about_samples,
    about_use,
)
from helpers.reports.answer_groups import QuestionGroups
from helpers.reports.answer_kinds import KINDS, PARTS
from helpers.reports.answer_pair import AnswerPair
from helpers.reports.findings import Finding, Severity, in_order, table_of
from helpers.selective.certified import certify_rows
from helpers.tables import read_answers, table_of_counts

HALF = np.tile([1, 0], 200)


def over(source="sem1", low=-0.1, high=0.1, apart=(0.1, 0.2)):
    """A row of `over_confidence`."""
    return {
        "source": source, "n": 100, "confidence": 0.7, "right": 0.6, "over": (low + high) / 2, "low": low, "high": high,
        "if_right": 0.8, "if_wrong": 0.7, "apart_low": apart[0], "apart_high": apart[1],
    }  # fmt: skip


def on_confidence(row, p_value=0.5, differences=None):
    return list(about_confidence(pd.DataFrame([row]), {row["source"]: p_value}, differences))


def promised(*correct, confidence=None):
    """`Promises` of one or more confidences that are all equal, or given."""
    certificates = {}
    for name, right in zip(("sem1", "stated"), correct, strict=False):
        right = np.asarray(right)
        certificates[name] = certify_rows(
            right, np.full(right.size, 0.8) if confidence is None else confidence, 0.9, 0.95
        )
    kept = {name: one.n_kept for name, one in certificates.items() if one.certified}
    return SimpleNamespace(certificates=certificates, source=max(kept, key=kept.get) if kept else "", level=0.95)


def group(observed=0.2, calibrated=0.8, n_used=0, n_right=0):
    low, high = max(observed - 0.05, 0), min(observed + 0.05, 1)
    row = {"rule": f"a is {observed}", "n": 90, "stated": 0.85, "calibrated": calibrated, "observed": observed}
    return row | {"adjusted": 0.001, "low": low, "high": high, "n_used": n_used, "n_right": n_right}


def on_groups(*rows, rest=(0, 0)):
    columns = ["rule", "n", "stated", "calibrated", "observed", "adjusted", "low", "high", "n_used", "n_right"]
    return list(about_groups(QuestionGroups(pd.DataFrame(rows, columns=columns), (), *rest), "sem1", 0.9, ["a"]))


def on_close(close=5, *, known=50, clear=0.9, hard=0.3, agreed=0, wrong=()):
    strata = pd.DataFrame({
        "stratum": ["no gap", "a gap"], "n": [60, close], "n_known": [60, known], "right": [clear, hard],
        "low": [clear - 0.1, hard - 0.1], "high": [min(clear + 0.1, 1), hard + 0.1],
    })  # fmt: skip
    return list(about_close(close, strata if close else strata[:1], agreed, ["“a”"], list(wrong)))


def on_samples(gain, before=0.0, *, known=True, spread=0.005, same=1.0):
    """Votes of 1, 10 and 20 samples; `gain` of all over one sample, and over 10."""
    gains = np.array([gain, before, 0.0])
    width = np.array([spread, spread, 0.0])
    right = (0.7 - gains) if known else np.full(3, np.nan)
    sizes = {
        "size": [1, 10, 20],
        "same": [0.7, min(0.96, same), same],
        "right": right,
        "right_low": right,
        "right_high": right,
    }
    ends = {"gain": gains, "gain_low": gains - width, "gain_high": gains + width}
    return list(about_samples(pd.DataFrame(sizes | ends), 0.01))


def on_costs(chosen, every, none, *, saved_low=0.01, threshold=0.8):
    lines = {"chosen": chosen, "all": every, "none": none}
    table = pd.DataFrame({"cost": lines, "answered": 0.5})
    table = table.assign(cost_low=table["cost"], cost_high=table["cost"], saved_low=saved_low)
    return list(about_costs(AnswerCosts("sem1", threshold, table, np.ones(3, bool)), 0.2))


def on_pair(right, cost=None):
    rows = {"right": right} | ({} if cost is None else {"cost": cost})
    lines = [(name, 0.7, 0.6, np.mean(ends), *ends) for name, ends in rows.items()]
    measures = pd.DataFrame(lines, columns=["measure", "first", "second", "difference", "low", "high"])
    return list(about_pair(AnswerPair(("one", "two"), 100, (0, 0), measures, 20, 10, 40, 30)))


ORDERED = np.r_[np.full(100, 0.9), np.full(100, 0.3)]

CASES = {  # name of a kind: (findings made to show it, what else they may hold)
    "right": (lambda: about_accuracy((0.7, 0.6, 0.8), "", 100), ()),
    "unknown": (lambda: about_accuracy(None, "The file does not say which answers are right.", 0), ()),
    "believed": (lambda: on_confidence(over()), ("order",)),
    "too_high": (lambda: on_confidence(over(low=0.05)), ("order",)),
    "too_low": (lambda: on_confidence(over(high=-0.05)), ("order",)),
    "uneven": (lambda: on_confidence(over(), p_value=0.01), ("order",)),
    "off": (lambda: on_confidence(over("sem2", low=0.05)), ()),
    "order": (lambda: on_confidence(over()), ("believed",)),
    "no_order": (lambda: on_confidence(over(apart=(-0.1, 0.1))), ("believed",)),
    "wrong_order": (lambda: on_confidence(over(low=0.05, apart=(-0.2, -0.1))), ("off",)),
    "stated_better": (lambda: on_confidence(over(), differences=(-0.1, -0.2, -0.05)), ("believed", "order")),
    "agreement_better": (lambda: on_confidence(over(), differences=(0.1, 0.05, 0.2)), ("believed", "order")),
    "alike": (lambda: on_confidence(over(), differences=(0.0, -0.1, 0.1)), ("believed", "order")),
    "promise": (lambda: about_promises(promised(np.ones(200, int))), ()),
    "promise_later": (lambda: about_promises(promised(np.arange(100) % 20 > 0)), ()),
    "promise_hardly": (lambda: about_promises(promised(np.arange(1000) % 1000 >= 99)), ()),
    "promise_never": (lambda: about_promises(promised(HALF)), ()),
    "group_less": (lambda: on_groups(group(0.2)), ()),
    "group_more": (lambda: on_groups(group(0.95)), ()),
    "rest": (lambda: on_groups(group(0.2), rest=(100, 90)), ("group_less",)),
    "left_out": (lambda: about_groups(QuestionGroups(None, ("a is constant",)), "sem1", 0.9, ["a"]), ()),
    "no_group": (lambda: on_groups(), ()),
    "none_close": (lambda: on_close(0), ()),
    "close": (lambda: on_close(known=2), ()),
    "close_and_wrong": (lambda: on_close(), ()),
    "close_as_right": (lambda: on_close(hard=0.85), ()),
    "agreed_wrong": (lambda: on_close(0, agreed=3), ("none_close",)),
    "sure_but_wrong": (lambda: on_close(0, wrong=["“b”"]), ("none_close",)),
    "votes_help": (lambda: on_samples(0.1), ("fewer_do", "agreement_moves")),
    "votes_alike": (lambda: on_samples(0.0), ("fewer_do", "agreement_moves")),
    "votes_harm": (lambda: on_samples(-0.1), ("fewer_do", "agreement_moves")),
    "fewer_do": (lambda: on_samples(0.1), ("votes_help", "agreement_moves")),
    "more_may_help": (lambda: on_samples(0.1, 0.05), ("votes_help", "agreement_moves")),
    "settled": (lambda: on_samples(0.0, known=False), ("agreement_moves",)),
    "unsettled": (lambda: on_samples(0.0, known=False, same=0.9), ("agreement_moves",)),
    "agreement_moves": (lambda: on_samples(0.0, known=False), ("settled",)),
    "cut_pays_all": (lambda: on_costs(0.1, 0.15, 0.2), ()),
    "cut_pays_none": (lambda: on_costs(0.1, 0.4, 0.2), ()),
    "all_pay": (lambda: on_costs(0.1, 0.1, 0.2, saved_low=-0.01), ()),
    "none_pay": (lambda: on_costs(0.3, 0.4, 0.2, saved_low=-0.01), ()),
    "better": (lambda: on_pair((-0.2, -0.1)), ()),
    "undecided": (lambda: on_pair((-0.2, 0.1)), ()),
    "cheaper": (lambda: on_pair((-0.2, 0.1), (0.01, 0.02)), ("undecided",)),
}


@pytest.mark.parametrize("kind", CASES)
def test_a_kind_is_found_where_it_is(kind):
    make, others = CASES[kind]
    assert sorted(finding.kind for finding in make()) == sorted([kind, *others])


@pytest.mark.parametrize("make", [on_pair, lambda ends: on_pair((-ends[1], -ends[0]))])
def test_the_better_system_is_the_subject(make):
    (finding,) = make((0.1, 0.2))
    assert finding.value == pytest.approx(0.15) and (finding.low, finding.high) == pytest.approx((0.1, 0.2))
    assert finding.subject == ("one" if make is on_pair else "two")
    assert (finding.more["only"], finding.more["only_other"]) == ((20, 10) if make is on_pair else (10, 20))


# ---- the answer -----------------------------------------------------------------------------------------------

RIGHT = list(about_accuracy((0.7, 0.6, 0.8), "", 100))

SOME = list(about_promises(promised(np.r_[np.ones(100, int), np.tile([1, 0], 50)], confidence=ORDERED)))

USES = {
    "use_unknown": lambda: about_accuracy((0.7, 0.4, 0.9), "Only 10 are known.", 10),
    "use_reread": lambda: [*RIGHT, Finding("rule", "date", more={"what": "40 questions change"}), *SOME],
    "use_all": lambda: RIGHT + list(about_promises(promised(np.ones(200, int)))),
    "use_some": lambda: RIGHT + SOME,
    "use_not_for": lambda: RIGHT + SOME + on_groups(group(0.2, n_used=50, n_right=10)),
    "use_by_cost": lambda: RIGHT + list(about_promises(promised(HALF))) + on_costs(0.1, 0.15, 0.2),
    "use_rest": lambda: RIGHT + list(about_promises(promised(HALF))) + on_groups(group(0.2), rest=(100, 99)),
    "use_group": lambda: RIGHT + list(about_promises(promised(HALF))) + on_groups(group(0.97)),
    "use_not_yet": lambda: RIGHT + list(about_promises(promised(np.arange(100) % 20 > 0, HALF))),
    "use_too_close": lambda: RIGHT + list(about_promises(promised(np.arange(1000) >= 99, HALF))),
    "use_no": lambda: RIGHT + list(about_promises(promised(HALF))),
}


@pytest.mark.parametrize("kind", USES)
def test_the_answer_follows_from_the_findings(kind):
    assert about_use(list(USES[kind]())).kind == kind


def test_every_kind_is_tried_and_stands_in_a_part():
    read = {kind for kind in KINDS if KINDS[kind].part == "read"}
    assert set(CASES) | set(USES) | read == set(KINDS)
    assert {kind.part for kind in KINDS.values()} - {"use"} <= set(PARTS)
    for name, kind in KINDS.items():
        assert set(kind.excludes) <= set(KINDS) and all(name in KINDS[other].excludes for other in kind.excludes), name


def test_groups_that_the_promise_does_not_reach_change_nothing():
    """Few right in a group of which no answer is used, or whose used answers are right."""
    for used in ({}, {"n_used": 50, "n_right": 49}):
        assert about_use(RIGHT + SOME + on_groups(group(0.2, **used))).kind == "use_some"


# ---- consistent by construction -------------------------------------------------------------------------------


def consistent(findings):
    """Whether there is one answer, no kind beside one that it excludes, and every sentence is whole."""
    answers = [finding for finding in findings if KINDS[finding.kind].part == "use"]
    assert len(answers) == 1
    by_subject = {}
    for finding in findings:
        by_subject.setdefault(finding.subject, set()).add(finding.kind)
    for kinds in by_subject.values():
        assert not any(set(KINDS[kind].excludes) & kinds for kind in kinds), kinds
    ordered = in_order(findings, KINDS)
    assert [finding.severity for finding in ordered] == sorted([one.severity for one in findings], reverse=True)
    for text in table_of(ordered, KINDS)["sentence"]:
        assert text and "None" not in text and "nan" not in text.split() and "  " not in text and "\n" not in text
    return True


@pytest.mark.parametrize("seed", range(300))
def test_random_numbers_give_findings_that_agree(seed):
    rng = np.random.default_rng(seed)

    def ends(scale=0.2):
        return tuple(sorted(rng.normal(0, scale, 2)))

    rows = [over(name, *ends(), apart=ends()) for name in ("sem1", "sem2", "stated")]
    p_values = dict.fromkeys(("sem1", "sem2", "stated"), rng.random() ** 3)
    n = int(rng.choice([40, 200, 2000]))
    right = [(rng.random(n) < rng.choice([0.5, 0.88, 0.905, 0.95, 1.0])).astype(int) for _ in range(2)]
    groups = [group(rng.random(), rng.random(), 50, int(rng.integers(51))) for _ in range(rng.integers(4))]
    found = [
        *about_accuracy((0.7, 0.6, 0.8), "", 100),
        *about_confidence(pd.DataFrame(rows), p_values, (np.mean(one := ends()), *one)),
        *about_promises(promised(*right[: rng.integers(1, 3)], confidence=rng.random(n).round(1))),
        *on_groups(*groups, rest=(100, int(rng.integers(80, 101)))),
        *(on_costs(*rng.random(3), saved_low=rng.normal(), threshold=rng.choice([0, 0.7, np.inf]))),
        *on_close(int(rng.integers(3)), known=int(rng.integers(9)), clear=rng.random(), hard=rng.random()),
        *on_samples(rng.normal(0, 0.02), rng.normal(0, 0.02)),
        *on_pair(ends(), ends()),
    ]
    assert consistent([*found, about_use(found)])


def population(seed):
    """A file of any kind: how many questions and answers, how the confidences err, what is known."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([10, 31, 120, 400]))
    dial = rng.choice([-0.6, 0, 0.5])
    model = AnswerPopulation.dirichlet(n, int(rng.choice([2, 3, 6])), overconfidence=dial, rng=rng)
    drawn = model.sample(int(rng.choice([2, 5, 12])), rng)
    stated = None
    if rng.random() < 0.5:
        stated = np.clip(model.oracle_confidence + rng.normal(0, rng.choice([0, 0.3]), n), 0, 1)
        stated[rng.random(n) < rng.choice([0, 0.2, 0.99])] = np.nan
    correct = np.where(rng.random(n)[:, None] < rng.choice([0, 0.3]), -1, drawn.correct)
    return table_of_counts(drawn.counts, correct, confidence=stated)


@pytest.mark.parametrize("seed", range(12))
def test_audits_give_findings_that_agree(seed):
    costs = [{}, {"reject_cost": 0.2}, {"reject_cost": 0.4, "price": 0.01}][seed % 3]
    pair = {"against": population(seed)} if seed % 4 == 0 else {}
    report = audit_answers(population(seed), n_resamples=100, precision=(0.7, 0.9)[seed % 2], rng=seed, **costs, **pair)
    assert consistent(report.found)
    assert report.headline == report.sentences("use")[0] and str(report).startswith(report.headline)
    assert (report.prices is None) == (not costs or bool(report.obstacle))


def test_the_shipped_file_has_a_story():
    """Too sure by agreement, stated confidence is worth more and certifies, a close vote is a hard question."""
    report = audit_answers(read_answers(), n_resamples=200, rng=0)
    kinds = {(finding.kind, finding.subject) for finding in report.found}
    expected = {("too_high", "agreement"), ("believed", "stated confidence"), ("promise", "stated confidence")}
    assert expected <= kinds and {"stated_better", "close_and_wrong", "use_some"} <= {kind for kind, _ in kinds}
    assert report.steps.index[0].startswith("Give the answers with stated confidence")
    assert report.found[0].severity == Severity.SERIOUS


def test_reading_comes_first_where_it_is_in_doubt():
    frame = pd.DataFrame({
        "question": np.repeat(np.arange(40), 3), "answer": ["1.0", "1", "3"] * 40,
        "reference": np.repeat("1", 120),
    })  # fmt: skip
    report = audit_answers(read_answers(frame, rule="exact"), n_resamples=100, rng=0)
    assert report.found[0].kind == "use_reread" and report.steps.index[0].startswith(
        "Read the answers by the rule 'numeric'"
    )
    unreadable = frame.assign(answer=["1", "two", "three"] * 40)
    report = audit_answers(read_answers(unreadable, rule="numeric"), n_resamples=100, rng=0)
    assert "unreadable" in report.findings["kind"].tolist()
