"""What is said of each kind of finding in answers, what to do about it, and the parts of the page."""

from helpers.reports.document import Figure, Part
from helpers.reports.findings import Kind

TITLE = """# Can these answers be believed?

A model was asked the same questions several times. First the answer, then the evidence. **Agreement** is the share of
the most frequent answer among all samples of a question. In brackets stand 95 % intervals; differences of probabilities
are in **points**: from 60 % to 63 % is 3 points."""

RULES = (
    "{{ {'exact': 'they are spelled the same, letter for letter', 'normalized': 'they differ only in case, "
    "punctuation, articles or spaces', 'numeric': 'the last number in them is the same', 'date': 'the last date in "
    "them is the same', 'letter': 'they name the same letter of an option', 'class': 'the file puts them into the same "
    "class'}[rule] }}"
)

RIGHT = "Of all most frequent answers {{ shares(value, low, high) }} are right."

PROMISED = "of these at least {{ precision | percent }} are right, with {{ level | percent }} confidence"

PROMISE_FAILS = (
    "By {{ subject }} it cannot be promised for any part of the answers that {{ precision | percent }} are right"
)

RECALIBRATE = "Recalibrate {{ subject }} before it is shown to anybody."

RECALIBRATE_HOW = (
    "Fit a curve (helpers.calibration.PlattCalibrator) to other questions with known answers and as many samples, and "
    "check it on these. The thresholds on this page are for {{ subject }} as it is."
)

RELATIVE = (
    "Where {{ subject }}, {{ shares(value, low, high) }} of {{ many(n, 'answer') }} are right; over all questions {{ "
    "calibrated | percent }} are at such values of {{ confidence }} ({{ stated | percent }} on average)."
)

CARRY = (
    "Look at these questions for what they have in common. The file answers.csv holds the columns of the groups: "
    "notebook 13 looks further with -p path answers.csv -p label right -p score agreement -p features {{ columns | "
    "join(',') }}."
)

APART = "{{ if_right | percent }} on average where the answer is right, {{ if_wrong | percent }} where it is wrong"

ENDS = "{% set ends = [low | abs, high | abs] | sort %}{{ with_span(value | abs, ends[0], ends[1], 0.003) }} points"

COST = "100 questions then cost {{ cost_with_span(value, low, high) }} times what a wrong answer costs"

GAIN = "{{ points_apart(value, low, high) }} points"

CUT_HOW = "The column use_by_cost of answers.csv marks them. On new questions it saves a little less than on these."

USE_WHERE = (
    "Yes, where {{ confidence }} is {{ threshold | from_percent }} or more: {{ coverage | percent }} of the questions"
)

