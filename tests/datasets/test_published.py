"""The printed losses of networks: complete, unchanged, and read with every sign they were printed with."""

import numpy as np
import pandas as pd
import pytest

from helpers.datasets import DATA_FOLDER, load_network_losses

SETS = ["imagenet_1k", "imagenet_c_merged", "imagenet_c_snow", "imagenet_r"]


def test_every_network_meets_every_set_once():
    losses = load_network_losses()
    assert sorted(losses.table["dataset"].unique()) == SETS
    counts = pd.crosstab(losses.table["network"], losses.table["dataset"])
    assert counts.shape == (27, 4) and (counts == 1).all(axis=None)
    assert losses.licence == "CC BY 4.0" and "hal.science" in losses.citation


@pytest.mark.parametrize("number, rows", [(1, 17), (2, 108)])
def test_the_numbers_are_possible_and_have_three_decimals(number, rows):
    losses = load_network_losses(number)
    table = losses.table
    assert len(table) == rows and not table.isna().any(axis=None)
    numbers = table[["calibration", "calibration_after", "grouping", "grouping_after"]]
    assert np.allclose(numbers, numbers.round(3), atol=1e-12) and losses.rounding == 0.0005
    assert (numbers.abs() < 0.25).all(axis=None) and (table[["calibration", "calibration_after"]] >= 0).all(axis=None)
    assert table["accuracy"].between(0, 100).all()


def test_a_printed_minus_zero_keeps_its_sign():
    text = (DATA_FOLDER / "perezlebel2023_table2.csv").read_text(encoding="utf-8")
    printed = sum(value.startswith("-") for line in text.splitlines() for value in line.split(",")[4:6])
    table = load_network_losses().table
    assert np.signbit(table[["grouping", "grouping_after"]]).to_numpy().sum() == printed > 0
    assert printed > (table[["grouping", "grouping_after"]] < 0).to_numpy().sum()  # some are -0.000
