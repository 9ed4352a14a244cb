"""Studies of notebook 16: collected answers against the truth that a stand-in knows, and what a rule makes of them."""

import math
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pandas as pd

from helpers.answers import group_answers
from helpers.calibration import calibration_error
from helpers.checks import check_numbers
from helpers.resampling import exact_interval

WAYS = {"posterior": "probability of its words", "is_true": "is this true?", "verbalised": "says a number"}

CUTS = (0.2, 0.6)  # shares of the answers at which the groups of `believed_errors` end


def match_known(answers, known):
    """Collected answers with what is known of their texts, in the order of the answers.

    Parameters
    ----------
    answers : DataFrame
        With question, answer and confidences, as `CollectedAnswers.answers`.
    known : DataFrame
        From `helpers.llm.testing.known_answers`.

    Returns
    -------
    DataFrame
        The columns of `answers`, then text, meaning, probability and correct; confidences that both have come twice,
        the known one with "_known" at its end. Answers whose text is not known are left out.

    Examples
    --------
    >>> known = pd.DataFrame({"question": ["a"], "meaning": ["B"], "text": ["b."], "is_true": [0.9]})
    >>> both = match_known(pd.DataFrame({"question": ["a"] * 2, "answer": ["b.", "c"], "is_true": 0.8}), known)
    >>> both[["meaning", "is_true", "is_true_known"]].to_numpy().tolist()
    [['B', 0.8, 0.9]]
    """
    keys = {"left_on": ["question", "answer"], "right_on": ["question", "text"]}
    return answers.merge(known, how="inner", validate="many_to_one", suffixes=("", "_known"), **keys)


@dataclass(frozen=True)
class Frequencies:
    """Shares of meanings among the answers to each question, against their known probabilities.

    Parameters
    ----------
    table : DataFrame
        Indexed by question and meaning: known, share.
    band : DataFrame
        Columns known, low, high: where a share lies in 95 of 100 cases (normal approximation).
    n_answers : int
        All answers.
    unknown : int
        Answers whose text is not known.
    mean : float
        Of the likeliest meaning of each question, in standard errors: how far the counts are from their expectation
        together; near 0 if all is as it should be.
    spread : float
        The same for their squared deviations.
    """

    table: pd.DataFrame = field(repr=False)
    band: pd.DataFrame = field(repr=False)
    n_answers: int
    unknown: int
    mean: float
    spread: float

    def __str__(self):
        return (
            f"{self.n_answers:,} answers, {self.unknown:,} of them unknown texts; likeliest meanings: mean "
            f"{self.mean:+.1f}, scatter {self.spread:+.1f} standard errors"
        )


def compare_frequencies(answers, known):
    """Shares of meanings among collected answers, against the known probabilities.

    With n answers to each question, p the known probability of the likeliest meaning of a question and c how often it
    came, mean = sum(c - n p) / sqrt(sum n p (1 - p)), and spread = sum(z^2 - 1) / sqrt(sum var(z^2)) with
    z = (c - n p) / sqrt(n p (1 - p)) and var(z^2) = 2 + (1 - 6 p (1 - p)) / (n p (1 - p)).

    Parameters
    ----------
    answers : DataFrame
        With question and answer; every question must have equally many.
    known : DataFrame
        From `helpers.llm.testing.known_answers`.

    Returns
    -------
    Frequencies
        Shares, and two scores that are near standard normal if all is as it should be.

    Raises
    ------
    ValueError
        If the questions have different numbers of answers.
    """
    sizes = answers.groupby("question", sort=False).size()
    if sizes.nunique() != 1:
        raise ValueError(f"answers must be equally many to each question, but they are {sizes.min()} to {sizes.max()}.")
    n = int(sizes.iloc[0])
    asked = known[known["question"].isin(sizes.index)]
    truth = asked.groupby(["question", "meaning"], sort=False)["probability"].sum()
    both = match_known(answers, known)
    counts = both.groupby(["question", "meaning"]).size().reindex(truth.index, fill_value=0)
    lead = truth[truth.groupby("question").idxmax()]
    lead = lead[(lead > 0) & (lead < 1)]
    variance = n * lead * (1 - lead)
    gap = counts[lead.index] - n * lead
    noise = math.sqrt((2 + (1 - 6 * lead * (1 - lead)) / variance).sum())
    p = np.linspace(0, 1, 101)
    reach = 1.96 * np.sqrt(p * (1 - p) / n)
    return Frequencies(
        table=pd.DataFrame({"known": truth, "share": counts / n}),
        band=pd.DataFrame({"known": p, "low": np.maximum(p - reach, 0), "high": np.minimum(p + reach, 1)}),
        n_answers=len(answers),
        unknown=len(answers) - len(both),
        mean=float(gap.sum() / math.sqrt(variance.sum())),
        spread=float((gap**2 / variance - 1).sum() / noise),
    )


