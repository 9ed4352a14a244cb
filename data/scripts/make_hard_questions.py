"""Make data/hard_questions.csv: questions with known short answers that small language models often get wrong.

    python data/scripts/make_hard_questions.py

Products, letters of a word, days, years, capitals and numbers of elements. Theorem 5.6 of Wang et al. (2026) is about
models that are too sure, and on easy questions ours are not; so these are of kinds at which small models fail. Several
right answers stand with | between them, the reference first.
"""

import sys
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pandas as pd

TARGET = Path(__file__).resolve().parents[1] / "hard_questions.csv"

SEED = 20261130

N_EACH = 10  # questions of a kind

WORDS = (
    "accommodation", "bookkeeper", "cucumber", "independence", "Mississippi", "parallelogram", "possession",
    "refrigerator", "strawberry", "successfully",
)  # fmt: skip

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

YEARS = {
    "In which year was the Battle of Manzikert?": 1071,
    "In which year was the Treaty of Tordesillas signed?": 1494,
    "In which year was the Battle of Lepanto?": 1571,
    "In which year was the Peace of Westphalia concluded?": 1648,
    "In which year did an earthquake destroy Lisbon?": 1755,
    "In which year was the planet Uranus discovered?": 1781,
    "In which year was the planet Neptune discovered?": 1846,
    "In which year was the Suez Canal opened?": 1869,
    "In which year did the volcano Krakatoa explode?": 1883,
    "In which year was the first human heart transplanted?": 1967,
}

CAPITALS = {
    "Belize": "Belmopan",
    "Benin": "Porto-Novo",
    "Bhutan": "Thimphu",
    "Burkina Faso": "Ouagadougou",
    "Ivory Coast": "Yamoussoukro",
    "Malawi": "Lilongwe",
    "Myanmar": "Naypyidaw|Nay Pyi Taw",
    "Palau": "Ngerulmud",
    "Tanzania": "Dodoma",
    "Vanuatu": "Port Vila",
}

ELEMENTS = {
    "manganese": 25, "selenium": 34, "krypton": 36, "cadmium": 48, "tin": 50, "iodine": 53, "barium": 56,
    "tungsten": 74, "platinum": 78, "bismuth": 83,
}  # fmt: skip


def products(rng):
    """Two numbers of two digits each."""
    for a, b in rng.integers(21, 99, (N_EACH, 2)).tolist():
        yield f"What is {a} times {b}?", a * b


def letters(rng):
    """How often one of the letters of a word that occur more than once is in it."""
    for word in WORDS:
        several = sorted({letter for letter in word.lower() if word.lower().count(letter) > 1})
        letter = several[rng.integers(len(several))]
        yield f"How many times does the letter {letter} occur in the word {word}?", word.lower().count(letter)


def days(rng):
    """The day of the week some time after another, and how long it is from a date to a later one."""
    for start, after in zip(rng.integers(7, size=N_EACH // 2), rng.integers(20, 100, N_EACH // 2), strict=True):
        yield f"Which day of the week is {after} days after a {DAYS[start]}?", DAYS[(start + after) % 7]
    for start, after in zip(rng.integers(60, 250, N_EACH // 2), rng.integers(35, 100, N_EACH // 2), strict=True):
        first = date(2026, 1, 1) + timedelta(days=int(start))  # in March or later, so that no leap day matters
        last = first + timedelta(days=int(after))
        ends = [f"{day.day} {day:%B}" for day in (first, last)]
        yield f"How many days after {ends[0]} is {ends[1]}?", after


def make_table(seed=SEED):
    """The table as a DataFrame: kind, question, references."""
    rng = np.random.default_rng(seed)
    rows = [("product", *pair) for pair in products(rng)]
    rows += [("letters", *pair) for pair in letters(rng)]
    rows += [("days", *pair) for pair in days(rng)]
    rows += [("year", *pair) for pair in YEARS.items()]
    rows += [("rare capital", f"What is the capital of {place}?", city) for place, city in CAPITALS.items()]
    rows += [("element", f"What is the atomic number of {name}?", number) for name, number in ELEMENTS.items()]
    return pd.DataFrame(rows, columns=["kind", "question", "references"]).astype(str)


if __name__ == "__main__":
    table = make_table()
    table.to_csv(sys.argv[1] if len(sys.argv) > 1 else TARGET, index=False, lineterminator="\n")
    print(f"{len(table):,} questions: {table['kind'].value_counts().to_dict()}")
