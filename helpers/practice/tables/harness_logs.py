"""Logs of lm-evaluation-harness, `samples_*.jsonl`: replies to requests, or log-likelihoods of options.

A log may lie in several files, one a subject or task.
"""

import ast
import json
import os
import re

import numpy as np
import pandas as pd

from helpers.practice.tables.files import Table, read_json_lines
from helpers.practice.tables.log_table import (
    about_failures,
    about_sampling,
    about_unread,
    as_scores,
    before_the_answer,
    check_repeats,
    check_single,
    chosen,
    grade_value,
    question_name,
    sources_of_scores,
    stated_in_replies,
    words_and_numbers,
)

NEEDED = ("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics")

UNREADABLE = "[invalid]"  # what the filters write where they find nothing

CURE = (
    "sample several answers (repeats: 10 and do_sample: true in the task, filter take_first_k), or join the samples of "
    "several runs in one file."
)

HOW_TO_GET_ONE = (
    "ask the model for a confidence and let it write 'Confidence: 85%', or run the questions as multiple choice, whose "
    "likelihoods are logged. Or " + CURE
)

NAME = re.compile(r"samples_(?P<task>.+?)(_\d{4}-\d\d-\d\dT[\d.-]+)?\.jsonl?(\.gz)?")


def read_harness(paths, grade="", graded=True, failed="left out"):
    """`Table` of a log of replies; `grade` is "metric,filter", "" for the first."""
    file = name_of(paths)
    frame, records, metric, filtered, notes = _replied(file, *_records(paths), grade)
    stated = _stated(records, frame, metric)
    check_repeats(file, frame, next(iter(sources_of_scores(stated, frame["likelihood"])[0]), ""), CURE)
    made = frame[["question", "sample", "answer", "reply", "target"]].join(stated)
    if frame["subject"].any():
        made["subject"] = frame["subject"]
    if len(stated.columns):
        notes.append(f"confidence can name what the log stored: {', '.join(map(repr, stated))}")
    if graded and metric and filtered and len(frame) == len(records):
        made["correct"], note = _right(file, metric, records, frame, failed, CURE_OF_GRADES)
        notes += note
    elif graded:
        notes.append("graded by the targets, because the log grades the replies to a question together")
    notes += about_sampling(made, all(_is_greedy(record) for record in records))
    return Table(file, made, notes, frame["place"].tolist(), is_log=True)


def read_harness_scores(paths, label="label", score="score", failed="left out", scale="auto"):
    """`Table` of scores: of multiple choice by its log-likelihoods, else of one graded reply to a question."""
    file = name_of(paths)
    records, notes = _records(paths)
    if all(map(_are_likelihoods, records)):
        return _read_options(file, records, notes, label, score)
    grade = "" if label == "label" else label
    frame, records, metric, _, notes = _replied(file, records, notes, grade, "label")
    check_single(file, frame["question"])
    frame["correct"], note = _right(file, metric, records, frame, failed, CURE_OF_LABELS)
    notes += note
    stated = _stated(records, frame, metric)
    known = pd.DataFrame([_known(record) for record in records])
    names = {"label": label, "score": score, "scale": scale}
    return as_scores(file, frame, stated, known, ways=HOW_TO_GET_ONE, notes=notes, **names)


