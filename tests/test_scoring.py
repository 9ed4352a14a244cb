"""Proper scores: four rows by hand, properness, and parts that add up."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from helpers.scoring import BRIER, LOG, decompose
from helpers.simulation import Links, Sigmoid

RULES = [BRIER, LOG]


def expected_loss(rule, p, q):
    """Mean loss over y ~ Bernoulli(q), per row; an infinite loss of probability 0 counts nothing."""
    loss = np.zeros_like(p)
    for label, chance in ((1, q), (0, 1 - q)):
        possible = chance > 0
        if possible.any():
            loss[possible] += chance[possible] * rule.score(p[possible], np.full(possible.sum(), label))
    return loss


columns = arrays(float, st.tuples(st.just(3), st.integers(1, 20)), elements=st.floats(0, 1))


def test_four_rows_by_hand():
    p, y = [0.8, 0.8, 0.3, 1.0], [1, 0, 0, 1]
    assert np.allclose(BRIER.score(p, y), [0.04, 0.64, 0.09, 0])
    assert np.allclose(LOG.score(p, y), [-np.log(0.8), -np.log(0.2), -np.log(0.7), 0])


def test_the_log_score_is_infinite_exactly_where_it_must_be():
    assert LOG.score([0, 1, 0, 1], [1, 0, 0, 1]).tolist() == [np.inf, np.inf, 0, 0]
    assert LOG.divergence([0, 1, 0], [0.5, 0.5, 0]).tolist() == [np.inf, np.inf, 0]
    assert LOG.score([5e-324], [1])[0] == pytest.approx(744.44, abs=0.01)
    assert decompose([0, 0.5], [0.1, 0.2], [0.2, 0.2], rule=LOG).calibration == np.inf


def test_the_entropy_in_nats():
    assert LOG.entropy([0, 0.5, 1]).tolist() == [0, np.log(2), 0]
    assert BRIER.entropy([0, 0.5, 1]).tolist() == [0, 0.25, 0]


@pytest.mark.parametrize("rule", RULES, ids=repr)
@given(columns)
def test_divergence_is_the_regret_and_never_negative(rule, values):
    p, q, _ = values
    regret = rule.divergence(p, q)
    assert (regret >= 0).all()
    assert np.allclose(expected_loss(rule, p, q), regret + rule.entropy(q), atol=1e-12)
    assert (rule.divergence(q, q) == 0).all()


@pytest.mark.parametrize("rule", RULES, ids=repr)
@given(columns)
def test_parts_are_not_negative_and_sum_to_the_expected_loss(rule, values):
    p, q, c = values
    group = (np.arange(p.size) > p.size // 2).astype(int)
    size = np.bincount(group)
    p, c = (np.bincount(group, a)[group] / size[group] for a in (p, q))
    p = np.minimum(p, 1)
    c = np.minimum(c, 1)
    parts = decompose(p, q, c, rule=rule)
    assert min(parts.calibration, parts.grouping, parts.irreducible) >= 0
    assert parts.total == pytest.approx(expected_loss(rule, p, q).mean(), abs=1e-9)


@pytest.mark.parametrize("rule", RULES, ids=repr)
@given(columns)
def test_the_h_variance_is_a_jensen_gap_with_a_law_of_total_variance(rule, values):
    q = values[0]
    total = rule.variance(q)
    assert total >= 0
    assert total == pytest.approx(float(np.mean(rule.divergence(np.full_like(q, min(q.mean(), 1)), q))), abs=1e-9)
    if q.size > 1:
        halves = q[: q.size // 2], q[q.size // 2 :]
        size = np.array([half.size for half in halves])
        means = np.minimum([half.mean() for half in halves], 1)
        within = np.average([rule.variance(half) for half in halves], weights=size)
        assert total == pytest.approx(within + rule.variance(means, size), abs=1e-9)


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_a_certain_error_of_weight_zero_does_not_count(rule):
    weighted = decompose([0.0, 0.5], [0.1, 0.2], [0.2, 0.2], rule=rule, sample_weight=[0, 3])
    alone = decompose([0.5], [0.2], [0.2], rule=rule)
    assert weighted == alone


@pytest.mark.parametrize(
    "population", [Sigmoid(), Links(lambda p: np.minimum(1, 1.3 * p) * (p < 0.5) + p * (p >= 0.5))]
)
def test_a_calibrated_population_has_no_calibration_loss(population):
    sample = population.sample(1000, rng=0)
    parts = decompose(sample.p, sample.q, sample.c)
    assert parts.calibration == 0 and parts.grouping == pytest.approx(sample.grouping_loss)
    assert "Brier score" in str(parts)


def test_the_observed_brier_score_is_the_sum_of_its_parts():
    """Mean loss of 50,000 rows against the three parts of the population: 4 standard errors."""
    population = Sigmoid()
    sample = population.sample(50_000, rng=1)
    loss = BRIER.score(sample.p, sample.y)
    expected = population.grouping_loss + population.irreducible_loss
    assert abs(loss.mean() - expected) < 4 * loss.std() / np.sqrt(loss.size)
    assert np.isclose(expected, 0.1102946424)


def test_inputs_are_left_alone_and_row_order_does_not_matter():
    rng = np.random.default_rng(0)
    p, q, c = rng.random((3, 50))
    copies = p.copy(), q.copy(), c.copy()
    parts, order = decompose(p, q, c), rng.permutation(50)
    moved = decompose(p[order], q[order], c[order])
    assert parts.total == pytest.approx(moved.total) and parts.grouping == pytest.approx(moved.grouping)
    assert all(np.array_equal(a, b) for a, b in zip((p, q, c), copies, strict=True))
