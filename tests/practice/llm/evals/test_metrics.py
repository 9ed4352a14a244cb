"""Our measures as Inspect's metrics: they see every attempt, and say what the functions of the package say."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("inspect_ai")

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log, recompute_metrics, write_eval_log
from inspect_ai.scorer import SampleScore, Score, accuracy, scorer
from inspect_ai.solver import solver

from helpers.answers import sem_ece
from helpers.practice.llm.evals import MEASURES, aurc, ecuas, sem1_ece, sem2_ece
from helpers.practice.llm.evals.metrics import attempts_of
from helpers.practice.tables import read_answers
from helpers.selective import confidence_metrics

QUIET = {"display": "none", "score_display": False, "log_realtime": False, "model": "mockllm/model"}

OURS = [sem1_ece(), sem2_ece(), *(measure() for measure in MEASURES.values())]


@solver
def say(answers):
    """No model is asked: the answer of each question and epoch is looked up."""

    async def solve(state, generate):
        state.output.completion = answers[state.sample_id][state.epoch - 1]
        return state

    return solve


@scorer(metrics=[accuracy(), *OURS])
def looked_up(right, confidence):
    async def score(state, target):
        at = (state.sample_id, state.epoch - 1)
        said = {"confidence": float(confidence[at[0]][at[1]])}
        return Score(value="C" if right[at[0]][at[1]] else "I", answer=state.output.completion, metadata=said)

    return score


def drawn(n_questions, n_answers, rng):
    """Answers, whether they are right, and confidences, each {question: list}."""
    rng = np.random.default_rng(rng)
    answers = {}
    right = {}
    confidence = {}
    for number in range(1, n_questions + 1):
        answers[number] = rng.choice(["Paris", "paris.", "Rome", "Oslo"], n_answers, p=rng.dirichlet([2, 1, 1, 1]))
        right[number] = np.char.startswith(np.char.lower(answers[number]), "paris")
        confidence[number] = rng.choice([0.2, 0.5, 0.8, 0.9], n_answers)
        answers[number] = answers[number].tolist()
    return answers, right, confidence


def evaluated(answers, right, confidence, folder):
    dataset = [Sample(id=number, input=f"Question {number}", target="Paris") for number in answers]
    task = Task(dataset, solver=say(answers), scorer=looked_up(right, confidence))
    (log,) = eval(task, epochs=len(answers[1]), log_dir=str(folder), **QUIET)
    assert log.status == "success", log.error
    return log


def numbers(log):
    """{metric: value} of all that a log has."""
    return {name: metric.value for score in log.results.scores for name, metric in score.metrics.items()}


def scores_of(answers, right, confidence):
    """What Inspect hands to a metric."""
    return [
        SampleScore(sample_id=number, score=Score(value=int(r), answer=text, metadata={"confidence": float(c)}))
        for number in answers
        for text, r, c in zip(answers[number], right[number], confidence[number], strict=True)
    ]


def assert_same_as_the_table(found, path):
    """The metrics are what the package's functions say of the table that it reads from the log."""
    table = read_answers(path, confidence="confidence")
    measured = sem_ece(table.grouped, margins=None, n_resamples=20, rng=0).errors
    log = read_eval_log(str(path))
    rows = [sample.scores["looked_up"] for sample in log.samples]
    correct = [row.value == "C" for row in rows]
    stated = [row.metadata["confidence"] for row in rows]
    wanted = confidence_metrics(correct, stated, n=(0, 1, math.inf)).to_dict()
    wanted |= {"sem1_ece": measured["sem1"].value, "sem2_ece": measured["sem2"].value}
    for name, value in wanted.items():
        assert found[name] == pytest.approx(value, abs=1e-12), name


@pytest.mark.nightly
def test_attempts_that_are_all_maximally_wrong_are_not_well_calibrated(tmp_path):
    """Right at confidence 0, wrong at confidence 1: means over two epochs would be calibrated perfectly."""
    n = 10
    answers = {number: ["Paris", "Rome"] for number in range(1, n + 1)}
    right = dict.fromkeys(answers, [True, False])
    found = numbers(evaluated(answers, right, dict.fromkeys(answers, [0.0, 1.0]), tmp_path))
    assert found["accuracy"] == 0.5
    assert found["ece"] == 1.0
    assert found["ecuas_0"] == math.inf and found["ecuas_1"] == 1.5  # a refusal costs 1
    assert found["aurc"] > 0.8
    assert found["sem1_ece"] == 0.0  # half of the answers agree, and of the two that tie half are right