def _read_options(file, records, notes, label, score):
    """`Table` of scores, from log-likelihoods of multiple choice; `label`: whether the likeliest option is right."""
    records, note = _of_one_filter(file, records, "")
    notes += note
    n_options = min(len(record["filtered_resps"]) for record in records)
    if n_options < 2:
        raise ValueError(
            f"{file} must hold the log-likelihoods of at least two options a question, but it has {n_options}: it says "
            "how probable the right text was, and not whether the most probable text was right."
        )
    if label not in ("label", "acc"):
        raise ValueError(
            f"label must be 'acc' for multiple choice, since the score of {file} is the probability of the likeliest "
            f"option, but it is {label!r}."
        )
    names = [_question_name(record) for record in records]
    repeated = pd.Series(names).duplicated()
    if repeated.any():
        first = int(np.argmax(repeated))
        raise ValueError(
            f"{file} must hold each question once, but {names[first]!r} stands in {records[first]['place']} again (and "
            f"{repeated.sum() - 1:,} more): give the samples of one run."
        )
    frame = pd.DataFrame([_option_score(file, record) for record in records])
    right = [_is_right(file, record, best) for record, best in zip(records, frame["best"].tolist(), strict=True)]
    n_by_target = sum("acc" not in record["metrics"] for record in records)
    if n_by_target:
        notes.append(
            f"{n_by_target:,} questions have no metric 'acc': the target says if the likeliest option is right"
        )
    made = frame.drop(columns="best").rename(columns={"score": score})
    made[label] = np.array(right).astype(int)
    known = pd.DataFrame([_known(record) for record in records])
    target = pd.Series([record["target"] for record in records])
    known, note = before_the_answer(known, target)
    known = known.rename(columns={name: f"question: {name}" for name in made})
    notes += ["the score is the probability of the likeliest option among all", *note]
    places = [record["place"] for record in records]
    return Table(file, pd.concat([made, known], axis=1), notes, places, is_log=True)


# ---- records --------------------------------------------------------------------------------------------------


def name_of(paths):
    """How errors and pages call a log."""
    return paths[0].name if len(paths) == 1 else f"{paths[0].name} and {len(paths) - 1:,} more"


def _records(paths):
    """(records, notes), each with its place and subject; ValueError for a line of another version."""
    records = []
    notes = []
    for path in paths:
        lines, numbers, note = _lines(path)
        notes += note
        for record, number in zip(lines, numbers, strict=True):
            _check_version(path, record, number)
            record["place"] = f"line {number:,}{f' of {path.name}' if len(paths) > 1 else ''}"
            record["subject"] = _task(path) if len(paths) > 1 else ""
            records.append(record)
    what = f"{len(paths):,} logs" if len(paths) > 1 else "a log"
    prefix = os.path.commonprefix([record["subject"] for record in records])
    prefix = prefix[: prefix.rfind("_") + 1]  # whole words
    for record in records:
        own = record["doc"].get("subject") if isinstance(record["doc"], dict) else None
        is_own = record["subject"] and isinstance(own, str)
        record["subject"] = own if is_own else record["subject"].removeprefix(prefix)
    return records, [f"{what} of lm-evaluation-harness", *notes]


def _lines(path):
    """(records, their numbers, notes) of JSON lines, or of one array."""
    if not path.name.lower().endswith(".json"):
        return read_json_lines(path)
    records = json.loads(path.read_bytes())
    return records, range(1, len(records) + 1), []


def _check_version(path, record, number):
    """ValueError for what a record lacks; flat replies, as some versions write them, become one request's."""
    if isinstance(record.get("filtered_resps"), str):
        record["filtered_resps"] = [record["filtered_resps"]]
    resps = record.get("resps")
    if isinstance(resps, str):
        record["resps"] = [[resps]]
    elif isinstance(resps, list) and resps and all(isinstance(reply, str) for reply in resps):
        record["resps"] = [resps]
        if len(record.get("filtered_resps") or []) == len(resps) > 1:
            record["filtered_resps"] = [record["filtered_resps"]]
    lacking = [name for name in NEEDED if name not in record]
    lacking += [] if record.get("resps") and record["resps"][0] else ["resps"]
    if lacking:
        raise ValueError(
            f"{path.name} must be a log of lm-evaluation-harness 0.4.4 or later, but line {number:,} lacks "
            f"{lacking[0]!r}."
        )


def _task(path):
    """The task in the name of a file of samples."""
    match = NAME.fullmatch(path.name)
    return match["task"] if match else path.name.split(".")[0]


