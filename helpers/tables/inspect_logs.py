"""Logs of Inspect as tables, read by Inspect itself (extra `llm`): an archive `.eval`, or one `.json` file."""

import math
import zipfile
import zlib
from collections.abc import Mapping

import pandas as pd

from helpers.checks import nearest_name
from helpers.tables.log_table import ARCHIVE, LogTable, about_sampling, answer_frame, grade_value, question_name

HINT_TARGET = 'reference="target" grades by the targets instead'

OWN = {"question", "sample", "answer", "reply", "target", "correct", "likelihood"}  # columns that every log has

DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    OSError,
    EOFError,
    ValueError,
    LookupError,
    NotImplementedError,
    RuntimeError,
)


def read_log(path):
    """Inspect's log; ValueError for one that is damaged, and for one without samples."""
    from helpers._inspect import read_eval_log

    with path.open("rb") as file:
        form = "eval" if file.read(len(ARCHIVE)) == ARCHIVE else "json"
    unused = {"events", "messages", "store"}
    try:
        log = read_eval_log(path, resolve_attachments="core", format=form, exclude_fields=unused)
    except DAMAGED as error:
        words = " ".join(str(error).split())[:200]
        raise ValueError(f"{path.name} is damaged, cut off in the middle, or no log of Inspect: {words}") from None
    if not log.samples:
        raise ValueError(f"{path.name} holds no answers (was it written without samples?).")
    return log


def read_inspect(path, scorer, graded):
    """`LogTable` of the answers in a log; ValueError for one that cannot be read, or has one answer a question."""
    log = read_log(path)
    finished = [sample for sample in log.samples if not sample.error]
    n_failed = len(log.samples) - len(finished)
    if not finished:
        raise ValueError(f"{path.name} holds no answers: all {n_failed:,} ended with an error.")
    places = {name: place for place, name in enumerate(log.eval.dataset.sample_ids or [])}
    finished.sort(key=lambda sample: (sample.epoch, places.get(sample.id, 0)))
    rows = [row for sample in finished for row in _rows(sample)]
    _check_epochs(path.name, rows)
    most = max(row["choice"] for row in rows)
    notes = _about_run(log, len(finished), n_failed)
    scorers = list(dict.fromkeys(name for row in rows for name in row["scores"]))
    if scorer and scorer not in scorers:
        raise ValueError(f"{path.name} has no scorer {scorer!r} (correct); {nearest_name(scorer, scorers, 'scorer')}")
    scorer = scorer or (scorers[0] if scorers else "")
    scores = [row["scores"].get(scorer, (None, None, {})) for row in rows]
    frame = answer_frame(
        [row["question"] for row in rows],
        [(row["epoch"] - 1) * most + row["choice"] for row in rows],
        _answers(rows, scores),
        [row["reply"] for row in rows],
        [row["target"] for row in rows],
    )
    if graded:
        frame["correct"] = _grades(path.name, scorer, rows, scores)
        notes += _about_grades(scorer, scorers, scores) + _about_choices(most)
    stated = pd.DataFrame([said for *_, said in scores], index=frame.index)
    stated = stated[[name for name in stated if name not in OWN]]
    if len(stated.columns):
        frame = frame.join(stated)
        notes.append(f"confidence can name what the scorer stored: {', '.join(map(repr, stated))}")
    if any(row["likelihood"] is not None for row in rows):
        frame["likelihood"] = [row["likelihood"] for row in rows]
        notes.append("the column 'likelihood' is the probability of the whole reply; confidence can name it")
    notes += about_sampling(frame, _temperature(log) == 0)
    return LogTable(frame, [_place(row, most) for row in rows], notes)


def read_case_scores(path):
    """`LogTable` of scores, labels and features in a log of the task `risk_scores` (`helpers.llm.evals.tasks`)."""
    log = read_log(path)
    rows = []
    n_missing = 0
    for sample in log.samples:
        score = (sample.scores or {}).get("option_score")
        features = (sample.metadata or {}).get("features")
        if features is None or (score is None and not sample.error):
            raise ValueError(
                f"{path.name} is a log of Inspect that holds answers, not scores of the task risk_scores: the audit of "
                "answers (notebook 14, read_answers) reads it."
            )
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
    return LogTable(pd.DataFrame(rows), [f"case {row['case']!r}" for row in rows], notes)


# ---- samples --------------------------------------------------------------------------------------------------


