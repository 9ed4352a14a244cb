"""What is said of each kind of finding in answers, what to do about it, and the parts of the page."""

from helpers.reports.document import Figure, Part
from helpers.reports.findings import Kind

TITLE = """# Can these answers be believed?

A model was asked the same questions several times. First the answer, then the evidence. **Agreement** is the share of
the most frequent answer among all samples of a question. In brackets stand 95 % intervals; differences of probabilities
are in **points**: from 60 % to 63 % is 3 points."""

# Pieces that several sentences share.
RULES = (
    "{{ {'exact': 'they are spelled the same, letter for letter', 'numeric': 'the last number in them is the same', "
    "'normalized': 'they differ only in case, punctuation, articles or spaces', 'date': 'the last date in them is the "
    "same', 'letter': 'they name the same letter of an option', 'class': 'the file puts them into the same class'}"
    "[rule] }}"
)
RIGHT = "Of all most frequent answers {{ shares(value, low, high) }} are right."
PROMISED = "of these at least {{ precision | percent }} are right, with {{ level | percent }} confidence"
ARE_RIGHT = "{{ precision | percent }} are right"
PROMISE_FAILS = "By {{ subject }} it cannot be promised for any part of the answers that " + ARE_RIGHT
USE_WHERE = (
    "Yes, where {{ confidence }} is {{ threshold | from_percent }} or more: {{ coverage | percent }} of the questions"
)
GIVE = "Give the answers with {{ confidence }} of {{ threshold | from_percent }} or more, "
BY_KIND = "Only some of them, by their kind: no confidence picks out answers of which surely " + ARE_RIGHT + ", but "
SMALLER_SHARES = "The table of promises shows which smaller shares of right answers can be promised."
UNREADABLE = "{{ many(n, 'answer') }} ({{ value | percent }}) could not be read: each counts as wrong, and agrees with "
MEANS = "{{ confidence | percent(0.003) }} on average, {{ right | percent(0.003) }} are right"
ENDS = "{% set ends = [low | abs, high | abs] | sort %}{{ with_span(value | abs, ends[0], ends[1], 0.003) }} points"
RECALIBRATE = (
    "Recalibrate {{ subject }} before it is shown to anybody.",
    "Fit a curve (helpers.calibration.PlattCalibrator) to other questions with known answers and as many samples, and "
    "check it on these. The thresholds on this page are for {{ subject }} as it is.",
)
APART = "{{ if_right | percent }} on average where the answer is right, {{ if_wrong | percent }} where it is wrong."
WORTH_MORE = "is worth more than {}: its ECUAS (n = 1) is lower by {{{{ measured({}, least=3) }}}}."
RELATIVE = (
    "Where {{ subject }}, {{ shares(value, low, high) }} of {{ many(n, 'answer') }} are right; over all questions {{ "
    "calibrated | percent }} are at such values of {{ confidence }} ({{ stated | percent }} on average)."
)
CUT = (
    "those with {{ subject }} of {{ threshold | from_percent }} or more. 100 questions then cost {{ "
    "cost_with_span(value, low, high) }} times what a wrong answer costs, instead of {{ plain_cost | hundred }} for "
)
CUT_HOW = "The column use_by_cost of answers.csv marks them. On new questions it saves a little less than on these."
BY_COST = "By cost, answer from {{ %s }} of {{ threshold | from_percent }} on, and hand over the others."
NO_CUT = "By {{ subject }} no choice of answers surely costs less than "
PLAIN_COST = "100 questions: {{ plain_cost | hundred }} times what a wrong answer costs"
TOO_CLOSE = "{{ many(n, 'question', 'is/are') }} too close to call: another draw of samples may give another answer."
CLOSEST = (
    "{{ shares(value, low, high) }} of the {{ n_closest | commas }} closest are right, {{ shares(*clear) }} where the "
    "vote is clear."
)
GAIN = "{{ points_apart(value, low, high) }} points"
ALL_SAMPLES = "A vote of all {{ n | commas }} samples is "
SETTLED = "a vote of {{ many(n, 'sample') }} names the same answer as all samples in "


def _kinds(part, unit, texts, exclusive=True):
    """Kinds of a part from their sentences, or from (sentence, advice, how); whether each excludes the others."""
    made = {}
    for name, text in texts.items():
        excludes = tuple(other for other in texts if other != name) if exclusive else ()
        made[name] = Kind(part, *([text] if isinstance(text, str) else text), unit=unit, excludes=excludes)
    return made


