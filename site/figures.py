"""Figures as HTML: links to themselves in full size, and on a telephone with their panels under each other."""

import base64
import hashlib
import io
import re
from html import escape, unescape
from itertools import pairwise

from PIL import Image

from helpers.notebook.display import CUTS, KEY

DPI = 110  # pixels of a page for an inch of a figure; those drawn at 220 dots an inch are shown twice as sharp
SIDE_BY_SIDE = 6.8  # inches from which a figure has panels side by side
DATA = re.compile(r'<img\b[^>]*?\balt="([^"]*)"[^>]*\bsrc="data:image/png;base64,([^"]+)"[^>]*>')


def stacked(picture, dpi):
    """The panels of a wide picture under each other, or None if it may not be cut."""
    cuts = [round(float(inches) * dpi) for inches in picture.info.get(CUTS, "").split()]
    if picture.width < SIDE_BY_SIDE * dpi or not cuts:
        return None
    ends = list(pairwise([0, *cuts, picture.width]))
    width = max(right - left for left, right in ends)
    column = Image.new("RGB", (width, picture.height * len(ends)), "white")
    for number, (left, right) in enumerate(ends):
        column.paste(picture.crop((left, 0, right, picture.height)).convert("RGB"), (0, number * picture.height))
    return column


def figure_name(png):
    """The name of a figure's file, without its ending."""
    return hashlib.sha256(png).hexdigest()[:16]


def redrawn(output):
    """Of a picture that draws figures of a paper again: {"redraws": their rows in the ledger, "title": its title}."""
    entry = output.get("metadata", {}).get(KEY, {})
    return entry if "redraws" in entry else {}


def figure_html(png, alt, folder, address, *, is_target=False):
    """A link to a figure that shows it; its files are written to `folder`, which pages find at `address`.

    Other pages can lead to a target, by the name of its file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    name = figure_name(png)
    (folder / f"{name}.png").write_bytes(png)
    with Image.open(io.BytesIO(png)) as picture:
        dpi = picture.info.get("dpi", (DPI, DPI))[0]
        column = stacked(picture, dpi)
        width, height = (round(side * DPI / dpi) for side in picture.size)
    narrow = ""
    kind = "honest-figure honest-scrolls" if width > SIDE_BY_SIDE * DPI and not column else "honest-figure"
    if column:
        column.save(folder / f"{name}-column.png")
        narrow = f'<source media="(max-width: 600px)" srcset="{address}/{name}-column.png">'
    image = f'<img src="{address}/{name}.png" alt="{escape(alt)}" width="{width}" height="{height}" loading="lazy">'
    anchor = f' id="figure-{name}"' if is_target else ""
    return f'<a class="{kind}"{anchor} href="{address}/{name}.png"><picture>{narrow}{image}</picture></a>'


def show_figures(output, folder, address):
    """Put the figures of a notebook's output, also those inside its HTML, as links in their place."""
    data = output.get("data", {})
    if "image/png" in data:
        alt = output.metadata.get("image/png", {}).get("alt", "")
        png = base64.b64decode(data.pop("image/png"))
        data["text/html"] = figure_html(png, alt, folder, address, is_target=bool(redrawn(output)))
    elif "text/html" in data:
        data["text/html"] = DATA.sub(
            lambda match: figure_html(base64.b64decode(match[2]), unescape(match[1]), folder, address),
            data["text/html"],
        )


def first_figure(notebook):
    """Bytes of the first PNG among the outputs of a notebook, or None."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    figures = (output.data["image/png"] for output in outputs if "image/png" in output.get("data", {}))
    return next((base64.b64decode(figure) for figure in figures), None)
