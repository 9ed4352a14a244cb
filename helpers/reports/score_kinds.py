"""The words of the report on scores: one sentence for each kind of finding, what to do about it, and the page.

"Points" are percentage points of probability. Which kind is found says `score_findings`; no sentence decides that.
"""

from dataclasses import replace

from helpers.reports.document import Figure, Part
from helpers.reports.findings import Kind

ONLY_IF = "Ask of each column whether it is known before the decision, and whether you may use it."

NEW_CASES = (
    "Tested on these cases alone, each by learners that had not seen it: test repair.joblib on new cases before it "
    "decides. It uses {{ columns | listed(8) }}. " + ONLY_IF
)

STATED = (
    "({{ n | commas }} cases): {{ stated | rate(low, high) }} stated, {{ observed | rate(low, high) }} observed. Gap "
    "{{ apart(value, low, high) }} points; after recalibration {{ apart(left, left_low, left_high) }}."
)

GAP = "probability"
GROUP_KINDS = ("too_low", "too_high", "leans_low", "leans_high", "fine_as_stated", "spoiled", "suspicious")


def _others(kinds, kind):
    return tuple(name for name in kinds if name != kind)


USE = {
    "no_reversed": (
        "No. Higher scores go with fewer events.",
        "Check the direction of the scores.",
        "Perhaps the score is the probability of 0, or columns were mixed up. Then audit again.",
    ),
    "no_knows_nothing": (
        "No. These scores know next to nothing about who is a case of 1 and who is not.",
        "Find out why the scores know nothing before anybody decides by them.",
        "Compare the column of scores with what the model gives; perhaps rows were shuffled, or it was trained on "
        "other cases.",
    ),
    "no_drifts": (
        "No. What is stated and what happens have moved apart over time.",
        "",
        "",
    ),
    "use_as_rate": (
        "Only as a rate for all: every case has the same score, so that it tells nobody apart.",
        "",
        "",
    ),
    "use_repaired": (
        "Not as they are: at your costs the repaired scores are surely cheaper than the stated ones and than any "
        "simple rule.",
        "Decide by the repaired scores.",
        NEW_CASES,
    ),
    "use_rule": (
        "No, not at your costs: {{ subject }}, without any score, surely costs less.",
        "Do not decide by these scores at these costs.",
        "Until there are better ones: {{ subject }}.",
    ),
    "not_over_time": (
        "Not without looking at the date: what is stated and what happens have moved apart over time.",
        "",
        "",
    ),
    "mend_then_unknown": (
        "Not as they are. For averages after recalibration; whether they are right for each group cannot be said.",
        "",
        "",
    ),
    "cannot_be_said": (
        "For averages nothing speaks against it; whether they are right for each group and each case cannot be said.",
        "",
        "",
    ),
    "not_for_most": (
        "No. Scores are far off in groups that hold {{ value | percent }} of the cases.",
        "",
        "",
    ),
    "mend_but_not_for_most": (
        "No. Even recalibrated, scores are far off in groups that hold {{ value | percent }} of the cases.",
        "",
        "",
    ),
    "mend_but_not_for": (
        "After recalibration, but not for {{ many(n_groups, 'group') }} named below ({{ value | percent }} of the "
        "cases).",
        "",
        "",
    ),
    "but_not_for": (
        "Yes as they are, but not for {{ many(n_groups, 'group') }} named below ({{ value | percent }} of the cases).",
        "",
        "",
    ),
    "mend_but_not_single": (
        "For averages of many cases, after recalibration; not for a single case.",
        "",
        "",
    ),
    "but_not_single": (
        "For averages of many cases, as they are; not for a single case.",
        "",
        "",
    ),
    "after_recalibration": (
        "Yes, after recalibration: as they are, they are off on average.",
        "",
        "",
    ),
    "as_they_are": (
        "Yes, as they are: {{ n | commas }} cases show nothing serious against it.",
        "Use the scores as they are, and audit again when things change.",
        "That nothing was found with these cases and columns does not mean that there is nothing.",
    ),
}  # fmt: skip

KINDS = {
    kind: Kind("use", sentence, advice, how, unit="share", excludes=_others(USE, kind))
    for kind, (sentence, advice, how) in USE.items()
}

