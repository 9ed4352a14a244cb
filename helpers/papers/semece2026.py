r"""A semantic-sampling framework for evaluating calibration in open-ended question answering (Wang et al., 2026).

Letters of the paper: pi probabilities of the K classes of answers to a question, Y which of them are right, Z classes
0 .. K - 1 of sampled answers, N the n answers that select one and E the m that are held out, pi_N and pi_E shares of
the classes there, c confidence, a correctness, Delta and p difference and sum of the two largest probabilities, lam
half of the standardised margin. Of tied classes the one with the lowest number is selected, everywhere.
"""

from itertools import combinations, product

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import factorial
from scipy.stats import norm


def section_3_pmf(Z, K):
    r"""Shares of the answer classes in a block of answers.

    .. math:: \hat\pi_I(k) = |I|^{-1} \sum_{i \in I} 1\{Z_i = k\}

    Z : (|I|,) classes 0 .. K - 1. K : number of classes.

    Ledger: `semece2026.section3`.

    >>> section_3_pmf([0, 2, 0, 1], 4)
    array([0.5 , 0.25, 0.25, 0.  ])
    """
    return np.bincount(Z, minlength=K) / len(Z)


def section_3_mode(pi):
    r"""The most likely class, or the most frequent one if `pi` are shares; of tied classes the first.

    .. math:: z^\star = \arg\max_k \pi_k, \qquad \hat z_I = \arg\max_k \hat\pi_I(k)

    pi : (K,) probabilities or shares.

    The paper asks for a fixed rule for ties and leaves open which; ours is the lowest number.

    Ledger: `semece2026.section3`. For many questions: `mode` of `helpers.answers.AnswerPopulation`.

    >>> section_3_mode([0.2, 0.4, 0.4])
    1
    """
    return int(np.argmax(pi))


def section_3_confidence(pi):
    r"""Oracle confidence: the probability of the mode, which both estimators aim at.

    .. math:: c^\star = \max_k \pi_k

    pi : (K,) probabilities.

    Ledger: `semece2026.section3`. For many questions: `helpers.answers.oracle_confidence`.

    >>> section_3_confidence([0.2, 0.5, 0.3])
    0.5
    """
    return float(np.max(pi))


def section_3_margin(pi):
    r"""Top-two margin: the largest probability less the second largest, 0 on a tie.

    .. math:: \Delta = \pi_{z^\star} - \max_{k \ne z^\star} \pi_k

    pi : (K,) probabilities, K at least 2.

    Ledger: `semece2026.section3`. For counts too: `helpers.answers.top_two_margin`.

    >>> round(section_3_margin([0.2, 0.5, 0.3]), 12)
    0.2
    """
    second, first = np.sort(pi)[-2:]
    return float(first - second)


def section_3_mass(pi):
    r"""Top-two mass: the sum of the two largest probabilities.

    .. math:: p = \pi_{z^\star} + \max_{k \ne z^\star} \pi_k

    pi : (K,) probabilities, K at least 2.

    Ledger: `semece2026.section3`. For counts too: `helpers.answers.top_two_mass`.

    >>> section_3_mass([0.2, 0.5, 0.3])
    0.8
    """
    second, first = np.sort(pi)[-2:]
    return float(first + second)


def section_3_standardized_margin(pi, n):
    r"""The margin in standard deviations of what n answers show of it; half of it is lambda.

    .. math:: \tilde m = \Delta / \sqrt{p / n}, \qquad \tilde\lambda = \tilde m / 2

    pi : (K,) probabilities. n : answers that select.

    Ledger: `semece2026.section3`. For many questions: `helpers.answers.standardized_margin`.

    >>> round(section_3_standardized_margin([0.5, 0.3, 0.2], 20), 12)
    1.0
    """
    return float(section_3_margin(pi) / np.sqrt(section_3_mass(pi) / n))


def section_3_law(pi, n):
    r"""What n independent answers can show: every value of the shares, and the chance of each.

    .. math:: \Pr(n \hat\pi_N = (v_1, \dots, v_K)) = \frac{n!}{v_1! \cdots v_K!} \prod_k \pi_k^{v_k}

    pi : (K,) probabilities. n : answers, at most 170 (171! is beyond a double). Returns (V, K) shares and (V,) chances.

    The paper has expectations over it and does not name it.

    Ledger: `semece2026.section3`. Sorted by winner and its number of answers: `helpers.answers.winner_law`; of one
    class: `helpers.answers.binomial_law`.

    >>> pi_N, chance = section_3_law([0.75, 0.25], 2)
    >>> pi_N.tolist(), chance.tolist()
    ([[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]], [0.0625, 0.375, 0.5625])
    """
    v = np.array([counts for counts in product(range(n + 1), repeat=len(pi)) if sum(counts) == n])
    return v / n, factorial(n) / factorial(v).prod(axis=1) * (np.asarray(pi) ** v).prod(axis=1)


