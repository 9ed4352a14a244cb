"""Time and peak memory beside the peers, and whether the numbers agree. `make bench`, or python bench/run.py --help.

Every contestant of a case is a process of its own; they take turns (A B, B A, ...), so that a machine whose speed
drifts is equally unfair to all. See bench/README.md.
"""

import argparse
import csv
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

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
COLUMNS = (
    "case", "rows", "contestant", "package", "version", "status", "runs", "seconds", "fastest", "slowest", "processor",
    "peak_mb", "before_mb", "value", "reference", "difference", "note",
)  # fmt: skip
PYTHONS = {}  # packages with an environment of their own: {package: its interpreter}
LARGE = 3_000_000  # from here on one contestant after the other, once, so that memory holds one of them at a time


class Worker:
    """A contestant's process."""

    def __init__(self, module, case, who, rows, memory, python=sys.executable):
        command = [python, str(HERE / "worker.py"), module, case, who, str(rows), str(memory)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
        )
        self.times, self.used, self.last = [], [], {}

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


def measure(module, case, rows, *, runs, limit, spend, memory, skip=()):
    """One row of the table for each contestant of a case, at one size.

    limit : seconds for one call (six times as many for large sizes); spend : seconds after which a contestant gets no
    further turn; skip : contestants that failed at a smaller size
    """
    table = {
        who: dict.fromkeys(COLUMNS, "")
        | {"case": case.name, "rows": rows, "contestant": who, "package": contestant.package, "status": "ok", "runs": 0}
        for who, contestant in case.contestants.items()
    }
    for who in skip:
        table[who]["status"] = "not tried, failed with fewer rows"
    reference = reference_value(module, case, rows, limit, memory)
    for who, contestant in case.contestants.items():
        if rows >= LARGE and not contestant.large:
            table[who]["status"] = "not tried at this size"
    tried = [who for who, row in table.items() if row["status"] == "ok"]
    for together in [tried] if rows < LARGE else [[who] for who in tried]:
        some = {who: table[who] for who in together}
        if rows < LARGE:
            take_turns(module, case, rows, some, runs, limit, spend, memory)
        else:
            take_turns(module, case, rows, some, 1, 6 * limit, spend, memory)
    done = [row for row in table.values() if row["status"] == "ok"]
    if case.reference == "lowest":
        reference = min((row["value"] for row in done), default=None)
    for row in done:
        if reference is not None:
            row |= {"reference": reference, "difference": row["value"] - reference}
    return list(table.values())


def take_turns(module, case, rows, table, runs, limit, spend, memory):
    """Run these contestants in processes of their own, A B, B A, ..., and fill in their rows of the table."""
    workers = {
        who: Worker(module, case.name, who, rows, memory, PYTHONS.get(row["package"], sys.executable))
        for who, row in table.items()
    }
    for who in table:  # all are waited for before the first clock starts
        heard = workers[who].hear(limit + 60)
        if heard["status"] == "ready":
            table[who] |= {"version": heard["version"], "before_mb": heard["before_mb"]}
        else:
            table[who]["status"] = heard["status"]
            workers.pop(who).close()
    for turn in range(runs):
        for who in sorted(workers, reverse=bool(turn % 2), key=list(workers).index):
            worker = workers[who]
            if table[who]["status"] != "ok" or sum(worker.times) > spend:
                continue
            heard = worker.ask("run", limit)
            if "seconds" in heard:
                worker.times.append(heard["seconds"])
                worker.used.append(heard["processor"])
                worker.last = heard
            else:
                table[who]["status"] = heard["status"]
    for who, worker in workers.items():
        if table[who]["status"] == "ok":
            times = worker.times
            table[who] |= {
                "runs": len(times), "seconds": statistics.median(times), "fastest": min(times), "slowest": max(times),
                "processor": statistics.median(worker.used), "note": worker.ask("end", limit).get("note", ""),
                "peak_mb": worker.last["peak_mb"], "value": worker.last["value"],
            }  # fmt: skip
        worker.close()


def reference_value(module, case, rows, limit, memory):
    """The right number of a case, from a process of its own; None where there is none."""
    if case.reference == "lowest":
        return None
    worker = Worker(module, case.name, "reference", rows, memory)
    heard = worker.hear(limit + 60)
    worker.close()
    return heard.get("value")


