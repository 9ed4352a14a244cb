"""One answer in many spellings is one text; what differs stays different."""

import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.answers import notations, spell_answers
from helpers.answers.held import holds_value
from helpers.answers.spelling import rules_of, spell_references
from helpers.datasets.sampled_answers import parse_answer
from helpers.practice.tables import read_answers

SAME = {
    "normalized": [
        ("The Eiffel Tower.", "eiffel  tower", "EIFFEL TOWER!", "'Eiffel Tower'"), ("Ｐａｒｉｓ", "Paris", "**paris**"),
        ("straße", "STRASSE"), ("ﬁve", "five"), ("U.S.", "us"), ("don't", "don’t"), ("co-op", "co op"),
        ("−5", "-5", "(-5)"), ("- 5", "5"), ("1914–1918", "1914-1918"), ("ångström", "Å" + "ngström"),
        ("<think>Lyon?</think> Paris", "Paris", "Lyon?</thinking>Paris"),
    ],
    "numeric": [
        ("1,000", "1000.0", "1000", "$1,000", "1 000", "about 1e3.", "1\u00a0000", "1'000", "1.000,0", r"1{,}000",
         "10^3", "10³", r"$1.0 \times 10^{3}$", "1 x 10^3", "$1k", "$1K", r"\$1,000", "1.000,00 €",
         "a thousand? 1 thousand"),
        ("- 5 km", "5"), ("50%", "0.5", "50 percent", "1/2", "½", r"\frac12", r"$\dfrac{1}{2}$", "50\\%", "50,0 %"),
        ("€5", "5 dollars", "5.", "USD5", 5, 5.0, "five", "Five.", "5th", "x = 5", "2 + 3 = 5", "\\boxed{5}", "**5**",
         "5!", "(5).", "[5]", "Answer: **5**", "The answer is 5. I used 3 steps.", "7 then\n#### 5",
         "#### 5\n\nQuestion: And 3?\nAnswer: #### 7",
         "<think>7</think> 5",
         "It is 5 apples, since 2 + 3 = 5", "The answer is 5, because 10 / 2 is 5", "<answer>5</answer> (of 8)",
         "7</think>5", "ANSWER: $5$", r"\[ \boxed{5} \]", "Answer: Let's think. 2 + 3 = 5."),
        ("-$5", "−5", "minus 5", "$-5$"), ("2 million", "2,000,000", "2 Millionen", "$2M"), ("2 thousand", "2e3"),
        ("3 billion", "3e9"), ("4 trillion", "4e12"), ("1,00,000", "100000"), ("1.234.567,8", "1,234,567.8"),
        ("2 then 3", "3"), ("2½", "2.5", "2 1/2", r"2\frac{1}{2}", r"$2\frac12$"), ("11 5/6", "71/6"),
        ("٤٢", "42", "４２", "forty-two"), ("-0", "0"), ("25 m²", "25"), ("1.2e-3", "0.0012", r"1.2 \cdot 10^{-3}"),
    ],
    "date": [
        ("So it is 5/1/2021.", "05/01/2021", "May 1, 2021", "1st of May 2021", "2021-05-01", "may 1 2021", "1.5.2021",
         "01.05.2021", "2021/05/01", "2021年5月1日", "Date: 2021-05-01T12:00"),
        ("Sept 10, 1909", "Sep. 10, 1909", "10 September 1909", "1/1/1900, no: 09/10/1909"),
        ("25-5-1914", "May 25, 1914", "<reasoning>1914-05-03</reasoning>25.5.1914"),
    ],
    "day-first": [("3/5/1914", "May 3, 1914", "03.05.1914"), ("5/25/1914", "25/05/1914")],
    "letter": [
        ("B", "b", "(B)", "**B**", "ANSWER: B", "ANSWER: B,", "answer: b", r"\boxed{B}", r"$\boxed{\text{B}}$",
         "B) Lyon", "option (b)", "Therefore, B.", "So the answer is B", "The answer is (B).", "Answer: $B",
         "B is correct.", "选B", "The answer is B because A is a city", "答案是B",
         "Antwort:\n\nAntwort: B", "I would pick B — a safe choice.", "b. 4", "ANSWER IS B. A is incorrect.",
         "The answer is B. Note that A is a common distractor.", r"\boxed{B: A lion}",
         "**Answer: B**, since \\boxed{\\langle H \\rangle}", "The answer is B because I computed it",
         "I considered (A), but it is wrong. Final answer: B.",
         "A) Paris\nB) Lyon\nAnswer: B", "<think>option A?</think> B", "Answer: B - Lyon",
         "ANSWER: $LETTER\nANSWER: B"),
        ("The answer is (K).", "K"), ("the correct option is p", "P"),
    ],
    "exact": [("5", 5, 5.0)],
}  # fmt: skip
DIFFERENT = {
    "normalized": [
        ("3.5", "35"), ("0.5", ".5", "5"), ("-5", "5"), ("1/2", "12"), ("C", "C++", "C#"), ("5%", "5"), ("$5", "5"),
        ("hepatitis", "hepatitis A", "hepatitis B"), ("A", "B"), ("12:30", "1230"), ("ａ b", "ab"),
    ],
    "numeric": [("5", "-5"), ("50%", "50"), ("2", "2 million"), ("1/2", "1/3"), ("0.1", "0.10001"), ("5", "It is 25")],
    "date": [("05/01/2021", "01/05/2021"), ("May 1, 2021", "May 1, 2020")],
    "exact": [("Paris", "paris"), ("Paris", "Paris.")],
}  # fmt: skip
UNREADABLE = {
    "normalized": ["", "  ", "!!!", "...", None, np.nan, "<think>Paris"],
    "numeric": [
        "no idea", "3,5", "1,2,3", "1/0", "1e999", "", None, r"88.55\pm0.04", "88.55 ± 0.04", "88.55 +/- 0.04",
        r"6\text{B}", "6 B", "6B", "5k", "3-5", "3–5", "3 to 5", "between 3 and 5", "3 or 5", "3, 5", "4 10/3", "3:5",
        "12:30", "1 in 5", "5 out of 10", "2021-05-01", "1.2.3", "1,,000", "11,11.11", "2.000 €", r"4\sqrt{2}",
        r"5 \sqrt{2}", "√2", "2π", "3x", "10x", "2x + 3", "3 + 4", "H2O", "vitamin B12", "1990s", "< 5", "≥ 5",
        "5 squared", r"0.\overline{3}", "two and a half", "5,000,000 - 10,000,000", "<think>The answer is 5",
        "[THINK]5", "at least 5", "more than 5",
        "The answer is unknown.", "100M2_",
    ],
    "date": ["unclear", "08/31", "31 Foo 2021", "12345", None, "3-5-1914", "1914", "May 1914", "2.3, 4.1, 4.3",
        "19,60 5"],
    "letter": [
        "I cannot say.", "A dog", "Answer: A dog", "Answer: I think so", "The answer is not B.", "ANSWER: A,B",
        "A and B",
        "(B) or (C)", "(A) is wrong", "(A) and (B) may be", "Option B is not correct",
        "A) Paris\nB) Lyon", "It is hepatitis B", "<think>option B?", None,
        "Answer: Let's think step by step.", "none of the above",
    ],
    "exact": ["", " ", None],
    "class": [None, np.nan],
}  # fmt: skip


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


