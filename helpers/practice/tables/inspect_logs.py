"""Logs of Inspect as tables, read by Inspect itself (extra `llm`): an archive `.eval`, or one `.json` file."""

import math
import zipfile
from collections import Counter
from collections.abc import Mapping

import numpy as np
import pandas as pd

from helpers.practice.tables.files import Table
from helpers.practice.tables.log_table import (
    CONFIDENCE,
    about_failures,
    about_sampling,
    about_unread,
    as_scores,
    check_repeats,
    check_single,
    chosen,
    grade_value,
    question_name,
    sources_of_scores,
    stated_in_replies,
    words_and_numbers,
)

HINT_TARGET = 'reference="target" grades by the targets instead'

OWN = ("question", "sample", "answer", "reply", "target", "correct", "likelihood")  # columns that every log has

CURE = "run it with several epochs (inspect eval … --epochs 10) or choices (--num-choices 10)."

HOW_TO_GET_ONE = (
    "log the probabilities of tokens (inspect eval … --logprobs), or ask the model for a confidence and let it write "
    "'Confidence: 85%'. Or " + CURE
)

MOST_UNPACKED = 100_000_000  # bytes to which an archive may unpack, however small it is

MOST_TIMES = 200  # its size an archive may unpack to; logs take about 10 times, and rarely 50


def read_log(path):
    """Inspect's log; ValueError for one that is damaged or unpacks beyond measure, and for one without samples."""
    from helpers._inspect import read_eval_log

    _check_size(path)
    try:
        log = read_eval_log(path, resolve_attachments="core", exclude_fields={"events", "messages", "store"})
    except Exception as error:  # of the zip archive, of its compression, of JSON, of the log's form
        words = " ".join(str(error).split())[:200]
        raise ValueError(f"{path.name} is damaged, cut off in the middle, or no log of Inspect: {words}") from error
    if not log.samples:
        raise ValueError(f"{path.name} holds no answers (was it written without samples?).")
    return log


def _check_size(path):
    """ValueError for an archive that unpacks to many times its size, unlike any log."""
    try:
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
    except zipfile.BadZipFile:  # JSON, or damaged, as its reader will say
        return
    packed = path.stat().st_size
    if unpacked > max(MOST_UNPACKED, MOST_TIMES * packed):
        raise ValueError(
            f"{path.name} would unpack to {unpacked / 1e6:,.0f} MB, {unpacked / packed:,.0f} times its size, which no "
            "log does. If it is one of yours, give it as JSON (inspect log convert --to json)."
        )


def read_inspect(path, grade="", graded=True, failed="left out"):
    """`Table` of the answers in a log; ValueError for one that cannot be read, or has one answer a question."""
    file = path.name
    log = read_log(path)
    rows, scorer, scorers, notes = _answers(file, log, grade, graded, failed)
    frame = rows[["question", "sample", "answer", "reply", "target"]].copy()
    several = rows.attrs["choices"] > 1
    stated = _stated(rows)
    check_repeats(file, frame, next(iter(sources_of_scores(stated, rows["likelihood"])[0]), ""), CURE)
    if several or frame["answer"].isna().all():  # scorers see the first choice; some say nothing about the answer
        frame["answer"] = frame["reply"].where(~rows["failed"])
    if graded:
        frame["correct"] = rows["correct"]
        notes += _about_grades(scorer, scorers, rows["value"])
        notes += _about_choices(rows.attrs["choices"])
    stated = stated.drop(columns=[*OWN], errors="ignore")
    if len(stated.columns):
        frame = frame.join(stated)
        notes.append(f"confidence can name what the log stored: {', '.join(map(repr, stated))}")
    if rows["likelihood"].notna().any():
        frame["likelihood"] = rows["likelihood"]
        notes.append("the column 'likelihood' is the probability of the whole reply; confidence can name it")
    notes += about_sampling(frame, _temperature(log) == 0)
    return Table(file, frame, notes, rows["place"].tolist(), is_log=True)


