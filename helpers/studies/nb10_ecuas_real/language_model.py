"""A small language model and its confidences in its own answers: tables 2, 4 and 5 with another model."""

import numpy as np
import pandas as pd

from helpers.answers import combine_confidences, meaning_posterior
from helpers.llm import sequence_posterior
from helpers.plotting.style import BLUE, MARKERS, ORANGE, panels
from helpers.selective import compare_systems
from helpers.studies.nb10_ecuas_real.printed import LARGER

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
    more = rows["metric"].isin([*LARGER, "prr"])
    below = np.where(more, rows["low"] > 0, rows["high"] < 0)
    above = np.where(more, rows["high"] < 0, rows["low"] > 0)
    rows["better"] = np.select([below, above], ["first", "second"], "")
    return rows[["first", "second", "metric", "difference", "low", "high", "better"]].reset_index(drop=True)


def plot_confidence_differences(differences, metrics, against="sequence"):
    """Draw differences from one confidence, a panel a measure, a mark a prompt; what is infinite has no mark."""
    fig, axes = panels(len(metrics), figsize=(2.6 * len(metrics) + 1.6, 3.4), sharey=True)
    for ax, (metric, words) in zip(axes, metrics.items(), strict=True):
        for k, (prompt, rows) in enumerate(differences.items()):
            rows = rows[(rows["metric"] == metric) & (rows["first"] == against)]
            names = list(rows["second"])
            place = np.arange(len(rows))[::-1] + 0.12 - 0.24 * k
            style = {"color": (BLUE, ORANGE)[k], "marker": MARKERS[k], "linestyle": "none", "markersize": 5}
            finite = np.isfinite(rows[["difference", "low", "high"]]).all(axis=1).to_numpy()
            rows = rows[finite]
            bars = np.array([rows["high"] - rows["difference"], rows["difference"] - rows["low"]])
            ax.errorbar(-rows["difference"], place[finite], xerr=bars, label=f"prompt: {prompt}", capsize=2, **style)
            ax.set_yticks(np.arange(len(names))[::-1], names)
        ax.axvline(0, color="black", linewidth=1, linestyle="--")
        ax.set_title(words)
    fig.supxlabel(f"minus {against}", fontsize=10)
    fig.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return fig