def test_each_answer_may_have_a_rule_of_its_own():
    answers = ["The answer is 5.", "3.5.1914", "Therefore, C.", "The Hague"]
    rules = ["numeric", "date", "letter", "normalized"]
    assert spell_answers(answers, rules).tolist() == ["5", "05/03/1914", "C", "hague"]
    with pytest.raises(ValueError, match="^rule must be one for each of the 4"):
        spell_answers(answers, rules[:2])


def test_references_say_what_is_meant():
    read = rules_of([["5"], ["5%", "0.05"], ["1914-05-03"], ["Apollo 11"], ["F-16"], ["1/2"], ["A-B"], ["7", "Bond"]])
    kinds = ["numeric", "numeric", "date", "normalized", "normalized", "numeric", "normalized", "normalized"]
    assert read == (kinds, [])
    assert rules_of([["A"], ["(k)"]])[0] == ["letter"] * 2 and rules_of([["A"], ["5"]])[0] == ["normalized", "numeric"]


def test_initials_of_names_are_no_options():
    names = ["A. Lincoln", "J. Kennedy", "G. Bush", "J. Carter"]
    assert rules_of([[name] for name in names])[0] == ["normalized"] * 4
    assert rules_of([["B. B. King"], ["A. J. Ayer"]])[0] == ["normalized"] * 2
    for options in (
        ["A. Paris", "D. Rome"],
        ["B) 5", "A) 7"],
        ["E. x", "A. y"],
        [f"{letter}. x" for letter in "ABDFGHJ"],
    ):
        assert rules_of([[option] for option in options])[0] == ["letter"] * len(options)


