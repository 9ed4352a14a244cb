"""An executed notebook as one HTML page for readers: no code, no scripts, nothing from the network, fit for a phone."""

import html
import re
from pathlib import Path
from xml.etree import ElementTree

from helpers.notebook.display import KEY

MATHML = "http://www.w3.org/1998/Math/MathML"

STYLE = """
:root { color-scheme: light; }
body { margin: 0; background: #fff; color: #1c2024;
  font: 17px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; overflow-wrap: break-word; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 1rem 0; }
h2 { font-size: 1.35rem; margin: 2.2rem 0 .6rem; }
h3 { font-size: 1.1rem; margin: 1.6rem 0 .4rem; }
a { color: #0b5cad; } img { max-width: 100%; height: auto; }
code { font-size: .9em; background: #f3f4f6; padding: 0 .2em; }
figure { margin: 1.2rem 0 .4rem; }
.honest-caption { color: #4b5563; font-size: .9rem; margin: 0 0 1.4rem; }
.honest-words { display: none; }
pre { font: .85rem/1.5 ui-monospace, Menlo, Consolas, monospace; white-space: pre-wrap; background: #f6f7f9;
  margin: .6rem 0; padding: .5rem .8rem; border-left: 3px solid #c9ced6; } pre code { background: none; padding: 0; }
.error pre { border-color: #b42318; background: #fef3f2; }
.wide { overflow-x: auto; margin: .8rem 0; } table { border-collapse: collapse; font-size: .9rem; }
caption { font-weight: 600; padding-bottom: .4rem; } th, td { padding: .3rem .7rem; border-bottom: 1px solid #e3e6ea; }
td.words { min-width: 9.5rem; } .wide th, .wide td { padding-left: .45rem; padding-right: .45rem; }
thead th { border-bottom: 2px solid #9aa3ad; vertical-align: bottom; } td { font-variant-numeric: tabular-nums; }
blockquote { margin: 1rem 0; padding: 0 1rem; border-left: 3px solid #0b5cad; color: #374151; }
math[display=block] { overflow: auto hidden; padding: .2rem 0; margin: 1rem 0; }
footer { margin-top: 3rem; color: #6b7280; font-size: .8rem; }
@media (max-width: 40rem) { body { font-size: 16px; } h1 { font-size: 1.5rem; } th, td { padding: .25rem .4rem; } }
"""


def _mend(mathml):
    """docutils sets the index of an accented letter below it and the words of a brace beside it: swap the two."""
    root = ElementTree.fromstring(mathml.replace("&ApplyFunction;", "\u2061").replace(f' xmlns="{MATHML}"', ""))
    for node in root.iter("munderover"):
        letter, index, accent = list(node)
        if accent.tag == "mo" and (accent.text or "") in "^ˆ~ˉ¯_→˙¨":
            node.tag = "msub"
            over = ElementTree.Element("mover", accent="true")
            over.extend([letter, accent])
            node[:] = [over, index]
    for node in root.iter():
        if node.tag in ("msub", "msup") and any(mark.text in ("⏟", "⏞") for mark in node[0].iter("mo")):
            node.tag = {"msub": "munder", "msup": "mover"}[node.tag]  # words under a brace, not behind it
        node.text, node.tail = (node.text or "").strip() if len(node) else node.text, None
    root.set("xmlns", MATHML)
    return ElementTree.tostring(root, encoding="unicode")


def to_mathml(tex, block=False):
    """TeX as MathML, which browsers draw without any script; the TeX itself where that fails.

    >>> to_mathml("q")
    '<math xmlns="http://www.w3.org/1998/Math/MathML"><mi>q</mi></math>'
    """
    tags = re.findall(r"\\tag\{(.*?)\}", tex)
    plain = re.sub(r"\\(tag|label)\{.*?\}|\\(nonumber|notag)\b|\\(begin|end)\{equation\*?\}", "", tex).strip()
    plain = re.sub(r"\\(begin|end)\{(align|gather)\*?\}", r"\\\1{aligned}", plain)
    plain = re.sub(r"\\dots\b", r"\\ldots", plain) + "".join(rf" \qquad \text{{({tag})}}" for tag in tags)
    try:
        from docutils.utils.math.latex2mathml import tex2mathml

        return _mend(tex2mathml(plain, as_block=block))
    except Exception:  # a formula that cannot be translated is shown as it was written
        return f"<code>{html.escape(tex)}</code>"


