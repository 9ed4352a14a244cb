"""What the numbers of an audit of answers mean: pure functions from numbers to findings, and every level they need."""

import numpy as np

from helpers.reports.answer_groups import breaks_promise
from helpers.reports.answer_numbers import NO_GAP, hardest
from helpers.reports.findings import Finding, Severity
from helpers.reports.phrases import NAMES, short
from helpers.resampling import exact_interval

ALPHA = 0.05  # p-value below which a confidence is called wrong
MUCH_UNREADABLE = 0.05  # share of the answers
FEW_QUESTIONS = 100  # with a known answer, below which every number is a rough one
FEW_ANSWERS = 10  # to a question, below which its agreement can take few values
LEAST_IN_A_STRATUM = 5  # questions with a known answer, to be compared with others
SETTLED = 0.95  # share of the questions in which a vote of fewer names the same answer as one of all
SAME_RIGHT = 0.01  # share of right answers by which a vote of all may beat one of fewer that does as well
ORDERS = {"wrong_order": Severity.GRAVE, "no_order": Severity.SERIOUS, "order": Severity.GOOD}
HARDLY = 10  # times as many questions, beyond which more of them are no advice


def about_reading(table, n_known, sources):
    """Findings on what was read, and on what is missing for more."""
    grouped = table.grouped
    n = table.n_questions
    n_unread = int(grouped.unparsed.sum())
    n_stated = int(table.stated.sum())
    classes = (grouped.counts > 0).sum(axis=1)
    yield Finding(
        "read", table.name, value=float((classes == 1).mean()), n=n,
        more={"n_answers": table.n_answers, "least": int(grouped.n_answers.min()), "most": int(grouped.n_answers.max()),
              "rule": table.rule, "classes": float(classes.mean()), "n_known": n_known, "n_stated": n_stated},
    )  # fmt: skip
    if table.moves is not None and not table.moves.chosen:
        yield Finding("rule", table.moves.by, severity=Severity.GRAVE, more={"what": str(table.moves)})
    if table.repeats is not None:
        kind = "copies" if len(table.repeats.copies) else "repeats"
        severity = Severity.NOTE if kind == "copies" else Severity.SERIOUS
        yield Finding(kind, severity=severity, more={"what": str(table.repeats)})
    if n_unread:
        much = n_unread / table.n_answers > MUCH_UNREADABLE
        kind = "unreadable" if much else "few_unreadable"
        severity = Severity.SERIOUS if much else Severity.NOTE
        yield Finding(kind, value=n_unread / table.n_answers, n=n_unread, severity=severity)
    if 0 < n_known < FEW_QUESTIONS:
        yield Finding("few_questions", n=n_known)
    if 0 < n_known < n:
        yield Finding("partly_known", n=n_known, more={"of": n})
    if table.n_tied:
        yield Finding("ties", n=table.n_tied)
    n_short = int((grouped.n_answers < FEW_ANSWERS).sum())
    if n_short:
        yield Finding("few_answers", n=n_short)
    if n_stated and "stated" not in sources:
        yield Finding("hardly_stated", n=n_stated, more={"of": n})
    elif 0 < n_stated < n:
        yield Finding("partly_stated", n=n_stated, more={"of": n})
    for note in table.notes:
        if table.moves is None or note != str(table.moves):
            yield Finding("note", note)


def about_accuracy(accuracy, obstacle, n_known):
    """How often the most frequent answer is right, or why nothing is said about right and wrong."""
    if accuracy is not None:
        yield Finding("right", value=accuracy[0], low=accuracy[1], high=accuracy[2], n=n_known)
    if obstacle:
        yield Finding("unknown", n=n_known, severity=Severity.SERIOUS, more={"why": obstacle})


