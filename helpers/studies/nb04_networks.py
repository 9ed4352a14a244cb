"""A network audited in its own feature space: a table of embeddings, scores and labels in, the grouping diagram out.

The protocol is that of Perez-Lebel et al. (2023), appendices D and E.
"""

import numpy as np
import pandas as pd
from scipy.ndimage import gaussian_filter, rotate
from scipy.special import softmax
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression

from helpers.binning import assign_bins, group_sums, uniform_edges
from helpers.calibration import IsotonicCalibrator
from helpers.checks import check_count, check_groups, check_one_of, check_probabilities, check_same_length
from helpers.datasets import Embeddings, fetch_scores, load_digits
from helpers.grouping import binned_grouping_loss_from_regions
from helpers.partition import BinnedTree
from helpers.partition.checked import check_table
from helpers.plotting import plot_groups
from helpers.plotting.style import axes_for
from helpers.scoring import top_label

RECALIBRATION = ("none", "isotonic")


def digits_network(rng=None, *, renditions=True):
    """`Embeddings` of handwritten digits that a small network reads well, badly, and worse than it thinks."""
    rng = np.random.default_rng(rng)
    data = load_digits()
    images = data.X.to_numpy().reshape(-1, 8, 8) / 16
    weights = rng.normal(size=(64, 100)) / 2
    bias = 0.3 * rng.normal(size=100)
    order = rng.permutation(data.y.size)
    learn = order[:600]
    ask = order[600:]

    def hidden(images):  # rounded: the last bits of a matrix product depend on the machine, and trees see ties
        return np.round(np.maximum(images.reshape(-1, 64) @ weights + bias, 0), 6)

    # Newton's method to the last digit, so that every machine finds the same network.
    model = LogisticRegression(C=1.0, solver="newton-cholesky", tol=1e-10, max_iter=100)
    model.fit(hidden(images[learn]), data.y[learn])
    shown = RENDITIONS if renditions else {"as written": RENDITIONS["as written"]}
    pictures = np.concatenate([change(images[ask], rng) for change in shown.values()])
    proba = model.predict_proba(hidden(pictures))
    label = np.tile(data.y[ask], len(shown))
    correct, confidence = top_label(label, proba)
    confidence = np.round(confidence, 6)
    X = pd.DataFrame(hidden(pictures)).add_prefix("unit ")
    kind = np.repeat(np.array(list(shown), dtype=object), ask.size)
    return Embeddings("digits", correct.astype(int), confidence, X, kind, np.tile(np.arange(ask.size), len(shown)))


RENDITIONS = {
    "as written": lambda images, rng: images,
    "blurred": lambda images, rng: gaussian_filter(images, (0, 0.8, 0.8)),
    "noisy": lambda images, rng: np.clip(images + rng.normal(scale=0.35, size=images.shape), 0, 1),
    "turned": lambda images, rng: rotate(images, 20, axes=(1, 2), reshape=False, order=1),
    "faint": lambda images, rng: 0.4 * images,
    "left side hidden": lambda images, rng: images * (np.arange(8) > 2),
}


def fetch_embeddings(name):
    """A public network (see `fetch_scores`) by its highest score on its test set, with its logits as features."""
    data = fetch_scores(name)
    correct, confidence = top_label(data.y, softmax(data.scores.astype(float), axis=1))
    logits = pd.DataFrame(data.scores.astype(float)).add_prefix("logit ")
    return Embeddings(name, correct.astype(int), confidence, logits)


