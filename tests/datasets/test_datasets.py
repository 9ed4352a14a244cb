"""Loaders, the shipped table and its script, the ledger, and every way a download can go wrong."""

import hashlib
import http.server
import os
import re
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scripts import load_script

from helpers.datasets import DATA_FOLDER, DownloadError, fetch_scores, score_systems
from helpers.datasets import download as _download
from helpers.datasets import network_scores as _scores
from helpers.datasets import tables as datasets

CONTENT = np.random.default_rng(0).bytes(200_000)
SHA = hashlib.sha256(CONTENT).hexdigest()
ENTRY = _download.ManifestFile(
    "expected_cost", "toy/scores.npy", len(CONTENT), SHA, "github:owner/repo", "0" * 40, "x/scores.npy", "MIT"
)


# ---------------------------------------------------------------- shipped and installed data


def test_rand_groups_are_runs_of_equal_rows():
    data = datasets.load_rand_hie()
    assert len(data.y) == len(data.X) == len(data.groups) == 20_190
    assert np.unique(data.groups).size == 5_294
    assert (np.diff(data.groups) == 0).mean() == pytest.approx(0.738, abs=5e-4)  # 74 % repeat the row before
    assert set(np.diff(data.groups)) == {0, 1}
    for column in data.X:
        assert (data.X[column].astype(object).groupby(data.groups).nunique(dropna=False) == 1).all(), column
    assert data.y.mean() == pytest.approx(0.6876, abs=1e-4)
    assert datasets.load_rand_hie(min_visits=5).y.mean() == pytest.approx(0.2000, abs=1e-4)
    assert set(data.units) == set(data.X)


def test_rand_units_undo_the_logarithms():
    X = datasets.load_rand_hie().X
    assert sorted(X["coinsurance"].unique()) == [0, 25, 50, 95, 100]
    assert X["free_above"].max() == 4000 and X["incentive"].max() < 1300
    assert X["chronic"].isna().mean() == pytest.approx(0.396, abs=1e-3)
    assert X["limited"].isna().mean() == pytest.approx(0.052, abs=1e-3)


@pytest.mark.parametrize("bad", [0, 1.5, True, "2"])
def test_rand_min_visits_is_checked(bad):
    with pytest.raises(ValueError, match="min_visits must"):
        datasets.load_rand_hie(min_visits=bad)


@pytest.mark.parametrize(
    ("load", "shape", "classes"),
    [("load_fair", (6366, 8), 2), ("load_digits", (1797, 64), 10), ("load_breast_cancer", (569, 30), 2)],
)
def test_other_loaders(load, shape, classes):
    data = getattr(datasets, load)()
    assert data.X.shape == shape and data.y.shape == shape[:1]
    assert list(np.unique(data.y)) == list(range(classes))
    assert set(data.units) == set(data.X) and data.licence and data.citation and data.source
    assert not data.X.isna().any().any()


def test_rand_scores_come_from_a_model_of_other_families():
    data = datasets.load_rand_scores()
    assert len(data.y) == 10_025 and np.unique(data.groups).size == 1_214 and list(data.units) == list(data.X)
    assert np.unique(datasets.load_rand_scores(groups="person").groups).size == 2_939
    assert (data.p > 0).all() and (data.p < 1).all()
    plan = ["coinsurance", "deductible_plan", "incentive", "free_above"]
    assert (pd.Series(data.p).groupby(data.X[plan].astype(str).agg(" ".join, axis=1)).nunique() == 1).all()
    assert abs(data.p.mean() - data.y.mean()) < 0.02
    with pytest.raises(ValueError, match="groups must"):
        datasets.load_rand_scores(groups="house")


def test_rand_scores_hold_groups_that_are_misjudged():
    data = datasets.load_rand_scores()
    residual = data.y - data.p
    for rows, gap in ((data.X["race"] == "black", -0.26), (data.X["chronic"] > 20, 0.16)):
        families = pd.Series(residual[rows]).groupby(data.groups[rows])
        total = families.sum()
        n = families.size()
        mean = total.sum() / n.sum()
        se = np.sqrt(((total - mean * n) ** 2).sum()) / n.sum()  # families, not rows, are independent
        assert mean == pytest.approx(gap, abs=0.01) and abs(mean) > 4 * se


