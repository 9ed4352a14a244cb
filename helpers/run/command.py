"""Run a notebook with other parameters: ``python -m helpers.run NOTEBOOK -p NAME VALUE ... --output FOLDER``.

Everything that can be wrong with the request is checked before a kernel starts and before anything is written. The
folder receives the executed notebook, a page for readers and metrics.json; with ``--sweep`` or ``--grid`` one such
folder a run, and the table of all runs twice: metrics.csv, and summary.parquet where pyarrow is installed.
"""

import argparse
import os
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from helpers.notebook.parameter_cell import shown, type_word
from helpers.run import execute as _execute
from helpers.run.plan import find_parameters, plan_runs, read_notebook, write_json
from helpers.run.sweep import write_tables

SHOWN, MOST_FAILURES = 20, 100  # lines about reused runs and about failed ones

LIBRARIES = ("honest-confidence", "numpy", "scipy", "pandas", "scikit-learn", "matplotlib")

EXAMPLE = """example:
  python -m helpers.run notebooks/13_audit_your_scores.ipynb -p path my.csv -p label y -p score p --output out/
  python -m helpers.run notebooks/13_audit_your_scores.ipynb --help      (lists its parameters)
  python -m helpers.run notebooks/14_audit_your_answers.ipynb -p path answers.jsonl --output out/
  python -m helpers.run notebooks/05_honest_partitions.ipynb --grid grid.yaml --jobs 2 --output out/

grid.yaml, every combination of some values:      or single runs:               or both:
  n_rows: [1000, 4000]                              - {n_rows: 1000, seed: 1}     grid:
  seed: [1, 2, 3]                                   - {n_rows: 4000}                seed: [1, 2, 3]
                                                                                  runs:
                                                                                    - {n_rows: 4000}
Values are read as those of -p; quoted ones are text. The same command again, after Ctrl-C, a failed run or a crash,
does only what is missing. The kernels of a sweep compute with one thread each unless OMP_NUM_THREADS is set."""


