"""What the page "Audit a table here" asks Python: which columns a table has, and the report on it."""

import json
import os
import re
import shutil
import zipfile

import pandas as pd

from helpers.practice.reports import audit_scores, read_table
from helpers.practice.tables.columns import label_words
from helpers.practice.tables.files import open_table

LABELS = r"(label|y|y_?true|outcome|target|event|happened|truth|ergebnis|ausgang)"
SCORES = r"(score|p|p_?hat|y_?(prob|score|pred)|prob.*|pred.*|risk.*|confidence|wahrscheinlichkeit|risiko)"


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
    print(json.dumps({"rows": len(frame), "names": names, "two": two, "label": label, "score": score}))


def report(path, label, score, event, group):
    """Write the report on a table into /work/report, and all its files into one archive."""
    table = read_table(path, label, score, event=event, group=group)
    shutil.rmtree("/work/report", ignore_errors=True)
    audit_scores(table, rng=0, progress=True).save("/work/report")
    os.makedirs("/work/archive", exist_ok=True)
    # files of this system in memory bear no dates
    with zipfile.ZipFile("/work/archive/report.zip", "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
        for name in sorted(os.listdir("/work/report")):
            archive.write(f"/work/report/{name}", name)