USE = {
    "use_unknown": Kind("use", "It cannot be said whether these answers may be used. {{ why }}"),
    "use_reread": Kind("use", "Not before the answers are read by another rule: {{ what }}."),
    "use_all": Kind("use", f"Yes, all of them: {PROMISED}. {RIGHT}"),
    "use_some": Kind(
        "use",
        f"{USE_WHERE}; {PROMISED}. {RIGHT}",
        "Give the answers with {{ confidence }} of {{ threshold | from_percent }} or more, and hand over the others.",
        "The column use_certified of answers.csv marks them. It holds for votes of as many samples, and for new "
        "questions "
        "of the same kind.",
    ),
    "use_not_for": Kind(
        "use",
        f"{USE_WHERE}; {PROMISED} on average, but not where {{{{ groups | listed }}}}. {RIGHT}",
        "Give the answers with {{ confidence }} of {{ threshold | from_percent }} or more, but none where {{ groups | "
        "listed }}.",
        "In these groups fewer are right than is promised for the average. The column use_certified of answers.csv "
        "does not know the groups: leave them out.",
    ),
    "use_by_cost": Kind(
        "use",
        "Not with a promise that {{ precision | percent }} are right; at your costs it pays to give the answers with "
        f"{{{{ confidence }}}} of {{{{ threshold | from_percent }}}} or more. {RIGHT}",
        "By cost, answer from {{ confidence }} of {{ threshold | from_percent }} on, and hand over the others.",
        CUT_HOW,
    ),
    "use_rest": Kind(
        "use",
        "Not by any confidence: none makes sure that {{ precision | percent }} of some answers are right. But without "
        f"the questions where {{{{ groups | listed }}}}, {{{{ shares(*rest) }}}} are. {RIGHT}",
        "Hand over the questions where {{ groups | listed }}, and give the other answers if new questions confirm it.",
        "These groups were found in this table: count right answers in other, new questions before you promise.",
    ),
    "use_group": Kind(
        "use",
        "Not by any confidence: none makes sure that {{ precision | percent }} of some answers are right. But where "
        f"{{{{ groups | listed }}}} so many are. {RIGHT}",
        "Give the answers where {{ groups | listed }}, if new questions confirm it, and hand over the others.",
        "These groups were found in this table: count right answers in new questions of theirs before you promise.",
    ),
    "use_not_yet": Kind(
        "use",
        "Not yet: these questions are too few to promise that {{ precision | percent }} of any answers are right; "
        f"about {{{{ needed | int | commas }}}} may do. {RIGHT}",
        "Grade more questions, or promise less; decide which before you look.",
        "More samples of the same questions do not help a promise.",
    ),
    "use_too_close": Kind(
        "use",
        "Not with a promise that {{ precision | percent }} are right: what was seen is too close to it, even for ten "
        f"times as many questions. {RIGHT}",
        "Promise less, or use a better model.",
        "The table of promises shows which smaller shares of right answers can be promised.",
    ),
    "use_no": Kind(
        "use",
        "No: by no confidence can it be promised for any part of these answers that {{ precision | percent }} are "
        f"right. {RIGHT}",
        "Let a person look at every answer, or use a better model.",
        "The table of promises shows which smaller shares of right answers can be promised.",
    ),
}  # fmt: skip

READ = {
    "read": Kind(
        "read",
        "{{ subject }}: {{ n_answers | commas }} answers to {{ n | commas }} questions, "
        "{% if least < most %}{{ least | commas }} to {% endif %}{{ most | commas }} to each; two are the same if "
        f"{RULES}. "
        "The right answer is known for {{ n_known | commas }} questions, a confidence was stated for "
        "{{ n_stated | commas }}. All answers agree in {{ value | percent }} of the questions.",
        unit="share",
    ),
    "rule": Kind(
        "read",
        "Look at this first: {{ what }}.",
        "Read the answers by the rule '{{ subject }}', and audit again.",
        "Everything else on this page is said about the answers as they were read.",
    ),
    "copies": Kind(
        "read", "Not every answer is a sample of its own: {{ what }}. The copies are left out.", excludes=("repeats",)
    ),
    "repeats": Kind(
        "read",
        "Not every answer is a sample of its own: {{ what }}.",
        "Remove answers that were copied.",
        "They make the answers look more certain than they are.",
        excludes=("copies",),
    ),
    "unreadable": Kind(
        "read",
        "{{ many(n, 'answer') }} ({{ value | percent }}) could not be read: each counts as wrong, and agrees with no "
        "other.",
        "Look at the answers that could not be read.",
        "If they hold answers, another rule may read them; if not, ask the model for a fixed form.",
        unit="share",
        excludes=("few_unreadable",),
    ),
    "few_unreadable": Kind(
        "read",
        "{{ many(n, 'answer') }} ({{ value | percent }}) could not be read: each counts as wrong, and agrees with no "
        "other.",
        unit="share",
        excludes=("unreadable",),
    ),
    "few_questions": Kind(
        "read", "{{ many(n, 'question') }} with a known answer are few. Take every number here as a rough one."
    ),
    "partly_known": Kind(
        "read",
        "The right answer is known for {{ n | commas }} of {{ of | commas }} questions. If these are not a fair "
        "choice, "
        "what holds for them need not hold for the others.",
    ),
    "ties": Kind(
        "read",
        "In {{ many(n, 'question') }} two answers are equally frequent at the top: the one that was given first "
        "counts.",
    ),
    "few_answers": Kind(
        "read",
        "{{ many(n, 'question', 'has/have') }} fewer than 10 answers: their agreement can take few values.",
    ),
    "hardly_stated": Kind(
        "read",
        "Stated confidences are left out: they are there for {{ n | commas }} of {{ of | commas }} questions only.",
        excludes=("partly_stated",),
    ),
    "partly_stated": Kind(
        "read",
        "A confidence is stated for {{ n | commas }} of {{ of | commas }} questions; the others are left out there.",
        excludes=("hardly_stated",),
    ),
    "note": Kind("read", "Note: {{ subject }}."),
    "right": Kind("read", RIGHT, unit="share"),
    "unknown": Kind(
        "read",
        "{{ why }}",
        "Add right answers to the file, and audit again.",
        "A file of the same form with the right answers of a few hundred questions is enough.",
    ),
}  # fmt: skip

