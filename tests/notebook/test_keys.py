"""Each number that an exercise's check holds as its key is computed a second time, by another road.

By listing, simulation, a linear program or a search, from the words of the exercise alone: nothing of the lesson and
of `helpers` is used. Keys that a lesson computes itself need none of this. Who writes an exercise with a number as its
key adds a function here.
"""

import ast
from collections import Counter
from fractions import Fraction
from itertools import permutations, product
from math import comb, log
from statistics import pvariance

import nbformat
import numpy as np
import pytest
from rules import kind_of, shelf
from scipy.optimize import brentq, linprog

from helpers.notebook import Check
from helpers.notebook.student import tags

DRAWS = 1_000_000
GRID = np.arange(10_001) / 10_000  # probabilities, or the percentages of one


def first(condition, values=GRID):
    """The first of the values for which a condition holds (a little rounding is forgiven)."""
    return next(value for value in values if condition(value))


def mean_over_pairs(values):
    """The mean product of two different entries: no entry meets its own luck."""
    pairs = list(permutations(values, 2))
    return sum(a * b for a, b in pairs) / len(pairs)


def spread_over_pairs(values, weights):
    """A variance without a mean: half the mean squared distance of two entries that are drawn independently."""
    pairs = product(zip(values, weights, strict=True), repeat=2)
    return sum(v * w * (a - b) ** 2 for (a, v), (b, w) in pairs) / sum(weights) ** 2 / 2


# ---- 00 to 05 ---------------------------------------------------------------------------------------------------


def ada_and_ben():
    """00: half the mean squared distance of the two risks, drawn with repetition."""
    return spread_over_pairs([0.9, 0.5], [1, 1])


def largest_loss_at_80():
    """01: a linear program over the shares of people with each true risk."""
    risk = GRID[GRID >= 0.5]
    best = linprog(-((risk - 0.8) ** 2), A_eq=[np.ones(len(risk)), risk], b_eq=[1, 0.8])
    return -best.fun


def west_of_the_station():
    """01: the risk in the west whose mean with the east is what was stated."""
    return np.array([brentq(lambda west, p=p: (p**2 + west) / 2 - p, -2, 2) for p in (0.1, 0.4, 0.8)])


def four_houses():
    """01: half the mean squared distance of two of the four, drawn with repetition."""
    return spread_over_pairs([0.9, 0.9, 0.6, 0.4], [1, 1, 1, 1])


def two_kinds_told_60():
    return spread_over_pairs([0.4, 0.9], [1, 1])


def better_vendor():
    """02: A and B lose their calibration losses."""
    return min(0.010, 0.035) + 0.150


def after_the_form():
    """02: people whose risks differ by ten points to both sides of 20 % and, a third as many, of 40 %."""
    return pvariance([0.1, 0.3] * 3 + [0.3, 0.5])


def two_regions():
    return spread_over_pairs([0.6, 0.3], [1, 2])


def crossed_pairs():
    """03: mean variance inside {20, 60} and {40, 80}, taken from that of all four."""
    together = pvariance([0.2, 0.4, 0.6, 0.8])
    return together - (pvariance([0.2, 0.6]) + pvariance([0.4, 0.8])) / 2


def eight_people():
    """04: squares of true rates without bias: pairs inside the regions, less pairs of the bin."""
    regions = [1, 1, 1, 0], [1, 0, 0, 0]
    return sum(mean_over_pairs(region) for region in regions) / 2 - mean_over_pairs(sum(regions, []))


def plug_in_of_luck():
    """04: half the mean squared distance of two of 20 rates; one pair in 20 is a region and itself."""
    chance = [comb(25, k) / 2**25 for k in range(26)]
    return 19 / 20 * spread_over_pairs([k / 25 for k in range(26)], chance)


def two_groups():
    """05: the mean product of two different people, in groups of four and of two."""
    return 4 / 6 * mean_over_pairs([0.5, 0.5, 0.5, -0.5]) + 2 / 6 * mean_over_pairs([0.2, 0.2])


def at_least():
    return brentq(lambda distance: distance**2 - 0.01, 0, 1)


# ---- 06 to 12 ---------------------------------------------------------------------------------------------------


def biopsy_from():
    """06: with a biopsy one pays 2 in any case, without it 50 for each cancer."""
    return first(lambda p: 50 * p >= 2)


