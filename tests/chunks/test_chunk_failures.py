"""Workers and failures: the same sums to the last bit; damaged files are named, changed ones read anew."""

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
from test_chunks import PARTITION, SAMPLE, TABLE, identical

from helpers import _bar
from helpers.chunks import evaluate_in_chunks, fit_partition, read_chunks
from helpers.chunks import runs as _chunk_runs

pq = pytest.importorskip("pyarrow.parquet", reason="Parquet needs pyarrow: pip install pyarrow")


@pytest.fixture(scope="module")
def parquet(tmp_path_factory):
    path = tmp_path_factory.mktemp("tables") / "scores.parquet"
    TABLE.to_parquet(path, row_group_size=250)
    return path


@pytest.fixture(scope="module")
def whole(parquet):
    return evaluate_in_chunks(read_chunks(parquet), PARTITION)


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


# ---- damaged and changed files ---------------------------------------------------------------------------------


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_corrupt_row_group_is_named(parquet, tmp_path, n_jobs):
    good = tmp_path / "good"
    bad = tmp_path / "scores.parquet"
    good.write_bytes(parquet.read_bytes())
    column = pq.ParquetFile(parquet).metadata.row_group(5).column(1)
    data = bytearray(good.read_bytes())
    start = column.dictionary_page_offset or column.data_page_offset
    data[start : start + column.total_compressed_size] = b"\xff" * column.total_compressed_size
    bad.write_bytes(data)
    with pytest.raises(ValueError, match=r"^scores.parquet, row group 5: it is damaged and cannot be read \("):
        evaluate_in_chunks(read_chunks(bad), PARTITION, n_jobs=n_jobs)


def test_changed_data_give_new_numbers(tmp_path):
    """Two labels of two thousand are mended in the file: the second run says what a first one would."""
    path = tmp_path / "scores.csv"
    reading = {"columns": ["label", "score", "age"], "rows": 500}
    partition = fit_partition(SAMPLE, features=["age"], rng=0)
    TABLE.to_csv(path, index=False)
    before = evaluate_in_chunks(read_chunks(path, **reading), partition)
    changed = TABLE.copy()
    changed.loc[[901, 1203], "label"] = 1 - changed.loc[[901, 1203], "label"]
    changed.to_csv(path, index=False)
    after = evaluate_in_chunks(read_chunks(path, **reading), partition)
    identical(after, evaluate_in_chunks(read_chunks(changed, **reading), partition))
    assert after.grouping_loss().value != before.grouping_loss().value


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
    evaluate_in_chunks(read_chunks(lambda: iter([TABLE[:1000], TABLE[1000:]])), PARTITION, refit=False, verbose=True)
    assert "\rregions and scores: 2it [" in sys.stderr.getvalue()  # nobody knows how many there are


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
