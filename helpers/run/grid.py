"""A file of runs (YAML): read strictly, checked against the notebook's parameters, every complaint with its line."""

import difflib
import itertools
import json
import math
from pathlib import Path

from helpers.checks import nearest_name
from helpers.notebook import ParameterError
from helpers.notebook.parameter_cell import _guess, from_text, shown, type_problem

MOST = 100_000  # runs of one sweep; more is a slip of the pen

NOTHING = ("", "~", "null", "Null", "NULL")

ENDLESS = {".inf": "inf", "+.inf": "inf", "-.inf": "-inf"}

SHAPE = "it must hold a list of values for each name (every combination is run), a list of runs, or grid: and runs:"


def near_file(path):
    """ "; did you mean ...?" for a file that is not there, "" if nothing is like it."""
    others = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
    close = difflib.get_close_matches(path.name, others, n=1)
    return f"; did you mean {path.parent / close[0]}?" if close else ""


def read_grid(path, declared, notebook):
    """The runs that a grid file asks for, in the order of the file.

    Parameters
    ----------
    path : YAML file: `name: [value, ...]` for every combination, a list of `{name: value, ...}` for single runs, or
        both under `grid:` and `runs:`; unquoted words are read as those behind -p, quoted ones are text
    declared : {name: default} of the notebook
    notebook : its file name, for messages

    Returns
    -------
    list of {name: value}, one a run; the last name of a grid varies fastest

    Raises
    ------
    ParameterError naming file, line and column: for what is not YAML, has another shape, names no parameter, has a
    value of the wrong type, or lists one twice.
    """
    path = Path(path)
    root = _tree(path)
    reader = _Reader(path.name, declared, notebook)
    if root is None:
        raise ParameterError(f"{path.name} is empty; {SHAPE}.")
    return reader.runs(root)


