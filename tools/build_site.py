"""Render build/site/ with Sphinx from the executed copies in build/executed/, readable without a network.

Nothing is executed here. Alternative texts move to where myst-nb looks for them, links that leave notebooks/ become
plain words, the map and the ledger are written as pages, and the finished pages are searched for outside addresses.
"""

import argparse
import collections
import hashlib
import html
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
from lint_notebooks import read_ledger

ROOT = Path(__file__).resolve().parent.parent
STATUSES = ("verified", "reproduced", "analogue", "differs", "needs", "planned")
MEANING = {
    "verified": "a claim cell asserts it each time the notebook runs",
    "reproduced": "same data, the paper's numbers",
    "analogue": "same experiment on data that can be shipped",
    "differs": "we found otherwise; the remark says what",
    "needs": "the code is tested; a reader must bring the data or the model",
    "planned": "its notebook is not written yet",
}
PAPERS = {
    "perezlebel2023": ("Perez-Lebel", "Perez-Lebel, Le Morvan, Varoquaux 2023: beyond calibration"),
    "melo2026": ("Melo", "Melo, Varoquaux, Le Morvan 2026: epistemic uncertainty and decisions"),
    "ecuas2026": ("ECUAS", "Estienne, Ernst, Vera, Piantanida, Ferrer 2026: ECUAS"),
    "semece2026": ("Sem-ECE", "Wang, Xiao, Jin, Yang, Hou, Shen 2026: Sem-ECE"),
}
OUTSIDE = (
    re.compile(
        r"<(?:script|img|iframe|source|audio|video|embed)\b[^>]*\b(?:src|srcset)\s*=\s*[\"']?((?:https?:)?//[^\"'\s>]+)",
        re.I,
    ),
    re.compile(
        r"<link\b(?=[^>]*\brel\s*=\s*[\"']?(?:stylesheet|preload|prefetch|preconnect|modulepreload|icon|shortcut))[^>]*\bhref\s*=\s*[\"']?((?:https?:)?//[^\"'\s>]+)",
        re.I,
    ),
)
FORMULA = re.compile(r'<(div|span) class="math\b[^>]*>(.*?)</\1>', re.DOTALL)
NUMBERED = set("equation align alignat xalignat flalign gather multline eqnarray".split())
WITHOUT_TAG = {"split", "aligned", "alignedat", "gathered"}
GRIDS = set("cases array subarray matrix pmatrix bmatrix Bmatrix vmatrix Vmatrix smallmatrix".split())
PARTNER = {"}": "{", "\\right": "\\left"}
OUTSIDE_CSS = re.compile(r"(?:url\(\s*[\"']?|@import\s+[\"'])((?:https?:)?//[^\"')\s]+)", re.I)


class SiteError(Exception):
    """The site could not be built; the message says why."""


def header_card(notebook):
    """Title and the labelled lines (**Minutes** ..., **Papers** ...) of a notebook's first cell."""
    text = notebook.cells[0].source if notebook.cells else ""
    title = re.search(r"^# (.+)$", text, flags=re.MULTILINE)
    lines = re.findall(r"\*\*(\w+)[.:]?\*\*[.:]?\s*(.*)", text)
    return {"Title": title.group(1).strip() if title else "", **{k: v.strip(" |\\") for k, v in lines}}


