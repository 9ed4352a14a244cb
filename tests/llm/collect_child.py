"""A collection in a process of its own, which a test may kill, interrupt, or give a small disk.

The processes are forked from one that has imported everything, so that each starts in a moment.
"""

import multiprocessing
import resource
import signal
from pathlib import Path

from helpers.llm import Endpoint, collect_answers, plan_answers

CONCURRENCY = 8
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["openai", "helpers.llm"])  # not this module: Python 3.11 has no path to it at that time


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
    process = FORKS.Process(target=run, args=(server.base_url, str(path), n_questions, most, str(outcome)))
    process.start()
    return process, outcome
