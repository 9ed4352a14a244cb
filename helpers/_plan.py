"""What `helpers.run` is asked to do, checked from end to end before anything runs or is written."""

import csv
import difflib
import hashlib
import itertools
import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from helpers._parameters import ParameterError, from_text, read_cell
from helpers.checks import nearest_name


def read_notebook(path):
    """The notebook at `path`; ValueError if it is missing, is none, or is cut off in the middle."""
    import nbformat

    path = Path(path)
    if not path.is_file():
        raise ValueError(f"there is no notebook {path}{_near(path)}.")
    if path.suffix != ".ipynb":
        raise ValueError(f"a notebook's name ends in .ipynb, but this is {path.name}.")
    try:
        return nbformat.read(path, as_version=4)
    except (ValueError, KeyError, nbformat.reader.NotJSONError, nbformat.ValidationError):
        raise ValueError(f"{path.name} is not a notebook, or is damaged or cut off in the middle.") from None


def _near(path):
    """ ", did you mean ...?" for a file that is not there."""
    others = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
    close = difflib.get_close_matches(path.name, others, n=1)
    return f"; did you mean {path.parent / close[0]}?" * bool(close) if close else ""


def find_parameters(nb, path):
    """Parameters of the cell tagged `parameters`; ValueError if there is none or it holds more than assignments."""
    tagged = [
        cell.source for cell in nb.cells if "parameters" in cell.metadata.get("tags", []) and cell.cell_type == "code"
    ]
    declared = read_cell(tagged[0]) if tagged else None
    if not declared:
        why = (
            "its parameters cell holds more than plain assignments" if tagged else "it has no cell tagged 'parameters'"
        )
        raise ValueError(f"{Path(path).name} takes no parameters: {why}.")
    return declared


@dataclass
class Run:
    """One execution of a notebook: its parameters, its files, and the fingerprint of all that its result depends on."""

    notebook: Path
    folder: Path
    label: str
    given: dict  # as the user wrote them
    values: dict  # all parameters, as metrics.json shows them
    injected: dict  # as the kernel receives them: files with their full paths
    swept: dict
    sha256: str
    fingerprint: str
    finished: bool = field(default=False)

    @property
    def executed(self):
        return self.folder / self.notebook.name

    @property
    def partial(self):
        return self.executed.with_suffix(".partial.ipynb")

    @property
    def page(self):
        return self.executed.with_suffix(".html")

    @property
    def metrics(self):
        return self.folder / "metrics.json"

    def is_current(self):
        """Whether the folder holds the complete result of this very run."""
        try:
            return json.loads(self.metrics.read_text())["fingerprint"] == self.fingerprint and self.executed.exists()
        except (OSError, ValueError, KeyError, TypeError):
            return False

    def prepare(self):
        """The notebook with the cell that papermill would inject."""
        from papermill.iorw import load_notebook_node
        from papermill.parameterize import parameterize_notebook

        nb = load_notebook_node(str(self.notebook))
        return parameterize_notebook(nb, self.injected) if self.injected else nb


# what a table is read with: a change in any of these calls for another look at it
READ_WITH = (
    "path", "label", "score", "features", "weight", "group",
    "question", "sample", "answer", "confidence", "reference", "correct", "counts", "rule",
    "reject_cost", "price", "n_resamples",
)  # fmt: skip


def _is_file(name):
    return name == "path" or name.endswith("_path")


def _resolve(name, value):
    """A file parameter as a full path if it lies there from where the user stands."""
    path = Path(value).expanduser()
    return str(path.resolve()) if path.is_file() else value


def _check_inputs(values, names, given):
    """ValueError if a file that the user names cannot be read, or a table of scores or answers cannot be used."""
    scores, answers = ({"path", *two} <= set(names) for two in (("label", "score"), ("question", "answer")))
    for name in given:
        if _is_file(name) and values[name] and not ((scores or answers) and name == "path"):
            path = Path(values[name])
            if not path.is_file():
                raise ValueError(f"{name}: there is no file {path}{_near(path)}.")
            if not os.access(path, os.R_OK):
                raise ValueError(f"{name}: {path} may not be read.")
    if scores and values["path"]:
        from helpers.report import two_costs
        from helpers.tables import read_scores

        if isinstance(values.get("cost"), list) and (broken := two_costs(values["cost"])):
            raise ValueError(f"cost {broken}, but it is {values['cost']}.")
        others = {name: values[name] or None for name in ("features", "weight", "group") if name in names}
        read_scores(values["path"], label=values["label"], score=values["score"], **others)
    if answers:
        from helpers.answer_report import check_terms
        from helpers.answer_table import read_answers

        check_terms(**{name: values[name] for name in ("reject_cost", "price", "n_resamples") if name in names})
        roles = ("question", "sample", "answer", "confidence", "reference", "correct", "counts", "rule")
        read_answers(values["path"], **{name: values[name] for name in roles if name in names})


