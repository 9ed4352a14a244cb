"""Serve build/site/ on this machine alone, as the live pages need it: a page opened from a file cannot start them.

Every answer forbids connections to elsewhere. It ends with Ctrl-C, or by itself after an hour without a request.
"""

import argparse
import http.server
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
POLICY = "default-src 'self' data: blob: 'unsafe-inline' 'wasm-unsafe-eval'"


class Handler(http.server.SimpleHTTPRequestHandler):
    """Files with the types and headers that modules, WebAssembly and workers ask for."""

    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {
        ".js": "text/javascript",
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
        ".gz": "application/gzip",
    }

    def end_headers(self):
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("Cache-Control", "no-cache")  # the browser asks whether a file is still the same
        super().end_headers()

    def log_message(self, *words):
        pass


class Server(http.server.ThreadingHTTPServer):
    """A server that notes when nobody has asked for `timeout` seconds."""

    idle = False

    def handle_timeout(self):
        self.idle = True


def main(arguments=None):
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--port", type=int, default=8765, help="8765 unless you say otherwise; 0 takes a free one")
    parser.add_argument("--site", type=Path, default=ROOT / "build" / "site", help="the folder of the site")
    parser.add_argument("--idle", type=float, default=3600, help="seconds without a request after which it ends")
    chosen = parser.parse_args(arguments)
    if not (chosen.site / "live" / "parts.json").exists():
        raise SystemExit(f"There are no live pages in {chosen.site}: make live")
    try:
        server = Server(("127.0.0.1", chosen.port), partial(Handler, directory=str(chosen.site)))
    except OSError as error:
        raise SystemExit(f"Port {chosen.port} cannot be had ({error.strerror}): --port 8766 is another") from None
    address = f"http://127.0.0.1:{server.server_port}"
    print(f"{address}/index.html\n{address}/live/audit.html\nCtrl-C ends it.", flush=True)
    server.timeout = chosen.idle
    with server:
        while not server.idle:
            server.handle_request()


if __name__ == "__main__":
    main()