PAIR = {
    "pair_better": "{{ new }} is surely better than {{ old }}, also if both are recalibrated",
    "pair_worse": "{{ new }} is surely worse than {{ old }}, also if both are recalibrated",
    "better_as_stated": "{{ new }} is surely better than {{ old }} as they are, but no difference is sure once both "
    "are recalibrated",
    "worse_as_stated": "{{ new }} is surely worse than {{ old }} as they are, but no difference is sure once both "
    "are recalibrated",
    "better_until_mended": "{{ new }} is surely better than {{ old }} as they are, but surely worse once both are "
    "recalibrated",
    "worse_until_mended": "{{ new }} is surely worse than {{ old }} as they are, but surely better once both are "
    "recalibrated",
    "pair_unclear": "No difference between {{ new }} and {{ old }} is sure as they are",
}
PAIR_ADVICE = {
    "pair_worse": ("Keep {{ old }}.", "{{ new }} is surely worse in squared error."),
    "better_as_stated": (
        "Recalibrate {{ old }} before you replace it by {{ new }}.",
        "That may be all there is to gain.",
    ),
    "worse_as_stated": ("Keep {{ old }}, or recalibrate {{ new }} first.", "Recalibrated, no difference is sure."),
    "better_until_mended": ("Recalibrate {{ old }} and keep it.", "Recalibrated, it is surely better than {{ new }}."),
    "worse_until_mended": (
        "Recalibrate {{ new }} before you use it.",
        "Recalibrated, it is surely better than {{ old }}.",
    ),
}
NUMBERS_OF_A_PAIR = (
    ": the squared error (less is better) changes by {{ measured(value, low, high, sign=True, least=3) }}; "
    "recalibrated, "
    "by {{ measured(mended_difference, mended_low, mended_high, sign=True, least=3) }}."
)
KINDS |= {
    kind: Kind(
        "pair",
        text + NUMBERS_OF_A_PAIR,
        *PAIR_ADVICE.get(kind, ("", "")),
        unit="squared error",
        excludes=_others(PAIR, kind),
        on_top=True,
    )
    for kind, text in PAIR.items()
}
KINDS |= {
    "loses_where": Kind(
        "pair",
        "{{ new }} is surely worse than {{ old }} where {{ subject }} ({{ n | commas }} cases, squared error larger by "
        "{{ measured(-value, -high, -low, least=3) }}), and in {{ n_more }} more of {{ n_groups | commas }} groups.",
        "Before you replace {{ old }}, look at who loses.",
        "Where {{ subject }}, {{ new }} is surely worse.",
        unit="squared error",
        excludes=("gains_where",),
    ),
    "gains_where": Kind(
        "pair",
        "{{ new }} is surely better than {{ old }} where {{ subject }} ({{ n | commas }} cases, squared error "
        "smaller by "
        "{{ measured(value, low, high, least=3) }}), and in {{ n_more }} more of {{ n_groups | commas }} groups.",
        unit="squared error",
        excludes=("loses_where",),
    ),
    "groups_compared": Kind(
        "pair",
        "Of {{ n | commas }} groups of one condition, {{ n_gain }} surely gain and {{ n_lose }} surely lose by the new "
        "score; the intervals of all of them hold together.",
        excludes=("groups_not_compared",),
    ),
    "groups_not_compared": Kind(
        "pair", "Groups were not compared: there are too few cases or columns.", excludes=("groups_compared",)
    ),
}

# ---- do they know anything, and are they right on average? ---------------------------------------------------------

