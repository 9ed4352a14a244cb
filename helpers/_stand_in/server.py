"""The stand-in as a process of its own: HTTP on 127.0.0.1, settings on standard input, the port on standard output.

It ends when its standard input ends or its parent is gone, so that it never outlives the program that started it.
"""

import hmac
import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from helpers._stand_in.model import NAME, Refusal, StandInModel, generator, read_task

FAULTS = ("busy", "broken", "cut", "truncated")

HALF = b'{"id": "chatcmpl-0", "object": "chat.completion", "choices": [{"index": 0, "mess'


class Handler(BaseHTTPRequestHandler):
    """One connection; `self.server` holds the model, the settings and the counts."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # one packet an answer
    disable_nagle_algorithm = True

    def do_GET(self):
        if self.path == "/stats":
            return self.send(200, self.server.stats())
        if not self.allowed():
            return None
        if self.path == "/v1/models":
            entry = {"id": NAME, "object": "model", "created": 0, "owned_by": NAME}
            return self.send(200, {"object": "list", "data": [entry]})
        return self.send_error_body(404, f"There is nothing at {self.path}.")

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if not self.allowed():
            return None
        if self.path != "/v1/chat/completions":
            return self.send_error_body(404, f"There is nothing at {self.path}.")
        try:
            request = json.loads(body)
        except ValueError:
            request = None
        if not isinstance(request, dict):
            return self.send_error_body(400, "The body must be a JSON object.")
        try:
            return self.answer(request)
        except Refusal as refusal:
            self.server.count("refused")
            return self.send_error_body(refusal.status, str(refusal), refusal.code)

    def answer(self, request):
        """Send the completion, or a fault on request."""
        fault = self.server.fault(request)
        if fault:
            self.server.count(f"fault {fault}")
            return self.fail(fault)
        body = self.server.model.complete(request)
        time.sleep(self.server.settings["seconds"])
        self.count_answer(request, body)
        return self.send(200, body)

    def fail(self, fault):
        """Busy (429), broken (500), a connection that is cut, or a body that is not whole."""
        if fault == "busy":
            return self.send_error_body(429, "Too many requests at once.", "rate_limit_exceeded", Retry_After="0.02")
        if fault == "broken":
            return self.send_error_body(500, "Something broke.")
        length = len(HALF) * (2 if fault == "cut" else 1)
        self.close_connection = fault == "cut"
        return self.send(200, HALF, Content_Length=str(length))

    def count_answer(self, request, body):
        """Count an answer, before it is sent, so that a client that has it finds it counted."""
        self.server.count("answered")
        self.server.count(f"answered {read_task(request['messages'])[0]}")
        self.server.count("choices", len(body["choices"]))
        self.server.count("tokens", body["usage"]["total_tokens"])

    def allowed(self):
        """Whether the key is right; answers with 401 otherwise."""
        key = self.server.settings["key"]
        if key is None or hmac.compare_digest(self.headers.get("Authorization", ""), f"Bearer {key}"):
            return True
        self.send_error_body(401, "Incorrect API key provided.", "invalid_api_key")
        return False

    def send_error_body(self, status, message, code=None, **headers):
        """An error in the form that clients of this interface expect."""
        kind = "invalid_request_error" if status < 500 else "server_error"
        self.send(status, {"error": {"message": message, "type": kind, "param": None, "code": code}}, **headers)

    def send(self, status, body, **headers):
        """Send a body as JSON."""
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in ({"Content-Type": "application/json", "Content-Length": str(len(body))} | headers).items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, *args):
        """Nothing is written: a request may hold a reader's questions."""


class Server(ThreadingHTTPServer):
    """A server of known answers; `counts` says what it has sent."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, settings, handler=Handler):
        super().__init__(("127.0.0.1", 0), handler)
        self.settings = settings
        self.model = StandInModel(settings)
        self.counts = {}
        self.tries = {}  # how often a request has come
        self.counting = threading.Lock()

    def count(self, name, by=1):
        with self.counting:
            self.counts[name] = self.counts.get(name, 0) + by

    def fault(self, request):
        """The fault of this try, or None; it depends on the seed, the request and how often that has come."""
        if not self.settings["faults"]:
            return None
        asked = json.dumps(request, sort_keys=True)
        with self.counting:
            tries = self.tries[asked] = self.tries.get(asked, 0) + 1
        drawn = generator("fault", self.settings["seed"], asked, tries)
        return drawn.choice(FAULTS) if drawn.random() < self.settings["faults"] else None

    def stats(self):
        """What has been sent so far, by name."""
        with self.counting:
            return dict(self.counts)

    def handle_error(self, request, client_address):
        """A client that went away is not worth a word."""
        if not isinstance(sys.exc_info()[1], OSError):
            self.count("errors")


def _end_with_parent(parent):
    """End this process when standard input ends, or when the parent is another one."""

    def listen():
        sys.stdin.buffer.read()
        os._exit(0)

    def look():
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(0)

    for watch in (listen, look):
        threading.Thread(target=watch, daemon=True).start()


def main(handler=Handler, server=Server):
    """Serve until standard input ends; its first line holds the settings as JSON."""
    settings = json.loads(sys.stdin.buffer.readline())
    _end_with_parent(os.getppid())
    server = server(settings, handler)
    sys.stdout.write(f"{server.server_address[1]}\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main()
