"""Numbers as text that is the same on every computer, and a note to whoever executes a notebook where it may not be.

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


def written(value, spec):
    """`format(value, spec)`, with a note on stderr if another computer may show another last digit."""
    # Many numbers lie right on a border: a share of 200 rows does in percent once in twenty times, and so do
    # differences of shares and numbers that somebody typed. They are decimals of a few digits, so they are rounded to
    # these first. That takes away what computers differ by, and there is nothing to note.
    if not isinstance(value, (float, np.floating)) or not np.isfinite(value):
        return format(value, spec)
    number = float(value)
    below, above, beyond = (format(number * (1 + k * NEAR), spec) for k in (-1, 1, 2))
    if below == above:
        return format(value, spec)
    decimal = float(f"{number:.12g}")
    if decimal == float(f"{number:.10g}") and above == beyond:  # else more digits are shown than computers agree in
        return format(decimal, spec)
    if decimal != number:
        sys.stderr.write(
            f"{number:.12g} as {spec} lies at a rounding border: another computer may show another last digit; "
            "show more or fewer digits.\n"
        )
    return format(value, spec)


class _Formatter(string.Formatter):
    def format_field(self, value, format_spec):
        return written(value, format_spec) if format_spec else format(value)


def fill(text, *values, **named):
    """`text.format(...)`, its numbers as in `written`."""
    return _Formatter().format(text, *values, **named)


class WatchFormats(ast.NodeTransformer):
    """Lets f"{x:.3f}" and "{:.3f}".format(x) in a cell go through `written` and `fill`."""

    # `show` gets a finished line, in which the numbers are rounded already. IPython passes the syntax tree of each cell
    # through such a transformer before it compiles it, so lessons write plain f-strings.

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
