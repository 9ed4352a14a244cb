"""The script behind `rand_scores.csv.gz`: families by hand; the shipped table again where its source is at hand."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scripts import load_script

from helpers.datasets import DATA_FOLDER


def test_families_are_neighbours_who_share_place_plan_and_income():
    script = load_script("make_rand_scores")
    people = pd.DataFrame({"zper": [5, 6, 6, 7, 9, 10], "site": 1, "plan": [3, 3, 3, 3, 3, 3]})
    people = people.assign(income=[100, 100, 100, 200, 200, 100], mdeoff=[450, 450, 450, 450, np.nan, np.nan])
    assert list(script.number_families(people)) == [1, 1, 1, 2, 3, 4]


def test_the_script_makes_the_shipped_table(tmp_path):
    script = load_script("make_rand_scores")
    source = Path(os.environ.get("HONEST_DATA", "")) / "rand" / "rand_hie.csv.gz"
    if not source.is_file():
        pytest.skip("the source of rand_scores.csv.gz is not there: put it into HONEST_DATA as rand/rand_hie.csv.gz")
    table = script.make_table(source)
    script.write(table, tmp_path / "a.csv.gz")
    script.write(table, tmp_path / "b.csv.gz")
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()
    shipped = pd.read_csv(DATA_FOLDER / "rand_scores.csv.gz")
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "a.csv.gz"), shipped, rtol=0, atol=1e-9)
