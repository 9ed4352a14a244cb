"""Findings of a report on scores: numbers in, findings out.

Every threshold, and every rule for which of two things is said, stands here and nowhere else; the words stand in
score_words.ini. Each function takes the `ScoreReport` whose numbers it reads; `use_of` reads findings alone.
"""

import re
from dataclasses import replace
from itertools import chain

import numpy as np

from helpers.partition.column_notes import AS_CATEGORIES
from helpers.practice.reports.average import OTHERS, SMALL
from helpers.practice.reports.findings import Finding, Severity, ends_of
from helpers.practice.reports.intake import (
    LEAST_ROWS,
    NAMES_OF_GROUPS,
    find_limitation,
    leaking_columns,
    likely_groups,
)
from helpers.practice.reports.misjudged import least_gaps
from helpers.practice.reports.pair import LEAST_UNITS
from helpers.practice.reports.phrases import as_shown, root, round_up
from helpers.practice.tables.features import GIVES_AWAY
from helpers.practice.tables.scores import ANSWER

ALPHA = 0.05  # of a test
VAGUE = 0.1  # by which scores may be off though nothing shows it, from which that is no "yes"; less for rare labels
GRAVE = 0.05  # gap from which people should decide; for labels rarer than one in ten, half of their rate
WEAK = 0.55  # of pairs in the right order (luck gives half): a score that surely stays below knows nothing
REVERSED = -4.0  # correlation with the label, in standard errors
MOVED = 0.1  # change of the gap over time that makes the whole score useless, if it is surely as large
FEWEST_NEWEST = 200  # cases of the last period by which scores may be recalibrated alone
SAME = 0.5  # part of the gap after recalibration that a group must have as stated to lean that way
WIDER = 1.2  # intervals, from which rows that err alike are worth a word: 95 % intervals would hold in 90 % without it
MOST_NEW = 10  # times the cases that judge a repair: new ones that its test may ask for
MANY = 0.5  # share of the cases from which misjudged groups are no exception

UNKNOWN_OFF = {  # where groups are unknown
    "off_little": "off_then_unknown",
    "off_unsure": "off_then_unknown",
    "off_somewhere": "somewhere_then_unknown",
}
OFF_AS_STATED = ("too_low", "too_high")  # groups whose stated scores are significantly off
MENDED_OR_NOT = ("off_mendable", "off_repaired", "off_unmendable", "off_unsure")  # worth mending
NAMED_OF_REPAIR = ("columns", "period", "n_new", "new_low", "new_high", "recalibrated_low")  # in the headline's step
OFF = (*MENDED_OR_NOT, "off_little", "off_somewhere")  # of which one may be found


def find_all(report):
    """The findings of a report, in the order of the page; that of the question "may they be used?" last."""
    order = list(of_order(report))
    drifts = list(of_drifts(report))
    moving = [one.subject for one in drifts if one.kind == "drifts" and one.severity >= Severity.SERIOUS]
    money = list(of_money(report, moving))
    is_repaired = any(one.kind == "repair_saves" for one in money)
    rule_wins = any(one.kind == "rule_is_cheaper" and one.more["mended_low"] <= 0 for one in money)
    remedy = "off_repaired" if is_repaired else "off_unmendable" if rule_wins else "off_mendable"
    average = list(of_average(report, order[0].kind if order else "", "off_unmendable" if moving else remedy))
    used = "repaired" if is_repaired else "stated"
    used = "recalibrated" if any(one.kind == "off_mendable" for one in average) else used
    groups = list(of_groups(report, used, moving))
    if order and order[0].severity == Severity.GRAVE:  # scores that know nothing decide nowhere, at no date
        groups = [one for one in groups if one.kind not in ("people_decide", "not_alone")]
        drifts = [replace(one, severity=Severity.NOTE) for one in drifts]
    spared = [one.subject for one in groups if one.kind == "spoiled" and one.severity >= Severity.SERIOUS]
    average = [replace(one, more=one.more | {"spared": spared}) for one in average]
    findings = [
        *of_rows(report.table, report.assumed_groups),
        *of_leaks(report.table),
        *of_table(report.table),
        *of_pair(report.pair),
        *order,
        *average,
        *drifts,
        *of_loss(report),
        *groups,
        *of_classes(report.several, report.over_time),
        *of_class_costs(report.several),
        *of_checked(report.checked),
        *money,
        *of_limits(report),
    ]
    return [*findings, use_of(findings, report.table.n)]


def severity_of(size, scale, least=SMALL):
    """Serious from a size on that shrinks with the rate of rare labels, else a note."""
    return Severity.SERIOUS if abs(size) >= least * scale else Severity.NOTE