def section_3_ece(c, a, L=10, P=None):
    r"""Binned expected calibration error.

    .. math:: ECE(c, a) = \sum_{\ell=1}^{L} \left| E[(a - c) 1\{c \in I_\ell\}] \right|

    c, a : (V,) confidence and correctness. L : bins. P : (V,) chance of each row, equal if None.

    Bins of equal width hold their left edge, to 12 digits, and the last one 1; the paper leaves the edges open. A bin
    without a confidence adds nothing.

    Ledger: `semece2026.section3`. With null value and interval: `helpers.answers.sem_ece`.

    >>> round(section_3_ece([0.95, 0.95, 0.5, 0.4], [1, 0, 1, 0]), 12)
    0.45
    """
    c, a = np.asarray(c, float), np.asarray(a, float)
    P = np.full(len(c), 1 / len(c)) if P is None else P
    ell = np.searchsorted(np.round(np.arange(1, L) / L, 12), np.round(c, 12), side="right")
    return float(np.abs(np.bincount(ell, P * (a - c))).sum())


def section_3_oracle_ece(pi, Y, L=10):
    r"""Calibration error of the oracle, which gives the mode and states its probability.

    .. math:: ECE^\star = ECE(c^\star_q, a^\star_q), \qquad a^\star_q = Y_q(z^\star_q)

    pi, Y : (Q, K). L : bins.

    Ledger: `semece2026.section3`. Likewise: `oracle_ece` of `helpers.answers.AnswerPopulation`.

    >>> round(section_3_oracle_ece([[0.7, 0.3], [0.45, 0.55]], [[1, 0], [1, 0]]), 12)
    0.425
    """
    c = [section_3_confidence(pi_q) for pi_q in pi]
    a = [Y_q[section_3_mode(pi_q)] for pi_q, Y_q in zip(pi, Y, strict=True)]
    return section_3_ece(c, a, L)


def section_3_sem_ece(pi, Y, n, m, L=10):
    r"""Sem1-ECE and Sem2-ECE: inside each bin the mean over questions and over all that n + m answers can show.

    .. math:: Sem_i\text{-}ECE = ECE(\hat c_i, \hat a), \qquad \hat a = Y_q(\hat z_N)

    pi, Y : (Q, K). n, m : answers that select, answers held out. L : bins.

    Ledger: `semece2026.section3`. Without a listing: `helpers.answers.AnswerPopulation.calibration`.

    >>> sem_1, sem_2 = section_3_sem_ece([[0.5, 0.5]], [[0, 0]], 3, 1)
    >>> round(sem_1, 12), round(sem_2, 12)
    (0.75, 0.5)
    """
    rows_1, rows_2 = [], []
    for pi_q, Y_q in zip(pi, Y, strict=True):
        for pi_N, chance_N in zip(*section_3_law(pi_q, n), strict=True):
            a = Y_q[section_3_mode(pi_N)]
            rows_1.append((equation_1(pi_N), a, chance_N / len(pi)))
            for pi_E, chance_E in zip(*section_3_law(pi_q, m), strict=True):
                rows_2.append((equation_3(pi_N, pi_E), a, chance_N * chance_E / len(pi)))
    (c_1, a_1, P_1), (c_2, a_2, P_2) = np.transpose(rows_1), np.transpose(rows_2)
    return section_3_ece(c_1, a_1, L, P_1), section_3_ece(c_2, a_2, L, P_2)


def equation_1(pi_N):
    r"""Sem1: the share of the most frequent class among the answers that selected it.

    .. math:: \hat c_1 = \max_k \hat\pi_N(k)

    pi_N : (K,) shares among the answers that select.

    Ledger: `semece2026.equation1`. From counts of many questions: `helpers.answers.sem1`.

    >>> equation_1([0.4, 0.36, 0.24])
    0.4
    """
    return float(np.max(pi_N))


def equation_2(pi, n):
    r"""Bias of Sem1 for the oracle confidence, never negative.

    .. math:: E[\hat c_1 \mid q] - c^\star \ge 0

    pi : (K,) probabilities. n : answers that select.

    The paper says strict for every finite margin; it is 0 where one class has all the probability, and only there.

    Ledger: `semece2026.equation2`. For many classes and answers: `helpers.answers.exact_bias`.

    >>> round(equation_2([0.5, 0.5], 3), 12)
    0.25
    """
    pi_N, chance = section_3_law(pi, n)
    return float(chance @ pi_N.max(axis=1) - np.max(pi))


def equation_3(pi_N, pi_E):
    r"""Sem2: the share, among the answers held out, of the class that the others selected.

    .. math:: \hat c_2 = \hat\pi_E(\hat z_N)

    pi_N, pi_E : (K,) shares among the answers that select and among those held out.

    Ledger: `semece2026.equation3`. The mean over all splits, from counts: `helpers.answers.sem2`.

    >>> equation_3([0.48, 0.36, 0.16], [0.4, 0.48, 0.12])
    0.4
    """
    return float(pi_E[section_3_mode(pi_N)])


