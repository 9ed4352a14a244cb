"""What a report on scores leaves beside its page: a row a case, a row a group, and a repair for new cases."""

import numpy as np
import pandas as pd

from helpers.decisions.class_costs import cheapest
from helpers.practice.repair import save
from helpers.practice.reports.rescored import expected_excess, repair_all, repair_scores

MOST_REPAIRED = 200_000  # cases in scores.csv that get a repaired score, in a minute or less

OF_CLASS = "repaired: "  # in scores.csv, before the name of a class

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # first letters that make spreadsheets compute

WHAT = {
    "findings.json": "What this page says, for programs: a finding each with kind, subject, value, ends, severity",
    "scores.csv": "A row a case: row of your file, given score, recalibrated score",
    "groups.csv": "A row a group: rule, cases, share, rates, gaps with intervals (low, high), adjusted p-value, named",
    "repair.joblib": "The repair of new cases, a table with the columns of your file: "
    "helpers.practice.repair.load('repair.joblib').predict({arguments}). "
    "Loading such a file can run code in it: load none of people whom you do not trust",
}

COLUMNS = {  # of scores.csv, where they are there
    "repaired": "repaired score (by learners that have not seen the case)",
    "answer": "class of the largest given score",
    "repaired_answer": "class of the largest repaired score",
    "decision": "decision of least expected cost by the repaired scores of all classes",
    "expected_excess_cost": "expected extra cost of deciding by the given score, in your unit",
    "subgroup": "the named group with the largest gap that holds the case",
}


def write_table(frame, path):
    """Write a CSV in which no spreadsheet computes: an apostrophe stands before texts that look like a formula."""
    frame = frame.copy()
    for name in frame.select_dtypes(["object", "string"]):
        risky = frame[name].map(lambda value: isinstance(value, str) and value.startswith(FORMULA))
        frame[name] = frame[name].where(~risky, "'" + frame[name].astype(str))
    frame.to_csv(path, index=False, float_format="%.6g")


def write_files(report, folder, rng):
    """Write a row a case, a row a group and the repair, as there are: {file: what it holds}."""
    holds = dict(WHAT)
    columns, repair = score_columns(report, rng)
    write_table(columns, folder / "scores.csv")
    holds["scores.csv"] += "".join(f", {COLUMNS[name]}" for name in columns if name in COLUMNS)
    if any(name.startswith(OF_CLASS) for name in columns):
        holds["scores.csv"] += f", the repaired score of each class ({OF_CLASS}...)"
    if report.audit is None:
        del holds["groups.csv"]
    else:
        write_table(group_rows(report), folder / "groups.csv")
    if repair is None:
        del holds["repair.joblib"]
        return holds
    save(repair, folder / "repair.joblib")
    scores = report.own.score if report.several is None else list(report.table.classes.columns.values())
    holds["repair.joblib"] = holds["repair.joblib"].format(arguments=f"table, table[{scores!r}]")
    if not repair.changed_:
        holds["repair.joblib"] += " (no gain by the features is significant: it only recalibrates)"
    elif "repaired" not in columns and "repaired_answer" not in columns:
        holds["repair.joblib"] += f" (it makes the repaired scores, above {MOST_REPAIRED:,} cases)"
    return holds


def score_columns(report, rng=None):
    """The table of scores.csv, and the fitted repair (None where there are too few cases or no features)."""
    table = report.table
    columns = {"row": table.row, "given": table.p, "recalibrated": report.calibrated}
    if report.several is not None:
        return pd.DataFrame(columns | class_columns(report)), report.several.repair.model
    scores = report.scores
    repaired = report.calibrated
    se = np.zeros(table.n)
    if not report.limitation:
        own = report.own
        if scores.model is None:
            scores = repair_scores(own, report.average.kind, rng=rng)
        if scores.model.changed_ and table.n <= MOST_REPAIRED:
            repaired, se = repair_all(own, scores)
            columns["repaired"] = repaired
    is_left_out = scores.model is not None and scores.model.changed_ and "repaired" not in columns
    if report.cost is not None and not is_left_out:
        columns["expected_excess_cost"] = expected_excess(repaired, se, table.p, report.cost)
    if report.audit is not None:
        columns["subgroup"] = report.audit.largest_gap(table.X)
    return pd.DataFrame(columns), scores.model


def class_columns(report):
    """What scores.csv holds of several classes, {name: values}: answers, and repaired scores of all classes."""
    table = report.table
    P = table.classes.P
    names = P.columns.to_numpy(object)
    answer = P.to_numpy().argmax(axis=1)
    columns = {"answer": names[answer]}
    repair = report.several.repair
    of_answer = report.calibrated
    is_left_out = repair.model.changed_ and table.n > MOST_REPAIRED
    if repair.model.changed_ and not is_left_out:
        repaired = np.empty(P.shape)
        repaired[repair.rows] = repair.repaired
        new = np.setdiff1d(np.arange(table.n), repair.rows)
        if new.size:
            stated = P.iloc[new][list(repair.model.score_columns_)].rename(columns=repair.model.score_columns_)
            repaired[new] = repair.model.predict(report.own.X.iloc[new], stated)
        columns |= {"repaired_answer": names[repaired.argmax(axis=1)]}
        columns |= {f"{OF_CLASS}{name}": repaired[:, k] for k, name in enumerate(names)}
        if report.class_cost is not None:
            decision = cheapest(repaired, report.class_cost.to_numpy()).decision
            columns["decision"] = report.class_cost.index.to_numpy(object)[decision]
        of_answer = repaired[np.arange(table.n), answer]
    if report.cost is not None and not is_left_out:
        columns["expected_excess_cost"] = expected_excess(of_answer, np.zeros(table.n), table.p, report.cost)
    if report.audit is not None:
        columns["subgroup"] = report.audit.largest_gap(table.X)
    return columns


def group_rows(report):
    """The table of groups.csv: the groups of the page with their numbers, and what "larger levels" in a rule are."""
    names = ["rule", "n", "share", "stated", "observed", "gap", "low", "high", "calibrated"]
    table = report.audit.table[[*names, "residual_gap", "residual_low", "residual_high", "adjusted"]]
    table = table.assign(named=table.index.isin(report.audit.significant.index))
    levels = []
    for row in table.index:
        conditions = report.audit.search.family.conditions(row)
        levels.append("; ".join(str(level) for one in conditions if one.common is not None for level in one.common))
    return table.assign(larger_levels=levels) if any(levels) else table