def _tree(path):
    """The nodes of a YAML file, every scalar as the text that stands there; None for an empty file."""
    try:
        import yaml
    except ImportError:
        raise ParameterError("--grid reads YAML, for which PyYAML is missing here: pip install pyyaml") from None
    if path.is_dir():
        raise ParameterError(f"--grid needs a file, but {path} is a folder.")
    if not path.is_file():
        raise ParameterError(f"--grid: there is no file {path}{near_file(path) or '.'}")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ParameterError(f"{path.name} must be UTF-8 text, but its byte {error.start + 1} is not.") from None

    class Loader(yaml.BaseLoader):
        def compose_node(self, parent, index):
            if self.check_event(yaml.AliasEvent):
                event = self.get_event()
                where = _where(path.name, event.start_mark)
                raise ParameterError(f"{where}: references (*{event.anchor}) are not read; write the values out.")
            return super().compose_node(parent, index)

    try:
        return yaml.compose(text, Loader=Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        said = " ".join(part for part in (error.context, error.problem) if part)
        cut = " (is the file cut off here?)" if mark.index >= len(text.rstrip()) else ""
        raise ParameterError(f"{_where(path.name, mark)}: this is not YAML: {said}{cut}.") from None
    except yaml.reader.ReaderError as error:
        before = text[: error.position]
        line = before.count("\n") + 1
        column = len(before) - before.rfind("\n")
        raise ParameterError(
            f"{path.name}, line {line}, column {column}: this is not YAML: the sign {chr(error.character)!r} may not "
            "stand in it."
        ) from None
    except RecursionError:
        raise ParameterError(f"{path.name} is nested too deeply; {SHAPE}.") from None


def _where(name, mark):
    return f"{name}, line {mark.line + 1}, column {mark.column + 1}"


class _Reader:
    """Turns the nodes of one file into runs; holds what every message needs."""

    def __init__(self, name, declared, notebook):
        self.name = name
        self.declared = declared
        self.notebook = notebook

    def fail(self, node, sentence):
        raise ParameterError(f"{_where(self.name, node.start_mark)}: {sentence}")

    def runs(self, root):
        sections = [key.value for key, _ in root.value if key.id == "scalar"] if root.id == "mapping" else []
        if sections and set(sections) <= {"grid", "runs"} and not set(sections) <= set(self.declared):
            parts = [
                self.product(node) if key == "grid" else self.listed(node) for key, node in self.pairs(root).values()
            ]
            return self.few(root, sum(size for size, _ in parts), itertools.chain(*[part for _, part in parts]))
        if {"grid", "runs"} & set(sections) - set(self.declared):
            self.fail(root, "beside grid: and runs: nothing else may stand; put the other names under grid:.")
        return self.few(root, *(self.listed(root) if root.id == "sequence" else self.product(root)))

    def few(self, root, size, runs):
        if size > MOST:
            self.fail(root, f"this asks for {size:,} runs; at most {MOST:,} are done in one sweep.")
        return list(runs)

    def pairs(self, node):
        """{name: (name, node of the value)} of a mapping whose names are texts, each once."""
        found = {}
        for key, value in node.value:
            if key.id != "scalar":
                self.fail(key, "a name must stand here, not a list or a mapping.")
            if key.value in found:
                self.fail(key, f"{key.value} stands here a second time.")
            found[key.value] = (key.value, value)
        return found

    def known(self, node):
        """The pairs of a mapping of parameters; refused if one is none of the notebook's."""
        for key, _ in node.value:
            if key.id == "scalar" and key.value not in self.declared:
                near = nearest_name(key.value, self.declared, "parameter")
                self.fail(key, f"{self.notebook} has no parameter {key.value!r}; {near}")
        return self.pairs(node).values()

    def product(self, node):
        """How many combinations a mapping name -> list has, and an iterator over them."""
        if node.id != "mapping" or not node.value:
            self.fail(node, f"this is {self.word(node)}; {SHAPE}.")
        lists = {}
        for name, values in self.known(node):
            if values.id != "sequence":
                said = f" like [{values.value}]" if values.id == "scalar" and values.value else ""
                self.fail(values, f"{name} needs a list of values{said}, but this is {self.word(values)}.")
            if not values.value:
                self.fail(values, f"{name} needs at least one value, but its list is empty.")
            lists[name] = []
            seen = set()
            for entry in values.value:
                value = self.value(name, entry)
                if (key := json.dumps(value, sort_keys=True)) in seen:
                    self.fail(entry, f"{name} has the value {shown(value)} twice; each may stand once.")
                seen.add(key)
                lists[name].append(value)
        size = math.prod(map(len, lists.values()))
        return size, (dict(zip(lists, values, strict=True)) for values in itertools.product(*lists.values()))

    def listed(self, node):
        """How many runs a list of mappings holds, and the runs."""
        if node.id != "sequence" or not node.value:
            self.fail(node, f"runs must be a list of mappings, one a run, but this is {self.word(node)}.")
        found = []
        for entry in node.value:
            if entry.id != "mapping" or not entry.value:
                self.fail(entry, f"a run must name its parameters, as in {{seed: 1}}, but this is {self.word(entry)}.")
            found.append({name: self.value(name, value) for name, value in self.known(entry)})
        return len(found), found

    def word(self, node):
        if node.id == "scalar":
            return f"the single value {node.value}" if node.value else "nothing"
        kind = {"sequence": "list", "mapping": "mapping"}[node.id]
        return f"{'a' if node.value else 'an empty'} {kind}"

    def value(self, name, node):
        default = self.declared[name]
        value = self.plain(node, default)
        if problem := type_problem(name, value, default):
            problem = problem.split(" (with papermill")[0].rstrip(".")  # a hint about another command line
            if value is None:
                problem = problem.removesuffix("None") + "empty (quote it if it is text)"
            elif isinstance(default, (list, tuple)) and not isinstance(value, list):
                problem += " (each of its values is a list of its own, in [ ])"
            self.fail(node, problem + ".")
        return value

    def plain(self, node, default, inside=False):
        """The value of a node, read by the type of the default; one that does not fit stays what it looks like."""
        if node.tag.removeprefix("tag:yaml.org,2002:") not in ("str", "seq", "map"):
            self.fail(node, f"tags ({node.tag.replace('tag:yaml.org,2002:', '!!')}) are not read here.")
        inner = None
        if isinstance(default, (list, tuple)) and len({type(entry) for entry in default}) == 1:
            inner = default[0]
        if node.id == "sequence":
            return [self.plain(entry, inner, True) for entry in node.value]
        if node.id == "mapping":
            return {key: self.plain(value, None, True) for key, value in self.pairs(node).values()}
        if node.style is not None:  # quoted
            return node.value
        if node.value in NOTHING:
            return None
        text = ENDLESS.get(node.value.lower(), node.value)
        if default is None:
            return {"true": True, "false": False}.get(text.lower(), _guess(text)) if inside else _guess(text)
        try:
            return from_text("", text, default) if not isinstance(default, (list, tuple, dict)) else _guess(text)
        except ParameterError:
            return text
