"""Runs take place in a folder of their own, where kernels find this repository's package."""

import os
from pathlib import Path

import pytest
from forks import fork_kernel
from jupyter_client.provisioning import local_provisioner


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[2]), prepend=os.pathsep)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def forked_kernels(monkeypatch):
    """Kernels of runs in this process are forks of one that has imported what kernels import."""
    monkeypatch.setattr(local_provisioner, "launch_kernel", fork_kernel)
