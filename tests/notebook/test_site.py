"""The site: whole without a network, and refused where a reader would see an error."""

import json
import re
import shutil

import nbformat
import pytest
from rules import ROOT, read_ledger
from sample import ALT, good_notebook
from scripts import load_program

build_site = load_program(ROOT / "site" / "build.py")
pages = load_program(ROOT / "site" / "pages.py")


def lay_out(root, notebook):
    """A small copy of this repository, as `make run` leaves it before the site is rendered."""
    shutil.copytree(ROOT / "site", root / "site", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "data").mkdir()
    shutil.copy(ROOT / "data" / "claims.csv", root / "data")
    for name in ("constraints.txt", "CITATION.cff"):
        shutil.copy(ROOT / name, root)
    executed = root / "build" / "executed" / "05_sample"
    for folder in (root / "notebooks", executed):
        folder.mkdir(parents=True)
        nbformat.write(notebook, folder / "05_sample.ipynb")
    metrics = {"seconds": 12.3, "claims": [{"claim": "known.claim", "holds": True}]}
    (executed / "metrics.json").write_text(json.dumps(metrics))


def test_site_is_whole_without_a_network(tmp_path, monkeypatch):
    assert len(build_site.rooms()) > 20
    monkeypatch.setattr(build_site, "rooms", lambda: ["grouping"])
    lay_out(tmp_path, good_notebook())
    assert "site rendered" in build_site.build(tmp_path)
    site = tmp_path / "build" / "site"
    page = (site / "notebooks" / "05_sample.html").read_text(encoding="utf-8")
    assert f'alt="{ALT}"' in page and "\\tag{6}" in page
    assert "show(" not in re.sub("<[^>]+>", "", page)  # remove-cell
    assert "mathjax/startup.js" in page and "fontawesome.js" not in page
    parts = [path.name for path in (site / "_static" / "mathjax").rglob("*") if path.is_file()]
    assert {"startup.js", "core.js", "chtml.js", "MathJax_Main-Regular.woff"} <= set(parts)
    assert "tex-svg.js" not in parts
    assert page.count('name="description"') == 1
    assert build_site.outside_sources(site) == [] and build_site.missing_alt(site) == []
    index = (site / "index.html").read_text(encoding="utf-8")
    assert "_static/cards/05_sample.png" in index and (site / "_static" / "cards" / "05_sample.png").exists()
    assert "/mathjax/" not in index  # it has no formula
    assert "Melo 3.1" in (site / "map.html").read_text(encoding="utf-8")
    ledger = (site / "ledger.html").read_text(encoding="utf-8")
    assert all(f'<tr id="{row["id"]}" data-paper=' in ledger for row in read_ledger())
    assert '<a class="reference internal" href="api/index.html"' in index
    package = (site / "api" / "helpers.grouping.html").read_text(encoding="utf-8")
    assert 'id="helpers.grouping.grouping_loss"' in package and "Parameters<span" in package
    assert "site reused" in build_site.build(tmp_path)
    wrong = (
        (site / "index.html")
        .read_text(encoding="utf-8")
        .replace("</head>", '<script src="https://cdn.x/a.js"></script></head>')
    )
    (site / "index.html").write_text(wrong, encoding="utf-8")
    (site / "_static" / "x.css").write_text("@font-face { src: url(//fonts.x/a.woff2); }")
    assert build_site.outside_sources(site) == ["_static/x.css: //fonts.x/a.woff2", "index.html: https://cdn.x/a.js"]
    (tmp_path / "notebooks" / "06_new.ipynb").write_text("{}")
    with pytest.raises(build_site.SiteError, match="06_new.ipynb is missing"):
        build_site.build(tmp_path)


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
    notebook = good_notebook()
    notebook.cells[2].source = f"## A decision\n\n{source}"
    lay_out(tmp_path, notebook)
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
    page = f"{formula}<p>Equation (6), not equation (7); <code>equation (6)</code></p>"
    linked = pages.linked_equations(page)
    assert linked.startswith('<div class="math notranslate nohighlight" id="equation-6">')
    assert linked.count('<a href="#equation-6">Equation (6)</a>') == 1 == linked.count("<a ")
    output = "<pre><span></span>ours.this holds: 3\nours.other holds\n</pre><p>ours.this</p>"
    linked = pages.linked_claims(output, {"ours.this"})
    assert '<span></span><a class="claim" href="../ledger.html#ours.this">ours.this</a> holds' in linked
    assert linked.count("<a ") == 1


def test_readme_shows_the_figure_that_its_notebook_stores():
    figure = ROOT / "site" / "_static" / "idea.png"
    assert figure.read_bytes() == build_site.stored_figure(), "run: python site/build.py --store"
    assert figure.relative_to(ROOT).as_posix() in (ROOT / "README.md").read_text(encoding="utf-8")


def test_executed_notebooks_are_stored(tmp_path):
    notebook = good_notebook()
    lay_out(tmp_path, notebook)
    for folder in ("notebooks", "build/executed/00_start_here"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, tmp_path / folder / "00_start_here.ipynb")
    (tmp_path / "build/executed/00_start_here/metrics.json").write_text("{}")
    (tmp_path / "notebooks" / "05_sample.ipynb").write_text("old")
    build_site.store(tmp_path)
    executed = tmp_path / "build" / "executed" / "05_sample" / "05_sample.ipynb"
    assert (tmp_path / "notebooks" / "05_sample.ipynb").read_bytes() == executed.read_bytes()
    assert (tmp_path / "site" / "_static" / "idea.png").read_bytes().startswith(b"\x89PNG")
