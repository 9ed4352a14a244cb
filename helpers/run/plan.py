"""What `helpers.run` is asked to do, checked from end to end before anything runs or is written.

A request becomes a list of `Run`s: its parameters are read, the files that they name are looked at, and the fingerprint
of all that a result depends on says whether it is there already.
"""

import copy
import functools
import hashlib
import itertools
import json
import math
import os
import sys
from dataclasses import dataclass, field
from importlib.metadata import distributions
from pathlib import Path

from helpers.checks import find_secret, nearest_name
from helpers.notebook import ParameterError
from helpers.notebook.parameter_cell import from_text, read_cell
from helpers.notebook.rules import read_rules
from helpers.run.grid import MOST, near_file, read_grid
from helpers.run.sweep import _folder_name, folder_names, foreign_table, word_of

# what a table is read with: a change in any of these calls for another look at it
READ_WITH = (
    "path", "label", "score", "features", "weight", "group", "check", "labels_path",
    "question", "sample", "answer", "confidence", "reference", "correct", "counts", "rule",
    "system", "systems", "against", "cost", "reject_cost", "price", "precision", "n_resamples",
    "base_url", "model", "key_variable", "extra_body",
)  # fmt: skip


def is_file(name):
    """Whether a parameter of this name is the path of a file."""
    return name in ("path", "against") or name.endswith("_path")


def resolve(name, value):
    """A file parameter as a full path if it lies there from where the user stands."""
    path = Path(os.path.expanduser(value))
    return str(path.resolve()) if path.is_file() else value


def check_inputs(values, names, given):
    """ValueError if a file that the user names cannot be read, or a table of scores or answers cannot be used.
    """
    scores = {"path", "label", "score"} <= set(names)
    answers = {"path", "question", "answer"} <= set(names)
    for name in given:
        if is_file(name) and values[name] and not ((scores or answers) and name in ("path", "against")):
            path = Path(values[name])
            if not path.is_file():
                raise ValueError(f"{name}: there is no file {path}{near_file(path)}.")
            if not os.access(path, os.R_OK):
                raise ValueError(f"{name}: {path} may not be read.")
    if scores and values["path"]:
        from helpers.reports import read_table, two_costs
        from helpers.reports.intake import levels_to_show, relabelled

        if isinstance(values.get("cost"), list) and (broken := two_costs(values["cost"])):
            raise ValueError(f"cost {broken}, but it is {values['cost']}.")
        others = {name: values[name] for name in ("features", "weight", "group") if name in names}
        table = read_table(values["path"], values["label"], values["score"], **others).checked()
        table, _, check = relabelled(table, values.get("labels_path"), values.get("check", ()))
        levels_to_show(table, check)
    if answers:
        from helpers.reports import check_terms
        from helpers.tables import read_systems

        terms = ("reject_cost", "price", "n_resamples", "precision")
        check_terms(**{name: values[name] for name in terms if name in names})
        roles = READ_WITH[READ_WITH.index("question") : READ_WITH.index("cost")]
        read_systems(values["path"], **{name: values[name] for name in roles if name in names})


def read_notebook(path):
    """The notebook at `path`; ValueError if it is missing, is none, or is cut off in the middle."""
    import nbformat

    path = Path(path)
    if not path.is_file():
        raise ValueError(f"there is no notebook {path}{near_file(path)}.")
    if path.suffix != ".ipynb":
        raise ValueError(f"a notebook's name ends in .ipynb, but this is {path.name}.")
    try:
        return nbformat.read(path, as_version=4)
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError, nbformat.ValidationError):
        raise ValueError(f"{path.name} is not a notebook, or is damaged or cut off in the middle.") from None


def _check_kernel(nb, path):
    """ValueError if the kernel that the notebook asks for is not installed."""
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

    name = nb.metadata.get("kernelspec", {}).get("name", "python3")
    try:
        KernelSpecManager().get_kernel_spec(name)
    except NoSuchKernel:
        raise ValueError(f"{Path(path).name} asks for the kernel {name!r}, which is not installed.") from None


