"""Numbers that README, data/README, the site's pages and the ledger quote are printed by a cell of a notebook."""

import csv
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [Path("README.md"), Path("data/README.md"), *sorted(path.relative_to(ROOT) for path in ROOT.glob("site/*.md"))]
PAGES += sorted(path.relative_to(ROOT) for path in ROOT.glob("site/papers/*_what_holds.md"))
PAGES.remove(Path("site/benchmarks.md"))  # written by bench/, from its own tables
NUMBER = r"[-+]?\d[\d,]*(?:\.\d+)?"
INTERVAL = re.compile(rf"({NUMBER})(?: points| %)? \[({NUMBER}), ({NUMBER})\]")
FINE = re.compile(r"(?<![\w.,/-])\d+\.\d{3,}(?![\w.])")  # with three decimals or more no number is there by chance


def printed_lines():
    """Sets of the absolute numbers of each line that a stored output of a notebook shows."""
    lines = []
    for path in [*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("notebooks/checks/*.ipynb")]:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        outputs = [output for cell in cells for output in cell.get("outputs", [])]
        texts = ["".join(output.get("text", output.get("data", {}).get("text/plain", ""))) for output in outputs]
        lines += [values(re.findall(rf"(?<![\w.]){NUMBER}", line)) for text in texts for line in text.splitlines()]
    return lines


def values(words):
    """Absolute values of numbers in words."""
    return {abs(float(word.replace(",", ""))) for word in words}


def prose(page):
    """A page without its code, links and numbers of preprints and publications."""
    text = (ROOT / page).read_text(encoding="utf-8")
    text = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
    return re.sub(r"\]\([^)]*\)|arXiv:[\d.]+|doi:[\w./]+", "", text)


def is_shown(word, line):
    """Whether a line has a number that is the quoted one when it is rounded alike, as a share or in points."""
    decimals = len(word.partition(".")[2])
    quoted = abs(float(word.replace(",", "")))
    units = (1, 100) if decimals < 2 else (1,)
    return any(abs(value - quoted / unit) <= 0.5000001 * 10.0**-decimals / unit for value in line for unit in units)


def missing(text, lines):
    """Quoted intervals that no line shows whole, and fine numbers that no line shows."""
    for match in INTERVAL.finditer(text):
        if not any(all(is_shown(word, line) for word in match.groups()) for line in lines):
            yield match.group()
    fine = set().union(*lines)
    for word in FINE.findall(INTERVAL.sub("", text)):
        if not is_shown(word, fine):
            yield word


@pytest.fixture(scope="module")
def lines():
    return printed_lines()


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_quoted_numbers_are_printed_by_a_cell(page, lines):
    assert list(missing(prose(page), lines)) == []


def test_numbers_of_remarks_are_printed_by_a_cell(lines):
    with (ROOT / "data" / "claims.csv").open(encoding="utf-8", newline="") as file:
        found = {row["id"]: list(missing(row["remark"], lines)) for row in csv.DictReader(file)}
    assert {row: numbers for row, numbers in found.items() if numbers} == {}


def test_a_wrong_end_of_an_interval_is_found():
    line = values(["0.0271", "0.0222", "0.0312"])
    assert list(missing("0.027 [0.022, 0.031] and 2.7 % [2.2, 3.1]", [line])) == []
    assert list(missing("0.027 [0.023, 0.032]", [line])) == ["0.027 [0.023, 0.032]"]
    assert list(missing("0.0283 and 0.03", [line])) == ["0.0283"]