def for_site(notebook, source_folder, image_folder):
    """Change an executed copy in place so that myst-nb renders it whole: alt texts, links, empty outputs."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = inner_links(cell.source, source_folder, image_folder)
        elif cell.cell_type == "code":
            cell.outputs = [o for o in cell.outputs if o.output_type != "display_data" or o.data]
            alts = [
                o.metadata.get("image/png", {}).get("alt") for o in cell.outputs if "image/png" in o.get("data", {})
            ]
            if any(alts):
                cell.metadata.setdefault("mystnb", {})["image"] = {"alt": " / ".join(filter(None, alts))}
    return notebook


def inner_links(text, source_folder, image_folder):
    """Copy images that prose shows from elsewhere; turn other links that leave the folder to words."""

    def image(match):
        path = (source_folder / match[2]).resolve()
        if not path.is_file():
            raise SiteError(f"an image in the prose does not exist: {match[2]}")
        image_folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, image_folder / path.name)
        return f"![{match[1]}](images/{path.name})"

    text = re.sub(r"!\[([^\]]*)\]\((?!https?:|data:|attachment:)([^)\s]+)\)", image, text)
    return re.sub(r"(?<!!)\[([^\]]+)\]\(\.\./[^)]*\)", r"\1", text)


def map_page(notebooks):
    """The map of notebooks as a MyST table: name with link, paper sections, minutes as stated and as measured."""
    lines = ["| notebook | about | papers | minutes to read | run | claims held |", "|---|---|---|---|---|---|"]
    for stem, notebook in notebooks.items():
        card, note = header_card(notebook), notebook.metadata.get("honest_run", {})
        cells = [
            f"[{stem[:2]}](notebooks/{stem}.ipynb)",
            card["Title"],
            card.get("Papers", ""),
            card.get("Minutes", ""),
            f"{note['seconds']:.0f} s" if note else "",
            str(len(note.get("claims", []))),
        ]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def cell_text(text):
    """A cell of the ledger as HTML; $...$ becomes a formula, `...` code."""
    text = html.escape(text or "", quote=False)
    text = re.sub(r"\$([^$]+)\$", r'<span class="math notranslate nohighlight">\\(\1\\)</span>', text)
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", text)


def ledger_page(rows, stems):
    """The ledger as a MyST page: counts by paper and status, filters, one table grouped by paper."""
    papers = sorted({row["paper"] for row in rows}, key=lambda p: (list(PAPERS).index(p) if p in PAPERS else 9, p))
    counts = collections.Counter((row["paper"], row["status"]) for row in rows)
    out = [
        "# The ledger",
        "",
        "Every numbered item of the four papers, in our own words, and what these notebooks do about "
        "it. Nothing counts as verified unless a cell asserts it.",
        "",
    ]
    short = {paper: PAPERS.get(paper, (paper, paper))[0] for paper in papers}
    out += ["| status | " + " | ".join(short.values()) + " | all |", "|---|" + "---:|" * (len(papers) + 1)]
    for status in STATUSES:
        numbers = [counts[paper, status] for paper in papers]
        out.append(f"| {status} | " + " | ".join(map(str, [*numbers, sum(numbers)])) + " |")
    totals = [sum(counts[paper, s] for s in STATUSES) for paper in papers]
    out.append("| **all** | " + " | ".join(map(str, [*totals, sum(totals)])) + " |")

    out += ["", *(f"- **{status}**: {MEANING[status]}" for status in STATUSES)]

    def options(values):
        each = "".join(f'<option value="{v}">{short.get(v, v)}</option>' for v in values)
        return f'<option value="">all</option>{each}'

    body = [
        '<div class="ledger-controls">',
        f'<label>Paper <select id="ledger-paper">{options(papers)}</select></label>',
        f'<label>Status <select id="ledger-status">{options(STATUSES)}</select></label>',
        '<label>Words <input id="ledger-words" type="search" placeholder="for example: theorem"></label>',
        '<span id="ledger-count" role="status"></span></div>',
        '<div class="ledger-scroll"><table class="ledger"><thead><tr><th scope="col">Item</th>'
        '<th scope="col">Statement</th><th scope="col">Notebook</th>'
        '<th scope="col">Status</th></tr></thead>',
    ]
    for paper in papers:
        title = html.escape(PAPERS.get(paper, (paper, paper))[1])
        body.append(f'<tbody><tr class="paper"><th colspan="4" scope="rowgroup">{title}</th></tr>')
        for row in (row for row in rows if row["paper"] == paper):
            body.append(
                f'<tr data-paper="{paper}" data-status="{row["status"]}"><td>{cell_text(row["item"])}<br>'
                f'<code class="id">{row["id"].replace(".", ".<wbr>")}</code></td><td>{cell_text(row["statement"])}'
                f'<span class="remark">{cell_text(row["remark"])}</span></td>'
                f"<td>{notebook_links(row['notebook'], stems)}</td>"
                f'<td><span class="status status-{row["status"]}">{row["status"]}</span></td></tr>'
            )
        body.append("</tbody>")
    body += ["</table></div>", '<script src="_static/ledger.js"></script>']
    return "\n".join([*out, "", "## All items", "", "```{raw} html", *body, "```", ""])


def notebook_links(names, stems):
    """The notebook column of a row, linked where the notebook exists."""
    pieces = []
    for part in filter(None, re.split(r"[;,\s]+", names or "")):
        stem = next((s for s in stems if s == part or s.startswith(f"{part}_")), None)
        pieces.append(f'<a href="notebooks/{stem}.html">{stem[:2]}</a>' if stem else html.escape(part[:2]))
    return ", ".join(pieces)


def outside_sources(folder):
    """Scripts, styles, fonts and images that a page of the site would fetch from a network: 'file: address' lines."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".html", ".css"):
            text = path.read_text(encoding="utf-8", errors="replace")
            patterns = OUTSIDE + ((OUTSIDE_CSS,) if path.suffix == ".css" or "<style" in text else ())
            found += [f"{path.relative_to(folder)}: {match[1]}" for p in patterns for match in p.finditer(text)]
    return found


def missing_alt(folder):
    """Images of the notebooks' pages that a screen reader cannot describe: 'file: image' lines."""
    found = []
    for path in sorted((folder / "notebooks").glob("*.html")):
        for tag in re.findall(r"<img\b[^>]*>", path.read_text(encoding="utf-8")):
            alt = re.search(r'\balt="([^"]*)"', tag)
            source = re.search(r'\bsrc="([^"]*)"', tag)[1]
            if "_images" in source and (not alt or not alt[1].strip() or alt[1].endswith(".png")):
                found.append(f"{path.name}: {source}")
    return found


