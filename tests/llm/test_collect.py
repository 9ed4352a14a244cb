"""helpers.llm.answers: what is collected is what is known; what is wrong is said; where it runs."""

import asyncio
import json
import math
import subprocess
import sys
import tracemalloc
from concurrent.futures import wait

import numpy as np
import pandas as pd
import pytest
from answer_server import answer_server
from collecting import KNOWN, QUESTIONS, collect, endpoint, known, plan

from helpers.llm import (
    Endpoint,
    collect_answers,
    judge_classes,
    plan_answers,
    runner,
)
from helpers.llm.answers import save_table
from helpers.llm.log import ResponseLog
from helpers.llm.questions import text_key
from helpers.llm.testing import stand_in
from helpers.tables import read_answers


def test_frequencies_agree_with_the_known_probabilities(server, tmp_path):
    table = collect(server, tmp_path / "a.jsonl", QUESTIONS[:3], n_answers=600).answers
    judged = judge_classes(table, endpoint(server), tmp_path / "b.jsonl", progress=False).answers
    meaning = known(judged.assign(answer=judged["given"]), "meaning")
    classes = judged.assign(meaning=meaning).groupby("question")[["answer", "meaning"]].nunique()
    assert (classes["answer"] == classes["meaning"]).all()
    statistic = 0.0
    wrong = 0.0
    cells = 0
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


@pytest.mark.filterwarnings("ignore:.*text that spreadsheets take for a formula")  # "=1+1", in CSV
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
    content = path.read_bytes()
    before = server.stats()
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


def test_a_log_of_another_version_is_left_alone(server, tmp_path):
    path = tmp_path / "a.jsonl"
    collect(server, path, QUESTIONS[:1], n_answers=1)
    later = path.read_text().replace('"version": 1', '"version": 2', 1)
    path.write_text(later)
    with pytest.raises(ValueError, match="a.jsonl has version 2 of the format, but this package writes 1"):
        collect(server, path, QUESTIONS[:1], n_answers=1)
    assert path.read_text() == later


def test_a_log_of_many_answers_is_read_in_a_thousand_bytes_an_answer(tmp_path):
    """So that ten million take less than 10 GB: with a dict a record and a tuple a row they took 17."""
    questions = [f"What is {k} plus {k}?" for k in range(100)]
    fifty = plan_answers(questions, Endpoint("http://127.0.0.1:9/v1", "any"), n_answers=50, confidences=())
    header = ResponseLog(tmp_path / "a.jsonl", fifty.header).header
    record = {"kind": "answer", "model": "any", "tokens_in": 1000, "tokens_out": 500, "retries": {}}
    lines = [
        record | {"key": text_key(q), "samples": [k], "choices": [{"text": f"{q} {k}", "finish_reason": "stop"}]}
        for q in questions
        for k in range(50)
    ]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in [header, *lines]))
    tracemalloc.start()
    collected = collect_answers(fifty, tmp_path / "a.jsonl", progress=False)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert collected.complete and collected.usage.requests == len(lines) and collected.usage.tokens_in == 5_000_000
    assert collected.answers["answer"].tolist() == [line["choices"][0]["text"] for line in lines]
    assert peak < 1000 * len(lines)


def test_paths_that_are_no_files(server, tmp_path):
    for path in (tmp_path, tmp_path / "none" / "a.jsonl", "/dev/full", "/dev/zero"):
        with pytest.raises(ValueError) as caught:
            collect(server, path)
        assert str(tmp_path) not in str(caught.value)


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


def test_an_interrupt_says_that_what_is_paid_is_waited_for(server, tmp_path, capsys, monkeypatch):
    def interrupted(running, return_when):
        wait(running)  # else nothing might have been sent
        raise KeyboardInterrupt

    monkeypatch.setattr(runner, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        collect_answers(plan(server), tmp_path / "a.jsonl")
    assert "Stopping once the 1 requests under way are back: they are paid for." in capsys.readouterr().err
    assert len((tmp_path / "a.jsonl").read_bytes().splitlines()) == 2  # the header and what was under way


def test_text_that_a_spreadsheet_would_run_is_told(tmp_path):
    rows = pd.DataFrame({"question": ["q"] * 5, "answer": ["-5", "=cmd|'/C calc'!A0", "+3.5 %", "Paris", "@SUM(A1)"]})
    with pytest.warns(UserWarning, match="my.csv: 2 rows, the first of them 2, hold text that spreadsheets take for a"):
        save_table(rows, tmp_path / "my.csv")
    assert pd.read_csv(tmp_path / "my.csv").equals(rows)
    save_table(rows, tmp_path / "my.jsonl")
    save_table(rows.drop([1, 4]), tmp_path / "plain.csv")
