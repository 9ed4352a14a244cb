"""Smooth curves: windows by brute force."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.calibration import running_curve


def window(p, point, k):
    """Rows of the k nearest scores, the lower of two equally far ones first, and every row that ties with one."""
    nearest = np.lexsort((p, np.abs(p - point)))[:k]
    return np.isin(p, p[nearest])


@st.composite
def rows(draw):
    n = draw(st.integers(1, 30))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    size = draw(st.sampled_from([4, 64]))  # sixteenths and so on: distances are exact, ties are many or few
    return rng.integers(0, size + 1, n) / size, rng.integers(0, 2, n).astype(float), draw(st.integers(1, n))


@given(rows())
def test_windows_are_those_of_the_definition(data):
    p, y, k = data
    at = np.r_[p, 0.0, 0.375, 1.0]
    mean, line = (running_curve(y, p, at, neighbors=k, degree=degree) for degree in (0, 1))
    for i, point in enumerate(at):
        inside = window(p, point, k)
        assert mean[i] == pytest.approx(y[inside].mean(), abs=1e-12)
        expected = y[inside].mean()
        if np.ptp(p[inside]):
            slope, start = np.polyfit(p[inside], y[inside], 1)
            expected = start + slope * point
        assert line[i] == pytest.approx(expected, abs=1e-9)


def test_four_rows_by_hand():
    p = [0.0, 0.25, 0.5, 1.0]
    y = [0, 1, 0, 1]
    assert running_curve(y, p, [0.0, 0.3, 0.9], neighbors=2, degree=0).tolist() == [0.5, 0.5, 0.5]
    assert running_curve(y, p, [1.0, 0.125], neighbors=2).tolist() == pytest.approx([1.0, 0.5])
    assert running_curve(y, p, neighbors=4, degree=0).tolist() == [0.5] * 4
    assert running_curve([1], [0.3]).tolist() == [1.0]


@pytest.mark.parametrize(("n", "neighbors"), [(20, 20), (100, 30), (1000, 100)])
def test_windows_shrink_as_rows_come_in(n, neighbors):
    p = np.random.default_rng(0).random(n)
    y = np.arange(n) % 3 == 0
    assert running_curve(y, p).tolist() == running_curve(y, p, neighbors=neighbors).tolist()


@pytest.mark.parametrize("wrong", [{"y": [0, 1, 1, 0]}, {"degree": 2}, {"neighbors": 4}])
def test_a_window_of_other_rows_or_degrees_is_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        running_curve(**{"p": [0.1, 0.2, 0.6], "y": [0, 0, 1], "neighbors": 2} | wrong)


@pytest.mark.parametrize("power", [1.0, 1.5])
def test_the_curve_of_a_known_truth(power):
    """Bias is the square of the window's width; here it is less than a tenth of the standard error."""
    at = np.array([0.0 if power == 1 else 0.2, 0.4, 0.6, 0.8, 1.0])
    rng = np.random.default_rng(2)
    found = [running_curve(rng.random(3000) < p**power, p, at) for p in rng.random((50, 3000))]
    error = (np.mean(found, axis=0) - at**power) / (np.std(found, axis=0, ddof=1) / np.sqrt(50))
    assert (np.abs(error) < 3).all() and (error**2).mean() < 3
