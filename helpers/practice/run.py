"""Run a notebook with other parameters: ``python -m helpers.practice.run NOTEBOOK -p NAME VALUE ... --output FOLDER``.

Papermill executes, nbconvert makes the page, joblib runs a grid. What stands here: which folder a run gets, when it is
not done again, and the table of what `record` and `claim` kept.

A run's folder holds the executed notebook, a page for readers, the files that the notebook leaves there and, written
last, metrics.json. It also holds a digest of what the result depends on: the notebook's cells, the parameters, the
files that they name, this package, its data and the libraries it names. A run whose digest is there already is not
done again. While it works, a run writes into NOTEBOOK.unfinished, and moves its files up when all are there: one that
failed or was killed has changed nothing else, and starts anew.

Another backend of joblib runs a grid elsewhere: `main` under ``parallel_config("dask")`` on a cluster whose machines
share the folders (README).
"""

import argparse
import ast
import functools
import glob
import hashlib
import itertools
import json
import os
import re
import shutil
import signal
import sys
import time
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from helpers import __version__, _files
from helpers._progress import TOLD
from helpers.checks import find_secret, nearest_name
from helpers.notebook.claims import recorded_claims
from helpers.notebook.display import KEY
from helpers.notebook.guard import OUTPUT
from helpers.notebook.page import check_stack, is_report, title_of, to_html
from helpers.practice.parameter_values import from_text, shown, type_problem, type_word

LIBRARIES = ("numpy", "scipy", "pandas", "scikit-learn", "matplotlib")

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")

TABLE = "metrics.csv"  # of a grid

OTHER_NUMBERS = "Outputs are those of this run; numbers in the text beside them may be those of the defaults."

LONGEST = 80  # characters of a folder's name

EXAMPLE = """example:
  python -m helpers.practice.run notebooks/13_audit_your_scores.ipynb -p path my.csv -p label y -p score p --output out/
  python -m helpers.practice.run notebooks/13_audit_your_scores.ipynb --help      (lists its parameters)
  python -m helpers.practice.run notebooks/05_honest_partitions.ipynb --grid grid.yaml --jobs 2 --output out/
  python -m helpers.practice.run --all notebooks/ --jobs 2 --output build/executed/

grid.yaml, every combination of some values:      or a list of such grids:
  n_rows: [1000, 4000]                              - {n_rows: 1000, seed: [1, 2, 3]}
  seed: [1, 2, 3]                                   - {n_rows: 4000}
Values are read as those of -p. The same command again, after Ctrl-C, a failed run or a crash, does only what is
missing. A run works in the folder NOTEBOOK.unfinished of its own folder, which the next run replaces, and moves its
files up when all are there. --overwrite replaces what an earlier run left, whole; files that you made or changed it
leaves alone, and it refuses where they are in the way. Kernels compute with one thread each unless OMP_NUM_THREADS is
set."""


@dataclass(frozen=True)
class Run:
    """One execution of a notebook."""

    notebook: Path
    folder: Path
    label: str
    given: dict  # parameters that the user chose
    values: dict  # all of them
    digest: str  # of what the result depends on

    @property
    def executed(self):
        return self.folder / self.notebook.name

    @property
    def page(self):
        return self.executed.with_suffix(".html")

    @property
    def metrics(self):
        return self.folder / "metrics.json"

    @property
    def work(self):
        """The folder of the run until all its files are there."""
        return self.folder / f"{self.notebook.stem}.unfinished"

    @property
    def lock(self):
        return f".{self.notebook.stem}{_files.LOCK}"

    def settle(self):
        """Move the files up that a run left in `work` which was killed while it did so."""
        if (self.work / _files.LEDGER).exists():
            with _files.alone_in(self.folder, self.lock):
                _files.move_up(self.work, self.folder)

    def noted(self):
        """What metrics.json holds, {} if it is none of ours."""
        try:
            noted = json.loads(self.metrics.read_text(encoding="utf-8"))
            return noted if noted["notebook"] and noted["digest"] else {}
        except (OSError, ValueError, KeyError, TypeError):
            return {}

    def is_finished(self):
        return self.noted().get("digest") == self.digest and self.executed.exists()

    def check_folder(self, overwrite, refresh):
        """ValueError unless the folder is new or this run's, or holds an older result that may be replaced."""
        older = overwrite or refresh and self.noted().get("notebook") == self.notebook.name
        entries = os.listdir(self.folder) if self.folder.is_dir() else []
        others = [name for name in entries if not name.startswith(".") and name != self.work.name]
        if others and not older and not self.is_finished():
            raise ValueError(f"{self.folder} holds other files already; choose another folder or add --overwrite.")
        if overwrite or not self.is_finished():
            mine = {self.executed.name, self.page.name, self.metrics.name}
            _files.check_ours(self.folder, sorted(mine | set(_files.ledger(self.folder))))