LIMITS = [
    "I do not know: my data end in 2023.", "My training data only goes up to September 2021",
    "my knowledge cutoff is 2023", "As of my last update in October 2023, I have no such number.",
    "I was trained on data until 2022, so I cannot say.",
    "My knowledge cut-off date is 2023-10-01.", "I only have information up to 2021.",
]  # fmt: skip


@pytest.mark.parametrize("rule", ["numeric", "date"])
def test_the_year_until_which_a_model_learnt_is_no_answer(rule):
    assert spell_answers(LIMITS, rule).tolist() == [None] * len(LIMITS)
    answers = [f"{limit} Perhaps 500." for limit in LIMITS] + ["As of 2021, the population was 500", "My guess: 500"]
    assert rule == "date" or set(spell_answers(answers, rule)) == {"500"}


def test_a_year_that_is_an_answer_is_read():
    years = ["In 2023", "It ends in 2023.", "My answer is 2023", "My data show that it was 2023", "trained in 2023"]
    assert set(spell_answers(years, "numeric")) == {"2023"}


def test_months_of_other_languages():
    pytest.importorskip("dateparser", reason="needs the extra answers")
    dates = ["3. Mai 1914", "3 mai 1914", "3 de mayo de 1914", "3 maggio 1914", "3 mei 1914", "May 3, 1914"]
    assert set(spell_answers(dates, "date")) == {"05/03/1914"}
    assert spell_answers(["3 foo 1914", "3 people 1914", "3 von 1914"], "date").tolist() == [None] * 3


QUANTITIES = [
    ("5 km", "5000 m", "5000m", "It is 5 km away.", r"$5\text{ km}$", r"\boxed{5 \mathrm{~km}}", "5,0 km"),
    ("1 day", "24 hours", "1440 min"),
    ("36 km/h", "10 m/s", "10 m s^-1"),
    ("20 °C", "293.15 K", "20 degrees C", "20 degrees Celsius"),
    ("25 m²", "25 m^2"),
]


@pytest.mark.parametrize("cases", QUANTITIES)
def test_quantities_in_any_unit(cases):
    pytest.importorskip("pint", reason="needs the extra answers")
    spelled = set(spell_answers(list(cases), "quantity"))
    assert len(spelled) == 1 and None not in spelled and rules_of([cases[:1]])[0] == ["quantity"]


def test_quantities_that_are_none():
    pytest.importorskip("pint", reason="needs the extra answers")
    assert spell_answers(["3-5 km", "3 to 5 km", "5 ft 3 in", "no idea"], "quantity").tolist() == [None] * 4
    others = spell_answers(["5 km", "5 KM", "5 miles", "5", "5 cats", "5 apples"], "quantity")  # Pint: cats is centi-at
    assert (others[1:] != others[0]).all()
    guesses = ["5 cats", "5 apples", "5 pinch", "5 dat", "5 kmeter", "5 m in"]  # Pint: pico-inch, ...
    assert rules_of([[guess] for guess in guesses])[0] == ["normalized"] * 6
    assert len(set(spell_answers(["It is 5 m in length", "5 m"], "quantity"))) == 1


@pytest.mark.parametrize(("library", "right", "rule"), [("pint", "5 km", "quantity"), ("sympy", "x^2", "math")])
def test_without_the_extra_one_sentence_says_what_is_missing(monkeypatch, library, right, rule):
    for loaded in (notations._registry, notations._latex, notations.unit_of, notations.read_formula):
        loaded.cache_clear()
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match=r"honest-confidence\[answers\]"):
        spell_answers([right], rule)
    rules, missing = rules_of([[right], ["5"]])
    assert rules == ["normalized", "numeric"] and len(missing) == 1
    notes = read_answers(pd.DataFrame({"question": [1, 1, 2, 2], "answer": [right] * 4, "reference": right})).notes
    assert missing[0] in notes


FORMULAS = [
    (r"\frac{\sqrt{3}}{2}", r"$\frac{\sqrt3}{2}$", "sqrt(3)/2", r"So \boxed{\frac{\sqrt{3}}{2}}."),
    ("x^2+1", "1 + x^2", r"The answer is $x^2 + 1$."), ("(x+2)/7", r"\frac{x}{7}+\frac{2}{7}"),
    ("1/2", "0.5", r"\frac12"),
    (r"\sec^2(y)", r"\tan^2(y)+1"), (r"(3,\frac{\pi}{2})", r"\left(3, \frac{\pi}{2}\right)"), (r"\{1,2\}", r"\{2, 1\}"),
    ("2π", r"2\pi"), ("x=5", "5"),
]  # fmt: skip


