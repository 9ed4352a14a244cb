"""The numbers of a report on scores as tables for its page: rounded, with units and intervals in words."""

import numpy as np
import pandas as pd

from helpers.reports.phrases import (
    NBSP,
    apart,
    digits,
    distance_error,
    drawn_chance,
    many,
    measured,
    number,
    of_hundred,
    percent,
    points,
    rate,
    root,
    span,
    squared,
)

WAYS = {
    "stated": "by the stated score",
    "recalibrated": "by the recalibrated score",
    "repaired": "by the repaired score",
    "always yes": "always yes",
    "always no": "always no",
}

ERRORS = ("yes", "misses", "false_alarms")

COUNTS = (
    "yes", "misses", "false alarms",
    "misses beside stated (95 % interval)", "false alarms beside stated (95 % interval)",
)  # fmt: skip

ORDERS = {  # in which a second look takes the cases
    "excess": "highest expected excess cost",
    "nearest": "nearest to the threshold",
    "random": "at random",
}

NOT_GIVEN = {  # what a parameter would do that was not given
    "weight": "not given: all cases count alike",
    "group": "not given: each case stands for itself",
    "cost": "not given: decisions are not judged",
    "check": "not given: names columns of which every level is shown, however few cases it has",
    "labels": "not given: names for columns",
}


