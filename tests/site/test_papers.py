"""The pages on the papers: short, and each name of a row is one of the ledger."""

import re
from pathlib import Path

import pytest

from helpers.datasets import load_claims

SITE = Path(__file__).resolve().parents[2] / "site"
PAGES = sorted((SITE / "papers").glob("*_what_holds.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_short_and_names_rows_of_the_ledger(page):
    claims = load_claims()
    text = page.read_text(encoding="utf-8")
    papers = "|".join(claims["paper"].unique())
    named = set(re.findall(rf"`((?:{papers})\.[\w-]+)`", text))
    assert named and named <= set(claims["id"])
    assert len(text.split()) <= 1500


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_names_what_holds_differently_and_what_could_not_be_done(page):
    claims = load_claims()
    rows = claims[
        (claims["paper"] == page.stem.removesuffix("_what_holds"))
        & claims["status"].isin(["differs", "disagrees", "needs"])
    ]
    text = page.read_text(encoding="utf-8")
    assert [name for name in rows["id"] if f"`{name}`" not in text] == []
