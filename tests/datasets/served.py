"""A file, its entry in the list of files, and a loopback server that may break off."""

import hashlib
import http.server
import threading

import numpy as np

from helpers.datasets import download as _download

CONTENT = np.random.default_rng(0).bytes(200_000)
SHA = hashlib.sha256(CONTENT).hexdigest()
ENTRY = _download.ManifestFile(
    "expected_cost", "toy/scores.npy", len(CONTENT), SHA, "github:owner/repo", "0" * 40, "x/scores.npy", "MIT"
)


class Server:
    """A loopback server whose answers are set by the test; `asked` counts the requests."""

    def __init__(self):
        self.content = CONTENT
        self.cut = None
        self.status = 200
        self.asked = 0
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.answer(self)

            def log_message(self, *args):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.02})
        self.thread.start()

    def answer(self, handler):
        self.asked += 1
        if self.status != 200:
            handler.send_error(self.status)
            return
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(self.content)))
        handler.end_headers()
        handler.wfile.write(self.content[: self.cut])

    def close(self):
        self.http.shutdown()
        self.thread.join()
        self.http.server_close()
