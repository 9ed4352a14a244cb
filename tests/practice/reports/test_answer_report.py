"""The numbers of the report on sampled answers, against truth and by hand; its files; bad input."""

import itertools
import json
from functools import cache

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from scipy.special import expit

from helpers.answers import AnswerPopulation
from helpers.practice.reports import audit_answers, negative_control, read_table
from helpers.practice.reports.answer_numbers import (
    common_size,
    compare_pair,
    find_groups,
    over_confidence,
    vote_chances,
)
from helpers.practice.reports.findings import fill
from helpers.practice.tables import read_answers, table_of_counts


def make(kind="honest", n=120):
    """A small file with known truth."""
    rng = np.random.default_rng(0)
    model = AnswerPopulation.dirichlet(n, 4, rng=rng)
    drawn = model.sample(2 if kind == "two answers" else 20, rng)
    counts = drawn.counts
    if kind == "unanimous":
        counts = np.where(np.arange(counts.shape[1]) == 0, 20, 0) + 0 * counts
    correct = {
        "all right": np.ones_like(drawn.correct),
        "all wrong": np.zeros_like(drawn.correct),
        "no reference": None,
        "partly graded": np.where(np.arange(n)[:, None] % 3 == 0, drawn.correct, -1),
    }.get(kind, drawn.correct)
    stated = model.oracle_confidence.copy()
    stated[:: {"stated": n + 1, "half stated": 3}.get(kind, 1)] = np.nan
    stated[0] = 0.9
    return table_of_counts(counts, correct, confidence=stated if "stated" in kind else None, name="my.csv")


@pytest.fixture(scope="module")
def reports():
    made = cache(lambda kind, n, **terms: audit_answers(make(kind, n), n_resamples=100, rng=0, **terms))
    return lambda kind, n=120, **terms: made(kind, n, **terms)


KINDS = [
    "honest", "unanimous", "all right", "all wrong", "no reference", "partly graded", "two answers", "stated",
    "half stated", "hardly stated",
]  # fmt: skip


@pytest.mark.parametrize(("kind", "n"), [*((kind, 120) for kind in KINDS), ("honest", 2), ("honest", 29)])
def test_every_file_gets_an_answer_metrics_and_figures(reports, kind, n):
    report = reports(kind, n)
    assert str(report).startswith(report.headline) and report._repr_html_()
    assert report.parameter_table.notna().all(axis=None)
    found = report.metrics()
    json.dumps(found)
    assert found["n_questions"] == n and bool(found["limitation"]) == (found["n_known"] < 30)
    assert ("sem1_calibration_ece" in found) == (not found["limitation"]) == ("certified" in found)
    for name in report.figure_names:
        assert report.draw(name) is not None
        plt.close("all")
        title = fill(report.words.figures[name].title, report=report)
        assert len(title) > 20 and title[0].isupper() and title[-1] not in ".:,;", title


def test_what_cannot_be_said_is_left_empty(reports):
    kinds = {kind: reports(kind).findings["kind"].tolist() for kind in ("hardly stated", "partly graded")}
    assert "stated" in reports("half stated").sources and "hardly_stated" in kinds["hardly stated"]
    assert "partly_known" in kinds["partly graded"] and reports("partly graded").promises.best.n == 40
    report = reports("no reference")
    assert report.found[0].kind == "use_unknown" and report.accuracy is None and negative_control(report) is None
    few = reports("honest", 29)
    assert few.accuracy is not None and "29" in few.limitation and few.promises is None


@pytest.mark.parametrize(("kind", "terms"), [("stated", {}), ("unanimous", {"draws": 5})])
def test_control_finds_nothing(reports, kind, terms):
    control = negative_control(reports(kind), rng=1, **terms)
    assert control.draws == terms.get("draws", 20) and set(control.trials["test"]) == set(reports(kind).sources)
    assert control.trials.groupby("test")["alarm"].sum().max() <= 5
    assert "calibration error" in str(control) and "loss" not in str(control)


