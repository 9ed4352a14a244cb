"""The words of the report on scores: a sentence for each kind of finding, and what to do about it.

Templates (Jinja) see the fields of a `Finding` and the phrases of `helpers.reports.phrases`. "Points" are percentage
points of probability. Which kind is found says `score_findings`; no sentence decides that.
"""

ONLY_IF = "Ask of each column whether it is known before the decision, and whether you may use it."
NEW_CASES = (
    "Tested on these cases alone, each by learners that had not seen it: test repair.joblib on new cases before it "
    "decides. It uses {{ columns | listed(8) }}. " + ONLY_IF
)
STATED = (
    "({{ n | commas }} cases): {{ stated | rate(low, high) }} stated, {{ observed | rate(low, high) }} observed. "
    "Gap {{ apart(value, low, high) }} points; after recalibration {{ apart(left, left_low, left_high) }}."
)
NUMBERS_OF_A_PAIR = (
    ": the squared error (less is better) changes by {{ measured(value, low, high, sign=True, least=3) }}; "
    "recalibrated, by {{ measured(mended_difference, mended_low, mended_high, sign=True, least=3) }}."
)
PAIRS = (
    "of two cases, one in which it happened and one in which it did not, the first has the higher score in "
    "{{ value | percent }} of all such pairs {{ bracketed(low | percent, high | percent) }}; by luck it would be 50 %."
)
OFF = (
    "Off on average: among cases with similar scores, stated and observed rates lie typically "
    "{{ typically(value, low, high) }} apart ({{ drawn_chance(p_value) }})"
)
RATES = (
    "{{ stated | rate(low, high) }} stated, {{ observed | rate(low, high) }} observed, {{ apart(value, low, high) }} "
    "points."
)
SLOPE = (
    ": a difference in log-odds between two cases is in truth {{ measured(value, low, high) }} times as large as "
    "stated."
)
LOOKED = "{{ n_groups | commas }} groups of one condition or two, from {{ smallest | percent }} of the cases on"
MISSED = (
    "{% if detectable %}A gap of {% for share, gap in detectable %}{{ in_points(gap, gap / 5) }} in "
    "{{ share | percent }} of the cases{{ ' or of ' if not loop.last }}{% endfor %} would most likely have been found."
    "{% else %}With so few cases even a large gap in a tenth of them could have been missed.{% endif %}"
)
MISSES = (
    "For a single case, the score misses the true chance typically by about {{ in_points(value, spread) }}, with 95 "
    "% confidence by {{ in_points(low, spread) }} or more, also after recalibration ({{ chance(p_value) }})."
)
SAVES = (
    "saves {{ of_hundred(value, low, high) }} in 100 cases beside the stated ones, and beside {{ rule }} "
    "{{ of_hundred(rule_value, rule_low, rule_high, sign=True) }}."
)
FAR_OFF = (
    "{{ many(n, 'named group', 'is/are') }} off by {{ in_points(least, least / 10) }} or more: {{ value | percent }} "
    "of "
    "the cases."
)
RECALIBRATE = "Recalibrate the scores."
CHECK_NEW = " Check the result on new cases. This mends the average, not the single case."

