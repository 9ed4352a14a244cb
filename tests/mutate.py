"""Which wrong formulas do the tests notice, and which the claims? `make mutations`, an hour at most on two cores.

    make mutations ARGS='--module helpers.grouping --minutes 10 --seed 1'   # a room or a module, for so long
    make mutations ARGS='--module helpers.answers --claims all'             # whatever unit tests say, ask the claims

Mutants (mutants.py) are drawn with a seed, one of each module in turn. For each, the unit tests that run its function
run, the quickest first, until one fails; then, for survivors, the notebooks with claims that run it, until a claim
fails. Which tests and notebooks run a function is watched once, with nothing wrong. A run is a fork of a process that
has imported the libraries (forks.py); it imports `helpers` with the wrong formula through an import hook, so no file
is ever changed. Every result is a line of build/mutations/results.csv, written at once: the next call goes on, skipping
mutants that were killed and, while the tests are the same, survivors. build/mutations/report.txt has the counts by
module and the survivors; equivalent_mutants.csv argues for those that no test can tell.

Why not a maintained tool: mutmut 3 has no operators of one's own and leaves what stands outside functions alone;
cosmic-ray has such operators, but writes each mutant to disk and starts the test command anew, without choosing tests:
four seconds of imports a mutant. Neither samples by a seed nor runs notebooks.
"""

import argparse
import csv
import hashlib
import importlib.machinery
import importlib.util
import io
import os
import pickle
import sys
import threading
import time
from collections import defaultdict
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from multiprocessing.pool import ThreadPool
from pathlib import Path

import pytest
from coverage import Coverage
from tqdm.auto import tqdm

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "notebook")]

from forks import SERVER, begin_fork  # noqa: E402
from mutants import sample  # noqa: E402

OUTPUT = ROOT / "build" / "mutations"
FIELDS = ["module", "line", "function", "operator", "before", "after", "tests", "claims", "named", "source", "suite"]
KEY = ["module", "line", "function", "operator", "before", "after"]
ROOMS = "grouping audit repair decisions selective answers routing calibration".split()
TEST_SECONDS = 90  # of the quickest tests that call a function; slower ones are left out
PATIENCE = 5  # a run may take so many times what it takes with nothing wrong, and START seconds more
START = 20


# ---- one run: a fork with one wrong formula --------------------------------------------------------------------


class WrongLoader(importlib.machinery.SourceFileLoader):
    """Loads one module from a text in place of its file."""

    def __init__(self, mutant):
        super().__init__(mutant.module, str(ROOT / mutant.file))
        self.wrong = mutant.source()

    def get_code(self, fullname):
        return compile(self.wrong, self.path, "exec", dont_inherit=True)

    def find_spec(self, fullname, path=None, target=None):
        """As an entry of sys.meta_path: only this module is found here."""
        return (
            importlib.util.spec_from_file_location(fullname, self.path, loader=self) if fullname == self.name else None
        )


def use(mutant):
    """Forget the package that the fork has imported, so that it is imported from here, with a mutant or as it is."""
    for name in [name for name in sys.modules if name.split(".")[0] == "helpers"]:
        del sys.modules[name]
    sys.path.insert(0, str(ROOT))
    os.environ |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    if mutant is not None:
        sys.meta_path.insert(0, WrongLoader(mutant))


class WatchTests:
    """A plugin of pytest: which lines of the package each test runs, what it takes, and which failed.

    What a file runs while it is collected, or a fixture that several tests share, is run by each of them.
    """

    def __init__(self):
        self.seconds = {}
        self.failed = []
        self.shared = defaultdict(set)

    def pytest_sessionstart(self):
        self.coverage = watch()

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector):
        self.coverage.switch_context(f"file {collector.nodeid.split('::')[0]}")
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef, request):
        if fixturedef.scope == "function":
            return (yield)
        name = f"fixture {fixturedef.baseid} {fixturedef.argname}"
        self.coverage.switch_context(name)
        value = yield
        self.coverage.switch_context(self.running)
        return value

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        self.running = item.nodeid
        self.coverage.switch_context(item.nodeid)
        for name in getattr(item, "fixturenames", []):
            self.shared[f"fixture {item.nodeid.split('::')[0]} {name}"].add(item.nodeid)
        self.shared[f"file {item.nodeid.split('::')[0]}"].add(item.nodeid)
        begin = time.perf_counter()
        done = yield
        self.seconds[item.nodeid] = time.perf_counter() - begin
        return done

    def pytest_runtest_logreport(self, report):
        self.failed += [report.nodeid] if report.failed else []

    def answer(self):
        """(for each file and line the tests that run it, seconds of each test, tests that failed)."""
        self.coverage.stop()
        data = self.coverage.get_data()
        ran = {}
        for path in data.measured_files():
            lines = data.contexts_by_lineno(path)
            file = str(Path(path).relative_to(ROOT))
            for line, contexts in lines.items():
                ran[file, line] = set().union(*(self.shared.get(name, {name}) for name in contexts)) & set(self.seconds)
        return ran, self.seconds, self.failed


