"""The map of the lessons, the page for teachers and the README's table, from the notebooks' cards and from course.yml.

Run as a program (by `make format`), it writes the README's table.
"""

import html
import os
import re
import textwrap
from pathlib import Path

import nbformat
import yaml

ROOT = Path(__file__).resolve().parent.parent

WIDE = 150  # of a box of the map; pixels, as all that follow
HIGH = 52
STEP_RIGHT = 182
STEP_DOWN = 70
LETTERS_A_LINE = 19
NUMBERS = re.compile(r"\bnotebooks? (\d\d(?:(?:, | and | or | to )\d\d)*)")
RIGHT_ANSWER = re.compile(r"^Right is \((\w)\): (.*)$")


def read_course(root=ROOT):
    """What course.yml says: its lessons (in their order), routes and meetings."""
    course = yaml.safe_load((root / "site" / "course.yml").read_text(encoding="utf-8"))
    course["repository"] = os.environ.get("HONEST_REPOSITORY") or course.get("repository", "")
    for lesson in course["lessons"].values():
        lesson.setdefault("teaches", [])
    return course


def header_card(notebook):
    """Title and the labelled lines (**Minutes** ..., **Papers** ...) of a notebook's first cell."""
    text = notebook.cells[0].source if notebook.cells else ""
    title = re.search(r"^# (.+)$", text, flags=re.MULTILINE)
    lines = re.findall(r"\*\*(\w+)[.:]?\*\*[.:]?\s*(.*)", text)
    return {"Title": title.group(1).strip() if title else "", **{k: v.strip(" |\\") for k, v in lines}}


# ---- which lesson needs which -----------------------------------------------------------------------------------


def numbers_in(text):
    """Numbers of the notebooks that a text names.

    >>> numbers_in("notebook 06, and notebooks 00 to 02 help")
    ['00', '01', '02', '06']
    """
    numbers = set()
    for names in NUMBERS.findall(text):
        for part in re.split(r", | and | or ", names):
            first, last = part.split(" to ") if " to " in part else (part, part)
            numbers |= {f"{k:02d}" for k in range(int(first), int(last) + 1)}
    return sorted(numbers)


def needs_of(cards):
    """{number: {number of a lesson that comes before: whether it is needed or only helps}} from the rows "Needs"."""
    known = {stem[:2] for stem in cards}
    needs = {}
    for stem, card in cards.items():
        needs[stem[:2]] = {}
        for clause in card.get("Needs", "").split(";"):
            helps = re.search(r"\bhelps?\b", clause) is not None
            for number in numbers_in(clause):
                if number in known and number < stem[:2]:
                    needs[stem[:2]][number] = "helps" if helps else "needs"
    return needs


def ancestors(needs):
    """{number: all lessons that come before it}, in the order of the numbers."""
    before = {}
    for number in sorted(needs):
        before[number] = set(needs[number]).union(*(before[other] for other in needs[number]))
    return before


def columns_of(needs):
    """Column of each lesson on the map: one to the right of the last lesson that it needs."""
    column = {}
    for number in sorted(needs):
        column[number] = 1 + max((column[other] for other in needs[number]), default=-1)
    return column


def arrows_of(needs):
    """(from, to, kind) of the arrows on the map: none where another path says the same."""
    before = ancestors(needs)
    return [
        (other, number, kind)
        for number, others in needs.items()
        for other, kind in others.items()
        if not any(other in before[between] for between in others)
    ]


def place_boxes(needs):
    """{number: (left, top)} of the boxes on the map."""
    column = columns_of(needs)
    rows = [0] * (1 + max(column.values(), default=0))
    places = {}
    for number in sorted(needs):
        places[number] = (10 + STEP_RIGHT * column[number], 10 + STEP_DOWN * rows[column[number]])
        rows[column[number]] += 1
    return places


def draw_box(stem, card, place):
    """One lesson on the map: a box that is a link."""
    left, top = place
    title = re.split(r"[:?]", card["Title"])[0]
    lines = textwrap.wrap(f"{stem[:2]} {title}", LETTERS_A_LINE)[:3]
    first = top + HIGH / 2 + 5 - 8 * (len(lines) - 1)
    words = "".join(
        f'<text x="{left + WIDE / 2:g}" y="{first + 16 * k:g}">{html.escape(line)}</text>'
        for k, line in enumerate(lines)
    )
    box = f'<rect x="{left}" y="{top}" width="{WIDE}" height="{HIGH}" rx="6"/>'
    return f'<a href="notebooks/{stem}.html"><title>{html.escape(card["Title"])}</title>{box}{words}</a>'


def draw_arrow(start, end, kind):
    """One arrow of the map, from the right of a box to the left of another; dashed if the lesson only helps."""
    x = start[0] + WIDE
    y = start[1] + HIGH / 2
    to_x = end[0] - 7
    to_y = end[1] + HIGH / 2
    bend = (to_x - x) / 2
    path = f"M{x:g} {y:g} C{x + bend:g} {y:g} {to_x - bend:g} {to_y:g} {to_x:g} {to_y:g}"
    return f'<path class="{kind}" d="{path}" marker-end="url(#arrow)"/>'


