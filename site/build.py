"""Render build/site/ with Sphinx from the executed copies in build/executed/, readable without a network.

Nothing is executed here. Alternative texts move to where myst-nb looks for them, links that leave notebooks/ become
plain words, the map, the ledger and the pages of the package are written, and the finished pages are searched for
outside addresses and for formulas that a reader would see as an error box.
"""

import argparse
import hashlib
import html
import importlib
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import jinja2
import nbformat
import yaml
from cells import for_site
from course import draw_map, needs_of, quiz_answers, read_course, route_minutes
from formulas import can_draw, draw_formulas
from ledger import ledger_page, read_rows
from nbformat.v4 import new_markdown_cell
from pages import FORMULA, SiteError, finish, first_figure, write_thumbnail
from terms import read_glossary, used_terms

from helpers.run import list_notebooks

ROOT = Path(__file__).resolve().parent.parent
ABOUT = (
    "Research notebooks and a tested Python package on when the stated probabilities of a black-box model can be "
    "believed: calibration, grouping loss, decisions, abstention, and the confidence of sampled answers."
)
DESCRIPTIONS = {
    "index": ABOUT,
    "about": "How the pages of Honest Confidence are made, checked and used: keys, printing, citing, running a lesson.",
    "benchmarks": "Time, memory and statistical efficiency of the estimators, measured beside other packages.",
    "glossary": "The letters and terms of the lessons on calibration and grouping loss, with those of the four papers.",
    "ledger": "Every numbered statement of four papers on calibration and confidence, and what is checked of it.",
    "map": "All lessons in a table: what they are about, how long they take, what they check.",
    "api/index": "The Python package behind the lessons: estimators of grouping loss, risk, abstention and confidence.",
}
ROUTES = {
    "Decisions about people": ("You have a risk score, and somebody acts on it.", "00 01 05 06 07 13"),
    "Language models": ("You have a model that answers, and says how sure it is.", "00 09 11 12 16 14 06 08"),
    "Theory": ("You want to know what can be estimated at all, and why.", "00 01 02 03 04 05 09 11"),
}
ADDRESS = r"((?:https?:)?//[^\"'\s>)]+)"
SOURCE = re.compile(rf"<(?:script|img|iframe|source|audio|video|embed)\b[^>]*\bsrc(?:set)?\s*=\s*[\"']?{ADDRESS}", re.I)
LINKED = r"stylesheet|preload|prefetch|preconnect|modulepreload|icon|shortcut"
LINK = re.compile(rf"<link\b(?=[^>]*\brel\s*=\s*[\"']?(?:{LINKED}))[^>]*\bhref\s*=\s*[\"']?{ADDRESS}", re.I)
STYLE = re.compile(rf"(?:url\(\s*[\"']?|@import\s+[\"']){ADDRESS}", re.I)
NUMBERED = set("equation align alignat xalignat flalign gather multline eqnarray".split())
WITHOUT_TAG = {"split", "aligned", "alignedat", "gathered"}
GRIDS = set("cases array subarray matrix pmatrix bmatrix Bmatrix vmatrix Vmatrix smallmatrix".split())
PARTNER = {"}": "{", "\\right": "\\left"}
STORABLE = "run HONEST_FIGURE_SCALE=1 make run ARGS=--overwrite first"
DOCSTRING = re.compile(r"docstring of |/api/helpers\.")  # in the place that Sphinx names with a warning


# ---- pages that are made here -----------------------------------------------------------------------------------


def header_card(notebook):
    """Title and the labelled lines (**Minutes** ..., **Papers** ...) of a notebook's first cell."""
    text = notebook.cells[0].source if notebook.cells else ""
    title = re.search(r"^# (.+)$", text, flags=re.MULTILINE)
    lines = re.findall(r"\*\*(\w+)[.:]?\*\*[.:]?\s*(.*)", text)
    return {"Title": title.group(1).strip() if title else "", **{k: v.strip(" |\\") for k, v in lines}}


def plain(text):
    """Markdown as words alone, for what a search engine shows."""
    return re.sub(r"[*`$]|\\\w+", "", text)


