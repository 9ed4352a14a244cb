"""What is concluded from the numbers of an audit of answers: each kind where it belongs and nowhere else."""

from collections import Counter
from itertools import chain

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from helpers.answers.confidence import largest_share, mean_held_out_share
from helpers.practice.reports import audit_answers
from helpers.practice.reports.answer_findings import (
    about_close,
    about_confidence,
    about_costs,
    about_groups,
    about_held,
    about_order,
    about_pair,
    about_promises,
    about_samples,
    about_ties,
    about_use,
)
from helpers.practice.reports.answer_numbers import AnswerPair, QuestionGroups, chance_of_another
from helpers.practice.reports.answer_rules import CostRule, promise
from helpers.practice.reports.answers import AnswerReport
from helpers.practice.reports.findings import records_of
from helpers.practice.tables import read_answers

KINDS = AnswerReport.words.kinds

ONE_OF = [  # of each line, at most one kind is found for a subject
    {"too_high", "too_low", "uneven", "believed", "off"},
    {"wrong_order", "no_order", "order"},
    {"stated_better", "agreement_better", "alike"},
    {"promise", "promise_later", "promise_never"},
    {"group_less", "group_more"},
    {"cut_pays", "cut_may_pay", "plain_pays"},
    {"none_close", "close", "close_and_wrong"},
    {"fewer_do", "more_helped", "more_unsure", "settled", "unsettled"},
    {"better", "undecided"},
]


def on_confidence(low=-0.1, high=0.1, *, p_value=0.5, source="sem1", apart=(0.1, 0.2), differences=None):
    row = {"source": source, "n": 100, "confidence": 0.7, "right": 0.6, "over": (low + high) / 2, "low": low}
    row |= {"high": high, "if_right": 0.8, "if_wrong": 0.7, "apart_low": apart[0], "apart_high": apart[1]}
    frame = pd.DataFrame([row]).assign(biased=low > 0 or high < 0)
    return [*about_confidence(frame, {source: p_value}), *about_order(frame, differences)]


def on_promise(correct, confidence=0.8):
    confidence = np.broadcast_to(confidence, len(correct))
    return list(about_promises(promise({"sem1": confidence}, np.asarray(correct), 0.9)))


def group(observed=0.2, calibrated=0.8):
    low, high = max(observed - 0.05, 0), min(observed + 0.05, 1)
    row = {"rule": f"a is {observed}", "n": 90, "stated": 0.85, "calibrated": calibrated, "observed": observed}
    return row | {"adjusted": 0.001, "low": low, "high": high}


def on_groups(*rows):
    """Findings on some groups."""
    return list(about_groups(QuestionGroups(pd.DataFrame(rows, columns=list(group()))), "sem1", ["a"]))


def on_close(close=50, *, hard=0.3, wrong=()):
    """60 questions with a clear vote, 54 of them right, and some close ones."""
    correct = np.r_[np.arange(60) < 54, np.arange(close) < hard * close].astype(int)
    return list(about_close(np.r_[np.zeros(60), np.full(close, 0.2)], correct, ["“a”"], list(wrong)))


def on_samples(gain, before=0.0, *, known=True, same=1.0, width=0.005):
    """Votes of 1, 10 and 20 samples; `gain` of all over one sample, and over 10."""
    gains = np.array([gain, before, 0.0])
    width = np.array([width, width, 0.0])
    sizes = {"size": [1, 10, 20], "same": [0.7, min(0.96, same), same], "right": 0.7 - gains if known else np.nan}
    sizes |= {"gain": gains, "gain_low": gains - width, "gain_high": gains + width}
    return list(about_samples(pd.DataFrame(sizes)))


def on_costs(rule, every, none, *, saved_low=0.01, threshold=0.8, limits=()):
    """Findings on a rule from some confidence on, and on the plain policies."""
    rows = pd.DataFrame({"cost": {"rule": rule, "all": every, "none": none}})
    rows = rows.assign(cost_low=rows["cost"], cost_high=rows["cost"], saved_low=saved_low)
    return list(about_costs(CostRule("sem1", threshold, limits, np.ones(9, bool), rows)))


