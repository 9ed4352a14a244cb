"""The law of all gaps where the scores are right: refits and skewness."""

import numpy as np
import pandas as pd
import pytest

from helpers.audit.null import NullModel, skewed_from, symmetric
from helpers.audit.segments import SegmentFamily


def test_scores_that_are_moved_to_be_right_in_a_segment_are_right_there_however_far_they_were():
    rng = np.random.default_rng(10)
    X = pd.DataFrame({"a": np.repeat([0, 1], 200), "b": rng.normal(size=400)})
    p = rng.uniform(0.01, 0.03, 400)
    y = (rng.random(400) < np.where(X["a"] == 1, 0.97, 0.02)).astype(int)
    family = SegmentFamily(X, y, 20, 2)
    null = NullModel(y, p, np.ones(400), None, family, "platt", rng)
    null.c = p
    tangent = np.column_stack([np.ones(400), X["a"] == 1])
    residual = y - null._refitted(tangent)
    assert np.abs(tangent.T @ residual).max() < 1e-3


@pytest.mark.parametrize("skewness", [0.0, 0.5, 1.0])
def test_a_gap_made_symmetric_and_skewed_again_is_itself(skewness):
    z = skewed_from(symmetric(np.array([3.0]), np.array(skewness)), skewness)
    np.testing.assert_allclose(z, 3.0, rtol=1e-6)
