"""Forecasts of rain with known truth, made on the fly."""

import numpy as np
import pandas as pd
from scipy.special import ndtri

from helpers.checks import check_count

FACTS = ["altitude", "sea", "wind", "humidity"]

SCORES = np.arange(1, 20) / 20

COAST = 0.2641  # share of min(p, 1-p)

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


def weather_chunk(number, rows, *, n_chunks=12, seed=0, strength=1.0, shared=0.0):
    """One piece of a year of forecasts: what was stated, what came, and the truth; the same in every process."""
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
    return pd.DataFrame(when | facts | {"score": p, "label": (luck < ndtri(q)).astype(np.int8), "truth": q})


def pull(altitude, sea, wind, month):
    """How far the truth is from the stated probability, as a share of min(p, 1-p): a of `weather_chunk`."""
    late = (altitude >= 1000) & (month >= NEW_MODEL)
    return np.where(wind >= 180, 1.0, -1.0) * (COAST * (sea < 25) + MOUNTAIN * late)


def true_loss(month=None):
    """Grouping loss of the archive with strength 1, exactly: in one month, or over the year.

    >>> round(true_loss(), 4), round(true_loss(1), 4), round(true_loss(12), 4)
    (0.0041, 0.002, 0.0082)
    """
    if month is None:
        return float(np.mean([true_loss(each) for each in range(1, 13)]))
    room = np.mean(np.minimum(SCORES, 1 - SCORES) ** 2)
    return float(room * (COAST**2 + MOUNTAIN**2 * (month >= NEW_MODEL)) / 3)


def place_and_wind(frame):
    """Words for the place of each row, and for the wind where it matters, such as "coast, wind from the sea"."""
    coast = frame["sea"] < 25
    mountain = frame["altitude"] >= 1000
    place = np.select([coast, mountain], ["coast", "mountains"], "plain").astype(object)
    wind = np.where(frame["wind"] >= 180, ", wind from the sea", ", wind from the land")
    return place + np.where(coast | mountain, wind, "")
