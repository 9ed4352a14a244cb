"""Which answers may be used with a promise: certified by each confidence, with the error divided between them."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers.reports.answer_costs import SAME
from helpers.reports.phrases import NAMES, from_percent, percent
from helpers.selective.certified import certify_rows

LEVEL = 0.95  # at which all promises of one share hold together, by whichever confidence
PROMISES = (0.95, 0.9, 0.8, 0.7, 0.5)  # shares of right answers whose certificates are shown together


@dataclass(frozen=True)
class Promises:
    """What can be certified by each confidence.

    certificates : {source: Certificate} of the share that was asked for, sem1 first
    table : for that share and others, by each source: source, precision, certified, threshold, coverage
    used : (Q,) bool, questions that may be answered with the promise; none where nothing is certified
    level : how often all of them hold together, at least
    """

    certificates: dict = field(repr=False)
    table: pd.DataFrame = field(repr=False)
    used: np.ndarray = field(repr=False)
    level: float = LEVEL

    @property
    def source(self):
        """The confidence by which most answers are certified; "" where none is."""
        kept = {name: one.n_kept for name, one in self.certificates.items() if one.certified}
        return max(kept, key=kept.get) if kept else ""

    @property
    def certificate(self):
        """The certificate of `source`; the first one where nothing is certified."""
        return self.certificates[self.source or next(iter(self.certificates))]


def promise(sources, correct, precision):
    """`Promises` by confidences {name: (Q,)}, NaN where there is none, of right (1), wrong (0) and other (-1) answers.

    Each of k confidences gets the k-th part of the error, so that all promises of one share hold together with
    `LEVEL`, and the one that certifies most may be chosen afterwards.
    """
    each = 1 - (1 - LEVEL) / len(sources)
    certificates = {}
    lines = []
    for name, confidence in sources.items():
        rows = (correct >= 0) & np.isfinite(confidence)
        for share in sorted({*PROMISES, precision}, reverse=True):
            made = certify_rows(correct[rows], confidence[rows], share, each)
            lines.append((name, share, made.certified, made.threshold, made.coverage))
            if share == precision:
                certificates[name] = made
    table = pd.DataFrame(lines, columns=["source", "precision", "certified", "threshold", "coverage"])
    promises = Promises(certificates, table, np.zeros(correct.size, bool))
    if not promises.source:
        return promises
    used = sources[promises.source] >= promises.certificate.threshold - SAME
    return Promises(certificates, table, used)


def print_promises(promises):
    """`Promises.table` as texts: a row a share, two columns a confidence."""
    columns = {}
    for source, rows in promises.table.groupby("source", sort=False):
        texts = [
            f"{from_percent(row.threshold)} ({percent(row.coverage)} of the questions)"
            if row.certified
            else "cannot be promised"
            for row in rows.itertuples()
        ]
        columns[f"answer from {NAMES[source]} of"] = texts
        shares = [f"at least {percent(share)}" for share in rows["precision"]]
    return pd.DataFrame(columns, index=pd.Index(shares, name="right"))