def of_rows(table, assumed):
    """What is odd about rows and columns, and what was assumed; `assumed`: the alert that the groups come from."""
    serious = {"severity": Severity.SERIOUS}
    for alert in table.alerts:
        ends = {"value": alert.value, "n": alert.n} | serious
        more = alert.more | {"columns": list(alert.columns)}
        if alert.kind == "copies":
            yield Finding("copies", **ends, more=more)
        elif alert is assumed and alert.value < WIDER:
            continue  # nobody would notice; how many belong together is said where the table is read
        elif alert is assumed:
            kind = {"cluster": "assumed_groups", "same_rows": "assumed_equal"}.get(alert.kind, "assumed_copies")
            yield Finding(kind, table.group_name, **ends, more=more)
        elif alert.kind == "cluster" and assumed is None and alert.value >= WIDER:
            yield Finding("may_depend", ", ".join(alert.columns), **ends, more=more)
            return  # of several such columns the one that makes intervals widest


def of_leaks(table):
    """Columns that were left out because they tell the outcome, each with the question whether it was known before."""
    serious = {"severity": Severity.SERIOUS}
    for name in leaking_columns(table.alerts):
        of_column = [alert for alert in table.alerts if name in alert.columns]
        alert = next((one for one in of_column if one.kind == "leak"), of_column[0])
        more = {"by": alert.more["by"], "others": [other for other in alert.columns if other != name]}
        more |= {"tells": alert.kind == "leak", "may_be_group": bool(re.fullmatch(NAMES_OF_GROUPS, name.lower()))}
        yield Finding("known_before", name, value=alert.value, n=alert.n, **serious, more=more)
    for name, why in table.dropped.items():
        if why == GIVES_AWAY and name != table.group_name:
            more = {"by": "in nearly every row", "others": [], "tells": True}
            more["may_be_group"] = bool(re.fullmatch(NAMES_OF_GROUPS, name.lower()))
            yield Finding("known_before", name, value=1.0, n=table.n, **serious, more=more)


def of_table(table):
    """What was read, and what makes all else unsure."""
    n = table.n
    rate = float(np.average(table.y, weights=table.weight))
    about = {"name": table.name, "label": table.label, "score": table.score, "rate": rate}
    about["n_classes"] = 0 if table.classes is None else table.classes.P.shape[1]
    yield Finding("cases", n=n, more=about | {"least": float(table.p.min()), "most": float(table.p.max())})
    if table.dropped:
        yield Finding("dropped", n=n, more={"reasons": table.dropped})
    if table.n_unweighted:
        yield Finding("unweighted", n=table.n_unweighted)
    notes = table.note.split("; ") if table.note else []
    unread = [note for note in notes if AS_CATEGORIES in note]
    for note in unread:
        yield Finding("not_as_meant", note, severity=Severity.SERIOUS)
    if len(notes) > len(unread):
        yield Finding("remark", "; ".join(note for note in notes if note not in unread))
    if table.groups is not None:
        yield Finding("people", table.group_name, value=float(table.groups.max() + 1), n=n)
    elif not table.are_independent and (names := likely_groups(table)):
        yield Finding("likely_people", n=n, more={"columns": names})
    if ((table.p == 0) | (table.p == 1)).all():
        yield Finding("only_decisions", n=n, severity=Severity.SERIOUS)


def of_order(report):
    """Whether higher scores go with more events: by the share of pairs in which the case of 1 has the higher score."""
    table = report.table
    if np.ptp(table.p) == 0:
        yield Finding("constant", n=table.n, severity=Severity.SERIOUS)
    elif report.order is not None:
        ends = ends_of(report.order, "area")
        ends |= {"low": max(ends["low"], 0.0), "high": min(ends["high"], 1.0)}
        if np.corrcoef(table.p, table.y)[0, 1] * np.sqrt(table.n) < REVERSED:
            kind = "reversed"
        else:
            is_sure = ends["low"] > 0.5
            kind = "knows_nothing" if ends["high"] < WEAK else "in_order" if is_sure else "order_unsure"
        severity = {"in_order": Severity.GOOD, "order_unsure": Severity.NOTE}.get(kind, Severity.GRAVE)
        yield Finding(kind, severity=severity, **ends, n=table.n)


