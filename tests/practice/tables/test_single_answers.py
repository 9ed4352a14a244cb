"""One answer a question, in logs and in tables: the report on scores reads it, with the confidence that is there."""

import json
import math
import zipfile
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from helpers.practice.reports import read_table
from helpers.practice.tables import read_answers, read_scores
from helpers.practice.tables.files import Table

LOGS = Path(__file__).parent / "logs"


def read(path, **options):
    return read_scores(path, min_rows=1, **options)


# ---- Inspect --------------------------------------------------------------------------------------------------


def one_epoch(path, change=None):
    """The log with every answer to a question of its own; `change` gets each sample and its number."""
    log = json.loads((LOGS / "inspect.json").read_text(encoding="utf-8"))
    log["results"] = None
    for k, sample in enumerate(log["samples"]):
        sample |= {"id": f"q{k}", "epoch": 1, "metadata": {"topic": "ab"[k % 2], "gold": sample["target"]}}
        if change:
            change(sample, k)
    path.write_text(json.dumps(log))
    return path


def tokens_of(sample):
    return sample["output"]["choices"][0]["logprobs"]["content"]


def silent(sample, k):
    """No log-probabilities; two of three answers are right."""
    sample["output"]["choices"][0]["logprobs"] = None
    sample["scores"] = {"judge": {"value": "C" if k % 3 else "I", "answer": "a"}}


def stated(sample, k, confidence="{}%"):
    silent(sample, k)
    sample["scores"]["judge"]["metadata"] = {"confidence": confidence.format(50 + k)}


def replied(sample, k):
    """The form of Humanity's Last Exam."""
    silent(sample, k)
    text = f"Explanation: the 95% confidence interval.\nExact Answer: 7\nConfidence: {50 + k}%"
    sample["output"]["choices"][0]["message"]["content"] = sample["output"]["completion"] = text


def test_the_likelihood_of_a_reply_is_its_score(tmp_path):
    path = one_epoch(tmp_path / "a.json")
    table = read(path, label="pattern")
    samples = json.loads(path.read_text(encoding="utf-8"))["samples"]
    np.testing.assert_array_equal(table.y, [sample["scores"]["pattern"]["value"] == "C" for sample in samples])
    expected = [math.exp(sum(token["logprob"] for token in tokens_of(sample))) for sample in samples]
    np.testing.assert_allclose(table.p, expected)
    assert table.features == ["topic", "prompt_length"]
    assert "'gold'" in table.note and "'includes'" in table.note
    with pytest.raises(ValueError, match=r"^a.json has one answer .*read_scores.*likelihood"):
        read_answers(path)


@pytest.mark.parametrize("change", [stated, replied])
def test_a_stated_confidence_comes_before_the_likelihood(tmp_path, change):
    table = read(one_epoch(tmp_path / "a.json", change))
    np.testing.assert_allclose(table.p, [(50 + k) / 100 for k in range(20)])
    np.testing.assert_array_equal(table.y, [int(k % 3 > 0) for k in range(20)])


def test_a_number_of_another_scorer_can_be_the_score(tmp_path):
    def change(sample, k):
        stated(sample, k)
        sample["scores"]["risk"] = {"value": 0.3 + k / 100}

    table = read(one_epoch(tmp_path / "a.json", change), score="risk")
    np.testing.assert_allclose(table.p, [0.3 + k / 100 for k in range(20)])


def test_neither_confidence_nor_likelihood(tmp_path):
    path = one_epoch(tmp_path / "a.json", silent)
    with pytest.raises(ValueError, match="^a.json .*--logprobs.*Confidence: 85%"):
        read(path)
    with pytest.raises(ValueError, match="^a.json has one answer .*no confidence"):
        read_answers(path)


def failing(sample, k):
    """An error that was scored as wrong, one that was not, one withdrawn, one without a grade; all others right."""
    stated(sample, k)
    sample["scores"]["judge"]["value"] = "C"
    if k < 2:
        sample["error"] = {"message": "x", "traceback": "", "traceback_ansi": ""}
    if k == 0:
        sample["scores"]["judge"]["value"] = "I"
    if k == 1:
        sample["scores"] = {}
    if k == 2:
        sample["invalidation"] = {"timestamp": "2026-01-01T00:00:00Z", "author": "a", "reason": "r"}
    if k == 3:
        sample["scores"]["judge"]["value"] = math.nan


