"""The site: links and folds of its pages, and refused where a reader would see an error (its pages: tests/site)."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from rules import ROOT
from sample import good_lesson
from scripts import load_program
from sites import lay_out

build_site = load_program(ROOT / "site" / "build.py")
pages = load_program(ROOT / "site" / "pages.py")
ledger = load_program(ROOT / "site" / "ledger.py")
cells = load_program(ROOT / "site" / "cells.py")
terms = load_program(ROOT / "site" / "terms.py")


def empty_api(folder, environment):
    """In place of the pages of the package, which take a while."""
    folder.mkdir()
    (folder / "index.md").write_text("# The package")


@pytest.mark.parametrize(
    "source, words",
    [
        ("[nowhere](99_missing.ipynb)", "99_missing"),
        ("$$\\begin{cases} q \\\\ c \\end{cases} \\tag{6}$$", r"05_sample.html: \\tag not allowed in split: .*q"),
    ],
)
def test_a_broken_page_stops_the_site(tmp_path, monkeypatch, source, words):
    notebook = good_lesson()
    notebook.cells[2].source = f"## A decision\n\n{source}"
    lay_out(tmp_path, {"05_sample": notebook})
    monkeypatch.setattr(build_site, "write_api", empty_api)
    with pytest.raises(build_site.SiteError, match=words):
        build_site.build(tmp_path)
    assert not (tmp_path / "build" / "site").exists()


@pytest.mark.parametrize(
    "formula, words",
    [
        (r"\begin{equation}\begin{split} a \\ b \end{split} \tag{1}\end{equation}", ""),
        (r"\begin{align} a &= 1 \tag{1} \\ b &= \left\{ 2 \right. \tag{2} \end{align}", ""),
        (r"\begin{cases} a & \text{if } b \cr c & \text{else}\end{cases} \tag{9, 16}", ""),
        (r"\begin{align}\begin{aligned} a \\ b \tag{1} \end{aligned}\end{align}", "not allowed in aligned"),
        (r"\begin{align*}\begin{gather} a \end{gather}\end{align*}", "second numbered environment, gather"),
        (r"a \tag{1} \tag{2}", "more than one"),
        (r"\begin{dcases} a \end{dcases}", "unknown environment dcases"),
        (r"\begin{cases} a \end{matrix}", "closes what is not open"),
        (r"\left( \frac{a}{b} \right) \right)", "\\right closes what"),
        (r"a & b", "& outside"),
        (r"\sqrt{a", "{ is never closed"),
    ],
)
def test_what_is_wrong_with_a_formula_is_said(formula, words):
    fault = build_site.formula_fault(formula)
    assert words in fault and bool(words) == bool(fault), fault


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
    linked = pages.linked_notebooks(text, ["05_sample", "13_audit"])
    assert linked.startswith("As in notebook [05](05_sample.ipynb), and notebooks [13](13_audit.ipynb) and 99.")
    assert linked.endswith("Notebook [13](13_audit.ipynb) ends.")
    assert linked.count("](") == text.count("](") + 3


def test_equations_and_claims_are_links():
    formula = '<div class="math notranslate nohighlight">\n\\[a \\tag{6}\\]</div>'
    page = f"{formula}<p>Equation (6), not equation (7); <code>equation (6)</code> <span>of (6)</span></p>"
    linked = pages.linked_equations(page)
    assert linked.startswith('<div class="math notranslate nohighlight" id="equation-6">')
    assert linked.count('Equation <a href="#equation-6">(6)</a>') == 1 == linked.count("<a ")
    output = "<pre><span></span>ours.this holds: 3\nours.other holds\n</pre><p>ours.this</p>"
    linked = pages.linked_claims(output, {"ours.this": "a < b"})
    assert (
        '<span></span><a class="claim" href="../ledger.html#ours.this" title="a &lt; b">ours.this</a> holds' in linked
    )
    assert linked.count("<a ") == 1


def test_a_term_is_linked_where_it_is_first_used():
    entries = terms.read_glossary(ROOT / "site" / "glossary.yml")["terms"]
    assert 30 <= len(entries) <= 60 and len({entry["anchor"] for entry in entries}) == len(entries)
    link = terms.TermLinks(entries, "../")
    first = link("# Grouping loss\n\n`grouping loss` of **Grouping losses** and a grouping loss, re-calibrated")
    assert (
        first.count("<a ") == 1
        and '<a class="term" href="../glossary.html#term-grouping-loss" title="The mean' in first
    )
    assert link("a grouping loss") == "a grouping loss"
    assert terms.TermLinks(entries, "../../")("regions").startswith(
        '<a class="term" href="../../glossary.html#term-region"'
    )


def test_links_between_lessons_and_checks_stay(tmp_path):
    for name in ("05_a", "checks/05_a"):
        path = tmp_path / "notebooks" / f"{name}.ipynb"
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text("{}")
    text = "[the lesson](../05_a.ipynb) and [the data](../../data/a.csv), notebook 05"
    notebook = new_notebook(cells=[new_markdown_cell(text)])
    stems = ["05_a", "checks/05_a"]
    cells.for_site(notebook, "checks/05_a", tmp_path / "notebooks", tmp_path / "images", stems)
    assert notebook.cells[0].source == "[the lesson](../05_a.ipynb) and the data, notebook [05](../05_a.ipynb)"


def test_a_page_has_no_sliders_without_a_kernel(tmp_path):
    data = {"application/vnd.jupyter.widget-view+json": {"model_id": "1"}, "text/plain": "Figure: a line"}
    notebook = new_notebook(cells=[new_code_cell(outputs=[new_output("display_data", data=data)])])
    cells.for_site(notebook, "05_a", tmp_path, tmp_path, ["05_a"])
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
    assert figure.read_bytes() == build_site.stored_figure(), "run: python site/build.py --store"
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
    with pytest.raises(build_site.SiteError, match="twice the pixels.*HONEST_FIGURE_SCALE=1"):
        build_site.store(tmp_path)
