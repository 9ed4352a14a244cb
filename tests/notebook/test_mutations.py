"""Rows of data/mutations.csv can be applied, and one of them is run: a wrong formula is noticed by its claim."""

import pytest
from mutations import ROOT, make_wrong, outcome, read_mutations

from helpers.datasets import load_claims

ROWS = read_mutations()


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['claim']}-{k}" for k, row in enumerate(ROWS)])
def test_each_row_names_a_verified_claim_and_a_piece_of_text_that_stands_once(row):
    claims = load_claims().set_index("id")
    assert claims.loc[row["claim"], "status"] == "verified"
    assert row["notebook"] in claims.loc[row["claim"], "notebook"].split("; ")
    assert (ROOT / row["file"]).read_text(encoding="utf-8").count(row["find"]) == 1
    assert row["replace"] != row["find"] and row["wrong"]


def test_a_text_that_does_not_stand_once_is_refused(tmp_path):
    with pytest.raises(ValueError, match="find must stand once in .*, but 'no such text' does 0 times"):
        make_wrong(ROWS[0] | {"find": "no such text"}, tmp_path)


def test_a_wrong_bound_is_noticed_and_a_right_one_is_not():
    row = next(row for row in ROWS if row["claim"] == "semece2026.theorem5_4")
    assert outcome(row) == "noticed"
    assert outcome(row | {"replace": row["find"] + " * 1"}) == "not noticed"
