"""The site of a small repository, as its reader gets it: whole without a network, and looked at in a real browser."""

import html
import re

import nbformat
import pytest
from nbformat.v4 import new_output
from scripts import load_program
from sites import ROOT, lay_out

build_site = load_program(ROOT / "site" / "build.py")
sample = load_program(ROOT / "tests" / "notebook" / "sample.py")
LESSON = "00_start_here"  # a real one, beside the sample


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """build/site of a sample and its checks, of a lesson that this repository ships, and of one package."""
    root = tmp_path_factory.mktemp("site")
    lesson = sample.good_lesson()
    lesson.cells[
        2
    ].source += "\n\nA grouping loss; [its checks](checks/05_sample.ipynb). Melo et al. use `grouping_loss`."
    lesson.cells[2].source += "\n\nEquation (6) says so."
    checks = sample.good_checks()
    checks.cells[0].source += "\n\n[The lesson](../05_sample.ipynb), as in notebook 05."
    claim = {"honest": {"claim": "ours.start_null", "holds": True}}
    text = {"text/plain": "ours.start_null holds: 3"}
    checks.cells[1].outputs = [new_output("display_data", data=text, metadata=claim)]
    books = {"05_sample": lesson, "checks/05_sample": checks}
    for name in (LESSON, f"checks/{LESSON}"):
        books[name] = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4)
    lay_out(root, books)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build_site, "rooms", lambda: ["grouping"])
        patch.setattr(build_site, "ROUTES", {"Language models": ("You ask one.", "05 00")})
        assert "site rendered" in build_site.build(root)
        assert "site reused" in build_site.build(root)
    return root / "build" / "site"


def read(site, name):
    return (site / name).read_text(encoding="utf-8")


# ---- what the pages hold --------------------------------------------------------------------------------------------


def test_lessons_have_folds_links_and_descriptions(site):
    page = read(site, "notebooks/05_sample.html")
    assert f'alt="{sample.ALT}"' in page and 'id="equation-6"' in page
    words = re.sub("<[^>]+>", "", page)
    assert words.count("show('a line')") == 2  # those of the predictions; one cell is tagged remove-cell
    assert page.count("Show the solution") == 4 and page.count("Show the check") == 4
    assert "quiz(" not in words
    assert 'href="../glossary.html#term-grouping-loss"' in page and 'href="checks/05_sample.html"' in page
    assert 'Equation <a href="#equation-6">(6)</a>' in page
    assert 'href="../index.html#paper-melo" title="Melo, Varoquaux, Le Morvan (2026): Epistemic' in page
    assert 'href="../api/helpers.grouping.html#helpers.grouping.grouping_loss"' in page
    assert page.count('name="description"') == 1 and "Cite this lesson" in page and "@misc" in words
    assert "Where to go on" in words and "Language models, 1 of 2: next is 00 Start here" in " ".join(words.split())
    assert re.search(rf'rel="next" href="{LESSON}.html\?route=language">00 ', page)
    beside = read(site, "notebooks/checks/05_sample.html")
    assert beside.count('href="../05_sample.html"') >= 2 and "1 check passed" in beside
    statement = next(row["statement"] for row in build_site.read_rows(ROOT, "claims") if row["id"] == "ours.start_null")
    assert 'href="../../ledger.html#ours.start_null" title="' in beside
    assert html.escape(build_site.plain(statement)) in beside


def test_other_pages_are_there(site):
    glossary = read(site, "glossary.html")
    assert 'id="term-grouping-loss"' in glossary and "Platt scaling" in glossary
    index = read(site, "index.html")
    assert "_static/cards/05_sample.png" in index and (site / "_static" / "cards" / "05_sample.png").exists()
    assert '<a class="reference internal" href="api/index.html"' in index and 'id="paper-melo"' in index
    assert "Melo 3.1" in read(site, "map.html")
    ledger = read(site, "ledger.html")
    assert all(f'<tr id="{row["id"]}" data-paper=' in ledger for row in build_site.read_rows(ROOT, "claims"))
    package = read(site, "api/helpers.grouping.html")
    assert 'id="helpers.grouping.grouping_loss"' in package and "Parameters<span" in package
    assert len(build_site.rooms()) > 20


