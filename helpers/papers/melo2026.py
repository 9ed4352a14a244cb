"""Melo, Varoquaux and Le Morvan (2026): epistemic uncertainty, to improve decisions from black-box models.

Letters of the paper: y label, f score, c calibrated score, f_star true probability, r = f_star - c what the calibrated
score misses, region the region of each row, Lambda the cost matrix, Lambda[i, j] of deciding i when the truth is j.
Where a function takes r, residuals y - c give the estimate and f_star - c the value in a population whose rows are
equally likely. For a language model that is asked a question, f is P(yes) / (P(yes) + P(no)), section 4.2.

Arguments with a shape are numpy arrays; some functions fail with lists. Lambda may be a list of lists.
"""

import numpy as np
import pandas as pd
from scipy.special import logit
from scipy.stats import t as student
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeRegressor


def section_2_1(y, f):
    r"""Calibrated score of each row: the share of positive labels among all rows with the same score.

    .. math:: c \circ f(X) = E[Y \mid f(X)]

    y, f : (n,) labels, or true probabilities, and scores.

    Ledger: `melo2026.definition1`.

    >>> section_2_1(np.array([1, 0, 1]), np.array([0.2, 0.2, 0.9]))
    array([0.5, 0.5, 1. ])
    """
    return pd.Series(y, dtype=float).groupby(f).transform("mean").to_numpy()


def definition_1(y, f):
    r"""Whether the scores are calibrated: among the rows with score p a share p is positive, for each p.

    .. math:: E[Y \mid f(X) = p] = p

    The two sides count as equal if `numpy.allclose` says so.

    y, f : (n,) labels, or true probabilities, and scores.

    Ledger: `melo2026.definition1`.

    >>> definition_1(np.array([1, 0, 1]), np.array([0.5, 0.5, 1.0]))
    True
    """
    return bool(np.allclose(section_2_1(y, f), f))


def equation_1(f, f_star, d):
    r"""Expected loss of the scores, the left side of equation (1).

    .. math:: E[d_\phi(f(X), Y)]

    f, f_star : (n,) scores and true probabilities. d : function (stated, true), the divergence of a proper score.

    Ledger: `melo2026.equation1`.

    >>> equation_1(np.array([0.5, 0.5]), np.array([0.2, 0.8]), lambda stated, true: (stated - true) ** 2)
    0.25
    """
    return float(np.mean(f_star * d(f, 1) + (1 - f_star) * d(f, 0)))


def theorem_1(f, c, f_star, d):
    r"""Calibration loss, grouping loss and aleatoric loss, the right side of equation (1).

    .. math:: E[d_\phi(f(X), c \circ f(X))], \quad E[d_\phi(c \circ f(X), f^*(X))], \quad E[d_\phi(f^*(X), Y)]

    f, c, f_star : (n,) scores, calibrated scores and true probabilities. d : as in `equation_1`.

    Ledger: `melo2026.theorem1`.

    >>> theorem_1(0.4 * np.ones(2), 0.5 * np.ones(2), np.array([0.2, 0.8]), lambda p, q: (p - q) ** 2).round(2)
    array([0.01, 0.09, 0.16])
    """
    return np.array([np.mean(d(f, c)), np.mean(d(c, f_star)), equation_1(f_star, f_star, d)])


def definition_2(f_star, c):
    r"""Grouping loss of the Brier score: mean square of true probability less calibrated score, first part of (2).

    .. math:: GL = E[(f^*(X) - c \circ f(X))^2]

    f_star, c : (n,) true probabilities and calibrated scores.

    Ledger: `melo2026.definition2`.

    >>> round(definition_2(np.array([0.2, 0.8]), np.array([0.5, 0.5])), 2)
    0.09
    """
    return float(np.mean((f_star - c) ** 2))


def equation_2(f_star, f):
    r"""The same, right side of (2): variance of the true probabilities among rows with one score, averaged over scores.

    .. math:: GL = E_p[V[f^*(X) \mid f(X) = p]]

    f_star, f : (n,) true probabilities and scores, all rows equally likely.

    Ledger: `melo2026.equation2`.

    >>> round(equation_2(np.array([0.2, 0.8, 0.7]), np.array([0.4, 0.4, 0.9])), 2)
    0.06
    """
    scores = pd.Series(f_star).groupby(f)
    return float((scores.size() / len(f) * scores.var(ddof=0)).sum())


def section_2_3(Lambda):
    r"""Threshold from which deciding 1 is best, and the cost gap.

    .. math:: t^* = (\Lambda_{1,0} - \Lambda_{0,0}) / \Lambda_\Delta, \quad
              \Lambda_\Delta = \Lambda_{1,0} + \Lambda_{0,1} - \Lambda_{0,0} - \Lambda_{1,1}

    Mistakes must cost more than right decisions: the rule f* >= t* is best only for a gap above 0. A gap of 0 has no
    threshold, and the division fails; below 0 the rule is the worst one, and equation (7) is negative.

    Lambda : (2, 2) costs, decisions down, truths across.

    Ledger: `melo2026.section2_3`. Strong: `helpers.decisions.optimal_threshold`, `helpers.decisions.cost_gap`.

    >>> section_2_3([[0, 500], [100, 100]])
    (0.2, 500.0)
    """
    (Lambda_00, Lambda_01), (Lambda_10, Lambda_11) = np.asarray(Lambda, float).tolist()
    Lambda_Delta = Lambda_10 + Lambda_01 - Lambda_00 - Lambda_11
    return (Lambda_10 - Lambda_00) / Lambda_Delta, Lambda_Delta


