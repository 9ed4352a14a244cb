"""Every way a download can go wrong."""

import pytest

from helpers.datasets import DownloadError
from helpers.datasets import download as _download
from tests.datasets.served import CONTENT, ENTRY


def _files(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_a_file_is_downloaded_once(server, tmp_path):
    path = _download.fetch_file(ENTRY)
    assert path == tmp_path / "data/expected_cost/toy/scores.npy" and path.read_bytes() == CONTENT
    assert _download.fetch_file(ENTRY) == path
    assert server.asked == 1
    assert _files(tmp_path) == ["data/expected_cost/toy/scores.npy"]


def test_a_download_cut_in_the_middle_leaves_nothing(server, tmp_path):
    server.cut = 70_000
    with pytest.raises(DownloadError, match="no connection"):
        _download.fetch_file(ENTRY)
    assert _files(tmp_path) == []


@pytest.mark.parametrize("content", [CONTENT[:-1] + b"?", CONTENT + b"more" * 50_000])
def test_a_wrong_file_is_removed(server, tmp_path, content):
    server.content = content
    with pytest.raises(DownloadError, match="another sha256 and was removed") as error:
        _download.fetch_file(ENTRY)
    assert _files(tmp_path) == [] and error.value.__cause__ is None
    server.content = CONTENT
    assert _download.fetch_file(ENTRY).read_bytes() == CONTENT


def test_a_wrong_file_in_the_cache_is_replaced_or_named(server, tmp_path):
    place = tmp_path / "data/expected_cost/toy/scores.npy"
    place.parent.mkdir(parents=True)
    place.write_bytes(b"something else")
    server.content = b"x" * len(CONTENT)
    with pytest.raises(DownloadError, match="another sha256"):
        _download.fetch_file(ENTRY)
    assert _files(tmp_path) == []
    place.write_bytes(b"something else")
    server.content = CONTENT
    assert _download.fetch_file(ENTRY).read_bytes() == CONTENT


def test_a_server_without_the_file(server, tmp_path):
    server.status = 404
    with pytest.raises(DownloadError, match="the server answered 404"):
        _download.fetch_file(ENTRY)
    assert _files(tmp_path) == []


def test_a_read_only_folder_is_read_and_never_written(server, monkeypatch, tmp_path):
    place = tmp_path / "data/expected_cost/toy/scores.npy"
    place.parent.mkdir(parents=True)
    place.write_bytes(CONTENT)
    for folder in (place.parent, *place.parents[1:3]):
        folder.chmod(0o555)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "data").rglob("*")}
    assert _download.fetch_file(ENTRY) == place and server.asked == 0
    other = _download.ManifestFile(**{**vars(ENTRY), "path": "toy/other.npy"})
    assert _download.fetch_file(other) == tmp_path / "cache/honest-confidence/expected_cost/toy/other.npy"
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "data").rglob("*")} == before
    (tmp_path / "cache/honest-confidence").chmod(0o555)
    with pytest.raises(DownloadError, match="no cache folder can be written to"):
        _download.fetch_file(_download.ManifestFile(**{**vars(ENTRY), "path": "toy/third.npy"}))
    for folder in (tmp_path / "cache/honest-confidence", place.parent, *place.parents[1:3]):
        folder.chmod(0o755)


def test_progress_is_shown_only_when_asked_or_on_a_terminal(server, capfd, monkeypatch):
    _download.fetch_file(ENTRY)
    assert capfd.readouterr().err == ""
    _download.fetch_file(_download.ManifestFile(**{**vars(ENTRY), "path": "toy/b.npy"}), progressbar=True)
    assert "100%" in capfd.readouterr().err