def equation_4(pi, n, m):
    r"""Mean of Sem2 given the class that was selected: its probability, whichever it is.

    .. math:: E[\hat c_2 \mid q, \hat z_N = k] = \pi_k

    pi : (K,) probabilities. n, m : answers that select, answers held out. Returns (K,), NaN for a class that cannot be
    selected.

    It needs a rule for ties that does not look at the answers held out.

    Ledger: `semece2026.equation4`.

    >>> equation_4([0.5, 0.25, 0.25], 2, 1)
    array([0.5 , 0.25, 0.25])
    """
    (pi_N, chance_N), (pi_E, chance_E) = section_3_law(pi, n), section_3_law(pi, m)
    z_N = pi_N.argmax(axis=1)
    chance = np.outer(chance_N, chance_E)
    c_2 = pi_E[:, z_N].T
    with np.errstate(invalid="ignore"):
        return np.array([(chance * c_2)[z_N == k].sum() / chance[z_N == k].sum() for k in range(len(pi))])


def equation_5(pi, n):
    r"""Bias of Sem2 for the oracle confidence, never positive; the number of answers held out plays no part.

    .. math:: E[\hat c_2 \mid q] - c^\star = E[\pi_{\hat z_N}] - c^\star \le 0

    pi : (K,) probabilities. n : answers that select.

    The paper says strict wherever the mode can be missed; where only classes tied for the top can be selected, it can
    be missed, and this is 0.

    Ledger: `semece2026.equation5`. For many classes and answers: `helpers.answers.exact_bias`.

    >>> round(equation_5([0.75, 0.25], 1), 12)
    -0.125
    """
    pi_N, chance = section_3_law(pi, n)
    return float(chance @ np.take(pi, pi_N.argmax(axis=1)) - np.max(pi))


def theorem_5_1(pi, n, C=1.0):
    r"""Bound of the bias of Sem1 and of Sem2, also called equation (6).

    .. math:: |E[\hat c_i \mid q] - c^\star| \le
        \min\left\{C \sqrt{\tfrac{\log 2K}{2n}},\ (K - 1) \exp\left(-\tfrac{n \Delta^2}{2p}\right)\right\}

    pi : (K,) probabilities. n : answers that select. C : the constant.

    Stated for Delta above 0. The paper leaves C open; its proof gives 1 for Sem1 and 2 for Sem2, and 1 is enough for
    both (ours). The proof for Sem2 prints p_q where c* is meant.

    Ledger: `semece2026.theorem5_1`, `semece2026.equation6`. For many questions: `helpers.answers.bias_bound`.

    >>> round(theorem_5_1([0.55, 0.45], 50), 4)
    0.1177
    """
    return float(min(C * equation_13_bound(len(pi), n), lemma_a_1(pi, n)))


equation_6 = theorem_5_1


def section_5_1_errors(pi, Y, n, m):
    r"""Confidence errors of Sem1 and of Sem2, and the selection error, over all that n + m answers can show.

    .. math:: \varepsilon_n = E|\hat c - c^\star|, \qquad \delta_n = \Pr(\hat a \ne a^\star)

    pi, Y : (Q, K). n, m : answers that select, answers held out. Returns epsilon of Sem1, of Sem2, and delta.

    Ledger: `semece2026.section5_1`. Without a listing: `helpers.answers.AnswerPopulation.calibration`.

    >>> [round(error, 12) for error in section_5_1_errors([[0.75, 0.25]], [[1, 0]], 1, 1)]
    [0.25, 0.4375, 0.25]
    """
    epsilon_1 = epsilon_2 = delta = 0.0
    for pi_q, Y_q in zip(pi, Y, strict=True):
        c_star, a_star = section_3_confidence(pi_q), Y_q[section_3_mode(pi_q)]
        for pi_N, chance_N in zip(*section_3_law(pi_q, n), strict=True):
            epsilon_1 += chance_N * abs(equation_1(pi_N) - c_star)
            delta += chance_N * (Y_q[section_3_mode(pi_N)] != a_star)
            for pi_E, chance_E in zip(*section_3_law(pi_q, m), strict=True):
                epsilon_2 += chance_N * chance_E * abs(equation_3(pi_N, pi_E) - c_star)
    return float(epsilon_1 / len(pi)), float(epsilon_2 / len(pi)), float(delta / len(pi))


def theorem_5_2(epsilon, delta, eta, c_star, L=10):
    r"""Bound of the distance of a calibration error from the oracle's, for any eta > 0, also called equation (7).

    .. math:: |ECE(\hat c, \hat a) - ECE^\star| \le
        \delta_n + \varepsilon_n + 2 \left\{\varepsilon_n / \eta + \Pr(dist(c^\star, T) \le \eta)\right\}

    epsilon, delta : as in `section_5_1_errors`. eta : distance to an edge. c_star : (Q,) oracle confidences. L : bins;
    T are the L - 1 edges between them, as in the proof.

    May exceed 1.

    Ledger: `semece2026.theorem5_2`, `semece2026.equation7`. With the share near an edge given:
    `helpers.answers.ece_bound`.

    >>> round(theorem_5_2(0.01, 0.02, 0.05, [0.75, 0.58]), 12)
    2.43
    >>> round(theorem_5_2(0.01, 0.02, 0.04, [0.75, 0.58]), 12)
    1.53
    """
    return float(delta + epsilon + 2 * (epsilon / eta + equation_8(c_star, eta, L)))


