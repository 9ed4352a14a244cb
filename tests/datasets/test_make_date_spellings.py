"""The script behind `date_spellings.csv`: its rule by hand; the shipped file again where the answers are at hand."""

import pandas as pd
import pytest
from scripts import load_script

from helpers.datasets import DATA_FOLDER
from helpers.datasets.download import find_cached
from helpers.datasets.sampled_answers import answer_files


@pytest.fixture(scope="module")
def script():
    return load_script("make_date_spellings")


def test_spellings_of_one_date_count_together(script):
    answers = ["05/01/2021", "05/01/2021.", "05/01/2021", "05/02/2021", "no idea", "no idea", "no idea.", "hm"]
    parsed = ["05/01/2021"] * 3 + ["05/02/2021"] + [None] * 4
    table = pd.DataFrame({"question": [0] * 4 + [1] * 4, "answer": answers, "parsed": parsed})
    found = script.confidences(table.assign(reference=["05/01/2021"] * 8))
    assert found.to_dict("list") == {"right": [1, 0], "meaning": [0.75, 0.5], "string": [0.5, 0.5]}


@pytest.mark.slow
def test_the_script_makes_the_shipped_file(script):
    if not all(find_cached(answer_files()[name]) for name in script.PROMPTS.values()):
        pytest.skip("the sampled answers are not at hand")
    shipped = pd.read_csv(DATA_FOLDER / "date_spellings.csv", dtype={"prompt": str})
    prompt = "2"
    measures = {name: script.MEASURES[name] for name in ("error", "ecuas_0", "ecuas_1", "cost_0.2")}
    made = script.make_table({prompt: script.PROMPTS[prompt]}, measures).reset_index(drop=True)
    same = shipped[(shipped["prompt"] == prompt) & shipped["measure"].isin(measures)].reset_index(drop=True)
    pd.testing.assert_frame_equal(made, same, check_dtype=False, atol=2e-4)
