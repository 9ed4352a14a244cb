"""The tool that makes formulas wrong: what its operators yield, how they are drawn, and that a toy's test notices."""

import ast
import csv

import pytest
from forks import FORKS
from mutants import ROOT, is_another, mutants_of, sample
from mutate import OUTPUT, Suite, files_of, read_equivalent, report

TOY = '''"""A toy: words are left alone."""

import numpy as np

LEVEL = 0.95


def spread(x: "1 + 1", y, *, axis=1, copy=True):
    """Not 1 - 1 either."""
    check(x)
    if len(x) < 2 or not y.any():
        raise ValueError(f"{len(x) - 1} is too few")
    low, high = np.quantile(x, (1 - LEVEL) / 2), np.quantile(x, LEVEL)
    place = np.searchsorted(x, y, side="left")
    total = -np.sqrt((x - y) ** 2).sum(axis=axis) / (len(x) - 1)
    return clipped(low, high) * total / len(y) + x * place.mean()
'''
OPERATORS = {"constant", "sign", "factor", "missing term", "n for n - 1", "turned round", "another argument"}
OPERATORS |= {"mean for sum", "missing call", "quantile", "comparison", "condition", "missing step"}


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
    expected += [("place.mean()", "place.sum()"), ("clipped(low, high)", "clipped(high, low)"), ("check(x)", "pass")]
    expected += [
        ("np.quantile(x, LEVEL)", "np.quantile(x, 1 - LEVEL)"),
        ("'left'", "'right'"),
        ("(x - y) ** 2", "x - y"),
    ]
    assert {(a.replace('"', "'"), b.strip("()") if a.endswith("** 2") else b) for a, b in changes} >= set(expected)


def test_words_and_flags_that_no_number_needs_are_left_alone(toy):
    changed = {mutant.source(toy) for mutant in mutants_of("toy.py", toy)}
    for kept in ("words are left alone", "Not 1 - 1 either", '"1 + 1"', "{len(x) - 1} is too few"):
        assert all(kept in source for source in changed)


def test_a_mutant_knows_the_lines_of_its_function(toy):
    for mutant in mutants_of("toy.py", toy):
        inside = mutant.function == "spread"
        assert inside == (mutant.lines != (0, 0))


def test_the_same_seed_draws_the_same_mutants_of_each_module_in_turn():
    files = files_of(["helpers.routing"])

    def first(seed):
        return [mutant for mutant, _ in zip(sample(files, seed), range(14), strict=False)]

    drawn = first(1)
    assert drawn == first(1) != first(2)
    assert len({mutant.file for mutant in drawn[:6]}) == 6


def test_an_unknown_module_is_refused():
    with pytest.raises(SystemExit, match="--module"):
        files_of(["helpers.no_such_room"])


@pytest.mark.slow
@pytest.mark.skipif(not FORKS, reason="runs are forks on Linux only")
def test_a_test_of_the_package_notices_a_wrong_formula_and_no_file_changes():
    suite = Suite("binning")
    file = ROOT / "helpers" / "binning.py"
    before = file.read_bytes()
    mutants = [mutant for mutant in mutants_of("helpers/binning.py") if mutant.function == "group_sums"]
    assert mutants and {suite.ask(mutant) for mutant in mutants} <= {"killed", "time", "survived"}
    assert sum(suite.ask(mutant) == "killed" for mutant in mutants) >= 0.5 * len(mutants)
    assert file.read_bytes() == before


def test_the_report_counts_by_module_and_shows_survivors():
    row = {"module": "helpers.toy", "line": "3", "function": "f", "operator": "sign", "before": "a", "after": "b"}
    row |= {"tests": "killed", "claims": "", "named": "yes"}
    rows = [row, row | {"tests": "survived", "claims": "melo2026.lemma1"}, row | {"tests": "survived", "after": "c"}]
    text = report(rows)
    assert text.splitlines()[1].split() == ["helpers.toy", "3", "1", "1", "0", "1", "67%"]
    assert "helpers/toy.py:3 in f (sign; survived; )\n  - a\n  + c\n" in text and text.count("\n  - ") == 1


def test_equivalent_mutants_stand_in_the_source_and_are_argued_for():
    with (ROOT / "tests" / "equivalent_mutants.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(read_equivalent()) == len(rows)
    for row in rows:
        text = (ROOT / (row["module"].replace(".", "/") + ".py")).read_text(encoding="utf-8")
        assert row["before"] in text and len(row["why"].split()) > 3, row
        ast.parse(row["after"])


def test_results_are_no_part_of_the_sources():
    assert OUTPUT.relative_to(ROOT).parts[0] == "build"