equation_7 = theorem_5_2


def theorem_5_2_density(epsilon, delta, M, L=10):
    r"""The bound of theorem 5.2 at its best eta, if the oracle confidences have a density of at most M.

    .. math:: |ECE(\hat c, \hat a) - ECE^\star| \le \delta_n + \varepsilon_n + 4 \sqrt{2 M (L - 1) \varepsilon_n}

    epsilon, delta : as in `section_5_1_errors`. M : largest density. L : bins.

    Ledger: `semece2026.theorem5_2_density`. Likewise: `helpers.answers.ece_bound`.

    >>> round(theorem_5_2_density(0.01, 0.02, 2, L=2), 12)
    0.83
    """
    return float(delta + epsilon + 4 * np.sqrt(2 * M * (L - 1) * epsilon))


def theorem_5_3(pi, n):
    r"""Bounds of the confidence error of Sem1 and of the selection error.

    .. math:: \varepsilon_n \le E_q\left[\min\left\{\sqrt{\tfrac{\log 2K}{2n}},\
        \sqrt{\tfrac{\pi_1 (1 - \pi_1)}{n}} + (K - 1) e^{-n \Delta^2 / (2p)}\right\}\right], \qquad
        \delta_n \le E_q\left[(K - 1) e^{-n \Delta^2 / (2p)}\right]

    pi : Q questions, each (K_q,); pi_1 is the probability of the mode. n : answers that select.

    Ledger: `semece2026.theorem5_3`. For each question: `helpers.answers.confidence_error_bound`,
    `helpers.answers.selection_error_bound`.

    >>> [round(bound, 4) for bound in theorem_5_3([[0.9, 0.1]], 25)]
    [0.0603, 0.0003]
    """
    pi_1 = np.array([section_3_confidence(pi_q) for pi_q in pi])
    missed = np.array([lemma_a_1(pi_q, n) for pi_q in pi])
    uniform = [equation_13_bound(len(pi_q), n) for pi_q in pi]
    epsilon = np.minimum(uniform, np.sqrt(pi_1 * (1 - pi_1) / n) + missed)
    return float(epsilon.mean()), float(missed.mean())


def theorem_5_4(pi, n, m):
    r"""Bounds of the confidence error of Sem2 and of the selection error, which is that of Sem1.

    .. math:: \varepsilon_n \le
        E_q\left[\sqrt{\tfrac{\pi_1 (1 - \pi_1)}{m}} + (K - 1) e^{-n \Delta^2 / (2p)}\right]

    pi : Q questions, each (K_q,); pi_1 is the probability of the mode. n, m : answers that select, answers held out.

    The proof uses that no class has a larger variance than the mode: pi_k (1 - pi_k) is at most pi_1 (1 - pi_1).

    Ledger: `semece2026.theorem5_4`. For each question: `helpers.answers.confidence_error_bound` with n_held_out.

    >>> [round(bound, 4) for bound in theorem_5_4([[0.9, 0.1]], 25, 9)]
    [0.1003, 0.0003]
    """
    pi_1 = np.array([section_3_confidence(pi_q) for pi_q in pi])
    missed = np.array([lemma_a_1(pi_q, n) for pi_q in pi])
    return float((np.sqrt(pi_1 * (1 - pi_1) / m) + missed).mean()), float(missed.mean())


def equation_8(c_star, eta, L=10):
    r"""Share of the questions whose oracle confidence lies within eta of an edge between bins.

    .. math:: \Pr_q(dist(c^\star, T) \le \eta_n) = o(n^{-1/2}), \qquad \sqrt n\, \eta_n \to \infty

    c_star : (Q,) oracle confidences. eta : distance to an edge. L : bins; T are the L - 1 edges between them. Both
    distances are taken to 12 digits. With L = 1 there is no edge, and this is 0.

    The paper assumes the limit, and that all three confidences are then in one bin. The assumption fails for every
    density that is positive at an edge, and even where it holds, one bin needs eta of order sqrt(log n / n) (ours).

    Ledger: `semece2026.equation8`.

    >>> equation_8([0.75, 0.58], 0.05), equation_8([0.75, 0.58], 0.04)
    (1.0, 0.5)
    """
    T = np.arange(1, L) / L
    distance = np.abs(np.subtract.outer(c_star, T)).min(axis=1, initial=np.inf)
    return float(np.mean(np.round(distance, 12) <= np.round(eta, 12)))


