"""Make data/hard_questions.csv: questions with known short answers that small language models often get wrong.

    python data/scripts/make_hard_questions.py

Theorem 5.6 of Wang et al. (2026) is about models that are too sure, and on easy questions ours are not. So these are of
kinds at which small models fail: six that they cannot work out or do not know (products, letters of a word, days,
years, capitals, elements), and seven in which one wrong answer suggests itself (a number that looks prime, a century
that was no leap year, 9.11 beside 9.9). Several right answers stand with | between them, the reference first.
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

PRIMES = {"yes": (53, 61, 83, 97, 113), "no": (51, 57, 87, 91, 119)}

LEAP_YEARS = {"yes": (1600, 1964, 1996, 2000, 2012), "no": (1800, 1900, 2010, 2100, 2200)}

DECIMALS = (  # the larger one first
    ("9.9", "9.11"), ("3.8", "3.75"), ("6.5", "6.45"), ("2.3", "2.19"), ("7.7", "7.64"),
    ("5.63", "5.4"), ("8.25", "8.2"), ("4.71", "4.6"), ("1.38", "1.3"), ("0.92", "0.8"),
)  # fmt: skip

ALPHABET = (  # the first one first
    ("bramble", "brandish"), ("catalogue", "caterpillar"), ("chapter", "charcoal"), ("gallant", "gallery"),
    ("harness", "harvest"), ("marble", "margin"), ("paddle", "paddock"), ("senate", "sensible"),
    ("stretch", "strict"), ("trellis", "tremor"),
)  # fmt: skip

AREAS = {  # a smaller unit, a larger one: how many
    ("square millimetres", "a square centimetre"): 100,
    ("square centimetres", "a square metre"): 10_000,
    ("square metres", "a square kilometre"): 1_000_000,
    ("square metres", "a hectare"): 10_000,
    ("square inches", "a square foot"): 144,
    ("square feet", "a square yard"): 9,
    ("cubic feet", "a cubic yard"): 27,
    ("cubic inches", "a cubic foot"): 1728,
    ("cubic millimetres", "a cubic centimetre"): 1000,
    ("cubic centimetres", "a cubic metre"): 1_000_000,
}

TEMPTING = {
    "What is the largest desert on Earth?": "Antarctica|Antarctic|Antarctic Desert|Antarctic Polar Desert",
    "What is the hottest planet of the solar system?": "Venus",
    "Which country has the most time zones, with its overseas parts?": "France",
    "Which continent gets the least rain and snow?": "Antarctica",
    "What is the most common element in the crust of the Earth?": "oxygen|O",
    "What colour is the skin of a polar bear?": "black",
    "Which metal conducts electricity best?": "silver|Ag",
    "Which gas is most of the air?": "nitrogen|N2",
    "Which country has the most islands?": "Sweden",
    "Which mountain is the tallest from its base under the sea to its top?": "Mauna Kea",
}


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


def precedence(rng):
    """A sum whose second part is a product."""
    numbers = [(a, b, c) for a in range(3, 10) for b in range(2, 6) for c in range(3, 10)]
    for place in rng.choice(len(numbers), N_EACH, replace=False):
        a, b, c = numbers[place]
        yield f"What is {a} + {b} * {c}?", a + b * c


def choices(rng):
    """(kind, question, answer) where one of two answers is right."""
    for answer, numbers in PRIMES.items():
        yield from (("prime", f"Is {number} a prime number, yes or no?", answer) for number in numbers)
    for answer, years in LEAP_YEARS.items():
        yield from (("leap year", f"Is the year {year} a leap year, yes or no?", answer) for year in years)
    for kind, question, pairs in (
        ("decimal", "Which number is larger, {} or {}?", DECIMALS),
        ("alphabet", "Which word comes first in the alphabet, {} or {}?", ALPHABET),
    ):
        for place, pair in zip(rng.permutation(N_EACH), pairs, strict=True):
            yield kind, question.format(*(pair if place % 2 else pair[::-1])), pair[0]


def make_table(seed=SEED):
    """The table as a DataFrame: kind, question, references."""
    rng = np.random.default_rng(seed)
    rows = [("product", *pair) for pair in products(rng)]
    rows += [("letters", *pair) for pair in letters(rng)]
    rows += [("days", *pair) for pair in days(rng)]
    rows += [("year", *pair) for pair in YEARS.items()]
    rows += [("rare capital", f"What is the capital of {place}?", city) for place, city in CAPITALS.items()]
    rows += [("element", f"What is the atomic number of {name}?", number) for name, number in ELEMENTS.items()]
    rows += [("precedence", *pair) for pair in precedence(rng)]
    rows += choices(rng)
    rows += [("area", f"How many {small} are in {large}?", count) for (small, large), count in AREAS.items()]
    rows += [("tempting", *pair) for pair in TEMPTING.items()]
    return pd.DataFrame(rows, columns=["kind", "question", "references"]).astype(str)


if __name__ == "__main__":
    table = make_table()
    table.to_csv(sys.argv[1] if len(sys.argv) > 1 else TARGET, index=False, lineterminator="\n")
    print(f"{len(table):,} questions: {table['kind'].value_counts().to_dict()}")
