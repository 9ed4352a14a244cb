"""A server to download from."""

import pooch
import pytest

from helpers.datasets import download as _download
from tests.datasets.served import Server


@pytest.fixture
def server(monkeypatch, tmp_path):
    server = Server()
    monkeypatch.setattr(_download, "BASE_URL", f"http://127.0.0.1:{server.http.server_port}")
    monkeypatch.setattr(_download, "TIMEOUT", 120)  # no test waits that long; a busy machine may
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("HONEST_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(pooch, "os_cache", lambda name: tmp_path / "cache" / name)
    yield server
    server.close()
