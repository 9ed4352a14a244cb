"""Tables of scores: roles, features, what is left out and what is said about it; one error for each broken rule."""

import datetime as dt
import decimal

import numpy as np
import pandas as pd
import pytest
from tables_of_scores import good

from helpers.partition.columns import words_of
from helpers.partition.encoder import TableEncoder
from helpers.practice.tables import read_scores
from helpers.practice.tables.features import tidy_features

Y = good()["label"]
P = good()["score"]
DAYS = pd.date_range("2022-01-01", periods=60, freq="11D")


def test_roles_are_taken_out_of_the_features():
    frame = good().assign(w=2.5, who=np.repeat(["ann", "bob", "eve", "joe", "kim"], 12))
    frame = frame.rename(columns={"label": "y", "score": "p"})
    frame.loc[3, "w"] = 0
    table = read_scores(frame, "y", "p", weight="w", group="who")
    assert table.features == ["age", "income", "school"]
    assert table.weight[:4].tolist() == [2.5, 2.5, 2.5, 0]
    assert np.bincount(table.groups).tolist() == [12] * 5
    assert "in 5 groups, weighted" in str(table)


@pytest.mark.parametrize("features", [["school", "age"], "school, age"])
def test_features_can_be_chosen(features):
    assert read_scores(good(), features=features).features == ["school", "age"]
    assert read_scores(good(), features="school").features == ["school"]


@pytest.mark.parametrize("labels", [Y == 1, Y.astype(float), Y.map({0: "0", 1: "1"}), Y.astype("Int64")])
def test_labels_may_be_written_in_several_ways(tmp_path, labels):
    frame = good().assign(label=labels)
    frame.to_csv(tmp_path / "my.csv", index=False)
    for source in (frame, tmp_path / "my.csv"):
        np.testing.assert_array_equal(read_scores(source).y, Y)


@pytest.mark.parametrize("kind", ["file", "frame"])
def test_rows_without_an_outcome_are_left_out_and_the_others_keep_their_numbers(tmp_path, kind):
    frame = good().assign(label=Y.astype(float).where(~Y.index.isin([3, 7])))
    frame.to_csv(tmp_path / "my.csv", index=False)
    table = read_scores(frame if kind == "frame" else tmp_path / "my.csv")
    kept = np.delete(np.arange(60), [3, 7])
    np.testing.assert_array_equal(table.y, Y[kept])
    np.testing.assert_array_equal(table.checked().row, kept + 1)
    assert table.note == "left out without a label: 2 of 60 rows" and len(table.X) == 58
    with pytest.raises(ValueError, match="'score'.* row 11 "):
        read_scores(frame.assign(score=P.where(P.index != 10, 2)))


def test_percentages_are_numbers(tmp_path):
    frame = good().assign(score=[f"{100 * p:.2f} %" for p in P], rate=[f"{k / 7:.1f}%" for k in range(59)] + [None])
    table = read_scores(frame)
    np.testing.assert_allclose(table.p, P, atol=1e-12)
    np.testing.assert_array_equal(table.X["rate"][:59], np.round(np.arange(59) / 7, 1))
    assert "'score'" in table.note and "'rate'" in table.note
    frame.map(lambda cell: str(cell).replace(".", ",")).to_csv(tmp_path / "my.csv", sep=";", index=False, na_rep="")
    np.testing.assert_array_equal(read_scores(tmp_path / "my.csv").p, table.p)


def test_the_shipped_table():
    table = read_scores("data/rand_scores.csv.gz", group="family")
    assert table.n == 10_025 and table.groups.max() + 1 == 1_214 and table.note == ""
    assert table.dropped == {"person": "it only tells the members of a 'family' apart"}
    assert list(table.X.select_dtypes("category")) == ["sex", "race", "site", "limited", "health"]
    assert table.X["deductible_plan"].dtype == bool


USELESS = {  # a column, and why it is left out
    "a row number": np.arange(60) + 7,
    "all missing": np.nan,
    "constant": "x",
    "its own text in nearly every row": [f"person {k}" for k in range(60)],
    "gives the outcome away": np.where(Y == 1, "died", "lived"),
    "neither numbers, text nor dates": [[1, 2]] * 60,
}
AWAY = {"code": 3 - Y, "days": np.where(Y == 1, 10.0, 500.0) + good()["age"]}


