"""The browser of the tests that look at pages, and the drawings that a reader moves."""

import shutil

import jinja2
import numpy as np
import pytest
from scripts import load_program
from sites import ROOT

gate = load_program(ROOT / "tests" / "site" / "gate.py")
drawings = load_program(ROOT / "site" / "drawings.py")

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title>
<meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="_static/house.css"></head><body><main><h1>A page</h1>{}</main></body></html>"""


@pytest.fixture(scope="module")  # its event loop must not run under the tests of other files
def browser():
    """A browser; without one, or without Playwright, the tests are skipped, and the summary says why."""
    pytest.importorskip("playwright", reason="the site was NOT looked at in a browser: Playwright is not installed")
    if gate.find_browser() is None:
        pytest.skip("the site was NOT looked at in a browser: no Chromium or Chrome found (variable CHROME names one)")
    with gate.open_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The folder of pages that hold one drawing alone, as the site's template has it."""
    folder = tmp_path_factory.mktemp("drawings")
    templates = jinja2.Environment(loader=jinja2.FileSystemLoader(ROOT / "site" / "_templates"))
    (folder / "_static").mkdir()
    for path in (ROOT / "site" / "_static").glob("*.[cj]s*"):
        shutil.copy(path, folder / "_static")
    for name in drawings.STARTS:
        words = PAGE.format(drawings.with_drawings(f"<!-- {name} -->", templates, ""))
        (folder / f"{name}.html").write_text(words, encoding="utf-8")
    return folder


@pytest.fixture
def open_drawing(browser, pages):
    """Opens one; what `Math.random` returns may be handed in."""
    contexts = []

    def opened(name, draws=None, **options):
        contexts.append(context := browser.new_context(**options))
        tab = context.new_page()
        if draws is not None:
            tab.add_init_script(f"const draws = {np.ravel(draws).tolist()}; Math.random = () => draws.shift();")
        tab.goto((pages / f"{name}.html").as_uri())
        return tab

    yield opened
    for context in contexts:
        context.close()
