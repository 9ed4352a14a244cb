"""The report on sampled answers: what it says on files of every kind, and what it leaves unsaid."""

import itertools
import json
import re
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot as plt

from helpers.answers import AnswerPopulation, counts
from helpers.plotting import plot_confidences, plot_kept, plot_votes
from helpers.reports import audit_answers, check_terms, describe_figure, negative_control, next_steps, summary, write
from helpers.reports.answer_advice import keep_answers, pays_from
from helpers.reports.answer_numbers import gap_strata, hardest, over_confidence, sure_but_wrong
from helpers.reports.answer_plans import beginnings, find_families, list_plans
from helpers.reports.control import Control
from helpers.reports.phrases import hundred, measured, number, points_apart, shares, short
from helpers.reports.votes import bootstrap_means, common_size, price_votes, vote_curve
from helpers.selective import abstention, ecuas
from helpers.tables import answers as answer_tables
from helpers.tables import read_answers, table_of_counts


def make(kind="honest", n=120, answers=20, seed=0):
    """A small file with known truth."""
    rng = np.random.default_rng(seed)
    dial = {"too sure": 0.5, "too timid": -0.6}.get(kind, 0.0)
    model = AnswerPopulation.dirichlet(n, 4, overconfidence=dial, rng=rng)
    drawn = model.sample(answers, rng)
    counts = drawn.counts
    correct = drawn.correct
    stated = None
    if kind == "unanimous":
        counts = np.where(np.arange(counts.shape[1]) == 0, answers, 0) + 0 * counts
    elif kind == "all right":
        correct = np.ones_like(correct)
    elif kind == "all wrong":
        correct = np.zeros_like(correct)
    elif kind == "no reference":
        correct = None
    elif kind == "partly graded":
        correct = np.where(np.arange(n)[:, None] % 3 == 0, correct, -1)
    elif kind == "uneven":
        counts = np.where(np.arange(n)[:, None] % 30 == 0, np.minimum(counts, 2), counts)
        counts[counts.sum(axis=1) < 2, 0] = 2
    elif kind == "two answers":
        counts, correct = (lambda two: (two.counts, two.correct))(model.sample(2, rng))
    elif kind in ("stated", "half stated", "hardly stated"):
        stated = model.oracle_confidence.copy()
        stated[:: {"stated": n + 1, "half stated": 3, "hardly stated": 1}[kind]] = np.nan
        stated[0] = 0.9
    return table_of_counts(counts, correct, confidence=stated, name="my.csv")


KINDS = [
    "honest", "too sure", "too timid", "unanimous", "all right", "all wrong", "no reference", "partly graded", "uneven",
    "two answers", "stated", "half stated", "hardly stated",
]  # fmt: skip


@pytest.fixture(scope="module")
def reports():
    made = {}

    def report(kind, n=120, **terms):
        key = (kind, n, *terms.items())
        if key not in made:
            made[key] = audit_answers(make(kind, n), n_resamples=100, rng=0, **terms)
        return made[key]

    return report


# ---- every kind of file ---------------------------------------------------------------------------------------


CASES = [*[(kind, 120) for kind in KINDS], ("honest", 2), ("honest", 29), ("too sure", 30), ("no reference", 5)]


@pytest.mark.parametrize(("kind", "n"), CASES)
def test_every_file_gets_whole_sentences(reports, kind, n):
    report = reports(kind, n)
    said = write(report.table, "read") + [describe_figure(report, "samples")]
    sections = ("use", "read_use", "read_plans", "read_kept") if not report.obstacle else ()
    for section in ("calibration", "costs", "gap", "kept", "samples", "read_samples", "warnings", *sections):
        said += write(report, section)
    said += summary(report)["Answer"].tolist()
    said += next_steps(report).index.tolist() + next_steps(report)["How"].tolist()
    frames = [report.strata_table, report.hard_table, report.sample_table]
    if not report.obstacle:
        said += [describe_figure(report, "reliability"), describe_figure(report, "kept")]
        frames += [report.plan_table, report.wrong_table]
        frames += [report.calibration_table, report.cost_table, report.kept_table, report.difference_table]
    for frame in frames:
        said += frame.astype(str).to_numpy().ravel().tolist()
    for text in said:
        assert text and not re.search(r"\bnan\b|None(?! of| at| stands)", text), text
        assert not re.search(r"\b1 (points|questions|answers|dots|alarms)\b", text) or "," in text or "." in text, text
        assert "{" not in text and "  " not in text and ".0 of" not in text, text
    assert len(summary(report)) == 8 and len(next_steps(report)) >= 1