def formula_fault(formula):
    """What MathJax would put an error box for, in words, or "": \\tag, &, environments and brackets are looked at."""
    opened, structures, tags = [], 0, 0
    for match in re.finditer(r"\\(begin|end)\s*\{([^}]*)\}|\\[A-Za-z]+|\\.|[{}&]", formula, re.DOTALL):
        word, name = match[0], (match[2] or "").rstrip("*")
        environments = [one for one in opened if one not in PARTNER.values()]
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
            around = [one for one in environments if one not in GRIDS]
            if around and around[-1] in WITHOUT_TAG:
                return f"\\tag not allowed in {around[-1]}"
            if tags > 1:
                return "more than one \\tag"
    return f"{opened[-1]} is never closed" if opened else ""


def broken_formulas(folder):
    """Formulas of the pages that a reader would see as an error box: 'file: fault: formula' lines."""
    found = []
    for path in sorted(folder.rglob("*.html")):
        for match in FORMULA.finditer(path.read_text(encoding="utf-8")):
            formula = html.unescape(re.sub(r"<[^>]+>", "", match[2]))
            if fault := formula_fault(formula):
                found.append(f"{path.relative_to(folder).as_posix()}: {fault}: {' '.join(formula.split())}")
    return found


def prune(mathjax):
    """Keep the one bundle the pages load and what it may fetch later; the others weigh 20 MB."""
    for path in [*mathjax.glob("*.js"), mathjax / "output" / "chtml", mathjax / "input" / "mml", mathjax / "sre"]:
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != "tex-svg.js":
            path.unlink(missing_ok=True)


def site_key(root, executed):
    """Hash of all that the pages are made from."""
    files = [
        *executed,
        *(f for f in sorted((root / "site").rglob("*")) if f.is_file() and "__pycache__" not in f.parts),
    ]
    total = hashlib.sha256()
    for path in [*files, root / "data" / "claims.csv", root / "constraints.txt", Path(__file__)]:
        total.update(str(path.name).encode() + path.read_bytes())
    return total.hexdigest()


def build(root=ROOT, *, rebuild=False):
    """Render the site unless nothing has changed; returns one line that names the page to open. Raises SiteError."""
    target, work, page = root / "build" / "site", root / "build" / "site_source", root / "build" / "site" / "index.html"
    wanted = sorted((root / "notebooks").glob("[0-9]*.ipynb"))
    executed = [root / "build" / "executed" / path.name for path in wanted]
    for path in executed:
        if not path.exists():
            raise SiteError(f"{path.relative_to(root)} is missing: run the notebooks first (make run)")
    key, stamp = site_key(root, executed), root / "build" / "site.key"
    if not rebuild and page.exists() and stamp.exists() and stamp.read_text() == key:
        return f"site reused, nothing has changed: {page}"
    stamp.unlink(missing_ok=True)
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(root / "site", work, ignore=shutil.ignore_patterns("__pycache__"))
    read = {path.stem: nbformat.read(path, as_version=4) for path in executed}
    (work / "map.md").write_text(map_page(read), encoding="utf-8")
    (work / "ledger.md").write_text(
        ledger_page(read_ledger(root / "data" / "claims.csv"), list(read)), encoding="utf-8"
    )
    (work / "notebooks").mkdir()
    for stem, notebook in read.items():
        for_site(notebook, root / "notebooks", work / "notebooks" / "images")
        nbformat.write(notebook, work / "notebooks" / f"{stem}.ipynb")
    fresh = root / "build" / "site.partial"
    shutil.rmtree(fresh, ignore_errors=True)
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-b",
        "html",
        "-W",
        "--keep-going",
        "-E",
        "-q",
        "-d",
        str(root / "build" / "doctrees"),
        str(work),
        str(fresh),
    ]
    run = subprocess.run(
        command, capture_output=True, text=True, env=os.environ | {"PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    )
    if run.returncode:
        raise SiteError(f"Sphinx stopped:\n{run.stdout}{run.stderr}".strip())
    prune(fresh / "_static" / "mathjax")
    problems = [f"fetched from a network: {line}" for line in outside_sources(fresh)]
    problems += [f"no alternative text: {line}" for line in missing_alt(fresh)]
    problems += [f"a formula that MathJax cannot draw: {line}" for line in broken_formulas(fresh)]
    if problems:
        raise SiteError("\n".join(problems))
    shutil.rmtree(target, ignore_errors=True)
    fresh.rename(target)
    stamp.write_text(key)
    return f"site rendered: {page}"


def main(arguments=None):
    """Command line; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rebuild", action="store_true", help="render even if nothing has changed")
    try:
        print(build(rebuild=parser.parse_args(arguments).rebuild))
    except SiteError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
