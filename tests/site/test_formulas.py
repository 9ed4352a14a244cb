"""Formulas that are drawn while the pages are made, as MathJax would draw them in a browser."""

import sys

import pytest
from scripts import load_program
from sites import ROOT

build_site = load_program(ROOT / "site" / "build.py")
formulas = load_program(ROOT / "site" / "formulas.py")
HEAD = '<html><head><script>window.MathJax = {}</script><script src="_static/mathjax/startup.js"></script></head>'


@pytest.fixture
def mathjax():
    """The folder of MathJax's scripts; without V8 its tests are skipped, and the summary says why."""
    pytest.importorskip("py_mini_racer", reason="no formula was drawn: mini-racer is not installed")
    from importlib.util import find_spec
    from pathlib import Path

    return Path(find_spec("sphinx-mathjax-offline").origin).parent / "static" / "mathjax"


def page_with(*elements):
    return f"{HEAD}<body>{''.join(elements)}</body></html>"


def test_formulas_are_drawn_and_no_script_is_loaded(tmp_path, mathjax):
    (tmp_path / "_static").mkdir()
    (tmp_path / "deep").mkdir()
    line = '<div class="math notranslate nohighlight" id="equation-6">\n\\[\\mathbb{E} p \\tag{6}\\]</div>'
    inside = '<span class="math notranslate nohighlight">\\(q &lt; \\boldsymbol{c}\\)</span>'
    (tmp_path / "deep" / "a.html").write_text(page_with(line, inside))
    (tmp_path / "plain.html").write_text(page_with("<p>words</p>"))
    assert formulas.draw_formulas(tmp_path, mathjax) == []
    page = (tmp_path / "deep" / "a.html").read_text()
    assert page.count("<mjx-container") == 2 == page.count("<math ") and "<mo>&lt;</mo>" in page
    assert 'id="equation-6">' in page and "\\tag" not in page and "<script" not in page
    assert 'href="../_static/formulas.css"' in page
    assert (tmp_path / "plain.html").read_text() == page_with("<p>words</p>")
    style = (tmp_path / "_static" / "formulas.css").read_text()
    assert 'url("mathjax/output/chtml/fonts/woff-v2/MathJax_AMS-Regular.woff")' in style
    assert "mjx-c1D45E" in style  # the letter q


def test_what_mathjax_cannot_draw_is_a_fault_in_its_own_words(tmp_path, mathjax):
    (tmp_path / "_static").mkdir()
    (tmp_path / "a.html").write_text(
        page_with(r'<span class="math">\(\frac{a}\)</span>', r'<span class="math">\(\oops\)</span>')
    )
    faults = formulas.draw_formulas(tmp_path, mathjax)
    assert faults == [
        r"a.html: Missing argument for \frac: \frac{a}",
        r"a.html: Undefined control sequence \oops: \oops",
    ]


def test_without_v8_browsers_draw_the_formulas(monkeypatch):
    monkeypatch.setitem(sys.modules, "py_mini_racer", None)
    assert not formulas.can_draw()
