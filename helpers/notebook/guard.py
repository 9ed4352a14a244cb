"""The guard behind a parameters cell, and the folder in which a run leaves its files."""

import ast
import linecache
import os
import re
import sys

from helpers.checks import nearest_name
from helpers.notebook.borders import watch_formats
from helpers.notebook.display import shell
from helpers.notebook.parameter_cell import ParameterError, shown, type_problem
from helpers.plotting import use_style

INJECTED = "# Parameters"  # first line of the cell that papermill writes

OUTPUT = "HONEST_OUTPUT"  # environment variable by which `helpers.practice.run` names the folder of a run to its kernel

_first = {}  # defaults that the first guard of this kernel saw


def output_folder():
    """Folder for files that a notebook leaves beside its page: that of the run, "" where nobody named one.

    Returns
    -------
    str
        What ``--output`` of ``python -m helpers.practice.run`` named, or the environment variable HONEST_OUTPUT.
    """
    return os.environ.get(OUTPUT, "")


def _read_cell(source):
    """{name: value} of a cell that assigns literals and does nothing else, else {}."""
    try:
        return {line.targets[0].id: ast.literal_eval(line.value) for line in ast.parse(source).body}
    except (SyntaxError, ValueError, AttributeError):
        return {}


def _cells_run(running):
    """Sources of the cells run so far; nbval keeps no history, but the cache behind tracebacks has them there too."""
    history = [source for source in running.user_ns["In"] if source.strip()]
    cached = [entry for entry in linecache.cache.values() if len(entry) == 4 and entry[1] is None]
    return history or ["".join(lines) for _, _, lines, _ in cached]


def _find_cells(cells, wanted):
    """({name: default} of the parameters run last, names that papermill injected after them)."""
    plain = {k: _read_cell(source) for k, source in enumerate(cells) if not source.startswith(INJECTED)}
    # an exercise may also be a cell of plain assignments, so a cell that has all wanted names comes first
    place = max(plain, key=lambda k: (len(wanted & set(plain[k])), bool(plain[k]), k), default=None)
    if place is None or not plain[place]:
        raise ParameterError(
            "parameters() found no cell of plain assignments (seed = 1) among the cells run so far: "
            "run the parameters cell first, and keep everything else, imports too, out of it."
        )
    injected = "\n".join(source for source in cells[place:] if source.startswith(INJECTED))
    return plain[place], re.findall(r"^(\w+) = ", injected, re.MULTILINE)


def parameters(set_by=lambda values: {}, /, **rules):
    """Guard behind the parameters cell: stop on an unknown name, a wrong type or a broken rule; echo what is used.

    It also sets the style of all figures that follow, and from here on numbers at a border of rounding are noted.

    It reads the parameters cell and the cell that papermill injects from the cells run in this kernel, so an unknown
    parameter, about which papermill only warns, stops the run. The default's type decides: bool is not int, int is fine
    for float; "" and [] stand for "not given". One line is printed for each parameter.

    Parameters
    ----------
    set_by : callable, optional
        Of the dictionary of all values; gives those that are set instead, {name: value}, for files of the book.
    **rules : callable
        For each parameter that has one its rule: `at_least(1)`, `between`, `one_of`, or any function of the value that
        returns None or the sentence that it breaks.

    Raises
    ------
    ParameterError
        A ValueError with all problems.
    RuntimeError
        Outside of a notebook.
    """
    use_style()
    running = shell()
    if running is None or "In" not in running.user_ns:
        raise RuntimeError("parameters() reads the cells of a running notebook, so it works in a kernel only.")
    watch_formats(running)  # again: a kernel may be the fork of a process that had imported the package
    declared, injected = _find_cells(_cells_run(running), set(rules) | set(_first))
    problems = [
        f"{what} {name!r}; {nearest_name(name, declared, 'parameter')}"
        for what, names in (("there is no parameter", injected), ("the parameters cell lacks", rules))
        for name in names
        if name not in declared
    ]
    lines, values = {}, {}
    for name, written in declared.items():
        value = values[name] = running.user_ns.get(name, written)
        default = _first.get(name, written)
        if problem := type_problem(name, value, default):
            problems.append(problem)
        elif name in rules and (sentence := rules[name](value)):
            problems.append(f"{name} {sentence}, but it is {value!r}.")
        changed = "(default)" if value == default else f"(changed; stored outputs used {shown(default)})"
        lines[name] = f"{name} = {shown(value)} {changed}"
    if problems:
        raise ParameterError("\n".join(problems))
    for name, default in declared.items():
        _first.setdefault(name, default)
    lines |= {name: f"{name} = {shown(value)} (set for the book's file)" for name, value in set_by(values).items()}
    said = [*lines.values()]
    if any("(changed;" in line for line in said):
        said.append("Outputs are those of this run; numbers in the text beside them may be those of the defaults.")
    sys.stdout.write("\n".join(said) + "\n")
