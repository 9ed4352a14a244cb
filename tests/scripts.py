"""Programs of this repository that no package holds, as modules."""

import importlib.util
import sys

from helpers.datasets import DATA_FOLDER


def load_program(path):
    """The module that a file makes; it may import those beside it, as when it is run."""
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load_script(name):
    """A script that makes a shipped table."""
    return load_program(DATA_FOLDER / "scripts" / f"{name}.py")