def _of_one_filter(file, records, name, parameter="correct"):
    """(records, notes) of the filter of that name, or for "" of the first that keeps all replies; one task alone."""
    dropping = {record["filter"] for record in records if not _keeps_all(record)}
    filters = list(dict.fromkeys(record["filter"] for record in records))
    name = chosen(file, "filter", name, [name for name in filters if name not in dropping] + filters, parameter)
    records = [record for record in records if record["filter"] == name]
    seen = {}
    for record in records:
        doc = json.dumps(record["doc"], sort_keys=True)
        first, place = seen.setdefault((record["subject"], record["doc_id"]), (doc, record["place"]))
        if first != doc:
            raise ValueError(
                f"{file} must hold one task, but {place} and {record['place']} are different questions with doc_id "
                f"{record['doc_id']!r}; give the samples of several tasks in several files."
            )
    others = [other for other in filters if other != name]
    if not others or not records[0]["metrics"]:
        return records, []
    example = f"{records[0]['metrics'][0]},{others[0]}"
    return records, [f"of its filters {name!r} is read; {parameter} can name another, such as {example!r}"]


# ---- replies --------------------------------------------------------------------------------------------------


CURE_OF_GRADES = 'correct names another metric, reference="target" grades by the targets'

CURE_OF_LABELS = "label names another metric, if there is one that grades each reply"

CURE_OF_SHARES = "a share (as in truthfulqa_mc2) is no grade: take a task with one right option (truthfulqa_mc1)"


def _replied(file, records, notes, grade, parameter="correct"):
    """(a row an answer, records, the metric, whether a filter kept all replies, notes) of a log of replies."""
    texts = next((record["place"] for record in records if _are_likelihoods(record)), "")
    if texts and all(map(_are_likelihoods, records)):
        raise ValueError(
            f"{file} holds log-likelihoods of given texts, and no answers: the report on scores (notebook 13, "
            "read_scores) reads it."
        )
    if texts:
        raise ValueError(f"{file} must hold replies, or log-likelihoods, but {texts} holds the other of the two.")
    metric, _, name = grade.partition(",")
    records, note = _of_one_filter(file, records, name, parameter)
    metrics = list(dict.fromkeys(name for record in records for name in record["metrics"]))
    metric = chosen(file, "metric", metric, metrics, parameter)
    others = ", ".join(repr(other) for other in metrics if other != metric)
    notes += [*note, *([f"of its metrics {metric!r} is read; {parameter} can name {others}"] if others else [])]
    filtered = all(_keeps_all(record) for record in records)
    if not filtered:
        notes.append("no filter kept all replies to a question (take_first_k does), so whole replies are read")
    rows = [
        {
            "question": _question_name(record),
            "answer": None if text == UNREADABLE or not text.strip() else text,
            "reply": reply,
            "target": _target(record),
            "place": record["place"],
        }
        for record in records
        for text, reply in zip(_kept(record) if filtered else _replies(record), _replies(record), strict=True)
    ]
    frame = pd.DataFrame(rows, dtype=object)
    frame.insert(1, "sample", frame.groupby("question").cumcount() + 1)
    frame["likelihood"] = np.nan
    frame["subject"] = [record["subject"] for record in records for _ in _replies(record)]
    return frame, records, metric, filtered, notes


def _stated(records, frame, metric):
    """Columns of what may be a confidence: other metrics that are no grades, and what half of the replies state."""
    stated = pd.DataFrame(index=frame.index)
    if len(records) == len(frame):
        for name in dict.fromkeys(name for record in records for name in record["metrics"] if name != metric):
            values = pd.to_numeric(pd.Series([record.get(name) for record in records], dtype=object), errors="coerce")
            if not values.dropna().isin([0, 1]).all():
                stated[name] = values
    return stated if "confidence" in stated else stated.join(stated_in_replies(frame["reply"]))


def _right(file, metric, records, frame, failed, cure):
    """(grades 0, 1 or NaN, notes); those that are missing count as `failed` says."""
    grades = np.array(_grades(file, metric, records, cure, gaps=True))
    notes = [f"graded by the log's metric {metric!r}"]
    notes += about_unread(frame["answer"].isna(), grades)
    notes += about_failures({"without a grade": int(np.isnan(grades).sum())}, grades, failed)
    return np.where(np.isnan(grades), 0.0, grades) if failed == "wrong" else grades, notes


def _are_likelihoods(record):
    """Whether the replies to a request are a log-likelihood and whether it is the greedy text."""
    replies = _replies(record)
    return isinstance(replies[0], list) or (len(replies) == 2 and replies[1] in ("True", "False"))


