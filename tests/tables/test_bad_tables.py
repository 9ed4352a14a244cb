"""Tables that cannot be used: one ValueError each, that names the file, the column, the row and the way out."""

import builtins
import gzip
import sys

import numpy as np
import pandas as pd
import pytest
from test_tables import good

from helpers.tables import read_answers, read_scores

N = 60


def changed(**columns):
    """The good table with cells changed: name=(row, value) or name=whole column."""
    frame = good(N)
    for name, change in columns.items():
        if isinstance(change, tuple):
            frame[name] = frame[name].astype(object)
            frame.loc[change[0], name] = change[1]
        else:
            frame[name] = change
    return frame


def halves(one, other):
    return changed(label=np.where(good(N)["label"] == 1, one, other))


W = {"weight": "w"}
CASES = {  # what is changed, options, and what the error must name beside the file
    "a label of 2": (changed(label=(4, 2)), {}, ["'label'", "row 5", "is 2"]),
    "labels 1 and 2": (changed(label=good(N)["label"] + 1), {}, ["'label'", "(table['label'] == 2.0)"]),
    "labels -1 and 1": (changed(label=good(N)["label"] * 2 - 1), {}, ["'label'", "(table['label'] == 1.0)"]),
    "labels yes and no": (halves("yes", "no"), {}, ["'label'", "row 1", "(table['label'] == 'yes').astype(int)"]),
    "labels 9 and 10": (halves("9 ", "10"), {}, ["'label'", "10", ".astype(int)"]),
    "three labels": (changed(label=["a", "b", "c"] * 20), {}, ["'label'", "row 1", "3 different values"]),
    "a label missing": (changed(label=(7, None)), {}, ["'label'", "row 8", "missing", "Drop"]),
    "label and score exchanged": (good(N), {"label": "score", "score": "label"}, ["'score'", "row 1", "exchanged"]),
    "one class": (changed(label=0), {}, ["'label'", "both classes", "60"]),
    "a score above 1": (changed(score=(2, 1.5)), {}, ["'score'", "row 3", "1.5"]),
    "percentages": (changed(score=good(N)["score"] * 100), {}, ["'score'", "row 1", "divide them by 100"]),
    "percent signs": (changed(score=(3, "25 %")), {}, ["'score'", "row 4", "'25 %'", "not 25%"]),
    "logits": (changed(score=good(N)["score"] * 6 - 3), {}, ["'score'", "1 / (1 + exp(-logit))"]),
    "a score missing": (changed(score=(9, None)), {}, ["'score'", "row 10", "missing"]),
    "an infinite score": (changed(score=(9, np.inf)), {}, ["'score'", "row 10", "inf"]),
    "scores all equal": (changed(score=0.5), {}, ["'score'", "differ", "0.5"]),
    "a word among scores": (changed(score=(3, "high")), {}, ["'score'", "row 4", "'high'"]),
    "a decimal comma": (changed(score=(3, "0,25")), {}, ["'score'", "row 4", "'0,25'", "point"]),
    "too few rows": (good(20), {}, ["20 rows", "50"]),
    "fewer than asked for": (good(N), {"min_rows": 300}, ["60 rows", "300"]),
    "a negative weight": (changed(w=[1.0] * 59 + [-2]), W, ["'w'", "row 60", "-2"]),
    "a weight missing": (changed(w=[1.0] * 59 + [None]), W, ["'w'", "row 60", "missing"]),
    "a weight whose sums are no numbers": (changed(w=[1e300] + [1.0] * 59), W, ["'w'", "row 1", "1e+300"]),
    "one weight above all": (changed(w=[1.0] * 59 + [1e90]), W, ["'w'", "row 60", "1e+90"]),
    "weights zero everywhere": (changed(w=0), W, ["'w'", "zero"]),
    "a group missing": (changed(g=["a"] * 59 + [None]), {"group": "g"}, ["'g'", "row 60", "missing"]),
    "one group": (changed(g="a"), {"group": "g"}, ["'g'", "5 groups"]),
    "no such label": (good(N), {"label": "lable"}, ["'lable' (label)", "'label'?"]),
    "no such score": (good(N), {"score": "Score"}, ["'Score' (score)", "'score'?"]),
    "no such weight": (good(N), {"weight": "zzz"}, ["'zzz' (weight)", "'age', 'income', 'school'"]),
    "no such feature": (good(N), {"features": ["age", "incom"]}, ["'incom' (features)", "'income'?"]),
    "no label": (good(N), {"label": None}, ["label must name a column", "None"]),
    "no score": (good(N), {"score": None}, ["score must name a column", "None"]),
    "a leak of the label": (good(N), {"features": ["age", "label"]}, ["features", "label column"]),
    "a leak of the score": (good(N), {"features": "age,score"}, ["features", "score column"]),
    "a feature twice": (good(N), {"features": ["age", "age"]}, ["features", "'age'", "2 times"]),
    "one column, two roles": (good(N), {"weight": "score"}, ["score and weight", "'score'"]),
}


