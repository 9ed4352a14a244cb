"""The findings of `helpers.reports.answers` in plain words, section by section, for readers who decide, not compute.

"Points" are percentage points of probability; costs are told for 100 questions, in wrong answers. Functions return a
table, a list of paragraphs for `say`, or a text.
"""

import numpy as np
import pandas as pd

from helpers.reports.answers_advice import best_source
from helpers.reports.answers_phrases import NAMES, RULES_IN_WORDS, measured, points_apart, with_span
from helpers.reports.phrases import chance, many, percent, points


def describe(table):
    """What was read: size, rule, agreement, what is known and stated, notes. Paragraphs."""
    grouped = table.grouped
    least, most = int(grouped.n_answers.min()), int(grouped.n_answers.max())
    each = f"{most:,} to each" if least == most else f"{least:,} to {most:,} to each"
    classes = (grouped.counts > 0).sum(axis=1)
    said = [
        f"{table.name}: {table.n_answers:,} answers to {table.n_questions:,} questions, {each}. "
        f"{RULES_IN_WORDS[table.rule]} A question got {classes.mean():.1f} different answers on average; all answers "
        f"agree in {percent((classes == 1).mean())} of the questions."
    ]
    lost = int(grouped.unparsed.sum())
    if lost:
        said += [
            f"{many(lost, 'answer')} ({percent(lost / table.n_answers)}) could not be read. Each counts as an answer "
            "of its own that agrees with no other, and as wrong where the right answer is known."
        ]
    n_known, n_stated = int(table.graded.sum()), int(table.stated.sum())
    known = f"for {n_known:,} of them" if n_known < table.n_questions else "for all of them"
    text = f"The right answer is known {known if n_known else 'for none of them'}."
    if n_stated:
        text += f" A confidence was stated with {grouped.n_stated.sum():,} answers to {n_stated:,} questions."
    said += [text]
    two = np.sort(grouped.counts, axis=1)[:, -2:]
    tied = int((two[:, 0] == two[:, -1]).sum()) if two.shape[1] == 2 else 0
    if tied:
        words = many(tied, "question")
        said += [f"In {words} two answers are equally frequent at the top; the one that was given first counts."]
    return said + [f"Note: {note}{'' if note.endswith('?') else '.'}" for note in table.notes]


def calibration_table(report):
    """Stated and right, calibration error as measured, of a perfect source, and without chance, in points. A table."""
    lines = []
    for row in report.calibration.summary.itertuples():
        se = max((max(row.high, row.null) - row.low) / 4, 1e-6)
        lines.append({
            "confidence": NAMES[row.source],
            "mean": percent(row.confidence),
            "right": percent(row.accuracy),
            "calibration error": points(row.ece, se),
            "of a perfect one": points(row.null, se),
            "without chance": f"{with_span(row.debiased, row.low, max(row.high, row.null), se)}",
        })  # fmt: skip
    return pd.DataFrame(lines).set_index("confidence")


def about_calibration(report):
    """How far each confidence is from the truth. Paragraphs."""
    if report.obstacle:
        return [f"Whether the confidences are right cannot be said. {report.obstacle} {_agreement(report)}"]
    said = []
    for row in report.over.itertuples():
        se = (row.high - row.low) / 4
        p_value = report.calibration.errors[row.source].p_value
        found = (
            f"{_first_up(NAMES[row.source])}: {percent(row.confidence)} on average, {percent(row.right)} are right. "
        )
        if row.low > 0 or row.high < 0:
            ends = sorted((abs(row.low), abs(row.high)))
            word = "high" if row.low > 0 else "low"
            found += f"That is too {word} by {with_span(abs(row.over), *ends, se)} points. "
        else:
            found += f"The difference, {points(row.over, se, sign=True)} points, is no more than chance. "
        verdict = "more than chance can explain" if p_value < 0.05 else "no more than chance can explain"
        said += [f"{found}Its calibration error is {verdict} ({chance(max(p_value, 0.001))})."]
    gap = report.over.set_index("source")["confidence"]
    return said + [
        "How sure the model is of its likeliest answer lies on average between the two agreements: one counts the "
        "luck of the winner in, the other counts it against. Here they are "
        f"{points(gap['sem1'] - gap['sem2'], 0.002)} points apart, so the number of answers can explain no more than "
        "that."
    ]


def read_calibration():
    """How to read `calibration_table`. Paragraphs."""
    return [
        "The calibration error is the mean distance of the dots from the diagonal, in points. It is never zero, "
        "because even a perfect confidence meets with chance: so the table shows what a perfect one would get with "
        "these questions, and an estimate without chance."
    ]


