"""Inspect tasks: sampled answers with three kinds of confidence, and yes-no scores of cases.

inspect eval honest_confidence/questions --model openai/gpt-4.1-mini -T path=questions.csv -T n_answers=10
inspect eval honest_confidence/risk_scores --model ... -T path=cases.csv -T question="Will this person pay?"
"""

import math

import pandas as pd
from inspect_ai import Epochs, Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from helpers._inspect import registered
from helpers.answers.token_confidences import check_options, is_true_probability, option_masses, parse_verbalised
from helpers.checks import check_columns, check_count, check_labels, check_one_of
from helpers.datasets import DATA_FOLDER
from helpers.practice.llm.evals.requests import Once, first_tokens, messages_of, posterior_of, schema_of
from helpers.practice.llm.evals.scorers import grade, option_score
from helpers.practice.llm.prompts import load_prompt
from helpers.practice.tables.answer_layouts import find_columns
from helpers.practice.tables.logs import open_answers

__all__ = ["CONFIDENCES", "questions", "risk_scores"]

CONFIDENCES = ("posterior", "is_true", "verbalised")

FEW_TOKENS = 3  # of a reply in one word

STATED_TOKENS = 16  # of a reply with a number


def _listed(names):
    """Names of a list, or of a text with commas as the command line has it."""
    names = names.split(",") if isinstance(names, str) else names
    return [name.strip() for name in names if name.strip()]


@registered(task)
def questions(
    path: str = "", n_questions: int = 0, n_answers: int = 10, confidences: str | list[str] = CONFIDENCES,
    prompt: str = "answer", is_true_prompt: str = "is_true", verbalised_prompt: str = "verbalised",
    rule: str = "normalized", judge: bool = False, top_logprobs: int = 20, seed: int | None = None,
) -> Task:  # fmt: skip
    """Several answers to each question of a list, how sure the model is of each, and grades.

    Length and temperature of answers are Inspect's options: 64 tokens and 1.0, unless it is told otherwise.

    Parameters
    ----------
    path : str, default ""
        Table with columns question and reference (right answers; may be absent); "" for 96 questions of ours.
    n_questions : int, default 0
        How many are asked, from the top; 0 for all.
    n_answers : int, default 10
        Answers to each question: Inspect's epochs.
    confidences : str or list of str, default posterior,is_true,verbalised
        What each answer gets: "posterior" (probability of the text) and "is_true" (of True when asked if the answer is
        right) need log-probabilities; "verbalised" (a number that it states) needs none. The last two cost a request
        for each distinct answer.
    prompt, is_true_prompt, verbalised_prompt : str
        Names of prompts of ours, or paths of your own. A prompt that asks for answer and confidence in one
        ("answer_with_confidence") needs no second request for the latter.
    rule : str, default "normalized"
        See `helpers.practice.llm.evals.scorers.grade`.
    judge : bool, default False
        See `helpers.practice.llm.evals.scorers.grade`.
    top_logprobs : int, default 20
        Alternatives to a token that are asked for; some servers give fewer than 20.
    seed : int, optional
        Sent to servers that can repeat a draw, another one for each answer to a question.

    Returns
    -------
    inspect_ai.Task
        Its scorer is `grade`.

    Examples
    --------
    >>> made = questions(n_questions=3, n_answers=2, confidences="posterior")
    >>> made.dataset[0].input, made.dataset[0].target, made.epochs
    ('What is the capital of Canada?', 'Ottawa', 2)
    """
    confidences = _listed(confidences)
    for name in confidences:
        check_one_of(name, "confidences", CONFIDENCES)
    check_count(n_answers, "n_answers")
    asked = _read_questions(path or DATA_FOLDER / "questions.csv")
    asked = asked[: check_count(n_questions, "n_questions", least=0) or len(asked)]
    samples = [Sample(id=k, input=question, target=right) for k, (question, right) in enumerate(asked, 1)]
    prompt = load_prompt(prompt, "answer")
    again = {} if prompt.schema else {"verbalised": load_prompt(verbalised_prompt, "verbalised")}
    again |= {"is_true": load_prompt(is_true_prompt, "is_true")}
    again = {name: again[name] for name in confidences if name in again}
    logprobs = bool({"posterior", "is_true"} & set(confidences)) or None
    return Task(
        dataset=MemoryDataset(samples, name="questions"),
        solver=[answer(prompt, "posterior" in confidences, seed), *([rate(again, top_logprobs)] if again else [])],
        scorer=grade(rule=rule, judge=judge),
        epochs=Epochs(n_answers),
        config=GenerateConfig(temperature=1.0, max_tokens=64, logprobs=logprobs),
    )


