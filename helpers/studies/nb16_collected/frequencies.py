"""Studies of notebook 16: collected answers against known probabilities, and what a rule makes of them."""

import math
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers.checks import check_numbers
from helpers.resampling import exact_interval
from helpers.tables.log_table import grade_value

CONFIDENCES = {"posterior": "probability of its words", "is_true": "is this true?", "verbalised": "says a number"}


def answers_of(log, scorer="grade"):
    """Answers in a log of Inspect with what a scorer stored of them."""
    rows = []
    for sample in sorted(log.samples, key=lambda sample: (sample.id, sample.epoch)):
        score = sample.scores[scorer]
        metadata = score.metadata
        row = {"question": sample.input, "sample": sample.epoch, "given": metadata.get("given", score.answer)}
        row |= {"answer": score.answer} | {name: metadata.get(name, math.nan) for name in CONFIDENCES}
        rows.append(row | {"correct": grade_value(score.value)})
    return pd.DataFrame(rows)


def tokens_of(log):
    """Tokens that each question took, read and written, over all its answers; indexed by the question's number."""
    rows = [
        {"question": sample.id, "read": usage.input_tokens, "written": usage.output_tokens}
        for sample in log.samples
        for usage in sample.model_usage.values()
    ]
    return pd.DataFrame(rows).groupby("question").sum()


def match_known(answers, known):
    """Collected answers with what is known of their texts, in the order of the answers."""
    keys = {"left_on": ["question", "answer"], "right_on": ["question", "text"]}
    return answers.merge(known, how="inner", validate="many_to_one", suffixes=("", "_known"), **keys)


@dataclass(frozen=True)
class Frequencies:
    """Shares of meanings among the answers to each question, against their known probabilities."""

    table: pd.DataFrame = field(repr=False)  # indexed by question and meaning: known, share
    band: pd.DataFrame = field(repr=False)  # known, low, high: where a share lies in 95 of 100 cases
    mean: float  # of the likeliest meanings' counts against their expectation, in standard errors
    dispersion: float  # the same for their squared deviations


def compare_frequencies(answers, known):
    """Shares of meanings among collected answers, against the known probabilities."""
    sizes = answers.groupby("question", sort=False).size()
    if sizes.nunique() != 1:
        raise ValueError(f"answers must be equally many to each question, but they are {sizes.min()} to {sizes.max()}.")
    n = int(sizes.iloc[0])
    asked = known[known["question"].isin(sizes.index)]
    truth = asked.groupby(["question", "meaning"], sort=False)["probability"].sum()
    both = match_known(answers, known)
    counts = both.groupby(["question", "meaning"]).size().reindex(truth.index, fill_value=0)
    modal = truth[truth.groupby("question").idxmax()]
    modal = modal[(modal > 0) & (modal < 1)]
    variance = n * modal * (1 - modal)
    gap = counts[modal.index] - n * modal
    noise = math.sqrt((2 + (1 - 6 * modal * (1 - modal)) / variance).sum())
    p = np.linspace(0, 1, 101)
    half_width = 1.96 * np.sqrt(p * (1 - p) / n)
    return Frequencies(
        table=pd.DataFrame({"known": truth, "share": counts / n}),
        band=pd.DataFrame({"known": p, "low": np.maximum(p - half_width, 0), "high": np.minimum(p + half_width, 1)}),
        mean=float(gap.sum() / math.sqrt(variance.sum())),
        dispersion=float((gap**2 / variance - 1).sum() / noise),
    )


def read_out(calls, confidences, *, limit=0.9):
    """What becomes of answers that are read out where their confidence is at least `limit`, and looked up elsewhere."""
    limit = float(check_numbers(limit, "limit"))
    if not len(calls):
        raise ValueError(
            "calls must hold an answer whose grade is known, but no grade was settled: are there references, and does "
            "the judge keep to its form?"
        )
    n = len(calls)
    rows = []
    for column in confidences:
        out = calls[calls[column] >= limit]
        n_wrong = int((out["correct"] == 0).sum())
        low, high = exact_interval(n_wrong, len(out))
        rows.append({
            "calls": n,
            "read out": len(out),
            "right": (len(out) - n_wrong) / n,
            "wrong": n_wrong / n,
            "looked up": 1 - len(out) / n,
            "stated": out[column].mean(),
            "wrong of these": n_wrong / len(out) if len(out) else math.nan,
            "low": low,
            "high": high,
        })  # fmt: skip
    return pd.DataFrame(rows, index=pd.Index(confidences.values(), name="confidence"))
