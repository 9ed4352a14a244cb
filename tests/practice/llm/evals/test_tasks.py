"""Inspect's tasks and scorers with a mock model whose probabilities are known: what is collected is the truth."""

import json
import math
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("inspect_ai")

from inspect_ai import eval, score
from inspect_ai.log import read_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from helpers.answers import is_true_probability
from helpers.practice.llm.evals import classes, known_answers, known_model, questions, risk_scores
from helpers.practice.tables import read_answers, read_scores

CITIES = ["Paris", "Rome", "Oslo", "Lima", "Cairo", "Madrid", "Vienna", "Prague"]

LISTED = pd.DataFrame({"question": [f"Which city is number {k}?" for k in range(8)], "reference": CITIES})

KNOWN = known_answers(LISTED["question"], LISTED["reference"], seed=2)

ROWS = KNOWN.set_index(["question", "text"])

QUIET = {"display": "none", "score_display": False, "log_realtime": False}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("logs")
    LISTED.to_csv(path / "questions.csv", index=False)
    return path


@pytest.fixture(scope="module")
def log(folder):
    """Six answers to each question, with all confidences and a judge."""
    task = questions(str(folder / "questions.csv"), n_answers=6, judge=True, seed=1)
    (log,) = eval(task, model=known_model(KNOWN), log_dir=str(folder), **QUIET)
    assert log.status == "success", log.error
    return log


def rows_of(log, scorer="grade"):
    """The scores of a log as a table, with the known row of each text."""
    rows = []
    for sample in log.samples:
        said = sample.scores[scorer]
        text = said.metadata.get("given", said.answer)
        truth = ROWS.loc[(sample.input, text)].add_prefix("known_")
        rows.append(said.metadata | {"question": sample.input, "text": text, "value": said.value, **truth})
    return pd.DataFrame(rows)


def reply(text):
    """An output of a mock model; without `usage`, Inspect would count tokens with a table from the network."""
    output = ModelOutput.from_content("mock", text)
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


def test_confidences_and_grades_are_the_known_ones(log):
    rows = rows_of(log)
    assert len(rows) == 48
    np.testing.assert_allclose(rows["posterior"], rows["known_probability"], rtol=1e-12)
    np.testing.assert_allclose(rows["is_true"], rows["known_is_true"], rtol=1e-9)
    np.testing.assert_allclose(rows["verbalised"], rows["known_verbalised"], rtol=1e-12)
    assert ((rows["value"] == "C") == rows["known_correct"]).all()
    by_rule = rows["by"] == "rule"
    assert by_rule.any() and rows.loc[~by_rule, "by"].str.startswith("known ").all()  # the model and its prompt's hash


@pytest.mark.slow
def test_answers_of_a_question_differ_and_a_seed_repeats_them(folder, log):
    task = questions(str(folder / "questions.csv"), n_answers=6, confidences="posterior", seed=1)
    (again,) = eval(task, model=known_model(KNOWN), log_dir=str(folder / "again"), **QUIET)
    texts = [[sample.scores["grade"].answer for sample in each.samples] for each in (log, again)]
    assert texts[0] == texts[1]
    assert rows_of(again).groupby("question")["text"].nunique().max() > 1


def test_classes_are_the_known_meanings(log):
    scored = score(log, classes(log.location), action="append", model=known_model(KNOWN), display="none")
    rows = rows_of(scored, "classes").assign(label=[sample.scores["classes"].answer for sample in scored.samples])
    assert (rows.groupby(["question", "label"])["known_meaning"].nunique() == 1).all()
    assert (rows.groupby(["question", "known_meaning"])["label"].nunique() == 1).all()
    (measured,) = [one for one in scored.results.scores if one.name == "classes" and "sem1_ece" in one.metrics]
    share = rows.groupby(["question", "label"]).size().groupby("question").max() / 6
    assert share.mean() > rows.groupby(["question", "text"]).size().groupby("question").max().mean() / 6
    assert 0 <= measured.metrics["sem1_ece"].value <= 1


