"""The stand-in of `helpers.llm.testing` with faults on request, as a process of its own, and a count of what it sent.

`faults` gives the probability of each fault, `script` the faults of the first requests (None for an answer):
a status such as "429" or "503" (429 with Retry-After), "slow", "truncated" (half a JSON text), "encoding" (not UTF-8),
"cut" (the connection ends in the middle of the body), "hang up" (before it), "page" (200 with HTML), "no choices",
"no content", "no logprobs", "fewer" (one answer whatever n), "extra", "partition" (the judge's classes do not fit),
"verdict" (its reply is a sentence), "echo answer" (the answer is the key), "echo 401", "echo 500", ... (an error
that repeats it and the address). With a fault "schema" of any probability every request with a schema is refused (400).
"""

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from helpers.llm.server_process import run_server
from helpers.llm.testing import StandIn, settings_of

_SERVER = str(Path(__file__).with_name("faulty_server.py"))


@dataclass(frozen=True)
class AnswerServer(StandIn):
    """`.stats()` also has asked, fault NAME, and given: {messages as JSON: answers sent in full}."""


@contextmanager
def answer_server(known=None, *, faults=None, script=(), retry_after="0.01", slow_seconds=1.0, **options):
    """The stand-in with faults: {name: probability} and a script for the first requests."""
    settings, known = settings_of(known, **options)
    settings |= {"named_faults": faults or {}, "script": list(script), "retry_after": retry_after}
    with run_server([_SERVER], settings | {"slow_seconds": slow_seconds}) as (port, pid):
        yield AnswerServer(f"http://127.0.0.1:{port}/v1", "stand-in", pid, known)
