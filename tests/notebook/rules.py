"""Check the notebooks against the rules they are written by; each finding reads 'notebook: cell k: rule'.

Each rule is a function of a notebook (a dict as nbformat reads it) that yields (cell number from 1, message).
The ledger check at the end compares data/claims.csv with the claim cells.
"""

import ast
import csv
import re
from pathlib import Path

from lessons import CHECK_RULES, LESSON_RULES, METHOD_SECTIONS, SECTIONS, code_cells, tags
from nbval.plugin import get_sanitize_patterns

from helpers.notebook.claims import recorded_claims
from helpers.notebook.sliders import WIDGET
from helpers.run import list_notebooks

ROOT = Path(__file__).resolve().parents[2]
TAGS = {"parameters", "claim", "exercise", "check", "solution", "predict", "quiz", "hide-input", "hide-output"}
TAGS |= {"remove-cell", "raises-exception"}
SPEAKING = {"show", "table", "figure", "explore", "claim", "parameters", "quiz", "Check"}
CARD = ("Goals", "Needs", "Minutes", "Papers")
CHECK_CARD = ("Lesson", "Papers")
NO_METHOD = ("00_", "13_", "14_")
REPORTS = ("13_", "14_")
MAX_LINES = 20  # of a code cell
MAX_WIDTH = 100  # signs of a line of code
MAX_FUNCTION = 10  # lines
STATUSES = ("planned", "verified", "reproduced", "agrees", "disagrees", "differs", "needs")  # in the ledger
CLAIMED = ("verified", "agrees")  # the statuses that need a claim that holds
MIN_ALT = 20  # signs of an alternative text
PLACES = re.compile(r"(?<![\w.:/])(/(home|Users|root|tmp|work|private|var|opt|mnt|usr|content)/[\w.-]+|[A-Z]:\\\w)")
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]{6,}|<ipython-input|ipykernel_\d+")
DISPLAY = re.compile(r"\$\$(.+?)\$\$|^`{3,}\{math\}(.+?)^`{3,}", re.DOTALL | re.MULTILINE)
BORDER = "lies at a rounding border"  # in the note of helpers/notebook/borders.py
SANITIZER = Path(__file__).with_name("nbval.cfg")
TIMING = re.compile(r"%%?time(it)?\b|perf_counter|time\.time\(|datetime\.now|date\.today")


def parsed(cell):
    """Syntax tree of a code cell; line magics count as `pass`."""
    source = re.sub(r"^(\s*)[%!].*$", r"\1pass", cell["source"], flags=re.MULTILINE)
    try:
        return ast.parse(source)
    except SyntaxError:
        return ast.Module(body=[], type_ignores=[])


def calls(cell):
    """Names of the functions a code cell calls."""
    names = [node.func for node in ast.walk(parsed(cell)) if isinstance(node, ast.Call)]
    return {f.id if isinstance(f, ast.Name) else getattr(f, "attr", "") for f in names}


def prose(notebook):
    """(cell number, source) of the markdown cells."""
    return [(k, c["source"]) for k, c in enumerate(notebook["cells"], 1) if c["cell_type"] == "markdown"]


def output_text(output):
    """Everything a reader may read in one output."""
    data = output.get("data", {})
    pieces = [output.get("text", ""), *[v for kind, v in data.items() if kind.startswith("text/")]]
    pieces += output.get("traceback", [])
    return "\n".join("".join(piece) for piece in pieces)


def sanitized(text):
    """What nbval compares of a text."""
    for pattern, instead in get_sanitize_patterns(SANITIZER.read_text(encoding="utf-8")):
        text = re.sub(pattern, instead, text)
    return text


def is_live(cell):
    """Whether a code cell asks for sliders in place of still pictures."""
    nodes = [node for node in ast.walk(parsed(cell)) if isinstance(node, ast.keyword) and node.arg == "live"]
    return any(not isinstance(node.value, ast.Constant) or node.value.value is not False for node in nodes)


def lines_of(cell):
    """The lines of a cell that are not blank."""
    return [line for line in cell["source"].splitlines() if line.strip()]


