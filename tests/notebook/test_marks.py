"""Marks of a class: files are put together or refused with their line, and the gain is found where it is known."""

import json

import numpy as np
import pandas as pd
import pytest

from helpers.notebook.marks import AFTER, BEFORE, main, mean_gain, read_marks, share_right

GOOD = {"who": "ann", "page": "03", "item": "quiz 1", "right": True, "tries": 1, "answer": "b"}


def write(folder, name, *marks):
    lines = [mark if isinstance(mark, str) else json.dumps(mark, ensure_ascii=False) for mark in marks]
    (folder / name).write_text("\n".join(lines), encoding="utf-8")


def test_files_of_one_person_are_put_together_and_the_later_line_stays(tmp_path):
    write(tmp_path, "a (1).jsonl", GOOD | {"right": True, "tries": 3}, GOOD | {"item": "quiz 2"})
    write(tmp_path, "a.jsonl", GOOD | {"right": False, "tries": 2}, GOOD | {"item": "quiz 2"}, "")
    write(tmp_path, "b.jsonl", "\ufeff" + json.dumps(GOOD | {"who": "bo\u2028", "right": False}, ensure_ascii=False))
    marks = read_marks(tmp_path)
    assert marks[["who", "item", "right", "tries"]].to_numpy().tolist() == [
        ["ann", "quiz 1", True, 3],
        ["ann", "quiz 2", True, 1],
        ["bo", "quiz 1", False, 1],
    ]


BROKEN = {
    "JSON": "{half of it",
    "names": "[1]",
    "who": GOOD | {"who": " "},
    "page": GOOD | {"page": 3},
    "right": GOOD | {"right": 1},
    "tries": GOOD | {"tries": 0},
    "answer": {name: value for name, value in GOOD.items() if name != "answer"},
    "otherwise in a.jsonl, line 1": GOOD | {"right": False},
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_line_is_named_with_its_file(tmp_path, what, capsys):
    write(tmp_path, "a.jsonl", GOOD)
    write(tmp_path, "b.jsonl", GOOD | {"item": "quiz 2"}, BROKEN[what])
    with pytest.raises(ValueError, match=rf"b\.jsonl, line 2.*{what}"):
        read_marks(tmp_path)
    assert main([str(tmp_path)]) == 1
    captured = capsys.readouterr()
    assert "b.jsonl, line 2" in captured.err and not captured.out


def test_a_folder_without_marks_is_refused(tmp_path):
    with pytest.raises(ValueError, match="folder"):
        read_marks(tmp_path)
    (tmp_path / "a.jsonl").write_text("\n")
    with pytest.raises(ValueError, match="folder"):
        read_marks(tmp_path)
    (tmp_path / "b.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match="b.jsonl"):
        read_marks(tmp_path)


def answered(page, **people):
    """Marks of people, each a string of 1 right, 0 wrong, - left out."""
    rows = [(who, f"question {k}", one == "1") for who, line in people.items() for k, one in enumerate(line)]
    marks = pd.DataFrame(rows, columns=["who", "item", "right"]).assign(page=page, tries=1, answer="a")
    return marks[["-" not in one for line in people.values() for one in line]]


def test_the_gain_by_hand():
    before = answered(BEFORE, ann="1000", bo="110-", once="1111")
    after = answered(AFTER, ann="1110", bo="1111", late="0000")
    gain = mean_gain(pd.concat([before, after]))
    assert (gain.n, gain.before, gain.after, gain.value) == (2, 0.375, 0.875, 0.5)
    assert gain.gains.tolist() == [0.5, 0.5] and gain.low == gain.high == 0.5
    with pytest.raises(ValueError, match="marks"):
        mean_gain(pd.concat([before, after[after["who"] == "ann"]]))
    with pytest.raises(ValueError, match="level"):
        mean_gain(pd.concat([before, after]), level=1.0)


def test_the_interval_covers_a_known_gain_in_small_classes():
    rng = np.random.default_rng(3)
    covered = []
    for _ in range(300):
        p = np.clip(rng.normal(0.45, 0.1, (12, 1)), 0, 0.8)
        shares = [rng.random((12, 20)) < p, rng.random((12, 20)) < p + 0.15]
        lines = [{f"s{i}": "".join(np.where(row, "1", "0")) for i, row in enumerate(right)} for right in shares]
        gain = mean_gain(pd.concat([answered(BEFORE, **lines[0]), answered(AFTER, **lines[1])]))
        covered.append(gain.low <= 0.15 <= gain.high)
    assert abs(np.mean(covered) - 0.95) < 3 * (0.95 * 0.05 / 300) ** 0.5


def test_a_first_answer_counts_where_the_page_tells_and_the_last_where_it_does_not():
    marks = answered("03", ann="11", bo="10").assign(tries=[1, 2, 1, 1])
    marks = pd.concat([marks, answered(BEFORE, ann="1" * 12).assign(tries=2)])
    shares = share_right(marks).set_index(["page", "item"])["share"]
    assert shares["03"].tolist() == [1.0, 0.0]
    assert (shares[BEFORE] == 1).all()
    assert shares[BEFORE].index.tolist() == [f"question {k}" for k in range(12)]


def test_the_command_shows_the_gain_and_each_item(tmp_path, capsys):
    marks = pd.concat([answered(BEFORE, ann="10", bo="00", once="11"), answered(AFTER, ann="11", bo="01")])
    marks = pd.concat([marks, answered("03", ann="1")])
    write(tmp_path, "class.jsonl", *marks.to_dict("records"))
    assert main([str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert str(mean_gain(marks)) in out and "once: once" in out
    assert "question 1" in out and "03" in out
    write(tmp_path, "class.jsonl", GOOD)
    assert main([str(tmp_path)]) == 0
    assert "Concept" not in capsys.readouterr().out
