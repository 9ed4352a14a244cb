"""Studies of the theory of sampled answers, and its figures: small cases by hand, every number given is drawn."""

import numpy as np
import pytest

from helpers.answers import CRITICAL_HALF_MARGIN, AnswerPopulation, exact_bias
from helpers.studies import nb11_sem_theory

# ---- studies --------------------------------------------------------------------------------------------------


def test_grid_has_every_question_with_one_mode():
    pi = nb11_sem_theory.probability_grid(3, 4)
    assert len(pi) == 15 - 3 and (pi.sum(axis=1) == 1).all()  # without (2, 2, 0) / 4 in three orders
    assert len(np.unique(pi, axis=0)) == len(pi)


def test_bound_ratios_never_exceed_one():
    for pi, n in ((nb11_sem_theory.probability_grid(2, 30), 7), (nb11_sem_theory.probability_grid(3, 9), 4)):
        ratios = nb11_sem_theory.worst_bound_ratios(pi, n)
        assert max(ratios.values()) <= 1 and min(ratios.values()) > 0


def test_deviations_stay_below_their_bound():
    assert (nb11_sem_theory.deviation_ratios() < 1).all() and nb11_sem_theory.deviation_ratios((3,)).size == 3


@pytest.mark.parametrize("behind", [(0, 1), (0, 0.5, 2), (0, 0, 0, 1)])
def test_a_contest_stays_equally_hard(behind):
    for n in (30, 3000):
        pi = nb11_sem_theory.contested_probabilities(behind, n)
        assert pi.sum() == pytest.approx(1)
        assert (pi[0] - pi) * np.sqrt(len(behind) * n) == pytest.approx(np.array(behind))


def test_expansion_tables_hold_the_biases():
    curve = nb11_sem_theory.scaled_sem1_biases(2, [25])
    exact = exact_bias(nb11_sem_theory.contested_probabilities([0, 0.8, 0.8], 25), 25).sem1
    assert curve.set_index("estimator").loc["exact", "value"] == pytest.approx(5 * exact)
    rows = nb11_sem_theory.biases_by_method([[0.5, 0.5], [0.6, 0.4]], 25, names=["even", "odd"])
    assert rows.loc["even", "Sem1"] == pytest.approx(0.0805901289, abs=1e-9) and rows.index.name == "question"
    assert (
        nb11_sem_theory.scaled_expansion_errors([0, 0.8], 100).max()
        < nb11_sem_theory.scaled_expansion_errors([0, 0.8], 25).max()
    )


def test_borders():
    printed, redrawn = nb11_sem_theory.regime_borders([2, 3, 10])
    assert redrawn["both biases equal (ours)"][0] == pytest.approx(2 * CRITICAL_HALF_MARGIN)
    assert list(printed)[1:] == ["m = sqrt(log K), as printed", "m = sqrt(2 log(K - 1)): the bound reaches 1"]
    cross = nb11_sem_theory.gap_at_large_margin_border([4])
    assert cross["bound"][0] == 1.5 and cross["gap left"][0] == pytest.approx(0.5)
    assert nb11_sem_theory.exact_critical_margin(1, 100) == pytest.approx(2 * CRITICAL_HALF_MARGIN, abs=0.03)
    assert (np.diff(nb11_sem_theory.scaled_chance_to_leave_bin([100, 10_000, 1_000_000])) > 0).all()


def test_sampling_errors_are_standard_errors():
    off = nb11_sem_theory.simulated_bias_errors([[0.5, 0.5], [0.6, 0.3, 0.1]], 9, n_draws=4000, rng=0)
    assert off.shape == (2, 2) and (np.abs(off) < 4.5).all()
    again = nb11_sem_theory.simulated_bias_errors([[0.5, 0.5], [0.6, 0.3, 0.1]], 9, n_draws=4000, rng=0)
    assert (off == again).all()


def test_gap_and_distances_by_hand():
    """Never right, one bin: an ECE is the mean confidence, and the oracle's is c*."""
    questions = nb11_sem_theory.contested_questions(0.3, 25, [-1])
    bias = exact_bias(nb11_sem_theory.contested_questions(0.3, 25, [-1]).pi[0], 25)
    gap, leading = nb11_sem_theory.scaled_ece_gap(questions, 25)
    assert gap == pytest.approx(5 * (bias.sem1 - bias.sem2)) and leading == pytest.approx(gap, rel=0.01)
    found = nb11_sem_theory.scaled_oracle_distances(questions, 25)
    assert found["ECEs"] == pytest.approx(5 * (bias.sem1 + bias.sem2)) and found["accuracy lost"] == 0
    both = nb11_sem_theory.ece_gap_by_protocol(0.3)
    assert both["theorem: n = 25"] == pytest.approx(bias.sem1 - bias.sem2)
    assert 0 < both["experiment: 50, 25 + 25"] < both["theorem: n = 25"]


def test_edge_rules_differ_only_where_shares_lie_on_edges():
    population = AnswerPopulation.dirichlet(50, 3, rng=0)
    on, above, below = nb11_sem_theory.sem1_ece_by_edge_rule(population, 49).values()
    assert on == 0 and above == pytest.approx(below) and above == pytest.approx(population.calibration(49).sem1)
    on, above, below = nb11_sem_theory.sem1_ece_by_edge_rule(population, 20).values()
    assert on > 0.3 and above == pytest.approx(population.calibration(20).sem1) and above != pytest.approx(below)


# ---- figures --------------------------------------------------------------------------------------------------


def test_reported_draws_every_bar_and_both_lines():
    share = np.array([0, 0.5, 1.0])
    laws = {"one": [0.2, 0.5, 0.3], "two": [0.0, 0.9, 0.1]}
    ax = nb11_sem_theory.plot_reported(share, laws, truth=0.5, rule=0.6)
    assert [bar.get_height() for bar in ax.patches] == [0.2, 0.5, 0.3, 0.0, 0.9, 0.1]


def test_shares_are_steps_with_their_means_and_the_truth():
    share = np.array([0, 0.5, 1.0])
    laws = {"one": [0.2, 0.5, 0.3], "two": [0.0, 0.9, 0.1]}
    ax = nb11_sem_theory.plot_shares(share, laws, truth=0.4)
    one, mean_of_one, two, mean_of_two, truth = ax.lines
    assert one.get_ydata().tolist() == laws["one"] and two.get_ydata().tolist() == laws["two"]
    assert [line.get_xdata()[0] for line in (mean_of_one, mean_of_two, truth)] == pytest.approx([0.55, 0.55, 0.4])


def test_regimes_shade_the_named_border():
    classes = np.array([2, 10, 100])
    ax = nb11_sem_theory.plot_regimes(classes, {"a": np.ones(3), "b": np.arange(3.0)}, shade="a")
    assert len(ax.collections) == 1
    assert np.array_equal(ax.lines[1].get_xdata(), np.arange(3.0))
