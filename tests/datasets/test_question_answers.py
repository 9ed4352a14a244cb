"""Recorded answers of language models to short questions, one or fifty: the shipped ones, one's own, the scripts."""

import json
import math
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
from scripts import load_script

from helpers.datasets import DATA_FOLDER, read_question_answers, read_question_samples


@pytest.fixture(scope="module")
def tables():
    return load_script("make_answers_tables")


@pytest.fixture(scope="module")
def recorder(tables):
    return load_script("make_answers")


def test_every_model_answered_the_first_questions_of_the_drawn_order(recorder):
    asked = recorder.read_questions()["question"].tolist()
    by_model = [rows["question"].tolist() for _, rows in read_question_answers().groupby("model")]
    assert len(by_model) >= 2 and len(by_model[0]) >= 30
    for questions in by_model:
        assert questions == asked[: len(by_model[0])]


@pytest.mark.parametrize("hard", [False, True])
def test_grades_are_those_of_the_rules(tables, hard):
    rows = read_question_answers(hard=hard)
    graded = [tables.grade_answer(row.question, row.answer, row.references.split("|")) for row in rows.itertuples()]
    np.testing.assert_array_equal(rows["correct"], graded)
    assert set(graded) == {0, 1}


def test_confidences_are_probabilities_and_nearly_all_there():
    rows = read_question_answers()
    for name in ("posterior", "is_true", "verbalised"):
        assert rows[name].dropna().between(0, 1).all()
        assert rows[name].notna().mean() > 0.9, name


def test_questions_that_stand_in_a_prompt_are_not_asked(recorder):
    asked = set(recorder.read_questions()["question"])
    for stage in recorder.STAGES:
        lines = recorder.text_of(stage, question="?", answer="?").splitlines()
        assert not asked & {line.removeprefix("Question: ") for line in lines}


def reply(text, *tokens):
    """What a server sends: each place holds its token with probability 1/2, and another."""
    return {"text": text, "tops": [[[token, math.log(0.5)], ["x", math.log(0.25)]] for token in tokens]}


@pytest.mark.parametrize(
    ("tokens", "n"),
    [((" Paris", "\n"), 2), ((" Paris", ".\n", "Qu"), 2), (("\n", " Paris", "\n\n"), 3), ((" a", " b"), None)],
)
def test_the_probability_of_an_answer_holds_the_end_of_its_line(tables, tokens, n):
    logprob, n_tokens = tables.line_of(reply("", *tokens))
    np.testing.assert_allclose(logprob, math.nan if n is None else n * math.log(0.5))
    assert n is None or n_tokens == n


class Server:
    """Answers 4, says True with probability 2/3 and states 90; says nothing to the first question; counts."""

    def __init__(self, recorder, most):
        self.first, self.asked, self.most = recorder.read_questions()["question"][0], 0, most

    def __call__(self, model, prompt, n_tokens, stop=()):
        if self.asked == self.most:
            raise KeyboardInterrupt
        self.asked += 1
        if prompt.endswith('{"confidence":'):
            return reply(" 90", " 90")
        if "Proposed answer" in prompt:
            return {"text": " True", "tops": [[[" True", math.log(0.5)], [" False", math.log(0.25)]]]}
        return reply("\n", "\n") if self.first in prompt else reply(" 4\n", " 4", "\n")


