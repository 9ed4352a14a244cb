"""A server that does not end its answer, sends too much, or sends the question elsewhere: a word for each, in time."""

import gzip
import json
import os
import signal
import ssl
import threading
import time
import warnings
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest
from collect_child import CONCURRENCY, start

from helpers.llm import Endpoint
from helpers.llm.client import Client, Problem, _connection_problem
from helpers.llm.connection import Endless

pytest.importorskip("openai", reason="asking a model needs the openai package, which is in the extra llm")

ANSWER = {"choices": [{"message": {"content": "Paris"}, "finish_reason": "stop"}]}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked.append(self.path)
        try:
            self.server.answer(self)
        except OSError:  # the client has left
            pass
        self.close_connection = True

    def send(self, body, status=200, **headers):
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": len(body), **headers}.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@contextmanager
def serving(answer):
    """Address and requests of a server that answers so."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.answer = answer
        server.asked = []
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1", server.asked
        finally:
            server.shutdown()
            thread.join()


def ask(base_url, timeout=5.0, max_tokens=4, **fields):
    client = Client(Endpoint(base_url, "m", timeout=timeout))
    try:
        return client.chat(messages=[{"role": "user", "content": "?"}], max_tokens=max_tokens, **fields)
    finally:
        client.close()


def slowly(handler, data):
    for k in range(100):
        handler.wfile.write(data[k % len(data) :][:1])
        time.sleep(0.02)


def slow_body(handler):
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
    slowly(handler, b" ")


def slow_headers(handler):
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Long: ")
    slowly(handler, b"x")


@pytest.mark.parametrize("answer", [slow_body, slow_headers])
def test_a_server_that_trickles_is_left(answer):
    """One byte in half a second used to keep a collection alive for ever: each of them was a sign."""
    with serving(answer) as (address, _):
        problem = ask(address, timeout=0.1)
        assert isinstance(problem, Problem) and problem.word in ("too slow", "timed out") and problem.passing


def slow_after_the_first(handler):
    if len(handler.server.asked) > 1:
        return slow_body(handler)
    token = {"token": "Paris", "logprob": -0.1, "top_logprobs": [], "bytes": None}
    choice = ANSWER["choices"][0] | {"logprobs": {"content": [token]}}
    handler.send(json.dumps(ANSWER | {"choices": [choice] * 5}).encode())


@pytest.mark.parametrize("interrupts", [1, 2])
def test_an_interrupt_ends_a_collection_whose_server_trickles(tmp_path, interrupts):
    """One used to change nothing, and a second one to end in a traceback."""
    path = tmp_path / "answers.jsonl"
    with serving(slow_after_the_first) as (address, asked):
        child, outcome = start(SimpleNamespace(base_url=address), path, 40)
        while len(asked) <= CONCURRENCY:  # the first is sent alone
            time.sleep(0.01)
        for _ in range(interrupts):
            os.kill(child.pid, signal.SIGINT)
            time.sleep(0.1)
        child.join(60)
        assert child.exitcode == 0 and outcome.read_text() == "KeyboardInterrupt: "
        assert len(asked) < 40


def test_an_answer_nested_without_end_is_unreadable():
    with serving(lambda handler: handler.send(b'{"choices": ' + b"[" * 100_000)) as (address, _):
        assert ask(address).word == "body not JSON"


def test_a_body_longer_than_what_was_asked_for_is_not_read():
    """10 MB for 4 tokens used to be kept, and an endless body ended in MemoryError."""
    text = "Paris " * 200_000
    body = json.dumps({"choices": [{"message": {"content": text}}]}).encode()
    with serving(lambda handler: handler.send(body)) as (address, _):
        problem = ask(address)
        assert problem.word == "too long"
        assert problem.sentence == ("The server's answer is longer than what was asked for can be (1,001,600 bytes).")
        assert ask(address, max_tokens=1000).choices[0]["text"] == text


def test_a_body_that_may_unfold_to_any_size_is_not_unfolded():
    def packed(handler):
        assert handler.headers["Accept-Encoding"] == "identity"
        handler.send(gzip.compress(b" " * 10_000_000 + json.dumps(ANSWER).encode()), Content_Encoding="gzip")

    with serving(packed) as (address, _):
        assert ask(address).word == "compressed"
    with serving(lambda handler: handler.send(json.dumps(ANSWER).encode())) as (address, _):
        assert ask(address).choices[0]["text"] == "Paris"


@pytest.mark.parametrize("status", [302, 307, 308])
def test_a_question_goes_to_no_other_address(status):
    """307 and 308 sent it there, and the answer of a 302 was taken, without a word."""
    with (
        serving(lambda handler: handler.send(json.dumps(ANSWER).encode())) as (elsewhere, asked),
        serving(lambda handler: handler.send(b"", status, Location=f"{elsewhere}/chat/completions")) as (address, _),
    ):
        problem = ask(address)
        assert asked == [] and problem.status == status and not problem.passing
        assert "The server wants the question to go to another address" in problem.sentence


def test_a_key_that_travels_in_the_open_is_told(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "a-key-of-sixteen")
    with pytest.warns(UserWarning, match="The key in OPENAI_API_KEY is sent without encryption, because base_url"):
        Client(Endpoint("http://models.example.org/v1", "m")).close()
    with warnings.catch_warnings(action="error"):
        Client(Endpoint("https://models.example.org/v1", "m")).close()
        Client(Endpoint("http://localhost:8000/v1", "m")).close()
        monkeypatch.setenv("OPENAI_API_KEY", "EMPTY")
        Client(Endpoint("http://models.example.org/v1", "m")).close()


def test_a_certificate_that_cannot_be_trusted_is_no_missing_server():
    certificate = ssl.SSLCertVerificationError("verify failed")
    certificate.verify_message = "self-signed certificate"
    error = type("ConnectError", (Exception,), {})()
    error.__cause__ = certificate
    outer = Exception()
    outer.__cause__ = error
    problem = _connection_problem(outer)
    assert problem.word == "no trusted certificate" and not problem.passing
    assert "cannot be trusted (self-signed certificate)" in problem.sentence and "SSL_CERT_FILE" in problem.sentence
    error.__cause__ = Endless("too slow", "did not end within 3 s")
    assert _connection_problem(outer).sentence == "The server's answer did not end within 3 s."
    error.__cause__ = None
    assert _connection_problem(outer).word == "no connection"
