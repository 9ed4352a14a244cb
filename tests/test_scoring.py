"""Proper scores: four rows by hand, properness, and parts that add up."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from helpers.scoring import BRIER, LOG, decompose, top_label

RULES = [BRIER, LOG]


def expected_loss(rule, p, q):
    """Mean loss over y ~ Bernoulli(q), per row; an infinite loss of probability 0 counts nothing."""
    loss = np.zeros_like(p)
    for label, chance in ((1, q), (0, 1 - q)):
        possible = chance > 0
        if possible.any():
            loss[possible] += chance[possible] * rule.score(np.full(possible.sum(), label), p[possible])
    return loss


def test_four_rows_by_hand():
    p = [0.8, 0.8, 0.3, 1.0]
    y = [1, 0, 0, 1]
    assert np.allclose(BRIER.score(y, p), [0.04, 0.64, 0.09, 0])
    assert np.allclose(LOG.score(y, p), [-np.log(0.8), -np.log(0.2), -np.log(0.7), 0])
    assert LOG.entropy([0, 0.5, 1]).tolist() == [0, np.log(2), 0]  # in nats
    assert BRIER.entropy([0, 0.5, 1]).tolist() == [0, 0.25, 0]


def test_the_log_score_is_infinite_exactly_where_it_must_be():
    assert LOG.score([1, 0, 0, 1], [0, 1, 0, 1]).tolist() == [np.inf, np.inf, 0, 0]
    assert LOG.divergence([0.5, 0.5, 0], [0, 1, 0]).tolist() == [np.inf, np.inf, 0]
    assert LOG.score([1], [5e-324])[0] == pytest.approx(744.44, abs=0.01)
    assert decompose([0.1, 0.2], [0, 0.5], [0.2, 0.2], rule=LOG).calibration == np.inf


VIEWS = ["joint", "top-label", "classwise"]
each_view = pytest.mark.parametrize("view", VIEWS)
each_rule = pytest.mark.parametrize("rule", RULES, ids=repr)


@st.composite
def populations(draw):
    """(p, q, weight): a finite population whose rows share few scores; the truth may hold zeros."""
    n = draw(st.integers(1, 12))
    k = draw(st.integers(2, 4))
    atoms = draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    p = rng.dirichlet(np.ones(k), atoms).round(1)
    p[:, -1] = (1 - p[:, :-1].sum(axis=1)).clip(0)
    p /= p.sum(axis=1, keepdims=True)
    q = rng.dirichlet(np.full(k, draw(st.sampled_from([0.05, 0.3, 5.0]))), n)
    q = np.where(q < 0.2, 0, q)
    q /= q.sum(axis=1, keepdims=True)
    return p[rng.integers(atoms, size=n)], q, rng.integers(1, 4, n)


def mean_loss(rule, p, q, view, weight=None):
    """Expected loss straight from its definition: the score of every class that can happen."""
    n, k = p.shape
    if view == "top-label":
        top = np.arange(n), p.argmax(axis=1)
        return np.average(expected_loss(rule, p[top], q[top]), weights=weight)
    loss = np.zeros(n)
    for y in range(k):
        possible = q[:, y] > 0
        if possible.any():
            loss[possible] += q[possible, y] * rule.score(np.full(possible.sum(), y), p[possible])
    return np.average(loss, weights=weight)


def parts_of(parts):
    return np.array([parts.calibration, parts.grouping, parts.irreducible])


def h_variances(score, q, rule, weight):
    """Mean h-variance of one column of `q` among the rows with the same score, from definition 4.1."""

    def h(x):
        return x**2 if rule is BRIER else x * np.log(np.where(x > 0, x, 1))

    total = 0
    for level in set(score):
        rows = score == level
        w = weight[rows] / weight[rows].sum()
        total += weight[rows].sum() / weight.sum() * (w @ h(q[rows]) - h(w @ q[rows]))
    return total


def test_three_classes_by_hand():
    p = [[0.2, 0.3, 0.5], [0.2, 0.3, 0.5], [1, 0, 0], [1, 0, 0]]
    y = [2, 0, 0, 1]
    assert np.allclose(BRIER.score(y, p), [0.04 + 0.09 + 0.25, 0.64 + 0.09 + 0.25, 0, 2])
    assert np.allclose(LOG.score(y, p), [np.log(2), np.log(5), 0, np.inf])
    assert np.allclose(BRIER.entropy(p), [0.62, 0.62, 0, 0])
    assert np.allclose(LOG.entropy([[0.5, 0.5, 0], [1, 0, 0]]), [np.log(2), 0])
    assert np.allclose(BRIER.divergence([[0.4, 0.3, 0.3]], p[:1]), 0.08)
    assert np.allclose(LOG.divergence([[0.4, 0, 0.6]], p[:1]), 0.4 * np.log(2) + 0.6 * np.log(1.2))
    assert LOG.divergence([[0.5, 0.4, 0.1]], [[0.5, 0.5, 0]]).tolist() == [np.inf]


def test_the_three_views_by_hand():
    """Two images say (.6, .4, 0), one (.6, 0, .4): the views put different rows together."""
    p = [[0.6, 0.4, 0], [0.6, 0.4, 0], [0.6, 0, 0.4]]
    q = [[0.9, 0.1, 0], [0.5, 0.5, 0], [0.4, 0, 0.6]]
    joint = (0.1**2 + 0.1**2, 0.2**2 + 0.2**2), (0.2**2 + 0.2**2, 0)  # (calibration, grouping) of the two scores
    irreducible = (0.18 + 0.5 + 0.48) / 3
    want = [(2 * joint[0][0] + joint[1][0]) / 3, (2 * joint[0][1] + joint[1][1]) / 3, irreducible]
    assert np.allclose(parts_of(decompose(q, p)), want)
    spread = (0.3**2 + 0.1**2 + 0.2**2) / 3  # class 0: all three rows say .6 and are right in .6
    assert np.allclose(parts_of(decompose(q, p, view="top-label")), [0, spread, (0.09 + 0.25 + 0.24) / 3])
    calibration = (2 * 0.1**2 + 0.2**2) / 3  # class 1: .4 stated, .3 true, twice; class 2: .4 stated, .6 true, once
    assert np.allclose(parts_of(decompose(q, p, view="classwise")), [calibration, spread + 2 * 0.2**2 / 3, irreducible])


@each_rule
@given(populations())
def test_two_columns_are_one_probability(rule, population):
    q = population[1][:, 0]
    p = np.minimum(population[0][:, 0], 1)
    tables = np.column_stack([q, 1 - q]), np.column_stack([p, 1 - p])
    times = 2 if rule is BRIER else 1  # Brier sums over the classes, log counts the one that occurs
    assert np.allclose(rule.divergence(*tables), times * rule.divergence(q, p))
    assert np.allclose(rule.entropy(tables[0]), times * rule.entropy(q))
    assert rule.variance(tables[0]) == pytest.approx(times * rule.variance(q), abs=1e-12)
    y = np.arange(len(p)) % 2
    assert np.allclose(rule.score(y, tables[1]), times * rule.score(1 - y, p))
    binary = parts_of(decompose(q, p, rule=rule))
    for view in ("joint", "classwise"):
        assert np.allclose(parts_of(decompose(*tables, rule=rule, view=view)), times * binary, atol=1e-12)


@each_rule
@given(populations())
def test_expected_loss_is_divergence_plus_entropy(rule, population):
    p, q, _ = population
    regret = rule.divergence(q, p)
    assert (regret >= 0).all()
    assert mean_loss(rule, p, q, "joint") == pytest.approx((regret + rule.entropy(q)).mean(), abs=1e-12)
    assert np.allclose(rule.divergence(q, q), 0)
    assert mean_loss(rule, q, q, "joint") == pytest.approx(rule.entropy(q).mean(), abs=1e-12)


@pytest.mark.slow
@each_view
@each_rule
@given(populations(), st.booleans())
def test_parts_add_up_in_every_view(rule, view, population, weighted):
    p, q, weight = population
    weight = weight if weighted else None
    parts = decompose(q, p, rule=rule, view=view, sample_weight=weight)
    assert (parts_of(parts) >= 0).all() and np.isfinite([parts.grouping, parts.irreducible]).all()
    assert parts.total == pytest.approx(mean_loss(rule, p, q, view, weight), abs=1e-12)
    assert parts.view == view and str(parts).startswith(f"{view} {rule}")


@each_rule
@given(populations())
def test_the_grouping_loss_is_an_h_variance(rule, population):
    """Lemmas 4.1 and C.4 by explicit loops; joint conditioning is finer, so it leaves less to group."""
    p, q, weight = population
    row = np.unique(p, axis=0, return_inverse=True)[1].ravel()
    by_row = sum(h_variances(row, column, rule, weight) for column in q.T)
    by_class = sum(h_variances(s, column, rule, weight) for s, column in zip(p.T, q.T, strict=True))
    joint, classwise = (decompose(q, p, rule=rule, view=v, sample_weight=weight) for v in ("joint", "classwise"))
    assert joint.grouping == pytest.approx(by_row, abs=1e-12)
    assert classwise.grouping == pytest.approx(by_class, abs=1e-12)
    assert joint.grouping <= classwise.grouping + 1e-12 and joint.calibration >= classwise.calibration - 1e-12
    assert joint.irreducible == pytest.approx(classwise.irreducible)


@each_view
@each_rule
def test_the_calibrated_score_may_be_given(rule, view):
    rng = np.random.default_rng(3)
    p = rng.dirichlet(np.ones(3), 4)[rng.integers(4, size=60)]
    q = rng.dirichlet(np.ones(3), 60)
    if view == "joint":
        c = np.array([q[(p == row).all(axis=1)].mean(axis=0) for row in p])
    elif view == "classwise":
        c = np.column_stack([[q[p[:, k] == s, k].mean() for s in p[:, k]] for k in range(3)])
    else:
        top = p.argmax(axis=1)
        hit = q[np.arange(60), top]
        c = np.array([hit[p.max(axis=1) == s].mean() for s in p.max(axis=1)])
    given_c = decompose(q, p, c, rule=rule, view=view)
    computed = decompose(q, p, rule=rule, view=view)
    assert np.allclose(parts_of(given_c), parts_of(computed), rtol=1e-12, atol=1e-15)


def test_one_class_alone_may_have_a_negative_calibration_part():
    """Why classwise log parts are summed before anything is said: C log(C/S) of one class is no loss."""
    p = np.array([[0.5, 0.5]])
    q = np.array([[0.2, 0.8]])
    assert LOG.class_divergence(q, p)[0, 0] < 0 < decompose(q, p, rule=LOG, view="classwise").calibration


@each_view
def test_infinite_exactly_where_a_stated_zero_can_happen(view):
    certain = [[1.0, 0, 0], [1.0, 0, 0]]
    never = decompose(certain, certain, rule=LOG, view=view)
    assert parts_of(never).tolist() == [0, 0, 0]
    wrong = decompose([[1.0, 0, 0], [0.9, 0.1, 0]], certain, rule=LOG, view=view)
    assert wrong.calibration == np.inf and 0 < wrong.grouping < 1 and wrong.total == np.inf
    assert decompose([[1.0, 0, 0], [0.9, 0.1, 0]], certain, view=view).total < 1
    spared = decompose([[1.0, 0, 0], [0.9, 0.1, 0]], certain, rule=LOG, view=view, sample_weight=[2, 0])
    assert parts_of(spared).tolist() == [0, 0, 0]


@pytest.mark.parametrize("q", [[1, 1, np.nextafter(1, 0)], [0, 0, 5e-324], [0, 1, 5e-324], [0, 1, np.nextafter(1, 0)]])
def test_rounding_does_not_make_the_possible_impossible(q):
    """The mean of (1, 1, 1 - 1e-16) rounds to 1; a grouping loss is finite all the same."""
    q = np.array(q)
    assert np.isfinite(decompose(q, np.full(3, 0.5), rule=LOG).grouping)
    table = np.column_stack([q, 1 - q])
    for view in VIEWS:
        assert np.isfinite(decompose(table, np.full((3, 2), 0.5), rule=LOG, view=view).grouping)


@each_view
@each_rule
def test_neither_row_order_nor_class_order_nor_copies_matter(rule, view):
    rng = np.random.default_rng(1)
    p = rng.dirichlet(np.ones(4), 5)[rng.integers(5, size=40)]
    q = rng.dirichlet(np.full(4, 0.3), 40)
    weight = rng.integers(1, 4, 40)
    want = parts_of(decompose(q, p, rule=rule, view=view, sample_weight=weight))
    rows = rng.permutation(40)
    classes = rng.permutation(4)
    moved = decompose(q[rows][:, classes], p[rows][:, classes], rule=rule, view=view, sample_weight=weight[rows])
    copied = decompose(np.repeat(q, weight, axis=0), np.repeat(p, weight, axis=0), rule=rule, view=view)
    assert np.allclose(parts_of(moved), want, rtol=1e-12) and np.allclose(parts_of(copied), want, rtol=1e-12)


def test_minus_zero_is_the_same_score_as_zero():
    p = np.array([[0.0, 1.0], [-0.0, 1.0]])
    for view in VIEWS:
        assert decompose([[0.2, 0.8], [0.4, 0.6]], p, view=view).grouping > 0


TABLE = np.array([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]])


test_bad_tables_are_named = refuses(
    (lambda: BRIER.score([0], [[0.2, 0.7]]), "p must .*row 0"),
    (lambda: BRIER.score([0, 3], TABLE), "y must"),
    (lambda: BRIER.score([0, 0], TABLE[:, :1]), "p must"),
    (lambda: decompose(TABLE, TABLE, view="jiont"), "view must .*did you mean 'joint'"),
    (lambda: decompose(TABLE[:, 0], TABLE[:, 0], view="joint"), "view must"),
    (lambda: decompose(TABLE, TABLE, TABLE / 2), "c must"),
    (lambda: decompose(TABLE, TABLE, sample_weight=[1]), "p and sample_weight must"),
)


def test_top_labels_of_four_rows_by_hand():
    proba = [[0.2, 0.5, 0.3], [0.4, 0.4, 0.2], [0.0, 0.0, 1.0], [1 / 3, 1 / 3, 1 / 3]]
    correct, confidence = top_label([1, 1, 2, 0], proba)
    assert correct.tolist() == [1, 0, 1, 1] and confidence.tolist() == [0.5, 0.4, 1.0, 1 / 3]
    assert correct.dtype == float