def test_an_interrupted_recording_goes_on(recorder, tables, tmp_path, monkeypatch):
    monkeypatch.setattr(recorder, "local_model", lambda *args, **settings: nullcontext())
    options = ["make_answers.py", "--folder", str(tmp_path), "--models", "mine.gguf", "--questions", "6"]
    monkeypatch.setattr("sys.argv", options)
    servers = [Server(recorder, most) for most in (9, 99, 0)]
    for server in servers:
        monkeypatch.setattr(recorder, "ask", server)
        if server is servers[0]:
            with pytest.raises(KeyboardInterrupt):
                recorder.main()
        else:
            recorder.main()
    assert [server.asked for server in servers] == [9, 6 + 5 + 5 - 9, 0]
    lines = [json.loads(line) for line in (tmp_path / "mine.jsonl").read_text().splitlines()]
    assert len({recorder.key_of(line) for line in lines}) == len(lines) == 16

    tables.write(tables.rows_of(tmp_path), tmp_path / "mine.csv.gz")
    rows = read_question_answers(tmp_path / "mine.csv.gz")
    assert rows["answer"].tolist() == ["", *5 * ["4"]]
    np.testing.assert_allclose(rows["posterior"], [math.nan, *5 * [0.25]], atol=1e-4)
    np.testing.assert_allclose(rows["is_true"], [math.nan, *5 * [2 / 3]], atol=1e-4)
    np.testing.assert_allclose(rows["verbalised"], [math.nan, *5 * [0.9]])


def test_a_question_that_one_model_has_not_finished_is_left_out(tables, tmp_path):
    questions = tables.read_questions()["question"].head(2)

    def lines_of(question, *stages):
        replies = {
            "open": reply(" 4\n", " 4", "\n"),
            "is_true": reply(" True", " True"),
            "verbalised": reply(" 9", " 9"),
        }
        for stage in stages:
            yield json.dumps(
                {"stage": stage, "question": question, "about": "" if stage == "open" else "4"} | replies[stage]
            )

    whole = [line for question in questions for line in lines_of(question, "open", "is_true", "verbalised")]
    cut = [*lines_of(questions[0], "open", "is_true"), *lines_of(questions[1], "open", "is_true", "verbalised")]
    (tmp_path / "a.jsonl").write_text("\n".join(whole))
    (tmp_path / "b.jsonl").write_text("\n".join(cut))
    assert tables.rows_of(tmp_path)[["model", "question"]].values.tolist() == [["a", questions[1]], ["b", questions[1]]]


@pytest.mark.parametrize(
    ("column", "value"),
    [("correct", 2), ("logprob", 0.5), ("n_tokens", 1.5), ("is_true", 1.5), ("verbalised", -1), ("question", "Why?")],
)
def test_a_cell_that_breaks_a_rule_is_named(tmp_path, column, value):
    table = pd.read_csv(DATA_FOLDER / "question_answers.csv.gz", keep_default_na=False, na_values=[""])
    table = table.head(3).astype({column: object})
    table.loc[1, column] = value
    path = tmp_path / "mine.csv"
    table.to_csv(path, index=False)
    with pytest.raises(ValueError, match=rf"mine\.csv.*{column}.*row 2"):
        read_question_answers(path)


def test_an_answer_that_occurs_twice_is_refused(tmp_path):
    table = pd.read_csv(DATA_FOLDER / "question_answers.csv.gz", keep_default_na=False, na_values=[""])
    path = tmp_path / "mine.csv"
    pd.concat([table.head(2), table.head(1)]).to_csv(path, index=False)
    with pytest.raises(ValueError, match=r"question.*once"):
        read_question_answers(path)


@pytest.fixture(scope="module")
def sampler():
    return load_script("make_samples")


@pytest.fixture(scope="module")
def sample_tables(sampler):
    return load_script("make_samples_tables")


def test_fifty_answers_to_each_of_the_first_questions_of_the_drawn_order(recorder):
    asked = recorder.read_questions()["question"].tolist()
    by_model = read_question_samples().groupby("model", sort=False)
    assert by_model.ngroups >= 2
    for _, rows in by_model:
        questions = rows["question"].drop_duplicates().tolist()
        assert len(questions) >= 30 and questions == asked[: len(questions)]
        assert rows["sample"].tolist() == [*range(1, 51)] * len(questions)


def test_hard_questions_are_those_of_their_script():
    made = load_script("make_hard_questions").make_table()
    shipped = pd.read_csv(DATA_FOLDER / "hard_questions.csv", dtype=str)
    pd.testing.assert_frame_equal(made, shipped)
    assert not set(shipped["question"]) & set(pd.read_csv(DATA_FOLDER / "smollm2_questions.csv")["question"])
    assert shipped["question"].is_unique and (shipped["kind"].value_counts() == 10).all()


