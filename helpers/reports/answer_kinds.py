"""The kinds of findings on answers: which exclude each other, in which units; and the parts of the page.

Their words stand in answer_words.ini.
"""

from pathlib import Path

from helpers.reports.document import Figure, Part
from helpers.reports.findings import read_kinds

TITLE = """# Can these answers be believed?

A model was asked the same questions several times. First the answer, then the evidence. **Agreement** is the share of
the most frequent answer among all samples of a question. In brackets stand 95 % intervals; differences of probabilities
are in **points**: from 60 % to 63 % is 3 points."""

ONE_OF = [  # of each line, at most one kind is found for a subject
    (
        "use_unknown", "use_reread", "use_all", "use_some", "use_not_for", "use_by_cost", "use_rest", "use_group",
        "use_not_yet", "use_no",
    ),
    ("too_high", "too_low", "uneven", "believed", "off"),
    ("wrong_order", "no_order", "order"),
    ("stated_better", "agreement_better", "alike"),
    ("promise", "promise_later", "promise_never"),
    ("group_less", "group_more"),
    ("cut_pays", "plain_pays"),
    ("none_close", "close", "close_and_wrong"),
    ("fewer_do", "more_may_help", "settled", "unsettled"),
    ("better", "undecided"),
]  # fmt: skip

UNITS = {  # of value, low and high, for a part or a kind
    "use": "share", "read": "share", "believed": "probability", "promised": "share", "groups": "share", "costs": "cost",
    "close": "share", "samples": "share", "pair": "share",
    "stated_better": "AURC", "agreement_better": "AURC", "alike": "AURC",
}  # fmt: skip

KINDS = read_kinds(
    Path(__file__).with_name("answer_words.ini"), ONE_OF, UNITS, on_top={"right", "cut_pays", "plain_pays"}
)

LIMITS = """- **Not as a proof of truth.** All answers may agree and be wrong.
- **Not for other questions.** Another kind of question, another prompt or temperature can give other answers.
- **Not if questions belong together.** Ten versions of one question are not ten questions: intervals and promises are
  too narrow then.
- **Not if answers depend on each other.** They must be sampled separately, not in one conversation."""

PARTS = {
    "believed": Part(
        "Can the confidences be believed?",
        "Questions of similar confidence make one dot. A confidence that tells the truth keeps to the grey band. One "
        "that is off can still choose answers, if its order is right.",
        ("figure:reliability",),
    ),
    "promised": Part(
        "Which answers may be used?",
        "A promise is about the average of all answers that are given, for votes of all samples and new questions of "
        "the same kind. Choose the share beforehand; if you choose it now, check it on new questions.",
        ("table:promise_table", "figure:kept"),
    ),
    "groups": Part("For which kinds of questions?"),
    "costs": Part(
        "What does it cost?",
        "Costs of 100 questions, with samples, where a wrong answer costs 1 and whoever takes over is right.",
        ("table:cost_table",),
    ),
    "close": Part(
        "Which questions are too close to call?",
        "In brackets: how often an answer was given; “never given”: none was right.",
        ("table:hard_table", "table:wrong_table"),
    ),
    "samples": Part(
        "What would more samples change?",
        "From the samples that are there fewer are drawn, in many random orders.",
        ("figure:samples",),
    ),
    "pair": Part("Two systems side by side", "With all their samples, question by question.", ("table:pair_table",)),
    "read": Part("What was read"),
    "limits": Part("When not to use this report", LIMITS),
    "parameters": Part("What this page was made from", "", ("table:parameter_table",), folded=True),
}

FIGURES = {
    "reliability": Figure(
        "Right answers against confidence. Grey: a perfect one. Numbers: questions.",
        "Reliability diagrams, one below the other, of {{ report.reliability_curves | list | listed }}.",
    ),
    "kept": Figure(
        "Wrong answers among those given, if only the surest share is answered.",
        "Share of wrong answers against the share of questions answered, surest first; all answered: {{ (1 - "
        "report.accuracy[0]) | percent }} wrong{% for name, curve in report.kept_curves.items() %}; the surest half "
        "by {{ name }}: {{ curve.risk[(curve.coverage >= 0.5).argmax()] | percent }}{% endfor %}.",
    ),
    "samples": Figure(
        "Votes of few and of many samples; the band holds 95 % over the questions.",
        "{% set shares = report.sizes['same' if report.obstacle else 'right'] %}"
        "How often votes of 1 to {{ report.most }} samples "
        "{{ 'say the same as all' if report.obstacle else 'are right' }}: "
        "from {{ shares.iloc[0] | percent }} to {{ shares.iloc[-1] | percent }}.",
    ),
}
