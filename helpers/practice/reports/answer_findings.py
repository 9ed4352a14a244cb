"""What the numbers of an audit of answers mean: pure functions from numbers to findings, and every level they need."""

import numpy as np

from helpers.practice.reports.answer_numbers import ALPHA
from helpers.practice.reports.answer_rules import LEVEL
from helpers.practice.reports.findings import Finding, Severity, ends_of
from helpers.practice.reports.phrases import NAMES, short
from helpers.resampling import exact_interval

MOST_NAMED = 3  # questions in a sentence

MUCH_UNREADABLE = 0.05  # share of the answers
MUCH_TIED = 0.05  # of all answers, by which the share of right ones depends on the choice among equal ones
CLOSE = 0.05  # chance that another draw of samples chooses another answer
SETTLED = 0.95  # share of the questions in which a vote of fewer names the same answer as one of all
SAME_RIGHT = 0.01  # share of right answers by which a vote of all may beat one of fewer that does as well
ORDERS = {"wrong_order": Severity.GRAVE, "no_order": Severity.SERIOUS, "order": Severity.GOOD}
MANY_HELD = 0.2  # share of the answers that count as wrong, which hold the right value: the reading may be wrong
MUCH_HELD = 0.05  # share of all answers to questions with a known right one; fewer change no verdict
LEAST_HELD = 5
RULES = {  # how two answers are the same, and what an answer without any lacks
    "exact": ("they are spelled the same, letter for letter", "text"),
    "numeric": ("the number that they state, else the last in them, is the same", "number"),
    "normalized": ("they differ only in case, punctuation, articles or spaces", "text"),
    "date": ("the last date in them is the same", "date"),
    "day-first": ("the last date in them is the same, of 3/5/1914 in May", "date"),
    "letter": ("they name the same letter of an option", "letter of an option"),
    "quantity": ("they state the same quantity, in whatever unit", "quantity"),
    "math": ("the formulas that they state have the same value", "formula"),
    "class": ("the file gives them the same class", "class"),
    "mixed": ("they are by the rule of their question", "value"),
}
PLAIN = {"all": "giving every answer", "none": "handing over every question"}


def share_right(correct):
    """The share of right answers with its ends, as a `Finding` takes them, without those that are not known (-1)."""
    known = correct[correct >= 0]
    low, high = exact_interval(known.sum(), known.size)
    return {"value": known.mean() if known.size else np.nan, "low": low, "high": high, "n": known.size}


def about_reading(table, n_known, sources):
    """Findings on what was read, and on what is missing for more."""
    grouped = table.grouped
    reading = table.reading
    n_unread = int(reading["none"].sum()) if len(reading) else int(grouped.unparsed.sum())
    n_stated = int(table.stated.sum())
    more = {"n_answers": table.n_answers, "least": int(grouped.n_answers.min()), "most": int(grouped.n_answers.max())}
    more |= {"rule": RULES[table.rule][0], "n_known": n_known, "n_stated": n_stated, "n_unread": n_unread}
    agreed = float(((grouped.counts > 0).sum(axis=1) == 1).mean())
    yield Finding("read", table.name, value=agreed, n=table.n_questions, more=more)
    if len(reading) and table.rule != "class":
        rows = [(RULES[row.rule][0], row.questions, row.rule) for row in reading.itertuples()]
        yield Finding("rules", n=len(rows), more={"rows": rows})
    if n_unread:
        yield about_refusals(reading, n_unread, left_out=not grouped.unparsed.sum())
    held = about_held(reading)
    if held is not None:
        yield held
    if 0 < n_known < table.n_questions:
        yield Finding("partly_known", n=n_known, more={"of": table.n_questions})
    if n_stated and "stated" not in sources:
        yield Finding("hardly_stated", n=n_stated, more={"of": table.n_questions})
    for note in table.notes:
        yield Finding("note", note)


def about_dependence(alerts, n_questions):
    """That questions are taken as independent, and whether a column says otherwise: the one of the widest intervals."""
    if not alerts:
        return Finding("questions_independent", n=n_questions)
    first = alerts[0]
    size = {"value": first.value, "n": first.n, "severity": Severity.SERIOUS, "more": first.more}
    return Finding("questions_depend", first.columns[0], **size)


