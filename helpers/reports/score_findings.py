"""Findings of a report on scores: numbers in, findings out.

Every threshold, and every rule for which of two things is said, stands here and nowhere else; the words stand in
`score_kinds`. Each function takes what one part of the audit has computed; `use_of` reads findings alone.
"""

import numpy as np

from helpers.reports.findings import Finding, Severity
from helpers.reports.misjudged import surely_least
from helpers.reports.phrases import root

LEVEL = 0.05  # of a test
SMALL = 0.02  # gap or typical distance (in probability) from which something should be done; less for rare labels
GRAVE = 0.05  # gap from which people should decide; less for rare labels
WEAK = 0.55  # of pairs in the right order (luck gives half): a score that surely stays below knows nothing
REVERSED = -4.0  # correlation with the label, in standard errors
MOVED = 0.1  # change of the gap over time that makes the whole score useless, if it is surely as large
SAME = 0.5  # part of the gap after recalibration that a group must have as stated to lean that way
HOTTER = 1.5  # how much larger a gap must surely be than those of the named groups to be shown for its size
REPEATS = 0.05  # share of rows that repeat the row before
UNMEASURED = 0.05  # share of cases outside of the regions of a tree
MANY = 0.5  # share of the cases from which misjudged groups are no exception

SEVERITY = {  # of kinds whose size does not decide it
    "right_on_average": Severity.GOOD,
    "off_little": Severity.NOTE,
    "off_unsure": Severity.NOTE,
    "off_and_useless": Severity.SERIOUS,
    "pair_better": Severity.GOOD,
    "pair_unclear": Severity.NOTE,
}
SURE = ("too_low", "too_high", "hot_group")  # groups whose stated scores are surely off


def severity_of(size, scale, *, least=SMALL):
    """Serious from a size on that shrinks with the rate of rare labels, else a note."""
    return Severity.SERIOUS if abs(size) >= least * scale else Severity.NOTE


def of_table(table, repeats, likely):
    """What was read, and what makes all else unsure: from a `ScoreTable` and what `intake` says of it."""
    n = table.n
    rate = float(np.average(table.y, weights=table.weight))
    about = {"name": table.name, "label": table.label, "score": table.score, "rate": rate}
    findings = [Finding("cases", n=n, more=about | {"least": float(table.p.min()), "most": float(table.p.max())})]
    if table.groups is not None:
        findings.append(Finding("people", value=float(table.groups.max() + 1), n=n))
    if table.weight is not None:
        findings.append(Finding("weighted", n=n))
    if table.before is not None:
        findings.append(Finding("compared", table.before_name, n=n, more={"new": table.score}))
    if table.features:
        findings.append(Finding("known", n=n, more={"columns": table.features}))
    if table.dropped:
        findings.append(Finding("dropped", n=n, more={"reasons": table.dropped}))
    if table.n_unweighted:
        findings.append(Finding("unweighted", n=table.n_unweighted))
    if table.note:
        findings.append(Finding("remark", table.note))
    if table.sha256:
        findings.append(Finding("checksum", table.sha256))
    for name, why in table.dropped.items():
        if why == "gives the outcome away":
            findings.append(Finding("gives_away", name, n=n, severity=Severity.SERIOUS))
    if repeats > REPEATS:
        more = {"columns": likely or ["a column of people or places"]}
        findings.append(Finding("repeated_rows", value=repeats, n=n, severity=Severity.SERIOUS, more=more))
    elif likely:
        findings.append(Finding("likely_people", n=n, more={"columns": likely}))
    if ((table.p == 0) | (table.p == 1)).all():
        findings.append(Finding("only_decisions", n=n, severity=Severity.SERIOUS))
    return findings


def of_order(area, correlation, n, is_constant):
    """Whether higher scores go with more events.

    From the share of pairs in which the case of 1 has the higher score (area, area_low, area_high; None where all
    labels are alike), and the correlation of score and label in standard errors.
    """
    if is_constant:
        return [Finding("constant", n=n, severity=Severity.SERIOUS)]
    if area is None:
        return []
    ends = {"value": area["area"], "low": max(area["area_low"], 0.0), "high": min(area["area_high"], 1.0), "n": n}
    if correlation < REVERSED:
        return [Finding("reversed", severity=Severity.GRAVE, **ends)]
    if ends["high"] < WEAK:
        return [Finding("knows_nothing", severity=Severity.GRAVE, **ends)]
    return [Finding("in_order", severity=Severity.GOOD, **ends)]