def section_2_3_expected_cost(delta, f_star, Lambda):
    r"""Expected cost of the decision about each row.

    .. math:: EC(\delta, x) = (1 - f^*(x)) \Lambda_{\delta(x), 0} + f^*(x) \Lambda_{\delta(x), 1}

    delta, f_star : (n,) decisions 0 or 1, and true probabilities. Lambda : (2, 2) costs.

    Ledger: `melo2026.section2_3`. Strong: `helpers.decisions.expected_cost`.

    >>> section_2_3_expected_cost(np.array([0, 1]), np.array([0.25, 0.25]), [[0, 4], [1, 0]])
    array([1.  , 0.75])
    """
    if_0, if_1 = np.asarray(Lambda, float)[np.asarray(delta, int)].T
    return (1 - f_star) * if_0 + f_star * if_1


def proposition_1(f, f_star, t, Lambda):
    r"""Excess decision risk: what deciding by the scores costs more than deciding by the truth, on average.

    .. math:: R_f = E[EC(\delta_{f,t}, x) - EC(\delta_{f^*,t^*}, x)]

    It is the left side of equation (3), the sum of the two parts of `equation_3`.

    f, f_star : (n,) scores and true probabilities. t : threshold in use. Lambda : (2, 2) costs.

    Ledger: `melo2026.proposition1`.

    >>> round(proposition_1(np.array([0.25, 0.25]), np.array([0.12, 0.3]), 0.2, [[0, 500], [100, 100]]), 6)
    20.0
    """
    return float(np.mean(proposition_5(f_star, f, t, Lambda)))


def equation_3(f, c, f_star, t, Lambda):
    r"""Parts of the excess decision risk that come from miscalibration and from grouping: the right side of (3).

    .. math:: R_f^{CL} = E[EC(\delta_{f,t}, x) - EC(\delta_{c \circ f,t^*}, x)], \quad
              R_f^{GL} = E[EC(\delta_{c \circ f,t^*}, x) - EC(\delta_{f^*,t^*}, x)]

    f, c, f_star : (n,) scores, calibrated scores, true probabilities. t : threshold in use. Lambda : (2, 2) costs.

    Ledger: `melo2026.equation3`.

    >>> f_star, score = np.array([0.12, 0.3]), np.array([0.25, 0.25])
    >>> calibration, grouping = equation_3(score, np.array([0.21, 0.21]), f_star, 0.2, [[0, 500], [100, 100]])
    >>> round(calibration, 6), round(grouping, 6)
    (0.0, 20.0)
    """
    t_star, _ = section_2_3(Lambda)
    by_f, by_c, best = (
        section_2_3_expected_cost(decision, f_star, Lambda).mean()
        for decision in (f >= t, c >= t_star, f_star >= t_star)
    )
    return float(by_f - by_c), float(by_c - best)


def equation_4(r, region):
    r"""Population partitioning estimate: each row gets the mean of r in its region.

    .. math:: r_{\mathcal L}^*(X) = \sum_j r_j^* 1_{X \in \mathcal L_j}, \quad r_j^* = E[R \mid X \in \mathcal L_j]

    r, region : (n,) r of a population whose rows are equally likely, and regions.

    Ledger: `melo2026.equation4`.

    >>> equation_4(np.array([0.1, 0.3, -0.2]), np.array([0, 0, 1]))
    array([ 0.2,  0.2, -0.2])
    """
    return pd.Series(r).groupby(region).transform("mean").to_numpy()


def equation_5(r, region, new_region):
    r"""Sample partitioning estimate: each new row gets the mean residual of the evaluation rows in its region.

    .. math:: \hat r(X) = \sum_j \hat r_j 1_{X \in \mathcal L_j}, \quad
              \hat r_j = \frac{1}{n_j} \sum_{X_i \in \mathcal L_j} R_i

    A region without evaluation rows has no mean; it gets 0. This is ours: appendix A.2 sets p_j r_j to 0, not r_j.

    r, region : (n,) residuals y - c and regions of the evaluation rows. new_region : (m,) regions of new rows.

    Ledger: `melo2026.equation5`. Strong: `helpers.partition.HonestTree.estimate_regions`.

    >>> equation_5(np.array([0.5, -0.1, -0.2]), np.array([0, 0, 1]), np.array([0, 1, 2]))
    array([ 0.2, -0.2,  0. ])
    """
    return pd.Series(r).groupby(region).mean().reindex(new_region).fillna(0.0).to_numpy()