def _exporter():
    """An nbconvert exporter of the cells alone, with mathematics as MathML."""
    from jinja2 import pass_context
    from nbconvert import HTMLExporter
    from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

    class Renderer(IPythonRenderer):
        def block_math(self, body):
            return to_mathml(body, block=True)

        def inline_math(self, body):
            return to_mathml(body)

        def latex_environment(self, name, body):
            return to_mathml(rf"\begin{{{name}}}{body}\end{{{name}}}", block=True)

    class Exporter(HTMLExporter):
        @pass_context
        def markdown2html(self, context, source):
            files = context.get("cell", {}).get("attachments", {})
            path = context.get("resources", {}).get("metadata", {}).get("path", "")
            renderer = Renderer(
                escape=False, attachments=files, embed_images=True, path=path, exclude_anchor_links=True
            )
            return MarkdownWithMath(renderer=renderer).render(source)

    options = {"exclude_input": True, "exclude_input_prompt": True, "exclude_output_prompt": True}
    return Exporter(template_name="basic", **options)


def _for_readers(nb):
    """A copy without exercises, their solutions and hidden cells, whose images carry their alternative texts."""
    from copy import deepcopy

    cells, skipping = [], 0
    for cell in deepcopy(nb.cells):
        head = re.match(r"(#+)\s*(.*)", cell.source) if cell.cell_type == "markdown" else None
        if head and len(head[1]) <= (skipping or 9):
            skipping = len(head[1]) if head[2].lower().startswith("exercise") else 0
        if not cells:
            cell.source = re.sub(r"^\|.*\n?", "", cell.source, flags=re.MULTILINE)  # goals and needs are for the course
        if skipping or {"exercise", "solution", "remove-cell"} & set(cell.metadata.get("tags", [])):
            continue
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "image/png" in data:
                alt = html.escape(output.metadata.get(KEY, {}).get("alt", data.get("text/plain", "figure")))
                picture = data["image/png"].replace("\n", "")
                data["text/html"] = f'<figure><img alt="{alt}" src="data:image/png;base64,{picture}"/></figure>'
        cells.append(cell)
    copy = deepcopy(nb)
    copy.cells = cells
    return copy


def title_of(nb):
    """The first heading of a notebook, without markup."""
    heads = [re.search(r"^#\s+(.+)$", cell.source, re.MULTILINE) for cell in nb.cells if cell.cell_type == "markdown"]
    head = next((head[1] for head in heads if head), "Report")
    return re.sub(r"[`*$]|<[^>]+>|\[([^]]*)\]\([^)]*\)", r"\1", head).strip()


def to_html(nb, folder=".", note=""):
    """The page as text; `folder` is where pictures named in markdown cells lie, `note` goes below."""
    body, _ = _exporter().from_notebook_node(_for_readers(nb), {"metadata": {"path": str(Path(folder))}})
    body = re.sub(r'<a [^>]*?href="(?!https?:|#|mailto:)[^"]*"[^>]*>(.*?)</a>', r"\1", body, flags=re.DOTALL)
    body = re.sub(r"(<table.*?</table>)", r'<div class="wide">\1</div>', body, flags=re.DOTALL)
    body = re.sub(r' tabindex="0"', "", body)
    title = html.escape(title_of(nb))
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n<title>{title}</title>\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"/>\n<style>{STYLE}</style>\n</head>\n'
        f"<body>\n<main>\n{body}\n<footer>{html.escape(note)}</footer>\n</main>\n</body>\n</html>\n"
    )
