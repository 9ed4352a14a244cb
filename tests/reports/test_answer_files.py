"""What the audit of answers gives to Python: its verdict, two systems, and the files that it writes."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from helpers.answers import AnswerPopulation
from helpers.reports import audit_answers, fold, next_steps, say, summary, write
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
            rows.append([f"=q{question}", sample, "+yes" if right else "@no", "+yes", "95%"])
    return pd.DataFrame(rows, columns=["question", "sample", "answer", "reference", "confidence"])


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("answers") / "mine.csv"
    some_file().to_csv(path, index=False)
    table = read_answers(path)
    other = read_answers(some_file(seed=1))
    report = audit_answers(table, against=other, names=("old", "new"), precision=0.8, n_resamples=200, rng=0)
    return report, path.parent, report.save(path.parent / "out")


def test_it_prints_its_verdict(saved):
    report, _, _ = saved
    lines = str(report).splitlines()
    assert len(lines) == 9 and lines[0].startswith("How often is the answer right? The most frequent answer is right")
    assert any(line.startswith("Which of the two is better? ") for line in lines)


def test_a_row_a_question(saved):
    report, _, page = saved
    rows = pd.read_csv(page.with_name("answers.csv"), keep_default_na=False)
    assert len(rows) == 150 and rows["n_answers"].eq(8).all() and set(rows["right"]) == {"yes", "no"}
    assert (rows["right"] == "yes").mean() == pytest.approx(report.accuracy[0])
    certificate = report.advice.certificate
    assert certificate.certified and (rows["use_certified"] == "yes").sum() == certificate.n_kept
    used = rows[rows["use_certified"] == "yes"]
    assert (used["right"] == "yes").sum() == certificate.n_right
    by_cost = rows["use_by_cost"] == "yes"
    assert (by_cost == (rows["confidence"] >= report.advice.threshold - 1e-6)).all()


def test_no_text_is_a_formula_and_systems_lie_beside(saved):
    _, _, page = saved
    rows = pd.read_csv(page.with_name("answers.csv"), keep_default_na=False)
    assert rows["question"].str.startswith("'=q").all() and rows["answer"].iloc[0] in ("'+yes", "yes", "no")
    systems = pd.read_csv(page.with_name("systems.csv"))
    assert list(systems) == ["measure", "old", "new", "difference", "low", "high"]


def test_the_page_says_what_it_was_made_from(saved):
    report, _, page = saved
    text = page.read_text(encoding="utf-8")
    for words in (
        "Does it pay to use the model?", "Wrong answers that looked sure",
        "Two systems side by side", "answers.csv", "systems.csv", "Made on",
        "honest-confidence", report.table.sha256, "0.2 (default)", 'alt="Reliability diagrams', "</details>",
    ):  # fmt: skip
        assert words in text, words
    assert ">0.8</td>" in text and "metrics.json" not in text and "xercise" not in text
    assert "http" not in text.replace("http://www.w3.org", "")
    for words in ("ECUAS", "AURC"):  # behind one click
        before = text.index("<h2", text.index("For experts") - 200)
        assert words not in text[:before].replace("(ECUAS, n = 1)", "")


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
    assert "cannot be said" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_jargon_is_one_click_away(capsys):
    fold("For experts", lambda: say("AURC is <low>."))
    assert capsys.readouterr().out == "For experts\n\nAURC is <low>.\n"


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


def test_a_system_is_not_better_than_itself_and_a_better_one_is_found():
    rng = np.random.default_rng(0)
    made = [AnswerPopulation.dirichlet(300, 4, overconfidence=dial, rng=1).sample(10, rng) for dial in (0, 0, 0.6)]
    tables = [table_of_counts(drawn.counts, drawn.correct) for drawn in made]
    same, worse = (
        audit_answers(tables[0], against=table, names=("a", "b"), n_resamples=200, rng=0).pair for table in tables[1:]
    )
    assert same.better == "" and worse.better == "a" and worse.row("right")["low"] > 0


def test_systems_that_share_no_question():
    one, two = (table_of_counts([[4, 1]] * 40, [[1, 0]] * 40) for _ in range(2))
    two.grouped.questions[:] += 100
    with pytest.raises(ValueError, match="must share at least two graded questions to be compared, but they share 0"):
        audit_answers(one, against=two, n_resamples=100, rng=0)


# ---- no two statements contradict each other ------------------------------------------------------------------


def random_answers(rng):
    """A file of any kind: how many questions and answers, how the confidences err, what is known."""
    n = int(rng.choice([31, 60, 150, 400, 900]))
    model = AnswerPopulation.dirichlet(
        n, int(rng.choice([2, 3, 6])), overconfidence=rng.choice([-0.6, 0, 0.5]), rng=rng
    )
    drawn = model.sample(int(rng.choice([2, 5, 12])), rng)
    stated = None
    if rng.random() < 0.5:
        stated = np.clip(model.oracle_confidence + rng.normal(0, rng.choice([0, 0.3]), n), 0, 1)
    correct = np.where(rng.random() < 0.1, -1, drawn.correct)
    return table_of_counts(drawn.counts, correct, confidence=stated)


def contradictions(report):
    """Pairs of statements of one page that cannot both be."""
    verdict = summary(report)["Answer"]
    steps = " ".join(next_steps(report).reset_index().to_numpy().ravel())
    sections = "use kept samples calibration warnings" if not report.obstacle else "samples calibration"
    says = {name: " ".join(write(report, name)) for name in sections.split()}
    wrong = []

    def check(first, second, both):
        if both:
            wrong.append((first, second))

    if report.obstacle:
        check("cannot be said", "advice to use", "Take" in steps or "answer from" in steps or "Hand" in steps)
        check("cannot be said", "advice to recalibrate", "Recalibrate" in steps)
        return wrong
    pays = verdict["Does it pay to use the model?"]
    plan = verdict["Which plan is the cheapest?"]
    paid = verdict.get(f"What if all {report.most} samples are paid already?", "")  # if not, the plan takes them all
    used = verdict["Which answers can be promised to be right?"]
    believed = verdict["Can the confidence be believed?"]
    check("certified", "not certified", ("are right, with" in used) != ("hand over the rest" in says["use"]))
    check("certified", "no advice of it", ("are right, with" in used) != ("must be right, answer from" in steps))
    check("cannot be certified", "a promise", "cannot be certified" in used and "are right, with" in used + says["use"])
    if paid:
        check("no choice pays", "section says it does", ("no choice" in paid) != ("no choice" in says["kept"]))
    elif report.cheapest["refused"] > 0:
        check("the cut pays", "section says not", ("is not sure" in plan) != ("no choice" in says["kept"]))
    check("pays", "hand over", pays.startswith("Yes") and "Hand these questions over" in steps)
    check("pays", "no advice of it", pays.startswith("Yes") != ("Take " in steps))
    check("does not pay", "a plan", pays.startswith("No.") != plan.startswith("Hand over all"))
    check("does not pay", "advice to use", pays.startswith("No.") != ("Hand these questions over" in steps))
    check("does not pay", "section", pays.startswith("No.") != ("no vote is worth" in says["samples"]))
    check(
        "does not surely pay", "section", pays.startswith("Not surely") != ("Nor can handing over" in says["samples"])
    )
    check("does not surely pay", "no advice", pays.startswith("Not surely") != ("Do not count on" in steps))
    check("fewer are dearer", "try more", "samples would cost" in steps and "Try more" in steps)
    check("fewer", "all", report.cheapest_size < report.most and "Try more" in steps)
    plans = report.plan_table
    total = plans["cost of 100"].str.split().str[0]
    check("cost of handing over", "plan", total["hand over every question"] not in pays)
    best = total[[name for name in plans.index if "cheapest" in name]].to_list()
    if best:
        check("cost of the cheapest", "plan", best[0] not in pays)
        check("cost of the cheapest", "vote table", best[0] not in "".join(report.sample_table["with samples"]))
    check("no cheapest plan", "pays", not best and not pays.startswith("No. No cut"))
    parts = plans["samples + mistakes + hand-overs"].str.split(" + ", regex=False)
    added = [sum(map(float, texts)) for texts in parts]
    check("cost of a plan", "its parts", not np.allclose(added, total.astype(float)))
    all_samples = [name for name in plans.index if name.startswith("all") and "every" not in name]
    if report.cheapest_size == report.most:
        all_samples = [name for name in plans.index if "cheapest" in name]
    if len(report.votes.rows) == report.known.sum() and report.advice.left_out == 0:
        last = report.sample_table.iloc[-1]
        kept = report.kept_table.iloc[0]
        check("all samples kept", "vote table", kept["wrong among answers"] != last["wrong among answers"])
        costs = plans["cost of 100"][all_samples]
        check("cost of all samples", "vote table", len(costs) and costs.iloc[0] != last["with samples"])
        check("cut in votes", "vote table", f"({report.votes_of_all} of" in says["kept"]
              and last["answer from"] != f"{report.votes_of_all} of {report.most}")  # fmt: skip
        check("right", "vote of all", last["vote is right"] not in verdict["How often is the answer right?"])
    order = "is in the wrong order" in believed
    check("wrong order", "section", order != any("its order is wrong" in text for text in write(report, "calibration")
                                                 if not text.startswith("Held-out")))  # fmt: skip
    check("wrong order", "quote it", "Stated confidence is in the wrong order" in believed and "Quote stated" in steps)
    check("families", "none found", "begin like" in says["warnings"] and "Looked for and not found" in says["warnings"])
    check("not as it is", "nothing speaks against it", believed.startswith("Not ") and "against agreement" in believed)
    if report.best_source == "sem1":
        check("believed", "recalibrate", believed.startswith("Nothing speaks") and "Recalibrate agreement" in steps)
        check("not believed", "no recalibration", believed.startswith("Not ") and "Recalibrate agreement" not in steps)
        check("believed", "curve", believed.startswith("Nothing speaks") and "curve" in says["kept"])
    name = {"sem1": "agreement", "stated": "stated confidence"}[report.advice.source]
    other = {"sem1": "stated confidence", "stated": "with agreement"}[report.advice.source]
    check("one confidence", "another", other in used + paid + plan + says["use"])
    check("one confidence", "not named", "are right, with" in used and name not in used)
    return wrong


@pytest.mark.parametrize("seed", range(14))
def test_no_two_statements_of_a_page_contradict_each_other(seed):
    rng = np.random.default_rng(seed)
    terms = {"reject_cost": rng.choice([0.05, 0.2, 0.5]), "price": rng.choice([0, 0.002, 0.05])}
    report = audit_answers(random_answers(rng), n_resamples=100, precision=rng.choice([0.7, 0.9]), rng=seed, **terms)
    assert contradictions(report) == []


def test_contradictions_are_found_where_they_are(monkeypatch):
    model = AnswerPopulation.dirichlet(400, 3, overconfidence=0.5, rng=0)
    drawn = model.sample(10, rng=1)
    report = audit_answers(table_of_counts(drawn.counts, drawn.correct), reject_cost=0.5, n_resamples=100, rng=0)
    steps = next_steps(report)
    assert not contradictions(report) and "Recalibrate agreement before it is quoted." in steps.index
    monkeypatch.setattr(
        f"{__name__}.next_steps", lambda report: steps.drop(index="Recalibrate agreement before it is quoted.")
    )
    assert ("not believed", "no recalibration") in contradictions(report)
    both = steps.copy()
    both.loc["Do not count on this model.", "How"] = "5 samples would cost less. Try more."
    monkeypatch.setattr(f"{__name__}.next_steps", lambda report: both)
    found = {("does not surely pay", "no advice"), ("fewer are dearer", "try more")}
    assert found <= set(contradictions(report))
    other = replace(report, sizes=report.sizes.assign(total=report.sizes["total"] + 0.01))
    assert ("cost of all samples", "vote table") in contradictions(other)