SENTENCES = {
    "use": {
        "no_reversed": "No. Higher scores go with fewer events.",
        "no_knows_nothing": "No. These scores know next to nothing about what happens.",
        "no_drifts": "No. What is stated and what happens have moved apart over time.",
        "use_as_rate": "Only as a rate for all: every case has the same score, so that it tells nobody apart.",
        "use_repaired": (
            "Not as they are: at your costs the repaired scores are surely cheaper than the stated ones and than "
            "any simple rule."
        ),
        "use_rule": "No, not at your costs: {{ subject }}, without any score, surely costs less.",
        "not_over_time": (
            "Not without looking at the date: what is stated and what happens have moved apart over time."
        ),
        "mend_then_unknown": (
            "Not as they are. For averages after recalibration; whether they are right for each group cannot be said."
        ),
        "cannot_be_said": (
            "For averages nothing speaks against it; whether they are right for each group and each case cannot be "
            "said."
        ),
        "not_for_most": "No. Scores are far off in groups that hold {{ value | percent }} of the cases.",
        "mend_but_not_for_most": (
            "No. Even recalibrated, scores are far off in groups that hold {{ value | percent }} of the cases."
        ),
        "mend_but_not_for": (
            "After recalibration, but not for {{ many(n_groups, 'group') }} named below ({{ value | percent }} of "
            "the cases)."
        ),
        "but_not_for": (
            "Yes as they are, but not for {{ many(n_groups, 'group') }} named below ({{ value | percent }} of the "
            "cases)."
        ),
        "mend_but_not_single": "For averages of many cases, after recalibration; not for a single case.",
        "but_not_single": "For averages of many cases, as they are; not for a single case.",
        "after_recalibration": "Yes, after recalibration: as they are, they are off on average.",
        "as_they_are": "Yes, as they are: {{ n | commas }} cases show nothing serious against it.",
    },
    "pair": {
        "pair_better": ("{{ new }} is surely better than {{ old }}, also if both are recalibrated" + NUMBERS_OF_A_PAIR),
        "pair_worse": "{{ new }} is surely worse than {{ old }}, also if both are recalibrated" + NUMBERS_OF_A_PAIR,
        "better_as_stated": (
            "{{ new }} is surely better than {{ old }} as they are, but no difference is sure once both are "
            "recalibrated" + NUMBERS_OF_A_PAIR
        ),
        "worse_as_stated": (
            "{{ new }} is surely worse than {{ old }} as they are, but no difference is sure once both are "
            "recalibrated" + NUMBERS_OF_A_PAIR
        ),
        "better_until_mended": (
            "{{ new }} is surely better than {{ old }} as they are, but surely worse once both are recalibrated"
            + NUMBERS_OF_A_PAIR
        ),
        "worse_until_mended": (
            "{{ new }} is surely worse than {{ old }} as they are, but surely better once both are recalibrated"
            + NUMBERS_OF_A_PAIR
        ),
        "pair_unclear": "No difference between {{ new }} and {{ old }} is sure as they are" + NUMBERS_OF_A_PAIR,
        "loses_where": (
            "{{ new }} is surely worse than {{ old }} where {{ subject }} ({{ n | commas }} cases, squared error "
            "larger by {{ measured(-value, -high, -low, least=3) }}), and in {{ n_more }} more of "
            "{{ n_groups | commas }} groups."
        ),
        "gains_where": (
            "{{ new }} is surely better than {{ old }} where {{ subject }} ({{ n | commas }} cases, squared error "
            "smaller by {{ measured(value, low, high, least=3) }}), and in {{ n_more }} more of "
            "{{ n_groups | commas }} groups."
        ),
        "groups_compared": (
            "Of {{ n | commas }} groups of one condition, {{ n_gain }} surely gain and {{ n_lose }} surely lose by "
            "the new score; the intervals of all of them hold together."
        ),
        "groups_not_compared": "Groups were not compared: there are too few cases or columns.",
    },
    "average": {
        "reversed": "Higher scores mean rarer: " + PAIRS,
        "knows_nothing": "The scores know next to nothing: " + PAIRS,
        "constant": "All {{ n | commas }} cases have the same score.",
        "in_order": "Higher scores go with more events: " + PAIRS,
        "right_on_average": (
            "Right on average, as far as {{ n | commas }} cases show ({{ drawn_chance(p_value) }}): "
            "{{ stated | percent(0.001) }} was stated and {{ observed | percent(0.001) }} observed; they may still "
            "be off by up to {{ in_points(high, spread) }}."
        ),
        "off_mendable": OFF + ".",
        "off_mendable_curve": OFF + ".",
        "off_unsure": OFF + ", but these cases do not show that recalibration would lower the error for new ones.",
        "off_little": OFF + ": too little for recalibration to be worth while.",
        "off_and_useless": OFF + "; recalibration alone is no remedy.",
        "off_and_moving": (
            OFF + ", and not alike at all times, so that one recalibration for all of them is no remedy."
        ),
        "all_too_low": "Over all cases they are too low: " + RATES,
        "all_too_high": "Over all cases they are too high: " + RATES,
        "falls": (
            "Somewhere higher scores surely go with fewer events ({{ drawn_chance(p_value) }}), which no "
            "recalibration mends that keeps their order; gaps of groups may come from that."
        ),
        "too_extreme": "Too extreme" + SLOPE,
        "too_timid": "Too timid" + SLOPE,
        "bent": (
            "The curve of observed rates is no line in log-odds ({{ drawn_chance(p_value) }}), so that the scores "
            "are recalibrated with a rising curve (isotonic regression)."
        ),
    },
    "time": {
        "drifts": (
            "Over {{ subject }}, stated and observed rates move apart by {{ typically(value, low, high) }} "
            "({{ drawn_chance(p_value) }}): {{ stated_where_high | percent }} stated and "
            "{{ observed_where_high | percent }} observed in {{ period_where_high }}, "
            "{{ stated_where_low | percent }} and {{ observed_where_low | percent }} in {{ period_where_low }}."
        ),
        "steady": (
            "Over {{ subject }}, chance may explain how stated and observed rates differ between {{ n_periods }} "
            "periods ({{ drawn_chance(p_value) }}); by at most {{ in_points(high, high / 10) }}."
        ),
    },
    "loss": {
        "certified_loss": MISSES,
        "certified_loss_of_groups": MISSES,
        "size_unknown": (
            "How far single cases are from their score cannot be certified with {{ n | commas }} cases "
            "({{ chance(p_value) }}); for the groups below it is not right."
        ),
        "perhaps_the_fall": (
            "Whether they are right for a single case cannot be said: what the test sees may be that no rising "
            "curve fits."
        ),
        "signs_of_loss": (
            "There are signs that cases with the same score have different chances ({{ chance(p_value) }}), but "
            "{{ n | commas }} cases cannot certify how much."
        ),
        "no_loss_found": (
            "Nothing shows that cases with the same score have different chances ({{ chance(p_value) }}); a typical "
            "distance of {{ in_points(missed, missed / 5) }}, in regions that a tree can cut, would most likely "
            "have been found."
        ),
        "no_loss_seen": (
            "Nothing shows that cases with the same score have different chances ({{ chance(p_value) }}), which is "
            "no proof; what would have been found for a group stands below."
        ),
        "single_cases_unknown": "Whether they are right for a single case cannot be said. {{ subject }}",
        "by_learners": (
            "Several learners together (boosted trees, splines, kernels, regions) learn from four fifths of the "
            "cases how far a case is from the rate of its score, and the fifth part judges. The truth may be "
            "larger: they see a part of what the columns tell."
        ),
        "by_tree": (
            "Half of the cases choose the regions of a tree and the others measure them; of "
            "{{ '%d' | format(value) }} such halvings the middle one is shown (from "
            "{{ points(splits_low, splits_low / 20) }} to {{ in_points(splits_high, splits_high / 20) }}). The "
            "truth may be larger."
        ),
        "by_one_tree": (
            "Half of the cases choose the regions of a tree and the others measure them. The truth may be larger."
        ),
        "unmeasured": (
            "{{ value | percent }} of the cases lie in regions too small to be measured, and count as zero."
        ),
    },
    "parts": {
        "error_saved": (
            "Recalibration surely lowers the squared error of cases that it has not seen, by "
            "{{ measured(value, low, high, least=4) }}."
        ),
        "error_not_saved": (
            "These cases do not show that recalibration lowers the squared error of cases that it has not seen "
            "({{ measured(value, low, high, sign=True, least=4) }})."
        ),
        "error_grows": (
            "Recalibration makes the squared error of cases that it has not seen a trifle larger "
            "({{ measured(value, low, high, sign=True, least=4) }}), as it will where there is little to mend or "
            "few cases."
        ),
    },
    "groups": {
        "suspicious": (
            "In all {{ n | commas }} cases where {{ subject }}, {{ label }} is {{ outcome }} (stated "
            "{{ stated | rate(low, high) }}): more often chosen so than found so."
        ),
        "too_low": "Too low where {{ subject }} " + STATED,
        "too_high": "Too high where {{ subject }} " + STATED,
        "hot_group": "The largest sure gap, where {{ subject }} " + STATED,
        "spoiled": "Leave the scores as they are where {{ subject }} " + STATED,
        "leans_low": "Probably too low where {{ subject }} " + STATED,
        "leans_high": "Probably too high where {{ subject }} " + STATED,
        "fine_as_stated": "Not surely off where {{ subject }} " + STATED,
        "confirmed_lead": (
            "Look first where {{ subject }}: one half of the cases chose this group, and in the other half "
            "({{ n | commas }} cases) {{ calibrated | rate(low, high) }} is stated after recalibration and "
            "{{ observed | rate(low, high) }} observed, {{ apart(value, low, high) }} points."
        ),
        "hint": (
            "A hint and no finding, where {{ subject }} ({{ n | commas }} cases): after recalibration "
            "{{ calibrated | rate(low, high) }} stated, {{ observed | rate(low, high) }} observed, "
            "{{ apart(value, low, high) }} points; the same cases have chosen and measured it."
        ),
        "nobody_named": (
            "Nobody can be named: none of "
            + LOOKED
            + " is off by more than chance allows ({{ drawn_chance(p_value) }}). That is no all-clear. "
            + MISSED
        ),
        "groups_unknown": "For whom they are wrong cannot be said. {{ subject }}",
        "named_groups": (
            "{{ many(n, 'group', 'is/are') }} off by more than chance allows, also after recalibration, of "
            + LOOKED
            + ". Together they hold {{ value | percent }} of the cases. "
            + MISSED
        ),
        "model_needs": "These groups are told apart by {{ columns | listed(6) }}.",
        "check_columns": "Groups in which all or nothing happened are told apart by {{ columns | listed(6) }}.",
        "people_decide": FAR_OFF,
        "not_alone": FAR_OFF,
    },
    "checked": {
        "levels": (
            "{{ many(n, 'level') }} of the columns to check: in {{ n_off }} the scores are off by more than their "
            "interval allows, in {{ n_few }} there are too few cases to say. Each interval holds for its row alone: "
            "of twenty right rows, one is off by chance."
        ),
    },
    "decisions": {
        "rule_is_cheaper": (
            "{{ subject | first_up }}, without any score, costs less: it saves {{ of_hundred(value, low, high) }} "
            "in 100 cases beside the stated scores."
        ),
        "repair_saves": "The repair, which also uses the columns, " + SAVES,
        "repair_like_rule": (
            "The repair, which also uses the columns, is not surely cheaper than a simple rule: it " + SAVES
        ),
        "repair_saves_nothing": (
            "The columns add something to the score, but a saving by the repair is not sure: it " + SAVES
        ),
        "nothing_to_repair": (
            "Nothing is repaired beyond recalibration: a gain by the columns is not sure ({{ chance(p_value) }})."
        ),
        "repair_not_tried": "A repair by the columns was not tried. {{ subject }}",
        "recalibration_saves": "Recalibration saves {{ of_hundred(value, low, high) }} in 100 cases.",
        "recalibration_saves_nothing": (
            "A saving by recalibration is not sure at your costs ({{ of_hundred(value, low, high, sign=True) }} in "
            "100 cases)."
        ),
        "decides": (
            "If a false alarm costs {{ '%g' | format(alarm) }} and a miss {{ '%g' | format(miss) }}, yes pays from "
            "a probability of {{ value | percent }} on; the stated scores say yes in {{ yes | percent }} of the "
            "cases."
        ),
        "cost_today": (
            "By the stated scores, 100 cases cost {{ of_hundred(value, low, high) }}, in the unit of your costs "
            "(judged by {{ many(n, 'case') }})."
        ),
        "turned": (
            "Recalibration would change {{ recalibrated | percent(0.001) }} of the decisions, and making each named "
            "group right a further {{ turned | percent(0.001) }} ({{ to_yes | percent(0.001) }} to yes, "
            "{{ to_no | percent(0.001) }} to no)."
        ),
        "traded": (
            "In 100 cases, the repaired scores change misses by "
            "{{ of_hundred(more_misses, more_misses_low, more_misses_high, sign=True) }} and false alarms by "
            "{{ of_hundred(more_false_alarms, more_false_alarms_low, more_false_alarms_high, sign=True) }} beside "
            "the stated ones; they say yes in {{ yes | percent }}."
        ),
        "costs_not_given": "Not judged: the parameter cost is not given.",
    },
    "limits": {
        "repeated_rows": (
            "{{ value | percent }} of the rows repeat the row before them in score and columns, so that this report "
            "is too sure if they are the same person again."
        ),
        "only_decisions": (
            "All scores are 0 or 1: these are decisions, not probabilities, and can only look too sure of themselves."
        ),
        "gives_away": (
            "{{ subject }} gives the outcome away: it was left out. If the model that made the scores saw it, they "
            "say nothing about cases whose outcome is not known yet."
        ),
        "likely_people": (
            "By their names, {{ columns | listed }} may stand for people or places with several cases each: if so, "
            "name one as group."
        ),
        "warning": "{{ subject }}.",
        "few_cases": "{{ n | commas }} cases are few: take every number here as a rough one.",
        "few_people": "With so few people or places, the intervals of the averages are too narrow as well.",
    },
    "read": {
        "cases": (
            "{{ name }}: {{ n | commas }} cases. The column {{ score }} states a probability from "
            "{{ least | percent }} to {{ most | percent }}; {{ label }} says what happened: "
            "{{ rate | percent(0.001) }} are 1, the others 0."
        ),
        "people": "They come from {{ '{:,.0f}'.format(value) }} people or places, whose cases are kept together.",
        "weighted": "Each case counts by its weight.",
        "compared": "{{ new }} is compared with the old score {{ subject }}; all else is about {{ new }}.",
        "known": "Known about each case: {{ columns | listed(12) }}.",
        "dropped": "Columns left out: {{ reasons | with_reasons | listed(12) }}.",
        "unweighted": "Left out: {{ many(n, 'case') }} of weight 0, not sampled.",
        "remark": "Note: {{ subject }}.",
        "checksum": "Checksum of the file (SHA-256): {{ subject[:16] }}…",
    },
}

