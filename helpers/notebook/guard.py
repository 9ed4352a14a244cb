"""The guard behind a parameters cell."""

import linecache
import sys

from helpers.checks import nearest_name
from helpers.notebook.borders import watch_formats
from helpers.notebook.display import shell
from helpers.notebook.parameter_cell import INJECTED, ParameterError, assigned_names, read_cell, shown, type_problem
from helpers.plotting import use_style

_first = {}  # defaults that the first guard of this kernel saw


def _cells_run(running):
    """Sources of the cells run so far; nbval keeps no history, but the cache behind tracebacks has them there too."""
    history = [source for source in running.user_ns["In"] if source.strip()]
    cached = [entry for entry in linecache.cache.values() if len(entry) == 4 and entry[1] is None]
    return history or ["".join(lines) for _, _, lines, _ in cached]


def _find_cells(history, wanted):
    """The parameters declared last, and the names that papermill injected after them, from the cells run so far.

    An exercise may also be a cell of plain assignments, so the cell must hold all names that the rules or an earlier
    guard know.
    """
    plain = [(i, read_cell(source)) for i, source in enumerate(history) if not source.lstrip().startswith(INJECTED)]
    plain = [(i, cell) for i, cell in plain if cell]
    if not plain:  # somebody wrote papermill's comment above their own parameters
        plain = [(i, read_cell(source)) for i, source in enumerate(history) if read_cell(source)][:1]
    if not plain:
        raise ParameterError(
            "parameters() found no cell of plain assignments (seed = 1) among the cells run so far: "
            "run the parameters cell first, and keep everything else, imports too, out of it."
        )
    for names in (wanted | set(_first), wanted, set()):
        holding = [(i, cell) for i, cell in plain if names <= {parameter.name for parameter in cell}]
        if holding:
            break
    place, cell = holding[-1]
    injected = [
        name
        for source in history[place + 1 :]
        if source.lstrip().startswith(INJECTED)
        for name in assigned_names(source)
    ]
    return cell, injected


def parameters(**rules):
    """Guard behind the parameters cell: stop on an unknown name, a wrong type or a broken rule; echo what is used.

    It also sets the style of all figures that follow, and from here on numbers at a border of rounding are noted.

    It reads the parameters cell and the cell that papermill injects from the cells run in this kernel, so an unknown
    parameter, about which papermill only warns, stops the run. The default's type decides: bool is not int, int is fine
    for float, None needs a default of None or a rule that allows it; "" and [] stand for "not given". One line is
    printed for each parameter.

    Parameters
    ----------
    **rules : callable
        For each parameter that has one its rule: `at_least(1)`, `at_most`, `between`, `one_of`, or any function of the
        value that returns None or the sentence that it breaks.

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
        raise RuntimeError(
            "parameters() reads the cells of a running notebook: it works in Jupyter and papermill only."
        )
    watch_formats(running)  # again: a kernel may be the fork of a process that had imported the package
    declared, injected = _find_cells(_cells_run(running), set(rules))
    names = [parameter.name for parameter in declared]
    problems = [
        f"there is no parameter {name!r}; {nearest_name(name, names, 'parameter')}"
        for name in injected
        if name not in names
    ]
    for name in rules:
        if name not in names:
            near = nearest_name(name, names, "parameter")
            raise ParameterError(f"a rule is given for {name!r}, which the parameters cell lacks; {near}")
    lines = []
    for parameter in declared:
        name = parameter.name
        value = running.user_ns.get(name, parameter.default)
        rule = rules.get(name, lambda value: None)
        default = _first.get(name, parameter.default)
        allowed_none = value is None and name in rules and rule(None) is None
        broken = None if allowed_none else type_problem(name, value, default)
        if broken is None and (sentence := rule(value)):
            broken = f"{name} {sentence}, but it is {value!r}."
        if broken:
            problems.append(broken)
        changed = "(default)" if value == default else f"(changed; stored outputs used {shown(default)})"
        lines.append(f"{name} = {shown(value)} {changed}")
    if problems:
        raise ParameterError("\n".join(problems))
    for parameter in declared:
        _first.setdefault(parameter.name, parameter.default)
    if any("(changed;" in line for line in lines):
        lines.append("Outputs are those of this run; numbers in the text beside them may be those of the defaults.")
    sys.stdout.write("\n".join(lines) + "\n")
