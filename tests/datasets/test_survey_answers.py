"""Recorded answers of language models about people of a survey: the shipped ones, a file of one's own, the scripts."""

import io
import json
import math
from urllib.error import HTTPError

import numpy as np
import pandas as pd
import pytest
from scripts import load_script

from helpers.datasets import load_acs12, read_survey_answers


@pytest.fixture(scope="module")
def tables():
    return load_script("make_acs12_tables")


@pytest.fixture(scope="module")
def recorder(tables):
    return load_script("make_acs12")


def test_labels_are_those_of_the_people():
    answers = read_survey_answers()
    people = load_acs12().loc[answers["person"]].reset_index(drop=True)
    right = {
        "income": people["income"] > 50_000,
        "employment": people["employment"] == "employed",
        "travel_time": people["time_to_work"] > 20,
    }
    for task, label in right.items():
        rows = answers["task"] == task
        np.testing.assert_array_equal(answers.loc[rows, "y"], label[rows].astype(int))


def test_every_model_was_asked_about_the_same_people_in_the_same_order():
    for _, rows in read_survey_answers().groupby(["task", "way"]):
        first, *others = (model["person"].tolist() for _, model in rows.groupby("model"))
        assert len(first) >= 100 and len(set(first)) == len(first)
        assert all(other == first for other in others)


def test_what_would_give_the_answer_away_is_not_among_the_features():
    for task, label in {"income": "income", "employment": "hrs_work", "travel_time": "time_to_work"}.items():
        assert label not in read_survey_answers(task=task)


def test_the_people_are_a_prefix_of_the_drawn_order(recorder):
    rows = read_survey_answers(task="income", way="choice_examples")
    rows = rows[rows["model"] == "smollm2-135m"]
    asked = recorder.prompts_of("income", "choice_examples")
    assert len(rows) >= 100
    assert rows["person"].tolist() == asked["person"].head(len(rows)).tolist()


def test_examples_are_not_asked_about(recorder):
    for task in recorder.TASKS:
        people, examples = recorder.asked_about(recorder.read_people(), task)
        assert not set(people["person"]) & set(examples["person"])
        assert 0 < examples["y"].sum() < len(examples)


def test_prompts_of_a_task_begin_alike_and_end_where_the_answer_goes(recorder):
    for task in recorder.TASKS:
        for way in recorder.WAYS:
            prompts = recorder.prompts_of(task, way)["prompt"]
            heads = {prompt.rpartition("\n\nPerson: ")[0] for prompt in prompts}
            assert len(heads) == 1 and heads.pop().count("\nAnswer: ") == (6 if way == "choice_examples" else 0)
            assert prompts.str.endswith("Probability: 0." if way == "numeric" else "\nAnswer:").all()


def record(way="choice", text=" No", top=((" Yes", 0.25), (" no", 0.5), ("No", 0.125), (" The", 0.1))):
    return {"way": way, "text": text, "tops": [[[token, math.log(p)] for token, p in top]]}


def test_a_choice_adds_up_the_spellings_of_yes_and_no(tables):
    p, other = tables.choice_of(record())
    assert p == pytest.approx(0.25 / 0.875) and other == pytest.approx(0.125)


def test_neither_yes_nor_no_is_no_probability(tables):
    p, other = tables.choice_of(record(text=" The", top=[(" The", 0.9)]))
    assert math.isnan(p) and other == 1


@pytest.mark.parametrize(("text", "p"), [("75", 0.75), ("5\n", 0.5), ("00", 0.0), ("1%", 0.1), (" The", math.nan)])
def test_a_number_is_read_up_to_what_is_no_digit(tables, text, p):
    stated, other = tables.number_of(record("numeric", text, [("7", 0.5), ("12", 0.25), (" The", 0.2), ("²", 0.05)]))
    np.testing.assert_equal(stated, p)
    assert other == pytest.approx(0.25)


def test_records_of_another_wording_and_cut_lines_are_left_out(tables, recorder, tmp_path):
    (asked,) = recorder.prompts_of("income", "choice").head(1).to_dict("records")
    about = {"model": "mine", "task": "income", "person": asked["person"], "y": asked["y"], "seconds": 0.1}
    good = record() | about | {"prompt_sha256": recorder.prompt_hash(asked["prompt"])}
    lines = [json.dumps(good), json.dumps(good | {"prompt_sha256": "other"}), json.dumps(good)[:60]]
    (tmp_path / "mine.jsonl").write_text("\n".join(lines))
    rows = tables.rows_of(tmp_path)
    assert rows[["person", "model", "y"]].values.tolist() == [[asked["person"], "mine", asked["y"]]]


class Server:
    """Answers yes with probability 0.75, and counts."""

    name, base_url = "mine", "http://127.0.0.1:1/v1"

    def __init__(self, most):
        self.asked, self.most = 0, most

    def __call__(self, model, prompt, n_tokens):
        if self.asked == self.most:
            raise KeyboardInterrupt
        self.asked += 1
        return {"text": "75", "tops": [[[" Yes", math.log(0.75)], [" No", math.log(0.25)]]], "prompt_tokens": 9}


