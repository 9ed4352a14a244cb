"""Tables, files, parameters and replies as hardly anybody would write them by hand.

`make test` tries few of each, always the same; with HONEST_FUZZ=1 (`make fuzz`) there are ten times as many, and
others with each seed.
"""

import csv
import io
import os

import numpy as np
import pandas as pd
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

LONG = bool(os.environ.get("HONEST_FUZZ"))

ODD_NAMES = ["income_$", "a b", "x\ny", "_", "1", "p", "y", "label", "score", "nan", "True", "=1+1"]
ODD_NAMES += ["ä", "\u202e", "x" * 90]

ODD_WORDS = ["", " ", "NA", "nan", "-", "inf", "1e999", "0x1", "1,5", "=cmd()", "yes", "no"]
ODD_WORDS += ["\x00", "\ud83d\ude00", "'", '"']

ODD_NUMBERS = [0.0, -0.0, 1.0, -1.0, 1e-300, 1e300, -1e300, 2**53, float("nan"), float("inf"), -float("inf")]


def tries(number, *inputs, always=()):
    """A property that is tried with so many inputs, ten times as many in a long run, and `always` with these.

    What Hypothesis draws depends also on which modules are imported, so that "some of it was accepted" can be asserted
    only if one input that is accepted is always among them.
    """
    options = settings(
        max_examples=number * (10 if LONG else 1),
        derandomize=not LONG,
        deadline=None,
        database=None,
        print_blob=LONG,
        suppress_health_check=list(HealthCheck),
    )

    def decorate(holds):
        tried_with = given(*inputs)(holds)
        for values in always:
            tried_with = example(*values)(tried_with)
        return options(tried_with)

    return decorate


seeds = st.integers(0, 2**32 - 1)

letters = st.characters(exclude_categories=["Cs", "Cc"])

names = st.one_of(st.sampled_from(ODD_NAMES), st.text(letters, min_size=1, max_size=8), st.text(min_size=1, max_size=3))


def _column(kind, n, rng):
    """n cells of one kind."""
    missing = rng.random(n) < rng.choice([0, 0.1, 0.9])
    numbers = rng.normal(size=n) * 10.0 ** rng.integers(-3, 6)
    words = rng.choice(["a", "b", "c", "Ä", "", "NA"], n).astype(object)
    match kind:
        case "numbers":
            return np.where(missing, np.nan, numbers)
        case "few":
            return rng.integers(0, 3, n)
        case "constant":
            return np.full(n, 7.0)
        case "odd numbers":
            return rng.choice(ODD_NUMBERS, n)
        case "huge":
            return numbers * 1e300
        case "words":
            return pd.Series(np.where(missing, None, words), dtype=object)
        case "levels":
            return pd.Categorical(words, ordered=bool(rng.integers(2)))
        case "many levels":
            return pd.Series([f"level {k}" for k in rng.permutation(n)], dtype=object)
        case "booleans":
            return rng.random(n) < 0.5
        case "dates":
            days = pd.Timestamp("1900-01-01") + pd.to_timedelta(rng.integers(0, 90_000, n), unit="D")
            return pd.Series(days).where(~missing)
        case "mixed":
            return pd.Series([words[k] if missing[k] else numbers[k] for k in range(n)], dtype=object)
        case "nothing":
            return np.full(n, np.nan)
        case "lists":
            return pd.Series([[1, 2]] * n, dtype=object)


KINDS = (
    "numbers", "few", "constant", "odd numbers", "huge", "words", "levels", "many levels", "booleans", "dates", "mixed",
    "nothing", "lists",
)  # fmt: skip

USUAL = ("numbers", "few", "constant", "words", "levels", "many levels", "booleans", "dates", "nothing")


