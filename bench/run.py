"""Time and peak memory beside the peers, and whether the numbers agree. `make bench`, or python bench/run.py --help.

Every contestant of a case is a process of its own; they take turns (A B, B A, ...), so that a machine whose speed
drifts is equally unfair to all. See bench/README.md.
"""

import argparse
import datetime
import importlib
import importlib.metadata
import json
import os
import platform
import selectors
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
COLUMNS = (
    "case", "rows", "contestant", "package", "version", "status", "runs", "seconds", "fastest", "slowest", "processor",
    "peak_mb", "before_mb", "value", "reference", "difference", "note",
)  # fmt: skip
LARGE = 3_000_000  # from here on one contestant after the other, once, so that memory holds one of them at a time


class Worker:
    """A contestant's process."""

    def __init__(self, module, case, who, rows, memory):
        command = [sys.executable, str(HERE / "worker.py"), module, case, who, str(rows), str(memory)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, bufsize=0, **pipes)
        self.answers = []

    def hear(self, limit):
        """The next answer; after `limit` seconds the process is ended."""
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            line = self.process.stdout.readline() if selector.select(limit) else None
        if line is None:
            self.close()
            return {"status": f"no answer within {limit:g} s"}
        return json.loads(line) if line else {"status": f"ended by itself (exit status {self.process.wait()})"}

    def ask(self, word, limit):
        """Send a line and hear the answer."""
        try:
            self.process.stdin.write(f"{word}\n".encode())
        except BrokenPipeError:
            pass
        return self.hear(limit)

    def close(self):
        """End the process."""
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def seconds(self, name="seconds"):
        """What each run took."""
        return [answer[name] for answer in self.answers]


def measure(module, name, case, rows, given, *, runs, spend, skip=()):
    """One row of the table for each contestant of a case, at one size.

    given : options of the command line; spend : seconds after which a contestant gets no further turn;
    skip : contestants that failed at a smaller size
    """
    table = {}
    for who, contestant in case.contestants.items():
        status = "not tried, failed with fewer rows" if who in skip else "ok"
        status = "not tried at this size" if rows >= LARGE and not contestant.large else status
        row = {"case": name, "rows": rows, "contestant": who, "package": contestant.package, "status": status}
        table[who] = dict.fromkeys(COLUMNS) | row | {"runs": 0}
    reference = None
    if case.reference != "lowest":
        worker = Worker(module, name, "reference", rows, given.memory)
        reference = worker.hear(given.limit + 60).get("value")
        worker.close()
    tried = [who for who, row in table.items() if row["status"] == "ok"]
    if rows < LARGE:
        take_turns(module, {who: table[who] for who in tried}, given, runs=runs, limit=given.limit, spend=spend)
    else:
        for who in tried:
            take_turns(module, {who: table[who]}, given, runs=1, limit=6 * given.limit, spend=spend)
    done = [row for row in table.values() if row["status"] == "ok"]
    if case.reference == "lowest":
        reference = min((row["value"] for row in done), default=None)
    for row in done:
        if reference is not None:
            row |= {"reference": reference, "difference": row["value"] - reference}
    return list(table.values())


def take_turns(module, table, given, *, runs, limit, spend):
    """Run these contestants in processes of their own, A B, B A, ..., and fill in their rows of the table."""
    workers = {}
    for who, row in table.items():
        workers[who] = Worker(module, row["case"], who, row["rows"], given.memory)
    for who, row in table.items():  # all are waited for before the first clock starts
        answer = workers[who].hear(limit + 60)
        if answer["status"] == "ready":
            row |= {"version": answer["version"], "before_mb": answer["before_mb"]}
        else:
            row["status"] = answer["status"]
            workers.pop(who).close()
    for turn in range(runs):
        for who in list(workers)[:: -1 if turn % 2 else 1]:
            worker = workers[who]
            if table[who]["status"] != "ok" or sum(worker.seconds()) > spend:
                continue
            answer = worker.ask("run", limit)
            if "seconds" in answer:
                worker.answers.append(answer)
            else:
                table[who]["status"] = answer["status"]
    for who, worker in workers.items():
        if table[who]["status"] == "ok":
            seconds = worker.seconds()
            table[who] |= {
                "runs": len(seconds), "seconds": statistics.median(seconds), "fastest": min(seconds),
                "slowest": max(seconds), "processor": statistics.median(worker.seconds("processor")),
                "peak_mb": worker.answers[-1]["peak_mb"], "value": worker.answers[-1]["value"],
                "note": worker.ask("end", limit).get("note", ""),
            }  # fmt: skip
        worker.close()


