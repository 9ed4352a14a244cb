r"""Estienne, Ernst, Vera, Piantanida and Ferrer (2026): ECUAS_n, costs of systems that may abstain.

The paper's letters: y class, d decision, q stated probabilities, C the cost of decision d when the truth is y, as a
table C[y, d], u the uncertainty (the stated expected cost of the best decision), u_M the largest it can be, gamma the
cost of a refusal, n the exponent of the family. `incurred` is what the best decision turned out to cost, which the
paper writes as C(y, d_B(q)): for the 0-1 cost 1 where the answer is wrong. Of decisions that are equally cheap the
first is taken; the paper leaves that open. A refusal is the decision -1. Costs are compared as floats: 1 - 0.7 is above
0.3.

`helpers.decisions` and `helpers.selective` have the cost table the other way round, cost[d, y].
"""

import numpy as np
import pandas as pd
from scipy.integrate import quad
from scipy.optimize import linprog, minimize
from scipy.special import log_softmax, softmax, xlogy


def equation_1(C, gamma, y, d):
    r"""Cost of each decision: the task's own if an answer is given, gamma for a refusal.

    .. math:: C_\gamma(y, d) = \tilde C(y, d) \text{ if } d \in \tilde D, \quad \gamma \text{ if } d = d_r

    C : (K, D). gamma : number. y, d : (N,) classes and decisions, -1 a refusal.

    Ledger: `ecuas2026.equation1`. For the 0-1 cost: `helpers.selective.chow_cost`.

    >>> equation_1(np.array([[0, 1], [5, 0]]), 0.5, np.array([1, 1, 0]), np.array([0, -1, 0]))
    array([5. , 0.5, 0. ])
    """
    d = np.asarray(d)
    return np.where(d == -1, gamma, np.asarray(C)[y, d])


equation_12 = equation_1


def equation_2(incurred, accepted, gamma):
    r"""Mean cost from selective risk R and coverage phi.

    .. math:: E[C_\gamma] = R_\gamma \phi_\gamma + \gamma (1 - \phi_\gamma)

    incurred, accepted : (N,) cost of each answer, and whether it is given. gamma : number. Gives (mean cost, R, phi).
    Without an answer R is not a number, and the cost is gamma.

    Ledger: `ecuas2026.equation2`. At many gamma: `helpers.selective.expected_cost_at`.

    >>> equation_2(np.array([0, 1, 1]), np.array([True, True, False]), 0.25)
    (0.41666666666666663, 0.5, 0.6666666666666666)
    """
    incurred, accepted = np.asarray(incurred, float), np.asarray(accepted, bool)
    phi = accepted.mean()
    R = incurred[accepted].mean() if accepted.any() else np.nan
    return float(np.where(phi > 0, R * phi, 0) + gamma * (1 - phi)), float(R), float(phi)


def equation_3(C, q):
    r"""Bayes decision: the cheapest in expectation.

    .. math:: d_B(q) \in \arg\min_d E_{y \sim q}[C(y, d)]

    C : (K, D). q : (N, K) rows that sum to 1. Gives (N,) decisions.

    The paper has C_gamma here, whose decisions include the refusal: append a column of gamma to C. With the answers
    alone it is the decision of (6).

    Ledger: `ecuas2026.equation3`. Strong: `helpers.decisions.bayes_decision`.

    >>> equation_3(np.array([[0, 1], [5, 0]]), np.array([[0.8, 0.2], [0.9, 0.1]]))
    array([1, 0])
    """
    return np.matmul(q, C).argmin(axis=1)


