"""Tables in chunks: the same result as in memory, whatever the source and the workers; bad chunks are named."""

import gzip
import threading
import weakref

import numpy as np
import pandas as pd
import pytest

from helpers.calibration import PlattCalibrator, calibration_error
from helpers.grouping import grouping_loss_from_regions
from helpers.practice.chunks import evaluate_in_chunks, fit_partition, read_chunks, split_chunks
from helpers.practice.chunks.weather import two_workers
from helpers.selective import ecuas

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
    return pd.DataFrame({
        "label": (rng.random(n) < q).astype(int), "score": p, "age": np.where(rng.random(n) < 0.1, np.nan, age),
        "job": job, "day": day, "weight": rng.choice([0.0, 1.0, 2.5], n), "person": rng.integers(0, n // 5, n),
    })  # fmt: skip


FEATURES = ["age", "job", "day"]
SAMPLE = draw(800, 1)
TABLE = draw(2000, 2)
PARTITION = fit_partition(SAMPLE, features=FEATURES, rng=0)


def run(source, partition=PARTITION, **options):
    return evaluate_in_chunks(read_chunks(source), partition, **options)


def identical(total, want):
    """To the last bit."""
    assert np.array_equal(total.regions.moments, want.regions.moments) and total.scores.mean == want.scores.mean
    assert np.array_equal(total.reliability.moments, want.reliability.moments)


def alike(got, want, names):
    for name in names.split():
        np.testing.assert_allclose(getattr(got, name), getattr(want, name), rtol=1e-12, atol=1e-12)


def same(total, want):
    """Losses, errors and scores agree."""
    alike(total.grouping_loss(), want.grouping_loss(), "value low high p_value n")
    alike(total.calibration_error(rng=0), want.calibration_error(rng=0), "value low high p_value n")
    np.testing.assert_allclose(list(total.scores.mean.values()), list(want.scores.mean.values()), rtol=1e-12)


@pytest.fixture(scope="module")
def whole():
    return run(TABLE)


@pytest.fixture(scope="module")
def parquet(tmp_path_factory):
    path = tmp_path_factory.mktemp("tables") / "scores.parquet"
    TABLE.to_parquet(path, row_group_size=250)
    return path


@pytest.fixture(scope="module")
def of_parquet(parquet):
    return run(parquet)


@pytest.mark.slow
@pytest.mark.parametrize("weight", [None, "weight"])
@pytest.mark.parametrize("group", [None, "person"])
def test_the_result_is_that_of_the_rows_in_memory(weight, group):
    partition = fit_partition(SAMPLE, features=FEATURES, weight=weight, group=group, rng=0)
    table = TABLE if group is None else TABLE.round({"score": 2})  # few scores: they are counted
    total = evaluate_in_chunks(read_chunks(table, rows=490), partition)
    rows = table if weight is None else table[table["weight"] > 0]
    y, p = rows[["label", "score"]].to_numpy(float).T
    w = None if weight is None else rows["weight"].to_numpy()
    groups = None if group is None else rows["person"].to_numpy()
    c = PlattCalibrator().fit(p, y, w).predict(p)
    region = partition.tree.apply(rows[FEATURES].assign(**{"stated probability": p}))
    loss = total.grouping_loss()
    want = grouping_loss_from_regions(y - c, region, sample_weight=w, groups=groups)
    alike(loss, want, "value se low high p_value plugin n n_regions left_out")
    assert loss.calibration_loss == pytest.approx(np.average((p - c) ** 2, weights=w), abs=1e-12)
    error = calibration_error(y, p, sample_weight=w, groups=groups, rng=0)
    alike(total.calibration_error(rng=0), error, "value high")
    assert total.n == len(rows)


@pytest.mark.slow
def test_every_source_gives_the_same(whole, parquet, tmp_path, monkeypatch):
    monkeypatch.setattr("helpers.practice.chunks.tables.CSV_BYTES", 30_000)
    TABLE.to_csv(tmp_path / "scores.csv", index=False, float_format="%.17g")
    TABLE[:700].to_csv(tmp_path / "first.csv.gz", index=False, float_format="%.17g")
    TABLE[700:].to_parquet(tmp_path / "second.parquet", row_group_size=500)
    frames = [TABLE[start : start + 700] for start in range(0, 2000, 700)]
    reading = {"columns": ["label", "score", *FEATURES], "rows": 555}
    on_dask = dd.from_pandas(TABLE, npartitions=3)
    for source in (frames[::-1], str(parquet), TABLE, on_dask):
        same(evaluate_in_chunks(read_chunks(source, **reading), PARTITION), whole)
    text = fit_partition(SAMPLE, features=["age", "job"], rng=0)  # dates are text in a CSV
    want = evaluate_in_chunks(read_chunks(TABLE), text)
    assert len(list(read_chunks(tmp_path / "scores.csv"))) > 3
    for source in (tmp_path / "scores.csv", [tmp_path / "first.csv.gz", tmp_path / "second.parquet"]):
        same(evaluate_in_chunks(read_chunks(source), text), want)


def test_numbers_of_a_csv_may_miss_late_and_become_fractions(tmp_path, monkeypatch):
    """The first lines hold whole numbers, a later piece holds fractions and gaps."""
    monkeypatch.setattr("helpers.practice.chunks.tables.CSV_BYTES", 20_000)
    table = pd.DataFrame({"label": np.arange(40_000) % 2, "score": TABLE["score"].to_numpy()[np.arange(40_000) % 2000]})
    table["age"] = np.where(np.arange(40_000) < 39_000, 7.0, np.where(np.arange(40_000) % 3, 1.5, np.nan))
    table.astype({"age": object}).replace({7.0: 7}).to_csv(tmp_path / "late.csv", index=False)
    assert pd.concat(read_chunks(tmp_path / "late.csv"))["age"].reset_index(drop=True).equals(table["age"])


def test_a_label_and_a_category_may_come_late_and_chunks_may_be_empty(whole):
    table = TABLE.sort_values(["label", "job"], kind="stable")
    frames = [table[:200], table[:0], table[200:600], table[600:], table[:0].astype(object)]
    assert table[:600]["label"].nunique() == 1 and table[:200]["job"].nunique() == 1
    same(run(frames), whole)
    new = pd.concat([TABLE, TABLE[-1:].assign(job="pilot")])
    same(run([new[:2000], new[2000:]]), run(new))


def test_a_chunk_of_missing_values_fits_any_column():
    table = TABLE.copy()
    table.loc[:399, ["age", "day"]] = np.nan, pd.NaT
    table.loc[:399, "job"] = None
    blank = table[:400].assign(age=None, day=None)
    same(run([blank, table[400:]]), run(table))


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


@pytest.mark.slow
def test_memory_holds_few_chunks_at_a_time():
    frame = dd.from_map(_counted, range(30), meta=draw(5), enforce_metadata=False)
    with dask.config.set(num_workers=2):
        run(frame, refit=False)
    assert len(MOST) >= 30 and max(MOST) <= 6


def test_scores_of_ones_own_are_those_in_memory():
    def paid(y, p):  # 1 for an act without need, 1.5 for a need without an act
        return np.where(p >= 0.4, 1.0 - y, 1.5 * y)

    def cascade(y, p):
        return ecuas((p >= 0.5) == y, np.maximum(p, 1 - p), n=2)

    scores = {"paid": paid, "ecuas": cascade}
    found = evaluate_in_chunks(read_chunks(TABLE, rows=170), PARTITION, refit=False, scores=scores).scores
    for name, score in scores.items():
        values = score(TABLE["label"].to_numpy(), TABLE["score"].to_numpy())
        assert found.mean[name] == pytest.approx(values.mean(), rel=1e-12)
        assert found.se[name] == pytest.approx(values.std() / np.sqrt(2000), rel=1e-12)


@pytest.mark.parametrize("group", [None, "person", "name"])
def test_sample_and_others_share_no_row_and_miss_none(group):
    table = TABLE.assign(row=np.arange(2000), name=TABLE["person"].map("p{}".format))
    chunks = read_chunks(table, rows=500)
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


def test_regions_of_a_split_sample_find_what_is_there_and_nothing_more():
    losses = {}
    for strength in (0.0, 0.4):
        sample, others = split_chunks(read_chunks(draw(20_000, 5, strength), rows=3000), 0.3, rng=0)
        losses[strength] = evaluate_in_chunks(others, fit_partition(sample, features=FEATURES, rng=0)).grouping_loss()
    truth = 0.4**2 * 2 / 9
    assert losses[0.0].low < 0 and losses[0.0].p_value > 0.001
    assert losses[0.4].value < truth + 4 * losses[0.4].se and losses[0.4].low > 0.7 * truth


def with_bad_row(**changes):
    """Two frames; row 3 of the second is changed."""
    bad = TABLE[250:500].reset_index(drop=True).astype({column: object for column in changes})
    for column, value in ({"weight": 1.0} | changes).items():
        bad.at[3, column] = value
    return [TABLE[:250], bad]


ALL = fit_partition(SAMPLE, features=FEATURES, weight="weight", group="person", rng=0)


CELLS = {"label": (np.nan, -1, "yes"), "score": (1.5, None), "weight": (-1, 1e300), "person": (None,)}


@pytest.mark.slow
@pytest.mark.parametrize(("column", "value"), [(column, value) for column in CELLS for value in CELLS[column]])
def test_a_bad_chunk_is_named_with_its_row(column, value):
    with pytest.raises(ValueError, match=rf"^table 1, chunk 0: .*column '{column}' .* in row 3"):
        run(with_bad_row(**{column: value}), ALL, refit=False)


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (with_bad_row(age="old")[1], "'age' holds text"),
        (with_bad_row(day=3)[1], "'day'"),
        (with_bad_row(job=[1])[1], "'job' holds a list"),
        (TABLE.assign(job=1.5), "'job' holds numbers"),
        (TABLE.assign(age=np.inf), "'age' is infinite"),
    ],
)
def test_a_chunk_that_holds_something_else_is_named(other, words):
    with pytest.raises(ValueError, match=f"^table 1.*{words}"):
        run([TABLE, other], ALL, refit=False)


