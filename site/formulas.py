"""Formulas drawn while the pages are made: MathJax does once, in V8, what it would do in the browser of each reader.

A page with formulas then loads a style sheet and the fonts of its letters instead of 760 KB of scripts, and shows its
formulas at once, without scripts too. Beside each drawing stands the same formula as MathML, for screen readers.
Without mini-racer, which brings V8, the pages load MathJax as before.
"""

import html
import json
import re
from concurrent.futures import ThreadPoolExecutor

from pages import FORMULA, MATHJAX

DELIMITED = re.compile(r"\s*\\([\[(])(.*)\\[\])]\s*", re.DOTALL)
FAULT = re.compile(r'data-mjx-error="([^"]*)"')
PARTS = ("core", "adaptors/liteDOM", "input/tex", "output/chtml", "output/chtml/fonts/tex", "a11y/assistive-mml")
HEIGHT = 0.43  # of the letter x in MathJax's fonts, in em; formulas shall be as high as the words around them
DRAW = """async (formulas) => {
    const drawn = [];
    for (const [tex, display] of formulas) {
        MathJax.texReset();
        const node = await MathJax.tex2chtmlPromise(tex, {display, em: 16, ex: 16 * HEIGHT, containerWidth: 16 * 50});
        drawn.push(MathJax.startup.adaptor.outerHTML(node));
    }
    return JSON.stringify(drawn);
}""".replace("HEIGHT", str(HEIGHT))
STYLE = "MathJax.startup.adaptor.textContent(MathJax.chtmlStylesheet())"
OF_THE_PAGE = f"""
mjx-container.MathJax {{ font-size: {1 / HEIGHT:.3f}ex; }}
mjx-assistive-mml {{ position: absolute !important; top: 0; left: 0; clip: rect(1px, 1px, 1px, 1px);
  padding: 1px 0 0 !important; border: 0 !important; display: block !important; width: auto !important;
  overflow: hidden !important; user-select: none; }}
mjx-assistive-mml[display="block"] {{ width: 100% !important; }}
"""


def can_draw():
    """Whether V8 is installed."""
    try:
        import py_mini_racer  # noqa: F401
    except ImportError:
        return False
    return True


def formula_of(words):
    """The TeX inside an element of the pages, and whether it stands in a line of its own.

    >>> formula_of(r"\\(a &lt; b\\)")
    ('a < b', False)
    """
    delimiter, tex = DELIMITED.fullmatch(words).groups()
    return html.unescape(tex).strip(), delimiter == "["


def draw(formulas, mathjax):
    """HTML of each (TeX, in a line of its own?), and the style sheet that all of them need.

    Parameters
    ----------
    formulas : list of (str, bool)
    mathjax : Path, folder of MathJax's scripts

    Returns
    -------
    list of str, str
    """
    from py_mini_racer import MiniRacer

    extensions = (mathjax / "input" / "tex" / "extensions").glob("*.js")
    files = [*(mathjax / f"{part}.js" for part in PARTS), *extensions]
    sources = {f"/{file.relative_to(mathjax).as_posix()}": file.read_text(encoding="utf-8") for file in files}
    loader = {"paths": {"mathjax": ""}, "load": PARTS}
    fonts = "mathjax/output/chtml/fonts/woff-v2"
    tex = {"packages": {"[-]": ["noundefined"]}}  # a word that MathJax does not know is a fault, not red letters
    config = {"loader": loader, "tex": tex, "chtml": {"fontURL": fonts}, "startup": {"typeset": False}}
    with MiniRacer() as v8:
        v8.eval(f"var SOURCES = {json.dumps(sources)}; globalThis.MathJax = {json.dumps(config)};")
        v8.eval("var global = globalThis; MathJax.loader.require = (name) => (0, eval)(SOURCES[name]);")
        v8.eval((mathjax / "startup.js").read_text(encoding="utf-8"))
        drawn = json.loads(v8.eval(f"({DRAW})({json.dumps(formulas)})").get())
        return drawn, v8.eval(STYLE) + OF_THE_PAGE


def draw_formulas(folder, mathjax):
    """Put drawings into the pages of a folder in place of their TeX; returns the faults, 'file: what: formula' lines.

    `mathjax` is the folder of its scripts, which the pages no longer load.
    """
    pages = {path: path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.html"))}
    places = {path: [formula_of(match[3]) for match in FORMULA.finditer(page)] for path, page in pages.items()}
    formulas = sorted({formula for found in places.values() for formula in found})
    with ThreadPoolExecutor(1) as elsewhere:  # V8 refuses to wait where an event loop runs, as beside a browser's
        drawn, style = elsewhere.submit(draw, formulas, mathjax).result()
    drawings = dict(zip(formulas, drawn, strict=True))
    faults = []
    for path, found in places.items():
        name = path.relative_to(folder).as_posix()
        up = "../" * name.count("/")
        for formula in found:
            if "</" in formula[0]:  # MathJax in a browser leaves such a formula as it is
                faults.append(f"{name}: a link inside a formula: {' '.join(formula[0].split())}")
            if fault := FAULT.search(drawings[formula]):
                faults.append(f"{name}: {html.unescape(fault[1])}: {' '.join(formula[0].split())}")
        if found:
            page = FORMULA.sub(lambda match: match[1] + drawings[formula_of(match[3])] + match[4], pages[path])
            page = MATHJAX.sub("", page)
            sheet = f'<link rel="stylesheet" type="text/css" href="{up}_static/formulas.css" />'
            path.write_text(page.replace("</head>", f"{sheet}\n  </head>", 1), encoding="utf-8")
    (folder / "_static" / "formulas.css").write_text(style, encoding="utf-8")
    return faults