def find_parameters(nb, path):
    """Parameters of the cell tagged `parameters`; ValueError if there is none or it holds more than assignments."""
    tagged = _parameter_cells(nb)
    declared = read_cell(tagged[0]) if tagged else None
    if not declared:
        why = "its parameters cell holds more than plain assignments"
        if not tagged:
            why = "it has no cell tagged 'parameters'"
        raise ValueError(f"{Path(path).name} takes no parameters: {why}.")
    return declared


def _check_values(rules, values, given):
    """ParameterError for a value that breaks a rule of its notebook, or a given one that holds a key."""
    for name, value in given.items():
        if place := find_secret(value, name):
            raise ParameterError(
                f"{place} holds what looks like a key. Results show all parameters; keys come from the environment."
            )
    for name, rule in rules.items():
        if name in values and (sentence := rule(values[name])):
            raise ParameterError(f"{name} {sentence}, but it is {values[name]!r}.")


def find_rules(nb):
    """{parameter: rule} of the notebook's guard, as far as they are written out there."""
    found = [read_rules(cell.source) for cell in nb.cells if cell.cell_type == "code"]
    return next((rules for rules in found if rules), {})


def _parameter_cells(nb):
    code = [cell for cell in nb.cells if cell.cell_type == "code"]
    return [cell.source for cell in code if "parameters" in cell.metadata.get("tags", [])]


@dataclass
class Run:
    """One execution of a notebook: its parameters, its files, and the fingerprint of all that its result depends on.

    Attributes
    ----------
    notebook : Path
        The notebook.
    folder : Path
        Where its results go.
    label : str
        Its name among the runs of a request.
    given : dict
        The parameters as the user wrote them.
    values : dict
        All parameters, as metrics.json shows them.
    injected : dict
        The parameters as the kernel receives them: files with their full paths.
    swept : dict
        Those that differ between the runs of a sweep.
    sha256, fingerprint : str
        Digests of the notebook's file, and of all that the result depends on.
    template : NotebookNode
        The notebook, read once for all runs: who edits it during a sweep does not mix two versions.
    finished : bool
        Whether the folder holds the result already.
    """

    notebook: Path
    folder: Path
    label: str
    given: dict
    values: dict
    injected: dict
    swept: dict
    sha256: str
    fingerprint: str
    template: object = field(repr=False)
    finished: bool = field(default=False)

    @property
    def executed(self):
        """The executed notebook."""
        return self.folder / self.notebook.name

    @property
    def partial(self):
        """The executed notebook before it gets its name."""
        return self.executed.with_suffix(".partial.ipynb")

    @property
    def page(self):
        """The page for readers."""
        return self.executed.with_suffix(".html")

    @property
    def metrics(self):
        """Numbers, claims and the fingerprint."""
        return self.folder / "metrics.json"

    @property
    def numbers(self):
        """metrics.json before it gets its name, which it gets last."""
        return self.metrics.with_suffix(".partial.json")

    def is_current(self):
        """Whether the folder holds the complete result of this very run."""
        return self._made(self.metrics) and self.executed.exists()

    def was_ending(self):
        """Whether this very run was killed while it gave its files their names."""
        return self._made(self.numbers)

    def was_made_here(self):
        """Whether what lies in the folder is a result of this notebook, whatever it was made from."""
        return self._noted(self.metrics).get("notebook", {}).get("name") == self.notebook.name

    def clear(self):
        """Delete an earlier result, which must not pass for this one if the run fails."""
        for file in (self.metrics, self.executed, self.page):
            file.unlink(missing_ok=True)

    def _made(self, path):
        return self._noted(path).get("fingerprint") == self.fingerprint

    def _noted(self, path):
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return content if isinstance(content, dict) else {}

    def prepare(self):
        """The notebook with the cell that papermill would inject."""
        from papermill.parameterize import parameterize_notebook

        nb = copy.deepcopy(self.template)
        if not self.injected:
            return nb
        nb.metadata.setdefault("papermill", {})
        for cell in nb.cells:
            cell.metadata.setdefault("tags", [])
        return parameterize_notebook(nb, self.injected)


