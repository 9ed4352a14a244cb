"""The drawing that is dragged: what it shows are the package's numbers, by keys, by pointer, and without a script."""

import functools
import re

import numpy as np
import pytest

from helpers.papers import melo2026
from helpers.resampling import exact_interval
from helpers.simulation import FinitePopulation

pytestmark = pytest.mark.nightly

DRAWN = """() => {
    const numbers = (selector, ...keys) => [...document.querySelectorAll(selector)].map((node) =>
        keys.map((key) => Number(node.getAttribute(key))));
    return {
        square: numbers(".square", "width", "height")[0],
        true: numbers(".true", "y"),
        rates: numbers("svg .rate", "cy"),
        bars: numbers("svg .interval", "y", "height"),
        labels: [...document.querySelectorAll("svg text")].map((text) => text.textContent),
        handle: document.querySelector(".handle").getAttribute("transform"),
    };
}"""
PIXELS = 2.6  # for a point
SCALE = "document.querySelector('.promise-people').getScreenCTM().a"


def share(y):
    """Of a height in the drawing."""
    return 1 - (np.asarray(y) - 34) / PIXELS / 100


@pytest.fixture
def open_page(open_drawing):
    """Opens the drawing."""
    return functools.partial(open_drawing, "promise")


def handle_of(tab):
    return tab.get_by_role("slider", name="Ada's half")


def test_without_a_script_the_drawing_stands_as_it_starts(open_page):
    still, alive = open_page(java_script_enabled=False), open_page()
    assert not still.get_by_label("what an auditor sees").is_visible() and not still.get_by_text("drag").is_visible()
    assert alive.get_by_label("what an auditor sees").is_visible() and alive.get_by_text("drag").is_visible()
    assert "0.0225" in still.get_by_role("img", name="Both halves are told").get_attribute("aria-label")
    drawn = alive.evaluate(DRAWN)
    shown = still.evaluate(DRAWN)
    assert shown["square"] == drawn["square"] == pytest.approx([PIXELS * 15] * 2)
    assert {key: shown[key] for key in ("true", "labels", "handle")} == {
        key: drawn[key] for key in ("true", "labels", "handle")
    }


@pytest.mark.parametrize(
    ("keys", "ada"), [(["Home"], 70), (["ArrowUp", "ArrowRight"], 87), (["PageDown"], 80), (["End"], 100)]
)
def test_the_square_is_the_grouping_loss(open_page, keys, ada):
    """Its area, and the mean that stays; keys move the handle, and say so."""
    tab = open_page()
    tab.keyboard.press("Tab")
    for key in keys:
        tab.keyboard.press(key)
    assert handle_of(tab).get_attribute("aria-valuenow") == str(ada)
    drawn = tab.evaluate(DRAWN)
    q = share(np.ravel(drawn["true"]) + 2)  # a line is four pixels thick
    assert q[0] == pytest.approx(ada / 100)
    people = FinitePopulation(np.full(4, 0.7), q)
    assert people.calibration_loss == pytest.approx(0, abs=1e-12)
    assert np.prod(np.divide(drawn["square"], 100 * PIXELS)) == pytest.approx(people.grouping_loss, abs=1e-12)
    loss = melo2026.definition_2(q, people.c)
    assert f"{loss:.4f}" in drawn["labels"] and f"{100 * loss**0.5:.0f} points" in drawn["labels"]
    assert share(drawn["rates"][0]) == pytest.approx(0.7)  # in the calibration diagram
    assert f"typical error {ada - 70} points" in handle_of(tab).get_attribute("aria-valuetext")


@pytest.mark.parametrize("coin", [False, True])
@pytest.mark.parametrize("n", [20, 100, 1000])
def test_an_auditor_sees_outcomes_and_exact_intervals(open_page, n, coin):
    """Two months: the same people but other luck, whose first is still there."""
    draws = np.random.default_rng(n).random((2, 2, 500))
    tab = open_page(draws)
    tab.get_by_label("what an auditor sees").check()
    if coin:
        tab.get_by_label("halves by a coin").check()
    tab.get_by_role("slider", name="people").fill(str(n))
    q = np.array([0.7, 0.7] if coin else [0.85, 0.55])
    for month in draws:
        counts = (month[:, : n // 2] < q[:, None]).sum(axis=1)
        drawn = tab.evaluate(DRAWN)
        k, of = np.append(counts.sum(), counts), np.array([n, n // 2, n // 2])
        assert share(np.ravel(drawn["rates"])) == pytest.approx(k / of, abs=1e-12)
        top, length = np.transpose(drawn["bars"])
        assert [share(top + length), share(top)] == pytest.approx(np.array(exact_interval(k, of)), abs=1e-9)
        assert re.findall(r"(\d+) of \d+", tab.inner_text(".drawing-numbers")) == [
            str(count) for count in (*counts, k[0])
        ]
        tab.get_by_role("button", name="next month").click()
    assert tab.locator(".earlier").count() == 4 and not handle_of(tab).is_visible()


def test_extreme_counts_have_exact_intervals(open_page):
    """All of one half, none of the other."""
    tab = open_page(np.repeat([0.0, 0.999], 500))
    tab.get_by_label("what an auditor sees").check()
    top, length = np.transpose(tab.evaluate(DRAWN)["bars"])
    expected = np.array(exact_interval([50, 50, 0], [100, 50, 50]))
    assert [share(top + length), share(top)] == pytest.approx(expected, abs=1e-9)


def test_a_useless_split_leaves_the_square_and_the_people(open_page):
    tab = open_page()
    before = tab.evaluate(DRAWN)
    tab.get_by_label("halves by a coin").check()
    after = tab.evaluate(DRAWN)
    assert after["square"] == before["square"] and sorted(after["true"]) == sorted(before["true"])
    assert np.mean(after["true"][:2]) == np.mean(after["true"][2:])


def middle_of(box):
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_the_handle_is_dragged(open_page):
    """As far as the pointer goes, and never beyond what the promise allows."""
    tab = open_page(viewport={"width": 1300, "height": 900})
    handle = handle_of(tab)
    scale = tab.evaluate(SCALE)
    for points, ada in [(10, 95), (30, 100), (-90, 70)]:
        x, y = middle_of(handle.bounding_box())
        tab.mouse.move(x, y)
        tab.mouse.down()
        tab.mouse.move(x, y - points * PIXELS * scale, steps=5)
        tab.mouse.up()
        assert handle.get_attribute("aria-valuenow") == str(ada)
    tab.mouse.move(0, 0)
    assert handle.get_attribute("aria-valuenow") == "70"


def test_a_finger_moves_the_handle_and_not_the_page(open_page):
    tab = open_page(viewport={"width": 390, "height": 500}, has_touch=True, is_mobile=True)
    handle = handle_of(tab)
    handle.evaluate("node => node.scrollIntoView({block: 'center', behavior: 'instant'})")
    scrolled = tab.evaluate("scrollY")
    x, y = middle_of(handle.bounding_box())
    hand = tab.context.new_cdp_session(tab)
    hand.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for points in range(1, 13):
        place = {"x": x, "y": y - points * PIXELS * tab.evaluate(SCALE)}
        hand.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [place]})
    hand.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    assert handle.get_attribute("aria-valuenow") == "97"
    assert tab.evaluate("scrollY") == scrolled > 0