BELIEVED = {
    "too_high": Kind(
        "believed",
        f"{{{{ subject | first_up }}}} is too high: {{{{ confidence | percent(0.003) }}}} on average, "
        f"{{{{ right | percent(0.003) }}}} are right, a difference of {ENDS}.",
        RECALIBRATE,
        RECALIBRATE_HOW,
        unit="probability",
        excludes=("too_low", "uneven", "believed", "off"),
    ),
    "too_low": Kind(
        "believed",
        f"{{{{ subject | first_up }}}} is too low: {{{{ confidence | percent(0.003) }}}} on average, "
        f"{{{{ right | percent(0.003) }}}} are right, a difference of {ENDS}.",
        RECALIBRATE,
        RECALIBRATE_HOW,
        unit="probability",
        excludes=("too_high", "uneven", "believed", "off"),
    ),
    "uneven": Kind(
        "believed",
        "{{ subject | first_up }} is right on average ({{ confidence | percent(0.003) }}, {{ right | percent(0.003) }} "
        "are "
        "right), but too high for some questions and too low for others ({{ drawn_chance(p_value) }}).",
        RECALIBRATE,
        RECALIBRATE_HOW,
        unit="probability",
        excludes=("too_high", "too_low", "believed", "off"),
    ),
    "believed": Kind(
        "believed",
        "Nothing speaks against {{ subject }}: {{ confidence | percent(0.003) }} on average, {{ right | percent(0.003) "
        "}} "
        "are right, a difference within chance.",
        unit="probability",
        excludes=("too_high", "too_low", "uneven", "off"),
    ),
    "off": Kind(
        "believed",
        "{{ subject | first_up }} cannot be believed as it is either: "
        "{{ confidence | percent(0.003) }} on average, {{ right | percent(0.003) }} are right.",
        unit="probability",
        excludes=("too_high", "too_low", "uneven", "believed"),
    ),
    "wrong_order": Kind(
        "believed",
        f"{{{{ subject | first_up }}}} is in the wrong order: {APART}.",
        "Do not choose answers by {{ subject }}.",
        "The surer it is, the more often the answer is wrong.",
        unit="probability",
        excludes=("order", "no_order"),
    ),
    "no_order": Kind(
        "believed",
        f"{{{{ subject | first_up }}}} does not surely tell right answers from wrong ones: {APART}.",
        unit="probability",
        excludes=("order", "wrong_order"),
    ),
    "order": Kind(
        "believed",
        f"{{{{ subject | first_up }}}} tells right answers from wrong ones: {APART}.",
        unit="probability",
        excludes=("no_order", "wrong_order"),
    ),
    "stated_better": Kind(
        "believed",
        "Both recalibrated, stated confidence is worth more than agreement: its ECUAS (n = 1) is lower by "
        "{{ measured(-value, -high, -low, least=3) }}.",
        unit="ECUAS",
        excludes=("agreement_better", "alike"),
    ),
    "agreement_better": Kind(
        "believed",
        "Both recalibrated, agreement is worth more than stated confidence: its ECUAS (n = 1) is lower by "
        "{{ measured(value, low, high, least=3) }}.",
        unit="ECUAS",
        excludes=("stated_better", "alike"),
    ),
    "alike": Kind(
        "believed",
        "Both recalibrated, neither stated confidence nor agreement is surely worth more (ECUAS, n = 1, stated minus "
        "agreement: {{ measured(value, low, high, sign=True, least=3) }}).",
        unit="ECUAS",
        excludes=("stated_better", "agreement_better"),
    ),
}  # fmt: skip