def of_average(average, parts, n, order="", *, moves=False):
    """Whether the scores are right on average: from an `Average` and what recalibration saves of the squared error.

    `order` is the kind of `of_order`; with `moves`, rates move apart over time, which one recalibration does not mend.
    """
    scale = average.scale
    rates = {name: float(average.rates[name]) for name in ("stated", "observed", "gap", "low", "high")}
    ends = {"value": average.size, "low": average.low, "high": average.high, "p_value": average.p_value, "n": n}
    more = {"stated": rates["stated"], "observed": rates["observed"], "spread": average.spread}
    is_useless = order in ("knows_nothing", "reversed", "constant")
    gains = parts["saved_low"] > 0
    if not average.is_off:
        kind = "right_on_average"
    elif not average.is_worth_mending:
        kind = "off_little"
    elif is_useless:
        kind = "off_and_useless"
    elif moves:
        kind = "off_and_moving"
    elif not (average.way or gains):
        kind = "off_unsure"
    elif average.has_log_odds:
        kind = "off_mendable"
        calibrator = average.calibrator
        more |= {"intercept": float(calibrator.intercept_), "slope": float(calibrator.slope_)}
    else:
        kind = "off_mendable_curve"
    severity = SEVERITY.get(kind, severity_of(average.size, scale))
    findings = []
    if average.way and average.is_worth_mending:
        over_all = {"value": rates["gap"], "low": rates["low"], "high": rates["high"], "n": n, "more": more}
        findings.append(Finding(f"all_too_{average.way}", severity=severity_of(rates["gap"], scale), **over_all))
    findings.append(Finding(kind, severity=severity, **ends, more=more))
    if average.slope is not None and not is_useless:
        low, high = average.line.slope_interval
        kind = "too_extreme" if average.slope < 1 else "too_timid"
        findings.append(Finding(kind, value=average.slope, low=low, high=high, p_value=average.line.p_value, n=n))
    if average.is_bent:
        findings.append(Finding("bent", p_value=average.bend_p_value, n=n))
    if average.no_curve_fits and order != "reversed":
        findings.append(Finding("falls", p_value=average.left_p_value, n=n, severity=Severity.SERIOUS))
    saved = {"value": parts["saved"], "low": parts["saved_low"], "high": parts["saved_high"], "n": n}
    kind = "error_saved" if gains else "error_grows" if parts["saved_high"] < 0 else "error_not_saved"
    return [*findings, Finding(kind, **saved)]


def of_drifts(drifts, scale):
    """Whether what is stated and what happens move apart over time: from a list of `Drift`."""
    findings = []
    for drift in drifts:
        rows = drift.table
        first, last = rows.loc[rows["gap"].idxmin()], rows.loc[rows["gap"].idxmax()]
        ends = {"value": drift.value, "low": max(drift.low, 0.0), "high": drift.high, "p_value": drift.p_value}
        ends["n"] = int(rows["n"].sum())
        more = {"n_periods": len(rows)}
        for place, row in (("high", first), ("low", last)):  # where scores are highest and lowest beside what happens
            more |= {f"{name}_where_{place}": row[name] for name in ("period", "stated", "observed")}
        if drift.p_value >= LEVEL:
            findings.append(Finding("steady", drift.column, **ends, more=more))
            continue
        severity = severity_of(drift.value, scale)
        severity = Severity.GRAVE if drift.low >= MOVED * scale else severity
        findings.append(Finding("drifts", drift.column, severity=severity, **ends, more=more))
    return findings