@pytest.mark.parametrize(("kind", "n"), CASES)
def test_metrics_can_be_kept(reports, kind, n):
    found = reports(kind, n).metrics()
    json.dumps(found)
    assert found["n_questions"] == n and bool(found["obstacle"]) == (found["n_known"] < 30)
    assert ("sem1_calibration_ece" in found) == (not found["obstacle"]) == ("samples_cheapest" in found)
    assert all(value is None or isinstance(value, (str, int, float, list)) for value in found.values())


@pytest.mark.parametrize("kind", ["honest", "stated", "all right", "no reference", "two answers"])
def test_figures_draw_every_report(reports, kind):
    report = reports(kind)
    drawn = [plot_votes(report.sizes, report.cheapest_size)]
    if not report.obstacle:
        drawn += [plot_confidences(report.reliability_curves)]
        drawn += [plot_kept(report.kept_curves, report.kept_points).figure]
        assert len(drawn[1].axes) == len(report.sources)
    for figure in drawn:
        figure.canvas.draw()
        plt.close(figure)


# ---- what is found --------------------------------------------------------------------------------------------


def test_an_honest_model_and_one_that_is_too_sure(reports):
    """Against the exactly computed difference of mean confidence and accuracy, in standard errors."""
    for dial in (0.0, 0.5):
        model = AnswerPopulation.dirichlet(1500, 4, overconfidence=dial, rng=7)
        drawn = model.sample(20, rng=8)
        exact = model.calibration(20, ties="lot")
        report = audit_answers(table_of_counts(drawn.counts, drawn.correct), n_resamples=100, rng=0)
        row = report.over.set_index("source").loc["sem1"]
        assert row["over"] == pytest.approx(exact.confidence1 - exact.accuracy, abs=(row["high"] - row["low"]) / 2)
        held_out = report.over.set_index("source").loc["sem2", "over"]
        assert held_out < row["over"] and (row["low"] > 0.1) == (dial == 0.5)
    assert "too high" in write(report, "calibration")[0]
    assert "points too high" in summary(report)["Answer"]["Can the confidence be believed?"]
    assert "too low" in write(reports("too timid"), "calibration")[0]


def test_the_better_confidence_is_named(reports):
    report = reports("stated", 1000)
    assert list(report.sources) == ["sem1", "sem2", "stated"] and report.best_source == "stated"
    assert "Quote stated confidence instead of agreement." in next_steps(report).index
    report = reports("stated", 1000, reject_cost=0.5)
    assert "if stated confidence is at least" in summary(report)["Answer"]["Which plan is the cheapest?"]
    assert reports("unanimous").best_source == "sem1"


def test_stated_confidence_needs_half_of_the_questions(reports):
    assert "stated" in reports("half stated").sources and "stated" not in reports("hardly stated").sources
    warnings = write(reports("hardly stated"), "warnings")
    assert any("are left out: they are there for 1 of 120" in text for text in warnings)


def test_only_agreement_without_right_answers(reports):
    report = reports("no reference")
    assert report.accuracy is None and report.advice is None and report.cheapest is None and report.as_cheap == []
    assert report.obstacle == "The file does not say which answers are right."
    assert "cannot be said" in summary(report)["Answer"].iloc[0]
    assert list(report.sample_table.columns) == ["same vote as all"]
    assert negative_control(report) is None and "No control" in write(report, "control", control=None)[0]
    few = reports("honest", 29)
    assert few.accuracy is not None and "known for only 29 questions; at least 30" in few.obstacle


def test_questions_without_a_grade_are_left_out(reports):
    report = reports("partly graded")
    assert report.known.sum() == 40 and len(report.votes.rows) == 40 and report.calibration.n_ungraded == 80
    assert any("known for 40 of 120" in text for text in write(report, "warnings"))


