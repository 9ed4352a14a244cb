"""Record SmolLM2-135M-Instruct: answers, confidences and yes-no scores, part by part.

    python data/scripts/make_smollm2.py --folder LOGS --worker 1 --share 0 0.5 -- answers_examples ...

Each part is a file of JSON lines in the folder, one a worker, written response by response: after a kill the same
command goes on where it stopped. It asks llama.cpp itself and not by Inspect, because 25 answers to one request are
computed together. Two workers with one thread and a share each use two cores best.
`make_smollm2_tables.py` makes the files under data/ from the folder.
"""

import argparse
import functools
import hashlib
import json
import zlib
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from urllib.request import Request as Post
from urllib.request import urlopen

import numpy as np
import pandas as pd

from helpers.answers.spelling import spell_answers
from helpers.practice.llm.local import local_model
from helpers.practice.llm.prompts import load_prompt

DATA = Path(__file__).resolve().parents[1]

PROMPTS = DATA / "smollm2_prompts"

RAND = "rand/rand_hie.csv.gz"

N_ANSWERS = 50

AT_ONCE = 25  # answers to one request: the model then reads its weights once for all of them

MAX_TOKENS = 12

N_PEOPLE = 4400

SEED = 20261122

STEPS = {  # part: the kind of its prompt, and the file in PROMPTS
    "answers_examples": ("answer", "answer_examples"),
    "answers_plain": ("answer", "answer_plain"),
    "is_true_examples": ("is_true", "is_true_examples"),
    "is_true_examples_swapped": ("is_true", "is_true_examples_swapped"),
    "verbalised_examples": ("verbalised", "verbalised_examples"),
    "rand": ("score", "rand"),
    "rand_examples": ("score", "rand_examples"),
    "sentiment": ("score", "sentiment"),
    "sentiment_examples": ("score", "sentiment_examples"),
}

ANSWERS = ("answers_examples", "answers_plain")

QUESTIONS = {"rand": "Did this person see a doctor?", "sentiment": "Did the writer like it?"}


@dataclass(frozen=True)
class Request:
    """One request: `messages` for the samples `samples` of what `key` names; `about` goes into the record."""

    kind: str
    key: str
    messages: list = field(repr=False)
    samples: tuple = (0,)
    temperature: float = 1.0
    max_tokens: int = 64
    logprobs: bool = False
    top: int = 0
    about: dict = field(default_factory=dict, repr=False)

    def send(self, small):
        """The choices of the reply: text, finish_reason, logprobs of the tokens, top tokens at each place."""
        body = {"model": small.name, "messages": self.messages, "temperature": self.temperature, "stop": ["\n"]}
        body |= {"max_tokens": self.max_tokens, "n": len(self.samples)}
        if self.logprobs or self.top:
            body |= {"logprobs": True, "top_logprobs": self.top}
        headers = {"Content-Type": "application/json"}
        with urlopen(Post(f"{small.base_url}/chat/completions", json.dumps(body).encode(), headers)) as reply:
            choices = json.load(reply)["choices"]
        return [_choice(choice) for choice in sorted(choices, key=lambda choice: choice.get("index", 0))]


def _choice(choice):
    tokens = (choice.get("logprobs") or {}).get("content") or []
    tops = [[[top["token"], top["logprob"]] for top in token.get("top_logprobs", ())] for token in tokens]
    return {
        "text": choice["message"]["content"], "finish_reason": choice["finish_reason"],
        "logprobs": [token["logprob"] for token in tokens] or None, "top": tops if tops and all(tops) else None,
    }  # fmt: skip


def first_word(top):
    """The likeliest tokens at the first place where the likeliest is not white space; None without any."""
    return next((place for place in top or [] if max(place, key=lambda pair: pair[1])[0].strip()), None)


def prompt_of(part):
    """The prompt of a part, read."""
    step, name = STEPS[part]
    return load_prompt(PROMPTS / f"{name}.txt", step)


@functools.lru_cache(4096)
def text_key(*texts):
    """First 16 digits of a hash of texts, by which the records of a file find their question."""
    return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def read_questions():
    """The questions in an order that mixes their kinds."""
    table = pd.read_csv(DATA / "smollm2_questions.csv", dtype=str)
    return table.assign(key=table["question"].map(text_key)).sort_values("key", ignore_index=True)


def answer_requests(part):
    """Requests of sampled answers, and of the greedy one with the alternatives to its first token."""
    prompt = prompt_of(part)
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
        lines = path.read_text(encoding="utf-8").splitlines()
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
    """(question, spelling, answer, count, examples) of the answers that differ in more than spelling.

    An answer is asked about in its most frequent wording. Answers to both prompts count together; the greedy answer
    counts as two. `examples` says if the prompt with examples has led to it.
    """
    texts = defaultdict(Counter)
    after_examples = set()
    for part in ANSWERS:
        for record in recorded(folder, part):
            for choice in record["choices"]:
                text = first_line(choice["text"])
                texts[record["question"]][text] += 1 + (record["kind"] == "greedy")
                if part == "answers_examples":
                    after_examples.add((record["question"], text))
    rows = []
    for question in sorted(texts, key=text_key):
        wordings = defaultdict(Counter)
        words = sorted(texts[question])
        for word, spelling in zip(words, spell_answers(words), strict=True):
            if spelling is not None:
                wordings[spelling][word] = texts[question][word]
        for spelling in sorted(wordings):
            counts = wordings[spelling]
            examples = any((question, word) in after_examples for word in counts)
            rows.append((question, spelling, counts.most_common(1)[0][0], counts.total(), examples))
    return pd.DataFrame(rows, columns=["question", "spelling", "answer", "count", "examples"])