def of_loss(loss, *, is_certified, sign, falls, by_tree, detectable, n_named, obstacle, scale, n):
    """Whether the scores are right for a single case."""
    if loss is None:
        return [Finding("single_cases_unknown", obstacle, n=n)]
    distances = {"value": root(loss.value), "low": root(loss.low), "high": root(loss.high)}
    ends = {"p_value": loss.p_value, "n": n}
    if is_certified:
        severity = severity_of(distances["value"], scale)
        spread = min(loss.se / (2 * max(distances["value"], root(loss.se), 1e-9)), max(distances["low"], 1e-9))
        kind = "certified_loss_of_groups" if n_named else "certified_loss"
        findings = [Finding(kind, severity=severity, **distances, **ends, more={"spread": spread})]
    elif n_named:
        findings = [Finding("size_unknown", **ends)]
    elif falls and loss.p_value < LEVEL:
        findings = [Finding("perhaps_the_fall", **ends)]
    elif sign < LEVEL:
        findings = [Finding("signs_of_loss", severity=Severity.NOTE, **(ends | {"p_value": sign}))]
    elif by_tree:
        findings = [Finding("no_loss_found", **ends, more={"missed": root(detectable)})]
    else:
        findings = [Finding("no_loss_seen", **ends)]
    if not by_tree:
        return [*findings, Finding("by_learners", n=n)]
    if loss.splits.size:
        more = {"splits_low": root(loss.splits.min()), "splits_high": root(loss.splits.max())}
        findings.append(Finding("by_tree", value=float(loss.splits.size), n=n, more=more))
    else:
        findings.append(Finding("by_one_tree", n=n))
    if loss.left_out > UNMEASURED:
        findings.append(Finding("unmeasured", value=loss.left_out, n=n))
    return findings


def kind_of_group(row):
    """What may be said of a named group: from its gap as stated, with interval, and from that after recalibration.

    >>> import pandas as pd
    >>> kind_of_group(pd.Series({"gap": 0.0, "low": -0.01, "high": 0.01, "left": 0.04}))
    'fine_as_stated'
    """
    if row["gap"] > 0 and row["low"] >= 0:
        return "too_low"
    if row["gap"] < 0 and row["high"] <= 0:
        return "too_high"
    if row["gap"] * row["left"] > 0 and abs(row["gap"]) >= SAME * abs(row["left"]):
        return "leans_low" if row["gap"] > 0 else "leans_high"
    return "fine_as_stated"


def of_group(row, *, mends, scale, suspicious=False, label="", kind=None):
    """The finding on a named group, a row of the table of `MisjudgedGroups`; `mends`: scores will be recalibrated."""
    names = ("stated", "observed", "calibrated", "share", "left", "left_low", "left_high")
    more = {name: float(row[name]) for name in names}
    ends = {"value": float(row["gap"]), "low": float(row["low"]), "high": float(row["high"])}
    ends |= {"p_value": float(row["adjusted"]), "n": int(row["n"])}
    if suspicious:
        more |= {"label": label, "outcome": int(row["observed"] > 0.5)}
        return Finding("suspicious", row["rule"], severity=Severity.SERIOUS, **ends, more=more)
    if kind is None:
        kind = kind_of_group(row)
    size = max(abs(row["gap"]) if kind in SURE else 0.0, abs(row["left"]) if mends else 0.0)
    if kind == "fine_as_stated" and mends:
        kind = "spoiled"
    return Finding(kind, row["rule"], severity=severity_of(size, scale), **ends, more=more)


def of_groups(audit, *, obstacle, mends, scale, n, label, times=()):
    """For whom the scores are wrong: from `MisjudgedGroups`, or None and the obstacle.

    `mends`: the scores will be recalibrated; `times`: columns over which they drift, since a model that knows the date
    does not know the next one.
    """
    if audit is None:
        return [Finding("groups_unknown", obstacle or "No column has groups of enough cases.", n=n)]
    search = audit.search
    about = {"n_groups": len(search.table), "smallest": search.smallest, "detectable": sorted(audit.detectable.items())}
    named = audit.sure
    if len(named) > 1:  # the most cases times gap first, then the surely largest gap
        order = [named.index[0], surely_least(named).idxmax(), *named.index]
        named = named.loc[list(dict.fromkeys(order))]
    if named.empty:
        return [Finding("nobody_named", p_value=search.p_value, n=n, more=about)]
    odd = audit.suspicious.index
    findings = [
        of_group(row, mends=mends, scale=scale, suspicious=k in odd, label=label) for k, row in named.iterrows()
    ]
    hot = audit.hottest(HOTTER)
    if hot is not None:
        findings.append(of_group(hot, mends=mends, scale=scale, kind="hot_group"))
    remains = named["left" if mends else "gap"].abs()  # once the scores are used as this report advises
    serious, grave = (named[(remains >= least * scale) | named.index.isin(odd)] for least in (SMALL, GRAVE))
    more = about | {"serious": audit.share(serious), "n_serious": len(serious), "grave": audit.share(grave)}
    about = {"value": audit.share(named), "n": len(named), "p_value": search.p_value, "more": more}
    findings.insert(0, Finding("named_groups", severity=Severity.SERIOUS, **about))
    needed = [name for name in audit.to_add if name not in times]
    for kind, columns in (("model_needs", needed), ("check_columns", audit.to_check)):
        if columns:
            findings.append(Finding(kind, n=len(columns), severity=Severity.SERIOUS, more={"columns": columns}))
    if len(grave):
        kind = "people_decide" if more["grave"] < MANY else "not_alone"
        about = {"value": more["grave"], "n": len(grave), "more": {"least": GRAVE * scale}}
        findings.append(Finding(kind, severity=Severity.SERIOUS, **about))
    return findings


