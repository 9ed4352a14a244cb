"""Logs of Inspect, version 2: an archive `.eval` with a JSON file for each sample and epoch, or one `.json` file."""

import json
import math
import os
import struct
import zipfile
import zlib

from helpers.checks import nearest_name
from helpers.tables.files import read_bytes
from helpers.tables.log_table import ARCHIVE, LogTable, about_sampling, answer_frame, grade_value, question_name

VERSION = 2

ZSTANDARD = 93  # a method of compression that zipfile knows from Python 3.14 on

LOCAL_HEADER = struct.Struct("<4s5H3I2H")

ATTACHED = "attachment://"

HINT_TARGET = 'reference="target" grades by the targets instead'


def most_gigabytes():
    """What an archive may unfold to, in GB."""
    return float(os.environ.get("HONEST_MOST_GB", 2.0))


def read_inspect(path, scorer, graded):
    """`LogTable` of a log; ValueError for one that is damaged, of another version, or cannot be audited."""
    with path.open("rb") as file:
        archived = file.read(len(ARCHIVE)) == ARCHIVE
    header, samples = _read_archive(path) if archived else _read_json(path)
    if header.get("version") != VERSION:
        raise ValueError(
            f"{path.name} has version {header.get('version')!r} of Inspect's format, but this reader knows {VERSION}; "
            "write it anew with: inspect log convert."
        )
    rows = []
    n_failed = 0
    for sample in samples:
        if sample.get("error"):
            n_failed += 1
        else:
            rows += _rows(path.name, sample)
    if not rows:
        failed = f": all {n_failed:,} ended with an error" if n_failed else " (was it written without samples?)"
        raise ValueError(f"{path.name} holds no answers{failed}.")
    places = {name: place for place, name in enumerate(header["eval"]["dataset"].get("sample_ids") or [])}
    rows.sort(key=lambda row: (row["epoch"], places.get(row["id"], 0), row["choice"]))
    _check_epochs(path.name, rows)
    most = max(row["choice"] for row in rows)
    notes = _about_run(header, sum(row["choice"] == 1 for row in rows), n_failed)
    scorers = list(dict.fromkeys(name for row in rows for name in row["scores"]))
    if scorer and scorer not in scorers:
        raise ValueError(f"{path.name} has no scorer {scorer!r} (correct); {nearest_name(scorer, scorers, 'scorer')}")
    scorer = scorer or (scorers[0] if scorers else "")
    scores = [row["scores"].get(scorer, (None, None)) for row in rows]
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
    if any(row["likelihood"] is not None for row in rows):
        frame["likelihood"] = [row["likelihood"] for row in rows]
        notes.append("the column 'likelihood' is the probability of the whole reply; confidence can name it")
    notes += about_sampling(frame, _temperature(header) == 0)
    return LogTable(frame, [_place(row, most) for row in rows], notes)


# ---- the two formats ------------------------------------------------------------------------------------------


def _read_json(path):
    """(header, samples) of a log in one JSON file."""
    log = json.loads(read_bytes(path))
    return log, log.get("samples") or []


def _read_archive(path):
    """(header, samples) of an archive; the samples one by one, so that only what is kept of them is in memory."""
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError):
        raise ValueError(f"{path.name} is damaged or cut off in the middle: its list of contents is missing.") from None
    with archive:
        members = archive.NameToInfo  # a name may be there twice; the last counts
    samples = [info for name, info in members.items() if _is_sample(name)]
    head = members.get("header.json") or members.get("_journal/start.json")
    if head is None:
        inside = sorted(members)[:3]
        several = " It holds several logs; give one of them." if any(name.endswith(".eval") for name in members) else ""
        raise ValueError(
            f"{path.name} must be an archive that Inspect wrote, but it has no header.json; it begins with "
            f"{', '.join(inside) or 'nothing'}.{several}"
        )
    size = sum(info.file_size for info in [head, *samples]) / 1e9
    if size > most_gigabytes():
        raise ValueError(
            f"{path.name} unfolds to {size:.3g} GB, more than {most_gigabytes():g} GB; if that is right, raise the "
            "limit with the environment variable HONEST_MOST_GB."
        )
    header = _member(path, head)
    if head.filename != "header.json":
        header["status"] = "started"
    return header, (_member(path, info) for info in samples)


def _is_sample(name):
    """A sample is one file, or a folder with one such file if Inspect cut a large one into pieces."""
    parts = name.split("/")
    whole = len(parts) == 2 and name.endswith(".json")
    return parts[0] == "samples" and (whole or len(parts) == 3 and parts[2] == "sample.json")


def _member(path, info):
    """The JSON object in one member of an archive."""
    damaged = f"{path.name} is damaged: {info.filename} inside it cannot be read."
    try:
        if info.compress_type == ZSTANDARD:
            data = _unpack_zstandard(path, info)
        else:
            with zipfile.ZipFile(path) as archive:
                data = archive.read(info)
        record = json.loads(data)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, ValueError):
        raise ValueError(damaged) from None
    if not isinstance(record, dict):
        raise ValueError(damaged)
    return record