def test_no_vote_is_worth_a_price_above_a_refusal(reports):
    report = reports("honest", reject_cost=0.01, price=0.02)
    assert report.verdict == "no" and summary(report)["Answer"].iloc[1].startswith("No. ")
    assert any("at these costs no vote" in text for text in write(report, "samples"))
    free = reports("honest", price=0.0)
    assert free.worth_asking and (free.sizes["total"] == free.sizes["cost"]).all()


@pytest.mark.parametrize("kind", ["honest", "stated", "unanimous"])
def test_control_finds_nothing(reports, kind):
    report = reports(kind)
    control = negative_control(report, rng=1)
    assert control.draws == 20 and list(control.alarms_by_test) == list(report.sources)
    assert all(count <= 5 for count in control.alarms_by_test.values())
    assert "no more than a fair test" in write(report, "control", control=control)[0]
    trials = pd.DataFrame({"test": "sem1", "n": 120, "value": 0.1, "alarm": np.arange(20) < 9, "named": False})
    assert "(9 for agreement), more than" in write(report, "control", control=Control(20, trials))[0]


def test_same_seed_same_report_and_the_counts_stay():
    table = make()
    before = table.grouped.counts.copy()
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    one, two = (audit_answers(table, n_resamples=100, rng=3).metrics() for _ in range(2))
    assert one == two
    np.testing.assert_array_equal(table.grouped.counts, before)
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


def test_order_of_questions_does_not_matter():
    model = AnswerPopulation.dirichlet(100, 3, rng=0)
    drawn = model.sample(9, rng=1)
    order = np.random.default_rng(2).permutation(100)
    tables = [table_of_counts(drawn.counts, drawn.correct), table_of_counts(drawn.counts[order], drawn.correct[order])]
    one, two = (audit_answers(table, n_resamples=100, rng=0).metrics() for table in tables)
    for name in ("accuracy", "sem2_mean", "sem1_calibration_ece", "sem2_aurc", "chosen_cost"):
        assert one[name] == pytest.approx(two[name], abs=0.02 if name == "chosen_cost" else 1e-9)  # folds differ


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ({"reject_cost": 0}, "reject_cost must lie between 0 and 1"),
        ({"reject_cost": float("nan")}, "reject_cost must lie between 0 and 1"),
        ({"reject_cost": "0.2"}, "reject_cost must hold numbers"),
        ({"price": -1}, "price must be at least 0 and finite"),
        ({"price": float("inf")}, "price must be at least 0 and finite"),
        ({"n_resamples": 99}, "n_resamples must be a whole number of at least 100"),
        ({"precision": 1}, "precision must lie between 0 and 1, but it is 1"),
        ({"precision": float("nan")}, "precision must lie between 0 and 1"),
        ({"n_resamples": 200.0}, "n_resamples must be a whole number"),
    ],
)
def test_bad_terms(terms, message):
    with pytest.raises(ValueError, match=message):
        audit_answers(make(), **terms)
    with pytest.raises(ValueError, match=message):
        check_terms(**terms)


# ---- votes of fewer answers -----------------------------------------------------------------------------------


def by_hand(answers, right, size, reject_cost):
    """(right, refused, cost, ecuas) of a vote of `size`, by going through all subsets; any of a tie may be first."""
    found = []
    for subset in itertools.combinations(range(len(answers)), size):
        votes = np.bincount([answers[k] for k in subset], minlength=len(right))
        top = votes.max()
        leads = np.flatnonzero(votes == top) if size < len(answers) else [votes.argmax()]  # the first of the file
        share = np.mean([right[k] for k in leads])
        refused = 1 - top / size > reject_cost + 1e-12
        costs = [ecuas([1], [top / size])[0], ecuas([0], [top / size])[0]]
        found.append((share, refused, reject_cost if refused else 1 - share, share * costs[0] + (1 - share) * costs[1]))
    return np.mean(found, axis=0)


def test_votes_against_all_subsets():
    counts = np.array([[4, 2, 1], [3, 3, 1], [7, 0, 0]])
    right = np.array([[1, 0, 0], [0, 1, 0], [1, 0, 0]])
    curve = vote_curve(np.repeat(counts, 200, axis=0), np.repeat(right, 200, axis=0), reject_cost=0.35, rng=0)
    assert curve.sizes.tolist() == [1, 2, 3, 5, 7]
    for question in range(3):
        answers = np.repeat(range(3), counts[question])
        rows = slice(200 * question, 200 * question + 200)
        for k, size in enumerate(curve.sizes):
            want = by_hand(answers, right[question], size, 0.35)
            for name, value in zip(("right", "refused", "cost", "ecuas"), want, strict=True):
                got = getattr(curve, name)[rows, k]
                assert got.mean() == pytest.approx(value, abs=4 * got.std() / 200**0.5 + 1e-9), (question, size, name)


