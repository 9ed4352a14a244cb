"""Notebook 15: forecasts of rain with known truth, made on the fly: the same rows in every process.

Stated probabilities are right on average in every month, and still too high or too low at some places (`pull`).
"""

import logging
import multiprocessing
from contextlib import contextmanager

import numpy as np
import pandas as pd
from scipy.special import ndtri

from helpers.checks import check_count

FACTS = ["altitude", "sea", "wind", "humidity"]
SCORES = np.arange(1, 20) / 20
COAST = 0.2641  # share of min(p, 1-p): the grouping loss of a year is then 0.0041, as in Melo et al., figure 3
MOUNTAIN = 0.2641 * 3**0.5
NEW_MODEL = 9  # month
STORM = 20  # rows


def _stations():
    """(600,) altitude in m and distance from the sea in km: 200 at the coast, 200 in the plain, 200 in mountains."""
    k = np.arange(600)
    kind = k // 200
    u = k * 0.6180339887 % 1
    v = k * 0.7548776662 % 1
    altitude = np.choose(kind, [5 + 195 * u, 10 + 490 * u, 1000 + 1500 * u])
    return altitude.astype(np.int16), np.where(kind == 0, 1 + 19 * v, 30 + 270 * v).astype(np.int16)


def weather_chunk(number, rows, *, n_chunks=12, seed=0, strength=1.0, shared=0.0, columns=None):
    """One piece of a year of forecasts: what was stated, what came, and the truth.

    `strength` 0 makes the stated probability the truth; `shared` correlates luck within a storm; `columns`: to keep.
    """
    rows = check_count(rows, "rows")
    n_chunks = check_count(n_chunks, "n_chunks")
    rng = np.random.default_rng([seed, number])
    storm = np.arange(rows) // STORM
    n_storms = -(-rows // STORM)
    month = 1 + ((number + (np.arange(rows) + 0.5) / rows) * 12 // n_chunks).astype(np.int8)
    first = rng.integers(600, size=n_storms)
    winds = rng.integers(360, size=n_storms)
    kind, place = np.divmod(first, 200)
    station = kind[storm] * 200 + (place[storm] + rng.integers(30, size=rows)) % 200
    altitude, sea = (column[station] for column in _stations())
    wind = winds[storm].astype(np.int16)
    p = rng.choice(SCORES, rows)
    q = p + strength * pull(altitude, sea, wind, month) * np.minimum(p, 1 - p)
    humidity = np.clip(50 + 40 * (p - 0.5) + 12 * rng.normal(size=rows), 5, 100).astype(np.int8)
    luck = shared**0.5 * rng.normal(size=n_storms)[storm] + (1 - shared) ** 0.5 * rng.normal(size=rows)
    facts = {"altitude": altitude, "sea": sea, "wind": wind, "humidity": humidity}
    when = {"month": month, "station": station.astype(np.int16), "storm": storm + number * 10**7}
    table = when | facts | {"score": p, "label": (luck < ndtri(q)).astype(np.int8), "truth": q}
    return pd.DataFrame(table, columns=columns)


def pull(altitude, sea, wind, month):
    """How far the truth is from the stated probability, as a share of min(p, 1-p): a of the lesson."""
    late = (altitude >= 1000) & (month >= NEW_MODEL)
    return np.where(wind >= 180, 1.0, -1.0) * (COAST * (sea < 25) + MOUNTAIN * late)


@contextmanager
def two_workers():
    """A dask cluster of two worker processes on this machine, connected and silent; only this machine may connect."""
    from dask import config
    from distributed import Client, LocalCluster
    from distributed.utils import get_mp_context

    method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": "127.0.0.1:0"}
    with config.set({"distributed.worker.multiprocessing-method": method}):
        if method == "forkserver":  # what workers import is imported once, not by each of them
            get_mp_context().set_forkserver_preload(
                ["distributed", "dask.dataframe", "helpers.practice.chunks", __name__]
            )
        silent = LocalCluster(**options, host="127.0.0.1", silence_logs=logging.CRITICAL)
        with silent as cluster, Client(cluster) as client:
            yield client
