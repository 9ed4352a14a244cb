"""The printed losses of networks: complete, unchanged, and read with every sign they were printed with."""

import numpy as np
import pandas as pd

from helpers.datasets import DATA_FOLDER, load_network_losses

SETS = ["imagenet_1k", "imagenet_c_merged", "imagenet_c_snow", "imagenet_r"]


def test_every_network_meets_every_set_once():
    losses = load_network_losses()
    assert sorted(losses.table["dataset"].unique()) == SETS
    counts = pd.crosstab(losses.table["network"], losses.table["dataset"])
    assert counts.shape == (27, 4) and (counts == 1).all(axis=None)
    assert losses.licence == "CC BY 4.0" and "hal.science" in losses.citation


def test_a_printed_minus_zero_keeps_its_sign():
    text = (DATA_FOLDER / "perezlebel2023_table2.csv").read_text(encoding="utf-8")
    printed = sum(value.startswith("-") for line in text.splitlines() for value in line.split(",")[4:6])
    table = load_network_losses().table
    assert np.signbit(table[["grouping", "grouping_after"]]).to_numpy().sum() == printed > 0
    assert printed > (table[["grouping", "grouping_after"]] < 0).to_numpy().sum()  # some are -0.000
