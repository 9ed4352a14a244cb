"""Sampled answers of real language models, fetched once (public through `helpers.datasets`)."""

import json
import re
from dataclasses import dataclass, field

import pandas as pd

from helpers.datasets.download import check_system, fetch_file, read_manifest

_MODELS = {"GPT3": "GPT-3.5", "GPT4": "GPT-4", "llama2_13B": "Llama-2 13B"}

_DATE = re.compile(r"(?<!\d)(\d{1,2})/(\d{1,2})/(\d{4})(?!\d)")

_NUMBER = re.compile(r"-?\d[\d,]*\.?\d*")


@dataclass(frozen=True)
class SampledAnswers:
    """Answers that one model gave to one prompt, several to each question."""

    name: str
    table: pd.DataFrame = field(repr=False)  # a row an answer
    questions: tuple = field(repr=False)  # their texts, by number
    model: str
    task: str  # "date" or "gsm"
    prompt: str  # with the temperature
    n_samples: int  # answers to each question
    licence: str
    citation: str = field(repr=False)
    source: str = field(repr=False)

    def __str__(self):
        return (
            f"{self.name}: {self.model}, {len(self.questions):,} {self.task} questions, {self.n_samples} answers each "
            f"(licence: {self.licence})"
        )


def answer_files():
    """The manifest file of each system."""
    files = {}
    for entry in read_manifest():
        if entry.collection == "mot":
            folder, file = entry.path.split("/")
            files[f"{folder.removesuffix('_result')}/{file.removesuffix('.json')}"] = entry
    return files


def _described(name):
    """(model, task, prompt) of a system."""
    folder, file = name.split("/")
    task, _, prompt = file.partition("_")
    return _MODELS.get(folder, folder), task, prompt


def fetch_sampled_answers(name, *, progressbar=None):
    """Answers of GPT-3.5, GPT-4 or Llama-2 to DATE or GSM questions, downloaded once (pinned commit, sha256 checked).

    The folder in the environment variable HONEST_DATA is searched first (files as `mot/GPT4_result/date_cot1.json`),
    then the user's cache folder. DownloadError if the file cannot be had, with the way to put it in place by hand. Ties
    and answers without a date are kept. Yue et al. (2024), Large Language Model Cascades with Mixture of Thought
    Representations, ICLR; the files come without a licence: read them, do not pass them on.

    Parameters
    ----------
    name : str
        Model and prompt, for example "GPT3/date_cot1_t=0.8"; an unknown name is answered with the list of all.
    progressbar : bool or None, default None
        As in `fetch_scores`.

    Returns
    -------
    SampledAnswers
        Its `table` has a row for each answer: question and sample (numbers), answer (as published), parsed (the last
        date or number in it, in one spelling; missing where there is none), reference (the right answer), generated
        (all the model wrote), model, prompt; `questions` are their texts.

    Examples
    --------
    >>> len(fetch_sampled_answers("GPT4/date_cot1").questions)  # doctest: +SKIP
    369
    """
    files = answer_files()
    check_system(name, files)
    entry = files[name]
    records = json.loads(fetch_file(entry, progressbar=progressbar).read_text(encoding="utf-8"))
    model, task, prompt = _described(name)
    table = _tidy(records, task, name).assign(model=model, prompt=prompt)
    return SampledAnswers(
        name=name,
        table=table,
        questions=tuple(record["question"] for record in records),
        model=model,
        task=task,
        prompt=prompt,
        n_samples=int(table.groupby("question").size().max()),
        licence=entry.licence,
        citation="Yue et al. (2024), Large Language Model Cascades with Mixture of Thought Representations, ICLR.",
        source=entry.source,
    )


def _tidy(records, task, name):
    """One row for each answer."""
    rows = []
    for number, record in enumerate(records):
        lacking = {"question", "answer", "generated", "results"} - set(record)
        if lacking or len(record["results"]) != len(record["generated"]):
            problem = f"lacks {sorted(lacking)}" if lacking else "has another number of answers than of texts"
            raise ValueError(
                f"the file of {name} must hold answers and texts of every question, but question {number} {problem}."
            )
        reference = str(record["answer"]).strip()
        for sample, (answer, text) in enumerate(zip(record["results"], record["generated"], strict=True)):
            rows.append((number, sample, str(answer).strip(), parse_answer(answer, task), reference, text))
    columns = ["question", "sample", "answer", "parsed", "reference", "generated"]
    return pd.DataFrame(rows, columns=columns)


def parse_answer(answer, task="date"):
    """The last date (as MM/DD/YYYY) or, for other tasks, the last number in a text; None where there is none."""
    matches = (_DATE if task == "date" else _NUMBER).findall(str(answer))
    if not matches:
        return None
    if task == "date":
        month, day, year = matches[-1]
        return f"{int(month):02d}/{int(day):02d}/{year}"
    return f"{float(matches[-1].replace(',', '').rstrip('.')):.10g}"