def equation_9_J(lam):
    r"""Jensen bias: how far Sem1 is too high, to leading order, in units of sqrt(p / n).

    .. math:: J(\tilde\lambda) = \varphi(2 \tilde\lambda) - 2 \tilde\lambda\, \Phi(-2 \tilde\lambda)

    lam : half margins, any shape.

    Ledger: `semece2026.equation9`. Likewise: `helpers.answers.jensen_bias`.

    >>> round(float(equation_9_J(0)), 4)
    0.3989
    """
    u = 2 * np.asarray(lam)
    return norm.pdf(u) - u * norm.cdf(-u)


def equation_9_S(lam):
    r"""Selection bias: how far Sem2 is too low, to leading order, in units of sqrt(p / n).

    .. math:: S(\tilde\lambda) = 2 \tilde\lambda\, \Phi(-2 \tilde\lambda)

    lam : half margins, any shape.

    Ledger: `semece2026.equation9`. Likewise: `helpers.answers.selection_bias`.

    >>> round(float(equation_9_S(0.3)), 4)
    0.1646
    """
    u = 2 * np.asarray(lam)
    return u * norm.cdf(-u)


def equation_9(pi, n):
    r"""Leading terms of the biases of Sem1 and of Sem2 on a question of low margin.

    .. math:: E[\hat c_1 - c^\star \mid q] = \sqrt{p / n}\, J(\tilde\lambda) + o(n^{-1/2}), \qquad
        E[\hat c_2 - c^\star \mid q] = -\sqrt{p / n}\, S(\tilde\lambda) + o(n^{-1/2})

    pi : (K,) probabilities. n : answers that select.

    Right for two contestants; with a near third class wrong at every n (ours).

    Ledger: `semece2026.equation9`. For many questions: `helpers.answers.leading_bias`; with all near classes in the
    contest (ours): `helpers.answers.leading_bias_multiclass`.

    >>> [round(bias, 4) for bias in equation_9([0.55, 0.45], 25)]
    [0.0396, -0.0309]
    """
    lam = section_3_standardized_margin(pi, n) / 2
    scale = np.sqrt(section_3_mass(pi) / n)
    return float(scale * equation_9_J(lam)), float(-scale * equation_9_S(lam))


def equation_10(lam):
    r"""Constants of the comparisons: how far apart the two biases are, and by how much that of Sem1 is the larger.

    .. math:: g_A = J + S = \varphi(2 \tilde\lambda), \qquad
        g_B = J - S = \varphi(2 \tilde\lambda) - 4 \tilde\lambda\, \Phi(-2 \tilde\lambda)

    lam : half margins, any shape. Returns g_A, g_B.

    The paper says that g_B falls for all lambda from 0 on; it falls to -0.0820 near 0.60 and then rises towards 0. That
    it has one root holds (`appendix_a_8`).

    Ledger: `semece2026.equation10`. Likewise: `helpers.answers.direct_gap_constant`,
    `helpers.answers.oracle_gap_constant`.

    >>> g_A, g_B = equation_10(0.5)
    >>> round(float(g_A), 4), round(float(g_B), 4)
    (0.242, -0.0753)
    """
    J, S = equation_9_J(lam), equation_9_S(lam)
    return J + S, J - S


def definition_5_5(pi, n):
    r"""Whether a question is in the Jensen-dominated regime, where Sem1 has the larger bias of the two.

    .. math:: Q_{JDR} = \{q : \tilde\lambda_q < \tilde\lambda^\star\}, \qquad g_B(\tilde\lambda^\star) = 0

    pi : (K,) probabilities. n : answers that select.

    Always a part of the low-margin regime, since 2 lambda* = 0.612 is below sqrt(log 2). Right for two contestants;
    rivals beyond the second move the border out (ours).

    Ledger: `semece2026.definition5_5`.

    >>> definition_5_5([0.55, 0.45], 25), definition_5_5([0.55, 0.45], 50)
    (True, False)
    """
    return section_3_standardized_margin(pi, n) / 2 < appendix_a_8()


def section_5_2_overconfidence(pi, Y, n):
    r"""Over-confidence: the mean oracle confidence less the accuracy of the answers that are selected.

    .. math:: A = E_q[c^\star] - \bar a, \qquad \bar a = E_q[\hat a]

    pi, Y : (Q, K). n : answers that select.

    Theorem 5.6 needs it above 0, theorem 5.7 at least c_0 / sqrt(n) for a fixed c_0 above 0.

    Ledger: `semece2026.theorem5_6`, `semece2026.theorem5_7`.

    >>> round(section_5_2_overconfidence([[0.75, 0.25]], [[0, 1]], 1), 12)
    0.5
    """
    laws = [section_3_law(pi_q, n) for pi_q in pi]
    a = [chance @ np.take(Y_q, pi_N.argmax(axis=1)) for (pi_N, chance), Y_q in zip(laws, Y, strict=True)]
    return float(np.mean([section_3_confidence(pi_q) for pi_q in pi]) - np.mean(a))


