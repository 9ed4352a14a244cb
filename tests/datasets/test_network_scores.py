"""Scores of networks: read from what was fetched, refused by name."""

import hashlib
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pooch
import pytest

from helpers.datasets import DownloadError, fetch_scores, score_systems
from helpers.datasets import download as _download
from helpers.datasets import network_scores as _scores
from tests.datasets.served import ENTRY


def _files(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_offline_there_is_one_error_that_says_what_to_do(monkeypatch, tmp_path, capfd):
    monkeypatch.setattr(_download, "BASE_URL", "http://127.0.0.1:9")  # nothing listens there
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("HONEST_DATA", str(tmp_path))
    monkeypatch.setattr(pooch, "os_cache", lambda name: tmp_path / "cache")
    with pytest.raises(DownloadError) as error:
        fetch_scores("sst2_gpt2")
    entry = _scores._score_files()["sst2_gpt2"]["scores.npy"]
    for part in (
        "expected_cost/sst2_gpt2/scores.npy (14,696 bytes)", "no connection", entry.commit, "licence: MIT",
        "by hand", str(tmp_path / "expected_cost/sst2_gpt2/scores.npy"), entry.sha256, "HONEST_DATA",
    ):  # fmt: skip
        assert part in str(error.value)
    assert error.value.__suppress_context__ and error.value.__cause__ is None
    assert capfd.readouterr() == ("", "") and _files(tmp_path) == []


def test_fetch_scores_reads_what_was_fetched(server, monkeypatch, tmp_path):
    folder = tmp_path / "data/expected_cost/sst2_gpt2"
    folder.mkdir(parents=True)
    np.save(folder / "scores.npy", np.log([[0.2, 0.8], [0.9, 0.1], [0.5, 0.5]]))
    np.save(folder / "targets.npy", [1, 0, 1])
    entries = {}
    for path in folder.iterdir():
        sha = hashlib.sha256(path.read_bytes()).hexdigest()
        entries[path.name] = _download.ManifestFile(
            **{**vars(ENTRY), "path": f"sst2_gpt2/{path.name}", "sha256": sha, "bytes": path.stat().st_size}
        )
    monkeypatch.setattr(_scores, "_score_files", lambda: {"sst2_gpt2": entries})
    scores = fetch_scores("sst2_gpt2")
    assert scores.scores.shape == (3, 2) and list(scores.y) == [1, 0, 1] and scores.n_classes == 2
    assert str(scores) == "sst2_gpt2: 3 rows, 2 classes (MIT)" and server.asked == 0
    assert score_systems()["cached"].tolist() == [True]


def test_an_unknown_system_is_named_with_its_neighbour():
    message = r"one of the 14 systems, but it is 'sst2_gpt'; did you mean 'sst2_gpt2'\?.*agnews"
    with pytest.raises(ValueError, match=message):
        fetch_scores("sst2_gpt")


def test_data_are_loaded_without_what_downloads():
    """As in a browser, where a lesson begins with such an import."""
    code = "import sys; sys.modules['pooch'] = None; from helpers.datasets import load_rand_scores; load_rand_scores()"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("missing", ["pooch", "requests"])
def test_without_what_downloads_a_file_is_read_or_asked_for(monkeypatch, tmp_path, missing):
    """As in a browser: files that lie there are read, others are named."""
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.setenv("HONEST_DATA", str(tmp_path))
    with pytest.raises(DownloadError, match="sst2_gpt2/scores.npy"):
        fetch_scores("sst2_gpt2")
    path = tmp_path / ENTRY.collection / ENTRY.path
    path.parent.mkdir(parents=True)
    path.write_bytes(b"x")
    entry = replace(ENTRY, sha256=hashlib.sha256(b"x").hexdigest())
    assert _download.fetch_file(entry) == path