def equation_6(C, q, gamma):
    r"""Bayes decision with a refusal: the best answer first, given exactly if its expected cost is at most gamma.

    .. math:: d_B(q) = \tilde d_B(q) \text{ if } u(q) \le \gamma, \text{ else } d_r; \qquad
        u(q) = \min_d \sum_k q_k \tilde C(y_k, d)

    C : (K, D). q : (N, K). gamma : number. Gives (N,) decisions, -1 a refusal, and (N,) uncertainties.

    Ledger: `ecuas2026.equation6`. Strong, without the refusal: `helpers.decisions.bayes_decision`.

    >>> equation_6(np.array([[0, 1], [1, 0]]), np.array([[0.75, 0.25], [0.5, 0.5]]), 0.25)
    (array([ 0, -1]), array([0.25, 0.5 ]))
    """
    u = np.matmul(q, C).min(axis=1)
    return np.where(u <= gamma, equation_3(C, q), -1), u


equation_13 = equation_6


def section_2_1_entropy(q):
    r"""Uncertainty for the logarithmic cost, whose decisions are distributions: the entropy of what is stated.

    .. math:: \tilde C(y_k, q) = -\log q_k, \qquad u(q) = -\sum_k q_k \log q_k

    q : (N, K). Gives (N,).

    Ledger: `ecuas2026.equation6`.

    >>> section_2_1_entropy([[0.5, 0.5], [1, 0]]).round(4)
    array([0.6931, 0.    ])
    """
    return -xlogy(q, q).sum(axis=1) + 0.0


def equation_7(incurred, u, gamma):
    r"""What the Bayes decision with a refusal costs.

    .. math:: C^*_\gamma(y, q) = \tilde C(y, \tilde d_B(q)) \text{ if } u(q) \le \gamma, \text{ else } \gamma

    incurred, u : (N,). gamma : number.

    Ledger: `ecuas2026.equation7`. Strong, which lets rounding refuse nothing: `helpers.selective.chow_cost`.

    >>> equation_7(np.array([0, 1, 1]), np.array([0.5, 0.125, 0.5]), 0.25)
    array([0.25, 1.  , 0.25])
    """
    return np.where(np.asarray(u) <= gamma, incurred, gamma)


equation_14 = equation_7


def equation_15(incurred, u, w, low, high):
    r"""The cost with a refusal, integrated over its price with weight w between any two limits, numerically.

    .. math:: \int_{\gamma_m}^{\gamma_M} w(\gamma)\, C^*_\gamma(y, q)\, d\gamma

    incurred, u : (N,). w : function of gamma, not negative. low, high : numbers.

    A u beyond a limit counts as that limit. Where w has no finite integral from u on, as at u = 0 for equation 9 with
    n = 0, a cost that is incurred is infinite; the numerical integral warns of it and gives a finite number.

    Ledger: `ecuas2026.equation15`. In closed form for the weights of equation 9: `helpers.selective.ecuas`.

    >>> equation_15([0.0, 1.0], [0.5, 0.5], lambda gamma: 2.0, 0, 1).round(6)
    array([0.25, 1.25])
    """
    total = []
    for incurred_i, u_i in zip(incurred, u, strict=True):
        middle = np.clip(u_i, low, high)
        total.append(quad(lambda gamma: w(gamma) * gamma, low, middle)[0])
        total[-1] += incurred_i and incurred_i * quad(w, middle, high)[0]
    return np.array(total)


def equation_8(incurred, u, w, u_M):
    r"""The cost with a refusal, integrated over its price up to the largest uncertainty.

    .. math:: C^*_w(y, q) = \int_0^{u(q)} \gamma w(\gamma)\, d\gamma + \tilde C(y, \tilde d_B(q))
        \int_{u(q)}^{u_M} w(\gamma)\, d\gamma

    incurred, u : (N,), u beyond u_M counts as u_M. w : function of gamma, not negative and integrable. u_M : number.

    Ledger: `ecuas2026.equation8`. Strong: `helpers.selective.ecuas`.

    >>> equation_8([1.0], [0.25], lambda gamma: 4.0, 0.5).round(6)
    array([1.125])
    """
    return equation_15(incurred, u, w, 0, u_M)


