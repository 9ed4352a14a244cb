"""Tables in chunks: the same result as in memory, whatever the source and the workers; bad chunks are named."""

import gzip
import os
import threading
import weakref

import joblib
import numpy as np
import pandas as pd
import pytest

from helpers.calibration import PlattCalibrator, calibration_error
from helpers.chunks import evaluate_in_chunks, fit_partition, read_chunks, split_chunks
from helpers.experiments import repeat
from helpers.grouping import grouping_loss_from_regions
from helpers.selective import chow_cost, ecuas
from helpers.studies.nb15_weather import two_workers

pq = pytest.importorskip("pyarrow.parquet", reason="chunks need the extra scale")
dask = pytest.importorskip("dask", reason="chunks need the extra scale")
dd = pytest.importorskip("dask.dataframe", reason="chunks need the extra scale")
pytest.importorskip("distributed", reason="chunks need the extra scale")


def draw(n, rng=0, strength=0.25):
    """A calibrated score that misses the job, with a number, a text, a date, weights and people."""
    rng = np.random.default_rng(rng)
    age = rng.normal(size=n)
    job = rng.choice(["cook", "smith", "nurse"], n)
    p = rng.uniform(0.3, 0.7, n)
    q = p + strength * ((job == "cook") * 1.0 - 1 / 3)
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), unit="D")
    return pd.DataFrame(
        {
            "label": (rng.random(n) < q).astype(int),
            "score": p,
            "age": np.where(rng.random(n) < 0.1, np.nan, age),
            "job": job,
            "day": day,
            "weight": rng.choice([0.0, 1.0, 2.5], n),
            "person": rng.integers(0, n // 5, n),
        }
    )


FEATURES = ["age", "job", "day"]
SAMPLE = draw(800, 1)
TABLE = draw(2000, 2)
PARTITION = fit_partition(SAMPLE, features=FEATURES, rng=0)


def identical(total, want):
    """To the last bit."""
    assert np.array_equal(total.regions.moments, want.regions.moments) and total.scores.mean == want.scores.mean
    assert np.array_equal(total.reliability.moments, want.reliability.moments)


def same(total, want, tol=1e-12):
    """Losses, errors and scores agree."""
    for call in ("grouping_loss", "calibration_error"):
        got, right = (
            getattr(sums, call)(**({"rng": 0} if call == "calibration_error" else {})) for sums in (total, want)
        )
        for name in ("value", "low", "high", "p_value", "n"):
            np.testing.assert_allclose(getattr(got, name), getattr(right, name), rtol=tol, atol=tol)
    np.testing.assert_allclose(list(total.scores.mean.values()), list(want.scores.mean.values()), rtol=tol, atol=tol)


@pytest.fixture(scope="module")
def whole():
    return evaluate_in_chunks(read_chunks(TABLE, rows=10_000), PARTITION)


@pytest.fixture(scope="module")
def parquet(tmp_path_factory):
    path = tmp_path_factory.mktemp("tables") / "scores.parquet"
    TABLE.to_parquet(path, row_group_size=250)
    return path


# ---- the same result -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weight", [None, "weight"])
@pytest.mark.parametrize("group", [None, "person"])
def test_the_result_is_that_of_the_rows_in_memory(weight, group):
    partition = fit_partition(SAMPLE, features=FEATURES, weight=weight, group=group, rng=0)
    total = evaluate_in_chunks(read_chunks(TABLE, rows=190), partition)
    rows = TABLE if weight is None else TABLE[TABLE["weight"] > 0]
    y = rows["label"].to_numpy()
    p = rows["score"].to_numpy()
    w = None if weight is None else rows["weight"].to_numpy()
    groups = None if group is None else rows["person"].to_numpy()
    c = PlattCalibrator().fit(p, y, w).predict(p)
    region = partition.tree.apply(rows[FEATURES].assign(**{"stated probability": p}))
    want = grouping_loss_from_regions(y - c, region, sample_weight=w, groups=groups)
    got = total.grouping_loss()
    for name in ("value", "se", "low", "high", "p_value", "plugin", "n", "n_regions", "left_out"):
        np.testing.assert_allclose(getattr(got, name), getattr(want, name), rtol=1e-12, atol=1e-12)
    assert got.calibration_loss == pytest.approx(np.average((p - c) ** 2, weights=w), abs=1e-12)
    error = total.calibration_error(rng=0)
    wanted = calibration_error(y, p, sample_weight=w, groups=groups, rng=0)
    assert error.value == pytest.approx(wanted.value, abs=1e-12) and error.high == pytest.approx(wanted.high, abs=1e-12)
    assert total.n == len(rows)


def test_every_source_gives_the_same(whole, parquet, tmp_path, monkeypatch):
    monkeypatch.setattr("helpers.chunks.tables.CSV_BYTES", 30_000)
    TABLE.to_csv(tmp_path / "scores.csv", index=False, float_format="%.17g")
    TABLE[:700].to_csv(tmp_path / "first.csv.gz", index=False, float_format="%.17g")
    TABLE[700:].to_parquet(tmp_path / "second.parquet", row_group_size=500)
    frames = [TABLE[start : start + 300] for start in range(0, 2000, 300)]
    reading = {"columns": ["label", "score", *FEATURES], "rows": 333}
    on_dask = dd.from_pandas(TABLE, npartitions=6)
    for source in (frames, frames[::-1], parquet, str(parquet), TABLE, on_dask):
        same(evaluate_in_chunks(read_chunks(source, **reading), PARTITION), whole)
    text = fit_partition(SAMPLE, features=["age", "job"], rng=0)  # dates are text in a CSV
    want = evaluate_in_chunks(read_chunks(TABLE), text)
    assert len(list(read_chunks(tmp_path / "scores.csv"))) > 3
    for source in (tmp_path / "scores.csv", [tmp_path / "first.csv.gz", tmp_path / "second.parquet"]):
        same(evaluate_in_chunks(read_chunks(source), text), want)


def test_numbers_of_a_csv_may_miss_late_and_become_fractions(tmp_path, monkeypatch):
    """The first lines hold whole numbers, a later piece holds fractions and gaps."""
    monkeypatch.setattr("helpers.chunks.tables.CSV_BYTES", 20_000)
    table = pd.DataFrame({"label": np.arange(40_000) % 2, "score": TABLE["score"].to_numpy()[np.arange(40_000) % 2000]})
    table["age"] = np.where(np.arange(40_000) < 39_000, 7.0, np.where(np.arange(40_000) % 3, 1.5, np.nan))
    table.astype({"age": object}).replace({7.0: 7}).to_csv(tmp_path / "late.csv", index=False)
    assert pd.concat(read_chunks(tmp_path / "late.csv"))["age"].reset_index(drop=True).equals(table["age"])


def test_two_folders_may_hold_files_of_one_name(tmp_path, whole):
    for year, rows in (("2024", TABLE[:900]), ("2025", TABLE[900:])):
        (tmp_path / year).mkdir()
        rows.to_parquet(tmp_path / year / "part.parquet")
    paths = sorted(tmp_path.glob("*/part.parquet"))
    same(evaluate_in_chunks(read_chunks(paths), PARTITION), whole)
    TABLE[900:].assign(score=2.0).to_parquet(paths[1])
    with pytest.raises(ValueError, match=r"2025.part.parquet, chunk 0: column 'score'"):
        evaluate_in_chunks(read_chunks(paths), PARTITION)


def test_a_label_and_a_category_may_come_late_and_chunks_may_be_empty(whole):
    table = TABLE.sort_values(["label", "job"], kind="stable")
    frames = [table[:200], table[:0], table[200:600], table[600:], table[:0].astype(object)]
    assert table[:600]["label"].nunique() == 1 and table[:200]["job"].nunique() == 1
    same(evaluate_in_chunks(read_chunks(frames), PARTITION), whole)
    new = pd.concat([TABLE, TABLE[-1:].assign(job="pilot")])
    parts = evaluate_in_chunks(read_chunks([new[:2000], new[2000:]]), PARTITION)
    same(parts, evaluate_in_chunks(read_chunks(new), PARTITION))


def test_truth_values_and_mixed_columns_of_a_frame_stay_what_they_are():
    table = TABLE.assign(flag=pd.Series([True, False, None, True] * 500, dtype=object))
    assert next(iter(read_chunks(table, rows=4)))["flag"].tolist() == [True, False, None, True]


def test_a_chunk_of_missing_values_fits_any_column():
    table = TABLE.copy()
    table.loc[:399, ["age", "day"]] = np.nan, pd.NaT
    table.loc[:399, "job"] = None
    blank = table[:400].assign(age=None, day=None)
    same(
        evaluate_in_chunks(read_chunks([blank, table[400:]]), PARTITION),
        evaluate_in_chunks(read_chunks(table), PARTITION),
    )


ALIVE = set()
MOST = []
LOCK = threading.Lock()


def _counted(k):
    frame = draw(50, k)
    with LOCK:
        ALIVE.add(k)
        MOST.append(len(ALIVE))
    weakref.finalize(frame, ALIVE.discard, k)
    return frame


def test_memory_holds_few_chunks_at_a_time():
    frame = dd.from_map(_counted, range(30), meta=draw(5), enforce_metadata=False)
    with dask.config.set(num_workers=2):
        evaluate_in_chunks(read_chunks(frame), PARTITION)
    assert len(MOST) > 60 and max(MOST) <= 6


def _paid(y, p):
    """Cost of acting where p reaches 0.4: 1 for an act without need, 1.5 for a need without an act."""
    return np.where(p >= 0.4, 1.0 - y, 1.5 * y)


def test_scores_and_costs_of_ones_own_are_those_in_memory():
    """0-1 score, cost at a threshold, ECUAS, Chow's cost: all are means over rows."""
    scores = {
        "paid": _paid,
        "0-1": lambda y, p: 1.0 * ((p >= 0.5) != y),
        "ecuas": lambda y, p: ecuas((p >= 0.5) == y, np.maximum(p, 1 - p), n=2) if len(y) else y,
        "chow": lambda y, p: chow_cost((p >= 0.5) == y, np.maximum(p, 1 - p), 0.3) if len(y) else y,
    }
    total = evaluate_in_chunks(read_chunks(TABLE, rows=170), PARTITION, refit=False, scores=scores)
    y = TABLE["label"].to_numpy()
    p = TABLE["score"].to_numpy()
    assert total.scores.se["paid"] == pytest.approx(_paid(y, p).std() / np.sqrt(2000), rel=1e-12)
    for name, score in scores.items():
        assert total.scores.mean[name] == pytest.approx(np.mean(score(y, p)), rel=1e-12)


# ---- sample and others -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("group", [None, "person", "name"])
def test_sample_and_others_share_no_row_and_miss_none(group, parquet):
    table = TABLE.assign(row=np.arange(2000), name=TABLE["person"].map("p{}".format))
    chunks = read_chunks(table, rows=170)
    sample, others = split_chunks(chunks, 0.2, group=group, rng=0)
    rest = pd.concat(list(others))
    assert sorted([*sample["row"], *rest["row"]]) == list(range(2000))
    assert abs(len(sample) / 2000 - 0.2) < 4 * np.sqrt(0.16 / (2000 if group is None else 400)) * 1.3
    with dask.config.set(scheduler="synchronous"):
        again, _ = split_chunks(chunks, 0.2, group=group, rng=0)
    other, _ = split_chunks(chunks, 0.2, group=group, rng=1)
    assert again.equals(sample) and set(other["row"]) != set(sample["row"])
    if group is not None:
        assert not set(sample["person"]) & set(rest["person"])


def test_only_a_few_columns_can_be_read_after_a_split_by_group():
    _, others = split_chunks(read_chunks(TABLE, rows=300), 0.3, group="person", rng=0)
    total = evaluate_in_chunks(others, PARTITION)
    assert total.n == sum(len(frame) for frame in others)


def test_regions_of_a_split_sample_find_what_is_there_and_nothing_more():
    losses = {}
    for strength in (0.0, 0.4):
        sample, others = split_chunks(read_chunks(draw(20_000, 5, strength), rows=3000), 0.3, rng=0)
        losses[strength] = evaluate_in_chunks(others, fit_partition(sample, features=FEATURES, rng=0)).grouping_loss()
    truth = 0.4**2 * 2 / 9
    assert losses[0.0].low < 0 and losses[0.0].p_value > 0.001
    assert losses[0.4].value < truth + 4 * losses[0.4].se and losses[0.4].low > 0.7 * truth


def test_a_calibrator_from_a_small_sample_raises_false_alarms_and_refitting_does_not():
    """A perfect model, 300 rows in the sample and 9,000 evaluated: the calibrator is read as grouping loss."""
    repeats = 25
    draws = []
    for seed in range(repeats):
        rng = np.random.default_rng(seed)
        p = rng.uniform(0.1, 0.9, 9_300)
        table = pd.DataFrame({"label": rng.random(p.size) < p, "score": p, "x": rng.normal(size=p.size)})
        partition = fit_partition(table[:300], rng=0)
        losses = [evaluate_in_chunks(read_chunks(table[300:]), partition, refit=refit) for refit in (True, False)]
        draws.append([(loss.grouping_loss().value, loss.grouping_loss().p_value < 0.05) for loss in losses])
    value, alarm = np.array(draws, float).transpose(2, 1, 0)
    se = value.std(axis=1, ddof=1) / np.sqrt(repeats)
    assert alarm[0].mean() < 0.06 + 4 * np.sqrt(0.06 * 0.94 / repeats) and value[0].mean() < 4 * se[0]
    assert alarm[1].mean() > 0.5 and value[1].mean() > 4 * se[1]


# ---- bad input -------------------------------------------------------------------------------------------------


def frames_with(**changes):
    """Eight frames; row 3 of frame 7 is changed."""
    frames = [TABLE[k * 250 : (k + 1) * 250].reset_index(drop=True) for k in range(8)]
    last = frames[7].astype({column: object for column in changes})
    for column, value in ({"weight": 1.0} | changes).items():
        last.at[3, column] = value
    return [*frames[:7], last]


ALL = fit_partition(SAMPLE, features=FEATURES, weight="weight", group="person", rng=0)


@pytest.mark.parametrize(
    ("frames", "words"),
    [
        (
            frames_with(label=np.nan),
            r"^table 7, chunk 0: column 'label' must hold labels 0 and 1, but in row 3 it is missing",
        ),
        (frames_with(label=-1), r"^table 7, chunk 0: column 'label' must hold labels 0 and 1, but in row 3 it is -1"),
        (frames_with(label=2), r"^table 7, chunk 0: column 'label' must hold labels 0 and 1, but in row 3 it is 2"),
        (frames_with(label="yes"), r"^table 7, chunk 0: column 'label' .* in row 3 it is 'yes'"),
        (
            frames_with(score=1.5),
            r"^table 7, chunk 0: column 'score' must hold probabilities in \[0, 1\], but in row 3 it is 1.5",
        ),
        (frames_with(score=None), r"^table 7, chunk 0: column 'score' .* in row 3 it is missing"),
        (frames_with(weight=-1), r"^table 7, chunk 0: column 'weight' must hold weights .* in row 3 it is -1"),
        (
            frames_with(person=None, weight=1),
            r"^table 7, chunk 0: column 'person' must name the group of every row, but in row 3",
        ),
        (
            frames_with(age="old"),
            r"^table 7, chunk 0 must hold in each column .* but column 'age' holds text \(object\) and not numbers",
        ),
        (frames_with(day=3), r"^table 7, chunk 0 must hold .* column 'day' holds"),
        (
            frames_with(job=[1]),
            r"^table 7, chunk 0: X must hold numbers, text or dates, but column 'job' holds a list in row",
        ),
        (
            [TABLE, TABLE.assign(age=TABLE["job"])],
            r"^table 1, chunk 0 must hold .* 'age' holds text .* and not numbers",
        ),
        (
            [TABLE, TABLE.assign(job=1.5)],
            r"^table 1, chunk 0 must hold .* 'job' holds numbers \(float64\) and not text",
        ),
        ([TABLE, TABLE.assign(person="p")], "groups must be all numbers or all text"),
        (
            [TABLE, TABLE.assign(age=np.inf)],
            r"^table 1, chunk 0: X must be finite or missing, but column 'age' is infinite in row",
        ),
    ],
)
def test_a_bad_chunk_is_named_with_its_row(frames, words):
    with pytest.raises(ValueError, match=words):
        evaluate_in_chunks(read_chunks(frames), ALL, refit=False)


def test_the_row_is_that_of_the_chunk_also_behind_a_split():
    frames = frames_with(label=np.nan)
    found = set()
    for seed in range(12):
        _, others = split_chunks(read_chunks(frames), 0.2, rng=seed)
        try:
            evaluate_in_chunks(others, PARTITION)
        except ValueError as error:
            found.add(str(error).split(", but ")[1])
    assert found == {"in row 3 it is missing."}


def test_the_same_rows_are_left_out_whichever_columns_are_read(parquet):
    """Few columns of a Parquet file are few bytes, and dask would like to make fewer partitions of them."""
    _, others = split_chunks(read_chunks(parquet), 0.3, rng=0)
    parts = others.parts(["score"])
    assert len(parts) == 8 == len(others.parts())
    scores = pd.concat(dask.compute(*others.tasks(lambda frame, name: frame, parts, ["score"])))
    assert scores["score"].tolist() == pd.concat(list(others))["score"].tolist()


def test_a_text_column_that_looks_like_numbers_at_first_is_read_as_it_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr("helpers.chunks.tables.CSV_BYTES", 100_000)
    table = pd.concat([TABLE[["label", "score"]]] * 10).assign(code=["7"] * 19_000 + ["a7"] * 1000)
    table.to_csv(tmp_path / "codes.csv", index=False)
    with pytest.raises(ValueError, match=r"^codes.csv, chunk \d: it cannot be read .*code"):
        split_chunks(read_chunks(tmp_path / "codes.csv"), 0.5, rng=0)
    chunks = read_chunks(dd.read_csv(tmp_path / "codes.csv", dtype={"code": str}))
    sample, others = split_chunks(chunks, 0.5, rng=0)
    assert evaluate_in_chunks(others, fit_partition(sample, rng=0)).n == 20_000 - len(sample)


class Polars:
    """A table of another library."""


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda path: read_chunks(path / "none.parquet"), "none.parquet does not exist"),
        (lambda path: read_chunks(path / "table.xlsx"), "table.xlsx must be a table in one of the formats"),
        (lambda path: read_chunks([]), "source must name at least one table"),
        (lambda path: read_chunks(iter([TABLE])), "source must be a path, .* but it is a builtins.list_iterator"),
        (lambda path: read_chunks([TABLE, "table.csv"]), r"source must be a list .* source\[1\] is a builtins.str"),
        (lambda path: read_chunks([Polars(), Polars()]), r"source\[0\] is a test_chunks.Polars"),
        (lambda path: read_chunks(TABLE, rows=0), "rows must be a whole number of at least 1"),
        (
            lambda path: list(read_chunks(TABLE, columns=["labels"])),
            "source has no column 'labels'; did you mean 'label'",
        ),
        (lambda path: list(read_chunks(path / "cut.parquet")), "cut.parquet cannot be read"),
        (lambda path: list(read_chunks([path / "cut.parquet"] * 2)), "cut.parquet occurs 2 times"),
        (lambda path: list(read_chunks(path / "wide.csv")), "wide.csv cannot be read: .*line 4"),
        (lambda path: read_chunks(path / "twice.csv"), "twice.csv cannot be read: .* more than one column named 'a'"),
        (lambda path: read_chunks(path / "empty.csv"), "empty.csv cannot be read: "),
        (lambda path: read_chunks(path / "cut.csv.gz"), "cut.csv.gz cannot be read: "),
        (
            lambda path: read_chunks(pd.concat([TABLE, TABLE[["age"]]], axis=1)),
            "source has more than one column .* 'age'",
        ),
        (lambda path: read_chunks(TABLE, columns="label"), "columns must be a list of names"),
        (lambda path: split_chunks(read_chunks(TABLE), "0.1"), "share must lie between 0 and 1"),
        (lambda path: evaluate_in_chunks(TABLE, PARTITION), "chunks must come from read_chunks .* a DataFrame"),
        (lambda path: split_chunks(TABLE, 0.1), "chunks must come from read_chunks"),
        (lambda path: evaluate_in_chunks(read_chunks(TABLE), TABLE), "partition must come from fit_partition"),
        (lambda path: evaluate_in_chunks(read_chunks(TABLE), PARTITION, scores=["score"]), "scores must be a dict"),
        (
            lambda path: evaluate_in_chunks(read_chunks(TABLE.assign(person=2.0**53)), ALL, refit=False),
            r"column 'person' must name groups by text where their numbers reach 2\*\*53",
        ),
        (lambda path: split_chunks(read_chunks(TABLE), 1.0), "share must lie between 0 and 1"),
        (lambda path: split_chunks(read_chunks(TABLE), 1e-9, rng=0), "no row was drawn"),
        (lambda path: split_chunks(read_chunks(TABLE), 0.1, group="who"), "no column 'who'"),
        (
            lambda path: read_chunks([TABLE, TABLE.assign(z=1)]),
            "source must be tables with the same columns, but of the first and table 1 only one has 'z'",
        ),
        (lambda path: fit_partition(TABLE, label="lable"), "sample has no column 'lable'; did you mean 'label'"),
        (lambda path: fit_partition(TABLE, features=["score"]), "must be different columns"),
        (lambda path: fit_partition(TABLE.assign(label=0)), "label must hold both classes"),
        (lambda path: fit_partition(TABLE, calibrator="plat"), "calibrator must be one of"),
        (
            lambda path: evaluate_in_chunks(read_chunks(TABLE.assign(label=1)), PARTITION),
            "label must hold both classes in",
        ),
        (
            lambda path: evaluate_in_chunks(read_chunks(TABLE[:0]), PARTITION),
            "label must hold both classes in the chunks",
        ),
        (
            lambda path: evaluate_in_chunks(read_chunks(TABLE.assign(score=0.5)), PARTITION),
            "score must take at least two different values",
        ),
        (
            lambda path: evaluate_in_chunks(split_chunks(read_chunks(TABLE), 0.1)[1], ALL),
            "chunks must be split by the group",
        ),
    ],
)
def test_a_wrong_call_is_named(call, words, tmp_path):
    (tmp_path / "cut.parquet").write_bytes(b"PAR1 and no more")
    (tmp_path / "wide.csv").write_text("a,b\n1,2\n1,2\n1,2,3\n1,2\n")
    (tmp_path / "twice.csv").write_text("a,a\n1,2\n")
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "cut.csv.gz").write_bytes(gzip.compress(b"a,b\n1,2\n3,4\n")[:-9])
    with pytest.raises(ValueError, match=words):
        call(tmp_path)