def _parser():
    parser = argparse.ArgumentParser(
        "python -m helpers.run",
        description="Run a notebook with other parameters; write the notebook, a page for readers and metrics.json.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("notebook", nargs="?", help="the notebook (.ipynb)")
    add("-p", "--parameter", nargs=2, action="append", default=[], metavar=("NAME", "VALUE"), help="set one parameter")
    add("--sweep", nargs="+", action="append", default=[], metavar=("NAME", "VALUE"), help="one run for each value")
    add("--grid", metavar="FILE", help="a YAML file of runs (below); with --sweep, each of them for each value")
    add("--output", "-o", metavar="FOLDER", help="where the results go; created if needed")
    add("--overwrite", action="store_true", help="replace results that are there")
    add("--jobs", type=int, default=1, metavar="N", help="runs of a sweep or grid at the same time (1)")
    add("--help", "-h", "--list", action="store_true", help="this text; after a notebook, its parameters")
    return parser


def describe(notebook):
    """The parameters of a notebook in words: name, default, comment, type."""
    from helpers.run.page import title_of

    nb = read_notebook(notebook)
    rows = [(p.name, shown(p.default), p.comment, type_word(p.default)) for p in find_parameters(nb, notebook)]
    wide = [max(len(row[i]) for row in rows) for i in range(2)]
    lines = [f"  {name:{wide[0]}}  {default:{wide[1]}}  {comment} ({word})" for name, default, comment, word in rows]
    return "\n".join(
        [f"{title_of(nb)} ({Path(notebook).name})", "parameters, their defaults, and what they are:", *lines]
    )


def _versions():
    found = {"python": ".".join(map(str, sys.version_info[:3]))}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            from helpers import __version__

            found[name] = __version__
    return found


def _finish(run, nb, seconds):
    """Write page and metrics beside the executed notebook, then give all three their final names."""
    from helpers.run.page import to_html

    metrics, claims = _execute.collect(nb)
    given = ", ".join(f"{name} = {shown(value)}" for name, value in run.given.items()) or "all at their defaults"
    note = (
        f"Made from {run.notebook.name} with honest-confidence {_versions()['honest-confidence']}. Parameters: {given}."
    )
    page = run.page.with_suffix(".partial.html")
    page.write_text(to_html(nb, run.notebook.parent, note), encoding="utf-8")
    about = {"name": run.notebook.name, "sha256": run.sha256}
    content = {
        "notebook": about,
        "parameters": run.values,
        "metrics": metrics,
        "claims": claims,
        "versions": _versions(),
    }
    write_json(run.numbers, content | {"seconds": round(seconds, 1), "fingerprint": run.fingerprint})
    os.replace(run.partial, run.executed)
    os.replace(page, run.page)
    os.replace(run.numbers, run.metrics)


def _job(run, progress, failures, env):
    """A coroutine function that does one run from the parameters to the files; a reason in `failures` if it cannot."""
    import nbformat

    def failed(reason):
        failures[run.label] = reason
        progress.end(run.label, f"{run.label} stopped {reason}", failed=True)

    async def job():
        start = time.monotonic()
        run.folder.mkdir(parents=True, exist_ok=True)
        nb = run.prepare()

        def save(nb):
            partial = run.partial.with_suffix(".tmp")
            nbformat.write(nb, partial)
            os.replace(partial, run.partial)

        def told(done, total):
            progress.cell(run.label, done, total)

        def tell(text):
            progress.line(f"{run.label}: {text}")

        try:
            await _execute.run_cells(nb, save, told, tell=tell, env=env)
        except _execute.CellFailed as error:
            note = f"**This run stopped in {error}**"
            nb.cells.insert(0, nbformat.v4.new_markdown_cell(note))
            save(nb)
            return failed(f"in {error}\n  The cells before it are in {run.partial}")
        except _execute.NotStarted as error:
            return failed(str(error))
        _finish(run, nb, time.monotonic() - start)
        progress.end(run.label, f"{run.label}: done in {time.monotonic() - start:.0f} s, {run.page}")

    async def guarded():
        try:
            await job()
        except OSError as error:  # a full disk, a folder that went away: the other runs go on
            failed(f"while its files were written: {error}")

    return guarded


def _plan(options):
    """The runs that the options ask for, checked, and a note; ValueError or OSError if something is wrong with them."""
    if options.output is None:
        raise ValueError("--output FOLDER is missing: where shall the results go?")
    if options.jobs < 1:
        raise ValueError(f"--jobs must be at least 1, but it is {options.jobs}.")
    output, more = Path(options.output), {"grid": options.grid, "overwrite": options.overwrite}
    return plan_runs(options.notebook, options.parameter, options.sweep, output, **more)


def _announce(runs, note, progress):
    """Say how many runs a sweep has and which are there already."""
    finished = [run for run in runs if run.finished]
    word = "runs" if len(runs) > 1 else "run"
    progress.line(f"{len(runs):,} {word}: {len(finished):,} finished before, {len(runs) - len(finished):,} to do.")
    if note:
        progress.line(note)
    for run in finished[:SHOWN]:
        progress.line(f"{run.label}: finished before, reused")
    if len(finished) > SHOWN:
        progress.line(f"... and {len(finished) - SHOWN:,} more, reused")


def _conclude(runs, failures, output, progress):
    """Write the tables of a sweep; list the runs that failed with their reasons."""
    done = [run for run in runs if run.label not in failures]
    try:
        paths, missing = write_tables(output, done, list(runs[0].swept))
    except OSError as error:
        progress.line(f"The runs are there, but their table could not be written: {error}")
        return 1
    if missing:
        progress.line(missing)
    if failures:
        progress.line(f"{len(failures):,} of {len(runs):,} runs failed:")
        for run in [run for run in runs if run.label in failures][:MOST_FAILURES]:
            progress.line(f"  {run.label} stopped {failures[run.label].splitlines()[0][:300]}")
        if len(failures) > MOST_FAILURES:
            progress.line(f"  ... and {len(failures) - MOST_FAILURES:,} more")
        progress.line("The others are kept and in the table. The same command again does only those that failed.")
    sys.stdout.write("".join(f"{path}\n" for path in paths))
    return 1 if failures else 0


def main(argv=None):
    """Do what the command line says; 0 done, 1 a run failed, 2 a wrong request (nothing written), 130 interrupted."""
    parser = _parser()
    options = parser.parse_args(argv)
    try:
        if options.help or options.notebook is None:
            sys.stdout.write((describe(options.notebook) if options.notebook else parser.format_help()).rstrip() + "\n")
            return 0 if options.help else 2
        runs, note = _plan(options)
    except (ValueError, OSError) as error:
        sys.stderr.write(f"{error}\nNothing was run or written.\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted. Nothing was run or written.\n")
        return 130

    sweep = bool(options.sweep or options.grid)
    open_runs = [run for run in runs if not run.finished]
    failures, progress = {}, _execute.Progress(len(runs), len(runs) - len(open_runs))
    env = _execute.one_thread() if sweep else None
    if sweep:
        _announce(runs, note, progress)
    try:
        _execute.run_jobs([_job(run, progress, failures, env) for run in open_runs], options.jobs)
    except KeyboardInterrupt:
        again = "Run the same command again"
        done = [run for run in runs if run.metrics.exists() and run.is_current()]
        where = [str(run.partial) for run in open_runs if run.partial.exists()]
        progress.line("Interrupted." + f" Cells finished so far: {', '.join(where)}." * bool(where))
        progress.line(
            f"{len(done):,} of {len(runs):,} runs are finished and stay. {again} to go on." if sweep else f"{again}."
        )
        return 130
    if sweep:
        return _conclude(runs, failures, options.output, progress)
    if not failures:
        sys.stdout.write(f"{runs[0].page}\n")
    return 1 if failures else 0
