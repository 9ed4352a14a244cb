"""Sphinx configuration: renders the executed copies and the pages that build.py lays beside this file."""

import re
from importlib.util import find_spec
from pathlib import Path

project = "Honest Confidence"
author = "Honest Confidence contributors"
copyright = "2026, Honest Confidence contributors. Text CC BY 4.0, code BSD-3-Clause"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.mathjax", "sphinx.ext.napoleon"]
html_theme = "sphinx_book_theme"
html_title = project
html_static_path = ["_static", str(Path(find_spec("sphinx-mathjax-offline").origin).parent / "static")]
html_css_files = ["house.css"]
html_show_sourcelink = False
html_theme_options = {
    "use_download_button": True,
    "use_fullscreen_button": False,
    "show_toc_level": 2,
    "home_page_in_toc": True,
    "show_prev_next": True,
}
exclude_patterns = ["map.md"]

# Formulas are drawn as SVG by a copy of MathJax inside the site: no network, no font files.
mathjax_path = "mathjax/tex-svg.js"

nb_execution_mode = "off"
nb_execution_raise_on_error = True
nb_merge_streams = True
nb_ipywidgets_js = {}
myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
myst_dmath_double_inline = True

# The package, from its docstrings.
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
# scikit-learn adds set_fit_request and others to every estimator.
routed = "fit predict predict_proba apply score transform inverse_transform".split()
autodoc_default_options = {"exclude-members": ", ".join(f"set_{name}_request" for name in routed)}
autosummary_generate = False
napoleon_google_docstring = False
napoleon_use_param = False  # the types are words, such as "(n,) float array", and no names to link to
napoleon_use_rtype = False
napoleon_custom_sections = [("Attributes", "params_style")]  # "low, high : float" stays one line
suppress_warnings = ["ref.python"]
default_role = "literal"


def plain_marks(app, what, name, thing, options, lines):
    """Docstrings are read in editors: their |x|, c* and n_ mean what stands there, and are no markup."""
    in_example = False
    for number, line in enumerate(lines):
        in_example = line.lstrip().startswith(">>>") or (in_example and bool(line.strip()))
        if not in_example:
            pieces = re.split(r"(`+[^`]*`+)", line)  # every second piece stands in backticks
            pieces[::2] = [re.sub(r"([|*]|(?<=\w)_(?!\w))", r"\\\1", piece) for piece in pieces[::2]]
            lines[number] = "".join(pieces)


def setup(app):
    """Load MathJax on the ledger too, whose formulas Sphinx does not see."""
    app.set_html_assets_policy("always")
    app.connect("autodoc-process-docstring", plain_marks, priority=400)  # before napoleon
