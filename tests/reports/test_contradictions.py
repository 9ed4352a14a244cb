"""The report on scores never says two things that cannot both be: random tables, every pair of its statements."""

import re
from functools import cache
from importlib.resources import files

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit

from helpers.calibration import clipped_logit
from helpers.reports import audit_scores, next_steps, summary, write
from helpers.tables import ScoreTable

SECTIONS = ("calibration", "loss", "parts", "groups", "decisions", "warnings")

# What a page says: a name, the part that says it, and the words. "verdict 0" is the first answer of the summary.
STATEMENTS = {
    "verdict: right on average": ("verdict 0", r"^(Nothing|Little) speaks against it"),
    "verdict: off on average": ("verdict 0", r"^(Nearly|Roughly|No)\."),
    "verdict: badly off on average": ("verdict 0", r"^No\."),
    "verdict: too low": ("verdict 0", "they are too low"),
    "verdict: too high": ("verdict 0", "they are too high"),
    "verdict: neither": ("verdict 0", "chance may explain the difference"),
    "verdict: single cases fine": ("verdict 1", r"^Nothing speaks against it"),
    "verdict: single cases not": ("verdict 1", r"^(No|Nearly, but not quite)\b"),
    "verdict: single cases unknown": ("verdict 1", r"^This cannot be said"),
    "verdict: nobody": ("verdict 2", "^Nobody can be named"),
    "verdict: somebody": ("verdict 2", "^Too (low|high) where"),
    "verdict: who is unknown": ("verdict 2", "^This cannot be said"),
    "more than chance": ("calibration", "together: more than chance"),
    "no more than chance": ("calibration", "together: no more than chance"),
    "section: too low": ("calibration", "they are too low"),
    "section: too high": ("calibration", "they are too high"),
    "too extreme": ("calibration", "too extreme: a"),
    "too timid": ("calibration", "too timid: a"),
    "loss certain": ("loss", "would be rare"),
    "loss not certified": ("loss", "No grouping loss can be certified"),
    "loss: groups below": ("loss", "does find some"),
    "groups found": ("groups", "off by more than chance allows, also after recalibration"),
    "no groups found": ("groups", "^None of"),
    "no groups looked for": ("groups", "Groups cannot be compared"),
    "nothing to correct": ("decisions", "No group is surely misjudged"),
    "groups turn decisions": ("decisions", "If the recalibrated scores were moved"),
    "recalibration turns decisions": ("decisions", "Recalibration would change"),
    "recalibration not called for": ("decisions", "Nothing calls for recalibration"),
    "advice: recalibrate": ("steps", r"Recalibrate the scores\."),
    "advice: use as they are": ("steps", "Use the scores as they are"),
    "advice: use features": ("steps", "Let the model use|came into the table"),
    "advice: retrain": ("steps", "Retrain the model"),
    "advice: add what is missing": ("steps", "Add what is missing"),
    "off by little": ("steps", "recalibration would hardly move them"),
    "curve tells": ("calibration", "The diagonal leaves it"),
    "curve does not tell": ("calibration", "The diagonal stays inside"),
    "parts: recalibration saves": ("parts", "saves a part of it that chance"),
    "verdict: signs": ("verdict 1", "^There are signs"),
    "recalibration saves money": ("costs", r"Recalibration saves"),
    "recalibration saves no money": ("costs", "do not show that recalibration saves"),
    "repair saves money": ("costs", "The repair, which also uses the features, saves"),
    "repair saves no money": ("costs", "do not show that the repair saves"),
    "nothing to repair": ("costs", "Nothing is repaired beyond"),
    "cheaper without scores": ("costs", "Without any score"),
    "advice: no recalibration for money": ("steps", "do not show that it saves anything at your costs"),
    "advice: repaired scores": ("steps", r"ecide by the repaired scores\."),
    "advice: not these scores": ("steps", "do not decide by the stated scores"),
    "advice: more cases": ("steps", "Audit again with more cases"),
    "verdict: lead": ("verdict 2", "There is a lead: look first where"),
    "verdict: confirmed lead": ("verdict 2", "In the other half"),
    "verdict: hint": ("verdict 2", "This is a hint and no finding"),
    "section: lead": ("groups", "Where to begin: look first where"),
    "section: confirmed lead": ("groups", "In the other half"),
    "advice: lead": ("steps", "Begin where"),
    "advice: hint": ("steps", "it is a hint only"),
    "no sure gain": ("costs", "a gain by the features is not sure"),
    "verdict: falls": ("verdict 1", "it may be all that is seen here"),
    "warning: falls": ("warnings", "No rising curve fits these scores"),
    "by learners": ("loss", "The estimate is that of several learners"),
    "by tree": ("loss", "The estimate is that of a tree"),
    "verdict: suspicious": ("verdict 2", "check how they came into the table"),
    "warning: suspicious": ("warnings", "check how they came into the table"),
    "warning: none": ("warnings", "nothing to warn of in this table"),
    "advice: suspicious": ("steps", "check how they came into the table"),
    "parts: recalibration harms": ("parts", "makes it a trifle larger"),
    "parts: too few to mend": ("parts", "these cases are too few to mend them well"),
    "features traded": ("costs", "the repaired scores miss"),
    "repaired says yes": ("decisions", "the repaired ones in"),
    "regions of the tree": ("loss", "regions as the tree has cut them"),
    "verdict: regions of the tree": ("verdict 1", "regions as the tree has cut them"),
}