def test_frames_are_left_as_they_were(whole):
    before = TABLE.copy()
    split_chunks(read_chunks(TABLE, rows=100), 0.5, rng=0)
    assert TABLE.equals(before)


def test_a_damaged_file_is_named_and_a_mended_one_read_anew(parquet, tmp_path):
    path = tmp_path / "scores.parquet"
    column = pq.ParquetFile(parquet).metadata.row_group(5).column(1)
    data = bytearray(parquet.read_bytes())
    start = column.dictionary_page_offset or column.data_page_offset
    data[start : start + column.total_compressed_size] = b"\xff" * column.total_compressed_size
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"^scores.parquet, chunk 5: it cannot be read \(\w+: .+\)\.$"):
        evaluate_in_chunks(read_chunks(path), PARTITION)
    changed = TABLE.copy()
    changed.loc[[901, 1203], "label"] = 1 - changed.loc[[901, 1203], "label"]
    chunks = read_chunks(parquet)
    before = evaluate_in_chunks(chunks, PARTITION)
    for table, now in ((TABLE, before), (changed, None)):
        table.to_parquet(path, row_group_size=250)
        total = evaluate_in_chunks(read_chunks(path), PARTITION)
        identical(total, now or evaluate_in_chunks(read_chunks(changed, rows=250), PARTITION))
    assert total.grouping_loss().value != before.grouping_loss().value


