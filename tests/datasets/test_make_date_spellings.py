"""The script behind `date_spellings.csv`: its rule by hand; the shipped file again where the answers are at hand."""

import pandas as pd
import pytest
from scripts import load_script


@pytest.fixture(scope="module")
def script():
    return load_script("make_date_spellings")


def test_spellings_of_one_date_count_together(script):
    answers = ["05/01/2021", "05/01/2021.", "05/01/2021", "05/02/2021", "no idea", "no idea", "no idea.", "hm"]
    parsed = ["05/01/2021"] * 3 + ["05/02/2021"] + [None] * 4
    table = pd.DataFrame({"question": [0] * 4 + [1] * 4, "answer": answers, "parsed": parsed})
    found = script.confidences(table.assign(reference=["05/01/2021"] * 8))
    assert found.to_dict("list") == {"right": [1, 0], "meaning": [0.75, 0.5], "string": [0.5, 0.5]}