@pytest.mark.parametrize("kind", ["file", "frame"])
@pytest.mark.parametrize("case", CASES)
def test_a_table_that_breaks_a_rule(tmp_path, case, kind):
    """The same in a file and in memory, and neither is changed."""
    frame, options, words = CASES[case]
    path = tmp_path / "my.csv"
    frame.to_csv(path, index=False)
    content = path.read_bytes()
    before = frame.copy(deep=True)
    with pytest.raises(ValueError) as error:
        read_scores(path if kind == "file" else frame, **options)
    message = str(error.value)
    assert all(word in message for word in words), message
    named = "my.csv" if kind == "file" else "the table"
    assert named in message or message.startswith(("features ", "score and weight "))
    assert str(tmp_path) not in message and path.read_bytes() == content
    pd.testing.assert_frame_equal(frame, before)


TEXT = good(N).to_csv(index=False).encode()
LINES = TEXT.splitlines(keepends=True)
PLAIN = TEXT.replace(b'"high, school"', b"high")  # no quotes
LAST = b"".join(line for line in LINES[:58])
FILES = {
    "empty": ("my.csv", b"", ["empty"]),
    "blank": ("my.csv", b"\n \n", ["empty"]),
    "only a header": ("my.csv", LINES[0], ["no rows"]),
    "a line too short": ("my.csv", b"".join([*LINES[:10], b"1,2,x\n", *LINES[10:]]), ["5 fields", "line 11 has 3"]),
    "a line too long": ("my.csv", TEXT.replace(LINES[4], LINES[4].strip() + b",1,2\n"), ["line 5 has 7"]),
    "all lines too long": ("my.csv", TEXT.replace(b"\n", b",9\n").replace(b",9", b"", 1), ["line 2 has 6"]),
    "short, no quotes": ("my.csv", PLAIN.replace(b"\n", b"\n1,2\n", 3), ["line 2 has 2"]),
    "short and long": ("my.csv", PLAIN + b"1,2,3\n1,2,3,4,5,6,7\n", ["line 62 has 3"]),
    "cut off": ("my.csv", LAST + b"34,31.2", ["line 59 has 2", "cut off"]),
    "cut off, no quotes": ("my.csv", PLAIN + b"1,2", ["line 62 has 2", "cut off"]),
    "cut off inside quotes": ("my.csv", LAST + b'34,31.2,"high, sch', ["line 59", "quote"]),
    "a quote left open": ("my.csv", PLAIN.replace(b"\n", b'\n1,2,"x,0,0.5\n', 1), ["line 2", "quote"]),
    "a flipped byte": ("my.csv.gz", gzip.compress(TEXT)[:60] + b"\0\xff" + gzip.compress(TEXT)[62:], ["damaged"]),
    "gzip cut off": ("my.csv.gz", gzip.compress(TEXT)[:-400], ["cut off"]),
    "not gzip": ("my.csv.gz", TEXT, ["not a gzip file"]),
    "one name twice": ("my.csv", TEXT.replace(b"income", b"age", 1), ["more than one column named 'age'"]),
    "other separators": ("my.csv", TEXT.replace(b",", b":"), ["'label' (label)", "age:income"]),
    "a title above the header": ("my.csv", b"Scores of 2024\n\n" + TEXT, ["line 3 has 5", "title"]),
    "HTML": ("my.csv", b"<!DOCTYPE html>\n<table><tr><td>1</td></tr></table>\n", ["HTML"]),
    "a JSON list": ("my.csv", b'[{"label": 1, "score": 0.5},\n {"label": 0, "score": 0.5}]\n', ["JSON"]),
    "a workbook": ("my.csv", b"PK\x03\x04" + bytes(200), ["Excel"]),
    "a zip in gzip": ("my.csv.gz", gzip.compress(b"PK\x03\x04" + bytes(200)), ["zip"]),
    "bytes": ("my.csv", bytes(range(256)), ["not a text file"]),
    "another format": ("my.ods", TEXT, ["one of the formats .csv", ".xlsx"]),
    "text called parquet": ("my.parquet", TEXT, ["damaged", "Parquet"]),
    "text called feather": ("my.feather", TEXT, ["Feather"]),
    "empty parquet": ("my.parquet", b"", ["empty"]),
    "text called xlsx": ("my.xlsx", TEXT, ["no Excel workbook"]),
    "an empty name": ("my.jsonl", b"[1, 2]\n", ["one object", "line 1"]),
}  # fmt: skip