AVERAGE = (
    "right_on_average",
    "off_little",
    "off_unsure",
    "off_mendable",
    "off_mendable_curve",
    "off_and_useless",
    "off_and_moving",
)
ORDER = ("in_order", "knows_nothing", "reversed", "constant")
PAIRS = (
    "of a case of 1 and a case of 0, the first has the higher score in {{ value | percent }} of all such pairs "
    "{{ bracketed(low | percent, high | percent) }}; by luck it would be 50 %."
)
OFF = (
    "Off on average: among cases with similar scores, stated and observed rates lie typically "
    "{{ typically(value, low, high) }} apart ({{ drawn_chance(p_value) }})"
)
RECALIBRATE = "Recalibrate the scores."
CHECK_NEW = " Check the result on new cases. This mends the average, not the single case."
KINDS |= {
    "reversed": Kind(
        "average", "Higher scores mean rarer: " + PAIRS, unit="share", excludes=_others(ORDER, "reversed")
    ),
    "knows_nothing": Kind(
        "average", "The scores know next to nothing: " + PAIRS, unit="share", excludes=_others(ORDER, "knows_nothing")
    ),
    "constant": Kind("average", "All {{ n | commas }} cases have the same score.", excludes=_others(ORDER, "constant")),
    "in_order": Kind(
        "average", "Higher scores go with more events: " + PAIRS, unit="share", excludes=_others(ORDER, "in_order")
    ),
    "repeated_rows": Kind(
        "limits",
        "{{ value | percent }} of the rows repeat the row before them in score and columns, so that this report is "
        "too sure "
        "if they are the same person again.",
        "Name the column that tells people apart.",
        "Perhaps it is {{ columns | listed }} (parameter group). Then audit again.",
        unit="share",
    ),
    "only_decisions": Kind(
        "limits",
        "All scores are 0 or 1: these are decisions, not probabilities, and can only look too sure of themselves.",
        "Ask for the probabilities behind these decisions.",
        "Most models have them, and they can be recalibrated and decided by at any costs.",
    ),
    "drifts": Kind(
        "time",
        "Over {{ subject }}, stated and observed rates move apart by {{ typically(value, low, high) }} "
        "({{ drawn_chance(p_value) }}): {{ stated_where_high | percent }} stated and {{ observed_where_high | "
        "percent }} "
        "observed in {{ period_where_high }}, {{ stated_where_low | percent }} and {{ observed_where_low | percent "
        "}} in "
        "{{ period_where_low }}.",
        "Find out what changed over {{ subject }}, and use the newest cases to recalibrate.",
        "A recalibration of all periods together is wrong for each of them. Look at the table by period.",
        unit=GAP,
        excludes=("steady",),
    ),
    "right_on_average": Kind(
        "average",
        "Right on average, as far as {{ n | commas }} cases show ({{ drawn_chance(p_value) }}): {{ stated | "
        "percent(0.001) }} "
        "was stated and {{ observed | percent(0.001) }} observed; they may still be off by up to {{ in_points(high, "
        "spread) }}.",
        unit=GAP,
        excludes=_others(AVERAGE, "right_on_average"),
        on_top=True,
    ),
    "off_mendable": Kind(
        "average",
        OFF + ".",
        RECALIBRATE,
        "Replace the log-odds z of each score by {{ '%.2f' | format(intercept) }} {{ '%+.2f' | format(slope) }} z."
        + CHECK_NEW,
        unit=GAP,
        excludes=_others(AVERAGE, "off_mendable"),
        on_top=True,
    ),
    "off_mendable_curve": Kind(
        "average",
        OFF + ".",
        RECALIBRATE,
        "Replace each score by the observed rate of scores like it: an isotonic curve." + CHECK_NEW,
        unit=GAP,
        excludes=_others(AVERAGE, "off_mendable_curve"),
        on_top=True,
    ),
    "off_unsure": Kind(
        "average",
        OFF + ", but these cases do not show that recalibration would lower the error for new ones.",
        unit=GAP,
        excludes=_others(AVERAGE, "off_unsure"),
        on_top=True,
    ),
    "off_little": Kind(
        "average",
        OFF + ": too little for recalibration to be worth while.",
        unit=GAP,
        excludes=_others(AVERAGE, "off_little"),
        on_top=True,
    ),
    "off_and_useless": Kind(
        "average",
        OFF + "; recalibration alone is no remedy.",
        unit=GAP,
        excludes=_others(AVERAGE, "off_and_useless"),
        on_top=False,
    ),
    "off_and_moving": Kind(
        "average",
        OFF + ", and not alike at all times, so that one recalibration for all of them is no remedy.",
        unit=GAP,
        excludes=_others(AVERAGE, "off_and_moving"),
    ),
    "all_too_low": Kind(
        "average",
        "Over all cases they are too low: {{ stated | rate(low, high) }} stated, {{ observed | rate(low, high) }} "
        "observed, "
        "{{ apart(value, low, high) }} points.",
        unit=GAP,
        excludes=("all_too_high", "right_on_average", "off_little"),
    ),
    "all_too_high": Kind(
        "average",
        "Over all cases they are too high: {{ stated | rate(low, high) }} stated, {{ observed | rate(low, high) }} "
        "observed, "
        "{{ apart(value, low, high) }} points.",
        unit=GAP,
        excludes=("all_too_low", "right_on_average", "off_little"),
    ),
    "falls": Kind(
        "average",
        "Somewhere higher scores surely go with fewer events ({{ drawn_chance(p_value) }}), which no recalibration "
        "mends that "
        "keeps their order; gaps of groups may come from that.",
        "Look at the curve: where do higher scores go with fewer events?",
        "Such scores were often put together from two models or two kinds of cases.",
    ),
    "too_extreme": Kind(
        "average",
        "Too extreme: a difference in log-odds between two cases is in truth {{ measured(value, low, high) }} times "
        "as large "
        "as stated.",
        unit="slope",
        excludes=("too_timid", "right_on_average", "knows_nothing", "reversed"),
    ),
    "too_timid": Kind(
        "average",
        "Too timid: a difference in log-odds between two cases is in truth {{ measured(value, low, high) }} times as "
        "large "
        "as stated.",
        unit="slope",
        excludes=("too_extreme", "right_on_average", "knows_nothing", "reversed"),
    ),
    "bent": Kind(
        "average",
        "The curve of observed rates is no line in log-odds ({{ drawn_chance(p_value) }}), so that the scores are "
        "recalibrated "
        "with a rising curve (isotonic regression).",
        excludes=("off_mendable",),
    ),
    "error_saved": Kind(
        "parts",
        "Recalibration surely lowers the squared error of cases that it has not seen, by "
        "{{ measured(value, low, high, least=4) }}.",
        unit="squared error",
        excludes=("error_not_saved", "error_grows", "off_unsure"),
    ),
    "error_not_saved": Kind(
        "parts",
        "These cases do not show that recalibration lowers the squared error of cases that it has not seen "
        "({{ measured(value, low, high, sign=True, least=4) }}).",
        unit="squared error",
        excludes=("error_saved", "error_grows"),
    ),
    "error_grows": Kind(
        "parts",
        "Recalibration makes the squared error of cases that it has not seen a trifle larger "
        "({{ measured(value, low, high, sign=True, least=4) }}), as it will where there is little to mend or few "
        "cases.",
        unit="squared error",
        excludes=("error_saved", "error_not_saved"),
    ),
    "steady": Kind(
        "time",
        "Over {{ subject }}, chance may explain how stated and observed rates differ between {{ n_periods }} periods "
        "({{ drawn_chance(p_value) }}); by at most {{ in_points(high, high / 10) }}.",
        unit=GAP,
        excludes=("drifts",),
    ),
}

