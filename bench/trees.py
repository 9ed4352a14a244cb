"""What `grouping_loss(tree="hist")` loses against `tree="exact"`: errors against known truth, the same draws for both.

python bench/trees.py writes bench/trees.csv (about five minutes); the page of the site shows it.
"""

import csv
import sys
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
RESULT = HERE / "trees.csv"
COLUMNS = ("population", "n", "draws", "truth", "exact", "hist", "ratio", "se", "gap", "seconds_exact", "seconds_hist")
WANTED = [(name, 10_000, 16) for name in ("smooth", "sharp", "high", "rare", "clusters", "heldA", "heldB")]
WANTED += [(name, 100_000, 12) for name in ("smooth", "sharp", "heldB")]


def compare(name, n, draws):
    """One line: root mean squared errors, their ratio with its standard error (jackknife), mean difference of the two
    estimates, median processor seconds.
    """
    from populations import draw, truth

    from helpers.grouping import grouping_loss

    error, seconds = np.empty((2, draws)), np.empty((2, draws))
    for k in range(draws):
        X, y, p = draw(name, n, 500 + k)
        for way, tree in enumerate(("exact", "hist")):
            clock = time.process_time()
            error[way, k] = grouping_loss(y, p, X, tree=tree, rng=k).value - truth(name)
            seconds[way, k] = time.process_time() - clock
    left_out = np.array([rmse(np.delete(error, k, axis=1)) for k in range(draws)])
    ratios = np.log(left_out[:, 1] / left_out[:, 0])
    both, ratio = rmse(error), np.divide(*rmse(error)[::-1])
    se = ratio * np.sqrt((draws - 1) / draws * ((ratios - ratios.mean()) ** 2).sum())
    return name, n, draws, truth(name), *both, ratio, se, np.mean(error[1] - error[0]), *np.median(seconds, axis=1)


def rmse(error):
    return np.sqrt((error**2).mean(axis=1))


def section(path=RESULT):
    """The table as Markdown."""
    from populations import TITLES

    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    out = [
        "## The fast tree", "",
        '`grouping_loss(..., tree="hist")` chooses regions with the histograms of scikit-learn\'s gradient boosting (a '
        "single tree, numbers cut at 255 quantiles). Root mean squared errors against the known truth, from the same "
        "draws for both; a ratio above one is what the fast tree loses, in brackets its standard error. Seconds are "
        "those of the processor.", "",
        "| population | rows | draws | exact | hist | hist / exact | seconds, exact | hist |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]  # fmt: skip
    for row in rows:
        number = {key: float(value) for key, value in row.items() if key != "population"}
        cells = [
            TITLES[row["population"]], f"{number['n']:,.0f}", row["draws"],
            f"{number['exact']:.3g}", f"{number['hist']:.3g}", f"{number['ratio']:.2f} ({number['se']:.2f})",
            f"{number['seconds_exact']:.2f}", f"{number['seconds_hist']:.2f}",
        ]  # fmt: skip
        out.append(f"| {' | '.join(cells)} |")
    return "\n".join([*out, ""])


def main():
    """Measure all and write the file."""
    with RESULT.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for wanted in WANTED:
            row = [x if isinstance(x, (str, int)) else f"{x:.4g}" for x in compare(*wanted)]
            writer.writerow(row)
            file.flush()
            print(*row, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