def with_formulas(text):
    """Plain text as HTML; $...$ becomes a formula, `...` code."""
    text = html.escape(text or "", quote=False)
    text = re.sub(r"\$([^$]+)\$", r'<span class="math notranslate nohighlight">\\(\1\\)</span>', text)
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", text)


def short_name(stem):
    """How a table names a notebook: its number, and whether it holds checks.

    >>> short_name("05_honest_partitions"), short_name("checks/05_honest_partitions")
    ('05', '05 checks')
    """
    number = stem.removeprefix("checks/")[:2]
    return f"{number} checks" if stem.startswith("checks/") else number


def cited_papers(root):
    """The papers of CITATION.cff, each with the name and the anchor that links use, and what is said in one line."""
    papers = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))["references"]
    described = []
    for paper in papers:
        names = [author["family-names"] for author in paper["authors"]]
        identifiers = [entry["value"] for entry in paper.get("identifiers", [])]
        place = (paper.get("conference") or {}).get("name") or ", ".join(identifiers)
        title = f"{paper['title']}. {place}"
        says = f"{', '.join(names)} ({paper['year']}): {title}"
        described.append(paper | {"name": names[0], "anchor": f"paper-{names[0].lower()}", "says": says})
    return described


def route_key(route):
    """What stands for a route in addresses: its first word.

    >>> route_key("Language models")
    'language'
    """
    return route.split()[0].lower()


def ways_on(name):
    """The routes that pass a lesson: name, key, all its numbers, and how many of them come before this lesson.

    >>> ways_on("12_sem_ece_in_practice")
    [('Language models', 'language', ['00', '09', '11', '12', '16', '14', '08'], 3)]
    """
    stops = {route: numbers.split() for route, (_, numbers) in ROUTES.items()}
    number = name[:2]
    return [(route, route_key(route), all_, all_.index(number)) for route, all_ in stops.items() if number in all_]


def templates(stems):
    """The templates of this folder, with the filters that they use."""
    loader = jinja2.FileSystemLoader(Path(__file__).with_name("_templates"))
    environment = jinja2.Environment(loader=loader, undefined=jinja2.ChainableUndefined)

    def links(names, route=""):
        pieces = []
        query = f"?route={route_key(route)}" if route else ""
        for part in filter(None, re.split(r"[;,\s]+", names or "")):
            stem = next((stem for stem in stems if stem == part or stem.startswith(f"{part}_")), None)
            link = f'<a href="notebooks/{stem}.html{query}">{short_name(stem)}</a>' if stem else html.escape(part[:2])
            pieces.append(link)
        return ", ".join(pieces)

    environment.filters["links"] = links
    environment.filters["route_key"] = route_key
    environment.filters["short"] = lambda title: re.match(r"[^:]*?\?|[^:]*", title)[0]
    environment.filters["words"] = with_formulas
    environment.filters["plain"] = plain
    environment.filters["capitalize_first"] = lambda text: text[:1].upper() + text[1:]
    environment.filters["cell"] = lambda text: str(text).replace("|", "\\|")
    return environment


