"""The site: links, figures and folds of its pages, and what stops it (its pages: tests/site)."""

import io

import nbformat
import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output
from PIL import Image, ImageDraw
from rules import ROOT
from sample import good_lesson
from scripts import load_program
from sites import lay_out

build_site = load_program(ROOT / "site" / "build.py")
ledger = load_program(ROOT / "site" / "ledger.py")
cells = load_program(ROOT / "site" / "cells.py")
links = load_program(ROOT / "site" / "links.py")
figures = load_program(ROOT / "site" / "figures.py")


def page_links(up="../", **targets):
    """Links of a page to what is given, and to nothing else."""
    empty = {"lessons": {}, "terms": [], "papers": {}, "functions": {}, "claims": {}}
    return links.PageLinks(links.Targets(**empty | targets), up)


@pytest.mark.slow
def test_a_link_that_leads_nowhere_stops_the_site(tmp_path):
    notebook = good_lesson()
    notebook.cells[2].source = "## A decision\n\n[nowhere](99_missing.ipynb)"
    lay_out(tmp_path, {"05_sample": notebook})
    with pytest.raises(SystemExit, match="99_missing"):
        build_site.build(tmp_path, modules={})
    assert not (tmp_path / "build" / "site").exists()


def test_a_notebook_without_results_stops_the_site(tmp_path):
    lay_out(tmp_path, {"05_sample": good_lesson()})
    (tmp_path / "notebooks" / "06_new.ipynb").write_text("{}")
    with pytest.raises(SystemExit, match="06_new.ipynb is missing"):
        build_site.build(tmp_path)


def test_the_ledger_counts_claims_that_notice_a_wrong_formula():
    known = {"status": "verified", "noticed": ["n for m"]}
    assert ledger.share_noticed([known, known | {"noticed": []}, known | {"status": "needs"}]) == "1 of 2 (50 %)"
    rows = ledger.with_noticed([{"id": "a"}, {"id": "b"}], [{"claim": "a", "wrong": "n for m"}] * 2)
    assert [row["noticed"] for row in rows] == [["n for m"], []]


def test_a_notebook_that_is_named_is_a_link():
    text = (
        "As in notebook 05, and notebooks 13 and 99.\n\n# Not notebook 05\n\n`notebook 05` $notebook 05$ "
        "[notebook 05](x.html)\n\n```\nnotebook 05\n```\nNotebook 13 ends."
    )
    linked = page_links("", lessons={"05": "05_sample", "13": "13_audit"}).prose(text)
    assert linked.startswith(
        "As in notebook [05](notebooks/05_sample.ipynb), and notebooks [13](notebooks/13_audit.ipynb) and 99."
    )
    assert linked.endswith("Notebook [13](notebooks/13_audit.ipynb) ends.")
    assert linked.count("](") == text.count("](") + 3


def test_equations_of_the_page_are_links():
    page = page_links()
    page.equations.add("6")
    assert page.prose("Equation (6), not equation (7); `equation (6)`, $x$ of (6)") == (
        'Equation <a href="#mjx-eqn:6">(6)</a>, not equation (7); `equation (6)`, $x$ of <a href="#mjx-eqn:6">(6)</a>'
    )


def test_claims_are_links():
    linked = page_links(claims={"ours.this": "a < b"}).claims("<li>\nours.this holds: 3</li>\nours.other holds")
    assert '<a class="claim" href="../ledger.html#ours.this" title="a &lt; b">ours.this</a> holds' in linked
    assert linked.count("<a ") == 1


def test_functions_are_links_where_they_stand_in_code():
    page = page_links(functions={"ecuas": "helpers.selective.ecuas"})
    assert page.prose("ecuas, `ecuas()`, `ecuas(x)`, [`ecuas`](x.md)") == (
        "ecuas, {py:obj}`ecuas() <helpers.selective.ecuas>`, `ecuas(x)`, [`ecuas`](x.md)"
    )


def test_papers_are_links_but_not_in_formulas_nor_those_of_others_of_the_name():
    melo = {"anchor": "paper-melo", "says": "a paper", "year": 2026}
    page = page_links(papers={"Melo": melo})
    assert page.prose("Melo et al. say").startswith('<a class="paper" href="../index.html#paper-melo" title="a paper">')
    assert "<a " in page.prose("Melo, Varoquaux & Le Morvan (2026)")
    for text in ("$$q \\text{ (Melo et al.)}$$", "Melo & Wei (2023)", "Wang et al."):
        assert page.prose(text) == text


def test_a_term_is_linked_where_it_is_first_used():
    entries = build_site.read_glossary(ROOT / "site" / "glossary.yml")["terms"]
    assert 30 <= len(entries) <= 60 and len({entry["anchor"] for entry in entries}) == len(entries)
    page = page_links(terms=entries)
    first = page.prose("# Grouping loss\n\n`grouping loss` of **Grouping losses** and a grouping loss, re-calibrated")
    assert first.count("<a ") == 1
    assert '<a class="term" href="../glossary.html#term-grouping-loss" title="The mean' in first
    assert page.prose("a grouping loss") == "a grouping loss" and page.used == {"grouping loss"}


