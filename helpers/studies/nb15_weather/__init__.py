"""Notebook 15: forecasts of rain with known truth in files of any size, and figures."""

from helpers.studies.nb15_weather.archive import (
    captured_truth,
    damage,
    refitted,
    sums_by,
    two_workers,
    weather_chunks,
    write_archive,
)
from helpers.studies.nb15_weather.figures import plot_growth, plot_memory, plot_months
from helpers.studies.nb15_weather.weather import FACTS, place_and_wind, true_loss, weather_chunk
