"""Record SmolLM2-135M-Instruct: answers, confidences and yes-no scores, part by part.

    python data/scripts/make_smollm2.py --folder LOGS --worker 1 --share 0 0.5 -- answers_examples ...

Each part is a file of `helpers.llm`'s own format in the folder, one a worker, written response by response: after a
kill the same command goes on where it stopped. Two workers with one thread and a share each use two cores best.
`make_smollm2_tables.py` makes the files under data/ from the folder.
"""

import argparse
import json
import zlib
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from helpers.answers.spelling import spell_answers
from helpers.llm.client import Request
from helpers.llm.local import local_model
from helpers.llm.prompts import load_prompt
from helpers.llm.questions import text_key
from helpers.llm.runner import ask

DATA = Path(__file__).resolve().parents[1]

PROMPTS = DATA / "smollm2_prompts"

RAND = "rand/rand_hie.csv.gz"

N_ANSWERS = 50

AT_ONCE = 25  # answers to one request: the model then reads its weights once for all of them

MAX_TOKENS = 12

N_PEOPLE = 4400

SEED = 20261122

ANSWERS = {"answers_examples": PROMPTS / "answer_examples.txt", "answers_plain": PROMPTS / "answer_plain.txt"}

RATINGS = {
    "is_true_examples": PROMPTS / "is_true_examples.txt",
    "is_true_examples_swapped": PROMPTS / "is_true_examples_swapped.txt",
    "verbalised_examples": PROMPTS / "verbalised_examples.txt",
    "is_true": "is_true",
    "is_true_swapped": "is_true_swapped",
}

SCORES = {
    "rand": PROMPTS / "rand.txt",
    "rand_examples": PROMPTS / "rand_examples.txt",
    "sentiment": PROMPTS / "sentiment.txt",
    "sentiment_examples": PROMPTS / "sentiment_examples.txt",
}

QUESTIONS = {"rand": "Did this person see a doctor?", "sentiment": "Did the writer like it?"}

PARTS = (*ANSWERS, *RATINGS, *SCORES)


def read_questions():
    """The questions in an order that mixes their kinds."""
    table = pd.read_csv(DATA / "smollm2_questions.csv", dtype=str)
    return table.assign(key=table["question"].map(text_key)).sort_values("key", ignore_index=True)


def answer_requests(part):
    """Requests of sampled answers, and of the greedy one with the alternatives to its first token."""
    prompt = load_prompt(ANSWERS[part], "answer")
    for question in read_questions()["question"]:
        messages = prompt.messages(question=question)
        common = {"messages": messages, "max_tokens": MAX_TOKENS, "logprobs": True, "about": {"question": question}}
        yield Request("greedy", text_key(question), temperature=0.0, top=20, **common)
        for start in range(0, N_ANSWERS, AT_ONCE):
            samples = tuple(range(start, start + AT_ONCE))
            yield Request("answer", text_key(question), samples=samples, **common)


def recorded(folder, part):
    """The records of all shards of a part, without their headers."""
    for path in sorted(Path(folder).glob(f"{part}-*.jsonl")):
        lines = path.read_text().splitlines()
        for line in lines[1:]:
            try:
                record = json.loads(line)
            except ValueError:
                continue  # the last line of a file that is being written
            lost = record["kind"] in ("is_true", "score") and record["choices"][0]["top"] is None
            if record["kind"] != "failed" and not lost:
                yield record


def first_line(text):
    """The answer in a reply: its first line, without the beginning that the prompt gave it."""
    lines = text.strip().removeprefix("Answer:").strip().splitlines()
    return lines[0].strip() if lines else ""


def distinct_answers(folder):
    """(question, spelling, answer, count) of the answers that differ in more than spelling.

    An answer is asked about in its most frequent wording. Answers to both prompts count together; the greedy answer
    counts as two.
    """
    texts = defaultdict(Counter)
    for part in ANSWERS:
        for record in recorded(folder, part):
            for choice in record["choices"]:
                texts[record["question"]][first_line(choice["text"])] += 1 + (record["kind"] == "greedy")
    rows = []
    for question in sorted(texts, key=text_key):
        wordings = defaultdict(Counter)
        words = sorted(texts[question])
        for word, spelling in zip(words, spell_answers(words), strict=True):
            if spelling is not None:
                wordings[spelling][word] = texts[question][word]
        for spelling in sorted(wordings):
            counts = wordings[spelling]
            rows.append((question, spelling, counts.most_common(1)[0][0], counts.total()))
    return pd.DataFrame(rows, columns=["question", "spelling", "answer", "count"])


