"""The page of the report on scores: its parts, with what they show, and what its figures say in words."""

from helpers.reports.document import Figure, Part

TITLE = """# May these scores be used?

Differences of probabilities are in **points**: from 60 % to 63 % is 3 points."""

PARTS = {
    "read": Part(
        "What was read", "Each row is a case, with the probability that a model stated and with what happened."
    ),
    "pair": Part(
        "Two scores",
        "Both are judged on the same cases, so that what they have in common does not blur the difference.",
        ("table:pair_table", "table:gain_table"),
    ),
    "average": Part(
        "Stated and observed",
        "The band holds the whole true curve; where the dashed line leaves it, scores are surely off. Four tests "
        "look for that, each p-value allowing for the other three.",
        ("figure:curve", "table:test_table", "table:line_table"),
    ),
    "bins": Part(
        "The same in bins",
        "The mean distance of stated and observed rates in bins. Even right scores show more than 0 there, by chance.",
        ("figure:bins", "table:reliability_table"),
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
        ("table:loss_table",),
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
    "features": Part(
        "Along each column",
        "The columns with the strongest groups. A bar that leaves out the diamond (filled dot) is a gap beyond "
        "chance; all bars hold together with 95 %. A dot without a bar stands for values of too few cases.",
        ("figure:features",),
    ),
    "checked": Part("Columns to check", "", ("table:checked_table",)),
    "decisions": Part(
        "What it means for decisions",
        "To say yes is to decide as if the label were 1.",
        ("table:cost_table", "table:count_table"),
    ),
    "looks": Part(
        "Which cases to look at again",
        "What a second look at some cases saves, by how they are chosen: by how much more deciding by the stated "
        "score is expected to cost than deciding by the repaired one, by how near the score lies to the threshold, "
        "or at random. In the last row whoever looks finds the truth: the most that a look at so many cases can give.",
        ("table:look_table",),
        folded=True,
    ),
    "thresholds": Part("At other costs", shows=("figure:money",), folded=True),
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
    "features": Figure(
        "Stated, recalibrated and observed rates along each column.",
        "Stated, recalibrated and observed rates along {{ report.audit.along_features() | listed(8) }}, one panel "
        "each; the columns with the strongest groups come first.",
    ),
    "money": Figure(
        "What deciding by the score saves beside always saying no, at your threshold and at others; a miss costs the"
        " same.",
        "{% set money = report.money %}What deciding by the stated, recalibrated and repaired score saves beside "
        "never saying yes, for thresholds from {{ money.curve.threshold.min() | percent }} to {{ "
        "money.curve.threshold.max() | percent }}; the one in use is {{ money.threshold | percent }}.",
    ),
}
