"""Predictions of the folktexts benchmark: the written format, words for codes, the join, bad files."""

import numpy as np
import pandas as pd
import pytest

from helpers.datasets import read_folktexts
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
    np.testing.assert_array_equal(table.p, said["risk_score"])
    np.testing.assert_array_equal(table.y, said["label"])
    np.testing.assert_array_equal(table.X["age"], who.loc[said.index, "AGEP"])
    assert table.X["sex"].tolist() == who.loc[said.index, "SEX"].map({1: "male", 2: "female"}).tolist()


def test_codes_become_words_and_unknown_codes_are_missing(files):
    def odd(who):
        return who.assign(SCHL=[16, 22, 24, 99, np.nan, 0, 2.5] + [21] * (len(who) - 7), OCCP=1020)

    table = read_folktexts(files[0], changed(files[1], odd))
    education = table.X["education"]
    assert education.cat.ordered and education.isna().sum() == 4
    assert set(education.dropna()) == {"high school", "master's", "doctorate", "bachelor's"}


def test_only_who_people_are_is_a_feature(files):
    def more(who):
        return who.assign(PINCP=60_000, PWGTP=2, RAC1P=6)

    assert list(read_folktexts(files[0], changed(files[1], more)).X) == [
        "age", "education", "sex", "marriage", "weekly_hours", "race",
    ]  # fmt: skip


BAD = {  # which file, a change, and what the error must name beside it
    "another name": (0, lambda t: t.rename(columns={"risk_score": "risk_scores"}), ["'risk_score'", "'risk_scores'?"]),
    "answers twice": (0, lambda t: pd.concat([t, t.iloc[:2]]), ["row 401", "once", "1 more"]),
    "a score above 1": (0, lambda t: t.assign(risk_score=2 * t["risk_score"]), ["'risk_score'", "[0, 1]"]),
    "no label": (0, lambda t: t.assign(label=t["label"].astype(object).mask(t["risk_score"] > 0.9)), ["'label'"]),
    "absent": (1, lambda t: t.iloc[3:], ["ACSIncome_predictions.csv", "2 more"]),
    "people twice": (1, lambda t: pd.concat([t, t.iloc[:1]]), ["row 401", "once"]),
    "other people": (1, lambda t: t[[]].assign(age=1), ["AGEP"]),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files(files, case):
    which, change, words = BAD[case]
    changed(files[which], change)
    with pytest.raises(ValueError, match=rf"^{files[which].name}:? ") as error:
        read_folktexts(*files)
    assert all(word in str(error.value) for word in words), error.value


def test_a_file_that_is_no_table_is_named(files, tmp_path):
    files[1].write_text("")
    with pytest.raises(ValueError, match="^ACSIncome_people.csv cannot be read"):
        read_folktexts(*files)
    with pytest.raises(ValueError, match="n_rows must be a whole number of at least 50"):
        simulate_folktexts(tmp_path, 10)
