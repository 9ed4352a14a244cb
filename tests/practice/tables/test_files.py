"""Files: every format and way to write CSV that is read, and one clear sentence for each file that is not."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest
from tables_of_scores import good

from helpers.datasets import DATA_FOLDER
from helpers.practice.tables import files, read_answers, read_scores
from helpers.practice.tables.files import find_table


def write(frame, path):
    """A table as a file of the kind that its name says."""
    ending = path.name.lower().removesuffix(".gz").rpartition(".")[2]
    if ending in ("csv", "tsv"):
        frame.to_csv(path, index=False, sep="\t" if ending == "tsv" else ",")
    elif ending in ("jsonl", "ndjson"):
        frame.to_json(path, orient="records", lines=True, double_precision=15)
    elif ending == "xlsx":
        pytest.importorskip("openpyxl", reason="Excel needs openpyxl")
        frame.to_excel(path, index=False)
    else:
        pytest.importorskip("pyarrow", reason="Parquet and Feather need pyarrow")
        getattr(frame, f"to_{ending}")(path)
    return path


NAMES = ["my.csv.gz", "MY.CSV", "my.tsv", "my.parquet", "my.feather", "my.jsonl.gz", "my.ndjson", "my.xlsx"]


@pytest.mark.parametrize("name", [*NAMES, "the table"])
def test_every_format_gives_the_same_table(tmp_path, name):
    frame = good()
    path = frame if name == "the table" else write(frame, tmp_path / name)
    table = read_scores(path)
    assert (table.name, table.n, table.label, table.score, table.note) == (name, 60, "label", "score", "")
    assert table.y.dtype == np.int8 and table.features == ["age", "income", "school"] and table.dropped == {}
    np.testing.assert_array_equal(table.y, frame["label"])
    np.testing.assert_array_equal(table.p, frame["score"])
    np.testing.assert_array_equal(table.X["income"], frame["income"])
    np.testing.assert_array_equal(table.X["school"].astype(object), frame["school"])
    assert str(table).startswith(f"{name}: 60 rows, 3 features; ")
    assert list(tmp_path.iterdir()) == ([] if name == "the table" else [path])


def written(encoding="utf-8", sep=",", decimal=".", **options):
    """A good table with a letter that depends on the encoding, as bytes."""
    frame = good().replace({"school": {"college": "collège"}})
    return frame.to_csv(index=False, sep=sep, decimal=decimal, **options).encode(encoding)


WAYS = {  # the bytes, and what the note says
    "byte order mark": (written("utf-8-sig"), ""),
    "windows lines": (written(lineterminator="\r\n"), ""),
    "old mac lines": (written(lineterminator="\r"), ""),
    "blank lines": (b"\n\n" + written().replace(b"\n", b"\n  \n", 7), ""),
    "all quoted": (written(quoting=1), ""),
    "semicolons": (written(sep=";"), "semicolons"),
    "Excel in Germany": (written("cp1252", sep=";", decimal=",", lineterminator="\r\n"), "decimal comma"),
    "Excel's Unicode text": (written("utf-16", sep="\t", decimal=","), "tabs"),
    "bars": (written(sep="|"), "bars"),
    "latin-1": (written("latin-1"), "Windows-1252"),
    "no line end": (written().rstrip(b"\n"), "end of a line"),
    "a title": (b"Scores of 2024\n\n" + written(), "Scores of 2024"),
    "titles of a sheet": (b"Scores;;;;\n\nmade in May;;;;\n" + written(sep=";", decimal=","), "Scores;"),
    "Excel's own line": (b"sep=;\n" + written(sep=";"), "sep=;"),
    "commas in quotes": (written(decimal=","), "'score' is read as numbers"),
}


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
    assert set(table.X["school"]) == {"high, school", "collège"}
    assert note in table.note and bool(table.note) == bool(note)


WORDS = {  # of places, in encodings of their countries
    "cp932": ["東京都", "大阪府", "北海道"],
    "gb18030": ["北京市", "上海市", "广东省"],
    "big5": ["台北", "高雄", "臺中"],
    "cp949": ["서울", "부산", "대구"],
    "euc_jp": ["東京都", "大阪府", "北海道"],
    "cp1252": ["Zürich", "Málaga", "Orléans"],
}


@pytest.mark.parametrize("encoding", WORDS)
def test_texts_that_are_not_in_utf_8(tmp_path, encoding):
    frame = good().assign(place=WORDS[encoding] * 20)
    (tmp_path / "my.csv").write_bytes(frame.to_csv(index=False).encode(encoding))
    table = read_scores(tmp_path / "my.csv")
    assert list(table.X["place"][:3]) == WORDS[encoding] and "UTF-8" in table.note


def test_a_title_in_a_workbook(tmp_path):
    pytest.importorskip("openpyxl", reason="Excel needs openpyxl")
    good().to_excel(tmp_path / "my.xlsx", index=False, startrow=3)
    with pd.ExcelWriter(tmp_path / "my.xlsx", mode="a", if_sheet_exists="overlay") as book:
        pd.DataFrame(["Scores of 2024"]).to_excel(book, header=False, index=False, sheet_name="Sheet1")
    table = read_scores(tmp_path / "my.xlsx")
    assert table.n == 60 and table.features == ["age", "income", "school"] and "Scores of 2024" in table.note


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


AMOUNTS = {  # how a column of a file with semicolons and decimal commas writes 1299.99, 5 and 0.5
    "Germany": ["1.299,99", "5,00", "0,50"],
    "euros": ["1.299,99 €", "5,00 €", "0,50 €"],
    "France": ["1\u202f299,99", "5,00", "0,50"],
    "Sweden": ["1 299,99 kr", "5,00 kr", "0,50 kr"],
    "Switzerland": ["CHF 1'299.99", "CHF 5.–", "CHF 0.50"],
    "a curly apostrophe": ["1’299.99", "5.00", "0.50"],
    "dollars": ["$1,299.99", "$5.00", "$.50"],
    "codes": ["USD 1,299.99", "USD 5", "USD 0.5"],
    "percent": ["1.299,99 %", "5 %", "0,5 %"],
}


@pytest.mark.parametrize("kind", ["file", "frame"])
@pytest.mark.parametrize("country", AMOUNTS)
def test_amounts_are_numbers(tmp_path, country, kind):
    frame = good().assign(amount=AMOUNTS[country] * 20)
    frame.to_csv(tmp_path / "my.csv", index=False, sep=";", decimal=",")
    table = read_scores(tmp_path / "my.csv" if kind == "file" else frame)
    np.testing.assert_array_equal(table.X["amount"], [1299.99, 5, 0.5] * 20)
    assert "'amount' is read as numbers" in table.note


def test_thousands_are_not_taken_for_decimals(tmp_path):
    """Two columns of thousands in a file with tabs outnumber the decimal points of the score."""
    frame = good().assign(rent=[f"{k:,}" for k in range(1001, 1061)], wage=[f"{k:,}" for k in range(2003, 2183, 3)])
    table = read_scores(write(frame, tmp_path / "my.tsv"))
    assert "'rent' is read as numbers" in table.note and "decimal comma" not in table.note
    np.testing.assert_array_equal(table.X["wage"], range(2003, 2183, 3))
    answers = pd.DataFrame({"question": ["a", "a", "b", "b"], "answer": ["1,234", "1234", "2,000", "2000"]})
    grouped = read_answers(write(answers, tmp_path / "my.tsv"), rule="exact").grouped
    assert grouped.labels[0] == ("1,234", "1234")


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


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "cp1252"])
def test_json_lines_in_other_encodings(tmp_path, encoding):
    """PowerShell writes UTF-16; keys of all lines are columns."""
    lines = [{"question": k // 2, "answer": "Orléans"} for k in range(4)]
    lines[1]["reference"] = "Lyon"
    text = "\n\n".join(json.dumps(line, ensure_ascii=False) for line in lines) + "\n"
    (tmp_path / "my.jsonl").write_bytes(text.encode(encoding))
    table = read_answers(tmp_path / "my.jsonl", rule="exact")
    assert table.grouped.labels[0] == ("Orléans",) and table.graded.tolist() == [True, False]
    assert any("Windows-1252" in note for note in table.notes) == (encoding == "cp1252")


TEXT = good().to_csv(index=False).encode()
LINES = TEXT.splitlines(keepends=True)
PLAIN = TEXT.replace(b'"high, school"', b"high")  # no quotes
LAST = b"".join(LINES[:58])
ZIPPED = gzip.compress(TEXT)
FILES = {  # the name, the content, and what the error must name beside the file
    "blank": ("my.csv", b"\n \n", ["empty"]),
    "only a header": ("my.csv", LINES[0], ["no rows"]),
    "a line too short": ("my.csv", b"".join([*LINES[:10], b"1,2,x\n", *LINES[10:]]), ["5 fields", "line 11 has 3"]),
    "a line too long": ("my.csv", TEXT.replace(LINES[4], LINES[4].strip() + b",1,2\n"), ["line 5 has 7"]),
    "all lines too long": ("my.csv", TEXT.replace(b"\n", b",9\n").replace(b",9", b"", 1), ["line 2 has 6"]),
    "short and long": ("my.csv", PLAIN + b"1,2,3\n1,2,3,4,5,6,7\n", ["line 62 has 3"]),
    "cut off": ("my.csv", LAST + b"34,31.2", ["line 59 has 2"]),
    "cut off inside quotes": ("my.csv", LAST + b'34,31.2,"high, sch', ["line 59"]),
    "a quote left open": ("my.csv", PLAIN.replace(b"\n", b'\n1,2,"x,0,0.5\n', 1), ["line 2"]),
    "a flipped byte": ("my.csv.gz", ZIPPED[:60] + b"\0\xff" + ZIPPED[62:], ["damaged"]),
    "gzip cut off": ("my.csv.gz", ZIPPED[:-400], ["cut off"]),
    "not gzip": ("my.csv.gz", TEXT, ["gzip"]),
    "one name twice": ("my.csv", TEXT.replace(b"income", b"age", 1), ["'age'", "rename"]),
    "other separators": ("my.csv", TEXT.replace(b",", b":"), ["'label' (label)", "age:income"]),
    "a title with commas": ("my.csv", b"Scores, 2024\n\n" + TEXT, ["line 3 has 5", "title"]),
    "no header": ("my.csv", TEXT.split(b"\n", 1)[1], ["first line", "label,score"]),
    "no header, equal numbers": ("my.csv", b"0.0,0.0,1\n0.5,0.2,3\n", ["first line", "'0.0'"]),
    "names of rows without a name": ("my.csv", PLAIN.replace(b"\n", b"\n7,").replace(b"7,", b"", 0), ["line 2 has 6"]),
    "HTML": ("my.csv", b"<!DOCTYPE html>\n<table><tr><td>1</td></tr></table>\n", ["html"]),
    "a workbook": ("my.csv", b"PK\x03\x04" + bytes(200), ["not a text file"]),
    "another format": ("my.ods", TEXT, ["one of the formats .csv", ".xlsx"]),
    "text called parquet": ("my.parquet", TEXT, ["damaged"]),
    "text called feather": ("my.feather", TEXT, ["damaged"]),
    "empty parquet": ("my.parquet", b"", ["empty"]),
    "text called xlsx": ("my.xlsx", TEXT, ["no Excel workbook"]),
    "a list a line": ("my.jsonl", b"\n[1, 2]\n", ["one object", "line 2"]),
    "one JSON list": ("my.jsonl", b'[\n{"a": 1},\n', ["line 1"]),
    "a line cut off": ("my.jsonl", b'{"a": 1}\n\n{"a": 2', ["line 3"]),
    "an empty log": ("my.json", b"", ["empty"]),
    "JSON that is no log": ("my.json", b'{"a": 1}', ["Inspect", ".jsonl"]),
    "broken JSON": ("my.json", b'{"version": 2, "eval": {', ["Inspect"]),
    "a summary of lm-evaluation-harness": ("my.json", b'{"results": {}, "configs": {}}', ["--log_samples"]),
}


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


@pytest.mark.parametrize("kind", ["parquet", "feather"])
@pytest.mark.parametrize("share", [0.3, 0.99])
def test_arrow_files_cut_off_in_the_middle(tmp_path, kind, share):
    path = write(good(2000), tmp_path / f"my.{kind}")
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    with pytest.raises(ValueError, match=rf"^my.{kind} .* cut off"):
        read_scores(path)


def test_parquet_columns_with_one_name(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="Parquet needs pyarrow")
    pyarrow = pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    columns = [pyarrow.array([0, 1]), pyarrow.array([0.1, 0.2]), pyarrow.array([0.1, 0.2])]
    parquet.write_table(pyarrow.table(columns, names=["label", "score", "score"]), tmp_path / "my.parquet")
    with pytest.raises(ValueError, match="^my.parquet.*'score'; rename"):
        read_scores(tmp_path / "my.parquet")


def test_paths_are_looked_up_here_then_in_the_repository(tmp_path, monkeypatch):
    path = write(good(), tmp_path / "my.csv")
    monkeypatch.chdir(tmp_path)
    assert read_scores("my.csv").n == 60
    for shipped in ("data/rand_scores.csv.gz", "rand_scores.csv.gz"):
        assert find_table(shipped) == DATA_FOLDER / "rand_scores.csv.gz"
    folder = tmp_path / "site-packages" / "helpers" / "_data"
    folder.mkdir(parents=True)
    (folder / "rand_scores.csv.gz").write_bytes(gzip.compress(path.read_bytes()))
    monkeypatch.setattr(files, "DATA_FOLDER", folder)  # as in an installed wheel
    assert find_table("data/rand_scores.csv.gz") == folder / "rand_scores.csv.gz"


def test_a_missing_file_names_its_neighbour(tmp_path):
    write(good(), tmp_path / "scores_2024.csv")
    with pytest.raises(ValueError, match=r"^scores_2042.csv .*'scores_2024.csv'\?$"):
        read_scores(tmp_path / "scores_2042.csv")
    (tmp_path / "folder.csv").mkdir()
    for path, words in ((tmp_path / "folder.csv", "^folder.csv is no file"), (None, "path must name a file")):
        with pytest.raises(ValueError, match=words):
            read_answers(path)
