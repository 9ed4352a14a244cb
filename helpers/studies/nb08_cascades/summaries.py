"""What one policy gains on another: pool by pool, averaged over populations, and as a table for reading."""

import numpy as np
import pandas as pd
from scipy.stats import t as student

from helpers.notebook.borders import written


def gains(table, against):
    """What the risk cascade gains on another policy, pool by pool: how much less its decisions cost (above 0 is good).

    relative_cost is of what is paid for models; below 1 is good.

    >>> table = {"pool": [0, 0], "policy": ["risk cascade", "b"], "expected_cost": [0.2, 0.3], "money": [1.0, 2.0]}
    >>> gains(pd.DataFrame(table), "b").round(1)
       pool  gain  relative_cost  better_and_cheaper
    0     0   0.1            0.5                True
    """
    a, b = (table[table["policy"] == name].set_index("pool") for name in ("risk cascade", against))
    gain = b["expected_cost"] - a["expected_cost"]
    relative_cost = a["money"] / b["money"]
    better_and_cheaper = (gain > 0) & (relative_cost < 1)
    columns = {"gain": gain, "relative_cost": relative_cost, "better_and_cheaper": better_and_cheaper}
    return pd.DataFrame(columns).reset_index()


def summarise_gains(tables, rivals):
    """What the risk cascade gains on each rival, averaged over pools and then over populations."""
    lines = []
    for rival in rivals:
        pools = pd.concat([gains(table, rival) for table in tables], keys=range(len(tables)))
        means = pools.drop(columns="pool").astype(float).groupby(level=0).mean()
        half_width = student.ppf(0.975, len(means) - 1) * means.sem() if len(means) > 1 else np.nan * means.mean()
        line = {"rival": rival, "lowest": pools["gain"].min(), "highest": pools["gain"].max()}
        lines.append(line | means.mean().to_dict() | half_width.add_suffix("_half_width").to_dict())
    return pd.DataFrame(lines)


def in_points(summary):
    """A summary for reading: gains in points (x 100) and half-widths, ratio of costs, share of pools; all as text."""
    gain = 100 * summary["gain"]
    half_width = 100 * summary["gain_half_width"]
    table = summary.drop(columns=[name for name in summary if name not in ("rival", "world", "people", "setting")])
    table["gain, points"] = gain.map("{:z.1f}".format)
    if half_width.notna().any():
        table["+- (95 %)"] = half_width.map("{:.1f}".format)
    table["worst, best pool"] = [
        f"{written(100 * a, 'z.1f')}, {written(100 * b, 'z.1f')}"  # of shares, so many lie on a border of rounding
        for a, b in summary[["lowest", "highest"]].to_numpy()
    ]
    table["its cost / rival's"] = summary["relative_cost"].map("{:.2f}".format)
    table["better and cheaper"] = summary["better_and_cheaper"].map("{:.0%}".format)
    return table
