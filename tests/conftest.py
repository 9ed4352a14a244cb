"""Settings shared by all tests: the same examples on every machine, and no figure left open."""

import sys

import pytest
from hypothesis import settings

settings.register_profile("house", deadline=None, derandomize=True, max_examples=40, database=None)
settings.load_profile("house")


@pytest.fixture(autouse=True)
def no_figures_left():
    """The figures of a test are closed when it ends."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
