"""Scores of real networks and language models on public test sets, fetched once."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers.datasets.download import check_system, fetch_file, find_cached, read_manifest


@dataclass(frozen=True)
class Scores:
    """Outputs of one trained model on a test set."""

    name: str
    scores: np.ndarray = field(repr=False)  # (n, K) log posteriors or logits as published
    y: np.ndarray = field(repr=False)  # (n,) classes 0 .. K - 1
    n_classes: int
    licence: str
    citation: str = field(repr=False)
    source: str = field(repr=False)

    def __str__(self):
        return f"{self.name}: {len(self.y):,} rows, {self.n_classes} classes ({self.licence})"


def _score_files():
    """The two manifest files of each system: name -> file -> `ManifestFile`."""
    files = {}
    for entry in read_manifest():
        if entry.collection == "expected_cost":
            name, file = entry.path.split("/")
            files.setdefault(name, {})[file] = entry
    return files


def score_systems():
    """What `fetch_scores` can fetch.

    Returns
    -------
    DataFrame
        One row a system: name, bytes (size of the download), licence, cached (whether it is in the cache already).

    Examples
    --------
    >>> len(score_systems())
    14
    """
    rows = [
        {
            "name": name,
            "bytes": sum(entry.bytes for entry in files.values()),
            "licence": files["scores.npy"].licence,
            "cached": all(find_cached(entry) for entry in files.values()),
        }
        for name, files in _score_files().items()
    ]
    return pd.DataFrame(rows)


def fetch_scores(name, *, progressbar=None):
    """Scores of a real network or language model on a public test set, downloaded once (pinned commit, sha256 checked).

    The folder in the environment variable HONEST_DATA is searched first (files as `expected_cost/<name>/scores.npy`;
    it may be read-only), then the user's cache folder. DownloadError if the file cannot be had, with the way to put it
    in place by hand. Ferrer (2023), Analysis and Comparison of Classification Metrics, arXiv:2209.05355.

    Parameters
    ----------
    name : str
        One of `score_systems()["name"]`, for example "sst2_gpt2".
    progressbar : bool or None, default None
        Whether to show how far the download is; None for "only when standard error is a terminal".

    Returns
    -------
    Scores
        Scores (n, K) and classes `y`, with `n_classes`, `licence`, `citation` and `source`.

    Examples
    --------
    >>> print(fetch_scores("sst2_gpt2"))  # doctest: +SKIP
    sst2_gpt2: 1,821 rows, 2 classes (MIT)
    """
    files = _score_files()
    check_system(name, files)
    arrays = {}
    for file, entry in sorted(files[name].items()):
        arrays[file] = np.load(fetch_file(entry, progressbar=progressbar), allow_pickle=False)
    entry = files[name]["scores.npy"]
    return Scores(
        name=name,
        scores=arrays["scores.npy"],
        y=arrays["targets.npy"].astype(int),
        n_classes=arrays["scores.npy"].shape[1],
        licence=entry.licence,
        citation="Ferrer (2023), Analysis and Comparison of Classification Metrics, arXiv:2209.05355.",
        source=entry.source,
    )