def public_names(module):
    """Names that a module offers, each with the kind of thing it is for autodoc."""
    names = getattr(module, "__all__", None)
    if names is None:
        own = [name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
        names = sorted(name for name in own if not name.startswith("_"))
    for name in names:
        value = getattr(module, name)
        if inspect.isclass(value):
            yield name, "exception" if issubclass(value, Exception) else "class"
        else:
            yield name, "function" if callable(value) else "data"


def rooms():
    """The packages in the order in which `helpers` lists them, without those that one notebook alone needs."""
    import helpers

    return [room for room in re.findall(r"`(\w+)`", helpers.__doc__) if room not in ("helpers", "studies")]


def write_api(folder, environment):
    """One page a package, made from its docstrings, and a page that lists them."""
    folder.mkdir()
    modules = []
    for room in rooms():
        module = importlib.import_module(f"helpers.{room}")
        page = environment.get_template("api.rst.j2").render(module=module.__name__, names=list(public_names(module)))
        (folder / f"{module.__name__}.rst").write_text(page, encoding="utf-8")
        summary = inspect.getdoc(module).split("\n\n")[0].replace("\n", " ").replace("``", "`")
        modules.append((module.__name__, summary.replace("|", "\\|")))
    index = environment.get_template("api_index.md.j2").render(modules=modules)
    (folder / "index.md").write_text(index, encoding="utf-8")


# ---- what must not be in a page -----------------------------------------------------------------------------------


def outside_sources(folder):
    """Scripts, styles, fonts and images that a page of the site would fetch from a network: 'file: address' lines."""
    lines = []
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".html", ".css"):
            text = path.read_text(encoding="utf-8", errors="replace")
            patterns = [SOURCE, LINK]
            if path.suffix == ".css" or "<style" in text:
                patterns.append(STYLE)
            lines += [f"{path.relative_to(folder)}: {match[1]}" for p in patterns for match in p.finditer(text)]
    return lines


def missing_alt(folder):
    """Images of the notebooks' pages that a screen reader cannot describe: 'file: image' lines."""
    lines = []
    for path in sorted((folder / "notebooks").rglob("*.html")):
        for tag in re.findall(r"<img\b[^>]*>", path.read_text(encoding="utf-8")):
            alt = re.search(r'\balt="([^"]*)"', tag)
            source = re.search(r'\bsrc="([^"]*)"', tag)[1]
            if "_images" in source and (not alt or not alt[1].strip() or alt[1].endswith((".png", ".webp"))):
                lines.append(f"{path.name}: {source}")
    return lines


def formula_fault(formula):
    """What MathJax would put an error box for, in words, or "": \\tag, &, environments and brackets are looked at."""
    opened = []
    structures = 0
    tags = 0
    for match in re.finditer(r"\\(begin|end)\s*\{([^}]*)\}|\\[A-Za-z]+|\\.|[{}&]", formula, re.DOTALL):
        word = match[0]
        name = (match[2] or "").rstrip("*")
        environments = [environment for environment in opened if environment not in PARTNER.values()]
        if match[1] == "begin":
            structures += name in NUMBERED
            if name not in NUMBERED | WITHOUT_TAG | GRIDS:
                return f"unknown environment {name}"
            if name in NUMBERED and structures > 1:
                return f"a second numbered environment, {name}"
            opened.append(name)
        elif word in PARTNER.values():
            opened.append(word)
        elif match[1] or word in PARTNER:
            if not opened or opened.pop() != PARTNER.get(word, name):
                return f"{word} closes what is not open"
        elif word == "&" and not opened:
            return "& outside an environment"
        elif word == "\\\\" and environments and environments[-1] in NUMBERED:
            tags = 0
        elif word == "\\tag":
            tags += 1
            around = [environment for environment in environments if environment not in GRIDS]
            if around and around[-1] in WITHOUT_TAG:
                return f"\\tag not allowed in {around[-1]}"
            if tags > 1:
                return "more than one \\tag"
    return f"{opened[-1]} is never closed" if opened else ""


def broken_formulas(folder):
    """Formulas of the pages that a reader would see as an error box: 'file: fault: formula' lines."""
    lines = []
    for path in sorted(folder.rglob("*.html")):
        for match in FORMULA.finditer(path.read_text(encoding="utf-8")):
            formula = html.unescape(re.sub(r"<[^>]+>", "", match[3]))
            if fault := formula_fault(formula):
                lines.append(f"{path.relative_to(folder).as_posix()}: {fault}: {' '.join(formula.split())}")
    return lines


# ---- the whole ----------------------------------------------------------------------------------------------------


def prune(mathjax, *, drawn):
    """Keep the parts of MathJax that the pages load, only its fonts if formulas are drawn; all of it weighs 20 MB."""
    kept = ("startup.js", "core.js", "input/tex", "output/chtml", "a11y/assistive-mml.js")
    kept = ("output/chtml/fonts/woff-v2",) if drawn else kept
    for path in sorted(mathjax.rglob("*"), reverse=True):
        name = path.relative_to(mathjax).as_posix()
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        elif not name.startswith(kept):
            path.unlink()


