"""Our measures as metrics of Inspect that see every attempt: a calibration of means over epochs is none.

Each of `helpers.selective.METRICS` is one by its name, and `ecuas` with three exponents.

In any evaluation: `@scorer(metrics=[accuracy(), sem1_ece(), ecuas()])`, or for a log that is there
`inspect score my.eval --metric honest_confidence/sem1_ece --metric honest_confidence/ecuas`.

A score's value must be a grade (C, I, 0, 1, ...). Its `answer` says which attempts agree; confidences are numbers in
[0, 1] in its metadata, or beside the grade in a value that is a dictionary. Inspect leaves out attempts that have no
grade.
"""

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd
from inspect_ai.scorer import SampleScore, metric

from helpers._inspect import registered
from helpers.answers import group_answers, sem1, sem2, sem_ece
from helpers.answers.calibration import chance_right
from helpers.answers.splits import chances_to_win
from helpers.checks import check_probabilities
from helpers.practice.tables.log_table import grade_value
from helpers.selective import METRICS
from helpers.selective.metrics import MeasuredAnswers, metrics_of

__all__ = ["MEASURES", "sem1_ece", "sem2_ece"]

CONFIDENCES = ("confidence", "posterior", "is_true", "verbalised")  # looked for where none is named

AGREEMENT = {"sem1": sem1, "sem2": sem2}

GRADES = ("correct", "score", "grade")  # names of the grade in a value that is a dictionary


def attempts_of(scores):
    """A row a graded attempt: question (the sample's id), answer, correct (1, 0), and all else that the scores say."""
    rows = []
    for entry in scores:
        value = entry.score.value
        also = dict(entry.score.metadata or {})
        if isinstance(value, Mapping):
            also |= value
            value = next((value[name] for name in GRADES if name in value), "")
        correct = grade_value(value)
        if correct is None:
            raise ValueError(
                f"score must be a grade such as C, I, 0 or 1 (in a dictionary under {', '.join(GRADES)}), but that of "
                f"sample {entry.sample_id!r} is {entry.score.value!r}."
            )
        rows.append({"question": entry.sample_id, "answer": entry.score.answer, "correct": correct, "also": also})
    table = pd.DataFrame(rows, columns=["question", "answer", "correct", "also"])
    table = table[table["correct"].notna()].reset_index(drop=True)
    also = pd.DataFrame(table.pop("also").tolist(), index=table.index)
    return table.join(also.drop(columns=table.columns, errors="ignore"))


def _grouped(table, rule):
    """The answers to each question, sorted into those that are the same."""
    return group_answers(table, rule, sample=None, reference=None, correct="correct")


def _agreement_error(source, rule, n_bins):
    """Metric with an error and what chance alone would show; NaN where a question has too few attempts for it."""
    names = f"{source}_ece", f"{source}_ece_null"
    fewest = 2 if source == "sem2" else 1

    def measure(scores: list[SampleScore]):
        table = attempts_of(scores)
        if table["question"].nunique() < 2 or table.groupby("question").size().min() < fewest:
            return dict.fromkeys(names, math.nan)
        options = {"sources": [source], "n_bins": n_bins, "margins": None, "n_resamples": 20, "rng": 0}
        error = sem_ece(_grouped(table, rule), **options).errors[source]
        return dict(zip(names, (float(error.value), float(error.null)), strict=True))

    return measure


@registered(metric, scores="unreduced")
def sem1_ece(rule: str = "normalized", n_bins: int = 10):
    """Calibration error of Sem1, the share of the commonest answer among the attempts (Wang et al. 2026, section 4).

    Parameters
    ----------
    rule : str, default "normalized"
        When two answers are the same, see `helpers.answers.spell_answers`; "class" after the scorer `classes`.
    n_bins : int, default 10
        Bins of equal width.

    Returns
    -------
    inspect_ai.scorer.Metric
        Gives sem1_ece (0 is best) and sem1_ece_null, what these shares would show if each were true
        (a perfect model with few attempts shows more).

    Examples
    --------
    >>> sem1_ece()([])
    {'sem1_ece': nan, 'sem1_ece_null': nan}
    """
    return _agreement_error("sem1", rule, n_bins)


