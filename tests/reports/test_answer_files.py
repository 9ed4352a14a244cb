"""What the audit of answers gives to Python: its verdict, two systems, and the files that it writes."""

import json

import numpy as np
import pandas as pd
import pytest

from helpers.answers import AnswerPopulation
from helpers.reports import audit_answers, read_table
from helpers.reports.answer_pair import compare_pair
from helpers.tables import read_answers, table_of_counts


def some_file(n=150, seed=0):
    """Answers with texts that spreadsheets would compute."""
    rng = np.random.default_rng(seed)
    rows = []
    for question in range(n):
        sure = rng.random() ** 0.2
        for sample in range(8):
            right = rng.random() < sure
            topic = "others" if question % 3 else "=legal"
            rows.append([f"=q{question}", sample, "+yes" if right else "@no", "+yes", "95%", topic])
    return pd.DataFrame(rows, columns=["question", "sample", "answer", "reference", "confidence", "topic"])


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("answers") / "mine.csv"
    some_file().to_csv(path, index=False)
    table = read_answers(path)
    other = read_answers(some_file(seed=1))
    report = audit_answers(
        table, against=other, names=("old", "new"), precision=0.8, reject_cost=0.2, n_resamples=200, rng=0
    )
    return report, path.parent, report.save(path.parent / "out")


def test_a_row_a_question_that_no_spreadsheet_computes(saved):
    report, _, page = saved
    rows = pd.read_csv(page.with_name("answers.csv"), keep_default_na=False)
    assert len(rows) == 150 and rows["n_answers"].eq(8).all() and set(rows["right"]) == {0, 1}
    assert rows["right"].mean() == pytest.approx(report.accuracy[0])
    certificate = report.promises.certificate
    used = rows[rows["use_certified"] == "yes"]
    assert certificate.certified and (len(used), used["right"].sum()) == (certificate.n_kept, certificate.n_right)
    pays = report.sources[report.prices.source] >= report.prices.threshold - 1e-6
    assert ((rows["use_by_cost"] == "yes") == pays).all()
    assert (rows["topic"] == np.where(np.arange(150) % 3, "others", "'=legal")).all()
    assert rows["question"].str.startswith("'=q").all() and rows["answer"].iloc[0] in ("'+yes", "yes", "no")
    carried = read_table(page.with_name("answers.csv"), "right", "agreement", features=["topic"])  # to notebook 13
    assert carried.n == 150 and carried.features == ["topic"]


def test_page_and_findings(saved):
    report, _, page = saved
    text = page.read_text(encoding="utf-8")
    for words in ("answers.csv", "systems.csv", "findings.json", report.table.sha256, 'alt="Reliability', ">0.8</td>"):
        assert words in text, words
    assert "http" not in text.replace("http://www.w3.org", "")
    found = json.loads(page.with_name("findings.json").read_text(encoding="utf-8"))
    assert found["schema"] == 1 and [entry["kind"] for entry in found["findings"]] == report.findings["kind"].tolist()
    systems = pd.read_csv(page.with_name("systems.csv"))
    assert list(systems) == ["measure", "old", "new", "difference", "low", "high"]


def test_texts_of_a_file_are_shown_as_they_are_written(tmp_path):
    odd = "{{ 7 * 7 }} {% raw %} <b onclick=x>name</b>"
    frame = some_file(400)
    wrong = frame["question"].str[2:].astype(int) % 4 == 0
    frame["topic"] = np.where(wrong, odd, "others")
    frame["answer"] = np.where(wrong ^ (frame["question"].str[2:].astype(int) % 10 == 0), "@no", "+yes")
    report = audit_answers(read_answers(frame, confidence=""), n_resamples=100, rng=0)
    assert f"topic is {odd}" in report.findings["subject"].tolist()
    report.save(tmp_path / "page")
    text = (tmp_path / "page" / "report.html").read_text(encoding="utf-8")
    assert "{{ 7 * 7 }} {% raw %} &lt;b onclick" in text and "<b onclick" not in text


def test_nothing_is_overwritten_unasked(saved, tmp_path):
    report, folder, page = saved
    before = page.stat().st_mtime_ns
    with pytest.raises(ValueError, match="report.html is there already: choose another folder, or overwrite=True"):
        report.save(folder / "out")
    (tmp_path / "answers.csv").write_text("mine")
    with pytest.raises(ValueError, match="answers.csv is there already"):
        report.save(tmp_path)
    assert (tmp_path / "answers.csv").read_text() == "mine" and not (tmp_path / "report.html").exists()
    assert page.stat().st_mtime_ns == before


def test_without_right_answers_there_is_a_page_too(tmp_path):
    model = AnswerPopulation.dirichlet(40, 3, rng=0).sample(6, rng=1)
    report = audit_answers(table_of_counts(model.counts), n_resamples=100, rng=0)
    report.save(tmp_path)
    assert "use_by_cost" not in pd.read_csv(tmp_path / "answers.csv")
    assert report.headline in (tmp_path / "report.html").read_text(encoding="utf-8")


# ---- two systems ----------------------------------------------------------------------------------------------


def test_two_systems_by_hand():
    """Matched by name, in any order; one question of each has no partner."""
    first = table_of_counts([[4, 0]] * 4, [[1, 0], [1, 0], [0, 1], [1, 0]])
    second = table_of_counts([[2, 2]] * 4, [[1, 0], [0, 1], [0, 1], [1, 0]])
    first.grouped.questions[:] = [1, 2, 3, 9]
    second.grouped.questions[:] = [3, 2, 1, 8]
    agreement = (np.ones(4), np.full(4, 0.5))
    correct = (np.array([1, 1, 0, 1]), np.array([1, 0, 0, 1]))
    accepted = (np.ones(4, bool), np.zeros(4, bool))
    pair = compare_pair(("a", "b"), (first, second), agreement, correct, accepted, 0.2, 100, 0)
    assert (pair.n, pair.left_out) == (3, (1, 1))
    assert (pair.only_first, pair.only_second, pair.both, pair.neither) == (2, 1, 0, 0)
    assert pair.row("right")[["first", "second", "difference"]].tolist() == pytest.approx([2 / 3, 1 / 3, 1 / 3])
    assert pair.row("cost")[["first", "second"]].tolist() == pytest.approx([1 / 3, 0.2])
    assert pair.row("over")["difference"] == pytest.approx((1 - 2 / 3) - (0.5 - 1 / 3))


@pytest.mark.slow
def test_a_system_is_not_better_than_itself_and_a_better_one_is_found():
    rng = np.random.default_rng(0)
    made = [AnswerPopulation.dirichlet(300, 4, overconfidence=dial, rng=1).sample(10, rng) for dial in (0, 0, 0.6)]
    tables = [table_of_counts(drawn.counts, drawn.correct) for drawn in made]
    same, worse = (
        audit_answers(tables[0], against=table, names=("a", "b"), n_resamples=200, rng=0).pair for table in tables[1:]
    )
    assert same.row("right")["low"] < 0 < same.row("right")["high"] and worse.row("right")["low"] > 0


def test_systems_that_share_no_question():
    one, two = (table_of_counts([[4, 1]] * 40, [[1, 0]] * 40) for _ in range(2))
    two.grouped.questions[:] += 100
    with pytest.raises(ValueError, match="must share at least two graded questions to be compared, but they share 0"):
        audit_answers(one, against=two, n_resamples=100, rng=0)
