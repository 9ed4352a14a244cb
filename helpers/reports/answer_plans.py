"""Ways to use a model, each priced with its samples, its mistakes and its hand-overs; and which of them is advised."""

import re
from collections import Counter

import numpy as np
import pandas as pd

from helpers.reports.phrases import cost_with_span, percent, shares
from helpers.reports.votes import cut_of

LEAST_FAMILY = 5  # questions that begin alike, from which on it is said

ENDS = {"": "", "_low": "_high", "_high": "_low"}  # of the share of wrong answers, from those of right ones

TOTAL = ("total", "total_low", "total_high")

WIDER = 1.15  # times as wide an interval, from which on it is said


def list_plans(report):
    """Price the ways to use a model: the cheapest vote, all samples, all answers given, and nothing but hand-overs.

    Parameters
    ----------
    report : AnswerReport
        With right answers.

    Returns
    -------
    DataFrame
        A row a plan: plan, size, cut, answered, wrong_among (with _low and _high), samples, mistakes, hand_overs (what
        each costs a question) and total (with _low and _high).
    """
    cut = "stated confidence"
    first = report.sizes.iloc[0]
    best = report.cheapest
    kept = report.advice.kept.set_index("answer")
    most = f"all {report.most} samples"
    samples = report.price * report.most
    nothing = {"plan": "hand over every question", "size": 0, "cut": "never", "answered": 0.0, "samples": 0.0}
    lines = [nothing | {"mistakes": 0.0, "hand_overs": report.reject_cost} | dict.fromkeys(TOTAL, report.reject_cost)]
    name = "cheapest with the model"
    line = {"plan": name, "size": int(best["size"]), "cut": cut_of(best["size"], best["least"], cut)}
    line |= {key: best[key] for key in best.index if key.startswith(("wrong_among", "total"))}
    line |= {"answered": 1 - best["refused"], "hand_overs": report.reject_cost * best["refused"]}
    if best["refused"] < 1:  # else its samples would be paid and never used
        lines.append(line | {"mistakes": best["wrong"], "samples": report.price * best["size"]})
    last = report.sizes.iloc[-1]
    cuts = {"chosen": cut_of(report.most, last["least"], cut), "all": "always"}
    for way, name in (("chosen", most), ("all", f"{most}, every answer given")):
        row = kept.loc[way]
        if way == "chosen" and (report.cheapest_size == report.most or not row["answered"]):
            continue
        line = {"plan": name, "size": report.most, "cut": cuts[way], "answered": row["answered"], "samples": samples}
        line |= {f"wrong_among{end}": row[f"wrong{end}"] for end in ("", "_low", "_high")}
        line |= {f"total{end}": row[f"cost{end}"] + samples for end in ("", "_low", "_high")}
        hand_overs = report.reject_cost * (1 - row["answered"])
        lines.append(line | {"mistakes": row["cost"] - hand_overs, "hand_overs": hand_overs})
    wrong = {f"wrong_among{end}": 1 - first[f"right{other}"] for end, other in ENDS.items()}
    line = {"plan": "1 sample, every answer given", "size": 1, "cut": "always", "answered": 1.0} | wrong
    line |= {f"total{end}": wrong[f"wrong_among{end}"] + report.price for end in ENDS}
    lines.append(line | {"samples": report.price, "mistakes": wrong["wrong_among"], "hand_overs": 0.0})
    return pd.DataFrame(lines)


def print_plans(plans):
    """`list_plans` as texts: costs of 100 questions, whose parts add up to their total as it is printed."""
    lines = {}
    for row in plans.itertuples():
        parts = rounded_parts(row.total, [row.samples, row.mistakes, row.hand_overs])
        lines[row.plan] = {
            "cost of 100": cost_with_span(row.total, row.total_low, row.total_high),
            "answer from": row.cut,
            "handed over": percent(1 - row.answered),
            "wrong among answers": shares(row.wrong_among, row.wrong_among_low, row.wrong_among_high),
            "samples + mistakes + hand-overs": " + ".join(parts),
        }
    return pd.DataFrame(lines).T.rename_axis("plan")


def rounded_parts(total, parts):
    """Costs of a question as texts for 100 questions with one decimal, that add up to their total as it is printed.

    >>> rounded_parts(0.1004, [0.0334, 0.0334, 0.0336])
    ['3.3', '3.3', '3.4']
    """
    tenths = 1000 * np.asarray(parts, float)
    whole = np.floor(tenths + 1e-9)
    missing = int(np.clip(round(10 * float(f"{round(100 * total, 9):.1f}")) - whole.sum(), 0, whole.size))
    whole[np.argsort(-(tenths - whole), kind="stable")[:missing]] += 1
    return [f"{value / 10:.1f}" for value in whole]


def beginnings(questions):
    """How each question begins: its first four words, where a number is "#"; "" for questions that are no sentences.

    >>> beginnings(["What is 10 - 6?", "What is 3 - 1?", 7])
    ['what is # -', 'what is # -', '']
    """
    found = []
    for question in questions:
        text = re.sub(r"\d+", "#", str(question).lower()) if isinstance(question, str) and " " in question else ""
        words = re.findall(r"#|[^\W\d_]+|[-+*/×÷]", text)
        found.append(" ".join(words[:4]) if len(words) > 1 else "")
    return found


def find_families(questions, correct):
    """Look whether questions that begin alike are right or wrong together.

    Parameters
    ----------
    questions : (Q,) array
        Names of the questions.
    correct : (Q,) int array
        Right (1), wrong (0) or unknown (-1).

    Returns
    -------
    dict or None
        n (questions in families of five or more), families (their number), largest (the most frequent beginnings) and
        wider (how many times as wide the interval of the share of right answers is if only families are drawn
        independently); None where questions do not begin alike, or it changes nothing.
    """
    known = correct >= 0
    names = np.array(beginnings(questions), dtype=object)
    sizes = Counter(name for name in names if name)
    large = {name: size for name, size in sizes.items() if size >= LEAST_FAMILY}
    if len(large) < 2 or known.sum() < 2:
        return None
    family = np.where([name in large for name in names], names, [f"{k} alone" for k in range(names.size)])
    residual = correct[known] - correct[known].mean()
    sums = pd.Series(residual).groupby(family[known]).sum().to_numpy()
    if not (residual**2).sum():
        return None
    wider = float(np.sqrt((sums**2).sum() / (residual**2).sum()))
    largest = [name for name, _ in Counter(large).most_common(3)]
    if wider < WIDER:
        return None
    return {"n": sum(large.values()), "families": len(large), "largest": largest, "wider": wider}