@pytest.mark.parametrize("case", FILES)
def test_a_bad_file(tmp_path, case):
    name, content, words = FILES[case]
    for ending, package in ((".parquet", "pyarrow"), (".feather", "pyarrow"), (".xlsx", "openpyxl")):
        if name.endswith(ending):
            pytest.importorskip(package, reason="read with it")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=f"^{name}:? ") as error:
        read_scores(tmp_path / name)
    assert all(word in str(error.value) for word in words), error.value
    assert str(tmp_path) not in str(error.value)
    with pytest.raises(ValueError, match=f"^{name}:? "):
        read_answers(tmp_path / name, question="age", answer="label")
    assert [file.name for file in tmp_path.iterdir()] == [name] and (tmp_path / name).read_bytes() == content


@pytest.mark.parametrize("kind", ["parquet", "feather"])
@pytest.mark.parametrize("share", [0.3, 0.99])
def test_arrow_files_cut_off_in_the_middle(tmp_path, kind, share):
    pytest.importorskip("pyarrow", reason="Parquet and Feather need pyarrow")
    path = tmp_path / f"my.{kind}"
    getattr(good(2000), f"to_{kind}")(path)
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    with pytest.raises(ValueError, match=rf"my.{kind} is damaged"):
        read_scores(path)


def test_a_flipped_bit_in_parquet_is_refused(tmp_path):
    """Pages carry checksums, which used not to be looked at: half of such bits were read as other numbers."""
    parquet = pytest.importorskip("pyarrow.parquet", reason="Parquet needs pyarrow")
    table = good(N)[["label", "score"]]
    path = tmp_path / "my.parquet"
    table.to_parquet(path, write_page_checksum=True, compression="none", use_dictionary=False)
    place = parquet.ParquetFile(path).metadata.row_group(0).column(1).data_page_offset
    content = bytearray(path.read_bytes())
    content[content.index(table["score"].to_numpy().tobytes(), place) + 40] ^= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match="my.parquet is damaged"):
        read_scores(path)


def test_parquet_columns_with_one_name(tmp_path):
    pyarrow = pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet", reason="Parquet needs pyarrow")
    columns = [pyarrow.array([0, 1]), pyarrow.array([0.1, 0.2]), pyarrow.array([0.1, 0.2])]
    parquet.write_table(pyarrow.table(columns, names=["label", "score", "score"]), tmp_path / "my.parquet")
    with pytest.raises(ValueError, match="my.parquet has more than one column named 'score'"):
        read_scores(tmp_path / "my.parquet")


@pytest.mark.parametrize("role", ["label", "score", "weight", "group"])
def test_lists_where_a_value_should_stand(role):
    frame = good(N).assign(weight=1.0, group=np.arange(N) // 2)
    frame[role] = pd.Series([[1, 2]] * N)
    with pytest.raises(ValueError, match=f"column '{role}' must hold one number or word in each row, but in row 1"):
        read_scores(frame, weight="weight", group="group")


def test_a_missing_file_names_its_neighbour(tmp_path):
    good(N).to_csv(tmp_path / "scores_2024.csv", index=False)
    with pytest.raises(ValueError, match=r"^scores_2042.csv does not exist; did you mean 'scores_2024.csv'\?$"):
        read_scores(tmp_path / "scores_2042.csv")
    with pytest.raises(ValueError, match=r"^other_file.parquet does not exist\.$"):
        read_scores(tmp_path / "other_file.parquet")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(ValueError, match=r"^folder.csv must be a file"):
        read_scores(tmp_path / "folder.csv")


@pytest.mark.parametrize("path", [None, 3, ["a.csv"]])
def test_what_is_no_path(path):
    for read in (read_scores, read_answers):
        with pytest.raises(ValueError, match="path must name a file"):
            read(path)


def test_the_fewest_rows_are_a_number():
    with pytest.raises(ValueError, match="min_rows"):
        read_scores(good(N), min_rows=-1)


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    path = tmp_path / "my.csv"
    good(N).to_csv(path, index=False)

    def refuse(*args, **kwargs):
        raise PermissionError

    monkeypatch.setattr(builtins, "open", refuse)
    with pytest.raises(ValueError, match="my.csv cannot be read: permission denied."):
        read_scores(path)


@pytest.mark.parametrize(("name", "package"), [("my.parquet", "pyarrow"), ("my.xlsx", "openpyxl")])
def test_a_package_that_is_not_there_is_named(tmp_path, monkeypatch, name, package):
    (tmp_path / name).write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=f"{name} needs the package {package}: install it, or"):
        read_scores(tmp_path / name)


def test_thousands_of_columns_are_refused_before_hours_go_by(tmp_path):
    wide = pd.DataFrame(np.arange(N * 1001).reshape(N, 1001) % 5, columns=[f"c{k}" for k in range(1001)])
    pd.concat([good(N), wide], axis=1).to_csv(tmp_path / "wide.csv", index=False)
    with pytest.raises(ValueError, match="wide.csv has 1,004 features"):
        read_scores(tmp_path / "wide.csv")
    assert read_scores(tmp_path / "wide.csv", features=["age", "c7"]).features == ["age", "c7"]
