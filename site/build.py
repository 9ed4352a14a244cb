"""Render build/site/ with Sphinx from the executed copies in build/executed/, readable without a network.

Nothing is executed here. The copies get links and figures that fit a telephone, and the map, the ledger, the glossary
and the pages of the package are written beside them; Sphinx does the rest, and stops at its first warning.
"""

import argparse
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from html import escape
from pathlib import Path

import jinja2
import matplotlib.pyplot as plt
import nbformat
import numpy as np
import yaml
from cells import for_site
from concept_test import read_questions, write_files
from course import draw_map, header_card, needs_of, quiz_answers, read_course, route_minutes
from docutils.nodes import make_id
from drawings import with_drawings
from figures import DPI, first_figure
from ledger import PAPERS, ledger_page, read_rows
from links import PageLinks, Targets
from nbformat.v4 import new_markdown_cell
from paper_figures import figures_page
from paper_pages import write_paper_pages
from rooms import draw_rooms, floors_of, imports_of
from slides import write_slides

import helpers
from helpers.audit import plan_audit
from helpers.plotting import plot_rows_needed, style
from helpers.plotting.style import own_style

ROOT = Path(__file__).resolve().parent.parent
GUIDES = (
    "scikit_learn",
    "in_python",
    "your_own_files",
    "ask_a_model",
    "large_tables",
    "how_reports_compute",
    "how_many_rows",
    "how_figures_read",
    "commands",
    "troubles",
)  # they name functions and lessons
STORABLE = "run HONEST_FIGURE_SCALE=1 make run ARGS=--overwrite first"


def plain(text):
    """Markdown as words alone, for what a search engine shows."""
    return re.sub(r"[*`$]|\\\w+", "", text)


def with_formulas(text):
    """Plain text as HTML; $...$ becomes a formula, `...` code."""
    text = escape(text or "", quote=False)
    text = re.sub(r"\$([^$]+)\$", r'<span class="math notranslate nohighlight">\\(\1\\)</span>', text)
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", text)


def read_glossary(path, course):
    """Rows of the notation, and the terms in the order of the alphabet, each with its anchor and where it is taught."""
    glossary = yaml.safe_load(path.read_text(encoding="utf-8"))
    terms = sorted(glossary["terms"], key=lambda entry: entry["term"].lower())
    for entry in terms:
        entry["anchor"] = "term-" + re.sub(r"[^\w.]+", "-", entry["term"])
        entry["forms"] = [entry["term"], *entry.get("forms", [])]
        entry["taught"] = [stem for stem, lesson in course["lessons"].items() if entry["term"] in lesson["teaches"]]
    return glossary | {"terms": terms}


def cited_papers(citation):
    """The papers of CITATION.cff, each with the name and the anchor that links use, and what is said in one line."""
    described = []
    for paper in citation["references"]:
        names = [author["family-names"] for author in paper["authors"]]
        identifiers = [entry["value"] for entry in paper.get("identifiers", [])]
        place = (paper.get("conference") or {}).get("name") or ", ".join(identifiers)
        says = f"{', '.join(names)} ({paper['year']}): {paper['title']}. {place}"
        described.append(paper | {"name": names[0], "anchor": f"paper-{names[0].lower()}", "says": says})
    return described


def route_key(route):
    """What stands for a route in addresses: the first word of its name."""
    return route.split()[0].lower()


def by_route(lessons, routes):
    """The lessons under the first route that passes them, those beside all routes at the end; for the side bar."""
    left = dict.fromkeys(lessons)
    found = {}
    for route in routes:
        passed = [stem for number in route["lessons"].split() for stem in left if stem.startswith(number)]
        found[route["name"]] = passed
        left = {stem: None for stem in left if stem not in passed}
    return {caption: stems for caption, stems in (found | {"More lessons": list(left)}).items() if stems}


def ways_on(name, routes):
    """The routes that pass a lesson: name, key, all its numbers, and how many of them come before this lesson."""
    stops = {route["name"]: route["lessons"].split() for route in routes}
    number = name[:2]
    return [(route, route_key(route), all_, all_.index(number)) for route, all_ in stops.items() if number in all_]


