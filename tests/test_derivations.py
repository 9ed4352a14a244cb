"""The checks that stand on the pages of the derivations, and the example for users of scikit-learn."""

import doctest
from pathlib import Path

import pytest

SITE = Path(__file__).resolve().parents[1] / "site"
PAGES = [*sorted((SITE / "derivations").glob("*.md")), SITE / "scikit_learn.md"]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_prints_is_what_it_says(page):
    failed, tried = doctest.testfile(str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert tried and not failed


def test_each_page_is_named_in_the_code_and_on_the_map():
    code = "".join(path.read_text(encoding="utf-8") for path in (SITE.parent / "helpers").rglob("*.py"))
    course = (SITE / "_templates" / "map.md.j2").read_text(encoding="utf-8")
    for page in PAGES[:-1]:
        assert f"site/derivations/{page.name}" in code and f"derivations/{page.name}" in course