# ---- what is asked for ----------------------------------------------------------------------------------------------


def list_notebooks(folder):
    """The lessons of a folder, then those of its subfolder ``checks``: {"05_honest_partitions": path, ...}."""
    folder = Path(folder)
    paths = [path for place in (folder, folder / "checks") for path in sorted(place.glob("*.ipynb"))]
    wanted = [path for path in paths if path.name[0] not in "._"]
    return {path.relative_to(folder).with_suffix("").as_posix(): path for path in wanted}


def read_parameters(path):
    """{name: (default, comment)} of a notebook; ValueError for what is no notebook."""
    from papermill import inspect_notebook

    if Path(path).suffix != ".ipynb" or not Path(path).is_file():
        raise ValueError(f"there is no notebook {path}.")
    try:
        found = inspect_notebook(str(path))
        return {name: (ast.literal_eval(p["default"]), p["help"]) for name, p in found.items()}
    except Exception as error:  # nbformat, json and papermill have an error each
        raise ValueError(f"{path} cannot be read as a notebook with parameters: {error}") from None


def _describe(path):
    """Title and parameters of a notebook in words."""
    import nbformat

    found = read_parameters(path).items()
    rows = [(name, shown(value), f"{words} ({type_word(value)})") for name, (value, words) in found]
    wide = [max(len(row[i]) for row in rows) if rows else 0 for i in range(2)]
    lines = [f"  {name:{wide[0]}}  {value:{wide[1]}}  {words}" for name, value, words in rows]
    title = f"{title_of(nbformat.read(path, as_version=4))} ({Path(path).name})"
    return "\n".join([title, "parameters, their defaults, and what they are:", *lines])


def _value(name, text, defaults, notebook):
    """The value of a parameter from its words; ValueError for a wrong name or type, or a key."""
    if name not in defaults:
        raise ValueError(f"{notebook.name} has no parameter {name!r}; {nearest_name(name, defaults, 'parameter')}")
    value = from_text(text, defaults[name])
    if place := find_secret(value, name):
        raise ValueError(
            f"{place} holds what looks like a key, and results show parameters: put it into the environment."
        )
    if problem := type_problem(name, value, defaults[name]):
        raise ValueError(problem)
    return value


def _read_grid(path):
    """The points of a grid file, {name: words}; ValueError unless it is a mapping of lists, or a list of those."""
    import yaml

    try:
        grids = yaml.load(Path(path).read_text(encoding="utf-8-sig"), yaml.BaseLoader)  # each value as it is written
    except (ValueError, yaml.YAMLError) as error:
        raise ValueError(f"--grid {path} cannot be read: {error}") from None
    grids = [grids] if isinstance(grids, dict) else grids
    if not isinstance(grids, list) or not all(isinstance(grid, dict) for grid in grids):
        raise ValueError(f"--grid {path} must hold a list of values for each parameter, or a list of such grids.")
    lists = [{n: v if isinstance(v, list) else [v] for n, v in grid.items()} for grid in grids]
    points = [dict(zip(grid, point, strict=True)) for grid in lists for point in itertools.product(*grid.values())]
    return [point for point in points if point]


def _labelled(points):
    """{folder's name such as "n_rows=2000,seed=1": point}; of long names and of equal ones a part is a hash."""
    labelled = {}
    taken = set()  # some file systems take A for a
    for point in points:
        words = [f"{name}={'_'.join(map(str, v)) if isinstance(v, list) else v}" for name, v in point.items()]
        label = re.sub(r"[^\w.+=,-]+", "_", ",".join(words))
        if len(label) > LONGEST or label.lower() in taken:
            label = f"{label[:LONGEST]}~{hashlib.sha256(repr(point).encode()).hexdigest()[:8]}"
        taken.add(label.lower())
        labelled[label] = point
    return labelled


_file_digest = functools.cache(_files.digest)


