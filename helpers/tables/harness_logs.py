"""Logs of lm-evaluation-harness, `samples_*.jsonl`: replies of repeated requests, or log-likelihoods of options."""

import ast
import json

import numpy as np
import pandas as pd

from helpers.checks import nearest_name
from helpers.tables.log_table import LogTable, about_sampling, answer_frame, grade_value, question_name

NEEDED = ("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics")

UNREADABLE = "[invalid]"  # what the filters write where they find nothing

HINT_OPTIONS = "The report on scores (notebook 13, read_scores) reads it."


def read_harness(table, grade, graded):
    """`LogTable` of the `JsonLines` of a log of replies; ValueError for one that cannot be audited."""
    records, lines = _checked(table)
    file = table.path.name
    if _has_options(records[0]):
        raise ValueError(f"{file} holds log-likelihoods of given texts, and no answers. {HINT_OPTIONS}")
    records, lines, notes = _of_one_filter(file, records, lines, grade)
    answers = [_kept(record) for record in records]
    replies = [record["resps"][0] for record in records]
    filtered = all(kept is not None for kept in answers)
    if not filtered:
        answers = replies
        notes.append("no filter kept all replies to a question (take_first_k does), so whole replies are read")
    n_replies = [len(texts) for texts in answers]
    metric = _metric(file, records, grade)
    names = [question_name(record["doc_id"], _question(record)) for record in records]
    row = np.repeat(np.arange(len(records)), n_replies)
    frame = answer_frame(
        [names[k] for k in row],
        range(1, len(row) + 1),
        [None if text == UNREADABLE else text for texts in answers for text in texts],
        [text for texts in replies for text in texts],
        [_target(record) for record in records for _ in record["resps"][0]],
    )
    frame["sample"] = frame.groupby("question").cumcount() + 1
    _check_repeats(file, frame)
    if frame["target"].isna().any():
        notes.append("questions with several right answers have no target here")
    if graded and metric and filtered and max(n_replies) == 1:
        grades = _grades(file, metric, records, lines)
        frame["correct"] = grades
        notes.append(f"graded by the log's metric {metric!r}")
    elif graded:
        notes.append("graded by the targets, because the log grades the replies to a question together")
    notes += about_sampling(frame, all(_is_greedy(record) for record in records))
    places = [f"line {lines[k]:,}" for k in row]
    return LogTable(frame, places, ["a log of lm-evaluation-harness", *notes])


def read_options(table):
    """`LogTable` of scores, from log-likelihoods of the options of multiple choice.

    `score` is the probability of the chosen option among all, `label` whether it is right (metric acc), then the place
    of the chosen option, the number of options, the length of the prompt, and what the log knows about a question,
    unless it tells the right option.
    """
    records, lines = _checked(table)
    file = table.path.name
    if not _has_options(records[0]):
        raise ValueError(
            f"{file} holds sampled replies, and no scores. The audit of answers (notebook 14, read_answers) reads it."
        )
    records, lines, notes = _of_one_filter(file, records, lines, "")
    if "acc" not in records[0]["metrics"] or len(records[0]["filtered_resps"]) < 2:
        raise ValueError(
            f"{file} must hold the log-likelihoods of at least two options a question and the metric 'acc', but it has "
            f"{len(records[0]['filtered_resps'])} and {', '.join(map(repr, records[0]['metrics']))}."
        )
    scores = [_option_score(file, record, line) for record, line in zip(records, lines, strict=True)]
    frame = pd.DataFrame(scores)
    frame["label"] = np.array(_grades(file, "acc", records, lines)).astype(int)
    known = pd.DataFrame([_scalars(record["doc"]) for record in records])
    target = pd.Series([record["target"] for record in records])
    telling = [name for name in known if target.groupby(known[name].astype(str)).nunique().max() == 1]
    known = known.drop(columns=telling).rename(columns={name: f"question: {name}" for name in frame})
    frame = pd.concat([frame, known], axis=1)
    notes.append("the score is the probability of the chosen option among all")
    if telling:
        notes.append(f"left out, since they tell the right option: {', '.join(map(repr, telling))}")
    places = [f"line {line:,}" for line in lines]
    return LogTable(frame, places, ["a log of lm-evaluation-harness", *notes])


# ---- records --------------------------------------------------------------------------------------------------


def _checked(table):
    """(records, line numbers); ValueError for a line of another version."""
    for record, line in zip(table.records, table.lines, strict=True):
        lacking = [name for name in NEEDED if name not in record]
        if lacking:
            raise ValueError(
                f"{table.path.name} must be a log of lm-evaluation-harness 0.4.4 or later, but line {line:,} lacks "
                f"{lacking[0]!r}."
            )
        if not (isinstance(record["resps"], list) and record["resps"] and len(record["resps"][0])):
            raise ValueError(f"{table.path.name} must hold replies, but 'resps' of line {line:,} is empty.")
    return table.records, table.lines


def _has_options(record):
    return isinstance(record["resps"][0][0], list)


