"""Wrong formulas made from right ones: operators on the syntax tree of a module, each of which changes one place.

They are the slips that happen in such code: another constant or quantile, a sign, a comparison, a term or a step left
out, n for n - 1, the mean for the sum, one argument for another. What cannot matter to a number is left alone: words,
annotations, decorators, messages of errors, tolerances, representations.
"""

import ast
import random
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAIRS = ["mean sum", "min max", "argmin argmax", "nanmin nanmax", "minimum maximum", "any all", "floor ceil", "var std"]
PAIRS += ["left right", "zeros ones", "zeros_like ones_like", "logical_and logical_or", "sf cdf", "less greater"]
PAIRS += ["log log1p", "exp expm1"]
OTHER = {a: b for pair in map(str.split, PAIRS) for a, b in (pair, pair[::-1])} | {"average": "sum", "median": "mean"}
REMOVED = set("sqrt abs fabs clip square log exp expit cumsum sort cummax cummin round conj".split())
QUANTILES = {"quantile": 1, "percentile": 1, "nanquantile": 1, "ppf": 0, "isf": 0, "ndtri": 0}  # and where q stands
COMMUTES = set(
    "minimum maximum min max logaddexp isinstance zip hypot add multiply isclose allclose array_equal".split()
)
UNTOUCHED = set("random_state n_jobs verbose strict copy dtype stacklevel desc name names columns index".split())
ARITHMETIC = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}
COMPARED = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
}
COMPARED |= {ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.In: (ast.NotIn,), ast.NotIn: (ast.In,)}
COMPARED |= {ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,)}
SIZES = (1e-6, 1e6)  # a constant beyond is a tolerance or stands for infinity
REPRESENTED = {"__repr__", "__str__", "_repr_html_"}


def module_of(file):
    """The name of a file of the package in an import."""
    return file.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


@dataclass(frozen=True)
class Mutant:
    """One wrong formula: `before` at a place of a file becomes `after`."""

    file: str
    function: str
    operator: str
    place: str  # line:column
    before: str
    after: str
    start: int
    end: int

    @property
    def module(self):
        """Its name in an import."""
        return module_of(self.file)

    def source(self, root=ROOT):
        """The whole file with the wrong formula."""
        text = (root / self.file).read_bytes()
        return (text[: self.start] + self.after.encode() + text[self.end :]).decode()