def _versions():
    from importlib.metadata import version

    python = ".".join(map(str, sys.version_info[:3]))
    return {"python": python, "honest-confidence": __version__} | {name: version(name) for name in LIBRARIES}


def _surroundings():
    """What every result depends on: versions, the package, its data and the folder of the downloaded ones."""
    from helpers.datasets import DATA_FOLDER

    folders = (Path(__file__).parents[1], DATA_FOLDER)
    files = [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]
    digests = [path.name + _file_digest(path) for path in files if "__pycache__" not in path.parts]
    return [_versions(), os.environ.get("HONEST_DATA", ""), digests]


def _digest(notebook, source, values, surroundings):
    """Hash of what the result of a run depends on."""
    texts = [value for value in values.values() if isinstance(value, str) and value]
    patterns = [pattern for text in texts for pattern in (text, os.path.join(text, "*.jsonl"))]  # or a folder of logs
    named = sorted({name for pattern in patterns for name in glob.glob(pattern) if os.path.isfile(name)})
    files = [_file_digest(os.path.abspath(name)) for name in named]
    content = [notebook.name, source, values, files, surroundings]
    return hashlib.sha256(json.dumps(content, default=str).encode()).hexdigest()


def _wanted(options):
    """{notebook: {label: words of its parameters}}; the label of the one run of a notebook is ""."""
    if options.all:
        return {path: {label: {}} for label, path in list_notebooks(options.all).items()}
    notebook = Path(options.notebook)
    parameters = dict(options.parameter)
    if not options.grid:
        return {notebook: {"": parameters}}
    points = _read_grid(options.grid)
    twice = sorted(set(parameters) & {name for point in points for name in point})
    if twice:
        raise ValueError(f"{twice[0]} is given by -p and in {options.grid}; take it out of one.")
    return {notebook: {label: parameters | point for label, point in _labelled(points).items()}}


def plan(options):
    """The runs that the command line asks for, each once; ValueError if something is wrong with them."""
    import nbformat

    if not options.output:
        raise ValueError("--output FOLDER is missing: where shall the results go?")
    if options.jobs == 0:
        raise ValueError("--jobs must not be 0.")
    if options.all and (options.notebook or options.parameter or options.grid):
        raise ValueError("--all runs notebooks with their defaults: no notebook, -p or --grid beside it.")
    _file_digest.cache_clear()  # files may have changed since an earlier call
    surroundings = _surroundings()
    runs = {}
    for notebook, wanted in _wanted(options).items():
        defaults = {name: default for name, (default, _) in read_parameters(notebook).items()}
        cells = nbformat.read(notebook, as_version=4).cells
        source = [[cell.cell_type, cell.source, cell.metadata.get("tags", [])] for cell in cells]
        for label, words in wanted.items():
            given = {name: _value(name, text, defaults, notebook) for name, text in words.items()}
            digest = _digest(notebook, source, defaults | given, surroundings)
            folder = Path(options.output, label)
            run = Run(notebook, folder, label or notebook.stem, given, defaults | given, digest)
            runs.setdefault((notebook, digest), run)
            if run.executed.exists() and run.executed.samefile(notebook):
                raise ValueError(f"--output {folder} holds the notebook itself; choose another folder.")
    if not runs:
        raise ValueError(f"there are no notebooks in {options.all}." if options.all else f"{options.grid} is empty.")
    return list(runs.values())


# ---- a run ----------------------------------------------------------------------------------------------------------


def collect(nb):
    """Numbers and claims that the cells of an executed notebook kept in the metadata of their outputs.

    >>> import nbformat.v4 as v4
    >>> output = v4.new_output("display_data", metadata={"honest": {"metrics": {"gap": 0.1}}})
    >>> collect(v4.new_notebook(cells=[v4.new_code_cell("", outputs=[output])]))
    ({'gap': 0.1}, [])
    """
    outputs = [output for cell in nb.cells for output in cell.get("outputs", [])]
    entries = [output.get("metadata", {}).get(KEY, {}) for output in outputs]
    metrics = {name: value for entry in entries for name, value in entry.get("metrics", {}).items()}
    return metrics, [dict(claim) for entry in entries for claim in recorded_claims(entry)]


