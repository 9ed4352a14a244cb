"""Make the logs beside this file: what Inspect and lm-evaluation-harness write, in small.

    pip install inspect-ai==0.3.285 "lm-eval[api]==0.4.13" openai
    python -m helpers.llm.local --port 8731     # elsewhere: SmolLM2-135M-Instruct
    python make_logs.py FOLDER --base-url http://127.0.0.1:8731/v1

Written with these versions, from a copy of this file outside any repository, since logs name the folders they come
from; `inspect_deflated.eval` with 0.3.100, the way of packing until 2025 (`--only inspect_deflated`). lm-eval is no
part of the tests, since it and what it needs take 0.9 GB. Answers and times differ from run to run.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

QUESTIONS = [
    ("canada", "What is the capital of Canada? Answer with the name alone.", "Ottawa"),
    ("hexagon", "How many sides has a hexagon? Answer with one number.", "6"),
    ("france", "What is the capital of France? Answer with the name alone.", "Paris"),
    ("iron", "Which element has the symbol Fe? Answer with one word.", "iron"),
]

EPOCHS = 5

CHOICES = ["right right Incorrect", "Incorrect right left", "right left left", "Incorrect Incorrect left"]

PALETTE = [
    {"question": "Which colour is the sky by day?", "options": ["blue", "green", "red"], "gold": 0, "kind": "sky"},
    {"question": "Which colour is fresh grass?", "options": ["blue", "green", "red"], "gold": 1, "kind": "plant"},
]  # fmt: skip

GENERATE = """\
task: capitals
dataset_path: json
dataset_kwargs: {{data_files: {{test: {folder}/questions.jsonl}}}}
test_split: test
output_type: generate_until
doc_to_text: "{{{{question}}}}"
doc_to_target: "{{{{reference}}}}"
repeats: {repeats}
generation_kwargs: {{until: ["\\n"], do_sample: true, temperature: 1.0, max_gen_toks: 16}}
filter_list: {filters}
metric_list: [{{metric: exact_match, ignore_case: true, ignore_punctuation: true}}]
"""

FILTERS = {
    "kept": '[{name: all, filter: [{function: take_first_k, k: 5}]}]',
    "first": (
        '[{name: word, filter: [{function: regex, regex_pattern: "([A-Z0-9][a-z]*)"}, {function: take_first}]},'
        " {name: whole, filter: [{function: take_first}]}]"
    ),
}  # fmt: skip

CHOOSE = """\
task: palette
dataset_path: json
dataset_kwargs: {{data_files: {{test: {folder}/palette.jsonl}}}}
test_split: test
output_type: multiple_choice
doc_to_text: "{{{{question}}}}"
doc_to_choice: "{{{{options}}}}"
doc_to_target: gold
metric_list: [{{metric: acc}}, {{metric: acc_norm}}]
"""


# ---- Inspect --------------------------------------------------------------------------------------------------


def write_inspect(folder, base_url, only):
    if only and not any(name.startswith("inspect") for name in only):
        return
    from inspect_ai import Task, eval, task
    from inspect_ai.dataset import Sample
    from inspect_ai.log import read_eval_log, write_eval_log
    from inspect_ai.model import GenerateConfig, ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import Score, accuracy, includes, pattern, scorer
    from inspect_ai.solver import generate, solver

    @solver
    def reply(replies):
        queue = iter(replies)

        async def solve(state, generate):
            text = next(queue)
            if not text:
                raise RuntimeError("The model is gone.")
            state.output = ModelOutput.from_content("none", text)
            return state

        return solve

    @scorer(metrics=[accuracy()])
    def four_grades():
        async def score(state, target):
            said = state.output.completion
            return Score(value="C" if said == target.text else said[:1], answer=said)

        return score

    @scorer(metrics=[accuracy()])
    def similarity():
        async def score(state, target):
            return Score(value=len(set(state.output.completion) & set(target.text)) / len(set(target.text)))

        return score

    @task
    def capitals():
        dataset = [Sample(id=name, input=text, target=target) for name, text, target in QUESTIONS]
        return Task(dataset, solver=generate(), scorer=[includes(), pattern(r"([A-Z0-9][a-z]*)")])

    @task
    def grades(replies, score):
        dataset = [Sample(input=f"Question {k}", target="right") for k in range(3)]
        return Task(dataset, solver=reply(replies), scorer=score)

    def choices(*replies):
        """What a model says that was asked for several choices."""
        outputs = [ModelOutput.from_content("none", text).choices[0] for text in replies]
        return ModelOutput(model="none", choices=outputs, usage=ModelUsage(total_tokens=len(replies)))

    @task
    def draws():
        dataset = [Sample(input=f"Question {k}", target="right") for k in range(2)]
        return Task(dataset, solver=generate(), scorer=four_grades())

    def run(name, a_task, model, **options):
        if only and name not in only:
            return
        logs = folder / "logs"
        options = {"display": "none", "log_realtime": False, "max_samples": 1, "log_dir": str(logs)} | options
        log = eval(a_task, model=model, **options)[0]
        shutil.move(log.location.removeprefix("file://"), folder / f"{name}.eval")
        shutil.rmtree(logs)
        if log.error:
            without_traces(folder / f"{name}.eval")

    def without_traces(path):
        log = read_eval_log(str(path))
        failed = [sample for sample in log.samples if sample.error]
        for error in [log.error, *(sample.error for sample in failed)]:
            error.traceback = error.traceback_ansi = ""
        for sample in failed:
            sample.events = []
        write_eval_log(log, str(path))

    mock = get_model("mockllm/model")
    config = GenerateConfig(temperature=1.0, max_tokens=12, logprobs=True, top_logprobs=2)
    if base_url:
        real = get_model("openai-api/local/SmolLM2", base_url=base_url, api_key="none", config=config)
        run("inspect", capitals(), real, epochs=EPOCHS)
    four = ["right", "Incorrect", "right", "Partly", "No", "right"] * 2
    if only:
        run("inspect_deflated", grades(four, four_grades()), mock, epochs=4)
    run("inspect_similarity", grades(["right", "tight", "left"] * 2, similarity()), mock, epochs=2)
    several = [choices(*replies.split()) for replies in CHOICES]
    asked = get_model("mockllm/model", custom_outputs=several, config=GenerateConfig(num_choices=3))
    run("inspect_num_choices", draws(), asked, epochs=2)
    run("inspect_error", grades(["right"] * 7 + [""], four_grades()), mock, epochs=4)
    if not only or "inspect" in only:
        log = read_eval_log(str(folder / "inspect.eval"))
        for sample in log.samples:
            sample.events = []
        write_eval_log(log, str(folder / "inspect.json"))


# ---- lm-evaluation-harness ------------------------------------------------------------------------------------


def write_harness(folder, base_url, only):
    work = folder / "work"
    work.mkdir()
    rows = [{"name": name, "question": text, "reference": target} for name, text, target in QUESTIONS]
    (work / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (work / "palette.jsonl").write_text("".join(json.dumps(row) + "\n" for row in PALETTE * 40))
    chat = ["--model", "local-chat-completions", "--apply_chat_template", "--model_args"]
    server = f"model=SmolLM2,base_url={base_url}/chat/completions,num_concurrent=1,timeout=600"

    def run(name, text, *arguments):
        if not only or name in only:
            (folder / f"{name}.jsonl").write_bytes(b"".join(_harness(work, text, options) for options in arguments))

    for name, filters in FILTERS.items():
        run(f"harness_{name}", GENERATE.format(folder=work, repeats=EPOCHS, filters=filters), [*chat, server])
    once = GENERATE.format(folder=work, repeats=1, filters=FILTERS["first"])
    run("harness_runs", once, *([*chat, f"{server},seed={seed}"] for seed in range(1, 4)))
    run("harness_choices", CHOOSE.format(folder=work), ["--model", "dummy"])
    shutil.rmtree(work)


def _harness(work, text, options):
    """The samples that one run of a task wrote."""
    (work / "task.yaml").write_text(text)
    task = text.split("\n")[0].removeprefix("task: ")
    command = [sys.executable, "-m", "lm_eval", "--tasks", task, "--include_path", work, "--output_path", work / "out"]
    command += ["--log_samples", *options]
    subprocess.run([str(part) for part in command], check=True, env=os.environ | {"OPENAI_API_KEY": "none"})
    (samples,) = (work / "out").rglob("samples_*.jsonl")
    content = samples.read_bytes()
    shutil.rmtree(work / "out")
    return content


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--base-url", default="", help="of a server such as python -m helpers.llm.local")
    parser.add_argument("--only", nargs="*", default=[], help="names of logs, without .eval or .jsonl")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    write_inspect(options.folder.resolve(), options.base_url, options.only)
    write_harness(options.folder.resolve(), options.base_url, options.only)
