"""Rows of data/mutations.csv can be applied, and one of them is run: a wrong formula is noticed by its claim."""

import pytest
from mutations import (
    ROOT,
    count_text,
    find_notebook,
    group_rows,
    make_wrong,
    outcomes,
    read_mutations,
    run_fork,
    unchanged,
)
from rules import CLAIMED

from helpers.datasets import load_claims

ROWS = read_mutations()


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['claim']}-{k}" for k, row in enumerate(ROWS)])
def test_each_row_names_a_claim_and_a_piece_of_text_that_stands_once(row):
    claims = load_claims().set_index("id")
    assert claims.loc[row["claim"], "status"] in CLAIMED
    assert row["notebook"] in claims.loc[row["claim"], "notebook"].split("; ")
    assert ROOT / row["file"] == find_notebook(row["notebook"]) or row["file"].startswith("helpers/")
    assert count_text(row) == 1
    assert row["replace"] != row["find"] and row["wrong"]


def test_a_text_that_does_not_stand_once_is_refused(tmp_path):
    with pytest.raises(ValueError, match="find must stand once in .*, but 'no such text' does 0 times"):
        make_wrong(ROWS[0] | {"find": "no such text"}, tmp_path)


def test_a_formula_of_the_notebook_itself_is_made_wrong_and_the_package_is_not(tmp_path):
    file = "notebooks/checks/11_sem1_against_sem2.ipynb"
    cells = make_wrong(
        ROWS[0] | {"notebook": "checks/11", "file": file, "find": "[0.55, 0.40, 0.05]", "replace": "[1]"}, tmp_path
    )
    assert "terms = leading.standardized([1], 50)" in "\n".join(cells)
    assert (tmp_path / "helpers").resolve() == ROOT / "helpers"


def test_rows_with_the_same_wrong_formula_share_a_run():
    first = ROWS[0]
    second = ROWS[1]
    groups = group_rows([first, second, first | {"claim": "another", "wrong": "in other words"}])
    assert [[row["claim"] for row in same] for same in groups] == [[first["claim"], "another"], [second["claim"]]]


def test_a_wrong_bound_is_noticed_and_a_right_one_is_not():
    row = next(row for row in ROWS if row["claim"] == "semece2026.theorem5_4")
    assert outcomes([row]) == ["noticed"]
    assert outcomes([unchanged(row)]) == ["not noticed"]


def test_a_cell_that_stops_is_told():
    cells = ["def parameters():\n    return 1 / 0", "parameters()"]
    assert run_fork(cells, find_notebook("checks/11")) == (set(), "ZeroDivisionError: division by zero")