def test_an_interrupted_recording_goes_on(recorder, tables, tmp_path, monkeypatch):
    monkeypatch.setattr(recorder, "STAGES", [("income", "choice", 10), ("income", "numeric", 5)])
    options = ["make_acs12.py", "--folder", str(tmp_path), "--endpoint", "http://127.0.0.1:1/v1", "--models", "mine"]
    monkeypatch.setattr("sys.argv", options)
    for most, error in ((7, KeyboardInterrupt), (8, None)):
        server = Server(most)
        monkeypatch.setattr(recorder, "ask", server)
        if error:
            with pytest.raises(error):
                recorder.main()
        else:
            recorder.main()
        assert server.asked == most
    rows = tables.rows_of(tmp_path)
    assert rows.groupby("way").size().to_dict() == {"choice": 10, "numeric": 5}
    assert set(rows["p"]) == {0.75}
    compared = tables.compare(rows, rows.assign(p=rows["p"] - 0.25))
    assert compared["most"].tolist() == [0.25, 0.25] and compared["same"].tolist() == [0, 0]


def test_what_a_server_refuses_is_said_in_its_words(recorder, tmp_path, monkeypatch, capsys):
    """Such as a prompt over the context: what was answered before is kept."""

    def refuse(request):
        words = io.BytesIO(b'{"error": {"message": "the request exceeds the available context size"}}')
        raise HTTPError(request.full_url, 400, "Bad Request", {}, words)

    monkeypatch.setattr(recorder, "urlopen", refuse)
    options = ["make_acs12.py", "--folder", str(tmp_path), "--endpoint", "http://127.0.0.1:1/v1", "--models", "mine"]
    monkeypatch.setattr("sys.argv", [*options, "--tasks", "income", "--people", "2"])
    with pytest.raises(SystemExit, match="2"):
        recorder.main()
    assert "mine refused a request (400)" in capsys.readouterr().err