def theorem_5_6(pi, n):
    r"""Leading term of Sem1-ECE less Sem2-ECE for an over-confident model, also called equation (11).

    .. math:: Sem_1\text{-}ECE - Sem_2\text{-}ECE =
        \tfrac{1}{\sqrt n} E_q\left[\sqrt{p_q}\, g_A(\tilde\lambda_q)\right] + o(n^{-1/2})

    pi : (Q, K). n : answers that select.

    The paper asks for an over-confidence A above 0 on low-margin questions (`section_5_2_overconfidence`) and for (8).
    The proof is for one bin and two contestants, and needs A above E_q[sqrt(p / n) S]. With bins this must hold in each
    of them; the order can flip otherwise (ours).

    Ledger: `semece2026.theorem5_6`, `semece2026.equation11`. Likewise: `helpers.answers.leading_direct_gap`.

    >>> round(theorem_5_6([[0.5, 0.5], [0.55, 0.45]], 25), 4)
    0.0751
    """
    lam = np.array([section_3_standardized_margin(pi_q, n) / 2 for pi_q in pi])
    p = np.array([section_3_mass(pi_q) for pi_q in pi])
    g_A, _ = equation_10(lam)
    return float((np.sqrt(p) * g_A).mean() / np.sqrt(n))


equation_11 = theorem_5_6


def theorem_5_7(pi, n):
    r"""Leading term by which Sem1-ECE is further from the oracle's than Sem2-ECE, also called equation (12).

    .. math:: |Sem_1\text{-}ECE - ECE^\star| - |Sem_2\text{-}ECE - ECE^\star| =
        \tfrac{1}{\sqrt n} E_q\left[\sqrt{p_q}\, g_B(\tilde\lambda_q)\right] + o(n^{-1/2})

    pi : (Q, K). n : answers that select.

    The paper asks for an over-confidence A of at least c_0 / sqrt(n) for a fixed c_0 above 0
    (`section_5_2_overconfidence`), and that all questions are in the Jensen-dominated regime. Proved for mean
    confidences. For the errors it holds where mode and runner-up are right equally often, because the oracle gives the
    mode and not the selected answer (ours).

    Ledger: `semece2026.theorem5_7`, `semece2026.equation12`. Likewise: `helpers.answers.leading_oracle_gap`.

    >>> round(theorem_5_7([[0.5, 0.5], [0.55, 0.45]], 25), 4)
    0.0442
    """
    lam = np.array([section_3_standardized_margin(pi_q, n) / 2 for pi_q in pi])
    p = np.array([section_3_mass(pi_q) for pi_q in pi])
    _, g_B = equation_10(lam)
    return float((np.sqrt(p) * g_B).mean() / np.sqrt(n))


equation_12 = theorem_5_7


def regimes(pi, n):
    r"""Which of the three regimes a question is in: "large margin", "low margin" or "Jensen-dominated".

    .. math:: \tilde m^2 \ge \log K, \qquad 2 \tilde\lambda^\star \le \tilde m < \sqrt{\log K}, \qquad
        \tilde m < 2 \tilde\lambda^\star

    pi : (K,) probabilities; K counts all of them, also those that are 0. n : answers that select.

    At the first border the estimators are still apart, and its bound is above 1 from three classes on (ours).

    Ledger: `semece2026.regimes`.

    >>> [regimes([0.5 + d / 2, 0.5 - d / 2], 25) for d in (0.1, 0.15, 0.2)]
    ['Jensen-dominated', 'low margin', 'large margin']
    """
    if section_3_standardized_margin(pi, n) ** 2 >= np.log(len(pi)):
        return "large margin"
    return "Jensen-dominated" if definition_5_5(pi, n) else "low margin"


def section_6_1_splits(Z, n):
    r"""Sem2 of every way to choose n of the answers; the experiments take the mean of ten of them.

    .. math:: \hat\pi_E(\hat z_N) \quad\text{for all } N \subset \{1, \dots, n + m\},\ |N| = n

    Z : (n + m,) classes 0 .. K - 1. n : answers that select. Returns one share a split.

    Ledger: `semece2026.section6_1`. The mean and the standard deviation of all, from counts: `helpers.answers.sem2`,
    `helpers.answers.sem2_spread`; there each of tied classes is selected equally often, unless ties="first".

    >>> section_6_1_splits([0, 0, 0, 1], 3)
    array([0., 1., 1., 1.])
    """
    Z = np.asarray(Z)
    K = Z.max() + 1
    blocks = [np.isin(np.arange(len(Z)), N) for N in combinations(range(len(Z)), n)]
    return np.array([equation_3(section_3_pmf(Z[N], K), section_3_pmf(Z[~N], K)) for N in blocks])


