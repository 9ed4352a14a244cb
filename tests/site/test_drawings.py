"""The drawings that a slider moves: what they show are the package's numbers, by keys and with a finger."""

import re

import numpy as np
import pytest
from scripts import load_program
from sites import ROOT

from helpers.answers import exact_bias
from helpers.papers import ecuas2026, melo2026, semece2026
from helpers.studies.nb09_ecuas import Department

gate = load_program(ROOT / "tests" / "site" / "gate.py")
pytestmark = pytest.mark.nightly

NAMES = ("promise", "threshold", "refusal", "agreement")
MOVED = NAMES[1:]
DATA = "(nodes, keys) => nodes.map((node) => keys.map((key) => Number(node.dataset[key])))"
PLACES = "(nodes, keys) => nodes.map((node) => keys.map((key) => Number(node.getAttribute(key))))"
PIXELS = 2.6  # for a point


def numbers(tab, selector, *keys, way=PLACES):
    return np.array(tab.locator(selector).evaluate_all(way, list(keys)))


def said(tab):
    return tab.inner_text(".drawing-numbers").replace("\u00a0", " ")


def slider_of(tab):
    return tab.get_by_role("slider")


def moved(values):
    """The numbers of transforms, such as of "translate(96 0)"."""
    return [tuple(map(float, re.findall(r"[\d.]+", value))) for value in values]


def transforms(tab, selector):
    return moved(tab.locator(selector).evaluate_all("(nodes) => nodes.map((node) => node.getAttribute('transform'))"))


# ---- all of them ----------------------------------------------------------------------------------------------------


DRAWN = """(panels) => panels.map((panel) => {
    const copy = panel.cloneNode(true);
    copy.querySelectorAll(".curve").forEach((curve) => curve.remove());
    return copy.innerHTML.replaceAll("&nbsp;", " ").replaceAll(' class=""', "");
}).join("")"""
NUMBER = r"-?\d+(?:\.\d+)?(?:e-\d+)?"


@pytest.mark.parametrize("name", MOVED)
def test_without_a_script_the_drawing_stands_as_it_starts(open_drawing, name):
    """But for the bills, which are drawn as far as the reader went."""
    still, alive = open_drawing(name, java_script_enabled=False), open_drawing(name)
    assert not slider_of(still).is_visible() and slider_of(alive).is_visible()
    assert said(still) == said(alive) != ""
    one, other = (tab.locator("svg").evaluate_all(DRAWN) for tab in (still, alive))
    assert re.sub(NUMBER, "", one) == re.sub(NUMBER, "", other)
    places = [np.array(re.findall(NUMBER, drawn), float) for drawn in (one, other)]
    assert places[0] == pytest.approx(places[1], abs=0.006)  # a still has two digits


@pytest.mark.parametrize(
    ("name", "keys", "value"),
    [
        ("threshold", ["ArrowRight", "ArrowUp", "ArrowLeft"], "105"),
        ("refusal", ["Home", "ArrowRight"], "2"),
        ("agreement", ["End", "ArrowDown"], "94"),
    ],
)
def test_keys_move_it_and_it_says_so(open_drawing, name, keys, value):
    tab = open_drawing(name)
    before, words = said(tab), slider_of(tab).get_attribute("aria-valuetext")
    tab.keyboard.press("Tab")
    for key in keys:
        tab.keyboard.press(key)
    assert slider_of(tab).input_value() == value
    assert slider_of(tab).get_attribute("aria-valuetext") != words and said(tab) != before