@pytest.mark.parametrize(
    ("cost", "refused"), [(0.2, [0, 1, 0]), (0.19, [1, 1, 0]), (0.4, [0, 0, 0]), (0.39, [0, 1, 0])]
)
def test_a_doubt_that_equals_the_cost_is_not_refused(cost, refused):
    counts = np.array([[4, 1], [3, 2], [5, 0]])
    curve = vote_curve(counts, np.tile([1, 0], (3, 1)), reject_cost=cost, rng=0)
    assert curve.refused[:, -1].tolist() == refused


def test_a_vote_of_all_is_the_whole_file():
    table = make("honest", 100)
    counts = table.grouped.counts
    correct = table.grouped.correct
    curve = vote_curve(counts, correct, reject_cost=0.2, rng=0)
    first = counts.argmax(axis=1)[:, None]
    np.testing.assert_array_equal(curve.right[:, -1], np.take_along_axis(correct, first, axis=1)[:, 0])
    chance = counts.max(axis=1) / 20
    np.testing.assert_allclose(curve.same[:, 0], chance, atol=4 * 0.5 / curve.n_orders**0.5)
    assert (curve.same[:, -1] == 1).all()


@settings(max_examples=12, deadline=None)
@given(st.lists(st.lists(st.integers(0, 5), min_size=3, max_size=3), min_size=2, max_size=5), st.integers(0, 99))
def test_votes_of_any_counts(rows, seed):
    counts = np.array(rows)
    counts[:, 0] += 2
    curve = vote_curve(counts, np.eye(3, dtype=int)[[k % 3 for k in range(len(counts))]], reject_cost=0.3, rng=seed)
    for name in ("right", "same", "refused", "cost"):
        values = getattr(curve, name)
        assert ((values >= 0) & (values <= 1 + 1e-12)).all()
    assert (curve.cost <= np.maximum(1 - curve.right, 0.3) + 1e-9).all() and curve.sizes[-1] <= counts.sum(axis=1).max()


def test_votes_leave_out_questions_with_few_answers():
    assert common_size(np.array([25] * 9 + [3])) == 25 and common_size(np.array([25] * 8 + [3] * 2)) == 3
    counts = np.array([[20, 5]] * 19 + [[2, 1]])
    curve = vote_curve(counts, np.tile([1, 0], (20, 1)), reject_cost=0.2, rng=0)
    assert curve.rows.tolist() == list(range(19)) and curve.sizes[-1] == 25
    more = vote_curve(np.array([[20, 5]] * 18 + [[30, 10]] * 2), np.tile([1, 0], (20, 1)), reject_cost=0.2, rng=0)
    assert more.sizes[-1] == 25 and more.rows.size == 20


def test_prices():
    curve = vote_curve(np.array([[6, 4], [9, 1], [5, 5]] * 20), np.tile([1, 0], (60, 1)), reject_cost=0.2, rng=0)
    table = price_votes(curve, 0.01, n_resamples=200, rng=0)
    np.testing.assert_allclose(table["total"], table["cost"] + 0.01 * table["size"])
    np.testing.assert_allclose(table["saved"][1:] * np.diff(table["size"]), -np.diff(table["cost"]))
    best = table["total"].idxmin()
    assert table.loc[best, ["above", "above_low", "above_high"]].tolist() == [0, 0, 0]
    assert (table["right_low"] <= table["right"]).all() and (table["right"] <= table["right_high"]).all()


def test_bootstrap_means_have_the_right_spread():
    values = np.random.default_rng(0).normal(size=(400, 2))
    drawn = bootstrap_means(values, 2000, 0)
    np.testing.assert_allclose(drawn.std(axis=0), values.std(axis=0) / 20, rtol=4 / np.sqrt(4000))
    np.testing.assert_allclose(drawn.mean(axis=0), values.mean(axis=0), atol=4 * 0.05 / 2000**0.5)


# ---- parts by hand --------------------------------------------------------------------------------------------


