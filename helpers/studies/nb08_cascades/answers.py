"""A cascade on open questions: a cheap model answers several times; where its answers disagree, a dear one is asked."""

import numpy as np
import pandas as pd

from helpers.routing import cascade, compare_policies, evaluate_policies, single_model


def vote(table, *, n_samples=None):
    """The most frequent answer to each question ("none" where most samples hold no answer; of tied answers the first).

    >>> answers = pd.DataFrame({"question": [0, 0, 0], "sample": [0, 1, 2], "parsed": ["5", "7", "7"],
    ...     "reference": ["7"] * 3, "generated": ["it is 5", "7", "7!"]})
    >>> vote(answers).round(2)
       answer  agreement reference  characters
    0       7       0.67         7          10
    """
    if n_samples is not None:
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

    `small` and `large` are of `vote`, about the same questions. gain: on the large model (paired); handed_on: share of
    questions; characters: written for a question, on average.
    """
    answers = np.array([small["answer"], large["answer"]], dtype=str)
    y = small["reference"].to_numpy(str)
    price = np.array([0.0, 1.0])  # money then counts who was handed on
    risk = np.array([1 - small["agreement"], np.zeros(len(small))])
    policies = {"small": single_model(answers, price, 0), "large": single_model(answers, price, 1)}
    for k, threshold in enumerate(thresholds):
        policies[f"cascade {k}"] = cascade(risk, answers, price, tau=max(0.0, 1 - threshold + 1e-9))
    seen = evaluate_policies(policies, y, n_resamples=n_resamples, rng=rng)
    change = compare_policies(policies, y, against="large", n_resamples=n_resamples, rng=rng)
    gain = change.filter(like="accuracy_gain").rename(columns=lambda name: name.removeprefix("accuracy_"))
    small_asked = np.array([policy != "large" for policy in policies])
    handed_on = np.array([routed.paid for routed in policies.values()])
    table = pd.DataFrame({"policy": ["small", "large"] + ["cascade"] * len(thresholds)}, index=list(policies))
    table["threshold"] = [np.nan, np.nan, *thresholds]
    table = table.join(seen.filter(like="accuracy"))
    table = table.join(gain.reindex(list(policies), fill_value=0.0))
    table["handed_on"] = handed_on.mean(axis=1)
    table["characters_small"] = small_asked * float(small["characters"].mean())
    table["characters_large"] = (handed_on * large["characters"].to_numpy(float)).mean(axis=1)
    return table.reset_index(drop=True)