def of_average(report, order="", remedy="off_mendable"):
    """Whether the scores are right on average; `order`: kind of `of_order`; `remedy`: kind if they should be mended."""
    average = report.average
    n = report.table.n
    more = {name: float(average.rates[name]) for name in ("stated", "observed")} | {"se": average.se}
    is_useless = order in ("knows_nothing", "reversed", "constant")
    severity = severity_of(average.size, average.scale)
    if not average.is_miscalibrated:
        kind, severity = "right_on_average", Severity.GOOD
    elif average.low <= 0:
        kind, severity = "off_somewhere", Severity.NOTE
    elif is_useless:
        kind = "off_unmendable"
    elif not average.is_worth_mending:
        kind, severity = "off_little", Severity.NOTE
    elif remedy == "off_mendable" and not is_mendable(report):
        kind = "off_unsure"
        more |= {name: report.loss_parts[name] for name in ("saved", "saved_low", "saved_high")}
    else:
        kind = remedy
        calibrator = average.calibrator
        line = [float(calibrator.intercept_), float(calibrator.slope_)] if average.has_log_odds else None
        more |= {"line": line, "levels": average.levels}
    more |= {"lead": lead_of(average, is_useless), "slope": average.slope, "vague": VAGUE * average.scale}
    if average.direction and average.is_worth_mending:
        over_all = ends_of(average.rates, "gap", "low", "high")
        grave = severity_of(over_all["value"], average.scale)
        yield Finding("all_too", average.direction, severity=grave, **over_all, n=n, more=more)
    ends = {"value": average.size, "low": average.low, "high": average.high, "p_value": average.p_value}
    yield Finding(kind, severity=severity, **ends, n=n, more=more)
    if average.slope is not None and not is_useless:
        low, high = average.line.slope_interval
        more = {"word": "extreme" if average.slope < 1 else "timid"}
        yield Finding("slope", value=average.slope, low=low, high=high, n=n, more=more)
    if average.no_curve_fits and order != "reversed":
        by_band = 1.0 if average.curve.is_monotone else OTHERS  # no rising curve lies within a band of 99 %
        severity = Severity.NOTE if is_useless else Severity.SERIOUS
        yield Finding("falls", p_value=min(average.residual_p_value, by_band), n=n, severity=severity)


def is_mendable(report):
    """Whether a recalibration by these cases surely helps others: on labels that it has not seen, or by two points."""
    average = report.average
    is_sure = report.loss_parts["saved_low"] > 0 or average.low >= SMALL * average.scale
    return average.is_worth_mending and is_sure


def lead_of(average, is_useless=False):
    """What is worst about scores that are off: too "high" or "low" as a whole, too "extreme" or "timid", or "".

    The squared distance of stated and observed rates is that over all cases, plus what differs from score to score.
    """
    if average.direction and average.rates["gap"] ** 2 >= average.size**2 / 2:
        return average.direction
    if average.slope is None or is_useless:
        return average.direction if abs(average.rates["gap"]) >= SMALL * average.scale else ""
    return "extreme" if average.slope < 1 else "timid"


def of_drifts(report):
    """Whether what is stated and what happens move apart over time."""
    scale = report.average.scale
    for drift in report.drifts:
        rows = drift.table
        ends = {"value": drift.value, "low": max(drift.low, 0.0), "high": drift.high, "p_value": drift.p_value}
        more = {"n_periods": len(rows), "newest": rows["period"].iloc[-1]}
        more["is_enough"] = bool(rows["n"].iloc[-1] >= FEWEST_NEWEST)
        # where scores are highest and lowest beside what happens
        for place, row in (("high", rows.loc[rows["gap"].idxmin()]), ("low", rows.loc[rows["gap"].idxmax()])):
            more |= {f"{name}_where_{place}": row[name] for name in ("period", "stated", "observed")}
        if drift.p_value >= ALPHA:
            kind, severity = "steady", Severity.NOTE
        else:
            is_grave = drift.low >= MOVED * scale
            kind, severity = "drifts", Severity.GRAVE if is_grave else severity_of(drift.value, scale)
        yield Finding(kind, drift.column, severity=severity, **ends, n=int(rows["n"].sum()), more=more)


def of_loss(report):
    """Whether the scores are right for a single case."""
    loss = report.loss
    n = report.table.n
    if loss is None:
        yield Finding("single_cases_unknown", report.limitation, n=n)
        return
    is_for_groups = report.audit is not None and not report.audit.significant.empty
    if report.certified:
        distances = {name: root(getattr(loss, name)) for name in ("value", "low", "high")}
        severity = severity_of(distances["value"], report.average.scale)
        se = loss.se / (2 * max(distances["value"], root(loss.se), 1e-9))
        more = {"se": min(se, max(distances["low"] * 2 / 3, 1e-9))}  # of a lower end above 0, no 0 is left
        kind = "certified_loss_of_groups" if is_for_groups else "certified_loss"
        yield Finding(kind, severity=severity, **distances, p_value=loss.p_value, n=n, more=more)
        return
    repair = report.scores.model  # its test asks the same
    p_value = float(min(loss.p_value, repair.p_value_ if repair is not None and repair.changed_ else 1.0))
    kind = "size_unknown" if is_for_groups or p_value < ALPHA else "no_loss_found"
    yield Finding(kind, p_value=p_value, n=n, more={"is_sure": p_value < ALPHA})


