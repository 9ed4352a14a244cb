"""Files that are there whole or not at all, and whose they are.

A folder's ledger, the hidden file .files.json, holds the hash of each file that a run left there. What is not as the
ledger says somebody else made or changed, and it is neither replaced nor removed.
"""

import hashlib
import json
import os
import shutil
import warnings
from contextlib import contextmanager, suppress

LEDGER = ".files.json"

LOCK = ".lock"


def write(path, content):
    """Write a text or bytes in one go: a kill or a full disk leaves the old file or the new one."""
    new = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        new.write_bytes(content.encode() if isinstance(content, str) else content)
        os.replace(new, path)
    finally:
        new.unlink(missing_ok=True)


def digest(path):
    """SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def ledger(folder):
    """{name: hash} of the files that runs left in a folder, {} where none did."""
    try:
        return json.loads((folder / LEDGER).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def record(folder, names):
    """Note files of a folder, by their names, as left by a run."""
    entries = ledger(folder) | {name: digest(folder / name) for name in names}
    write(folder / LEDGER, json.dumps(entries, indent=1, ensure_ascii=False) + "\n")


def record_all(folder):
    """Note all files of a folder as left by a run."""
    record(folder, [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file()])


def is_of_others(folder, name):
    """Whether something with this name is in a folder that no run left, or that was changed since."""
    path = folder / name
    return os.path.lexists(path) and not (path.is_file() and ledger(folder).get(name) == digest(path))


def check_ours(folder, names):
    """ValueError for the first of these names in a folder that no run left there, or that was changed since."""
    for name in names:
        if is_of_others(folder, name):
            raise ValueError(
                f"{folder / name} would be replaced, but no run made it, or it was changed since: "
                "move it away, or choose another folder."
            )


def move_up(work, folder):
    """Put the files of `work`, whose ledger is there, into a folder, in place of those that the last run left there.

    Where this is cut short, calling it once more does the rest. ValueError if a file of somebody else is in the way;
    nothing is moved then.
    """
    names = [name for name in ledger(work) if (work / name).exists()]
    check_ours(folder, names)
    for name in set(ledger(folder)) - set(ledger(work)):
        if not is_of_others(folder, name):
            (folder / name).unlink(missing_ok=True)
    for name in sorted(names, key=lambda name: (work / name).stat().st_mtime_ns):  # what was written last comes last
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        os.replace(work / name, folder / name)
    os.replace(work / LEDGER, folder / LEDGER)
    shutil.rmtree(work)


def _lock(file):
    """Take the lock of an open file; the system gives it back when this process ends, however that is."""
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except PermissionError:
            raise BlockingIOError from None
    else:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def alone_in(folder, name=LOCK):
    """Have a folder, made if needed, to oneself in this block; ValueError if another process has it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    with path.open("a") as file:
        try:
            _lock(file)
            if os.fstat(file.fileno()).st_nlink == 0:  # its owner has ended and removed it in this moment
                raise BlockingIOError
        except BlockingIOError:
            raise ValueError(f"another run works in {folder}: wait for it, or choose another folder.") from None
        except OSError as error:  # some file systems of clusters
            warnings.warn(f"{folder} cannot be locked ({error}): start no second run there.", stacklevel=3)
        try:
            yield
        finally:
            with suppress(PermissionError):  # Windows keeps open files
                path.unlink()