def execute(run, cwd, environment, bar=False):
    """Do one run; (run, what metrics.json holds), or (run, why it stopped)."""
    import nbformat
    import zmq
    from papermill import PapermillExecutionError, execute_notebook
    from traitlets.config import Config

    start = time.monotonic()
    encryption = "auto" if zmq.has("curve") else "disabled"
    # The environment of the kernel is set by its first line, for threads share theirs. A helpers.py of the user's, or
    # an old random.py, comes after what is installed.
    environment = environment | {TOLD: "1"} if bar else environment
    first = f"import os, sys; os.environ.update({environment!r}); sys.path.append(''); del os, sys"
    progress = {"desc": run.label, "disable": None if bar else True}
    executed = run.work / run.executed.name
    given = ", ".join(f"{name} = {shown(value)}" for name, value in run.given.items()) or "all at their defaults"
    options = {  # of papermill and nbclient
        "progress_bar": progress,
        "start_timeout": 180,
        "extra_arguments": ["--IPKernelApp.ignore_cwd=True", f"--IPKernelApp.exec_lines={first}"],
        "resources": {"metadata": {"path": str(cwd)}},
        "iopub_timeout": 60,
        "record_timing": False,
        "store_widget_state": False,
        "shutdown_kernel": "immediate",
        "config": Config({"KernelManager": {"transport_encryption": encryption}}),  # else each kernel warns
    }
    try:
        with _files.alone_in(run.folder, run.lock):
            if run.work.exists():
                shutil.rmtree(run.work)
            run.work.mkdir()
            nb = execute_notebook(run.notebook, executed, run.given, **options)
            nb.metadata = nbformat.read(run.notebook, as_version=4).metadata  # so that it may be stored as it is
            for cell in nb.cells:
                cell.metadata = {k: v for k, v in cell.metadata.items() if k != "papermill" and (k != "tags" or v)}
            note = f"Made from {run.notebook.name} on {date.today():%d %B %Y} with honest-confidence {__version__}. "
            remark = OTHER_NUMBERS if run.given and not is_report(nb) else ""
            page = to_html(nb, run.notebook.parent, f"{note}Parameters: {given}.", remark)
            _files.write(run.work / run.page.name, page)
            _files.write(executed, nbformat.writes(nb) + "\n")
            metrics, claims = collect(nb)
            content = {"notebook": run.notebook.name, "parameters": run.values, "metrics": metrics, "claims": claims}
            content |= {"versions": _versions(), "seconds": round(time.monotonic() - start, 1), "digest": run.digest}
            finite = json.loads(json.dumps(content, default=str), parse_constant=str)  # JSON has no nan
            _files.write(run.work / run.metrics.name, json.dumps(finite, indent=1, ensure_ascii=False) + "\n")
            _files.record_all(run.work)
            _files.move_up(run.work, run.folder)
            return run, content
    except PapermillExecutionError as error:
        where = f"stopped in cell {error.cell_index + 1} (In [{error.exec_count}])"
        return run, f"{where}: {error.ename}: {error.evalue}\n  The cells before it are in {executed}"
    except Exception as error:  # a kernel that died, a full disk, a folder that went away: the other runs go on
        return run, f"stopped: {type(error).__name__}: {error}"


def write_table(path, runs):
    """Write a CSV of what was given, the metrics and the number of claims that held, a row a run."""
    import pandas as pd

    rows = []
    for run in runs:
        noted = run.noted()
        counts = {"claims_held": sum(claim["holds"] for claim in noted["claims"]), "seconds": noted["seconds"]}
        row = {"run": run.label} | run.given | noted["metrics"] | counts
        rows.append({name: json.dumps(v) if isinstance(v, list | dict) else v for name, v in row.items()})
    _files.check_ours(path.parent, [path.name])
    _files.write(path, pd.DataFrame(rows).to_csv(index=False, lineterminator="\n"))
    _files.record(path.parent, [path.name])


def _say(text):
    print(text, file=sys.stderr, flush=True)


