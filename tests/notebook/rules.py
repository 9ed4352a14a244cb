"""Check the notebooks against the rules they are written by; each finding reads 'notebook: cell k: rule'.

Each rule is a function of a notebook (a dict as nbformat reads it) that yields (cell number from 1, message). It stands
for a fault that readers, students' copies, other machines or the site would meet. The ledger check at the end compares
data/claims.csv with the claim cells.
"""

import ast
import csv
import functools
import re
from pathlib import Path

import yaml
from stored_outputs import PICTURE

from helpers.notebook.claims import recorded_claims
from helpers.notebook.display import KEY
from helpers.notebook.student import tags
from helpers.practice.run import list_notebooks

ROOT = Path(__file__).resolve().parents[2]
TAGS = {"parameters", "claim", "exercise", "check", "solution", "predict", "quiz", "hide-input", "hide-output", "slide"}
TAGS |= {"remove-cell", "raises-exception"}
SPEAKING = {"show", "table", "figure", "claim", "quiz", "Check"}
CARD = ("Goals", "Needs", "Minutes", "Papers")  # which the map of the site shows
CHECK_CARD = ("Lesson", "Papers")
SECTIONS = ("exercise", "quiz", "when not", "key ideas", "read next")  # of a lesson
HIDDEN_SOURCE = {"hide-input", "check", "solution", "quiz"}  # tags of cells whose code is folded
STATUSES = ("planned", "verified", "reproduced", "agrees", "disagrees", "cannot tell", "differs", "needs")  # of claims
CLAIMED = ("verified", "agrees", "disagrees")  # the statuses that need a claim that holds
MIN_ALT = 20  # signs of an alternative text
PLACES = re.compile(r"(?<![\w.:/])(/(home|Users|root|tmp|work|private|var|opt|mnt|usr|content)/[\w.-]+|[A-Z]:\\\w)")


@functools.cache
def lessons():
    """The lessons of site/course.yml."""
    return yaml.safe_load((ROOT / "site" / "course.yml").read_text(encoding="utf-8"))["lessons"]


def second_parameters(name):
    """Other, small parameters of a notebook, from site/course.yml."""
    folder, _, stem = name.rpartition("/")
    return dict(lessons().get(stem, {}).get(folder or "second", {}))


def code_cells(notebook):
    """Pairs (cell number from 1, cell) of the code cells."""
    return [(k, cell) for k, cell in enumerate(notebook["cells"], 1) if cell["cell_type"] == "code"]


def entries(cell):
    """Our entries in the metadata of a cell's outputs."""
    return [output.get("metadata", {}).get(KEY, {}) for output in cell.get("outputs", [])]


def parsed(cell):
    """Syntax tree of a code cell; line magics count as `pass`."""
    return ast.parse(re.sub(r"^(\s*)[%!].*$", r"\1pass", cell["source"], flags=re.MULTILINE))


def calls(cell):
    """Names of the functions a code cell calls."""
    names = [node.func for node in ast.walk(parsed(cell)) if isinstance(node, ast.Call)]
    return {f.id if isinstance(f, ast.Name) else getattr(f, "attr", "") for f in names}


def output_text(output):
    """Everything a reader may read in one output."""
    data = output.get("data", {})
    pieces = [output.get("text", ""), *[v for kind, v in data.items() if kind.startswith("text/")]]
    return "\n".join("".join(piece) for piece in pieces)


def rule_parameters(notebook):
    """One cell is tagged parameters: an assignment a line, each with the comment that `--help` shows."""
    tagged = [(k, cell) for k, cell in code_cells(notebook) if "parameters" in tags(cell)]
    if len(tagged) != 1:
        yield 1, f"{len(tagged)} cells tagged parameters, not one"
    for k, cell in tagged:
        if any(re.search(r"import .*\bparameters\b", above["source"]) for j, above in code_cells(notebook) if j < k):
            yield k, "the guard is imported above the parameters: it would not know what papermill misspelt"
        for line in cell["source"].splitlines():
            if not re.fullmatch(r"\w+ = \S.*  # \S.*", line):
                yield k, f"a parameter stands on one line with a comment: {line}"


def rule_tags(notebook):
    """Tags come from the fixed list, and claims are tagged."""
    for k, cell in enumerate(notebook["cells"], 1):
        for tag in sorted(tags(cell) - TAGS):
            yield k, f"tag {tag} is not one of {', '.join(sorted(TAGS))}"
        if cell["cell_type"] == "code" and ("claim" in tags(cell)) != ("claim" in calls(cell)):
            yield k, "a cell is tagged claim if it calls claim(), and only then"


