"""Names of lines, scales and looks, as they come out in a drawn figure."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex

from helpers.plotting import OBSERVED, OURS, STATED, name_lines, panels, points, series, typical_error_beside


def test_names_stand_in_the_order_of_the_ends_and_apart(ax):
    for name, end in {"low": 0.1, "high": 1.0, "just above low": 0.11, "just above that": 0.12}.items():
        ax.plot([0, 1], [0.5, end], label=name)
    ax.plot([0, 1], [0, 0])  # without a label it has no name
    name_lines(ax)
    ax.figure.draw_without_rendering()
    boxes = sorted((text.get_window_extent() for text in ax.texts), key=lambda box: box.y0)
    assert [text.get_text() for text in sorted(ax.texts, key=lambda text: text.xy[1])] == [
        "low", "just above low", "just above that", "high",
    ]  # fmt: skip
    assert all(one.y1 <= other.y0 + 1 for one, other in zip(boxes, boxes[1:], strict=False))


def test_a_name_stands_at_the_last_number_of_its_line(ax):
    ax.plot([0, 1, 2], [3, 4, np.nan], label="ends early")
    name_lines(ax)
    assert ax.texts[0].xy == pytest.approx((1, 4))


def test_a_grouping_loss_has_its_root_in_points_beside_it(ax):
    ax.plot([0, 1], [0, 0.04])
    second = typical_error_beside(ax)
    ax.figure.draw_without_rendering()
    words = dict(zip(second.get_yticks().round(4), (tick.get_text() for tick in second.get_yticklabels()), strict=True))
    assert (words[0.0], words[0.01], words[0.04]) == ("0", "10", "20")
    assert np.allclose(second.get_ylim(), ax.get_ylim())


def test_points_have_a_sign_where_it_is_asked_for(ax):
    ax.plot([-0.05, 0.05], [0, 0.1])
    ax.set(xticks=[-0.05, 0, 0.05], yticks=[0, 0.1])
    points(ax.xaxis, sign=True)
    points(ax.yaxis)
    ax.figure.draw_without_rendering()
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["\N{MINUS SIGN}5", "0", "+5"]
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["0", "10"]


def test_panels_keep_their_numbers_so_that_they_can_be_stacked():
    fig, axes = panels(2, sharey=True)
    axes[0].plot([0, 1], [0, 1])
    fig.draw_without_rendering()
    assert all(any(tick.label1.get_visible() for tick in ax.yaxis.get_major_ticks()) for ax in axes)
    plt.close(fig)


def test_looks_are_told_apart_without_colour():
    looks = [series(k) for k in range(6)]
    assert len({look.marker for look in looks}) == len({str(look.linestyle) for look in looks}) == 6
    assert STATED.dots()["markerfacecolor"] == "white" and "markerfacecolor" not in OBSERVED.dots()
    line = plt.Line2D([0], [0], **OURS.line())
    assert to_hex(line.get_color()) == to_hex(OURS.color) and line.get_marker() == "None"
