"""What every notebook needs: a guard for its parameters, claims that bind prose to numbers, fixed outputs, self-checks.

- `guard`, `rules`, `parameter_cell`: the parameters; `claims`, `exercises`: numbers that are checked
- `display`: what is shown; `student`: copies without solutions; `page`: a page for readers
"""

from helpers.notebook.claims import ClaimFailed, claim, record
from helpers.notebook.display import figure, show, table
from helpers.notebook.exercises import check_exercise
from helpers.notebook.guard import parameters
from helpers.notebook.parameter_cell import ParameterError
from helpers.notebook.rules import at_least, at_most, between, one_of

__all__ = [
    "ClaimFailed", "ParameterError", "at_least", "at_most", "between", "check_exercise", "claim", "figure", "one_of",
    "parameters", "record", "show", "table",
]  # fmt: skip
