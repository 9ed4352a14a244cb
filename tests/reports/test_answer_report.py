"""The numbers of the report on sampled answers, against truth and by hand, and what is left unsaid."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from helpers.answers import AnswerPopulation
from helpers.reports import audit_answers, check_terms, negative_control
from helpers.reports.answer_costs import keep_answers, pays_from, recalibrated
from helpers.reports.answer_groups import find_groups
from helpers.reports.answer_numbers import bootstrap_means, gap_strata, hardest, over_confidence, sure_but_wrong
from helpers.reports.answer_promises import promise
from helpers.reports.phrases import hundred, measured, number, shares, short
from helpers.reports.votes import common_size, vote_chances
from helpers.tables import read_answers, table_of_counts


def make(kind="honest", n=120):
    """A small file with known truth."""
    rng = np.random.default_rng(0)
    model = AnswerPopulation.dirichlet(n, 4, overconfidence=0.5 if kind == "too sure" else 0.0, rng=rng)
    drawn = model.sample(2 if kind == "two answers" else 20, rng)
    counts = drawn.counts
    if kind == "unanimous":
        counts = np.where(np.arange(counts.shape[1]) == 0, 20, 0) + 0 * counts
    elif kind == "uneven":
        counts = np.where(np.arange(n)[:, None] % 30 == 0, np.minimum(counts, 2), counts)
        counts[counts.sum(axis=1) < 2, 0] = 2
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
    made = {}

    def report(kind, n=120, **terms):
        key = (kind, n, *terms.items())
        if key not in made:
            made[key] = audit_answers(make(kind, n), n_resamples=100, rng=0, **terms)
        return made[key]

    return report


# ---- every kind of file ---------------------------------------------------------------------------------------


KINDS = [
    "honest", "too sure", "unanimous", "all right", "all wrong", "no reference", "partly graded", "uneven",
    "two answers", "stated", "half stated", "hardly stated",
]  # fmt: skip
CASES = [*[(kind, 120) for kind in KINDS], ("honest", 2), ("honest", 29), ("too sure", 30), ("no reference", 5)]


@pytest.mark.parametrize(("kind", "n"), CASES)
def test_every_file_gets_an_answer_metrics_and_figures(reports, kind, n):
    report = reports(kind, n)
    assert report.headline and report.has("read") and report.parameter_table.notna().all(axis=None)
    found = report.metrics()
    json.dumps(found)
    assert found["n_questions"] == n and bool(found["obstacle"]) == (found["n_known"] < 30)
    assert ("sem1_calibration_ece" in found) == (not found["obstacle"]) == ("certified" in found)
    assert all(value is None or isinstance(value, (str, int, float, list)) for value in found.values())
    assert len(report.figure_names) == (1 if report.obstacle else 3)
    for name in report.figure_names:
        assert report.draw(name) is not None
        plt.close("all")


def test_what_cannot_be_said_is_left_empty(reports):
    found = {kind: set(reports(kind).findings["kind"]) for kind in ("hardly stated", "partly graded")}
    assert "stated" in reports("half stated").sources and "hardly_stated" in found["hardly stated"]
    report = reports("no reference")
    assert report.accuracy is None and report.promises is None and report.wrong_table is None
    assert list(report.sample_table.columns) == ["same answer as all"] and negative_control(report) is None
    few = reports("honest", 29)
    assert few.accuracy is not None and "known for only 29 questions; at least 30" in few.obstacle
    partly = reports("partly graded")
    assert partly.calibration.n_ungraded == 80 and "partly_known" in found["partly graded"]
    assert partly.known.sum() == 40 == partly.promises.certificate.n


@pytest.mark.parametrize("kind", ["honest", "stated", "unanimous"])
def test_control_finds_nothing(reports, kind):
    control = negative_control(reports(kind), rng=1)
    assert control.draws == 20 and list(control.alarms_by_test) == list(reports(kind).sources)
    assert all(count <= 5 for count in control.alarms_by_test.values())


def test_same_seed_same_report_in_any_order_of_the_questions():
    model = AnswerPopulation.dirichlet(100, 3, rng=0)
    drawn = model.sample(9, rng=1)
    order = np.random.default_rng(2).permutation(100)
    tables = [table_of_counts(drawn.counts[rows], drawn.correct[rows]) for rows in (np.arange(100), order)]
    tables.append(tables[0])
    before = tables[0].grouped.counts.copy()
    one, two, same = (audit_answers(table, reject_cost=0.2, n_resamples=100, rng=0).metrics() for table in tables)
    assert same == one and (tables[0].grouped.counts == before).all()
    for name in ("accuracy", "sem2_mean", "sem1_calibration_ece", "sem2_aurc", "chosen_cost"):
        assert one[name] == pytest.approx(two[name], abs=0.02 if name == "chosen_cost" else 1e-9)  # folds differ


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ({"reject_cost": 1}, "reject_cost must lie between 0 and 1"),
        ({"reject_cost": float("nan")}, "reject_cost must lie between 0 and 1"),
        ({"reject_cost": "0.2"}, "reject_cost must hold numbers"),
        ({"reject_cost": 0.2, "price": -1}, "price must be at least 0 and finite"),
        ({"price": float("inf")}, "price must be at least 0 and finite"),
        ({"price": 0.01}, "price is given without reject_cost"),
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


def test_zero_is_for_not_given(reports):
    assert reports("honest", reject_cost=0, price=0).metrics() == reports("honest").metrics()


# ---- confidences and promises ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_honest_model_and_one_that_is_too_sure():
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


def ordered_but_too_high(n, rng):
    """Agreement that knows little, and a stated confidence far too high whose order is good."""
    odds = rng.normal(1.2, 1.8, n)
    right = rng.random(n) < 1 / (1 + np.exp(-odds))
    agree = rng.integers(10, 21, n)
    first = np.column_stack([np.where(right, agree, 20 - agree), np.where(right, 20 - agree, agree)])
    return table_of_counts(first, np.tile([1, 0], (n, 1)), confidence=np.clip(0.97 + 0.005 * odds, 0, 1)), right


def test_a_confidence_that_is_too_high_certifies_by_its_order():
    """As an expert's stated confidence does, whose ECUAS as it stands is no better than that of agreement."""
    report = audit_answers(ordered_but_too_high(1500, np.random.default_rng(0))[0], n_resamples=100, rng=0)
    ecuas = report.costs[report.costs["metric"] == "ecuas_1"].set_index("system")["value"]
    assert ecuas["stated"] > ecuas["sem1"] - 0.02 and report.stated_gain[2] < 0
    assert report.promises.source == "stated" == report.best_source
    never = [finding for finding in report.found if finding.kind == "promise_never"]
    assert [finding.subject for finding in never] in ([], ["agreement"])


