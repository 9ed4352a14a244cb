"""Predictions of the folktexts benchmark: the written format, words for codes, the join, bad files."""

import numpy as np
import pandas as pd
import pytest

from helpers.practice.tables import read_folktexts, read_scores
from helpers.studies.nb07_audit import simulate_folktexts


@pytest.fixture
def files(tmp_path):
    return simulate_folktexts(tmp_path, 400, rng=0)


def changed(path, change):
    table = change(pd.read_csv(path, index_col=0))
    table.to_csv(path)
    return path


def test_every_answer_meets_its_person(files):
    said, who = (pd.read_csv(path, index_col=0) for path in files)
    table = read_folktexts(*files)
    assert read_scores(files[0]).features == []  # without the people there is nothing but the score
    np.testing.assert_array_equal(table.p, said["risk_score"])
    np.testing.assert_array_equal(table.y, said["label"])
    np.testing.assert_array_equal(table.X["age"], who.loc[said.index, "AGEP"])
    assert table.X["sex"].tolist() == who.loc[said.index, "SEX"].map({1: "male", 2: "female"}).tolist()
    assert "joined with ACSIncome_people.csv" in table.note and table.weight is None and table.groups is None


def test_codes_become_words_and_unknown_codes_are_missing(files):
    def odd(who):
        return who.assign(SCHL=[16, 22, 24, 99, np.nan, 0, 2.5] + [21] * (len(who) - 7), OCCP=1020)

    table = read_folktexts(files[0], changed(files[1], odd))
    education = table.X["education"]
    assert education.cat.ordered and education.isna().sum() == 4
    assert set(education.dropna()) == {"high school", "master's", "doctorate", "bachelor's"}
    assert table.dropped == {"OCCP": "constant"}


def test_weights_households_and_chosen_features(files):
    def more(who):
        return who.assign(PWGTP=np.arange(1.0, len(who) + 1), SERIALNO=[f"h{k // 2}" for k in range(len(who))])

    home = changed(files[1], more)
    table = read_folktexts(files[0], home, features=["AGEP", "SEX"], weight="PWGTP", group="SERIALNO")
    assert table.features == ["age", "sex"] and table.groups.max() == 199
    who = pd.read_csv(home, index_col=0)
    said = pd.read_csv(files[0], index_col=0)
    np.testing.assert_array_equal(table.weight, who.loc[said.index, "PWGTP"])
    assert "PWGTP" not in read_folktexts(files[0], home, weight="PWGTP", group="SERIALNO").features


BAD = {  # which file, a change, and what the error must name beside it
    "another name": (0, lambda t: t.rename(columns={"risk_score": "risk_scores"}), ["'risk_score'", "'risk_scores'?"]),
    "answers twice": (0, lambda t: pd.concat([t, t.iloc[:2]]), ["row 401", "once"]),
    "absent": (1, lambda t: t.iloc[3:], ["ACSIncome_predictions.csv", "2 more"]),
    "people twice": (1, lambda t: pd.concat([t, t.iloc[:1]]), ["row 401", "once"]),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files(files, case):
    which, change, words = BAD[case]
    changed(files[which], change)
    with pytest.raises(ValueError, match=rf"^{files[which].name}:? ") as error:
        read_folktexts(*files)
    assert all(word in str(error.value) for word in words), error.value


def test_missing_names_and_files(files, tmp_path):
    with pytest.raises(ValueError, match="^ACSIncome_people.csv .*'SEXX'.*'SEX'"):
        read_folktexts(*files, features=["SEXX"])
    with pytest.raises(ValueError, match="^ACSIncome_people.csv .*'PWGTP'"):
        read_folktexts(*files, weight="PWGTP")
    with pytest.raises(ValueError, match="n_rows must be a whole number of at least 50"):
        simulate_folktexts(tmp_path, 10)