def section_6_1_sem2(Z, R=10, rng=None):
    r"""Sem2 as in the experiments: the mean of R random halvings of the answers.

    .. math:: \tfrac{1}{R} \sum_{r=1}^{R} \hat\pi_{E_r}(\hat z_{N_r}), \qquad |N_r| = \lfloor (n + m) / 2 \rfloor

    Z : (n + m,) classes 0 .. K - 1. R : halvings. rng : seed or Generator. Of an odd number of answers the smaller half
    selects (ours).

    Ledger: `semece2026.section6_1`. From counts: `helpers.answers.sem2_splits`.

    >>> section_6_1_sem2([1, 1, 1, 1], rng=0)
    1.0
    """
    rng = np.random.default_rng(rng)
    n, K = len(Z) // 2, np.max(Z) + 1
    orders = [rng.permutation(Z) for _ in range(R)]
    return float(np.mean([equation_3(section_3_pmf(o[:n], K), section_3_pmf(o[n:], K)) for o in orders]))


def section_6_1_verbalized(stated):
    r"""Verbalised confidence of a question: the mean of what the model stated, 1 where none could be read.

    .. math:: \tfrac{1}{n} \sum_i s_i, \qquad s_i = 1 \text{ if missing}

    stated : (n,) confidences in [0, 1], NaN where missing. Ledger: `semece2026.section6_1`. In tables of answers, where
    a missing one is left out unless missing_confidence=1: `helpers.answers.group_answers`.

    >>> section_6_1_verbalized([0.5, np.nan, 0.75])
    0.75
    """
    return float(np.where(np.isnan(stated), 1.0, stated).mean())


def appendix_a_1(pi, n):
    r"""What Bernstein's inequality gives in the proof of theorem 5.1 for the chance to miss the mode.

    .. math:: (K - 1) \exp\left(-\tfrac{n \Delta^2}{4p + 1}\right)

    pi : (K,) probabilities. n : answers that select.

    The proof calls it dominated by the bound of lemma A.1, up to universal constants; it is the larger of the two at
    every margin above 0, by a factor that grows with n.

    Ledger: `semece2026.lemmaa_1`. With exact variance and range: `helpers.answers.selection_error_bound`.

    >>> round(appendix_a_1([0.6, 0.4], 50), 4)
    0.6703
    """
    return float((len(pi) - 1) * np.exp(-n * section_3_margin(pi) ** 2 / (4 * section_3_mass(pi) + 1)))


def equation_13(pi, n):
    r"""Mean of the largest deviation of an observed share from its probability, exactly.

    .. math:: E\left[\max_k |\hat\pi_N(k) - \pi_k|\right] \le \sqrt{\tfrac{\log 2K}{2n}}

    pi : (K,) probabilities. n : answers.

    The right side is `equation_13_bound`.

    Ledger: `semece2026.equation13`. For many answers: `helpers.answers.exact.largest_deviation`.

    >>> equation_13([0.5, 0.5], 2)
    0.25
    """
    pi_N, chance = section_3_law(pi, n)
    return float(chance @ np.abs(pi_N - pi).max(axis=1))


def equation_13_bound(K, n):
    r"""Bound of `equation_13` for K classes and n answers: the uniform, margin-free term of the theorems.

    .. math:: \sqrt{\tfrac{\log 2K}{2n}}

    K, n : classes and answers.

    Ledger: `semece2026.equation13`.

    >>> round(equation_13_bound(2, 50), 4)
    0.1177
    """
    return float(np.sqrt(np.log(2 * K) / (2 * n)))


def lemma_a_1(pi, n):
    r"""Bound of the chance that the selected class is not the mode.

    .. math:: \Pr(\hat z_N \ne z^\star \mid q) \le (K - 1) \exp\left(-\tfrac{n \Delta^2}{2p}\right)

    pi : (K,) probabilities. n : answers that select.

    Stated for Delta above 0. Appendix A.3 cites a Bernstein-Chernoff bound; Chernoff's gives it, the Bernstein step of
    A.1 does not (`appendix_a_1`). May exceed 1.

    Ledger: `semece2026.lemmaa_1`. For many questions: `helpers.answers.selection_error_bound`.

    >>> round(lemma_a_1([0.6, 0.4], 50), 4)
    0.3679
    """
    return float((len(pi) - 1) * np.exp(-n * section_3_margin(pi) ** 2 / (2 * section_3_mass(pi))))


def lemma_a_1_chance(pi, n):
    r"""The chance that lemma A.1 bounds, exactly: the selected class is not the mode.

    .. math:: \Pr(\hat z_N \ne z^\star \mid q)

    pi : (K,) probabilities. n : answers that select. The listing is ours.

    Ledger: `semece2026.lemmaa_1`. For many questions: `helpers.answers.exact_bias`, its `wrong`.

    >>> lemma_a_1_chance([0.75, 0.25], 1)
    0.25
    """
    pi_N, chance = section_3_law(pi, n)
    return float(chance[pi_N.argmax(axis=1) != section_3_mode(pi)].sum())


def appendix_a_5(pi):
    r"""Variance, times n, that the proof of (9) prints for the lead of the mode over the runner-up.

    .. math:: \tau^2 = p + \pi_{(2)} - \Delta^2

    pi : (K,) probabilities.

    The middle term is printed and not defined; we read it as the probability of the runner-up. The variance is
    p - Delta^2 exactly. The print goes on with p (1 + o(1)), to which only p - Delta^2 leads.

    Ledger: `semece2026.appendixa_5`.

    >>> round(appendix_a_5([0.5, 0.3, 0.2]), 12)
    1.06
    """
    return float(section_3_mass(pi) + np.sort(pi)[-2] - section_3_margin(pi) ** 2)