def read_inspect_scores(path, label="label", score="score", failed="left out", scale="auto"):
    """`Table` of scores in a log: of the task `risk_scores`, or of one graded answer a question."""
    log = read_log(path)
    if any(_is_case(sample) for sample in log.samples):
        return read_case_scores(path, log)
    scorer = "" if label == "label" else label
    rows, scorer, scorers, notes = _answers(path.name, log, scorer, True, failed, cure="")
    check_single(path.name, rows["question"])
    notes += _about_grades(scorer, scorers, rows["value"], "label")
    known = pd.DataFrame(rows["known"].tolist(), index=rows.index)
    names = {"label": label, "score": score, "scale": scale}
    return as_scores(path.name, rows, _stated(rows), known, ways=HOW_TO_GET_ONE, notes=notes, **names)


def _answers(file, log, scorer, graded, failed, cure=f"; {HINT_TARGET}"):
    """(a row an answer, the scorer, all scorers, notes); ValueError where nothing is there."""
    scorers = list(dict.fromkeys(name for sample in log.samples for name in _scores(sample)))
    scorer = chosen(file, "scorer", scorer, scorers, "correct, or label")
    why = [_failure(sample, scorer) for sample in log.samples]
    if all(why):
        raise ValueError(f"{file} holds no answers: all {len(why):,} {why[0]}.")
    order = {name: place for place, name in enumerate(log.eval.dataset.sample_ids or [])}
    kept = [pair for pair in zip(log.samples, why, strict=True) if failed == "wrong" or not pair[1]]
    kept.sort(key=lambda pair: (pair[0].epoch, order.get(pair[0].id, 0)))
    most = max(1, *(len(sample.output.choices) for sample, _ in kept))
    rows = pd.DataFrame([row for pair in kept for row in _rows(*pair, scorer, most)], dtype=object)
    flags = ["failed", "unread", "is_first"]
    rows[flags] = rows[flags].astype(bool)
    rows["likelihood"] = rows["likelihood"].astype(float)
    rows.attrs["choices"] = most
    counts = Counter(filter(None, why))
    notes = _about_run(log, len(kept))
    grades = None
    if graded:
        grades = np.array(_grades(file, scorer, rows, cure))
        is_open = np.isnan(grades) & ~rows["failed"].to_numpy() & rows["is_first"].to_numpy()
        counts["without a grade"] += int(is_open.sum())
        rows["correct"] = np.where(rows["failed"] | is_open, 0.0, grades) if failed == "wrong" else grades
        silent = rows["answer"].isna() & rows["answer"].notna().any()  # some scorers say nothing about any answer
        notes += about_unread(rows["is_first"] & ~rows["failed"] & (rows["unread"] | silent), grades)
    notes += about_failures(counts, grades, failed, _own_accuracy(log, scorer))
    return rows, scorer, scorers, notes


def _failure(sample, scorer):
    """Why a sample has no answer that counts, in words that follow a number; "" for one that has."""
    if sample.invalidation:
        return "were invalidated"
    if sample.error and _score_of(sample, scorer) is None:
        return "ended with an error"
    return ""


def _score_of(sample, scorer):
    """What the scorer says of a sample; None for nothing."""
    value = _scores(sample).get(scorer, (None,))[0]
    return None if isinstance(value, float) and math.isnan(value) else value


def _own_accuracy(log, scorer):
    """The accuracy that the log itself states for a scorer; None if it states none."""
    scores = log.results.scores if log.results else []
    stated = [
        score.metrics["accuracy"].value for score in scores if score.name == scorer and "accuracy" in score.metrics
    ]
    return stated[0] if stated else None


