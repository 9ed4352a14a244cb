"""Four small language models that were asked about people of the American Community Survey, from the shipped answers.

Melo et al. (2026), section 4.2 and appendix C.2, ask 27 of them, of up to 70 billion parameters, about whole states.
"""

import numpy as np
import pandas as pd

from helpers.audit import search_segments
from helpers.calibration import PlattCalibrator, calibration_error
from helpers.datasets import read_survey_answers
from helpers.grouping import grouping_loss
from helpers.partition import HonestTree
from helpers.resampling import bootstrap_interval
from helpers.selective.metrics import confidence_auc
from helpers.studies.nb07_audit.model_size import ScoredPool

# Billions of parameters; kind; seconds for a question of `income` with six examples on one core (EPYC, AVX2), alone.
LANGUAGE_MODELS = pd.DataFrame(
    {
        "size": [0.135, 0.27, 0.49, 1.54],
        "kind": ["instruct", "base", "instruct", "instruct"],
        "seconds": [0.33, 0.26, 0.76, 1.8],
    },
    index=pd.Index(["smollm2-135m", "gemma3-270m", "qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b"], name="model"),
)

NOT_TOLD = ["person", "model", "task", "way", "y", "p", "other"]


def survey_pool(task, way, path=None, *, parts=1):
    """`ScoredPool` of the models by size, about the people for whom each of them gave a probability."""
    answers = read_survey_answers(path, task=task, way=way, parts=parts)
    p = answers.pivot(index="person", columns="model", values="p").dropna()[list(LANGUAGE_MODELS.index)]
    about = answers.drop_duplicates("person").set_index("person").loc[answers["person"].unique()]
    about = about[about.index.isin(p.index)]
    X = about.drop(columns=[name for name in NOT_TOLD if name in about]).reset_index(drop=True)
    X = X.astype({name: "category" for name in X.select_dtypes(exclude=["number", "category"])})
    return ScoredPool(f"{task}, {way}", LANGUAGE_MODELS, X, about["y"].to_numpy(), p.loc[about.index].to_numpy().T)


def recalibrated(y, p, *, n_folds=5, rng=None):
    """Scores of Platt scaling, each person's from the others' folds."""
    fold = np.random.default_rng(rng).permutation(len(y)) % n_folds
    c = np.empty(len(y))
    for k in range(n_folds):
        learn = fold != k
        c[~learn] = PlattCalibrator().fit(p[learn], y[learn]).predict(p[~learn])
    return c


def measure_models(pool, *, n_splits=5, rng=0):
    """A line a model: how right, how well ranked, how calibrated it is, as stated and recalibrated, and what is left.

    accuracy is that of the decision at one half; calibration_error is debiased; loss is the grouping loss after
    recalibration with its interval, the middle of `n_splits` splits; distance_stated is what the same trees find
    between the stated score and the truth, calibration loss and grouping loss together.
    """
    lines = {}
    for name, p in zip(pool.models.index, pool.p, strict=True):
        c = recalibrated(pool.y, p, rng=rng)
        loss = grouping_loss(pool.y, p, pool.X, n_splits=n_splits, rng=rng)
        line = {"people": len(pool.y), "auc": confidence_auc(pool.y, p)}
        for when, stated in (("stated", p), ("recalibrated", c)):
            line[f"accuracy_{when}"] = np.mean((stated >= 0.5) == pool.y)
            line[f"brier_{when}"] = np.mean((stated - pool.y) ** 2)
            line[f"calibration_error_{when}"] = calibration_error(pool.y, stated, rng=rng).debiased
        stated = grouping_loss(pool.y, p, pool.X, calibrator="none", n_splits=n_splits, rng=rng)
        line["distance_stated"] = stated.value
        lines[name] = line | {"loss": loss.value, "low": loss.low, "high": loss.high}
    return pool.models[["seconds"]].join(pd.DataFrame(lines).T).rename_axis("model")


def count_named_groups(pool, *, n_draws=99, rng=0):
    """A line a model: groups that a search names in the score as stated and recalibrated, and the one farthest off."""
    lines = {}
    for name, p in zip(pool.models.index, pool.p, strict=True):
        found = [
            search_segments(pool.y, p, pool.X, calibrator=calibrator, n_draws=n_draws, rng=rng).selected
            for calibrator in ("none", "platt")
        ]
        line = dict(zip(("groups_stated", "groups_recalibrated"), map(len, found), strict=True))
        worst = found[1].loc[found[1]["gap"].abs().idxmax()] if len(found[1]) else None
        line["farthest off"] = "" if worst is None else f"{worst['rule']} ({worst['gap']:+.0%})"
        lines[name] = line
    return pd.DataFrame(lines).T.rename_axis("model")


