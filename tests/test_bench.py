"""The harness of `make bench` on made-up cases; nothing is measured here."""

import importlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

BENCH = Path(__file__).resolve().parents[1] / "bench"
FAKE = """
import time
from worker import Case, Contestant
def noisy(data):
    print("noise")
    return lambda: 2.5
def slow(data):
    return lambda: time.sleep(0.05) or 2.0
def hangs(data):
    return lambda: time.sleep(60 if len(data) > 5 else 0)
def fails(data):
    return lambda: {}["no such key"]
def big(data):
    return lambda: len(bytearray(10**13))
CASES = {"fake": Case(
    "a made-up case", (10, 20, 40), (10,), lambda n: [1] * n,
    {
        "ours": Contestant("pytest", noisy, float, lambda result, data: "a note"),
        "slow": Contestant("numpy", slow),
        "hangs": Contestant("numpy", hangs, lambda result: 0),
        "fails": Contestant("numpy", fails),
        "absent": Contestant("no-such-distribution", slow),
    },
    lambda data: 2.0, growth=True, warm_up=2,
)}
CASES["lowest"] = Case(
    "x", (10,), (10,), lambda n: [1] * n,
    {"ours": Contestant("pytest", lambda data: lambda: 3.0), "big": Contestant("numpy", big)}, "lowest",
)
"""


@pytest.fixture
def bench(monkeypatch, tmp_path):
    """The modules of bench/, and the made-up cases on the path of the processes."""
    (tmp_path / "fake_cases.py").write_text(FAKE, encoding="utf-8")
    for folder in (BENCH, tmp_path):
        monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return lambda name: importlib.import_module(name)


def given(bench, *arguments):
    return bench("run").options(["--memory", "4", *arguments])


def measured(bench, name, rows, *arguments, runs=3, skip=()):
    case = bench("fake_cases").CASES[name]
    options = given(bench, *arguments)
    return bench("run").measure("fake_cases", name, case, rows, options, runs=runs, spend=600, skip=skip)


def test_turns_failures_and_references(bench):
    table = measured(bench, "fake", 10, skip={"absent", "hangs"})
    rows = {row["contestant"]: row for row in table}
    ours = rows["ours"]
    slow = rows["slow"]
    assert ours["status"] == slow["status"] == "ok" and ours["runs"] == slow["runs"] == 3
    assert 0 <= ours["fastest"] <= ours["seconds"] and 0.05 <= slow["fastest"] <= slow["seconds"] <= slow["slowest"]
    assert ours["note"] == "a note" and (ours["difference"], slow["difference"]) == (0.5, 0.0)
    assert 1 < ours["before_mb"] <= ours["peak_mb"] < 500 and ours["version"] == pytest.__version__
    assert "KeyError" in rows["fails"]["status"] and "not tried" in rows["absent"]["status"]


def test_a_call_that_takes_too_long_is_ended(bench):
    """Only the one that hangs is measured under a short limit: a busy machine may stop any other for as long."""
    table = measured(bench, "fake", 10, "--limit", "0.3", skip={"ours", "slow", "fails", "absent"})
    hangs = {row["contestant"]: row for row in table}["hangs"]
    assert hangs["status"] == "no answer within 0.3 s" and hangs["seconds"] is None


def test_memory_limit_and_lowest_value(bench):
    ours, big = measured(bench, "lowest", 10, runs=1)
    assert (ours["reference"], ours["difference"]) == (3.0, 0.0) and "memory error" in big["status"]


def test_command_line_writes_table_page_and_figure(bench, tmp_path, capsys):
    run = bench("run")
    out = tmp_path / "out"
    small = ["--module", "fake_cases", "--only", "lowest", "--quick", "--runs", "2", "--memory", "4"]
    assert run.main([*small, "--output", str(out)]) == 0
    ours, big = pd.read_csv(out / "results.csv").to_dict("records")
    assert (ours["value"], ours["runs"]) == (3.0, 2) and np.isnan(big["seconds"]) and "memory error" in big["status"]
    page = (out / "results.md").read_text(encoding="utf-8")
    assert "## X" in page and "3.000000" in page and "2 runs" in page and ":alt: Above" in page
    assert (out / "results.png").read_bytes()[1:4] == b"PNG"
    assert "site" not in capsys.readouterr().out
    assert run.main(["--module", "fake_cases", "--only", "nothing"]) == 2


