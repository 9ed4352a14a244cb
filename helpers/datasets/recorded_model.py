"""What a small language model answered, recorded once so that reading needs no model (through `helpers.datasets`)."""

import gzip
import json
import math

import numpy as np
import pandas as pd

from helpers.checks import check_one_of
from helpers.datasets.download import DATA_FOLDER

RATINGS = ("is_true", "is_true_mass", "is_true_swapped", "is_true_swapped_mass", "verbalised")

TASKS = ("rand", "sentiment")

_LINE = ("question", "kind", "prompt", "reference", "references")

_COLUMNS = (
    "question", "kind", "prompt", "sample", "answer", "spelling", "reference", "references", "correct", "finish_reason",
    "end_missing", "logprobs", "posterior", *RATINGS, "first_tokens",
)  # fmt: skip


def load_smollm2_answers():
    """Answers of SmolLM2-135M-Instruct to 339 short questions under two prompts, with confidences, one row an answer.

    Fifty answers a question and prompt are drawn at temperature 1, one is greedy; `data/README.md` says how they were
    asked and graded. A confidence belongs to a question and a spelling, whatever the prompt that led to it. Allal et
    al. (2025), SmolLM2; Estienne, Ernst et al. (2026), section 4.2.

    Returns
    -------
    DataFrame
        Columns question, kind (of question), prompt ("plain" or "examples"), sample (from 1; 0 is the greedy answer),
        answer (first line, "" if empty), spelling (the one of its class, None if empty), reference, references (all
        right answers, with | between), correct (0 or 1 by the rules), finish_reason ("stop", or "length" if cut at 12
        tokens), end_missing (whether the answer ended with its line: the server then leaves out the log-probability of
        what ended it), logprobs (tuple, one a token), posterior (their product as a probability, NaN where the end is
        missing; of an answer that was cut, the probability to begin so), is_true and is_true_mass (P(True) among True
        and False, and the probability of both), the same with the options swapped, verbalised (stated by the model, as
        a fraction), first_tokens (tuple of pairs: the 20 likeliest tokens and their log-probabilities at the first
        place that is not white space; of greedy answers, else None). A confidence that was not asked for is NaN; an
        empty answer has no log-probabilities.

    Examples
    --------
    >>> answers = load_smollm2_answers()
    >>> sorted(answers["prompt"].unique())
    ['examples', 'plain']
    """
    path = DATA_FOLDER / "smollm2_answers.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return recorded_answers(json.loads(line) for line in file)


def recorded_answers(records):
    """The table of `load_smollm2_answers` from the objects in the lines of its log."""
    rows = [row for record in records for row in _answer_rows(record)]
    return pd.DataFrame(rows, columns=_COLUMNS).astype(dict.fromkeys(RATINGS, float))


def _answer_rows(record):
    """The rows of one question under one prompt, in the order of the columns."""
    question, kind, prompt, reference, references = (record[name] for name in _LINE)
    ratings = {
        spelling: [rating.get(name, math.nan) for name in RATINGS] for spelling, rating in record["ratings"].items()
    }
    for sample, answer in enumerate(record["answers"]):
        first = answer.get("first_tokens")
        whole = answer["logprobs"] and not answer["end_missing"]
        yield (
            question, kind, prompt, sample, answer["answer"], answer["spelling"], reference, references,
            answer["correct"], answer["finish_reason"], answer["end_missing"], tuple(answer["logprobs"]),
            math.exp(math.fsum(answer["logprobs"])) if whole else math.nan,
            *ratings.get(answer["spelling"], [math.nan] * len(RATINGS)),
            first and tuple((token, logprob) for token, logprob in first),
        )  # fmt: skip


def load_smollm2_scores(task):
    """Yes-no scores of SmolLM2-135M-Instruct (Allal et al., 2025), one row a case.

    Parameters
    ----------
    task : {"rand", "sentiment"}
        "rand": 4,400 people of the RAND Health Insurance Experiment, one year each, described in a sentence; did they
        see a doctor? "sentiment": 1,200 sentences made by a grammar; did the writer like it?

    Returns
    -------
    DataFrame
        Columns case (what the model was told), label (1 for yes), score and mass (P(Yes) among Yes and No, and the
        probability of both, from instructions only), score_examples and mass_examples (with four examples; NaN where
        not asked), and the features of the task.

    Examples
    --------
    >>> len(load_smollm2_scores("sentiment"))
    1200
    """
    check_one_of(task, "task", TASKS)
    table = pd.read_csv(DATA_FOLDER / "smollm2_scores.csv.gz")
    table = table[table["task"] == task].drop(columns="task")
    scores = ["score", "mass", "score_examples", "mass_examples"]
    empty = [name for name in table if name not in scores and table[name].isna().all()]
    table = table.drop(columns=empty).reset_index(drop=True)
    whole = [name for name in table.select_dtypes("float") if name not in scores and np.all(table[name] % 1 == 0)]
    return table.astype(dict.fromkeys(whole, int))
