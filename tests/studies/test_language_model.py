"""Notebooks 10 and 12: confidences of a recorded model, on a made table whose numbers are known."""

import numpy as np
import pandas as pd
import pytest

from helpers.answers import sem1
from helpers.studies.nb10_ecuas_real import language_model as greedy
from helpers.studies.nb12_sem_practice import language_model as sampled
from helpers.studies.nb12_sem_practice.readers import binned_error


def one_question(name, right, chance, rng, n=20):
    """Greedy answer and `n` draws: "yes" in two spellings, "no" and a cut "yes" without its end."""
    texts = {"yes": np.log([chance * 0.6, 1.0]), "Yes": np.log([chance * 0.4, 1.0]), "no": np.log([1 - chance, 0.9])}
    mass = np.array([chance * 0.6, chance * 0.4, (1 - chance)])
    drawn = rng.choice(["yes", "Yes", "no"], size=n, p=mass / mass.sum())
    rows = pd.DataFrame({"question": name, "sample": range(n + 1), "answer": ["yes", *drawn]})
    rows["logprobs"] = [tuple(texts[text].tolist()) for text in rows["answer"]]
    rows["posterior"] = np.exp([sum(logs) for logs in rows["logprobs"]])
    rows["end_missing"] = False
    rows["spelling"] = rows["answer"].str.lower()
    rows["correct"] = np.where(rows["spelling"] == "yes", right, 1 - right)
    return rows.assign(prompt="plain", is_true=chance, is_true_swapped=chance / 2, verbalised=0.9)


@pytest.fixture(scope="module")
def answers():
    rng = np.random.default_rng(0)
    chances = rng.uniform(0.1, 0.9, 120)
    parts = [one_question(f"q{k}", int(rng.random() < c), c, rng) for k, c in enumerate(chances)]
    return pd.concat(parts, ignore_index=True)


def test_a_text_without_its_end_takes_the_probabilities_of_a_whole_one():
    rows = pd.DataFrame({
        "question": ["a", "a", "a", "b", "a"], "answer": ["1", "1", "port", "port", "rome"],
        "logprobs": [(-0.1,), (-0.1, -4.0), (-2.0,), (-2.0, -0.3), (-3.0,)],
        "end_missing": [True, False, True, False, False],
    })  # fmt: skip
    completed = greedy._with_ends(rows)
    assert completed["logprobs"].tolist() == [(-0.1, -4.0), (-0.1, -4.0), None, (-2.0, -0.3), (-3.0,)]
    wanted = [np.exp(-4.1), np.exp(-4.1), np.nan, np.exp(-2.3), np.exp(-3.0)]  # "port" of b says nothing of a
    assert completed["posterior"].to_numpy() == pytest.approx(wanted, nan_ok=True)


def test_confidences_of_greedy_answers(answers):
    table = greedy.greedy_confidences(answers, "plain", rng=0)
    columns = ["sequence", "per token", "meaning", "is it true", "both orders", "verbalised", "learned"]
    assert list(table) == ["question", "correct", *columns] and len(table) == 120
    chance = table["is it true"]
    assert table["sequence"].to_numpy() == pytest.approx(0.6 * chance)
    assert table["per token"].to_numpy() == pytest.approx(np.sqrt(0.6 * chance))
    both = answers[answers["answer"] == "Yes"]["question"].unique()
    seen = table["question"].isin(both)
    assert table["meaning"].to_numpy() == pytest.approx(np.where(seen, chance, 0.6 * chance))
    assert table["both orders"].to_numpy() == pytest.approx(0.75 * chance)
    whole = answers["answer"] != "Yes"  # an unknown spelling adds nothing, and no question is lost
    unknown = greedy.greedy_confidences(answers.assign(end_missing=~whole), "plain", rng=0)
    assert unknown["meaning"].to_numpy() == pytest.approx(0.6 * chance)
    without = answers.assign(verbalised=np.nan, is_true=answers["is_true"].where(answers["question"] != "q3"))
    fewer = greedy.greedy_confidences(without, "plain", rng=0)
    assert "verbalised" not in fewer and len(fewer) == 119  # a column that is empty goes, a row that lacks one too


def test_the_better_confidence_is_found_and_the_same_one_is_not(answers):
    table = greedy.greedy_confidences(answers, "plain", rng=0)
    table["noise"] = np.random.default_rng(1).random(len(table))
    gaps = greedy.compare_confidences(table, ("meaning", "noise", "both orders"), n_resamples=200, rng=0)
    sides = gaps.query("first == 'meaning' and second == 'noise'").set_index("metric")["better"]
    assert (sides[["auc", "brier", "ecuas_1"]] == "first").all() and not (sides == "second").any()
    twin = greedy.compare_confidences(table.assign(noise=table["meaning"]), ("meaning", "noise"), n_resamples=50, rng=0)
    assert (twin["better"] == "").all() and (twin["difference"] == 0).all()
    assert not gaps["metric"].isin(["er", "ece"]).any()
    fig = greedy.plot_confidence_differences({"plain": gaps}, {"auc": "AUC", "brier": "Brier score"}, against="meaning")
    drawn = -gaps.query("metric == 'auc' and first == 'meaning'")["difference"].to_numpy()
    assert fig.axes[0].containers[0].lines[0].get_xdata() == pytest.approx(drawn)
    endless = gaps.assign(difference=gaps["difference"].mask(gaps["second"] == "noise", np.inf))
    ax = greedy.plot_confidence_differences({"plain": endless}, {"auc": "AUC", "prr": "PRR"}, against="meaning").axes[0]
    rest = [name.get_text() for name in ax.get_yticklabels()].index("both orders")  # it keeps the place of its name
    assert ax.containers[0].lines[0].get_ydata() == pytest.approx([ax.get_yticks()[rest] + 0.12])
    words = greedy.measure_ways(table, {"auc": "AUC"}, n_resamples=50, rng=0)
    assert list(words) == ["AUC"] and words["AUC"]["meaning"].startswith("0.")


def test_the_protocol_by_string_and_by_spelling(answers):
    strings, spellings = (sampled.asked_model(answers, "plain", rule) for rule in ("exact", "normalized"))
    assert strings.grouped.n_answers.tolist() == spellings.grouped.n_answers.tolist() == [20] * 120
    assert sem1(strings.grouped.counts).mean() < sem1(spellings.grouped.counts).mean()
    chance = answers.drop_duplicates("question")["is_true"].to_numpy()
    assert spellings.stated["is it true"] == pytest.approx(chance)  # all rows of a question have the same here
    errors, gaps = sampled.protocol_rows(spellings, n_resamples=50, rng=0)
    assert list(errors.index) == ["Sem1", "Sem2", "is it true", "verbalised"]
    assert gaps[["first", "second"]].to_numpy().tolist()[:2] == [["Sem1", "Sem2"], ["Sem1", "is it true"]]
    assert len(gaps) == 3 and (errors["n"] == 120).all()
    assert errors["ece"]["Sem1"] == pytest.approx(binned_error(spellings.correct, sem1(spellings.grouped.counts)))
    line = sampled.protocol_table({("plain", "spelling"): (errors, gaps)}).iloc[0]
    assert line["Sem1 - Sem2"] == pytest.approx(errors["ece"]["Sem1"] - errors["ece"]["Sem2"])
