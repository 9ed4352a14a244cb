"""What SmolLM2 answered: the shipped files hold what they say, and the rules grade as they say."""

from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from helpers.datasets import DATA_FOLDER, load_smollm2_answers, load_smollm2_scores
from tests.scripts import load_script


@pytest.fixture(scope="module")
def answers():
    return load_smollm2_answers()


@pytest.fixture(scope="module")
def tables():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(DATA_FOLDER / "scripts")  # it rests on the script beside it
        return load_script("make_smollm2_tables")


def test_every_question_has_fifty_draws_and_a_greedy_answer(answers):
    sizes = answers.groupby(["prompt", "question"])["sample"].agg(["size", "nunique", "min", "max"])
    assert (sizes == [51, 51, 0, 50]).all().all()
    questions = pd.read_csv(DATA_FOLDER / "smollm2_questions.csv")
    assert len(questions) >= 300 and questions["question"].is_unique
    assert set(answers.loc[answers["prompt"] == "examples", "question"]) == set(questions["question"])
    assert answers.loc[answers["prompt"] == "plain", "question"].nunique() >= 300
    right = answers.drop_duplicates("question").merge(questions, on="question", suffixes=("", "_file"))
    assert (right["references"] == right["references_file"]).all() and (right["kind"] == right["kind_file"]).all()


def test_log_probabilities_are_negative_and_the_posterior_is_their_product(answers):
    empty = answers["logprobs"].str.len() == 0
    assert (answers.loc[empty, "answer"] == "").all() and answers.loc[empty, "posterior"].isna().all()
    said = answers[~empty]
    assert max(map(max, said["logprobs"])) <= 0
    assert said["logprobs"].str.len().max() <= 12
    whole = said[~said["end_missing"]]
    assert np.allclose(whole["posterior"], [np.prod(np.exp(values)) for values in whole["logprobs"]], rtol=1e-12)
    assert whole["posterior"].between(0, 1).all()


def test_stored_grades_are_those_of_the_rules(answers, tables):
    some = answers.sample(500, random_state=1)
    pairs = zip(some["question"], some["answer"], some["references"].str.split("|"), strict=True)
    assert [tables.grade_answer(*pair) for pair in pairs] == some["correct"].tolist()


def test_the_grades_that_were_looked_at_are_those_of_the_table(answers):
    checked = pd.read_csv(DATA_FOLDER / "smollm2_grades_checked.csv", keep_default_na=False)
    assert len(checked) == 100 and checked["verdict"].isin([0, 1]).all()
    keys = ["prompt", "question", "sample"]
    both = checked.merge(answers, on=keys, how="left", suffixes=("", "_table"))
    assert (both["answer"] == both["answer_table"]).all() and (both["correct"] == both["correct_table"]).all()
    wrong = (checked["verdict"] != checked["correct"]).sum()
    readme = (DATA_FOLDER / "README.md").read_text(encoding="utf-8")
    high = 100 * binomtest(int(wrong), 100).proportion_ci().high
    assert wrong == 0 and f"wrong in none (0 to {high:.1f} %)" in " ".join(readme.split())


@pytest.mark.parametrize(
    ("question", "answer", "references", "grade"),
    [
        ("What is the capital of Canada?", "Ottawa", "Ottawa", 1),
        ("What is the capital of Canada?", "Toronto or Ottawa", "Ottawa", 0),
        ("What is the capital of Canada?", "Ottawa is not the capital", "Ottawa", 0),
        ("How many letters are in the English alphabet?", "twenty-six", "26", 1),
        ("How many metres are in a kilometre?", "1,000 metres", "1000", 1),
        ("What is 17 + 25?", "17 + 25 = 42", "42", 1),
        ("What is 2 - 1?", "2 - 1", "1", 0),
        ("What is the currency of India?", "Indian Rupees (INR)", "rupee|Indian rupee", 1),
    ],
)
def test_rules_of_grading(tables, question, answer, references, grade):
    assert tables.grade_answer(question, answer, references.split("|")) == grade


@pytest.mark.parametrize(("task", "least"), [("rand", 4000), ("sentiment", 1000)])
def test_scores_lie_in_the_unit_interval(task, least):
    scores = load_smollm2_scores(task)
    assert scores["score"].notna().sum() >= least and scores["label"].isin([0, 1]).all()
    for ending in ("", "_examples"):
        assert scores[f"score{ending}"].dropna().between(0, 1).all()
        assert scores[f"mass{ending}"].dropna().between(0, 1.001).all()
        assert (scores[f"score{ending}"].isna() == scores[f"mass{ending}"].isna()).all()
        assert (scores.groupby("case")[f"score{ending}"].nunique() <= 1).all()


def test_sentences_are_balanced_in_every_form_and_the_script_makes_them():
    table = pd.read_csv(DATA_FOLDER / "smollm2_sentences.csv")
    assert (table.groupby("form")["label"].agg(["size", "mean"]) == [200, 0.5]).all().all()
    pd.testing.assert_frame_equal(load_script("make_smollm2_sentences").make_table(), table, check_dtype=False)


def test_the_script_makes_the_questions():
    questions = pd.read_csv(DATA_FOLDER / "smollm2_questions.csv", dtype=str)
    pd.testing.assert_frame_equal(load_script("make_smollm2_questions").make_table(), questions, check_dtype=False)


class Same:
    """A server that answers as the shipped records say, but for the greedy answers to one question."""

    def __init__(self, again):
        scores, answers = list(again.score_requests(0.02)), list(again.answer_requests(0.02))
        self.shipped = {(str(r.messages)): shipped for _, r, shipped in scores}
        self.answers = {(str(r.messages)): (answer, logprob) for _, r, answer, logprob in answers}
        self.other = answers[0][1].about["question"]
        self.lost, self.n_rand = str(scores[0][1].messages), sum(part == "rand" for part, *_ in scores)

    def send(self, request):
        if str(request.messages) == self.lost:
            return [{"top": None, "text": ""}]
        if (score := self.shipped.get(str(request.messages))) is not None:
            return [{"top": [[["Yes", np.log(score)], ["No", np.log(1 - score)]]], "text": "Yes"}]
        answer, logprob = self.answers[str(request.messages)]
        other = request.about["question"] == self.other
        return [{"text": "another" if other else f" {answer}", "logprobs": [logprob + 0.25], "top": None}]


def test_a_share_of_the_records_is_asked_again_and_compared(monkeypatch):
    again = load_script("make_smollm2_again")
    server = Same(again)
    monkeypatch.setattr(again, "local_model", lambda **settings: nullcontext())
    monkeypatch.setattr(again.Request, "send", lambda request, small: server.send(request))
    table = again.asked_again(0.02)
    lines = again.compared(table).set_index(["part", "what"])
    for part in ("rand", "rand_examples", "sentiment", "sentiment_examples"):
        line = lines.loc[(part, "score")]
        assert line["n"] > 10 and line["same"] == 1 and line["most"] == 0
    assert lines.loc[("rand", "score"), "n"] == server.n_rand - 1  # a reply without its likeliest tokens
    for part in ("answers_examples", "answers_plain"):
        words, numbers = lines.loc[(part, "answer")], lines.loc[(part, "log-probability")]
        assert words["n"] > 2 and numbers["n"] == round(words["n"] * words["same"]) == words["n"] - 1
        assert numbers["same"] == 0 and numbers["most"] == pytest.approx(0.25)