@pytest.mark.parametrize("name", MOVED)
def test_a_finger_moves_it(open_drawing, name):
    tab = open_drawing(name, viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
    slider = slider_of(tab)
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    before = slider.input_value()
    tab.touchscreen.tap(box["x"] + 0.7 * box["width"], box["y"] + box["height"] / 2)
    assert slider.input_value() != before and box["height"] >= 24


@pytest.mark.parametrize("width", [1300, 390])
@pytest.mark.parametrize(
    ("name", "value", "selector"),
    [("threshold", "300", ".cut"), ("refusal", "40", ".honest .now"), ("agreement", "80", ".sem1 .truth")],
)
def test_the_slider_stands_below_what_it_moves(open_drawing, width, name, value, selector):
    tab = open_drawing(name, viewport={"width": width, "height": 900})
    slider_of(tab).fill(value)
    box = slider_of(tab).bounding_box()
    least, most = (float(slider_of(tab).get_attribute(end)) for end in ("min", "max"))
    thumb = 22.4  # pixels
    place = box["x"] + thumb / 2 + (box["width"] - thumb) * (float(value) - least) / (most - least)
    drawn = tab.locator(selector).locator("circle" if name == "refusal" else "xpath=.").bounding_box()
    assert place == pytest.approx(drawn["x"] + drawn["width"] / 2, abs=2)


def test_the_drawings_pass_the_gate(browser, pages):
    assert gate.inspect_site(browser, pages, [f"{name}.html" for name in NAMES]) == []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("width", "least"), [(1300, 12), (390, 10)])
def test_the_drawings_can_be_read_on_a_phone(open_drawing, name, width, least):
    tab = open_drawing(name, viewport={"width": width, "height": 900})
    sizes = tab.evaluate("""() => [...document.querySelectorAll(".drawing svg text")].map((text) =>
        parseFloat(getComputedStyle(text).fontSize) * text.ownerSVGElement.getScreenCTM().a)""")
    assert min(sizes) >= least


def test_the_scripts_of_the_site_are_small():
    assert sum(path.stat().st_size for path in (ROOT / "site" / "_static").glob("*.js")) < 60_000


# ---- one by one -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("price", [5, 100, 120, 125, 130, 225, 300, 450])
def test_a_threshold_costs_what_equation_7_says(open_drawing, price):
    """Who is decided wrongly, the dollars beside them, the bars between both lines, and the mean."""
    tab = open_drawing("threshold")
    slider_of(tab).fill(str(price))
    costs = np.array([[0, 500], [price, price]])
    p, q = numbers(tab, ".person", "told", "true", way=DATA).T / 100
    assert melo2026.definition_1(q, p)  # every score is right on average
    risk = melo2026.equation_7(q, p, price / 500, costs).round(9)
    dollars = tab.locator(".dollars").all_text_contents()
    assert dollars == [f"{one:.0f} dollars" if one else "" for one in risk]
    wrong = ["person wrong" if one else "person" for one in risk]
    assert tab.locator(".person").evaluate_all("(nodes) => nodes.map((node) => node.className.baseVal)") == wrong
    both = [melo2026.section_2_3_expected_cost(np.full(6, d), q, costs) for d in (0, 1)]
    places = numbers(tab, ".excess", "y", "height").T
    assert (294 - places.sum(axis=0)) * 500 / 260 == pytest.approx(np.min(both, axis=0))
    assert places[1] * 500 / 260 == pytest.approx(np.abs(np.subtract(*both)))
    assert places[1][risk > 0] * 500 / 260 == pytest.approx(risk[risk > 0])
    assert tab.locator(".excess:visible").count() == np.count_nonzero(risk)
    mean = melo2026.proposition_1(p, q, price / 500, costs)
    assert f"{np.count_nonzero(risk)} of 6" in said(tab) and f" {mean:.2f} dollars" in said(tab)
    assert transforms(tab, ".moves") == [(pytest.approx(44 + PIXELS * price / 5), 0)] * 2