def test_refusals_by_hand():
    correct = np.array([1.0, 0, 1, 0])
    table = keep_answers(correct, np.array([True, True, False, False]), 0.2, 100, 0).set_index("answer")
    assert table.loc["chosen", ["answered", "wrong", "cost"]].tolist() == pytest.approx([0.5, 0.5, 1.4 / 4])
    assert table.loc["all", ["answered", "wrong", "cost"]].tolist() == [1, 0.5, 0.5]
    assert table.loc["none", "cost"] == pytest.approx(0.2) and table.loc["none", "saved"] == 0
    assert table.loc["chosen", "saved"] == pytest.approx(0.2 - 0.35)
    assert np.isnan(keep_answers(correct, np.zeros(4, bool), 0.2, 100, 0)["wrong"].iloc[0])


def test_from_which_confidence_on_an_answer_pays():
    """A confidence that is right exactly as often as it says; one that is far too low; and none that tells."""
    p = np.linspace(0.05, 0.95, 19)
    assert pays_from(p, 100 * p, 100 * (1 - p), 0.2) == pytest.approx(0.8)
    low = p**2 / (p**2 + (1 - p) ** 2)  # twice the log-odds: the truth is milder
    assert pays_from(low, 100 * p, 100 * (1 - p), 0.2) == pytest.approx(0.8**2 / (0.8**2 + 0.2**2))
    assert pays_from(p, 100 * (1 - p), 100 * p, 0.2) == np.inf and pays_from(p, 100 * (1 - p), 100 * p, 0.7) == 0
    assert pays_from(np.ones(3), np.ones(3), np.zeros(3), 0.2) == 0
    two = np.array([0.5, 1.0])  # of two samples both agree, and 78 % of these are right: not enough
    assert pays_from(two, np.array([30, 78]), np.array([70, 22]), 0.2) == np.inf
    assert pays_from(two, np.array([30, 81]), np.array([70, 19]), 0.2) < 1
    assert pays_from(np.ones(3), np.zeros(3), np.ones(3), 0.2) == np.inf


def test_over_confidence_by_hand():
    table = over_confidence({"a": np.array([0.9, 0.5, np.nan, 0.7])}, np.array([1, 0, 1, -1]), 100, 0)
    assert table.loc[0, ["if_right", "if_wrong"]].tolist() == [0.9, 0.5]
    assert table.loc[0, ["n", "confidence", "right", "over"]].tolist() == pytest.approx([2, 0.7, 0.5, 0.2])


def test_strata_and_hard_questions_by_hand():
    questions = pd.DataFrame({
        "question": list("abcde"), "gap": [0, 0.1, 0.3, 0.2, 0.0], "sem1": [1, 0.6, 0.5, 0.5, 0.9],
        "correct": [1, 1, 0, -1, 0],
    })  # fmt: skip
    table = gap_strata(questions)
    assert table["stratum"].tolist() == ["no gap", "smaller gap", "larger gap"] and table["n"].tolist() == [2, 2, 1]
    assert table["n_known"].tolist() == [2, 1, 1] and table["right"].tolist() == [0.5, 1.0, 0.0]
    assert gap_strata(questions.assign(gap=0.1))["stratum"].tolist() == ["a gap"]
    grouped = table_of_counts(
        [[4, 0], [3, 2], [2, 3], [3, 3], [9, 1]], [[1, 0], [1, 0], [0, 0], [-1, -1], [0, 1]]
    ).grouped
    sure = sure_but_wrong(questions, questions["sem1"].to_numpy(), grouped)
    assert sure["question"].tolist() == ["e", "c"] and sure["confidence"].tolist() == [0.9, 0.5]
    hard = hardest(questions, grouped, 3)
    assert hard["question"].tolist() == ["c", "d", "b"] and hard["answers"].iloc[0] == [(1, 3), (0, 2)]
    assert pd.isna(hard["reference"].iloc[0]) and hard["reference"].tolist()[1:] == ["", 0]