def _of_one_filter(file, records, lines, grade):
    """(records, lines, notes) of the filter that "metric,filter" names, or of the first; one task alone."""
    filters = list(dict.fromkeys(record["filter"] for record in records))
    name = grade.partition(",")[2] or _first_that_keeps(records, filters)
    if name not in filters:
        raise ValueError(f"{file} has no filter {name!r} (correct); {nearest_name(name, filters, 'filter')}")
    kept = [k for k, record in enumerate(records) if record["filter"] == name]
    records = [records[k] for k in kept]
    lines = [lines[k] for k in kept]
    seen = {}
    for record, line in zip(records, lines, strict=True):
        doc = json.dumps(record["doc"], sort_keys=True)
        first, where = seen.setdefault(record["doc_id"], (doc, line))
        if first != doc:
            raise ValueError(
                f"{file} must hold one task, but lines {where:,} and {line:,} are different questions with doc_id "
                f"{record['doc_id']!r}; give the samples of one task."
            )
    others = [repr(other) for other in filters if other != name]
    other = f"{records[0]['metrics'][0]},{others[0][1:-1]}" if others and records[0]["metrics"] else ""
    note = [f"of its filters {name!r} is read; correct can name another, such as {other!r}"] if other else []
    return records, lines, note


def _first_that_keeps(records, filters):
    """The first filter that keeps every reply; the first of all if none does."""
    dropping = {record["filter"] for record in records if _kept(record) is None}
    return next((name for name in filters if name not in dropping), filters[0])


def _kept(record):
    """What the filter made of each reply, or None if it kept another number of them."""
    kept = record["filtered_resps"][0]
    kept = kept if isinstance(kept, list) else [kept]
    return kept if len(kept) == len(record["resps"][0]) else None


def _question(record):
    """The text of a question: the document's, or the end of the prompt."""
    text = record["doc"].get("question") if isinstance(record["doc"], dict) else None
    if isinstance(text, str):
        return text
    return _prompt(record)[-80:]


def _prompt(record):
    """The prompt of the first request."""
    try:
        prompt = record["arguments"]["gen_args_0"]["arg_0"]
    except (TypeError, KeyError):
        return ""
    return prompt if isinstance(prompt, str) else str(prompt)


def _is_greedy(record):
    """Whether replies were asked for without sampling."""
    try:
        options = record["arguments"]["gen_args_0"]["arg_1"]
        return options.get("do_sample") is False or options.get("temperature") == 0
    except (TypeError, KeyError, AttributeError):
        return False


def _target(record):
    """The right answer; None if there are several."""
    target = record["target"]
    try:
        listed = ast.literal_eval(target) if target.startswith("[") else None
    except (ValueError, SyntaxError):
        listed = None
    if not isinstance(listed, list):
        return target
    return str(listed[0]) if len(listed) == 1 else None


def _check_repeats(file, frame):
    """ValueError for one answer a question."""
    if not frame["question"].duplicated().any():
        raise ValueError(
            f"{file} has one answer a question, and so nothing can be said about agreement; sample several (repeats: "
            "10 and do_sample: true in the task, filter take_first_k), or join the samples of several runs in one file."
        )


def _metric(file, records, grade):
    """Name of the metric that "metric,filter" names, or the first; "" if there is none."""
    metrics = list(dict.fromkeys(name for record in records for name in record["metrics"]))
    name = grade.partition(",")[0] or next(iter(metrics), "")
    if name and name not in metrics:
        raise ValueError(f"{file} has no metric {name!r} (correct); {nearest_name(name, metrics, 'metric')}")
    return name


def _grades(file, metric, records, lines):
    """1.0 or 0.0 for each record; ValueError for another value."""
    grades = [grade_value(record.get(metric)) for record in records]
    for record, grade, line in zip(records, grades, lines, strict=True):
        if grade is None or np.isnan(grade):
            raise ValueError(
                f"{file}: metric {metric!r} must be 0 or 1, but in line {line:,} it is {record.get(metric)!r}; correct "
                'names another metric, reference="target" grades by the targets instead.'
            )
    return grades


# ---- options --------------------------------------------------------------------------------------------------


def _option_score(file, record, line):
    """Score and features of one question."""
    likelihoods = record["filtered_resps"]
    if "acc_mutual_info" in record["metrics"]:
        likelihoods = likelihoods[: len(likelihoods) // 2]  # then come those without the question
    try:
        log = np.array([float(entry[0]) for entry in likelihoods])
    except (ValueError, TypeError, IndexError):
        log = np.array([np.nan])
    if np.isnan(log).any() or not np.isfinite(log.max()):
        raise ValueError(f"{file}: 'filtered_resps' must hold log-likelihoods, but in line {line:,} it does not.")
    share = np.exp(log - log.max())
    chosen = int(np.argmax(log))
    score = float(share[chosen] / share.sum())
    return {
        "score": score, "chosen_option": str(chosen + 1), "options": len(log), "prompt_length": len(_prompt(record)),
    }  # fmt: skip


def _scalars(document):
    """Numbers, booleans and short texts of a document."""
    if not isinstance(document, dict):
        return {}
    return {
        name: value
        for name, value in document.items()
        if isinstance(value, (bool, int, float)) or (isinstance(value, str) and len(value) <= 60)
    }