PROMISES = {
    "promise": Kind(
        "promised",
        "By {{ subject }}: answer from {{ threshold | from_percent }} on, {{ value | percent }} of the questions; "
        f"{PROMISED}. {{{{ n_right | commas }}}} of these {{{{ n_kept | commas }}}} were.",
        unit="share",
        excludes=("promise_later", "promise_hardly", "promise_never"),
    ),
    "promise_later": Kind(
        "promised",
        f"{PROMISE_FAILS}: {{{{ many(n, 'question') }}}} are too few. If the rates seen here are the true ones, about "
        "{{ needed | int | commas }} should do for some part of them.",
        excludes=("promise", "promise_hardly", "promise_never"),
    ),
    "promise_hardly": Kind(
        "promised",
        f"{PROMISE_FAILS}: what was seen is so close to it that even ten times as many questions as these "
        "{{ n | commas }} would hardly do.",
        excludes=("promise", "promise_later", "promise_never"),
    ),
    "promise_never": Kind(
        "promised",
        f"{PROMISE_FAILS}: however high it is, fewer were right, so that more questions would not help.",
        excludes=("promise", "promise_later", "promise_hardly"),
    ),
}  # fmt: skip

GROUPS = {
    "group_less": Kind(
        "groups",
        RELATIVE,
        "Hand over the questions where {{ subject }}, or let a person look at them.",
        CARRY,
        unit="share",
        excludes=("group_more",),
    ),
    "group_more": Kind("groups", RELATIVE, unit="share", excludes=("group_less",)),
    "rest": Kind(
        "groups",
        "Outside of the groups with fewer, {{ shares(value, low, high) }} of {{ many(n, 'answer') }} are right.",
        unit="share",
    ),
    "left_out": Kind("groups", "Not looked at in the search for groups: {{ subject }}."),
    "no_group": Kind(
        "groups",
        "No group of questions was found in which {{ subject }} is off, beyond what holds for all. That is no proof "
        "that "
        "there is none.",
    ),
}  # fmt: skip

CLOSE = {
    "none_close": Kind(
        "close",
        "No vote is close: in all {{ n | commas }} questions every half of the samples chooses the same answer.",
        excludes=("close", "close_and_wrong", "close_as_right"),
    ),
    "close": Kind(
        "close",
        "{{ many(n, 'question', 'is/are') }} too close to call: another draw of samples may give another answer.",
        "Read the closest votes.",
        "Start with {{ names | listed }}. What do their answers mix up?",
        excludes=("none_close", "close_and_wrong", "close_as_right"),
    ),
    "close_and_wrong": Kind(
        "close",
        "{{ many(n, 'question', 'is/are') }} too close to call: another draw of samples may give another answer. "
        "{{ shares(value, low, high) }} of the {{ n_closest | commas }} closest are right, {{ shares(*clear) }} where "
        "the "
        "vote is clear. So a close vote points to a hard question without any right answer.",
        unit="share",
        excludes=("none_close", "close", "close_as_right"),
    ),
    "close_as_right": Kind(
        "close",
        "{{ many(n, 'question', 'is/are') }} too close to call: another draw of samples may give another answer. But "
        "that "
        "does not surely tell which answers are wrong: {{ shares(value, low, high) }} of the {{ n_closest | commas }} "
        "closest "
        "are right, {{ shares(*clear) }} where the vote is clear.",
        unit="share",
        excludes=("none_close", "close", "close_and_wrong"),
    ),
    "agreed_wrong": Kind(
        "close",
        "{{ many(n, 'question', 'is/are') }} answered wrong by all answers alike: no further sample shows that.",
    ),
    "sure_but_wrong": Kind(
        "close",
        "The wrong answers of the highest confidence are listed below.",
        "Read the wrong answers that looked sure.",
        "Start with {{ names | listed }}. What do they have in common?",
    ),
}  # fmt: skip