def on_pair(right):
    lines = {"right": (0.7, 0.6, np.mean(right), *right)}
    columns = ["first", "second", "difference", "low", "high"]
    measures = pd.DataFrame.from_dict(lines, orient="index", columns=columns)
    return list(about_pair(AnswerPair(("one", "two"), 100, measures, (20, 10))))


HALF = np.tile([1, 0], 200)
NEARLY = np.arange(100) % 20 > 0
ALL = on_promise(np.ones(200, int))
SOME = on_promise(np.r_[np.ones(100, int), np.tile([1, 0], 50)], np.repeat([0.9, 0.3], 100))
NEVER = on_promise(HALF)

CASES = {  # name of a kind: (findings made to show it, what else they may hold)
    "believed": (on_confidence(p_value=0.03), ("order",)),
    "too_high": (on_confidence(low=0.05), ("order",)),
    "too_low": (on_confidence(high=-0.05), ("order",)),
    "uneven": (on_confidence(p_value=0.01), ("order",)),
    "off": (on_confidence(low=0.05, source="sem2"), ()),
    "order": (on_confidence(), ("believed",)),
    "no_order": (on_confidence(apart=(-0.1, 0.1)), ("believed",)),
    "wrong_order": (on_confidence(low=0.05, apart=(-0.2, -0.1)), ("off",)),
    "stated_better": (on_confidence(differences=(-0.1, -0.2, -0.05)), ("believed", "order")),
    "agreement_better": (on_confidence(differences=(0.1, 0.05, 0.2)), ("believed", "order")),
    "alike": (on_confidence(differences=(0.0, -0.1, 0.1)), ("believed", "order")),
    "promise": (ALL, ()),
    "promise_later": (on_promise(NEARLY), ()),
    "promise_never": (NEVER, ()),
    "group_less": (on_groups(group(0.2)), ()),
    "group_more": (on_groups(group(0.95)), ()),
    "left_out": (list(about_groups(QuestionGroups(None, ("a is constant",)), "sem1", ["a"])), ()),
    "no_group": (on_groups(), ()),
    "cut_pays": (on_costs(0.1, 0.15, 0.2), ()),
    "cut_may_pay": (on_costs(0.1, 0.11, 0.2, saved_low=-0.01), ()),
    "plain_pays": (on_costs(0.1, 0.1, 0.2, saved_low=-0.01, threshold=-np.inf), ()),
    "tied": (list(about_ties(np.array([1, 2, 3]), np.array([1, 0.5, -1]))), ()),
    "none_close": (on_close(0), ()),
    "close": (on_close(hard=0.85), ()),
    "close_and_wrong": (on_close(), ()),
    "sure_but_wrong": (on_close(0, wrong=["“b”"]), ("none_close",)),
    "fewer_do": (on_samples(0.1), ()),
    "more_helped": (on_samples(0.1, 0.05), ()),
    "more_unsure": (on_samples(0.1, 0.002, width=0.012), ()),
    "settled": (on_samples(0.0, known=False), ()),
    "unsettled": (on_samples(0.0, known=False, same=0.9), ()),
    "better": (on_pair((-0.2, -0.1)), ()),
    "undecided": (on_pair((-0.2, 0.1)), ()),
    "pair_misread": (list(about_pair(AnswerPair(("a", "b"), 9, None, (2, 1), ("b",)))), ()),
}

USES = {  # name of the answer: the findings that it follows from
    "use_all": ALL,
    "use_some": SOME,
    "use_by_cost": NEVER + on_costs(0.1, 0.15, 0.2),
    "use_not_yet": on_promise(NEARLY) + on_costs(0.3, 0.4, 0.2, saved_low=-0.2, threshold=np.inf),
    "use_no": NEVER,
    "use_misread": ALL + [about_held(pd.DataFrame([{"rule": "date", "graded": 200, "right": 80, "held": 90}]))],
}


