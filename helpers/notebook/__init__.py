"""What every notebook needs: a guard for its parameters, claims that bind prose to numbers, fixed outputs, self-checks.

To import it changes nothing in a reader's session.

- `guard`: the parameters and the folder of a run; `claims`: numbers that are checked
- `exercises`, `quizzes`: questions that a reader answers; `folds`: what a reader opens
- `display`: what is shown
- `student`: copies without solutions; `marks`: what a class has answered on the pages; `page`: a page for readers
"""

from helpers.notebook.claims import ClaimFailed, claim, record
from helpers.notebook.display import figure, show, show_source, table
from helpers.notebook.exercises import Check
from helpers.notebook.folds import folded, prediction
from helpers.notebook.guard import ParameterError, at_least, between, one_of, output_folder, parameters
from helpers.notebook.quizzes import quiz

__all__ = [
    "Check", "ClaimFailed", "ParameterError", "at_least", "between", "claim", "figure",
    "folded", "one_of", "output_folder", "parameters", "prediction", "quiz", "record", "show", "show_source", "table",
]  # fmt: skip
