"""A small language model and its confidences in its own answers: tables 2, 4 and 5 with another model."""

import numpy as np
import pandas as pd

from helpers.answers import combine_confidences, meaning_posterior, sequence_posterior
from helpers.selective import compare_systems

_PARTS = ("sequence", "per token", "meaning", "is it true", "both orders", "verbalised")


def greedy_confidences(answers, prompt, *, rng=None):
    """One row a question: is the greedy answer right, and every confidence in it."""
    rows = _with_ends(answers[answers["prompt"] == prompt].reset_index(drop=True))
    added = rows.assign(posterior=rows["posterior"].fillna(0.0))  # an unknown spelling adds nothing, as an unseen one
    rows["meaning"] = meaning_posterior(added)
    greedy = rows[rows["sample"] == 0].reset_index(drop=True)
    table = pd.DataFrame(
        {
            "question": greedy["question"],
            "correct": greedy["correct"].astype(float),
            "sequence": greedy["posterior"],
            "per token": greedy["posterior"] ** (1 / greedy["logprobs"].str.len()),
            "meaning": greedy["meaning"],
            "is it true": greedy["is_true"],
            "both orders": (greedy["is_true"] + greedy["is_true_swapped"]) / 2,
            "verbalised": greedy["verbalised"],
        }
    )
    known = [name for name in _PARTS if table[name].notna().mean() > 0.5]
    table = table.drop(columns=[name for name in _PARTS if name not in known]).dropna(ignore_index=True)
    parts = {name: table[name] for name in known}
    table["learned"] = combine_confidences(table["correct"], parts, rng=rng)
    return table


def _with_ends(rows):
    """Rows whose log-probabilities, where the end is missing, are those of another row of the same text, else None."""
    known = rows["logprobs"].where(~rows["end_missing"])
    twins = known.groupby([rows["question"], rows["answer"]]).transform("first")
    logprobs = known.fillna(twins)
    return rows.assign(logprobs=logprobs.where(logprobs.notna(), None), posterior=logprobs.map(sequence_posterior))


def _systems(table):
    """{name: (correct, confidence)} of a table of `greedy_confidences`."""
    return {name: (table["correct"], table[name]) for name in table.columns[2:]}


def compare_confidences(table, names, *, n_resamples=1000, rng=None):
    """Paired differences of the measures of each two confidences in the same answers, questions drawn again."""
    systems = {name: pair for name, pair in _systems(table).items() if name in names}
    rows = compare_systems(systems, n=(0, 1), n_resamples=n_resamples, rng=rng)
    rows = rows.rename(columns={"system": "first", "against": "second"})
    rows = rows[~rows["metric"].isin(["er", "ece"])]  # the same answers; no interval
    more = rows["metric"].isin(["auc", "prr"])
    below = np.where(more, rows["low"] > 0, rows["high"] < 0)
    above = np.where(more, rows["high"] < 0, rows["low"] > 0)
    rows["better"] = np.select([below, above], ["first", "second"], "")
    return rows[["first", "second", "metric", "difference", "low", "high", "better"]].reset_index(drop=True)


def with_intervals(measured, columns):
    """Rows of `measure_systems` as text, "value [low, high]": a row a system, a column a measure of `columns`."""
    ends = measured[["value", "low", "high"]].to_numpy()
    text = measured.assign(shown=[f"{value:.3f} [{low:.3f}, {high:.3f}]" for value, low, high in ends])
    wide = text.pivot(index="system", columns="metric", values="shown").loc[text["system"].unique()]
    return wide[list(columns)].rename(columns=columns).rename_axis("confidence")
