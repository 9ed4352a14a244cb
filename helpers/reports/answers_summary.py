"""The answer in a few sentences, before any evidence: what the summary of an audit of answers says."""

import numpy as np
import pandas as pd

from helpers.reports.answers_advice import next_steps
from helpers.reports.answers_phrases import NAMES, shares
from helpers.reports.phrases import in_points, listed, many, percent

SURE = 0.05


def summary(report):
    """The answer first: the questions of a decision maker, and what this file can say. A table."""
    answers = {
        "How often is the answer right?": _right(report),
        "Can the confidence be believed?": _believed(report),
        "Which questions are hard?": _hard(report),
        "What can be answered without help?": _without_help(report),
        "How many answers are worth their price?": _samples(report),
        "What should be done next?": _numbered([what for what, _ in next_steps(report)]),
    }
    return pd.DataFrame({"Answer": answers}).rename_axis("Question")


def _numbered(sentences):
    return " ".join(f"({k}) {text}" for k, text in enumerate(sentences, 1)) if sentences[1:] else sentences[0]


def _right(report):
    if report.accuracy is None:
        return f"This cannot be said. {report.obstacle}"
    n = int(report.known.sum())
    return f"The most frequent answer is right in {shares(*report.accuracy)} of {many(n, 'question')}."


def _believed(report):
    if report.obstacle:
        return f"This cannot be said. {report.obstacle}"
    over = report.over.set_index("source")
    sure = {name: over.loc[name, "low"] > 0 or over.loc[name, "high"] < 0 for name in report.sources}
    off = {name: report.calibration.errors[name].p_value < SURE for name in report.sources}
    row = over.loc["sem1"]
    if sure["sem1"]:
        word = "high" if row["over"] > 0 else "low"
        amount = in_points(abs(row["over"]), (row["high"] - row["low"]) / 4)
        first = f"Not agreement as it is: it lies at {percent(row['confidence'])}, on average {amount} too {word}."
    elif off["sem1"]:
        first = "Not agreement as it is: right on average, but too high for some questions and too low for others."
    else:
        first = "Nothing speaks against agreement in these questions."
    fine = [name for name in report.sources if name != "sem1" and not sure[name] and not off[name]]
    if fine and (sure["sem1"] or off["sem1"]):
        return f"{first} Nothing speaks against {' and '.join(NAMES[name] for name in fine)}."
    return first


def _hard(report):
    rows = report.strata.set_index("stratum")
    some = int(rows["n"].sum() - (rows.loc["no gap", "n"] if "no gap" in rows.index else 0))
    if not some:
        return "None stands out: every half of the answers chooses the same one."
    if "no gap" not in rows.index or rows["n_known"].min() < 5:
        return f"{many(some, 'question')} where the halves of the answers may choose differently, listed below."
    easy, hard = percent(rows.loc["no gap", "right"]), percent(rows.iloc[-1]["right"])
    found = f"right in {hard} where the gap is large, in {easy} where there is none"
    if len(rows) == 2:
        found = f"right in {hard} of them, in {easy} of the others"
    return f"The {some:,} whose answers split, so that halves of them may choose differently: {found}."


def _without_help(report):
    if report.obstacle:
        return f"This cannot be said. {report.obstacle}"
    rows = report.kept.set_index("source")
    best = rows.loc[list(report.sources), "cost"].idxmin()
    row = rows.loc[best]
    if row["cost"] >= rows.loc[["all", "none"], "cost"].min():
        better = "answer everything" if rows.loc["all", "cost"] <= rows.loc["none", "cost"] else "answer nothing"
        return f"At a cost of {report.reject_cost:g} for a question left to others, the cheapest is to {better}."
    three = shares(row["wrong"], row["wrong_low"], row["wrong_high"])
    wrong = "" if np.isnan(row["wrong"]) else f"; {three} of these are wrong"
    return f"{percent(row['answered'])} of the questions, by {NAMES[best]}{wrong}."


def _samples(report):
    if report.obstacle:
        return f"This cannot be said. {report.obstacle}"
    if not report.worth_asking:
        return "None at these prices: to leave every question to somebody else is cheaper."
    size, most = int(report.cheapest["size"]), int(report.sizes["size"].iloc[-1])
    near = f" {listed(report.as_cheap, 12)} cannot be told apart." if len(report.as_cheap) > 1 else ""
    return f"{size} of the {most}, if a sample costs {report.price:g} of a wrong answer.{near}"
