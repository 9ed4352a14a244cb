"""Rows as sentences."""

import numpy as np
import pandas as pd

from helpers.datasets import load_fair, load_rand_hie
from helpers.studies.nb08_cascades import rows_as_text


def test_rows_of_real_tables_can_be_told_apart():
    for load in (load_rand_hie, load_fair):
        X = load().X.iloc[:500]
        texts = rows_as_text(X)
        assert len(set(texts)) == len(X.drop_duplicates())
        assert all(text.count("The ") == X.shape[1] for text in texts)
        assert "nan" not in " ".join(texts).lower().split()


def test_the_words_of_a_row():
    X = pd.DataFrame({
        "married_years": [2.5, np.nan], "plan": [True, False], "health": pd.Categorical(["good", None]), "n": [3, 4],
    })  # fmt: skip
    copy = X.copy()
    assert list(rows_as_text(X)) == [
        "The married years is 2.5. The plan is True. The health is good. The n is 3.",
        "The married years is missing. The plan is False. The health is missing. The n is 4.",
    ]
    pd.testing.assert_frame_equal(X, copy)
