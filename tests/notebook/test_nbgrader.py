"""nbgrader itself makes the students' version of a lesson and grades two hand-ins; where its command is installed.

nbgrader has an environment of its own (``pip install nbgrader``): put its bin folder at the end of PATH.
"""

import json
import os
import shutil
import subprocess
import sys

import nbformat
import pandas as pd
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from helpers.notebook import student

NBGRADER = shutil.which("nbgrader")
KERNEL = {"argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"], "display_name": "Python 3"}


def lesson():
    """Two exercises: a number and a function."""
    sources = {
        "answer_1 = ...": "exercise",
        "from helpers.notebook import Check\n\ncheck_1 = Check(4)\ncheck_1(answer_1)": "check",
        "solution_1 = 2 + 2\ncheck_1(solution_1)": "solution",
        "def double(x):\n    return ...": "exercise",
        "check_2 = Check(6)\ncheck_2(double, 3)": "check",
        "def solution_2(x):\n    return 2 * x\n\n\ncheck_2(solution_2, 3)": "solution",
    }
    cells = [new_code_cell(source, metadata={"tags": [tag]}) for source, tag in sources.items()]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel})


@pytest.mark.skipif(NBGRADER is None, reason="the command nbgrader is not installed")
def test_nbgrader_releases_and_grades(tmp_path):
    course = tmp_path / "course"
    (tmp_path / "notebooks").mkdir()
    nbformat.write(lesson(), tmp_path / "notebooks" / "55_sample.ipynb")
    student.main([str(tmp_path / "notebooks"), "--output", str(course), "--nbgrader"])
    (tmp_path / "jupyter" / "kernels" / "python3").mkdir(parents=True)
    (tmp_path / "jupyter" / "kernels" / "python3" / "kernel.json").write_text(
        json.dumps(KERNEL | {"language": "python"})
    )
    beside = os.pathsep.join([os.path.dirname(NBGRADER), os.environ["PATH"]])  # where it finds its alembic
    environment = os.environ | {"JUPYTER_PATH": str(tmp_path / "jupyter"), "PATH": beside}

    def nbgrader(*arguments):
        done = subprocess.run([NBGRADER, *arguments], cwd=course, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr

    nbgrader("generate_assignment", "55_sample")
    released = (course / "release" / "55_sample" / "55_sample.ipynb").read_text(encoding="utf-8")
    assert "2 + 2" not in released and "2 * x" not in released and "is_right" not in released
    answers = {"ana": released.replace("answer_1 = ...", "answer_1 = 4"), "ben": released}
    answers["cleo"] = answers["ana"].replace("return ...", "return x + x")
    for name, text in answers.items():
        handed_in = course / "submitted" / name / "55_sample"
        handed_in.mkdir(parents=True)
        (handed_in / "55_sample.ipynb").write_text(text, encoding="utf-8")
    nbgrader("autograde", "55_sample", "--create")
    nbgrader("export")
    grades = pd.read_csv(course / "grades.csv")
    assert dict(zip(grades["student_id"], grades["score"], strict=True)) == {"ana": 1, "ben": 0, "cleo": 2}
    assert set(grades["max_score"]) == {2}