def kind_of_group(row):
    """What may be said of a named group: from its gap as stated, with interval, and that after recalibration."""
    gap, residual_gap = row["gap"], row["residual_gap"]
    if gap > 0 and row["low"] >= 0:
        return "too_low"
    if gap < 0 and row["high"] <= 0:
        return "too_high"
    return "leans" if gap * residual_gap > 0 and abs(gap) >= SAME * abs(residual_gap) else "fine_as_stated"


def of_group(row, scale, *, used="stated", over_time=()):
    """The finding on a named group, a row of the table of `MisjudgedGroups`.

    used : scores that will be used
    over_time : columns of its conditions in which new cases lie beyond these ones
    """
    names = ("stated", "observed", "calibrated", "share", "residual_gap", "residual_low", "residual_high")
    kind = kind_of_group(row)
    mends = used == "recalibrated"
    more = {name: float(row[name]) for name in names} | {"part_of": row["part_of"], "over_time": over_time}
    more["turns"] = mends and row["gap"] * row["residual_gap"] < 0
    size = max(abs(row["gap"]) if kind in OFF_AS_STATED else 0.0, abs(row["residual_gap"]) if mends else 0.0)
    severity = Severity.NOTE if over_time else severity_of(size, scale)
    if kind == "fine_as_stated" and mends:
        kind = "spoiled"
    ends = ends_of(row, "gap", "low", "high") | {"p_value": float(row["adjusted"]), "n": int(row["n"])}
    return Finding(kind, row["rule"], severity=severity, **ends, more=more)


def gaps_of(groups, used, repaired=None):
    """Gap, low and high that the scores in use leave each group: "stated", "recalibrated" or "repaired" ones."""
    if used == "stated":
        return groups[["gap", "low", "high"]]
    ends = groups[["residual_gap", "residual_low", "residual_high"]].set_axis(["gap", "low", "high"], axis=1)
    return ends if used == "recalibrated" else ends.add(groups["calibrated"] - repaired[groups.index], axis=0)


def are_far(gaps, least):
    """Which gaps are certainly as large as `least`."""
    return (np.maximum(gaps["low"], -gaps["high"]) >= least).to_numpy()


def whole_groups(groups):
    """Groups of which none is a part of another of them."""
    return groups[~groups["part_of"].isin(groups["rule"])]