def test_pages_are_light(site):
    lesson = read(site, "notebooks/05_sample.html")
    parts = {path.name for path in (site / "_static" / "mathjax").rglob("*") if path.is_file()}
    assert "/mathjax/" not in read(site, "index.html") and "formulas.css" not in read(site, "index.html")  # no formula
    assert "MathJax_Main-Regular.woff" in parts and "tex-svg.js" not in parts
    if build_site.can_draw():
        assert "mjx-container" in lesson and "/mathjax/" not in lesson
        assert (site / "_static" / "formulas.css").exists() and "startup.js" not in parts
    else:
        assert "mathjax/startup.js" in lesson and {"startup.js", "core.js", "chtml.js"} <= parts
    assert "searchindex.js" not in lesson and "searchindex.js" in read(site, "search.html")
    assert not list(site.rglob("fontawesome.js")) and not list((site / "_images").glob("*.png"))
    assert re.search(r'<img [^>]*\.webp"[^>]* width="\d+" height="\d+"[^>]* loading="lazy"', lesson)
    fonts = "".join(re.findall(r"@font-face\s*\{[^}]*\}", read(site, "_static/styles/pydata-sphinx-theme.css")))
    assert "Awesome" not in fonts  # icons are drawn as SVG
    styles = sum(path.stat().st_size for path in (site / "_static").rglob("*.css"))
    assert 50_000 < styles < 250_000
    assert ".fa-download" in read(site, "_static/house.css")
    assert "querySelector('article.bd-article')" in read(site, "_static/searchtools.js")


def test_arrows_lead_from_checks_to_their_lesson_and_from_the_last_lesson_to_the_map(site):
    arrows = {
        name: re.findall(r'<a class="(left-prev|right-next)"\s+href="([^"]*)"', read(site, f"notebooks/{name}.html"))
        for name in (LESSON, "05_sample", f"checks/{LESSON}", "checks/05_sample")
    }
    assert arrows[LESSON] == [("left-prev", "../index.html"), ("right-next", "05_sample.html")]
    assert arrows["05_sample"] == [("left-prev", f"{LESSON}.html"), ("right-next", "../map.html")]
    assert arrows[f"checks/{LESSON}"] == [("left-prev", f"../{LESSON}.html"), ("right-next", "05_sample.html")]
    assert arrows["checks/05_sample"] == [("left-prev", "../05_sample.html")]


def test_nothing_comes_from_elsewhere(site, tmp_path):
    assert build_site.outside_sources(site) == [] and build_site.missing_alt(site) == []
    (tmp_path / "index.html").write_text('<head><script src="https://cdn.x/a.js"></script></head>')
    (tmp_path / "x.css").write_text("@font-face { src: url(//fonts.x/a.woff2); }")
    assert build_site.outside_sources(tmp_path) == ["index.html: https://cdn.x/a.js", "x.css: //fonts.x/a.woff2"]


def test_a_notebook_without_results_stops_the_site(tmp_path):
    lay_out(tmp_path, {"05_sample": sample.good_lesson()})
    (tmp_path / "notebooks" / "06_new.ipynb").write_text("{}")
    with pytest.raises(build_site.SiteError, match="06_new.ipynb is missing"):
        build_site.build(tmp_path)


@pytest.mark.parametrize("opening", ["", '<a class="reference internal image-reference" href="_images/f.png">'])
def test_every_figure_is_in_a_frame_that_scrolls(opening):
    """Also one with a width of its own (a figure of twice the pixels), which Sphinx makes a link already."""
    weight = load_program(ROOT / "site" / "weight.py")
    page = f'{opening}<img alt="a" src="_images/f.png" style="width: 900px">{"</a>" if opening else ""}'
    linked = weight.linked_figures(page, {"f": (900, 400)})
    assert linked.startswith('<a class="honest-figure" href="_images/f.webp"><img') and linked.count("<a ") == 1
    card = weight.linked_figures('<a class="card" href="x.html"><img src="_images/f.png"></a>', {"f": (900, 400)})
    assert card.startswith('<a class="card" href="x.html"><img')


