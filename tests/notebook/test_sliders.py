"""Pictures that follow a parameter: the stills are drawn at the values said, a slider that is moved redraws."""

import asyncio
import inspect

import matplotlib.pyplot as plt
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook
from rules import lint

from helpers.notebook import explore, prediction
from helpers.notebook.display import KEY, collected
from helpers.notebook.page import to_html
from helpers.notebook.sliders import INVITATION, WIDGET, drop_widgets, sliders

ALT = "A line that is steeper the larger the slope."
SLOPE = {"slope": (0, 0.5, 2)}


class Drawing:
    """A drawing of one or two parameters that remembers what it was asked for."""

    def __init__(self):
        self.asked = []
        self.axes = []

    def __call__(self, ax, slope, shift=0):
        self.asked.append((slope, shift))
        self.axes.append(ax)
        ax.plot([0, 1], [shift, shift + slope], label="a line")
        ax.set(xlabel="x", ylabel="y")
        ax.legend()


@pytest.fixture(autouse=True)
def figures_closed():
    yield
    assert plt.get_fignums() == []


def test_stills_are_drawn_at_the_values_said():
    draw = Drawing()
    with collected() as outputs:
        explore(draw, stills=SLOPE, alt=ALT, caption="Three slopes.", slope=(0, 2, 0.5))
    assert draw.asked == [(0, 0), (0.5, 0), (2, 0)]
    assert [ax.get_title() for ax in draw.axes] == ["slope = 0", "slope = 0.5", "slope = 2"]
    drawn = [ax.lines[0].get_ydata()[1] for ax in draw.axes]
    assert drawn == [0, 0.5, 2]
    places = [ax.get_position().x0 for ax in draw.axes]
    assert places == sorted(places) and len(set(places)) == 3
    (picture, metadata), (words, _) = outputs
    assert picture["image/png"] and set(picture) == {"image/png", "text/plain"}
    assert metadata[KEY]["alt"] == f"{ALT} Still pictures at slope = 0, 0.5, 2."
    assert f"Three slopes. {INVITATION}" in words["text/html"]


def test_stills_share_their_axes_and_one_legend():
    draw = Drawing()
    with collected():
        explore(draw, stills=SLOPE, alt=ALT, slope=(0, 2, 0.5))
    first, *others = draw.axes
    assert {ax.get_ylim() for ax in others} == {first.get_ylim()}
    assert first.get_ylabel() == "y" and [ax.get_ylabel() for ax in others] == ["", ""]
    assert [ax.get_legend() for ax in draw.axes] == [None] * 3
    assert [text.get_text() for text in first.figure.legends[0].get_texts()] == ["a line"]


def test_the_second_of_two_parameters_goes_along_a_row():
    draw = Drawing()
    with collected() as outputs:
        explore(draw, stills={"shift": (0, 1), **SLOPE}, alt=ALT, shift=(0, 1, 1), slope=(0, 2, 0.5))
    assert draw.asked == [(slope, shift) for shift in (0, 1) for slope in SLOPE["slope"]]
    assert draw.axes[4].get_title() == "shift = 1, slope = 0.5"
    places = [ax.get_position() for ax in draw.axes]
    assert places[0].y0 == places[2].y0 > places[3].y0 and places[0].x0 == places[3].x0 < places[1].x0
    assert "shift = 0, 1; slope = 0, 0.5, 2." in outputs[0][1][KEY]["alt"]


def test_a_parameter_with_one_still_stands_in_no_title():
    draw = Drawing()
    with collected():
        explore(draw, stills={"shift": (1,), **SLOPE}, alt=ALT, shift=(0, 1, 1), slope=(0, 2, 0.5))
    assert draw.asked == [(0, 1), (0.5, 1), (2, 1)]
    assert draw.axes[0].get_title() == "slope = 0"


def test_a_slider_that_is_moved_redraws():
    draw = Drawing()
    ranges = {"slope": (0.0, 2.0, 0.5), "shift": (0, 3, 1)}
    with collected() as outputs:
        widget = sliders(draw, {"slope": [0.5], "shift": [1]}, ranges, ALT)
        slope, shift, _ = widget.children
        slope.value = 1.5
        shift.value = 3
    assert draw.asked == [(0.5, 1), (1.5, 1), (1.5, 3)]
    pictures = [metadata[KEY]["alt"] for bundle, metadata in outputs if "image/png" in bundle]
    assert pictures[-1] == f"{ALT} Drawn at slope = 1.5, shift = 3."
    assert not slope.continuous_update and not shift.continuous_update
    assert (slope.min, slope.max, slope.step) == (0, 2, 0.5) and isinstance(shift.value, int)


def test_a_slider_is_a_widget_and_stands_outside_of_a_fold(monkeypatch):
    shown = []
    monkeypatch.setattr("helpers.notebook.sliders.emit", lambda bundle: shown.append(bundle))
    with collected() as outputs, prediction():
        explore(Drawing(), stills=SLOPE, alt=ALT, live=True, slope=(0, 2, 0.5))
    assert [set(bundle) for bundle in shown] == [{WIDGET, "text/plain"}]
    assert shown[0]["text/plain"] == f"Figure: {ALT}"
    assert all("image/png" not in bundle and "<img" not in str(bundle) for bundle, _ in outputs)