def test_same_seed_same_report_in_any_order_of_the_questions():
    drawn = AnswerPopulation.dirichlet(100, 3, rng=0).sample(9, rng=1)
    order = np.random.default_rng(2).permutation(100)
    table, shuffled = (table_of_counts(drawn.counts[rows], drawn.correct[rows]) for rows in (np.arange(100), order))
    before = table.grouped.counts.copy()
    one, two, same = (audit_answers(each, n_resamples=100, rng=0).metrics() for each in (table, shuffled, table))
    assert same == one and (table.grouped.counts == before).all()
    for name in ("accuracy", "sem2_mean", "sem1_calibration_ece"):
        assert one[name] == pytest.approx(two[name], abs=1e-9)


@pytest.mark.parametrize(
    ("name", "terms"),
    [
        ("reject_cost", {"reject_cost": 1}),
        ("reject_cost", {"reject_cost": float("nan")}),
        ("price", {"reject_cost": 0.2, "price": -1}),
        ("price", {"price": 0.01}),
        ("n_resamples", {"n_resamples": 99}),
        ("precision", {"precision": 1}),
    ],
)
def test_bad_terms(name, terms):
    with pytest.raises(ValueError, match=f"^{name} "):
        audit_answers(make(), **terms)


def test_zero_is_for_not_given(reports):
    assert reports("honest", reject_cost=0, price=0).metrics() == reports("honest").metrics()


@pytest.mark.slow
def test_an_honest_model_and_one_that_is_too_sure():
    """Against the exactly computed difference of mean confidence and accuracy, in standard errors."""
    for dial in (0.0, 0.5):
        model = AnswerPopulation.dirichlet(1500, 4, overconfidence=dial, rng=7)
        drawn = model.sample(20, rng=8)
        exact = model.calibration(20, ties="average")
        report = audit_answers(table_of_counts(drawn.counts, drawn.correct), n_resamples=100, rng=0)
        row = report.over.set_index("source").loc["sem1"]
        assert row["over"] == pytest.approx(exact.confidence1 - exact.accuracy, abs=(row["high"] - row["low"]) / 2)
        held_out = report.over.set_index("source").loc["sem2", "over"]
        assert held_out < row["over"] and (row["low"] > 0.1) == (dial == 0.5)


@pytest.mark.slow
def test_a_confidence_that_is_too_high_certifies_by_its_order():
    """Agreement knows little; the stated confidence is far too high, and its order is good."""
    rng = np.random.default_rng(0)
    odds = rng.normal(1.2, 1.8, 1500)
    right = rng.random(1500) < 1 / (1 + np.exp(-odds))
    agree = rng.integers(10, 21, 1500)
    counts = np.column_stack([np.where(right, agree, 20 - agree), np.where(right, 20 - agree, agree)])
    table = table_of_counts(counts, np.tile([1, 0], (1500, 1)), confidence=np.clip(0.97 + 0.005 * odds, 0, 1))
    report = audit_answers(table, n_resamples=100, rng=0)
    assert report.over["over"].iloc[2] > 0.2 and report.stated_gain[2] < 0
    assert report.promises.source == "stated" == report.best_source


def topics_and_right(n, seed, legal=0.22):
    """Whether answers are right, 93 % of them, where legal fewer; their topics."""
    rng = np.random.default_rng(seed)
    topic = rng.choice(["billing", "legal", "other"], n, p=[0.5, 0.15, 0.35])
    return rng.random(n) < np.where(topic == "legal", legal, 0.93), pd.DataFrame({"topic": topic})


def tickets(n, seed):
    """Unanimous answers by topic."""
    right, topics = topics_and_right(n, seed)
    rows = [[k, "yes" if right[k] else "no", "yes", topics["topic"][k]] for k in range(n) for _ in range(2)]
    return read_answers(pd.DataFrame(rows, columns=["question", "answer", "reference", "topic"]))


@pytest.mark.parametrize("precision", [0.75, 0.85])
def test_a_topic_that_is_wrong_is_named_and_the_rest_may_be_used(precision):
    """Also where the promise would hold with it."""
    report = audit_answers(tickets(900, 0), precision=precision, n_resamples=100, rng=0)
    assert report.metrics()["groups"] == ["topic is legal"]
    (use,) = report._findings_of("use")
    assert (use.kind, use.more["limits"]) == ("use_some", ["not where topic is legal"])
    assert "not where topic is legal" in report.headline and "not where topic is legal" in report.steps.index[0]
    rows = report.answer_rows
    assert ((rows["use_certified"] == "yes") == (rows["topic"] != "legal")).all()


