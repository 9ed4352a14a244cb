"""Workers, failures and what is kept: the same sums to the last bit, and nothing is read twice."""

import io
import os
import signal
import subprocess
import sys
import textwrap
from functools import partial

import numpy as np
import pytest
from joblib import parallel_config
from test_chunks import PARTITION, SAMPLE, TABLE, draw, identical, same

from helpers import _bar
from helpers.chunks import evaluate_in_chunks, fit_partition, read_chunks, split_chunks
from helpers.chunks import runs as _chunk_runs
from helpers.chunks import sources as _chunk_sources

pq = pytest.importorskip("pyarrow.parquet", reason="Parquet needs pyarrow: pip install pyarrow")


@pytest.fixture(scope="module")
def parquet(tmp_path_factory):
    path = tmp_path_factory.mktemp("tables") / "scores.parquet"
    TABLE.to_parquet(path, row_group_size=250)
    return path


@pytest.fixture(scope="module")
def whole(parquet):
    return evaluate_in_chunks(read_chunks(parquet), PARTITION)


@pytest.fixture
def groups_read(monkeypatch):
    """Row groups that were read from here on."""
    found = []
    original = _chunk_sources._read_group

    def counted(path, k, columns):
        found.append(k)
        return original(path, k, columns)

    monkeypatch.setattr(_chunk_sources, "_read_group", counted)
    return found


# ---- workers ---------------------------------------------------------------------------------------------------


def _die_once(marker, y, p):
    """A score that kills the process that is the first to meet rows here."""
    if len(y) and not os.path.exists(marker):
        open(marker, "w").close()
        os._exit(1)
    return p


def _die(y, p):
    return os._exit(1) if len(y) else p


def test_any_number_of_workers_gives_the_very_same(parquet, whole, tmp_path):
    for backend in ("threading", "loky"):
        with parallel_config(backend, n_jobs=2):
            identical(evaluate_in_chunks(read_chunks(parquet), PARTITION), whole)
    marker = str(tmp_path / "died")
    total = evaluate_in_chunks(read_chunks(parquet), PARTITION, scores={"age": partial(_die_once, marker)}, n_jobs=2)
    assert os.path.exists(marker)  # a worker died and changed nothing
    assert np.array_equal(total.regions.moments, whole.regions.moments)


# ---- finished work is kept -------------------------------------------------------------------------------------


class Frames:
    """Eight frames; the ones in `broken` raise `error` when they are asked for; counts what was read."""

    def __init__(self, broken=(), error=OSError):
        self.broken = set(broken)
        self.error = error
        self.read = []

    def __call__(self):
        for k in range(8):
            if k in self.broken:
                raise self.error("the disk is gone")
            self.read.append(k)
            yield TABLE[k * 250 : (k + 1) * 250]


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_a_failed_run_goes_on_where_it_stopped(error, whole, tmp_path):
    frames = Frames()
    chunks = read_chunks(frames)
    kept = tmp_path / "kept.npz"
    partition = PARTITION
    frames.broken = {5}
    frames.error = error
    with pytest.raises(error, match="the disk is gone"):
        evaluate_in_chunks(chunks, partition, refit=False, progress=kept)
    with np.load(kept) as file:
        assert file["done"].tolist() == [f"chunk {k}" for k in range(5)]
    worked = []
    original = _chunk_runs._one_chunk

    def counted(*args):
        worked.append(args[-1].name)
        return original(*args)

    frames.broken = set()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_chunk_runs, "_one_chunk", counted)
        total = evaluate_in_chunks(chunks, partition, refit=False, progress=kept)
    assert worked == ["chunk 5", "chunk 6", "chunk 7"]
    same(total, evaluate_in_chunks(read_chunks(TABLE), partition, refit=False))
    worked.clear()
    same(evaluate_in_chunks(chunks, partition, refit=False, progress=kept), total)


