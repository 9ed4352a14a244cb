"""The site of a small repository, as its reader gets it: whole without a network, and looked at in a real browser."""

import html
import re

import nbformat
import pandas as pd
import pytest
import yaml
from nbformat.v4 import new_output
from scripts import load_program
from sites import ROOT, lay_out

import helpers.grouping
from helpers.notebook import prediction, show
from helpers.notebook.display import collected
from helpers.notebook.folds import fold_claims

build_site = load_program(ROOT / "site" / "build.py")
sample = load_program(ROOT / "tests" / "notebook" / "sample.py")
gate = load_program(ROOT / "tests" / "site" / "gate.py")
pytestmark = pytest.mark.nightly

LESSON = "00_start_here"  # a real one, beside the sample


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """build/site of a sample and its checks, of a lesson that this repository ships, and of one package."""
    root = tmp_path_factory.mktemp("site")
    lesson = sample.good_lesson()
    lesson.cells[2].source = "\n\n".join(
        [
            lesson.cells[2].source,
            "A grouping loss; [its checks](checks/05_sample.ipynb).",
            "Melo et al. use `grouping_loss`. Equation (6) says so.",
        ]
    )
    checks = sample.good_checks()
    checks.cells[0].source += "\n\n[The lesson](../05_sample.ipynb), as in notebook 05."
    claim = {"honest": {"claim": "ours.start_null", "holds": True}}
    data, metadata = fold_claims([({"text/plain": "ours.start_null holds: 3"}, claim)])
    checks.cells[1].outputs = [new_output("display_data", data=data, metadata=metadata)]
    books = {"05_sample": lesson, "checks/05_sample": checks}
    for name in (LESSON, f"checks/{LESSON}"):
        books[name] = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4)
    lay_out(root, books)
    claims = pd.read_csv(root / "data" / "claims.csv", dtype=str, keep_default_na=False)
    some = (claims.index % 40 == 0) | (claims["id"] == "ours.start_null")  # axe takes long for all
    claims[some].to_csv(root / "data" / "claims.csv", index=False)
    course = yaml.safe_load((root / "site" / "course.yml").read_text(encoding="utf-8"))
    course["routes"] = [{"name": "Language models", "for": "You ask one.", "lessons": "05 00"}]
    (root / "site" / "course.yml").write_text(yaml.safe_dump(course, sort_keys=False), encoding="utf-8")
    modules = {helpers.grouping: helpers.grouping.__all__}
    assert "site rendered" in build_site.build(root, modules=modules)
    assert "site reused" in build_site.build(root, modules=modules)
    return root / "build" / "site"


def read(site, name):
    return (site / name).read_text(encoding="utf-8")


def test_lessons_have_numbers_folds_links_and_descriptions(site):
    page = read(site, "notebooks/05_sample.html")
    words = " ".join(re.sub("<[^>]+>", "", page).split())
    assert f'alt="{sample.ALT}"' in page and "<h1>05 " in page and page.count("<h1") == 1
    assert words.count("show('a line')") == 1  # that of the prediction; one cell is tagged remove-cell
    assert page.count("Show the solution") == 2 and page.count("Show the check") == 2
    assert "quiz(" not in words
    assert 'href="../glossary.html#term-grouping-loss"' in page and 'href="checks/05_sample.html"' in page
    assert 'Equation <a href="#mjx-eqn:6">(6)</a>' in page
    assert 'href="../index.html#paper-melo" title="Melo, Varoquaux, Le Morvan (2026): Epistemic' in page
    assert 'href="../api/helpers.grouping.html#helpers.grouping.grouping_loss"' in page
    assert 'name="description"' in page and "Cite this lesson" in page and "@misc" in words
    assert "Where to go on" in words and "Language models, 1 of 2: next is 00 Start here" in words
    assert re.search(rf'rel="next" href="{LESSON}.html\?route=language">00 ', page)
    beside = read(site, "notebooks/checks/05_sample.html")
    assert beside.count('href="../05_sample.html"') >= 2 and "1 check passed" in beside
    statement = next(row["statement"] for row in build_site.read_rows(ROOT, "claims") if row["id"] == "ours.start_null")
    assert 'href="../../ledger.html#ours.start_null" title="' in beside
    assert html.escape(build_site.plain(statement)) in beside