def test_a_confidence_in_the_wrong_order_is_named():
    """As SmolLM2's: stated higher where the answer is wrong; a constant tells nothing, and is not called wrong."""
    rng = np.random.default_rng(0)
    table = make(n=200)
    right = audit_answers(table, n_resamples=100, rng=0).correct
    for stated, words in (
        (np.clip(0.7 - 0.3 * right + rng.normal(0, 0.1, 200), 0, 1), "Stated confidence is in the wrong order"),
        (np.where(rng.random(200) < 0.5, 0.4, 0.6), "Stated confidence does not surely tell right answers"),
    ):
        grouped = table.grouped
        drawn = table_of_counts(grouped.counts, grouped.correct, confidence=stated)
        report = audit_answers(drawn, n_resamples=100, rng=0)
        assert words in summary(report)["Answer"]["Can the confidence be believed?"]


def test_the_plan_is_the_cheapest_vote_with_its_cut():
    """Two of three agree by luck half the time, three of three mostly where the answer is right."""
    counts = np.array([[20, 0], [10, 10]] * 60)
    right = np.array([[1, 0], [0, 1]] * 60)
    report = audit_answers(table_of_counts(counts, right), n_resamples=100, reject_cost=0.3, price=0.0, rng=0)
    plans = list_plans(report).set_index("plan")
    assert plans.loc["hand over every question", "total"] == 0.3
    np.testing.assert_allclose(plans[["samples", "mistakes", "hand_overs"]].sum(axis=1), plans["total"])
    best = report.sizes.loc[report.sizes["total"].idxmin()]
    assert best["least"] > 0.7 * best["size"] and report.verdict == "surely"
    assert best["wrong_among_low"] <= best["wrong_among"] <= best["wrong_among_high"]


def test_questions_of_one_family_are_found_where_they_are_right_together():
    names = np.array([f"What is {k} + {k}?" for k in range(50)] + [f"Which day comes after {k}?" for k in range(50)])
    names = names.astype(object)
    together = np.repeat([1, 0], 50)
    found = find_families(names, together)
    assert found["n"] == 100 and found["families"] == 2 and found["wider"] == pytest.approx(np.sqrt(50))
    assert find_families(names, np.random.default_rng(3).permutation(together)) is None
    assert find_families(np.arange(100), together) is None and find_families(names, np.ones(100, int)) is None
    assert beginnings(["What is 10 - 6?", "q17", None]) == ["what is # -", "", ""]


def test_the_shipped_file_has_a_story():
    """Too sure by agreement; a large gap tells wrong answers; three to seven answers do."""
    report = audit_answers(read_answers(), n_resamples=200, rng=0)
    over = report.over.set_index("source")
    assert over.loc["sem1", "low"] > 0 and report.calibration.errors["sem1"].p_value < 0.01
    strata = report.strata.set_index("stratum")
    assert strata.loc["larger gap", "high"] < strata.loc["no gap", "low"]
    assert report.advice.source == "stated" and report.advice.certificate.certified and report.worth_asking


# ---- phrases --------------------------------------------------------------------------------------------------


def test_numbers_in_words():
    assert number(float("nan"), 1) == "–" and number(0.12345, 0.0001) == "0.1235" and number(-0.001, 0.2) == "0.00"
    assert measured(float("inf"), 0, 1) == "infinite" and measured(0.5, 0.4, 0.6, sign=True).startswith("+0.50")
    assert hundred(0) == "0.0" and hundred(0.00004) == "0.004"
    assert hundred(0, 2) == "0.00" and hundred(-0.001, 2) == "-0.10"
    assert points_apart(0.0001, -0.01, 0.01).startswith("0.0") and shares(float("nan"), 0, 1) == "–"
    assert short(None) == "–" and short("a  b\nc") == "a b c" and len(short("x" * 100)) == 41


def test_a_file_is_read_and_checked_once_on_its_way_to_the_report(monkeypatch):
    calls = Counter()

    def counted(function):
        def call(*arguments, **options):
            calls[function.__name__] += 1
            return function(*arguments, **options)

        return call

    for name in ("spell_answers", "parse_confidences"):
        for module in (answer_tables, counts):
            monkeypatch.setattr(module, name, counted(getattr(module, name)))
    for name in ("check_answers", "check_exponent", "ecuas_from_uncertainty", "chow_cost"):
        monkeypatch.setattr(abstention, name, counted(getattr(abstention, name)))
    audit_answers(read_answers(), n_resamples=100, rng=0)
    # answers by the rule of numbers (looked at, then read), then answers and references by both rules
    assert calls == {"spell_answers": 4, "parse_confidences": 1}