KINDS = _kinds("use", "share", {
    "use_unknown": "It cannot be said whether these answers may be used. {{ why }}",
    "use_reread": "Not before the answers are read by another rule: {{ what }}.",
    "use_all": f"Yes, all of them: {PROMISED}. {RIGHT}",
    "use_some": (
        f"{USE_WHERE}; {PROMISED}. {RIGHT}",
        GIVE + "and hand over the others.",
        "The column use_certified of answers.csv marks them. It holds for votes of as many samples, and for new "
        "questions of the same kind.",
    ),
    "use_not_for": (
        f"{USE_WHERE}; {PROMISED} on average, but not where {{{{ groups | listed }}}}. {RIGHT}",
        GIVE + "but none where {{ groups | listed }}.",
        "In these groups fewer are right than is promised for the average. The column use_certified of answers.csv "
        "does not know the groups: leave them out.",
    ),
    "use_by_cost": (
        f"Not with a promise that {ARE_RIGHT}; at your costs it pays to give the answers with {{{{ confidence }}}} of "
        f"{{{{ threshold | from_percent }}}} or more. {RIGHT}",
        BY_COST % "confidence",
        CUT_HOW,
    ),
    "use_rest": (
        f"{BY_KIND}without those where {{{{ groups | listed }}}}, {{{{ shares(*rest) }}}} are. {RIGHT}",
        "Hand over the questions where {{ groups | listed }}, and give the other answers if new questions confirm it.",
        "These groups were found in this table: count right answers in other, new questions before you promise.",
    ),
    "use_group": (
        f"{BY_KIND}where {{{{ groups | listed }}}} so many are. {RIGHT}",
        "Give the answers where {{ groups | listed }}, if new questions confirm it, and hand over the others.",
        "These groups were found in this table: count right answers in new questions of theirs before you promise.",
    ),
    "use_not_yet": (
        f"Not yet: these questions are too few to promise for any part of the answers that {ARE_RIGHT}; about "
        f"{{{{ needed | int | commas }}}} may do. {RIGHT}",
        "Grade more questions, or promise less; decide which before you look.",
        "More samples of the same questions do not help a promise.",
    ),
    "use_too_close": (
        f"Not with a promise that {ARE_RIGHT}: what was seen is too close to it, even for ten times as many questions. "
        + RIGHT,
        "Promise less, or use a better model.",
        SMALLER_SHARES,
    ),
    "use_no": (
        f"No: by no confidence can it be promised for any part of these answers that {ARE_RIGHT}. {RIGHT}",
        "Let a person look at every answer, or use a better model.",
        SMALLER_SHARES,
    ),
})  # fmt: skip

KINDS |= _kinds("read", "share", {
    "read": (
        "{{ subject }}: {{ n_answers | commas }} answers to {{ n | commas }} questions, {% if least < most %}"
        "{{ least | commas }} to {% endif %}{{ most | commas }} to each; two are the same if " + RULES + ". The right "
        "answer is known for {{ n_known | commas }} questions, a confidence was stated for {{ n_stated | commas }}. "
        "All answers agree in {{ value | percent }} of the questions.",
    ),
    "rule": (
        "Look at this first: {{ what }}.",
        "Read the answers by the rule '{{ subject }}', and audit again.",
        "Everything else on this page is said about the answers as they were read.",
    ),
    "few_questions": "{{ many(n, 'question') }} with a known answer are few. Take every number here as a rough one.",
    "partly_known": "The right answer is known for {{ n | commas }} of {{ of | commas }} questions. If these are not a "
    "fair choice, what holds for them need not hold for the others.",
    "ties": "In {{ many(n, 'question') }} two answers are equally frequent at the top: the one that was given first "
    "counts.",
    "few_answers": "{{ many(n, 'question', 'has/have') }} fewer than 10 answers: their agreement can take few values.",
    "note": "Note: {{ subject }}.",
    "right": RIGHT,
    "unknown": (
        "{{ why }}",
        "Add right answers to the file, and audit again.",
        "A file of the same form with the right answers of a few hundred questions is enough.",
    ),
}, exclusive=False)  # fmt: skip

KINDS |= _kinds("read", "", {
    "copies": "Not every answer is a sample of its own: {{ what }}. The copies are left out.",
    "repeats": (
        "Not every answer is a sample of its own: {{ what }}.",
        "Remove answers that were copied.",
        "They make the answers look more certain than they are.",
    ),
})  # fmt: skip

KINDS |= _kinds("read", "share", {
    "unreadable": (
        UNREADABLE + "no other.",
        "Look at the answers that could not be read.",
        "If they hold answers, another rule may read them; if not, ask the model for a fixed form.",
    ),
    "few_unreadable": UNREADABLE + "no other.",
})  # fmt: skip

