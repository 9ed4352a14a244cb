"""The site: links, figures and folds of its pages, and what stops it (its pages: tests/site)."""

import base64
import html
import io
import re

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output
from PIL import Image
from rules import ROOT, read_ledger
from sample import ALT, good_lesson
from scripts import load_program
from sites import lay_out

from helpers.notebook import figure, prediction
from helpers.notebook.display import collected

build_site = load_program(ROOT / "site" / "build.py")
ledger = load_program(ROOT / "site" / "ledger.py")
links = load_program(ROOT / "site" / "links.py")
figures = load_program(ROOT / "site" / "figures.py")
cells = load_program(ROOT / "site" / "cells.py")
paper_figures = load_program(ROOT / "site" / "paper_figures.py")


def page_links(up="../", **targets):
    """Links of a page to what is given, and to nothing else."""
    empty = {"lessons": {}, "terms": [], "papers": {}, "functions": {}, "claims": {}}
    return links.PageLinks(links.Targets(**empty | targets), up)


@pytest.mark.nightly
def test_a_link_that_leads_nowhere_stops_the_site(tmp_path):
    notebook = good_lesson()
    notebook.cells[2].source = "## A decision\n\n[nowhere](99_missing.ipynb)"
    lay_out(tmp_path, {"05_sample": notebook})
    work = tmp_path / "work"
    build_site.write_sources(tmp_path, build_site.executed_copies(tmp_path), work, modules={})
    for path in work.rglob("*.md"):  # one page is enough for Sphinx
        path.unlink()
    (work / "index.md").write_text("# One page\n\n```{toctree}\nnotebooks/05_sample\n```\n")
    with pytest.raises(SystemExit, match="99_missing"):
        build_site.run_sphinx(work, tmp_path / "site", tmp_path / "doctrees", repository="")


def test_a_notebook_without_results_stops_the_site(tmp_path):
    lay_out(tmp_path, {"05_sample": good_lesson()})
    (tmp_path / "notebooks" / "06_new.ipynb").write_text("{}")
    with pytest.raises(SystemExit, match="06_new.ipynb is missing"):
        build_site.build(tmp_path)


MELO = {"anchor": "paper-melo", "says": "a paper", "year": 2026}


@pytest.mark.parametrize(("text", "linked"), [
    ("Equation (6)", 'Equation <a href="#mjx-eqn:6">(6)</a>'),
    ("$x$ of (6)", '$x$ of <a href="#mjx-eqn:6">(6)</a>'),
    ("equation (7)", None),
    ("`equation (6)`", None),
    ("`ecuas()`", "{py:obj}`ecuas() <helpers.selective.ecuas>`"),
    ("ecuas, `ecuas(x)`, [`ecuas`](x.md)", None),
    ("Melo et al.", '<a class="paper" href="../index.html#paper-melo" title="a paper">Melo et al.</a>'),
    ("$$q \\text{ (Melo et al.)}$$", None),
    ("Melo & Wei (2023)", None),
    ("Wang et al.", None),
    ("notebooks 13 and 99", "notebooks [13](../notebooks/13_audit.ipynb) and 99"),
    ("# Not notebook 13", None),
    ("`notebook 13` $notebook 13$ [notebook 13](x.html)", None),
    ("at 60 % of `60 %`", "at 60\N{NO-BREAK SPACE}% of `60 %`"),
    ("```\nnotebook 13\n```", None),
])  # fmt: skip
def test_what_is_named_is_a_link_but_not_in_formulas_and_code(text, linked):
    named = {"functions": {"ecuas": "helpers.selective.ecuas"}, "papers": {"Melo": MELO}, "lessons": {"13": "13_audit"}}
    page = page_links(**named)
    page.equations.add("6")
    assert page.prose(text) == (linked or text)


def test_claims_are_links():
    linked = page_links(claims={"ours.this": "a < b"}).claims("<li>\nours.this holds: 3</li>\nours.other holds")
    assert '<a class="claim" href="../ledger.html#ours.this" title="a &lt; b">ours.this</a> holds' in linked
    assert linked.count("<a ") == 1


def test_a_term_is_linked_where_it_is_first_used():
    entries = build_site.read_glossary(ROOT / "site" / "glossary.yml", build_site.read_course())["terms"]
    assert len({entry["anchor"] for entry in entries}) == len(entries)
    page = page_links(terms=entries)
    first = page.prose("# Grouping loss\n\n`grouping loss` of **Grouping losses** and a grouping loss, re-calibrated")
    assert first.count("<a ") == 1
    assert '<a class="term" href="../glossary.html#term-grouping-loss" title="The mean' in first
    assert page.prose("a grouping loss") == "a grouping loss" and page.used == {"grouping loss"}


