"""Which wrong formulas do the tests notice, and which the claims? `make mutations`, an hour at most on two cores.

    make mutations ARGS='--module helpers.grouping --each 10 --seed 1'   # ten of a room or a module
    make mutations ARGS=--claims                                        # asked of the checks of the lessons

Of each room some mutants (mutants.py) are drawn with a seed, one of each of its modules in turn. The tests of the room
run, those of the mutant's module first, until one fails; those marked slow with --slow only. With --claims mutants are
drawn from the functions that a notebook of checks imports, on lines that it runs, but for checks of bad input and
default values; noticed is what a claim notices, of this notebook or of another one that imports the function.

Each run is a process of its own, on Linux the fork of one that has imported the libraries. It imports `helpers` with
the wrong formula through an import hook, so no file is ever changed. Every result is a line of
build/mutations/results.csv, written at once. equivalent_mutants.csv argues for those that no test can tell.

Why not a maintained tool: mutmut 3 has no operators of one's own and leaves what stands outside functions alone;
cosmic-ray writes each mutant to disk and starts the tests anew: four seconds of imports a mutant. Neither samples by a
seed nor runs notebooks.
"""

import argparse
import ast
import csv
import importlib.machinery
import importlib.util
import io
import multiprocessing
import os
import sys
import time
from collections import defaultdict
from contextlib import redirect_stderr, redirect_stdout
from itertools import islice
from multiprocessing.pool import ThreadPool
from pathlib import Path

import pytest
from coverage import Coverage
from tqdm.auto import tqdm

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from mutants import module_of, sample  # noqa: E402

OUTPUT = ROOT / "build" / "mutations"
KEY = ["asked", "module", "place", "function", "operator", "before", "after"]
FIELDS = [*KEY, "verdict", "noticed_by"]
ROOMS = "papers grouping audit practice.repair decisions selective answers routing calibration".split()
WITH_CLAIMS = [*ROOMS, "scoring", "binning", "partition"]
PATIENCE = 4  # a run may take so many times what it takes with nothing wrong, and START seconds more
START = 20
LIBRARIES = "pytest hypothesis pandas scipy.stats sklearn.ensemble statsmodels.api matplotlib.pyplot nbformat IPython"
PROCESSES = multiprocessing.get_context("forkserver" if sys.platform == "linux" else "spawn")


# ---- one run: a process with one wrong formula -----------------------------------------------------------------


def answer_of(target, *arguments, seconds=None):
    """What a process sends that runs target(answers, *arguments); None if it dies or takes more than some seconds."""
    mine, theirs = PROCESSES.Pipe(duplex=False)
    process = PROCESSES.Process(target=target, args=(theirs, *arguments))
    process.start()
    theirs.close()
    try:
        return mine.recv() if mine.poll(seconds) else None
    except EOFError:
        return None
    finally:
        process.kill()
        process.join()


class WrongLoader(importlib.machinery.SourceFileLoader):
    """Loads one module from a text in place of its file."""

    def __init__(self, mutant):
        super().__init__(mutant.module, str(ROOT / mutant.file))
        self.wrong = mutant.source()

    def get_code(self, fullname):
        return compile(self.wrong, self.path, "exec", dont_inherit=True)

    def find_spec(self, fullname, path=None, target=None):
        """As an entry of sys.meta_path: only this module is found here."""
        if fullname != self.name:
            return None
        return importlib.util.spec_from_file_location(fullname, self.path, loader=self)


def use(mutant):
    """Let `helpers` be imported from here, with a mutant or as it is (None)."""
    for name in [name for name in sys.modules if name.split(".")[0] == "helpers"]:
        del sys.modules[name]  # whoever else asked the fork server for processes may have had it imported there
    sys.path.insert(0, str(ROOT))
    if mutant is not None:
        sys.meta_path.insert(0, WrongLoader(mutant))


class ModuleFirst:
    """A plugin of pytest: the tests of the mutant's module come first, slow ones last; no example is made smaller."""

    def __init__(self, mutant):
        path = Path(mutant.file) if mutant else Path()
        self.own = (path.name, f"test_{path.name}")

    def pytest_sessionstart(self):
        from hypothesis import Phase, settings

        settings.register_profile("mutants", settings.default, phases=(Phase.explicit, Phase.generate))
        settings.load_profile("mutants")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        items.sort(key=lambda item: (item.get_closest_marker("slow") is not None, item.path.name not in self.own))

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed = report.nodeid


def be_tests(answers, mutant, arguments):
    """What the process of a run of pytest does: it sends its exit status and the last test that failed."""
    use(mutant)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.chdir(ROOT)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for number in (1, 2):
        os.dup2(nowhere, number)
    options = ["-p", "no:cacheprovider", "-q", "--tb=no", "--maxfail=1", "--assert=plain"]  # its importer precedes ours
    plugin = ModuleFirst(mutant)
    status = pytest.main([*options, *arguments], plugins=[plugin])
    answers.send((int(status), getattr(plugin, "failed", "collection")))


