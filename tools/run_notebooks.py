"""Run every notebook with its defaults into build/executed/ and say how it went.

`make run` calls this file with --site. A notebook whose source, helpers, data and pinned versions are unchanged is
reused; one that is interrupted leaves the finished ones in place. --store writes the outputs back into notebooks/.
"""

import argparse
import hashlib
import json
import os
import re
import resource
import subprocess
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOTE = "honest_run"


def notebooks(folder):
    """The notebooks of a folder, in order; files that start with a dot or an underscore are not ours."""
    return sorted(path for path in Path(folder).glob("*.ipynb") if path.name[0] not in "._")


def digest(*parts):
    """Hash of byte strings, each closed by its length so that two lists never run together."""
    total = hashlib.sha256()
    for part in parts:
        total.update(part + str(len(part)).encode())
    return total.hexdigest()


def source_bytes(notebook):
    """What decides a notebook's outputs: cells, tags and kernel, without stored outputs and counts."""
    content = json.loads(Path(notebook).read_text(encoding="utf-8"))
    cells = [[c["cell_type"], c["source"], c.get("metadata", {})] for c in content["cells"]]
    return json.dumps([cells, content["metadata"].get("kernelspec")], sort_keys=True).encode()


def shared_key(root=ROOT):
    """Hash of everything all notebooks depend on: helpers, data, pinned versions, Python, the data cache."""
    files = [root / "constraints.txt"]
    for folder in ("helpers", "data"):
        files += [f for f in sorted((root / folder).rglob("*")) if f.is_file() and "__pycache__" not in f.parts]
    parts = [part for f in files if f.exists() for part in (str(f.relative_to(root)).encode(), f.read_bytes())]
    return digest(*parts, sys.version.encode(), os.environ.get("HONEST_DATA", "").encode())


def claims(notebook):
    """The claims recorded in the metadata of a notebook's outputs: a dict from id to whether it held."""
    found = {}
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            record = output.get("metadata", {}).get("honest", {})
            for one in record if isinstance(record, list) else [record]:
                if "claim" in one:
                    found[one["claim"]] = found.get(one["claim"], True) and bool(one.get("holds"))
    return found


def finished(target):
    """The note a finished run left in its copy, or an empty dict when there is no usable copy."""
    try:
        return json.loads(target.read_text(encoding="utf-8"))["metadata"].get(NOTE, {})
    except (OSError, ValueError, KeyError):
        return {}


def tidy(notebook):
    """Drop what differs from run to run: papermill's notes, time stamps, the exact Python version."""
    notebook.metadata.pop("papermill", None)
    notebook.metadata["language_info"] = {"name": "python"}
    for cell in notebook.cells:
        for name in ("papermill", "execution"):
            cell.metadata.pop(name, None)
        if not cell.metadata.get("tags", True):
            del cell.metadata["tags"]
    return notebook


def work(source, target, key, parameters):
    """Run one notebook here into `target`.partial, renamed at the end; returns 1 if a cell failed."""
    import nbformat
    import papermill

    partial = Path(f"{target}.partial")
    partial.parent.mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()
    warnings.filterwarnings("ignore", message="The specified file .* does not end in")
    try:
        papermill.execute_notebook(
            str(source),
            str(partial),
            parameters=parameters,
            kernel_name="python3",
            progress_bar=False,
            cwd=str(source.parent),
        )
    except papermill.PapermillExecutionError as error:
        print(f"{source.stem}: cell {error.cell_index + 1} failed: {error.ename}: {error.evalue}")
        print(re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(error.traceback)))
        print(f"The copy up to that cell: {partial}")
        return 1
    notebook = tidy(nbformat.read(partial, as_version=4))
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss  # the kernel: bytes on macOS, KiB on Linux
    held = claims(notebook)
    if not all(held.values()):
        print(f"{source.stem}: claims that do not hold: {', '.join(name for name in held if not held[name])}")
        return 1
    megabytes = round(peak / (2**20 if sys.platform == "darwin" else 2**10))
    notebook.metadata[NOTE] = {
        "key": key,
        "seconds": round(time.perf_counter() - start, 1),
        "peak_mb": megabytes,
        "claims": sorted(held),
    }
    nbformat.write(notebook, partial)
    os.replace(partial, target)
    return 0