KINDS |= _kinds("read", "", {
    "hardly_stated": "Stated confidences are left out: they are there for {{ n | commas }} of {{ of | commas }} "
    "questions only.",
    "partly_stated": "A confidence is stated for {{ n | commas }} of {{ of | commas }} questions; the others are left "
    "out there.",
})  # fmt: skip

KINDS |= _kinds("believed", "probability", {
    "too_high": (f"{{{{ subject | first_up }}}} is too high: {MEANS}, a difference of {ENDS}.", *RECALIBRATE),
    "too_low": (f"{{{{ subject | first_up }}}} is too low: {MEANS}, a difference of {ENDS}.", *RECALIBRATE),
    "uneven": (
        "{{ subject | first_up }} is right on average ({{ confidence | percent(0.003) }}, {{ right | percent(0.003) }} "
        "are right), but too high for some questions and too low for others ({{ drawn_chance(p_value) }}).",
        *RECALIBRATE,
    ),
    "believed": f"Nothing speaks against {{{{ subject }}}}: {MEANS}, a difference within chance.",
    "off": f"{{{{ subject | first_up }}}} cannot be believed as it is: {MEANS}.",
})  # fmt: skip

KINDS |= _kinds("believed", "probability", {
    "wrong_order": (
        "{{ subject | first_up }} is in the wrong order: " + APART,
        "Do not choose answers by {{ subject }}.",
        "The surer it is, the more often the answer is wrong.",
    ),
    "no_order": "{{ subject | first_up }} does not surely tell right answers from wrong ones: " + APART,
    "order": "{{ subject | first_up }} tells right answers from wrong ones: " + APART,
})  # fmt: skip

KINDS |= _kinds("believed", "ECUAS", {
    "stated_better": "Both recalibrated, stated confidence " + WORTH_MORE.format("agreement", "-value, -high, -low"),
    "agreement_better": "Both recalibrated, agreement " + WORTH_MORE.format("stated confidence", "value, low, high"),
    "alike": "Both recalibrated, neither stated confidence nor agreement is surely worth more (ECUAS, n = 1, stated "
    "minus agreement: {{ measured(value, low, high, sign=True, least=3) }}).",
})  # fmt: skip

KINDS |= _kinds("promised", "share", {
    "promise": "By {{ subject }}: answer from {{ threshold | from_percent }} on, {{ value | percent }} of the "
    "questions; " + PROMISED + ". {{ n_right | commas }} of these {{ n_kept | commas }} were.",
    "promise_later": PROMISE_FAILS + ": {{ many(n, 'question') }} are too few. If the rates seen here are the true "
    "ones, about {{ needed | int | commas }} should do for some part of them.",
    "promise_hardly": PROMISE_FAILS + ": what was seen is so close to it that even ten times as many questions as "
    "these {{ n | commas }} would hardly do.",
    "promise_never": PROMISE_FAILS + ": however high it is, fewer were right, so that more questions would not help.",
})  # fmt: skip

KINDS |= _kinds("groups", "share", {
    "group_less": (
        RELATIVE,
        "Hand over the questions where {{ subject }}, or let a person look at them.",
        "Look at these questions for what they have in common. The file answers.csv holds the columns of the groups: "
        "notebook 13 looks further with -p path answers.csv -p label right -p score agreement -p features {{ columns | "
        "join(',') }}.",
    ),
    "group_more": RELATIVE,
})  # fmt: skip

KINDS |= _kinds("groups", "share", {
    "rest": "Outside of the groups with fewer, {{ shares(value, low, high) }} of {{ many(n, 'answer') }} are right.",
    "left_out": "Not looked at in the search for groups: {{ subject }}.",
    "no_group": "No group of questions was found in which {{ subject }} is off, beyond what holds for all. That is no "
    "proof that there is none.",
}, exclusive=False)  # fmt: skip

KINDS |= _kinds("costs", "cost", {
    "cut_pays_all": (
        f"It pays to leave out unsure answers: give {CUT}giving every answer.", BY_COST % "subject", CUT_HOW,
    ),
    "cut_pays_none": (
        f"It pays to give the sure answers: {CUT}handing over every question.", BY_COST % "subject", CUT_HOW,
    ),
    "all_pay": f"{NO_CUT}giving all of them ({PLAIN_COST}).",
    "none_pay": (
        f"{NO_CUT}handing over every question ({PLAIN_COST}).",
        "Hand these questions over, or use a better model.",
        "At these costs nothing that this model answers surely is worth it.",
    ),
})  # fmt: skip

