"""What `AnswerReport.save` writes: a page, its findings, a row a question, and two systems side by side."""

import numpy as np
import pandas as pd

from helpers.reports.answer_costs import SAME
from helpers.reports.document import check_free
from helpers.reports.files import without_formulas

WHAT = {
    "answers.csv": "A row a question: its most frequent answer, how many answers agree, confidences, whether it is "
    "right (1, 0), whether it may be used with the promise (use_certified) and, with costs, by these (use_by_cost); "
    "columns of the file about whole questions. Notebook 13 reads it: label right, score agreement",
    "findings.json": "The findings of this page for programs",
    "systems.csv": "The two systems side by side: a row a measure, with the paired difference and its interval",
}

DEFAULTS = {"reject_cost": None, "price": None, "precision": 0.9, "n_resamples": 1000, "rng": None, "against": ""}


def print_parameters(report):
    """What a report was made from, as texts; defaults are marked."""
    source = report.table
    rows = {
        "file": f"{source.name}, SHA-256 {source.sha256 or 'unknown'}",
        "questions": f"{source.n_questions:,}",
        "answers": f"{source.n_answers:,}",
        "rule for equal answers": source.rule,
        **{f"column of {role}": name for role, name in source.columns.items()},
        "columns of groups": ", ".join(source.features.columns) or "none",
    }
    for name, value in report.options.items():
        text = "not given" if value in (None, "") else f"{value}"
        rows[name] = f"{text} (default)" if value == DEFAULTS[name] else text
    return pd.DataFrame({"value": list(rows.values())}, index=pd.Index(rows, name="parameter"))


def columns_of(report):
    """The table of answers.csv."""
    grouped = report.table.grouped
    chosen = grouped.counts.argmax(axis=1)
    right = pd.array(np.where(report.known, report.correct, 0), dtype="Int64")
    right[~report.known] = pd.NA
    columns = {
        "question": grouped.questions,
        "answer": [names[k] for names, k in zip(grouped.labels, chosen, strict=True)],
        "n_agree": grouped.counts.max(axis=1),
        "n_answers": grouped.n_answers,
        "agreement": report.sources["sem1"],
        "held_out_agreement": report.sources["sem2"],
        "stated": grouped.confidence,
        "right": right,
    }
    if report.promises is not None:
        columns["use_certified"] = np.where(report.promises.used, "yes", "no")
    if report.prices is not None:
        pays = report.sources[report.prices.source] >= report.prices.threshold - SAME
        columns["use_by_cost"] = np.where(pays, "yes", "no")
    features = report.table.features.astype(dict.fromkeys(report.table.features.select_dtypes("category"), object))
    own = features.rename(columns={name: f"{name} (file)" for name in features.columns if name in columns})
    return pd.concat([pd.DataFrame(columns), own.reset_index(drop=True)], axis=1)


def save_files(report, folder, overwrite):
    """`AnswerReport.save_files`."""
    names = ["answers.csv", "findings.json", *([] if report.pair is None else ["systems.csv"])]
    folder = check_free(folder, names, overwrite)
    without_formulas(columns_of(report)).to_csv(folder / "answers.csv", index=False, float_format="%.6g")
    report.write_findings(folder)
    if report.pair is not None:
        first, second = report.pair.names
        rows = report.pair.measures.rename(columns={"first": first, "second": second})
        without_formulas(rows).to_csv(folder / "systems.csv", index=False, float_format="%.6g")
    return pd.DataFrame({"File": names, "What it holds": [WHAT[name] for name in names]}).set_index("File")
