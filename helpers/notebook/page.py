"""One HTML page for readers, which needs no other file and no network: of outputs alone, or of an executed notebook.

Of a notebook nbconvert makes it, with the template page.html.j2 and formulas as MathML: nbconvert draws formulas with
MathJax from a network. A page that is sent by mail must draw them by itself, and browsers draw MathML without any
script.
"""

import copy
import html
import re
from functools import cache
from importlib.util import find_spec
from itertools import count
from pathlib import Path

from jinja2 import Environment

from helpers.notebook.display import KEY, escape
from helpers.notebook.folds import open_predictions

TEMPLATE = Path(__file__).with_name("page.html.j2")

FRAME = Path(__file__).with_name("frame.html.j2")

OUTSIDE = re.compile(r"(https?:|#|mailto:)")  # links that lead somewhere also from a page that lies alone

NOT_FOR_READERS = {"exercise", "check", "solution", "quiz", "remove-cell"}

OF_THE_COURSE = ("exercise", "quiz", "key ideas", "what to read")  # how left-out sections begin

MANY_SECTIONS = 6  # from which a page begins with its contents

STACK = ("latex2mathml", "nbconvert", "papermill", "yaml")  # of the extra `notebooks`

UNWRITTEN = {
    r"\\arg(?![A-Za-z])": r"\\operatorname{arg}",
    r"(\\[bB]igg?[lr]?)\s*\\[lr]vert": r"\1|",
    r"\\tag\{(.*?)\}": r"\\qquad\\text{(\1)}",
}  # what the converter shows as TeX, or a number of an equation without a space before it


def check_stack():
    """ImportError with a sentence where the extra `notebooks` is not installed."""
    if not all(map(find_spec, STACK)):
        raise ImportError(
            "Pages and runs need the extra `notebooks`: pip install '.[notebooks]' in a copy of this package."
        )


def to_mathml(tex, display="inline"):
    """TeX as MathML; a formula that cannot be translated is shown as it was written."""
    from latex2mathml.converter import convert

    for pattern, written in UNWRITTEN.items():
        tex = re.sub(pattern, written, tex)
    try:
        return convert(tex, display=display)
    except Exception:  # the converter has some twenty kinds of errors, with no class in common
        return f"<code>{html.escape(tex)}</code>"


def exporter(template, kind="HTMLExporter", **options):
    """An nbconvert exporter without code, with formulas as MathML and without links to files beside the page."""
    import nbconvert
    from jinja2 import pass_context
    from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

    class Renderer(IPythonRenderer):
        def block_math(self, body):
            return to_mathml(body, "block")

        def inline_math(self, body):
            return to_mathml(body)

        def latex_environment(self, name, body):
            return to_mathml(rf"\begin{{{name}}}{body}\end{{{name}}}", "block")

        def block_html(self, source):
            # nbconvert looks for images with a parser, which ends a fold that goes on in the next block
            return super().block_html(source) if "<img" in source else f"{source}\n"

        def link(self, text, url, title=None):
            return super().link(text, url, title) if OUTSIDE.match(url) else text

        def table(self, text):
            return f'<div class="wide"><table>{text}</table></div>\n'

    class Exporter(getattr(nbconvert, kind)):
        @pass_context
        def markdown2html(self, context, source):
            path = context["resources"]["metadata"]["path"]
            renderer = Renderer(escape=False, embed_images=True, path=path, exclude_anchor_links=True)
            return MarkdownWithMath(renderer=renderer).render(source)

    options |= {"exclude_input": True, "exclude_input_prompt": True, "exclude_output_prompt": True}
    return Exporter(template_file=str(template), **options)


def _for_readers(nb):
    """A copy without exercises and hidden cells; predictions are open, and the header card is left out."""
    chosen = copy.deepcopy(nb)
    cells = chosen.cells
    chosen.cells = []
    skipping = 0  # level of the heading of a section that is left out
    for cell in cells:
        head = re.match(r"(#+)\s*(.*)", cell.source) if cell.cell_type == "markdown" else None
        if head and len(head[1]) <= (skipping or 9):
            skipping = len(head[1]) if head[2].lower().startswith(OF_THE_COURSE) else 0
        if not chosen.cells:
            cell.source = re.sub(r"^\|.*\n?", "", cell.source, flags=re.MULTILINE)
        if not skipping and not NOT_FOR_READERS & set(cell.metadata.get("tags", [])):
            open_predictions(cell.get("outputs", []))
            chosen.cells.append(cell)
    return chosen


