"""Run a notebook with other parameters: ``python -m helpers.run NOTEBOOK -p NAME VALUE ... --output FOLDER``.

Everything that can be wrong with the request is checked before a kernel starts and before anything is written. The
folder receives the executed notebook, a page for readers and metrics.json; with ``--sweep`` one such folder a run, and
metrics.csv.
"""

import argparse
import os
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from helpers import _execute
from helpers._parameters import shown, type_word
from helpers._plan import find_parameters, plan_runs, read_notebook, write_json, write_table

LIBRARIES = ("honest-confidence", "numpy", "scipy", "pandas", "scikit-learn", "matplotlib")
EXAMPLE = """example:
  python -m helpers.run notebooks/13_audit_your_scores.ipynb -p path my.csv -p label y -p score p --output out/
  python -m helpers.run notebooks/13_audit_your_scores.ipynb --help      (lists its parameters)
  python -m helpers.run notebooks/14_audit_your_answers.ipynb -p path answers.jsonl --output out/"""


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
    add("--output", "-o", metavar="FOLDER", help="where the results go; created if needed")
    add("--overwrite", action="store_true", help="replace results that are there")
    add("--jobs", type=int, default=1, metavar="N", help="runs of a sweep at the same time (1)")
    add("--help", "-h", "--list", action="store_true", help="this text; after a notebook, its parameters")
    return parser


def describe(notebook):
    """The parameters of a notebook in words: name, default, comment, type."""
    from helpers._report import title_of

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
    from helpers._report import to_html

    metrics, claims = _execute.collect(nb)
    given = ", ".join(f"{name} = {shown(value)}" for name, value in run.given.items()) or "all at their defaults"
    note = (
        f"Made from {run.notebook.name} with honest-confidence {_versions()['honest-confidence']}. Parameters: {given}."
    )
    page, numbers = run.page.with_suffix(".partial.html"), run.metrics.with_suffix(".partial.json")
    page.write_text(to_html(nb, run.notebook.parent, note), encoding="utf-8")
    about = {"name": run.notebook.name, "sha256": run.sha256}
    content = {
        "notebook": about,
        "parameters": run.values,
        "metrics": metrics,
        "claims": claims,
        "versions": _versions(),
    }
    write_json(numbers, content | {"seconds": round(seconds, 1), "fingerprint": run.fingerprint})
    os.replace(run.partial, run.executed)
    os.replace(page, run.page)
    os.replace(numbers, run.metrics)


def _job(run, progress, failures):
    """A coroutine function that does one run from the parameters to the files."""
    import nbformat

    async def job():
        start = time.monotonic()
        run.folder.mkdir(parents=True, exist_ok=True)
        nb = run.prepare()

        def save(nb):
            partial = run.partial.with_suffix(".tmp")
            nbformat.write(nb, partial)
            os.replace(partial, run.partial)

        try:
            await _execute.run_cells(nb, save, lambda done, total: progress.cell(run.label, done, total))
        except _execute.CellFailed as error:
            note = f"**This run stopped in {error}**"
            nb.cells.insert(0, nbformat.v4.new_markdown_cell(note))
            save(nb)
            failures.append(run)
            progress.line(f"{run.label} stopped in {error}\n  The cells before it are in {run.partial}")
            return
        _finish(run, nb, time.monotonic() - start)
        progress.line(f"{run.label}: done in {time.monotonic() - start:.0f} s, {run.page}")

    return job


def main(argv=None):
    """Do what the command line says; 0 done, 1 a cell failed, 2 a wrong request (nothing written), 130 interrupted."""
    parser = _parser()
    options = parser.parse_args(argv)
    try:
        if options.help or options.notebook is None:
            sys.stdout.write((describe(options.notebook) if options.notebook else parser.format_help()).rstrip() + "\n")
            return 0 if options.help else 2
        if options.output is None:
            raise ValueError("--output FOLDER is missing: where shall the results go?")
        if options.jobs < 1:
            raise ValueError(f"--jobs must be at least 1, but it is {options.jobs}.")
        runs = plan_runs(
            options.notebook, options.parameter, options.sweep, Path(options.output), overwrite=options.overwrite
        )
    except (ValueError, OSError) as error:
        sys.stderr.write(f"{error}\nNothing was run or written.\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted. Nothing was run or written.\n")
        return 130

    failures, progress = [], _execute.Progress(rewrite=options.jobs == 1)
    open_runs = [run for run in runs if not run.finished]
    for run in runs:
        if run.finished:
            progress.line(f"{run.label}: finished before, reused")
    try:
        _execute.run_jobs([_job(run, progress, failures) for run in open_runs], options.jobs)
    except KeyboardInterrupt:
        again = "Run the same command again"
        done = [run for run in runs if run.metrics.exists() and run.is_current()]
        where = [str(run.partial) for run in open_runs if run.partial.exists()]
        progress.line("Interrupted." + f" Cells finished so far: {', '.join(where)}." * bool(where))
        progress.line(
            f"{len(done)} of {len(runs)} runs are finished and stay. {again} to go on."
            if options.sweep
            else f"{again}."
        )
        return 130
    if options.sweep:
        write_table(Path(options.output) / "metrics.csv", [run for run in runs if run not in failures])
        sys.stdout.write(f"{Path(options.output) / 'metrics.csv'}\n")
    elif not failures:
        sys.stdout.write(f"{runs[0].page}\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
