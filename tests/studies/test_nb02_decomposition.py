"""The towns, wards and meanings of lesson 2: their losses and what each sense of calibration says."""

import numpy as np
import pytest

from helpers.scoring import decompose
from helpers.studies.nb02_decomposition import VIEWS, calibration_gaps, four_wards, three_meanings, three_towns


def test_the_towns_share_a_total_and_differ_in_their_parts():
    parts = {town: decompose(q, p) for town, (p, q) in three_towns().items()}
    assert all(one.total == pytest.approx(0.2, abs=1e-12) for one in parts.values())
    assert parts["Arden"].calibration == pytest.approx(0.11) and parts["Arden"].grouping < 1e-12
    assert parts["Birch"].grouping == pytest.approx(0.27**2) and parts["Birch"].calibration < 1e-12
    assert max(parts["Corrie"].calibration, parts["Corrie"].grouping) < 1e-12
    for p, q in three_towns().values():
        assert (p >= 0.2).all() and q.mean() == pytest.approx(0.5)  # same decisions, same bill


def test_the_wards_are_probabilities_and_their_truth_is_drawn_from_the_seed():
    (S, Q) = four_wards(rng=3)
    again = four_wards(rng=3)
    other = four_wards(rng=4)
    assert np.allclose(S.sum(axis=1), 1) and np.allclose(Q.sum(axis=1), 1) and (Q >= 0).all()
    assert np.array_equal(Q, again[1]) and not np.array_equal(Q, other[1])
    assert four_wards(rng=3, kinds=2)[0].shape == (96, 4)


def test_each_population_is_calibrated_in_its_sense_and_in_no_stronger_one():
    for strongest, (S, Q) in enumerate(three_meanings().values()):
        assert np.allclose(Q.sum(axis=1), 1) and (Q > 0).all()
        losses = [decompose(Q, S, view=view).calibration for view in VIEWS]
        assert [loss < 1e-12 for loss in losses] == [k >= strongest for k in range(3)]


@pytest.mark.slow
@pytest.mark.parametrize("view, entries", [("joint", 18), ("classwise", 9), ("top-label", 1)])
def test_gaps_are_standard_normal_for_a_calibrated_score_and_grow_for_others(view, entries):
    rng = np.random.default_rng(2)
    S = three_meanings()["joint"][0]
    draws = []
    for _ in range(100):
        rows = S[rng.integers(len(S), size=600)]
        draws.append(calibration_gaps(rows, rng.multinomial(1, rows), view))
    draws = np.array(draws)
    assert draws.shape == (100, entries)
    assert abs(draws.mean()) < 4 / np.sqrt(100)  # gaps of one draw are dependent, draws are not
    assert abs((draws**2).mean() - 1) < 4 * np.sqrt(2 / 100)
    rows = S[rng.integers(len(S), size=6000)]
    wrong = rng.multinomial(1, np.roll(rows, 1, axis=1))
    assert np.abs(calibration_gaps(rows, wrong, view)).max() > 10