def surroundings(folders=None):
    """Digest of what every result depends on: the package, the shipped data, what is installed, the data cache."""
    from helpers.datasets import DATA_FOLDER

    files = []
    for folder in folders or (Path(__file__).parents[1], DATA_FOLDER):
        inside = [entry for entry in sorted(folder.rglob("*")) if entry.is_file() and "__pycache__" not in entry.parts]
        files += [[str(entry.relative_to(folder)), _digest(entry)] for entry in inside]
    installed = sorted(f"{entry.name} {entry.version}" for entry in distributions())
    content = [files, installed, sys.version, os.environ.get("HONEST_DATA", "")]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def _fingerprints(path, nb, common):
    """values -> digest of what a result depends on: `common`, the notebook's cells, parameters, files they name.

    Each file is read once, however many runs there are.
    """
    cells = [[cell.cell_type, cell.source, cell.metadata] for cell in nb.cells]
    content = [Path(path).name, cells, nb.metadata.get("kernelspec"), common]
    start = hashlib.sha256(json.dumps(content, sort_keys=True).encode())
    digest = functools.cache(_digest)

    def fingerprint(values):
        total = start.copy()
        own = [[n, digest(Path(v)) if is_file(n) and v and Path(v).is_file() else v] for n, v in values.items()]
        total.update(json.dumps(own, default=str).encode())
        return total.hexdigest()

    return fingerprint


def _digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


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
    if files and not overwrite and not run.was_ending():
        other = ", made from another notebook, other parameters, other data, code or libraries" if run.swept else ""
        raise ValueError(
            f"{run.folder} holds {', '.join(files)} already{other}; choose another folder or add --overwrite."
        )


def _check_names(path, given, sweeps, declared):
    """ParameterError for names that the notebook does not have or that come twice, and for sweeps without values."""
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


def _wanted(path, given, sweeps, grid, declared):
    """(list of (words for the folder's name, parameters), names that vary, how many runs were asked for)."""
    points = [{}] if grid is None else read_grid(grid, declared, Path(path).name)
    varied = [*dict.fromkeys(name for point in points for name in point), *(sweep[0] for sweep in sweeps)]
    for name in [name for name, _ in given] + [sweep[0] for sweep in sweeps]:
        if any(name in point for point in points):
            raise ParameterError(f"{name} is given on the command line and in {Path(grid).name}; take it out of one.")
    size = len(points) * math.prod(len(texts) for _, *texts in sweeps)
    if size > MOST:
        raise ParameterError(f"this asks for {size:,} runs; at most {MOST:,} are done in one sweep.")
    found = {}
    names = [name for name, *_ in sweeps]
    for point, texts in itertools.product(points, itertools.product(*[texts for _, *texts in sweeps])):
        swept = dict(zip(names, texts, strict=True))
        own = {name: from_text(name, text, declared[name]) for name, text in given}
        own |= point | {name: from_text(name, text, declared[name]) for name, text in swept.items()}
        key = json.dumps(declared | own, default=str) if grid else len(found)
        found.setdefault(key, ({name: word_of(value) for name, value in point.items()} | swept, own))
    return list(found.values()), varied, size


