"""helpers.llm: pure functions, plans, what is collected from a server whose probabilities are known, bad input."""

import asyncio
import json
import math
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from answer_server import answer_server
from hypothesis import given
from hypothesis import strategies as st

from helpers.llm import (
    Endpoint,
    collect_answers,
    collect_risk_scores,
    grade_answers,
    is_true_probability,
    judge_classes,
    option_masses,
    parse_verbalised,
    plan_answers,
    plan_risk_scores,
    prompt_hash,
    prompt_names,
    prompt_text,
    read_questions,
    sequence_posterior,
)
from helpers.llm.testing import known_answers, stand_in
from helpers.tables import read_answers, read_scores

CAPITALS = [
    "Paris",
    "Rome",
    "Oslo",
    "Lima",
    "Cairo",
    "Madrid",
    "Vienna",
    "Prague",
    "Athens",
    "Dublin",
    "Quito",
    "Accra",
]
QUESTIONS = pd.DataFrame({"question": [f"Which city is number {k}?" for k in range(12)], "reference": CAPITALS})
KNOWN = known_answers(QUESTIONS["question"], QUESTIONS["reference"], seed=2)
ROWS = KNOWN.set_index(["question", "text"])


@pytest.fixture(scope="module")
def server():
    with stand_in(KNOWN) as running:
        yield running


def endpoint(server, **options):
    options = {"price_in": 0.0, "price_out": 0.0, "timeout": 20} | options
    return Endpoint(server.base_url, options.pop("model", "stand-in"), **options)


def plan(server, questions=QUESTIONS, n_answers=5, confidences=("posterior",), endpoint_options=None, **options):
    made = endpoint(server, **(endpoint_options or {}))
    return plan_answers(questions, made, n_answers=n_answers, confidences=confidences, **options)


def collect(server, path, questions=QUESTIONS, **options):
    return collect_answers(plan(server, questions, **options), path, progress=False)


def known(table, column):
    """The known value of each row of collected answers."""
    return np.array([ROWS.loc[row, column] for row in zip(table["question"], table["answer"], strict=True)])


# ---- from log-probabilities and texts to confidences ----------------------------------------------------------------

LOGS = st.lists(st.floats(-30, 0), min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("logprobs", "wanted"),
    [
        ([math.log(0.9), math.log(0.5)], 0.45),
        ([0.0], 1.0),
        ([-9999.0], 0.0),
        (np.log([0.5, 0.5, 0.5]), 0.125),
        ([], math.nan),
        (None, math.nan),
        ([None], math.nan),
        ([-0.1, None, -0.1], math.nan),
        ([-0.1, math.nan], math.nan),
    ],
)
def test_sequence_posterior_by_hand(logprobs, wanted):
    assert sequence_posterior(logprobs) == pytest.approx(wanted, nan_ok=True)


@given(LOGS, LOGS)
def test_sequence_posterior_is_a_product_and_a_probability(one, other):
    both = sequence_posterior([*one, *other])
    assert both == pytest.approx(sequence_posterior(one) * sequence_posterior(other), rel=1e-12, abs=1e-300)
    assert 0 <= both <= min(sequence_posterior(one), sequence_posterior(other)) * (1 + 1e-12)
    assert sequence_posterior([*other, *one]) == both  # the order does not matter
    assert math.isnan(sequence_posterior([*one, None, *other]))


@pytest.mark.parametrize("logprobs", [[0.5], [-1.0, 0.01]])
def test_a_log_probability_above_zero_is_none(logprobs):
    with pytest.raises(ValueError, match="token_logprobs must be logarithms of probabilities, at most 0, but one is 0"):
        sequence_posterior(logprobs)
    with pytest.raises(ValueError, match="top_logprobs must be logarithms"):
        is_true_probability({"True": logprobs[-1]})


def logs(**masses):
    return {token.replace("_", " "): math.log(mass) for token, mass in masses.items()}


@pytest.mark.parametrize(
    ("top", "wanted"),
    [
        (logs(True_=0.2, _true=0.1, TRUE=0.1, False_=0.1, I=0.5), 0.8),
        (logs(True_=0.6, False_=0.2), 0.75),
        (logs(True_=1e-9), 1.0),
        (logs(_false=0.9), 0.0),
        (logs(Truest=0.5, untrue=0.3, T=0.2), math.nan),
        ({}, math.nan),
        (None, math.nan),
        (
            [{"token": "true", "logprob": math.log(0.3), "bytes": []}, {"token": "False", "logprob": math.log(0.1)}],
            0.75,
        ),
        ([("True", math.log(0.3)), ("False", None)], math.nan),
    ],
)
def test_is_true_by_hand(top, wanted):
    assert is_true_probability(top) == pytest.approx(wanted, nan_ok=True)


MASSES = st.dictionaries(
    st.sampled_from(["True", " True", "true", "TRUE", "False", " false", "FALSE", "I", "The", "maybe"]),
    st.floats(1e-6, 0.1),
    min_size=1,
)


@given(MASSES, st.randoms())
def test_is_true_is_a_share_whatever_else_is_listed(masses, random):
    top = {token: math.log(mass) for token, mass in masses.items()}
    found = is_true_probability(top)
    words = {word: sum(m for t, m in masses.items() if t.strip().lower() == word) for word in ("true", "false")}
    if not sum(words.values()):
        assert math.isnan(found)
        return
    assert found == pytest.approx(words["true"] / sum(words.values()))
    shuffled = random.sample(sorted(top.items()), len(top))
    assert is_true_probability(shuffled) == pytest.approx(found)
    assert is_true_probability(top | {"Perhaps": math.log(0.2)}) == pytest.approx(found)
    assert option_masses(top, ("True", "False"))[::-1] == option_masses(top, ("False", "True"))