def _rows(sample):
    """What an audit needs of one sample: a row for each choice that the model gave. Scorers look at the first."""
    texts = [choice.message.text for choice in sample.output.choices] or [""]
    texts[0] = sample.output.completion or texts[0]
    target = sample.target
    about = {
        "id": sample.id,
        "epoch": sample.epoch,
        "question": question_name(sample.id, _question(sample.input)),
        "target": target if isinstance(target, str) else target[0] if len(target) == 1 else None,
    }
    tokens = [choice.logprobs.content if choice.logprobs else [] for choice in sample.output.choices] or [[]]
    return [
        about
        | {
            "choice": number,
            "reply": text,
            "scores": _scores(sample) if number == 1 else {},
            "likelihood": math.exp(min(sum(token.logprob for token in spelled), 0.0)) if spelled else None,
        }
        for number, (text, spelled) in enumerate(zip(texts, tokens, strict=True), 1)
    ]


def _place(row, most):
    """How an error names an answer."""
    choice = f", choice {row['choice']}" if most > 1 else ""
    return f"sample {row['id']!r}, epoch {row['epoch']}{choice}"


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
        said = {key: value for key, value in (score.metadata or {}).items() if _is_number(value)}
        if isinstance(score.value, Mapping):
            numbers = {key: value for key, value in score.value.items() if _is_number(value)}
            scores |= {f"{name}/{key}": (value, score.answer, numbers | said) for key, value in score.value.items()}
        else:
            scores[name] = (score.value, score.answer, said)
    return scores


def _is_number(value):
    return isinstance(value, int | float) and not isinstance(value, bool)


def _answers(rows, scores):
    """What the scorer took for the answer; the whole replies if it says nothing about any, or did not see them all."""
    answers = [answer for _, answer, _ in scores]
    if all(row["choice"] == 1 for row in rows) and any(answer is not None for answer in answers):
        return answers
    return [row["reply"] for row in rows]


# ---- checks and notes -----------------------------------------------------------------------------------------


def _check_epochs(file, rows):
    """ValueError for one answer a question."""
    if len({row["id"] for row in rows}) == len(rows):
        raise ValueError(
            f"{file} has one answer a question, and so nothing can be said about agreement; run it with several epochs "
            "(inspect eval … --epochs 10) or choices (--num-choices 10)."
        )


def _grades(file, scorer, rows, scores):
    """1.0, 0.0 or NaN for each answer; ValueError for a log without scores, or with others."""
    if not scorer:
        raise ValueError(f"{file} has no scores; give them with: inspect score; or {HINT_TARGET}.")
    grades = [grade_value(value) for value, *_ in scores]
    for row, grade, (value, *_) in zip(rows, grades, scores, strict=True):
        if grade is None:
            more = sum(grade is None for grade in grades) - 1
            raise ValueError(
                f"{file}: scorer {scorer!r} must give C, I, P or N, or 0 and 1, but for sample {row['id']!r}, epoch "
                f"{row['epoch']} it gives {value!r}{f' (and {more:,} more)' if more else ''}; correct names another "
                f"scorer, {HINT_TARGET}."
            )
    return grades


def _about_grades(scorer, scorers, scores):
    """Notes on who graded, and on answers that are neither right nor wrong."""
    others = ", ".join(repr(name) for name in scorers if name != scorer)
    notes = [f"graded by the log's scorer {scorer!r}{f' (correct can name {others})' if others else ''}"]
    for letter, word in (("P", "partly right"), ("N", "no answer")):
        count = sum(value == letter for value, *_ in scores)
        if count:
            notes.append(f"{count:,} answers graded {letter} ({word}) count as wrong")
    return notes


def _about_choices(most):
    """A note on choices that a scorer does not grade."""
    if most == 1:
        return []
    return [
        f"each sample has up to {most:,} choices, and the scorer graded the first; the others have that grade if they "
        f"say the same, else none; {HINT_TARGET}"
    ]


def _about_run(log, n_rows, n_failed):
    """Notes on the task, and on what an evaluation that did not finish leaves out."""
    notes = [f"a log of Inspect: task {log.eval.task!r}, model {log.eval.model!r}"]
    if log.status != "success":
        planned = (log.eval.dataset.samples or 0) * (log.eval.config.epochs or 1)
        of_all = f" of {planned:,}" if planned > n_rows else ""
        notes.append(
            f"the evaluation did not finish (status {log.status!r}): {n_rows:,}{of_all} answers are there, and what "
            "was quick to answer may be overrepresented"
        )
    if n_failed:
        notes.append(f"{n_failed:,} samples that ended with an error are left out")
    return notes


def _temperature(log):
    """Temperature of the answers, or None if the log does not say."""
    planned = log.plan.config.temperature
    return log.eval.model_generate_config.temperature if planned is None else planned