def read_differences():
    """How to read `difference_table`. Paragraphs."""
    return [
        "Below zero means: lower than plain agreement. A lower mean confidence is no merit by itself: held-out "
        "agreement is never above agreement, question by question. The difference of two calibration errors has a bias "
        "of its own, so take its interval as a rough one; the other lines need no such warning."
    ]


def _first_up(text):
    return text[0].upper() + text[1:]


def _agreement(report):
    first, second = (report.sources[name].mean() for name in ("sem1", "sem2"))
    return f"The answers agree to {percent(first)} on average (held out: {percent(second)}), right or not."


def reliability_curves(report):
    """{name: ReliabilityCurve} for the figure."""
    return {NAMES[name]: error.curve for name, error in report.calibration.errors.items()}


def reliability_alt(report):
    """The reliability diagrams for those who cannot see them."""
    said = []
    for name, error in report.calibration.errors.items():
        curve = error.curve
        gap = curve.observed - curve.stated
        k = int(np.argmax(np.abs(gap)))
        said.append(
            f"{NAMES[name]}: {many(gap.size, 'dot')}, {int((gap < 0).sum())} below the diagonal, the farthest at "
            f"{percent(curve.stated[k])} with {percent(curve.observed[k])} right"
        )
    return f"Reliability diagrams, one below the other. {'; '.join(said)}."


def difference_table(report):
    """Each other confidence compared with plain agreement on the same questions. A table."""
    lines = []
    for name in [name for name in report.sources if name != "sem1"]:
        found = report.calibration.differences
        found = found[(found["first"] == "sem1") & (found["second"] == name)].set_index("what")
        for what, words in (("confidence", "mean confidence, points"), ("ece", "calibration error, points")):
            row = found.loc[what]
            low, high = -row["high"], -row["low"]
            lines.append((name, words, points_apart(-row["difference"], low, high), _verdict(low, high)))
        rows = report.differences[report.differences["system"] == name].set_index("metric")
        for what, words in (("ecuas_1", "ECUAS, n = 1"), ("aurc", "AURC")):
            row = rows.loc[what]
            lines.append((name, words, _apart(row), _verdict(row["low"], row["high"])))
    frame = pd.DataFrame(lines, columns=["compared with agreement", "measure", "difference", "beyond chance"])
    frame["compared with agreement"] = frame["compared with agreement"].map(NAMES)
    return frame


def _apart(row):
    return measured(row["difference"], row["low"], row["high"], sign=True, least=3)


def _verdict(low, high):
    return "no" if low <= 0 <= high else "yes"


def cost_table(report):
    """ECUAS and AURC of each confidence, with intervals. A table."""
    rows = {"ecuas_0": "ECUAS, n = 0", "ecuas_1": "ECUAS, n = 1", "ecuas_inf": "ECUAS, n = ∞", "aurc": "AURC"}
    columns = {}
    for name in report.sources:
        found = report.costs[report.costs["system"] == name].set_index("metric")
        columns[NAMES[name]] = [measured(*found.loc[metric, ["value", "low", "high"]]) for metric in rows]
    return pd.DataFrame(columns, index=list(rows.values())).rename_axis("cost, smaller is better")


def about_costs(report):
    """Which confidence costs least, and whether that is beyond chance. Paragraphs."""
    if report.obstacle:
        return [f"What a confidence costs cannot be said. {report.obstacle}"]
    best = best_source(report)
    if best == "sem1":
        said = "No other confidence surely has a lower ECUAS (n = 1) than plain agreement on these questions."
    else:
        row = report.differences.query("system == @best and metric == 'ecuas_1'").iloc[0]
        said = f"{_first_up(NAMES[best])} has a lower ECUAS (n = 1) than plain agreement: by {_apart(row)}."
    ends = report.costs[(report.costs["metric"] == "ecuas_0") & np.isinf(report.costs["value"])]["system"]
    if not len(ends):
        return [said]
    certain = int(((report.sources[ends.iloc[0]] == 1) & (report.correct == 0)).sum())
    verb = "is" if certain == 1 else "are"
    return [
        said,
        f"{many(certain, 'question')} {verb} answered wrong with {NAMES[ends.iloc[0]]} at 100 %. That is infinitely "
        "dear where the price of a refusal may be as small as one likes (n = 0).",
    ]


def read_costs():
    """How to read `cost_table`. Paragraphs."""
    return [
        "ECUAS is what an answer costs together with its confidence, if whoever uses it may refuse it, averaged over "
        "all prices of a refusal. Refusing everything costs 1. With n = 0 sure mistakes weigh most: a wrong answer "
        "stated with 100 % costs infinitely much. With n = ∞ only the share of wrong answers is left, and the "
        "confidence does not count.",
        "AURC looks at the order alone: the share of wrong answers among those kept, averaged over keeping the surest "
        "one, two, three, … of them.",
    ]
