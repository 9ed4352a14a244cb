"""Cascades and routers: against loops written row by row, hand-made cases, laws, and promises kept in simulation."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from helpers.routing import (
    Routed,
    TreeRouter,
    always,
    best_single,
    cascade,
    certified_threshold,
    compare_policies,
    confidence_cascade,
    evaluate_policies,
    oracle_route,
    pareto_front,
    random_mix,
    route,
    sweep_cascades,
    sweep_routers,
)
from helpers.routing.routed import decision_losses

RNG = np.random.default_rng(0)
M = 4
N = 400
RISK = np.maximum(RNG.normal(-0.1, 0.3, (M, N)), 0).round(2)
P = RNG.random((M, N)).round(2)
ACCURACY = RNG.random((M, N)).round(2)
PREDICTION = RNG.integers(0, 2, (M, N))
Y = RNG.integers(0, 2, N)
PRICE = np.array([1.0, 2.5, 2.5, 9.0])
PRICES = np.array([1.0, 2.4, 2.8, 9.0])[:, None] * RNG.uniform(0.5, 1.5, (M, N))  # in order on average, not in each row
COSTS = np.array([[0.0, 4.0], [1.0, 0.5]])
POOLS = [pool for size in range(1, M + 1) for pool in itertools.combinations(range(M), size)]


def same(routed, rows):
    """Whether a `Routed` is the list of (prediction, model, paid)."""
    prediction, model, paid = zip(*rows, strict=True)
    assert list(routed.prediction) == list(prediction) and list(routed.model) == list(model)
    assert np.allclose(routed.paid, paid, rtol=1e-12)


# ---- the rules, written out row by row --------------------------------------------------------------------------


def risk_row(risk, prediction, price, tau):
    """Appendix B.6, question by question."""
    paid = 0.0
    for m in range(len(risk)):
        paid += price[m]
        if risk[m] <= tau:
            return prediction[m], m, paid
    best = min(range(len(risk)), key=lambda m: risk[m])
    return prediction[best], best, paid


def confident_row(p, prediction, price, threshold):
    """Appendix C.5."""
    paid = 0.0
    for m in range(len(p)):
        paid += price[m]
        if p[m] > threshold or 1 - p[m] > threshold or m == len(p) - 1:
            return prediction[m], m, paid


def router_row(accuracy, prediction, price, willingness):
    worth = [willingness * accuracy[m] - price[m] for m in range(len(accuracy))]
    best = max(range(len(worth)), key=lambda m: (worth[m], -m))
    return prediction[best], best, price[best]


def by_rows(rule, table, price, value, pool=tuple(range(M))):
    pool = list(pool)
    price = price if np.ndim(price) == 2 else np.broadcast_to(np.array(price)[:, None], (M, N))
    return [rule(table[pool, i], PREDICTION[pool, i], price[pool, i], value) for i in range(N)]


@pytest.mark.parametrize("price", [PRICE, PRICES], ids=["per model", "per row"])
@pytest.mark.parametrize("value", [0.0, 0.13, 0.5, np.inf])
def test_the_risk_cascade_is_the_printed_one(price, value):
    same(cascade(RISK, PREDICTION, price, tau=value), by_rows(risk_row, RISK, price, value))


@pytest.mark.parametrize("price", [PRICE, PRICES], ids=["per model", "per row"])
@pytest.mark.parametrize("value", [0.5, 0.75, 0.8, 1.0])
def test_the_confidence_cascade_is_the_printed_one(price, value):
    same(confidence_cascade(P, PREDICTION, price, threshold=value), by_rows(confident_row, P, price, value))


@pytest.mark.parametrize("price", [PRICE, PRICES], ids=["per model", "per row"])
@pytest.mark.parametrize("value", [0.0, 7.5, 100.0])
def test_the_router_is_the_printed_one(price, value):
    same(route(ACCURACY, PREDICTION, price, willingness=value), by_rows(router_row, ACCURACY, price, value))


SWEEPS = {
    "risk": (sweep_cascades, cascade, RISK, "thresholds", "tau", [0.3, 0.0, 0.13, 0.13, np.inf], {}),
    "confidence": (
        sweep_cascades, confidence_cascade, P, "thresholds", "threshold", [0.8, 0.5, 1.0, 0.75], {"rule": "confidence"}
    ),
    "router": (sweep_routers, route, ACCURACY, "willingness", "willingness", [50.0, 0.0, 3.0, 1000.0], {}),
}  # fmt: skip


@pytest.mark.parametrize("cost", [None, COSTS], ids=["mistakes", "matrix"])
@pytest.mark.parametrize("price", [PRICE, np.sort(PRICES, axis=0)], ids=["per model", "per row"])
@pytest.mark.parametrize("name", SWEEPS)
def test_a_sweep_is_each_policy_on_its_own(name, price, cost):
    sweep, policy, table, many, one, values, options = SWEEPS[name]
    found = sweep(table, PREDICTION, price, Y, pools=POOLS, decision_cost=cost, **{many: values}, **options)
    assert list(found["pool"]) == list(np.repeat(range(len(POOLS)), len(values)))
    assert list(found["threshold"]) == values * len(POOLS)
    lines = iter(found.itertuples())
    for pool, value in itertools.product(POOLS, values):
        at = list(pool)
        line = next(lines)
        routed = policy(table[at], PREDICTION[at], price[at], **{one: value})
        loss = (routed.prediction != Y) if cost is None else cost[routed.prediction, Y]
        assert line.accuracy == pytest.approx(np.mean(routed.prediction == Y), abs=1e-12)
        assert line.expected_cost == pytest.approx(loss.mean(), abs=1e-12)
        assert line.money == pytest.approx(routed.paid.mean(), rel=1e-12)


def test_a_sweep_in_chunks_is_the_sweep(monkeypatch):
    whole = sweep_cascades(RISK, PREDICTION, PRICES, Y, pools=POOLS, thresholds=[0.0, 0.2])
    routed = sweep_routers(ACCURACY, PREDICTION, PRICE, Y, pools=POOLS, willingness=[1.0, 30.0])
    monkeypatch.setattr("helpers.routing.sweeps.CHUNK", 7)
    parts = sweep_cascades(RISK, PREDICTION, PRICES, Y, pools=POOLS, thresholds=[0.0, 0.2])
    pd.testing.assert_frame_equal(whole, parts, rtol=1e-12)
    chunks = sweep_routers(ACCURACY, PREDICTION, PRICE, Y, pools=POOLS, willingness=[1.0, 30.0])
    pd.testing.assert_frame_equal(routed, chunks, rtol=1e-12)


# ---- laws -------------------------------------------------------------------------------------------------------


@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_more_risk_accepted_is_never_dearer(seed, m):
    rng = np.random.default_rng(seed)
    risk = rng.random((m, 30)).round(1)
    prediction = rng.integers(0, 3, (m, 30))
    price = np.sort(rng.random(m))
    paid = [cascade(risk, prediction, price, tau=tau).paid for tau in (0, 0.1, 0.5, 1)]
    assert all((after <= before + 1e-12).all() for before, after in itertools.pairwise(paid))
    assert np.allclose(paid[-1], price[0])  # all risks accepted: the cheapest model answers everything
    assert (paid[0] <= price.sum() + 1e-12).all() and (paid[0] >= price[0]).all()


@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_nobody_beats_the_oracle(seed, m):
    rng = np.random.default_rng(seed)
    risk = rng.random((m, 40))
    prediction = rng.integers(0, 2, (m, 40))
    y = rng.integers(0, 2, 40)
    price = np.sort(rng.random(m))
    oracle = oracle_route(prediction, y, price)
    right = oracle.prediction == y
    for routed in (
        cascade(risk, prediction, price, tau=0.3),
        confidence_cascade(risk, prediction, price),
        route(risk, prediction, price, willingness=2.0),
        best_single(prediction, price, correct=prediction == y),
        random_mix(prediction, price, budget=price.mean(), rng=rng),
    ):
        assert (right >= (routed.prediction == y)).all()
        both = right & (routed.prediction == y)
        assert (oracle.paid[both] <= routed.paid[both] + 1e-12).all()


def test_rows_are_judged_one_by_one():
    order = RNG.permutation(N)
    for policy, table in ((cascade, RISK), (confidence_cascade, P), (lambda *a: route(*a, willingness=9.0), ACCURACY)):
        whole = policy(table, PREDICTION, PRICES)
        turned = policy(table[:, order], PREDICTION[:, order], PRICES[:, order])
        for name in ("prediction", "model", "paid"):
            assert np.array_equal(getattr(whole, name)[order], getattr(turned, name))


def test_inputs_and_the_global_generator_stay_as_they_are():
    tables = RISK, PREDICTION, PRICES, Y
    copies = [table.copy() for table in tables]
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    cascade(RISK, PREDICTION, PRICES)
    sweep_cascades(RISK, PREDICTION, PRICES, Y, thresholds=[0, 1])
    random_mix(PREDICTION, PRICE, budget=3, rng=0)
    evaluate_policies({"a": cascade(RISK, PREDICTION, PRICE)}, Y, rng=0, n_resamples=20)
    assert all(np.array_equal(table, copy) for table, copy in zip(tables, copies, strict=True))
    assert np.array_equal(state, np.random.get_state()[1])  # noqa: NPY002


# ---- hand-made cases --------------------------------------------------------------------------------------------


def test_a_pool_of_one_answers_everything_and_is_paid_once():
    one = np.array([[1, 0, 1, 1]])
    for routed in (
        cascade([[0.5, 0.5, 0, 0]], one, [3]),
        confidence_cascade([[0.5, 0.9, 0.1, 1]], one, [3]),
        route([[0.1, 0.2, 0.3, 0.4]], one, [3], willingness=1),
        always(one, [3], 0),
        best_single(one, [3], correct=[[0]]),
        random_mix(one, [3], budget=3, rng=0),
        oracle_route(one, [0, 0, 0, 0], [3]),
    ):
        assert list(routed.prediction) == [1, 0, 1, 1] and list(routed.model) == [0] * 4
        assert list(routed.paid) == [3.0] * 4 and routed.paid.dtype == float


def test_ties_go_to_the_cheaper_model():
    risk = [[0.2, 0.3], [0.2, 0.1], [0.2, 0.1]]
    assert list(cascade(risk, [[0, 0], [1, 1], [2, 2]], [1, 2, 3]).model) == [0, 1]
    assert list(route([[0.5], [0.6]], [[0], [1]], [0, 10], willingness=100).model) == [0]
    assert list(best_single([[0], [1]], [1, 2], correct=[[1, 0], [0, 1]]).model) == [0]


def test_sure_means_beyond_the_threshold_on_either_side():
    routed = confidence_cascade([[0.8, 0.2, 0.81, 0.19, 0.5]], [[1] * 5], [1.0], threshold=0.8)
    assert list(routed.paid) == [1.0] * 5  # a pool of one has nobody to hand on to
    routed = confidence_cascade([[0.75, 0.25, 0.76, 0.24]] * 2, [[1] * 4, [0] * 4], [1.0, 1.0], threshold=0.75)
    assert list(routed.model) == [1, 1, 0, 0]


def test_answers_may_be_words():
    words = np.array([["05/01/2021", "unclear"], ["05/01/2021", "04/30/2021"]])
    routed = cascade([[0.0, 0.4], [0.0, 0.0]], words, [1, 20])
    assert list(routed.prediction) == ["05/01/2021", "04/30/2021"]
    found = evaluate_policies({"cascade": routed}, ["05/01/2021", "04/30/2021"], n_resamples=20, rng=0)
    assert found.loc["cascade", "accuracy"] == 1 and found.loc["cascade", "money"] == 11


def test_pareto_front_against_all_pairs():
    rng = np.random.default_rng(1)
    for _ in range(50):
        cost, accuracy = rng.integers(0, 6, (2, 12))
        beaten = [
            any((c <= a and g >= b and (c < a or g > b)) for c, g in zip(cost, accuracy, strict=True))
            for a, b in zip(cost, accuracy, strict=True)
        ]
        assert np.array_equal(pareto_front(cost, accuracy), ~np.array(beaten))


def test_a_lottery_costs_its_budget_and_lies_on_the_line():
    rng = np.random.default_rng(2)
    n = 40_000
    correct = rng.random((4, n)) < np.array([0.6, 0.55, 0.75, 0.8])[:, None]  # model 1 is dearer and worse than 0
    y = np.ones(n, int)
    routed = random_mix(correct.astype(int), [1, 2, 3, 11], budget=2, correct=correct[:, :1000], rng=3)
    assert set(routed.model) == {0, 2}  # the ladder leaves out model 1
    assert routed.paid.mean() == pytest.approx(2, abs=4 / np.sqrt(n))  # prices 1 and 3: standard deviation 1
    assert (routed.prediction == y).mean() == pytest.approx(0.675, abs=4 * 0.5 / np.sqrt(n))
    assert random_mix(correct.astype(int), [1, 2, 3, 11], budget=99, correct=correct, rng=3).paid.mean() == 11
    same = random_mix(correct.astype(int), [1, 2, 3, 11], budget=2, correct=correct[:, :1000], rng=3)
    assert np.array_equal(same.model, routed.model)


# ---- what the policies achieve, with paired intervals -----------------------------------------------------------


def policies():
    return {"small": always(PREDICTION, PRICE, 0), "cascade": cascade(RISK, PREDICTION, PRICE)}


def test_the_table_is_the_means():
    table = evaluate_policies(policies(), Y, cost=COSTS, n_resamples=50, rng=0)
    for name, routed in policies().items():
        assert table.loc[name, "accuracy"] == pytest.approx((routed.prediction == Y).mean())
        assert table.loc[name, "expected_cost"] == pytest.approx(COSTS[routed.prediction, Y].mean())
        assert table.loc[name, "money"] == pytest.approx(routed.paid.mean())
    assert (table["accuracy_low"] <= table["accuracy"]).all() and (table["accuracy"] <= table["accuracy_high"]).all()
    again = evaluate_policies(policies(), Y, cost=COSTS, n_resamples=50, rng=0)
    pd.testing.assert_frame_equal(table, again)


def test_rows_are_resampled_together():
    twins = {"a": always(PREDICTION, PRICE, 0), "b": always(PREDICTION, PRICE, 0)}
    found = compare_policies(twins, Y, against="a", n_resamples=50, rng=0).loc["b"]
    assert (found[["accuracy_gain_low", "accuracy_gain_high", "cost_change_low", "cost_change_high"]] == 0).all()
    assert (found[["money_ratio_low", "money_ratio_high"]] == 1).all()
    found = compare_policies(policies(), Y, against="small", cost=COSTS, n_resamples=50, rng=0)
    table = evaluate_policies(policies(), Y, cost=COSTS, n_resamples=50, rng=0)
    change = table.loc["cascade"] - table.loc["small"]
    assert found.loc["cascade", "accuracy_gain"] == pytest.approx(change["accuracy"])
    assert found.loc["cascade", "cost_change"] == pytest.approx(change["expected_cost"])


@pytest.mark.slow
def test_intervals_of_gains_cover():
    rng = np.random.default_rng(3)
    held = 0
    paired = []
    loose = []
    for _ in range(100):
        hard = rng.random(300)
        right = hard < np.array([0.7, 0.75])[:, None]  # the second model is right wherever the first one is
        pool = {str(k): always(right.astype(int), [1, 2], k) for k in (0, 1)}
        found = compare_policies(pool, np.ones(300, int), against="0", n_resamples=200, rng=rng).loc["1"]
        held += found["accuracy_gain_low"] <= 0.05 <= found["accuracy_gain_high"]
        alone = evaluate_policies(pool, np.ones(300, int), n_resamples=200, rng=rng).loc["1"]
        paired.append(found["accuracy_gain_high"] - found["accuracy_gain_low"])
        loose.append(alone["accuracy_high"] - alone["accuracy_low"])
    assert held / 100 >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / 100) - 0.02  # percentile intervals are a little short
    assert np.mean(paired) < 0.6 * np.mean(loose)  # what pairing buys


def test_groups_are_resampled_whole():
    groups = np.arange(N) // 40
    y = np.repeat(np.arange(10) % 2, 40)
    pool = {"a": always(np.zeros((1, N), int), [1], 0)}
    rows = evaluate_policies(pool, y, rng=0).loc["a"]
    people = evaluate_policies(pool, y, groups=groups, rng=0).loc["a"]
    assert people["accuracy_high"] - people["accuracy_low"] > 3 * (rows["accuracy_high"] - rows["accuracy_low"])


# ---- a threshold that keeps its promise -------------------------------------------------------------------------


def mixture(n, share_wrong, rng, size=1):
    """Policy whose true share of mistakes at threshold t is share_wrong(t); rows of a group are wrong together."""
    luck = np.repeat(rng.random(n // size), size)
    return lambda t: Routed((luck >= share_wrong(t)).astype(int), np.zeros(n, int), np.full(n, 10.0 - t))


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 5])
@pytest.mark.parametrize("border", [0.0, 3.0])
def test_a_broken_promise_is_as_rare_as_stated(size, border):
    rng = np.random.default_rng(4)
    n = 400
    target = 0.2
    broken = 0
    runs = 300
    groups = None if size == 1 else np.arange(n) // size

    def share(t):  # just misses the target from `border` on
        return target + 1e-9 if t >= border else 0.02

    for _ in range(runs):
        policy = mixture(n, share, rng, size)
        found = certified_threshold(policy, [0.0, 1.0, 3.0, 4.0], np.ones(n, int), target=target, groups=groups)
        broken += found.certified and share(found.threshold) > target
    assert broken <= 0.05 * runs + 3 * np.sqrt(0.05 * 0.95 * runs)
    if size == 1 and border == 3.0:
        assert broken > 0  # the exact test spends its level


def test_a_sound_policy_is_certified_and_the_cheapest_threshold_found():
    rng = np.random.default_rng(5)
    found = [
        certified_threshold(
            mixture(2000, lambda t: 0.05 + t / 10, rng), [0, 0.5, 1, 2, 3], np.ones(2000, int), target=0.2
        )
        for _ in range(100)
    ]
    assert all(one.certified for one in found)
    assert np.mean([one.threshold == 1 for one in found]) > 0.9  # 0.15 passes easily, 0.25 cannot
    assert (found[0].used["money"], found[0].coverage) == (9, 1)


def test_with_few_rows_it_says_so():
    rng = np.random.default_rng(6)
    right = Routed((np.arange(40) >= 4).astype(int), np.zeros(40, int), np.ones(40))
    found = certified_threshold(lambda t: right, [0], np.ones(40, int), target=0.12)
    assert not found.certified and np.isnan(found.threshold) and np.isfinite(found.rows_needed)
    hopeless = certified_threshold(mixture(400, lambda t: 0.5, rng), [0, 1], np.ones(400, int), target=0.2)
    assert np.isinf(hopeless.rows_needed)
    assert hopeless.table["error"].tolist() == pytest.approx([0.05, 0])  # nothing is left behind a failure


def test_rows_needed_are_about_right():
    luck = np.arange(1000) / 1000
    policy = Routed((luck >= 0.19).astype(int), np.zeros(1000, int), np.ones(1000))
    n = int(certified_threshold(lambda t: policy, [0], np.ones(1000, int), target=0.2).rows_needed)
    assert binom.cdf(binom.ppf(0.05, n, 0.2) - 1, n, 0.19) == pytest.approx(0.5, abs=0.05)


def test_rows_of_groups_are_needed_whole():
    """500 groups of one row, or of four rows that fail together: as many groups, so four times the rows."""
    needed = []
    for size in (1, 4):
        wrong = np.repeat(np.arange(500) < 95, size)
        routed = Routed(1 - wrong, np.zeros(wrong.size, int), np.ones(wrong.size))
        options = {"target": 0.2, "groups": np.arange(wrong.size) // size}
        needed.append(certified_threshold(lambda t, routed=routed: routed, [0], np.ones(wrong.size, int), **options))
    assert needed[1].rows_needed == pytest.approx(4 * needed[0].rows_needed, rel=0.01) and not needed[1].certified


def test_the_exact_test_is_the_binomial_one():
    policy = Routed(np.r_[np.zeros(3, int), np.ones(47, int)], np.zeros(50, int), np.ones(50))
    found = certified_threshold(lambda t: policy, [0], np.ones(50, int), target=0.1)
    assert found.table["p_value"][0] == pytest.approx(sum(binom.pmf(k, 50, 0.1) for k in range(4)))
    scaled = certified_threshold(lambda t: policy, [0], np.ones(50, int), target=1.0, cost=10 * (1 - np.eye(2)))
    assert scaled.table["p_value"][0] == pytest.approx(found.table["p_value"][0])
    general = certified_threshold(lambda t: policy, [0], np.ones(50, int), target=0.1, cost=[[0, 1], [0.5, 0]])
    assert general.table["p_value"][0] >= found.table["p_value"][0]  # bounds for any costs promise less


@pytest.mark.slow
def test_bounded_costs_keep_the_promise_too():
    rng = np.random.default_rng(8)
    runs = 250
    n = 300
    cost = np.array([[0.0, 1.0], [0.25, 0.0]])
    broken = 0
    for _ in range(runs):
        y = (rng.random(n) < 0.4).astype(int)
        prediction = np.where(rng.random(n) < 0.5, y, 1 - y)  # expected cost 0.5 (0.4 + 0.6 / 4) = 0.275
        policy = Routed(prediction, np.zeros(n, int), np.ones(n))
        broken += certified_threshold(lambda t, policy=policy: policy, [0], y, target=0.2749, cost=cost).certified
    assert broken <= 0.05 * runs + 3 * np.sqrt(0.05 * 0.95 * runs)


# ---- routers ----------------------------------------------------------------------------------------------------


def test_a_tree_router_learns_who_is_good_at_what():
    rng = np.random.default_rng(10)
    X = pd.DataFrame({"topic": rng.choice(["law", "medicine"], 4000), "length": rng.normal(size=4000)})
    medicine = (X["topic"] == "medicine").to_numpy()
    truth = np.array([np.where(medicine, 0.9, 0.6), np.where(medicine, 0.5, 0.8)])
    correct = rng.random((2, 4000)) < truth
    half = slice(0, 2000)
    router = TreeRouter(rng=0).fit(X[half], correct[:, half])
    error = router.predict(X[2000:]) - truth[:, 2000:]
    assert np.abs(error).mean() < 0.06
    assert np.array_equal(TreeRouter(rng=0).fit(X[half], correct[:, half]).predict(X), router.predict(X))
    optimistic = TreeRouter(n_halvings=0, rng=0).fit(X[half], correct[:, half])
    assert np.abs(optimistic.predict(X[2000:]) - truth[:, 2000:]).mean() > np.abs(error).mean()


def test_a_router_without_signal_returns_the_average():
    rng = np.random.default_rng(11)
    X = rng.normal(size=(3000, 4))
    correct = rng.random((2, 3000)) < np.array([0.6, 0.8])[:, None]
    found = TreeRouter(rng=0).fit(X, correct).predict(rng.normal(size=(1000, 4)))
    assert np.allclose(found.mean(axis=1), [0.6, 0.8], atol=4 * 0.5 / np.sqrt(3000) + 0.01)
    assert found.std(axis=1).max() < 0.1  # ten trees with leaves of 15 and more


def test_router_groups_are_never_split():
    X = np.repeat(np.random.default_rng(12).normal(size=(300, 2)), 4, axis=0)
    person = np.repeat(np.arange(300), 4)
    correct = np.repeat(np.random.default_rng(13).integers(0, 2, (1, 300)), 4, axis=1)  # a coin a person
    leaking = TreeRouter(rng=0).fit(X, correct).predict(X)
    whole = TreeRouter(rng=0).fit(X, correct, groups=person).predict(X)
    assert np.abs(leaking - correct).mean() < np.abs(whole - correct).mean()


# ---- bad input --------------------------------------------------------------------------------------------------


def holed(table, value=np.nan, at=(1, 7)):
    table = np.array(table, dtype=object if not isinstance(value, float) else float)
    table[at] = value
    return table


def threshold(**changes):
    options = {"policy": lambda t: cascade(RISK, PREDICTION, PRICE, tau=t), "thresholds": [0, 1], "y": Y, "target": 0.4}
    options |= changes
    return certified_threshold(options.pop("policy"), options.pop("thresholds"), options.pop("y"), **options)


BAD = {
    "a model without a risk in some rows": (lambda: cascade(holed(RISK), PREDICTION, PRICE), "risk must"),
    "a model without answers": (lambda: cascade(RISK, holed(PREDICTION, None), PRICE), "prediction must"),
    "answers masked": (
        lambda: route(ACCURACY, np.ma.array(PREDICTION, mask=PREDICTION == 1), PRICE, willingness=1),
        "prediction must",
    ),
    "ragged answers": (lambda: cascade(RISK, [[0], [1, 2]], PRICE), "prediction must"),
    "one model's answers as a column": (lambda: cascade(RISK, Y, PRICE), "prediction must"),
    "rows and models swapped": (lambda: cascade(RISK.T, PREDICTION, PRICE), "risk must"),
    "a negative risk": (lambda: cascade(-RISK, PREDICTION, PRICE), "risk must"),
    "an infinite risk": (lambda: cascade(holed(RISK, np.inf), PREDICTION, PRICE), "risk must"),
    "a risk of text": (lambda: cascade(RISK.astype(str), PREDICTION, PRICE), "risk must"),
    "tau below 0": (lambda: cascade(RISK, PREDICTION, PRICE, tau=-0.1), "tau must"),
    "tau missing": (lambda: cascade(RISK, PREDICTION, PRICE, tau=np.nan), "tau must"),
    "a threshold below one half": (lambda: confidence_cascade(P, PREDICTION, PRICE, threshold=0.4), "threshold must"),
    "a confidence in per cent": (lambda: confidence_cascade(100 * P, PREDICTION, PRICE), "p must"),
    "a negative price": (lambda: cascade(RISK, PREDICTION, [-1, 2, 3, 4]), "cost must"),
    "a price beyond all sums": (lambda: cascade(RISK, PREDICTION, [1, 2, 3, 1e308]), "cost must"),
    "a price missing": (lambda: cascade(RISK, PREDICTION, holed(PRICES)), "cost must"),
    "too few prices": (lambda: cascade(RISK, PREDICTION, PRICE[:3]), "cost must"),
    "models not in order": (lambda: cascade(RISK, PREDICTION, [1, 5, 3, 9]), "cost must"),
    "a row out of order": (lambda: sweep_routers(ACCURACY, PREDICTION, PRICES, Y, willingness=[1]), "cost must"),
    "an accuracy above 1": (lambda: route(ACCURACY + 1, PREDICTION, PRICE, willingness=1), "accuracy must"),
    "no willingness": (lambda: route(ACCURACY, PREDICTION, PRICE, willingness=-1), "willingness must"),
    "endless willingness": (lambda: route(ACCURACY, PREDICTION, PRICE, willingness=np.inf), "willingness must"),
    "an empty list of pools": (
        lambda: sweep_cascades(RISK, PREDICTION, PRICE, Y, thresholds=[0], pools=[]),
        "pools must",
    ),
    "a pool out of order": (
        lambda: sweep_cascades(RISK, PREDICTION, PRICE, Y, thresholds=[0], pools=[(1, 0)]),
        r"pools\[0\] must",
    ),
    "a pool with a stranger": (
        lambda: sweep_routers(ACCURACY, PREDICTION, PRICE, Y, willingness=[0], pools=[(0, 4)]),
        r"pools\[0\] must",
    ),
    "an empty pool": (lambda: sweep_cascades(RISK, PREDICTION, PRICE, Y, thresholds=[0], pools=[()]), r"pools\[0\]"),
    "another rule": (
        lambda: sweep_cascades(RISK, PREDICTION, PRICE, Y, thresholds=[0], rule="risks"),
        "rule must .*did you mean 'risk'",
    ),
    "too few right answers": (lambda: sweep_cascades(RISK, PREDICTION, PRICE, Y[1:], thresholds=[0]), "y must"),
    "a right answer missing": (lambda: oracle_route(PREDICTION, holed(Y, at=3), PRICE), "y must"),
    "a decision cost that is no square": (lambda: evaluate_policies(policies(), Y, cost=[[0, 1]]), "cost must"),
    "a class without a cost": (lambda: evaluate_policies(policies(), Y + 1, cost=COSTS), "y must"),
    "no policies": (lambda: evaluate_policies({}, Y), "policies must"),
    "a policy of another type": (lambda: evaluate_policies({"a": PREDICTION}, Y), "policies must"),
    "a policy of other rows": (
        lambda: evaluate_policies({"a": always(PREDICTION[:, 1:], PRICE, 0)}, Y),
        "y and policies.'a'. must have the same length",
    ),
    "an unknown rival": (lambda: compare_policies(policies(), Y, against="smal"), "against .* did you mean 'small'"),
    "no level": (lambda: evaluate_policies(policies(), Y, level=1.0), "level must"),
    "few resamples": (lambda: evaluate_policies(policies(), Y, n_resamples=2), "n_resamples must be"),
    "a model that is not there": (lambda: always(PREDICTION, PRICE, 4), "model must"),
    "a record of other models": (lambda: best_single(PREDICTION, PRICE, correct=[[1]]), "must have the same length"),
    "a record of marks": (lambda: best_single(PREDICTION, PRICE, correct=2 + PREDICTION), "correct must"),
    "a budget below the cheapest": (lambda: random_mix(PREDICTION, PRICE, budget=0.5), "budget must"),
    "a target out of reach": (lambda: threshold(target=1.5), "target must"),
    "a target of nothing": (lambda: threshold(target=0), "target must"),
    "a policy that returns an array": (lambda: threshold(policy=lambda t: Y), "policy must"),
    "thresholds missing": (lambda: threshold(thresholds=[np.nan]), "thresholds must"),
    "no thresholds": (lambda: threshold(thresholds=[]), "thresholds must"),
    "a promise without doubt": (lambda: threshold(level=1), "level must"),
    "one group": (lambda: threshold(groups=np.zeros(N)), "groups must"),
    "unequal points": (lambda: pareto_front([1, 2], [1]), "cost and accuracy must"),
    "a point missing": (lambda: pareto_front([1, np.nan], [1, 2]), "cost must"),
    "questions without a record": (
        lambda: TreeRouter().fit(P.T, PREDICTION[:, :9]),
        "X and correct.* must have the same length",
    ),
    "a tree with few rows": (lambda: TreeRouter().fit(P[:, :50].T, PREDICTION[:, :50]), "at least 4 .* = 60 rows"),
    "marks to learn from": (lambda: TreeRouter().fit(P.T, 5 * P), "correct must"),
    "asked before it learned": (lambda: TreeRouter().predict(P.T), "call fit first"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name):
    call, sentence = BAD[name]
    with pytest.raises(ValueError, match=sentence):
        call()


def test_a_budget_buys_the_best_mix_of_two_models():
    """The middle model lies above the line between the others, also where prices are large beside their differences."""
    right = np.repeat([[0, 1, 1, 1, 1, 1, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1, 0, 0, 0, 0], np.arange(10) < 9], 1, axis=0)
    mix = random_mix(np.tile([[0], [1], [2]], 10), [10, 11, 20], budget=11, correct=right, rng=0)
    assert (mix.model == 1).all()


def test_a_class_that_the_costs_do_not_know_is_refused():
    for wrong in (0.5, 2, -1):
        with pytest.raises(ValueError, match="prediction"):
            decision_losses([[0, wrong, 1]], [0, 1, 1], COSTS)


def test_the_model_that_lacks_an_answer_is_named():
    with pytest.raises(ValueError, match="model 1 lacks 1"):
        always([["a", "b"], ["a", None]], [1, 2], 0)


def test_a_tree_router_keeps_the_accuracy_of_each_model_and_refuses_groups_of_other_rows():
    X = RNG.normal(size=(60, 2))
    correct = RNG.integers(0, 2, (3, 60))
    router = TreeRouter(min_samples_leaf=15, rng=0).fit(X, correct)
    assert router.average_ == pytest.approx(correct.mean(axis=1))
    with pytest.raises(ValueError, match="groups"):
        TreeRouter(rng=0).fit(X, correct, groups=np.arange(59))


def test_the_model_with_a_wrong_risk_is_named():
    risk = np.array([[0.1, 0.2], [0.3, -1.0]])
    with pytest.raises(ValueError, match="model 1"):
        cascade(risk, [["a", "b"], ["a", "b"]], [1, 2])