def test_useless_columns_are_left_out_and_listed():
    table = read_scores(good().assign(**USELESS, **AWAY))
    assert table.features == ["age", "income", "school"]
    assert table.dropped == {why: why for why in USELESS} | dict.fromkeys(AWAY, "gives the outcome away")


def test_row_numbers_of_a_sample_are_known_by_their_names():
    """Of a random third of a file the numbers have gaps and no order; an income may be as unique."""
    numbers = np.random.default_rng(0).choice(500, 60, replace=False)
    columns = {"patient_id": numbers, "caseid": numbers, "paid": numbers, "income": numbers * 100, "id": numbers // 2}
    table = read_scores(good().assign(**columns))
    assert table.dropped == dict.fromkeys(["patient_id", "caseid"], "a row number")
    assert {"income", "id", "paid"} <= set(table.features)


NOTES = {  # a column of a CSV file, and what the note says about it; nothing where it is read as it stands
    "one word": ("z", [1.5] * 59 + ["?"], ["'z'", "categories", "59 of its 60", "'?' (rows: 1)"]),
    "two words": ("z", [*(np.arange(58) % 9 / 2), "?", "<5"], ["58 of its 60", "'?'", "'<5'"]),
    "many words": ("z", [*(np.arange(50) % 9 / 2), *"abcdefghij"], ["50 of its 60", "'a'", "7 more"]),
    "decimal commas": ("z", [f"-0,{k}" for k in range(300, 360)], ["'z' is read as numbers", "'-0,300' as -0.3"]),
    "thousands": ("z", [f"1,{k}" for k in range(100, 130)] * 2, ["'z' is read as numbers", "as 1100"]),
    "thousands or decimals": ("z", ["2.000", "800", "12.500"] * 20, ["'z'", "categories", "'2.000'"]),
    "percent": ("z", [f"{k % 9}.5%" for k in range(59)] + ["?"], ["'z'", "categories", "'?'"]),
    "two currencies": ("z", ["$12.50", "€ 7.25"] * 30, ["'z'", "categories", "'$12.50' (rows: 30)"]),
    "two units": ("z", ["5 km", "700 m", "3 km"] * 20, ["'z'", "categories", "'5 km' (rows: 20)"]),
    "one unit": ("z", ["36 months", "60 months"] * 30, ["'z' is read as numbers", "as 36"]),
    "places in a race": ("z", ["1st", "2nd", "3rd"] * 20, []),
    "ranges": ("z", ["18-25", "26-40"] * 30, []),
    "words": ("z", ["low", "high", "1"] * 20, []),
    "None is an answer": ("z", ["None", "some"] * 30, []),
    "a word among dates": ("z", [*DAYS[:-1].strftime("%Y-%m-%d"), "?"], ["'z'", "dates", "'?'"]),
    "days or months": ("z", ["01/02/2024", "03/04/2024"] * 30, ["'z'", "dates", "2024-01-31"]),
    "no date": ("z", ["31.02.2024", "30.01.2024"] * 30, ["'z'", "dates"]),
    "years of two digits": ("z", ["31.01.24", "03.04.45"] * 30, ["'z'", "dates"]),
    "months by name": ("z", ["31. Januar 2024", "3. März 2024"] * 30, ["'z'", "dates"]),
    "infinite": ("z", [np.inf, *range(59)], ["infinite values read as missing in 'z'"]),
    "a code": ("z", [*range(57), -999, -999, -999], ["'z' holds -999 in 3 rows"]),
    "codes of a station": (
        "z",
        [*np.arange(54) / 8, *[99.9] * 3, *[999.9] * 3],
        ["holds 99.9 in 3", "holds 999.9 in 3"],
    ),
    "large numbers": ("z", [*range(57), 100, 120, 120], []),
    "one nine after the other": ("z", [*range(90, 120), *range(90, 120)], []),
    "numbers with gaps": ("z", ["NA", *range(59)], []),
    "no name": ("", ["a", "b"] * 30, []),
}


@pytest.mark.parametrize("case", NOTES)
def test_what_is_said_about_a_column(tmp_path, case):
    name, values, words = NOTES[case]
    good().assign(**{name: values}).to_csv(tmp_path / "my.csv", index=False)
    table = read_scores(tmp_path / "my.csv")
    assert all(word in table.note for word in words) and bool(table.note) == bool(words), table.note
    if case != "a word among dates":  # with its own text in nearly every row
        assert (name or "Unnamed: 5") in table.features


@pytest.mark.parametrize("decimal", [",", "."])
@pytest.mark.parametrize("sign", [".", ","])
def test_the_decimal_sign_of_the_file_decides(tmp_path, sign, decimal):
    """Of 2.000 and 12.500 nobody knows in itself what they are, and of 2.000 beside 800 not even beside a 0.5."""
    frame = good().assign(z=[f"2{sign}000", f"12{sign}500"] * 30, mixed=[f"2{sign}000", "800"] * 30)
    frame.to_csv(tmp_path / "my.csv", index=False, sep=";", decimal=decimal)
    table = read_scores(tmp_path / "my.csv")
    np.testing.assert_array_equal(table.X["z"][:2], [2, 12.5] if sign == decimal else [2000, 12500])
    if sign == decimal:
        assert list(table.X["mixed"].cat.categories) == [f"2{sign}000", "800"] and "'mixed'" in table.note
    else:
        np.testing.assert_array_equal(table.X["mixed"][:2], [2000, 800])


def test_months_are_no_decimals(tmp_path):
    good().assign(seen=[f"{k % 12 + 1:02}.{2020 + k % 5}" for k in range(60)]).to_csv(tmp_path / "my.csv", index=False)
    assert read_scores(tmp_path / "my.csv").X["seen"][13] == pd.Timestamp("2023-02-01")


FORMS = ["%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%Y-%m-%dT%H:%M"]
FORMS += ["%d-%m-%Y", "%d.%m.%Y %H:%M", "%m/%d/%Y %I:%M %p", "%Y.%m.%d", "%Y. %m. %d.", "%d %b %Y", "%B %d, %Y"]
FORMS += ["%d-%b-%Y", "%Y年%m月%d日", "%d.%m.%Y  %H:%M:%S"]


@pytest.mark.parametrize("form", FORMS)
def test_dates_are_read_as_they_are_written(tmp_path, form):
    good().assign(seen=DAYS.strftime(form)).to_csv(tmp_path / "my.csv", index=False)
    read = read_scores(tmp_path / "my.csv")
    np.testing.assert_array_equal(read.X["seen"].to_numpy(), DAYS.to_numpy())
    assert not read.note


@pytest.mark.parametrize("kind", ["text", "date", "datetime64[s]", "with zone"])
def test_dates_of_any_year_are_read(kind):
    """Nanoseconds, in which pandas takes differences, reach from 1677 to 2262."""
    days = ["9999-12-31", "1600-02-29", "0001-01-01", "2024-06-30"]
    values = pd.Series(days * 15)
    if kind == "date":
        values = pd.Series([dt.date.fromisoformat(day) for day in days] * 15)
    elif kind != "text":
        values = pd.Series(np.array(days * 15, "datetime64[s]"))
        values = values.dt.tz_localize("UTC") if kind == "with zone" else values
    X, dropped, _ = tidy_features(pd.DataFrame({"since": values}), np.arange(60) % 3 == 0)
    encoder = TableEncoder().fit(X, np.zeros(60))
    (column,) = encoder.columns_
    assert not dropped and column.kind == "date"
    assert [words_of(column, code, code, False) for code in (0, 3)] == ["since <= 0001-01-01", "since > 2024-06-30"]
    np.testing.assert_array_equal(encoder.transform(X)[:4, 0], [3, 1, 0, 2])


def test_what_parquet_can_hold(tmp_path):
    pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    frame = good().assign(
        when=DAYS,
        zoned=DAYS.tz_localize("Europe/Paris"),
        day=[dt.date(2024, 1, 1 + k % 28) for k in range(60)],
        price=[decimal.Decimal(k % 7) / 4 for k in range(60)],
        maybe=pd.array([True, False, None] * 20, dtype="boolean"),
        count=pd.array([1, 2, None] * 20, dtype="Int64"),
        size=pd.Categorical(["s", "m", "l"] * 20, ["s", "m", "l"], ordered=True),
    )
    frame.to_parquet(tmp_path / "my.parquet")
    X = read_scores(tmp_path / "my.parquet").X
    assert [X[name].dtype.kind for name in ("when", "zoned", "day", "price", "count")] == list("MMMff")
    assert [str(X[name].dtype) for name in ("maybe", "size")] == ["category"] * 2
    assert X["maybe"].isna().sum() == 20 and list(X["size"].cat.categories) == ["s", "m", "l"]


def test_a_frame_may_have_any_names_and_index():
    frame = good().assign(seen=DAYS)
    frame[7] = np.arange(60) % 4
    frame.index = np.arange(60)[::-1] * 3
    table = read_scores(frame)
    assert table.features == ["age", "income", "school", "seen", "7"] and table.sha256 == ""
    np.testing.assert_array_equal(table.p, frame["score"])


def test_names_of_members_are_no_features_unless_asked_for():
    frame = good()
    frame["home"] = np.arange(len(frame)) // 6
    frame["who"] = np.arange(len(frame)) // 2 % 3 + 10 * frame["home"]
    frame["place"] = frame["home"] // 2
    grouped = read_scores(frame, group="home")
    assert "who" in grouped.dropped and "place" in grouped.X
    assert "who" in read_scores(frame, group="home", features=["who"]).X and "who" in read_scores(frame).X
    assert "home" in read_scores(frame, group="who").X  # a home has several persons: what is known about them


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_row_labels_of_pandas_are_no_features(tmp_path, kind):
    pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    frame = good().set_index(np.random.default_rng(0).permutation(10_000)[:60])
    getattr(frame, f"to_{kind}")(tmp_path / f"my.{kind}")
    read = read_scores(tmp_path / f"my.{kind}")
    assert read.features == ["age", "income", "school"]
    assert list(read.dropped.values()) == ["row labels that pandas wrote"]


def changed(**columns):
    """The good table with cells changed: name=(row, value) or name=whole column."""
    frame = good()
    for name, change in columns.items():
        if isinstance(change, tuple):
            frame[name] = frame[name].astype(object)
            frame.loc[change[0], name] = change[1]
        else:
            frame[name] = change
    return frame


W = {"weight": "w"}
MANY = pd.DataFrame(np.eye(60, 1000)).add_prefix("c")
CASES = {  # what is changed, options, and what the error must name beside the file
    "a label of 2": (changed(label=(4, 2)), {}, ["'label'", "row 5", "is 2"]),
    "labels -1 and 1": (changed(label=Y * 2 - 1), {}, ["'label'", "event='-1'", "event='1'"]),
    "yes and no": (changed(label=np.where(Y, "yes", "no")), {}, ["event='no'", "-p event yes"]),
    "an event that is not there": (
        changed(label=np.where(Y, "yes", "no")),
        {"event": "y"},
        ["event", "'label'", "'yes'"],
    ),
    "draws": (changed(label=Y * 0.5 + 0.5 * (Y.index % 3 > 0)), {}, ["'label'", "0.5", "event=1"]),
    "a sign that nobody knows": (changed(w=["2.000", "800"] * 30), {"weight": "w"}, ["'w'", "row 1", "'2.000'"]),
    "one word": (changed(label="no"), {}, ["'label'", "no only"]),
    "three labels": (
        changed(label=["a", "b", "c"] * 20),
        {},
        ["'label'", "3 different", "rest", "prediction is right"],
    ),
    "a regression": (changed(label=good()["income"]), {}, ["'label'", "regression", "limit"]),
    "no label at all": (changed(label=np.nan), {}, ["'label'", "row 1", "missing", "59 more"]),
    "label and score exchanged": (good(), {"label": "score", "score": "label"}, ["'score'", "row 1", "exchanged"]),
    "one class": (changed(label=0), {}, ["'label'", "both classes", "60"]),
    "a score above 1": (changed(score=(2, 1.5)), {}, ["'score'", "row 3", "1.5"]),
    "percentages": (changed(score=P * 100), {}, ["'score'", "row 1", "divide them by 100"]),
    "a percent sign": (changed(score=(3, "25 %")), {}, ["'score'", "row 4", "'25 %'"]),
    "ranks": (changed(score=np.arange(60) % 10 + 1), {}, ["'score'", "ranks"]),
    "logits": (changed(score=P * 6 - 3), {}, ["'score'", "1 / (1 + exp(-logit))"]),
    "a score missing": (changed(score=(9, None)), {}, ["'score'", "row 10", "missing"]),
    "an infinite score": (changed(score=(9, np.inf)), {}, ["'score'", "row 10", "inf"]),
    "scores all equal": (changed(score=0.5), {}, ["'score'", "differ", "0.5"]),
    "a word among scores": (changed(score=(3, "high")), {}, ["'score'", "row 4", "'high'"]),
    "a decimal comma": (changed(score=(3, "0,25")), {}, ["'score'", "row 4", "'0,25'", "alike"]),
    "too few rows": (good(20), {}, ["20 rows", "50"]),
    "fewer than asked for": (good(), {"min_rows": 300}, ["60 rows", "300"]),
    "a negative weight": (changed(w=[1.0] * 59 + [-2]), W, ["'w'", "row 60", "-2"]),
    "a weight missing": (changed(w=[1.0] * 59 + [None]), W, ["'w'", "row 60", "missing"]),
    "a weight whose sums are no numbers": (changed(w=[1e300] + [1.0] * 59), W, ["'w'", "row 1", "1e+300"]),
    "a group missing": (changed(g=["a"] * 59 + [None]), {"group": "g"}, ["'g'", "row 60", "missing"]),
    "one group": (changed(g="a"), {"group": "g"}, ["'g'", "5 groups"]),
    "no such score": (good(), {"score": "Score"}, ["'Score' (score)", "'score'?"]),
    "no such weight": (good(), {"weight": "zzz"}, ["'zzz' (weight)", "'age', 'income', 'school'"]),
    "no such feature": (good(), {"features": ["age", "incom"]}, ["'incom' (features", "'income'?"]),
    "no label": (good(), {"label": None}, ["label must name a column", "None"]),
    "a leak of the score": (good(), {"features": "age,score"}, ["score and features", "'score'"]),
    "a feature twice": (good(), {"features": ["age", "age"]}, ["features", "'age'"]),
    "one column, two roles": (good(), {"weight": "score"}, ["score and weight", "'score'"]),
    "hours of work": (good().join(MANY), {}, ["features", "1,003"]),
    "three scores": (good(), {"score": "a,b,c"}, ["score of a", "'a'"]),
}


@pytest.mark.parametrize("kind", ["file", "frame"])
@pytest.mark.parametrize("case", CASES)
def test_a_table_that_breaks_a_rule(tmp_path, case, kind):
    """The same in a file and in memory, which is not changed."""
    frame, options, words = CASES[case]
    path = tmp_path / "my.csv"
    frame.to_csv(path, index=False)
    before = frame.copy(deep=True)
    with pytest.raises(ValueError) as error:
        read_scores(path if kind == "file" else frame, **options)
    message = str(error.value)
    assert all(word in message for word in words), message
    named = "my.csv" if kind == "file" else "the table"
    assert named in message or message.startswith(("features", "score "))
    assert frame.equals(before)


@pytest.mark.parametrize("role", ["label", "score", "weight", "group"])
def test_lists_where_a_value_should_stand(role):
    frame = good().assign(weight=1.0, group=np.arange(60) // 2)
    frame[role] = pd.Series([[1, 2]] * 60)
    with pytest.raises(ValueError, match=f"'{role}'.* row 1 "):
        read_scores(frame, weight="weight", group="group")


def test_an_event_is_named():
    """Also of numbers that a missing one made floats, of words with spaces, and of several against the rest."""
    labels = {
        "ja": np.where(Y, "ja", "nein"),
        2: np.where(Y.index == 3, np.nan, Y + 1),
        "50000+.": np.where(Y, " 50000+.", "no"),
    }
    labels["b"] = np.where(Y, "b", np.where(Y.index % 3, "a", "c"))
    for event, label in labels.items():
        for named in (event, str(event)):
            table = read_scores(good().assign(label=label), event=named)
            np.testing.assert_array_equal(table.y, Y.drop(3) if event == 2 else Y)
            assert str(event) in table.note


def test_columns_may_be_called_by_numbers():
    frame = good()[["label", "score", "age"]].set_axis([0, 1, "age"], axis=1)
    np.testing.assert_array_equal(read_scores(frame, 0, 1).p, P)


def test_a_rounding_error_beyond_the_ends_is_put_back():
    hair = P.where(P.index > 1, [*[1 + 1.2e-7, -1e-9], *[0.5] * 58])
    table = read_scores(good().assign(score=hair))
    assert table.p[:2].tolist() == [1, 0] and "2 of 60 in 'score'" in table.note
    np.testing.assert_array_equal(table.p[2:], P[2:])


def classes(P, label, **more):
    """A table with scores of classes a, b and c."""
    return pd.DataFrame(P, columns=["p_a", "p_b", "p_c"]).assign(label=label, age=np.arange(len(P)) % 7, **more)


RAW = np.random.default_rng(0).dirichlet([2, 2, 2], 60)
ABC = np.array(["a", "b", "c"], object)[np.arange(60) % 3]


@pytest.mark.parametrize("digits", [2, 3, 4])
def test_cut_digits_of_class_scores_are_mended(digits):
    cut = RAW.round(digits)
    table = read_scores(classes(cut, ABC), score="p_*")
    P = table.classes.P.to_numpy()
    np.testing.assert_allclose(P.sum(axis=1), 1, atol=1e-12)
    np.testing.assert_allclose(P, cut / cut.sum(axis=1, keepdims=True))
    moved = (np.abs(cut.sum(axis=1) - 1) > 1e-6).sum()
    assert moved and f"{moved} of 60 rows" in table.note
    assert read_scores(classes(RAW, ABC), score="p_*").note == ""


def test_percentages_of_classes_are_numbers():
    text = pd.DataFrame(RAW).map("{:.1%}".format).to_numpy()
    np.testing.assert_allclose(read_scores(classes(text, ABC), score="p_*").classes.P, RAW, atol=2e-3)


WRONG_CLASSES = {
    "a row that lacks a tenth": (classes(np.where(np.arange(60)[:, None] == 4, RAW * 0.9, RAW), ABC), ["row 5", "0.9"]),
    "one digit": (classes(RAW.round(1), ABC), ["sum to", "more rows"]),
    "percentages": (classes(RAW * 100, ABC), ["'p_a'", "divide them by 100"]),
    "logits": (classes(np.log(RAW) * 4 + 3, ABC), ["'p_a'", "exp"]),
    "one value above 1": (
        classes(np.where(np.arange(60)[:, None] == 4, [1.2, 0, 0], RAW), ABC),
        ["'p_a'", "row 5", "1.2."],
    ),
    "labels of other classes": (classes(RAW, "x"), ["'label'", "a, b, c", "'x'"]),
    "one label without a score": (classes(RAW, np.where(np.arange(60) == 7, "d", ABC)), ["row 8", "'d'"]),
}


@pytest.mark.parametrize("case", WRONG_CLASSES)
def test_class_scores_that_break_a_rule(case):
    frame, words = WRONG_CLASSES[case]
    with pytest.raises(ValueError, match="^the table") as error:
        read_scores(frame, score="p_*")
    assert all(word in str(error.value) for word in words), error.value


def test_a_class_without_a_score_is_a_wrong_answer():
    label = np.where(np.arange(60) % 15 == 0, "d", np.where(np.arange(60) % 15 == 1, "e", ABC))
    table = read_scores(classes(RAW, label), score="p_*")
    best = np.array(["a", "b", "c"])[RAW.argmax(axis=1)]
    np.testing.assert_array_equal(table.y, best == label)
    assert "d (4)" in table.note and "e (4)" in table.note
    assert table.classes.P.shape == (60, 4) and (table.classes.P.iloc[:, 3] == 0).all()


@pytest.mark.parametrize("kind", ["file", "frame"])
def test_whole_numbers_name_classes_though_one_is_missing(tmp_path, kind):
    frame = classes(RAW, np.where(np.arange(60) == 3, np.nan, np.arange(60) % 3))
    frame = frame.rename(columns={"p_a": "p_0", "p_b": "p_1", "p_c": "p_2"})
    frame.to_csv(tmp_path / "my.csv", index=False)
    table = read_scores(frame if kind == "frame" else tmp_path / "my.csv", score="p_*")
    assert table.n == 59 and list(table.classes.P) == ["0", "1", "2"]
    np.testing.assert_array_equal(table.y, np.delete(RAW.argmax(axis=1) == np.arange(60) % 3, 3))