@pytest.mark.parametrize("cases", FORMULAS)
def test_formulas_of_one_value(cases):
    pytest.importorskip("latex2sympy2_extended", reason="needs the extra answers")
    spelled = set(spell_answers(list(cases), "math"))
    assert len(spelled) == 1 and None not in spelled


def test_formulas_that_differ_or_are_none():
    """Pairs that math-verify's own extraction has called equal: its issues 14, 41, 60, 64, and pull request 82."""
    pytest.importorskip("latex2sympy2_extended", reason="needs the extra answers")
    pairs = [
        (r"1 - \frac{1}{e}", r"1 + \frac{1}{e}"), (r"\frac{1}{2^{99}}", r"\frac{1}{2^{98}}"), ("$4$", r"4\sqrt(2)"),
        (r"\pm 2021", "2021"), (r"$12:00$", "$1:00$"), ("x+y", "x-y"), ("[2,3]", "(2,3)"), ("$a$", "$b$"),
    ]  # fmt: skip
    for pair in pairs:
        one, other = spell_answers(list(pair), "math")
        assert one != other or one is None, pair
    none = [r"6\text{B}", r"0.\overline{3}", "I don't know", r"\forall x>0, f(x)=0", "3x + 4y + 14=0", "Paris"]
    assert spell_answers(none, "math").tolist() == [None] * len(none)


HELD = [  # an answer that counts as wrong, the right one, its rule, whether it holds it
    ("The capital is Paris.", "Paris", "normalized", True), ("Lyon", "Paris", "normalized", False),
    ("There is no doubt: yes", "no", "normalized", False), ("No, never.", "no", "normalized", True),
    ("20%", "20", "numeric", True), ("3-5", "5", "numeric", True), ("25", "5", "numeric", False),
    ("I had 5, then 8", "5", "numeric", False), ("<think>5</think>no idea", "5", "numeric", False),
    ("5", "5 km", "quantity", True), ("03/05/1914", "1914-05-03", "date", True), ("A or B", "B", "letter", True),
    ("The answer is C, not B.", "B", "letter", False),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "right", "rule", "held"), HELD)
def test_wrong_answers_that_hold_the_right_one(answer, right, rule, held):
    if rule == "quantity":
        pytest.importorskip("pint", reason="needs the extra answers")
    is_read = spell_answers([answer], rule)[0] is not None
    assert holds_value(answer, [right], rule, is_read) == held


def test_several_right_answers():
    spelled = spell_references([["Paris", "City of Paris"], "Lyon", None, ["?"]])
    assert spelled.tolist() == [frozenset({"paris", "city of paris"}), "lyon", None, None]


OTHER_FORMS = [
    ("Sao Paulo", "São Paulo", "normalized"), ("it is in Malmo.", "Malmö", "normalized"),
    ("```python\nprint( x )\n```", "print(x)", "normalized"), ("a  =  [1,2]", "a = [1, 2]", "normalized"),
    ("Paris", "B. Paris", "letter"), ("Paris", "Paris | City of Paris", "normalized"),
    ("City of Paris", "Paris; City of Paris", "normalized"), ("Paris", "Paris, France", "normalized"),
    ("There are 12 apples in 3 boxes.", "12", "numeric"), ("3.14159", "3.14", "numeric"),
    ("12", "3 x 4 = <<3*4=12>>12\n#### 12", "numeric"), ("Yes", "true", "normalized"), ("False.", "no", "normalized"),
]  # fmt: skip

OTHER_VALUES = [
    ("We have 12 apples. So the answer must be 13.", "12", "numeric"), ("3.15", "3.14", "numeric"),
    ("13", "12", "numeric"), ("3 x 4 = 13", "12", "numeric"), ("no", "Norway", "normalized"),
    ("No", "true", "normalized"), ("the", "The Hague", "normalized"), ("City", "Paris; City of Paris", "normalized"),
    ("France", "Paris, France", "normalized"), ("Rome", "B. Paris", "letter"), ("Lyon", "Lyons", "normalized"),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "reference", "rule"), OTHER_FORMS)
def test_a_right_value_in_another_form_is_held(answer, reference, rule):
    assert holds_value(answer, [reference], rule)


@pytest.mark.parametrize(("answer", "reference", "rule"), OTHER_VALUES)
def test_another_value_is_not_held(answer, reference, rule):
    assert not holds_value(answer, [reference], rule)
