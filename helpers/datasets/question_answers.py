"""What language models answered to short questions, once with three confidences and many times, recorded once."""

from pathlib import Path

import numpy as np
import pandas as pd

from helpers.checks import check_column, check_one_of
from helpers.datasets.cells import check_cells, numbers_of, read_parts, together
from helpers.datasets.download import DATA_FOLDER

_ANSWERS = {
    "easy": ("question_answers.csv.gz",),
    "hard": ("hard_answers.csv.gz", "hard_answers_2.csv.gz"),
    "options": ("option_answers.csv.gz",),
}

_SAMPLES = {"easy": ("question_samples.csv.gz",), "hard": ("hard_samples.csv.gz", "hard_samples_2.csv.gz")}

_QUESTIONS = ("smollm2_questions.csv", "hard_questions.csv", "option_questions.csv")

_SHARES = ("is_true", "is_true_mass", "verbalised")

_NEEDED = ("model", "question", "answer", "correct", "logprob", "n_tokens", *_SHARES)

_COLUMNS = (
    "model", "kind", "question", "references", "answer", "correct", "posterior", "is_true", "verbalised", "logprob",
    "n_tokens", "is_true_mass",
)  # fmt: skip


def read_question_answers(path=None, *, hard=False, options=False, parts=1):
    """What language models answered to short questions of fact, and how sure they were: one row a model and question.

    Parameters
    ----------
    path : str or Path, optional
        Table of `data/scripts/make_answers_tables.py` with answers of your own model; without, the shipped answers.
    hard : bool, default False
        Of the shipped answers those to 130 harder questions, of kinds at which small models fail.
    options : bool, default False
        Of the shipped answers those to questions with four answers to choose from, which stand in the question; the
        model answers with a letter.
    parts : {1, 2}, default 1
        Of the shipped answers to harder questions the first part (60 questions, the two larger models), or both (130,
        four models).

    Returns
    -------
    DataFrame
        Columns model, kind (of question), question, references (right answers, with | between), answer (greedy),
        correct (0 or 1 by rules), and three confidences in it: posterior (probability of all its tokens to the end of
        its line, NaN if that did not come within 14), is_true (P(True) among True and False, NaN if neither was among
        the 20 likeliest tokens) and verbalised (a number that the model stated, as a fraction). Also logprob and
        n_tokens of the answer, and is_true_mass (probability of both words). Questions come in an order drawn once by
        chance, the same for all models.

    Raises
    ------
    ValueError
        For missing columns, a question that is not among the shipped ones, an answer that occurs twice, a part that
        there is not, hard questions with options, or cells that break a rule.

    References
    ----------
    Estienne, Ernst et al. (2026), section 4.2.

    Examples
    --------
    >>> answers = read_question_answers()
    >>> sorted(answers["kind"].unique())
    ['arithmetic', 'calendar', 'capital', 'fact', 'opposite', 'unit']
    """
    if hard and options:
        raise ValueError("options must be without hard, because questions with options are of all kinds.")
    which = "options" if options else "hard" if hard else "easy"
    name, table = _read(path, _ANSWERS, which, _NEEDED, parts)
    table = _checked(name, table if parts == 1 else together(table, ["model"]))
    return table.assign(posterior=np.exp(table["logprob"]))[list(_COLUMNS)]


def read_question_samples(path=None, *, hard=False, parts=1):
    """What language models answered to the same short questions fifty times: one row an answer.

    Parameters
    ----------
    path : str or Path, optional
        Table of `data/scripts/make_samples_tables.py` with answers of your own model; without, the shipped answers.
    hard : bool, default False
        Of the shipped answers those to 130 harder questions, of kinds at which small models fail.
    parts : {1, 2}, default 1
        Of the shipped answers to harder questions the first part, or both: the second has more answers of the larger
        model.

    Returns
    -------
    DataFrame
        Columns model, kind (of question), question, references (right answers, with | between), temperature at
        which the answer was drawn (1 where a table has none), sample (from 1), answer and correct (0 or 1 by rules).
        Questions come in the order of `read_question_answers`, as many as the model has finished.

    Raises
    ------
    ValueError
        For missing columns, a question that is not among the shipped ones, a part that there is not, or cells that
        break a rule.

    References
    ----------
    Wang et al. (2026), section 6.1.

    Examples
    --------
    >>> answers = read_question_samples()
    >>> answers.groupby(["model", "question"]).size().unique().tolist()
    [50]
    """
    which = "hard" if hard else "easy"
    name, table = _read(path, _SAMPLES, which, ("model", "question", "sample", "answer", "correct"), parts)
    sample, correct = numbers_of(table["sample"]), numbers_of(table["correct"])
    check_cells(name, "correct", "be 0 or 1", table["correct"], ~np.isin(correct, [0, 1]))
    check_cells(name, "sample", "be a whole number from 1", table["sample"], ~(sample >= 1) | (sample % 1 != 0))
    table = table.assign(temperature=numbers_of(table["temperature"]) if "temperature" in table else 1.0)
    check_cells(name, "temperature", "be at least 0", table["temperature"], ~(table["temperature"] >= 0))
    twice = table.duplicated(["model", "question", "temperature", "sample"])
    check_cells(name, "sample", "come once for a model, question and temperature", table["sample"], twice)
    table = table.assign(sample=sample.astype(int), correct=correct.astype(int), answer=table["answer"].fillna(""))
    table = table[["model", "kind", "question", "references", "temperature", "sample", "answer", "correct"]]
    return table if parts == 1 else together(table, ["model", "temperature"])


def _read(path, shipped, which, needed, parts):
    """(name of the file, its table with kind and right answers of each question)."""
    check_one_of(parts, "parts", tuple(range(1, len(shipped[which]) + 1)))
    paths = [DATA_FOLDER / file for file in shipped[which][:parts]] if path is None else [Path(path).expanduser()]
    table, path = read_parts(paths, keep_default_na=False, na_values=[""], dtype={"answer": str}), paths[0]
    for column in needed:
        check_column(column, list(table), path.name)
    questions = pd.concat([pd.read_csv(DATA_FOLDER / file, dtype=str) for file in _QUESTIONS]).set_index("question")
    unknown = ~table["question"].isin(questions.index)
    check_cells(path.name, "question", "be one of ours", table["question"], unknown)
    return path.name, table.join(questions, on="question")


def _checked(name, table):
    """The table with numbers as such and empty answers as ""; the first cell that breaks a rule is named."""
    numbers = {column: numbers_of(table[column]) for column in ("correct", "logprob", "n_tokens", *_SHARES)}
    correct, logprob, n_tokens = (numbers[column] for column in ("correct", "logprob", "n_tokens"))
    check_cells(name, "correct", "be 0 or 1", table["correct"], ~np.isin(correct, [0, 1]))
    check_cells(name, "logprob", "be at most 0", table["logprob"], logprob > 0)
    check_cells(name, "n_tokens", "be a whole number", table["n_tokens"], ~(n_tokens >= 0) | (n_tokens % 1 != 0))
    for column in _SHARES:
        value = numbers[column]
        check_cells(name, column, "hold probabilities in [0, 1]", table[column], (value < 0) | (value > 1))
    twice = table.duplicated(["model", "question"])
    check_cells(name, "question", "come once for a model", table["question"], twice)
    whole = {column: numbers[column].astype(int) for column in ("correct", "n_tokens")}
    return table.assign(**numbers | whole, answer=table["answer"].fillna(""))
