"""Logs that Inspect and lm-evaluation-harness wrote (logs/README.md): read, and refused in words."""

import json
import math
import re
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from helpers.practice.tables import read_answers, read_scores

LOGS = Path(__file__).parent / "logs"

FOUR = ["right", "Incorrect", "right", "Partly", "No", "right"] * 2  # what a mock answered


def lines_of(name):
    return [json.loads(line) for line in (LOGS / name).read_text(encoding="utf-8").splitlines()]


def write_lines(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def repacked(path, change):
    """The deflated log with its members changed; None leaves one out."""
    with zipfile.ZipFile(LOGS / "inspect_deflated.eval") as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            record = change(name, json.loads(old.read(name)))
            if record is not None:
                new.writestr(name, json.dumps(record))
    return path


def test_epochs_are_answers_and_the_scorer_grades_them():
    table = read_answers(LOGS / "inspect_deflated.eval")
    answers = np.array(FOUR).reshape(4, 3).T  # a row a question, a column an epoch
    for row, given in enumerate(answers):
        labels = list(dict.fromkeys(text.lower() for text in given))
        assert list(table.grouped.labels[row]) == labels
        counts = [sum(text.lower() == label for text in given) for label in labels]
        np.testing.assert_array_equal(table.grouped.counts[row][: len(labels)], counts)
        np.testing.assert_array_equal(table.grouped.correct[row][: len(labels)], [label == "right" for label in labels])
    assert table.grouped.questions.tolist() == ["1: Question 0", "2: Question 1", "3: Question 2"]
    for words in ("'four_grades'", "2 answers graded P", "2 answers graded N"):
        assert any(words in note for note in table.notes)


def test_choices_of_a_sample_are_answers_and_the_scorer_has_graded_the_first():
    path = LOGS / "inspect_num_choices.eval"
    table = read_answers(path)
    replies = [  # of each question: the choices of its first epoch, then those of its second
        ["right", "right", "Incorrect", "right", "left", "left"],
        ["Incorrect", "right", "left", "Incorrect", "Incorrect", "left"],
    ]
    for row, given in enumerate(replies):
        assert list(table.grouped.labels[row]) == list(dict.fromkeys(text.lower() for text in given))
        order = [table.grouped.labels[row][k] for k in table.grouped.order[row]]
        assert order == [text.lower() for text in given]
    # first choices: right twice, Incorrect twice; what they never said has no grade
    assert table.grouped.correct.tolist() == [[1, -1, -1], [0, -1, -1]]
    assert any("up to 3 choices of a sample" in note for note in table.notes)
    by_target = read_answers(path, reference="target")
    assert by_target.grouped.correct.tolist() == [[1, 0, 0], [0, 1, 0]]
    assert not any("choices of a sample" in note for note in by_target.notes)
    assert by_target.n_answers == 12


def test_json_and_archive_hold_the_same():
    one, other = (read_answers(LOGS / f"inspect{end}", confidence="likelihood").grouped for end in (".eval", ".json"))
    np.testing.assert_array_equal(one.counts, other.counts)
    np.testing.assert_array_equal(one.correct, other.correct)
    np.testing.assert_allclose(one.confidence, other.confidence)


def test_numbers_equal_those_that_inspect_computed():
    log = json.loads((LOGS / "inspect.json").read_text(encoding="utf-8"))
    for scorer in ("includes", "pattern"):
        (result,) = [score for score in log["results"]["scores"] if score["name"] == scorer]
        table = read_answers(LOGS / "inspect.json", correct=scorer, rule="exact")
        grouped = table.grouped
        share = grouped.counts[grouped.correct == 1].sum() / grouped.counts.sum()
        assert share == pytest.approx(result["metrics"]["accuracy"]["value"])


def test_likelihoods_are_products_of_the_tokens():
    log = json.loads((LOGS / "inspect.json").read_text(encoding="utf-8"))
    table = read_answers(LOGS / "inspect.json", confidence="likelihood")
    for name, stated in zip(table.grouped.questions, table.grouped.confidence, strict=True):
        samples = [sample for sample in log["samples"] if name.startswith(f"{sample['id']}: ")]
        tokens = [sample["output"]["choices"][0]["logprobs"]["content"] for sample in samples]
        expected = [math.prod(math.exp(token["logprob"]) for token in reply) for reply in tokens]
        assert stated == pytest.approx(np.mean(expected))


def test_the_answer_is_what_the_chosen_scorer_read():
    log = json.loads((LOGS / "inspect.json").read_text(encoding="utf-8"))
    table = read_answers(LOGS / "inspect.json", correct="pattern", rule="exact")
    read = {sample["scores"]["pattern"]["answer"] for sample in log["samples"]} - {None}
    assert {label for labels in table.grouped.labels for label in labels} - {None} == read
    whole = read_answers(LOGS / "inspect.json", answer="reply", rule="exact")
    replies = {sample["output"]["completion"] for sample in log["samples"]}
    assert {label for labels in whole.grouped.labels for label in labels} == replies


def test_an_evaluation_that_did_not_finish_is_read_with_a_note():
    table = read_answers(LOGS / "inspect_error.eval")
    assert table.n_answers == 7
    (note,) = [note for note in table.notes if "did not finish" in note]
    assert "(status 'error'): 7 answers" in note
    assert any("1 ended with an error" in note for note in table.notes)


def test_a_crash_leaves_a_journal_and_the_samples(tmp_path):
    path = repacked(tmp_path / "a.eval", lambda name, record: None if name == "header.json" else record)
    table = read_answers(path)
    assert table.n_answers == 12 and any("(status 'started')" in note for note in table.notes)


def test_targets_can_grade_in_place_of_the_scorer():
    table = read_answers(LOGS / "inspect_similarity.eval", reference="target")
    np.testing.assert_array_equal(table.grouped.correct[:, 0], [1, 0, 0])
    assert not read_answers(LOGS / "inspect_similarity.eval", reference="").graded.any()


@pytest.mark.parametrize(
    ("name", "said"),
    [("inspect_similarity.eval", True), ("harness_kept.jsonl", True), ("inspect_deflated.eval", False)],
)
def test_one_answer_repeated_is_named(name, said):
    """lm-eval sends one seed with every request."""
    notes = read_answers(LOGS / name, reference="target").notes
    assert any("all answers are the same in each of the" in note for note in notes) == said


def test_forms_that_samples_may_have(tmp_path):
    """Chats with images, scorers with several values, several targets."""
    log = json.loads((LOGS / "inspect.json").read_text(encoding="utf-8"))
    for sample in log["samples"]:
        image = {"type": "image", "image": "attachment://1"}
        sample["input"] = [
            {"role": "system", "content": "Be short."},
            {"role": "user", "content": [{"type": "text", "text": sample["input"]}, image]},
        ]
        sample["target"] = [sample["target"], "other"]
        sample["scores"] = {"two": {"value": {"a": "C", "b": False}, "answer": None}}
    path = tmp_path / "a.json"
    path.write_text(json.dumps(log))
    grouped = read_answers(path, correct="two/b", rule="exact").grouped
    expected = read_answers(LOGS / "inspect.json", answer="reply", rule="exact").grouped
    assert grouped.labels == expected.labels
    assert grouped.questions.tolist() == expected.questions.tolist()
    assert not (grouped.correct == 1).any()
    assert (read_answers(path).grouped.correct.max(axis=1) == 1).all()  # two/a comes first
    assert read_answers(path, reference="target").graded.all()


def test_repeats_are_answers_and_targets_grade_them(tmp_path):
    records = lines_of("harness_kept.jsonl")
    given = ["Ottawa", "ottawa.", "Toronto", "[invalid]", "Ottawa"]
    records[0]["resps"] = [given]
    records[0]["filtered_resps"] = [given]
    table = read_answers(write_lines(tmp_path / "samples_capitals.jsonl", records))
    assert table.n_answers == 5 * len(records)
    assert table.grouped.questions[0] == "0: What is the capital of Canada? Answer with the name alone."
    np.testing.assert_array_equal(table.grouped.counts[0], [3, 1, 1])
    np.testing.assert_array_equal(table.grouped.correct[0][:3], [1, 0, 0])
    assert any("graded by the targets" in note for note in table.notes)


def test_runs_in_one_file_are_answers_and_the_metric_grades_them():
    table = read_answers(LOGS / "harness_runs.jsonl", correct="exact_match,word")
    records = [record for record in lines_of("harness_runs.jsonl") if record["filter"] == "word"]
    assert table.n_answers == len(records) == 12 and (table.grouped.n_answers == 3).all()
    share = (table.grouped.counts * (table.grouped.correct == 1)).sum() / 12
    assert share == pytest.approx(np.mean([record["exact_match"] for record in records]))
    assert any("'exact_match,whole'" in note for note in table.notes)


def test_whole_replies_where_a_filter_kept_the_first():
    table = read_answers(LOGS / "harness_first.jsonl", rule="exact")
    assert table.grouped.labels[0] == (lines_of("harness_first.jsonl")[0]["resps"][0][0],)
    assert any("no filter kept all replies" in note for note in table.notes)


def test_options_become_scores():
    table = read_scores(LOGS / "harness_choices.jsonl")
    records = lines_of("harness_choices.jsonl")
    assert table.n == len(records) == 80
    for record, label, score in zip(records, table.y, table.p, strict=True):
        weight = np.exp([float(entry[0]) for entry in record["filtered_resps"]])
        assert score == pytest.approx(weight.max() / weight.sum())
        assert label == (str(np.argmax(weight)) == record["target"])
    assert table.features == ["chosen_option", "prompt_length"]
    assert "'gold'" in table.note and "'kind'" in table.note


def changed(**values):
    """A change of all samples of the deflated log."""
    return lambda name, record: record | values if name.startswith("samples/") else record


FAILURE = {"message": "x", "traceback": "", "traceback_ansi": ""}


ARCHIVES = {
    "no scores": (changed(scores={}), "inspect score"),
    "not a grade": (changed(scores={"f1": {"value": 0.3}}), "scorer 'f1' must give C, I, P or N, or 0 and 1"),
    "other samples": (changed(target=None), "no log of Inspect"),
    "all failed": (changed(error=FAILURE, scores={}), "all 12 ended with an error"),
    "one epoch": (lambda name, record: None if re.search("epoch_[2-9]", name) else record, "several epochs"),
    "no samples": (lambda name, record: None if name.startswith("samples/") else record, "holds no answers"),
}


@pytest.mark.parametrize(("change", "message"), ARCHIVES.values(), ids=ARCHIVES)
def test_archives_that_are_refused(tmp_path, change, message):
    path = repacked(tmp_path / "my.eval", change)
    with pytest.raises(ValueError, match=f"^my.eval.*{re.escape(message)}"):
        read_answers(path)


@pytest.mark.parametrize(
    ("name", "correct", "words"),
    [
        ("inspect.json", "include", "no scorer 'include' .*'includes'"),
        ("harness_runs.jsonl", "exact_match,words", "no filter 'words' .*'word'"),
        ("harness_runs.jsonl", "match", "no metric 'match' .*'exact_match'"),
    ],
)
def test_a_scorer_that_is_not_there(name, correct, words):
    with pytest.raises(ValueError, match=f"^{name} has {words}"):
        read_answers(LOGS / name, correct=correct)


@pytest.mark.parametrize("name", ["inspect_deflated.eval", "inspect_similarity.eval"])
def test_archives_that_are_damaged(tmp_path, name):
    path = tmp_path / "my.eval"
    content = (LOGS / name).read_bytes()
    with zipfile.ZipFile(LOGS / name) as archive:
        info = archive.getinfo("samples/2_epoch_1.json")
    middle = info.header_offset + 60 + info.compress_size // 2
    overwritten = content[:middle] + bytes(20) + content[middle + 20 :]
    for damaged in (content[:10], content[: len(content) // 2], content[:-30], overwritten):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match="^my.eval is damaged, cut off in the middle"):
            read_answers(path)


HARNESS = {
    "one run": (lambda records: records.__delitem__(slice(8, None)), "one answer a question"),
    "older": (lambda records: records[1].pop("filter"), "line 2 lacks 'filter'"),
    "tasks": (lambda records: records[1].update(doc_id=0), "line 1 and line 2 are different questions"),
    "metric": (
        lambda records: records[0].update(exact_match=0.5),
        "metric 'exact_match' must be 0 or 1, but in line 1",
    ),
}


@pytest.mark.parametrize(("change", "message"), HARNESS.values(), ids=HARNESS)
def test_samples_that_are_refused(tmp_path, change, message):
    records = lines_of("harness_runs.jsonl")
    change(records)
    with pytest.raises(ValueError, match=f"^my.jsonl.*{re.escape(message)}"):
        read_answers(write_lines(tmp_path / "my.jsonl", records))


def test_scores_that_are_refused(tmp_path):
    for name in ("harness_kept.jsonl", "inspect.json"):
        with pytest.raises(ValueError, match=f"^{name} holds several answers .*read_answers"):
            read_scores(LOGS / name)
    with pytest.raises(ValueError, match="read_scores"):
        read_answers(LOGS / "harness_choices.jsonl")
    records = lines_of("harness_choices.jsonl")
    records[3]["filtered_resps"][0][0] = "much"
    with pytest.raises(ValueError, match="'filtered_resps'.*line 4"):
        read_scores(write_lines(tmp_path / "my.jsonl", records))


@pytest.mark.parametrize("read", [read_answers, read_scores])
def test_without_inspect_the_sentence_says_what_to_install(monkeypatch, read):
    monkeypatch.delitem(sys.modules, "helpers._inspect", raising=False)
    monkeypatch.setitem(sys.modules, "inspect_ai.log", None)
    with pytest.raises(ImportError, match=r"honest-confidence\[llm\]"):
        read(LOGS / "inspect.json")