def test_a_killed_run_reads_only_what_is_missing(tmp_path, parquet, whole, groups_read):
    """The process dies without a word in the middle of the third pass of the calibrator."""
    code = f"""
        import os, sys
        sys.path[:0] = {[os.path.dirname(__file__), *sys.path]!r}
        from helpers.chunks import runs as _chunk_runs, sources as _chunk_sources
        from test_chunks import PARTITION, evaluate_in_chunks, read_chunks
        _chunk_runs.SAVE_SECONDS = -1
        original, calls = _chunk_sources._read_group, []
        def dying(*args):
            calls.append(1)
            if len(calls) == 21:
                os._exit(9)
            return original(*args)
        _chunk_sources._read_group = dying
        evaluate_in_chunks(read_chunks({str(parquet)!r}), PARTITION, progress={str(tmp_path / "kept")!r})
    """
    ended = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True)
    assert ended.returncode == 9, ended.stderr
    with np.load(tmp_path / "kept") as file:
        assert int(file["ended"]) == 2 and len(file["done"]) == 4
    identical(evaluate_in_chunks(read_chunks(parquet), PARTITION, progress=tmp_path / "kept"), whole)
    n_passes = len(groups_read[4:]) // 8
    assert groups_read == [4, 5, 6, 7, *list(range(8)) * n_passes] and n_passes >= 2
    groups_read.clear()
    identical(evaluate_in_chunks(read_chunks(parquet), PARTITION, progress=tmp_path / "kept"), whole)
    assert groups_read == []


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_corrupt_row_group_is_named_and_finished_work_is_kept(parquet, tmp_path, whole, n_jobs, groups_read):
    good = tmp_path / "good"
    bad = tmp_path / "scores.parquet"
    kept = tmp_path / "kept.npz"
    good.write_bytes(parquet.read_bytes())
    column = pq.ParquetFile(parquet).metadata.row_group(5).column(1)
    data = bytearray(good.read_bytes())
    start = column.dictionary_page_offset or column.data_page_offset
    data[start : start + column.total_compressed_size] = b"\xff" * column.total_compressed_size
    bad.write_bytes(data)
    with pytest.raises(ValueError, match=r"^scores.parquet, row group 5: it is damaged and cannot be read \("):
        evaluate_in_chunks(read_chunks(bad), PARTITION, progress=kept, n_jobs=n_jobs)
    with np.load(kept) as file:
        assert file["done"].tolist() == [f"scores.parquet, row group {k}" for k in range(5)]
    bad.write_bytes(good.read_bytes())
    groups_read.clear()
    identical(evaluate_in_chunks(read_chunks(bad), PARTITION, progress=kept), whole)
    assert groups_read[:11] == [5, 6, 7, *range(8)]


def test_work_of_another_run_is_refused(tmp_path):
    kept = tmp_path / "kept.npz"
    chunks = read_chunks(TABLE, rows=500)
    evaluate_in_chunks(chunks, PARTITION, refit=False, progress=kept)
    other = fit_partition(SAMPLE, features=["age"], rng=0)
    split = split_chunks(chunks, 0.1, rng=0)[1]
    for source, partition, refit in (
        (chunks, other, False),
        (chunks, PARTITION, True),
        (split, PARTITION, False),
        (read_chunks(TABLE, rows=400), PARTITION, False),
    ):
        with pytest.raises(ValueError, match=r"kept.npz holds the finished work of a run with another partition"):
            evaluate_in_chunks(source, partition, refit=refit, progress=kept)
    for content in (b"", b"text", kept.read_bytes()[:-300]):
        kept.write_bytes(content)
        with pytest.raises(ValueError, match="kept.npz does not hold the finished work"):
            evaluate_in_chunks(chunks, PARTITION, refit=False, progress=kept)


def test_work_on_other_data_is_refused(tmp_path, parquet, whole, groups_read):
    """Files of the same name, frames of the same size: no row group is read, and nothing is mixed."""
    kept = tmp_path / "kept.npz"
    path = tmp_path / "scores.parquet"
    path.write_bytes(parquet.read_bytes())
    evaluate_in_chunks(read_chunks(path), PARTITION, progress=kept)
    other = TABLE.copy()
    other.loc[900, "score"] = 0.01
    other.to_parquet(path, row_group_size=250)
    groups_read.clear()
    with pytest.raises(ValueError, match=r"^scores.parquet, row group 3 holds other rows than in the run whose"):
        evaluate_in_chunks(read_chunks(path), PARTITION, progress=kept)
    assert groups_read == []
    path.write_bytes(parquet.read_bytes())
    identical(evaluate_in_chunks(read_chunks(path), PARTITION, progress=kept), whole)
    assert groups_read == []
    frames = [TABLE[:1000], TABLE[1000:]]
    kept = tmp_path / "frames.npz"
    evaluate_in_chunks(read_chunks(lambda: frames), PARTITION, progress=kept)
    with pytest.raises(ValueError, match="^chunk 1 holds other rows"):
        evaluate_in_chunks(read_chunks(lambda: [frames[0], draw(1000, 9)]), PARTITION, progress=kept)