def test_answers_of_hard_questions_can_be_checked_by_hand():
    """What a computer knows about days, primes and leap years, not what the script says."""
    right = pd.read_csv(DATA_FOLDER / "hard_questions.csv", dtype=str).set_index("question")["references"]
    days = pd.Timestamp("2026-08-16") - pd.Timestamp("2026-05-19")
    assert right["How many days after 19 May is 16 August?"] == str(days.days)
    assert right["Which day of the week is 33 days after a Friday?"] == "Wednesday"  # 33 is 4 weeks and 5 days
    for question, answer in right.items():
        if "prime" in question:
            number = int(question.split()[1])
            assert (answer == "yes") == all(number % k for k in range(2, number))
        if "leap" in question:
            assert (answer == "yes") == pd.Period(question.split()[3]).is_leap_year
        if "larger" in question:
            assert float(answer) == max(float(word.strip(",?")) for word in question.split() if word[0].isdigit())
        if "alphabet" in question:
            assert answer == min(question.rstrip("?").split("alphabet, ")[1].split(" or "))


def test_fifty_hard_answers_at_each_temperature():
    by = read_question_samples(hard=True).groupby(["model", "temperature"])
    assert by.ngroups >= 3 and by["question"].nunique().max() == 130
    assert (by.size() == 50 * by["question"].nunique()).all()


def test_a_lower_temperature_makes_answers_more_alike():
    rows = read_question_samples(hard=True).query("model == 'qwen2.5-coder-0.5b'")
    most = rows.groupby(["temperature", "question"])["answer"].agg(lambda answers: answers.value_counts().iloc[0])
    share = most.unstack("temperature") / 50
    assert (share[0.5] > share[1.0]).mean() > 0.8


@pytest.mark.parametrize("hard", [False, True])
def test_grades_of_sampled_answers_are_those_of_the_rules(sample_tables, hard):
    rows = read_question_samples(hard=hard)
    graded = [
        sample_tables.grade_answer(row.question, row.answer, row.references.split("|")) for row in rows.itertuples()
    ]
    np.testing.assert_array_equal(rows["correct"], graded)
    assert set(graded) == {0, 1}


def test_draws_repeat_the_greedy_answer_as_often_as_it_is_probable():
    """The stated probability is that of one end of a line, the share counts them all: so it may be a little higher."""
    greedy = read_question_answers().set_index(["model", "question"])
    rows = read_question_samples().join(greedy[["answer", "posterior"]].add_prefix("greedy_"), on=["model", "question"])
    rows = rows.dropna(subset="greedy_posterior").assign(same=lambda table: table["answer"] == table["greedy_answer"])
    each = rows.groupby(["model", "question"]).agg(share=("same", "mean"), stated=("greedy_posterior", "first"))
    apart = each["share"] - each["stated"]
    se = np.sqrt(each["stated"] * (1 - each["stated"]) / 50)
    assert len(each) >= 60 and (apart > -4 * se - 0.01).all()
    assert each["share"].corr(each["stated"]) > 0.95


def test_an_interrupted_recording_of_samples_goes_on(sampler, sample_tables, tmp_path, monkeypatch):
    monkeypatch.setattr(sampler, "local_model", lambda *args, **settings: nullcontext())
    options = ["make_samples.py", "--folder", str(tmp_path), "--models", "mine.gguf", "--questions", "3"]
    monkeypatch.setattr("sys.argv", options)
    asked = []

    def draw(model, prompt, temperature):
        assert temperature == 1
        if len(asked) == 3:
            raise KeyboardInterrupt
        asked.append(prompt)
        return [" 4", ""] + 23 * [" 5"]

    monkeypatch.setattr(sampler, "draw", draw)
    with pytest.raises(KeyboardInterrupt):
        sampler.main()
    assert len(sample_tables.rows_of(tmp_path)) == 50  # half a question is not taken
    asked.append("so that nothing stops the second time")
    sampler.main()
    sampler.main()
    assert len(asked) == 7 and len(set(asked)) == 4
    sample_tables.write(sample_tables.rows_of(tmp_path), tmp_path / "mine.csv.gz")
    rows = read_question_samples(tmp_path / "mine.csv.gz")
    assert rows["question"].nunique() == 3 and rows["answer"].tolist() == 6 * ["4", "", *23 * ["5"]]


