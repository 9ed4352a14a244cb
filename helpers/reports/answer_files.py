"""What `AnswerReport.save` writes: a page, a row a question, and two systems side by side."""

import numpy as np
import pandas as pd

from helpers.checks import check_rng
from helpers.notebook import figure, table
from helpers.reports.answer_advice import SAME
from helpers.reports.files import check_free, without_formulas

TITLE = """# Can these answers be believed?

A model was asked the same questions several times. First the answer, then the evidence, then what to do. Differences of
probabilities are in **points**: from 60 % to 63 % is 3 points. Costs are in **units**: one unit is what one wrong
answer costs. In brackets stand 95 % intervals."""

GENERAL = """In general:

- **Not as a proof of truth.** All answers may agree and be wrong.
- **Not for other questions.** Another kind of question, another prompt or temperature can give other answers.
- **Not if questions belong together.** Ten versions of one question are not ten questions.
- **Not if answers depend on each other.** They must be sampled separately, not in one conversation.
- **Not as a promise for the cheapest vote.** It was found on these questions; on new ones it saves less."""

WHAT = {
    "answers.csv": "A row a question: its most frequent answer, how many answers agree, confidences, whether it is "
    "right, and whether to use it with all samples: by cost (use_by_cost) and by the certificate (use_certified)",
    "systems.csv": "The two systems side by side: a row a measure, with the paired difference and its interval",
}

CAPTIONS = {
    "reliability": "Right answers against confidence. Grey: a perfect one. Numbers: questions.",
    "kept": "Wrong answers among those given, if only the surest share is answered.",
    "samples": "Votes of few and of many samples; bands of 95 % over the questions.",
}

DEFAULTS = {"reject_cost": 0.2, "price": 0.002, "precision": 0.9, "n_resamples": 1000, "rng": None, "against": ""}


def figures_of(report):
    """Figures of the page by name."""
    from helpers.plotting import plot_confidences, plot_kept, plot_votes

    drawn = {"samples": plot_votes(report.sizes, report.cheapest_size, report.reject_cost)}
    if report.obstacle:
        return drawn
    drawn["reliability"] = plot_confidences(report.reliability_curves)
    drawn["kept"] = plot_kept(report.kept_curves, report.kept_points, report.reject_cost)
    return drawn


def print_parameters(report):
    """What a report was made from, as texts; defaults are marked."""
    source = report.table
    rows = {
        "file": f"{source.name}, SHA-256 {source.sha256 or 'unknown'}",
        "questions": f"{source.n_questions:,}",
        "answers": f"{source.n_answers:,}",
        "rule for equal answers": source.rule,
        **{f"column of {role}": name for role, name in source.columns.items()},
    }
    for name, value in report.options.items():
        text = "not given" if value in (None, "") else f"{value}"
        rows[name] = f"{text} (default)" if value == DEFAULTS[name] else text
    return pd.DataFrame({"value": list(rows.values())}, index=pd.Index(rows, name="parameter"))


def columns_of(report):
    """The table of answers.csv."""
    grouped = report.table.grouped
    chosen = grouped.counts.argmax(axis=1)
    columns = {
        "question": grouped.questions,
        "answer": [names[k] for names, k in zip(grouped.labels, chosen, strict=True)],
        "n_agree": grouped.counts.max(axis=1),
        "n_answers": grouped.n_answers,
        "agreement": report.sources["sem1"],
        "held_out_agreement": report.sources["sem2"],
        "stated": grouped.confidence,
        "right": pd.Series(report.correct).map({1: "yes", 0: "no", -1: ""}).to_numpy(),
    }
    if report.advice is not None:
        confidence = report.sources[report.advice.source]
        columns["confidence"] = confidence
        certificate = report.advice.certificate
        columns["use_by_cost"] = np.where(confidence >= report.advice.threshold - SAME, "yes", "no")
        limit = certificate.threshold if certificate.certified else np.inf
        columns["use_certified"] = np.where(confidence >= limit - SAME, "yes", "no")
    return pd.DataFrame(columns)


def save_report(report, folder, overwrite, control, rng):
    """`AnswerReport.save`."""
    from helpers.notebook.page import check_stack
    from helpers.reports.control import negative_control

    check_stack()
    names = ["answers.csv", *([] if report.pair is None else ["systems.csv"])]
    folder = check_free(folder, ["report.html", *names], overwrite)
    without_formulas(columns_of(report)).to_csv(folder / "answers.csv", index=False, float_format="%.6g")
    if report.pair is not None:
        first, second = report.pair.names
        rows = report.pair.measures.rename(columns={"first": first, "second": second})
        without_formulas(rows).to_csv(folder / "systems.csv", index=False, float_format="%.6g")
    files = pd.DataFrame({"File": names, "What it holds": [WHAT[name] for name in names]}).set_index("File")
    trials = negative_control(report, rng=check_rng(rng)) if control else None
    path = folder / "report.html"
    path.write_text(page_of_answers(report, files, trials), encoding="utf-8")
    return path


def page_of_answers(report, files=None, control=None):
    """The page of a report on answers: the sections of notebook 14 without a kernel, as one HTML document."""
    from helpers.reports.page import Sections
    from helpers.reports.text import describe_figure, fold, next_steps, summary, tell

    figures = figures_of(report)
    page = Sections(TITLE)

    def part(name, **values):
        return lambda: tell(report, name, **values)

    def rows(frame):
        return lambda: table(frame)

    def picture(name):
        return lambda: figure(figures[name], describe_figure(report, name), CAPTIONS[name])

    known = not report.obstacle
    plans = (rows(report.plan_table), part("read_plans")) if known else ()
    page.add("## The answer", rows(summary(report)), *plans)
    page.add("## What was read", lambda: tell(report.table, "read"))
    shows = [picture("reliability"), part("calibration")] if known else [part("calibration")]
    page.add("## Confidence and truth", *shows)
    if known:
        promises = (part("use"), rows(report.promise_table), part("read_promises"))
        page.add("## Which answers to use", *promises, part("kept"), rows(report.kept_table), picture("kept"))
    page.add("## Which questions are hard", part("gap"), rows(report.strata_table))
    page.add("### The closest votes", rows(report.hard_table))
    if known:
        page.add("### Wrong answers that looked sure", rows(report.wrong_table))
    samples = (part("samples"), picture("samples"), rows(report.sample_table), part("read_samples"))
    page.add("## How many answers are worth their price", *samples)
    if report.pair is not None:
        page.add("## Two systems side by side", part("pair"), rows(report.pair_table))
    page.add("## What to do next", rows(next_steps(report)))
    if known:
        page.add("## For experts", *expert_folds(report, fold, part, rows))
    if control is not None:
        page.add("## Control: files in which every confidence is right", part("control", control=control))
    page.add("## When not to use this report", part("warnings"))
    page.add(GENERAL)
    if files is not None:
        page.add("## Files beside this page", rows(files))
    page.add("## Parameters", rows(report.parameter_table))
    return page.html()


def expert_folds(report, fold, part, rows):
    """Functions that show the sections for experts, each behind one click."""
    errors = (rows(report.calibration_table), part("read_calibration"))
    costs = (part("costs"), rows(report.cost_table), part("read_costs"))
    differences = (rows(report.difference_table), part("read_differences"))
    certificate = (part("read_use"),)
    return [
        lambda: fold("Calibration error of each confidence", *errors),
        lambda: fold("ECUAS and AURC: one number for a confidence", *costs),
        lambda: fold("The confidences compared question by question", *differences),
        lambda: fold("How the certificate was found", *certificate),
    ]
