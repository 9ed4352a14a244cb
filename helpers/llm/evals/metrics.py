"""Our measures as metrics of Inspect that see every attempt: a calibration of means over epochs is none.

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
from helpers.calibration import calibration_error
from helpers.checks import check_probabilities
from helpers.selective import ecuas as costs
from helpers.selective import risk_coverage_curve
from helpers.tables.log_table import grade_value

__all__ = ["accuracy_at_coverage", "attempts_of", "aurc", "ece", "ecuas", "sem1_ece", "sem2_ece"]

CONFIDENCES = ("confidence", "posterior", "is_true", "verbalised")  # looked for where none is named

AGREEMENT = {"sem1": sem1, "sem2": sem2}

GRADES = ("correct", "score", "grade")  # names of the grade in a value that is a dictionary


def attempts_of(scores):
    """The attempts behind the scores that Inspect hands to a metric.

    Parameters
    ----------
    scores : list of inspect_ai.scorer.SampleScore
        One for each question and epoch.

    Returns
    -------
    DataFrame
        A row an attempt: question (the sample's id), answer, correct (1, 0), and all else that the scores say.

    Raises
    ------
    ValueError
        For a value that is no grade.

    Examples
    --------
    >>> from inspect_ai.scorer import SampleScore, Score
    >>> score = Score(value="C", answer="Paris", metadata={"confidence": 0.9})
    >>> attempts_of([SampleScore(score=score, sample_id=1)]).to_dict("records")
    [{'question': 1, 'answer': 'Paris', 'correct': 1.0, 'confidence': 0.9}]
    """
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
        rows.append(also | {"question": entry.sample_id, "answer": entry.score.answer, "correct": correct})
    first = ["question", "answer", "correct"]
    table = pd.DataFrame(rows, columns=None if rows else first)
    table = table[table["correct"].notna()].reset_index(drop=True)
    return table[first + [name for name in table if name not in first]]


def _metric(measure):
    """A metric of a function; Inspect looks at the annotation."""

    def of_attempts(scores: list[SampleScore]):
        return measure(scores)

    return of_attempts


def _grouped(table, rule):
    return group_answers(table, rule, sample=None, reference=None, correct="correct")


def _calibration_error(scores, source, rule, n_bins):
    """{name: error, name_null: what chance alone would show}; NaN where a question has too few attempts for it."""
    name = f"{source}_ece"
    table = attempts_of(scores)
    least = table.groupby("question").size().min() if len(table) else 0
    if table["question"].nunique() < 2 or least < (2 if source == "sem2" else 1):
        return {name: math.nan, f"{name}_null": math.nan}
    measured = sem_ece(_grouped(table, rule), sources=[source], n_bins=n_bins, margins=None, n_resamples=20, rng=0)
    error = measured.errors[source]
    return {name: float(error.value), f"{name}_null": float(error.null)}


@registered(metric, scores="unreduced")
def sem1_ece(rule: str = "normalized", n_bins: int = 10):
    """Calibration error of Sem1, the share of the commonest answer among the attempts at a question.

    Parameters
    ----------
    rule : str, default "normalized"
        When two answers are the same, see `helpers.answers.spell_answers`; "class" after the scorer `classes`.
    n_bins : int, default 10
        Bins of equal width.

    Returns
    -------
    inspect_ai.scorer.Metric
        Gives sem1_ece (0 is best) and sem1_ece_null, what a calibrated model would show with as many questions.

    References
    ----------
    Wang et al. (2026), section 4; `helpers.answers.sem_ece`.

    Examples
    --------
    >>> sem1_ece()([])
    {'sem1_ece': nan, 'sem1_ece_null': nan}
    """
    return _metric(lambda scores: _calibration_error(scores, "sem1", rule, n_bins))


@registered(metric, scores="unreduced")
def sem2_ece(rule: str = "normalized", n_bins: int = 10):
    """Calibration error of Sem2: half of the attempts choose the answer, the others say how sure it is.

    Parameters
    ----------
    rule : str, default "normalized"
        As in `sem1_ece`.
    n_bins : int, default 10
        Bins of equal width.

    Returns
    -------
    inspect_ai.scorer.Metric
        Gives sem2_ece (0 is best) and sem2_ece_null; NaN unless each question has two attempts.

    References
    ----------
    Wang et al. (2026), section 4; `helpers.answers.sem_ece`.

    Examples
    --------
    >>> sem2_ece()([])
    {'sem2_ece': nan, 'sem2_ece_null': nan}
    """
    return _metric(lambda scores: _calibration_error(scores, "sem2", rule, n_bins))


def _systems(scores, confidence, rule):
    """[(prefix of a name, correct, confidence)]: of each confidence that is there, or of the one that is named.

    Agreement ("sem1", "sem2"), one row a question, is looked at where it is named, and where nothing is stated.
    """
    table = attempts_of(scores)
    stated = [name for name in CONFIDENCES if name in table and table[name].notna().any()]
    names = [confidence] if confidence else stated or ["sem1"]
    systems = []
    for name in names:
        prefix = "" if name == "confidence" else f"{name}_"
        if name in AGREEMENT and len(table):
            grouped = _grouped(table, rule)
            right = np.take_along_axis(grouped.correct, grouped.counts.argmax(axis=1)[:, None], 1)[:, 0]
            usable = (right >= 0) & (grouped.n_answers > (name == "sem2"))
            systems.append((prefix, right[usable], AGREEMENT[name](grouped.counts[usable])))
            continue
        given = table.dropna(subset=[name]) if name in table else table.head(0).assign(**{name: math.nan})
        stated = given[name].astype(float)
        systems.append((prefix, given["correct"], check_probabilities(stated, name) if len(given) else stated))
    return systems


def _measured(scores, confidence, rule, measure):
    """What `measure` makes of each system, {name: number}; NaN without a row."""
    numbers = {}
    for prefix, correct, stated in _systems(scores, confidence, rule):
        values = measure(correct, stated) if len(stated) else dict.fromkeys(measure([1], [1.0]), math.nan)
        numbers |= {prefix + name: float(value) for name, value in values.items()}
    return numbers


@registered(metric, scores="unreduced")
def ece(confidence: str = "", rule: str = "normalized", n_bins: int = 10):
    """Calibration error of a stated confidence, attempt by attempt.

    Parameters
    ----------
    confidence : str, default ""
        As in `ecuas`.
    rule : str, default "normalized"
        As in `ecuas`.
    n_bins : int, default 10
        Bins of equal width.

    Returns
    -------
    inspect_ai.scorer.Metric
        Gives ece (0 is best), named as in `ecuas`.

    References
    ----------
    `helpers.calibration.calibration_error`.

    Examples
    --------
    >>> ece(confidence="confidence")([])
    {'ece': nan}
    """

    def measure(correct, stated):
        return {"ece": calibration_error(correct, stated, n_bins=n_bins, n_simulations=100, rng=0).value}

    return _metric(lambda scores: _measured(scores, confidence, rule, measure))


@registered(metric, scores="unreduced")
def ecuas(confidence: str = "", rule: str = "normalized"):
    """Mean cost of answers and stated confidences over the prices of a refusal (ECUAS), for n = 0, 1 and infinity.

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
        Gives ecuas_0, ecuas_1 and ecuas_inf (smaller is better, 1 is what a refusal costs), with the name of the
        confidence before it unless that is "confidence". Attempts that state none are left out.

    References
    ----------
    Estienne, Ernst et al. (2026), equation 17; `helpers.selective.ecuas`.

    Examples
    --------
    >>> ecuas(confidence="confidence")([])
    {'ecuas_0': nan, 'ecuas_1': nan, 'ecuas_inf': nan}
    """

    def measure(correct, stated):
        exponents = {"ecuas_0": 0, "ecuas_1": 1, "ecuas_inf": math.inf}
        return {name: np.mean(costs(correct, stated, n=n)) for name, n in exponents.items()}

    return _metric(lambda scores: _measured(scores, confidence, rule, measure))


@registered(metric, scores="unreduced")
def aurc(confidence: str = "", rule: str = "normalized"):
    """Area under the risk-coverage curve: the mean error among the answers kept, over all coverages.

    Parameters
    ----------
    confidence : str, default ""
        As in `ecuas`.
    rule : str, default "normalized"
        As in `ecuas`.

    Returns
    -------
    inspect_ai.scorer.Metric
        Gives aurc (smaller is better), named as in `ecuas`.

    References
    ----------
    Geifman et al. (2019); `helpers.selective.aurc`.

    Examples
    --------
    >>> aurc()([])
    {'sem1_aurc': nan}
    """

    def measure(correct, stated):
        return {"aurc": risk_coverage_curve(correct, stated).aurc}

    return _metric(lambda scores: _measured(scores, confidence, rule, measure))


@registered(metric, scores="unreduced")
def accuracy_at_coverage(coverage: float = 0.8, confidence: str = "", rule: str = "normalized"):
    """Share of right answers among the most confident ones, averaged over the orders of those that tie at the edge.

    Parameters
    ----------
    coverage : float, default 0.8
        Share of the answers that is kept, above 0 and at most 1; rounded up to whole answers.
    confidence : str, default ""
        As in `ecuas`.
    rule : str, default "normalized"
        As in `ecuas`.

    Returns
    -------
    inspect_ai.scorer.Metric
        Gives accuracy_at_80 (for 0.8; larger is better), named as in `ecuas`.

    Raises
    ------
    ValueError
        For a coverage out of range.

    Examples
    --------
    >>> accuracy_at_coverage(0.5, confidence="confidence")([])
    {'accuracy_at_50': nan}
    """
    if not 0 < coverage <= 1:
        raise ValueError(f"coverage must lie above 0 and be at most 1, but it is {coverage}.")

    def measure(correct, stated):
        curve = risk_coverage_curve(correct, stated)
        kept = math.ceil(round(coverage * curve.n, 9))
        wrong = np.interp(kept, [0, *curve.count], [0, *curve.errors])
        return {f"accuracy_at_{100 * coverage:.6g}": 1 - wrong / kept}

    return _metric(lambda scores: _measured(scores, confidence, rule, measure))