@pytest.mark.parametrize("kind", CASES)
def test_a_kind_is_found_where_it_is(kind):
    findings, others = CASES[kind]
    assert sorted(finding.kind for finding in findings) == sorted([kind, *others])


@pytest.mark.parametrize("kind", USES)
def test_the_answer_follows_from_the_findings(kind):
    assert about_use(USES[kind]).kind == kind


def test_a_vote_is_close_if_new_answers_may_decide_it_otherwise():
    """Of two classes the chance is binomial; a clear vote is none, though some halves of it choose otherwise."""
    counts = np.array([[31, 19, 0], [30, 10, 10], [40, 0, 0], [1, 1, 0]])
    chance = chance_of_another(counts, rng=0)
    votes = binom(50, 0.62)
    assert chance[0] == pytest.approx(votes.cdf(24) + votes.pmf(25) / 2, abs=0.04)
    assert chance[1] < 0.01 and chance[2] == 0 and chance[3] == pytest.approx(0.5, abs=0.1)
    gap = largest_share(counts) - mean_held_out_share(counts, None, "average")
    assert gap[1] > 1e-8  # which does not make it close
    found = next(about_close(chance, np.ones(4), ["“a”"], []))
    assert (found.kind, found.n) == ("close", 2)


@pytest.mark.parametrize("threshold", [0.8, -np.inf])
def test_answers_that_cost_less_than_a_person_are_not_refused(threshold):
    """Without a promise: if giving all, or some, surely costs less than handing over, the page does not say no."""
    use = about_use(NEVER + on_costs(0.1, 0.1, 0.2, saved_low=-0.01, threshold=threshold))
    assert use.kind == "use_by_cost" and use.more["is_every"] == (threshold < 0)


@pytest.mark.parametrize("ends", [(0.1, 0.2), (-0.2, -0.1)])
def test_the_better_system_is_the_subject(ends):
    (finding,) = on_pair(ends)
    assert (finding.value, finding.low, finding.high) == pytest.approx((0.15, 0.1, 0.2))
    first = ends[0] > 0
    assert (finding.subject, finding.more["only"]) == (("one", 20) if first else ("two", 10))


def test_every_kind_is_tried():
    read = {kind for kind in KINDS if KINDS[kind].part == "read"}  # these are found in files, below
    assert set(CASES) | set(USES) | read | {"right", "use_unknown"} == set(KINDS)


def check_consistent(findings, told):
    """There is one answer, no kind beside one that it excludes, and every sentence of those told is whole."""
    assert sum(KINDS[finding.kind].part == "use" for finding in findings) == 1
    said = Counter((number, one.subject) for one in findings for number, k in enumerate(ONE_OF) if one.kind in k)
    assert max(said.values(), default=0) <= 1
    for text in [record["sentence"] for record in records_of(told, KINDS)]:
        assert text and "None" not in text and "nan" not in text.split() and "  " not in text and "\n" not in text


def random_parts(rng):
    """Findings of each part of a page from random numbers."""

    def ends():
        return tuple(sorted(rng.normal(0, 0.2, 2)))

    n = int(rng.choice([40, 200, 2000]))
    correct = (rng.random(n) < rng.choice([0.5, 0.88, 0.905, 0.95, 1.0])).astype(int)
    confidence = rng.random(n) ** np.where(correct, rng.choice([0.1, 1.0]), 1.0)
    groups = [group(rng.random(), rng.random()) for _ in range(rng.integers(4))]
    threshold = rng.choice([0.6, np.inf, -np.inf])
    return [
        on_confidence(*ends(), p_value=rng.random() ** 3, apart=ends()),
        on_confidence(*ends(), source="stated", apart=ends(), differences=(0.0, *ends())),
        on_promise(correct, confidence.round(1)),
        on_groups(*groups),
        on_costs(*rng.random(3), saved_low=rng.normal(), threshold=threshold, limits=("not where a is 1",)),
        on_close(max(int(rng.integers(-5, 60)), 0), hard=rng.random()),
        on_samples(rng.normal(0, 0.02), rng.normal(0, 0.02)),
        on_pair(ends()),
    ]


