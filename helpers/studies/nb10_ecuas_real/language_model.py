"""A small language model and its confidences in its own answers: tables 2, 4 and 5 with another model."""

import numpy as np
import pandas as pd

from helpers.answers import combine_confidences, meaning_posterior, sequence_posterior
from helpers.calibration import cross_calibrate
from helpers.datasets import read_survey_answers
from helpers.selective import compare_systems
from helpers.studies.nb10_ecuas_real.digits import answer_quality

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


def sampled_survey_answers(task="income", way="choice_examples", *, parts=1):
    """Appendix B.1 with language models: yes or no drawn from flattened probabilities, `answer_quality` a model.

    The probabilities of both options are those of the recorded first token. Calibrated, each person's from the others,
    they are what an independent judge would state: answers are drawn at rising temperatures from these, and the
    untouched probability is stated. As recorded (`scores` raw) the same without calibration.
    """
    answers = read_survey_answers(task=task, way=way, parts=parts)
    found = []
    for model, rows in answers.dropna(subset="p").groupby("model", sort=False):
        p = rows["p"].clip(1e-5, 1 - 1e-5).to_numpy()  # the digits of the table
        y = rows["y"].to_numpy()
        options = np.column_stack([1 - p, p])
        for scores, q in (("raw", options), ("calibrated", cross_calibrate(np.log(options), y))):
            found.append(answer_quality(q, y).assign(model=model, scores=scores, people=len(y)))
    return pd.concat(found, ignore_index=True)