def appendix_a_8():
    r"""Critical half margin: the only positive root of g_B, at which both biases are equal to leading order.

    .. math:: g_B(\tilde\lambda^\star) = 0

    The paper prints 0.6125 for its double, which is 0.6120. The root is the only one although g_B is not decreasing
    everywhere (`equation_10`).

    Ledger: `semece2026.appendixa_8`. With more rivals (ours): `helpers.answers.critical_half_margin`.

    >>> round(appendix_a_8(), 10)
    0.3060015905
    """
    return brentq(lambda lam: equation_10(lam)[1], 0, 2, xtol=1e-15)


def algorithm_1(Z, n):
    r"""The framework on one question: the selected class, Sem1 and Sem2.

    .. math:: \hat z_N = \arg\max_k \hat\pi_N(k), \qquad \hat c_1 = \max_k \hat\pi_N(k), \qquad
        \hat c_2 = \hat\pi_E(\hat z_N)

    Z : (n + m,) labels of the classes, in order. n : answers that select, the first ones.

    Classes are numbered as they appear, so that of tied ones the first to appear is selected; this rule looks at the
    sample, where the paper has one fixed rule for a question. Without answers held out Sem2 is NaN. To generate answers
    and to group them by meaning is left to a model.

    Ledger: `semece2026.algorithm1`. For tables of answers: `helpers.answers.sem_ece` with answer="block", ties="first".

    >>> algorithm_1(["Rome", "Bern", "Rome", "Bern", "Rome"], 3)
    ('Rome', 0.6666666666666666, 0.5)
    """
    number, classes = pd.factorize(pd.Series(Z))
    pi_N, pi_E = section_3_pmf(number[:n], len(classes)), section_3_pmf(number[n:], len(classes))
    z_N = section_3_mode(pi_N)
    return classes[z_N], equation_1(pi_N), equation_3(pi_N, pi_E)


def appendix_d(m_star, n):
    r"""Gap predicted for questions at a border of the regimes, with all probability on two classes (p = 1).

    .. math:: \varphi(\tilde m^\star) / \sqrt n

    m_star, n : standardised margin at the border, and answers.

    It is meant for a true margin. The paper compares it with questions whose margin in N answers is the border; among
    these the mean over halvings of the same answers makes Sem2 lower than Sem1 by sqrt(p / N) (phi(m) + m Phi(-m)),
    whatever the true margins are (ours).

    Ledger: `semece2026.appendixd`.

    >>> round(appendix_d(0.612, 50), 4)
    0.0468
    """
    return float(norm.pdf(m_star) / np.sqrt(n))


def appendix_d_borders(K, n):
    r"""The two borders of the regimes as margins, with all probability on two classes (p = 1).

    .. math:: \Delta = 2 \tilde\lambda^\star / \sqrt n, \qquad \Delta = \sqrt{\log K / n}

    K, n : classes and answers.

    Ledger: `semece2026.appendixd`.

    >>> [round(margin, 4) for margin in appendix_d_borders(2, 50)]
    [0.0866, 0.1177]
    """
    return float(2 * appendix_a_8() / np.sqrt(n)), float(np.sqrt(np.log(K) / n))


def appendix_e(c_1, c_2, a, L=10, B=1000, rng=None):
    r"""Paired bootstrap over questions: percentile intervals of two differences.

    .. math:: \Delta E[\hat c_1 - \hat c_2], \qquad \Delta ECE = Sem_1\text{-}ECE - Sem_2\text{-}ECE

    c_1, c_2, a : (Q,) both confidences and correctness. L : bins. B : resamples. rng : seed or Generator.

    Returns the ends of both 95 % intervals: row 0 of the mean of c_1 - c_2, row 1 of the difference of the errors. The
    third statistic of the paper is the second on the questions whose margin is below 1 / sqrt(n).

    Ledger: `semece2026.appendixe`. With values and p-values: `helpers.answers.sem_ece`, its `differences`.

    >>> appendix_e([0.75, 0.75], [0.5, 0.5], [0, 0], B=20, rng=0)
    array([[0.25, 0.25],
           [0.25, 0.25]])
    """
    c_1, c_2, a = np.array(c_1), np.array(c_2), np.array(a)
    rng = np.random.default_rng(rng)
    drawn = [rng.integers(len(a), size=len(a)) for _ in range(B)]
    reduction = [(c_1[q] - c_2[q]).mean() for q in drawn]
    gap = [section_3_ece(c_1[q], a[q], L) - section_3_ece(c_2[q], a[q], L) for q in drawn]
    return np.percentile([reduction, gap], [2.5, 97.5], axis=1).T


# Every item has a function. Within A.5 the chance that a third class is selected has none: its constant c is not given.
NOT_COMPUTED = {}