def growth(table, case):
    """{contestant: (exponent, standard error, sizes)} of seconds ~ rows ** exponent, a line through the medians."""
    import numpy as np

    found = {}
    for who in dict.fromkeys(row["contestant"] for row in table if row["case"] == case):
        rows = [r for r in table if r["case"] == case and r["contestant"] == who and r["status"] == "ok"]
        if len(rows) < 3:
            continue
        x, y = (np.log([row[name] for row in rows]) for name in ("rows", "seconds"))
        x = x - x.mean()
        slope = x @ y / (x @ x)
        rest = y - y.mean() - slope * x
        found[who] = float(slope), float(np.sqrt(rest @ rest / (x.size - 2) / (x @ x))), x.size
    return found


def machine():
    """What the numbers depend on, as one line."""
    threads = os.environ.get("OMP_NUM_THREADS")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{datetime.date.today()}; {os.cpu_count()} cores ({processor()}), {memory:.0f} GB of memory, "
        f"{platform.system()}; Python {platform.python_version()}"
        + "".join(f", {name} {importlib.metadata.version(name)}" for name in ("numpy", "scipy", "scikit-learn"))
        + (f"; OMP_NUM_THREADS={threads}" if threads else "")
    )


def processor():
    """The processor's name, as far as it is known."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def options(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, about a minute; the site stays as it is")
    parser.add_argument("--only", nargs="+", metavar="CASE", help="these cases only; the site stays as it is")
    parser.add_argument("--rows", type=int, nargs="+", help="these sizes only, for the cases of growth")
    parser.add_argument("--runs", type=int, help="runs of each contestant (default 5, quick 3)")
    parser.add_argument(
        "--limit", type=float, default=45, help="seconds after which one call is ended (ten million rows: times six)"
    )
    parser.add_argument("--spend", type=float, help="seconds after which no further run starts (default 20, quick 10)")
    parser.add_argument("--memory", type=float, default=12, help="GB of address space for one contestant")
    parser.add_argument(
        "--python", nargs="+", default=[], metavar="PACKAGE=PATH", help="interpreters of peers that live elsewhere"
    )
    parser.add_argument("--page", action="store_true", help="measure nothing: the page anew from the last full run")
    parser.add_argument("--module", default="cases", help=argparse.SUPPRESS)
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "bench", help="folder of table and figure")
    return parser.parse_args(arguments)


def main(arguments=None):
    """Command line; returns the exit status."""
    given = options(arguments)
    module = importlib.import_module(given.module)
    unknown = set(given.only or ()) - set(module.CASES)
    if unknown:
        print(f"no such case: {', '.join(sorted(unknown))}; there are {', '.join(module.CASES)}", file=sys.stderr)
        return 2
    import report

    PYTHONS.update(pair.split("=", 1) for pair in given.python)
    full = not (given.quick or given.only or given.rows)
    if given.page:
        table, about = read(given.output / "results.csv"), (given.output / "machine.txt").read_text(encoding="utf-8")
        exponents = {name: growth(table, name) for name, case in module.CASES.items() if case.growth}
        report.write(given.output, table, exponents, module.CASES, about, quick=False, complete=True)
        report.publish(given.output, ROOT)
        return 0
    start, table, exponents = time.monotonic(), [], {}
    for name in given.only or module.CASES:
        case, failed = module.CASES[name], set()
        sizes = given.rows if given.rows and case.growth else case.quick if given.quick else case.full
        for rows in sizes:
            limits = {"limit": given.limit, "spend": given.spend or (10 if given.quick else 20), "memory": given.memory}
            fresh = measure(
                given.module, case, rows, runs=given.runs or (3 if given.quick else 5), skip=failed, **limits
            )
            failed |= {row["contestant"] for row in fresh if row["status"] not in ("ok", "not installed")}
            for row in fresh:
                print(line_of(row), flush=True)
            table += fresh
        if case.growth:
            exponents[name] = growth(table, name)
            for who, (slope, error, count) in exponents[name].items():
                print(
                    f"{name}: {who}: seconds ~ rows^{slope:.2f} (standard error {error:.2f}, {count} sizes)", flush=True
                )
    given.output.mkdir(parents=True, exist_ok=True)
    with (given.output / "results.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(table)
    (given.output / "machine.txt").write_text(machine(), encoding="utf-8")
    report.write(given.output, table, exponents, module.CASES, machine(), quick=given.quick, complete=full)
    print(f"{time.monotonic() - start:.0f} s; written to {given.output}")
    if full:
        report.publish(given.output, ROOT)
        print("the site's page of measurements is new: site/benchmarks.md, site/_static/benchmarks.png")
    return 0


def read(path):
    """The rows of a table that was written, numbers as numbers."""
    text = {"case", "contestant", "package", "version", "status", "note"}
    whole = {"rows", "runs"}
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        for name in row.keys() - text:
            row[name] = row[name] and (int if name in whole else float)(row[name])
    return rows


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
