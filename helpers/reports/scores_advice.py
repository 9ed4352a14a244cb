"""What to do after an audit, and what to keep in mind: sentences chosen by the findings."""

import numpy as np

from helpers.reports.intake import LEAST_ROWS, likely_groups, repeated_rows
from helpers.reports.phrases import listed, many, percent

GRAVE = 0.05  # a gap that recalibration leaves and that people should look at


def next_steps(report):
    """What to do, in order: a list of (what, how)."""
    table, error, audit, steps = report.table, report.error, report.audit, []
    if np.corrcoef(table.p, table.y)[0, 1] * np.sqrt(table.n) < -4:
        steps += [("Check the direction of the scores.", _DIRECTION)]
    if table.groups is None and repeated_rows(table) > 0.05:
        steps += [("Name the column that tells people apart.", _repeats(table))]
    if error.p_value < 0.05 and error.debiased >= 0.01:
        steps += [("Recalibrate the scores.", _recalibrate(report))]
    if audit is not None and len(audit.remaining):
        steps += [(f"Let the model use {listed(audit.features, 4)}.", _USE)]
        grave = audit.remaining[audit.remaining["left"].abs() >= GRAVE]
        steps += [_until_then(grave)] * bool(len(grave))
    elif report.certified:
        steps += [("Retrain the model with the features of this table.", _SPREAD)]
    if report.obstacle:
        how = f"{report.obstacle} So far only calibration could be checked."
        steps += [("Add what is missing to the table, and audit again.", how)]
    elif not report.certified and not (audit is not None and len(audit.remaining)):
        what = "Then audit again." if steps else "Use the scores as they are, and audit again when things change."
        steps += [(what, _NOTHING)]
    return steps


_DIRECTION = (
    "High scores go with fewer events here. Perhaps the score is the probability of 0, or columns were mixed up."
)

_USE = (
    "These features tell the misjudged groups apart. If the model never saw them, give them to it. If it did, let it "
    "be more flexible there (interactions, trees). Then audit again. Recalibration alone cannot mend it."
)

_DEFER = "Adding the measured gap to the scores is an alternative, once the gap has been confirmed on new cases."

_SPREAD = "The misses are real but spread over many small groups, so that no short list of groups would catch them."

_NOTHING = (
    "That nothing was found with these cases and features does not mean that there is nothing. New features can show "
    "what these cannot."
)


def _until_then(grave):
    share = grave["share"].sum()
    what = "let people decide where the gap is large" if share < 0.5 else "do not let these scores decide alone"
    where = f"Recalibration leaves gaps of {100 * GRAVE:.0f} points or more in {many(len(grave), 'group')}"
    return f"Until then, {what}.", f"{where}, {percent(share)} of the cases. {_DEFER}"


def _recalibrate(report):
    end = "Check the result on new cases. This mends the average, not the single case."
    if report.kind == "isotonic" or report.calibrator.n_clipped_:  # 0 and 1 have no log-odds
        return f"Replace each score by the observed rate of scores like it: an isotonic curve. {end}"
    a, b = report.calibrator.intercept_, report.calibrator.slope_
    return f"Replace the log-odds z of each score by {a:.2f} {'+' if b >= 0 else '-'} {abs(b):.2f} z. {end}"


def _repeats(table):
    names = likely_groups(table)
    return (
        f"{repeated_rows(table):.0%} of the rows repeat the row before them in score and features. If they are the "
        "same person again, name the column of the person (parameter group): without it, this report is too sure."
        f"{f' Perhaps it is {listed(names)}.' if names else ''}"
    )


def warnings_of(report):
    """What a reader must know about this very table before quoting the report. Paragraphs; at least one."""
    table, said = report.table, []
    if table.groups is None and repeated_rows(table) > 0.05:
        said += [_repeats(table)]
    elif table.groups is None and likely_groups(table):
        said += [
            f"By their names, {listed(likely_groups(table))} may stand for people or places with several cases each. "
            "If so, set the parameter group: cases of one person are not independent."
        ]
    if table.n < LEAST_ROWS:
        said += [f"{table.n:,} cases are few. Take every number here as a rough one."]
    if "people or places" in report.obstacle:
        said += ["With so few people or places, the intervals of the calibration are too narrow as well."]
    if ((table.p == 0) | (table.p == 1)).all():
        said += ["All scores are 0 or 1. These are decisions, not probabilities, and can only look overconfident."]
    return said or ["Nothing about this table in particular. In general:"]