def called(node):
    """The last part of the name of what a call calls."""
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def other_constants(value):
    """Constants that might stand in place of one: whole numbers one off, halves, what is missing to one."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int) and value > 100:
        return [2 * value, value // 2]
    if isinstance(value, int):
        return [value + 1, value - 1, 2 * value][: 3 if value > 5 else 2] if value > 0 else [value + 1]
    if not isinstance(value, float) or not SIZES[0] < value < SIZES[1]:
        return []
    return [value / 2, round(1 - value, 12)] if value < 1 and value != 0.5 else [value / 2, value * 1.5]


def of_arithmetic(node, rivals):
    """Another sign or factor, one side alone, sides turned round, n - 1 for a divisor n, another argument."""
    one, two = node.left, node.right
    if type(node.op) in ARITHMETIC:
        yield (
            "sign" if isinstance(node.op, ast.Add | ast.Sub) else "factor",
            ast.BinOp(one, ARITHMETIC[type(node.op)](), two),
        )
    minus_one = isinstance(node.op, ast.Sub) and getattr(two, "value", None) == 1
    yield "n for n - 1" if minus_one else "missing term", one
    if isinstance(node.op, ast.Add | ast.Mult | ast.BitAnd | ast.BitOr):
        yield "missing term", two
    if isinstance(node.op, ast.Sub) and not minus_one:
        yield "turned round", ast.BinOp(two, ast.Sub(), one)
    if isinstance(node.op, ast.Div) and isinstance(two, ast.Name | ast.Attribute | ast.Call):
        yield "n for n - 1", ast.BinOp(one, ast.Div(), ast.BinOp(two, ast.Sub(), ast.Constant(1)))
    if isinstance(one, ast.Name) and one.id in rivals:
        others = sorted(rivals - {one.id, getattr(two, "id", "")})
        yield from (("another argument", ast.BinOp(ast.Name(name), node.op, two)) for name in others[:1])


def of_call(node, rivals):
    """Mean for sum and its like, a call left out, the other tail of a quantile, two arguments turned round."""
    name, arguments = called(node), node.args
    if name in OTHER and isinstance(node.func, ast.Attribute):
        yield "mean for sum", ast.Call(ast.Attribute(node.func.value, OTHER[name]), arguments, node.keywords)
    elif name in OTHER and isinstance(node.func, ast.Name):
        yield "mean for sum", ast.Call(ast.Name(OTHER[name]), arguments, node.keywords)
    if name in REMOVED and (arguments or isinstance(node.func, ast.Attribute)):
        of_module = getattr(getattr(node.func, "value", None), "id", "np") == "np"
        if not of_module or arguments:
            yield "missing call", arguments[0] if of_module else node.func.value
    if name in QUANTILES:
        library = getattr(getattr(node.func, "value", None), "id", "") in ("np", "stats", "special")
        place = QUANTILES[name] if library or name not in ("quantile", "percentile") else 0
        if len(arguments) > place and not isinstance(arguments[place], ast.List | ast.Tuple):
            q = arguments[place]
            for wrong in (ast.BinOp(ast.Constant(1), ast.Sub(), q), ast.BinOp(q, ast.Div(), ast.Constant(2))):
                yield (
                    "quantile",
                    ast.Call(node.func, [*arguments[:place], wrong, *arguments[place + 1 :]], node.keywords),
                )
    if len(arguments) > 1 and name not in COMMUTES and all(isinstance(part, ast.Name) for part in arguments[:2]):
        one, two, *others = arguments
        yield "turned round", ast.Call(node.func, [two, one, *others], node.keywords)
        for name in sorted(rivals - {one.id, two.id})[:1]:
            yield "another argument", ast.Call(node.func, [one, ast.Name(name), *others], node.keywords)


def variants(node, rivals=frozenset()):
    """Pairs (operator, what may stand in the node's place)."""
    if isinstance(node, ast.Constant):
        yield from (("constant", ast.Constant(value)) for value in other_constants(node.value))
        if node.value in ("left", "right"):
            yield "comparison", ast.Constant(OTHER[node.value])
    elif isinstance(node, ast.UnaryOp):
        yield "sign" if isinstance(node.op, ast.USub) else "condition", node.operand
    elif isinstance(node, ast.BinOp):
        yield from of_arithmetic(node, rivals)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        for other in COMPARED[type(node.ops[0])]:
            yield "comparison", ast.Compare(node.left, [other()], node.comparators)
    elif isinstance(node, ast.BoolOp):
        yield "condition", ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
        yield from (("condition", ast.BoolOp(node.op, node.values[:k] + node.values[k + 1 :])) for k in range(2))
    elif isinstance(node, ast.Call):
        yield from of_call(node, rivals)
    elif isinstance(node, ast.If | ast.IfExp):
        yield "condition", ast.UnaryOp(ast.Not(), node.test)
    elif isinstance(node, ast.Expr | ast.AugAssign) and not isinstance(getattr(node, "value", None), ast.Yield):
        yield "missing step", ast.Pass()


def is_left_alone(node, field):
    """Whether a node, with all below it, has nothing to do with numbers."""
    if isinstance(node, ast.JoinedStr | ast.Raise | ast.Import | ast.ImportFrom | ast.Lambda) or field in (
        "decorator_list",
        "annotation",
        "returns",
    ):
        return not isinstance(node, ast.Lambda)
    if isinstance(node, ast.keyword):
        return node.arg in UNTOUCHED
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    if isinstance(node, ast.FunctionDef):
        return node.name in REPRESENTED
    targets = getattr(node, "targets", [])
    return any(getattr(target, "id", "") == "__all__" for target in targets)


def compared_names(function):
    """Parameters of a function that it computes with or hands on: one of them may be taken for another."""
    given = {argument.arg for argument in function.args.args + function.args.kwonlyargs}
    used = set()
    for node in ast.walk(function):
        sides = [node.left, node.right] if isinstance(node, ast.BinOp) else getattr(node, "args", [])
        used |= {side.id for side in sides if isinstance(side, ast.Name)} if isinstance(sides, list) else set()
    return frozenset(given & used)


def purpose(node, field):
    """'check' of what refuses bad input, 'default' of an option; '' of formulas."""
    refuses = isinstance(node, ast.If) and isinstance(node.body[0], ast.Raise)
    dropped = isinstance(node, ast.Expr)
    called_here = node.value if dropped else node
    checks = ("check", "make") if dropped else ("check",)  # what is made and not kept was made to be refused
    if refuses or isinstance(called_here, ast.Call) and called(called_here).lstrip("_").startswith(checks):
        return "check"
    return "default" if field in ("defaults", "kw_defaults") else ""


def visit(node, parent=None, field="", function="", rivals=frozenset(), aim=""):
    """Yield (node to be replaced, operator, replacement, name of the function) for all below a node."""
    if is_left_alone(node, field):
        return
    here = function
    aim = aim or purpose(node, field)
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        here = f"{function}.{node.name}" if function else node.name
    if isinstance(node, ast.FunctionDef):
        rivals = compared_names(node)
    for operator, other in variants(node, rivals):
        squared = isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Pow)
        if operator == "turned round" and (
            squared or isinstance(parent, ast.Call) and called(parent) in ("abs", "square")
        ):
            continue  # the same number
        if isinstance(parent, ast.keyword) and parent.arg == "axis" and getattr(other, "value", None) not in (0, 1):
            continue  # no such axis
        yield node.test if isinstance(node, ast.If | ast.IfExp) else node, aim or operator, other, here
    inside = f"{here}.<locals>" if isinstance(node, ast.FunctionDef) else here
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from visit(child, node, name, inside, rivals, aim)


