r"""Perez-Lebel, Le Morvan and Varoquaux (2023): Beyond calibration. Estimating the grouping loss of modern networks.

The paper's letters: S stated scores, Q true probabilities, C = E[Q | S] calibrated scores, Y labels, B the bin of a
score, R the region of a case. Rows are the whole population, all equally likely, so E is a mean over rows.

Shapes and units: (n, K) tables have a column for each class, and the labels of a table are rows of zeros with a one;
losses are sums over the columns, as in the paper. An (n,) array is the probability of one of two classes, and its
labels are 0 and 1: the Brier score then counts that class alone, which is half of the paper's sum over both; the log
score counts both. `helpers.scoring` has the same two units.
"""

import numpy as np
import pandas as pd
from scipy.special import expit, rel_entr, xlogy

# ---- section 2: calibrated scores ------------------------------------------------------------------------------


def mean_given(U, *V):
    r"""Conditional mean of each row: of U over the rows that share all of V; calibrated scores are C = E[Q | S].

    .. math:: E[U | V = v] = \frac{\sum_i U_i 1[V_i = v]}{\sum_i 1[V_i = v]}

    U : (n,) or (n, d). V : each (n,) or (n, d); two rows share it if they agree in every digit.

    >>> mean_given([0.2, 0.4, 0.9], [0.5, 0.5, 0.7]).round(2)
    array([0.3, 0.3, 0.9])
    """
    U = np.asarray(U, float)
    v = np.unique(np.column_stack(V), axis=0, return_inverse=True)[1].ravel()
    means = np.array([np.bincount(v, column) for column in U.reshape(len(U), -1).T]) / np.bincount(v)
    return means.T[v].reshape(U.shape)


# ---- section 3.1: calibration with several classes -------------------------------------------------------------