def watch():
    """A coverage of the package that has begun, and is kept in no file."""
    watching = Coverage(data_file=None, config_file=False, source=[str(ROOT / "helpers")], messages=False)
    watching.start()
    return watching


class Chosen:
    """A plugin of pytest: some tests, in an order."""

    def __init__(self, tests):
        self.place = {test: k for k, test in enumerate(tests)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        items[:] = sorted((item for item in items if item.nodeid in self.place), key=lambda i: self.place[i.nodeid])


class Unshrunk:
    """A plugin of pytest: an example of hypothesis that fails is not made smaller."""

    def pytest_sessionstart(self):
        from hypothesis import Phase, settings

        phases = (Phase.explicit, Phase.generate)
        settings.register_profile("mutants", settings.default, phases=phases, deadline=None, derandomize=True)
        settings.load_profile("mutants")


def be_tests(orders, mutant, arguments, plugin):
    """What the process of a run of pytest does: it sends its exit status and what the plugin has to say."""
    begin_fork()
    os.chdir(ROOT)
    use(mutant)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for number in (1, 2):
        os.dup2(nowhere, number)
    options = ["-p", "no:cacheprovider", "-q", "--tb=no", "--assert=plain"]  # pytest's importer would come before ours
    options.append("--maxfail=1" if mutant else "--maxfail=99")
    status = pytest.main([*options, *arguments], plugins=[plugin, Unshrunk()])
    orders.send((int(status), plugin.answer() if hasattr(plugin, "answer") else None))


def run_fork(target, *arguments, seconds=1e6):
    """What a process sends; None if it does not within some seconds, or dies."""
    mine, theirs = SERVER.Pipe(duplex=False)
    process = SERVER.Process(target=target, args=(theirs, *arguments))
    process.start()
    theirs.close()
    try:
        return mine.recv() if mine.poll(seconds) else None
    except EOFError:
        return None
    finally:
        process.kill()
        process.join()


# ---- unit tests ------------------------------------------------------------------------------------------------


def room_of(file):
    """The room of a file of the package: grouping, scoring."""
    return Path(file).parts[1].removesuffix(".py")


def tests_of(room):
    """The files whose tests are a room's: the folder or file of its name, and the examples of its docstrings."""
    places = [ROOT / "tests" / room, ROOT / "tests" / f"test_{room}.py", ROOT / "helpers" / room]
    places += [ROOT / "helpers" / f"{room}.py"]
    return [str(place.relative_to(ROOT)) for place in places if place.exists()]


def fingerprint(places):
    """A short hash of files, or of all Python files and notebooks in folders."""
    paths = []
    for place in map(ROOT.joinpath, places):
        paths += [place] if place.is_file() else sorted([*place.rglob("*.py"), *place.rglob("*.ipynb")])
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in paths)).hexdigest()[:12]


class Suite:
    """The unit tests of a room, watched once."""

    def __init__(self, room):
        places = tests_of(room)
        self.mark = fingerprint(places[:1])
        kept = OUTPUT / f"watched_{room}_{fingerprint([*places, 'helpers'])}.pickle"
        if kept.exists():
            self.ran, self.seconds = pickle.loads(kept.read_bytes())
            return
        status, answer = run_fork(be_tests, None, places, WatchTests()) or (None, None)
        if status != 0:
            raise SystemExit(f"The tests of {room} must pass before a formula is made wrong: {answer and answer[2]}")
        self.ran, self.seconds, _ = answer
        for old in OUTPUT.glob(f"watched_{room}_*"):
            old.unlink()
        OUTPUT.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(pickle.dumps((self.ran, self.seconds)))

    def choose(self, mutant):
        """The tests that run a line of the mutant's function, the quickest first; all if it stands in none."""
        tests = set().union(*(self.ran.get((mutant.file, line), ()) for line in range(*mutant.lines)))
        if mutant.lines == (0, 0):
            tests = set(self.seconds)
        chosen = []
        total = 0.0
        for test in sorted(tests, key=lambda test: (self.seconds[test], test)):
            total += self.seconds[test]
            if total < TEST_SECONDS or not chosen:
                chosen.append(test)
        return chosen, min(total, TEST_SECONDS)

    def ask(self, mutant):
        """'killed', 'time' if the run does not end, 'survived', or 'no test' if none calls the function."""
        tests, seconds = self.choose(mutant)
        if not tests:
            return "no test"
        files = list(dict.fromkeys(test.split("::")[0] for test in tests))
        found = run_fork(be_tests, mutant, files, Chosen(tests), seconds=START + PATIENCE * seconds)
        if found is None:
            return "time"
        return "survived" if found[0] == 0 else "killed"


