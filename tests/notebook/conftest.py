"""Outputs that functions of the package show, as values."""

import pytest

from helpers.notebook.display import collected


@pytest.fixture
def outputs():
    """Bundles and metadata that the functions under test emit."""
    with collected() as seen:
        yield seen
