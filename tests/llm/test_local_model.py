"""helpers.llm.local: a real, small language model, asked a few questions; and what is said where it cannot be."""

import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from collecting import why_no_model

from helpers.llm import (
    collect_answers,
    collect_risk_scores,
    grade_answers,
    judge_classes,
    local,
    plan_answers,
    sequence_posterior,
)
from helpers.llm.client import CollectionStopped, Request, Sender

needs_model = pytest.mark.skipif(bool(why_no_model()), reason=why_no_model())

QUESTIONS = pd.DataFrame(
    {"question": ["What is the capital of France?", "What is 2 + 2?"], "reference": ["Paris", "4"]}
)


@pytest.fixture(scope="module")
def endpoint():
    with local.local_model(n_threads=1, context=512) as endpoint:
        yield endpoint
    with pytest.raises(urllib.error.URLError):  # the server ends with the block
        urllib.request.urlopen(endpoint.base_url + "/models", timeout=5)


@needs_model
def test_a_dozen_requests_go_through_all_steps(endpoint, tmp_path):
    confidences = ("posterior", "is_true", "verbalised")
    plan = plan_answers(QUESTIONS[:1], endpoint, n_answers=3, confidences=confidences, max_tokens=4, seed=1)
    answers = collect_answers(plan, tmp_path / "answers.jsonl", progress=False)
    table = answers.answers
    assert len(table) == 3 and table["answer"].notna().all()
    for name in ("posterior", "is_true", "verbalised"):
        assert table[name].between(0, 1).all(), name  # the schema leaves no reply without a number
    judged = judge_classes(answers, endpoint, tmp_path / "classes.jsonl", progress=False)
    graded = grade_answers(judged, endpoint, tmp_path / "grades.jsonl", progress=False)
    assert judged.reported.empty and judged.invalid == {}  # nor one that is no partition
    assert graded.reported.empty and set(graded.answers["correct"]) <= {0.0, 1.0}
    reviews = pd.DataFrame({"review": ["I loved it.", "I hated it."]})
    about = {"question": "Is the review positive or negative?", "options": ("Positive", "Negative")}
    collected = collect_risk_scores(reviews, endpoint, tmp_path / "scores.jsonl", progress=False, **about)
    assert collected.scores["score"].between(0, 1).all() and collected.details["mass"].between(0, 1).all()


@needs_model
def test_the_posterior_is_the_product_that_the_server_reports(endpoint):
    message = [{"role": "user", "content": "What is the capital of France? Answer in one word."}]
    request = Request("answer", "k", message, temperature=0.0, max_tokens=4, logprobs=True, top=5)
    with Sender(endpoint) as sender:
        choices = [sender.send(request).choices[0] for _ in range(2)]
    tops = [dict(choice["top"][0]) for choice in choices]
    assert choices[0]["text"] == choices[1]["text"]
    posteriors = [sequence_posterior(choice["logprobs"]) for choice in choices]
    assert posteriors[0] == pytest.approx(posteriors[1], abs=0.02)  # the server's own noise
    assert max(tops[0].values()) == pytest.approx(max(tops[1].values()), abs=0.02)


@needs_model
def test_a_prompt_that_is_too_long_concerns_itself_only(endpoint, tmp_path):
    questions = pd.DataFrame({"question": ["What is the capital of France?", "word " * 600]})
    plan = plan_answers(questions, endpoint, n_answers=1, confidences=(), max_tokens=4)
    collected = collect_answers(plan, tmp_path / "a.jsonl", progress=False)
    assert collected.answers["answer"].notna().tolist() == [True]
    assert "context size" in " ".join(collected.missing["why"].astype(str)), collected.missing


@needs_model
def test_a_model_that_dies_is_said_and_the_next_run_goes_on(tmp_path):
    path = tmp_path / "a.jsonl"
    settings = local._settings(None, 1, 2, 512, 0, 0)

    def collect(port):
        endpoint = local._endpoint(settings, port, max_retries=0)
        plan = plan_answers(QUESTIONS, endpoint, n_answers=1, confidences=(), max_tokens=4, seed=3)
        return collect_answers(plan, path, progress=False)

    with local._server(settings) as (port, pid):
        os.kill(pid, signal.SIGKILL)
        with pytest.raises((CollectionStopped, ValueError, RuntimeError)):
            collect(port)
    with local._server(settings) as (port, _):
        assert len(collect(port).answers) == 2