@pytest.mark.slow
def test_promises_of_two_confidences_hold_together(monkeypatch):
    """The one that certifies most is chosen afterwards: all the same it breaks in at most 5 % of files."""
    monkeypatch.setattr("helpers.reports.answer_promises.PROMISES", ())
    rng = np.random.default_rng(0)
    broken = 0
    n_files = 400
    for _ in range(n_files):
        chance = np.repeat([0.95, 0.87, 0.5], 200)  # 0.91 of the first two groups together
        sources = {
            "sem1": np.repeat([0.9, 0.8, 0.2], 200),
            "stated": np.r_[np.full(200, 0.9), np.tile([0.8, 0.7], 100), np.full(200, 0.1)],
        }
        correct = (rng.random(600) < chance).astype(int)
        used = promise(sources, correct, 0.92).used
        broken += used.any() and chance[used].mean() < 0.92
    assert broken / n_files <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / n_files)


def test_one_confidence_spends_the_whole_error():
    correct = np.r_[np.ones(29, int), 0]
    confidence = np.r_[np.full(29, 0.9), 0.1]
    alone = promise({"sem1": confidence}, correct, 0.9)
    both = promise({"sem1": confidence, "stated": confidence}, correct, 0.9)
    assert [made.certificates["sem1"].level for made in (alone, both)] == pytest.approx([0.95, 0.975])


# ---- groups of questions --------------------------------------------------------------------------------------


def tickets(n, seed, legal=0.22):
    """Unanimous answers by topic: right in 93 %, where legal in fewer."""
    rng = np.random.default_rng(seed)
    topic = rng.choice(["billing", "legal", "other"], n, p=[0.5, 0.15, 0.35])
    right = rng.random(n) < np.where(topic == "legal", legal, 0.93)
    rows = [[k, "yes" if right[k] else "no", "yes", topic[k]] for k in range(n) for _ in range(2)]
    return read_answers(pd.DataFrame(rows, columns=["question", "answer", "reference", "topic"]))


