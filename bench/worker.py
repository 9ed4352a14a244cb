"""One contestant of one case in a process of its own: gets ready, then runs once for each line "run" it is sent.

python bench/worker.py MODULE CASE CONTESTANT ROWS MEMORY_GB; answers are lines of JSON. Data, conversions, imports and
a small first call come before the clock starts.
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
from pathlib import Path


def peak_mb():
    """Largest resident memory of this process so far, in MB."""
    status = Path("/proc/self/status")
    if status.exists():  # Linux; what getrusage says there begins with the memory of the process that started this one
        lines = status.read_text(encoding="utf-8").splitlines()
        return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / (1e6 / 1024)
    unit = 1e6 if sys.platform == "darwin" else 1e6 / 1024  # bytes there, KiB elsewhere
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def prepared(case, contestant, rows):
    """The function to time and its data, or a sentence that says why there is none."""
    try:
        version = importlib.metadata.version(contestant.package)
    except importlib.metadata.PackageNotFoundError:
        return {"status": "not installed"}, None, None
    try:
        contestant.prepare(case.make(min(rows, case.warm_up)))()
        data = case.make(rows)
        call = contestant.prepare(data)
    except ImportError as error:
        return {"status": f"does not import: {error}"}, None, None
    return {"status": "ready", "version": version, "before_mb": peak_mb()}, call, data


def serve(case, contestant, rows, answer):
    """Answer each line of standard input until "end"."""
    ready, call, data = prepared(case, contestant, rows)
    answer(ready)
    result = None
    for line in sys.stdin:
        if line.strip() != "run":
            break
        gc.collect()
        start, used = time.perf_counter(), time.process_time()
        result = call()
        seconds, used = time.perf_counter() - start, time.process_time() - used
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
