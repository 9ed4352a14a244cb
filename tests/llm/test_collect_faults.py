"""helpers.llm against a server that fails, and in a process that is killed: nothing lost, nothing paid twice."""

import json
import os
import signal
import threading
import time
from collections import Counter

import pytest
from answer_server import answer_server
from collect_child import CONCURRENCY, start

from helpers.llm import CollectionStopped, Endpoint, collect_answers, plan_answers, sequence_posterior
from helpers.llm.log import ResponseLog
from helpers.llm.reply import read_reply
from helpers.llm.testing import known_answers

QUESTIONS = [f"Question number {k}?" for k in range(200)]
KNOWN = known_answers(QUESTIONS)
FEW = KNOWN[KNOWN["question"].isin(QUESTIONS[:100])]
FAULTS = {"429": 0.05, "500": 0.03, "503": 0.02, "truncated": 0.02, "encoding": 0.02, "cut": 0.02, "hang up": 0.02}
FAULTS |= {"slow": 0.005, "page": 0.01, "no choices": 0.005}


def endpoint(server, **options):
    options = {"timeout": 5.0, "max_retries": 12, "concurrency": 4, "pause": 0.002} | options
    return Endpoint(server.base_url, "stand-in", **options)


def collect(server, path, n_questions=20, n_answers=5, confidences=("posterior",), **options):
    plan = plan_answers(
        QUESTIONS[:n_questions], endpoint(server, **options), n_answers=n_answers, confidences=confidences
    )
    return collect_answers(plan, path, confirm=lambda plan: True, progress=False)


def records(path):
    """All whole records of a file after its header."""
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[1:-1]]


def samples(path):
    """How often the file holds each (question, sample)."""
    found = [(one["question"], sample) for one in records(path) if one["kind"] == "answer" for sample in one["samples"]]
    return Counter(found)


def check_all_there(found, path, n_questions, n_answers=5):
    """Exactly the answers asked for: each sample of each question once, every one a text the server may say."""
    wanted = {(question, sample) for question in QUESTIONS[:n_questions] for sample in range(n_answers)}
    assert samples(path) == dict.fromkeys(wanted, 1)
    table = found.answers
    rows = list(zip(table["question"], table["sample"] - table["sample"].min(), strict=True))
    assert len(rows) == len(wanted) and set(rows) == wanted
    known = set(zip(KNOWN["question"], KNOWN["text"], strict=True))
    assert set(zip(table["question"], table["answer"], strict=True)) <= known
    assert not len(found.missing)


# ---- numbers that cannot be ------------------------------------------------------------------------------------------


def test_impossible_numbers_of_a_server_leave_the_file_usable(tmp_path):
    """10**400 tokens, or logarithms whose sum has no end, used to end every later start with OverflowError."""
    choice = {"message": {"content": "x"}, "logprobs": {"content": [{"logprob": -1e307}] * 3000}}
    reply = read_reply(json.dumps({"choices": [choice], "usage": {"prompt_tokens": 10**400}}).encode())
    assert reply.tokens_in is None and reply.choices[0]["logprobs"] is None
    usual = {"message": {"content": "x"}, "logprobs": {"content": [{"logprob": -3.4028235e38}] * 3000}}
    assert sequence_posterior(read_reply(json.dumps({"choices": [usual]}).encode()).choices[0]["logprobs"]) == 0
    path = tmp_path / "old.jsonl"
    answer = {"kind": "answer", "key": "k", "samples": [0], "choices": [{"text": "x"}], "tokens_in": 10**400}
    with ResponseLog(path, {"kind": "answers"}) as log:
        log.append(answer)
    with ResponseLog(path, {"kind": "answers"}) as log:
        assert log.records == [answer | {"tokens_in": None}]


# ---- 1,000 requests, one in five fails, killed three times ----------------------------------------------------------


def test_killed_three_times_nothing_is_lost_and_nothing_is_there_twice(tmp_path):
    path = tmp_path / "answers.jsonl"
    with answer_server(KNOWN, faults=FAULTS, honour_n=False, slow_seconds=1.3) as server:
        for kill_at in (250, 500, 750):
            child, outcome = start(server, path)
            while child.is_alive() and (not path.exists() or path.read_bytes().count(b"\n") < kill_at):
                time.sleep(0.01)
            child.kill()
            child.join()
            assert child.exitcode == -signal.SIGKILL and not outcome.exists()  # it was under way
            there = samples(path)
            assert kill_at - 1 <= sum(there.values()) < 1000 and max(there.values()) == 1
        found = collect(server, path, 200, concurrency=CONCURRENCY, timeout=1.0)
        stats = server.stats()
    check_all_there(found, path, 200)
    # Paid for and lost: at most what was under way at each kill (and what came too late on a machine that is busy).
    late = max(0, found.usage.retries.get("timed out", 0) - stats["fault slow"])
    assert 0 <= stats["choices"] - 1000 <= 3 * CONCURRENCY + late
    failed = sum(count for name, count in stats.items() if name.startswith("fault"))
    assert 0.17 < failed / stats["asked"] < 0.23 and set(FAULTS) <= {name.removeprefix("fault ") for name in stats}
    assert stats.get("errors", 0) == 0