# ---- claims ----------------------------------------------------------------------------------------------------


def be_notebook(orders, mutant, path):
    """What the process of a notebook does: it sends (first claim that failed or '', seconds, which lines it ran)."""
    from second_runs import code_of, run_cells, with_second_parameters

    begin_fork()
    use(mutant)
    os.chdir(path.parent)
    cells = with_second_parameters(code_of(path), path)
    begin = time.perf_counter()
    watching = watch() if mutant is None else None
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        failed, _ = run_cells(cells, stop=mutant is not None)
    seconds = time.perf_counter() - begin
    ran = set()
    if watching:
        watching.stop()
        data = watching.get_data()
        ran = {(str(Path(file).relative_to(ROOT)), line) for file in data.measured_files() for line in data.lines(file)}
    orders.send((min(failed, default=""), seconds, ran))


class Claims:
    """The notebooks with claims, watched once."""

    def __init__(self, jobs):
        from second_runs import code_of

        paths = sorted((ROOT / "notebooks").rglob("[01]*.ipynb"))
        self.codes = {path: "\n".join(code_of(path)) for path in paths if "claim(" in "\n".join(code_of(path))}
        self.mark = fingerprint(["notebooks"])
        with ThreadPool(jobs) as pool:
            found = pool.imap(partial(run_fork, be_notebook, None), self.codes)
            bar = tqdm(found, total=len(self.codes), desc="notebooks with nothing wrong")
            self.seen = {path: answer for path, answer in zip(self.codes, bar, strict=True) if answer}

    def named_in(self, mutant):
        """The notebooks whose cells name the function of a mutant, or its class."""
        names = [name for name in mutant.function.split(".") if name != "<locals>" and not name.startswith("__")]
        return [path for path, code in self.codes.items() if any(f"{name}(" in code for name in names)]

    def ask(self, mutant):
        """The first claim that fails, 'survived', or 'no claim' if no notebook with claims calls the function."""
        lines = {(mutant.file, line) for line in range(*mutant.lines)}
        paths = [path for path, (_, _, ran) in self.seen.items() if ran & lines]
        for path in sorted(paths, key=lambda path: self.seen[path][1]):
            found = run_fork(be_notebook, mutant, path, seconds=START + PATIENCE * self.seen[path][1])
            if found and found[0]:
                return found[0]
        return "survived" if paths else "no claim"


# ---- results ---------------------------------------------------------------------------------------------------


def read_results():
    """The rows of earlier calls, the last one of each mutant."""
    path = OUTPUT / "results.csv"
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        return {tuple(row[name] for name in KEY): row for row in csv.DictReader(file)}


def read_equivalent():
    """Mutants that are argued to be as good as the original, wherever their line stands now."""
    with (ROOT / "tests" / "equivalent_mutants.csv").open(encoding="utf-8", newline="") as file:
        return {(row["module"], row["function"], row["before"], row["after"]) for row in csv.DictReader(file)}


def is_killed(row):
    """(by unit tests, by claims)."""
    return row["tests"] in ("killed", "time"), row["claims"] not in ("", "survived", "no claim")


def share(part, whole):
    """As "18 of 20"."""
    return f"{part} of {whole}"


