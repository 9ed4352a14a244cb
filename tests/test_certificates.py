"""The core of both certificates: the order of tests by hand, and p-values against what they bound."""

import numpy as np
import pytest
from scipy.stats import binom

from helpers.certificates import fallback, mean_p_value


def test_the_error_is_handed_on_added_and_lost():
    error, passed = fallback([0.01, 0.2, 0.01, 0.01, 0.04], [0.02, 0, 0, 0.03, 0.01])
    np.testing.assert_allclose(error, [0.02, 0.02, 0, 0.03, 0.04])
    assert passed.tolist() == [True, False, False, True, True]


def test_nothing_passes_without_an_error_to_spend():
    """A thousand right answers at 0.1 have the p-value 0.0 in floating point, which is at most 0 too."""
    p_value = mean_p_value([300, 0], [1000, 1000], 0.9, exact=True)
    assert p_value[1] == 0.0
    assert fallback([0.2, 0.0], [0.05, 0])[1].tolist() == [False, False]


@pytest.mark.parametrize("target", [0.02, 0.2, 0.7])
def test_bounds_are_above_the_exact_p_value_and_not_far(target):
    n = 300
    wrong = np.arange(n + 1)
    exact = mean_p_value(wrong, n, target, exact=True)
    np.testing.assert_allclose(exact, binom.cdf(wrong, n, target))
    bound = mean_p_value(wrong, n, target, exact=False)
    assert (bound >= exact * (1 - 1e-9)).all() and (bound <= 1).all() and (np.diff(bound) >= -1e-12).all()
    assert (bound <= np.e * exact * (1 + 1e-9)).all()
