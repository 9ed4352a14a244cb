"""What a comparison is made of, and one contestant of it in a process of its own.

python bench/worker.py MODULE CASE CONTESTANT ROWS MEMORY_GB gets ready, then runs once for each line "run" it is sent;
answers are lines of JSON. Data, conversions, imports and a small first call come before the clock starts.
"""

import gc
import importlib
import importlib.metadata
import json
import os
import resource
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

OURS = "honest-confidence"


@dataclass(frozen=True)
class Contestant:
    """One way to get the number of a case.

    package : distribution whose version is shown; it must be installed
    prepare : data -> the function that is timed, without arguments; imports and conversions belong here
    value : what that function returns -> the number to compare
    note : (result, data) -> what else there is to say, not timed
    large : whether it is tried with millions of rows, too
    """

    package: str
    prepare: Callable
    value: Callable = float
    note: Callable = lambda result, data: ""
    large: bool = True


def ours(prepare, value=float, note=lambda result, data: "", **more):
    """One of our own functions as a contestant."""
    return Contestant(OURS, prepare, value, note, **more)


@dataclass(frozen=True)
class Case:
    """One comparison: `make(rows)` gives the data of all contestants; the first contestant is ours.

    reference : data -> the right number, computed another way; or "lowest", for a loss that all minimise
    yardstick : the others are no peers but something to compare with, such as one pass over the rows
    """

    title: str
    quick: tuple
    full: tuple
    make: Callable
    contestants: dict
    reference: Callable | str
    growth: bool = False
    yardstick: bool = False
    warm_up: int = 2000


def peak_mb():
    """Largest resident memory of this process so far, in MB."""
    status = Path("/proc/self/status")
    if status.exists():  # what getrusage says on Linux begins with the memory of the process that started this one
        lines = status.read_text(encoding="utf-8").splitlines()
        return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / (1e6 / 1024)
    unit = 1e6 if sys.platform == "darwin" else 1e6 / 1024  # bytes there, KiB elsewhere
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def serve(case, contestant, rows, answer):
    """Get ready, then answer each line of standard input until "end"."""
    version = importlib.metadata.version(contestant.package)
    contestant.prepare(case.make(min(rows, case.warm_up)))()
    data = case.make(rows)
    call = contestant.prepare(data)
    answer({"status": "ready", "version": version, "before_mb": peak_mb()})
    result = None
    for line in sys.stdin:
        if line.strip() != "run":
            break
        gc.collect()
        start = time.perf_counter()
        used = time.process_time()
        result = call()
        seconds = time.perf_counter() - start
        used = time.process_time() - used
        answer({"seconds": seconds, "processor": used, "value": float(contestant.value(result)), "peak_mb": peak_mb()})
    if result is not None:
        answer({"note": contestant.note(result, data)})


def main(module, case, who, rows, memory):
    """Command line: what it answers goes to the standard output it was given, what others print goes nowhere."""
    line = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    warnings.simplefilter("ignore")
    limit = int(float(memory) * 2**30)
    if sys.platform != "darwin":
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    def answer(record):
        line.write(json.dumps(record) + "\n")

    try:
        case = importlib.import_module(module).CASES[case]
        if who == "reference":
            answer({"value": float(case.reference(case.make(int(rows))))})
        else:
            serve(case, case.contestants[who], int(rows), answer)
    except MemoryError:
        answer({"status": f"memory error (limit {float(memory):g} GB)"})
    except Exception as error:  # a peer may raise anything: the table says what
        answer({"status": f"{type(error).__name__}: {error}"[:120].replace("\n", " ")})


if __name__ == "__main__":
    main(*sys.argv[1:])