def rule_format(notebook):
    """Kernel python3, nbformat 4.5 with cell ids, counts 1..n; nothing is hidden from nbval."""
    if notebook["metadata"].get("kernelspec", {}).get("name") != "python3":
        yield 1, "the kernel is not python3"
    ids = [cell.get("id") for cell in notebook["cells"]]
    if notebook.get("nbformat_minor", 0) < 5 or None in ids or len(set(ids)) < len(ids):
        yield 1, "cell ids are missing or repeated (nbformat 4.5)"
    for count, (k, cell) in enumerate(code_cells(notebook), 1):
        if cell.get("execution_count") != count:
            yield k, f"execution count {cell.get('execution_count')}, not {count}: run all cells in order"
        for marker in re.findall(r"# (NBVAL_\w+)(?!\w|\n#)", cell["source"]):
            yield k, f"marker {marker} needs its reason in a comment on the next line"


def rule_outputs(notebook):
    """Outputs are stored, fixed in format, and say nothing about the machine that made them."""
    for k, cell in code_cells(notebook):
        outputs = cell.get("outputs", [])
        if calls(cell) & SPEAKING and not outputs:
            yield k, "no stored output: run the notebook and save it"
        for output in outputs:
            text = output_text(output)
            if output["output_type"] == "execute_result":
                yield k, "ends in a bare object: use show, table or figure"
            if output.get("name") == "stderr":
                yield k, "something was written to stderr"
            if output["output_type"] == "error" and "raises-exception" not in tags(cell):
                yield k, f"a stored error: {output.get('ename')}"
            if PLACES.search(text):
                yield k, f"a path of one machine in the output: {PLACES.search(text).group()}"
            if "data:image/" in re.sub(PICTURE, "", text) or "image/svg+xml" in output.get("data", {}):
                yield k, "a picture in an output that is compared: it differs between machines in single pixels"


def rule_formulas(notebook):
    """The site sets a formula of several lines as `split`, in which an equation's number is an error."""
    for k, cell in enumerate(notebook["cells"], 1):
        for formula in re.findall(
            r"\$\$(.+?)\$\$", cell["source"] if cell["cell_type"] == "markdown" else "", re.DOTALL
        ):
            if "\\\\" in formula and r"\tag" in formula:
                yield k, r"a formula has both a line break and a \tag"


def rule_figures(notebook):
    """Figures and images in prose have alternative texts; a finding is a title, without a full stop."""
    for k, cell in enumerate(notebook["cells"], 1):
        for output in cell.get("outputs", []):
            alt = output.get("metadata", {}).get("image/png", {}).get("alt", "")
            if "image/png" in output.get("data", {}) and len(alt.strip()) < MIN_ALT:
                yield k, "a figure without alternative text: figure(fig, alt=...)"
            if re.search(r'class="honest-finding">[^<]*\.</p>', output_text(output)):
                yield k, "the title of a figure ends in a full stop"
        if cell["cell_type"] == "markdown" and re.search(r"!\[\s*\]\(|<img(?![^>]*\balt=)", cell["source"]):
            yield k, "an image without alternative text"


def rule_style(notebook):
    """The guard sets the style of the house; a figure above it asks for it."""
    for k, cell in code_cells(notebook):
        if calls(cell) & {"parameters", "use_style"}:
            return
        if "figure" in calls(cell):
            yield k, "a figure before its style: draw.use_style()"
            return


def rule_folds(notebook):
    """What JupyterLab must fold says so in its metadata; no claim and no prediction stands open."""
    for k, cell in code_cells(notebook):
        jupyter = cell.get("metadata", {}).get("jupyter", {})
        for wanted, name in ((HIDDEN_SOURCE, "source_hidden"), ({"solution"}, "outputs_hidden")):
            if tags(cell) & wanted and not jupyter.get(name):
                yield k, f"tagged {(tags(cell) & wanted).pop()}, but metadata.jupyter.{name} is not true"
        if any("claim" in entry for entry in entries(cell)):
            yield k, "claims stand in `with folded():`"
        if "predict" in tags(cell) and not all(entry.get("prediction") for entry in entries(cell)):
            yield k, "what comes out of a prediction stands in `with prediction():`"


def rule_exercises(notebook):
    """An exercise with a scaffold, its check, its solution that checks itself; stored as nobody has answered yet."""
    kinds = {"exercise", "check", "solution"}
    steps = [(k, cell, (tags(cell) & kinds).pop()) for k, cell in code_cells(notebook) if tags(cell) & kinds]
    for place, (k, cell, kind) in enumerate(steps):
        if kind == "exercise":
            if [other for _, _, other in steps[place + 1 : place + 3]] != ["check", "solution"]:
                yield k, "an exercise is followed by its check and then by its solution"
            if "..." not in cell["source"]:
                yield k, "an exercise needs a scaffold with ... where the answer goes"
            continue
        wanted = {"check": "open", "solution": "right"}[kind]
        states = {entry["exercise"] for entry in entries(cell) if "exercise" in entry}
        if states != {wanted}:
            yield k, f"the stored state of this {kind} is {', '.join(states) or 'missing'}, not {wanted}"


def rule_statements(notebook):
    """Markdown between an exercise and the one before it states it: "Exercise 3" for what check_3 checks."""
    words = ""
    for k, cell in enumerate(notebook["cells"], 1):
        words += cell["source"] + "\n" if cell["cell_type"] == "markdown" else ""
        if "check" in tags(cell):
            for number in re.findall(r"^check_(\w+) = ", cell["source"], flags=re.MULTILINE):
                if not re.search(rf"\bExercise {number}\b", words):
                    yield k, f"no Markdown above it states exercise {number}"
            words = ""


