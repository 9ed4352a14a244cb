"""Logs of lm-evaluation-harness, `samples_*.jsonl`: replies of repeated requests, or log-likelihoods of options."""

import ast
import json

import numpy as np
import pandas as pd

from helpers.tables.files import Table, read_json_lines
from helpers.tables.log_table import about_sampling, check_repeats, chosen, grade_value, question_name

NEEDED = ("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics")

UNREADABLE = "[invalid]"  # what the filters write where they find nothing

CURE = (
    "sample several (repeats: 10 and do_sample: true in the task, filter take_first_k), or join the samples of several "
    "runs in one file."
)


def read_harness(path, grade, graded):
    """`Table` of a log of replies; `grade` is "metric,filter", "" for the first."""
    file = path.name
    records, notes = _records(path)
    if isinstance(_replies(records[0])[0], list):
        raise ValueError(f"{file} holds log-likelihoods of given texts, and no answers: read_scores reads it.")
    metric, _, name = grade.partition(",")
    records, note = _of_one_filter(file, records, name)
    notes += note
    metric = chosen(file, "metric", metric, dict.fromkeys(name for record in records for name in record["metrics"]))
    filtered = all(_keeps_all(record) for record in records)
    if not filtered:
        notes.append("no filter kept all replies to a question (take_first_k does), so whole replies are read")
    rows = [
        {
            "question": question_name(record["doc_id"], _question(record)),
            "answer": None if text == UNREADABLE else text,
            "reply": reply,
            "target": _target(record),
            "line": record["line"],
        }
        for record in records
        for text, reply in zip(_kept(record) if filtered else _replies(record), _replies(record), strict=True)
    ]
    frame = pd.DataFrame(rows, dtype=object)
    frame.insert(1, "sample", frame.groupby("question").cumcount() + 1)
    check_repeats(file, frame, CURE)
    if frame["target"].isna().any():
        notes.append("questions with several right answers have no target here")
    if graded and metric and filtered and len(frame) == len(records):
        frame["correct"] = _grades(file, metric, records)
        notes.append(f"graded by the log's metric {metric!r}")
    elif graded:
        notes.append("graded by the targets, because the log grades the replies to a question together")
    notes += about_sampling(frame, all(_is_greedy(record) for record in records))
    return Table(file, frame.drop(columns="line"), notes, frame["line"].tolist(), "line", is_log=True)


def read_options(path):
    """`Table` of scores, from log-likelihoods of multiple choice; `label`: whether the chosen option is right."""
    file = path.name
    records, notes = _records(path)
    if not isinstance(_replies(records[0])[0], list):
        raise ValueError(f"{file} holds sampled replies, and no scores: read_answers reads it.")
    records, note = _of_one_filter(file, records, "")
    n_options = len(records[0]["filtered_resps"])
    if "acc" not in records[0]["metrics"] or n_options < 2:
        raise ValueError(
            f"{file} must hold the log-likelihoods of at least two options a question and the metric 'acc', but it has "
            f"{n_options} and {', '.join(map(repr, records[0]['metrics']))}."
        )
    frame = pd.DataFrame([_option_score(file, record) for record in records])
    frame["label"] = np.array(_grades(file, "acc", records)).astype(int)
    known = pd.DataFrame([_scalars(record["doc"]) for record in records])
    target = pd.Series([record["target"] for record in records])
    telling = [name for name in known if target.groupby(known[name].astype(str)).nunique().max() == 1]
    known = known.drop(columns=telling).rename(columns={name: f"question: {name}" for name in frame})
    notes += [*note, "the score is the probability of the chosen option among all"]
    if telling:
        notes.append(f"left out, since they tell the right option: {', '.join(map(repr, telling))}")
    lines = [record["line"] for record in records]
    return Table(file, pd.concat([frame, known], axis=1), notes, lines, "line", is_log=True)


# ---- records --------------------------------------------------------------------------------------------------


def _records(path):
    """(records, notes), each with its line number; ValueError for a line of another version."""
    records, lines, notes = read_json_lines(path)
    for record, line in zip(records, lines, strict=True):
        lacking = [name for name in NEEDED if name not in record]
        lacking += [] if record.get("resps") and record["resps"][0] else ["resps"]
        if lacking:
            raise ValueError(
                f"{path.name} must be a log of lm-evaluation-harness 0.4.4 or later, but line {line:,} lacks "
                f"{lacking[0]!r}."
            )
        record["line"] = line
    return records, ["a log of lm-evaluation-harness", *notes]


def _of_one_filter(file, records, name):
    """(records, notes) of the filter of that name, or for "" of the first that keeps all replies; one task alone."""
    dropping = {record["filter"] for record in records if not _keeps_all(record)}
    filters = list(dict.fromkeys(record["filter"] for record in records))
    name = chosen(file, "filter", name, [name for name in filters if name not in dropping] + filters)
    records = [record for record in records if record["filter"] == name]
    seen = {}
    for record in records:
        doc = json.dumps(record["doc"], sort_keys=True)
        first, line = seen.setdefault(record["doc_id"], (doc, record["line"]))
        if first != doc:
            raise ValueError(
                f"{file} must hold one task, but lines {line:,} and {record['line']:,} are different questions with "
                f"doc_id {record['doc_id']!r}; give the samples of one task."
            )
    others = [other for other in filters if other != name]
    if not others or not records[0]["metrics"]:
        return records, []
    example = f"{records[0]['metrics'][0]},{others[0]}"
    return records, [f"of its filters {name!r} is read; correct can name another, such as {example!r}"]


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
    """The right answer; None if there are several."""
    target = record["target"]
    try:
        listed = ast.literal_eval(target) if target.startswith("[") else None
    except (ValueError, SyntaxError):
        listed = None
    if not isinstance(listed, list):
        return target
    return str(listed[0]) if len(listed) == 1 else None


def _grades(file, metric, records):
    """1.0 or 0.0 for each record; ValueError for another value."""
    grades = [grade_value(record.get(metric)) for record in records]
    for record, grade in zip(records, grades, strict=True):
        if grade is None or np.isnan(grade):
            raise ValueError(
                f"{file}: metric {metric!r} must be 0 or 1, but in line {record['line']:,} it is "
                f'{record.get(metric)!r}; correct names another metric, reference="target" grades by the targets.'
            )
    return grades


# ---- options --------------------------------------------------------------------------------------------------


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
        raise ValueError(f"{file}: 'filtered_resps' must hold log-likelihoods, unlike in line {record['line']:,}.")
    length = len(_request(record)[0])
    return {"score": score, "chosen_option": str(log.argmax() + 1), "options": len(log), "prompt_length": length}


def _scalars(document):
    """Numbers, booleans and short texts of a document."""
    if not isinstance(document, dict):
        return {}
    return {
        name: value
        for name, value in document.items()
        if isinstance(value, bool | int | float) or (isinstance(value, str) and len(value) <= 60)
    }