def test_a_calibrator_of_other_data_is_refused_too(tmp_path):
    """Killed after the calibrator, before the first chunk of the last pass: its passes remember what they saw."""
    frames = Frames()
    kept = tmp_path / "kept.npz"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(PARTITION), "sums", _stop)
        with pytest.raises(KeyboardInterrupt):
            evaluate_in_chunks(read_chunks(frames), PARTITION, progress=kept)
    with np.load(kept) as file:
        assert len(file["done"]) == 0 and int(file["ended"]) > 3
    other = [draw(250, seed) for seed in range(8)]
    with pytest.raises(ValueError, match="^chunk 0 holds other rows"):
        evaluate_in_chunks(read_chunks(lambda: other), PARTITION, progress=kept)


ORIGINAL = type(PARTITION).sums


def _stop(partition, frame, *args, **options):
    if len(frame):
        raise KeyboardInterrupt
    return ORIGINAL(partition, frame, *args, **options)


def test_sums_of_groups_can_be_kept(tmp_path):
    partition = fit_partition(SAMPLE, features=["age"], group="job", rng=0)
    frames = Frames()
    want = evaluate_in_chunks(read_chunks(frames), partition, refit=False)
    frames.broken = {6}
    with pytest.raises(OSError):
        evaluate_in_chunks(read_chunks(frames), partition, refit=False, progress=tmp_path / "kept")
    frames.broken = set()
    total = evaluate_in_chunks(read_chunks(frames), partition, refit=False, progress=tmp_path / "kept")
    identical(total, want)
    assert total.regions.cells.labels.tolist() == ["cook", "nurse", "smith"]


# ---- the bar ---------------------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_the_bar_is_silent_unless_asked_for(parquet, capsys, monkeypatch):
    evaluate_in_chunks(read_chunks(parquet), PARTITION, refit=False)
    evaluate_in_chunks(read_chunks(parquet), PARTITION, refit=False, verbose=True)
    assert capsys.readouterr() == ("", "")  # short work is not worth a word in a log
    monkeypatch.setattr(_bar, "SECONDS", 0)
    evaluate_in_chunks(read_chunks(parquet), PARTITION, verbose=True)
    told = capsys.readouterr().err
    assert "calibrator, pass 1: 1/8 [" in told and "regions and scores: 8/8 [" in told
    monkeypatch.setattr(sys, "stderr", Terminal())
    evaluate_in_chunks(read_chunks(parquet), PARTITION, refit=False, verbose=True)
    told = sys.stderr.getvalue()
    assert told.startswith("\rregions and scores:   0%|") and " 8/8 [" in told
    monkeypatch.setattr(sys, "stderr", Terminal())
    evaluate_in_chunks(read_chunks(Frames()), PARTITION, refit=False, verbose=True)
    assert "\rregions and scores: 8it [" in sys.stderr.getvalue()  # nobody knows how many there are


def test_workers_that_always_die_are_given_up(parquet, monkeypatch):
    monkeypatch.setattr(_chunk_runs, "TRIES", 1)
    with pytest.raises(ValueError, match=r"chunks after 'the start' made the worker processes die 1 times"):
        evaluate_in_chunks(read_chunks(parquet), PARTITION, refit=False, scores={"die": _die}, n_jobs=2)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are left to the system's first one on POSIX only")
def test_a_worker_ends_with_a_process_that_is_killed():
    """Joblib's workers used to outlive a killed run for minutes."""
    code = """
        import os, time
        from helpers._parallel import end_with_parent
        if not os.fork():
            end_with_parent(0.01)
            print("works", flush=True)
        time.sleep(60)
        print("stayed")
        """
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"works\n"
        process.kill()
        assert process.stdout.read() == b""  # comes when nobody is left who could write


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_no_worker_of_a_killed_run_stays(parquet, number):
    """Both workers are in the middle of a chunk, where nobody could tell them."""
    code = f"""
        import os, sys, time
        sys.path[:0] = {[os.path.dirname(__file__), *sys.path]!r}
        from test_chunks import PARTITION, evaluate_in_chunks, read_chunks
        def slow(y, p):
            os.write(1, b"works\\n")
            time.sleep(60)
            os.write(1, b"stayed\\n")
            os._exit(0)
        evaluate_in_chunks(read_chunks({str(parquet)!r}), PARTITION, refit=False, scores={{"slow": slow}}, n_jobs=2)
    """
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE) as process:
        assert [process.stdout.readline() for _ in range(2)] == [b"works\n"] * 2
        process.send_signal(number)
        assert process.wait() == -number
        assert process.stdout.read() == b""  # comes when nobody is left who could write