def drawn(count, *, legend=False, **shared):
    """PNG of a wide figure of `count` panels."""
    fig, axes = plt.subplots(1, count, figsize=(11, 3), squeeze=False, layout="constrained", **shared)
    for number, ax in enumerate(axes.flat):
        ax.plot([0, 1], [1, 2 + number], label="a line")
        ax.set(title="a title", ylabel="a label")
    if legend:
        fig.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center")
    with collected() as outputs:
        figure(fig, alt="Lines that rise, one in each panel.")
    return base64.b64decode(outputs[0][0]["image/png"])


@pytest.mark.parametrize("count", [2, 3])
def test_panels_stand_under_each_other_and_no_ink_is_lost(count):
    picture = Image.open(io.BytesIO(drawn(count)))
    column = figures.stacked(picture, figures.DPI)
    assert column.height == picture.height * count and column.width < 1.3 * picture.width / count
    ink = [(np.asarray(image.convert("L")) < 128).sum() for image in (column, picture)]
    assert ink[0] == ink[1]


@pytest.mark.parametrize("options", [{"count": 1}, {"count": 2, "sharey": True}, {"count": 2, "legend": True}])
def test_panels_that_need_each_other_stay_side_by_side(options):
    picture = Image.open(io.BytesIO(drawn(**options)))
    assert figures.stacked(picture, figures.DPI) is None


def redrawing(row):
    """A notebook whose one figure draws a row of the ledger again."""
    notebook = good_lesson()
    notebook.cells[3].outputs[0].metadata["honest"] = {"alt": ALT, "redraws": [row], "title": "It falls"}
    return notebook


def test_a_picture_on_the_page_of_figures_leads_to_its_cell(tmp_path):
    lay_out(tmp_path, {"05_sample": redrawing("melo2026.figure3")})
    work = tmp_path / "work"
    build_site.write_sources(tmp_path, build_site.executed_copies(tmp_path), work, modules={})
    page = (work / "paper_figures.md").read_text(encoding="utf-8")
    (address,) = re.findall(r'<a href="notebooks/05_sample\.html#([\w-]+)"><img', page)
    assert f'id="{address}"' in (work / "notebooks" / "05_sample.ipynb").read_text().replace('\\"', '"')
    assert "It falls" in page
    pictured, *others = re.findall(r'<(div|li)[^>]* id="(melo2026\.figure\d+)"', page)
    assert pictured == ("div", "melo2026.figure3") and {kind for kind, _ in others} == {"li"}


@pytest.mark.parametrize("row", ["melo2026.figure99", "melo2026.equation6"])
def test_a_picture_of_what_is_no_figure_of_a_paper_stops_the_site(row):
    with pytest.raises(SystemExit, match=row):
        paper_figures.figures_page(read_ledger(), {"05_sample": redrawing(row)})


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


# Sections of the page of a paper: statuses that the ledger's rows named there may have
SECTIONS = {"What holds": {"verified", "agrees", "reproduced"}, "What we cannot tell": {"cannot tell"}}


@pytest.mark.parametrize("page", sorted((ROOT / "site" / "papers").glob("*.md")), ids=lambda page: page.stem)
def test_the_page_of_a_paper_says_what_the_ledger_says(page):
    text = page.read_text(encoding="utf-8")
    status = {row["id"]: row["status"] for row in read_ledger()}
    for section in text.split("\n## ")[1:]:
        title = section.splitlines()[0]
        named = re.findall(r"`((?:ours|[a-z]+20\d\d)\.[\w.-]+)`", section)
        unknown = [name for name in named if name not in status]
        assert not unknown
        allowed = SECTIONS.get(title, set(status.values()))
        assert {name: status[name] for name in named if status[name] not in allowed} == {}


def test_settings_and_their_guard_are_one_cell_unless_the_guard_is_not_shown():
    for tags, n_cells in (([], 1), (["remove-cell"], 2)):
        guard = new_code_cell("parameters(seed=at_least(0))", metadata={"tags": tags})
        book = new_notebook(cells=[new_code_cell("seed = 0  # of all", metadata={"tags": ["parameters"]}), guard])
        cells.join_settings(book)
        assert len(book.cells) == n_cells and ("at_least" in book.cells[0].source) == (n_cells == 1)


def test_words_about_a_figure_inside_a_prediction_stay_as_they_are(tmp_path):
    alt = "The loudest group's interval is 5 $ wide, & holds < 0."
    with collected() as outputs, prediction():
        figure(plt.figure(), alt=alt)
    output = new_output("display_data", outputs[0][0], metadata=outputs[0][1])
    figures.show_figures(output, tmp_path, "figures")
    shown = re.search(r'<img src="figures/[^>]*alt="([^"]*)"', output["data"]["text/html"])
    assert html.unescape(shown[1]) == alt and "&amp;#" not in shown[1]
