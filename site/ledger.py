"""The page of the ledger: every item of the papers, what became of it."""

import csv

STATUSES = {
    "verified": "a claim cell asserts it each time the notebook runs",
    "reproduced": "same data, the paper's numbers",
    "agrees": "other data, the paper's rivals, and its direction comes out with an interval; a claim cell asserts it",
    "disagrees": "the same, but the other direction comes out; a claim cell asserts that",
    "cannot tell": "the same, but the interval leaves both possible; the remark gives it",
    "differs": "we found otherwise; the remark says what",
    "needs": "the code is tested; a reader must bring the data or the model",
    "planned": "its notebook is not written yet",
}
PAPERS = {
    "perezlebel2023": ("Perez-Lebel", "Perez-Lebel, Le Morvan, Varoquaux 2023: beyond calibration"),
    "melo2026": ("Melo", "Melo, Varoquaux, Le Morvan 2026: epistemic uncertainty and decisions"),
    "ecuas2026": ("ECUAS", "Estienne, Ernst, Vera, Piantanida, Ferrer 2026: ECUAS"),
    "semece2026": ("Sem-ECE", "Wang, Xiao, Jin, Yang, Hou, Shen 2026: Sem-ECE"),
    "ours": ("ours", "What these notebooks state beside the papers"),
}


def read_rows(root, name):
    """The rows of a table in data/, as dictionaries."""
    with open(root / "data" / f"{name}.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def ledger_page(rows):
    """What the template of the ledger shows: counts by paper and status, and the rows grouped by paper."""
    if unknown := {row["paper"] for row in rows} - set(PAPERS):
        raise SystemExit(f"claims.csv has rows of a paper that site/ledger.py does not know: {min(unknown)}")
    groups = [
        {"id": paper, "short": short, "title": title, "rows": [row for row in rows if row["paper"] == paper]}
        for paper, (short, title) in PAPERS.items()
    ]
    counts = {}
    for status in STATUSES:
        numbers = [sum(row["status"] == status for row in group["rows"]) for group in groups]
        counts[status] = [*numbers, sum(numbers)]
    counts["all"] = [*(len(group["rows"]) for group in groups), len(rows)]
    statuses = {status: meaning for status, meaning in STATUSES.items() if counts[status][-1]}
    return {"ledger": groups, "statuses": statuses, "counts": counts}
