"""How likely a model finds a meaning: the probabilities of all its spellings that were seen, each once."""

import numpy as np
import pandas as pd

from helpers.answers.counts import check_table
from helpers.answers.spelling import spell_answers
from helpers.checks import check_probabilities

NOISE = 0.02  # by which the texts of a question may exceed 1: servers compute in low precision, in batches


def meaning_posterior(table, rule="normalized", *, question="question", answer="answer", posterior="posterior"):
    """Probability of the meaning of each sampled answer: the sum over its distinct texts, as far as they were sampled.

    "Paris", "paris" and "It is Paris." share one meaning, and their probabilities add up. Each distinct text counts
    once, however often it was drawn, with the mean of its stated probabilities (equal but for the noise of the server).
    Spellings that were never sampled are missing from the sum, so it is a lower bound: with n draws of a text of
    probability p the bound lacks p (1 - p)^n on average. ValueError for texts of a question that add up to more than 1.
    Kuhn, Gal and Farquhar (2023), equation 2; Estienne, Ernst et al. (2026), section 4.2, for one text.
    Plain, for known probabilities: `helpers.papers.ecuas2026.section_3_confidence`.

    Parameters
    ----------
    table : DataFrame
        One row a sampled answer, drawn at temperature 1.
    rule : str or function, default "normalized"
        When two texts mean the same, see `spell_answers`; a text that it cannot read means only itself.
    question, answer, posterior : str
        Columns of questions, texts and probabilities of the texts (`helpers.answers.sequence_posterior`), NaN where
        there is none.

    Returns
    -------
    ndarray, shape (n,)
        In [0, 1], the same in all answers of one meaning to a question; NaN where a text of the meaning has none.

    Examples
    --------
    >>> table = pd.DataFrame({"question": ["a"] * 4, "answer": ["Paris", "paris.", "Paris", "Rome"],
    ...     "posterior": [0.5, 0.2, 0.5, 0.1]})
    >>> meaning_posterior(table)
    array([0.7, 0.7, 0.7, 0.1])
    """
    check_table(table, {"question": question, "answer": answer, "posterior": posterior})
    stated = check_probabilities(table[posterior].to_numpy(), posterior, missing=True)
    text = pd.factorize(table[answer].map(str, na_action="ignore"), use_na_sentinel=False)[0]
    spelled = pd.factorize(spell_answers(table[answer], rule))[0]
    rows = pd.DataFrame(
        {
            "question": pd.factorize(table[question], use_na_sentinel=False)[0],
            "meaning": np.where(spelled < 0, -1 - text, spelled),
            "text": text,
            "mass": stated,
        }
    )
    texts = rows.groupby(["question", "meaning", "text"])["mass"].mean()
    _check_total(texts.groupby("question").sum(), table[question])
    known = texts.notna().groupby(["question", "meaning"]).all()
    sums = texts.groupby(["question", "meaning"]).sum().where(known).rename("sum")
    return np.minimum(rows.join(sums, on=["question", "meaning"])["sum"].to_numpy(), 1.0)


def _check_total(total, questions):
    """ValueError if the distinct texts of a question, numbered in order of appearance, add up to more than 1."""
    above = total[total > 1 + NOISE]
    if above.size:
        name = questions.unique()[above.index[0]]
        raise ValueError(
            f"posterior must be the probabilities of distinct texts, which add up to at most 1, but those of question "
            f"{name!s} add up to {above.iloc[0]:.3g} (and {above.size - 1:,} more questions). Were they computed at "
            "another temperature, or a token?"
        )
