"""Ask language models on this machine about people of the American Community Survey, and record what they answer.

    python data/scripts/make_acs12.py --folder RECORDS

asks what is missing and can be interrupted at any time. Each answer is a line of RECORDS/<model>.jsonl; an answer that
is there is not asked for again. People come in an order drawn once by chance, the same for all models, so that the
first of them are a random sample. `make_acs12_tables.py` makes the shipped table from the folder.

A larger model: `--models my.gguf`; a server that speaks OpenAI's interface and continues a text (/completions with
log-probabilities): `--endpoint URL --models NAME`. Two of these at the same time, with different models, use two cores.
"""

import argparse
import hashlib
import json
import os
import time
from contextlib import ExitStack
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request as Post
from urllib.request import urlopen

import pandas as pd

from helpers._progress import step, told
from helpers.datasets.survey_answers import TOLD, who_is_asked
from helpers.practice.llm.local import LocalModel, local_model
from helpers.practice.llm.models import MODELS
from helpers.practice.llm.prompts import load_prompt

DATA = Path(__file__).resolve().parents[1]

PEOPLE = DATA / "acs12_people.csv"

PROMPTS = DATA / "acs12_prompts"

SEED = 20261129

OPTIONS = "Yes or no"

N_EXAMPLES = 6

TOP = 20  # alternatives to a token, as many as OpenAI's interface gives

SCHOOLING = {"hs or lower": "no college", "college": "college degree", "grad": "graduate degree"}

RACES = {"white": "white", "black": "black", "asian": "Asian", "other": "of another race"}


TASKS = {
    "income": "Does this person earn more than $50,000 a year?",
    "employment": "Does this person have a job?",
    "travel_time": "Does this person need more than 20 minutes to get to work?",
}

WAYS = {"choice": 1, "numeric": 2, "choice_examples": 1}  # tokens of the reply

STAGES = (  # (task, ways, most people), in the order in which they are asked
    ("income", "choice_examples", 500),
    ("income", "choice", 500),
    ("income", "numeric", 500),
    ("employment", "choice", 500),
    ("travel_time", "choice", 500),
    *((task, way, None) for way in WAYS for task in TASKS),
)

BLOCK = 25  # people about whom one model is asked before the next


def describe(person, columns):
    """What the model is told about a person: a short line, without what is missing and what is usual."""
    words = [f"{'woman' if person['gender'] == 'female' else 'man'} of {person['age']}", RACES[person["race"]]]
    if isinstance(person["edu"], str):
        words.append(SCHOOLING[person["edu"]])
    words.append("married" if person["married"] == "yes" else "not married")
    if "hrs_work" in columns:
        words.append(f"works {person['hrs_work']:.0f} hours a week")
    if "lang" in columns and person["lang"] == "other":
        words.append("speaks another language at home")
    if "citizen" in columns and person["citizen"] == "no":
        words.append("not a citizen")
    if "disability" in columns and person["disability"] == "yes":
        words.append("has a disability")
    return ", ".join(words)


def read_people(path=PEOPLE):
    """The people of the survey in an order by chance, with the number `person` of the source."""
    return pd.read_csv(path).sample(frac=1, random_state=SEED).reset_index(drop=True)


def asked_about(people, task):
    """The people of a task, without the last ones, who are the examples; and those, with the label of all as `y`."""
    asked, yes = who_is_asked(people)[task]
    chosen = people[asked].assign(y=yes[asked].astype(int)).reset_index(drop=True)
    return chosen.iloc[:-N_EXAMPLES], chosen.iloc[-N_EXAMPLES:]


def prompts_of(task, way):
    """One prompt a person: DataFrame of person, y and prompt."""
    people, examples = asked_about(read_people(), task)
    file = "numeric" if way == "numeric" else "choice"
    template = load_prompt(PROMPTS / f"{file}.txt", "probability" if way == "numeric" else "score")

    def filled(person):
        case = describe(person, TOLD[task])
        (message,) = template.messages(case=case, question=TASKS[task], options=OPTIONS)
        return message["content"]

    prompts = [filled(person) for person in people.to_dict("records")]
    if way == "choice_examples":
        answered = [f"{filled(row)} {'Yes' if row['y'] else 'No'}" for row in examples.to_dict("records")]
        head = "\n\n".join([answered[0], *(text.split("\n\n")[1] for text in answered[1:])])
        prompts = [f"{head}\n\n{text.split(chr(10) * 2)[1]}" for text in prompts]
    return people[["person", "y"]].assign(prompt=prompts)


def prompt_hash(prompt):
    """First 16 digits of a hash, so that a record of another wording is not taken for this one."""
    return hashlib.sha256(prompt.encode()).hexdigest()[:16]


def wanted(options):
    """The stages of the tasks and ways that are asked for, of at most so many people."""
    for task, way, most in STAGES:
        if task in options.tasks and way in options.ways:
            yield task, way, min(options.people, most or options.people)


def stage_requests(stage):
    """The requests of one stage by block of people: lists of {task, way, person, y, prompt}.

    All requests of a block begin alike, so that a model reads this head once.
    """
    task, way, most = stage
    table = prompts_of(task, way).iloc[:most].assign(task=task, way=way)
    for start in range(0, len(table), BLOCK):
        yield table.iloc[start : start + BLOCK].to_dict("records")