def executed_file(folder):
    """The executed notebook in the folder of its results."""
    return folder / f"{folder.name}.ipynb"


def executed_copies(root):
    """The folder of each notebook's results; SiteError if one is not there."""
    folders = {name: root / "build" / "executed" / name for name in list_notebooks(root / "notebooks")}
    for name, folder in folders.items():
        if not (folder / "metrics.json").exists() or not executed_file(folder).exists():
            raise SiteError(f"{name}.ipynb is missing in build/executed/{name}: run the notebooks first (make run)")
    return folders


def site_key(root, folders):
    """Hash of all that the pages are made from."""
    files = [root / "data" / "claims.csv", root / "data" / "mutations.csv", root / "constraints.txt"]
    files += [*sorted((root / "helpers").rglob("*.py"))]
    files += [file for file in sorted((root / "site").rglob("*")) if file.is_file() and "__pycache__" not in file.parts]
    files += [file for folder in folders.values() for file in (executed_file(folder), folder / "metrics.json")]
    total = hashlib.sha256()
    for file in files:
        total.update(file.name.encode() + file.read_bytes())
    return total.hexdigest()


def write_sources(root, folders, work):
    """Lay everything that Sphinx reads into the folder `work`; returns a description of each notebook's page."""
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(root / "site", work, ignore=shutil.ignore_patterns("__pycache__", "_templates", "build.py"))
    environment = templates(list(folders))
    (work / "notebooks" / "checks").mkdir(parents=True)
    cards = {}
    quizzes = {}
    uses = {}
    checks = {name.removeprefix("checks/") for name in folders if name.startswith("checks/")}
    glossary = read_glossary(root / "site" / "glossary.yml")
    books = {name: nbformat.read(executed_file(folder), as_version=4) for name, folder in folders.items()}
    for name, folder in folders.items():
        notebook = books[name]
        metrics = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))
        cards[name] = header_card(notebook) | {"metrics": metrics, "figure": first_figure(notebook)}
        if cards[name]["figure"] and not name.startswith("checks/"):
            write_thumbnail(cards[name]["figure"], work / "_static" / "cards" / f"{name}.png")
        quizzes[name] = quiz_answers(notebook)
        for term in used_terms(notebook, glossary["terms"]):
            uses.setdefault(term, []).append(name)
    lessons = {name: card for name, card in cards.items() if not name.startswith("checks/")}
    for name, notebook in books.items():
        path = work / "notebooks" / f"{name}.ipynb"
        for_site(notebook, name, root / "notebooks", path.parent / "images", folders, glossary["terms"])
        if not name.startswith("checks/"):
            given = {"ways": ways_on(name), "lessons": lessons, "name": name}
            end = environment.get_template("end_of_lesson.md.j2").render(**given)
            notebook.cells.append(new_markdown_cell(end, id="end-of-lesson"))
        nbformat.write(notebook, path)
    citation = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    given = {"notebooks": lessons, "all": cards, "checks": checks, "citation": citation, "routes": ROUTES} | glossary
    given |= {"papers": cited_papers(root)}
    given |= {"course": read_course(root / "site" / "course.yml"), "quizzes": quizzes, "uses": uses}
    given |= {"map": draw_map(lessons), "needs": needs_of(lessons), "route_minutes": route_minutes}
    for page in ("index.md", "map.md", "glossary.md", "teachers.md"):
        words = environment.get_template(f"{page}.j2").render(**given)
        (work / page).write_text(words, encoding="utf-8")
    ledger = ledger_page(read_rows(root, "claims"), read_rows(root, "mutations"), environment)
    (work / "ledger.md").write_text(ledger, encoding="utf-8")
    write_api(work / "api", environment)
    return {
        f"notebooks/{name}": plain(f"{card['Title']}. Goals: {card.get('Goals', '')}") for name, card in cards.items()
    }


