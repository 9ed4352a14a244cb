"""Rows of data/mutations.csv can be applied, and one of them is run: a wrong formula is noticed by its claim."""

import pytest
from forks import FORKS, IMPORTED
from mutations import (
    ROOT,
    code_of,
    count_text,
    find_notebook,
    group_rows,
    make_wrong,
    outcomes,
    own_parameters,
    read_mutations,
    run_fork,
    with_second_parameters,
)
from rules import CLAIMED

from helpers.datasets import load_claims

ROWS = read_mutations()


def test_each_row_names_a_claim_and_a_piece_of_text_that_stands_once():
    claims = load_claims().set_index("id")
    for row in ROWS:
        assert claims.loc[row["claim"], "status"] in CLAIMED, row
        assert row["notebook"] in claims.loc[row["claim"], "notebook"].split("; "), row
        assert ROOT / row["file"] == find_notebook(row["notebook"]) or row["file"].startswith("helpers/"), row
        assert count_text(row) == 1, row
        assert row["replace"] != row["find"] and row["wrong"], row


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


def test_every_verified_claim_notices_a_wrong_formula():
    claims = load_claims()
    verified = claims.loc[claims["status"] == "verified", "id"]
    assert set(verified) <= {row["claim"] for row in ROWS}


def test_parameters_of_a_row_are_those_of_its_notebook_and_go_before_the_second_ones():
    given = [row for row in ROWS if row["parameters"]]
    assert given
    for row in given:
        notebook = find_notebook(row["notebook"])
        made = with_second_parameters(code_of(notebook), notebook, own_parameters(row))
        (injected,) = (cell for cell in made if cell.startswith("# Parameters"))
        declared = next(cell for cell in made if "seed = " in cell)
        for name, value in own_parameters(row).items():
            assert f"\n{name} = " in declared and f"{name} = {value!r}" in injected.splitlines()
        assert "seed = 7" in injected.splitlines() and "parameters(" in made[made.index(injected) + 1]


def test_rows_with_the_same_wrong_formula_share_a_run():
    first = ROWS[0]
    second = ROWS[1]
    groups = group_rows([first, second, first | {"claim": "another", "wrong": "in other words"}])
    assert [[row["claim"] for row in same] for same in groups] == [[first["claim"], "another"], [second["claim"]]]


@pytest.mark.slow
def test_a_wrong_bound_is_noticed_and_a_right_one_is_not():
    row = next(row for row in ROWS if row["claim"] == "semece2026.theorem5_4")
    assert outcomes([row]) == ["noticed"]
    assert outcomes([row | {"replace": row["find"]}]) == ["not noticed"]


@pytest.mark.skipif(not FORKS, reason="runs are forks on Linux only")
def test_a_run_finds_its_imports_done():
    """One list says what the process that forks has imported; a second one, of another test, would take its place."""
    missing = f"def parameters():\n    import sys\n    print([m for m in {IMPORTED} if m not in sys.modules])"
    assert run_fork([missing, "parameters()"], find_notebook("checks/11")) == (set(), "", "[]\n")