def test_a_style_sheet_keeps_what_a_page_could_use():
    weight = load_program(ROOT / "site" / "weight.py")
    style = "a, .used, .gone .used { x: y } .modal-open:not(.gone) { x: y } @media print { .gone { x: y } }"
    style += " @font-face { src: url(a.woff) } :root { --x: 1 }"
    kept = weight.used_rules(style, {"used"}, ("modal-",))
    wanted = "a,.used{x:y}.modal-open:not(.gone){x:y}@font-face{src:url(a.woff)}:root{--x:1}"
    assert kept.replace(" ", "") == wanted


# ---- in the browser -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def gate():
    """The gate; without Playwright or a browser its tests are skipped, and the summary says why."""
    pytest.importorskip("playwright", reason="the site was NOT looked at in a browser: Playwright is not installed")
    module = load_program(ROOT / "tests" / "site" / "gate.py")
    if module.find_browser() is None:
        pytest.skip("the site was NOT looked at in a browser: no Chromium or Chrome found (variable CHROME names one)")
    return module


@pytest.fixture(scope="module")
def browser(gate):
    with gate.open_browser(gate.find_browser()) as browser:
        yield browser


def test_pages_pass_the_gate(site, gate, browser):
    """Every page once on a telephone; the first page and a lesson in all four modes (`make gate`: all of them)."""
    visit = gate.Visit(browser, site)
    for name in gate.list_pages(site):
        if name in ("index.html", f"notebooks/{LESSON}.html"):
            visit.look(name, anew=False)
        else:
            visit.glance(name)
    visit.dead_links()
    assert [str(fault) for fault in visit.faults] == []
    assert len(visit.links) >= 15 and sum(map(len, visit.links.values())) > 500


PLANTED = {
    "formula": r"<mjx-container><mjx-merror>Missing argument for \frac</mjx-merror></mjx-container>",
    "console": "<script>nothing.at.all();</script>",
    "request to elsewhere": '<img src="http://127.0.0.1:9/a.png" alt="what is not there">',
    "image": '<img src="gone.png" alt="a figure">',
    "dead link": '<a href="gone.html">a page</a>',
    "dead anchor": '<a href="clean.html#gone">a place</a>',
    "overflow": '<div style="width: 700px">a wide line</div>',
    "axe": '<p style="color: #999; background: #aaa">words</p>',
}
PAGE = (
    '<!doctype html><html lang="en"><head><title>A page</title></head>'
    "<body><main><h1>A page</h1>{}</main></body></html>"
)


def test_every_planted_fault_is_found(site, gate, browser, tmp_path):
    """One page for each fault, which is found there, and a page without any, where nothing is."""
    (tmp_path / "_static").symlink_to(site / "_static")
    planted = {f"{kind.replace(' ', '_')}.html": source for kind, source in PLANTED.items()}
    for name, source in ({"clean.html": "<p>words</p>"} | planted).items():
        (tmp_path / name).write_text(PAGE.format(source))
    visit = gate.Visit(browser, tmp_path)
    for name in gate.list_pages(tmp_path):
        visit.glance(name)
    visit.dead_links()
    found = {(fault.page, fault.kind) for fault in visit.faults}
    assert set(zip(planted, PLANTED, strict=True)) <= found
    assert {page for page, _ in found} == set(planted)