@pytest.mark.parametrize("fees", [[5], [1, 4], [12, 3], [24, 22, 23], [50, 10]])
def test_a_refusal_costs_what_equation_7_says(open_drawing, fees):
    """The ink, the bills, and their curves over all fees at which the reader has been."""
    tab = open_drawing("refusal")
    for fee in fees:
        slider_of(tab).fill(str(fee))
    gamma = fees[-1] / 100
    seen = np.arange(min(fees + [5]), max(fees + [5]) + 1)
    for name, power in (("honest", 1), ("sure", 2)):
        wrong = numbers(tab, f".{name} .block", "wrong", way=DATA).ravel()
        incurred = (np.arange(25) < wrong[:, None]).ravel()
        risks = 1 - Department(n_classes=4).powered(1 - wrong / 25, power)
        u = np.repeat(risks.round(12), 25)
        rows = ecuas2026.equation_7(incurred, u, gamma)
        assert f"{rows.sum():.2f}" == tab.text_content(f".{name} .paid") and f"in all {rows.sum():.2f}" in said(tab)
        inked = tab.locator(f".{name} .ink").evaluate_all("(nodes) => nodes.map((node) => node.getAttribute('d'))")
        widths = np.array(re.findall(r"h([.\d]+)v-11", "".join(inked)), float)
        assert widths.sum() / 11 == pytest.approx(rows.sum())  # a whole square is a mistake
        fates = tab.locator(f".{name} .fate").all_text_contents()
        assert [fate == "followed" for fate in fates] == (u[::25] <= gamma).tolist()
        curve = np.array(re.findall(r"([.\d]+) ([.\d]+)", tab.locator(f".{name} .curve").get_attribute("d")), float)
        bills = [ecuas2026.equation_7(incurred, u, fee / 100).sum() for fee in seen]
        assert (curve[:, 0] - 44) / 4.2 == pytest.approx(seen) and (294 - curve[:, 1]) / 10.4 == pytest.approx(bills)
        assert transforms(tab, f".{name} .now") == [(44 + 4.2 * fees[-1], pytest.approx(294 - 10.4 * rows.sum()))]
        if name == "honest":
            assert np.all(bills <= seen + 1e-9)  # never more than a look at all


def by_algorithm(luck, truth):
    """What a night reports: answers are right where luck is below the truth."""
    return semece2026.algorithm_1(np.where(luck < truth / 100, "5 mg", "10 mg"), 25)


@pytest.mark.parametrize("truth", [50, 58, 75, 95])
def test_agreement_is_sem1_and_sem2(open_drawing, truth):
    """Of each night, and what all nights that could be have on average; the truth moves and the luck stays."""
    draws = np.random.default_rng(truth).random((21, 50))
    tab = open_drawing("agreement", draws)
    tab.get_by_role("button", name="next night").click()
    tab.get_by_role("button", name="20 nights more").click()
    slider_of(tab).fill(str(truth))
    first = np.array(tab.get_attribute(".drawing", "data-luck").split(), float)
    nights = [by_algorithm(luck, truth) for luck in [first, *draws]]
    bias = exact_bias([truth / 100, 1 - truth / 100], 25)
    for one, off in enumerate((bias.sem1, bias.sem2), 1):
        panel = f".sem{one}"
        assert tab.locator(f"{panel} .same").count() == round(25 * nights[-1][one])
        places = numbers(tab, f"{panel} :is(.nights circle, .tonight)", "cx", "cy")
        assert (places[:, 0] - 44) / PIXELS / 100 == pytest.approx([night[one] for night in nights])
        assert len(np.unique(places.round(6), axis=0)) == len(nights)  # none hides another
        tops, heights = numbers(tab, f"{panel} .law rect", "y", "height").T
        assert tops + heights == pytest.approx(236) and heights.sum() / 330 == pytest.approx(1)
        mean = heights @ np.arange(26) / 25 / 330
        assert mean == pytest.approx(truth / 100 + off, abs=1e-9)
        assert f"{100 * mean:.1f}" in tab.text_content(f"{panel} .mean-name")
        assert f"{100 * abs(off):.1f} points" in said(tab)
    assert f"This night {nights[-1][0]} wins with {round(25 * nights[-1][1])} of 25" in said(tab)


def test_forty_nights_are_kept(open_drawing):
    tab = open_drawing("agreement")
    for _ in range(3):
        tab.get_by_role("button", name="20 nights more").click()
    assert tab.locator(".sem1 .nights circle").count() == tab.locator(".sem2 .nights circle").count() == 39