@pytest.mark.parametrize(
    ("top", "options", "wanted"),
    [
        (logs(Yes=0.3, _no=0.1, Maybe=0.6), ("Yes", "No"), (0.3, 0.1)),
        (logs(A=0.2, _B=0.2, C=0.4), ("A", "B"), (0.2, 0.2)),
        (logs(over=0.6, under=0.2), ("over 50,000", "under 50,000"), (0.6, 0.2)),  # a token may be a beginning
        (logs(N=0.5, No=0.2, Not=0.2), ("No", "Not at all"), (0.2, 0.2)),  # "N" may be either, and counts for neither
        (logs(Maybe=0.9), ("Yes", "No"), (0.0, 0.0)),
        (None, ("Yes", "No"), (math.nan, math.nan)),
    ],
)
def test_options_by_hand(top, options, wanted):
    assert option_masses(top, options) == pytest.approx(wanted, nan_ok=True)


@pytest.mark.parametrize("options", [("Yes",), ("Yes", "yes "), ("", "No"), "Yes", ("a", "b", "c"), ()])
def test_options_must_be_two(options):
    with pytest.raises(ValueError, match="options must be two different texts"):
        option_masses({"Yes": -1.0}, options)


@pytest.mark.parametrize(
    ("text", "answer", "p"),
    [
        ("Answer: Paris\nConfidence: 85%", "Paris", 0.85),
        ("  answer: Paris: the city \n\n confidence : 85 % \n", "Paris: the city", 0.85),
        ("Confidence: 100%", None, 1.0),
        ("Confidence: 0%", None, 0.0),
        ("Confidence: 0.85", None, 0.85),
        ("Probability: .5", None, 0.5),
        ("Confidence: 1", None, 1.0),
        ("Confidence: 12.5%", None, 0.125),
        ("Confidence: 85", None, math.nan),  # neither per cent nor a probability
        ("Confidence: 101%", None, math.nan),
        ("Confidence: -5%", None, math.nan),
        ("Confidence: 80-90%", None, math.nan),
        ("Confidence: 80% to 90%", None, math.nan),
        ("Confidence: quite sure", None, math.nan),
        ("I am 85% sure", None, math.nan),
        ("85%", None, math.nan),
        ("Answer: 1969", "1969", math.nan),
        ("Answer: Paris, confidence: 85%", "Paris, confidence: 85%", math.nan),
        ("Answer: Paris\nConfidence: 85%\nConfidence: 20%", "Paris", math.nan),
        ("Paris\nConfidence: 85%", None, math.nan),
        ("Confidence: 85%\nAnswer: Paris", None, math.nan),
        ("Answer: Paris\nConfidence: 85%\nI hope this helps.", "Paris", math.nan),
        ("Answer:\nConfidence: 85%", None, math.nan),
        ("", None, math.nan),
        (None, None, math.nan),
    ],
)
def test_stated_confidences_are_read_strictly(text, answer, p):
    found = parse_verbalised(text)
    assert found[0] == answer and found[1] == pytest.approx(p, nan_ok=True)


@given(st.text())
def test_no_text_states_what_is_no_probability(text):
    answer, p = parse_verbalised(text)
    assert math.isnan(p) or 0 <= p <= 1
    assert answer is None or answer.strip() == answer != ""


# ---- what is collected is what is known -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("collected")


@pytest.fixture(scope="module")
def collected(server, folder):
    """Twenty answers to each question, with all confidences, from a server that gives several answers a request."""
    three = ("posterior", "is_true", "verbalised")
    return collect(server, folder / "answers.jsonl", n_answers=20, confidences=three, seed=5)


def test_frequencies_agree_with_the_known_probabilities(server, tmp_path):
    table = collect(server, tmp_path / "a.jsonl", QUESTIONS[:3], n_answers=600).answers
    judged = judge_classes(table, endpoint(server), tmp_path / "b.jsonl", progress=False).answers
    meaning = known(judged.assign(answer=judged["given"]), "meaning")
    classes = judged.assign(meaning=meaning).groupby("question")[["answer", "meaning"]].nunique()
    assert (classes["answer"] == classes["meaning"]).all()
    statistic, wrong, cells = 0.0, 0.0, 0
    for question, rows in KNOWN[KNOWN["question"].isin(table["question"])].groupby("question"):
        p = rows.groupby("meaning")["probability"].sum()
        here = (judged["question"] == question).to_numpy()
        count = pd.Series(meaning[here]).value_counts().reindex(p.index, fill_value=0)
        z = (count - 600 * p) / np.sqrt(600 * p * (1 - p))
        assert z.abs().max() < 4, question
        statistic += (z**2 * (1 - p)).sum()
        flat = np.full(len(p), 1 / len(p))
        wrong += ((count - 600 * flat) ** 2 / (600 * flat)).sum()
        cells += len(p) - 1
    assert abs(statistic - cells) < 4 * math.sqrt(2 * cells) < wrong - cells  # chi-squared: mean and variance 2 x mean


def test_confidences_are_the_known_ones(collected):
    table = collected.answers
    assert collected.complete and len(table) == 240 and table.columns.tolist()[:8] == [
        "question", "sample", "answer", "posterior", "is_true", "verbalised", "reference", "finish_reason"]  # fmt: skip
    for name in ("posterior", "is_true", "verbalised"):
        assert table[name].to_numpy() == pytest.approx(known(table, name), abs=1e-12), name
    assert (table["reference"] == table["question"].map(QUESTIONS.set_index("question")["reference"])).all()
    assert table.groupby("question")["sample"].apply(list).map(lambda one: one == list(range(1, 21))).all()
    assert set(table["finish_reason"]) == {"stop"} and set(table["model"]) == {"stand-in"}


