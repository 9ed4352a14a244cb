"""Logs of Inspect as tables, read by Inspect itself (extra `llm`): an archive `.eval`, or one `.json` file."""

import math
from collections.abc import Mapping

import pandas as pd

from helpers.tables.files import Table
from helpers.tables.log_table import about_sampling, check_repeats, chosen, grade_value, question_name

HINT_TARGET = 'reference="target" grades by the targets instead'

OWN = ("question", "sample", "answer", "reply", "target", "correct", "likelihood")  # columns that every log has

CURE = "run it with several epochs (inspect eval … --epochs 10) or choices (--num-choices 10)."


def read_log(path):
    """Inspect's log; ValueError for one that is damaged, and for one without samples."""
    from helpers._inspect import read_eval_log

    try:
        log = read_eval_log(path, resolve_attachments="core", exclude_fields={"events", "messages", "store"})
    except Exception as error:  # of the zip archive, of its compression, of JSON, of the log's form
        words = " ".join(str(error).split())[:200]
        raise ValueError(f"{path.name} is damaged, cut off in the middle, or no log of Inspect: {words}") from error
    if not log.samples:
        raise ValueError(f"{path.name} holds no answers (was it written without samples?).")
    return log


def read_inspect(path, scorer, graded):
    """`Table` of the answers in a log; ValueError for one that cannot be read, or has one answer a question."""
    file = path.name
    log = read_log(path)
    finished = [sample for sample in log.samples if not sample.error]
    n_failed = len(log.samples) - len(finished)
    if not finished:
        raise ValueError(f"{file} holds no answers: all {n_failed:,} ended with an error.")
    order = {name: place for place, name in enumerate(log.eval.dataset.sample_ids or [])}
    finished.sort(key=lambda sample: (sample.epoch, order.get(sample.id, 0)))
    scorers = list(dict.fromkeys(name for sample in finished for name in _scores(sample)))
    scorer = chosen(file, "scorer", scorer, scorers)
    most = max(1, *(len(sample.output.choices) for sample in finished))
    rows = pd.DataFrame([row for sample in finished for row in _rows(sample, scorer, most)], dtype=object)
    frame = rows[["question", "sample", "answer", "reply", "target"]].copy()
    check_repeats(file, frame, CURE)
    if most > 1 or frame["answer"].isna().all():  # scorers see the first choice; some say nothing about the answer
        frame["answer"] = frame["reply"]
    notes = _about_run(log, len(finished), n_failed)
    if graded:
        frame["correct"] = _grades(file, scorer, rows)
        notes += _about_grades(scorer, scorers, rows["value"], most)
    stated = pd.DataFrame(rows["stated"].tolist()).drop(columns=[*OWN], errors="ignore")
    if len(stated.columns):
        frame = frame.join(stated)
        notes.append(f"confidence can name what the scorer stored: {', '.join(map(repr, stated))}")
    if rows["likelihood"].notna().any():
        frame["likelihood"] = rows["likelihood"]
        notes.append("the column 'likelihood' is the probability of the whole reply; confidence can name it")
    notes += about_sampling(frame, _temperature(log) == 0)
    return Table(file, frame, notes, rows["place"].tolist(), is_log=True)


def read_case_scores(path):
    """`Table` of scores, labels and features in a log of the task `risk_scores` (`helpers.llm.evals.tasks`)."""
    log = read_log(path)
    rows = []
    n_missing = 0
    for sample in log.samples:
        score = (sample.scores or {}).get("option_score")
        features = (sample.metadata or {}).get("features")
        if features is None or (score is None and not sample.error):
            raise ValueError(f"{path.name} holds answers, not scores of the task risk_scores: read_answers reads it.")
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