def test_a_topic_that_is_wrong_is_named_and_its_answers_are_not_advised():
    report = audit_answers(tickets(900, 0), precision=0.75, n_resamples=100, rng=0)
    assert report.groups.table["rule"].tolist() == ["topic is legal"] and report.groups.n_rest > 700
    assert "topic is legal" in report.headline and report.steps.index[0].endswith("but none where topic is legal.")
    assert report.metrics()["groups"][0] == "topic is legal"


def test_what_is_outside_of_a_wrong_topic_may_be_used_where_nothing_else_may():
    report = audit_answers(tickets(900, 0), precision=0.85, n_resamples=100, rng=0)
    assert "use_rest" in report.findings["kind"].tolist() and "topic is legal" in report.headline


def test_topics_are_found_where_the_confidence_is_always_the_same():
    """As at temperature 0. A column that gives right and wrong away is left out, and named."""
    table = tickets(600, 1)
    correct = table.grouped.correct[:, 0]
    groups = find_groups(table.features, correct, np.full(600, 0.99), np.zeros(600, bool), 0)
    assert groups.table["rule"].iloc[0] == "topic is legal" and groups.table["stated"].iloc[0] == pytest.approx(0.99)
    told = find_groups(table.features.assign(topic=correct * 1.0), correct, np.full(600, 0.99), np.zeros(600, bool), 0)
    assert told.table is None and "topic gives the outcome away" in told.notes[0]


@pytest.mark.slow
def test_topics_that_are_alike_are_rarely_named():
    named = 0
    for seed in range(40):
        table = tickets(300, seed, legal=0.93)
        correct = table.grouped.correct[:, 0]
        confidence = np.random.default_rng(seed).choice([0.5, 1.0], 300)
        named += len(find_groups(table.features, correct, confidence, np.zeros(300, bool), seed).table) > 0
    assert named <= 6


# ---- votes of fewer answers -----------------------------------------------------------------------------------


def by_hand(answers, right, size):
    """Chance that a vote of `size` is right, by going through all subsets; any of a tie may be first."""
    found = []
    for subset in itertools.combinations(range(len(answers)), size):
        votes = np.bincount([answers[k] for k in subset], minlength=len(right))
        leads = np.flatnonzero(votes == votes.max()) if size < len(answers) else [votes.argmax()]  # the file's first
        found.append(np.mean([right[k] for k in leads]))
    return np.mean(found)


def test_votes_against_all_subsets():
    counts = np.array([[4, 2, 1], [3, 3, 1], [7, 0, 0]])
    right = np.array([[1, 0, 0], [0, 1, 0], [1, 0, 0]])
    sizes, _, chances = vote_chances(np.repeat(counts, 200, axis=0), np.repeat(right, 200, axis=0), rng=0)
    assert sizes.tolist() == [1, 2, 3, 5, 7]
    for question in range(3):
        answers = np.repeat(range(3), counts[question])
        got = chances[200 * question : 200 * question + 200]
        for k, size in enumerate(sizes):
            within = 4 * got[:, k].std() / 200**0.5 + 1e-9
            assert got[:, k].mean() == pytest.approx(by_hand(answers, right[question], size), abs=within)


def test_votes_leave_out_questions_with_few_answers():
    assert common_size(np.array([25] * 9 + [3])) == 25 and common_size(np.array([25] * 8 + [3] * 2)) == 3
    for counts, n in (([[20, 5]] * 19 + [[2, 1]], 19), ([[20, 5]] * 18 + [[30, 10]] * 2, 20)):
        sizes, _, right = vote_chances(np.array(counts), np.tile([1, 0], (20, 1)), rng=0)
        assert sizes[-1] == 25 and len(right) == n


# ---- costs ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("samples", [0, 0.05])
def test_refusals_by_hand(samples):
    correct = np.array([1.0, 0, 1, 0])
    table = keep_answers(correct, np.array([True, True, False, False]), 0.2, samples, 100, 0)
    chosen = 1.4 / 4 + samples
    assert table.loc["chosen", ["answered", "wrong", "cost"]].tolist() == pytest.approx([0.5, 0.5, chosen])
    assert table.loc["all", ["answered", "wrong", "cost"]].tolist() == [1, 0.5, 0.5 + samples]
    assert table.loc["none", "cost"] == pytest.approx(0.2) and table.loc["none", "saved"] == 0
    assert table.loc["chosen", "saved"] == pytest.approx(0.2 - chosen)
    assert np.isnan(keep_answers(correct, np.zeros(4, bool), 0.2, samples, 100, 0)["wrong"].iloc[0])


