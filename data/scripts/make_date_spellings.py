"""Make `date_spellings.csv`: is GPT-3.5's confidence in a date better read from its strings or from what they mean?

    python data/scripts/make_date_spellings.py

Downloads the sampled answers once (or reads them from HONEST_DATA; see `helpers.datasets.fetch_sampled_answers`).
GPT-3.5 answered 369 questions about dates 20 times each. The answer that counts is the most frequent date. Its
confidence is the share of answers that mean this date, or the share of the most frequent string that means it: the
answers, and so the errors, are the same. The answers are not shipped: they come without a licence.
"""

import sys
from pathlib import Path

import pandas as pd

from helpers.datasets import fetch_sampled_answers
from helpers.resampling import bootstrap_interval
from helpers.selective import aurc, chow_cost, confidence_auc, ecuas

TARGET = Path(__file__).resolve().parents[1] / "date_spellings.csv"
PROMPTS = {"1": "GPT3/date_cot1_t=0.8", "2": "GPT3/date_cot2_t=0.8"}
FEES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
SEED = 20260101


def confidences(answers):
    """One line a question: right, meaning (share of the most frequent date), string (of its most frequent spelling).

    An answer without a date is a class of its own spelling; of tied dates or strings the one given first counts.
    """
    meant = answers["parsed"].where(answers["parsed"].notna(), answers["answer"])
    lines = []
    for _, part in answers.assign(meant=meant).groupby("question"):
        dates = part["meant"].value_counts(sort=False)
        strings = part.loc[part["meant"] == dates.idxmax(), "answer"].value_counts(sort=False)
        right = dates.idxmax() == part["reference"].iloc[0]
        lines.append((int(right), dates.max() / len(part), strings.max() / len(part)))
    return pd.DataFrame(lines, columns=["right", "meaning", "string"])


MEASURES = {"error": lambda right, _: 1 - right.mean(), "auc": confidence_auc, "aurc": aurc}
MEASURES |= {"certain_errors": lambda right, confidence: ((confidence == 1) & (right == 0)).sum()}
MEASURES |= {f"ecuas_{n:g}": lambda r, c, n=n: ecuas(r, c, n=n).mean() for n in (0, 0.25, 1, 128)}
MEASURES |= {f"cost_{fee:g}": lambda r, c, fee=fee: chow_cost(r, c, fee).mean() for fee in FEES}


def make_table(prompts=PROMPTS, measures=MEASURES):
    """The table as a DataFrame: one line for each prompt and measure, with the difference string - meaning."""
    rows = []
    for prompt, name in prompts.items():
        found = confidences(fetch_sampled_answers(name).table)
        columns = [found[column].to_numpy() for column in ("right", "meaning", "string")]
        for measure, value in measures.items():
            meaning = value(columns[0], columns[1])
            string = value(columns[0], columns[2])
            row = {"prompt": prompt, "measure": measure, "meaning": meaning, "string": string}
            if measure not in ("error", "ecuas_0", "certain_errors"):  # the same; infinite; a count

                def gap(right, meaning, string, value=value):
                    return value(right, string) - value(right, meaning)

                interval = bootstrap_interval(gap, *columns, n_resamples=2000, rng=SEED)
                row |= {"difference": interval.value, "low": interval.low, "high": interval.high}
            rows.append(row | {"n_questions": len(found)})
    table = pd.DataFrame(rows)
    numbers = ["meaning", "string", "difference", "low", "high"]
    table[numbers] = table[numbers].round(4) + 0.0  # no -0.0
    return table


if __name__ == "__main__":
    table = make_table()
    table.to_csv(Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET, index=False, lineterminator="\n")
    print(f"{len(table)} rows")
