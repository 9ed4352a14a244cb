"""The law behind interval and test, by hand."""

import numpy as np
import pytest

from helpers.grouping.inversion import LossLaw, skewed_quantile


def test_the_law_by_hand():
    law = LossLaw(null_variance=4e-6, null_third=8e-9, ceiling=5e-6, slope=1e-3)
    assert law.variance(0.01) == pytest.approx(1.4e-5)
    assert law.skewness(0.0) == pytest.approx(8e-9 / 8e-9)
    low, high = law.interval(0.02)
    skewness = [law.skewness(low), min(law.skewness(high), 0.25)]
    grown = 1e-3 * high * np.sqrt(high / 0.02)
    assert 0.02 == pytest.approx(low + skewed_quantile(0.975, skewness[0]) * np.sqrt(4e-6 + 1e-3 * low))
    assert 0.02 == pytest.approx(high + skewed_quantile(0.025, skewness[1]) * np.sqrt(5e-6 + grown))
    edge = skewed_quantile(0.975, 1.0) * 0.002
    assert law.p_value(edge) == pytest.approx(0.025) and law.interval(edge)[0] == pytest.approx(0, abs=1e-12)
    assert law.interval(-1.0)[1] == 0 and law.interval(0.0)[0] == pytest.approx(-edge)
    draws = (np.random.default_rng(0).chisquare(8, 200_000) - 8) / 4  # skewness 1
    assert np.quantile(draws, [0.025, 0.975]) == pytest.approx(
        [skewed_quantile(q, 1.0) for q in (0.025, 0.975)], abs=0.03
    )