def test_harder_questions_at_another_temperature(sampler, sample_tables, tmp_path, monkeypatch):
    monkeypatch.setattr(sampler, "local_model", lambda *args, **settings: nullcontext())
    monkeypatch.setattr(sampler, "draw", lambda model, prompt, temperature: 25 * [f" {temperature}"])
    options = ["make_samples.py", "--folder", str(tmp_path), "--models", "mine.gguf", "--questions", "2", "--hard"]
    for more in ([], ["--temperature", "0.5"]):
        monkeypatch.setattr("sys.argv", options + more)
        sampler.main()
    table = sample_tables.rows_of(tmp_path, "hard")
    sample_tables.write(table, tmp_path / "mine.csv.gz")
    rows = read_question_samples(tmp_path / "mine.csv.gz")
    assert rows["answer"].tolist() == 100 * ["1.0"] + 100 * ["0.5"]
    assert rows["temperature"].tolist() == 100 * [1.0] + 100 * [0.5] and rows["question"].nunique() == 2
    assert sample_tables.rows_of(tmp_path).empty  # the other questions were not asked


def test_samples_and_answers_that_a_table_holds_are_not_asked_again(sampler, recorder, tmp_path, monkeypatch):
    asked = recorder.read_questions("hard")["question"].tolist()
    held = pd.DataFrame({"model": "mine", "question": asked[:2], "temperature": [1.0, 0.5]})
    held.to_csv(tmp_path / "held.csv", index=False)
    drawn = []
    monkeypatch.setattr(sampler, "local_model", lambda *args, **settings: nullcontext())
    monkeypatch.setattr(sampler, "draw", lambda model, prompt, temperature: drawn.append(prompt) or 25 * [" 4"])
    options = ["--models", "mine.gguf", "--questions", "3", "--hard", "--held", str(tmp_path / "held.csv")]
    monkeypatch.setattr("sys.argv", ["make_samples.py", "--folder", str(tmp_path / "samples"), *options])
    sampler.main()
    assert [question in "".join(drawn) for question in asked[:3]] == [False, True, True] and len(drawn) == 4

    replies = []
    reply = {"text": " 4\n", "tops": [[[" 4", -0.1]], [["\n", -0.1]]]}
    monkeypatch.setattr(recorder, "local_model", lambda *args, **settings: nullcontext())
    monkeypatch.setattr(recorder, "ask", lambda model, prompt, *more, **stop: replies.append(prompt) or reply)
    monkeypatch.setattr("sys.argv", ["make_answers.py", "--folder", str(tmp_path / "answers"), *options])
    recorder.main()
    assert [question in "".join(replies) for question in asked[:3]] == [False, False, True] and len(replies) == 3


def test_both_parts_of_harder_answers_hold_each_question_once():
    first, both = read_question_samples(hard=True), read_question_samples(hard=True, parts=2)
    of = both.groupby(["model", "temperature"])
    assert (of.size() == 50 * of["question"].nunique()).all()
    larger = of["question"].nunique().loc["qwen2.5-coder-1.5b"]
    assert larger[1.0] == 130 and larger[0.5] >= 60
    assert of.ngroups == (both[["model", "temperature"]].ne(both[["model", "temperature"]].shift())).any(axis=1).sum()
    smaller = both[both["model"] == "qwen2.5-coder-0.5b"].reset_index(drop=True)
    pd.testing.assert_frame_equal(smaller, first[first["model"] == "qwen2.5-coder-0.5b"].reset_index(drop=True))
    with pytest.raises(ValueError, match="parts"):
        read_question_samples(parts=2)


