"""Any parameter or grid: one sentence, never a traceback, and nothing half written."""

import json
from functools import cache
from itertools import count
from pathlib import Path

import pytest
from hypothesis import strategies as st
from strategies import ODD_NAMES, ODD_WORDS, json_values, tries

from helpers.run import command, plan

ROOT = Path(__file__).resolve().parents[2]

NOTEBOOKS = [ROOT / "notebooks" / name for name in ("00_start_here.ipynb", "13_audit_your_scores.ipynb")]

NAMES = st.sampled_from(["n_rows", "seed", "path", "score", "features", "cost", "group", *ODD_NAMES[:6]])

VALUES = st.one_of(
    st.sampled_from(
        [*ODD_WORDS, "1", "-1", "1e6", "[1, 2]", "{}", "[", "null", "true", "9" * 400, "data/rand_scores.csv.gz"]
    ),
    st.text(max_size=12),
)


@pytest.fixture
def planned(monkeypatch):
    """The command line up to where kernels would start."""
    monkeypatch.setattr(command, "_carry_out", lambda options, runs, note: 0)
    monkeypatch.setattr(plan, "surroundings", cache(plan.surroundings))  # the package does not change meanwhile
    return command.main


def outcome(main, arguments, capsys):
    """(code, what was printed) of a command."""
    try:
        code = main([str(argument) for argument in arguments])
    except SystemExit as stop:  # of argparse
        code = stop.code
    printed = capsys.readouterr()
    return code, printed.out + printed.err


def test_any_parameter(planned, capsys, tmp_path):
    number = count()

    @tries(60, st.sampled_from(NOTEBOOKS), st.lists(st.tuples(NAMES, VALUES), max_size=3), st.booleans())
    def holds(notebook, given_, swept):
        flags = [part for name, value in given_ for part in (("--sweep" if swept else "-p"), name, value)]
        out = tmp_path / f"out-{next(number)}"
        code, printed = outcome(planned, [notebook, *flags, "--output", out], capsys)
        assert code in (0, 1, 2)
        assert "Traceback" not in printed
        assert code == 0 or printed.strip()
        assert code == 0 or not out.exists()

    holds()


def test_any_grid(planned, capsys, tmp_path):
    number = count()
    rows = st.lists(st.dictionaries(NAMES, json_values, max_size=3), max_size=3)
    lists = rows.map(json.dumps) | json_values.map(repr)
    texts = lists.map(str.encode) | st.binary(max_size=60)

    @tries(60, texts, st.sampled_from([".yaml", ".json", ".csv", ".txt"]))
    def holds(body, ending):
        grid = tmp_path / f"grid{ending}"
        grid.write_bytes(body)
        out = tmp_path / f"out-{next(number)}"
        arguments = [NOTEBOOKS[0], "--grid", grid, "--output", out]
        code, printed = outcome(planned, arguments, capsys)
        assert code in (0, 1, 2)
        assert "Traceback" not in printed
        assert code == 0 or not out.exists()
        assert grid.read_bytes() == body

    holds()
