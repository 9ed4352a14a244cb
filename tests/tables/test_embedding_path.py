"""A table of embeddings: read strictly, audited as in appendix D, in functions and in the checks of notebook 04."""

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from scripts import load_script

from helpers.binning import assign_bins, group_sums, uniform_edges
from helpers.datasets import DATA_FOLDER, score_systems
from helpers.grouping import binned_grouping_loss_from_regions
from helpers.studies import nb04_networks
from helpers.studies import nb04_networks as embeddings
from helpers.studies.nb04_networks import audit_network, halves, kind_gaps, lower_bounds
from helpers.tables import Embeddings, read_embeddings

ROOT = Path(__file__).resolve().parents[2]


def frame(n=600, seed=0, gap=0.3):
    """A network that is right `gap` more often than it says where the first unit is positive, and less where not."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    p = rng.uniform(0.35, 0.65, n)
    q = p + gap * np.sign(X[:, 0])
    table = pd.DataFrame(X, columns=["unit_0", "unit_1", "unit_2"])
    kind = np.where(X[:, 0] > 0, "sketch", "tattoo")
    return table.assign(label=(rng.random(n) < q).astype(int), score=p, kind=kind, image=np.arange(n) // 2)


def data(n=600, seed=0, gap=0.3, **changes):
    table = frame(n, seed, gap)
    columns = {"y": table["label"].to_numpy(), "p": table["score"].to_numpy(), "X": table.filter(like="unit")}
    return Embeddings("made up", **(columns | changes))


def write(table, path):
    if path.name.endswith(".npz"):
        X = table.filter(like="unit").to_numpy()
        others = {name: table[name].to_numpy() for name in table if not name.startswith("unit")}
        np.savez(path, unit=X, **{k: v.astype(str) if v.dtype == object else v for k, v in others.items()})
    elif path.name.endswith(".parquet"):
        table.to_parquet(path)
    else:
        table.to_csv(path, index=False)
    return path


# ---- reading --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.parquet", "a.npz"])
def test_every_format_holds_the_same_table(tmp_path, name):
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    table = frame()
    read = read_embeddings(write(table, tmp_path / name), kind="kind", group="image")
    np.testing.assert_array_equal(read.y, table["label"])
    np.testing.assert_allclose(read.p, table["score"], rtol=1e-12)
    np.testing.assert_allclose(read.X, table.filter(like="unit"), rtol=1e-12)
    assert list(read.X) == ["unit_0", "unit_1", "unit_2"] and read.name == name
    assert set(read.kind) == {"sketch", "tattoo"} and np.unique(read.groups).size == 300
    assert str(read).startswith(f"{name}: 600 rows of 300 groups, 3 features; ")


def changed(column, value, row=7):
    def change(table):
        table[column] = table[column].astype(object)
        table.loc[row, column] = value
        return table

    return change


BAD = {  # a change, and what the error must name beside the file
    "a label of 2": (changed("label", 2), ["'label'", "row 8", "2"]),
    "one class": (lambda table: table.assign(label=1), ["'label'", "both classes"]),
    "a score above 1": (changed("score", 1.5), ["'score'", "row 8", "1.5"]),
    "a score missing": (changed("score", np.nan), ["'score'", "row 8", "missing"]),
    "a word among scores": (changed("score", "sure"), ["'score'", "row 8", "'sure'"]),
    "a feature missing": (changed("unit_1", np.nan), ["'unit_1'", "row 8", "missing"]),
    "an infinite feature": (changed("unit_1", np.inf), ["'unit_1'", "row 8", "inf"]),
    "a word among features": (changed("unit_2", "x"), ["'unit_2'", "row 8", "'x'"]),
    "no score": (lambda table: table.rename(columns={"score": "scores"}), ["'score' (score)", "'scores'?"]),
    "no kind": (lambda table: table.drop(columns="kind"), ["'kind' (kind)"]),
    "a kind missing": (changed("kind", None), ["'kind'", "row 8", "missing"]),
    "a group missing": (changed("image", None), ["'image'", "row 8", "missing"]),
    "few rows": (lambda table: table.head(50), ["50 rows", "200"]),
    "no feature": (lambda table: table[["label", "score", "kind", "image"]], ["feature"]),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_table_is_refused_with_its_column_and_row(tmp_path, case):
    change, words = BAD[case]
    path = write(change(frame()), tmp_path / "a.csv")
    with pytest.raises(ValueError, match="^a.csv:? ") as error:
        read_embeddings(path, kind="kind", group="image")
    assert all(word in str(error.value) for word in words), error.value


def saved(**arrays):
    content = io.BytesIO()
    np.savez(content, **arrays)
    return content.getvalue()


ARCHIVES = {
    "text": b"not an archive",
    "the beginning of an archive": saved(label=np.zeros(5))[:30],
    "a single array": np.lib.format.magic(1, 0) + b"junk",
    "objects": saved(label=np.array([{}], dtype=object)),
    "lengths": saved(label=np.zeros(5), score=np.zeros(4)),
    "a number": saved(label=np.zeros(5), score=np.zeros(())),
    "nothing": saved(),
}


@pytest.mark.parametrize("case", ARCHIVES)
def test_a_bad_archive_is_refused_and_closed(tmp_path, case):
    (tmp_path / "a.npz").write_bytes(ARCHIVES[case])
    with pytest.raises(ValueError, match=r"^a\.npz "):
        read_embeddings(tmp_path / "a.npz")


@pytest.mark.parametrize("name", ["gone.npz", "a.txt"])
def test_what_is_no_file_of_embeddings(tmp_path, name):
    with pytest.raises(ValueError, match=f"^{name} "):
        read_embeddings(tmp_path / name)


# ---- the protocol ---------------------------------------------------------------------------------------------


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
    one = data(kind=frame()["kind"].to_numpy())
    found = audit_network(one, known=True, rng=5)
    b = ~halves(one.p, rng=np.random.default_rng(5))
    region = (one.kind[b] == "tattoo").astype(int)
    by_hand = binned_grouping_loss_from_regions(one.y[b], one.p[b], region, rng=0)
    assert found.explained == pytest.approx(by_hand.explained, abs=1e-12) and found.n == b.sum()


@pytest.mark.parametrize("recalibration", ["none", "isotonic"])
@pytest.mark.parametrize("gap", [0.3, 0.0])
def test_the_bound_finds_what_is_there_and_nothing_else(recalibration, gap):
    """Truth: the unit's sign moves q by `gap` around a calibrated score, so the grouping loss is gap squared."""
    values = [audit_network(data(1500, seed, gap), recalibration=recalibration, rng=seed).value for seed in range(12)]
    error = np.std(values, ddof=1) / np.sqrt(12)
    assert np.mean(values) < gap**2 + 4 * error
    assert np.mean(values) > 0.6 * gap**2 - 4 * error