def templates(stems):
    """The templates of this folder, with the filters that they use."""
    loader = jinja2.FileSystemLoader(Path(__file__).with_name("_templates"))
    environment = jinja2.Environment(loader=loader, undefined=jinja2.ChainableUndefined)

    def links(names, route="", up=""):
        pieces = []
        query = f"?route={route_key(route)}" if route else ""
        for part in re.findall(r"[^;,\s]+", names or ""):
            stem = next((stem for stem in stems if stem == part or stem.startswith(f"{part}_")), "")
            number = stem.removeprefix("checks/")[:2] + (" checks" if stem.startswith("checks/") else "")
            pieces.append(f'<a href="{up}notebooks/{stem}.html{query}">{number}</a>' if stem else escape(part[:2]))
        return ", ".join(pieces)

    environment.filters |= {
        "links": links,
        "route_key": route_key,
        "short": lambda title: re.match(r"[^:]*?\?|[^:]*", title)[0],
        "words": with_formulas,
        "plain": plain,
        "capitalize_first": lambda text: text[:1].upper() + text[1:],
        "label": make_id,  # as the pages write "(name)="
        "cell": lambda text: str(text).replace("|", "\\|"),
    }
    return environment


def public_names():
    """{module: names that it offers}, in the order in which `helpers` lists the modules."""
    names = {}
    papers = [f"papers.{paper}" for paper in PAPERS if paper != "ours"]
    for room in re.findall(r"^- .*", helpers.__doc__, re.MULTILINE):
        listed = re.findall(r"`(\w+)`", room.split(": ")[0])
        for name in papers if listed == ["papers"] else listed:
            module = importlib.import_module(f"helpers.{name}")
            own = [key for key, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
            names[module] = getattr(module, "__all__", [key for key in own if not key.startswith("_")])
    return {module: offered for module, offered in names.items() if offered}


def link_targets(root, lessons, glossary, papers, modules):
    """What the prose of the lessons can lead to; a function only if one module alone offers its name."""
    places = defaultdict(list)
    for module, names in modules.items():
        for name in names:
            places[name].append(f"{module.__name__}.{name}")
    return Targets(
        lessons={name[:2]: name for name in lessons},
        terms=glossary["terms"],
        papers={paper["name"]: paper for paper in papers},
        functions={name: found[0] for name, found in places.items() if len(found) == 1},
        claims={row["id"]: plain(row["statement"]) for row in read_rows(root, "claims")},
    )


def executed_copies(root):
    """{name: folder of its results} of each notebook; SystemExit if one is not there."""
    notebooks = root / "notebooks"
    files = [path for path in sorted(notebooks.rglob("*.ipynb")) if ".ipynb_checkpoints" not in path.parts]
    names = [path.relative_to(notebooks).with_suffix("").as_posix() for path in files]
    folders = {name: root / "build" / "executed" / name for name in names}
    for name, folder in folders.items():
        if not (folder / "metrics.json").exists() or not executed_file(folder).exists():
            raise SystemExit(f"{name}.ipynb is missing in build/executed/{name}: run the notebooks first (make run)")
    return folders


def executed_file(folder):
    """The executed notebook in the folder of its results."""
    return folder / f"{folder.name}.ipynb"


def write_api(folder, environment, modules):
    """One page a module, made from its docstrings, and a page that lists them."""
    folder.mkdir()
    summaries = {}
    for module, names in modules.items():
        summary = module.__doc__.strip().split("\n\n")[0].replace("\n", " ").replace("``", "`")
        summaries[module.__name__] = summary.replace("|", "\\|")
        kinds = {name: "class" if isinstance(getattr(module, name), type) else "function" for name in names}
        kinds |= {name: "data" for name in names if not callable(getattr(module, name))}
        page = environment.get_template("api.rst.j2").render(module=module.__name__, names=kinds, summary=summary)
        (folder / f"{module.__name__}.rst").write_text(page, encoding="utf-8")
    floors = floors_of((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    picture = draw_rooms(floors, imports_of(Path(helpers.__file__).parent), summaries)
    index = environment.get_template("api_index.md.j2").render(modules=summaries, picture=picture)
    (folder / "index.md").write_text(index, encoding="utf-8")


def draw_rows_needed(path):
    """The figure of the page on planning."""
    plan = plan_audit(0.3, share=[[0.02], [0.05], [0.1], [0.2]], gap=np.linspace(0.03, 0.3, 28))
    with own_style():
        plot_rows_needed(plan.table).figure.savefig(path, dpi=2 * DPI, bbox_inches="tight")
        plt.close()


def draw_looks(path):
    """The figure of the page on figures: each role with its mark and its line."""
    roles = {name: look for name, look in vars(style).items() if isinstance(look, style.Look)}
    with own_style():
        fig, ax = plt.subplots(figsize=(style.NARROW, 0.34 * len(roles)))
        for row, look in enumerate(roles.values()):
            ax.plot([0], [-row], **look.dots())
            ax.plot([1, 3], [-row, -row], **look.line())
        ax.set_yticks([-row for row in range(len(roles))], roles)
        ax.set(xticks=[0, 2], xlim=(-0.6, 3.2))
        ax.set_xticklabels(["mark", "line"])
        ax.tick_params(length=0)
        fig.savefig(path, dpi=2 * DPI)
        plt.close(fig)


def write_sources(root, folders, work, modules):
    """Lay everything that Sphinx reads into the folder `work`."""
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(root / "site", work, ignore=shutil.ignore_patterns("__pycache__", "*.yml", "live"))
    environment = templates(list(folders))
    course = read_course(root)
    glossary = read_glossary(root / "site" / "glossary.yml", course)
    citation = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    papers = cited_papers(citation)
    books = {name: nbformat.read(executed_file(folder), as_version=4) for name, folder in folders.items()}
    cards = {name: header_card(book) for name, book in books.items()}
    for name, folder in folders.items():
        cards[name]["metrics"] = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))
    lessons = {name: card for name, card in cards.items() if not name.startswith("checks/")}
    for name, card in lessons.items():
        both = [cards[one]["metrics"]["claims"] for one in (name, f"checks/{name}") if one in cards]
        card["claims"] = len({claim["claim"] for claims in both for claim in claims})
    quizzes = {name: quiz_answers(book) for name, book in books.items()}
    rows = read_rows(root, "claims")
    given = figures_page(rows, books)
    targets = link_targets(root, lessons, glossary, papers, modules)
    uses = defaultdict(list)
    for name, notebook in books.items():
        links = PageLinks(targets, "../" * (1 + name.count("/")))
        for_site(notebook, name, links, work / "_static" / "figures")
        for term in links.used:
            uses[term].append(name)
        if name in lessons:
            for cell in notebook.cells:
                cell.source = with_drawings(cell.source, environment, "../")
            end = environment.get_template("end_of_lesson.md.j2")
            ways = ways_on(name, course["routes"])
            words = end.render(ways=ways, lessons=lessons, name=name, has_checks=f"checks/{name}" in books)
            notebook.cells.append(new_markdown_cell(words, id="end-of-lesson"))
        goals = f" Goals: {cards[name]['Goals']}" if "Goals" in cards[name] else ""
        description = plain(f"{cards[name]['Title']}.{goals}")
        notebook.metadata["myst"] = {"html_meta": {"description": description}}
        path = work / "notebooks" / f"{name}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, path)
    given |= {"notebooks": lessons, "checks": [name for name in cards if name not in lessons]}
    given |= {"citation": citation, "papers": papers, "quizzes": quizzes, "uses": uses} | glossary
    given |= {"course": course, "by_route": by_route(lessons, course["routes"])}
    on_map = {name: card for name, card in lessons.items() if "Needs" in card}  # a report needs no lesson
    given |= {"map": draw_map(on_map), "needs": needs_of(lessons), "route_minutes": route_minutes}
    given |= ledger_page(rows)
    write_paper_pages(work / "papers", environment, rows, books.values())
    draw_rows_needed(work / "_static" / "rows_needed.png")
    draw_looks(work / "_static" / "looks.png")
    given["concept_test"] = read_questions()
    write_files(work / "_static" / "concept_test", given["concept_test"])
    for page in ("index", "map", "glossary", "teachers", "concept_test", "ledger", "paper_figures"):
        words = environment.get_template(f"{page}.md.j2").render(**given)
        (work / f"{page}.md").write_text(words, encoding="utf-8")
    write_api(work / "api", environment, modules)
    for path in (*work.glob("*/*.md"), *(work / f"{name}.md" for name in GUIDES)):
        links = PageLinks(targets, "../" * len(path.relative_to(work).parent.parts))
        path.write_text(links.prose(path.read_text(encoding="utf-8"), with_terms=False), encoding="utf-8")


def run_sphinx(work, target, doctrees, repository):
    """Render the pages; SystemExit with what Sphinx says if it stops or warns."""
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-EWq", "--keep-going", "-d", doctrees, work, target]
    environment = os.environ | {"PYDEVD_DISABLE_FILE_VALIDATION": "1", "HONEST_REPOSITORY": repository}
    run = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=environment)
    if run.returncode:
        raise SystemExit(f"Sphinx stopped:\n{run.stdout}{run.stderr}".strip())


