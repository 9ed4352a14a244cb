"""Make data/question_samples.csv.gz from the records of make_samples.py.

python data/scripts/make_samples_tables.py RECORDS                     # writes question_samples.csv.gz
python data/scripts/make_samples_tables.py RECORDS --out mine.csv.gz
python data/scripts/make_samples_tables.py RECORDS --hard              # writes hard_samples.csv.gz
python data/scripts/make_samples_tables.py RECORDS --hard --beside data/hard_samples.csv.gz --out second_part.csv.gz

A question is taken once all its answers are there. Answers are graded by the rules of make_smollm2_tables.py.
"""

import argparse
from itertools import product
from pathlib import Path

import pandas as pd
from make_acs12 import read_records
from make_acs12_tables import without_held, write
from make_answers import DATA, first_line, read_questions
from make_answers_tables import place_of
from make_samples import AT_ONCE, N_ANSWERS, key_of
from make_smollm2_tables import grade_answer

COLUMNS = ("model", "question", "temperature", "sample", "answer", "correct")


def rows_of(folder, which="easy"):
    """A row an answer, smaller models and higher temperatures first, questions as they are asked."""
    questions = read_questions(which)[["question", "references"]]
    rows = []
    for path in sorted(Path(folder).glob("*.jsonl"), key=place_of):
        records = {key_of(record): record["texts"] for record in read_records(path)}
        temperatures = sorted({temperature for *_, temperature in records}, reverse=True)
        for temperature, (question, references) in product(temperatures, questions.itertuples(index=False)):
            parts = [records.get((question, part, temperature)) for part in range(N_ANSWERS // AT_ONCE)]
            if None in parts:
                continue
            for sample, text in enumerate(sum(parts, []), start=1):
                answer = first_line(text)
                correct = grade_answer(question, answer, references.split("|"))
                rows.append((path.stem, question, temperature, sample, answer, correct))
    return pd.DataFrame(rows, columns=COLUMNS)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("folder", help="of the records")
    parser.add_argument("--hard", action="store_const", dest="which", const="hard", default="easy",
                        help="records of the questions of hard_questions.csv")  # fmt: skip
    parser.add_argument("--out", help="the table; without, the shipped one")
    parser.add_argument("--beside", metavar="TABLE", help="only what this table does not hold")
    options = parser.parse_args()
    table = rows_of(options.folder, options.which)
    if options.beside:
        table = without_held(table, options.beside, ["model", "question", "temperature"])
    shipped = "hard_samples.csv.gz" if options.which == "hard" else "question_samples.csv.gz"
    write(table, options.out or DATA / shipped)
    by_model = table.groupby(["model", "temperature"], sort=False)
    print(by_model.agg(questions=("question", "nunique"), right=("correct", "mean")).round(3).to_string())


if __name__ == "__main__":
    main()
