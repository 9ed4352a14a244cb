"""The weather archive: known truth, the same rows wherever they are made, drift, storms, damage, killed workers."""

import numpy as np
import pandas as pd
import pytest

from helpers.chunks import evaluate_in_chunks, fit_partition, read_chunks, split_chunks
from helpers.grouping import grouping_loss_from_regions
from helpers.studies import nb15_weather

pytest.importorskip("pyarrow", reason="chunks need the extra scale")
pytest.importorskip("distributed", reason="chunks need the extra scale")


YEAR = pd.concat([nb15_weather.weather_chunk(k, 10_000, seed=3) for k in range(12)], ignore_index=True)


def partition_of(chunks, share=0.3, **options):
    sample, others = split_chunks(chunks, share, rng=0)
    return fit_partition(sample, features=nb15_weather.FACTS, min_samples_leaf=200, rng=0, **options), others


# ---- hand cases and identities ---------------------------------------------------------------------------------


def test_the_truth_is_that_of_the_docstring():
    from helpers.studies.nb15_weather.weather import pull

    places = np.array([[5, 10], [5, 10], [200, 100], [2000, 100], [2000, 100], [2000, 100]]).T
    wind = np.array([180, 179, 300, 300, 300, 0])
    month = np.array([1, 12, 12, 8, 9, 12])
    got = pull(*places, wind, month)
    assert got.tolist() == pytest.approx([0.2641, -0.2641, 0, 0, 0.2641 * 3**0.5, -0.2641 * 3**0.5])


def test_the_exact_loss_is_that_of_the_rows():
    squares = (YEAR["truth"] - YEAR["score"]) ** 2
    blocks = squares.groupby(YEAR["storm"]).mean()
    assert abs(squares.mean() - nb15_weather.true_loss()) < 4 * blocks.std() / len(blocks) ** 0.5
    for month in (1, 8, 9, 12):
        part = squares[YEAR["month"] == month].groupby(YEAR["storm"]).mean()
        assert abs(part.mean() - nb15_weather.true_loss(month)) < 4 * part.std() / len(part) ** 0.5
    assert nb15_weather.true_loss() == pytest.approx(np.mean([nb15_weather.true_loss(m) for m in range(1, 13)]))
    assert nb15_weather.true_loss(9) == pytest.approx(4 * nb15_weather.true_loss(8))


def test_the_score_is_right_on_average_in_every_month_and_at_every_score():
    gap = YEAR["truth"] - YEAR["score"]
    for by in ("month", "score"):
        for _, part in gap.groupby(YEAR[by]):
            storms = part.groupby(YEAR["storm"]).agg(["sum", "size"])
            assert abs(part.mean()) < 4.5 * (storms["sum"] ** 2).sum() ** 0.5 / storms["size"].sum()
    assert (YEAR["truth"] > 0).all() and (YEAR["truth"] < 1).all()


def test_labels_follow_the_truth():
    z = (YEAR["label"] - YEAR["truth"]) / np.sqrt(YEAR["truth"] * (1 - YEAR["truth"]))
    for by in (YEAR["month"], nb15_weather.place_and_wind(YEAR)):
        found = z.groupby(by).agg(["mean", "size"])
        assert (found["mean"].abs() * found["size"] ** 0.5 < 4).all()


def test_places_in_words():
    frame = pd.DataFrame({"sea": [5, 5, 90, 90], "altitude": [10, 10, 100, 1500], "wind": [180, 0, 200, 10]})
    assert nb15_weather.place_and_wind(frame).tolist() == [
        "coast, wind from the sea", "coast, wind from the land", "plain", "mountains, wind from the land",
    ]  # fmt: skip
    assert YEAR.groupby(nb15_weather.place_and_wind(YEAR)).ngroups == 5


def test_months_are_cut_out_of_the_year():
    whole = pd.concat(nb15_weather.weather_chunks(24, 50, seed=1))
    autumn = pd.concat(nb15_weather.weather_chunks(24, 50, months=(9, 12), seed=1))
    assert autumn.equals(whole[whole["month"] >= 9]) and set(autumn["month"]) == {9, 10, 11, 12}
    assert nb15_weather.weather_chunk(0, 1200, n_chunks=1)["month"].value_counts().to_dict() == dict.fromkeys(
        range(1, 13), 100
    )


# ---- the same wherever it is made ------------------------------------------------------------------------------


