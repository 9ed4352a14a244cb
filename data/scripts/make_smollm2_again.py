"""Ask SmolLM2 a part of its recorded questions again, and say how far the answers are from the shipped ones.

    python data/scripts/make_smollm2_again.py --share 0.1 --out again.csv

Of smollm2_scores.csv.gz each different description or sentence of the share is asked about again, with and without
examples; of smollm2_answers.jsonl.gz the greedy answers of the share, under both prompts. What is in the share is told
by a hash, so it is the same each time. The table has a row for each number that was compared.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from make_smollm2 import (
    ANSWERS,
    DATA,
    MAX_TOKENS,
    QUESTIONS,
    Request,
    first_line,
    first_word,
    place_of,
    prompt_of,
    text_key,
)

from helpers._progress import step, told
from helpers.answers.token_confidences import option_masses
from helpers.datasets import load_smollm2_answers
from helpers.practice.llm.local import local_model

DIGITS = 4  # of the shipped scores


def score_requests(share):
    """(part, request, shipped score) of the scores in a share."""
    table = pd.read_csv(DATA / "smollm2_scores.csv.gz").drop_duplicates(["task", "case"])
    for task, question in QUESTIONS.items():
        for ending in ("", "_examples"):
            prompt = prompt_of(f"{task}{ending}")
            for row in table[table["task"] == task].to_dict("records"):
                messages = prompt.messages(case=row["case"], question=question, options="Yes or No")
                request = Request("score", text_key(row["case"]), messages, temperature=0.0, max_tokens=1, top=20)
                if place_of(request) < share and not np.isnan(row[f"score{ending}"]):
                    yield f"{task}{ending}", request, row[f"score{ending}"]


def answer_requests(share):
    """(part, request, shipped answer, its log-probability) of the greedy answers in a share."""
    table = load_smollm2_answers()
    greedy = table[table["sample"] == 0]
    for part in ANSWERS:
        prompt = prompt_of(part)
        for row in greedy[greedy["prompt"] == part.removeprefix("answers_")].to_dict("records"):
            common = {"max_tokens": MAX_TOKENS, "logprobs": True, "top": 20, "about": {"question": row["question"]}}
            messages = prompt.messages(question=row["question"])
            request = Request("greedy", text_key(row["question"]), messages, temperature=0.0, **common)
            if place_of(request) < share:
                yield part, request, row["answer"], sum(row["logprobs"])


def asked_again(share, n_threads=1):
    """A row a number: part, what it is, the shipped value and that of today."""
    scores, answers = list(score_requests(share)), list(answer_requests(share))
    rows = []
    with local_model(n_threads=n_threads, n_parallel=1, context=384) as small, told(len(scores) + len(answers)):
        for part, request, shipped in scores:
            step(part)
            (choice,) = request.send(small)
            if choice["top"] is not None:  # as for the records, a reply without its likeliest tokens says nothing
                yes, no = option_masses(first_word(choice["top"]))
                rows.append((part, "score", shipped, round(yes / (yes + no), DIGITS)))
        for part, request, answer, logprob in answers:
            step(part)
            (choice,) = request.send(small)
            same = first_line(choice["text"]) == answer
            rows.append((part, "answer", 1, int(same)))
            if same and choice["logprobs"]:  # an empty answer has none
                rows.append((part, "log-probability", logprob, sum(choice["logprobs"])))
    return pd.DataFrame(rows, columns=["part", "what", "shipped", "again"])


def compared(table):
    """A line a part and number: how many, the share that is the same, and how far the others are."""
    apart = (table["shipped"] - table["again"]).abs().round(DIGITS)
    each = table.assign(apart=apart).groupby(["part", "what"], sort=False)["apart"]
    return each.agg(n="size", same=lambda d: (d == 0).mean(), median="median", most="max").reset_index()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("--share", type=float, default=0.1, help="of the records that are asked again (%(default)s)")
    parser.add_argument("--out", help="CSV of both numbers")
    parser.add_argument("--threads", type=int, default=1, help="threads that compute (%(default)s)")
    options = parser.parse_args()
    try:
        table = asked_again(options.share, options.threads)
    except (ImportError, ValueError, RuntimeError) as error:
        parser.exit(2, f"{error}\n")
    if options.out:
        table.to_csv(Path(options.out), index=False, lineterminator="\n")
    print(compared(table).to_string(index=False))


if __name__ == "__main__":
    main()