def her_risk():
    """06: she is left alone at 10 %, though a biopsy would have cost 2."""
    return 0.10 * 50 - min(0.10 * 50, 2)


def ada_ben_cleo():
    """06: what each pays by the score, less the cheaper of leaving (500 times the risk) and enrolling (100)."""
    risks, scores = (0.35, 0.10, 0.12), (0.15, 0.05, 0.25)
    return np.array([(100 if p >= 0.2 else 500 * q) - min(500 * q, 100) for q, p in zip(risks, scores, strict=True)])


def gap_in_standard_errors():
    """07: how far 100 people who were rightly told 20 % stray."""
    return -10 / np.random.default_rng(0).binomial(100, 0.2, DRAWS).std()


def somebody_is_accused():
    return (np.random.default_rng(1).random((DRAWS // 5, 20)).min(axis=1) < 0.05).mean()


def cascade_pays():
    paid = 0
    risks = [20, 8, 12]
    for cents, risk in zip([1, 5, 25], risks, strict=True):
        paid += cents
        if risk <= 5:
            return paid, risks.index(risk) + 1
    return paid, risks.index(min(risks)) + 1


def kept_or_handed_on():
    """08, in per cent and cents: a letter in vain costs 300, a missing one 700, and up to 140 the answer is kept."""
    answers = []
    for small, large in zip([10, 28, 28, 60, 35], [90, 90, 5, 10, 20], strict=True):
        chance = small if min(3 * (100 - small), 7 * small) <= 140 else large
        answers.append(int(7 * chance >= 3 * (100 - chance)))
    return np.array(answers)


def honest_97():
    """09: of 100 such answers 3 are wrong; a look at each would cost 4 mistakes."""
    return min(3, 100 * 0.04) / 100


def half_the_log_odds():
    return brentq(lambda p: 2 * log(p / (1 - p)) - log(0.8 / 0.2), 0.01, 0.99)


def surer():
    """10: what four independent draws that agree agree on."""
    agree = [Fraction(50, 100) ** 4, Fraction(49, 100) ** 4, Fraction(1, 100) ** 4]
    return np.array([float(one / sum(agree)) for one in agree])


def asked_once():
    """11: whichever of the four comes has a share of 1 and a probability of 1/4."""
    return sum(1 - 1 / 4 for _ in range(4)) / 4


def sem2_of_ten_answers():
    winner, _ = Counter(["5", "10", "5", "5", "20"]).most_common(1)[0]
    return Counter(["10", "5", "10", "5", "10"])[winner] / 5


def hundred_questions():
    stated = [95] * 80 + [45] * 20
    right = [1] * 60 + [0] * 20 + [1] * 12 + [0] * 8
    off = {share: sum(100 * r - p for p, r in zip(stated, right, strict=True) if p == share) for share in set(stated)}
    return sum(abs(value) for value in off.values()) / 100 / 100


def booked():
    answers = zip([95, 90, 50, 92, 80], [1, 0, 1, 0, 1], strict=True)
    right = [r for share, r in answers if share >= 90]
    return sum(right) / len(right)


def error_in_three_bins():
    off = Counter()
    for confidence, right in zip([95, 85, 100, 30, 10, 55], [1, 0, 1, 1, 0, 1], strict=True):
        off[first(lambda k, c=confidence: 3 * c < 100 * (k + 1) or k == 2, range(3))] += confidence - 100 * right
    return sum(abs(value) for value in off.values()) / 100 / 6


# ---- 15 to 19 ---------------------------------------------------------------------------------------------------


def both_chunks():
    return mean_over_pairs([0.5, 0.5, 0.3, -0.1])


def rows_for_a_third():
    """15: the first number of rows at which 0.0009 at 10,000 rows has shrunk to 0.0003, by the variance of a mean."""
    variance_of_a_row = Fraction(9) ** 2 * 10_000
    return first(lambda n: variance_of_a_row / n <= 3**2, range(10_000, 200_000, 100))


def three_tokens():
    """16: the product of the probabilities whose logarithms are given."""
    return float(np.prod([brentq(lambda p, ell=ell: log(p) - ell, 0.01, 1) for ell in (-0.105, -0.223, -0.511)]))


def brier_of_twenty():
    """16: in hundredths, 17 answers at a distance of 10 and three at one of 90."""
    return sum((90 - 100 * right) ** 2 for right in [1] * 17 + [0] * 3) / 20 / 100**2


def gap_of_48_in_60():
    """17: how far the number of right answers strays if 48 of 60 are right on average."""
    return (48 - 54) / np.random.default_rng(3).binomial(60, 0.8, DRAWS).std()


def gaps_of_two_kinds():
    """17: hundredths that each answer misses, summed for each kind: a has three answers and b one."""
    missed = {"a": [100 - 90, 0 - 80, 100 - 70], "b": [100 - 60]}
    return np.array([sum(parts) / len(parts) / 100 for parts in missed.values()])


def error_with_families():
    """18: the mean square of a mean, over all pairs of rows of one family; other pairs share no luck."""
    r, family = np.array([0.3, 0.3, -0.7, -0.3]), [1, 1, 2, 3]
    off = [(4 * value - r.sum()) / 4 for value in r]
    together = [off[i] * off[j] for i, j in product(range(4), repeat=2) if family[i] == family[j]]
    return (sum(together) / 4**2) ** 0.5


def right_in_a_row():
    return first(lambda n: Fraction(9, 10) ** n <= Fraction(1, 40), range(1, 100))


def eight_of_ten():
    """19: the first share with which the listed ways to have eight, nine or ten right are more than 2.5 %."""
    return first(lambda share: sum(comb(10, k) * share**k * (1 - share) ** (10 - k) for k in (8, 9, 10)) > 0.025)


def two_of_three_years():
    return mean_over_pairs([0.3, 0.3, -0.7])


def three_of_five_years():
    return mean_over_pairs([0.3, 0.3, -0.7, 0.3, -0.7])


KEYS = {
    "00": {1: ada_and_ben},
    "01": {1: four_houses, 2: west_of_the_station, 3: largest_loss_at_80},
    "02": {1: two_kinds_told_60, 3: better_vendor, 4: after_the_form},
    "03": {1: two_regions, 3: crossed_pairs},
    "04": {1: eight_people, 3: plug_in_of_luck},
    "05": {1: two_groups, 3: at_least},
    "06": {1: biopsy_from, 2: her_risk, 3: ada_ben_cleo},
    "07": {1: gap_in_standard_errors, 3: somebody_is_accused},
    "08": {1: cascade_pays, 2: kept_or_handed_on},
    "09": {1: honest_97},
    "10": {1: half_the_log_odds, 2: surer},
    "11": {1: sem2_of_ten_answers, 2: asked_once},
    "12": {1: hundred_questions, 2: booked, 3: error_in_three_bins},
    "15": {1: rows_for_a_third, 2: both_chunks},
    "16": {1: three_tokens, 3: brier_of_twenty},
    "17": {1: gap_of_48_in_60, 2: gaps_of_two_kinds},
    "18": {2: error_with_families},
    "19": {1: right_in_a_row, 2: eight_of_ten},
    "20": {1: two_of_three_years, 2: three_of_five_years},
}


def literal_keys(notebook):
    """{number of the exercise: its Check} of the checks whose key is written out as numbers."""
    found = {}
    for cell in notebook.cells:
        if "check" not in tags(cell):
            continue
        calls = [node for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.Call)]
        (made,) = [call for call in calls if ast.unparse(call.func) == "Check"]
        names = {node.id for node in ast.walk(made.args[0]) if isinstance(node, ast.Name)}
        if names <= {"np", "abs"}:
            given = {word.arg: ast.unparse(word.value) for word in made.keywords}
            key = eval(ast.unparse(made.args[0]), {"np": np})
            found[int(cell.source.rpartition("check_")[2].partition("(")[0])] = Check(key, eval(given.get("tol", "0")))
    return found


LESSONS = {name[:2]: path for name, path in shelf().items() if kind_of(name) == "lesson"}


@pytest.mark.parametrize("lesson", LESSONS)
def test_each_key_is_what_another_computation_gives(lesson):
    checks = literal_keys(nbformat.read(LESSONS[lesson], as_version=4))
    assert set(checks) == set(KEYS.get(lesson, {})), "each key that is a number, and nothing else, has its computation"
    for number, check in checks.items():
        again = KEYS[lesson][number]()
        assert check.is_right(again), f"exercise {number}: the key is {check.expected}, computed again {again}"


def test_lessons_with_keys_are_there():
    assert set(KEYS) <= set(LESSONS)