def ask(model, prompt, n_tokens, stop=()):
    """{text, tops, prompt_tokens}: the reply of a model to a text that it continues, greedily, up to one of `stop`."""
    body = {"model": model.name, "prompt": prompt, "temperature": 0, "max_tokens": n_tokens, "logprobs": TOP}
    if stop:
        body["stop"] = stop
    headers = {"Content-Type": "application/json"}
    if key := os.environ.get("OPENAI_API_KEY"):
        headers["Authorization"] = f"Bearer {key}"
    try:
        with urlopen(Post(f"{model.base_url}/completions", json.dumps(body).encode(), headers)) as reply:
            answer = json.load(reply)
    except HTTPError as error:  # such as a prompt over the context
        raise ValueError(f"{model.name} refused a request ({error.code}): {error.read().decode()[:300]}") from None
    (choice,) = answer["choices"]
    return {
        "text": choice["text"],
        "tops": tops_of(choice["logprobs"]),
        "prompt_tokens": answer["usage"]["prompt_tokens"],
        "finish_reason": choice["finish_reason"],
    }


def tops_of(logprobs):
    """[[token, log-probability], ...] at each place of a reply, in the form of llama.cpp or in OpenAI's older one."""
    if "content" in logprobs:
        return [
            [[top["token"], round(top["logprob"], 5)] for top in place["top_logprobs"]] for place in logprobs["content"]
        ]
    return [[[token, round(value, 5)] for token, value in place.items()] for place in logprobs["top_logprobs"]]


def read_records(path):
    """The records of a file; a last line that was cut is left out."""
    if not path.exists():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            continue


def key_of(record):
    return record["task"], record["way"], record["person"], record["prompt_sha256"]


def held_answers(paths):
    """(model, task, way, person) of the answers of shipped tables; none without a table."""
    keys = ["model", "task", "way", "person"]
    tables = [pd.read_csv(path, usecols=keys)[keys] for path in paths]
    return {key for table in tables for key in table.itertuples(index=False, name=None)}


def record(options):
    """Ask what is missing of all stages, block by block, one model after the other."""
    folder = Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    names = {model: Path(model).stem if model.endswith(".gguf") else model for model in options.models}
    paths = {model: folder / f"{name.replace('/', '_')}.jsonl" for model, name in names.items()}
    answered = {model: {key_of(row) for row in read_records(path)} for model, path in paths.items()}
    blocks = [block for stage in wanted(options) for block in stage_requests(stage)]
    for block in blocks:
        for row in block:
            row["prompt_sha256"] = prompt_hash(row["prompt"])
    held = held_answers(options.held)
    for model, name in names.items():
        rows = (row for block in blocks for row in block)
        answered[model] |= {key_of(row) for row in rows if (name, row["task"], row["way"], row["person"]) in held}
    missing = {model: sum(key_of(row) not in answered[model] for block in blocks for row in block) for model in names}
    with ExitStack() as stack:
        stack.enter_context(told(sum(missing.values())))
        servers = {}
        for model, name in names.items():
            if options.endpoint:
                servers[model] = LocalModel(name, options.endpoint.rstrip("/"))
            elif missing[model]:
                settings = {"n_threads": options.threads, "n_parallel": 1, "context": options.context}
                servers[model] = stack.enter_context(local_model(model, **settings))
        for block in blocks:
            for model, name in names.items():
                with paths[model].open("a", encoding="utf-8") as file:
                    for row in block:
                        if key_of(row) in answered[model]:
                            continue
                        while options.pause and Path(options.pause).exists():
                            time.sleep(2)
                        step(f"{name} {row['task']} {row['way']}")
                        line = ask_row(servers[model], name, row)
                        file.write(json.dumps(line) + "\n")
                        file.flush()
                        answered[model].add(key_of(row))


def ask_row(server, name, row):
    """The record of one request."""
    began = time.perf_counter()
    answer = ask(server, row["prompt"], WAYS[row["way"]])
    about = {key: row[key] for key in ("task", "way", "person", "y", "prompt_sha256")}
    return {"model": name} | about | {"seconds": round(time.perf_counter() - began, 4)} | answer


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    add = parser.add_argument
    add("--folder", default="acs12_records", help="where the records are, or will be (%(default)s)")
    add("--models", nargs="+", default=list(MODELS), metavar="MODEL", help="names or GGUF files; without: the four")
    add("--tasks", nargs="+", choices=TASKS, default=list(TASKS), help="only these; without: all")
    add("--ways", nargs="+", choices=WAYS, default=list(WAYS), help="of asking; without: all")
    add("--people", type=int, default=2000, help="at most so many of each task (%(default)s: all)")
    add("--held", nargs="+", default=[], metavar="TABLE", help="what these shipped tables hold is not asked for again")
    add("--endpoint", metavar="URL", help="of a server, up to /v1; its key, if any, is OPENAI_API_KEY")
    add("--threads", type=int, default=1, help="threads that compute for a model (%(default)s)")
    add("--context", type=int, default=1024, help="tokens of a prompt and its reply (%(default)s)")
    add("--pause", metavar="FILE", help="nothing is asked while this file exists")
    options = parser.parse_args()
    try:
        record(options)
    except (ImportError, ValueError, RuntimeError) as error:  # a model that is not there, a prompt over the context
        parser.exit(2, f"{error}\n")


if __name__ == "__main__":
    main()