def run_sphinx(work, target, doctrees):
    """Render the pages; a warning stops the site, but for those about docstrings, whose number is returned."""
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-E", "-q", "-d", doctrees, work, target]
    environment = os.environ | {"PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    run = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=environment)
    lines = [line for line in run.stderr.splitlines() if re.search(r"\b(WARNING|ERROR|CRITICAL)\b", line)]
    of_docstrings = [line for line in lines if DOCSTRING.search(line)]
    if run.returncode or len(of_docstrings) < len(lines):
        raise SiteError(f"Sphinx stopped:\n{run.stdout}{run.stderr}".strip())
    Path(f"{doctrees}.log").write_text("\n".join(of_docstrings), encoding="utf-8")
    return len(of_docstrings)


def build(root=ROOT, *, rebuild=False):
    """Render the site unless nothing has changed; returns one line that names the page to open. Raises SiteError."""
    target = root / "build" / "site"
    page = target / "index.html"
    folders = executed_copies(root)
    key = site_key(root, folders)
    stamp = root / "build" / "site.key"
    if not rebuild and page.exists() and stamp.exists() and stamp.read_text() == key:
        return f"site reused, nothing has changed: {page}"
    stamp.unlink(missing_ok=True)
    work = root / "build" / "site_source"
    descriptions = DESCRIPTIONS | write_sources(root, folders, work)
    fresh = root / "build" / "site.partial"
    shutil.rmtree(fresh, ignore_errors=True)
    mathjax = fresh / "_static" / "mathjax"
    faults = run_sphinx(work, fresh, root / "build" / "doctrees")
    statements = {row["id"]: plain(row["statement"]) for row in read_rows(root, "claims")}
    finish(fresh, descriptions, statements, {paper["name"]: paper["says"] for paper in cited_papers(root)})
    problems = [f"fetched from a network: {line}" for line in outside_sources(fresh)]
    problems += [f"no alternative text: {line}" for line in missing_alt(fresh)]
    problems += [f"a formula that MathJax cannot draw: {line}" for line in broken_formulas(fresh)]
    if not problems and can_draw():
        problems = [f"a formula that MathJax cannot draw: {line}" for line in draw_formulas(fresh, mathjax)]
    if problems:
        raise SiteError("\n".join(problems))
    prune(mathjax, drawn=can_draw())
    shutil.rmtree(target, ignore_errors=True)
    fresh.rename(target)
    stamp.write_text(key)
    note = f" ({faults} remarks about docstrings in build/doctrees.log)" if faults else ""
    note += "" if can_draw() else " (mini-racer is not installed: each reader's browser draws the formulas)"
    return f"site rendered{note}: {page}"


def stored_figure(root=ROOT):
    """Bytes of the README's figure: the first PNG among the stored outputs of 00_start_here."""
    return first_figure(nbformat.read(root / "notebooks" / "00_start_here.ipynb", as_version=4))


def is_doubled(notebook):
    """Whether figures of a notebook have more pixels than they are wide on a page."""
    outputs = (output for cell in notebook.cells for output in cell.get("outputs", []))
    return any("width" in output.get("metadata", {}).get("image/png", {}) for output in outputs)


def store(root=ROOT):
    """Copy the executed notebooks over those in notebooks/, and write the README's figure."""
    folders = executed_copies(root)
    for name, folder in folders.items():
        if is_doubled(nbformat.read(executed_file(folder), as_version=4)):
            raise SiteError(f"{name}.ipynb has figures of twice the pixels, which are not stored: {STORABLE}")
    for name, folder in folders.items():
        shutil.copyfile(executed_file(folder), root / "notebooks" / f"{name}.ipynb")
    (root / "site" / "_static" / "idea.png").write_bytes(stored_figure(root))


def main(arguments=None):
    """Command line; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rebuild", action="store_true", help="render even if nothing has changed")
    parser.add_argument("--store", action="store_true", help="write the executed notebooks back into notebooks/ first")
    chosen = parser.parse_args(arguments)
    try:
        if chosen.store:
            store()
        print(build(rebuild=chosen.rebuild))
    except SiteError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