def test_topics_are_found_where_the_confidence_is_always_the_same():
    """As at temperature 0. A column that gives right and wrong away is left out, and named."""
    table = tickets(600, 1)
    correct = table.grouped.correct[:, 0]
    terms = (correct, np.full(600, 0.99), 0)
    groups = find_groups(table.features, *terms).table
    assert groups["rule"].iloc[0] == "topic is legal" and groups["stated"].iloc[0] == pytest.approx(0.99)
    leaked = find_groups(table.features.assign(topic=correct * 1.0), *terms)
    assert leaked.table is None and "topic" in leaked.notes[0]


@pytest.mark.slow
@pytest.mark.parametrize("spread", [0.0, 1.5])
def test_questions_on_one_text_that_are_right_together_raise_the_question(spread):
    rng = np.random.default_rng(8)
    text = np.repeat(np.arange(60), 10)
    q = expit(0.5 + spread * rng.normal(size=60)[text])
    right = rng.random(text.size) < q
    agree = rng.integers(3, 6, text.size)
    answers = [("a" if k < n else "b") for n in agree for k in range(5)]
    frame = pd.DataFrame({"question": np.repeat(np.arange(text.size), 5), "answer": answers})
    frame["reference"] = np.repeat(np.where(right, "a", "c"), 5)
    frame["passage"] = np.repeat(text, 5)
    report = audit_answers(read_answers(frame), n_resamples=100, rng=0)
    found = {finding.kind: finding for finding in report.found}
    assert ("questions_depend" in found) == (spread > 0) != ("questions_independent" in found)
    if spread:
        assert found["questions_depend"].subject == "passage"
        correlation = np.var(expit(0.5 + spread * np.random.default_rng(0).normal(size=10**5))) / (0.6 * 0.4)
        assert found["questions_depend"].value == pytest.approx(np.sqrt(1 + 9 * correlation), rel=0.25)


def test_topics_that_are_alike_are_rarely_named():
    named = 0
    for seed in range(40):
        right, topics = topics_and_right(300, seed, legal=0.93)
        confidence = np.random.default_rng(seed).choice([0.5, 1.0], 300)
        named += len(find_groups(topics, right.astype(int), confidence, seed).table) > 0
    assert named <= 6


def by_hand(answers, right, size):
    """Chance that a vote of `size` is right, by going through all subsets; any of a tie may be chosen."""
    chances = []
    for subset in itertools.combinations(range(len(answers)), size):
        votes = np.bincount([answers[k] for k in subset], minlength=len(right))
        leads = np.flatnonzero(votes == votes.max())
        chances.append(np.mean([right[k] for k in leads]))
    return np.mean(chances)


def test_votes_against_all_subsets():
    counts = np.array([[4, 2, 1], [3, 3, 1], [7, 0, 0]])
    right = np.array([[1, 0, 0], [0, 1, 0], [1, 0, 0]])
    sizes, _, chances = vote_chances(np.repeat(counts, 200, axis=0), np.repeat(right, 200, axis=0), rng=0)
    assert sizes.tolist() == [1, 2, 3, 5, 7]
    for question in range(3):
        answers = np.repeat(range(3), counts[question])
        drawn = chances[200 * question : 200 * question + 200]
        for k, size in enumerate(sizes):
            within = 4 * drawn[:, k].std() / 200**0.5 + 1e-9
            assert drawn[:, k].mean() == pytest.approx(by_hand(answers, right[question], size), abs=within)


def test_votes_leave_out_questions_with_few_answers():
    assert common_size(np.array([25] * 9 + [3])) == 25 and common_size(np.array([25] * 8 + [3] * 2)) == 3
    for counts, n in (([[20, 5]] * 19 + [[2, 1]], 19), ([[20, 5]] * 18 + [[30, 10]] * 2, 20)):
        sizes, _, right = vote_chances(np.array(counts), np.tile([1, 0], (20, 1)), rng=0)
        assert sizes[-1] == 25 and len(right) == n


def test_over_confidence_by_hand():
    table = over_confidence({"a": np.array([0.9, 0.5, np.nan, 0.7])}, np.array([1, 0, 1, -1]), 100, 0)
    assert table.loc[0, ["if_right", "if_wrong"]].tolist() == [0.9, 0.5]
    assert table.loc[0, ["n", "confidence", "right", "over"]].tolist() == pytest.approx([2, 0.7, 0.5, 0.2])
    for n_right, is_biased in ((60, False), (63, True)):
        row = over_confidence({"a": np.full(100, 0.5)}, (np.arange(100) < n_right).astype(int), 1000, 0).loc[0]
        assert row["high"] < 0 and row["biased"] == is_biased