def proposition_2(r, region):
    r"""Part of the grouping loss that a partition captures: a lower bound, reached if r is constant in each region.

    .. math:: GL_{lb}(\mathcal L) = \sum_j p_j r_j^{*2} \le GL

    r, region : (n,) f_star - c of a population whose rows are equally likely, and regions.

    Ledger: `melo2026.proposition2`. Strong: `helpers.grouping.captured_loss`.

    >>> round(proposition_2(np.array([0.1, 0.3, -0.2, -0.2]), np.array([0, 0, 1, 1])), 4)
    0.04
    """
    return float(np.mean(equation_4(r, region) ** 2))


def equation_6(r, region):
    r"""Debiased lower bound of the grouping loss that a fixed partition captures.

    .. math:: \widehat{GL}_{lb} = \sum_j \hat p_j \left(\hat r_j^2 - \hat v_j / n_j\right)

    A region of one row has no variance and adds nothing, but the row counts in n. The bound may be below 0.

    r, region : (n,) residuals y - c of rows that did not choose the regions, and their regions.

    Ledger: `melo2026.equation6`. Strong: `helpers.grouping.grouping_loss_from_regions`.

    >>> equation_6(np.array([0.5, 0.5, 0.3, -0.3, 0.9]), np.array([0, 0, 1, 1, 2]))
    0.064
    """
    regions = pd.Series(r).groupby(region)
    n_j, r_j, v_j = regions.size(), regions.mean(), regions.var()
    return float((n_j / len(r) * (r_j**2 - v_j / n_j)).sum())


def proposition_3(f_star, c, region, n):
    r"""Mean of equation (6) over samples of n rows: the captured part, less what regions of a single row lose.

    .. math:: E[\widehat{GL}_{lb}] = \sum_j p_j \left(1 - (1 - p_j)^{n-1}\right) r_j^{*2}

    (1 - p_j)^(n-1) is the chance that a row of region j is alone there. The exact mean is ours: the paper sets
    (1 - p_j)^n, the chance that the region is empty, to 0 and calls equation (6) debiased.

    f_star, c, region : (N,) of a population whose rows are equally likely. n : rows of the sample.

    Ledger: `melo2026.proposition3`.

    >>> proposition_3(np.array([0.5, 1.0]), np.array([0.5, 0.5]), np.array([0, 1]), 2)
    0.0625
    """
    p_j, r_j, _ = _population(f_star, c, region)
    return float((p_j * (1 - (1 - p_j) ** (n - 1)) * r_j**2).sum())


def section_3_1(y, f, c, region):
    r"""Grouping loss plus calibration loss, said to be a lower bound of the epistemic loss.

    .. math:: \widehat{GL}_{lb} + E[(f(X) - c \circ f(X))^2]

    It is one where the calibrator fits. With an estimated c that does not, the cross term 2 E(f - c)(c - f*) may be
    negative and the sum too large (ledger: differs).

    y, f, c, region : (n,) labels, scores, calibrated scores, regions.

    Ledger: `melo2026.section3_1`.

    >>> section_3_1(np.array([1, 1]), np.array([0.25, 0.25]), np.array([0.5, 0.5]), np.array([0, 0]))
    0.3125
    """
    return equation_6(y - c, region) + float(np.mean((f - c) ** 2))


def proposition_5(f_star, f, t, Lambda):
    r"""Risk of each decision, the left side of equation (7): its expected cost less that of the best decision.

    .. math:: R_f(x) = EC(\delta_{f,t}, x) - EC(\delta_{f^*,t^*}, x)

    f_star, f : (n,) true probabilities and scores. t : threshold in use. Lambda : (2, 2) costs.

    Ledger: `melo2026.proposition5`. Strong: `helpers.decisions.oracle_risk`.

    >>> proposition_5(np.array([0.35, 0.1, 0.12]), np.array([0.15, 0.05, 0.25]), 0.2, [[0, 500], [100, 100]]).round(6)
    array([75.,  0., 40.])
    """
    t_star, _ = section_2_3(Lambda)
    cost = section_2_3_expected_cost(f >= t, f_star, Lambda)
    return cost - section_2_3_expected_cost(f_star >= t_star, f_star, Lambda)


def equation_7(f_star, f, t, Lambda):
    r"""Oracle risk of each decision, in closed form: the gap times the distance of the truth from t*, if it is wrong.

    .. math:: R_f(X) = \Lambda_\Delta |f^*(X) - t^*| \text{ if } 1_{f^*(X) \ge t^*} \ne 1_{f(X) \ge t},
              \text{ else } 0

    A score at its threshold decides 1.

    f_star, f : (n,) true probabilities and scores. t : threshold in use. Lambda : (2, 2) costs.

    Ledger: `melo2026.equation7`. Strong: `helpers.decisions.oracle_risk`.

    >>> equation_7(np.array([0.35, 0.1, 0.12]), np.array([0.15, 0.05, 0.25]), 0.2, [[0, 500], [100, 100]]).round(6)
    array([75.,  0., 40.])
    """
    t_star, Lambda_Delta = section_2_3(Lambda)
    differ = (f_star >= t_star) != (f >= t)
    return np.where(differ, Lambda_Delta * np.abs(f_star - t_star), 0.0)


