"""What is done to an executed notebook before Sphinx reads it: its number, links, figures, and what opens on demand."""

import re

from figures import show_figures

from helpers.notebook.folds import is_claim

# myst-nb folds by its own tags; a quiz shows its questions only.
FOLDS = {
    "solution": "hide-cell",
    "check": "hide-input",
    "quiz": "remove-input",
    "parameters": "hide-cell",
    "predict": "hide-input",
    "figure": "hide-input",
}
PROMPTS = {
    "solution": "the solution",
    "check": "the check",
    "parameters": "the settings",
    "predict": "the code",
    "figure": "the code of this figure",
}


def for_site(notebook, name, links, figure_folder):
    """Change an executed copy in place; `name` is that of its page, such as "checks/05_honest_partitions"."""
    up = "../" * (1 + name.count("/"))
    prose = [cell for cell in notebook.cells if cell.cell_type == "markdown"]
    links.equations.update(re.findall(r"\\tag\{([\w.]+)\}", "".join(cell.source for cell in prose)))
    for cell in prose:
        cell.source = links.prose(cell.source, with_terms=cell is not notebook.cells[0])
        cell.source = re.sub(r"(\]\((?:\.\./)+)site/", r"\1", cell.source)  # guides lie above the lessons
    number = name.removeprefix("checks/")[:2]
    notebook.cells[0].source = card_as_lines(re.sub("^# ", f"# {number} ", notebook.cells[0].source))
    join_settings(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [out for out in cell.outputs if out.output_type != "display_data" or out.data]
            own = cell.metadata.get("tags", [])
            if any("image/png" in out.get("data", {}) for out in cell.outputs) and not {*FOLDS} & {*own}:
                cell.metadata.tags = [*own, "figure"]
            fold_tagged(cell)
            for output in cell.outputs:
                show_figures(output, figure_folder, f"{up}_static/figures")
                if is_claim(output.get("metadata", {})) and "text/html" in output.data:
                    output.data["text/html"] = links.claims(output.data["text/html"])


def card_as_lines(source):
    """The card of a lesson's first cell: its goals as a sentence, all else in one small line."""
    rows = re.findall(r"^\| \*\*(\w+)\*\* \| (.*) \|$", source, re.MULTILINE)
    if not rows:
        return source
    card = dict(rows)
    goals = card.pop("Goals", "")
    if "Needs" in card:
        card["Needs"] = f"needs {card['Needs']}"
    if "Minutes" in card:
        card["Minutes"] = re.sub(r"^(\d+)", r"\1 minutes", card["Minutes"])
    order = [card.pop(name) for name in ("Minutes", "Needs") if name in card]
    line = " · ".join([*order, *card.values()])
    lines = [f"{goals[:1].upper()}{goals[1:]}."] if goals else []
    lines.append(f":::{{container}} honest-card-line\n{line}\n:::")
    return re.sub(r"\| \| \|\n\|---\|---\|\n(\| .*\|\n?)+", lambda _: "\n\n".join(lines) + "\n", source)


def join_settings(notebook):
    """The settings and what checks them are one cell of the page."""
    for place, cell in enumerate(notebook.cells[:-1]):
        after = notebook.cells[place + 1]
        is_hidden = "remove-cell" in after.metadata.get("tags", [])  # the guard of a report
        is_guard = "parameters(" in after.source and not after.get("outputs") and not is_hidden
        if "parameters" in cell.metadata.get("tags", []) and is_guard:
            cell.source += f"\n\n{after.source}"
            del notebook.cells[place + 1]
            return


def fold_tagged(cell):
    """Add the tags by which myst-nb folds solutions and checks and hides the code of a quiz, and say what is folded."""
    for tag in sorted(set(cell.metadata.get("tags", []))):
        if tag in FOLDS:
            cell.metadata.tags = [*cell.metadata.tags, FOLDS[tag]]
        if tag in PROMPTS:
            prompts = {f"code_prompt_{verb.lower()}": f"{verb} {PROMPTS[tag]}" for verb in ("Show", "Hide")}
            cell.metadata.setdefault("mystnb", {}).update(prompts)
