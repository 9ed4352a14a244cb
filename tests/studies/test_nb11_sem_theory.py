"""Studies of the theory of sampled answers, and its figures: small cases by hand, every number given is drawn."""

import numpy as np
import pytest

from helpers.answers import exact_bias
from helpers.studies import nb11_sem_theory

# ---- studies --------------------------------------------------------------------------------------------------


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