def about_refusals(reading, n_unread, left_out):
    """Answers that hold nothing that their rule reads, and the shares of right answers with and without them."""
    total = reading.sum(numeric_only=True)
    lacks = dict.fromkeys(RULES[rule][1] for rule in reading.loc[reading["none"] > 0, "rule"])
    more = {"of": int(total["answers"]), "lacks": list(lacks), "left_out": left_out, "graded": int(total["graded"])}
    answered = total["graded"] - total["without"]
    more["of_all"] = float(total["right"] / total["graded"]) if total["graded"] else np.nan
    more["of_answered"] = float(total["right"] / answered) if answered else np.nan
    share = n_unread / int(total["answers"])
    if share <= MUCH_UNREADABLE:
        return Finding("few_unreadable", value=share, n=n_unread, more=more)
    return Finding("unreadable", value=share, n=n_unread, severity=Severity.SERIOUS, more=more)


def about_held(reading):
    """Many answers that count as wrong and hold the right value, a `Finding`; None for few."""
    if not len(reading):
        return None
    total = reading.sum(numeric_only=True)
    n_wrong = int(total["graded"] - total["right"])
    n_held = int(total["held"])
    if n_held < max(LEAST_HELD, MANY_HELD * n_wrong, MUCH_HELD * total["graded"]):
        return None
    rules = reading.loc[reading["held"] > 0, "rule"].tolist()
    more = {"of": n_wrong, "rules": rules}
    return Finding("held", value=n_held / n_wrong, n=n_held, severity=Severity.SERIOUS, more=more)


def about_confidence(over, p_values):
    """Whether each confidence can be believed, from its mean (`over_confidence`) and its calibration error."""
    for row in over.itertuples():
        p_value = float(p_values[row.source])
        wrong = row.biased or p_value < ALPHA / 2  # the mean has the other half
        severity = Severity.SERIOUS if wrong else Severity.GOOD
        if wrong and (row.source == "sem2" or row.apart_high < 0):  # nobody is to recalibrate these
            kind = "off"
            severity = Severity.NOTE
        elif row.biased:
            kind = "too_high" if row.low > 0 else "too_low"
        else:
            kind = "uneven" if wrong else "believed"
        size = {"value": row.over, "low": row.low, "high": row.high, "p_value": p_value, "n": int(row.n)}
        more = {"source": row.source, "confidence": row.confidence, "right": row.right}
        yield Finding(kind, NAMES[row.source], **size, severity=severity, more=more)


def about_order(over, gain):
    """Whether each confidence is higher where the answer is right, and which one orders better (`gain`, or None)."""
    for row in over[(over["source"] != "sem2") & np.isfinite(over["apart_low"])].itertuples():
        kind = "wrong_order" if row.apart_high < 0 else "no_order" if row.apart_low <= 0 else "order"
        size = {"value": row.if_right - row.if_wrong, "low": row.apart_low, "high": row.apart_high, "n": int(row.n)}
        more = {"source": row.source, "if_right": row.if_right, "if_wrong": row.if_wrong}
        yield Finding(kind, NAMES[row.source], **size, severity=ORDERS[kind], more=more)
    if gain is not None:
        value, low, high = gain
        kind = "stated_better" if high < 0 else "agreement_better" if low > 0 else "alike"
        yield Finding(kind, value=value, low=low, high=high)


def rule_of(source, rule):
    """What sentences say of a rule: its confidence, threshold and limits, or that it uses every answer."""
    more = {"source": source, "confidence": NAMES[source], "threshold": rule.threshold}
    return more | {"limits": list(rule.limits), "is_every": rule.is_every}


