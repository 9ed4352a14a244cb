"""The protocol of section 6.1 on the recorded answers of a small language model."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers.answers import group_answers, sem_ece
from helpers.answers.counts import GroupedAnswers

STATED = {"is_true": "is it true", "verbalised": "verbalised"}


@dataclass(frozen=True)
class AskedModel:
    """Answers of a model to many questions, in classes, with what it says of the most frequent one."""

    grouped: GroupedAnswers = field(repr=False)  # classes, counts and grades
    stated: dict = field(repr=False)  # {"is it true", "verbalised": (Q,) confidences, NaN where there is none}

    @property
    def correct(self):
        """Whether the most frequent answer to each question is right, (Q,) float."""
        chosen = self.grouped.counts.argmax(axis=1)
        return self.grouped.correct[np.arange(len(chosen)), chosen].astype(float)


def asked_model(answers, prompt, rule):
    """Sampled answers under one prompt; `rule`: "exact" (equal strings) or "normalized" (equal but for spelling)."""
    rows = answers[(answers["prompt"] == prompt) & (answers["sample"] > 0)].reset_index(drop=True)
    grouped = group_answers(rows, rule, correct="correct")
    chosen = grouped.counts.argmax(axis=1)
    wanted = pd.Series([labels[k] for labels, k in zip(grouped.labels, chosen, strict=True)], grouped.questions)
    text = rows["answer"] if rule == "exact" else rows["spelling"]
    mine = rows[text == rows["question"].map(wanted)]
    means = mine.groupby("question")[list(STATED)].mean().reindex(grouped.questions)
    return AskedModel(grouped, {word: means[name].to_numpy() for name, word in STATED.items()})


def protocol_rows(asked, *, n_resamples=1000, rng=None):
    """Calibration error of Sem1, Sem2 and the stated confidences of the same answers, and differences of each two."""
    rng = np.random.default_rng(rng)
    errors = {}
    differences = []
    options = {"margins": None, "n_resamples": n_resamples, "rng": rng}
    for word, stated in asked.stated.items():
        if not np.isfinite(stated).any():
            continue
        counts = asked.grouped.counts
        sources = ["stated"] if errors else None  # Sem1 and Sem2 are measured once
        measured = sem_ece(counts, asked.grouped.correct, stated=stated, sources=sources, **options)
        rows = measured.summary.set_index("source").rename(index={"sem1": "Sem1", "sem2": "Sem2", "stated": word})
        errors |= rows.drop(index=list(errors), errors="ignore").T.to_dict()
        gaps = measured.differences[measured.differences["what"] == "ece"]
        differences.append(gaps.replace({"sem1": "Sem1", "sem2": "Sem2", "stated": word}))
    errors = pd.DataFrame(errors).T[["ece", "low", "high", "null", "overconfidence", "accuracy", "n"]]
    differences = pd.concat(differences).drop_duplicates(["first", "second"])
    return errors, differences[["first", "second", "difference", "low", "high", "n"]].reset_index(drop=True)


def protocol_table(parts):
    """One line a model, {(name, rule): result of `protocol_rows`}: its errors in words, and Sem1 less Sem2."""
    rows = []
    for (name, rule), (errors, differences) in parts.items():
        words = {name: f"{row.ece:.3f} [{row.low:.3f}, {row.high:.3f}]" for name, row in errors.iterrows()}
        pair = differences[(differences["first"] == "Sem1") & (differences["second"] == "Sem2")].iloc[0]
        ends = {"Sem1 - Sem2": pair["difference"], "low": pair["low"], "high": pair["high"]}
        rows.append({"answers of": name, "equal by": rule, "accuracy": errors["accuracy"]["Sem1"]} | words | ends)
    return pd.DataFrame(rows)
