"""The numbers of a report on scores as tables for its page: rounded, with units and intervals in words."""

import numpy as np
import pandas as pd

from helpers.reports.phrases import NBSP, many, measured, number, percent, points, root, root_error, span, squared

WAYS = {
    "stated": "by the stated score",
    "recalibrated": "by the recalibrated score",
    "repaired": "by the repaired score",
    "always yes": "always yes",
    "always no": "always no",
}


class ScoreTables:
    """Tables of a `ScoreReport`; each is None where there is nothing to say.

    Examples
    --------
    >>> from helpers.reports import audit_scores, read_table
    >>> report = audit_scores(read_table("data/rand_scores.csv.gz", features=["chronic"]), rng=0)
    >>> report.checked_table is None, list(report.line_table.index)
    (True, ['intercept', 'slope'])
    """

    @property
    def reliability_table(self):
        """Calibration error as measured, of a perfect model, and without chance, in points."""
        error = self.average.error
        upper = max(error.high, error.null)  # what chance alone shows cannot be ruled out
        spread = max((upper - error.low) / 4, 1e-6)
        bins = many(error.n_bins, "bin")
        rows = {
            "as measured": (points(error.value, spread), "contains chance"),
            "of a perfect model": (points(error.null, spread), f"same cases, same {bins}: chance alone"),
            "without chance": (points(error.debiased, spread), f"95 % interval {span(error.low, upper, spread)}"),
        }
        frame = pd.DataFrame(rows.values(), index=list(rows), columns=["points", "remark"])
        return frame.rename_axis("calibration error")

    @property
    def line_table(self):
        """Intercept and slope of the two-parameter calibration with their intervals; None for a constant score."""
        line = self.average.line
        if line is None:
            return None
        rows = {
            "intercept": (measured(line.intercept, *line.intercept_interval), "0", "above 0: stated too low"),
            "slope": (measured(line.slope, *line.slope_interval), "1", "below 1: too extreme, above 1: too timid"),
        }
        columns = ["estimate (95 % interval)", "of a calibrated model", "meaning"]
        return pd.DataFrame(rows.values(), index=list(rows), columns=columns).rename_axis("in log-odds")

    @property
    def checked_table(self):
        """Every level of the columns that the user named, in words; None without such columns."""
        if self.checked is None:
            return None
        return pd.DataFrame([
            {
                "cases where": row.rule,
                "cases": f"{row.n:,}",
                "stated": percent(row.stated),
                "observed": percent(row.observed),
                "gap in points": _gap(row),
                "remark": row.remark,
            }
            for row in self.checked.itertuples()
        ])  # fmt: skip

    @property
    def loss_table(self):
        """Grouping loss in squared error and as a typical distance, beside a perfect model; None without a loss."""
        loss = self.loss
        if loss is None:
            return None
        ends = {"estimate": loss.value, "95 % interval from": loss.low, "to": loss.high}
        squares = [squared(x, loss.se) if name == "estimate" or x > 0 else "0" for name, x in ends.items()]
        distances = [points(root(x), root_error(loss.value, loss.se)) for x in ends.values()]
        frame = pd.DataFrame([squares, distances], ["squared error", "typical distance in points"], columns=list(ends))
        frame["of a perfect model"] = "0"
        return frame.rename_axis("grouping loss")

    @property
    def group_table(self):
        """The groups with stated and observed rates; None without groups."""
        if self.audit is None:
            return None
        rows = []
        for row in self.audit.table.itertuples():
            rows.append({
                "cases where": row.rule,
                "share": percent(row.share),
                "stated": percent(row.stated),
                "observed": percent(row.observed),
                "gap in points": _gap(row),
                "after recalibration": points(row.left, (row.high - row.low) / 4, sign=True),
                "beyond chance": "yes" if row.Index in self.audit.sure.index else "no",
            })  # fmt: skip
        return pd.DataFrame(rows)

    @property
    def parts_table(self):
        """Parts of the mean squared error: what recalibration saves, what these columns could save, and the rest."""
        parts = self.parts
        error = (parts["saved_high"] - parts["saved_low"]) / 4
        rows = {
            "all of it": (squared(parts["loss"], error), "mean squared distance of score and label"),
            "recalibration saves": (
                _between(parts["saved"], parts["saved_low"], parts["saved_high"]),
                "judged by labels that it has not seen",
            ),
        }
        rest = parts["loss"] - max(parts["saved"], 0)
        loss = self.loss
        if loss is not None:
            rest -= max(loss.value, 0)
            row = _between(max(loss.value, 0), max(loss.low, 0), loss.high)
            rows["these columns could save"] = (row, "the grouping loss that was found; there may be more")
        rows["the rest"] = (squared(rest, error), "chance, and what these columns do not tell")
        frame = pd.DataFrame(rows.values(), index=list(rows), columns=["squared error", "remark"])
        return frame.rename_axis("part of the loss")

    @property
    def cost_table(self):
        """Costs of 100 cases by each way to decide, and what it saves beside the stated score; None without costs."""
        if self.money is None:
            return None
        rows = {}
        for way, row in self.money.costs.iterrows():
            saved = "–" if way == "stated" else _hundred(row["saved"], row["saved_low"], row["saved_high"], sign=True)
            rows[WAYS[way]] = (_hundred(row["cost"], row["cost_low"], row["cost_high"]), saved)
        columns = ["cost of 100 cases (95 % interval)", "saved (95 % interval)"]
        return pd.DataFrame(rows.values(), index=list(rows), columns=columns).rename_axis("decide")

    @property
    def look_table(self):
        """What a second look saves, by who is looked at; None without costs."""
        if self.money is None:
            return None
        orders = {
            "excess": "highest expected excess cost",
            "nearest": "nearest to the threshold",
            "random": "at random",
        }
        rows = {}
        for _, row in self.money.looks.iterrows():
            who = "whoever looks finds the truth" if row["oracle", ""] else "the repaired score decides"
            ends = ("saved", "saved_low", "saved_high")
            rows[f"{percent(row['share', ''])}, {who}"] = [
                _hundred(*(row[order, end] for end in ends), sign=True) for order in orders
            ]
        frame = pd.DataFrame(rows.values(), index=list(rows), columns=list(orders.values()))
        return frame.rename_axis("saved of 100 cases by a second look at")

    @property
    def pair_table(self):
        """The two scores side by side; None with one score."""
        if self.pair is None:
            return None
        rows = {}
        for name, row in self.pair.table.iterrows():
            error = (row["high"] - row["low"]) / 4
            values = [number(row[column], error, least=3) for column in ("old", "new")]
            change = measured(row["difference"], row["low"], row["high"], sign=True, least=3)
            rows[f"{name} ({row['better']} is better)"] = [*values, change]
        columns = [self.pair.old, self.pair.new, "difference (95 % interval)"]
        return pd.DataFrame(rows.values(), index=list(rows), columns=columns).rename_axis("measure")

    @property
    def gain_table(self):
        """Who gains and who loses by the new score; None with one score or where no group was compared."""
        if self.pair is None or not self.pair.n_groups:
            return None
        return pd.DataFrame([
            {
                "cases where": row.rule,
                "cases": f"{row.n:,}",
                "gain in squared error": measured(row.gain, row.low, row.high, sign=True, least=3),
                "beyond chance": "gains" if row.low > 0 else "loses" if row.high < 0 else "no",
            }
            for row in self.pair.shown.itertuples()
        ])  # fmt: skip

    @property
    def parameter_table(self):
        """What this report was made from, with defaults marked."""
        table = self.table
        asked = {
            name: "" if value is None or not np.size(value) else f"{value}" for name, value in self.options.items()
        }
        estimator = "by a tree" if self.by_tree else "by several learners"
        if self.loss is None:
            estimator = "not estimated"
        rows = {
            "table": f"{table.name}, SHA-256 {table.sha256 or 'unknown'}",
            "cases": f"{table.n:,}",
            "label": table.label,
            "score": table.score,
            "features": ", ".join(table.features),
            "weight": "" if table.weight is None else "given",
            "group": "" if table.groups is None else "given",
            "grouping loss": estimator,
            **asked,
        }
        values = [value or "not given (default)" for value in rows.values()]
        return pd.DataFrame({"value": values}, index=pd.Index(rows, name="parameter"))


def _hundred(value, low, high, *, sign=False):
    """A cost of 100 cases with its interval."""
    return measured(100 * value, 100 * low, 100 * high, sign=sign, least=0)


def _between(value, low, high):
    """A squared error with its interval."""
    error = (high - low) / 4
    return f"{squared(value, error)} ({squared(low, error)} to {squared(high, error)})".replace(" ", NBSP)


def _gap(row):
    """The gap of a row of a table with its interval, in points."""
    se = (row.high - row.low) / 4
    return f"{points(row.gap, se, sign=True)} ({span(row.low, row.high, se, sign=True)})".replace(" ", NBSP)
