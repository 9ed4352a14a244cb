"""Connections that cannot be kept busy for ever: how long one answer may take, and how many bytes it may have.

The client's own timeout counts from one sign of the server to the next, so that a server that sends a letter now and
then is waited for without end, and nothing limits the length of what it sends.
"""

import math
import threading
import time


class Endless(Exception):
    """An answer that was not read to its end; `word` for counting, and the text goes on from "The server's answer"."""

    def __init__(self, word, text):
        super().__init__(text)
        self.word = word


class Allowance(threading.local):
    """What the request of a thread may still take: `until` a time, and `n_bytes`."""

    until = math.inf
    n_bytes = math.inf

    def grant(self, seconds, n_bytes):
        """Begin a request."""
        self.seconds = seconds
        self.most = n_bytes
        self.until = time.monotonic() + seconds
        self.n_bytes = n_bytes

    def left(self):
        """Seconds that are left; Endless if none are."""
        seconds = self.until - time.monotonic()
        if seconds <= 0:
            raise Endless("too slow", f"did not end within {self.seconds:g} s")
        return seconds

    def take(self, size):
        """Count bytes that came; Endless if there are too many."""
        self.n_bytes -= size
        if self.n_bytes < 0:
            raise Endless("too long", f"is longer than what was asked for can be ({self.most:,.0f} bytes)")


class _Wrapped:
    """Something whose other attributes are those of what it wraps."""

    def __init__(self, inner, allowance):
        self._inner = inner
        self._allowance = allowance

    def __getattr__(self, name):
        return getattr(self._inner, name)


class _Stream(_Wrapped):
    """A connection whose reads count against the allowance of their thread."""

    def read(self, max_bytes, timeout=None):
        left = self._allowance.left()
        data = self._inner.read(max_bytes, left if timeout is None else min(left, timeout))
        self._allowance.take(len(data))
        return data

    def start_tls(self, *args, **options):
        return _Stream(self._inner.start_tls(*args, **options), self._allowance)


class _Backend(_Wrapped):
    """What opens connections."""

    def connect_tcp(self, *args, **options):
        return _Stream(self._inner.connect_tcp(*args, **options), self._allowance)


def limit_reads(http):
    """`Allowance` of the requests of an httpx client, also of those that go through a proxy."""
    allowance = Allowance()
    for transport in (http._transport, *filter(None, http._mounts.values())):
        pool = transport._pool  # httpx has no public place for a backend
        pool._network_backend = _Backend(pool._network_backend, allowance)
    return allowance


def refuse_packed(response):
    """Endless for a body that is compressed although none was asked for."""
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise Endless("compressed", "is compressed, which was not asked for and may unfold to any size")
