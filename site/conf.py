"""Sphinx configuration: renders the executed copies and the pages that build.py lays beside this file."""

import dataclasses
import os
import re
from pathlib import Path

project = "Honest Confidence"
author = "Honest Confidence contributors"
copyright = "2026, Honest Confidence contributors. Text CC BY 4.0, code BSD-3-Clause"
extensions = [
    "myst_nb",
    "sphinx_copybutton",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
    "sphinx-mathjax-offline",  # a copy of MathJax inside the site
]
html_theme = "sphinx_book_theme"
html_title = project
html_static_path = ["_static"]
templates_path = ["_templates"]
html_css_files = ["house.css"]
html_js_files = [("house.js", {"defer": "defer"})]
html_show_sourcelink = False
copybutton_selector = ".cell_input div.highlight pre, div.highlight-bash pre, div.highlight-bibtex pre"  # no outputs
html_search_scorer = str(Path(__file__).with_name("search_scores.js"))
html_favicon = "_static/favicon.svg"
html_context = {"default_mode": "auto"}
html_theme_options = {
    "use_download_button": True,
    "use_fullscreen_button": False,
    "show_toc_level": 2,
    "home_page_in_toc": True,
    "show_prev_next": True,
}
if repository := os.environ.get("HONEST_REPOSITORY"):  # set by build.py, from course.yml
    html_theme_options |= {
        "repository_url": repository,
        "repository_branch": "main",
        "path_to_docs": "",
        "use_repository_button": True,
        "use_issues_button": True,
        "launch_buttons": {"binderhub_url": "https://mybinder.org", "colab_url": "https://colab.research.google.com"},
    }

mathjax3_config = {
    "tex": {"packages": {"[-]": ["noundefined"]}},  # an unknown word is an error, not red letters
    "chtml": {
        "matchFontHeight": False,
        "scale": 1.1,
        "mtextInheritFont": True,
    },  # as high as the text
    "options": {"enableMenu": False},  # which would make each formula a stop of the Tab key
}

nb_execution_mode = "off"
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
autodoc_default_options = {"exclude-members": ", ".join(f"set_{name}_request" for name in routed), "no-value": True}
autosummary_generate = False
toc_object_entries_show_parents = "hide"
napoleon_google_docstring = False
napoleon_use_param = False  # the types are words, such as "(n,) float array", and no names to link to
napoleon_use_rtype = False
napoleon_custom_sections = [("Attributes", "params_style")]  # "low, high : float" stays one line
suppress_warnings = ["ref.python"]
default_role = "literal"


def plain_marks(app, what, name, thing, options, lines):
    """Docstrings are read in editors: their |x|, c* and n_ mean what stands there, and are no markup."""
    if isinstance(thing, dict):  # a registry, whose docstring is that of dict
        lines[:] = [f"By name: {', '.join(f'`{key}`' for key in thing)}.", ""]
    in_example = in_formula = False
    for number, line in enumerate(lines):
        in_example = line.lstrip().startswith(">>>") or (in_example and bool(line.strip()))
        in_formula = line.startswith(".. math::") or (in_formula and line[:1] in ("", " "))
        if not in_example and not in_formula:
            pieces = re.split(r"(`+[^`]*`+)", line)  # every second piece stands in backticks
            pieces[::2] = [re.sub(r"([|*]|(?<=\w)_(?!\w))", r"\\\1", piece) for piece in pieces[::2]]
            lines[number] = "".join(pieces)


def short_signature(app, what, name, thing, options, signature, returned):
    """A result, which nobody makes by hand, without the arguments of its dataclass."""
    is_result = isinstance(thing, type) and dataclasses.is_dataclass(thing) and not hasattr(thing, "fit")
    return ("", None) if is_result else None


def arrows(app, name, template, context, doctree):
    """Lessons lead on by their numbers, the last to the map; checks back to their lesson and to the next checks."""
    pages = sorted(app.env.found_docs)
    lessons = [page for page in pages if re.match(r"notebooks/\d", page)]
    checks = [page for page in pages if page.startswith("notebooks/checks/")]
    ways = {}
    if name in checks:
        ways["prev"] = name.replace("checks/", "")
        ways["next"] = "".join(checks[checks.index(name) + 1 :][:1])
    elif name in lessons:
        place = lessons.index(name)
        ways["prev"] = lessons[place - 1] if place else "index"
        ways["next"] = "".join(lessons[place + 1 :][:1]) or "map"
    for way, page in ways.items():
        if page in pages:
            link = app.builder.get_relative_uri(name, page)
            context[way] = {"link": link, "title": app.builder.render_partial(app.env.titles[page])["title"]}
        else:
            context[way] = None


def setup(app):
    """Let arrows lead where a reader goes, and docstrings be read as they are meant."""
    app.connect("html-page-context", arrows)
    app.connect("autodoc-process-docstring", plain_marks, priority=400)  # before napoleon
    app.connect("autodoc-process-signature", short_signature)