def of_groups(report, used, moving=()):
    """For whom the scores are wrong; `used`: scores that will be used, "stated", "recalibrated" or "repaired".

    A group over the date is no advice for new cases, all or none of which lie in it.
    """
    audit = report.audit
    scale = report.average.scale
    n = report.table.n
    if audit is None:
        _, needed = find_limitation(report.table)
        more = {"needed": needed or "columns whose values have enough cases each"}
        why = report.limitation or "No column has groups of enough cases."
        yield Finding("groups_unknown", why, n=n, severity=Severity.SERIOUS, more=more)
        return
    search = audit.search
    about = {"n_groups": len(search.table), "smallest": search.smallest, "detectable": sorted(audit.detectable.items())}
    about |= {"is_close": bool(search.is_close(search.p_value)), "p_se": search.p_value_se, "n_draws": search.n_draws}
    named = audit.significant
    if named.empty:
        yield Finding("nobody_named", p_value=search.p_value, n=n, more=about)
        return
    # the most cases times gap first, then the surely largest gap
    named = named.loc[list(dict.fromkeys([named.index[0], least_gaps(named).idxmax(), *named.index]))]
    gaps = gaps_of(named, used, report.repaired_rates)
    least = as_shown(GRAVE * scale, GRAVE * scale / 10) / 100  # the limit that is shown is the one that holds
    is_off = gaps["gap"].abs() >= SMALL * scale
    if used == "repaired":  # by the sign alone, a group is known to be off where recalibration leaves it so
        is_off &= (gaps["low"] > 0) | (gaps["high"] < 0)
    over_time = audit.over(named, report.over_time)
    is_lasting = ~over_time.astype(bool).to_numpy()
    passing = named[is_off & ~is_lasting]
    serious = named[is_off & is_lasting]
    far = are_far(gaps, least) & is_lasting
    sure = are_far(gaps, SMALL * scale) & is_lasting
    if used == "recalibrated":  # whom it would make wrong keeps the stated scores
        moved = np.array([kind_of_group(row) != "fine_as_stated" for _, row in named.iterrows()])
        far, sure = far & moved, sure & moved
    grave = named[far]
    whole = whole_groups(grave)["rule"].tolist()
    about["n_close"] = int(search.is_close(named["adjusted"]).sum())
    about["n_parts"] = len(named) - len(whole_groups(named))
    shares = {"serious": audit.share(serious), "whom": whole_groups(serious)["rule"].tolist()}
    shares["is_sure"] = audit.share(named[sure]) >= MANY
    shares |= {"least": least, "is_rare": scale < 1, "grave": audit.share(grave, np.sign(gaps["gap"][far]))}
    far_as_stated = named[are_far(gaps_of(named, "stated"), least) & is_lasting]
    shares["far_as_stated"] = whole_groups(far_as_stated)["rule"].tolist()
    ends = {"value": audit.share(named), "n": len(named), "p_value": search.p_value, "more": about | shares}
    yield Finding("named_groups", severity=Severity.SERIOUS, **ends)
    if len(passing):
        columns = list(dict.fromkeys(chain.from_iterable(over_time[passing.index])))
        severity = Severity.NOTE if moving else Severity.SERIOUS
        yield Finding("groups_over_time", ", ".join(columns), n=len(passing), severity=severity)
    for index, row in named.iterrows():
        yield of_group(row, scale, used=used, over_time=over_time[index])
    needed = [name for name in audit.to_add(serious) if name not in (*moving, ANSWER)]
    if needed:
        yield Finding("model_needs", n=len(needed), severity=Severity.SERIOUS, more={"columns": needed})
    if len(grave):
        kind = "people_decide" if shares["grave"] < MANY else "not_alone"
        ends = {"value": shares["grave"], "n": len(whole)}
        ends["more"] = {"least": least, "is_rare": scale < 1, "whom": whole, "used": used}
        ends["more"]["cancels"] = shares["grave"] < audit.share(grave)
        yield Finding(kind, severity=Severity.SERIOUS, **ends)


def of_classes(several, over_time=()):
    """What the scores of all classes say together; nothing for those of one. `over_time`: see `of_group`."""
    if several is None:
        return
    loss = several.loss
    ends = {name: root(getattr(loss, name)) for name in ("value", "low", "high")}
    sure = loss.low > 0
    kind = "class_loss" if sure else "class_loss_unsure"
    severity = Severity.SERIOUS if sure and ends["value"] >= SMALL else Severity.NOTE
    se = loss.se / (2 * ends["value"]) if ends["value"] > 0 else 0.0
    more = {"se": se, "over": "steps of the scale" if several.ordered else "classes"}
    yield Finding(kind, **ends, p_value=loss.p_value, n=loss.n, severity=severity, more=more)
    for _, row in several.groups.iterrows():
        yield of_class_group(row, several.ordered, [name for name in over_time if name in row["needs"]])
    needed = [name for name in several.needs if name not in over_time]
    if needed:
        yield Finding("class_model_needs", n=len(needed), severity=Severity.SERIOUS, more={"columns": needed})
    yield of_class_repair(several.repair)


def of_class_group(row, ordered, over_time=()):
    """The finding on a group of which one class, or one step of a scale, is off: a row of `SeveralClasses.groups`.

    over_time : as in `of_group`
    """
    ends = ends_of(row, "stated_gap", "stated_low", "stated_high")
    is_off = ends["low"] >= 0 or ends["high"] <= 0
    kind = "step_group" if ordered else "class_group"
    more = {"label": str(row["class"]), "other": "", "over_time": over_time}
    more |= {name: float(row[name]) for name in ("stated", "observed", "other_stated", "other_observed")}
    more |= {f"residual_{name}": float(row[name]) for name in ("gap", "low", "high")}
    if (row["other_observed"] - row["other_stated"]) * ends["value"] < 0:
        more["other"] = str(row["too_low"] if row["class"] == row["too_high"] else row["too_high"])
    severity = severity_of(ends["value"], 1.0) if is_off and not over_time else Severity.NOTE
    ends |= {"p_value": float(row["adjusted"]), "n": int(row["n"])}
    return Finding(kind if is_off else f"{kind}_fine", row["rule"], severity=severity, **ends, more=more)


