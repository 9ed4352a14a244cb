"""Options that all searches have."""

from helpers.checks import MOST_DRAWS, check_count, check_one_of


def checked_options(calibrator="platt", max_features=2, min_rows=None, n_draws=300, *, can=("isotonic",)):
    """Options of a search; `can` are the calibrators besides Platt's."""
    check_one_of(calibrator, "calibrator", ("platt", *can, "none"))
    check_one_of(max_features, "max_features", (1, 2))
    check_count(n_draws, "n_draws", least=19, most=MOST_DRAWS)
    if min_rows is not None:
        check_count(min_rows, "min_rows", least=5)
    return {"calibrator": calibrator, "max_features": max_features, "min_rows": min_rows, "n_draws": n_draws}
