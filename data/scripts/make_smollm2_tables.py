"""Make smollm2_answers.jsonl.gz and smollm2_scores.csv.gz of the logs that make_smollm2.py has recorded.

    python data/scripts/make_smollm2_tables.py LOGS RAND

RAND is rand_hie.csv.gz. Answers are graded here, by rules that can be read below; a question is taken under a prompt
once all its answers are there. The order is that of the questions, whatever the order in the logs. The model counts
the tokens of the answers, because its server does not say which of them ended with their line.
"""

import functools
import gzip
import json
import re
import sys
from pathlib import Path
from urllib.request import Request, urlopen

import numpy as np
import pandas as pd
from make_smollm2 import ANSWERS, DATA, N_ANSWERS, N_PEOPLE, first_line, read_people, recorded, stated_health, text_key

from helpers.answers.spelling import spell_answers
from helpers.answers.token_confidences import is_true_probability, option_masses, parse_verbalised
from helpers.practice.llm.local import local_model

PROMPT_NAMES = {"answers_plain": "plain", "answers_examples": "examples"}

FEATURES = {
    "zper": "person", "site": "site", "xage": "age", "female": "female", "black": "black", "income": "income",
    "educdec": "schooling", "num": "family_size", "child": "child", "disea": "chronic", "physlm": "limited",
    "health": "health", "coins": "coinsurance", "mdvis": "visits",
}  # fmt: skip

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen \
eighteen nineteen".split()
)

_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}

_NUMBERS = {word: number for number, word in enumerate(_UNITS)} | _TENS

_VERB = re.compile(r"\b(?:is|are|was|were|has|have|equals|wrote|comes|means|began|ended|called|by)\b|=")

_FILLERS = {"in", "on", "of", "at", "part", "also"}  # words that change nothing beside a right answer


def numbers_as_digits(spelling):
    """Number words up to ninety-nine as digits, thousands without commas: "twenty six" -> "26", "1,000" -> "1000"."""
    words = []
    for word in re.sub(r"(?<=\d),(?=\d{3}\b)", "", spelling).split():
        number = _NUMBERS.get(word)
        if number is None:
            words.append(word)
        elif words and number in range(1, 10) and words[-1] in map(str, _TENS.values()):
            words[-1] = str(int(words[-1]) + number)
        else:
            words.append(str(number))
    return " ".join(words)


def grade_answer(question, answer, references):
    """1 if an answer says one of the right ones, by the rules, else 0.

    1. Answer and references are compared in one spelling: no case, punctuation, article or plural; number words as
       digits; what an answer adds in brackets does not count.
    2. An answer is right if it is a reference, or a reference among words of the question and prepositions, such as its
       unit or its country ("30 days", "Rome, Italy"); any other word makes it wrong. A reference that is itself a word
       of the question must stand alone.
    3. In a sentence or an equation, what stands behind a verb, by or = counts, by rule 2 ("The capital of Canada is
       Ottawa.", "17 + 25 = 42").
    """
    asked = set(_plain(question).split()) | _FILLERS
    plain = _plain(re.sub(r"(?<=\S)\s*\(.*?(?:\)|$)", "", answer))
    texts = [plain] + [plain[verb.end() :].strip() for verb in _VERB.finditer(plain)]
    right = [_plain(reference) for reference in references]
    return int(any(_says(text, reference, asked) for text in texts for reference in right))


@functools.cache
def _spell(text):
    return spell_answers([text])[0]


@functools.cache
def _plain(text):
    """In one spelling, numbers as digits, words without the s of a plural."""
    words = numbers_as_digits(_spell(text) or "").split()
    return " ".join(word.removesuffix("s") if len(word) > 3 else word for word in words)


def _says(text, reference, asked):
    """Whether a text is the reference, or the reference among words that may stand beside it."""
    if text == reference:
        return True
    if reference in asked or f" {reference} " not in f" {text} ":
        return False
    others = f" {text} ".replace(f" {reference} ", " ", 1).split()
    return all(word in asked for word in others)


def count_tokens(texts):
    """{text: number of its tokens}, as the model's own server counts."""
    counts = {}
    with local_model(n_threads=1) as endpoint:
        address = f"{endpoint.base_url.removesuffix('/v1')}/tokenize"
        for text in sorted(texts):
            body = json.dumps({"content": text, "add_special": False}).encode()
            with urlopen(Request(address, body, {"Content-Type": "application/json"})) as response:
                counts[text] = len(json.load(response)["tokens"])
    return counts


def spoken(choice):
    """What the model added to the beginning that the prompt gave it."""
    return choice["text"].removeprefix("Answer:")


def lacks_end(choice, counts):
    """Whether an answer ended with its line: its last token is then neither in the text nor among the probabilities.

    Else the last probability is that of the token that ends a reply, and there is one more than the text has tokens.
    """
    return choice["finish_reason"] == "stop" and len(choice["logprobs"] or []) <= counts[spoken(choice)]


