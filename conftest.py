"""`pytest --nbval notebooks`: a stored number may differ by one unit of the last digit that it shows."""

import pytest

from tests.notebook.stored_outputs import in_stored_words

try:
    from nbval.plugin import IPyNbCell, IPyNbFile
except ImportError:  # without the extra `notebooks`, no notebook is collected
    IPyNbCell = IPyNbFile = object


class Cell(IPyNbCell):
    """A cell of nbval whose outputs are compared by tests/notebook/stored_outputs.py."""

    def compare_outputs(self, test, ref, skip_compare=None):
        return super().compare_outputs(in_stored_words(test, ref), ref, skip_compare)


class Notebook(IPyNbFile):
    """A notebook of nbval, with such cells; what Jupyter warns of in this process is not for its reader."""

    def collect(self):
        for found in super().collect():
            given = {"name": found.name, "cell_num": found.cell_num, "cell": found.cell, "options": found.options}
            cell = Cell.from_parent(self, **given)
            cell.add_marker(pytest.mark.filterwarnings("ignore"))
            yield cell


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path, parent):
    """Put our notebook in the place of nbval's."""
    found = yield
    return [Notebook.from_parent(parent, path=file_path) if type(one) is IPyNbFile else one for one in found]


def pytest_configure(config):
    """Ten minutes for a cell: nbval's own 2,000 seconds are long to wait for a kernel that has died."""
    if getattr(config.option, "nbval_cell_timeout", None) == 2000:
        config.option.nbval_cell_timeout = 600
