"""The live pages in a browser: lessons give what they store, a report what Python gives outside, nobody else is asked.

Without the build (`make live`) or a browser they are skipped, and the summary says why.
"""

import io
import json
import os
import re
import subprocess
import sys

import nbformat
import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from scripts import load_program
from sites import ROOT

from helpers.notebook.marks import AFTER, BEFORE, read_marks
from helpers.practice.reports import audit_answers, audit_scores, read_table
from helpers.practice.tables import read_answers
from tests.notebook.stored_outputs import texts_agree
from tests.site.firefox import Firefox, find_firefox

SITE = ROOT / "build" / "site"
MINUTES = 60_000  # milliseconds
READY = re.compile("Done in|error|cannot|failed|ended")
build = load_program(ROOT / "site" / "live" / "build.py")
concept_test = load_program(ROOT / "site" / "concept_test.py")


@pytest.fixture(scope="module")
def address():
    """Where the site is served."""
    if not (SITE / "live" / "parts.json").exists():
        pytest.skip("the live pages were NOT tried: they are not built (make live)")
    command = [sys.executable, ROOT / "site" / "live" / "serve.py", "--port", "0", "--idle", "1800"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield process.stdout.readline().strip().removesuffix("/index.html")
        process.terminate()


@pytest.fixture
def page(browser, address):
    """A page of a new visitor, whose requests all go to the server of the site."""
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(30 * MINUTES)
    asked = []
    context.on("request", lambda request: asked.append(request.url))
    yield page
    context.close()
    elsewhere = [url for url in asked if not url.startswith((f"{address}/", "blob:", "data:"))]
    assert asked and not elsewhere


def test_a_site_that_is_older_than_the_package_is_noticed(tmp_path):
    page = tmp_path / "index.html"
    page.touch()
    assert not build.is_older_than_the_package(tmp_path)
    os.utime(page, (0, 0))
    assert build.is_older_than_the_package(tmp_path)


def text_of(outputs):
    """What outputs say as plain text."""
    texts = []
    for output in outputs:
        texts.append(output.get("stream") or output.get("text") or output.get("data", {}).get("text/plain", ""))
        texts.append("" if texts[-1].endswith("\n") else "\n")
    return "\n".join(line.rstrip() for line in "".join(texts).splitlines() if line.strip())


def n_figures(outputs):
    """How many pictures there are."""
    data = [output.get("data", {}) for output in outputs]
    return sum(("image/png" in one) + one.get("text/html", "").count("data:image/png") for one in data)


CELLS = "window.honestLive.cells.map(({id, results, raises}) => ({id, results, raises}))"


def assert_as_stored(cells, name):
    """What the cells of a page gave is what the notebook stores: the same text, and as many pictures."""
    stored = {cell.id: cell for cell in nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", 4).cells}
    assert len(cells) > 8
    different = {}
    for cell in cells:
        want, got = stored[cell["id"]].outputs, cell["results"]
        if not cell["raises"] and not texts_agree(text_of(got), text_of(want)) or n_figures(got) != n_figures(want):
            different[cell["id"]] = (text_of(want), text_of(got))
    assert not different


def skip_unless_built(name):
    """Skip a lesson that a small site lacks."""
    if not (SITE / "live" / "cells" / f"{name}.json").exists():
        pytest.skip(f"{name} is not part of the site that was built")


LESSONS = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb") if path.stem[:2] not in build.NEEDS)
AT_NIGHT = [pytest.param(name, marks=() if name[:2] == "00" else pytest.mark.nightly) for name in LESSONS]


@pytest.mark.parametrize("name", AT_NIGHT)
def test_a_lesson_gives_what_it_stores(page, address, name):
    skip_unless_built(name)
    page.goto(f"{address}/notebooks/{name}.html")
    page.get_by_role("button", name="Run this page").click()
    page.locator(".honest-live-status", has_text=READY).wait_for()
    assert page.locator(".honest-live-status").inner_text().startswith("Done")
    assert_as_stored(page.evaluate(CELLS), name)


@pytest.fixture(scope="module")
def firefox(tmp_path_factory):
    """A window of Firefox whose requests all go to the server of the site."""
    if find_firefox() is None:
        pytest.skip("the live pages were NOT tried in Firefox: none was found (variable FIREFOX names one)")
    with Firefox(tmp_path_factory.mktemp("profile")) as window:
        yield window


@pytest.mark.nightly
@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_gives_the_same_in_firefox(firefox, address, name):
    skip_unless_built(name)
    firefox.asked.clear()
    firefox.open(f"{address}/notebooks/{name}.html")
    firefox.ask("document.querySelector('.honest-live button').click()")
    said = firefox.wait_for("document.querySelector('.honest-live-status').textContent", READY, seconds=1800)
    assert said.startswith("Done")
    assert_as_stored(firefox.ask(CELLS), name)
    assert firefox.asked
    assert not [url for url in firefox.asked if not url.startswith((f"{address}/", "blob:", "data:"))]


def test_what_is_answered_in_the_page_can_be_saved_for_a_teacher(page, address, tmp_path):
    """A quiz, an exercise and the concept test twice, each answered wrong and right, across pages and visits."""
    question = concept_test.read_questions()[0]
    wrong = next(letter for letter, *_ in question["answers"] if letter != question["right"])
    count = page.locator(".honest-marks strong")

    page.goto(f"{address}/notebooks/00_start_here.html")
    assert count.inner_text().startswith("0 of ")
    options = page.locator(".honest-quiz").first.locator("details")
    options.filter(has_text="Not this one").first.locator("summary").click()
    options.filter(has_text="Right:").locator("summary").click()
    page.evaluate("document.dispatchEvent(new Event('beforeprint'))")  # paper opens what it needs, and answers nothing
    answer, check = (page.locator(f".cell.tag_{tag}").first for tag in ("exercise", "check"))
    page.evaluate("honestLive.run(-1)")  # the engine starts, and the cells become editable
    for text in ("answer_1 = 0.5", "answer_1 = 0.5", "answer_1 = 0.04"):
        answer.locator("textarea").fill(text)
        check.locator(".cell_output").evaluate("(node) => node.replaceChildren()")
        answer.get_by_role("button", name="Run and check").click()
        check.locator(".cell_output", has_text=re.compile("Not yet|Right")).wait_for()
        page.get_by_role("button", name="Stop").wait_for(state="hidden")
    assert "Right" in check.locator(".cell_output").inner_text()
    assert count.inner_text().startswith("2 of ")

    page.goto(f"{address}/concept_test.html")
    for occasion, letters in (("before", [wrong]), ("after", [wrong, question["right"]])):
        page.get_by_label("I answer these questions").select_option(occasion)
        assert count.inner_text() == "0 of 20 answered" and not page.locator("input:checked").count()
        for letter in letters:
            page.locator(f'input[name="question 1"][value={letter}]').check()
    page.locator("details.honest-fold").nth(1).locator("summary").click()
    page.wait_for_selector('input[name="question 2"]:disabled')  # what has been looked up is no answer
    page.reload()
    assert page.locator("input:checked").get_attribute("value") == question["right"]
    page.get_by_role("button", name="Save my marks").click()  # without a code nothing is saved
    page.get_by_label("Your code").fill("zoë 7")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save my marks").click()
    saved.value.save_as(tmp_path / saved.value.suggested_filename)
    marks = read_marks(tmp_path).set_index(["page", "item"])[["who", "right", "tries", "answer"]]
    assert marks.to_dict("index") == {
        ("00_start_here", "quiz 1"): {"who": "zoë 7", "right": True, "tries": 2, "answer": marks["answer"].iloc[0]},
        ("00_start_here", "exercise 1"): {"who": "zoë 7", "right": True, "tries": 2, "answer": ""},
        (BEFORE, "question 1"): {"who": "zoë 7", "right": False, "tries": 1, "answer": wrong},
        (AFTER, "question 1"): {"who": "zoë 7", "right": True, "tries": 2, "answer": question["right"]},
    }
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Forget all marks").click()
    assert count.inner_text() == "0 of 20 answered" and not page.locator("input:checked").count()


def table(n=1500):
    """Scores that hide a group, as a spreadsheet of a German hospital saves them."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"age": rng.integers(20, 90, n), "ward": rng.choice(["a", "b", "c"], n)})
    chance = expit(rng.normal(size=n) + 1.2 * (frame["ward"] == "b"))
    frame["risk"] = expit(np.log(chance / (1 - chance)) - 1.2 * (frame["ward"] == "b")).round(4)
    frame["died"] = (rng.random(n) < chance).astype(int)
    frame.insert(0, "sex", np.where(frame.index % 3, "w", "m"))  # it has two values, too
    return frame


def test_a_report_is_that_of_python_outside(page, address, tmp_path):
    path = tmp_path / "klinik.csv"
    table().to_csv(path, sep=";", decimal=",", index=False)
    outside = audit_scores(read_table(path, "died", "risk"), rng=0)
    page.goto(f"{address}/live/audit.html")
    page.set_input_files("#file", path)
    page.wait_for_selector("#choice:not([hidden])")
    assert page.input_value("#label") == "died" and page.input_value("#score") == "risk"
    hold_equal(page, outside)


def test_a_parquet_file_is_read_as_python_outside_reads_it(page, address, tmp_path):
    frame = table(40).assign(
        small=lambda frame: frame["risk"].astype("float32"),
        whole=2**53 + np.arange(40),
        day=pd.date_range("2024-02-27", periods=40),
        minute=pd.date_range("2024-02-27 23:59", periods=40, freq="97min"),
        agreed=lambda frame: frame["age"] > 50,
        words=["a, b", 'she said "no"', "two\nlines", "Zoë", None] * 8,
        kind=lambda frame: frame["ward"].astype("category"),
    )
    frame.loc[3, "risk"] = np.nan
    page.goto(f"{address}/live/audit.html")
    for compression in (None, "snappy", "zstd"):
        path = tmp_path / f"{compression}.parquet"
        frame.iloc[5:].to_parquet(path, compression=compression)  # its row numbers are kept, and are no column
        read = "bytes => import('./parquet.js').then(({parquetAsText}) => parquetAsText(new Uint8Array(bytes).buffer))"
        text = page.evaluate(read, list(path.read_bytes()))
        there = pd.read_csv(io.StringIO(text), parse_dates=["day", "minute"])
        expected = pd.read_parquet(path).reset_index(drop=True)
        pd.testing.assert_frame_equal(there, expected, check_dtype=False, check_exact=True, check_categorical=False)


@pytest.mark.parametrize("kind", ["parquet", "xlsx"])
def test_a_report_on_a_file_of_another_kind(page, address, tmp_path, kind):
    path = tmp_path / f"klinik.{kind}"
    table().to_parquet(path) if kind == "parquet" else table().to_excel(path, index=False)
    outside = audit_scores(read_table(path, "died", "risk"), rng=0)
    page.goto(f"{address}/live/audit.html")
    page.set_input_files("#file", path)
    page.wait_for_selector("#choice:not([hidden])")
    hold_equal(page, outside)


def test_a_long_cell_can_be_stopped_and_the_page_goes_on(page, address):
    page.goto(f"{address}/notebooks/00_start_here.html")
    page.evaluate("honestLive.run(-1)")  # the engine starts, and the cells become editable
    first, second = (page.locator(".cell").filter(has=page.locator("textarea")).nth(k) for k in (0, 1))
    written = first.locator("textarea").input_value()
    stored = second.locator(".cell_output").inner_html()
    first.locator("textarea").fill("while True:\n    pass")
    first.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_timeout(1000)
    page.get_by_role("button", name="Stop").click()
    page.locator(".honest-live-status", has_text="stopped").wait_for()
    assert first.locator("textarea").input_value().startswith("while True")  # nothing that was typed is lost
    assert second.locator(".cell_output").inner_html() == stored
    first.locator("textarea").fill(written)
    first.get_by_role("button", name="Run", exact=True).click()
    page.locator(".honest-live-status", has_text="Done").wait_for()


def test_a_report_on_answers_is_that_of_python_outside(page, address):
    path = ROOT / "data" / "digit_answers.csv.gz"
    outside = audit_answers(read_answers(path), rng=0)
    page.goto(f"{address}/live/audit.html")
    page.set_input_files("#file", path)
    page.wait_for_selector("#answers:not([hidden])")
    for role in ("question", "answer", "reference", "confidence"):
        assert page.input_value(f"#{role}") == role
    hold_equal(page, outside)


def hold_equal(page, outside):
    """Make the report of a table that was given, and compare it with that of Python outside."""
    page.click("#go")
    page.wait_for_selector("#result:not([hidden])")
    with page.expect_download() as saved:
        page.get_by_role("link", name="findings.json").click()
    inside = json.loads(saved.value.path().read_text(encoding="utf-8"))["findings"]
    assert [one["kind"] for one in inside] == list(outside.findings["kind"])
    for one, sentence in zip(inside, outside.findings["sentence"], strict=True):
        said = one["sentence"].replace(".parquet.csv", ".parquet")  # as text, which the page makes of it
        assert texts_agree(said, sentence), (said, sentence)
    assert outside.headline in page.frame_locator("#report").locator("body").inner_text()


def test_nothing_can_be_sent_to_elsewhere(page, address):
    """The policy is that of the page and of the worker, which does not hang on what the server sends."""
    page.goto(f"{address}/live/audit.html")
    page.evaluate("async () => { await (await import('./engine.js')).start(() => null); }")
    ask = "async () => { try { await fetch('http://127.0.0.1:9/'); } catch (error) { return String(error); } }"
    refused = []
    page.on("console", lambda line: refused.append(line.text))
    (worker,) = page.workers
    for place in (page, worker):
        assert "TypeError" in place.evaluate(ask)
    assert sum("Content Security Policy" in line for line in refused) >= 2


def test_what_goes_wrong_is_said(page, address, tmp_path):
    page.goto(f"{address}/live/audit.html")
    status = page.locator("#status")
    path = tmp_path / "scores.csv"
    table(50).to_csv(path, index=False)
    for old in ("WebAssembly = undefined", "WebAssembly.validate = () => false"):
        page.evaluate(f"window.{old}")
        page.set_input_files("#file", path)
        page.locator("#status", has_text="lacks WebAssembly").wait_for()
        page.reload()
    page.route("**/library.zip*", lambda route: route.fulfill(body=b"half of it"))
    page.set_input_files("#file", path)
    page.locator("#status", has_text="broke off").wait_for()
    page.unroute("**/library.zip*")
    page.set_input_files("#file", {"name": "words.csv", "mimeType": "text/csv", "buffer": b"a,b\nx,y\n"})
    page.wait_for_selector("#choice:not([hidden])")
    page.click("#go")
    page.locator("#status", has_text="words.csv").wait_for()
    assert "column" in status.inner_text()


def test_a_package_that_is_not_the_pinned_one_is_refused(tmp_path, monkeypatch):
    (tmp_path / build.SHIM[0]).write_bytes(b"other")
    with pytest.raises(SystemExit, match="SHA-256"):
        build.download(build.SHIM, tmp_path)
    monkeypatch.setitem(build.COMMANDS, build.ENGINE, [sys.executable, "-c", "raise SystemExit(1)"])
    with pytest.raises(SystemExit, match="network"):
        build.download(build.ENGINE, tmp_path)
