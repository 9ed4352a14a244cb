"""Pools of models that answered about the same people: grouping loss of each, and how it moves with size."""

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from helpers.datasets import load_model_list
from helpers.grouping import grouping_loss
from helpers.simulation import model_pool


@dataclass(frozen=True)
class ScoredPool:
    """Models of several sizes that gave a probability for the same rows."""

    name: str
    models: pd.DataFrame = field(repr=False)  # a line each: size, kind ("base", "tuned")
    X: pd.DataFrame = field(repr=False)
    y: np.ndarray = field(repr=False)
    p: np.ndarray = field(repr=False)  # (m, n)
    groups: np.ndarray | None = field(default=None, repr=False)
    truth: np.ndarray | None = field(default=None, repr=False)  # exact grouping losses

    def rows(self, at):
        """The same models about some of the people: a slice or an array of positions."""
        groups = None if self.groups is None else self.groups[at]
        return replace(self, X=self.X.iloc[at].reset_index(drop=True), y=self.y[at], p=self.p[:, at], groups=groups)


def simulate_pool(n_rows, *, name="simulated", tuned=0.75, rng=None):
    """`ScoredPool` of 27 simulated models with the sizes and types of the paper's table 1, and known grouping losses.

    The error of a model's log-odds falls like size ** -0.25 and is `tuned` times as large in an instruct model. As Cruz
    et al. (2024) found in language models, base models are under-confident (slope 0.6) and instruct models
    over-confident (slope 2): calibration says the opposite of the grouping loss.
    """
    rng = np.random.default_rng(rng)
    models = load_model_list().sort_values(["billions", "type"], kind="stable")
    instruct = (models["type"] == "instruct").to_numpy()
    size = models["billions"].to_numpy(float)
    error = 1.5 * size**-0.25 * np.where(instruct, tuned, 1.0)
    distinct = size + 1e-6 * np.arange(size.size)  # models of one size are still different models
    pool = model_pool(distinct, grouping_error=error, slope=np.where(instruct, 2.0, 0.6), rng=rng)
    sample = pool.sample(n_rows, rng)
    table = pd.DataFrame({"size": size, "kind": np.where(instruct, "tuned", "base")})
    truth = pool.models["grouping_loss"].to_numpy()
    return ScoredPool(name, table, sample.X, sample.y, sample.p, truth=truth)


def pool_losses(pool, *, rng=None):
    """Grouping loss of each model of a pool, all with the same random halves."""
    seed = int(np.random.default_rng(rng).integers(2**31))
    losses = [grouping_loss(pool.y, p, pool.X, groups=pool.groups, rng=seed) for p in pool.p]
    columns = {name: [getattr(loss, name) for loss in losses] for name in ("value", "se", "calibration_loss")}
    table = pool.models.reset_index(drop=True).assign(**columns)
    table.insert(0, "dataset", pool.name)
    return table if pool.truth is None else table.assign(truth=pool.truth)
