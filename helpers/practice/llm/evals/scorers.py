"""Inspect scorers: grades and classes of answers, by rule where a rule can, else by a model held to a JSON schema.

As in Wang et al. (2026, section 6.1), with the rules before the model: fewer requests, and no judge's error where the
wording already settles the question.
"""

import math
from collections import defaultdict
from functools import partial

from inspect_ai.model import get_model
from inspect_ai.scorer import Score, Scorer, Target, accuracy, mean, scorer, stderr
from inspect_ai.solver import TaskState

from helpers._inspect import read_eval_log, registered
from helpers.answers import spell_answers
from helpers.checks import check_one_of
from helpers.practice.llm.evals.metrics import MEASURES, sem1_ece, sem2_ece
from helpers.practice.llm.evals.requests import GRADE_SCHEMA, Once, ask_judge, partition_schema
from helpers.practice.llm.prompts import load_prompt

__all__ = ["classes", "grade", "option_score"]

RULES = ("exact", "normalized", "numeric", "date")

A_GRADE = 32  # tokens of a reply

A_NUMBER = 8  # tokens of a number in it

STATED = [measure() for measure in MEASURES.values()]


def _spelled(texts, rule):
    """Texts as the rule spells them; what it cannot read, normalised; None for empty ones."""
    pairs = zip(spell_answers(texts, rule), spell_answers(texts), strict=True)
    return [by_rule if by_rule is not None else plain for by_rule, plain in pairs]


@registered(scorer, metrics=[accuracy(), stderr(), sem1_ece(), sem2_ece(), *STATED])
def grade(rule: str = "normalized", judge: bool = False, prompt: str = "grade") -> Scorer:
    """Grade an answer against the right one: C if the rule says that they are the same, else as a judge says.

    Parameters
    ----------
    rule : {"exact", "normalized", "numeric", "date"}, default "normalized"
        See `helpers.answers.spell_answers`; answers that it cannot read are compared as "normalized".
    judge : bool, default False
        Whether a model grades what the rule does not call the same: Inspect's role "grader", or the model itself where
        none has that role. Without a judge it is wrong.
    prompt : str, default "grade"
        Name of a prompt of ours, or path of your own with {question}, {answer} and {reference}.

    Returns
    -------
    inspect_ai.scorer.Scorer
        The score's answer is the text, and its metadata hold the confidences and `by`, who graded. An empty answer is
        wrong; one without a target, or whose judge keeps no form in four replies, is unscored.

    Examples
    --------
    >>> Task(dataset, scorer=grade(judge=True), epochs=10)  # doctest: +SKIP
    """
    check_one_of(rule, "rule", RULES)
    prompt = load_prompt(prompt, "grade")
    once = Once()

    async def score(state: TaskState, target: Target) -> Score:
        answer = state.store.get("answer", state.output.completion).strip()
        metadata = dict(state.store.get("confidences", {}))
        spelling, reference = _spelled([answer, target.text], rule)
        if reference is None:
            return Score.unscored(answer=answer, reason="no reference", metadata=metadata)
        right = spelling == reference
        metadata["by"] = "rule"
        if not right and spelling is not None and judge:
            model = get_model(role="grader")
            values = {"question": state.input_text, "answer": answer, "reference": target.text}
            judged = partial(ask_judge, model, prompt, GRADE_SCHEMA, max_tokens=A_GRADE, **values)
            verdict = await once((state.sample_id, spelling), judged)
            metadata["by"] = f"{model.name} {prompt.sha256}"
            if verdict is None:
                return Score.unscored(answer=answer, reason="grader_failed", metadata=metadata)
            right = verdict["grade"] == "correct"
        return Score(value="C" if right else "I", answer=answer, metadata=metadata)

    return score