def machine():
    """What the numbers depend on, as one line."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text(encoding="utf-8").splitlines() if cpuinfo.exists() else []
    models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    processor = (models or [platform.processor() or platform.machine()])[0]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    libraries = [f"{name} {importlib.metadata.version(name)}" for name in ("numpy", "scipy", "scikit-learn")]
    threads = os.environ.get("OMP_NUM_THREADS")
    return (
        f"{datetime.date.today()}; {os.cpu_count()} cores ({processor}), {memory:.0f} GB of memory, "
        f"{platform.system()}; Python {platform.python_version()}, {', '.join(libraries)}"
        + (f"; OMP_NUM_THREADS={threads}" if threads else "")
    )


def options(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, about a minute; the site stays as it is")
    parser.add_argument("--only", nargs="+", metavar="CASE", help="these cases only; the site stays as it is")
    parser.add_argument("--rows", type=int, nargs="+", help="these sizes only, for the cases of growth")
    parser.add_argument("--runs", type=int, help="runs of each contestant (default 5, quick 3)")
    parser.add_argument("--limit", type=float, default=45, help="seconds for one call (ten million rows: times six)")
    parser.add_argument("--spend", type=float, help="seconds after which no further run starts (default 20, quick 10)")
    parser.add_argument("--memory", type=float, default=12, help="GB of address space for one contestant")
    parser.add_argument("--page", action="store_true", help="measure nothing: the page anew from the last full run")
    parser.add_argument("--module", default="cases", help=argparse.SUPPRESS)
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "bench", help="folder of table and figure")
    return parser.parse_args(arguments)


def main(arguments=None):
    """Command line; returns the exit status."""
    given = options(arguments)
    cases = importlib.import_module(given.module).CASES
    unknown = set(given.only or ()) - set(cases)
    if unknown:
        print(f"no such case: {', '.join(sorted(unknown))}; there are {', '.join(cases)}", file=sys.stderr)
        return 2
    import report

    full = not (given.quick or given.only or given.rows)
    table = given.output / "results.csv"
    about = given.output / "machine.txt"
    if not given.page:
        start = time.monotonic()
        rows = measure_all(cases, given)
        given.output.mkdir(parents=True, exist_ok=True)
        pd.DataFrame(rows, columns=COLUMNS).to_csv(table, index=False)
        about.write_text(machine(), encoding="utf-8")
        print(f"{time.monotonic() - start:.0f} s; written to {given.output}")
    remark = " Small sizes (`--quick`): for a look only." if given.quick else ""
    report.write(given.output, pd.read_csv(table), cases, about.read_text(encoding="utf-8") + "." + remark, full)
    if full:
        report.publish(given.output, ROOT)
        print("the site's page of measurements is new: site/benchmarks.md, site/_static/benchmarks.png")
    return 0


def measure_all(cases, given):
    """All rows of the table; each is printed when it is there."""
    table = []
    runs = given.runs or (3 if given.quick else 5)
    spend = given.spend or (10 if given.quick else 20)
    for name in given.only or cases:
        case = cases[name]
        failed = set()
        sizes = given.rows if given.rows and case.growth else case.quick if given.quick else case.full
        for size in sizes:
            rows = measure(given.module, name, case, size, given, runs=runs, spend=spend, skip=failed)
            failed |= {row["contestant"] for row in rows if row["status"] != "ok"}
            table += rows
            for row in rows:
                print(line_of(row), flush=True)
    return table


def line_of(row):
    """A row as one line for the terminal."""
    head = f"{row['case']:<14}{row['rows']:>11,}  {row['contestant']:<44}"
    if row["status"] != "ok":
        return head + row["status"]
    return (
        f"{head}{row['seconds']:8.3f} s [{row['fastest']:.3f}, {row['slowest']:.3f}] x{row['runs']}  "
        f"{row['peak_mb']:6,.0f} MB  {row['value']:.6g}  {row['note']}"
    )


if __name__ == "__main__":
    sys.exit(main())