# ---- for whom are they wrong? --------------------------------------------------------------------------------------

MISSED = (
    "{% if detectable %}Most likely to have been found: a gap of "
    "{% for share, gap in detectable %}{{ in_points(gap, gap / 5) }} in {{ share | percent }} of the cases"
    "{{ ', ' if not loop.last }}{% endfor %}.{% else %}With so few cases even a large gap in a tenth of them could "
    "have been "
    "missed.{% endif %}"
)
LOOKED = "{{ n_groups | commas }} groups of one condition or two, from {{ smallest | percent }} of the cases on"
KINDS |= {
    "suspicious": Kind(
        "groups",
        "In all {{ n | commas }} cases where {{ subject }}, {{ label }} is {{ outcome }} (stated "
        "{{ stated | rate(low, high) }}): more often chosen so than found so.",
        "Check how cases in which all or nothing happened came into the table.",
        "Perhaps they were taken in because of what happened, or the others were not waited for.",
        unit=GAP,
        excludes=_others(GROUP_KINDS, "suspicious"),
    ),
    "too_low": Kind(
        "groups", "Too low where {{ subject }} " + STATED, unit=GAP, excludes=_others(GROUP_KINDS, "too_low")
    ),
    "too_high": Kind(
        "groups", "Too high where {{ subject }} " + STATED, unit=GAP, excludes=_others(GROUP_KINDS, "too_high")
    ),
    "hot_group": Kind("groups", "The largest sure gap, where {{ subject }} " + STATED, unit=GAP),
    "spoiled": Kind(
        "groups",
        "Leave the scores as they are where {{ subject }} " + STATED,
        "Leave groups out of the recalibration that it would make wrong.",
        "Keep their scores as they are, or recalibrate them apart from the others.",
        unit=GAP,
        excludes=_others(GROUP_KINDS, "spoiled"),
    ),
    "leans_low": Kind(
        "groups",
        "Probably too low where {{ subject }} " + STATED,
        unit=GAP,
        excludes=_others(GROUP_KINDS, "leans_low"),
    ),
    "leans_high": Kind(
        "groups",
        "Probably too high where {{ subject }} " + STATED,
        unit=GAP,
        excludes=_others(GROUP_KINDS, "leans_high"),
    ),
    "fine_as_stated": Kind(
        "groups",
        "Not surely off where {{ subject }} " + STATED,
        unit=GAP,
        excludes=_others(GROUP_KINDS, "fine_as_stated"),
    ),
    "confirmed_lead": Kind(
        "groups",
        "Look first where {{ subject }}: one half of the cases chose this group, and in the other half ({{ n | "
        "commas }} cases) "
        "{{ calibrated | rate(low, high) }} is stated after recalibration and {{ observed | rate(low, high) }} "
        "observed, "
        "{{ apart(value, low, high) }} points.",
        "Begin where {{ subject }}.",
        "Nobody is named among groups of one condition or two; this one was confirmed by cases that had not chosen it.",
        unit=GAP,
        excludes=("hint",),
    ),
    "hint": Kind(
        "groups",
        "A hint and no finding, where {{ subject }} ({{ n | commas }} cases): after recalibration "
        "{{ calibrated | rate(low, high) }} stated, {{ observed | rate(low, high) }} observed, {{ apart(value, low, "
        "high) }} "
        "points; the same cases have chosen and measured it.",
        unit=GAP,
        excludes=("confirmed_lead",),
    ),
    "nobody_named": Kind(
        "groups",
        "Nobody can be named: none of "
        + LOOKED
        + " is off by more than chance allows ({{ drawn_chance(p_value) }}). That is "
        "no all-clear. " + MISSED,
        excludes=("named_groups", "groups_unknown"),
        on_top=True,
    ),
    "groups_unknown": Kind(
        "groups",
        "For whom they are wrong cannot be said. {{ subject }}",
        "Add what is missing to the table, and audit again.",
        "{{ subject }}",
        excludes=("named_groups", "nobody_named"),
        on_top=True,
    ),
    "named_groups": Kind(
        "groups",
        "{{ many(n, 'group', 'is/are') }} off by more than chance allows, also after recalibration, of "
        + LOOKED
        + ". Together "
        "they hold {{ value | percent }} of the cases. " + MISSED,
        unit="share",
        excludes=("nobody_named", "groups_unknown"),
        on_top=False,
    ),
    "model_needs": Kind(
        "groups",
        "These groups are told apart by {{ columns | listed(6) }}.",
        "Let the model use {{ columns | listed(4) }}, if you may.",
        ONLY_IF
        + " If the model never saw it, give it; if it did, let the model be more flexible there. Then audit again. "
        "Recalibration alone cannot mend it.",
        on_top=False,
    ),
    "check_columns": Kind(
        "groups",
        "Groups in which all or nothing happened are told apart by {{ columns | listed(6) }}.",
        "Check {{ columns | listed(4) }}.",
        "A model that is given them would learn how cases came into the table.",
        on_top=False,
    ),
    "people_decide": Kind(
        "groups",
        "{{ many(n, 'named group', 'is/are') }} off by {{ in_points(least, least / 10) }} or more: {{ value | "
        "percent }} of the "
        "cases.",
        "Until then, let people decide for the groups with the largest gaps.",
        "Those of {{ in_points(least, least / 10) }} or more hold {{ value | percent }} of the cases.",
        unit="share",
        excludes=("not_alone",),
        on_top=False,
    ),
    "not_alone": Kind(
        "groups",
        "{{ many(n, 'named group', 'is/are') }} off by {{ in_points(least, least / 10) }} or more: {{ value | "
        "percent }} of the "
        "cases.",
        "Until then, do not let the scores decide alone.",
        "Groups with gaps of {{ in_points(least, least / 10) }} or more hold {{ value | percent }} of the cases.",
        unit="share",
        excludes=("people_decide",),
        on_top=False,
    ),
    "levels": Kind(
        "checked",
        "{{ many(n, 'level') }} of the columns to check: in {{ n_off }} the scores are off by more than their "
        "interval allows, in "
        "{{ n_few }} there are too few cases to say. Each interval holds for its row alone: of twenty right rows, "
        "one is off by "
        "chance.",
    ),
}