@registered(scorer, metrics=[accuracy(), stderr(), sem1_ece(rule="class"), sem2_ece(rule="class"), *STATED])
def classes(log: str, graded: str = "grade", rule: str = "normalized", prompt: str = "partition") -> Scorer:
    """Sort the answers of a finished log into classes of the same meaning: by rule, then by a model.

    The model (role "grader", or that of the log) sees one wording of each class by rule, numbered; its partition must
    hold every number once. If four replies do not, the classes by rule stay. One request a question with more than one
    wording, whatever the number of epochs.

    Parameters
    ----------
    log : str
        The log that is scored: it has all attempts at a question, of which a scorer sees one.
    graded : str, default "grade"
        The scorer of this log whose answers and values are taken.
    rule : {"exact", "normalized", "numeric", "date"}, default "normalized"
        As in `grade`.
    prompt : str, default "partition"
        Name of a prompt of ours, or path of your own with {question} and {answers}.

    Returns
    -------
    inspect_ai.scorer.Scorer
        The score's answer is the first wording of its class, its metadata hold `given`, the wording itself, and `by`.

    Examples
    --------
    >>> inspect_ai.score(log, classes(log.location), action="append")  # doctest: +SKIP
    """
    check_one_of(rule, "rule", RULES)
    prompt = load_prompt(prompt, "partition")
    scores = {}  # {(sample, epoch): the score that is taken}
    for sample in read_eval_log(log, exclude_fields={"events", "messages"}).samples or []:
        if graded not in (sample.scores or {}):
            raise ValueError(f"graded must be a scorer of the log, but {graded!r} is not in sample {sample.id!r}.")
        scores[sample.id, sample.epoch] = sample.scores[graded]
    spellings = dict(zip(scores, _spelled([score.answer for score in scores.values()], rule), strict=True))
    wordings = defaultdict(dict)  # {sample: {spelling: its first wording}}
    for (sample, epoch), spelling in spellings.items():
        if spelling is not None:
            wordings[sample].setdefault(spelling, scores[sample, epoch].answer)
    once = Once()

    async def score(state: TaskState, target: Target) -> Score:
        taken = scores[state.sample_id, state.epoch]
        spelling = spellings[state.sample_id, state.epoch]
        first = wordings[state.sample_id]
        label = first.get(spelling)
        by = "rule"
        if label is not None and len(first) > 1:
            model = get_model(role="grader")
            lines = "\n".join(f"{number}. {' '.join(text.split())}" for number, text in enumerate(first.values(), 1))
            values = {"question": state.input_text, "answers": lines, "max_tokens": A_GRADE + A_NUMBER * len(first)}
            judged = partial(ask_judge, model, prompt, partition_schema(len(first)), **values)
            verdict = await once(state.sample_id, judged)
            by = f"{model.name} {prompt.sha256}" if verdict else "rule, for the judge failed"
            if verdict:
                classes_of = [verdict["classes"][str(number)] for number in range(1, len(first) + 1)]
                same = classes_of.index(classes_of[list(first).index(spelling)])
                label = list(first.values())[same]
        metadata = dict(taken.metadata or {}) | {"given": taken.answer, "by": by}
        return Score(value=taken.value, answer=label, metadata=metadata)

    return score


@registered(scorer, metrics=[mean(), stderr()])
def option_score() -> Scorer:
    """Score of a case in the task `risk_scores`: P(first option) / (P(first) + P(second)), averaged over both orders.

    See Melo et al. (2026), section 4.2, and Zheng et al. (2024) on the order of options.

    Returns
    -------
    inspect_ai.scorer.Scorer
        The metadata hold `mass`, the probability of the two options together: far below 1, the model wants to write
        something else. A case in which neither is among the likeliest tokens is unscored.

    Examples
    --------
    >>> Task(dataset, solver=ask_options(...), scorer=option_score())  # doctest: +SKIP
    """

    async def score(state: TaskState, target: Target) -> Score:
        pairs = state.store.get("masses", [])
        masses = [first + second for first, second in pairs]
        if not pairs or not all(mass > 0 for mass in masses):
            return Score.unscored(answer=state.output.completion, reason="scoring_failed")
        value = math.fsum(first / mass for (first, _), mass in zip(pairs, masses, strict=True)) / len(pairs)
        metadata = {"mass": math.fsum(masses) / len(masses), "orders": len(pairs)}
        return Score(value=value, answer=state.output.completion, metadata=metadata)

    return score
