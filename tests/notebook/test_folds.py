"""What a reader opens: claims that hold, predictions, answers of a quiz."""

import re

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from helpers.notebook import ClaimFailed, claim, figure, folded, prediction, quiz, show, table
from helpers.notebook.claims import recorded_claims
from helpers.notebook.display import KEY, collected

ID = "ours.start_null"


def test_claims_that_hold_are_one_line_that_opens():
    with collected() as outputs, folded():
        claim(ID, 1, 1)
        table(pd.DataFrame({"a": [1]}))
        claim(ID, [1, 2], [1, 2], text="x < y")
    assert len(outputs) == 2 and "<table" in outputs[0][0]["text/html"]
    bundle, metadata = outputs[1]
    assert bundle["text/plain"].splitlines() == [
        f"{ID} holds: got 1, want 1",
        f"{ID} holds: 2 values, largest deviation 0, none allowed (x < y)",
    ]
    assert "<summary>2 checks passed</summary>" in bundle["text/html"] and "x &lt; y" in bundle["text/html"]
    assert [record["claim"] for record in recorded_claims(metadata[KEY])] == [ID, ID]


def test_a_claim_that_fails_is_never_folded():
    with collected() as outputs, pytest.raises(ClaimFailed), folded():
        claim(ID, 1, 1)
        claim(ID, 2, 1)
    assert [set(bundle) for bundle, _ in outputs] == [{"text/plain"}] * 2
    assert "FAILS" in outputs[1][0]["text/plain"] and outputs[1][1][KEY]["holds"] is False


def test_what_comes_out_of_a_prediction_is_closed(capsys):
    with collected() as outputs, prediction():
        show("first 1 < 2")
        show("second")
        table(pd.DataFrame({"a": [1]}))
        figure(plt.figure(), alt="An empty figure, twenty signs long.")
        show("last")
        claim(ID, 1, 1)
    assert capsys.readouterr().out == "" and len(outputs) == 1
    bundle, metadata = outputs[0]
    assert bundle["text/plain"].startswith("first 1 < 2\nsecond\na\n1\nFigure: An empty")
    assert bundle["text/plain"].endswith(f"last\n{ID} holds: got 1, want 1")
    page = bundle["text/html"]
    assert page.startswith("<details") and "open" not in page.split(">")[0] and "Show what came out" in page
    places = [page.index(piece) for piece in ("first 1 &lt; 2", "<table", '<img alt="An empty', "last")]
    assert places == sorted(places)
    assert metadata[KEY]["prediction"] and metadata[KEY]["claims"][0]["claim"] == ID


def test_choices_stand_above_what_comes_out():
    with collected() as outputs:
        for choices in ((), ("larger", "< 5"), ("larger", "< 5")):
            with prediction(*choices):
                show("0.71")
    plain, clicked, again = outputs
    assert clicked == again  # nothing in it is drawn or counted
    assert clicked[1] == plain[1] and clicked[0]["text/plain"] == plain[0]["text/plain"] == "0.71"
    page = clicked[0]["text/html"]
    summaries = re.findall("<details[^>]*><summary>(.*?)</summary>", page)
    assert summaries == ["larger", "&lt; 5", "Show what came out"] and plain[0]["text/html"] in page
    assert "id=" not in page and "<script" not in page


@pytest.mark.parametrize("choices", [("one",), ("a", "a"), tuple("abcde")])
def test_a_prediction_offers_two_to_four_choices(choices):
    with pytest.raises(ValueError, match="choices"), prediction(*choices):
        pass


def test_a_prediction_that_fails_shows_what_there_was(capsys):
    with pytest.raises(ValueError), prediction():
        show("first")
        raise ValueError
    assert capsys.readouterr().out == "first\n"


def test_a_quiz_says_why():
    with collected() as outputs:
        quiz("Is <p> one?", {"yes & no": "it is both.", "no": "look again."}, right=2)
    bundle, metadata = outputs[0]
    assert bundle["text/plain"].endswith("Right is (b): look again.") and metadata[KEY] == {"quiz": 2}
    page = bundle["text/html"]
    assert "Is &lt;p&gt; one?" in page and page.count("<details") == 2
    assert "<strong>Not this one</strong>: it is both." in page and "<strong>Right</strong>: look again." in page


@pytest.mark.parametrize(
    "answers, right, words",
    [({"a": "x"}, 1, "answers"), ({"a": "x", "b": " "}, 1, "answers .* 'b'"), ({"a": "x", "b": "y"}, 3, "right")],
)
def test_a_quiz_without_a_right_answer_is_refused(answers, right, words):
    with pytest.raises(ValueError, match=words):
        quiz("Why?", answers, right)