def halves(p, groups=None, rng=None):
    """True for the half that chooses; neighbours in the order of the score part, so that scores are distributed alike.

    Dependent rows (`groups`) stay together, ordered by their mean score. Perez-Lebel et al. (2023), appendix D.
    """
    rng = np.random.default_rng(rng)
    p = check_probabilities(p)
    groups = np.arange(p.size) if groups is None else check_groups(groups)
    check_same_length(p=p, groups=groups)
    count, total = group_sums(groups, p)
    order = np.lexsort((rng.random(count.size), total / count))
    first = rng.random((count.size + 1) // 2) < 0.5
    chosen = np.empty(count.size, dtype=bool)
    chosen[order] = np.column_stack([first, ~first]).ravel()[: count.size]
    return chosen[groups]


def audit_network(data, *, recalibration="none", estimator="tree", strategy="uniform", known=False, rng=None):
    """The protocol of appendix D: one half calibrates and chooses regions in each bin, the other half is evaluated."""
    check_one_of(recalibration, "recalibration", RECALIBRATION)
    if known and data.kind is None:
        raise ValueError("data must have a kind for each row when known=True, but data.kind is None.")
    rng = np.random.default_rng(rng)
    a = halves(data.p, data.groups, rng)
    p = data.p
    X = check_table(data.X)
    bins = {"n_bins": 15, "strategy": strategy}
    if recalibration == "isotonic":
        p = IsotonicCalibrator().fit(p[a], data.y[a]).predict(p)
    if known:
        region = pd.factorize(data.kind, sort=True)[0][~a]
    else:
        tree = BinnedTree(estimator, **bins, region_ratio=30, rng=rng)
        region = tree.fit(X[a], data.y[a], p[a]).apply(X[~a], p[~a])
    groups = None if data.groups is None else data.groups[~a]
    return binned_grouping_loss_from_regions(data.y[~a], p[~a], region, **bins, groups=groups, rng=rng)


COLUMNS = (
    "value", "se", "low", "high", "explained", "induced", "expected", "plugin", "calibration_loss", "n", "n_regions",
)  # fmt: skip


def lower_bounds(data, *, n_splits=10, rng=None, **options):
    """Calibration loss and lower bound of the grouping loss, as stated and recalibrated, means over random halves."""
    seeds = np.random.default_rng(rng).integers(2**31, size=check_count(n_splits, "n_splits"))
    rows = []
    for recalibration in RECALIBRATION:
        audits = [audit_network(data, recalibration=recalibration, **options, rng=seed) for seed in seeds]
        means = {name: float(np.mean([getattr(audit, name) for audit in audits])) for name in COLUMNS}
        means["sd"] = float(np.std([audit.value for audit in audits], ddof=1)) if n_splits > 1 else float("nan")
        rows.append({"network": data.name, "accuracy": data.y.mean(), "recalibration": recalibration} | means)
    return pd.DataFrame(rows)


def kind_gaps(data):
    """How much better each known group of cases does than all cases with scores of the same bin, for `plot_groups`."""
    if data.kind is None:
        raise ValueError("data must have a kind for each row, but data.kind is None.")
    bins = assign_bins(data.p, uniform_edges(15))
    count, total = group_sums(bins, data.y)
    residual = data.y - (total / np.maximum(count, 1))[bins]
    groups = np.arange(data.y.size) if data.groups is None else data.groups
    rows = []
    for name in np.unique(data.kind):
        mine = data.kind == name
        sums = group_sums(np.unique(groups[mine], return_inverse=True)[1], residual[mine] - residual[mine].mean())[1]
        gap = residual[mine].mean()
        se = np.sqrt((sums**2).sum()) / mine.sum()
        rows.append({"rule": name, "n": int(mine.sum()), "gap": gap, "low": gap - 1.96 * se, "high": gap + 1.96 * se,
                     "adjusted": 2 * norm.sf(abs(gap) / se) if se else 1.0})  # fmt: skip
    table = pd.DataFrame(rows)
    return table.assign(adjusted=np.minimum(1, table["adjusted"] * len(table)))


def draw_kinds(gaps, rng=None):
    """Gaps of the known kinds (`kind_gaps`), each beside one digit as that kind shows it."""
    ax = plot_groups(gaps, axes_for(None, (6.4, 4)), xlabel="share read right minus that of the bin, in points")
    digit = load_digits().X.to_numpy()[:1].reshape(-1, 8, 8) / 16
    rng = np.random.default_rng(rng)
    names = {name.get_text().rsplit(" (", 1)[0]: name for name in ax.texts}  # and the numbers of the gaps
    for kind in gaps["rule"]:
        box = ax.inset_axes([0.88, names[kind].xy[1] - 0.36, 0.12, 0.78], transform=ax.get_yaxis_transform())
        box.imshow(RENDITIONS[kind](digit, rng)[0], cmap="Greys", vmin=0, vmax=1)
        box.set_axis_off()
    low, high = ax.get_xlim()
    ax.set_xlim(low, high + 0.18 * (high - low))
    return ax