def of_class_repair(repair):
    """What a repair of the scores of all classes gains, a `ClassRepair`."""
    gains = repair.gains
    if not repair.model.changed_:
        ends = ends_of(gains.loc["recalibrated"], "saved")
        return Finding("classes_only_recalibrated", **ends, p_value=repair.model.p_value_, n=repair.judged.rows.size)
    period = "" if repair.later is None or repair.later.too_few else repair.later.period
    recalibrated = {f"recalibrated_{end}": x for end, x in ends_of(gains.loc["recalibrated"], "saved").items()}
    is_worth = root(gains.loc["beyond", "saved_low"]) >= GRAVE and gains.loc["repaired", "saved_low"] > 0
    kind, severity = ("class_repair_gains", Severity.SERIOUS) if is_worth else ("class_repair_small", Severity.NOTE)
    ends = ends_of(gains.loc["repaired"], "saved")
    return Finding(kind, severity=severity, **ends, n=repair.judged.rows.size, more=recalibrated | {"period": period})


def of_class_costs(several):
    """What decisions by the scores of all classes cost; nothing without costs for each class."""
    money = None if several is None else several.money
    if money is None:
        return
    costs = money.costs
    rule = costs.loc[money.rule]
    kind = "class_rule_is_cheaper" if rule["saved_low"] > 0 else "class_rule_costs_more"
    if rule["saved_low"] <= 0 < rule["saved_high"]:
        kind = "class_rule_unclear"
    repaired = costs.loc["repaired"]
    is_repaired = money.changed and repaired["saved_low"] > 0
    calm = kind == "class_rule_costs_more" or (kind == "class_rule_unclear" and is_repaired)
    severity = Severity.NOTE if calm else Severity.SERIOUS
    yield Finding(kind, money.rule, severity=severity, **ends_of(rule, "saved"), n=money.n)
    if is_repaired:
        yield Finding("class_repair_saves", severity=Severity.SERIOUS, **ends_of(repaired, "saved"), n=money.n)


def of_checked(checked):
    """Columns that the user named: from the table of their levels, or None."""
    if checked is not None:
        n_off = int(checked["remark"].isin(["too low", "too high"]).sum())
        n_few = int((checked["remark"] == "too few to say").sum())
        yield Finding("levels", n=len(checked), more={"n_off": n_off, "n_few": n_few})


def of_pair(pair):
    """Whether a new score is better than an old one: from a `Comparison` or None."""
    if pair is None:
        return
    row, mended = (pair.table.loc[name] for name in ("squared error", "squared error if both are recalibrated"))
    names = {"old": pair.old, "new": pair.new}
    after = {f"mended_{place}": float(mended[place]) for place in ("difference", "low", "high")}
    if row["low"] <= 0 <= row["high"]:
        kind, severity = "pair_unclear", Severity.NOTE
    elif row["high"] < 0 and mended["high"] < 0:
        kind, severity = "pair_better", Severity.GOOD
    elif row["low"] > 0 and mended["low"] > 0:
        kind, severity = "pair_worse", Severity.SERIOUS
    else:
        kind, severity = "only_as_stated", Severity.SERIOUS
    yield Finding(kind, pair.new, severity=severity, **ends_of(row, "difference", "low", "high"), more=names | after)
    n_groups = len(pair.groups)  # that were compared: none where there are too few cases or columns
    if not n_groups:
        yield Finding("groups_not_compared", n=LEAST_UNITS)
        return
    losers = pair.losers
    if 0 < len(losers) < n_groups:
        worst = losers.iloc[0]
        more = names | {"n_more": len(losers) - 1, "n_groups": n_groups}
        ends = ends_of(worst, "gain", "low", "high") | {"n": int(worst["n"]), "more": more}
        yield Finding("loses_where", worst["rule"], severity=Severity.SERIOUS, **ends)
    yield Finding("groups_compared", n=n_groups, more={"n_gain": len(pair.gainers), "n_lose": len(losers)})


