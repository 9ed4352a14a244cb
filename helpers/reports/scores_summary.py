"""The answer in four sentences, before any evidence: what the summary of an audit says."""

import pandas as pd

from helpers.reports.phrases import chance, in_points, many, percent, points, root, span
from helpers.reports.scores_advice import next_steps

SMALL, LARGE = 0.02, 0.05  # of a calibration error or a typical miss, in probability


def summary(report):
    """The answer first: four questions of a decision maker, and what this table can answer. A table."""
    answers = {
        "Are the scores right on average?": _on_average(report),
        "Are they right for a single case?": _single(report),
        "For whom are they wrong?": _for_whom(report),
        "What should be done next?": _numbered([what for what, _ in next_steps(report)]),
    }
    return pd.DataFrame({"Answer": answers}).rename_axis("Question")


def _numbered(sentences):
    return " ".join(f"({k}) {text}" for k, text in enumerate(sentences, 1)) if sentences[1:] else sentences[0]


def upper(error):
    """Upper end of a calibration error that may be told: less than what chance alone shows cannot be ruled out."""
    return max(error.high, error.null)


def spread(error):
    """Standard error of a calibration error, from its interval."""
    return max((upper(error) - error.low) / 4, 1e-6)


def drift(report):
    """A sentence on the means of stated probabilities and labels."""
    stated, observed, low, high = (report.average[name] for name in ("stated", "observed", "low", "high"))
    se = (high - low) / 4
    means = f"{percent(stated, se)} stated, {percent(observed, se)} observed"
    if low > 0 or high < 0:
        return f"Taken together they are too {'low' if low > 0 else 'high'} ({means})."
    return f"Taken together they are neither too low nor too high ({means})."


def _on_average(report):
    error = report.error
    se = spread(error)
    if error.p_value >= 0.05:
        return (
            f"Nothing speaks against it in these {error.n:,} cases. {drift(report)} They may still be off by up to "
            f"{in_points(upper(error), se)} among cases with similar scores."
        )
    word = "Nearly" if error.debiased < SMALL else "Roughly" if error.debiased < LARGE else "No"
    return (
        f"{word}. Among cases with similar scores, stated and observed rates lie about "
        f"{in_points(error.debiased, se)} apart ({span(error.low, upper(error), se)}). {drift(report)}"
    )


def root_se(loss):
    """Standard error of the square root of a grouping loss."""
    return loss.se / (2 * max(root(loss.value), root(loss.se), 1e-9))


def _single(report):
    loss, n = report.loss, f"{report.table.n:,}"
    if loss is None:
        return f"This cannot be said. {report.obstacle}"
    if report.certified:
        word, se = "Nearly, but not quite" if root(loss.value) < SMALL else "No", root_se(loss)
        return (
            f"{word}. Cases with the same score have different chances. Even recalibrated, the score typically misses "
            f"them by about {in_points(root(loss.value), se)}, and by {points(root(loss.low), se)} at the very "
            "least."
        )
    if len(report.audit.remaining):
        return (
            f"No, not for the group{'s' * (len(report.audit.remaining) > 1)} named below. But {n} cases cannot certify "
            f"how large the grouping loss is ({chance(loss.p_value)})."
        )
    if loss.p_value < 0.05:
        return (
            f"There are signs that they are not ({chance(loss.p_value)}), but {n} cases cannot certify how large it is."
        )
    least = in_points(root(report.detectable), root(report.detectable) / 5)
    return (
        f"Nothing speaks against it, but that is no proof: no grouping loss can be certified with these {n} cases. A "
        f"typical miss of {least} or more would most likely have been found, if the features can tell it."
    )


def _for_whom(report):
    if report.audit is None:
        return f"This cannot be said. {report.obstacle}"
    sure = report.audit.sure
    if not len(sure):
        return f"Nobody can be named: none of {len(report.audit.table)} groups is off by more than chance allows."
    said = []
    for word, part in (("low", sure[sure["gap"] > 0][::-1]), ("high", sure[sure["gap"] < 0])):
        if len(part):
            top = part.iloc[0]
            more = "" if len(part) == 1 else f"; less so in {many(len(part) - 1, 'more group')}"
            rates = f"stated {percent(top['stated'])}, observed {percent(top['observed'])}"
            said.append(f"Too {word} where {top['rule']} ({rates}){more}.")
    return " ".join(said + ["Recalibration would mend this."] * (not len(report.audit.remaining)))
