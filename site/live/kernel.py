"""What stands in for IPython in a browser: cells, the value of their last line, and what they show.

Read by worker.js into the engine's `__main__`. Whatever is more than text goes to the page as JSON between two marks.
"""

import ast
import base64
import io
import json
import linecache
import os
import sys
import traceback
import types
import zipfile

MARK = "\x1e"

os.getuid = os.geteuid = lambda: 0  # libraries ask for them, and this system has none
os.access = lambda path, mode, **given: os.path.exists(path)  # without users there are no permissions
os.makedirs(os.environ["MPLCONFIGDIR"], exist_ok=True)
zipfile.ZipFile("/app/package.zip").extractall("/app")
zipfile.ZipFile("/app/figures.zip").extractall("/usr/local/lib/python315.zip/matplotlib/mpl-data")
os.remove("/app/package.zip")
os.remove("/app/figures.zip")
sys.path.insert(0, "/app")
os.makedirs("/app/notebooks", exist_ok=True)
os.chdir("/app/notebooks")


def send(**output):
    """One output for the page."""
    sys.stdout.write(MARK + json.dumps(output) + MARK)
    sys.stdout.flush()


class Shell:
    """As much of IPython's shell as `helpers` and matplotlib ask for."""

    def __init__(self):
        self.user_ns = {"__name__": "__main__", "__builtins__": __builtins__}
        self.user_ns_hidden = dict(self.user_ns)
        self.events = types.SimpleNamespace(register=lambda *given: None, unregister=lambda *given: None)
        self.count = 0

    def enable_gui(self, *given):
        pass


shell = Shell()


def display(thing, metadata=None, raw=False):
    """Show a bundle {mime type: content}, or whatever IPython would show of a value."""
    if not raw:
        bundle = {"text/plain": repr(thing)}
        if hasattr(thing, "_repr_html_"):
            bundle["text/html"] = thing._repr_html_()
        thing = bundle
    words = thing.get("text/markdown", "")
    if words and "text/html" not in thing and not words.startswith("```"):
        from helpers.notebook.page import to_words

        thing = thing | {"text/html": to_words(words)}
    send(data=thing, metadata=metadata or {})


ipython = types.ModuleType("IPython")
ipython.get_ipython = lambda: shell
ipython.display = types.ModuleType("IPython.display")
ipython.display.display = display
ipython.display.HTML = ipython.display.Markdown = str
ipython.version_info = (9, 0, 0, "")
ipython.__version__ = "9.0.0"
sys.modules |= {"IPython": ipython, "IPython.display": ipython.display}


def show_figures():
    """Figures that a cell has left open, as in a notebook."""
    plt = sys.modules.get("matplotlib.pyplot")
    for number in plt.get_fignums() if plt else ():
        file = io.BytesIO()
        plt.figure(number).savefig(file, format="png", bbox_inches="tight")
        plt.close(number)
        send(data={"image/png": base64.b64encode(file.getvalue()).decode(), "text/plain": "A figure"}, metadata={})


def error_text(error, name):
    """The traceback from the cell on; an error that draws itself, as a wrong parameter does, without one."""
    if hasattr(error, "_render_traceback_"):
        return "\n".join(error._render_traceback_())
    place = error.__traceback__
    while place is not None and place.tb_frame.f_code.co_filename != name:
        place = place.tb_next
    return "".join(traceback.format_exception(type(error), error, place))


def run_cell(source):
    """Run a cell; its last line is shown if it has a value. An error is shown, and goes no further."""
    shell.count += 1
    name = f"<cell {shell.count}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    try:
        tree = ast.parse(source, name)
        last = ast.Expression(tree.body.pop().value) if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, name, "exec"), shell.user_ns)
        if last is not None:
            value = eval(compile(last, name, "eval"), shell.user_ns)
            if value is not None and not source.rstrip().endswith(";"):
                display(value)
        show_figures()
    except (MemoryError, KeyboardInterrupt, Exception, SystemExit) as error:
        send(error=error_text(error, name))
    finally:
        sys.stdout.flush()
