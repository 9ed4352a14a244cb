"""Equation 6 alone: in its own letters, by all pairs of rows, and as the value that users get."""

import numpy as np
import pytest
from hypothesis import given

from helpers.grouping import grouping_loss_from_regions
from helpers.grouping.region_values import mean_product, squared_mean
from tests.grouping.rows import pairs_of_different_groups, residual_rows


def test_equation_6_in_its_letters():
    rng = np.random.default_rng(0)
    region = np.repeat([0, 1, 2], [2, 5, 40])
    r = rng.uniform(-1, 1, 47)
    value = 0.0
    for j in range(3):
        inside = r[region == j]
        value += inside.size / 47 * (inside.mean() ** 2 - inside.var(ddof=1) / inside.size)
    assert squared_mean(r, region) == pytest.approx(value, abs=1e-15)
    assert grouping_loss_from_regions(r, region).value == squared_mean(r, region)


@given(residual_rows())
def test_products_of_two_columns_are_those_of_different_rows_or_groups(rows):
    """A product of two columns is a difference of the squares of their sum and of their difference."""
    r, region, w, g = rows
    s = np.random.default_rng(r.size).uniform(-1, 1, r.size)
    one, own = np.ones(r.size), np.arange(r.size)
    for weight, groups in ((None, None), (w, None), (None, g), (w, g)):
        options = (region, one if weight is None else weight, own if groups is None else groups)
        squares = [pairs_of_different_groups(column, *options) for column in (r + s, r - s)]
        found = mean_product(r, s, region, weight, groups)
        assert found == pytest.approx((squares[0] - squares[1]) / 4, abs=1e-10)