def definition_3_1(Y, S):
    r"""Jointly calibrated (1): among the cases with the same row of scores each class occurs as often as stated.

    .. math:: P(Y = e_k | S = s) = s_k, \quad k = 1, \dots, K

    Y : (n, K) labels, or true probabilities. S : (n, K). Gives the left side, (n, K); S is calibrated if it equals S.

    Ledger: `perezlebel2023.definition3_1`. Its loss: `helpers.scoring.decompose` with `view="joint"`.

    >>> definition_3_1([[1, 0], [0, 1]], [[0.5, 0.5], [0.5, 0.5]]).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    return mean_given(Y, S)


def definition_3_2(Y, S):
    r"""Classwise calibrated (2): among the cases with one score of class k it occurs as often as stated, for each k.

    .. math:: P(Y = e_k | S_k = s_k) = s_k, \quad k = 1, \dots, K

    Y, S : as in definition 3.1. Gives the left side, (n, K), whose rows need not sum to 1.

    Ledger: `perezlebel2023.definition3_2`. Its loss: `helpers.scoring.decompose` with `view="classwise"`.

    >>> definition_3_2([[1, 0, 0], [0, 1, 0]], [[0.5, 0.3, 0.2], [0.5, 0.2, 0.3]]).tolist()
    [[0.5, 0.0, 0.0], [0.5, 1.0, 0.0]]
    """
    Y, S = np.asarray(Y, float), np.asarray(S, float)
    return np.column_stack([mean_given(Y[:, k], S[:, k]) for k in range(S.shape[1])])


def section_3_top_label(Y, S):
    r"""The binary problem of the top label: whether the predicted class is right, and its score (appendix C.9.1).

    .. math:: Y' = 1[Y = e_{\arg\max S}], \qquad S' = \max_k S_k

    Y, S : as in definition 3.1. Of tied classes the first is predicted; the paper leaves that open. With true
    probabilities for Y the first result is Q', the probability that the predicted class is right.

    Ledger: `perezlebel2023.section3_top_label`. Strong, for classes 0 .. K-1: `helpers.scoring.top_label`.

    >>> section_3_top_label([[0, 1], [0, 1]], [[0.2, 0.8], [0.5, 0.5]])
    (array([1., 0.]), array([0.8, 0.5]))
    """
    Y, S = np.asarray(Y, float), np.asarray(S, float)
    top = np.arange(len(S)), S.argmax(axis=1)
    return Y[top], S[top]


def definition_3_3(Y, S):
    r"""Top-label calibrated (3): among the cases with the same highest score the predicted class is right that often.

    .. math:: P(Y = e_{\arg\max S} | \max S = s) = s

    Y, S : as in definition 3.1, ties as in `section_3_top_label`. Gives the left side, (n,).

    Ledger: `perezlebel2023.definition3_3`. Its loss: `helpers.scoring.decompose` with `view="top-label"`.

    >>> definition_3_3([[1, 0], [1, 0]], [[0.8, 0.2], [0.2, 0.8]])
    array([0.5, 0.5])
    """
    return mean_given(*section_3_top_label(Y, S))


# ---- section 3.2: scoring rules and what they split into -------------------------------------------------------


def _sum(terms):
    """Sums over the columns; of (n,) terms the terms themselves."""
    return terms.reshape(len(terms), -1).sum(axis=1)


def _both(p):
    """Both classes of (n,) probabilities as columns; tables as they are."""
    p = np.asarray(p, float)
    return np.column_stack([1 - p, p]) if p.ndim == 1 else p


def equation_4_log(S, Y):
    r"""Log score of each case, in nats.

    .. math:: \phi^{LL}(S, Y) = -\sum_k Y_k \log S_k

    S, Y : (n, K), or (n,) for two classes, both of which count. Infinite where what occurred was given 0.

    Ledger: `perezlebel2023.equation4`. Strong: `helpers.scoring.LOG.score`.

    >>> equation_4_log([0.5, 0.0, 0.0], [1, 0, 1]).round(3)
    array([0.693, 0.   ,   inf])
    """
    return 0 - _sum(xlogy(_both(Y), _both(S)))


def equation_4_brier(S, Y):
    r"""Brier score of each case.

    .. math:: \phi^{BS}(S, Y) = \sum_k (S_k - Y_k)^2

    S, Y : (n, K), or (n,) for one of two classes, which gives half of the sum over both.

    Ledger: `perezlebel2023.equation4`. Strong: `helpers.scoring.BRIER.score`.

    >>> equation_4_brier([0.8], [0]).round(2), equation_4_brier([[0.2, 0.8]], [[1, 0]]).round(2)
    (array([0.64]), array([1.28]))
    """
    return _sum((np.asarray(S, float) - Y) ** 2)


def section_3_2_expected(phi, S, Q):
    r"""Expected score of stating S where labels are drawn with Q, of each case.

    .. math:: s_\phi(S, Q) = E_{Y \sim Q}\, \phi(S, Y)

    phi : function of S and Y, as those of equation 4. S, Q : (n, K) or (n,). What cannot occur costs nothing, even
    where its score is infinite.

    >>> section_3_2_expected(equation_4_brier, [0.5], [0.2])
    array([0.25])
    """
    Q = np.asarray(Q, float)
    outcomes = [np.zeros(len(Q)), np.ones(len(Q))] if Q.ndim == 1 else [0 * Q + e_k for e_k in np.eye(Q.shape[1])]
    return sum(q * np.where(q > 0, phi(S, Y), 0) for q, Y in zip(_both(Q).T, outcomes, strict=True))


def section_3_2_divergence(phi, S, Q):
    r"""What stating S costs beyond stating the truth Q, of each case.

    .. math:: d_\phi(S, Q) = s_\phi(S, Q) - s_\phi(Q, Q)

    phi, S, Q : as in `section_3_2_expected`.

    >>> section_3_2_divergence(equation_4_brier, [0.5], [0.2]).round(2)
    array([0.09])
    """
    return section_3_2_expected(phi, S, Q) - section_3_2_expected(phi, Q, Q)


def equation_5_log(S, Q):
    r"""Divergence of the log score: Kullback-Leibler, from the truth to what is stated.

    .. math:: d^{LL}(S, Q) = \sum_k Q_k \log \frac{Q_k}{S_k}

    S, Q : (n, K), or (n,) for two classes, both of which count. 0 log 0 is 0; infinite where S is 0 and Q is not.

    Ledger: `perezlebel2023.equation5`. Strong, with Q first: `divergence` of `helpers.scoring.ScoringRule`.

    >>> equation_5_log([0.5, 0.0], [1.0, 0.1]).round(3)
    array([0.693,   inf])
    """
    return _sum(rel_entr(_both(Q), _both(S)))


def equation_5_brier(S, Q):
    r"""Divergence of the Brier score: squared distance.

    .. math:: d^{BS}(S, Q) = \sum_k (S_k - Q_k)^2

    S, Q : (n, K), or (n,) for one of two classes.

    Ledger: `perezlebel2023.equation5`. Strong, with Q first: `divergence` of `helpers.scoring.ScoringRule`.

    >>> equation_5_brier([0.5], [0.2]).round(2)
    array([0.09])
    """
    return equation_4_brier(S, Q)


def equation_6(Q, S, d=equation_5_brier):
    r"""Expected loss = calibration loss + grouping loss + irreducible loss, for scores as whole rows.

    .. math:: E\, d(S, Y) = E\, d(S, C) + E\, d(C, Q) + E\, d(Q, Y), \qquad C = E[Q | S]

    Q, S : (n,) or (n, K). d : divergence, of equation 5. Gives the three parts on the right, (CL, GL, IL).

    Ledger: `perezlebel2023.equation6`; for the top label, with what `section_3_top_label` makes of Q and S. With
    weights, views and a C of one's own: `helpers.scoring.decompose`.

    >>> np.round(equation_6([0.3, 0.9], [0.5, 0.5]), 4)
    array([0.01, 0.09, 0.15])
    """
    C = mean_given(Q, S)
    CL, GL, IL = d(S, C), d(C, Q), section_3_2_expected(d, Q, Q)
    return float(CL.mean()), float(GL.mean()), float(IL.mean())


# ---- section 4.1: the grouping loss as a variance --------------------------------------------------------------


def definition_4_1(f, U, *V):
    r"""f-variance of U given V: the gap in Jensen's inequality; with the square it is the variance.

    .. math:: V_f[U | V] = E[f(U) | V] - f(E[U | V])

    f : function of rows, (n,) or (n, d) to (n,). U, V : as in `mean_given`. Gives (n,), the value for each row's V.

    Ledger: `perezlebel2023.definition4_1`. Without V, with weights: `variance` of `helpers.scoring.ScoringRule`.

    >>> definition_4_1(np.square, [0.2, 0.4, 0.9], [1, 1, 2]).round(4)
    array([0.01, 0.01, 0.  ])
    """
    return mean_given(f(np.asarray(U, float)), *V) - f(mean_given(U, *V))


def h_brier(p):
    r"""Negative entropy of the Brier score, the h of lemma 4.1; its h-variance is the variance.

    .. math:: h(p) = -s_\phi(p, p) = \sum_k (p_k^2 - p_k)

    p : (n, K), or (n,) for one of two classes. A column alone, (n, 1), gives the h_k-variance of each class, as in
    appendix C.9: the paper takes h_k(p) = p^2 there, since lemma C.4 leaves the Brier score out; p^2 - p is ours and
    has the same variance.

    >>> h_brier([0.5]), h_brier([[0.5, 0.5]])
    (array([-0.25]), array([-0.5]))
    """
    p = np.asarray(p, float)
    return _sum(p**2 - p)


def h_log(p):
    r"""Negative entropy of the log score, the h of lemma 4.1; its h-variance is a Kullback-Leibler divergence.

    .. math:: h(p) = -s_\phi(p, p) = \sum_k p_k \log p_k

    p : (n, K), or (n,) for two classes, both of which count. A column alone, (n, 1), is the h_k of lemma C.4.

    >>> h_log([0.5, 1.0]).round(3)
    array([-0.693,  0.   ])
    """
    p = _both(p)
    return _sum(xlogy(p, p))


def lemma_4_1(Q, S, h=h_brier):
    r"""The grouping loss is the mean h-variance of the truth given the score, equation (7).

    .. math:: GL(S) = E\, d(C, Q) = E\, V_h[Q | S]

    Q, S : (n,) or (n, K). h : negative entropy of the scoring rule. Gives the right side.

    Ledger: `perezlebel2023.lemma4_1`. Strong: `grouping` of `helpers.scoring.decompose`.

    >>> round(lemma_4_1([0.3, 0.9], [0.5, 0.5]), 4)
    0.09
    """
    return float(definition_4_1(h, Q, S).mean())


# ---- section 4.2: regions --------------------------------------------------------------------------------------


def theorem_4_1(Q, S, R, h=h_brier):
    r"""Grouping loss = what regions explain + what is left inside them, equation (8).

    .. math:: GL(S) = E\, V_h[E[Q | S, R] | S] + E\, V_h[Q | S, R]

    Q, S : (n,) or (n, K). R : (n,) region of each row, over all scores. h : negative entropy of the scoring rule.
    Gives (explained, residual).

    Ledger: `perezlebel2023.theorem4_1`. Strong: `explained_unbinned` and `residual_unbinned` of
    `helpers.grouping.exact_decomposition`.

    >>> np.round(theorem_4_1([0.5, 0.7, 0.7, 0.9], [0.7] * 4, [1, 1, 2, 2]), 4)
    array([0.01, 0.01])
    """
    explained = definition_4_1(h, mean_given(Q, S, R), S)
    residual = definition_4_1(h, Q, S, R)
    return float(explained.mean()), float(residual.mean())


def equation_9(Q, S, R, h=h_brier):
    r"""Lower bound of the grouping loss for a proper score, never negative: what regions explain.

    .. math:: GL(S) \ge GL_{explained}(S) = E\, V_h[E[Q | S, R] | S] \ge 0

    Q, S, R, h : as in theorem 4.1. All truths equal in each region: the bound is attained; one region: it is 0.

    Ledger: `perezlebel2023.equation9`. Strong: `explained_unbinned` of `helpers.grouping.exact_decomposition`.

    >>> round(equation_9([0.5, 0.7, 0.7, 0.9], [0.7] * 4, [1, 1, 2, 2]), 4)
    0.01
    """
    explained, _ = theorem_4_1(Q, S, R, h)
    return explained


# ---- section 4.3: bins -----------------------------------------------------------------------------------------


def section_4_3_bins(S, N=15):
    r"""Bin of each score, N bins of equal width on [0, 1].

    .. math:: B_j = [\tfrac{j}{N}, \tfrac{j + 1}{N}), \quad j = 0, \dots, N - 1, \qquad 1 \in B_{N-1}

    The paper numbers bins from 1 and leaves their edges open; from 0, and an edge in the bin above it, are ours.
    Appendix D has 15 bins, figure 5 has 10.

    S : (n,), in [0, 1]. N : number. Outside, nothing is checked: below 0 the bin is -1, above 1 the last.

    Strong, with any edges: `helpers.binning.assign_bins`.

    >>> section_4_3_bins([0.0, 0.3, 1.0], N=10)
    array([0, 3, 9])
    """
    return np.minimum(np.searchsorted(np.arange(N + 1) / N, S, side="right") - 1, N - 1)


def definition_4_2(Q, S, B):
    r"""Binned classifier (10) and binned calibrated scores: the means of S and of Q in the bin.

    .. math:: S_B = E[S | B], \qquad C_B = E[Q | B] = E[C | B]

    Q, S : (n,) or (n, K). B : (n,) bin of each row. Gives (S_B, C_B), in the shape of Q.

    Ledger: `perezlebel2023.definition4_2`. Strong, one entry a bin: `stated` and `rate` of
    `helpers.grouping.exact_decomposition`.

    >>> definition_4_2([0.2, 0.6], [0.1, 0.4], [0, 0])
    (array([0.25, 0.25]), array([0.4, 0.4]))
    """
    return mean_given(S, B), mean_given(Q, B)


def proposition_4_1(Q, S, B, h=h_brier):
    r"""Bins add grouping loss: the mean h-variance of the calibrated scores inside them, equation (11).

    .. math:: E\, V_h[Q | B] = E\, V_h[Q | S] + E\, V_h[C | B]

    Q, S : (n,) or (n, K). B : (n,) bin of each row, a function of S. h : as in lemma 4.1. Gives (binned, own,
    induced), left to right.

    Ledger: `perezlebel2023.proposition4_1`. Strong: `grouping_binned`, `grouping_loss` and `induced` of
    `helpers.grouping.exact_decomposition`.

    >>> np.round(proposition_4_1([0.6, 0.8, 0.8, 1.0], [0.7, 0.7, 0.9, 0.9], [1, 1, 1, 1]), 4)
    array([0.02, 0.01, 0.01])
    """
    C = mean_given(Q, S)
    binned, own, induced = definition_4_1(h, Q, B), definition_4_1(h, Q, S), definition_4_1(h, C, B)
    return float(binned.mean()), float(own.mean()), float(induced.mean())


def proposition_4_2(Q, S, B, R, h=h_brier):
    r"""Grouping loss = explained by regions inside bins - induced by bins + residual, equation (12).

    .. math:: GL(S) = E\, V_h[E[Q | B, R] | B] - E\, V_h[C | B] + E\, V_h[Q | B, R]

    Q, S : (n,) or (n, K). B, R : (n,) bin and region of each row. h : as in lemma 4.1. Gives (explained, induced,
    residual).

    Ledger: `perezlebel2023.proposition4_2`. Strong: fields of these names of `helpers.grouping.exact_decomposition`.

    >>> np.round(proposition_4_2([0.5, 0.7, 0.8, 1.0], [0.6, 0.6, 0.9, 0.9], [1, 1, 1, 1], [0, 1, 0, 1]), 4)
    array([0.01  , 0.0225, 0.0225])
    """
    explained = definition_4_1(h, mean_given(Q, B, R), B)
    induced = definition_4_1(h, mean_given(Q, S), B)
    residual = definition_4_1(h, Q, B, R)
    return float(explained.mean()), float(induced.mean()), float(residual.mean())


def equation_13(Q, S, B, R, h=h_brier):
    r"""Lower bound GL_LB of the grouping loss that can be estimated: explained - induced. It may be negative.

    .. math:: GL(S) \ge E\, V_h[E[Q | B, R] | B] - E\, V_h[C | B]

    Q, S, B, R, h : as in proposition 4.2.

    Ledger: `perezlebel2023.equation13`. Strong: `lower_bound` of `helpers.grouping.exact_decomposition`; from labels:
    `helpers.grouping.binned_grouping_loss_from_regions` with `correction="bins"`.

    >>> round(equation_13([0.6, 0.8], [0.6, 0.8], [1, 1], [0, 0]), 4)
    -0.01
    """
    explained, induced, _ = proposition_4_2(Q, S, B, R, h)
    return explained - induced


# ---- section 4.4: from labels ----------------------------------------------------------------------------------


def proposition_4_3(Y, B, R):
    r"""Debiased estimate of what regions explain, Brier score, one class: the plug-in minus an estimate of its bias.

    .. math:: \sum_s \frac{n_s}{n} \Bigg[\sum_j \frac{n_j}{n_s} (\hat\mu_j - \hat c_s)^2 - \bigg(\sum_j
        \frac{n_j}{n_s} \frac{\hat\mu_j (1 - \hat\mu_j)}{n_j - 1} - \frac{\hat c_s (1 - \hat c_s)}{n_s - 1}\bigg)\Bigg]

    Y : (n,) labels 0/1 of one class; the paper's estimate is the sum over the classes, of two classes twice this one.
    B, R : (n,) bin and region of each row, chosen without these labels. Gives (plug-in, bias); estimate = plug-in -
    bias. Regions without rows add nothing. A region of one row is 0 / 0, which makes the bias nan.

    Ledger: `perezlebel2023.proposition4_3`. Strong: `plugin` and `bias` of
    `helpers.grouping.binned_grouping_loss_from_regions`, which leaves out and counts the rows of such regions.

    >>> plugin, bias = proposition_4_3([0, 0, 0, 1, 1, 1, 1, 0], [0] * 8, [1, 1, 1, 1, 2, 2, 2, 2])
    >>> plugin, round(bias, 4), round(plugin - bias, 4)
    (0.0625, 0.0268, 0.0357)
    """
    rows = pd.DataFrame({"Y": np.asarray(Y, float), "B": B, "R": R})
    in_region, in_bin = rows.groupby(["B", "R"])["Y"], rows.groupby("B")["Y"]
    n_j, mu_j = in_region.transform("size"), in_region.transform("mean")
    n_s, c_s = in_bin.transform("size"), in_bin.transform("mean")
    plugin = (mu_j - c_s) ** 2
    bias = mu_j * (1 - mu_j) / (n_j - 1) - c_s * (1 - c_s) / (n_s - 1)
    return float(plugin.mean()), float(bias.mean(skipna=False))


# ---- appendix B: calibrated, accurate, and wrong ---------------------------------------------------------------


def equation_14(x, S, h, g):
    r"""True probabilities with a link of one's own: h of the score on the right, g on the left.

    .. math:: Q(x) = 1[x > 0]\, h(S(x)) + 1[x < 0]\, g(S(x)) + 1[x = 0]\, S(0)

    x, S : (n,) inputs and scores, S an even function of x. h, g : vectorised functions of the score. With inputs that
    are symmetric around 0 the score is calibrated if and only if (h + g) / 2 is the identity.

    Ledger: `perezlebel2023.equation14`. As a population to draw from: `helpers.simulation.Links`.

    >>> equation_14(np.array([-1, 0, 1]), np.array([0.5, 0.3, 0.5]), np.sqrt, np.square).round(3)
    array([0.25 , 0.3  , 0.707])
    """
    return np.where(x > 0, h(S), np.where(x < 0, g(S), S))


def appendix_b_1(h):
    r"""The link of the left side that keeps the score calibrated.

    .. math:: g(s) = 2 s - h(s), \qquad 2 s - 1 \le h(s) \le 2 s

    h : vectorised function of the score, within the limits on the right. Best accuracy is kept if h(s) and g(s) lie
    on the side of 1/2 on which s lies. Differs: the paper asks it of h alone, but h(0.4) = 0.1 makes g(0.4) = 0.7.

    Ledger: `perezlebel2023.appendixb_1`. Strong: `helpers.simulation.Links`.

    >>> appendix_b_1(np.square)(np.array([0.5, 1.0]))
    array([0.75, 1.  ])
    """
    return lambda s: 2 * s - h(s)


def appendix_b_2(X, omega, omega_perp, psi, *, accurate=False):
    r"""A sigmoid score, and a truth that a direction which the score does not see moves up and down.

    .. math:: S(x) = \varphi(\omega^T x), \qquad Q(x) = S(x) + \psi(\omega_\perp^T x)\, \Delta_{max}(x), \qquad
        \Delta_{max} = \min(S, 1 - S)

    X : (n, d). omega, omega_perp : (d,). psi : odd function into [-1, 1]. accurate : the room is also at most
    abs(1/2 - S), so that no decision at 1/2 changes, unless psi reaches -1 or 1: then Q may be exactly 1/2, where
    either decision costs the same. Gives (S, Q), each (n,). phi is any link in the paper, the sigmoid here.

    Ledger: `perezlebel2023.appendixb_2`; the paper asks for a right angle and X from N(0, Sigma) with both directions
    among the eigenvectors of Sigma, which is enough for a calibrated S. Independent projections, the second symmetric
    around 0, are enough, too, at any angle; a right angle alone is not (`ours.construction_blind_direction`). As a
    population to draw from: `helpers.simulation.BlindSpot`.

    >>> appendix_b_2(np.array([[0, 2], [0, -2]]), [1, 0], [0, 1], np.sign)
    (array([0.5, 0.5]), array([1., 0.]))
    """
    S = expit(X @ np.asarray(omega))
    room = np.minimum(S, 1 - S)
    if accurate:
        room = np.minimum(room, abs(0.5 - S))
    return S, S + psi(X @ np.asarray(omega_perp)) * room


def equation_15(S, psi, delta):
    r"""Mean truth at each score of appendix B.2, (15) and (16): calibrated if the disturbance is 0 on average.

    .. math:: E[Q | S] = S + E[\psi | S]\, \Delta_{max}(S)

    S, psi, delta : (n,) scores, values of the disturbance, and its room, which is a function of the score.

    Ledger: `perezlebel2023.equation15`.

    >>> equation_15([0.2, 0.2, 0.6], [1, -1, 0.5], [0.2, 0.2, 0.4])
    array([0.2, 0.2, 0.8])
    """
    return np.asarray(S, float) + mean_given(psi, S) * delta


# ---- appendix C.2: the law of total f-variance -----------------------------------------------------------------


def lemma_c_1(f, Y, X, Z):
    r"""Law of total variance for f-variances, equation (27).

    .. math:: V_f[Y | Z] = E\big[V_f[Y | X, Z] | Z\big] + V_f\big[E[Y | X, Z] | Z\big]

    f : function of rows. Y, X, Z : (n,) or (n, d). Gives the two terms on the right for each row's Z, each (n,).

    Ledger: `perezlebel2023.lemmac_1`.

    >>> within, between = lemma_c_1(np.square, [1, 2, 3, 6], [0, 0, 1, 1], [0, 0, 0, 0])
    >>> within, between, float(np.var([1, 2, 3, 6]))
    (array([1.25, 1.25, 1.25, 1.25]), array([2.25, 2.25, 2.25, 2.25]), 3.5)
    """
    within = mean_given(definition_4_1(f, Y, X, Z), Z)
    between = definition_4_1(f, mean_given(Y, X, Z), Z)
    return within, between


# ---- appendices C.5 to C.7: what the estimates rest on ---------------------------------------------------------


def lemma_c_2(Q, n):
    r"""Mean and variance of the mean label of n new cases, drawn at random from a region (42) or a bin (43).

    .. math:: E[\hat\mu] = \mu, \qquad Var(\hat\mu) = \frac{\mu (1 - \mu)}{n}, \qquad \mu = E[Q]

    Q : (m,) truths in the region, or in the bin. n : int. For labels of the same cases again the variance is smaller.

    Ledger: `perezlebel2023.lemmac_2`.

    >>> lemma_c_2([0.1, 0.9], 10)
    (0.5, 0.025)
    """
    mu = float(np.mean(Q))
    return mu, mu * (1 - mu) / n


def appendix_c_6(mu, p, n):
    r"""Bias of the plug-in estimate in one bin, equation (56); :math:`\nu_j` is the chance that region j gets no row.

    .. math:: bias = \sum_j (1 - \nu_j) \frac{\mu_j (1 - \mu_j)}{n} - \frac{c (1 - c)}{n}, \qquad \nu_j = (1 - p_j)^n

    mu, p : (J,) rates and shares of the regions, c = sum_j p_j mu_j. n : int, rows in the bin.

    Ledger: `perezlebel2023.appendixc_6`. Differs: the paper's inequality (59) says that without the nu_j this is never
    negative. It can be, see the example, but never below -1 / (4 n).

    >>> round(appendix_c_6(mu=[0.02, 0.98], p=[0.5, 0.5], n=100), 4)
    -0.0021
    """
    mu, p = np.asarray(mu, float), np.asarray(p, float)
    c, nu = p @ mu, (1 - p) ** n
    return float(((1 - nu) * mu * (1 - mu)).sum() / n - c * (1 - c) / n)


def proposition_c_1(C_hat, B, h=h_brier):
    r"""Estimate of the grouping loss that bins induce, from a smooth calibration curve, equation (61).

    .. math:: \sum_s \frac{n_s}{n} \Big[\frac{1}{n_s} \sum_{i \in s} h(\hat C_i) - h(\hat C_{B,s})\Big],
        \qquad \hat C_{B,s} = \frac{1}{n_s} \sum_{i \in s} \hat C_i

    C_hat : (n,) or (n, K), the curve at each row's score. B : (n,) bin of each row. (The paper writes e for h, and
    leaves the curve open.) h : as in lemma 4.1.

    Ledger: `perezlebel2023.propositionc_1`; the noise of an estimated curve counts as induced, see
    `ours.debiasing_wide_curve`. Two curves from different labels: `induced` of
    `helpers.grouping.binned_grouping_loss_from_regions`.

    >>> round(proposition_c_1([0.2, 0.4, 0.9], [0, 0, 1]), 4)
    0.0067
    """
    return float(definition_4_1(h, C_hat, B).mean())


# ---- appendix C.8: what bins do to both losses, Brier score ----------------------------------------------------


def proposition_c_2(Q, S, B):
    r"""Bins hide calibration loss: the mean variance of score minus calibrated score inside them, equation (62).

    .. math:: E \lVert S_B - C_B \rVert^2 = E \lVert S - C \rVert^2 - E\, V[S - C | B]

    Q, S : (n,) or (n, K). B : (n,) bin of each row. Gives (binned, own, hidden), left to right: binned = own - hidden.

    Ledger: `perezlebel2023.propositionc_2`. Differs: the brace of (62) names E V, without the minus, CL_induced; the
    text calls CL_induced negative, and theorem C.1 needs it so: CL_induced = -E V. Strong: `calibration_binned`,
    `calibration_loss` and `calibration_induced` of `helpers.grouping.exact_decomposition`.

    >>> np.round(proposition_c_2([0.4, 0.4], [0.2, 0.6], [0, 0]), 4)
    array([0.  , 0.04, 0.04])
    """
    Q, S = np.asarray(Q, float), np.asarray(S, float)
    C = mean_given(Q, S)
    S_B, C_B = definition_4_2(Q, S, B)
    binned, own, hidden = equation_5_brier(S_B, C_B), equation_5_brier(S, C), definition_4_1(h_brier, S - C, B)
    return float(binned.mean()), float(own.mean()), float(hidden.mean())


def lemma_c_3(N):
    r"""Variance of the scores in one of N bins of equal width: at most (63), and (64) if they are uniform there.

    .. math:: V[S | B] \le \frac{1}{4 N^2}, \qquad V[S | B] = \frac{1}{12 N^2}

    N : int. Gives (at most, uniform). Half of the scores at each end of the bin attain the first; of half-open bins
    only the last has both its ends, and the others come as close as one likes. For a calibrated score this is what
    bins induce; a curve that is steep in a bin induces more.

    Ledger: `perezlebel2023.lemmac_3`.

    >>> np.round(lemma_c_3(5), 4)
    array([0.01  , 0.0033])
    """
    return 1 / (4 * N**2), 1 / (12 * N**2)


def theorem_c_1(Q, S, B):
    r"""What bins add to calibration and grouping loss together, and bounds of it (one of two classes).

    .. math:: CL_{induced} + GL_{induced} = E\big[2\, Cov[S, C | B] - V[S | B]\big]
    .. math:: -E\big[s (2 t + s)\big] \le CL_{induced} + GL_{induced} \le E\big[s (2 t - s)\big], \qquad
        s^2 = V[S | B],\ t^2 = V[C | B]

    Q, S, B : (n,). Gives (sum, low, high). CL_induced has the minus sign here: minus the last term of
    `proposition_c_2`. The theorem's last display is `corollary_c_1_width`.

    Ledger: `perezlebel2023.theoremc_1`. Strong: `net_induced` of `helpers.grouping.exact_decomposition`, and
    `helpers.grouping.induced_bounds`.

    >>> np.round(theorem_c_1([0, 1], [0.4, 0.6], [0, 0]), 4)
    array([ 0.09, -0.11,  0.09])
    """
    C = mean_given(Q, S)
    S_B, C_B = definition_4_2(Q, S, B)
    s, t = mean_given((S - S_B) ** 2, B) ** 0.5, mean_given((C - C_B) ** 2, B) ** 0.5
    covariance = mean_given(S * C, B) - S_B * C_B
    both, low, high = 2 * covariance - s**2, -s * (2 * t + s), s * (2 * t - s)
    return float(both.mean()), float(low.mean()), float(high.mean())


def corollary_c_1(Q, S, B):
    r"""The bounds of theorem C.1 without a calibration curve: the rate of the bin limits the variance of C.

    .. math:: -E\big[s (2 v + s)\big] \le CL_{induced} + GL_{induced} \le E\big[s (2 v - s)\big], \qquad
        s^2 = V[S | B],\ v^2 = C_B (1 - C_B)

    Q, S, B : (n,). Gives (low, high).

    Ledger: `perezlebel2023.corollaryc_1`. Strong: `helpers.grouping.induced_bounds`.

    >>> np.round(corollary_c_1([0.5, 0.5], [0.4, 0.6], [0, 0]), 4)
    array([-0.11,  0.09])
    """
    S_B, C_B = definition_4_2(Q, S, B)
    s, v = mean_given((S - S_B) ** 2, B) ** 0.5, (C_B * (1 - C_B)) ** 0.5
    return float((-s * (2 * v + s)).mean()), float((s * (2 * v - s)).mean())


def corollary_c_1_width(Q, B, N):
    r"""The same bounds from the rates of N bins of equal width alone: last lines of theorem C.1 and corollary C.1.

    .. math:: -\frac{1}{N} E\, v - \frac{1}{4 N^2} \le CL_{induced} + GL_{induced} \le \frac{1}{N} E\, v, \qquad
        v^2 = C_B (1 - C_B)

    Q, B : (n,) truths and bins. N : int. Gives (low, high).

    Ledger: `perezlebel2023.corollaryc_1`; the upper one is not attained if 0 < C_B < 1 in any bin
    (`ours.width_bound_sharp`). Strong: "width only" of `helpers.grouping.induced_bounds`.

    >>> np.round(corollary_c_1_width([0.5, 0.5], [0, 0], N=5), 4)
    array([-0.11,  0.1 ])
    """
    C_B = mean_given(Q, B)
    v = float(((C_B * (1 - C_B)) ** 0.5).mean())
    return -v / N - 1 / (4 * N**2), v / N


def corollary_c_2(Q, S, B, R, N):
    r"""Three floors of the mean squared error: from bins, regions, and a calibration curve, bin rates, or widths.

    .. math:: E (S - Q)^2 \ge E (S_B - C_B)^2 + GL_{explained}(S_B) - high

    where high is the upper end of theorem C.1, of corollary C.1, and of its last line. Q, S, B, R : (n,). N : int,
    bins of equal width. Gives the three.

    Ledger: `perezlebel2023.corollaryc_2`. Ambiguous: the paper has no formula for l2-ECE_B and the lower bound of
    S_B. We read the mean square, whose root would be too large, and the explained part. Strong: `floor` of
    `helpers.grouping.induced_bounds`.

    >>> np.round(corollary_c_2([0.4, 0.8], [0.3, 0.3], [0, 0], [0, 1], N=2), 4)
    array([ 0.13  ,  0.13  , -0.1149])
    """
    binned = proposition_c_2(Q, S, B)[0] + theorem_4_1(Q, B, R)[0]
    highs = theorem_c_1(Q, S, B)[2], corollary_c_1(Q, S, B)[1], corollary_c_1_width(Q, B, N)[1]
    return tuple(binned - high for high in highs)


# ---- appendix C.9: class by class ------------------------------------------------------------------------------


def proposition_c_3(Q, S, d=equation_5_brier):
    r"""Equation 6 class by class, for the Brier and the log score: each class is calibrated given its own score.

    .. math:: E\, d(S, Y) = E\, d(S, C) + E\, d(C, Q) + E\, d(Q, Y), \qquad C_k = E[Q_k | S_k]

    Q, S : (n, K). d : divergence, of equation 5, whose terms are the d_k of the proof. Gives (CL, GL, IL), sums over
    the classes; with the log score the CL of a single class may be negative (`ours.parts_one_class`).

    Ledger: `perezlebel2023.propositionc_3`. Strong: `helpers.scoring.decompose` with `view="classwise"`.

    >>> Q, S = [[0.2, 0.3, 0.5], [0.4, 0.5, 0.1]], [[0.3, 0.3, 0.4], [0.3, 0.4, 0.3]]
    >>> np.round(proposition_c_3(Q, S), 4)
    array([0.03, 0.01, 0.6 ])
    """
    C = definition_3_2(Q, S)
    CL, GL, IL = d(S, C), d(C, Q), section_3_2_expected(d, Q, Q)
    return float(CL.mean()), float(GL.mean()), float(IL.mean())


def _columns(*tables):
    """Class by class: the first table as a column alone, the others as arrays."""
    first, *others = (np.asarray(table) for table in tables)
    return [(first[:, [k]], *(table[:, k] for table in others)) for k in range(first.shape[1])]


def lemma_c_4(Q, S, h=h_brier):
    r"""The classwise grouping loss is the sum of the mean h_k-variances of each class given its own score, (78).

    .. math:: GL(S) = \sum_k E\, V_{h_k}[Q_k | S_k]

    Q, S : (n, K). h : negative entropy whose terms are the h_k. The lemma asks for a score that depends on the
    probability of the true class alone, as the log score does; the paper shows it for the Brier score as well.

    Ledger: `perezlebel2023.lemmac_4`. Strong: `grouping` of `helpers.scoring.decompose` with `view="classwise"`.

    >>> round(lemma_c_4([[0.2, 0.3, 0.5], [0.4, 0.5, 0.1]], [[0.3, 0.3, 0.4], [0.3, 0.4, 0.3]]), 4)
    0.01
    """
    return sum(lemma_4_1(Q_k, S_k, h) for Q_k, S_k in _columns(Q, S))


def theorem_c_2(Q, S, B, R, h=h_brier):
    r"""Theorem 4.1 and propositions 4.1 and 4.2 class by class, each class with bins and a partition of its own.

    .. math:: GL(S) = \sum_k E\, V_{h_k}[E[Q_k | S_k, R_k] | S_k] + \sum_k E\, V_{h_k}[Q_k | S_k, R_k]
    .. math:: \sum_k E\, V_{h_k}[Q_k | B_k] = GL(S) + \sum_k E\, V_{h_k}[C_k | B_k]
    .. math:: GL(S) = GL_{explained}(S_B) - GL_{induced}(S, S_B) + GL_{residual}(S_B)

    Q, S, B, R : (n, K). Gives the terms of (87), (88) and (89) as three arrays: (explained, residual),
    (binned, own, induced), (explained, induced, residual). The bounds (90) to (92) follow, since for a proper score no
    term is negative. h : as in lemma 4.1.

    Ledger: `perezlebel2023.theoremc_2`. Strong: `helpers.grouping.exact_decomposition` of a table.

    >>> half = np.full((2, 2), 0.5)
    >>> theorem_c_2([[0.4, 0.6], [0.6, 0.4]], half, np.zeros((2, 2)), [[0, 0], [1, 0]])[0].round(4)
    array([0.01, 0.01])
    """
    classes = _columns(Q, S, B, R)
    equation_87 = sum(np.array(theorem_4_1(Q_k, S_k, R_k, h)) for Q_k, S_k, _, R_k in classes)
    equation_88 = sum(np.array(proposition_4_1(Q_k, S_k, B_k, h)) for Q_k, S_k, B_k, _ in classes)
    equation_89 = sum(np.array(proposition_4_2(Q_k, S_k, B_k, R_k, h)) for Q_k, S_k, B_k, R_k in classes)
    return equation_87, equation_88, equation_89


# ---- appendix C.10: recalibration ------------------------------------------------------------------------------


def lemma_c_5(Q, S, S_new, h=h_brier):
    r"""Recalibration adds to the grouping loss the mean h-variance of the calibrated score given the new score.

    .. math:: GL(S') = GL(S) + E\, V_h[C | S'], \qquad S' = \hat c(S)

    Q, S, S_new : (n,) or (n, K), S_new a function of S. Gives (new, own, added), left to right. An invertible map and
    the exact one, S' = C, add nothing. h : as in lemma 4.1.

    Ledger: `perezlebel2023.lemmac_5`. Strong: `grouping` of `helpers.scoring.decompose`, before and after.

    >>> np.round(lemma_c_5([0.2, 0.4, 0.7], [0.1, 0.1, 0.9], [0.5, 0.5, 0.5]), 4)
    array([0.0422, 0.0067, 0.0356])
    """
    return proposition_4_1(Q, S, S_new, h)


# Every definition, lemma, proposition, theorem and corollary has a function, and so have the equations they state;
# steps of proofs have none. The Clopper-Pearson intervals of figure 5: `scipy.stats.binomtest(k, n).proportion_ci()`.
NOT_COMPUTED = {
    "remark_1": "It comments on theorem C.1, whose sum is what is left when the two induced losses partly cancel.",
    "section_4_4": "A protocol of halves, trees and a curve: `helpers.grouping.binned_grouping_loss` follows it.",
}