def test_one_answer_a_request_brings_as_many_answers(server, collected, tmp_path):
    with stand_in(KNOWN, honour_n=False) as single:
        table = collect(single, tmp_path / "a.jsonl", n_answers=20, seed=5).answers
        assert single.stats()["answered"] == single.stats()["choices"] == 240
    assert table[["question", "sample"]].equals(collected.answers[["question", "sample"]])
    assert table["posterior"].to_numpy() == pytest.approx(known(table, "posterior"), abs=1e-12)


def test_a_seed_makes_the_same_table_whatever_the_order_and_the_threads(tmp_path):
    tables = []
    for honour_n, concurrency, questions in ((True, 1, QUESTIONS), (True, 6, QUESTIONS[::-1]), (False, 1, QUESTIONS),
                                             (False, 6, QUESTIONS[::-1])):  # fmt: skip
        with stand_in(KNOWN, honour_n=honour_n) as fresh:
            options = {"endpoint_options": {"concurrency": concurrency}, "seed": 9}
            table = collect(fresh, tmp_path / f"{len(tables)}.jsonl", questions, **options).answers
        tables.append(table.sort_values(["question", "sample"], ignore_index=True))
    pd.testing.assert_frame_equal(tables[0], tables[1])
    pd.testing.assert_frame_equal(tables[2], tables[3])
    with stand_in(KNOWN) as fresh:
        other = collect(fresh, tmp_path / "other.jsonl", seed=10).answers
    assert not other.sort_values(["question", "sample"], ignore_index=True).equals(tables[0])


def test_stated_beside_the_answer(server, tmp_path):
    options = {"prompt": "answer_with_confidence", "confidences": ("verbalised", "is_true")}
    found = collect(server, tmp_path / "a.jsonl", n_answers=8, **options)
    table = found.answers
    assert table["verbalised"].to_numpy() == pytest.approx(known(table, "verbalised"))
    assert table["is_true"].to_numpy() == pytest.approx(known(table, "is_true"))
    assert found.usage.requests == 12 + len(table.drop_duplicates(["question", "answer"]))
    with pytest.raises(ValueError, match='confidences must not hold "posterior" with prompt answer_with_confidence'):
        plan(server, prompt="answer_with_confidence")


def test_confidences_in_words_are_missing(tmp_path):
    with stand_in(KNOWN, vague=0.5) as vague:
        table = collect(vague, tmp_path / "a.jsonl", n_answers=8, confidences=("verbalised",)).answers
    stated = table["verbalised"].notna().to_numpy()
    assert 0.2 < stated.mean() < 0.8 and table["posterior"].isna().all() and table["is_true"].isna().all()
    assert table.loc[stated, "verbalised"].to_numpy() == pytest.approx(known(table[stated], "verbalised"))


def test_answers_that_are_cut_or_empty(tmp_path):
    with answer_server(KNOWN, script=[None, "no content"]) as server:
        options = {"n_answers": 4, "max_tokens": 1, "confidences": ("posterior", "verbalised")}
        found = collect(server, tmp_path / "a.jsonl", QUESTIONS[:2], endpoint_options={"concurrency": 1}, **options)
        asked = server.stats()["answered verbalised"]
    table = found.answers
    assert table["answer"].isna().tolist() == [False] * 4 + [True] * 4
    assert "length" in set(table["finish_reason"]) and table.loc[4:, "verbalised"].isna().all()
    assert asked == table["answer"].dropna().nunique()  # nobody is asked about an empty answer
    assert table.loc[4:, "posterior"].isna().all()


def test_without_log_probabilities(tmp_path):
    with stand_in(KNOWN, logprobs=False) as silent:
        for name in ("posterior", "is_true"):
            with pytest.raises(ValueError, match="gives no log-probabilities of stand-in"):
                collect(silent, tmp_path / f"{name}.jsonl", confidences=(name,))
        assert silent.stats()["answered"] < 2 + 1 + 12  # found out with the first request of each kind
        table = collect(silent, tmp_path / "c.jsonl", confidences=("verbalised",)).answers
        assert table["verbalised"].to_numpy() == pytest.approx(known(table, "verbalised"))
        assert table["posterior"].isna().all()
        facts = endpoint(silent).check()
        assert not facts.logprobs and facts.honours_n and facts.listed
        with pytest.raises(ValueError, match="gives no log-probabilities of stand-in"):
            endpoint(silent).check(logprobs=True)


def test_facts_about_an_endpoint(server):
    facts = endpoint(server).check(logprobs=True)
    assert facts.listed and facts.honours_n and facts.logprobs and facts.n_top > 1
    with stand_in(honour_n=False) as single:
        assert not endpoint(single).check().honours_n
    assert "several answers a request" in str(facts)


def test_usage_is_what_the_server_counts(tmp_path):
    with stand_in(KNOWN) as fresh:
        prices = {"price_in": 3.0, "price_out": 15.0}
        found = collect(fresh, tmp_path / "a.jsonl", endpoint_options=prices, confidences=("posterior", "verbalised"))
        stats = fresh.stats()
    assert found.usage.requests == found.usage.new == stats["answered"]
    assert found.usage.tokens_in + found.usage.tokens_out == stats["tokens"]
    assert found.usage.cost == pytest.approx((3 * found.usage.tokens_in + 15 * found.usage.tokens_out) / 1e6)
    made = found.plan
    for name, value in (("requests", stats["answered"]), ("tokens_in", found.usage.tokens_in),
                        ("tokens_out", found.usage.tokens_out), ("cost", found.usage.cost)):  # fmt: skip
        low, high = getattr(made, name)
        assert low <= value <= high, name  # the estimate held


# ---- classes, grades, and the tables of notebooks 13 and 14 ---------------------------------------------------------