# ---- a full disk ----------------------------------------------------------------------------------------------------


def test_a_full_disk_loses_nothing(tmp_path):
    path = tmp_path / "answers.jsonl"
    with answer_server(FEW, honour_n=False) as server:
        child, outcome = start(server, path, 60, most=12_345)
        child.join()
        assert outcome.read_text().startswith("CollectionStopped: answers.jsonl cannot be written")
        before = samples(path)
        content = path.read_bytes()
        assert len(content) <= 12_345 and content.endswith(b"\n") and len(before) > 20 and max(before.values()) == 1
        found = collect(server, path, 60)
        stats = server.stats()
    assert path.read_bytes().startswith(content)
    check_all_there(found, path, 60)
    assert 0 < stats["choices"] - 300 <= CONCURRENCY


def test_a_disk_without_room_for_the_first_line_leaves_no_half_line(tmp_path):
    path = tmp_path / "answers.jsonl"
    with answer_server(FEW) as server:
        child, outcome = start(server, path, 60, most=100)
        child.join()
        assert "CollectionStopped" in outcome.read_text()
        assert not path.exists() or path.read_bytes() == b""
        check_all_there(collect(server, path, 60), path, 60)


# ---- a file that was cut, and one that is in use --------------------------------------------------------------------


def test_a_line_that_was_cut_is_dropped_and_asked_again(tmp_path):
    path = tmp_path / "answers.jsonl"
    with answer_server(FEW) as server:
        collect(server, path, 4)
        whole = path.read_bytes()
        lines = whole.splitlines(keepends=True)
        assert len(lines) == 5
        last = len(lines[-1])
        head = len(lines[0])
        cuts = {len(whole) - k: 1 for k in (1, 2, last // 2, last - 1)}  # the last record has to be asked again
        cuts |= {k: 4 for k in (1, head // 2, head - 1)}  # or all of them
        for cut, asked in cuts.items():
            path.write_bytes(whole[:cut])
            before = server.stats()["asked"]
            found = collect(server, path, 4)
            assert server.stats()["asked"] - before == asked
            assert "cut off" in found.log() and path.read_bytes().endswith(b"\n")
            check_all_there(found, path, 4)
        before = server.stats()["asked"]
        assert "cut off" not in collect(server, path, 4).log() and server.stats()["asked"] == before


def test_a_damaged_line_is_named_and_the_file_left_alone(tmp_path):
    path = tmp_path / "answers.jsonl"
    with answer_server(FEW) as server:
        collect(server, path, 4)
        lines = path.read_bytes().splitlines(keepends=True)
        for bad in (b"{}x\n", b"[1]\n", b"\xff\n", b"\n"):
            spoiled = b"".join([*lines[:2], bad, *lines[3:]])
            path.write_bytes(spoiled)
            before = server.stats()["asked"]
            with pytest.raises(ValueError, match="answers.jsonl is damaged: line 3 is no record"):
                collect(server, path, 4)
            assert path.read_bytes() == spoiled and server.stats()["asked"] == before


def test_every_response_is_on_the_disk_before_the_next_is_asked(tmp_path, monkeypatch):
    path = tmp_path / "answers.jsonl"
    sizes = []
    fsync = os.fsync

    def watched(number):
        fsync(number)
        sizes.append(path.read_bytes().count(b"\n"))

    monkeypatch.setattr(os, "fsync", watched)
    with answer_server(FEW, honour_n=False) as server:
        collect(server, path, 4, concurrency=1)
    assert set(range(1, 22)) <= set(sizes)  # the header and each of the 20 answers, one after the other


def test_two_writers_are_refused(tmp_path):
    path = tmp_path / "answers.jsonl"
    with answer_server(FEW, honour_n=False, seconds=0.05) as server:
        child, outcome = start(server, path, 30)
        while child.is_alive() and not samples_if_any(path):
            time.sleep(0.01)
        with pytest.raises(ValueError, match="answers.jsonl is in use"):
            collect(server, path, 30)
        child.join()
        assert outcome.read_text().startswith("150 answers to 30 questions")  # the first is not disturbed
        check_all_there(collect(server, path, 30), path, 30)
        assert server.stats()["choices"] == 150


def samples_if_any(path):
    return samples(path) if path.exists() else ()


@pytest.mark.parametrize("after", [1, 30])
def test_an_interrupt_ends_soon_and_keeps_what_was_paid(tmp_path, after):
    path = tmp_path / "answers.jsonl"
    with answer_server(FEW, honour_n=False, seconds=0.02) as server:
        child, outcome = start(server, path, 100)
        while child.is_alive() and len(samples_if_any(path)) < after:
            time.sleep(0.001)
        os.kill(child.pid, signal.SIGINT)
        child.join()
        assert outcome.read_text() == "KeyboardInterrupt: "
        assert 0 < sum(samples(path).values()) == server.stats()["choices"] < 500


def test_an_interrupt_while_a_thread_starts_loses_no_answer(tmp_path, monkeypatch):
    path = tmp_path / "answers.jsonl"
    start_thread = threading.Thread.start

    def interrupted(thread):
        start_thread(thread)
        if path.exists() and path.stat().st_size:
            raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with answer_server(FEW, honour_n=False, seconds=0.05) as server:
        try:
            collect(server, path, 4)
        except KeyboardInterrupt:
            time.sleep(0.3)
        assert sum(samples(path).values()) == server.stats()["choices"]


# ---- one fault after the other --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fault",
    ["429", "408", "409", "500", "503", "slow", "truncated", "encoding", "cut", "hang up", "page", "no choices"],
)
def test_what_may_pass_is_tried_again(tmp_path, fault):
    path = tmp_path / "answers.jsonl"
    with answer_server(FEW, script=[fault, None, fault, fault], slow_seconds=1.0) as server:
        found = collect(server, path, 3, timeout=0.6 if fault == "slow" else 10)
        stats = server.stats()
    check_all_there(found, path, 3)
    assert stats["asked"] == 6 and stats[f"fault {fault}"] == 3 and stats["choices"] == 15
    assert sum(found.usage.retries.values()) == 3


@pytest.mark.parametrize("fault", ["400", "401", "403", "404", "422"])
def test_what_will_not_pass_stops_at_once(tmp_path, fault):
    path = tmp_path / "answers.jsonl"
    with answer_server(FEW, script=[None, None] + [fault] * 50) as server:
        with pytest.raises(ValueError, match=fault):
            collect(server, path, 20, concurrency=1)
        assert server.stats()["asked"] <= 4
        assert sum(samples(path).values()) == 10  # what had come is kept


def test_the_server_says_how_long_to_wait(tmp_path):
    with answer_server(FEW, script=["429", None, "429"], retry_after="0.4") as server:
        began = time.monotonic()
        collect(server, tmp_path / "a.jsonl", 3)
        assert time.monotonic() - began >= 0.8
    with answer_server(FEW, script=[None, "429"], retry_after="86400") as server:
        with pytest.raises(CollectionStopped, match="pause of 86,400 s"):
            collect(server, tmp_path / "b.jsonl", 3)
        check_all_there(collect(server, tmp_path / "b.jsonl", 3), tmp_path / "b.jsonl", 3)


def test_what_fails_in_all_its_tries_is_reported_and_asked_at_the_next_start(tmp_path):
    path = tmp_path / "answers.jsonl"
    with answer_server(FEW, script=[None, *["500"] * 3]) as server:
        found = collect(server, path, 4, concurrency=1, max_retries=2)
        assert len(found.missing) and set(found.missing["question"]) == {QUESTIONS[1]}
        assert sum(samples(path).values()) == len(found.answers.dropna(subset=["answer"])) == 15
        assert "failed" in found.log()
        check_all_there(collect(server, path, 4), path, 4)
        assert server.stats()["asked"] == 4 + 3 and server.stats()["choices"] == 20


def test_a_server_that_is_down_is_left_alone(tmp_path):
    path = tmp_path / "answers.jsonl"
    with answer_server(FEW, script=[None, *["500"] * 500]) as server:
        with pytest.raises(CollectionStopped, match="in a row failed"):
            collect(server, path, 200, max_retries=1)
        assert server.stats()["asked"] < 100
    with pytest.raises((CollectionStopped, ValueError), match="[Nn]o server answers|failed"):
        collect(server, path, 200, max_retries=1)  # now it is gone
    with answer_server(FEW) as server:
        check_all_there(collect(server, path, 200), path, 200)


def test_fewer_and_more_answers_than_asked_for(tmp_path):
    path = tmp_path / "answers.jsonl"
    with answer_server(FEW, script=["extra", "fewer", None]) as server:
        found = collect(server, path, 3, concurrency=1)
        check_all_there(found, path, 3)
        assert server.stats()["choices"] in range(16, 27)  # the surplus, and no answer that was there is asked again


def test_missing_log_probabilities_of_single_answers_are_missing(tmp_path):
    with answer_server(FEW, script=[None, "no logprobs"]) as server:
        table = collect(server, tmp_path / "a.jsonl", 4, concurrency=1).answers
    assert table.groupby("question", sort=False)["posterior"].apply(lambda p: p.isna().all()).tolist() == [
        False, True, False, False]  # fmt: skip
    assert table["posterior"].notna().sum() == 15 and table["answer"].notna().all()


# ---- going on -------------------------------------------------------------------------------------------------------


def test_a_second_start_asks_for_nothing_and_more_answers_only_for_the_rest(tmp_path):
    path = tmp_path / "answers.jsonl"
    with answer_server(FEW) as server:
        first = collect(server, path, 10).answers
        before = server.stats()["asked"]
        content = path.read_bytes()
        second = collect(server, path, 10).answers
        assert server.stats()["asked"] == before and path.read_bytes() == content
        assert second.equals(first)
        more = collect(server, path, 10, n_answers=8)
        check_all_there(more, path, 10, n_answers=8)
        assert server.stats()["choices"] == 80
        merged = more.answers.merge(first, on=["question", "sample"], suffixes=("", "_before"))
        assert len(merged) == 50 and (merged["answer"] == merged["answer_before"]).all()
