"""Files that a request names: whether they are there, can be read, and hold a table that the notebook can use."""

import os
from pathlib import Path

from helpers._grid import near_file

# what a table is read with: a change in any of these calls for another look at it
READ_WITH = (
    "path", "label", "score", "features", "weight", "group",
    "question", "sample", "answer", "confidence", "reference", "correct", "counts", "rule",
    "cost", "reject_cost", "price", "n_resamples",
)  # fmt: skip


def is_file(name):
    return name == "path" or name.endswith("_path")


def resolve(name, value):
    """A file parameter as a full path if it lies there from where the user stands."""
    path = Path(value).expanduser()
    return str(path.resolve()) if path.is_file() else value


def check_inputs(values, names, given):
    """ValueError if a file that the user names cannot be read, or a table of scores or answers cannot be used."""
    scores, answers = ({"path", *two} <= set(names) for two in (("label", "score"), ("question", "answer")))
    for name in given:
        if is_file(name) and values[name] and not ((scores or answers) and name == "path"):
            path = Path(values[name])
            if not path.is_file():
                raise ValueError(f"{name}: there is no file {path}{near_file(path)}.")
            if not os.access(path, os.R_OK):
                raise ValueError(f"{name}: {path} may not be read.")
    if scores and values["path"]:
        from helpers.report import two_costs
        from helpers.tables import read_scores

        if isinstance(values.get("cost"), list) and (broken := two_costs(values["cost"])):
            raise ValueError(f"cost {broken}, but it is {values['cost']}.")
        others = {name: values[name] or None for name in ("features", "weight", "group") if name in names}
        read_scores(values["path"], label=values["label"], score=values["score"], **others)
    if answers:
        from helpers.answer_report import check_terms
        from helpers.answer_table import read_answers

        check_terms(**{name: values[name] for name in ("cost", "reject_cost", "price", "n_resamples") if name in names})
        roles = ("question", "sample", "answer", "confidence", "reference", "correct", "counts", "rule")
        read_answers(values["path"], **{name: values[name] for name in roles if name in names})
