"""What the page "Audit a table here" asks Python: which columns a table has, and the report on scores or answers."""

import json
import os
import re
import shutil
import zipfile

import pandas as pd

from helpers.practice.reports import audit_answers, audit_scores, read_table
from helpers.practice.tables import read_answers
from helpers.practice.tables.columns import label_words
from helpers.practice.tables.files import open_table

LABELS = r"(label|y|y_?true|outcome|target|event|happened|truth|ergebnis|ausgang)"
SCORES = r"(score|p|p_?hat|y_?(prob|score|pred)|prob.*|pred.*|risk.*|confidence|wahrscheinlichkeit|risiko)"
QUESTIONS = r"(question|question_?id|prompt|task|item|frage)"
ANSWERS = r"(answer|response|reply|output|completion|prediction|antwort)"
REFERENCES = r"(reference|target|gold|truth|solution|correct_answer|right_answer|expected)"


def first(names, pattern, fitting):
    """The first of the fitting names that a pattern matches, else the first that fits; "" if none does."""
    named = [name for name in fitting if re.fullmatch(pattern, name.strip(), re.IGNORECASE)]
    return [*named, *fitting, ""][0]


def look(path):
    """The columns of a table, those that have two values with these, and the likely label and score."""
    table = open_table(path)
    frame = table.frame
    names = [str(name) for name in frame.columns]
    two = {}
    stated = []
    for name, (_, values) in zip(names, frame.items(), strict=True):
        known = values.dropna()
        if known.nunique() == 2:
            two[name] = sorted(set(label_words(known)))
        number = pd.to_numeric(known.astype(str).str.replace(",", "."), errors="coerce")
        if known.size and number.between(0, 1).all() and number.nunique() > 2:
            stated.append(name)
    coded = sorted(two, key=lambda name: two[name] != ["0", "1"])  # what happened is seldom in words, sex often
    label = first(names, LABELS, coded)
    score = first(names, SCORES, [name for name in stated if name != label])
    guess = {"label": label, "score": score, "question": "", "answer": "", "reference": "", "confidence": ""}
    # answers are known by their names alone, because texts that repeat may be anything; no score is needed for them
    patterns = {"question": QUESTIONS, "answer": ANSWERS, "reference": REFERENCES, "confidence": SCORES}
    for role, pattern in patterns.items():
        guess[role] = next((name for name in names if re.fullmatch(pattern, name.strip(), re.IGNORECASE)), "")
    repeats = guess["question"] and frame.iloc[:, names.index(guess["question"])].duplicated().any()
    kind = "answers" if repeats and guess["answer"] else "scores"
    print(json.dumps({"rows": len(frame), "names": names, "two": two, "kind": kind, "guess": guess}))


def report(path, label, score, event, group):
    """Write the report on a table of scores."""
    save(audit_scores(read_table(path, label, score, event=event, group=group), rng=0, progress=True))


def report_answers(path, question, answer, reference, confidence):
    """Write the report on a table of answers."""
    table = read_answers(path, question=question, answer=answer, reference=reference, confidence=confidence)
    save(audit_answers(table, rng=0, progress=True))


def save(audit):
    """Write a report into /work/report, and all its files into one archive."""
    shutil.rmtree("/work/report", ignore_errors=True)
    audit.save("/work/report")
    os.makedirs("/work/archive", exist_ok=True)
    # files of this system in memory bear no dates
    with zipfile.ZipFile("/work/archive/report.zip", "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
        for name in sorted(os.listdir("/work/report")):
            archive.write(f"/work/report/{name}", name)
