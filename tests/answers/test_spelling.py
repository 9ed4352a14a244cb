"""One answer in many spellings is one text; what differs stays different."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.answers import spell_answers
from helpers.datasets.sampled_answers import parse_answer

SAME = {
    "normalized": [
        ("The Eiffel Tower.", "eiffel  tower", "EIFFEL TOWER!", "'Eiffel Tower'"), ("Ｐａｒｉｓ", "Paris", "**paris**"),
        ("straße", "STRASSE"), ("ﬁve", "five"), ("U.S.", "us"), ("don't", "don’t"), ("co-op", "co op"),
        ("−5", "-5", "(-5)"), ("- 5", "5"), ("1914–1918", "1914-1918"), ("ångström", "Å" + "ngström"),
    ],
    "numeric": [
        ("1,000", "1000.0", "1000", "$1,000", "1 000", "about 1e3.", "1\u00a0000"), ("- 5 km", "5"),
        ("50%", "0.5", "50 percent", "1/2", "½"),
        ("€5", "5 dollars", "5.", "USD5", 5, 5.0), ("-$5", "−5"), ("2 million", "2,000,000"),
        ("2 thousand", "2e3"), ("3 billion", "3e9"), ("4 trillion", "4e12"), ("2 then 3", "3"),
        ("٤٢", "42", "４２"), ("-0", "0"), ("25 m²", "25"),
    ],
    "date": [
        ("So it is 5/1/2021.", "05/01/2021", "May 1, 2021", "1st of May 2021", "2021-05-01", "may 1 2021"),
        ("Sept 10, 1909", "Sep. 10, 1909", "10 September 1909", "1/1/1900, no: 09/10/1909"),
    ],
    "exact": [("5", 5, 5.0)],
}  # fmt: skip
DIFFERENT = {
    "normalized": [
        ("3.5", "35"), ("0.5", ".5", "5"), ("-5", "5"), ("1/2", "12"), ("C", "C++", "C#"), ("5%", "5"), ("$5", "5"),
        ("hepatitis", "hepatitis A", "hepatitis B"), ("A", "B"), ("12:30", "1230"), ("ａ b", "ab"),
    ],
    "numeric": [("5", "-5"), ("50%", "50"), ("2", "2 million"), ("1/2", "1/3"), ("0.1", "0.10001")],
    "date": [("05/01/2021", "01/05/2021"), ("May 1, 2021", "May 1, 2020")],
    "exact": [("Paris", "paris"), ("Paris", "Paris.")],
}  # fmt: skip
UNREADABLE = {
    "normalized": ["", "  ", "!!!", "...", None, np.nan],
    "numeric": ["no idea", "3,5", "1,2,3", "10²", "2½", "1/0", "1e999", "", None],
    "date": ["unclear", "08/31", "31 Foo 2021", "12345", None],
    "exact": ["", " ", None],
    "class": [None, np.nan],
}


@pytest.mark.parametrize("rule, cases", [(rule, case) for rule, cases in SAME.items() for case in cases])
def test_same_answers(rule, cases):
    spelled = spell_answers(pd.Series(list(cases), dtype=object), rule)
    assert len(set(spelled)) == 1 and spelled[0] is not None


@pytest.mark.parametrize("rule, cases", [(rule, case) for rule, cases in DIFFERENT.items() for case in cases])
def test_different_answers(rule, cases):
    assert len(set(spell_answers(list(cases), rule))) == len(cases)


@pytest.mark.parametrize("rule", UNREADABLE)
def test_unreadable_answers(rule):
    spelled = spell_answers(pd.Series(UNREADABLE[rule], dtype=object), rule)
    assert [text for text, one in zip(UNREADABLE[rule], spelled, strict=True) if one is not None] == []


@given(st.lists(st.sampled_from(["7/9/1972", "so ", "07/10/1972.", " 1/2/34", "112/3/2001", "no", "/"]), max_size=5))
def test_dates_are_read_as_the_published_answers_were(parts):
    text = "".join(parts)
    if parse_answer(text) is not None:
        assert spell_answers([text], "date")[0] == parse_answer(text)


@given(st.floats(-1e12, 1e12))
def test_numbers_survive_their_spelling(value):
    spelled = [f"{value:.6f}", f"the answer is {value:.6f}.", f"{value:,.6f}"]
    numbers = [float(one) for one in spell_answers(spelled, "numeric")]
    assert numbers == pytest.approx([value] * 3, rel=1e-10, abs=1e-6)
