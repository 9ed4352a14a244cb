"""The tables and figures of an experiment with sampled answers, on any population: pairs, margins, rates, judges."""

import numpy as np
import pandas as pd

from helpers.answers import CRITICAL_HALF_MARGIN, direct_gap, sem1, sem2, top_two_margin, top_two_mass
from helpers.studies.nb12_sem_practice.readers import (
    half_split_gap,
    loglog_slope,
    mode_correct,
    thin,
)

WINDOW = 0.1  # around a boundary, as a share of it


def pair_table(calibrations):
    """Errors, their gap and its interval of each pair (cards, reader); Wang et al. (2026), tables 1 and 4."""
    rows = []
    for (cards, reader), calibration in calibrations.items():
        source = calibration.summary.set_index("source")
        gap = calibration.differences.set_index("what").loc["ece"]
        rows.append({
            "cards": cards,
            "reader": reader,
            "accuracy": source["accuracy"]["sem1"],
            "overconfidence": source["overconfidence"]["sem1"],
            "null": source["null"]["sem1"],
            "Sem1-ECE": source["ece"]["sem1"],
            "Sem2-ECE": source["ece"]["sem2"],
            "gap": gap["difference"],
            "low": gap["low"],
            "high": gap["high"],
        })  # fmt: skip
    return pd.DataFrame(rows)


def margin_boundaries(counts):
    """Boundaries of the regimes for the answers at hand: 2 l* / sqrt(N) and sqrt(log(mean number of classes) / N).

    Wang et al. (2026), section 6.3 and appendix D.

    >>> [(name, round(float(margin), 4)) for name, margin in margin_boundaries([[30, 20]])]
    [('JDR', 0.0866), ('low / large', 0.1177)]
    """
    counts = np.asarray(counts)
    n = counts.sum(axis=1)[0]
    n_classes = (counts > 0).sum(axis=1).mean()
    return ("JDR", 2 * CRITICAL_HALF_MARGIN / np.sqrt(n)), ("low / large", np.sqrt(np.log(n_classes) / n))


def boundary_table(samples):
    """The gap of Sem1 and Sem2 around each boundary, as measured, by arithmetic, and as predicted for true margins.

    gap in error: of one bin, as in Wang et al. (2026), table 2; arithmetic: `half_split_gap`; predicted: phi(m*) /
    sqrt(N).
    """
    rows = []
    for name, sample in samples.items():
        correct = mode_correct(sample.counts, sample.correct)
        margin = top_two_margin(sample.counts)
        for boundary, edge in margin_boundaries(sample.counts):
            near = np.abs(margin - edge) <= WINDOW * edge
            row = {"answers of": name, "boundary": boundary, "n": int(near.sum())}
            if near.any():
                row |= _gaps_near(sample.counts[near], correct[near], edge)
            rows.append(row)
    return pd.DataFrame(rows)


def _gaps_near(counts, correct, edge):
    """The gaps of the questions near a boundary `edge`."""
    first = sem1(counts)
    second = sem2(counts)
    n = int(counts[0].sum())
    predicted = float(direct_gap(edge * np.sqrt(n) / 2) / np.sqrt(n))
    return {
        "overconfidence": (first - correct).mean(),
        "gap in error": abs((first - correct).mean()) - abs((second - correct).mean()),
        "gap in confidence": (first - second).mean(),
        "arithmetic": half_split_gap(top_two_margin(counts), top_two_mass(counts), n).mean(),
        "predicted": predicted,
        "ratio": (first - second).mean() / predicted,
    }


def rate_study(population, sample, sizes, *, n_resamples=300, rng=None):
    """How fast the gap of low-margin questions falls with n, by their true margin and by the observed one.

    By the true margin every n gets fresh answers; by the observed margin (Wang et al. 2026, figure 10 and appendix C.2)
    it is that of all answers in `sample`, some of which are left out at random. Low: margin below sqrt(log(mean number
    of classes) / n).
    """
    rng = np.random.default_rng(rng)
    log_k = np.log((sample.counts > 0).sum(axis=1).mean())
    rows = {}
    for by in ("true", "observed"):
        if by == "true":
            margin = top_two_margin(population.pi)
            counts = [population.sample(n, rng).counts for n in sizes]
        else:
            margin = top_two_margin(sample.counts)
            counts = [thin(sample.counts, n, rng=rng) for n in sizes]
        gaps = np.array([sem1(answers) - sem2(answers) for answers in counts])
        low = np.array([margin < np.sqrt(log_k / n) for n in sizes])
        slope, se = loglog_slope(sizes, gaps, low, n_resamples=n_resamples, rng=rng)
        rows[by] = {"slope": slope, "se": se, "gaps": (gaps * low).sum(axis=1) / low.sum(axis=1)}
    return pd.DataFrame(rows).T.rename_axis("margin")
