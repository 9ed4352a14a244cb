"""Make data/option_questions.csv: our short questions with four answers to choose from, as those of MMLU have.

    python data/scripts/make_option_questions.py

Questions are those of smollm2_questions.csv and hard_questions.csv that have one answer, a number or a word of a list:
wrong numbers are near the right one (or have a zero too many or too few), wrong words are right answers to questions
that begin alike, and what a riddle tempts to is listed here. The right answer stands at a place drawn by chance.
The column `question` holds the four answers too, and `references` the letter of the right one.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

DATA = Path(__file__).resolve().parents[1]

SEED = 20261131

LETTERS = "ABCD"

STEPS = (1, 2, 3, 5, 10, 20)  # from the right number

TWO_ANSWERS = ("prime", "leap year", "decimal", "alphabet")  # kinds with two possible answers, which are left out

TEMPTING = {  # the right answer: wrong ones
    "Antarctica": ("the Sahara", "the Gobi", "the Arabian Desert"),
    "Venus": ("Mercury", "Mars", "Jupiter"),
    "France": ("Russia", "the United States", "China"),
    "oxygen": ("silicon", "iron", "aluminium"),
    "black": ("white", "pink", "yellow"),
    "silver": ("copper", "gold", "aluminium"),
    "nitrogen": ("oxygen", "carbon dioxide", "hydrogen"),
    "Sweden": ("Indonesia", "the Philippines", "Japan"),
    "Mauna Kea": ("Mount Everest", "K2", "Kilimanjaro"),
}

DRY = "Which continent gets the least rain and snow?"  # its answer is that of another question too


def wrong_numbers(right, rng):
    """Three others: round ones have zeros too many or too few, the rest are some steps away."""
    if right >= 100 and right % 100 == 0:
        others = [right * 10, right * 100, right // 10, right // 100]
    else:
        others = [right + sign * step for step in STEPS for sign in (-1, 1)]
    return rng.choice([other for other in others if other > 0], 3, replace=False).tolist()


def wrong_words(row, table, rng):
    """Three right answers of questions of the kind that begin with the same two words, and are not right here."""
    begin = row.question.split()[:2]
    alike = table["question"].str.split().str[:2].map(lambda words: words == begin) & (table["kind"] == row.kind)
    others = table.loc[alike, "references"].str.split("|").str[0].unique()
    others = [word for word in others if word not in row.references.split("|") and not word.isdigit()]
    return None if len(others) < 3 else rng.choice(others, 3, replace=False).tolist()


def make_table(seed=SEED):
    """The table as a DataFrame: kind, question with its four answers, references."""
    rng = np.random.default_rng(seed)
    easy, hard = (pd.read_csv(DATA / name, dtype=str) for name in ("smollm2_questions.csv", "hard_questions.csv"))
    table = pd.concat([easy, hard[~hard["kind"].isin(TWO_ANSWERS)]], ignore_index=True)
    rows = []
    for row in table.itertuples():
        right = row.references.split("|")[0]
        if row.kind == "tempting":
            others = ("Africa", "Asia", "Australia") if row.question == DRY else TEMPTING[right]
        elif right.isdigit():
            others = wrong_numbers(int(right), rng)
        elif row.kind == "fact":
            continue
        elif (others := wrong_words(row, table, rng)) is None:
            continue
        options = rng.permutation([right, *map(str, others)])
        letter = LETTERS[list(options).index(right)]
        lines = [f"{name}. {option}" for name, option in zip(LETTERS, options, strict=True)]
        rows.append((row.kind, "\n".join([row.question, *lines]), letter))
    return pd.DataFrame(rows, columns=["kind", "question", "references"])


if __name__ == "__main__":
    made = make_table()
    made.to_csv(sys.argv[1] if len(sys.argv) > 1 else DATA / "option_questions.csv", index=False, lineterminator="\n")
    print(f"{len(made):,} questions: {made['kind'].value_counts().to_dict()}")
