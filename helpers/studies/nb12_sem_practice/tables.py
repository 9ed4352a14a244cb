"""The tables and figures of an experiment with sampled answers, on any population: pairs, margins, rates, judges."""

import numpy as np
import pandas as pd

from helpers.answers import CRITICAL_HALF_MARGIN, AnswerPopulation, direct_gap, sem1, sem2, top_two_margin, top_two_mass
from helpers.answers.confidence import check_counts
from helpers.checks import check_count
from helpers.studies.nb12_sem_practice.readers import (
    binned_error,
    half_split_gap,
    loglog_slope,
    misjudge,
    mode_correct,
    thin,
)


def pool_populations(populations):
    """One `AnswerPopulation` of the questions of several with the same classes, one after the other.

    >>> one = AnswerPopulation([[0.7, 0.3]], [0])
    >>> print(pool_populations([one, one]))
    2 questions, 2 classes: oracle confidence 0.700, accuracy of the mode 1.000
    """
    return AnswerPopulation(*(np.vstack([getattr(one, name) for one in populations]) for name in ("pi", "correct")))


def pair_table(found, names=("cards", "reader")):
    """A row for each pair: accuracy, over-confidence, null value, both errors, their gap and its interval.

    Parameters
    ----------
    found : {(first name, second name): `SemanticCalibration`}; names : columns of the two names

    Source: Wang et al. (2026), tables 1 and 4.
    """
    rows = []
    for key, one in found.items():
        line, gap = one.summary.set_index("source"), one.differences.set_index("what").loc["ece"]
        rows.append(dict(zip(names, key, strict=True)) | {
            "accuracy": line["accuracy"]["sem1"], "overconfidence": line["overconfidence"]["sem1"],
            "null": line["null"]["sem1"], "Sem1-ECE": line["ece"]["sem1"], "Sem2-ECE": line["ece"]["sem2"],
            "gap": gap["difference"], "low": gap["low"], "high": gap["high"],
        })  # fmt: skip
    return pd.DataFrame(rows)


def difference_table(found, what, *, least=2):
    """Differences of one kind ("confidence", "ece", "ece at low margins") for each pair with `least` questions or more.

    Returns
    -------
    DataFrame: pair, overconfidence, n, difference, low, high

    Source: Wang et al. (2026), tables 3 to 5.
    """
    rows = []
    for key, one in found.items():
        line = one.differences.set_index("what").loc[what]
        start = {"pair": ", ".join(key[::-1]), "overconfidence": one.summary["overconfidence"][0]}
        rows.append(start | line[["n", "difference", "low", "high"]].to_dict())
    table = pd.DataFrame(rows).astype({"n": int})
    return table[table["n"] >= least].reset_index(drop=True)


def error_draws(population, sizes, *, n_repeats, rng=None):
    """(S, R, 2) Sem1-ECE and Sem2-ECE of fresh answers, a row a number of answers, `n_repeats` draws each.

    Source: Wang et al. (2026), figure 2, which leaves answers out instead of drawing new ones.
    """
    rng = np.random.default_rng(rng)
    draws = [[population.sample(n, rng) for _ in range(check_count(n_repeats, "n_repeats"))] for n in sizes]
    return np.array([[_errors(one) for one in row] for row in draws])


def _errors(one):
    right = mode_correct(one.counts, one.correct)
    return [binned_error(source(one.counts), right) for source in (sem1, sem2)]


def error_by_margin(per_question, margins):
    """Both errors in ranges of the observed margin, with the columns that `plot_by_margin` wants; no null value.

    Parameters
    ----------
    per_question : columns sem1, sem2, correct, margin (`SemanticCalibration.per_question`); margins : edges from 0 to 1

    >>> table = pd.DataFrame({"sem1": [1.0, 0.6], "sem2": [1.0, 0.5], "correct": [1, 0], "margin": [1.0, 0.2]})
    >>> error_by_margin(table, (0, 0.5, 1))["ece_sem2"].tolist()
    [0.5, 0.0]
    """
    stratum = np.minimum(np.searchsorted(margins, per_question["margin"], side="right"), len(margins) - 1) - 1
    rows = []
    for k, part in per_question.groupby(stratum):
        errors = {f"ece_{name}": binned_error(part[name], part["correct"]) for name in ("sem1", "sem2")}
        rows.append({"margin_from": margins[k], "margin_to": margins[k + 1], "n": len(part)} | errors)
    return pd.DataFrame(rows)


def margin_boundaries(counts):
    """(("JDR", 2 l* / sqrt(N)), ("low / large", sqrt(log(mean number of classes) / N))) for N answers to a question.

    Source: Wang et al. (2026), section 6.3 and appendix D.

    >>> [(name, round(float(margin), 4)) for name, margin in margin_boundaries([[30, 20]])]
    [('JDR', 0.0866), ('low / large', 0.1177)]
    """
    table = check_counts(counts)
    n = table.sum(axis=1)[0]
    n_classes = (table > 0).sum(axis=1).mean()
    return ("JDR", 2 * CRITICAL_HALF_MARGIN / np.sqrt(n)), ("low / large", np.sqrt(np.log(n_classes) / n))


def boundary_table(samples, *, width=0.1):
    """The gap of Sem1 and Sem2 around each boundary, as measured, by arithmetic, and as predicted for true margins.

    Parameters
    ----------
    samples : {name: `AnswerSample`}; width : of the window, as a share of the boundary

    Returns
    -------
    DataFrame: answers of, boundary, n (questions), overconfidence, gap in error (of one bin, as in the paper), gap in
    confidence, arithmetic (`half_split_gap`), predicted (phi(m*) / sqrt(N)), ratio of gap in confidence to prediction

    Source: Wang et al. (2026), table 2.
    """
    rows = []
    for name, one in samples.items():
        for boundary, edge in margin_boundaries(one.counts):
            near = np.abs(top_two_margin(one.counts) - edge) <= width * edge
            counts, right = one.counts[near], mode_correct(one.counts, one.correct)[near]
            line = {"answers of": name, "boundary": boundary, "n": len(counts)}
            rows.append(line | (_window(counts, right, edge) if len(counts) else {}))
    return pd.DataFrame(rows)


