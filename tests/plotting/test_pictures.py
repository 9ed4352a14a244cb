"""Pictures of single things draw each answer and product, in the look of its role."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import to_hex

from helpers.plotting import DOWN, GREY, UP, plot_cards, plot_products


def colour(patch):
    return to_hex(patch.get_facecolor())


def digit_of(bar):
    return round(bar.get_x() + bar.get_width() / 2)


def heights(ax):
    return {digit_of(bar): bar.get_height() for bar in ax.patches}


def colour_of(collection):
    return to_hex(collection.get_facecolor()[0])


def test_a_card_shows_the_share_of_each_answer_and_which_is_right():
    answers = {"clean": [[6, 6, 6, 6], [1, 1, 1, 2]], "slipped": [[1, 1, 6, 0], [2, 2, 2, 2]]}
    images = {pile: np.zeros((2, 8, 8)) for pile in answers}
    answers = {pile: np.array(given) for pile, given in answers.items()}
    fig = plot_cards(images, answers, truth=np.array([6, 1]))
    panels = np.reshape(fig.axes, (2, 2))  # a row a card, a column a pile
    assert {ax.get_subplotspec().get_geometry()[:2] for ax in panels.flat} == {(4, 1)}  # one below the other
    assert [[heights(ax) for ax in row] for row in panels] == [
        [{6: 1}, {0: 0.25, 1: 0.5, 6: 0.25}], [{1: 0.75, 2: 0.25}, {2: 1}],
    ]  # fmt: skip
    names = [[next(text.get_text() for text in ax.texts if text.get_text() in images) for ax in row] for row in panels]
    assert names == [["clean", "slipped"]] * 2
    shares = [[next(text.get_text() for text in ax.texts if "%" in text.get_text()) for ax in row] for row in panels]
    assert shares == [["100%", "50%"], ["75%", "100%"]]
    for row, digit in zip(panels, (6, 1), strict=True):
        for ax in row:
            looks = {digit_of(bar): colour(bar) for bar in ax.patches}
            assert looks == {k: to_hex((UP if k == digit else DOWN).color) for k in looks}
    plt.close(fig)


def test_a_digit_that_hardly_anybody_answers_gets_no_bar_and_stays_grey():
    given = np.repeat([3, 5, 8], [94, 5, 1])
    fig = plot_cards({"clean": np.zeros((1, 8, 8))}, {"clean": given[None]}, truth=np.array([3]))
    assert set(heights(fig.axes[0])) == {3, 5}
    colours = {text.get_text(): text.get_color() for text in fig.axes[0].texts}
    assert [digit for digit in "0123456789" if colours[digit] != GREY] == ["3", "5"]
    plt.close(fig)


def test_the_mosaic_colours_every_product_but_the_squares_and_gives_the_mean_of_each_block():
    parts = {"January": np.array([0.6, -0.2]), "February": np.array([0.4])}
    ax = plot_products(parts)
    means = {tuple(text.get_position()): text.get_text() for text in ax.texts}
    cross, minus = "cross\n0.080", "\N{MINUS SIGN}"
    assert means == {
        (1, 1): f"January alone\n{minus}0.120", (2.5, 1): cross, (1, 2.5): cross, (2.5, 2.5): "no pair",
        (2, 2): "all: 0.013",
    }  # fmt: skip
    hatched = [patch for patch in ax.collections if patch.get_hatch()]
    corners = sorted(tuple(patch.get_paths()[0].get_extents().min) for patch in hatched)
    assert corners == [(0, 0), (1, 1), (2, 2)]
    looks = {}
    for patch in ax.collections:
        if not patch.get_hatch():
            place = tuple(patch.get_paths()[0].get_extents().min.astype(int))
            looks[place] = colour_of(patch), patch.get_facecolor()[0, 3]
    up, down = to_hex(UP.color), to_hex(DOWN.color)
    assert {place: look for place, (look, _) in looks.items()} == {
        (1, 0): down, (0, 1): down, (2, 0): up, (0, 2): up, (2, 1): down, (1, 2): down,
    }  # fmt: skip
    strength = [looks[place][1] for place in ((2, 1), (1, 0), (2, 0))]  # of -0.08, -0.12 and 0.24
    assert strength == sorted(set(strength))
    frame = next(line for line in ax.lines if line.get_color() == DOWN.color)
    assert np.allclose(frame.get_xydata().round(), [[2, 0], [3, 0], [3, 3], [0, 3], [0, 2], [2, 2], [2, 0]])
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["January", "February"]
    assert list(ax.get_xticks()) == [1, 2.5]
    plt.close(ax.figure)
