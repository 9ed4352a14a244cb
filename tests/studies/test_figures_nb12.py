"""Figures of sampled answers: every number is drawn where it belongs, with marks that need no colour."""

import numpy as np
import pandas as pd
import pytest

from helpers import plotting
from helpers.studies import nb12_sem_practice


def drawn(ax):
    """{label: (x, y)} of the lines with a label."""
    lines = {line.get_label(): line for line in ax.get_lines()}
    bars = {one.get_label(): one.lines[0] for one in ax.containers}
    return {name: tuple(map(list, line.get_data())) for name, line in (lines | bars).items()}


def test_lines_of_sources_keep_their_values_and_marks():
    lines = {"Sem1": np.array([0.3, 0.2]), "Sem2": np.array([0.1, 0.15]), "forest": np.array([0.2, 0.2])}
    ax = plotting.plot_answer_lines([10, 50], lines, half_width={"Sem1": [0.01, 0.02]}, level=("oracle", 0.17),
                                    xlabel="n", ylabel="error")  # fmt: skip
    found = drawn(ax)
    assert found["Sem1"] == ([10, 50], [0.3, 0.2]) and found["forest"] == ([10, 50], [0.2, 0.2])
    assert found["oracle"][1] == [0.17, 0.17]
    segments = ax.containers[0].lines[2][0].get_segments()
    assert np.allclose(segments, [[[10, 0.29], [10, 0.31]], [[50, 0.18], [50, 0.22]]])


def test_pairs_have_a_mark_for_each_pile():
    pairs = pd.DataFrame({"cards": ["clean", "clean", "slipped"], "overconfidence": [-0.1, 0.0, 0.4]})
    pairs = pairs.assign(gap=[-0.01, 0.0, 0.02], low=[-0.02, -0.01, 0.01], high=[0.0, 0.01, 0.03])
    ax = nb12_sem_practice.plot_pair_gaps(pairs)
    assert drawn(ax)["clean"] == ([-0.1, 0.0], [-0.01, 0.0])
    bar = ax.containers[1].lines[2][0].get_segments()[0]
    assert np.allclose(bar, [[0.4, 0.01], [0.4, 0.03]])


@pytest.mark.parametrize("null", [True, False])
def test_margins_are_drawn_in_the_middle_of_their_range(null):
    table = pd.DataFrame({"margin_from": [0.0, 0.5], "margin_to": [0.5, 1.0], "ece_sem1": [0.2, 0.1]})
    table = table.assign(ece_sem2=[0.1, 0.1], **({"null_sem1": [0.05, 0.02]} if null else {}))
    ax = nb12_sem_practice.plot_by_margin(table, boundaries=(("JDR", 0.09), ("low / large", 0.2)))
    found = drawn(ax)
    assert found["Sem1-ECE"] == ([0.25, 0.75], [0.2, 0.1]) and found["JDR"][0] == [0.09, 0.09]
    assert len(ax.collections) == null
    assert ax.get_ylim()[0] == 0