def test_random_numbers_give_findings_that_agree():
    """A hundred pages, and thousands of the same parts in any mixture."""
    rng = np.random.default_rng(0)
    pages = [random_parts(rng) for _ in range(100)]
    for parts in pages:
        found = list(chain(*parts))
        check_consistent([*found, about_use(found)], found)
    for picked in rng.integers(100, size=(2000, len(pages[0]))):
        found = list(chain(*(pages[page][part] for part, page in enumerate(picked))))
        use = about_use(found)
        check_consistent([*found, use], [use])


def test_the_shipped_file_has_a_story():
    """Too high by agreement, stated confidence is worth more and certifies, a close vote is a hard question."""
    report = audit_answers(read_answers(), n_resamples=200, rng=0)
    kinds = {(finding.kind, finding.subject) for finding in report.found}
    assert {("too_high", "agreement"), ("believed", "stated confidence"), ("promise", "stated confidence")} <= kinds
    assert {("stated_better", ""), ("close_and_wrong", ""), ("use_some", "")} <= kinds
    assert "stated confidence" in report.steps.index[0] and report.found[0].kind == "use_some"


def kinds_of(answers, rule="auto"):
    """Kinds that an audit finds in three answers to each of 40 questions, the gravest first."""
    columns = {"question": np.repeat(np.arange(40), 3), "answer": answers, "reference": "1"}
    table = read_answers(pd.DataFrame(columns), rule=rule)
    return audit_answers(table, n_resamples=100, rng=0).findings["kind"].tolist()


def test_answers_that_cannot_be_read_are_a_finding():
    assert "unreadable" in kinds_of(["1", "no", "perhaps"] * 40, "numeric")
    assert "unreadable" not in kinds_of(["1", "2", "1"] * 40, "numeric")
    assert "few_unreadable" in kinds_of(["1", "2", "1"] * 39 + ["1", "2", "none"], "numeric")


def refusing(share, n=40):
    """Some refuse to answer each of 40 questions; all others are right."""
    given = ["I cannot say."] * round(100 * share) + ["The answer is {}."] * round(100 * (1 - share))
    rows = [{"question": k, "answer": text.format(k), "reference": str(k)} for k in range(n) for text in given[::5]]
    return audit_answers(read_answers(pd.DataFrame(rows)), n_resamples=100, rng=0)


@pytest.mark.parametrize("share", [0.1, 0.25, 0.4])
def test_both_shares_of_right_answers_stand_on_the_first_screen(share):
    report = refusing(share)
    found = {finding.kind: finding for finding in report.found}
    more = found["unreadable"].more
    assert (more["of_all"], more["of_answered"]) == pytest.approx((1 - share, 1))
    assert found["unreadable"].value == pytest.approx(share) and found["use_all"]
    assert f"{round(800 * share)} of 800" in str(report) and "(rule numeric, for all 40 questions)" in str(report)


def test_no_verdict_is_given_where_the_reading_may_be_wrong():
    """Sentences in place of words: none is equal to the right answer, and each holds it."""
    rows = [{"question": k, "answer": f"It is city{k}.", "reference": f"city{k}"} for k in range(40) for _ in range(3)]
    report = audit_answers(read_answers(pd.DataFrame(rows)), n_resamples=100, rng=0)
    assert report.found[0].kind == "use_misread" and (report.found[0].n, report.found[0].more["of"]) == (120, 120)
    assert "held" in report.findings["kind"].tolist()
    other = read_answers(pd.DataFrame(rows).assign(answer=[row["reference"] for row in rows]))
    for pair in ((report.table, other), (other, report.table)):
        found = audit_answers(pair[0], against=pair[1], n_resamples=100, rng=0).findings["kind"].tolist()
        assert "pair_misread" in found and "better" not in found


def test_few_that_hold_the_right_value_change_nothing():
    few = {"rule": "date", "graded": 200, "right": 80}
    assert about_held(pd.DataFrame([few | {"held": 20}])) is None
    assert about_held(pd.DataFrame([few | {"held": 8, "right": 190}])) is None and about_held(pd.DataFrame()) is None
