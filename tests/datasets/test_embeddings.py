"""A table of embeddings: every format that is read, and one clear sentence for each table that is not."""

import io

import numpy as np
import pandas as pd
import pytest

from helpers.datasets import read_embeddings


def frame(n=600):
    """A network with three units, two kinds of cases, and two rows an image."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(n, 3)), columns=["unit_0", "unit_1", "unit_2"])
    kind = np.where(table["unit_0"] > 0, "sketch", "tattoo")
    return table.assign(label=np.arange(n) % 2, score=rng.uniform(0.35, 0.65, n), kind=kind, image=np.arange(n) // 2)


def write(table, path):
    if path.name.endswith(".npz"):
        columns = {name: table[name].to_numpy() for name in ("label", "score", "image")}
        kind = table["kind"].to_numpy().astype(str)
        np.savez(path, unit=table.filter(like="unit").to_numpy(), kind=kind, **columns)
    elif path.name.endswith(".parquet"):
        pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
        table.to_parquet(path)
    else:
        table.to_csv(path, index=False)
    return path


@pytest.mark.parametrize("name", ["a.csv.gz", "a.parquet", "a.npz"])
def test_every_format_holds_the_same_table(tmp_path, name):
    table = frame()
    read = read_embeddings(write(table, tmp_path / name), kind="kind", group="image")
    np.testing.assert_array_equal(read.y, table["label"])
    np.testing.assert_allclose(read.p, table["score"], rtol=1e-12)
    np.testing.assert_allclose(read.X, table.filter(like="unit"), rtol=1e-12)
    assert list(read.X) == ["unit_0", "unit_1", "unit_2"] and read.name == name
    assert set(read.kind) == {"sketch", "tattoo"} and np.unique(read.groups).size == 300


def changed(column, value):
    table = frame()
    table[column] = table[column].astype(object)
    table.loc[7, column] = value
    return table


BAD = {  # the table, and what the error must name beside the file
    "a label missing": (changed("label", None), ["'label'", "row 8", "missing"]),
    "a score above 1": (changed("score", 1.5), ["'score'", "row 8", "1.5"]),
    "a feature missing": (changed("unit_1", np.nan), ["'unit_1'", "row 8", "missing"]),
    "an infinite feature": (changed("unit_1", np.inf), ["'unit_1'", "row 8", "inf"]),
    "a word among features": (changed("unit_2", "x"), ["'unit_2'", "row 8", "'x'"]),
    "no score": (frame().rename(columns={"score": "scores"}), ["'score' (score)", "'scores'?"]),
    "a kind missing": (changed("kind", None), ["'kind'", "row 8", "missing"]),
    "a group missing": (changed("image", None), ["'image'", "row 8", "missing"]),
    "few groups": (frame().assign(image=1), ["'image'", "5 groups"]),
    "no feature": (frame()[["label", "score", "kind", "image"]], ["feature"]),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_table_is_refused_with_its_column_and_row(tmp_path, case):
    table, words = BAD[case]
    table.to_csv(tmp_path / "a.csv", index=False)
    with pytest.raises(ValueError, match="^a.csv:? ") as error:
        read_embeddings(tmp_path / "a.csv", kind="kind", group="image")
    assert all(word in str(error.value) for word in words), error.value


def saved(**arrays):
    content = io.BytesIO()
    np.savez(content, **arrays)
    return content.getvalue()


ARCHIVES = {
    "cut off": saved(label=np.zeros(5))[:30],
    "a single array": np.lib.format.magic(1, 0) + b"junk",
    "objects": saved(label=np.array([{}], dtype=object)),
    "lengths": saved(label=np.zeros(5), score=np.zeros(4)),
    "a single number": saved(label=np.array(1)),
    "nothing": saved(),
}


@pytest.mark.parametrize("case", ARCHIVES)
def test_a_bad_archive_is_refused_and_closed(tmp_path, case):
    (tmp_path / "a.npz").write_bytes(ARCHIVES[case])
    with pytest.raises(ValueError, match=r"^a\.npz "):
        read_embeddings(tmp_path / "a.npz")


def test_another_kind_of_file_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"^a\.xlsx must end in \.csv"):
        read_embeddings(tmp_path / "a.xlsx")
