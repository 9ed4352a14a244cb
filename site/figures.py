"""Figures as HTML: links to themselves in full size, and on a telephone with their panels under each other."""

import base64
import hashlib
import io
import re
from html import escape
from itertools import pairwise

import numpy as np
from PIL import Image

DPI = 110  # pixels of a page for an inch of a figure; those drawn at 220 dots an inch are shown twice as sharp
SIDE_BY_SIDE = 9.0  # inches from which a figure has panels side by side
GUTTER = 0.07  # inches of blank columns between panels
LABEL = 0.4  # inches within which a second gutter lies between the label of an axis and its numbers
WORDS = 0.12  # inches of the numbers or the label on the left of an axis
DATA = re.compile(r'<img\b[^>]*?\balt="([^"]*)"[^>]*\bsrc="data:image/png;base64,([^"]+)"[^>]*>')


def has_labels(grey, dpi):
    """Whether words stand on the left of a panel's horizontal axis, its longest dark row."""
    row = (grey < 200).sum(axis=1).argmax()
    axis = np.flatnonzero(grey[row] < 200)[0]
    first = np.flatnonzero((grey < 250).any(axis=0))[0]
    return axis - first > WORDS * dpi


def panels_of(picture, dpi):
    """The panels of a picture from left to right, cut where columns are blank, if none needs the labels of another."""
    grey = np.asarray(picture.convert("L"))
    inked = np.flatnonzero((grey < 250).any(axis=0))
    edges = [0]
    for start, gap in zip(inked[:-1], np.diff(inked), strict=True):
        if gap > GUTTER * dpi and start + gap - edges[-1] > LABEL * dpi + gap:
            edges.append(int(start + gap // 2))
    edges.append(picture.width)
    if not all(has_labels(grey[:, left:right], dpi) for left, right in pairwise(edges)):
        return [picture]
    return [picture.crop((left, 0, right, picture.height)) for left, right in pairwise(edges)]


def stacked(picture, dpi):
    """The panels of a wide picture under each other, or None if it has but one."""
    panels = panels_of(picture, dpi)
    if picture.width < SIDE_BY_SIDE * dpi or len(panels) < 2:
        return None
    column = Image.new("RGB", (max(panel.width for panel in panels), picture.height * len(panels)), "white")
    for number, panel in enumerate(panels):
        column.paste(panel, (0, number * picture.height))
    return column


def figure_name(png):
    """The name of a figure's file, without its ending."""
    return hashlib.sha256(png).hexdigest()[:16]


def figure_html(png, alt, folder, address):
    """A link to a figure that shows it; its files are written to `folder`, which pages find at `address`."""
    folder.mkdir(parents=True, exist_ok=True)
    name = figure_name(png)
    (folder / f"{name}.png").write_bytes(png)
    with Image.open(io.BytesIO(png)) as picture:
        dpi = picture.info.get("dpi", (DPI, DPI))[0]
        column = stacked(picture.convert("RGB"), dpi)
        width, height = (round(side * DPI / dpi) for side in picture.size)
    narrow = ""
    kind = "honest-figure honest-scrolls" if width > SIDE_BY_SIDE * DPI and not column else "honest-figure"
    if column:
        column.save(folder / f"{name}-column.png")
        narrow = f'<source media="(max-width: 600px)" srcset="{address}/{name}-column.png">'
    image = f'<img src="{address}/{name}.png" alt="{escape(alt)}" width="{width}" height="{height}" loading="lazy">'
    return f'<a class="{kind}" href="{address}/{name}.png"><picture>{narrow}{image}</picture></a>'


def show_figures(output, folder, address):
    """Put the figures of a notebook's output, also those inside its HTML, as links in their place."""
    data = output.get("data", {})
    if "image/png" in data:
        alt = output.metadata.get("image/png", {}).get("alt", "")
        data["text/html"] = figure_html(base64.b64decode(data.pop("image/png")), alt, folder, address)
    elif "text/html" in data:
        data["text/html"] = DATA.sub(
            lambda match: figure_html(base64.b64decode(match[2]), match[1], folder, address), data["text/html"]
        )


def first_figure(notebook):
    """Bytes of the first PNG among the outputs of a notebook, or None."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    figures = (output.data["image/png"] for output in outputs if "image/png" in output.get("data", {}))
    return next((base64.b64decode(figure) for figure in figures), None)
