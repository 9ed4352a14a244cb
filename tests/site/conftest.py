"""The browser of the tests that look at pages."""

import pytest
from scripts import load_program
from sites import ROOT

gate = load_program(ROOT / "tests" / "site" / "gate.py")


@pytest.fixture(scope="module")  # its event loop must not run under the tests of other files
def browser():
    """A browser; without one, or without Playwright, the tests are skipped, and the summary says why."""
    pytest.importorskip("playwright", reason="the site was NOT looked at in a browser: Playwright is not installed")
    if gate.find_browser() is None:
        pytest.skip("the site was NOT looked at in a browser: no Chromium or Chrome found (variable CHROME names one)")
    with gate.open_browser() as browser:
        yield browser
