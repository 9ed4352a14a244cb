"""Sections of the report on sampled answers in words: hard questions, refusals, numbers of samples, the control."""

import numpy as np
import pandas as pd
from scipy.stats import binom

from helpers.reports.answer_numbers import hardest
from helpers.reports.answers_phrases import NAMES, a_sample, bracketed, hundred, shares, short, whole
from helpers.reports.phrases import listed, many, percent, points

ENDS = ["right", "low", "high"]

SAMPLED = {
    "no gap": "every half chooses the same",
    "smaller gap": "smaller gap",
    "larger gap": "larger gap",
    "a gap": "halves may choose differently",
}


def strata_table(report):
    """Questions by their gap between the two agreements, with the share of right answers. A table."""
    lines = {}
    for row in report.strata.itertuples():
        lines[SAMPLED[row.stratum]] = {
            "questions": f"{row.n:,}",
            "gap in points": points(row.gap, 0.002),
            "agreement": percent(row.sem1),
            "right": shares(row.right, row.low, row.high),
        }
    return pd.DataFrame(lines).T.rename_axis("halves of the answers")


def about_gap(report):
    """What the gap says about these questions. Paragraphs."""
    some = int((report.strata["stratum"] != "no gap") @ report.strata["n"])
    if not some:
        return ["No question has a gap: whichever half of its answers chooses, it chooses the same answer."]
    said = f"{some:,} question{' has' if some == 1 else 's have'} a gap: there it depends on luck which answer wins."
    rows = report.strata.set_index("stratum")
    if "no gap" not in rows.index or rows["n_known"].min() < 5:
        return [said]
    easy, hard = rows.loc["no gap"], rows.iloc[-1]
    if hard["high"] < easy["low"]:
        more = (
            f"Of the questions without a gap {shares(*easy[ENDS])} are answered right, of those with "
            f"{'a' if len(rows) == 2 else 'the larger'} gap {shares(*hard[ENDS])}. Here the gap tells hard questions "
            "without knowing a single right answer."
        )
    else:
        more = "Here the gap does not surely tell which questions are answered wrong: the intervals overlap."
    return [said, more]


def hard_table(report, most=10):
    """The questions with the largest gaps, with their answers. A table."""
    lines = []
    for row in hardest(report.questions, report.table.grouped, most).itertuples():
        shown = [f"{short(name, 24)} ({count})" for name, count in row.answers[:5]]
        rest = len(row.answers) - len(shown)
        reference = "not known" if row.reference == "" else "never given" if pd.isna(row.reference) else row.reference
        lines.append({
            "question": short(row.question),
            "answers, how often": ", ".join(shown) + (f" and {rest} more" if rest else ""),
            "right answer": short(reference, 24),
            "gap in points": points(row.gap, 0.002),
        })  # fmt: skip
    return pd.DataFrame(lines)


def kept_table(report):
    """What is answered and what it costs, by each confidence and without any. A table."""
    words = NAMES | {"all": "answer everything", "none": "answer nothing"}
    lines = {}
    for row in report.kept.itertuples():
        lines[words[row.source]] = {
            "answered": percent(row.answered),
            "wrong among these": shares(row.wrong, row.wrong_low, row.wrong_high),
            "cost of 100 questions": f"{hundred(row.cost)} {bracketed(hundred(row.cost_low), hundred(row.cost_high))}",
        }
    return pd.DataFrame(lines).T.rename_axis("decide by")


def about_kept(report):
    """What share can be answered at the given cost of a refusal. Paragraphs."""
    if report.obstacle:
        return [f"What share can be answered at which risk cannot be said. {report.obstacle}"]
    gamma, rows = report.reject_cost, report.kept.set_index("source")
    best = rows.loc[list(report.sources), "cost"].idxmin()
    row, everything, nothing = rows.loc[best], rows.loc["all", "cost"], rows.loc["none", "cost"]
    said = [
        f"A question that is left to somebody else costs {gamma:g} of a wrong answer. So it pays to leave those whose "
        f"confidence is below {percent(1 - gamma)}. By {NAMES[best]} {percent(row['answered'])} of the questions are "
        f"answered, and 100 questions cost {hundred(row['cost'])} wrong answers, against {hundred(everything)} if "
        f"everything is answered and {hundred(nothing)} if nothing is."
    ]
    if row["cost"] >= min(everything, nothing):
        said += ["So no confidence of this file is of use at this cost."]
    return said


def read_kept():
    """How to read the figure of refusals. Paragraphs."""
    return [
        "From right to left fewer questions are answered, the least sure ones being left out first. A flat piece at "
        "the left means that many questions have the same, highest confidence: nothing tells them apart. If confidence "
        "is too high, the marks lie too far to the right."
    ]


def kept_curves(report):
    """{name: RiskCoverageCurve} for the figure."""
    return {NAMES[name]: report.curve(name) for name in report.sources}


def kept_points(report):
    """{name: (share answered, share wrong among these)} for the figure."""
    rows = report.kept.set_index("source")
    return {NAMES[name]: tuple(rows.loc[name, ["answered", "wrong"]]) for name in report.sources}


