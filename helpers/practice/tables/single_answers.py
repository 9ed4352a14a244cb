"""A table with one answer a question as a table of scores: was the answer right, and how sure was the model."""

from dataclasses import replace

import numpy as np
import pandas as pd

from helpers.checks import check_columns
from helpers.practice.tables.answers import grade_single
from helpers.practice.tables.files import as_texts
from helpers.practice.tables.log_table import CONFIDENCE, as_scores, check_single, grade_value, read_stated

WITHOUT = ("question", "sample", "answer", "reply", "reference", "target", "correct")  # never features

WAYS = (
    "add a column 'confidence' with what the model states, or with the likelihood of its answer. Several sampled "
    "answers to each question need none: notebook 14 (read_answers) reads them."
)


def has_single_answers(table, label, score):
    """Whether a table without the columns of a table of scores holds answers, and what says whether they are right."""
    by_default = (label, score) == ("label", "score") and not {"label", "score"} & set(table.names)
    return by_default and "answer" in table.names and bool({"correct", "reference"} & set(table.names))


def score_single_answers(table, scale):
    """A table with the columns answer, confidence, and correct or reference as a `Table` of scores."""
    frame = table.frame
    names = [name for name in table.names if name not in WITHOUT]
    stated = frame[[name for name in names if CONFIDENCE.search(name)]]
    answers = as_texts(frame["answer"])
    asked = frame["question"] if "question" in table.names else pd.Series(range(len(frame)))
    check_single(table.name, asked, answers.map(lambda cell: isinstance(cell, list | dict)).any())
    if "correct" in table.names:
        right = [grade_value(value) for value in frame["correct"].astype(object)]
        if None in right:
            wrong = [grade is None for grade in right]
            table.reject("correct", "hold grades 0 and 1 (or false and true)", wrong, frame["correct"])
        notes = ["the column 'correct' says whether an answer is right"]
    else:
        right, notes = grade_single(table)
    likelihood = pd.to_numeric(frame["likelihood"], errors="coerce") if "likelihood" in names else np.nan
    known = frame[[name for name in names if name not in {*stated, "likelihood"}]]
    if "question" in table.names and "prompt_length" not in names:
        known = known.assign(prompt_length=[len(str(question)) for question in asked])
    rows = pd.DataFrame({"question": asked, "correct": right, "likelihood": likelihood, "place": table.places})
    rows["target"] = frame["reference"].astype(str) if "reference" in table.names else ""
    made = as_scores(
        table.name, rows, stated, known, label="label", score="score", scale=scale, ways=WAYS,
        notes=[*table.notes, *notes], unit=table.unit,
    )  # fmt: skip
    return replace(made, sha256=table.sha256, is_log=False)


def on_scale(table, score, scale):
    """The table with a score that is stated on another scale than that of probabilities as probabilities."""
    check_columns(table.name, table.names, {"score": score})
    values, notes = read_stated(table.name, score, table.frame[score], scale)
    return replace(table, frame=table.frame.assign(**{score: values}), notes=[*table.notes, *notes])
