"""The findings of `helpers.reports.scores` in plain words, section by section, for readers who decide.

"Points" are percentage points of probability. Functions return a table, a list of paragraphs for `say`, or a text.
"""

import numpy as np
import pandas as pd

from helpers.reports.phrases import chance, in_points, listed, many, percent, points, root, span, squared
from helpers.reports.scores_advice import next_steps
from helpers.reports.scores_summary import drift, root_se, spread, upper

NBSP = "\N{NO-BREAK SPACE}"


def describe(table):
    """What was read: size, features, columns left out, notes. Paragraphs."""
    grouped = "" if table.groups is None else f" of {table.groups.max() + 1:,} people or places"
    weighted = "" if table.weight is None else ", each with its weight"
    rate = percent(np.average(table.y, weights=table.weight), 0.001)
    said = [
        f"{table.name}: {table.n:,} cases{grouped}{weighted}. The column {table.score!r} states a probability from "
        f"{percent(table.p.min())} to {percent(table.p.max())}. The column {table.label!r} says what happened: "
        f"it is 1 in {rate} of the cases."
    ]
    if table.features:
        said += [f"Known about each case: {listed(table.features, 12)}."]
    if table.dropped:
        said += [f"Columns left out: {listed([f'{name} ({why})' for name, why in table.dropped.items()], 12)}."]
    return said + [f"Note: {table.note}."] * bool(table.note)


def steps_table(report):
    """The next steps with the way to do them. A table."""
    return pd.DataFrame(next_steps(report), columns=["What", "How"]).set_index("What")


def reliability_table(report):
    """Calibration error as measured, of a perfect model, and without chance, in points. A table."""
    error, se = report.error, spread(report.error)
    rows = {
        "as measured": (points(error.value, se), "contains chance"),
        "of a perfect model": (points(error.null, se), f"same cases, same {many(error.n_bins, 'bin')}: chance alone"),
        "without chance": (points(error.debiased, se), f"95 % interval {span(error.low, upper(error), se)}"),
    }
    frame = pd.DataFrame(rows.values(), index=list(rows), columns=["points", "remark"])
    return frame.rename_axis("calibration error")


def about_calibration(report):
    """How to read the reliability diagram of this table. Paragraphs."""
    error, curve = report.error, report.error.curve
    outside = int(((curve.observed < curve.band_low) | (curve.observed > curve.band_high)).sum())
    verdict = "More than chance can explain" if error.p_value < 0.05 else "No more than chance can explain"
    said = [
        f"{outside} of {many(error.n_bins, 'dot', 'lies/lie')} outside the grey band, in which a calibrated "
        f"model keeps 95 % of its dots. {verdict} ({chance(max(error.p_value, 0.001))}). {drift(report)}"
    ]
    readable = report.kind == "platt" and not report.calibrator.n_clipped_
    if readable and error.p_value < 0.05 and abs(report.calibrator.slope_ - 1) > 0.1:
        slope = report.calibrator.slope_
        if slope < 0.1:
            way = "hardly differ in what happens" if slope > -0.1 else "differ the other way round: higher means rarer"
            return [*said, f"Cases with different scores {way}."]
        said += [
            f"The scores are too {'extreme' if slope < 1 else 'timid'}: a difference in log-odds between two cases "
            f"is in truth {slope:.1f} times as large as stated."
        ]
    return said


def reliability_alt(report):
    """The reliability diagram for those who cannot see it."""
    curve = report.error.curve
    gap = curve.observed - curve.stated
    k = int(np.argmax(np.abs(gap)))
    return (
        f"Reliability diagram with {many(gap.size, 'dot')}, from {percent(curve.stated[0])} to "
        f"{percent(curve.stated[-1])} stated. {int((gap > 0).sum())} of them lie above the diagonal, where more is "
        f"observed than stated. The farthest is at {percent(curve.stated[k])} stated with "
        f"{percent(curve.observed[k])} observed."
    )


def loss_table(report):
    """Grouping loss in squared error and as a typical distance, beside a perfect model. A table, or None."""
    loss = report.loss
    if loss is None:
        return None
    ends = {"estimate": loss.value, "95 % interval from": loss.low, "to": loss.high}
    squares = [squared(x, loss.se) if name == "estimate" or x > 0 else "0" for name, x in ends.items()]
    distances = [points(root(x), root_se(loss)) for x in ends.values()]
    frame = pd.DataFrame([squares, distances], ["squared error", "typical distance in points"], columns=list(ends))
    frame["of a perfect model"] = "0"
    return frame.rename_axis("grouping loss")