def _window(counts, right, edge):
    c1, c2, n = sem1(counts), sem2(counts), int(counts[0].sum())
    predicted = float(direct_gap(edge * np.sqrt(n) / 2) / np.sqrt(n))
    return {
        "overconfidence": (c1 - right).mean(),
        "gap in error": abs((c1 - right).mean()) - abs((c2 - right).mean()),
        "gap in confidence": (c1 - c2).mean(),
        "arithmetic": half_split_gap(top_two_margin(counts), top_two_mass(counts), n).mean(),
        "predicted": predicted,
        "ratio": (c1 - c2).mean() / predicted,
    }


def rate_study(population, sample, sizes, *, n_resamples=300, rng=None):
    """How fast the gap of low-margin questions falls with n, by their true margin and by the observed one.

    By the true margin every n gets fresh answers; by the observed margin (the paper's way) it is that of all answers in
    `sample`, some of which are left out at random. Low: margin below sqrt(log(mean number of classes) / n).

    Returns
    -------
    DataFrame with rows "true" and "observed": slope, se, and gaps, an array with the mean gap at each size

    Source: Wang et al. (2026), figure 10 and appendix C.2.
    """
    rng = np.random.default_rng(rng)
    log_k = np.log((sample.counts > 0).sum(axis=1).mean())
    rows = {}
    for how in ("true", "observed"):
        margin = top_two_margin(population.pi if how == "true" else sample.counts)
        counts = [population.sample(n, rng).counts if how == "true" else thin(sample.counts, n, rng=rng) for n in sizes]
        gaps = np.array([sem1(one) - sem2(one) for one in counts])
        low = np.array([margin < np.sqrt(log_k / n) for n in sizes])
        slope, se = loglog_slope(sizes, gaps, low, n_resamples=n_resamples, rng=rng)
        rows[how] = {"slope": slope, "se": se, "gaps": (gaps * low).sum(axis=1) / low.sum(axis=1)}
    return pd.DataFrame(rows).T.rename_axis("margin")


def selection_sweep(counts, correct, target, sizes):
    """Sem2 with 1, 2, ... of the answers selecting: its calibration error, and its mean distance to the true `target`.

    Returns
    -------
    DataFrame: n_select, ece, distance
    """
    right = mode_correct(counts, correct)
    scores = [sem2(counts, n) for n in sizes]
    errors = [binned_error(np.clip(one, 0, 1), right) for one in scores]
    distance = [np.abs(one - target).mean() for one in scores]
    return pd.DataFrame({"n_select": sizes, "ece": errors, "distance": distance})


def equal_size_gaps(population, n, *, rng=None):
    """Sem1 less Sem2 of each question: the paper's comparison and two with equal blocks, from 2 n answers.

    Returns
    -------
    DataFrame with a row a question: "paper" (Sem1 of n answers, Sem2 of the same, cut into halves), "equal halves"
    (Sem1 of n // 2), "equal wholes" (Sem1 of n answers, Sem2 selecting by n and measured on n more)
    """
    rng = np.random.default_rng(rng)
    big = population.sample(2 * check_count(n, "n", least=2), rng).counts
    middle = thin(big, n, rng=rng)
    first, second = sem1(middle), sem2(middle)
    halves = sem1(thin(middle, n // 2, rng=rng)) - second
    return pd.DataFrame({"paper": first - second, "equal halves": halves, "equal wholes": first - sem2(big)})


def edge_table(per_question, bins=(10,)):
    """Both errors with edges closed on the left ("up": a value on an edge goes up) and on the right ("down").

    >>> edge_table(pd.DataFrame({"sem1": [0.3, 0.25], "sem2": [0.3, 0.25], "correct": [1, 0]})).round(3).values.tolist()
    [[10.0, 0.475, 0.225, 0.475, 0.225]]
    """
    rows = []
    for n_bins in bins:
        line = {"bins": n_bins}
        for name in ("sem1", "sem2"):
            for word, closed in (("up", "left"), ("down", "right")):
                options = {"n_bins": n_bins, "closed": closed}
                line[f"S{name[1:]}, {word}"] = binned_error(per_question[name], per_question["correct"], **options)
        rows.append(line)
    return pd.DataFrame(rows)


def judge_sweep(sample, kind, rates, *, n_judges=3, rng=None):
    """Sem1-ECE, accuracy and over-confidence of Sem1 after a judge that errs (`misjudge`), means over `n_judges`.

    Parameters
    ----------
    sample : `AnswerSample`; kind : "merge" or "split"; rates : of the judge's errors

    Returns
    -------
    DataFrame, a row a rate: rate, ece, accuracy, overconfidence
    """
    rng, rows = np.random.default_rng(rng), []
    for rate in rates:
        for _ in range(check_count(n_judges, "n_judges")):
            counts, correct = misjudge(sample.counts, sample.correct, rng=rng, **{kind: rate})
            right, confidence = mode_correct(counts, correct), sem1(counts)
            rows.append((rate, binned_error(confidence, right), right.mean(), (confidence - right).mean()))
    columns = ["rate", "ece", "accuracy", "overconfidence"]
    return pd.DataFrame(rows, columns=columns).groupby("rate", as_index=False).mean()
