"""What pages say about the code: the checks on the pages of the derivations run, and every name exists.

A name in backticks is one of the code if its form says so: a dotted name of a module, `Class.member`, a path in a
folder of the repository, a file with an extension of ours, a command (`python …`, `make …`), a call, `argument=value`,
a row of the ledger (`paper.item`); and, but for the page about data, which is full of columns, an identifier in
CamelCase or with an underscore. All other words in backticks are values, keys or things of others.
"""

import ast
import builtins
import csv
import doctest
import importlib
import importlib.util
import json
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "site"
DERIVATIONS = sorted((SITE / "derivations").glob("*.md"))
PAGES = [*DERIVATIONS, SITE / "how_many_rows.md", SITE / "scikit_learn.md"]
NAMING = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "data" / "README.md"]
NAMING += [*DERIVATIONS, *sorted(SITE.glob("*.md")), *sorted((SITE / "papers").glob("*.md"))]
FOLDERS = "helpers notebooks site data tests bench".split()
OURS = "helpers sklearn scipy numpy pandas".split()  # modules whose names are resolved
FILE = re.compile(r"[\w/-]+\.(py|toml|ini|yml|ipynb|md)")
MEMBER = re.compile(r"(_*[A-Z][a-z]+[A-Za-z]*)\.([a-z_]\w*)")


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_prints_is_what_it_says(page):
    failed, tried = doctest.testfile(str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert tried and not failed


def test_each_page_is_named_in_the_code_and_on_the_map():
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "helpers").rglob("*.py"))
    course = (SITE / "_templates" / "map.md.j2").read_text(encoding="utf-8")
    for page in DERIVATIONS:
        assert f"site/derivations/{page.name}" in code and f"derivations/{page.name}" in course


@pytest.mark.parametrize("page", NAMING, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_name_on_a_page_exists(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    quoted = sorted(set(re.findall(r"`([^`\n]+)`", text)))
    assert [name for name in quoted if not _exists(name, page)] == []


@pytest.mark.parametrize(
    "name",
    [
        "SquaredError.captured", "helpers.audit.audit_everybody", "helpers.no_such_room", "helpers/no_such_file.py",
        "python -m helpers.no_such_command", "python data/scripts/make_nothing.py", "make nothing", "no_such_name",
        "NoSuchClass", "no_such_call(y, p)", "nosuchargument=3", "melo2026.equation99", "no_such_page.md",
    ],
)  # fmt: skip
def test_a_name_of_nothing_is_found(name):
    assert not _exists(name, PAGES[0])


def _exists(name, page):
    """Whether what is quoted is there, or is no name of the code."""
    words = name.split()
    if words[0] == "make" and len(words) > 1:
        return words[1] in _commands()
    if words[0].endswith("python") and len(words) > 1:
        return importlib.util.find_spec(words[2]) is not None if words[1] == "-m" else (ROOT / words[1]).exists()
    name = name.removesuffix("()")
    if called := re.fullmatch(r"([\w.]+)\(.*\)", name):
        name = called[1]
        return _exists(name, page) if "." in name else name in _defined()
    if argument := re.fullmatch(r"([a-z_]\w*) ?= ?\S+", name):
        return argument[1] in _defined()
    if re.fullmatch(r"\w+(\.\w+)+", name) and name.split(".")[0] in OURS:
        return _resolves(name)
    if member := MEMBER.fullmatch(name):
        return member[2] in _members().get(member[1], ())
    if re.fullmatch(r"\w+\.[\w-]+", name) and name.split(".")[0] in _ledger()[0]:
        return name in _ledger()[1]
    if "NN_name" in name:  # of a notebook to be written
        return True
    if name.split("/")[0] in FOLDERS and "/" in name and " " not in name:
        return (ROOT / name).exists()
    if FILE.fullmatch(name):
        return (page.parent / name).exists() or Path(name).name in _files()
    is_code = re.fullmatch(r"_?[A-Z][a-z]+([A-Z][a-zA-Z]*)+|[a-z]\w*_\w*", name)
    if is_code and page.parent.name != "data":
        return name in _defined() or hasattr(builtins, name)
    return True


def _resolves(name):
    """Whether a dotted name can be imported."""
    parts = name.split(".")
    for n in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:n]))
        except ImportError:
            continue
        for part in parts[n:]:
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    return False


@cache
def _files():
    """Names of all files of the repository."""
    folders = [ROOT / folder for folder in FOLDERS]
    return {path.name for folder in folders for path in folder.rglob("*.*")} | {path.name for path in ROOT.glob("*.*")}


@cache
def _commands():
    """The commands of tasks.py, which are those of make."""
    rules = (ROOT / "Makefile").read_text(encoding="utf-8")
    return {"help", *re.search(r"^COMMANDS := (.*)$", rules, flags=re.MULTILINE)[1].split()}


@cache
def _ledger():
    """Papers and items of the ledger."""
    with (ROOT / "data" / "claims.csv").open(encoding="utf-8", newline="") as file:
        items = {row["id"] for row in csv.DictReader(file)}
    return {item.split(".")[0] for item in items}, items


@cache
def _trees():
    """Syntax trees of the package, of the benchmarks and of the notebooks' cells."""
    texts = [path.read_text(encoding="utf-8") for room in ("helpers", "bench") for path in (ROOT / room).rglob("*.py")]
    for path in (ROOT / "notebooks").rglob("*.ipynb"):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        texts += ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    return [ast.parse(text) for text in texts if not re.search(r"^[%!]", text, flags=re.MULTILINE)]


@cache
def _defined():
    """Names of functions, classes, arguments, attributes, variables, keys and imports in the code."""
    names = set()
    for tree in _trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                names.add(node.name)
            elif isinstance(node, ast.alias):
                names.add(node.name)
            elif isinstance(node, ast.arg | ast.keyword):
                names.add(node.arg)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                names.add(node.attr)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.add(node.id)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                names.add(node.value)
    return names


@cache
def _members():
    """Members of each class of the package, its bases' among them."""
    classes = {node.name: node for tree in _trees() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}

    def members(node):
        names = set()
        for part in ast.walk(node):
            if isinstance(part, ast.FunctionDef):
                names.add(part.name)
            elif isinstance(part, ast.AnnAssign | ast.Assign):
                targets = [part.target] if isinstance(part, ast.AnnAssign) else part.targets
                names |= {getattr(target, "attr", getattr(target, "id", "")) for target in targets}
        for base in node.bases:
            if getattr(base, "id", "") in classes:
                names |= members(classes[base.id])
        return names

    return {name: members(node) for name, node in classes.items()}