def _sources(path, nb, values):
    """What a result depends on: the notebook's cells, the package's code, the parameters, the files they name."""
    parts = [[cell.cell_type, cell.source] for cell in nb.cells]
    parts += [[entry.name, _digest(entry)] for entry in sorted(Path(__file__).parent.rglob("*.py"))]
    parts += [
        [name, _digest(Path(v)) if _is_file(name) and v and Path(v).is_file() else v] for name, v in values.items()
    ]
    return hashlib.sha256(json.dumps([Path(path).name, parts], default=str).encode()).hexdigest()


def _digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _folder_name(swept):
    """ "seed=1" or "seed=1,n_rows=300"; other signs than letters, digits and .+- become _."""
    return ",".join(f"{name}={re.sub(r'[^A-Za-z0-9.+-]+', '_', text)[:60]}" for name, text in swept.items())


def _check_output(run, overwrite):
    """ValueError if the folder cannot be written, or holds files that would be replaced."""
    if run.executed.exists() and run.executed.samefile(run.notebook):
        raise ValueError(f"--output {run.folder} holds the notebook itself; choose another folder.")
    existing = next(folder for folder in (run.folder, *run.folder.absolute().parents) if folder.exists())
    if not existing.is_dir():
        raise ValueError(f"--output {run.folder} is not a folder: {existing} is a file.")
    if not os.access(existing, os.W_OK):
        raise ValueError(f"--output {run.folder} cannot be written.")
    files = [file.name for file in (run.executed, run.page, run.metrics) if file.exists()]
    if files and not overwrite:
        other = ", made from another notebook, other parameters, other data or other code" if run.swept else ""
        raise ValueError(
            f"{run.folder} holds {', '.join(files)} already{other}; choose another folder or add --overwrite."
        )


def plan_runs(path, given, sweeps, output, *, overwrite=False):
    """The runs a command asks for, all checked; ValueError or OSError with one clear message otherwise.

    Parameters
    ----------
    path : the notebook
    given : pairs (name, text)
    sweeps : lists [name, text, text, ...]; several make a product
    output : folder of the results, with sweeps one subfolder a run
    """
    nb = read_notebook(path)
    declared = {parameter.name: parameter.default for parameter in find_parameters(nb, path)}
    names = [name for name, _ in given] + [sweep[0] for sweep in sweeps]
    for name in names:
        if name not in declared:
            raise ParameterError(
                f"{Path(path).name} has no parameter {name!r}; {nearest_name(name, declared, 'parameter')}"
            )
        if names.count(name) > 1:
            raise ParameterError(f"{name} is given {names.count(name)} times.")
    for name, *texts in sweeps:
        if not texts or len(set(texts)) < len(texts):
            raise ParameterError(f"--sweep {name} needs values, each once, but it has {texts}.")

    runs, checked = [], set()
    for texts in itertools.product(*[texts for _, *texts in sweeps]):
        swept = dict(zip([sweep[0] for sweep in sweeps], texts, strict=True))
        own = {name: from_text(name, text, declared[name]) for name, text in [*given, *swept.items()]}
        injected = {name: _resolve(name, value) if _is_file(name) and value else value for name, value in own.items()}
        used = declared | injected
        key = json.dumps([used[name] for name in READ_WITH if name in used])
        if key not in checked or any(map(_is_file, own)):
            _check_inputs(used, declared, own)
            checked.add(key)
        folder, label = (output / _folder_name(swept), _folder_name(swept)) if sweeps else (output, Path(path).stem)
        fingerprint = _sources(path, nb, used)
        shared = {"swept": {name: own[name] for name in swept}, "sha256": _digest(path), "fingerprint": fingerprint}
        run = Run(Path(path), folder, label, own, declared | own, injected, **shared)
        run.finished = bool(sweeps) and not overwrite and run.is_current()
        if not run.finished:
            _check_output(run, overwrite)
        runs.append(run)
    if len({run.folder for run in runs}) < len(runs):
        raise ParameterError("two values of the sweep would have the same folder name; sweep them one at a time.")
    table = output / "metrics.csv"
    if sweeps and table.exists() and not overwrite and not table.read_text().startswith("run,"):
        raise ValueError(
            f"{table} exists already and is not the table of a sweep; choose another folder or add --overwrite."
        )
    return runs


def write_json(path, content):
    """Write JSON with fixed order and line ends; numbers that are not finite become texts before."""
    finite = json.loads(json.dumps(content, default=str), parse_constant=str)
    Path(path).write_text(json.dumps(finite, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def write_table(path, runs):
    """One row a run: its name, the swept parameters, all numbers it recorded, claims held and failed, seconds."""
    rows = []
    for run in runs:
        found = json.loads(run.metrics.read_text(encoding="utf-8"))
        held = sum(claim["holds"] for claim in found["claims"])
        counts = {"claims_held": held, "claims_failed": len(found["claims"]) - held, "seconds": found["seconds"]}
        rows.append({"run": run.label} | run.swept | found["metrics"] | counts)
    names = list(dict.fromkeys(["run", *(name for row in rows for name in row)]))
    partial = Path(path).with_suffix(".csv.tmp")
    with open(partial, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    os.replace(partial, path)