TOGETHER = """
verdict: right on average = no more than chance
verdict: off on average = more than chance
verdict: too low = section: too low
verdict: too high = section: too high
verdict: suspicious = warning: suspicious
verdict: suspicious = advice: suspicious
features traded = repaired says yes
verdict: nobody = no groups found
verdict: somebody = groups found
verdict: somebody = advice: use features
verdict: nobody = nothing to correct
verdict: somebody = groups turn decisions
verdict: who is unknown = no groups looked for
recalibration turns decisions = more than chance
recalibration not called for = no more than chance
repair saves money = advice: repaired scores
cheaper without scores = advice: not these scores
verdict: lead = section: lead
verdict: lead = advice: lead
verdict: lead = advice: retrain
verdict: confirmed lead = section: confirmed lead
verdict: hint = advice: hint
"""

NEVER = """
verdict: right on average | verdict: too low, verdict: too high, too extreme, too timid
verdict: right on average | advice: recalibrate, off by little
verdict: badly off on average | advice: use as they are, off by little
verdict: single cases fine | loss certain, groups found, verdict: somebody, advice: use features, advice: retrain
verdict: single cases not | advice: use as they are, advice: add what is missing
verdict: single cases unknown | loss certain, groups found, verdict: nobody, verdict: somebody
advice: use as they are | advice: recalibrate, advice: use features, advice: retrain, groups found, loss certain
advice: retrain | groups found, loss not certified
advice: recalibrate | off by little
loss certain | loss not certified
verdict: lead | verdict: somebody, groups found, verdict: single cases fine, advice: use features
verdict: lead | loss not certified, advice: use as they are, verdict: signs
verdict: confirmed lead | verdict: hint
no sure gain | advice: repaired scores
verdict: falls | loss certain, groups found, verdict: somebody, advice: use as they are
by learners | by tree, regions of the tree, verdict: regions of the tree
loss: groups below | no groups found, verdict: nobody
too extreme | too timid
curve tells | no more than chance, verdict: right on average, curve does not tell
parts: recalibration saves | no more than chance
parts: too few to mend | no more than chance, recalibration saves money
parts: recalibration harms | parts: recalibration saves, recalibration saves money, advice: recalibrate
verdict: suspicious | warning: none, verdict: nobody
features traded | nothing to repair
recalibration saves money | no more than chance, recalibration saves no money, advice: no recalibration for money
cheaper without scores | no more than chance, verdict: right on average, advice: use as they are
repair saves money | repair saves no money, nothing to repair, verdict: single cases fine, advice: use as they are
repair saves no money | verdict: single cases fine, advice: use as they are, nothing to repair
verdict: signs | verdict: single cases fine, advice: use as they are, loss certain
advice: more cases | verdict: single cases fine, advice: use features, advice: retrain
"""


