"""Tasks by the workers that the caller chose (`joblib.parallel_config`), in order, one thread inside each."""

import multiprocessing
import os
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock, Thread

from joblib import Parallel, delayed
from threadpoolctl import ThreadpoolController

_lock = Lock()
_inside = []


@lru_cache(maxsize=1)
def _libraries():
    """Matrix libraries, whose setting all threads of a process share, and OpenMP, where each thread has its own."""
    found = ThreadpoolController()  # takes longer than a small task
    return found.select(user_api="blas"), found.select(user_api="openmp")


@contextmanager
def one_thread():
    """Matrix libraries and OpenMP use one thread in here: workers side by side do not get into each other's way, and
    sums come out the same for any number of workers. Threads may come and go: the last one restores what was before.
    """
    shared, own = _libraries()
    with _lock:
        _inside.append(None if _inside else shared.limit(limits=1))
    try:
        with own.limit(limits=1):
            yield
    finally:
        with _lock:
            if len(_inside) == 1:
                _inside[0].restore_original_limits()
            _inside.pop()


@lru_cache(maxsize=1)
def end_with_parent(seconds=1.0):
    """Let this process, a worker, end with the one that started it: a kill leaves no time to tell it.

    Joblib's workers wait for minutes otherwise. A process that was not started as a worker stays.
    """
    starter = multiprocessing.parent_process()
    if starter is None:
        return
    parent = os.getppid()

    def watch():
        if os.name == "nt":  # where an orphan keeps the number of its parent
            starter.join()
        while os.getppid() == parent:
            time.sleep(seconds)
        os._exit(1)

    Thread(target=watch, daemon=True, name="end with parent").start()


def alone(home, function, *item):
    """`function(*item)` with one thread inside; `home`: pid of the caller."""
    if os.getpid() != home:
        end_with_parent()
    with one_thread():
        return function(*item)


def in_order(function, items):
    """List of `function(*item)` for each item, by the workers that the caller chose.

    >>> in_order(pow, [(2, 3), (3, 2)])
    [8, 9]
    """
    with one_thread():  # some matrix libraries listen to the main thread alone
        return Parallel()(delayed(alone)(os.getpid(), function, *item) for item in items)


PARALLEL_FROM = 20_000  # rows


def side_by_side(jobs, n_rows):
    """What each job returns, in order; for many rows every second job runs in one thread beside the caller's.

    Where no thread can be started, as in a browser, they run one after the other.
    A thread of our own and no pool: what threads have freed stays with them, and new ones, which a pool brings each
    time, would take as much again.

    >>> from functools import partial
    >>> side_by_side([partial(pow, 2, 3), partial(pow, 3, 2)], n_rows=20_000)
    [8, 9]
    """
    if n_rows < PARALLEL_FROM:
        return [job() for job in jobs]
    results = [None] * len(jobs)
    with ThreadPoolExecutor(1) as beside:
        try:
            others = [beside.submit(job) for job in jobs[1::2]]
        except RuntimeError:  # of the thread: a job's own error comes with its result
            return [job() for job in jobs]
        results[::2] = [job() for job in jobs[::2]]
        results[1::2] = [other.result() for other in others]
    return results