def _read_questions(path):
    """[(question, right answer or "")] of a table; ValueError for a question that is empty or occurs twice."""
    source = open_answers(path)
    columns, _ = find_columns(source, {"question": "question", "reference": "reference"})
    table = source.read(list(columns)).fillna("").map(lambda cell: str(cell).strip())
    asked = table["question"]
    for rule, bad in (("not be empty", asked == ""), ("hold each question once", asked.duplicated())):
        if bad.any():
            source.reject("question", rule, bad, asked)
    return list(zip(asked, table["reference"] if "reference" in columns else [""] * len(asked), strict=True))


@solver
def answer(prompt, posterior: bool, seed: int | None) -> Solver:
    """Ask a question with a prompt; the store gets `answer` and `confidences`."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        question = state.input_text
        state.messages = messages_of(prompt, question=question)
        options = {} if seed is None else {"seed": seed + state.epoch}
        if prompt.schema:
            options["response_schema"] = schema_of(prompt.schema)
        state = await generate(state, **options)
        text = state.output.completion
        confidences = {"posterior": posterior_of(state.output)} if posterior else {}
        if prompt.schema:
            text, stated = parse_verbalised(text)
            confidences["verbalised"] = stated
        state.store.set("answer", (text or "").strip())
        state.store.set("confidences", _known(confidences))
        return state

    return solve


@solver
def rate(prompts, top_logprobs: int) -> Solver:
    """Ask the model about its answer, each distinct one once; `prompts` is {"is_true", "verbalised": Prompt}."""
    once = Once()

    async def reply(name, values):
        config = GenerateConfig(temperature=1.0, max_tokens=FEW_TOKENS, logprobs=True, top_logprobs=top_logprobs)
        if name == "verbalised":
            config = GenerateConfig(temperature=0.0, max_tokens=STATED_TOKENS, logprobs=False)
            config.response_schema = schema_of(prompts[name].schema)
        output = await get_model().generate(messages_of(prompts[name], **values), config=config)
        if name == "verbalised":
            return parse_verbalised(output.completion)[1]
        return is_true_probability(first_tokens(output))

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        values = {"question": state.input_text, "answer": state.store.get("answer")}
        confidences = {}
        for name in prompts if values["answer"] else ():
            confidences[name] = await once(
                (state.sample_id, name, values["answer"]), lambda name=name: reply(name, values)
            )
        state.store.set("confidences", state.store.get("confidences") | _known(confidences))
        return state

    return solve


def _known(confidences):
    """The confidences that are there: a missing number is left out, and never a 1."""
    return {name: value for name, value in confidences.items() if not math.isnan(value)}


# ---- yes-no scores --------------------------------------------------------------------------------------------


@registered(task)
def risk_scores(
    path: str, question: str, label: str = "", options: str | list[str] = ("Yes", "No"), case: str = "",
    features: str | list[str] = (), n_cases: int = 0, prompt: str = "risk", both_orders: bool = True,
    top_logprobs: int = 20,
) -> Task:  # fmt: skip
    """Score of each case of a table: the probability that the model puts on the first of two options.

    Parameters
    ----------
    path : str
        Table with a row a case.
    question : str
        Text that the two options answer.
    label : str, default ""
        Column with what happened, 1 where the first option was right; the model never sees it.
    options : str or list of str, default Yes,No
        The first is the one whose probability is the score.
    case : str, default ""
        Column that names each case once; by default the row numbers from 1.
    features : str or list of str, default ()
        Columns that the model is told, by default all others; cells that are missing are left out.
    n_cases : int, default 0
        How many are asked about, from the top; 0 for all.
    prompt : str, default "risk"
        Name of a prompt of ours, or path of your own with {case}, {question} and {options}.
    both_orders : bool, default True
        Ask with the options in both orders, so that a liking for the first one cancels.
    top_logprobs : int, default 20
        As in `questions`.

    Returns
    -------
    inspect_ai.Task
        Its scorer is `option_score`; `helpers.practice.tables.read_scores` reads the log.

    Examples
    --------
    >>> made = risk_scores(str(DATA_FOLDER / "rand_scores.csv.gz"), "Did this person see a doctor?", label="label",
    ...     features="age,sex", n_cases=2)
    >>> made.dataset[0].input, made.dataset[0].target
    ('- age: 42.9\\n- sex: male', '0')
    """
    options = _listed(options)
    if len(check_options(options)) > 2:
        raise ValueError(f"options must be two texts, but they are {options!r}.")
    if not question.strip():
        raise ValueError("question must be a text, but it is empty.")
    table = open_answers(path)
    chosen = _listed(features) or [name for name in table.names if name not in (label, case)]
    roles = {role: name for role, name in (("label", label), ("case", case)) if name}
    for check in (roles, *({"features": name} for name in chosen)):
        check_columns(path, table.names, check)
    if label in chosen or not chosen:
        raise ValueError(f"features must be columns other than the label {label!r}, which would tell the answer.")
    rows = table.read(list(dict.fromkeys([*chosen, *roles.values()]))).head(
        check_count(n_cases, "n_cases", least=0) or None
    )
    names = rows[case].tolist() if case else list(range(1, len(rows) + 1))
    if pd.isna(names).any() or len(set(names)) < len(names):
        raise ValueError(f"case must name each row once, but some names in {case!r} are missing or occur twice.")
    labels = check_labels(rows[label].astype(float), label).astype(int) if label else [""] * len(rows)
    samples = []
    for name, known, cells in zip(names, labels, rows[chosen].to_dict("records"), strict=True):
        cells = {column: None if pd.isna(cell) else _plain(cell) for column, cell in cells.items()}
        text = "\n".join(f"- {column}: {_shown(cell)}" for column, cell in cells.items() if cell is not None)
        if not text:
            raise ValueError(f"{path} must tell something about every case, but {name!r} has empty cells only.")
        samples.append(Sample(id=name, input=text, target=str(known), metadata={"features": cells}))
    return Task(
        dataset=MemoryDataset(samples, name="cases"),
        solver=ask_options(load_prompt(prompt, "score"), question.strip(), options, both_orders),
        scorer=option_score(),
        config=GenerateConfig(temperature=1.0, max_tokens=FEW_TOKENS, logprobs=True, top_logprobs=top_logprobs),
    )


@solver
def ask_options(prompt, question: str, options: list[str], both_orders: bool) -> Solver:
    """Ask a question with two options in one order or both; the store gets `masses`, two a request."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        masses = []
        for shown in (options, options[::-1])[: 1 + both_orders]:
            state.messages = messages_of(prompt, case=state.input_text, question=question, options=", ".join(shown))
            state = await generate(state)
            masses.append(option_masses(first_tokens(state.output), options))
        state.store.set("masses", masses)
        return state

    return solve


def _plain(cell):
    """A cell as JSON has it."""
    return cell.item() if hasattr(cell, "item") else cell


def _shown(cell):
    """A cell as a reader would write it, on one line."""
    return f"{cell:.15g}" if isinstance(cell, float) else " ".join(str(cell).split())
