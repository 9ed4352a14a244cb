"""Makes data/flights_race.csv: estimators of grouping loss against a known truth on flights. Six minutes on two cores.

    pip install 'honest-confidence[flights,test]' && python data/scripts/make_flights.py data/flights_race.csv

The experiment of figure 3 of Melo et al. (2026) with flights in place of weather records. The score is the share of
late flights by hour of departure from January to March, rounded to whole percent; the audit is about April to
December, when this share has moved. A model fitted on one half of these flights is declared to be the truth, and
labels are drawn from it for the other half.
"""

import sys
import warnings

import numpy as np
import pandas as pd

from helpers.calibration import PlattCalibrator
from helpers.datasets import load_flights
from helpers.grouping import grouping_loss
from helpers.simulation import SemiSynthetic

SIZES = [1000, 2000, 4000, 8000, 16000, 32000, 64000]
N_REPEATS = 10
SEED = 0


def declared_truth():
    """The later flights with the early score and the declared truth."""
    flights = load_flights()
    hour = flights.X["departure"].astype(int).to_numpy()
    early = (flights.X["month"] <= 3).to_numpy()
    late_by_hour = pd.Series(flights.y[early]).groupby(hour[early]).mean()
    score = pd.Series(hour).map(late_by_hour).fillna(flights.y[early].mean()).round(2).to_numpy()
    X = flights.X[~early].reset_index(drop=True)
    return SemiSynthetic(X, flights.y[~early], score[~early], neighbors=2, rng=SEED)


def with_platt_misfit(truth):
    """Grouping loss and what no Platt curve can take off, which the estimators find as well."""
    twice, label = np.r_[truth.p, truth.p], np.repeat([1, 0], len(truth.p))
    platt = PlattCalibrator().fit(twice, label, np.r_[truth.q, 1 - truth.q])
    return truth.grouping_loss + np.mean((platt.predict(truth.p) - truth.c) ** 2)


def binned(rows, seed):
    """The estimate of glest for one class; NaN where a bin is too small for it."""
    from glest import GLEstimator

    X = rows.X.apply(lambda x: x.cat.codes if x.dtype == "category" else x).astype(float).fillna(-1).to_numpy()
    try:
        return float(GLEstimator(rows.p, random_state=seed).fit(X, rows.y).GL()) / 2
    except ValueError:
        return np.nan


def main(path):
    """Write one line for each sample."""
    warnings.simplefilter("ignore")
    truth = declared_truth()
    target = with_platt_misfit(truth)
    rows = []
    for n in SIZES:
        for repeat in range(N_REPEATS):
            sample = truth.sample(n, rng=[SEED, n, repeat])
            ours, paper = (
                grouping_loss(sample.y, sample.p, sample.X, method=method, rng=[SEED, n, repeat])
                for method in ("crossfit", "paper")
            )
            row = {
                "n": n,
                "repeat": repeat,
                "cross-fitted": ours.value,
                "paper, algorithm 1": paper.value,
                "plug-in": ours.plugin,
                "binned (glest / 2)": binned(sample, repeat),
            }
            rows.append(row | {"grouping loss": truth.grouping_loss, "with Platt's misfit": target})
            sys.stdout.write(f"{n} {repeat}\n")
    pd.DataFrame(rows).to_csv(path, index=False, float_format="%.6f", lineterminator="\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