def test_without_dask_a_sentence_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "dask.dataframe", None)
    with pytest.raises(ImportError, match=r"need dask .*honest-confidence\[scale\]"):
        read_chunks(TABLE)


def test_a_sample_is_a_table():
    with pytest.raises(ValueError, match=r"sample must be a DataFrame \(`split_chunks` gives one\)"):
        fit_partition(read_chunks(TABLE), rng=0)


# ---- workers ---------------------------------------------------------------------------------------------------


def test_any_number_of_threads_gives_the_very_same(parquet):
    want = evaluate_in_chunks(read_chunks(parquet), PARTITION)
    for options in ({"scheduler": "synchronous"}, {"num_workers": 2}, {"num_workers": 7}):
        with dask.config.set(options):
            identical(evaluate_in_chunks(read_chunks(parquet), PARTITION), want)


@pytest.fixture(scope="module")
def cluster():
    with two_workers() as client:
        yield client


def _die_once(frame, marker):
    """Kills the worker that is the first to work on a partition."""
    if len(frame) > 1 and not os.path.exists(marker):
        open(marker, "w").close()
        os._exit(1)
    return frame


def _no_disk(frame):
    if 1800 in frame.index:
        raise OSError("the disk is gone")
    return frame


def tosses(n, bias, rng):
    return [{"value": rng.binomial(n, bias) / n, "process": os.getpid()}]


