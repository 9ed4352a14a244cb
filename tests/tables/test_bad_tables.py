"""Tables that cannot be used: one clear ValueError each, that names the file, the column, the row and the way out."""

import builtins
import gzip
import os
import re
import sys

import numpy as np
import pandas as pd
import pytest
from test_tables import good

from helpers.tables import files as _readers
from helpers.tables import read_scores
from helpers.tables.scores import _labels

N = 60


def changed(**columns):
    """The good table with cells changed: name=(row, value) or name=whole column."""
    frame = good(N)
    for name, change in columns.items():
        if isinstance(change, tuple):
            row, value = change
            if isinstance(value, str):
                frame[name] = frame[name].astype(object)
            elif value is None or isinstance(value, float):
                frame[name] = frame[name].astype(float)
            frame.loc[row, name] = np.nan if value is None else value
        else:
            frame[name] = change
    return frame


LABELS = "column 'label' must hold labels 0 and 1 (or False and True)"
SCORES = "column 'score' must hold probabilities in [0, 1]"
WEIGHTS = "column 'w' must hold weights that are finite and not negative"
CASES = {
    "a label of 2": (changed(label=(4, 2)), {}, f"{LABELS}, but in row 5 it is 2. It holds 3 different values"),
    "labels 1 and 2": (
        changed(label=good(N)["label"] + 1), {},
        "if the score is the probability of 2.0: table['label'] = (table['label'] == 2.0)",
    ),
    "labels -1 and 1": (changed(label=good(N)["label"] * 2 - 1), {}, f"{LABELS}, but in row 1 it is -1 (and in"),
    "labels in words": (
        changed(label=np.where(good(N)["label"] == 1, "yes", "no")), {},
        "but in row 1 it is 'no' (and in 59 more rows). It holds no and yes; if the score is the probability "
        "of 'yes': table['label'] = (table['label'] == 'yes').astype(int).",
    ),
    "a label missing": (changed(label=(7, None)), {}, f"{LABELS}, but in row 8 it is missing. Drop the rows"),
    "label and score exchanged": (good(N), {"label": "score", "score": "label"}, "are label and score exchanged?"),
    "one class": (changed(label=0), {}, "column 'label' must hold both classes, but all 60 labels are 0."),
    "a score above 1": (changed(score=(2, 1.5)), {}, f"{SCORES}, but in row 3 it is 1.5. If these are percentages"),
    "percentages": (changed(score=good(N)["score"] * 100), {}, "If these are percentages, divide them by 100."),
    "logits": (changed(score=good(N)["score"] * 6 - 3), {}, "If these are logits, turn them into probabilities"),
    "a score missing": (changed(score=(9, None)), {}, f"{SCORES}, but in row 10 it is missing."),
    "an infinite score": (changed(score=(9, float("inf"))), {}, f"{SCORES}, but in row 10 it is inf."),
    "scores all equal": (changed(score=0.5), {}, "column 'score' must hold scores that differ, but all 60 are 0.5."),
    "scores in words": (changed(score=(3, "high")), {}, f"{SCORES}, but in row 4 it is 'high'."),
    "decimal commas": (changed(score=(3, "0,25")), {}, "it is '0,25'. Write decimals with a point, not a comma."),
    "percent signs": (changed(score=(3, "25%")), {}, "it is '25%'. Write 0.25, not 25%."),
    "too few rows": (good(20), {}, "my.csv has 20 rows, but at least 50 are needed."),
    "fewer than asked for": (good(N), {"min_rows": 300}, "my.csv has 60 rows, but at least 300 are needed."),
    "a negative weight": (changed(w=[1.0] * 59 + [-2]), {"weight": "w"}, f"{WEIGHTS}, but in row 60 it is -2.0."),
    "a weight missing": (changed(w=[1.0] * 59 + [None]), {"weight": "w"}, f"{WEIGHTS}, but in row 60 it is missing."),
    "an infinite weight": (changed(w=[np.inf] + [1.0] * 59), {"weight": "w"}, f"{WEIGHTS}, but in row 1 it is inf."),
    "a weight whose sums are no numbers": (
        changed(w=[1e300] + [1.0] * 59), {"weight": "w"},
        f"{WEIGHTS}, but in row 1 it is 1e+300. Weights may be as large as 1e+100.",
    ),
    "one weight above all": (
        changed(w=[1.0] * 59 + [1e90]), {"weight": "w"}, "but row 60 (1e+90) weighs more than all others together."
    ),
    "weights zero everywhere": (changed(w=0), {"weight": "w"}, "'w' must not be zero everywhere, but all 60"),
    "a group missing": (changed(g=["a"] * 59 + [None]), {"group": "g"}, "'g' must name the group of every row"),
    "one group": (changed(g="a"), {"group": "g"}, "column 'g' must hold at least 5 groups"),
    "no such label": (good(N), {"label": "lable"}, "my.csv has no column 'lable' (label); did you mean 'label'?"),
    "no such score": (good(N), {"score": "Score"}, "my.csv has no column 'Score' (score); did you mean 'score'?"),
    "no such weight": (good(N), {"weight": "zzz"}, "(weight); the columns are 'age', 'income', 'school'"),
    "no such group": (good(N), {"group": "ages"}, "my.csv has no column 'ages' (group); did you mean 'age'?"),
    "no such feature": (good(N), {"features": ["age", "incom"]}, "'incom' (features); did you mean 'income'?"),
    "a leak of the label": (good(N), {"features": ["age", "label"]}, "features must not name the label column"),
    "a leak of the score": (good(N), {"features": "age,score"}, "features must not name the score column"),
    "a feature twice": (good(N), {"features": ["age", "age"]}, "each column once, but 'age' occurs 2 times."),
    "one column, two roles": (
        good(N), {"weight": "score"}, "score and weight must be different columns, but both are 'score'."
    ),
    "group is the label": (good(N), {"group": "label"}, "label and group must be different columns"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("first", "other", "positive"),
    [
        ("yes", "no", "'yes'"), ("No", "Yes", "'Yes'"), ("True ", "False ", "'True '"), (1, -1, "1.0"), (2, 1, "2.0"),
        ("10", "9", "'10'"), ("no default", "default", "'default'"), ("cat", "dog", None),
    ],
)  # fmt: skip
def test_the_hint_takes_the_event_for_1_whatever_comes_first(first, other, positive):
    """It used to take the second value met, which turns the labels round where the first row holds the event."""
    label = np.where(np.arange(N) % 3 == 0, np.array(first, object), np.array(other, object))
    with pytest.raises(ValueError, match="must hold labels 0 and 1") as raised:
        _labels("my.csv", "y", pd.Series(label).infer_objects())
    assert f"(table['y'] == {positive or '...'}).astype(int)" in str(raised.value)
    assert ("if the score is" in str(raised.value)) == (positive is not None)


@pytest.mark.parametrize(("frame", "options", "message"), CASES.values(), ids=CASES)
def test_a_clear_message_and_nothing_written(tmp_path, frame, options, message):
    path = tmp_path / "my.csv"
    frame.to_csv(path, index=False)
    content = path.read_bytes()
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        read_scores(path, **options)
    assert str(tmp_path) not in str(error.value)
    assert [file.name for file in tmp_path.iterdir()] == ["my.csv"] and path.read_bytes() == content


TEXT = good(N).to_csv(index=False).encode()
LINES = TEXT.splitlines(keepends=True)
PLAIN = TEXT.replace(b'"high, school"', b"high")  # no quotes: read by another path
FILES = {
    "empty": ("my.csv", b"", "my.csv is empty."),
    "blank": ("my.csv", b"\n \n", "my.csv is empty."),
    "only a header": ("my.csv", LINES[0], "my.csv has a header but no rows."),
    "a line too short": (
        "my.csv", b"".join([*LINES[:10], b"1,2,x\n", *LINES[10:]]),
        "my.csv must have 5 fields in every line, as in its header, but line 11 has 3.",
    ),
    "a line too long": ("my.csv", TEXT.replace(LINES[4], LINES[4].strip() + b",1,2\n"), "but line 5 has 7."),
    "all lines too long": (
        "my.csv", LINES[0] + b"".join(line.strip() + b",9\n" for line in LINES[1:]),
        "but line 2 has 6 (and 59 more lines differ).",
    ),
    "cut off in the middle": (
        "my.csv", b"".join(LINES[:58]) + b"34,31.2", "is cut off in the middle: its last line (59) has 2 of 5 fields."
    ),
    "cut off inside quotes": (
        "my.csv", b"".join(LINES[:58]) + b'34,31.2,"high, sch',
        "my.csv is cut off in the middle, or the quote that line 59 opens is never closed."
    ),
    "short line, no quotes": (
        "my.csv", PLAIN.replace(b"\n", b"\n1,2\n", 3), "but line 2 has 2 (and 2 more lines differ)."
    ),
    "cut off, no quotes": (
        "my.csv", PLAIN + b"1,2", "is cut off in the middle: its last line (62) has 2 of 5 fields."
    ),
    "a quote left open": (
        "my.csv", PLAIN.replace(b"\n", b"\n1,2,\"high,0,0.5\n", 9).replace(b'"', b"", 8),
        "my.csv is cut off in the middle, or the quote that line 18 opens is never closed."
    ),
    "a flipped byte in a gzip file": (
        "my.csv.gz", gzip.compress(TEXT)[:60] + b"\0\xff" + gzip.compress(TEXT)[62:],
        "my.csv.gz is damaged: its compressed data are not what was written."
    ),
    "a gzip file cut off": ("my.csv.gz", gzip.compress(TEXT)[:-400], "its compressed data end too early."),
    "not gzip": ("my.csv.gz", TEXT, "my.csv.gz is not a gzip file, although its name ends in .gz."),
    "columns with one name": (
        "my.csv", TEXT.replace(b"income", b"age", 1), "my.csv has more than one column named 'age'; rename them."
    ),
    "label twice": ("my.csv", TEXT.replace(b"income", b"label", 1), "my.csv has more than one column named 'label'"),
    "semicolons": ("my.csv", TEXT.replace(b",", b";"), "my.csv has semicolons between its columns"),
    "tabs": ("my.csv", TEXT.replace(b",", b"\t"), "my.csv has tabs between its columns; save it with commas."),
    "utf-16": ("my.csv", TEXT.decode().encode("utf-16"), "my.csv is not a text file in UTF-8"),
    "latin-1": ("my.csv", TEXT.replace(b"college", "collège".encode("latin-1")), "my.csv is not a text file in UTF-8"),
    "latin-1, no quotes": (
        "my.csv", PLAIN.replace(b"high", "é".encode("latin-1")), "my.csv is not a text file in UTF-8"
    ),
    "wrong extension": ("my.xlsx", TEXT, "must be a table in one of the formats .csv, .csv.gz,"),
    "text called parquet": ("my.parquet", TEXT, "my.parquet is damaged or cut off in the middle"),
    "text called feather": ("my.feather", TEXT, "it cannot be read as Feather."),
    "empty parquet": ("my.parquet", b"", "my.parquet is empty."),
}  # fmt: skip


@pytest.mark.parametrize(("name", "content", "message"), FILES.values(), ids=FILES)
def test_a_bad_file(tmp_path, name, content, message):
    if not name.startswith("my.csv"):
        pytest.importorskip("pyarrow", reason="Parquet and Feather need pyarrow")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        read_scores(tmp_path / name)
    assert str(tmp_path) not in str(error.value)
    assert [file.name for file in tmp_path.iterdir()] == [name] and (tmp_path / name).read_bytes() == content


@pytest.mark.parametrize("kind", ["parquet", "feather"])
@pytest.mark.parametrize("share", [0.3, 0.7, 0.99])
def test_arrow_files_cut_off_in_the_middle(tmp_path, kind, share):
    pytest.importorskip("pyarrow", reason="Parquet and Feather need pyarrow")
    path = tmp_path / f"my.{kind}"
    getattr(good(2000), f"to_{kind}")(path)
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    with pytest.raises(ValueError, match=rf"my.{kind} is damaged or cut off in the middle"):
        read_scores(path)


def test_parquet_columns_with_one_name(tmp_path):
    pyarrow = pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet", reason="Parquet needs pyarrow")
    columns = [pyarrow.array([0, 1]), pyarrow.array([0.1, 0.2]), pyarrow.array([0.1, 0.2])]
    parquet.write_table(pyarrow.table(columns, names=["label", "score", "score"]), tmp_path / "my.parquet")
    with pytest.raises(ValueError, match="my.parquet has more than one column named 'score'"):
        read_scores(tmp_path / "my.parquet")


@pytest.mark.parametrize("block", [1, 50, 1 << 22])
def test_lines_are_counted_the_same_in_blocks_of_any_size(tmp_path, monkeypatch, block):
    monkeypatch.setattr(_readers, "BLOCK", block)
    path = tmp_path / "my.csv"
    path.write_bytes(PLAIN.replace(b"\n", b"\r\n\r\n"))
    assert read_scores(path).n == N
    path.write_bytes(PLAIN.replace(b"\n", b"\n\n") + b"1,2\n" + PLAIN.splitlines(keepends=True)[1])
    with pytest.raises(ValueError, match="in its header, but line 123 has 2."):
        read_scores(path)


def test_a_missing_file_names_its_neighbour(tmp_path):
    good(N).to_csv(tmp_path / "scores_2024.csv", index=False)
    with pytest.raises(ValueError, match=r"^scores_2042.csv does not exist; did you mean 'scores_2024.csv'\?$"):
        read_scores(tmp_path / "scores_2042.csv")
    with pytest.raises(ValueError, match=r"^other_file.parquet does not exist\.$"):
        read_scores(tmp_path / "other_file.parquet")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(ValueError, match=r"^folder.csv is a folder, not a table\.$"):
        read_scores(tmp_path / "folder.csv")


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    path = tmp_path / "my.csv"
    good(N).to_csv(path, index=False)

    def refuse(*args, **kwargs):
        raise PermissionError

    monkeypatch.setattr(builtins, "open", refuse)
    with pytest.raises(ValueError, match="my.csv cannot be read: permission denied."):
        read_scores(path)


def test_without_pyarrow_the_package_is_named(tmp_path, monkeypatch):
    (tmp_path / "my.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match="my.parquet needs the package pyarrow: install it, or"):
        read_scores(tmp_path / "my.parquet")


def test_the_callers_frame_and_lists_stay_as_they_are(tmp_path):
    good(N).to_csv(tmp_path / "my.csv", index=False)
    features = ["age", "income"]
    table = read_scores(tmp_path / "my.csv", features=features)
    assert features == ["age", "income"] and isinstance(table.X, pd.DataFrame)


@pytest.mark.parametrize("byte", [0, 40, 80])
def test_a_flipped_bit_in_parquet_is_refused(tmp_path, byte):
    """Pages carry checksums, which used not to be looked at: half of such bits were read as other numbers."""
    parquet = pytest.importorskip("pyarrow.parquet", reason="Parquet needs pyarrow")
    table = good(N)[["label", "score"]]
    path = tmp_path / "my.parquet"
    table.to_parquet(path, write_page_checksum=True, compression="none", use_dictionary=False)
    place = parquet.ParquetFile(path).metadata.row_group(0).column(1).data_page_offset
    content = bytearray(path.read_bytes())
    where = content.index(table["score"].to_numpy().tobytes(), place) + byte
    content[where] ^= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match=re.escape("my.parquet is damaged or cut off in the middle")):
        read_scores(path)


def test_a_gz_that_unfolds_beyond_the_limit_is_refused_before_it_fills_the_memory(tmp_path, monkeypatch):
    path = tmp_path / "my.csv.gz"
    path.write_bytes(gzip.compress(PLAIN.replace(b"college", b"x" * 5_000_000, 1), 1))
    monkeypatch.setenv("HONEST_MOST_GB", "0.004")
    with pytest.raises(ValueError, match=re.escape("my.csv.gz unfolds to more than 0.004 GB; if that is right, raise")):
        read_scores(path)
    monkeypatch.setenv("HONEST_MOST_GB", "0.01")
    assert read_scores(path).n == N


def test_what_is_no_regular_file(tmp_path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("there are no pipes with names here")
    os.mkfifo(tmp_path / "fifo.csv")
    with pytest.raises(ValueError, match=re.escape("fifo.csv is no regular file, not a table.")):
        read_scores(tmp_path / "fifo.csv")


@pytest.mark.parametrize("role", ["label", "score", "weight", "group"])
@pytest.mark.parametrize("cell", [[1, 2], {"a": 1}])
def test_lists_and_structures_where_a_value_should_stand(tmp_path, role, cell):
    pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    frame = good(N).assign(weight=1.0, group=np.arange(N) // 2)
    frame[role] = [cell] * N
    frame.to_parquet(tmp_path / "my.parquet")
    with pytest.raises(ValueError, match=f"column '{role}' must hold one number or word in each row, but in row 1"):
        read_scores(tmp_path / "my.parquet", weight="weight", group="group")


def test_thousands_of_columns_are_refused_before_hours_go_by(tmp_path):
    wide = pd.DataFrame(np.arange(N * 1001).reshape(N, 1001) % 5, columns=[f"c{k}" for k in range(1001)])
    pd.concat([good(N), wide], axis=1).to_csv(tmp_path / "wide.csv", index=False)
    with pytest.raises(ValueError, match=re.escape("wide.csv has 1,004 features, but an audit looks at 1,000 at most")):
        read_scores(tmp_path / "wide.csv")
    assert read_scores(tmp_path / "wide.csv", features=["age", "c7"]).features == ["age", "c7"]


def test_a_home_that_nobody_has():
    with pytest.raises(ValueError, match="x.csv does not exist"):
        read_scores("~nobody-of-this-name/x.csv")