def rule_cells(notebook):
    """Short cells, short lines, short functions."""
    for k, cell in code_cells(notebook):
        lines = lines_of(cell)
        if not lines:
            yield k, "an empty code cell"
        if len(lines) > MAX_LINES and "quiz" not in tags(cell):
            yield k, f"{len(lines)} lines of code, more than {MAX_LINES}"
        for line in lines:
            if len(line) > MAX_WIDTH:
                yield k, f"a line of {len(line)} characters, more than the {MAX_WIDTH} that a page shows"
        for node in ast.walk(parsed(cell)):
            if isinstance(node, ast.FunctionDef) and node.end_lineno - node.lineno + 1 > MAX_FUNCTION:
                yield k, f"function {node.name} is longer than {MAX_FUNCTION} lines: method code lives in helpers"


def rule_source(notebook):
    """No path tricks, no clocks, no nbval exceptions without a reason."""
    ignored = 0
    for k, cell in code_cells(notebook):
        if "sys.path" in cell["source"]:
            yield k, "sys.path is changed: the package is installed"
        if TIMING.search(cell["source"]):
            yield k, "a clock in a notebook: outputs would differ between machines"
        lines = [line.strip() for line in cell["source"].splitlines()]
        for here, line in enumerate(lines):
            if line.lstrip("# ").startswith("NBVAL_") and "NBVAL_IGNORE_OUTPUT" not in line:
                yield k, f"marker {line.lstrip('# ')} is not allowed"
            elif "NBVAL_IGNORE_OUTPUT" in line:
                ignored += 1
                if not lines[here + 1 : here + 2] or not lines[here + 1].startswith("#"):
                    yield k, "NBVAL_IGNORE_OUTPUT needs its reason in a comment on the next line"
                if ignored > 1:
                    yield k, "NBVAL_IGNORE_OUTPUT more than once"


def rule_parameters(notebook):
    """One cell tagged parameters: plain literals, one a line, a comment each."""
    tagged = [(k, cell) for k, cell in code_cells(notebook) if "parameters" in tags(cell)]
    if len(tagged) != 1:
        yield 1, f"{len(tagged)} cells tagged parameters, not one"
    for k, cell in tagged:
        for node in parsed(cell).body:
            line = cell["source"].splitlines()[node.lineno - 1]
            plain = isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
            try:
                ast.literal_eval(node.value if plain else None)
            except ValueError:
                plain = False
            if not plain:
                yield k, f"not a plain assignment of a literal: {line}"
            elif node.end_lineno != node.lineno or not re.search(r"#\s*\S", line):
                yield k, f"a parameter stands on one line with a comment: {line}"


def rule_tags(notebook):
    """Tags come from the fixed list."""
    for k, cell in enumerate(notebook["cells"], 1):
        for tag in sorted(tags(cell) - TAGS):
            yield k, f"tag {tag} is not one of {', '.join(sorted(TAGS))}"
        if "claim" in tags(cell) and "claim" not in calls(cell):
            yield k, "tagged claim, but claim() is not called"
        if "claim" not in tags(cell) and cell["cell_type"] == "code" and "claim" in calls(cell):
            yield k, "calls claim(), but is not tagged claim"


def rule_format(notebook):
    """Kernel python3, nbformat 4.5 with cell ids, counts 1..n."""
    if notebook["metadata"].get("kernelspec", {}).get("name") != "python3":
        yield 1, "the kernel is not python3"
    ids = [cell.get("id") for cell in notebook["cells"]]
    if notebook.get("nbformat_minor", 0) < 5 or None in ids or len(set(ids)) < len(ids):
        yield 1, "cell ids are missing or repeated (nbformat 4.5)"
    for count, (k, cell) in enumerate(code_cells(notebook), 1):
        if cell.get("execution_count") != count:
            yield k, f"execution count {cell.get('execution_count')}, not {count}: run all cells in order"


