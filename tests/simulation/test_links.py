"""Any link is calibrated, with the shares of its two sides."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from helpers.simulation import Links
from tests.simulation.known import POPULATIONS, WORST


@pytest.mark.slow
@given(st.floats(0, 1), st.sampled_from(["normal", "uniform"]))
@settings(max_examples=10)
def test_any_bent_link_is_calibrated_once_the_density_is_tilted(bend, inputs):
    def link(p):
        return p + bend * (0.5 - p)

    population = Links(link, other=lambda p: link(p) < p, inputs=inputs, accurate=True)
    x = np.linspace(0.01, 1.99, 50)
    right, left = population.density(x), population.density(-x)
    assert np.allclose(right * population.truth(x) + left * population.truth(-x), (right + left) * population.stated(x))
    top = 2 if inputs == "uniform" else 12
    assert quad(population.density, -top, top, points=[-0.93, 0, 0.93], limit=200)[0] == pytest.approx(1, abs=1e-6)
    assert population.grouping_loss <= WORST_OF[inputs] * (1 + 1e-9)


WORST_OF = {
    inputs: Links(WORST.link, other=WORST.other, inputs=inputs, accurate=True).grouping_loss
    for inputs in ("normal", "uniform")
}


def test_sides_are_drawn_with_their_shares():
    population = POPULATIONS["reweighted link"]
    s = population.sample(40_000, rng=3)
    right = s.X["x"].to_numpy() > 0
    share = population.right_share(s.p)
    z = np.bincount((s.p * 10).astype(int), right - share, 10)
    z /= np.sqrt(np.bincount((s.p * 10).astype(int), share * (1 - share), 10) + 1e-12)
    assert np.abs(z).max() < 4.5


@pytest.mark.parametrize(
    ("link", "options", "sentence"),
    [
        (lambda p: p * 3, {}, "link must"),
        (lambda p: p * np.nan, {}, r"link\(0.0000\) is nan"),
        (lambda p: p**2, {"other": lambda p: p**2 < p, "accurate": True}, "side of 1/2"),
        (lambda p: 0.5, {}, "link must"),
    ],
)
def test_links_that_are_none(link, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        Links(link, **options)