@registered(metric, scores="unreduced")
def sem2_ece(rule: str = "normalized", n_bins: int = 10):
    """Calibration error of Sem2: half of the attempts choose the answer, the others say how sure it is.

    Parameters
    ----------
    rule, n_bins : str, int
        As in `sem1_ece`.

    Returns
    -------
    inspect_ai.scorer.Metric
        Gives sem2_ece (0 is best) and sem2_ece_null; NaN unless each question has two attempts.

    Examples
    --------
    >>> sem2_ece()([])
    {'sem2_ece': nan, 'sem2_ece_null': nan}
    """
    return _agreement_error("sem2", rule, n_bins)


def _systems(scores, confidence, rule):
    """[(prefix of a name, correct, confidence, weight)] of each confidence that is there, or of the one that is named.

    A question whose most frequent answers are tied is right with the weight of the right ones, and wrong with the rest.
    """
    table = attempts_of(scores)
    stated = [name for name in CONFIDENCES if name in table and table[name].notna().any()]
    names = [confidence] if confidence else stated or ["sem1"]
    systems = []
    for name in names:
        prefix = "" if name == "confidence" else f"{name}_"
        # agreement, one row a question, is looked at where it is named, and where nothing is stated
        if name in AGREEMENT and len(table):
            grouped = _grouped(table, rule)
            right = chance_right(grouped.correct, chances_to_win(grouped.counts))
            usable = (right >= 0) & (grouped.n_answers > (name == "sem2"))
            right = right[usable]
            correct = np.repeat([1.0, 0.0], right.size)
            stated = np.tile(AGREEMENT[name](grouped.counts[usable]), 2)
            systems.append((prefix, correct, stated, np.concatenate([right, 1 - right])))
            continue
        given = table.dropna(subset=[name]) if name in table else table.head(0).assign(**{name: math.nan})
        stated = given[name].astype(float)
        stated = check_probabilities(stated, name) if len(given) else stated
        systems.append((prefix, given["correct"], stated, np.ones(len(given))))
    return systems


DOCUMENTED = """{labels} of a stated confidence, attempt by attempt.

Parameters
----------
confidence : str, default ""
    Name of a confidence, or "sem1" or "sem2"; "" for all of confidence, posterior, is_true and verbalised that the
    scores state, or Sem1 if they state none.
rule : str, default "normalized"
    As in `sem1_ece`, for "sem1" and "sem2".

Returns
-------
inspect_ai.scorer.Metric
    Gives {names} ({best} is better), with the name of the
    confidence before it unless that is "confidence". Attempts that state none are left out.

Examples
--------
>>> list({first}(confidence="confidence")([])) == "{names}".split(", ")
True
"""


def _measure(name, metrics):
    """Metric for Inspect of some of our measures, under the `name` of all of them."""

    def build(confidence: str = "", rule: str = "normalized"):
        def measure(scores: list[SampleScore]):
            numbers = {}
            for prefix, correct, stated, weight in _systems(scores, confidence, rule):
                values = dict.fromkeys(metrics, math.nan)
                if len(stated):
                    values = MeasuredAnswers(metrics, np.asarray(correct, float), np.asarray(stated, float)).measure(
                        weight
                    )
                numbers |= {prefix + name: float(value) for name, value in values.items()}
            return numbers

        return measure

    best = "larger" if any(one.larger_is_better for one in metrics.values()) else "smaller"
    labels = "; ".join(one.label for one in metrics.values())
    build.__doc__ = DOCUMENTED.format(labels=labels, best=best, names=", ".join(metrics), first=name)
    build.__name__ = build.__qualname__ = name
    build.__module__ = __package__  # where it is found by its name
    return registered(metric, scores="unreduced")(build)


ECUAS = {name: one for name, one in metrics_of((0, 1, math.inf)).items() if name not in METRICS}

MEASURES = {name: _measure(name, {name: one}) for name, one in METRICS.items()} | {"ecuas": _measure("ecuas", ECUAS)}
