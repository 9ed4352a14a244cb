"""What every policy keeps: ties, pools of one, inputs; bad input is named."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from helpers.routing import (
    TreeRouter,
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
    single_model,
    sweep_cascades,
    sweep_routers,
)
from tests.routing.pool import ACCURACY, PREDICTION, PRICE, PRICES, RISK, P, Y, policies


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


def test_a_pool_of_one_answers_everything_and_is_paid_once():
    one = np.array([[1, 0, 1, 1]])
    for routed in (
        cascade([[0.5, 0.5, 0, 0]], one, [3]),
        confidence_cascade([[0.5, 0.9, 0.1, 1]], one, [3]),
        route([[0.1, 0.2, 0.3, 0.4]], one, [3], willingness=1),
        single_model(one, [3], 0),
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


def test_all_may_be_free():
    assert not single_model(PREDICTION, np.zeros(4), np.int64(1)).paid.any()


def test_answers_may_be_words():
    words = np.array([["05/01/2021", "unclear"], ["05/01/2021", "04/30/2021"]])
    routed = cascade([[0.0, 0.4], [0.0, 0.0]], words, [1, 20])
    assert list(routed.prediction) == ["05/01/2021", "04/30/2021"]
    found = evaluate_policies({"cascade": routed}, ["05/01/2021", "04/30/2021"], n_resamples=20, rng=0)
    assert found.loc["cascade", "accuracy"] == 1 and found.loc["cascade", "money"] == 11


def holed(table, value=np.nan, at=(1, 7)):
    table = np.array(table, dtype=object if not isinstance(value, float) else float)
    table[at] = value
    return table


def threshold(**changes):
    options = {"policy": lambda t: cascade(RISK, PREDICTION, PRICE, tau=t), "thresholds": [0, 1], "y": Y, "target": 0.4}
    options |= changes
    return certified_threshold(options.pop("policy"), options.pop("thresholds"), options.pop("y"), **options)


FALLING = np.sort(PRICES, axis=0)
FALLING[:, 7] = FALLING[::-1, 7]
BAD = {
    "a model without a risk in some rows": (lambda: cascade(holed(RISK), PREDICTION, PRICE), "risk must"),
    "a model without answers": (lambda: cascade(RISK, holed(PREDICTION, None), PRICE), "prediction must"),
    "answers that are no table": (lambda: cascade(RISK, PREDICTION[0], PRICE), "prediction must"),
    "no answers": (lambda: cascade(RISK, PREDICTION[:, :0], PRICE), "prediction must"),
    "a model that is yes": (lambda: single_model(PREDICTION, PRICE, True), "model must"),
    "thresholds in words": (lambda: sweep_cascades(RISK, PREDICTION, PRICE, Y, thresholds=["a"]), "thresholds must"),
    "ragged answers": (lambda: cascade(RISK, [[0], [1, 2]], PRICE), "prediction must"),
    "rows and models swapped": (lambda: cascade(RISK.T, PREDICTION, PRICE), "risk must"),
    "an infinite risk": (lambda: cascade(holed(RISK, np.inf), PREDICTION, PRICE), "risk must be finite"),
    "a risk in words": (lambda: cascade(np.full((4, 400), "high"), PREDICTION, PRICE), "risk must"),
    "words against numbers": (lambda: evaluate_policies(policies(), Y.astype(str)), "y holds texts"),
    "tau below 0": (lambda: cascade(RISK, PREDICTION, PRICE, tau=-0.1), "tau must be at least 0"),
    "a threshold below one half": (
        lambda: confidence_cascade(P, PREDICTION, PRICE, threshold=0.4), r"threshold must lie in .0.5, 1"),
    "too few prices": (lambda: cascade(RISK, PREDICTION, PRICE[:3]), "cost must"),
    "models not in order": (lambda: cascade(RISK, PREDICTION, [1, 5, 3, 9]), "cost must"),
    "a row out of order": (
        lambda: sweep_routers(ACCURACY, PREDICTION, FALLING, Y, willingness=[1]), "cost must .* in row 7"),
    "a negative price": (lambda: cascade(RISK, PREDICTION, [-1, 2, 3, 9]), "cost must"),
    "an accuracy above 1": (
        lambda: route(ACCURACY + 1, PREDICTION, PRICE, willingness=1), "accuracy must lie in .0, 1"),
    "no willingness": (lambda: route(ACCURACY, PREDICTION, PRICE, willingness=-1), "willingness must"),
    "another rule": (
        lambda: sweep_cascades(RISK, PREDICTION, PRICE, Y, thresholds=[0], rule="risks"), "rule must .*'risk'"),
    "too few right answers": (lambda: sweep_cascades(RISK, PREDICTION, PRICE, Y[1:], thresholds=[0]), "y must"),
    "a right answer missing": (lambda: oracle_route(PREDICTION, holed(Y, at=3), PRICE), "y must"),
    "a decision cost that is no square": (lambda: evaluate_policies(policies(), Y, cost=[[0, 1]]), "cost must"),
    "a policy of another type": (lambda: evaluate_policies({"a": PREDICTION}, Y), "policies must"),
    "a policy of other rows": (
        lambda: evaluate_policies({"a": single_model(PREDICTION[:, 1:], PRICE, 0)}, Y), "y and policies.'a'. must"),
    "an unknown rival": (lambda: compare_policies(policies(), Y, against="smal"), "against .* did you mean 'small'"),
    "a model that is not there": (lambda: single_model(PREDICTION, PRICE, 4), "model must"),
    "a record of other models": (lambda: best_single(PREDICTION, PRICE, correct=[[1]]), "must have the same length"),
    "a budget below the cheapest": (lambda: random_mix(PREDICTION, PRICE, budget=0.5), "budget must"),
    "a target out of reach": (lambda: threshold(target=1.5), "target must"),
    "a policy that returns an array": (lambda: threshold(policy=lambda t: Y), "policy must"),
    "unequal points": (lambda: pareto_front([1, 2], [1]), "cost and accuracy must"),
    "questions without a record": (
        lambda: TreeRouter().fit(P.T, PREDICTION[:, :9]), "X and correct.* must have the same length"),
    "a tree with few rows": (lambda: TreeRouter().fit(P[:, :50].T, PREDICTION[:, :50]), "at least 4 .* = 60 rows"),
    "a leaf in words": (lambda: TreeRouter(min_samples_leaf="few").fit(P.T, PREDICTION), "min_samples_leaf must"),
    "a sweep of accuracies above 1": (
        lambda: sweep_routers(ACCURACY + 1, PREDICTION, PRICE, Y, willingness=[1]), "accuracy must"),
    "asked before it learned": (lambda: TreeRouter().predict(P.T), "call fit first"),
}  # fmt: skip


@pytest.mark.parametrize("pool", [(1, 0), (1, 1), (0, 4), (-1, 0), (0.5,), ()])
def test_pools_are_ascending_numbers_of_models(pool):
    with pytest.raises(ValueError, match=r"pools\[1\] must"):
        sweep_cascades(RISK, PREDICTION, PRICE, Y, thresholds=[0], pools=[(0, 1), pool])
    with pytest.raises(ValueError, match="pools must"):
        sweep_cascades(RISK, PREDICTION, PRICE, Y, thresholds=[0], pools=[])


test_bad_input_is_named = refuses(*BAD.values(), ids=BAD)