def test_two_systems_by_hand():
    """Matched by name, in any order; one question of each has no partner."""
    first = table_of_counts([[4, 0]] * 4, [[1, 0], [1, 0], [0, 1], [1, 0]])
    second = table_of_counts([[2, 2]] * 4, [[1, 0], [0, 1], [0, 1], [1, 0]])
    first.grouped.questions[:] = [1, 2, 3, 9]
    second.grouped.questions[:] = [3, 2, 1, 8]
    agreement = (np.ones(4), np.full(4, 0.5))
    correct = (np.array([1, 1, 0, 1]), np.array([1, 0, 0, 1]))
    pair = compare_pair(("a", "b"), (first, second), agreement, correct, 100, 0)
    assert (pair.n, pair.only) == (3, (2, 1))
    measures = pair.measures[["first", "second"]]
    np.testing.assert_allclose(measures.loc[["right", "over"]], [[2 / 3, 1 / 3], [1 / 3, 1 / 6]])
    second.grouped.questions[:] += 100
    with pytest.raises(ValueError, match="share 0"):
        compare_pair(("a", "b"), (first, second), agreement, correct, 100, 0)


@pytest.mark.slow
def test_a_system_is_not_better_than_itself_and_a_better_one_is_found():
    rng = np.random.default_rng(0)
    made = [AnswerPopulation.dirichlet(300, 4, overconfidence=dial, rng=1).sample(10, rng) for dial in (0, 0, 0.6)]
    tables = [table_of_counts(drawn.counts, drawn.correct) for drawn in made]
    for other, kind in zip(tables[1:], ("undecided", "better"), strict=True):
        report = audit_answers(tables[0], against=other, names=("a", "b"), n_resamples=200, rng=0)
        assert kind in report.findings["kind"].tolist()


def odd_file(n=300, seed=0):
    """Answers with texts that spreadsheets would run; one topic in which they are often wrong."""
    rng = np.random.default_rng(seed)
    rows = []
    for question in range(n):
        odd = question % 3 == 0
        answers = np.where(rng.random(8) < (0.2 if odd else rng.random() ** 0.05), "+yes", "@no")
        rows += [[f"=q{question}", answer, "+yes", "95%", "@odd" if odd else "=legal"] for answer in answers]
    return pd.DataFrame(rows, columns=["question", "answer", "reference", "confidence", "topic"])


@pytest.mark.slow
def test_a_row_a_question_that_no_spreadsheet_computes(tmp_path):
    odd_file().to_csv(tmp_path / "mine.csv", index=False)
    terms = {"against": read_answers(odd_file(seed=1)), "names": ("old", "new"), "precision": 0.8, "reject_cost": 0.2}
    report = audit_answers(read_answers(tmp_path / "mine.csv"), **terms, n_resamples=200, rng=0)
    page = report.save(tmp_path / "out").read_text(encoding="utf-8")
    assert report.table.sha256 in page and "answers.csv" in page and report.headline in page
    rows = pd.read_csv(tmp_path / "out" / "answers.csv")
    share = rows["right"].fillna(rows["right_of_tied"])  # of equally frequent answers
    assert len(rows) == 300 and share.mean() == pytest.approx(report.accuracy[0])
    best = report.promises.best
    used = rows[rows["use_certified"] == "yes"]
    assert best.certified and (len(used), used["right"].sum()) == (best.n_accepted, best.n_right)
    assert ((rows["use_by_cost"] == "yes") == report.cost_rule.used).all()
    assert not rows[["question", "answer", "topic"]].apply(lambda texts: texts.str.match(r"[=+@-]")).any(axis=None)
    carried = read_table(tmp_path / "out" / "answers.csv", "right", "agreement", features=["topic"])  # to notebook 13
    assert carried.n == rows["right"].count() and carried.features == ["topic"]


def test_without_right_answers_there_are_files_too(reports, tmp_path):
    reports("no reference").save_files(tmp_path)
    assert "use_certified" not in pd.read_csv(tmp_path / "answers.csv")
