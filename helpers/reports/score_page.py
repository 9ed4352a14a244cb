"""The page of the report on scores: its parts and figures, and which kinds of findings exclude each other.

The words of the kinds stand in score_words.ini.
"""

from pathlib import Path

from helpers.reports.document import Figure, Part
from helpers.reports.findings import read_kinds

TITLE = """# May these scores be used?

Differences of probabilities are in **points**: from 60 % to 63 % is 3 points."""

PARTS = {
    "read": Part(
        "What was read", "Each row is a case, with the probability that a model stated and with what happened."
    ),
    "pair": Part(
        "Two scores",
        "Both are judged on the same cases, so that what they have in common does not blur the difference.",
        ("table:pair_table",),
    ),
    "average": Part(
        "Stated and observed",
        "The band holds the whole true curve; where the dashed line leaves it, scores are surely off.",
        ("figure:curve",),
    ),
    "bins": Part(
        "The same in bins",
        "The mean distance of stated and observed rates in bins. Even right scores show more than 0 there, by chance.",
        ("figure:bins",),
        folded=True,
    ),
    "time": Part(
        "Over time",
        "Scores as they are, before any recalibration. Each interval holds for its row alone; the test compares all "
        "rows.",
        ("table:drift_table",),
    ),
    "loss": Part(
        "One score, different people",
        "Take all cases with one score, recalibrated: are their chances all the same? The grouping loss is the mean "
        "squared distance between a case's own chance and the average chance of cases with its score; its root is "
        "the typical distance.",
    ),
    "parts": Part(
        "Parts of the error", "The error of a case with score p and label y is (y - p)².", ("table:parts_table",)
    ),
    "groups": Part(
        "Who is misjudged",
        "Gap: observed less stated, so that above 0 the scores are too low. A group is named for what recalibration "
        "leaves, and what is said of it speaks of the scores as stated; the intervals of all groups hold together. "
        "Groups overlap. Not looked at: smaller groups, three conditions and more, columns that are not in the "
        "table.",
        ("figure:groups", "table:group_table"),
        most=6,
    ),
    "classes": Part(
        "All classes together",
        "All that stands above is about the answer, which is the class with the largest score: is it right as often as "
        "is stated? Here all scores of a case are compared with the class that came.",
        ("table:class_table", "table:class_group_table"),
        most=6,
    ),
    "checked": Part("Columns to check", "", ("table:checked_table",)),
    "decisions": Part(
        "What it means for decisions",
        "To say yes is to decide as if the label were 1.",
        ("table:cost_table",),
    ),
    "limits": Part("What makes this report less sure"),
    "warnings": Part(
        "When not to use this report",
        """- **Not as a certificate.** Nothing found means nothing found with these columns and this many cases.
- **Not beyond these cases.** Another hospital or another year can give other answers.
- **Not as an explanation.** The groups say where scores are off, not why.
- **Not on the cases that trained the model.** Scores look better there than they are.
- **Not for single people alone.** A group's rate is still an average.""",
    ),
    "parameters": Part("Parameters", shows=("table:parameter_table",), folded=True),
}

FIGURES = {
    "curve": Figure(
        "Observed rate against stated probability, with a band for the whole curve. Its steps are the method's.",
        "{% set curve = report.average.curve %}Observed rate as a rising function of the stated probability, from {{"
        " curve.observed[0] | percent }} observed at {{ curve.stated[0] | percent }} stated to {{ curve.observed[-1]"
        " | percent }} at {{ curve.stated[-1] | percent }}, with a band for the whole curve. {{ (curve.outside | "
        "sum) | commas }} of {{ curve.stated | length | commas }} scores lie outside.",
    ),
    "bins": Figure(
        "The same in bins. Grey: where a calibrated model would be.",
        "{% set curve = report.average.error.curve %}Reliability diagram with {{ many(curve.stated | length, 'dot') "
        "}}, from {{ curve.stated[0] | percent }} to {{ curve.stated[-1] | percent }} stated. {{ (curve.observed > "
        "curve.stated).sum() }} of them lie above the diagonal, where more is observed than stated.",
    ),
    "groups": Figure(
        "Gap of the stated scores in each group, cases in brackets. Blue: too low, orange: too high, open: within "
        "chance once recalibrated.",
        "{% set table = report.audit.table.sort_values('gap') %}Gaps of the stated scores in {{ many(table | length,"
        " 'group') }}, with their intervals, from {{ points(table.iloc[0].gap, sign=True) }} points ({{ "
        "table.iloc[0].rule }}) to {{ points(table.iloc[-1].gap, sign=True) }} points ({{ table.iloc[-1].rule }}).",
    ),
}

ONE_OF = [  # of each line, at most one kind is found for a subject
    ("pair_better", "pair_worse", "only_as_stated", "pair_unclear"),
    ("loses_where", "groups_not_compared"),
    ("groups_compared", "groups_not_compared"),
    ("in_order", "knows_nothing", "reversed", "constant"),
    ("right_on_average", "off_little", "off_mendable", "off_repaired", "off_unmendable"),
    ("right_on_average", "off_little", "all_too"),
    ("right_on_average", "slope"),
    ("knows_nothing", "slope"),
    ("reversed", "slope"),
    ("drifts", "steady"),
    ("suspicious", "too_low", "too_high", "leans", "fine_as_stated", "spoiled"),
    ("nobody_named", "named_groups", "groups_unknown"),
    ("people_decide", "not_alone"),
    ("certified_loss", "certified_loss_of_groups", "size_unknown", "no_loss_found", "single_cases_unknown"),
    ("class_loss", "class_loss_unsure"),
    ("repair_saves", "repair_unsure", "nothing_to_repair"),
    ("off_mendable", "repair_saves"),
]

ON_TOP = {  # of the first screen, whatever their severity
    "pair_better", "pair_worse", "only_as_stated", "pair_unclear", "right_on_average", "off_little", "off_mendable",
    "certified_loss", "certified_loss_of_groups", "size_unknown", "no_loss_found", "nobody_named", "groups_unknown",
    "repair_saves", "repair_unsure", "nothing_to_repair",
}  # fmt: skip
BELOW = {  # never there
    "off_unmendable", "off_repaired", "named_groups", "model_needs", "people_decide", "not_alone",
    "single_cases_unknown",
}  # fmt: skip

UNITS = {  # of value, low and high, for a part or a kind
    "use": "share", "pair": "squared error", "average": "probability", "time": "probability", "loss": "probability",
    "groups": "probability", "classes": "probability", "decisions": "cost", "limits": "share", "read": "people",
    "reversed": "share", "knows_nothing": "share", "in_order": "share", "slope": "slope", "decides": "probability",
    "named_groups": "share", "people_decide": "share", "not_alone": "share",
}  # fmt: skip

KINDS = read_kinds(Path(__file__).with_name("score_words.ini"), ONE_OF, UNITS, ON_TOP, BELOW)