def test_classes_are_the_known_meanings(server, collected, tmp_path):
    judged = judge_classes(collected, endpoint(server), tmp_path / "a.jsonl", progress=False)
    table = judged.answers
    table = table.assign(meaning=known(table.assign(answer=table["given"]), "meaning"))
    assert (table.groupby(["question", "answer"])["meaning"].nunique() == 1).all()
    assert (table.groupby(["question", "meaning"])["answer"].nunique() == 1).all()
    assert judged.reported.empty and judged.invalid == {} and judged.by_model + judged.by_rule == 12
    assert (table["given"] == collected.answers["answer"]).all() and "given" not in collected.answers
    by_rule = judge_classes(collected, endpoint(server), tmp_path / "b.jsonl", rule="exact", progress=False)
    assert by_rule.answers.assign(rule=0)["answer"].nunique() == judged.answers["answer"].nunique()


def test_nobody_is_asked_where_a_rule_settles_it(server, tmp_path):
    before = server.stats()
    table = pd.DataFrame({"question": ["q", "q", "r"], "answer": ["Paris", "paris.", None], "reference": ["PARIS"] * 3})
    judged = judge_classes(table, endpoint(server), tmp_path / "a.jsonl", progress=False)
    graded = grade_answers(judged, endpoint(server), tmp_path / "b.jsonl", progress=False)
    assert server.stats() == before and (judged.by_rule, judged.by_model) == (2, 0)
    assert graded.answers["correct"].tolist() == [1, 1, 0] and judged.answers["answer"].tolist()[:2] == ["Paris"] * 2
    assert not list(tmp_path.iterdir())


def test_grades_are_the_known_ones(server, collected, tmp_path):
    graded = grade_answers(collected, endpoint(server), tmp_path / "a.jsonl", progress=False)
    table = graded.answers
    assert (table["correct"] == known(table, "correct")).all() and set(table["graded_by"]) == {"rule", "model"}
    by_rule = table[table["graded_by"] == "rule"]
    assert (by_rule["answer"].str.strip(".").str.lower() == by_rule["reference"].str.lower()).all()
    assert graded.reported.empty


def test_invalid_partitions_are_asked_again_and_then_reported(collected, tmp_path):
    with answer_server(KNOWN, script=["partition"] * 3) as server:
        judged = judge_classes(collected, endpoint(server, concurrency=1), tmp_path / "a.jsonl", progress=False)
        assert server.stats()["fault partition"] == 3 == sum(judged.invalid.values()) and judged.reported.empty
    with answer_server(KNOWN, faults={"partition": 1.0}) as server:
        left = judge_classes(collected, endpoint(server), tmp_path / "b.jsonl", progress=False)
        asked = server.stats()["answered partition"]
        again = judge_classes(collected, endpoint(server), tmp_path / "b.jsonl", progress=False)
        assert server.stats()["answered partition"] == asked == 4 * 12  # each once, and three times again
        assert again.reported.equals(left.reported)
    assert len(left.reported) == 12 and sum(left.invalid.values()) == 48 and len(left.invalid) >= 4
    assert set(left.reported["why"]) == {"4 invalid replies"}
    table = left.answers.assign(plain=left.answers["given"].str.lower())
    assert (table.groupby(["question", "answer"])["plain"].nunique() == 1).all()  # the classes by rule stay


def test_a_grader_that_keeps_no_form_gives_no_grades(collected, tmp_path):
    with answer_server(KNOWN, faults={"verdict": 1.0}) as server:
        graded = grade_answers(collected, endpoint(server), tmp_path / "a.jsonl", progress=False)
        assert server.stats()["answered grade"] == 4 * len(graded.reported) == sum(graded.invalid.values()) > 0
    table = graded.answers
    assert (table["correct"].isna() == table["graded_by"].isna()).all() and table["correct"].isna().any()
    assert (table["correct"].dropna() == 1).all() and set(table["graded_by"].dropna()) == {"rule"}
    with answer_server(KNOWN, script=["verdict"] * 3) as server:
        graded = grade_answers(collected, endpoint(server), tmp_path / "b.jsonl", progress=False)
    assert (graded.answers["correct"] == known(graded.answers, "correct")).all() and graded.reported.empty


def test_the_table_is_read_by_the_report_on_answers(server, collected, tmp_path):
    collected.save_answers(tmp_path / "plain.csv")
    for name in ("posterior", "is_true", "verbalised"):
        read = read_answers(str(tmp_path / "plain.csv"), confidence=name)
        assert (read.n_questions, read.n_answers, read.graded.sum(), read.stated.sum()) == (12, 240, 12, 12)
    judged = judge_classes(collected, endpoint(server), tmp_path / "a.jsonl", progress=False)
    graded = grade_answers(judged, endpoint(server), tmp_path / "b.jsonl", progress=False)
    for name in ("table.csv", "table.csv.gz", "table.jsonl"):
        graded.save_answers(tmp_path / name)
        read = read_answers(str(tmp_path / name), rule="class", correct="correct", confidence="is_true")
        meanings = KNOWN.assign(there=1).drop_duplicates(["question", "meaning"])
        assert read.grouped.counts.sum() == 240 and (read.grouped.counts > 0).sum() <= len(meanings)
        right = KNOWN[KNOWN["correct"]].drop_duplicates("question").set_index("question")["meaning"]
        share = (known(collected.answers, "meaning") == collected.answers["question"].map(right)).mean()
        found = (read.grouped.counts * (read.grouped.correct == 1)).sum() / 240
        assert found == pytest.approx(share)
        with pytest.raises(ValueError, match=f"{name} is there already"):
            graded.save_answers(tmp_path / name)
        graded.save_answers(tmp_path / name, overwrite=True)
    with pytest.raises(ValueError, match="table.xlsx must end in one of .csv"):
        graded.save_answers(tmp_path / "table.xlsx")


