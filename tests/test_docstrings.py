"""Public docstrings follow numpydoc: every parameter a line of its own with a type, what is returned, an example.

Those of `helpers.papers` are shorter: a sentence, the formula, `name : shape`, row of the ledger, strong twin, example.
"""

import csv
import importlib
import inspect
import pkgutil
import re
import tomllib
from pathlib import Path
from pydoc import locate

import pytest
from numpydoc.validate import validate

import helpers
import helpers.papers

ROOT = Path(__file__).resolve().parents[1]
CHECKS = set(
    tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["numpydoc_validation"]["checks"]
)
WITHOUT_EXAMPLES = ("helpers.plotting", "helpers.notebook")
MODULES = [
    "helpers.binning", "helpers.certificates", "helpers.scoring", "helpers.resampling", "helpers.experiments",
    "helpers.practice.llm.local",
    "helpers.practice.llm.models",
]  # fmt: skip
# What one notebook alone needs (`helpers.studies`) is nobody's interface: a line that says what is enough there.
PACKAGES = [
    package.name
    for package in pkgutil.walk_packages(helpers.__path__, "helpers.")
    if (package.ispkg or package.name in MODULES) and not package.name.startswith("helpers.studies")
]


def public_names(module):
    """Functions, classes and their public methods that a module offers, as dotted names of where they are defined."""
    names = getattr(module, "__all__", None)
    if names is None:
        own = [name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
        names = [name for name in own if not name.startswith("_")]
    for name in names:
        value = getattr(module, name)
        if not inspect.isfunction(value) and not inspect.isclass(value):
            continue
        home = f"{value.__module__}.{value.__qualname__}"
        yield home
        if inspect.isclass(value):
            for part, method in vars(value).items():
                if inspect.isfunction(method) and not part.startswith("_") and value.__module__.startswith("helpers"):
                    if "\n" in (method.__doc__ or "\n"):  # one line may say all that there is to say of a method
                        yield f"{home}.{part}"


def faults(name):
    """Sentences about the docstring of a dotted name."""
    exempt = {"EX01"} if name.startswith(WITHOUT_EXAMPLES) or name.count(".") > 3 else set()
    errors = validate(name)["errors"]
    return [f"{name}: {code} {text}" for code, text in errors if code in CHECKS - exempt]


@pytest.mark.parametrize("package", PACKAGES)
def test_public_docstrings_are_numpydoc(package):
    names = sorted(set(public_names(importlib.import_module(package))))
    found = [fault for name in names for fault in faults(name)]
    assert not found, f"{len(found)} faults\n" + "\n".join(found)


def test_a_docstring_without_parameters_is_found():
    assert any("PR01" in fault for fault in faults("inspect.getmembers"))


PAPERS = [f"helpers.papers.{module.name}" for module in pkgutil.iter_modules(helpers.papers.__path__)]
with open(ROOT / "data/claims.csv", encoding="utf-8", newline="") as file:
    LEDGER = {row["id"] for row in csv.DictReader(file)}


def formula_faults(function):
    """Sentences about the docstring of a paper's formula."""
    doc = inspect.getdoc(function) or ""
    rows = re.findall(r"`((?:[a-z]+20\d\d|ours)\.\w+)`", doc.partition("Ledger: ")[2])
    parameters = inspect.signature(function).parameters
    shapeless = [name for name in parameters if not re.search(rf"\b{name}\b(, \w+)* : ", doc)]
    if not doc.partition("\n")[0].endswith((".", ":")):
        yield "the first line is no sentence"
    if not re.search(r"^\.\. math:: \S", doc, re.MULTILINE):
        yield "no formula"
    yield from (f"no shape of {name}" for name in shapeless)
    yield from (f"{row} is not in the ledger" for row in rows if row not in LEDGER)
    twins = re.findall(r"`(helpers\.[\w.]+)`", doc)
    back = f"`{function.__module__}"
    yield from (f"{twin} names none of its paper" for twin in twins if back not in (inspect.getdoc(locate(twin)) or ""))
    if "\n>>> " not in doc:
        yield "no example"


@pytest.mark.parametrize("paper", PAPERS)
def test_formulas_of_papers_have_the_short_form(paper):
    module = importlib.import_module(paper)
    found = [f"{name}: {fault}" for name in public_names(module) for fault in formula_faults(locate(name))]
    assert not found, f"{len(found)} faults\n" + "\n".join(found)


def test_a_formula_without_its_short_form_is_found():
    def equation_0(y):
        """See `helpers.papers.no_equation`.

        Ledger: `melo2026.equation0`.
        """

    assert len(list(formula_faults(equation_0))) == 5
