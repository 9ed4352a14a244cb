"""The report on scores as one page, written from Python: the sections of notebook 13 without a kernel."""

from datetime import date

import helpers
from helpers.checks import check_one_of
from helpers.notebook import figure, table
from helpers.notebook.display import collected
from helpers.notebook.page import to_html
from helpers.plotting.style import own_style
from helpers.reports.text import describe_figure, next_steps, summary, tell

TITLE = """# Can these scores be believed?

An audit of one table of scores: each row is a case, with the probability that a model stated and with what happened.
First the answer, then the evidence, then what to do. Differences of probabilities are in **points**: from 60 % to 63 %
is 3 points."""

GENERAL = """In general:

- **Not as a certificate.** Nothing found means nothing found with these features and this many cases.
- **Not beyond these cases.** Another hospital, another year, another way of choosing cases can give other answers.
- **Not as an explanation.** The groups say where scores are off, not why.
- **Not on the cases that trained the model.** Scores look better there than they are.
- **Not group by group for single people.** A group's rate is still an average, over everybody in the group."""


CAPTIONS = {
    "curve": "Observed rate against stated probability, with a band for the whole curve. Its steps are the method's.",
    "bins": "The same in bins. Grey: where a calibrated model would be.",
    "groups": "Gap that recalibration leaves in each group, cases in brackets; first the group with most cases times "
    "gap. Blue: too low, orange: too high, open: within chance.",
    "features": "Stated, recalibrated and observed rates along each feature.",
    "money": "What deciding by the score saves beside always saying no, at your threshold and at others.",
}

PARTS = {  # what a section shows, in order: "text:", a section of the template; "table:", of the report; "figure:"
    "answer": ("table:summary",),
    "pair": ("text:pair", "table:pair_table", "text:gains", "table:gain_table"),
    "average": (
        "figure:curve",
        "text:calibration",
        "table:test_table",
        "table:line_table",
        "table:reliability_table",
        "figure:bins",
    ),
    "loss": ("text:loss", "table:loss_table", "text:read_loss"),
    "parts": ("text:parts", "table:parts_table"),
    "groups": ("text:groups", "figure:groups", "table:group_table", "text:read_groups", "text:unseen"),
    "features": ("figure:features", "text:read_features"),
    "checked": ("text:checked", "table:checked_table"),
    "decisions": ("text:decisions", "text:costs", "table:count_table", "table:cost_table"),
    "looks": ("text:looks", "table:look_table"),
    "curve": ("figure:money", "text:read_curve"),
    "steps": ("table:steps",),
    "warnings": ("text:warnings",),
    "parameters": ("table:parameter_table",),
}

WRITTEN = {"summary": summary, "steps": next_steps}  # tables of sentences

NEEDS = {  # texts that speak of something that a report may not have
    "gains": "pair", "read_loss": "loss", "read_groups": "audit", "unseen": "audit", "read_features": "audit",
    "costs": "money", "looks": "money", "read_curve": "money", "checked": "checked", "pair": "pair",
}  # fmt: skip


def show_part(report, part, *, bins=False):
    """Show a part of a report on scores: its sentences, tables and figures, as far as there are any.

    Parameters
    ----------
    report : ScoreReport
        The report.
    part : str
        "answer", "pair", "average", "loss", "parts", "groups", "features", "checked", "decisions", "looks", "curve",
        "steps", "warnings" or "parameters".
    bins : bool, default False
        Whether "average" also shows a reliability diagram with bins.

    Raises
    ------
    ValueError
        If there is no such part.

    Examples
    --------
    >>> from helpers.reports import audit_scores, read_table
    >>> table = read_table("data/rand_scores.csv.gz", features=["chronic"]).checked().take(range(600))
    >>> show_part(audit_scores(table, rng=0), "decisions")
    Not judged: the parameter cost is not given.
    """
    check_one_of(part, "part", list(PARTS))
    for item in PARTS[part]:
        kind, _, name = item.partition(":")
        if kind == "text":
            if getattr(report, NEEDS.get(name, "table")) is not None:
                tell(report, name)
        elif kind == "figure":
            if name in report.figure_names and (bins or name != "bins"):
                figure(report.draw(name), describe_figure(report, name), CAPTIONS[name])
        else:
            frame = WRITTEN[name](report) if name in WRITTEN else getattr(report, name)
            if frame is not None:
                table(frame)


class Sections:
    """A page that grows section by section, as a notebook that was never run."""

    def __init__(self, title):
        self.parts = [(title, [])]

    def add(self, markdown, *shows):
        """A heading and what some functions show; without functions, markdown alone."""
        with own_style(), collected() as outputs:
            for show in shows:
                show()
        self.parts.append((markdown, outputs))

    def html(self):
        """The page as one HTML document, with date and version at its foot."""
        import nbformat.v4 as v4  # takes a second or two, and only who saves a page needs it

        cells = []
        for markdown, outputs in self.parts:
            cells.append(v4.new_markdown_cell(markdown))
            if outputs:
                shown = [v4.new_output("display_data", dict(data), metadata=metadata) for data, metadata in outputs]
                cells.append(v4.new_code_cell("", outputs=shown))
        note = f"Made on {date.today():%d %B %Y} with honest-confidence {helpers.__version__}."
        return to_html(v4.new_notebook(cells=cells), note=note)


def page_of(report, files=None, control=None, *, bins=False):
    """The page of a report on scores.

    Parameters
    ----------
    report : ScoreReport
        The report.
    files : DataFrame, optional
        Files beside the page, from `save_files`.
    control : Control, optional
        From `negative_control`.
    bins : bool, default False
        Whether a reliability diagram with bins is wanted as well.

    Returns
    -------
    str
        One HTML document that needs no other file and no network.

    Examples
    --------
    >>> from helpers.reports import audit_scores, read_table
    >>> page = page_of(audit_scores(read_table("data/rand_scores.csv.gz", features=["chronic", "sex"]), rng=0))
    >>> "<h2" in page and "For whom are they wrong?" in page
    True
    """
    page = Sections(TITLE)

    def section(heading, show):
        page.add(f"## {heading}", show)

    def part(heading, name):
        section(heading, lambda: show_part(report, name, bins=bins))

    section("What was read", lambda: tell(report.table, "read"))
    part("The answer", "answer")
    if report.pair is not None:
        part("Two scores", "pair")
    part("Stated and observed", "average")
    part("One score, different people", "loss")
    part("Parts of the loss", "parts")
    part("Who is misjudged", "groups")
    if report.audit is not None:
        part("Along each feature", "features")
    if report.checked is not None:
        part("Columns to check", "checked")
    if report.money is not None:
        part("What it means for decisions", "decisions")
        part("A second look", "looks")
        part("Other thresholds", "curve")
    part("What to do next", "steps")
    if control is not None:
        section("Control: tables in which nobody is misjudged", lambda: tell(report, "control", control=control))
    part("When not to use this report", "warnings")
    page.add(GENERAL)
    if files is not None:
        section("Files beside this page", lambda: table(files))
    part("Parameters", "parameters")
    return page.html()