def proposition_6(r, r_hat, Lambda):
    r"""Bound of the error of each estimated risk: the cost gap times the error of the region's mean.

    .. math:: |R_f(X) - \hat R_{f,\mathcal L}(X)| \le |\Lambda_\Delta| \, |r(X) - \hat r_j|

    r, r_hat : (n,) f_star - c, and the means of the rows' regions. Lambda : (2, 2) costs.

    Ledger: `melo2026.proposition6`.

    >>> proposition_6(np.array([0.25]), np.array([0.125]), [[0, 1], [1, 0]])
    array([0.25])
    """
    _, Lambda_Delta = section_2_3(Lambda)
    return np.abs(Lambda_Delta) * np.abs(r - r_hat)


def equation_8(c, r_hat, f, t, Lambda):
    r"""Estimated risk of each decision: equation (7) with calibrated score plus region mean in the place of the truth.

    .. math:: \hat R_{f,\mathcal L}(X) = \Lambda_\Delta |c \circ f(X) + \hat r(X) - t^*|
              \text{ if } 1_{c \circ f(X) + \hat r(X) \ge t^*} \ne 1_{f(X) \ge t}, \text{ else } 0

    The sum may leave [0, 1]; it is not clipped.

    c, r_hat, f : (n,) calibrated scores, region means, scores. t : threshold in use. Lambda : (2, 2) costs.

    Ledger: `melo2026.equation8`. Strong: `helpers.decisions.RiskEstimator`, `helpers.decisions.excess_risk`.

    >>> equation_8(np.array([0.57]), np.array([-0.28]), np.array([0.76]), 0.5, [[0, 200], [200, 0]]).round(6)
    array([84.])
    """
    return equation_7(c + r_hat, f, t, Lambda)


def proposition_7(r, r_hat, Lambda):
    r"""Bound of the mean squared error of the estimated risks, which goes to 0 if the region means are consistent.

    .. math:: E[|\hat R_{f,\mathcal L}(X) - R_f(X)|^2] \le \Lambda_\Delta^2 \, E[(r(X) - \hat r(X))^2]

    This is equation (95); the limit itself has no formula.

    r, r_hat : (n,) f_star - c, and the means of the rows' regions. Lambda : (2, 2) costs.

    Ledger: `melo2026.proposition7`.

    >>> proposition_7(np.array([0.5, 0.0]), np.array([0.25, 0.25]), [[0, 1], [1, 0]])
    0.25
    """
    _, Lambda_Delta = section_2_3(Lambda)
    return float(Lambda_Delta**2 * np.mean((r - r_hat) ** 2))


