"""What changes nothing moves no number: each relation with each estimator and measure that it applies to."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from entry_points import ENTRY_POINTS
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from limits import DOES_NOT_APPLY, ON_AVERAGE, ONLY_ESTIMATES
from relation_sample import sample
from relations import RELATIONS

EXACT = 1e-9

BESIDE = ("estimates", "value", "se")  # what is said twice


def limit(table, entry_point, relation):
    """Why a relation holds less than exactly, None if it is not said."""
    return next((reason for reason, names in table.get(relation, {}).items() if entry_point in names), None)


PAIRS = [
    (entry_point, relation)
    for entry_point in ENTRY_POINTS
    for relation in RELATIONS
    if RELATIONS[relation].needs <= ENTRY_POINTS[entry_point].takes and not limit(DOES_NOT_APPLY, entry_point, relation)
]


@cache
def said(entry_point, seed):
    """What is said of the sample itself."""
    return ENTRY_POINTS[entry_point].ask(sample(seed))


def flipped(kind, values):
    """What was said of class 1 as it has to be said of the other one."""
    values = np.asarray(values, float)
    match kind:
        case "chance_rows":
            return 1 - values
        case "gaps":
            return -values[:, ::-1]
        case "chance_ends":
            return 1 - values[:, ::-1, ::-1]
        case "bins":
            return values[:, ::-1]
    return values


def assert_same(before, after, origin, flips):
    for kind, expected in before.items():
        found = after[kind]
        if kind in BESIDE:
            continue
        if kind == "words":
            assert found == expected
            continue
        if flips:
            expected = flipped(kind, expected)
        if kind.endswith("rows"):
            found = np.asarray(found)[origin >= 0]
            expected = np.asarray(expected)[origin[origin >= 0]]
        assert np.shape(found) == np.shape(expected), kind
        np.testing.assert_allclose(found, expected, rtol=EXACT, atol=EXACT, err_msg=kind)


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore::helpers.profile.TableWarning")  # copies are among the changes
@pytest.mark.parametrize(("entry_point", "relation"), PAIRS)
def test_relation(entry_point, relation):
    ask, tries = ENTRY_POINTS[entry_point].ask, ENTRY_POINTS[entry_point].tries
    change, flips = RELATIONS[relation].change, RELATIONS[relation].flips

    @settings(max_examples=tries, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(st.integers(0, tries - 1), st.integers(0, 2**32 - 1))
    def holds(seed, seed_of_change):
        rows = sample(seed)
        table = rows.X.copy(deep=True)
        before, after, origin = change(rows, np.random.default_rng(seed_of_change))
        expected = said(entry_point, seed) if before is rows else ask(before)
        found = ask(after)
        pd.testing.assert_frame_equal(rows.X, table)
        if limit(ON_AVERAGE, entry_point, relation):
            assert abs(found["value"] - expected["value"]) < 4 * max(found["se"], expected["se"])
        elif limit(ONLY_ESTIMATES, entry_point, relation):
            np.testing.assert_allclose(found["estimates"], expected["estimates"], rtol=EXACT, atol=EXACT)
        else:
            assert_same(expected, found, origin, flips)

    holds()


def test_limits_are_of_pairs_that_exist():
    for table in (DOES_NOT_APPLY, ON_AVERAGE, ONLY_ESTIMATES):
        for relation, reasons in table.items():
            named = [name for names in reasons.values() for name in names]
            assert all(RELATIONS[relation].needs <= ENTRY_POINTS[name].takes for name in named)
            assert len(named) == len(set(named))