def test_both_parts_of_harder_greedy_answers_hold_each_question_once(recorder):
    first, both = read_question_answers(hard=True), read_question_answers(hard=True, parts=2)
    asked = recorder.read_questions("hard")["question"].tolist()
    assert set(both["model"]) == set(recorder.MODELS)
    for model, rows in both.groupby("model"):
        held = first.loc[first["model"] == model, "question"].tolist()
        assert rows["question"].tolist() == held + [question for question in asked if question not in held]
        assert rows.index.tolist() == [*range(rows.index[0], rows.index[0] + 130)]
    with pytest.raises(ValueError, match="parts"):
        read_question_answers(parts=2)


def test_a_second_part_counts_what_the_first_holds_as_answered(tables, tmp_path):
    questions = tables.read_questions("hard")["question"].head(2)
    replies = {"open": reply(" 4\n", " 4", "\n"), "is_true": reply(" True", " True"), "verbalised": reply(" 9", " 9")}
    for model, answered in (("a", questions[1:]), ("b", questions)):
        lines = [
            json.dumps({"stage": stage, "question": question, "about": "" if stage == "open" else "4"} | replies[stage])
            for question in answered
            for stage in replies
        ]
        (tmp_path / f"{model}.jsonl").write_text("\n".join(lines))
    pd.DataFrame({"model": ["a"], "question": [questions[0]]}).to_csv(tmp_path / "first.csv", index=False)
    for beside, rows in (
        (None, [["a", questions[1]], ["b", questions[1]]]),
        (tmp_path / "first.csv", [["a", questions[1]], ["b", questions[0]], ["b", questions[1]]]),
    ):
        assert tables.rows_of(tmp_path, "hard", beside)[["model", "question"]].values.tolist() == rows


@pytest.fixture(scope="module")
def options_of():
    """{kind and question without its options: (options by letter, letter of the right one)}."""
    rows = pd.read_csv(DATA_FOLDER / "option_questions.csv", dtype=str)
    parted = [(kind, *question.split("\n"), right) for kind, question, right in rows.itertuples(index=False)]
    return {(kind, asked): (dict(zip("ABCD", lines, strict=True)), right) for kind, asked, *lines, right in parted}


def test_questions_with_options_are_those_of_their_script():
    made = load_script("make_option_questions").make_table()
    pd.testing.assert_frame_equal(made, pd.read_csv(DATA_FOLDER / "option_questions.csv", dtype=str))


def test_one_of_four_options_is_right(tables, options_of):
    files = [pd.read_csv(DATA_FOLDER / f"{name}_questions.csv", dtype=str) for name in ("smollm2", "hard")]
    references = pd.concat(files).set_index(["kind", "question"])["references"]
    for (kind, asked), (lines, right) in options_of.items():
        said = [line.removeprefix(f"{letter}. ") for letter, line in lines.items()]
        assert len(set(said)) == 4
        grades = [tables.grade_answer(asked, option, references[kind, asked].split("|")) for option in said]
        assert "".join(letter for letter, grade in zip("ABCD", grades, strict=True) if grade) == right, asked
    places = pd.Series([right for _, right in options_of.values()]).value_counts()
    assert len(options_of) > 300 and places.between(len(options_of) / 4 - 30, len(options_of) / 4 + 30).all()


