"""The probability of a meaning is that of its distinct spellings together, as far as they were drawn."""

import numpy as np
import pandas as pd
import pytest

from helpers.answers import meaning_posterior

TEXTS = ["Paris", "paris", "PARIS.", "the Paris", "Rome", "rome.", "?!"]  # the last cannot be read
MASS = np.array([0.3, 0.15, 0.05, 0.02, 0.25, 0.13, 0.1])
MEANING = np.array([0, 0, 0, 0, 1, 1, 2])
TRUTH = np.bincount(MEANING, MASS)


def drawn(places, question="capital"):
    return pd.DataFrame({"question": question, "answer": np.array(TEXTS)[places], "posterior": MASS[places]})


def test_by_hand():
    table = pd.concat([drawn([0, 1, 4, 0, 6, 6]), drawn([4, 5], "other")], ignore_index=True)
    found = meaning_posterior(table)
    assert found == pytest.approx([0.45, 0.45, 0.25, 0.45, 0.1, 0.1, 0.38, 0.38])
    assert meaning_posterior(drawn([6, 4, 0])).tolist() == [0.1, 0.25, 0.3]  # no meaning of what cannot be read
    by_string = meaning_posterior(table, "exact")
    assert by_string == pytest.approx(table["posterior"])  # one spelling, one meaning
    one = meaning_posterior(table, lambda text: "any")
    assert one == pytest.approx([0.8] * 6 + [0.38] * 2)


def test_all_spellings_drawn_give_the_truth():
    places = np.random.default_rng(0).permutation(np.repeat(np.arange(7), 3))
    assert meaning_posterior(drawn(places)) == pytest.approx(TRUTH[MEANING[places]])


def test_noise_of_a_server_and_missing_ones():
    table = drawn([0, 0, 1, 4])
    table["posterior"] = [0.31, 0.29, 0.15, np.nan]
    found = meaning_posterior(table)
    assert found[:3] == pytest.approx([0.45] * 3) and np.isnan(found[3])
    table.loc[2, "posterior"] = np.nan  # one of two spellings of a meaning
    assert np.isnan(meaning_posterior(table)).all()
    table["posterior"] = [0.7, 0.7, 0.31, 0.0]
    assert meaning_posterior(table).tolist() == [1, 1, 1, 0]  # 1.01 is noise
    table["answer"] = ["Paris", None, "", "Rome"]  # an empty answer means itself
    assert meaning_posterior(table.assign(posterior=0.2)) == pytest.approx([0.2] * 4)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"posterior": [0.5, 1.2, 0.1]}, "posterior must"),
        ({"posterior": [0.8, 0.7, 0.1]}, "posterior must"),
        ({"posterior": [0.8, 0.13, 0.1]}, "posterior must"),
    ],
)
def test_bad_probabilities(change, message):
    table = pd.DataFrame({"question": "q", "answer": ["a", "b", "c"], "posterior": [0.3, 0.3, 0.3]})
    with pytest.raises(ValueError, match=message):
        meaning_posterior(table.assign(**change))
    with pytest.raises(ValueError, match="posterior must"):
        meaning_posterior(table.drop(columns="posterior"))
