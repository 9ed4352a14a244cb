"""Claims that hold, fail or make no sense, and numbers for metrics.json."""

import numpy as np
import pandas as pd
import pytest

from helpers.notebook import ClaimFailed, claim, record
from helpers.notebook.display import KEY

ID = "ours.start_null"


@pytest.mark.parametrize(
    ("arguments", "bounds", "line"),
    [
        ((0.01234, 0.0124, 0.001), {}, "got 0.0123, want 0.0124 +- 0.001"),
        ((3, 3), {}, "got 3, want 3"),
        ((np.True_, True), {}, "got True, want True"),
        (("a", "a"), {}, "got a, want a"),
        ((np.inf, float("inf"), 0.1), {}, "got inf, want inf +- 0.1"),
        ((1e-17, 0.0, 1e-12), {}, "got 0, want 0 +- 1e-12"),
        ((np.array([1.0, 2.0]), [1.0, 2.0004], 0.001), {}, "2 values, largest deviation 0.0004, allowed 0.001"),
        ((np.arange(3), [0, 1, 2]), {}, "3 values, largest deviation 0, none allowed"),
        ((0.01,), {"at_most": 0.05}, "0.0100 is at most 0.05"),
        ((3e-16,), {"at_most": 1e-12}, "at most 1e-12"),
        (([0.2, 0.9],), {"at_least": 0, "at_most": 1}, "0.2 is at least 0 and 0.90 is at most 1"),
    ],
)
def test_claims_that_hold(outputs, arguments, bounds, line):
    claim(ID, *arguments, **bounds, text="as printed")
    ((bundle, metadata),) = outputs
    assert bundle == {"text/plain": f"{ID} holds: {line} (as printed)"}
    assert metadata[KEY]["claim"] == ID and metadata[KEY]["holds"] is True


@pytest.mark.parametrize(
    ("arguments", "bounds"),
    [
        ((0.02, 0.0124, 0.001), {}),
        ((np.nan, 0.5, 10), {}),
        ((np.inf, 0.5, 10), {}),
        (([1.0, np.nan], [1.0, 2.0], 0.1), {}),
        (([0.1, np.nan],), {"at_least": 0}),
        ((0.2,), {"at_most": 0.1}),
        (("a", "b"), {}),
    ],
)
def test_claims_that_fail_loudly_and_are_recorded(outputs, arguments, bounds):
    with pytest.raises(ClaimFailed, match=f"{ID} FAILS"):
        claim(ID, *arguments, **bounds)
    assert outputs[0][1][KEY]["holds"] is False
    assert issubclass(ClaimFailed, AssertionError)


same = np.array([1.0, 2.0])
series = pd.Series(same)


@pytest.mark.parametrize(
    ("arguments", "bounds", "message"),
    [
        (("ours.start_nul", 1, 1), {}, "did you mean 'ours.start_null'"),
        ((ID, [1.0], [1.0, 2.0], 0.1), {}, "shape"),
        ((ID, [], [], 0.1), {}, "empty"),
        ((ID, []), {"at_most": 1}, "empty"),
        ((ID, same, same, 0.1), {}, "itself"),
        ((ID, same, same[:], 0.1), {}, "itself"),
        ((ID, series, series.to_numpy(), 0.1), {}, "itself"),
        ((ID, np.pi, np.pi, 0.1), {}, "itself"),
        ((ID, np.pi), {"at_most": np.pi}, "itself"),
        ((ID, 0.1, 0.2), {}, "tol"),
        ((ID, 0.1, 0.2, -1), {}, "tol"),
        ((ID, 0.1, 0.2, np.nan), {}, "tol"),
        ((ID, 0.1), {}, "either want .* or bounds"),
        ((ID, 0.1, 0.2, 1), {"at_most": 1}, "either want .* or bounds"),
        ((ID, 0.1), {"at_most": np.nan}, "at_most must be a number"),
    ],
)
def test_claims_that_make_no_sense(outputs, arguments, bounds, message):
    with pytest.raises(ValueError, match=message):
        claim(*arguments, **bounds)
    assert not outputs


def test_an_array_may_be_compared_with_itself_turned_around(outputs):
    law = np.array([0.25, 0.5, 0.25])
    claim(ID, law, law[::-1], tol=0)
    assert outputs[0][1][KEY]["holds"]


def test_record_is_invisible_and_plain(outputs):
    record(gap=np.float64(0.1), n=np.int64(3), missing=np.nan, table=np.arange(2), name="a")
    ((bundle, metadata),) = outputs
    assert list(bundle) == ["text/html"] and bundle["text/html"].startswith("<!--")
    assert metadata[KEY]["metrics"] == {"gap": 0.1, "n": 3, "missing": "nan", "table": [0, 1], "name": "a"}
    with pytest.raises(ValueError, match="recorded value"):
        record(model=object())
