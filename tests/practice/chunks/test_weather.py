"""The weather archive: known truth, right on average, luck that a storm shares."""

import numpy as np
import pandas as pd
import pytest

from helpers.grouping import grouping_loss_from_regions
from helpers.practice.chunks.weather import pull, weather_chunk

YEAR = pd.concat([weather_chunk(k, 10_000, seed=3) for k in range(12)], ignore_index=True)


def test_the_truth_is_that_of_the_lesson():
    places = np.array([[5, 10], [5, 10], [200, 100], [2000, 100], [2000, 100], [2000, 100]]).T
    wind = np.array([180, 179, 300, 300, 300, 0])
    month = np.array([1, 12, 12, 8, 9, 12])
    got = pull(*places, wind, month)
    assert got.tolist() == pytest.approx([0.2641, -0.2641, 0, 0, 0.2641 * 3**0.5, -0.2641 * 3**0.5])


def test_the_grouping_loss_is_that_of_the_paper_and_four_times_as_large_from_september_on():
    squares = (YEAR["truth"] - YEAR["score"]) ** 2
    late = YEAR["month"] >= 9
    for which, loss in ((late | ~late, 0.0041), (~late, 0.00205), (late, 0.0082)):
        storms = squares[which].groupby(YEAR["storm"]).mean()
        assert abs(squares[which].mean() - loss) < 4 * storms.std() / len(storms) ** 0.5


def test_the_score_is_right_on_average_in_every_month_and_at_every_score():
    gap = YEAR["truth"] - YEAR["score"]
    for by in ("month", "score"):
        for _, part in gap.groupby(YEAR[by]):
            storms = part.groupby(YEAR["storm"]).agg(["sum", "size"])
            assert abs(part.mean()) < 4.5 * (storms["sum"] ** 2).sum() ** 0.5 / storms["size"].sum()
    assert (YEAR["truth"] > 0).all() and (YEAR["truth"] < 1).all()


def test_labels_follow_the_truth():
    z = (YEAR["label"] - YEAR["truth"]) / np.sqrt(YEAR["truth"] * (1 - YEAR["truth"]))
    for by in ("month", "score"):
        found = z.groupby(YEAR[by]).agg(["mean", "size"])
        assert (found["mean"].abs() * found["size"] ** 0.5 < 4).all()


def test_a_chunk_of_the_year_holds_its_months():
    assert weather_chunk(0, 1200, n_chunks=1)["month"].value_counts().to_dict() == dict.fromkeys(range(1, 13), 100)
    assert set(weather_chunk(23, 50, n_chunks=24)["month"]) == {12}
    assert weather_chunk(3, 50, seed=1).equals(weather_chunk(3, 50, seed=1))


def test_a_perfect_forecaster_is_perfect_and_storms_share_luck_only():
    options = {"seed": 7, "strength": 0.0}
    plain, shared = (weather_chunk(0, 40_000, shared=rho, **options) for rho in (0.0, 0.6))
    assert (plain["truth"] == plain["score"]).all() and plain["truth"].equals(shared["truth"])
    for frame, alike in ((plain, False), (shared, True)):
        residual = frame["label"] - frame["truth"]
        storm = residual.groupby(frame["storm"]).sum()
        assert abs(residual.mean()) < 4 * (storm**2).sum() ** 0.5 / len(frame)
        between = (storm**2).sum() / (residual**2).sum()  # 1 for independent rows
        assert (between > 3) if alike else abs(between - 1) < 4 * (2 / len(storm)) ** 0.5
        named = grouping_loss_from_regions(residual, frame["station"] // 200, groups=frame["storm"])
        assert abs(named.value) < 4 * max(named.se, 1e-5)