def rating_requests(part, folder, often_only=False):
    """Requests of a confidence for every distinct answer; those given more than once first, or only.

    The others follow, those of the prompt with examples before those of the plain one.
    """
    step = STEPS[part][0]
    prompt = prompt_of(part)
    max_tokens = {"is_true": 2, "verbalised": 4}[step]  # the first of two may be a space
    table = distinct_answers(folder)
    often = table["count"] > 1
    rare = table[~often].sort_values("examples", ascending=False, kind="stable")
    rows = table[often] if often_only else pd.concat([table[often], rare])
    for row in rows.to_dict("records"):
        values = {"question": row["question"], "answer": row["answer"]}
        messages = prompt.messages(**values)
        key = text_key(row["question"], row["spelling"])
        yield Request(step, key, messages, temperature=0.0, max_tokens=max_tokens, top=20, about=values)


def stated_health(person):
    """The person's own rating, in words."""
    words = {"hlthg": "good", "hlthf": "fair", "hlthp": "poor"}
    return next((word for column, word in words.items() if person[column] == 1), "excellent")


def describe(person):
    """What the model is told about a person, in about forty tokens."""
    names = ("girl", "boy") if person["child"] else ("woman", "man")
    who = names[0] if person["female"] else names[1]
    chronic = "no" if person["disea"] < 5 else "some" if person["disea"] < 15 else "many"
    limited = "a" if person["physlm"] >= 0.5 else "no"
    paid = f"pays {person['coins']:.0f} % of each bill" if person["coins"] else "gets all care for free"
    return (
        f"A {who} of {person['xage']:.0f} in {stated_health(person)} health, with {chronic} chronic diseases and "
        f"{limited} physical limitation, in a family of {person['num']:.0f}, {paid}."
    )


def read_people(path, seed=SEED):
    """One record a person (the first year), in random order: label, description and the columns behind it."""
    table = pd.read_csv(path).sort_values(["zper", "year"]).drop_duplicates("zper", ignore_index=True)
    table = table.iloc[np.random.default_rng(seed).permutation(len(table))].reset_index(drop=True)
    table.insert(0, "label", (table["mdvis"] > 0).astype(int))
    table.insert(0, "case", [describe(person) for person in table.to_dict("records")])
    return table


def score_requests(part, rand):
    """Requests of a score for every different description."""
    prompt = prompt_of(part)
    if part.startswith("rand"):
        cases = read_people(rand)["case"].head(N_PEOPLE)
    else:
        cases = pd.read_csv(DATA / "smollm2_sentences.csv")["sentence"]
    question = QUESTIONS[part.removesuffix("_examples")]
    for case in dict.fromkeys(cases):
        messages = prompt.messages(case=case, question=question, options="Yes or No")
        about = {"case": case}
        yield Request("score", text_key(case), messages, temperature=0.0, max_tokens=1, top=20, about=about)


def place_of(request):
    """Number in [0, 1) that says which worker asks a request; all about one question have the same."""
    about = request.about.get("question", request.key)
    return zlib.crc32(about.encode()) / 2**32


def requests_of(part, options):
    """All requests of a part, in the order of their importance."""
    match STEPS[part][0]:
        case "answer":
            return answer_requests(part)
        case "score":
            return score_requests(part, options.rand)
    return rating_requests(part, Path(options.folder), options.often)


def record(part, options):
    """Ask what is missing of one part, in the share of this worker."""
    folder = Path(options.folder)
    low, high = options.share
    requests = [request for request in requests_of(part, options) if low <= place_of(request) < high]

    path = folder / f"{part}-{options.worker}.jsonl"
    answered = {(r["kind"], r["key"], sample) for r in recorded(folder, part) for sample in r["samples"]}
    parallel = AT_ONCE if part in ANSWERS else 1
    with local_model(n_threads=1, n_parallel=parallel, context=384) as small, path.open("a", encoding="utf-8") as file:
        if not path.stat().st_size:
            header = {"kind": part, "model": small.name, "prompts": {part: prompt_of(part).sha256}}
            file.write(json.dumps(header) + "\n")
        for request in requests:
            if all((request.kind, request.key, sample) in answered for sample in request.samples):
                continue
            choices = request.send(small)
            if request.kind != "answer":
                choices = [choice | {"top": first_word(choice["top"])} for choice in choices]
            line = {"kind": request.kind, "key": request.key, "samples": request.samples, "choices": choices}
            file.write(json.dumps(line | request.about) + "\n")
            file.flush()
    print(f"{part}: done", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", default=STEPS, metavar="PART", help=", ".join(STEPS))
    parser.add_argument("--folder", default="smollm2_logs", help="where the logs are, or will be")
    parser.add_argument("--rand", default=RAND, help="rand_hie.csv.gz")
    parser.add_argument("--often", action="store_true", help="confidences of answers given more than once only")
    parser.add_argument("--worker", default="1", help="names the files of this process")
    parser.add_argument("--share", type=float, nargs=2, default=(0, 1), metavar=("FROM", "TO"), help="of the questions")
    options = parser.parse_args()
    Path(options.folder).mkdir(exist_ok=True)
    for part in options.parts:  # in this order
        record(part, options)


if __name__ == "__main__":
    main()
