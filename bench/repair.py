"""How near repaired probabilities come to the truth, beside MCGrad: errors on 20,000 new rows of each population.

python bench/repair.py [--draws 2] [--quick]: every draw is added to build/bench/repair_draws.csv at once, and a second
call goes on where the first one ended. The summary is bench/repair.csv (build/bench/ with --quick).
"""

import argparse
import logging
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from populations import ALL, HELD_OUT, TITLES, draw
from scipy.special import expit, logit
from templates import render
from tqdm import tqdm

from helpers.calibration import PlattCalibrator
from helpers.decisions import RiskEstimator, best_decision, cost_matrix, excess_risk, expected_cost, oracle_risk
from helpers.practice.repair import Recalibrator

HERE = Path(__file__).resolve().parent
BUILD = HERE.parent / "build" / "bench"
SUMMARY = HERE / "repair.csv"
KEYS = ["population", "n", "draw", "estimator"]
SIZES = (4000, 20_000)
POPULATIONS = [name for name in TITLES if name != "high"]
NEW = 20_000


def new_rows(name, n, seed):
    """X, stated score and truth of rows beside those of `draw(name, n, seed)`."""
    X, c, q = ALL[name](NEW, np.random.default_rng([seed, sum(map(ord, name)), n, 1]))
    return X, expit((logit(c) + 0.3) * 1.5) if name in HELD_OUT else c, q


def costs(y):
    """A mistake's price is that of its class: the best threshold is the rate of ones."""
    return cost_matrix(false_alarm=y.mean(), miss=1 - y.mean())


def platt(y, p, X, seed):
    model = PlattCalibrator().fit(p, y)
    return lambda p_new, X_new: model.predict(p_new)


def repair(y, p, X, seed):
    """Ours, with the risk that is estimated by it."""
    model = RiskEstimator(costs(y), repair=Recalibrator(rng=seed)).fit(X, y, p)
    return lambda p_new, X_new: model.to_frame(X_new, p_new)[["corrected", "risk"]].to_numpy().T


def mcgrad(y, p, X, seed):
    """MCGrad as it comes, all columns numbers."""
    from mcgrad import methods

    logging.disable(logging.CRITICAL)
    names = [f"x{j}" for j in range(X.shape[1])]
    columns = {"prediction_column_name": "score", "numerical_feature_column_names": names}
    model = methods.MCGrad()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(pd.DataFrame(X, columns=names).assign(score=p, label=y), label_column_name="label", **columns)
    return lambda p_new, X_new: model.predict(pd.DataFrame(X_new, columns=names).assign(score=p_new), **columns)


ESTIMATORS = {"Platt": platt, "MCGrad": mcgrad, "Recalibrator": repair}


def read(path):
    """A table of draws or of their summary; one population is called "null"."""
    return pd.read_csv(path, keep_default_na=False, na_values=[""])


def tasks(draws, sizes, populations):
    """(population, n, draw), every size once before any a second time."""
    return [(name, n, seed) for seed in range(100, 100 + draws) for n in sizes for name in populations]


def measure(path, todo, estimators):
    """Append what is missing to the file of draws; estimators are functions by name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    done = set(read(path)[KEYS].itertuples(index=False, name=None)) if path.exists() else set()
    for name, n, seed in tqdm(todo):
        missing = [who for who in estimators if (name, n, seed, who) not in done]
        X, y, p = draw(name, n, seed) if missing else (None, None, None)
        for who in missing:
            clock = time.process_time()
            predict = estimators[who](y, p, X, seed)
            row = dict(zip(KEYS, (name, n, seed, who), strict=True))
            row["seconds"] = round(time.process_time() - clock, 3)
            row |= judged(predict, *new_rows(name, n, seed), costs(y))
            pd.DataFrame([row]).to_csv(path, mode="a", header=not path.exists(), index=False)


def judged(predict, X, p, q, cost):
    """Error of the probabilities, and what they say the decisions by `p` cost too much."""
    repaired, *risk = np.atleast_2d(predict(p, X))
    risk = risk[0] if risk else excess_risk(repaired, p, cost)
    saved = expected_cost(best_decision(p, cost), q, cost) - expected_cost(best_decision(repaired, cost), q, cost)
    return {
        "rmse": np.sqrt(np.mean((repaired - q) ** 2)),
        "risk": risk.mean(),
        "true_risk": oracle_risk(q, p, cost).mean(),
        "saved": saved.mean(),
    }


def summarise(draws, estimators):
    """One line for each population, n and estimator: means over the draws and the standard error of the first."""
    groups = draws.groupby(["population", "n", "estimator"], sort=False)
    table = groups[["rmse", "risk", "true_risk", "saved"]].mean()
    table.insert(0, "draws", groups.size())
    table.insert(2, "se", groups["rmse"].sem())
    table["seconds"] = groups["seconds"].median()
    table = table.reset_index()
    order = {"population": POPULATIONS, "n": SIZES, "estimator": list(estimators)}
    keys = [table[key].map(values.index) for key, values in order.items()]
    return table.iloc[np.lexsort(keys[::-1])].reset_index(drop=True)


def section(path=SUMMARY):
    """The summary as Markdown for the page of measurements (`repair.md.j2`)."""
    table = read(path)
    wide = table.pivot(index=["population", "n"], columns="estimator", values=["rmse", "se", "seconds"])
    wide = wide.reindex([(name, n) for name in POPULATIONS for n in SIZES if (name, n) in wide.index])
    wide = wide[wide["rmse"].notna().all(axis=1)]
    ratio = (wide["rmse"]["Recalibrator"] / wide["rmse"]["MCGrad"]).drop("null", level="population")
    mine = table[table["estimator"] == "Recalibrator"].set_index(["population", "n"])
    return render(
        "repair.md.j2",
        titles=TITLES,
        estimators=list(ESTIMATORS),
        draws=mine["draws"],
        rows=[(*key, {who: wide.loc[key].xs(who, level=1) for who in ESTIMATORS}) for key in wide.index],
        better=int((ratio <= 1).sum()),
        compared=len(ratio),
        mean=float(np.exp(np.log(ratio).mean())),
        slower=float((wide["seconds"]["Recalibrator"] / wide["seconds"]["MCGrad"]).median()),
        risks=[(*key, mine.loc[key]) for key in wide.index if key[0] != "null"],
    )


def main(arguments=None, name="repair", estimators=ESTIMATORS):
    """Command line; returns the exit status. Draws and summary are called after the comparison."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--draws", type=int, default=2, help="of every sample (default 2)")
    parser.add_argument("--quick", action="store_true", help="4,000 rows, one draw")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--populations", nargs="+", choices=POPULATIONS, default=POPULATIONS)
    parser.add_argument("--estimators", nargs="+", choices=list(estimators), default=list(estimators))
    given = parser.parse_args(arguments)
    draws = BUILD / f"{name}_draws.csv"
    summary = HERE / f"{name}.csv"
    if given.quick:
        given.draws = 1
        given.sizes = (4000,)
        draws = BUILD / f"{name}_quick_draws.csv"
        summary = BUILD / f"{name}_quick.csv"
    chosen = {who: estimators[who] for who in given.estimators}
    measure(draws, tasks(given.draws, given.sizes, given.populations), chosen)
    summarise(read(draws), estimators).to_csv(summary, index=False, float_format="%.6g")
    print(f"written: {summary}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