def draw_panels(count, *, labels):
    """A wide picture of `count` boxes side by side, with a word on the left of the first one, or of each."""
    picture = Image.new("RGB", (1200, 300), "white")
    draw = ImageDraw.Draw(picture)
    for number in range(count):
        left = 1200 * number // count
        draw.rectangle((left + 60, 20, left + 1200 // count - 30, 280), outline="black")
        if labels or not number:
            draw.rectangle((left + 20, 100, left + 35, 200), fill="black")
    return picture


@pytest.mark.parametrize("count", [2, 3])
def test_panels_stand_under_each_other_and_no_ink_is_lost(count):
    picture = draw_panels(count, labels=True)
    column = figures.stacked(picture, figures.DPI)
    assert column.height == 300 * count and column.width < 1.3 * 1200 / count
    assert (np.asarray(column) == 0).sum() == (np.asarray(picture) == 0).sum()


def test_panels_that_need_the_labels_of_the_first_stay_beside_it():
    assert figures.stacked(draw_panels(2, labels=False), figures.DPI) is None
    assert figures.stacked(draw_panels(1, labels=True), figures.DPI) is None
    assert figures.stacked(draw_panels(2, labels=True).resize((600, 150)), figures.DPI) is None


def test_a_figure_has_its_words_and_its_size(tmp_path):
    file = io.BytesIO()
    draw_panels(2, labels=True).save(file, "PNG", dpi=(2 * figures.DPI, 2 * figures.DPI))
    page = figures.figure_html(file.getvalue(), 'a "line"', tmp_path, "x")
    (name,) = [path.name for path in tmp_path.iterdir()]
    assert f'href="x/{name}"' in page and 'alt="a &quot;line&quot;" width="600" height="150"' in page


def test_a_page_has_no_sliders_without_a_kernel(tmp_path):
    data = {"application/vnd.jupyter.widget-view+json": {"model_id": "1"}, "text/plain": "Figure: a line"}
    notebook = new_notebook(cells=[new_code_cell(outputs=[new_output("display_data", data=data)])])
    cells.for_site(notebook, "05_a", page_links(), tmp_path)
    assert notebook.cells[0].outputs[0].data == {"text/plain": "Figure: a line"}


def test_open_claims_are_folded_unless_one_fails():
    outputs = [
        new_output(
            "display_data", data={"text/plain": f"a.{k} holds"}, metadata={"honest": {"claim": f"a.{k}", "holds": True}}
        )
        for k in range(3)
    ]
    line = new_output("stream", name="stdout", text="a line")
    cell = new_code_cell(outputs=[outputs[0], line, *outputs[1:]])
    cells.fold_outputs(cell)
    assert [out.output_type for out in cell.outputs] == ["stream", "display_data"]
    assert "3 checks passed" in cell.outputs[1].data["text/html"]
    outputs[1].metadata.honest.holds = False
    cell = new_code_cell(outputs=list(outputs))
    cells.fold_outputs(cell)
    assert cell.outputs == outputs


def test_readme_shows_the_figure_that_its_notebook_stores():
    figure = ROOT / "site" / "_static" / "idea.png"
    lesson = nbformat.read(ROOT / "notebooks" / "00_start_here.ipynb", as_version=4)
    assert figure.read_bytes() == figures.first_figure(lesson), "run: python site/build.py --store"
    assert figure.relative_to(ROOT).as_posix() in (ROOT / "README.md").read_text(encoding="utf-8")


def test_executed_notebooks_are_stored(tmp_path):
    notebook = good_lesson()
    lay_out(tmp_path, {"05_sample": notebook})
    for folder in ("notebooks", "build/executed/00_start_here"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, tmp_path / folder / "00_start_here.ipynb")
    (tmp_path / "build/executed/00_start_here/metrics.json").write_text("{}")
    (tmp_path / "notebooks" / "05_sample.ipynb").write_text("old")
    build_site.store(tmp_path)
    executed = tmp_path / "build" / "executed" / "05_sample" / "05_sample.ipynb"
    assert (tmp_path / "notebooks" / "05_sample.ipynb").read_bytes() == executed.read_bytes()
    assert (tmp_path / "site" / "_static" / "idea.png").read_bytes().startswith(b"\x89PNG")
    picture = new_output("display_data", data={"image/png": ""}, metadata={"image/png": {"alt": "x", "width": 704}})
    notebook.cells.append(new_code_cell(outputs=[picture]))
    nbformat.write(notebook, executed)
    with pytest.raises(SystemExit, match="twice the pixels.*HONEST_FIGURE_SCALE=1"):
        build_site.store(tmp_path)