def test_answers_of_any_signs_go_through_files_unharmed(tmp_path):
    texts = [
        "a\rb",
        "line 1\nline 2",
        'say "hi"',
        "a,b",
        "=1+1",
        "x\u2028y",
        "naïve ☃ 𝒳",
        "tab\there",
        "'",
        "\\n",
        "12",
    ]  # CSV cannot tell null and NA from an empty cell
    table = pd.DataFrame({"meaning": texts, "text": texts, "probability": 1 / len(texts)})
    table = pd.concat([table.assign(question="q"), table.assign(question='r "2",\nnext line')])
    with stand_in(table) as server:
        found = collect(server, tmp_path / "a.jsonl", table["question"].unique().tolist(), n_answers=120)
        again = collect(server, tmp_path / "a.jsonl", table["question"].unique().tolist(), n_answers=120)
    assert set(found.answers["answer"]) == set(texts) and again.answers.equals(found.answers)
    assert found.answers["posterior"].to_numpy() == pytest.approx(1 / len(texts))
    for name in ("table.csv", "table.csv.gz", "table.jsonl"):
        found.save_answers(tmp_path / name)
        read = read_answers(str(tmp_path / name), rule="exact", confidence="posterior")
        assert (read.n_questions, read.n_answers) == (2, 240)
        counts = found.answers.groupby("question")["answer"].value_counts().groupby("question").apply(sorted)
        assert [sorted(row[row > 0]) for row in read.grouped.counts] == counts.tolist()


PEOPLE = pd.DataFrame({"age": np.arange(20, 80), "work": ["nurse", "clerk", None] * 20, "smokes": [0, 1] * 30})


@pytest.fixture(scope="module")
def scored(server):
    made = plan_risk_scores(PEOPLE, endpoint(server), question="Does this person smoke?", label="smokes")
    cases = dict(zip(made.cases, np.linspace(0.02, 0.98, 60).round(4), strict=True))
    with answer_server(KNOWN, cases=cases) as running:
        yield running


def scores(server, path, rows=PEOPLE, **options):
    options = {"question": "Does this person smoke?", "label": "smokes", "progress": False} | options
    return collect_risk_scores(rows, endpoint(server), path, **options)


def test_risk_scores_are_the_known_ones(scored, tmp_path):
    found = scores(scored, tmp_path / "a.jsonl")
    assert found.scores["score"].to_numpy() == pytest.approx(np.linspace(0.02, 0.98, 60).round(4), abs=1e-12)
    assert found.details["mass"].to_numpy() == pytest.approx(0.9) and found.missing.empty
    assert found.scores.columns.tolist() == ["case", "score", "label", "age", "work"]
    found.save_scores(tmp_path / "scores.csv")
    table = read_scores(str(tmp_path / "scores.csv"), features=["age", "work"])
    assert (table.y == PEOPLE["smokes"]).all() and table.p == pytest.approx(found.scores["score"])
    before = scored.stats()["asked"]
    assert scores(scored, tmp_path / "a.jsonl").scores.equals(found.scores) and scored.stats()["asked"] == before
    backwards = scores(scored, tmp_path / "b.jsonl", PEOPLE[::-1])
    assert backwards.scores["score"].to_numpy() == pytest.approx(found.scores["score"].to_numpy()[::-1])
    told = json.dumps(list(scored.stats()["given"]))
    assert "smokes" not in told and "- age: 20" in told  # the model never sees the label


def test_scores_without_their_options_are_missing_not_a_half(scored, tmp_path):
    found = scores(scored, tmp_path / "a.jsonl", PEOPLE[:5], options=("over 50", "under 50"), seed=1)
    other = scores(scored, tmp_path / "b.jsonl", PEOPLE[:5], options=("Yes", "No"), features=["age"])
    assert len(found.scores) == 5 and len(other.scores) == 5
    with answer_server(KNOWN, script=[None, "no logprobs"]) as server:
        found = scores(server, tmp_path / "c.jsonl", PEOPLE[:4])
    assert len(found.scores) == 3 and found.missing["why"].tolist() == ["neither option among the tokens"]
    with stand_in(logprobs=False) as silent, pytest.raises(ValueError, match="gives no log-probabilities"):
        scores(silent, tmp_path / "d.jsonl")


# ---- plans and prompts: nothing is sent -----------------------------------------------------------------------------


def test_a_dry_run_shows_the_very_messages_and_sends_nothing(tmp_path):
    with answer_server(KNOWN) as server:
        made = plan(server, n_answers=3, confidences=("posterior", "is_true", "verbalised"))
        shown, printed = made.preview(2), str(made)
        assert server.stats() == {"given": {}} and "3 answers to each of 12 questions by stand-in" in printed
        found = collect_answers(made, tmp_path / "a.jsonl", progress=False)
        given = [tuple((one["role"], one["content"]) for one in json.loads(text)) for text in server.stats()["given"]]
    first = shown[shown["step"] == "answer"]
    for user in first.loc[first["role"] == "user", "text"]:
        system = first.loc[first["role"] == "system", "text"].iloc[0]
        assert (("system", system), ("user", user)) in given
    for step in ("is_true", "verbalised"):
        system, user = shown.loc[shown["step"] == step, "text"].iloc[:2]
        user = user.replace("(an answer of the model)", found.answers["answer"].iloc[0])
        assert (("system", system), ("user", user)) in given
    assert len(given) == found.usage.requests