def equation_9_weight(gamma, n, u_M):
    r"""Weight of a price of refusals in the family, scaled so that whoever states u_M everywhere costs 1.

    .. math:: w_n(\gamma) = \alpha_n \gamma^{n-1}, \qquad \alpha_n = (n + 1)\, u_M^{-(n+1)}

    gamma : any shape, above 0. n, u_M : numbers, computed as (n + 1) (gamma / u_M)^(n - 1) / u_M^2, which does not
    overflow. For n = 0 the weight has no finite integral down to 0, which equation 8 asks for.

    Ledger: `ecuas2026.equation9`. Strong: `helpers.selective.reject_cost_weight`.

    >>> equation_9_weight(np.array([0.1, 0.25]), 2, 0.5)
    array([2.4, 6. ])
    """
    return (n + 1) * np.divide(gamma, u_M) ** (n - 1) / u_M**2


def equation_9(incurred, u, n, u_M):
    r"""The family C_n: equation 8 with the weights w_n; equation 16 is the same.

    .. math:: C^*_n = \frac{\alpha_n}{n+1} u^{n+1} + \frac{\alpha_n}{n} (u_M^n - u^n)\, \tilde C, \qquad
        C^*_0 = \alpha_0 u + \alpha_0 (\log u_M - \log u)\, \tilde C

    Computed with x = u / u_M, in which the first term is x^(n+1) and the second (n + 1) (1 - x^n) C / (n u_M), for
    n = 0 the first is x and the second -log(x) C / u_M.

    incurred, u : (N,). n, u_M : numbers, n >= 0 and u_M > 0. A u above u_M costs as u_M, which is 1 (appendix A.3); as
    printed, the second term would be a reward there. At n = 0 a cost that was stated to be impossible, u = 0, is
    infinite; the paper calls the score proper nevertheless.

    Ledger: `ecuas2026.equation9`, `ecuas2026.equation16`. Strong:
    `helpers.selective.ecuas_from_uncertainty`.

    >>> equation_9(np.array([0, 5]), np.array([1.0, 1.0]), 1, 2)
    array([0.25, 2.75])
    """
    x = np.minimum(u, u_M) / u_M
    if n == 0:
        return x - xlogy(incurred, x) / u_M
    return x ** (n + 1) + (n + 1) / n * (1 - x**n) * np.asarray(incurred) / u_M


equation_16 = equation_9


def equation_10(wrong, q_e, n, q_m):
    r"""The family for the 0-1 cost: the confidence q_e of the answer and whether it is wrong are enough.

    .. math:: C^*_{n01} = \frac{\alpha_n}{n+1} (1 - q_e)^{n+1} + \frac{\alpha_n}{n}
        \left((1 - q_m)^n - (1 - q_e)^n\right) I(y \ne e)

    wrong, q_e : (N,). n : number. q_m : smallest confidence of a best answer, 1 / K. For n = 0 with logarithms, as
    equation 9. A q_e below q_m costs as q_m.

    Ledger: `ecuas2026.equation10`. Strong: `helpers.selective.ecuas`.

    >>> equation_10(np.array([0, 1]), np.array([0.5, 0.5]), 1, 0.5)
    array([1., 1.])
    """
    return equation_9(wrong, 1 - np.asarray(q_e, float), n, 1 - q_m)


def section_2_2(incurred, u, u_M):
    r"""Limit of C_n as n grows: the cost of the answer over u_M, whatever the uncertainty, and 1 where that is u_M.

    .. math:: \lim_{n \to \infty} C^*_n = \tilde C / u_M \text{ if } u < u_M, \quad 1 \text{ if } u = u_M

    incurred, u : (N,). u_M : number.

    The paper calls it the 0-1 cost; a wrong answer costs K / (K - 1) there, and 1 for infinite K only.

    Ledger: `ecuas2026.section2_2`.

    >>> section_2_2([0, 1, 1], [0.25, 0.25, 0.5], 0.5)
    array([0., 2., 1.])
    """
    return np.where(np.asarray(u) < u_M, np.divide(incurred, u_M), 1.0)


