"""Make data/question_answers.csv.gz from the records of make_answers.py, or compare records that were asked again.

python data/scripts/make_answers_tables.py RECORDS                     # writes question_answers.csv.gz
python data/scripts/make_answers_tables.py RECORDS --out mine.csv.gz
python data/scripts/make_answers_tables.py RECORDS --hard              # writes hard_answers.csv.gz
python data/scripts/make_answers_tables.py RECORDS --hard --beside data/hard_answers.csv.gz --out second_part.csv.gz
python data/scripts/make_answers_tables.py RECORDS --options           # writes option_answers.csv.gz
python data/scripts/make_answers_tables.py RECORDS --again EARLIER     # how far from earlier records, or from a table

A question is taken once every model has answered it, here or in the table beside. Answers are graded by the rules of
make_smollm2_tables.py; of a question with options the letter is the answer, which is right or wrong.
"""

import argparse
import math
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from make_acs12 import MODELS, read_records
from make_acs12_tables import DIGITS, earlier_rows, write
from make_answers import DATA, first_line, key_of, read_questions, which_questions
from make_smollm2_tables import grade_answer, stated_share

from helpers.answers.token_confidences import is_true_probability, option_masses

COLUMNS = (
    "model", "question", "answer", "correct", "logprob", "n_tokens", "is_true", "is_true_mass", "verbalised",
)  # fmt: skip


SHIPPED = {"easy": "question_answers.csv.gz", "hard": "hard_answers.csv.gz", "options": "option_answers.csv.gz"}


def line_of(record):
    """(log-probability of an answer, its tokens), up to the token that ends its line; NaN where none does."""
    total, spoken = 0.0, ""
    for place, ((token, logprob), *_) in enumerate(record["tops"]):
        total, spoken = total + logprob, spoken + token
        if "\n" in spoken.lstrip():
            return total, place + 1
    return math.nan, len(record["tops"])


def rows_of(folder, which="easy", beside=None):
    """A row a model and question that all models have answered, smaller models first, questions as they are asked.

    What the table `beside` holds counts as answered and is left out.
    """
    held = set()
    if beside:
        table = pd.read_csv(beside, usecols=["model", "question"])
        held = set(table[["model", "question"]].itertuples(index=False, name=None))
    paths = sorted(Path(folder).glob("*.jsonl"), key=place_of)
    tables = {path.stem: {key_of(record): record for record in read_records(path)} for path in paths}
    rows = []
    for row in read_questions(which).to_dict("records"):
        missing = [model for model in tables if (model, row["question"]) not in held]
        answers = [answer_of(row, tables[model], options=which == "options") for model in missing]
        if None not in answers:
            rows += [{"model": model} | answer for model, answer in zip(missing, answers, strict=True)]
    rows.sort(key=lambda row: list(tables).index(row["model"]))
    return pd.DataFrame(rows, columns=COLUMNS)


def place_of(path):
    """Our models in their order, then those that are not ours."""
    return (list(MODELS).index(path.stem) if path.stem in MODELS else len(MODELS)), path.stem


def answer_of(row, records, *, options=False):
    """The columns of one answer; None if something is not asked yet. With `options` it is a letter, one token."""
    question = row["question"]
    if (record := records.get(("open", question, ""))) is None:
        return None
    answer = first_line(record["text"])
    logprob, n_tokens = (record["tops"][0][0][1], 1) if options else line_of(record)
    right = row["references"].split("|")
    correct = int(answer in right) if options else grade_answer(question, answer, right)
    columns = {"question": question, "answer": answer, "correct": correct, "logprob": logprob, "n_tokens": n_tokens}
    if not answer:
        return columns
    ratings = [records.get((stage, question, answer)) for stage in ("is_true", "verbalised")]
    if None in ratings:
        return None
    top, text = ratings[0]["tops"][0], ratings[1]["text"]
    masses = option_masses(top, ("True", "False"))
    columns |= {"is_true": is_true_probability(top), "is_true_mass": sum(masses)}
    return columns | {"verbalised": stated_share('{"confidence":' + text)}


def compare(table, again):
    """How many answers are the same, and how far the numbers of the same answers are apart, in the table's digits."""
    table, again = table.round(DIGITS), again.round(DIGITS)
    both = table.merge(again, on=["model", "question"], suffixes=("", "_again"))
    same = both["answer"] == both["answer_again"]
    apart = {name: (both[name] - both[f"{name}_again"])[same].abs() for name in ("logprob", "is_true", "verbalised")}
    most = pd.DataFrame(apart).groupby(both["model"]).max()
    return most.assign(answers=both.groupby("model").size(), same=same.groupby(both["model"]).sum()).reset_index()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("folder", help="of the records")
    which_questions(parser.add_argument)
    parser.add_argument("--out", help="the table; without, the shipped one")
    parser.add_argument("--beside", metavar="TABLE", help="only what this table does not hold")
    parser.add_argument("--again", metavar="EARLIER", help="records of the same questions, or a table: only compare")
    options = parser.parse_args()
    table = rows_of(options.folder, options.which, options.beside)
    if options.again:
        earlier = earlier_rows(options.again, partial(rows_of, which=options.which))
        print(compare(table, earlier).to_string(index=False))
        return
    write(table, options.out or DATA / SHIPPED[options.which])
    summary = table.groupby("model", sort=False).agg(
        n=("correct", "size"), right=("correct", "mean"), no_end=("logprob", lambda column: np.isnan(column).mean()),
        is_true=("is_true", "mean"), verbalised=("verbalised", "mean"),
    )  # fmt: skip
    print(summary.round(3).to_string())


if __name__ == "__main__":
    main()
