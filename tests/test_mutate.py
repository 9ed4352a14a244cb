"""The tool that makes formulas wrong: what its operators yield, how they are drawn, and that a toy's test notices."""

import ast
import csv

import pytest
from mutants import ROOT, is_another, module_of, mutants_of
from mutate import WITH_CLAIMS, Room, drawn_once, files_of, read_equivalent, room_of

TOY = '''"""A toy: words are left alone."""

import numpy as np

LEVEL = 0.95


def spread(x: "1 + 1", y, *, axis=1, copy=True):
    """Not 1 - 1 either."""
    round_trip(x)
    check_size(x - 1)
    make_scale(axis)
    if len(x) < 2 or not y.any():
        raise ValueError(f"{len(x) - 1} is too few")
    low, high = np.quantile(x, (1 - LEVEL) / 2), np.quantile(x, LEVEL)
    place = np.searchsorted(x, y, side="left")
    low = high if place.any() else low
    total = -np.sqrt((x - y) ** 2).sum(axis=axis) / (len(x) - 1)
    return clipped(low, high) * total / len(y) + x * place.mean()
'''
OPERATORS = {"constant", "sign", "factor", "missing term", "n for n - 1", "turned round", "another argument"}
OPERATORS |= {"mean for sum", "missing call", "quantile", "comparison", "condition", "missing step", "check", "default"}


@pytest.fixture
def toy(tmp_path):
    (tmp_path / "toy.py").write_text(TOY, encoding="utf-8")
    return tmp_path


def test_each_operator_yields_another_program_that_compiles(toy):
    made = [mutant for mutant in mutants_of("toy.py", toy) if is_another(mutant, toy)]
    assert {mutant.operator for mutant in made} == OPERATORS
    assert len({mutant.source(toy) for mutant in made}) == len(made) > 40
    changes = {(mutant.before, mutant.after) for mutant in made}
    expected = [("0.95", "0.05"), ("len(x) < 2", "(len(x) <= 2)"), ("len(x) - 1", "len(x)"), ("x - y", "(x + y)")]
    expected += [("place.mean()", "place.sum()"), ("clipped(low, high)", "clipped(high, low)")]
    expected += [("np.quantile(x, LEVEL)", "np.quantile(x, 1 - LEVEL)"), ("round_trip(x)", "pass")]
    expected += [("'left'", "'right'"), ("(x - y) ** 2", "x - y")]
    assert {(a.replace('"', "'"), b.strip("()") if a.endswith("** 2") else b) for a, b in changes} >= set(expected)


def test_what_refuses_bad_input_and_defaults_are_no_formulas(toy):
    made = {(mutant.before, mutant.operator) for mutant in mutants_of("toy.py", toy)}
    assert {("x - 1", "check"), ("check_size(x - 1)", "check"), ("len(x) < 2", "check"), ("1", "default")} <= made
    assert ("x - y", "sign") in made and ("check_size(x - 1)", "missing step") not in made
    assert ("make_scale(axis)", "check") in made and ("make_scale(axis)", "missing step") not in made


class Judge:
    """Draws the same three mutants as any other."""

    def draw(self, seed):
        return iter(["a", "b", "c"])


def test_a_mutant_is_drawn_once():
    first, second = Judge(), Judge()
    assert drawn_once([first, second], 0, 2) == [("a", first), ("b", first), ("c", second)]


def test_every_room_is_there_and_has_tests():
    for room in WITH_CLAIMS:
        files = files_of([f"helpers.{room}"])
        assert {room_of(module_of(file)) for file in files} == {room}
        folder, name = ROOT / "tests", room.replace(".", "/")
        assert (folder / name).is_dir() or (folder / f"test_{name}.py").exists()


@pytest.mark.nightly
def test_a_test_of_the_package_notices_a_wrong_formula_and_no_file_changes():
    room = Room("binning", ["helpers/binning.py"])
    file = ROOT / "helpers" / "binning.py"
    before = file.read_bytes()
    mutants = [mutant for mutant in mutants_of("helpers/binning.py") if mutant.function == "group_sums"][:6:2]
    verdicts = [room.ask(mutant)[0] for mutant in mutants]
    assert set(verdicts) <= {"killed", "timeout", "survived"}
    assert verdicts.count("killed") >= 0.5 * len(mutants) > 0
    assert file.read_bytes() == before


def test_equivalent_mutants_stand_in_the_source_and_are_argued_for():
    with (ROOT / "tests" / "equivalent_mutants.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(read_equivalent()) == len(rows)
    for row in rows:
        text = (ROOT / (row["module"].replace(".", "/") + ".py")).read_text(encoding="utf-8")
        assert row["before"] in text and len(row["why"].split()) > 3, row
        ast.parse(row["after"])
