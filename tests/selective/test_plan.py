"""Questions that a promise needs, beside promises that are made on simulated answers."""

import numpy as np
import pytest
from refusals import refuses

from helpers.selective import certified_precision, plan_answers
from helpers.selective.plan import promise_chance


def made(n, k, accuracy, seed, confidence):
    """Whether a promise is made on n simulated answers, k of them selected, the others half right."""
    rng = np.random.default_rng(seed)
    correct = rng.random(n) < np.where(np.arange(n) < k, accuracy, 0.5)
    return certified_precision(correct.astype(int), confidence).certified


@pytest.mark.slow
@pytest.mark.parametrize(("accuracy", "coverage"), [(0.93, 0.3), (0.96, 0.5), (0.98, 0.2), (0.95, 1.0)])
def test_the_promise_is_made_as_often_as_was_planned(accuracy, coverage):
    row = plan_answers(accuracy, coverage).table.iloc[0]
    n, k = int(row["questions"]), int(row["selected"])
    chance = promise_chance(np.array([k]), accuracy, coverage, 0.9, 0.95).item()
    confidence = np.where(np.arange(n) < k, 1.0, 0.5)
    share = np.mean([made(n, k, accuracy, seed, confidence) for seed in range(400)])
    assert chance >= 0.8 and share == pytest.approx(chance, abs=3 * np.sqrt(chance * (1 - chance) / 400))


@pytest.mark.slow
def test_450_selected_answers_of_which_95_percent_are_right_do_where_confidences_differ():
    confidence = np.append(np.linspace(1, 0.7, 450), np.linspace(0.6, 0.1, 450))
    assert np.mean([made(900, 450, 0.95, seed, confidence) for seed in range(200)]) > 0.9


@pytest.mark.parametrize("accuracy", [0.92, 0.97])
def test_more_questions_never_make_the_promise_less_likely_than_was_asked(accuracy):
    plan = plan_answers(accuracy, 0.7, power=0.9)
    k = plan.table["selected"].item() + np.arange(-1, 1000)
    chance = promise_chance(k, accuracy, 0.7, 0.9, 0.95)
    assert chance[0] < 0.9 <= chance[1:].min()


def test_chances_by_hand():
    """Of 49 answers below the first start one may be wrong: 0.9**49 + 49 * 0.1 * 0.9**48 is below 5 %."""
    few, all_starts = promise_chance(np.array([49, 450]), 0.99, 1.0, 0.9, 0.95)
    assert few == pytest.approx(0.99**49 + 49 * 0.01 * 0.99**48)
    assert all_starts > 0.9999


test_bad_input = refuses(
    ({"accuracy": [0.95, 0.9]}, r"accuracy must .* accuracy\[1\] is 0.9"),
    ({"accuracy": 1.1}, "accuracy must"),
    ({"coverage": [0.0, 1.2]}, r"coverage must .* coverage\[0\] is 0.0 \(and 1 more\)"),
    ({"accuracy": [0.95, 0.96, 0.97], "coverage": [0.5, 0.6]}, "accuracy and coverage must"),
    ({"precision": 1}, "precision must"),
    ({"level": 0}, "level must"),
    ({"power": "much"}, "power must"),
    of=lambda **change: plan_answers(**{"accuracy": 0.95} | change),
)


def test_without_a_coverage_every_answer_is_selected():
    row = plan_answers(0.96).table.iloc[0]
    assert row["coverage"] == 1 and row["questions"] == row["selected"]
