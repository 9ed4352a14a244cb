"""Files that are there whole or not at all, and those of others."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from helpers import _files


@pytest.fixture
def folders(tmp_path):
    """(work, folder): a finished run of three files, and what the last one left beside a file of the user's."""
    work, folder = tmp_path / "out/a.unfinished", tmp_path / "out"
    work.mkdir(parents=True)
    for name in ("a.html", "old.csv"):
        (folder / name).write_text("old")
    _files.record(folder, ["a.html", "old.csv"])
    (folder / "mine.txt").write_text("mine")
    (work / "deep").mkdir()
    for name in ("a.html", "deep/new.csv", "metrics.json"):
        (work / name).write_text("new")
    _files.record_all(work)
    return work, folder


def contents(folder):
    paths = [path for path in folder.rglob("*") if path.is_file() and path.name != _files.LEDGER]
    return {path.relative_to(folder).as_posix(): path.read_text() for path in paths}


NEW = {"a.html": "new", "deep/new.csv": "new", "metrics.json": "new", "mine.txt": "mine"}


@pytest.mark.parametrize("n_calls", range(5))
def test_a_move_that_was_cut_short_is_done_by_the_next(folders, monkeypatch, n_calls):
    """Whatever was moved when the process was killed."""
    replace = os.replace
    calls = []

    def replace_some(*paths):
        calls.append(paths)
        if len(calls) > n_calls:
            raise KeyboardInterrupt
        replace(*paths)

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", replace_some)
        try:
            _files.move_up(*folders)
        except KeyboardInterrupt:
            assert n_calls < 4  # three files and the ledger
            assert ("metrics.json" in contents(folders[1])) == (n_calls == 3)
            patched.undo()
            _files.move_up(*folders)
    assert contents(folders[1]) == NEW
    assert set(_files.ledger(folders[1])) == {"a.html", "deep/new.csv", "metrics.json"}


@pytest.mark.parametrize("name", ["a.html", "metrics.json", "deep", "old.csv"])
def test_nothing_of_a_users_is_replaced_or_removed(folders, name):
    work, folder = folders
    if name == "deep":
        (folder / "deep/new.csv").mkdir(parents=True)
    else:
        (folder / name).write_text("mine")
    before = contents(folder)
    if name == "old.csv":  # of the last run, changed since, and no file of this one
        _files.move_up(work, folder)
        assert contents(folder) == NEW | {"old.csv": "mine"}
    else:
        with pytest.raises(ValueError, match=f"{name}.* would be replaced"):
            _files.move_up(work, folder)
        assert contents(folder) == before


def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    _files.write(path, "old")

    def write_some(self, content):
        with open(self, "wb") as file:
            file.write(content[:2])
        raise OSError("No space left on device")

    monkeypatch.setattr(Path, "write_bytes", write_some)
    with pytest.raises(OSError, match="No space"):
        _files.write(path, b"new and longer")
    assert contents(tmp_path) == {"a.csv": "old"}


def test_a_folder_has_one_owner_who_may_die(tmp_path):
    hold = f"from pathlib import Path\nfrom helpers._files import alone_in\nwith alone_in(Path({str(tmp_path)!r})):\n"
    hold += "    print('held', flush=True)\n    input()"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", hold], **pipes) as process:
        process.stdout.readline()
        with pytest.raises(ValueError, match="another run works in"), _files.alone_in(tmp_path):
            pass
        process.kill()
    with _files.alone_in(tmp_path):
        assert os.listdir(tmp_path) == [_files.LOCK]
    assert not os.listdir(tmp_path)