def test_families_are_neighbours_who_share_place_plan_and_income():
    script = load_script("make_rand_scores")
    people = pd.DataFrame({"zper": [5, 6, 6, 7, 9, 10], "site": 1, "plan": [3, 3, 3, 3, 3, 3]})
    people = people.assign(income=[100, 100, 100, 200, 200, 100], mdeoff=[450, 450, 450, 450, np.nan, np.nan])
    assert list(script.number_families(people)) == [1, 1, 1, 2, 3, 4]


def test_the_script_makes_the_shipped_table(tmp_path):
    script = load_script("make_rand_scores")
    source = Path(os.environ.get("HONEST_DATA", "")) / "rand" / "rand_hie.csv.gz"
    if not source.is_file():
        pytest.skip("the source of rand_scores.csv.gz is not there: put it into HONEST_DATA as rand/rand_hie.csv.gz")
    table = script.make_table(source)
    script.write(table, tmp_path / "a.csv.gz")
    script.write(table, tmp_path / "b.csv.gz")
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()
    shipped = pd.read_csv(DATA_FOLDER / "rand_scores.csv.gz")
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "a.csv.gz"), shipped, rtol=0, atol=1e-9)


def test_the_hashes_in_the_readme_are_right():
    text = (DATA_FOLDER / "README.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| `([^`]+)` \|.*\| `([0-9a-f]{64})` \|$", text, re.MULTILINE))
    versioned = {"README.md", "claims.csv"} | {path.name for path in DATA_FOLDER.glob("make_*.py")}
    files = {path.name for path in DATA_FOLDER.iterdir() if path.is_file()} - versioned
    assert set(listed) == files
    for name, sha in listed.items():
        assert hashlib.sha256((DATA_FOLDER / name).read_bytes()).hexdigest() == sha, name


def test_the_ledger_is_a_table_of_filled_rows():
    claims = datasets.load_claims()
    assert list(claims) == "id,paper,item,statement,kind,notebook,tolerance,status,remark".split(",")
    assert claims["id"].is_unique and len(claims) >= 193
    assert (claims["id"].str.split(".").str[0] == claims["paper"]).all()
    assert set(claims["paper"]) == {"perezlebel2023", "melo2026", "ecuas2026", "semece2026", "ours"}
    places = claims["notebook"].str.split("; ").explode()
    assert places.isin([f"{kind}{number:02d}" for kind in ("", "checks/") for number in range(17)]).all()
    explained = claims["status"].isin(["agrees", "disagrees", "differs", "needs"])
    assert (claims.loc[explained, "remark"] != "").all()
    assert claims["statement"].str.len().min() > 30 and claims["statement"].str.endswith(".").all()
    assert claims["statement"].is_unique and (claims["item"] != "").all() and (claims["kind"] != "").all()


# ---------------------------------------------------------------- what is fetched


class Server:
    """A loopback server whose manners are set by the test; `.asked` lists the Range headers it got."""

    def __init__(self):
        self.content = CONTENT
        self.cut = []
        self.ranges = True
        self.status = 200
        self.asked = []
        self.shift = 0
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.answer(self)

            def log_message(self, *args):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.02})
        self.thread.start()

    def answer(self, handler):
        asked = handler.headers.get("Range")
        self.asked.append(asked)
        if self.status != 200:
            handler.send_error(self.status)
            return
        start = int(asked[6:-1]) if asked and self.ranges else 0
        body = self.content[start:]
        handler.send_response(206 if asked and self.ranges else 200)
        handler.send_header("Content-Length", str(len(body)))
        if asked and self.ranges:
            end = len(self.content)
            handler.send_header("Content-Range", f"bytes {start + self.shift}-{end - 1}/{end}")
        handler.end_headers()
        stop = self.cut.pop(0) if self.cut else len(body)
        try:
            handler.wfile.write(body[:stop])
        except OSError:
            pass  # the reader has seen enough

    def close(self):
        self.http.shutdown()
        self.thread.join()
        self.http.server_close()


