"""A note, to whoever executes a notebook, on a number that another computer may show with another last digit.

Processors and their libraries add up in different orders, so numbers agree between them in the first twelve digits or
so, and fewer where something cancels. What is shown has therefore fewer than ten digits. That leaves numbers that lie
just where their format rounds: 0.12349999999 and 0.12350000001, which are one number on two computers, are 0.123 and
0.124.
"""

import ast
import string
import sys

import numpy as np

NEAR = 1e-9  # relative distance to a border of rounding


def lies_at_border(value, spec):
    """Whether `value`, a billionth larger or smaller, would be another text.

    A decimal of up to twelve digits counts as exact, although it may lie right on a border: it was typed, or it is a
    ratio of whole numbers, and every computer divides those alike (one in eight shares of 200 rows is such a tie, and
    a note on each would be noise). Inexact sums rarely hit one: 0.1 + 0.2 - 0.175 is 0.12500000000000006, and noted.

    >>> lies_at_border(0.12349999999999, ".3f"), lies_at_border(0.1234, ".3f"), lies_at_border(1 / 8, ".0%")
    (True, False, False)
    >>> lies_at_border(1 / 3, ".12f")  # more digits than processors agree in
    True
    """
    value = float(value)
    if value == float(f"{value:.12g}") or not np.isfinite(value):
        return False
    return format(value * (1 - NEAR), spec) != format(value * (1 + NEAR), spec)


def written(value, spec):
    """`format(value, spec)`, with a note on stderr if that may differ between computers.

    >>> written(0.12345, ".3f"), written(12345, ",")
    ('0.123', '12,345')
    """
    if isinstance(value, (float, np.floating)) and lies_at_border(value, spec):
        sys.stderr.write(
            f"{value:.12g} as {spec} lies at a rounding border: another computer may show another last digit; "
            "show more or fewer digits.\n"
        )
    return format(value, spec)


class _Formatter(string.Formatter):
    def format_field(self, value, format_spec):
        return written(value, format_spec) if format_spec else format(value)


def fill(text, *values, **named):
    """`text.format(...)`, its numbers as in `written`.

    >>> fill("{:.1%} of {n:,}", 0.125, n=1000)
    '12.5% of 1,000'
    """
    return _Formatter().format(text, *values, **named)


class WatchFormats(ast.NodeTransformer):
    """Lets f"{x:.3f}" and "{:.3f}".format(x) in a cell go through `written` and `fill`.

    `show` gets a finished line, in which the numbers are rounded already. IPython passes the syntax tree of each cell
    through such a transformer before it compiles it, so lessons write plain f-strings.
    """

    def _call(self, name, arguments, keywords, node):
        """The node of a call of a function of this module, in place of `node`; it needs no name in the notebook."""
        function = ast.parse(f"__import__({__name__!r}, fromlist=['']).{name}", mode="eval").body
        call = ast.Call(function, arguments, keywords)
        for part in (call, *ast.walk(function)):
            ast.copy_location(part, node)  # a traceback shows the line of the cell
        return call

    def visit_FormattedValue(self, node):
        """{x:.3f} as {written(x, ".3f")}; {x} and {x!r:>9} stay."""
        self.generic_visit(node)
        if node.format_spec is not None and node.conversion == -1:
            node.value = self._call("written", [node.value, node.format_spec], [], node.value)
            node.format_spec = None
        return node

    def visit_Call(self, node):
        """ "...".format(x) as fill("...", x)."""
        self.generic_visit(node)
        text = getattr(getattr(node.func, "value", None), "value", None)
        if isinstance(text, str) and node.func.attr == "format":
            return self._call("fill", [node.func.value, *node.args], node.keywords, node)
        return node


def watch_formats(shell):
    """Watch the cells that follow in an IPython shell; None, outside of one, changes nothing."""
    if shell is not None and not any(isinstance(one, WatchFormats) for one in shell.ast_transformers):
        shell.ast_transformers.append(WatchFormats())