def test_a_model_that_is_not_there_is_said_with_its_terms(recorder, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("helpers.practice.llm.models.model_folder", lambda: tmp_path / "empty")
    monkeypatch.setattr("helpers.practice.llm.local.find_spec", lambda name: True)
    options = ["--folder", str(tmp_path), "--models", "gemma3-270m", "--tasks", "income", "--people", "1"]
    monkeypatch.setattr("sys.argv", ["make_acs12.py", *options])
    with pytest.raises(SystemExit, match="2"):
        recorder.main()
    assert "Gemma Terms of Use" in capsys.readouterr().err


def test_only_whole_people_are_shipped(tables):
    rows = [
        (k, model, "income", "choice", 0, 0.5, 0.1, k)
        for k in range(120)
        for model in ("a", "b")
        if (k, model) != (7, "b")
    ]
    rows += [(k, model, "income", "numeric", 0, 0.5, 0.1, k) for k in range(50) for model in ("a", "b")]
    columns = ["person", "model", "task", "way", "y", "p", "other", "place"]
    whole = tables.whole(pd.DataFrame(rows, columns=columns))
    assert set(whole["way"]) == {"choice"} and len(whole) == 238 and 7 not in set(whole["person"])


def test_records_are_added_to_a_table_whose_own_answers_stay(tables, recorder, tmp_path, monkeypatch, capsys):
    shipped = read_survey_answers(task="income", way="choice")
    path = tmp_path / "table.csv.gz"
    tables.write(shipped[tables.COLUMNS], path)
    lines = []
    for model in shipped["model"].unique():
        for way, most in (("choice", 1), ("numeric", 120)):
            for row in recorder.prompts_of("income", way).head(most).to_dict("records"):
                about = {"model": model, "task": "income", "person": row["person"], "y": row["y"], "seconds": 0.1}
                answer = record(way, "75", [("75", 0.5), (" Yes", 0.25), (" No", 0.25)])
                lines.append(answer | about | {"prompt_sha256": recorder.prompt_hash(row["prompt"])})
        text = "\n".join(json.dumps(line) for line in lines if line["model"] == model)
        (tmp_path / f"{model}.jsonl").write_text(text)
    monkeypatch.setattr("sys.argv", ["make_acs12_tables.py", str(tmp_path), "--add", "--out", str(path)])
    tables.main()
    told = [line.split() for line in capsys.readouterr().out.splitlines()]
    (other,) = {line[-2] for line in told if line[-3:-2] == ["0"]}
    assert float(other) == pytest.approx(0.5)  # of first tokens that are neither yes nor no, or no number
    rows = read_survey_answers(path)
    kept = rows[rows["way"] == "choice"].reset_index(drop=True)
    np.testing.assert_allclose(kept["p"], shipped["p"], atol=1e-9)
    assert kept["person"].tolist() == shipped["person"].tolist()
    assert rows.query("way == 'numeric'").groupby("model")["p"].agg(["size", "min"]).values.tolist() == 4 * [
        [120, 0.75]
    ]

    monkeypatch.setattr("sys.argv", ["make_acs12_tables.py", str(tmp_path), "--again", str(path)])
    capsys.readouterr()
    tables.main()
    assert capsys.readouterr().out.count("numeric") >= 4


def test_the_written_table_is_what_the_reader_reads(tables, tmp_path):
    answers = read_survey_answers().head(50)
    for name in ("a.csv.gz", "b.csv.gz"):
        tables.write(answers[tables.COLUMNS], tmp_path / name)
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()
    pd.testing.assert_frame_equal(read_survey_answers(tmp_path / "a.csv.gz"), answers)


@pytest.mark.parametrize(("column", "value", "message"), [
    ("person", 2001, "person"),
    ("task", "mobility", "task"),
    ("way", "letters", "way"),
    ("y", 2, "y"),
    ("p", 1.5, "p"),
    ("other", -0.1, "other"),
    ("other", np.nan, "other"),
])  # fmt: skip
def test_the_first_bad_cell_of_a_file_is_named(tmp_path, column, value, message):
    rows = read_survey_answers().head(5).astype({column: object})
    rows.loc[3, column] = value
    rows.to_csv(tmp_path / "mine.csv", index=False)
    with pytest.raises(ValueError, match=f"mine.csv.*{message}.*row 4"):
        read_survey_answers(tmp_path / "mine.csv")


def test_a_file_without_a_column_or_with_an_answer_twice_is_refused(tmp_path):
    rows = read_survey_answers().head(5)
    rows.drop(columns="other").to_csv(tmp_path / "mine.csv", index=False)
    with pytest.raises(ValueError, match="other"):
        read_survey_answers(tmp_path / "mine.csv")
    pd.concat([rows, rows.head(1)]).to_csv(tmp_path / "mine.csv", index=False)
    with pytest.raises(ValueError, match="come once"):
        read_survey_answers(tmp_path / "mine.csv")
    with pytest.raises(ValueError, match="task"):
        read_survey_answers(task="mobility")


def test_an_answer_that_is_no_number_stays_missing(tmp_path):
    rows = read_survey_answers().head(3)
    rows.loc[1, "p"] = np.nan
    rows.to_csv(tmp_path / "mine.csv", index=False)
    assert read_survey_answers(tmp_path / "mine.csv")["p"].isna().tolist() == [False, True, False]


def test_what_a_table_holds_is_not_asked_again(recorder, tables, tmp_path, monkeypatch):
    monkeypatch.setattr(recorder, "STAGES", [("income", "choice", 10)])
    asked = recorder.prompts_of("income", "choice").head(3)
    held = asked[["person"]].assign(model="mine", task="income", way="choice")
    held.iloc[:2].to_csv(tmp_path / "first.csv")
    another = held.assign(model="another", person=asked["person"].to_numpy() + 1)
    pd.concat([held.iloc[2:], another]).to_csv(tmp_path / "second.csv")
    options = ["--folder", str(tmp_path), "--endpoint", "http://127.0.0.1:1/v1", "--models", "mine"]
    options += ["--held", str(tmp_path / "first.csv"), str(tmp_path / "second.csv")]
    monkeypatch.setattr("sys.argv", ["make_acs12.py", *options])
    server = Server(10)
    monkeypatch.setattr(recorder, "ask", server)
    recorder.main()
    assert server.asked == 7
    assert not set(tables.rows_of(tmp_path)["person"]) & set(asked["person"])


def test_both_parts_are_one_table_in_the_order_of_asking(recorder):
    first, both = read_survey_answers(), read_survey_answers(parts=2)
    assert len(both) > len(first) and set(both["way"]) == set(recorder.WAYS)
    keys = ["person", "model", "task", "way"]
    kept = both.merge(first[keys], on=keys).sort_values(keys, ignore_index=True)
    pd.testing.assert_frame_equal(kept, first.sort_values(keys, ignore_index=True))
    for (task, way, _), rows in both.groupby(["task", "way", "model"]):
        asked = recorder.prompts_of(task, way)["person"].head(len(rows))
        assert rows["person"].tolist() == asked.tolist()
        assert rows.index.tolist() == [*range(rows.index[0], rows.index[0] + len(rows))]
    with pytest.raises(ValueError, match="parts"):
        read_survey_answers(parts=3)


def test_a_second_part_holds_only_what_the_first_does_not(tables, tmp_path):
    shipped = read_survey_answers(task="income", way="choice")[tables.COLUMNS]
    tables.write(shipped.head(150), tmp_path / "first.csv.gz")
    rest = tables.without_held(shipped, tmp_path / "first.csv.gz", tables.KEYS)
    pd.testing.assert_frame_equal(rest, shipped.iloc[150:])
