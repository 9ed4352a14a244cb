"""The glossary: read from glossary.yml, and linked where a page first uses a term."""

import html
import re

import yaml
from pages import VERBATIM


def read_glossary(path):
    """Rows of the notation and the terms in the order of the alphabet, each with the anchor of its entry."""
    glossary = yaml.safe_load(path.read_text(encoding="utf-8"))
    terms = sorted(glossary["terms"], key=lambda entry: entry["term"].lower())
    for entry in terms:
        entry["anchor"] = "term-" + re.sub(r"\W+", "-", entry["term"].lower())
    return {"notation": glossary["notation"], "terms": terms}


def used_terms(notebook, terms):
    """The terms that the prose of a notebook uses, with the name of their entries."""
    links = TermLinks(terms, "")
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            links(cell.source)
    return links.used


class TermLinks:
    """Links from the first use of each term on one page to its entry, with the meaning as a hover text.

    `up` leads from the page's folder to that of the glossary.
    """

    def __init__(self, terms, up):
        self.up = up
        self.entries = {form.lower(): entry for entry in terms for form in [entry["term"], *entry.get("forms", [])]}
        forms = "|".join(re.escape(form) for form in sorted(self.entries, key=len, reverse=True))
        self.pattern = re.compile(rf"(?<![\w-])({forms})(?![\w-])", re.IGNORECASE)
        self.used = set()

    def __call__(self, text):
        """Markdown with links; headings, code, formulas and other links stay as they are."""
        pieces = VERBATIM.split(text)
        pieces[::2] = [self.pattern.sub(self._link, piece) for piece in pieces[::2]]
        return "".join(pieces)

    def _link(self, match):
        entry = self.entries[match[0].lower()]
        if entry["term"] in self.used:
            return match[0]
        self.used.add(entry["term"])
        meaning = html.escape(entry["means"])
        return f'<a class="term" href="{self.up}glossary.html#{entry["anchor"]}" title="{meaning}">{match[0]}</a>'
