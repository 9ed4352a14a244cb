"""A file, its entry in the list of files, and a loopback server with bad manners."""

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
    """A loopback server whose manners are set by the test; `.asked` lists the Range headers it got."""

    def __init__(self):
        self.content = CONTENT
        self.cut = []
        self.ranges = True
        self.status = 200
        self.asked = []
        self.shift = 0
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
        asked = handler.headers.get("Range")
        self.asked.append(asked)
        if self.status != 200:
            handler.send_error(self.status)
            return
        start = int(asked[6:-1]) if asked and self.ranges else 0
        body = self.content[start:]
        handler.send_response(206 if asked and self.ranges else 200)
        handler.send_header("Content-Length", str(len(body)))
        if asked and self.ranges:
            end = len(self.content)
            handler.send_header("Content-Range", f"bytes {start + self.shift}-{end - 1}/{end}")
        handler.end_headers()
        stop = self.cut.pop(0) if self.cut else len(body)
        try:
            handler.wfile.write(body[:stop])
        except OSError:
            pass  # the reader has seen enough

    def close(self):
        self.http.shutdown()
        self.thread.join()
        self.http.server_close()