def test_a_formula_that_nobody_draws_is_found(gate, browser, tmp_path):
    (tmp_path / "a.html").write_text(PAGE.format('<div class="math">\\[q <a href="a.html">(Melo)</a>\\]</div>'))
    visit = gate.Visit(browser, tmp_path)
    visit.glance("a.html")
    assert [(fault.kind, fault.what) for fault in visit.faults] == [("formula", "\\[q (Melo)\\]")]


def test_no_browser_is_said(gate, monkeypatch, capsys):
    monkeypatch.setattr(gate, "find_browser", lambda: None)
    assert gate.main([]) == 1 and "install Chromium" in capsys.readouterr().err


@pytest.mark.parametrize("task", ["find_definition", "copy_code", "change_theme", "follow_route"])
def test_what_a_reader_does_with_the_keyboard(task, site, gate, browser):
    keyboard = load_program(ROOT / "tests" / "site" / "keyboard.py")
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    try:
        start = f"{site.resolve().as_uri()}/"
        getattr(keyboard, task)(context.new_page(), start)
    finally:
        context.close()


# ---- on paper -------------------------------------------------------------------------------------------------------


@pytest.fixture
def paper(browser):
    """Opens a page as it is printed on A4, for a reader whose screen is dark."""
    context = browser.new_context(color_scheme="dark", viewport={"width": 680, "height": 960})
    tab = context.new_page()

    def open_page(address):
        tab.goto(address)
        tab.emulate_media(media="print", color_scheme="dark")
        return tab

    yield open_page
    context.close()


def test_a_hand_out_has_no_solutions_and_no_navigation(site, gate, paper):
    tab = paper(f"{site.resolve().as_uri()}/notebooks/05_sample.html")
    words = tab.inner_text("body")
    assert words.count("answer_1 = ...") == 1 and "Goals" in words
    absent = "the secret", "Check(1)", "Show the", "What came out", "is right", "Cite this lesson", "Where to go on"
    assert [word for word in absent if word in words] == []
    assert "Search" not in words and "previous" not in words and LESSON not in words
    assert tab.evaluate(gate.WIDE) == ""


def test_a_quiz_is_printed_without_its_answers(site, paper):
    words = paper(f"{site.resolve().as_uri()}/notebooks/{LESSON}.html").inner_text("body")
    assert words.count("(a) ") == 5 == words.count("(c) ") and "Not this one" not in words


def test_a_teacher_prints_solutions_too(site, paper):
    page = f"{site.resolve().as_uri()}/notebooks/05_sample.html?print=solutions"
    words = paper(page).inner_text("body")
    assert words.count("the secret") == 4 and "Where to go on" not in words
    assert "05_sample.html?print=solutions" in read(site, "teachers.html")


def test_paper_is_light(site, paper, tmp_path):
    tab = paper(f"{site.resolve().as_uri()}/index.html")
    tab.evaluate("addEventListener('beforeprint', () => { window.seen = document.documentElement.dataset.theme; })")
    assert tab.evaluate("document.documentElement.dataset.theme") == "dark"
    tab.pdf(path=tmp_path / "a.pdf", format="A4")
    assert tab.evaluate("window.seen") == "light"
    assert tab.evaluate("document.documentElement.dataset.theme") == "dark"


def test_a_paper_that_a_formula_names_is_no_link():
    pages = load_program(ROOT / "site" / "pages.py")
    formula = '<div class="math notranslate">\\[q \\text{ (Melo et al.)}\\]</div>'
    linked = pages.linked_papers(f"<p>Melo et al. say</p>{formula}<p>as Melo et al.", {"Melo": "a paper"})
    assert formula in linked and linked.count('<a class="paper"') == 2


def test_another_paper_by_somebody_of_the_same_name_is_no_link():
    pages = load_program(ROOT / "site" / "pages.py")
    papers = {"Wang": "Wang, Xiao (2026): A framework"}
    assert pages.linked_papers("Wang, Wei &amp; Zhou (2023)", papers) == "Wang, Wei &amp; Zhou (2023)"
    assert pages.linked_papers("Wang &amp; Xiao (2026)", papers).startswith('<a class="paper"')