ADVICE = {  # what to do, and how
    "no_reversed": (
        "Check the direction of the scores.",
        "Perhaps the score is the probability of 0, or columns were mixed up. Then audit again.",
    ),
    "no_knows_nothing": (
        "Find out why the scores know nothing before anybody decides by them.",
        "Compare the column of scores with what the model gives; perhaps rows were shuffled, or it was trained on "
        "other cases.",
    ),
    "use_repaired": (
        "Decide by the repaired scores.",
        NEW_CASES,
    ),
    "use_rule": (
        "Do not decide by these scores at these costs.",
        "Until there are better ones: {{ subject }}.",
    ),
    "as_they_are": (
        "Use the scores as they are, and audit again when things change.",
        "That nothing was found with these cases and columns does not mean that there is nothing.",
    ),
    "pair_worse": (
        "Keep {{ old }}.",
        "{{ new }} is surely worse in squared error.",
    ),
    "better_as_stated": (
        "Recalibrate {{ old }} before you replace it by {{ new }}.",
        "That may be all there is to gain.",
    ),
    "worse_as_stated": (
        "Keep {{ old }}, or recalibrate {{ new }} first.",
        "Recalibrated, no difference is sure.",
    ),
    "better_until_mended": (
        "Recalibrate {{ old }} and keep it.",
        "Recalibrated, it is surely better than {{ new }}.",
    ),
    "worse_until_mended": (
        "Recalibrate {{ new }} before you use it.",
        "Recalibrated, it is surely better than {{ old }}.",
    ),
    "loses_where": (
        "Before you replace {{ old }}, look at who loses.",
        "Where {{ subject }}, {{ new }} is surely worse.",
    ),
    "off_mendable": (
        RECALIBRATE,
        "Replace the log-odds z of each score by {{ '%.2f' | format(intercept) }} {{ '%+.2f' | format(slope) }} z."
        + CHECK_NEW,
    ),
    "off_mendable_curve": (
        RECALIBRATE,
        "Replace each score by the observed rate of scores like it: an isotonic curve." + CHECK_NEW,
    ),
    "falls": (
        "Look at the curve: where do higher scores go with fewer events?",
        "Such scores were often put together from two models or two kinds of cases.",
    ),
    "drifts": (
        "Find out what changed over {{ subject }}, and use the newest cases to recalibrate.",
        "A recalibration of all periods together is wrong for each of them. Look at the table by period.",
    ),
    "certified_loss": (
        "Retrain the model with the columns of this table.",
        "Cases with the same score have different chances, and these columns tell some of it. " + ONLY_IF,
    ),
    "suspicious": (
        "Check how cases in which all or nothing happened came into the table.",
        "Perhaps they were taken in because of what happened, or the others were not waited for.",
    ),
    "spoiled": (
        "Leave groups out of the recalibration that it would make wrong.",
        "Keep their scores as they are, or recalibrate them apart from the others.",
    ),
    "confirmed_lead": (
        "Begin where {{ subject }}.",
        "Nobody is named among groups of one condition or two; this one was confirmed by cases that had not chosen it.",
    ),
    "groups_unknown": (
        "Add what is missing to the table, and audit again.",
        "{{ subject }}",
    ),
    "model_needs": (
        "Let the model use {{ columns | listed(4) }}, if you may.",
        ONLY_IF
        + " If the model never saw it, give it; if it did, let the model be more flexible there. Then audit again. "
        "Recalibration alone cannot mend it.",
    ),
    "check_columns": (
        "Check {{ columns | listed(4) }}.",
        "A model that is given them would learn how cases came into the table.",
    ),
    "people_decide": (
        "Until then, let people decide for the groups with the largest gaps.",
        "Those of {{ in_points(least, least / 10) }} or more hold {{ value | percent }} of the cases.",
    ),
    "not_alone": (
        "Until then, do not let the scores decide alone.",
        "Groups with gaps of {{ in_points(least, least / 10) }} or more hold {{ value | percent }} of the cases.",
    ),
    "repair_saves": (
        "Decide by the repaired scores.",
        NEW_CASES,
    ),
    "repeated_rows": (
        "Name the column that tells people apart.",
        "Perhaps it is {{ columns | listed }} (parameter group). Then audit again.",
    ),
    "only_decisions": (
        "Ask for the probabilities behind these decisions.",
        "Most models have them, and they can be recalibrated and decided by at any costs.",
    ),
    "gives_away": (
        "Ask whether the model has seen {{ subject }}.",
        "It is known only with the outcome, so that no model that decides before may use it.",
    ),
}