def code_of(path):
    """Sources of the code cells of a notebook."""
    import nbformat

    return tuple(cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code")


def listen(path):
    """(first claim that fails, first other error) of the cells of a notebook in a shell of IPython without a kernel."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    shell = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    error = ""
    for cell in code_of(path):
        result = shell.run_cell(cell, store_history=True)
        raised = result.error_before_exec or result.error_in_exec
        if type(raised).__name__ == "ClaimFailed":
            return str(raised).split()[0], error
        if raised is not None and not error:
            error = f"{type(raised).__name__}: {raised}"
    return "", error


def be_notebook(answers, mutant, path):
    """What the process of a notebook does: it sends (first claim that failed, other error, lines of the package)."""
    use(mutant)
    os.chdir(path.parent)
    watching = None
    if mutant is None:
        watching = Coverage(data_file=None, config_file=False, source=[str(ROOT / "helpers")], messages=False)
        watching.start()
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        failed, error = listen(path)
    ran = set()
    if watching:
        watching.stop()
        data = watching.get_data()
        ran = {(str(Path(file).relative_to(ROOT)), line) for file in data.measured_files() for line in data.lines(file)}
    answers.send((failed, error, ran))


# ---- who is asked: the tests of a room, or a notebook of checks ------------------------------------------------


class Room:
    """The unit tests of a room: the folder or file of its name, and the examples of its docstrings."""

    def __init__(self, name, files, slow=False):
        self.name = name
        self.files = files
        place = name.replace(".", "/")
        folder, _, last = f"tests/{place}".rpartition("/")
        places = [f"tests/{place}", f"{folder}/test_{last}.py", f"helpers/{place}", f"helpers/{place}.py"]
        places = [place for place in places if (ROOT / place).exists()]
        self.arguments = places if slow else [*places, "-m", "not slow and not nightly"]
        begin = time.monotonic()
        status, failed = answer_of(be_tests, None, self.arguments) or (-1, "nothing")
        if status != 0:
            raise RuntimeError(f"The tests of {name} must pass before a formula is made wrong, but {failed} failed.")
        self.seconds = START + PATIENCE * (time.monotonic() - begin)

    def draw(self, seed):
        """Mutants of the room in an order drawn with the seed."""
        return sample(self.files, seed)

    def ask(self, mutant):
        """('killed', 'timeout' or 'survived', the test that failed)."""
        answer = answer_of(be_tests, mutant, self.arguments, seconds=self.seconds)
        if answer is None:
            return "timeout", ""
        status, failed = answer
        return ("survived", "") if status == 0 else ("killed", failed)


class Checks:
    """The claims of a notebook of checks."""

    def __init__(self, path, files):
        self.name = f"checks/{path.stem[:2]}"
        self.path = path
        self.others = []
        trees = [ast.parse(cell) for cell in code_of(path)]
        imports = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        self.names = {(room_of(node.module), alias.name) for node in imports for alias in node.names}
        self.files = [file for file in files if any(room == room_of(module_of(file)) for room, _ in self.names)]
        begin = time.monotonic()
        failed, error, self.ran = answer_of(be_notebook, None, path) or ("", "it died", set())
        if failed or error:
            raise RuntimeError(f"{path} must run before a formula is made wrong, but: {failed or error}")
        self.seconds = START + PATIENCE * (time.monotonic() - begin)

    def is_about(self, mutant):
        """Whether the mutant is a wrong formula of a function that the notebook imports, on a line that it runs."""
        name = room_of(mutant.module), mutant.function.split(".")[0]
        return (
            mutant.operator not in ("check", "default")
            and name in self.names
            and (mutant.file, int(mutant.place.split(":")[0])) in self.ran
        )

    def draw(self, seed):
        """Mutants of the functions that the notebook imports, in an order drawn with the seed."""
        return filter(self.is_about, sample(self.files, seed))

    def ask(self, mutant):
        """('noticed', 'crash', 'timeout' or 'unnoticed', the claim that failed or the error)."""
        verdict = "unnoticed", ""
        for checks in [self, *(other for other in self.others if other is not self and other.is_about(mutant))]:
            answer = answer_of(be_notebook, mutant, checks.path, seconds=checks.seconds)
            failed, error, _ = answer or ("", "timeout", ())
            if failed:
                return "noticed", failed
            if error and verdict[0] == "unnoticed":
                verdict = "timeout" if error == "timeout" else "crash", error
        return verdict


# ---- results ---------------------------------------------------------------------------------------------------


def read_equivalent():
    """Mutants that are argued to be as good as the original, wherever their line stands now."""
    with (ROOT / "tests" / "equivalent_mutants.csv").open(encoding="utf-8", newline="") as file:
        return {(row["module"], row["function"], row["before"], row["after"]) for row in csv.DictReader(file)}


def report(rows):
    """Counts by module and by who was asked, and those that nobody noticed; a crash or a timeout is no answer."""
    equivalent = read_equivalent()
    groups = defaultdict(list)
    for row in rows:
        groups[row["asked"], row["module"]].append(row)
        groups[row["asked"], "(all)"].append(row)
    names = ["mutants", "noticed", "crash", "timeout", "equivalent", "survived"]
    lines = [f"{'asked':18}{'module':36}" + "".join(f"{name:>11}" for name in names) + "   share"]
    survivors = []
    for (asked, module), group in sorted(groups.items()):
        verdicts = [row["verdict"] for row in group]
        left = [row for row in group if row["verdict"] in ("survived", "unnoticed")]
        argued = [row for row in left if (row["module"], row["function"], row["before"], row["after"]) in equivalent]
        noticed = verdicts.count("killed") + verdicts.count("noticed")
        crashes, timeouts = verdicts.count("crash"), verdicts.count("timeout")
        counts = [len(group), noticed, crashes, timeouts, len(argued), len(left) - len(argued)]
        share = noticed / max(len(group) - crashes - timeouts - len(argued), 1)
        lines.append(f"{asked:18}{module:36}" + "".join(f"{count:>11}" for count in counts) + f"{share:>8.0%}")
        survivors += [row for row in left if row not in argued and module != "(all)"]
    for row in survivors:
        file = row["module"].replace(".", "/") + ".py"
        lines += ["", f"{file}:{row['place']} in {row['function']} ({row['operator']}; asked: {row['asked']})"]
        lines += [f"  - {row['before']}", f"  + {row['after']}"]
    return "\n".join(lines) + "\n"


def room_of(module):
    """The room of a module of the package: grouping, scoring, practice.repair; "" of another package."""
    package, *names = module.split(".")
    return ".".join(names[: 2 if names[:1] == ["practice"] else 1]) if package == "helpers" else ""


def files_of(modules):
    """The files of rooms and modules that are named as in an import; unknown ones are refused."""
    files = []
    for module in modules:
        place = ROOT / module.replace(".", "/")
        paths = sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]
        if not paths[0].exists():
            raise SystemExit(f"--module must name a room or a module such as helpers.grouping, but got {module}")
        files += [str(path.relative_to(ROOT)) for path in paths]
    return files


def answer(mutant, judge):
    """The row of a mutant."""
    values = [judge.name, mutant.module, mutant.place, mutant.function, mutant.operator, mutant.before, mutant.after]
    return dict(zip(FIELDS, [*values, *judge.ask(mutant)], strict=True))


def parsed_options():
    """What was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--claims", action="store_true", help="ask notebooks of checks in place of unit tests")
    parser.add_argument("--module", nargs="+", help="rooms or modules, such as helpers.grouping")
    parser.add_argument("--notebook", nargs="+", default=[""], help="with --claims: the numbers of lessons, such as 03")
    parser.add_argument("--each", type=int, default=20, help="mutants of each room or notebook")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--slow", action="store_true", help="also tests that are marked slow")
    parser.add_argument("--minutes", type=float, default=60.0, help="a mutant that has begun is finished")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time")
    return parser.parse_args()


def judges_of(options, pool):
    """Who is asked, each once with nothing wrong."""
    rooms = WITH_CLAIMS if options.claims else ROOMS
    files = files_of(options.module or [f"helpers.{room}" for room in rooms])
    if not options.claims:
        by_room = defaultdict(list)
        for file in files:
            by_room[room_of(module_of(file))].append(file)
        return pool.map(lambda room: Room(room, by_room[room], options.slow), by_room, chunksize=1)
    folder = ROOT / "notebooks" / "checks"
    paths = sorted(path for number in options.notebook for path in folder.glob(f"{number}*.ipynb"))
    if not paths:
        raise SystemExit(f"no notebook of checks begins with {' or '.join(options.notebook)}")
    checks = pool.map(lambda path: Checks(path, files), paths, chunksize=1)
    for one in checks:
        one.others = checks
    return checks


def drawn_once(judges, seed, each):
    """Pairs (mutant, judge): some of each judge in its order, but none that another one has drawn before."""
    drawn = {}
    for judge in judges:
        fresh = (mutant for mutant in judge.draw(seed) if mutant not in drawn)
        drawn |= {mutant: judge for mutant in islice(fresh, each)}
    return list(drawn.items())


def main():
    """Ask until the time is over and write what was found."""
    options = parsed_options()
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    PROCESSES.set_forkserver_preload(LIBRARIES.split())
    OUTPUT.mkdir(parents=True, exist_ok=True)
    rows = []
    with (OUTPUT / "results.csv").open("w", encoding="utf-8", newline="") as file, ThreadPool(options.jobs) as pool:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        try:
            try:
                judges = judges_of(options, pool)
            except RuntimeError as error:  # a SystemExit would end its thread, and the pool would wait for ever
                sys.exit(str(error))
            end = time.monotonic() + 60 * options.minutes
            tasks = drawn_once(judges, options.seed, options.each)
            answers = pool.imap(lambda task: time.monotonic() < end and answer(*task), tasks)
            for row in tqdm(answers, total=len(tasks), desc="mutants"):
                if not row:
                    break
                rows.append(row)
                writer.writerow(row)
                file.flush()
        except KeyboardInterrupt:
            sys.stderr.write("\nstopped\n")
    text = report(rows)
    (OUTPUT / "report.txt").write_text(text, encoding="utf-8")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
