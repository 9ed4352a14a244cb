"""A control of both reports: the same audit where there is nothing to find."""

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from scipy.stats import binom

from helpers.practice.reports.intake import LEAST_GROUPS
from helpers.practice.reports.misjudged import find_misjudged
from helpers.practice.reports.phrases import listed, many, number
from helpers.practice.reports.rescored import rows_of_whole_groups
from helpers.practice.reports.single_cases import measure_loss

SEARCH_DRAWS = 59  # of the search for groups in a control

MOST_ROWS = 5_000  # of a control, so that twenty take no longer than the audit itself

LEARNER_ROWS = 500  # where several learners, which take longer, estimate the grouping loss

LEAST_EVENTS = 50  # expected cases of the rarer label


@dataclass(frozen=True)
class Control:
    """An audit repeated on data in which there is nothing to find."""

    draws: int  # data sets made for each test
    # A row a trial: `test` (its name), `n` (rows of the data, `of` all rows), `value` (what was estimated, by its name
    # in `estimate`), `alarm` (whether the test rejected at 5 %) and `named` (whether a subgroup was called misjudged)
    trials: pd.DataFrame = field(repr=False)

    def __str__(self):
        trials = many(len(self.trials), "trial")
        named = many(self.named, "trial")
        n, of, estimate = self.trials[["n", "of", "estimate"]].iloc[0]
        n = f"{n:,} of the {of:,}" if n < of else f"{n:,}"
        test = f"the test of the {listed(self.trials['test'].unique())}"
        return (
            f"In {trials} with {n} rows each, in which nothing is wrong, {test} at 5 % raised "
            f"{many(self.alarms, 'alarm')}; a fair test raises more than {self.most_alarms} in at most one of a "
            f"hundred such controls. The estimated {estimate} is {number(self.value, self.error, least=3)} "
            f"on average (standard error {number(self.error, self.error, least=3)}), and a group was named in {named}."
        )

    @property
    def value(self):
        return float(np.mean(self.trials["value"].to_numpy()))

    @property
    def error(self):
        """Standard error of `value`, from what was estimated in each trial."""
        return float(np.std(self.trials["value"].to_numpy(), ddof=1) / len(self.trials) ** 0.5)

    @property
    def alarms(self):
        return int(self.trials["alarm"].sum())

    @property
    def named(self):
        """Trials in which a subgroup was called misjudged."""
        return int(self.trials["named"].sum())

    @property
    def most_alarms(self):
        """Number of alarms that a fair test at 5 % exceeds in one of a hundred controls."""
        return int(binom.ppf(0.99, len(self.trials), 0.05))


def negative_control(report, *, draws=20, rng=None):
    """Repeat an audit where there is nothing to find: labels, or right and wrong, are drawn from the confidence itself.

    Parameters
    ----------
    report : ScoreReport or AnswerReport
        The audit to repeat. For scores, labels are drawn from the calibrated scores of about 500 rows, and of 5,000
        where a tree estimates the grouping loss.
    draws : int, default 20
        Data sets made for each test.
    rng : int, Generator or None, default None
        Source of randomness.

    Returns
    -------
    Control or None
        None where the report has no test that could raise an alarm.

    Examples
    --------
    >>> from helpers.practice.reports import audit_answers
    >>> from helpers.practice.tables import read_answers
    >>> report = audit_answers(read_answers(), n_resamples=100, rng=0)
    >>> control = negative_control(report, draws=2, rng=0)
    >>> len(control.trials), control.alarms <= control.most_alarms
    (6, True)
    """
    rng = np.random.default_rng(rng)
    trials = [
        {"test": name, "named": False} | trial(rng=stream)
        for name, trial in report.null_trials(rng).items()
        for stream in rng.spawn(draws)
    ]
    return Control(draws, pd.DataFrame(trials)) if trials else None


def control_rows(report, most, rng):
    """Rows of whole groups: at most `most`, or as many as hold 50 cases of the rarer label and 40 groups."""
    rate = report.calibrated.mean()
    most = max(most, int(LEAST_EVENTS / max(min(rate, 1 - rate), 1e-6)))
    return rows_of_whole_groups(report.table, most, rng, least_groups=LEAST_GROUPS)


def null_trial(report, rows, *, rng):
    """The audit of labels drawn from the calibrated scores of some rows of a `ScoreReport`."""
    c = report.calibrated[rows]
    table = replace(report.table.take(rows), y=(rng.random(rows.size) < c).astype(float))
    loss = measure_loss(table, report.average.kind, by_tree=report.by_tree, rng=rng)
    audit = find_misjudged(replace(table, p=c), report.average.kind, n_draws=SEARCH_DRAWS, rng=rng)
    return {
        "n": rows.size,
        "of": report.table.n,
        "estimate": "grouping loss",
        "value": loss.value,
        "alarm": bool(loss.p_value < 0.05),
        "named": len(audit.significant) > 0,
    }