def _stated(rows):
    """Columns of numbers that may be a confidence: what scorers stored, else what half of the replies state."""
    stated = pd.DataFrame(rows["stated"].tolist(), index=rows.index)
    grades = [name for name in stated if not CONFIDENCE.search(name) and stated[name].dropna().isin([0, 1]).all()]
    stated = stated.drop(columns=grades)
    if not any(CONFIDENCE.search(name) for name in stated):
        stated = stated.join(stated_in_replies(rows["reply"]))
    return stated


def _is_case(sample):
    """Whether a sample is a case of the task `risk_scores`."""
    return "option_score" in (sample.scores or {}) and "features" in (sample.metadata or {})


def read_case_scores(path, log):
    """`Table` of scores, labels and features in a log of the task `risk_scores` (`practice.llm.evals.tasks`)."""
    rows = []
    n_missing = 0
    for sample in log.samples:
        score = (sample.scores or {}).get("option_score")
        features = (sample.metadata or {}).get("features")
        if features is None or (score is None and not sample.error):
            raise ValueError(f"{path.name} must hold scores of the task risk_scores in every sample, but it does not.")
        if score is None or math.isnan(score.value):
            n_missing += 1
        else:
            label = {"label": float(sample.target)} if sample.target else {}
            rows.append({"case": sample.id, "score": score.value, **label, **features})
    if not rows:
        raise ValueError(f"{path.name} holds no score: the model wrote neither option in any case.")
    notes = [f"a log of Inspect: model {log.eval.model!r}"]
    if n_missing:
        notes.append(f"{n_missing:,} cases without a score are left out")
    return Table(path.name, pd.DataFrame(rows), notes, [f"case {row['case']!r}" for row in rows], is_log=True)


# ---- samples --------------------------------------------------------------------------------------------------


def _rows(sample, failure, scorer, most):
    """What an audit needs of one sample: a row for each choice that the model gave. Scorers look at the first."""
    choices = sample.output.choices if not failure else []
    texts = [choice.message.text for choice in choices] or [""]
    texts[0] = texts[0] if failure else sample.output.completion or texts[0]
    tokens = [choice.logprobs.content if choice.logprobs else [] for choice in choices] or [[]]
    nothing = (None, None, {})
    question = _question(sample.input)
    known = words_and_numbers(sample.metadata) | {"prompt_length": len(question)}
    known |= {"options": len(sample.choices)} if sample.choices else {}
    for number, (text, spelled) in enumerate(zip(texts, tokens, strict=True)):
        is_read = not number and not failure
        value, answer, stated = _scores(sample, scorer).get(scorer, nothing) if is_read else nothing
        yield {
            "question": question_name(sample.id, question),
            "sample": (sample.epoch - 1) * most + number + 1,
            "answer": answer,
            "reply": text,
            "target": _target(sample.target),
            "value": value,
            "stated": stated,
            "likelihood": math.exp(min(sum(token.logprob for token in spelled), 0.0)) if spelled else None,
            "known": known,
            "failed": bool(failure),
            "unread": value == "N" or (is_read and _has_reason(sample, scorer)),
            "is_first": not number,
            "place": f"sample {sample.id!r}, epoch {sample.epoch}{f', choice {number + 1}' if most > 1 else ''}",
        }


def _has_reason(sample, scorer):
    """Whether a scorer names why its score is abnormal, such as a refusal or no response."""
    score = (sample.scores or {}).get(scorer.split("/")[0])
    return score is not None and score.reason is not None


def _target(target):
    """The right answer, or a list of several."""
    return target[0] if isinstance(target, list) and len(target) == 1 else target


def _question(given):
    """The text of a question: as it is, or the last message of the user."""
    if isinstance(given, str):
        return given
    asked = [message for message in given if message.role == "user"] or given
    return asked[-1].text


