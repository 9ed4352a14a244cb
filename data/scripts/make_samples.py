"""Ask language models on this machine the same short question many times, and record what they answer.

    python data/scripts/make_samples.py --folder RECORDS

asks what is missing and can be interrupted at any time. Each line of RECORDS/<model>.jsonl is the half of a question's
answers. Prompt, questions and their order are those of `make_answers.py`; answers are drawn from all tokens, at
temperature 1 or that of `--temperature`, and end with their line. `--hard` asks the questions of hard_questions.csv in
their place; give it another folder. `make_samples_tables.py` makes the shipped table from the folder.
"""

import json
import time
from pathlib import Path
from urllib.request import Request as Post
from urllib.request import urlopen

import pandas as pd
from make_acs12 import prompt_hash, read_records
from make_answers import ask_models, read_questions, text_of

from helpers._progress import step, told
from helpers.practice.llm.local import local_model

MODELS = ("qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b")

N_ANSWERS = 50

AT_ONCE = 25  # answers to one request: the model then reads its weights once for all of them

MAX_TOKENS = 12


def draw(model, prompt, temperature):
    """Texts of AT_ONCE answers to a prompt, each up to its line's end."""
    body = {"model": model.name, "prompt": prompt, "n": AT_ONCE, "temperature": temperature}
    body |= {"max_tokens": MAX_TOKENS, "stop": ["\n"]}
    headers = {"Content-Type": "application/json"}
    with urlopen(Post(f"{model.base_url}/completions", json.dumps(body).encode(), headers)) as reply:
        return [choice["text"] for choice in json.load(reply)["choices"]]


def key_of(record):
    return record["question"], record["part"], record.get("temperature", 1.0)


def held_samples(path, name):
    """Keys of what a table of make_samples_tables.py holds of a model."""
    table = pd.read_csv(path, usecols=["model", "question", "temperature"])
    asked = table.loc[table["model"] == name, ["question", "temperature"]].drop_duplicates()
    parts = range(N_ANSWERS // AT_ONCE)
    return {(question, part, temperature) for question, temperature in asked.itertuples(index=False) for part in parts}


def record(options, name):
    """Ask one model what is missing."""
    path = Path(options.folder) / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    there = {key_of(row) for row in read_records(path)}
    if options.held:
        there |= held_samples(options.held, name)
    parts = range(N_ANSWERS // AT_ONCE)
    questions = read_questions(options.which)["question"].head(options.questions)
    wanted = [(question, part, options.temperature) for question in questions for part in parts]
    missing = [key for key in wanted if key not in there]
    model = local_model(options.models[name], n_threads=options.threads, n_parallel=AT_ONCE, context=128)
    with model as server, path.open("a", encoding="utf-8") as file, told(len(missing)):
        for question, part, temperature in missing:
            while options.pause and Path(options.pause).exists():
                time.sleep(2)
            step(name)
            prompt = text_of("open", question=question)
            began = time.perf_counter()
            texts = draw(server, prompt, temperature)
            line = {"model": name, "question": question, "part": part, "temperature": temperature}
            line |= {"prompt_sha256": prompt_hash(prompt), "seconds": round(time.perf_counter() - began, 4)}
            line["texts"] = texts
            file.write(json.dumps(line) + "\n")
            file.flush()


def main():
    ask_models(record, __doc__, "samples_records", MODELS, temperature=True)


if __name__ == "__main__":
    main()