def test_coverage_goes_on_where_it_stopped_and_counts_ends(bench, monkeypatch, tmp_path):
    coverage = bench("interval_coverage")
    monkeypatch.setattr(coverage, "FIXED", {200: 3000})
    monkeypatch.setattr(coverage, "LARGE", 3000)
    draws = tmp_path / "draws.csv"
    todo = [("strong", 200, 0), ("null_clusters", 200, 0), ("strong", 200, 1)]
    coverage.measure(draws, todo[:2])
    first = coverage.read(draws)
    coverage.measure(draws, todo)
    table = coverage.read(draws)
    assert table[:2].equals(first) and len(table) == 3
    captured = table["captured"]
    assert captured[1] == 0 and 0.05 < captured[0] < coverage.loss_of_population("strong")
    ends = table.assign(captured=[0.1] * 3, low=[0.0, 0.05, 0.11], high=[0.09, 0.2, 0.3], p_value=[0.03, 0.01, 0.0])
    summary = coverage.summarise(ends.assign(population="strong", value=[0.1, 0.1, 0.2], se=0.01)).iloc[0]
    shares = summary[["covered", "low_above", "high_below", "normal", "alarms", "agree"]]
    assert shares.tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 2 / 3, 1, 1]) and summary["draws"] == 3


def test_heavy_tails_give_no_weight_that_is_refused(bench):
    """Weights q and 1 - q below 1e-100 used to end the measurement."""
    rows, residual, _ = bench("interval_coverage").missed("heavy", 200_000, 12345)
    assert rows.q.min() < 1e-100 and np.isfinite(residual).all()


@pytest.mark.parametrize("name", ["efficiency", "interval_coverage", "classifier", "repair", "subgroups"])
def test_stored_measurements_make_a_section_with_whole_tables(bench, name):
    section = bench(name).section()
    assert "nan" not in section
    blocks = [block.splitlines() for block in section.split("\n\n") if block.startswith("| ")]
    assert blocks and all(len({row.count("|") for row in rows}) == 1 and len(rows) > 2 for rows in blocks)


def test_the_figure_of_errors_is_drawn(bench, tmp_path):
    bench("efficiency").draw_figure(tmp_path / "efficiency.png")
    assert (tmp_path / "efficiency.png").stat().st_size > 10_000


def test_the_stored_coverage_keeps_its_promises(bench):
    coverage = bench("interval_coverage")
    table = coverage.read(coverage.SUMMARY).set_index("population")
    ten = table.loc[list(coverage.TEN)]
    error = 3 * np.sqrt(0.05 * 0.95 / ten["draws"])
    assert (ten["covered"] > 0.93 - error).all() and (table["agree"] == 1).all()
    assert (ten.groupby("n")["low_above"].mean() < 0.03).all() and (ten.groupby("n")["covered"].mean() > 0.94).all()


CHECKED = ("after-tree", "ece", "ecuas", "two-systems", "sem2", "cascades")


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKED)
def test_our_number_is_the_reference_where_both_are_exact(bench, name):
    case = bench("cases").CASES[name]
    data = case.make(200)
    who, ours = next(iter(case.contestants.items()))
    assert who.startswith("ours") and ours.value(ours.prepare(data)()) == pytest.approx(case.reference(data), abs=1e-9)


def test_every_case_names_us_first_and_a_right_number(bench):
    cases = bench("cases")
    for case in cases.CASES.values():
        packages = [contestant.package for contestant in case.contestants.values()]
        assert packages[0] == "honest-confidence" and set(packages) - {"honest-confidence"}
        assert case.reference == "lowest" or callable(case.reference)
        assert sorted(case.quick) == list(case.quick) and max(case.quick) <= max(case.full)
    p = cases.people(200_000)[1]
    assert cases.CASES["grouping-loss"].growth
    assert cases.true_grouping_loss(None) == pytest.approx(np.mean(np.minimum(p, 1 - p) ** 2) / 4, rel=0.01)


def test_populations_of_subgroups_have_what_the_search_takes(bench):
    subgroups = bench("subgroups")
    for name in (*subgroups.NULL, *subgroups.SHAPES):
        y, p, X, dependent = subgroups.draw(name, 0)
        assert y.size == p.size == len(X) == subgroups.ROWS and set(dependent) <= {"groups", "sample_weight"}
