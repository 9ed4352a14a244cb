"""What bins add over a whole sweep, and how far that can go: the bounds of appendix C.8, and a sharper one."""

import numpy as np
import pandas as pd

from helpers.binning_truth import KnownParts, known_parts
from helpers.scoring import BRIER

NUMBERS = (
    "calibration_loss", "calibration_binned", "calibration_induced", "grouping_loss", "grouping_binned", "induced",
    "explained", "residual", "captured", "explained_unbinned", "residual_unbinned", "lower_bound",
    "lower_bound_regions", "net_induced", "epistemic_loss",
)  # fmt: skip


def sweep_bins(scores, q, region=None, *, n_bins, **options):
    """Every number of `known_parts` for several scores and numbers of bins.

    Parameters
    ----------
    scores : {name: (n,) or (n, K) stated probabilities}; q, region, options : as in `known_parts`
    n_bins : list of numbers of bins

    Returns
    -------
    DataFrame, one line for each (score, bins), one column for each number

    >>> sweep_bins({"perfect": [0.2, 0.4]}, [0.2, 0.4], n_bins=[1, 4])["induced"].round(4).to_dict()
    {('perfect', 1): 0.01, ('perfect', 4): 0.0}
    """
    lines = {}
    for name, p in scores.items():
        for n in n_bins:
            known = known_parts(p, q, region, n_bins=n, **options)
            lines[name, n] = {number: getattr(known, number) for number in NUMBERS}
    return pd.DataFrame.from_dict(lines, orient="index").rename_axis(["score", "bins"])


def induced_bounds(known):
    """Bounds of what binning adds to calibration and grouping loss together, and what they leave of E (p - q)**2.

    `known.net_induced` = E [2 Cov(p, c | bin) - V(p | bin)]. With s and t the standard deviations of p and c in a bin,
    v = sqrt(rate (1 - rate)) >= t, and w the width of the bin (s <= w / 2), its share of each bin lies in

    - theorem C.1: s (-2 t - s) .. s (2 t - s)        needs the calibration curve inside the bins
    - corollary C.1: s (-2 v - s) .. s (2 v - s)      needs scores and bin rates
    - width only: -w v - w**2 / 4 .. w v              as printed for w = 1 / N
    - width only, sharp: .. w v - w**2 / 4 (v**2 where v < w / 2): ours, attained by scores at both ends of a bin

    Parameters
    ----------
    known : `KnownParts` of the Brier score, in the unit of one class; sums over the classes of a K-class score

    Returns
    -------
    DataFrame, a line for each bound: `low` and `high` of `net_induced`, and `floor` of the mean squared error
    E (p - q)**2 = calibration_binned + explained - high (corollary C.2)

    Raises
    ------
    ValueError for parts of another rule.

    Source: Perez-Lebel et al. (2023), theorem C.1, corollaries C.1 and C.2, lemma C.3.

    >>> known = known_parts(p=[0.0, 1.0], q=[0.0, 1.0], n_bins=1)
    >>> induced_bounds(known).round(2)[["low", "high"]].to_numpy().tolist()
    [[-0.75, 0.25], [-0.75, 0.25], [-0.75, 0.5], [-0.75, 0.25]]
    """
    if not isinstance(known, KnownParts) or known.rule is not BRIER:
        raise ValueError(f"known must be the known_parts of the Brier score, but it is {str(known)[:80]!r}.")
    s, t = np.sqrt(known.stated_variance), np.sqrt(known.rate_variance)
    v, w = np.sqrt(known.rate * (1 - known.rate)), known.right - known.left
    ends = {
        "theorem C.1": (-s * (2 * t + s), s * (2 * t - s)),
        "corollary C.1": (-s * (2 * v + s), s * (2 * v - s)),
        "width only": (-w * v - w**2 / 4, w * v),
        "width only, sharp": (-w * v - w**2 / 4, np.where(v >= w / 2, w * v - w**2 / 4, v**2)),
    }
    lines = {name: {"low": known.share @ low, "high": known.share @ high} for name, (low, high) in ends.items()}
    bounds = pd.DataFrame.from_dict(lines, orient="index").rename_axis("bound")
    return bounds.assign(floor=known.calibration_binned + known.explained - bounds["high"])
