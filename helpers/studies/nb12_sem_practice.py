"""Studies of sampled answers: real readers of digits, answers cut into halves, fewer answers, judges that err."""

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from helpers.answers import AnswerPopulation, group_answers, sem1, sem_ece, spell_answers
from helpers.checks import check_count
from helpers.datasets import load_digits, read_question_samples
from helpers.resampling import bootstrap_interval

READERS = ("pixels", "densities", "neighbours", "forest", "tree")

CARDS = ("clean", "smudged", "slipped")

_HEAT = {"pixels": 2.0, "densities": 6.0, "forest": 0.7}  # temperature at which a reader answers

_TRAINING = 797


def card_readers(n_questions=1000, *, other_writers=False, rng=None):
    """{(cards, reader): AnswerPopulation}: five real classifiers read digits on clean, smudged and slipped cards.

    Rows to learn from are drawn at random, so that the same people wrote all cards; with `other_writers` they are the
    first ones, since the table goes writer by writer.
    """
    data, learnt, asked, piles = _piles(n_questions, rng, other_writers)
    images = data.X.to_numpy()
    readers = {
        "pixels": BernoulliNB(binarize=8),
        "densities": GaussianNB(var_smoothing=0.01),
        "neighbours": KNeighborsClassifier(15, algorithm="kd_tree"),  # ties do not depend on the number of threads
        "forest": RandomForestClassifier(60, random_state=0),
        "tree": DecisionTreeClassifier(min_samples_leaf=8, random_state=0),
    }
    for reader in readers.values():
        reader.fit(images[learnt], data.y[learnt])
    return {
        (cards, name): AnswerPopulation(_heated(reader.predict_proba(pile.reshape(-1, 64)), name), data.y[asked])
        for cards, pile in piles.items()
        for name, reader in readers.items()
    }


def card_images(n_questions=1000, *, rng=None):
    """{cards: (n, 8, 8) images}: what the readers of `card_readers` see with the same arguments."""
    return _piles(n_questions, rng)[-1]


def _piles(n_questions, rng, other_writers=False):
    """The digits, rows that are learned from and rows that are asked about, and the images of each pile."""
    rng = np.random.default_rng(rng)
    if check_count(n_questions, "n_questions") > 1000:
        raise ValueError(f"n_questions must be at most 1,000, but it is {n_questions:,}.")
    data = load_digits()
    order = rng.permutation(len(data.y))
    if other_writers:
        order = np.r_[np.arange(_TRAINING), order[order >= _TRAINING]]
    learnt, asked = order[:_TRAINING], order[_TRAINING:][:n_questions]
    clean = data.X.to_numpy()[asked].reshape(-1, 8, 8)
    smudged = clean.copy()
    for image, row, column in zip(smudged, *rng.integers(0, 6, (2, n_questions)), strict=True):
        image[row : row + 3, column : column + 3] = rng.integers(0, 17, (3, 3))
    return data, learnt, asked, {"clean": clean, "smudged": smudged, "slipped": np.roll(clean, 1, axis=2)}


def _heated(proba, name):
    """Probabilities at the reader's temperature, rounded so that every machine draws the same answers."""
    logs = np.log(np.maximum(proba, 1e-12)) / _HEAT.get(name, 1.0)
    heated = np.exp(logs - logs.max(axis=1, keepdims=True))
    heated = np.round(heated / heated.sum(axis=1, keepdims=True), 6)
    return heated / heated.sum(axis=1, keepdims=True)


def chosen_answers(grouped, rows, rule):
    """A row a question: the most frequent answer, its Sem1, whether it is right, and what the model says of it."""
    best = grouped.counts.argmax(axis=1)
    chosen = [names[k] for names, k in zip(grouped.labels, best, strict=True)]
    chosen = pd.Series(chosen, pd.Index(grouped.questions, name="question"))
    text = rows["answer"] if rule == "exact" else rows["spelling"]
    of_chosen = rows[text == rows["question"].map(chosen)].rename(columns={"is_true": "is it true"})
    said = of_chosen.groupby("question")[["is it true", "verbalised"]].mean().reindex(chosen.index)
    right = grouped.correct[np.arange(len(best)), best].astype(float)
    return pd.DataFrame({"chosen": chosen, "Sem1": sem1(grouped.counts), "right": right}).join(said)


def hard_answers(rule="spelling", *, parts=2):
    """{(model, temperature): GroupedAnswers} of the harder questions; by `meaning` all right answers are one class."""
    rows = read_question_samples(hard=True, parts=parts)
    named = rows.assign(answer=spell_answers(rows["answer"].tolist()))
    if rule == "meaning":
        named["answer"] = named["answer"].mask(named["correct"] == 1, "a right one")
    return {
        (model.removeprefix("qwen2.5-"), temperature): group_answers(
            of.reset_index(drop=True), "exact", correct="correct"
        )
        for (model, temperature), of in named.groupby(["model", "temperature"], sort=False)
    }


def pooled_answers(grouped):
    """Counts, grades and questions of several sets of answers, one below the other; absent classes count 0."""
    width = max(one.counts.shape[1] for one in grouped)
    counts, correct = (
        np.concatenate([np.pad(getattr(one, name), [(0, 0), (0, width - one.counts.shape[1])]) for one in grouped])
        for name in ("counts", "correct")
    )
    return counts, correct, np.concatenate([list(one.questions) for one in grouped])


def orders_of_errors(sets, *, n_resamples=1000, rng=None):
    """Does Sem2 err less than Sem1? A line a set {name: counts, grades, questions} of `pooled_answers`.

    Sem1-ECE less Sem2-ECE in ten bins, on low margins and in one bin, with 95 % intervals over questions; `over` is the
    over-confidence of Sem1, whose sign the theorem wants above zero.
    """
    lines = {}
    for name, (counts, correct, questions) in sets.items():
        one = sem_ece(counts, correct, ties="first", margins=None, groups=questions, n_resamples=n_resamples, rng=rng)
        source, apart = one.summary.set_index("source"), one.differences.set_index("what")
        line = {"questions": len(counts), "right": source["accuracy"]["sem1"]}
        line |= {"over": source["overconfidence"]["sem1"], "Sem1": source["ece"]["sem1"], "Sem2": source["ece"]["sem2"]}
        trio = [one.per_question[column].to_numpy(float) for column in ("sem1", "sem2", "correct")]
        whole = bootstrap_interval(_one_bin_gap, *trio, groups=questions, n_resamples=n_resamples, rng=rng)
        ends = {"ten bins": apart.loc["ece"], "low margins": apart.loc["ece at low margins"]}
        for words, row in ends.items():
            line |= {words: row["difference"], f"{words}, low": row["low"], f"{words}, high": row["high"]}
        line |= {"n at low margins": apart.loc["ece at low margins", "n"]}
        lines[name] = line | {"one bin": whole.value, "one bin, low": whole.low, "one bin, high": whole.high}
    return pd.DataFrame(lines).T


def _one_bin_gap(a, b, y):
    return abs((a - y).mean()) - abs((b - y).mean())
