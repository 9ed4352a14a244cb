"""Networks audited as in appendix D, in functions and in the checks of notebook 04."""

import numpy as np
import pandas as pd
import pytest
from scripts import load_script

from helpers.binning import assign_bins, group_sums, uniform_edges
from helpers.datasets import DATA_FOLDER, Embeddings, score_systems
from helpers.grouping import binned_grouping_loss_from_regions
from helpers.studies.nb04_networks import audit_network, halves, kind_gaps, lower_bounds


def data(n=600, seed=0, gap=0.3, **changes):
    """A network that is right `gap` more often than it says where the first unit is positive, and less where not."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["unit_0", "unit_1", "unit_2"])
    p = rng.uniform(0.35, 0.65, n)
    y = (rng.random(n) < p + gap * np.sign(X["unit_0"])).astype(int).to_numpy()
    kind = np.where(X["unit_0"] > 0, "sketch", "tattoo")
    return Embeddings("made up", **({"y": y, "p": p, "X": X, "kind": kind} | changes))


def test_halves_have_the_same_scores_and_keep_groups_whole():
    p = np.random.default_rng(0).random(1001)
    groups = np.arange(1001) // 3
    half = halves(p, rng=0)
    assert half.sum() in (500, 501)
    order = np.argsort(p)[:1000].reshape(500, 2)
    assert (half[order].sum(axis=1) == 1).all()
    half = halves(p, groups, rng=0)
    count, chosen = group_sums(groups, half)
    assert ((chosen == 0) | (chosen == count)).all() and abs(half.mean() - 0.5) < 0.01
    np.testing.assert_array_equal(halves(p, rng=3), halves(p, rng=3))


def test_known_groups_are_the_regions_of_the_judging_half():
    one = data()
    found = audit_network(one, known=True, rng=5)
    b = ~halves(one.p, rng=np.random.default_rng(5))
    region = (one.kind[b] == "tattoo").astype(int)
    by_hand = binned_grouping_loss_from_regions(one.y[b], one.p[b], region, rng=0)
    assert found.explained == pytest.approx(by_hand.explained, abs=1e-12) and found.n == b.sum()


@pytest.mark.slow
@pytest.mark.parametrize("recalibration", ["none", "isotonic"])
@pytest.mark.parametrize("gap", [0.3, 0.0])
def test_the_bound_finds_what_is_there_and_nothing_else(recalibration, gap):
    """Truth: the unit's sign moves q by `gap` around a calibrated score, so the grouping loss is gap squared."""
    values = [audit_network(data(1500, seed, gap), recalibration=recalibration, rng=seed).value for seed in range(12)]
    error = np.std(values, ddof=1) / np.sqrt(12)
    assert np.mean(values) < gap**2 + 4 * error
    assert np.mean(values) > 0.6 * gap**2 - 4 * error


def test_kind_gaps_cancel_and_hold_the_truth():
    one = data(2000, 3, groups=np.arange(2000) // 2)
    gaps = kind_gaps(one).set_index("rule")
    assert gaps["n"] @ gaps["gap"] == pytest.approx(0, abs=1e-9)
    sketch = pd.Series(one.kind == "sketch")
    share = sketch.groupby(assign_bins(one.p, uniform_edges(15))).transform("mean")
    truth = 0.6 * (1 - share[sketch].mean())  # +0.3 against a mix of +0.3 and -0.3
    se = (gaps.loc["sketch", "high"] - gaps.loc["sketch", "gap"]) / 1.96
    assert abs(gaps.loc["sketch", "gap"] - truth) < 4 * se
    assert (gaps["adjusted"] < 0.001).all()


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: audit_network(data(kind=None), known=True), "data"),
        (lambda: audit_network(data(), recalibration="platt"), "recalibration"),
        (lambda: audit_network(data(), estimator="forest"), "estimator"),
        (lambda: kind_gaps(data(kind=None)), "data"),
        (lambda: lower_bounds(data(), n_splits=0), "n_splits"),
        (lambda: halves([0.1, 2.0]), "p "),
        (lambda: halves([0.1, 0.2], range(5)), "p and groups"),
    ],
)
def test_wrong_options_are_named(call, argument):
    with pytest.raises(ValueError, match=f"^{argument}"):
        call()


@pytest.mark.slow
def test_the_shipped_measurements_are_made_by_their_script():
    script = load_script("make_network_grouping")
    shipped = pd.read_csv(DATA_FOLDER / "network_grouping.csv").set_index(["network", "recalibration"])
    assert set(shipped.index) == {(name, way) for name in script.TEST_SETS for way in ("none", "isotonic")}
    assert (shipped["low"] <= shipped["value"]).all() and (shipped["value"] <= shipped["high"]).all()
    name = "sst2_gpt2_4shot"
    if not score_systems().set_index("name").loc[name, "cached"]:
        pytest.skip("not in the cache: set HONEST_DATA to a folder that holds it, or call fetch_scores once")
    made = script.make_table([name]).set_index(["network", "recalibration"])
    pd.testing.assert_frame_equal(made, shipped.loc[made.index], check_dtype=False, rtol=0, atol=2e-5)