def of_money(report, moving=()):
    """What deciding by the scores costs; nothing without costs. `moving`: columns over which the scores drift."""
    money = report.money
    if money is None:
        if report.class_cost is None:
            yield Finding("not_judged", n=report.table.n)
        return
    cost = report.cost
    costs = money.costs
    more = {"alarm": float(cost[1, 0] - cost[0, 0]), "miss": float(cost[0, 1] - cost[1, 1])}
    rule = max(("always yes", "always no"), key=lambda name: costs.loc[name, "saved"])
    pays = [name for name in ("stated", "recalibrated") if costs.loc[name, "over_rule_low"] > 0]
    more |= {"yes": float(costs.loc["stated", "yes"]), "rule": rule, "pays": pays}
    yield Finding("decides", value=money.threshold, n=money.n, more=more)
    if report.average.is_miscalibrated and money.saves(rule):
        ends = ends_of(costs.loc[rule], "saved") | {"more": {"mended_low": costs.loc["recalibrated", "over_rule_low"]}}
        yield Finding("rule_is_cheaper", rule, severity=Severity.SERIOUS, **ends, n=money.n)
    later = report.scores.later
    period = ""
    if later is not None and report.scores.by_later is not None:
        period = later.period
        more = {"period": period, "n_taught": later.teach.size, "n_persons": later.n_persons}
        more |= {"beyond": [report.labels.get(name, name) for name in later.beyond]}
        yield Finding("judged_later", report.labels.get(later.column, later.column), n=money.n, more=more)
    if report.limitation:
        return
    if not money.changed:
        yield Finding("nothing_to_repair", p_value=report.scores.model.p_value_, n=money.n)
        return
    repaired = costs.loc["repaired"]
    beside = {f"rule_{place}": value for place, value in ends_of(repaired, "over_rule").items()}
    beside |= {f"recalibrated_{place}": value for place, value in ends_of(repaired, "over_recalibrated").items()}
    # of two remedies that surely save something, the simpler one, unless the other surely saves more
    suffices = is_mendable(report) and money.saves("recalibrated") and costs.loc["recalibrated", "over_rule_low"] > 0
    is_saving = money.saves("repaired") and beside["rule_low"] > 0
    is_saving = is_saving and not (suffices and beside["recalibrated_low"] <= 0)
    kind, severity = "repair_unsure", Severity.NOTE
    if is_saving and later is not None and later.too_few:
        kind = "repair_not_over_time"
    elif is_saving and moving:
        kind, severity = "repair_saved_then", Severity.SERIOUS
    elif is_saving:
        kind, severity = "repair_saves", Severity.SERIOUS
    more = beside | {"rule": rule, "period": period, "moving": list(moving)}
    more["columns"] = [_seen_of(report, name) for name in money.columns]
    more |= of_new_cases(repaired["saved"], repaired["saved_high"] - repaired["saved"], money.n)
    if later is not None:
        more |= {"too_few": later.too_few, "n_needed": later.n_needed}
    yield Finding(kind, severity=severity, **ends_of(repaired, "saved"), n=money.n, more=more)


def of_new_cases(saved, reach, n):
    """What new cases save where a repair holds: as many as judged it, or more where by chance those might save nothing.

    saved, reach : mean of n cases that is surely above 0, and half of its interval
    """
    times = float(np.clip(1 / ((saved / reach) ** 2 - 1), 1, MOST_NEW)) if saved > reach > 0 else 1.0
    n_new = n if times == 1 else round_up(times * n)
    reach *= (1 + n / n_new) ** 0.5  # new cases have their own luck
    return {"n_new": n_new, "new_low": max(saved - reach, 0.0), "new_high": saved + reach}


def _seen_of(report, name):
    """What a repair sees of a column, by its name on the page: of dates the day of the week, say."""
    calendar = None if report.several is not None else report.scores.model.calendar  # that of classes has none
    parts = (calendar or {}).get(name, [])
    shown = report.labels.get(name, name)
    return f"{shown} ({' and '.join(parts).replace('_', ' ')})" if parts else shown


def of_limits(report):
    """What else makes the report less certain: warnings of the search, few cases, few people."""
    n = report.table.n
    for text in () if report.audit is None else report.audit.search.family.warnings:
        yield Finding("warning", str(text), n=n)
    if n < LEAST_ROWS:
        yield Finding("few_cases", n=n)
    if "people or places" in report.limitation:
        yield Finding("few_people", n=n)
    table = report.table
    if table.groups is None and not any(one.kind == "cluster" and one.value >= WIDER for one in table.alerts):
        yield Finding("rows_independent", value=WIDER, n=n, more={"by_user": table.are_independent})