def about_loss(report):
    """What the grouping loss says, and what it could have said. Paragraphs."""
    loss = report.loss
    if loss is None:
        return [f"No grouping loss can be certified. {report.obstacle}"]
    if report.certified:
        said = [
            "If all cases with one score had the same chances, a value like this would be rare "
            f"({chance(loss.p_value)}). So at least {in_points(root(loss.low), root_se(loss))} can be taken as "
            "certain. The whole may be more than the interval says, because no table tells everything about a case."
        ]
    else:
        least = in_points(root(report.detectable), root(report.detectable) / 5)
        said = [
            f"No grouping loss can be certified with these {report.table.n:,} cases (test: {chance(loss.p_value)}). A "
            f"typical distance of {least} or more would most likely have been found, if the features can tell it. To "
            "find one half as large takes about sixteen times as many cases."
        ]
    if report.kind == "isotonic":
        said += [
            "Platt's two-parameter curve does not fit these scores. They were recalibrated with an isotonic curve, "
            "so that what Platt's misses is not taken for grouping loss."
        ]
    if loss.left_out > 0.05:
        said += [f"{percent(loss.left_out)} of the cases lie in regions too small to be measured. They count as zero."]
    return said


def read_loss_table():
    """How to read `loss_table`. Paragraphs."""
    return [
        "The estimate is a lower bound: features that are not in the table may tell cases apart still further. "
        "Chance has been subtracted, so a perfect model gets 0 on average, and sometimes a little less."
    ]


def read_group_table():
    """How to read `group_table`. Paragraphs."""
    return [
        "A negative gap means that the scores were too high for these cases, a positive one that they were too "
        "low; the gap that recalibration of all scores would leave stands in its own column. Beyond chance takes "
        "into account how many groups were looked at."
    ]


def group_table(report):
    """The groups with stated and observed rates. A table, or None."""
    if report.audit is None:
        return None
    rows = []
    for row in report.audit.table.itertuples():
        se = (row.high - row.low) / 4
        gap = f"{points(row.gap, se, sign=True)} ({span(row.low, row.high, se, sign=True)})"
        stays = "yes" if row.left_adjusted < 0.05 else "until recalibrated"
        rows.append({
            "cases where": row.rule,
            "share": percent(row.share),
            "stated": percent(row.stated),
            "observed": percent(row.observed),
            "gap in points": gap.replace(" ", NBSP),
            "after recalibration": points(row.left, se, sign=True),
            "beyond chance": "no" if row.adjusted >= 0.05 else stays,
        })  # fmt: skip
    return pd.DataFrame(rows)


def about_groups(report):
    """What the table of groups says. Paragraphs."""
    if report.audit is None:
        return [f"Groups cannot be compared. {report.obstacle}"]
    sure, table = report.audit.sure, report.audit.table
    if not len(sure):
        reach = points(max(-table["low"].min(), table["high"].max()))
        return [
            f"None of {many(len(table), 'group')} is off by more than chance allows. The widest interval ends at a "
            f"gap of {reach} points."
        ]
    stay = len(report.audit.remaining)
    stay = f"{stay} of them" if stay else "none of them"
    return [
        f"{len(sure)} of {many(len(table), 'group')}, with {percent(sure['share'].sum())} of the cases, "
        f"{'is' if len(sure) == 1 else 'are'} off by more than chance allows, with an adjustment for the number of "
        f"groups. In {stay} recalibration would leave a gap beyond chance. They are told apart by "
        f"{listed(report.audit.features)}."
    ]


def groups_alt(report):
    """The figure of the groups for those who cannot see it."""
    table = report.audit.table
    first, last = table.iloc[0], table.iloc[-1]
    return (
        f"Gaps between observed and stated rates of {len(table)} groups with their intervals, from "
        f"{points(first['gap'], sign=True)} points ({first['rule']}) to {points(last['gap'], sign=True)} points "
        f"({last['rule']}). Beyond chance: {many(len(report.audit.sure), 'group')}."
    )


def about_decisions(report):
    """The threshold of the costs, and the decisions that the measured gaps would turn. Paragraphs."""
    d, cost = report.decisions, report.cost
    false_alarm, miss = cost[1, 0] - cost[0, 0], cost[0, 1] - cost[1, 1]
    said = [
        f"If a false alarm costs {false_alarm:g} and a miss costs {miss:g}, it pays to say yes from a probability of "
        f"{percent(d.threshold)} on. By the stated scores, this means yes for {percent(d.yes)} of the cases.",
        f"Recalibration would turn {percent(d.recalibrated)} of the decisions.",
    ]
    if report.audit is None:
        return said
    if not len(report.audit.remaining):
        return [*said, "No group is surely misjudged beyond that, so there is nothing more to correct."]
    if not d.to_yes + d.to_no:
        return [*said, "If misjudged groups were corrected by the gaps that it leaves, no further decision would turn."]
    return [
        *said,
        "If misjudged groups were corrected by the gaps that it leaves, a further "
        f"{percent(d.to_yes + d.to_no)} would turn: {percent(d.to_yes)} from no to yes, {percent(d.to_no)} from yes "
        "to no.",
    ]


def control_line(control):
    """What the negative control found, in one line."""
    if control is None:
        return "No control was run, because no grouping loss was estimated."
    fair = "no more than a fair test at 5 % may" if control.alarms <= 4 else "more than a fair test at 5 % may"
    return (
        f"{control.draws} tables with nothing to find, {control.n:,} cases each: grouping loss "
        f"{squared(control.value, control.se * control.draws**0.5)} on average, {many(control.alarms, 'alarm')} of "
        f"the test ({fair}), {control.named} with a group called misjudged."
    )