def answer_tables(folder):
    """One dictionary a question and prompt, as the lines of smollm2_answers.jsonl.gz."""
    replies = [choice for part in ANSWERS for record in recorded(folder, part) for choice in record["choices"]]
    counts = count_tokens({spoken(choice) for choice in replies})
    questions = pd.read_csv(DATA / "smollm2_questions.csv", dtype=str)
    ratings = read_ratings(folder)
    for part in ANSWERS:
        choices = {}
        for record in recorded(folder, part):
            for sample, choice in zip(record["samples"], record["choices"], strict=True):
                place = 0 if record["kind"] == "greedy" else sample + 1
                choices.setdefault((record["question"], place), choice)
        for kind, question, references in questions.itertuples(index=False):
            row = [choices.get((question, place)) for place in range(N_ANSWERS + 1)]
            if None in row:
                continue
            answers = [short_choice(choice, question, references.split("|"), counts) for choice in row]
            spellings = {answer["spelling"] for answer in answers} - {None}
            rated = {spelling: ratings.get(text_key(question, spelling)) for spelling in sorted(spellings)}
            yield {
                "prompt": PROMPT_NAMES[part], "kind": kind, "question": question,
                "reference": references.split("|")[0], "references": references, "answers": answers,
                "ratings": {spelling: rating for spelling, rating in rated.items() if rating},
            }  # fmt: skip


def short_choice(choice, question, references, counts):
    """What the file keeps of one answer."""
    answer = first_line(choice["text"])
    kept = {
        "answer": answer,
        "spelling": _spell(answer),
        "correct": grade_answer(question, answer, references),
        "finish_reason": choice["finish_reason"],
        "end_missing": lacks_end(choice, counts),
        "logprobs": [round(value, 4) for value in choice["logprobs"] or []],  # none where the reply is empty
    }
    if choice.get("top"):
        kept["first_tokens"] = [[token, round(value, 4)] for token, value in choice["top"]]
    return kept


def read_ratings(folder):
    """{key of question and spelling: {name of a confidence: value}} of all that is recorded."""
    ratings = {}
    for part, name in (("is_true_examples", "is_true"), ("is_true_examples_swapped", "is_true_swapped")):
        for record in recorded(folder, part):
            top = record["choices"][0]["top"]
            value = is_true_probability(top)
            mass = sum(option_masses(top, ("True", "False")))
            if np.isfinite(value):
                rating = {name: round(value, 4), f"{name}_mass": round(mass, 4)}
                ratings.setdefault(record["key"], {}).update(rating)
    for record in recorded(folder, "verbalised_examples"):
        value = stated_share(record["choices"][0]["text"])
        if np.isfinite(value):
            ratings.setdefault(record["key"], {})["verbalised"] = value
    return ratings


def stated_share(text):
    """The confidence in a reply that stopped behind its number, or a little later; NaN if there is none."""
    number = re.match(r'\{"confidence":\s*(\d+)\b', text)
    return parse_verbalised(f'{{"confidence": {number[1]}}}')[1] if number else np.nan


def score_table(folder, rand):
    """The table of smollm2_scores.csv.gz as a DataFrame."""
    people = read_people(rand).head(N_PEOPLE)
    people = people.assign(health=[stated_health(person) for person in people.to_dict("records")]).rename(
        columns=FEATURES
    )
    people["person"] = np.arange(1, len(people) + 1)
    people = people[["case", "label", *FEATURES.values()]].assign(task="rand")
    sentences = (
        pd.read_csv(DATA / "smollm2_sentences.csv").rename(columns={"sentence": "case"}).assign(task="sentiment")
    )
    table = pd.concat([people, sentences], ignore_index=True)
    for ending in ("", "_examples"):
        scores = {}
        for task in ("rand", "sentiment"):
            for record in recorded(folder, f"{task}{ending}"):
                yes, no = option_masses(record["choices"][0]["top"])
                scores[task, record["case"]] = yes / (yes + no), yes + no
        pairs = [scores.get(key, (np.nan, np.nan)) for key in zip(table["task"], table["case"], strict=True)]
        table[[f"score{ending}", f"mass{ending}"]] = np.round(pairs, 4)
    first = ["task", "case", "label", "score", "mass", "score_examples", "mass_examples"]
    return table[[*first, *(name for name in table if name not in first)]]


def write(text, target):
    """Compressed without a time stamp, so that the same text gives the same bytes."""
    with open(target, "wb") as raw, gzip.GzipFile("", "wb", compresslevel=9, fileobj=raw, mtime=0) as file:
        file.write(text.encode())


if __name__ == "__main__":
    folder, rand = sys.argv[1:3]
    target = Path(sys.argv[3]) if len(sys.argv) > 3 else DATA
    lines = [json.dumps(record, ensure_ascii=False) for record in answer_tables(folder)]
    write("\n".join(lines) + "\n", target / "smollm2_answers.jsonl.gz")
    scores = score_table(folder, rand)
    write(scores.to_csv(index=False, lineterminator="\n"), target / "smollm2_scores.csv.gz")
    print(f"{len(lines):,} questions under a prompt, {scores['score'].notna().sum():,} of {len(scores):,} cases")
