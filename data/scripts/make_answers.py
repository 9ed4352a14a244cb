"""Ask four language models on this machine short questions with known answers, and record what they answer.

    python data/scripts/make_answers.py --folder RECORDS

asks what is missing and can be interrupted at any time. Each reply is a line of RECORDS/<model>.jsonl. Questions come
in an order drawn once by chance, the same for all models, so that the first of them are a random sample.
`make_answers_tables.py` makes the shipped table from the folder.

`--hard` asks the questions of hard_questions.csv in their place, and `--options` those of option_questions.csv, which
have four answers each and are answered with a letter; give each another folder.

The stages, each for all questions: `open` (the answer, greedily), then `is_true` and `verbalised` (confidences in it).
The prompts are those of data/smollm2_prompts as plain text, without a chat template, for base and instruct models.
"""

import argparse
import json
import time
from pathlib import Path

import pandas as pd
from make_acs12 import ask, prompt_hash, read_records

from helpers._progress import step, told
from helpers.practice.llm.local import local_model
from helpers.practice.llm.models import MODELS
from helpers.practice.llm.prompts import load_prompt

DATA = Path(__file__).resolve().parents[1]

SEED = 20261129

FILES = {"easy": "smollm2_questions.csv", "hard": "hard_questions.csv", "options": "option_questions.csv"}

EXAMPLES = ("What is 5 + 6?",)  # of a prompt, with its answer

STAGES = {  # the step of a prompt, its file, most tokens of the reply, what ends it
    "open": ("answer", "answer_examples", 14, ["Question"]),  # so the line's end stays among the tokens
    "is_true": ("is_true", "is_true_examples", 1, []),
    "verbalised": ("verbalised", "verbalised_examples", 5, ["}"]),
}


def read_questions(which="easy"):
    """The questions in an order by chance: DataFrame of kind, question and references (with | between)."""
    table = pd.read_csv(DATA / FILES[which], dtype=str)
    table = table[~table["question"].isin(EXAMPLES)].reset_index(drop=True)
    return table.sample(frac=1, random_state=SEED).reset_index(drop=True)


def text_of(stage, *, options=False, **values):
    """The prompt of a stage as one text that a model continues; of questions with `options` it is another one."""
    kind, name, *_ = STAGES[stage]
    name = f"options_{name}" if options else name
    messages = load_prompt(DATA / "smollm2_prompts" / f"{name}.txt", kind).messages(**values)
    return "\n".join(message["content"] for message in messages)


def first_line(text):
    """The answer in a reply."""
    lines = text.strip().splitlines()
    return lines[0].strip() if lines else ""


def requests_of(stage, questions, records, *, options=False):
    """(question, answer, prompt) of each request of a stage; an empty answer is not asked about."""
    for question in questions:
        if stage == "open":
            yield question, "", text_of(stage, options=options, question=question)
        elif answer := first_line(records["open", question, ""]["text"]):
            yield question, answer, text_of(stage, options=options, question=question, answer=answer)


def key_of(record):
    return record["stage"], record["question"], record["about"]


def record(options, name):
    """Ask one model what is missing, stage by stage."""
    path = Path(options.folder) / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    records = {key_of(row): row for row in read_records(path)}
    questions = read_questions(options.which)["question"].head(options.questions)
    choose = options.which == "options"
    if options.held:
        table = pd.read_csv(options.held, usecols=["model", "question"])
        questions = questions[~questions.isin(table.loc[table["model"] == name, "question"])]
    model = local_model(options.models[name], n_threads=options.threads, n_parallel=1, context=512)
    with model as server, path.open("a", encoding="utf-8") as file:
        for stage, (*_, n_tokens, stop) in STAGES.items():
            wanted = requests_of(stage, questions, records, options=choose)
            missing = [row for row in wanted if (stage, *row[:2]) not in records]
            n_tokens, stop = (1, []) if choose and stage == "open" else (n_tokens, stop)  # a letter
            with told(len(missing)):
                for question, about, prompt in missing:
                    while options.pause and Path(options.pause).exists():
                        time.sleep(2)
                    step(f"{name} {stage}")
                    began = time.perf_counter()
                    reply = ask(server, prompt, n_tokens, stop=stop)
                    line = {"model": name, "stage": stage, "question": question, "about": about}
                    line |= {"prompt_sha256": prompt_hash(prompt), "seconds": round(time.perf_counter() - began, 4)}
                    line |= reply
                    file.write(json.dumps(line) + "\n")
                    file.flush()
                    records[key_of(line)] = line


def which_questions(add):
    """The options of a script that say which questions are meant, for `add_argument` of its parser."""
    for which, file in list(FILES.items())[1:]:
        words = f"the questions of {file}; records of their own"
        add(f"--{which}", action="store_const", dest="which", const=which, default="easy", help=words)


def ask_models(record, about, folder, models, temperature=False):
    """Read the options, which the scripts that ask these questions share, and ask model after model."""
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    add = parser.add_argument
    add("--folder", default=folder, help="where the records are, or will be (%(default)s)")
    add(
        "--models",
        nargs="+",
        default=models,
        metavar="MODEL",
        help=f"names or GGUF files; without: {', '.join(models)}",
    )
    which_questions(add)
    add("--questions", type=int, default=338, help="the first so many (%(default)s: all)")
    if temperature:
        add("--temperature", type=float, default=1.0, help="at which answers are drawn (%(default)s)")
    add("--held", metavar="TABLE", help="questions that this shipped table holds of a model are not asked again")
    add("--threads", type=int, default=1, help="threads that compute for a model (%(default)s)")
    add("--pause", metavar="FILE", help="nothing is asked while this file exists")
    options = parser.parse_args()
    if temperature and options.which == "options":
        parser.error("a question with options is answered once: its letter has a probability")
    options.models = {Path(model).stem if model.endswith(".gguf") else model: model for model in options.models}
    try:
        for name in options.models:
            record(options, name)
    except (ImportError, ValueError, RuntimeError) as error:
        parser.exit(2, f"{error}\n")


def main():
    ask_models(record, __doc__, "answers_records", MODELS)


if __name__ == "__main__":
    main()
