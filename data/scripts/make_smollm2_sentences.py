"""Make data/smollm2_sentences.csv: short sentences whose writer liked something or did not, made by a small grammar.

    python data/scripts/make_smollm2_sentences.py

Six forms, 200 sentences each, half of them with label 1 (liked). Three state it outright; in the others the first word
that carries a feeling is not the one that decides: it is denied, outweighed or somebody else's.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

TARGET = Path(__file__).resolve().parents[1] / "smollm2_sentences.csv"

SEED = 20261122

EACH = 200  # sentences of each form

SUBJECTS = [
    "soup", "film", "hotel", "book", "concert", "meal", "trip", "museum", "play", "restaurant", "lesson", "song",
    "party", "game", "tour", "coffee", "cake", "show", "beach", "market", "garden", "speech", "lunch", "opera", "novel",
    "wine", "flight", "cafe", "exhibition", "holiday",
]  # fmt: skip

WORDS = {
    1: [
        "wonderful", "great", "excellent", "lovely", "fantastic", "good", "amazing", "delightful", "superb", "pleasant",
    ],
    0: [
        "terrible", "awful", "bad", "horrible", "dreadful", "poor", "disappointing", "dull", "boring", "unpleasant",
    ],
}  # fmt: skip

VERBS = {1: ["loved", "enjoyed", "liked", "adored"], 0: ["hated", "disliked", "regretted", "detested"]}

FORMS = {  # {word} and {verb} say what the label says, {other} and {verb_other} the opposite
    "stated": "The {subject} was {word}.",
    "felt": "We {verb} the {subject}.",
    "compared": "It was the most {word} {subject} of the year.",
    "denied": "The {subject} was not {other}, it was {word}.",
    "outweighed": "Everybody told us that the {subject} would be {other}, but it was {word}.",
    "of others": "My friends {verb_other} the {subject}, but I {verb} it.",
}


def make_table(seed=SEED):
    """The table as a DataFrame: form, subject, word (that decides), sentence, label."""
    rng = np.random.default_rng(seed)
    rows = []
    for form, pattern in FORMS.items():
        sentences = {}
        while len(sentences) < EACH:
            label = len(sentences) % 2
            subject = rng.choice(SUBJECTS)
            choice = {"word": rng.choice(WORDS[label]), "other": rng.choice(WORDS[1 - label])}
            choice |= {"verb": rng.choice(VERBS[label]), "verb_other": rng.choice(VERBS[1 - label])}
            sentence = pattern.format(subject=subject, **choice)
            decides = choice["word"] if "{word}" in pattern else choice["verb"]
            sentences.setdefault(sentence, (form, subject, decides, sentence, label))
        rows += sentences.values()
    return pd.DataFrame(rows, columns=["form", "subject", "word", "sentence", "label"])


if __name__ == "__main__":
    table = make_table()
    table.to_csv(sys.argv[1] if len(sys.argv) > 1 else TARGET, index=False, lineterminator="\n")
    print(f"{len(table):,} sentences")
