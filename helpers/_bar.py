"""One progress bar, tqdm's: rewritten in a terminal, elsewhere a new line at most every ten seconds."""

import sys

from tqdm import tqdm  # not its widget, which a stored notebook would keep as an empty frame

SECONDS = 10.0  # between two lines of a log; shorter work is not worth one

LINE = "{desc}: {n_fmt}/{total_fmt} [{elapsed}<{remaining}{postfix}]\n"


class _Bar(tqdm):
    monitor_interval = 0  # no thread beside ours: it would outlive the bar


def progress_bar(what, total=None, *, initial=0, shown=True):
    """A tqdm bar on stderr, to be used in a `with` block; `total` is None where nobody knows it.

    >>> with progress_bar("tasks", 3, shown=False) as bar:
    ...     bar.update()
    """
    log = {} if sys.stderr.isatty() else {"delay": SECONDS, "mininterval": SECONDS, "bar_format": LINE}
    return _Bar(desc=what, total=total, initial=initial, disable=not shown, miniters=1, dynamic_ncols=True, **log)
