"""A small notebook with parameters, written where a test stands."""

import nbformat
import nbformat.v4 as v4

PARAMETERS = """n_rows = 1000  # rows drawn
seed = 1  # of the random numbers
rate = 0.5
name = ""  # of the model
ages = [20, 30]  # edges
wide = False
data_path = ""  # a table
limit = None
anything = []
options = {}"""


def write(path, *cells, parameters=PARAMETERS, kernel="python3"):
    """The path of a notebook of a title, the parameters and these cells, sources or whole cells."""
    sources = [v4.new_code_cell(parameters, metadata={"tags": ["parameters"]})] if parameters else []
    sources += [cell if isinstance(cell, dict) else v4.new_code_cell(cell) for cell in cells]
    kernel = {"name": kernel, "display_name": "Python 3", "language": "python"}
    head = v4.new_markdown_cell("# A *small* run with $q_i$")
    nbformat.write(v4.new_notebook(cells=[head, *sources], metadata={"kernelspec": kernel}), path)
    return str(path)