def use_of(findings, n):
    """May these scores be used? The one finding of that question, made from the other findings alone."""
    first = {finding.kind: finding for finding in reversed(findings)}
    grave = next((finding.kind for finding in findings if finding.severity == Severity.GRAVE), None)
    serious = {finding.kind for finding in findings if finding.severity >= Severity.SERIOUS}
    nobody = {"whom": [], "far_as_stated": [], "serious": 0.0, "grave": 0.0, "is_sure": False}
    nobody |= {"least": GRAVE, "is_rare": False}
    groups = first["named_groups"].more if "named_groups" in first else nobody
    average = next((first[kind] for kind in OFF if kind in first), None)
    mends = "off_mendable" in first
    money = first["decides"].more if "decides" in first else {"rule": "", "pays": []}
    is_paid = ("recalibrated" if mends else "stated") in money["pays"]
    about = None
    off = next((first[kind] for kind in UNKNOWN_OFF if kind in first), None)
    if grave:
        kind = f"no_{grave}"
    elif "constant" in first:
        kind = "use_as_rate"
    elif "repair_saves" in first:
        kind = "use_repaired"
    elif "rule_is_cheaper" in first and not mends:  # recalibrated scores are not surely cheaper either
        kind, about = "use_rule", "rule_is_cheaper"
    elif "drifts" in serious:
        kind = "not_over_time"
    elif "groups_unknown" in first:
        as_stated = UNKNOWN_OFF[off.kind] if off else "cannot_be_said"
        kind, about = "mend_then_unknown" if mends else as_stated, "groups_unknown"
    elif groups["grave"] >= MANY:
        kind = "pays_but_not_for_most" if is_paid else "mend_but_not_for_most" if mends else "not_for_most"
    elif groups["serious"] >= MANY and groups["is_sure"]:
        kind = "pays_but_off_for_many" if is_paid else "mend_but_off_for_many" if mends else "off_for_many"
    elif groups["whom"]:
        kind = "mend_but_not_for" if mends else "but_not_for"
    elif "groups_over_time" in serious:
        kind, about = "but_off_over_time", "groups_over_time"
    elif "off_unsure" in first:
        kind = "off_but_unsure"
    elif not serious.isdisjoint({"certified_loss", "certified_loss_of_groups"}):
        kind = "mend_but_not_single" if mends else "but_not_single"
    elif mends:
        kind = "after_recalibration"
    else:
        kind = "too_few_for_yes" if average_is_vague(first) or "order_unsure" in first else "as_they_are"
    severity = Severity.GRAVE if grave else Severity.GOOD if kind == "as_they_are" else Severity.SERIOUS
    repair = next((first[kind] for kind in ("repair_saves", "repair_saved_then") if kind in first), None)
    ends = {"value": groups["grave"] if kind.endswith("for_most") else groups["serious"]}
    if off and kind == UNKNOWN_OFF[off.kind]:  # the headline tells what the finding on averages tells
        ends = {"value": off.value, "low": off.low, "high": off.high, "p_value": off.p_value}
    more = {"columns": [], "period": "", "rule": money["rule"], "pays": money["pays"]}
    if repair:
        more |= {name: repair.more[name] for name in NAMED_OF_REPAIR}
    if kind == "too_few_for_yes":
        more |= what_is_missing(first)
    more |= {"mends": mends, "is_paid": is_paid}
    more["people"] = first["people_decide"].more["whom"] if "people_decide" in first else []
    more |= {name: groups[name] for name in ("whom", "far_as_stated", "least", "is_rare")}
    more |= {"is_off": average is not None} | worst_of(average)
    return Finding(kind, first[about].subject if about else "", **ends, n=n, severity=severity, more=more)


def average_is_vague(first):
    """Whether scores may be off by much though nothing shows it, from the first finding of each kind."""
    average = first.get("right_on_average")
    return average is not None and average.high is not None and average.high >= average.more["vague"]


def what_is_missing(first):
    """Why few cases are no yes, and about how many would be enough; 0 where that cannot be said."""
    is_vague = average_is_vague(first)
    order = first.get("order_unsure")
    more = {"up_to": first["right_on_average"].high if is_vague else 0.0, "order_unsure": order is not None}
    shares = [(more["up_to"] / first["right_on_average"].more["vague"]) ** 2] if is_vague else []
    if order is not None and order.value - 0.5 > (order.high - order.value) / 4:  # else as good as noise
        shares.append(((order.high - order.value) / (order.value - 0.5)) ** 2)
    n = first["right_on_average"].n if is_vague else order.n
    return more | {"needed": round_up(n * max(shares)) if shares else 0}


def worst_of(average):
    """What a headline says about stated scores: what is worst, with its numbers; `lead` is "" for nothing."""
    if average is None or average.kind not in MENDED_OR_NOT:
        return {"lead": ""}
    names = ("stated", "observed", "se", "slope")
    numbers = {name: average.more[name] for name in names if name in average.more}
    distance = {"distance": average.value, "distance_low": average.low, "distance_high": average.high}
    return {"lead": average.more.get("lead") or "off"} | numbers | distance
