"""Objects and texts that stand for numbers and dates, and values that add up the same in any order."""

from decimal import Decimal

import numpy as np
import pandas as pd

from helpers.partition.honest_tree import _summable
from helpers.partition.kinds import _is_readable, plain_values, text_as_values
from helpers.partition.levels import Pooled, most_pooled, said_of_pooled


def test_decimals_are_numbers():
    np.testing.assert_array_equal(plain_values(pd.Series([Decimal("1.5"), None])), [1.5, np.nan])


def test_text_that_holds_numbers_or_dates_alone_is_read():
    np.testing.assert_array_equal(text_as_values(pd.Series(["54.5", "NA", "7"])), [54.5, np.nan, 7.0])
    np.testing.assert_array_equal(text_as_values(pd.Series(["13.99%", None, "5 %"])), [13.99, np.nan, 5.0])
    assert text_as_values(pd.Series(["2020-01-31", "2020-02-01"])).dt.day.tolist() == [31, 1]
    assert not _is_readable("soon", True) and _is_readable("12%", False)


def test_of_several_encoders_the_one_that_pools_most_is_named():
    pooled = most_pooled([(Pooled("a", 3, 30),), (Pooled("a", 4, 31), Pooled("b", 9, 40))])
    assert pooled == (Pooled("a", 4, 31), Pooled("b", 9, 40))
    assert "4 of 31" in said_of_pooled(pooled)


def test_rounded_values_have_one_sum_in_any_order():
    values = np.array([0.1, 0.2, 0.3, 0.7, -0.9])
    parts = _summable(values)
    assert parts.cumsum()[-1] == parts[::-1].cumsum()[-1]
    np.testing.assert_allclose(parts, values, atol=1e-8)