def test_recalibration_mends_calibration_and_not_grouping():
    table = frame(3000, 1)
    pushed = Embeddings("pushed", table["label"].to_numpy(), expit(4 * (table["score"].to_numpy() - 0.5) - 1),
                        table.filter(like="unit"))  # fmt: skip
    rows = lower_bounds(pushed, n_splits=4, rng=0).set_index("recalibration")
    assert list(rows.index) == ["none", "isotonic"] and (rows["network"] == "pushed").all()
    assert rows.loc["isotonic", "calibration_loss"] < 0.2 * rows.loc["none", "calibration_loss"]
    assert rows.loc["isotonic", "low"] > 0.03


def test_lower_bounds_repeat_and_average_the_splits():
    one = data()
    found = lower_bounds(one, n_splits=3, rng=7)
    pd.testing.assert_frame_equal(found, lower_bounds(one, n_splits=3, rng=7))
    seeds = np.random.default_rng(7).integers(2**31, size=3)
    values = [audit_network(one, rng=seed).value for seed in seeds]
    assert found["value"][0] == pytest.approx(np.mean(values)) and found["spread"][0] == pytest.approx(
        np.std(values, ddof=1)
    )


def test_kind_gaps_cancel_and_hold_the_truth():
    table = frame(2000, 3)
    one = data(2000, 3, kind=table["kind"].to_numpy(), groups=table["image"].to_numpy())
    gaps = kind_gaps(one).set_index("rule")
    assert gaps["n"] @ gaps["gap"] == pytest.approx(0, abs=1e-9)
    up = (table["kind"] == "sketch").mean()
    bins = assign_bins(one.p, uniform_edges(15))
    truth = table.groupby(bins)["kind"].transform(lambda kinds: (kinds == "sketch").mean())
    want = 0.6 * (1 - truth[table["kind"] == "sketch"].mean())  # +0.3 against a mix of +0.3 and -0.3
    se = (gaps.loc["sketch", "high"] - gaps.loc["sketch", "gap"]) / 1.96
    assert abs(gaps.loc["sketch", "gap"] - want) < 4 * se and 0.3 < up < 0.7
    assert (gaps["adjusted"] < 0.001).all()


def test_wrong_options_are_named():
    for call, words in (
        (lambda: audit_network(data(), known=True), "data must have a kind for each row when known=True"),
        (lambda: audit_network(data(), recalibration="platt"), "recalibration must be one of"),
        (lambda: audit_network(data(), estimator="forest"), "estimator must be one of"),
        (lambda: kind_gaps(data()), "data must have a kind"),
        (lambda: lower_bounds(data(), n_splits=0), "n_splits must be"),
        (lambda: halves([0.1, 2.0]), "p must lie in"),
        (lambda: halves([0.1, 0.2], range(5)), "must have the same length"),
    ):
        with pytest.raises(ValueError, match=words):
            call()


def test_the_digits_network_is_the_same_everywhere_and_knows_less_away_from_home():
    clean = embeddings.digits_network(rng=1, renditions=False)
    kinds = embeddings.digits_network(rng=1)
    np.testing.assert_array_equal(kinds.p[: clean.p.size], clean.p)
    assert kinds.y.size == 6 * clean.y.size and np.unique(kinds.kind).size == 6
    assert clean.y.mean() > kinds.y.mean() + 0.1
    assert np.bincount(kinds.groups).tolist() == [6] * clean.y.size


def test_public_networks_become_embeddings(monkeypatch):
    scores = np.log([[0.7, 0.3], [0.2, 0.8]])
    fetched = type("S", (), {"scores": scores.astype(np.float32), "y": np.array([0, 0])})
    monkeypatch.setattr(nb04_networks, "fetch_scores", lambda name: fetched)
    found = embeddings.fetch_embeddings("any")
    assert found.y.tolist() == [1, 0] and list(found.X) == ["logit 0", "logit 1"]
    np.testing.assert_allclose(found.p, [0.7, 0.8], rtol=1e-6)


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
