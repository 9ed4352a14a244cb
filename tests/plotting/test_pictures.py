"""Pictures of single things draw each answer and product, in the look of its role."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex

from helpers.plotting import DOWN, UP, plot_cards, plot_products


def colour(patch):
    return to_hex(patch.get_facecolor())


def colour_of(collection):
    return to_hex(collection.get_facecolor()[0])


def test_a_card_shows_the_share_of_each_answer_and_which_is_right():
    answers = {"clean": [[6, 6, 6, 6], [1, 1, 1, 2]], "slipped": [[1, 1, 6, 0], [2, 2, 2, 2]]}
    images = {pile: np.zeros((2, 8, 8)) for pile in answers}
    answers = {pile: np.array(given) for pile, given in answers.items()}
    fig = plot_cards(images, answers, truth=np.array([6, 1]))
    panels = np.reshape(fig.axes, (2, 2))  # a row a card, a column a pile
    heights = [[[bar.get_height() for bar in ax.patches] for ax in row] for row in panels]
    assert np.array(heights)[0, 1, [0, 1, 6]] == pytest.approx([0.25, 0.5, 0.25])
    assert np.array(heights)[1, 0, [1, 2]] == pytest.approx([0.75, 0.25])
    assert np.allclose(np.sum(heights, axis=2), 1)
    assert [ax.get_title() for ax in panels[0]] == ["clean", "slipped"]
    shares = [[next(text.get_text() for text in ax.texts if "%" in text.get_text()) for ax in row] for row in panels]
    assert shares == [["100%", "50%"], ["75%", "100%"]]
    for row, digit in zip(panels, (6, 1), strict=True):
        for ax in row:
            right = [k for k, bar in enumerate(ax.patches) if colour(bar) == to_hex(UP.color)]
            assert right == [digit]
            assert {colour(bar) for bar in ax.patches} == {to_hex(UP.color), to_hex(DOWN.color)}
    plt.close(fig)


def test_the_mosaic_colours_every_product_but_the_squares_and_gives_the_mean_of_each_block():
    parts = {"January": np.array([0.6, -0.2]), "February": np.array([0.4])}
    ax = plot_products(parts)
    means = {tuple(text.get_position()): text.get_text() for text in ax.texts}
    assert means == {(1, 1): "mean -0.120", (2.5, 1): "mean 0.080", (1, 2.5): "mean 0.080", (2.5, 2.5): "no pair"}
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
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["January", "February"]
    assert list(ax.get_xticks()) == [1, 2.5]
    plt.close(ax.figure)