def equation_11(incurred, u, n, u_M):
    r"""ECUAS_n: the mean of C_n.

    .. math:: ECUAS_n = \frac1N \sum_i C^*_n(y_i, q_i)

    incurred, u : (N,). n, u_M : numbers.

    Ledger: `ecuas2026.equation11`. Strong: the mean of `helpers.selective.ecuas`.

    >>> equation_11(np.array([0, 1]), np.array([0.5, 0.5]), 1, 1)
    0.75
    """
    return float(np.mean(equation_9(incurred, u, n, u_M)))


def section_2_aurc(wrong, u):
    r"""AURC, the rival: mean over all coverages of the error among the answers accepted, the least uncertain first.

    .. math:: AURC = \frac1N \sum_{k=1}^N \frac1k \sum_{i=1}^k I(y_{(i)} \ne e_{(i)})

    wrong, u : (N,). The paper names the area and prints no formula (its numbers are those of torch-uncertainty,
    appendix B); the sum is ours, and so is the mean over the orders of answers with one u: each counts as their mean.

    Ledger: `ecuas2026.table3`. Strong: `helpers.selective.aurc`.

    >>> section_2_aurc([0, 1, 0], [0.1, 0.2, 0.2])
    0.19444444444444442
    """
    by_u = pd.Series(wrong, dtype=float).groupby(np.asarray(u)).transform("mean").to_numpy()[np.argsort(u)]
    return float((by_u.cumsum() / np.arange(1, len(by_u) + 1)).mean())


def section_4_normalised(C, y, q, n):
    r"""ECUAS_n of stated probabilities beside that of a system that states the shares of the classes everywhere.

    .. math:: N\text{-}ECUAS_n = ECUAS_n(q) \,/\, ECUAS_n(\hat P(y))

    C : (K, D). y, q : (N,), (N, K). n : number. Above 1 the shares alone would have been better. If all y are of one
    class, the shares are certain of it: where that costs nothing, the division by 0 fails.

    Ledger: `ecuas2026.table3`. Both parts, strong: `helpers.selective.general_ecuas`.

    >>> section_4_normalised(1 - np.eye(2), np.array([0, 1]), np.array([[0.75, 0.25], [0.25, 0.75]]), 1)
    0.25
    """
    y, C, u_M = np.asarray(y), np.asarray(C), section_2_2_u_M(C)
    prior = np.tile(np.bincount(y, minlength=len(C)) / len(y), (len(y), 1))
    own, naive = (equation_11(C[y, equation_3(C, one)], np.matmul(one, C).min(axis=1), n, u_M) for one in (q, prior))
    return own / naive


def definition_1(C_star, p):
    r"""How far a score is from being proper on a set of beliefs: the least that stating another one adds.

    .. math:: \min_{p, q} \; E_{y \sim p}[C^*(y, q)] - E_{y \sim p}[C^*(y, p)] \ge 0

    C_star : (B, K) score of stating each belief, by class. p : (B, K) the beliefs. Proper if 0; the truth is among the
    statements, so it is never above. A class that a belief excludes does not count, even where its score is infinite.

    Ledger: `ecuas2026.definition1`.

    >>> p = np.array([[0.75, 0.25], [1, 0]])
    >>> definition_1((1 - p) ** 2, p), definition_1(1 - p, p)
    (0.0, -0.125)
    """
    p = np.asarray(p, float)[:, None]
    with np.errstate(invalid="ignore"):
        expected = np.where(p > 0, p * C_star, 0).sum(axis=2)  # of each belief, with each statement
    return float((expected - expected.diagonal()[:, None]).min())


def proposition_1(C, q):
    r"""The cost of the Bayes decision as a score of q, which is proper for any cost.

    .. math:: C^*(y, q) = C(y, d_B(q))

    C : (K, D). q : (B, K). Gives (B, K), a column a class. The paper prints C* on the right too, where C is meant.

    Ledger: `ecuas2026.proposition1`.

    >>> proposition_1(np.array([[0, 1], [5, 0]]), np.array([[0.9, 0.1]]))
    array([[0, 5]])
    """
    return np.asarray(C)[:, equation_3(C, q)].T