def _rows(sample, scorer, most):
    """What an audit needs of one sample: a row for each choice that the model gave. Scorers look at the first."""
    choices = sample.output.choices
    texts = [choice.message.text for choice in choices] or [""]
    texts[0] = sample.output.completion or texts[0]
    tokens = [choice.logprobs.content if choice.logprobs else [] for choice in choices] or [[]]
    target = sample.target
    nothing = (None, None, {})
    for number, (text, spelled) in enumerate(zip(texts, tokens, strict=True)):
        value, answer, stated = _scores(sample).get(scorer, nothing) if not number else nothing
        yield {
            "question": question_name(sample.id, _question(sample.input)),
            "sample": (sample.epoch - 1) * most + number + 1,
            "answer": answer,
            "reply": text,
            "target": target if isinstance(target, str) else target[0] if len(target) == 1 else None,
            "value": value,
            "stated": stated,
            "likelihood": math.exp(min(sum(token.logprob for token in spelled), 0.0)) if spelled else None,
            "place": f"sample {sample.id!r}, epoch {sample.epoch}{f', choice {number + 1}' if most > 1 else ''}",
        }


def _question(given):
    """The text of a question: as it is, or the last message of the user."""
    if isinstance(given, str):
        return given
    asked = [message for message in given if message.role == "user"] or given
    return asked[-1].text


def _scores(sample):
    """{scorer: (value, answer, numbers beside them)}; one with several values becomes several, named scorer/value."""
    scores = {}
    for name, score in (sample.scores or {}).items():
        stated = {key: value for key, value in (score.metadata or {}).items() if _is_number(value)}
        if isinstance(score.value, Mapping):
            numbers = {key: value for key, value in score.value.items() if _is_number(value)}
            scores |= {f"{name}/{key}": (value, score.answer, numbers | stated) for key, value in score.value.items()}
        else:
            scores[name] = (score.value, score.answer, stated)
    return scores


def _is_number(value):
    return isinstance(value, int | float) and not isinstance(value, bool)


# ---- checks and notes -----------------------------------------------------------------------------------------


def _grades(file, scorer, rows):
    """1.0, 0.0 or NaN for each answer; ValueError for a log without scores, or with others."""
    if not scorer:
        raise ValueError(f"{file} has no scores; give them with: inspect score; or {HINT_TARGET}.")
    grades = [grade_value(value) for value in rows["value"]]
    if None in grades:
        first = rows.iloc[grades.index(None)]
        others = f" (and {grades.count(None) - 1:,} more)" if grades.count(None) > 1 else ""
        raise ValueError(
            f"{file}: scorer {scorer!r} must give C, I, P or N, or 0 and 1, but for {first['place']} it gives "
            f"{first['value']!r}{others}; correct names another scorer, {HINT_TARGET}."
        )
    return grades


def _about_grades(scorer, scorers, values, most):
    """Notes on who graded, on answers that are neither right nor wrong, and on choices that were not graded."""
    others = ", ".join(repr(name) for name in scorers if name != scorer)
    notes = [f"graded by the log's scorer {scorer!r}{f' (correct can name {others})' if others else ''}"]
    for grade in ("P", "N"):
        count = sum(value == grade for value in values)
        notes += [f"{count:,} answers graded {grade} count as wrong"] if count else []
    if most > 1:
        notes.append(
            f"of up to {most:,} choices of a sample the scorer graded the first; others that say the same have its "
            f"grade; {HINT_TARGET}"
        )
    return notes


def _about_run(log, n_rows, n_failed):
    """Notes on the task, and on what an evaluation that did not finish leaves out."""
    notes = [f"a log of Inspect: task {log.eval.task!r}, model {log.eval.model!r}"]
    if log.status != "success":
        notes.append(
            f"the evaluation did not finish (status {log.status!r}): {n_rows:,} answers are there, and what was quick "
            "to answer may be overrepresented"
        )
    if n_failed:
        notes.append(f"{n_failed:,} samples that ended with an error are left out")
    return notes


def _temperature(log):
    """Temperature of the answers, or None if the log does not say."""
    planned = log.plan.config.temperature
    return log.eval.model_generate_config.temperature if planned is None else planned