def test_samples_are_paid_and_one_is_priced_alone(reports):
    free = reports("honest", reject_cost=0.3).prices.table
    paid = reports("honest", reject_cost=0.3, price=0.001).prices.table
    np.testing.assert_allclose(paid["cost"][:3] - free["cost"], [0.02, 0.02, 0])
    right = reports("honest").sizes["right"].iloc[0]
    assert "one" not in free.index and paid.loc["one", "cost"] == pytest.approx(1 - right + 0.001)


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


# ---- parts by hand --------------------------------------------------------------------------------------------


def test_recalibrated_confidence_has_not_seen_its_question():
    rng = np.random.default_rng(0)
    p = rng.random(4000)
    y = (rng.random(4000) < p**3).astype(float)
    fold = np.arange(4000) % 10
    chance = recalibrated(p, y, fold)
    assert abs(chance - p**3).mean() < 0.05
    flipped = np.where(fold == 0, 1 - y, y)
    np.testing.assert_array_equal(recalibrated(p, flipped, fold)[fold == 0], chance[fold == 0])
    assert np.ptp(recalibrated(p, (rng.random(4000) < 1 - p).astype(float), fold)) < 0.02


def test_strata_and_hard_questions_by_hand():
    questions = pd.DataFrame({
        "question": list("abcde"), "gap": [0, 0.1, 0.3, 0.2, 0.0], "sem1": [1, 0.6, 0.5, 0.5, 0.9],
        "correct": [1, 1, 0, -1, 0],
    })  # fmt: skip
    table = gap_strata(questions)
    assert table["stratum"].tolist() == ["no gap", "smaller gap", "larger gap"] and table["n"].tolist() == [2, 2, 1]
    assert table["n_known"].tolist() == [2, 1, 1] and table["right"].tolist() == [0.5, 1.0, 0.0]
    counts = [[4, 0], [3, 2], [2, 3], [3, 3], [9, 1]]
    grouped = table_of_counts(counts, [[1, 0], [1, 0], [0, 0], [-1, -1], [0, 1]]).grouped
    sure = sure_but_wrong(questions, questions["sem1"].to_numpy(), grouped)
    assert sure["question"].tolist() == ["e", "c"] and sure["confidence"].tolist() == [0.9, 0.5]
    hard = hardest(questions, grouped, 3)
    assert hard["question"].tolist() == ["c", "d", "b"] and hard["answers"].iloc[0] == [(1, 3), (0, 2)]
    assert pd.isna(hard["reference"].iloc[0]) and hard["reference"].tolist()[1:] == ["", 0]


def test_over_confidence_by_hand():
    table = over_confidence({"a": np.array([0.9, 0.5, np.nan, 0.7])}, np.array([1, 0, 1, -1]), 100, 0)
    assert table.loc[0, ["if_right", "if_wrong"]].tolist() == [0.9, 0.5]
    assert table.loc[0, ["n", "confidence", "right", "over"]].tolist() == pytest.approx([2, 0.7, 0.5, 0.2])


def test_numbers_that_are_missing_or_infinite_in_words():
    assert number(float("nan"), 1) == shares(float("nan"), 0, 1) == short(None) == "–"
    assert measured(float("inf"), 0, 1) == "infinite"
    assert number(-0.001, 0.2) == "0.00" and hundred(-0.001, 2) == "-0.10"


def test_bootstrap_means_have_the_right_spread():
    values = np.random.default_rng(0).normal(size=(400, 2))
    drawn = bootstrap_means(values, 2000, 0)
    np.testing.assert_allclose(drawn.std(axis=0), values.std(axis=0) / 20, rtol=4 / np.sqrt(4000))
    np.testing.assert_allclose(drawn.mean(axis=0), values.mean(axis=0), atol=4 * 0.05 / 2000**0.5)


def test_gains_are_of_a_vote_of_all_over_one_of_fewer(reports):
    sizes = reports("honest").sizes
    np.testing.assert_allclose(sizes["gain"], sizes["right"].iloc[-1] - sizes["right"])
    assert sizes["right"].between(sizes["right_low"], sizes["right_high"]).all() and sizes["same"].iloc[-1] == 1