def test_files_hold_what_is_made_on_the_fly(tmp_path):
    paths = nb15_weather.write_archive(tmp_path, 24, 80, seed=1)
    assert [path.name for path in paths[:2]] == ["month-01.parquet", "month-02.parquet"]
    frames = list(read_chunks(paths))
    assert len(frames) == 24
    for k in (0, 1, 23):
        pd.testing.assert_frame_equal(frames[k], nb15_weather.weather_chunk(k, 80, n_chunks=24, seed=1))


@pytest.mark.slow
def test_damage_stops_one_row_group_and_can_be_undone(tmp_path):
    paths = nb15_weather.write_archive(tmp_path, 24, 80, seed=1)
    before = nb15_weather.damage(paths[4], 1)
    with pytest.raises(ValueError, match=r"^month-05.parquet, chunk 1: it cannot be read"):
        list(read_chunks(paths))
    for column in ("label", "humidity"):
        with pytest.raises(ValueError, match=r"^month-05.parquet, chunk 1: it cannot be read"):
            list(read_chunks(paths, columns=[column]))
    paths[4].write_bytes(before)
    assert sum(len(frame) for frame in read_chunks(paths)) == 24 * 80


# ---- truth, null and sums --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_sums_by_month_add_up_and_find_what_is_there():
    partition, others = partition_of(read_chunks([part for _, part in YEAR.groupby("month")]))
    partition = nb15_weather.refitted(partition, others)
    months = nb15_weather.sums_by(others, partition, "month")
    assert list(months) == list(range(1, 13))
    year = sum(months.values())
    whole = evaluate_in_chunks(others, partition)
    got = year.grouping_loss()
    want = whole.grouping_loss()
    assert got.value == pytest.approx(want.value, abs=1e-12) and got.high == pytest.approx(want.high, abs=1e-12)
    assert (
        abs(got.value - nb15_weather.captured_truth(others, partition)) < 4 * got.se
        and got.low < nb15_weather.true_loss()
    )
    early, late = (sum(months[m] for m in span).grouping_loss() for span in (range(1, 9), range(9, 13)))
    for found, is_late in ((early, False), (late, True)):
        frames = [frame for frame in others if (frame["month"].iloc[0] >= 9) == is_late]
        assert abs(found.value - nb15_weather.captured_truth(frames, partition)) < 4 * found.se
    assert late.low > early.high


def test_captured_truth_is_that_of_the_regions_by_hand():
    partition, _ = partition_of(read_chunks(YEAR, rows=30_000), calibrator="none")
    frame = YEAR[:5000]
    region = partition.tree.apply(frame[nb15_weather.FACTS].assign(**{"stated probability": frame["score"]}))
    means = (frame["truth"] - frame["score"]).groupby(region).transform("mean")
    assert nb15_weather.captured_truth([frame, frame[:0]], partition) == pytest.approx((means**2).mean(), abs=1e-12)


def test_refitting_is_the_fit_to_all_rows():
    partition, others = partition_of(read_chunks(YEAR, rows=30_000))
    whole = evaluate_in_chunks(others, partition, refit=True)
    again = evaluate_in_chunks(others, nb15_weather.refitted(partition, others), refit=False)
    assert again.scores.mean["brier calibrated"] == pytest.approx(whole.scores.mean["brier calibrated"], abs=1e-12)


def test_a_perfect_forecaster_is_perfect_and_storms_share_luck_only():
    options = {"seed": 7, "strength": 0.0}
    plain, shared = (nb15_weather.weather_chunk(0, 40_000, shared=rho, **options) for rho in (0.0, 0.6))
    assert (plain["truth"] == plain["score"]).all() and plain["truth"].equals(shared["truth"])
    for frame, alike in ((plain, False), (shared, True)):
        residual = frame["label"] - frame["truth"]
        storm = residual.groupby(frame["storm"]).sum()
        assert abs(residual.mean()) < 4 * (storm**2).sum() ** 0.5 / len(frame)
        between = (storm**2).sum() / (residual**2).sum()  # 1 for independent rows
        assert (between > 3) if alike else abs(between - 1) < 4 * (2 / len(storm)) ** 0.5
        named = grouping_loss_from_regions(residual, frame["station"] // 200, groups=frame["storm"])
        assert abs(named.value) < 4 * max(named.se, 1e-5)