def rating_requests(part, folder, often_only=False):
    """Requests of a confidence for every distinct answer; those given more than once first, or only."""
    step = "verbalised" if part.startswith("verbalised") else "is_true"
    prompt = load_prompt(RATINGS[part], step)
    table = distinct_answers(folder)
    often = table["count"] > 1
    for _, row in pd.concat([table[often], table[~often & (not often_only)]]).iterrows():
        values = {"question": row["question"], "answer": row["answer"]}
        max_tokens = 4 if step == "verbalised" else 1
        messages = prompt.messages(**values)
        key = text_key(row["question"], row["spelling"])
        yield Request(step, key, messages, temperature=0.0, max_tokens=max_tokens, top=20, about=values)


def describe(person):
    """What the model is told about a person, in about forty tokens."""
    if person["child"]:
        who = "girl" if person["female"] else "boy"
    else:
        who = "woman" if person["female"] else "man"
    health = next((word for name, word in (("hlthg", "good"), ("hlthf", "fair"), ("hlthp", "poor")) if person[name]), 0)
    limited = "a physical limitation" if person["physlm"] >= 0.5 else "no physical limitation"
    ill = "no" if person["disea"] < 5 else "some" if person["disea"] < 15 else "many"
    paid = f"pays {person['coins']:.0f} % of each bill" if person["coins"] else "gets all care for free"
    return (
        f"A {who} of {person['xage']:.0f} in {health or 'excellent'} health, with {ill} chronic diseases and "
        f"{limited}, in a family of {person['num']:.0f}, {paid}."
    )


def read_people(path, seed=SEED):
    """One record a person (the first year), in random order: person, label, description and the columns behind it."""
    table = pd.read_csv(path).sort_values(["zper", "year"]).drop_duplicates("zper", ignore_index=True)
    table = table.iloc[np.random.default_rng(seed).permutation(len(table))].reset_index(drop=True)
    table.insert(0, "label", (table["mdvis"] > 0).astype(int))
    table.insert(0, "case", [describe(person) for person in table.to_dict("records")])
    return table


def score_requests(part, rand):
    """Requests of a score for every different description."""
    prompt = load_prompt(SCORES[part], "score")
    if part.startswith("rand"):
        cases = read_people(rand)["case"].head(N_PEOPLE)
    else:
        cases = pd.read_csv(DATA / "smollm2_sentences.csv")["sentence"]
    for case in dict.fromkeys(cases):
        messages = prompt.messages(case=case, question=QUESTIONS[part.split("_")[0]], options="Yes or No")
        about = {"case": case}
        yield Request("score", text_key(case), messages, temperature=0.0, max_tokens=1, top=20, about=about)


def place_of(request):
    """Number in [0, 1) that says which worker asks a request; all about one question have the same."""
    about = request.about.get("question", request.key)
    return zlib.crc32(about.encode()) / 2**32


def record(part, options):
    """Ask what is missing of one part, in this shard."""
    folder = Path(options.folder)
    if part in ANSWERS:
        requests = list(answer_requests(part))
        prompt = load_prompt(ANSWERS[part], "answer")
    elif part in RATINGS:
        requests = list(rating_requests(part, folder, options.often))
        prompt = load_prompt(RATINGS[part], "verbalised" if part.startswith("verbalised") else "is_true")
    else:
        requests = list(score_requests(part, options.rand))
        prompt = load_prompt(SCORES[part], "score")
    low, high = options.share
    requests = [request for request in requests if low <= place_of(request) < high]

    def missing(records):
        answered = {(r["kind"], r["key"], sample) for r in recorded(folder, part) for sample in r["samples"]}
        return [
            request
            for request in requests
            if any((request.kind, request.key, sample) not in answered for sample in request.samples)
        ]

    parallel = AT_ONCE if part in ANSWERS else 1
    with local_model(n_threads=1, n_parallel=parallel, context=384) as endpoint:
        endpoint = replace(endpoint, concurrency=1, extra_body={"stop": ["\n"]})
        header = {
            "kind": part, "model": endpoint.name, "prompts": {part: prompt.sha256}, "max_tokens": MAX_TOKENS,
            "extra": endpoint.extra_digest,
        }  # fmt: skip
        path = folder / f"{part}-{options.worker}.jsonl"
        _, usage, _ = ask(endpoint, path, header, part, missing, spend_limit=1.0, confirm=None, progress=True)
        print(f"{part}: {usage}; {usage.seconds:.0f} s", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", default=PARTS, metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--folder", default="smollm2_logs", help="where the logs are, or will be")
    parser.add_argument("--rand", default=RAND, help="rand_hie.csv.gz")
    parser.add_argument("--often", action="store_true", help="confidences of answers given more than once only")
    parser.add_argument("--worker", default="1", help="names the files of this process")
    parser.add_argument("--share", type=float, nargs=2, default=(0, 1), metavar=("FROM", "TO"), help="of the questions")
    options = parser.parse_args()
    Path(options.folder).mkdir(exist_ok=True)
    for part in options.parts:
        record(part, options)


if __name__ == "__main__":
    main()