@pytest.fixture
def server(monkeypatch, tmp_path):
    server = Server()
    monkeypatch.setattr(_download, "BASE_URL", f"http://127.0.0.1:{server.http.server_port}")
    monkeypatch.setattr(_download, "TIMEOUT", 120)  # no test waits that long; a busy machine may
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("HONEST_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(_download.pooch, "os_cache", lambda name: tmp_path / "cache" / name)
    yield server
    server.close()


def _files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_file_is_downloaded_once(server, tmp_path):
    path = _download.fetch_file(ENTRY)
    assert path == tmp_path / "data/expected_cost/toy/scores.npy" and path.read_bytes() == CONTENT
    assert _download.fetch_file(ENTRY) == path
    assert server.asked == [None]
    assert _files(tmp_path) == ["data/expected_cost/toy/scores.npy"]


def test_a_download_cut_in_the_middle_goes_on(server, tmp_path):
    server.cut = [8_192 * 8, 8_192 * 5]
    assert _download.fetch_file(ENTRY).read_bytes() == CONTENT
    assert server.asked[0] is None and server.asked[1:] == [f"bytes={n}-" for n in (8_192 * 8, 8_192 * 13)]
    assert _files(tmp_path) == ["data/expected_cost/toy/scores.npy"]


def test_an_interrupted_download_goes_on_at_the_next_call(server, tmp_path):
    server.cut = [8_192 * 8, 0]
    with pytest.raises(DownloadError, match="no connection"):
        _download.fetch_file(ENTRY)
    assert _files(tmp_path) == ["data/expected_cost/toy/scores.npy.part"]
    assert _download.fetch_file(ENTRY).read_bytes() == CONTENT
    assert server.asked[-1] == "bytes=65536-"
    assert _files(tmp_path) == ["data/expected_cost/toy/scores.npy"]


def test_a_server_that_ignores_range_is_read_from_the_start(server, tmp_path):
    server.cut = [8_192 * 8]
    server.ranges = False
    assert _download.fetch_file(ENTRY).read_bytes() == CONTENT
    assert server.asked == [None, "bytes=65536-"]


def test_a_server_that_sends_another_part_is_not_believed(server, tmp_path):
    server.cut = [70_000]
    server.shift = 5
    with pytest.raises(DownloadError, match="no connection"):
        _download.fetch_file(ENTRY)
    assert _files(tmp_path) == []


@pytest.mark.parametrize("content", [CONTENT[:-1] + b"?", CONTENT + b"more" * 50_000])
def test_a_wrong_file_is_removed(server, tmp_path, content):
    server.content = content
    with pytest.raises(DownloadError, match="another sha256 and was removed") as error:
        _download.fetch_file(ENTRY)
    assert _files(tmp_path) == [] and error.value.__cause__ is None
    server.content = CONTENT
    assert _download.fetch_file(ENTRY).read_bytes() == CONTENT


def test_a_wrong_file_in_the_cache_is_replaced_or_named(server, tmp_path):
    place = tmp_path / "data/expected_cost/toy/scores.npy"
    place.parent.mkdir(parents=True)
    place.write_bytes(b"something else")
    server.content = b"x" * len(CONTENT)
    with pytest.raises(DownloadError, match="another sha256"):
        _download.fetch_file(ENTRY)
    assert _files(tmp_path) == []
    place.write_bytes(b"something else")
    server.content = CONTENT
    assert _download.fetch_file(ENTRY).read_bytes() == CONTENT


def test_a_server_without_the_file(server, tmp_path):
    server.status = 404
    with pytest.raises(DownloadError, match="the server answered 404"):
        _download.fetch_file(ENTRY)
    assert _files(tmp_path) == []


def test_a_part_longer_than_the_servers_file_is_given_up(server, tmp_path):
    part = tmp_path / "data/expected_cost/toy/scores.npy.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(CONTENT[:100])
    server.status = 416
    with pytest.raises(DownloadError, match="416"):
        _download.fetch_file(ENTRY)
    assert _files(tmp_path) == []


def test_offline_there_is_one_error_that_says_what_to_do(monkeypatch, tmp_path, capfd):
    monkeypatch.setattr(_download, "BASE_URL", "http://127.0.0.1:9")  # nothing listens there
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("HONEST_DATA", str(tmp_path))
    monkeypatch.setattr(_download.pooch, "os_cache", lambda name: tmp_path / "cache")
    with pytest.raises(DownloadError) as error:
        fetch_scores("sst2_gpt2")
    entry = _scores._score_files()["sst2_gpt2"]["scores.npy"]
    for part in (
        "expected_cost/sst2_gpt2/scores.npy (14,696 bytes)", "no connection", entry.commit, "licence: MIT",
        "by hand", str(tmp_path / "expected_cost/sst2_gpt2/scores.npy"), entry.sha256, "HONEST_DATA",
    ):  # fmt: skip
        assert part in str(error.value)
    assert error.value.__suppress_context__ and error.value.__cause__ is None
    assert capfd.readouterr() == ("", "") and _files(tmp_path) == []


def test_a_read_only_folder_is_read_and_never_written(server, monkeypatch, tmp_path):
    place = tmp_path / "data/expected_cost/toy/scores.npy"
    place.parent.mkdir(parents=True)
    place.write_bytes(CONTENT)
    for folder in (place.parent, *place.parents[1:3]):
        folder.chmod(0o555)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "data").rglob("*")}
    assert _download.fetch_file(ENTRY) == place and server.asked == []
    other = _download.ManifestFile(**{**vars(ENTRY), "path": "toy/other.npy"})
    assert _download.fetch_file(other) == tmp_path / "cache/honest-confidence/expected_cost/toy/other.npy"
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "data").rglob("*")} == before
    (tmp_path / "cache/honest-confidence").chmod(0o555)
    with pytest.raises(DownloadError, match="no cache folder can be written to"):
        _download.fetch_file(_download.ManifestFile(**{**vars(ENTRY), "path": "toy/third.npy"}))
    for folder in (tmp_path / "cache/honest-confidence", place.parent, *place.parents[1:3]):
        folder.chmod(0o755)


