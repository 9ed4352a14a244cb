"""Outputs of a notebook that come out the same on every machine: text, code, tables, figures, records in metadata."""

import ast
import base64
import html
import inspect
import io
import numbers
import os
import re
import sys
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import pairwise

import pandas as pd
from matplotlib.text import Text

KEY = "honest"  # our entry in the metadata of an output

DPI = 110
MARGIN = 0.1  # inches around a figure

CUTS = "Panels"  # text in a PNG file: inches from the left where the site may cut it

SCALE = "HONEST_FIGURE_SCALE"  # `make run` sets it to 2: twice as many pixels at the same size on the page


def shell():
    """The running IPython shell, or None outside of one; never imports IPython."""
    module = sys.modules.get("IPython")
    return module.get_ipython() if module else None


_collected = ContextVar("collected", default=None)  # outputs that are wanted as values


@contextmanager
def collected():
    """Context in which outputs are not shown but put into a list of (bundle, metadata)."""
    token = _collected.set([])
    try:
        yield _collected.get()
    finally:
        _collected.reset(token)


def emit(bundle, metadata=None):
    """Show a bundle {mime type: content} as one output; outside of IPython write its plain text, if it has any."""
    if _collected.get() is not None:
        _collected.get().append((bundle, metadata or {}))
    elif shell() is not None:
        from IPython.display import display

        display(bundle, metadata=metadata or {}, raw=True)
    elif "text/plain" in bundle:
        sys.stdout.write(bundle["text/plain"] + "\n")


def escape(text):
    """Text for HTML; dollar signs are set apart so that a page with mathematics leaves them alone."""
    return html.escape(str(text)).replace("$", "<span>$</span>")


def per_cent(text):
    """Text with its per cent signs apart from their numbers: format writes 40%, prose 40 %."""
    return re.sub(r"(?<=\d)%", " %", str(text))


def show(text):
    """One line of text output; 40% is written 40 %, as in prose, here and in tables and the words of figures.

    Parameters
    ----------
    text : str
        The line, with its numbers already rounded.

    Examples
    --------
    >>> show(f"grouping loss {0.01274:.3f}")
    grouping loss 0.013
    """
    sys.stdout.write(f"{per_cent(text)}\n")


def source_of(function):
    """The code of a function without its docstring."""
    lines = inspect.getsource(function).splitlines()
    first, *_ = ast.parse("\n".join(lines)).body[0].body
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        del lines[first.lineno - 1 : first.end_lineno]
    return "\n".join(lines)


def show_source(function):
    """Show the code of a function without its docstring, for formulas that a lesson has just written down.

    Parameters
    ----------
    function : callable
        Written in a file, such as those of `helpers.papers`.

    Examples
    --------
    >>> from helpers.scoring import top_label
    >>> show_source(top_label)  # doctest: +ELLIPSIS
    def top_label(y, proba):
        proba = check_simplex(proba)
    ...
    """
    code = source_of(function)
    emit({"text/plain": code, "text/markdown": f"```python\n{code}\n```"})


def _entry(value, spec):
    """One cell of a table as a fixed string."""
    if spec is not None and not pd.api.types.is_scalar(value):
        return spec(value) if callable(spec) else str(value)
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return "–"
    if callable(spec):
        return str(spec(value))
    if spec is not None and not isinstance(value, str):
        return spec.format(value) if "{" in spec else format(value, spec)
    if isinstance(value, bool) or type(value).__name__ == "bool":
        return "yes" if value else "no"
    if isinstance(value, numbers.Integral):
        return f"{value:,}"
    return f"{value:,.3f}" if isinstance(value, numbers.Real) else str(value)


def table(df, caption=None, formats=None):
    """Show a pandas table with every number as a fixed string.

    Parameters
    ----------
    df : DataFrame or Series
        The table; its index is shown only if it has a name.
    caption : str, optional
        One line above the table.
    formats : dict, optional
        For each column ".3f", "{:.1%}" or a function; without one, whole numbers get separated thousands and others
        three decimals.

    Raises
    ------
    ValueError
        If `formats` names a column that `df` does not have, or a column name occurs twice.

    Examples
    --------
    >>> table(pd.DataFrame({"group": ["old"], "gap": [0.12345]}), "Gaps", {"gap": ".2f"})
    Gaps
    group   gap
    old    0.12
    """
    if isinstance(df, pd.Series):
        df = df.to_frame()
    named = [name for name in df.index.names if name is not None]
    n_index = len(df.index.names) if named else 0
    df = df.reset_index() if named else df.reset_index(drop=True)
    if df.columns.has_duplicates:
        twice = df.columns[df.columns.duplicated()][0]
        raise ValueError(f"df must have distinct column names, but {twice!r} occurs twice.")
    formats = dict(formats or {})
    for name in formats:
        if name not in df.columns:
            raise ValueError(f"formats must name columns of df, but {name!r} is none of {list(df.columns)}.")
    right = [
        pd.api.types.is_numeric_dtype(df[name]) and not pd.api.types.is_bool_dtype(df[name]) for name in df.columns
    ]
    columns = [[per_cent(_entry(value, formats.get(name))) for value in df[name].astype(object)] for name in df.columns]
    caption = per_cent(caption) if caption else None
    header = [str(name) for name in df.columns]
    page = _html(header, columns, right, caption, n_index)
    emit({"text/plain": _plain(header, columns, right, caption), "text/html": page})