# ---- are they right for a single case? -----------------------------------------------------------------------------

MISSES = (
    "For a single case, the score misses the true chance typically by about {{ in_points(value, spread) }}, with 95 % "
    "confidence by {{ in_points(low, spread) }} or more, also after recalibration ({{ chance(p_value) }})."
)
SINGLE = (
    "certified_loss", "certified_loss_of_groups", "size_unknown", "perhaps_the_fall", "signs_of_loss", "no_loss_found",
    "no_loss_seen", "single_cases_unknown",
)  # fmt: skip
SINGLE_CASES = {
    "certified_loss": MISSES,
    "certified_loss_of_groups": MISSES,
    "size_unknown": "How far single cases are from their score cannot be certified with {{ n | commas }} cases "
    "({{ chance(p_value) }}); for the groups below it is not right.",
    "perhaps_the_fall": "Whether they are right for a single case cannot be said: what the test sees may be that no "
    "rising "
    "curve fits.",
    "signs_of_loss": "There are signs that cases with the same score have different chances ({{ chance(p_value) }}), "
    "but "
    "{{ n | commas }} cases cannot certify how much.",
    "no_loss_found": "Nothing shows that cases with the same score have different chances ({{ chance(p_value) }}); a "
    "typical "
    "distance of {{ in_points(missed, missed / 5) }}, in regions that a tree can cut, would most likely have been "
    "found.",
    "no_loss_seen": "Nothing shows that cases with the same score have different chances ({{ chance(p_value) }}), "
    "which is no "
    "proof; what would have been found for a group stands below.",
    "single_cases_unknown": "Whether they are right for a single case cannot be said. {{ subject }}",
}
KINDS |= {
    kind: Kind("loss", text, unit=GAP, excludes=_others(SINGLE, kind), on_top=kind != "single_cases_unknown")
    for kind, text in SINGLE_CASES.items()
}
RETRAIN = (
    "Retrain the model with the columns of this table.",
    "Cases with the same score have different chances, and these columns tell some of it. " + ONLY_IF,
)
KINDS["certified_loss"] = replace(KINDS["certified_loss"], advice=RETRAIN[0], how=RETRAIN[1])
ESTIMATORS = ("by_learners", "by_tree", "by_one_tree")
KINDS |= {
    "by_learners": Kind(
        "loss",
        "Several learners together (boosted trees, splines, kernels, regions) learn from four fifths of the cases "
        "how far a case "
        "is from the rate of its score, and the fifth part judges. The truth may be larger: they see a part of what "
        "the columns "
        "tell.",
        excludes=_others(ESTIMATORS, "by_learners"),
    ),
    "by_tree": Kind(
        "loss",
        "Half of the cases choose the regions of a tree and the others measure them; of {{ '%d' | format(value) }} "
        "such halvings "
        "the middle one is shown (from {{ points(splits_low, splits_low / 20) }} to "
        "{{ in_points(splits_high, splits_high / 20) }}). The truth may be larger.",
        excludes=_others(ESTIMATORS, "by_tree"),
    ),
    "by_one_tree": Kind(
        "loss",
        "Half of the cases choose the regions of a tree and the others measure them. The truth may be larger.",
        excludes=_others(ESTIMATORS, "by_one_tree"),
    ),
    "unmeasured": Kind(
        "loss",
        "{{ value | percent }} of the cases lie in regions too small to be measured, and count as zero.",
        unit="share",
    ),
}

