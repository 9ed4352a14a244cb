"""Tables 4 to 6 in their form: language models that answered questions, with three confidences in each answer."""

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from helpers.calibration import PlattCalibrator
from helpers.resampling import resampled_rows
from helpers.selective import METRICS, compare_systems, confidence_metrics, measure_systems

CONFIDENCES = {"posterior": "Seq. Post.", "is_true": "Is True", "verbalised": "Verbalized"}

EXPONENTS = (0, 1, 128)

MEASURES = ("er", "ece", "auc", "ce", "brier", "aurc", "ecuas_0", "ecuas_1", "ecuas_128")

N_FOLDS = 5


def systems_of(answers, *, correct="correct", seed=0):
    """{model: {(confidence, scores): (correct, confidence)}}, scores "raw" and "calibrated".

    Answers that lack one of the three confidences are left out. Calibrated: Platt's map, fitted on the other folds.
    """
    systems = {}
    for model, rows in answers.groupby("model", sort=False):
        rows = rows.dropna(subset=list(CONFIDENCES))
        y = rows[correct].to_numpy()
        raw = {name: rows[column].to_numpy() for column, name in CONFIDENCES.items()}
        systems[model] = {(name, "raw"): (y, p) for name, p in raw.items()}
        systems[model] |= {(name, "calibrated"): (y, out_of_fold(y, p, seed)) for name, p in raw.items()}
    return systems


def out_of_fold(y, p, seed):
    """Scores of each row from Platt's map fitted on the other folds; for a constant p, their share of right answers.

    There are no more folds than answers of the rarer grade.
    """
    scores = np.empty(len(y))
    n_folds = min(N_FOLDS, *np.bincount(y))
    for fit, rest in StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(p, y):
        same = np.ptp(p[fit]) == 0
        scores[rest] = y[fit].mean() if same else PlattCalibrator().fit(p[fit], y[fit]).predict(p[rest])
    return scores


def measured(systems, *, n_resamples=500, seed=0):
    """Rows model, confidence, scores, metric, value, low, high of `systems_of`; questions are drawn again."""
    tables = []
    for model, of_model in systems.items():
        rows = measure_systems(of_model, n=EXPONENTS, n_resamples=n_resamples, rng=seed)
        names = pd.DataFrame(rows.pop("system").tolist(), columns=["confidence", "scores"])
        tables.append(pd.concat([names, rows], axis=1).assign(model=model))
    table = pd.concat(tables, ignore_index=True)
    return table.loc[
        table["metric"].isin(MEASURES), ["model", "confidence", "scores", "metric", "value", "low", "high"]
    ]


def in_form(table, scores="raw"):
    """One row a model and confidence, one column a measure, as the paper prints them."""
    rows = table[table["scores"] == scores]
    wide = rows.pivot(index=["model", "confidence"], columns="metric", values="value")
    order = pd.MultiIndex.from_frame(rows[["model", "confidence"]].drop_duplicates())
    return wide.loc[order, list(MEASURES)].rename_axis(columns=None)


def with_ends(table, metric):
    """One measure as "value [low, high]": a row a model and confidence, raw and calibrated."""
    rows = table[table["metric"] == metric]
    ends = rows[["value", "low", "high"]].to_numpy()
    rows = rows.assign(text=[f"{value:.3f} [{low:.3f}, {high:.3f}]" for value, low, high in ends])
    wide = rows.pivot(index=["model", "confidence"], columns="scores", values="text")
    return wide.loc[in_form(table).index, ["raw", "calibrated"]].rename_axis(columns=None).reset_index()


def sure_winners(systems, *, scores="raw", n_resamples=500, seed=0):
    """Rows model, better, worse, metric where the paired 95 % interval of two confidences excludes zero.

    Without the error rate, which is that of the same answers, and ECE, whose difference has no interval.
    """
    tables = []
    for model, of_model in systems.items():
        chosen = {name: pair for (name, kind), pair in of_model.items() if kind == scores}
        tables.append(compare_systems(chosen, n=EXPONENTS, n_resamples=n_resamples, rng=seed).assign(model=model))
    rows = pd.concat(tables, ignore_index=True)
    rows = rows[rows["metric"].isin(set(MEASURES) - {"er", "ece"})]
    sign = np.where([metric in METRICS and METRICS[metric].larger_is_better for metric in rows["metric"]], -1, 1)
    low, high = np.sort(sign * rows[["low", "high"]].to_numpy().T, axis=0)
    first, second = high < 0, low > 0
    better = np.where(first, rows["system"], rows["against"])
    worse = np.where(first, rows["against"], rows["system"])
    return rows.assign(better=better, worse=worse).loc[first | second, ["model", "better", "worse", "metric"]]


def best_by_all(systems, *, scores="raw", n_resamples=200, seed=0):
    """Is one confidence the best by all of the paper's measures, in its three digits, where equal counts as best?

    Index model; `best` (of the answers as they are, "none" if it depends on the measure), `share` of resamples of the
    questions in which one is, and `rest`, the number of models for which none is, with its 95 % interval `low`, `high`
    (the same in each row). Drawing questions again adds noise, so shares are too low and ends too high.
    """
    lines, without = {}, np.zeros(n_resamples)
    for model, of_model in systems.items():
        pairs = {name: pair for (name, kind), pair in of_model.items() if kind == scores}
        n_rows = len(next(iter(pairs.values()))[0])
        draws = resampled_rows(n_rows, n_resamples, rng=seed)
        found = [_winner(pairs, rows) for rows in (np.arange(n_rows), *draws)]
        missed = np.array([one == "none" for one in found[1:]])
        without += missed
        lines[model] = {"best": found[0], "share": 1 - missed.mean()}
    table = pd.DataFrame(lines).T.rename_axis("model").astype({"share": float})
    low, high = np.quantile(without, [0.025, 0.975], method="inverted_cdf")
    return table.assign(rest=(table["best"] == "none").sum(), low=low, high=high)


def _winner(pairs, rows):
    """The confidence that no other one beats by any measure on these rows; "none" if there is none."""
    values = pd.DataFrame({name: confidence_metrics(y[rows], p[rows], n=EXPONENTS) for name, (y, p) in pairs.items()})
    values = values.loc[[name for name in MEASURES if name != "er"]].round(3)
    larger = [name in METRICS and METRICS[name].larger_is_better for name in values.index]
    values.loc[larger] *= -1
    best = values.eq(values.min(axis=1), axis=0).all()
    return best.idxmax() if best.any() else "none"


def contradicting(sure):
    """Models in which of two confidences one is surely better by one measure, and the other by another one."""
    pairs = set(zip(sure["model"], sure["better"], sure["worse"], strict=True))
    return sorted({model for model, a, b in pairs if (model, b, a) in pairs})


def contained(answers):
    """1 where one of the right answers stands within the answer: the first grader of the paper's appendix C.1."""
    spelled = answers["answer"].map(plain_words)
    return np.array(
        [
            int(any(f" {plain_words(reference)} " in f" {answer} " for reference in references.split("|")))
            for answer, references in zip(spelled, answers["references"], strict=True)
        ]
    )


def plain_words(text):
    """Words without case and punctuation, one space between them."""
    return " ".join("".join(c if c.isalnum() else " " for c in text.casefold()).split())
