"""Answers of language models about people of a census survey, as the folktexts benchmark writes them.

The benchmark (Cruz et al. 2024) writes one CSV a model: the row label of the person, `risk_score` and `label`. Who the
person is stands in another table, that of folktables (Ding et al. 2021), under the same row labels. An audit needs
both.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import expit

from helpers.checks import check_count


def simulate_folktexts(folder, n_rows=8000, *, rng=None):
    """Write tables as folktexts (predictions) and folktables (people) do, of simulated people and a simulated model."""
    rng = np.random.default_rng(rng)
    n = check_count(n_rows, "n_rows", least=50)
    age = rng.integers(17, 80, n)
    sex = rng.integers(1, 3, n)
    age = np.where(rng.random(n) < 0.25, rng.integers(19, 25, n), age)
    schooling = rng.choice([16, 18, 20, 21, 22, 23, 24], n, p=[0.2, 0.13, 0.1, 0.15, 0.16, 0.22, 0.04])
    hours = rng.integers(10, 60, n)
    marriage = rng.integers(1, 6, n)
    odds = 0.15 * (schooling - 22) + 0.04 * (hours - 35) + 0.5 * np.minimum(age - 35, 15) / 15 - 0.3 * (sex == 2)
    young = (sex == 2) & (age <= 24) & (schooling >= 22)
    old = (sex == 2) & (age >= 37) & (schooling == 23)
    true = odds - 3.0 * young + 3.0 * old
    label = (rng.random(n) < expit(true)).astype(int)
    index = rng.permutation(10 * n)[:n]
    predictions = pd.DataFrame({"risk_score": expit(2 * odds).round(6), "label": label}, index=index)
    columns = {"AGEP": age, "SCHL": schooling, "SEX": sex, "MAR": marriage, "WKHP": hours}
    people = pd.DataFrame(columns, index=index).sort_index()  # as in the survey: another order than the answers
    paths = [Path(folder) / name for name in ("ACSIncome_predictions.csv", "ACSIncome_people.csv")]
    predictions.to_csv(paths[0])
    people.to_csv(paths[1])
    return paths