def test_failed_samples_are_left_out_or_wrong_and_both_shares_are_shown(tmp_path):
    path = one_epoch(tmp_path / "a.json", failing)
    out = read(path)
    assert (out.n, out.y.sum()) == (17, 16)
    wrong = read(path, failed="wrong")
    assert (wrong.n, wrong.y.sum()) == (18, 16)  # the one without a grade; the two others have no confidence
    for table in (out, wrong):
        assert "1 ended with an error" in table.note and "1 were invalidated" in table.note
        assert f"{100 * 16 / 17:.1f} %" in table.note and f"{100 * 16 / 20:.1f} %" in table.note
    with pytest.raises(ValueError, match="^failed must be one of"):
        read(path, failed="right")


def test_refusals_count_as_graded_and_both_shares_are_shown(tmp_path):
    """Three refusals: no answer, the grade N, and a reason; all others are right."""

    def change(sample, k):
        stated(sample, k)
        refusal = [{"value": "I", "answer": None}, {"value": "N"}, {"value": "I", "reason": "refusal"}]
        sample["scores"]["judge"] |= refusal[k] if k < 3 else {"value": "C"}

    table = read(one_epoch(tmp_path / "a.json", change))
    assert (table.n, table.y.sum()) == (20, 17)
    assert "3 of 20 graded answers" in table.note and "85.0 %" in table.note and "100.0 %" in table.note
    empty = [reply(k, **({"filtered_resps": ["[invalid]"]} if k < 6 else {})) for k in range(30)]
    note = read(write(tmp_path / "samples_a.jsonl", empty)).note
    assert "6 of 30 graded answers" in note and f"{100 * 16 / 24:.1f} %" in note


def test_failed_answers_among_several(tmp_path):
    def change(sample, k):
        failing(sample, k)
        sample |= {"id": f"q{k % 5}", "epoch": 1 + k // 5, "input": "How many?"}

    path = one_epoch(tmp_path / "a.json", change)
    out = read_answers(path)
    wrong = read_answers(path, failed="wrong")
    assert (out.n_answers, wrong.n_answers) == (18, 20)
    assert (wrong.grouped.correct == 0).sum() - (out.grouped.correct == 0).sum() == 2
    for table in (out, wrong):
        assert any(f"{100 * 16 / 17:.1f} %" in note and f"{100 * 16 / 20:.1f} %" in note for note in table.notes)


def test_an_archive_that_unpacks_beyond_measure(tmp_path):
    path = tmp_path / "my.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", bytes(110_000_000))
    with pytest.raises(ValueError, match="^my.eval would unpack to 110 MB"):
        read_answers(path)


# ---- lm-evaluation-harness ------------------------------------------------------------------------------------


def reply(k, text=None, **more):
    """A record of one reply; two of three are right."""
    text = f"The answer is {k}.\nConfidence: {40 + k}%" if text is None else text
    arguments = {"gen_args_0": {"arg_0": f"How many? {k}", "arg_1": {"do_sample": True}}}
    record = {"doc_id": k, "doc": {"question": f"How many? {k}", "answer": k}, "target": str(k)}
    record |= {"arguments": arguments, "resps": [[text]], "filtered_resps": [str(k)], "filter": "none"}
    return record | {"metrics": ["exact_match"], "exact_match": float(k % 3 > 0)} | more


def options(k, subject="law", **more):
    """A record of four options; the likeliest has 4 or 5 tenths, in turn, and is right with 5."""
    log = np.log(np.roll([0.1, 0.1, 0.3, 0.5] if k % 2 else [0.1, 0.2, 0.3, 0.4], k))
    best = int(log.argmax())
    right = best if k % 2 else (best + 1) % 4
    arguments = {f"gen_args_{i}": {"arg_0": "Which?", "arg_1": f" {'ABCD'[i]}"} for i in range(4)}
    record = {"doc_id": k, "doc": {"subject": subject, "answer": right}, "target": str(right), "arguments": arguments}
    likelihoods = [[str(value), "False"] for value in log]
    record |= {"resps": [[entry] for entry in likelihoods], "filtered_resps": likelihoods, "filter": "none"}
    return record | {"metrics": ["acc", "acc_norm"], "acc": float(k % 2), "acc_norm": 1.0} | more


