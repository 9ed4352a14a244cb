"""What a lesson is held to, beside the rules that all notebooks share (rules.py): short, asked before told, folded.

`python tests/notebook/lessons.py notebooks/00_start_here.ipynb ...` prints the sizes of lessons and all findings.
"""

import ast
import re
import sys
from pathlib import Path

WORDS_A_MINUTE = 150
LINES_A_MINUTE = 10
NEAR = 3  # minutes between the card and what is counted
MIN_EXERCISES = 4
MIN_QUESTIONS = 5
MIN_PREDICTIONS = 2
SECTIONS = ("exercise", "quiz", "when not", "key ideas", "read next")
METHOD_SECTIONS = ("negative control", "mislead", "real data")
HIDDEN_SOURCE = {"hide-input", "check", "solution", "quiz"}  # tags of cells whose code is folded
HIDDEN_OUTPUT = {"solution"}


def tags(cell):
    """The tags of a cell, as a set."""
    return set(cell.get("metadata", {}).get("tags", []))


def code_cells(notebook):
    """Pairs (cell number from 1, cell) of the code cells."""
    return [(k, cell) for k, cell in enumerate(notebook["cells"], 1) if cell["cell_type"] == "code"]


def entries(cell):
    """Our entries in the metadata of a cell's outputs."""
    return [output.get("metadata", {}).get("honest", {}) for output in cell.get("outputs", [])]


def count_words(text):
    """Words of markdown as a reader meets them: an address is none, a formula is one.

    >>> count_words("Write $p = q$ for [the *score*](a/b.md).")
    5
    """
    text = re.sub(r"\$\$.*?\$\$|\$[^$\n]+\$", " formula ", text, flags=re.DOTALL)
    text = re.sub(r"\]\([^)]*\)|<[^>]+>", " ", text)
    return len(re.findall(r"\w[\w'’.,-]*", text))


def said_in_quizzes(cell):
    """The texts of the quizzes of a cell."""
    if "quiz" not in tags(cell):
        return ""
    nodes = ast.walk(ast.parse(cell["source"]))
    return " ".join(node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))


def sizes(notebook):
    """Cells, words, lines of code that a reader sees, figures, and minutes to read them."""
    words = sum(count_words(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown")
    words += sum(count_words(said_in_quizzes(cell)) for _, cell in code_cells(notebook))
    seen = [cell for _, cell in code_cells(notebook) if not tags(cell) & (HIDDEN_SOURCE | {"remove-cell"})]
    lines = sum(bool(line.strip()) for cell in seen for line in cell["source"].splitlines())
    shown = [output.get("data", {}) for _, cell in code_cells(notebook) for output in cell.get("outputs", [])]
    figures = sum("image/png" in data or '<img alt="' in str(data.get("text/html", "")) for data in shown)
    minutes = round(words / WORDS_A_MINUTE + lines / LINES_A_MINUTE)
    return {"cells": len(notebook["cells"]), "words": words, "lines": lines, "figures": figures, "minutes": minutes}


def rule_minutes(notebook):
    """The minutes of the card are those of a reader who takes in 150 words or ten lines of code in one."""
    card = re.search(r"\*\*Minutes\W*(\d+)", notebook["cells"][0]["source"])
    counted = sizes(notebook)
    if not card or abs(int(card[1]) - counted["minutes"]) > NEAR:
        said = f"the card says {card[1]} minutes" if card else "the card gives no **Minutes**"
        yield 1, f"{said}; {counted['words']:,} words and {counted['lines']} lines take {counted['minutes']}"


def rule_exercises(notebook):
    """An exercise with a scaffold, its check, its solution that checks itself; stored as nobody has answered yet."""
    kinds = {"exercise", "check", "solution"}
    steps = [(k, cell, (tags(cell) & kinds).pop()) for k, cell in code_cells(notebook) if tags(cell) & kinds]
    places = [place for place, (_, _, kind) in enumerate(steps) if kind == "exercise"]
    if len(places) < MIN_EXERCISES:
        yield 1, f"{len(places)} exercises, fewer than {MIN_EXERCISES}"
    if not any("def " in steps[place][1]["source"] for place in places):
        yield 1, "no exercise asks to complete a function (def ... with return ...)"
    for place in places:
        k, cell, _ = steps[place]
        if [kind for _, _, kind in steps[place + 1 : place + 3]] != ["check", "solution"]:
            yield k, "an exercise is followed by its check and then by its solution"
        if "..." not in cell["source"]:
            yield k, "an exercise needs a scaffold with ... where the answer goes"
    for k, cell, kind in steps:
        states = [entry["exercise"] for entry in entries(cell) if "exercise" in entry]
        wanted = {"check": "open", "solution": "right"}.get(kind)
        if wanted and (not states or set(states) != {wanted}):
            yield k, f"the stored state of this {kind} is {', '.join(states) or 'missing'}, not {wanted}"


def rule_predictions(notebook):
    """At least two predictions, the first of them early, whose outputs are closed."""
    told = [(k, cell) for k, cell in code_cells(notebook) if "predict" in tags(cell)]
    if len(told) < MIN_PREDICTIONS:
        yield 1, f"{len(told)} cells tagged predict, fewer than {MIN_PREDICTIONS}"
    if told and told[0][0] > len(notebook["cells"]) / 2:
        yield told[0][0], "the first prediction comes in the second half"
    for k, cell in told:
        if not all(entry.get("prediction") for entry in entries(cell)):
            yield k, "what comes out of a prediction stands in `with prediction():`"
        if re.search(r"\bprediction\(\s*[^)\s]", cell["source"]):
            yield k, "words in prediction(...) give the answer away: they stand below, in <details>"


def rule_quiz(notebook):
    """Five questions."""
    questions = sum("quiz" in entry for _, cell in code_cells(notebook) for entry in entries(cell))
    if questions < MIN_QUESTIONS:
        yield 1, f"{questions} quiz questions, fewer than {MIN_QUESTIONS}"


def rule_claims(notebook):
    """Claims are folded, in one cell a section."""
    seen = False
    for k, cell in enumerate(notebook["cells"], 1):
        if cell["cell_type"] == "markdown" and re.search(r"^## ", cell["source"], flags=re.MULTILINE):
            seen = False
        if "claim" in tags(cell):
            if seen:
                yield k, "a second cell with claims in one section: one line a section"
            seen = True


def rule_folds(notebook):
    """What a front end must fold says so in its metadata; no claim stands open."""
    for k, cell in code_cells(notebook):
        jupyter = cell.get("metadata", {}).get("jupyter", {})
        for wanted, name in ((HIDDEN_SOURCE, "source_hidden"), (HIDDEN_OUTPUT, "outputs_hidden")):
            if tags(cell) & wanted and not jupyter.get(name):
                yield k, f"tagged {(tags(cell) & wanted).pop()}, but metadata.jupyter.{name} is not true"
        if any("claim" in entry for entry in entries(cell)):
            yield k, "claims stand in `with folded():`"


LESSON_RULES = (
    rule_minutes,
    rule_exercises,
    rule_predictions,
    rule_quiz,
    rule_claims,
    rule_folds,
)
CHECK_RULES = (rule_folds,)


def main(paths):
    """Print the sizes and the findings of notebooks."""
    import nbformat
    from rules import ROOT, lint

    for path in map(Path, paths):
        notebook = nbformat.read(path, as_version=4)
        name = path.resolve().relative_to(ROOT / "notebooks").with_suffix("").as_posix()
        counted = ", ".join(f"{value:,} {what}" for what, value in sizes(notebook).items())
        sys.stdout.write("\n  ".join([f"{name}: {counted}", *lint(notebook, name)]) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