def report(rows):
    """The counts by module and room, and the survivors, as text."""
    equivalent = read_equivalent()
    lines = [
        f"{'module':40}{'mutants':>8}{'unit tests':>12}{'claims':>8}{'equivalent':>12}{'survived':>10}{'killed':>8}"
    ]
    survivors = []
    groups = defaultdict(list)
    for row in rows:
        groups[row["module"]].append(row)
        groups[".".join(row["module"].split(".")[:2]) + " (all)"].append(row)
    for name, group in sorted(groups.items(), key=lambda pair: pair[0].replace(" (all)", ".~")):
        by_tests = sum(is_killed(row)[0] for row in group)
        by_claims = sum(is_killed(row)[1] and not is_killed(row)[0] for row in group)
        left = [row for row in group if not any(is_killed(row))]
        argued = [row for row in left if tuple(row[k] for k in ("module", "function", "before", "after")) in equivalent]
        counted = max(len(group) - len(argued), 1)
        numbers = f"{len(group):>8}{by_tests:>12}{by_claims:>8}{len(argued):>12}{len(left) - len(argued):>10}"
        lines.append(f"{name:40}{numbers}{100 * (by_tests + by_claims) / counted:>7.0f}%")
        if not name.endswith("(all)"):
            survivors += [row for row in left if row not in argued]
    asked = [row for row in rows if row["named"] and row["claims"]]
    noticed = sum(is_killed(row)[1] for row in asked)
    lines += [
        "",
        f"in functions that a notebook with claims names, a claim was asked of {len(asked)} and noticed {noticed}",
    ]
    for row in survivors:
        file = row["module"].replace(".", "/") + ".py"
        lines += ["", f"{file}:{row['line']} in {row['function']} ({row['operator']}; {row['tests']}; {row['claims']})"]
        lines += [f"  - {row['before']}", f"  + {row['after']}"]
    return "\n".join(lines) + "\n"


def files_of(modules):
    """The files of rooms and modules that are named as in an import; unknown ones are refused."""
    files = []
    for module in modules:
        place = ROOT / module.replace(".", "/")
        found = sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]
        if not found[0].exists():
            raise SystemExit(
                f"--module must name a room or a module such as helpers.grouping, but there is no {module}"
            )
        files += [str(path.relative_to(ROOT)) for path in found]
    return files


def main():
    """Run mutants until the time is over and write what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--module", nargs="+", default=[f"helpers.{room}" for room in ROOMS], help="rooms or modules")
    parser.add_argument("--minutes", type=float, default=60.0, help="a mutant that has begun is finished")
    parser.add_argument("--most", type=int, default=10**6, help="mutants at most")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--claims", choices=["survivors", "all", "none"], default="survivors", help="which to ask")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time")
    options = parser.parse_args()
    end = time.monotonic() + 60 * options.minutes
    files = files_of(options.module)
    OUTPUT.mkdir(parents=True, exist_ok=True)
    tqdm.set_lock(threading.RLock())
    rooms = sorted(set(map(room_of, files)))
    with ThreadPool(options.jobs) as pool:
        watched = tqdm(pool.imap(Suite, rooms), total=len(rooms), desc="tests with nothing wrong")
        suites = dict(zip(rooms, watched, strict=True))
    end = time.monotonic() + 60 * options.minutes
    claims = Claims(options.jobs) if options.claims != "none" else None
    done = read_results()
    marks = {file: fingerprint([file]) for file in files}
    mine = []

    def ask(mutant):
        """The row of a mutant: an earlier one if nothing has changed since, None if the time is over."""
        row = dict(
            zip(
                KEY,
                [mutant.module, str(mutant.line), mutant.function, mutant.operator, mutant.before, mutant.after],
                strict=True,
            )
        )
        suite = suites[room_of(mutant.file)]
        mark = suite.mark + (claims.mark if claims else "")
        old = done.get(tuple(row.values()))
        if old and old["source"] == marks[mutant.file] and (any(is_killed(old)) or old["suite"] == mark):
            if options.claims != "all" or old["claims"]:
                return old, False
        if time.monotonic() > end:
            return None, False
        row |= {"tests": suite.ask(mutant), "claims": "", "named": "", "source": marks[mutant.file], "suite": mark}
        if claims:
            row["named"] = "yes" if claims.named_in(mutant) else ""
            if options.claims == "all" and row["named"] or row["tests"] not in ("killed", "time"):
                row["claims"] = claims.ask(mutant)
        return row, True

    chosen = [mutant for _, mutant in zip(range(options.most), sample(files, options.seed), strict=False)]
    new_file = not (OUTPUT / "results.csv").exists()
    with (OUTPUT / "results.csv").open("a", encoding="utf-8", newline="") as file, ThreadPool(options.jobs) as pool:
        writer = csv.DictWriter(file, FIELDS)
        if new_file:
            writer.writeheader()
        try:
            for row, is_new in tqdm(pool.imap(ask, chosen), total=len(chosen), desc="mutants"):
                if row is None:
                    break
                mine.append(row)
                if is_new:
                    writer.writerow(row)
                    file.flush()
        except KeyboardInterrupt:
            sys.stderr.write("\nstopped; the next call goes on from here\n")
    text = report(mine)
    (OUTPUT / "report.txt").write_text(text, encoding="utf-8")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