def about_confidence(over, p_values, differences):
    """Findings on whether each confidence can be believed, from its mean, its calibration error and its order.

    `over` comes from `over_confidence`, `p_values` are those of the calibration errors; `differences` (value, low,
    high) of stated confidence and agreement, both recalibrated, is None without stated confidence.
    """
    for row in over.itertuples():
        p_value = float(p_values[row.source])
        biased = row.low > 0 or row.high < 0
        off = biased or p_value < ALPHA
        severity = Severity.SERIOUS if off else Severity.GOOD
        if off and (row.source == "sem2" or row.apart_high < 0):  # nobody is to recalibrate these
            kind = "off"
            severity = Severity.NOTE
        elif biased:
            kind = "too_high" if row.low > 0 else "too_low"
        else:
            kind = "uneven" if off else "believed"
        more = {"source": row.source, "confidence": row.confidence, "right": row.right}
        size = {"value": row.over, "low": row.low, "high": row.high, "p_value": p_value, "n": int(row.n)}
        yield Finding(kind, NAMES[row.source], **size, severity=severity, more=more)
    for row in over.itertuples():
        if row.source == "sem2" or not np.isfinite(row.apart_low):
            continue
        kind = "wrong_order" if row.apart_high < 0 else "no_order" if row.apart_low <= 0 else "order"
        more = {"source": row.source, "if_right": row.if_right, "if_wrong": row.if_wrong}
        size = {"value": row.if_right - row.if_wrong, "low": row.apart_low, "high": row.apart_high, "n": int(row.n)}
        yield Finding(kind, NAMES[row.source], **size, severity=ORDERS[kind], more=more)
    if differences is not None:
        value, low, high = differences
        kind = "stated_better" if high < 0 else "agreement_better" if low > 0 else "alike"
        yield Finding(kind, value=value, low=low, high=high)


def about_promises(promises):
    """For each confidence, from which value on enough answers are right for certain, or what is missing.

    `promises` is a `Promises`; what cannot be certified is said of that confidence alone.
    """
    for source, certificate in promises.certificates.items():
        more = {"source": source, "precision": certificate.precision, "level": promises.level}
        if certificate.certified:
            more |= {"threshold": certificate.threshold, "n_kept": certificate.n_kept, "n_right": certificate.n_right}
            size = {"value": certificate.coverage, "n": certificate.n, "severity": Severity.GOOD}
            yield Finding("promise", NAMES[source], **size, more=more)
            continue
        more["needed"] = float(f"{certificate.rows_needed:.2g}")
        if np.isinf(certificate.rows_needed):
            kind = "promise_never"
        elif certificate.rows_needed > HARDLY * certificate.n:
            kind = "promise_hardly"
        else:
            kind = "promise_later"
        yield Finding(kind, NAMES[source], n=certificate.n, more=more)


def about_groups(groups, source, precision, columns):
    """Groups of questions, told apart by some columns, in which a confidence is off, from `find_groups`."""
    if groups is None:
        return
    for note in groups.notes:
        yield Finding("left_out", note)
    if groups.table is None:
        return
    if groups.table.empty:
        yield Finding("no_group", NAMES[source])
    for row in groups.table.itertuples():
        less = row.observed < row.calibrated
        kind = "group_less" if less else "group_more"
        more = {"stated": row.stated, "calibrated": row.calibrated, "confidence": NAMES[source], "columns": columns}
        more |= {"breaks": less and breaks_promise(row, precision), "keeps": not less and row.low >= precision}
        size = {"value": row.observed, "low": row.low, "high": row.high, "p_value": row.adjusted, "n": int(row.n)}
        yield Finding(kind, row.rule, **size, severity=Severity.SERIOUS if less else Severity.NOTE, more=more)
    if groups.n_rest and (groups.table["observed"] < groups.table["calibrated"]).any():
        low, high = exact_interval(groups.n_right_rest, groups.n_rest)
        share = groups.n_right_rest / groups.n_rest
        yield Finding("rest", value=share, low=low, high=high, n=groups.n_rest, more={"keeps": low >= precision})


