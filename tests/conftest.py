"""Settings shared by all tests: the same examples on every machine, and an order that keeps two workers busy."""

import gc
import sys
from pathlib import Path

import pytest
import quick_imports  # noqa: F401
import yaml
from hypothesis import settings

settings.register_profile("house", deadline=None, derandomize=True, max_examples=40, database=None)
settings.load_profile("house")

gc.disable()  # nothing that is made while tests are collected is garbage, and half of that time went by looking for it

COURSE = Path(__file__).resolve().parent.parent / "site" / "course.yml"
RUNS = ("test_stored_outputs", "test_second_parameters")  # of whole notebooks, in tests/notebook/test_notebooks.py


@pytest.fixture(autouse=True)
def no_figures_left():
    """The figures of a test are closed when it ends."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def is_run(item):
    """Whether a test executes a whole notebook."""
    return getattr(item, "originalname", "") in RUNS


def place(item, seconds):
    """Runs of notebooks first, the longest of them first; then what waits for processes; short examples last."""
    if is_run(item):
        lesson = item.callspec.params["name"].removeprefix("checks/")
        return 0, RUNS.index(item.originalname), -seconds.get(lesson, 0)
    return 2 if isinstance(item, pytest.DoctestItem) else 1, item.path.name != "test_run.py", 0


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Sort the tests; runs of whole notebooks are slow."""
    lessons = yaml.safe_load(COURSE.read_text(encoding="utf-8"))["lessons"]
    seconds = {stem: lesson["seconds"] for stem, lesson in lessons.items()}
    items.sort(key=lambda item: place(item, seconds))
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
