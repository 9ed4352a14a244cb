"""A fitted repair in a file: a line that says what it is and for which versions, then what joblib makes of the model.

What joblib writes can run code when it is read. The first line and a checksum are compared before anything is loaded,
but they show accidents only: open no file of people you do not trust.

A format without code, such as that of skops, holds no pandas objects, which a repair consists of, and would still need
some thirty private types of scikit-learn and of this package to be trusted by name, for the same versions alone. Where
a file is not to be trusted, fit the repair anew from the table with the same `rng`.
"""

import hashlib
import io
import json
import platform
from pathlib import Path

import joblib
import numpy as np
import sklearn
from sklearn.exceptions import NotFittedError

import helpers
from helpers import _files

MAGIC = "honest confidence, fitted model"

FORMAT = 6  # to be raised when attributes or modules of saved models change


def versions():
    """What a file must agree with to be read."""
    return {
        "format": str(FORMAT),
        "helpers": helpers.__version__,
        "scikit-learn": sklearn.__version__,
        "numpy": np.__version__.split(".")[0],
        "python": ".".join(platform.python_version_tuple()[:2]),
    }


def save(model, path):
    """Write a fitted `Recalibrator` or another estimator of the package to a file.

    Parameters
    ----------
    model : estimator
        Fitted.
    path : str or Path
        File; one that exists is replaced, at once: a full disk leaves it as it was.

    Raises
    ------
    NotFittedError
        If it has learned nothing yet.
    ValueError
        If it is not an estimator of this package.

    Examples
    --------
    >>> import tempfile
    >>> from helpers.practice.repair import Recalibrator
    >>> X, y, p = np.arange(80)[:, None], np.tile([0, 1, 1, 0], 20), np.full(80, 0.5)
    >>> model = Recalibrator("none", n_folds=2, rng=0).fit(X, y, p)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, f"{folder}/repair.joblib")
    ...     load(f"{folder}/repair.joblib").p_value_ == model.p_value_
    True
    """
    kind = type(model)
    if not (kind.__module__.startswith("helpers.") and hasattr(model, "fit")):
        raise ValueError(f"model must be an estimator of this package, but it is {model!r}.")
    if not any(name.endswith("_") for name in vars(model)):
        raise NotFittedError(f"This {kind.__name__} has learned nothing yet: call fit first.")
    content = io.BytesIO()
    joblib.dump(model, content, compress=3)
    content = content.getvalue()
    head = {"file": MAGIC, "model": kind.__name__, "versions": versions()}
    head["sha256"] = hashlib.sha256(content).hexdigest()
    _files.write(Path(path), json.dumps(head).encode() + b"\n" + content)


def load(path):
    """Read what `save` wrote, on a machine with the same versions.

    Parameters
    ----------
    path : str or Path
        File of a source that you trust: reading it can run code.

    Returns
    -------
    estimator
        As it was saved.

    Raises
    ------
    ValueError
        If the file is not one of `save`, was written by other versions, or was damaged. Nothing is loaded then.

    Examples
    --------
    See `save`.
    """
    head, _, content = Path(path).read_bytes().partition(b"\n")
    try:
        head = json.loads(head)
        saved = head["versions"] if head["file"] == MAGIC else None
    except (ValueError, TypeError, KeyError):
        saved = None
    if saved is None:
        raise ValueError(
            f"path must be a file that helpers.practice.repair.save wrote, but {str(path)!r} is another one."
        )
    for name, here in versions().items():
        if saved.get(name) != here:
            raise ValueError(
                f"path must hold a model of {name} {here}, which is installed here, but {str(path)!r} was saved with "
                f"{name} {saved.get(name)}, by version {saved.get('helpers')} of this package: fit it anew with this "
                "one, or load it with that one."
            )
    if hashlib.sha256(content).hexdigest() != head["sha256"]:
        raise ValueError(f"path must be whole, but {str(path)!r} was changed or cut after it was saved.")
    return joblib.load(io.BytesIO(content))