def test_a_hundred_thousand_questions_are_planned_and_refused(tmp_path):
    with stand_in() as gone:  # nobody would answer if something were sent
        pass
    asked = []
    unpriced = plan(gone, [f"What is {k} + {k}?" for k in range(100_000)], n_answers=10,
                    endpoint_options={"price_in": None, "max_retries": 0})  # fmt: skip
    made = replace(unpriced, endpoint=endpoint(gone, price_in=1.0, price_out=4.0, max_retries=0))
    assert made.requests == (100_000, 1_000_000) and "100,000 questions" in str(made)
    for refused, words in (
        (unpriced, "Up to 1,000,000 requests would be sent, and their price is unknown"),
        (made, r"Up to [\d,.]+ may be spent, more than spend_limit=1"),
    ):
        with pytest.raises(ValueError, match=words):
            collect_answers(refused, tmp_path / "a.jsonl", progress=False)
    with pytest.raises(ValueError, match="confirm said no; nothing was sent"):
        collect_answers(made, tmp_path / "a.jsonl", progress=False, confirm=asked.append)
    assert asked.pop() is made and not list(tmp_path.iterdir())


def test_a_run_that_grows_dearer_than_its_limit_stops(tmp_path):
    with stand_in(KNOWN, honour_n=False) as server:
        prices = {"price_in": 1000.0, "price_out": 1000.0, "concurrency": 2}
        made = plan(server, n_answers=30, endpoint_options=prices, max_tokens=1)
        limit = made.cost[1]
        assert made.cost[0] < limit
        with pytest.raises(ValueError, match="more than spend_limit"):
            collect_answers(made, tmp_path / "a.jsonl", spend_limit=limit / 2, progress=False)
        found = collect_answers(made, tmp_path / "a.jsonl", spend_limit=limit, progress=False)
        assert found.complete and found.usage.cost <= limit


def test_our_prompts_say_what_they_are_for():
    tasks = {name: prompt_text(name).splitlines()[1] for name in prompt_names()}
    assert tasks == {
        "answer": "Task: answer", "choice": "Task: answer", "answer_with_confidence": "Task: verbalised",
        "verbalised": "Task: verbalised", "is_true": "Task: is_true", "partition": "Task: partition",
        "grade": "Task: grade", "risk": "Task: options"}  # fmt: skip
    assert len({prompt_hash(name) for name in tasks}) == len(tasks)


def test_a_prompt_of_ones_own(server, tmp_path):
    own = tmp_path / "mine.txt"
    own.write_text("Tell me, {question}\nIn German.", encoding="utf-8")
    found = collect(server, tmp_path / "a.jsonl", n_answers=4, prompt=str(own))
    assert set(found.answers["prompt_hash"]) == {prompt_hash(str(own))} != {prompt_hash("answer")}
    assert found.plan.preview()["text"].tolist() == [f"Tell me, {QUESTIONS['question'][0]}\nIn German."]
    assert found.answers["posterior"].to_numpy() == pytest.approx(known(found.answers, "posterior"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Tell me.", r"prompt mine must hold \{question\}"),
        ("{question} {answer}", r"prompt mine holds \{answer\}, which nothing fills here"),
        ("{question} {qestion}", r"holds \{qestion\}, which nothing fills here; did you mean 'question'"),
        (
            "Hello\n[user]\n{question}",
            "prompt mine must begin with its first .system. or .user., but text stands before it",
        ),
        ("", "prompt mine.txt is empty"),
        (b"\xff\xfe{question}", "prompt mine.txt must be a text file in UTF-8"),
    ],
)
def test_bad_prompts(server, tmp_path, text, message):
    own = tmp_path / "mine.txt"
    own.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ValueError, match=message) as caught:
        plan(server, prompt=own)
    assert str(tmp_path) not in str(caught.value)


def test_questions_with_options(tmp_path):
    rows = pd.DataFrame({"question": ["Largest?", "Smallest?"], "a": ["Oslo", "Rome"], "b": ["Lima", "Bern"]})
    rows = rows.assign(c=["Bonn", None], reference=["Lima", "A"])
    asked = read_questions(rows, options=["a", "b", "c"])
    assert asked["question"].tolist() == ["Largest?\nA. Oslo\nB. Lima\nC. Bonn", "Smallest?\nA. Rome\nB. Bern"]
    assert asked["reference"].tolist() == ["B", "A"]
    letters = known_answers(asked["question"], probabilities={q: {"A": 0.5, "B": 0.5} for q in asked["question"]})
    with stand_in(letters[letters["text"].isin(["A", "B"])].assign(probability=0.5)) as server:
        table = collect(server, tmp_path / "a.jsonl", asked, n_answers=12, prompt="choice").answers
    assert set(table["answer"]) == {"A", "B"} and table["posterior"].to_numpy() == pytest.approx(0.5)


def test_questions_are_read_from_files_and_left_alone(tmp_path):
    frame = pd.DataFrame({"text": [" Why? ", "How?"], "right": ["a", None], "other": [1, 2]})
    before = frame.copy()
    wanted = pd.DataFrame({"question": ["Why?", "How?"], "reference": ["a", None]}, dtype=object)
    pd.testing.assert_frame_equal(read_questions(frame, question="text", reference="right"), wanted)
    pd.testing.assert_frame_equal(frame, before)
    for name, write in (("q.csv", frame.to_csv), ("q.parquet", frame.to_parquet)):
        write(tmp_path / name, index=False)
        found = read_questions(tmp_path / name, question="text", reference="right")
        assert found["question"].tolist() == ["Why?", "How?"] and found["reference"].tolist() == ["a", None]