def proposition_2(C, q, gamma):
    r"""The cost of the Bayes decision with a refusal as a score of q, which is proper for any cost and any gamma.

    .. math:: C^*_\gamma(y, q) = \tilde C(y, \tilde d_B(q)) \text{ if } u(q) \le \gamma, \text{ else } \gamma

    C : (K, D). q : (B, K). gamma : number. Gives (B, K), a column a class.

    Ledger: `ecuas2026.proposition2`.

    >>> proposition_2(np.array([[0, 1], [1, 0]]), np.array([[0.75, 0.25], [0.5, 0.5]]), 0.25)
    array([[0.  , 1.  ],
           [0.25, 0.25]])
    """
    return np.where(equation_6(C, q, gamma)[0][:, None] == -1, gamma, proposition_1(C, q))


def proposition_3(C_star, w):
    r"""Weighted sum of proper scores, proper if no weight is negative; an integral (`equation_15`) is its limit.

    .. math:: C^*_w(y, q) = \sum_g w_g\, C^*_g(y, q)

    C_star : (G, B, K) scores. w : (G,).

    Ledger: `ecuas2026.proposition3`.

    >>> proposition_3(np.array([[[0, 1]], [[1, 0]]]), np.array([2, 3]))
    array([[3, 2]])
    """
    return np.tensordot(w, C_star, 1)


def section_2_2_u_M(C):
    r"""The largest uncertainty of a best decision, the value of a game between a truth and a decider.

    .. math:: u_M = \max_q \min_d \sum_k q_k \tilde C(y_k, d)

    C : (K, D).

    Ledger: `ecuas2026.equation16`. Strong, with the q that reaches it: `helpers.decisions.largest_uncertainty`.

    >>> round(section_2_2_u_M(np.array([[0, 1], [3, 0]])), 6)
    0.75
    """
    K, D = np.shape(C)
    no_more = np.column_stack([-np.transpose(C), np.ones(D)])  # u <= expected cost of each decision
    found = linprog([*np.zeros(K), -1], no_more, np.zeros(D), [[*np.ones(K), 0]], [1], [(0, 1)] * K + [(None, None)])
    return float(-found.fun)


def equation_17(wrong, q_e, n, K):
    r"""The 0-1 case of equation 16: uncertainty 1 - q_e, and u_M = 1 - 1 / K.

    .. math:: C^*_{n01} = \frac{\alpha_n}{n+1} (1 - q_e)^{n+1} + \frac{\alpha_n}{n}
        \left((1 - 1/K)^n - (1 - q_e)^n\right) I(y \ne e)

    wrong, q_e : (N,). n : number. K : number of classes, np.inf for generated answers (appendix A.5).

    Ledger: `ecuas2026.equation17`, `ecuas2026.appendixa_5`. Strong: `helpers.selective.ecuas`.

    >>> equation_17(np.array([0, 1]), np.array([0.6, 0.9]), 1, np.inf).round(2)
    array([0.16, 1.81])
    """
    return equation_10(wrong, q_e, n, 1 / K)


def appendix_a_5(wrong, q_e, n):
    r"""The family for generated answers: equation 17 for infinitely many classes of meaning.

    .. math:: C^*_{n01g} = (1 - q_e)^{n+1} + \frac{n+1}{n} \left(1 - (1 - q_e)^n\right) I(y \ne y_e), \qquad
        C^*_{001g} = (1 - q_e) - \log(1 - q_e)\, I(y \ne y_e)

    wrong, q_e : (N,), q_e of the meaning (`section_3_confidence`). n : number, the second form for n = 0.

    The paper takes it for more than 16 classes; with 17 the mean cost at n = 1 is 5 % higher (ours).

    Ledger: `ecuas2026.appendixa_5`. Strong: `helpers.selective.ecuas`.

    >>> appendix_a_5([0, 1], [0.5, 0.5], 1)
    array([0.25, 1.25])
    """
    u = 1 - np.asarray(q_e, float)
    if n == 0:
        return u - xlogy(wrong, u)
    return u ** (n + 1) + (n + 1) / n * (1 - u**n) * np.asarray(wrong)


