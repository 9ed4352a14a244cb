"""What a language model answered to one question, as its log has it."""

import numpy as np
import pandas as pd
import pytest


def one_question(name, right, chance, rng, n=20):
    """Greedy answer and `n` draws: "yes" in two spellings, "no" and a cut "yes" without its end."""
    texts = {"yes": np.log([chance * 0.6, 1.0]), "Yes": np.log([chance * 0.4, 1.0]), "no": np.log([1 - chance, 0.9])}
    mass = np.array([chance * 0.6, chance * 0.4, (1 - chance)])
    drawn = rng.choice(["yes", "Yes", "no"], size=n, p=mass / mass.sum())
    rows = pd.DataFrame({"question": name, "sample": range(n + 1), "answer": ["yes", *drawn]})
    rows["logprobs"] = [tuple(texts[text].tolist()) for text in rows["answer"]]
    rows["posterior"] = np.exp([sum(logs) for logs in rows["logprobs"]])
    rows["end_missing"] = False
    rows["spelling"] = rows["answer"].str.lower()
    rows["correct"] = np.where(rows["spelling"] == "yes", right, 1 - right)
    return rows.assign(prompt="plain", is_true=chance, is_true_swapped=chance / 2, verbalised=0.9)


@pytest.fixture(scope="module")
def answers():
    rng = np.random.default_rng(0)
    chances = rng.uniform(0.1, 0.9, 120)
    parts = [one_question(f"q{k}", int(rng.random() < c), c, rng) for k, c in enumerate(chances)]
    return pd.concat(parts, ignore_index=True)
