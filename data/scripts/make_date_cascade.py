"""Make `date_cascade.csv`: what a cascade from GPT-3.5 to GPT-4 achieves on 369 questions about dates, measured by us.

    python data/scripts/make_date_cascade.py

Downloads the sampled answers once (or reads them from HONEST_DATA; see `helpers.datasets.fetch_sampled_answers`).
GPT-3.5 answers several times; where fewer than a share of its answers agree, GPT-4 is asked once. The answers are not
shipped: they come without a licence.
"""

import sys
from pathlib import Path

import pandas as pd

from helpers.datasets import fetch_sampled_answers
from helpers.studies.nb08_cascades import handing_on, vote

TARGET = Path(__file__).resolve().parents[1] / "date_cascade.csv"
LARGE = "GPT4/date_greedy_cot1"
SMALL = {"1": "GPT3/date_cot1_t=0.8", "2": "GPT3/date_cot2_t=0.8"}
KEPT = {3: (2, 3), 5: (3, 4, 5), 10: (5, 6, 7, 8, 9, 10), 20: (10, 12, 14, 16, 18, 20)}  # equal answers that suffice
SEED = 20260101


def make_table(small=SMALL, large=LARGE, kept=KEPT):
    """The table as a DataFrame: two models alone and a cascade for each threshold, by prompt and number of samples."""
    right = vote(fetch_sampled_answers(large).table)
    parts = []
    for prompt, name in small.items():
        answers = fetch_sampled_answers(name).table
        for n_samples, counts in kept.items():
            shares = [count / n_samples for count in counts]
            part = handing_on(vote(answers, n_samples=n_samples), right, shares, rng=SEED)
            part.insert(0, "prompt", prompt)
            part.insert(1, "n_samples", n_samples)
            parts.append(part)
    return pd.concat(parts, ignore_index=True).assign(n_questions=len(right)).round(4)


if __name__ == "__main__":
    table = make_table()
    table.to_csv(Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET, index=False, lineterminator="\n")
    print(f"{len(table)} rows")