def mutants_of(file, root=ROOT):
    """All mutants of a file; `is_another` says of which the text is another program."""
    text = (root / file).read_bytes()
    begins = [0]
    for line in text.splitlines(keepends=True):
        begins.append(begins[-1] + len(line))
    made = {}
    for node, operator, other, function in visit(ast.parse(text)):
        start = begins[node.lineno - 1] + node.col_offset
        end = begins[node.end_lineno - 1] + node.end_col_offset
        after = ast.unparse(ast.fix_missing_locations(other))
        if not isinstance(other, ast.Name | ast.Constant | ast.Call | ast.Attribute | ast.Pass):
            after = f"({after})"
        function = function.removesuffix(".<locals>")
        mutant = Mutant(
            str(file),
            function,
            operator,
            f"{node.lineno}:{node.col_offset}",
            text[start:end].decode(),
            after,
            start,
            end,
        )
        made.setdefault((start, end, after), mutant)
    return list(made.values())


def is_another(mutant, root=ROOT):
    """Whether a mutant compiles and is not the same program in another spelling."""
    try:
        tree = ast.parse(mutant.source(root))
        compile(tree, mutant.file, "exec")
    except SyntaxError:
        return False
    return ast.dump(tree) != ast.dump(ast.parse((root / mutant.file).read_bytes()))


def sample(files, seed, root=ROOT):
    """Yield mutants of the files in turn, one of each, in an order that the seed draws for each file."""
    queues = []
    for file in sorted(map(str, files)):
        queue = mutants_of(file, root)
        random.Random(f"{seed} {file}").shuffle(queue)
        queues.append(mutant for mutant in queue if is_another(mutant, root))
    for turn in zip_longest(*queues):
        yield from (mutant for mutant in turn if mutant)
