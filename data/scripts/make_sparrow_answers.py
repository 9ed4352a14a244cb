"""Make data/sparrow_answers.jsonl.gz: what a model that states probabilities says about sentences with known truth.

    pip install '.[decider]'
    python data/scripts/make_sparrow_answers.py

The model sparrow-nano-general-v1.1 of the package sparrow-decider 0.2.0 is asked four questions about each sentence of
smollm2_sentences.csv. It draws nothing at random, and its probabilities are recorded as it states them: four decimals.
"""

import gzip
import json
import sys
from pathlib import Path

import pandas as pd

DATA = Path(__file__).resolve().parents[1]

TARGET = DATA / "sparrow_answers.jsonl.gz"

MODEL = "sparrow-nano-general-v1.1"

OPINIONS = {"negative": "the writer disliked it", "positive": "the writer liked it"}

LEVELS = ["disliked it", "was indifferent", "liked it"]

TYPES = {"noul": "yes-no"}  # the package's name of a type, if it is not ours


def make_questions(subjects):
    """{name: question} as the package wants them."""
    return {
        "liked": {"type": "noul", "instructions": "Did the writer like it?"},
        "opinion": {"type": "choice", "instructions": "What does the writer think of it?", "criteria": OPINIONS},
        "level": {"type": "score", "instructions": "How much did the writer like it?", "criteria": LEVELS},
        "subject": {
            "type": "choice",
            "instructions": "What is the sentence about?",
            "criteria": dict.fromkeys(subjects, ""),
        },
    }


def find_truth(row):
    """{name of the question: its right answer} for a row of the table of sentences."""
    return {
        "liked": ["no", "yes"][row.label],
        "opinion": ["negative", "positive"][row.label],
        "level": [LEVELS[0], LEVELS[-1]][row.label],
        "subject": row.subject,
    }


def list_options(question):
    """The options of a question, in the order of its probabilities."""
    return ["no", "yes"] if question["type"] == "noul" else list(question["criteria"])


def list_probabilities(answer):
    """The probabilities in an answer of the package, in the order of the options."""
    if answer["type"] == "noul":
        return [round(1 - answer["noul"], 4), answer["noul"]]
    return list(answer["probabilities"].values())


def make_records(sentences, ask):
    """One record for each sentence and question; `ask` is the method of the package's model."""
    questions = make_questions(sorted(sentences["subject"].unique()))
    for row in sentences.itertuples():
        truth = find_truth(row)
        for name, answer in ask(row.sentence, questions).items():
            question = questions[name]
            yield {
                "question": name,
                "asked": question["instructions"],
                "type": TYPES.get(question["type"], question["type"]),
                "options": list_options(question),
                "probabilities": list_probabilities(answer),
                "truth": truth[name],
                "sentence": row.sentence,
                "form": row.form,
                "subject": row.subject,
                "word": row.word,
            }


if __name__ == "__main__":
    from sparrow_decider import Decider

    sentences = pd.read_csv(DATA / "smollm2_sentences.csv")
    lines = [json.dumps(record) + "\n" for record in make_records(sentences, Decider.load(MODEL).ask)]
    target = sys.argv[1] if len(sys.argv) > 1 else TARGET
    with open(target, "wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
        packed.write("".join(lines).encode())
    print(f"{len(lines):,} answers")
