"""Make `date_confidence.csv`: Sem1-ECE and Sem2-ECE of GPT-3.5 and GPT-4 on 369 questions about dates, measured by us.

    python data/scripts/make_date_confidence.py

Downloads the sampled answers once (or reads them from HONEST_DATA; see `helpers.datasets.fetch_sampled_answers`).
Answers are the same if their strings are (rule "exact") or if they mean the same date (rule "date"); an answer without
a date is then a class of its own. The answers are not shipped: they come without a licence.
"""

import sys
from pathlib import Path

import pandas as pd

from helpers.answers import group_answers, sem_ece
from helpers.datasets import fetch_sampled_answers

TARGET = Path(__file__).resolve().parents[1] / "date_confidence.csv"
SYSTEMS = {"GPT3/date_cot1_t=0.8": (6, 10, 20), "GPT3/date_cot2_t=0.8": (6, 10, 20), "GPT4/date_cot1": (3,)}
SEED = 20260101


def measure(answers, rule, closed):
    """Rows of the table for one system, one rule and one edge rule."""
    found = sem_ece(group_answers(answers, rule), closed=closed, ties="first", n_resamples=2000, rng=SEED)
    rows = []
    for line in found.summary.itertuples():
        rows.append(("ece", line.source, line.ece, line.low, line.high, line.null, line.n))
        rows.append(("confidence", line.source, line.confidence, None, None, None, line.n))
    rows.append(("accuracy", "", found.summary["accuracy"][0], None, None, None, len(found.per_question)))
    for line in found.differences.itertuples():
        rows.append((f"difference in {line.what}", "sem1 - sem2", line.difference, line.low, line.high, None, line.n))
    return pd.DataFrame(rows, columns=["quantity", "source", "value", "low", "high", "null", "n_questions"])


def make_table(systems=SYSTEMS, rules=("exact", "date"), edges=("left", "right")):
    """The table as a DataFrame: a row for each system, number of answers, rule, edge rule and quantity."""
    parts = []
    for name, sizes in systems.items():
        answers = fetch_sampled_answers(name).table
        for n_answers in sizes:
            first = answers[answers["sample"] < n_answers]
            for rule in rules:
                for closed in edges:
                    part = measure(first, rule, closed)
                    labels = {"system": name, "n_answers": n_answers, "rule": rule, "closed": closed}
                    for place, (column, value) in enumerate(labels.items()):
                        part.insert(place, column, value)
                    parts.append(part)
    return pd.concat(parts, ignore_index=True).round(4).replace(-0.0, 0.0)


if __name__ == "__main__":
    table = make_table()
    table.to_csv(Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET, index=False, lineterminator="\n")
    print(f"{len(table)} rows")