def draw_map(cards):
    """The map as SVG: a box that is a link for each lesson, arrows from what it needs, dashed from what helps."""
    needs = needs_of(cards)
    places = place_boxes(needs)
    wide = max((left for left, _ in places.values()), default=0) + WIDE + 10
    high = max((top for _, top in places.values()), default=0) + HIGH + 10
    arrows = "\n".join(draw_arrow(places[start], places[end], kind) for start, end, kind in arrows_of(needs))
    boxes = "\n".join(draw_box(stem, card, places[stem[:2]]) for stem, card in cards.items())
    tip = '<marker id="arrow" viewBox="0 0 8 8" refX="1" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    tip += '<path class="tip" d="M0 0 L8 4 L0 8 z"/></marker>'
    label = "Lessons as boxes, with arrows from the lessons that they need; the table below says the same."
    return (
        f'<svg class="honest-map" viewBox="0 0 {wide} {high}" role="group" aria-label="{label}">\n'
        f"<defs>{tip}</defs>\n{arrows}\n{boxes}\n</svg>"
    )


# ---- for teachers -----------------------------------------------------------------------------------------------


def quiz_answers(notebook):
    """Question, right answer and its reason of each quiz, from a notebook's outputs."""
    answers = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if "quiz" not in output.get("metadata", {}).get("honest", {}):
                continue
            question, *options, verdict = output["data"]["text/plain"].splitlines()
            letter, reason = RIGHT_ANSWER.match(verdict).groups()
            right = next(option for option in options if option.startswith(f"({letter})"))
            sentence = reason[:1].upper() + reason[1:]
            answers.append({"question": question, "answer": f"{right.rstrip('.')}.", "reason": sentence})
    return answers


def honest_minutes(notebook):
    """Minutes to read a lesson, and with its exercises and quiz, as readers took them (tests/notebook/test_course.py).

    A reader takes 120 words and 8 lines of visible code a minute, 10 minutes for an exercise and 1 for a question: so
    seven lessons took on average what seven readings of them took, 80 to 120 minutes, and each within 20 minutes.
    """
    words = lines = exercises = questions = 0
    for cell in notebook.cells:
        tags = set(cell.metadata.get("tags", ()))
        if cell.cell_type == "markdown":
            words += len(re.sub(r"\$\$.*?\$\$", " ", cell.source, flags=re.DOTALL).split())
        elif "exercise" in tags:
            exercises += 1
        elif "quiz" in tags:
            questions += len(re.findall(r"^quiz\(", cell.source, flags=re.MULTILINE))
            words += len(cell.source.split())
        elif not tags & {"check", "solution", "hide-input", "remove-cell"}:
            lines += sum(bool(line.strip()) for line in cell.source.splitlines())
    reading = words / 120 + lines / 8
    return 5 * round(reading / 5), 5 * round((reading + 10 * exercises + questions) / 5)


def minutes_of(card):
    """Minutes that a card states: to read, and with the exercises.

    >>> minutes_of({"Minutes": "60 with the exercises, 25 to read; seconds to run"})
    (25, 60)
    """
    whole, reading = (int(number) for number in re.findall(r"\d+", card["Minutes"])[:2])
    return reading, whole


def route_minutes(cards, stops):
    """Minutes of all lessons of a route: to read, and with the exercises; reports have none."""
    passed = [card for stem, card in cards.items() if stem[:2] in stops.split()]
    times = [minutes_of(card) for card in passed if "Minutes" in card]
    return sum(reading for reading, _ in times), sum(whole for _, whole in times)


# ---- the README's table -----------------------------------------------------------------------------------------


def launch_links(repository, stem):
    """Links that open a lesson elsewhere, if this copy is published on GitHub.

    >>> launch_links("https://github.com/me/mine", "05_a")[0]
    '[Binder](https://mybinder.org/v2/gh/me/mine/main?urlpath=lab/tree/notebooks/05_a.ipynb)'
    """
    if not repository.startswith("https://github.com/"):
        return []
    name = repository.removeprefix("https://github.com/").rstrip("/").removesuffix(".git")
    file = f"notebooks/{stem}.ipynb"
    return [
        f"[Binder](https://mybinder.org/v2/gh/{name}/main?urlpath=lab/tree/{file})",
        f"[Colab](https://colab.research.google.com/github/{name}/blob/main/{file})",
    ]


def readme_table(root=ROOT):
    """The table of the notebooks in the README."""
    lines = ["| notebook | question | minutes with the exercises, to read |", "|---|---|---|"]
    course = read_course(root)
    for stem, lesson in course["lessons"].items():
        card = header_card(nbformat.read(root / "notebooks" / f"{stem}.ipynb", as_version=4))
        links = [f"[checks](notebooks/checks/{stem}.ipynb)"] if "checks" in lesson else []
        links += [f"[how to read it](notebooks/{lesson['lesson']}.ipynb)"] if "lesson" in lesson else []
        links += launch_links(course["repository"], stem)
        name = f"[{stem}](notebooks/{stem}.ipynb)" + (f" ({', '.join(links)})" if links else "")
        minutes = "a report"
        if "lesson" not in lesson:
            reading, whole = minutes_of(card)
            minutes = f"{whole}, {reading}"
        lines.append(f"| {name} | {lesson['question']} | {minutes} |")
    return "\n".join(lines)


def with_table(readme, table):
    """The text of the README with this table in place of its own."""
    return re.sub(r"^\| notebook \|.*?(?=\n\n)", lambda _: table, readme, count=1, flags=re.MULTILINE | re.DOTALL)


if __name__ == "__main__":
    page = ROOT / "README.md"
    page.write_text(with_table(page.read_text(encoding="utf-8"), readme_table()), encoding="utf-8")
