"""A repair from disk takes new rows as they come from a file: without labels, however its columns are spelled."""

import hashlib
import json
import sys
import types

import joblib
import numpy as np
import pandas as pd
import polars
import pyarrow.csv
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression

from helpers.practice.repair import Recalibrator, load, save
from helpers.practice.repair.saved import versions
from helpers.practice.tables import read_scores

N = 400


@pytest.fixture(scope="module")
def repair(tmp_path_factory):
    """The loaded repair, new rows as pandas reads them, their scores, and what the rows of the fit got."""
    rng = np.random.default_rng(0)
    seen = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, N), unit="D")
    frame = pd.DataFrame({
        "age": rng.integers(20, 90, N),
        "share": rng.integers(0, 1000, N) / 10,
        "gap": np.where(rng.random(N) < 0.1, np.nan, rng.normal(size=N).round(3)),
        "rate": [f"{rate}%" for rate in rng.integers(0, 100, N)],
        "job": rng.choice(["cook", "smith", "nurse"], N),
        "code": rng.choice(["1", "2", "x"], N),
        "member": rng.random(N) < 0.5,
        "seen on": seen.strftime("%Y-%m-%d"),
        "score": rng.uniform(0.1, 0.9, N).round(3),
    })  # fmt: skip
    late = np.where(seen < "2021-03-01", -0.25, 0.25) + np.where(frame["member"], 0.1, -0.1)
    y = (rng.random(N) < np.clip(frame["score"] + late, 0, 1)).astype(int)
    folder = tmp_path_factory.mktemp("repair")
    frame.assign(label=y).to_csv(folder / "old.csv", index=False)
    frame.to_csv(folder / "new.csv", index=False)
    table = read_scores(folder / "old.csv")
    model = Recalibrator(n_folds=2, alpha=1, fast=True, rng=0).fit(y=table.y, p=table.p, X=table.X)
    save(model, folder / "repair.joblib")
    return load(folder / "repair.joblib"), folder / "new.csv", table.p, model.predict(p=table.p, X=table.X)


SPELLED = {
    "as pandas reads it": pd.read_csv,
    "all text": lambda path: pd.read_csv(path, dtype=str),
    "all text, gaps as empty words": lambda path: pd.read_csv(path, dtype=str, keep_default_na=False),
    "polars": polars.read_csv,
    "pyarrow": pyarrow.csv.read_csv,
    "days first": lambda path: dates(path, "%d.%m.%Y"),
    "months first": lambda path: dates(path, "%m/%d/%Y"),
    "moments": lambda path: dates(path, "%Y-%m-%dT%H:%M:%S"),
    "dates": lambda path: pd.read_csv(path, parse_dates=["seen on"]),
    "whole numbers as floats": lambda path: pd.read_csv(path, dtype={"age": float, "member": int}),
    "numbers, some as text": lambda path: pd.read_csv(path, converters={"age": odd_ages}),
    "decimal commas": lambda path: pd.read_csv(path).assign(
        share=lambda t: t["share"].astype(str).str.replace(".", ",")
    ),
    "columns turned round, and others": lambda path: pd.read_csv(path).iloc[:, ::-1].assign(label=np.nan, place="Ulm"),
}


def odd_ages(age):
    return int(age) if int(age) % 2 else age


def dates(path, form):
    frame = pd.read_csv(path, parse_dates=["seen on"])
    return frame.assign(**{"seen on": frame["seen on"].dt.strftime(form)})


@pytest.mark.parametrize("name", SPELLED)
def test_new_rows_are_read_as_those_of_the_fit(repair, name):
    model, path, p, expected = repair
    assert model.changed_ and np.ptp(expected - p) > 0.2
    assert model.predict(p=p, X=SPELLED[name](path)).tolist() == expected.tolist()


def test_categories_that_became_floats_beside_a_gap_are_the_same(repair, tmp_path):
    model, path, p, expected = repair
    frame = pd.read_csv(path)
    digits = (frame["code"] != "x").to_numpy()
    frame.loc[digits & (np.arange(N) < 9), "code"] = None
    frame[digits].to_csv(tmp_path / "few.csv", index=False)
    few = pd.read_csv(tmp_path / "few.csv")
    known = few["code"].notna().to_numpy()
    assert few["code"].dtype == float
    assert model.predict(p=p[digits], X=few)[known].tolist() == expected[digits][known].tolist()


