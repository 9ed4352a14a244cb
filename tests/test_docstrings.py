"""Public docstrings follow numpydoc: every parameter a line of its own with a type, what is returned, an example."""

import importlib
import inspect
import pkgutil
import tomllib
from pathlib import Path

import pytest
from numpydoc.validate import validate

import helpers

ROOT = Path(__file__).resolve().parents[1]
CHECKS = set(
    tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["numpydoc_validation"]["checks"]
)
WITHOUT_EXAMPLES = ("helpers.plotting", "helpers.notebook")
MODULES = [
    "helpers.binning", "helpers.certificates", "helpers.scoring", "helpers.resampling", "helpers.experiments",
    "helpers.llm.local",
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