def page(report):
    """{part: text} of a page."""
    parts = {f"verdict {k}": text for k, text in enumerate(summary(report)["Answer"])}
    parts |= {section: " ".join(write(report, section)) for section in SECTIONS}
    parts["costs"] = " ".join(write(report, "costs")) if report.money is not None else ""
    steps = next_steps(report).reset_index()
    return parts | {"steps": " ".join(steps["What"] + " " + steps["How"])}


def contradictions(parts):
    """Pairs of statements of a page that cannot both be, or of which one is missing."""
    made = {name for name, (part, words) in STATEMENTS.items() if re.search(words, parts[part])}
    wrong = []
    for line in TOGETHER.strip().splitlines():
        first, second = line.split(" = ")
        if not parts["costs"] and "decisions" in (STATEMENTS[first][0], STATEMENTS[second][0]):
            continue  # nothing is judged without costs
        if (first in made) != (second in made):
            wrong.append((first, second))
    for line in NEVER.strip().splitlines():
        first, others = line.split(" | ")
        wrong += [(first, other) for other in others.split(", ") if first in made and other in made]
    return wrong


@pytest.mark.parametrize("seed", [1, 5, 7, 21])
def test_a_bar_along_a_feature_leaves_out_the_score_only_where_a_gap_is_beyond_chance(seed):
    audit = audited(seed).audit
    panels = audit.along_features()
    beyond = set(audit.search.sure["observed"])
    assert panels
    for panel in panels.values():
        out = panel[(panel["low"] > panel["calibrated"]) | (panel["high"] < panel["calibrated"])]
        assert set(out["observed"]) <= beyond


def spans(text):
    """Numbers with their interval, (value, low, high), as in '3 points apart (2 to 5)' or '+12 (+8 to +15)'."""
    pattern = r"([+-]?[\d.]+)(?: points?)?(?: apart)? \(([+-]?[\d.]+) to ([+-]?[\d.]+)\)"
    return [tuple(map(float, triple)) for triple in re.findall(pattern, text.replace("\xa0", " "))]