def title_of(nb):
    """The first heading of a notebook, without markup."""
    heads = [re.search(r"^#\s+(.+)$", cell.source, re.MULTILINE) for cell in nb.cells if cell.cell_type == "markdown"]
    head = next((head[1] for head in heads if head), "Report")
    return re.sub(r"[`*$]|<[^>]+>|\[([^]]*)\]\([^)]*\)", r"\1", head).strip()


def is_report(nb):
    """Whether a notebook has no prose below its title, so that all it says is said by cells, about the data at hand."""
    return not any(cell.cell_type == "markdown" for cell in nb.cells[1:])


def to_html(nb, folder=".", note="", remark=""):
    """The page of an executed notebook, with its pictures from `folder`, which needs no other file and no network.

    A remark stands below the title, a note at the end.
    """
    from nbformat.v4 import new_markdown_cell

    nb = _for_readers(nb)
    if remark:
        nb.cells.insert(1, new_markdown_cell(f"*{remark}*"))
    resources = {"metadata": {"path": str(Path(folder))}}
    body, _ = exporter(TEMPLATE, template_name="basic").from_notebook_node(nb, resources)
    return _framed(title_of(nb), body, note)


def page_of(title, text, outputs, note=""):
    """The page of a title, a text below it and outputs as `collected` gives them, with a note at its end.

    Texts are Markdown of headings, paragraphs, lists, **strong words** and `code`.
    """
    body = [to_words(f"# {title}\n\n{text}"), *(_shown(*output) for output in outputs)]
    return _framed(title, "\n".join(body), note)


def _shown(bundle, metadata):
    """One output on a page."""
    if "image/png" in bundle:
        words = metadata.get(KEY, {}).get("alt") or bundle.get("text/plain", "figure")
        picture = bundle["image/png"].replace("\n", "")
        return f'<figure><img alt="{html.escape(words)}" src="data:image/png;base64,{picture}"/></figure>'
    if "text/html" in bundle:
        page = bundle["text/html"]
        return f'<div class="wide">{page}</div>' if "<table" in page else page
    if "text/markdown" in bundle:
        return to_words(bundle["text/markdown"])
    return f"<pre>{escape(bundle['text/plain'])}</pre>"


def to_words(text):
    """HTML of simple Markdown: headings, paragraphs, lists, **strong words**, `code`; what it does not know it shows.

    >>> to_words("## Costs\\n\\nIn **points**, `p < 1`.")
    '<h2>Costs</h2>\\n<p>In <strong>points</strong>, <code>p &lt; 1</code>.</p>'
    """
    blocks = []
    for block in re.split(r"\n\s*\n", html.escape(text.strip(), quote=False)):
        block = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", block)
        block = re.sub(r"`([^`]+)`", r"<code>\1</code>", block)
        heading = re.fullmatch(r"(#{1,6}) +(.+)", block)
        if heading:
            blocks.append(f"<h{len(heading[1])}>{heading[2]}</h{len(heading[1])}>")
        elif block.startswith("- "):
            items = re.split(r"(?:^|\n)- ", block)[1:]
            blocks.append("<ul>\n" + "\n".join(f"<li>{item}</li>" for item in items) + "\n</ul>")
        else:
            blocks.append(f"<p>{block}</p>")
    return "\n".join(blocks)


@cache
def _frame():
    return Environment(autoescape=False).from_string(FRAME.read_text(encoding="utf-8"))


def _framed(title, body, note):
    """A whole document around the body of a page."""
    return _with_contents(_frame().render(title=title, body=body, note=note))


def _with_contents(page):
    """A page with links to its sections before the first of them, below the answer, if there are many."""
    heads = re.findall("<h2>(.*?)</h2>", page)
    if len(heads) < MANY_SECTIONS:
        return page
    number = count(1)
    page = re.sub("<h2>", lambda _: f'<h2 id="section-{next(number)}">', page)
    entries = [f'<li><a href="#section-{k}">{words}</a></li>' for k, words in enumerate(heads, 1)]
    return page.replace("<h2 ", f'<nav aria-label="Contents"><ul>{"".join(entries)}</ul></nav>\n<h2 ', 1)
