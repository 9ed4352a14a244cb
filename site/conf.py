"""Sphinx configuration: renders the executed copies that tools/build_site.py lays beside this file."""

from importlib.util import find_spec
from pathlib import Path

project = "Honest Confidence"
author = "Honest Confidence contributors"
copyright = "2026, Honest Confidence contributors. Text CC BY 4.0, code BSD-3-Clause"
extensions = ["myst_nb", "sphinx.ext.mathjax"]
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


def setup(app):
    """Load MathJax on the ledger too, whose formulas Sphinx does not see."""
    app.set_html_assets_policy("always")