def write(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_replies_that_state_a_confidence(tmp_path):
    path = write(tmp_path / "samples_a.jsonl", map(reply, range(40)))
    table = read(path)
    np.testing.assert_allclose(table.p, [(40 + k) / 100 for k in range(40)])
    np.testing.assert_array_equal(table.y, [int(k % 3 > 0) for k in range(40)])
    assert "answer" not in table.features and "'answer'" in table.note
    with pytest.raises(ValueError, match="^samples_a.jsonl has one answer .*read_scores"):
        read_answers(path)
    silent = write(tmp_path / "samples_b.jsonl", [reply(k, "7") for k in range(40)])
    with pytest.raises(ValueError, match="^samples_b.jsonl has one answer .*Confidence: 85%.*repeats"):
        read(silent)


def test_flat_replies_are_replies_and_not_letters(tmp_path):
    """As lmms-eval writes them: a text for one reply, or a list of texts."""
    runs = [reply(k, resps=["blue"], filtered_resps="blue", target="blue") for k in range(4)] * 3
    table = read_answers(write(tmp_path / "a.jsonl", runs))
    assert table.n_answers == 12 and table.grouped.labels[0] == ("blue",)
    kept = [
        reply(k, resps=["blue", "red", "blue"], filtered_resps=["blue", "red", "blue"], target="blue") for k in range(4)
    ]
    table = read_answers(write(tmp_path / "b.jsonl", kept))
    np.testing.assert_array_equal(table.grouped.counts, [[2, 1]] * 4)


def test_other_metrics_are_named_and_can_grade(tmp_path):
    records = [reply(k, metrics=["exact_match", "lenient"], lenient=1.0) for k in range(40)]
    path = write(tmp_path / "samples_a.jsonl", records)
    assert "'lenient'" in read(path).note
    runs = write(tmp_path / "runs.jsonl", records * 2)
    assert any("'lenient'" in note for note in read_answers(runs).notes)
    assert (read_answers(runs, correct="lenient").grouped.correct == 1).all()


def test_subjects_are_one_table(tmp_path):
    stamp = "2025-01-01T10-00-00.000000.jsonl"
    files = [
        write(tmp_path / f"samples_mmlu_{name}_{stamp}", [options(k, name) for k in range(8)])
        for name in ("art", "law")
    ]
    tables = [read(source) for source in (files, tmp_path, str(tmp_path / "samples_mmlu_*.jsonl"))]
    for table in tables:
        assert table.n == 16 and table.X["subject"].tolist() == ["art"] * 8 + ["law"] * 8
        np.testing.assert_array_equal(table.y, [k % 2 for k in range(8)] * 2)
        assert table.sha256 == tables[0].sha256 != read(files[0]).sha256
    generated = [
        write(tmp_path / f"samples_gen_{name}_{stamp}", [reply(k) for k in range(4)] * 2) for name in ("art", "law")
    ]
    asked = read_answers(generated)
    assert asked.features["subject"].tolist() == ["art"] * 4 + ["law"] * 4
    grouped = asked.grouped
    assert [name.split(":")[0] for name in grouped.questions] == [
        f"{a} {b}" for a, b in product(("art", "law"), range(4))
    ]
    again = write(tmp_path / f"samples_mmlu_law_{stamp.replace('2025', '2026')}", [options(k) for k in range(8)])
    with pytest.raises(ValueError, match=r"must hold each question once, but 'law 0.*\(and 7 more\)"):
        read([*files, again])
    with pytest.raises(ValueError, match="^path .*rows.csv is none"):
        (tmp_path / "rows.csv").write_text("a,b\n1,2\n")
        read([*files, tmp_path / "rows.csv"])
    with pytest.raises(ValueError, match="^path .*no file"):
        read(str(tmp_path / "samples_none_*.jsonl"))


def test_options_without_acc_are_graded_by_their_targets(tmp_path):
    """As the tasks of the leaderboard: the target is the number of an option, or its text."""
    records = [options(k, metrics=["acc_norm"]) for k in range(8)]
    texts = [record | {"target": "ABCD"[int(record["target"])]} for record in records]
    for number, targets in enumerate((records, texts)):
        table = read(write(tmp_path / f"{number}.jsonl", targets))
        np.testing.assert_array_equal(table.y, [k % 2 for k in range(8)])
        np.testing.assert_allclose(table.p, [0.4, 0.5] * 4)
    with pytest.raises(ValueError, match="target is 'E'"):
        read(write(tmp_path / "e.jsonl", [record | {"target": "E"} for record in records]))


def test_a_share_is_no_grade(tmp_path):
    path = write(tmp_path / "samples_truthfulqa_mc2.jsonl", [options(k, acc=0.37) for k in range(8)])
    with pytest.raises(ValueError, match="metric 'acc' must be 0 or 1.*truthfulqa_mc1") as error:
        read(path)
    assert "correct" not in str(error.value) and "reference" not in str(error.value)


# ---- tables ---------------------------------------------------------------------------------------------------


def answers(**more):
    k = np.arange(60)
    given = [f"The answer is {i if i % 3 else i + 1}." for i in k]
    table = pd.DataFrame({"question": [f"q{i}" for i in k], "topic": np.array(list("ab"))[k % 2], "answer": given})
    return table.assign(reference=k, confidence=60 + k % 5 * 10).assign(**more)


def test_a_table_with_one_answer_a_question(tmp_path):
    path = tmp_path / "my.csv"
    answers().to_csv(path, index=False)
    table = read(path)
    np.testing.assert_array_equal(table.y, [int(i % 3 > 0) for i in range(60)])
    np.testing.assert_allclose(table.p, [(60 + i % 5 * 10) / 100 for i in range(60)])
    assert table.features == ["topic", "prompt_length"]
    graded = read(answers(correct=1).assign(correct=[i % 2 for i in range(60)]).drop(columns="reference"))
    np.testing.assert_array_equal(graded.y, [i % 2 for i in range(60)])
    with pytest.raises(ValueError, match="^my.csv: most questions .*read_scores"):
        read_answers(path)
    with pytest.raises(ValueError, match="^the table has one answer .*'confidence'"):
        read(answers().drop(columns="confidence"))
    with pytest.raises(ValueError, match="^the table holds several answers .*read_answers"):
        read(pd.concat([answers()] * 2))


def test_several_references_and_lists_of_answers():
    names = answers(answer=["Bob", "Rob", "Al"] * 20, reference=[["Bob", "Rob"]] * 60)
    np.testing.assert_array_equal(read(names).y, [1, 1, 0] * 20)
    with pytest.raises(ValueError, match="several answers .*read_answers"):
        read(answers(answer=[["7", "8"]] * 60))


def test_scales_of_confidence():
    steps = answers(confidence=1 + np.arange(60) % 10)
    with pytest.raises(ValueError, match="^the table: 'confidence': scale must say"):
        read(steps)
    np.testing.assert_allclose(read(steps, scale=10).p, (1 + np.arange(60) % 10) / 10)
    words = answers(confidence=["low", "High"] * 30)
    np.testing.assert_allclose(read(words, scale={"low": 0.2, "high": 0.9}).p, [0.2, 0.9] * 30)
    named = steps.rename(columns={"answer": "text"}).assign(label=np.arange(60) % 2)
    np.testing.assert_allclose(read(named, score="confidence", scale="10").p, (1 + np.arange(60) % 10) / 10)
    longer = pd.concat([steps, steps.assign(question=[f"r{i}" for i in range(60)])], ignore_index=True)
    np.testing.assert_allclose(read_table(longer, scale=10).p, read(longer, scale=10).p)
    samples = pd.concat([steps] * 2)
    with pytest.raises(ValueError, match="column 'confidence': scale must say"):
        read_answers(samples)
    np.testing.assert_allclose(read_answers(samples, scale=10).grouped.confidence, (1 + np.arange(60) % 10) / 10)


# ---- JSON -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("orient", ["records", "columns", "index"])
def test_rows_in_json(tmp_path, orient):
    frame = pd.DataFrame({"label": [0, 1] * 30, "score": np.linspace(0.1, 0.9, 60), "age": np.arange(60) % 7})
    path = tmp_path / "my.json"
    frame.to_json(path, orient=orient)
    table = read(path)
    np.testing.assert_array_equal(table.y, frame["label"])
    np.testing.assert_allclose(table.p, frame["score"])
    assert table.features == ["age"]
    samples = pd.concat([answers()] * 2, ignore_index=True)
    samples.to_json(path, orient=orient)
    assert read_answers(path).n_answers == 120


@pytest.mark.parametrize("content", ["[1, 2]", "[]", "{}", '{"a": 1}', '{"a": 1}\n{"a": 2}', "[1,"])
def test_json_that_holds_no_rows(tmp_path, content):
    path = tmp_path / "my.json"
    path.write_text(content)
    with pytest.raises(ValueError, match="^my.json "):
        read(path)


def test_a_table_in_memory_is_left_alone():
    table = Table("mine", answers().assign(label=[0, 1] * 30, score=np.linspace(0, 1, 60)))
    before = table.frame.copy()
    read(table)
    pd.testing.assert_frame_equal(table.frame, before)
