"""Runs take place in a folder of their own, where kernels find this repository's package."""

import os
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[2]), prepend=os.pathsep)
    monkeypatch.chdir(tmp_path)
    return tmp_path