def test_a_cluster_names_what_is_wrong_and_a_killed_worker_changes_nothing(cluster, tmp_path):
    frame = dd.from_pandas(TABLE, npartitions=6)
    with dask.config.set(scheduler="synchronous"):
        want = evaluate_in_chunks(read_chunks(frame), PARTITION)
    bad = frame.map_partitions(_no_disk, meta=frame)
    with pytest.raises(ValueError, match=r"^chunk 5: it cannot be read \(OSError: the disk is gone\)"):
        evaluate_in_chunks(read_chunks(bad), PARTITION)
    wrong = dd.from_pandas(TABLE.assign(label=TABLE["label"].where(TABLE.index != 1999, 2)), npartitions=6)
    with pytest.raises(ValueError, match=r"^chunk 5: column 'label' must hold labels 0 and 1, but in row \d+ it is 2"):
        evaluate_in_chunks(read_chunks(wrong), PARTITION, refit=False)
    dying = frame.map_partitions(_die_once, str(tmp_path / "died"), meta=frame)
    identical(evaluate_in_chunks(read_chunks(dying), PARTITION), want)
    assert (tmp_path / "died").exists()


def test_repeated_work_on_the_cluster_is_the_same_table(cluster):
    cases = {"n": [10, 1000], "bias": [0.2, 0.5]}
    alone = repeat(tosses, cases, 3, rng=7)
    cluster.wait_for_workers(2)  # one of them died in the test before; with a single one joblib stays at home
    with joblib.parallel_config("dask", n_jobs=2):
        both = repeat(tosses, cases, 3, rng=7)
    assert not set(both["process"]) & set(alone["process"])
    pd.testing.assert_frame_equal(both.drop(columns="process"), alone.drop(columns="process"))
