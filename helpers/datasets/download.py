"""Files fetched once: pinned to a commit, checked by sha256, kept in one cache folder."""

import csv
import hashlib
import logging
import os
import sys
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from helpers.checks import nearest_name

_HERE = Path(__file__).resolve().parents[1]

#: Folder of the shipped files: `data/` in the repository, `helpers/_data` in an installed wheel.
DATA_FOLDER = _HERE / "_data" if (_HERE / "_data").is_dir() else _HERE.parent / "data"

BASE_URL = "https://raw.githubusercontent.com"

TIMEOUT = 30  # seconds without a byte


class DownloadError(OSError):
    """A file is neither in the cache nor to be had; the message says which file and how to put it in place by hand.

    Examples
    --------
    >>> issubclass(DownloadError, OSError)
    True
    """


@dataclass(frozen=True)
class ManifestFile:
    """One row of `data/manifest.csv`: a file in a public repository at one commit."""

    collection: str
    path: str
    bytes: int
    sha256: str
    repository: str
    commit: str
    path_in_repository: str
    licence: str

    @property
    def url(self):
        """Address of the file at its commit."""
        return f"{BASE_URL}/{self.repository.removeprefix('github:')}/{self.commit}/{self.path_in_repository}"

    @property
    def source(self):
        """The repository and its commit, for readers."""
        return f"https://github.com/{self.repository.removeprefix('github:')} at commit {self.commit}"


def read_manifest():
    """The rows of `data/manifest.csv` as a tuple of `ManifestFile`."""
    with open(DATA_FOLDER / "manifest.csv", newline="", encoding="utf-8") as file:
        return tuple(ManifestFile(**{**row, "bytes": int(row["bytes"])}) for row in csv.DictReader(file))


def check_system(name, files):
    """ValueError unless `name` is a key of `files`; it names the nearest, and all."""
    if name not in files:
        raise ValueError(
            f"name must be one of the {len(files)} systems, but it is {name!r}; {nearest_name(name, files, 'system')} "
            f"The systems: {', '.join(files)}."
        )


def _pooch():
    """The library that downloads; ImportError where there is none, as in a browser."""
    with warnings.catch_warnings():  # in a notebook without widgets its progress bar complains when it is imported
        warnings.simplefilter("ignore")
        import pooch
    return pooch


def cache_folders():
    """Folders searched in order: `HONEST_DATA` when it is set, then the user's cache, if there is one."""
    folders = []
    if os.environ.get("HONEST_DATA"):
        folders.append(Path(os.environ["HONEST_DATA"]).expanduser())
    try:
        folders.append(Path(_pooch().os_cache("honest-confidence")))
    except ImportError:
        pass
    return folders


def _matches(path, sha256):
    """Whether the file is there with this hash."""
    if not path.is_file():
        return False
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == sha256


def _writable(folder):
    """Whether files may be put there: permission bits count even for a user who could override them."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder.is_dir() and bool(folder.stat().st_mode & 0o222) and os.access(folder, os.W_OK)


def find_cached(entry):
    """Path of the file in a cache folder, with the right hash, or None. Nothing is written or downloaded."""
    places = (folder / entry.collection / entry.path for folder in cache_folders())
    return next((place for place in places if _matches(place, entry.sha256)), None)


@contextmanager
def _quiet(pooch):
    """Only errors of pooch are logged: what is downloaded and why is said by this module."""
    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def fetch_file(entry, *, progressbar=None):
    """Path of a file of the manifest, downloaded if no cache folder has it yet; DownloadError if it cannot be had."""
    cached = find_cached(entry)
    if cached is not None:
        # never touched if it is there with the right hash, so the folder in `HONEST_DATA` may be read-only
        return cached
    try:
        import requests

        pooch = _pooch()
    except ImportError:
        place = Path(os.environ.get("HONEST_DATA") or "the folder named by HONEST_DATA")
        raise DownloadError(_help(entry, place, "nothing can be downloaded from here")) from None
    folder = next((folder for folder in cache_folders() if _writable(folder)), None)
    if folder is None:
        raise DownloadError(_help(entry, cache_folders()[-1], "no cache folder can be written to"))
    target = folder / entry.collection / entry.path
    existed = target.exists()
    if progressbar is None:
        progressbar = sys.stderr.isatty()
    downloader = pooch.HTTPDownloader(progressbar=progressbar, timeout=TIMEOUT)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _quiet(pooch):
            pooch.retrieve(entry.url, f"sha256:{entry.sha256}", target.name, target.parent, downloader=downloader)
    except requests.HTTPError as error:
        raise DownloadError(_help(entry, folder, f"the server answered {error.response.status_code}")) from None
    except requests.RequestException as error:
        reason = f"no connection ({type(error).__name__})"
        if existed:
            reason += ", and the file that lies there has another sha256"
        raise DownloadError(_help(entry, folder, reason)) from None
    except ValueError:  # pooch: the hash differs
        if existed:
            target.unlink(missing_ok=True)
        raise DownloadError(_help(entry, folder, "what arrived has another sha256 and was removed")) from None
    except OSError as error:
        reason = f"the file could not be written ({error.strerror or error})"
        raise DownloadError(_help(entry, folder, reason)) from None
    return target


def _help(entry, folder, reason):
    """What is missing, why, where it comes from, and how to put it in place by hand."""
    return (
        f"{entry.collection}/{entry.path} ({entry.bytes:,} bytes) is not in the cache and could not be downloaded: "
        f"{reason}. "
        f"Source: {entry.url} (licence: {entry.licence}). To put it in place by hand, save that file as "
        f"{folder / entry.collection / entry.path} (sha256 {entry.sha256}), or set HONEST_DATA to a folder that holds "
        f"{entry.collection}/{entry.path}."
    )
