"""Rows of a table as sentences, and sentences as numbers: what a router needs when questions are free text."""

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.decomposition import TruncatedSVD
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer

from helpers.checks import check_count
from helpers.partition.encoder import check_table


def rows_as_text(X):
    """Each row as sentences "The <column> is <value>.", as language models are asked about people; (n,) text.

    Whole numbers are written without a point, missing entries as "missing", underscores of names as spaces.

    Source: the prompts of the folktexts benchmark, Melo et al. (2026), section 4.2.

    >>> rows_as_text(pd.DataFrame({"age": [25.0, None], "job_title": ["cook", "smith"]})).tolist()
    ['The age is 25. The job title is cook.', 'The age is missing. The job title is smith.']
    """
    X = check_table(X)
    columns = [f"The {name.replace('_', ' ')} is " + _spelled(X[name]) + "." for name in X]
    text = columns[0]
    for column in columns[1:]:
        text = text + " " + column
    return text.to_numpy(object)


def _spelled(values):
    """A column as words, object Series."""
    if pd.api.types.is_float_dtype(values.dtype):
        words = values.map(lambda value: "missing" if pd.isna(value) else f"{value:.6g}")
    else:
        words = values.astype(object).where(values.notna(), "missing").map(str)
    return words.astype(object)


class TextEmbedding(BaseEstimator):
    """Short numeric vectors of texts: counts of words and pairs of words (TF-IDF), reduced by a singular value
    decomposition. A stand-in for the sentence encoder of Melo et al. that needs no download.

    Parameters
    ----------
    n_dimensions : length of the vectors (at most the number of distinct words and pairs, less one)
    rng : int, Generator or None

    Source: latent semantic analysis; in place of the 384 dimensions of all-MiniLM-L12-v2 in appendix C.4.

    >>> texts = ["The job is cook.", "The job is smith.", "The age is 25."] * 5
    >>> TextEmbedding(n_dimensions=2, rng=0).fit(texts).transform(texts).shape
    (15, 2)
    """

    def __init__(self, *, n_dimensions=64, rng=None):
        self.n_dimensions = n_dimensions
        self.rng = rng

    def fit(self, texts):
        """Learn words and directions from texts, (n,). Returns self."""
        texts = _check_texts(texts)
        check_count(self.n_dimensions, "n_dimensions")
        self.words_ = TfidfVectorizer(ngram_range=(1, 2), token_pattern=r"(?u)\b\w[\w.]*\b", sublinear_tf=True)
        table = self.words_.fit_transform(texts)
        if min(table.shape) <= self.n_dimensions:
            raise ValueError(
                "n_dimensions must be below the number of texts and of distinct words and pairs, "
                f"{min(table.shape):,}, but it is {self.n_dimensions}."
            )
        seed = int(np.random.default_rng(self.rng).integers(2**31))
        self.directions_ = TruncatedSVD(self.n_dimensions, random_state=seed).fit(table)
        return self

    def transform(self, texts):
        """Vectors of texts, (n, n_dimensions); words that were not in the fit are left out."""
        if not hasattr(self, "directions_"):
            raise NotFittedError("This TextEmbedding has read nothing yet: call fit first.")
        return self.directions_.transform(self.words_.transform(_check_texts(texts)))


def _check_texts(texts):
    """List of str; ValueError for something else."""
    if isinstance(texts, str) or np.ndim(texts) != 1 or not len(texts):
        raise ValueError("texts must be a list of texts, not empty.")
    odd = [k for k, text in enumerate(texts) if not isinstance(text, str)]
    if odd:
        raise ValueError(
            f"texts must hold texts, but texts[{odd[0]}] is {list(texts)[odd[0]]!r} (and {len(odd) - 1:,} more)."
        )
    return list(texts)