def test_progress_is_shown_only_when_asked_or_on_a_terminal(server, capfd, monkeypatch):
    _download.fetch_file(ENTRY)
    assert capfd.readouterr().err == ""
    _download.fetch_file(_download.ManifestFile(**{**vars(ENTRY), "path": "toy/b.npy"}), progressbar=True)
    assert "b.npy: 100%" in capfd.readouterr().err


def test_fetch_scores_reads_what_was_fetched(server, monkeypatch, tmp_path):
    folder = tmp_path / "data/expected_cost/sst2_gpt2"
    folder.mkdir(parents=True)
    np.save(folder / "scores.npy", np.log([[0.2, 0.8], [0.9, 0.1], [0.5, 0.5]]))
    np.save(folder / "targets.npy", [1, 0, 1])
    entries = {}
    for path in folder.iterdir():
        sha = hashlib.sha256(path.read_bytes()).hexdigest()
        entries[path.name] = _download.ManifestFile(
            **{**vars(ENTRY), "path": f"sst2_gpt2/{path.name}", "sha256": sha, "bytes": path.stat().st_size}
        )
    monkeypatch.setattr(_scores, "_score_files", lambda: {"sst2_gpt2": entries})
    scores = fetch_scores("sst2_gpt2")
    assert scores.scores.shape == (3, 2) and list(scores.y) == [1, 0, 1] and scores.n_classes == 2
    assert str(scores) == "sst2_gpt2: 3 rows, 2 classes (MIT)" and server.asked == []
    assert score_systems()["cached"].tolist() == [True]


def test_an_unknown_system_is_named_with_its_neighbour():
    message = r"one of the 14 systems, but it is 'sst2_gpt'; did you mean 'sst2_gpt2'\?.*agnews"
    with pytest.raises(ValueError, match=message):
        fetch_scores("sst2_gpt")


@pytest.mark.parametrize("name", score_systems()["name"])
def test_real_scores_in_the_cache(name):
    systems = score_systems().set_index("name")
    if not systems.loc[name, "cached"]:
        pytest.skip("not in the cache: set HONEST_DATA to a folder that holds it, or call fetch_scores once")
    scores = fetch_scores(name)
    assert scores.scores.shape == (len(scores.y), scores.n_classes)
    assert set(np.unique(scores.y)) <= set(range(scores.n_classes))
    with pytest.raises(AttributeError):
        scores.name = "other"
