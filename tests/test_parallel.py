"""Jobs side by side: in order, the first error, and no thread where there is little to do."""

import subprocess
import sys
import textwrap
import threading
from functools import partial

import pytest

from helpers._parallel import PARALLEL_FROM, side_by_side


def fail(words):
    raise ValueError(words)


def fail_of(words):
    raise RuntimeError(words)


@pytest.mark.parametrize("n_rows", [PARALLEL_FROM - 1, PARALLEL_FROM])
@pytest.mark.parametrize("n_jobs", [0, 1, 2, 5])
def test_results_come_in_the_order_of_the_jobs(n_jobs, n_rows):
    assert side_by_side([partial(pow, 2, k) for k in range(n_jobs)], n_rows) == [2**k for k in range(n_jobs)]


def test_two_jobs_on_many_rows_run_at_the_same_time():
    meeting = threading.Barrier(2, timeout=300)  # breaks if one waits alone
    assert sorted(side_by_side([meeting.wait] * 2, PARALLEL_FROM)) == [0, 1]


def test_few_rows_stay_in_the_thread_of_the_caller():
    assert side_by_side([threading.get_ident] * 3, PARALLEL_FROM - 1) == [threading.get_ident()] * 3


@pytest.mark.parametrize("n_rows", [PARALLEL_FROM - 1, PARALLEL_FROM])
@pytest.mark.parametrize("place", [0, 1])
def test_an_error_of_any_job_reaches_the_caller(place, n_rows):
    jobs = [partial(pow, 2, 3)] * 2
    jobs[place] = partial(fail, "no such thing")
    with pytest.raises(ValueError, match="no such thing"):
        side_by_side(jobs, n_rows)


def test_where_no_thread_starts_the_jobs_run_one_after_the_other(monkeypatch):
    def refuse(thread):
        raise RuntimeError("can't start new thread")  # as Python does in a browser

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert side_by_side([threading.get_ident] * 3, PARALLEL_FROM) == [threading.get_ident()] * 3
    with pytest.raises(RuntimeError, match="own"):
        side_by_side([partial(pow, 2, 3), partial(fail_of, "own")], PARALLEL_FROM)


def test_a_worker_ends_with_a_process_that_is_killed():
    """Joblib's workers used to outlive a killed run for minutes."""
    code = """
        import time
        from joblib import Parallel, delayed
        def work():
            from helpers._parallel import end_with_parent
            end_with_parent(0.01)
            print("works", flush=True)
            time.sleep(60)
            print("stayed", flush=True)
        Parallel(2)([delayed(work)()] * 2)
        """
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE) as process:
        assert [process.stdout.readline().strip() for _ in range(2)] == [b"works"] * 2
        process.kill()
        assert process.stdout.read() == b""  # comes when nobody is left who could write
