"""A server of known answers, and twenty answers to each question collected from it, for each file of tests."""

import pytest
from collecting import KNOWN, collect

from helpers.llm.testing import stand_in


@pytest.fixture(scope="module")
def server():
    with stand_in(KNOWN) as running:
        yield running


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("collected")


@pytest.fixture(scope="module")
def collected(server, folder):
    """Twenty answers to each question, with all confidences, from a server that gives several answers a request."""
    three = ("posterior", "is_true", "verbalised")
    return collect(server, folder / "answers.jsonl", n_answers=20, confidences=three, seed=5)
