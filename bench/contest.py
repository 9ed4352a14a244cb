"""What a comparison is made of."""

from collections.abc import Callable
from dataclasses import dataclass

OURS = "honest-confidence"


@dataclass(frozen=True)
class Contestant:
    """One way to get the number of a case.

    package : distribution whose version is shown; it must be installed
    prepare : data -> the function that is timed, without arguments; imports and conversions belong here
    value : what that function returns -> the number to compare
    note : (result, data) -> what else there is to say, not timed
    large : whether it is tried with millions of rows, too
    """

    package: str
    prepare: Callable
    value: Callable = float
    note: Callable = lambda result, data: ""
    large: bool = True


@dataclass(frozen=True)
class Case:
    """One comparison: `make(rows)` gives the data of all contestants; the first contestant is ours.

    yardstick : the others are no peers but something to compare with, such as one pass over the rows
    reference : data -> the right number, computed another way; or "lowest", for a loss that all minimise
    """

    name: str
    title: str
    quick: tuple
    full: tuple
    make: Callable
    contestants: dict
    reference: Callable | str
    growth: bool = False
    yardstick: bool = False
    warm_up: int = 2000
