"""A page for each paper that runs: of every item the statement, the formula, the code, and what its claims said."""

import importlib
import inspect
import re
import textwrap

from ledger import PAPERS

from helpers.notebook.display import source_of
from helpers.notebook.folds import is_claim

SHOWN = 3  # results of claims under an item; the notebook has the others


def claim_lines(books):
    """{claim: what was printed of it} in executed notebooks."""
    lines = {}
    for book in books:
        for cell in book.cells:
            for output in cell.get("outputs", []):
                if is_claim(output.get("metadata", {})):
                    for line in output["data"]["text/plain"].splitlines():
                        if match := re.match(r"([\w.-]+) (holds|failed): (.*)", line):
                            lines.setdefault(match[1], []).append(match[3])
    return lines


def formulas(function):
    """LaTeX of the `.. math::` blocks of a docstring."""
    blocks = re.split(r"^\.\. math::", inspect.getdoc(function), flags=re.MULTILINE)[1:]
    return [textwrap.dedent(re.match(r"(.*\n?(?:(?:[ \t].*)?\n)*)", block + "\n")[0]).strip() for block in blocks]


def items(rows, functions):
    """The rows in the order of their code, then those without; each with its code, shown where it comes first."""
    place = {name: number for number, name in enumerate(functions)}
    order = sorted(rows, key=lambda row: min((place[name] for name in row["code"].split()), default=len(place)))
    first = {}
    for row in order:
        codes = [functions[name] for name in row["code"].split()]
        new = [code for code in codes if first.setdefault(code.__name__, row["id"]) == row["id"]]
        earlier = {code.__name__: first[code.__name__] for code in codes if code not in new}
        yield row | {"shown": new, "earlier": earlier}


def write_paper_pages(folder, environment, rows, books):
    """Write one page a paper into the folder."""
    said = claim_lines(books)
    for paper, (_, title) in PAPERS.items():
        if paper == "ours":
            continue
        module = importlib.import_module(f"helpers.papers.{paper}")
        own = [one for one in vars(module).values() if getattr(one, "__module__", "") == module.__name__]
        functions = {one.__name__: one for one in own if one.__name__[0] != "_"}  # a second name is no second formula
        found = list(items([row for row in rows if row["paper"] == paper], functions))
        page = environment.get_template("paper.md.j2").render(
            paper=paper, title=title, items=found, said=said, source_of=source_of, formulas=formulas, shown=SHOWN,
            reasons={f"{paper}.{item.replace('_', '')}": reason for item, reason in module.NOT_COMPUTED.items()},
        )  # fmt: skip
        (folder / f"{paper}.md").write_text(page, encoding="utf-8")
