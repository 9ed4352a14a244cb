"""The page of an executed notebook: what is left out, what is opened, formulas without a script."""

import re
from functools import cache
from pathlib import Path

import nbformat
import nbformat.v4 as v4
import pytest

from helpers.notebook import page, prediction
from helpers.notebook.display import collected, emit
from helpers.notebook.page import is_report, title_of, to_html, to_mathml
from helpers.practice.run import list_notebooks

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_leaves_out_exercises_and_keeps_alt_texts():
    picture = v4.new_output("display_data", {"image/png": "iVBORw0KGgo=\n"}, metadata={"honest": {"alt": "A <line>."}})
    text = v4.new_output("stream", text="an answer\n")
    cells = [
        v4.new_markdown_cell("# Title with `code` and [a link](x.ipynb)\n\n[other](05.ipynb) and [web](https://a.b)"),
        v4.new_code_cell("draw()", outputs=[picture]),
        v4.new_markdown_cell("## Exercises\n\nWhat?"),
        v4.new_markdown_cell("### Exercise 1"),
        v4.new_code_cell("check()", outputs=[text]),
        v4.new_markdown_cell("## Quiz\n\nWhich?\n\n## Key ideas\n\nAll."),
        v4.new_markdown_cell("## Evidence\n\n$$\\hat q_i \\tag{4}$$\n\n$\\left( x$"),
        v4.new_code_cell("hidden()", outputs=[text], metadata={"tags": ["solution"]}),
    ]
    nb = v4.new_notebook(cells=cells)
    page = to_html(nb, note="<made>", remark="Other numbers.")
    assert page.index("</h1>") < page.index("<em>Other numbers.</em>") < page.index("A &lt;line")
    assert title_of(nb) == "Title with code and a link"
    assert 'alt="A &lt;line&gt;."' in page and "data:image/png;base64,iVBORw0KGgo=" in page
    assert "an answer" not in page and "What?" not in page and "Exercise" not in page and "draw()" not in page
    assert "Which?" not in page and "Key ideas" not in page
    assert "Evidence" in page and "<msub><mover" in page and "(4)" in page and r"<code>\left( x</code>" in page
    assert "05.ipynb" not in page and 'href="https://a.b"' in page and "&lt;made&gt;" in page
    assert 'name="viewport"' in page and "<script" not in page
    assert cells[1].outputs[0].data.keys() == {"image/png"}


@pytest.mark.parametrize("choices", [(), ("larger", "smaller")])
def test_a_page_opens_predictions(choices):
    inner = "<details><summary>more</summary>\n<p>an answer</p>\n</details>"
    with collected() as outputs, prediction(*choices):
        emit({"text/html": inner})
    bundle, metadata = outputs[0]
    folded = v4.new_output("display_data", dict(bundle), metadata=metadata)
    cells = [
        v4.new_markdown_cell("# Report"),
        v4.new_markdown_cell("## The answer"),
        v4.new_code_cell("tell()", outputs=[folded], metadata={"tags": ["predict"]}),
    ]
    page = to_html(v4.new_notebook(cells=cells))
    assert "The answer" in page and "<summary>more</summary>\n<p>an answer</p>\n</details>" in page
    assert not [word for word in ("came out", "honest-fold", "honest-choice", "larger") if word in page]
    assert folded.data["text/html"] == bundle["text/html"]  # the notebook keeps what is folded


def test_what_has_no_prose_below_its_title_is_a_report():
    cells = [v4.new_markdown_cell("# Report"), v4.new_code_cell("tell()")]
    assert is_report(v4.new_notebook(cells=cells))
    assert not is_report(v4.new_notebook(cells=[*cells, v4.new_markdown_cell("About 17 points.")]))


def test_headings_that_cells_show_are_those_of_the_page():
    cells = [v4.new_markdown_cell("# Report")]
    for name in "abcdef":
        heading = f"## Part {name}\n\nSome **words**."
        cells.append(v4.new_code_cell("", outputs=[v4.new_output("display_data", {"text/markdown": heading})]))
    page = to_html(v4.new_notebook(cells=cells))
    assert '<a href="#section-6">Part f</a>' in page and '<h2 id="section-6">Part f</h2>' in page
    assert page.count("<strong>words</strong>") == 6


def test_a_fold_of_words_and_formulas_ends_where_it_does():
    text = "<details><summary>For experts</summary>\n\n**Inside** $x$\n\n$$y$$\n\n</details>\n\nOutside <b>it</b>."
    page = to_html(v4.new_notebook(cells=[v4.new_markdown_cell(f"# Report\n\n{text}")]))
    assert re.search(r"<summary>.*<strong>Inside.*<mi>x</mi>.*<mi>y</mi>.*</details>.*Outside", page, re.DOTALL)
    assert page.count("<details>") == page.count("</details>") == 1


def test_mathematics():
    assert "<munder><munder>" in to_mathml(r"\underbrace{x}_{y}") and "<munder" not in to_mathml(r"\hat q_i^2")
    assert "<mtable" in to_mathml(r"\begin{align} a &= b \\ c &= d \end{align}", "block")
    assert to_mathml("x < y").count("<") == to_mathml("x + y").count("<")


@pytest.mark.nightly
def test_every_formula_of_the_notebooks_is_drawn(monkeypatch):
    monkeypatch.setattr(page, "exporter", cache(page.exporter))  # its templates are compiled once
    for path in list_notebooks(ROOT / "notebooks").values():
        notebook = nbformat.read(path, as_version=4)
        notebook.cells = [cell for cell in notebook.cells if cell.cell_type == "markdown"]
        words = to_html(notebook, ROOT / "notebooks")
        assert not re.findall(r"<code>(\\[A-Za-z]+[^<]*)</code>|<m[a-z]*>\s*(\\[A-Za-z]+)", words), path.name