def _unpack_zstandard(path, info):
    """Content of a member that zipfile cannot unpack; its length is what the archive states, and is checked."""
    try:
        import pyarrow
    except ImportError:
        raise ImportError(
            f"{path.name} is compressed with Zstandard and needs the package pyarrow: install it, or write the log as "
            "JSON with: inspect log convert --to json."
        ) from None
    with path.open("rb") as file:
        file.seek(info.header_offset)
        *_, n_name, n_extra = LOCAL_HEADER.unpack(file.read(LOCAL_HEADER.size).ljust(LOCAL_HEADER.size, b"\0"))
        file.seek(n_name + n_extra, 1)
        packed = file.read(info.compress_size)
    data = pyarrow.Codec("zstd").decompress(packed, decompressed_size=info.file_size, asbytes=True)
    if zlib.crc32(data) != info.CRC:
        raise zipfile.BadZipFile
    return data


# ---- samples --------------------------------------------------------------------------------------------------


def _rows(file, sample):
    """What an audit needs of one sample: a row for each choice that the model gave. Scorers look at the first."""
    try:
        output = sample["output"]
        choices = output.get("choices") or [{}]
        texts = [_text(choice.get("message", {}).get("content", "")) for choice in choices]
        texts[0] = output.get("completion") or texts[0]
        target = sample["target"]
        about = {
            "id": sample["id"],
            "epoch": int(sample["epoch"]),
            "question": question_name(sample["id"], _attached(sample, _question(sample["input"]))),
            "target": target if isinstance(target, str) else target[0] if len(target) == 1 else None,
        }
        return [
            about
            | {
                "choice": number,
                "reply": _attached(sample, text),
                "scores": _scores(sample) if number == 1 else {},
                "likelihood": _likelihood(choice.get("logprobs")),
            }
            for number, (choice, text) in enumerate(zip(choices, texts, strict=True), 1)
        ]
    except (KeyError, TypeError, AttributeError, ValueError, IndexError):
        raise ValueError(
            f"{file}: sample {sample.get('id')!r} of epoch {sample.get('epoch')!r} is not one of version {VERSION}: "
            "id, epoch, input, target, output or scores are missing or of another form."
        ) from None


def _place(row, most):
    """How an error names an answer."""
    choice = f", choice {row['choice']}" if most > 1 else ""
    return f"sample {row['id']!r}, epoch {row['epoch']}{choice}"


def _question(given):
    """The text of a question: as it is, or the last message of the user."""
    if isinstance(given, str):
        return given
    asked = [message for message in given if message.get("role") == "user"] or given
    return _text(asked[-1]["content"])


def _text(content):
    """Texts of a message that may also hold images."""
    return content if isinstance(content, str) else " ".join(part.get("text", "") for part in content)


def _attached(sample, text):
    """A text that stands apart in the sample, because it is long, put back."""
    if not text.startswith(ATTACHED):
        return text
    return sample.get("attachments", {}).get(text.removeprefix(ATTACHED), text)


def _scores(sample):
    """{scorer: (value, answer)}; a scorer with several values becomes several, named scorer/value."""
    scores = {}
    for name, score in (sample.get("scores") or {}).items():
        answer = score.get("answer")
        if isinstance(score["value"], dict):
            scores |= {f"{name}/{key}": (value, answer) for key, value in score["value"].items()}
        else:
            scores[name] = (score["value"], answer)
    return scores


def _likelihood(logprobs):
    """Probability of the whole reply, or None."""
    tokens = (logprobs or {}).get("content") or []
    return math.exp(min(sum(token["logprob"] for token in tokens), 0.0)) if tokens else None


def _answers(rows, scores):
    """What the scorer took for the answer; the whole replies if it says nothing about any, or did not see them all."""
    answers = [answer for _, answer in scores]
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
    grades = [grade_value(value) for value, _ in scores]
    for row, grade, (value, _) in zip(rows, grades, scores, strict=True):
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
        count = sum(value == letter for value, _ in scores)
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


def _about_run(header, n_rows, n_failed):
    """Notes on the task, and on what an evaluation that did not finish leaves out."""
    evaluation = header.get("eval", {})
    notes = [f"a log of Inspect: task {evaluation.get('task')!r}, model {evaluation.get('model')!r}"]
    status = header.get("status")
    if status != "success":
        n_epochs = evaluation.get("config", {}).get("epochs") or 1
        planned = (evaluation.get("dataset", {}).get("samples") or 0) * n_epochs
        of_all = f" of {planned:,}" if planned > n_rows else ""
        notes.append(
            f"the evaluation did not finish (status {status!r}): {n_rows:,}{of_all} answers are there, and what was "
            "quick to answer may be overrepresented"
        )
    if n_failed:
        notes.append(f"{n_failed:,} samples that ended with an error are left out")
    return notes


def _temperature(header):
    """Temperature of the answers, or None if the log does not say."""
    asked = header.get("eval", {}).get("model_generate_config") or {}
    planned = header.get("plan", {}).get("config") or {}
    return planned.get("temperature", asked.get("temperature"))
