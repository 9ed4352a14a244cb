"""Findings: what a report says, as data that programs read, with one sentence for each kind.

A report makes a list of `Finding` from its numbers. Its `Kind` says where on the page a finding stands, in which words,
and what to do about it. Two sentences cannot contradict each other, because each is made from one finding and kinds
that exclude each other are never found for the same subject.
"""

import re
from configparser import ConfigParser, ExtendedInterpolation
from dataclasses import asdict, dataclass, field
from enum import IntEnum
from functools import cache

import numpy as np
import pandas as pd
from jinja2 import Environment, StrictUndefined

from helpers.reports.phrases import PHRASES

SCHEMA = 1  # of findings.json; a higher one where a field changes its name or its meaning


class Severity(IntEnum):
    """How much a finding matters to somebody who wants to use the scores or answers."""

    GOOD = 0
    NOTE = 1  # worth knowing
    SERIOUS = 2  # something should be done
    GRAVE = 3  # do not use them before it is mended


@dataclass(frozen=True)
class Finding:
    """One thing that a report has found.

    subject : a group in words, a column, a confidence; "" for the whole table
    value, low, high : its size with the ends of the interval, in the unit of its kind
    p_value : of "there is nothing", adjusted for everything that was looked at
    n : cases or questions that it is about
    more : further numbers and names that its sentence shows
    """

    kind: str
    subject: str = ""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    n: int | None = None
    severity: Severity = Severity.NOTE
    more: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Kind:
    """What is said of a kind of finding, in a part of the page.

    sentence : template (Jinja) of one sentence, or two; it sees the fields of the finding, those of `more` and the
        phrases of `helpers.reports.phrases`
    advice, how : templates of what to do and how; "" where nothing follows
    unit : of value, low and high: "probability", "squared error", "cost", "share" …
    excludes : kinds that are never found together with it for the same subject
    on_top : whether it stands on the first screen; by default if it is serious or graver
    """

    part: str
    sentence: str
    advice: str = ""
    how: str = ""
    unit: str = ""
    excludes: tuple = ()
    on_top: bool | None = None


def read_kinds(path, one_of, units, on_top=(), below=()):
    """{name: Kind} from a file of words: a section a part, with `name`, `name do` and `name how`; the first is shared.

    one_of : tuples of kinds of which a subject has at most one; units : {part or kind: unit}
    on_top, below : kinds that stand on the first screen whatever their severity, and that never do
    """
    words = ConfigParser(interpolation=ExtendedInterpolation(), delimiters=(":",))
    with open(path, encoding="utf-8") as file:
        words.read_file(file)
    kinds = {}
    for part in words.sections()[1:]:
        for name in [name for name in words[part] if " " not in name]:
            texts = (words[part].get(key, "") for key in (name, f"{name} do", f"{name} how"))
            excludes = {other for names in one_of if name in names for other in names} - {name}
            kinds[name] = Kind(
                part,
                *(re.sub(r"\s*\n\s*", " ", text) for text in texts),
                unit=units.get(name, units.get(part, "")),
                excludes=tuple(sorted(excludes)),
                on_top=True if name in on_top else False if name in below else None,
            )
    return kinds


def _environment():
    environment = Environment(undefined=StrictUndefined, autoescape=False)  # plain text; who shows it escapes it
    phrases = {function.__name__: function for function in PHRASES}
    environment.filters |= phrases
    environment.globals |= phrases
    return environment


ENVIRONMENT = _environment()


@cache
def _template(text):
    return ENVIRONMENT.from_string(text)


def fill(text, **values):
    """Fill a template with numbers, as plain text on one line.

    >>> fill("{{ many(n, 'case') }}, {{ gap | in_points }} apart", n=1200, gap=0.05)
    '1,200 cases, 5 points apart'
    """
    return _template(text).render(**values).strip()


def words(finding, text):
    """Fill a template of the kind of a finding with what the finding holds."""
    values = {name: getattr(finding, name) for name in finding.__dataclass_fields__}
    return fill(text, **(values | finding.more))


def in_order(findings, kinds):
    """Sort findings: the gravest first, then in the order of their kinds, then as they were found."""
    places = list(kinds)
    return sorted(findings, key=lambda finding: (-finding.severity, places.index(finding.kind)))


def table_of(findings, kinds):
    """Findings as a table, a row each: its numbers, the unit of its kind, its severity as a word and its sentence."""
    rows = [
        {
            **{name: getattr(finding, name) for name in ("kind", "subject", "value", "low", "high")},
            "unit": kinds[finding.kind].unit,
            "p_value": finding.p_value,
            "n": finding.n,
            "severity": finding.severity.name.lower(),
            "sentence": words(finding, kinds[finding.kind].sentence),
        }
        for finding in findings
    ]
    columns = ["kind", "subject", "value", "low", "high", "unit", "p_value", "n", "severity", "sentence"]
    frame = pd.DataFrame(rows, columns=columns)
    numbers = {name: float for name in ("value", "low", "high", "p_value")}
    return frame.astype(numbers | {"n": "Int64"})


def steps_of(findings, kinds):
    """What to do, in the order of the findings, each once: a table of `What` (the index) and `How`."""
    steps = {}
    for finding in findings:
        kind = kinds[finding.kind]
        if kind.advice:
            steps.setdefault(words(finding, kind.advice), words(finding, kind.how))
    return pd.DataFrame({"How": list(steps.values())}, index=pd.Index(list(steps), name="What"))


def as_json(findings, kinds, **about):
    """Findings as a dictionary for a JSON file, under the number of the schema.

    >>> as_json([Finding("few", n=12)], {"few": Kind("read", "Only {{ n }} cases.")}, table="a.csv")["findings"][0]["n"]
    12
    """
    entries = []
    for finding in findings:
        entry = asdict(finding) | {"severity": finding.severity.name.lower(), "unit": kinds[finding.kind].unit}
        entry["sentence"] = words(finding, kinds[finding.kind].sentence)
        entries.append(_plain(entry))
    return {"schema": SCHEMA, **about, "findings": entries}


def _plain(value):
    """Numbers and texts as JSON has them: numbers that are not finite become None."""
    if isinstance(value, dict):
        return {str(name): _plain(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(entry) for entry in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not np.isfinite(value) else value