def random_table(rng):
    """A table of any kind: how many rows, how rare, how the scores err on average and for whom."""
    n = int(rng.choice([80, 320, 700, 1500, 3000]))
    X = pd.DataFrame({
        "age": rng.integers(18, 90, n),
        "sex": rng.choice(["female", "male"], n),
        "place": rng.choice(list("abcdef"), n),
    })  # fmt: skip
    odds = rng.normal(rng.choice([-3.0, -1.0, 0.0, 1.5]), rng.choice([0.3, 1.0, 2.0]), n)
    size = rng.choice([0.0, 0.0, 0.4, 1.0])
    hidden = [X["sex"] == "male", X["age"] > 70, (X["sex"] == "male") & (X["place"] < "c")][rng.integers(3)]
    groups = np.sort(rng.integers(0, n // 3, n)) if rng.random() < 0.2 else None
    shared = 0 if groups is None else rng.normal(0, 0.7, n)[groups]
    q = expit(odds + size * (hidden - hidden.mean()).to_numpy() + shared)
    y = (rng.random(n) < q).astype(np.int8)
    y[:2] = [0, 1]
    stated = rng.choice([0.0, 0.0, 0.15, -0.6]) + rng.choice([1.0, 1.0, 0.8, 1.2, 2.0, -1.0]) * odds
    p = expit(stated)
    shape = rng.integers(8)
    if shape == 0:
        p = np.round(p, 1)
    elif shape == 1:
        p = p**2
    elif shape == 2:
        p = (p > 0.5).astype(float)
    weight = rng.lognormal(0, 0.7, n) if rng.random() < 0.2 else None
    if rng.random() < 0.2:  # some came into the table because of what had happened
        y[(X["place"] == "f") & (X["age"] > 60)] = 1
    return ScoreTable("random.csv", "y", "p", y, p, X, weight, groups)


@cache
def audited(seed):
    """The audit of a random table; a repair, which takes seconds, is made of few rows only."""
    rng = np.random.default_rng(seed)
    table = random_table(rng)
    cost = [[0, 1], [rng.choice([0.2, 1, 5]), 0]] if table.n < 700 else None
    return audit_scores(table, cost=cost, rng=seed)


@pytest.mark.parametrize("seed", range(24))
def test_no_two_statements_of_a_page_contradict_each_other(seed):
    """300 tables, all with costs, were drawn once; these are some of them."""
    check_page(audited(seed))


def three_way(seed, n=1500):
    """A loss that no group of one condition or two shows: three conditions decide together."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.choice(["no", "yes"], (n, 3)), columns=["smoker", "female", "urban"])
    X["age"] = rng.integers(18, 90, n)
    odds = rng.normal(-0.5, 1, n)
    turned = np.where((X == "yes").iloc[:, :3].sum(axis=1) % 2, 1.0, -1.0)
    q = expit(odds + rng.choice([0.45, 0.7, 1.0]) * turned)
    return ScoreTable("three.csv", "y", "p", (rng.random(n) < q).astype(np.int8), expit(odds), X)


@cache
def audited_three(seed):
    return audit_scores(three_way(seed), rng=seed)


@pytest.mark.parametrize("seed", range(6))
def test_a_lead_contradicts_nothing(seed):
    report = audited_three(seed)
    check_page(report)
    lead = report.lead
    assert (lead is not None) == (report.certified and report.audit.sure.empty)
    if lead is not None:
        assert lead.is_confirmed == (lead.p_value < 0.05) == (lead.low > 0 or lead.high < 0)
        assert lead.low <= lead.gap <= lead.high
        assert report.metrics()["lead_rule"] == lead.rule


def check_page(report):
    """No two statements of a page contradict each other, and every number lies inside of its interval."""
    parts = page(report)
    assert not contradictions(parts), (contradictions(parts), parts)
    frames = [report.line_table, report.reliability_table, report.group_table, report.parts_table]
    frames += [report.cost_table, report.look_table]
    cells = [frame.astype(str).to_numpy().ravel() for frame in frames if frame is not None]
    for value, low, high in spans(" ".join([*parts.values(), *np.concatenate(cells)])):
        assert low <= value <= high, (value, low, high, parts)
    alone, adjusted = report.average.tests
    assert report.average.p_value == min(adjusted.values()) and all(adjusted[name] >= alone[name] for name in alone)
    if report.audit is not None:
        check_groups(report)
    if report.money is not None:
        check_counts(report)


def check_groups(report):
    """What is said of the named groups: a sign that is sure, advice for each column, scores that can be made right."""
    audit = report.audit
    sure = audit.sure
    assert ((sure["left_low"] >= 0) | (sure["left_high"] <= 0)).all() and not (audit.table["effect"].diff() > 0).any()
    advised = audit.to_add + audit.to_check
    assert (
        len(set(advised)) == len(advised) and set(advised) <= set(audit.features) and bool(advised) == (len(sure) > 0)
    )
    moved = audit.moved(report.calibrated)
    weight = np.ones(report.table.n) if report.table.weight is None else report.table.weight
    inside = audit.search.family.members(sure.index, report.table.X)
    assert (weight * moved) @ inside / (weight @ inside) == pytest.approx(sure["observed"].to_numpy(), abs=0.01)
    assert (audit.largest_gap(report.table.X) != "").tolist() == inside.any(axis=1).tolist()


def check_counts(report):
    """Counts, costs and what is saved are the same decisions."""
    counts = report.money.counts
    costs = report.money.costs
    stated = counts.loc["stated"]
    assert counts["more_misses"].to_numpy() == pytest.approx(counts["misses"] - stated["misses"])
    assert counts["more_false_alarms"].to_numpy() == pytest.approx(counts["false_alarms"] - stated["false_alarms"])
    paid = report.cost[0, 1] * counts["misses"] + report.cost[1, 0] * counts["false_alarms"]
    assert paid.to_numpy() == pytest.approx(costs["cost"].to_numpy())
    assert costs["saved"].to_numpy() == pytest.approx(costs.loc["stated", "cost"] - costs["cost"])


def test_every_statement_is_made_or_stands_in_the_template():
    """Words that are not used any more would make the tests above blind."""
    words = {name: re.compile(words) for name, (_, words) in STATEMENTS.items()}
    seen = {"too timid"}  # a word that the template puts in; a table below is told so
    for report in [*map(audited, range(24)), *map(audited_three, range(6))]:
        parts = page(report)
        seen |= {name for name, (part, _) in STATEMENTS.items() if words[name].search(parts[part])}
    template = " ".join(files("helpers.reports").joinpath("scores.md.j2").read_text(encoding="utf-8").split())
    stale = [name for name in STATEMENTS if name not in seen and not words[name].search(template)]
    assert not stale and len(seen) >= 0.7 * len(STATEMENTS), (stale, set(STATEMENTS) - seen)


def test_contradictions_are_found_where_they_are():
    parts = page(audited(21))
    other = "No. Among" if parts["verdict 0"].startswith("Nothing") else "Nothing speaks against it in"
    assert contradictions(parts | {"verdict 0": other})
    assert contradictions(parts | {"steps": "Use the scores as they are. Recalibrate the scores."})
    assert spans("about 3 points apart (2 to 5), +12\xa0(+8\xa0to\xa0+15)") == [(3, 2, 5), (12, 8, 15)]


def test_scores_that_are_a_little_too_extreme_are_not_called_fine():
    """Like a boosted model that was tried: slope 1.14, 2,817 rows; bins alone do not tell."""
    rng = np.random.default_rng(1)
    p = expit(rng.normal(-1.2, 1.6, 2817))
    y = (rng.random(p.size) < expit(1.25 * logit(p))).astype(np.int8)
    table = ScoreTable("churn", "y", "p", y, p, pd.DataFrame({"a": rng.normal(size=p.size)}))
    report = audit_scores(table, rng=0)
    assert report.average.is_off and report.average.line.slope_interval[0] > 1 and report.average.low > 0
    assert "Recalibrate the scores." in next_steps(report).index and "too timid" in write(report, "calibration")[1]


def test_a_difference_that_changes_nothing_is_no_advice():
    """Like 165,532 flights: surely off, by a fraction of a point."""
    rng = np.random.default_rng(0)
    p = expit(rng.normal(-1, 1, 150_000))
    y = (rng.random(p.size) < expit(0.04 + 0.99 * clipped_logit(p))).astype(np.int8)
    report = audit_scores(ScoreTable("flights", "y", "p", y, p, pd.DataFrame(index=range(p.size))), rng=0)
    assert report.average.is_off and not report.average.is_worth_mending
    assert not any("Recalibrate" in step for step in next_steps(report).index)
    assert summary(report)["Answer"].iloc[0].startswith("Nearly.")


def test_without_costs_no_money_is_mentioned():
    report = audit_scores(random_table(np.random.default_rng(3)), rng=0)
    texts = [text for part, text in page(report).items() if part != "decisions"]
    assert report.decisions is None and write(report, "decisions") == ["Not judged: the parameter cost is not given."]
    assert not re.search(r"\b(cost|costs|pays|dear|money)\b", " ".join(texts))
    assert not [name for name in report.metrics() if name.startswith(("threshold", "decisions"))]
