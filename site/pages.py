"""What is done to the pages beside Sphinx: links, scripts only where they are needed, descriptions, small pictures.

The theme brings 1.5 MB of script for fifteen icons that its style sheet draws as well, and MathJax for every page.
"""

import base64
import html
import io
import re

from PIL import Image

CODE_OR_LINK = r"^`{3,}.*?^`{3,}|\$\$.*?\$\$|\$[^$\n]+\$|`[^`\n]*`|\[[^\]\n]*\]\([^)\n]*\)|^#[^\n]*$|<[^>\n]*>"
VERBATIM = re.compile(f"({CODE_OR_LINK})", re.DOTALL | re.MULTILINE)
NUMBER = re.compile(r"\b([Nn]otebooks? )(\d\d(?:(?:, | and | or | to )\d\d)*)\b")
FORMULA = re.compile(r'<(?:div|span) class="[^"]*\bmath\b')
TAGGED = re.compile(r'<div class="math notranslate nohighlight">(?=(?:(?!</div>).)*?\\tag\{([\w, ]+)\})', re.DOTALL)
EQUATION = re.compile(r"\b(?:[Ee]quation|[Ee]q\.) \((\w+)\)(?![^<]*</(?:a|code|pre|h\d)>)")
CLAIM = re.compile(r"(^|<span></span>)(\w+\.\w+)(?= holds)", re.MULTILINE)
ICON_SCRIPT = re.compile(r"\s*<script\b[^>]*/fontawesome\.js[^>]*></script>")
MATHJAX = re.compile(r"<script>window\.MathJax.*?</script>|<script\b[^>]*/mathjax/[^>]*></script>", re.DOTALL)
THUMBNAIL = 480  # pixels, width


class SiteError(Exception):
    """The site could not be built; the message says why."""


def linked_notebooks(text, stems, up=""):
    """Markdown in which "notebook 05" leads to that notebook; headings, code, formulas and links stay as they are.

    `up` leads from the page's folder to that of the lessons.
    """
    places = {stem[:2]: f"{up}{stem}" for stem in stems}

    def link(number):
        return f"[{number[0]}]({places[number[0]]}.ipynb)" if number[0] in places else number[0]

    pieces = VERBATIM.split(text)
    pieces[::2] = [NUMBER.sub(lambda match: match[1] + re.sub(r"\d\d", link, match[2]), piece) for piece in pieces[::2]]
    return "".join(pieces)


def linked_equations(page):
    """The page with an anchor at each numbered formula, and links to those that it has itself."""
    anchors = {}

    def mark(match):
        numbers = [number for number in match[1].split(", ") if number not in anchors]
        anchors.update(dict.fromkeys(numbers, match[1].split(", ")[0]))
        return f'{match[0][:-1]} id="equation-{numbers[0]}">' if numbers else match[0]

    def link(match):
        return f'<a href="#equation-{anchors[match[1]]}">{match[0]}</a>' if match[1] in anchors else match[0]

    page = TAGGED.sub(mark, page)
    return EQUATION.sub(link, page)


def linked_claims(page, claims, up="../"):
    """The page with links from the names of claims in its outputs to their rows in the ledger, which lies at `up`."""

    def link(match):
        name = match[2]
        return f'{match[1]}<a class="claim" href="{up}ledger.html#{name}">{name}</a>' if name in claims else match[0]

    return CLAIM.sub(link, page)


def finish(folder, descriptions, claims):
    """Change the finished pages in place: links, no script that a page does not need, a description for searchers.

    `descriptions` has a sentence for a page ("notebooks/00_start_here"), `claims` the names in the ledger.
    """
    for path in sorted(folder.rglob("*.html")):
        name = path.relative_to(folder).with_suffix("").as_posix()
        page = ICON_SCRIPT.sub("", path.read_text(encoding="utf-8"))
        if not FORMULA.search(page):
            page = MATHJAX.sub("", page)
        if name.startswith("notebooks/"):
            page = linked_claims(linked_equations(page), claims, "../" * name.count("/"))
        if name in descriptions:
            words = html.escape(descriptions[name])
            page = page.replace("</title>", f'</title>\n    <meta name="description" content="{words}" />', 1)
        path.write_text(page, encoding="utf-8")
    for script in (folder / "_static" / "scripts").glob("fontawesome.js*"):
        script.unlink()


def first_figure(notebook):
    """Bytes of the first PNG among the outputs of a notebook, or None."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    figures = (output.data["image/png"] for output in outputs if "image/png" in output.get("data", {}))
    return next((base64.b64decode(figure) for figure in figures), None)


def write_thumbnail(figure, path):
    """A small copy of a figure (bytes of a PNG) for a card."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with Image.open(io.BytesIO(figure)) as picture:
        picture = picture.convert("RGB")
        picture.thumbnail((THUMBNAIL, THUMBNAIL))
        picture.quantize(64).save(path, optimize=True)
