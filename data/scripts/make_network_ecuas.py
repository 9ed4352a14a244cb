"""Make `network_ecuas.csv` and `network_ecuas_sampled.csv`: what answers of public networks cost, measured by us.

    python data/scripts/make_network_ecuas.py

Downloads the scores once (or reads them from HONEST_DATA; see `helpers.datasets.fetch_scores`), takes them as they are
and after affine calibration (5 folds, as in the paper), and measures the eleven columns of table 3 of Estienne, Ernst
et al. (2026) and some more, with bootstrap intervals over the rows. The second table is their appendix B.1. The scores
themselves are not shipped. About ten minutes.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

from helpers.datasets import fetch_scores
from helpers.resampling import percentile_ends, resampled_counts
from helpers.studies.nb10_ecuas_real import all_measures, answer_quality, saturated_rows, score_maps

FOLDER = Path(__file__).resolve().parents[1]
TEST_SETS = {
    "CIFAR-10": ["cifar10_repvgg_a2", "cifar10_resnet-20", "cifar10_vgg19_bn"],
    "CIFAR-100": ["cifar100_vgg19_bn"],
    "PathMNIST": ["pathmnist_resnet50"],
    "PneumoniaMNIST": ["pneumoniamnist_resnet50"],
    "SST-2": ["sst2_gpt2", "sst2_gpt2_4shot"],
}
SEED = 20260521
N_RESAMPLES = 1000


def measure_draws(probas, y, *, n_resamples=1000, rng=None):
    """`all_measures` on the data (first row) and on resampled rows, the same rows for every set of probabilities."""
    draws = [np.ones(len(y)), *resampled_counts(len(y), n_resamples, rng=rng)]
    return {name: pd.DataFrame([all_measures(y, p, sample_weight=w) for w in draws]) for name, p in probas.items()}


def with_intervals(draws, pairs=()):
    """Values and 95 % percentile intervals of `measure_draws`, and of the differences name minus other of `pairs`."""
    tables = [(name, "", table) for name, table in draws.items()]
    tables += [(name, other, draws[name] - draws[other]) for name, other in pairs]
    parts = []
    for name, other, table in tables:
        low, high = percentile_ends(table.iloc[1:], method="closest_observation")
        values = {"metric": list(table), "value": table.iloc[0].to_numpy(), "low": low, "high": high}
        parts.append(pd.DataFrame({"scores": name, "minus": other} | values))
    measured = pd.concat(parts, ignore_index=True)
    measured.loc[measured["metric"] == "ece", ["low", "high"]] = np.nan
    return measured


def make_set(test_set, systems, n_resamples=N_RESAMPLES, seed=SEED):
    """Both tables for the systems of one test set.

    The files list the rows of a test set in different orders, so that systems cannot be compared row by row: each is
    drawn with a seed of its own, and differences between systems are those of independent samples.
    """
    draws = {}
    others = []
    for k, name in enumerate(systems):
        data = fetch_scores(name)
        maps = {f"{name} {kind}": proba for kind, proba in score_maps(data.scores, data.y).items()}
        draws |= measure_draws(maps, data.y, n_resamples=n_resamples, rng=[seed, k])
        labels = {"test_set": test_set, "system": name, "n": len(data.y)}
        others.append(saturated_rows(data.scores, data.y).assign(**labels))
        for kind in ("raw", "calibrated"):
            curve = answer_quality(maps[f"{name} {kind}"], data.y)
            yield curve.assign(test_set=test_set, system=name, scores=kind, rows=len(data.y))
    pairs = [(f"{name} {kind}", f"{name} raw") for name in systems for kind in ("temperature", "calibrated")]
    for kind in ("raw", "calibrated"):
        pairs += [(f"{a} {kind}", f"{b} {kind}") for i, b in enumerate(systems) for a in systems[i + 1 :]]
    table = with_intervals(draws, pairs)
    table[["system", "scores"]] = table["scores"].str.rsplit(" ", n=1).to_list()
    table["minus"] = table["minus"].str.removesuffix(" calibrated").str.removesuffix(" raw")
    same = table["minus"] == table["system"]
    table.loc[same, "minus"] = "raw"
    yield pd.concat([table.assign(test_set=test_set, n=labels["n"]), *others], ignore_index=True)


def make_tables(test_sets=TEST_SETS, n_resamples=N_RESAMPLES, seed=SEED):
    """(measures, costs of sampled answers), rounded to six decimals."""
    made = [list(make_set(name, systems, n_resamples, seed)) for name, systems in test_sets.items()]
    measures = pd.concat([parts[-1] for parts in made], ignore_index=True)
    sampled = pd.concat([curve for parts in made for curve in parts[:-1]], ignore_index=True)
    first = ["test_set", "system", "scores"]
    columns = [*first, "minus", "metric", "value", "low", "high", "n"]
    curve = [*first, "n", "temperature", "value", "low", "high", "step", "step_low", "step_high", "rows"]
    return measures[columns].round(6), sampled[curve].round(6)


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    for table, name in zip(make_tables(), ("network_ecuas.csv", "network_ecuas_sampled.csv"), strict=True):
        table.to_csv(folder / name, index=False, lineterminator="\n")
        print(f"{name}: {len(table):,} rows, {table['system'].nunique()} systems")