def kept_alt(report):
    """The risk-coverage curves for those who cannot see them."""
    said = []
    for name in report.sources:
        curve = report.curve(name)
        half = int(np.argmax(curve.coverage >= 0.5))
        said.append(f"by {NAMES[name]} {percent(curve.risk[half])} at {percent(curve.coverage[half])} answered")
    return (
        f"Share of wrong answers against the share of questions answered, surest first. All answered: "
        f"{percent(1 - report.accuracy[0])} wrong; {listed(said)}."
    )


def sample_table(report):
    """Votes of fewer answers: how often right, how often refused, what they cost. A table."""
    lines = []
    for row in report.sizes.itertuples():
        line = {"answers": f"{row.size:,}", "same vote as all": whole(row.same)}
        if not report.obstacle:
            line |= {
                "right": shares(row.right, row.right_low, row.right_high),
                "left to others": whole(row.refused),
                "cost of 100": hundred(row.cost),
                "and samples": f"{hundred(row.total)} {bracketed(hundred(row.total_low), hundred(row.total_high))}",
                "saved by one more": "–" if np.isnan(row.saved) else a_sample(row.saved),
            }
        lines.append(line)
    return pd.DataFrame(lines).set_index("answers")


def about_samples(report):
    """How many answers are worth paying for. Paragraphs."""
    sizes = report.sizes
    most = int(sizes["size"].iloc[-1])
    if report.obstacle:
        near = sizes[sizes["same"] >= 0.95].iloc[0]
        return [
            f"What more answers are worth cannot be said. {report.obstacle} But it can be said when the vote settles: "
            f"a vote of {int(near['size'])} names the same answer as all {most} in {percent(near['same'])} of the "
            "questions."
        ]
    best, gain = report.cheapest, sizes["right"].iloc[-1] - sizes["right"].iloc[0]
    size = int(best["size"])
    often = f"{points(abs(gain), 0.005)} points {'more' if gain >= 0 else 'less'} often than"
    said = [
        f"A vote of {most} is right {often if points(gain, 0.005) != '0' else 'as often as'} a single answer. If a "
        f"sample costs {report.price:g} of a wrong answer, the cheapest vote has {many(size, 'answer')}: 100 questions "
        f"cost {hundred(best['total'])} wrong answers, of which {hundred(report.price * size)} are for samples."
    ]
    others = [str(other) for other in report.as_cheap if other != size]
    if others:
        votes = f"A vote of {others[0]}" if len(others) == 1 else f"Votes of {listed(others, 12)}"
        said += [f"{votes} cannot be told from it."]
    else:
        said += ["Every other number surely costs more."]
    if not report.worth_asking:
        said += [
            f"But to leave every question to somebody else costs {hundred(report.reject_cost)}: at these prices no "
            "vote is worth its answers."
        ]
    later = sizes[sizes["size"] > size]
    if len(later) and report.price > 0:
        saved = (best["cost"] - later["cost"]) / (later["size"] - size)
        next_size = int(later.loc[saved.idxmax(), "size"])
        worth = f"saves {a_sample(saved.max())}" if saved.max() > 0 else "saves nothing"
        said += [
            f"Beyond {size} one more sample no longer pays: even on the way to {next_size}, where it is worth most, it "
            f"{worth} wrong answers in 100 questions and costs {a_sample(report.price)}."
        ]
    return said


def read_samples(report):
    """How to read `sample_table`. Paragraphs."""
    if report.obstacle:
        return [
            "A vote counts as the same if it names an answer that leads among all answers; ties are shared out evenly."
        ]
    return [
        "Costs are for 100 questions. The intervals show how far other questions could lie; votes of different size "
        "share the questions, so the comparison between them is sharper than they look. The cost can go up and down, "
        "because the agreement of few answers can only take few values: of three answers it is a third, two thirds or "
        "all. Tied votes are shared out evenly."
    ]


def samples_alt(report):
    """The figure of the votes for those who cannot see it."""
    sizes = report.sizes
    first, last = sizes.iloc[0], sizes.iloc[-1]
    if report.obstacle:
        return (
            f"A vote of one answer names the same as all {int(last['size'])} in {percent(first['same'])} of the "
            f"questions; the share rises to {percent(last['same'])} with all of them."
        )
    best = report.cheapest
    return (
        f"Above, the share of right votes rises from {percent(first['right'])} with one answer to "
        f"{percent(last['right'])} with {int(last['size'])}. Below, the cost of 100 questions with samples starts at "
        f"{hundred(first['total'])}, is lowest with {int(best['size'])} answers, {hundred(best['total'])}, and ends at "
        f"{hundred(last['total'])}."
    )


def control_line(control):
    """What the negative control found, in one line."""
    if control is None:
        return "No control was run, because no calibration was measured."
    made, raised = control.draws * len(control.alarms), sum(control.alarms.values())
    most = int(binom.ppf(0.99, made, 0.05))
    each = listed([f"{count} for {NAMES[name]}" for name, count in control.alarms.items()])
    fair = "no more" if raised <= most else "more"
    return (
        f"{made} files with nothing to find: {many(raised, 'alarm')} of the test of calibration ({each}), {fair} than "
        f"a fair test at 5 % may raise (up to {most})."
    )