def rule_anatomy(notebook, kind):
    """Header card first, and the sections every reader may rely on."""
    text = "\n".join(cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "markdown")
    card = notebook["cells"][0]["source"]
    titles = re.findall(r"^(#{1,4}) (.*)$", text, flags=re.MULTILINE)
    if not card.startswith("# ") or [level for level, _ in titles].count("#") > 1:
        yield 1, "the one heading of the first level stands at the top of the header card"
    for label in {"checks": CHECK_CARD, "report": (), "lesson": CARD}[kind]:
        if f"**{label}" not in card:
            yield 1, f"the header card lacks **{label}**"
    for words in SECTIONS if kind == "lesson" else ():
        if not any(words in title.lower() for _, title in titles):
            yield 1, f"no section heading contains '{words}'"


def rule_report(notebook, kind, lesson):
    """A report links to its lesson at its top; what follows is said by its cells, and nothing of it is hidden."""
    if kind != "report":
        return
    if f"({lesson}.ipynb)" not in notebook["cells"][0]["source"]:
        yield 1, f"the first cell of a report links to its lesson, {lesson}"
    for k, cell in enumerate(notebook["cells"][1:], 2):
        if cell["cell_type"] == "markdown":
            yield k, "a report has no prose: its parts bring their words"
        if tags(cell) - {"parameters", "remove-cell"}:
            yield k, "no cell of a report is one of a lesson, or hidden"


def lesson_of(name):
    """The lesson that teaches to read a report; "" for a notebook that is none."""
    return lessons().get(name, {}).get("lesson", "")


def kind_of(name):
    """What a notebook is: "checks", "report" or "lesson"."""
    if name.startswith("checks/"):
        return "checks"
    return "report" if lesson_of(name) else "lesson"


RULES = (
    rule_parameters,
    rule_tags,
    rule_format,
    rule_outputs,
    rule_formulas,
    rule_figures,
    rule_style,
    rule_folds,
    rule_exercises,
    rule_statements,
)


def lint(notebook, name):
    """All findings for one notebook, as lines 'name: cell k: rule'; `name` as in `list_notebooks`."""
    findings = [finding for rule in RULES for finding in rule(notebook)]
    findings += rule_anatomy(notebook, kind_of(name))
    findings += rule_report(notebook, kind_of(name), lesson_of(name))
    return [f"{name}: cell {k}: {message}" for k, message in sorted(findings)]


def claim_ids(notebook):
    """Ids in calls claim("id", ...) and in the records of stored outputs."""
    written = set()
    recorded = {}
    for _, cell in code_cells(notebook):
        for node in ast.walk(parsed(cell)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "claim" and node.args:
                if isinstance(node.args[0], ast.Constant):
                    written.add(node.args[0].value)
        for output in cell.get("outputs", []):
            for record in recorded_claims(output.get("metadata", {}).get("honest", {})):
                recorded[record["claim"]] = bool(record.get("holds"))
    return written, recorded


def ledger_findings(rows, notebooks):
    """Compare rows of data/claims.csv with {stem: notebook}; returns one line for each disagreement.

    A claim needs a row; a row that is verified or agrees needs a claim that holds in the notebook it names; any row
    whose status is not planned or needs names a notebook that exists (by its number or its full name).
    """
    findings = []
    known = [row["id"] for row in rows]
    for repeated in sorted({claim for claim in known if known.count(claim) > 1}):
        findings.append(f"claims.csv: {repeated}: more than one row")
    ids = {stem: claim_ids(notebook) for stem, notebook in notebooks.items()}
    for stem, (written, recorded) in ids.items():
        for unknown in sorted((written | set(recorded)) - set(known)):
            findings.append(f"{stem}: claim {unknown} has no row in claims.csv")
    for row in rows:
        asked = [part.strip() for part in re.split(r"[;,]", row["notebook"]) if part.strip()]
        there = [stem for stem in notebooks for part in asked if stem == part or stem.startswith(f"{part}_")]
        if row["status"] not in STATUSES:
            findings.append(f"claims.csv: {row['id']}: status {row['status']!r} is not one of {', '.join(STATUSES)}")
        if row["status"] not in ("planned", "needs") and not there:
            findings.append(
                f"claims.csv: {row['id']}: notebook {row['notebook']!r} does not exist, "
                f"but the status is {row['status']}"
            )
        elif row["status"] in CLAIMED and not any(ids[stem][1].get(row["id"]) for stem in there):
            findings.append(
                f"claims.csv: {row['id']}: {row['status']}, but no claim that holds is stored in {row['notebook']}"
            )
    return findings


def shelf():
    """{name: path} of all lessons and checks of this repository."""
    return list_notebooks(ROOT / "notebooks")


def read_ledger(path=ROOT / "data" / "claims.csv"):
    """Rows of data/claims.csv as dicts."""
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
