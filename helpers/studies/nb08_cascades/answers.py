"""A cascade on open questions: a cheap model answers several times; where its answers disagree, a dear one is asked."""

import numpy as np
import pandas as pd

from helpers.checks import check_count, check_probabilities
from helpers.routing import always, cascade, compare_policies, evaluate_policies


def vote(table, *, n_samples=None):
    """The most frequent answer to each question, and how many of the samples gave it.

    Parameters
    ----------
    table : `table` of `fetch_sampled_answers`; n_samples : use the first so many answers, None for all

    Returns
    -------
    DataFrame, one line a question: answer ("none" where most samples hold no answer; of tied answers the one given
    first), agreement in (0, 1], reference, characters (of all that these samples wrote)

    >>> answers = pd.DataFrame({"question": [0, 0, 0], "sample": [0, 1, 2], "parsed": ["5", "7", "7"],
    ...     "reference": ["7"] * 3, "generated": ["it is 5", "7", "7!"]})
    >>> vote(answers).round(2)
       answer  agreement reference  characters
    0       7       0.67         7          10
    """
    if n_samples is not None:
        check_count(n_samples, "n_samples")
        if (short := table.groupby("question").size().min()) < n_samples:
            raise ValueError(f"n_samples must be at most {short}, the fewest answers of a question, not {n_samples}.")
        table = table[table["sample"] < n_samples]
    given = table["parsed"].astype(object).where(table["parsed"].notna(), "none")
    counted = table.assign(parsed=given).groupby(["question", "parsed"], sort=False).agg(
        times=("sample", "size"), first=("sample", "min")
    )  # fmt: skip
    best = counted.reset_index().sort_values(["question", "times", "first"], ascending=[True, False, True])
    best = best.groupby("question").first()
    questions = table.groupby("question")
    return pd.DataFrame({
        "answer": best["parsed"].to_numpy(object),
        "agreement": best["times"].to_numpy() / questions.size().to_numpy(),
        "reference": questions["reference"].first().to_numpy(object),
        "characters": table["generated"].str.len().groupby(table["question"]).sum().to_numpy(),
    })  # fmt: skip


def handing_on(small, large, thresholds, *, rng=None, n_resamples=2000):
    """Accuracy of "ask the large model where fewer than `threshold` of the small one's answers agree", beside the two.

    Parameters
    ----------
    small, large : tables of `vote` for the same questions
    thresholds : shares of agreement in (0, 1] that keep the small model's answer; rng, n_resamples : of the intervals

    Returns
    -------
    DataFrame: policy ("small", "large", "cascade"), threshold (NaN for the first two), accuracy with `_low` and
    `_high`, gain on the large model with `_low` and `_high` (paired), handed_on (share of questions),
    characters_small, characters_large (written for a question, on average)
    """
    if not np.array_equal(small["reference"], large["reference"]):
        raise ValueError("small and large must be about the same questions, but their right answers differ.")
    thresholds = check_probabilities(thresholds, "thresholds")
    answers = np.array([small["answer"], large["answer"]], dtype=str)
    written = np.array([small["characters"], large["characters"]], dtype=float)
    y = small["reference"].to_numpy(str)
    unit = np.array([0.0, 1.0])  # counts who was handed on
    policies = {("small", np.nan): always(answers, unit, 0), ("large", np.nan): always(answers, unit, 1)}
    risk = np.array([1 - small["agreement"], np.zeros(len(small))])
    for threshold in thresholds:
        policies["cascade", threshold] = cascade(risk, answers, unit, tau=max(0.0, 1 - threshold + 1e-9))
    named = {str(key): one for key, one in policies.items()}
    options = {"n_resamples": n_resamples, "rng": rng}
    found = evaluate_policies(named, y, **options)
    change = compare_policies(named, y, against=str(("large", np.nan)), **options)
    lines = []
    for (policy, threshold), name in zip(policies, named, strict=True):
        asked = policies[policy, threshold].paid if policy == "cascade" else np.full(len(y), policy == "large")
        line = {"policy": policy, "threshold": threshold} | found.loc[name].filter(like="accuracy").to_dict()
        for end in ("", "_low", "_high"):
            line[f"gain{end}"] = 0.0 if policy == "large" else change.loc[name, f"accuracy_gain{end}"]
        line["handed_on"] = asked.mean()
        line["characters_small"] = 0.0 if policy == "large" else written[0].mean()
        line["characters_large"] = (written[1] * asked).mean()
        lines.append(line)
    return pd.DataFrame(lines)
