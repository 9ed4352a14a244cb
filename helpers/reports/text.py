"""The words of both reports: templates beside the numbers, filled section by section.

`scores.md.j2` and `answers.md.j2` hold a macro a section. A blank line separates paragraphs, a line that begins with
`##` opens an entry of a table, and every other white space of a template counts as one space. Texts of a user's table
come through letter by letter.
"""

import re

import numpy as np
import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from jinja2.ext import Extension
from jinja2.lexer import Token
from jinja2.runtime import Macro

from helpers.checks import check_one_of
from helpers.notebook import folds
from helpers.notebook.display import collected, emit, escape
from helpers.reports.phrases import NAMES, PHRASES, numbered
from helpers.reports.scores import ScoreReport
from helpers.reports.single_cases import STACK_ROWS
from helpers.tables import ScoreTable

TEMPLATES = {
    ScoreTable: "scores.md.j2",
    ScoreReport: "scores.md.j2",
}

# White space of a template, told from that of a user's texts by two code points that no text may hold.
SPACE = "\ufdd0"
LINE_END = "\ufdd1"

WHITE = f"[{SPACE}{LINE_END}]"


class _MarkedWhiteSpace(Extension):
    """Marks the white space of a template before values come in."""

    def filter_stream(self, stream):
        for token in stream:
            if token.type == "data":
                marked = token.value.replace(" ", SPACE).replace("\n", LINE_END)
                token = Token(token.lineno, token.type, marked)
            yield token


def _flow(text):
    """A paragraph with the line ends of its template as spaces."""
    return re.sub(f"{WHITE}+", " ", text.strip(SPACE + LINE_END))


def _environment():
    # Plain text comes out: whoever shows it in HTML escapes it there, as `say` does.
    environment = Environment(
        loader=PackageLoader("helpers.reports", ""),
        extensions=[_MarkedWhiteSpace],
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    phrases = {function.__name__: function for function in PHRASES} | {"quoted": repr, "flow": _flow}
    environment.filters |= phrases
    constants = {"NAMES": NAMES, "INFINITE": np.inf, "STACK_ROWS": STACK_ROWS}
    environment.globals |= phrases | constants | {"average": np.average}
    return environment


ENVIRONMENT = _environment()


def _fill(subject, section, values):
    """The text of a section, with its white space still marked."""
    module = ENVIRONMENT.get_template(TEMPLATES[type(subject)]).module
    sections = [name for name, part in vars(module).items() if isinstance(part, Macro)]
    check_one_of(section, "section", sections)
    return getattr(module, section)(subject, **values)


def _entries(subject, section):
    """The entries of a section as pairs (heading, text)."""
    parts = re.split(f"(?:^|{LINE_END}){SPACE}*##{SPACE}", _fill(subject, section, {}))
    pairs = [part.partition(LINE_END) for part in parts[1:]]
    return [(_flow(heading), _flow(text)) for heading, _, text in pairs]


def write(subject, section, **values):
    """Write a section of a report.

    Parameters
    ----------
    subject : ScoreReport, AnswerReport, ScoreTable or AnswerTable
        What the section is about; section "read" takes a table, all others take a report.
    section : str
        Name of a macro in the template of the report.
    **values
        Further arguments of the macro, such as `control`.

    Returns
    -------
    list of str
        Paragraphs of plain text.

    Raises
    ------
    ValueError
        If there is no such section.
    """
    paragraphs = re.split(f"{LINE_END}{SPACE}*{LINE_END}{WHITE}*", _fill(subject, section, values))
    return [_flow(text) for text in paragraphs if _flow(text)]


def say(*paragraphs):
    """Show sentences as running text.

    Parameters
    ----------
    *paragraphs : str
        Plain texts; what looks like markup in them is shown as it is written.

    Examples
    --------
    >>> say("The scores are fine.")
    The scores are fine.
    """
    body = "\n".join(f"<p>{escape(text)}</p>" for text in paragraphs)
    emit({"text/plain": "\n\n".join(paragraphs), "text/html": f'<div class="honest-say">\n{body}\n</div>'})


def tell(subject, section, **values):
    """Show a section of a report as running text.

    Parameters
    ----------
    subject : ScoreReport, AnswerReport, ScoreTable or AnswerTable
        As in `write`.
    section : str
        As in `write`.
    **values
        As in `write`.

    Examples
    --------
    >>> from helpers.reports import read_table
    >>> tell(read_table("data/rand_scores.csv.gz", features=["chronic"]), "read")
    rand_scores.csv.gz: 10,025 cases of 1,214 people or places. ...
    """
    say(*write(subject, section, **values))


def fold(title, *shows):
    """Show what only some readers want behind one click.

    Parameters
    ----------
    title : str
        The line that is always seen.
    *shows : function
        Called without arguments; each shows text or a table.

    Examples
    --------
    >>> fold("For experts", lambda: say("AURC is 0.2."))
    For experts
    <BLANKLINE>
    AURC is 0.2.
    """
    with collected() as outputs:
        for show in shows:
            show()
    plain = "\n\n".join([title, *(bundle["text/plain"] for bundle, _ in outputs)])
    body = "\n".join(bundle["text/html"] for bundle, _ in outputs)
    emit({"text/plain": plain, "text/html": folds.fold("more", title, body)})


def describe_figure(report, figure):
    """Describe a figure of a report for those who cannot see it.

    Parameters
    ----------
    report : ScoreReport or AnswerReport
        The report.
    figure : str
        For scores "curve", "bins", "features", "groups" or "money"; for answers "reliability", "kept" or "samples".

    Returns
    -------
    str
        One paragraph of plain text.
    """
    return write(report, f"{figure}_figure")[0]


def next_steps(report):
    """List what to do after an audit, in order.

    Parameters
    ----------
    report : ScoreReport or AnswerReport
        The report.

    Returns
    -------
    DataFrame
        A row a step: `What` to do, as the index, and `How`.
    """
    return pd.DataFrame(_entries(report, "steps"), columns=["What", "How"]).set_index("What")


def summary(report):
    """Answer the questions of a decision maker first, before any evidence.

    Parameters
    ----------
    report : ScoreReport or AnswerReport
        The report.

    Returns
    -------
    DataFrame
        A row a question, which is the index, with its `Answer`; the last row holds the next steps.
    """
    entries = _entries(report, "summary")
    entries.append(("What should be done next?", numbered(next_steps(report).index.tolist())))
    return pd.DataFrame(entries, columns=["Question", "Answer"]).set_index("Question")
