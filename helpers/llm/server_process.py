"""A server as a process of its own, for the length of a `with` block."""

import json
import os
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress
from pathlib import Path

_PARENT = str(Path(__file__).resolve().parents[2])

_SAID = 4000  # characters of the last words of a process that are kept


@contextmanager
def run_server(arguments, settings, explain):
    """Start Python with some arguments, as a server that reads settings (JSON) from its standard input and writes its
    port, which is yielded. The server ends with the block, or with the program that started it.

    If it says no port, the error that `explain` makes of its last words.
    """
    paths = os.pathsep.join([_PARENT, *filter(None, [os.environ.get("PYTHONPATH")])])
    process = subprocess.Popen(
        [sys.executable, "-P", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": paths},
        start_new_session=True,  # an interrupt is for the program, which then ends the server
    )
    said = []
    listener = threading.Thread(target=_keep_last, args=(process.stderr, said), daemon=True)
    listener.start()
    try:
        with suppress(BrokenPipeError):  # it has ended already: then it says no port either
            process.stdin.write(json.dumps(settings).encode() + b"\n")
            process.stdin.flush()
        port = process.stdout.readline().strip()
        if not port:
            process.wait()
            listener.join()
            raise explain("".join(said))
        yield int(port)
    finally:
        with suppress(BrokenPipeError):  # what was not written above is tried once more
            process.stdin.close()  # the server ends with its standard input
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        listener.join()
        process.stdout.close()
        process.stderr.close()


def _keep_last(stream, said):
    """Read a stream to its end; `said` holds its last words."""
    for line in stream:
        said[:] = ["".join([*said, line.decode(errors="replace")])[-_SAID:]]