def test_the_same_rows_are_left_out_whichever_columns_are_read(parquet):
    """Few columns of a Parquet file are few bytes, and dask would like to make fewer partitions of them."""
    _, others = split_chunks(read_chunks(parquet), 0.3, rng=0)
    parts = others.parts(["score"])
    assert len(parts) == 8 == len(others.parts())
    scores = pd.concat(dask.compute(*others.tasks(lambda frame, name: frame, parts, ["score"])))
    assert scores["score"].tolist() == pd.concat(list(others))["score"].tolist()


def test_a_text_column_that_looks_like_numbers_at_first_is_read_as_it_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr("helpers.practice.chunks.tables.CSV_BYTES", 100_000)
    table = pd.concat([TABLE[["label", "score"]]] * 10).assign(code=["7"] * 19_000 + ["a7"] * 1000)
    table.to_csv(tmp_path / "codes.csv", index=False)
    with pytest.raises(ValueError, match=r"^codes.csv, chunk \d: it cannot be read .*code"):
        split_chunks(read_chunks(tmp_path / "codes.csv"), 0.5, rng=0)
    chunks = read_chunks(dd.read_csv(tmp_path / "codes.csv", dtype={"code": str}))
    sample, others = split_chunks(chunks, 0.5, rng=0)
    assert evaluate_in_chunks(others, fit_partition(sample, rng=0)).n == 20_000 - len(sample)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda path: read_chunks(path / "none.parquet"), "^none.parquet"),
        (lambda path: read_chunks(path / "table.xlsx"), r"^table.xlsx must be .*\.csv"),
        (lambda path: read_chunks(path / "cut.parquet"), "^cut.parquet cannot be read"),
        (lambda path: read_chunks([path / "cut.parquet"] * 2), "^source .* cut.parquet occurs 2 times"),
        (lambda path: list(read_chunks(path / "wide.csv")), "wide.csv.* cannot be read: .*line 4"),
        (lambda path: read_chunks(path / "twice.csv"), "^twice.csv .* 'a'"),
        (lambda path: read_chunks(path / "empty.csv"), "^empty.csv cannot be read"),
        (lambda path: read_chunks(path / "cut.csv.gz"), "^cut.csv.gz cannot be read"),
        (lambda path: read_chunks([]), "^source .* an empty list"),
        (lambda path: read_chunks(iter([TABLE])), "^source .* list_iterator"),
        (lambda path: read_chunks([TABLE, "table.csv"]), "^source .* a list of DataFrame and str"),
        (lambda path: read_chunks(pd.concat([TABLE, TABLE[["age"]]], axis=1)), "^source .* 'age'"),
        (lambda path: read_chunks([TABLE, TABLE.assign(z=1)]), "^source .* 'z'"),
        (lambda path: read_chunks(TABLE, rows=0), "^rows"),
        (lambda path: read_chunks(TABLE, columns="label"), "^columns"),
        (lambda path: read_chunks(TABLE, columns=["labels"]), "'labels'; did you mean 'label'"),
        (lambda path: split_chunks(TABLE, 0.1), "^chunks"),
        (lambda path: split_chunks(read_chunks(TABLE), "0.1"), "^share"),
        (lambda path: split_chunks(read_chunks(TABLE), 1.0), "^share"),
        (lambda path: split_chunks(read_chunks(TABLE), 1e-9, rng=0), "^share"),
        (lambda path: split_chunks(read_chunks(TABLE), 0.1, group="who"), "'who'"),
        (lambda path: fit_partition(read_chunks(TABLE)), "^sample"),
        (lambda path: fit_partition(TABLE, label="lable"), "^sample .* 'lable'; did you mean 'label'"),
        (lambda path: fit_partition(TABLE, features=["score"]), "^label, score, weight, group and features"),
        (lambda path: fit_partition(TABLE.assign(label=0)), "^label"),
        (lambda path: fit_partition(TABLE, calibrator="plat"), "^calibrator"),
        (lambda path: evaluate_in_chunks(TABLE, PARTITION), "^chunks"),
        (lambda path: evaluate_in_chunks(split_chunks(read_chunks(TABLE), 0.1)[1], ALL), "^chunks .* split .* group"),
        (lambda path: run(TABLE, TABLE), "^partition"),
        (lambda path: run(TABLE, scores=["score"]), "^scores"),
        (lambda path: run(TABLE.assign(label=1)), "label must hold both classes"),
        (lambda path: run(TABLE[:0]), "label must hold both classes"),
        (lambda path: run(TABLE.assign(score=0.5)), "score must take at least two different values"),
        (lambda path: run([TABLE, TABLE.assign(person="p")], ALL, refit=False), "^groups"),
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