def of_lead(lead):
    """Where to look first though nobody is named: from a `Lead` or None."""
    if lead is None:
        return []
    ends = {"value": lead.gap, "low": lead.low, "high": lead.high, "p_value": lead.p_value, "n": lead.n}
    more = {"observed": lead.observed, "calibrated": lead.calibrated}
    kind = "confirmed_lead" if lead.is_confirmed else "hint"
    severity = Severity.SERIOUS if lead.is_confirmed else Severity.NOTE
    return [Finding(kind, lead.rule, severity=severity, **ends, more=more)]


def of_checked(checked):
    """Columns that the user named: from the table of their levels, or None."""
    if checked is None:
        return []
    remarks = checked["remark"]
    more = {
        "n_off": int(remarks.isin(["too low", "too high"]).sum()),
        "n_few": int((remarks == "too few to say").sum()),
    }
    return [Finding("levels", n=len(checked), more=more)]


def of_pair(pair):
    """Whether a new score is better than an old one: from a `Comparison` or None."""
    if pair is None:
        return []
    names = {"old": pair.old, "new": pair.new}
    row, mended = (pair.table.loc[name] for name in ("squared error", "squared error if both are recalibrated"))
    after = {f"mended_{place}": float(mended[place]) for place in ("difference", "low", "high")}
    ends = {"value": float(row["difference"]), "low": float(row["low"]), "high": float(row["high"])}
    same_after = mended["low"] <= 0 <= mended["high"]
    turns = mended["low"] > 0 if pair.verdict == "better" else mended["high"] < 0
    if pair.verdict == "unclear" or not (same_after or turns):
        kind = f"pair_{pair.verdict}"
    else:
        kind = f"{pair.verdict}_{'as_stated' if same_after else 'until_mended'}"
    severity = SEVERITY.get(kind, Severity.SERIOUS)
    findings = [Finding(kind, pair.new, severity=severity, **ends, more=names | after)]
    for name, groups in (("loses_where", pair.losers), ("gains_where", pair.gainers)):
        all_alike = len(groups) == pair.n_groups
        if len(groups) and not all_alike and (name == "loses_where" or pair.verdict != "better"):
            first = groups.iloc[0]
            ends = {"value": float(first["gain"]), "low": float(first["low"]), "high": float(first["high"])}
            grave = Severity.SERIOUS if name == "loses_where" else Severity.NOTE
            more = names | {"n_more": len(groups) - 1, "n_groups": pair.n_groups}
            findings.append(Finding(name, first["rule"], severity=grave, **ends, n=int(first["n"]), more=more))
    if pair.n_groups:
        more = {"n_gain": len(pair.gainers), "n_lose": len(pair.losers)}
        findings.append(Finding("groups_compared", n=pair.n_groups, more=more))
    else:
        findings.append(Finding("groups_not_compared"))
    return findings


