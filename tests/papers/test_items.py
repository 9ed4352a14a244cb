"""Every numbered item of a paper has a function of its name, or a sentence that says why it has none."""

import csv
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

from helpers import papers

ROOT = Path(__file__).resolve().parents[2]
KINDS = {"equation", "algorithm", "proposition", "definition", "lemma", "theorem", "corollary"}
NAMES = [module.name for module in pkgutil.iter_modules(papers.__path__)]


def without_breaks(name):
    """As the ledger writes an item: definition4_1 is definition41 here."""
    return name.replace("_", "")


@pytest.mark.parametrize("name", NAMES)
def test_each_item_is_computed_or_it_is_said_why_not(name):
    module = importlib.import_module(f"helpers.papers.{name}")
    functions = [key for key, value in vars(module).items() if inspect.isfunction(value) and not key.startswith("_")]
    with open(ROOT / "data/claims.csv", encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["paper"] == name and row["kind"] in KINDS]
    assert rows
    for row in rows:
        item = without_breaks(row["id"].partition(".")[2])
        # equation 16 in several functions: equation_16_cap, but not equation_161
        computed = any(re.fullmatch(rf"{item}([a-z].*)?", without_breaks(function)) for function in functions)
        said = item in map(without_breaks, module.NOT_COMPUTED)
        assert computed != said, f"{row['id']}: {'in both' if computed else 'neither computed nor in NOT_COMPUTED'}"