def start_worker(source, target, key, parameters=None, jobs=2):
    """A process that runs one notebook with its share of the cores."""
    command = [sys.executable, __file__, "--worker", str(source), str(target), key, json.dumps(parameters or {})]
    threads = str(max(1, (os.cpu_count() or 1) // jobs))
    environment = {"OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads} | os.environ
    environment["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def run_all(sources, folder, *, root=ROOT, force=False, jobs=2, say=print):
    """Run or reuse each notebook, `jobs` at a time; returns {stem: "reused" | "ran" | the message of the failure}."""
    common, running, results = shared_key(root), [], {}
    clock = time.perf_counter()

    def one(source):
        target = folder / source.name
        key = digest(common.encode(), source_bytes(source))
        if not force and finished(target).get("key") == key:
            say(f"{source.stem}: reused, nothing it depends on has changed")
            return "reused"
        say(f"{source.stem}: running ...")
        worker = start_worker(source, target, key, jobs=jobs)
        running.append(worker)
        message, noise = worker.communicate()
        elapsed = time.perf_counter() - clock
        if worker.returncode == 0:
            say(f"{source.stem}: done, {elapsed:.0f} s since the start")
            return "ran"
        target.unlink(missing_ok=True)
        message = message.strip() or noise.strip() or f"stopped with status {worker.returncode}"
        say(f"{source.stem}: FAILED, {elapsed:.0f} s since the start\n{message}")
        return message

    pool = ThreadPoolExecutor(jobs)
    try:
        futures = {source.stem: pool.submit(one, source) for source in sources}
        results = {stem: future.result() for stem, future in futures.items()}
    except KeyboardInterrupt:
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in running:
            worker.terminate()
        for worker in running:
            worker.wait()
        raise
    return results


def summary(sources, folder, results):
    """One line for each notebook: minutes, claims held, peak memory, and whether it was reused."""
    lines = []
    for source in sources:
        note = finished(folder / source.name)
        if note:
            reused = " (reused)" if results[source.stem] == "reused" else ""
            lines.append(
                f"{source.stem:<28} {note['seconds'] / 60:5.1f} min  {len(note['claims']):3d} claims held  "
                f"{note['peak_mb']:6,} MB at its peak{reused}"
            )
        else:
            lines.append(f"{source.stem:<28} FAILED")
    return lines


def store(sources, folder):
    """Copy cells with fresh outputs back into the notebooks themselves."""
    import nbformat

    for source in sources:
        notebook = nbformat.read(folder / source.name, as_version=4)
        del notebook.metadata[NOTE]
        nbformat.write(notebook, source)
        print(f"{source.stem}: outputs stored in {source.relative_to(ROOT)}")


def main(arguments=None):
    """Command line; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("notebook", nargs="*", type=Path, help="some notebooks only (default: all)")
    parser.add_argument("--site", action="store_true", help="render build/site/ afterwards")
    parser.add_argument("--rebuild", action="store_true", help="render the site even if nothing has changed")
    parser.add_argument("--force", action="store_true", help="run even what could be reused")
    parser.add_argument("--store", action="store_true", help="write the fresh outputs back into notebooks/")
    parser.add_argument(
        "--jobs", type=int, default=min(2, os.cpu_count() or 1), help="notebooks at a time (default %(default)s)"
    )
    chosen = parser.parse_args(arguments)
    folder = ROOT / "build" / "executed"
    every = notebooks(ROOT / "notebooks")
    sources = [path.resolve() for path in chosen.notebook] or every
    for missing in [path for path in sources if path not in every]:
        parser.error(f"{missing.name} is not one of {', '.join(path.name for path in every)}")
    for stale in set(folder.glob("*.ipynb")) - {folder / path.name for path in every}:
        stale.unlink()
    try:
        results = run_all(
            sources, folder, force=chosen.force, jobs=chosen.jobs, say=lambda line: print(line, flush=True)
        )
    except KeyboardInterrupt:
        print("\nInterrupted. Finished notebooks are kept in build/executed/; run the same command again to go on.")
        return 130
    failed = [stem for stem, result in results.items() if result not in ("ran", "reused")]
    if chosen.store and not failed:
        store(sources, folder)
    site_line = ""
    if chosen.site and not failed:
        import build_site

        try:
            site_line = build_site.build(ROOT, rebuild=chosen.rebuild)
        except build_site.SiteError as error:
            print(f"The site could not be built: {error}")
            failed.append("site")
    print("\n" + "\n".join(summary(sources, folder, results)))
    if site_line:
        print(site_line)
    if failed:
        print(f"FAILED: {', '.join(failed)}")
    return bool(failed)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        sys.exit(work(Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4], json.loads(sys.argv[5])))
    sys.exit(main())
