"""Slides of a lesson, from the executed lesson itself: nbconvert's, with a copy of reveal.js in the site."""

import base64
import io
import re
import shutil
from html import unescape
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import nbformat
import numpy as np
from figures import DPI
from nbformat import from_dict
from nbformat.v4 import new_markdown_cell, new_notebook
from PIL import Image

from helpers.notebook.display import KEY
from helpers.notebook.page import exporter, is_report
from helpers.notebook.student import tags

TEMPLATE = Path(__file__).parent / "_templates" / "slides.html.j2"
TALLEST = 480  # pixels of a page that a picture may be high: so much fits with text of 24 pixels
HIDDEN = {"exercise", "check", "solution", "quiz", "remove-cell"}


def pictures(cell):
    """The outputs of a code cell that show a figure, its caption, or the figure behind a prediction."""
    shown = []
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        page = "".join(data.get("text/html", ""))
        if "image/png" in data or "<img" in page or "honest-caption" in page:
            shown.append(output)
    return shown


def is_closed(output):
    """Whether an output is what came out of a prediction, which stays closed until somebody opens it."""
    return bool(output.get("metadata", {}).get(KEY, {}).get("prediction"))


def finding(cell):
    """The title of a cell's first figure, as the heading of its slide; "" without one, or if it stands in a fold."""
    shown = [output for output in cell.get("outputs", []) if not is_closed(output)]
    pages = ("".join(output.get("data", {}).get("text/html", "")) for output in shown)
    titles = (re.search(r'<p class="honest-finding">(.*?)</p>', page) for page in pages)
    return next((f"## {unescape(re.sub('<[^>]+>', '', title[1]))}" for title in titles if title), "")


def pieces(output):
    """A picture that is too tall for a slide as several outputs, cut between its panels; others stay as they are."""
    if "image/png" not in output.get("data", {}):
        return [output]
    picture = Image.open(io.BytesIO(base64.b64decode(output.data["image/png"])))
    tallest = round(TALLEST * picture.info.get("dpi", (DPI, DPI))[0] / DPI)
    white = (np.asarray(picture.convert("L")) == 255).all(axis=1)
    gaps = np.flatnonzero(white)
    ends = [0]
    while np.flatnonzero(~white)[-1] - ends[-1] > tallest:
        fitting = gaps[(gaps > ends[-1] + tallest // 4) & (gaps <= ends[-1] + tallest)]
        if not fitting.size:
            return [output]
        ends.append(int(fitting[-1]))
    cut = []
    for top, bottom in pairwise([*ends, picture.height]):
        buffer = io.BytesIO()
        picture.crop((0, top, picture.width, bottom)).save(buffer, "png", dpi=picture.info.get("dpi"))
        data = output.data | {"image/png": base64.b64encode(buffer.getvalue()).decode()}
        cut.append(from_dict(output | {"data": data}))
    return cut


def sides(outputs):
    """The outputs of a cell, slide by slide: a further one for each further piece of a picture."""
    slides = [[]]
    for output in outputs:
        first, *others = pieces(output)
        slides[-1].append(first)
        slides += [[other] for other in others]
    return slides


def prose(source, kind, id):
    """A cell of words: "slide" begins a slide, and "notes" are for the speaker only."""
    return new_markdown_cell(source, metadata={"slideshow": {"slide_type": kind}}, id=id[:64])


def slides_of(notebook):
    """A notebook of slides: the title with its goals, each picture, and the cells with the tag `slide`, code included.

    They stand below the heading of their section. A prediction comes with the question that is asked before it, and
    stays closed until somebody opens it. What the lesson says between two slides is the speaker's notes of the first.
    """
    title = re.search(r"^# .+$", notebook.cells[0].source, re.MULTILINE)[0]
    goals = re.search(r"\*\*Goals\*\*\W*(.*?)\W*$", notebook.cells[0].source, re.MULTILINE)
    cells = [prose(f"{title}\n\n{goals[1] if goals else ''}", "slide", "title")]
    heading = question = ""
    for cell in notebook.cells[1:]:
        chosen = "slide" in tags(cell)
        if cell.cell_type == "markdown":
            heads = re.findall(r"^##+ .+$", cell.source, re.MULTILINE)
            heading = re.sub("^#+", "##", heads[-1]) if heads else heading
            question = cell.source.strip().split("\n\n")[-1]
            before, words = re.split(r"^(?=##+ )", cell.source, maxsplit=1, flags=re.MULTILINE) if heads else ("", "")
            words = re.sub("^#+", "##", words) or f"{heading}\n\n{cell.source}"
            if chosen and before.strip():  # the end of the section before, which no slide has room for
                cells.append(prose(before, "notes", f"before-{cell.id}"))
            cells.append(prose(words, "slide", cell.id) if chosen else prose(cell.source, "notes", cell.id))
        elif chosen or (pictures(cell) and not HIDDEN & tags(cell)):
            asked = any(is_closed(output) for output in cell.get("outputs", []))
            words = f"{heading}\n\n{question}" if asked else finding(cell) or heading
            words += f"\n\n```python\n{cell.source}\n```" if chosen else ""
            shown = cell.outputs if chosen else pictures(cell)
            for number, outputs in enumerate(sides(shown)):
                name = f"{cell.id}-{number}" if number else cell.id
                below = from_dict(cell | {"id": name[-64:], "outputs": outputs})
                below.metadata = from_dict({"slideshow": {"slide_type": "-"}})
                cells += [prose(words, "slide", f"above-{name}"), below]
    return new_notebook(cells=cells, metadata=notebook.metadata)


def write_slides(books, site):
    """Slides of the lessons among `books` (name -> file), slides/NN_name.html of the site, and reveal.js with them."""
    reveal = Path(find_spec("sphinx_revealjs").origin).parent / "_static" / "revealjs"
    for part in ("dist", "plugin/notes"):
        shutil.copytree(reveal / part, site / "_static" / "reveal" / part, ignore=shutil.ignore_patterns("*.map"))
    shutil.copy(reveal / "LICENSE", site / "_static" / "reveal")
    options = {"template_name": "reveal", "reveal_url_prefix": "../_static/reveal", "reveal_theme": "white"}
    exporter_of_slides = exporter(TEMPLATE, "SlidesExporter", **options)
    (site / "slides").mkdir()
    for name, path in books.items():
        notebook = nbformat.read(path, as_version=4)
        if not name.startswith("checks/") and not is_report(notebook):
            resources = {"metadata": {"path": str(path.parent), "name": name}}
            slides = slides_of(notebook)
            page, _ = exporter_of_slides.from_notebook_node(slides, resources)
            (site / "slides" / f"{name}.html").write_text(page, encoding="utf-8")