def rule_outputs(notebook):
    """Outputs are stored, fixed in format, and say nothing about the machine that made them."""
    for k, cell in code_cells(notebook):
        outputs = cell.get("outputs", [])
        if calls(cell) & SPEAKING and not outputs:
            yield k, "no stored output: run the notebook and save it"
        if is_live(cell):
            yield k, "asks for sliders: write live=False"
        if any(WIDGET in output.get("data", {}) for output in outputs):
            yield k, "a widget is stored, which only its own kernel can draw: run the cell with live=False"
        last = parsed(cell).body[-1:]
        loose = last and isinstance(last[0], ast.Expr) and not isinstance(last[0].value, ast.Call)
        if (loose and not cell["source"].rstrip().endswith(";")) or any(
            output["output_type"] == "execute_result" for output in outputs
        ):
            yield k, "ends in a bare object: use show, table or figure"
        for output in outputs:
            text = output_text(output)
            if output.get("name") == "stderr":
                yield k, "something was written to stderr"
            if output["output_type"] == "error" and "raises-exception" not in tags(cell):
                yield k, f"a stored error: {output.get('ename')}"
            if PLACES.search(text):
                yield k, f"a path of one machine in the output: {PLACES.search(text).group()}"
            if ADDRESS.search(text):
                yield k, f"an address in the output: {ADDRESS.search(text).group().strip()}"
            if "data:image/" in sanitized(text) or "image/svg+xml" in output.get("data", {}):
                yield k, "a picture in an output that is compared: it differs between machines in single pixels"
            if BORDER in text:
                yield k, "a number at a rounding border: show more or fewer digits"
            if "Warning: " in text:
                yield k, "a warning in the output"


def rule_figures(notebook):
    """At most one figure a cell, each with alternative text; images in prose too."""
    for k, cell in code_cells(notebook):
        figures = [output for output in cell.get("outputs", []) if "image/png" in output.get("data", {})]
        for output in figures:
            alt = output.get("metadata", {}).get("image/png", {}).get("alt", "")
            if len(alt.strip()) < MIN_ALT:
                yield k, "a figure without alternative text: figure(fig, alt=...)"
        if len(figures) > 1:
            yield k, "more than one figure in a cell"
    for k, source in prose(notebook):
        if re.search(r"!\[\s*\]\(|<img(?![^>]*\balt=)", source):
            yield k, "an image without alternative text"


def rule_formulas(notebook):
    """No \\tag beside a line break: Sphinx puts such a display formula into split or aligned, which take no \\tag."""
    for k, source in prose(notebook):
        for formula in (match[1] or match[2] for match in DISPLAY.finditer(source)):
            commands = re.findall(r"\\(?:[A-Za-z]+|.)", formula)
            number = re.search(r"\\tag\*?\s*(\{[^}]*\}|)", formula)
            if "\\tag" in commands and ("\\\\" in commands or re.search(r"\n\s*\n", formula.strip())):
                yield k, f"the site cannot draw {number[0]} in a formula with \\\\ or a blank line: write \\cr for \\\\"


def rule_anatomy(notebook, name=""):
    """Header card first, and the sections every reader may rely on."""
    kind = kind_of(name)
    first = notebook["cells"][0] if notebook["cells"] else {"cell_type": "", "source": ""}
    if first["cell_type"] != "markdown" or not first["source"].startswith("# "):
        yield 1, "the first cell is not a header card that starts with '# Title'"
    for label in CHECK_CARD if kind == "checks" else CARD:
        if f"**{label}" not in first["source"]:
            yield 1, f"the header card lacks **{label}**"
    text = "\n".join(source for _, source in prose(notebook))
    titles = "\n".join(re.findall(r"^#{1,4} .*$", text, flags=re.MULTILINE)).lower()
    wanted = () if kind == "checks" else SECTIONS
    if kind == "lesson" and not name.startswith(NO_METHOD):
        wanted += METHOD_SECTIONS
    for words in wanted:
        if words not in titles:
            yield 1, f"no section heading contains '{words}'"
    if len(re.findall(r"^# ", text, flags=re.MULTILINE)) > 1:
        yield 1, "more than one heading of the first level"


def kind_of(name):
    """What a notebook is: "checks", "report" or "lesson"."""
    if name.startswith("checks/"):
        return "checks"
    return "report" if name.startswith(REPORTS) else "lesson"


RULES = (rule_cells, rule_source, rule_parameters, rule_tags, rule_format, rule_outputs, rule_figures, rule_formulas)
RULES_OF = {
    "lesson": LESSON_RULES,
    "report": LESSON_RULES,
    "checks": CHECK_RULES,
}


def lint(notebook, name):
    """All findings for one notebook, as lines 'name: cell k: rule'; `name` as in `list_notebooks`."""
    findings = [finding for rule in (*RULES, *RULES_OF[kind_of(name)]) for finding in rule(notebook)]
    findings += rule_anatomy(notebook, name)
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
