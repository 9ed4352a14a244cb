"""The report on scores as one page, written from Python: the sections of notebook 13 without a kernel."""

from datetime import date

import nbformat.v4 as v4

import helpers
from helpers.notebook import figure, table
from helpers.notebook.display import collected
from helpers.notebook.page import to_html
from helpers.reports.text import describe_figure, next_steps, summary, tell

TITLE = """# Can these scores be believed?

An audit of one table of scores: each row is a case, with the probability that a model stated and with what happened.
First the answer, then the evidence, then what to do. Differences of probabilities are in **points**: from 60 % to 63 %
is 3 points."""

GENERAL = """- **Not as a certificate.** Nothing found means nothing found with these features and this many cases.
- **Not beyond these cases.** Another hospital, another year, another way of choosing cases can give other answers.
- **Not as an explanation.** The groups say where scores are off, not why.
- **Not on the cases that trained the model.** Scores look better there than they are.
- **Not group by group for single people.** A group's rate is still an average, over everybody in the group."""


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
    >>> page = page_of(audit_scores(read_table("data/rand_scores.csv.gz"), rng=0))
    >>> "<h2" in page and "For whom are they wrong?" in page
    True
    """
    figures = report.figures(bins=bins)
    cells = [v4.new_markdown_cell(TITLE)]

    def section(markdown, *shows):
        with collected() as outputs:
            for show in shows:
                show()
        shown = [v4.new_output("display_data", dict(data), metadata=metadata) for data, metadata in outputs]
        cells.append(v4.new_markdown_cell(markdown))
        cells.append(v4.new_code_cell("", outputs=shown))

    def part(name, **values):
        return lambda: tell(report, name, **values)

    def rows(frame):
        return lambda: table(frame) if frame is not None else None

    def picture(name, caption):
        return lambda: figure(figures[name], describe_figure(report, name), caption) if name in figures else None

    section("## What was read", lambda: tell(report.table, "read"))
    section("## The answer", rows(summary(report)))
    if report.pair is not None:
        section("## Two scores", part("pair"), rows(report.pair_table), part("gains"), rows(report.gain_table))
    caption = "Observed rate against stated probability, with a band for the whole curve."
    shows = [picture("curve", caption), part("calibration"), rows(report.line_table), rows(report.reliability_table)]
    if "bins" in figures:
        shows.append(picture("bins", "The same in bins. Grey: where a calibrated model would be."))
    section("## Stated and observed", *shows)
    loss = () if report.loss is None else (rows(report.loss_table), part("read_loss"))
    section("## One score, different people", part("loss"), *loss)
    section("## Parts of the loss", part("parts"), rows(report.parts_table))
    caption = "Gap of each group, 95 % interval, cases in brackets. Filled: beyond chance."
    named = () if report.audit is None else (rows(report.group_table), part("read_groups"), part("unseen"))
    section("## Who is misjudged", part("groups"), picture("groups", caption), *named)
    if report.audit is not None:
        caption = "Stated and observed rates along each feature."
        section("## Along each feature", picture("features", caption), part("read_features"))
    if report.checked is not None:
        section("## Columns to check", part("checked"), rows(report.checked_table))
    if report.decisions is not None:
        section("## What it means for decisions", part("decisions"), part("costs"), rows(report.cost_table))
        section("## A second look", part("looks"), rows(report.look_table))
        caption = "What deciding by the score saves, at your threshold (dotted) and at others."
        section("## Other thresholds", picture("money", caption), part("read_curve"))
    section("## What to do next", rows(next_steps(report)))
    if control is not None:
        section("## Control: nothing to find, nothing found", part("control", control=control))
    section("## When not to use this report", part("warnings"))
    cells.append(v4.new_markdown_cell(GENERAL))
    if files is not None:
        section("## Files beside this page", rows(files))
    section("## Parameters", rows(report.parameter_table))
    note = f"Made on {date.today():%d %B %Y} with honest-confidence {helpers.__version__}."
    return to_html(v4.new_notebook(cells=cells), note=note)
