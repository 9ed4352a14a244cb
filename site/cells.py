"""What is done to the executed notebooks before Sphinx reads them: links, alternative texts, what opens on demand."""

import re
import shutil

from nbformat.v4 import new_output
from pages import SiteError, linked_notebooks
from terms import TermLinks

from helpers.notebook.folds import fold_claims, is_claim
from helpers.notebook.sliders import drop_widgets

# myst-nb folds by its own tags; a quiz shows its questions only.
FOLDS = {"solution": "hide-cell", "check": "hide-input", "quiz": "remove-input"}
PROMPTS = {"solution": "the solution", "check": "the check", "claim": "what was compared"}


def for_site(notebook, name, source_folder, image_folder, stems, terms=()):
    """Change an executed copy in place so that myst-nb renders it whole: links, alt texts, empty outputs, folds.

    `name` is that of the notebook among `stems`, "checks/05_..." for checks.
    """
    up = "../" * name.count("/")
    lessons = [stem for stem in stems if "/" not in stem]
    link_terms = TermLinks(terms, f"{up}../") if terms else str
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            text = inner_links(cell.source, (source_folder / name).parent, image_folder, source_folder)
            cell.source = linked_notebooks(link_terms(text) if number else text, lessons, up)
        elif cell.cell_type == "code":
            cell.outputs = [out for out in cell.outputs if out.output_type != "display_data" or out.data]
            drop_widgets(cell.outputs)
            fold_outputs(cell)
            fold_tagged(cell)
            figures = [out.metadata.get("image/png", {}) for out in cell.outputs if "image/png" in out.get("data", {})]
            alts = [figure["alt"] for figure in figures if figure.get("alt")]
            if alts:
                cell.metadata.setdefault("mystnb", {})["image"] = {"alt": " / ".join(alts)}
    return notebook


def fold_outputs(cell):
    """Put claims that stand open in a cell's outputs into one fold, unless one of them fails."""
    claims = [out for out in cell.outputs if is_claim(out.get("metadata", {})) and "text/html" not in out.data]
    if claims and all(out.metadata["honest"]["holds"] for out in claims):
        others = [out for out in cell.outputs if out not in claims]
        data, metadata = fold_claims([(out.data, out.metadata) for out in claims])
        cell.outputs = [*others, new_output("display_data", data=data, metadata=metadata)]


def fold_tagged(cell):
    """Add the tags by which myst-nb folds solutions and checks and hides the code of a quiz, and say what is folded."""
    for tag in sorted(set(cell.metadata.get("tags", []))):
        if tag in FOLDS:
            cell.metadata.tags = [*cell.metadata.tags, FOLDS[tag]]
        if tag in PROMPTS:
            prompts = {f"code_prompt_{verb.lower()}": f"{verb} {PROMPTS[tag]}" for verb in ("Show", "Hide")}
            cell.metadata.setdefault("mystnb", {}).update(prompts)


def inner_links(text, folder, image_folder, notebooks):
    """Copy images that prose shows from elsewhere; turn other links that leave the folder `notebooks` to words."""

    def image(match):
        path = (folder / match[2]).resolve()
        if not path.is_file():
            raise SiteError(f"an image in the prose does not exist: {match[2]}")
        image_folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, image_folder / path.name)
        return f"![{match[1]}](images/{path.name})"

    def link(match):
        inside = (folder / match[2]).resolve().is_relative_to(notebooks.resolve())
        return match[0] if inside else match[1]

    text = re.sub(r"!\[([^\]]*)\]\((?!https?:|data:|attachment:)([^)\s]+)\)", image, text)
    return re.sub(r"(?<!!)\[([^\]]+)\]\((\.\./[^)]*)\)", link, text)