KINDS |= _kinds("close", "share", {
    "none_close": "No vote is close: in all {{ n | commas }} questions every half of the samples chooses the same "
    "answer.",
    "close": (
        TOO_CLOSE, "Read the closest votes.", "Start with {{ names | listed }}. What do their answers mix up?",
    ),
    "close_and_wrong": f"{TOO_CLOSE} {CLOSEST} So a close vote points to a hard question without any right answer.",
    "close_as_right": f"{TOO_CLOSE} But that does not surely tell which answers are wrong: {CLOSEST}",
})  # fmt: skip

KINDS |= _kinds("close", "", {
    "agreed_wrong": "{{ many(n, 'question', 'is/are') }} answered wrong by all answers alike: no further sample shows "
    "that.",
    "sure_but_wrong": (
        "The wrong answers of the highest confidence are listed below.",
        "Read the wrong answers that looked sure.",
        "Start with {{ names | listed }}. What do they have in common?",
    ),
}, exclusive=False)  # fmt: skip

KINDS |= _kinds("samples", "share", {
    "votes_help": f"{ALL_SAMPLES}right more often than a single sample, by {GAIN}.",
    "votes_alike": f"{ALL_SAMPLES}not surely right more often than a single sample: a difference of {GAIN}.",
    "votes_harm": f"{ALL_SAMPLES}right less often than a single sample, by {GAIN}.",
})  # fmt: skip

KINDS |= _kinds("samples", "share", {
    "fewer_do": "{{ many(n, 'sample', 'does/do') }} nearly as well as all {{ most | commas }}: a difference of "
    f"{GAIN}. For the promises on this page all are needed.",
    "more_may_help": "From {{ before | commas }} to all {{ n | commas }} samples votes still became right more often, "
    f"by {GAIN}. More samples may help.",
})  # fmt: skip

KINDS |= _kinds("samples", "share", {
    "settled": f"{SETTLED.capitalize()}{{{{ value | percent }}}} of the questions.",
    "unsettled": f"Even {SETTLED}only {{{{ value | percent }}}} of the questions. More samples may help.",
})  # fmt: skip

KINDS |= _kinds("samples", "share", {
    "agreement_moves": "With more than {{ n | commas }} samples, agreement would fall by {{ in_points(value, 0.002) }} "
    "on average at the most.",
})  # fmt: skip

KINDS |= _kinds("pair", "share", {
    "better": (
        "“{{ subject }}” is right more often than “{{ other }}”, by {{ points_apart(value, low, high) }} points: of "
        "{{ many(n, 'question') }} that both answered, {{ only | commas }} are answered right by “{{ subject }}” "
        "alone, {{ only_other | commas }} by “{{ other }}” alone.",
        "Prefer “{{ subject }}” to “{{ other }}”: it is right more often.",
        "What their prompts and samples cost is not counted.",
    ),
    "undecided": "Neither “{{ subject }}” nor “{{ other }}” surely is right more often: a difference of {{ "
    "points_apart(value, low, high) }} points in {{ many(n, 'question') }} that both answered.",
})  # fmt: skip

KINDS |= _kinds("pair", "cost", {
    "cheaper": "With unsure questions handed over, “{{ subject }}” surely is the cheaper one, by {{ value | hundred }} "
    "in 100 questions.",
})  # fmt: skip

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
    "groups": Part("For which kinds of questions?", "", ("table:group_table",)),
    "costs": Part(
        "What does it cost?",
        "Costs of 100 questions, with samples, where a wrong answer costs 1 and whoever takes over is right.",
        ("table:price_table",),
    ),
    "close": Part(
        "Which questions are too close to call?",
        "In brackets: how often an answer was given; “never given”: none was right.",
        ("table:strata_table", "table:hard_table", "table:wrong_table"),
    ),
    "samples": Part(
        "What would more samples change?",
        "From the samples that are there fewer are drawn, in many random orders.",
        ("figure:samples", "table:sample_table"),
    ),
    "pair": Part("Two systems side by side", "With all their samples, question by question.", ("table:pair_table",)),
    "read": Part("What was read"),
    "errors": Part("For experts: calibration errors", "", ("table:calibration_table",), folded=True),
    "ecuas": Part("For experts: ECUAS and AURC", "", ("table:ecuas_table",), folded=True),
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
        "report.accuracy[0]) | percent }} wrong{% for name, wrong in report.wrong_of_half.items() %}; the surest half "
        "by {{ name }}: {{ wrong | percent }}{% endfor %}.",
    ),
    "samples": Figure(
        "Votes of few and of many samples; the band holds 95 % over the questions.",
        "Votes of 1 to {{ report.most }} samples: the line goes from {{ report.ends[0] | percent }} to "
        "{{ report.ends[1] | percent }}.",
    ),
}
