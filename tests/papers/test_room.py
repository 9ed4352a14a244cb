"""Formulas of the papers stand in one place, and the ledger and they name each other."""

import ast
import importlib
import inspect
import re
from pathlib import Path

import nbformat
import pytest

from helpers.datasets import load_claims

ROOT = Path(__file__).resolve().parents[2]
PAPERS = ("perezlebel2023", "melo2026", "ecuas2026", "semece2026")
COMPUTED = ("definition", "equation", "proposition", "lemma", "theorem", "corollary", "algorithm")
ITEM = re.compile(r"(definition|equation|proposition|lemma|theorem|corollary|algorithm|appendix|section)_[a-z]?_?\d")


def room(paper):
    """The module of a paper, and its functions by name; a second name of one is left out."""
    module = importlib.import_module(f"helpers.papers.{paper}")
    own = [one for one in vars(module).values() if getattr(one, "__module__", "") == module.__name__]
    return module, {one.__name__: one for one in own if one.__name__[0] != "_"}


def bare(name):
    """A name without its lines below: the ledger has theorem4_1 where a function is theorem_4_1."""
    return name.replace("_", "")


@pytest.mark.parametrize("paper", PAPERS)
def test_each_item_is_computed_or_it_is_said_why_not(paper):
    module, _ = room(paper)
    names = [name for name, one in vars(module).items() if inspect.isfunction(one) and name[0] != "_"]
    claims = load_claims()
    rows = claims[(claims["paper"] == paper) & claims["kind"].isin(COMPUTED)]
    assert len(rows)
    for id in rows["id"]:
        item = bare(id.partition(".")[2])
        # equation 16 in several functions: equation_16_cap, but not equation_161
        computed = any(re.fullmatch(rf"{item}([a-z].*)?", bare(name)) for name in names)
        said = item in map(bare, module.NOT_COMPUTED)
        assert computed != said, f"{id}: {'in both' if computed else 'neither computed nor in NOT_COMPUTED'}"


@pytest.mark.parametrize("paper", PAPERS)
def test_reasons_are_sentences_about_items_of_the_ledger(paper):
    module, functions = room(paper)
    assert all(len(reason.split()) >= 5 for reason in module.NOT_COMPUTED.values())
    reasons = {f"{paper}.{bare(item)}" for item in module.NOT_COMPUTED}
    assert reasons <= {bare(id) for id in load_claims()["id"]} and not set(module.NOT_COMPUTED) & set(functions)


@pytest.mark.parametrize("paper", PAPERS)
def test_docstring_and_ledger_name_each_other(paper):
    _, functions = room(paper)
    claims = load_claims()
    rows = claims[claims["paper"] == paper]
    named = {}
    for name, function in functions.items():
        assert ".. math::" in function.__doc__, f"{name} shows no formula"
        ids = [id for id in rows["id"] if re.search(rf"`{re.escape(id)}`", function.__doc__)]
        assert ids or name.split("_")[0] not in COMPUTED, f"{name} names no row of the ledger"
        for id in ids:
            named.setdefault(id, []).append(name)
    code = {id: " ".join(names) for id, names in named.items()}
    assert dict(rows.set_index("id")["code"][lambda names: names != ""]) == code


def definitions():
    """(place, name) of every function in Python files and in cells of notebooks, outside of the room."""
    for folder in ("helpers", "tests", "bench", "site", "data"):
        for path in (ROOT / folder).rglob("*.py"):
            if "papers" not in path.parts:
                for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                    if isinstance(node, ast.FunctionDef):
                        yield path.relative_to(ROOT).as_posix(), node.name
    for path in (ROOT / "notebooks").rglob("*.ipynb"):
        for cell in nbformat.read(path, as_version=4).cells:
            for name in re.findall(r"^\s*def (\w+)\(", cell.source, re.MULTILINE) if cell.cell_type == "code" else ():
                yield path.relative_to(ROOT).as_posix(), name


def test_no_item_is_defined_a_second_time():
    items = {name for paper in PAPERS for name in room(paper)[1] if ITEM.match(name)}
    again = [(place, name) for place, name in definitions() if name in items]
    assert again == []


def test_the_room_rests_on_nothing_of_ours():
    for path in (ROOT / "helpers" / "papers").glob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"^\s*(from|import) helpers", text, re.MULTILINE), path.name