SAMPLES = {
    "votes_help": Kind(
        "samples",
        f"A vote of all {{{{ n | commas }}}} samples is right more often than a single sample, by {GAIN}.",
        unit="share",
        excludes=("votes_alike", "votes_harm"),
    ),
    "votes_alike": Kind(
        "samples",
        "A vote of all {{ n | commas }} samples is not surely right more often than a single sample: a difference of "
        f"{GAIN}.",
        unit="share",
        excludes=("votes_help", "votes_harm"),
    ),
    "votes_harm": Kind(
        "samples",
        f"A vote of all {{{{ n | commas }}}} samples is right less often than a single sample, by {GAIN}.",
        unit="share",
        excludes=("votes_help", "votes_alike"),
    ),
    "fewer_do": Kind(
        "samples",
        "{{ many(n, 'sample', 'does/do') }} nearly as well as all {{ most | commas }}: a difference of "
        f"{GAIN}. For the promises on this page all are needed.",
        unit="share",
        excludes=("more_may_help",),
    ),
    "more_may_help": Kind(
        "samples",
        f"From {{{{ before | commas }}}} to all {{{{ n | commas }}}} samples votes still became right more often, by "
        f"{GAIN}. "
        "More samples may help.",
        unit="share",
        excludes=("fewer_do",),
    ),
    "settled": Kind(
        "samples",
        "A vote of {{ many(n, 'sample') }} names the same answer as all {{ most | commas }} in {{ value | percent }} "
        "of the "
        "questions.",
        unit="share",
    ),
    "agreement_moves": Kind(
        "samples",
        "With more than {{ n | commas }} samples, agreement would fall by {{ in_points(value, 0.002) }} on average at "
        "the "
        "most.",
        unit="probability",
    ),
}  # fmt: skip

COSTS = {
    "cut_pays_all": Kind(
        "costs",
        f"It pays to leave out unsure answers: give those with {{{{ subject }}}} of {{{{ threshold | from_percent }}}} "
        f"or "
        f"more. {COST}, instead of {{{{ plain_cost | hundred }}}} for giving every answer.",
        "By cost, answer from {{ subject }} of {{ threshold | from_percent }} on, and hand over the others.",
        CUT_HOW,
        unit="cost",
        excludes=("cut_pays_none", "all_pay", "none_pay"),
    ),
    "cut_pays_none": Kind(
        "costs",
        f"It pays to give the sure answers: those with {{{{ subject }}}} of {{{{ threshold | from_percent }}}} or "
        f"more. "
        f"{COST}, instead of {{{{ plain_cost | hundred }}}} for handing over every question.",
        "By cost, answer from {{ subject }} of {{ threshold | from_percent }} on, and hand over the others.",
        CUT_HOW,
        unit="cost",
        excludes=("cut_pays_all", "all_pay", "none_pay"),
    ),
    "all_pay": Kind(
        "costs",
        "No choice of answers by {{ subject }} surely costs less than to give all of them, {{ plain_cost | hundred }} "
        "times "
        "what a wrong answer costs for 100 questions.",
        unit="cost",
        excludes=("cut_pays_all", "cut_pays_none", "none_pay"),
    ),
    "none_pay": Kind(
        "costs",
        "No choice of answers by {{ subject }} surely costs less than to hand over every question, "
        "{{ plain_cost | hundred }} times what a wrong answer costs for 100 questions.",
        "Hand these questions over, or use a better model.",
        "At these costs nothing that this model answers surely is worth it.",
        unit="cost",
        excludes=("cut_pays_all", "cut_pays_none", "all_pay"),
    ),
}  # fmt: skip

