"""Pictures that follow a parameter: the stills are drawn at the values said, a slider that is moved redraws."""

import matplotlib.pyplot as plt
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output
from rules import lint

from helpers.notebook import explore
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
        ax.legend()


@pytest.fixture(autouse=True)
def figures_closed():
    yield
    assert plt.get_fignums() == []


def test_stills_are_drawn_at_the_values_said_and_share_axes_and_legend():
    draw = Drawing()
    with collected() as outputs:
        explore(draw, stills=SLOPE, alt=ALT, caption="Three slopes.", slope=(0, 2, 0.5))
    assert draw.asked == [(0, 0), (0.5, 0), (2, 0)]
    assert [ax.get_title() for ax in draw.axes] == ["slope = 0", "slope = 0.5", "slope = 2"]
    assert len({ax.get_ylim() for ax in draw.axes}) == 1 and len({ax.get_position().x0 for ax in draw.axes}) == 3
    assert [ax.get_legend() for ax in draw.axes] == [None] * 3 and len(draw.axes[0].figure.legends) == 1
    (picture, metadata), (words, _) = outputs
    assert set(picture) == {"image/png", "text/plain"}
    assert metadata[KEY]["alt"] == f"{ALT} Still pictures at slope = 0, 0.5, 2."
    assert f"Three slopes. {INVITATION}" in words["text/html"]


def test_a_moved_slider_shows_another_picture():
    draw = Drawing()
    with collected() as outputs:
        widget = sliders(draw, SLOPE, {"slope": (0.0, 2.0, 0.5)}, ALT)
        widget.children[0].value = 1.5
    assert draw.asked == [(0, 0), (1.5, 0)]
    assert outputs[-2][1][KEY]["alt"] == f"{ALT} Drawn at slope = 1.5."


def test_without_a_kernel_there_are_words():
    shown = new_output("display_data", {WIDGET: {"model_id": "1"}, "text/plain": f"Figure: {ALT}"})
    cell = new_code_cell("explore(draw)", outputs=[shown])
    assert any("a widget is stored" in finding for finding in lint(new_notebook(cells=[cell]), "00_sliders"))
    page = to_html(new_notebook(cells=[cell]))
    assert f"Figure: {ALT}" in page and "widget-view" not in page and "model_id" not in page
    drop_widgets(cell.outputs)
    assert set(cell.outputs[0].data) == {"text/plain"}


@pytest.mark.parametrize("live", [False, True])
@pytest.mark.parametrize(
    ("limits", "stills", "alt", "message"),
    [
        ((0, 1, 0.5), SLOPE, ALT, "stills of 'slope'"),
        ((0, 2, 0.5), {"slope": (0, float("nan"), 1)}, ALT, "stills of 'slope'"),
        ((0, 2, 0.5), {"shift": (0, 1, 2)}, ALT, "stills must name"),
        ((0, 2, 0.5), SLOPE, "a line", "alt"),
    ],
)
def test_what_cannot_be_drawn_is_refused(limits, stills, alt, message, live):
    draw = Drawing()
    with pytest.raises(ValueError, match=message):
        explore(draw, stills=stills, alt=alt, live=live, slope=limits)
    assert draw.asked == []