def test_new_levels_and_gaps_change_their_own_rows_only(repair):
    model, path, p, expected = repair
    frame = pd.read_csv(path)
    strange = np.arange(N) < 5
    frame.loc[strange, "job"] = "pilot"
    frame.loc[strange, ["age", "seen on"]] = None
    repaired = model.predict(p=p, X=frame)
    assert repaired[~strange].tolist() == expected[~strange].tolist()
    assert ((repaired > 0) & (repaired < 1)).all()


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda frame: frame.drop(columns="seen on"), ["'seen on'", "absent"]),
        (lambda frame: frame.rename(columns={"member": "Member"}), ["'member'", "did you mean 'Member'"]),
        (lambda frame: changed(frame, "seen on", 7, "soon"), ["'seen on'", "dates", "row 7", "'soon'"]),
        (lambda frame: frame[:1].assign(**{"seen on": "02/03/2020"}), ["'seen on'", "2024-01-31", "'02/03/2020'"]),
        (lambda frame: frame.assign(**{"seen on": 3}), ["'seen on'", "dates", "numbers now"]),
        (lambda frame: changed(frame, "age", 3, "old"), ["'age'", "numbers", "row 3", "'old'"]),
        (lambda frame: frame.assign(share="2.000"), ["'share'", "row 0", "'2.000'", "thousands"]),
        (lambda frame: frame.assign(age=frame["seen on"]), ["'age'", "numbers", "dates now"]),
    ],
)
def test_what_cannot_be_read_is_named(repair, change, words):
    model, path, p, _ = repair
    frame = change(pd.read_csv(path))
    with pytest.raises(ValueError) as refused:
        model.predict(p=p[: len(frame)], X=frame)
    assert [word for word in words if word not in str(refused.value)] == []


def changed(frame, column, row, value):
    return frame.assign(**{column: frame[column].astype(object).where(np.arange(len(frame)) != row, value)})


def test_files_that_are_refused(repair, tmp_path):
    path = tmp_path / "repair.joblib"
    save(repair[0], path)
    head, _, content = path.read_bytes().partition(b"\n")
    cases = {"was changed or cut": head + b"\n" + content[:-9], "is another one": b"a,b\n1,2\n"}
    for name in ("format", "helpers", "scikit-learn", "numpy", "python"):
        other = json.loads(head)
        other["versions"][name] = "0.1"
        cases[f"was saved with {name} 0.1"] = json.dumps(other).encode() + b"\n" + content
    assert (
        json.loads(head)["versions"].items()
        >= {
            "numpy": str(np.lib.NumpyVersion(np.__version__).major),
            "python": f"{sys.version_info.major}.{sys.version_info.minor}",
        }.items()
    )
    for sentence, text in cases.items():
        path.write_bytes(text)
        with pytest.raises(ValueError, match=sentence):
            load(path)
    joblib.dump({"a": 1}, path)
    with pytest.raises(ValueError, match="path must"):
        load(path)
    with pytest.raises(NotFittedError):
        save(Recalibrator(), path)
    with pytest.raises(ValueError, match="model must"):
        save(LinearRegression(), path)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nothing")


def test_a_model_of_the_module_that_moved_is_refused_by_its_version(tmp_path, monkeypatch):
    """Repairs were saved as `helpers.repair.recalibrator.Recalibrator` before the package had two floors."""
    old = types.ModuleType("helpers.repair.recalibrator")
    old.Recalibrator = type("Recalibrator", (), {"__module__": old.__name__})
    with monkeypatch.context() as before:
        before.setitem(sys.modules, "helpers.repair", types.ModuleType("helpers.repair"))
        before.setitem(sys.modules, old.__name__, old)
        joblib.dump(old.Recalibrator(), tmp_path / "bare.joblib")
    content = (tmp_path / "bare.joblib").read_bytes()
    assert b"helpers.repair.recalibrator" in content
    with pytest.raises(ModuleNotFoundError):
        joblib.load(tmp_path / "bare.joblib")
    head = {"file": "honest confidence, fitted model", "model": "Recalibrator", "versions": versions()}
    head["versions"] |= {"format": "5", "helpers": "0.1.0"}
    head["sha256"] = hashlib.sha256(content).hexdigest()
    (tmp_path / "repair.joblib").write_bytes(json.dumps(head).encode() + b"\n" + content)
    with pytest.raises(ValueError, match=r"format 5, by version 0\.1\.0 of this package: fit it anew"):
        load(tmp_path / "repair.joblib")
    with pytest.raises(ValueError, match="^path must"):
        load(tmp_path / "bare.joblib")
