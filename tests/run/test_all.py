"""python -m helpers.run --all: every notebook of a folder, reused where nothing has changed."""

import json
import re

import nbformat
from nbformat.v4 import new_code_cell, new_notebook, new_output

from helpers.run.command import main
from helpers.run.plan import plan_all, surroundings


def tiny(folder, name, *sources):
    """A notebook of a few code cells, on disk."""
    notebook = new_notebook(cells=[new_code_cell(source) for source in sources])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, folder / f"{name}.ipynb")
    return folder / f"{name}.ipynb"


def test_all_reuses_and_reports_failures(tmp_path, forked_kernels, capsys):
    tiny(tmp_path / "notebooks", "00_good", "x = bytearray(300 * 2**20)\nprint(len(x))")
    tiny(tmp_path / "notebooks", "05_bad", "x = 1", "{}['missing']", "print('never')")
    tiny(tmp_path / "notebooks", "_draft", "1 / 0")
    output = tmp_path / "executed"
    command = ["--all", str(tmp_path / "notebooks"), "--output", str(output)]
    assert main([*command, "--jobs", "2"]) == 1
    captured = capsys.readouterr()
    assert "05_bad stopped in cell 2 of 3 (In [2]): KeyError: 'missing'" in captured.err
    assert sorted(path.name for path in (output / "00_good").iterdir()) == [
        "00_good.html",
        "00_good.ipynb",
        "metrics.json",
    ]
    assert [path.name for path in (output / "05_bad").iterdir()] == ["05_bad.partial.ipynb"]
    good, bad = captured.out.splitlines()
    assert re.search(r"00_good .* min .* claims held .* MB", good) and "FAILED" in bad
    assert 350 < json.loads((output / "00_good" / "metrics.json").read_text())["peak_mb"] < 600
    stored = nbformat.read(output / "00_good" / "00_good.ipynb", as_version=4)
    assert stored.cells[0].metadata == {} and "papermill" not in stored.metadata  # it may be stored as it is

    tiny(tmp_path / "notebooks", "05_bad", "print(2)")
    assert main(command) == 0
    captured = capsys.readouterr()
    assert "00_good: finished before, reused" in captured.err and "(reused)" in captured.out.splitlines()[0]
    assert "2 runs: 1 finished before, 1 to do." in captured.err
    tiny(tmp_path / "notebooks", "05_bad", "1 / 0")
    assert main(command) == 1  # what was there is out of date and does not pass for the result
    assert not (output / "05_bad" / "metrics.json").exists()


def test_checks_lie_in_a_folder_beside_the_lessons(tmp_path):
    tiny(tmp_path / "notebooks", "00_good", "print(1)")
    tiny(tmp_path / "notebooks" / "checks", "00_good", "print(2)")
    runs = plan_all(tmp_path / "notebooks", tmp_path / "out")
    assert [run.label for run in runs] == ["00_good", "checks/00_good"]
    assert [run.folder for run in runs] == [tmp_path / "out" / "00_good", tmp_path / "out" / "checks" / "00_good"]


def test_a_claim_that_does_not_hold_is_a_failure(tmp_path, forked_kernels, capsys):
    source = """from IPython.display import display
display({"text/plain": "a claim"}, metadata={"honest": {"claim": "x.y", "holds": False}}, raw=True)"""
    tiny(tmp_path / "notebooks", "00_wrong", source)
    assert main(["--all", str(tmp_path / "notebooks"), "--output", str(tmp_path / "out")]) == 1
    assert "00_wrong stopped with claims that do not hold: x.y" in capsys.readouterr().err
    assert not (tmp_path / "out" / "00_wrong" / "metrics.json").exists()


def test_all_is_asked_for_alone(tmp_path, capsys):
    path = tiny(tmp_path / "notebooks", "00_good", "print(1)")
    command = ["--all", str(path.parent), "--output", str(tmp_path / "out")]
    assert main([*command, "-p", "seed", "1"]) == 2
    assert "--all runs notebooks with their defaults" in capsys.readouterr().err
    assert main(["--all", str(tmp_path), "--output", str(tmp_path / "out")]) == 2
    assert "there are no notebooks in" in capsys.readouterr().err
    (tmp_path / "out" / "00_good").mkdir(parents=True)
    (tmp_path / "out" / "00_good" / "00_good.html").write_text("mine")
    assert main(command) == 2
    assert "holds 00_good.html already" in capsys.readouterr().err


def test_the_fingerprint_sees_helpers_data_and_tags_but_not_outputs(tmp_path):
    folders = [tmp_path / "helpers", tmp_path / "data"]
    digests = [surroundings(folders)]
    for folder in folders:
        folder.mkdir()
        (folder / "a.csv").write_text("one")
        digests.append(surroundings(folders))
    assert len(set(digests)) == 3
    path = tiny(tmp_path / "notebooks", "00_good", "print(1)")

    def fingerprint():
        (run,) = plan_all(path.parent, tmp_path / "out")
        return run.fingerprint

    before = fingerprint()
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[0].outputs = [new_output("stream", text="1\n")]
    notebook.cells[0].execution_count = 1
    nbformat.write(notebook, path)
    assert fingerprint() == before
    notebook.cells[0].metadata["tags"] = ["remove-cell"]
    nbformat.write(notebook, path)
    assert fingerprint() != before
