"""What the profile of a table has found, as data, and the warning that estimators give."""

import warnings
from contextlib import contextmanager
from dataclasses import dataclass, field


class TableWarning(UserWarning):
    """A table is not what an estimator takes it for: which columns, how many rows, and what mends it.

    It is given once for each finding of `helpers.profile.profile_table`. Silence it with
    ``warnings.filterwarnings("ignore", category=TableWarning)`` if the table is as it should be.

    Examples
    --------
    >>> issubclass(TableWarning, UserWarning)
    True
    """


@dataclass(frozen=True)
class Alert:
    """One thing about a table that changes what its numbers mean.

    Parameters
    ----------
    kind : {"copies", "near_copies", "same_rows", "cluster", "leak", "afterwards"}
        Rows that stand there more than once; rows equal in all but one column; rows equal in all features, or with one
        value of a column, whose outcomes agree beyond chance; columns that tell the outcome; columns that by name or
        date are known only with it.
    columns : tuple of str
        The columns that it is about; of rows equal in all but one, that one; none for whole rows.
    n : int
        The rows that it is about.
    value : float
        Of copies, how often a row stands there on average; of rows that agree, how many times wider the interval of
        the mean becomes with them as groups; of leaks, the share of the cases of the rarer label that they tell.
    more : dict
        Further numbers and words for its sentence.

    Examples
    --------
    >>> Alert("cluster", ("event",), n=3600, value=3.0, more={"n_levels": 120}).sentence
    "of the 3,600 rows with 120 values of 'event', those with one value err alike: ..."
    """

    kind: str
    columns: tuple
    n: int
    value: float
    more: dict = field(default_factory=dict)

    @property
    def sentence(self):
        """What was found and what mends it, in the words of the functions of this package."""
        names = " and ".join(map(repr, self.columns))
        wider = f"intervals become {self.value:.1f} times as wide with them as groups"
        if self.kind == "copies":
            return (
                f"{self.n:,} rows are {self.more['n_distinct']:,} rows that stand in X, p and y more than once; each "
                "counts as one case with a weight. If they are different cases, pass groups=np.arange(len(X))."
            )
        if self.kind == "near_copies":
            return (
                f"{self.n:,} rows equal another row in label, score and all features but {names}: {wider}. If they are "
                f"one case each, leave {names} out of X; if they are of one person or event, pass groups=."
            )
        if self.kind == "same_rows":
            return (
                f"{self.n:,} rows equal another row in all features, and their outcomes agree beyond chance: {wider}. "
                "Pass groups=, the persons or events that they come from."
            )
        if self.kind == "cluster":
            return (
                f"of the {self.n:,} rows with {self.more['n_levels']:,} values of {names}, those with one value err "
                f"alike: {wider}. Pass groups=, these values, if they name persons, events, days or places."
            )
        if self.kind == "leak":
            tell = "tell" if len(self.columns) > 1 else "tells"
            return f"{names} {tell} the outcome {self.more['by']}. If that is known only afterwards, leave it out of X."
        return f"{names} can be known only with the outcome. If so, leave it out of X."


@contextmanager
def no_table_warnings():
    """Where a table was looked at already: what is called inside gives no `TableWarning`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TableWarning)
        yield


def warn_of(alerts, stacklevel=4):
    """Give a `TableWarning` for each alert."""
    for alert in alerts:
        warnings.warn(alert.sentence, TableWarning, stacklevel=stacklevel)
