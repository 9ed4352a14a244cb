"""The house: bounds of what is installed, arrows between rooms, what the README promises."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

import tasks
from helpers.practice.run import list_notebooks

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
PEERS = set(EXTRAS["bench"]) - set(EXTRAS["test"])  # `make bench` has an environment of its own
REQUIREMENTS = [Requirement(line) for line in PROJECT["dependencies"] + sum(EXTRAS.values(), []) if line not in PEERS]


def test_environment_has_the_bounds_of_pyproject():
    entries = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    from_pip = next(entry["pip"] for entry in entries if isinstance(entry, dict))
    lines = [entry for entry in entries if isinstance(entry, str) and entry != "pip"]
    lines += [line for line in from_pip if line != "-e ."]
    conda = {wanted.name: wanted.specifier for wanted in map(Requirement, lines)}
    assert "-e ." in from_pip
    assert conda.pop("python") == Requirement(f"python{PROJECT['requires-python']}").specifier
    assert conda == {wanted.name: wanted.specifier for wanted in REQUIREMENTS}


def test_constraints_pin_everything_inside_the_bounds():
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert "://" not in text and all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in lines)
    pins = {line.split("==")[0].lower().replace("_", "-"): line.split("==")[1] for line in lines}
    for wanted in REQUIREMENTS:
        assert wanted.specifier.contains(pins[wanted.name.lower()]), wanted


def test_citation_and_project_agree():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == PROJECT["version"] and len(citation["references"]) == 4
    assert " AND ".join(citation["license"]) == PROJECT["license"]
    for reference in citation["references"]:
        assert reference["title"] and reference["authors"] and reference["url"].startswith("https://")


def lint_imports(folder):
    """import-linter on the contracts in a folder's pyproject.toml: (exit status, what it said)."""
    code = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True, no_logo=True))"
    environment = os.environ | {"PYTHONPATH": str(folder)}
    run = subprocess.run([sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True)
    return run.returncode, run.stdout + run.stderr


def test_arrows_run_one_way():
    status, report = lint_imports(ROOT)
    assert status == 0, report


def first_floor():
    """The notebooks that follow the papers, lessons and checks 00 to 12."""
    return [name for name in list_notebooks(ROOT / "notebooks") if int(name.removeprefix("checks/")[:2]) <= 12]


@pytest.mark.parametrize("name", first_floor())
def test_notebooks_of_the_first_floor_import_nothing_of_the_second(name):
    cells = json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert code and not [source for source in code if "helpers.practice" in source]


def rooms():
    """The packages and modules of `helpers`, without those that the operating system or Python puts there."""
    entries = (ROOT / "helpers").iterdir()
    return {entry.stem for entry in entries if entry.suffix == ".py" or (entry / "__init__.py").exists()}


def test_the_package_says_where_everything_is():
    text = (ROOT / "helpers" / "__init__.py").read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+)`", text))
    public = {room for room in rooms() if not room.startswith("_")}
    assert public == named - {"helpers"}


def test_importing_helpers_loads_little():
    code = "import sys; before = set(sys.modules); import helpers; print(*(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    heavy = {name.split(".")[0] for name in loaded} & {"sklearn", "pandas", "scipy", "matplotlib", "IPython"}
    assert not heavy and 0 < len(loaded) < 200


def test_python_is_tidy():
    command = [sys.executable, "-m", "ruff", "check", "--output-format", "concise", "."]
    run = subprocess.run(command, cwd=ROOT, capture_output=True)
    assert run.returncode == 0, run.stdout.decode()


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_make_hands_arguments_and_status_on():
    command = ["make", f"PYTHON={sys.executable}", "nightly", "ARGS='no such step' fuzz"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode and "The steps are" in run.stderr


@pytest.mark.skipif(os.name == "nt", reason="files of Windows have no such mark")
def test_the_ci_script_can_be_run():
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


def test_readme_promises_only_what_is_there():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", readme) if "://" not in link]
    assert len(links) > 5
    assert not [link for link in links if not (ROOT / link).exists()]
    listed = set(re.findall(r"notebooks/([\w/]+)\.ipynb", readme))
    assert listed == set(list_notebooks(ROOT / "notebooks"))
    commands = set(re.findall(r"(?:make|tasks\.py) (\w+)", readme))
    assert commands and commands <= set(tasks.COMMANDS) | {"help"}


@pytest.mark.parametrize("place", ["README.md", "site/_templates/index.md.j2"])
def test_the_first_example_runs_and_prints_what_it_says(place, capsys):
    text = (ROOT / place).read_text(encoding="utf-8")
    code = re.search(r"## In ten minutes.*?```python\n(.*?)```", text, re.DOTALL)[1]
    exec(code, {})
    said = re.findall(r"^# (grouping loss .*)$", code, re.MULTILINE)
    first, header, *rows = capsys.readouterr().out.splitlines()
    assert [first] == said and header.split() == ["rule", "n", "gap"] and len(rows) >= 3
