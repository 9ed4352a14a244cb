"""Tables that can be read: formats, roles, features, what is left out and what is said about it."""

import datetime as dt
import decimal
import gzip

import numpy as np
import pandas as pd
import pytest

from helpers.datasets import download as _download
from helpers.partition.encoder import TableEncoder
from helpers.tables import files, find_table, read_answers, read_scores
from helpers.tables.features import tidy_features


def good(n=60, seed=0):
    """A small table in which everything is right."""
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.05, 0.95, n).round(4)
    return pd.DataFrame({
        "age": rng.integers(18, 90, n),
        "income": rng.normal(30, 5, n).round(2),
        "school": rng.choice(["high, school", "college"], n),
        "label": np.r_[0, 1, (rng.random(n - 2) < p[2:]).astype(int)],
        "score": p,
    })  # fmt: skip


@pytest.fixture
def save(tmp_path):
    def save(frame, name="my.csv"):
        path = tmp_path / name
        ending = name.lower().removesuffix(".gz").rpartition(".")[2]
        if ending in ("csv", "tsv"):
            frame.to_csv(path, index=False, sep="\t" if ending == "tsv" else ",")
        elif ending == "jsonl":
            frame.to_json(path, orient="records", lines=True, double_precision=15)
        elif ending == "xlsx":
            pytest.importorskip("openpyxl", reason="Excel needs openpyxl")
            frame.to_excel(path, index=False)
        else:
            pytest.importorskip("pyarrow", reason="Parquet and Feather need pyarrow")
            getattr(frame, f"to_{ending}")(path)
        return path

    return save


@pytest.mark.parametrize(
    "name", ["my.csv", "my.csv.gz", "MY.CSV", "my.tsv", "my.parquet", "my.feather", "my.jsonl", "my.xlsx", "frame"]
)
def test_every_format_gives_the_same_table(save, tmp_path, name):
    frame = good()
    before = sorted(tmp_path.iterdir())
    path = frame if name == "frame" else save(frame, name)
    table = read_scores(path)
    assert (table.name, table.n, table.label, table.score) == (
        "the table" if name == "frame" else name, 60, "label", "score",
    )  # fmt: skip
    assert table.y.dtype == np.int8 and table.p.dtype == float
    np.testing.assert_array_equal(table.y, frame["label"])
    np.testing.assert_array_equal(table.p, frame["score"])
    np.testing.assert_array_equal(table.X["income"], frame["income"])
    assert table.features == ["age", "income", "school"] and isinstance(table.X["school"].dtype, pd.CategoricalDtype)
    np.testing.assert_array_equal(table.X["school"].astype(object), frame["school"])
    assert table.weight is None and table.groups is None and table.dropped == {} and table.note == ""
    assert str(table).startswith(f"{table.name}: 60 rows, 3 features; ")
    if name != "frame":
        assert sorted(tmp_path.iterdir()) == sorted([*before, path])


# ---- how CSV may be written -----------------------------------------------------------------------------------


def written(encoding="utf-8", sep=",", decimal=".", frame=None, **options):
    """A good table with a letter that depends on the encoding, as bytes."""
    frame = good() if frame is None else frame
    frame = frame.assign(school=np.where(frame["school"] == "college", "collège", frame["school"]))
    return frame.to_csv(index=False, sep=sep, decimal=decimal, **options).encode(encoding)


