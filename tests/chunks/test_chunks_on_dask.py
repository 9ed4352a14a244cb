"""Chunks and repeated work on a local dask cluster of two processes: the same answer, also when one is killed."""

import os

import joblib
import pandas as pd
import pytest
from test_chunks import PARTITION, TABLE, identical, same

from helpers.chunks import evaluate_in_chunks, fit_partition, read_chunks, split_chunks
from helpers.experiments import repeat

pytest.importorskip("pyarrow", reason="dask DataFrames need pyarrow: pip install pyarrow")
dd = pytest.importorskip("dask.dataframe", reason="dask is in the extra scale: pip install dask[dataframe] distributed")
distributed = pytest.importorskip("distributed", reason="distributed is in the extra scale: pip install distributed")


@pytest.fixture(scope="module")
def frame():
    return dd.from_pandas(TABLE, npartitions=6, sort=True)


@pytest.fixture(scope="module")
def whole():
    return evaluate_in_chunks(read_chunks(TABLE, rows=10_000), PARTITION)


@pytest.fixture(scope="module")
def here(frame):
    """Of the partitions one after another, without a cluster."""
    return evaluate_in_chunks(read_chunks(frame), PARTITION)


@pytest.fixture(scope="module")
def cluster(here):
    """Two processes on this machine, no dashboard."""
    options = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "scheduler_kwargs": {"dashboard": False}}
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, **options) as cluster,
        distributed.Client(cluster),
    ):
        yield cluster


def _die_once(frame, marker):
    """Kills the worker that is the first to work on a partition."""
    if len(frame) > 1 and not os.path.exists(marker):
        open(marker, "w").close()
        os._exit(1)
    return frame


def _die_in_part_5(frame):
    if 1800 in frame.index:
        raise OSError("the disk is gone")
    return frame


def tosses(n, bias, rng):
    return [{"value": rng.binomial(n, bias) / n, "process": os.getpid()}]


def test_partitions_without_a_cluster(frame, here, whole):
    same(here, whole)
    bad = frame.map_partitions(_die_in_part_5, meta=frame)
    with pytest.raises(ValueError, match=r"^partition 5: it cannot be computed \(OSError: the disk is gone\)"):
        evaluate_in_chunks(read_chunks(bad), PARTITION)
    with pytest.raises(ValueError, match="^partition 0 has no column 'score'"):
        evaluate_in_chunks(read_chunks(frame.drop(columns="score")), PARTITION)


def test_a_cluster_gives_the_very_same(frame, cluster):
    want = evaluate_in_chunks(read_chunks(TABLE, rows=10_000), PARTITION, refit=False)
    total = evaluate_in_chunks(read_chunks(frame), PARTITION, refit=False)
    same(total, want)
    sample, others = split_chunks(read_chunks(frame), 0.3, rng=0)
    partition = fit_partition(sample, features=["age"], rng=0)
    assert len(sample) + evaluate_in_chunks(others, partition, refit=False).n == 2000


def test_an_error_on_the_cluster_names_the_partition(frame, cluster):
    bad = frame.map_partitions(_die_in_part_5, meta=frame)
    with pytest.raises(ValueError, match=r"^partition 5: it cannot be computed \(OSError: the disk is gone\)"):
        evaluate_in_chunks(read_chunks(bad), PARTITION)
    wrong = dd.from_pandas(TABLE.assign(label=TABLE["label"].where(TABLE.index != 1999, 2)), npartitions=6)
    with pytest.raises(
        ValueError, match=r"^partition 5: column 'label' must hold labels 0 and 1, but in row \d+ it is 2"
    ):
        evaluate_in_chunks(read_chunks(wrong), PARTITION, refit=False)


def test_repeated_work_on_the_cluster_is_the_same_table(cluster):
    cases = {"n": [10, 1000], "bias": [0.2, 0.5]}
    alone = repeat(tosses, cases, 3, rng=7)
    with joblib.parallel_config("dask", n_jobs=2):
        both = repeat(tosses, cases, 3, rng=7)
    assert not set(both["process"]) & set(alone["process"])
    pd.testing.assert_frame_equal(both.drop(columns="process"), alone.drop(columns="process"))


def test_a_killed_worker_changes_nothing(frame, here, cluster, tmp_path):
    dying = frame.map_partitions(_die_once, str(tmp_path / "died"), meta=frame)
    identical(evaluate_in_chunks(read_chunks(dying), PARTITION), here)
    assert (tmp_path / "died").exists()
