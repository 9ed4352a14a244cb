"""Drawings of the lessons that a reader moves: where they stand, and the package's numbers that they start from."""

import re

import numpy as np

from helpers.answers import binomial_law, winner_law
from helpers.decisions import cost_matrix, excess_risk
from helpers.selective import chow_cost
from helpers.studies.nb09_ecuas import Department

MARK = re.compile(r"<!-- (promise|threshold|refusal|agreement) -->")  # where a lesson has one
FEES = range(1, 51)  # per cent of a mistake


def threshold(price=100, bill=500):
    """People in pairs of one score, which is the mean of their true probabilities; all in per cent and dollars."""
    told, true = np.array([10, 10, 25, 25, 60, 60]), np.array([5, 15, 10, 40, 45, 75])
    costs = cost_matrix(false_alarm=price, miss=bill, hit=price)
    too_much = excess_risk(true / 100, told / 100, costs)
    people = [{"told": p, "true": q, "too_much": x} for p, q, x in zip(told, true, too_much.round(), strict=True)]
    return {"people": people, "price": price, "bill": bill, "mean": too_much.mean(), "wrong": (too_much > 0).sum()}


def refusal(fee=5):
    """Four blocks of 25 patients; the honest assistant states which share of each it gets wrong, the sure one less.

    A look costs `fee` per cent of a mistake; bills are in mistakes.
    """
    wrong = np.array([1, 3, 6, 12])
    correct = (np.arange(25) >= wrong[:, None]).ravel()
    department = Department(n_classes=4)
    assistants = []
    for name, power in (("honest", 1), ("sure", 2)):
        risks = (1 - department.powered(1 - wrong / 25, power)).round(12)
        bills = {look: chow_cost(correct, 1 - np.repeat(risks, 25), look / 100).sum() for look in FEES}
        followed = risks <= fee / 100
        blocks = [{"risk": 100 * u, "wrong": k, "followed": f} for u, k, f in zip(risks, wrong, followed, strict=True)]
        mistakes = wrong[followed].sum()
        assistants.append({"name": name, "blocks": blocks, "bills": bills, "paid": bills[fee], "mistakes": mistakes})
    return {"assistants": assistants, "fee": fee}


def agreement(truth=50, n=25):
    """A model torn between two answers: one night of those that chose and measured, and all that could be."""
    luck = np.random.default_rng(1).random((2, n)).round(3)
    counts = (luck < truth / 100).sum(axis=1)  # of the first answer
    law = winner_law([truth / 100, 1 - truth / 100], n)
    measured = law.sum(axis=1) @ [binomial_law(truth / 100, n), binomial_law(1 - truth / 100, n)]
    first = counts[0] > n / 2
    seen = counts if first else n - counts
    laws = [law.sum(axis=0), measured]
    means = [100 * chances @ np.arange(n + 1) / n for chances in laws]
    won = "5 mg" if first else "10 mg"
    return {"luck": luck, "won": won, "seen": seen, "laws": laws, "means": means, "truth": truth, "n": n}


STARTS = {"promise": dict, "threshold": threshold, "refusal": refusal, "agreement": agreement}


def with_drawings(source, environment, up):
    """Markdown in which each mark is replaced by its drawing."""

    def drawing(mark):
        name = mark[1]
        return environment.get_template(f"{name}.html.j2").render(STARTS[name](), up=up)

    return MARK.sub(drawing, source)
