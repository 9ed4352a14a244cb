"""How long to wait before a request is sent again, and one brake for all threads."""

import email.utils
import random
import threading
import time

BACKOFF_SECONDS = 0.5  # before the second try, up to that; doubled for each further one

MOST_SECONDS = 60.0  # between two tries, unless the server asks for more

LONGEST_PAUSE = 900.0  # that a server may ask for; beyond, the run stops and can be started again

_CHANCE = random.Random()  # waits differ, so that threads do not come back all at once; no result depends on them


class Halted(Exception):
    """The run is being stopped; nothing more is sent."""


def seconds_before(tries, asked=None, pause=None):
    """Seconds to wait after `tries` failed ones: exponential from `pause`, with jitter, at least what the server asked.

    >>> seconds_before(1, asked=7.5), seconds_before(1) <= 0.5, seconds_before(30) <= 60
    (7.5, True, True)
    """
    backoff = min(
        MOST_SECONDS, (BACKOFF_SECONDS if pause is None else pause) * 2.0 ** min(tries - 1, 30)
    ) * _CHANCE.uniform(0.5, 1)
    return max(backoff, asked or 0.0)


def read_retry_after(headers, now=None):
    """Seconds that a server asks for, from Retry-After (seconds or a date) or retry-after-ms; None if it does not.

    >>> read_retry_after({"retry-after": "1.5"}), read_retry_after({"retry-after-ms": "20"}), read_retry_after({})
    (1.5, 0.02, None)
    >>> read_retry_after({"retry-after": "Thu, 01 Jan 1970 00:00:09 GMT"}, now=4.0)
    5.0
    """
    for name, unit in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        text = headers.get(name)
        if text is None:
            continue
        try:
            seconds = float(text) * unit
        except ValueError:
            try:
                date = email.utils.parsedate_to_datetime(text)
            except ValueError:
                continue
            seconds = date.timestamp() - (time.time() if now is None else now)
        if seconds == seconds:
            return max(seconds, 0.0)
    return None


class Brake:
    """Lets all threads wait together, or stop."""

    def __init__(self):
        self._until, self._stopped, self._lock = 0.0, threading.Event(), threading.Lock()

    def hold(self, seconds):
        """Nobody sends before that many seconds have passed."""
        with self._lock:
            self._until = max(self._until, time.monotonic() + seconds)

    def wait(self):
        """Until sending is allowed; Halted if the run stops."""
        while (left := self._until - time.monotonic()) > 0:
            self.sleep(left)
        self.sleep(0)

    def sleep(self, seconds):
        """Wait that long; Halted if the run stops."""
        if self._stopped.wait(seconds):
            raise Halted

    def stop(self):
        """Wake everybody up, and let nobody send again."""
        self._stopped.set()
