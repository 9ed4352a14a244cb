"""Settings shared by all tests: the same examples on every machine, and an order that keeps two workers busy."""

import gc
import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

NO_GRAMMARS = Path(__file__).parent / "no_grammars"  # its one module says why
sys.modules.setdefault("rfc3987_syntax", None)
os.environ["PYTHONPATH"] = os.pathsep.join([str(NO_GRAMMARS), *filter(None, [os.environ.get("PYTHONPATH")])])
collect_ignore = [NO_GRAMMARS.name]

settings.register_profile("house", deadline=None, derandomize=True, max_examples=40, database=None)
settings.load_profile("house")

gc.disable()  # nothing that is made while tests are collected is garbage, and half of that time went by looking for it

RUNS = ("test_stored_outputs", "test_second_parameters")  # of whole notebooks, in tests/notebook/test_notebooks.py

LONGEST_FIRST = "16 05 15 07 08 04 13 06 11 09 12 14 10 01 03 02 00"


@pytest.fixture(autouse=True)
def no_figures_left():
    """The figures of a test are closed when it ends."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def is_run(item):
    """Whether a test executes a whole notebook."""
    return getattr(item, "originalname", "") in RUNS


def place_of_run(name):
    """Where a notebook stands among the runs; its checks stand beside the lesson."""
    return LONGEST_FIRST.find(name.removeprefix("checks/")[:2])


def place(item):
    """Runs of notebooks first, the longest of them first; examples of docstrings, which are short, last."""
    if is_run(item):
        return 0, RUNS.index(item.originalname), place_of_run(item.callspec.params["name"])
    return 2 if isinstance(item, pytest.DoctestItem) else 1, 0, 0


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Sort the tests; runs of whole notebooks are slow."""
    items.sort(key=place)
    for item in items:
        if is_run(item):
            item.add_marker(pytest.mark.slow)


def pytest_collection_finish():
    """From here on garbage is collected, without another look at half a million objects that stay."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """A file's tests go to one worker, which makes what they share once; a run of a notebook goes to any.

    --dist loadfile would give all runs to one worker, and with worksteal both make what is shared. The groups of
    loadgroup would say what is wanted, but xdist 3.8 writes them into `_nodeid`, which pytest 9.2 no longer reads.
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            path, _, name = nodeid.partition("::")
            return nodeid if name.split("[")[0] in RUNS else path

    return ByFile(config, log)