def about_promises(promises):
    """By which rule of each confidence enough answers are certainly right, or what is missing (`Promises`)."""
    smaller = [
        share for share, tried in promises.tried.items() if share < promises.precision
        and any(one.certified for one in tried.values())
    ]  # fmt: skip
    for source, one in promises.asked.items():
        more = {"precision": one.certificate.precision, "level": LEVEL, **rule_of(source, one)}
        more["smaller"] = max(smaller, default=0.0)
        if one.certified:
            more |= {"n_accepted": one.n_accepted, "n_right": one.n_right}
            yield Finding("promise", NAMES[source], value=one.coverage, n=one.n, severity=Severity.GOOD, more=more)
        elif np.isfinite(one.rows_needed):
            more["needed"] = float(f"{one.rows_needed:.2g}")
            yield Finding("promise_later", NAMES[source], n=one.n, more=more)
        else:
            yield Finding("promise_never", NAMES[source], n=one.n, more=more)


def about_groups(groups, source, columns):
    """Groups of questions, told apart by some columns, in which a confidence is off (`QuestionGroups`)."""
    for note in groups.notes:
        yield Finding("left_out", note)
    if groups.table is None:
        return
    for row, less in zip(groups.table.itertuples(), groups.is_less, strict=True):
        more = {"stated": row.stated, "calibrated": row.calibrated, "confidence": NAMES[source], "columns": columns}
        size = {"value": row.observed, "low": row.low, "high": row.high, "p_value": row.adjusted, "n": int(row.n)}
        severity = Severity.SERIOUS if less else Severity.NOTE
        yield Finding("group_less" if less else "group_more", row.rule, **size, severity=severity, more=more)
    if groups.table.empty:
        yield Finding("no_group", NAMES[source])


def about_ties(n_tied, correct):
    """Questions with several most frequent answers, and the shares of right ones if the wrong or right are chosen."""
    is_tied = n_tied > 1
    if not is_tied.any():
        return
    known = correct[correct >= 0]
    more = {"of": n_tied.size, "known": known.size}
    more |= {"least": (known == 1).mean(), "most": (known > 0).mean()} if known.size else {}
    severity = Severity.SERIOUS if more.get("most", 0) - more.get("least", 0) > MUCH_TIED else Severity.NOTE
    yield Finding("tied", value=is_tied.mean(), n=int(is_tied.sum()), severity=severity, more=more)


def about_close(chance, correct, closest, wrong, has_rule=False):
    """Questions that another draw of answers may decide otherwise, and the names of close and of wrong ones.

    `chance` is that of `chance_of_another`; with a rule, `wrong` are some that it uses.
    """
    is_close = chance >= CLOSE
    n_close = int(is_close.sum())
    close = share_right(correct[is_close])
    clear = share_right(correct[~is_close])
    if not n_close:
        yield Finding("none_close", n=chance.size, severity=Severity.GOOD)
    elif close["high"] < clear["low"]:
        more = {"clear": (clear["value"], clear["low"], clear["high"]), "names": closest, "of": chance.size}
        yield Finding("close_and_wrong", **close | {"n": n_close}, more=more)
    else:
        yield Finding("close", n=n_close, more={"names": closest, "of": chance.size})
    if wrong:
        yield Finding("sure_but_wrong", n=len(wrong), more={"names": wrong, "has_rule": has_rule})


def about_samples(sizes):
    """What more samples have changed, from a table of `compare_votes`."""
    most = int(sizes["size"].iloc[-1])
    if sizes["right"].isna().all():
        enough = sizes[sizes["same"] >= SETTLED]
        row = sizes.iloc[-1] if enough.empty else enough.iloc[0]  # some have more answers than the largest vote
        kind = "unsettled" if enough.empty else "settled"
        yield Finding(kind, value=row["same"], n=int(row["size"]), more={"most": most})
        return
    enough = sizes[sizes["gain_high"] <= SAME_RIGHT].iloc[0]  # the last row has no gain over itself
    if enough["size"] < most:
        yield Finding("fewer_do", **ends_of(enough, "gain"), n=int(enough["size"]), more={"most": most})
    elif most > 1:
        before = sizes.iloc[-2]
        kind = "more_helped" if before["gain_low"] > 0 else "more_unsure"
        yield Finding(kind, **ends_of(before, "gain"), n=most, more={"before": int(before["size"])})