# ---- what do they cost? --------------------------------------------------------------------------------------------

REPAIR = ("repair_saves", "repair_like_rule", "repair_saves_nothing", "nothing_to_repair", "repair_not_tried")
SAVES = (
    "saves {{ of_hundred(value, low, high) }} in 100 cases beside the stated ones, and beside {{ rule }} "
    "{{ of_hundred(rule_value, rule_low, rule_high, sign=True) }}."
)
KINDS |= {
    "rule_is_cheaper": Kind(
        "decisions",
        "{{ subject | first_up }}, without any score, costs less: it saves {{ of_hundred(value, low, high) }} in 100 "
        "cases "
        "beside the stated scores.",
        unit="cost",
    ),
    "repair_saves": Kind(
        "decisions",
        "The repair, which also uses the columns, " + SAVES,
        "Decide by the repaired scores.",
        NEW_CASES,
        unit="cost",
        excludes=_others(REPAIR, "repair_saves"),
        on_top=True,
    ),
    "repair_like_rule": Kind(
        "decisions",
        "The repair, which also uses the columns, is not surely cheaper than a simple rule: it " + SAVES,
        unit="cost",
        excludes=_others(REPAIR, "repair_like_rule"),
        on_top=True,
    ),
    "repair_saves_nothing": Kind(
        "decisions",
        "The columns add something to the score, but a saving by the repair is not sure: it " + SAVES,
        unit="cost",
        excludes=_others(REPAIR, "repair_saves_nothing"),
    ),
    "nothing_to_repair": Kind(
        "decisions",
        "Nothing is repaired beyond recalibration: a gain by the columns is not sure ({{ chance(p_value) }}).",
        excludes=_others(REPAIR, "nothing_to_repair"),
    ),
    "repair_not_tried": Kind(
        "decisions",
        "A repair by the columns was not tried. {{ subject }}",
        excludes=_others(REPAIR, "repair_not_tried"),
    ),
    "recalibration_saves": Kind(
        "decisions",
        "Recalibration saves {{ of_hundred(value, low, high) }} in 100 cases.",
        unit="cost",
        excludes=("recalibration_saves_nothing", "right_on_average"),
    ),
    "recalibration_saves_nothing": Kind(
        "decisions",
        "A saving by recalibration is not sure at your costs ({{ of_hundred(value, low, high, sign=True) }} in 100 "
        "cases).",
        unit="cost",
        excludes=("recalibration_saves",),
    ),
    "decides": Kind(
        "decisions",
        "If a false alarm costs {{ '%g' | format(alarm) }} and a miss {{ '%g' | format(miss) }}, yes pays from a "
        "probability of "
        "{{ value | percent }} on; the stated scores say yes in {{ yes | percent }} of the cases.",
        unit="probability",
        excludes=("costs_not_given",),
    ),
    "cost_today": Kind(
        "decisions",
        "By the stated scores, 100 cases cost {{ of_hundred(value, low, high) }}, in the unit of your costs (judged by "
        "{{ many(n, 'case') }}).",
        unit="cost",
    ),
    "turned": Kind(
        "decisions",
        "Recalibration would change {{ recalibrated | percent(0.001) }} of the decisions, and making each named "
        "group right a "
        "further {{ turned | percent(0.001) }} ({{ to_yes | percent(0.001) }} to yes, {{ to_no | percent(0.001) }} "
        "to no).",
    ),
    "traded": Kind(
        "decisions",
        "In 100 cases, the repaired scores change misses by "
        "{{ of_hundred(more_misses, more_misses_low, more_misses_high, sign=True) }} and false alarms by "
        "{{ of_hundred(more_false_alarms, more_false_alarms_low, more_false_alarms_high, sign=True) }} beside the "
        "stated ones; they say yes in {{ yes | percent }}.",
    ),
    "costs_not_given": Kind("decisions", "Not judged: the parameter cost is not given.", excludes=("decides",)),
}