def _plain(header, columns, right, caption):
    """The table as plain text."""
    padded = []
    for name, column, is_right in zip(header, columns, right, strict=True):
        width = max(map(len, [name, *column]))
        padded.append([entry.rjust(width) if is_right else entry.ljust(width) for entry in [name, *column]])
    rows = ["  ".join(line).rstrip() for line in zip(*padded, strict=True)]
    return "\n".join([caption, *rows] if caption else rows)


def _html(header, columns, right, caption, n_index):
    """The table as HTML, its first `n_index` columns as headings of the rows."""
    style = [f' style="text-align: {"right" if is_right else "left"}"' for is_right in right]
    head = "".join(f'<th scope="col"{s}>{escape(name)}</th>' for name, s in zip(header, style, strict=True))
    rows = []
    for row in zip(*columns, strict=True):
        cells = []
        for number, (entry, s) in enumerate(zip(row, style, strict=True)):
            opening, closing = ('<th scope="row"', "</th>") if number < n_index else ("<td", "</td>")
            words = ' class="words"' if len(entry) > 30 else ""
            cells.append(f"{opening}{words}{s}>{escape(entry)}{closing}")
        rows.append(f"<tr>{''.join(cells)}</tr>")
    top = f'<caption style="caption-side: top; text-align: left">{escape(caption)}</caption>\n' if caption else ""
    body = "\n".join(rows)
    return f'<table class="honest-table">\n{top}<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>'


def check_alt(alt, caption=None):
    """An alternative text on one line; ValueError if it says too little or only what the caption says."""
    alt = " ".join(str(alt or "").split())
    if len(alt) < 20:
        raise ValueError(f"alt must describe the figure in at least 20 characters, but it is {alt!r}.")
    if caption and alt == " ".join(caption.split()):
        raise ValueError("alt must say what the figure shows, not repeat the caption.")
    return alt


def _cuts(fig):
    """Inches at which a figure's picture may be cut into panels; none, if they share numbers, a legend or a title."""
    panels = [ax for ax in fig.axes if ax.get_visible()]
    if len(panels) < 2 or fig.legends or fig.texts:
        return []
    fig.draw_without_rendering()  # which sets out the panels
    columns = []  # left and right ends of panels that stand above each other
    for ax in sorted(panels, key=lambda ax: ax.get_tightbbox().x0):
        if ax.axison and not any(tick.label1.get_visible() for tick in ax.yaxis.get_major_ticks()):
            return []
        box = ax.get_tightbbox()
        if columns and box.x0 < columns[-1][1]:
            columns[-1][1] = max(columns[-1][1], box.x1)
        else:
            columns.append([box.x0, box.x1])
    start = fig.get_tightbbox().x0 - MARGIN
    return [(left[1] + right[0]) / 2 / fig.dpi - start for left, right in pairwise(columns)]


def figure(fig, alt, caption=None, title=None, *, redraws=()):
    """Show a matplotlib figure as a PNG of fixed resolution and close it.

    The title is what the figure finds, one sentence; it stands above the picture as text, so that it keeps its size.

    The environment variable ``HONEST_FIGURE_SCALE``, a whole number, multiplies the pixels and not the size.
    The alternative text goes to the output's metadata (``{"image/png": {"alt": ...}}``, which our pages use), to its
    plain-text version, and, since JupyterLab gives images no alternative text, into a fold "In words" below the figure.
    The PNG itself says where it may be cut into panels, which the site puts under each other on a telephone.

    Parameters
    ----------
    fig : Figure or Axes
        The figure, which is closed.
    alt : str
        What a reader who cannot see the figure must know; at least 20 characters.
    caption : str, optional
        One or two sentences shown below it, plain text.
    title : str, optional
        The finding, one sentence, which a claim or a printed number bears out.
    redraws : str or sequence of str, optional
        Rows of the ledger, such as "melo2026.figure3": the figures of the papers that this one draws again. The site
        shows it beside them.

    Raises
    ------
    ValueError
        If `alt` is too short to say anything, or merely repeats the caption.
    """
    alt = per_cent(check_alt(alt, caption))
    caption, title = (per_cent(words) if words else None for words in (caption, title))
    fig = fig.figure
    for text in fig.findobj(Text):
        text.set_text(per_cent(text.get_text()))
    buffer = io.BytesIO()
    scale = int(os.environ.get(SCALE) or 1)
    words = {"Software": None, CUTS: " ".join(f"{cut:.2f}" for cut in _cuts(fig)) or None}
    fig.savefig(buffer, format="png", dpi=scale * DPI, bbox_inches="tight", pad_inches=MARGIN, metadata=words)
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close(fig)
    picture = base64.b64encode(buffer.getvalue()).decode()
    pixels = int.from_bytes(buffer.getvalue()[16:20], "big")  # the width stands there in every PNG file
    size = {"width": pixels // scale} if scale > 1 else {}
    rows = [redraws] if isinstance(redraws, str) else list(redraws)
    entry = {"alt": alt} | ({"redraws": rows, "title": title} if rows else {})
    metadata = {"image/png": {"alt": alt} | size, KEY: entry}
    if title:
        emit({"text/html": f'<p class="honest-finding">{escape(title)}</p>', "text/plain": title})
    emit({"image/png": picture, "text/plain": f"Figure: {alt}"}, metadata)
    if shell() is not None or _collected.get() is not None:
        below = f'<p class="honest-caption">{escape(caption)}</p>\n' if caption else ""
        emit({"text/html": f'{below}<details class="honest-words"><summary>In words</summary>{escape(alt)}</details>'})