def section_3_3(n, rng):
    r"""Rows that calibrate (10 %), choose the regions (40 %) and evaluate (50 %), at random.

    .. math:: n_{cal} = \lfloor n / 10 \rfloor, \quad n_{cal} + n_{fit} = \lfloor n / 2 \rfloor

    The paper gives the percentages; the rounding is ours.

    n : rows. rng : Generator.

    Ledger: `melo2026.section3_3`. Strong: `helpers.partition.split_rows`.

    >>> [len(rows) for rows in section_3_3(20, np.random.default_rng(0))]
    [2, 8, 10]
    """
    return np.split(rng.permutation(n), [n // 10, n // 2])


def section_3_3_platt(f, y):
    r"""Platt scaling: the function from scores to calibrated scores that a logistic regression without penalty learns.

    .. math:: c(f) = 1 / (1 + \exp(-a \log\frac{f}{1 - f} - b))

    The paper does not say what the regression is given, nor of a penalty: log-odds, on which a perfect score is left as
    it is, and no penalty are ours. No score may be 0 or 1. If the scores separate the labels, a has no finite value,
    and c is 0 or 1, nearly, wherever the solver stops.

    f, y : (n,) scores and labels.

    Ledger: `melo2026.section3_3`. Strong: `helpers.calibration.PlattCalibrator`.

    >>> f, y = np.array([0.2, 0.2, 0.2, 0.8, 0.8, 0.8]), np.array([1, 0, 0, 1, 1, 0])
    >>> section_3_3_platt(f, y)(np.array([0.2, 0.5, 0.8])).round(3)
    array([0.333, 0.5  , 0.667])
    """
    curve = LogisticRegression(C=np.inf, tol=1e-8).fit(logit(f)[:, None], y)
    return lambda f: curve.predict_proba(logit(f)[:, None])[:, 1]


def section_4_2_audit(y, f, region):
    r"""Stated and observed rates of each region, their difference, and its p-values.

    .. math:: gap_j = \frac{1}{n_j} \sum_{X_i \in \mathcal L_j} (y_i - f_i), \quad
              se_j^2 = \max\left(\hat v_j, \tfrac{1}{n_j} \sum f_i (1 - f_i)\right) / n_j

    The regions are the leaves of an honest tree, as in figure 1, and the rows those that evaluate it. A gap below 0 is
    over-confidence. Section 4.2 speaks of gaps "even after calibration": for these give c for f. Standard error,
    Student's test and Holm's adjustment are ours. A region of one row has no variance: the stated one stands alone.
    Where the scores are 0 or 1 and all right, gap and standard error are 0, and p is 1.

    y, f, region : (n,) labels, scores (or calibrated scores), regions. Gives a row for each region, with the columns
    stated, observed, n, gap, p (of the region alone) and adjusted (p for all regions together).

    Ledger: `melo2026.section4_2`, `ours.audit_by_hand`. Strong: `helpers.audit.measure_groups`.

    >>> section_4_2_audit(np.array([1, 0, 0, 0]), np.full(4, 0.5), np.array([0, 0, 1, 1]))[["observed", "gap"]]
       observed  gap
    0       0.5  0.0
    1       0.0 -0.5
    """
    rows = pd.DataFrame({"stated": f, "observed": y, "R": y - f, "expected": f * (1 - f)}).groupby(region)
    audit = rows[["stated", "observed"]].mean().assign(n=rows.size(), gap=rows["R"].mean())
    se = np.sqrt(np.fmax(rows["R"].var(), rows["expected"].mean()) / audit["n"])
    ratio = (np.abs(audit["gap"]) / se).fillna(0.0)
    audit["p"] = 2 * student.sf(ratio, np.maximum(audit["n"] - 1, 1))
    return audit.assign(adjusted=section_4_2_holm(audit["p"].to_numpy()))


def section_4_2_holm(p):
    r"""Holm's adjusted p-values, for all regions of an audit together (ours; the paper tests nothing).

    .. math:: \tilde p_k = \min\left(1, \max_{p_j \le p_k} p_j \cdot |\{i : p_i \ge p_j\}|\right)

    Equal p-values have equal adjusted ones.

    p : (m,) p-values.

    Ledger: `ours.audit_by_hand`. Strong: `helpers.audit.holm`.

    >>> section_4_2_holm(np.array([0.04, 0.01, 0.5]))
    array([0.08, 0.03, 0.5 ])
    """
    product = p * (p >= p[:, None]).sum(axis=1)
    return np.array([min(1.0, product[p <= p_k].max()) for p_k in p])


def section_4_2_joint_test(r, member, family, n_draws, rng):
    r"""Standardised gaps of given subgroups, and the largest in drawn tables without misjudged ones (ours).

    .. math:: z_S = \sum_g s_g \Big/ \Big(\sum_g s_g^2\Big)^{1/2}, \quad s_g = \sum_{i \in g} r_i (m_{iS} - \bar m_S)

    The paper names groups and tests none. A drawn table keeps or turns the sign of a whole family, by a coin; z is
    significant if the largest |z| is as large in at most 5 % of the draws. Centring m takes off the mean residual.

    r, family : (n,) residuals y - c, and the family of each row. member : (n, S) 1 for members, 0 for others.
    n_draws, rng : tables drawn, and a Generator. Gives (S,) z and (n_draws,) largest |z|.

    Ledger: `melo2026.section4_2`. Strong: `helpers.audit.search_segments`.

    >>> r, member = np.array([0.5, 0.5, -0.5, -0.5]), np.array([[1], [1], [0], [0]])
    >>> z, largest = section_4_2_joint_test(r, member, np.arange(4), 8, np.random.default_rng(0))
    >>> z, largest
    (array([2.]), array([1., 2., 1., 2., 2., 0., 0., 1.]))
    """
    sums = pd.DataFrame(r[:, None] * (member - member.mean(axis=0))).groupby(family).sum().to_numpy()
    spread = np.sqrt((sums**2).sum(axis=0))
    coins = rng.choice([-1, 1], (n_draws, len(sums)))
    return sums.sum(axis=0) / spread, np.abs(coins @ sums / spread).max(axis=1)


def section_4_3_accuracy(correct, X, X_new):
    r"""Predicted accuracy of one model for new questions: the leaf means of a tree on past questions.

    .. math:: Acc_m(x) = \frac{1}{n_j} \sum_{X_i \in \mathcal L_j} correct_i, \quad x \in \mathcal L_j

    The tree has the settings of the risk estimator. That its leaves are valued by the rows that chose them is our
    reading; the paper does not say that they are honest.

    correct, X, X_new : (n,) whether the model was right, (n, d) and (m, d) features.

    Ledger: `melo2026.section4_3router`. Strong: `helpers.routing.TreeRouter`.

    >>> X = np.arange(40.0)[:, None]
    >>> section_4_3_accuracy(X[:, 0] < 20, X, np.array([[5.0], [35.0]]))
    array([1., 0.])
    """
    return DecisionTreeRegressor(min_samples_leaf=15, random_state=0).fit(X, correct).predict(X_new)


def section_4_3_router(Acc, cost, lambda_):
    r"""Predictive router: the model to ask about one question, before any is asked, and what is paid.

    .. math:: \arg\max_m \lambda Acc_m(x) - cost_m

    Of equal models the first, in order of cost (ours).

    Acc, cost : (m,) predicted accuracies and prices. lambda_ : willingness to pay for a right answer.

    Ledger: `melo2026.section4_3router`. Strong: `helpers.routing.route`.

    >>> section_4_3_router(np.array([0.7, 0.76, 0.8]), np.array([1, 5, 25]), 200)
    (1, 5.0)
    """
    m = int(np.argmax(lambda_ * Acc - cost))
    return m, float(cost[m])


def appendix_a_2(f_star, c, region, n):
    r"""Bias of the plug-in, the sum of squared region means without the correction of equation (6).

    .. math:: E\Big[\sum_j \hat p_j \hat r_j^2\Big] - GL_{lb} = \frac1n \sum_j (1 - \nu_j) V[Y - c \circ f(X) \mid
              \mathcal L_j], \quad \nu_j = (1 - p_j)^n

    The last line of the paper's derivation prints n_j for n p_j.

    f_star, c, region : (N,) of a population whose rows are equally likely. n : rows of the sample.

    Ledger: `melo2026.proposition3`.

    >>> appendix_a_2(np.array([0.5, 1.0]), np.array([0.5, 0.5]), np.array([0, 1]), 2)
    0.09375
    """
    p_j, _, v_j = _population(f_star, c, region)
    return float(((1 - (1 - p_j) ** n) * v_j).sum() / n)


def _population(f_star, c, region):
    """Share of each region, and mean and variance of y - c in it."""
    r = f_star - c
    rows = pd.DataFrame({"r": r, "square": f_star * (1 - f_star) + r**2}).groupby(region)
    r_j = rows["r"].mean()
    return rows.size() / len(r), r_j, rows["square"].mean() - r_j**2


def lemma_1(r, r_hat):
    r"""Distance of the expected square of the estimate, (22) to (24), from the grouping loss, and its bound (28).

    .. math:: \left|GL - E[\hat r(X)^2]\right| \le 2 \left(E[(r(X) - \hat r(X))^2]\right)^{1/2}

    The bound is the root of (28). It goes to 0 if the region means are consistent.

    r, r_hat : (n,) f_star - c, and the means of the rows' regions.

    Ledger: `melo2026.lemma1`.

    >>> lemma_1(np.array([0.5, -0.5]), np.array([0.25, -0.25]))
    (0.1875, 0.5)
    """
    distance = np.abs(np.mean(r**2) - np.mean(r_hat**2))
    return float(distance), float(2 * np.sqrt(np.mean((r - r_hat) ** 2)))


def equation_32(r, region):
    r"""What the correction of equation (6) takes off: the sum of the regions' variances over n.

    .. math:: \frac1n \sum_j \hat v_j \le \frac{J}{n}

    The paper holds each variance to be at most 1. With Bessel's correction it may be up to 2 (ledger: differs), so (32)
    can fail for one sample. Its mean cannot, since E v_j is at most V[Y - c] in the region, at most 1: (38) and (40)
    stand as printed. A region of one row adds nothing.

    r, region : (n,) residuals y - c and regions.

    Ledger: `melo2026.equation32`.

    >>> round(equation_32(np.array([0.9, -0.9]), np.array([0, 0])), 6)
    0.81
    """
    return float(pd.Series(r).groupby(region).var().sum() / len(r))


def lemma_2(p, n):
    r"""Bound (38) of the mean distance between equation (6) and the expected square of the estimate.

    .. math:: E\left|GL_{lb}(\mathcal L, \mathcal D) - \widehat{GL}_{lb}\right|
              \le \sum_j \sqrt{\frac{p_j (1 - p_j)}{n}} + \frac{J}{n}

    J/n bounds the mean of `equation_32`, which may exceed it in one sample.

    p : (J,) probabilities of the regions. n : evaluation rows.

    Ledger: `melo2026.lemma2`.

    >>> lemma_2(np.array([0.5, 0.5]), 64)
    0.15625
    """
    return float(np.sqrt(p * (1 - p) / n).sum() + len(p) / n)


def equation_40(J, n):
    r"""Bound (38) without the probabilities: it goes to 0 if the regions grow more slowly in number than root n.

    .. math:: \frac{3 J}{2 \sqrt n}

    J, n : number of regions, of evaluation rows.

    Ledger: `melo2026.lemma2`.

    >>> equation_40(2, 100)
    0.3
    """
    return float(3 * J / (2 * np.sqrt(n)))


def corollary_b_4_recalled(delta_1, delta_2, f_star, Lambda):
    r"""What the second of two decision rules costs more than the first, for each row.

    B.4 is its number in Perez-Lebel et al. (2025), which appendix A.4 recalls; equation (42) uses it.

    .. math:: EC(\delta_2, x) - EC(\delta_1, x) = \Lambda_\Delta (\delta_1(x) - \delta_2(x)) (f^*(x) - t^*)

    delta_1, delta_2, f_star : (n,) decisions 0 or 1, and true probabilities. Lambda : (2, 2) costs.

    Ledger: `melo2026.corollaryb_4recalled`.

    >>> corollary_b_4_recalled(np.array([1]), np.array([0]), np.array([0.75]), [[0, 1], [1, 0]])
    array([0.5])
    """
    t_star, Lambda_Delta = section_2_3(Lambda)
    return Lambda_Delta * (np.asarray(delta_1, int) - np.asarray(delta_2, int)) * (f_star - t_star)


def lemma_3(f_star, c, g, f, t, Lambda):
    r"""Error of the risk that any function g of the regions gives; never above `proposition_6` with g for r_hat.

    .. math:: \Delta R_f(g, X) = |R_f(X) - R_{f,g}(X)| \le |\Lambda_\Delta| \, |r(X) - g(X)|

    R_{f,g}, equation (52), is `equation_8` with g for r_hat.

    f_star, c, g, f : (n,) true probabilities, calibrated scores, g, scores. t : threshold in use. Lambda : (2, 2).

    Ledger: `melo2026.lemma3`.

    >>> lemma_3(np.array([0.75]), np.array([0.5]), np.array([0.125]), np.array([0.25]), 0.5, [[0, 1], [1, 0]])
    array([0.25])
    """
    return np.abs(equation_7(f_star, f, t, Lambda) - equation_8(c, g, f, t, Lambda))


def equation_93(r, region, Lambda):
    r"""Bound of the mean error of the estimated risks in each region, when its true mean stands for r_hat.

    .. math:: E[\Delta R_f(r_{\mathcal L}^*, X) \mid X \in \mathcal L_j]
              \le |\Lambda_\Delta| \sqrt{V[r(X) \mid \mathcal L_j]}

    r, region : (n,) f_star - c and regions. Lambda : (2, 2) costs. Gives (J,), regions in ascending order.

    Ledger: `melo2026.equation93`.

    >>> equation_93(np.array([0.25, 0.75, 0.1]), np.array([0, 0, 1]), [[0, 1], [1, 0]])
    array([0.5, 0. ])
    """
    _, Lambda_Delta = section_2_3(Lambda)
    return np.abs(Lambda_Delta) * pd.Series(r).groupby(region).std(ddof=0).to_numpy()


def proposition_8(c, f, t, Lambda):
    r"""Calibration risk of each score: equation (7) with the calibrated score in the place of the truth, (97).

    .. math:: R_f^{CL}(f(x)) = \Lambda_\Delta |c \circ f(x) - t^*|
              \text{ if } 1_{c \circ f(x) \ge t^*} \ne 1_{f(x) \ge t}, \text{ else } 0

    It is what recalibration saves on average over the rows with one score; some of them may lose.

    c, f : (n,) calibrated scores and scores. t : threshold in use. Lambda : (2, 2) costs.

    Ledger: `melo2026.proposition8`. Strong: `helpers.decisions.calibration_risk`.

    >>> proposition_8(np.array([0.25]), np.array([0.75]), 0.5, [[0, 1], [1, 0]])
    array([0.5])
    """
    return equation_7(c, f, t, Lambda)


def algorithm_1(y, f, X, calibrate, fit, evaluate):
    r"""Honest tree: one part of the rows calibrates, one chooses the regions, one gives each region its mean.

    .. math:: \hat r_j = \frac{\sum_{i \in eval} 1_{X_i \in \mathcal L_j} (Y_i - c \circ f(X_i))}
              {\sum_{i \in eval} 1_{X_i \in \mathcal L_j}}

    The tree is as deep as 15 rows a leaf allow. A leaf without evaluation rows has the mean 0, which is ours.

    y, f, X : (n,) labels, (n,) scores inside (0, 1), (n, d) features. calibrate, fit, evaluate : their rows, as from
    `section_3_3`. Gives the calibrator, a function of scores, and the tree: `apply` has the region of a row, `predict`
    the mean of its region.

    Ledger: `melo2026.algorithm1`. Strong: `helpers.grouping.grouping_loss` with method "paper",
    `helpers.decisions.RiskEstimator` with method "paper".

    >>> rng = np.random.default_rng(0)
    >>> X, f = rng.random((1000, 1)), np.full(1000, 0.5)
    >>> y = (X[:, 0] > 0.5).astype(int)
    >>> c, tree = algorithm_1(y, f, X, *section_3_3(1000, rng))
    >>> (c(np.array([0.5])) + tree.predict([[0.1], [0.9]])).round(1)
    array([0., 1.])
    """
    c = section_3_3_platt(f[calibrate], y[calibrate])
    r = y - c(f)
    tree = DecisionTreeRegressor(min_samples_leaf=15, random_state=0).fit(X[fit], r[fit])
    nodes = np.arange(tree.tree_.node_count)
    tree.tree_.value[:, 0, 0] = equation_5(r[evaluate], tree.apply(X[evaluate]), nodes)
    return c, tree


def appendix_b_4(model, X, y, X_new, rng):
    r"""Semi-synthetic rows: what a model has learned from real ones is called the truth, and labels are drawn from it.

    .. math:: Y \sim \mathcal B(f^*(X))

    model : scikit-learn classifier. X, y : half of the real test rows. X_new : features of the other half.
    rng : Generator. Gives f_star and labels of the other half.

    Ledger: `melo2026.appendixb_4`.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = np.array([[0.0], [1.0]] * 30), np.array([0, 1] * 30)
    >>> f_star, drawn = appendix_b_4(GaussianNB(), X, y, X[:4], np.random.default_rng(0))
    >>> f_star, drawn
    (array([0., 1., 0., 1.]), array([0, 1, 0, 1]))
    """
    f_star = model.fit(X, y).predict_proba(X_new)[:, 1]
    return f_star, rng.binomial(1, f_star)


def appendix_b_6(R, cost, tau, smaller=np.less):
    r"""Risk cascade for one question: whose answer is used, and what is paid for all models asked.

    .. math:: m = \min\{m : \hat R_m < \tau\}, \text{ else } \arg\min_m \hat R_m; \quad
              paid = \sum_{k \le m} cost_k, \text{ else } \sum_k cost_k

    The paper prints "smaller than tau". At tau = 0, where its cascades stand, no risk is smaller, and everybody would
    pay for every model. "At most" works: `smaller=np.less_equal`, as in the strong twin (ledger: differs; the two
    readings are the same unless a risk is exactly tau). Of equal lowest risks the first (ours).

    R, cost : (m,) estimated risks and prices, in order of cost. tau : risk that is accepted. smaller : the comparison.

    Ledger: `melo2026.appendixb_6`. Strong: `helpers.routing.cascade`.

    >>> R, cost = np.array([20, 8, 12]), np.array([1, 5, 25])
    >>> appendix_b_6(R, cost, 10), appendix_b_6(R, cost, 5)
    ((1, 6.0), (1, 31.0))
    """
    for m, risk in enumerate(R):
        if smaller(risk, tau):
            return m, float(sum(cost[: m + 1]))
    return int(np.argmin(R)), float(sum(cost))


def definition_4(c, r_hat, Lambda):
    r"""Grouping risk of each decision by the calibrated score: equation (7) of c, with c + r_hat for the truth, (98).

    .. math:: \hat R_f^{GL}(X) = \Lambda_\Delta |c \circ f(X) + \hat r(X) - t^*|
              \text{ if } 1_{c \circ f(X) + \hat r(X) \ge t^*} \ne 1_{c \circ f(X) \ge t^*}, \text{ else } 0

    c, r_hat : (n,) calibrated scores and region means. Lambda : (2, 2) costs.

    Ledger: `melo2026.definition4`. Strong: `helpers.decisions.grouping_risk`.

    >>> definition_4(np.array([0.625]), np.array([-0.375]), [[0, 1], [1, 0]])
    array([0.5])
    """
    t_star, _ = section_2_3(Lambda)
    return equation_8(c, r_hat, c, t_star, Lambda)


def appendix_c_2(GL):
    r"""Largest mean absolute distance of the true probabilities from the calibrated scores that a grouping loss allows.

    .. math:: E|f^*(X) - c \circ f(X)| \le \sqrt{GL}

    The paper prints one value, "0.1 or less" for 0.01; the root is ours. It is reached if everybody is off by as much;
    single people may be off by more.

    GL : grouping loss.

    Ledger: `melo2026.appendixc_2`.

    >>> appendix_c_2(0.01)
    0.1
    """
    return float(np.sqrt(GL))


def appendix_c_5(f, cost, t):
    r"""Confidence cascade for one question: whose answer is used, and what is paid for all models asked.

    .. math:: m = \min\{m : f_m > t \text{ or } 1 - f_m > t\}, \text{ else the last}; \quad
              paid = \sum_{k \le m} cost_k

    A score exactly at the threshold goes on. That the last model answers if no score exceeds it is ours.

    f, cost : (m,) scores and prices, in order of cost. t : threshold, above 1/2, which the paper calls c here.

    Ledger: `melo2026.appendixc_5`. Strong: `helpers.routing.confidence_cascade`.

    >>> appendix_c_5(np.array([0.6, 0.05, 0.7]), np.array([1, 5, 25]), 0.8)
    (1, 6.0)
    """
    for m, score in enumerate(f):
        if score > t or 1 - score > t:
            return m, float(sum(cost[: m + 1]))
    return len(f) - 1, float(sum(cost))


NOT_COMPUTED = {
    "definition_3": "Its two estimates are equations 4 and 5.",
    "proposition_4": "A limit: lemmas 1 and 2 have the bounds from which it follows.",
    "theorem_4_2_recalled": "A limit: when partitioning estimates are consistent, without a rate. Assumptions 1 to 3 "
    "of appendix A.7 and J/n <= 1 / min n_j bring honest trees under it.",
}
