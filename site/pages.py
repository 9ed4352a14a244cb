"""What is done to the pages beside Sphinx: links, names for buttons, no script without need, descriptions."""

import base64
import html
import io
import re

from PIL import Image
from weight import SEARCH_SCRIPT, linked_figures, shrink_figures, shrink_styles, taken_out

CODE_OR_LINK = r"^`{3,}.*?^`{3,}|\$\$.*?\$\$|\$[^$\n]+\$|`[^`\n]*`|\[[^\]\n]*\]\([^)\n]*\)|^#[^\n]*$|<[^>\n]*>"
VERBATIM = re.compile(f"({CODE_OR_LINK})", re.DOTALL | re.MULTILINE)
NUMBER = re.compile(r"\b([Nn]otebooks? )(\d\d(?:(?:, | and | or | to )\d\d)*)\b")
FORMULA = re.compile(r'(<(div|span) class="math\b[^>]*>)(.*?)(</\2>)', re.DOTALL)
TAGGED = re.compile(r'<div class="math notranslate nohighlight">(?=(?:(?!</div>).)*?\\tag\{([\w, ]+)\})', re.DOTALL)
OUTSIDE = r"(?![^<]*</(?:a|code|pre|span|summary|h\d)>)"  # of what is a link or code already
BEFORE_NUMBER = r"\b(?:[Ee]quations?|[Ee]qs?\.|[Ff]ormula|[Ee]stimate|[Bb]y|[Ii]n|of|from) "
EQUATION = re.compile(rf"({BEFORE_NUMBER})(\(([\w.]+)\)){OUTSIDE}")
CLAIM = re.compile(r"(^|<span></span>)(\w+\.\w+)(?= holds)", re.MULTILINE)
LITERAL = r'<code class="docutils literal notranslate"><span class="pre">(\w+)(?:\(\))?</span></code>'
CODE = re.compile(rf"(<a\b[^>]*>)?({LITERAL})")
API_ANCHOR = re.compile(r'<dt[^>]*\bid="(helpers\.\w+\.(\w+))"')
SURNAMES = r"(?:,? (?:&amp; |and )?(?:Le )?[A-Z][\w-]+)*"
PAPER = re.compile(rf"\b(Perez-Lebel|Melo|Estienne|Wang)({SURNAMES}(?: et al\.| \(\d{{4}}\))+){OUTSIDE}")
ICON_SCRIPT = re.compile(r"\s*<script\b[^>]*/fontawesome\.js[^>]*></script>")
MATHJAX = re.compile(r"\s*(?:<script>window\.MathJax.*?</script>|<script\b[^>]*/mathjax/[^>]*></script>)", re.DOTALL)
EMPTY_HEAD = re.compile(r"<thead>\s*<tr[^>]*>(?:\s*<th[^>]*>(?:\s*<p>\s*</p>)?\s*</th>)+\s*</tr>\s*</thead>")
UNNAMED = '<summary><span class="toctree-toggle"'  # a button that a screen reader would not name
NAMED = '<summary aria-label="Pages below this one"><span class="toctree-toggle"'
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
        anchor = anchors.get(match[3])
        return f'{match[1]}<a href="#equation-{anchor}">{match[2]}</a>' if anchor else match[0]

    page = TAGGED.sub(mark, page)
    return EQUATION.sub(link, page)


def linked_claims(page, claims, up="../"):
    """The page with links from the names of claims in its outputs to their rows in the ledger, which lies at `up`.

    `claims` has the statement of each name.
    """

    def link(match):
        name = match[2]
        says = html.escape(claims.get(name, ""))
        row = f'<a class="claim" href="{up}ledger.html#{name}" title="{says}">{name}</a>'
        return f"{match[1]}{row}" if name in claims else match[0]

    return CLAIM.sub(link, page)


def linked_papers(page, papers, up="../"):
    """The page with links from "Melo et al." to that paper on the first page, which lies at `up`; not in formulas.

    `papers` has title and place of each first author's paper.
    """

    def link(match):
        name = match[1]
        year = re.search(r"\(\d{4}\)", match[0])
        if year and year[0] not in papers.get(name, ""):  # another paper by somebody of this name
            return match[0]
        says = html.escape(papers.get(name, ""))
        anchor = f"paper-{name.lower()}"
        return f'<a class="paper" href="{up}index.html#{anchor}" title="{says}">{match[0]}</a>' if says else match[0]

    pieces = FORMULA.split(page)  # prose, then of each formula its beginning, the name of its element, TeX and end
    return "".join(PAPER.sub(link, piece) if k % 5 == 0 else piece for k, piece in enumerate(pieces) if k % 5 != 2)


def linked_names(page, places, up="../"):
    """The page with links from functions that its prose names to what the package at `up` says about them."""

    def link(match):
        place = places.get(match[3])
        return match[0] if match[1] or not place else f'<a class="name" href="{up}{place}">{match[2]}</a>'

    return CODE.sub(link, page)


def api_places(folder):
    """Where each name of the package is explained, for names that one package alone has."""
    places = {}
    for path in sorted((folder / "api").glob("helpers.*.html")):
        for match in API_ANCHOR.finditer(path.read_text(encoding="utf-8")):
            places.setdefault(match[2], []).append(f"api/{path.name}#{match[1]}")
    return {name: found[0] for name, found in places.items() if len(found) == 1}


def finish(folder, descriptions, claims, papers):
    """Change the finished pages in place: links, no script that a page does not need, a description for searchers.

    `descriptions` has a sentence for a page ("notebooks/00_start_here"), `claims` the statements of the ledger,
    `papers` what is said about the paper of each first author.
    """
    pages = {}
    for path in sorted(folder.rglob("*.html")):
        name = path.relative_to(folder).with_suffix("").as_posix()
        pages[name] = taken_out(path.read_text(encoding="utf-8"), folder, "../" * name.count("/"))
    sizes = shrink_figures(folder)
    places = api_places(folder)
    for name, page in pages.items():
        page = linked_figures(ICON_SCRIPT.sub("", page), sizes)
        page = EMPTY_HEAD.sub("", page.replace(UNNAMED, NAMED))
        if name != "search":
            page = SEARCH_SCRIPT.sub("", page)
        if not FORMULA.search(page):
            page = MATHJAX.sub("", page)
        if name == "api/index":
            page = linked_names(page, places, "../")
        if name.startswith("notebooks/"):
            up = "../" * name.count("/")
            page = linked_claims(linked_equations(page), claims, up)
            page = linked_names(linked_papers(page, papers, up), places, up)
        if name in descriptions:
            words = html.escape(descriptions[name])
            page = page.replace("</title>", f'</title>\n    <meta name="description" content="{words}" />', 1)
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    shrink_styles(folder)
    search = folder / "_static" / "searchtools.js"  # its excerpts shall begin with the text, not with the contents
    text = search.read_text(encoding="utf-8").replace('[role="main"]', "article.bd-article")
    search.write_text(text, encoding="utf-8")


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