PAIR = {
    "better": Kind(
        "pair",
        "“{{ subject }}” is right more often than “{{ other }}”, by {{ points_apart(value, low, high) }} points: of "
        "{{ many(n, 'question') }} that both answered, {{ only | commas }} are answered right by “{{ subject }}” "
        "alone, "
        "{{ only_other | commas }} by “{{ other }}” alone.",
        "Prefer “{{ subject }}” to “{{ other }}”: it is right more often.",
        "What their prompts and samples cost is not counted.",
        unit="share",
        excludes=("undecided",),
    ),
    "undecided": Kind(
        "pair",
        "Neither “{{ subject }}” nor “{{ other }}” surely is right more often: a difference of "
        "{{ points_apart(value, low, high) }} points in {{ many(n, 'question') }} that both answered.",
        unit="share",
        excludes=("better",),
    ),
    "cheaper": Kind(
        "pair",
        "With unsure questions handed over, “{{ subject }}” surely is the cheaper one, by {{ value | hundred }} in 100 "
        "questions.",
        unit="cost",
    ),
}  # fmt: skip

KINDS = USE | READ | BELIEVED | PROMISES | GROUPS | COSTS | CLOSE | SAMPLES | PAIR

LIMITS = """- **Not as a proof of truth.** All answers may agree and be wrong.
- **Not for other questions.** Another kind of question, another prompt or temperature can give other answers.
- **Not if questions belong together.** Ten versions of one question are not ten questions: intervals and promises are
  too narrow then.
- **Not if answers depend on each other.** They must be sampled separately, not in one conversation."""

PARTS = {
    "believed": Part(
        "Can the confidences be believed?",
        "Questions of similar confidence make one dot. A confidence that tells the truth keeps to the grey band. One "
        "that "
        "is off can still choose answers, if its order is right.",
        ("figure:reliability",),
    ),
    "promised": Part(
        "Which answers may be used?",
        "A promise is about the average of all answers that are given, for votes of all samples and new questions of "
        "the "
        "same kind. Choose the share beforehand; if you choose it now, check it on new questions.",
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
    "ecuas": Part("For experts: ECUAS and AURC", "", ("table:ecuas_table", "table:difference_table"), folded=True),
    "limits": Part("When not to use this report", LIMITS),
    "parameters": Part("What this page was made from", "", ("table:parameter_table",), folded=True),
}  # fmt: skip

FIGURES = {
    "reliability": Figure(
        "Right answers against confidence. Grey: a perfect one. Numbers: questions.",
        "Reliability diagrams, one below the other, of {{ report.reliability_curves | list | listed }}.",
    ),
    "kept": Figure(
        "Wrong answers among those given, if only the surest share is answered.",
        "Share of wrong answers against the share of questions answered, surest first; all answered: "
        "{{ (1 - report.accuracy[0]) | percent }} wrong{% for name, wrong in report.wrong_of_half.items() %}; the "
        "surest half "
        "by {{ name }}: {{ wrong | percent }}{% endfor %}.",
    ),
    "samples": Figure(
        "Votes of few and of many samples; the band holds 95 % over the questions.",
        "Votes of 1 to {{ report.most }} samples: the line goes from {{ report.ends[0] | percent }} to "
        "{{ report.ends[1] | percent }}.",
    ),
}
