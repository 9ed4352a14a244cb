"""Run a notebook with other parameters: ``python -m helpers.run NOTEBOOK -p NAME VALUE ... --output FOLDER``.

Everything that can be wrong with the request is checked before a kernel starts and before anything is written. The
folder receives the executed notebook, a page for readers and metrics.json; with ``--sweep`` or ``--grid`` one such
folder a run, and the table of all runs twice: metrics.csv, and summary.parquet where pyarrow is installed. ``--all``
runs every notebook of a folder with its defaults and does again only those whose result would be another one.
"""

import argparse
import json
import os
import sys
import time
from contextlib import ExitStack
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from helpers._checkpoint import held_folder
from helpers._streams import escape_names, write_text
from helpers.notebook.parameter_cell import shown, type_word
from helpers.run import execute
from helpers.run.plan import find_parameters, find_rules, look_again, plan_all, plan_runs, read_notebook
from helpers.run.sweep import write_tables

SHOWN = 20  # lines about reused runs

MOST_FAILURES = 100  # lines about failed ones

LIBRARIES = ("honest-confidence", "numpy", "scipy", "pandas", "scikit-learn", "matplotlib")

EXAMPLE = """example:
  python -m helpers.run notebooks/13_audit_your_scores.ipynb -p path my.csv -p label y -p score p --output out/
  python -m helpers.run notebooks/13_audit_your_scores.ipynb --help      (lists its parameters)
  python -m helpers.run notebooks/14_audit_your_answers.ipynb -p path answers.jsonl --output out/
  python -m helpers.run notebooks/05_honest_partitions.ipynb --grid grid.yaml --jobs 2 --output out/
  python -m helpers.run --all notebooks/ --jobs 2 --output build/executed/

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
    add("--all", metavar="FOLDER", help="every notebook of a folder with its defaults, unless its result is there")
    add("--output", "-o", metavar="FOLDER", help="where the results go; created if needed")
    add("--overwrite", action="store_true", help="replace results that are there")
    add("--jobs", type=int, default=1, metavar="N", help="runs of a sweep or grid at the same time (1)")
    add("--help", "-h", "--list", action="store_true", help="this text; after a notebook, its parameters")
    return parser


def describe(notebook):
    """The parameters of a notebook in words: name, default, comment, type, what is allowed."""
    from helpers.notebook.page import title_of

    nb = read_notebook(notebook)
    rules = {name: f", {rule.allowed}" for name, rule in find_rules(nb).items()}
    rows = [
        (p.name, shown(p.default), p.comment, type_word(p.default) + rules.get(p.name, ""))
        for p in find_parameters(nb, notebook)
    ]
    wide = [max(len(row[i]) for row in rows) for i in range(2)]
    lines = [f"  {name:{wide[0]}}  {default:{wide[1]}}  {comment} ({kind})" for name, default, comment, kind in rows]
    return "\n".join(
        [f"{title_of(nb)} ({Path(notebook).name})", "parameters, their defaults, and what they are:", *lines]
    )


def _versions():
    versions = {"python": ".".join(map(str, sys.version_info[:3]))}
    for name in LIBRARIES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            from helpers import __version__

            versions[name] = __version__
    return versions


def write_json(path, content):
    """Write JSON with fixed order and line ends; numbers that are not finite become texts before."""
    finite = json.loads(json.dumps(content, default=str), parse_constant=str)
    write_text(path, json.dumps(finite, indent=1, ensure_ascii=False) + "\n")


def _finish(run, nb, seconds, peak_mb):
    """Write page and metrics beside the executed notebook, then give all three their final names."""
    from helpers.notebook.page import to_html

    metrics, claims = execute.collect(nb)
    given = ", ".join(f"{name} = {shown(value)}" for name, value in run.given.items()) or "all at their defaults"
    versions = _versions()
    note = f"Made from {run.notebook.name} on {date.today():%d %B %Y} with honest-confidence "
    note += f"{versions['honest-confidence']}. Parameters: {given}."
    page = run.page.with_suffix(".partial.html")
    write_text(page, to_html(nb, run.notebook.parent, note))
    content = {
        "notebook": {"name": run.notebook.name, "sha256": run.sha256},
        "parameters": run.values,
        "metrics": metrics,
        "claims": claims,
        "versions": versions,
        "seconds": round(seconds, 1),
        "peak_mb": peak_mb,
        "fingerprint": run.fingerprint,
    }
    write_json(run.numbers, content)
    os.replace(run.partial, run.executed)
    os.replace(page, run.page)
    os.replace(run.numbers, run.metrics)


def _job(run, progress, failures, env):
    """A coroutine function that does one run from the parameters to the files; a reason in `failures` if it cannot."""
    import nbformat

    def failed(reason):
        failures[run.label] = reason
        progress.end(run.label, f"{run.label} stopped {reason}")

    async def job():
        start = time.monotonic()
        run.folder.mkdir(parents=True, exist_ok=True)
        nb = run.prepare()

        def save(nb):
            partial = run.partial.with_suffix(".tmp")
            write_text(partial, nbformat.writes(nb) + "\n")
            os.replace(partial, run.partial)

        def told(done, total):
            progress.cell(run.label, done, total)

        def tell(text):
            progress.line(f"{run.label}: {text}")

        try:
            peak_mb = await execute.run_cells(nb, save, told, tell=tell, env=env)
        except execute.CellFailed as error:
            note = f"**This run stopped in {error}**"
            nb.cells.insert(0, nbformat.v4.new_markdown_cell(note))
            save(nb)
            return failed(f"in {error}\n  The cells before it are in {run.partial}")
        except execute.NotStarted as error:
            return failed(str(error))
        _finish(run, nb, time.monotonic() - start, peak_mb)
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
    output = Path(options.output)
    if options.all is None:
        more = {"grid": options.grid, "overwrite": options.overwrite}
        return plan_runs(options.notebook, options.parameter, options.sweep, output, **more)
    if options.notebook or options.parameter or options.sweep or options.grid:
        raise ValueError("--all runs notebooks with their defaults: no notebook, -p, --sweep or --grid beside it.")
    return plan_all(options.all, output, overwrite=options.overwrite), ""


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
    _list_failures(runs, failures, progress)
    if failures:
        progress.line("The others are kept and in the table. The same command again does only those that failed.")
    sys.stdout.write("".join(f"{path}\n" for path in paths))
    return 1 if failures else 0


def _list_failures(runs, failures, progress):
    """A line for each run that failed."""
    if failures:
        progress.line(f"{len(failures):,} of {len(runs):,} runs failed:")
    for run in [run for run in runs if run.label in failures][:MOST_FAILURES]:
        progress.line(f"  {run.label} stopped {failures[run.label].splitlines()[0][:300]}")
    if len(failures) > MOST_FAILURES:
        progress.line(f"  ... and {len(failures) - MOST_FAILURES:,} more")


def _summarize(runs, failures, progress):
    """A line for each notebook of a folder: minutes, claims held, memory; a claim that does not hold is a failure."""
    lines = []
    for run in runs:
        if run.label in failures:
            lines.append(f"{run.label:<41} FAILED")
            continue
        content = json.loads(run.metrics.read_text(encoding="utf-8"))
        broken = [claim["claim"] for claim in content["claims"] if not claim["holds"]]
        if broken:
            failures[run.label] = f"with claims that do not hold: {', '.join(broken)}"
            run.clear()
        memory = f"{content['peak_mb']:6,} MB at its peak" if content["peak_mb"] else ""
        reused = " (reused)" if run.finished else ""
        held = len({claim["claim"] for claim in content["claims"]}) - len(broken)
        lines.append(f"{run.label:<41} {content['seconds'] / 60:5.1f} min  {held:3d} claims held  {memory}{reused}")
    sys.stdout.write("\n".join(lines) + "\n")
    _list_failures(runs, failures, progress)
    return 1 if failures else 0


def main(argv=None):
    """Do what the command line says.

    Parameters
    ----------
    argv : list of str, optional
        The words behind ``python -m helpers.run``; those of this process by default.

    Returns
    -------
    int
        0 done, 1 a run failed, 2 a wrong request (nothing was run or written), 130 interrupted.
    """
    escape_names()
    parser = _parser()
    options = parser.parse_args(argv)
    asked = options.notebook or options.all
    with ExitStack() as held:
        try:
            if options.help or asked is None:
                text = describe(options.notebook) if options.notebook else parser.format_help()
                sys.stdout.write(text.rstrip() + "\n")
                return 0 if options.help else 2
            runs, note = _plan(options)
            sentence = f"another run writes into {options.output}; wait for it, or choose another folder."
            held.enter_context(held_folder(options.output, sentence))
            if not options.all:
                look_again(runs, overwrite=options.overwrite)
        except (ValueError, OSError) as error:
            sys.stderr.write(f"{error}\nNothing was run or written.\n")
            return 2
        except KeyboardInterrupt:
            sys.stderr.write("Interrupted. Nothing was run or written.\n")
            return 130
        return _carry_out(options, runs, note)


def _environment(options):
    """Environment of the kernels: the runs of a sweep compute with one thread, notebooks with their share of cores."""
    if options.all:
        return execute.thread_limit(max(1, (os.cpu_count() or 1) // options.jobs))
    return execute.thread_limit(1) if options.sweep or options.grid else None


def _carry_out(options, runs, note):
    """Do the runs that are not finished, and say how it went; returns the exit status."""
    many = bool(options.sweep or options.grid or options.all)
    open_runs = [run for run in runs if not run.finished]
    failures = {}
    progress = execute.Progress(len(runs), len(runs) - len(open_runs))
    env = _environment(options)
    if many:
        _announce(runs, note, progress)
    if options.all:
        for run in open_runs:
            run.clear()
    try:
        execute.run_jobs([_job(run, progress, failures, env) for run in open_runs], options.jobs)
    except KeyboardInterrupt:
        again = "Run the same command again"
        done = [run for run in runs if run.is_current()]
        where = [str(run.partial) for run in open_runs if run.partial.exists()]
        progress.line(f"Interrupted. Cells finished so far: {', '.join(where)}." if where else "Interrupted.")
        progress.line(
            f"{len(done):,} of {len(runs):,} runs are finished and stay. {again} to go on." if many else f"{again}."
        )
        return 130
    finally:
        progress.close()
    if options.all:
        return _summarize(runs, failures, progress)
    if many:
        return _conclude(runs, failures, options.output, progress)
    if not failures:
        sys.stdout.write(f"{runs[0].page}\n")
    return 1 if failures else 0
