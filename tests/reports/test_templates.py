"""The templates of the reports: their white space, texts of a user, and sections that do not exist."""

import re
from importlib.resources import files

import numpy as np
import pandas as pd
import pytest

from helpers.reports import audit_scores, describe_figure, next_steps, read_table, say, summary, write
from helpers.reports.text import ENVIRONMENT, TEMPLATES
from helpers.tables import ScoreTable

ODD = "{{ 7 * 7 }} {% raw %}  two  spaces\n\n## <b onclick=x>name</b>"


@pytest.fixture(scope="module")
def odd_scores():
    """A table whose every text is odd, with a group that is surely misjudged."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({ODD: rng.choice([ODD, "no"], 2000), "b": rng.normal(size=2000)})
    p = np.full(2000, 0.5) + rng.uniform(-0.1, 0.1, 2000)
    y = (rng.random(2000) < np.where(X[ODD] == ODD, 0.8, 0.2)).astype(np.int8)
    table = ScoreTable(ODD, ODD, ODD, y, p, X.astype({ODD: "category"}), dropped={ODD: "constant"}, note=ODD)
    return audit_scores(table, rng=0)


def test_texts_of_a_user_come_through_letter_by_letter(odd_scores):
    described = write(odd_scores.table, "read")
    assert len(described) == 4 and described[0].startswith(f"{ODD}: 2,000 cases. The column {ODD!r} states")
    assert described[-1] == f"Note: {ODD}."
    assert ODD in write(odd_scores, "groups")[-1] and ODD in describe_figure(odd_scores, "groups")
    assert any(f"Let the model use {ODD}" in step for step in next_steps(odd_scores).index)
    assert ODD in summary(odd_scores)["Answer"].iloc[2] and len(summary(odd_scores)) == 4


def test_what_looks_like_markup_is_shown_as_written(monkeypatch):
    shown = []
    monkeypatch.setattr("helpers.reports.text.emit", shown.append)
    say(ODD)
    assert shown[0]["text/plain"] == ODD
    assert "&lt;b onclick=x&gt;" in shown[0]["text/html"] and "<b" not in shown[0]["text/html"]


def test_a_section_that_does_not_exist_is_named():
    table = read_table("data/rand_scores.csv.gz")
    with pytest.raises(ValueError, match="section must be one of .*did you mean 'read'"):
        write(table, "reed")
    with pytest.raises(ValueError, match="section must be one of"):
        write(table, "_drift")


@pytest.mark.parametrize("name", sorted(set(TEMPLATES.values())))
def test_templates_lie_in_the_package_and_keep_their_form(name):
    text = files("helpers.reports").joinpath(name).read_text(encoding="utf-8")
    assert max(map(len, text.splitlines())) <= 120 and "\t" not in text
    glued = re.findall(r"[A-Za-z,;] *\{%[^%\n]*%\}\n(?!\{%-).*", text)  # a block eats the line end after it
    assert not glued, glued
    assert ENVIRONMENT.get_template(name).module
