"""K-class scores as one binary problem."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.scoring import top_label


def test_four_rows_by_hand():
    proba = [[0.2, 0.5, 0.3], [0.4, 0.4, 0.2], [0.0, 0.0, 1.0], [1 / 3, 1 / 3, 1 / 3]]
    correct, confidence = top_label([1, 1, 2, 0], proba)
    assert correct.tolist() == [1, 0, 1, 1] and confidence.tolist() == [0.5, 0.4, 1.0, 1 / 3]
    assert correct.dtype == float


@given(st.integers(0, 10**6), st.integers(2, 6))
def test_what_it_means(seed, k):
    rng = np.random.default_rng(seed)
    proba, y = rng.dirichlet(np.ones(k), 20), rng.integers(0, k, 20)
    copies = proba.copy(), y.copy()
    correct, confidence = top_label(y, proba)
    assert (confidence == proba.max(axis=1)).all() and (confidence >= 1 / k).all()
    assert (correct == (proba.argmax(axis=1) == y)).all()
    relabel = rng.permutation(k)  # the names of the classes carry nothing
    again = top_label(np.argsort(relabel)[y], proba[:, relabel])
    assert (again[0] == correct).all() and (again[1] == confidence).all()
    assert np.array_equal(copies[0], proba) and np.array_equal(copies[1], y)


def test_two_classes_are_the_binary_score_folded_at_a_half():
    rng = np.random.default_rng(0)
    p = rng.random(100)
    y = (rng.random(100) < p).astype(int)
    correct, confidence = top_label(y, np.column_stack([1 - p, p]))
    assert confidence == pytest.approx(np.maximum(p, 1 - p))
    assert (correct == np.where(p > 0.5, y, 1 - y)).all()


def test_a_calibrated_score_is_right_as_often_as_it_says():
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.ones(4), 20_000)
    y = (rng.random(20_000)[:, None] > proba.cumsum(axis=1)[:, :-1]).sum(axis=1)
    correct, confidence = top_label(y, proba)
    gap = correct - confidence
    assert abs(gap.mean()) < 2 * gap.std() / np.sqrt(gap.size)
