"""Findings: what a report says, as data that programs read, with one sentence for each kind.

A report makes a list of `Finding` from its numbers. Which `Kind` it has decides where on the page it stands, in which
words, and what to do about it: all of that is read from a file of words. Two sentences cannot contradict each other,
because each is made from one finding, and kinds that exclude each other are never found for the same subject.
"""

import re
from configparser import ConfigParser, ExtendedInterpolation
from dataclasses import asdict, dataclass, field
from enum import IntEnum
from functools import cache

import numpy as np
import pandas as pd
from jinja2 import Environment, StrictUndefined, TemplateError

from helpers.practice.reports.phrases import PHRASES

SCHEMA = 1  # of findings.json; a higher one where a field changes its name or its meaning


class Severity(IntEnum):
    """How much a finding matters to somebody who wants to use the scores or answers."""

    GOOD = 0
    NOTE = 1  # worth knowing
    SERIOUS = 2  # something should be done
    GRAVE = 3  # do not use them before it is mended


@dataclass(frozen=True)
class Finding:
    """One thing that a report has found."""

    kind: str
    subject: str = ""  # a group in words, a column, a confidence; "" for the whole table
    value: float | None = None  # its size with the ends of the interval, in the unit of its kind
    low: float | None = None
    high: float | None = None
    p_value: float | None = None  # of "there is nothing", adjusted for everything that was looked at
    n: int | None = None  # cases or questions that it is about
    severity: Severity = Severity.NOTE
    more: dict = field(default_factory=dict)  # further numbers and names that its sentence shows


def ends_of(row, name, low=None, high=None):
    """Value, low and high of a finding from a row of numbers; the ends are `name`_low and `name`_high by default."""
    places = {"value": name, "low": low or f"{name}_low", "high": high or f"{name}_high"}
    return {place: float(row[column]) for place, column in places.items()}


@dataclass(frozen=True)
class Kind:
    """What is said of a kind of finding: templates (Jinja) that see its fields, those of `more`, and `PHRASES`."""

    part: str  # of the page
    sentence: str
    advice: str = ""  # what to do, and how; "" where nothing follows
    how: str = ""
    unit: str = ""  # of value, low and high
    on_top: bool | None = None  # whether it stands on the first screen; None: if it is serious or graver
    is_before: bool = False  # whether it stands above the answer, which rests on it


@dataclass(frozen=True)
class Part:
    """A part of a page: its findings as sentences, then tables and figures."""

    title: str = ""
    text: str = ""  # markdown below the heading: how to read what follows
    shows: tuple = ()  # "table:name" for an attribute of the report, "figure:name" for one that it draws
    folded: bool = False  # whether it stands behind a click
    most: int = 12  # sentences that it shows; its tables hold the others
    empty: str = ""  # what it says where nothing was found


@dataclass(frozen=True)
class Picture:
    """What is written around a figure; of a table, only the caption."""

    caption: str
    title: str = ""  # what it finds, in one sentence
    alt: str = ""  # what it shows for those who cannot see it


@dataclass(frozen=True)
class Words:
    """All words of a report."""

    title: str
    kinds: dict  # {name: Kind}
    parts: dict  # {name: Part}, in the order of the page
    figures: dict  # {name: Picture}


def read_words(path):
    """`Words` of a file with a section for each part of the page; score_words.ini says what its keys are."""
    file = ConfigParser(interpolation=ExtendedInterpolation(), delimiters=(":",))
    file.read_string(path.read_text(encoding="utf-8"))
    texts = {
        section: {name: re.sub(r"\s*\n\s*(?!- )", " ", text) for name, text in file[section].items()}
        for section in file.sections()
    }
    for section, text in texts.items():
        for name, template in text.items():
            try:
                _template(template)
            except TemplateError as error:
                raise ValueError(f"{path.name}, [{section}] {name} must be a template, but {error}") from None
    shared = texts.pop("shared")
    figures = texts.pop("figures")
    kinds = {}
    parts = {}
    for part, text in texts.items():
        if part != "use":
            parts[part] = Part(
                text["part title"],
                text.get("part text", ""),
                tuple(text.get("part shows", "").split()),
                "part folded" in text,
                int(text.get("part most", Part.most)),
                text.get("part empty", ""),
            )
        for name in [name for name in text if " " not in name]:
            kinds[name] = Kind(
                part,
                text[name],
                text.get(f"{name} do", ""),
                text.get(f"{name} how", ""),
                text.get(f"{name} unit", text.get("part unit", "")),
                {"yes": True, "no": False, "before": False}.get(text.get(f"{name} first")),
                text.get(f"{name} first") == "before",
            )
    drawn = {
        name: Picture(caption, figures.get(f"{name} title", ""), figures.get(f"{name} alt", ""))
        for name, caption in figures.items()
        if " " not in name
    }
    return Words(f"# {shared['title']}\n\n{shared['intro']}", kinds, parts, drawn)


def _environment():
    environment = Environment(undefined=StrictUndefined, autoescape=False)  # plain text; who shows it escapes it
    phrases = {function.__name__: function for function in PHRASES}
    environment.filters |= phrases
    environment.globals |= phrases
    return environment


_template = cache(_environment().from_string)


def fill(text, **values):
    return _template(text).render(**values).strip()


def words(finding, text):
    """Fill a template of the kind of a finding with what the finding holds."""
    return fill(text, **(vars(finding) | finding.more))


def records_of(findings, kinds):
    """A dictionary for each finding: its fields, the unit of its kind, its severity as a word, its sentence."""
    return [
        asdict(finding)
        | {"severity": finding.severity.name.lower(), "unit": kinds[finding.kind].unit}
        | {"sentence": words(finding, kinds[finding.kind].sentence)}
        for finding in findings
    ]


def table_of(findings, kinds):
    """Findings as a table, a row each, without what only their sentences show."""
    columns = ["kind", "subject", "value", "low", "high", "unit", "p_value", "n", "severity", "sentence"]
    frame = pd.DataFrame(records_of(findings, kinds), columns=columns)
    return frame.astype(dict.fromkeys(("value", "low", "high", "p_value"), float) | {"n": "Int64"})


def steps_of(findings, kinds, least=Severity.GOOD):
    """What to do, in the order of the findings, each once: a table of `What` (the index) and `How`.

    A finding below the severity `least` calls for nothing, unless it is the answer itself.
    """
    steps = {}
    for finding in findings:
        kind = kinds[finding.kind]
        if kind.advice and (finding.severity >= least or kind.part == "use"):
            steps.setdefault(words(finding, kind.advice), words(finding, kind.how))
    return pd.DataFrame({"How": list(steps.values())}, index=pd.Index(list(steps), name="What"))


def as_json(findings, kinds, **about):
    """Findings as a dictionary for a JSON file, under the number of the schema."""
    return {"schema": SCHEMA, **about, "findings": _plain(records_of(findings, kinds))}


def _plain(value):
    """Numbers and texts as JSON has them: numbers that are not finite become None."""
    if isinstance(value, dict):
        return {str(name): _plain(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(entry) for entry in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not np.isfinite(value) else value