@pytest.mark.slow
def test_a_log_gives_the_numbers_of_its_table(tmp_path):
    """Twelve questions, and 40 with five answers each, computed anew and written in Inspect's other form."""
    log = evaluated(*drawn(12, 4, rng=0), tmp_path)
    assert_same_as_the_table(numbers(log), Path(log.location))
    answers, right, confidence = drawn(40, 5, rng=1)
    log.samples = [
        log.samples[0].model_copy(update={"id": number, "epoch": k + 1, "input": f"Question {number}", "scores": {
            "looked_up": Score(value="C" if right[number][k] else "I", answer=answers[number][k], metadata={
                "confidence": float(confidence[number][k])})}})
        for k in range(5) for number in answers
    ]  # fmt: skip
    log.eval.dataset.sample_ids = list(answers)
    recompute_metrics(log)
    path = tmp_path / "large.json"
    write_eval_log(log, str(path))
    assert_same_as_the_table(numbers(log), path)


def test_a_confidence_is_found_by_its_name_or_is_agreement():
    answers, right, confidence = drawn(20, 4, rng=2)
    scores = scores_of(answers, right, confidence)
    assert list(aurc()(scores)) == ["aurc"]
    assert list(aurc(confidence="sem2")(scores)) == ["sem2_aurc"]
    for entry in scores:
        entry.score.metadata = {"posterior": entry.score.metadata["confidence"], "is_true": 0.5, "other": 7}
    assert list(aurc()(scores)) == ["posterior_aurc", "is_true_aurc"]
    assert np.isnan(aurc(confidence="verbalised")(scores)["verbalised_aurc"])
    with pytest.raises(ValueError, match="other must lie"):
        aurc(confidence="other")(scores)


def test_a_value_may_be_a_dictionary_with_the_grade():
    said = Score(value={"score": 1, "confidence": 0.7}, answer="Paris")
    (row,) = attempts_of([SampleScore(score=said, sample_id=1)]).to_dict("records")
    assert row["correct"] == 1 and row["confidence"] == 0.7
    with pytest.raises(ValueError, match="score must be a grade"):
        attempts_of([SampleScore(score=Score(value=0.4), sample_id=1)])


def test_too_little_for_a_number_is_no_number_and_stops_no_run():
    scores = scores_of({1: ["a"]}, {1: [1]}, {1: [0.5]})
    assert all(np.isnan(value) for metric in (sem1_ece(), sem2_ece()) for value in metric(scores).values())
    for metric in OURS:
        assert all(np.isnan(value) for value in metric([]).values())
        metric(scores)


def test_agreement_looks_at_every_attempt_whatever_the_order():
    scores = scores_of(*drawn(40, 5, rng=3))
    shuffled = [scores[k] for k in np.random.default_rng(0).permutation(len(scores))]
    tables = [attempts_of(part).groupby("question")["correct"].sum() for part in (scores, shuffled)]
    pd.testing.assert_series_equal(*tables)
    assert ecuas()(scores) == pytest.approx(ecuas()(shuffled))


@pytest.mark.parametrize("confidence", ["sem1", "sem2"])
def test_ties_count_by_their_right_share_whatever_the_order(confidence):
    """Two answers to each of four questions; two have a tie of right and wrong."""
    answers = {1: ["Paris", "Rome"], 2: ["Rome", "Paris"], 3: ["Paris", "Paris"], 4: ["Oslo", "Oslo"]}
    right = {number: [text == "Paris" for text in texts] for number, texts in answers.items()}
    scores = scores_of(answers, right, {number: [0.5, 0.5] for number in answers})
    for name, measure in MEASURES.items():
        found, backwards = (measure(confidence=confidence)(part) for part in (scores, scores[::-1]))
        assert found == pytest.approx(backwards, nan_ok=True), name
    assert MEASURES["er"](confidence=confidence)(scores) == {f"{confidence}_er": 0.5}
