"""Make `weather_run.csv`: time and memory of an audit of 1 to 16 million forecasts that lie in Parquet files.

    python data/scripts/make_weather_run.py [TARGET]

Needs the extra `scale`, about half a gigabyte of disk for a while and some minutes. For each size an archive is written
(twelve Parquet files, one row group a chunk), audited by one thread, by two and by a dask cluster of two worker
processes, and deleted. Each audit has an interpreter of its own and is watched from outside: processor
seconds and memory (resident set) of all its processes together. The clock starts when the libraries are loaded and the
workers are there.
"""

import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pandas as pd
import psutil

TARGET = Path(__file__).resolve().parents[1] / "weather_run.csv"
ONE = "one thread"
TWO = "two threads"
CLUSTER = "cluster, two workers"
ROWS = 84_000
SIZES = (12, 24, 48, 96, 192)
SAMPLE = 60_000
SEED = 1
EVERY = 0.2


def write_archive(folder, n_chunks):
    """The archive as Parquet files, one a month, one row group a chunk; never more than one chunk in memory."""
    import pyarrow as pa
    from pyarrow import parquet

    from helpers.practice.chunks.weather import weather_chunk

    each = n_chunks // 12
    for month in range(12):
        made = (weather_chunk(month * each + k, ROWS, n_chunks=n_chunks, seed=SEED) for k in range(each))
        tables = (pa.Table.from_pandas(frame, preserve_index=False) for frame in made)
        first = next(tables)
        path = folder / f"month-{month + 1:02d}.parquet"
        with parquet.ParquetWriter(path, first.schema, write_page_checksum=True) as file:
            file.write_table(first, row_group_size=ROWS)
            for table in tables:
                file.write_table(table, row_group_size=ROWS)


def audit(folder, mode):
    """The whole audit of the archive in `folder`; called in an interpreter of its own."""
    import dask

    from helpers.practice.chunks import evaluate_in_chunks, fit_partition, read_chunks, split_chunks
    from helpers.practice.chunks.tables import import_dask
    from helpers.practice.chunks.weather import FACTS, two_workers

    import_dask()
    alone = {"scheduler": "synchronous"} if mode == ONE else {"num_workers": 2}
    with two_workers() if mode == CLUSTER else dask.config.set(alone):
        print("start", flush=True)
        chunks = read_chunks(sorted(Path(folder).glob("*.parquet")), columns=["label", "score", *FACTS])
        sample, others = split_chunks(chunks, SAMPLE / (int(Path(folder).name) * ROWS), rng=SEED)
        partition = fit_partition(sample, features=FACTS, min_samples_leaf=500, rng=SEED)
        total = evaluate_in_chunks(others, partition)
        loss = total.grouping_loss()
        print(json.dumps({"value": loss.value, "se": loss.se, "n": total.n}), flush=True)


def usage(process, spent):
    """Resident megabytes of a process and its children now; their processor seconds so far are kept in `spent`."""
    resident = 0
    for one in [process, *process.children(recursive=True)]:
        try:
            times = one.cpu_times()
            resident = resident + one.memory_info().rss
            spent[one.pid] = times.user + times.system
        except psutil.Error:
            continue
    return resident / 1e6


def watch(folder, n_chunks, mode):
    """Lines of the table for one run: what was seen on the way, and its end."""
    said = []
    seen = []
    spent = {}
    command = [sys.executable, __file__, "--one", str(folder), mode]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    if child.stdout.readline() != "start\n":
        raise RuntimeError(f"the run in {mode} did not start")
    begin = time.monotonic()
    process = psutil.Process(child.pid)
    threading.Thread(target=lambda: said.append((child.stdout.readline(), time.monotonic() - begin))).start()
    usage(process, spent)
    before = sum(spent.values())
    while not said:
        now = {"seconds": time.monotonic() - begin, "memory_mb": usage(process, spent)}
        seen.append(now | {"cpu_seconds": sum(spent.values()) - before})
        time.sleep(EVERY)
    child.stdout.read()
    if child.wait() or not said[0][0]:
        raise RuntimeError(f"the run of {n_chunks * ROWS} rows in {mode} failed")
    end = seen[-1] | {"seconds": said[0][1], "memory_mb": max(one["memory_mb"] for one in seen)}
    lines = [one | {"kind": "seen"} for one in seen[::5]] if n_chunks == max(SIZES) else []
    table = pd.DataFrame([*lines, end | {"kind": "end"} | json.loads(said[0][0])])
    return table.assign(run=mode, rows=n_chunks * ROWS)


def main(target):
    """Write the archives, run everything, write the table."""
    parts = []
    with tempfile.TemporaryDirectory() as place:
        for n_chunks in SIZES:
            folder = Path(place) / str(n_chunks)
            folder.mkdir()
            write_archive(folder, n_chunks)
            for mode in (ONE, TWO, CLUSTER):
                parts.append(watch(folder, n_chunks, mode))
                print(parts[-1].tail(1).to_string(header=False, index=False), flush=True)
            for path in folder.glob("*"):
                path.unlink()
    table = pd.concat(parts, ignore_index=True)
    columns = ["run", "rows", "kind", "seconds", "cpu_seconds", "memory_mb", "value", "se", "n"]
    digits = {"seconds": 2, "cpu_seconds": 2, "memory_mb": 0, "value": 7, "se": 7}
    table[columns].round(digits).astype({"n": "Int64"}).to_csv(target, index=False, lineterminator="\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        audit(*sys.argv[2:])
    else:
        main(Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET)