def of_money(money, decisions, cost, *, is_off, obstacle, p_value, n, features):
    """What deciding by the scores costs."""
    if money is None:
        return [Finding("costs_not_given")]
    prices = {"alarm": float(cost[1, 0] - cost[0, 0]), "miss": float(cost[0, 1] - cost[1, 1])}
    findings = [Finding("decides", value=decisions.threshold, n=n, more=prices | {"yes": decisions.yes})]
    more = {name: getattr(decisions, name) for name in ("recalibrated", "to_yes", "to_no")}
    more["turned"] = decisions.to_yes + decisions.to_no
    findings.append(Finding("turned", n=n, more=more))
    costs = money.costs

    def ends(row, name):
        columns = {"value": name, "low": f"{name}_low", "high": f"{name}_high"}
        return {place: float(costs.loc[row, column]) for place, column in columns.items()}

    findings.append(Finding("cost_today", **ends("stated", "cost"), n=money.n))
    rule = max(("always yes", "always no"), key=lambda row: costs.loc[row, "saved"])
    if is_off and money.saves(rule):
        findings.append(Finding("rule_is_cheaper", rule, severity=Severity.SERIOUS, **ends(rule, "saved"), n=money.n))
    is_saving = is_off and money.saves("recalibrated")
    kind = "recalibration_saves" if is_saving else "recalibration_saves_nothing"
    findings.append(Finding(kind, **ends("recalibrated", "saved"), n=money.n))
    if obstacle:
        return [*findings, Finding("repair_not_tried", obstacle)]
    if not money.changed:
        return [*findings, Finding("nothing_to_repair", p_value=p_value, n=money.n)]
    beside = ends("repaired", "over_rule")
    more = {"rule": rule, "columns": features} | {f"rule_{place}": value for place, value in beside.items()}
    if not money.saves("repaired"):
        kind = "repair_saves_nothing"
    else:
        kind = "repair_saves" if beside["low"] > 0 else "repair_like_rule"
    severity = Severity.SERIOUS if kind == "repair_saves" else Severity.NOTE
    findings.append(Finding(kind, severity=severity, **ends("repaired", "saved"), n=money.n, more=more))
    row = money.counts.loc["repaired"]
    names = [f"{name}{place}" for name in ("more_misses", "more_false_alarms") for place in ("", "_low", "_high")]
    more = {"yes": float(row["yes"])} | {name: float(row[name]) for name in names}
    return [*findings, Finding("traded", n=money.n, more=more)]


def of_limits(warnings, n, obstacle, is_small):
    """What else makes the report less sure: warnings of the search, few cases, few people."""
    findings = [Finding("warning", str(text), n=n) for text in warnings]
    if is_small:
        findings.append(Finding("few_cases", n=n))
    if "people or places" in obstacle:
        findings.append(Finding("few_people", n=n))
    return findings


def use_of(findings, n):
    """May these scores be used? The one finding of that question, made from the other findings alone."""
    kinds = {finding.kind for finding in findings}
    grave = [finding for finding in findings if finding.severity == Severity.GRAVE]
    mends = bool(kinds & {"off_mendable", "off_mendable_curve"})
    misses = any(one.kind.startswith("certified_loss") and one.severity >= Severity.SERIOUS for one in findings)
    groups = next((one.more for one in findings if one.kind == "named_groups"), {"n_serious": 0, "grave": 0.0})
    drifts = any(one.kind == "drifts" and one.severity >= Severity.SERIOUS for one in findings)
    if grave:
        kind = f"no_{grave[0].kind}"
    elif "constant" in kinds:
        kind = "use_as_rate"
    elif "repair_saves" in kinds:
        kind = "use_repaired"
    elif "rule_is_cheaper" in kinds:
        kind = "use_rule"
    elif drifts:
        kind = "not_over_time"
    elif "groups_unknown" in kinds:
        kind = "mend_then_unknown" if mends else "cannot_be_said"
    elif groups["grave"] >= MANY:
        kind = "mend_but_not_for_most" if mends else "not_for_most"
    elif groups["n_serious"]:
        kind = "mend_but_not_for" if mends else "but_not_for"
    elif misses:
        kind = "mend_but_not_single" if mends else "but_not_single"
    else:
        kind = "after_recalibration" if mends else "as_they_are"
    severity = Severity.GRAVE if grave else Severity.GOOD if kind == "as_they_are" else Severity.SERIOUS
    about = {"use_rule": "rule_is_cheaper", "mend_then_unknown": "groups_unknown", "cannot_be_said": "groups_unknown"}
    subject = next((one.subject for one in findings if one.kind == about.get(kind)), "")
    columns = next((one.more["columns"] for one in findings if one.kind == "repair_saves"), [])
    more = {"n_groups": groups["n_serious"], "columns": columns}
    value = groups["grave"] if kind.endswith("for_most") else groups.get("serious")
    return Finding(kind, subject, value=value, n=n, severity=severity, more=more)