def about_close(n_close, strata, n_agreed_wrong, names, wrong_names):
    """Questions that another draw of answers may decide otherwise, and those that none would.

    `strata` comes from `gap_strata`; `names` are the questions of the closest votes, `wrong_names` those of the wrong
    answers of the highest confidence.
    """
    rows = strata.set_index("stratum")
    if not n_close:
        yield Finding("none_close", n=int(strata["n"].sum()), severity=Severity.GOOD)
    elif "no gap" not in rows.index or rows["n_known"].min() < LEAST_IN_A_STRATUM:
        yield Finding("close", n=n_close, more={"names": names})
    else:
        clear = rows.loc["no gap"]
        close = rows.iloc[-1]
        kind = "close_and_wrong" if close["high"] < clear["low"] else "close_as_right"
        more = {"clear": tuple(clear[["right", "low", "high"]]), "n_closest": int(close["n"]), "names": names}
        size = {"value": close["right"], "low": close["low"], "high": close["high"], "n": n_close}
        yield Finding(kind, **size, more=more)
    if n_agreed_wrong:
        yield Finding("agreed_wrong", n=n_agreed_wrong)
    if wrong_names:
        yield Finding("sure_but_wrong", n=len(wrong_names), more={"names": [short(name, 60) for name in wrong_names]})


def about_samples(sizes, moves):
    """What more samples have changed, from a table of `compare_votes`, and by how much agreement may still move."""
    most = int(sizes["size"].iloc[-1])
    first = sizes.iloc[0]
    if np.isnan(first["right"]):
        enough = sizes[sizes["same"] >= SETTLED]
        row = sizes.iloc[-1] if enough.empty else enough.iloc[0]  # some have more answers than the largest vote
        kind = "unsettled" if enough.empty else "settled"
        yield Finding(kind, value=row["same"], n=int(row["size"]), more={"most": most})
    else:
        surely = first["gain_low"] > 0
        worse = first["gain_high"] < 0
        kind = "votes_help" if surely else "votes_harm" if worse else "votes_alike"
        size = {"value": first["gain"], "low": first["gain_low"], "high": first["gain_high"]}
        yield Finding(kind, **size, n=most, severity=Severity.GOOD if surely else Severity.NOTE)
        enough = sizes[sizes["gain_high"] <= SAME_RIGHT].iloc[0]  # the last row has no gain over itself
        if enough["size"] < most:
            size = {"value": enough["gain"], "low": enough["gain_low"], "high": enough["gain_high"]}
            yield Finding("fewer_do", **size, n=int(enough["size"]), more={"most": most})
        elif most > 1:
            before = sizes.iloc[-2]
            size = {"value": before["gain"], "low": before["gain_low"], "high": before["gain_high"]}
            yield Finding("more_may_help", **size, n=most, more={"before": int(before["size"])})
    yield Finding("agreement_moves", value=moves, n=most)


def about_costs(prices, reject_cost):
    """Whether it pays to leave out unsure answers, from `AnswerCosts`; nothing without costs."""
    if prices is None:
        return
    chosen = prices.chosen
    size = {"value": chosen["cost"], "low": chosen["cost_low"], "high": chosen["cost_high"]}
    more = {"source": prices.source, "reject_cost": reject_cost, "threshold": prices.threshold}
    more |= {"answered": chosen["answered"], "plain_cost": prices.table.loc[prices.plain, "cost"]}
    if prices.pays and 0 < prices.threshold < np.inf:
        kind = "cut_pays_all" if prices.plain == "all" else "cut_pays_none"
        yield Finding(kind, NAMES[prices.source], **size, severity=Severity.GOOD, more=more)
    elif prices.plain == "all":
        yield Finding("all_pay", NAMES[prices.source], **size, more=more)
    else:
        yield Finding("none_pay", NAMES[prices.source], **size, severity=Severity.SERIOUS, more=more)


def about_pair(pair):
    """Which of two systems is right more often, and which is cheaper; nothing for one."""
    if pair is None:
        return
    row = pair.row("right")
    first_better = row["low"] > 0
    names = pair.names if first_better or row["high"] >= 0 else pair.names[::-1]
    kind = "better" if first_better or row["high"] < 0 else "undecided"
    sign = 1 if names == pair.names else -1
    ends = sorted([sign * row["low"], sign * row["high"]])
    more = {"other": names[1], "only": pair.only_first if sign == 1 else pair.only_second, "left_out": pair.left_out}
    more |= {"only_other": pair.only_second if sign == 1 else pair.only_first}
    yield Finding(kind, names[0], value=sign * row["difference"], low=ends[0], high=ends[1], n=pair.n, more=more)
    if "cost" in pair.measures["measure"].to_numpy():
        cost = pair.row("cost")
        if cost["high"] < 0 or cost["low"] > 0:
            cheaper = pair.names[0 if cost["high"] < 0 else 1]
            yield Finding("cheaper", cheaper, value=abs(cost["difference"]), n=pair.n)


