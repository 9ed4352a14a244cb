"""Slides of a lesson: which cells stand on one, and what the speaker sees beside them."""

import base64
import io
from pathlib import Path

import numpy as np
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from PIL import Image
from scripts import load_program

from helpers.notebook.display import KEY

slides_of = load_program(Path(__file__).resolve().parents[2] / "site" / "slides.py").slides_of


def png(pixels):
    """A picture as an output has it."""
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "png", dpi=(110, 110))
    return base64.b64encode(buffer.getvalue()).decode()


def lesson():
    picture = new_output("display_data", {"image/png": png(np.eye(9, dtype=np.uint8)), "text/plain": "Figure"})
    title = new_output("display_data", {"text/html": '<p class="honest-finding">It falls</p>'})
    printed = new_output("stream", text="0.02\n")
    cells = [
        new_markdown_cell("# Luck\n\n| **Goals** | see it |"),
        new_markdown_cell("## A story\n\nThe clinic buys a score.", metadata={"tags": ["slide"]}),
        new_markdown_cell("Who is told what?"),
        new_code_cell("show(1)", outputs=[printed]),
        new_code_cell("draw()", outputs=[title, picture, printed]),
        new_markdown_cell("$$x$$", metadata={"tags": ["slide"]}),
        new_code_cell("equation_6(r, region)", outputs=[printed], metadata={"tags": ["slide"]}),
    ]
    return new_notebook(cells=cells)


def test_tagged_cells_and_pictures_are_slides_and_the_prose_between_them_notes():
    cells = slides_of(lesson()).cells
    kinds = [(cell.metadata.slideshow.slide_type, cell.source) for cell in cells]
    assert kinds == [
        ("slide", "# Luck\n\nsee it"),
        ("slide", "## A story\n\nThe clinic buys a score."),
        ("notes", "Who is told what?"),
        ("slide", "## It falls"),
        ("-", "draw()"),
        ("slide", "## A story\n\n$$x$$"),
        ("slide", "## A story\n\n```python\nequation_6(r, region)\n```"),
        ("-", "equation_6(r, region)"),
    ]
    assert [len(cell.outputs) for cell in cells if cell.cell_type == "code"] == [1, 1]


def test_a_slide_begins_at_its_heading():
    book = lesson()
    book.cells[1].source = f"What was said before.\n\n{book.cells[1].source}"
    kinds = [(cell.metadata.slideshow.slide_type, cell.source) for cell in slides_of(book).cells[1:3]]
    assert kinds == [("notes", "What was said before.\n\n"), ("slide", "## A story\n\nThe clinic buys a score.")]


def test_a_question_and_no_finding_heads_what_is_predicted():
    """The title is the answer, so it stands inside of what opens, whether or not the cell has a tag."""
    page = '<details class="honest-fold"><p class="honest-finding">It falls</p><img src=""></details>'
    outcome = new_output("display_data", {"text/html": page}, metadata={KEY: {"prediction": True}})
    book = lesson()
    book.cells[3:] = [new_markdown_cell("Guess.\n\nDoes it fall?"), new_code_cell("draw()", outputs=[outcome])]
    slide, shown = slides_of(book).cells[-2:]
    assert slide.source == "## A story\n\nDoes it fall?"
    assert shown.outputs == [outcome]


def test_a_picture_that_is_too_tall_goes_on_on_a_further_slide():
    panels = np.full((900, 10), 255, dtype=np.uint8)
    panels[5:395] = panels[405:875] = 0
    tall = new_output("display_data", {"image/png": png(panels)})
    book = lesson()
    book.cells[3:] = [new_code_cell("draw()", outputs=[tall], id="tall")]
    first, second = (cell for cell in slides_of(book).cells if cell.cell_type == "code")
    heights = [
        Image.open(io.BytesIO(base64.b64decode(cell.outputs[0].data["image/png"]))).height for cell in (first, second)
    ]
    assert heights == [404, 496] and first.id != second.id