def _scores(sample, grader=""):
    """{scorer: (value, answer, numbers beside it)}; one with several values becomes several, named scorer/value.

    Beside the value of the `grader` are also the numbers that other scorers gave.
    """
    scores = {}
    for name, score in (sample.scores or {}).items():
        stated = {key: value for key, value in (score.metadata or {}).items() if _is_stated(key, value)}
        if isinstance(score.value, Mapping):
            numbers = {key: value for key, value in score.value.items() if _is_stated(key, value)} | stated
            for key, value in score.value.items():
                beside = {other: number for other, number in numbers.items() if other != key}
                scores[f"{name}/{key}"] = (value, score.answer, beside)
        else:
            scores[name] = (score.value, score.answer, stated)
    if grader in scores:
        value, answer, stated = scores[grader]
        others = {name: score for name, score in scores.items() if name.split("/")[0] != grader.split("/")[0]}
        numbers = {name: score[0] for name, score in others.items() if _is_stated(name, score[0])}
        beside = {f"{name}/{key}": given for name, score in others.items() for key, given in score[2].items()}
        scores[grader] = (value, answer, beside | numbers | stated)
    return scores


def _is_stated(name, value):
    """Whether a scorer stored a number, or the text of a confidence."""
    return _is_number(value) or (isinstance(value, str) and bool(CONFIDENCE.search(name)))


def _is_number(value):
    return isinstance(value, int | float) and not isinstance(value, bool)


# ---- checks and notes -----------------------------------------------------------------------------------------


def _grades(file, scorer, rows, cure):
    """1.0, 0.0 or NaN for each answer; ValueError for a log without scores, or with others."""
    if not scorer:
        raise ValueError(f"{file} has no scores; give them with: inspect score{cure}.")
    grades = [grade_value(value) for value in rows["value"]]
    if None in grades:
        first = rows.iloc[grades.index(None)]
        others = f" (and {grades.count(None) - 1:,} more)" if grades.count(None) > 1 else ""
        raise ValueError(
            f"{file}: scorer {scorer!r} must give C, I, P or N, or 0 and 1, but for {first['place']} it gives "
            f"{first['value']!r}{others}; {'correct' if cure else 'label'} names another scorer{cure}."
        )
    return grades


def _about_grades(scorer, scorers, values, parameter="correct"):
    """Notes on who graded, and on answers that are neither right nor wrong."""
    others = ", ".join(repr(name) for name in scorers if name != scorer)
    notes = [f"graded by the log's scorer {scorer!r}{f' ({parameter} can name {others})' if others else ''}"]
    for grade in ("P", "N"):
        count = sum(value == grade for value in values)
        notes += [f"{count:,} answers graded {grade} count as wrong"] if count else []
    return notes


def _about_choices(most):
    if most < 2:
        return []
    return [
        f"of up to {most:,} choices of a sample the scorer graded the first; others that say the same have its "
        f"grade; {HINT_TARGET}"
    ]


def _about_run(log, n_rows):
    """Notes on the task, and on what an evaluation that did not finish, or samples that hit a limit, leave out."""
    notes = [f"a log of Inspect: task {log.eval.task!r}, model {log.eval.model!r}"]
    if log.status != "success":
        notes.append(
            f"the evaluation did not finish (status {log.status!r}): {n_rows:,} answers are there, and what was quick "
            "to answer may be overrepresented"
        )
    stops = Counter(_stop(sample) for sample in log.samples)
    stops.pop("", None)
    if stops:
        what = ", ".join(f"{count:,} by {kind}" for kind, count in stops.items())
        notes.append(f"samples that were stopped before the model was done: {what}; they count as they are graded")
    return notes


def _stop(sample):
    """What stopped a sample before the model was done; "" for nothing."""
    if sample.limit:
        return f"the limit {sample.limit.type}"
    reason = sample.output.stop_reason if sample.output.choices else ""
    return reason if reason in ("max_tokens", "model_length", "content_filter") else ""


def _temperature(log):
    """Temperature of the answers, or None if the log does not say."""
    planned = log.plan.config.temperature
    return log.eval.model_generate_config.temperature if planned is None else planned
