"""How much each estimator of the grouping loss makes of its rows and of its seconds: errors against known truth.

python bench/efficiency.py [--draws 10] [--quick]: every draw is added to build/bench/efficiency_draws.csv at once, and
a second call goes on where the first one ended. The summary is bench/efficiency.csv (build/bench/ with --quick).
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
from populations import FIVE, HELD_OUT, SEVEN, TITLES, draw, truth
from scipy.special import logit
from templates import render
from tqdm import tqdm

from helpers.calibration import PlattCalibrator
from helpers.grouping import binned_grouping_loss, grouping_loss, grouping_loss_from_regions, stacked_grouping_loss

HERE = Path(__file__).resolve().parent
DRAWS = HERE.parent / "build" / "bench" / "efficiency_draws.csv"
SUMMARY = HERE / "efficiency.csv"
KEYS = ["population", "n", "draw", "estimator"]
SIZES = (300, 1000, 3000, 10_000, 30_000, 100_000)
AT_MOST = {100_000: 3}  # draws of large samples
COMMON = 10_000  # the size at which all populations are compared


def k_means_regions(y, p, X, rng):
    """One region for 50 rows, chosen without labels, so that all rows can be evaluated."""
    from sklearn.cluster import MiniBatchKMeans
    from sklearn.preprocessing import StandardScaler

    table = StandardScaler().fit_transform(np.column_stack([X, logit(p)]))
    clusters = MiniBatchKMeans(max(y.size // 50, 2), n_init=1, batch_size=2048, random_state=rng)
    return grouping_loss_from_regions(y - PlattCalibrator().fit(p, y).predict(p), clusters.fit_predict(table))


ESTIMATORS = {
    "paper": lambda y, p, X, rng: grouping_loss(y, p, X, method="paper", rng=rng),
    "cross-fitted": lambda y, p, X, rng: grouping_loss(y, p, X, rng=rng),
    "binned": lambda y, p, X, rng: binned_grouping_loss(y, p, X, rng=rng),
    "k-means": k_means_regions,
    "stacked": lambda y, p, X, rng: stacked_grouping_loss(y, p, X, rng=rng),
}


def read(path):
    """A table of draws or of their summary; one population is called "null"."""
    return pd.read_csv(path, keep_default_na=False, na_values=[""])


def tasks(draws, sizes, populations):
    """(population, n, draw) in the order in which they are measured: every size once before any a second time."""
    for seed in range(100, 100 + draws):
        for n in sizes:
            if seed - 100 < AT_MOST.get(n, draws):
                yield from ((name, n, seed) for name in populations if n == COMMON or name in FIVE)


def measure(path, todo):
    """Append what is missing to the file of draws."""
    path.parent.mkdir(parents=True, exist_ok=True)
    done = set(read(path)[KEYS].itertuples(index=False, name=None)) if path.exists() else set()
    for name, n, seed in tqdm(list(todo)):
        missing = [who for who in ESTIMATORS if (name, n, seed, who) not in done]
        X, y, p = draw(name, n, seed) if missing else (None, None, None)
        for who in missing:
            clock = time.process_time()
            result = ESTIMATORS[who](y, p, X, seed)
            row = dict(zip(KEYS, (name, n, seed, who), strict=True)) | {"value": result.value}
            row |= {"seconds": round(time.process_time() - clock, 4)}
            pd.DataFrame([row]).to_csv(path, mode="a", header=not path.exists(), index=False)


def summarise(draws):
    """One line for each population, n and estimator: root mean squared error, bias, their standard errors, seconds."""
    rows = []
    for (name, n, who), group in draws.groupby(["population", "n", "estimator"]):
        error = group["value"] - truth(name)
        m = len(error)
        rmse = np.sqrt((error**2).mean())
        row = {"population": name, "n": n, "estimator": who, "draws": m, "truth": truth(name), "rmse": rmse}
        row |= {"se_of_rmse": (error**2).std() / (2 * rmse * m**0.5), "bias": error.mean()}
        rows.append(row | {"se_of_bias": error.std() / m**0.5, "seconds": group["seconds"].median()})
    table = pd.DataFrame(rows)
    order = {"population": list(TITLES), "n": SIZES, "estimator": list(ESTIMATORS)}
    keys = [table[key].map(values.index) for key, values in order.items()]
    return table.iloc[np.lexsort(keys[::-1])].reset_index(drop=True)


def section(path=SUMMARY):
    """The summary as Markdown for the page of measurements (`efficiency.md.j2`)."""
    table = read(path)
    at = table[table["n"] == COMMON]
    paper = at[at["estimator"] == "paper"].set_index("population")
    at = at.join(paper[["rmse", "se_of_rmse"]].add_suffix("_paper"), on="population")
    at["ratio"] = at["rmse"] / at["rmse_paper"]
    at["relative"] = np.hypot(at["se_of_rmse"] / at["rmse"], at["se_of_rmse_paper"] / at["rmse_paper"])
    means = {}
    for title, group in {"the first seven": list(SEVEN), "the last two": list(HELD_OUT)[-2:]}.items():
        rows = at[at["population"].isin(group)].groupby("estimator")
        mean = np.exp(rows["ratio"].agg(lambda ratio: np.log(ratio).mean()))
        error = mean * rows["relative"].agg(np.linalg.norm) / len(group)
        means[title] = {who: (mean[who], error[who]) for who in ESTIMATORS}
    five = table[table["population"].isin(FIVE)].groupby(["population", "n"], sort=False)
    return render(
        "efficiency.md.j2",
        estimators=list(ESTIMATORS),
        titles=TITLES,
        common={name: rows.set_index("estimator").T for name, rows in at.groupby("population", sort=False)},
        means=means,
        sizes={key: rows.set_index("estimator").T for key, rows in five},
    )


def draw_figure(target, path=SUMMARY):
    """Error against rows (left) and seconds (right), one row a population, where there are two draws or more."""
    import matplotlib.pyplot as plt

    from helpers.plotting import BLUE, GREEN, GREY, LINES, MARKERS, ORANGE, RED, use_style

    use_style()
    table = read(path)
    table = table[table["draws"] > 1]
    colors = dict(zip(ESTIMATORS, (ORANGE, GREEN, GREY, RED, BLUE), strict=True))
    fig, axes = plt.subplots(len(FIVE), 2, figsize=(6.8, 12.5), sharey="row")
    for panels, name in zip(axes, FIVE, strict=True):
        for k, who in enumerate(ESTIMATORS):
            rows = table[(table["population"] == name) & (table["estimator"] == who)].sort_values("n")
            look = {"marker": MARKERS[k], "ls": LINES[k], "color": colors[who], "ms": 5}
            for ax, x in zip(panels, ("n", "seconds"), strict=True):
                ax.errorbar(rows[x], rows["rmse"], rows["se_of_rmse"].fillna(0), label=who, **look)
        panels[0].set(title=TITLES[name], ylabel="root mean squared error", xscale="log", yscale="log")
        panels[1].set(title=TITLES[name], xscale="log", yscale="log")
    axes[-1, 0].set_xlabel("rows")
    axes[-1, 1].set_xlabel("seconds")
    fig.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    fig.savefig(target)
    plt.close(fig)


def main(arguments=None):
    """Command line; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--draws", type=int, default=10, help="of every sample; large ones get fewer (default 10)")
    parser.add_argument("--quick", action="store_true", help="300 and 1,000 rows, 2 draws")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--populations", nargs="+", choices=list(TITLES), default=list(TITLES))
    given = parser.parse_args(arguments)
    path = DRAWS
    summary = SUMMARY
    if given.quick:
        given.draws = 2
        given.sizes = (300, 1000)
        path = DRAWS.with_name("efficiency_quick_draws.csv")
        summary = DRAWS.with_name("efficiency_quick.csv")
    measure(path, tasks(given.draws, given.sizes, given.populations))
    summarise(read(path)).to_csv(summary, index=False, float_format="%.6g")
    print(f"written: {summary}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