def about_costs(rule):
    """Which answers to use at some costs (`CostRule`); nothing without costs."""
    if rule is None:
        return
    prices = rule.prices
    chosen = prices.loc["rule" if rule.is_own else rule.plain]
    more = rule_of(rule.source, rule) | {"plain": PLAIN[rule.plain]}
    more |= {f"{name}_cost": prices.loc[name, "cost"] for name in ("all", "none")}
    more["plain_cost"] = prices.loc[rule.plain, "cost"]
    more["is_some"] = bool(chosen["cost_high"] < prices.loc["none", "cost"])  # surely better than to use none
    kind = "plain_pays"
    if rule.is_own:
        kind = "cut_pays" if chosen["saved_low"] > 0 else "cut_may_pay"
    severity = Severity.GOOD if kind == "cut_pays" else Severity.NOTE
    yield Finding(kind, NAMES[rule.source], **ends_of(chosen, "cost"), severity=severity, more=more)


def about_pair(pair):
    """Which of two systems is right more often; nothing for one."""
    if pair is None:
        return
    if pair.misread:
        yield Finding("pair_misread", more={"names": pair.misread}, severity=Severity.SERIOUS)
        return
    value, low, high = pair.measures.loc["right", ["difference", "low", "high"]]
    names, only = pair.names, pair.only
    if high < 0:
        names, only, value, low, high = names[::-1], only[::-1], -value, -high, -low
    more = {"other": names[1], "only": only[0], "only_other": only[1]}
    yield Finding("better" if low > 0 else "undecided", names[0], value=value, low=low, high=high, n=pair.n, more=more)


def about_use(findings):
    """The answer: may these answers be used? Made from the other findings alone, where there is no limitation."""
    by_kind = {}
    for finding in findings:
        by_kind.setdefault(finding.kind, []).append(finding)
    if "held" in by_kind:
        held = by_kind["held"][0]
        return Finding("use_misread", n=held.n, severity=Severity.SERIOUS, more=held.more)
    promised = max(by_kind.get("promise", []), key=lambda finding: finding.more["n_accepted"], default=None)
    if promised is not None:
        kind = "use_all" if promised.value == 1 else "use_some"
        more = promised.more | {"by_cost": "cut_pays" in by_kind}
        return Finding(kind, value=promised.value, severity=Severity.GOOD, more=more)
    later = min(by_kind.get("promise_later", []), key=lambda finding: finding.more["needed"], default=None)
    more = (later or by_kind["promise_never"][0]).more
    for kind in ("cut_pays", "cut_may_pay", "plain_pays"):
        for costs in by_kind.get(kind, []):
            if costs.more["is_some"]:
                size = {"value": costs.value, "low": costs.low, "high": costs.high}
                return Finding("use_by_cost", **size, severity=Severity.NOTE, more=more | costs.more)
    if later is not None:
        return Finding("use_not_yet", severity=Severity.SERIOUS, more=more)
    return Finding("use_no", severity=Severity.GRAVE, more=more)


def find_all(report):
    """All findings of an `AnswerReport`, as a list; the answer comes last."""
    n_known = int(report.known.sum())
    found = list(about_reading(report.table, n_known, report.sources))
    found.append(about_dependence(report.dependence, report.table.n_questions))
    if n_known:
        found.append(Finding("right", **share_right(report.correct)))
    if not report.limitation:
        p_values = {name: error.p_value for name, error in report.calibration.errors.items()}
        found += about_confidence(report.over, p_values)
        found += about_order(report.over, report.stated_gain)
        found += about_promises(report.promises)
        found += about_groups(report.groups, report.best_source, list(report.columns))
        found += about_costs(report.cost_rule)
    asked = report.table.grouped.questions
    closest, wrong = (
        [f"“{short(asked[k], 60)}”" for k in rows[:MOST_NAMED]] for rows in (report.closest, report.wrong)
    )
    found += about_ties(report.n_tied, report.correct)
    found += about_close(report.unstable, report.correct, closest, wrong, not report.used.all())
    found += about_samples(report.sizes)
    found += about_pair(report.pair)
    if report.limitation:
        return [*found, Finding("use_unknown", severity=Severity.SERIOUS, n=n_known, more={"why": report.limitation})]
    return [*found, about_use(found)]
