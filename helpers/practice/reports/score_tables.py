"""The numbers of a report on scores as tables for its page: rounded, with units and intervals in words."""

from functools import cached_property

import numpy as np
import pandas as pd

from helpers.practice.reports.phrases import NBSP, apart, bracketed, digits, measured, number, of_hundred, percent, rate

POLICIES = {
    "stated": "by the stated score",
    "recalibrated": "by the recalibrated score",
    "repaired": "by the repaired score",
    "always yes": "always yes",
    "always no": "always no",
}

COST_AND_SAVED = ("cost (95 % interval)", "saved (95 % interval)")


class ScoreTables:
    """Tables of a `ScoreReport`; each is None where there is nothing to say."""

    @property
    def drift_table(self):
        """Stated beside observed, period after period of the column that drifts most."""
        if not self.drifts:
            return None
        rows = []
        for row in self.drifts[0].table.itertuples():
            ends = (row.low, row.high)
            rows.append((row.period, f"{row.n:,.0f}", rate(row.stated, *ends), rate(row.observed, *ends), _gap(row)))
        columns = [self.drifts[0].column, "cases", "stated", "observed", "gap in points (95 % interval)"]
        return pd.DataFrame(rows, columns=columns)

    @property
    def checked_table(self):
        """Every level of the columns that the user named, in words."""
        if self.checked is None:
            return None
        rows = [
            (row.rule, f"{row.n:,}", percent(row.stated), percent(row.observed), _gap(row), row.remark)
            for row in self.checked.itertuples()
        ]
        return pd.DataFrame(rows, columns=["cases where", "cases", "stated", "observed", "gap in points", "remark"])

    @property
    def group_table(self):
        """The groups with stated and observed rates."""
        if self.audit is None:
            return None
        groups = self.audit.table
        rows = {
            "cases where": groups["rule"],
            "cases": [f"{row.n:,} ({100 * row.share:.1f}{NBSP}%)" for row in groups.itertuples()],
            "stated": groups["stated"].map(percent),
        }
        if groups["part_of"].any():
            rows = {"cases where": groups["rule"], "part of": groups["part_of"]} | rows
        if self.repaired_rates is not None:
            rows["repaired"] = self.repaired_rates.map(percent)
        rows |= {
            "observed": groups["observed"].map(percent),
            "gap in points (95 %)": [_gap(row) for row in groups.itertuples()],
            "recalibrated (95 %)": [
                apart(row.residual_gap, row.residual_low, row.residual_high) for row in groups.itertuples()
            ],
            "beyond chance": np.where(groups.index.isin(self.audit.significant.index), "yes", "no"),
        }
        return pd.DataFrame(rows, index=groups.index).reset_index(drop=True)

    @cached_property
    def repaired_rates(self):
        """Mean of the repaired scores in each group of the page, a Series; None without a repair."""
        if self.money is None or not self.money.changed:
            return None
        groups = self.audit.table
        rows = self.scores.rows
        inside = self.audit.search.family.members(groups.index, self.table.X.iloc[rows])
        weight = self.table.weights[rows]
        change = (weight * (self.scores.repaired - self.table.p[rows])) @ inside / np.maximum(weight @ inside, 1e-300)
        return (groups["stated"] + change).clip(0, 1)

    @property
    def class_table(self):
        """Each class with its stated and observed share and its part of the grouping loss."""
        if self.several is None:
            return None
        rows = [
            (str(row.Index), percent(row.stated), percent(row.observed), f"{row.value:.4f}")
            for row in self.several.loss.by_class.itertuples()
        ]
        what = "step of the scale" if self.several.ordered else "class"
        return pd.DataFrame(rows, columns=[what, "stated", "observed", "part of the grouping loss"])

    @property
    def class_group_table(self):
        """Groups that are given the wrong class."""
        if self.several is None or self.several.groups.empty:
            return None
        rows = [
            (
                row["rule"],
                f"{row['n']:,}",
                str(row["too_high"]),
                str(row["too_low"]),
                f"{row['class']}: {percent(row['stated'])} stated, {percent(row['observed'])} observed",
                _gap(row),
            )
            for _, row in self.several.groups.iterrows()
        ]
        columns = ["cases where", "cases", "stated too often", "at the expense of", "surely off"]
        return pd.DataFrame(rows, columns=[*columns, "recalibrated gap in points (95 %)"])

    @property
    def class_cost_table(self):
        """In 100 cases, what decisions by all scores cost and save, and how often each is taken."""
        if self.several is None or self.several.money is None:
            return None
        money = self.several.money
        rows = {}
        for policy, row in money.costs.iterrows():
            taken = money.shares.loc[policy].map(percent)
            rows[POLICIES.get(policy, policy)] = (*_cost_and_saved(policy, row), *taken)
        return _frame("in 100 cases, decided", rows, [*COST_AND_SAVED, *money.shares.columns])

    @property
    def parts_table(self):
        """Parts of the mean squared error: what recalibration saves, what these columns could save, and the rest."""
        parts = self.loss_parts
        loss = self.loss
        saved = (parts["saved"], parts["saved_low"], parts["saved_high"])
        places = int(np.clip(digits((saved[2] - saved[1]) / 4 if loss is None else loss.se), 3, 4))
        whole = round(parts["loss"], places)
        remark = "nothing: counts as 0 in the sum" if saved[0] < 0 else "judged by labels that it has not seen"
        rows = {
            "all of it": (f"{whole:.{places}f}", "mean squared distance of score and label"),
            "recalibration saves": (_squared(*saved), remark),
        }
        rest = whole - round(max(saved[0], 0), places)  # of the numbers as they are shown, so that they add up
        if loss is not None:
            rest -= round(max(loss.value, 0), places)
            row = _squared(max(loss.value, 0), max(loss.low, 0), loss.high)
            rows["these columns could save"] = (row, "the grouping loss that was found; there may be more")
        rows["the rest"] = (f"{rest:.{places}f}", "chance, and what these columns do not tell")
        return _frame("part of the loss", rows, ["squared error (95 % interval)", "remark"])

    @property
    def cost_table(self):
        """In 100 cases, what each policy does, costs, and saves beside the stated score."""
        if self.money is None:
            return None
        rows = {}
        for policy, row in self.money.costs.iterrows():
            cells = []
            for name in ("yes", "misses", "false_alarms"):
                cells.append(number(100 * row[name], 25 * (row[f"{name}_high"] - row[f"{name}_low"]), least=1))
            rows[POLICIES[policy]] = (*cells, *_cost_and_saved(policy, row))
        return _frame("in 100 cases, decided", rows, ["yes", "misses", "false alarms", *COST_AND_SAVED])

    @property
    def pair_table(self):
        if self.pair is None:
            return None
        rows = {}
        for name, row in self.pair.table.iterrows():
            se = (row["high"] - row["low"]) / 4
            change = measured(row["difference"], row["low"], row["high"], sign=True, least=3)
            cells = (number(row["old"], se, least=3), number(row["new"], se, least=3), change)
            rows[f"{name} ({row['better']} is better)"] = cells
        return _frame("measure", rows, [self.pair.old, self.pair.new, "difference (95 % interval)"])

    @property
    def parameter_table(self):
        table = self.table
        by = "a tree" if self.by_tree else "several learners"
        rows = {
            "table": f"{table.name}, SHA-256 {table.sha256 or 'unknown'}",
            "label": table.label,
            "score": table.score,
            "features": ", ".join(table.features),
            "weight": "" if table.weight is None else "given",
            "group": "" if table.groups is None else table.group_name or "given",
            "grouping loss": "not estimated" if self.loss is None else f"by {by}",
        }
        rows |= {
            name: str(value) if np.size(value) and value is not None else "" for name, value in self.options.items()
        }
        return _frame("parameter", {name: (value or "not given",) for name, value in rows.items()}, ["value"])


def _frame(name, rows, columns):
    """A table of {what a row is about: its cells}."""
    return pd.DataFrame(rows.values(), index=pd.Index(rows, name=name), columns=list(columns))


def _cost_and_saved(policy, row):
    """Cells of what a policy costs in 100 cases, and saves beside the stated scores."""
    cost = of_hundred(row["cost"], row["cost_low"], row["cost_high"])
    saved = of_hundred(row["saved"], row["saved_low"], row["saved_high"], sign=True)
    return cost, "–" if policy == "stated" else saved


def _gap(row):
    return apart(row.gap, row.low, row.high)


def _squared(value, low, high):
    value, low, high = (number(x, (high - low) / 4, least=3) for x in (value, low, high))
    return f"{value}{NBSP}{bracketed(low, high)}"