def compare_ways(task="income", first="choice", second="numeric", *, parts=2, n_resamples=1000, rng=0):
    """The same people asked in two ways: a line a model and measure, with the second less the first and its interval.

    People count who got a probability in both ways; people are resampled.
    """
    answers = read_survey_answers(task=task, parts=parts)
    wide = answers.pivot(index=["model", "person", "y"], columns="way", values="p")[[first, second]].dropna()
    measures = {
        "AUC": confidence_auc,
        "Brier": lambda y, p: np.mean((p - y) ** 2),
        "stated less observed": lambda y, p: np.mean(p - y),
    }
    lines = []
    for model in LANGUAGE_MODELS.index:
        rows = wide.loc[model].reset_index()
        columns = [rows[name].to_numpy(float) for name in ("y", first, second)]
        for measure, of in measures.items():
            apart = bootstrap_interval(
                lambda y, a, b, of=of: of(y, b) - of(y, a), *columns, n_resamples=n_resamples, rng=rng
            )
            line = {"model": model, "people": len(rows), "measure": measure}
            line |= {way: of(columns[0], p) for way, p in zip((first, second), columns[1:], strict=True)}
            lines.append(line | {"difference": apart.value, "low": apart.low, "high": apart.high})
    return pd.DataFrame(lines)


def loss_falls(pool, *, n_splits=5, rng=0):
    """A line a model: its grouping loss, and how far it lies below that of the smallest (`fall`), with standard errors.

    As in the paper, values are means over random splits. Within a split regions are fixed, one half choosing them for
    the other. Standard errors are the jackknife's, the mean over the splits; that of a fall takes each person out of
    both models at once, because both were asked about the same people.
    """
    columns = {"value": [], "se": [], "fall": [], "fall_se": []}
    for seed in np.random.default_rng(rng).spawn(n_splits):
        half = seed.permutation(len(pool.y)) % 2
        tree_seed = int(seed.integers(2**31))
        values, without = zip(*[_halves(pool, p, half, tree_seed) for p in pool.p], strict=True)
        columns["value"].append(values)
        columns["se"].append([_jackknife(model) for model in without])
        columns["fall"].append(values[0] - np.array(values))
        differences = [[a - b for a, b in zip(without[0], model, strict=True)] for model in without]
        columns["fall_se"].append([_jackknife(model) for model in differences])
    return pd.DataFrame({name: np.mean(column, axis=0) for name, column in columns.items()}, pool.models.index)


def _halves(pool, p, half, seed):
    """The value, and for each half that without each of its people; the other half chooses the regions."""
    c = PlattCalibrator().fit(p, pool.y).predict(p)
    table = pool.X.assign(score=np.log(np.clip(p, 1e-6, 1) / np.clip(1 - p, 1e-6, 1)))
    values = []
    without = []
    for evaluated in (0, 1):
        here = half == evaluated
        chosen = PlattCalibrator().fit(p[~here], pool.y[~here]).predict(p[~here])
        tree = HonestTree(min_samples_leaf=15, rng=seed)
        tree.fit(table[~here].reset_index(drop=True), pool.y[~here] - chosen)
        region = tree.apply(table[here].reset_index(drop=True))
        value, others = _without_each(pool.y[here] - c[here], region)
        values.append(value)
        without.append(others)
    return np.mean(values), without


def _without_each(residual, region):
    """The debiased value of equation 6, and that without each row."""
    count, total, squares = (np.bincount(region, part) for part in (np.ones(len(region)), residual, residual**2))
    products = (total**2 - squares) / np.maximum(count - 1, 1)
    left = (total[region] - residual) ** 2 - (squares[region] - residual**2)
    left = left / np.maximum(count[region] - 2, 1)
    n = len(residual)
    value = products.sum() / n
    return value, (products.sum() - products[region] + left) / (n - 1)


def _jackknife(halves):
    """Standard error of the mean of two halves from the values without each of their rows."""
    variances = [(len(values) - 1) / len(values) * np.sum((values - values.mean()) ** 2) for values in halves]
    return np.sqrt(np.sum(variances)) / 2