def about_use(findings):
    """The answer: may these answers be used? Made from the other findings alone."""
    by_kind = {}
    for finding in findings:
        by_kind.setdefault(finding.kind, []).append(finding)
    right = by_kind.get("right", [None])[0]
    share = {"value": right.value, "low": right.low, "high": right.high, "n": right.n} if right else {}
    if "unknown" in by_kind:
        why = by_kind["unknown"][0].more["why"]
        return Finding("use_unknown", **share, severity=Severity.SERIOUS, more={"why": why})
    if "rule" in by_kind:
        return Finding("use_reread", **share, severity=Severity.GRAVE, more=by_kind["rule"][0].more)
    promised = max(by_kind.get("promise", []), key=lambda finding: finding.more["n_kept"], default=None)
    if promised is not None:
        more = promised.more | {"coverage": promised.value, "confidence": promised.subject}
        broken = [group.subject for group in by_kind.get("group_less", []) if group.more["breaks"]]
        if broken:
            return Finding("use_not_for", **share, severity=Severity.SERIOUS, more=more | {"groups": broken})
        kind = "use_all" if promised.value == 1 else "use_some"
        return Finding(kind, **share, severity=Severity.GOOD, more=more)
    missing = [finding for name in USE_WITHOUT_PROMISE for finding in by_kind.get(name, [])][0]
    pays = [finding for name in PAYS for finding in by_kind.get(name, [])]
    kept = [group for group in by_kind.get("group_more", []) if group.more["keeps"]]
    kind = USE_WITHOUT_PROMISE[missing.kind]
    severity = Severity.GRAVE if kind == "use_no" else Severity.SERIOUS
    more = dict(missing.more)
    if pays:
        kind = "use_by_cost"
        severity = Severity.NOTE
        more |= {"threshold": pays[0].more["threshold"], "confidence": pays[0].subject}
    elif any(finding.more["keeps"] for finding in by_kind.get("rest", [])):
        kind = "use_rest"
        severity = Severity.SERIOUS
        rest = by_kind["rest"][0]
        more["groups"] = [group.subject for group in by_kind["group_less"]]
        more["rest"] = (rest.value, rest.low, rest.high)
    elif kept:
        kind = "use_group"
        severity = Severity.SERIOUS
        more["groups"] = [group.subject for group in kept]
    return Finding(kind, **share, severity=severity, more=more)


USE_WITHOUT_PROMISE = {  # the most hopeful one decides
    "promise_later": "use_not_yet",
    "promise_hardly": "use_too_close",
    "promise_never": "use_no",
}

PAYS = ("cut_pays_all", "cut_pays_none")


def find_all(report):
    """All findings of an `AnswerReport`, as a list; the answer comes last."""
    n_known = int(report.known.sum())
    found = [
        *about_reading(report.table, n_known, report.sources),
        *about_accuracy(report.accuracy, report.obstacle, n_known),
    ]
    if not report.obstacle:
        p_values = {name: error.p_value for name, error in report.calibration.errors.items()}
        found += about_confidence(report.over, p_values, report.stated_gain)
        found += about_promises(report.promises)
        columns = list(report.table.features.columns)
        found += about_groups(report.groups, report.best_source, report.promises.certificate.precision, columns)
        found += about_costs(report.prices, report.reject_cost)
    grouped = report.table.grouped
    gap = report.questions["gap"]
    agreed_wrong = (grouped.counts.max(axis=1) == grouped.n_answers) & (report.correct == 0)
    closest = [f"“{short(name, 60)}”" for name in hardest(report.questions, grouped, 3)["question"]]
    n_close = int((gap > NO_GAP).sum())
    found += about_close(n_close, report.strata, int(agreed_wrong.sum()), closest, report.wrong_names)
    found += about_samples(report.sizes, float(gap.mean()))
    found += about_pair(report.pair)
    return [*found, about_use(found)]