def _known(record):
    """What is known of a question before its answer."""
    known = words_and_numbers(record["doc"]) | {"prompt_length": len(_request(record)[0])}
    return {"subject": record["subject"]} | known if record["subject"] else known


def _question_name(record):
    """How a report names a question."""
    identity = f"{record['subject']} {record['doc_id']}" if record["subject"] else record["doc_id"]
    return question_name(identity, _question(record))


def _replies(record):
    return record["resps"][0]


def _kept(record):
    """What the filter made of the replies."""
    kept = record["filtered_resps"][0]
    return kept if isinstance(kept, list) else [kept]


def _keeps_all(record):
    return len(_kept(record)) == len(_replies(record))


def _question(record):
    """The text of a question: the document's, or the end of the prompt."""
    text = record["doc"].get("question") if isinstance(record["doc"], dict) else None
    return text if isinstance(text, str) else _request(record)[0][-80:]


def _request(record):
    """(prompt, options) of the first request."""
    try:
        given = record["arguments"]["gen_args_0"]
        return str(given["arg_0"]), given.get("arg_1")
    except (TypeError, KeyError):
        return "", None


def _is_greedy(record):
    """Whether replies were asked for without sampling."""
    options = _request(record)[1]
    return isinstance(options, dict) and (options.get("do_sample") is False or options.get("temperature") == 0)


def _target(record):
    """The right answer, or a list of several."""
    target = record["target"]
    try:
        listed = ast.literal_eval(target) if isinstance(target, str) and target.startswith("[") else target
    except (ValueError, SyntaxError):
        return target
    if not isinstance(listed, list):
        return target
    listed = [str(answer) for answer in listed]
    return listed[0] if len(listed) == 1 else listed


def _grades(file, metric, records, cure, gaps=False):
    """1.0 or 0.0 for each record, NaN where there is none and `gaps` are allowed; ValueError for another value."""
    grades = [grade_value(record.get(metric)) for record in records]
    for record, grade in zip(records, grades, strict=True):
        if grade is None or (np.isnan(grade) and not gaps):
            raise ValueError(
                f"{file}: metric {metric!r} must be 0 or 1, but in {record['place']} it is {record.get(metric)!r}; "
                f"{cure}."
            )
    return grades


# ---- options --------------------------------------------------------------------------------------------------


def _is_right(file, record, best):
    """Whether the option of that number is right, by the metric 'acc', or else by the target."""
    if "acc" in record["metrics"]:
        return _grades(file, "acc", [record], CURE_OF_SHARES)[0]
    return _is_target(file, record, best)


def _is_target(file, record, best):
    """Whether the option of that number is the target: its number, or its text."""
    target = _target(record)
    target = {str(one).strip() for one in (target if isinstance(target, list) else [target])}
    texts = _options(record)
    by_text = {number for number, text in enumerate(texts) if text in target}
    by_number = {number for number in range(len(record["filtered_resps"])) if str(number) in target}
    right = by_text or by_number
    if not right or (by_text and by_number and by_text != by_number):
        raise ValueError(
            f"{file} must hold the metric 'acc', or targets that are numbers or texts of options, but in "
            f"{record['place']} the target is {record['target']!r}."
        )
    return best in right


def _options(record):
    """The texts of the options."""
    try:
        return [str(given["arg_1"]).strip() for given in record["arguments"].values()]
    except (TypeError, KeyError, AttributeError):
        return []


def _option_score(file, record):
    """Score and features of one question."""
    likelihoods = record["filtered_resps"]
    if "acc_mutual_info" in record["metrics"]:
        likelihoods = likelihoods[: len(likelihoods) // 2]  # then come those without the question
    try:
        log = np.array([float(entry[0]) for entry in likelihoods])
        share = np.exp(log - log.max())
        score = share.max() / share.sum()
    except (ValueError, TypeError, IndexError):
        score = np.nan
    if not np.isfinite(score):
        raise ValueError(f"{file}: 'filtered_resps' must hold log-likelihoods, unlike in {record['place']}.")
    best = int(log.argmax())
    return {"score": score, "best": best, "chosen_option": str(best + 1), "options": len(log)}
