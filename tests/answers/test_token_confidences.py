"""helpers.answers.token_confidences: from log-probabilities and texts to confidences."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.answers import is_true_probability, option_masses, parse_verbalised, sequence_posterior
from helpers.answers.token_confidences import read_object

LOGS = st.lists(st.floats(-30, 0), min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("logprobs", "wanted"),
    [
        ([math.log(0.9), math.log(0.5)], 0.45),
        ([0.0], 1.0),
        ([-9999.0], 0.0),
        (np.log([0.5, 0.5, 0.5]), 0.125),
        ([], math.nan),
        (None, math.nan),
        ([None], math.nan),
        ([-0.1, None, -0.1], math.nan),
        ([-0.1, math.nan], math.nan),
    ],
)
def test_sequence_posterior_by_hand(logprobs, wanted):
    assert sequence_posterior(logprobs) == pytest.approx(wanted, nan_ok=True)


@given(LOGS, LOGS)
def test_sequence_posterior_is_a_product_and_a_probability(one, other):
    both = sequence_posterior([*one, *other])
    assert both == pytest.approx(sequence_posterior(one) * sequence_posterior(other), rel=1e-12, abs=1e-300)
    assert 0 <= both <= min(sequence_posterior(one), sequence_posterior(other)) * (1 + 1e-12)
    assert sequence_posterior([*other, *one]) == both  # the order does not matter
    assert math.isnan(sequence_posterior([*one, None, *other]))


@pytest.mark.parametrize("logprobs", [[0.5], [-1.0, 0.01]])
def test_a_log_probability_above_zero_is_none(logprobs):
    with pytest.raises(ValueError, match="token_logprobs must be logarithms of probabilities, at most 0, but one is 0"):
        sequence_posterior(logprobs)
    with pytest.raises(ValueError, match="top_logprobs must be logarithms"):
        is_true_probability({"True": logprobs[-1]})


def logs(**masses):
    return {token.replace("_", " "): math.log(mass) for token, mass in masses.items()}


@pytest.mark.parametrize(
    ("top", "wanted"),
    [
        (logs(True_=0.2, _true=0.1, TRUE=0.1, False_=0.1, I=0.5), 0.8),
        (logs(True_=0.6, False_=0.2), 0.75),
        (logs(True_=1e-9), 1.0),
        (logs(_false=0.9), 0.0),
        (logs(Truest=0.5, untrue=0.3, T=0.2), math.nan),
        ({}, math.nan),
        (None, math.nan),
        ([("true", math.log(0.3)), ("False", math.log(0.1))], 0.75),
        ([("True", math.log(0.3)), ("False", None)], math.nan),
    ],
)
def test_is_true_by_hand(top, wanted):
    assert is_true_probability(top) == pytest.approx(wanted, nan_ok=True)


MASSES = st.dictionaries(
    st.sampled_from(["True", " True", "true", "TRUE", "False", " false", "FALSE", "I", "The", "maybe"]),
    st.floats(1e-6, 0.1),
    min_size=1,
)


@given(MASSES, st.randoms())
def test_is_true_is_a_share_whatever_else_is_listed(masses, random):
    top = {token: math.log(mass) for token, mass in masses.items()}
    found = is_true_probability(top)
    words = {word: sum(m for t, m in masses.items() if t.strip().lower() == word) for word in ("true", "false")}
    if not sum(words.values()):
        assert math.isnan(found)
        return
    assert found == pytest.approx(words["true"] / sum(words.values()))
    shuffled = random.sample(sorted(top.items()), len(top))
    assert is_true_probability(shuffled) == pytest.approx(found)
    assert is_true_probability(top | {"Perhaps": math.log(0.2)}) == pytest.approx(found)
    assert option_masses(top, ("True", "False"))[::-1] == option_masses(top, ("False", "True"))


@pytest.mark.parametrize(
    ("top", "options", "wanted"),
    [
        (logs(Yes=0.3, _no=0.1, Maybe=0.6), ("Yes", "No"), (0.3, 0.1)),
        (logs(A=0.2, _B=0.2, C=0.4), ("A", "B"), (0.2, 0.2)),
        (logs(over=0.6, under=0.2), ("over 50,000", "under 50,000"), (0.6, 0.2)),  # a token may be a beginning
        (logs(N=0.5, No=0.2, Not=0.2), ("No", "Not at all"), (0.2, 0.2)),  # "N" may be either, and counts for neither
        (logs(Maybe=0.9), ("Yes", "No"), (0.0, 0.0)),
        (None, ("Yes", "No"), (math.nan, math.nan)),
        (logs(A=0.2, _b=0.1, B=0.3, E=0.1), ("A", "B", "C", "D"), (0.2, 0.4, 0.0, 0.0)),
        (logs(Par=0.3, P=0.2, Lon=0.1), ("Paris", "Prague", "London"), (0.3, 0.0, 0.1)),
    ],
)
def test_options_by_hand(top, options, wanted):
    assert option_masses(top, options) == pytest.approx(wanted, nan_ok=True)


@pytest.mark.parametrize("options", [("Yes",), ("Yes", "yes "), ("", "No"), "Yes", ("a", "b", "A."), ()])
def test_options_must_be_different_texts(options):
    with pytest.raises(ValueError, match="options must be at least two different texts"):
        option_masses({"Yes": -1.0}, options)


@pytest.mark.parametrize(("text", "answer", "p"), [
    ('{"confidence": 85}', None, 0.85),
    ('{"answer": " Paris ", "confidence": 100}', "Paris", 1.0),
    ('```json\n{"confidence": 0}\n```', None, 0.0),
    ('{"confidence": 0.85}', None, 0.85),
    ('{"confidence": 1}', None, 0.01),
    ('{"confidence": 850}', None, math.nan),
    ('{"confidence": -5}', None, math.nan),
    ('{"confidence": "85"}', None, math.nan),
    ('{"confidence": true}', None, math.nan),
    ('{"confidence": NaN}', None, math.nan),
    ('{"answer": "Paris"}', "Paris", math.nan),
    ('{"answer": "", "confidence": 85}', None, 0.85),
    ('{"confidence": 85} I am sure.', None, math.nan),
    ("[85]", None, math.nan),
    ("85%", None, math.nan),
    ("", None, math.nan),
    (None, None, math.nan),
])  # fmt: skip
def test_stated_confidences_are_read_strictly(text, answer, p):
    found = parse_verbalised(text)
    assert found[0] == answer and found[1] == pytest.approx(p, nan_ok=True)


@given(st.text() | st.builds('{{"answer": "a", "confidence": {}}}'.format, st.floats()))
def test_no_text_states_what_is_no_probability(text):
    answer, p = parse_verbalised(text)
    assert math.isnan(p) or 0 <= p <= 1
    assert answer is None or answer.strip() == answer != ""


def test_an_object_is_read_in_a_fence_and_anything_else_is_none():
    assert read_object('```json\n{"grade": "correct"}\n```') == {"grade": "correct"} and read_object("correct") == {}