@needs_model
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_the_command_serves_until_it_is_interrupted():
    command = [sys.executable, "-m", "helpers.llm.local", "--threads", "1", "--context", "512"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        line = process.stdout.readline()
        address = line.split(" answers at ")[1].split()[0]
        assert b"SmolLM2" in urllib.request.urlopen(address + "/models", timeout=30).read()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 0
        assert process.stderr.read() == ""


@needs_model
@pytest.mark.parametrize(("options", "message"), [
    ({"path": "nowhere.gguf"}, "no file 'nowhere.gguf'"),
    ({"path": __file__}, "does not begin as one"),
    ({"n_parallel": 0}, "n_parallel"),
    ({"context": 10}, "context"),
    ({"port": 70000}, "at most 65535"),
])  # fmt: skip
def test_bad_input_is_refused_before_anything_starts(options, message):
    with pytest.raises(ValueError, match=message), local.local_model(**options):
        pass


@needs_model
def test_a_port_in_use_is_said():
    with socket.socket() as taken:
        taken.bind((local.HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ValueError, match=f"port must be free, but {port} is not"), local.local_model(port=port):
            pass


@needs_model
def test_a_damaged_file_is_said_in_the_words_of_llama(tmp_path):
    path = tmp_path / "damaged.gguf"
    path.write_bytes(local.local_model_path().read_bytes()[:4096])
    with pytest.raises(RuntimeError, match="could not load damaged") as error, local.local_model(path):
        pass
    assert str(tmp_path) not in str(error.value)


def test_without_the_extra_one_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setattr(local, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"honest-confidence\[local\]"), local.local_model():
        pass
    assert local.local_model_path() is None


def test_without_a_model_the_sentence_says_so(monkeypatch, capsys):
    monkeypatch.setattr(local, "local_model_path", lambda: None)
    monkeypatch.setattr(local, "find_spec", lambda name: True)
    assert local.main([]) == 2
    assert "There is no model" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere all names are text")
@pytest.mark.parametrize("name", [b"m\xff.gguf", b"\xff/m.gguf"])
def test_bytes_of_a_path_that_are_no_text_are_told(tmp_path, monkeypatch, capsys, name):
    path = Path(os.fsdecode(os.fsencode(tmp_path / "_")[:-1] + name))
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"GGUF")
    monkeypatch.setattr(local, "find_spec", lambda name: True)
    assert local.main(["--model", str(path)]) == 2
    assert f"path must be text for llama.cpp, but that of {path.name!r} has" in capsys.readouterr().err


def test_without_a_library_of_the_system_the_sentence_names_it(tmp_path, monkeypatch):
    """As on a bare Debian, where the wheel cannot be loaded: notebook 16 goes on without a model."""
    missing = "libgomp.so.1: cannot open shared object file: No such file or directory"
    (tmp_path / "xllamacpp.py").write_text(f"raise ImportError({missing!r})")
    (tmp_path / "any.gguf").write_bytes(b"GGUF")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(local, "find_spec", lambda name: True)
    with pytest.raises(ImportError, match=f"but xllamacpp cannot be loaded: {missing}. A library of the system"):
        with local.local_model(tmp_path / "any.gguf"):
            pass


@needs_model
def test_first_tokens_come_as_often_as_they_are_said_to(endpoint):
    message = [{"role": "user", "content": "Name a colour."}]
    request = Request("answer", "k", message, tuple(range(4)), max_tokens=1, top=20)
    with Sender(endpoint) as sender:
        replies = [sender.send(Request(**{**vars(request), "key": str(k), "seed": 7})) for k in range(50)]
    choices = [choice for reply in replies for choice in reply.choices]
    stated = {token: np.exp(logprob) for token, logprob in dict(choices[0]["top"][0]).items()}
    drawn = pd.Series([choice["text"].strip() for choice in choices]).value_counts()
    n = len(choices)
    checked = {token.strip(): p for token, p in stated.items() if p * n >= 5}
    assert checked
    for token, p in checked.items():
        assert abs(drawn.get(token, 0) / n - p) < 4 * np.sqrt(p * (1 - p) / n), token