WAYS = {  # the bytes, and what the note says
    "plain": (written(), ""),
    "byte order mark": (written("utf-8-sig"), ""),
    "windows lines": (written(lineterminator="\r\n"), ""),
    "old mac lines": (written(lineterminator="\r"), ""),
    "blank lines": (b"\n\n" + written().replace(b"\n", b"\n\n", 7), ""),
    "white lines": (written().replace(b"\n", b"\n  \n", 7), ""),
    "all quoted": (written(quoting=1), ""),
    "semicolons": (written(sep=";"), "semicolons"),
    "semicolons and decimal commas": (written(sep=";", decimal=","), "decimal comma"),
    "Excel in Germany": (written("cp1252", sep=";", decimal=",", lineterminator="\r\n"), "Windows-1252"),
    "Excel's Unicode text": (written("utf-16", sep="\t", decimal=","), "tabs"),
    "tabs": (written(sep="\t"), "tabs"),
    "bars": (written(sep="|"), "bars"),
    "latin-1": (written("latin-1"), "Windows-1252"),
    "utf-16": (written("utf-16"), ""),
    "no line end": (written().rstrip(b"\n"), "the last line has no line end"),
    "a long field": (written(frame=good().assign(note=["x, " * 50_000, *["short"] * 59])), ""),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_ways_to_write_csv(tmp_path, way):
    frame = good()
    folder = tmp_path / "Ordner für alle"
    folder.mkdir()
    content, note = WAYS[way]
    path = folder / "Größe 1.csv"
    path.write_bytes(content)
    table = read_scores(path)
    np.testing.assert_array_equal(table.y, frame["label"])
    np.testing.assert_array_equal(table.p, frame["score"])
    np.testing.assert_array_equal(table.X["income"], frame["income"])
    assert table.features[:3] == ["age", "income", "school"]
    assert set(table.X["school"]) == {"high, school", "collège"}
    assert note in table.note and bool(table.note) == bool(note)


def test_numbers_are_exact_to_the_last_digit(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.random(2000) * 10.0 ** rng.integers(-300, 300, 2000)
    frame = pd.DataFrame({"x": x, "label": np.arange(2000) % 2, "score": rng.random(2000)})
    frame.to_csv(tmp_path / "my.csv", index=False)
    frame.to_csv(tmp_path / "comma.csv", index=False, sep=";", decimal=",")
    for name in ("my.csv", "comma.csv"):
        table = read_scores(tmp_path / name)
        np.testing.assert_array_equal(table.X["x"], x)
        np.testing.assert_array_equal(table.p, frame["score"])


def test_thousands_are_not_taken_for_decimals(tmp_path):
    """Two columns of thousands in a file with tabs outnumber the decimal points of the score."""
    frame = good().assign(rent=[f"{k:,}" for k in range(1001, 1061)], wage=[f"{k:,}" for k in range(2002, 2062)])
    frame.to_csv(tmp_path / "my.tsv", index=False, sep="\t")
    table = read_scores(tmp_path / "my.tsv")
    assert "'rent' is no column of numbers" in table.note and "decimal comma" not in table.note
    answers = pd.DataFrame({"question": ["a", "a", "b", "b"], "answer": ["1,234", "1234", "2,000", "2000"]})
    answers.to_csv(tmp_path / "my.tsv", index=False, sep="\t")
    assert read_answers(tmp_path / "my.tsv", rule="exact").grouped.labels[0] == ("1,234", "1234")


def test_the_last_column_may_have_gaps(tmp_path):
    """A line that is too short has them as well, and is refused (test_bad_tables.py)."""
    frame = good().assign(last=["a, b", None, None] * 20)
    frame.to_csv(tmp_path / "my.csv", index=False)
    assert read_scores(tmp_path / "my.csv").X["last"].isna().sum() == 40
    frame.assign(last=[1, None, None] * 20, school="x").to_csv(tmp_path / "my.csv", index=False)
    assert read_scores(tmp_path / "my.csv").X["last"].isna().sum() == 40


def test_excel_keeps_types_and_gaps(tmp_path):
    pytest.importorskip("openpyxl", reason="Excel needs openpyxl")
    frame = good().assign(code=[f"0{k % 7}" for k in range(60)], seen=pd.date_range("2024-01-01", periods=60))
    frame["age"] = frame["age"].where(frame["age"] > 30)
    with pd.ExcelWriter(tmp_path / "my.xlsx") as book:
        frame.to_excel(book, index=False, sheet_name="Scores")
        good().to_excel(book, index=False, sheet_name="More")
    table = read_scores(tmp_path / "my.xlsx")
    assert set(table.X["code"]) == set(range(7)) and table.X["seen"].dtype.kind == "M"
    np.testing.assert_array_equal(table.X["age"], frame["age"])
    assert "'Scores'" in table.note


def test_a_frame_may_have_any_names_and_index():
    frame = good().assign(**{"seen": pd.date_range("2024-01-01", periods=60)})
    frame[7] = np.arange(60) % 4
    frame.index = np.arange(60)[::-1] * 3
    table = read_scores(frame)
    assert table.features == ["age", "income", "school", "seen", "7"] and table.sha256 == ""
    np.testing.assert_array_equal(table.p, frame["score"])


def test_paths_are_looked_up_here_then_in_the_repository(save, tmp_path, monkeypatch):
    path = save(good())
    monkeypatch.chdir(tmp_path)
    assert read_scores("my.csv").n == 60
    for shipped in ("data/rand_scores.csv.gz", "rand_scores.csv.gz"):
        assert find_table(shipped) == _download.DATA_FOLDER / "rand_scores.csv.gz"
    folder = tmp_path / "site-packages" / "helpers" / "_data"
    folder.mkdir(parents=True)
    (folder / "rand_scores.csv.gz").write_bytes(gzip.compress(path.read_bytes()))
    monkeypatch.setattr(files, "DATA_FOLDER", folder)  # as in an installed wheel
    assert find_table("data/rand_scores.csv.gz") == folder / "rand_scores.csv.gz"


# ---- roles and features ---------------------------------------------------------------------------------------


def test_roles_are_taken_out_of_the_features(save):
    frame = good().assign(w=2.5, who=np.repeat(["ann", "bob", "eve", "joe", "kim"], 12))
    frame = frame.rename(columns={"label": "y", "score": "p"})
    frame.loc[3, "w"] = 0
    table = read_scores(save(frame), "y", "p", weight="w", group="who")
    assert table.features == ["age", "income", "school"]
    assert table.weight[:4].tolist() == [2.5, 2.5, 2.5, 0]
    assert np.bincount(table.groups).tolist() == [12] * 5
    assert "in 5 groups, weighted" in str(table)


@pytest.mark.parametrize("features", [["school", "age"], "school,age", "school, age"])
def test_features_can_be_chosen(save, features):
    assert read_scores(save(good()), features=features).features == ["school", "age"]
    assert read_scores(save(good()), features="school").features == ["school"]


@pytest.mark.parametrize(
    "labels",
    [lambda y: y == 1, lambda y: y.astype(float), lambda y: y.map({0: "0", 1: "1"}), lambda y: y.astype("int8")],
    ids=["bool", "float", "text", "int8"],
)
@pytest.mark.parametrize("name", ["my.csv", "my.parquet"])
def test_labels_may_be_written_in_several_ways(save, labels, name):
    frame = good()
    table = read_scores(save(frame.assign(label=labels(frame["label"])), name))
    np.testing.assert_array_equal(table.y, frame["label"])


def test_useless_columns_are_left_out_and_listed(save):
    n = 60
    frame = good(n).assign(
        row=np.arange(n) + 7, empty=np.nan, same="x", name=[f"person {i}" for i in range(n)], answer=good(n)["label"]
    )
    table = read_scores(save(frame))
    assert table.features == ["age", "income", "school"]
    assert table.dropped == {
        "row": "a row number",
        "empty": "all missing",
        "same": "constant",
        "name": "its own text in nearly every row",
        "answer": "gives the outcome away",
    }


@pytest.mark.parametrize(
    ("values", "note"),
    [
        ([1.5] * 59 + ["?"], "'z' is no column of numbers, because '?' is none"),
        ([*np.round(np.arange(58) / 7, 3), "unknown", "refused"], "because 'unknown' and 1 other value are none"),
        (
            [f"-0,{k}" for k in range(300, 360)],
            "'-0,300' and 59 other values are none (write decimals with a point, and thousands without a comma)",
        ),
        ([f"1,{k}" for k in range(100, 130)] * 2, "(write decimals with a point, and thousands without a comma)"),
        (["18-25", "26-40"] * 30, ""),
        (["low", "high", "1"] * 20, ""),
    ],
)  # fmt: skip
def test_words_among_numbers_are_told(tmp_path, values, note):
    good(60).assign(z=values).to_csv(tmp_path / "my.csv", index=False)
    read = read_scores(tmp_path / "my.csv")
    assert note in read.note and bool(read.note) == bool(note)


def test_a_column_without_a_name_that_holds_data_is_a_feature(tmp_path):
    """Only an own label in each row is what pandas writes for an index."""
    frame = good(60).assign(measured=np.linspace(0, 1, 60) ** 2, kind=["a", "b"] * 30)
    frame = frame.rename(columns={"measured": " ", "kind": ""})
    frame.to_csv(tmp_path / "my.csv", index_label=False, index=False)
    read = read_scores(tmp_path / "my.csv")
    assert {"Unnamed: 5", "Unnamed: 6"} <= set(read.features) and read.dropped == {}
    assert read.note == "; ".join(f"column {k + 1} has no name; it is called 'Unnamed: {k}'" for k in (5, 6))


@pytest.mark.parametrize("kind", ["text", "date", "datetime", "datetime64[s]", "with zone"])
def test_dates_of_any_year_are_read_and_told(tmp_path, kind):
    """Nanoseconds, in which pandas takes differences, reach from 1677 to 2262."""
    days = ["9999-12-31", "1600-02-29", "0001-01-01", "2024-06-30"]
    values = pd.Series(days * 15)
    if kind == "date":
        values = pd.Series([dt.date.fromisoformat(day) for day in days] * 15)
    elif kind == "datetime":
        values = pd.Series([dt.datetime.fromisoformat(day) for day in days] * 15, dtype=object)
    elif kind != "text":
        values = pd.Series(np.array(days * 15, "datetime64[s]"))
        values = values.dt.tz_localize("UTC") if kind == "with zone" else values
    X, dropped, _ = tidy_features(pd.DataFrame({"since": values}), np.arange(60) % 3 == 0)
    column = TableEncoder().fit(X, np.zeros(60)).columns_[0]
    assert not dropped and column.kind == "date"
    assert [column.words(code, code, False) for code in (0, 3)] == ["since <= 0001-01-01", "since > 2024-06-30"]
    np.testing.assert_array_equal(column.encode(X["since"])[:4], [3, 1, 0, 2])


DAYS = pd.date_range("2022-01-01", periods=60, freq="11D")


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%Y-%m-%dT%H:%M"])
def test_dates_are_read_as_they_are_written(tmp_path, form):
    good().assign(seen=DAYS.strftime(form)).to_csv(tmp_path / "my.csv", index=False)
    read = read_scores(tmp_path / "my.csv")
    np.testing.assert_array_equal(read.X["seen"].to_numpy(), DAYS.to_numpy())
    assert not read.note


@pytest.mark.parametrize(
    ("dates", "note"),
    [
        ([*DAYS[:-1].strftime("%Y-%m-%d"), "unknown"], "'unknown' is none (write dates as 2024-01-31)"),
        (["01/02/2024", "03/04/2024", "05/06/2024"] * 20, "they can be read in no way, or in more than one"),
        (["31.02.2024", "30.01.2024"] * 30, "they can be read in no way, or in more than one"),
    ],
)
def test_dates_that_cannot_be_read_are_told(tmp_path, dates, note):
    """Also where the column is left out, because each of its rows has its own text."""
    good().assign(seen=dates).to_csv(tmp_path / "my.csv", index=False)
    assert f"'seen' is no column of dates, because {note}" in read_scores(tmp_path / "my.csv").note


def test_words_that_were_read_as_missing_are_told(tmp_path):
    """Namibia's code is NA; numbers may be missing without a word."""
    frame = good().assign(country=["NA", "DE", "null", '"NA"', "FR"] * 12, age=[*range(59), "NA"])
    text = frame.to_csv(index=False).replace('"""', '"')
    (tmp_path / "my.csv").write_text(text)
    read = read_scores(tmp_path / "my.csv")
    assert read.note == "in 'country', 'NA' (24 times) and 'null' (12 times) were read as missing"
    assert read.X["country"].isna().sum() == 36 and read.X["age"].isna().sum() == 1


def test_a_column_that_gives_the_outcome_away_is_no_feature(save):
    """In words, as numbers, or by one cut."""
    frame = good()
    word = np.where(frame["label"] == 1, "died", "lived")
    days = np.where(frame["label"] == 1, 10.0, 500.0) + frame["age"]
    table = read_scores(save(frame.assign(end=word, days=days, code=3 - frame["label"])))
    assert table.dropped == dict.fromkeys(["end", "days", "code"], "gives the outcome away")
    assert table.features == ["age", "income", "school"]


def test_missing_values_words_and_dates(save):
    frame = good()
    frame["education"] = np.where(frame["age"] > 50, "None", "some")  # an answer, not a gap
    frame["school"] = frame["school"].where(frame["age"] < 70)
    frame["income"] = frame["income"].where(frame["age"] > 30)
    frame["seen"] = [f"2024-{1 + i % 12:02d}-01" for i in range(60)]
    frame["smokes"] = frame["age"] % 2 == 0
    X = read_scores(save(frame)).X
    assert list(X["education"].cat.categories) == ["None", "some"] and X["education"].notna().all()
    assert X["school"].isna().sum() == (frame["age"] >= 70).sum()
    assert X["income"].isna().sum() == (frame["age"] <= 30).sum()
    assert X["seen"].dtype.kind == "M" and X["smokes"].dtype == bool


def test_what_parquet_can_hold(save):
    pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    n = 60
    frame = good(n).assign(
        when=pd.date_range("2024-01-01", periods=n, freq="7h"),
        zoned=pd.date_range("2024-01-01", periods=n, freq="7h", tz="Europe/Paris"),
        day=[dt.date(2024, 1, 1 + i % 28) for i in range(n)],
        price=[decimal.Decimal(i % 7) / 4 for i in range(n)],
        maybe=pd.array(([True, False, None] * n)[:n], dtype="boolean"),
        count=pd.array(([1, 2, None] * n)[:n], dtype="Int64"),
        size=pd.Categorical((["s", "m", "l"] * n)[:n], ["s", "m", "l"], ordered=True),
        bag=[[1, 2]] * n,
    )
    table = read_scores(save(frame, "my.parquet"))
    kinds = {name: dtype.kind for name, dtype in table.X.dtypes.items()}
    assert [kinds[name] for name in ("when", "zoned", "day", "price", "count")] == list("MMMff")
    assert [str(table.X[name].dtype) for name in ("maybe", "size")] == ["category"] * 2
    assert table.X["maybe"].isna().sum() == 20 and list(table.X["size"].cat.categories) == ["s", "m", "l"]
    assert table.dropped == {"bag": "neither numbers, text nor dates"}


def test_infinite_features_become_missing_and_are_mentioned(save):
    frame = good()
    frame.loc[:4, "income"] = np.inf
    table = read_scores(save(frame))
    assert table.X["income"].isna().sum() == 5 and table.note == "infinite values read as missing in 'income'"


def test_folktexts_predictions_are_read_as_they_are(save, tmp_path):
    frame = good()[["score", "label"]].rename(columns={"score": "risk_score"})
    frame.to_csv(tmp_path / "ACSIncome_predictions.csv")  # with its index, as the benchmark does
    table = read_scores(tmp_path / "ACSIncome_predictions.csv")
    assert table.score == "risk_score" and "folktexts" in table.note and "no features" in table.note
    assert table.features == [] and len(table.X) == table.n == 60
    np.testing.assert_array_equal(table.p, frame["risk_score"])
    both = read_scores(save(frame.assign(score=good()["score"])))
    assert both.score == "score" and both.note == ""


def test_scores_that_are_decisions_are_mentioned(save):
    frame = good()
    assert "decisions" in read_scores(save(frame.assign(score=(frame["score"] > 0.5).astype(int)))).note


def test_the_shipped_table():
    table = read_scores("data/rand_scores.csv.gz", group="family")
    assert table.n == 10_025 and table.groups.max() + 1 == 1_214 and table.note == ""
    assert table.dropped == {"person": "names of the members of each group ('family')"}
    texts = [name for name in table.X if isinstance(table.X[name].dtype, pd.CategoricalDtype)]
    assert texts == ["sex", "race", "site", "limited", "health"]
    assert table.X["deductible_plan"].dtype == bool


def test_names_of_members_are_no_features_unless_asked_for(save):
    frame = good()
    frame["home"] = np.arange(len(frame)) // 6
    frame["who"] = np.arange(len(frame)) // 2 % 3 + 10 * frame["home"]
    frame["place"] = frame["home"] // 2
    path = save(frame)
    grouped = read_scores(path, group="home")
    assert "who" in grouped.dropped and "place" in grouped.X
    assert "who" in read_scores(path, group="home", features=["who"]).X and "who" in read_scores(path).X
    assert "home" in read_scores(path, group="who").X  # a home has several persons: what is known about them


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_row_labels_of_pandas_are_no_features(tmp_path, suffix):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"age": rng.normal(size=100), "label": rng.integers(0, 2, 100), "score": rng.random(100)})
    table = table.set_index(rng.permutation(10_000)[:100])
    path = tmp_path / f"table{suffix}"
    table.to_csv(path) if suffix == ".csv" else table.to_parquet(path)
    read = read_scores(path)
    assert read.features == ["age"] and list(read.dropped.values()) == ["row labels that pandas wrote"]