def read_out(calls, confidences, *, limit=0.9):
    """What becomes of answers that are read out where their confidence is at least `limit`, and looked up elsewhere.

    Parameters
    ----------
    calls : DataFrame
        A row a call: correct (0/1) and a column for each confidence, NaN where it is missing.
    confidences : dict
        {column: its name}.
    limit : float, default 0.9
        Least confidence of an answer that is read out.

    Returns
    -------
    DataFrame
        Indexed by name: calls, read out (counts), right, wrong, looked up (shares of all calls), and of those read out:
        stated (mean confidence), wrong of these, its exact 95 % interval low, high; NaN where none is read out.

    Examples
    --------
    >>> calls = pd.DataFrame({"correct": [1, 0, 1, 0], "c": [0.9, 1.0, 0.2, float("nan")]})
    >>> read_out(calls, {"c": "stated"})[["read out", "right", "wrong", "looked up"]].to_numpy().tolist()
    [[2.0, 0.25, 0.25, 0.5]]
    """
    limit = float(check_numbers(limit, "limit"))
    if not len(calls):
        raise ValueError(
            "calls must hold an answer whose grade is known, but no grade was settled: are there references, and does "
            "the judge keep to its form (`.reported` of grade_answers)?"
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


def calibration_table(sources, *, rng=None):
    """Calibration error and over-confidence of several sources, one a row.

    Parameters
    ----------
    sources : dict
        {name: (correct, confidence)}, independent rows of 0/1 and numbers in [0, 1].
    rng : int, Generator or None
        For the error of a perfect confidence.

    Returns
    -------
    DataFrame
        Indexed by name: answers, error, null (the error of a perfect confidence), p_value, "too sure by" (mean
        confidence less share right) and its standard error se.
    """
    streams = np.random.default_rng(rng).spawn(len(sources))
    rows = []
    for (correct, confidence), stream in zip(sources.values(), streams, strict=True):
        correct = np.asarray(correct, float)
        gap = np.asarray(confidence, float) - correct
        error = calibration_error(correct, confidence, n_bins=10, rng=stream)
        rows.append({
            "answers": gap.size,
            "error": error.value,
            "null": error.null,
            "p_value": error.p_value,
            "too sure by": gap.mean(),
            "se": gap.std(ddof=1) / math.sqrt(gap.size),
        })  # fmt: skip
    return pd.DataFrame(rows, index=pd.Index(sources, name="confidence"))


def agreement_by_rule(judgements):
    """What the same answers look like if other answers count as the same.

    Parameters
    ----------
    judgements : dict
        {name: (answers, rule)}; answers have the columns question, sample, answer and `correct`; rule as in
        `helpers.answers.group_answers`.

    Returns
    -------
    DataFrame
        Indexed by name: classes a question, agreement (mean share of the most frequent class), right (share of
        questions whose most frequent class is right), "too sure by" (their difference).
    """
    rows = []
    for answers, rule in judgements.values():
        grouped = group_answers(answers, rule, correct="correct")
        top = grouped.counts.argmax(axis=1)[:, None]
        agreement = np.take_along_axis(grouped.counts, top, 1)[:, 0] / grouped.n_answers
        right = (np.take_along_axis(grouped.correct, top, 1)[:, 0] == 1).mean()
        rows.append({
            "classes a question": (grouped.counts > 0).sum(axis=1).mean(),
            "agreement": agreement.mean(),
            "right": right,
            "too sure by": agreement.mean() - right,
        })  # fmt: skip
    return pd.DataFrame(rows, index=pd.Index(judgements, name="same if"))


def wordings(answers, known):
    """The distinct collected texts with the probability of each and that of its meaning.

    Parameters
    ----------
    answers : DataFrame
        With question, answer and posterior, as `CollectedAnswers.answers`.
    known : DataFrame
        From `helpers.llm.testing.known_answers`.

    Returns
    -------
    DataFrame
        A row a text: question, text, wording (its posterior as collected), meaning (probability of all texts of the
        meaning), kind ("usual wording" for the likeliest text of its meaning, else "other wording").

    Examples
    --------
    >>> known = pd.DataFrame({"question": "a", "meaning": "B", "text": ["b", "b."], "probability": [0.7, 0.3]})
    >>> drawn = pd.DataFrame({"question": "a", "answer": ["b.", "b", "b."], "posterior": [0.3, 0.7, 0.3]})
    >>> wordings(drawn, known)[["wording", "meaning", "kind"]].to_numpy().tolist()
    [[0.3, 1.0, 'other wording'], [0.7, 1.0, 'usual wording']]
    """
    texts = match_known(answers, known).drop_duplicates(["question", "text"], ignore_index=True)
    keys = ["question", "meaning"]
    of_meaning = known.groupby(keys)["probability"].agg(["sum", "max"]).loc[pd.MultiIndex.from_frame(texts[keys])]
    usual = texts["probability"].to_numpy() == of_meaning["max"].to_numpy()
    return pd.DataFrame({
        "question": texts["question"],
        "text": texts["text"],
        "wording": texts["posterior"],
        "meaning": of_meaning["sum"].to_numpy(),
        "kind": np.where(usual, "usual wording", "other wording"),
    })  # fmt: skip


def votes(answers, known):
    """Agreement of the answers to a question, and how many are right.

    Parameters
    ----------
    answers : DataFrame
        With question and answer.
    known : DataFrame
        From `helpers.llm.testing.known_answers`.

    Returns
    -------
    agreement : float
        Mean share of the most frequent meaning of a question.
    right : float
        Share of right answers.

    Examples
    --------
    >>> known = pd.DataFrame({"question": "a", "meaning": ["B", "C"], "text": ["b", "c"], "correct": [True, False]})
    >>> drawn = pd.DataFrame({"question": ["a"] * 4, "answer": ["b", "c", "c", "c"]})
    >>> votes(drawn, known)
    (0.75, 0.25)
    """
    both = match_known(answers, known)
    counts = both.groupby(["question", "meaning"]).size().groupby("question")
    return float((counts.max() / counts.sum()).mean()), float(both["correct"].mean())


def believed_errors(answers):
    """What a confidence says about wrong answers, by the share of the samples that gave them.

    Parameters
    ----------
    answers : DataFrame
        With question, answer (its class), correct (0/1) and the confidence.

    Returns
    -------
    DataFrame
        Indexed by "given in": wrong answers (distinct classes), mean confidence.

    Examples
    --------
    >>> answers = pd.DataFrame({"question": "a", "answer": list("bbbbc"), "correct": 0, "is_true": [0.8] * 4 + [0.1]})
    >>> believed_errors(answers)["mean confidence"].tolist()
    [0.1, nan, 0.8]
    """
    of_class = answers.groupby(["question", "answer"])["question"].transform("size")
    of_question = answers.groupby("question")["question"].transform("size")
    wrong = answers.assign(share=(of_class / of_question).round(9))[answers["correct"] == 0]
    classes = wrong.groupby(["question", "answer"]).agg(share=("share", "first"), stated=("is_true", "mean"))
    names = [
        f"up to {CUTS[0]:.0%}",
        *(f"{low:.0%} to {high:.0%}" for low, high in pairwise(CUTS)),
        f"above {CUTS[-1]:.0%}",
    ]
    group = pd.cut(classes["share"], [-math.inf, *CUTS, math.inf], labels=names).rename("given in")
    summary = classes.groupby(group, observed=False)["stated"].agg(["size", "mean"])
    return summary.rename(columns={"size": "wrong answers", "mean": "mean confidence"})


def first_letter(text):
    """A careless rule: two answers are the same if they begin alike; "the answer is" and "It is" do not count.

    Parameters
    ----------
    text : str
        An answer.

    Returns
    -------
    str or None
        Its class, None for an empty answer.

    Examples
    --------
    >>> first_letter("It is Paris."), first_letter("Prague")
    ('p', 'p')
    """
    return text.lower().removeprefix("the answer is ").removeprefix("it is ")[:1] or None