# ---- bad input ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("questions", "message"),
    [
        (["a", " ", None], r"question must not be empty, but row 2 is \(and 1 more\)"),
        (["a", "b", "a "], "question must occur once, but rows 1 and 3 are both 'a'"),
        ([], "at least one question"),
        (pd.DataFrame({"qestion": ["a"]}), "no column 'question'; did you mean 'qestion'"),
        (pd.DataFrame([["a", "b"]], columns=["question", "question"]), "more than one column named 'question'"),
        ("no_such_file.csv", "no_such_file.csv"),
    ],
)
def test_bad_questions(server, questions, message):
    with pytest.raises(ValueError, match=message):
        plan(server, questions)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_answers": 0}, "n_answers must be a whole number of at least 1"),
        ({"n_answers": 2.5}, "n_answers must be a whole number"),
        ({"max_tokens": 0}, "max_tokens must be a whole number of at least 1"),
        ({"temperature": -1}, "temperature must lie between 0 and 2"),
        ({"temperature": math.nan}, "temperature must lie between 0 and 2"),
        ({"temperature": "hot"}, "temperature must lie between 0 and 2"),
        ({"temperature": 0}, "temperature must be above 0 for several answers"),
        ({"confidences": ("posteriour",)}, "did you mean 'posterior'"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"prompt": "anwser"}, "did you mean 'answer'"),
    ],
)
def test_bad_plans(server, options, message):
    with pytest.raises(ValueError, match=message):
        plan(server, **options)


@pytest.mark.parametrize(
    ("address", "options", "message"),
    [
        ("localhost:8000", {}, "base_url must begin with http:// or https://"),
        ("ftp://a.b/v1", {}, "base_url must begin with http"),
        ("http://", {}, "base_url must begin with http"),
        ("http://a.b:99999/v1", {}, "base_url must begin with http"),
        (None, {}, "base_url must begin with http"),
        ("https://me:secret@a.b/v1", {}, "must hold no user name, password, key"),
        ("https://a.b/v1?api_key=secret", {}, "must hold no user name, password, key"),
        ("http://a.b/v1#secret", {}, "must hold no user name, password, key"),
        ("http://a.b/v1", {"model": " "}, "model must be the name of a model, but it is empty"),
        ("http://a.b/v1", {"key_variable": "sk-secret-key"}, "It is never the key itself"),
        ("http://a.b/v1", {"concurrency": 0}, "concurrency must be a whole number of at least 1"),
        ("http://a.b/v1", {"max_retries": -1}, "max_retries must be a whole number of at least 0"),
        ("http://a.b/v1", {"timeout": 0}, "timeout must be a number of seconds above 0"),
        ("http://a.b/v1", {"timeout": math.inf}, "timeout must be a number of seconds above 0"),
        ("http://a.b/v1", {"price_in": -1}, "price_in must be at least 0"),
        ("http://a.b/v1", {"price_out": math.nan}, "price_out must be at least 0"),
        ("http://a.b/v1", {"extra_body": {"a": {1}}}, "extra_body must be a dictionary"),
    ],
)
def test_bad_endpoints(address, options, message):
    with pytest.raises(ValueError, match=message) as caught:
        Endpoint(address, options.pop("model", "m"), **options)
    assert "secret" not in str(caught.value)


def test_no_key_wrong_key_wrong_address_and_a_model_that_is_not_there(server, tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    far = Endpoint("https://models.invalid/v1", "m")
    for call in (far.check, lambda: collect_answers(plan_answers(["a"], far, n_answers=2), tmp_path / "a.jsonl")):
        with pytest.raises(ValueError, match="There is no key for m: set the environment variable OPENAI_API_KEY"):
            call()
    assert not list(tmp_path.iterdir())
    wrong = endpoint(server, model="stand-inn")
    with pytest.raises(ValueError, match="no model 'stand-inn'.*did you mean 'stand-in'"):
        wrong.check()
    with pytest.raises(ValueError, match="no model 'stand-inn'"):
        collect(server, tmp_path / "a.jsonl", endpoint_options={"model": "stand-inn"})
    lost = Endpoint(server.base_url.replace("/v1", "/v2"), "stand-in", price_in=0.0, price_out=0.0)
    with pytest.raises(ValueError, match="base_url is wrong: it should end in the version"):
        collect_answers(plan_answers(["a"], lost, n_answers=2), tmp_path / "a.jsonl", progress=False)
    with stand_in() as gone:
        pass
    nobody = endpoint(gone, max_retries=0)
    for call in (nobody.check, lambda: collect(gone, tmp_path / "a.jsonl", endpoint_options={"max_retries": 0})):
        with pytest.raises(ValueError, match="No server answers at base_url"):
            call()
    with stand_in(key="right") as locked:
        for key in (None, "wrong"):
            monkeypatch.setenv("OTHER_KEY", key) if key else None
            with pytest.raises(ValueError, match="environment variable OTHER_KEY"):
                collect(locked, tmp_path / "a.jsonl", endpoint_options={"key_variable": "OTHER_KEY"})
        monkeypatch.setenv("OTHER_KEY", "right")
        assert collect(locked, tmp_path / "a.jsonl", endpoint_options={"key_variable": "OTHER_KEY"}).complete


@pytest.mark.parametrize("key", ["stop", "null", "1234", "content", "EMPTY"])
def test_a_key_that_is_no_secret_changes_no_answer(server, collected, tmp_path, monkeypatch, key):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    options = {"n_answers": 20, "confidences": ("posterior", "is_true", "verbalised"), "seed": 5}
    assert collect(server, tmp_path / "a.jsonl", **options).answers.equals(collected.answers)


def test_a_file_of_other_settings_is_refused_and_left_alone(server, tmp_path):
    path = tmp_path / "answers.jsonl"
    collect(server, path)
    own = tmp_path / "mine.txt"
    own.write_text("Well: {question}", encoding="utf-8")
    content, before = path.read_bytes(), server.stats()
    changed = [
        ({"prompt": str(own)}, "other prompts"),
        ({"temperature": 0.7}, r"other temperature \(1.0\) than this call has \(0.7\)"),
        ({"max_tokens": 10}, "other max_tokens"),
        ({"seed": 3}, "other seed"),
        ({"endpoint_options": {"model": "stand-in-2"}}, r"other model \(stand-in\) than this call has \(stand-in-2\)"),
        ({"endpoint_options": {"extra_body": {"a": 1}}}, "other extra_body"),
        ({"questions": QUESTIONS[:11]}, "other questions"),
    ]
    for options, message in changed:
        with pytest.raises(ValueError, match=message):
            collect(server, path, **options)
    judge_classes(
        pd.DataFrame({"question": ["q", "q"], "answer": ["a", "b"]}), endpoint(server), tmp_path / "b", progress=False
    )
    with pytest.raises(ValueError, match="other what is collected"):
        collect(server, tmp_path / "b")
    with pytest.raises(ValueError, match="other rule"):
        judge_classes(pd.DataFrame({"question": ["q", "q"], "answer": ["a", "b"]}), endpoint(server), tmp_path / "b",
                      rule="exact", progress=False)  # fmt: skip
    assert path.read_bytes() == content and server.stats()["answered answer"] == before["answered answer"]
    assert collect(server, path, QUESTIONS[::1], n_answers=7).complete  # more answers are welcome


@pytest.mark.parametrize("content", [b"hello\n", b'{"question": "a"}\n', b"a", b"\x00" * 50, b'{"format": "other"}\n'])
def test_a_file_of_something_else_is_left_alone(server, tmp_path, content):
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="notes.txt"):
        collect(server, path)
    assert path.read_bytes() == content


