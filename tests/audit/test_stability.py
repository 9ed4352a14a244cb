"""Groups that come back: by hand, planted groups and nothing to find, direction, settings, bad input."""

import numpy as np
import pandas as pd
import pytest

from helpers.audit import group_stability, tree_groups
from helpers.audit import stability as module
from helpers.audit.stability import _overlap
from tests.audit.planted import older_people


def test_overlap_by_hand():
    one = np.array([0, 0, 1, -1, 1])
    two = np.array([0, 1, 1, 1, -1])
    np.testing.assert_allclose(_overlap(one, two, np.ones(5), (2, 2)), [[1 / 2, 1 / 4], [0, 1 / 4]])
    weight = np.array([1.0, 2.0, 3.0, 4.0, 0.0])
    np.testing.assert_allclose(_overlap(one, two, weight, (2, 2)), [[1 / 3, 2 / 10], [0, 3 / 9]])
    np.testing.assert_allclose(_overlap(one, two, np.ones(5), (3, 2))[2], [0, 0])  # nobody there


@pytest.mark.slow
def test_planted_groups_come_back_and_pieces_of_them_less():
    X, p, _, y = older_people(4000, np.random.default_rng(0))
    whole = group_stability(tree_groups(y, p, X, max_depth=1, rng=0), y, p, X, n_repeats=10, rng=1)
    assert list(whole) == ["rule", "n", "gap", "significant", "back", "overlap"]
    assert whole["significant"].all() and (whole["back"] == 1).all() and (whole["overlap"] > 0.9).all()
    merged = group_stability(tree_groups(y, p, X, merge=0.2, rng=0), y, p, X, n_repeats=10, rng=1)
    pieces = group_stability(tree_groups(y, p, X, rng=0), y, p, X, n_repeats=10, rng=1)
    assert merged["overlap"].mean() > pieces["overlap"].mean() + 0.2


@pytest.mark.slow
def test_where_nothing_is_to_be_found_nothing_comes_back():
    back = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, p, _, _ = older_people(1000, rng)
        y = (rng.random(1000) < p).astype(int)
        audit = tree_groups(y, p, X, rng=seed)
        back.append(group_stability(audit, y, p, X, n_repeats=5, rng=seed)["back"].max())
    assert np.mean(back) < 0.2  # 5 % of searches name a group, seldom the same


def test_a_group_that_errs_the_other_way_has_not_come_back():
    X, p, _, y = older_people(3000, np.random.default_rng(1))
    mirrored = tree_groups(1 - y, 1 - p, X, max_depth=1, rng=0)
    assert (group_stability(mirrored, 1 - y, 1 - p, X, n_repeats=4, rng=0)["back"] == 1).all()
    assert (group_stability(mirrored, y, p, X, n_repeats=4, rng=0)["back"] == 0).all()


def test_gaps_left_by_recalibration_count_where_they_were_sought():
    X, p, _, y = older_people(3000, np.random.default_rng(2))
    right = np.clip(p + np.where(X["age"] > 50, 0.3, -0.3), 0, 1)
    audit = tree_groups(y, p, X, calibrated=right, against="calibrated", rng=0)
    table = group_stability(audit, y, p, X, calibrated=right, n_repeats=4, rng=0)
    np.testing.assert_array_equal(table["gap"], audit.table["residual_gap"])
    assert table["back"].max() == 0  # the stated scores are far off, the calibrated ones are the truth


def test_reruns_use_the_settings_and_columns_of_the_audit(monkeypatch):
    X, p, _, y = older_people(1000, np.random.default_rng(3))
    weight = np.random.default_rng(4).uniform(1, 2, 1000)
    groups = np.arange(1000) // 2
    columns = {"sample_weight": weight, "groups": groups}
    audit = tree_groups(y, p, X, max_depth=2, min_rows=60, merge=0.3, rng=0, **columns)
    calls = []
    monkeypatch.setattr(module, "tree_groups", lambda *a, **k: calls.append(k) or tree_groups(*a, **k))
    group_stability(audit, y, p, X, n_repeats=3, rng=0, **columns)
    wanted = {"max_depth": 2, "min_rows": 60, "merge": 0.3, "against": "stated"}
    assert len(calls) == 3 and all(wanted.items() <= call.items() and call["groups"] is groups for call in calls)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_repeats": 0}, "n_repeats must"),
        ({"y": [0, 1] * 100}, "y and X must have the same length, but they have 200 and 1,000 rows"),
        ({"X": pd.DataFrame({"age": np.arange(1000)})}, "X must .*'job'"),
    ],
)
def test_bad_input(change, message):
    X, p, _, y = older_people(1000, np.random.default_rng(6))
    audit = tree_groups(y, p, X, rng=0)
    with pytest.raises(ValueError, match=message):
        group_stability(**({"audit": audit, "y": y, "p": p, "X": X, "rng": 0} | change))
