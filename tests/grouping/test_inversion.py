"""The law behind interval and test, by hand."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import norm

from helpers.grouping.fitted_scores import FitEffect
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


def test_the_law_of_two_parts_by_hand():
    """Means over parts and their moments; how much labels vary without a loss is known from the scores."""
    one = {"value": 0.03, "null_variance": 4e-4, "null_third": 8e-6, "noise_variance": 5e-4, "noise_ceiling": 7e-4}
    two = {"value": 0.01, "null_variance": 2e-4, "null_third": 2e-6, "noise_variance": 1e-4, "noise_ceiling": 2e-4}
    parts = [SimpleNamespace(**one, signal_variance=6e-4, unit_variance=0.02),
             SimpleNamespace(**two, signal_variance=2e-4, unit_variance=0.06)]  # fmt: skip
    law = LossLaw.of(parts, FitEffect(shift=-0.001, variance_ratio=0.9))
    null = 0.9 * 1.5e-4
    assert (law.null_variance, law.null_third) == pytest.approx((null, 0.9**1.5 * 1.25e-6))
    assert (law.ceiling, law.shift) == pytest.approx((9e-4 / 4, -0.001))
    signal = 2e-4 + 1.5e-4 - null
    assert law.slope == pytest.approx((signal + np.sqrt(null) * 0.02) / (0.02 + np.sqrt(null)))
    lost = LossLaw.of(
        [SimpleNamespace(**{**one, "value": -1.0, "noise_ceiling": 0.0}, signal_variance=-1, unit_variance=0.1)]
    )
    assert (lost.slope, lost.ceiling) == pytest.approx((0.1, 4e-4))


def test_without_noise_only_a_loss_is_significant():
    sure = LossLaw(null_variance=0.0, null_third=0.0, ceiling=0.0, slope=0.0)
    assert sure.p_value(0.1) == 0 and sure.p_value(0.0) == 1 and sure.skewness(0.1) == 0
    assert sure.interval(0.1) == pytest.approx((0.1, 0.1)) and sure.interval(0.0) == (0, 0)


def test_no_skewness_is_the_normal_law_and_too_much_is_cut():
    law = LossLaw(null_variance=1e-4, null_third=0.0, ceiling=1e-4, slope=0.0, shift=-0.002)
    assert law.p_value(0.018) == pytest.approx(norm.sf(2)) and skewed_quantile(0.9, 0.0) == pytest.approx(norm.ppf(0.9))
    assert skewed_quantile(0.9, 2e-4) == pytest.approx(norm.ppf(0.9), abs=1e-3)
    low, high = law.interval(0.018, 0.1)
    assert (low, high) == pytest.approx((0.02 - 0.01 * norm.isf(0.1), 0.02 + 0.01 * norm.isf(0.1)))
    assert LossLaw(1e-4, 1.0, 1e-4, 0.0).skewness(0.0) == 4
    assert LossLaw(1.0, 0.0, 1.0, 0.0).interval(0.5) == (-1, 1)