def test_a_damaged_file_is_named_and_a_mended_one_read_anew(parquet, of_parquet, tmp_path):
    path = tmp_path / "scores.parquet"
    column = pq.ParquetFile(parquet).metadata.row_group(5).column(1)
    data = bytearray(parquet.read_bytes())
    start = column.dictionary_page_offset or column.data_page_offset
    data[start : start + column.total_compressed_size] = b"\xff" * column.total_compressed_size
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"^scores.parquet, chunk 5: it cannot be read \(\w+: .+\)\.$"):
        run(path)
    path.write_bytes(parquet.read_bytes())
    identical(run(path), of_parquet)


def test_without_dask_a_sentence_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "dask.dataframe", None)
    with pytest.raises(ImportError, match=r"need dask .*honest-confidence\[scale\]"):
        read_chunks(TABLE)


@pytest.mark.slow
def test_any_number_of_threads_gives_the_very_same(parquet, of_parquet):
    for options in ({"scheduler": "synchronous"}, {"num_workers": 7}):
        with dask.config.set(options):
            identical(run(parquet), of_parquet)


@pytest.fixture(scope="module")
def cluster():
    with two_workers() as client:
        yield client


def _no_disk(frame):
    if 1800 in frame.index:
        raise OSError("the disk is gone")
    return frame


@pytest.mark.slow
def test_a_cluster_says_the_same_and_names_what_is_wrong(cluster):
    """That a killed worker changes nothing is a claim of notebook 15's checks."""
    frame = dd.from_pandas(TABLE, npartitions=6)
    with dask.config.set(scheduler="synchronous"):
        want = run(frame)
    identical(run(frame), want)
    with pytest.raises(ValueError, match=r"^chunk 5: it cannot be read \(OSError: the disk is gone\)"):
        run(frame.map_partitions(_no_disk, meta=frame))
    wrong = TABLE.assign(label=TABLE["label"].where(TABLE.index != 1999, 2))
    with pytest.raises(ValueError, match=r"^chunk 5: column 'label' .* in row \d+"):
        run(dd.from_pandas(wrong, npartitions=6), refit=False)