def test_a_letter_is_an_answer_of_one_token(recorder, tables, tmp_path, monkeypatch):
    monkeypatch.setattr(recorder, "local_model", lambda *args, **settings: nullcontext())
    asked = []

    def ask(model, prompt, n_tokens, stop=()):
        asked.append((prompt, n_tokens))
        if prompt.endswith("Answer:") and "Proposed" not in prompt:
            return reply(" B", " B")
        return reply(" 90" if prompt.endswith(":") else " True", " True")

    monkeypatch.setattr(recorder, "ask", ask)
    options = ["make_answers.py", "--folder", str(tmp_path), "--models", "mine.gguf", "--options", "--questions", "20"]
    monkeypatch.setattr("sys.argv", options)
    recorder.main()
    assert [n for _, n in asked] == 20 * [1] + 20 * [1] + 20 * [5]
    assert all("\nA. " in prompt for prompt, _ in asked)
    assert all("\nProposed answer: B\n" in prompt for prompt, _ in asked[20:])
    tables.write(tables.rows_of(tmp_path, "options"), tmp_path / "mine.csv.gz")
    rows = read_question_answers(tmp_path / "mine.csv.gz")
    assert rows["answer"].tolist() == 20 * ["B"] and (rows["posterior"] - 0.5).abs().max() < 1e-4
    np.testing.assert_array_equal(rows["correct"], (rows["references"] == "B").astype(int))
    assert rows["correct"].nunique() == 2


def test_letters_of_the_first_questions_of_the_drawn_order(recorder):
    asked = recorder.read_questions("options")["question"].tolist()
    by_model = read_question_answers(options=True).groupby("model")
    assert by_model.ngroups == 4 and by_model.size().nunique() == 1 and by_model.size().iloc[0] >= 100
    for _, rows in by_model:
        assert rows["question"].tolist() == asked[: len(rows)]
        np.testing.assert_array_equal(rows["correct"], (rows["answer"] == rows["references"]).astype(int))
    with pytest.raises(ValueError, match="options"):
        read_question_answers(hard=True, options=True)


@pytest.mark.parametrize(
    ("column", "value"),
    [("correct", 2), ("sample", 0), ("sample", 2.5), ("sample", 1), ("question", "Why?"), ("temperature", -1)],
)
def test_a_cell_of_samples_that_breaks_a_rule_is_named(tmp_path, column, value):
    table = pd.read_csv(DATA_FOLDER / "question_samples.csv.gz", keep_default_na=False, na_values=[""])
    table = table.head(3).assign(temperature=1.0).astype({column: object})
    table.loc[1, column] = value
    path = tmp_path / "mine.csv"
    table.to_csv(path, index=False)
    with pytest.raises(ValueError, match=rf"mine\.csv.*{column}.*row 2"):
        read_question_samples(path)


def test_judged_pairs_are_those_that_the_script_draws():
    drawn = load_script("make_judged_pairs").draw_pairs()
    shipped = pd.read_csv(DATA_FOLDER / "judged_pairs.csv", dtype={"answer_1": str, "answer_2": str})
    pd.testing.assert_frame_equal(drawn, shipped[list(drawn)])
    assert shipped[["p_same", "p_same_swapped"]].stack().between(0, 1).all()
    assert shipped["n_right"].value_counts().to_dict() == {2: 40, 1: 20, 0: 20}


def test_a_judge_is_asked_in_both_orders(tmp_path, monkeypatch):
    judge = load_script("make_judged_pairs")
    monkeypatch.setattr(judge, "local_model", lambda *args, **settings: nullcontext())
    pairs = judge.draw_pairs().head(2)
    monkeypatch.setattr(judge, "draw_pairs", lambda: pairs)

    def ask(model, prompt, n_tokens):
        first = any(prompt.endswith(f"Answer 2: {answer}\nSame:") for answer in pairs["answer_2"])
        return {"text": " Yes", "tops": [[[" Yes", math.log(0.6 if first else 0.1)], ["No", math.log(0.2)]]]}

    monkeypatch.setattr(judge, "ask", ask)
    monkeypatch.setattr("sys.argv", ["make_judged_pairs.py", "--out", str(tmp_path / "mine.csv")])
    judge.main()
    table = pd.read_csv(tmp_path / "mine.csv")
    np.testing.assert_allclose(table["p_same"], 0.75, atol=1e-5)
    np.testing.assert_allclose(table["p_same_swapped"], 1 / 3, atol=1e-5)
