"""Make data/digit_answers.csv.gz: sampled answers of a classifier that has seen twenty images of digits.

    python data/scripts/make_digit_answers.py [TARGET]

A logistic regression learns handwritten digits from two images of each digit, so it is surer than it should be. It is
then asked about 250 other images, 25 times each. Every answer is drawn from the classifier's own probabilities, as a
language model draws its words. With each answer it states a confidence: its own probability of the digit it named, in
whole percent. A coin decides whether that is written as 0.93 or as 93%, and one in fifty is left out, because files of
answers look like that. The reference is the digit that was written.
"""

import gzip
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

from helpers.datasets import load_digits

TARGET = Path(__file__).resolve().parents[1] / "digit_answers.csv.gz"
IMAGES = 2  # of each digit to learn from
QUESTIONS = 250  # images to ask about
ANSWERS = 25  # to each
SEED = 20260514


def make_table(seed=SEED):
    """The table as a DataFrame: question, sample, answer, confidence, reference."""
    data = load_digits()
    rng = np.random.default_rng(seed)
    X = data.X.to_numpy()
    order = rng.permutation(len(data.y))
    learnt = np.concatenate([order[data.y[order] == digit][:IMAGES] for digit in range(10)])
    asked = order[~np.isin(order, learnt)][:QUESTIONS]

    # Newton's method to the last digit, so that every machine finds the same probabilities.
    model = LogisticRegression(C=10.0, solver="newton-cholesky", tol=1e-10, max_iter=500)
    model.fit(X[learnt], data.y[learnt])
    proba = model.predict_proba(X[asked]).round(6)

    reach = np.cumsum(proba, axis=1) / proba.sum(axis=1, keepdims=True)
    drawn = rng.random((QUESTIONS, ANSWERS))
    digit = (drawn[:, :, None] >= reach[:, None, :-1]).sum(axis=2)
    percent = np.floor(100 * np.take_along_axis(proba, digit, axis=1) + 0.5).astype(int)
    style = rng.random((QUESTIONS, ANSWERS))
    said = [spell(*pair) for pair in zip(percent.ravel().tolist(), style.ravel().tolist(), strict=True)]
    return pd.DataFrame({
        "question": np.repeat([f"image {k:04d}" for k in asked], ANSWERS),
        "sample": np.tile(np.arange(1, ANSWERS + 1), QUESTIONS),
        "answer": digit.ravel(),
        "confidence": said,
        "reference": np.repeat(data.y[asked], ANSWERS),
    })  # fmt: skip


def spell(percent, style):
    """A confidence as text: nothing for one in fifty, else 0.93 or 93%."""
    if style < 0.02:
        return ""
    return f"{percent}%" if style < 0.51 else f"{percent / 100:.2f}"


def write(table, target=TARGET):
    """Write the table as compressed CSV without a time stamp, so that the same table gives the same bytes."""
    text = table.to_csv(index=False, lineterminator="\n").encode()
    with open(target, "wb") as raw, gzip.GzipFile("", "wb", compresslevel=9, fileobj=raw, mtime=0) as file:
        file.write(text)


if __name__ == "__main__":
    table = make_table()
    write(table, Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET)
    print(f"{len(table):,} answers to {table['question'].nunique():,} questions")