@st.composite
def frames(draw, least=0, most=120):
    """A table of 1 to 4 columns, most of them of usual kinds."""
    n = draw(st.one_of(st.integers(max(least, most // 2), most), st.integers(least, most)))
    kinds = draw(st.lists(st.sampled_from(USUAL + USUAL + KINDS), min_size=1, max_size=4))
    labels = draw(st.lists(names, min_size=len(kinds), max_size=len(kinds), unique=draw(st.integers(0, 9)) > 0))
    rng = np.random.default_rng(draw(seeds))
    columns = [pd.Series(np.asarray(_column(kind, n, rng), dtype=object) if kind == "lists" else _column(kind, n, rng))
               for kind in kinds]  # fmt: skip
    frame = pd.concat(columns, axis=1) if n else pd.DataFrame(columns=range(len(kinds)))
    return frame.set_axis(labels, axis=1)


@st.composite
def samples(draw, least=0, most=120):
    """y, p, X and options of an estimator; mostly valid, sometimes not."""
    X = draw(frames(least, most))
    n = len(X)
    rng = np.random.default_rng(draw(seeds))
    p = {
        "usual": rng.random(n),
        "few": rng.choice([0.2, 0.5, 0.9], n),
        "constant": np.full(n, 0.3),
        "ends": rng.choice([0.0, 1.0, 0.5, 1e-12], n),
        "odd": rng.choice(ODD_NUMBERS, n),
    }[draw(st.sampled_from(["usual"] * 4 + ["few"] * 3 + ["constant", "ends", "odd"]))]
    rate = draw(st.sampled_from([0.5] * 5 + [0.05, 0.2, 0.9, 0.0]))
    y = (rng.random(n) < rate).astype(draw(st.sampled_from([int, float, bool])))
    options = {}
    if draw(st.booleans()):
        options["groups"] = rng.integers(0, max(n // draw(st.sampled_from([1, 2, 4, 50])), 1), n)
    if draw(st.booleans()):
        usual = [rng.random(n), rng.exponential(size=n), np.full(n, 1e9), rng.integers(0, 2, n)]
        weights = [*usual, rng.choice(ODD_NUMBERS, n)]
        options["sample_weight"] = weights[draw(st.integers(0, 4))]
    return y, p, X, options


def _cell(value, comma):
    text = "" if value is None else str(value)
    return text.replace(".", ",") if comma and isinstance(value, float) else text


def _usual(kind, n, rng):
    """n cells as they usually are."""
    match kind:
        case "row":
            return list(range(n))
        case "label":
            return rng.integers(0, 2, n).tolist()
        case "probability":
            return rng.random(n).round(3).tolist()
    return rng.choice(kind, n).tolist()


@st.composite
def files(draw, roles, least=0, odd=0.3):
    """Bytes of a CSV file with the columns of `roles` and some more; sometimes damaged.

    `roles` give for each name a strategy of cells, or what the cells usually are: "row" (its number), "label",
    "probability", or a list to choose from.
    A share `odd` of the files is written in an unusual way, or damaged.
    """
    n = draw(st.one_of(st.integers(max(least, 60), 90), st.integers(least, 90)))
    rng = np.random.default_rng(draw(seeds))
    extra = draw(frames(n, n))
    table = {}
    for name, kind in roles.items():
        if isinstance(kind, str | list):
            table[name] = _usual(kind, n, rng)
        else:
            cells = draw(st.lists(kind, min_size=1, max_size=9))
            table[name] = [cells[k] for k in rng.integers(len(cells), size=n)]
    odd = rng.random(4) < odd
    comma = odd[0] and rng.random() < 0.3
    separator = ";" if comma else rng.choice([";", "\t", "|"]) if odd[0] else ","
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\r\n" if odd[3] else "\n")
    writer.writerow([*table, *map(str, extra.columns)])
    cells = [list(map(str, extra.iloc[:, k])) for k in range(extra.shape[1])]
    for k in range(n):
        writer.writerow([*(_cell(values[k], comma) for values in table.values()), *(column[k] for column in cells)])
    encoding = rng.choice(["utf-8-sig", "latin-1", "utf-16"]) if odd[1] else "utf-8"
    body = bytearray(text.getvalue().encode(encoding, "replace"))
    for _ in range(rng.integers(1, 4) if odd[2] and body else 0):
        place = rng.integers(len(body))
        body[place : place + rng.integers(4)] = rng.bytes(rng.integers(3))
    return bytes(body)