def is_fresh(page, root, folders):
    """Whether nothing that the pages are made from is newer than the page."""
    files = [root / "CITATION.cff", root / "constraints.txt", *(root / "data").glob("*.csv")]
    files += [*(root / "helpers").rglob("*.py"), *(root / "site").rglob("*.*")]
    files += [file for folder in folders.values() for file in (executed_file(folder), folder / "metrics.json")]
    changed = max(file.stat().st_mtime for file in files if file.suffix != ".pyc")
    return page.exists() and page.stat().st_mtime > changed


def build(root=ROOT, *, rebuild=False, modules=None):
    """Render the site unless nothing has changed; returns one line that names the page to open."""
    target = root / "build" / "site"
    page = target / "index.html"
    folders = executed_copies(root)
    if not rebuild and is_fresh(page, root, folders):
        return f"site reused, nothing has changed: {page}"
    work = root / "build" / "site_source"
    write_sources(root, folders, work, public_names() if modules is None else modules)
    fresh = root / "build" / "site.partial"
    shutil.rmtree(fresh, ignore_errors=True)
    run_sphinx(work, fresh, root / "build" / "doctrees", read_course(root)["repository"])
    for name, folder in folders.items():  # what a reader downloads has no links into the site
        shutil.copyfile(executed_file(folder), fresh / "_sources" / "notebooks" / f"{name}.ipynb")
    write_slides({name: executed_file(folder) for name, folder in folders.items()}, fresh)
    shutil.rmtree(target, ignore_errors=True)
    fresh.rename(target)
    return f"site rendered: {page}"