SOURCE = inspect.cleandoc(
    """
    from helpers.notebook import explore

    def draw(ax, slope):
        ax.plot([0, 1], [0, slope])

    explore(draw, stills={"slope": (0, 0.5, 2)}, alt="A line that is steeper the larger the slope.",
            slope=(0.0, 2.0, 0.5), live=LIVE)
    """
)


def run(*sources):
    """The outputs of cells that a kernel runs."""
    notebook = new_notebook(cells=[new_code_cell(source) for source in sources])
    asyncio.run(_execute(NotebookClient(notebook)))
    return [cell.outputs for cell in notebook.cells]


async def _execute(client):
    """Execute, and look for replies once a second: one that comes while a widget's message is sent would wake nobody.

    Where it stands in the queue and nobody knows, nbclient waits for ever (its issue 312).
    """

    async def look():
        while True:
            await asyncio.sleep(1)
            if client.kc is not None:
                await client.kc.shell_channel.socket.poll(1)  # whoever waits for longer is served first

    looking = asyncio.ensure_future(look())
    try:
        await client.async_execute()
    finally:
        looking.cancel()


def test_in_a_kernel_a_moved_slider_shows_another_picture():
    move = "import ipywidgets\n(slider,) = (w for w in ipywidgets.Widget.widgets.values() if hasattr(w, 'step'))\n"
    shown, _, output = run(
        SOURCE.replace("LIVE", "True"),
        move + "slider.value = 1.5",
        "(out,) = (w for w in ipywidgets.Widget.widgets.values() if hasattr(w, 'outputs'))\n"
        "print([entry['metadata']['honest']['alt'] for entry in out.outputs if 'image/png' in entry.get('data', {})])",
    )
    assert [set(entry.data) for entry in shown] == [{WIDGET, "text/plain"}]
    assert "Drawn at slope = 1.5." in output[0].text


def test_a_page_says_in_words_what_sliders_draw():
    (outputs,) = run(SOURCE.replace("LIVE", "True"))
    cells = [new_code_cell(outputs=outputs)]
    assert "widget" in str(cells[0].outputs)
    page = to_html(new_notebook(cells=cells))
    assert f"Figure: {ALT}" in page and "widget-view" not in page and "model_id" not in page
    drop_widgets(outputs)
    assert [set(entry.data) for entry in outputs] == [{"text/plain"}]


def test_a_notebook_with_sliders_is_not_stored():
    live = SOURCE.replace("LIVE", "True")
    (outputs,) = run(live)
    for source, stored, expected in ((live, outputs, 2), (SOURCE.replace("LIVE", "False"), [], 0)):
        cell = new_code_cell(source, outputs=stored, execution_count=1)
        findings = lint(new_notebook(cells=[cell]), "00_sliders")
        assert sum("live" in finding for finding in findings) == expected, findings


WRONG = {
    "slop": ({"slop": (0, 2, 0.5)}, SLOPE, "draw has no parameter 'slop'; did you mean 'slope'"),
    "none": ({}, SLOPE, "one or two parameters, but 0 have"),
    "left out": ({"shift": (0, 1, 1)}, {"shift": (0, 1, 1)}, "draw needs 'slope'"),
    "empty": ({"slope": (2, 2, 0.5)}, SLOPE, "low < high .* but it is"),
    "turned": ({"slope": (2, 0, 0.5)}, SLOPE, "low < high .* but it is"),
    "no step": ({"slope": (0, 2, 0)}, SLOPE, "0 < step"),
    "long step": ({"slope": (0, 2, 3)}, SLOPE, "0 < step"),
    "two numbers": ({"slope": (0, 2)}, SLOPE, r"slope must be \(low, high, step\)"),
    "endless": ({"slope": (0, float("inf"), 1)}, SLOPE, r"slope must be \(low, high, step\)"),
    "outside": ({"slope": (0, 1, 0.5)}, SLOPE, "stills of 'slope' must lie between 0 and 1, but one is 2"),
    "nan": ({"slope": (0, 2, 0.5)}, {"slope": (0, float("nan"), 1)}, "must lie between 0 and 2, but one is nan"),
    "others": ({"slope": (0, 2, 0.5)}, {"shift": (0, 1, 2)}, "stills must name what has a range"),
    "two": ({"slope": (0, 2, 0.5)}, {"slope": (0, 1)}, "3 to 6 pictures, but they make 2"),
    "many": ({"slope": (0, 2, 0.5)}, {"slope": range(7)}, "between 0 and 2, but one is 3"),
}


@pytest.mark.parametrize("ranges, stills, message", WRONG.values(), ids=list(WRONG))
@pytest.mark.parametrize("live", [False, True])
def test_what_cannot_be_drawn_is_refused(ranges, stills, message, live):
    draw = Drawing()
    with pytest.raises(ValueError, match=message):
        explore(draw, stills=stills, alt=ALT, live=live, **ranges)
    assert draw.asked == []


@pytest.mark.parametrize("live", [False, True])
def test_a_picture_that_is_not_described_is_refused(live):
    with pytest.raises(ValueError, match="at least 20 characters, but it is 'a line'"):
        explore(Drawing(), stills=SLOPE, alt="a line", live=live, slope=(0, 2, 0.5))
