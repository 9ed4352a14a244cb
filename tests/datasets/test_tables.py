"""Loaders of shipped and installed tables, and the ledger."""

import hashlib
import re

import numpy as np
import pytest

from helpers.datasets import DATA_FOLDER
from helpers.datasets import tables as datasets


def test_rand_groups_are_runs_of_equal_rows():
    data = datasets.load_rand_hie()
    assert len(data.y) == len(data.X) == len(data.groups) == 20_190
    assert np.unique(data.groups).size == 5_294
    assert (np.diff(data.groups) == 0).mean() == pytest.approx(0.738, abs=5e-4)  # 74 % repeat the row before
    assert set(np.diff(data.groups)) == {0, 1}
    for column in data.X:
        assert (data.X[column].astype(object).groupby(data.groups).nunique(dropna=False) == 1).all(), column
    assert data.y.mean() == pytest.approx(0.6876, abs=1e-4)
    assert datasets.load_rand_hie(min_visits=5).y.mean() == pytest.approx(0.2000, abs=1e-4)
    assert set(data.units) == set(data.X)


def test_rand_units_undo_the_logarithms():
    X = datasets.load_rand_hie().X
    assert sorted(X["coinsurance"].unique()) == [0, 25, 50, 95, 100]
    assert X["free_above"].max() == 4000 and X["incentive"].max() < 1300
    assert X["chronic"].isna().mean() == pytest.approx(0.396, abs=1e-3)
    assert X["limited"].isna().mean() == pytest.approx(0.052, abs=1e-3)


@pytest.mark.parametrize(
    ("load", "shape", "classes"),
    [("load_fair", (6366, 8), 2), ("load_digits", (1797, 64), 10), ("load_breast_cancer", (569, 30), 2)],
)
def test_other_loaders(load, shape, classes):
    data = getattr(datasets, load)()
    assert data.X.shape == shape and data.y.shape == shape[:1]
    assert list(np.unique(data.y)) == list(range(classes))
    assert set(data.units) == set(data.X) and data.licence and data.citation and data.source
    assert not data.X.isna().any().any()


def test_rand_scores_come_from_a_model_of_other_families():
    data = datasets.load_rand_scores()
    assert len(data.y) == 10_025 and np.unique(data.groups).size == 1_214 and list(data.units) == list(data.X)
    assert np.unique(datasets.load_rand_scores(groups="person").groups).size == 2_939
    assert (data.p > 0).all() and (data.p < 1).all()
    plan = ["coinsurance", "deductible_plan", "incentive", "free_above"]
    assert (data.X[plan].assign(p=data.p).groupby(plan, dropna=False)["p"].nunique() == 1).all()
    assert abs(data.p.mean() - data.y.mean()) < 0.02
    with pytest.raises(ValueError, match="groups must"):
        datasets.load_rand_scores(groups="house")


def test_the_hashes_in_the_readme_are_right():
    text = (DATA_FOLDER / "README.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| `([^`]+)` \|.*\| `([0-9a-f]{64})` \|$", text, re.MULTILINE))
    versioned = {"README.md", "claims.csv"} | {path.name for path in DATA_FOLDER.glob("make_*.py")}
    files = {path.name for path in DATA_FOLDER.iterdir() if path.is_file()} - versioned
    assert set(listed) == files
    for name, sha in listed.items():
        assert hashlib.sha256((DATA_FOLDER / name).read_bytes()).hexdigest() == sha, name


def test_the_ledger_is_a_table_of_filled_rows():
    claims = datasets.load_claims()
    assert list(claims) == "id,paper,item,statement,kind,code,notebook,tolerance,status,remark".split(",")
    assert claims["id"].is_unique and len(claims) >= 193
    assert (claims["id"].str.split(".").str[0] == claims["paper"]).all()
    assert set(claims["paper"]) == {"perezlebel2023", "melo2026", "ecuas2026", "semece2026", "ours"}
    places = claims["notebook"].str.split("; ").explode()
    assert places.isin([f"{kind}{number:02d}" for kind in ("", "checks/") for number in range(21)]).all()
    explained = claims["status"].isin(["agrees", "disagrees", "cannot tell", "differs", "needs"])
    assert (claims.loc[explained, "remark"] != "").all()
    assert claims["statement"].str.len().min() > 30 and claims["statement"].str.endswith(".").all()
    assert claims["statement"].is_unique and (claims["item"] != "").all() and (claims["kind"] != "").all()