def test_paths_that_are_no_files(server, tmp_path):
    for path in (tmp_path, tmp_path / "none" / "a.jsonl", "/dev/full", "/dev/zero"):
        with pytest.raises(ValueError) as caught:
            collect(server, path)
        assert str(tmp_path) not in str(caught.value)


def test_judges_and_graders_check_their_tables(server, tmp_path):
    table = pd.DataFrame({"question": ["q", None], "answer": ["a", "b"], "reference": ["a", "a"]})
    cases = [
        (judge_classes, table, {}, "question must not be missing, but it is in row 2"),
        (judge_classes, table[:1], {"answer": "anwser"}, "did you mean 'answer'"),
        (judge_classes, table[:0], {}, "at least one row"),
        (judge_classes, table[:1], {"rule": "class"}, "rule must be one of"),
        (judge_classes, table[:1].assign(given=1), {}, "has a column 'given' already"),
        (grade_answers, table[:1].assign(correct=1), {}, "has a column 'correct' already"),
        (grade_answers, table[["question", "answer"]][:1], {}, "reference must name one column"),
        (grade_answers, table[:1], {"prompt": "answer"}, r"must hold \{answer\}"),
    ]
    for function, frame, options, message in cases:
        with pytest.raises(ValueError, match=message):
            function(frame, endpoint(server), tmp_path / "a.jsonl", progress=False, **options)
    with pytest.raises(ValueError, match="endpoint must be an Endpoint"):
        judge_classes(table[:1], server.base_url, tmp_path / "a.jsonl")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rows": PEOPLE[:0]}, "at least one row"),
        ({"rows": PEOPLE.assign(smokes=2)}, "smokes"),
        ({"label": "smoke"}, "did you mean 'smokes'"),
        ({"features": ["age", "smokes"]}, "features must not hold the label 'smokes'"),
        ({"features": []}, "features must be columns to describe a case by, but there is none"),
        ({"rows": PEOPLE.rename(columns={"age": "score"})}, "'score' is a column of the result"),
        ({"case": "work"}, "work must name each case once"),
        ({"question": " "}, "question must be a text"),
        ({"options": ("Yes", "yes")}, "options must be two different texts"),
        ({"features": ["work"]}, "row 3 is empty"),
    ],
)
def test_bad_scores(server, tmp_path, options, message):
    with pytest.raises(ValueError, match=message):
        scores(server, tmp_path / "a.jsonl", **options)
    assert not list(tmp_path.iterdir())


# ---- where it runs --------------------------------------------------------------------------------------------------


def test_it_works_inside_a_running_loop_and_beside_a_proxy(server, tmp_path, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # nobody answers there
    monkeypatch.delenv("NO_PROXY", raising=False), monkeypatch.delenv("no_proxy", raising=False)

    async def cell():
        return collect(server, tmp_path / "a.jsonl")

    assert asyncio.run(cell()).complete


def test_the_openai_package_is_needed_only_when_something_is_sent(server, tmp_path, monkeypatch):
    code = "import sys, helpers.llm, helpers.llm.testing; print('openai' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
    monkeypatch.setitem(sys.modules, "openai", None)
    assert str(plan(server)).startswith("5 answers")
    for call in (endpoint(server).check, lambda: collect(server, tmp_path / "a.jsonl")):
        with pytest.raises(ImportError, match=r"honest-confidence\[llm\]"):
            call()


def test_progress_tells_requests_tokens_and_cost(server, tmp_path, capsys, monkeypatch):
    class Terminal:
        def __init__(self):
            self.said = ""

        def write(self, text):
            self.said += text

        def flush(self):
            pass

        def isatty(self):
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", "200")
    made = plan(server, endpoint_options={"price_in": 1.0, "price_out": 2.0})
    collect_answers(made, tmp_path / "a.jsonl", progress=True)
    last = terminal.said.rstrip().split("\r")[-1]
    assert (
        "answers: 100%|" in last
        and " 12/12 " in last
        and "tokens in" in last
        and "cost so far" in last
        and str(tmp_path) not in last
    )
    assert capsys.readouterr().out == ""
    terminal.said = ""
    collect(server, tmp_path / "b.jsonl")
    assert terminal.said == ""