def plan_runs(path, given, sweeps, output, *, grid=None, overwrite=False):
    """The runs a command asks for, all checked; ValueError or OSError with one clear message otherwise.

    Parameters
    ----------
    path : str or Path
        The notebook.
    given : list of (str, str)
        Pairs of a parameter's name and the text of its value.
    sweeps : list of list of str
        Each a name and the texts of its values; several make a product.
    output : Path
        Folder of the results, with sweeps or a grid one subfolder a run.
    grid : str or Path, optional
        A file of runs; each of them is done for every combination of the sweeps.
    overwrite : bool, default False
        Whether results that are there may be replaced.

    Returns
    -------
    runs : list of Run
        The runs in the order asked for.
    note : str
        A sentence about runs that are asked for twice and done once, or "".

    Raises
    ------
    ValueError
        With one clear sentence, a `ParameterError` where a parameter is wrong.
    OSError
        If a file cannot be read.
    """
    nb = read_notebook(path)
    declared = {parameter.name: parameter.default for parameter in find_parameters(nb, path)}
    _check_kernel(nb, path)
    _check_names(path, given, sweeps, declared)
    wanted, varied, size = _wanted(path, given, sweeps, grid, declared)
    words = [words for words, _ in wanted]
    labels = folder_names(words) if grid else [_folder_name(each) for each in words]
    if len(set(labels)) < len(labels):
        raise ParameterError("two values of the sweep would have the same folder name; sweep them one at a time.")

    rules = find_rules(nb)
    for _, own in wanted:
        _check_values(rules, declared | own, own)
    fingerprint = _fingerprints(path, nb, surroundings())
    sha256 = _digest(path)
    runs = []
    checked = set()
    for label, (_, own) in zip(labels, wanted, strict=True):
        injected = {name: resolve(name, value) if is_file(name) and value else value for name, value in own.items()}
        used = declared | injected
        values = declared | own
        files = [item for item in injected.items() if is_file(item[0])]
        key = json.dumps([[used[name] for name in READ_WITH if name in used], files], default=str)
        if key not in checked:
            check_inputs(used, declared, own)
            checked.add(key)
        folder, label = (output / label, label) if varied else (output, Path(path).stem)
        swept = {name: values[name] for name in varied}
        run = Run(Path(path), folder, label, own, values, injected, swept, sha256, fingerprint(used), template=nb)
        run.finished = bool(varied) and not overwrite and run.is_current()
        if not run.finished:
            _check_output(run, overwrite)
        runs.append(run)
    if varied and not overwrite and (table := foreign_table(output)):
        raise ValueError(
            f"{table} exists already and is not the table of a sweep; choose another folder or add --overwrite."
        )
    if size == len(runs):
        return runs, ""
    return runs, f"{size - len(runs):,} of the {size:,} runs asked for are the same as others and are done once."


def list_notebooks(folder):
    """The lessons of a folder, then the notebooks of checks in its subfolder ``checks``.

    Parameters
    ----------
    folder : str or Path
        Where the notebooks are; those whose names start with a dot or an underscore are left out.

    Returns
    -------
    dict
        Name ("05_honest_partitions", "checks/05_honest_partitions") to path, in the order of the names.

    Examples
    --------
    >>> list_notebooks("no/such/folder")
    {}
    """
    folder = Path(folder)
    paths = [path for place in (folder, folder / "checks") for path in sorted(place.glob("*.ipynb"))]
    wanted = [path for path in paths if path.name[0] not in "._"]
    return {path.relative_to(folder).with_suffix("").as_posix(): path for path in wanted}


def plan_all(folder, output, *, overwrite=False):
    """One run of each notebook of a folder with its defaults; what is out of date in `output` is made anew.

    Parameters
    ----------
    folder : str or Path
        Where the notebooks are, as in `list_notebooks`.
    output : Path
        Folder of the results, one subfolder a notebook.
    overwrite : bool, default False
        Whether all are run, and files of others replaced.

    Returns
    -------
    list of Run
        The runs in the order of the names.

    Raises
    ------
    ValueError
        If there are no notebooks, one of them is damaged, or the results' places hold other files.
    """
    paths = list_notebooks(folder)
    if not paths:
        raise ValueError(f"there are no notebooks in {folder}.")
    common = surroundings()
    runs = []
    for name, path in paths.items():
        nb = read_notebook(path)
        _check_kernel(nb, path)
        declared = find_parameters(nb, path) if _parameter_cells(nb) else []
        values = {parameter.name: parameter.default for parameter in declared}
        fingerprint = _fingerprints(path, nb, common)(values)
        run = Run(path, output / name, name, {}, values, {}, {}, _digest(path), fingerprint, template=nb)
        run.finished = not overwrite and run.is_current()
        _check_output(run, overwrite or run.was_made_here())
        runs.append(run)
    return runs


def look_again(runs, *, overwrite=False):
    """Check the places of the results once more when the folder is held: another process may have ended there since.

    Parameters
    ----------
    runs : list of Run
        From `plan_runs`; those that are finished by now are marked.
    overwrite : bool, default False
        As in `plan_runs`.

    Raises
    ------
    ValueError
        If files would be replaced.
    """
    for run in [run for run in runs if not run.finished]:
        run.finished = bool(run.swept) and not overwrite and run.is_current()
        if not run.finished:
            _check_output(run, overwrite)
