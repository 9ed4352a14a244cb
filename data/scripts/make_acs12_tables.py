"""Make data/acs12_answers.csv.gz from the records of make_acs12.py, or compare records that were asked again.

python data/scripts/make_acs12_tables.py RECORDS                     # writes acs12_answers.csv.gz
python data/scripts/make_acs12_tables.py RECORDS --out mine.csv.gz
python data/scripts/make_acs12_tables.py RECORDS --add              # adds to what the table holds
python data/scripts/make_acs12_tables.py RECORDS --beside data/acs12_answers.csv.gz --out data/acs12_answers_2.csv.gz
python data/scripts/make_acs12_tables.py RECORDS --again EARLIER     # how far from earlier records, or from a table
"""

import argparse
import gzip
import math
from pathlib import Path

import numpy as np
import pandas as pd
from make_acs12 import (
    DATA,
    MODELS,
    TASKS,
    WAYS,
    asked_about,
    key_of,
    prompt_hash,
    prompts_of,
    read_people,
    read_records,
)  # fmt: skip

OPTIONS = ("yes", "no")

COLUMNS = ["person", "model", "task", "way", "y", "p", "other"]  # of the shipped table

KEYS = ["person", "model", "task", "way"]

DIGITS = 5


def mass_of(top, word):
    """Probability of a word among the likeliest tokens of a place, in all its spellings."""
    return math.fsum(math.exp(logprob) for token, logprob in top if token.strip().lower() == word)


def choice_of(record):
    """(P(yes) among yes and no, probability of neither) from the first token."""
    yes, no = (mass_of(record["tops"][0], word) for word in OPTIONS)
    return (yes / (yes + no) if yes + no else math.nan), max(0.0, 1 - yes - no)


def number_of(record):
    """(the number that was written after "0.", probability that the first token is none); NaN for no number."""
    digits = len(record["text"]) - len(record["text"].lstrip("0123456789"))
    stated = float(f"0.{record['text'][:digits]}") if digits else math.nan
    numbers = math.fsum(math.exp(logprob) for token, logprob in record["tops"][0] if is_number(token))
    return stated, max(0.0, 1 - numbers)


def is_number(token):
    return token.isascii() and token.isdigit()


def rows_of(folder):
    """A row an answer that is there for prompts as they are now, in the order in which people are asked about."""
    asked = {}
    for task in TASKS:
        for way in WAYS:
            table = prompts_of(task, way)
            keys = zip(table["person"], table["prompt"].map(prompt_hash), strict=True)
            asked |= {(task, way, person, sha): place for place, (person, sha) in enumerate(keys)}
    rows = {}
    for path in sorted(Path(folder).glob("*.jsonl")):
        for record in read_records(path):
            if (key := key_of(record)) in asked:
                p, other = number_of(record) if record["way"] == "numeric" else choice_of(record)
                about = {name: record[name] for name in ("person", "model", "task", "way", "y", "seconds")}
                rows[record["model"], key] = about | {"p": p, "other": other, "place": asked[key]}
    return pd.DataFrame(rows.values())


def shipped_rows(path):
    """The rows of a table that was written before, with the place of each person in the order of its task."""
    table = pd.read_csv(path)
    people = read_people()
    orders = {task: asked_about(people, task)[0]["person"] for task in TASKS}
    places = {(task, person): place for task, order in orders.items() for place, person in enumerate(order)}
    return table.assign(place=[places[key] for key in zip(table["task"], table["person"], strict=True)])


def in_order(table):
    """Rows by task and way, smaller models first, people as they were asked about."""
    ranks = {"task": list(TASKS), "way": list(WAYS), "model": [*MODELS, *sorted(set(table["model"]) - set(MODELS))]}
    keys = {name: table[name].map(order.index) for name, order in ranks.items()} | {"place": table["place"]}
    order = np.lexsort([keys[name] for name in ("place", "model", "way", "task")])
    return table.iloc[order].drop(columns="place")


def whole(table):
    """Without people about whom not every model was asked in this way, and ways in which fewer than 100 are left."""
    n_models = table.groupby(["task", "way"])["model"].transform("nunique")
    complete = table.groupby(["task", "way", "person"])["model"].transform("nunique") == n_models
    table = table[complete]
    return table[table.groupby(["task", "way", "model"])["person"].transform("size") >= 100]


def write(table, path):
    """A compressed table without a time in it, so that the same rows make the same file."""
    text = table.round(DIGITS).to_csv(index=False, lineterminator="\n")
    with open(path, "wb") as file, gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
        packed.write(text.encode())


def without_held(table, path, keys):
    """The rows whose keys are in no row of a table that was written before."""
    held = pd.read_csv(path, usecols=keys)[keys].drop_duplicates()
    return table[table.merge(held, on=keys, how="left", indicator=True)["_merge"].to_numpy() == "left_only"]


def earlier_rows(place, rows_of):
    """What was answered before: a table, or the rows of a folder of records."""
    place = Path(place)
    return pd.read_csv(place) if place.is_file() else rows_of(place)


def compare(table, again):
    """Differences between what was answered and what was answered when asked again, in the digits of the table."""
    table, again = table.round(DIGITS), again.round(DIGITS)
    both = table.merge(again, on=["person", "model", "task", "way", "y"], suffixes=("", "_again"))
    both["difference"] = (both["p"] - both["p_again"]).abs()
    of = both.groupby(["model", "task", "way"])["difference"]
    return of.agg(n="size", same=lambda d: (d == 0).mean(), median="median", most="max").reset_index()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("folder", help="records of make_acs12.py")
    parser.add_argument("--out", default=DATA / "acs12_answers.csv.gz", help="the table that is written")
    parser.add_argument("--add", action="store_true", help="to what the table holds, which stays")
    parser.add_argument("--beside", metavar="TABLE", help="only what this table does not hold")
    parser.add_argument("--again", metavar="EARLIER", help="records of the same questions, or a table: only compare")
    options = parser.parse_args()
    table = rows_of(options.folder)
    of = table.groupby(["task", "way", "model"])
    told = {"n": ("p", "size"), "no_p": ("p", lambda p: p.isna().sum()), "other": ("other", "mean")}
    print(of.agg(**told, seconds=("seconds", "median")).to_string())
    if options.again:
        print(compare(table, earlier_rows(options.again, rows_of)).to_string())
        return
    if options.beside:
        table = without_held(table, options.beside, KEYS)
    if options.add:
        table = pd.concat([shipped_rows(options.out), table])
        table = table.drop_duplicates(KEYS)
    write(in_order(whole(table))[COLUMNS], options.out)


if __name__ == "__main__":
    main()
