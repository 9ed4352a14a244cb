"""A collection, or a stand-in, in a process of its own, which a test may kill, interrupt, or give a small disk.

The processes are forked from one that has imported everything (tests/forks.py), so that each starts in a moment.
"""

import os
import resource
import signal
import time
from pathlib import Path

from forks import SERVER

from helpers.llm import Endpoint, collect_answers, plan_answers
from helpers.llm.testing import stand_in

CONCURRENCY = 8


def run(address, path, n_questions, most, outcome):
    """Collect five answers to each question; `most` bytes is the longest file that may be written, if not 0."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # also where the tests run in the background
    endpoint = Endpoint(address, "stand-in", concurrency=CONCURRENCY, timeout=1.0, max_retries=12, pause=0.002)
    questions = [f"Question number {k}?" for k in range(n_questions)]
    plan = plan_answers(questions, endpoint, n_answers=5, confidences=["posterior"])
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most or limit[0], limit[1]))
    try:
        said = collect_answers(plan, path, confirm=lambda plan: True, progress=False).log()
    except BaseException as error:
        said = f"{type(error).__name__}: {error}"
    resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    Path(outcome).write_text(said, encoding="utf-8")


def start(server, path, n_questions=200, most=0):
    """(process, file of what it says in the end)."""
    outcome = path.with_suffix(".outcome")
    outcome.unlink(missing_ok=True)
    process = SERVER.Process(target=run, args=(server.base_url, str(path), n_questions, most, str(outcome)))
    process.start()
    return process, outcome


def serve(connection, hold_stdin):
    """Run a stand-in and tell its process; a grandchild may inherit the pipe whose end would tell the server."""
    with stand_in() as server:
        if hold_stdin and not os.fork():
            time.sleep(4)
            os._exit(0)
        connection.send(server.pid)
        time.sleep(60)