@pytest.mark.nightly
def test_a_finished_log_gets_metrics_by_their_names(folder):
    """`inspect score` finds metrics by the entry point, and a scorer of ours by the name that the log has of it."""
    task = questions(str(folder / "questions.csv"), n_answers=3, confidences="is_true", seed=1)
    (log,) = eval(task, model=known_model(KNOWN), log_dir=str(folder / "ours"), **QUIET)
    scored = folder / "scored.eval"
    command = [sys.executable, "-m", "inspect_ai", "score", log.location, "--output-file", str(scored)]
    command += ["--action", "append", "--model", "mockllm/model", "--display", "none"]
    command += ["--metric", "honest_confidence/sem1_ece", "--metric", "honest_confidence/ecuas"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    results = read_eval_log(str(scored), header_only=True).results
    (added,) = [one.metrics for one in results.scores if one.name == "grade1"]
    (first,) = [one.metrics for one in log.results.scores if "sem1_ece" in one.metrics]
    assert set(added) == {"sem1_ece", "sem1_ece_null", "is_true_ecuas_0", "is_true_ecuas_1", "is_true_ecuas_inf"}
    assert all(added[name].value == pytest.approx(first[name].value, abs=1e-12) for name in added)


def test_a_scorer_that_is_not_in_the_log_is_named(log):
    with pytest.raises(ValueError, match="'marks'"):
        classes(log.location, graded="marks")


@pytest.mark.slow
def test_a_judge_that_keeps_no_form_gives_no_verdict(folder):
    """Four replies, then the answer has no grade, and classes by rule stay."""
    judge = get_model("mockllm/judge", custom_outputs=lambda *request: reply("They look alike to me."))
    task = questions(str(folder / "questions.csv"), n_questions=2, n_answers=3, confidences=[], judge=True, seed=1)
    options = {"model": known_model(KNOWN), "model_roles": {"grader": judge}}
    (log,) = eval(task, log_dir=str(folder / "judge"), **options, **QUIET)
    grades = [sample.scores["grade"] for sample in log.samples]
    unscored = [grade for grade in grades if isinstance(grade.value, float) and math.isnan(grade.value)]
    assert unscored and {grade.reason for grade in unscored} == {"grader_failed"}
    assert all(grade.metadata["by"] == "rule" for grade in grades if grade not in unscored)
    scored = score(log, classes(log.location), action="append", display="none", **options)
    labels = [sample.scores["classes"] for sample in scored.samples]
    alike = [label.answer.lower() == label.metadata["given"].lower() for label in labels]
    assert all(same or "rule" in label.metadata["by"] for same, label in zip(alike, labels, strict=True))
    assert any("the judge failed" in label.metadata["by"] for label in labels)


@pytest.mark.slow
def test_answer_and_confidence_in_one_reply(folder):
    options = {"prompt": "answer_with_confidence", "confidences": "verbalised", "n_answers": 1, "seed": 4}
    task = questions(str(folder / "questions.csv"), **options)
    (log,) = eval(task, model=known_model(KNOWN), log_dir=str(folder / "both"), **QUIET)
    rows = rows_of(log)
    np.testing.assert_allclose(rows["verbalised"], rows["known_verbalised"], rtol=1e-12)
    assert sum(event.event == "model" for sample in log.samples for event in sample.events) == 8


def test_the_log_is_a_table_of_answers(log):
    path = log.location
    rows = rows_of(log)
    table = read_answers(path, correct="grade", confidence="is_true")
    assert table.n_answers == 48
    means = rows.groupby("question", sort=False)["is_true"].mean()
    np.testing.assert_allclose(table.grouped.confidence, means.to_numpy(), rtol=1e-12)


@pytest.mark.slow
def test_scores_of_cases_are_the_known_ones_in_both_orders(folder):
    rng = np.random.default_rng(0)
    cases = pd.DataFrame({"age": rng.integers(20, 80, 30), "work": rng.choice(["nurse", None, "baker"], 30)})
    cases["age"] += np.arange(30) / 100  # each is told apart
    cases["label"] = rng.integers(0, 2, 30)
    cases.to_csv(folder / "cases.csv", index=False)
    options = {"label": "label", "options": "Sick,Well"}
    task = risk_scores(str(folder / "cases.csv"), "Will this person be sick?", **options)
    assert all("label" not in sample.input for sample in task.dataset)
    truth = dict(zip((sample.input for sample in task.dataset), rng.uniform(0.05, 0.95, 30), strict=True))
    model = known_model(cases=truth, option="Sick")
    (log,) = eval(task, model=model, log_dir=str(folder / "scores"), **QUIET)
    assert log.status == "success", log.error
    table = read_scores(log.location, min_rows=10)
    np.testing.assert_allclose(table.p, list(truth.values()), rtol=1e-9)
    np.testing.assert_array_equal(table.y, cases["label"])
    assert list(table.X) == ["age", "work"]
    assert log.samples[0].scores["option_score"].metadata["mass"] == pytest.approx(0.9)


@pytest.mark.slow
def test_a_liking_for_the_first_option_cancels(folder):
    """A model that names the first option with 0.8 whatever it is asked scores a half."""

    def first(messages, tools, choice, config):
        names = messages[-1].text.rsplit("Options: ", 1)[1].split(", ")
        tops = [{"token": name, "logprob": math.log(p)} for name, p in zip(names, (0.8, 0.2), strict=True)]
        output = reply(names[0])
        logprobs = {"content": [tops[0] | {"top_logprobs": tops}]}
        return ModelOutput.model_validate(output.model_dump() | {"choices": [
            output.choices[0].model_dump() | {"logprobs": logprobs}]})  # fmt: skip

    pd.DataFrame({"age": [30, 40], "label": [0, 1]}).to_csv(folder / "two.csv", index=False)
    for both, expected in ((True, 0.5), (False, 0.8)):
        task = risk_scores(str(folder / "two.csv"), "Ill?", label="label", both_orders=both)
        model = get_model("mockllm/model", custom_outputs=first)
        (log,) = eval(task, model=model, log_dir=str(folder / f"first{both}"), **QUIET)
        assert [sample.scores["option_score"].value for sample in log.samples] == pytest.approx([expected] * 2)


@pytest.mark.slow
def test_no_key_is_in_a_log(folder, monkeypatch):
    monkeypatch.setenv("LOCAL_API_KEY", "sk-very-secret-0123456789")
    monkeypatch.setenv("LOCAL_BASE_URL", "http://127.0.0.1:9/v1")  # nobody answers there
    task = questions(str(folder / "questions.csv"), n_questions=1, n_answers=1, confidences=[])
    options = {"model": "openai-api/local/none", "max_retries": 0, "attempt_timeout": 1}
    (log,) = eval(task, log_dir=str(folder / "key"), **options, **QUIET)
    assert log.status == "error"
    written = b"".join(path.read_bytes() for path in (folder / "key").glob("*"))
    assert b"very-secret" not in written and "very-secret" not in json.dumps(log.model_dump(mode="json"))


@pytest.mark.parametrize(("options", "word"), [
    ({"confidences": "is_ture"}, "is_true"), ({"n_answers": 0}, "n_answers"), ({"n_questions": -1}, "n_questions"),
    ({"path": "nowhere.csv"}, "nowhere.csv"), ({"rule": "same"}, "rule"), ({"prompt": "anwser"}, "answer"),
])  # fmt: skip
def test_bad_input_is_refused_before_anything_is_asked(options, word):
    with pytest.raises(ValueError, match=word):
        questions(**options)


@pytest.mark.parametrize(("options", "word"), [
    ({"label": "lable"}, "label"), ({"options": "Yes"}, "options"), ({"features": "label"}, "features"),
    ({"question": " "}, "question"), ({"case": "age"}, "case"),
])  # fmt: skip
def test_cases_that_cannot_be_asked_about(tmp_path, options, word):
    pd.DataFrame({"age": [30, 30], "pay": [1, 2], "label": [0, 1]}).to_csv(tmp_path / "two.csv", index=False)
    with pytest.raises(ValueError, match=word):
        risk_scores(str(tmp_path / "two.csv"), **({"question": "Ill?", "label": "label"} | options))


def test_known_answers_are_distributions_with_one_right_meaning():
    total = KNOWN.groupby("question")["probability"].sum()
    np.testing.assert_allclose(total, 1, atol=1e-12)
    assert (KNOWN[KNOWN["correct"]].groupby("question")["meaning"].nunique() == 1).all()
    right = KNOWN[KNOWN["correct"]].drop_duplicates("question").set_index("question")["meaning"]
    assert right.to_dict() == dict(zip(LISTED["question"], CITIES, strict=True))
    assert is_true_probability({"True": math.log(0.6), "False": math.log(0.2)}) == pytest.approx(0.75)
    with pytest.raises(ValueError, match="sum to 1"):
        known_model(KNOWN.head(3))