def test_pages_pass_the_gate(site, browser):
    """One page of each kind (`make gate`: all)."""
    names = ["index", "ledger", "api/helpers.grouping", "notebooks/05_sample", "notebooks/checks/05_sample"]
    assert gate.inspect_site(browser, site, [f"{name}.html" for name in names]) == []


PLANTED = {  # what is said of it: the kind of fault, or the place, where axe found it
    "console:": "<script>nothing.at.all();</script>",
    "goes elsewhere:": '<img src="http://127.0.0.1:9/a.png" alt="what is not there">',
    "image:": '<img src="gone.png" alt="a figure">',
    "table:": "<table><thead><tr><th></th></tr></thead><tbody><tr><td>words</td></tr></tbody></table>",
    "dead link:": '<a href="gone.html">a page</a>',
    "dead anchor:": '<a href="clean.html#gone">a place</a>',
    "overflow:": '<div style="width: 700px">a wide line</div>',
    "#grey": '<p id="grey" style="color: #999; background: #aaa">words</p>',
    "#keys": f'<pre id="keys" style="width: 300px; overflow: auto">{"words that no key reaches " * 9}</pre>',
    "#dark": "<style>@media (prefers-color-scheme: dark) { #dark { color: #988; background: #a99 } }</style>"
    '<p id="dark">words</p>',
}
PAGE = (
    '<!doctype html><html lang="en"><head><title>A page</title></head>'
    "<body><main><h1>A page</h1>{}</main></body></html>"
)


def test_every_planted_fault_is_found(browser, tmp_path):
    """All on one page, and a page without any, where nothing is."""
    for name, source in {"clean": "<p>words</p>", "all": "".join(PLANTED.values())}.items():
        (tmp_path / f"{name}.html").write_text(PAGE.format(source))
    faults = gate.inspect_site(browser, tmp_path, gate.list_pages(tmp_path))
    said = "\n".join(f"{kind}: {what}" for _, kind, what in faults)
    assert {page for page, _, _ in faults} == {"all.html"} and [name for name in PLANTED if name not in said] == []


def test_a_choice_opens_what_came_out_and_stays(browser, tmp_path):
    """With the keyboard, and without a script."""
    with collected() as outputs, prediction("larger", "smaller"):
        show("it came out")
    path = tmp_path / "choices.html"
    path.write_text(PAGE.format(outputs[0][0]["text/html"]))
    assert gate.inspect_site(browser, tmp_path, [path.name]) == []
    tab = browser.new_page(java_script_enabled=False)
    tab.goto(path.as_uri())
    outcome = tab.get_by_text("it came out")
    assert not outcome.is_visible()
    for key in ("Tab", "Tab", "Enter"):
        tab.keyboard.press(key)
    assert outcome.is_visible() and tab.get_by_text("smaller").is_visible()
    assert not tab.get_by_text("larger").is_visible()
    tab.keyboard.press("Enter")
    assert not outcome.is_visible() and tab.get_by_text("larger").is_visible()
    tab.close()


@pytest.fixture(scope="module")
def paper(browser):
    """Opens a page as it is printed on A4, for a reader whose screen is dark."""
    context = browser.new_context(color_scheme="dark", viewport={"width": 680, "height": 960})
    tab = context.new_page()

    def open_page(address):
        tab.emulate_media(media="screen", color_scheme="dark")
        tab.goto(address)
        tab.emulate_media(media="print", color_scheme="dark")
        return tab

    yield open_page
    context.close()


def test_a_hand_out_has_a_title_and_no_solutions_and_no_navigation(site, paper):
    tab = paper(f"{site.resolve().as_uri()}/notebooks/{LESSON}.html")
    words = tab.inner_text("body")
    assert words.startswith("00 Start here") and "needs" in words and words.count("(a) ") == 4
    absent = "Show the", "What came out", "Not this one", "solution_1", "Check(", "Cite this lesson", "Where to go on"
    assert [word for word in absent if word in words] == []
    assert "Search" not in words and "previous" not in words and "05_sample" not in words


def test_a_teacher_prints_solutions_too(site, paper):
    page = f"{site.resolve().as_uri()}/notebooks/05_sample.html?print=solutions"
    words = paper(page).inner_text("body")
    assert words.count("the secret") == 2 and "Where to go on" not in words
    assert "05_sample.html?print=solutions" in read(site, "teachers.html")