def carry_out(options, runs):
    """Do the runs that are not finished, a line each; returns the exit status."""
    from joblib import Parallel, delayed

    waiting = [run for run in runs if options.overwrite or not run.is_finished()]
    if len(waiting) < len(runs):
        _say(f"{len(runs) - len(waiting):,} of {len(runs):,} runs are finished already and stay.")
    failures = {}
    tasks = []
    chosen = any(name in os.environ for name in THREADS)
    threads = {} if chosen else dict.fromkeys(THREADS, "1")  # sums do not depend on --jobs
    for run in waiting:
        # the notebooks of a course are stored as they come out, so nothing is left beside them
        folder = {} if options.all else {OUTPUT: os.path.abspath(run.work)}
        tasks.append(delayed(execute)(run, os.getcwd(), threads | folder, bar=len(runs) == 1))
    parallel = Parallel(options.jobs, prefer="threads", batch_size=1, return_as="generator_unordered")
    for number, (run, outcome) in enumerate(parallel(tasks), 1):  # in threads: what computes are the kernels
        if isinstance(outcome, str):
            failures[run.label] = outcome
        else:
            held = len({claim["claim"] for claim in outcome["claims"] if claim["holds"]})
            outcome = f"{outcome['seconds']:.0f} s, {held} claims held"
        _say(f"[{number}/{len(waiting)}] {run.label}: {outcome}")
    whole = [run for run in runs if run.label not in failures]
    if whole and not options.all:
        result = Path(options.output, TABLE) if options.grid else runs[0].page
        if options.grid:
            write_table(result, whole)
        print(result)
    if failures and len(runs) > 1:
        _say(f"{len(failures):,} of {len(runs):,} runs failed; the same command again does only those:")
        _say("\n".join(f"  {label} {outcome.splitlines()[0]}" for label, outcome in failures.items()))
    return 1 if failures else 0


def _parser():
    parser = argparse.ArgumentParser(
        "python -m helpers.practice.run",
        description="Run a notebook with other parameters; write the notebook, a page for readers and metrics.json.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
        allow_abbrev=False,
        exit_on_error=False,
    )
    parser._negative_number_matcher = re.compile(r"-\.?\d")  # as in Python 3.14: "-1,5" is a value, and no option
    add = parser.add_argument
    add("notebook", nargs="?", help="the notebook (.ipynb)")
    add("-p", "--parameter", nargs=2, action="append", default=[], metavar=("NAME", "VALUE"), help="set one parameter")
    add("--grid", metavar="FILE", help="a YAML file of parameters (below), one run and folder for each combination")
    add("--all", metavar="FOLDER", help="every notebook of a folder with its defaults, unless its result is there")
    add("--output", "-o", metavar="FOLDER", help="where the results go; created if needed")
    add("--overwrite", action="store_true", help="replace results and files that are there")
    add("--jobs", type=int, metavar="N", help="runs at the same time (1, or what joblib's configuration says)")
    add("--help", "-h", action="store_true", help="this text; after a notebook, its parameters")
    return parser


def main(argv=None):
    """Do what the command line says.

    Parameters
    ----------
    argv : list of str, optional
        The words behind ``python -m helpers.practice.run``; those of this process by default.

    Returns
    -------
    int
        0 done, 1 a run failed, 2 a wrong request, 130 interrupted.
    """
    parser = _parser()
    try:
        options = parser.parse_args(argv)
        for name, value in options.parameter:  # from Python 3.13 on argparse takes it
            if value.startswith("--"):
                raise argparse.ArgumentError(None, f"the value of {name} is missing before {value}")
    except argparse.ArgumentError as error:
        is_set = "-p" in (sys.argv if argv is None else argv)
        values = "-p NAME VALUE; VALUE may begin with - only as a number does. " if is_set else ""
        _say(f"{error}. {values}See --help.")
        return 2
    if not (options.notebook or options.all):
        print(parser.format_help())
        return 0 if options.help else 2
    runs = []
    try:
        check_stack()
        if options.help and options.notebook:
            print(_describe(options.notebook))
            return 0
        runs += plan(options)
        with _files.alone_in(Path(options.output)):
            for run in runs:
                run.settle()
                run.check_folder(options.overwrite, refresh=options.all)
            if options.grid:
                _files.check_ours(Path(options.output), [TABLE])
            return carry_out(options, runs)
    except (ValueError, OSError, ImportError) as error:
        _say(str(error))
        return 2
    except KeyboardInterrupt:
        finished = sum(run.is_finished() for run in runs)
        _say(f"Interrupted. {finished:,} of {len(runs):,} runs are finished and stay; the same command does the rest.")
        return 130


def command():
    """The program `honest-confidence`."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a request to end is Ctrl-C: no worker stays
    sys.stdout.reconfigure(errors="backslashreplace")  # a file on Windows cannot hold every letter of a title
    sys.exit(main())


if __name__ == "__main__":
    from helpers.practice import run  # joblib's workers find its functions there, not in __main__

    run.command()
