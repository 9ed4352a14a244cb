"""The page of the papers' figures: which pictures of the notebooks draw them again, with their verdicts."""

import base64

from figures import figure_name, redrawn
from ledger import PAPERS


def pictures(books):
    """{row: its pictures} in notebooks {name: notebook}: each with its page, the name of its file, alt and title."""
    drawn = {}
    for page, book in books.items():
        for cell in book.cells:
            for output in cell.get("outputs", []):
                for row in redrawn(output).get("redraws", []):
                    name = figure_name(base64.b64decode(output.data["image/png"]))
                    drawn.setdefault(row, []).append({"page": page, "name": name, **redrawn(output)})
    return drawn


def figures_page(rows, books):
    """What the template shows: of each paper the rows of its figures with their pictures, and those without."""
    figures = [row for row in rows if row["kind"] == "figure" and row["paper"] != "ours"]
    drawn = pictures(books)
    if unknown := set(drawn) - {row["id"] for row in figures}:
        raise SystemExit(f"a notebook redraws {min(unknown)}, but no figure has this row in claims.csv")
    papers = []
    for paper, (_, title) in PAPERS.items():
        own = [row | {"pictures": drawn.get(row["id"], [])} for row in figures if row["paper"] == paper]
        if own:
            papers.append({"id": paper, "title": title, "figures": own})
    return {"figures_of": papers}