def is_doubled(notebook):
    """Whether figures of a notebook have more pixels than they are wide on a page."""
    outputs = (output for cell in notebook.cells for output in cell.get("outputs", []))
    return any("width" in output.get("metadata", {}).get("image/png", {}) for output in outputs)


def store(root=ROOT):
    """Copy the executed notebooks over those in notebooks/, and write the README's figure."""
    folders = executed_copies(root)
    for name, folder in folders.items():
        if is_doubled(nbformat.read(executed_file(folder), as_version=4)):
            raise SystemExit(f"{name}.ipynb has figures of twice the pixels, which are not stored: {STORABLE}")
    for name, folder in folders.items():
        shutil.copyfile(executed_file(folder), root / "notebooks" / f"{name}.ipynb")
    first = nbformat.read(root / "notebooks" / "00_start_here.ipynb", as_version=4)
    (root / "site" / "_static" / "idea.png").write_bytes(first_figure(first))


def main(arguments=None):
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rebuild", action="store_true", help="render even if nothing has changed")
    parser.add_argument("--store", action="store_true", help="write the executed notebooks back into notebooks/ first")
    chosen = parser.parse_args(arguments)
    if chosen.store:
        store()
    print(build(rebuild=chosen.rebuild))


if __name__ == "__main__":
    main()
