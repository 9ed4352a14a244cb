"""Rows as sentences and sentences as vectors."""

import numpy as np
import pandas as pd
import pytest

from helpers.datasets import load_fair, load_rand_hie
from helpers.studies.nb08_cascades import rows_as_text
from helpers.studies.nb08_cascades.text import TextEmbedding


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


def test_equal_texts_are_one_point_and_near_texts_are_near():
    texts = rows_as_text(load_fair().X.iloc[:600])
    vectors = TextEmbedding(n_dimensions=16, rng=0).fit(texts).transform([*texts, texts[0]])
    assert np.allclose(vectors[0], vectors[-1])
    unit = vectors[:600] / np.linalg.norm(vectors[:600], axis=1, keepdims=True)
    X = load_fair().X.iloc[:600].astype(str).to_numpy()
    shared = (X[:, None] == X[None]).sum(axis=2)[np.triu_indices(600, 1)]
    cosine = (unit @ unit.T)[np.triu_indices(600, 1)]
    means = [cosine[shared == k].mean() for k in range(8)]
    assert (np.diff(means) > 0).all()  # the more answers two people share, the closer they are
    again = TextEmbedding(n_dimensions=16, rng=0).fit(texts).transform(texts)
    assert np.array_equal(again, vectors[:600])


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: rows_as_text([1, 2]), "X must have two dimensions"),
        (lambda: TextEmbedding().fit("one text"), "texts must be a list of texts"),
        (lambda: TextEmbedding().fit([]), "texts must be a list of texts"),
        (lambda: TextEmbedding().fit(["a b", None, 3]), r"texts must hold texts, but texts\[1\] is None \(and 1 more"),
        (lambda: TextEmbedding(n_dimensions=9).fit(["one cook", "two cooks"]), "n_dimensions must be below .*, 2, but"),
        (lambda: TextEmbedding(n_dimensions=0).fit(["one cook"]), "n_dimensions must be a whole number"),
        (lambda: TextEmbedding().transform(["one cook"]), "call fit first"),
    ],
)
def test_bad_texts_are_named(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
