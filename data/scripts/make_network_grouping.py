"""Make `network_grouping.csv`: calibration loss and grouping-loss lower bound of public networks, measured by us.

    python data/scripts/make_network_grouping.py

Downloads the networks' scores once (or reads them from HONEST_DATA; see `helpers.datasets.fetch_scores`) and runs the
protocol of Perez-Lebel et al. (2023), appendix D, on each: highest score, logits as features, one half calibrates and
chooses regions, the other half is evaluated; 20 random halves. The scores themselves are not shipped.
"""

import sys
from pathlib import Path

import pandas as pd

from helpers.studies.nb04_networks import fetch_embeddings, lower_bounds

TARGET = Path(__file__).resolve().parents[1] / "network_grouping.csv"
TEST_SETS = {
    "cifar10_repvgg_a2": "CIFAR-10, as trained on",
    "cifar10_vgg19_bn": "CIFAR-10, as trained on",
    "cifar10_resnet-20": "CIFAR-10, as trained on",
    "cifar100_vgg19_bn": "CIFAR-100, as trained on",
    "pathmnist_resnet50": "PathMNIST, another clinic",
    "sst2_gpt2": "film reviews, zero-shot",
    "sst2_gpt2_4shot": "film reviews, four examples",
}
SEED = 20260101
N_SPLITS = 20


def make_table(systems=TEST_SETS, n_splits=N_SPLITS, seed=SEED):
    """The table as a DataFrame: two rows (none, isotonic) for each network."""
    parts = []
    for name in systems:
        data = fetch_embeddings(name)
        part = lower_bounds(data, n_splits=n_splits, rng=seed)
        part.insert(1, "test_set", TEST_SETS[name])
        part.insert(3, "confidence", data.p.mean())
        parts.append(part)
    table = pd.concat(parts, ignore_index=True)
    return table.round(5).assign(n=table["n"].round().astype(int), n_regions=table["n_regions"].round().astype(int))


if __name__ == "__main__":
    table = make_table()
    table.to_csv(Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET, index=False, lineterminator="\n")
    print(f"{len(table)} rows, {table['network'].nunique()} networks")
