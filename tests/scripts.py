"""Programs: those of this repository that no package holds, as modules, and any as a fork (forks.py)."""

import gc
import importlib.util
import io
import os
import runpy
import subprocess
import sys
import traceback
from contextlib import redirect_stderr, redirect_stdout

from forks import begin_fork, run_fork

from helpers.datasets import DATA_FOLDER


def load_program(path):
    """The module that a file makes; it may import those beside it, as when it is run."""
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load_script(name):
    """A script that makes a shipped table."""
    return load_program(DATA_FOLDER / "scripts" / f"{name}.py")


def be_program(orders, words, folder, env):
    """Be `python -m` with these words; what it printed is sent as stdout."""
    begin_fork()
    gc.disable()  # a quarter of Sphinx's time; the memory is given back in a moment
    os.chdir(folder)
    os.environ.update(env)
    sys.argv = words
    printed = io.StringIO()
    status = 0
    with redirect_stdout(printed), redirect_stderr(printed):
        try:
            runpy.run_module(words[0], run_name="__main__", alter_sys=True)
        except SystemExit as end:
            status = end.code or 0
        except BaseException:
            status = 1
            traceback.print_exc()
    orders.send(subprocess.CompletedProcess(words, status, printed.getvalue(), ""))


def run_program(command, cwd=".", env=os.environ, **_):
    """In place of `subprocess.run` for python -m: its imports are done if they are those of notebooks."""
    return run_fork(be_program, command[2:], cwd, dict(env))