# ---- what was read, and what makes all else less sure --------------------------------------------------------------

KINDS |= {
    "gives_away": Kind(
        "limits",
        "{{ subject }} gives the outcome away: it was left out. If the model that made the scores saw it, they say "
        "nothing about "
        "cases whose outcome is not known yet.",
        "Ask whether the model has seen {{ subject }}.",
        "It is known only with the outcome, so that no model that decides before may use it.",
    ),
    "likely_people": Kind(
        "limits",
        "By their names, {{ columns | listed }} may stand for people or places with several cases each: if so, name "
        "one as group.",
    ),
    "warning": Kind("limits", "{{ subject }}."),
    "few_cases": Kind("limits", "{{ n | commas }} cases are few: take every number here as a rough one."),
    "few_people": Kind("limits", "With so few people or places, the intervals of the averages are too narrow as well."),
    "cases": Kind(
        "read",
        "{{ name }}: {{ n | commas }} cases. The column {{ score }} states a probability from {{ least | percent }} to "
        "{{ most | percent }}; {{ label }} says what happened: {{ rate | percent(0.001) }} are 1, the others 0.",
    ),
    "people": Kind(
        "read", "They come from {{ '{:,.0f}'.format(value) }} people or places, whose cases are kept together."
    ),
    "weighted": Kind("read", "Each case counts by its weight."),
    "compared": Kind("read", "{{ new }} is compared with the old score {{ subject }}; all else is about {{ new }}."),
    "known": Kind("read", "Known about each case: {{ columns | listed(12) }}."),
    "dropped": Kind("read", "Columns left out: {{ reasons | with_reasons | listed(12) }}."),
    "unweighted": Kind("read", "Left out: {{ many(n, 'case') }} of weight 0, not sampled."),
    "remark": Kind("read", "Note: {{ subject }}."),
    "checksum": Kind("read", "Checksum of the file (SHA-256): {{ subject[:16] }}…"),
}

