"""A lesson and its checks that follow every rule, for tests that break them in one place each."""

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

ALT = "A line that rises from zero to one as the stated probability grows."

PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def coded(source, tag, output, plain="a line", **jupyter):
    """A code cell with one tag, and one output that says what our metadata say."""
    metadata = {"tags": [tag]} | ({"jupyter": jupyter} if jupyter else {})
    data = {"text/plain": plain, "text/html": "<details></details>"}
    outputs = [new_output("display_data", data=data, metadata={"honest": output})] if output else []
    return new_code_cell(source, metadata=metadata, outputs=outputs)


def number(cells):
    for count, cell in enumerate((cell for cell in cells if cell.cell_type == "code"), 1):
        cell.execution_count = count
    return cells


def drawn():
    """A cell that shows one figure."""
    data = {"image/png": PICTURE, "text/plain": "Figure"}
    output = new_output("display_data", data=data, metadata={"image/png": {"alt": ALT}})
    return new_code_cell("draw.use_style()\nfigure(fig, alt=ALT)", outputs=[output])


def steps_of_exercise(k, scaffold, solution, given, also=""):
    """What an exercise asks, its scaffold, its check and its solution."""
    check = f"check_{k} = Check({k}{also})\ncheck_{k}(answer_{k}{given})"
    solved = f"{solution}  # the secret\n\n\ncheck_{k}(solution_{k}{given})"
    hidden = {"source_hidden": True, "outputs_hidden": True}
    return [
        new_markdown_cell(f"**Exercise {k}.** What is it?"),
        coded(scaffold, "exercise", None),
        coded(check, "check", {"exercise": "open"}, source_hidden=True),
        coded(solved, "solution", {"exercise": "right"}, **hidden),
    ]


def good_lesson():
    """A lesson that follows every rule."""
    minutes = "5 with the exercises, 5 to read"
    facts = {"Goals": "see it", "Needs": "nothing", "Minutes": minutes, "Papers": "Melo 3.1"}
    lines = "".join(f"\n| **{name}** | {words} |" for name, words in facts.items())
    card = f"# A title\n\n| | |\n|---|---|{lines}"
    parameters = "n_rows = 100  # rows to draw\nseed = 0  # random seed"
    held = {"claims": [{"claim": "known.claim", "holds": True}]}
    shown = new_output("stream", name="stdout", text="a line\n")
    told = "Why?\n(a) a\n(b) b\nRight is (a): x"
    cells = [
        new_markdown_cell(card),
        new_code_cell(parameters, metadata={"tags": ["parameters"]}),
        new_markdown_cell("## A decision\n\n$$\\begin{cases} q \\cr c \\end{cases} \\tag{6}$$\n\n$$q \\\\ c$$"),
        drawn(),
        new_markdown_cell("## Negative control"),
        coded("with folded():\n    claim('known.claim', 1, 1, tol=0)", "claim", held),
        new_markdown_cell("## Where it misleads: predict, then run"),
        new_code_cell("show('a line')", metadata={"tags": ["remove-cell"]}, outputs=[shown]),
        new_markdown_cell("## Real data: paper value and ours"),
        coded("with prediction():\n    show('a line')", "predict", {"prediction": True}),
        *steps_of_exercise(1, "answer_1 = ...", "solution_1 = 1", ""),
        *steps_of_exercise(
            2, "def answer_2(p):\n    return ...", "def solution_2(p):\n    return 2 * p", ", 1", ", also=[((3,), 6)]"
        ),
        coded("quiz('Why?', {'a': 'x', 'b': 'y'}, 1)", "quiz", {"quiz": 2}, told, source_hidden=True),
    ]
    titles = ("Quiz", "Exercises", "When not to use it", "Key ideas", "What to read next")
    cells += [new_markdown_cell(f"## {title}") for title in titles]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = new_notebook(metadata={"kernelspec": kernel, "language_info": {"name": "python"}})
    notebook.cells = number([cell.copy() for cell in cells])
    for place, cell in enumerate(notebook.cells):
        cell.id = f"cell-{place}"
    return notebook


def good_checks():
    """A notebook of checks that follows every rule."""
    notebook = good_lesson()
    card = new_markdown_cell("# Checks of a title\n\n- **Lesson** 55\n- **Papers** Melo 3.1")
    notebook.cells = number([card, *notebook.cells[1:6]])
    return notebook


def cell_with(notebook, words):
    """The first code cell whose source contains `words`."""
    return next(cell for cell in notebook.cells if cell.cell_type == "code" and words in cell.source)


def strip(notebook):
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
            cell.execution_count = None