def section_3_confidence(q, meaning):
    r"""Best answer where answers with one meaning are equivalent: any of the likeliest meaning, and its probability.

    .. math:: e = \arg\max_m \sum_{k : m_k = m} q_k, \qquad q_e = \max_m \sum_{k : m_k = m} q_k

    q, meaning : (K,) probabilities of the answers, and the meaning 0 .. M-1 of each. Of tied meanings the first.

    Ledger: `ecuas2026.section3`, `ecuas2026.appendixa_5`. From a table of strings: `helpers.answers.meaning_posterior`.

    >>> section_3_confidence([0.25, 0.375, 0.375], [0, 1, 0])
    (0, 0.625)
    """
    of_meaning = np.bincount(meaning, q)
    return int(of_meaning.argmax()), float(of_meaning.max())


def equation_18(s, alpha, beta):
    r"""Affine calibration of the scores of K classes: one scale, and a shift for each class.

    .. math:: \hat s = \mathrm{softmax}(\alpha \log s + \beta)

    s : (N, K), above 0: a score of 0 stays 0 for any alpha above 0. alpha : number. beta : (K,).

    Ledger: `ecuas2026.equation18`. Strong: `helpers.calibration.AffineCalibrator`.

    >>> equation_18(np.array([[0.2, 0.8]]), 0.5, np.zeros(2)).round(3)
    array([[0.333, 0.667]])
    """
    return softmax(alpha * np.log(s) + beta, axis=1)


def equation_18_fit(s, y):
    r"""The scale and the shifts that make the labels most likely; the last shift is 0, which moves no probability.

    .. math:: \max_{\alpha, \beta} \sum_i \log \hat s_{i, y_i}

    s, y : (N, K) above 0, and (N,) classes, each of which occurs. Gives alpha and beta.

    The paper prints no objective; the likelihood is ours. It calibrates across five folds. Labels that the scores
    separate have no best alpha: it grows until the optimiser stops.

    Ledger: `ecuas2026.equation18`. Strong: `helpers.calibration.AffineCalibrator`.

    >>> s = np.repeat([[0.25, 0.75], [0.75, 0.25]], 4, axis=0)
    >>> alpha, beta = equation_18_fit(s, np.array([0, 1, 1, 1, 0, 0, 0, 1]))
    >>> round(alpha, 4), beta.round(4) + 0.0
    (1.0, array([0., 0.]))
    """
    log_s, rows = np.log(s), np.arange(len(y))

    def loss(free):
        return -log_softmax(free[0] * log_s + np.append(free[1:], 0), axis=1)[rows, y].mean()

    free = minimize(loss, np.append(1, np.zeros(log_s.shape[1] - 1)), options={"gtol": 1e-9}).x
    return float(free[0]), np.append(free[1:], 0)


def appendix_b_1(q, y, t, n):
    r"""Mean cost of an answer that is drawn at a temperature and stated with its untouched probability.

    .. math:: q_t = \mathrm{softmax}(\tfrac1t \log q), \qquad \sum_e q_{t,e}\, C^*_{n01}(y, q_e)

    q, y : (N, K) above 0, and (N,) classes, or one for all. t, n : numbers.

    The paper draws one answer a row; the mean over the draw is a sum (ours).

    Ledger: `ecuas2026.appendixb_1`, `ecuas2026.figure2`.

    >>> appendix_b_1([[0.5, 0.5], [0.75, 0.25]], [0, 0], 1, 1)
    array([1.    , 0.4375])
    """
    K = np.shape(q)[1]
    wrong = np.arange(K) != np.atleast_1d(y)[:, None]
    return (equation_18(q, 1 / t, 0) * equation_17(wrong, q, n, K)).sum(axis=1)


# Every definition, equation and proposition has a function; 12 to 14 are 1, 6 and 7 again, and 16 is 9.
NOT_COMPUTED = {}