# ---- the page ------------------------------------------------------------------------------------------------------

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
        "look for that, "
        "each p-value allowing for the other three.",
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
        "squared "
        "distance between a case's own chance and the average chance of cases with its score; its root is the "
        "typical distance.",
        ("table:loss_table",),
    ),
    "parts": Part(
        "Parts of the error", "The error of a case with score p and label y is (y - p)².", ("table:parts_table",)
    ),
    "groups": Part(
        "Who is misjudged",
        "Gap: observed less stated, so that above 0 the scores are too low. A group is named for what recalibration "
        "leaves, and "
        "what is said of it speaks of the scores as stated; the intervals of all groups hold together. Groups "
        "overlap. Not looked "
        "at: smaller groups, three conditions and more, columns that are not in the table.",
        ("figure:groups", "table:group_table"),
    ),
    "features": Part(
        "Along each column",
        "The columns with the strongest groups. A bar that leaves out the diamond (filled dot) is a gap beyond "
        "chance; all bars "
        "hold together with 95 %. A dot without a bar stands for values of too few cases.",
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
        "score is "
        "expected to cost than deciding by the repaired one, by how near the score lies to the threshold, or by lot. "
        "In the last "
        "row whoever looks finds the truth: the most that a look at so many cases can give.",
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
        "{% set curve = report.average.curve %}Observed rate as a rising function of the stated probability, from "
        "{{ curve.observed[0] | percent }} observed at {{ curve.stated[0] | percent }} stated to "
        "{{ curve.observed[-1] | percent }} at {{ curve.stated[-1] | percent }}, with a band for the whole curve. "
        "{{ (curve.outside | sum) | commas }} of {{ curve.stated | length | commas }} scores lie outside.",
    ),
    "bins": Figure(
        "The same in bins. Grey: where a calibrated model would be.",
        "{% set curve = report.average.error.curve %}Reliability diagram with {{ many(curve.stated | length, 'dot') "
        "}}, from "
        "{{ curve.stated[0] | percent }} to {{ curve.stated[-1] | percent }} stated. "
        "{{ (curve.observed > curve.stated).sum() }} of them lie above the diagonal, where more is observed than "
        "stated.",
    ),
    "groups": Figure(
        "Gap of the stated scores in each group, cases in brackets. Blue: too low, orange: too high, open: within "
        "chance once "
        "recalibrated.",
        "{% set table = report.audit.table.sort_values('gap') %}Gaps of the stated scores in {{ many(table | length, "
        "'group') }}, "
        "with their intervals, from {{ points(table.iloc[0].gap, sign=True) }} points ({{ table.iloc[0].rule }}) to "
        "{{ points(table.iloc[-1].gap, sign=True) }} points ({{ table.iloc[-1].rule }}).",
    ),
    "features": Figure(
        "Stated, recalibrated and observed rates along each column.",
        "Stated, recalibrated and observed rates along {{ report.audit.along_features() | listed(8) }}, one panel "
        "each; the "
        "columns with the strongest groups come first.",
    ),
    "money": Figure(
        "What deciding by the score saves beside always saying no, at your threshold and at others; a miss costs the "
        "same.",
        "{% set money = report.money %}What deciding by the stated, recalibrated and repaired score saves beside "
        "never saying yes, "
        "for thresholds from {{ money.curve.threshold.min() | percent }} to {{ money.curve.threshold.max() | percent "
        "}}; the one "
        "in use is {{ money.threshold | percent }}.",
    ),
}