class ScoreTables:
    """Tables of a `ScoreReport`; each is None where there is nothing to say."""

    @property
    def reliability_table(self):
        """Calibration error as measured, of a perfect model, and without chance, in points."""
        error = self.average.error
        upper = max(error.high, error.null)  # what chance alone shows cannot be ruled out
        fine = max((upper - error.low) / 20, 1e-6)  # a decimal more, so that nobody subtracts rounded numbers
        bins = many(error.n_bins, "bin")
        ends = f"95 % interval {span(error.low, upper, fine)}; chance adds less to a larger error"
        rows = {
            "as measured": (points(error.value, fine), "contains chance"),
            "of a perfect model": (points(error.null, fine), f"same cases, same {bins}: chance alone"),
            "without chance": (points(error.debiased, fine), ends),
        }
        return _frame("calibration error", rows, ["points", "remark"])

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
        return _frame("in log-odds", rows, ["estimate (95 % interval)", "of a calibrated model", "meaning"])

    @property
    def test_table(self):
        """The tests of "right on average": each alone, and adjusted for their number."""
        alone, adjusted = self.average.tests
        rows = {name: (drawn_chance(alone[name]), drawn_chance(adjusted[name])) for name in alone}
        rows["all together"] = ("", drawn_chance(self.average.p_value))
        return _frame("test", rows, ["alone", "adjusted for their number"])

    @property
    def drift_table(self):
        """Stated beside observed, period after period of the column that drifts most; None without dates."""
        if not self.drifts:
            return None
        drift = self.drifts[0]
        return pd.DataFrame([
            {
                drift.column: row.period,
                "cases": f"{row.n:,.0f}",
                "stated": rate(row.stated, row.low, row.high),
                "observed": rate(row.observed, row.low, row.high),
                "gap in points (95 % interval)": apart(row.gap, row.low, row.high),
            }
            for row in drift.table.itertuples()
        ])  # fmt: skip

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
                "gap in points": apart(row.gap, row.low, row.high),
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
        distances = [points(root(x), distance_error(loss)) for x in ends.values()]
        rows = {"squared error": [*squares, "0"], "typical distance in points": [*distances, "0"]}
        return _frame("grouping loss", rows, [*ends, "of a perfect model"])

    @property
    def group_table(self):
        """The groups with stated and observed rates; None without groups."""
        if self.audit is None:
            return None
        rows = []
        repaired = self.repaired_rates
        for row in self.audit.table.itertuples():
            rows.append({
                "cases where": row.rule,
                "cases": f"{row.n:,} ({100 * row.share:.1f}{NBSP}%)",
                "stated": percent(row.stated),
                **({} if repaired is None else {"repaired": percent(repaired[row.Index])}),
                "observed": percent(row.observed),
                "gap in points (95 %)": apart(row.gap, row.low, row.high),
                "recalibrated (95 %)": apart(row.left, row.left_low, row.left_high),
                "beyond chance": "yes" if row.Index in self.audit.sure.index else "no",
            })  # fmt: skip
        return pd.DataFrame(rows)

    @property
    def repaired_rates(self):
        """Mean of the repaired scores in each group of the page, a Series; None without a repair.

        Of a larger table some cases are repaired: what the repair changes there is added to what is stated.
        """
        if self.money is None or not self.money.changed:
            return None
        groups = self.audit.table
        rows = self.scores.rows
        inside = self.audit.search.family.members(groups.index, self.table.X.iloc[rows])
        weight = self.table.weights[rows]
        change = (weight * (self.scores.repaired - self.table.p[rows])) @ inside / np.maximum(weight @ inside, 1e-300)
        return (groups["stated"] + change).clip(0, 1)

    @property
    def parts_table(self):
        """Parts of the mean squared error: what recalibration saves, what these columns could save, and the rest."""
        parts = self.loss_parts
        loss = self.loss
        saved = (parts["saved"], parts["saved_low"], parts["saved_high"])
        places = max(3, digits((saved[2] - saved[1]) / 4 if loss is None else loss.se))
        whole = round(parts["loss"], places)
        rows = {
            "all of it": (f"{whole:.{places}f}", "mean squared distance of score and label"),
            "recalibration saves": (_between(*saved), "judged by labels that it has not seen"),
        }
        if saved[0] < 0:
            rows["recalibration saves"] = (_between(*saved), "nothing: counts as 0 in the sum")
        rest = whole - round(max(saved[0], 0), places)  # of the numbers as they are shown, so that they add up
        if loss is not None:
            rest -= round(max(loss.value, 0), places)
            row = _between(max(loss.value, 0), max(loss.low, 0), loss.high)
            rows["these columns could save"] = (row, "the grouping loss that was found; there may be more")
        rows["the rest"] = (f"{rest:.{places}f}", "chance, and what these columns do not tell")
        return _frame("part of the loss", rows, ["squared error", "remark"])

    @property
    def cost_table(self):
        """Costs of 100 cases by each way to decide, and what it saves beside the stated score; None without costs."""
        if self.money is None:
            return None
        rows = {}
        for way, row in self.money.costs.iterrows():
            rows[WAYS[way]] = (_hundred(row, "cost"), "–" if way == "stated" else _hundred(row, "saved", sign=True))
        return _frame("decide", rows, ["cost of 100 cases (95 % interval)", "saved (95 % interval)"])

    @property
    def count_table(self):
        """How often each way to decide says yes, and errs, in 100 cases; None without costs."""
        if self.money is None:
            return None
        rows = {}
        for way, row in self.money.counts.iterrows():
            errors = {name: (row[f"{name}_high"] - row[f"{name}_low"]) / 4 for name in ERRORS}
            cells = [number(100 * row[name], 100 * error, least=1) for name, error in errors.items()]
            more = [_hundred(row, f"more_{name}", sign=True) for name in ERRORS[1:]]
            rows[WAYS[way]] = cells + (["–", "–"] if way == "stated" else more)
        return _frame("in 100 cases", rows, COUNTS)

    @property
    def look_table(self):
        """What a second look saves, by who is looked at; None without costs."""
        if self.money is None:
            return None
        rows = {}
        for _, row in self.money.looks.iterrows():
            who = "whoever looks finds the truth" if row["oracle", ""] else "the repaired score decides"
            cells = [[row[order, f"saved{end}"] for end in ("", "_low", "_high")] for order in ORDERS]
            rows[f"{percent(row['share', ''])}, {who}"] = [of_hundred(*ends, sign=True) for ends in cells]
        return _frame("saved of 100 cases by a second look at", rows, ORDERS.values())

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
        return _frame("measure", rows, [self.pair.old, self.pair.new, "difference (95 % interval)"])

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
            name: f"{value}" if np.size(value) and value is not None else "" for name, value in self.options.items()
        }
        estimator = "not estimated" if self.loss is None else f"by {'a tree' if self.by_tree else 'several learners'}"
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
        values = [value or f"{NOT_GIVEN.get(name, 'not given')} (default)" for name, value in rows.items()]
        return pd.DataFrame({"value": values}, index=pd.Index(rows, name="parameter"))


def _frame(name, rows, columns):
    """A table of {what a row is about: its cells}."""
    return pd.DataFrame(rows.values(), index=pd.Index(rows, name=name), columns=list(columns))


def _hundred(row, name, **options):
    """A number of a row, told for 100 cases, with its ends `name`_low and `name`_high."""
    return of_hundred(row[name], row[f"{name}_low"], row[f"{name}_high"], **options)


def _between(value, low, high):
    """A squared error with its interval."""
    error = (high - low) / 4
    return f"{squared(value, error)} ({squared(low, error)} to {squared(high, error)})".replace(" ", NBSP)
